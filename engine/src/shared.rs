//! What all threads of one search share: the table, the stop flag, the node counters, the clock.

use crate::Searched;
use crate::counter::Counter;
use crate::drivers::Driver;
use crate::history::Histories;
use crate::node::Aborted;
use crate::params::Tuning;
use crate::tablebase::Tablebase;
use crate::time::Budget;
use crate::tt::{Table, Word};
use nnue::Network;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64, fence};
use std::time::{Duration, Instant};
use thinking::report::Limits;

/// Stands for "still pondering" in the words that hold the moment of the ponder hit and the nodes before it.
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

    /// What it showed at this moment, which has passed. A simulated clock knows only the present.
    fn at(&self, moment: Instant) -> Duration {
        match self {
            Stopwatch::Real(started) => moment.saturating_duration_since(*started),
            Stopwatch::Simulated(_) => self.elapsed(),
        }
    }
}

/// One bit of shared memory. A trait only so that [`Flag`] can be model-checked with loom's bit.
trait Bit {
    fn get(&self, order: Ordering) -> bool;
    fn set(&self, order: Ordering);
}

/// What the processor's bit does and loom's is written once, so that the models are of both.
macro_rules! bit {
    ($bit:ty) => {
        impl Bit for $bit {
            #[inline]
            fn get(&self, order: Ordering) -> bool {
                self.load(order)
            }
            #[inline]
            fn set(&self, order: Ordering) {
                self.fetch_or(true, order);
            }
        }
    };
}

bit!(AtomicBool);

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

/// What the threads of a search tell each other of its end.
#[derive(Debug, Default)]
struct Signals<B = AtomicBool> {
    stop: Flag<B>,
    /// Has some thread finished an iteration, so that there is a move to play?
    answered: Flag<B>,
}

impl<B: Bit> Signals<B> {
    fn note_answer(&self) {
        self.answered.raise();
    }

    fn answered(&self) -> bool {
        self.answered.look_closely()
    }

    /// See [`Shared::note_abandoned`]: the thread that finished the iteration raised `answered` after it, and the one
    /// that found this raised `stop`.
    fn note_abandoned(&self) {
        self.stop.look_closely();
    }
}

/// A word that a thread writes before it reads one of another thread. From what is read there nothing else follows than
/// from these two words themselves. A trait only so that [`Ponder`] can be model-checked with loom's word.
trait Announcement: Word {
    /// Puts `new` in the place of `old`; `false` if that was not there.
    fn replace(&self, old: u64, new: u64) -> bool;

    /// Of two threads that each write, come by here, and then read what the other writes, one at least finds it.
    fn fence();
}

/// Written once as well.
macro_rules! announcement {
    ($word:ty, $fence:path) => {
        impl Announcement for $word {
            fn replace(&self, old: u64, new: u64) -> bool {
                self.compare_exchange(old, new, Relaxed, Relaxed).is_ok()
            }

            fn fence() {
                $fence(SeqCst);
            }
        }
    };
}

announcement!(AtomicU64, fence);

/// Whose time it is that the search takes.
#[derive(Debug)]
struct Ponder<W = AtomicU64> {
    /// When our own clock began to run, in nanoseconds after the search began, or [`PONDERING`].
    clock_began: W,
    /// Not 0: the search has already taken, on the opponent's time, as long as this move deserves.
    enough: W,
}

impl<W: Announcement> Ponder<W> {
    /// The expected move was played at this moment. Does that end the search? Only the first hit counts.
    fn hit(&self, now: u64) -> bool {
        let first = self.clock_began.replace(PONDERING, now);
        W::fence();
        first && self.enough.get() != 0
    }

    /// An iteration is over. Is it still the opponent's time? If the hit comes at this moment, one of the two sees the
    /// other.
    fn goes_on(&self, enough: bool) -> bool {
        self.enough.put(u64::from(enough));
        W::fence();
        self.clock_began.get() == PONDERING
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
    signals: Signals,
    counters: Box<[Counter]>,
    tablebase_hits: Box<[Counter]>,
    stopwatch: Stopwatch,
    ponder: Ponder,
    /// Nodes that were searched before the ponder hit, or [`PONDERING`].
    pondered: AtomicU64,
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
        let before_hit = if limits.ponder { PONDERING } else { 0 };
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
            signals: Signals::default(),
            counters: (0..threads.max(1)).map(|_| Counter::default()).collect(),
            tablebase_hits: (0..threads.max(1)).map(|_| Counter::default()).collect(),
            stopwatch,
            ponder: Ponder { clock_began: AtomicU64::new(before_hit), enough: AtomicU64::new(0) },
            pondered: AtomicU64::new(before_hit),
        }
    }

    /// Tells every thread to stop at its next node.
    pub fn stop(&self) {
        self.signals.stop.raise();
    }

    /// Has the search been told to stop?
    #[inline]
    pub fn stopped(&self) -> bool {
        self.signals.stop.is_raised()
    }

    /// A thread has abandoned an iteration and is about to ask what the others have finished. If it was told to stop
    /// because there was a move to play, it sees that iteration from now on.
    pub(crate) fn note_abandoned(&self) {
        self.signals.note_abandoned();
    }

    /// `Err(Aborted)` once the search has been told to stop.
    #[inline]
    pub fn check(&self) -> Searched<()> {
        if self.stopped() { Err(Aborted) } else { Ok(()) }
    }

    /// An iteration is finished, by a thread or on another machine: there is a move to play.
    pub fn note_answer(&self) {
        self.signals.note_answer();
    }

    /// Is there a move to play? Who is told to stop because of it finds it: see `Shared::note_abandoned`.
    pub fn answered(&self) -> bool {
        self.signals.answered()
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

    /// Nodes that the limits still allow; `None`: any number.
    pub(crate) fn nodes_left(&self) -> Option<u64> {
        let Limits { nodes, nodes_once_answered, time_in_nodes, .. } = self.limits;
        nodes.or(nodes_once_answered).or(time_in_nodes)?;
        let searched = self.nodes();
        let ours = match self.pondered.load(Relaxed) {
            PONDERING => 0,
            pondered => searched.saturating_sub(pondered),
        };
        let left = |limit: Option<u64>, spent| limit.map(|limit| limit.saturating_sub(spent));
        // What waits for a move to play cannot be used up before there is one.
        let at_least = u64::from(!self.answered());
        let once_answered = left(nodes_once_answered, searched).map(|left| left.max(at_least));
        [left(nodes, searched), once_answered, left(time_in_nodes, ours)].into_iter().flatten().min()
    }

    /// Time since the search began, pondering included.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    /// The expected move was played at this moment, since which our own clock runs. If the search has already taken the
    /// time that the move deserves, it ends.
    pub fn ponderhit(&self, at: Instant) {
        // Only the first hit counts.
        let _ = self.pondered.compare_exchange(PONDERING, self.nodes(), Relaxed, Relaxed);
        if self.ponder.hit(self.stopwatch.at(at).as_nanos() as u64) {
            self.stop();
        }
    }

    /// Is the search still on the opponent's time? `enough`: a ponder hit that comes before the next iteration is done
    /// will end it.
    pub(crate) fn goes_on_pondering(&self, enough: bool) -> bool {
        self.ponder.goes_on(enough)
    }

    /// Is the search still on the opponent's time?
    pub fn pondering(&self) -> bool {
        self.ponder.clock_began.get() == PONDERING
    }

    /// Time that our own clock has run; `None` while pondering.
    pub fn clock_used(&self) -> Option<Duration> {
        match self.ponder.clock_began.get() {
            PONDERING => None,
            began => Some(self.stopwatch.elapsed().saturating_sub(Duration::from_nanos(began))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::atomic::{AtomicBool as Modelled, AtomicI32, AtomicU64 as ModelledWord};
    use loom::thread;
    use std::sync::atomic::AtomicUsize;

    bit!(Modelled);

    /// One thread finishes an iteration, a second one finds the time gone and stops the search if there is a move to
    /// play, and a third one that is stopped looks in this way before it asks how deep the others have come. Every
    /// schedule is tried, and every value that a load may see on any processor.
    fn race(see: fn(&Signals<Modelled>)) {
        let met = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&met);
        loom::model(move || {
            let [stop, answered] = [(); 2].map(|()| Flag(Modelled::new(false)));
            let signals = Arc::new(Signals { stop, answered });
            let depth = Arc::new(AtomicI32::new(0));
            let finisher = {
                let (signals, depth) = (Arc::clone(&signals), Arc::clone(&depth));
                thread::spawn(move || {
                    depth.store(1, Relaxed);
                    signals.note_answer();
                })
            };
            let timekeeper = {
                let signals = Arc::clone(&signals);
                thread::spawn(move || {
                    if signals.answered() {
                        signals.stop.raise();
                        // So may others, who have seen nothing else.
                        signals.stop.raise();
                    }
                })
            };
            let found = signals.stop.is_raised().then(|| {
                see(&signals);
                depth.load(Relaxed)
            });
            finisher.join().expect("no panic");
            timekeeper.join().expect("no panic");
            if let Some(found) = found {
                count.fetch_add(1, Relaxed);
                assert_eq!(found, 1, "the move is not found");
            }
        });
        assert!(met.load(Relaxed) > 0, "the search was never stopped in time");
    }

    /// What was done between the command and the search has taken time, too.
    #[test]
    fn time_counts_from_the_moment_that_the_limits_name() {
        let second = Duration::from_secs(1);
        let since = Instant::now().checked_sub(second);
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits { since, ..Limits::default() }, 1, 1);
        assert!(shared.elapsed() >= second && shared.clock_used() >= Some(second));
    }

    /// The session may hear of the move long after it came.
    #[test]
    fn our_clock_runs_since_the_expected_move_came() {
        let began = Instant::now().checked_sub(Duration::from_secs(3));
        let began = began.expect("the machine has run for three seconds");
        let pondered = Duration::from_secs(2);
        let table = Arc::new(Table::new(0).expect("a small table"));
        let limits = Limits { since: Some(began), ponder: true, ..Limits::default() };
        let shared = Shared::new(table, limits, 1, 1);
        assert_eq!(shared.clock_used(), None);
        shared.ponderhit(began + pondered);
        let before = shared.elapsed();
        let used = shared.clock_used().expect("the move was played");
        assert!(before - pondered <= used && used <= shared.elapsed() - pondered, "{used:?}");
    }

    /// What all threads have searched on the opponent's time costs none of ours.
    #[test]
    fn nodes_that_stand_for_time_are_those_of_all_threads_since_the_hit() {
        let table = Arc::new(Table::new(0).expect("a small table"));
        let limits = Limits { ponder: true, time_in_nodes: Some(300), ..Limits::default() };
        let shared = Shared::new(table, limits, 1, 2);
        shared.counter(0).set(100);
        shared.counter(1).set(900);
        shared.ponderhit(Instant::now());
        assert_eq!(shared.nodes_left(), Some(300));
        shared.counter(1).set(1_150);
        assert_eq!(shared.nodes_left(), Some(50));
    }

    #[test]
    fn who_is_stopped_because_there_is_a_move_finds_it() {
        race(Signals::note_abandoned);
    }

    /// The model can fail: a look at `stop` alone says nothing of what came before.
    #[test]
    #[should_panic(expected = "the move is not found")]
    fn the_model_sees_a_move_that_is_not_found() {
        race(|_| {});
    }

    impl Word for ModelledWord {
        fn get(&self) -> u64 {
            self.load(Relaxed)
        }
        fn put(&self, value: u64) {
            self.store(value, Relaxed);
        }
    }

    announcement!(ModelledWord, loom::sync::atomic::fence);

    /// A word without a fence.
    struct Unfenced(ModelledWord);

    impl Word for Unfenced {
        fn get(&self) -> u64 {
            self.0.get()
        }
        fn put(&self, value: u64) {
            self.0.put(value);
        }
    }

    impl Announcement for Unfenced {
        fn replace(&self, old: u64, new: u64) -> bool {
            self.0.replace(old, new)
        }
        fn fence() {}
    }

    /// The expected move is played as an iteration ends after which the search has had enough: either the hit ends it,
    /// or the search sees that its own clock runs.
    fn hit_as_an_iteration_ends<W: Announcement + Send + Sync + 'static>(word: fn(u64) -> W) {
        loom::model(move || {
            let ponder = Arc::new(Ponder { clock_began: word(PONDERING), enough: word(0) });
            let opponent = {
                let ponder = Arc::clone(&ponder);
                thread::spawn(move || ponder.hit(7))
            };
            let goes_on = ponder.goes_on(true);
            let ends = opponent.join().expect("no panic");
            assert!(ends || !goes_on, "the hit is missed");
        });
    }

    #[test]
    fn no_hit_is_missed_as_an_iteration_ends() {
        hit_as_an_iteration_ends(ModelledWord::new);
    }

    /// The model can fail: a hit and an iteration that look before the other can see what they have written.
    #[test]
    #[should_panic(expected = "the hit is missed")]
    fn the_model_sees_a_hit_that_is_missed() {
        hit_as_an_iteration_ends(|value| Unfenced(ModelledWord::new(value)));
    }
}
