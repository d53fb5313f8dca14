//! A large file of positions, of which only the offsets of the lines are kept.
//!
//! When the book is opened its lines are found and counted. Those that games are to begin with are read and
//! checked, so that a bad one is named before the first game; all of them only where bad ones are to be left
//! out, since the numbers of the others depend on that. A line is read again when a game begins with it; a file
//! that was written over meanwhile is refused, since its lines may be other openings. A book of 2.6 million lines
//! takes 30 MB this way.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use chess::text;
use crc32fast::Hasher;

use super::read::{Content, opening, position};
use super::{BookError, Opening, Reading, Skipped, Store};

/// No line of a position is longer.
const LONGEST: u64 = 64 * 1024;

/// The lines of a file.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    path: PathBuf,
    source: Arc<Mutex<Source>>,
    offsets: Arc<Vec<u64>>,
    reading: Reading,
    /// CRC-32 of the file.
    checksum: u32,
    /// One of the lines that were read has a position of Chess960.
    chess960: bool,
}

/// The file that lines are read from.
#[derive(Debug)]
struct Source {
    /// Kept open: a file that is replaced under its name goes on to be the book.
    file: File,
    /// How it was when its content was last known to be that of the start.
    stamp: Stamp,
}

/// What changes where a file is written over in place, but for a change of the same length within a tick of the file
/// system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    /// None on systems that do not say it.
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self { length: found.len(), modified: found.modified().ok() })
    }
}

impl Source {
    /// Refuses a file whose content is not that of the start, with this CRC-32. It is read as a whole only where
    /// something has touched it.
    fn check(&mut self, checksum: u32) -> io::Result<()> {
        let stamp = Stamp::of(&self.file)?;
        if stamp == self.stamp {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(0))?;
        let (mut input, mut found) = (BufReader::with_capacity(1 << 18, &self.file), Hasher::new());
        loop {
            let read = input.fill_buf()?;
            if read.is_empty() {
                break;
            }
            found.update(read);
            let length = read.len();
            input.consume(length);
        }
        if found.finalize() != checksum {
            return Err(io::Error::other("the file has changed since the start"));
        }
        self.stamp = stamp;
        Ok(())
    }
}

impl Lines {
    /// Finds the lines of a file, and checks them all if bad ones are to be left out.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn scan(path: &Path, reading: Reading) -> Result<Content, BookError> {
        let place = path.display().to_string();
        let error = |error: io::Error| BookError::new(&place, error.to_string());
        let file = File::open(path).map_err(error)?;
        // Taken first: what changes while it is read is noticed later.
        let stamp = Stamp::of(&file).map_err(error)?;
        let mut input = BufReader::with_capacity(1 << 18, file.try_clone().map_err(error)?);
        let (mut offsets, mut skipped, mut chess960) = (Vec::new(), Skipped::default(), false);
        let (mut offset, mut bytes, mut checksum) = (0, Vec::new(), Hasher::new());
        for number in 1_usize.. {
            bytes.clear();
            let read = (&mut input).take(LONGEST).read_until(b'\n', &mut bytes).map_err(error)?;
            if read == 0 {
                break;
            }
            checksum.update(&bytes);
            // As wherever a text is read.
            if text::SILENT.iter().any(|silent| bytes.contains(silent)) {
                bytes.retain(|byte| !text::SILENT.contains(byte));
            }
            let text = bytes.trim_ascii();
            if text.contains(&b'\r') {
                let why =
                    "its lines end with a carriage return alone, which is read in files up to 4 MiB only";
                return Err(BookError::new(format!("{place}, line {number}"), why));
            }
            match Self::look(text, reading) {
                Ok(Some(is_chess960)) => {
                    chess960 |= is_chess960;
                    offsets.push(offset);
                }
                Ok(None) => {}
                Err(why) => skipped.add(|| BookError::new(format!("{place}, line {number}"), why)),
            }
            offset += read as u64;
        }
        offsets.shrink_to_fit();
        let lines = Self {
            path: path.to_owned(),
            source: Arc::new(Mutex::new(Source { file, stamp })),
            offsets: Arc::new(offsets),
            reading,
            checksum: checksum.finalize(),
            chess960,
        };
        Ok(Content { store: Store::Lines(lines), skipped, drawn: None })
    }

    /// Does a line hold a position, and if so one of Chess960? Only where bad lines are left out is it read.
    fn look(line: &[u8], reading: Reading) -> Result<Option<bool>, String> {
        // A byte order mark or another encoding is for the reader of text to see to.
        let plain = line.first().is_none_or(u8::is_ascii);
        if plain && (line.is_empty() || line[0] == b'#') {
            return Ok(None);
        }
        if plain && !reading.skip_bad {
            return Ok(Some(false));
        }
        let text = text::decode(line);
        let Some((_, line)) = text::lines(&text).next() else { return Ok(None) };
        if !reading.skip_bad {
            return Ok(Some(false));
        }
        position(line, reading).map(|position| Some(position.is_chess960()))
    }

    /// Reads these lines and checks them.
    ///
    /// # Errors
    /// One of them is bad; the error names it.
    pub fn check(&mut self, indices: impl Iterator<Item = usize>) -> Result<(), BookError> {
        for index in indices {
            match self.read(index).map_err(|error| error.to_string()).and_then(|opening| opening) {
                Ok(opening) => self.chess960 |= opening.start.is_chess960(),
                Err(why) => {
                    let number = self.number(self.offsets[index]);
                    let place = format!("{}, line {number}", self.path.display());
                    return Err(BookError::new(place, why));
                }
            }
        }
        Ok(())
    }

    /// The number of the line at an offset, from 1; of the last line if the file has become too short.
    fn number(&self, offset: u64) -> usize {
        let mut source = self.source();
        let mut before = 0;
        if source.file.seek(SeekFrom::Start(0)).is_ok() {
            let lines = BufReader::new(&source.file).take(offset).split(b'\n');
            before = lines.map_while(Result::ok).count();
        }
        before + 1
    }

    /// A number that changes with any change in the file.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// How many lines hold a position.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Does any of them hold a position of Chess960?
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Reads a position.
    ///
    /// # Errors
    /// The file cannot be read any more, or was changed.
    pub fn opening(&self, index: usize) -> Result<Opening, BookError> {
        let place = || format!("{}, byte {}", self.path.display(), self.offsets[index]);
        let read = self.read(index).map_err(|error| BookError::new(place(), error.to_string()))?;
        read.map_err(|why| BookError::new(place(), format!("the file has changed since the start: {why}")))
    }

    /// Reads a line and what it says, or what is wrong with it.
    fn read(&self, index: usize) -> io::Result<Result<Opening, String>> {
        let line = self.line(self.offsets[index])?;
        let text = text::decode(&line);
        let line = text::lines(&text).next().map(|(_, line)| line).unwrap_or_default();
        Ok(opening(line, self.reading))
    }

    fn line(&self, offset: u64) -> io::Result<Vec<u8>> {
        let mut source = self.source();
        source.check(self.checksum)?;
        source.file.seek(SeekFrom::Start(offset))?;
        let mut line = Vec::new();
        BufReader::with_capacity(512, &source.file).take(LONGEST).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    fn source(&self) -> MutexGuard<'_, Source> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
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
            for skip_bad in [false, true] {
                let lines = Lines::scan(&path, Reading { skip_bad, ..reading }).unwrap().store;
                let mut lines = Book::arranged(lines, String::new(), order, 2);
                lines.check(usize::MAX).unwrap();
                assert_eq!((lines.len(), whole.len()), (3, 3));
                (0..3).for_each(|number| assert_eq!(lines.opening(number), whole.opening(number)));
            }
        }
    }

    /// Neither NUL bytes nor the ends of files and the byte order marks of files that were joined make lines, or
    /// other line ends.
    #[test]
    fn bytes_that_say_nothing_are_left_out() {
        let text =
            TEXT.replace("\r\n\n# one", "\r\0\n\0\r\n\0# one\0").replace(" 2\n", " 2\r\n\0") + "\r\n\0";
        assert_eq!(text.matches('\0').count(), 6);
        let text = text.replace("# one", "\u{1a}\u{feff}# one").replace("\0rnb", "\u{feff}\0rnb") + "\u{1a}";
        let (_dir, path) = file(&text);
        let whole = Book::from_file(&path, Reading::WHOLE).unwrap();
        for skip_bad in [false, true] {
            let lines = Lines::scan(&path, Reading { skip_bad, ..Reading::WHOLE }).unwrap();
            assert_eq!((lines.skipped.count(), whole.len()), (0, 3));
            let mut lines = Book::arranged(lines.store, String::new(), Order::Sequential, 1);
            lines.check(usize::MAX).unwrap();
            assert_eq!(lines.len(), 3);
            (0..3).for_each(|number| assert_eq!(lines.opening(number), whole.opening(number)));
        }
    }

    /// Which games begin where is in the digest of a book: its lines, and their order.
    #[test]
    fn the_digest_knows_lines_and_order() {
        let digest = |text: &str, order| {
            let (_dir, path) = file(text);
            let lines = Lines::scan(&path, Reading::WHOLE).unwrap().store;
            Book::arranged(lines, String::new(), order, 1).digest().unwrap()
        };
        let first = digest(TEXT, Order::Random(3));
        assert_eq!(first, digest(TEXT, Order::Random(3)));
        assert_ne!(first, digest(TEXT, Order::Sequential));
        assert_ne!(first, digest(&TEXT.replace("2p5", "p7"), Order::Random(3)));
    }

    /// Lines that no game begins with need not be good.
    #[test]
    fn bad_lines_are_named() {
        let (_dir, path) = file(&TEXT.replace("# one", "nonsense"));
        let book = |start, reading| {
            let store = Lines::scan(&path, reading).unwrap().store;
            Book::arranged(store, String::new(), Order::Sequential, start)
        };
        let message = book(1, Reading::WHOLE).check(2).unwrap_err().to_string();
        assert!(message.contains("book.epd, line 3: "), "{message}");
        book(1, Reading::WHOLE).check(1).unwrap();
        book(3, Reading::WHOLE).check(2).unwrap();
        let lenient = Reading { skip_bad: true, ..Reading::WHOLE };
        let skipped = Lines::scan(&path, lenient).unwrap().skipped;
        assert!(skipped.count() == 1 && skipped.named()[0].place.ends_with("line 3"), "{skipped:?}");
        let mut book = book(1, lenient);
        assert_eq!(book.len(), 3);
        book.check(3).unwrap();
    }

    /// Whether a book is one of Chess960 is known of the lines that were read.
    #[test]
    fn positions_of_chess960_are_noticed() {
        let odd = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1";
        let (_dir, path) = file(&format!("{TEXT}\n{odd}\n"));
        let mut book = Book::arranged(
            Lines::scan(&path, Reading::WHOLE).unwrap().store,
            String::new(),
            Order::Sequential,
            1,
        );
        book.check(3).unwrap();
        assert!(!book.is_chess960());
        book.check(4).unwrap();
        assert!(book.is_chess960());
    }

    /// A file that is written over in place is another book, though its lines are good openings as well. Touched, or
    /// written over with the same, it is the same book.
    #[test]
    fn a_book_that_is_written_over_is_an_error() {
        let touch = |path: &Path, seconds: u64| {
            let file = File::options().write(true).open(path).unwrap();
            // Within one tick of the file system's clock no change would be seen.
            let moment = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000 + seconds);
            file.set_modified(moment).unwrap();
        };
        let other = TEXT.replace("/2p5/", "/p7/").replace("pp1ppppp", "1ppppppp");
        assert_eq!(other.len() + 1, TEXT.len());
        let longer = format!("{TEXT}\n{}", TEXT.lines().last().unwrap());
        for (text, same) in
            [(TEXT, true), (&*TEXT.replace("4p3/4P3", "3p4/4P3"), false), (&*other, false), (&*longer, false)]
        {
            let (_dir, path) = file(TEXT);
            touch(&path, 0);
            let store = Lines::scan(&path, Reading::WHOLE).unwrap().store;
            let known = store.opening(0).unwrap();
            std::fs::write(&path, text).unwrap();
            touch(&path, 1);
            // Twice, since the file is looked through once.
            for _ in 0..2 {
                match store.opening(0) {
                    Ok(opening) => assert!(same && opening == known, "{text}"),
                    Err(error) => {
                        assert!(
                            !same && error.to_string().contains("has changed since the start"),
                            "{error}"
                        );
                    }
                }
            }
        }
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
