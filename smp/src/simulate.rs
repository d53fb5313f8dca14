//! Parallel search in virtual time: the engine's own code, any number of threads, the same result every time.
//!
//! The threads of a search run as workers of a [`World`]; what they do costs virtual time by the [`Costs`]. Everything
//! that parallel search is judged by follows from the order of their actions: nodes, waiting, time to a depth. What a
//! real machine adds (caches, memory bandwidth, frequency) is left out but for what the costs say of it, so the
//! figures are those of the algorithm; `firstborn scaling` takes the same figures by the real clock.

use crate::accounts::{Accounts, Activity, Stretch};
use crate::costs::Costs;
use crate::hybrid;
use crate::job::Job;
use crate::pace::{Event, Pace};
use crate::pool::{PoolError, STACK};
use crate::rules::{RuleSet, Usual};
use crate::scheme::Scheme;
use crate::sync::{Condvar, Mutex, MutexGuard};
use crate::think::Seat;
use crate::world::{Clock, Work, World};
use engine::history::Histories;
use engine::report::{Info, Limits, Observer, Verdict};
use engine::shared::{Shared, Stopwatch};
use engine::tt::Table;
use engine::worker::{Memory, Task};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

/// A simulated engine.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How the threads work together.
    pub scheme: Scheme,
    /// How many there are, at least 1.
    pub threads: usize,
    /// Most threads of a team of [`Scheme::Hybrid`].
    pub team: usize,
    /// Size of the transposition table in mebibytes.
    pub hash_mib: usize,
    /// What things cost.
    pub costs: Costs,
    /// Seed of the jitter; without one every node costs the same.
    pub seed: Option<u64>,
    /// Keep who did what when.
    pub trace: bool,
}

impl Setup {
    /// An engine with these many threads, 16 MiB of table, the usual costs, no jitter and no trace.
    pub fn new(scheme: Scheme, threads: usize) -> Self {
        Setup {
            scheme,
            threads,
            team: hybrid::TEAM,
            hash_mib: 16,
            costs: Costs::default(),
            seed: None,
            trace: false,
        }
    }
}

/// A simulated search.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What the search found.
    pub verdict: Verdict,
    /// What it told on the way.
    pub infos: Vec<Info>,
    /// What it cost, in virtual time.
    pub accounts: Accounts,
    /// Who did what when, by thread and time, if that was asked for.
    pub trace: Vec<Stretch>,
}

/// Keeps what it hears.
#[derive(Default)]
struct Ear {
    infos: Mutex<Vec<Info>>,
    verdict: Mutex<Verdict>,
}

impl Observer for Ear {
    fn info(&self, info: &Info) {
        self.infos.lock().push(info.clone());
    }

    fn verdict(&self, verdict: &Verdict) {
        *self.verdict.lock() = verdict.clone();
    }
}

/// Searches with an empty table and empty histories. The search must end by itself: `infinite` and `ponder` are
/// ignored, and limits of time are limits of virtual time.
///
/// # Errors
/// When the table's memory is not to be had.
///
/// # Panics
/// When a search thread does, or the system has no memory for the stacks.
pub fn simulate(setup: &Setup, task: Task, limits: Limits) -> Result<Simulation, PoolError> {
    let mib = setup.hash_mib;
    let table = Table::new(mib).map_err(|cause| PoolError::Table { mib, cause })?;
    Ok(simulate_by::<Usual>(setup, Arc::new(table), task, limits))
}

/// The same by other rules than the usual ones, and with a table of the caller's.
///
/// # Panics
/// When a search thread does, or the system has no memory for the stacks.
pub fn simulate_by<R: RuleSet>(setup: &Setup, table: Arc<Table>, task: Task, limits: Limits) -> Simulation {
    let threads = if setup.scheme == Scheme::Serial { 1 } else { setup.threads.max(1) };
    let world = World::default();
    let stopwatch = Stopwatch::Simulated(world.watch());
    let limits = Limits { infinite: false, ponder: false, ..limits };
    let histories = Histories::default().resized(threads);
    let mut shared = Shared::timed_by(stopwatch, table, limits, 1, threads);
    shared.histories = histories.clone();
    let ear = Arc::new(Ear::default());
    let observer = Arc::clone(&ear) as Arc<dyn Observer>;
    let job = Arc::new(Job::new::<R>(setup.scheme, setup.team, shared, task, observer));
    let trace = Arc::new(Mutex::new(Vec::new()));
    let works = (0..threads).map(|number| {
        let (job, trace, setup) = (Arc::clone(&job), Arc::clone(&trace), setup.clone());
        let history = histories.of(number);
        Box::new(move |clock: Clock<'_>| {
            let hands = Hands::new(&setup, number);
            let near = if setup.scheme.works_together() { setup.costs.near } else { 0 };
            let share = if threads > 1 { setup.costs.share + near } else { 0 };
            let pace = Simulated { clock, costs: &setup.costs, share, hands: &hands };
            if number > 0 {
                clock.spend(setup.costs.wake);
            }
            let mut memory = Memory::learning(history);
            let (opinion, part) = Seat { number, job: &job, memory: &mut memory, pace }.think::<R>();
            if number == 0 {
                job.shared.stop();
            }
            job.hand_in(number, opinion, part);
            pace.note(None);
            trace.lock().append(&mut hands.stretches.borrow_mut());
        }) as Work
    });
    world
        .run(STACK, works.collect())
        .expect("a board closes when its leader ends, and nobody waits elsewhere");
    job.conclude();
    let mut trace = std::mem::take(&mut *trace.lock());
    trace.sort_by_key(|stretch| (stretch.thread, stretch.from));
    let accounts = job.accounts().expect("the search has been concluded");
    let verdict = ear.verdict.lock().clone();
    let infos = std::mem::take(&mut *ear.infos.lock());
    Simulation { verdict, infos, accounts, trace }
}

/// What one simulated thread keeps beside its clock.
struct Hands {
    jitter: Option<RefCell<ChaCha8Rng>>,
    /// Since when it has been doing what.
    doing: Cell<(u64, Option<Activity>)>,
    traced: bool,
    stretches: RefCell<Vec<Stretch>>,
}

impl Hands {
    fn new(setup: &Setup, number: usize) -> Self {
        let jitter = setup.seed.map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number as u64);
            RefCell::new(rng)
        });
        Hands { jitter, doing: Cell::new((0, None)), traced: setup.trace, stretches: RefCell::default() }
    }
}

/// Time passes by the costs.
#[derive(Clone, Copy)]
struct Simulated<'y> {
    clock: Clock<'y>,
    costs: &'y Costs,
    /// What sharing memory adds to each node.
    share: u64,
    hands: &'y Hands,
}

impl Pace for Simulated<'_> {
    #[inline]
    fn spend(&self, event: Event) {
        let cost = match event {
            Event::Node => self.costs.node + self.share,
            Event::Probe => self.costs.probe,
            Event::Split => self.costs.split,
            Event::Join => self.costs.join,
        };
        let cost = match &self.hands.jitter {
            Some(rng) if event == Event::Node => {
                let spread = self.costs.jitter.clamp(0.0, 1.0);
                (cost as f64 * rng.borrow_mut().random_range(1.0 - spread..=1.0 + spread)) as u64
            }
            _ => cost,
        };
        self.clock.spend(cost);
    }

    fn note(&self, activity: Option<Activity>) {
        let (from, before) = self.hands.doing.replace((self.clock.now(), activity));
        let to = self.clock.now();
        if let Some(activity) = before
            && self.hands.traced
            && from < to
        {
            self.hands.stretches.borrow_mut().push(Stretch {
                thread: self.clock.worker(),
                from: Duration::from_nanos(from),
                to: Duration::from_nanos(to),
                activity,
            });
        }
    }

    fn wait<T>(&self, news: &Condvar, guard: &mut MutexGuard<'_, T>) {
        MutexGuard::unlocked(guard, || self.clock.wait(address(news)));
    }

    fn notify_all(&self, news: &Condvar) {
        self.clock.wake_all(address(news), self.costs.call, self.costs.wake);
    }
}

/// A name for a condition variable, good for as long as it lives.
fn address(news: &Condvar) -> usize {
    std::ptr::from_ref(news).addr()
}
