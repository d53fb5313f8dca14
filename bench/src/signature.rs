//! The signatures: how many nodes the search needs for a fixed set of positions at a fixed depth.
//!
//! The serial one: one thread, a small fresh table, no clock. The count is the same on every machine and in
//! every build with the same network, so a change of it is a change of the search, and its absence proves that a change
//! was none.
//!
//! The parallel one is the same for what threads do together: every scheme with several numbers of threads,
//! by the virtual clock, which has them meet in the same order every time ([`smp::simulation`]). Whatever a
//! scheme does otherwise than before moves it, and so does every change of the serial search, of what things
//! cost ([`Costs`](smp::simulation::costs::Costs)) and of its seed.

use crate::BRATKO_KOPEC;
use chess::{Game, Position, epd::Epd};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use rayon::prelude::*;
use smp::pool::PoolError;
use smp::pool::accounts::Accounts;
use smp::schemes::Scheme;
use smp::simulation::{Setup, simulate};
use std::sync::Arc;
use std::time::{Duration, Instant};
use sys::slice::AllocError;
use thinking::report::Limits;

/// Depth in plies to which every position is searched.
pub const DEPTH: u32 = 11;
/// Table size in mebibytes.
pub const HASH: usize = 16;

/// Positions of our own that the Bratko-Kopec set lacks: end games, blocked and lopsided positions, mates, stalemate
/// traps, and Chess960 castling.
const OWN: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1",
    "8/5pk1/6p1/7p/R6P/5PP1/1r4K1/8 w - - 4 42",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "8/2k5/8/1pPp4/pP1P1p2/P4P2/5K2/8 w - - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
    "3q1rk1/1b3ppp/p3pn2/1p6/3N4/1BPQ4/PP3PPP/3R1RK1 w - - 0 19",
    "1r1k1r2/8/8/8/8/8/8/1R1K1R2 w BFbf - 0 1",
];

/// Depth in plies of the searches of the parallel signature: deep enough for the schemes to split.
pub const PARALLEL_DEPTH: u32 = 9;
/// Numbers of threads they are made with.
pub const PARALLEL_THREADS: [usize; 3] = [2, 4, 8];
/// They search every so many-th position of the serial signature.
const PARALLEL_EVERY: usize = 4;

/// What the benchmark measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Nodes over all positions: the signature.
    pub nodes: u64,
    /// Time they took.
    pub time: Duration,
}

impl Signature {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (u128::from(self.nodes) * 1_000_000_000 / self.time.as_nanos().max(1)) as u64
    }
}

/// The positions of the benchmark.
pub fn positions() -> impl Iterator<Item = Position> {
    let kopec = BRATKO_KOPEC
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.parse::<Epd>().expect("the embedded positions are legal").position);
    kopec.chain(OWN.iter().map(|fen| Position::from_fen(fen).expect("the embedded positions are legal")))
}

/// Searches every position to `depth` on the calling thread, the table kept from one to the next. `each` hears the
/// position and its nodes.
///
/// # Errors
/// When there is no memory for the table.
pub fn run(depth: u32, each: impl FnMut(&Position, u64)) -> Result<Signature, AllocError> {
    run_with(&|_| {}, depth, each)
}

/// The same, each search arranged by `prepare` before it begins: with another network, for instance.
///
/// # Errors
/// When there is no memory for the table.
pub fn run_with(
    prepare: &dyn Fn(&mut Shared),
    depth: u32,
    mut each: impl FnMut(&Position, u64),
) -> Result<Signature, AllocError> {
    let table = Arc::new(Table::new(HASH)?);
    table.clear();
    let mut memory = Memory::default();
    let started = Instant::now();
    let mut nodes = 0;
    for position in positions() {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut shared = Shared::new(Arc::clone(&table), limits, 1, 1);
        prepare(&mut shared);
        let task = Task::from(&Game::new(position.clone()));
        search_alone(&shared, &mut memory, &task, None);
        nodes += shared.nodes();
        each(&position, shared.nodes());
    }
    Ok(Signature { nodes, time: started.elapsed() })
}

/// The positions of the parallel signature.
pub fn parallel_positions() -> impl Iterator<Item = Position> {
    positions().step_by(PARALLEL_EVERY)
}

/// Every scheme that uses more than one thread, with every number of them.
pub fn parallel_teams() -> impl Iterator<Item = (Scheme, usize)> {
    let schemes = Scheme::ALL.into_iter().filter(|&scheme| scheme != Scheme::Serial);
    schemes.flat_map(|scheme| PARALLEL_THREADS.map(|threads| (scheme, threads)))
}

/// Nodes of the simulated searches of the parallel signature, by team; it is their sum. Searches side by side
/// on all cores.
///
/// # Errors
/// When there is no memory for the tables.
pub fn run_parallel() -> Result<Vec<u64>, PoolError> {
    let teams: Vec<(Scheme, usize)> = parallel_teams().collect();
    let positions: Vec<Position> = parallel_positions().collect();
    let nodes = |&team: &(Scheme, usize)| {
        let searches = positions.par_iter().enumerate().map(|(number, position)| {
            simulated(team, number, position, PARALLEL_DEPTH).map(|accounts| accounts.total_nodes())
        });
        searches.sum()
    };
    teams.par_iter().map(nodes).collect()
}

/// What one search costs that is simulated as those of the parallel signature are: of a position and its number among
/// theirs, by so many threads of a scheme, to this depth.
///
/// # Errors
/// When there is no memory for the table.
pub fn simulated(
    (scheme, threads): (Scheme, usize),
    number: usize,
    position: &Position,
    depth: u32,
) -> Result<Accounts, PoolError> {
    let setup = Setup { hash_mib: 1, seed: Some(number as u64), ..Setup::new(scheme, threads) };
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let task = Task::from(&Game::new(position.clone()));
    Ok(simulate(&setup, task, limits)?.accounts)
}
