//! The node counters under threads, explored exhaustively by loom: a thread that adds them up while they run sees
//! neither more than there is nor ever less than before, and once their threads have ended the sum is exact.

use crate::modelled::Modelled;
use engine::counter::Counter;
use loom::thread;
use std::sync::Arc;

/// Two threads count `nodes` nodes each, the second in counter `second`, while a third adds up.
fn race(nodes: u64, second: usize) {
    loom::model(move || {
        let counters = Arc::new([Counter::<Modelled>::default(), Counter::default()]);
        let sum = |counters: &[Counter<Modelled>; 2]| counters.iter().map(Counter::get).sum::<u64>();
        let threads = [0, second].map(|own| {
            let counters = Arc::clone(&counters);
            thread::spawn(move || {
                for _ in 0..nodes {
                    counters[own].set(counters[own].get() + 1);
                }
            })
        });
        let mut seen = 0;
        for _ in 0..2 {
            let now = sum(&counters);
            assert!((seen..=2 * nodes).contains(&now), "{now} after {seen}");
            seen = now;
        }
        threads.into_iter().for_each(|thread| thread.join().expect("counting does not fail"));
        assert_eq!(sum(&counters), 2 * nodes, "nodes are lost");
    });
}

#[test]
fn a_counter_for_each_thread_loses_nothing() {
    race(2, 1);
}

/// The model can fail: two threads with one counter lose nodes.
#[test]
#[should_panic(expected = "nodes are lost")]
fn the_model_sees_a_shared_counter_lose_nodes() {
    race(2, 0);
}
