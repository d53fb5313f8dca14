//! M figure 8 redrawn: iterative alpha-beta, aspiration and PVS with their memory assists on the Bratko-Kopec
//! positions, in percent of direct alpha-beta, by CPU time and by horizon nodes.
//!
//! As in M's program, root moves are ranked by an extensive analysis, safe captures come first everywhere,
//! and the work of all iterations counts. Two table sizes are run: M's eight thousand entries, which overflow
//! at six plies, and one that does not.
//!
//! Horizon nodes are compared position by position ([`super::paired`]). CPU time is a sum, and a number
//! beside: it is another on another machine.

use super::Watch;
use super::contest::{Score, Threads, mean_width, measure_until};
use super::paired::{logs, percent};
use crate::algorithms::room::MAX_KEPT;
use crate::enhanced::Contestant;
use crate::node::Node;
use crate::tally::{Tally, minimal_tree};
use crate::trees::positions::bratko_kopec_roots;
use serde::Serialize;
use std::sync::atomic::AtomicBool;

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
    /// Percent of direct alpha-beta's CPU time; not a number where a coarse clock has shown none of it.
    pub time_percent: f64,
    /// Percent of direct alpha-beta's horizon nodes: the geometric mean over the positions ...
    pub horizon_percent: f64,
    /// ... and its 95 % interval, from here ...
    pub horizon_low: f64,
    /// ... to here.
    pub horizon_high: f64,
    /// The work.
    pub tally: Tally,
    /// Horizon nodes, position by position.
    #[serde(skip)]
    pub horizon: Vec<u64>,
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
    /// The minimal tree in percent of direct alpha-beta's horizon nodes, by depth: each position's by its own
    /// width.
    pub minimal: Vec<(u32, f64)>,
    /// How many points are missing: the caller asked for the end.
    pub left_out: usize,
    /// Horizon nodes of each position's minimal tree, by depth.
    #[serde(skip)]
    pub minimal_trees: Vec<(u32, Vec<u64>)>,
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

/// Runs the study.
pub fn figure8(settings: &Settings, watch: &mut Watch<'_>) -> Figure8 {
    let roots: Vec<_> = bratko_kopec_roots().into_iter().take(settings.positions).collect();
    let widths: Vec<f64> = roots.iter().map(|root| mean_width(std::slice::from_ref(root), 3)).collect();
    let mut figure = Figure8 {
        positions: roots.len(),
        width: mean_width(&roots, 3),
        quiescence: settings.quiescence,
        points: Vec::new(),
        minimal: Vec::new(),
        left_out: 0,
        minimal_trees: Vec::new(),
    };
    for depth in settings.from.max(1)..=settings.to {
        let mut direct: Option<(f64, Vec<u64>)> = None;
        for (series, entries) in curves(&settings.tables) {
            watch.say(&format!("depth {depth}: {series}{}", size_label(entries)));
            let run = || measure_point(&roots, depth, (series, entries), settings, watch.stop);
            let Some((score, seconds)) = run() else {
                figure.left_out += 1;
                continue;
            };
            let horizon = score.horizon();
            let (time, base) = direct.get_or_insert_with(|| (seconds, horizon.clone()));
            let share = percent(&logs(base, &horizon)).map(|change| 100.0 + change);
            figure.points.push(Point {
                series: series.to_owned(),
                entries,
                depth,
                seconds,
                time_percent: percent_of(seconds, *time),
                horizon_percent: share.mean,
                horizon_low: share.low,
                horizon_high: share.high,
                tally: score.tally,
                horizon,
            });
        }
        if let Some((_, base)) = direct {
            let trees: Vec<u64> = widths.iter().map(|&w| minimal_tree(w, depth).round() as u64).collect();
            figure.minimal.push((depth, 100.0 + percent(&logs(&base, &trees)).mean));
            figure.minimal_trees.push((depth, trees));
        }
    }
    figure
}

fn percent_of(seconds: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * seconds / whole } else { f64::NAN }
}

/// Every curve, those with a table once for each size.
fn curves(tables: &[usize]) -> Vec<(&'static str, Option<usize>)> {
    let sizes = |text: &str| match text.contains("TABLE") {
        true => tables.iter().copied().map(Some).collect(),
        false => vec![None],
    };
    SERIES
        .iter()
        .flat_map(|&(series, text)| sizes(text).into_iter().map(move |size| (series, size)))
        .collect()
}

/// A point's counts and its CPU seconds; none if the end was asked for.
fn measure_point<N: Node>(
    roots: &[N],
    depth: u32,
    (series, entries): (&str, Option<usize>),
    settings: &Settings,
    stop: &AtomicBool,
) -> Option<(Score, f64)> {
    let text = SERIES.iter().find(|entry| entry.0 == series)?.1;
    let contestant = contestant(text, entries, settings.quiescence);
    let run = || {
        let found = measure_until(roots, depth, (&contestant, None), settings.threads, MAX_KEPT, stop);
        found.expect("no curve's search keeps all its nodes")
    };
    let score = run()?;
    let seconds = match settings.threads {
        Threads::One => timed(&score, run),
        Threads::All => score.seconds,
    };
    Some((score, seconds))
}

/// CPU seconds of one run: the least of as many runs as make the time worth reading. What disturbs a run only
/// ever makes it slower.
fn timed(first: &Score, mut again: impl FnMut() -> Option<Score>) -> f64 {
    let (mut least, mut sum, mut runs) = (first.seconds, first.seconds, 1);
    while (sum < LEAST_SECONDS || runs < LEAST_RUNS) && runs < MOST_RUNS && sum < MOST_SECONDS {
        let Some(Score { seconds, .. }) = again() else { break };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_shows_no_time_gives_no_share() {
        assert_eq!(percent_of(0.3, 0.2).round(), 150.0);
        assert!(percent_of(0.3, 0.0).is_nan() && percent_of(0.0, 0.0).is_nan());
    }
}
