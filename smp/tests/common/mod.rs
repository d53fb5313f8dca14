//! Positions that a search cannot have been fitted to.

use chess::{Game, Position};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Positions from random games: openings, middle games and end games.
pub fn random_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut game = Game::default();
        for _ in 0..rng.random_range(4..120) {
            let moves = game.position().legal_moves();
            if game.outcome().is_some() {
                break;
            }
            game.play(*moves.choose(&mut rng).expect("the game goes on")).expect("a generated move");
        }
        if game.outcome().is_none() {
            found.push(game.position().clone());
        }
    }
    found
}
