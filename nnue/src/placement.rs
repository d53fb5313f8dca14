//! Where the pieces stand, and what differs between two placements.
//!
//! An accumulator that remembers its placement can be brought to any other position by what differs, whether or not
//! the two are a move apart. So the search need not tell the network of its moves: nothing can be forgotten, and a
//! thread that goes on from another's position starts right.

use crate::features::feature;
use arrayvec::ArrayVec;
use chess::{Bitboard, Color, PieceKind, Position, Square};

/// Most pieces on a board.
const PIECES: usize = 32;

/// The pieces of a position: the squares of each side, and for each bit of a kind's number the squares where it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    colors: [Bitboard; 2],
    kind_bits: [Bitboard; 3],
}

/// What to add and to take away to come from one placement to another, as inputs of White's unmirrored view.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub added: ArrayVec<u16, PIECES>,
    pub removed: ArrayVec<u16, PIECES>,
}

impl From<&Position> for Placement {
    #[inline]
    fn from(position: &Position) -> Self {
        let squares_with = |bit: usize| {
            let kinds = PieceKind::ALL.into_iter().filter(|kind| kind.index() >> bit & 1 == 1);
            kinds.fold(Bitboard::EMPTY, |all, kind| all | position.kind_bb(kind))
        };
        Placement {
            colors: Color::ALL.map(|color| position.color_bb(color)),
            kind_bits: [squares_with(0), squares_with(1), squares_with(2)],
        }
    }
}

impl Placement {
    /// The squares that do not hold the same in another placement.
    #[inline]
    fn differing(&self, other: &Placement) -> Bitboard {
        let boards = |of: &Placement| of.colors.into_iter().chain(of.kind_bits);
        boards(self).zip(boards(other)).fold(Bitboard::EMPTY, |all, (a, b)| all | (a ^ b))
    }

    /// On how many squares another placement differs.
    #[inline]
    pub fn distance(&self, other: &Placement) -> u32 {
        self.differing(other).count()
    }

    /// Notes what leads from this placement to another. `changes` is filled in place, since a copy of what was just
    /// written in small parts stalls.
    #[inline]
    pub fn changes_to(&self, other: &Placement, changes: &mut Changes) {
        for square in self.differing(other) {
            changes.removed.extend(self.input_on(square));
            changes.added.extend(other.input_on(square));
        }
    }

    /// The input that the piece on a square switches on.
    #[inline]
    fn input_on(&self, square: Square) -> Option<u16> {
        let color = Color::ALL.into_iter().find(|color| self.colors[color.index()].contains(square))?;
        let [ones, twos, fours] = self.kind_bits.map(|board| usize::from(board.contains(square)));
        Some(feature(color, PieceKind::ALL[ones | twos << 1 | fours << 2], square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_changes_two_to_four_squares_and_inputs() {
        for (fen, mv, squares, inputs) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", 2, 2),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 2, 3),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 3, 3),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 4, 4),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 2, 3),
        ] {
            let before = Position::from_fen(fen).unwrap();
            let after = before.after(before.parse_uci(mv).unwrap());
            let (from, to) = (Placement::from(&before), Placement::from(&after));
            let mut changes = Changes::default();
            from.changes_to(&to, &mut changes);
            assert_eq!(from.distance(&to), squares, "{mv}");
            assert_eq!(changes.added.len() + changes.removed.len(), inputs, "{mv}");
        }
    }
}
