//! The pool: threads that live as long as the engine, parked when idle.
//!
//! Each thread owns its memory (histories and buffers) and waits on a channel; a search is
//! handed to all of them as a shared job. Threads are never spawned for a search (worth 14 Elo at 120 threads and short
//! times, Reckless bc56feb), and none spins: an idle engine uses no processor time. Dropping the pool stops and joins
//! everything.

pub mod accounts;
pub(crate) mod iteration_sync;
pub(crate) mod job;
pub mod link;
#[cfg(all(test, feature = "shuttle"))]
mod models;
pub(crate) mod thread;
pub mod vote;

use crate::pace::Real;
use crate::pool::accounts::Accounts;
use crate::pool::job::Job;
use crate::pool::link::{Joint, Link, Linked, Running};
use crate::pool::thread::{Account, ThreadJob};
use crate::schemes::Scheme;
use crate::schemes::rules::{RuleSet, Usual};
use crate::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use crate::sync::thread::{Builder, JoinHandle};
use engine::drivers::Driver;
use engine::history::{Histories, History};
use engine::iterate::ThreadResult;
use engine::params::Tuning;
use engine::shared::Shared;
use engine::tablebase::Tablebase;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use nnue::Network;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use sys::affinity::{self, CpuSet};
use sys::slice::AllocError;
use sys::turn::{self, Turn};
use thinking::report::{Limits, Observer};
use vtime::WorldError;

/// Stack of a search thread, in bytes: twice 246 plies of search and qsearch (a worker that reads ahead may turn to
/// a split point at any ply) with room to spare.
pub const STACK: usize = 32 << 20;

/// What a thread fills in the course of its searches, in bytes: its histories and buffers, and part of its stack.
const MEMORY: usize = 4 << 20;

/// What must be there at its start beside its stack, in bytes: twice over.
const START: usize = 2 * MEMORY;

/// Why the pool could not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The table's memory is not to be had.
    #[error("hash table of {mib} MiB: {cause}")]
    Table {
        /// The size asked for, in mebibytes.
        mib: usize,
        /// What the system said.
        cause: AllocError,
    },
    /// The system gives no further thread.
    #[error("cannot start search thread {thread}: {cause}")]
    Spawn {
        /// Its number, from 0.
        thread: usize,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The threads of a simulated machine cannot be started, or not be brought to their end.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// What is to be searched, and for whom.
pub struct Search {
    /// The position, and the game that led to it.
    pub task: Task,
    /// When it ends.
    pub limits: Limits,
    /// How many lines are wanted, at least 1.
    pub multipv: usize,
    /// Who hears of it while it runs.
    pub observer: Arc<dyn Observer>,
}

/// One thread's part in a search, on the real machine.
type Think = Arc<dyn Fn(ThreadJob<'_, Real>) -> (ThreadResult, Account) + Send + Sync>;

enum Order {
    Search(Arc<Job>, Think),
    /// Clear (and first touch) one part of the table.
    ClearTable {
        table: Arc<Table>,
        part: usize,
        parts: usize,
        done: Sender<()>,
    },
    ClearMemory {
        done: Sender<()>,
    },
    /// Run on these CPUs only.
    Bind {
        cpus: CpuSet,
        done: Sender<()>,
    },
}

struct Thread {
    orders: SyncSender<Order>,
    handle: JoinHandle<()>,
}

/// The engine's threads and their shared table.
pub struct Pool {
    threads: Vec<Thread>,
    table: Arc<Table>,
    /// How many threads have first touched the table, and so have its pages on their memory nodes; 0 once they are
    /// bound elsewhere.
    placed_for: usize,
    histories: Histories,
    job: Option<Arc<Job>>,
    /// Where the threads run, by their numbers; none for wherever the system likes.
    places: Vec<CpuSet>,
    network: Option<Arc<Network>>,
    /// How the threads work together.
    pub scheme: Scheme,
    /// Most threads of a team of [`Scheme::Hybrid`]; usually [`most_members`](crate::schemes::hybrid::most_members).
    pub team: Option<usize>,
    /// With which windows the threads search the root.
    pub driver: Driver,
    /// The numbers that the next search goes by.
    pub params: Tuning,
    /// What the searches that begin from now on may ask about endings.
    pub tablebase: Option<Arc<dyn Tablebase>>,
    /// The cluster that joins in every search; none for a machine on its own.
    pub joint: Option<Arc<dyn Joint>>,
}

impl Pool {
    /// A pool of `threads` threads (at least one) with a cleared table of `mib` mebibytes.
    ///
    /// # Errors
    /// When memory or threads are not to be had.
    pub fn new(threads: usize, mib: usize) -> Result<Self, PoolError> {
        let table = Table::new(mib).map_err(|cause| PoolError::Table { mib, cause })?;
        let mut pool = Pool {
            threads: Vec::new(),
            table: Arc::new(table),
            placed_for: threads.max(1),
            histories: Histories::default(),
            job: None,
            places: Vec::new(),
            network: Some(Network::embedded()),
            scheme: Scheme::default(),
            team: None,
            driver: Driver::default(),
            params: Tuning::default(),
            tablebase: None,
            joint: None,
        };
        pool.set_threads(threads)?;
        pool.clear_table();
        Ok(pool)
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The network that evaluates; none for the hand-crafted evaluation.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// Where the threads run, by their numbers (see [`Self::bind`]); none for wherever the system likes.
    pub fn places(&self) -> &[CpuSet] {
        &self.places
    }

    /// The shared table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Changes the number of threads (at least one). Waits for a running search; the table stays as it is.
    ///
    /// # Errors
    /// When the system refuses a thread; then there are as many as before.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        self.finish();
        let threads = threads.max(1);
        self.retire_threads(threads);
        let before = self.threads.len();
        let started = self.start_threads(threads);
        if started.is_err() {
            self.retire_threads(before);
            self.histories = self.histories.resized(before);
        }
        self.settle_down();
        started
    }

    fn start_threads(&mut self, threads: usize) -> Result<(), PoolError> {
        // The system promises more memory than it has.
        if threads > self.threads.len()
            && sys::slice::check(self.table.bytes(), threads.saturating_mul(MEMORY)).is_err()
        {
            let cause = std::io::ErrorKind::OutOfMemory.into();
            return Err(PoolError::Spawn { thread: threads - 1, cause });
        }
        self.histories = self.histories.resized(self.threads.len());
        while self.threads.len() < threads {
            let number = self.threads.len();
            let refused = |cause| PoolError::Spawn { thread: number, cause };
            // A history for which there is no memory would end the process: so none is made before its thread.
            check_start().map_err(refused)?;
            self.histories = self.histories.resized(number + 1);
            self.threads.push(Thread::start(number, self.histories.of(number)).map_err(refused)?);
        }
        Ok(())
    }

    fn retire_threads(&mut self, threads: usize) {
        for thread in self.threads.drain(threads.min(self.threads.len())..) {
            thread.retire();
        }
    }

    /// Binds each thread to one of these sets of CPUs by their numbers, as
    /// [`Topology::thread_places`](sys::topology::Topology::thread_places) gives them: neighbours (a team of
    /// [`Scheme::Hybrid`]) share a cache. Beyond the last set they begin again. With none given, those bound so far
    /// may run on all the CPUs they were bound to together. Waits for a running search.
    ///
    /// Binding is a hint: a thread that the system does not let bind runs wherever it did.
    pub fn bind(&mut self, places: Vec<CpuSet>) {
        self.finish();
        if places != self.places {
            self.placed_for = 0;
        }
        if places.is_empty() && !self.places.is_empty() {
            self.places = vec![self.places.iter().flat_map(CpuSet::iter).collect()];
            self.settle_down();
        }
        self.places = places;
        self.settle_down();
    }

    fn settle_down(&self) {
        let places = &self.places;
        if !places.is_empty() {
            self.ask_all(|number, done| Order::Bind { cpus: places[number % places.len()].clone(), done });
        }
    }

    /// Replaces the table by an empty one of `mib` mebibytes. Waits for a running search.
    ///
    /// # Errors
    /// When the memory is not to be had; the old table then stays, contents and all.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), PoolError> {
        self.finish();
        let table = sys::slice::check(mib.saturating_mul(1 << 20), self.threads.len() * MEMORY)
            .and_then(|()| Table::new(mib))
            .map_err(|cause| PoolError::Table { mib, cause })?;
        self.table = Arc::new(table);
        self.placed_for = self.threads.len();
        self.clear_table();
        Ok(())
    }

    /// Empties the table, each thread its own part. Waits for a running search.
    ///
    /// A page stays on the memory node of the thread that first touched it. So where the number of threads, or where
    /// they are bound, has changed since, the table is a new one, unless there is no memory for it.
    pub fn clear_table(&mut self) {
        self.finish();
        let parts = self.threads.len();
        if self.placed_for != parts
            && let Ok(table) = Table::new(self.table.bytes() >> 20)
        {
            self.table = Arc::new(table);
            self.placed_for = parts;
        }
        self.ask_all(|part, done| Order::ClearTable { table: Arc::clone(&self.table), part, parts, done });
    }

    /// Evaluates with a network from now on, or without one by the hand-crafted evaluation. Table and histories,
    /// which hold what the other evaluation thought, are forgotten. Waits for a running search.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.new_game();
        self.network = network;
    }

    /// Forgets table and histories: a new game. Waits for a running search.
    pub fn new_game(&mut self) {
        self.clear_table();
        self.histories.clear();
        self.ask_all(|_, done| Order::ClearMemory { done });
    }

    /// Gives every thread an order and waits until all are done.
    fn ask_all(&self, order: impl Fn(usize, Sender<()>) -> Order) {
        let (done, all_done) = channel();
        for (number, thread) in self.threads.iter().enumerate() {
            thread.give(order(number, done.clone()));
        }
        drop(done);
        // Ends when every thread has dropped its sender.
        while all_done.recv().is_ok() {}
    }

    /// Starts a search and returns at once. The observer hears `verdict` exactly once, from a search thread. A search
    /// still running is stopped first.
    pub fn go(&mut self, task: Task, limits: Limits, multipv: usize, observer: Arc<dyn Observer>) {
        match self.joint.clone() {
            Some(joint) => joint.go(self, Search { task, limits, multipv, observer }),
            None => self.go_by::<Usual>(task, limits, multipv, observer),
        }
    }

    /// Starts a search as part of a cluster's, which hears of it by the link.
    pub fn go_linked<L: Link>(&mut self, search: Search, link: Arc<L>) -> Running {
        let Search { task, limits, multipv, observer } = search;
        let shared = self.shared(limits, multipv);
        let heard = Arc::clone(&link);
        let job = Job::new::<Usual>(self.scheme, self.team, shared, task, observer, Some(link));
        let think: Think = Arc::new(move |ThreadJob { number, job, memory, pace: Real }| {
            ThreadJob { number, job, memory, pace: Linked(&*heard) }.think::<Usual>()
        });
        Running::new(self.start(job, &think))
    }

    /// The same by other rules than the usual ones.
    pub fn go_by<R: RuleSet>(
        &mut self,
        task: Task,
        limits: Limits,
        multipv: usize,
        observer: Arc<dyn Observer>,
    ) {
        let shared = self.shared(limits, multipv);
        let job = Job::new::<R>(self.scheme, self.team, shared, task, observer, None);
        let think: Think = Arc::new(|thread| thread.think::<R>());
        self.start(job, &think);
    }

    /// What the threads of the next search share. Ends the one before.
    fn shared(&mut self, limits: Limits, multipv: usize) -> Shared {
        self.finish();
        let threads = self.scheme.searching(self.threads.len());
        let mut shared = Shared::new(Arc::clone(&self.table), limits, multipv, threads);
        shared.network = self.network.clone();
        shared.driver = self.driver;
        shared.params = self.params.clone();
        shared.tablebase = self.tablebase.clone();
        if threads > 1 {
            shared.histories = self.scheme.histories(&self.histories, threads, self.team);
        }
        shared
    }

    /// Hands a search to the threads.
    fn start(&mut self, job: Job, think: &Think) -> Arc<Job> {
        let job = Arc::new(job);
        self.job = Some(Arc::clone(&job));
        for thread in &self.threads[..job.shared.threads()] {
            thread.give(Order::Search(Arc::clone(&job), Arc::clone(think)));
        }
        job
    }

    /// Tells a running search to stop; its verdict follows at once. Does not wait.
    pub fn stop(&self) {
        if let Some(job) = &self.job {
            job.stop();
        }
    }

    /// The expected move was played at this moment: a pondering search now runs on our own clock.
    pub fn ponderhit(&self, at: Instant) {
        if let Some(job) = &self.job {
            job.ponderhit(at);
        }
    }

    /// Is a search under way?
    pub fn searching(&self) -> bool {
        self.job.as_ref().is_some_and(|job| !job.is_over())
    }

    /// Nodes of the running or last search.
    pub fn nodes(&self) -> u64 {
        self.job.as_ref().map_or(0, |job| job.nodes())
    }

    /// What the last search cost; `None` while one runs, or before the first.
    pub fn accounts(&self) -> Option<Accounts> {
        self.job.as_ref().and_then(|job| job.accounts())
    }

    /// Waits until the running search has delivered its verdict by itself.
    pub fn wait(&self) {
        if let Some(job) = &self.job {
            job.wait();
        }
    }

    /// Stops a running search and waits for its verdict.
    fn finish(&mut self) {
        if let Some(job) = self.job.take() {
            job.stop();
            job.wait();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.finish();
        self.threads.drain(..).for_each(Thread::retire);
    }
}

impl Thread {
    fn start(number: usize, history: Arc<History>) -> std::io::Result<Self> {
        let (orders, inbox) = sync_channel(1);
        let (ready, is_ready) = channel();
        let body = move || serve(number, history, ready, &inbox);
        let handle = Builder::new().name(format!("search-{number}")).stack_size(STACK).spawn(body)?;
        // Ends when the thread has its memory: what the next one takes cannot be missing here.
        let _ = is_ready.recv();
        Ok(Thread { orders, handle })
    }

    fn give(&self, order: Order) {
        // A thread only ends when its sender is dropped, so the receiver is there.
        let _ = self.orders.send(order);
    }

    /// Ends the thread and waits for it.
    fn retire(self) {
        drop(self.orders);
        // A panic inside a search has been caught and reported there; nothing is left to say here.
        let _ = self.handle.join();
    }
}

/// Whether there is room for another thread's stack and memory. Where addresses are limited (`ulimit -v`), a stack
/// that cannot be had is an error, but the memory that a thread takes for itself would end the process.
fn check_start() -> std::io::Result<()> {
    let mut room = Vec::<u8>::new();
    let had = room.try_reserve_exact(STACK + START);
    // Memory that is not looked at need not be asked for.
    std::hint::black_box(&room);
    had.map_err(|_| std::io::ErrorKind::OutOfMemory.into())
}

/// The life of a search thread, which drops `ready` when it has its memory.
fn serve(number: usize, history: Arc<History>, ready: Sender<()>, inbox: &Receiver<Order>) {
    // The thread that started this one may have another priority, as it waits for input. Only a hint.
    let _ = turn::set_current(Turn::Usual);
    let mut memory = Memory::learning(history);
    drop(ready);
    while let Ok(order) = inbox.recv() {
        match order {
            Order::Search(job, think) => search(number, &job, &think, &mut memory),
            Order::ClearTable { table, part, parts, done } => {
                table.clear_part(part, parts);
                drop(done);
            }
            Order::ClearMemory { done } => {
                memory.clear_own();
                drop(done);
            }
            Order::Bind { cpus, done } => {
                // Only a hint: see `Pool::bind`.
                let _ = affinity::set_current(&cpus);
                drop(done);
            }
        }
    }
}

/// One thread's part of a search. A panic ends the search, not the engine: the results of the others still make a move.
fn search(number: usize, job: &Arc<Job>, think: &Think, memory: &mut Memory) {
    let done =
        catch_unwind(AssertUnwindSafe(|| think(ThreadJob { number, job, memory: &mut *memory, pace: Real })));
    let (result, account) = done.unwrap_or_else(|_| {
        *memory = Memory::learning(Arc::clone(&memory.history));
        job.shared.stop();
        job.state.close();
        let root = engine::root::Root::new(&job.task.position, &job.shared.limits.search_moves);
        (ThreadResult { depth: 0, root }, Account::default())
    });
    job.hand_in(number, result, account);
    // An observer may panic, too: without a verdict, but the next search waits for this one's end.
    if number == 0 && catch_unwind(AssertUnwindSafe(|| job.conclude(&Real))).is_err() {
        job.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Game, Position};
    use engine::correction::{Finding, Places};
    use engine::history::Context;
    use engine::params::Params;
    use engine::tt::Entry;
    use std::io::{self, Write};
    use std::panic::resume_unwind;
    use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};
    use thinking::report::{Bound, Silent};

    /// What one thread of a search learns it tells those of its team, whose histories the search knows: three threads
    /// of `hybrid` in teams of at most two are a team of two and one of one.
    #[test]
    fn a_search_knows_the_histories_of_its_threads() {
        let mut pool = Pool::new(3, 0).expect("a small pool");
        pool.team = Some(2);
        for (scheme, others) in [(Scheme::default(), [1, 1, 0]), (Scheme::Ybw, [2, 2, 2])] {
            pool.scheme = scheme;
            let limits = Limits { depth: Some(1), ..Limits::default() };
            pool.go(Task::from(&Game::default()), limits, 1, Arc::new(Silent));
            pool.wait();
            let job = pool.job.as_ref().expect("a search has been made");
            let heard = [0, 1, 2].map(|thread| {
                let own = pool.histories.of(thread);
                assert!(Arc::ptr_eq(&own, &job.shared.histories.of(thread)));
                job.shared.histories.hear(thread).count()
            });
            assert_eq!(heard, others, "others that each thread of {scheme} hears");
        }
    }

    /// A serial search hears nothing of the threads that are parked meanwhile, and has none to tell anything.
    #[test]
    fn a_serial_search_knows_no_history_of_others() {
        let mut pool = Pool::new(3, 0).expect("a small pool");
        pool.scheme = Scheme::Serial;
        let histories = pool.shared(Limits::default(), 1).histories;
        assert_eq!((histories.publish_depth(0), histories.hear(0).count()), (i32::MAX, 0));
    }

    /// Two threads tell each other more than the eight that there were before, who are gone.
    #[test]
    fn a_smaller_pool_keeps_no_history_of_the_threads_that_are_gone() {
        let mut pool = Pool::new(8, 0).expect("a small pool");
        pool.set_threads(2).expect("there were more");
        pool.scheme = Scheme::Ybw;
        let limits = Limits { depth: Some(1), ..Limits::default() };
        pool.go(Task::from(&Game::default()), limits, 1, Arc::new(Silent));
        pool.wait();
        let histories = &pool.job.as_ref().expect("a search has been made").shared.histories;
        assert_eq!((histories.publish_depth(0), histories.hear(0).count()), (3, 1));
    }

    /// The thread that starts them may have asked for short turns, as one does that reads a client's commands.
    #[test]
    fn search_threads_have_usual_turns_whichever_their_caller_has() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let before = turn::current().ok();
                // What came of it is asked next.
                let _ = turn::set_current(Turn::Short);
                if (before, turn::current().ok()) != (Some(Turn::Usual), Some(Turn::Short)) {
                    // If it cannot be told, the test is skipped all the same.
                    let _ = writeln!(io::stderr(), "SKIPPED: there are no short turns here");
                    return;
                }
                let mut pool = Pool::new(2, 0).expect("a small pool");
                pool.scheme = Scheme::Lazy;
                let usual = Arc::new(AtomicUsize::new(0));
                let count = Arc::clone(&usual);
                let think: Think = Arc::new(move |_| {
                    count.fetch_add(usize::from(turn::current().ok() == Some(Turn::Usual)), Relaxed);
                    (ThreadResult::default(), Account::default())
                });
                search_by(&mut pool, &think);
                assert_eq!(usual.load(Relaxed), 2, "search threads with usual turns");
            });
        });
    }

    /// A search in which every thread does this, to its end.
    fn search_by(pool: &mut Pool, think: &Think) {
        let shared = pool.shared(Limits::default(), 1);
        let (task, observer) = (Task::from(&Game::default()), Arc::new(Silent));
        pool.start(Job::new::<Usual>(pool.scheme, None, shared, task, observer, None), think);
        pool.wait();
    }

    /// The second of two threads clears its part of the table and leaves the first one's: that of the lower keys.
    #[test]
    fn a_thread_clears_its_part_of_the_table() {
        let table = Arc::new(Table::new(1).expect("a MiB is there"));
        let keys: Vec<u64> = (1..2_000).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let entry = Entry { mv: None, score: 1, eval: None, depth: 9, bound: Bound::Exact, pv: false };
        keys.iter().for_each(|&key| table.store(key, entry));
        let known = || -> Vec<bool> { keys.iter().map(|&key| table.probe(key).is_some()).collect() };
        assert!(known().into_iter().all(|known| known), "there is room for all");
        let thread = Thread::start(0, Arc::default()).expect("a thread");
        let (done, all_done) = channel();
        thread.give(Order::ClearTable { table: Arc::clone(&table), part: 1, parts: 2, done });
        // Ends when the thread has dropped its sender.
        assert!(all_done.recv().is_err());
        thread.retire();
        let lower: Vec<bool> = keys.iter().map(|&key| key < 1 << 63).collect();
        assert_eq!(known(), lower);
    }

    /// What a thread has learnt of the evaluation goes with the game, the second one's as well.
    #[test]
    fn a_new_game_clears_the_corrections_of_all_threads() {
        let mut pool = Pool::new(2, 0).expect("a small pool");
        pool.scheme = Scheme::Lazy;
        let places = Places::of(&Position::startpos(), [Context::NONE; 2]);
        let found: Arc<[AtomicI32; 2]> = Arc::default();
        let notes = Arc::clone(&found);
        let think: Think = Arc::new(move |ThreadJob { number, memory, .. }| {
            notes[number].store(memory.corrections.get(&places), Relaxed);
            let finding = Finding { error: 60, depth: 8, failed_low: false };
            memory.corrections.update(&Params::DEFAULT, &places, finding);
            (ThreadResult::default(), Account::default())
        });
        let learnt = |new_game: bool| {
            if new_game {
                pool.new_game();
            }
            search_by(&mut pool, &think);
            [0, 1].map(|number: usize| found[number].load(Relaxed) > 0)
        };
        assert_eq!([false, false, true].map(learnt), [[false; 2], [true; 2], [false; 2]]);
    }

    /// A page lies on the memory node of the thread that has first touched it: one thread has touched all at first.
    #[test]
    fn a_new_game_places_the_table_for_the_threads_there_are() {
        let mut pool = Pool::new(2, 0).expect("a small pool");
        pool.set_threads(1).expect("there was one more");
        pool.set_hash(1).expect("a MiB is there");
        let of_one = Arc::clone(&pool.table);
        pool.set_threads(4).expect("a few threads");
        assert!(Arc::ptr_eq(&pool.table, &of_one), "what it knows is still of use");
        pool.new_game();
        let of_four = Arc::clone(&pool.table);
        assert!(!Arc::ptr_eq(&of_four, &of_one));
        assert_eq!(of_four.bytes(), of_one.bytes());
        pool.new_game();
        assert!(Arc::ptr_eq(&pool.table, &of_four));
    }

    /// Threads that are bound, or set free, touch a table anew; those that stay where they were do not.
    #[test]
    fn a_new_game_places_the_table_for_where_the_threads_are_bound() {
        let mut pool = Pool::new(2, 1).expect("a small pool");
        let all = vec![affinity::current().unwrap_or_else(|_| CpuSet::first(1))];
        for (places, moved) in [(all.clone(), true), (all, false), (Vec::new(), true), (Vec::new(), false)] {
            let before = Arc::clone(&pool.table);
            pool.bind(places.clone());
            assert!(Arc::ptr_eq(&pool.table, &before), "what it knows is still of use");
            pool.new_game();
            assert_eq!(!Arc::ptr_eq(&pool.table, &before), moved, "{places:?}");
            assert_eq!(pool.table.bytes(), before.bytes());
        }
    }

    /// The others hear of that history, and a new game clears it. The second of two threads dies in both searches.
    #[test]
    fn a_thread_that_has_died_learns_in_the_same_history_as_before() {
        let mut pool = Pool::new(2, 0).expect("a small pool");
        pool.scheme = Scheme::Lazy;
        let (histories, kept) = (pool.histories.clone(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&kept);
        let think: Think = Arc::new(move |ThreadJob { number, memory, .. }| {
            count.fetch_add(usize::from(Arc::ptr_eq(&memory.history, &histories.of(number))), Relaxed);
            if number == 1 {
                resume_unwind(Box::new("on purpose"));
            }
            (ThreadResult::default(), Account::default())
        });
        for _ in 0..2 {
            search_by(&mut pool, &think);
        }
        assert_eq!(kept.load(Relaxed), 4, "times that a thread had its own history");
    }
}
