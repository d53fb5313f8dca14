//! How long a cache line takes from one core to another.
//!
//! Two threads, each bound to a processor, write the same line in turns: each waits for the other's word and
//! answers it. A turn is the time from one thread's write to the other's, and what a lock, a split point or a
//! counter costs at least that goes from hand to hand. It differs by what the two share: a core, a cache, a
//! package or only the machine.

use crate::affinity::{self, CpuSet};
use std::hint::spin_loop;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Release};
use std::thread;
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
    /// Waits for a word and answers it.
    fn answer(&self, word: u32) {
        let mut looks = 0_u32;
        while self.0.load(Acquire) != word {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(PATIENCE) {
                thread::yield_now();
            } else {
                spin_loop();
            }
        }
        self.0.store(word + 1, Release);
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
/// When a thread cannot be bound there, or the processors are the same.
pub fn between(from: usize, to: usize) -> io::Result<Transfer> {
    if from == to {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line goes nowhere on one processor"));
    }
    let line = Line::default();
    let bound = |cpu: usize| affinity::set_current(&std::iter::once(cpu).collect());
    // Both are tried before either waits for the other.
    for cpu in [from, to] {
        thread::scope(|scope| scope.spawn(move || bound(cpu)).join()).map_err(|_| panicked())??;
    }
    let last = 2 * TURNS * STRETCHES;
    let fastest = thread::scope(|scope| {
        scope.spawn(|| {
            let _ = bound(to);
            (1..last).step_by(2).for_each(|word| line.answer(word));
        });
        let timed = scope.spawn(|| {
            let _ = bound(from);
            let stretches = (0..STRETCHES).map(|stretch| {
                let began = Instant::now();
                let first = 2 * TURNS * stretch;
                (first..first + 2 * TURNS).step_by(2).for_each(|word| line.answer(word));
                began.elapsed()
            });
            stretches.min().unwrap_or_default()
        });
        timed.join().map_err(|_| panicked())
    })?;
    Ok(Transfer { from, to, time: fastest / (2 * TURNS) })
}

fn panicked() -> io::Error {
    io::Error::other("a measuring thread has panicked")
}

/// The same between all pairs of these processors; of more than `most` it takes so many, spread evenly.
///
/// # Errors
/// See [`between`].
pub fn among(cpus: &CpuSet, most: usize) -> io::Result<Vec<Transfer>> {
    let all: Vec<usize> = cpus.iter().collect();
    let count = all.len().min(most.max(2));
    let chosen: Vec<usize> = (0..count).map(|place| all[place * all.len() / count]).collect();
    let mut found = Vec::new();
    for (place, &from) in chosen.iter().enumerate() {
        for &to in &chosen[place + 1..] {
            found.push(between(from, to)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn every_pair_is_measured_once() {
        let before = affinity::current().unwrap();
        let cpus: CpuSet = before.iter().take(3).collect();
        let found = among(&cpus, 8).unwrap();
        let pairs: Vec<(usize, usize)> = found.iter().map(|transfer| (transfer.from, transfer.to)).collect();
        assert_eq!(pairs.len(), cpus.count() * (cpus.count() - 1) / 2);
        assert!(pairs.iter().all(|pair| cpus.contains(pair.0) && cpus.contains(pair.1)));
        assert!(pairs.iter().all(|pair| pair.0 < pair.1) && pairs.is_sorted());
        assert!(found.iter().all(|transfer| transfer.time > Duration::ZERO), "{found:?}");
        assert_eq!(affinity::current().unwrap(), before, "the caller is bound to nothing");
    }

    #[test]
    fn of_many_processors_some_are_taken_and_one_has_no_pair() {
        let one: CpuSet = affinity::current().unwrap_or_else(|_| CpuSet::first(1)).iter().take(1).collect();
        assert_eq!(among(&one, 8).unwrap(), []);
        let only = one.lowest().unwrap();
        assert_eq!(between(only, only).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert!(between(only, affinity::MAX_CPUS - 1).is_err(), "no machine here has so many");
    }
}
