//! What the machine is: its shape, and how long a cache line takes from core to core.

use figures::stats::quantile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use sys::affinity::CpuSet;
use sys::lines;
use sys::provenance::Provenance;
use sys::topology::{Fact, Topology};

/// Most pairs of each [`Relation`] between which lines are timed: as many as 24 processors make, of a few milliseconds
/// each.
pub const MOST_TIMED: usize = 276;

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
    /// By kind of core, the fastest first; nothing in parts from before it was kept.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Where each of these was read, and which are assumed; nothing in parts from before it was kept.
    #[serde(default)]
    pub sources: BTreeMap<String, String>,
    /// Lines between pairs of processors: all pairs of a relation, or [`MOST_TIMED`] of them.
    pub lines: Vec<Line>,
    /// Why others could not be timed; `None` if all could.
    #[serde(default)]
    pub lines_refused: Option<String>,
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
    /// Nothing that is known: what is only assumed is not shared.
    Unknown,
}

/// Of which core, cache and package a processor is, by their places in the topology; none where that is not known.
type Home = [Option<usize>; 3];

/// The processors that may be used, with their homes.
fn homes(topology: &Topology) -> Vec<(usize, Home)> {
    topology.allowed.value.iter().map(|cpu| (cpu, home(topology, cpu))).collect()
}

fn home(topology: &Topology, cpu: usize) -> Home {
    let place = |fact: &Fact<Vec<CpuSet>>| {
        let sets = (!fact.is_assumed()).then_some(&fact.value)?;
        sets.iter().position(|set| set.contains(cpu))
    };
    [place(&topology.cores), place(&topology.caches), place(&topology.packages)]
}

/// All pairs of processors, each once.
fn pairs(homes: &[(usize, Home)]) -> impl Iterator<Item = (Relation, usize, usize)> {
    homes.iter().enumerate().flat_map(move |(place, &(from, one))| {
        homes[place + 1..].iter().map(move |&(to, other)| (Relation::between(one, other), from, to))
    })
}

/// How many pairs there are of each relation.
fn counts(homes: &[(usize, Home)]) -> BTreeMap<Relation, usize> {
    let mut counts: BTreeMap<Relation, usize> = BTreeMap::new();
    for (relation, ..) in pairs(homes) {
        *counts.entry(relation).or_default() += 1;
    }
    counts
}

/// The pairs to time: all of a relation, or [`MOST_TIMED`], spread evenly over all. Chosen by relation and not by the
/// processors' numbers, which alternate between packages on some machines and between siblings on others.
fn chosen(topology: &Topology) -> Vec<(usize, usize)> {
    let homes = homes(topology);
    let counts = counts(&homes);
    let mut seen: BTreeMap<Relation, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for (relation, from, to) in pairs(&homes) {
        let all = counts[&relation];
        let most = all.min(MOST_TIMED);
        let before = seen.entry(relation).or_default();
        // Of the first n pairs of a relation n * most / all are chosen.
        if (*before + 1) * most / all > *before * most / all {
            chosen.push((from, to));
        }
        *before += 1;
    }
    chosen
}

impl Relation {
    /// The nearest that processors of these homes share.
    fn between(one: Home, other: Home) -> Self {
        let [core, cache, package] =
            [0, 1, 2].map(|place| one[place].is_some() && one[place] == other[place]);
        if core {
            Relation::Core
        } else if cache {
            Relation::Cache
        } else if package {
            Relation::Package
        } else if one[2].is_some() && other[2].is_some() {
            Relation::Machine
        } else {
            Relation::Unknown
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::Core => "of one core",
            Relation::Cache => "with a common last-level cache",
            Relation::Package => "of one package",
            Relation::Machine => "of different packages",
            Relation::Unknown => "of which nothing says what they share",
        }
    }
}

/// Lines between the processors that may be used, up to [`MOST_TIMED`] pairs of each relation, and why others of these
/// could not be timed: `None` if all could. Takes some seconds where there are many processors.
pub fn time_lines(topology: &Topology) -> (Vec<Line>, Option<String>) {
    time_pairs(chosen(topology).into_iter())
}

/// Lines between these pairs of processors, and why some of them could not be timed.
fn time_pairs(pairs: impl Iterator<Item = (usize, usize)>) -> (Vec<Line>, Option<String>) {
    let (mut timed, mut refused) = (Vec::new(), Vec::new());
    for (from, to) in pairs {
        match lines::between(from, to) {
            Ok(line) => timed.push(Line { from, to, ns: line.time.as_secs_f64() * 1e9 }),
            Err(error) => refused.push((from, to, error)),
        }
    }
    let why = refused.first().map(|(from, to, error)| {
        format!("{} of {} pairs, first {from} and {to}: {error}", refused.len(), refused.len() + timed.len())
    });
    (timed, why)
}

/// The lines of one relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// What the processors share.
    pub relation: Relation,
    /// How many pairs of processors there are.
    pub pairs: usize,
    /// How many of them were timed.
    pub timed: usize,
    /// The least, the median and the most time, in nanoseconds; `None` if no pair was timed.
    pub ns: Option<[f64; 3]>,
}

/// The lines by what the processors share, for each relation that there is.
pub fn by_relation(topology: &Topology, lines: &[Line]) -> Vec<Times> {
    let mut times: BTreeMap<Relation, Vec<f64>> = BTreeMap::new();
    for line in lines {
        let [one, other] = [line.from, line.to].map(|cpu| home(topology, cpu));
        times.entry(Relation::between(one, other)).or_default().push(line.ns);
    }
    let row = |(relation, pairs): (Relation, usize)| {
        let mut times = times.remove(&relation).unwrap_or_default();
        times.sort_by(f64::total_cmp);
        let ns = (!times.is_empty()).then(|| [0.0, 0.5, 1.0].map(|share| quantile(&times, share)));
        Times { relation, pairs, timed: times.len(), ns }
    };
    counts(&homes(topology)).into_iter().map(row).collect()
}

impl Machine {
    /// Looks at the machine, which takes some seconds. `signature` is that of `firstborn bench`, `file` the
    /// CRC-32 of the program's file. `None` if `stop` was set before all was seen.
    pub fn detect(
        topology: &Topology,
        provenance: Provenance,
        signature: u64,
        file: u32,
        stop: &AtomicBool,
    ) -> Option<Self> {
        let sets = |sets: &[CpuSet]| sets.iter().map(ToString::to_string).collect();
        let pairs = chosen(topology).into_iter().take_while(|_| !stop.load(Relaxed));
        let (lines, lines_refused) = time_pairs(pairs);
        (!stop.load(Relaxed)).then(|| Machine {
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
            kinds: sets(&topology.kinds.value),
            sources: topology.sources(),
            lines,
            lines_refused,
        })
    }

    /// The shape of the machine as it was found, wherever that is asked; `None` where one of its lists of processors
    /// is none.
    pub fn topology(&self) -> Option<Topology> {
        let source = |name: &str| self.sources.get(name).cloned().unwrap_or_default();
        let sets = |name: &str, lists: &[String]| {
            let value = lists.iter().map(|list| list.parse().ok()).collect::<Option<Vec<CpuSet>>>()?;
            Some(Fact { value, source: source(name) })
        };
        let cores = sets("cores", &self.cores)?;
        let online = cores.value.iter().flat_map(CpuSet::iter).collect();
        Some(Topology {
            online: Fact { value: online, source: source("online") },
            allowed: Fact { value: self.allowed.parse().ok()?, source: source("allowed") },
            quota: self.quota.map(|value| Fact { value, source: source("quota") }),
            cores,
            packages: sets("packages", &self.packages)?,
            caches: sets("caches", &self.caches)?,
            nodes: sets("nodes", &self.nodes)?,
            kinds: sets("kinds", &self.kinds)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many processors, and of which core, cache and package each is.
    fn machine(count: usize, of: impl Fn(usize) -> [usize; 3]) -> Topology {
        let mut topology = Topology::detect();
        topology.allowed.value = CpuSet::first(count);
        let sets = |level: usize| {
            let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for cpu in 0..count {
                sets.entry(of(cpu)[level]).or_default().push(cpu);
            }
            let value: Vec<CpuSet> = sets.into_values().map(|cpus| cpus.into_iter().collect()).collect();
            Fact { value, source: "a file".to_owned() }
        };
        (topology.cores, topology.caches, topology.packages) = (sets(0), sets(1), sets(2));
        topology
    }

    /// Two packages of two cores, the first core with two threads.
    fn small() -> Topology {
        machine(5, |cpu| [cpu % 4, [0, 0, 1, 2, 0][cpu], cpu % 4 / 2])
    }

    /// Packages numbered alternately; siblings numbered next to each other; two packages of 64 cores in caches of
    /// eight, siblings in a second half: of every second or tenth processor some of these have no pair.
    #[test]
    fn every_relation_is_timed_however_processors_are_numbered() {
        use Relation::{Cache, Core, Machine, Package};
        type Shape = fn(usize) -> [usize; 3];
        let shapes: [(usize, Shape, &[Relation]); 6] = [
            (48, |cpu| [cpu, cpu % 2, cpu % 2], &[Cache, Machine]),
            (96, |cpu| [cpu, cpu % 2, cpu % 2], &[Cache, Machine]),
            (192, |cpu| [cpu, cpu % 2, cpu % 2], &[Cache, Machine]),
            (48, |cpu| [cpu / 2, 0, 0], &[Core, Cache]),
            (96, |cpu| [cpu / 2, cpu / 8, 0], &[Core, Cache, Package]),
            (256, |cpu| [cpu % 128, cpu % 128 / 8, cpu % 128 / 64], &[Core, Cache, Package, Machine]),
        ];
        for (count, of, wanted) in shapes {
            let topology = machine(count, of);
            let (mut all, mut timed) =
                (BTreeMap::<Relation, usize>::new(), BTreeMap::<Relation, usize>::new());
            let nearest = |from: usize, to: usize| {
                let level = (0..3).find(|&level| of(from)[level] == of(to)[level]);
                [Core, Cache, Package, Machine][level.unwrap_or(3)]
            };
            for from in 0..count {
                for to in from + 1..count {
                    *all.entry(nearest(from, to)).or_default() += 1;
                }
            }
            let chosen = chosen(&topology);
            assert!(chosen.is_sorted() && chosen.windows(2).all(|pairs| pairs[0] != pairs[1]));
            for (from, to) in chosen {
                *timed.entry(nearest(from, to)).or_default() += 1;
            }
            assert_eq!(timed.keys().copied().collect::<Vec<_>>(), wanted, "{count}");
            for (relation, &pairs) in &all {
                assert_eq!(timed[relation], pairs.min(MOST_TIMED), "{count}: {relation:?}");
            }
            let told = by_relation(&topology, &[]);
            let told: BTreeMap<Relation, usize> = told.iter().map(|row| (row.relation, row.pairs)).collect();
            assert_eq!(told, all, "{count}");
        }
        assert!(chosen(&machine(1, |_| [0; 3])).is_empty(), "one processor has no pair");
    }

    /// Of a machine with one processor there is nothing to time.
    #[test]
    fn what_was_stopped_is_no_machine() {
        for (processors, stopped) in [(1, false), (1, true), (5, true)] {
            let topology = machine(processors, |cpu| [cpu, 0, 0]);
            let stop = AtomicBool::new(stopped);
            let found = Machine::detect(&topology, Provenance::default(), 1, 1, &stop);
            assert_eq!(found.is_none(), stopped, "{processors} processors");
        }
    }

    /// What its lines stand for can be told on another machine, too.
    #[test]
    fn a_machine_has_the_shape_it_was_found_with() {
        let mut here = small();
        // With one processor there is nothing to time.
        here.allowed.value = CpuSet::first(1);
        here.caches.source = "assumed: one for all".to_owned();
        here.quota = Some(Fact { value: 2.5, source: "a file".to_owned() });
        let stop = AtomicBool::new(false);
        let found = Machine::detect(&here, Provenance::default(), 1, 1, &stop);
        let mut found = found.expect("it is not stopped");
        let kept = found.topology().expect("its lists are well formed");
        assert_eq!((&kept.allowed, &kept.quota), (&here.allowed, &here.quota));
        assert_eq!((&kept.cores, &kept.caches, &kept.packages), (&here.cores, &here.caches, &here.packages));
        assert_eq!(kept.online.value, "0-4".parse().expect("it is well formed"));
        found.packages[0] = "0-".to_owned();
        assert_eq!(found.topology(), None);
    }

    /// A cache that is assumed is none that two processors are known to share.
    #[test]
    fn what_is_assumed_is_not_told_as_found() {
        let line = [Line { from: 0, to: 1, ns: 7.0 }];
        let assume = |fact: &mut Fact<Vec<CpuSet>>| fact.source = "assumed: one for all".to_owned();
        let mut topology = machine(2, |cpu| [cpu, 0, 0]);
        let relation = |topology: &Topology| by_relation(topology, &line)[0].relation;
        assert_eq!(relation(&topology), Relation::Cache);
        assume(&mut topology.caches);
        assert_eq!(relation(&topology), Relation::Package);
        assume(&mut topology.packages);
        assert_eq!(relation(&topology), Relation::Unknown);
        topology.cores.value = vec![CpuSet::first(2)];
        assert_eq!(relation(&topology), Relation::Core);
        assume(&mut topology.cores);
        assert_eq!(relation(&topology), Relation::Unknown);
    }

    #[test]
    fn pairs_are_told_apart_by_the_nearest_they_share() {
        let line = |from, to, ns| Line { from, to, ns };
        let lines =
            [line(0, 4, 9.0), line(0, 1, 50.0), line(1, 4, 30.0), line(2, 3, 80.0), line(0, 2, 150.0)];
        let row = |relation, pairs, timed, ns| Times { relation, pairs, timed, ns };
        let wanted = [
            row(Relation::Core, 1, 1, Some([9.0; 3])),
            row(Relation::Cache, 2, 2, Some([30.0, 40.0, 50.0])),
            row(Relation::Package, 1, 1, Some([80.0; 3])),
            row(Relation::Machine, 6, 1, Some([150.0; 3])),
        ];
        assert_eq!(by_relation(&small(), &lines), wanted);
        let untimed = by_relation(&small(), &lines[..1]);
        assert_eq!(untimed[3], row(Relation::Machine, 6, 0, None));
    }
}
