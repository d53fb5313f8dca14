//! What an engine says of its search, held against the rules: counts of what is not in order, which decide no
//! game.
//!
//! The checks are made when a game is over, so that no clock waits for them.

use chess::{Game, Outcome};
use client::Evaluation;
use serde::{Deserialize, Serialize};

/// Counts of one player in one game, or of several games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Checks {
    /// Principal variations with an illegal move.
    #[serde(default, skip_serializing_if = "is_none")]
    pub illegal_pv: u32,
    /// Principal variations that go on after the end of the game.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pv_past_end: u32,
    /// Those of them that go on after checkmate.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pv_past_mate: u32,
    /// Those of them that go on after stalemate.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pv_past_stalemate: u32,
    /// Those of them that go on after threefold repetition.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pv_past_repetition: u32,
    /// Those of them that go on after fifty moves without a capture or a pawn move.
    #[serde(default, skip_serializing_if = "is_none")]
    pub pv_past_fifty: u32,
    /// Moves that are not the first of the last principal variation, unless its score is a bound.
    #[serde(default, skip_serializing_if = "is_none")]
    pub other_move: u32,
    /// Mate scores whose principal variation is shorter or longer than they say, or does not end in mate.
    #[serde(default, skip_serializing_if = "is_none")]
    pub mate_pv: u32,
    /// Moves without any score.
    #[serde(default, skip_serializing_if = "is_none")]
    pub no_score: u32,
    /// Moves that were not asked for.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unasked: u32,
    /// Processes that did not get ready for one game more, so that the next one played it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub replaced: u32,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

impl Checks {
    /// Whether nothing was found in either player's searches.
    #[must_use]
    pub fn are_clean(both: &[Self; 2]) -> bool {
        both.iter().all(|checks| *checks == Self::default())
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.illegal_pv += other.illegal_pv;
        self.pv_past_end += other.pv_past_end;
        self.pv_past_mate += other.pv_past_mate;
        self.pv_past_stalemate += other.pv_past_stalemate;
        self.pv_past_repetition += other.pv_past_repetition;
        self.pv_past_fifty += other.pv_past_fifty;
        self.other_move += other.other_move;
        self.mate_pv += other.mate_pv;
        self.no_score += other.no_score;
        self.unasked += other.unasked;
        self.replaced += other.replaced;
    }

    /// Every count that is not zero, with what it counts.
    #[must_use]
    pub fn found(&self) -> Vec<(u32, &'static str)> {
        [
            (self.illegal_pv, "illegal move in a principal variation"),
            (self.pv_past_end, "principal variation past the end of the game"),
            (self.other_move, "move that is not the first of its principal variation"),
            (self.mate_pv, "mate score without the mate in its principal variation"),
            (self.no_score, "move without a score"),
            (self.unasked, "move that was not asked for"),
            (self.replaced, "process that did not get ready for its next game and was started anew"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .collect()
    }

    /// Looks at what was said of one move. `game`: the game in which it was made, which is the same afterwards; `best`:
    /// the move in coordinates, empty where the variation need not begin with it. Returns the illegal move of the
    /// principal variation, if there is one.
    pub fn look(
        &mut self,
        game: &mut Game,
        best: &str,
        score: Option<Evaluation>,
        pv: &str,
    ) -> Option<String> {
        let before = game.moves().len();
        let illegal = self.follow(game, best, score, pv);
        while game.moves().len() > before {
            game.undo();
        }
        illegal
    }

    /// Counts a variation that goes on after this.
    fn past_end(&mut self, outcome: Outcome) {
        self.pv_past_end += 1;
        match outcome {
            Outcome::Checkmate { .. } => self.pv_past_mate += 1,
            Outcome::Stalemate => self.pv_past_stalemate += 1,
            Outcome::Repetition => self.pv_past_repetition += 1,
            Outcome::FiftyMoves => self.pv_past_fifty += 1,
            Outcome::InsufficientMaterial => {}
        }
    }

    fn follow(&mut self, game: &mut Game, best: &str, score: Option<Evaluation>, pv: &str) -> Option<String> {
        self.no_score += u32::from(score.is_none());
        let mut plies = 0;
        for (index, text) in pv.split_ascii_whitespace().enumerate() {
            if let Some(outcome) = game.outcome() {
                self.past_end(outcome);
                return None;
            }
            let position = game.position();
            let Ok(mv) = position.parse_uci(text).or_else(|_| position.parse_san(text)) else {
                self.illegal_pv += 1;
                return Some(text.to_owned());
            };
            let other = index == 0 && position.parse_uci(best).is_ok_and(|best| best != mv);
            self.other_move += u32::from(other);
            // A legal move can be played.
            let _ = game.play(mv);
            plies += 1;
        }
        if let Some(Evaluation::Mate(moves)) = score.filter(|_| plies > 0) {
            let wanted = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            let mated = !game.position().has_legal_move() && game.position().in_check();
            self.mate_pv += u32::from(plies != wanted || !mated);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(moves: &[&str], best: &str, score: Option<Evaluation>, pv: &str) -> (Checks, Option<String>) {
        let mut game = Game::default();
        for san in moves {
            let mv = game.position().parse_san(san).unwrap();
            game.play(mv).unwrap();
        }
        let mut checks = Checks::default();
        let illegal = checks.look(&mut game, best, score, pv);
        assert_eq!(game.moves().len(), moves.len());
        (checks, illegal)
    }

    /// Each fault by itself, made by hand.
    #[test]
    fn every_fault_is_counted_by_its_kind() {
        let cp = Some(Evaluation::Centipawns(20));
        let clean = Checks::default();
        assert_eq!(look(&[], "e2e4", cp, "e2e4 e7e5 g1f3"), (clean, None));
        assert_eq!(look(&[], "e2e4", cp, ""), (clean, None), "no variation is none to find fault with");
        let (checks, illegal) = look(&[], "e2e4", cp, "e2e4 e7e4 g1f3");
        assert_eq!((checks.illegal_pv, illegal.as_deref()), (1, Some("e7e4")));
        assert_eq!(look(&[], "d2d4", cp, "e2e4").0, Checks { other_move: 1, ..clean });
        assert_eq!(look(&[], "e2e4", None, "e2e4").0, Checks { no_score: 1, ..clean });
        let fools = ["f3", "e5", "g4"];
        let mate = |moves| Some(Evaluation::Mate(moves));
        assert_eq!(look(&fools, "d8h4", mate(1), "d8h4"), (clean, None));
        assert_eq!(look(&fools, "d8h4", mate(2), "d8h4").0, Checks { mate_pv: 1, ..clean });
        assert_eq!(look(&fools, "b8c6", mate(1), "b8c6").0, Checks { mate_pv: 1, ..clean });
        let past_mate = Checks { pv_past_end: 1, pv_past_mate: 1, ..clean };
        assert_eq!(look(&fools, "d8h4", mate(1), "d8h4 e1f2").0, past_mate);
        let repeated = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4";
        let past_repetition = Checks { pv_past_end: 1, pv_past_repetition: 1, ..clean };
        assert_eq!(look(&[], "g1f3", cp, repeated).0, past_repetition);
        for (fen, pv, wanted) in [
            ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7 h8g8", Checks { pv_past_stalemate: 1, ..clean }),
            ("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "a1a2 h8g8", Checks { pv_past_fifty: 1, ..clean }),
            // No rule that fastchess looks at.
            ("8/8/8/8/4k3/3R4/8/6K1 b - - 0 1", "e4d3 g1f1", clean),
        ] {
            let mut checks = clean;
            let mut game = Game::new(chess::Position::from_fen(fen).unwrap());
            checks.look(&mut game, &pv[..4], cp, pv);
            assert_eq!(checks, Checks { pv_past_end: 1, ..wanted }, "{fen}");
        }
        // Mated in one: a move of its own, and the mate.
        assert_eq!(look(&["f3", "e5"], "g2g4", mate(-1), "g2g4 d8h4"), (clean, None));
        // In xboard's protocol variations are often in SAN.
        assert_eq!(look(&[], "g1f3", cp, "Nf3 Nf6"), (clean, None));
    }

    #[test]
    fn counts_add_up_and_are_named() {
        let mut sum = Checks { no_score: 2, ..Checks::default() };
        sum.add(&Checks { no_score: 1, unasked: 4, pv_past_fifty: 2, ..Checks::default() });
        sum.add(&Checks { pv_past_stalemate: 5, pv_past_repetition: 6, ..Checks::default() });
        assert_eq!(sum.found(), [(3, "move without a score"), (4, "move that was not asked for")]);
        assert_eq!((sum.pv_past_fifty, sum.pv_past_stalemate, sum.pv_past_repetition), (2, 5, 6));
        assert!(Checks::are_clean(&[Checks::default(); 2]) && !Checks::are_clean(&[sum, sum]));
    }
}
