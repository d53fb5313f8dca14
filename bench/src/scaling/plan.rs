//! What a study measures, and in which order.

use super::positions::Entry;
use cluster::simulation::Network;
use serde::{Deserialize, Serialize};
use smp::schemes::Scheme;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use thinking::report::Limits;

/// Which clock the searches run by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockKind {
    /// The machine's own threads and the time on the wall.
    Real,
    /// The deterministic scheduler of `smp::simulation`: any number of threads, nothing timed.
    Virtual,
}

impl fmt::Display for ClockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClockKind::Real => "real",
            ClockKind::Virtual => "virtual",
        })
    }
}

/// No clock has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown clock '{0}'; known are real, virtual")]
pub struct UnknownClock(String);

impl FromStr for ClockKind {
    type Err = UnknownClock;

    fn from_str(name: &str) -> Result<Self, UnknownClock> {
        match name {
            "real" => Ok(ClockKind::Real),
            "virtual" => Ok(ClockKind::Virtual),
            _ => Err(UnknownClock(name.to_owned())),
        }
    }
}

/// When a search of the study ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// At the depth each position has: what is compared is the time to it.
    Depth,
    /// After so many milliseconds: what is compared is the time to the deepest iteration that both searches finished.
    Milliseconds(u64),
}

/// A study.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The clock.
    pub clock: ClockKind,
    /// The schemes; `serial` need not be among them.
    pub schemes: Vec<Scheme>,
    /// The numbers of threads, of each machine.
    pub threads: Vec<usize>,
    /// The numbers of machines; by the virtual clock only more than one.
    pub machines: Vec<usize>,
    /// What joins them.
    pub cluster: Cluster,
    /// What evaluates: a network, or the hand-crafted evaluation.
    pub evaluation: Option<Arc<nnue::Network>>,
    /// The positions; under [`Goal::Depth`] all have a depth.
    pub positions: Vec<Entry>,
    /// When a search ends.
    pub goal: Goal,
    /// How often everything is measured; on the virtual clock each time with another jitter.
    pub repeats: usize,
    /// Size of the transposition table of each machine, in mebibytes.
    pub hash: usize,
    /// Seed of the bootstrap and of the virtual clock's jitter.
    pub seed: u64,
    /// Keep the cores busy that a search leaves free.
    pub load: bool,
}

/// What joins the machines of a simulated cluster, and what they say to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// The network between them.
    #[serde(flatten)]
    pub network: Network,
    /// Do they exchange entries of their tables?
    pub exchange: bool,
}

impl Default for Cluster {
    fn default() -> Self {
        Cluster { network: Network::default(), exchange: true }
    }
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} of table entries",
            self.network,
            if self.exchange { "exchange" } else { "no exchange" }
        )
    }
}

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// The scheme, within each machine.
    pub scheme: Scheme,
    /// Threads of each machine.
    pub threads: usize,
    /// Machines.
    pub machines: usize,
}

impl Team {
    /// The threads of one machine.
    pub const fn new(scheme: Scheme, threads: usize) -> Self {
        Team { scheme, threads, machines: 1 }
    }

    /// Threads of all its machines.
    pub const fn all_threads(self) -> usize {
        self.threads * self.machines
    }
}

/// As a heading: `ybw x8`, or `ybw 4 x 8` on four machines.
impl fmt::Display for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machines {
            1 => write!(f, "{} x{}", self.scheme, self.threads),
            machines => write!(f, "{} {machines} x {}", self.scheme, self.threads),
        }
    }
}

/// The baseline: one thread.
pub const ALONE: Team = Team::new(Scheme::Serial, 1);

/// One search of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which repeat, from 0.
    pub repeat: usize,
    /// Index into the plan's positions.
    pub position: usize,
    /// Who searches.
    pub team: Team,
}

impl Plan {
    /// The teams, the baseline first, each once.
    pub fn teams(&self) -> Vec<Team> {
        let mut teams = vec![ALONE];
        for &scheme in &self.schemes {
            for &threads in &self.threads {
                for &machines in &self.machines {
                    let threads = if scheme == Scheme::Serial { 1 } else { threads };
                    let team = Team { scheme, threads, machines };
                    if !teams.contains(&team) {
                        teams.push(team);
                    }
                }
            }
        }
        teams
    }

    /// Are there searches of several machines?
    pub fn has_clusters(&self) -> bool {
        self.machines.iter().any(|&machines| machines > 1)
    }

    /// All searches. Each position is searched by all teams before the next one's turn comes, so that what changes
    /// slowly on the machine touches all alike; and the teams begin with another each time, so that none is always
    /// the first after a pause.
    pub fn order(&self) -> Vec<Run> {
        let teams = self.teams();
        let mut order = Vec::with_capacity(self.repeats * self.positions.len() * teams.len());
        for repeat in 0..self.repeats {
            for position in 0..self.positions.len() {
                let first = (repeat * self.positions.len() + position) % teams.len();
                let rotated = teams[first..].iter().chain(&teams[..first]);
                order.extend(rotated.map(|&team| Run { repeat, position, team }));
            }
        }
        order
    }

    /// The limits of a search of this position.
    pub fn limits(&self, position: usize) -> Limits {
        match self.goal {
            Goal::Depth => {
                Limits { depth: self.positions[position].depth, depth_unknown: true, ..Limits::default() }
            }
            Goal::Milliseconds(ms) => {
                Limits { movetime: Some(Duration::from_millis(ms)), ..Limits::default() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, HashSet};

    fn plan() -> Plan {
        let positions = crate::scaling::positions::read("bratko-kopec").unwrap();
        Plan {
            clock: ClockKind::Real,
            schemes: vec![Scheme::Serial, Scheme::Lazy, Scheme::Ybw],
            threads: vec![1, 2, 2],
            machines: vec![1],
            cluster: Cluster::default(),
            evaluation: None,
            positions: positions.into_iter().take(5).collect(),
            goal: Goal::Depth,
            repeats: 3,
            hash: 1,
            seed: 1,
            load: false,
        }
    }

    #[test]
    fn every_team_searches_everything_once_a_repeat() {
        let plan = plan();
        let [lazy, ybw] = [Scheme::Lazy, Scheme::Ybw].map(|scheme| move |threads| Team::new(scheme, threads));
        assert_eq!(plan.teams(), [ALONE, lazy(1), lazy(2), ybw(1), ybw(2)]);
        let order = plan.order();
        let distinct: HashSet<String> = order.iter().map(|run| format!("{run:?}")).collect();
        assert_eq!((order.len(), distinct.len()), (3 * 5 * 5, 3 * 5 * 5));
    }

    #[test]
    fn each_team_may_search_on_several_machines() {
        let plan = Plan { machines: vec![1, 4], schemes: vec![Scheme::Serial, Scheme::Ybw], ..plan() };
        let team = |scheme, threads, machines| Team { scheme, threads, machines };
        let serial = [ALONE, team(Scheme::Serial, 1, 4)];
        let ybw =
            [(1, 1), (1, 4), (2, 1), (2, 4)].map(|(threads, machines)| team(Scheme::Ybw, threads, machines));
        assert_eq!(plan.teams(), [&serial[..], &ybw[..]].concat());
        assert_eq!(ybw.map(Team::all_threads), [1, 4, 2, 8]);
        assert_eq!([ybw[2], ybw[3]].map(|team| team.to_string()), ["ybw x2", "ybw 4 x 2"]);
    }

    #[test]
    fn teams_take_turns_at_being_first() {
        let order = plan().order();
        let mut firsts: BTreeMap<String, usize> = BTreeMap::new();
        for block in order.chunks(5) {
            assert!(
                block.iter().all(|run| (run.position, run.repeat) == (block[0].position, block[0].repeat))
            );
            *firsts.entry(format!("{:?}", block[0].team)).or_default() += 1;
        }
        assert!(firsts.len() == 5 && firsts.values().all(|&times| times == 3), "{firsts:?}");
    }

    #[test]
    fn clocks_have_two_names() {
        for clock in [ClockKind::Real, ClockKind::Virtual] {
            assert_eq!(clock.to_string().parse(), Ok(clock));
        }
        let error = "sundial".parse::<ClockKind>().unwrap_err().to_string();
        assert!(error.contains("sundial") && error.contains("real, virtual"), "{error}");
    }
}
