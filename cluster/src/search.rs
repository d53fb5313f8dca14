//! One search over all ranks: how rank 0 begins it, and how the others join in.

use crate::exchange::Exchange;
use crate::member::{Active, Shared};
use crate::message::{Go, Talk};
use crate::post::Errand;
use nnue::Network;
use smp::pool::link::{Joint, Running};
use smp::pool::{Pool, Search};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use thinking::report::{Limits, Silent};

/// What a rank searches with: its pool, or a simulated machine's threads.
pub(crate) trait Searcher {
    /// Ends the search before, and waits for its end.
    fn finish(&mut self);

    /// The network that evaluates; none for the hand-crafted evaluation.
    fn network(&self) -> Option<Arc<Network>>;

    /// Does the next search ask tablebases?
    fn asks_tablebase(&self) -> bool;

    /// The next search asks none.
    fn forbid_tablebase(&mut self);

    /// Starts a search that hears of the exchange, and returns at once.
    fn start(&mut self, wanted: Search, exchange: Arc<Exchange>) -> Running;
}

impl Searcher for Pool {
    fn finish(&mut self) {
        self.stop();
        self.wait();
    }

    fn network(&self) -> Option<Arc<Network>> {
        Pool::network(self).cloned()
    }

    fn asks_tablebase(&self) -> bool {
        self.tablebase.is_some()
    }

    fn forbid_tablebase(&mut self) {
        self.tablebase = None;
    }

    fn start(&mut self, wanted: Search, exchange: Arc<Exchange>) -> Running {
        self.go_linked(wanted, exchange)
    }
}

/// Begins a search of all ranks, on rank 0.
pub(crate) fn lead(shared: &Shared, searcher: &mut impl Searcher, mut wanted: Search) {
    // The one before must have ended everywhere.
    searcher.finish();
    let search = shared.searches.fetch_add(1, SeqCst) + 1;
    let entries = shared.entries.load(Relaxed);
    let exchange = Arc::new(shared.exchange(search, entries));
    let mut go = Go::new(search, &wanted.task, &wanted.limits, wanted.multipv, own_mark(searcher));
    (go.entries, go.tablebase) = (entries, searcher.asks_tablebase());
    let Limits { nodes, time_in_nodes, .. } = &mut wanted.limits;
    for limit in [nodes, time_in_nodes] {
        *limit = limit.map(|nodes| share(nodes, 0, shared.ranks));
    }
    // Held until the search can be found there; its threads never ask for it.
    let mut underway = shared.underway.lock();
    // Without anybody to take it the search goes on alone; the program is ending.
    let _ = shared.errands.send(Errand::Tell(Talk::Go(go)));
    let running = searcher.start(wanted, Arc::clone(&exchange));
    underway.active = Some(Active { exchange, running });
}

/// Starts searches of rank 0's pool that every rank joins in.
pub(crate) struct Lead(pub(crate) Arc<Shared>);

impl Joint for Lead {
    fn go(&self, pool: &mut Pool, search: Search) {
        lead(&self.0, pool, search);
    }
}

/// A rank's share of a number of nodes.
fn share(nodes: u64, rank: usize, ranks: usize) -> u64 {
    let ranks = ranks as u64;
    (nodes / ranks + u64::from((rank as u64) < nodes % ranks)).max(1)
}

/// The mark of a network: of its training, and of its weights.
#[must_use]
pub fn mark(network: &Network) -> u64 {
    u64::from(network.parameters().fingerprint) << 32 | u64::from(network.checksum())
}

/// The mark of the network that evaluates.
fn own_mark(searcher: &impl Searcher) -> Option<u64> {
    searcher.network().map(|network| mark(&network))
}

/// A search that rank 0 has begun, for another rank to join in.
#[derive(Debug)]
pub struct Call(pub(crate) Go);

impl Call {
    /// Joins in with what this rank searches with, and returns at once: rank 0 ends the search. One that it has ended
    /// already does not begin here: the thread that talks has answered for it.
    ///
    /// # Errors
    /// When this rank would not search the same.
    pub(crate) fn join(&self, shared: &Shared, searcher: &mut impl Searcher) -> Result<(), String> {
        let Call(go) = self;
        let own = own_mark(searcher);
        if own != go.network {
            let name = |mark: Option<u64>| mark.map_or("none".to_owned(), |mark| format!("{mark:016x}"));
            return Err(format!("network {} instead of {} on rank 0", name(own), name(go.network)));
        }
        let task = go.task().ok_or("rank 0 sent a position that is none")?;
        searcher.finish();
        let exchange = Arc::new(shared.exchange(go.search, go.entries));
        // The end of a search is noted under this lock, so it comes before all this or finds the search.
        let mut underway = shared.underway.lock();
        if underway.halted >= go.search {
            return Ok(());
        }
        let mut limits = go.limits();
        limits.nodes = limits.nodes.map(|nodes| share(nodes, shared.rank, shared.ranks));
        if !go.tablebase {
            searcher.forbid_tablebase();
        }
        let wanted = Search { task, limits, multipv: go.multipv, observer: Arc::new(Silent) };
        let running = searcher.start(wanted, Arc::clone(&exchange));
        underway.active = Some(Active { exchange, running });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// One of another training is told apart, and one of the same whose weights were changed afterwards.
    #[test]
    fn a_network_is_marked_by_its_fingerprint_and_its_checksum() {
        let own = Network::embedded().parameters().clone();
        let (mut trained, mut changed) = (own.clone(), own.clone());
        trained.fingerprint ^= 1;
        changed.output_biases[0] += 1;
        let marks = [own, trained, changed].map(|parameters| {
            let network = Network::new(parameters).expect("the shape is as it was");
            let words = format!("{:08x}{:08x}", network.parameters().fingerprint, network.checksum());
            assert_eq!(format!("{:016x}", mark(&network)), words);
            mark(&network)
        });
        assert_eq!(BTreeSet::from(marks).len(), 3, "{marks:x?}");
    }

    #[test]
    fn shares_add_up() {
        for (nodes, ranks) in [(1_000_000, 4), (7, 4), (10, 3)] {
            assert_eq!((0..ranks).map(|rank| share(nodes, rank, ranks)).sum::<u64>(), nodes);
        }
        assert_eq!(share(1, 3, 4), 1, "a search has at least one node");
    }
}
