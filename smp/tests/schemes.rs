//! Every scheme against plain alpha-beta: with everything off that depends on the order of the search, the root value
//! must be the same whoever searches what; mates must be found by all; and a stop at any moment must leave a table
//! that misleads nobody.

mod common;

use chess::{Game, Position, epd::Epd};
use common::random_positions;
use engine::report::{Limits, Observer, Verdict};
use engine::score::{Reported, Score};
use engine::worker::Task;
use parking_lot::Mutex;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use smp::pool::Pool;
use smp::scheme::Scheme;
use std::sync::Arc;

#[derive(Default)]
struct Ear(Mutex<Vec<Verdict>>);

impl Observer for Ear {
    fn verdict(&self, verdict: &Verdict) {
        self.0.lock().push(verdict.clone());
    }
}

fn search(pool: &mut Pool, position: &Position, limits: Limits) -> Verdict {
    let ear = Arc::new(Ear::default());
    pool.go(Task::from(&Game::new(position.clone())), limits, 1, Arc::clone(&ear) as Arc<dyn Observer>);
    pool.wait();
    let verdicts = ear.0.lock();
    assert_eq!(verdicts.len(), 1, "one verdict for each search");
    verdicts[0].clone()
}

fn value(verdict: &Verdict) -> Score {
    verdict.info.as_ref().expect("a search with moves reports a line").score
}

fn exact(depth: u32) -> Limits {
    Limits { depth: Some(depth), exact: true, ..Limits::default() }
}

#[test]
fn every_scheme_finds_the_value_of_plain_alpha_beta() {
    let positions = random_positions(200, 2026);
    let mut serial = Pool::new(1, 1).expect("a small pool");
    serial.scheme = Scheme::Serial;
    let values: Vec<Score> = positions.iter().map(|p| value(&search(&mut serial, p, exact(3)))).collect();
    for scheme in Scheme::ALL {
        for threads in 1..=4 {
            let mut pool = Pool::new(threads, 1).expect("a small pool");
            pool.scheme = scheme;
            for (position, &wanted) in positions.iter().zip(&values) {
                let found = value(&search(&mut pool, position, exact(3)));
                assert_eq!(found, wanted, "{scheme} with {threads} threads: {position}");
            }
        }
    }
}

/// Mating problems, with the number of moves.
const MATES: &[(&str, i32)] = &[
    ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", 2),
    ("1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1", 2),
    ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 1", 2),
    ("r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 1", 2),
    ("5rkr/pp2Rp2/1b1p1Pb1/3P2Q1/2n3P1/2p5/P4P2/4R1K1 w - - 1 1", 2),
    ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w - - 0 1", 3),
];

#[test]
fn every_scheme_mates() {
    for scheme in Scheme::ALL {
        for threads in [1, 2, 4] {
            let mut pool = Pool::new(threads, 4).expect("a small pool");
            pool.scheme = scheme;
            for &(fen, moves) in MATES {
                let position = Position::from_fen(fen).expect("legal");
                let limits = Limits { mate: Some(moves as u32), depth: Some(14), ..Limits::default() };
                let verdict = search(&mut pool, &position, limits);
                let score = Reported::from(value(&verdict));
                assert!(
                    matches!(score, Reported::Mate(n) if n > 0 && n <= moves),
                    "{scheme} {threads} {fen}: {score}"
                );
                pool.new_game();
            }
        }
    }
}

#[test]
fn stops_at_random_moments_leave_a_table_that_misleads_nobody() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let positions = random_positions(12, 2027);
    let mut clean = Pool::new(1, 1).expect("a small pool");
    clean.scheme = Scheme::Serial;
    for scheme in Scheme::ALL {
        let mut pool = Pool::new(3, 1).expect("a small pool");
        pool.scheme = scheme;
        for position in &positions {
            for _ in 0..3 {
                let nodes = Some(rng.random_range(1..30_000));
                search(&mut pool, position, Limits { nodes, exact: true, ..Limits::default() });
            }
            let again = value(&search(&mut pool, position, exact(4)));
            clean.new_game();
            assert_eq!(again, value(&search(&mut clean, position, exact(4))), "{scheme} {position}");
        }
    }
}

#[test]
fn more_threads_than_cores_end_every_search() {
    let kopec: Epd =
        "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - bm Nb3;".parse().expect("legal");
    for scheme in Scheme::ALL {
        let mut pool = Pool::new(16, 4).expect("a pool");
        pool.scheme = scheme;
        for depth in 1..=9 {
            let verdict =
                search(&mut pool, &kopec.position, Limits { depth: Some(depth), ..Limits::default() });
            assert!(kopec.position.is_legal(verdict.best.expect("there are moves")));
        }
    }
}
