//! What the static evaluation gets wrong again and again, and by how much.
//!
//! The search finds out how far a position's true value lies from its static evaluation. Positions that share some
//! feature are mistaken alike: the same pawns, the same pieces of one side, the same last move or two. For each a small
//! table keeps a share of the error, and their sum corrects the next evaluation (correction history, as in Caissa and
//! Stockfish).

use crate::history::Context;
use crate::params::Params;
use chess::{Color, PieceKind, Position};
use thinking::score::Score;

/// Entries of a hashed table, a power of two.
const SIZE: usize = 1 << 14;
/// Entries of the table by the last two moves.
const PAIRS: usize = 1 << 16;
/// Errors are kept in this part of a centipawn.
const GRAIN: i32 = 256;
/// The largest share of one table.
const MOST: i32 = 120 * GRAIN;

type Table = [[i16; SIZE]; 2];

/// One thread's correction tables, each by side to move.
#[derive(Clone)]
pub struct Corrections {
    pawns: Box<Table>,
    /// By the owner of the pieces.
    pieces: Box<[Table; 2]>,
    /// By the last move.
    moves: Box<[[i16; Context::COUNT]; 2]>,
    /// By the last two moves.
    pairs: Box<[[i16; PAIRS]; 2]>,
}

impl Default for Corrections {
    fn default() -> Self {
        Corrections {
            pawns: Box::new([[0; SIZE]; 2]),
            pieces: Box::new([[[0; SIZE]; 2]; 2]),
            moves: Box::new([[0; Context::COUNT]; 2]),
            pairs: Box::new([[0; PAIRS]; 2]),
        }
    }
}

/// What a search found out about an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// By how many centipawns the search came out above the corrected evaluation.
    pub error: Score,
    /// To how many plies it searched.
    pub depth: i32,
    /// Did the node fail low? That all moves were too bad says more than that one was good enough.
    pub failed_low: bool,
}

impl Finding {
    /// What each table takes over, in [`GRAIN`]ths of a centipawn.
    fn change(self, params: &Params) -> i32 {
        let weight = (self.depth + 1).min(params.correction_weight);
        let error = self.error.clamp(-params.correction_error, params.correction_error);
        let change = error * GRAIN * weight / params.correction_slowness;
        if self.failed_low { change * params.correction_low / 100 } else { change }
    }
}

/// Where a position's corrections stand.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    side: usize,
    pawns: usize,
    pieces: [usize; 2],
    before: usize,
    pair: usize,
}

impl Places {
    /// The places of a position, `before` which these were moved, the last one first.
    #[inline]
    pub fn of(position: &Position, before: [Context; 2]) -> Self {
        let [last, own] = before.map(Context::index);
        Places {
            side: position.side_to_move().index(),
            pawns: position.pawn_key() as usize % SIZE,
            pieces: Color::ALL.map(|color| pieces_hash(position, color) as usize % SIZE),
            before: last,
            // Any odd factor but 1 will do. Some pairs share a place.
            pair: (last * 769 + own) % PAIRS,
        }
    }
}

/// One odd factor a kind of piece, knight to king: any will do that differ (here from the digits of pi).
const FACTORS: [u64; 5] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
];

/// A hash of where one side has its king and pieces, without its pawns. Each kind is multiplied on its own, so that the
/// processor need not wait for one product before it begins the next; the upper half of a product tells the last ranks
/// apart, the lower half the first.
#[inline]
fn pieces_hash(position: &Position, color: Color) -> u64 {
    let product = |(&kind, factor): (&PieceKind, u64)| {
        let wide = u128::from(position.pieces(color, kind).0) * u128::from(factor);
        (wide >> 64) as u64 ^ wide as u64
    };
    PieceKind::ALL[1..].iter().zip(FACTORS).map(product).fold(0, |hash, product| hash ^ product) >> 40
}

impl Corrections {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What to add to a static evaluation, in centipawns.
    #[inline]
    pub fn get(&self, places: &Places) -> Score {
        let side = places.side;
        let pieces: i32 = (0..2).map(|owner| i32::from(self.pieces[owner][side][places.pieces[owner]])).sum();
        let pawns = i32::from(self.pawns[side][places.pawns]);
        let moves = i32::from(self.moves[side][places.before]) + i32::from(self.pairs[side][places.pair]);
        (pawns + pieces + moves) / GRAIN
    }

    /// Learns from a search. Every table takes a part of the error over (the rule of least mean squares,
    /// Widrow and Hoff 1960), a smaller one the nearer it is to its limit on that side ("gravity", as in
    /// [`crate::history`]).
    pub fn update(&mut self, params: &Params, places: &Places, finding: Finding) {
        let side = places.side;
        // A larger change takes a table to its limit in one step; with tuned numbers the product below could overflow.
        let change = finding.change(params).clamp(-MOST, MOST);
        let learn = |value: &mut i16| {
            let old = i32::from(*value);
            *value = (old + change - old * change.abs() / MOST).clamp(-MOST, MOST) as i16;
        };
        learn(&mut self.pawns[side][places.pawns]);
        for owner in 0..2 {
            learn(&mut self.pieces[owner][side][places.pieces[owner]]);
        }
        learn(&mut self.moves[side][places.before]);
        learn(&mut self.pairs[side][places.pair]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn finding(error: Score, depth: i32) -> Finding {
        Finding { error, depth, failed_low: false }
    }

    /// A failure low weighs more, and what is learnt converges even where it weighs most: with all tables
    /// together the step is then larger than the error, but never twice as large.
    #[test]
    fn failures_low_weigh_more_and_still_converge() {
        let places = Places::of(&Position::startpos(), [Context::NONE; 2]);
        let learnt = |failed_low| {
            let mut corrections = Corrections::default();
            corrections.update(&Params::DEFAULT, &places, Finding { error: -40, depth: 3, failed_low });
            corrections.get(&places)
        };
        assert!(learnt(true) < learnt(false) && learnt(false) < 0);
        let mut corrections = Corrections::default();
        for _ in 0..400 {
            let error = -60 - corrections.get(&places);
            corrections.update(&Params::DEFAULT, &places, Finding { error, depth: 100, failed_low: true });
        }
        assert!((-62..=-58).contains(&corrections.get(&places)));
    }

    /// An evaluation that is wrong by a constant is set right, neither overshooting nor beyond the limit.
    #[test]
    fn a_constant_error_is_learnt() {
        let position = Position::startpos();
        let places = Places::of(&position, [Context::NONE; 2]);
        let mut corrections = Corrections::default();
        for _ in 0..400 {
            let before = corrections.get(&places);
            corrections.update(&Params::DEFAULT, &places, finding(60 - before, 8));
            assert!((before..=60).contains(&corrections.get(&places)));
        }
        assert!((58..=60).contains(&corrections.get(&places)));
        let other = Places::of(&position.after_null().expect("not in check"), [Context::NONE; 2]);
        assert_eq!(corrections.get(&other), 0, "the other side's errors are its own");
        (0..10_000).for_each(|_| corrections.update(&Params::DEFAULT, &places, finding(5000, 200)));
        // Five tables, none beyond its limit.
        assert!((4 * MOST / GRAIN..=5 * MOST / GRAIN).contains(&corrections.get(&places)));
    }

    /// A king alone, on each square in turn, the other far away: no rank may be lost in the hash.
    #[test]
    fn every_square_counts() {
        for (color, [king, other]) in Color::ALL.into_iter().zip([['K', 'k'], ['k', 'K']]) {
            let place = |square: usize| {
                let mut board = ['1'; 64];
                board[if square < 32 { 63 } else { 0 }] = other;
                board[square] = king;
                let rows: Vec<String> = board.chunks(8).map(String::from_iter).collect();
                let position = Position::from_fen(&format!("{} w - - 0 1", rows.join("/"))).expect("legal");
                pieces_hash(&position, color) as usize % SIZE
            };
            let places: BTreeSet<usize> = (0..64).map(place).collect();
            assert!(places.len() > 60, "{color:?}: {} places for 64 squares", places.len());
        }
    }
}
