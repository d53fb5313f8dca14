//! The inputs of the network: which piece stands on which square, as one side sees it.
//!
//! There are 768, one for each kind, side and square. A side sees its own pieces at the bottom of the board, as if it
//! played White; and it sees the board with left and right exchanged when its king stands on the king's side, so that
//! its king is always on the files a to d. Both make positions that are the same to a chess player the same to the
//! network, which then has a half and a quarter as much to learn.
//!
//! The number of an input is laid out in bits, so that one exclusive or changes the point of view.

use chess::{Color, PieceKind, Position, Square};

pub use crate::parameters::FEATURES;

/// The number of an input as White sees it unmirrored: `kind * 128 + colour * 64 + square`, squares from a1 = 0.
#[inline]
pub const fn feature(color: Color, kind: PieceKind, square: Square) -> u16 {
    (kind.index() * 128 + color.index() * 64 + square.index()) as u16
}

/// How a side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View(u16);

/// Exchanges the sides' pieces and turns the board upside down.
const AS_BLACK: u16 = 64 | 56;
/// Exchanges left and right.
const MIRRORED: u16 = 7;

impl View {
    /// The board as `color` sees it with its king on `king`.
    #[inline]
    pub const fn new(color: Color, king: Square) -> Self {
        let side = match color {
            Color::White => 0,
            Color::Black => AS_BLACK,
        };
        View(if king.file() >= 4 { side | MIRRORED } else { side })
    }

    /// The board of a position as `color` sees it.
    #[inline]
    pub fn of(position: &Position, color: Color) -> Self {
        View::new(color, position.king(color))
    }

    /// The number under which this view sees an input of White's unmirrored view, and the other way round.
    #[inline]
    pub const fn of_feature(self, feature: u16) -> u16 {
        feature ^ self.0
    }

    /// Which of the four views this is, from 0.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        ((self.0 >> 6 & 1) * 2 + (self.0 & 1)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_input_has_its_own_number() {
        let mut seen = BTreeSet::new();
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                seen.extend(Square::all().map(|square| feature(color, kind, square)));
            }
        }
        assert_eq!(seen.len(), FEATURES);
        assert_eq!(seen.last(), Some(&(FEATURES as u16 - 1)));
    }

    #[test]
    fn a_view_flips_ranks_for_black_and_files_by_its_king() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let rook = feature(Color::White, PieceKind::Rook, square("a2"));
        for (color, king, expected) in [
            (Color::White, "d1", (Color::White, "a2")),
            (Color::White, "e1", (Color::White, "h2")),
            (Color::Black, "a8", (Color::Black, "a7")),
            (Color::Black, "h5", (Color::Black, "h7")),
        ] {
            let view = View::new(color, square(king));
            assert_eq!(view.of_feature(rook), feature(expected.0, PieceKind::Rook, square(expected.1)));
        }
    }
}
