//! A whole cluster in virtual time: simulated machines joined by a simulated network, in one world.
//!
//! Each machine has its threads ([`smp::simulation::machine`]), a table and a root state of its own, and one
//! thread that talks, a worker of the same world. That one runs the code of the real cluster, step by step;
//! it wakes when the real one would, by virtual time. So entries, results of iterations, the end of the
//! search and the vote take the way they take between real machines, and every run is the same.
//! `docs/cluster.md` says what is simulated and what is not.

use crate::exchange::Exchange;
use crate::member::{Duty, Identity, Settings, Shared, Tally};
pub use crate::network::Network;
use crate::network::{End, Wires, host};
use crate::post::{Errand, Post, SEARCHING, nap_after};
use crate::search::{Searcher, lead};
use chess::Move;
use crossbeam::channel::{Receiver, unbounded};
use engine::shared::Stopwatch;
use engine::tt::Table;
use engine::worker::Task;
use nnue::Network as Evaluation;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use smp::pool::accounts::Accounts;
use smp::pool::link::Running;
use smp::pool::{PoolError, STACK, Search};
use smp::simulation::machine::Machine;
use smp::simulation::{self, Begun, Recorder};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use thinking::report::{Info, Limits, Observer, Verdict};
use vtime::{Clock, Work, World};

/// A simulated cluster.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Each of its machines; the trace is not kept.
    pub machine: simulation::Setup,
    /// How many there are.
    pub machines: usize,
    /// What joins them.
    pub network: Network,
    /// Do they exchange entries of their tables? Without, they still exchange the results of iterations.
    pub exchange: bool,
}

/// What one machine of a simulated cluster did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// What it exchanged, and what became of it.
    #[serde(flatten)]
    pub tally: Tally,
    /// How long its talking thread was busy until rank 0 delivered the verdict, in nanoseconds of virtual time: the
    /// part of a core that it needs beside the threads that search.
    pub talking_ns: u64,
}

/// A simulated search of a cluster.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What the search found.
    pub verdict: Verdict,
    /// What rank 0 reported on the way.
    pub infos: Vec<Info>,
    /// What it cost, in virtual time, by thread, the machines one after the other.
    pub accounts: Accounts,
    /// What was exchanged, by rank.
    pub ranks: Vec<Rank>,
}

/// Searches with empty tables and empty histories. One machine alone talks to no other. The search must end
/// by itself: `infinite` and `ponder` are ignored, and limits of time are limits of virtual time.
///
/// # Errors
/// When there is no memory for the tables or for the threads' stacks.
///
/// # Panics
/// When a search thread does.
pub fn simulate(setup: &Setup, task: Task, limits: Limits) -> Result<Simulation, PoolError> {
    simulate_stoppable(setup, task, limits, Box::new(|_| {}))
}

/// As [`simulate`], but can be stopped from outside: `begun` gets the search of rank 0, which stops all.
///
/// # Errors
/// As [`simulate`].
///
/// # Panics
/// As [`simulate`].
pub fn simulate_stoppable(
    setup: &Setup,
    task: Task,
    limits: Limits,
    begun: Begun,
) -> Result<Simulation, PoolError> {
    if setup.machines <= 1 {
        let alone = simulation::simulate_stoppable(&setup.machine, task, limits, begun)?;
        let simulation::Simulation { verdict, infos, accounts, .. } = alone;
        return Ok(Simulation { verdict, infos, accounts, ranks: Vec::new() });
    }
    let limits = Limits { infinite: false, ponder: false, ..limits };
    let recorder = Arc::new(Recorder::default());
    let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
    let tables = tables(setup)?;
    let search = Search { task, limits, multipv: 1, observer };
    let (ranks, accounts) = run(setup, &tables, search, Duration::MAX, begun)?;
    let (infos, verdict) = recorder.take();
    Ok(Simulation { verdict, infos, accounts, ranks })
}

/// The tables of all machines, empty.
///
/// # Errors
/// When their memory is not to be had.
pub fn tables(setup: &Setup) -> Result<Vec<Arc<Table>>, PoolError> {
    let mib = setup.machine.hash_mib;
    // Each alone may fit: the system promises memory, and ends who uses more than there is.
    let all = mib.saturating_mul(setup.machines);
    let bytes = all.saturating_mul(1 << 20);
    sys::slice::check(bytes, 0).map_err(|cause| PoolError::Table { mib: all, cause })?;
    let table = |_| Table::new(mib).map(Arc::new).map_err(|cause| PoolError::Table { mib, cause });
    (0..setup.machines.max(1)).map(table).collect()
}

/// Searches with tables, one for each machine, that may know something already, and empty histories. `begun` gets the
/// search of rank 0, to tell it to stop; it should end by itself as well. The opponent has just thought for as long as
/// this search may take: that is how long the machines have been idle.
///
/// # Errors
/// When there is no memory for the threads' stacks: the search has no verdict.
///
/// # Panics
/// As [`simulate`].
pub fn play(setup: &Setup, tables: &[Arc<Table>], search: Search, begun: Begun) -> Result<(), PoolError> {
    match tables {
        [table] => simulation::play(&setup.machine, Arc::clone(table), search, begun),
        _ => {
            let pause = search.limits.movetime.unwrap_or(Duration::MAX);
            run(setup, tables, search, pause, begun).map(drop)
        }
    }
}

/// A search of several machines in a world of their own, after a pause: what each exchanged, and what it cost.
fn run(
    setup: &Setup,
    tables: &[Arc<Table>],
    search: Search,
    pause: Duration,
    begun: Begun,
) -> Result<(Vec<Rank>, Accounts), PoolError> {
    let ranks = tables.len();
    let world = World::default();
    let machine = |table: &Arc<Table>| Machine::with_table(&setup.machine, world.watch(), Arc::clone(table));
    let machines: Vec<Rc<Machine>> = tables.iter().map(machine).collect();
    let busy: Vec<Arc<AtomicU64>> = (0..ranks).map(|_| Arc::default()).collect();
    let witness = Arc::new(Witness {
        observer: search.observer,
        searches: Arc::default(),
        busy: busy.clone(),
        talking: Mutex::default(),
    });
    let observer = Arc::clone(&witness) as Arc<dyn Observer>;
    let mut wanted = Some((Search { observer, ..search }, begun));
    let wires = Wires::new(setup.network, ranks);
    let mut works: Vec<Work> = machines.iter().flat_map(Machine::works).collect();
    let mut talkers = Vec::new();
    for (rank, (machine, busy)) in machines.iter().zip(busy).enumerate() {
        let (errands, inbox) = unbounded();
        let hosts = (0..ranks).map(host).collect();
        let shared = Arc::new(Shared::new(rank, hosts, errands));
        shared.entries.store(setup.exchange, Relaxed);
        let talker = Talker {
            machine: Rc::clone(machine),
            shared,
            costs: [setup.machine.costs.probe, setup.machine.costs.wake],
            seed: setup.machine.seed.unwrap_or(0),
            nap: nanoseconds(nap_after(pause)),
            latency: setup.network.latency_ns,
            searches: Arc::clone(&witness.searches),
            busy,
        };
        talkers.push(talker.clone());
        let (wires, wanted) = (Rc::clone(&wires), wanted.take());
        let stopwatch = Stopwatch::Simulated(world.watch());
        works.push(Box::new(move |clock| talker.talk(&wires, clock, stopwatch, inbox, wanted)));
    }
    // Rank 0 ends the search of all, and the talking threads last: none waits for ever.
    let ends = world.run(STACK, works);
    // Rank 0's search knows its witness, which knows the search: neither would ever be given back.
    witness.searches.lock().clear();
    let accounts = together(&machines, Duration::from_nanos(ends?[0]));
    let tallies = talkers[0].shared.tallies.lock().clone();
    let talking = std::mem::take(&mut *witness.talking.lock());
    let rank = |(tally, talking_ns)| Rank { tally, talking_ns };
    Ok((tallies.into_iter().zip(talking).map(rank).collect(), accounts))
}

/// What the search of all machines cost: it ended at this time.
fn together(machines: &[Rc<Machine>], time: Duration) -> Accounts {
    let mut sum = Accounts { time, ..Accounts::default() };
    for accounts in machines.iter().filter_map(|machine| machine.accounts()) {
        // Its threads had nothing more to do until the end.
        let rest = time.saturating_sub(accounts.time);
        sum.nodes.extend(accounts.nodes);
        sum.idle.extend(accounts.idle.into_iter().map(|idle| idle + rest));
        sum.tally = sum.tally + accounts.tally;
        sum.traffic = match (sum.traffic, accounts.traffic) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
    }
    sum
}

/// Hands on what rank 0 reports, and keeps how busy the talking threads have been by the verdict: after it they say
/// good-bye, which is no part of the search.
struct Witness {
    observer: Arc<dyn Observer>,
    /// The searches of the machines that have begun theirs.
    searches: Arc<Mutex<Vec<Running>>>,
    /// Nanoseconds so far, by rank.
    busy: Vec<Arc<AtomicU64>>,
    talking: Mutex<Vec<u64>>,
}

impl Observer for Witness {
    /// With the nodes of all machines at this moment. Rank 0 knows those of the others as of their last signs of life,
    /// which may be longer ago than an iteration takes.
    fn info(&self, info: &Info) {
        let nodes: u64 = self.searches.lock().iter().map(|search| search.done().nodes).sum();
        self.observer.info(&Info { nodes, ..info.clone() });
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.observer.root_move(depth, current, index, total);
    }

    fn remark(&self, text: &str) {
        self.observer.remark(text);
    }

    fn verdict(&self, verdict: &Verdict) {
        *self.talking.lock() = self.busy.iter().map(|busy| busy.load(Relaxed)).collect();
        self.observer.verdict(verdict);
    }
}

/// The thread of a machine that talks to the others.
#[derive(Clone)]
struct Talker {
    machine: Rc<Machine>,
    shared: Arc<Shared>,
    /// Nanoseconds to write an entry to the table, and to wake up.
    costs: [u64; 2],
    /// Tells one run's moments from another's.
    seed: u64,
    /// How long it sleeps between two looks when the search begins, and a message's latency, in nanoseconds.
    nap: u64,
    latency: u64,
    /// Those of all machines: its own is added when it begins.
    searches: Arc<Mutex<Vec<Running>>>,
    busy: Arc<AtomicU64>,
}

impl Talker {
    /// Its life: from the beginning of the search on rank 0 until all has been said.
    fn talk(
        &self,
        wires: &Rc<RefCell<Wires>>,
        clock: Clock<'_>,
        stopwatch: Stopwatch,
        inbox: Receiver<Errand>,
        wanted: Option<(Search, Begun)>,
    ) {
        let [entry_ns, wake] = self.costs;
        let end = || End::new(wires, self.shared.rank, clock, entry_ns, Arc::clone(&self.busy));
        let (duties, to_do) = unbounded();
        let mut post = Post::new(end(), Arc::clone(&self.shared), inbox, duties, settings(), stopwatch);
        let mut threads = Threads { machine: &self.machine, searches: &self.searches, clock };
        let thread = end();
        if let Some((wanted, begun)) = wanted {
            lead(&self.shared, &mut threads, wanted);
            let running = self.shared.underway.lock().active.as_ref().map(|active| active.running.clone());
            begun(running.expect("the search has begun"));
        } else {
            // It has been idle, and when the first message comes it is somewhere between two looks.
            clock.spend(self.latency + part_of(self.nap, self.shared.rank, self.seed));
        }
        let mut leaving = false;
        while !post.step().expect("no simulated machine falls silent, and all of them run this program") {
            for duty in to_do.try_iter() {
                if let Duty::Search(call) = duty {
                    call.join(&self.shared, &mut threads).expect("all machines have the same network");
                    // A search that was over before has not begun: its threads end.
                    self.machine.wake(clock);
                }
            }
            self.machine.heed(clock);
            if self.shared.rank == 0 && self.machine.waits_for_leave() {
                // For a person or a program, in real time.
                std::thread::sleep(SEARCHING);
            }
            if self.shared.rank == 0 && self.machine.is_over() && !leaving {
                leaving = self.shared.errands.send(Errand::Leave).is_ok();
            }
            // What came while it was busy it finds without going to sleep, as the real one does.
            if self.shared.errands.is_empty() && !post.is_behind() {
                clock.wait_at_most(self.machine.errand(), nanoseconds(post.nap()));
                thread.work(wake);
            }
        }
    }
}

/// A part of a period that is spread evenly over ranks and over seeds (the golden ratio's multiples: Weyl
/// 1916, "Über die Gleichverteilung von Zahlen mod. Eins").
fn part_of(period: u64, rank: usize, seed: u64) -> u64 {
    let fraction = seed.wrapping_add(rank as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(period) * u128::from(fraction)) >> 64) as u64
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Nothing fails in a simulated network, however slow it is.
fn settings() -> Settings {
    let (host, version, network) = Default::default();
    let identity = Identity { host, version, network, options: Vec::new() };
    Settings { identity, patience: Duration::MAX, on_failure: Box::new(|_| {}) }
}

/// The threads of a machine, as the cluster's code starts them.
struct Threads<'m, 'y> {
    machine: &'m Machine,
    /// Where its search is added to those of all machines.
    searches: &'m Mutex<Vec<Running>>,
    clock: Clock<'y>,
}

impl Searcher for Threads<'_, '_> {
    /// There is one search only.
    fn finish(&mut self) {}

    fn network(&self) -> Option<Arc<Evaluation>> {
        self.machine.network()
    }

    fn asks_tablebase(&self) -> bool {
        false
    }

    fn forbid_tablebase(&mut self) {}

    fn start(&mut self, wanted: Search, exchange: Arc<Exchange>) -> Running {
        let running = self.machine.go_linked(wanted, exchange);
        self.searches.lock().push(running.clone());
        self.machine.wake(self.clock);
        running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spread_over_a_period() {
        for seed in [0, 1, 77] {
            let mut parts: Vec<u64> = (0..64).map(|rank| part_of(1000, rank, seed)).collect();
            parts.sort_unstable();
            assert!(parts.windows(2).all(|pair| pair[1] - pair[0] < 40) && parts[63] < 1000, "{parts:?}");
            assert!(parts[0] < 40 && parts[63] > 960, "{parts:?}");
        }
        assert_ne!(part_of(1000, 1, 1), part_of(1000, 1, 2));
    }
}
