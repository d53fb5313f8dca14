//! The picture of one simulated search.

use bench::scaling::clock::Virtual;
use bench::scaling::plan::{Cluster, Team};
use bench::scaling::report::trace::trace;
use chess::Position;
use smp::schemes::Scheme;
use smp::simulation::costs::Costs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thinking::report::Limits;

/// A study that is stopped does not wait for the search that it draws, which here has no end of its own.
#[test]
fn a_stopped_trace_is_none() {
    let stop = AtomicBool::new(false);
    let clock = Virtual {
        hash: 1,
        seed: 1,
        costs: Costs::default(),
        evaluation: None,
        cluster: Cluster::default(),
        stop: &stop,
    };
    let start = Position::startpos();
    let drawn = |depth| {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        trace(&clock, Team::new(Scheme::Lazy, 2), ("start", &start), limits).unwrap()
    };
    let strip = drawn(4).expect("not stopped");
    assert_eq!(strip.lanes.len(), 2);
    assert!(strip.lanes.iter().all(|lane| !lane.bars.is_empty()));
    stop.store(true, Relaxed);
    assert!(drawn(100).is_none());
}
