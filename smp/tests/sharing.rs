//! Whether threads have worked together: a test of parallel search that never splits proves nothing.

use smp::pool::accounts::Tally;
use smp::schemes::Scheme;
use std::io::{self, Write};

/// Have searches of several threads that together counted this done what the scheme is for? Some had more than two
/// threads, and teams of two are enough.
pub fn has_shared(scheme: Scheme, Tally { splits, joins, deferred, .. }: Tally) -> bool {
    match scheme {
        Scheme::Serial | Scheme::Lazy => true,
        Scheme::Abdada => deferred > 0,
        // Only in a team of three or more do readers keep out of each other's way.
        Scheme::Ybw => splits > 0 && joins > 0 && deferred > 0,
        Scheme::Hybrid | Scheme::PvSplit | Scheme::RootSplit => splits > 0 && joins > 0,
    }
}

/// Has real threads search until they have worked together, which no single search on a busy machine is sure to show:
/// all searches of a round, which counted what it returns, then another round and so on. Each is told how many nodes
/// a long search of it has: few at first, and in the end enough for threads that sleep to be woken on a busy machine.
/// In the end they must have worked together; where there is only one processor, they hardly ever meet.
pub fn until_shared(scheme: Scheme, mut round: impl FnMut(u64) -> Tally) {
    const MOST_ROUNDS: u32 = 50;
    let alone = std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
    let mut sum = Tally::default();
    for number in 0..MOST_ROUNDS {
        sum = sum + round(2_500 << number.min(6));
        if has_shared(scheme, sum) {
            return;
        }
        if alone {
            return skipped(&format!("do the threads of {scheme} share? One processor only"));
        }
    }
    panic!("{scheme}: {sum:?} in {MOST_ROUNDS} rounds");
}

/// Says what cannot be tested here.
pub fn skipped(what: &str) {
    // If it cannot be told, that is left out all the same.
    let _ = writeln!(io::stderr(), "SKIPPED: {what}");
}
