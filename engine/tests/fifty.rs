//! The fifty-move rule, and what the table knows of it.

use chess::{Game, Position};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use std::sync::Arc;
use thinking::report::Limits;

/// Searches a queen against a king with this halfmove clock: the score and the nodes.
fn search(table: &Arc<Table>, clock: u32, depth: u32) -> (i32, u64) {
    let fen = format!("8/8/8/4k3/8/8/8/K6Q w - - {clock} 90");
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
    assert_eq!(search(&used, 94, 9).0, 0);
    let (score, nodes) = search(&fresh, 0, 9);
    assert!(score > 300 && nodes > 1000, "{score}, {nodes}");
    assert_eq!(search(&used, 0, 9), (score, nodes));
}
