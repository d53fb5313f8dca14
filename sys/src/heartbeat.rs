//! A heartbeat of the machine: a thread that is to wake fifty times a second and keeps how late it does.
//!
//! A thread that only sleeps is among the first to run when its time has come. Where it wakes late, the machine
//! did not run programs that were ready: it was overloaded, its virtual machine was given no time, or it swapped.
//! So a late heartbeat tells a program that took too long from a machine that held it up. That a heartbeat
//! was on time proves little: a thread that sleeps is woken before programs that compute, and may run on
//! another processor.

use std::collections::VecDeque;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between two beats.
const PERIOD: Duration = Duration::from_millis(20);
/// A beat that is late by less is on time. Windows wakes threads at the ticks of a clock, which are 15.6 ms apart.
const NOTABLE: Duration = Duration::from_millis(if cfg!(windows) { 20 } else { 2 });
/// Late beats that are kept: more than a minute of them even where every beat is late.
const KEPT: usize = 4096;

/// The late beats.
#[derive(Debug, Default)]
struct Beats {
    /// When they were due and when they came, the oldest first.
    late: VecDeque<(Instant, Instant)>,
    /// When the next is due.
    next: Option<Instant>,
    /// Beats so far.
    count: u64,
}

impl Beats {
    /// A beat that was due came. It is overdue no more, so the next is told in the same step: a look at the beats
    /// would count its lateness twice otherwise.
    fn came(&mut self, due: Instant, at: Instant, next: Instant) {
        self.count += 1;
        self.next = Some(next);
        if at.saturating_duration_since(due) < NOTABLE {
            return;
        }
        if self.late.len() == KEPT {
            self.late.pop_front();
        }
        self.late.push_back((due, at));
    }

    /// The parts of a time in which a beat was overdue; less than [`NOTABLE`] counts as none.
    fn overdue(&self, from: Instant, to: Instant) -> impl Iterator<Item = Duration> {
        let pending = self.next.map(|due| (due, to.max(due)));
        let parts = self.late.iter().copied().chain(pending);
        let overlap =
            move |(due, at): (Instant, Instant)| at.min(to).saturating_duration_since(due.max(from));
        parts.map(overlap).filter(|part| *part >= NOTABLE)
    }
}

/// A running heartbeat; it ends when it is dropped.
#[derive(Debug)]
pub struct Heartbeat {
    beats: Arc<Mutex<Beats>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts one. Where no thread can be started it is never late.
    #[must_use]
    pub fn start() -> Self {
        let beats = Arc::new(Mutex::new(Beats::default()));
        let (stop, stopped) = mpsc::channel::<()>();
        let kept = Arc::clone(&beats);
        let beat = move || {
            let mut due = Instant::now() + PERIOD;
            lock(&kept).next = Some(due);
            loop {
                match stopped.recv_timeout(due.saturating_duration_since(Instant::now())) {
                    Err(RecvTimeoutError::Timeout) => {
                        let at = Instant::now();
                        lock(&kept).came(due, at, at + PERIOD);
                        due = at + PERIOD;
                    }
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        let thread = thread::Builder::new().name("heartbeat".to_owned()).spawn(beat).ok();
        Self { beats, stop: Some(stop), thread }
    }

    /// For how much of a time that is over the machine did not wake a thread that was to wake.
    #[must_use]
    pub fn overdue(&self, from: Instant, to: Instant) -> Duration {
        lock(&self.beats).overdue(from, to).sum()
    }

    /// The longest single time of those that [`overdue`](Self::overdue) adds up. Where it is long the machine
    /// was not overloaded but did nothing at all, or this process was stopped.
    #[must_use]
    pub fn longest_pause(&self, from: Instant, to: Instant) -> Duration {
        lock(&self.beats).overdue(from, to).max().unwrap_or_default()
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It does nothing that could panic.
            let _ = thread.join();
        }
    }
}

fn lock(beats: &Mutex<Beats>) -> MutexGuard<'_, Beats> {
    beats.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    /// Beats due at 20, 120 and 200, which came at 21, 150 and 210; the next is due at 230.
    #[cfg(not(windows))]
    fn beats(base: Instant) -> Beats {
        let mut beats = Beats { next: Some(base + ms(20)), ..Beats::default() };
        for (due, at, next) in [(20, 21, 120), (120, 150, 200), (200, 210, 230)] {
            beats.came(base + ms(due), base + ms(at), base + ms(next));
        }
        beats
    }

    #[test]
    #[cfg(not(windows))]
    fn only_what_was_late_in_a_time_counts() {
        let base = Instant::now();
        let beats = beats(base);
        for (from, to, overdue) in [
            (0, 100, &[][..]),   // one millisecond is on time
            (100, 160, &[30]),   // a whole beat
            (130, 140, &[10]),   // within one
            (149, 160, &[]),     // too little of one
            (0, 220, &[30, 10]), // two
            (205, 210, &[5]),    // the end of one
            (0, 231, &[30, 10]), // the next is not late yet
            (220, 300, &[70]),   // nor has it come
            (240, 250, &[10]),
            (160, 160, &[]),
        ] {
            let found: Vec<Duration> = beats.overdue(base + ms(from), base + ms(to)).collect();
            assert_eq!(found, overdue.iter().map(|&part| ms(part)).collect::<Vec<_>>(), "{from} to {to}");
        }
        assert_eq!(beats.count, 3);
    }

    /// A thread is woken at a tick of the clock, up to 15.6 ms after its time, on a machine that does nothing else.
    #[test]
    #[cfg(windows)]
    fn a_beat_at_the_next_tick_is_on_time() {
        let base = Instant::now();
        let mut beats = Beats { next: Some(base + ms(20)), ..Beats::default() };
        beats.came(base + ms(20), base + ms(36), base + ms(56));
        assert_eq!(beats.overdue(base, base + ms(50)).count(), 0);
    }

    #[test]
    fn a_beat_is_late_once() {
        let base = Instant::now();
        let mut beats = Beats { next: Some(base + ms(20)), ..Beats::default() };
        let overdue = |beats: &Beats| beats.overdue(base, base + ms(125)).collect::<Vec<Duration>>();
        assert_eq!(overdue(&beats), [ms(105)], "it has not come");
        beats.came(base + ms(20), base + ms(120), base + ms(140));
        assert_eq!(overdue(&beats), [ms(100)], "it has come");
    }

    #[test]
    fn old_beats_are_forgotten() {
        let base = Instant::now();
        let mut beats = Beats::default();
        for number in 0..KEPT as u64 + 10 {
            let due = base + ms(20 * number);
            beats.came(due, due + NOTABLE, due + ms(20));
        }
        assert_eq!((beats.late.len(), beats.late[0].0), (KEPT, base + ms(200)));
    }

    #[test]
    fn it_beats_and_ends() {
        let heart = Heartbeat::start();
        let begun = Instant::now();
        while lock(&heart.beats).count < 2 {
            assert!(begun.elapsed() < Duration::from_secs(60), "no beat");
            thread::yield_now();
        }
        let kept = Arc::downgrade(&heart.beats);
        drop(heart);
        assert!(kept.upgrade().is_none(), "the thread has ended");
    }
}
