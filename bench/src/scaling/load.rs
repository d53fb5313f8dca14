//! Keeping the other cores busy.
//!
//! A processor clocks higher when most of its cores rest, which flatters the search with one thread. Hyatt therefore
//! ran all 20 cores in every measurement, dummies on those without a search thread (talkchess, message 627670).

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{JoinHandle, spawn};

/// Threads that compute for nothing until this is dropped.
pub struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Occupies `cores` cores.
    pub fn new(cores: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let threads = (0..cores).map(|_| spawn_one(Arc::clone(&over))).collect();
        Load { over, threads }
    }
}

/// Plain arithmetic: what spins on a pause instruction draws too little power to count as load.
fn spawn_one(over: Arc<AtomicBool>) -> JoinHandle<()> {
    spawn(move || {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        while !over.load(Relaxed) {
            for _ in 0..10_000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }
            black_box(state);
        }
    })
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        for thread in self.threads.drain(..) {
            // The loop above cannot panic.
            let _ = thread.join();
        }
    }
}
