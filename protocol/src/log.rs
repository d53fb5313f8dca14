//! The debug log: every line in both directions with the seconds since the log was opened.
//!
//! `<` marks what the client sent, `>` what we answered. The file is written line by line, so that it is
//! whole up to the moment of a crash. A log goes on at the end of an older log; any other file with something
//! in it is refused, since one mistyped name would spoil a book, a game collection or a network.

use std::fs::{File, FileType, metadata};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

/// The longest beginning of a line that shows whether it is a log's: seconds of a year, and a direction.
const BEGINNING: u64 = 32;

/// An open log.
#[derive(Debug)]
pub struct Log {
    file: File,
    opened: Instant,
}

impl Log {
    /// Begins a log in a new or empty file, in a device, or at the end of an older log.
    ///
    /// # Errors
    /// If the file cannot be opened, holds something other than a log, or is a pipe: opening one, or writing
    /// into it, waits for its reader, and the session would wait as well.
    pub fn open(path: &Path) -> io::Result<Self> {
        if metadata(path).is_ok_and(|about| !about.is_file() && !is_device(about.file_type())) {
            let why = "it is neither a regular file nor a device";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        if path.is_file() && !is_log(File::open(path)?)? {
            let why = "the file holds something other than a debug log, and nothing is added to it";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Log { file, opened: Instant::now() })
    }

    /// Writes down a line from the client.
    pub fn received(&mut self, line: &str) {
        self.write('<', line);
    }

    /// Writes down a line of ours.
    pub fn sent(&mut self, line: &str) {
        self.write('>', line);
    }

    /// A full disk must not end a game: errors are dropped.
    fn write(&mut self, direction: char, line: &str) {
        let seconds = self.opened.elapsed().as_secs_f64();
        let _ = self.file.write_all(format!("{seconds:10.4} {direction} {line}\n").as_bytes());
    }
}

#[cfg(unix)]
fn is_device(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device()
}

/// Devices have no files of their own elsewhere.
#[cfg(not(unix))]
fn is_device(_: FileType) -> bool {
    false
}

/// Is the file empty, or does it begin as a log does?
fn is_log(file: impl Read) -> io::Result<bool> {
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning)?;
    if beginning.is_empty() {
        return Ok(true);
    }
    let text = String::from_utf8_lossy(&beginning);
    let mut words = text.split_whitespace();
    let seconds = words.next().and_then(|word| word.split_once('.'));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    Ok(seconds.is_some_and(|(whole, places)| digits(whole) && digits(places) && places.len() == 4)
        && matches!(words.next(), Some("<" | ">")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_written_with_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::open(&path).unwrap();
        log.received("isready");
        log.sent("readyok");
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0][1..], ["<", "isready"]);
        assert_eq!(lines[1][1..], [">", "readyok"]);
        assert!(lines[0][0].parse::<f64>().unwrap() <= lines[1][0].parse::<f64>().unwrap());
    }

    #[test]
    fn only_a_log_is_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for text in [
            "[Event \"?\"]\n\n1. e4 e5 *\n",
            "\n",
            "0 < 1\n",
            "12.5 > 3\n",
            "1.2345 uci\n",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Log::open(&path).unwrap_err();
            assert!(error.to_string().contains("other than a debug log"), "{text}: {error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, [0xff, 0xfe, 0]).unwrap();
        assert!(Log::open(&path).is_err());
        std::fs::write(&path, "").unwrap();
        for lines in 1..4 {
            Log::open(&path).unwrap().received(&format!("position {}", "moves ".repeat(lines)));
            assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), lines);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_device_takes_a_log() {
        assert!(Log::open(Path::new("/dev/null")).is_ok());
    }

    #[test]
    fn a_path_that_cannot_be_written_is_an_error() {
        assert!(Log::open(Path::new("/no-such-folder/log")).is_err());
    }
}
