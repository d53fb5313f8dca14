//! A large file of positions, of which only the offsets of the lines are kept.
//!
//! Every line is read and checked once when the book is opened, so that a bad one is named before the first
//! game; then it is forgotten, and read again when a game begins with it. A book of 2.6 million lines takes
//! 30 MB this way.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chess::text;

use super::read::{Content, opening, position};
use super::{BookError, Counters, Opening, Reading, Store};

/// No line of a position is longer.
const LONGEST: u64 = 64 * 1024;

/// The lines of a file.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    path: PathBuf,
    /// Kept open: a file that is replaced under its name goes on to be the book.
    file: Arc<Mutex<File>>,
    offsets: Arc<Vec<u64>>,
    counters: Counters,
    chess960: bool,
}

impl Lines {
    /// Reads a file once.
    ///
    /// # Errors
    /// It cannot be read, or a line is bad and must not be.
    pub fn scan(path: &Path, reading: Reading) -> Result<Content, BookError> {
        let place = path.display().to_string();
        let error = |error: io::Error| BookError::new(&place, error.to_string());
        let file = File::open(path).map_err(error)?;
        let mut input = BufReader::with_capacity(1 << 18, file.try_clone().map_err(error)?);
        let (mut offsets, mut skipped, mut chess960) = (Vec::new(), Vec::new(), false);
        let (mut offset, mut bytes) = (0, Vec::new());
        for number in 1_usize.. {
            bytes.clear();
            let read = (&mut input).take(LONGEST).read_until(b'\n', &mut bytes).map_err(error)?;
            if read == 0 {
                break;
            }
            let text = text::decode(&bytes);
            if text::lines(&text).count() > 1 {
                let why =
                    "its lines end with a carriage return alone, which is read in files up to 4 MiB only";
                return Err(BookError::new(format!("{place}, line {number}"), why));
            }
            // A byte order mark, blanks, comments and the line's end are taken care of as in small files.
            for (_, line) in text::lines(&text) {
                match position(line, reading.counters) {
                    Ok(position) => {
                        chess960 |= position.is_chess960();
                        offsets.push(offset);
                    }
                    Err(why) => {
                        let bad = BookError::new(format!("{place}, line {number}"), why);
                        if !reading.skip_bad {
                            return Err(bad);
                        }
                        skipped.push(bad);
                    }
                }
            }
            offset += read as u64;
        }
        offsets.shrink_to_fit();
        let lines = Self {
            path: path.to_owned(),
            file: Arc::new(Mutex::new(file)),
            offsets: Arc::new(offsets),
            counters: reading.counters,
            chess960,
        };
        Ok(Content { store: Store::Lines(lines), skipped })
    }

    /// How many lines hold a position.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Does any of them hold a position of Chess960?
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Reads a position again.
    ///
    /// # Errors
    /// The file cannot be read any more, or was changed.
    pub fn opening(&self, index: usize) -> Result<Opening, BookError> {
        let place = || format!("{}, byte {}", self.path.display(), self.offsets[index]);
        let line = self.line(self.offsets[index]).map_err(|e| BookError::new(place(), e.to_string()))?;
        let text = text::decode(&line);
        let line = text::lines(&text).next().map(|(_, line)| line).unwrap_or_default();
        opening(line, self.counters)
            .map_err(|why| BookError::new(place(), format!("the file has changed since the start: {why}")))
    }

    fn line(&self, offset: u64) -> io::Result<Vec<u8>> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        let mut line = Vec::new();
        BufReader::with_capacity(512, &mut *file).take(LONGEST).read_until(b'\n', &mut line)?;
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Book, Order};
    use super::*;

    const TEXT: &str = "\u{feff}rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id \"a\";\r\n\n# one\n\
                        rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2\n\
                        rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("book.epd");
        std::fs::write(&path, text).unwrap();
        (dir, path)
    }

    /// Read by offset, a book is the same as in memory.
    #[test]
    fn a_book_by_offset_is_the_same_book() {
        let (_dir, path) = file(TEXT);
        for order in [Order::Sequential, Order::Random(3), Order::Fastchess(3)] {
            let reading = Reading { order, start: 2, ..Reading::WHOLE };
            let whole = Book::from_file(&path, reading).unwrap();
            let lines = Lines::scan(&path, reading).unwrap().store;
            let lines = Book::arranged(lines, String::new(), order, 2);
            assert_eq!((lines.len(), lines.digest()), (3, whole.digest()));
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let (_dir, path) = file(&TEXT.replace("# one", "nonsense"));
        let message = Lines::scan(&path, Reading::WHOLE).err().unwrap().to_string();
        assert!(message.contains("book.epd, line 3: "), "{message}");
        let content = Lines::scan(&path, Reading { skip_bad: true, ..Reading::WHOLE }).unwrap();
        assert_eq!((content.store.len(), content.skipped.len()), (3, 1));
    }

    /// A file that is cut off while games are played is an error, and not another opening.
    #[test]
    fn a_changed_file_is_an_error() {
        let (_dir, path) = file(TEXT);
        let store = Lines::scan(&path, Reading::WHOLE).unwrap().store;
        std::fs::write(&path, "short\n").unwrap();
        let message = store.opening(2).unwrap_err().to_string();
        assert!(message.contains("has changed since the start"), "{message}");
    }
}
