//! Scores: centipawns for the side to move, with mates counted down from `MATE` by their distance in plies.
//!
//! Inside the search a score is a plain integer, because negamax negates, shifts and compares it at every node.
//! What leaves the engine is a [`Reported`] score, which tells centipawns and mates apart.

use std::fmt;

/// A score in centipawns from the view of the side to move, or a mate score beyond [`MATE_BOUND`].
pub type Score = i32;

/// Deepest ply a search line may reach.
pub const MAX_PLY: usize = 246;
/// Above every score.
pub const INFINITE: Score = 32_001;
/// The side to move has mated now; `MATE - n` is a mate in n plies.
pub const MATE: Score = 32_000;
/// Scores at or beyond this (either sign) are mates within [`MAX_PLY`] plies.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;
/// The value of a draw.
pub const DRAW: Score = 0;

/// The score of being mated `ply` plies from the root.
pub const fn mated_in(ply: usize) -> Score {
    -MATE + ply as Score
}

/// The score of mating `ply` plies from the root.
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// Is this a proven mate, for either side?
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND
}

/// A score as users read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// Hundredths of a pawn for the side to move.
    Centipawns(i32),
    /// Full moves to the mate; negative when the side to move is mated (0: mated now).
    Mate(i32),
}

impl From<Score> for Reported {
    fn from(score: Score) -> Self {
        if score >= MATE_BOUND {
            Reported::Mate((MATE - score + 1) / 2)
        } else if score <= -MATE_BOUND {
            Reported::Mate(-(MATE + score) / 2)
        } else {
            Reported::Centipawns(score)
        }
    }
}

/// As in UCI: `cp 23`, `mate -4`.
impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reported::Centipawns(cp) => write!(f, "cp {cp}"),
            Reported::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_full_moves() {
        assert_eq!(Reported::from(mate_in(1)), Reported::Mate(1));
        assert_eq!(Reported::from(mate_in(3)), Reported::Mate(2));
        assert_eq!(Reported::from(mated_in(0)), Reported::Mate(0));
        assert_eq!(Reported::from(mated_in(2)), Reported::Mate(-1));
        assert_eq!(Reported::from(mated_in(4)), Reported::Mate(-2));
        assert_eq!(Reported::from(-13), Reported::Centipawns(-13));
    }
}
