//! The speed of a machine in one number that can be compared: the time to fixed depths, against a reference.
//!
//! 23 positions of Bratko and Kopec are searched to the depth that takes one thread about 700,000 nodes, by one thread
//! and by all, in turns, several times over. The reference is a thread that searches a million nodes a second: a
//! machine that needs its time at every position scores 1000, one that is twice as fast 2000. The reference's
//! nodes are fixed (`acn` in bench/data/speedtest.epd), so a version that needs fewer nodes to a depth scores more.
//!
//! Nodes a second alone would not do: threads that search the same nodes twice have many.

use crate::scaling::plan::{ALONE, ClockKind, Cluster, Goal, Plan, Team};
use crate::scaling::positions::Entry;
use crate::scaling::rows;
use crate::scaling::sample::Sample;
use crate::scaling::stats;
use chess::epd;
use nnue::Network;
use serde::Serialize;

/// Rounds through all positions.
pub const ROUNDS: usize = 3;
/// Nodes a second of the reference.
const REFERENCE: f64 = 1e6;
/// The score of the reference.
const UNIT: f64 = 1000.0;

const POSITIONS: &str = include_str!("../data/speedtest.epd");

/// A position of the test, and what it takes the reference.
#[derive(Clone, Debug)]
struct Problem {
    entry: Entry,
    seconds: f64,
}

fn problems() -> Vec<Problem> {
    let lines = epd::read(POSITIONS).map(|read| {
        let (_, epd) = read.expect("the embedded positions are EPD");
        let operand = |opcode: &str| {
            let (_, text) = epd.ops.iter().find(|(known, _)| known == opcode)?;
            text.parse::<u32>().ok()
        };
        let depth = operand("acd").expect("every embedded position has a depth");
        let nodes = operand("acn").expect("every embedded position has its nodes");
        let id = epd.id.expect("every embedded position has a name");
        let entry = Entry { id, position: epd.position, depth: Some(depth) };
        Problem { entry, seconds: f64::from(nodes) / REFERENCE }
    });
    lines.collect()
}

/// What is searched: every position, or only the first `limit`, by one thread and by a team.
pub fn plan(team: Team, hash: usize, limit: usize) -> Plan {
    Plan {
        clock: ClockKind::Real,
        schemes: vec![team.scheme],
        threads: vec![team.threads],
        machines: vec![1],
        cluster: Cluster::default(),
        evaluation: Some(Network::embedded()),
        positions: problems().into_iter().map(|problem| problem.entry).take(limit).collect(),
        goal: Goal::Depth,
        repeats: ROUNDS,
        hash,
        seed: 1,
        load: true,
    }
}

/// How fast a machine is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// Threads of the team.
    pub threads: usize,
    /// Its scheme.
    pub scheme: String,
    /// The score of the team: 1000 times the geometric mean of the reference's time over the team's.
    pub score: f64,
    /// Half the 95 % interval of the mean score of very many tests of the same machine; two tests may differ by 1.4
    /// times as much. `None` if a single round was finished.
    pub score_error: Option<f64>,
    /// Nodes a second of one thread.
    pub one_nps: f64,
    /// Nodes a second of the team.
    pub team_nps: f64,
    /// Time of one thread over that of the team, geometric mean.
    pub speedup: f64,
    /// Half its 95 % interval.
    pub speedup_error: Option<f64>,
    /// Positions that count.
    pub positions: usize,
    /// Did every search come to its end?
    pub complete: bool,
}

impl Speed {
    /// From the samples of a plan of [`plan`]. `None` if neither team has finished a position.
    pub fn of(plan: &Plan, samples: &[Sample]) -> Option<Self> {
        let team = *plan.teams().last()?;
        let of = |team: Team| samples.iter().filter(move |sample| sample.team() == team);
        let problems = problems();
        let logs: Vec<Vec<f64>> = problems
            .iter()
            .map(|Problem { entry, seconds }| {
                let same = of(team).filter(|sample| sample.position == entry.id);
                same.map(|sample| (seconds / seconds_of(sample)).ln()).collect()
            })
            .filter(|repeats: &Vec<f64>| !repeats.is_empty())
            .collect();
        let alone = of(ALONE).next().is_some();
        let rows = rows::rows(samples, plan.clock, plan.goal, plan.seed);
        let row = rows.iter().find(|row| row.team() == team)?;
        let score = UNIT * stats::mean(&logs).exp();
        let nps = |team: Team| {
            let nodes: u64 = of(team).map(Sample::total_nodes).sum();
            nodes as f64 / of(team).map(seconds_of).sum::<f64>()
        };
        (alone && !logs.is_empty()).then(|| Speed {
            threads: team.threads,
            scheme: team.scheme.name().to_owned(),
            score,
            score_error: error(&logs).map(|error| score * error.sinh()),
            one_nps: nps(ALONE),
            team_nps: nps(team),
            speedup: row.speedup,
            speedup_error: row.speedup_error,
            positions: logs.len(),
            complete: samples.len() == plan.order().len(),
        })
    }
}

/// A search has taken a nanosecond, whatever a clock too coarse for it says.
fn seconds_of(sample: &Sample) -> f64 {
    sample.time_ns.max(1) as f64 / 1e9
}

/// Half the 95 % interval of the mean of logarithms, by position and round, over very many rounds: the larger one of
/// two. One takes each search for itself. The other takes only the means of rounds, which also differ where the whole
/// machine is slower for a while.
fn error(logs: &[Vec<f64>]) -> Option<f64> {
    let searches = stats::error_of_same_set(logs)?;
    let whole = logs.iter().map(Vec::len).min().unwrap_or(0);
    let rounds: Vec<f64> =
        (0..whole).map(|round| logs.iter().map(|log| log[round]).sum::<f64>() / logs.len() as f64).collect();
    Some(searches.max(stats::error_of_same_set(&[rounds])?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smp::schemes::Scheme;

    fn sample(plan: &Plan, team: Team, position: usize, repeat: usize, seconds: f64) -> Sample {
        let run = crate::scaling::plan::Run { repeat, position, team };
        let outcome = crate::scaling::sample::Outcome::default();
        let mut sample = Sample::new(plan, &run, outcome);
        sample.time_ns = (seconds * 1e9) as u64;
        sample.nodes = vec![(seconds * 2e6) as u64 / team.threads as u64; team.threads];
        sample.idle_ns = vec![0; team.threads];
        sample
    }

    /// A thread at two million nodes a second scores 2000, and four threads that are three times as fast 6000.
    #[test]
    fn the_score_is_the_speed_in_thousandths_of_the_reference() {
        let team = Team::new(Scheme::Hybrid, 4);
        let plan = plan(team, 1, 5);
        let mut samples = Vec::new();
        for (position, problem) in problems().iter().take(5).enumerate() {
            for repeat in 0..ROUNDS {
                samples.push(sample(&plan, ALONE, position, repeat, problem.seconds / 2.0));
                samples.push(sample(&plan, team, position, repeat, problem.seconds / 6.0));
            }
        }
        let speed = Speed::of(&plan, &samples).expect("all has been searched");
        assert!((speed.score - 6000.0).abs() < 0.1 && (speed.speedup - 3.0).abs() < 1e-4, "{speed:?}");
        assert!((speed.one_nps / 2e6 - 1.0).abs() < 1e-3 && speed.complete && speed.positions == 5);
        assert!(speed.score_error.is_some_and(|error| error < 1.0));
        samples.truncate(4);
        let speed = Speed::of(&plan, &samples).expect("the first position has been searched");
        assert!(!speed.complete && speed.positions == 1);
        assert_eq!(Speed::of(&plan, &[]), None);
    }

    /// Rounds that are 10 % apart as a whole are no better known than that, however alike their searches are.
    #[test]
    fn a_slow_round_widens_the_interval() {
        let steady = vec![vec![0.0, 0.01, -0.01]; 20];
        let drifting: Vec<Vec<f64>> = (0..20).map(|_| vec![0.0, 0.1, -0.1]).collect();
        let [steady, drifting] = [steady, drifting].map(|logs| error(&logs).expect("three rounds"));
        // By hand: s = 0.1, t(2) = 4.303, over the root of 3.
        assert!((drifting - 4.303 * 0.1 / 3f64.sqrt()).abs() < 1e-3, "{drifting}");
        assert!((steady - 0.1 * drifting).abs() < 1e-3, "{steady}");
        assert_eq!(error(&[vec![0.5], vec![0.1]]), None);
    }

    #[test]
    fn the_positions_are_those_of_the_set_by_their_names() {
        let set = crate::scaling::positions::read("bratko-kopec").expect("the set is there");
        let problems = problems();
        assert_eq!(problems.len(), 23);
        for problem in problems {
            let known = set.iter().find(|entry| entry.id == problem.entry.id).expect("it is in the set");
            assert_eq!(known.position.key(), problem.entry.position.key(), "{}", known.id);
            assert!((0.4..1.0).contains(&problem.seconds), "{}: {} s", known.id, problem.seconds);
        }
    }
}
