//! How often the 95 % intervals of ratings hold the truth, in simulated tournaments from ten pairs in all to thirty a meeting:
//! `cargo run --release -p tournament --example intervals -- [RATINGS [SEED]]`, for each row as many ratings.

use std::io::{self, Write};

use tournament::stats::coverage::{Scenario, coverage};

/// Players and pairs of every two of them.
const FIELDS: [(usize, usize); 14] = [
    (2, 10),
    (2, 15),
    (2, 20),
    (2, 30),
    (5, 1),
    (5, 2),
    (5, 3),
    (5, 5),
    (5, 10),
    (5, 30),
    (20, 1),
    (20, 2),
    (20, 5),
    (20, 30),
];

/// Elo from the weakest to the strongest, share of draws between equals, and whether one player draws nine of ten.
const KINDS: [(f64, f64, bool); 7] = [
    (0.0, 0.0, false),
    (0.0, 0.4, false),
    (100.0, 0.4, false),
    (300.0, 0.4, false),
    (100.0, 0.7, false),
    (0.0, 0.85, false),
    (100.0, 0.1, true),
];

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let mut number = |otherwise| words.next().unwrap_or(Ok(otherwise)).map_err(io::Error::other);
    let (ratings, seed) = (number(20_000)?, number(1)?);
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| players | pairs a meeting | span | draws | one drawish | intervals | none | hold the truth |"
    )?;
    writeln!(out, "|---:|---:|---:|---:|:---:|---:|---:|---:|")?;
    for (players, pairs) in FIELDS {
        for (span, draws, drawish) in KINDS {
            let scenario = Scenario { players, pairs, span, draws, drawish, outclassed: false };
            let found = coverage(scenario, ratings.div_ceil(players as u64), seed);
            let mark = if drawish { "yes" } else { "" };
            writeln!(
                out,
                "| {players} | {pairs} | {span} | {:.0} % | {mark} | {} | {} | {:.1} % |",
                draws * 100.0,
                found.intervals,
                found.none,
                found.share() * 100.0
            )?;
        }
    }
    Ok(())
}
