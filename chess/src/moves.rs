//! A move in sixteen bits.
//!
//! ```text
//! 15 14 | 13 12     | 11 … 6 | 5 … 0
//! kind  | promotion | to     | from
//! ```
//!
//! Castling is "king takes own rook", so that Chess960 needs nothing special. No move goes from a1 to a1, so zero
//! is free and `Option<Move>` is two bytes as well.

use crate::{PieceKind, Square};
use std::fmt;
use std::num::NonZeroU16;

/// What sort of move it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MoveKind {
    /// From here to there, captures included.
    Normal,
    /// A pawn reaches the last rank.
    Promotion,
    /// A pawn takes a pawn that has just passed it.
    EnPassant,
    /// King and rook; the move goes to the rook's square.
    Castling,
}

/// A move; only meaningful together with the position it is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(NonZeroU16);

/// Enough for any legal position: the known maximum is 218 moves.
pub type MoveList = arrayvec::ArrayVec<Move, 256>;

impl Move {
    #[inline]
    const fn pack(from: Square, to: Square, promotion: u16, kind: MoveKind) -> Self {
        let bits =
            from.index() as u16 | (to.index() as u16) << 6 | promotion << 12 | (kind as u8 as u16) << 14;
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            // Only a1a1 packs to zero, as some engines write no move at all. With bit 12, which only a promotion may
            // have, it is legal nowhere.
            None => Move(NonZeroU16::MIN.saturating_add((1 << 12) - 1)),
        }
    }

    /// A plain move or capture.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::pack(from, to, 0, MoveKind::Normal)
    }

    /// A promotion to a knight, bishop, rook or queen.
    #[inline]
    pub const fn promoting(from: Square, to: Square, kind: PieceKind) -> Self {
        Self::pack(from, to, (kind as u16).wrapping_sub(1) & 3, MoveKind::Promotion)
    }

    /// An en passant capture.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, 0, MoveKind::EnPassant)
    }

    /// Castling of the king on `king` with the rook on `rook`.
    #[inline]
    pub const fn castling(king: Square, rook: Square) -> Self {
        Self::pack(king, rook, 0, MoveKind::Castling)
    }

    /// Where the piece comes from.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0.get() & 63) as u8)
    }

    /// Where it goes; for castling the rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0.get() >> 6 & 63) as u8)
    }

    /// What sort of move it is.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.0.get() >> 14 {
            0 => MoveKind::Normal,
            1 => MoveKind::Promotion,
            2 => MoveKind::EnPassant,
            _ => MoveKind::Castling,
        }
    }

    /// What a promoting pawn becomes.
    #[inline]
    pub const fn promotion(self) -> Option<PieceKind> {
        if !matches!(self.kind(), MoveKind::Promotion) {
            return None;
        }
        Some(match self.0.get() >> 12 & 3 {
            0 => PieceKind::Knight,
            1 => PieceKind::Bishop,
            2 => PieceKind::Rook,
            _ => PieceKind::Queen,
        })
    }

    /// Is it castling?
    #[inline]
    pub const fn is_castling(self) -> bool {
        matches!(self.kind(), MoveKind::Castling)
    }

    /// The sixteen bits, for storage. Never zero.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// A stored move; `None` for zero. What was stored elsewhere must be checked with [`crate::Position::is_legal`].
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }
}

/// Coordinates, castling as king takes rook: `e2e4`, `e7e8q`, `e1h1`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(kind) => write!(f, "{}", kind.letter().to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
