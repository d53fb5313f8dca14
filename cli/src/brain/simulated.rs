//! A brain whose threads are simulated: they search in virtual time (docs/virtual-clock.md), however many the
//! machine has. So games show what a scheme and a number of threads are worth in strength, not only in time
//! to a depth, and are the same every time. Several simulated machines search together as a cluster does
//! (docs/cluster.md).
//!
//! The unit of time is a node of one thread: `go nodes 40000` gives every thread of the search as long as one
//! thread alone takes for about 40,000 nodes. Limits of time are virtual too.

use super::network::{self, Evaluation};
use chess::{Move, Position};
use cluster::simulation::{self as machines, Network, Setup};
use engine::tt::Table;
use engine::worker;
use protocol::brain::{Brain, Chore, DEFAULT_HASH_MIB, Task};
use protocol::option::{OptionSpec, Value};
use smp::pool::Search;
use smp::pool::link::Running;
use smp::schemes::Scheme;
use smp::simulation;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use sys::turn::{self, Turn};
use thinking::report::{Limits, Observer, Verdict};

const TEAM: &str = "Team";
const SEED: &str = "Seed";
const MACHINES: &str = "Machines";
const LATENCY: &str = "Latency";
const EXCHANGE: &str = "Exchange";
/// The jitter's seed when nothing says one. Without jitter, threads that begin together at the same position
/// would search the same nodes in step.
const USUAL_SEED: u32 = 1;
const MOST_MACHINES: i64 = 64;
/// Most threads of all machines together.
const MOST_THREADS: usize = 1024;

/// The engine on a simulated machine.
pub struct SimulatedBrain {
    setup: Setup,
    /// With how many it began.
    threads: usize,
    /// One for each machine.
    tables: Vec<Arc<Table>>,
    evaluation: Evaluation,
    /// The last search, and the thread that simulates it.
    search: Option<(Running, JoinHandle<()>)>,
}

impl SimulatedBrain {
    /// The engine as a session expects to find it, but for the number of threads.
    pub fn new(threads: usize) -> Result<Self, String> {
        let evaluation = Evaluation::default();
        let machine = simulation::Setup {
            hash_mib: DEFAULT_HASH_MIB,
            seed: Some(USUAL_SEED.into()),
            network: evaluation.network(),
            ..simulation::Setup::new(Scheme::default(), threads)
        };
        let setup = Setup { machine, machines: 1, network: Network::default(), exchange: true };
        let tables = tables(&setup)?;
        Ok(SimulatedBrain { setup, threads, tables, evaluation, search: None })
    }

    /// Most machines of as many threads as it began with.
    fn most_machines(&self) -> i64 {
        MOST_MACHINES.min((MOST_THREADS / self.threads.max(1)).max(1) as i64)
    }

    /// How long a thread alone takes for so many nodes.
    fn time_of(&self, nodes: u64) -> Duration {
        let costs = self.setup.machine.costs;
        Duration::from_nanos(nodes.saturating_mul(costs.node + costs.probe))
    }

    /// Takes machines that may have other tables, which are then empty.
    fn set_up(&mut self, setup: Setup) -> Result<(), String> {
        let threads = setup.machines * setup.machine.threads;
        if threads > MOST_THREADS {
            return Err(format!("{threads} threads in all, at most {MOST_THREADS} are simulated"));
        }
        let tables_of = |setup: &Setup| (setup.machines, setup.machine.hash_mib);
        if tables_of(&setup) != tables_of(&self.setup) {
            self.finish();
            self.tables = tables(&setup)?;
        }
        self.setup = setup;
        Ok(())
    }

    /// Waits for the end of the last search.
    fn finish(&mut self) {
        if let Some((running, thread)) = self.search.take() {
            running.stop();
            // A search that panicked has said so, and has no verdict.
            let _ = thread.join();
        }
    }
}

fn microseconds(network: Network) -> i64 {
    i64::try_from(network.latency_ns / 1000).unwrap_or(i64::MAX)
}

fn tables(setup: &Setup) -> Result<Vec<Arc<Table>>, String> {
    machines::tables(setup).map_err(|error| error.to_string())
}

impl Brain for SimulatedBrain {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        self.finish();
        // It has no book, and no weaker play for an analysis to differ from.
        let Task { game, limits, multipv, analysis: _ } = task;
        let for_nodes = limits.nodes.into_iter().chain(limits.time_in_nodes).min();
        let for_nodes = for_nodes.map(|nodes| self.time_of(nodes));
        let movetime = for_nodes.into_iter().chain(limits.movetime).min();
        // No message takes its time between a simulated engine and its clock.
        let (nodes, time_in_nodes) = (None, None);
        let limits =
            Limits { movetime, nodes, time_in_nodes, overhead: Duration::ZERO, since: None, ..limits };
        let wanted = Search { task: worker::Task::from(&game), limits, multipv, observer };
        let (setup, tables) = (self.setup.clone(), self.tables.clone());
        let (begun, has_begun) = mpsc::sync_channel(1);
        let told = Arc::clone(&wanted.observer);
        let search = move || {
            // The session's threads are woken past others, which one that computes must not be.
            let _ = turn::set_current(Turn::Usual);
            let observer = Arc::clone(&wanted.observer);
            // Who waits for it does so below.
            let begun: simulation::Begun = Box::new(move |running| _ = begun.send(running));
            if let Err(error) = machines::play(&setup, &tables, wanted, begun) {
                observer.remark(&format!("cannot search: {error}"));
                // It knows no move, and the session that waits for one goes on.
                observer.verdict(&Verdict::default());
            }
        };
        match std::thread::Builder::new().spawn(search) {
            // It comes at once, unless the thread panics, which says so itself.
            Ok(thread) => self.search = has_begun.recv().ok().map(|running| (running, thread)),
            // The observer hears no verdict and knows that the search is lost.
            Err(error) => told.remark(&format!("cannot start a search thread: {error}")),
        }
    }

    fn stop(&mut self) {
        if let Some((running, _)) = &self.search {
            running.stop();
        }
    }

    fn ponderhit(&mut self, at: Instant) {
        if let Some((running, _)) = &self.search {
            running.ponderhit(at);
        }
    }

    fn nodes(&self) -> u64 {
        self.search.as_ref().map_or(0, |(running, _)| running.done().nodes)
    }

    fn new_game(&mut self) {
        self.clear_hash();
    }

    fn default_threads(&self) -> usize {
        self.threads
    }

    fn set_threads(&mut self, threads: usize) -> Result<usize, String> {
        // 0 lets the brain choose, and no number of simulated threads is better than another.
        let threads = threads.max(1);
        let machine = simulation::Setup { threads, ..self.setup.machine.clone() };
        self.set_up(Setup { machine, ..self.setup.clone() })?;
        Ok(threads)
    }

    fn searching_threads(&self, _analysis: bool) -> usize {
        self.setup.machine.scheme.searching(self.setup.machine.threads)
    }

    fn set_hash(&mut self, mib: usize) -> Result<(), String> {
        let machine = simulation::Setup { hash_mib: mib, ..self.setup.machine.clone() };
        self.set_up(Setup { machine, ..self.setup.clone() })
    }

    fn clear_hash(&mut self) {
        self.finish();
        self.tables.iter().for_each(|table| table.clear());
    }

    fn options(&self) -> Vec<OptionSpec> {
        let mut options = vec![
            super::scheme_option(),
            super::driver_option(),
            // 0: by the number of threads.
            OptionSpec::spin(TEAM, 0, 0, 1024),
            OptionSpec::spin(SEED, USUAL_SEED.into(), 0, u32::MAX.into()),
            OptionSpec::spin(MACHINES, 1, 1, self.most_machines()),
            OptionSpec::spin(LATENCY, microseconds(Network::default()), 0, 10_000_000),
            OptionSpec::check(EXCHANGE, true),
        ];
        options.extend(network::options());
        options
    }

    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let machine = &mut self.setup.machine;
        if let Some(taken) = super::set_way(&mut machine.scheme, &mut machine.driver, name, value) {
            return taken;
        }
        match (name, value) {
            (TEAM, &Value::Spin(team)) => {
                self.setup.machine.team = usize::try_from(team).ok().filter(|&team| team > 0);
            }
            // Without jitter every node costs the same.
            (SEED, &Value::Spin(seed)) => {
                self.setup.machine.seed = u64::try_from(seed).ok().filter(|&seed| seed > 0);
            }
            (MACHINES, &Value::Spin(machines)) => {
                let machines = usize::try_from(machines).unwrap_or(1);
                self.set_up(Setup { machines, ..self.setup.clone() })?;
            }
            (LATENCY, &Value::Spin(latency)) => {
                self.setup.network.latency_ns = u64::try_from(latency).unwrap_or(0) * 1000;
            }
            (EXCHANGE, &Value::Check(exchange)) => self.setup.exchange = exchange,
            _ => {
                let taken = self.evaluation.set(name, value);
                taken.unwrap_or_else(|| Err(format!("no option {name}")))?;
                let now = self.evaluation.network();
                if !network::is_same(self.setup.machine.network.as_deref(), now.as_deref()) {
                    self.new_game();
                    self.setup.machine.network = now;
                }
            }
        }
        Ok(())
    }

    fn book(&self, _position: &Position) -> Vec<(Move, u32)> {
        Vec::new()
    }

    fn evaluate(&self, position: &Position) -> String {
        super::evaluation(position, self.evaluation.network().as_deref())
    }

    fn bench(&self) -> Chore {
        super::signature()
    }
}

impl Drop for SimulatedBrain {
    fn drop(&mut self) {
        self.finish();
    }
}
