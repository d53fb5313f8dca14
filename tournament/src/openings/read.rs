//! Reading opening files of every kind.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use chess::{epd, text};
use flate2::read::MultiGzDecoder;

use super::{BookError, Opening, Reading, pgn, polyglot};

/// A file's name as errors have it, the end of its name without its packing, and its contents.
fn open(path: &Path) -> Result<(String, String, Vec<u8>), BookError> {
    let place = path.display().to_string();
    let (name, bytes) = unpacked(path).map_err(|e| BookError::new(&place, e.to_string()))?;
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    Ok((place, extension, bytes))
}

/// Reads a file of games.
pub(super) fn games(path: &Path, reading: Reading) -> Result<Vec<Opening>, BookError> {
    let (place, extension, bytes) = open(path)?;
    if extension != "pgn" {
        return Err(BookError::new(
            place,
            "a book is made of games: the name should end in .pgn (and .gz or .zip)",
        ));
    }
    pgn::openings(&bytes, &place, reading)
}

/// Reads a book, whatever its format and packing.
pub(super) fn book(path: &Path, reading: Reading) -> Result<Vec<Opening>, BookError> {
    let (place, extension, bytes) = open(path)?;
    match extension.as_str() {
        "pgn" => pgn::openings(&bytes, &place, reading),
        "bin" => polyglot::lines(&bytes, &place, reading),
        "epd" | "fen" | "txt" => positions(&bytes, &place),
        _ => Err(BookError::new(
            place,
            "what it holds is not known: its name should end in .epd, .fen, .txt, .pgn or .bin (and .gz or .zip)",
        )),
    }
}

/// A file's name without its packing (.gz or .zip), and its contents.
///
/// # Errors
/// It cannot be read or unpacked.
pub fn unpacked(path: &Path) -> io::Result<(String, Vec<u8>)> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    if let Some(inner) = name.strip_suffix(".gz") {
        MultiGzDecoder::new(file).read_to_end(&mut bytes)?;
        return Ok((inner.to_owned(), bytes));
    }
    if name.ends_with(".zip") {
        let mut archive = zip::ZipArchive::new(file).map_err(io::Error::other)?;
        let wanted = (0..archive.len()).find(|&index| {
            archive.name_for_index(index).is_some_and(|entry| {
                [".epd", ".fen", ".txt", ".pgn", ".bin"]
                    .iter()
                    .any(|end| entry.to_ascii_lowercase().ends_with(end))
            })
        });
        let index =
            wanted.ok_or_else(|| io::Error::other("the archive holds no .epd, .fen, .txt, .pgn or .bin"))?;
        let mut entry = archive.by_index(index).map_err(io::Error::other)?;
        entry.read_to_end(&mut bytes)?;
        return Ok((entry.name().to_owned(), bytes));
    }
    file.read_to_end(&mut bytes)?;
    Ok((name, bytes))
}

fn positions(bytes: &[u8], place: &str) -> Result<Vec<Opening>, BookError> {
    let mut openings = Vec::new();
    for read in epd::read(&text::decode(bytes)) {
        let broken = |line: usize, why: String| BookError::new(format!("{place}, line {line}"), why);
        let (line, epd) = read.map_err(|error| broken(error.line, error.cause.to_string()))?;
        if !epd.position.has_legal_move() {
            return Err(broken(line, "the game is over in this position".to_owned()));
        }
        openings.push(Opening::from_position(epd.position));
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::{Book, Order};
    use super::*;

    const READING: Reading =
        Reading { order: Order::Sequential, start: 1, plies: None, wanted: 4, ended: false };
    const EPD: &str = "# openings\nrnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id \"a\";\n\n\
                       rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2\n";
    const PGN: &str = "[Event \"x\"]\n\n1. e4 {best} e5 2. Nf3 (2. f4 exf4) Nc6 *\n\n\
                       [FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O Kd7 *\n";

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        (dir, path)
    }

    #[test]
    fn epd_plain_and_packed_is_the_same() {
        let (_a, plain) = file("book.epd", EPD.as_bytes());
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(EPD.as_bytes()).unwrap();
        let (_b, gzipped) = file("book.epd.gz", &gz.finish().unwrap());
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        zip.start_file("readme.md", zip::write::SimpleFileOptions::default()).unwrap();
        zip.start_file("inner.epd", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(EPD.as_bytes()).unwrap();
        let (_c, zipped) = file("book.zip", &zip.finish().unwrap().into_inner());
        let read = |path: &Path| Book::from_file(path, READING).unwrap();
        assert_eq!(read(&plain).len(), 2);
        assert_eq!(read(&plain).digest(), read(&gzipped).digest());
        assert_eq!(read(&plain).digest(), read(&zipped).digest());
    }

    /// The same positions, whatever wrote the file.
    #[test]
    fn epd_in_every_dress_is_the_same() {
        let plain = EPD.replace("\"a\"", "\"M\u{fc}ller\"");
        let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
        let marked = [b"\xef\xbb\xbf", plain.replace("# openings\n", "").as_bytes()].concat();
        let digest = |bytes: &[u8]| {
            let (_dir, path) = file("book.epd", bytes);
            Book::from_file(&path, READING).unwrap().digest()
        };
        for bytes in
            [plain.replace('\n', "\r\n").into_bytes(), plain.replace('\n', "\r").into_bytes(), latin, marked]
        {
            assert_eq!(digest(&bytes), digest(plain.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn pgn_main_lines_and_plies() {
        let (_dir, path) = file("book.pgn", PGN.as_bytes());
        let book = Book::from_file(&path, READING).unwrap();
        assert_eq!(book.opening(0).moves.len(), 4);
        assert_eq!(book.opening(1).fen.as_deref(), Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
        let short = Book::from_file(&path, Reading { plies: Some(1), ..READING }).unwrap();
        assert_eq!((short.opening(0).moves.len(), short.opening(1).moves.len()), (1, 1));
    }

    /// Packed files are counted in the lines of their text.
    #[test]
    fn packed_files_are_named_with_the_line_of_their_text() {
        let broken = PGN.replace("Kd7", "Kd6");
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(broken.as_bytes()).unwrap();
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        zip.start_file("inner.pgn", zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(broken.as_bytes()).unwrap();
        for (name, bytes) in
            [("book.pgn.gz", gz.finish().unwrap()), ("book.zip", zip.finish().unwrap().into_inner())]
        {
            let (_dir, path) = file(name, &bytes);
            let message = Book::from_file(&path, READING).unwrap_err().to_string();
            assert!(message.contains(&format!("{name}, line 7, game 2: ply 2: ")), "{message}");
        }
    }

    #[test]
    fn broken_files_are_named_with_their_line() {
        for (name, text, says) in [
            (
                "book.epd",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nnonsense\n",
                "book.epd, line 2: FEN has 1 fields",
            ),
            ("book.epd", "# x\r\n4k3/8/8/8/8/8/8/4K3 x - -\r\n", "book.epd, line 2: FEN side to move"),
            ("book.epd", "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "line 1: the game is over"),
            ("book.pgn", "1. e4 e5 *\n\n1. e4 Ke7 *\n", "book.pgn, line 3, game 2: ply 2: "),
            ("book.xyz", "", "should end in .epd"),
            ("book.epd", "\n", "no opening"),
        ] {
            let (_dir, path) = file(name, text.as_bytes());
            let message = Book::from_file(&path, READING).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
        let missing = Book::from_file(Path::new("/no/such/book.epd"), READING).unwrap_err().to_string();
        assert!(missing.contains("/no/such/book.epd") && missing.contains("No such file"), "{missing}");
    }
}
