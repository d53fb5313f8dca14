//! `firstborn perft`: counts move sequences, for one position or for a suite of known counts.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::options::{position, read_text};
use crate::provenance::provenance;
use anyhow::{Context, bail, ensure};
use chess::epd::Epd;
use chess::{Position, divide, perft};
use figures::table::counted;
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Count legal move sequences, the test of a move generator
///
/// Ctrl-C ends a suite after the count at hand and keeps what was found (exit code 130).
#[derive(clap::Args)]
pub struct Args {
    /// Length of the sequences, in plies
    #[arg(
        required_unless_present = "suite", conflicts_with = "suite",
        value_parser = clap::value_parser!(u32).range(0..=20)
    )]
    depth: Option<u32>,
    /// The position [default: the start position]
    #[arg(long, value_name = "FEN", conflicts_with = "suite")]
    fen: Option<String>,
    /// Also print the count below every first move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Check the counts of a file: EPD lines with `;D1 20 ;D2 400` operations, or `epd`/`perft` records
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Skip counts of the suite above this many nodes
    #[arg(long, value_name = "NODES", default_value_t = 200_000_000, conflicts_with = "depth",
        value_parser = clap::value_parser!(u64).range(1..))]
    cap: u64,
    /// Threads [default: all that this process may use]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let threads = usize::from(args.threads.unwrap_or(0));
    let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    workers.install(|| match (&args.suite, args.depth) {
        (Some(file), _) => suite(file, args),
        (None, Some(depth)) => count(depth, args),
        (None, None) => bail!("perft needs a depth or a suite"),
    })
}

fn count(depth: u32, args: &Args) -> anyhow::Result<ExitCode> {
    let words: Vec<String> = args.fen.iter().cloned().collect();
    let position = position(&words)?;
    let started = Instant::now();
    let counts: Vec<_> = if depth == 0 {
        Vec::new()
    } else {
        let moves: Vec<_> = position.legal_moves().into_iter().collect();
        moves.into_par_iter().map(|mv| (mv, parallel_perft(&position.after(mv), depth - 1))).collect()
    };
    let nodes = if depth == 0 { 1 } else { counts.iter().map(|(_, nodes)| nodes).sum::<u64>() };
    let time = started.elapsed();
    let nps = (u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1)) as u64;
    if args.json {
        let millis = time.as_millis() as u64;
        let mut document = json!({
            "schema": 1, "depth": depth, "nodes": nodes, "nps": nps, "time_ms": millis, "provenance": provenance(),
        });
        if args.divide {
            let below = counts.iter().map(|&(mv, nodes)| (position.uci(mv), json!(nodes)));
            document["divide"] = below.collect::<serde_json::Map<_, _>>().into();
        }
        println!("{document}");
        return Ok(ExitCode::SUCCESS);
    }
    if args.divide {
        for (mv, nodes) in counts {
            println!("{}: {nodes}", position.uci(mv));
        }
        println!();
    }
    println!("perft({depth}) = {nodes} in {:.3} s, {nps} nodes per second", time.as_secs_f64());
    println!("{}", provenance());
    Ok(ExitCode::SUCCESS)
}

/// Splits the two uppermost levels, which is enough to keep all threads busy.
fn parallel_perft(position: &Position, depth: u32) -> u64 {
    if depth < 3 {
        return perft(position, depth);
    }
    let moves: Vec<_> = position.legal_moves().into_iter().collect();
    moves
        .into_par_iter()
        .map(|mv| divide(&position.after(mv), depth - 1).iter().map(|d| d.1).sum::<u64>())
        .sum()
}

/// A position and the counts known of it.
struct Known {
    line: usize,
    position: Position,
    /// (depth, nodes)
    counts: Vec<(u32, u64)>,
}

/// What came of a suite's counts.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    /// Above the cap.
    skipped: usize,
    /// Not tried, because Ctrl-C came.
    left_out: usize,
    nodes: u64,
}

fn suite(file: &Path, args: &Args) -> anyhow::Result<ExitCode> {
    let known = read_suite(file)?;
    let stop = stop_flag()?;
    let started = Instant::now();
    let tally = check(&known, file, args.cap, &stop);
    report(&tally, known.len(), args, started.elapsed());
    if tally.left_out > 0 {
        eprintln!("firstborn: stopped, {} not tried", counted(tally.left_out as u64, "count"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    ensure!(tally.passed + tally.failed > 0, "every count is above --cap {}: nothing was compared", args.cap);
    Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compares the counts up to `cap` nodes with our own; wrong ones are named on standard error.
fn check(known: &[Known], file: &Path, cap: u64, stop: &AtomicBool) -> Tally {
    let mut tally = Tally::default();
    for Known { line, position, counts } in known {
        for &(depth, wanted) in counts {
            if wanted > cap {
                tally.skipped += 1;
                continue;
            }
            if stop.load(Relaxed) {
                tally.left_out += 1;
                continue;
            }
            let found = parallel_perft(position, depth);
            tally.nodes += found;
            if found == wanted {
                tally.passed += 1;
            } else {
                tally.failed += 1;
                eprintln!(
                    "{}:{line}: perft({depth}) is {found}, should be {wanted}: {position}",
                    file.display()
                );
            }
        }
    }
    tally
}

fn report(tally: &Tally, positions: usize, args: &Args, time: Duration) {
    let Tally { passed, failed, skipped, left_out, nodes } = *tally;
    if args.json {
        println!(
            "{}",
            json!({
                "schema": 1, "passed": passed, "failed": failed, "skipped": skipped, "left_out": left_out,
                "positions": positions, "nodes": nodes, "time_ms": time.as_millis() as u64, "cap": args.cap,
                "provenance": provenance(),
            })
        );
    } else {
        println!(
            "{passed} counts right, {failed} wrong, {skipped} above the cap of {} nodes; {positions} positions, \
             {nodes} nodes in {:.1} s",
            args.cap,
            time.as_secs_f64()
        );
        println!("{}", provenance());
    }
}

/// Reads both formats; a file without any count is refused.
fn read_suite(file: &Path) -> anyhow::Result<Vec<Known>> {
    let text = read_text(file)?;
    let mut known: Vec<Known> = Vec::new();
    for (number, line) in chess::text::lines(&text) {
        let place = || format!("{}:{number}", file.display());
        match line.split_once(char::is_whitespace) {
            Some(("id", _)) => {}
            Some(("epd", fen)) => {
                let position = Position::from_fen(fen.trim()).with_context(place)?;
                known.push(Known { line: number, position, counts: Vec::new() });
            }
            Some(("perft", count)) => {
                let last = known.last_mut().with_context(place).context("a count before any position")?;
                last.counts.push(read_count(count).with_context(place)?);
            }
            _ => {
                let epd: Epd = line.parse().with_context(place)?;
                let counts = epd.ops.iter().filter_map(|(opcode, operand)| {
                    // Other operations begin with the letter as well, as `dm` does.
                    let is_number =
                        |depth: &&str| depth.starts_with(|first: char| !first.is_ascii_alphabetic());
                    let depth = opcode.strip_prefix(['D', 'd']).filter(is_number)?;
                    Some(read_count(&format!("{depth} {operand}")))
                });
                let counts = counts.collect::<anyhow::Result<Vec<_>>>().with_context(place)?;
                ensure!(!counts.is_empty(), "{}: no count (;D1 20 ;D2 400)", place());
                known.push(Known { line: number, position: epd.position, counts });
            }
        }
    }
    ensure!(known.iter().any(|known| !known.counts.is_empty()), "{}: no perft counts", file.display());
    Ok(known)
}

/// `4 197281`: depth and nodes.
fn read_count(text: &str) -> anyhow::Result<(u32, u64)> {
    let (depth, nodes) = text
        .trim()
        .split_once(char::is_whitespace)
        .with_context(|| format!("'{text}' is not a depth and a count"))?;
    let depth = depth.parse().with_context(|| format!("'{depth}' is not a depth"))?;
    ensure!(depth <= 20, "depth {depth} is too large, at most 20");
    Ok((depth, nodes.trim().parse().with_context(|| format!("'{nodes}' is not a count"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that were joined have byte order marks before later lines, and DOS ends a file with a byte of its own.
    #[test]
    fn suites_are_read_whatever_wrote_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("joined.epd");
        let text = "\u{feff}4k3/8/8/8/8/8/8/4K2R w K - 0 1;D1 15;D2 66\r\n\x1a\
                    \u{feff}epd 4k3/8/8/8/8/8/8/4K2R w K - 0 1\r\nperft 1 15\r\n\
                    \u{feff}4k3/8/8/8/8/8/8/4K2R w K -;D1 15\r\n\x1a";
        std::fs::write(&file, text).expect("it can be written");
        let read = read_suite(&file).expect("all of it is read");
        let counts: Vec<_> = read.into_iter().map(|known| (known.line, known.counts)).collect();
        assert_eq!(counts, [(1, vec![(1, 15), (2, 66)]), (2, vec![(1, 15)]), (4, vec![(1, 15)])]);
    }
}
