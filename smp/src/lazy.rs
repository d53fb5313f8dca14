//! Lazy SMP (Kholin, Østensen): every thread searches the root on its own, and they meet in the shared table.
//!
//! No thread waits for another or knows of it. What one finds, the others come across in the table; they differ by
//! chance, by their own histories, and by where they begin ([`first_depth`]). At the end they vote
//! ([`crate::vote`]). A serial search is the same with one thread.

use crate::accounts::Activity;
use crate::pace::Pace;
use chess::Move;
use engine::brothers::{Brothers, Tick};

/// A worker that searches all brothers itself.
pub struct Independent<P>(P);

impl<P: Pace> Independent<P> {
    /// A worker on its own.
    pub(crate) fn new(pace: P) -> Self {
        Independent(pace)
    }
}

impl<P: Pace> Brothers for Independent<P> {
    #[inline(always)]
    fn tick(&self, tick: Tick) {
        self.0.spend(tick.into());
    }

    #[inline(always)]
    fn at_root_move(&self, mv: Move) {
        self.0.note(Some(Activity::Own(Some(mv))));
    }
}

/// The depth that a thread begins with: every other thread one ply deeper, so that they do not all do the same thing
/// at the same time.
pub fn first_depth(thread: usize) -> i32 {
    1 + (thread % 2) as i32
}
