//! Games whose moves are kept, for a page to show: the last ones, and for up to a quarter of all places the first that
//! ended by forfeit.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::archive::Game;

/// Games as the page's viewer reads them.
#[derive(Debug, Clone)]
pub struct Shown {
    most: usize,
    forfeits: Vec<(u64, Value)>,
    last: VecDeque<(u64, Value)>,
}

impl Shown {
    /// Of so many games.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, forfeits: Vec::new(), last: VecDeque::new() }
    }

    /// Keeps a game: `number` among all, White's and Black's numbers, and that of the opening.
    pub(super) fn add(&mut self, game: &Game<'_>, number: u64, sides: [usize; 2], opening: usize) {
        if self.most == 0 {
            return;
        }
        let kept = (number, encode(game, number, sides, opening));
        if game.ending.is_forfeit() && self.forfeits.len() < self.most / 4 {
            self.forfeits.push(kept);
        } else {
            self.last.push_back(kept);
        }
        if self.last.len() + self.forfeits.len() > self.most {
            self.last.pop_front();
        }
    }

    /// How many games are kept since they are the first that ended by forfeit; later ones are kept as any other game.
    #[must_use]
    pub fn first_forfeits(&self) -> usize {
        self.forfeits.len()
    }

    /// The games that are kept, by number.
    #[must_use]
    pub fn games(&self) -> Vec<&Value> {
        let mut games: Vec<&(u64, Value)> = self.forfeits.iter().chain(&self.last).collect();
        games.sort_by_key(|game| game.0);
        games.into_iter().map(|game| &game.1).collect()
    }
}

/// Short names, since there are many of them.
fn encode(game: &Game<'_>, number: u64, sides: [usize; 2], opening: usize) -> Value {
    let moves =
        |text: &dyn Fn(usize) -> String| (0..game.moves.len()).map(text).collect::<Vec<_>>().join(" ");
    let column =
        |value: &dyn Fn(usize) -> Option<i64>| -> Value { (0..game.moves.len()).map(value).collect() };
    let signed = |value: Option<u64>| value.and_then(|value| i64::try_from(value).ok());
    json!({
        "n": number, "w": sides[0], "b": sides[1], "o": opening, "p": game.opening_plies,
        "f": game.fen, "r": game.result.text(), "e": game.ending.to_string(), "y": game.reason,
        "s": moves(&|i| game.moves[i].san.to_string()), "m": moves(&|i| game.moves[i].uci.to_string()),
        "v": column(&|i| game.moves[i].score.map(i64::from)), "d": column(&|i| game.moves[i].depth.map(i64::from)),
        "c": column(&|i| signed(game.moves[i].clock_ms)), "u": column(&|i| signed(game.moves[i].ms)),
        "k": column(&|i| signed(game.moves[i].nodes)),
    })
}
