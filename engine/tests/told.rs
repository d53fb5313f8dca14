//! What a thread learns at deep nodes it tells all others.

use chess::{Game, Position};
use engine::history::{Context, Contexts, Histories, History};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use std::sync::Arc;
use thinking::report::Limits;

/// What a history thinks of every answer to every move.
fn merits(history: &History, position: &Position) -> Vec<i32> {
    let answers = position.legal_moves().into_iter().flat_map(|mv| {
        let child = position.after(mv);
        let contexts: Contexts = [Context::of(position, mv), Context::NONE, Context::NONE];
        let merit = history.at(contexts, child.attacked_by(!child.side_to_move()));
        child.legal_moves().into_iter().map(move |answer| merit.quiet(&child, answer)).collect::<Vec<_>>()
    });
    answers.collect()
}

/// How many lessons another thread hears of a search by one of so many, with or without teams.
fn heard_of(threads: usize, in_one_team: bool) -> usize {
    let alone = Histories::default().resized(threads);
    let histories = if in_one_team { alone.in_teams(|_| 0) } else { alone };
    let table = Arc::new(Table::new(1).expect("a small table"));
    let limits = Limits { depth: Some(9), ..Limits::default() };
    let mut shared = Shared::new(table, limits, 1, threads);
    shared.histories = histories.clone();
    let mut memory = Memory::learning(histories.of(0));
    search_alone(&shared, &mut memory, &Task::from(&Game::default()), None);
    histories.hear(1).map(|(_, lessons)| lessons.len()).sum()
}

/// The search is the same each time: in a small team more of what it learns is told.
#[test]
fn small_teams_are_told_of_shallower_nodes() {
    let (few, large) = (heard_of(4, false), heard_of(5, true));
    assert!(few > 0 && few == large, "{few} {large}");
    assert!(heard_of(4, true) > 3 * few, "{} {few}", heard_of(4, true));
}

/// One of three threads searches; the two others, who do nothing but listen, learn from it, and both the same.
#[test]
fn what_a_thread_learns_at_deep_nodes_all_others_learn() {
    let fen = "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1";
    let position = Position::from_fen(fen).expect("a legal FEN");
    let task = Task::from(&Game::new(position.clone()));
    let histories = Histories::default().resized(3);
    let table = Arc::new(Table::new(1).expect("a small table"));
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let mut shared = Shared::new(table, limits, 1, 3);
    shared.histories = histories.clone();
    let mut memory = Memory::learning(histories.of(0));
    search_alone(&shared, &mut memory, &task, None);
    let told = [1, 2].map(|listener| {
        let heard: usize = histories.hear(listener).map(|(_, lessons)| lessons.len()).sum();
        assert!(heard > 10, "{heard}");
        merits(&histories.of(listener), &position)
    });
    assert!(told[0].iter().filter(|&&merit| merit != 0).count() > 10, "{:?}", told[0]);
    assert_eq!(told[0], told[1], "both are told the same");
    assert_ne!(told[0], merits(&histories.of(0), &position), "but not everything");
}
