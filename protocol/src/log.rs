//! The debug log: every line in both directions with the seconds since the log was opened.
//!
//! `<` marks what the client sent, `>` what we answered. The file is written line by line, so that it is whole up to
//! the moment of a crash.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// An open log.
#[derive(Debug)]
pub struct Log {
    file: File,
    opened: Instant,
}

impl Log {
    /// Begins a log, at the end of the file if it is there already.
    ///
    /// # Errors
    /// If the file cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_written_with_times() {
        let path = std::env::temp_dir().join(format!("firstborn-log-{}", std::process::id()));
        let mut log = Log::open(&path).unwrap();
        log.received("isready");
        log.sent("readyok");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0][1..], ["<", "isready"]);
        assert_eq!(lines[1][1..], [">", "readyok"]);
        assert!(lines[0][0].parse::<f64>().unwrap() <= lines[1][0].parse::<f64>().unwrap());
    }

    #[test]
    fn a_path_that_cannot_be_written_is_an_error() {
        assert!(Log::open(Path::new("/no-such-folder/log")).is_err());
    }
}
