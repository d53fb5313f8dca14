//! The games that are being played, for those who look on: workers write, a server and a file of games read.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;

use crate::pgn::{Event, write_running};
use crate::record::MoveRecord;

/// What an engine said of its last move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thought {
    /// Its evaluation in centipawns.
    pub score: Option<i32>,
    /// Depth reached.
    pub depth: Option<u32>,
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
    /// What does not change during the game.
    #[serde(skip)]
    pub begin: Begin,
    /// The moves.
    #[serde(skip)]
    pub moves: Vec<MoveRecord>,
}

/// How a running game began.
#[derive(Debug, Clone, Default)]
pub struct Begin {
    /// Its round, from 1.
    pub round: usize,
    /// White's number in the field, and Black's.
    pub players: [usize; 2],
    /// The start position, if it is not the usual one.
    pub fen: Option<String>,
    /// Chess960 rules and notation.
    pub chess960: bool,
    /// Unix time in milliseconds.
    pub started_ms: u64,
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
    /// A game begins, or moves have been made in it: these are all of them.
    pub fn show(&self, game: Running, all_moves: &[MoveRecord]) {
        let mut games = self.lock();
        let (thoughts, mut moves) = match games.remove(&game.game) {
            Some(before) => {
                let [white, black] = game.thoughts;
                let [white_before, black_before] = before.thoughts;
                ([white.or(white_before), black.or(black_before)], before.moves)
            }
            None => (game.thoughts, Vec::new()),
        };
        moves.extend_from_slice(all_moves.get(moves.len()..).unwrap_or_default());
        games.insert(game.game, Running { thoughts, moves, ..game });
    }

    /// All of them as PGN, without results.
    #[must_use]
    pub fn pgn(&self, event: &Event) -> Vec<u8> {
        let mut text = Vec::new();
        for game in self.lock().values() {
            // Writing into memory cannot fail.
            let _ = write_running(&mut text, event, game);
        }
        text
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
            begin: Begin::default(),
            moves: Vec::new(),
        }
    }

    /// What the one side said stays while the other one moves; a game that is over is gone.
    #[test]
    fn boards_keep_what_both_sides_said() {
        let thought = |score| Some(Thought { score: Some(score), depth: None, line: "e4".into() });
        let boards = Boards::default();
        boards.show(running(1, [None, None]), &[]);
        boards.show(running(2, [None, None]), &[]);
        boards.show(running(1, [thought(10), None]), &[]);
        boards.show(running(1, [None, thought(-20)]), &[]);
        let read = || serde_json::from_str::<serde_json::Value>(&boards.json()).unwrap();
        let games = read();
        assert_eq!(games["games"].as_array().unwrap().len(), 2);
        assert_eq!(games["games"][0]["thoughts"][0]["score"], 10);
        assert_eq!(games["games"][0]["thoughts"][1]["score"], -20);
        assert!(games["games"][0]["thinking_ms"].is_u64());
        boards.end(1);
        assert_eq!(read()["games"][0]["game"], 2);
    }

    /// Each move is kept once, whichever was the last to be shown.
    #[test]
    fn running_games_are_games_without_a_result() {
        let mv = |san: &str| MoveRecord { ms: Some(5), ..MoveRecord::of_opening(san.into(), String::new()) };
        let moves = [MoveRecord::of_opening("e4".into(), String::new()), mv("c5"), mv("Nf3")];
        let boards = Boards::default();
        let event = Event { name: "E".into(), limits: vec!["1+0".into(); 2], ..Event::default() };
        boards.show(running(3, [None, None]), &moves[..1]);
        boards.show(running(3, [None, None]), &moves[..2]);
        boards.show(running(3, [None, None]), &moves);
        let text = String::from_utf8(boards.pgn(&event)).unwrap();
        assert!(text.contains("[White \"A\"]") && text.contains("[Result \"*\"]"), "{text}");
        assert!(text.contains("1. e4 {book} c5 {?/0 0.005s} 2. Nf3 {?/0 0.005s} *"), "{text}");
        let read = crate::replay::replay(text.as_bytes()).unwrap();
        assert_eq!((read.len(), read[0].plies, read[0].result.as_str()), (1, 3, "*"));
        boards.end(3);
        assert!(boards.pgn(&event).is_empty());
    }
}
