//! The exchange of deep table entries between the ranks of one search.
//!
//! Search threads put entries worth sending into a batch; the thread that talks sends what is new in it to every other
//! rank each period (`Rate`). What is worth sending adapts to what can be sent, as in Texel: when a batch was full
//! before it was sent, the least depth of an entry rises by a ply, when it was less than half full, it falls
//! by one. A batch waits, and fills, while a link is busy: so there is no backlog, and a slow network carries
//! the deepest entries. Entries go to every rank directly, with their full key.

use crate::message::{SentResult, Tally};
use crate::post::Errand;
use crate::registry::{Registry, says_more};
use crossbeam::channel::Sender;
use engine::iterate::ThreadResult;
use engine::tt::Entry;
use parking_lot::Mutex;
use smp::pool::link::{Elsewhere, Link, Running};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Most entries of a message: what Open MPI sends within one machine without asking the receiver first (4 KiB).
/// While it asks, both ranks spin.
pub(crate) const MOST: usize = 240;
/// What a rank is to take from all others in a millisecond, in entries, at least so many from each in four.
const TAKES: usize = 8 * MOST;
/// Least depth of an entry worth sending, in plies, however much could be sent.
pub const SHALLOWEST: i32 = 4;
/// The depth it never rises above.
const DEEPEST: i32 = 64;
/// The least depth where no entry is to be sent at all.
const NEVER: i32 = i32::MAX;

/// How often a rank sends entries, and how many: the fewer ranks there are, the more each can take from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// The time from one batch to the next.
    pub(crate) period: Duration,
    /// Most entries of a batch.
    pub(crate) batch: usize,
}

impl Rate {
    /// That of so many ranks, at least two.
    pub(crate) fn of(ranks: usize) -> Self {
        let others = ranks.saturating_sub(1).max(1);
        let period = Duration::from_millis(others.div_ceil(8).min(4) as u64);
        Rate { period, batch: (TAKES / others).max(MOST) }
    }
}

/// Entries that wait to be sent.
#[derive(Default)]
struct Batch {
    entries: Vec<(u64, u64)>,
    overflowed: bool,
}

#[derive(Default)]
struct Counters {
    sent: AtomicU64,
    dropped: AtomicU64,
    received: AtomicU64,
    probed: AtomicU64,
    cut: AtomicU64,
    results_sent: AtomicU64,
    results_received: AtomicU64,
    results_used: AtomicU64,
}

/// One rank's side of one search.
pub(crate) struct Exchange {
    rank: usize,
    pub(crate) search: u64,
    registry: Arc<Registry>,
    least: AtomicI32,
    pub(crate) rate: Rate,
    batch: Mutex<Batch>,
    counters: Counters,
    /// Nodes and tablebase hits of every rank.
    done: Vec<[AtomicU64; 2]>,
    errands: Sender<Errand>,
}

impl Exchange {
    /// `entries`: are any to be exchanged at all?
    pub(crate) fn new(
        rank: usize,
        ranks: usize,
        search: u64,
        registry: Arc<Registry>,
        errands: Sender<Errand>,
        entries: bool,
    ) -> Self {
        Exchange {
            rank,
            search,
            registry,
            least: AtomicI32::new(if entries { SHALLOWEST } else { NEVER }),
            rate: Rate::of(ranks),
            batch: Mutex::default(),
            counters: Counters::default(),
            done: (0..ranks).map(|_| Default::default()).collect(),
            errands,
        }
    }

    /// The entries to send now. What is worth sending next follows from how many were stored.
    pub(crate) fn take_batch(&self) -> Vec<(u64, u64)> {
        if self.least.load(Relaxed) == NEVER {
            return Vec::new();
        }
        // Outside the lock, so that no search waits while the registry's places are fetched.
        let Batch { mut entries, overflowed } = {
            let room = Vec::with_capacity(self.rate.batch);
            std::mem::replace(&mut *self.batch.lock(), Batch { entries: room, overflowed: false })
        };
        let step = if overflowed { 1 } else { -i32::from(entries.len() < self.rate.batch / 2) };
        self.least.store((self.least.load(Relaxed) + step).clamp(SHALLOWEST, DEEPEST), Relaxed);
        entries.iter().for_each(|&(key, _)| self.registry.prefetch(key));
        let new = |key, data| {
            Entry::unpack(data).is_some_and(|entry| self.registry.offer(self.search, key, &entry))
        };
        entries.retain(|&(key, data)| new(key, data));
        entries
    }

    /// So many entries have been sent to a rank, or were not.
    pub(crate) fn note_sent(&self, entries: usize, sent: bool) {
        let counter = if sent { &self.counters.sent } else { &self.counters.dropped };
        counter.fetch_add(entries as u64, Relaxed);
    }

    /// Writes entries of another rank to the table, but for those that say less than what is there.
    pub(crate) fn receive(&self, running: &Running, entries: &[(u64, u64)]) {
        let table = running.table();
        for &(key, _) in entries {
            table.prefetch(key);
            self.registry.prefetch(key);
        }
        for &(key, data) in entries {
            let Some(entry) = Entry::unpack(data) else { continue };
            self.counters.received.fetch_add(1, Relaxed);
            if table.probe(key).is_none_or(|known| says_more(&entry, &known)) {
                self.registry.receive(self.search, key, &entry);
                table.store(key, entry);
            }
        }
    }

    /// A result has been sent to so many ranks.
    pub(crate) fn note_results_sent(&self, ranks: u64) {
        self.counters.results_sent.fetch_add(ranks, Relaxed);
    }

    /// Hands the search an iteration that another rank has finished.
    pub(crate) fn take_in(&self, running: &Running, result: &SentResult) {
        self.counters.results_received.fetch_add(1, Relaxed);
        let used = result.result(&running.task().position).is_some_and(|result| running.overtake(&result));
        self.counters.results_used.fetch_add(u64::from(used), Relaxed);
    }

    /// Another rank has done so much in this search.
    pub(crate) fn note_done(&self, rank: usize, done: Elsewhere) {
        self.done[rank][0].store(done.nodes, Relaxed);
        self.done[rank][1].store(done.tablebase_hits, Relaxed);
    }

    /// What a rank has done as far as it has told.
    pub(crate) fn heard_of(&self, rank: usize) -> Tally {
        let [nodes, tablebase_hits] = [0, 1].map(|at| self.done[rank][at].load(Relaxed));
        Tally { nodes, tablebase_hits, ..Tally::default() }
    }

    /// What has been exchanged; `done` is this rank's own search, of whose threads nothing is known here.
    pub(crate) fn tally(&self, done: Elsewhere, bytes: u64) -> Tally {
        let counters = &self.counters;
        Tally {
            nodes: done.nodes,
            tablebase_hits: done.tablebase_hits,
            sent: counters.sent.load(Relaxed),
            dropped: counters.dropped.load(Relaxed),
            received: counters.received.load(Relaxed),
            probed: counters.probed.load(Relaxed),
            cut: counters.cut.load(Relaxed),
            results_sent: counters.results_sent.load(Relaxed),
            results_received: counters.results_received.load(Relaxed),
            results_used: counters.results_used.load(Relaxed),
            bytes,
            least_depth: self.least.load(Relaxed),
            ..Tally::default()
        }
    }

    #[cold]
    fn offer(&self, key: u64, entry: &Entry) {
        let mut batch = self.batch.lock();
        if batch.entries.len() < self.rate.batch {
            return batch.entries.push((key, entry.pack(0)));
        }
        batch.overflowed = true;
        // Once for each of the others, as what is sent or does not fit on a link.
        self.counters.dropped.fetch_add(self.done.len() as u64 - 1, Relaxed);
    }

    #[cold]
    fn look_up(&self, key: u64, entry: &Entry, cut: bool) {
        let used = self.registry.found(self.search, key, entry, cut);
        self.counters.probed.fetch_add(u64::from(used.probed), Relaxed);
        self.counters.cut.fetch_add(u64::from(used.cut), Relaxed);
    }
}

impl Link for Exchange {
    fn rank(&self) -> usize {
        self.rank
    }

    #[inline(always)]
    fn stored(&self, key: u64, entry: &Entry) {
        if entry.depth >= self.least.load(Relaxed) {
            self.offer(key, entry);
        }
    }

    #[inline(always)]
    fn found(&self, key: u64, entry: &Entry, cut: bool) {
        if entry.depth >= SHALLOWEST {
            self.look_up(key, entry, cut);
        }
    }

    fn finished(&self, result: &ThreadResult) {
        // Only when the program is ending is there no receiver any more.
        let _ = self.errands.send(Errand::Finished { search: self.search, result: result.into() });
    }

    fn over(&self, own: &[ThreadResult]) -> bool {
        let results = own.iter().map(SentResult::vote).collect();
        // Only when the program is ending is there no receiver any more.
        self.errands.send(Errand::Over { search: self.search, results }).is_ok() && self.rank == 0
    }

    fn elsewhere(&self) -> Elsewhere {
        let sum = |at: usize| self.done.iter().map(|done| done[at].load(Relaxed)).sum();
        Elsewhere { nodes: sum(0), tablebase_hits: sum(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::unbounded;
    use thinking::report::Bound;

    fn exchange(entries: bool) -> Exchange {
        Exchange::new(0, 3, 1, Arc::default(), unbounded().0, entries)
    }

    /// A search stores so many entries of this depth, each of a position of its own.
    fn store(exchange: &Exchange, count: usize, depth: i32) {
        let entry = Entry { mv: None, score: 0, eval: None, depth, bound: Bound::Exact, pv: false };
        let keys = (0..count as u64).map(|place| place << 50 | depth as u64);
        keys.for_each(|key| exchange.stored(key, &entry));
    }

    /// By hand.
    #[test]
    fn the_more_ranks_there_are_the_less_comes_from_each() {
        let of = |ranks| {
            let Rate { period, batch } = Rate::of(ranks);
            (period.as_millis(), batch)
        };
        assert_eq!(
            [2, 3, 9, 10, 17, 18, 64].map(of),
            [(1, 1920), (1, 960), (1, 240), (2, 240), (2, 240), (3, 240), (4, 240)]
        );
    }

    #[test]
    fn what_is_worth_sending_follows_from_how_full_the_batches_are() {
        let exchange = exchange(true);
        let least = || exchange.tally(Elsewhere::default(), 0).least_depth;
        let full = exchange.rate.batch;
        assert_eq!(least(), SHALLOWEST);
        // Stored; then taken, and the least depth after it.
        for (depth, (count, taken, then)) in (20..).zip([
            (full + 1, full, SHALLOWEST + 1),
            (full, full, SHALLOWEST + 1),
            (3 * full, full, SHALLOWEST + 2),
            (full / 2, full / 2, SHALLOWEST + 2),
            (full / 2 - 1, full / 2 - 1, SHALLOWEST + 1),
            (0, 0, SHALLOWEST),
            (0, 0, SHALLOWEST),
        ]) {
            store(&exchange, count, depth);
            assert_eq!((exchange.take_batch().len(), least()), (taken, then), "{count} entries");
        }
        let dropped = exchange.tally(Elsewhere::default(), 0).dropped;
        assert_eq!(dropped, 2 * (1 + 2 * full as u64), "all that ran over, for both of the others");
    }

    /// A search stores the same positions again and again.
    #[test]
    fn what_the_others_have_takes_room_in_a_batch_but_does_not_go_twice() {
        let exchange = exchange(true);
        let of = || exchange.tally(Elsewhere::default(), 0);
        let taken = || exchange.take_batch().len();
        let full = exchange.rate.batch;
        store(&exchange, full / 2, 20);
        store(&exchange, full / 2, 20);
        assert_eq!((taken(), of().dropped, of().least_depth), (full / 2, 0, SHALLOWEST));
        store(&exchange, full, 20);
        assert_eq!((taken(), of().dropped, of().least_depth), (full / 2, 0, SHALLOWEST), "what is new");
        store(&exchange, full + 3, 22);
        assert_eq!((taken(), of().dropped, of().least_depth), (full, 2 * 3, SHALLOWEST + 1));
        store(&exchange, full, 22);
        assert_eq!((taken(), of().dropped, of().least_depth), (0, 2 * 3, SHALLOWEST + 1));
    }

    /// Each rank begins with other depths, by its number; rank 0 waits for what the others have found.
    #[test]
    fn a_rank_searches_under_its_own_number() {
        for rank in 0..3 {
            let (errands, _inbox) = unbounded();
            let exchange = Exchange::new(rank, 3, 1, Arc::default(), errands, true);
            assert_eq!((exchange.rank(), exchange.over(&[])), (rank, rank == 0));
        }
    }

    /// Each sign of life of a rank says all that it has done by then.
    #[test]
    fn what_the_others_have_done_is_the_sum_of_their_last_words() {
        let exchange = exchange(true);
        for (rank, nodes, tablebase_hits) in [(1, 7, 3), (2, 100, 1), (1, 10, 4)] {
            exchange.note_done(rank, Elsewhere { nodes, tablebase_hits });
        }
        assert_eq!(exchange.elsewhere(), Elsewhere { nodes: 110, tablebase_hits: 5 });
    }

    #[test]
    fn what_is_just_worth_sending_counts_where_it_is_found() {
        let [own, other] = [exchange(true), exchange(true)];
        store(&own, 3, SHALLOWEST);
        for (key, data) in own.take_batch() {
            let entry = Entry::unpack(data).expect("it was packed");
            other.registry.receive(1, key, &entry);
            other.found(key, &entry, false);
        }
        assert_eq!(other.tally(Elsewhere::default(), 0).probed, 3);
    }

    #[test]
    fn too_shallow_entries_are_not_sent_and_none_where_none_are_wanted() {
        for (entries, depth, taken) in [(true, SHALLOWEST, 3), (true, SHALLOWEST - 1, 0), (false, 60, 0)] {
            let exchange = exchange(entries);
            store(&exchange, 3, depth);
            assert_eq!(exchange.take_batch().len(), taken, "{entries}, depth {depth}");
        }
    }
}
