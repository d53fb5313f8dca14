//! Does the virtual clock hold where splitting hurts most?
//! `cargo run --release -p smp --features studies --example rates -- LINE [REPEATS [COSTS]]`
//!
//! Two real threads that split from depth 1, 2, 3 and 4 search the same positions as two simulated ones, and the table
//! shows the node rate of a busy thread in units of one thread alone. LINE is the clock's cost of a cache line, in
//! nanoseconds: as fitted, about a third of what a node and its probe take on that machine (docs/virtual-clock.md).
//! `firstborn topology --lines` measures the bare transfer, less than half of that. COSTS are further costs of the
//! machine, as `scaling --costs` takes them: `call=2000,wake=5000` (the example `costs` measures both). Run it on an
//! idle machine with at least two cores.

use chess::{Game, Position};
use engine::tt::Table;
use engine::worker::Task;
use smp::pool::Pool;
use smp::pool::accounts::Accounts;
use smp::schemes::Scheme;
use smp::schemes::rules::{RuleSet, Rules};
use smp::simulation::costs::Costs;
use smp::simulation::{Setup, simulate_by};
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use thinking::report::{Limits, Silent};

/// A middle game, an attack, an ending, an opening.
const POSITIONS: [&str; 4] = [
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",
    "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1",
    "2rr4/p4kbp/1p2p1p1/4Pp2/5P2/P2BB1P1/1PP3KP/3R4 w - - 2 26",
    "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
];
/// Nodes of a search of one thread, about: the depth is the first that takes so many.
const NODES: u64 = 300_000;
const SCHEMES: [Scheme; 3] = [Scheme::Ybw, Scheme::PvSplit, Scheme::Abdada];
const HASH_MIB: usize = 64;
/// The share of a node's cost that is its probe's, as in the default costs.
const PROBE: f64 = 100.0 / 340.0;

/// Everything is shared out from this depth on.
struct SplitFrom<const DEPTH: i32>;

impl<const DEPTH: i32> RuleSet for SplitFrom<DEPTH> {
    const RULES: Rules = Rules {
        ybw_depth: DEPTH,
        large_team_depth: DEPTH,
        advance_depth: DEPTH + 1,
        pvsplit_depth: DEPTH,
        marks_depth: DEPTH,
        ..Rules::USUAL
    };
    type Others = Self;
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let line: u64 = args.next().ok_or("say what a cache line takes, in nanoseconds")?.parse()?;
    let repeats: usize = args.next().map_or(Ok(3), |text| text.parse())?;
    let costs = Costs { line, ..args.next().map_or(Ok(Costs::default()), |text| text.parse())? };
    let mut bench = Bench { pool: Pool::new(2, HASH_MIB)?, costs, repeats };
    let mut out = io::stdout().lock();
    writeln!(out, "scheme    from depth   real   virtual   difference   ns a node   joins a thousand nodes")?;
    for scheme in SCHEMES {
        bench.compare::<SplitFrom<1>>(scheme, 1, &mut out)?;
        bench.compare::<SplitFrom<2>>(scheme, 2, &mut out)?;
        bench.compare::<SplitFrom<3>>(scheme, 3, &mut out)?;
        bench.compare::<SplitFrom<4>>(scheme, 4, &mut out)?;
    }
    Ok(())
}

struct Bench {
    pool: Pool,
    costs: Costs,
    repeats: usize,
}

impl Bench {
    /// Geometric means over positions and repeats; one thread is measured right before two.
    fn compare<R: RuleSet>(
        &mut self,
        scheme: Scheme,
        depth: i32,
        out: &mut impl Write,
    ) -> Result<(), Box<dyn Error>> {
        let (mut real, mut simulated, mut node, mut joins) = (0.0, 0.0, 0.0, (0, 0));
        let count = (POSITIONS.len() * self.repeats) as f64;
        for fen in POSITIONS {
            let task = Task::from(&Game::new(Position::from_fen(fen)?));
            let limits = Limits { depth: Some(self.depth(&task)), ..Limits::default() };
            for repeat in 0..self.repeats {
                let alone = self.search::<R>(Scheme::Serial, &task, &limits);
                let both = self.search::<R>(scheme, &task, &limits);
                let a_node = 1e9 / alone.busy_rate();
                let costs = self.costs(a_node);
                let alone_virtual = simulated_search::<R>(Scheme::Serial, 1, costs, repeat, &task, &limits)?;
                let both_virtual = simulated_search::<R>(scheme, 2, costs, repeat, &task, &limits)?;
                real += (both.busy_rate() / alone.busy_rate()).ln() / count;
                simulated += (both_virtual.busy_rate() / alone_virtual.busy_rate()).ln() / count;
                node += a_node.ln() / count;
                joins = (joins.0 + both.tally.joins, joins.1 + both.total_nodes());
            }
        }
        let (real, simulated) = (real.exp(), simulated.exp());
        writeln!(
            out,
            "{:8}  {depth:10}   {real:.3}   {simulated:.3}   {:+.3}   {:.0}   {:.2}",
            scheme.name(),
            simulated - real,
            node.exp(),
            1e3 * joins.0 as f64 / joins.1 as f64,
        )?;
        out.flush()?;
        Ok(())
    }

    /// The first depth that takes one thread [`NODES`].
    fn depth(&mut self, task: &Task) -> u32 {
        let enough = |pool: &mut Pool, depth| {
            pool.scheme = Scheme::Serial;
            pool.new_game();
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            pool.go(task.clone(), limits, 1, Arc::new(Silent));
            pool.wait();
            pool.nodes() >= NODES
        };
        (8..60).find(|&depth| enough(&mut self.pool, depth)).unwrap_or(60)
    }

    fn search<R: RuleSet>(&mut self, scheme: Scheme, task: &Task, limits: &Limits) -> Accounts {
        self.pool.scheme = scheme;
        self.pool.new_game();
        self.pool.go_by::<R>(task.clone(), limits.clone(), 1, Arc::new(Silent));
        self.pool.wait();
        self.pool.accounts().unwrap_or_default()
    }

    /// The costs of this machine, whose node has just taken so long.
    fn costs(&self, node: f64) -> Costs {
        let probe = (node * PROBE) as u64;
        Costs { node: (node as u64).saturating_sub(probe).max(1), probe, ..self.costs }
    }
}

fn simulated_search<R: RuleSet>(
    scheme: Scheme,
    threads: usize,
    costs: Costs,
    repeat: usize,
    task: &Task,
    limits: &Limits,
) -> Result<Accounts, Box<dyn Error>> {
    let setup = Setup { costs, seed: Some(repeat as u64 + 1), ..Setup::new(scheme, threads) };
    let table = Arc::new(Table::new(HASH_MIB)?);
    Ok(simulate_by::<R>(&setup, table, task.clone(), limits.clone())?.accounts)
}
