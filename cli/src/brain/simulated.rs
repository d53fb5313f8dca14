//! A brain whose threads are simulated: they search in virtual time (docs/virtual-clock.md), however many the
//! machine has. So games show what a scheme and a number of threads are worth in strength, not only in time
//! to a depth, and are the same every time.
//!
//! The unit of time is a node of one thread: `go nodes 40000` gives every thread of the search as long as one
//! thread alone takes for about 40,000 nodes. Limits of time are virtual too.

use super::SCHEME;
use super::network::{self, Evaluation};
use chess::{Move, Position};
use engine::tt::Table;
use engine::worker;
use parking_lot::{Condvar, Mutex};
use protocol::brain::{Brain, Chore, DEFAULT_HASH_MIB, Task};
use protocol::option::{OptionSpec, Value};
use smp::pool::link::Running;
use smp::schemes::Scheme;
use smp::simulation::{self, Setup};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use thinking::report::{Info, Limits, Observer, Verdict};
use thinking::score::Score;

const TEAM: &str = "Team";
const SEED: &str = "Seed";

/// The search under way, and what has been asked of it.
#[derive(Default)]
struct Progress {
    running: Option<Running>,
    stopped: bool,
    /// Its verdict waits for `stop` or for the move pondered on.
    held: bool,
}

#[derive(Default)]
struct Asked {
    progress: Mutex<Progress>,
    changed: Condvar,
}

/// Passes on what is heard, but keeps the verdict.
struct Keeping {
    inner: Arc<dyn Observer>,
    verdict: Mutex<Verdict>,
}

impl Observer for Keeping {
    fn info(&self, info: &Info) {
        self.inner.info(info);
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.inner.root_move(depth, current, index, total);
    }

    fn remark(&self, text: &str) {
        self.inner.remark(text);
    }

    fn verdict(&self, verdict: &Verdict) {
        *self.verdict.lock() = verdict.clone();
    }
}

/// The engine on a simulated machine.
pub struct SimulatedBrain {
    setup: Setup,
    table: Arc<Table>,
    evaluation: Evaluation,
    asked: Arc<Asked>,
    thread: Option<JoinHandle<()>>,
}

impl SimulatedBrain {
    /// The engine as a session expects to find it, but for the number of threads.
    pub fn new(threads: usize) -> Result<Self, String> {
        let evaluation = Evaluation::default();
        let setup = Setup {
            hash_mib: DEFAULT_HASH_MIB,
            network: evaluation.network(),
            ..Setup::new(Scheme::default(), threads)
        };
        let table = table(DEFAULT_HASH_MIB)?;
        Ok(SimulatedBrain { setup, table, evaluation, asked: Arc::default(), thread: None })
    }

    /// How long a thread alone takes for so many nodes.
    fn time_of(&self, nodes: u64) -> Duration {
        let costs = self.setup.costs;
        Duration::from_nanos(nodes.saturating_mul(costs.node + costs.probe))
    }

    /// Waits for the end of the last search.
    fn finish(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.stop();
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
        let held = limits.infinite || limits.ponder;
        let movetime = limits.nodes.map(|nodes| self.time_of(nodes)).or(limits.movetime);
        // No message takes its time between a simulated engine and its clock.
        let limits = Limits { movetime, nodes: None, overhead: Duration::ZERO, since: None, ..limits };
        self.asked = Arc::new(Asked {
            progress: Mutex::new(Progress { held, ..Progress::default() }),
            ..Asked::default()
        });
        let (setup, table, asked) = (self.setup.clone(), Arc::clone(&self.table), Arc::clone(&self.asked));
        self.thread = Some(std::thread::spawn(move || {
            let keeping = Arc::new(Keeping { inner: Arc::clone(&observer), verdict: Mutex::default() });
            let begun = |running: Running| {
                let mut progress = asked.progress.lock();
                if progress.stopped {
                    running.stop();
                }
                progress.running = Some(running);
            };
            let observed = Arc::clone(&keeping) as Arc<dyn Observer>;
            let task = worker::Task::from(&game);
            let wanted = simulation::Search { task, limits, multipv, observer: observed };
            simulation::play(&setup, table, wanted, begun);
            let mut progress = asked.progress.lock();
            while progress.held && !progress.stopped {
                asked.changed.wait(&mut progress);
            }
            drop(progress);
            observer.verdict(&keeping.verdict.lock());
        }));
    }

    fn stop(&mut self) {
        let mut progress = self.asked.progress.lock();
        progress.stopped = true;
        if let Some(running) = &progress.running {
            running.stop();
        }
        self.asked.changed.notify_all();
    }

    fn ponderhit(&mut self) {
        self.asked.progress.lock().held = false;
        self.asked.changed.notify_all();
    }

    fn nodes(&self) -> u64 {
        self.asked.progress.lock().running.as_ref().map_or(0, |running| running.done().nodes)
    }

    fn new_game(&mut self) {
        self.finish();
        self.table.clear();
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        // 0 lets the brain choose, and no number of simulated threads is better than another.
        self.setup.threads = threads.max(1);
        Ok(())
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
            OptionSpec::spin(TEAM, self.setup.team as i64, 1, 1024),
            OptionSpec::spin(SEED, 0, 0, i64::from(u32::MAX)),
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
            (TEAM, &Value::Spin(team)) => self.setup.team = usize::try_from(team).unwrap_or(1),
            // Without jitter every node costs the same.
            (SEED, &Value::Spin(seed)) => self.setup.seed = u64::try_from(seed).ok().filter(|&seed| seed > 0),
            _ => {
                let taken = self.evaluation.set(name, value);
                taken.unwrap_or_else(|| Err(format!("no option {name}")))?;
                self.new_game();
                self.setup.network = self.evaluation.network();
            }
        }
        Ok(())
    }

    fn book(&self, _position: &Position) -> Vec<(Move, u32)> {
        Vec::new()
    }

    fn pin(&mut self, position: &Position, score: Score, depth: u32) {
        self.table.store(position.key(), super::pinned(score, depth));
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
