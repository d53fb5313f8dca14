//! A brain whose threads are simulated: they search in virtual time (docs/virtual-clock.md), however many the
//! machine has. So games show what a scheme and a number of threads are worth in strength, not only in time
//! to a depth, and are the same every time.
//!
//! The unit of time is a node of one thread: `go nodes 40000` gives every thread of the search as long as one
//! thread alone takes for about 40,000 nodes. Limits of time are virtual too.

use super::network::{self, Evaluation};
use super::{DRIVER, SCHEME};
use chess::{Move, Position};
use engine::drivers::UnknownDriver;
use engine::tt::{Table, table_key};
use engine::worker;
use protocol::brain::{Brain, Chore, DEFAULT_HASH_MIB, Task};
use protocol::option::{OptionSpec, Value};
use smp::pool::link::Running;
use smp::schemes::Scheme;
use smp::simulation::{self, Setup};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use sys::turn::{self, Turn};
use thinking::report::{Limits, Observer};
use thinking::score::Score;

const TEAM: &str = "Team";
const SEED: &str = "Seed";
/// The jitter's seed when nothing says one. Without jitter, threads that begin together at the same position
/// would search the same nodes in step.
const USUAL_SEED: u32 = 1;

/// The engine on a simulated machine.
pub struct SimulatedBrain {
    setup: Setup,
    /// With how many it began.
    threads: usize,
    table: Arc<Table>,
    evaluation: Evaluation,
    /// The last search, and the thread that simulates it.
    search: Option<(Running, JoinHandle<()>)>,
}

impl SimulatedBrain {
    /// The engine as a session expects to find it, but for the number of threads.
    pub fn new(threads: usize) -> Result<Self, String> {
        let evaluation = Evaluation::default();
        let setup = Setup {
            hash_mib: DEFAULT_HASH_MIB,
            seed: Some(USUAL_SEED.into()),
            network: evaluation.network(),
            ..Setup::new(Scheme::default(), threads)
        };
        let table = table(DEFAULT_HASH_MIB)?;
        Ok(SimulatedBrain { setup, threads, table, evaluation, search: None })
    }

    /// How long a thread alone takes for so many nodes.
    fn time_of(&self, nodes: u64) -> Duration {
        let costs = self.setup.costs;
        Duration::from_nanos(nodes.saturating_mul(costs.node + costs.probe))
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

fn table(mib: usize) -> Result<Arc<Table>, String> {
    Table::new(mib).map(Arc::new).map_err(|error| format!("no memory for a table of {mib} MiB: {error}"))
}

impl Brain for SimulatedBrain {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        self.finish();
        let Task { game, limits, multipv } = task;
        let for_nodes = limits.nodes.map(|nodes| self.time_of(nodes));
        let movetime = for_nodes.into_iter().chain(limits.movetime).min();
        // No message takes its time between a simulated engine and its clock.
        let limits = Limits { movetime, nodes: None, overhead: Duration::ZERO, since: None, ..limits };
        let wanted = simulation::Search { task: worker::Task::from(&game), limits, multipv, observer };
        let (setup, table) = (self.setup.clone(), Arc::clone(&self.table));
        let (begun, has_begun) = mpsc::sync_channel(1);
        let told = Arc::clone(&wanted.observer);
        let search = move || {
            // The session's threads are woken past others, which one that computes must not be.
            let _ = turn::set_current(Turn::Usual);
            simulation::play(&setup, table, wanted, |running| {
                // Who waits for it does so below.
                let _ = begun.send(running);
            });
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

    fn ponderhit(&mut self) {
        if let Some((running, _)) = &self.search {
            running.ponderhit();
        }
    }

    fn nodes(&self) -> u64 {
        self.search.as_ref().map_or(0, |(running, _)| running.done().nodes)
    }

    fn new_game(&mut self) {
        self.finish();
        self.table.clear();
    }

    fn default_threads(&self) -> usize {
        self.threads
    }

    fn set_threads(&mut self, threads: usize) -> Result<usize, String> {
        // 0 lets the brain choose, and no number of simulated threads is better than another.
        self.setup.threads = threads.max(1);
        Ok(self.setup.threads)
    }

    fn set_hash(&mut self, mib: usize) -> Result<(), String> {
        if mib != self.setup.hash_mib {
            self.finish();
            self.table = table(mib)?;
            self.setup.hash_mib = mib;
        }
        Ok(())
    }

    fn clear_hash(&mut self) {
        self.finish();
        self.table.clear();
    }

    fn options(&self) -> Vec<OptionSpec> {
        let mut options = vec![
            super::scheme_option(),
            super::driver_option(),
            // 0: by the number of threads.
            OptionSpec::spin(TEAM, 0, 0, 1024),
            OptionSpec::spin(SEED, USUAL_SEED.into(), 0, u32::MAX.into()),
        ];
        options.extend(network::options());
        options
    }

    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match (name, value) {
            (SCHEME, Value::Text(text)) => {
                self.setup.scheme =
                    text.parse().map_err(|error: smp::schemes::UnknownScheme| error.to_string())?;
            }
            (DRIVER, Value::Text(text)) => {
                self.setup.driver = text.parse().map_err(|error: UnknownDriver| error.to_string())?;
            }
            (TEAM, &Value::Spin(team)) => {
                self.setup.team = usize::try_from(team).ok().filter(|&team| team > 0);
            }
            // Without jitter every node costs the same.
            (SEED, &Value::Spin(seed)) => self.setup.seed = u64::try_from(seed).ok().filter(|&seed| seed > 0),
            _ => {
                let taken = self.evaluation.set(name, value);
                taken.unwrap_or_else(|| Err(format!("no option {name}")))?;
                let now = self.evaluation.network();
                if !network::is_same(self.setup.network.as_deref(), now.as_deref()) {
                    self.new_game();
                    self.setup.network = now;
                }
            }
        }
        Ok(())
    }

    fn book(&self, _position: &Position) -> Vec<(Move, u32)> {
        Vec::new()
    }

    fn pin(&mut self, position: &Position, score: Score, depth: u32) {
        self.table.store(table_key(position), super::pinned(score, depth));
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
