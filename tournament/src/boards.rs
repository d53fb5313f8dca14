//! The boards of the games that are being played, for whoever looks on: workers write, a server reads.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;

/// What an engine said of its last move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thought {
    /// Its evaluation in centipawns.
    pub score: Option<i32>,
    /// Depth reached.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Its principal variation.
    pub line: String,
}

/// A running game.
#[derive(Debug, Clone, Serialize)]
pub struct Running {
    /// Its number, from 1.
    pub game: usize,
    /// White's name and Black's.
    pub names: [String; 2],
    /// The position.
    pub fen: String,
    /// Whether Black is to move.
    pub black: bool,
    /// The last move, in coordinates.
    pub last: Option<String>,
    /// Moves played, those of the opening included.
    pub plies: usize,
    /// Milliseconds left on the clocks when the mover's clock was started; none without clocks.
    pub clocks: [Option<u64>; 2],
    /// What both said last.
    pub thoughts: [Option<Thought>; 2],
    /// When the mover's clock was started.
    #[serde(skip)]
    pub since: Instant,
}

/// A running game at a moment.
#[derive(Debug, Clone, Serialize)]
struct Now<'a> {
    #[serde(flatten)]
    game: &'a Running,
    thinking_ms: u64,
}

/// All running games.
#[derive(Debug, Default)]
pub struct Boards {
    games: Mutex<BTreeMap<usize, Running>>,
}

impl Boards {
    /// A game begins, or a move has been made in it.
    pub fn show(&self, game: Running) {
        let mut games = self.lock();
        let thoughts = match games.remove(&game.game) {
            Some(before) => {
                let [white, black] = game.thoughts;
                let [white_before, black_before] = before.thoughts;
                [white.or(white_before), black.or(black_before)]
            }
            None => game.thoughts,
        };
        games.insert(game.game, Running { thoughts, ..game });
    }

    /// A game is over, or given up.
    pub fn end(&self, game: usize) {
        self.lock().remove(&game);
    }

    /// All of them as a JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        let games = self.lock();
        let elapsed = |game: &Running| u64::try_from(game.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let games: Vec<Now> = games.values().map(|game| Now { game, thinking_ms: elapsed(game) }).collect();
        serde_json::json!({ "games": games }).to_string()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Running>> {
        // A panic elsewhere leaves the map whole.
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(game: usize, thoughts: [Option<Thought>; 2]) -> Running {
        Running {
            game,
            names: ["A".into(), "<B>".into()],
            fen: "8/8/8/8/8/8/8/8 w - - 0 1".into(),
            black: false,
            last: None,
            plies: 0,
            clocks: [Some(1000), None],
            thoughts,
            since: Instant::now(),
        }
    }

    /// What the one side said stays while the other one moves; a game that is over is gone.
    #[test]
    fn boards_keep_what_both_sides_said() {
        let thought =
            |score| Some(Thought { score: Some(score), depth: None, nodes: None, line: "e4".into() });
        let boards = Boards::default();
        boards.show(running(1, [None, None]));
        boards.show(running(2, [None, None]));
        boards.show(running(1, [thought(10), None]));
        boards.show(running(1, [None, thought(-20)]));
        let read = || serde_json::from_str::<serde_json::Value>(&boards.json()).unwrap();
        let games = read();
        assert_eq!(games["games"].as_array().unwrap().len(), 2);
        assert_eq!(games["games"][0]["thoughts"][0]["score"], 10);
        assert_eq!(games["games"][0]["thoughts"][1]["score"], -20);
        assert!(games["games"][0]["thinking_ms"].is_u64());
        boards.end(1);
        assert_eq!(read()["games"][0]["game"], 2);
    }
}
