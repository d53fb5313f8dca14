//! Files of games for trainers to learn from: random moves, and scores that count the men.

use chess::{Color, Position};
use rand::{rngs::SmallRng, seq::IndexedRandom};
use std::path::Path;
use training::format::{Header, Writer};
use training::game::{Ending, Game, GameResult, Ply};
use training::recipe::Recipe;

/// Writes a file of so many games; `seed` stands in its header.
pub fn write_games(path: &Path, seed: u64, games: usize, random: &mut SmallRng) {
    let recipe = Recipe::new(seed, 1000);
    let header = Header { engine: "firstborn test".into(), commit: None, bench: 1, network: None, recipe };
    let mut writer = Writer::open(path, &header).expect("the folder can be written to").writer;
    (0..games).for_each(|_| writer.add(&game(random)).expect("the moves are legal"));
    writer.finish().expect("the folder can be written to");
}

fn game(random: &mut SmallRng) -> Game {
    let start = Position::startpos();
    let mut position = start.clone();
    let mut plies = Vec::new();
    while plies.len() < 60 {
        let Some(&mv) = position.legal_moves().choose(random) else { break };
        let count = |color: Color| position.color_bb(color).count() as i32;
        let us = position.side_to_move();
        plies.push(Ply { mv, score: 200 * (count(us) - count(!us)) });
        position.play(mv);
    }
    Game { start, opening: Vec::new(), plies, result: GameResult::Draw, ending: Ending::TooLong }
}
