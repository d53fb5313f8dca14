//! Ctrl-C, as the commands take it that run for long: the first asks them to end in order, the second at once.

use anyhow::Context;
use std::time::{Duration, Instant};

/// Two within so short a time are one: `timeout -s INT` sends its command two, one to the process and one to its group.
const TOGETHER: Duration = Duration::from_millis(100);

/// Calls `ask` at every Ctrl-C from now on, on a thread of its own.
///
/// # Errors
/// The system does not let us watch, or somebody does already.
pub fn on_interrupt(mut ask: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    let mut asked: Option<Instant> = None;
    ctrlc::set_handler(move || {
        if asked.is_none_or(|moment| moment.elapsed() > TOGETHER) {
            asked = Some(Instant::now());
            ask();
        }
    })
    .context("cannot watch for Ctrl-C")
}
