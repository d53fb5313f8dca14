//! `firstborn conformance`: any engine, held against the rules of the protocol it speaks.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::provenance;
use anyhow::{Context, anyhow, bail, ensure};
use clap::ValueEnum;
use client::{EngineConfig, Protocol};
use figures::table::counted;
use protocol::conformance::{Finding, NotSpoken, Settings, Verdict, check, rule_count, speaks};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tournament::program::{command_text, locate, split_command};
use tournament::runner::GroupLauncher;

/// Check any engine against the rules of UCI and xboard that clients rely on
///
/// Each rule is tested on a freshly started engine and has a time-out, so the check always ends. A rule about an
/// optional feature that the engine does not offer is not counted. Exit code 1 if any rule is broken. Ctrl-C ends
/// the check after the current rule and keeps the results so far (exit code 130).
#[derive(clap::Args)]
pub struct Args {
    /// The engine's command with its arguments, as in --cmd "gnuchess --uci"; quotes protect blanks as in a
    /// shell, and a name that is a file as a whole is that file [default: this program]
    #[arg(long, value_name = "COMMAND")]
    cmd: Option<String>,
    /// The protocol to check [default: every protocol that the engine answers]
    #[arg(long, value_enum)]
    proto: Option<Proto>,
    /// The folder to start the engine in
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Seconds to wait for an answer that should come at once or after a short search
    #[arg(
        long, value_name = "SECONDS", default_value_t = 5,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    patience: u64,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Proto {
    Uci,
    Xboard,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (program, arguments) = match &args.cmd {
        Some(command) => split_command(command).map_err(|why| anyhow!("--cmd {command}: {why}"))?,
        None => {
            let own = std::env::current_exe().context("cannot find this program's own file")?;
            (own.to_string_lossy().into_owned(), Vec::new())
        }
    };
    let config = EngineConfig { args: arguments, dir: args.dir.clone(), ..EngineConfig::new(&program) };
    if let Some(dir) = args.dir.as_ref().filter(|dir| !dir.is_dir()) {
        bail!("--dir {}: there is no such folder", dir.display());
    }
    locate(&config)?;
    let command = command_text(&config);
    let patience = Duration::from_secs(args.patience);
    let settings = Settings { config, launcher: Arc::new(GroupLauncher::default()), patience };
    let (mut rows, mut broken, mut left_out) = (Vec::new(), 0, 0);
    let stop = stop_flag()?;
    let protocols: Vec<Protocol> = match args.proto {
        Some(Proto::Uci) => vec![Protocol::Uci],
        Some(Proto::Xboard) => vec![Protocol::Xboard],
        None => spoken(&settings)?,
    };
    for protocol in protocols {
        if stop.load(Relaxed) {
            left_out += rule_count(protocol);
            continue;
        }
        let name = if protocol == Protocol::Uci { "uci" } else { "xboard" };
        let checked = check(&settings, protocol, &mut |finding| {
            if !args.json {
                print_finding(name, finding);
            }
            if stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let count = |verdict| checked.findings.iter().filter(|finding| finding.verdict == verdict).count();
        let (kept, failed, absent) =
            (count(Verdict::Passed), count(Verdict::Failed), count(Verdict::NotOffered));
        broken += failed;
        if !args.json {
            println!("{name}: {kept} rules kept, {failed} broken, {absent} about things not offered");
        }
        rows.extend(checked.findings.iter().map(|finding| row(name, finding)));
        left_out += checked.left_out;
    }
    if args.json {
        let document = json!({
            "schema": 1, "cmd": command, "broken": broken, "left_out": left_out, "rules": rows,
            "provenance": provenance(),
        });
        println!("{document}");
    } else {
        println!("checked by {}", provenance());
    }
    if stop.load(Relaxed) && left_out > 0 {
        eprintln!("firstborn: stopped, {} not tried", counted(left_out as u64, "rule"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The protocols that the engine answers in.
fn spoken(settings: &Settings) -> anyhow::Result<Vec<Protocol>> {
    let mut spoken = Vec::new();
    let mut seen = Vec::new();
    for protocol in [Protocol::Uci, Protocol::Xboard] {
        match speaks(settings, protocol) {
            Ok(()) => spoken.push(protocol),
            Err(NotSpoken::NoEngine(error)) => return Err(error.into()),
            Err(NotSpoken::NoAnswer(reason)) => seen.push(reason),
        }
    }
    let program = &settings.config.command;
    ensure!(!spoken.is_empty(), "{program} answers neither `uci` nor `protover 2`: {}", seen.join("; "));
    Ok(spoken)
}

fn print_finding(protocol: &str, finding: &Finding) {
    let mark = match finding.verdict {
        Verdict::Passed => "kept  ",
        Verdict::Failed => "BROKEN",
        Verdict::NotOffered => "-     ",
    };
    println!("{protocol:<6} {mark} {}\n              {}", finding.rule, shortened(&finding.seen));
}

/// `passed` is null for a rule about something not offered.
fn row(protocol: &str, finding: &Finding) -> serde_json::Value {
    let passed = match finding.verdict {
        Verdict::Passed => Some(true),
        Verdict::Failed => Some(false),
        Verdict::NotOffered => None,
    };
    json!({ "proto": protocol, "rule": finding.rule, "passed": passed, "seen": finding.seen })
}

/// What fits on a screen: an engine may have babbled.
fn shortened(text: &str) -> String {
    let mut chars = text.chars().filter(|c| !c.is_control());
    let start: String = chars.by_ref().take(300).collect();
    if chars.next().is_some() { format!("{start} ...") } else { start }
}
