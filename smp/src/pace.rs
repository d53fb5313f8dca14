//! How the workers of a scheme spend time and wait: on the machine, or in a simulated world.
//!
//! A type parameter of every scheme. For [`Real`] all of it is empty but waiting, which is a condition variable's, so
//! that the simulation costs the engine nothing.

use crate::accounts::Activity;
use crate::sync::{self, Condvar, MutexGuard};
use engine::parallel::Tick;

/// What takes time beside searching nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node is searched.
    Node,
    /// The transposition table is asked.
    Probe,
    /// A split point is opened, or closed by its master.
    Split,
    /// A worker takes its place at another's split point.
    Join,
}

impl From<Tick> for Event {
    #[inline(always)]
    fn from(tick: Tick) -> Self {
        match tick {
            Tick::Node => Event::Node,
            Tick::Probe => Event::Probe,
        }
    }
}

/// The passing of time, as one worker sees it.
pub trait Pace: Clone {
    /// The worker is busy with this.
    #[inline(always)]
    fn spend(&self, _event: Event) {}

    /// The worker is now doing this, for a picture of who did what.
    #[inline(always)]
    fn note(&self, _activity: Option<Activity>) {}

    /// Releases the lock, waits for news, and locks again. May return without news.
    fn wait<T>(&self, news: &Condvar, guard: &mut MutexGuard<'_, T>);

    /// Wakes everyone who waits for these news.
    fn notify_all(&self, news: &Condvar);
}

/// The real machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Pace for Real {
    #[inline(always)]
    fn spend(&self, _event: Event) {
        sync::step();
    }

    fn wait<T>(&self, news: &Condvar, guard: &mut MutexGuard<'_, T>) {
        news.wait(guard);
    }

    fn notify_all(&self, news: &Condvar) {
        news.notify_all();
    }
}
