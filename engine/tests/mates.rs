//! Mates, held against brute force over the rules: the search finds the short ones, and no entry it leaves in the table
//! claims a mate that is none, even if it was interrupted at random nodes. A search that took "stopped" for a score and
//! stored it would be found out here.

use chess::{Game, Move, Position};
use engine::iterate::{ThreadResult, search_alone};
use engine::shared::Shared;
use engine::tt::{Table, table_key};
use engine::worker::{Memory, Task};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use thinking::report::{Bound, Limits};
use thinking::score::{MATE, MATE_BOUND, Reported};

/// Can the side to move mate within so many plies (an odd number), whatever the other side does?
fn mates_within(position: &Position, plies: i32) -> bool {
    plies > 0
        && position.legal_moves().into_iter().any(|mv| {
            let after = position.after(mv);
            mated_within(&after, plies - 1)
        })
}

/// Is the side to move mated within so many plies, whatever it does?
fn mated_within(position: &Position, plies: i32) -> bool {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return position.in_check();
    }
    plies >= 2 && moves.into_iter().all(|mv| mates_within(&position.after(mv), plies - 1))
}

fn search(table: &Arc<Table>, memory: &mut Memory, position: &Position, limits: Limits) -> ThreadResult {
    let shared = Shared::new(Arc::clone(table), limits, 1, 1);
    let task = Task::from(&Game::new(position.clone()));
    search_alone(&shared, memory, &task, None)
}

fn fresh() -> (Arc<Table>, Memory) {
    let table = Table::new(4).unwrap();
    table.clear();
    (Arc::new(table), Memory::default())
}

/// Positions of random games in which brute force finds a mate in exactly `moves`.
fn random_mates(moves: i32, wanted: usize, random: &mut ChaCha8Rng) -> Vec<Position> {
    let mut found = Vec::new();
    while found.len() < wanted {
        let mut position = Position::startpos();
        for _ in 0..random.random_range(20..120) {
            let Some(&mv) = position.legal_moves().choose(random) else { break };
            position.play(mv);
            let faster = (1..moves).any(|moves| mates_within(&position, 2 * moves - 1));
            if position.count_legal() < 30 && !faster && mates_within(&position, 2 * moves - 1) {
                found.push(position);
                break;
            }
        }
    }
    found
}

/// Nodes within which a selective search, whatever it takes for hopeless at first, is to come upon a mate in two.
const ENOUGH: u64 = 1_000_000;

#[test]
fn every_mate_in_one_is_found_at_once() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for position in random_mates(1, 100, &mut random) {
        let (table, mut memory) = fresh();
        let result = search(&table, &mut memory, &position, Limits { depth: Some(3), ..Limits::default() });
        let best = result.root.best().unwrap();
        assert_eq!(Reported::from(best.score), Reported::Mate(1), "{position}");
        assert!(mated_within(&position.after(best.mv), 0), "{position}: {}", position.uci(best.mv));
    }
}

#[test]
fn mates_in_two_are_found_and_are_mates() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for position in random_mates(2, 30, &mut random) {
        let (table, mut memory) = fresh();
        let limits = Limits { nodes: Some(ENOUGH), mate: Some(2), ..Limits::default() };
        let result = search(&table, &mut memory, &position, limits);
        let best = result.root.best().unwrap();
        assert_eq!(Reported::from(best.score), Reported::Mate(2), "{position}");
        assert!(mated_within(&position.after(best.mv), 2), "{position}: {}", position.uci(best.mv));
    }
}

/// A search that may not play the mating moves says nothing of a position in which all moves may be played: what is
/// found with an empty table is found with that of such searches, too.
#[test]
fn what_is_searched_of_some_moves_does_not_hide_a_mate() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut found, mut hidden) = (0, 0);
    for position in random_mates(2, 12, &mut random) {
        let (table, mut memory) = fresh();
        let limits = || Limits { depth: Some(6), ..Limits::default() };
        let finds = |table: &Arc<Table>| {
            let result = search(table, &mut Memory::default(), &position, limits());
            result.root.best().is_some_and(|best| Reported::from(best.score) == Reported::Mate(2))
        };
        if !finds(&fresh().0) {
            continue;
        }
        found += 1;
        let moves = position.legal_moves();
        let replies = moves.iter().map(|&mv| position.after(mv)).filter(|after| mated_within(after, 2));
        for after in replies.collect::<Vec<_>>() {
            for reply in after.legal_moves() {
                let mated = after.after(reply);
                let slow = |mv: &Move| !mated_within(&mated.after(*mv), 0);
                let search_moves: Vec<Move> = mated.legal_moves().into_iter().filter(slow).collect();
                if !search_moves.is_empty() {
                    hidden += 1;
                    let limits = Limits { search_moves, ..limits() };
                    search(&table, &mut memory, &mated, limits);
                }
            }
        }
        assert!(finds(&table), "{position}");
    }
    assert!(found > 6 && hidden > 20, "{found}, {hidden}");
}

/// What deeper iterations could only tell again is not told 245 times. Who asks for a depth gets it.
#[test]
fn a_search_ends_at_the_shortest_mate_and_an_analysis_goes_on() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for moves in [1, 2] {
        for position in random_mates(moves, 20, &mut random) {
            let (table, mut memory) = fresh();
            let result = search(&table, &mut memory, &position, Limits::default());
            let best = result.root.best().unwrap();
            assert_eq!(Reported::from(best.score), Reported::Mate(moves), "{position}");
            assert!(result.depth < 30, "{position}: {} iterations", result.depth);
            // An analysis goes on: clients wait for a depth.
            let (table, mut memory) = fresh();
            let limits = Limits { infinite: true, ..Limits::default() };
            assert_eq!(search(&table, &mut memory, &position, limits).depth, 245, "{position}");
            let (table, mut memory) = fresh();
            let limits = Limits { depth: Some(31), ..Limits::default() };
            assert_eq!(search(&table, &mut memory, &position, limits).depth, 31, "{position}");
        }
    }
}

/// Visits a position and all that follow within so many plies.
fn visit(position: &Position, plies: u32, each: &mut impl FnMut(&Position)) {
    each(position);
    if plies > 0 {
        position.legal_moves().into_iter().for_each(|mv| visit(&position.after(mv), plies - 1, each));
    }
}

/// Checks every claim of a mate within three plies that the table makes about the positions around the root.
fn check_claims(table: &Table, root: &Position) -> usize {
    let mut claims = 0;
    visit(root, 2, &mut |position| {
        let Some(entry) = table.probe(table_key(position)) else { return };
        let plies = MATE - entry.score.abs();
        if entry.score.abs() < MATE_BOUND || plies > 3 {
            return;
        }
        if entry.score > 0 && entry.bound != Bound::Upper {
            claims += 1;
            assert!(mates_within(position, plies), "no mate within {plies} plies: {position} {entry:?}");
        } else if entry.score < 0 && entry.bound != Bound::Lower {
            claims += 1;
            assert!(mated_within(position, plies), "not mated within {plies} plies: {position} {entry:?}");
        }
    });
    claims
}

#[test]
fn an_interrupted_search_leaves_no_false_mates_and_finds_the_true_one() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut claims = 0;
    for position in random_mates(2, 25, &mut random) {
        let (table, mut memory) = fresh();
        for _ in 0..30 {
            let nodes = Some(random.random_range(1..3000));
            search(&table, &mut memory, &position, Limits { nodes, ..Limits::default() });
        }
        claims += check_claims(&table, &position);
        let limits = Limits { nodes: Some(ENOUGH), mate: Some(2), ..Limits::default() };
        let best = search(&table, &mut memory, &position, limits).root.best().unwrap().clone();
        assert_eq!(Reported::from(best.score), Reported::Mate(2), "{position}");
    }
    assert!(claims > 50, "only {claims} claims: the test tests nothing");
}

/// The node limit of a single thread is met to the node, wherever it falls.
#[test]
fn a_node_limit_is_met_exactly() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let (table, mut memory) = fresh();
    for number in 0..60u64 {
        let nodes = if number < 10 { number + 1 } else { random.random_range(11..30_000) };
        let shared =
            Shared::new(Arc::clone(&table), Limits { nodes: Some(nodes), ..Limits::default() }, 1, 1);
        let task = Task::from(&Game::new(Position::startpos()));
        let result = search_alone(&shared, &mut memory, &task, None);
        assert_eq!(shared.nodes(), nodes);
        assert!(result.root.best().is_some(), "a move even after {nodes} nodes");
    }
}
