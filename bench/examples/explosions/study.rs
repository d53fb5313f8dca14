//! Searches a position and notes what it cost, iteration by iteration.
//!
//! Time is the processor time of this process, which has one thread: what stops the process for a while, or shares
//! its core, changes nothing. The search itself goes by that clock, through the simulated stopwatch.

use chess::{Game, Move, Position};
use engine::iterate::iterate;
use engine::node::{Node, NodeKind, Pv, Window};
use engine::parallel::{Alone, ParallelScheme, SearchEvent, Tick};
use engine::quiesce::quiesce;
use engine::shared::{Shared, Stopwatch};
use engine::tt::Table;
use engine::worker::{Memory, Task, Worker};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess};
use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use thinking::report::{Info, Limits, Observer};
use thinking::score::Reported;

/// Nodes between two looks at the clock.
const LOOK: u32 = 256;
/// Most nodes of one quiescence search before it is given up.
const QUIESCENCE_LIMIT: u64 = 1_000_000;

/// What became of one position.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    pub id: String,
    pub fen: String,
    /// Last finished iteration.
    pub depth: u32,
    /// Longest line of the principal variations, and of all lines of the main search, in plies.
    pub seldepth: u32,
    pub longest: usize,
    pub nodes: u64,
    pub score: String,
    /// The move found; whether shakmaty takes it for a legal one.
    pub best: Option<String>,
    pub legal: bool,
    /// Processor time, and time by the wall.
    pub cpu_ms: f64,
    pub wall_ms: f64,
    /// Depth, nodes so far, and milliseconds so far at the end of each iteration.
    pub iterations: Vec<(u32, u64, f64)>,
    /// Nodes of the largest quiescence search among the position and its successors, each with an open window.
    pub quiescence: u64,
    pub panicked: bool,
}

/// How every position is searched.
pub struct Study {
    pub depth: u32,
    pub time: Duration,
    table: Arc<Table>,
    small: Arc<Table>,
}

impl Study {
    pub fn new(depth: u32, time: Duration, hash: usize) -> io::Result<Self> {
        let table = |mib| Table::new(mib).map(Arc::new).map_err(io::Error::other);
        Ok(Study { depth, time, table: table(hash)?, small: table(1)? })
    }

    /// Searches a position with an empty table and empty histories.
    pub fn search(&self, id: &str, position: &Position) -> Record {
        self.table.clear();
        let started = (cpu_time(), Instant::now());
        let searched = catch_unwind(AssertUnwindSafe(|| self.think(position)));
        let (cpu, wall) = (cpu_time() - started.0, started.1.elapsed());
        let panicked = searched.is_err();
        let found = searched.unwrap_or_default();
        let last = found.iterations.last();
        Record {
            id: id.into(),
            fen: position.fen(),
            depth: found.depth,
            seldepth: last.map_or(0, |info| info.seldepth),
            longest: found.longest,
            nodes: found.nodes,
            score: last.map_or_else(String::new, |info| Reported::from(info.score).to_string()),
            legal: found.best.is_some_and(|mv| is_legal(position, mv)),
            best: found.best.map(|mv| position.uci(mv)),
            cpu_ms: milliseconds(cpu),
            wall_ms: milliseconds(wall),
            iterations: found
                .iterations
                .iter()
                .map(|info| (info.depth, info.nodes, milliseconds(info.time)))
                .collect(),
            quiescence: self.largest_quiescence(position),
            panicked,
        }
    }

    fn think(&self, position: &Position) -> Found {
        let limits = Limits { depth: Some(self.depth), movetime: Some(self.time), ..Limits::default() };
        let now = Arc::new(AtomicU64::new(0));
        let stopwatch = Stopwatch::Simulated(Arc::clone(&now));
        let shared = Shared::timed_by(stopwatch, Arc::clone(&self.table), limits, 1, 1);
        let task = Task::from(&Game::new(position.clone()));
        let mut memory = Memory::default();
        let ear = Ear::default();
        let meter = Meter { now, started: cpu_time(), ticks: Cell::new(0), longest: Cell::new(0) };
        let mut worker = Worker::new(&shared, &mut memory, &task, meter, 0, Some(&ear));
        let opinion = iterate(&mut worker, &task, 1);
        Found {
            depth: opinion.depth.max(0) as u32,
            best: opinion.root.best().map(|best| best.mv),
            nodes: shared.nodes(),
            longest: worker.scheme.longest.get(),
            iterations: ear.0.into_inner(),
        }
    }

    fn largest_quiescence(&self, position: &Position) -> u64 {
        let successors = position.legal_moves().into_iter().map(|mv| position.after(mv));
        let nodes = std::iter::once(position.clone()).chain(successors).map(|position| {
            let limits = Limits { nodes: Some(QUIESCENCE_LIMIT), ..Limits::default() };
            let shared = Shared::new(Arc::clone(&self.small), limits, 1, 1);
            self.small.clear();
            let task = Task::from(&Game::new(position.clone()));
            let mut memory = Memory::default();
            let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
            worker.path.push(position.key());
            // What it found does not matter, nor that it was given up: the nodes tell.
            let _ = quiesce::<Pv, _>(&mut worker, &position, Window::FULL, 0);
            shared.nodes()
        });
        nodes.max().unwrap_or(0)
    }
}

/// What one search found.
#[derive(Default)]
struct Found {
    depth: u32,
    best: Option<Move>,
    nodes: u64,
    longest: usize,
    iterations: Vec<Info>,
}

#[derive(Default)]
struct Ear(Mutex<Vec<Info>>);

impl Observer for Ear {
    fn info(&self, info: &Info) {
        self.0.lock().push(info.clone());
    }
}

/// Searches alone, keeps the search's stopwatch and the longest line.
struct Meter {
    now: Arc<AtomicU64>,
    started: Duration,
    ticks: Cell<u32>,
    longest: Cell<usize>,
}

impl ParallelScheme for Meter {
    type Claim = ();

    fn claim<N: NodeKind>(&self, node: &Node<'_, N>, _mv: Move, _deferrable: bool) -> Option<()> {
        self.longest.set(self.longest.get().max(node.ply + 1));
        Some(())
    }

    fn event(&self, event: SearchEvent<'_>) {
        if let SearchEvent::Tick(Tick::Node) = event {
            self.ticks.set(self.ticks.get() + 1);
            if self.ticks.get().is_multiple_of(LOOK) {
                self.now.store((cpu_time() - self.started).as_nanos() as u64, Relaxed);
            }
        }
    }
}

/// Processor time of this process so far.
fn cpu_time() -> Duration {
    sys::process::cpu_time().expect("every Unix tells")
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// shakmaty's word on a move.
fn is_legal(position: &Position, mv: Move) -> bool {
    let fen: Option<Fen> = position.fen().parse().ok();
    let judge: Option<Chess> = fen.and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
    let word: Option<UciMove> = position.uci(mv).parse().ok();
    judge.zip(word).is_some_and(|(judge, word)| word.to_move(&judge).is_ok())
}
