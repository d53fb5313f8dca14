//! How likely a score wins: UCI's `wdl` in per mille.
//!
//! The usual logistic model: the side to move wins with chance `1 / (1 + exp((a - score) / b))`, loses with
//! `1 / (1 + exp((a + score) / b))`, and what both leave is the draw. `a`, the score that wins every second
//! game, and `b`, how many centipawns change the odds by a factor of e, depend on the material on the board,
//! since the same score is worth more the fewer pieces can still go wrong. They were fitted with
//! `tools/fit_wdl.py` to games the engine played with itself; `bench/runs/2026-11-21-wdl/` keeps what came of
//! it, predictions held against games kept back included.

use chess::{PieceKind, Position};
use thinking::score::{Reported, Wdl};

/// The fingerprint of the network whose games the numbers were fitted to; `docs/network.md` says what to do for
/// another. This room knows no network: the test that compares it with the embedded one is in `cli/src/brain/mod.rs`.
pub const FITTED_WITH: &str = "676fbab0";
/// `a` in centipawns: coefficients of the powers 0, 1, 2 of the material, counted in [`WHOLE`]s.
const MIDDLE: [f64; 3] = [235.91, -235.99, 104.36];
/// `b` in centipawns, likewise.
const SLOPE: [f64; 3] = [50.05, 2.70, 16.80];
/// The material by which the fit counts.
const WHOLE: f64 = 58.0;
/// Material outside counts as the nearer end: no more is known of it.
const LEAST: u32 = 10;
/// The start position's.
const MOST: u32 = 78;

/// The chances of a score for the side to move, in games that reached this position; a mate is certain.
pub fn chances(score: Reported, position: &Position) -> Wdl {
    let material = f64::from(material(position).clamp(LEAST, MOST)) / WHOLE;
    let at = |[one, two, three]: [f64; 3]| one + material * (two + material * three);
    let (middle, slope) = (at(MIDDLE), at(SLOPE));
    // Rounded down, so that win and loss together stay below 1000.
    let wins = |score: f64| (1000.0 / (1.0 + ((middle - score) / slope).exp())) as u32;
    let (win, loss) = match score {
        Reported::Centipawns(score) => (wins(score.into()), wins(-f64::from(score))),
        Reported::Mate(moves) if moves > 0 => (1000, 0),
        Reported::Mate(_) => (0, 1000),
    };
    Wdl { win, draw: 1000 - win - loss, loss }
}

/// Both sides' material: a pawn is 1, a knight or bishop 3, a rook 5, a queen 9.
fn material(position: &Position) -> u32 {
    let values = [
        (PieceKind::Pawn, 1),
        (PieceKind::Knight, 3),
        (PieceKind::Bishop, 3),
        (PieceKind::Rook, 5),
        (PieceKind::Queen, 9),
    ];
    values.iter().map(|&(kind, value)| position.kind_bb(kind).count() * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDING: &str = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1";

    #[test]
    fn the_start_position_holds_78_points() {
        assert_eq!(material(&Position::startpos()), MOST);
        assert_eq!(material(&Position::from_fen("4k3/4p3/8/8/8/8/4P3/4KQRN w - - 0 1").unwrap()), 19);
    }

    /// With few men on the board little can still go wrong: whatever the chances are fitted to, they have to say so.
    #[test]
    fn an_even_ending_is_drawn_more_often_than_an_even_opening() {
        let drawn = |position: Position| chances(Reported::Centipawns(0), &position).draw;
        assert!(drawn(Position::from_fen(ENDING).unwrap()) > drawn(Position::startpos()));
    }

    #[test]
    fn chances_add_up_and_follow_the_score() {
        for position in [Position::startpos(), Position::from_fen(ENDING).unwrap()] {
            let mut last = 0;
            for score in -3000..=3000 {
                let wdl = chances(Reported::Centipawns(score), &position);
                let mirrored = chances(Reported::Centipawns(-score), &position);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000);
                assert_eq!((wdl.win, wdl.loss), (mirrored.loss, mirrored.win));
                assert!(wdl.win >= last);
                last = wdl.win;
            }
            assert_eq!(chances(Reported::Mate(3), &position), Wdl { win: 1000, draw: 0, loss: 0 });
            assert_eq!(chances(Reported::Mate(0), &position), Wdl { win: 0, draw: 0, loss: 1000 });
        }
    }
}
