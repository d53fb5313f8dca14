//! The pool under many schedules: see [`crate::models`]. What the caller does next comes at a random moment of the
//! search, since the schedule decides when he goes on.

use super::*;
use crate::models::{Problem, Recorder, explore, linger};

/// Promotions and captures, few moves.
const RACE: &str = "8/1P6/k7/8/8/7K/6p1/8 w - - 0 1";

fn pool(scheme: Scheme, threads: usize) -> Pool {
    let mut pool = Pool::new(threads, 0).expect("a small pool");
    pool.scheme = scheme;
    pool
}

/// Starts a search.
fn go(pool: &mut Pool, problem: &Problem, limits: Limits) -> Arc<Recorder> {
    let recorder = Arc::new(Recorder::default());
    pool.go(problem.task.clone(), limits, 1, Arc::clone(&recorder) as Arc<dyn Observer>);
    recorder
}

/// The one verdict, which must be a legal move.
fn check_verdict(recorder: &Recorder, problem: &Problem) {
    let best = recorder.verdict().best.expect("there are moves");
    assert!(problem.task.position.is_legal(best));
}

/// Searches again, to the end, and finds the value: whatever came before has left nothing wrong behind.
fn check_value(pool: &mut Pool, problem: &Problem) {
    let recorder = go(pool, problem, problem.limits());
    pool.wait();
    let verdict = recorder.verdict();
    assert_eq!(verdict.info.expect("a search tells its line").score, problem.value, "value");
}

/// A search that has soon seen everything and then waits for `stop`.
fn infinite(problem: &Problem) -> Limits {
    Limits { infinite: true, ..problem.limits() }
}

fn ponder(problem: &Problem) -> Limits {
    Limits { ponder: true, ..problem.limits() }
}

/// Every scheme that has several threads.
fn schemes() -> impl Iterator<Item = Scheme> {
    Scheme::ALL.into_iter().filter(|&scheme| scheme != Scheme::Serial)
}

#[test]
fn every_scheme_finds_the_value() {
    for scheme in schemes() {
        let problem = Problem::new(RACE, 3);
        explore(50, move || check_value(&mut pool(scheme, 3), &problem));
    }
}

#[test]
fn a_search_is_stopped_at_any_moment() {
    for scheme in schemes() {
        let problem = Problem::new(RACE, 2);
        explore(100, move || {
            let mut pool = pool(scheme, 2);
            let recorder = go(&mut pool, &problem, infinite(&problem));
            linger();
            assert_eq!(recorder.verdicts(), 0, "before it was asked");
            pool.stop();
            pool.wait();
            check_verdict(&recorder, &problem);
            assert!(!pool.searching());
            check_value(&mut pool, &problem);
        });
    }
}

#[test]
fn a_new_search_ends_the_old_one_at_any_moment() {
    let problem = Problem::new(RACE, 2);
    explore(150, move || {
        let mut pool = pool(Scheme::RootSplit, 3);
        let ears = [(); 3].map(|()| {
            linger();
            go(&mut pool, &problem, infinite(&problem))
        });
        linger();
        check_value(&mut pool, &problem);
        ears.iter().for_each(|recorder| check_verdict(recorder, &problem));
    });
}

#[test]
fn the_pool_is_resized_at_any_moment() {
    let problem = Problem::new(RACE, 2);
    explore(150, move || {
        let mut pool = pool(Scheme::RootSplit, 2);
        for threads in [3, 1] {
            let recorder = go(&mut pool, &problem, infinite(&problem));
            linger();
            pool.set_threads(threads).expect("threads");
            check_verdict(&recorder, &problem);
            assert_eq!(pool.threads(), threads);
        }
        let recorder = go(&mut pool, &problem, infinite(&problem));
        linger();
        pool.set_hash(0).expect("one line");
        check_verdict(&recorder, &problem);
        let recorder = go(&mut pool, &problem, infinite(&problem));
        pool.new_game();
        check_verdict(&recorder, &problem);
        check_value(&mut pool, &problem);
    });
}

#[test]
fn the_pool_is_dropped_at_any_moment() {
    for scheme in schemes() {
        let problem = Problem::new(RACE, 2);
        explore(100, move || {
            let mut pool = pool(scheme, 3);
            let recorder = go(&mut pool, &problem, infinite(&problem));
            linger();
            drop(pool);
            check_verdict(&recorder, &problem);
        });
    }
}

#[test]
fn the_expected_move_is_played_at_any_moment() {
    let problem = Problem::new(RACE, 2);
    explore(150, move || {
        let mut pool = pool(Scheme::RootSplit, 2);
        let recorder = go(&mut pool, &problem, ponder(&problem));
        linger();
        assert_eq!(recorder.verdicts(), 0, "before the hit");
        pool.ponderhit();
        pool.ponderhit();
        pool.wait();
        assert_eq!(recorder.verdict().info.expect("a line").score, problem.value, "value");
        let recorder = go(&mut pool, &problem, ponder(&problem));
        pool.stop();
        pool.wait();
        check_verdict(&recorder, &problem);
    });
}

/// The model can fail: a pool that is dropped without ending its search.
#[test]
#[should_panic(expected = "deadlock")]
fn the_model_sees_a_search_left_alone() {
    let problem = Problem::new(RACE, 2);
    explore(50, move || {
        let mut pool = pool(Scheme::Lazy, 2);
        let _ear = go(&mut pool, &problem, infinite(&problem));
        pool.job = None;
    });
}

/// The model can fail: a search that is stopped as one meets a limit, which wakes no thread.
#[test]
#[should_panic(expected = "deadlock")]
fn the_model_sees_a_stop_that_wakes_nobody() {
    let problem = Problem::new(RACE, 2);
    explore(50, move || {
        let mut pool = pool(Scheme::Lazy, 2);
        let _ear = go(&mut pool, &problem, infinite(&problem));
        pool.job.as_ref().expect("it runs").shared.stop();
        pool.wait();
    });
}
