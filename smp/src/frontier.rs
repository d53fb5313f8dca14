//! How far threads that each search the root have come: the deepest iteration that any of them has finished.
//!
//! Who is still at that iteration or a shallower one breaks it off and goes on from the other's result: root moves,
//! scores and lines. So an iteration takes as long as the fastest thread needs for it, and nobody lags behind. Nobody
//! waits for it either.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicI32, Ordering::Relaxed};
use engine::brothers::Peers;
use engine::iterate::Opinion;
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
    pub(crate) fn is_behind(&self) -> bool {
        self.frontier.as_ref().is_some_and(|frontier| frontier.depth.load(Relaxed) >= self.iteration.get())
    }
}

impl Peers for Scout {
    fn at_iteration(&self, depth: i32) {
        self.iteration.set(depth);
    }

    fn finished(&self, opinion: &Opinion) {
        let Some(frontier) = &self.frontier else { return };
        let mut best = frontier.best.lock();
        if opinion.depth > best.depth {
            best.clone_from(opinion);
            frontier.depth.store(opinion.depth, Relaxed);
        }
    }

    fn overtaken(&self, depth: i32) -> Option<Opinion> {
        let best = self.frontier.as_ref()?.best.lock();
        (best.depth > depth).then(|| best.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::root::Root;

    fn opinion(depth: i32) -> Opinion {
        Opinion { depth, root: Root::default() }
    }

    #[test]
    fn who_is_at_a_finished_iteration_is_behind_and_goes_on_from_its_result() {
        let frontier = Some(Arc::default());
        let [fast, slow] = [Scout::new(&frontier), Scout::new(&frontier)];
        slow.at_iteration(5);
        fast.at_iteration(4);
        fast.finished(&opinion(4));
        assert!(!slow.is_behind());
        fast.at_iteration(5);
        fast.finished(&opinion(5));
        assert!(slow.is_behind());
        assert_eq!(slow.overtaken(4).map(|further| further.depth), Some(5));
        assert!(slow.overtaken(5).is_none());
        slow.at_iteration(6);
        assert!(!slow.is_behind());
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
        scout.at_iteration(3);
        assert!(!scout.is_behind() && scout.overtaken(0).is_none());
    }
}
