//! From samples to rows: what each team gained over one thread, and why it gained no more.
//!
//! Every search of a team is held against the baseline's search of the same position in the same repeat. With `T` the
//! time, `N` the nodes of all threads, `idle` the time its `P` threads waited for work:
//!
//! * speed-up `S = T_1 / T_P`
//! * search overhead `N_P / N_1 - 1`
//! * load `1 - idle / (P T_P)`, the share of the threads' time that was not spent waiting
//! * node rate ratio `(N_P / T_P) / (N_1 / T_1)`, what programs report as "scaling"
//! * rate `(N_P / (P T_P load)) / (N_1 / T_1)`, the node rate of a thread while it is busy, in units of one
//!   thread alone: what memory, caches, locks and the splitting itself cost
//!
//! so that `S = P x load x rate / (1 + overhead)` (Feldmann, Mysliwietz and Monien, SPAA 1994, divide the loss of
//! efficiency in the same three ways). Each figure of a row is the geometric mean over positions of its own ratios:
//! speed-up from times, overhead from nodes, load from all idle time together, rate from the busy time of
//! each thread by itself. From them the identity is worked out once more. To a fixed depth its residual is
//! nothing, unless a thread's idle time is longer than the search or is missing.
//!
//! Under a limit of time all searches last as long. Speed-up and overhead, their totals too, are then those of the
//! deepest iteration that both searches have finished (a team may skip depths); load and node rates are those of whole
//! searches, and the residual says how far apart the two are.
//!
//! The last depth flatters where it was chosen by what one thread took for it, as a [`pilot`](super::pilot) does: one
//! thread searches the same tree again. So a row has the speed-ups to the depths before the last as well, and the mean
//! of those alone.

use super::plan::{ALONE, ClockKind, Goal, Team};
use super::sample::{Exchanged, Iteration, Sample};
use super::stats::{self, Estimate};
use serde::Serialize;
use smp::pool::accounts::Tally;
use smp::schemes::Scheme;
use smp::simulation::coherence::Traffic;
use std::collections::{BTreeMap, HashMap};

/// One team over all positions. Ratios are to one thread; `_low` and `_high` are the ends of 95 % intervals, NaN where
/// there is one position only.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The scheme.
    #[serde(with = "super::sample::by_name")]
    pub scheme: Scheme,
    /// Its threads, of each machine.
    pub threads: usize,
    /// Its machines.
    pub machines: usize,
    /// The clock.
    pub clock: ClockKind,
    /// Geometric mean of T_1 / T_P.
    pub speedup: f64,
    /// Its interval.
    pub speedup_low: f64,
    /// Its interval.
    pub speedup_high: f64,
    /// What to add and subtract for the 95 % interval of the mean over very many repeats of the same positions; nothing
    /// with one repeat.
    pub speedup_error: Option<f64>,
    /// What [`ByDepth::last`] is; `None` where there is no [`ByDepth`].
    pub speedup_last: Option<f64>,
    /// What [`ByDepth::before`] is.
    pub speedups_before: Vec<f64>,
    /// What [`ByDepth::mean`] is.
    pub speedup_depths: Option<f64>,
    /// Its interval.
    pub speedup_depths_low: f64,
    /// Its interval.
    pub speedup_depths_high: f64,
    /// What [`ByDepth::positions`] is.
    pub speedup_depths_positions: usize,
    /// Geometric mean of the ratio of nodes per second.
    pub nps_ratio: f64,
    /// Its interval.
    pub nps_ratio_low: f64,
    /// Its interval.
    pub nps_ratio_high: f64,
    /// Geometric mean of N_P / N_1, less 1.
    pub overhead: f64,
    /// Its interval.
    pub overhead_low: f64,
    /// Its interval.
    pub overhead_high: f64,
    /// All nodes over all of the baseline's, less 1: long searches weigh more. Of pairs to where they are compared,
    /// as in `overhead`.
    pub overhead_total: f64,
    /// All of the baseline's time over all of the team's, likewise.
    pub speedup_total: f64,
    /// Geometric mean of the share of time not spent waiting.
    pub load: f64,
    /// Geometric mean of the node rate of a busy thread in units of one thread alone.
    pub rate: f64,
    /// P x load x rate / (1 + overhead) over the speed-up, less 1.
    pub residual: f64,
    /// Positions measured.
    pub positions: usize,
    /// Searches of a position, at most.
    pub repeats: usize,
    /// Sums over all searches.
    #[serde(with = "super::sample::TallyFields")]
    pub tally: Tally,
    /// What went from cache to cache in all searches, if the clock knows.
    #[serde(with = "super::sample::traffic", skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// What its machines exchanged in all searches, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchanged: Option<Exchanged>,
    /// Nodes over all searches.
    pub nodes: u64,
    /// Time over all searches, in seconds of the clock.
    pub seconds: f64,
    /// Nodes a second of one thread in the searches that these are held against. Documents have its samples.
    #[serde(skip)]
    pub nodes_a_second_alone: f64,
}

impl Row {
    /// Who it is about.
    pub fn team(&self) -> Team {
        Team { scheme: self.scheme, threads: self.threads, machines: self.machines }
    }

    /// Nodes a second of the whole team, over all searches.
    pub fn nodes_a_second(&self) -> f64 {
        self.nodes as f64 / self.seconds.max(1e-9)
    }

    /// A sum over all searches, for each node.
    pub fn each_node(&self, sum: u64) -> f64 {
        sum as f64 / self.nodes.max(1) as f64
    }
}

/// What a search has cost up to where it is compared.
#[derive(Clone, Copy)]
struct Cost {
    time_ns: u64,
    nodes: u64,
}

impl Cost {
    fn whole(sample: &Sample) -> Self {
        Cost { time_ns: sample.time_ns, nodes: sample.total_nodes() }
    }

    fn until(iteration: &Iteration) -> Self {
        Cost { time_ns: iteration.time_ns, nodes: iteration.nodes }
    }
}

/// The deepest iteration that both have finished, or to a depth the baseline's last: a team may have skipped it.
fn compared_depth(base: &Sample, sample: &Sample, goal: Goal) -> Option<u32> {
    let both = |depth: &u32| goal == Goal::Depth || sample.iteration(*depth).is_some();
    base.iterations.iter().map(|iteration| iteration.depth).filter(both).max()
}

/// What the baseline's search and the team's have cost: to a depth as a whole, under a limit of time to the deepest
/// iteration that both have finished. `None` if there is none, which only a limit of time does.
fn costs(base: &Sample, sample: &Sample, goal: Goal) -> Option<(Cost, Cost)> {
    match goal {
        Goal::Depth => Some((Cost::whole(base), Cost::whole(sample))),
        Goal::Milliseconds(_) => {
            let depth = compared_depth(base, sample, goal)?;
            Some((Cost::until(base.iteration(depth)?), Cost::until(sample.iteration(depth)?)))
        }
    }
}

/// The logarithms of one pair's ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// T_1 / T_P.
    pub speedup: f64,
    /// N_P / N_1.
    pub work: f64,
    /// Ratio of node rates.
    pub nps: f64,
    /// Share of time not spent waiting.
    pub load: f64,
    /// Node rate of a busy thread.
    pub rate: f64,
}

impl Factors {
    /// A team's search against the baseline's. `None` if no iteration was finished by both, which only a limit of time
    /// does.
    pub fn new(base: &Sample, sample: &Sample, goal: Goal) -> Option<Self> {
        let (alone, team) = costs(base, sample, goal)?;
        // A search has a node and takes a nanosecond, whatever a clock too coarse for it says.
        let log = |count: u64| (count.max(1) as f64).ln();
        let rate = |sample: &Sample| log(sample.total_nodes()) - log(sample.time_ns);
        let busy = sample.idle_ns.iter().map(|&idle| sample.time_ns.saturating_sub(idle)).sum();
        Some(Factors {
            speedup: log(alone.time_ns) - log(team.time_ns),
            work: log(team.nodes) - log(alone.nodes),
            nps: rate(sample) - rate(base),
            load: sample.accounts().load().max(1e-9).ln(),
            rate: log(sample.total_nodes()) - log(busy) - rate(base),
        })
    }
}

/// Most depths before the compared one of which a row tells.
const MOST_BEFORE: u32 = 7;

/// The logarithms of T_1 / T_P to the depth that is compared and to those before it, the deepest first; as many as both
/// searches have. A team that skips a depth has reached it with the next one it finishes. `None` where nothing is
/// compared, and where a search found a mate before that depth: it has no note of the iterations after that.
fn by_depth(base: &Sample, sample: &Sample, goal: Goal) -> Option<Vec<f64>> {
    let log = |time_ns: u64| (time_ns.max(1) as f64).ln();
    let reached = |sample: &Sample, depth: u32| {
        let iteration = sample.iterations.iter().find(|iteration| iteration.depth >= depth)?;
        Some(log(iteration.time_ns))
    };
    let (alone, team) = costs(base, sample, goal)?;
    let deepest = compared_depth(base, sample, goal)?;
    // The depth of the whole search, whose time stands first.
    let is_noted = goal != Goal::Depth || base.depth == deepest;
    if !is_noted || reached(sample, deepest).is_none() {
        return None;
    }
    let before = (deepest.saturating_sub(MOST_BEFORE).max(1)..deepest).rev();
    let before =
        before.map_while(|depth| Some(log(base.iteration(depth)?.time_ns) - reached(sample, depth)?));
    Some(std::iter::once(log(alone.time_ns) - log(team.time_ns)).chain(before).collect())
}

/// Speed-ups to the last depth and to those before it. A pair counts if both searches have noted their iterations up to
/// the last depth; they note none after one that found a mate.
#[derive(Clone, Debug, PartialEq)]
pub struct ByDepth {
    /// Positions with such a pair.
    pub positions: usize,
    /// Geometric mean of T_1 / T_P to the last depth.
    pub last: f64,
    /// The same to the depth before that, to the one before that, and so on: as many as every pair has, and at most 7.
    /// Never empty.
    pub before: Vec<f64>,
    /// Geometric mean of the speed-ups to all of these.
    pub mean: Estimate,
}

/// A team's pairs, position by position in the order of the first sample of each.
#[derive(Clone, Debug, Default)]
pub struct Pairs<'s> {
    /// Names of the positions.
    pub positions: Vec<&'s str>,
    /// For each the factors of its repeats.
    pub factors: Vec<Vec<Factors>>,
    /// For each the speed-ups by depth of those of its repeats that have them, as [`by_depth`] does.
    depths: Vec<Vec<Vec<f64>>>,
}

impl<'s> Pairs<'s> {
    /// Every search of the team that has its counterpart.
    pub fn new(samples: &'s [Sample], team: Team, goal: Goal) -> Self {
        Pairs::of(with_counterparts(samples, team), goal)
    }

    /// Searches of a team, each behind the one of one thread that it is held against.
    pub fn of(searches: impl Iterator<Item = (&'s Sample, &'s Sample)>, goal: Goal) -> Self {
        let mut pairs = Pairs::default();
        for (base, sample) in searches {
            let Some(factors) = Factors::new(base, sample, goal) else { continue };
            let place = pairs.positions.iter().position(|id| *id == sample.position).unwrap_or_else(|| {
                pairs.positions.push(&sample.position);
                pairs.factors.push(Vec::new());
                pairs.depths.push(Vec::new());
                pairs.positions.len() - 1
            });
            pairs.factors[place].push(factors);
            pairs.depths[place].extend(by_depth(base, sample, goal));
        }
        pairs
    }

    /// The speed-ups by depth, where there are any before the last.
    pub fn by_depth(&self, seed: u64) -> Option<ByDepth> {
        let groups: Vec<&Vec<Vec<f64>>> = self.depths.iter().filter(|repeats| !repeats.is_empty()).collect();
        let depths = groups.iter().copied().flatten().map(Vec::len).min()?;
        if depths < 2 {
            return None;
        }
        let values = |value: &dyn Fn(&[f64]) -> f64| -> Vec<Vec<f64>> {
            groups.iter().map(|repeats| repeats.iter().map(|logs| value(logs)).collect()).collect()
        };
        let to = |back: usize| stats::mean(&values(&|logs| logs[back])).exp();
        let before = values(&|logs| logs[1..depths].iter().sum::<f64>() / (depths - 1) as f64);
        Some(ByDepth {
            positions: groups.len(),
            last: to(0),
            before: (1..depths).map(to).collect(),
            mean: stats::geometric(&before, seed),
        })
    }

    /// One of the factors alone.
    pub fn logs(&self, factor: impl Fn(&Factors) -> f64) -> Vec<Vec<f64>> {
        self.factors.iter().map(|repeats| repeats.iter().map(&factor).collect()).collect()
    }
}

fn of(samples: &[Sample], team: Team) -> impl Iterator<Item = &Sample> {
    samples.iter().filter(move |sample| sample.team() == team)
}

/// The searches of one thread that others are held against: not those of positions solved at once.
fn bases(samples: &[Sample]) -> impl Iterator<Item = &Sample> {
    of(samples, ALONE).filter(|sample| !sample.is_solved_at_once())
}

/// Each search of a team, behind the one that it is held against, if there is one.
fn with_counterparts(samples: &[Sample], team: Team) -> impl Iterator<Item = (&Sample, &Sample)> {
    let base: HashMap<(&str, usize), &Sample> =
        bases(samples).map(|sample| ((sample.position.as_str(), sample.repeat), sample)).collect();
    of(samples, team).filter_map(move |sample| {
        let base = base.get(&(sample.position.as_str(), sample.repeat))?;
        Some((*base, sample))
    })
}

/// The positions that one thread has solved at once; they are in no row.
pub fn solved_at_once(samples: &[Sample]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for sample in of(samples, ALONE).filter(|sample| sample.is_solved_at_once()) {
        if !ids.contains(&sample.position) {
            ids.push(sample.position.clone());
        }
    }
    ids
}

/// A row for each team, in the order of scheme, machines and threads. Teams without a pair have none.
pub fn rows(samples: &[Sample], clock: ClockKind, goal: Goal, seed: u64) -> Vec<Row> {
    let order = |scheme: Scheme| Scheme::ALL.iter().position(|&other| other == scheme);
    let teams: BTreeMap<_, Team> = samples
        .iter()
        .map(|sample| ((order(sample.scheme), sample.machines, sample.threads), sample.team()))
        .collect();
    teams.into_values().filter_map(|team| row(samples, team, clock, goal, seed)).collect()
}

fn row(samples: &[Sample], team: Team, clock: ClockKind, goal: Goal, seed: u64) -> Option<Row> {
    let pairs = Pairs::new(samples, team, goal);
    if pairs.factors.is_empty() {
        return None;
    }
    let geometric = |factor: fn(&Factors) -> f64| stats::geometric(&pairs.logs(factor), seed);
    let mean = |factor: fn(&Factors) -> f64| stats::mean(&pairs.logs(factor)).exp();
    let (speedup, nps, work) = (geometric(|f| f.speedup), geometric(|f| f.nps), geometric(|f| f.work));
    let error = stats::error_of_same_set(&pairs.logs(|f| f.speedup));
    let (load, rate) = (mean(|f| f.load), mean(|f| f.rate));
    let predicted = team.all_threads() as f64 * load * rate / work.mean;
    let overhead = work.map(|work| work - 1.0);
    let totals = Totals::new(samples, team, goal);
    let by_depth = pairs.by_depth(seed);
    let before = by_depth.as_ref().map(|depths| depths.mean);
    let Estimate { mean: speedup, low: speedup_low, high: speedup_high } = speedup;
    Some(Row {
        scheme: team.scheme,
        threads: team.threads,
        machines: team.machines,
        clock,
        speedup,
        speedup_low,
        speedup_high,
        speedup_error: error.map(|error| speedup * error.sinh()),
        speedup_last: by_depth.as_ref().map(|depths| depths.last),
        speedup_depths: before.map(|before| before.mean),
        speedup_depths_low: before.map_or(f64::NAN, |before| before.low),
        speedup_depths_high: before.map_or(f64::NAN, |before| before.high),
        speedup_depths_positions: by_depth.as_ref().map_or(0, |depths| depths.positions),
        speedups_before: by_depth.map(|depths| depths.before).unwrap_or_default(),
        nps_ratio: nps.mean,
        nps_ratio_low: nps.low,
        nps_ratio_high: nps.high,
        overhead: overhead.mean,
        overhead_low: overhead.low,
        overhead_high: overhead.high,
        overhead_total: totals.compared.nodes / totals.base_compared.nodes.max(1.0) - 1.0,
        speedup_total: totals.base_compared.seconds / totals.compared.seconds.max(1e-9),
        load,
        rate,
        residual: predicted / speedup - 1.0,
        positions: pairs.factors.len(),
        repeats: pairs.factors.iter().map(Vec::len).max().unwrap_or(0),
        tally: totals.tally,
        traffic: totals.traffic,
        exchanged: totals.exchanged,
        nodes: totals.nodes,
        seconds: totals.seconds,
        nodes_a_second_alone: totals.base_whole.nodes / totals.base_whole.seconds.max(1e-9),
    })
}

/// A sum of costs.
#[derive(Default)]
struct Spent {
    seconds: f64,
    nodes: f64,
}

impl Spent {
    fn add(&mut self, cost: Cost) {
        self.seconds += cost.time_ns as f64 / 1e9;
        self.nodes += cost.nodes as f64;
    }
}

/// Sums over those of a team's searches that can be held against their counterpart.
#[derive(Default)]
struct Totals {
    nodes: u64,
    seconds: f64,
    base_whole: Spent,
    compared: Spent,
    base_compared: Spent,
    tally: Tally,
    traffic: Option<Traffic>,
    exchanged: Option<Exchanged>,
}

impl Totals {
    fn new(samples: &[Sample], team: Team, goal: Goal) -> Self {
        let mut totals = Totals::default();
        for (base, sample) in with_counterparts(samples, team) {
            let Some((alone, own)) = costs(base, sample, goal) else { continue };
            totals.nodes += sample.total_nodes();
            totals.seconds += sample.time_ns as f64 / 1e9;
            totals.base_whole.add(Cost::whole(base));
            totals.base_compared.add(alone);
            totals.compared.add(own);
            totals.tally = totals.tally + sample.tally;
            if let Some(traffic) = sample.traffic {
                totals.traffic = Some(totals.traffic.unwrap_or_default() + traffic);
            }
            if !sample.ranks.is_empty() {
                totals.exchanged.get_or_insert_default().add(&sample.ranks);
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::{Fake, OVERHEAD, plan};
    use crate::scaling::fits::Amdahl;
    use crate::scaling::study::one_by_one;
    use cluster::member::Tally as Exchange;
    use cluster::simulation::Rank;

    const MS: u64 = 1_000_000;

    fn sample(team: Team, position: &str, ms: u64, nodes: &[u64], idle_ms: &[u64]) -> Sample {
        Sample {
            scheme: team.scheme,
            threads: team.threads,
            machines: team.machines,
            position: position.into(),
            repeat: 0,
            depth: 8,
            score: "cp 0".into(),
            best: "e2e4".into(),
            time_ns: ms * MS,
            nodes: nodes.to_vec(),
            idle_ns: idle_ms.iter().map(|ms| ms * MS).collect(),
            tally: Tally { splits: 3, ..Tally::default() },
            traffic: Some(Traffic { lines: [1, 2, 0, 0, 0, 1500], ..Traffic::default() }),
            ranks: Vec::new(),
            iterations: Vec::new(),
        }
    }

    /// Two positions by hand. A: 8 s to 5 s, 8000 to 9000 nodes, 1 s of 10 idle. B: 2 s to 0.8 s, 1000 to 900 nodes,
    /// nothing idle. C was not searched by one thread and does not count.
    #[test]
    fn a_row_by_hand() {
        let team = Team::new(Scheme::Ybw, 2);
        let samples = [
            sample(ALONE, "A", 8000, &[8000], &[0]),
            sample(team, "A", 5000, &[5000, 4000], &[0, 1000]),
            sample(team, "B", 800, &[500, 400], &[0, 0]),
            sample(ALONE, "B", 2000, &[1000], &[0]),
            sample(team, "C", 100, &[500, 400], &[0, 0]),
        ];
        let rows = rows(&samples, ClockKind::Real, Goal::Depth, 1);
        assert_eq!(rows.iter().map(Row::team).collect::<Vec<_>>(), [ALONE, team]);
        let row = &rows[1];
        let close =
            |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}: {row:?}");
        close(row.speedup, 2.0); // sqrt(1.6 * 2.5)
        close(row.overhead, (1.125f64 * 0.9).sqrt() - 1.0);
        close(row.overhead_total, 0.1);
        close(row.speedup_total, 10.0 / 5.8);
        close(row.nodes_a_second_alone, 9000.0 / 10.0);
        close(row.load, 0.9f64.sqrt());
        close(row.nps_ratio, (1.8f64 * 2.25).sqrt()); // 9000/5 over 8000/8 and 900/0.8 over 1000/2
        close(row.rate, (1.0f64 * 1.125).sqrt()); // 9000 in 9 busy seconds, 900 in 1.6
        close(row.residual, 0.0);
        assert_eq!((row.positions, row.repeats, row.tally.splits, row.nodes), (2, 1, 6, 9900));
        let lines = row.traffic.expect("the samples have some").lines;
        assert_eq!((lines, row.each_node(lines[5])), ([2, 4, 0, 0, 0, 3000], 3000.0 / 9900.0));
        // By Student's distribution with one degree of freedom, whose 97.5 % quantile is 12.7062.
        let half = (2.5f64 / 1.6).ln() / 2.0 * 12.706_204_736;
        assert!((row.speedup_low - 2.0 * (-half).exp()).abs() < 1e-6, "{row:?}");
        assert!((row.speedup_high - 2.0 * half.exp()).abs() < 1e-6, "{row:?}");
        close(rows[0].speedup, 1.0);
        assert_eq!((rows[0].speedup_low, rows[0].speedup_high, rows[0].overhead), (1.0, 1.0, 0.0));
    }

    /// A search that has finished these iterations: depth, milliseconds, nodes.
    fn timed(team: Team, position: &str, nodes: &[u64], iterations: &[(u32, u64, u64)]) -> Sample {
        let finished = |&(depth, ms, nodes): &(u32, u64, u64)| Iteration { depth, time_ns: ms * MS, nodes };
        Sample {
            depth: iterations.last().map_or(0, |&(depth, ..)| depth),
            iterations: iterations.iter().map(finished).collect(),
            ..sample(team, position, 100, nodes, &vec![0; nodes.len()])
        }
    }

    /// By hand: in A one thread takes 20, 60 and 100 ms to 5, 6 and 7 plies, and the team 10, 50 and 50, since it skips
    /// 6. In B, where one thread has no fifth, it is four times as fast at both. In C one thread finds a mate at the
    /// sixth ply of seven, in D the team one at the fifth: they note no iteration after that. There the team is ten
    /// times as fast.
    #[test]
    fn a_row_has_the_depths_before_the_last_that_all_have() {
        let team = Team::new(Scheme::Lazy, 2);
        let takes = |sample: Sample, ms: u64| Sample { time_ns: ms * MS, ..sample };
        let samples = [
            timed(ALONE, "A", &[100], &[(5, 20, 20), (6, 60, 60), (7, 100, 100)]),
            takes(timed(team, "A", &[50, 50], &[(5, 10, 20), (7, 50, 100)]), 50),
            timed(ALONE, "B", &[100], &[(6, 40, 40), (7, 100, 100)]),
            takes(timed(team, "B", &[50, 50], &[(5, 1, 2), (6, 10, 40), (7, 25, 100)]), 25),
            Sample { depth: 7, ..timed(ALONE, "C", &[100], &[(5, 20, 20), (6, 60, 60)]) },
            takes(timed(team, "C", &[50, 50], &[(5, 2, 2), (6, 6, 40), (7, 10, 100)]), 10),
            timed(ALONE, "D", &[100], &[(5, 20, 20), (6, 60, 60), (7, 100, 100)]),
            Sample { depth: 7, ..takes(timed(team, "D", &[50, 50], &[(5, 2, 2)]), 10) },
        ];
        let row = &rows(&samples, ClockKind::Real, Goal::Depth, 1)[1];
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        close(row.speedup, (2.0f64 * 4.0 * 10.0 * 10.0).powf(0.25));
        assert_eq!((row.positions, row.speedup_depths_positions, row.speedups_before.len()), (4, 2, 1));
        close(row.speedup_last.expect("two pairs have it"), 8f64.sqrt());
        close(row.speedups_before[0], (1.2f64 * 4.0).sqrt());
        close(row.speedup_depths.expect("two pairs have it"), (1.2f64 * 4.0).sqrt());
        // By Student's distribution with one degree of freedom, whose 97.5 % quantile is 12.7062.
        let half = (4.0f64 / 1.2).ln() / 2.0 * 12.706_204_736;
        assert!((row.speedup_depths_low.ln() - (4.8f64.ln() / 2.0 - half)).abs() < 1e-6, "{row:?}");
        assert!((row.speedup_depths_high.ln() - (4.8f64.ln() / 2.0 + half)).abs() < 1e-6, "{row:?}");
        let limited = &rows(&samples[..4], ClockKind::Real, Goal::Milliseconds(100), 1)[1];
        assert_eq!(limited.speedups_before, row.speedups_before);
    }

    /// Ten times as fast to the last depth, which a pilot may have chosen because one thread is slow there, and twice
    /// and eight times as fast to the two before it: their mean is four. A search of one depth has none before it.
    #[test]
    fn the_mean_over_depths_leaves_the_last_one_out() {
        let team = Team::new(Scheme::Lazy, 2);
        let takes = |sample: Sample, ms: u64| Sample { time_ns: ms * MS, ..sample };
        let samples = [
            timed(ALONE, "A", &[100], &[(5, 20, 20), (6, 80, 60), (7, 100, 100)]),
            takes(timed(team, "A", &[50, 50], &[(5, 10, 20), (6, 10, 40), (7, 10, 100)]), 10),
            timed(ALONE, "B", &[100], &[(7, 100, 100)]),
            takes(timed(team, "B", &[50, 50], &[(7, 10, 100)]), 10),
        ];
        let row = &rows(&samples[..2], ClockKind::Real, Goal::Depth, 1)[1];
        assert!((row.speedup - 10.0).abs() < 1e-9 && row.speedups_before.len() == 2, "{row:?}");
        assert!(row.speedup_depths.is_some_and(|mean| (mean - 4.0).abs() < 1e-9), "{row:?}");
        let row = &rows(&samples, ClockKind::Real, Goal::Depth, 1)[1];
        assert_eq!((row.speedup_depths, row.speedup_last, row.speedup_depths_positions), (None, None, 0));
        assert!(row.speedups_before.is_empty() && row.speedup_depths_low.is_nan(), "{row:?}");
    }

    /// By hand: one thread has finished 5 and 6 plies, the team 5 and 7. What both have finished are 5: 20 ms to 10 and
    /// 2000 to 3000 nodes. In B they have none in common.
    #[test]
    fn a_limit_of_time_is_compared_at_a_depth_that_both_have_finished() {
        let team = Team::new(Scheme::Lazy, 2);
        let samples = [
            timed(ALONE, "A", &[10_000], &[(5, 20, 2000), (6, 80, 8000)]),
            timed(team, "A", &[11_000, 10_000], &[(5, 10, 3000), (7, 90, 19_000)]),
            timed(ALONE, "B", &[10_000], &[(6, 80, 8000)]),
            timed(team, "B", &[11_000, 10_000], &[(5, 10, 3000), (7, 90, 19_000)]),
        ];
        let row = &rows(&samples, ClockKind::Real, Goal::Milliseconds(100), 1)[1];
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        close(row.speedup, 2.0);
        close(row.overhead, 0.5);
        close(row.speedup_total, 2.0);
        close(row.overhead_total, 0.5);
        assert_eq!((row.positions, row.nodes), (1, 21_000));
    }

    /// Searches of 100 ms by hand. A is compared at depth 6: 80 ms to 40, 8000 to 9000 nodes. B at depth 4: 60 ms to
    /// 20, 6000 to 7000 nodes. In C the team has finished no iteration, and the pair does not count.
    #[test]
    fn totals_under_a_limit_of_time_are_those_of_what_is_compared() {
        let team = Team::new(Scheme::Lazy, 2);
        let samples = [
            timed(ALONE, "A", &[10_000], &[(5, 20, 2000), (6, 80, 8000)]),
            timed(team, "A", &[11_000, 10_000], &[(6, 40, 9000), (7, 90, 19_000)]),
            timed(ALONE, "B", &[9500], &[(4, 60, 6000)]),
            timed(team, "B", &[11_000, 11_000], &[(4, 20, 7000), (5, 95, 21_000)]),
            timed(ALONE, "C", &[9000], &[(3, 99, 8900)]),
            timed(team, "C", &[10_000, 10_000], &[]),
        ];
        let row = &rows(&samples, ClockKind::Real, Goal::Milliseconds(100), 1)[1];
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        close(row.speedup, 6f64.sqrt());
        close(row.speedup_total, 140.0 / 60.0);
        close(row.overhead_total, 16_000.0 / 14_000.0 - 1.0);
        // Rates are those of whole searches: 19,500 and 43,000 nodes in 200 ms.
        assert_eq!((row.positions, row.nodes, row.tally.splits), (2, 43_000, 6));
        close(row.nodes_a_second(), 215_000.0);
        close(row.nodes_a_second_alone, 97_500.0);
        close(row.nps_ratio, (2.1f64 * 22.0 / 9.5).sqrt());
    }

    /// B is a mate that one thread found in a hundred nodes; that of C took it a while.
    #[test]
    fn a_position_solved_at_once_is_in_no_row() {
        let team = Team::new(Scheme::Ybw, 2);
        let mate = |sample: Sample, nodes: u64| Sample {
            score: "mate 3".into(),
            iterations: vec![Iteration { depth: 5, time_ns: MS, nodes }],
            ..sample
        };
        let samples = [
            sample(ALONE, "A", 8000, &[8000], &[0]),
            sample(team, "A", 5000, &[5000, 4000], &[0, 1000]),
            mate(sample(ALONE, "B", 1, &[200], &[0]), 100),
            mate(sample(team, "B", 2, &[500, 400], &[0, 0]), 900),
            mate(sample(ALONE, "C", 8000, &[80_000], &[0]), 80_000),
            mate(sample(team, "C", 5000, &[50_000, 40_000], &[0, 1000]), 90_000),
        ];
        let rows = rows(&samples, ClockKind::Real, Goal::Depth, 1);
        assert_eq!(rows.iter().map(|row| row.positions).collect::<Vec<_>>(), [2, 2]);
        assert!((rows[1].speedup - 1.6).abs() < 1e-9 && rows[1].nodes == 99_000, "{:?}", rows[1]);
        assert_eq!(solved_at_once(&samples), ["B"]);
    }

    /// Two machines of two threads by hand: 6 s to 1 s is a speed-up of 6, and with 12,000 nodes instead of
    /// 6,000 and half a second idle of four the identity holds for four threads. What was exchanged in the
    /// two positions, which cost the same, is added up, each count by itself.
    #[test]
    fn a_row_of_several_machines_counts_all_their_threads() {
        let team = Team { machines: 2, ..Team::new(Scheme::Lazy, 2) };
        let one_machine = Team { machines: 1, ..team };
        let rank = |by: u64| Rank {
            tally: Exchange {
                sent: by,
                dropped: 2 * by,
                received: 3 * by,
                probed: 4 * by,
                cut: 5 * by,
                bytes: 6 * by,
                ..Exchange::default()
            },
            talking_ns: 7 * by,
        };
        let by_all = |position, ranks: [u64; 2]| Sample {
            ranks: ranks.map(rank).to_vec(),
            ..sample(team, position, 1000, &[3000; 4], &[500, 0, 0, 0])
        };
        let samples = [
            sample(ALONE, "A", 6000, &[6000], &[0]),
            by_all("A", [1, 10]),
            sample(one_machine, "A", 4000, &[3000; 2], &[0; 2]),
            sample(ALONE, "B", 6000, &[6000], &[0]),
            by_all("B", [100, 1000]),
        ];
        let rows = rows(&samples, ClockKind::Virtual, Goal::Depth, 1);
        assert_eq!(rows.iter().map(Row::team).collect::<Vec<_>>(), [ALONE, one_machine, team]);
        let row = &rows[2];
        assert!((row.speedup - 6.0).abs() < 1e-9 && (row.overhead - 1.0).abs() < 1e-9, "{row:?}");
        assert!((row.load - 0.875).abs() < 1e-9 && row.residual.abs() < 1e-9, "{row:?}");
        let sum = Exchanged {
            sent: 1111,
            dropped: 2222,
            received: 3333,
            probed: 4444,
            cut: 5555,
            bytes: 6666,
            talking_ns: 7777,
        };
        assert_eq!(row.exchanged, Some(sum));
        assert_eq!(rows[1].exchanged, None);
    }

    /// One thread idle for 90 ms of a search of 50: by the sum both were idle for nine tenths of the time, while the
    /// other one was busy throughout. Half as busy as that leaves is a residual of 0.2 - 1.
    #[test]
    fn idle_time_that_was_not_there_shows_in_the_residual() {
        let team = Team::new(Scheme::Lazy, 2);
        let samples = [sample(ALONE, "A", 100, &[10], &[0]), sample(team, "A", 50, &[5, 5], &[90, 0])];
        let row = &rows(&samples, ClockKind::Real, Goal::Depth, 1)[1];
        assert!((row.load - 0.1).abs() < 1e-9 && (row.residual - (0.2 - 1.0)).abs() < 1e-9, "{row:?}");
    }

    /// A fake engine whose law is known, through plan, clock, samples and rows, to a depth and under a limit of time.
    #[test]
    fn a_known_engine_is_measured_as_it_is() {
        let law = Amdahl { serial_fraction: 0.05, error: None };
        for goal in [Goal::Depth, Goal::Milliseconds(1000)] {
            let samples = one_by_one(&plan(goal), &mut Fake { law, left: None }, &mut ()).unwrap();
            let rows = rows(&samples, ClockKind::Virtual, goal, 1);
            assert_eq!(rows.len(), 4);
            for row in &rows[1..] {
                let n = row.threads as f64;
                assert!((row.speedup / law.speedup(n) - 1.0).abs() < 1e-4, "{row:?}");
                assert_eq!(row.speedups_before.len(), 7);
                for speedup in row.speedups_before.iter().chain(&row.speedup_depths) {
                    assert!((speedup / law.speedup(n) - 1.0).abs() < 1e-4, "{row:?}");
                }
                assert!((row.overhead - OVERHEAD).abs() < 1e-4 && (row.rate - 1.0).abs() < 1e-4, "{row:?}");
                assert!(row.residual.abs() < 1e-4 && (row.positions, row.repeats) == (24, 2), "{row:?}");
            }
        }
    }

    /// Stopped in the middle of a position: its rows rest on what is there.
    #[test]
    fn a_study_that_was_stopped_has_the_rows_it_can_have() {
        let law = Amdahl { serial_fraction: 0.05, error: None };
        let samples = one_by_one(&plan(Goal::Depth), &mut Fake { law, left: Some(10) }, &mut ()).unwrap();
        assert_eq!(samples.len(), 10);
        let rows = rows(&samples, ClockKind::Virtual, Goal::Depth, 1);
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row.positions <= 3 && row.repeats == 1),
            "{rows:?}"
        );
    }
}
