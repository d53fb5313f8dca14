//! The end of a search: see [`crate::models`]. No thread searches here; they hand in fixed results, and what
//! is modelled is which of them waits for which: one thread and the caller under every schedule there is,
//! three threads and the caller under many.

use super::*;
use crate::models::{Recorder, exhaust, explore, small_table};
use crate::pace::Real;
use crate::schemes::rules::Usual;
use crate::sync::{self, thread};
use chess::Game;
use engine::tt::Table;
use thinking::report::Limits;

/// Ends a search while the caller does `meanwhile` and then waits.
fn end(limits: &Limits, table: &Arc<Table>, threads: usize, meanwhile: fn(&Job, &Recorder)) {
    let recorder = Arc::new(Recorder::default());
    let shared = Shared::new(Arc::clone(table), limits.clone(), 1, threads);
    let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
    let task = Task::from(&Game::default());
    let job = Arc::new(Job::new::<Usual>(Scheme::Lazy, None, shared, task, observer, None));
    let handles: Vec<_> = (0..threads)
        .map(|number| {
            let job = Arc::clone(&job);
            thread::spawn(move || {
                job.hand_in(number, ThreadResult::default(), Account::default());
                if number == 0 {
                    job.conclude(&Real);
                }
            })
        })
        .collect();
    // What the caller does first may be no scheduling point; but the threads may have begun by then.
    sync::step();
    meanwhile(&job, &recorder);
    job.wait();
    recorder.verdict();
    assert!(job.is_over() && job.accounts().is_some());
    handles.into_iter().for_each(|handle| handle.join().expect("no search, no panic"));
    recorder.verdict();
}

/// The same with one thread in every order, and with three in many.
fn model(limits: Limits, meanwhile: fn(&Job, &Recorder)) {
    let table = small_table();
    let (same_limits, same_table) = (limits.clone(), Arc::clone(&table));
    exhaust(move || end(&same_limits, &same_table, 1, meanwhile));
    explore(1000, move || end(&limits, &table, 3, meanwhile));
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

fn ponder() -> Limits {
    Limits { ponder: true, ..Limits::default() }
}

#[test]
fn a_search_ends_by_itself() {
    model(Limits::default(), |_, _| {});
}

#[test]
fn an_infinite_search_ends_when_told() {
    model(infinite(), |job, recorder| {
        assert_eq!(recorder.verdicts(), 0, "before it was asked");
        job.stop();
    });
}

#[test]
fn a_pondering_search_ends_after_the_hit() {
    model(ponder(), |job, recorder| {
        assert_eq!(recorder.verdicts(), 0, "before the hit");
        job.ponderhit(Instant::now());
    });
}

#[test]
fn a_pondering_search_ends_when_told() {
    model(ponder(), |job, _| job.stop());
}

/// The model can fail: a ponder hit that is signalled without the lock.
#[test]
#[should_panic(expected = "deadlock")]
fn the_model_sees_a_hit_outside_the_lock() {
    model(ponder(), |job, _| {
        job.shared.ponderhit(Instant::now());
        job.changed.notify_all();
    });
}

/// The model can fail: first the signal, then the change.
#[test]
#[should_panic(expected = "deadlock")]
fn the_model_sees_a_signal_before_the_change() {
    model(infinite(), |job, _| {
        job.changed.notify_all();
        job.progress.lock().stop_requested = true;
    });
}
