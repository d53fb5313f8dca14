//! Keeping the other cores busy.
//!
//! A processor clocks higher when most of its cores rest, which flatters the search with one thread. Hyatt therefore
//! ran all 20 cores in every measurement, dummies on those without a search thread (talkchess, message 627670).

use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{Builder, JoinHandle};

/// Threads that compute for nothing until this is dropped.
pub struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Occupies `cores` cores.
    ///
    /// # Errors
    /// When the system refuses a thread; those that were started have ended then.
    pub fn new(cores: usize) -> io::Result<Self> {
        Self::start(Arc::default(), (0..cores).map(|_| Builder::new()))
    }

    /// How many cores it occupies.
    #[cfg(test)]
    pub(super) fn cores(&self) -> usize {
        self.threads.len()
    }

    /// Where a thread is refused `load` is dropped, and with that the others end.
    fn start(over: Arc<AtomicBool>, builders: impl Iterator<Item = Builder>) -> io::Result<Self> {
        let mut load = Load { over, threads: Vec::new() };
        for builder in builders {
            load.threads.push(start_one(builder, Arc::clone(&load.over))?);
        }
        Ok(load)
    }
}

/// Plain arithmetic: what spins on a pause instruction draws too little power to count as load.
fn start_one(builder: Builder, over: Arc<AtomicBool>) -> io::Result<JoinHandle<()>> {
    builder.spawn(move || {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The system has no room for the stack of the second one. A thread that runs has a share of what tells it to end.
    #[test]
    fn a_thread_that_is_not_to_be_had_is_an_error_and_leaves_none() {
        let over = Arc::new(AtomicBool::new(false));
        let refused = Builder::new().stack_size(usize::MAX / 8);
        assert!(Load::start(Arc::clone(&over), [Builder::new(), refused].into_iter()).is_err());
        assert_eq!(Arc::strong_count(&over), 1);
        let load = Load::new(2).expect("two threads are to be had");
        assert_eq!((load.threads.len(), Arc::strong_count(&load.over)), (2, 3));
    }
}
