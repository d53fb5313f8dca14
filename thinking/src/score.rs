//! Scores: centipawns for the side to move, with mates counted down from [`MATE`] by their distance in plies, and below
//! all mates the wins that a tablebase knows of, counted down from [`WIN`] in the same way.
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
/// A tablebase has called the game won; `WIN - n` is such a position n plies from the root. Below every mate, above
/// every evaluation.
pub const WIN: Score = MATE_BOUND - 1;
/// Scores at or beyond this (either sign) are decided: wins by tablebase, or mates.
pub const WIN_BOUND: Score = WIN - MAX_PLY as Score;
/// What [`WIN`] is reported as, in centipawns.
pub const REPORTED_WIN: i32 = 20_000;
/// The value of a draw.
pub const DRAW: Score = 0;

/// The score of being mated `ply` plies from the root.
#[inline]
pub const fn mated_in(ply: usize) -> Score {
    -MATE + ply as Score
}

/// The score of mating `ply` plies from the root.
#[inline]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The score of a win by tablebase `ply` plies from the root.
#[inline]
pub const fn won_at(ply: usize) -> Score {
    WIN - ply as Score
}

/// The score of a loss by tablebase `ply` plies from the root.
#[inline]
pub const fn lost_at(ply: usize) -> Score {
    -WIN + ply as Score
}

/// Is the game decided, by mate or by tablebase, for either side?
#[inline]
pub const fn is_decided(score: Score) -> bool {
    score.abs() >= WIN_BOUND
}

/// Is this a proven mate, for either side?
#[inline]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND
}

/// A score as users read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// Hundredths of a pawn for the side to move; [`REPORTED_WIN`], less a hundredth for each ply to it, for a win
    /// that a tablebase knows of.
    Centipawns(i32),
    /// Full moves to the mate; negative when the side to move is mated (0: mated now).
    Mate(i32),
}

impl From<Score> for Reported {
    #[inline]
    fn from(score: Score) -> Self {
        if score >= MATE_BOUND {
            Reported::Mate((MATE - score + 1) / 2)
        } else if score <= -MATE_BOUND {
            Reported::Mate(-(MATE + score) / 2)
        } else if is_decided(score) {
            Reported::Centipawns(score - score.signum() * (WIN - REPORTED_WIN))
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

/// Chances in per mille for the side to move; they add up to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Games won of 1000.
    pub win: u32,
    /// Games drawn of 1000.
    pub draw: u32,
    /// Games lost of 1000.
    pub loss: u32,
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

    #[test]
    fn wins_by_tablebase_lie_between_evaluations_and_mates() {
        for ply in 0..MAX_PLY {
            for score in [won_at(ply), lost_at(ply)] {
                assert!(is_decided(score) && !is_mate(score));
                let centipawns = REPORTED_WIN - ply as i32;
                assert_eq!(Reported::from(score), Reported::Centipawns(centipawns * score.signum()));
            }
        }
        assert!(is_decided(MATE_BOUND) && is_decided(-MATE) && !is_decided(WIN_BOUND - 1));
    }
}
