//! A clock without a search, for tests: times and nodes follow laws whose parameters are known.

use super::clock::{Clock, ClockError};
use super::fits::Amdahl;
use super::plan::{ClockKind, Cluster, Goal, Plan, Run};
use super::result::{Setting, Study};
use super::sample::{Iteration, Outcome, Sample};
use super::study::one_by_one;
use chess::Position;
use smp::pool::accounts::{Accounts, Tally};
use smp::schemes::Scheme;
use smp::simulation::coherence::Traffic;
use std::time::Duration;
use thinking::report::Limits;

/// One thread searches a thousand nodes in a millisecond, a position of depth d for 2^d milliseconds. A team is as much
/// faster as Amdahl's law says, has 2 % more nodes, and its idle time is what the identity leaves when a busy thread
/// is as fast as one alone.
#[derive(Clone, Debug)]
pub struct Fake {
    /// The serial fraction.
    pub law: Amdahl,
    /// Searches before it stops; `None` never does.
    pub left: Option<usize>,
}

/// The fake teams' search overhead.
pub const OVERHEAD: f64 = 0.02;

impl Clock for Fake {
    fn search(&mut self, run: &Run, _: &Position, limits: Limits) -> Result<Option<Outcome>, ClockError> {
        if let Some(left) = &mut self.left {
            let Some(less) = left.checked_sub(1) else { return Ok(None) };
            *left = less;
        }
        let threads = run.team.threads;
        let depth = limits.depth.unwrap_or(10);
        let speedup = self.law.speedup(threads as f64);
        let work = if threads > 1 { 1.0 + OVERHEAD } else { 1.0 };
        let at = |depth: u32| {
            let alone = 2f64.powi(depth as i32) / 1e3;
            (Duration::from_secs_f64(alone / speedup), (alone * 1e6 * work) as u64)
        };
        let (time, nodes) = at(depth);
        let load = speedup * work / threads as f64;
        let idle = time.mul_f64(1.0 - load);
        let mut each = vec![nodes / threads as u64; threads];
        each[0] += nodes % threads as u64;
        let iterations = (1..=depth).map(|depth| {
            let (time, nodes) = at(depth);
            Iteration { depth, time_ns: time.as_nanos() as u64, nodes }
        });
        let tally = Tally { splits: threads as u64 - 1, ..Tally::default() };
        let traffic = Some(Traffic { lines: [2 * nodes, 0, 0, 0, 0, 0], ..Traffic::default() });
        let accounts = Accounts { time, nodes: each, idle: vec![idle; threads], tally, traffic };
        let (score, best) = ("cp 1".to_owned(), "e2e4".to_owned());
        let ranks = Vec::new();
        Ok(Some(Outcome { accounts, ranks, iterations: iterations.collect(), depth, score, best }))
    }
}

/// Bratko-Kopec to depths 8 to 10, `ybw` with 2, 4 and 8 threads, twice.
pub fn plan(goal: Goal) -> Plan {
    let mut positions = super::positions::read("bratko-kopec").expect("the set is part of the program");
    for (place, entry) in positions.iter_mut().enumerate() {
        entry.depth = Some(8 + place as u32 % 3);
    }
    Plan {
        clock: ClockKind::Virtual,
        schemes: vec![Scheme::Ybw],
        threads: vec![2, 4, 8],
        machines: vec![1],
        cluster: Cluster::default(),
        evaluation: None,
        positions,
        goal,
        repeats: 2,
        hash: 1,
        seed: 1,
        load: false,
    }
}

/// The fake engine's study of [`plan`].
pub fn study(fake: &mut Fake) -> Study {
    let plan = plan(Goal::Depth);
    let samples = one_by_one(&plan, fake, &mut ()).expect("a fake needs no memory");
    study_of(&plan, samples)
}

/// A study of which there are these samples.
pub fn study_of(plan: &Plan, samples: Vec<Sample>) -> Study {
    let setting = Setting {
        version: "0".into(),
        signature: Some(1),
        machine: "none".into(),
        provenance: None,
        cpus: 2,
        cores: None,
        fastest_cores: None,
        command: "firstborn scaling <none>".into(),
        clock: plan.clock,
        goal: plan.goal,
        hash: plan.hash,
        seed: plan.seed,
        load: plan.load,
        costs: None,
        cluster: None,
    };
    Study::new(plan, setting, samples)
}
