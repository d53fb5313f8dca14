//! How long a cache line takes from one core to another.
//!
//! Two threads, each bound to a processor, write the same line in turns: each waits for the other's word and
//! answers it. A turn is the time from one thread's write to the other's, and what a lock, a split point or a
//! counter costs at least that goes from hand to hand. It differs by what the two share: a core, a cache, a
//! package or only the machine.

use crate::affinity;
use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

/// Turns timed at a stretch, and stretches: the fastest counts, since whatever else a processor does only
/// adds.
const TURNS: u32 = 400;
const STRETCHES: u32 = 12;
/// Looks at the line before a thread that waits lets others have its processor: the answer may need it.
const PATIENCE: u32 = 20_000;

/// A line on its own, and the line beside it that processors fetch along with it.
#[repr(align(128))]
#[derive(Default)]
struct Line(AtomicU32);

impl Line {
    /// Waits for a word and answers it; `false` if it is over, and no word comes any more.
    fn answer(&self, word: u32, over: &AtomicBool) -> bool {
        let mut looks = 0_u32;
        while self.0.load(Acquire) != word {
            looks = looks.wrapping_add(1);
            if !looks.is_multiple_of(PATIENCE) {
                spin_loop();
            } else if over.load(Relaxed) {
                return false;
            } else {
                thread::yield_now();
            }
        }
        self.0.store(word + 1, Release);
        true
    }
}

/// What was measured between two processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The one.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// One turn.
    pub time: Duration,
}

/// Time for a line to go from one processor to another, both different.
///
/// # Errors
/// When a thread is not to be had or cannot be bound there, or the processors are the same.
pub fn between(from: usize, to: usize) -> io::Result<Transfer> {
    if from == to {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line goes nowhere on one processor"));
    }
    // Both are tried before either waits for the other.
    for cpu in [from, to] {
        thread::scope(|scope| {
            let tried = Builder::new().spawn_scoped(scope, move || bind(cpu))?;
            tried.join().map_err(|_| panicked())?
        })?;
    }
    let fastest = fastest_stretch(from, to, [Builder::new(), Builder::new()])?;
    Ok(Transfer { from, to, time: fastest / (2 * TURNS) })
}

fn bind(cpu: usize) -> io::Result<()> {
    affinity::set_current(&std::iter::once(cpu).collect())
}

/// The least time that a stretch of turns takes between two threads, bound to these processors if that can be done:
/// one that answers, and one that keeps the time.
fn fastest_stretch(from: usize, to: usize, threads: [Builder; 2]) -> io::Result<Duration> {
    let (line, over) = (Line::default(), AtomicBool::new(false));
    let [answering, timing] = threads;
    let last = 2 * TURNS * STRETCHES;
    thread::scope(|scope| {
        answering.spawn_scoped(scope, || {
            let _ = bind(to);
            (1..last).step_by(2).all(|word| line.answer(word, &over))
        })?;
        let timed = timing.spawn_scoped(scope, || {
            let _ = bind(from);
            let stretches = (0..STRETCHES).map(|stretch| {
                let began = Instant::now();
                let first = 2 * TURNS * stretch;
                for word in (first..first + 2 * TURNS).step_by(2) {
                    line.answer(word, &over);
                }
                began.elapsed()
            });
            stretches.min().unwrap_or_default()
        });
        if timed.is_err() {
            // The one that answers would wait for ever, and the scope for it.
            over.store(true, Relaxed);
        }
        timed?.join().map_err(|_| panicked())
    })
}

fn panicked() -> io::Error {
    io::Error::other("a measuring thread has panicked")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affinity::CpuSet;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_line_takes_time_between_two_processors() {
        let before = affinity::current().unwrap();
        let cpus: Vec<usize> = before.iter().collect();
        // There is no pair on a machine of one CPU.
        if let [from, .., to] = cpus[..] {
            let found = between(from, to).unwrap();
            assert!((found.from, found.to) == (from, to) && found.time > Duration::ZERO, "{found:?}");
        }
        assert_eq!(affinity::current().unwrap(), before, "the caller is bound to nothing");
    }

    /// The system has no room for the stack of the first thread, or of the second one while the first waits for it.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_is_not_to_be_had_is_an_error() {
        let only = affinity::current().unwrap().lowest().unwrap();
        let refused = || Builder::new().stack_size(usize::MAX / 8);
        assert!(fastest_stretch(only, only, [refused(), Builder::new()]).is_err());
        assert!(fastest_stretch(only, only, [Builder::new(), refused()]).is_err());
    }

    #[test]
    fn one_processor_has_no_pair() {
        let allowed = affinity::current().unwrap_or_else(|_| CpuSet::first(1));
        let only = allowed.lowest().unwrap();
        assert_eq!(between(only, only).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert!(between(only, affinity::MAX_CPUS - 1).is_err(), "no machine here has so many");
    }
}
