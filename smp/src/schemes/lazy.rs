//! Lazy SMP (Kholin, Østensen): every thread searches the root on its own, and they meet in the shared table.
//!
//! No thread waits for another. The others find what one has found in the table. Threads differ by chance, by their
//! correction histories, and by how far ahead they search ([`stride`]). When one finishes an iteration the others
//! abort theirs and continue from its result (`crate::pool::iteration_sync`). At the end they vote
//! ([`crate::pool::vote`]). A serial search is the same with one thread.

use crate::pace::Pace;
use crate::pool::iteration_sync::IterationSync;
use engine::parallel::{ParallelScheme, SearchEvent};

/// A worker that searches every move itself.
pub struct Independent<P> {
    iteration_sync: IterationSync,
    pace: P,
}

impl<P: Pace> Independent<P> {
    /// A worker on its own.
    pub(crate) fn new(iteration_sync: IterationSync, pace: P) -> Self {
        Independent { iteration_sync, pace }
    }
}

impl<P: Pace> ParallelScheme for Independent<P> {
    type Claim = ();
    const TOUCHES: bool = P::TOUCHES;

    #[inline]
    fn should_abort(&self, _nodes: u64) -> bool {
        self.iteration_sync.is_behind(&self.pace)
    }

    #[inline(always)]
    fn event(&self, event: SearchEvent<'_>) {
        self.iteration_sync.event(event, &self.pace);
    }
}

/// How many depths the threads are spread over, counted from the next.
const SPREAD: usize = 6;

/// How much deeper than the deepest finished iteration a thread's next one is: neighbours go to different
/// depths, so that they do not all do the same thing at the same time. What one finds further down serves the
/// others when they come to that depth, and if it is the first to finish, they need not
/// (bench/runs/2026-11-21-frontier, 2026-11-22-virtual).
pub fn stride(thread: usize) -> i32 {
    1 + (thread % SPREAD) as i32
}
