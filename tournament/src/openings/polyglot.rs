//! Polyglot books: a sorted table of 16-byte entries, position key to move and weight.
//!
//! A [`Polyglot`] answers what the book has for a position, and is made from moves that were played. A
//! tournament's lines are drawn from it by walking it from the start position and throwing a weighted die at
//! every step. The entry's layout is Michel Langeveld's and Fabien Letouzey's (key, move, weight, learn; big
//! endian); the keys are those shakmaty's [`Zobrist64`] computes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use chess::{CastlingNotation, Game, Move, Position};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position as _};

use super::{BookError, Opening, Order, Reading, unpacked};
use crate::tablebase::{reachable_or_not, setup};

/// Bytes of an entry.
const ENTRY: usize = 16;
/// Plies of a line if nothing is said.
pub const PLIES: usize = 12;
/// After so many lines in a row that it has drawn before, a small book holds no other.
const VAIN: usize = 500;

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    mv: u16,
    weight: u16,
}

/// A book in memory.
#[derive(Debug, Clone, Default)]
pub struct Polyglot {
    /// Sorted by key.
    entries: Vec<Entry>,
}

impl Polyglot {
    /// The book of a file, packed or not, for a player.
    ///
    /// # Errors
    /// It cannot be read, or holds no moves.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let place = path.display().to_string();
        let (_, bytes) = unpacked(path).map_err(|error| BookError::new(&*place, error.to_string()))?;
        let book = Self::read(&bytes, &place)?;
        if book.is_empty() { Err(BookError::new(place, "it is empty")) } else { Ok(book) }
    }

    /// Reads a book; `place` names it in errors.
    ///
    /// # Errors
    /// When the bytes are not a whole number of entries.
    pub fn read(bytes: &[u8], place: &str) -> Result<Self, BookError> {
        if !bytes.len().is_multiple_of(ENTRY) {
            let why = format!(
                "{} bytes are not a whole number of 16-byte entries: not a Polyglot book",
                bytes.len()
            );
            return Err(BookError::new(place, why));
        }
        let mut entries: Vec<Entry> = bytes
            .chunks_exact(ENTRY)
            .map(|chunk| {
                let word = |at: usize| u16::from_be_bytes([chunk[at], chunk[at + 1]]);
                let key = chunk[..8].iter().fold(0, |key, &byte| key << 8 | u64::from(byte));
                Entry { key, mv: word(8), weight: word(10) }
            })
            .collect();
        entries.sort_by_key(|entry| entry.key);
        Ok(Self { entries })
    }

    /// A book of moves that were played, those that were played less often than `least` left out: every move
    /// weighs as much as it was played often.
    pub fn of_moves(played: impl IntoIterator<Item = (Position, Move)>, least: u64) -> Self {
        let mut counts: BTreeMap<(u64, u16), u64> = BTreeMap::new();
        for (position, mv) in played {
            if let (Some(key), Some(mv)) = (key(&position), encode(mv, &position)) {
                *counts.entry((key, mv)).or_default() += 1;
            }
        }
        Self::of_counts(counts.into_iter().filter(|(_, count)| *count >= least).collect())
    }

    /// A weight has 16 bits. Where a position has a count that does not fit, all of its counts are scaled
    /// down alike, so that each move keeps its share; none vanishes.
    fn of_counts(counts: BTreeMap<(u64, u16), u64>) -> Self {
        const MOST: u64 = u16::MAX as u64;
        let mut largest: HashMap<u64, u64> = HashMap::new();
        for (&(key, _), &count) in &counts {
            let most = largest.entry(key).or_insert(MOST);
            *most = count.max(*most);
        }
        let entry = |((key, mv), count): ((u64, u16), u64)| {
            let largest = u128::from(largest[&key]);
            let scaled = (u128::from(count) * u128::from(MOST) + largest / 2) / largest;
            let weight = u16::try_from(scaled).unwrap_or(u16::MAX).max(1);
            Entry { key, mv, weight }
        };
        Self { entries: counts.into_iter().map(entry).collect() }
    }

    /// The book as a file holds it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.entries.len() * ENTRY);
        for entry in &self.entries {
            bytes.extend(entry.key.to_be_bytes());
            bytes.extend(entry.mv.to_be_bytes());
            bytes.extend(entry.weight.to_be_bytes());
            bytes.extend([0; 4]);
        }
        bytes
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is there no entry at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The legal moves the book has for a position, with their weights.
    #[must_use]
    pub fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        let Some(key) = key(position) else { return Vec::new() };
        let first = self.entries.partition_point(|entry| entry.key < key);
        self.entries[first..]
            .iter()
            .take_while(|entry| entry.key == key)
            .filter_map(|entry| Some((decode(entry.mv, position)?, entry.weight)))
            .collect()
    }

    /// One of those moves, each as likely as its weight; `None` where no move has any.
    pub fn draw(&self, position: &Position, rng: &mut impl Rng) -> Option<Move> {
        let here = self.moves(position);
        let total: u32 = here.iter().map(|(_, weight)| u32::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut throw = rng.random_range(0..total);
        let chosen = here.iter().find(|(_, weight)| {
            let hit = throw < u32::from(*weight);
            throw = throw.saturating_sub(u32::from(*weight));
            hit
        });
        chosen.map(|&(mv, _)| mv)
    }
}

/// What decides the lines that are drawn from a book, one after the other: more of them begin with the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Drawn {
    /// The book's content.
    sha256: String,
    seed: u64,
    /// Plies of a line.
    plies: usize,
    /// The first line that is used, from 1.
    start: usize,
}

/// Draws different lines, as many as are wanted behind the first ones that are left out, or as the book holds.
pub(super) fn lines(bytes: &[u8], place: &str, reading: Reading) -> Result<(Vec<Opening>, Drawn), BookError> {
    let book = Polyglot::read(bytes, place)?;
    let seed = match reading.order {
        Order::Random(seed) | Order::Fastchess(seed) => seed,
        Order::Cutechess(seed) => seed.into(),
        Order::Sequential => 0,
    };
    let plies = reading.plies.unwrap_or(PLIES);
    let wanted = reading.wanted.max(1).saturating_add(reading.start.saturating_sub(1));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = HashSet::new();
    let (mut openings, mut vain) = (Vec::new(), 0);
    while openings.len() < wanted && vain < VAIN {
        let moves = walk(&book, plies, &mut rng);
        if !moves.is_empty() && seen.insert(moves.clone()) {
            openings.push(Opening { moves, ..Opening::from_position(Position::startpos()) });
            vain = 0;
        } else {
            vain += 1;
        }
    }
    let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((openings, Drawn { sha256, seed, plies, start: reading.start }))
}

fn walk(book: &Polyglot, plies: usize, rng: &mut ChaCha8Rng) -> Vec<Move> {
    let mut game = Game::default();
    while game.moves().len() < plies && game.outcome().is_none() {
        let Some(mv) = book.draw(game.position(), rng) else { break };
        if game.play(mv).is_err() {
            break;
        }
    }
    if game.outcome().is_some() {
        game.undo();
    }
    game.moves().to_vec()
}

/// The Polyglot key of a position. Its en passant file counts where an enemy pawn stands beside the one that
/// has come two steps, whether it may capture or is pinned.
fn key(position: &Position) -> Option<u64> {
    let setup = setup(position, position.passed_square())?;
    let chess = reachable_or_not(Chess::from_setup(setup, CastlingMode::Chess960)).ok()?;
    let Zobrist64(key) = chess.zobrist_hash(EnPassantMode::PseudoLegal);
    Some(key)
}

/// Letters of the promotion codes 1 to 4.
const PROMOTIONS: [&str; 5] = ["", "n", "b", "r", "q"];

/// Three bits each, from the low end: to file, to rank, from file, from rank, promotion; castling is king takes rook.
fn decode(mv: u16, position: &Position) -> Option<Move> {
    let part = |shift: u16| (mv >> shift & 7) as u8;
    let square = |file: u8, rank: u8| format!("{}{}", (b'a' + file) as char, (b'1' + rank) as char);
    let promotion = PROMOTIONS.get(usize::from(part(12)))?;
    let text = format!("{}{}{promotion}", square(part(6), part(9)), square(part(0), part(3)));
    position.parse_uci(&text).ok()
}

/// The other way round.
fn encode(mv: Move, position: &Position) -> Option<u16> {
    let text = position.uci_with(mv, CastlingNotation::KingTakesRook);
    let part = |at: usize, base: u8| text.as_bytes().get(at).map(|byte| u16::from(byte.wrapping_sub(base)));
    let promotion = PROMOTIONS.iter().position(|&letter| text.get(4..) == Some(letter))?;
    let squares = part(2, b'a')? | part(3, b'1')? << 3 | part(0, b'a')? << 6 | part(1, b'1')? << 9;
    Some(squares | (promotion as u16) << 12)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(position: &Position, mv: &str, weight: u16) -> Vec<u8> {
        let index = |c: u8, base: u8| u16::from(c - base);
        let b = mv.as_bytes();
        let code =
            index(b[2], b'a') | index(b[3], b'1') << 3 | index(b[0], b'a') << 6 | index(b[1], b'1') << 9;
        let mut bytes = key(position).unwrap().to_be_bytes().to_vec();
        bytes.extend(code.to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }

    /// The keys printed in the description of the book format that Polyglot comes with.
    #[test]
    fn keys_are_polyglots() {
        for (fen, printed) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
        ] {
            assert_eq!(key(&Position::from_fen(fen).unwrap()), Some(printed), "{fen}");
        }
    }

    /// Keys as python-chess's `chess.polyglot.zobrist_hash` computes them; it follows the same rule. The
    /// capture is possible but illegal in the first two positions (a pinned pawn, a king that does not see
    /// its own check until both pawns are gone), legal in the third; in the last no pawn stands beside.
    #[test]
    fn en_passant_counts_in_a_key_whether_it_is_legal_or_not() {
        for (before, push, theirs) in [
            ("3k4/8/8/8/3pp3/8/2P5/3RK3 w - - 0 1", "c2c4", 0xb0d6_002a_261f_472b),
            ("8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1", "d2d4", 0xc90c_f3fb_73c1_07b2),
            ("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "d2d4", 0x1741_45be_21e3_e06c),
            ("4k3/8/8/8/7p/8/3P4/4K3 w - - 0 1", "d2d4", 0x9bd9_c7cc_3248_9f72),
        ] {
            let before = Position::from_fen(before).unwrap();
            let after = before.after(before.parse_uci(push).unwrap());
            assert_eq!(key(&after), Some(theirs), "{after} after {push}");
        }
        let fen = "3k4/8/8/8/2Ppp3/8/8/3RK3 b - c3 0 1";
        assert_eq!(key(&Position::from_fen(fen).unwrap()), Some(0xb0d6_002a_261f_472b), "from a FEN");
    }

    /// Light squares hold more bishops than promotions explain, and no single move gives both checks. The keys are
    /// python-chess's.
    #[test]
    fn moves_from_positions_that_no_game_comes_to_are_kept() {
        let start = Position::from_fen("4k3/8/8/8/8/5B1B/PPPPPPPP/4K3 w - - 0 1").unwrap();
        assert_eq!(key(&start), Some(0x6d0a_d00b_d2d5_fbb8));
        let checked = Position::from_fen("R3k2R/8/8/8/8/8/8/4K3 b - - 0 1").unwrap();
        assert_eq!(key(&checked), Some(0x5f12_73ec_481b_a8ca));
        let text = "[FEN \"4k3/8/8/8/8/5B1B/PPPPPPPP/4K3 w - - 0 1\"]\n\n1. a3 Kf8 *\n";
        let game = super::super::pgn::Games::new(text, Reading::WHOLE).next().unwrap().unwrap();
        let after = start.after(game.moves[0]);
        let book = Polyglot::of_moves([(start, game.moves[0]), (after, game.moves[1])], 1);
        assert_eq!(book.len(), 2);
    }

    /// 140,000 games with one move and 70,000 with another: twice the weight, and a third move is not lost.
    #[test]
    fn weights_are_scaled_and_not_cut_off() {
        let counts =
            BTreeMap::from([((1, 5), 140_000), ((1, 6), 70_000), ((1, 7), 1), ((2, 5), 65_535), ((2, 6), 3)]);
        let weights: Vec<u16> =
            Polyglot::of_counts(counts).entries.iter().map(|entry| entry.weight).collect();
        assert_eq!(weights, [65_535, 32_768, 1, 65_535, 3]);
        let huge = BTreeMap::from([((1, 5), u64::MAX), ((1, 6), u64::MAX / 4)]);
        let weights: Vec<u16> = Polyglot::of_counts(huge).entries.iter().map(|entry| entry.weight).collect();
        assert_eq!(weights, [65_535, 16_384]);
    }

    proptest! {
        /// Whatever the bytes, they are a book or refused, and lines drawn from them are legal.
        #[test]
        fn any_bytes_are_a_book_or_refused(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            entries in prop::collection::vec((any::<bool>(), any::<u16>(), any::<u16>()), 0..6),
        ) {
            let start = Position::startpos();
            let key = key(&start).unwrap_or_default();
            let of_start: Vec<u8> = entries
                .iter()
                .flat_map(|&(here, mv, weight)| {
                    let key = if here { key } else { u64::from(mv) };
                    [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
                })
                .collect();
            let reading = Reading { order: Order::Random(1), plies: Some(4), wanted: 3, ..Reading::WHOLE };
            for bytes in [bytes, of_start] {
                let whole = bytes.len() % ENTRY == 0;
                prop_assert_eq!(Polyglot::read(&bytes, "b.bin").is_ok(), whole);
                if whole {
                    for opening in lines(&bytes, "b.bin", reading).unwrap().0 {
                        let mut game = Game::default();
                        for mv in opening.moves {
                            prop_assert!(game.play(mv).is_ok());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lines_follow_the_weights() {
        let start = Position::startpos();
        let after = start.after(start.parse_uci("e2e4").unwrap());
        let mut bytes = entry(&start, "e2e4", 9);
        bytes.extend(entry(&start, "d2d4", 1));
        bytes.extend(entry(&start, "h2h4", 0));
        bytes.extend(entry(&after, "e7e5", 1));
        let reading = Reading { order: Order::Random(3), plies: Some(6), wanted: 10, ..Reading::WHOLE };
        let (lines, _) = lines(&bytes, "test.bin", reading).unwrap();
        let mut texts: Vec<String> = lines
            .iter()
            .map(|l| l.moves.iter().map(|m| m.to_string()).collect::<Vec<_>>().join(" "))
            .collect();
        texts.sort();
        assert_eq!(texts, ["d2d4", "e2e4 e7e5"]);
        assert!(super::lines(&bytes[1..], "test.bin", reading).unwrap_err().to_string().contains("Polyglot"));
    }

    /// Whatever is drawn later, and whether the book is exhausted or not.
    #[test]
    fn more_lines_begin_with_the_same() {
        let mut position = Position::startpos();
        let mut bytes = Vec::new();
        for (index, best) in ["e2e4", "e7e5", "g1f3", "b8c6"].into_iter().enumerate() {
            for mv in position.legal_moves() {
                let text = position.uci_with(mv, CastlingNotation::KingTakesRook);
                bytes.extend(entry(&position, &text, if text == best { 300 } else { 1 + index as u16 }));
            }
            position = position.after(position.parse_uci(best).unwrap());
        }
        for order in [Order::Sequential, Order::Random(7)] {
            let of = |wanted, start| {
                let reading = Reading { order, plies: Some(4), wanted, start, ..Reading::WHOLE };
                let (lines, drawn) = lines(&bytes, "b.bin", reading).unwrap();
                let store = super::super::Store::Whole(lines);
                (super::super::Book::of_drawn(store, String::new(), start), drawn)
            };
            for start in [1, 4] {
                let (many, drawn) = of(1000, start);
                assert!((20..200).contains(&many.len()), "{}", many.len());
                for wanted in 1..30 {
                    let (few, alike) = of(wanted, start);
                    assert!(few.len() >= wanted.min(many.len()) && alike == drawn);
                    for number in 0..wanted {
                        assert_eq!(few.opening(number), many.opening(number), "{number} of {wanted}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_book_of_played_moves_is_read_back() {
        let mut game = Game::default();
        let mut played = Vec::new();
        let sans = "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 Ng5 O-O a4 h6 a5 hxg5 a6 g4 axb7 g3 bxa8=N";
        for san in sans.split(' ') {
            let mv = game.position().parse_san(san).unwrap();
            played.push((game.position().clone(), mv));
            game.play(mv).unwrap();
        }
        let twice = || played.iter().chain(&played[..1]).cloned();
        assert_eq!(Polyglot::of_moves(twice(), 2).len(), 1);
        let book = Polyglot::of_moves(twice(), 1);
        let book = Polyglot::read(&book.bytes(), "own").unwrap();
        assert_eq!(book.len(), played.len());
        for (index, (position, mv)) in played.iter().enumerate() {
            assert_eq!(book.moves(position), [(*mv, if index == 0 { 2 } else { 1 })]);
        }
        assert!(book.moves(game.position()).is_empty());
    }
}
