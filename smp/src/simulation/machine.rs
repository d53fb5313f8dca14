//! A simulated machine: cores with caches of their own, the table and histories that its threads share, and
//! one search of theirs.
//!
//! On its own it begins to search when the world does. As a member of a cluster (room `cluster`) it waits
//! until the thread that talks to other machines, a worker of the same world, lets it begin.

use super::coherence::{Access, Caches, Traffic};
use super::{Hands, Lines, Setup, Simulated, address};
use crate::pace::{Pace, STOP};
use crate::pool::accounts::{Accounts, Stretch};
use crate::pool::job::Job;
use crate::pool::link::{Link, Running};
use crate::pool::thread::{Account, ThreadJob};
use crate::pool::{PoolError, Search};
use crate::schemes::rules::{RuleSet, Usual};
use engine::history::Histories;
use engine::iterate::ThreadResult;
use engine::shared::{Shared, Stopwatch};
use engine::tt::Table;
use engine::worker::Memory;
use nnue::Network;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use vtime::{Clock, Work};

/// One simulated thread's part in a search.
type Think = fn(ThreadJob<'_, Simulated<'_>>) -> (ThreadResult, Account);

/// A search that has begun.
#[derive(Clone)]
struct Begun {
    job: Arc<Job>,
    think: Think,
    /// The cluster that takes part in it.
    link: Option<Arc<dyn Link>>,
}

/// A simulated machine. It searches once.
pub struct Machine {
    setup: Setup,
    threads: usize,
    /// The clock of the worker that runs.
    watch: Arc<AtomicU64>,
    table: Arc<Table>,
    histories: Histories,
    caches: RefCell<Caches>,
    traffic: Cell<Traffic>,
    trace: RefCell<Vec<Stretch>>,
    begun: RefCell<Option<Begun>>,
}

impl Machine {
    /// A machine with an empty table, in the world that has this watch.
    ///
    /// # Errors
    /// When the table's memory is not to be had.
    pub fn new(setup: &Setup, watch: Arc<AtomicU64>) -> Result<Rc<Self>, PoolError> {
        let mib = setup.hash_mib;
        let table = Table::new(mib).map_err(|cause| PoolError::Table { mib, cause })?;
        Ok(Self::with_table(setup, watch, Arc::new(table)))
    }

    /// The same with a table of the caller's.
    pub fn with_table(setup: &Setup, watch: Arc<AtomicU64>, table: Arc<Table>) -> Rc<Self> {
        let threads = setup.scheme.searching(setup.threads);
        // One core alone shares nothing.
        let lines = if threads > 1 { table.line_count() } else { 0 };
        Rc::new(Machine {
            setup: setup.clone(),
            threads,
            watch,
            table,
            histories: Histories::default().resized(threads),
            caches: RefCell::new(Caches::new(threads, lines, setup.costs.domain)),
            traffic: Cell::default(),
            trace: RefCell::default(),
            begun: RefCell::new(None),
        })
    }

    /// What its threads do in the world.
    pub fn works(self: &Rc<Self>) -> Vec<Work> {
        let work = |number| {
            let machine = Rc::clone(self);
            Box::new(move |clock: Clock<'_>| machine.work(number, clock)) as Work
        };
        (0..self.threads).map(work).collect()
    }

    /// Prepares a search; the threads begin it with the world, or when they are woken.
    pub(crate) fn begin<R: RuleSet>(&self, search: Search, link: Option<Arc<dyn Link>>) -> Arc<Job> {
        let Search { task, limits, multipv, observer } = search;
        let stopwatch = Stopwatch::Simulated(Arc::clone(&self.watch));
        let mut shared = Shared::timed_by(stopwatch, Arc::clone(&self.table), limits, multipv, self.threads);
        let Setup { scheme, team, .. } = self.setup;
        shared.histories = scheme.histories(&self.histories, self.threads, team);
        shared.network.clone_from(&self.setup.network);
        shared.driver = self.setup.driver;
        let job = Arc::new(Job::new::<R>(scheme, team, shared, task, observer, link.clone()));
        let think: Think = |thread| thread.think::<R>();
        *self.begun.borrow_mut() = Some(Begun { job: Arc::clone(&job), think, link });
        job
    }

    /// Prepares a search that is part of a cluster's.
    pub fn go_linked<L: Link>(&self, search: Search, link: Arc<L>) -> Running {
        Running::new(self.begin::<Usual>(search, Some(link)))
    }

    /// Lets its threads begin the search now.
    pub fn wake(&self, clock: Clock<'_>) {
        clock.wake_all(self.start(), 0, 0);
    }

    /// The network that evaluates; none for the hand-crafted evaluation.
    pub fn network(&self) -> Option<Arc<Network>> {
        self.setup.network.clone()
    }

    /// The name by which the thread that talks waits for its threads to want something said. It goes on at the moment
    /// of the call; waking up is work of its own.
    pub fn errand(&self) -> usize {
        address(&self.traffic)
    }

    /// The name by which its threads wait for the search to begin.
    fn start(&self) -> usize {
        address(&self.begun)
    }

    /// The thread that talks may have done what a thread waits for at the end: that one looks.
    pub fn heed(&self, clock: Clock<'_>) {
        if let Some(begun) = &*self.begun.borrow() {
            clock.wake_all(address(&begun.job.changed), 0, self.setup.costs.wake);
        }
    }

    /// Has its search begun, and delivered its verdict?
    pub fn is_over(&self) -> bool {
        self.begun.borrow().as_ref().is_some_and(|begun| begun.job.is_over())
    }

    /// Does its search wait for leave to answer, with nothing left to do in virtual time?
    pub fn waits_for_leave(&self) -> bool {
        self.begun.borrow().as_ref().is_some_and(|begun| begun.job.waits_for_leave())
    }

    /// What its search cost, nothing if it has not begun; `None` while its threads search.
    pub fn accounts(&self) -> Option<Accounts> {
        let none = || {
            let (nodes, idle) = (vec![0; self.threads], vec![Duration::ZERO; self.threads]);
            Some(Accounts { nodes, idle, ..Accounts::default() })
        };
        let accounts = self.begun.borrow().as_ref().map_or_else(none, |begun| begun.job.accounts())?;
        Some(Accounts { traffic: Some(self.traffic.get()), ..accounts })
    }

    /// Which thread did what when, by thread and time.
    pub(crate) fn take_trace(&self) -> Vec<Stretch> {
        let mut trace = self.trace.take();
        trace.sort_by_key(|stretch| (stretch.thread, stretch.from));
        trace
    }

    /// The life of a thread.
    fn work(&self, number: usize, clock: Clock<'_>) {
        if self.begun.borrow().is_none() {
            clock.wait(self.start());
        }
        let begun = self.begun.borrow().clone();
        // The search of a cluster may be over before it begins here.
        let Some(Begun { job, think, link }) = begun else { return };
        let Setup { scheme, team, costs, .. } = &self.setup;
        let hands = Hands::new(&self.setup, self.stream(number, job.rank()));
        let near = if scheme.among(self.threads, *team).works_together() { costs.near } else { 0 };
        let share = if self.threads > 1 { costs.share + near } else { 0 };
        let memory = Lines { caches: &self.caches, table: &job.shared.table, cores: self.threads };
        let cluster = link.as_deref().map(|link| (link, self.errand()));
        let pace = Simulated { clock, core: number, costs, share, hands: &hands, memory, cluster };
        if number > 0 || job.rank() > 0 {
            clock.spend(costs.wake);
        }
        let mut memory = Memory::learning(self.histories.of(number));
        let (result, account) = think(ThreadJob { number, job: &job, memory: &mut memory, pace });
        if number == 0 {
            job.shared.stop();
            pace.touch(Access::Write, STOP);
        }
        job.hand_in(number, result, account);
        pace.notify_all(&job.changed);
        pace.note(None);
        if number == 0 && link.is_some() {
            job.conclude(&pace);
        }
        self.traffic.set(self.traffic.get() + hands.traffic.get());
        self.trace.borrow_mut().append(&mut hands.stretches.borrow_mut());
    }

    /// The number of a thread's jitter: no two threads of a cluster have the same.
    fn stream(&self, number: usize, rank: usize) -> usize {
        rank * self.threads + number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::Scheme;
    use rand::Rng;
    use std::collections::HashSet;
    use vtime::World;

    /// Told by what each draws first.
    #[test]
    fn no_two_threads_of_a_cluster_have_the_same_jitter() {
        let setup = Setup { hash_mib: 1, seed: Some(1), ..Setup::new(Scheme::Ybw, 4) };
        let machine = Machine::new(&setup, World::default().watch()).expect("a small table");
        let mut drawn = HashSet::new();
        for rank in 0..3 {
            for number in 0..4 {
                let hands = Hands::new(&setup, machine.stream(number, rank));
                let jitter = hands.jitter.expect("there is a seed");
                drawn.insert(jitter.borrow_mut().random::<u64>());
            }
        }
        assert_eq!(drawn.len(), 3 * 4);
    }
}
