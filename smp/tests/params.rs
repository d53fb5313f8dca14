//! The parameters of the search, in a usual build and in one with the feature `tuning`: which can be set, and does a
//! search use what was set? A binary of its own, since CI builds it both ways.

use chess::{Game, Position};
use engine::params::{Params, Tuning};
use engine::worker::Task;
use smp::pool::Pool;
use std::sync::Arc;
use thinking::report::{Limits, Silent};

#[test]
fn what_is_offered_can_be_set() {
    for param in Tuning::OFFERED {
        let mut tuning = Tuning::default();
        assert!(tuning.set(param.name, param.max));
        assert_eq!(*tuning == Params::DEFAULT, param.max == param.default, "{} changed nothing", param.name);
    }
    assert!(!Tuning::default().set("no_such_number", 1));
}

#[test]
fn all_numbers_are_offered_or_none_and_then_they_take_no_room() {
    let offered = if cfg!(feature = "tuning") { Params::ALL.len() } else { 0 };
    assert_eq!(Tuning::OFFERED.len(), offered);
    assert_eq!(Tuning::default().set("reduction_divisor", 2), offered > 0);
    assert_eq!(size_of::<Tuning>() == 0, offered == 0);
}

/// Where nothing can be set, every search goes by the same numbers.
#[test]
fn a_search_goes_by_the_numbers_of_its_pool() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let task = Task::from(&Game::new(Position::from_fen(fen).unwrap()));
    let mut pool = Pool::new(1, 1).unwrap();
    let param = Params::ALL.iter().find(|param| param.name == "reduction_divisor").unwrap();
    let counts = [param.min, param.max].map(|value| {
        assert_eq!(pool.params.set(param.name, value), !Tuning::OFFERED.is_empty());
        pool.new_game();
        pool.go(task.clone(), Limits { depth: Some(8), ..Limits::default() }, 1, Arc::new(Silent));
        pool.wait();
        pool.nodes()
    });
    assert_eq!(counts[0] == counts[1], Tuning::OFFERED.is_empty(), "{counts:?}");
}
