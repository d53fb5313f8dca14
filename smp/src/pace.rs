//! How the workers of a scheme spend time, wait, and touch what they share: on the machine, or in a simulated
//! world.
//!
//! A type parameter of every scheme. For [`Real`] all of it is empty but waiting, which is a condition
//! variable's, so that the simulation costs the engine nothing.

use crate::pool::accounts::Activity;
use crate::simulation::coherence::{Access, Class, Place};
use crate::sync::{self, Condvar, Mutex, MutexGuard};
use engine::iterate::ThreadResult;
use engine::parallel::Tick;
use engine::touch::Touch;
use std::ops::{Deref, DerefMut};

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
    /// Is anything done about [`Self::touch`] and [`Self::search_touches`]?
    const TOUCHES: bool = false;

    /// The worker is busy with this.
    #[inline(always)]
    fn spend(&self, _event: Event) {}

    /// The worker is now doing this, for a picture of what each thread did.
    #[inline(always)]
    fn note(&self, _activity: Option<Activity>) {}

    /// The worker reads or writes shared memory of its scheme.
    #[inline(always)]
    fn touch(&self, _access: Access, _place: Place) {}

    /// The search itself has read or written shared memory.
    #[inline(always)]
    fn search_touches(&self, _touch: Touch<'_>) {}

    /// The worker has finished an iteration deeper than any before it.
    #[inline(always)]
    fn finished(&self, _result: &ThreadResult) {}

    /// The worker has given the thread that talks to other machines an errand. The real one waits for errands
    /// anyway.
    #[inline(always)]
    fn posted(&self) {}

    /// The worker is about to take a lock, and waits while another has it. Only a worker that holds none lets
    /// others go first.
    #[inline(always)]
    fn acquire(&self, _lock: Place) {}

    /// The worker is about to give a lock back.
    #[inline(always)]
    fn release(&self, _lock: Place) {}

    /// Releases the lock, which lies there, waits for the signal, and locks again. May return without one.
    fn wait<T>(&self, signal: &Condvar, guard: &mut MutexGuard<'_, T>, lock: Place);

    /// Wakes all that wait for the signal.
    fn notify_all(&self, signal: &Condvar);
}

/// The real machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

impl Pace for Real {
    #[inline(always)]
    fn spend(&self, _event: Event) {
        sync::step();
    }

    fn wait<T>(&self, signal: &Condvar, guard: &mut MutexGuard<'_, T>, _lock: Place) {
        signal.wait(guard);
    }

    fn notify_all(&self, signal: &Condvar) {
        signal.notify_all();
    }
}

/// A lock that is held, by a worker whose pace knows of it.
pub(crate) struct Held<'m, T, P: Pace> {
    guard: MutexGuard<'m, T>,
    pace: P,
    lock: Place,
}

impl<'m, T, P: Pace> Held<'m, T, P> {
    /// Waits for the lock of an object, which lies there.
    #[inline(always)]
    pub(crate) fn of(mutex: &'m Mutex<T>, pace: &P, lock: Place) -> Self {
        pace.acquire(lock);
        Held { guard: mutex.lock(), pace: pace.clone(), lock }
    }

    /// Gives the lock back while `f` runs.
    #[inline(always)]
    pub(crate) fn unlocked<U>(&mut self, f: impl FnOnce() -> U) -> U {
        let Held { guard, pace, lock } = self;
        pace.release(*lock);
        MutexGuard::unlocked(guard, || {
            let result = f();
            pace.acquire(*lock);
            result
        })
    }

    /// Waits for the signal, with the lock given back meanwhile.
    pub(crate) fn wait(&mut self, signal: &Condvar) {
        let Held { guard, pace, lock } = self;
        pace.wait(signal, guard, *lock);
    }
}

impl<T, P: Pace> Drop for Held<'_, T, P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.pace.release(self.lock);
    }
}

impl<T, P: Pace> Deref for Held<'_, T, P> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T, P: Pace> DerefMut for Held<'_, T, P> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// Single words that all threads of a search read at every node: is it over, and how deep is the deepest
/// finished iteration?
pub(crate) const STOP: Place = Place::lines(Class::Word, 0, 0, 1);
pub(crate) const DEEPEST: Place = Place::lines(Class::Word, 0, 2, 1);
/// What the threads of a search have handed in.
pub(crate) const PROGRESS: Place = Place::lines(Class::Word, 0, 4, 1);

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The pace of a worker of which a test says what others do: just before it touches shared memory, and while it
    /// waits for a signal.
    #[derive(Clone, Copy)]
    pub(crate) struct Scripted<'t> {
        pub(crate) before_touch: &'t dyn Fn(Access, Place),
        pub(crate) while_waiting: &'t dyn Fn(&Condvar),
    }

    impl Pace for Scripted<'_> {
        fn touch(&self, access: Access, place: Place) {
            (self.before_touch)(access, place);
        }

        fn wait<T>(&self, signal: &Condvar, guard: &mut MutexGuard<'_, T>, _lock: Place) {
            MutexGuard::unlocked(guard, || (self.while_waiting)(signal));
        }

        fn notify_all(&self, signal: &Condvar) {
            signal.notify_all();
        }
    }
}
