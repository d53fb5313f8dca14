//! In which order the moves of the root are searched.

use chess::{Game, Move, Position};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use thinking::report::{Limits, Observer};

/// Keeps the root moves in the order in which they are searched first, with their depths.
#[derive(Default)]
struct Order(Mutex<Vec<(u32, Move)>>);

impl Observer for Order {
    fn root_move(&self, depth: u32, current: Move, _: usize, _: usize) {
        self.0.lock().expect("no thread panics").push((depth, current));
    }
}

fn order(fen: &str, depth: u32, exact: bool) -> Vec<(u32, Move)> {
    let position = Position::from_fen(fen).expect("a legal FEN");
    let table = Arc::new(Table::new(1).expect("a small table"));
    let limits = Limits { depth: Some(depth), exact, ..Limits::default() };
    let shared = Shared::new(table, limits, 1, 1);
    let heard = Order::default();
    search_alone(&shared, &mut Memory::default(), &Task::from(&Game::new(position)), Some(&heard));
    heard.0.into_inner().expect("no thread panics")
}

/// A rook takes an undefended queen: nothing is known of any move yet, and the first one has its place from the list.
/// The exact search keeps to the list.
#[test]
fn unknown_moves_come_as_at_any_node() {
    let fen = "4k3/8/8/7q/8/8/3PPP2/3QK2R w - - 0 1";
    let position = Position::from_fen(fen).expect("a legal FEN");
    let takes = position.parse_uci("h1h5").expect("a legal move");
    let listed = position.legal_moves().iter().position(|&mv| mv == takes).expect("a legal move");
    assert!(listed > 3, "{listed}");
    let place = |exact| order(fen, 1, exact).iter().position(|&(_, mv)| mv == takes).expect("it is searched");
    assert_eq!((place(false), place(true)), (1, listed));
}

/// However they are ordered, no move is lost.
#[test]
fn every_move_is_searched_at_every_depth() {
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1";
    let heard = order(fen, 5, false);
    let depths: Vec<_> = heard.chunk_by(|a, b| a.0 == b.0).collect();
    assert_eq!(depths.len(), 5);
    for depth in depths {
        let different: HashSet<String> = depth.iter().map(|(_, mv)| mv.to_string()).collect();
        assert_eq!(different.len(), 33, "{depth:?}");
    }
}
