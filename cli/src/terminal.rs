//! How wide tables may be.

use std::io::{IsTerminal, stdout};
use terminal_size::{Width, terminal_size_of};

/// Columns where there is no terminal and nothing says how many: enough for the widest table but for the
/// claims'.
const WIDE: u16 = 140;
/// Narrower tables cannot be read.
const NARROW: u16 = 40;

/// Columns of the terminal that standard output goes to; of a pipe or a file what `COLUMNS` says.
pub fn width() -> u16 {
    let real = stdout()
        .is_terminal()
        .then(|| terminal_size_of(stdout()))
        .flatten()
        .map(|(Width(columns), _)| columns);
    let told = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    real.filter(|&columns| columns > 0).or_else(told).unwrap_or(WIDE).max(NARROW)
}
