//! What all threads of one search share: the table, the stop flag, the node counters, the clock.

use crate::Searched;
use crate::counter::Counter;
use crate::drivers::Driver;
use crate::history::Histories;
use crate::node::Aborted;
use crate::params::Tuning;
use crate::tablebase::Tablebase;
use crate::time::Budget;
use crate::tt::Table;
use nnue::Network;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};
use thinking::report::Limits;

/// Stands for "still pondering" in the word that holds the moment of the ponder hit.
const PONDERING: u64 = u64::MAX;

/// What tells the time since a search began.
#[derive(Clone, Debug)]
pub enum Stopwatch {
    /// The machine, from this moment on.
    Real(Instant),
    /// A simulated clock, in nanoseconds since the search began.
    Simulated(Arc<AtomicU64>),
}

impl Stopwatch {
    /// Time since the search, or whatever it was made for, began.
    pub fn elapsed(&self) -> Duration {
        match self {
            Stopwatch::Real(started) => started.elapsed(),
            Stopwatch::Simulated(nanoseconds) => Duration::from_nanos(nanoseconds.load(Relaxed)),
        }
    }
}

/// One bit of shared memory. A trait only so that [`Flag`] can be model-checked with loom's bit.
trait Bit {
    fn get(&self, order: Ordering) -> bool;
    fn set(&self, order: Ordering);
}

impl Bit for AtomicBool {
    #[inline]
    fn get(&self, order: Ordering) -> bool {
        self.load(order)
    }
    #[inline]
    fn set(&self, order: Ordering) {
        self.fetch_or(true, order);
    }
}

/// What happens once in a search, or not at all.
#[derive(Debug, Default)]
struct Flag<B = AtomicBool>(B);

impl<B: Bit> Flag<B> {
    /// It has happened. Whatever the caller has written or seen before this is seen by those who find it so by
    /// [`Flag::look_closely`], also if others raise it as well: not a store, which would hide what came before.
    fn raise(&self) {
        self.0.set(Release);
    }

    /// Has it happened? This is asked at every node, and says nothing of what came before it.
    #[inline]
    fn is_raised(&self) -> bool {
        self.0.get(Relaxed)
    }

    /// Has it happened? If so, the caller sees from now on whatever the one who raised it did.
    fn look_closely(&self) -> bool {
        self.0.get(Acquire)
    }
}

/// The state of one search that its threads share. Made for every search; the table outlives it.
pub struct Shared {
    /// The transposition table.
    pub table: Arc<Table>,
    /// When the search ends.
    pub limits: Limits,
    /// How many best lines are wanted, at least 1.
    pub multipv: usize,
    /// The network to evaluate with, at first the program's own; without one the hand-crafted evaluation does.
    pub network: Option<Arc<Network>>,
    /// With which windows the root is searched.
    pub driver: Driver,
    /// The numbers of pruning, reductions and the like.
    pub params: Tuning,
    /// The histories of its threads, none for one on its own.
    pub histories: Histories,
    /// What knows endings; without it the search has to find out for itself.
    pub tablebase: Option<Arc<dyn Tablebase>>,
    /// How much time the limits allow.
    pub budget: Budget,
    stop: Flag,
    /// Has some thread finished an iteration, so that there is a move to play?
    answered: Flag,
    counters: Box<[Counter]>,
    tablebase_hits: Box<[Counter]>,
    stopwatch: Stopwatch,
    /// When our own clock began to run, in nanoseconds after `started`, or [`PONDERING`].
    clock_began: AtomicU64,
    /// Has the search already taken, on the opponent's time, as long as this move deserves?
    pondered_enough: AtomicBool,
}

impl Shared {
    /// A search with `threads` workers that begins now, or began when the limits say.
    pub fn new(table: Arc<Table>, limits: Limits, multipv: usize, threads: usize) -> Self {
        let began = limits.since.unwrap_or_else(Instant::now);
        Self::timed_by(Stopwatch::Real(began), table, limits, multipv, threads)
    }

    /// A search with `threads` workers, timed by this stopwatch.
    pub fn timed_by(
        stopwatch: Stopwatch,
        table: Arc<Table>,
        limits: Limits,
        multipv: usize,
        threads: usize,
    ) -> Self {
        table.grow_older();
        let clock_began = AtomicU64::new(if limits.ponder { PONDERING } else { 0 });
        Shared {
            table,
            network: Some(Network::embedded()),
            driver: Driver::default(),
            params: Tuning::default(),
            histories: Histories::default(),
            tablebase: None,
            budget: Budget::new(&limits),
            limits,
            multipv: multipv.max(1),
            stop: Flag::default(),
            answered: Flag::default(),
            counters: (0..threads.max(1)).map(|_| Counter::default()).collect(),
            tablebase_hits: (0..threads.max(1)).map(|_| Counter::default()).collect(),
            stopwatch,
            clock_began,
            pondered_enough: AtomicBool::new(false),
        }
    }

    /// Tells every thread to stop at its next node.
    pub fn stop(&self) {
        self.stop.raise();
    }

    /// Has the search been told to stop?
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.is_raised()
    }

    /// A thread has abandoned an iteration and is about to ask what the others have finished. If it was told to stop
    /// because there was a move to play, it sees that iteration from now on: the thread that finished it raised
    /// `answered` after it, and the one that found this raised `stop`.
    pub(crate) fn note_abandoned(&self) {
        self.stop.look_closely();
    }

    /// `Err(Aborted)` once the search has been told to stop.
    #[inline]
    pub fn check(&self) -> Searched<()> {
        if self.stopped() { Err(Aborted) } else { Ok(()) }
    }

    /// An iteration is finished, by a thread or on another machine: there is a move to play.
    pub fn note_answer(&self) {
        self.answered.raise();
    }

    /// Is there a move to play? Who is told to stop because of it finds it: see [`Shared::note_abandoned`].
    pub(crate) fn answered(&self) -> bool {
        self.answered.look_closely()
    }

    /// The counter of one thread.
    pub fn counter(&self, thread: usize) -> &Counter {
        &self.counters[thread]
    }

    /// The counter of one thread's positions that the tablebase knew.
    pub fn tablebase_hit_counter(&self, thread: usize) -> &Counter {
        &self.tablebase_hits[thread]
    }

    /// Positions that the tablebase knew, over all threads.
    pub fn tablebase_hits(&self) -> u64 {
        self.tablebase_hits.iter().map(Counter::get).sum()
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.counters.len()
    }

    /// Nodes of all threads.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(Counter::get).sum()
    }

    /// Time since the search began, pondering included.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    /// The expected move was played: from now on our own clock runs. If the search has already taken the time that the
    /// move deserves, it ends.
    pub fn ponderhit(&self) {
        let now = self.stopwatch.elapsed().as_nanos() as u64;
        // Only the first hit counts. Sequentially consistent, as in `goes_on_pondering`: of a hit and the end of an
        // iteration at the same time one sees the other.
        let first = self.clock_began.compare_exchange(PONDERING, now, SeqCst, SeqCst).is_ok();
        if first && self.pondered_enough.load(SeqCst) {
            self.stop();
        }
    }

    /// Is the search still on the opponent's time? `enough`: a ponder hit that comes before the next iteration is done
    /// will end it.
    pub(crate) fn goes_on_pondering(&self, enough: bool) -> bool {
        self.pondered_enough.store(enough, SeqCst);
        self.clock_began.load(SeqCst) == PONDERING
    }

    /// Is the search still on the opponent's time?
    pub fn pondering(&self) -> bool {
        self.clock_began.load(Relaxed) == PONDERING
    }

    /// Time that our own clock has run; `None` while pondering.
    pub fn clock_used(&self) -> Option<Duration> {
        match self.clock_began.load(Relaxed) {
            PONDERING => None,
            began => Some(self.stopwatch.elapsed().saturating_sub(Duration::from_nanos(began))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::atomic::{AtomicBool as Modelled, AtomicI32};
    use loom::thread;
    use std::sync::atomic::AtomicUsize;

    impl Bit for Modelled {
        fn get(&self, order: Ordering) -> bool {
            self.load(order)
        }
        fn set(&self, order: Ordering) {
            self.fetch_or(true, order);
        }
    }

    /// One thread finishes an iteration, a second one finds the time gone and stops the search if there is a move to
    /// play, and a third one that is stopped asks how deep the others have come, having seen `stop` in this way. Every
    /// schedule is tried, and every value that a load may see on any processor.
    fn race(see: fn(&Flag<Modelled>) -> bool) {
        let met = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&met);
        loom::model(move || {
            let flags = Arc::new([Flag(Modelled::new(false)), Flag(Modelled::new(false))]);
            let depth = Arc::new(AtomicI32::new(0));
            let finisher = {
                let (flags, depth) = (Arc::clone(&flags), Arc::clone(&depth));
                thread::spawn(move || {
                    depth.store(1, Relaxed);
                    flags[0].raise();
                })
            };
            let timekeeper = {
                let flags = Arc::clone(&flags);
                thread::spawn(move || {
                    if flags[0].look_closely() {
                        flags[1].raise();
                        // So may others, who have seen nothing else.
                        flags[1].raise();
                    }
                })
            };
            let found = (flags[1].is_raised() && see(&flags[1])).then(|| depth.load(Relaxed));
            finisher.join().expect("no panic");
            timekeeper.join().expect("no panic");
            if let Some(found) = found {
                count.fetch_add(1, Relaxed);
                assert_eq!(found, 1, "the move is not found");
            }
        });
        assert!(met.load(Relaxed) > 0, "the search was never stopped in time");
    }

    #[test]
    fn who_is_stopped_because_there_is_a_move_finds_it() {
        race(Flag::look_closely);
    }

    /// The model can fail: a look that says nothing of what came before.
    #[test]
    #[should_panic(expected = "the move is not found")]
    fn the_model_sees_a_move_that_is_not_found() {
        race(Flag::is_raised);
    }
}
