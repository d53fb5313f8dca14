//! Every scheme with real threads: mates are found by all, and every search ends, however many threads share a core. That
//! their values are right is held in `exact.rs`. Threads that do not meet find mates and come to an end, too: so the
//! counters must show that they did.

use crate::searches::{search_by, task, value};
use crate::sharing::until_shared;
use chess::{Position, epd::Epd};
use smp::pool::Pool;
use smp::pool::accounts::Tally;
use smp::schemes::Scheme;
use smp::schemes::rules::{Everywhere, RuleSet, Usual};
use thinking::report::{Limits, Verdict};
use thinking::score::Reported;

/// A search's verdict, and what it counted.
fn search<R: RuleSet>(pool: &mut Pool, position: &Position, limits: Limits) -> (Verdict, Tally) {
    let verdict = search_by::<R>(pool, task(position), limits);
    (verdict, pool.accounts().expect("the search is over").tally)
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
        let mut pools = [1, 2, 4].map(|threads| Pool::new(threads, 4).expect("a small pool"));
        until_shared(scheme, |nodes| {
            pools.iter_mut().fold(Tally::default(), |sum, pool| {
                (pool.scheme, pool.team) = (scheme, Some(2));
                // Mates may be found before a thread that sleeps is awake.
                let long = Limits { nodes: Some(nodes), ..Limits::default() };
                sum + mates(pool) + search::<Everywhere>(pool, &Position::startpos(), long).1
            })
        });
    }
}

/// Searches all problems, each to its mate; returns what was counted.
fn mates(pool: &mut Pool) -> Tally {
    let mut sum = Tally::default();
    for &(fen, moves) in MATES {
        let position = Position::from_fen(fen).expect("legal");
        let limits = Limits { mate: Some(moves as u32), depth: Some(14), ..Limits::default() };
        pool.new_game();
        let (verdict, tally) = search::<Everywhere>(pool, &position, limits);
        let score = Reported::from(value(&verdict));
        assert!(
            matches!(score, Reported::Mate(n) if n > 0 && n <= moves),
            "{} {} {fen}: {score}",
            pool.scheme,
            pool.threads()
        );
        sum = sum + tally;
    }
    sum
}

#[test]
fn more_threads_than_cores_end_every_search() {
    let kopec: Epd =
        "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - bm Nb3;".parse().expect("legal");
    for scheme in Scheme::ALL {
        let mut pool = Pool::new(16, 4).expect("a pool");
        pool.scheme = scheme;
        let legal = |verdict: Verdict| kopec.position.is_legal(verdict.best.expect("there are moves"));
        let limits = |depth| Limits { depth: Some(depth), ..Limits::default() };
        for depth in 1..=9 {
            let (verdict, _) = search::<Usual>(&mut pool, &kopec.position, limits(depth));
            assert!(legal(verdict));
        }
        until_shared(scheme, |nodes| {
            let mut sum = Tally::default();
            pool.new_game();
            let long = Limits { nodes: Some(nodes), ..Limits::default() };
            for limits in (1..=6).map(limits).chain([long]) {
                let (verdict, tally) = search::<Everywhere>(&mut pool, &kopec.position, limits);
                assert!(legal(verdict));
                sum = sum + tally;
            }
            sum
        });
    }
}
