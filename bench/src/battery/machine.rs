//! What the machine is: its shape, and how long a cache line takes from core to core.

use figures::stats::quantile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use sys::affinity::CpuSet;
use sys::lines;
use sys::provenance::Provenance;
use sys::topology::Topology;

/// Most processors between which lines are timed: 24 make 276 pairs, of a few milliseconds each.
pub const MOST_TIMED: usize = 24;

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// In one line.
    pub name: String,
    /// Version of the engine.
    pub version: String,
    /// Nodes of `firstborn bench`, which tell one search from another.
    pub signature: u64,
    /// CRC-32 of the program's file, which tells one way to search together from another, too; 0 in parts from
    /// before it was kept.
    #[serde(default)]
    pub file: u32,
    /// All that is known of program, machine and day; nothing in parts from before it was kept.
    #[serde(default)]
    pub provenance: Provenance,
    /// Processors that may be used.
    pub allowed: String,
    /// The quota of the control group, in processors.
    pub quota: Option<f64>,
    /// Processors by core.
    pub cores: Vec<String>,
    /// By package.
    pub packages: Vec<String>,
    /// By last-level cache.
    pub caches: Vec<String>,
    /// By memory node.
    pub nodes: Vec<String>,
    /// Lines between pairs of processors; empty where threads cannot be bound.
    pub lines: Vec<Line>,
}

/// How long a line takes between two processors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The one.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// From the one's write to the other's, in nanoseconds.
    pub ns: f64,
}

/// What two processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// A core.
    Core,
    /// A last-level cache.
    Cache,
    /// A package.
    Package,
    /// The machine.
    Machine,
}

impl Relation {
    /// The nearest that they share.
    pub fn of(topology: &Topology, from: usize, to: usize) -> Self {
        let share = |sets: &[CpuSet]| sets.iter().any(|set| set.contains(from) && set.contains(to));
        if share(&topology.cores.value) {
            Relation::Core
        } else if share(&topology.caches.value) {
            Relation::Cache
        } else if share(&topology.packages.value) {
            Relation::Package
        } else {
            Relation::Machine
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::Core => "of one core",
            Relation::Cache => "with a common last-level cache",
            Relation::Package => "of one package",
            Relation::Machine => "of different packages",
        }
    }
}

/// Lines between the processors that may be used, or some of them; none where threads cannot be bound.
pub fn time_lines(topology: &Topology) -> Vec<Line> {
    let found = lines::among(&topology.allowed.value, MOST_TIMED).unwrap_or_default();
    found
        .iter()
        .map(|line| Line { from: line.from, to: line.to, ns: line.time.as_secs_f64() * 1e9 })
        .collect()
}

/// Number of pairs, and the least, the median and the most time, by what the processors share.
pub fn by_relation(topology: &Topology, lines: &[Line]) -> Vec<(Relation, usize, [f64; 3])> {
    let mut times: BTreeMap<Relation, Vec<f64>> = BTreeMap::new();
    for line in lines {
        times.entry(Relation::of(topology, line.from, line.to)).or_default().push(line.ns);
    }
    let row = |(relation, mut times): (Relation, Vec<f64>)| {
        times.sort_by(f64::total_cmp);
        (relation, times.len(), [0.0, 0.5, 1.0].map(|share| quantile(&times, share)))
    };
    times.into_iter().map(row).collect()
}

impl Machine {
    /// Looks at the machine, which takes a second or two. `signature` is that of `firstborn bench`, `file` the
    /// CRC-32 of the program's file.
    pub fn detect(topology: &Topology, provenance: Provenance, signature: u64, file: u32) -> Self {
        let sets = |sets: &[CpuSet]| sets.iter().map(ToString::to_string).collect();
        Machine {
            name: provenance.machine.to_string(),
            version: provenance.program.version.clone(),
            signature,
            file,
            provenance,
            allowed: topology.allowed.value.to_string(),
            quota: topology.quota.as_ref().map(|quota| quota.value),
            cores: sets(&topology.cores.value),
            packages: sets(&topology.packages.value),
            caches: sets(&topology.caches.value),
            nodes: sets(&topology.nodes.value),
            lines: time_lines(topology),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages of two cores, the first core with two threads.
    fn topology() -> Topology {
        let mut topology = Topology::detect();
        let sets = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        topology.cores.value = sets(&["0,4", "1", "2", "3"]);
        topology.caches.value = sets(&["0-1,4", "2", "3"]);
        topology.packages.value = sets(&["0-1,4", "2-3"]);
        topology
    }

    #[test]
    fn pairs_are_told_apart_by_the_nearest_they_share() {
        let line = |from, to, ns| Line { from, to, ns };
        let lines =
            [line(0, 4, 9.0), line(0, 1, 50.0), line(1, 4, 30.0), line(2, 3, 80.0), line(0, 2, 150.0)];
        let found = by_relation(&topology(), &lines);
        let wanted = [
            (Relation::Core, 1, [9.0; 3]),
            (Relation::Cache, 2, [30.0, 40.0, 50.0]),
            (Relation::Package, 1, [80.0; 3]),
            (Relation::Machine, 1, [150.0; 3]),
        ];
        assert_eq!(found, wanted);
    }
}
