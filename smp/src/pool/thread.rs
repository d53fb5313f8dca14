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

/// What the threads of a search share beside the search itself.
pub(crate) struct SharedState {
    scheme: Scheme,
    /// The leader of each team searches the root, and its other members help it. Of some schemes each thread is a
    /// team, of others all are one.
    teams: Teams,
    /// The split points of each team, if the scheme splits.
    registries: Vec<Registry>,
    /// Marks of what is being searched, of [`Scheme::Abdada`].
    marks: Option<Arc<Marks>>,
    /// The deepest result of all threads that search the root, leaders or members that read ahead, if there are several
    /// in this pool or others.
    deepest: Option<Arc<DeepestResult>>,
}

impl SharedState {
    /// That of so many threads under the scheme and the rules; a team of [`Scheme::Hybrid`] has at most
    /// `team` of them, without it as many as is usual. `linked`: threads of other pools search the root as well.
    pub(crate) fn new<R: RuleSet>(scheme: Scheme, threads: usize, team: Option<usize>, linked: bool) -> Self {
        let scheme = scheme.among(threads, team);
        let [each, all] = [1, threads].map(|members| Teams::of(threads, Some(members)));
        // By the historical schemes one thread searches the root, and the others only help it.
        let (teams, searchers, registries) = match scheme {
            Scheme::Serial | Scheme::Lazy | Scheme::Abdada => (each, threads, Vec::new()),
            Scheme::Ybw => (all, threads, registries::<Ybw<R>>(all)),
            Scheme::PvSplit => (all, 1, registries::<PvSplit<R::Others>>(all)),
            Scheme::RootSplit => (all, 1, registries::<RootSplit>(all)),
            Scheme::Hybrid => {
                let teams = Teams::of(threads, team);
                (teams, threads, registries::<Ybw<R>>(teams))
            }
        };
        SharedState {
            scheme,
            teams,
            registries,
            marks: (scheme == Scheme::Abdada).then(Arc::default),
            deepest: (searchers > 1 || linked).then(Arc::default),
        }
    }

    /// The deepest result of all threads that search the root.
    pub(crate) fn deepest(&self) -> Option<&DeepestResult> {
        self.deepest.as_deref()
    }

    /// How much deeper than the deepest finished iteration the next one of a thread is, of so many in the pool of
    /// this rank. In a cluster the threads of each pool are numbered behind those of the pools before it. Leaders
    /// of teams are numbered among themselves: by the other number all those of six or twelve threads would begin
    /// with the same depths.
    fn stride(&self, rank: usize, threads: usize, thread: usize) -> i32 {
        let team = self.teams.team(thread);
        let leads = self.teams.leader(team) == thread;
        lazy::stride(if leads { rank * self.teams.count() + team } else { rank * threads + thread })
    }

    /// The search is over: wakes every thread that waits for work.
    pub(crate) fn close(&self) {
        self.registries.iter().for_each(|registry| registry.close(&Real));
    }
}

/// The split points of teams under conditions.
fn registries<C: Conditions>(teams: Teams) -> Vec<Registry> {
    let registry = |(team, members)| Registry::numbered::<C>(members, team, teams.leader(team));
    teams.sizes().enumerate().map(registry).collect()
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
        let state = &job.state;
        let stride = state.stride(job.rank(), job.shared.threads(), self.number);
        let (result, tally, waited) = match state.scheme {
            Scheme::Serial | Scheme::Lazy => {
                let scheme = Independent::new(IterationSync::new(&state.deepest), self.pace.clone());
                let (result, _) = self.iterate(scheme, stride);
                (result, Tally::default(), Duration::ZERO)
            }
            Scheme::Abdada => {
                let marker = Marker::new(state.marks.clone().expect("it has them from the beginning"));
                let iteration_sync = IterationSync::new(&state.deepest);
                let scheme = Abdada::<R::Others, P>::new(marker, iteration_sync, self.pace.clone());
                let (result, scheme) = self.iterate(scheme, stride);
                (result, Tally { deferred: scheme.marker.deferred(), ..Tally::default() }, Duration::ZERO)
            }
            Scheme::Ybw | Scheme::Hybrid => self.team::<Ybw<R>>(stride),
            Scheme::PvSplit => self.team::<PvSplit<R::Others>>(stride),
            Scheme::RootSplit => self.team::<RootSplit>(stride),
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
    fn team<C: Conditions>(self, stride: i32) -> (ThreadResult, Tally, Duration) {
        let job = self.job;
        let SharedState { teams, registries, deepest, .. } = &job.state;
        let team = teams.team(self.number);
        let (registry, member) = (&registries[team], self.number - teams.leader(team));
        let pace = self.pace.clone();
        let scheme = Split::<C, P>::new(registry, member, IterationSync::new(deepest), pace.clone());
        let (result, scheme) = if member == 0 {
            let (result, scheme) = self.iterate(scheme, stride);
            registry.close(&pace);
            (result, scheme)
        } else {
            let mut worker = self.worker(scheme);
            serve(&mut worker, &job.task, stride);
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
