//! `firstborn tournament`: from flags to a plan, files and a progress bar; the work is done in the room `tournament`.

pub mod calculators;
pub mod conditions;
pub mod cpus;
mod end;
mod files;
mod live;
mod page;
pub mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::interrupt::on_interrupt;
use ::tournament::boards::Boards;
use ::tournament::identity::Identity;
use ::tournament::journal::Programs;
use ::tournament::pgn::Event;
use ::tournament::play::Conditions;
use ::tournament::runner::{Faults, Forfeits, Plan, Stop, StopRule, run as run_plan};
use ::tournament::schedule::{Format, Schedule};
use ::tournament::spec::{Player, Settings, from_file, players};
use ::tournament::summary::Summary;
use ::tournament::tablebase::Tables;
use ::tournament::trial::try_engines;
use ::tournament::wording::counted;
use anyhow::{Context, anyhow, ensure};
use clap::ArgAction;
use serde_json::{Value, json};

use calculators::SprtOptions;
use conditions::{GameRules, Openings};
use cpus::{CpuOptions, Cpus};
use files::Files;
use live::Live;
use page::PageWriter;
use watch::{News, Watch};

/// Let engines play: any that speak UCI or xboard's protocol
///
/// Players are given as `--engine name=A cmd=./a tc=8+0.08 option.Hash=64`, once for each, or in a file. With --journal
/// nothing is lost: the same command goes on where a killed one was. Ctrl-C lets running games end, a second one does not.
/// Every engine is started once before the first game; one that does not start is an error, and no game.
#[derive(clap::Args)]
#[command(after_long_help = end::STATUSES)]
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
    #[command(flatten)]
    cpus: CpuOptions,
    /// Games lost by a fault of the program (see the end of this help): `stop` ends the tournament after three in a row of
    /// one player, a number after so many, and neither lets an SPRT see them; `count` takes them for games like others
    #[arg(long, default_value = "stop", value_name = "stop|count|N", value_parser = |s: &str| s.parse::<Forfeits>())]
    forfeits: Forfeits,
    /// Try to start a program so many times more that was there before and does not start, after 1, 2, 4 seconds and so on
    /// (it may be being built); then the tournament stops
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    start_retries: u32,
    /// Seconds an engine is waited for after its flag has fallen
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    stall: f64,
    /// Seconds without news of its search that lose the game of an engine that plays without a clock
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    silence: f64,
    /// Keep every game here, and go on from the games that are here
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on though a program, or a file it is given, is not the one that played the journal's games, and do not watch
    /// whether it changes; the journal keeps which program played which games
    #[arg(long)]
    same_engine: bool,
    /// Write games as PGN (with --journal written anew from it, else appended)
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write moves with clocks and evaluations as lines of JSON
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Write a page with verdict, conditions, standings, crosstable, plots, statistics of engines and openings, and a viewer
    /// for the last 200 games; it is written anew every ten seconds
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Show the running games and the page on this port of this machine, to browsers on it; with an address (0.0.0.0:8017)
    /// to others, too [default port: 8017]
    #[arg(long, value_name = "[ADDRESS:]PORT", num_args = 0..=1, default_missing_value = "8017", value_parser = live::address)]
    live: Option<SocketAddr>,
    /// Print a line for every game that ends
    #[arg(long, conflicts_with = "json")]
    games: bool,
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

    /// What to do about engines that fail, whose files are these.
    fn faults(&self, engines: &[Identity]) -> Faults {
        let pauses = (0..self.start_retries).map(|n| Duration::from_secs(1 << n.min(6))).collect();
        let watched = engines.iter().filter(|_| !self.same_engine).map(|engine| engine.files.clone());
        Faults { forfeits: self.forfeits, pauses, files: watched.collect() }
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

/// The programs behind the players, which are started once for that.
fn identify(plan: &Plan) -> anyhow::Result<Vec<Identity>> {
    let players = plan.conditions.players.iter();
    let files = players
        .map(|player| Identity::of(&player.engine).with_context(|| format!("player `{}`", player.name)));
    let files = files.collect::<anyhow::Result<Vec<_>>>()?;
    let names = try_engines(plan)?;
    Ok(files.into_iter().zip(names).map(|(files, name)| Identity { name, ..files }).collect())
}

/// Says what a journal knows of the programs, where that is not what one would expect.
pub fn warn(programs: &Programs, entries: usize, entry: &str) {
    match programs {
        Programs::Unknown if entries > 0 => eprintln!(
            "firstborn: the journal does not say which programs played for its {}; from now on it does",
            counted(entries as u64, entry)
        ),
        Programs::Changed(what) => eprintln!("firstborn: going on with another program: {what}"),
        Programs::Unknown | Programs::Same => {}
    }
}

impl Args {
    /// Everything that makes the tournament, but for its programs.
    fn plan(&self) -> anyhow::Result<(Plan, Cpus)> {
        let players = self.players()?;
        let stop_rule = self.stop_rule(players.len())?;
        self.format.check(players.len()).map_err(|e| anyhow!("--format {e}"))?;
        let schedule = Schedule::new(self.format, players.len(), self.rounds as usize, self.single);
        let book = self.openings.book(schedule.openings(), self.chess960)?;
        if schedule.openings() > book.len() {
            eprintln!(
                "firstborn: the book has {} and up to {} are needed: openings come again, and where neither a clock nor chance \
                 is in play so do the games. Give more with --openings.",
                counted(book.len() as u64, "opening"),
                schedule.openings()
            );
        }
        let tables =
            self.tb.as_ref().map(|path| Tables::open(path, self.tbpieces.map(usize::from))).transpose();
        let seconds = |flag: &str, seconds: f64| {
            ensure!(seconds > 0.0 && seconds < 1e6, "{flag} {seconds}: is not a number of seconds");
            Ok(Duration::from_secs_f64(seconds))
        };
        let (stall, silence) = (seconds("--stall", self.stall)?, seconds("--silence", self.silence)?);
        let conditions = Conditions {
            players,
            rules: self.rules.rules()?,
            tables: tables.map_err(|e| anyhow!(e))?,
            stall,
            silence,
            chess960: self.chess960,
            boards: self.live.map(|_| Arc::new(Boards::default())),
        };
        let cpus = self.cpus.claim(&conditions.players)?;
        let plan = Plan {
            conditions,
            schedule,
            book,
            cores: cpus.list.clone(),
            bind: cpus.bind,
            stop_rule,
            games_per_meeting: if self.single { 1 } else { 2 },
            faults: self.faults(&[]),
            engines: 0,
        };
        Ok((plan, cpus))
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // The CPUs are held until the end.
    let (mut plan, _cpus) = args.plan()?;
    let slots = plan.places()?;
    let event = Event {
        name: args.event.clone(),
        players: plan.conditions.players.iter().map(|player| player.name.clone()).collect(),
        limits: plan.conditions.players.iter().map(limits_text).collect(),
        programs: Vec::new(),
    };
    let (mut files, finished) =
        Files::open(args, &plan.conditions.players, &args.description(&plan), event.clone())?;
    let engines = identify(&plan)?;
    let programs = files.identify(&engines, args.same_engine)?;
    let provenance = crate::provenance::provenance();
    files.announce(&provenance);
    warn(&programs, finished.len(), "game");
    plan.faults = args.faults(&engines);
    plan.engines = files.engines();
    let scheduled = plan.schedule.total();
    let live = match (args.live, &plan.conditions.boards) {
        (Some(address), Some(boards)) => Some(Live::start(address, Arc::clone(boards))?),
        _ => None,
    };
    let tournament = files.tournament(args.description(&plan), &engines, &provenance);
    let page = PageWriter::new(files.report().cloned(), live, event.name.clone(), tournament);
    let news = match (args.json, args.games) {
        (true, _) => News::Silent,
        (_, true) => News::Games,
        _ => News::Forfeits,
    };
    let mut watch = Watch::new(files, page, &event, &plan, &finished, news);
    let stop = Stop::default();
    watch_for_interrupt(&stop, watch.teller())?;
    let begun = Instant::now();
    let outcome = run_plan(&mut plan, &finished, &mut watch, &stop);
    let wall = begun.elapsed();
    watch.finish();
    let (end, standings) = outcome?;
    let provenance = crate::provenance::provenance();
    let summary = Summary {
        event: &event.name,
        players: &event.players,
        standings: &standings,
        tally: &watch.tally,
        stop_rule: plan.stop_rule,
        end: end.clone(),
        scheduled,
        this_run: &watch.this_run,
        wall,
        slots,
        provenance: &provenance,
    };
    if args.json {
        println!("{}", summary.json());
    } else {
        println!("{}", summary.text().trim_end());
    }
    if let Some(words) = end::words(&end, args.journal.is_some()) {
        eprintln!("firstborn: {words}");
    }
    watch.survey.standings = standings.clone();
    watch.page.finish(&watch.survey, scheduled, end::state(&end), &provenance)?;
    Ok(end::status(&end, &standings, args.forfeits))
}

/// Ctrl-C is answered at once, since running games may take long to end.
fn watch_for_interrupt(stop: &Stop, tell: impl Fn(&str) + Send + 'static) -> anyhow::Result<()> {
    let stop = stop.clone();
    on_interrupt(move || {
        tell(if stop.request() {
            "stopping when the running games have ended; Ctrl-C again gives them up"
        } else {
            "giving up the running games"
        });
    })
}
