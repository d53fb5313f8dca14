//! The signatures as they are. A commit that moves one says so in its message (CONTRIBUTING.md) and here.

use bench::signature;
use rayon::prelude::*;
use smp::pool::accounts::{Accounts, Tally};
use smp::schemes::Scheme;

/// `firstborn bench`: nodes of one thread.
const SERIAL: u64 = 496_531;
/// `firstborn bench --parallel`: nodes of every scheme with 2, 4 and 8 simulated threads.
const PARALLEL: u64 = 1_862_498;
/// Nodes of deeper simulated searches by larger teams. Those of the parallel signature hardly split, and none of their
/// teams of `hybrid` has more than two members.
const LARGE_TEAMS: u64 = 537_191;

#[test]
fn the_serial_search_is_the_one_it_was() {
    let found = signature::run(signature::DEPTH, |_, _| {}).expect("16 MiB of memory");
    assert_eq!(found.nodes, SERIAL);
}

#[test]
fn what_threads_do_together_is_what_it_was() {
    let found = signature::run_parallel().expect("a few MiB of memory");
    let teams: Vec<_> = signature::parallel_teams().zip(&found).collect();
    assert_eq!(found.iter().sum::<u64>(), PARALLEL, "{teams:?}");
}

/// The second and the third position of the parallel signature, by teams of three and four inside `hybrid` and by one
/// of four and of eight.
#[test]
fn large_teams_search_what_they_did() {
    const DEPTH: u32 = 12;
    let hybrid = [9, 12, 16].map(|threads| (Scheme::Hybrid, threads));
    let ybw = [4, 8].map(|threads| (Scheme::Ybw, threads));
    let positions: Vec<_> = signature::parallel_positions().enumerate().skip(1).take(2).collect();
    let searches: Vec<_> = hybrid
        .into_iter()
        .chain(ybw)
        .flat_map(|team| positions.iter().map(move |position| (team, position)))
        .collect();
    let found: Vec<Accounts> = searches
        .par_iter()
        .map(|(team, (number, position))| {
            signature::simulated(*team, *number, position, DEPTH).expect("a few MiB of memory")
        })
        .collect();
    let joins: Vec<u64> = found.iter().map(|accounts| accounts.tally.joins).collect();
    let sum = found.iter().fold(Tally::default(), |sum, accounts| sum + accounts.tally);
    assert!(sum.splits > 300 && sum.joins > 500 && !joins.contains(&0), "{joins:?}, {sum:?}");
    assert_eq!(found.iter().map(Accounts::total_nodes).sum::<u64>(), LARGE_TEAMS);
}

#[test]
fn two_runs_count_the_same_nodes() {
    let run = || signature::run(6, |_, _| {}).expect("16 MiB of memory").nodes;
    assert_eq!(run(), run());
}
