//! What a parallel search cost, whatever the scheme and whichever the clock: the figures a scaling study is made of.

use crate::simulation::coherence::Traffic;
use chess::Move;
use std::ops::Add;
use std::time::Duration;

/// What a scheme counted over all threads of one search. A count that a scheme has no use for stays 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Split points opened.
    pub splits: u64,
    /// Times a worker joined a split point opened by another.
    pub joins: u64,
    /// Times a worker looked for a split point and found none to join.
    pub refused: u64,
    /// Times a worker's part of a split point, its master's or a helper's, was broken off: by a cut-off, or by the end
    /// of the search or of the iteration.
    pub aborted: u64,
    /// Nodes of parts broken off; those of a part below another count once.
    pub wasted: u64,
    /// Moves deferred: another worker was searching them (ABDADA, and workers that read ahead), or was
    /// re-searching a sibling with an open window (split points).
    pub deferred: u64,
    /// Moves of split points that were re-searched with an open window.
    pub again: u64,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Tally {
            splits: self.splits + other.splits,
            joins: self.joins + other.joins,
            refused: self.refused + other.refused,
            aborted: self.aborted + other.aborted,
            wasted: self.wasted + other.wasted,
            deferred: self.deferred + other.deferred,
            again: self.again + other.again,
        }
    }
}

/// What one search cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    /// From the start to the verdict: by the wall, or by the virtual clock.
    pub time: Duration,
    /// Nodes, by thread.
    pub nodes: Vec<u64>,
    /// Time spent without work, by thread.
    pub idle: Vec<Duration>,
    /// What the scheme counted.
    pub tally: Tally,
    /// What went from cache to cache. Only the virtual clock knows.
    pub traffic: Option<Traffic>,
}

impl Accounts {
    /// Nodes of all threads.
    pub fn total_nodes(&self) -> u64 {
        self.nodes.iter().sum()
    }

    /// The share of the threads' time that was not spent waiting for work, 0 to 1.
    pub fn load(&self) -> f64 {
        let whole = self.time.as_secs_f64() * self.nodes.len() as f64;
        let idle: f64 = self.idle.iter().map(Duration::as_secs_f64).sum();
        if whole > 0.0 { (1.0 - idle / whole).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Nodes that a thread searches in a second in which it does not wait for work.
    pub fn busy_rate(&self) -> f64 {
        let busy = self.time.as_secs_f64() * self.nodes.len() as f64 * self.load();
        self.total_nodes() as f64 / busy.max(f64::MIN_POSITIVE)
    }
}

/// What a thread was doing for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It searched below this root move (`None`: at the root itself), as its own master.
    Own(Option<Move>),
    /// It searched below this root move at a split point opened by another.
    Helping(Option<Move>),
}

/// A stretch of one thread's time; between two stretches it waited. Times count from the start of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Which thread.
    pub thread: usize,
    /// Begin.
    pub from: Duration,
    /// End.
    pub to: Duration,
    /// What it did.
    pub activity: Activity,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: two threads for ten seconds, one of which waited for four, are busy for sixteen.
    #[test]
    fn the_rate_of_a_busy_thread_leaves_out_what_it_waited() {
        let accounts = Accounts {
            time: Duration::from_secs(10),
            nodes: vec![600, 1000],
            idle: vec![Duration::from_secs(4), Duration::ZERO],
            ..Accounts::default()
        };
        assert_eq!((accounts.load(), accounts.total_nodes(), accounts.busy_rate()), (0.8, 1600, 100.0));
        assert_eq!(Accounts::default().load(), 1.0, "who had no time did not wait");
    }

    /// By hand, each count by itself.
    #[test]
    fn tallies_add_up_count_by_count() {
        let of = |by: u64| Tally {
            splits: by,
            joins: 2 * by,
            refused: 3 * by,
            aborted: 4 * by,
            wasted: 5 * by,
            deferred: 6 * by,
            again: 7 * by,
        };
        assert_eq!(of(1) + of(10), of(11));
    }
}
