//! loom's word in place of the processor's: every schedule, and every value a relaxed load may see, is tried.

use engine::tt::Word;
use loom::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One word of shared memory, zero at first.
#[derive(Default)]
pub struct Modelled(AtomicU64);

impl Word for Modelled {
    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
    fn put(&self, value: u64) {
        self.0.store(value, Relaxed);
    }
}
