//! The hand-crafted evaluation (HCE): material, piece placement on the board and around both kings, mobility,
//! pawn structure, threats and king safety, each with a middle game and an end game weight that are blended
//! by the material left ("tapered").
//!
//! A plain function of the position, so that another evaluation can stand in its place. Every term is counted
//! for one side and subtracted for the other, which makes colour symmetry a matter of construction. It is
//! linear in its [`weights`], which are learnt from Firstborn's own games only (`firstborn tune`,
//! docs/data.md); [`layout`] says which weight is which, and [`trace`] takes an evaluation apart. A network
//! evaluates instead unless the user chooses this one ([`Evaluator`], docs/network.md).

mod evaluator;
mod known;
pub mod layout;
mod pawns;
mod tapered;
mod terms;
pub mod trace;
pub mod weights;

pub use evaluator::Evaluator;
pub use known::{is_known_draw, is_sure_win, is_won_ending, known};
pub use tapered::Tapered;
pub use trace::explain;

use chess::{Bitboard, PieceKind, Position};
use thinking::score::Score;

/// Game phase of the full set of pieces; less material, nearer to 0 (the end game).
pub const FULL_PHASE: i32 = 24;

/// How far from the end game: [`FULL_PHASE`] with all pieces on the board, 0 with none.
pub fn phase(position: &Position) -> i32 {
    let count = |kind| position.kind_bb(kind).count() as i32;
    let minors = count(PieceKind::Knight) + count(PieceKind::Bishop);
    (minors + 2 * count(PieceKind::Rook) + 4 * count(PieceKind::Queen)).min(FULL_PHASE)
}

/// The value of a position for the side to move, in centipawns, within ±20,000. A draw by material is 0.
pub fn evaluate(position: &Position) -> Score {
    evaluate_with(position, || terms::structures(position))
}

/// The same with structures that may be known already.
fn evaluate_with(position: &Position, structures: impl FnOnce() -> [terms::Structure<Tapered>; 2]) -> Score {
    if position.insufficient_material() {
        return 0;
    }
    let [ours, theirs] = terms::count(position, structures());
    let balance = ours - theirs;
    blend(balance, phase(position), end_game_scale(position, balance.end()))
}

/// Blends the halves by the phase; of the end game's, `scale` 64ths count.
fn blend(balance: Tapered, phase: i32, scale: i32) -> Score {
    let end = balance.end() * scale / 64;
    (balance.middle() * phase + end * (FULL_PHASE - phase)) / FULL_PHASE
}

/// How much of an end game advantage counts, in 64ths: without pawns a small lead in pieces does not win, and with
/// bishops of opposite colours alone even pawns may not.
fn end_game_scale(position: &Position, balance: Score) -> i32 {
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
    let opposite = (bishops & Bitboard::LIGHT).count() == 1 && (bishops & !Bitboard::LIGHT).count() == 1;
    if opposite && strong == 3 && weak == 3 && position.pieces(us, PieceKind::Bishop).count() == 1 {
        return 30;
    }
    64
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let worth = weights::WEIGHTS[layout::TEMPO.at(0)];
            let most = 2 * worth.middle().max(worth.end()) + 1;
            assert!((0..=most).contains(&tempo), "{fen}: {tempo}");
        }
    }

    /// One for a minor piece, two for a rook, four for a queen of either side, and no more than at the start.
    #[test]
    fn the_phase_is_what_is_left_of_the_pieces() {
        let of = |fen: &str| phase(&Position::from_fen(fen).unwrap());
        assert_eq!(phase(&Position::startpos()), FULL_PHASE);
        assert_eq!(of("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"), 0);
        assert_eq!(of("rnbqk3/8/8/8/8/8/8/4K3 w - - 0 1"), 8);
        assert_eq!(of("qqqqkqqq/8/8/8/8/8/8/QQQQKQQQ w - - 0 1"), FULL_PHASE);
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
