//! How the search of one pool takes part in that of a cluster (room `cluster`).
//!
//! A [`Link`] hears what the pool's threads write to the table, what they find there, and which iterations
//! they finish; a [`Running`] search takes in what other pools have finished. The threads hear of the link
//! through their pace, a type parameter, so a search without one pays nothing for it.

use crate::pace::Event;
use crate::pace::{Pace, Real};
use crate::pool::job::Job;
use crate::pool::{Pool, Search};
use crate::simulation::coherence::Place;
use crate::sync::{Condvar, MutexGuard};
use engine::iterate::ThreadResult;
use engine::time::spare;
use engine::touch::Touch;
use engine::tt::{Entry, Table};
use engine::worker::Task;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What other pools have done in a search, in sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// Nodes.
    pub nodes: u64,
    /// Positions that their tablebases knew.
    pub tablebase_hits: u64,
}

/// The side of a cluster that a pool's search sees. Called from search threads: everything returns at once.
pub trait Link: Send + Sync + 'static {
    /// The number of this pool among those that search together, from 0: each begins with other depths.
    fn rank(&self) -> usize;

    /// A thread has written this entry to the table. Most entries are of no depth: look at that first.
    fn stored(&self, key: u64, entry: &Entry);

    /// A thread has found this entry in the table; `cut`: it ended the node.
    fn found(&self, key: u64, entry: &Entry, cut: bool);

    /// A thread has finished an iteration deeper than any that this pool knew of.
    fn finished(&self, result: &ThreadResult);

    /// The pool's own search is over, with these results. `true`: it leads, the others' searches end now, and
    /// [`Running::gathered`] will bring their results.
    fn over(&self, own: &[ThreadResult]) -> bool;

    /// What the others have done so far.
    fn elsewhere(&self) -> Elsewhere;
}

/// Starts searches of a pool in the name of a cluster.
pub trait Joint: Send + Sync {
    /// Starts a search that other pools join in, as [`Pool::go`] starts one on its own.
    fn go(&self, pool: &mut Pool, search: Search);
}

/// A search under way, as those see it who bring it news from elsewhere.
#[derive(Clone)]
pub struct Running(Arc<Job>);

impl Running {
    pub(crate) fn new(job: Arc<Job>) -> Self {
        Running(job)
    }

    /// Another pool has finished this iteration of the same search: threads that are not beyond it go on from there.
    /// `true`: it is deeper than all that this pool knew of.
    pub fn overtake(&self, result: &ThreadResult) -> bool {
        let deeper = self.0.state.deepest().is_some_and(|deepest| deepest.advance(result));
        if deeper {
            self.0.shared.note_answer();
        }
        deeper
    }

    /// Tells the search to stop; its verdict follows at once.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// The move pondered on was played at this moment: the search goes on under its own clock.
    pub fn ponderhit(&self, at: Instant) {
        self.0.ponderhit(at);
    }

    /// These are the results of the other pools: they have a vote in the election of the move.
    pub fn gathered(&self, results: Vec<ThreadResult>) {
        self.0.gathered(results);
    }

    /// How long the verdict may still wait for the results of the other pools once the search is over here; `None`: as
    /// long as it takes.
    pub fn may_wait(&self) -> Option<Duration> {
        let shared = &self.0.shared;
        spare(&shared.limits, shared.clock_used().unwrap_or_default())
    }

    /// How many threads of this pool search.
    pub fn threads(&self) -> usize {
        self.0.shared.threads()
    }

    /// Nodes and tablebase hits of this pool alone.
    pub fn done(&self) -> Elsewhere {
        Elsewhere { nodes: self.0.shared.nodes(), tablebase_hits: self.0.shared.tablebase_hits() }
    }

    /// The table, which others' entries may be written to.
    pub fn table(&self) -> &Table {
        &self.0.shared.table
    }

    /// What is searched.
    pub fn task(&self) -> &Task {
        &self.0.task
    }
}

/// The real machine, with a link that hears of the search.
pub(crate) struct Linked<'l, L>(pub(crate) &'l L);

impl<L> Clone for Linked<'_, L> {
    fn clone(&self) -> Self {
        Linked(self.0)
    }
}

impl<L: Link> Pace for Linked<'_, L> {
    #[inline(always)]
    fn spend(&self, event: Event) {
        Real.spend(event);
    }

    #[inline(always)]
    fn search_touches(&self, touch: Touch<'_>) {
        match touch {
            Touch::TableWrite(key, Some(entry)) => self.0.stored(key, entry),
            Touch::Found { key, entry, cut } => self.0.found(key, entry, cut),
            _ => {}
        }
    }

    fn finished(&self, result: &ThreadResult) {
        self.0.finished(result);
    }

    fn wait<T>(&self, news: &Condvar, guard: &mut MutexGuard<'_, T>, lock: Place) {
        Real.wait(news, guard, lock);
    }

    fn notify_all(&self, news: &Condvar) {
        Real.notify_all(news);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::schemes::Scheme;
    use crate::schemes::rules::Usual;
    use chess::Game;
    use engine::shared::Shared;
    use thinking::report::{Limits, Silent};

    /// A cluster whose other pools have done so much, and tell nothing else.
    pub(crate) struct Others(pub(crate) Elsewhere);

    impl Link for Others {
        fn rank(&self) -> usize {
            0
        }

        fn stored(&self, _: u64, _: &Entry) {}

        fn found(&self, _: u64, _: &Entry, _: bool) {}

        fn finished(&self, _: &ThreadResult) {}

        fn over(&self, _: &[ThreadResult]) -> bool {
            false
        }

        fn elsewhere(&self) -> Elsewhere {
            self.0
        }
    }

    /// The clock may end a search in which no thread here has finished an iteration.
    #[test]
    fn what_another_pool_has_finished_is_an_answer() {
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits::default(), 1, 1);
        let (task, others) = (Task::from(&Game::default()), Arc::new(Others(Elsewhere::default())));
        let job = Job::new::<Usual>(Scheme::Lazy, None, shared, task, Arc::new(Silent), Some(others));
        let running = Running::new(Arc::new(job));
        assert!(!running.0.shared.answered());
        let finished = |depth| ThreadResult { depth, ..ThreadResult::default() };
        assert!(running.overtake(&finished(3)) && running.0.shared.answered());
        assert!(!running.overtake(&finished(2)), "it is known by then");
    }

    /// By them no node of so shallow a search is split, whenever the other thread comes.
    #[test]
    fn a_pool_of_a_cluster_searches_by_the_usual_rules() {
        let mut pool = Pool::new(2, 1).expect("a small pool");
        pool.scheme = Scheme::PvSplit;
        let limits = Limits { depth: Some(2), ..Limits::default() };
        for _ in 0..50 {
            pool.new_game();
            let (task, others) = (Task::from(&Game::default()), Arc::new(Others(Elsewhere::default())));
            let search = Search { task, limits: limits.clone(), multipv: 1, observer: Arc::new(Silent) };
            pool.go_linked(search, others);
            pool.wait();
            assert_eq!(pool.accounts().expect("the search is over").tally.splits, 0);
        }
    }

    /// It sleeps until a point opens. If it came back at once, it would look thousands of times for each.
    #[test]
    fn who_finds_no_split_point_sleeps_in_a_cluster_too() {
        let mut pool = Pool::new(2, 1).expect("a small pool");
        pool.scheme = Scheme::RootSplit;
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let (task, others) = (Task::from(&Game::default()), Arc::new(Others(Elsewhere::default())));
        pool.go_linked(Search { task, limits, multipv: 1, observer: Arc::new(Silent) }, others);
        pool.wait();
        let tally = pool.accounts().expect("the search is over").tally;
        assert!(tally.refused <= 10 * (tally.splits + 1), "{tally:?}");
    }
}
