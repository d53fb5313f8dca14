//! `firstborn replay`: runs a program into the fault again by which it lost a game, or asks the engines of a
//! journal for the moves of one of its games again.

mod game;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use ::tournament::kit::Kit;
use ::tournament::kit::replay::{Happened, Options, Outcome, replay};
use ::tournament::retrace::is_journal;
use ::tournament::wording::counted;
use anyhow::{anyhow, bail};
use client::{Protocol, Stream};
use serde_json::json;

/// The exit status where the fault does not come again, or an answer is another.
const NOT_AGAIN: u8 = 3;

/// Play a game of a journal through again, or run a program again into the fault by which it lost one
///
/// JOURNAL --game N starts the engines that played game N as they were started then, shows them every position
/// with the clocks of that time, and says where they answer otherwise. A KIT is a file `game-000017.kit.json`
/// that a tournament leaves for every game that ends by a crash, a stall, an illegal move or on time: its
/// program is sent the same lines again. Exit status: 0 all as it was, 3 another answer or another end, 1 it
/// cannot be replayed, 2 a wrong command line.
#[derive(clap::Args)]
pub struct Args {
    /// A journal, with --game, or a kit
    #[arg(value_name = "JOURNAL|KIT")]
    file: PathBuf,
    /// The game of the journal, by the number that logs, kits and PGN give it, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Ask this player of the game only
    #[arg(long, value_name = "NAME", requires = "game")]
    player: Option<String>,
    /// Ask an engine whose program is not the one that played the game, too
    #[arg(long, requires = "game")]
    same_engine: bool,
    /// The protocol; unasked, that of the journal, or of an older journal the one in which the engine answers
    #[arg(long, value_name = "uci|xboard", requires = "game", value_parser = |s: &str| s.parse::<Protocol>())]
    proto: Option<Protocol>,
    /// Another program in place of the one that played or failed, such as one in which the fault is thought
    /// to be mended (of a journal's game: with --player)
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
    let path = args.file.display();
    match args.game {
        // A kit is read whole; a journal may be large.
        Some(_) if !is_journal(&args.file) && Kit::read(&args.file).is_ok() => {
            bail!("{path} is the kit of one game: leave --game out, or give a journal");
        }
        Some(number) => game::run(args, number as usize),
        None if is_journal(&args.file) => {
            bail!("{path} is a journal: say which of its games with --game N, or give a kit");
        }
        None => run_kit(args),
    }
}

impl Args {
    /// The program of `--cmd`. A file here is meant, and not one of its name in the folder of the engine.
    fn command(&self) -> Option<String> {
        self.cmd.as_ref().map(|command| {
            let path = Path::new(command);
            let here = path.components().count() > 1 || path.is_file();
            let found = std::path::absolute(path).ok().filter(|_| here);
            found.map_or_else(|| command.clone(), |path| path.to_string_lossy().into_owned())
        })
    }
}

/// The mark of a line of a conversation.
fn mark(stream: Stream) -> char {
    match stream {
        Stream::Sent => '<',
        Stream::Output => '>',
        Stream::Error => '!',
    }
}

fn run_kit(args: &Args) -> anyhow::Result<ExitCode> {
    let kit = Kit::read(&args.file)?;
    let options =
        Options { command: args.command(), nodes: args.nodes, patience: Duration::from_secs(args.patience) };
    if kit.start.folder().is_none() {
        let gone = kit.start.dir.display();
        eprintln!(
            "firstborn: there is no folder {gone}, in which {} was started; it is started in the current one",
            kit.player
        );
    }
    if !args.json {
        tell_game(&kit);
    }
    let mut hear = |stream: Stream, line: &str| {
        if args.show {
            println!("{} {line}", mark(stream));
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
        let earlier = counted(kit.earlier_games as u64, "game");
        println!("note: its process had played {earlier} before, of which nothing is replayed");
    }
    if kit.cut {
        println!(
            "note: the process said more than is kept: of the beginning there are questions and answers alone, or not \
             even the first of those"
        );
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
