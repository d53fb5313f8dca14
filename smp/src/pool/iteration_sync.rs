//! Iteration sync between threads that each search the root: the deepest iteration that any has finished.
//!
//! A thread that is still at that iteration or a shallower one aborts it and continues from the other's result (root
//! moves, scores and lines). So an iteration takes as long as the fastest thread needs, and no thread waits.

use crate::pace::{DEEPEST, Pace};
use crate::pool::accounts::Activity;
use crate::simulation::coherence::Access;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicI32, Ordering::Relaxed};
use crossbeam::utils::CachePadded;
use engine::iterate::ThreadResult;
use engine::parallel::{Iteration, SearchEvent};
use std::cell::Cell;
use std::sync::Arc;

/// The deepest result of all threads.
#[derive(Default)]
pub(crate) struct DeepestResult {
    /// Its depth, which every thread reads at every node, so that it lies apart from the lock. Changed under the lock
    /// only. A thread that is stopped because there is a move to play sees it: it is written before
    /// [`note_answer`](engine::shared::Shared::note_answer) says so.
    depth: CachePadded<AtomicI32>,
    /// Copied before and after the lock is held: all threads come for it at once, and those that find it locked go to
    /// sleep.
    best: Mutex<Arc<ThreadResult>>,
}

impl DeepestResult {
    /// Takes in a result. `true`: it is deeper than all before.
    pub(crate) fn advance(&self, result: &ThreadResult) -> bool {
        if result.depth <= self.depth.load(Relaxed) {
            return false;
        }
        let mut result = Arc::new(result.clone());
        let depth = result.depth;
        let mut best = self.best.lock();
        let deeper = depth > best.depth;
        if deeper {
            // The one before is freed when the lock is.
            std::mem::swap(&mut *best, &mut result);
            self.depth.store(depth, Relaxed);
        }
        drop(best);
        deeper
    }
}

/// One thread's part in it.
pub(crate) struct IterationSync {
    /// `None`: no other thread searches the root.
    deepest: Option<Arc<DeepestResult>>,
    /// Depth of the iteration this thread is at.
    iteration: Cell<i32>,
}

impl IterationSync {
    /// A thread among others.
    pub(crate) fn new(deepest: &Option<Arc<DeepestResult>>) -> Self {
        IterationSync { deepest: deepest.clone(), iteration: Cell::new(0) }
    }

    /// Has another thread finished the iteration that this one is at?
    #[inline]
    pub(crate) fn is_behind<P: Pace>(&self, pace: &P) -> bool {
        if self.deepest.is_some() {
            pace.touch(Access::Read, DEEPEST);
        }
        self.deepest.as_ref().is_some_and(|deepest| deepest.depth.load(Relaxed) >= self.iteration.get())
    }

    /// Takes note of what happens in the search of a thread that searches the root on its own.
    #[inline(always)]
    pub(crate) fn event<P: Pace>(&self, event: SearchEvent<'_>, pace: &P) {
        match event {
            SearchEvent::Tick(tick) => pace.spend(tick.into()),
            SearchEvent::Touch(touch) => pace.search_touches(touch),
            SearchEvent::RootMove(mv) => pace.note(Some(Activity::Own(Some(mv)))),
            SearchEvent::Iteration(iteration) => self.note(iteration, pace),
        }
    }

    /// Takes note of this thread's progress, and tells it of a deeper result when it was aborted.
    pub(crate) fn note<P: Pace>(&self, iteration: Iteration<'_>, pace: &P) {
        match iteration {
            Iteration::Started(depth) => self.iteration.set(depth),
            Iteration::Finished(result) => {
                if self.finished(result) {
                    pace.touch(Access::Write, DEEPEST);
                    pace.finished(result);
                }
            }
            Iteration::Aborted(result) => {
                if let Some(further) = self.overtaken(result.depth) {
                    *result = further;
                }
            }
        }
    }

    /// Hands in a result. `true`: it is deeper than all before.
    fn finished(&self, result: &ThreadResult) -> bool {
        self.deepest.as_ref().is_some_and(|deepest| deepest.advance(result))
    }

    fn overtaken(&self, depth: i32) -> Option<ThreadResult> {
        let deepest = self.deepest.as_ref()?;
        if deepest.depth.load(Relaxed) <= depth {
            return None;
        }
        let best = Arc::clone(&deepest.best.lock());
        Some((*best).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use engine::root::Root;

    fn result(depth: i32) -> ThreadResult {
        ThreadResult { depth, root: Root::default() }
    }

    #[test]
    fn who_is_at_a_finished_iteration_is_behind_and_goes_on_from_its_result() {
        let deepest = Some(Arc::default());
        let [fast, slow] = [IterationSync::new(&deepest), IterationSync::new(&deepest)];
        slow.note(Iteration::Started(5), &Real);
        fast.note(Iteration::Started(4), &Real);
        fast.finished(&result(4));
        assert!(!slow.is_behind(&Real));
        fast.note(Iteration::Started(5), &Real);
        fast.finished(&result(5));
        assert!(slow.is_behind(&Real));
        assert_eq!(slow.overtaken(4).map(|further| further.depth), Some(5));
        assert!(slow.overtaken(5).is_none());
        slow.note(Iteration::Started(6), &Real);
        assert!(!slow.is_behind(&Real));
        slow.finished(&result(4));
        assert_eq!(
            fast.overtaken(3).map(|further| further.depth),
            Some(5),
            "a shallower result changes nothing"
        );
    }

    #[test]
    fn a_thread_without_company_tells_nothing() {
        let iteration_sync = IterationSync::new(&None);
        iteration_sync.finished(&result(9));
        iteration_sync.note(Iteration::Started(3), &Real);
        assert!(!iteration_sync.is_behind(&Real) && iteration_sync.overtaken(0).is_none());
    }
}
