//! What an engine may say about the result: claims of games that are over on the board, draws, resignation.

use super::reply::Reply;
use chess::{Color, Outcome};
use thinking::score::Reported;

/// Worse than this for the engine, and it takes a draw, in centipawns.
const TAKES_DRAW_BELOW: i32 = -20;
/// Worse than this, and it may resign.
const HOPELESS: i32 = -1000;
/// After so many hopeless searches in a row.
const RESIGNS_AFTER: u32 = 3;

/// The claim for a game that is over.
pub(super) fn claim(outcome: Outcome) -> Reply {
    let (result, reason) = match outcome {
        Outcome::Checkmate { winner: Color::White } => ("1-0", "White mates"),
        Outcome::Checkmate { winner: Color::Black } => ("0-1", "Black mates"),
        Outcome::Stalemate => ("1/2-1/2", "Stalemate"),
        Outcome::Repetition => ("1/2-1/2", "Draw by repetition"),
        Outcome::FiftyMoves => ("1/2-1/2", "Draw by fifty-move rule"),
        Outcome::InsufficientMaterial => ("1/2-1/2", "Insufficient mating material"),
    };
    Reply::Result { result: result.into(), reason: reason.into() }
}

/// What the engine thinks of its chances in this game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hopes {
    score: Option<Reported>,
    hopeless: u32,
}

impl Hopes {
    /// Notes the score of a finished search.
    pub(super) fn note(&mut self, score: Reported) {
        self.score = Some(score);
        self.hopeless = if is_below(score, HOPELESS) { self.hopeless + 1 } else { 0 };
    }

    /// Would a draw be welcome, as far as the last search knows?
    pub(super) fn take_draw(&self) -> bool {
        self.score.is_some_and(|score| is_below(score, TAKES_DRAW_BELOW))
    }

    /// Is the game not worth playing on?
    pub(super) fn resign(&self) -> bool {
        self.hopeless >= RESIGNS_AFTER
    }
}

fn is_below(score: Reported, limit: i32) -> bool {
    match score {
        Reported::Centipawns(centipawns) => centipawns <= limit,
        Reported::Mate(moves) => moves <= 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hopes_follow_the_scores() {
        let mut hopes = Hopes::default();
        assert!(!hopes.take_draw() && !hopes.resign());
        hopes.note(Reported::Centipawns(-20));
        assert!(hopes.take_draw() && !hopes.resign());
        hopes.note(Reported::Mate(-9));
        hopes.note(Reported::Centipawns(-1000));
        assert!(!hopes.resign());
        hopes.note(Reported::Centipawns(-5000));
        assert!(hopes.resign());
        hopes.note(Reported::Centipawns(-999));
        assert!(!hopes.resign());
        hopes.note(Reported::Mate(4));
        assert!(!hopes.take_draw());
    }
}
