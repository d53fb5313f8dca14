//! Where games begin and what comes of it.

use std::collections::HashMap;

use crate::archive::Game;
use crate::pgn::numbers;
use crate::record::Score;
use crate::stats::Wdl;

/// One opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Its moves, or its position.
    pub name: String,
    /// White's results.
    pub white: Wdl,
    /// Moves of all its games.
    pub plies: u64,
}

impl Opening {
    /// Moves of a game on the mean.
    #[must_use]
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.white.games().max(1) as f64
    }

    /// What is remarkable, where two games or more ended all alike.
    #[must_use]
    pub fn remark(&self) -> Option<&'static str> {
        let games = self.white.games();
        match self.white {
            _ if games < 2 => None,
            Wdl { wins, .. } if wins == games => Some("White won every game"),
            Wdl { losses, .. } if losses == games => Some("Black won every game"),
            Wdl { draws, .. } if draws == games => Some("every game was drawn"),
            _ => None,
        }
    }
}

/// All openings, told apart by start position and book moves.
#[derive(Debug, Clone, Default)]
pub struct Openings {
    list: Vec<Opening>,
    numbers: HashMap<String, usize>,
}

impl Openings {
    /// Counts a game; returns its opening's number.
    pub(super) fn add(&mut self, game: &Game<'_>) -> usize {
        let name = name(game);
        let next = self.list.len();
        let number = *self.numbers.entry(name).or_insert_with_key(|name| {
            self.list.push(Opening { name: name.clone(), white: Wdl::default(), plies: 0 });
            next
        });
        let opening = &mut self.list[number];
        opening.plies += game.moves.len() as u64;
        match game.result {
            Score::White => opening.white.wins += 1,
            Score::Black => opening.white.losses += 1,
            Score::Draw => opening.white.draws += 1,
        }
        number
    }

    /// In the order of their first games.
    #[must_use]
    pub fn list(&self) -> &[Opening] {
        &self.list
    }

    /// Most games first, then the most lopsided.
    #[must_use]
    pub fn ranked(&self) -> Vec<&Opening> {
        let mut ranked: Vec<&Opening> = self.list.iter().collect();
        let tilt = |opening: &Opening| opening.white.wins.abs_diff(opening.white.losses);
        ranked.sort_by(|a, b| b.white.games().cmp(&a.white.games()).then(tilt(b).cmp(&tilt(a))));
        ranked
    }
}

/// `1. e4 e5 2. Nf3`, a FEN, or both.
fn name(game: &Game<'_>) -> String {
    let mut parts: Vec<String> = game.fen.iter().cloned().collect();
    let number = game.fen.as_deref().and_then(|fen| fen.split_whitespace().nth(5)?.parse::<u32>().ok());
    let numbers = numbers(number.unwrap_or(1), game.white_first());
    for (ply, number) in game.opening().iter().zip(numbers) {
        parts.extend(number);
        parts.push(ply.san.to_string());
    }
    if parts.is_empty() { "start position".to_owned() } else { parts.join(" ") }
}
