//! CPU time of the present thread.
//!
//! Linux keeps it in `/proc/thread-self/schedstat`, nanosecond by nanosecond, where it can be read without
//! a foreign call. Where that file does not exist the wall clock has to do, and the report says so.

use std::time::{Duration, Instant};

/// A stopwatch for the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu: thread_cpu_time() }
    }

    /// CPU time since the start, or wall time where the system does not tell.
    pub fn elapsed(&self) -> Duration {
        match (self.cpu, thread_cpu_time()) {
            (Some(then), Some(now)) => now.saturating_sub(then),
            _ => self.wall.elapsed(),
        }
    }
}

/// Does this system tell the CPU time of a thread?
pub fn measures_cpu() -> bool {
    thread_cpu_time().is_some()
}

fn thread_cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
