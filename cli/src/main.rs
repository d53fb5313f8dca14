//! The `firstborn` binary: flags, wiring and printing. What it wires together lives in the other rooms.
#![forbid(unsafe_code)]
// Printing is this room's work.
#![allow(clippy::print_stdout, clippy::print_stderr)]

/// Prints a line on standard output. Unlike the standard macro of this name, which it replaces in this crate,
/// it does not panic when the reader has gone away (`firstborn bench | head`): the program then ends.
macro_rules! println {
    () => { $crate::out::line(format_args!("")) };
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}

/// Prints a line on standard output that may be lost: the work goes on where it cannot be written.
macro_rules! news {
    ($($text:tt)*) => { $crate::out::news(format_args!($($text)*)) };
}

/// Prints a line on standard error. It replaces the standard macro too: a message that cannot be written (a full
/// disk, a closed pipe) does not end the command.
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::out::complain(format_args!($($text)*)) };
}

mod analyze;
mod battery;
mod bench;
mod book;
mod brain;
mod conformance;
mod data;
mod datagen;
mod folder;
mod genfens;
mod interrupt;
mod lab;
mod manual;
mod options;
mod out;
mod perft;
mod play;
mod provenance;
#[cfg_attr(feature = "mpi", path = "cluster.rs")]
mod ranks;
mod replay;
mod report;
mod scaling;
mod share;
mod speedtest;
mod spsa;
mod suite;
mod terminal;
mod topology;
mod tournament;
mod train;
mod tune;

use ::tournament::adjudicate::Manner;
use clap::{CommandFactory, Parser, Subcommand};
use protocol::session::Dialect;
use std::process::ExitCode;
use tournament::frontends::Led;

/// Firstborn, a parallel chess engine and the laboratory that measures it.
///
/// Without a command it plays: UCI or xboard on standard input, recognised by the first line. Lines of UCI
/// may be given as arguments instead, each in quotation marks: `firstborn "position startpos" "go depth 15"`. A
/// search ends before the next of them counts. One line alone needs no quotation marks: `firstborn go depth 15`.
#[derive(Parser)]
#[command(
    name = "firstborn",
    version,
    long_version = provenance::VERSION.as_str(),
    propagate_version = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Uci(play::UciArgs),
    /// Play by the xboard (CECP) protocol on standard input
    Xboard,
    Analyze(analyze::Args),
    Battery(battery::Args),
    Bench(bench::Args),
    Data(data::Args),
    Datagen(datagen::Args),
    Book(book::Args),
    Conformance(conformance::Args),
    Lab(lab::Args),
    Perft(perft::Args),
    Replay(replay::Args),
    Report(report::Args),
    Scaling(Box<scaling::Args>),
    Speedtest(speedtest::Args),
    Spsa(spsa::Args),
    Suite(suite::Args),
    Topology(topology::Args),
    Tournament(Box<tournament::Args>),
    /// Let engines play, by the command line of fastchess (`firstborn fastchess -help`)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Fastchess {
        /// The command line
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        words: Vec<String>,
    },
    /// Let engines play, by the command line of cutechess-cli (`firstborn cutechess -help`)
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Cutechess {
        /// The command line
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        words: Vec<String>,
    },
    Train(train::Args),
    Tune(tune::Args),
    Sprt(tournament::calculators::SprtArgs),
    Elo(tournament::calculators::EloArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    Man(manual::Args),
}

fn main() -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let program = std::env::args_os().next().unwrap_or_default();
    let code = match (sys::ranks::launched(), tournament::frontends::by_name(program.as_ref())) {
        (Some(_), _) if speaks_uci(&words) => Err(anyhow::anyhow!(
            "lines of UCI as arguments do not run over several ranks: write them to `firstborn uci`"
        )),
        (Some(launched), _) => ranks::run(&launched, &words),
        (None, Some(manner)) => play_for(manner, &program.to_string_lossy(), words),
        (None, None) if speaks_uci(&words) => genfens::obey(&words),
        (None, None) => run(Cli::parse()),
    };
    match code {
        Ok(code) => code,
        Err(error) => {
            eprintln!("firstborn: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Plays by another runner's command line.
fn play_for(manner: Manner, program: &str, words: Vec<String>) -> anyhow::Result<ExitCode> {
    match tournament::frontends::run(manner, program, words)? {
        Led::Done(code) => Ok(code),
        Led::To(words) => run(Cli::parse_from(std::iter::once("firstborn".to_owned()).chain(words))),
    }
}

/// Are the arguments lines of UCI? They are if the first is none of our commands and begins with a word of
/// the protocol.
fn speaks_uci(words: &[String]) -> bool {
    // Built, it knows `help` as well, which is a word of the session, too.
    let mut commands = Cli::command();
    commands.build();
    let Some(line) = words.first().filter(|line| commands.find_subcommand(line).is_none()) else {
        return false;
    };
    let word = line.split_whitespace().next().filter(|word| !word.starts_with('-'));
    word.is_some_and(genfens::begins_line)
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        None => play::run(None),
        Some(Command::Uci(args)) => play::run_uci(&args),
        Some(Command::Xboard) => play::run(Some(Dialect::Xboard)),
        Some(Command::Analyze(args)) => analyze::run(&args),
        Some(Command::Battery(args)) => battery::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Data(args)) => data::run(&args),
        Some(Command::Datagen(args)) => datagen::run(&args),
        Some(Command::Book(args)) => book::run(&args),
        Some(Command::Conformance(args)) => conformance::run(&args),
        Some(Command::Lab(args)) => lab::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Scaling(args)) => scaling::run(&args),
        Some(Command::Speedtest(args)) => speedtest::run(&args),
        Some(Command::Spsa(args)) => spsa::run(&args),
        Some(Command::Suite(args)) => suite::run(&args),
        Some(Command::Train(args)) => train::run(&args),
        Some(Command::Topology(args)) => topology::run(&args),
        Some(Command::Tournament(args)) => tournament::run(&args),
        Some(Command::Fastchess { words }) => play_for(Manner::Fastchess, "firstborn fastchess", words),
        Some(Command::Cutechess { words }) => play_for(Manner::Cutechess, "firstborn cutechess", words),
        Some(Command::Tune(args)) => tune::run(&args),
        Some(Command::Sprt(args)) => tournament::calculators::run_sprt(&args),
        Some(Command::Elo(args)) => tournament::calculators::run_elo(&args),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "firstborn", &mut script);
            println!("{}", String::from_utf8_lossy(&script).trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Man(args)) => manual::run::<Cli>(&args),
    }
}
