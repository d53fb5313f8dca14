//! The pool under many schedules: see [`crate::models`]. What the caller does next comes at a random moment of the
//! search, since the schedule decides when he goes on.

use super::*;
use crate::models::{Problem, Recorder, exhaust, explore, linger};
use crate::pool::accounts::Tally;
use crate::pool::iteration_sync::{DeepestResult, IterationSync};
use crate::schemes::rules::{Everywhere, Rules};
use crate::sync::thread::spawn;
use engine::parallel::Iteration;
use std::sync::Mutex;

/// Promotions and captures, few moves.
const RACE: &str = "8/1P6/k7/8/8/7K/6p1/8 w - - 0 1";

/// Splits and marks wherever a move is left, so that the smallest search does. A master that waits reads one ply deeper
/// than its helpers at most: where a schedule lets no helper go on, it would else search for minutes.
struct Shallow;

impl RuleSet for Shallow {
    const RULES: Rules = Rules { reads_deeper: 1, ..Rules::EVERYWHERE };
    type Others = Everywhere;
}

/// A pool by a scheme. By `hybrid` it has one thread more, in two teams, of which the first has two members.
fn pool(scheme: Scheme, threads: usize) -> Pool {
    let threads = threads + usize::from(scheme == Scheme::Hybrid);
    let mut pool = Pool::new(threads, 0).expect("a small pool");
    (pool.scheme, pool.team) = (scheme, Some(2));
    pool
}

/// A search that has been started.
struct Started {
    recorder: Arc<Recorder>,
    job: Arc<Job>,
}

/// Starts a search.
fn go(pool: &mut Pool, problem: &Problem, limits: Limits) -> Started {
    let recorder = Arc::new(Recorder::default());
    let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
    pool.go_by::<Shallow>(problem.task.clone(), limits, 1, observer);
    Started { recorder, job: Arc::clone(pool.job.as_ref().expect("it has begun")) }
}

impl Started {
    /// The one verdict, which must be a legal move.
    fn check_verdict(&self, problem: &Problem) {
        let best = self.recorder.verdict().best.expect("there are moves");
        assert!(problem.task.position.is_legal(best));
    }
}

/// Searches again, to the end, and finds the value: whatever came before has left nothing wrong behind.
fn check_value(pool: &mut Pool, problem: &Problem) -> Started {
    let search = go(pool, problem, problem.limits());
    pool.wait();
    let verdict = search.recorder.verdict();
    assert_eq!(verdict.info.expect("a search tells its line").score, problem.value, "value");
    search
}

/// What searches have counted, over all schedules of a model. Its lock is no part of the model.
#[derive(Clone, Default)]
struct Sum(Arc<Mutex<Tally>>);

impl Sum {
    /// Adds what a search that is over has counted.
    fn add(&self, search: &Started) {
        let tally = search.job.accounts().expect("it is over").tally;
        let mut sum = self.0.lock().expect("no panic");
        *sum = *sum + tally;
    }

    /// The searches must have done what the scheme is for; a model of those that do not shows nothing.
    fn check(&self, scheme: Scheme) -> Tally {
        let tally = *self.0.lock().expect("no panic");
        let Tally { splits, joins, deferred, .. } = tally;
        let shared = match scheme {
            Scheme::Serial | Scheme::Lazy => tally == Tally::default(),
            Scheme::Abdada => deferred > 0,
            Scheme::Ybw | Scheme::PvSplit | Scheme::RootSplit | Scheme::Hybrid => splits > 0 && joins > 0,
        };
        assert!(shared, "{scheme}: {tally:?}");
        tally
    }

    /// The same, and some of them must have been broken off while threads worked at a split point, where there are any.
    fn check_broken_off(&self, scheme: Scheme) {
        let tally = self.check(scheme);
        assert!(tally.splits == 0 || tally.aborted > 0, "{scheme}: {tally:?}");
    }
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

/// Two threads finish an iteration at once: the deeper result stays, whichever of them is the last.
#[test]
fn of_two_results_at_once_the_deeper_stays() {
    let result = |depth| ThreadResult { depth, ..ThreadResult::default() };
    exhaust(move || {
        let deepest: Arc<DeepestResult> = Arc::default();
        let other = Arc::clone(&deepest);
        let shallower = spawn(move || other.advance(&result(1)));
        assert!(deepest.advance(&result(2)), "it is the deepest of all");
        shallower.join().expect("no panic");
        let (third, mut own) = (IterationSync::new(&Some(deepest)), result(0));
        third.note(Iteration::Aborted(&mut own), &Real);
        assert_eq!(own.depth, 2, "the depth that another thread goes on from");
        third.note(Iteration::Started(2), &Real);
        assert!(third.is_behind(&Real));
    });
}

#[test]
fn every_scheme_finds_the_value() {
    for scheme in schemes() {
        let problem = Problem::new(RACE, 3);
        let all = Sum::default();
        let sum = all.clone();
        explore(50, move || sum.add(&check_value(&mut pool(scheme, 3), &problem)));
        let tally = all.check(scheme);
        // Readers keep out of each other's way, if there are two of them.
        assert!(scheme != Scheme::Ybw || tally.deferred > 0, "{scheme}: {tally:?}");
    }
}

#[test]
fn a_search_is_stopped_at_any_moment() {
    for scheme in schemes() {
        let problem = Problem::new(RACE, 2);
        let all = Sum::default();
        let sum = all.clone();
        explore(100, move || {
            let mut pool = pool(scheme, 2);
            let search = go(&mut pool, &problem, infinite(&problem));
            linger();
            assert_eq!(search.recorder.verdicts(), 0, "before it was asked");
            pool.stop();
            pool.wait();
            search.check_verdict(&problem);
            assert!(!pool.searching());
            sum.add(&search);
            check_value(&mut pool, &problem);
        });
        all.check_broken_off(scheme);
    }
}

#[test]
fn a_new_search_ends_the_old_one_at_any_moment() {
    let problem = Problem::new(RACE, 2);
    let all = Sum::default();
    let sum = all.clone();
    explore(150, move || {
        let mut pool = pool(Scheme::RootSplit, 3);
        let searches = [(); 3].map(|()| {
            linger();
            go(&mut pool, &problem, infinite(&problem))
        });
        linger();
        check_value(&mut pool, &problem);
        for search in &searches {
            search.check_verdict(&problem);
            sum.add(search);
        }
    });
    all.check_broken_off(Scheme::RootSplit);
}

#[test]
fn the_pool_is_resized_at_any_moment() {
    let problem = Problem::new(RACE, 2);
    let all = Sum::default();
    let sum = all.clone();
    explore(150, move || {
        let mut pool = pool(Scheme::RootSplit, 2);
        for threads in [3, 1] {
            let search = go(&mut pool, &problem, infinite(&problem));
            linger();
            pool.set_threads(threads).expect("threads");
            search.check_verdict(&problem);
            assert_eq!(pool.threads(), threads);
            sum.add(&search);
        }
        let search = go(&mut pool, &problem, infinite(&problem));
        linger();
        pool.set_hash(0).expect("one line");
        search.check_verdict(&problem);
        let search = go(&mut pool, &problem, infinite(&problem));
        pool.new_game();
        search.check_verdict(&problem);
        check_value(&mut pool, &problem);
    });
    all.check_broken_off(Scheme::RootSplit);
}

#[test]
fn the_pool_is_dropped_at_any_moment() {
    for scheme in schemes() {
        let problem = Problem::new(RACE, 2);
        let all = Sum::default();
        let sum = all.clone();
        explore(100, move || {
            let mut pool = pool(scheme, 3);
            let search = go(&mut pool, &problem, infinite(&problem));
            linger();
            drop(pool);
            search.check_verdict(&problem);
            sum.add(&search);
        });
        all.check_broken_off(scheme);
    }
}

#[test]
fn the_expected_move_is_played_at_any_moment() {
    let problem = Problem::new(RACE, 2);
    let all = Sum::default();
    let sum = all.clone();
    explore(150, move || {
        let mut pool = pool(Scheme::RootSplit, 2);
        let search = go(&mut pool, &problem, ponder(&problem));
        linger();
        assert_eq!(search.recorder.verdicts(), 0, "before the hit");
        pool.ponderhit(Instant::now());
        pool.ponderhit(Instant::now());
        pool.wait();
        assert_eq!(search.recorder.verdict().info.expect("a line").score, problem.value, "value");
        sum.add(&search);
        let search = go(&mut pool, &problem, ponder(&problem));
        pool.stop();
        pool.wait();
        search.check_verdict(&problem);
    });
    all.check(Scheme::RootSplit);
}

/// The model can fail: a pool that is dropped without ending its search.
#[test]
#[should_panic(expected = "deadlock")]
fn the_model_sees_a_search_left_alone() {
    let problem = Problem::new(RACE, 2);
    explore(50, move || {
        let mut pool = pool(Scheme::Lazy, 2);
        let _search = go(&mut pool, &problem, infinite(&problem));
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
        let _search = go(&mut pool, &problem, infinite(&problem));
        pool.job.as_ref().expect("it runs").shared.stop();
        pool.wait();
    });
}
