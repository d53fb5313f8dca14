//! M figure 8 redrawn: iterative alpha-beta, aspiration and PVS with their memory assists on the Bratko-Kopec
//! positions, in percent of direct alpha-beta, by CPU time and by horizon nodes.
//!
//! As in M's program, root moves are ranked by an extensive analysis, safe captures come first everywhere, and
//! the work of all iterations counts. Two table sizes are run: M's eight thousand entries, which overflow at six
//! plies, and one that does not.

use super::contest::{Score, Threads, mean_width, measure};
use crate::enhanced::Contestant;
use crate::tally::{Tally, minimal_tree};
use crate::trees::positions::bratko_kopec_roots;
use serde::Serialize;

/// Runs are repeated until this much CPU time has gone by ...
const LEAST_SECONDS: f64 = 0.2;
/// ... and there were this many ...
const LEAST_RUNS: u32 = 4;
/// ... but no more than this many, and none after this much time.
const MOST_RUNS: u32 = 20;
const MOST_SECONDS: f64 = 6.0;

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Shallowest depth, at least 1.
    pub from: u32,
    /// Deepest depth.
    pub to: u32,
    /// How many of the 24 positions, from the first.
    pub positions: usize,
    /// Table sizes in entries.
    pub tables: Vec<usize>,
    /// Quiescence at the horizon (captures), as M's program probably had; without it the static value.
    pub quiescence: bool,
    /// One thread for honest times (short runs are then repeated); all of them when nodes are enough.
    pub threads: Threads,
}

/// One point of the figure.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The curve.
    pub series: String,
    /// Entries of its transposition table, if it has one.
    pub entries: Option<usize>,
    /// Plies.
    pub depth: u32,
    /// CPU seconds on all positions.
    pub seconds: f64,
    /// Percent of direct alpha-beta's CPU time.
    pub time_percent: f64,
    /// Percent of direct alpha-beta's horizon nodes.
    pub horizon_percent: f64,
    /// The work.
    pub tally: Tally,
}

/// The figure.
#[derive(Clone, Debug, Serialize)]
pub struct Figure8 {
    /// Positions used.
    pub positions: usize,
    /// Mean branching factor of their trees (M: 34).
    pub width: f64,
    /// Quiescence at the horizon?
    pub quiescence: bool,
    /// All points, direct alpha-beta's first at each depth.
    pub points: Vec<Point>,
    /// The minimal tree in percent of direct alpha-beta's horizon nodes, by depth.
    pub minimal: Vec<(u32, f64)>,
}

/// The curves: label and contestant; `TABLE` stands for a table of the size at hand.
pub const SERIES: [(&str, &str); 10] = [
    ("direct alpha-beta", "alphabeta"),
    ("iterative alpha-beta", "alphabeta+id"),
    ("aspiration", "alphabeta+id+asp"),
    ("pvs", "pvs-r+id"),
    ("pvs+ref", "pvs-r+id+ref"),
    ("pvs+hist", "pvs-r+id+hist"),
    ("pvs+ref+hist", "pvs-r+id+ref+hist"),
    ("pvs+trans", "pvs-r+id+trans=TABLE"),
    ("pvs+trans+hist", "pvs-r+id+trans=TABLE+hist"),
    ("pvs+trans+ref+hist", "pvs-r+id+trans=TABLE+ref+hist"),
];

/// Runs the study; `progress` hears what is run next.
pub fn figure8(settings: &Settings, mut progress: impl FnMut(&str)) -> Figure8 {
    let roots: Vec<_> = bratko_kopec_roots().into_iter().take(settings.positions).collect();
    let width = mean_width(&roots, 3);
    let (mut points, mut minimal) = (Vec::<Point>::new(), Vec::new());
    for depth in settings.from.max(1)..=settings.to {
        let mut direct: Option<(f64, u64)> = None;
        for (series, text) in SERIES {
            let tables: Vec<Option<usize>> = match text.contains("TABLE") {
                true => settings.tables.iter().copied().map(Some).collect(),
                false => vec![None],
            };
            for entries in tables {
                progress(&format!("depth {depth}: {series}{}", size_label(entries)));
                let contestant = contestant(text, entries, settings.quiescence);
                let score = measure(&roots, depth, &contestant, settings.threads);
                let seconds = match settings.threads {
                    Threads::One => timed(&score, || measure(&roots, depth, &contestant, Threads::One)),
                    Threads::All => score.seconds,
                };
                let (time, horizon) = *direct.get_or_insert((seconds, score.tally.horizon));
                points.push(Point {
                    series: series.to_owned(),
                    entries,
                    depth,
                    seconds,
                    time_percent: 100.0 * seconds / time,
                    horizon_percent: 100.0 * score.tally.horizon as f64 / horizon as f64,
                    tally: score.tally,
                });
            }
        }
        let horizon = direct.map_or(1, |d| d.1);
        minimal.push((depth, 100.0 * minimal_tree(width, depth) * roots.len() as f64 / horizon as f64));
    }
    Figure8 { positions: roots.len(), width, quiescence: settings.quiescence, points, minimal }
}

/// CPU seconds of one run: the least of as many runs as make the time worth reading. What disturbs a run only
/// ever makes it slower.
fn timed(first: &Score, mut again: impl FnMut() -> Score) -> f64 {
    let (mut least, mut sum, mut runs) = (first.seconds, first.seconds, 1);
    while (sum < LEAST_SECONDS || runs < LEAST_RUNS) && runs < MOST_RUNS && sum < MOST_SECONDS {
        let seconds = again().seconds;
        least = least.min(seconds);
        sum += seconds;
        runs += 1;
    }
    least
}

fn contestant(text: &str, entries: Option<usize>, quiescence: bool) -> Contestant {
    let table = entries.unwrap_or(1).max(1).to_string();
    let horizon = if quiescence { "+quiesce" } else { "" };
    let text = format!("{}+root-analysis{horizon}", text.replace("TABLE", &table));
    text.parse().expect("the series are written with words of the register")
}

/// The table's size as a curve's label has it.
pub fn size_label(entries: Option<usize>) -> String {
    match entries {
        None => String::new(),
        Some(n) if n % 1_000_000 == 0 => format!(" ({} M)", n / 1_000_000),
        Some(n) if n % 1000 == 0 => format!(" ({} k)", n / 1000),
        Some(n) => format!(" ({n})"),
    }
}

impl Figure8 {
    /// The point of a curve at a depth.
    pub fn point(&self, series: &str, entries: Option<usize>, depth: u32) -> Option<&Point> {
        self.points.iter().find(|p| p.series == series && p.entries == entries && p.depth == depth)
    }
}
