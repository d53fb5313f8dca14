//! The signatures as they are. A commit that moves one says so in its message (CONTRIBUTING.md) and here.

use bench::signature;

/// `firstborn bench`: nodes of one thread.
const SERIAL: u64 = 496_531;
/// `firstborn bench --parallel`: nodes of every scheme with 2, 4 and 8 simulated threads.
const PARALLEL: u64 = 1_862_498;

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

#[test]
fn two_runs_count_the_same_nodes() {
    let run = || signature::run(6, |_, _| {}).expect("16 MiB of memory").nodes;
    assert_eq!(run(), run());
}
