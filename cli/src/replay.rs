//! `firstborn replay`: runs a program into the fault again by which it lost a game.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use ::tournament::kit::Kit;
use ::tournament::kit::replay::{Happened, Options, Outcome, replay};
use anyhow::anyhow;
use client::Stream;
use serde_json::json;

/// The exit status where the fault does not come again.
const NOT_AGAIN: u8 = 3;

/// Send a program the lines again that it was sent in a game that it lost by a fault
///
/// A tournament leaves a kit for every game that ends by a crash, a stall, an illegal move or on time: a file
/// `game-000017.kit.json` beside the game's log. Exit status: 0 the same fault again, 3 another end, 1 the
/// kit cannot be used, 2 a wrong command line.
#[derive(clap::Args)]
pub struct Args {
    /// The kit
    kit: PathBuf,
    /// Another program in place of the one that failed, such as one in which the fault is thought to be
    /// mended
    #[arg(long, value_name = "PROGRAM")]
    cmd: Option<String>,
    /// Limit every search that ended with a move by the nodes that it took (UCI), in place of its time
    #[arg(long)]
    nodes: bool,
    /// Seconds that an answer may take longer than it took in the game
    #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=86_400))]
    patience: u64,
    /// Print every line that is sent (<) and that the program writes (> and, of standard error, !)
    #[arg(long, conflicts_with = "json")]
    show: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let kit = Kit::read(&args.kit)?;
    let options = Options {
        command: args.cmd.clone(),
        nodes: args.nodes,
        patience: Duration::from_secs(args.patience),
    };
    if !args.json {
        tell_game(&kit);
    }
    let mut hear = |stream: Stream, line: &str| {
        if args.show {
            let mark = match stream {
                Stream::Sent => '<',
                Stream::Output => '>',
                Stream::Error => '!',
            };
            println!("{mark} {line}");
        }
    };
    let outcome =
        replay(&kit, &options, &mut hear).map_err(|failure| anyhow!("{}: {failure}", kit.player))?;
    if args.json {
        println!("{}", document(&kit, &outcome));
    } else {
        tell_outcome(&kit, &outcome);
    }
    Ok(if outcome.same { ExitCode::SUCCESS } else { ExitCode::from(NOT_AGAIN) })
}

fn tell_game(kit: &Kit) {
    let colour = if kit.white { "White" } else { "Black" };
    println!("game {}, {} as {colour} against {}: {}", kit.game, kit.player, kit.opponent, kit.reason);
    println!("in {}", kit.position);
    if kit.earlier_games > 0 {
        println!("note: its process had played {} games before, which are not replayed", kit.earlier_games);
    }
    if kit.cut {
        println!("note: the beginning of the game was too long to be kept and is missing");
    }
}

fn tell_outcome(kit: &Kit, outcome: &Outcome) {
    let (sent, all) = outcome.sent;
    if let Some(first) = outcome.differences.first() {
        println!(
            "{} of its answers are others this time, the first is number {}: `{}`, then `{}`",
            outcome.differences.len(),
            first.answer,
            first.now,
            first.then
        );
    }
    let verdict = if outcome.same { "the same fault again" } else { "not the same" };
    println!("{verdict}: after {sent} of {all} lines {} {}", kit.player, words(&outcome.happened));
}

fn words(happened: &Happened) -> String {
    match happened {
        Happened::Ended(status) => format!("ended ({status})"),
        Happened::Closed => "closed its output and lives on".to_owned(),
        Happened::Silent(time) => format!("gave no answer in {:.1} s", time.as_secs_f64()),
        Happened::Said(line, time) => format!("answered `{line}` after {:.3} s", time.as_secs_f64()),
    }
}

fn document(kit: &Kit, outcome: &Outcome) -> serde_json::Value {
    json!({
        "schema": 1, "game": kit.game, "player": kit.player, "ending": kit.ending, "reason": kit.reason,
        "same": outcome.same, "happened": words(&outcome.happened), "sent": outcome.sent.0, "lines": outcome.sent.1,
        "differences": outcome.differences, "provenance": crate::provenance::provenance(),
    })
}
