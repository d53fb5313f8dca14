//! One search over all ranks: how rank 0 begins it, and how the others join in.

use crate::member::{Active, Shared};
use crate::message::{Go, Talk};
use crate::post::Errand;
use crossbeam::channel::bounded;
use engine::report::{Limits, Observer, Silent};
use engine::worker::Task;
use smp::pool::Pool;
use smp::pool::link::Joint;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// Starts searches of rank 0 that every rank joins in.
pub(crate) struct Lead(pub(crate) Arc<Shared>);

impl Joint for Lead {
    fn go(
        &self,
        pool: &mut Pool,
        task: Task,
        mut limits: Limits,
        multipv: usize,
        observer: Arc<dyn Observer>,
    ) {
        // The one before must have ended everywhere.
        pool.stop();
        pool.wait();
        let shared = &self.0;
        let search = shared.searches.fetch_add(1, SeqCst) + 1;
        let (results, others) = bounded(1);
        let exchange = Arc::new(shared.exchange(search, Some(others)));
        limits.nodes = limits.nodes.map(|nodes| share(nodes, 0, shared.ranks));
        let go = Go::new(search, &task, &limits, multipv, fingerprint(pool));
        // Held until the search can be found there; its threads never ask for it.
        let mut active = shared.active.lock();
        // Without anybody to take it the search goes on alone; the program is ending.
        let _ = shared.errands.send(Errand::Tell(Talk::Go(go)));
        let running = pool.go_linked(task, limits, multipv, observer, Arc::clone(&exchange));
        *active = Some(Active { exchange, running, results: Some(results) });
    }
}

/// A rank's share of a number of nodes.
fn share(nodes: u64, rank: usize, ranks: usize) -> u64 {
    let ranks = ranks as u64;
    (nodes / ranks + u64::from((rank as u64) < nodes % ranks)).max(1)
}

/// The mark of the network that a pool evaluates with.
fn fingerprint(pool: &Pool) -> Option<u32> {
    pool.network().map(|network| network.parameters().fingerprint)
}

/// A search that rank 0 has begun, for another rank to join in.
#[derive(Debug)]
pub struct Call(pub(crate) Go);

impl Call {
    /// Joins in with this rank's pool, and returns at once: rank 0 ends the search.
    ///
    /// # Errors
    /// When this rank's pool would not search the same.
    pub(crate) fn join(&self, shared: &Shared, pool: &mut Pool) -> Result<(), String> {
        let Call(go) = self;
        let own = fingerprint(pool);
        if own != go.network {
            let name = |mark: Option<u32>| mark.map_or("none".to_owned(), |mark| format!("{mark:08x}"));
            return Err(format!("network {} instead of {} on rank 0", name(own), name(go.network)));
        }
        let task = go.task().ok_or("rank 0 sent a position that is none")?;
        pool.stop();
        pool.wait();
        let exchange = Arc::new(shared.exchange(go.search, None));
        let mut active = shared.active.lock();
        let silent = Arc::new(Silent);
        let running = pool.go_linked(task, go.limits(), go.multipv, silent, Arc::clone(&exchange));
        // Rank 0 may have ended it meanwhile.
        if shared.halted.load(SeqCst) >= go.search {
            running.stop();
        }
        *active = Some(Active { exchange, running, results: None });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for (nodes, ranks) in [(1_000_000, 4), (7, 4), (10, 3)] {
            assert_eq!((0..ranks).map(|rank| share(nodes, rank, ranks)).sum::<u64>(), nodes);
        }
        assert_eq!(share(1, 3, 4), 1, "a search has at least one node");
    }
}
