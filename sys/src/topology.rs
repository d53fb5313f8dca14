//! The shape of the machine: CPUs, cores, caches, memory nodes, and how much of it is ours.
//!
//! "How many threads?" has no single answer in any one file. The kernel counts logical CPUs, two of which may
//! share one core; an affinity mask may forbid most of them; a container's quota may grant the time of one
//! and a half. Programs that look at only one of these search with half the machine, or are stopped in the
//! middle of every period and lose on time. So this module reads them all, remembers for each fact where it
//! was read, and says why it recommends what it does.
//!
//! The groups matter as well: threads that share a last-level cache share tables well, threads on different
//! memory nodes badly.
//!
//! Linux only knows this much. Elsewhere, or where files are missing or garbled, a fact is replaced by the
//! plainest assumption, and its source says so.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::affinity::{self, CpuSet};
use crate::{cgroup, tree};

const CPU: &str = "sys/devices/system/cpu";
const NODE: &str = "sys/devices/system/node";

/// How the source of what nothing says begins.
const ASSUMED: &str = "assumed";
/// The source of a quota that is not there.
const NO_QUOTA: &str = "no control group sets one";

/// Something that was found out, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact<T> {
    /// What was found.
    pub value: T,
    /// Where: a file, a system call, or an assumption, in words for people.
    pub source: String,
}

impl<T> Fact<T> {
    fn new(value: T, source: impl Into<String>) -> Self {
        Self { value, source: source.into() }
    }

    /// The plainest assumption, since nothing says what is so; `what`: in words for people.
    fn assumed(value: T, what: impl fmt::Display) -> Self {
        Self::new(value, format!("{ASSUMED}: {what}"))
    }

    /// Is it an assumption, with nothing that says so?
    pub fn is_assumed(&self) -> bool {
        self.source.starts_with(ASSUMED)
    }
}

/// The machine as the kernel describes it. Each list of sets is a partition of the online CPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// The logical CPUs that are switched on. Never empty.
    pub online: Fact<CpuSet>,
    /// Those of them the current thread may run on. Never empty.
    pub allowed: Fact<CpuSet>,
    /// The control group's quota, in CPUs (1.5: one and a half), whose source is the path of its file; `None` if
    /// there is no such limit.
    pub quota: Option<Fact<f64>>,
    /// The physical cores; the CPUs of one set are SMT siblings.
    pub cores: Fact<Vec<CpuSet>>,
    /// The processor packages (sockets).
    pub packages: Fact<Vec<CpuSet>>,
    /// The CPUs that share a last-level cache, usually the L3.
    pub caches: Fact<Vec<CpuSet>>,
    /// The memory (NUMA) nodes that have CPUs.
    pub nodes: Fact<Vec<CpuSet>>,
    /// The kinds of core, fastest first: more than one on hybrid processors.
    pub kinds: Fact<Vec<CpuSet>>,
}

/// How many threads to search with, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recommendation {
    /// At least 1.
    pub threads: usize,
    /// What the number follows from, a sentence each, in the order it was narrowed down.
    pub reasons: Vec<String>,
}

/// What is known without any file: the only knowledge on systems other than Linux.
struct Known {
    affinity: Option<CpuSet>,
    logical: usize,
    physical: usize,
}

impl Topology {
    /// The machine this runs on. Some file reads per CPU: for the start of a program, not for every search.
    pub fn detect() -> Self {
        let known = Known {
            affinity: affinity::current().ok(),
            logical: num_cpus::get(),
            physical: num_cpus::get_physical(),
        };
        Self::read(Path::new("/"), &known)
    }

    fn read(root: &Path, known: &Known) -> Self {
        let online = online(root, known);
        let cpus = &online.value;
        let allowed = match known.affinity.as_ref().map(|mask| mask.intersection(cpus)) {
            Some(mask) if !mask.is_empty() => Fact::new(mask, "the affinity mask of this thread"),
            _ => Fact::assumed(cpus.clone(), "all that are online"),
        };
        let quota =
            cgroup::cpu_quota(root).map(|quota| Fact::new(quota.value, format!("/{}", quota.file.display())));
        let cores = cores(root, cpus, known);
        let (packages, nodes) = (packages(root, cpus), nodes(root, cpus));
        Self {
            allowed,
            quota,
            caches: caches(root, cpus, &cores.value, [&nodes, &packages]),
            cores,
            packages,
            nodes,
            kinds: kinds(root, cpus),
            online,
        }
    }

    /// The CPUs this process may use, by the last-level cache they share. Never empty.
    pub fn cache_domains(&self) -> Vec<CpuSet> {
        let usable = self.caches.value.iter().map(|domain| domain.intersection(&self.allowed.value));
        usable.filter(|domain| !domain.is_empty()).collect()
    }

    /// Where threads are to run, in the order of their numbers: each place is one of [`Self::cache_domains`]. First
    /// a place for each physical core, domain by domain, so that neighbours share a cache; then the cores' further
    /// CPUs, by which two threads share a core. Of the domains those with the fastest kind of core come first. A domain
    /// with several kinds is one place all the same, within which the system chooses: a kind may have a single
    /// core, and a thread is best not bound to a single one.
    pub fn thread_places(&self) -> Vec<CpuSet> {
        let mut domains = self.cache_domains();
        domains.sort_by_key(|domain| self.fastest_kind(domain));
        let cores = |domain: &CpuSet| {
            self.cores.value.iter().filter(|core| !core.intersection(domain).is_empty()).count()
        };
        let first = domains.iter().flat_map(|domain| std::iter::repeat_n(domain, cores(domain)));
        let further = domains
            .iter()
            .flat_map(|domain| std::iter::repeat_n(domain, domain.count().saturating_sub(cores(domain))));
        first.chain(further).cloned().collect()
    }

    /// The place in [`Self::kinds`] of the fastest kind of core among these CPUs; beyond the last where none is known.
    fn fastest_kind(&self, cpus: &CpuSet) -> usize {
        let kinds = &self.kinds.value;
        kinds.iter().position(|kind| !kind.intersection(cpus).is_empty()).unwrap_or(kinds.len())
    }

    /// How many physical cores of the fastest kind this process may use; `None` where all that it may use are of one
    /// kind.
    pub fn fastest_cores(&self) -> Option<usize> {
        let usable = |kind: &CpuSet| {
            let kind = kind.intersection(&self.allowed.value);
            self.cores.value.iter().filter(|core| !core.intersection(&kind).is_empty()).count()
        };
        let counts: Vec<usize> = self.kinds.value.iter().map(usable).filter(|&count| count > 0).collect();
        (counts.len() > 1).then(|| counts[0])
    }

    /// How many CPUs this process may use at once: those that are allowed, and of a quota the whole CPUs, since it
    /// stops further threads for a part of every period. At least 1.
    pub fn usable(&self) -> usize {
        let granted = self.quota.as_ref().map_or(usize::MAX, |quota| quota.value as usize);
        self.allowed.value.count().min(granted).max(1)
    }

    /// Where each fact was read, by its name in the JSON documents of commands.
    pub fn sources(&self) -> BTreeMap<String, String> {
        let quota = self.quota.as_ref().map_or(NO_QUOTA, |quota| quota.source.as_str());
        let sources = [
            ("online", self.online.source.as_str()),
            ("allowed", &self.allowed.source),
            ("quota", quota),
            ("cores", &self.cores.source),
            ("packages", &self.packages.source),
            ("caches", &self.caches.source),
            ("nodes", &self.nodes.source),
            ("kinds", &self.kinds.source),
        ];
        sources.into_iter().map(|(name, source)| (name.to_owned(), source.to_owned())).collect()
    }

    /// One thread for each physical core this process may use, within the quota.
    ///
    /// A quota is rounded down: two threads on a quota of 1.5 both stand still for a quarter of the time, and
    /// at an unknown time, which is worse for a clock than one thread that always runs.
    pub fn recommended_threads(&self) -> Recommendation {
        let (online, allowed) = (&self.online.value, &self.allowed.value);
        let mut reasons = vec![format!("{} logical CPUs are online", online.count())];
        if allowed != online {
            reasons.push(format!("{} of them may be used: {}", allowed.count(), self.allowed.source));
        }
        let cores = self.cores.value.iter().filter(|core| !core.intersection(allowed).is_empty()).count();
        if cores < allowed.count() {
            reasons.push(format!(
                "they are siblings on {cores} physical cores, and siblings share one core's work"
            ));
        }
        let mut threads = cores;
        if let Some(quota) = &self.quota
            && quota.value < threads as f64
        {
            threads = quota.value as usize;
            let why = if quota.value < 1.0 {
                "even a single thread is stopped for a part of every period, and may lose on time"
            } else {
                "more threads would be stopped in the middle of every period"
            };
            reasons.push(format!("the quota is {:.2} CPUs ({}): {why}", quota.value, quota.source));
        }
        Recommendation { threads: threads.max(1), reasons }
    }
}

/// An affinity mask has only CPUs that are online. Where it has others than the file, as in a container that is shown
/// made-up files (lxcfs), the file is wrong.
fn online(root: &Path, known: &Known) -> Fact<CpuSet> {
    let file = format!("{CPU}/online");
    let listed = tree::value::<CpuSet>(root, &file);
    let mask = known.affinity.as_ref().filter(|mask| !mask.is_empty());
    match (listed, mask) {
        (Some(cpus), Some(mask)) if !mask.difference(&cpus).is_empty() => {
            Fact::new(mask.clone(), format!("the affinity mask of this thread, which /{file} contradicts"))
        }
        (Some(cpus), _) => Fact::new(cpus, format!("/{file}")),
        (None, Some(mask)) => Fact::new(mask.clone(), "the affinity mask of this thread"),
        (None, None) => Fact::new(CpuSet::first(known.logical.max(1)), "the system's count of CPUs"),
    }
}

fn cores(root: &Path, cpus: &CpuSet, known: &Known) -> Fact<Vec<CpuSet>> {
    let siblings = |cpu| topology_list(root, cpu, ["core_cpus_list", "thread_siblings_list"]);
    partition(cpus, siblings, &format!("/{CPU}/cpu*/topology/core_cpus_list")).unwrap_or_else(|| {
        // Only the number of cores is known: siblings are assumed to be numbered next to each other, and cores with
        // more of them, as on hybrid processors, to come first. A count that cannot be is none.
        let count = cpus.count();
        let cores = if (1..=count).contains(&known.physical) { known.physical } else { count };
        let mut numbers = cpus.iter();
        let siblings = |core: usize| count / cores + usize::from(core < count % cores);
        let sets = (0..cores).map(|core| numbers.by_ref().take(siblings(core)).collect()).collect();
        if cores < count {
            Fact::assumed(sets, "siblings next to each other, by the system's count of cores")
        } else {
            Fact::new(sets, "the system's count of cores")
        }
    })
}

fn packages(root: &Path, cpus: &CpuSet) -> Fact<Vec<CpuSet>> {
    let together = |cpu| topology_list(root, cpu, ["package_cpus_list", "core_siblings_list"]);
    partition(cpus, together, &format!("/{CPU}/cpu*/topology/package_cpus_list"))
        .unwrap_or_else(|| Fact::assumed(vec![cpus.clone()], "a single package"))
}

/// Kernels before 5.3 have only the second, older name.
fn topology_list(root: &Path, cpu: usize, names: [&str; 2]) -> Option<CpuSet> {
    names.iter().find_map(|name| tree::value(root, format!("{CPU}/cpu{cpu}/topology/{name}")))
}

/// Where no file says which caches there are, as in many virtual machines, they are taken to be as wide as the finer of
/// `groups`, the memory nodes and the packages: a cache for all would join what is far apart. Groups of one CPU each
/// say nothing, since some virtual machines have a package for each. The same holds where each core has the highest
/// level listed to itself: the last level is then not listed (Ampere Altra, virtual machines that list L1 and L2 only).
fn caches(
    root: &Path,
    cpus: &CpuSet,
    cores: &[CpuSet],
    groups: [&Fact<Vec<CpuSet>>; 2],
) -> Fact<Vec<CpuSet>> {
    let is_private = |cache: &CpuSet| cores.iter().any(|core| cache.difference(core).is_empty());
    let last_level = |cpu| {
        let folders = (0..).map(|index| format!("{CPU}/cpu{cpu}/cache/index{index}"));
        folders
            .map_while(|folder| Some((tree::value::<u32>(root, format!("{folder}/level"))?, folder)))
            .max()
            .and_then(|(_, folder)| tree::value(root, format!("{folder}/shared_cpu_list")))
    };
    partition(cpus, last_level, &format!("/{CPU}/cpu*/cache/index*/shared_cpu_list, the highest level"))
        .filter(|caches| caches.value.len() == 1 || !caches.value.iter().all(is_private))
        .unwrap_or_else(|| {
            let told = groups.into_iter().filter(|groups| {
                groups.value.len() > 1 && groups.value.iter().any(|group| group.count() > 1)
            });
            match told.max_by_key(|groups| groups.value.len()) {
                Some(groups) => {
                    Fact::assumed(groups.value.clone(), format!("a cache each by {}", groups.source))
                }
                None => Fact::assumed(vec![cpus.clone()], "one cache for all"),
            }
        })
}

fn nodes(root: &Path, cpus: &CpuSet) -> Fact<Vec<CpuSet>> {
    let list = |node: usize| tree::value::<CpuSet>(root, format!("{NODE}/node{node}/cpulist"));
    let numbers: CpuSet = tree::value(root, format!("{NODE}/online")).unwrap_or_default();
    let nodes: Vec<CpuSet> = numbers.iter().filter_map(list).collect();
    let node_of = |cpu| nodes.iter().find(|node| node.contains(cpu)).cloned();
    partition(cpus, node_of, &format!("/{NODE}/node*/cpulist"))
        .unwrap_or_else(|| Fact::assumed(vec![cpus.clone()], "a single memory node"))
}

/// Intel's hybrids list each kind as a device of its own; elsewhere the kernel gives each CPU a relative
/// capacity.
fn kinds(root: &Path, cpus: &CpuSet) -> Fact<Vec<CpuSet>> {
    let devices = ["cpu_core", "cpu_atom", "cpu_lowpower"].map(|name| format!("sys/devices/{name}/cpus"));
    let listed: Vec<CpuSet> = devices.iter().filter_map(|file| tree::value(root, file)).collect();
    let kind_of = |cpu| listed.iter().find(|kind| kind.contains(cpu)).cloned();
    if let Some(mut kinds) = partition(cpus, kind_of, "/sys/devices/cpu_core/cpus and its like") {
        let place = |kind: &CpuSet| listed.iter().position(|other| !other.intersection(kind).is_empty());
        kinds.value.sort_by_key(|kind| place(kind).unwrap_or(listed.len()));
        return kinds;
    }
    let capacity = |cpu| tree::value::<u32>(root, format!("{CPU}/cpu{cpu}/cpu_capacity"));
    let capacities: Vec<(u32, usize)> = cpus.iter().filter_map(|cpu| Some((capacity(cpu)?, cpu))).collect();
    let same =
        |wanted| capacities.iter().filter(move |(capacity, _)| *capacity == wanted).map(|&(_, cpu)| cpu);
    let kind_of = |cpu| capacity(cpu).map(|capacity| same(capacity).collect());
    let mut kinds = partition(cpus, kind_of, &format!("/{CPU}/cpu*/cpu_capacity"))
        .unwrap_or_else(|| Fact::assumed(vec![cpus.clone()], "all alike"));
    // What has no capacity comes last.
    kinds.value.sort_by_key(|kind| std::cmp::Reverse(kind.lowest().and_then(capacity)));
    kinds
}

/// Cuts `cpus` into the groups that `group_of` names, in order of their first CPU; `None` if it knows no
/// group at all.
///
/// Whatever the files say, the result is a partition: CPUs that are not online are left out, one already in a
/// group stays there, and one without a group stands alone.
fn partition(
    cpus: &CpuSet,
    group_of: impl Fn(usize) -> Option<CpuSet>,
    source: &str,
) -> Option<Fact<Vec<CpuSet>>> {
    let (mut groups, mut unknown) = (Vec::new(), 0);
    let mut left = cpus.clone();
    while let Some(cpu) = left.lowest() {
        let named = group_of(cpu).filter(|group| group.contains(cpu));
        unknown += usize::from(named.is_none());
        let group = named.map_or_else(|| [cpu].into_iter().collect(), |group| group.intersection(&left));
        left = left.difference(&group);
        groups.push(group);
    }
    let source = match unknown {
        0 => source.to_owned(),
        n => format!("{source}; {n} CPUs are not in it"),
    };
    (unknown < groups.len()).then(|| Fact::new(groups, source))
}

/// A table for people: a line for each fact, what was found and where.
impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = |fact: &Fact<CpuSet>| (fact.value.count().to_string(), fact.value.to_string());
        let sets = |fact: &Fact<Vec<CpuSet>>| {
            const SHOWN: usize = 8;
            let mut parts: Vec<String> = fact.value.iter().take(SHOWN).map(CpuSet::to_string).collect();
            parts.extend((fact.value.len() > SHOWN).then(|| "...".to_owned()));
            (fact.value.len().to_string(), parts.join(" | "))
        };
        let quota = match &self.quota {
            Some(quota) => ((format!("{:.2}", quota.value), "CPUs".to_owned()), quota.source.as_str()),
            None => (("none".to_owned(), String::new()), NO_QUOTA),
        };
        let rows = [
            ("logical CPUs", set(&self.online), self.online.source.as_str()),
            ("allowed", set(&self.allowed), &self.allowed.source),
            ("quota", quota.0, quota.1),
            ("physical cores", sets(&self.cores), &self.cores.source),
            ("packages", sets(&self.packages), &self.packages.source),
            ("cache domains", sets(&self.caches), &self.caches.source),
            ("memory nodes", sets(&self.nodes), &self.nodes.source),
            ("kinds of core", sets(&self.kinds), &self.kinds.source),
        ];
        for (name, (count, detail), source) in rows {
            writeln!(f, "{name:<15} {count:>4}  {detail:<24}  {source}")?;
        }
        Ok(())
    }
}

/// The number, and below it the reasons, a line each.
impl fmt::Display for Recommendation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<15} {:>4}", "threads", self.threads)?;
        self.reasons.iter().try_for_each(|reason| writeln!(f, "  - {reason}"))
    }
}

#[cfg(test)]
mod tests;
