//! A simulated machine: any number of workers on one thread, each with a clock of its own.
//!
//! Exactly one worker runs at a time, as a coroutine. Its clock advances by what it says it spends; as soon as another
//! worker's clock is smaller (the smaller number decides ties), that one goes on instead. So everything the workers
//! do to shared memory happens in the order of virtual time, the same in every run, whatever the real machine does:
//! a parallel program's exact behaviour on 256 processors, replayed on one. A worker that waits goes on at the moment
//! of the one who wakes it, or later.
//!
//! Nothing here knows chess: `smp` runs the parallel schemes in it, `lab` its textbook trees.
#![forbid(unsafe_code)]

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a worker of the world does.
pub type Work = Box<dyn for<'y> FnOnce(Clock<'y>)>;

/// A moment at which a worker can go on, and its number.
type Turn = Reverse<(u64, usize)>;

/// A worker that waits.
struct Waiter {
    what: usize,
    worker: usize,
    /// When it goes on by itself. It is among the ready ones as well if it has a deadline.
    deadline: Option<u64>,
}

#[derive(Default)]
struct State {
    /// Workers that could run, but for the one that does.
    ready: RefCell<BinaryHeap<Turn>>,
    waiting: RefCell<Vec<Waiter>>,
    /// The clock of the worker that runs, in nanoseconds; readable from outside.
    now: Arc<AtomicU64>,
    /// The turn that comes after the running worker's.
    next: Cell<Option<(u64, usize)>>,
}

impl State {
    fn note_next(&self) {
        self.next.set(self.ready.borrow().peek().map(|turn| turn.0));
    }
}

/// A simulated machine, before its workers start.
#[derive(Default)]
pub struct World {
    state: Rc<State>,
}

/// A running worker's hold on its clock. Times are nanoseconds since the world began.
#[derive(Clone, Copy)]
pub struct Clock<'y> {
    state: &'y State,
    yielder: &'y Yielder<(), ()>,
    worker: usize,
}

/// Why a world did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The system gives no memory for a worker's stack; none of the workers has begun.
    #[error("no memory for the stack of simulated worker {worker} ({bytes} bytes): {cause}")]
    Stack {
        /// Its number, from 0.
        worker: usize,
        /// The size asked for.
        bytes: usize,
        /// What the system said.
        cause: io::Error,
    },
    /// All workers that are left wait for each other.
    #[error("simulated workers {0:?} wait for ever")]
    Deadlock(Vec<usize>),
}

impl World {
    /// The running worker's clock, for code that may only look at the time.
    pub fn watch(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.state.now)
    }

    /// Runs all workers to their ends, every clock beginning at 0; returns the clocks at which they ended.
    /// `stack` is the size of each worker's stack in bytes.
    ///
    /// # Errors
    /// When the system has no memory for a stack, or when workers are left that all wait.
    ///
    /// # Panics
    /// When a worker does.
    pub fn run(self, stack: usize, works: Vec<Work>) -> Result<Vec<u64>, WorldError> {
        let count = works.len();
        let mut ends = vec![0; count];
        let mut workers = Vec::with_capacity(count);
        for (worker, work) in works.into_iter().enumerate() {
            let state = Rc::clone(&self.state);
            let no_memory = |cause| WorldError::Stack { worker, bytes: stack, cause };
            let memory = DefaultStack::new(stack).map_err(no_memory)?;
            workers.push(Some(Coroutine::<(), (), (), _>::with_stack(memory, move |yielder, ()| {
                work(Clock { state: &state, yielder, worker });
            })));
        }
        self.state.ready.borrow_mut().extend((0..count).map(|worker| Reverse((0, worker))));
        loop {
            let Some(Reverse((clock, worker))) = self.state.ready.borrow_mut().pop() else { break };
            self.state.now.store(clock, Relaxed);
            self.state.note_next();
            let coroutine = workers[worker].as_mut().expect("a worker that has ended is never ready");
            if let CoroutineResult::Return(()) = coroutine.resume(()) {
                ends[worker] = self.state.now.load(Relaxed);
                workers[worker] = None;
            }
        }
        let left: Vec<usize> = (0..count).filter(|&worker| workers[worker].is_some()).collect();
        if left.is_empty() { Ok(ends) } else { Err(WorldError::Deadlock(left)) }
    }
}

impl Clock<'_> {
    /// This worker's number, from 0.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// The time on this worker's clock.
    pub fn now(&self) -> u64 {
        self.state.now.load(Relaxed)
    }

    /// Works for a while. A worker that is behind then goes first.
    #[inline]
    pub fn spend(&self, nanoseconds: u64) {
        self.advance(nanoseconds);
        self.settle();
    }

    /// Works for a while without letting anyone else go on yet: the worker may hold a lock.
    #[inline]
    pub fn advance(&self, nanoseconds: u64) {
        self.state.now.store(self.now() + nanoseconds, Relaxed);
    }

    /// Lets all workers go on that are behind.
    #[inline]
    pub fn settle(&self) {
        let now = self.now();
        if self.state.next.get().is_some_and(|next| next < (now, self.worker)) {
            self.state.ready.borrow_mut().push(Reverse((now, self.worker)));
            self.yielder.suspend(());
        }
    }

    /// Waits until another worker wakes those that wait for `what`, a name of the caller's choice.
    pub fn wait(&self, what: usize) {
        self.state.waiting.borrow_mut().push(Waiter { what, worker: self.worker, deadline: None });
        self.yielder.suspend(());
    }

    /// The same, but for at most so many nanoseconds.
    pub fn wait_at_most(&self, what: usize, nanoseconds: u64) {
        let deadline = self.now() + nanoseconds;
        self.state.ready.borrow_mut().push(Reverse((deadline, self.worker)));
        let waiter = Waiter { what, worker: self.worker, deadline: Some(deadline) };
        self.state.waiting.borrow_mut().push(waiter);
        self.yielder.suspend(());
        // It still waits unless another worker woke it.
        self.state.waiting.borrow_mut().retain(|waiter| waiter.worker != self.worker);
    }

    /// Lets every worker that waits for `what` go on `delay` nanoseconds from now. If one does, the call itself
    /// takes `call` nanoseconds of this worker's; it may hold a lock, so that no other goes before it yet.
    pub fn wake_all(&self, what: usize, call: u64, delay: u64) {
        let mut ready = self.state.ready.borrow_mut();
        let mut waiting = self.state.waiting.borrow_mut();
        if waiting.iter().any(|waiter| waiter.what == what) {
            self.state.now.store(self.now() + call, Relaxed);
        }
        let moment = self.now() + delay;
        waiting.retain(|waiter| {
            if waiter.what == what {
                if waiter.deadline.is_some() {
                    ready.retain(|turn| turn.0.1 != waiter.worker);
                }
                let moment = waiter.deadline.map_or(moment, |deadline| deadline.min(moment));
                ready.push(Reverse((moment, waiter.worker)));
            }
            waiter.what != what
        });
        drop(waiting);
        drop(ready);
        self.state.note_next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: usize = 64 << 10;

    /// The clocks at the ends, or what is said of them.
    fn run(works: Vec<Work>) -> Result<Vec<u64>, String> {
        World::default().run(STACK, works).map_err(|error| error.to_string())
    }

    #[test]
    fn the_smallest_clock_goes_next_and_the_smaller_number_breaks_ties() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let work = |steps: &'static [u64]| -> Work {
            let log = Rc::clone(&log);
            Box::new(move |clock| {
                for &step in steps {
                    log.borrow_mut().push((clock.now(), clock.worker()));
                    clock.spend(step);
                }
            })
        };
        assert_eq!(run(vec![work(&[5, 5, 5]), work(&[2, 2, 2, 2, 2, 2])]), Ok(vec![15, 12]));
        let mut sorted = log.borrow().clone();
        sorted.sort_unstable();
        assert_eq!(*log.borrow(), sorted);
        assert_eq!(log.borrow().len(), 9);
    }

    #[test]
    fn a_waiter_goes_on_at_its_wakers_time() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let [of_sleeper, of_waker] = [Rc::clone(&log), Rc::clone(&log)];
        let sleeper: Work = Box::new(move |clock| {
            clock.spend(3);
            clock.wait(1);
            of_sleeper.borrow_mut().push(clock.now());
            clock.spend(1);
        });
        let waker: Work = Box::new(move |clock| {
            clock.spend(100);
            clock.wake_all(2, 5, 0);
            clock.wake_all(1, 3, 7);
            clock.spend(50);
            of_waker.borrow_mut().push(clock.now());
        });
        assert_eq!(run(vec![sleeper, waker]), Ok(vec![111, 153]));
        assert_eq!(*log.borrow(), [110, 153], "in the order of time");
    }

    #[test]
    fn a_wait_ends_at_its_deadline_or_when_another_worker_wakes_it() {
        let sleeper: Work = Box::new(|clock| {
            clock.wait_at_most(1, 50);
            assert_eq!(clock.now(), 50, "the deadline");
            clock.wait_at_most(1, 200);
            assert_eq!(clock.now(), 107, "woken at 100");
            clock.wait_at_most(1, 95);
            assert_eq!(clock.now(), 202, "the deadline before the sleeper is awake");
            clock.spend(1000);
            assert_eq!(clock.now(), 1202, "no turn is left over");
        });
        let waker: Work = Box::new(|clock| {
            clock.spend(100);
            clock.wake_all(1, 0, 7);
            clock.spend(100);
            clock.wake_all(1, 0, 7);
            clock.spend(300);
            clock.wake_all(1, 9, 7);
        });
        assert_eq!(run(vec![sleeper, waker]), Ok(vec![1202, 500]));
    }

    #[test]
    fn workers_that_wait_for_each_other_are_named() {
        let works: Vec<Work> = vec![
            Box::new(|clock| clock.spend(1)),
            Box::new(|clock| clock.wait(1)),
            Box::new(|clock| clock.wait(2)),
        ];
        assert_eq!(run(works), Err("simulated workers [1, 2] wait for ever".to_owned()));
    }

    /// No address space has room for such a stack.
    #[test]
    fn a_stack_without_memory_is_an_error_and_no_worker_begins() {
        let begun = Rc::new(Cell::new(0));
        let works = |count| -> Vec<Work> {
            let work = |_| {
                let begun = Rc::clone(&begun);
                Box::new(move |_: Clock<'_>| begun.set(begun.get() + 1)) as Work
            };
            (0..count).map(work).collect()
        };
        let bytes = usize::MAX / 8;
        let refused = World::default().run(bytes, works(2)).expect_err("there is no such memory");
        assert!(matches!(refused, WorldError::Stack { worker: 0, .. }), "{refused:?}");
        let said = refused.to_string();
        assert!(said.contains(&format!("worker 0 ({bytes} bytes)")), "{said}");
        assert_eq!(begun.get(), 0);
        assert_eq!(run(works(2)), Ok(vec![0, 0]));
        assert_eq!(begun.get(), 2);
    }
}
