//! Node counters: exact, one cache line each, written by one thread and read by any.
//!
//! A counter that threads share costs several per cent at a dozen cores (Stockfish commit ca6775264); one per thread,
//! written with a plain load and store, costs nothing and is summed only when somebody asks.

use crossbeam::utils::CachePadded;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One thread's count of searched nodes.
#[derive(Debug, Default)]
pub struct Counter(CachePadded<AtomicU64>);

impl Counter {
    /// Publishes the owner's count. Only the owning thread calls this.
    #[inline]
    pub fn set(&self, count: u64) {
        self.0.store(count, Relaxed);
    }

    /// The last count published.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
