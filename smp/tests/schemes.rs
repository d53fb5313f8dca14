//! Every scheme with real threads: mates are found by all, and every search ends, however many threads share a core. That
//! their values are right is held in `exact.rs`.

use chess::{Game, Position, epd::Epd};
use engine::worker::Task;
use parking_lot::Mutex;
use smp::pool::Pool;
use smp::schemes::Scheme;
use std::sync::Arc;
use thinking::report::{Limits, Observer, Verdict};
use thinking::score::{Reported, Score};

#[derive(Default)]
struct Recorder(Mutex<Vec<Verdict>>);

impl Observer for Recorder {
    fn verdict(&self, verdict: &Verdict) {
        self.0.lock().push(verdict.clone());
    }
}

fn search(pool: &mut Pool, position: &Position, limits: Limits) -> Verdict {
    let recorder = Arc::new(Recorder::default());
    pool.go(Task::from(&Game::new(position.clone())), limits, 1, Arc::clone(&recorder) as Arc<dyn Observer>);
    pool.wait();
    let verdicts = recorder.0.lock();
    assert_eq!(verdicts.len(), 1, "one verdict for each search");
    verdicts[0].clone()
}

fn value(verdict: &Verdict) -> Score {
    verdict.info.as_ref().expect("a search with moves reports a line").score
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
