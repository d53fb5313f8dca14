//! In which order the moves of the root are searched, how often, and in which order they come out.

use chess::{Game, Move, Position};
use engine::iterate::{ThreadResult, search_alone};
use engine::shared::Shared;
use engine::tt::{Entry, Table, table_key};
use engine::worker::{Memory, Task};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use thinking::report::{Bound, Limits, Observer};
use thinking::score::mate_in;

/// Keeps the root moves in the order in which they are searched first, with their depths.
#[derive(Default)]
struct Order(Mutex<Vec<(u32, Move)>>);

impl Observer for Order {
    fn root_move(&self, depth: u32, current: Move, _: usize, _: usize) {
        self.0.lock().expect("no thread panics").push((depth, current));
    }
}

fn order(fen: &str, limits: Limits, lines: usize) -> Vec<(u32, Move)> {
    let position = Position::from_fen(fen).expect("a legal FEN");
    let table = Arc::new(Table::new(1).expect("a small table"));
    let shared = Shared::new(table, limits, lines, 1);
    let heard = Order::default();
    search_alone(&shared, &mut Memory::default(), &Task::from(&Game::new(position)), Some(&heard));
    heard.0.into_inner().expect("no thread panics")
}

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// A rook takes an undefended queen, by the second move.
const QUEEN: (&str, &str) = ("4k3/8/8/7q/8/8/3PPP2/3QK2R w - - 0 1", "h1h5");

/// Nothing is known of any move yet, and the first one has its place from the list. The exact search keeps to the list.
#[test]
fn unknown_moves_come_as_at_any_node() {
    let (fen, takes) = QUEEN;
    let position = Position::from_fen(fen).expect("a legal FEN");
    let takes = position.parse_uci(takes).expect("a legal move");
    let listed = position.legal_moves().iter().position(|&mv| mv == takes).expect("a legal move");
    assert!(listed > 3, "{listed}");
    let place = |exact| {
        let heard = order(fen, Limits { exact, ..to_depth(1) }, 1);
        heard.iter().position(|&(_, mv)| mv == takes).expect("it is searched")
    };
    assert_eq!((place(false), place(true)), (1, listed));
}

/// What a search of that position comes to with this table.
fn result(table: Table, depth: u32, lines: usize) -> ThreadResult {
    let game = Game::new(Position::from_fen(QUEEN.0).expect("a legal FEN"));
    let shared = Shared::new(Arc::new(table), to_depth(depth), lines, 1);
    search_alone(&shared, &mut Memory::default(), &Task::from(&game), None)
}

/// The capture becomes the best move in the first iteration, and no other does in those after it.
#[test]
fn changes_of_the_best_move_are_those_of_the_last_iteration() {
    let changes = |depth| result(Table::new(1).expect("a small table"), depth, 1).root.changes;
    assert_eq!([1, 2, 3].map(changes), [1, 0, 0]);
}

/// How long to think goes by these. In the first iteration, which nothing precedes, they are those of a search for one
/// line, however many are wanted.
#[test]
fn further_lines_change_neither_the_effort_nor_the_changes() {
    let legal = Position::from_fen(QUEEN.0).expect("a legal FEN").legal_moves();
    let known = |lines| {
        let root = result(Table::new(1).expect("a small table"), 1, lines).root;
        let nodes = |&mv: &Move| root.find(mv).expect("a legal move").nodes;
        (root.changes, legal.iter().map(nodes).collect::<Vec<_>>())
    };
    assert_eq!(known(3), known(1));
}

/// The table is wrong about the capture, which null windows believe. When it is the next move to be searched with an
/// open window, it turns out to be better than the lines that have been found before.
#[test]
fn lines_that_come_out_better_go_before_the_others() {
    let (fen, takes) = QUEEN;
    let position = Position::from_fen(fen).expect("a legal FEN");
    let takes = position.parse_uci(takes).expect("a legal move");
    let table = Table::new(1).expect("a small table");
    let score = mate_in(5);
    let wrong = Entry { mv: None, score, eval: None, depth: 40, bound: Bound::Exact, pv: false };
    table.store(table_key(&position.after(takes)), wrong);
    let root = result(table, 1, position.count_legal()).root;
    assert_eq!(root.best().map(|best| best.mv), Some(takes), "{:?}", root.moves);
}

/// However they are ordered, no move is lost.
#[test]
fn every_move_is_searched_at_every_depth() {
    let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1";
    let heard = order(fen, to_depth(5), 1);
    let depths: Vec<_> = heard.chunk_by(|a, b| a.0 == b.0).collect();
    assert_eq!(depths.len(), 5);
    for depth in depths {
        let different: HashSet<String> = depth.iter().map(|(_, mv)| mv.to_string()).collect();
        assert_eq!(different.len(), 33, "{depth:?}");
    }
}

/// The king takes the rook, which is a draw, or is mated soon. Each line is searched with a window around its own last
/// score, which no longer changes: one search of the root finds it.
#[test]
fn lines_are_looked_for_around_their_own_scores() {
    let heard = order("8/8/8/8/8/2k5/r7/K7 w - - 0 1", to_depth(12), 2);
    for depth in 10..=12 {
        let of_depth = heard.iter().filter(|&&(at, _)| at == depth);
        let moves: Vec<String> = of_depth.map(|(_, mv)| mv.to_string()).collect();
        assert_eq!(moves, ["a1a2", "a1b1", "a1b1"], "depth {depth}");
    }
}
