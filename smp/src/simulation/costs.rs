//! What a simulated search pays for, in virtual time.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// What things cost, in nanoseconds of virtual time.
///
/// | cost | what it pays for | default |
/// |---|---|---|
/// | `node` | entering a node: generating, ordering, playing and evaluating | 240 |
/// | `probe` | asking the transposition table, a miss of all caches included | 100 |
/// | `split` | opening a split point (copying node, path and picker), and the locks of its life | 900 |
/// | `join` | taking a place at one and leaving it: locks, copying the path, what lies in another core's cache | 2 000 |
/// | `call` | waking sleepers, for the worker that does it: a system call | 2 000 |
/// | `wake` | from that call to the sleeper's first instruction | 3 500 |
/// | `near` | what each node takes longer when other threads work in the same subtree ([`works_together`](crate::schemes::Scheme::works_together)), beyond the lines that it fetches | 0 |
/// | `share` | what each node takes longer when other threads search too, wherever | 0 |
/// | `line` | bringing a cache line that another core has written, or has a copy of where it is to be written ([`coherence`](crate::simulation::coherence)) | 115 |
/// | `far` | the same between cores of different domains, if there are any; at least `line` | 0 |
/// | `domain` | cores whose caches lie close together, and among which `line` counts; 0 if all do | 0 |
/// | `jitter` | spread of `node`: each costs between 1 - jitter and 1 + jitter of it, by the seed | 0.5 |
///
/// Measured on virtual machines of two cores: node and probe together, call and wake
/// (bench/runs/2026-11-22-reading-ahead), a split (bench/runs/2026-11-23-before-the-eldest), a join
/// (bench/runs/2026-11-25-joins: the cores share a cache; where they do not, it may be three times that). How
/// a node's time divides between the first two is an estimate. On such a machine waking may take several
/// times as long on another day (bench/runs/2026-11-21-costs).
///
/// `line` is fitted to one figure of sixteen real cores, the rate of busy threads of `ybw` there, in units of a node
/// (bench/runs/2026-11-26-cache-clock): 185 ns where a node and its probe take 553, as 115 to 340. It is not the
/// bare transfer of a line, which took 69 to 82 ns there. With 200 ns the rates of 2, 4 and 8 threads and of
/// `lazy` come out as they were measured, within .041. `near` stands for the same where lines cost nothing: busy
/// threads of `abdada` and `ybw` lose 3.7 and 3.8 % against those of `lazy` on two cores
/// (bench/runs/2026-11-24-code-size). With lines counted nothing is left of it. `share`, which is memory bandwidth
/// and all else that grows with the number of threads wherever they search, counts only if given (docs/scaling.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Entering a node.
    pub node: u64,
    /// Asking the table.
    pub probe: u64,
    /// Opening a split point.
    pub split: u64,
    /// Taking a place at one, and leaving it.
    pub join: u64,
    /// Calling sleepers.
    pub call: u64,
    /// Waking up.
    pub wake: u64,
    /// Working in the same subtree as other threads, for each node.
    pub near: u64,
    /// Sharing memory with other threads, for each node.
    pub share: u64,
    /// Bringing a cache line from another core. Without it no memory is ever waited for, nor any lock.
    pub line: u64,
    /// Bringing one from a core of another domain, at least `line`.
    pub far: u64,
    /// Cores of a domain: so many with neighbouring numbers, or all if 0.
    pub domain: u64,
    /// Spread of the cost of a node, as a share of it, 0 to 1; only with a seed.
    pub jitter: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Costs {
            node: 240,
            probe: 100,
            split: 900,
            join: 2_000,
            call: 2_000,
            wake: 3_500,
            near: 0,
            share: 0,
            line: 115,
            far: 0,
            domain: 0,
            jitter: 0.5,
        }
    }
}

impl Costs {
    /// Those in nanoseconds, by name.
    fn times(&mut self) -> [(&'static str, &mut u64); 11] {
        let Costs { node, probe, split, join, call, wake, near, share, line, far, domain, .. } = self;
        [
            ("node", node),
            ("probe", probe),
            ("split", split),
            ("join", join),
            ("call", call),
            ("wake", wake),
            ("near", near),
            ("share", share),
            ("line", line),
            ("far", far),
            ("domain", domain),
        ]
    }
}

/// As [`FromStr`] reads it.
impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut costs = *self;
        for (name, time) in costs.times() {
            write!(f, "{name}={time},")?;
        }
        write!(f, "jitter={}", self.jitter)
    }
}

/// What is wrong with costs that a user gave.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCost {
    /// No such cost, or no such value.
    #[error(
        "'{0}' is not a cost: write NAME=NANOSECONDS (node, probe, split, join, call, wake, near, share, line or \
         far), domain=CORES or jitter=SHARE (0 to 1), separated by commas; a node costs at least 1"
    )]
    Unknown(String),
    /// A cost that stands before.
    #[error("'{0}' gives a cost for the second time")]
    Twice(String),
}

/// `wake=5000,call=1000`: the default but for these.
impl FromStr for Costs {
    type Err = BadCost;

    fn from_str(text: &str) -> Result<Self, BadCost> {
        let mut costs = Costs::default();
        let mut given = HashSet::new();
        for part in text.split(',') {
            let bad = || BadCost::Unknown(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(bad)?;
            let (name, value) = (name.trim(), value.trim());
            if !given.insert(name) {
                return Err(BadCost::Twice(part.to_owned()));
            }
            if name == "jitter" {
                let share = value.parse().ok().filter(|share| (0.0..=1.0).contains(share));
                costs.jitter = share.ok_or_else(bad)?;
            } else {
                let (_, time) =
                    costs.times().into_iter().find(|(known, _)| *known == name).ok_or_else(bad)?;
                // Up to a second, so that no sum of them overflows. A node takes time, or the clock stands
                // still.
                let least = u64::from(name == "node");
                *time = value
                    .parse()
                    .ok()
                    .filter(|time| (least..=1_000_000_000).contains(time))
                    .ok_or_else(bad)?;
            }
        }
        Ok(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read_as_they_are_written() {
        let costs: Costs = "wake=5000, call = 1000,jitter=0.25".parse().unwrap();
        assert_eq!(costs, Costs { wake: 5000, call: 1000, jitter: 0.25, ..Costs::default() });
        assert_eq!(costs.to_string().parse(), Ok(costs));
    }

    /// A cost that is given changes that one and no other.
    #[test]
    fn every_cost_has_its_own_name() {
        let usual = Costs::default();
        for (name, costs) in [
            ("node", Costs { node: 12_345, ..usual }),
            ("probe", Costs { probe: 12_345, ..usual }),
            ("split", Costs { split: 12_345, ..usual }),
            ("join", Costs { join: 12_345, ..usual }),
            ("call", Costs { call: 12_345, ..usual }),
            ("wake", Costs { wake: 12_345, ..usual }),
            ("near", Costs { near: 12_345, ..usual }),
            ("share", Costs { share: 12_345, ..usual }),
            ("line", Costs { line: 12_345, ..usual }),
            ("far", Costs { far: 12_345, ..usual }),
            ("domain", Costs { domain: 12_345, ..usual }),
        ] {
            assert_eq!(format!("{name}=12345").parse(), Ok(costs));
        }
    }

    #[test]
    fn what_is_no_cost_is_named() {
        for bad in [
            "",
            "wake",
            "wake=",
            "wake=-1",
            "wake=1.5",
            "sleep=3",
            "jitter=1.5",
            "jitter=nan",
            "node=2000000000",
            "node=0",
        ] {
            let text = format!("split=1,{bad}");
            assert_eq!(text.parse::<Costs>(), Err(BadCost::Unknown(bad.to_owned())), "{text}");
        }
        let twice = "split=1,line=3,split=2".parse::<Costs>();
        assert_eq!(twice, Err(BadCost::Twice("split=2".to_owned())));
    }
}
