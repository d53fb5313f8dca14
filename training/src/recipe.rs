//! The settings that games were made with. They stand in the header of every file of games, and with search and
//! network they determine every game: game `n` of a seed is the same whatever the number of threads.

use chess::Color;
use serde::{Deserialize, Serialize};
use thinking::score::Score;

/// How to make games. Scores in centipawns, lengths in plies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The seed of everything random.
    pub seed: u64,
    /// A search that has spent this many nodes begins no further iteration.
    pub soft_nodes: u64,
    /// A search stops where it is at this many nodes.
    pub hard_nodes: u64,
    /// Size of each player's table in MiB; it is cleared before every game.
    pub hash: usize,
    /// Random plies that a game opens with: this many, or one more, so that either side may be first to think.
    pub random_plies: usize,
    /// Openings whose first search says more than this for either side are thrown away.
    pub sane: Score,
    /// Adjudication of won and drawn games.
    pub adjudication: Adjudication,
    /// The share of games, from 0 to 1, that begin in a start position of double Chess960: White's pieces and Black's
    /// each in one of the 960 orders. Files without this word have none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub chess960: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

impl Recipe {
    /// The usual recipe for a seed and a soft limit of nodes a move: hard limit eight times that, though always enough
    /// to finish the first iteration.
    pub fn new(seed: u64, soft_nodes: u64) -> Self {
        Recipe {
            seed,
            soft_nodes,
            hard_nodes: soft_nodes.saturating_mul(8).max(10_000),
            hash: 4,
            random_plies: 8,
            sane: 400,
            adjudication: Adjudication::default(),
            chess960: 0.0,
        }
    }
}

/// When a game is ended before the rules end it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// Won when both players see at least this for the same side...
    pub win_score: Score,
    /// ...for this many plies in a row.
    pub win_plies: usize,
    /// Drawn when both players see at most this for either side...
    pub draw_score: Score,
    /// ...for this many plies in a row...
    pub draw_plies: usize,
    /// ...and the game has lasted this long, random plies included.
    pub draw_from: usize,
    /// Drawn at this length, whatever the score.
    pub longest: usize,
}

impl Default for Adjudication {
    fn default() -> Self {
        Adjudication {
            win_score: 2000,
            win_plies: 4,
            draw_score: 8,
            draw_plies: 12,
            draw_from: 80,
            longest: 400,
        }
    }
}

/// What the adjudicator says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This side has won.
    Win(Color),
    /// Both players see equality, and have for long.
    Draw,
    /// The game is as long as a game may be.
    TooLong,
}

/// Watches the scores of a game.
#[derive(Clone, Debug)]
pub struct Adjudicator<'r> {
    rules: &'r Adjudication,
    /// Plies in a row that both players saw this side winning.
    winning: [usize; 2],
    level: usize,
}

impl<'r> Adjudicator<'r> {
    /// Begins to watch a game.
    pub fn new(rules: &'r Adjudication) -> Self {
        Adjudicator { rules, winning: [0; 2], level: 0 }
    }

    /// Hears what `side`, to move after `plies` plies of the game, thinks of its position.
    pub fn hear(&mut self, side: Color, score: Score, plies: usize) -> Option<Verdict> {
        for color in Color::ALL {
            let view = if color == side { score } else { -score };
            let run = &mut self.winning[color.index()];
            *run = if view >= self.rules.win_score { *run + 1 } else { 0 };
            if *run >= self.rules.win_plies {
                return Some(Verdict::Win(color));
            }
        }
        self.level = if score.abs() <= self.rules.draw_score { self.level + 1 } else { 0 };
        if self.level >= self.rules.draw_plies && plies >= self.rules.draw_from {
            return Some(Verdict::Draw);
        }
        (plies >= self.rules.longest).then_some(Verdict::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the adjudicator says of a game whose scores are given from White's view, White first to think.
    fn verdicts(scores: &[Score]) -> Vec<Option<Verdict>> {
        let rules = Adjudication { draw_from: 6, longest: 20, ..Adjudication::default() };
        let mut adjudicator = Adjudicator::new(&rules);
        let hear = |(ply, &white): (usize, &Score)| {
            let side = Color::ALL[ply % 2];
            adjudicator.hear(side, if side == Color::White { white } else { -white }, ply)
        };
        scores.iter().enumerate().map(hear).collect()
    }

    #[test]
    fn a_win_is_his_whom_both_players_see_winning() {
        let white = verdicts(&[100, 2500, 2000, 2300, 31_000]);
        assert_eq!((white[3], white[4]), (None, Some(Verdict::Win(Color::White))));
        let black = verdicts(&[0, -2000, -2000, -2000, -2000]);
        assert_eq!(black[4], Some(Verdict::Win(Color::Black)));
        // Each player thinks that it wins itself: neither does.
        assert!(verdicts(&[2500, -2500, 2500, -2500, 2500, -2500]).iter().all(Option::is_none));
        // One doubt in between, and the count begins anew.
        assert!(verdicts(&[2500, 2500, 2500, 1999, 2500, 2500, 2500]).iter().all(Option::is_none));
    }

    #[test]
    fn draws_need_a_long_silence_and_a_late_hour() {
        let level = verdicts(&[8; 13]);
        assert_eq!((level[10], level[11]), (None, Some(Verdict::Draw)));
        assert!(verdicts(&[9; 19]).iter().all(Option::is_none));
        assert_eq!(verdicts(&[50; 21])[20], Some(Verdict::TooLong));
    }
}
