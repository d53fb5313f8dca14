//! `firstborn speedtest`: how fast this machine is, in one number and a line to share.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::options::mebibytes;
use crate::scaling::progress::Progress;
use ::bench::scaling::clock::Real;
use ::bench::scaling::plan::Team;
use ::bench::scaling::study::{one_by_one, warm_up};
use ::bench::signature;
use ::bench::speedtest::{Speed, plan};
use anyhow::bail;
use clap::builder::RangedU64ValueParser;
use serde_json::json;
use smp::schemes::Scheme;
use std::process::ExitCode;
use sys::provenance::Provenance;
use sys::topology::Topology;

/// Measure how fast this machine is: one score, and a line to share
///
/// Searches 23 positions to fixed depths with one thread and with all, in turns, three times: about a minute. The
/// score is the speed to these depths in thousandths of a reference, a thread that searches a million nodes a
/// second. The interval (95 %) is that of the mean over very many runs on the same machine; two runs may differ by
/// 1.4 times as much. Nothing else should run meanwhile. Ctrl-C ends it with the results so far.
#[derive(clap::Args)]
pub struct Args {
    /// Search threads [default: one for each usable core, see `firstborn topology`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How the threads search together: lazy, ybw, abdada, pvsplit, rootsplit or hybrid
    #[arg(long, value_name = "NAME", default_value_t)]
    scheme: Scheme,
    /// Size of the transposition table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = HASH, value_parser = mebibytes())]
    hash: usize,
    /// Only the first N positions; the score then compares with nothing but itself
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: Option<usize>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

/// Size of the table with which scores compare, in MiB.
const HASH: usize = 256;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let topology = Topology::detect();
    let cores = topology.recommended_threads().threads.max(1);
    let alone = args.scheme == Scheme::Serial;
    let threads = args.threads.map_or(if alone { 1 } else { cores }, usize::from);
    if alone && threads > 1 {
        bail!("--scheme serial has one thread: leave it out, or give --threads 1");
    }
    let scheme = if threads == 1 { Scheme::Serial } else { args.scheme };
    let team = Team::new(scheme, threads);
    let all = plan(team, args.hash, usize::MAX).positions.len();
    let limit = args.limit.filter(|&limit| limit < all);
    let plan = plan(team, args.hash, limit.unwrap_or(all));
    let stop = stop_flag()?;
    let mut progress = Progress::new(&plan, args.json);
    let mut clock = Real::new(plan.hash, cores, &stop)?;
    warm_up(&plan, &mut clock)?;
    let samples = one_by_one(&plan, &mut clock, &mut progress)?;
    progress.finish();
    let Some(speed) = Speed::of(&plan, &samples) else {
        eprintln!("firstborn: stopped before a position was done: no score");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let signature = signature::run(signature::DEPTH, |_, _| {})?.nodes;
    let provenance = crate::provenance::provenance();
    let mut partly = partly(&speed, (samples.len(), plan.order().len()), limit, args.hash);
    partly.extend(crowded(threads, topology.usable()));
    let partly = partly.join(", ");
    let share = share(&speed, signature, &provenance, &partly);
    if args.json {
        let document = json!({
            "schema": 1, "speed": speed, "signature": signature, "hash": args.hash, "limit": limit,
            "share": share, "samples": samples, "provenance": provenance,
        });
        println!("{document}");
    } else {
        println!("{}\n\n{share}", block(&speed, signature, &provenance, &partly, args.hash));
    }
    if !speed.complete {
        eprintln!("firstborn: stopped after {} of {} searches", samples.len(), plan.order().len());
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// A figure with its error, if it has one.
fn with_error(value: f64, error: Option<f64>, digits: usize) -> String {
    let error = error.map_or(String::new(), |error| format!(" ± {error:.digits$}"));
    format!("{value:.digits$}{error}")
}

fn number(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// What keeps the score from comparing with others: not all positions, not all searches, or another table.
/// Empty for a whole run of the usual kind.
fn partly(
    speed: &Speed,
    (searches, planned): (usize, usize),
    limit: Option<usize>,
    hash: usize,
) -> Vec<String> {
    let part = if speed.complete {
        limit.map(|limit| format!("first {}", number(limit, "position")))
    } else {
        Some(format!("stopped after {searches} of {planned} searches"))
    };
    let table = (hash != HASH).then(|| format!("table {hash} MiB"));
    part.into_iter().chain(table).collect()
}

/// What is to be said of more threads than processors, whose times are no speed-up.
fn crowded(threads: usize, processors: usize) -> Option<String> {
    (threads > processors).then(|| format!("more threads than the {}", number(processors, "processor")))
}

/// The five lines.
fn block(speed: &Speed, signature: u64, provenance: &Provenance, partly: &str, hash: usize) -> String {
    let team = if speed.threads == 1 {
        String::new()
    } else {
        format!(", {:.2} with {}", speed.team_nps / 1e6, number(speed.threads, "thread"))
    };
    let partly = if partly.is_empty() { String::new() } else { format!("; {partly}") };
    format!(
        "score      {} (time to fixed depths; 1000 is one thread at a million nodes a second{partly})\n\
         speed      {:.2} million nodes a second with 1 thread{team}\n\
         speed-up   {} ({}, {})\n\
         machine    {}\n\
         program    {}, signature {signature}, table {hash} MiB",
        with_error(speed.score, speed.score_error, 0),
        speed.one_nps / 1e6,
        with_error(speed.speedup, speed.speedup_error.filter(|_| speed.threads > 1), 2),
        number(speed.threads, "thread"),
        speed.scheme,
        provenance.machine,
        provenance.program,
    )
}

/// All of it in one line.
fn share(speed: &Speed, signature: u64, provenance: &Provenance, partly: &str) -> String {
    let partly = if partly.is_empty() { String::new() } else { format!(" ({partly})") };
    let known = &provenance.machine;
    let machine =
        format!("{}, {}", known.model.as_deref().unwrap_or(&known.arch), number(known.cores, "core"));
    format!(
        "Firstborn {} speedtest{partly}: {} | {} ({}) | {:.2} -> {:.2} Mnps | x{} | {} | {signature}",
        provenance.program.version,
        with_error(speed.score, speed.score_error, 0),
        number(speed.threads, "thread"),
        speed.scheme,
        speed.one_nps / 1e6,
        speed.team_nps / 1e6,
        with_error(speed.speedup, None, 2),
        machine,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread's rate stands before the team's, in the line to share as in the lines above it.
    #[test]
    fn rates_are_told_of_whom_they_are() {
        let speed = Speed {
            threads: 4,
            scheme: "hybrid".to_owned(),
            score: 2500.0,
            score_error: None,
            one_nps: 1.25e6,
            team_nps: 4.5e6,
            speedup: 2.75,
            speedup_error: None,
            positions: 23,
            complete: true,
        };
        let provenance = Provenance::default();
        let share = share(&speed, 7, &provenance, "");
        assert!(share.contains("| 4 threads (hybrid) | 1.25 -> 4.50 Mnps | x2.75 |"), "{share}");
        let block = block(&speed, 7, &provenance, "", HASH);
        assert!(block.contains("1.25 million nodes a second with 1 thread, 4.50 with 4 threads"), "{block}");
    }

    #[test]
    fn threads_without_processors_are_told() {
        let says = |processors| crowded(4, processors);
        assert_eq!([4, 5].map(says), [None, None]);
        assert_eq!(says(2).as_deref(), Some("more threads than the 2 processors"));
        assert_eq!(says(1).as_deref(), Some("more threads than the 1 processor"));
    }
}
