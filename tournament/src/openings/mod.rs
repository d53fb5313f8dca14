//! Openings: where games begin.
//!
//! A [`Book`] is a list of openings in a fixed order; the schedule decides which game uses which number, so that both
//! games of a pair and all pairings of a round share one. When more openings are asked for than there are, the list begins
//! again. Sources: EPD and FEN lines, PGN, Polyglot books, each plain, gzipped or zipped, and a small set of our own.

mod chess960;
mod pgn;
pub mod polyglot;
mod read;

pub use read::unpacked;

use std::path::Path;

use chess::{Game, Move, Position};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The lines embedded in the program, one a line, in standard algebraic notation.
const EMBEDDED: &str = include_str!("embedded.txt");

/// A start position and the moves that are made for the players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The start position.
    pub start: Position,
    /// Its FEN as it is told to engines; `None` for the usual start position.
    pub fen: Option<String>,
    /// Moves from there.
    pub moves: Vec<Move>,
}

impl Opening {
    fn from_position(start: Position) -> Self {
        let fen = if start.is_chess960() { start.shredder_fen() } else { start.fen() };
        let fen = Some(fen).filter(|_| start != Position::startpos());
        Self { start, fen, moves: Vec::new() }
    }
}

/// In which order a book's openings are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As they stand in the file.
    Sequential,
    /// Shuffled by the seed.
    Random(u64),
}

/// A list of openings.
#[derive(Debug, Clone)]
pub struct Book {
    openings: Vec<Opening>,
    source: String,
}

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("openings {place}: {why}")]
pub struct BookError {
    /// The file and the line in it; of a PGN file the game, too.
    pub place: String,
    /// What is wrong.
    pub why: String,
}

impl BookError {
    fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self { place: place.into(), why: why.into() }
    }
}

/// How a book file is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The order of use.
    pub order: Order,
    /// The first opening to use, counted from 1 in the order of use.
    pub start: usize,
    /// Moves by both sides to take from a PGN game or a Polyglot book; all of a game, 12 of a book if not given.
    pub plies: Option<usize>,
    /// How many openings the tournament needs: how many lines are drawn from a Polyglot book.
    pub wanted: usize,
    /// Whether a PGN game's moves are taken to its very end. No game can begin where it is over, so that otherwise they are
    /// taken up to the move that ends it; a book of moves can be made of all.
    pub ended: bool,
}

impl Book {
    /// The embedded openings.
    ///
    /// # Errors
    /// Never for the text that is embedded; the tests see to that.
    pub fn embedded(order: Order, start: usize) -> Result<Self, BookError> {
        let mut openings = Vec::new();
        for (index, line) in EMBEDDED.lines().enumerate() {
            let place = || format!("embedded, line {}", index + 1);
            let mut game = Game::default();
            for san in line.split_whitespace() {
                let mv =
                    game.position().parse_san(san).map_err(|e| BookError::new(place(), e.to_string()))?;
                game.play(mv).map_err(|e| BookError::new(place(), e.to_string()))?;
            }
            openings.push(Opening {
                moves: game.moves().to_vec(),
                ..Opening::from_position(Position::startpos())
            });
        }
        Ok(Self { openings, source: "embedded".to_owned() }.arranged(order, start))
    }

    /// The start positions of Chess960, all 960 of them, shuffled by the seed.
    ///
    /// # Errors
    /// Never for positions that are legal; the tests see to that.
    pub fn chess960(seed: u64, start: usize) -> Result<Self, BookError> {
        let opening = |number: u16| {
            let start = chess960::start(number);
            let start =
                start.map_err(|e| BookError::new(format!("Chess960 position {number}"), e.to_string()))?;
            Ok(Opening::from_position(start))
        };
        let openings = (0..chess960::COUNT).map(opening).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { openings, source: "Chess960".to_owned() }.arranged(Order::Random(seed), start))
    }

    /// Reads a file of games.
    ///
    /// # Errors
    /// As [`Self::from_file`], and for a file of another kind.
    pub fn of_games(path: &Path, reading: Reading) -> Result<Self, BookError> {
        Self::of_openings(read::games(path, reading)?, path, reading)
    }

    /// Reads a book file.
    ///
    /// # Errors
    /// The file cannot be read, or a line in it is broken; the message says which.
    pub fn from_file(path: &Path, reading: Reading) -> Result<Self, BookError> {
        Self::of_openings(read::book(path, reading)?, path, reading)
    }

    fn of_openings(openings: Vec<Opening>, path: &Path, reading: Reading) -> Result<Self, BookError> {
        if openings.is_empty() {
            return Err(BookError::new(path.display().to_string(), "there is no opening in it"));
        }
        Ok(Self { openings, source: path.display().to_string() }.arranged(reading.order, reading.start))
    }

    fn arranged(mut self, order: Order, start: usize) -> Self {
        if let Order::Random(seed) = order {
            self.openings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        let first = start.saturating_sub(1) % self.openings.len().max(1);
        self.openings.rotate_left(first);
        self
    }

    /// The opening with this number; the list begins again after its end.
    #[must_use]
    pub fn opening(&self, number: usize) -> &Opening {
        &self.openings[number % self.openings.len()]
    }

    /// The book of this opening alone.
    #[must_use]
    pub fn only(&self, number: usize) -> Self {
        Self { openings: vec![self.opening(number).clone()], source: self.source.clone() }
    }

    /// Does any of them begin in a position of Chess960?
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        self.openings.iter().any(|opening| opening.start.is_chess960())
    }

    /// How many there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a book without openings is refused when it is read")]
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Where they come from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// A number that changes with any change in the openings or their order: FNV-1a over their texts.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |text: &str| {
            for byte in text.bytes().chain([b'\n']) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        for opening in &self.openings {
            take(opening.fen.as_deref().unwrap_or("startpos"));
            opening.moves.iter().for_each(|mv| take(&mv.to_string()));
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn embedded_lines_are_legal_different_and_even() {
        let book = Book::embedded(Order::Sequential, 1).unwrap();
        assert!(book.len() >= 100, "{}", book.len());
        let mut seen = HashSet::new();
        for number in 0..book.len() {
            let opening = book.opening(number);
            let mut game = Game::new(opening.start.clone());
            opening.moves.iter().for_each(|&mv| game.play(mv).unwrap());
            assert!((4..=8).contains(&opening.moves.len()));
            assert!(seen.insert(game.position().key()), "line {} leads to a known position", number + 1);
            assert!(!game.position().in_check() && game.outcome().is_none());
        }
    }

    #[test]
    fn chess960_without_a_book_begins_in_its_start_positions() {
        let book = Book::chess960(1, 1).unwrap();
        let boards: HashSet<u64> = (0..960).map(|number| book.opening(number).start.key()).collect();
        assert_eq!((book.len(), boards.len()), (960, 960));
        assert_eq!(book.digest(), Book::chess960(1, 1).unwrap().digest());
        assert_ne!(book.digest(), Book::chess960(2, 1).unwrap().digest());
        assert_eq!(Book::chess960(1, 3).unwrap().opening(0), book.opening(2));
    }

    #[test]
    fn order_and_start() {
        let plain = Book::embedded(Order::Sequential, 1).unwrap();
        let third = Book::embedded(Order::Sequential, 3).unwrap();
        assert_eq!(third.opening(0), plain.opening(2));
        assert_eq!(third.opening(plain.len() - 1), plain.opening(1));
        let shuffled = Book::embedded(Order::Random(1), 1).unwrap();
        assert_eq!(shuffled.digest(), Book::embedded(Order::Random(1), 1).unwrap().digest());
        assert_ne!(shuffled.digest(), Book::embedded(Order::Random(2), 1).unwrap().digest());
        assert_ne!(shuffled.digest(), plain.digest());
        assert_eq!(Book::embedded(Order::Random(1), 3).unwrap().opening(0), shuffled.opening(2));
    }
}
