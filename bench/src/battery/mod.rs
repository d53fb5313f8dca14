//! The battery: what there is to measure on a machine with many cores, by one command, in the few minutes for which
//! one may be at hand.
//!
//! It is done in [`Part`]s: what the machine is and how long its cores take to pass a line ([`machine`]), how deep one
//! thread searches each position in the time wanted (the [`pilot`](crate::scaling::pilot)), and then round by round all
//! [`Entrant`]s at one position, taking turns at being first. Each part is written when it is done, and a battery that
//! is begun again goes on with the first that is missing. [`parts`] reads what there is, and [`summary`] makes the
//! figures.

pub mod machine;
pub mod parts;
pub mod summary;

use crate::scaling::clock::{Adjustable, ClockError, Real};
use crate::scaling::pilot::pilot;
use crate::scaling::plan::{ALONE, ClockKind, Cluster, Goal, Plan, Run, Team};
use crate::scaling::positions::Entry;
use crate::scaling::sample::Sample;
use crate::scaling::study::warm_up;
use machine::Machine;
use nnue::Network;
use serde::{Deserialize, Serialize};
use smp::schemes::Scheme;
use smp::schemes::hybrid::most_members;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use sys::affinity::CpuSet;

/// Who searches, and how it is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Scheme and threads.
    pub team: Team,
    /// Most threads of a team of `hybrid`.
    pub members: usize,
    /// Are its threads bound to cache domains?
    pub bound: bool,
}

/// As a table names it: `hybrid/8 16 bound`.
impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.team.scheme)?;
        if self.team.scheme == Scheme::Hybrid {
            write!(f, "/{}", self.members)?;
        }
        write!(f, " {}{}", self.team.threads, if self.bound { " bound" } else { "" })
    }
}

/// What a battery measures.
#[derive(Clone, Debug)]
pub struct Battery {
    /// The positions; the pilot finds their depths.
    pub positions: Vec<Entry>,
    /// How long one thread is to take for a position.
    pub wanted: Duration,
    /// Numbers of threads, ascending.
    pub threads: Vec<usize>,
    /// Sizes of `hybrid`'s teams beside the usual one.
    pub members: Vec<usize>,
    /// How often everything is measured.
    pub repeats: usize,
    /// Size of the table in mebibytes.
    pub hash: usize,
    /// Are the largest teams measured with their threads bound, too? To no purpose where all processors share a cache.
    pub binds: bool,
}

/// One search, and who made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Most threads of a team of `hybrid`.
    pub members: usize,
    /// Were the threads bound?
    pub bound: bool,
    /// The search.
    #[serde(flatten)]
    pub sample: Sample,
}

/// A depth that the pilot chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Depth {
    /// The position's name.
    pub position: String,
    /// In plies.
    pub depth: u32,
    /// What it took one thread in the pilot.
    pub seconds: f64,
    /// No depth took anything like the time wanted: the position is left out.
    pub too_soon: bool,
}

/// What was found in a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The machine, and how long a line takes between its cores.
    Machine(Box<Machine>),
    /// How deep the positions are searched.
    Pilot(Vec<Depth>),
    /// All entrants at one position.
    Round(Vec<Measured>),
}

/// What is to be done in a part; in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// See [`Part::Machine`].
    Machine,
    /// See [`Part::Pilot`].
    Pilot,
    /// See [`Part::Round`]: which repeat, and which position.
    Round(usize, usize),
}

/// The name of its file, without an ending; names sort in the order of the steps.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Machine => f.write_str("0-machine"),
            Step::Pilot => f.write_str("1-pilot"),
            Step::Round(repeat, position) => write!(f, "2-round-{:02}-{:02}", repeat + 1, position + 1),
        }
    }
}

/// No step has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not the name of a part")]
pub struct UnknownStep(String);

impl FromStr for Step {
    type Err = UnknownStep;

    fn from_str(name: &str) -> Result<Self, UnknownStep> {
        let place = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
        let round = || {
            let (repeat, position) = name.strip_prefix("2-round-")?.split_once('-')?;
            Some(Step::Round(place(repeat)?, place(position)?))
        };
        let mut steps = [Step::Machine, Step::Pilot].into_iter().chain(round());
        steps.find(|step| step.to_string() == name).ok_or_else(|| UnknownStep(name.to_owned()))
    }
}

impl Battery {
    /// The steps in their order.
    pub fn steps(&self) -> Vec<Step> {
        let rounds = (0..self.repeats)
            .flat_map(|repeat| (0..self.positions.len()).map(move |position| Step::Round(repeat, position)));
        [Step::Machine, Step::Pilot].into_iter().chain(rounds).collect()
    }

    /// Who searches each position: one thread, then `hybrid` as it is, and what it is compared with. With two or
    /// three threads `hybrid` is `lazy`, with no more than a team has members `ybw`: neither is searched twice. The
    /// largest teams are tried bound as well, if it [`binds`](Self::binds).
    pub fn entrants(&self) -> Vec<Entrant> {
        let of =
            |scheme, threads, members| Entrant { team: Team::new(scheme, threads), members, bound: false };
        let usual = |scheme, threads| of(scheme, threads, most_members(threads));
        let mut entrants = vec![usual(ALONE.scheme, ALONE.threads)];
        let several = |members: usize| self.threads.iter().copied().filter(move |&threads| threads > members);
        entrants.extend(several(3).map(|threads| usual(Scheme::Hybrid, threads)));
        for &members in &self.members {
            let others = several(members).filter(|&threads| most_members(threads) != members);
            entrants.extend(others.map(|threads| of(Scheme::Hybrid, threads, members)));
        }
        for scheme in [Scheme::Ybw, Scheme::Lazy, Scheme::Abdada] {
            entrants.extend(self.threads.iter().map(|&threads| usual(scheme, threads)));
        }
        let most = self.threads.last().copied().unwrap_or(1);
        let largest =
            entrants.iter().filter(|entrant| self.binds && entrant.team.threads == most && most > 1);
        let bound: Vec<Entrant> = largest.map(|&entrant| Entrant { bound: true, ..entrant }).collect();
        entrants.extend(bound);
        entrants
    }

    fn plan(&self, position: Entry) -> Plan {
        Plan {
            clock: ClockKind::Real,
            schemes: Vec::new(),
            threads: self.threads.clone(),
            machines: vec![1],
            cluster: Cluster::default(),
            evaluation: Some(Network::embedded()),
            positions: vec![position],
            goal: Goal::Depth,
            repeats: self.repeats,
            hash: self.hash,
            seed: 1,
            load: false,
        }
    }

    /// Finds the depths. `None` if the clock was stopped.
    ///
    /// # Errors
    /// When memory or threads are not to be had.
    pub fn pilot(&self, clock: &mut Real<'_>) -> Result<Option<Vec<Depth>>, ClockError> {
        if let Some(first) = self.positions.first() {
            warm_up(&self.plan(Entry { depth: Some(8), ..first.clone() }), clock)?;
        }
        let mut searched = 0;
        let found = pilot(&self.positions, self.wanted, clock, |_| searched += 1)?;
        let depths = found.into_iter().map(|found| Depth {
            position: found.entry.id,
            depth: found.iteration.depth,
            seconds: found.iteration.time_ns as f64 / 1e9,
            too_soon: found.too_soon,
        });
        Ok((searched == self.positions.len()).then(|| depths.collect()))
    }

    /// All entrants at one position; the first is another each time. Nothing comes of a position that the pilot left
    /// out, and `None` if the clock was stopped.
    ///
    /// # Errors
    /// When memory or threads are not to be had.
    pub fn round(
        &self,
        (repeat, place): (usize, usize),
        depths: &[Depth],
        places: &[CpuSet],
        clock: &mut dyn Adjustable,
    ) -> Result<Option<Vec<Measured>>, ClockError> {
        let entry = &self.positions[place];
        let chosen = depths.iter().find(|depth| depth.position == entry.id && !depth.too_soon);
        let Some(chosen) = chosen else { return Ok(Some(Vec::new())) };
        let plan = self.plan(Entry { depth: Some(chosen.depth), ..entry.clone() });
        let mut entrants = self.entrants();
        let count = entrants.len();
        entrants.rotate_left((repeat * self.positions.len() + place) % count);
        let mut round = Vec::with_capacity(count);
        for Entrant { team, members, bound } in entrants {
            clock.set_team(members);
            clock.bind(if bound { places.to_vec() } else { Vec::new() });
            let run = Run { repeat, position: 0, team };
            let Some(outcome) = clock.search(&run, &entry.position, plan.limits(0))? else {
                return Ok(None);
            };
            round.push(Measured { members, bound, sample: Sample::new(&plan, &run, outcome) });
        }
        Ok(Some(round))
    }
}

impl Measured {
    /// Who made the search.
    pub fn entrant(&self) -> Entrant {
        let team = self.sample.team();
        Entrant { team, members: self.members, bound: self.bound }
    }
}

/// Who has searched in these rounds, in the order of [`Battery::entrants`]: each round begins elsewhere in it.
pub fn searched(rounds: &[Vec<Measured>]) -> Vec<Entrant> {
    let mut entrants = Vec::new();
    for round in rounds {
        let first = round.iter().position(|measured| measured.sample.team() == ALONE).unwrap_or(0);
        for measured in round[first..].iter().chain(&round[..first]) {
            let entrant = measured.entrant();
            if !entrants.contains(&entrant) {
                entrants.push(entrant);
            }
        }
    }
    entrants
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::clock::Clock;
    use crate::scaling::positions;
    use crate::scaling::sample::Outcome;
    use chess::Position;
    use std::collections::HashSet;
    use thinking::report::Limits;

    fn battery(threads: &[usize], members: &[usize]) -> Battery {
        Battery {
            positions: positions::read("bratko-kopec").unwrap().into_iter().skip(1).take(2).collect(),
            wanted: Duration::from_millis(1),
            threads: threads.to_vec(),
            members: members.to_vec(),
            repeats: 2,
            hash: 1,
            binds: true,
        }
    }

    fn names(entrants: impl Iterator<Item = Entrant>) -> Vec<String> {
        entrants.map(|entrant| entrant.to_string()).collect()
    }

    #[test]
    fn each_entrant_is_another_and_hybrid_as_it_is_comes_first() {
        let entrants = names(battery(&[2, 4, 8, 16], &[4, 8]).entrants().into_iter());
        let hybrids = ["hybrid/2 4", "hybrid/2 8", "hybrid/4 16", "hybrid/4 8", "hybrid/8 16"];
        assert_eq!((entrants[0].as_str(), &entrants[1..6]), ("serial 1", &hybrids.map(String::from)[..]));
        assert_eq!(entrants.iter().collect::<HashSet<_>>().len(), entrants.len());
        for wanted in
            ["ybw 2", "lazy 16", "abdada 8", "hybrid/4 16 bound", "hybrid/8 16 bound", "ybw 16 bound"]
        {
            assert!(entrants.iter().any(|entrant| entrant == wanted), "{wanted}: {entrants:?}");
        }
        assert_eq!(battery(&[], &[8]).entrants().len(), 1, "one core: one thread");
        let free = Battery { binds: false, ..battery(&[2, 4, 8, 16], &[4, 8]) }.entrants();
        assert!(free.iter().all(|entrant| !entrant.bound), "no thread is bound where none can be");
        assert!(free.iter().any(|entrant| entrant.team.threads == 16));
    }

    /// Searches nothing, and notes how it was set up for each search.
    #[derive(Default)]
    struct Noting {
        members: usize,
        places: Vec<CpuSet>,
        searches: Vec<(Team, usize, Vec<CpuSet>)>,
    }

    impl Clock for Noting {
        fn search(&mut self, run: &Run, _: &Position, _: Limits) -> Result<Option<Outcome>, ClockError> {
            self.searches.push((run.team, self.members, self.places.clone()));
            Ok(Some(Outcome::default()))
        }
    }

    impl Adjustable for Noting {
        fn set_team(&mut self, most: usize) {
            self.members = most;
        }

        fn bind(&mut self, places: Vec<CpuSet>) {
            self.places = places;
        }
    }

    /// In a round that begins elsewhere entrants without a place come after those with one.
    #[test]
    fn each_search_is_set_up_as_its_entrant_says() {
        let battery = battery(&[2, 4], &[]);
        let depth =
            |entry: &Entry| Depth { position: entry.id.clone(), depth: 5, seconds: 0.1, too_soon: false };
        let depths: Vec<Depth> = battery.positions.iter().map(depth).collect();
        let places: [CpuSet; 2] = ["0-3", "4-7"].map(|set| set.parse().unwrap());
        let mut clock = Noting::default();
        let round = battery.round((1, 0), &depths, &places, &mut clock).unwrap().unwrap();
        assert!(round.windows(2).any(|pair| pair[0].bound && !pair[1].bound));
        let wanted = round.iter().map(|measured| {
            let Entrant { team, members, bound } = measured.entrant();
            (team, members, if bound { places.to_vec() } else { Vec::new() })
        });
        assert_eq!(clock.searches, wanted.collect::<Vec<_>>());
        assert_eq!(searched(&[Vec::new(), round]), battery.entrants(), "in their order all the same");
    }

    #[test]
    fn steps_have_different_names_in_their_order() {
        let names: Vec<String> = battery(&[2], &[]).steps().iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), 2 + 4);
        assert!(names.is_sorted() && names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn a_step_is_read_as_it_is_written() {
        let steps = battery(&[2], &[]).steps();
        assert!(steps.is_sorted());
        for step in steps.into_iter().chain([Step::Round(119, 7)]) {
            assert_eq!(step.to_string().parse::<Step>(), Ok(step));
        }
        for name in ["", "battery", "2-round-1-1", "2-round-00-01", "2-round-+1-01", "1-pilot.json"] {
            assert_eq!(name.parse::<Step>(), Err(UnknownStep(name.to_owned())), "{name}");
        }
    }
}
