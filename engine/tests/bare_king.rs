//! Endings against a bare king are won by a search of few nodes with the network, which has learnt little of them.

use chess::{Color, Game, Outcome, Position};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use nnue::Network;
use rand::seq::index;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use thinking::report::Limits;

/// A position with White to move, kings and these white pieces on squares drawn at random, none of which the bare king
/// attacks.
fn drawn(pieces: &str, rng: &mut impl Rng) -> Position {
    loop {
        let squares = index::sample(rng, 64, pieces.len() + 2).into_vec();
        let mut board = ['1'; 64];
        squares
            .iter()
            .zip(pieces.chars().chain(['K', 'k']))
            .for_each(|(&square, piece)| board[square] = piece);
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let Ok(position) = Position::from_fen(&format!("{} w - - 0 1", ranks.join("/"))) else { continue };
        let safe = (position.attacked_by(Color::Black) & position.color_bb(Color::White)).is_empty();
        if safe && Game::new(position.clone()).outcome().is_none() {
            return position;
        }
    }
}

/// The end of a game in which both sides are played by searches of so many nodes.
fn played(start: Position, nodes: u64) -> Option<Outcome> {
    let mut game = Game::new(start);
    let table = Arc::new(Table::new(1).expect("a small table"));
    let mut memory = Memory::default();
    while game.outcome().is_none() {
        table.grow_older();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let mut shared = Shared::new(Arc::clone(&table), limits, 1, 1);
        shared.network = Some(Network::embedded());
        let found = search_alone(&shared, &mut memory, &Task::from(&game), None);
        game.play(found.root.best().expect("a legal move").mv).expect("a legal move");
    }
    game.outcome()
}

#[test]
fn a_thousand_nodes_a_move_mate_a_bare_king() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for pieces in ["Q", "R", "RN", "QP"] {
        for _ in 0..8 {
            let start = drawn(pieces, &mut rng);
            let fen = start.fen();
            assert_eq!(played(start, 1000), Some(Outcome::Checkmate { winner: Color::White }), "{fen}");
        }
    }
}
