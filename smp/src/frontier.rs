//! How far threads that each search the root have come: the deepest iteration that any of them has finished.
//!
//! Who is still at that iteration or a shallower one breaks it off and goes on from the other's result: root moves,
//! scores and lines. So an iteration takes as long as the fastest thread needs for it, and nobody lags behind. Nobody
//! waits for it either.

use crate::accounts::Activity;
use crate::coherence::Access;
use crate::pace::{DEEPEST, Pace};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicI32, Ordering::Relaxed};
use engine::iterate::Opinion;
use engine::parallel::{Iteration, SearchEvent};
use std::cell::Cell;
use std::sync::Arc;

/// The deepest result of all threads.
#[derive(Default)]
pub(crate) struct Frontier {
    /// Its depth, for those who look at every node. Changed under the lock only.
    depth: AtomicI32,
    best: Mutex<Opinion>,
}

/// One thread's view of the frontier.
pub(crate) struct Scout {
    /// `None`: nobody else searches, and nothing is told or asked.
    frontier: Option<Arc<Frontier>>,
    /// Depth of the iteration this thread is at.
    iteration: Cell<i32>,
}

impl Scout {
    /// A thread among others.
    pub(crate) fn new(frontier: &Option<Arc<Frontier>>) -> Self {
        Scout { frontier: frontier.clone(), iteration: Cell::new(0) }
    }

    /// Has another thread finished the iteration that this one is at?
    #[inline]
    pub(crate) fn is_behind<P: Pace>(&self, pace: &P) -> bool {
        if self.frontier.is_some() {
            pace.touch(Access::Read, DEEPEST);
        }
        self.frontier.as_ref().is_some_and(|frontier| frontier.depth.load(Relaxed) >= self.iteration.get())
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
            Iteration::Finished(opinion) => {
                if self.finished(opinion) {
                    pace.touch(Access::Write, DEEPEST);
                }
            }
            Iteration::Aborted(opinion) => {
                if let Some(further) = self.overtaken(opinion.depth) {
                    *opinion = further;
                }
            }
        }
    }

    /// Hands in a result. `true`: it is deeper than all before.
    fn finished(&self, opinion: &Opinion) -> bool {
        let Some(frontier) = &self.frontier else { return false };
        let mut best = frontier.best.lock();
        let deeper = opinion.depth > best.depth;
        if deeper {
            best.clone_from(opinion);
            frontier.depth.store(opinion.depth, Relaxed);
        }
        deeper
    }

    fn overtaken(&self, depth: i32) -> Option<Opinion> {
        let best = self.frontier.as_ref()?.best.lock();
        (best.depth > depth).then(|| best.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use engine::root::Root;

    fn opinion(depth: i32) -> Opinion {
        Opinion { depth, root: Root::default() }
    }

    #[test]
    fn who_is_at_a_finished_iteration_is_behind_and_goes_on_from_its_result() {
        let frontier = Some(Arc::default());
        let [fast, slow] = [Scout::new(&frontier), Scout::new(&frontier)];
        slow.note(Iteration::Started(5), &Real);
        fast.note(Iteration::Started(4), &Real);
        fast.finished(&opinion(4));
        assert!(!slow.is_behind(&Real));
        fast.note(Iteration::Started(5), &Real);
        fast.finished(&opinion(5));
        assert!(slow.is_behind(&Real));
        assert_eq!(slow.overtaken(4).map(|further| further.depth), Some(5));
        assert!(slow.overtaken(5).is_none());
        slow.note(Iteration::Started(6), &Real);
        assert!(!slow.is_behind(&Real));
        slow.finished(&opinion(4));
        assert_eq!(
            fast.overtaken(3).map(|further| further.depth),
            Some(5),
            "a shallower result changes nothing"
        );
    }

    #[test]
    fn a_thread_without_company_tells_nothing() {
        let scout = Scout::new(&None);
        scout.finished(&opinion(9));
        scout.note(Iteration::Started(3), &Real);
        assert!(!scout.is_behind(&Real) && scout.overtaken(0).is_none());
    }
}
