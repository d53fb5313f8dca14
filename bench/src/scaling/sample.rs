//! One measured search, as it stands in a result file.

use super::plan::{Plan, Run, Team};
use cluster::simulation::Rank;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smp::pool::accounts::{Accounts, Tally};
use smp::schemes::Scheme;
use smp::simulation::coherence::{Class, Traffic};
use std::time::Duration;

/// Schemes by their names.
pub(super) mod by_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use smp::schemes::Scheme;

    pub fn serialize<S: Serializer>(scheme: &Scheme, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(scheme)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Scheme, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// What [`Tally`] counts; see there.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Tally")]
pub(super) struct TallyFields {
    splits: u64,
    joins: u64,
    refused: u64,
    aborted: u64,
    wasted: u64,
    deferred: u64,
    /// Results of before it was counted lack it.
    #[serde(default)]
    again: u64,
}

/// The same for [`Traffic`], under the names of the classes; those that a result lacks are 0.
pub(super) mod traffic {
    use super::{Class, Traffic};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    #[derive(Serialize, Deserialize)]
    struct Fields {
        lines: BTreeMap<String, u64>,
        line_ns: BTreeMap<String, u64>,
        lock_ns: BTreeMap<String, u64>,
    }

    fn named(counts: &[u64]) -> BTreeMap<String, u64> {
        Class::ALL.iter().zip(counts).map(|(class, &count)| (class.name().to_owned(), count)).collect()
    }

    pub fn serialize<S: Serializer>(traffic: &Option<Traffic>, to: S) -> Result<S::Ok, S::Error> {
        let fields = traffic.as_ref().map(|traffic| Fields {
            lines: named(&traffic.lines),
            line_ns: named(&traffic.line_ns),
            lock_ns: named(&traffic.lock_ns),
        });
        fields.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Traffic>, D::Error> {
        let counts = |named: BTreeMap<String, u64>| {
            Class::ALL.map(|class| named.get(class.name()).copied().unwrap_or(0))
        };
        Ok(Option::<Fields>::deserialize(from)?.map(|Fields { lines, line_ns, lock_ns }| Traffic {
            lines: counts(lines),
            line_ns: counts(line_ns),
            lock_ns: counts(lock_ns),
        }))
    }
}

/// An iteration that a search finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// Its depth, in plies.
    pub depth: u32,
    /// When it was finished, from the start of the search, in nanoseconds.
    pub time_ns: u64,
    /// Nodes of all threads until then.
    pub nodes: u64,
}

/// What a clock tells of a search.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What it cost.
    pub accounts: Accounts,
    /// What the machines of a cluster exchanged, by rank.
    pub ranks: Vec<Rank>,
    /// What it finished, by depth, to the first that found a mate.
    pub iterations: Vec<Iteration>,
    /// Depth reached.
    pub depth: u32,
    /// The score, as UCI says it.
    pub score: String,
    /// The best move, by its squares.
    pub best: String,
}

/// A measured search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The scheme.
    #[serde(with = "by_name")]
    pub scheme: Scheme,
    /// Its threads, of each machine.
    pub threads: usize,
    /// Machines; results of before 2026-11-26 lack it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub machines: usize,
    /// The position's name.
    pub position: String,
    /// Which repeat, from 0.
    pub repeat: usize,
    /// Depth reached, in plies.
    pub depth: u32,
    /// The score, as UCI says it.
    pub score: String,
    /// The best move.
    pub best: String,
    /// The whole search, in nanoseconds of its clock.
    pub time_ns: u64,
    /// Nodes, by thread.
    pub nodes: Vec<u64>,
    /// Time without work, by thread, in nanoseconds.
    pub idle_ns: Vec<u64>,
    /// What the scheme counted.
    #[serde(with = "TallyFields")]
    pub tally: Tally,
    /// What went from cache to cache; only the virtual clock knows, since 2026-11-26.
    #[serde(default, with = "traffic", skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// What the machines of a simulated cluster exchanged, by rank.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Rank>,
    /// Iterations finished, to the first that found a mate.
    pub iterations: Vec<Iteration>,
}

/// What the machines of a cluster exchanged, in sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchanged {
    /// Entries sent, each counted once for every machine it went to.
    pub sent: u64,
    /// Entries for which there was no room.
    pub dropped: u64,
    /// Entries received.
    pub received: u64,
    /// Entries received that a search then found in the table.
    pub probed: u64,
    /// Entries received that ended a node.
    pub cut: u64,
    /// Bytes of all messages.
    pub bytes: u64,
    /// Nanoseconds for which the threads that talk were busy.
    pub talking_ns: u64,
}

impl Exchanged {
    /// Adds what these machines exchanged.
    pub fn add(&mut self, ranks: &[Rank]) {
        for Rank { tally, talking_ns } in ranks {
            self.sent += tally.sent;
            self.dropped += tally.dropped;
            self.received += tally.received;
            self.probed += tally.probed;
            self.cut += tally.cut;
            self.bytes += tally.bytes;
            self.talking_ns += talking_ns;
        }
    }
}

fn one() -> usize {
    1
}

fn is_one(number: &usize) -> bool {
    *number == 1
}

/// Nodes of one thread within which a position is solved at once: about a hundredth of a second.
pub const AT_ONCE: u64 = 10_000;

/// A duration in nanoseconds, which last 584 years.
pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Sample {
    /// What came of a run of the plan.
    pub fn new(plan: &Plan, run: &Run, outcome: Outcome) -> Self {
        let accounts = outcome.accounts;
        Sample {
            scheme: run.team.scheme,
            threads: run.team.threads,
            machines: run.team.machines,
            position: plan.positions[run.position].id.clone(),
            repeat: run.repeat,
            depth: outcome.depth,
            score: outcome.score,
            best: outcome.best,
            time_ns: nanoseconds(accounts.time),
            nodes: accounts.nodes,
            idle_ns: accounts.idle.into_iter().map(nanoseconds).collect(),
            tally: accounts.tally,
            traffic: accounts.traffic,
            ranks: outcome.ranks,
            iterations: outcome.iterations,
        }
    }

    /// What its machines exchanged, in sum.
    pub fn exchanged(&self) -> Exchanged {
        let mut sum = Exchanged::default();
        sum.add(&self.ranks);
        sum
    }

    /// Who searched.
    pub fn team(&self) -> Team {
        Team { scheme: self.scheme, threads: self.threads, machines: self.machines }
    }

    /// Is this what comes of a run of the plan?
    pub fn is_of(&self, plan: &Plan, run: &Run) -> bool {
        let Run { repeat, position, team } = *run;
        (self.repeat, self.team()) == (repeat, team) && self.position == plan.positions[position].id
    }

    /// Nodes of all threads.
    pub fn total_nodes(&self) -> u64 {
        self.nodes.iter().sum()
    }

    /// Was a mate found at once? Deeper iterations are then over in no time, and what a team gains says how
    /// fast threads wake up, not how they search.
    pub fn is_solved_at_once(&self) -> bool {
        let nodes = self.iterations.last().map_or(0, |iteration| iteration.nodes);
        self.score.starts_with("mate") && nodes < AT_ONCE
    }

    /// What the search cost, as [`smp::pool::accounts`] has it.
    pub fn accounts(&self) -> Accounts {
        Accounts {
            time: Duration::from_nanos(self.time_ns),
            nodes: self.nodes.clone(),
            idle: self.idle_ns.iter().map(|&ns| Duration::from_nanos(ns)).collect(),
            tally: self.tally,
            traffic: self.traffic,
        }
    }

    /// The finished iteration of this depth: a team may skip depths.
    pub fn iteration(&self, depth: u32) -> Option<&Iteration> {
        self.iterations.iter().find(|iteration| iteration.depth == depth)
    }
}

/// Can the counts of these searches be added up, and times multiplied by threads? Those that were measured can; a file
/// may hold others.
pub fn have_sums<'s>(samples: impl IntoIterator<Item = &'s Sample>) -> bool {
    let sum = samples.into_iter().try_fold(0_u64, |sum, sample| {
        sample.threads.checked_mul(sample.machines)?;
        let busy = sample.time_ns.checked_mul(sample.idle_ns.len() as u64)?;
        let counts = total(&serde_json::to_value(sample).ok()?)?;
        sum.checked_add(busy)?.checked_add(counts)
    });
    sum.is_some()
}

/// The sum of all numbers, if there is one.
fn total(value: &Value) -> Option<u64> {
    let sum = |sum: u64, value: &Value| sum.checked_add(total(value)?);
    match value {
        Value::Number(number) => number.as_u64(),
        Value::Array(values) => values.iter().try_fold(0, sum),
        Value::Object(fields) => fields.values().try_fold(0, sum),
        _ => Some(0),
    }
}
