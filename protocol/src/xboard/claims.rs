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

/// What the engine's moves in this game told of its chances.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hopes {
    last: Option<Known>,
    hopeless: u32,
}

/// What the search behind a move knew.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Who moved.
    side: Color,
    /// Plies of the game, that move included.
    plies: usize,
    /// A move from a book has no score.
    score: Option<Reported>,
}

impl Hopes {
    /// Notes the move of a side and the score of the search that found it.
    pub(super) fn note(&mut self, side: Color, plies: usize, score: Option<Reported>) {
        if self.last.is_some_and(|last| last.side != side) {
            self.hopeless = 0;
        }
        self.last = Some(Known { side, plies, score });
        if let Some(score) = score {
            self.hopeless = if is_below(score, HOPELESS) { self.hopeless + 1 } else { 0 };
        }
    }

    /// What the side's last move was worth, if no more than the opponent's answer has come since.
    pub(super) fn score(&self, side: Color, plies: usize) -> Option<Reported> {
        self.last.filter(|last| last.side == side && last.plies + 1 >= plies)?.score
    }

    /// Is the game not worth playing on?
    pub(super) fn resign(&self) -> bool {
        self.hopeless >= RESIGNS_AFTER
    }
}

/// Is a draw welcome at this score?
pub(super) fn takes_draw(score: Reported) -> bool {
    is_below(score, TAKES_DRAW_BELOW)
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
        let mut note = |score| {
            hopes.note(Color::Black, 2, Some(score));
            hopes.resign()
        };
        assert!(!note(Reported::Mate(-9)) && !note(Reported::Centipawns(-1000)));
        assert!(note(Reported::Centipawns(-5000)));
        assert!(!note(Reported::Centipawns(-999)));
        assert!(!hopes.resign());
    }

    #[test]
    fn a_score_holds_for_its_side_and_until_the_next_answer() {
        let mut hopes = Hopes::default();
        assert_eq!(hopes.score(Color::Black, 2), None);
        let bad = Reported::Centipawns(-3000);
        hopes.note(Color::Black, 2, Some(bad));
        assert_eq!((hopes.score(Color::Black, 2), hopes.score(Color::Black, 3)), (Some(bad), Some(bad)));
        assert_eq!((hopes.score(Color::White, 2), hopes.score(Color::Black, 4)), (None, None));
        hopes.note(Color::Black, 4, Some(bad));
        hopes.note(Color::White, 7, Some(bad));
        hopes.note(Color::White, 9, Some(bad));
        assert!(!hopes.resign(), "two of these moves were the opponent's");
        hopes.note(Color::White, 11, None);
        assert_eq!(hopes.score(Color::White, 11), None, "a move from a book");
    }

    #[test]
    fn draws_are_taken_in_bad_positions() {
        let welcome = [Reported::Centipawns(-20), Reported::Mate(-3), Reported::Mate(0)];
        let unwelcome = [Reported::Centipawns(-19), Reported::Centipawns(731), Reported::Mate(4)];
        assert!(welcome.into_iter().all(takes_draw) && !unwelcome.into_iter().any(takes_draw));
    }
}
