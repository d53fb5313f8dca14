//! Reading opening files of every kind.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use chess::{Game, Outcome, Position, epd, text};
use flate2::read::MultiGzDecoder;

use super::lines::Lines;
use super::polyglot::{self, Drawn};
use super::{BookError, Counters, Format, Opening, Reading, Skipped, Store, pgn};

/// Files of positions that are larger are not kept in memory.
const LARGE: u64 = 4 << 20;

/// What was read of a book.
pub(super) struct Content {
    pub store: Store,
    /// What was left out.
    pub skipped: Skipped,
    /// What decides the openings, where they are drawn.
    pub drawn: Option<Drawn>,
}

impl Content {
    pub fn whole(openings: Vec<Opening>, skipped: Skipped) -> Self {
        Self { store: Store::Whole(openings), skipped, drawn: None }
    }
}

/// A file's name as errors have it, the end of its name without its packing, and its contents.
fn open(path: &Path) -> Result<(String, String, Vec<u8>), BookError> {
    let place = path.display().to_string();
    let (name, bytes) = unpacked(path).map_err(|e| BookError::new(&place, e.to_string()))?;
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    Ok((place, extension, bytes))
}

/// Reads a file of games.
pub(super) fn games(path: &Path, reading: Reading) -> Result<Content, BookError> {
    let no_games = |place: &str| {
        BookError::new(place, "a book is made of games: the name should end in .pgn (and .gz or .zip)")
    };
    // A plain file of another name is refused before it is read: a device has no end.
    let name = lower_name(path);
    if is_plain(&name) && path.exists() && format_of(&name) != Some(Format::Pgn) {
        return Err(no_games(&path.display().to_string()));
    }
    let (place, extension, bytes) = open(path)?;
    if extension != "pgn" {
        return Err(no_games(&place));
    }
    pgn::openings(&bytes, &place, reading)
}

/// Reads a book, whatever its format and packing.
pub(super) fn book(path: &Path, reading: Reading) -> Result<Content, BookError> {
    let name = lower_name(path);
    let plain = is_plain(&name);
    let large = path.metadata().is_ok_and(|file| file.is_file() && file.len() > LARGE);
    let positions_by_name = reading.format.or_else(|| format_of(&name)) == Some(Format::Positions);
    // Lines of UTF-16 do not end in a single byte: such a file is read whole.
    if plain && large && positions_by_name && !is_utf16(path)? {
        return Lines::scan(path, reading);
    }
    let unknown = |place: &str| {
        BookError::new(
            place,
            "what it holds is not known: its name should end in .epd, .fen, .txt, .pgn or .bin (and .gz or .zip)",
        )
    };
    // As in `games`.
    if plain && path.exists() && reading.format.or_else(|| format_of(&name)).is_none() {
        return Err(unknown(&path.display().to_string()));
    }
    let (place, extension, bytes) = open(path)?;
    match reading.format.or_else(|| format_of(&extension)) {
        Some(Format::Pgn) => pgn::openings(&bytes, &place, reading),
        Some(Format::Polyglot) => {
            let (openings, drawn) = polyglot::lines(&bytes, &place, reading)?;
            Ok(Content { drawn: Some(drawn), ..Content::whole(openings, Skipped::default()) })
        }
        Some(Format::Positions) => positions(&bytes, &place, reading),
        None => Err(unknown(&place)),
    }
}

/// Whether a file is one in UTF-16, by its first bytes.
fn is_utf16(path: &Path) -> Result<bool, BookError> {
    let failed = |error: io::Error| BookError::new(path.display().to_string(), error.to_string());
    let mut first = Vec::new();
    File::open(path).map_err(failed)?.take(2).read_to_end(&mut first).map_err(failed)?;
    Ok(text::is_utf16(&first))
}

/// A file's name in lower case, without its folders.
fn lower_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Whether a file of this name is not packed.
fn is_plain(name: &str) -> bool {
    !(name.ends_with(".gz") || name.ends_with(".zip"))
}

/// What the end of a file's name says that it holds.
fn format_of(name: &str) -> Option<Format> {
    match name.rsplit('.').next().unwrap_or_default() {
        "pgn" => Some(Format::Pgn),
        "bin" => Some(Format::Polyglot),
        "epd" | "fen" | "txt" => Some(Format::Positions),
        _ => None,
    }
}

/// Ends of the names of files that an archive may be packed for.
const PACKED: [&str; 6] = [".epd", ".fen", ".txt", ".pgn", ".bin", ".perft"];

/// Bytes of the largest file that is read whole, unpacked.
const LARGEST: u64 = 2 << 30;

/// All that a reader gives, unless it is more than [`LARGEST`]: a device has no end, and few packed bytes may be many.
fn read_whole(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
    let is_too_large = bytes.len() as u64 > LARGEST;
    if is_too_large { Err(io::Error::other("it holds more than 2 GiB")) } else { Ok(bytes) }
}

/// A file's name without its packing (.gz or .zip), and its contents.
///
/// # Errors
/// It cannot be read or unpacked, is larger than 2 GiB, or an archive holds several such files: they might be meant to
/// be read all.
pub fn unpacked(path: &Path) -> io::Result<(String, Vec<u8>)> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = File::open(path)?;
    let lower = name.to_ascii_lowercase();
    if lower.ends_with(".gz") {
        return Ok((name[..name.len() - ".gz".len()].to_owned(), read_whole(MultiGzDecoder::new(file))?));
    }
    if lower.ends_with(".zip") {
        let mut archive = zip::ZipArchive::new(file).map_err(io::Error::other)?;
        let is_wanted = |entry: &&str| {
            // What a Mac packs beside each file has the file's name.
            let own = !entry.split('/').any(|part| part == "__MACOSX" || part.starts_with("._"));
            own && PACKED.iter().any(|end| entry.to_ascii_lowercase().ends_with(end))
        };
        let found: Vec<String> = archive.file_names().filter(is_wanted).map(str::to_owned).collect();
        let wanted = match &found[..] {
            [one] => one,
            [] => return Err(io::Error::other(format!("the archive holds no {}", PACKED.join(" or ")))),
            _ => {
                let why = format!("the archive holds several files: {}; give it one only", found.join(", "));
                return Err(io::Error::other(why));
            }
        };
        let entry = archive.by_name(wanted).map_err(io::Error::other)?;
        return Ok((entry.name().to_owned(), read_whole(entry)?));
    }
    Ok((name, read_whole(file)?))
}

fn positions(bytes: &[u8], place: &str, reading: Reading) -> Result<Content, BookError> {
    let (mut openings, mut skipped) = (Vec::new(), Skipped::default());
    for (number, line) in text::lines(&text::decode(bytes)) {
        match opening(line, reading) {
            Ok(opening) => openings.push(opening),
            Err(why) => {
                let error = BookError::new(format!("{place}, line {number}"), why);
                if !reading.skip_bad {
                    return Err(error);
                }
                skipped.add(|| error);
            }
        }
    }
    Ok(Content::whole(openings, skipped))
}

/// The opening that a line of FEN or EPD is, or what is wrong with it.
pub(super) fn opening(line: &str, reading: Reading) -> Result<Opening, String> {
    position(line, reading).map(Opening::from_position)
}

/// The position of a line of FEN or EPD, or what is wrong with it. A game cannot begin where it is over.
pub(super) fn position(line: &str, reading: Reading) -> Result<Position, String> {
    let epd = epd::Epd::read(line, reading.chess960).map_err(|error| error.to_string())?;
    let position = match reading.counters {
        Counters::Anywhere => with_counters(line, epd, reading.chess960)?,
        Counters::Operations => with_operations(&epd)?,
    };
    match Game::new(position.clone()).outcome() {
        None => Ok(position),
        Some(Outcome::Checkmate { .. } | Outcome::Stalemate) => {
            Err("the game is over in this position".to_owned())
        }
        Some(Outcome::InsufficientMaterial) => {
            Err("the game is drawn in this position: neither side has the material to mate".to_owned())
        }
        Some(Outcome::FiftyMoves | Outcome::Repetition) => Err(format!(
            "the game is drawn in this position: its half-move clock is {}",
            position.halfmove_clock()
        )),
    }
}

/// The standard's operations, beside `c0` to `c9` and `v0` to `v9`.
const OPERATIONS: [&str; 25] = [
    "acd",
    "acn",
    "acs",
    "am",
    "bm",
    "ce",
    "dm",
    "draw_accept",
    "draw_claim",
    "draw_offer",
    "draw_reject",
    "eco",
    "fmvn",
    "hmvc",
    "id",
    "nic",
    "noop",
    "pm",
    "pv",
    "rc",
    "resign",
    "sm",
    "tcgs",
    "tcri",
    "tcsi",
];

/// Whether a word names an operation of the standard, or one of a perft suite (`D1`).
fn is_operation(word: &str) -> bool {
    let numbered = word.strip_prefix(['c', 'v', 'D']).is_some_and(|number| number.parse::<u32>().is_ok());
    numbered || OPERATIONS.contains(&word)
}

/// The position with the counters that stand behind its four fields. Readers of suites take a word for an operation
/// that begins with a letter; here a game is to begin, and a counter that cannot be read is an error.
fn with_counters(line: &str, epd: epd::Epd, chess960: bool) -> Result<Position, String> {
    let fields: Vec<&str> = line.split(';').next().unwrap_or_default().split_whitespace().collect();
    let [_, _, _, passed, first, second] = fields[..] else { return Ok(epd.position) };
    let is_text = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"');
    // Two words of which one can only be a counter: the other is one as well (`5 x`, `x 1`), unless a semicolon ends
    // them, as an operation of a program's own (`eval 35;`).
    let are_counters = !is_text(first) || !is_text(second) && !is_operation(first) && !line.contains(';');
    // In some files the first counter has run into an absent en passant square (`w - -1 12`).
    let glued = passed.len() > 1 && passed.starts_with('-');
    let given = |code: &str| epd.ops.iter().any(|(known, _)| known == code);
    if !are_counters || glued || given("hmvc") || given("fmvn") {
        return Ok(epd.position);
    }
    Position::read_fen(&fields.join(" "), chess960).map_err(|error| error.to_string())
}

/// The position with the counters that its operations give, and none otherwise.
fn with_operations(epd: &epd::Epd) -> Result<Position, String> {
    let operand = |code: &str| epd.ops.iter().find(|(known, _)| known == code).map(|(_, value)| value);
    let fen = epd.position.fen();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let halfmoves = operand("hmvc").map_or("0", String::as_str);
    let fullmoves = operand("fmvn").map_or("1", String::as_str);
    Position::from_fen(&format!("{} {halfmoves} {fullmoves}", fields.join(" ")))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::Book;
    use super::*;

    const READING: Reading = Reading { wanted: 4, ..Reading::WHOLE };
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

    fn zipped(files: &[&str]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for file in files {
            zip.start_file(*file, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(EPD.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// A file with an unknown extension is refused before it is read.
    #[cfg(unix)]
    #[test]
    fn what_has_no_known_name_is_not_read() {
        let error = book(Path::new("/dev/zero"), READING).err().expect("it is refused").to_string();
        assert!(error.contains("should end in .epd"), "{error}");
        let error = games(Path::new("/dev/zero"), READING).err().expect("it is refused").to_string();
        assert!(error.contains("should end in .pgn"), "{error}");
    }

    #[test]
    fn an_archive_of_several_files_is_refused() {
        let (_dir, path) = file("book.ZIP", &zipped(&["b/one.epd", "two.EPD"]));
        let error = unpacked(&path).unwrap_err().to_string();
        assert!(error.contains("several files: ") && error.contains("two.EPD"), "{error}");
        let (_dir, path) =
            file("book.zip", &zipped(&["__MACOSX/._one.epd", "b/._one.epd", "b/one.epd", "x.md"]));
        assert_eq!(unpacked(&path).unwrap(), ("b/one.epd".to_owned(), EPD.as_bytes().to_vec()));
        let (_dir, path) = file("book.zip", &zipped(&["x.md"]));
        assert!(unpacked(&path).unwrap_err().to_string().contains("holds no .epd"));
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(EPD.as_bytes()).unwrap();
        let (_dir, path) = file("book.epd.GZ", &gz.finish().unwrap());
        assert_eq!(unpacked(&path).unwrap(), ("book.epd".to_owned(), EPD.as_bytes().to_vec()));
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
        assert_eq!(read(&plain).digest().unwrap(), read(&gzipped).digest().unwrap());
        assert_eq!(read(&plain).digest().unwrap(), read(&zipped).digest().unwrap());
    }

    /// The same positions, whatever wrote the file.
    #[test]
    fn epd_in_every_dress_is_the_same() {
        let plain = EPD.replace("\"a\"", "\"M\u{fc}ller\"");
        let latin: Vec<u8> = plain.chars().map(|c| c as u8).collect();
        let marked = [b"\xef\xbb\xbf", plain.replace("# openings\n", "").as_bytes()].concat();
        let everywhere = plain.replace('\n', "\n\u{feff}").into_bytes();
        let digest = |bytes: &[u8]| {
            let (_dir, path) = file("book.epd", bytes);
            Book::from_file(&path, READING).unwrap().digest().unwrap()
        };
        let ended = |end: &str| plain.replace('\n', end).into_bytes();
        let dos = ended("\r\n\x1a");
        for bytes in [ended("\r\n"), ended("\r"), latin, marked, everywhere, dos] {
            assert_eq!(digest(&bytes), digest(plain.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    /// However large it is, and in whichever order its bytes are.
    #[test]
    fn a_large_file_in_utf16_is_the_same() {
        let long = format!("# {}\n{EPD}", "x".repeat((LARGE / 2) as usize));
        let units = |mark: [u8; 2], of: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(long.encode_utf16().flat_map(of)).collect()
        };
        let (_dir, plain) = file("book.epd", EPD.as_bytes());
        let wanted = Book::from_file(&plain, READING).unwrap();
        for bytes in [units([0xff, 0xfe], u16::to_le_bytes), units([0xfe, 0xff], u16::to_be_bytes)] {
            assert!(bytes.len() as u64 > LARGE);
            let (_dir, path) = file("book.epd", &bytes);
            let book = Book::from_file(&path, READING).unwrap();
            assert_eq!((book.len(), book.digest().unwrap()), (2, wanted.digest().unwrap()));
        }
    }

    #[test]
    fn pgn_main_lines_and_plies() {
        let (_dir, path) = file("book.pgn", PGN.as_bytes());
        let book = Book::from_file(&path, READING).unwrap();
        assert_eq!(book.opening(0).unwrap().moves.len(), 4);
        assert_eq!(book.opening(1).unwrap().fen.as_deref(), Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
        let short = Book::from_file(&path, Reading { plies: Some(1), ..READING }).unwrap();
        assert_eq!((short.opening(0).unwrap().moves.len(), short.opening(1).unwrap().moves.len()), (1, 1));
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
            (
                "book.fen",
                "4k3/8/8/8/8/8/8/4KB2 w - - 0 1\n",
                "line 1: the game is drawn in this position: neither",
            ),
            (
                "book.fen",
                "4k3/8/8/8/8/8/8/4K2R w K - 100 70\n",
                "line 1: the game is drawn in this position: its half",
            ),
            ("book.epd", "4k3/8/8/8/8/8/8/4K2R w K - hmvc 120;\n", "its half-move clock is 120"),
            ("book.pgn", "1. e4 e5 *\n\n1. e4 Ke7 *\n", "book.pgn, line 3, game 2: ply 2: "),
            ("book.xyz", "", "should end in .epd"),
            ("book.epd", "\n", "no opening"),
        ] {
            let (_dir, path) = file(name, text.as_bytes());
            let message = Book::from_file(&path, READING).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
        let refused = Book::from_file(Path::new("/no/such/book.epd"), Reading { skip_bad: true, ..READING });
        assert!(refused.is_err(), "a file that is not there is no bad line");
        let missing = Book::from_file(Path::new("/no/such/book.epd"), READING).unwrap_err().to_string();
        assert!(missing.contains("/no/such/book.epd") && missing.contains("No such file"), "{missing}");
    }

    /// Bad openings are left out only where that is wanted, and each is named.
    #[test]
    fn bad_openings_are_counted_and_named() {
        let epd = format!("{EPD}nonsense\n7k/5Q2/6K1/8/8/8/8/8 b - -\n");
        let pgn = format!("{PGN}1. e4 Ke7 *\n\n1. d4 *\n");
        let lenient = Reading { skip_bad: true, ..READING };
        for (name, text, kept, places) in
            [("book.epd", &epd, 2, vec!["line 5", "line 6"]), ("book.pgn", &pgn, 3, vec!["line 8, game 3"])]
        {
            let (_dir, path) = file(name, text.as_bytes());
            assert!(Book::from_file(&path, READING).is_err());
            let book = Book::from_file(&path, lenient).unwrap();
            let found: Vec<&str> = book.skipped().named().iter().map(|bad| bad.place.as_str()).collect();
            assert_eq!((book.len(), found.len()), (kept, places.len()), "{found:?}");
            assert!(found.iter().zip(&places).all(|(place, says)| place.ends_with(says)), "{found:?}");
        }
        let (_dir, path) = file("book.epd", b"x\ny\n");
        let message = Book::from_file(&path, lenient).unwrap_err().to_string();
        assert!(message.contains("none of its 2 openings") && message.contains("line 1"), "{message}");
    }

    #[test]
    fn counters_are_believed_where_they_should_be() {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 3 7";
        let epd = "rnbqkbnr/pppp1ppp/8/4p3/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - hmvc 2; fmvn 9;";
        let read = |line, counters| opening(line, Reading { counters, ..READING }).unwrap().fen.unwrap();
        assert!(read(fen, Counters::Anywhere).ends_with(" 3 7"));
        assert!(read(fen, Counters::Operations).ends_with(" 0 1"));
        assert!(read(epd, Counters::Operations).ends_with(" 2 9"));
    }

    /// A counter that cannot be read would be another game: 50 moves are counted from it.
    #[test]
    fn counters_that_are_none_are_refused() {
        let position = "4k3/8/8/8/8/8/8/4K2R w K -";
        for (counters, says) in [
            ("-1 1", "half-move clock"),
            ("x 1", "half-move clock"),
            ("5 -3", "move number"),
            ("5 x", "move number"),
            ("0 1.5", "move number"),
            ("99999 1", "half-move clock"),
            ("-1 1 bm Kd1;", "half-move clock"),
            ("5 -3; id \"a\";", "move number"),
            ("bm Kd1; 5 7;", "`5` is neither a counter nor an operation"),
            ("hmvc; fmvn 9;", "half-move clock"),
            ("hmvc 3; fmvn;", "move number"),
        ] {
            let error = position_of(&format!("{position} {counters}"));
            assert!(error.as_ref().is_err_and(|error| error.contains(says)), "{counters}: {error:?}");
        }
        let reading = Reading { counters: Counters::Operations, ..READING };
        let in_operations = super::position(&format!("{position} hmvc; fmvn 9;"), reading);
        assert!(in_operations.is_err_and(|error| error.contains("half-move clock")));
        for (counters, fen) in [
            ("", "0 1"),
            ("7 9", "7 9"),
            ("7", "7 1"),
            ("- 9", "0 9"),
            ("7 9 bm Kd1;", "7 9"),
            ("7 9; id \"x\";", "7 9"),
            ("7 9;id \"x\";", "7 9"),
            ("7;bm\tKd1", "7 1"),
            ("bm Kd1; id \"4\";", "0 1"),
            ("acd 12", "0 1"),
            ("eval 35; id \"a\";", "0 1"),
            ("eval -35;", "0 1"),
            ("x 1; hmvc 3; fmvn 8;", "3 8"),
            ("ce 12; D1 5", "0 1"),
            ("id \"e001\";", "0 1"),
            ("id 7;", "0 1"),
            ("c9 \"1-0\";", "0 1"),
            ("name \"e001\";", "0 1"),
            ("bm 0-0;", "0 1"),
            ("hmvc 3; fmvn 8;", "3 8"),
        ] {
            let read = position_of(&format!("{position} {counters}")).unwrap();
            assert!(read.ends_with(&format!(" {fen}")), "{counters}: {read}");
        }
        let glued = position_of("4k3/8/8/8/8/8/8/4K2R w K -3 12").unwrap();
        assert!(glued.ends_with(" 3 12"), "{glued}");
    }

    fn position_of(line: &str) -> Result<String, String> {
        position(line, READING).map(|position| position.fen().to_string())
    }

    /// Without a word for it, the rook from a1 has moved and its right is stale.
    #[test]
    fn a_book_is_known_to_be_of_chess960() {
        let line = "r3k2r/8/8/8/8/8/8/1R2K2R w KQkq - 3 9";
        for counters in [Counters::Anywhere, Counters::Operations] {
            let fens = [false, true].map(|chess960| {
                let opening = opening(line, Reading { counters, chess960, ..READING }).unwrap();
                (opening.start.is_chess960(), opening.fen.unwrap().split(' ').nth(2).unwrap().to_owned())
            });
            assert_eq!(fens, [(false, "Kkq".to_owned()), (true, "HBha".to_owned())], "{counters:?}");
        }
    }

    /// The name of a file need not say what it holds.
    #[test]
    fn a_format_can_be_given() {
        let (_dir, path) = file("book.lines", EPD.as_bytes());
        assert!(Book::from_file(&path, READING).is_err());
        let reading = Reading { format: Some(Format::Positions), ..READING };
        assert_eq!(Book::from_file(&path, reading).unwrap().len(), 2);
    }
}
