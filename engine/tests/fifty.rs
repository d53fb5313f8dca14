//! The fifty-move rule, and what the table knows of it.

use chess::{Game, Position};
use engine::drivers::Driver;
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::{Entry, Table, table_key};
use engine::worker::{Memory, Task};
use std::sync::Arc;
use thinking::report::{Bound, Limits};
use thinking::score::{is_mate, mate_in};

/// A queen against a king in the middle of the board.
const QUEEN: &str = "8/8/8/4k3/8/8/8/K6Q w - -";

/// Searches a position with this halfmove clock: the score and the nodes.
fn search(table: &Arc<Table>, board: &str, clock: u32, depth: u32) -> (i32, u64) {
    let fen = format!("{board} {clock} 90");
    let task = Task::from(&Game::new(Position::from_fen(&fen).expect("a legal FEN")));
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let shared = Shared::new(Arc::clone(table), limits, 1, 1);
    let result = search_alone(&shared, &mut Memory::default(), &task, None);
    (result.root.best().expect("there are moves").score, shared.nodes())
}

/// With six plies left the queen does not mate. A hundred plies are searched as if that had never been seen.
#[test]
fn what_the_fifty_move_rule_draws_is_no_draw_where_it_is_far() {
    let table = || Arc::new(Table::new(16).expect("a small table"));
    let (used, fresh) = (table(), table());
    assert_eq!(search(&used, QUEEN, 94, 9).0, 0);
    let (score, nodes) = search(&fresh, QUEEN, 0, 9);
    assert!(score > 300 && nodes > 1000, "{score}, {nodes}");
    assert_eq!(search(&used, QUEEN, 0, 9), (score, nodes));
}

/// With few plies left the table keeps positions with this clock and that together: two plies before the end
/// a mate in two comes too late, six plies before it in time.
#[test]
fn near_the_end_what_was_a_draw_a_move_later_is_none_now() {
    let table = Arc::new(Table::new(16).expect("a small table"));
    let mate_in_two = "7k/8/8/8/8/8/R7/1R4K1 w - -";
    assert_eq!(search(&table, mate_in_two, 98, 9).0, 0);
    assert_eq!(search(&table, mate_in_two, 94, 6).0, mate_in(3));
}

/// A mate ends the game, also with the last ply that the rule allows.
#[test]
fn a_mate_on_the_hundredth_ply_is_in_time() {
    let table = || Arc::new(Table::new(1).expect("a small table"));
    assert_eq!(search(&table(), "7k/R7/8/8/8/8/8/1R4K1 w - -", 99, 2).0, mate_in(1));
    assert_eq!(search(&table(), "7k/8/8/8/8/8/R7/1R4K1 w - -", 97, 6).0, mate_in(3));
}

/// Clocks that differ by less than eight share an entry, so a mate that was in time at the lowest of them may be too
/// late at this one.
#[test]
fn a_mate_that_the_fifty_move_rule_forestalls_is_none() {
    let position = Position::from_fen("8/8/7k/8/K7/8/4R3/8 w - - 84 90").expect("a legal FEN");
    for driver in [Driver::Pvs, Driver::Mtdf] {
        let table = Arc::new(Table::new(1).expect("a small table"));
        for mv in position.legal_moves() {
            let score = -mate_in(20);
            let entry = Entry { mv: None, score, eval: None, depth: 40, bound: Bound::Exact, pv: true };
            table.store(table_key(&position.after(mv)), entry);
        }
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let mut shared = Shared::new(table, limits, 1, 1);
        shared.driver = driver;
        let result =
            search_alone(&shared, &mut Memory::default(), &Task::from(&Game::new(position.clone())), None);
        let score = result.root.best().expect("there are moves").score;
        assert!(!is_mate(score), "{driver:?}: {score}");
    }
}
