//! Openings: where games begin.
//!
//! A [`Book`] is a list of openings in a fixed order; the schedule decides which game uses which number, so
//! that both games of a pair and all pairings of a round share one. When more openings are asked for than
//! there are, the list begins again. Sources: EPD and FEN lines, PGN, Polyglot books, each plain, gzipped or
//! zipped, and a small set of our own.
//!
//! A book in memory takes some 400 bytes an opening. Of a large file of positions only the offsets of its
//! lines are kept, and a line is read when a game begins with it.

mod lines;
mod pgn;
pub mod polyglot;
mod read;
mod shuffle;
mod skipped;

pub use read::unpacked;
pub use shuffle::{CutechessTwister, Order};
pub use skipped::Skipped;

use std::borrow::Cow;
use std::path::Path;

use chess::chess960::STARTS;
use chess::{Game, Move, Position};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use lines::Lines;
use polyglot::Drawn;

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

/// The start position in which White and Black have these numbers of Chess960.
fn chess960_start(white: usize, black: usize) -> Result<Opening, BookError> {
    let start = Position::chess960(white, black);
    let start = start.ok_or_else(|| {
        BookError::new(format!("Chess960 positions {white} and {black}"), "there are 960 of them")
    })?;
    Ok(Opening::from_position(start))
}

/// A list of openings.
#[derive(Debug, Clone)]
pub struct Book {
    store: Store,
    /// Which opening of the store is used as the first, the second and so on.
    order: Vec<u32>,
    source: String,
    skipped: Skipped,
    /// What decides the openings, where they are drawn.
    drawn: Option<Drawn>,
}

/// Where a book's openings are kept.
#[derive(Debug, Clone)]
enum Store {
    /// In memory.
    Whole(Vec<Opening>),
    /// In a file, by the offsets of its lines.
    Lines(Lines),
    /// Nowhere: every pair of start positions of Chess960 has a number.
    DoubleChess960,
}

impl Store {
    fn len(&self) -> usize {
        match self {
            Self::Whole(openings) => openings.len(),
            Self::Lines(lines) => lines.len(),
            Self::DoubleChess960 => STARTS * STARTS,
        }
    }

    fn opening(&self, index: usize) -> Result<Cow<'_, Opening>, BookError> {
        match self {
            Self::Whole(openings) => Ok(Cow::Borrowed(&openings[index])),
            Self::Lines(lines) => lines.opening(index).map(Cow::Owned),
            Self::DoubleChess960 => chess960_start(index / STARTS, index % STARTS).map(Cow::Owned),
        }
    }
}

/// Why a book, or one opening of it, cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
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
    /// Moves by both sides to take from a PGN game or a Polyglot book; all of a game, [`polyglot::PLIES`] of a book
    /// if not given.
    pub plies: Option<usize>,
    /// How many openings the tournament needs: how many lines are drawn from a Polyglot book, and how many of
    /// a large file are checked ([`Book::check`]).
    pub wanted: usize,
    /// Whether a PGN game's moves are taken to its very end. No game can begin where it is over, so that
    /// otherwise they are taken up to the move that ends it; a book of moves can be made of all.
    pub ended: bool,
    /// Whether openings that cannot be used are left out ([`Book::skipped`] names them) instead of refusing
    /// the book.
    pub skip_bad: bool,
    /// What the file holds, where its name does not say so.
    pub format: Option<Format>,
    /// Which counters of a position's line are believed.
    pub counters: Counters,
    /// Whether its positions are known to be of Chess960 ([`Position::read_fen`]).
    pub chess960: bool,
}

/// What a book file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines of FEN or EPD.
    Positions,
    /// Games.
    Pgn,
    /// A Polyglot book.
    Polyglot,
}

/// Where a line of positions has the half-move clock and the move number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counters {
    /// In the operations `hmvc` and `fmvn`, or else in the fifth and sixth field of a FEN.
    #[default]
    Anywhere,
    /// In the operations only, as cutechess-cli has it: a FEN's own numbers count as 0 and 1.
    Operations,
}

impl Reading {
    /// A whole book in its own order, refused if anything in it is bad.
    pub const WHOLE: Self = Self {
        order: Order::Sequential,
        start: 1,
        plies: None,
        wanted: 1,
        ended: false,
        skip_bad: false,
        format: None,
        counters: Counters::Anywhere,
        chess960: false,
    };
}

impl Book {
    /// One opening: the start position.
    #[must_use]
    pub fn startpos() -> Self {
        let openings = vec![Opening::from_position(Position::startpos())];
        Self::arranged(Store::Whole(openings), "startpos".to_owned(), Order::Sequential, 1)
    }

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
        Ok(Self::arranged(Store::Whole(openings), "embedded".to_owned(), order, start))
    }

    /// The start positions of Chess960, all 960 of them, shuffled by the seed.
    ///
    /// # Errors
    /// Never for positions that are legal; the tests see to that.
    pub fn chess960(seed: u64, start: usize) -> Result<Self, BookError> {
        let openings =
            (0..STARTS).map(|number| chess960_start(number, number)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::arranged(Store::Whole(openings), "Chess960".to_owned(), Order::Random(seed), start))
    }

    /// The start positions of double Chess960, in which White and Black have positions of their own: all
    /// 921,600 of them, shuffled by the seed.
    #[must_use]
    pub fn double_chess960(seed: u64, start: usize) -> Self {
        Self::arranged(Store::DoubleChess960, "double Chess960".to_owned(), Order::Random(seed), start)
    }

    /// Reads a file of games.
    ///
    /// # Errors
    /// As [`Self::from_file`], and for a file of another kind.
    pub fn of_games(path: &Path, reading: Reading) -> Result<Self, BookError> {
        Self::of_content(read::games(path, reading)?, path, reading)
    }

    /// Reads a book file.
    ///
    /// # Errors
    /// The file cannot be read, or a line in it is broken; the message says which.
    pub fn from_file(path: &Path, reading: Reading) -> Result<Self, BookError> {
        Self::of_content(read::book(path, reading)?, path, reading)
    }

    fn of_content(content: read::Content, path: &Path, reading: Reading) -> Result<Self, BookError> {
        let source = path.display().to_string();
        if content.store.len() == 0 {
            let all = content.skipped.count();
            let why = match content.skipped.named().first() {
                Some(first) => {
                    format!("none of its {all} openings can be used; {}: {}", first.place, first.why)
                }
                None => "there is no opening in it".to_owned(),
            };
            return Err(BookError::new(source, why));
        }
        if u32::try_from(content.store.len()).is_err() {
            return Err(BookError::new(source, "there are more than four thousand million openings in it"));
        }
        let mut book = if content.drawn.is_some() {
            Self::of_drawn(content.store, source, reading.start)
        } else {
            Self::arranged(content.store, source, reading.order, reading.start)
        };
        (book.skipped, book.drawn) = (content.skipped, content.drawn);
        book.check(reading.wanted)?;
        Ok(book)
    }

    /// Lines in the order in which they were drawn.
    fn of_drawn(store: Store, source: String, start: usize) -> Self {
        Self::arranged(store, source, Order::Sequential, start)
    }

    fn arranged(store: Store, source: String, order: Order, start: usize) -> Self {
        let mut order = order.of(store.len());
        let first = start.saturating_sub(1) % order.len().max(1);
        order.rotate_left(first);
        Self { store, order, source, skipped: Skipped::default(), drawn: None }
    }

    /// Checks the first openings of a large file, so that a bad one is named before a game is to begin with
    /// it. Those of other books have been checked when they were read.
    ///
    /// # Errors
    /// An opening that cannot be used.
    pub fn check(&mut self, wanted: usize) -> Result<(), BookError> {
        let Store::Lines(lines) = &mut self.store else { return Ok(()) };
        lines.check(self.order.iter().take(wanted).map(|&index| index as usize))
    }

    /// The opening with this number; the list begins again after its end.
    ///
    /// # Errors
    /// A large book's file cannot be read any more, or was changed.
    pub fn opening(&self, number: usize) -> Result<Cow<'_, Opening>, BookError> {
        let index = self.order[number % self.order.len()];
        self.store.opening(index as usize)
    }

    /// The book of this opening alone.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn only(&self, number: usize) -> Result<Self, BookError> {
        let openings = vec![self.opening(number)?.into_owned()];
        Ok(Self::arranged(Store::Whole(openings), self.source.clone(), Order::Sequential, 1))
    }

    /// Does any of them begin in a position of Chess960?
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        match &self.store {
            Store::Whole(openings) => openings.iter().any(|opening| opening.start.is_chess960()),
            Store::Lines(lines) => lines.is_chess960(),
            Store::DoubleChess960 => true,
        }
    }

    /// What was left out of it because it cannot be used.
    #[must_use]
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// How many there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a book without openings is refused when it is read")]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Where they come from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What makes them these openings and no others in a tournament's description. `begun`: that of the journal which
    /// is to go on, if there is one. Journals of older versions know drawn lines by their number and digest.
    ///
    /// # Errors
    /// As [`Self::opening`]; and where an older version has drawn other lines.
    pub fn description(&self, begun: Option<&Value>) -> Result<Value, BookError> {
        let digest = || Ok(json!({ "count": self.len(), "digest": format!("{:016x}", self.digest()?) }));
        let Some(drawn) = &self.drawn else { return digest() };
        match begun.map(|begun| &begun["openings"]).filter(|openings| openings.get("digest").is_some()) {
            None => Ok(json!({ "polyglot": drawn })),
            Some(openings) if *openings == digest()? => digest(),
            Some(_) => {
                let why = "the journal was begun with other lines of a Polyglot book: older versions drew them in \
                           another order, and for so many rounds only; give another --journal";
                Err(BookError::new(&self.source, why))
            }
        }
    }

    /// A number that changes with any change in the openings or their order: FNV-1a over their texts, or over
    /// the checksum of a large file and the order of its lines.
    ///
    /// # Errors
    /// As [`Self::opening`].
    pub fn digest(&self) -> Result<u64, BookError> {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |text: &str| {
            for byte in text.bytes().chain([b'\n']) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        if let Store::Lines(lines) = &self.store {
            take(&format!("{:08x}", lines.checksum()));
            self.order.iter().for_each(|index| take(&index.to_string()));
            return Ok(hash);
        }
        for number in 0..self.len() {
            let opening = self.opening(number)?;
            take(opening.fen.as_deref().unwrap_or("startpos"));
            opening.moves.iter().for_each(|mv| take(&mv.to_string()));
        }
        Ok(hash)
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
            let opening = book.opening(number).unwrap();
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
        let boards: HashSet<u64> = (0..960).map(|number| book.opening(number).unwrap().start.key()).collect();
        assert_eq!((book.len(), boards.len()), (960, 960));
        assert_eq!(book.digest().unwrap(), Book::chess960(1, 1).unwrap().digest().unwrap());
        assert_ne!(book.digest().unwrap(), Book::chess960(2, 1).unwrap().digest().unwrap());
        assert_eq!(Book::chess960(1, 3).unwrap().opening(0), book.opening(2));
    }

    /// Every pair of back ranks once, each a position of the rules' own set for its side.
    #[test]
    fn double_chess960_has_every_pair_of_start_positions() {
        let book = Book::double_chess960(5, 1);
        assert_eq!((book.len(), book.order.iter().collect::<HashSet<_>>().len()), (921_600, 921_600));
        let single = Book::chess960(1, 1).unwrap();
        let ranks: HashSet<String> = (0..single.len())
            .map(|n| single.opening(n).unwrap().start.fen().split('/').next().unwrap().to_owned())
            .collect();
        let mut different = 0;
        for number in 0..500 {
            let fen = book.opening(number).unwrap().start.shredder_fen();
            let board: Vec<&str> = fen.split(' ').next().unwrap().split('/').collect();
            assert!(ranks.contains(board[0]) && ranks.contains(&board[7].to_lowercase()), "{fen}");
            assert!(fen.split(' ').nth(2).is_some_and(|rights| rights.len() == 4), "{fen}");
            assert!(fen.ends_with(" - 0 1"), "{fen}");
            different += usize::from(board[0] != board[7].to_lowercase());
        }
        assert!(different > 490, "{different}");
        assert_ne!(book.order, Book::double_chess960(6, 1).order);
    }

    /// Drawn lines by what they are drawn from; in a journal of an older version by their digest, if they are those.
    #[test]
    fn what_describes_openings_is_what_they_depend_on() {
        let plain = Book::embedded(Order::Sequential, 1).unwrap();
        let described = plain.description(None).unwrap();
        assert_eq!(
            (&described["count"], described["digest"].as_str().map(str::len)),
            (&json!(115), Some(16))
        );
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.bin");
        let moves = plain.opening(0).unwrap().moves.clone();
        let start = Position::startpos();
        let played = [(start.clone(), moves[0]), (start.after(moves[0]), moves[1])];
        std::fs::write(&path, polyglot::Polyglot::of_moves(played, 1).bytes()).unwrap();
        let of = |wanted, seed| {
            let order = Order::Random(seed);
            Book::from_file(&path, Reading { order, wanted, ..Reading::WHOLE }).unwrap()
        };
        let now = of(3, 7).description(None).unwrap();
        assert_eq!((&now["polyglot"]["seed"], &now["polyglot"]["plies"]), (&json!(7), &json!(12)));
        assert_eq!(of(9, 7).description(Some(&json!({"openings": now}))).unwrap(), now);
        assert_ne!(of(3, 8).description(None).unwrap(), now);
        let old = |digest: u64| json!({"openings": {"count": 1, "digest": format!("{digest:016x}")}});
        let same = old(of(3, 7).digest().unwrap());
        assert_eq!(of(3, 7).description(Some(&same)).unwrap(), same["openings"]);
        let error = of(3, 7).description(Some(&old(5))).unwrap_err().to_string();
        assert!(error.contains("b.bin: the journal was begun with other lines"), "{error}");
    }

    #[test]
    fn order_and_start() {
        let plain = Book::embedded(Order::Sequential, 1).unwrap();
        let third = Book::embedded(Order::Sequential, 3).unwrap();
        assert_eq!(third.opening(0), plain.opening(2));
        assert_eq!(third.opening(plain.len() - 1), plain.opening(1));
        let shuffled = Book::embedded(Order::Random(1), 1).unwrap();
        assert_eq!(
            shuffled.digest().unwrap(),
            Book::embedded(Order::Random(1), 1).unwrap().digest().unwrap()
        );
        assert_ne!(
            shuffled.digest().unwrap(),
            Book::embedded(Order::Random(2), 1).unwrap().digest().unwrap()
        );
        assert_ne!(shuffled.digest().unwrap(), plain.digest().unwrap());
        assert_eq!(Book::embedded(Order::Random(1), 3).unwrap().opening(0), shuffled.opening(2));
    }
}
