//! Finished games, read from journals and PGN files one after the other, without engines and without keeping
//! them.
//!
//! A journal may be growing: its whole lines are read, and a last line that is not complete is left alone.
//! The moves of a game borrow from the line they stand in, so that what a reader keeps is its own choice.

mod comment;
mod copies;
mod journal;
mod pgn;

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use chess::{FenError, Position, text};
use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;
use serde_json::Value;

pub use copies::Copies;

use crate::identity::Identity;
use crate::journal::{JournalError, Run, check_file};
use crate::record::{Ending, GameRecord, MoveRecord, Played, Score, end_ms};

/// One move. The short names are those of the journal.
#[derive(Debug, Clone, Deserialize)]
pub struct Ply<'a> {
    /// Standard algebraic notation.
    #[serde(rename = "s", borrow)]
    pub san: Cow<'a, str>,
    /// Coordinates; empty where they are not written down.
    #[serde(rename = "m", borrow)]
    pub uci: Cow<'a, str>,
    /// Milliseconds it took; none for a book move, and where PGN does not say it.
    #[serde(rename = "t", default)]
    pub ms: Option<u64>,
    /// Microseconds beyond them, 0..=999; none where milliseconds are all that is known.
    #[serde(rename = "u", default)]
    pub us: Option<u32>,
    /// Milliseconds left on the mover's clock after it.
    #[serde(rename = "c", default)]
    pub clock_ms: Option<u64>,
    /// The mover's evaluation in centipawns (a mate: 100,000 less its distance).
    #[serde(rename = "e", default)]
    pub score: Option<i32>,
    /// Depth reached.
    #[serde(rename = "d", default)]
    pub depth: Option<u32>,
    /// Nodes searched.
    #[serde(rename = "n", default)]
    pub nodes: Option<u64>,
}

impl Ply<'_> {
    /// Whether anything is known of a search for it: of a book move nothing is.
    #[must_use]
    pub fn is_searched(&self) -> bool {
        self.ms.is_some() || self.depth.is_some() || self.score.is_some() || self.nodes.is_some()
    }
}

/// A finished game.
#[derive(Debug, Clone, Deserialize)]
pub struct Game<'a> {
    /// Its number in its file, from 0.
    pub id: usize,
    /// The pair of games it belongs to.
    pub encounter: usize,
    /// The number of its round, from 1; none of PGN.
    #[serde(rename = "round", default)]
    pub in_round: Option<usize>,
    /// The number of its opening; none of PGN.
    #[serde(rename = "opening", default)]
    pub of_opening: Option<usize>,
    /// White's number in the field.
    pub white: usize,
    /// Black's number in the field.
    pub black: usize,
    /// The start position, if it is not the usual one.
    #[serde(default)]
    pub fen: Option<String>,
    /// Chess960 rules and notation.
    #[serde(default)]
    pub chess960: bool,
    /// How many of the moves are the opening.
    #[serde(skip)]
    pub opening_plies: usize,
    /// The moves, those of the opening first.
    #[serde(borrow)]
    pub moves: Vec<Ply<'a>>,
    /// The result.
    pub result: Score,
    /// How it came about, in a word.
    pub ending: Ending,
    /// How it came about, in a sentence.
    #[serde(borrow)]
    pub reason: Cow<'a, str>,
    /// Milliseconds of processor time that the programs of White and of Black used, where that is known.
    #[serde(rename = "cpu", default)]
    pub cpu_ms: Option<[u64; 2]>,
    /// Whether White and Black play by an hourglass, where that is known: it gains by the other's time.
    #[serde(skip)]
    pub hourglass: [bool; 2],
    /// Whether White and Black ponder, where that is known: their nodes are not all of the time on their clocks.
    #[serde(skip)]
    pub ponders: [bool; 2],
    /// Its date as PGN writes it, `2026.11.27`; empty if that is not known or of a journal.
    #[serde(skip)]
    pub date: String,
    /// Its round as PGN writes it; empty if that is not known or of a journal.
    #[serde(skip)]
    pub round: String,
    /// Unix time of its beginning in milliseconds; 0 if that is not known.
    pub started_ms: u64,
    /// Unix time of its end in milliseconds, where a journal has it.
    #[serde(default)]
    pub ended_ms: Option<u64>,
    /// Milliseconds from the first clock's start to the last one's stop.
    pub wall_ms: u64,
    /// Which of the programs that a journal names played it.
    #[serde(default)]
    pub engines: usize,
}

impl Game<'_> {
    /// What standings need to know of it.
    #[must_use]
    pub fn played(&self) -> Played {
        let Self { encounter, white, black, result, ending, .. } = *self;
        Played { encounter, white, black, result, ending }
    }

    /// Unix time of its end in milliseconds, if that of its beginning is known.
    #[must_use]
    pub fn end_ms(&self) -> u64 {
        end_ms(self.started_ms, self.wall_ms, self.ended_ms)
    }

    /// Its start position.
    ///
    /// # Errors
    /// The FEN is none.
    pub fn start(&self) -> Result<Position, FenError> {
        let Some(fen) = self.fen.as_deref() else { return Ok(Position::startpos()) };
        Position::read_fen(fen, self.chess960)
    }

    /// The moves of the opening.
    #[must_use]
    pub fn opening(&self) -> &[Ply<'_>] {
        self.moves.get(..self.opening_plies).unwrap_or_default()
    }

    /// Whether White is to move first.
    #[must_use]
    pub fn white_first(&self) -> bool {
        self.fen.as_deref().and_then(|fen| fen.split_whitespace().nth(1)) != Some("b")
    }
}

/// Moves before the first that was searched.
fn book_plies(moves: &[Ply<'_>]) -> usize {
    moves.iter().take_while(|ply| !ply.is_searched()).count()
}

impl<'a> From<&'a MoveRecord> for Ply<'a> {
    fn from(mv: &'a MoveRecord) -> Self {
        Self {
            san: Cow::Borrowed(&mv.san),
            uci: Cow::Borrowed(&mv.uci),
            ms: mv.ms,
            us: mv.us,
            clock_ms: mv.clock_ms,
            score: mv.score,
            depth: mv.depth,
            nodes: mv.nodes,
        }
    }
}

impl<'a> From<&'a GameRecord> for Game<'a> {
    fn from(game: &'a GameRecord) -> Self {
        let moves: Vec<Ply<'_>> = game.moves.iter().map(Ply::from).collect();
        Self {
            id: game.id,
            encounter: game.encounter,
            in_round: Some(game.round),
            of_opening: Some(game.opening),
            white: game.white,
            black: game.black,
            fen: game.fen.clone(),
            chess960: game.chess960,
            opening_plies: book_plies(&moves),
            moves,
            result: game.result,
            ending: game.ending,
            reason: Cow::Borrowed(&game.reason),
            cpu_ms: game.cpu_ms,
            hourglass: [false; 2],
            ponders: [false; 2],
            date: String::new(),
            round: String::new(),
            started_ms: game.started_ms,
            ended_ms: game.ended_ms,
            wall_ms: game.wall_ms,
            engines: game.engines,
        }
    }
}

/// Takes what a file holds, in its order.
pub trait Collector {
    /// A journal begins: what describes its tournament, its players and their programs.
    fn tournament(&mut self, _description: &Value, _players: &[String], _engines: &[Identity]) {}

    /// Other programs play from here on.
    fn engines(&mut self, _engines: &[Identity]) {}

    /// A run of the tournament begins.
    fn run(&mut self, _run: &Run) {}

    /// A game, the names of White and Black with it.
    fn game(&mut self, names: [&str; 2], game: &Game<'_>);

    /// A game of PGN that cannot be read.
    ///
    /// # Errors
    /// It is not to be left out: the file cannot be read, for this reason.
    fn bad(&mut self, game: ArchiveError) -> Result<(), ArchiveError> {
        Err(game)
    }
}

/// What kind of file it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A journal.
    Journal,
    /// Games as PGN.
    Pgn,
}

/// What was found in a file, besides its games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Games handed on.
    pub games: u64,
    /// Lines that stood there twice, and games of PGN without a result, of another variant or that cannot be read.
    pub left_out: u64,
    /// Of these, games of another variant than chess and Chess960.
    pub variants: u64,
    /// Of these, games that cannot be read.
    pub bad: u64,
    /// Its last line, or the last game of PGN, is not complete: it is being written, or was torn by a kill.
    pub torn: bool,
}

impl Found {
    /// Of a file of which nothing has been read.
    fn nothing(path: &Path, kind: Kind) -> Self {
        Self { path: path.to_owned(), kind, games: 0, left_out: 0, variants: 0, bad: 0, torn: false }
    }
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// As a journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// As PGN.
    #[error("{path}, game {game}: {why}")]
    Pgn {
        /// The file.
        path: PathBuf,
        /// The game, from 1.
        game: u64,
        /// What is wrong with it.
        why: String,
    },
    /// At all.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

/// Bytes read at once.
const BUFFER: usize = 1 << 17;

/// The first bytes of what gzip has packed (RFC 1952, 2.3.1).
const PACKED: [u8; 2] = [0x1f, 0x8b];

/// Reads a journal or a PGN file, also packed with gzip. A file that begins with `{` is taken for a journal.
/// A file in UTF-16 is held in memory.
///
/// # Errors
/// It cannot be read, or is neither.
pub fn read(path: &Path, collector: &mut dyn Collector) -> Result<Found, ArchiveError> {
    let failed = |error: std::io::Error| ArchiveError::File { path: path.to_owned(), why: error.to_string() };
    let mut input = open(path)?;
    if text::is_utf16(input.fill_buf().map_err(failed)?) {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(failed)?;
        input = Box::new(Cursor::new(text::decode(&bytes).into_owned()));
    }
    let first = input.fill_buf().map_err(failed)?.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        Some(b'{') => Ok(journal::read(path, input, collector)?),
        Some(_) => pgn::read(path, input, collector),
        None => Err(ArchiveError::File { path: path.to_owned(), why: "holds no games".to_owned() }),
    }
}

/// Opens a file of games, also one packed with gzip, whatever its name.
///
/// # Errors
/// It cannot be opened.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, ArchiveError> {
    check_file(path)?;
    let failed = |error: std::io::Error| ArchiveError::File { path: path.to_owned(), why: error.to_string() };
    let mut file = BufReader::with_capacity(BUFFER, File::open(path).map_err(failed)?);
    if file.fill_buf().map_err(failed)?.starts_with(&PACKED) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(file))));
    }
    Ok(Box::new(file))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// Their first bytes say which is packed, and their names nothing.
    #[test]
    fn a_packed_file_is_known_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n";
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        let packed = packer.finish().unwrap();
        let (plain, packed) = (text.as_bytes(), packed.as_slice());
        for (name, bytes, holds) in [
            ("plain.gz", plain, plain),
            ("plain", plain, plain),
            ("packed.pgn", packed, plain),
            ("packed.gz", packed, plain),
            ("empty.gz", b"".as_slice(), b"".as_slice()),
            ("one byte", &PACKED[..1], &PACKED[..1]),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut read = Vec::new();
            open(&path).unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, holds, "{name}");
        }
    }
}
