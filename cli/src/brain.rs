//! The pool as a protocol session sees it.

use chess::Position;
use engine::eval;
use engine::report::Observer;
use engine::worker;
use protocol::brain::{Brain, Chore, DEFAULT_HASH_MIB, DEFAULT_THREADS, Task};
use protocol::option::{OptionSpec, Value};
use smp::pool::{Pool, PoolError};
use smp::scheme::Scheme;
use std::sync::Arc;

/// The engine behind a session.
pub struct PoolBrain {
    pool: Pool,
    hash: usize,
}

impl PoolBrain {
    /// The engine as a session expects to find it.
    pub fn new() -> Result<Self, PoolError> {
        Ok(PoolBrain { pool: Pool::new(DEFAULT_THREADS, DEFAULT_HASH_MIB)?, hash: DEFAULT_HASH_MIB })
    }
}

const SCHEME: &str = "Scheme";

impl Brain for PoolBrain {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        self.pool.go(worker::Task::from(&task.game), task.limits, task.multipv, observer);
    }

    fn stop(&mut self) {
        self.pool.stop();
    }

    fn ponderhit(&mut self) {
        self.pool.ponderhit();
    }

    fn nodes(&self) -> u64 {
        self.pool.nodes()
    }

    fn new_game(&mut self) {
        self.pool.new_game();
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        let threads = match threads {
            0 => sys::topology::Topology::detect().recommended_threads().threads,
            some => some,
        };
        self.pool.set_threads(threads).map_err(|error| error.to_string())
    }

    fn set_hash(&mut self, mib: usize) -> Result<(), String> {
        if mib != self.hash {
            self.pool.set_hash(mib).map_err(|error| error.to_string())?;
            self.hash = mib;
        }
        Ok(())
    }

    fn clear_hash(&mut self) {
        self.pool.clear_table();
    }

    fn options(&self) -> Vec<OptionSpec> {
        let mut names = vec![Scheme::default().name()];
        names.extend(
            Scheme::ALL.map(Scheme::name).into_iter().filter(|&name| name != Scheme::default().name()),
        );
        vec![OptionSpec::combo(SCHEME, &names)]
    }

    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match value {
            Value::Text(text) if name.eq_ignore_ascii_case(SCHEME) => {
                self.pool.scheme =
                    text.parse().map_err(|error: smp::scheme::UnknownScheme| error.to_string())?;
                Ok(())
            }
            _ => Err(format!("no option {name}")),
        }
    }

    fn evaluate(&self, position: &Position) -> String {
        evaluation(position)
    }

    fn bench(&self) -> Chore {
        Box::new(|line| match bench::signature::run(bench::signature::DEPTH, |_, _| {}) {
            Ok(signature) => line(format!("{} nodes {} nps", signature.nodes, signature.nps())),
            Err(error) => line(error.to_string()),
        })
    }
}

/// The static evaluation in a table: each term for both sides, in pawns, middle game and end game.
pub fn evaluation(position: &Position) -> String {
    let pawns = |centipawns: i32| f64::from(centipawns) / 100.0;
    let mut lines = vec!["Static evaluation, in pawns (middle game, end game):".to_string()];
    lines.push("term           White           Black      difference".to_string());
    for (name, [white, black]) in eval::explain(position) {
        let difference = white - black;
        lines.push(format!(
            "{name:<8} {:>6.2} {:>6.2}   {:>6.2} {:>6.2}   {:>+6.2} {:>+6.2}",
            pawns(white.middle()),
            pawns(white.end()),
            pawns(black.middle()),
            pawns(black.end()),
            pawns(difference.middle()),
            pawns(difference.end())
        ));
    }
    lines.push(format!(
        "Together {:+.2} for the side to move; game phase {} of {} (0 is the end game).",
        pawns(eval::evaluate(position)),
        eval::phase(position),
        eval::FULL_PHASE
    ));
    lines.join("\n")
}
