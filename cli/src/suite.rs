//! `firstborn suite`: EPD test suites.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::options::{Evaluation, Resources, SearchLimits, read_text};
use crate::provenance::evaluated_by;
use crate::ranks::{Helper, helpers};
use crate::share::{Maker, in_order};
use anyhow::{Context, anyhow, ensure};
use bench::suite::{Outcome, solve};
use chess::epd::{self, Epd};
use figures::table::counted;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use smp::pool::Pool;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use sys::output::Outputs;
use thinking::report::Limits;

/// Solve EPD test suites: find the best move, avoid the bad one
///
/// Every position starts from a cleared table. A position counts as solved if the final move is one of `bm`
/// and none of `am`; the time to solution is the moment from which the search kept that move to the end. Without
/// --depth, --nodes or --movetime each position is searched for one second. Ctrl-C ends the suite with the
/// results so far.
#[derive(clap::Args)]
pub struct Args {
    /// EPD files
    #[arg(required = true, value_name = "FILE.epd")]
    pub files: Vec<PathBuf>,
    /// Only the first N positions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    resources: Resources,
    #[command(flatten)]
    limits: SearchLimits,
    #[command(flatten)]
    evaluation: Evaluation,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

impl Args {
    /// What searches, and until when.
    pub fn pool(&self) -> anyhow::Result<(Pool, Limits)> {
        Ok((self.resources.pool(&self.evaluation)?, self.limits.limits(Duration::from_secs(1))))
    }

    /// The positions to solve.
    pub fn positions(&self) -> anyhow::Result<Vec<Epd>> {
        Outputs::reading_once(&self.files)?;
        let mut positions = Vec::new();
        for file in &self.files {
            for read in epd::read(&read_text(file)?) {
                let place = |line: usize| format!("{}:{line}", file.display());
                let (line, epd) = read.map_err(|error| anyhow!(error.cause).context(place(error.line)))?;
                ensure!(
                    !epd.best.is_empty() || !epd.avoid.is_empty(),
                    "{}: neither bm nor am, nothing to solve",
                    place(line)
                );
                positions.push(epd);
            }
        }
        positions.truncate(self.limit.unwrap_or(usize::MAX));
        ensure!(!positions.is_empty(), "no positions to solve");
        Ok(positions)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let positions = args.positions()?;
    let stop = stop_flag()?;
    let (mut pool, limits) = args.pool()?;
    let provenance = evaluated_by(pool.network().map(AsRef::as_ref));
    let bar = progress(positions.len());
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut solvers: Vec<Maker<'_, Outcome>> =
        vec![Box::new(|place| solve(&mut pool, &positions[place], place + 1, &limits, &stop))];
    let helpers = helpers(&|| stop.load(Relaxed));
    solvers.extend(helpers.into_iter().map(|helper| elsewhere(helper, &stop)));
    let shared = in_order(positions.len(), solvers, |outcome| {
        if !args.json {
            bar.suspend(|| println!("{}", row(&positions[outcomes.len()], &outcome)));
        }
        outcomes.push(outcome);
        bar.inc(1);
    });
    shared.context("cannot start a thread that solves")?;
    bar.finish_and_clear();
    let left_out = positions.len() - outcomes.len();
    if args.json {
        let mut document = document(&outcomes, left_out);
        document["provenance"] = json!(provenance);
        println!("{document}");
    } else {
        println!("{}", summary(&outcomes, left_out));
        println!("{provenance}");
    }
    if left_out > 0 {
        eprintln!(
            "firstborn: stopped after {} of {}",
            outcomes.len(),
            counted(positions.len() as u64, "position")
        );
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// What came of a suite, of which Ctrl-C has left out so many positions.
fn document(outcomes: &[Outcome], left_out: usize) -> Value {
    json!({
        "schema": 1, "solved": solved(outcomes), "total": outcomes.len(), "left_out": left_out,
        "positions": outcomes,
    })
}

/// The same in words: `3 of 5 solved, 95 left out, mean time to solution 1.25 s`.
fn summary(outcomes: &[Outcome], left_out: usize) -> String {
    let left_out = if left_out > 0 { format!(", {left_out} left out") } else { String::new() };
    let mean = mean_seconds(outcomes);
    let mean = mean.map_or(String::new(), |mean| format!(", mean time to solution {mean:.2} s"));
    format!("{} of {} solved{left_out}{mean}", solved(outcomes), outcomes.len())
}

/// How many positions were solved.
fn solved(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.solved).count()
}

/// The mean time to solution in seconds of the positions that were solved, if any was.
fn mean_seconds(outcomes: &[Outcome]) -> Option<f64> {
    let solved = outcomes.iter().filter(|outcome| outcome.solved);
    let times: Vec<u64> = solved.map(|outcome| outcome.time_ms).collect();
    (!times.is_empty()).then(|| times.iter().sum::<u64>() as f64 / 1000.0 / times.len() as f64)
}

/// Another rank, which is sent a position's place and answers with the outcome.
fn elsewhere<'m>(helper: Helper, stop: &'m AtomicBool) -> Maker<'m, Outcome> {
    Box::new(move |place| {
        let answer = helper.ask(place.to_le_bytes().to_vec(), &|| stop.load(Relaxed))?;
        serde_json::from_slice(&answer).ok()
    })
}

/// A bar on the terminal's error stream; nothing in a pipe.
fn progress(total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} eta {eta}")
        .expect("the template is constant and well formed");
    ProgressBar::new(total as u64).with_style(style)
}

fn row(epd: &Epd, outcome: &Outcome) -> String {
    let verdict = if outcome.solved { "ok " } else { "-- " };
    let sans =
        |moves: &[chess::Move]| moves.iter().map(|&mv| epd.position.san(mv)).collect::<Vec<_>>().join(" ");
    let mut wanted = sans(&epd.best);
    if !epd.avoid.is_empty() {
        wanted = format!("{wanted} not {}", sans(&epd.avoid)).trim_start().to_string();
    }
    format!(
        "{verdict} {:<12} {:<7} wanted {wanted:<11} depth {:>2} {:>6} ms {:>10} nodes",
        outcome.id, outcome.played, outcome.depth, outcome.time_ms, outcome.nodes
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Line;
    use clap::Parser;
    use std::path::Path;

    fn positions(files: [&Path; 2]) -> anyhow::Result<Vec<Epd>> {
        let words = ["suite".into()].into_iter().chain(files.map(|file| file.as_os_str().to_owned()));
        Line::<Args>::try_parse_from(words).expect("the words are right").args.positions()
    }

    fn outcome(solved: bool, time_ms: u64) -> Outcome {
        let (id, played) = (String::new(), String::new());
        Outcome { id, solved, played, depth: 1, time_ms, nodes: 1 }
    }

    /// What Ctrl-C has left out is told in words and in the document.
    #[test]
    fn a_suite_says_what_it_left_out() {
        let outcomes = [outcome(true, 500), outcome(false, 9000), outcome(true, 2500)];
        for (left_out, told) in [(0, ""), (95, ", 95 left out")] {
            let document = document(&outcomes, left_out);
            let counts = ["solved", "total", "left_out"].map(|key| document[key].as_u64());
            assert_eq!(counts, [Some(2), Some(3), Some(left_out as u64)]);
            let words = format!("2 of 3 solved{told}, mean time to solution 1.50 s");
            assert_eq!(summary(&outcomes, left_out), words);
        }
    }

    #[test]
    fn the_mean_time_is_that_of_what_was_solved() {
        let outcomes = [outcome(true, 500), outcome(false, 9000), outcome(true, 2500)];
        assert_eq!(mean_seconds(&outcomes), Some(1.5));
        assert_eq!(mean_seconds(&outcomes[1..2]), None);
    }

    /// Under whatever name.
    #[test]
    fn a_file_counts_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("c.epd");
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n";
        std::fs::write(&file, text).expect("it can be written");
        let around = folder.path().join("sub/../c.epd");
        std::fs::create_dir(folder.path().join("sub")).expect("it can be made");
        let link = folder.path().join("link.epd");
        std::fs::hard_link(&file, &link).expect("a link");
        for again in [&file, &around, &link] {
            let refused = positions([&file, again]).expect_err("it would count twice");
            assert!(refused.to_string().contains("twice"), "{refused}");
        }
        let copy = folder.path().join("copy.epd");
        std::fs::write(&copy, text).expect("it can be written");
        assert_eq!(positions([&file, &copy]).expect("two files").len(), 2);
    }
}
