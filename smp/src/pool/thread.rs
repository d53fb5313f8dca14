//! What one thread does in a search, by scheme, on whichever clock.

use crate::pace::{Pace, Real};
use crate::pool::accounts::Tally;
use crate::pool::iteration_sync::{DeepestResult, IterationSync};
use crate::pool::job::Job;
use crate::schemes::Scheme;
use crate::schemes::abdada::Abdada;
use crate::schemes::hybrid::Teams;
use crate::schemes::lazy::{self, Independent};
use crate::schemes::marks::{Marker, Marks};
use crate::schemes::pvsplit::PvSplit;
use crate::schemes::rootsplit::RootSplit;
use crate::schemes::rules::RuleSet;
use crate::schemes::ybw::Ybw;
use crate::splitting::{Conditions, Registry, Split, serve};
use engine::iterate::{ThreadResult, iterate};
use engine::parallel::ParallelScheme;
use engine::worker::{Memory, Worker};
use std::sync::Arc;
use std::time::Duration;
use thinking::report::Observer;

/// What the threads of a search share beside the search itself, by scheme.
pub(crate) enum SharedState {
    /// How far each has come, searching the root by itself; nothing for a thread without state.
    Lazy(Option<Arc<DeepestResult>>),
    /// The same, and marks of what is being searched.
    Abdada(Arc<Marks>, Option<Arc<DeepestResult>>),
    /// Split points, under the conditions of the scheme, and the deepest result of those that search the root.
    Ybw(Registry, Option<Arc<DeepestResult>>),
    /// Split points, and the deepest result of those that search the root: the leaders of other pools.
    PvSplit(Registry, Option<Arc<DeepestResult>>),
    RootSplit(Registry, Option<Arc<DeepestResult>>),
    /// Split points for each of the teams, and the deepest result of those that search the root.
    Hybrid {
        teams: Teams,
        registries: Vec<Registry>,
        deepest: Option<Arc<DeepestResult>>,
    },
}

impl SharedState {
    /// Those of so many threads under the scheme and the rules; a team of [`Scheme::Hybrid`] has at most
    /// `team` of them, without it as many as is usual. `linked`: threads of other pools search the root as well.
    pub(crate) fn new<R: RuleSet>(scheme: Scheme, threads: usize, team: Option<usize>, linked: bool) -> Self {
        let among = |searchers: usize| (searchers > 1 || linked).then(Arc::default);
        // Where the others only help one of them.
        let leader = || among(1);
        match scheme.among(threads, team) {
            Scheme::Serial | Scheme::Lazy => SharedState::Lazy(among(threads)),
            Scheme::Abdada => SharedState::Abdada(Arc::default(), among(threads)),
            Scheme::Ybw => SharedState::Ybw(Registry::of::<Ybw<R>>(threads), among(threads)),
            Scheme::PvSplit => SharedState::PvSplit(Registry::of::<PvSplit<R::Others>>(threads), leader()),
            Scheme::RootSplit => SharedState::RootSplit(Registry::of::<RootSplit>(threads), leader()),
            Scheme::Hybrid => {
                let teams = Teams::of(threads, team);
                let registry =
                    |(team, members)| Registry::numbered::<Ybw<R>>(members, team, teams.leader(team));
                let registries = teams.sizes().enumerate().map(registry).collect();
                SharedState::Hybrid { teams, registries, deepest: among(threads) }
            }
        }
    }

    /// The deepest result of all threads that search the root.
    pub(crate) fn deepest(&self) -> Option<&DeepestResult> {
        match self {
            SharedState::Lazy(deepest)
            | SharedState::Abdada(_, deepest)
            | SharedState::Ybw(_, deepest)
            | SharedState::PvSplit(_, deepest)
            | SharedState::RootSplit(_, deepest)
            | SharedState::Hybrid { deepest, .. } => deepest.as_deref(),
        }
    }

    /// How much deeper than the deepest finished iteration the next one of a thread is, of so many in the pool of
    /// this rank. In a cluster the threads of each pool are numbered behind those of the pools before it. Leaders
    /// of teams are numbered among themselves: by the other number all those of six or twelve threads would begin
    /// with the same depths.
    fn stride(&self, rank: usize, threads: usize, thread: usize) -> i32 {
        // Where it leads, its number among the leaders.
        let leader = match self {
            SharedState::Lazy(_) | SharedState::Abdada(..) => None,
            SharedState::Ybw(..) | SharedState::PvSplit(..) | SharedState::RootSplit(..) => {
                (thread == 0).then_some(rank)
            }
            SharedState::Hybrid { teams, .. } => {
                let team = teams.team(thread);
                (teams.leader(team) == thread).then_some(rank * teams.count() + team)
            }
        };
        lazy::stride(leader.unwrap_or(rank * threads + thread))
    }

    /// The search is over: wakes every thread that waits for work.
    pub(crate) fn close(&self) {
        match self {
            SharedState::Lazy(_) | SharedState::Abdada(..) => {}
            SharedState::Ybw(registry, _)
            | SharedState::PvSplit(registry, _)
            | SharedState::RootSplit(registry, _) => {
                registry.close(&Real);
            }
            SharedState::Hybrid { registries, .. } => {
                registries.iter().for_each(|registry| registry.close(&Real));
            }
        }
    }
}

/// One thread's part in a search. Times count from the search's start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) tally: Tally,
    /// When it began, and when it had nothing more to do.
    pub(crate) from: Duration,
    pub(crate) to: Duration,
    /// How long it waited for work in between.
    pub(crate) waited: Duration,
}

/// One thread at the start of a search.
pub(crate) struct ThreadJob<'s, P> {
    pub(crate) number: usize,
    pub(crate) job: &'s Job,
    pub(crate) memory: &'s mut Memory,
    pub(crate) pace: P,
}

impl<'s, P: Pace> ThreadJob<'s, P> {
    /// Does this thread's part under the rules, to the end of the search.
    pub(crate) fn think<R: RuleSet>(self) -> (ThreadResult, Account) {
        let job = self.job;
        let from = job.shared.elapsed();
        let number = self.number;
        let stride = job.state.stride(job.rank(), job.shared.threads(), number);
        let (result, tally, waited) = match &job.state {
            SharedState::Lazy(deepest) => {
                let scheme = Independent::new(IterationSync::new(deepest), self.pace.clone());
                let (result, _) = self.iterate(scheme, stride);
                (result, Tally::default(), Duration::ZERO)
            }
            SharedState::Abdada(marks, deepest) => {
                let marker = Marker::new(Arc::clone(marks));
                let scheme =
                    Abdada::<R::Others, P>::new(marker, IterationSync::new(deepest), self.pace.clone());
                let (result, scheme) = self.iterate(scheme, stride);
                (result, Tally { deferred: scheme.marker.deferred(), ..Tally::default() }, Duration::ZERO)
            }
            SharedState::Ybw(registry, deepest) => self.team::<Ybw<R>>(registry, number, deepest, stride),
            SharedState::PvSplit(registry, deepest) => {
                self.team::<PvSplit<R::Others>>(registry, number, deepest, stride)
            }
            SharedState::RootSplit(registry, deepest) => {
                self.team::<RootSplit>(registry, number, deepest, stride)
            }
            SharedState::Hybrid { teams, registries, deepest } => {
                let team = teams.team(number);
                self.team::<Ybw<R>>(&registries[team], number - teams.leader(team), deepest, stride)
            }
        };
        (result, Account { tally, from, to: job.shared.elapsed(), waited })
    }

    /// Searches the root by iterative deepening; the scheme comes back with what it counted.
    fn iterate<B: ParallelScheme>(self, scheme: B, stride: i32) -> (ThreadResult, B) {
        let task = &self.job.task;
        let mut worker = self.worker(scheme);
        let result = iterate(&mut worker, task, stride);
        (result, worker.scheme)
    }

    /// A member of a team that splits: its leader searches the root, among others if there are any, and the
    /// members help it.
    fn team<C: Conditions>(
        self,
        registry: &'s Registry,
        member: usize,
        deepest: &Option<Arc<DeepestResult>>,
        stride: i32,
    ) -> (ThreadResult, Tally, Duration) {
        let pace = self.pace.clone();
        let scheme = Split::<C, P>::new(registry, member, IterationSync::new(deepest), pace.clone());
        let (result, scheme) = if member == 0 {
            let (result, scheme) = self.iterate(scheme, stride);
            registry.close(&pace);
            (result, scheme)
        } else {
            let task = &self.job.task;
            let mut worker = self.worker(scheme);
            serve(&mut worker, task, stride);
            (ThreadResult::default(), worker.scheme)
        };
        (result, scheme.tally(), scheme.idle)
    }

    /// The worker that does it; the first reports.
    fn worker<B: ParallelScheme>(self, scheme: B) -> Worker<'s, B> {
        let observer = (self.number == 0).then_some(&*self.job.observer as &dyn Observer);
        Worker::new(&self.job.shared, self.memory, &self.job.task, scheme, self.number, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::rules::Usual;

    /// The threads of a pool that search the root; the others help them.
    fn searchers(scheme: Scheme, threads: usize, team: Option<usize>) -> Vec<usize> {
        match scheme {
            // Of a serial search there is one thread.
            Scheme::Serial | Scheme::Ybw | Scheme::PvSplit | Scheme::RootSplit => vec![0],
            Scheme::Lazy | Scheme::Abdada => (0..threads).collect(),
            Scheme::Hybrid => {
                let teams = Teams::of(threads, team);
                (0..teams.count()).map(|team| teams.leader(team)).collect()
            }
        }
    }

    /// The schemes with the numbers of threads that they may have.
    fn pools() -> impl Iterator<Item = (Scheme, usize)> {
        let pools = Scheme::ALL
            .into_iter()
            .flat_map(|scheme| [1, 2, 4, 5, 6, 9, 12, 24].map(|threads| (scheme, threads)));
        pools.filter(|&(scheme, threads)| scheme != Scheme::Serial || threads == 1)
    }

    /// One that searches the root for its whole pool must not do what those of the other pools do.
    #[test]
    fn the_leaders_of_six_pools_begin_with_six_depths() {
        let mut seen = 0;
        for (scheme, threads) in pools().filter(|&(scheme, threads)| searchers(scheme, threads, None) == [0])
        {
            let state = SharedState::new::<Usual>(scheme, threads, None, true);
            let mut strides = [0, 1, 2, 3, 4, 5].map(|rank| state.stride(rank, threads, 0));
            assert_eq!(strides[0], 1, "{scheme}: a pool alone leaves no depth out");
            strides.sort_unstable();
            assert_eq!(strides, [1, 2, 3, 4, 5, 6], "{scheme} with {threads} threads");
            seen += 1;
        }
        assert!(seen >= 3 * 8, "only {seen} pools with one leader");
    }

    /// All searchers of the root, over all pools, are spread evenly over the depths.
    #[test]
    fn those_who_search_the_root_are_spread_over_the_depths() {
        for ((scheme, threads), team) in
            pools().flat_map(|pool| [None, Some(2), Some(5)].map(|team| (pool, team)))
        {
            let state = SharedState::new::<Usual>(scheme, threads, team, true);
            let searchers = searchers(scheme, threads, team);
            let mut counts = [0; 6];
            for rank in 0..6 {
                for &thread in &searchers {
                    counts[state.stride(rank, threads, thread) as usize - 1] += 1;
                }
            }
            assert!(
                counts.iter().all(|&count| count == searchers.len()),
                "{scheme} of {threads}, {team:?}: {counts:?}"
            );
        }
    }
}
