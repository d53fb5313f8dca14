//! Models: the real split points, jobs and pool, run under thousands of schedules.
//!
//! The code is the production code; only its locks, condition variables, atomics, channels and threads are shuttle's
//! ([`crate::sync`]). Whatever schedule is tried, each model must end (shuttle sees every deadlock, so a wake-up that
//! is lost and missed shows), and end with the right value, one verdict, and nothing left behind. The searches are
//! tiny and exact, so that a schedule takes about a millisecond.
//!
//! A model that cannot fail shows nothing. So each has controls: the same model with one thing done wrongly on purpose
//! (a wait that releases its lock too early, a notice that is lost, a place taken unasked or left in silence), in which
//! it must find the fault.
//!
//! * `splitting::models`: the registry and its split points.
//! * `job::models`: the end of a search.
//! * `pool::models`: whole searches by all schemes, which share work wherever a move is left, started, stopped, resized
//!   and dropped; and two threads that finish an iteration at once.
//!
//! What they count is summed up over all schedules: a model whose threads do not work together shows nothing either.
//!
//! `cargo test -p smp --features shuttle --lib models` is the short version of CI; with `FIRSTBORN_SCHEDULES=N` in the
//! environment every model takes N schedules of each kind.

use crate::pool::STACK;
use crate::sync;
use chess::{Game, Position};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::{Table, table_key};
use engine::worker::{Memory, Task};
use shuttle::rand::Rng;
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};
use std::sync::{Arc, Mutex};
use thinking::report::{Limits, Observer, Verdict};
use thinking::score::Score;

/// Where the seeds of the schedules begin: the same schedules in every run.
const SEED: u64 = 1989;
/// Changes of priority in a schedule of the second kind: faults that need more are rare (Burckhardt et al.).
const CHANGES: usize = 3;

fn run(scheduler: impl Scheduler + 'static, model: impl Fn() + Send + Sync + 'static) -> usize {
    let mut config = Config::new();
    config.stack_size = STACK;
    // shuttle takes every atomic for sequentially consistent and says so each time. Ours are flags and hints, or
    // guarded by a lock. What is more is modelled with loom: words that must be sequentially consistent, so that no
    // wake-up is lost (`splitting::announced`), and slot, counters, lessons and the end of a search (engine).
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(model)
}

/// Runs a model under random schedules, and under schedules of few preemptions in unlikely places.
pub(crate) fn explore(usual: usize, model: impl Fn() + Send + Sync + 'static) {
    let schedules = std::env::var("FIRSTBORN_SCHEDULES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let model = Arc::new(model);
    let again = Arc::clone(&model);
    run(RandomScheduler::new_from_seed(SEED, schedules), move || model());
    run(PctScheduler::new_from_seed(SEED, CHANGES, schedules), move || again());
}

/// Runs a small model under every schedule there is.
pub(crate) fn exhaust(model: impl Fn() + Send + Sync + 'static) {
    const MOST: usize = 500_000;
    let schedules = run(DfsScheduler::new(Some(MOST), false), model);
    assert!(schedules < MOST, "more schedules than can be tried");
}

/// Lets some time pass: none, or as much as a small search takes.
pub(crate) fn linger() {
    for _ in 0..shuttle::rand::thread_rng().gen_range(0..300) {
        sync::step();
    }
}

/// True once in `n` times.
pub(crate) fn one_in(n: u32) -> bool {
    shuttle::rand::thread_rng().gen_range(0..n) == 0
}

/// A position with few moves, how deep it is searched, and its value by a search of one thread alone.
#[derive(Clone)]
pub(crate) struct Problem {
    pub(crate) task: Task,
    pub(crate) depth: u32,
    pub(crate) value: Score,
    /// The positions after each move that can be searched a ply less deep, with their values found in the same way.
    pub(crate) replies: Vec<(u64, Score)>,
    /// A table for one search at a time, with room for all of it; to make one takes longer than a search.
    pub(crate) table: Arc<Table>,
}

impl Problem {
    pub(crate) fn new(fen: &str, depth: u32) -> Self {
        let position = Position::from_fen(fen).expect("legal");
        let task = Task::from(&Game::new(position.clone()));
        let table = Arc::new(Table::new(1).expect("a MiB of memory"));
        let value = value_alone(&table, &task, depth).expect("there are moves");
        let after = |&mv: &_| {
            let mut position = position.clone();
            position.play(mv);
            let task = Task::from(&Game::new(position.clone()));
            Some((table_key(&position), value_alone(&table, &task, depth - 1)?))
        };
        let replies = position.legal_moves().iter().filter_map(after).collect();
        Problem { task, depth, value, replies, table }
    }

    /// The limits under which every scheme finds the value.
    pub(crate) fn limits(&self) -> Limits {
        exact(self.depth)
    }
}

/// What one thread alone finds with a table that it clears first; nothing where no move is legal.
fn value_alone(table: &Arc<Table>, task: &Task, depth: u32) -> Option<Score> {
    table.clear();
    let shared = Shared::new(Arc::clone(table), exact(depth), 1, 1);
    let mut memory = Memory::default();
    Some(search_alone(&shared, &mut memory, task, None).root.best()?.score)
}

fn exact(depth: u32) -> Limits {
    Limits { depth: Some(depth), exact: true, ..Limits::default() }
}

/// The smallest table there is.
pub(crate) fn small_table() -> Arc<Table> {
    Arc::new(Table::new(0).expect("one line of memory"))
}

/// Keeps the verdicts. Its lock is no part of the model.
#[derive(Default)]
pub(crate) struct Recorder(Mutex<Vec<Verdict>>);

impl Observer for Recorder {
    fn verdict(&self, verdict: &Verdict) {
        sync::step();
        self.0.lock().expect("nobody panics here").push(verdict.clone());
    }
}

impl Recorder {
    pub(crate) fn verdicts(&self) -> usize {
        self.0.lock().expect("nobody panics here").len()
    }

    /// The one verdict there must be by now.
    pub(crate) fn verdict(&self) -> Verdict {
        let verdicts = self.0.lock().expect("nobody panics here");
        assert_eq!(verdicts.len(), 1, "one verdict for each search");
        verdicts[0].clone()
    }
}
