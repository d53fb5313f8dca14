//! Node counters: exact, one cache line each, written by one thread and read by any.
//!
//! A counter that threads share costs several per cent at a dozen cores (Stockfish commit ca6775264); one per thread,
//! written with a plain load and store, costs nothing and is summed only when somebody asks.

use crate::touch::LINE_BYTES;
use crate::tt::Word;
use crossbeam::utils::CachePadded;
use std::sync::atomic::AtomicU64;

/// One thread's count of searched nodes, in the processor's word (or loom's, in `tests/counter.rs`).
#[derive(Debug, Default)]
pub struct Counter<W = AtomicU64>(CachePadded<W>);

const _: () = assert!(align_of::<Counter>() >= LINE_BYTES, "no two counters share a cache line");

impl<W: Word> Counter<W> {
    /// Publishes the owner's count. Only the owning thread calls this.
    #[inline]
    pub fn set(&self, count: u64) {
        self.0.put(count);
    }

    /// The last count published.
    #[inline]
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}
