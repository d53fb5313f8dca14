//! What one thread does in a search, by scheme, on whichever clock.

use crate::abdada::Abdada;
use crate::accounts::Tally;
use crate::frontier::{Frontier, Scout};
use crate::hybrid::Teams;
use crate::job::Job;
use crate::lazy::{self, Independent};
use crate::marks::{Marker, Marks};
use crate::pace::{Pace, Real};
use crate::pvsplit::PvSplit;
use crate::rootsplit::RootSplit;
use crate::rules::RuleSet;
use crate::scheme::Scheme;
use crate::split::{Conditions, Registry, Split, serve};
use crate::ybw::Ybw;
use engine::iterate::{Opinion, iterate};
use engine::parallel::ParallelScheme;
use engine::report::Observer;
use engine::worker::{Memory, Worker};
use std::sync::Arc;
use std::time::Duration;

/// What the threads of a search share beside the search itself, by scheme.
pub(crate) enum Company {
    /// How far each has come, searching the root by itself; nothing for a thread without company.
    Lazy(Option<Arc<Frontier>>),
    /// The same, and marks of what is being searched.
    Abdada(Arc<Marks>, Option<Arc<Frontier>>),
    /// Split points, under the conditions of the scheme, and how far those have come who search the root.
    Ybw(Registry, Option<Arc<Frontier>>),
    PvSplit(Registry),
    RootSplit(Registry),
    /// Split points for each of the teams, and how far those have come who search the root.
    Hybrid {
        teams: Teams,
        registries: Vec<Registry>,
        frontier: Option<Arc<Frontier>>,
    },
}

impl Company {
    /// Those of so many threads under the scheme and the rules; a team of [`Scheme::Hybrid`] has at most
    /// `team` of them.
    pub(crate) fn new<R: RuleSet>(scheme: Scheme, threads: usize, team: usize) -> Self {
        let among = |searchers: usize| (searchers > 1).then(Arc::default);
        match scheme {
            Scheme::Serial | Scheme::Lazy => Company::Lazy(among(threads)),
            Scheme::Abdada => Company::Abdada(Arc::default(), among(threads)),
            Scheme::Ybw => Company::Ybw(Registry::of::<Ybw<R>>(threads), among(threads)),
            Scheme::PvSplit => Company::PvSplit(Registry::of::<PvSplit<R>>(threads)),
            Scheme::RootSplit => Company::RootSplit(Registry::of::<RootSplit>(threads)),
            Scheme::Hybrid => {
                let teams = Teams::of(threads, team);
                let registry =
                    |(team, members)| Registry::numbered::<Ybw<R>>(members, team, teams.leader(team));
                let registries = teams.sizes().enumerate().map(registry).collect();
                Company::Hybrid { teams, registries, frontier: among(threads) }
            }
        }
    }

    /// The search is over: nobody need wait for work any more.
    pub(crate) fn close(&self) {
        match self {
            Company::Lazy(_) | Company::Abdada(..) => {}
            Company::Ybw(registry, _) | Company::PvSplit(registry) | Company::RootSplit(registry) => {
                registry.close(&Real);
            }
            Company::Hybrid { registries, .. } => {
                registries.iter().for_each(|registry| registry.close(&Real));
            }
        }
    }
}

/// One thread's part in a search. Times count from the search's start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) tally: Tally,
    /// When it began, and when it had nothing more to do.
    pub(crate) from: Duration,
    pub(crate) to: Duration,
    /// How long it waited for work in between.
    pub(crate) waited: Duration,
}

/// One thread at the start of a search.
pub(crate) struct Seat<'s, P> {
    pub(crate) number: usize,
    pub(crate) job: &'s Job,
    pub(crate) memory: &'s mut Memory,
    pub(crate) pace: P,
}

impl<'s, P: Pace> Seat<'s, P> {
    /// Does this thread's part under the rules, to the end of the search.
    pub(crate) fn think<R: RuleSet>(self) -> (Opinion, Part) {
        let job = self.job;
        let from = job.shared.elapsed();
        let number = self.number;
        let (opinion, tally, waited) = match &job.company {
            Company::Lazy(frontier) => {
                let scheme = Independent::new(Scout::new(frontier), self.pace.clone());
                let (opinion, _) = self.iterate(scheme, lazy::stride(number));
                (opinion, Tally::default(), Duration::ZERO)
            }
            Company::Abdada(marks, frontier) => {
                let marker = Marker::new(Arc::clone(marks));
                let scheme = Abdada::<R, P>::new(marker, Scout::new(frontier), self.pace.clone());
                let (opinion, scheme) = self.iterate(scheme, lazy::stride(number));
                (opinion, Tally { deferred: scheme.marker.deferred(), ..Tally::default() }, Duration::ZERO)
            }
            Company::Ybw(registry, frontier) => {
                self.team::<Ybw<R>>(registry, number, frontier, lazy::stride(number))
            }
            Company::PvSplit(registry) => self.team::<PvSplit<R>>(registry, number, &None, 1),
            Company::RootSplit(registry) => self.team::<RootSplit>(registry, number, &None, 1),
            Company::Hybrid { teams, registries, frontier } => {
                let team = teams.team(number);
                let member = number - teams.leader(team);
                let stride = lazy::stride(if member == 0 { team } else { number });
                self.team::<Ybw<R>>(&registries[team], member, frontier, stride)
            }
        };
        (opinion, Part { tally, from, to: job.shared.elapsed(), waited })
    }

    /// Searches the root by iterative deepening; the scheme comes back with what it counted.
    fn iterate<B: ParallelScheme>(self, scheme: B, stride: i32) -> (Opinion, B) {
        let task = &self.job.task;
        let mut worker = self.worker(scheme);
        let opinion = iterate(&mut worker, task, stride);
        (opinion, worker.scheme)
    }

    /// A member of a team that splits: its leader searches the root, among others if there are any, and the
    /// members help it.
    fn team<C: Conditions>(
        self,
        registry: &'s Registry,
        member: usize,
        frontier: &Option<Arc<Frontier>>,
        stride: i32,
    ) -> (Opinion, Tally, Duration) {
        let pace = self.pace.clone();
        let scheme = Split::<C, P>::new(registry, member, Scout::new(frontier), pace.clone());
        let (opinion, scheme) = if member == 0 {
            let (opinion, scheme) = self.iterate(scheme, stride);
            registry.close(&pace);
            (opinion, scheme)
        } else {
            let task = &self.job.task;
            let mut worker = self.worker(scheme);
            serve(&mut worker, task, stride);
            (Opinion::default(), worker.scheme)
        };
        (opinion, scheme.tally(), scheme.idle)
    }

    /// The worker that does it; the first reports.
    fn worker<B: ParallelScheme>(self, scheme: B) -> Worker<'s, B> {
        let observer = (self.number == 0).then_some(&*self.job.observer as &dyn Observer);
        Worker::new(&self.job.shared, self.memory, &self.job.task, scheme, self.number, observer)
    }
}
