//! The hand-made evaluation: material, piece placement, mobility, pawn structure and king safety, each with a middle
//! game and an end game weight that are blended by the material left ("tapered").
//!
//! A plain function of the position, so that another evaluation can stand in its place. Every term is computed for
//! one side and subtracted for the other, which makes colour symmetry a matter of construction. The weights
//! ([`weights`]) start from round values and shapes; they are Firstborn's own.

mod evaluator;
mod terms;
pub mod weights;

pub use evaluator::Evaluator;

use crate::score::Score;
use chess::attacks::{king_attacks, pawns_attack};
use chess::{Bitboard, Color, PieceKind, Position};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middle game and an end game weight in one integer: one addition adds both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tapered(i32);

impl Tapered {
    /// From centipawns in the middle game and in the end game, each within ±15,000.
    #[inline]
    pub const fn new(middle: i32, end: i32) -> Self {
        Tapered((end << 16) + middle)
    }

    /// The middle game half.
    #[inline]
    pub const fn middle(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The end game half; the borrow of a negative lower half is given back by the rounding.
    #[inline]
    pub const fn end(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

macro_rules! forward {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait for Tapered {
            type Output = Tapered;
            #[inline]
            fn $method(self, other: Tapered) -> Tapered {
                Tapered(self.0.$method(other.0))
            }
        }
    )*};
}
forward! { Add add; Sub sub; }

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        self.0 += other.0;
    }
}

impl SubAssign for Tapered {
    #[inline]
    fn sub_assign(&mut self, other: Tapered) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    #[inline]
    fn neg(self) -> Tapered {
        Tapered(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;
    #[inline]
    fn mul(self, factor: i32) -> Tapered {
        Tapered(self.0 * factor)
    }
}

/// Game phase of the full set of pieces; less material, nearer to 0 (the end game).
pub const FULL_PHASE: i32 = 24;

/// What the terms of one side need to know about both.
struct Side<'p> {
    position: &'p Position,
    us: Color,
    /// Squares attacked by the enemy's pawns.
    enemy_pawn_attacks: Bitboard,
    /// The enemy king's square and its neighbours.
    enemy_king_zone: Bitboard,
    /// Squares worth moving to: neither our own king and pawns nor under a pawn's attack.
    mobility_area: Bitboard,
}

impl<'p> Side<'p> {
    fn new(position: &'p Position, us: Color) -> Self {
        let them = !us;
        let enemy_pawn_attacks = pawns_attack(them, position.pieces(them, PieceKind::Pawn));
        let enemy_king = position.king(them);
        let blocked = position.pieces(us, PieceKind::Pawn) | position.pieces(us, PieceKind::King);
        Side {
            position,
            us,
            enemy_pawn_attacks,
            enemy_king_zone: king_attacks(enemy_king) | Bitboard::of(enemy_king),
            mobility_area: !(blocked | enemy_pawn_attacks),
        }
    }

    fn ours(&self, kind: PieceKind) -> Bitboard {
        self.position.pieces(self.us, kind)
    }

    fn theirs(&self, kind: PieceKind) -> Bitboard {
        self.position.pieces(!self.us, kind)
    }

    fn total(&self) -> Tapered {
        self.pawns() + self.pieces() + self.king()
    }
}

/// How far from the end game: [`FULL_PHASE`] with all pieces on the board, 0 with none.
pub fn phase(position: &Position) -> i32 {
    let count = |kind| position.kind_bb(kind).count() as i32;
    let minors = count(PieceKind::Knight) + count(PieceKind::Bishop);
    (minors + 2 * count(PieceKind::Rook) + 4 * count(PieceKind::Queen)).min(FULL_PHASE)
}

/// The value of a position for the side to move, in centipawns, within ±20,000. A draw by material is 0.
pub fn evaluate(position: &Position) -> Score {
    if position.insufficient_material() {
        return 0;
    }
    let us = position.side_to_move();
    let balance = Side::new(position, us).total() - Side::new(position, !us).total() + weights::TEMPO;
    let phase = phase(position);
    let end = balance.end() * end_game_scale(position, balance.end()) / 64;
    (balance.middle() * phase + end * (FULL_PHASE - phase)) / FULL_PHASE
}

/// How much of an end game advantage counts, in 64ths: without pawns a small lead in pieces does not win, and with
/// bishops of opposite colours alone even pawns may not.
fn end_game_scale(position: &Position, balance: Score) -> i32 {
    const LIGHT: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);
    let us = position.side_to_move();
    let stronger = if balance >= 0 { us } else { !us };
    let value = |color| -> i32 {
        [(PieceKind::Knight, 3), (PieceKind::Bishop, 3), (PieceKind::Rook, 5), (PieceKind::Queen, 9)]
            .into_iter()
            .map(|(kind, value)| position.pieces(color, kind).count() as i32 * value)
            .sum()
    };
    let (strong, weak) = (value(stronger), value(!stronger));
    let pawns = position.pieces(stronger, PieceKind::Pawn);
    if pawns.is_empty() && strong - weak <= 3 {
        return if strong < 5 { 0 } else { 12 };
    }
    let bishops = position.kind_bb(PieceKind::Bishop);
    let opposite = (bishops & LIGHT).count() == 1 && (bishops & !LIGHT).count() == 1;
    if opposite && strong == 3 && weak == 3 && position.pieces(us, PieceKind::Bishop).count() == 1 {
        return 30;
    }
    64
}

/// One line of an explained evaluation: the term's name, and its values for White and Black.
pub type Explained = (&'static str, [Tapered; 2]);

/// The evaluation taken apart, each term by side; their sum with the tempo is what [`evaluate`] blends.
pub fn explain(position: &Position) -> Vec<Explained> {
    type Term = fn(&Side<'_>) -> Tapered;
    let terms: [(&'static str, Term); 3] =
        [("pawns", |side| side.pawns()), ("pieces", |side| side.pieces()), ("king", |side| side.king())];
    terms
        .into_iter()
        .map(|(name, term)| (name, Color::ALL.map(|color| term(&Side::new(position, color)))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_survive_arithmetic() {
        for (a, b, c, d) in [(5, -7, -300, 400), (-1, -1, 1, 1), (-900, 900, 900, -901), (0, -1, -1, 0)] {
            let sum = Tapered::new(a, b) + Tapered::new(c, d);
            assert_eq!((sum.middle(), sum.end()), (a + c, b + d));
            let scaled = Tapered::new(a, b) * -3;
            assert_eq!((scaled.middle(), scaled.end()), (-3 * a, -3 * b));
        }
    }

    #[test]
    fn the_other_side_sees_the_negative() {
        // The tempo is the only thing that does not change sign.
        for fen in [
            "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1",
            "8/5k2/3p4/1p1Pp2p/pP2Pp1P/P4P1K/8/8 w - - 0 1",
        ] {
            let white = Position::from_fen(fen).unwrap();
            let black = white.after_null().unwrap();
            let tempo = evaluate(&white) + evaluate(&black);
            assert!(
                (0..=2 * weights::TEMPO.middle().max(weights::TEMPO.end())).contains(&tempo),
                "{fen}: {tempo}"
            );
        }
    }

    #[test]
    fn colours_are_alike() {
        let position =
            Position::from_fen("r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 0 17").unwrap();
        let mirrored =
            Position::from_fen("3r1k1r/p4ppp/q1N2n2/2bp2B1/2b5/1QP3P1/PP3PBP/R3R1K1 w - - 0 17").unwrap();
        assert_eq!(evaluate(&position), evaluate(&mirrored));
    }

    #[test]
    fn more_is_better() {
        let value = |fen: &str| evaluate(&Position::from_fen(fen).unwrap());
        assert!(value("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1") > 700);
        assert!(value("4k3/8/8/8/8/8/8/R3K3 w - - 0 1") > 300);
        assert_eq!(value("4k3/8/8/8/8/8/8/N3K3 w - - 0 1"), 0);
        assert!(value("4k3/P7/8/8/8/8/8/4K3 w - - 0 1") > value("4k3/8/8/8/8/P7/8/4K3 w - - 0 1"));
    }
}
