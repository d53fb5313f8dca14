//! A round of the battery for machines with many cores, and the real clock that it goes by.

use bench::battery::{Battery, Depth, Entrant, Measured, Part};
use bench::scaling::clock::{Clock, Real};
use bench::scaling::plan::{ALONE, Run};
use bench::scaling::positions::{self, Entry};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use thinking::report::Limits;

fn names(entrants: impl Iterator<Item = Entrant>) -> Vec<String> {
    entrants.map(|entrant| entrant.to_string()).collect()
}

#[test]
fn a_round_has_every_entrant_once_and_is_read_as_it_is_written() {
    let battery = Battery {
        positions: positions::read("bratko-kopec").unwrap().into_iter().skip(1).take(2).collect(),
        wanted: Duration::from_millis(1),
        threads: vec![2, 3],
        members: vec![2],
        repeats: 2,
        hash: 1,
        binds: true,
    };
    let stop = AtomicBool::new(false);
    let mut clock = Real::new(1, 0, &stop).unwrap();
    let depth = |entry: &Entry| Depth { position: entry.id.clone(), depth: 5, seconds: 0.1, too_soon: false };
    let mut depths: Vec<Depth> = battery.positions.iter().map(depth).collect();
    depths[1].too_soon = true;
    let round = battery.round((1, 0), &depths, &[], &mut clock).unwrap().unwrap();
    let mut searched = names(round.iter().map(Measured::entrant));
    let mut wanted = names(battery.entrants().into_iter());
    assert_ne!(searched, wanted, "another is first");
    searched.sort();
    wanted.sort();
    assert_eq!(searched, wanted);
    assert!(round.iter().all(|measured| measured.sample.depth >= 5 && measured.sample.repeat == 1));
    let part = Part::Round(round);
    assert_eq!(serde_json::from_str::<Part>(&serde_json::to_string(&part).unwrap()).unwrap(), part);
    assert_eq!(battery.round((0, 1), &depths, &[], &mut clock).unwrap(), Some(Vec::new()));
    stop.store(true, Relaxed);
    assert_eq!(battery.round((0, 0), &depths, &[], &mut clock).unwrap(), None);
}

/// One thread counts the same nodes each time: what was learnt before is forgotten.
#[test]
fn each_search_by_the_real_clock_begins_anew() {
    let entry = positions::read("bratko-kopec").unwrap().remove(1);
    let stop = AtomicBool::new(false);
    let mut clock = Real::new(1, 0, &stop).unwrap();
    let mut nodes = || {
        let run = Run { repeat: 0, position: 0, team: ALONE };
        let limits = Limits { depth: Some(7), ..Limits::default() };
        clock.search(&run, &entry.position, limits).unwrap().unwrap().accounts.nodes
    };
    assert_eq!(nodes(), nodes());
}
