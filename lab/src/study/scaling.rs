//! The historical parallel searches on the same trees, from one processor upwards.
//!
//! Time to the root's value in virtual time ([`crate::parallel`]), as a geometric mean over the trees.
//! Schemes without a table are held against serial alpha-beta, those with one against themselves on one
//! processor; each scheme's *search overhead* is how many more nodes it visits than that, its *idle share*
//! how much of the processors' time was not worked.

use crate::algorithms::alpha_beta::fail_soft;
use crate::cores::{on_all_cores, on_some_cores};
use crate::node::{INFINITY, Node};
use crate::parallel::{Costs, Outcome, Scheme, SimulationError, search};
use crate::study::Watch;
use crate::study::paired::estimate;
use crate::tally::Tally;
use serde::Serialize;

/// One scheme on one number of processors.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The scheme.
    pub scheme: Scheme,
    /// Simulated processors.
    pub processors: usize,
    /// Geometric mean of the speed-ups ...
    pub speedup: f64,
    /// ... and its 95 % interval over the trees, from here ...
    pub speedup_low: f64,
    /// ... to here.
    pub speedup_high: f64,
    /// Nodes beyond the serial search's, in percent of these.
    pub overhead: f64,
    /// Share of the processors' time in which they waited, in percent.
    pub idle: f64,
    /// Branches taken over from another processor, per tree.
    pub hand_overs: f64,
    /// Trees on which the value differs from the serial search's.
    pub wrong: usize,
}

/// All points.
#[derive(Clone, Debug, Serialize)]
pub struct Scaling {
    /// What was searched, in words.
    pub trees: String,
    /// How many trees.
    pub count: usize,
    /// Plies.
    pub depth: u32,
    /// What things cost in virtual time.
    pub costs: Costs,
    /// Scheme by scheme, processors ascending.
    pub points: Vec<Point>,
    /// How many points are missing: the caller asked for the end.
    pub left_out: usize,
}

impl Scaling {
    /// The exponent `e` of the speed-ups' growth `P^e`, fitted through the origin in logarithms; `None` with
    /// fewer than two processors in every point.
    pub fn exponent(&self, scheme: Scheme) -> Option<f64> {
        let own = self.points.iter().filter(|point| point.scheme == scheme && point.processors > 1);
        let (above, below) = own.fold((0.0, 0.0), |(above, below), point| {
            let x = (point.processors as f64).ln();
            (above + x * point.speedup.ln(), below + x * x)
        });
        (below > 0.0).then(|| above / below)
    }
}

/// Most simulated processors at once: each has a stack of two mappings, and Linux grants a process 65,530.
const MOST_SIMULATED: usize = 30_000;

/// How many searches by so many simulated processors may run side by side, at least 1.
fn places(processors: usize) -> usize {
    (MOST_SIMULATED / processors.max(1)).max(1)
}

/// Searches all trees, as many side by side as there is room for.
fn search_all<N: Node + 'static>(
    scheme: Scheme,
    roots: &[N],
    depth: u32,
    processors: usize,
    costs: Costs,
) -> Result<Vec<Outcome>, SimulationError> {
    let one = |root: &N| search(scheme, root, depth, processors, costs);
    on_some_cores(roots, places(processors), one).into_iter().collect()
}

/// Runs all schemes on all numbers of processors.
///
/// # Errors
/// When the system does not let so many processors be simulated.
pub fn scaling<N: Node + 'static>(
    roots: &[N],
    depth: u32,
    schemes: &[Scheme],
    processors: &[usize],
    trees: String,
    watch: &mut Watch<'_>,
) -> Result<Scaling, SimulationError> {
    let costs = Costs::default();
    // Where the end is asked for already, none of the schemes needs it.
    let searched: &[N] = if watch.stopped() { &[] } else { roots };
    let serial: Vec<(i32, u64)> = on_all_cores(searched, |root| {
        let mut tally = Tally::default();
        let value = fail_soft(root, depth, -INFINITY, INFINITY, &mut tally);
        (value, tally.nodes())
    });
    let mut points = Vec::new();
    for &scheme in schemes {
        watch.say(scheme.name());
        if watch.stopped() {
            break;
        }
        // What one processor needs, for each tree: time and nodes.
        let alone: Vec<(u64, u64)> = if scheme.has_table() {
            let found = search_all(scheme, roots, depth, 1, costs)?;
            found.into_iter().map(|found| (found.time, found.tally.nodes())).collect()
        } else {
            serial.iter().map(|&(_, nodes)| (nodes * costs.node, nodes)).collect()
        };
        for &count in processors {
            if watch.stopped() {
                break;
            }
            let found = search_all(scheme, roots, depth, count, costs)?;
            let trees = roots.len().max(1) as f64;
            let logs: Vec<f64> = alone
                .iter()
                .zip(&found)
                .map(|(alone, found)| (alone.0 as f64 / found.time as f64).ln())
                .collect();
            let speedup = estimate(&logs).map(f64::exp);
            let sum = |f: &dyn Fn(usize) -> u64| (0..found.len()).map(f).sum::<u64>() as f64;
            let (nodes, before) = (sum(&|i| found[i].tally.nodes()), sum(&|i| alone[i].1));
            let (busy, time) = (sum(&|i| found[i].busy), sum(&|i| found[i].time) * count as f64);
            points.push(Point {
                scheme,
                processors: count,
                speedup: speedup.mean,
                speedup_low: speedup.low,
                speedup_high: speedup.high,
                overhead: 100.0 * (nodes / before - 1.0),
                idle: 100.0 * (1.0 - busy / time),
                hand_overs: sum(&|i| found[i].hand_overs) / trees,
                wrong: found.iter().zip(&serial).filter(|(found, serial)| found.value != serial.0).count(),
            });
        }
    }
    let left_out = schemes.len() * processors.len() - points.len();
    Ok(Scaling { trees, count: roots.len(), depth, costs, points, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stacks_of_all_searches_have_room_together() {
        for processors in [1, 2, 31, 64, 1000, 1024] {
            let mappings = 2 * processors * places(processors);
            assert!((32_765..64_000).contains(&mappings), "{processors} processors: {mappings}");
        }
        assert_eq!([0, 1024, 1_000_000].map(places), [30_000, 29, 1]);
    }
}
