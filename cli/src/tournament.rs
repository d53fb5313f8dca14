//! `firstborn tournament`: from flags to a plan, files and a progress bar; the work is done in the room `tournament`.

pub mod calculators;
pub mod conditions;
mod files;
pub mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::interrupt::{INTERRUPTED, on_interrupt};
use ::tournament::pgn::Event;
use ::tournament::play::Conditions;
use ::tournament::runner::{Plan, RunEnd, Stop, StopRule, run as run_plan, try_engines};
use ::tournament::schedule::{Format, Schedule};
use ::tournament::spec::{Player, Settings, from_file, players};
use ::tournament::summary::Summary;
use ::tournament::tablebase::Tables;
use anyhow::{anyhow, ensure};
use clap::ArgAction;
use serde_json::{Value, json};

use calculators::SprtOptions;
use conditions::{GameRules, Openings};
use files::Files;
use watch::Watch;

/// Let engines play: any that speak UCI or xboard's protocol
///
/// Players are given as `--engine name=A cmd=./a tc=8+0.08 option.Hash=64`, once for each, or in a file. With --journal
/// nothing is lost: the same command goes on where a killed one was. Ctrl-C lets running games end, a second one does not.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    lines: EngineLines,
    /// A TOML or JSON file with players: a list `engine` of tables with the keys of --engine, and a table `each`
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// match, round-robin, gauntlet[:SEEDS], swiss[:STAGES] or knockout
    #[arg(long, default_value = "round-robin", value_parser = |s: &str| s.parse::<Format>())]
    format: Format,
    /// Encounters of every two players that meet; each is two games with one opening, colours reversed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Play only the first game of each encounter
    #[arg(long)]
    single: bool,
    #[command(flatten)]
    openings: Openings,
    /// Play Chess960: castling by its rules for all; without --openings from its start positions
    #[arg(long)]
    chess960: bool,
    #[command(flatten)]
    rules: GameRules,
    /// Adjudicate by Syzygy tables in these directories
    #[arg(long, value_name = "PATH")]
    tb: Option<String>,
    /// Look up positions of at most this many men
    #[arg(long, value_name = "N", requires = "tb", value_parser = clap::value_parser!(u8).range(3..=7))]
    tbpieces: Option<u8>,
    /// End a match of two by a sequential test: "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized stats=pentanomial"
    #[arg(long, value_name = "TEST", num_args = 1..=6)]
    sprt: Option<Vec<String>>,
    /// Cores that games may use together [default: all this process may use]
    #[arg(long, value_name = "CORES")]
    budget: Option<usize>,
    /// Do not bind engines to the cores of their game
    #[arg(long)]
    no_affinity: bool,
    /// Seconds an engine is waited for after its flag has fallen
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    stall: f64,
    /// Seconds without news of its search that lose the game of an engine that plays without a clock
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    silence: f64,
    /// Keep every game here, and go on from the games that are here
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write games as PGN (with --journal written anew from it, else appended)
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write moves with clocks and evaluations as lines of JSON
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Write a report with crosstable, plots and a table of endings
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// The event's name
    #[arg(long, default_value = "Firstborn tournament")]
    event: String,
    /// Print one JSON document instead of the summary
    #[arg(long)]
    json: bool,
}

/// Engine lines: clap's derive cannot keep the words of one `--engine` apart from those of the next.
#[derive(Debug, Default)]
struct EngineLines {
    engines: Vec<Vec<String>>,
    each: Vec<String>,
}

impl clap::Args for EngineLines {
    fn augment_args(command: clap::Command) -> clap::Command {
        let words = |id: &'static str| clap::Arg::new(id).long(id).num_args(1..).action(ArgAction::Append);
        command
            .arg(words("engine").value_name("KEY=VALUE").help(
                "A player: name= cmd= arg= args= dir= proto=uci|xboard|auto tc=[moves/]time[+inc] st= depth= nodes= \
                 timemargin=MS ponder=on threads= hash= restart=on initstr= starttimeout=SECONDS \
                 readytimeout=SECONDS option.NAME=",
            ))
            .arg(words("each").value_name("KEY=VALUE").help(
                "The same for all players that do not say otherwise; stronger than the table `each` of --engines",
            ))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for EngineLines {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let lines = |id: &str| -> Vec<Vec<String>> {
            let occurrences = matches.get_occurrences::<String>(id);
            occurrences.map(|all| all.map(|words| words.cloned().collect()).collect()).unwrap_or_default()
        };
        Ok(Self { engines: lines("engine"), each: lines("each").concat() })
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args {
    fn players(&self) -> anyhow::Result<Vec<Player>> {
        let (mut lines, mut each) = (Vec::new(), Vec::new());
        if let Some(file) = &self.engines {
            let (engines, common) = from_file(file)?;
            lines = engines;
            each.extend(common);
        }
        for (index, words) in self.lines.engines.iter().enumerate() {
            lines.push(Settings::from_words(&format!("engine {}", index + 1), words)?);
        }
        if !self.lines.each.is_empty() {
            each.push(Settings::from_words("--each", &self.lines.each)?);
        }
        Ok(players(&lines, &each)?)
    }

    fn stop_rule(&self, players: usize) -> anyhow::Result<Option<StopRule>> {
        let Some(words) = &self.sprt else { return Ok(None) };
        ensure!(players == 2, "--sprt compares two players; there are {players}");
        let (sprt, by_pairs) = SprtOptions::read(&words.join(" "), !self.single)?;
        ensure!(!(by_pairs && self.single), "--sprt stats=pentanomial counts pairs; --single plays none");
        Ok(Some(StopRule { sprt, by_pairs }))
    }

    /// The cores of the budget: real ones, so that engines can be bound, unless there are fewer than the budget says.
    fn cores(&self) -> anyhow::Result<(Vec<usize>, bool)> {
        let own: Vec<usize> = sys::affinity::current().map(|set| set.iter().collect()).unwrap_or_default();
        let budget = match self.budget {
            Some(0) => anyhow::bail!("--budget 0: a game takes at least one core"),
            Some(budget) => budget,
            None => own.len().max(1),
        };
        let real = budget <= own.len();
        let cores = if real { own[..budget].to_vec() } else { (0..budget).collect() };
        Ok((cores, real && !self.no_affinity))
    }

    /// What makes it this tournament and no other: a journal belongs to these settings.
    fn description(&self, plan: &Plan) -> Value {
        let players: Vec<Value> = plan.conditions.players.iter().map(describe_player).collect();
        let rules = plan.conditions.rules;
        json!({
            "players": players, "format": self.format, "rounds": self.rounds, "single": self.single,
            "openings": { "count": plan.book.len(), "digest": format!("{:016x}", plan.book.digest()) },
            "chess960": self.chess960,
            "draw": rules.draw.map(|rule| format!("{rule:?}")),
            "resign": rules.resign.map(|rule| format!("{rule:?}")),
            "maxmoves": rules.max_moves, "tb": self.tb, "tbpieces": self.tbpieces,
            "sprt": plan.stop_rule.map(|rule| json!({ "test": rule.sprt, "pairs": rule.by_pairs })),
        })
    }
}

/// A player as a journal knows it.
pub fn describe_player(player: &Player) -> Value {
    let engine = &player.engine;
    json!({
        "name": player.name, "cmd": engine.command, "args": engine.args, "dir": engine.dir,
        "options": engine.options, "threads": engine.threads, "hash": engine.hash_mb,
        "ponder": engine.ponder, "initstr": engine.init_lines,
        "limits": limits_text(player), "margin": player.margin.as_millis() as u64, "restart": player.restart,
    })
}

/// A player's limits as PGN's TimeControl and tables show them.
fn limits_text(player: &Player) -> String {
    let limits = &player.limits;
    let mut parts = Vec::new();
    parts.extend(limits.clock.map(|tc| tc.to_string()));
    parts.extend(limits.move_time.map(|time| format!("{}/move", time.as_secs_f64())));
    parts.extend(limits.depth.map(|depth| format!("depth {depth}")));
    parts.extend(limits.nodes.map(|nodes| format!("nodes {nodes}")));
    if parts.is_empty() { "inf".to_owned() } else { parts.join(", ") }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let players = args.players()?;
    let stop_rule = args.stop_rule(players.len())?;
    if let Format::Swiss(stages) = args.format {
        ensure!(
            stages < players.len(),
            "--format swiss:{stages}: {} players can meet others in {} stages only",
            players.len(),
            players.len() - 1
        );
    }
    let schedule = Schedule::new(args.format, players.len(), args.rounds as usize, args.single);
    let book = args.openings.book(schedule.openings(), args.chess960)?;
    if schedule.openings() > book.len() {
        eprintln!(
            "firstborn: there are {} openings, and up to {} are needed: they come again, and where neither a clock nor chance \
             is in play so do the games. Give more with --openings.",
            book.len(),
            schedule.openings()
        );
    }
    let tables = args.tb.as_ref().map(|path| Tables::open(path, args.tbpieces.map(usize::from))).transpose();
    let (cores, bind) = args.cores()?;
    let event = Event {
        name: args.event.clone(),
        players: players.iter().map(|player| player.name.clone()).collect(),
        limits: players.iter().map(limits_text).collect(),
    };
    let seconds = |flag: &str, seconds: f64| {
        ensure!(seconds > 0.0 && seconds < 1e6, "{flag} {seconds}: is no number of seconds");
        Ok(Duration::from_secs_f64(seconds))
    };
    let (stall, silence) = (seconds("--stall", args.stall)?, seconds("--silence", args.silence)?);
    let conditions = Conditions {
        players,
        rules: args.rules.rules()?,
        tables: tables.map_err(|e| anyhow!(e))?,
        stall,
        silence,
        chess960: args.chess960,
    };
    let games_per_meeting = if args.single { 1 } else { 2 };
    let mut plan = Plan { conditions, schedule, book, cores, bind, stop_rule, games_per_meeting };
    let slots = plan.places()?;
    let (files, finished) =
        Files::open(args, &plan.conditions.players, &args.description(&plan), event.clone())?;
    let report = files.report().cloned();
    try_engines(&plan).map_err(|(name, failure)| anyhow!("{name}: {failure}"))?;
    let stop = Stop::default();
    let handler = stop.clone();
    on_interrupt(move || {
        handler.request();
    })?;
    let scheduled = plan.schedule.total();
    let mut watch = Watch::new(files, &event, scheduled, stop_rule, &finished, args.json);
    let begun = Instant::now();
    let outcome = run_plan(&mut plan, &finished, &mut watch, &stop);
    let wall = begun.elapsed();
    watch.finish();
    let (end, standings) = outcome?;
    let summary = Summary {
        event: &event.name,
        players: &event.players,
        standings: &standings,
        tally: &watch.tally,
        stop_rule,
        end,
        scheduled,
        this_run: &watch.this_run,
        wall,
        slots,
        provenance: &crate::provenance::provenance(),
    };
    if let Some(place) = report {
        place.write(::tournament::report::page(&summary, &watch.course))?;
    }
    if args.json {
        println!("{}", summary.json());
    } else {
        println!("{}", summary.text().trim_end());
    }
    Ok(if end == RunEnd::Stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}
