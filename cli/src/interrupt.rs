//! Ctrl-C, as the commands take it that run for long: the first asks them to end in order, the second at
//! once.

use anyhow::Context;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use sys::signals::{Signal, keeping_ignored};

/// Exit code of whatever a signal has ended early, as shells have it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Two within so short a time are one: `timeout -s INT` sends its command two, one to the process and one to
/// its group.
const TOGETHER: Duration = Duration::from_millis(250);

/// Calls `ask` at every Ctrl-C, SIGTERM and SIGHUP from now on, on a thread of its own. A SIGHUP that was ignored
/// when the program started (`nohup`) stays ignored. SIGINT does not: shells start background jobs of a script with
/// SIGINT ignored, and such a script may still stop them with it.
///
/// # Errors
/// The system does not let us watch, or somebody does already.
pub fn on_interrupt(mut ask: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    let mut asked: Option<Instant> = None;
    watch(&[Signal::Hangup], move || {
        if asked.is_none_or(|moment| moment.elapsed() > TOGETHER) {
            asked = Some(Instant::now());
            ask();
        }
    })
}

/// Calls `act` at every Ctrl-C, SIGTERM and SIGHUP from now on, on a thread of its own; not at those that the
/// program was started to ignore, by `nohup` or by a client.
///
/// # Errors
/// Those of [`on_interrupt`].
pub fn on_signal(act: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    watch(&[Signal::Hangup, Signal::Interrupt, Signal::Terminate], act)
}

fn watch(ignored: &[Signal], act: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    keeping_ignored(ignored, || ctrlc::set_handler(act)).context("cannot watch for Ctrl-C")
}

/// Set once Ctrl-C is pressed; a second one ends the program at once.
///
/// # Errors
/// Those of [`on_interrupt`].
pub fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    on_interrupt(move || {
        if flag.swap(true, Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })?;
    Ok(stop)
}
