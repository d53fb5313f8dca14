//! The two clocks a study runs by, behind one trait.
//!
//! [`Real`] searches with the engine's own pool and reads the wall; [`Virtual`] simulates. Either way a search begins
//! with an empty table and empty histories.

use super::load::Load;
use super::plan::{Cluster, Run, Team};
use super::sample::{Iteration, Outcome, nanoseconds};
use chess::{Game, Position};
use cluster::simulation::{self, simulate_stoppable};
use engine::worker::Task;
use nnue::Network;
use parking_lot::Mutex;
use smp::pool::accounts::Accounts;
use smp::pool::link::Running;
use smp::pool::{Pool, PoolError};
use smp::simulation::costs::Costs;
use smp::simulation::{Begun, Setup};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, Builder};
use std::time::Duration;
use sys::affinity::CpuSet;
use thinking::report::{Bound, Info, Limits, Observer, Verdict};
use thinking::score::Reported;

/// Why a search could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// The search has not the memory or the threads that it needs.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The system gives no thread beside those that search.
    #[error("cannot start a thread {purpose}: {cause}")]
    Thread {
        /// What it is for.
        purpose: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// Another rank's answer is not a search.
    #[error("the answer of another rank cannot be read: {0}")]
    Answer(serde_json::Error),
}

/// Something that searches and says what it cost.
pub trait Clock {
    /// Searches `position` from an empty table. `None` if the study was stopped meanwhile.
    ///
    /// # Errors
    /// When memory or threads are not to be had.
    fn search(
        &mut self,
        run: &Run,
        position: &Position,
        limits: Limits,
    ) -> Result<Option<Outcome>, ClockError>;
}

/// A clock that can be told before each search how its threads form teams, and where they run.
pub trait Adjustable: Clock {
    /// From now on a team of [`Scheme::Hybrid`](smp::schemes::Scheme::Hybrid) has at most `most` threads.
    fn set_team(&mut self, most: usize);

    /// Binds the search threads to these sets of processors, by their numbers, or to none.
    fn bind(&mut self, places: Vec<CpuSet>);
}

/// How long a stopped study may go on searching.
const PATIENCE: Duration = Duration::from_millis(50);

/// The wall's clock and the machine's threads.
pub struct Real<'s> {
    pool: Pool,
    /// Size of the table, in MiB.
    hash: usize,
    /// Cores to keep busy; 0 for none beside the search.
    cores: usize,
    stop: &'s AtomicBool,
}

impl<'s> Real<'s> {
    /// A pool with a table of `hash` mebibytes. `cores` are kept busy, those without a search thread by dummies; 0 leaves
    /// them alone. Once `stop` is set the search under way ends.
    ///
    /// # Errors
    /// When memory or threads are not to be had.
    pub fn new(hash: usize, cores: usize, stop: &'s AtomicBool) -> Result<Self, PoolError> {
        Ok(Real { pool: Pool::new(1, hash)?, hash, cores, stop })
    }

    /// Evaluates by this network from now on, or by the hand-crafted evaluation.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.pool.set_network(network);
    }

    /// Dummies for the cores that are to be kept busy beside a search of so many threads.
    fn load_beside(&self, threads: usize) -> Result<Load, ClockError> {
        Load::new(self.cores.saturating_sub(threads)).map_err(no_load)
    }

    /// Makes everything ready, and searches.
    fn go(&mut self, team: Team, position: &Position, limits: Limits) -> Result<Option<Heard>, ClockError> {
        let Team { scheme, threads, .. } = team;
        if self.pool.threads() != threads {
            self.pool.set_threads(threads)?;
            // Memory lies with the processors that touch it first: a table that one thread has cleared would be far
            // from half of the others on a machine of two sockets.
            self.pool.set_hash(self.hash)?;
        }
        self.pool.scheme = scheme;
        self.pool.new_game();
        // As long as the search.
        let _load = self.load_beside(threads)?;
        Ok(self.listen(position, limits))
    }

    /// The search itself, with what it said on the way.
    fn listen(&mut self, position: &Position, limits: Limits) -> Option<Heard> {
        let (sender, over) = channel();
        let ear = Arc::new(Ear { over: sender, heard: Mutex::default() });
        let task = Task::from(&Game::new(position.clone()));
        self.pool.go(task, limits, 1, Arc::clone(&ear) as Arc<dyn Observer>);
        while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(PATIENCE) {
            if self.stop.load(Relaxed) {
                self.pool.stop();
            }
        }
        self.pool.wait();
        let heard = std::mem::take(&mut *ear.heard.lock());
        (!self.stop.load(Relaxed)).then_some(heard)
    }
}

/// A thread of the load was refused.
fn no_load(cause: io::Error) -> ClockError {
    ClockError::Thread { purpose: "to keep another core busy", cause }
}

impl Adjustable for Real<'_> {
    fn set_team(&mut self, most: usize) {
        self.pool.team = Some(most);
    }

    fn bind(&mut self, places: Vec<CpuSet>) {
        self.pool.bind(places);
    }
}

impl Clock for Real<'_> {
    fn search(
        &mut self,
        run: &Run,
        position: &Position,
        limits: Limits,
    ) -> Result<Option<Outcome>, ClockError> {
        if self.stop.load(Relaxed) {
            return Ok(None);
        }
        let Some(heard) = self.go(run.team, position, limits)? else { return Ok(None) };
        let accounts = self.pool.accounts().unwrap_or_default();
        Ok(Some(outcome(position, &heard.verdict, heard.notes, accounts)))
    }
}

/// Listens to a search.
struct Ear {
    over: Sender<()>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    notes: Notes,
    verdict: Verdict,
}

impl Observer for Ear {
    fn info(&self, info: &Info) {
        self.heard.lock().notes.add(info);
    }

    fn verdict(&self, verdict: &Verdict) {
        self.heard.lock().verdict = verdict.clone();
        // There is no listener any more once the pool is being dropped.
        let _ = self.over.send(());
    }
}

/// Iterations as they are finished.
#[derive(Default)]
struct Notes {
    iterations: Vec<Iteration>,
    /// A mate has been found. The iterations after that are over in no time and compare nothing.
    mated: bool,
}

impl Notes {
    /// A depth may be told of more than once: bounds on the way, and the line of an iteration that was broken off under
    /// its own depth. The first exact line is the one told when it is finished.
    fn add(&mut self, info: &Info) {
        let known = self.iterations.last().is_some_and(|last| last.depth >= info.depth);
        if info.multipv == 1 && info.bound == Bound::Exact && !known && !self.mated {
            let time_ns = nanoseconds(info.time);
            self.iterations.push(Iteration { depth: info.depth, time_ns, nodes: info.nodes });
            self.mated = matches!(info.reported(), Reported::Mate(_));
        }
    }
}

fn outcome(position: &Position, verdict: &Verdict, notes: Notes, accounts: Accounts) -> Outcome {
    let info = verdict.info.as_ref();
    let mut iterations = notes.iterations;
    // An iteration that a limit has broken off is told of as well, with the best move until then.
    iterations.retain(|iteration| (1..=verdict.finished).contains(&iteration.depth));
    Outcome {
        accounts,
        ranks: Vec::new(),
        iterations,
        depth: info.map_or(0, |info| info.depth),
        score: info.map_or(String::new(), |info| info.reported().to_string()),
        best: verdict.best.map_or(String::new(), |best| position.uci(best)),
    }
}

/// The simulator's clock. Copies of it may run side by side.
#[derive(Clone, Debug)]
pub struct Virtual<'s> {
    /// Size of the table of each machine in mebibytes.
    pub hash: usize,
    /// Seed of the jitter.
    pub seed: u64,
    /// What things cost.
    pub costs: Costs,
    /// What evaluates: a network, or the hand-crafted evaluation.
    pub evaluation: Option<Arc<Network>>,
    /// What joins machines where there are several.
    pub cluster: Cluster,
    /// Once set, no further search begins, and those that run are broken off.
    pub stop: &'s AtomicBool,
}

impl Virtual<'_> {
    /// How a run is simulated, on each machine. Nodes never cost all the same: threads that begin together at
    /// the same position would search the same nodes in step to the end, which no real thread does and which
    /// makes nonsense of `lazy`.
    pub fn setup(&self, run: &Run) -> Setup {
        let jitter = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(run.repeat as u64);
        Setup {
            hash_mib: self.hash,
            seed: Some(jitter),
            costs: self.costs,
            network: self.evaluation.clone(),
            ..Setup::new(run.team.scheme, run.team.threads)
        }
    }
}

/// How soon a simulation hears that it is to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs a simulation, and tells it to stop once `stop` is set: it may have minutes left.
///
/// # Errors
/// Those of the simulation, and when a thread is not to be had.
pub(crate) fn interruptible<R>(
    stop: &AtomicBool,
    simulate: impl FnOnce(Begun) -> Result<R, PoolError>,
) -> Result<R, ClockError> {
    let (begun, searches) = channel::<Running>();
    let (under_way, over) = channel::<()>();
    thread::scope(|scope| {
        let watching = Builder::new().spawn_scoped(scope, move || {
            let Ok(search) = searches.recv() else { return };
            while matches!(over.recv_timeout(GLANCE), Err(RecvTimeoutError::Timeout)) {
                if stop.load(Relaxed) {
                    search.stop();
                }
            }
        });
        watching.map_err(|cause| ClockError::Thread { purpose: "to stop a simulation", cause })?;
        // Owned here, so that it is closed when the simulation is over, however it ends.
        let _under_way = under_way;
        let simulated = simulate(Box::new(move |search| {
            // It fails only if the thread above has died.
            let _ = begun.send(search);
        }));
        Ok(simulated?)
    })
}

impl Clock for Virtual<'_> {
    fn search(
        &mut self,
        run: &Run,
        position: &Position,
        limits: Limits,
    ) -> Result<Option<Outcome>, ClockError> {
        if self.stop.load(Relaxed) {
            return Ok(None);
        }
        let task = Task::from(&Game::new(position.clone()));
        let Cluster { network, exchange } = self.cluster;
        let (machine, machines) = (self.setup(run), run.team.machines);
        let setup = simulation::Setup { machine, machines, network, exchange };
        let simulation = interruptible(self.stop, |begun| simulate_stoppable(&setup, task, limits, begun))?;
        // What was broken off measures nothing.
        if self.stop.load(Relaxed) {
            return Ok(None);
        }
        let mut notes = Notes::default();
        simulation.infos.iter().for_each(|info| notes.add(info));
        let ranks = simulation.ranks;
        Ok(Some(Outcome { ranks, ..outcome(position, &simulation.verdict, notes, simulation.accounts) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::plan::ALONE;
    use std::collections::HashSet;

    #[test]
    fn cores_without_a_search_thread_are_kept_busy() {
        let stop = AtomicBool::new(false);
        for (cores, threads, busy) in [(3, 1, 2), (3, 3, 0), (2, 4, 0), (0, 1, 0)] {
            let clock = Real::new(1, cores, &stop).unwrap();
            let load = clock.load_beside(threads).unwrap();
            assert_eq!(load.cores(), busy, "{threads} threads on {cores} cores");
        }
    }

    #[test]
    fn a_thread_of_the_load_is_not_told_as_one_that_searches() {
        let error = no_load(io::Error::other("no room")).to_string();
        assert_eq!(error, "cannot start a thread to keep another core busy: no room");
    }

    #[test]
    fn other_seeds_and_repeats_have_other_jitter() {
        let stop = AtomicBool::new(false);
        let jitter = |(seed, repeat)| {
            let (costs, cluster) = (Costs::default(), Cluster::default());
            let clock = Virtual { hash: 1, seed, costs, evaluation: None, cluster, stop: &stop };
            clock.setup(&Run { repeat, position: 0, team: ALONE }).seed
        };
        let jitters: HashSet<Option<u64>> = [(1, 0), (1, 1), (2, 0), (2, 1)].map(jitter).into();
        assert_eq!(jitters.len(), 4);
    }

    /// Whenever time runs out, what counts as finished is what a search to that depth finishes, at the same
    /// time.
    #[test]
    fn an_iteration_that_was_broken_off_does_not_count() {
        let stop = AtomicBool::new(false);
        let costs = Costs::default();
        let mut clock =
            Virtual { hash: 4, seed: 1, costs, evaluation: None, cluster: Cluster::default(), stop: &stop };
        let mut search = |limits: Limits| {
            let run = Run { repeat: 0, position: 0, team: ALONE };
            clock.search(&run, &Position::startpos(), limits).unwrap().unwrap()
        };
        let cut: Vec<Outcome> = (5..60)
            .step_by(2)
            .map(|ms| search(Limits { movetime: Some(Duration::from_millis(ms)), ..Limits::default() }))
            .collect();
        let deepest = cut.iter().filter_map(|cut| cut.iterations.last()).map(|last| last.depth).max();
        let whole = search(Limits { depth: deepest, ..Limits::default() }).iterations;
        assert_eq!(whole.last().map(|last| last.depth), deepest);
        for cut in &cut {
            assert_eq!(cut.iterations, whole[..cut.iterations.len()]);
        }
        let told = cut.iter().filter(|cut| cut.iterations.last().is_some_and(|last| last.depth < cut.depth));
        assert!(told.count() > 2, "some were broken off with a score: {cut:?}");
    }
}
