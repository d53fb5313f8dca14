//! `firstborn conformance`: any engine, held against the rules of the protocol it speaks.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::provenance;
use anyhow::{Context, anyhow, bail, ensure};
use clap::ValueEnum;
use client::{EngineConfig, Protocol};
use figures::table::counted;
use protocol::conformance::{
    Checked, Finding, Level, NotSpoken, Settings, Verdict, check, rule_count, speaks,
};
use serde_json::json;
use std::fmt;
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
/// optional feature, or a value of an option, that the engine does not offer is not counted, nor is one about processor
/// time where the engine runs processes of its own. Rules are of two levels: what the protocol's text demands (must),
/// and good manners and what single clients would like (wanted). Exit code 1 if a rule of the first level is broken.
/// Ctrl-C ends the check after the current rule and keeps the results so far (exit code 130).
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
    let (mut rows, mut sums, mut left_out) = (Vec::new(), Sums::default(), 0);
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
        let of_protocol = Sums::of(&checked);
        if !args.json {
            println!("{name}: {of_protocol}");
        }
        sums.add(&of_protocol);
        rows.extend(checked.findings.iter().map(|finding| row(name, finding)));
        left_out += checked.left_out;
    }
    if args.json {
        let document = json!({
            "schema": 1, "cmd": command, "broken": sums.broken, "wanted_broken": sums.wanted, "left_out": left_out,
            "rules": rows,
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
    Ok(sums.status())
}

/// What came of rules, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    kept: usize,
    /// Broken, of those that the protocol demands.
    broken: usize,
    /// Broken, of those that are wanted only.
    wanted: usize,
    absent: usize,
}

impl Sums {
    fn of(checked: &Checked) -> Self {
        let both = |verdict| checked.count(Level::Must, verdict) + checked.count(Level::Wanted, verdict);
        Self {
            kept: both(Verdict::Passed),
            broken: checked.count(Level::Must, Verdict::Failed),
            wanted: checked.count(Level::Wanted, Verdict::Failed),
            absent: both(Verdict::NotOffered),
        }
    }

    fn add(&mut self, other: &Self) {
        self.kept += other.kept;
        self.broken += other.broken;
        self.wanted += other.wanted;
        self.absent += other.absent;
    }

    /// Good manners are no protocol.
    fn status(&self) -> ExitCode {
        if self.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kept, broken, wanted, absent } = self;
        write!(
            f,
            "{kept} rules kept, {broken} broken, {wanted} broken that are only wanted, {absent} about things not offered"
        )
    }
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
    let mark = match (finding.verdict, finding.level) {
        (Verdict::Passed, _) => "kept  ",
        (Verdict::Failed, Level::Must) => "BROKEN",
        (Verdict::Failed, Level::Wanted) => "wanted",
        (Verdict::NotOffered, _) => "-     ",
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
    json!({
        "proto": protocol, "level": finding.level.word(), "rule": finding.rule, "passed": passed, "seen": finding.seen,
    })
}

/// What fits on a screen: an engine may have babbled.
fn shortened(text: &str) -> String {
    let mut chars = text.chars().filter(|c| !c.is_control());
    let start: String = chars.by_ref().take(300).collect();
    if chars.next().is_some() { format!("{start} ...") } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine that breaks what is only wanted keeps the protocol.
    #[test]
    fn what_is_wanted_decides_no_status() {
        let finding = |level, verdict| Finding { level, rule: "x", verdict, seen: String::new() };
        let mut checked = Checked {
            findings: vec![
                finding(Level::Must, Verdict::Passed),
                finding(Level::Wanted, Verdict::Failed),
                finding(Level::Wanted, Verdict::Failed),
                finding(Level::Wanted, Verdict::NotOffered),
            ],
            left_out: 0,
        };
        let sums = Sums::of(&checked);
        assert_eq!(sums, Sums { kept: 1, broken: 0, wanted: 2, absent: 1 });
        assert_eq!(format!("{:?}", sums.status()), format!("{:?}", ExitCode::SUCCESS));
        checked.findings.push(finding(Level::Must, Verdict::Failed));
        assert_eq!(format!("{:?}", Sums::of(&checked).status()), format!("{:?}", ExitCode::FAILURE));
    }
}
