//! What a thread remembers of moves that were good elsewhere in the tree, to try them early here.
//!
//! Killers are the last two quiet moves that cut off at a ply; the history table counts, per side, from and to square,
//! how quiet moves fared (Schaeffer 1989, "The History Heuristic"), with "gravity" so that every value stays within
//! bounds and old merit fades; captures have a table of their own, by piece, square and victim.

use chess::{Color, Move, PieceKind, Position};

/// Values stay within ±`LIMIT`.
pub const LIMIT: i32 = 16_384;

/// Moves a value towards ±[`LIMIT`] by `bonus`, the more slowly the closer it is.
#[inline]
fn update(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

type FromTo = [[i16; 64]; 64];
type Captures = [[[i16; 5]; 64]; 6];

/// One thread's move memory.
#[derive(Clone)]
pub struct History {
    quiets: Box<[FromTo; 2]>,
    captures: Box<[Captures; 2]>,
}

impl Default for History {
    fn default() -> Self {
        History { quiets: Box::new([[[0; 64]; 64]; 2]), captures: Box::new([[[[0; 5]; 64]; 6]; 2]) }
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Merit of a quiet move, within ±[`LIMIT`].
    #[inline]
    pub fn quiet(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.quiets[side.index()][mv.from().index()][mv.to().index()])
    }

    /// Merit of a capture or promotion, within ±[`LIMIT`].
    #[inline]
    pub fn capture(&self, position: &Position, mv: Move) -> i32 {
        let (piece, victim) = capture_index(position, mv);
        i32::from(self.captures[position.side_to_move().index()][piece][mv.to().index()][victim])
    }

    /// Rewards or punishes a quiet move.
    pub fn update_quiet(&mut self, side: Color, mv: Move, bonus: i32) {
        update(&mut self.quiets[side.index()][mv.from().index()][mv.to().index()], bonus);
    }

    /// Rewards or punishes a capture or promotion.
    pub fn update_capture(&mut self, position: &Position, mv: Move, bonus: i32) {
        let (piece, victim) = capture_index(position, mv);
        let table = &mut self.captures[position.side_to_move().index()];
        update(&mut table[piece][mv.to().index()][victim], bonus);
    }
}

#[inline]
fn capture_index(position: &Position, mv: Move) -> (usize, usize) {
    let piece = position.kind_on(mv.from()).map_or(0, PieceKind::index);
    // A promotion without a capture shares the pawn's place; kings are never taken.
    let victim = position.captured(mv).map_or(0, PieceKind::index).min(4);
    (piece, victim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gravity_keeps_values_within_bounds(bonuses in prop::collection::vec(-40_000i32..40_000, 1..200)) {
            let mut value = 0i16;
            for bonus in bonuses {
                let before = i32::from(value);
                update(&mut value, bonus);
                prop_assert!(i32::from(value).abs() <= LIMIT);
                prop_assert!((i32::from(value) - before) * bonus.signum() >= 0);
            }
        }
    }
}
