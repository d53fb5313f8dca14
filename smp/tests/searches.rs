//! Searches of a pool that are waited for, and what is asked of their verdicts.

use chess::{Game, Position};
use engine::worker::Task;
use parking_lot::Mutex;
use smp::pool::Pool;
use smp::schemes::rules::RuleSet;
use std::sync::Arc;
use thinking::report::{Limits, Observer, Verdict};
use thinking::score::Score;

#[derive(Default)]
struct Recorder(Mutex<Vec<Verdict>>);

impl Observer for Recorder {
    fn verdict(&self, verdict: &Verdict) {
        self.0.lock().push(verdict.clone());
    }
}

/// A search by these rules that ends by itself: its verdict, the only one that it has given.
pub fn search_by<R: RuleSet>(pool: &mut Pool, task: Task, limits: Limits) -> Verdict {
    let recorder = Arc::new(Recorder::default());
    pool.go_by::<R>(task, limits, 1, Arc::clone(&recorder) as Arc<dyn Observer>);
    pool.wait();
    let verdicts = recorder.0.lock();
    assert_eq!(verdicts.len(), 1, "one verdict for each search");
    verdicts[0].clone()
}

/// To search a position that nothing has come before.
pub fn task(position: &Position) -> Task {
    Task::from(&Game::new(position.clone()))
}

pub fn value(verdict: &Verdict) -> Score {
    verdict.info.as_ref().expect("a search with moves reports a line").score
}
