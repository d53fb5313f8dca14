//! `firstborn tournament`: from flags to a plan, files and a progress bar; the work is done in the room
//! `tournament`.

pub mod calculators;
pub mod conditions;
pub mod cpus;
mod end;
mod files;
pub mod frontends;
pub mod house;
mod http;
mod live;
mod logs;
mod page;
mod running;
mod stages;
pub mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::interrupt::INTERRUPTED;
use crate::ranks::{self, Helper, helpers};
use ::tournament::boards::Boards;
use ::tournament::conversation::Recording;
use ::tournament::description::{describe_counting, describe_plan, limits_text, own_moves_only};
use ::tournament::elsewhere::{Answer, Elsewhere, Found, Order, Others};
use ::tournament::identity::{Identity, of_tables};
use ::tournament::pgn::{Event, Fields, Style};
use ::tournament::play::{Conditions, Customs};
use ::tournament::runner::{Faults, Pace, Plan, RunError, Stop, StopRule, run_with};
use ::tournament::schedule::{Colours, Edition, Format, Pairing, PlanRules, Policy, Schedule, check_games};
use ::tournament::spec::{Player, Settings, from_file, players};
use ::tournament::standings::Counting;
use ::tournament::summary::Summary;
use ::tournament::tablebase::Tables;
use ::tournament::trial::{Greeting, try_engines};
use ::tournament::wording::counted;
use anyhow::{Context, anyhow, ensure};
use clap::ArgAction;
use serde_json::{Value, json};

use calculators::read_sprt;
use conditions::{Chess960, GameRules, Openings};
use cpus::Cpus;
use files::{Files, PgnFile, Wanted};
use house::HouseOptions;
use live::Live;
use page::PageWriter;
use running::RunningPgn;
use stages::{Stage, Stages};
use watch::{News, Teller, Watch};

/// Let engines play: any that speak UCI or xboard's protocol
///
/// Players are given as `--engine name=A cmd=./a tc=8+0.08 option.Hash=64`, once for each, or in a file. With
/// --journal nothing is lost: the same command goes on where a killed one was. Ctrl-C lets running games end,
/// a second one does not. Every engine is started once before the first game; one that does not start is an
/// error, and no game.
#[derive(clap::Args)]
#[command(after_long_help = end::STATUSES)]
pub struct Args {
    #[command(flatten)]
    lines: EngineLines,
    /// A TOML or JSON file with players: a list `engine` of tables with the keys of --engine, and a table
    /// `each`
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    #[arg(
        long,
        default_value = "round-robin",
        value_parser = |s: &str| s.parse::<Format>(),
        help = format!("How the players are paired: {}", Format::known())
    )]
    format: Format,
    /// Encounters of every two players that meet; each is two games with one opening, colours reversed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Play only the first game of each encounter
    #[arg(long)]
    single: bool,
    #[command(flatten)]
    openings: Openings,
    /// When the next opening is taken: for every `round` of the plan, by `default` for every encounter, or
    /// whenever others meet (`encounter`: two players alone then play one opening)
    #[arg(long, default_value = "round", value_parser = |s: &str| s.parse::<Policy>())]
    policy: Policy,
    /// Both games of an encounter have the same colours
    #[arg(long)]
    noswap: bool,
    /// Exchange the colours of all games
    #[arg(long)]
    reverse: bool,
    /// Milliseconds between two games in the same place
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=86_400_000))]
    wait: u64,
    /// Play Chess960: castling by its rules for all; without --openings from its 960 start positions, with
    /// `=double` from all pairs of them, one for White and one for Black, in an order given by the seed
    #[arg(long, value_name = "double", num_args = 0..=1, require_equals = true, default_missing_value = "single")]
    chess960: Option<Chess960>,
    #[command(flatten)]
    rules: GameRules,
    /// Adjudicate by Syzygy tables in these directories, separated as in the variable PATH (`:`, on Windows `;`)
    #[arg(long, value_name = "PATH")]
    tb: Option<String>,
    /// Look up positions of at most this many men
    #[arg(long, value_name = "N", requires = "tb", value_parser = clap::value_parser!(u8).range(3..=7))]
    tbpieces: Option<u8>,
    /// End a match of two by a sequential test: "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized
    /// stats=pentanomial"
    #[arg(long, value_name = "TEST", num_args = 1..)]
    sprt: Option<Vec<String>>,
    #[command(flatten)]
    house: HouseOptions,
    /// Seconds an engine is waited for after its flag has fallen
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    stall: f64,
    /// Seconds without news of its search that lose the game of an engine that plays without a clock
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    silence: f64,
    /// Write games as PGN (with --journal written anew from it, else appended)
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// What the PGN has of every move beside evaluation, depth and time: nodes (which are there unasked), seldepth,
    /// nps, hashfull, tbhits, timeleft, latency (how much less the engine had counted than had passed when it last told
    /// its time) and pv, with commas between them, or all
    #[arg(long, value_name = "LIST", default_value = "", value_parser = |s: &str| s.parse::<Fields>())]
    pgn_fields: Fields,
    /// Write the last position of every game as a FEN
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// Show the running games and the page on this port of this machine, to browsers on it; with an address
    /// (0.0.0.0:8017) to others, too [default port: 8017]
    #[arg(long, value_name = "[ADDRESS:]PORT", num_args = 0..=1, default_missing_value = "8017", value_parser = live::address)]
    live: Option<SocketAddr>,
    /// Keep the running games in this file, as PGN without results: it is written anew every second, less often
    /// where that takes long
    #[arg(long, value_name = "FILE")]
    live_pgn: Option<PathBuf>,
    /// Print a line for every game that ends
    #[arg(long, conflicts_with = "json")]
    games: bool,
    /// The event's name
    #[arg(long, default_value = "Firstborn tournament")]
    event: String,
    /// The event's site
    #[arg(long, default_value = "")]
    site: String,
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
                 timemargin=MS ponder=on threads= hash= restart=on initstr= stderr=FILE whitepov=on trust=on book=FILE \
                 bookdepth=MOVES conf=NAME (of cutechess's engines.json) starttimeout=SECONDS readytimeout=SECONDS \
                 quittimeout=SECONDS lenient=on option.NAME=",
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
        let (sprt, by_pairs) = read_sprt(&words.join(" "), !self.single)?;
        ensure!(!(by_pairs && self.single), "--sprt stats=pentanomial counts pairs; --single plays none");
        Ok(Some(StopRule { sprt, by_pairs }))
    }

    /// The files it reads and writes.
    fn wanted(&self) -> Wanted {
        let files = [&self.engines, &self.openings.openings];
        Wanted {
            inputs: files.into_iter().flatten().cloned().collect(),
            pgn: self.pgn.clone().map(PgnFile::appended),
            epd: self.epd.clone().map(|path| (path, true)),
            others: self.live_pgn.iter().cloned().collect(),
            ..self.house.wanted()
        }
    }

    /// What makes it this tournament and no other: a journal belongs to these settings.
    fn description(&self, plan: &Plan, begun: Option<&Value>) -> anyhow::Result<Value> {
        let mut description = describe_plan(plan, begun)?;
        description["format"] = json!(self.format);
        description["rounds"] = json!(self.rounds);
        description["tb"] = json!(self.tb);
        description["tbpieces"] = json!(self.tbpieces);
        // What journals of older versions do not have is written only where it is not as it was there.
        plan.schedule.describe_edition(&mut description);
        let conditions = &plan.conditions;
        describe_counting(&mut description, &conditions.players, conditions.customs.own_moves_only);
        if self.policy != Policy::default() {
            description["policy"] = json!(self.policy);
        }
        if self.colours() != Colours::default() {
            description["colours"] = json!(self.colours());
        }
        if let Some(seed) = house::seed_of_books(&plan.conditions.players, self.openings.seed) {
            description["seed"] = json!(seed);
        }
        Ok(description)
    }

    fn colours(&self) -> Colours {
        Colours { no_swap: self.noswap, reverse: self.reverse }
    }
}

/// The programs behind the players, which are started once for that. The protocols that they speak are found out
/// there, and hold for the run.
fn identify(plan: &mut Plan) -> anyhow::Result<(Vec<Identity>, Vec<Greeting>)> {
    let conditions = &plan.conditions;
    let files = conditions
        .players
        .iter()
        .map(|player| Identity::of_player(player).with_context(|| format!("player `{}`", player.name)));
    let mut identities = files.collect::<anyhow::Result<Vec<_>>>()?;
    let tables = conditions.tables.as_ref().map(|tables| of_tables(tables.folders())).transpose()?;
    let greetings = try_engines(plan)?;
    for (identity, greeting) in identities.iter_mut().zip(&greetings) {
        identity.name.clone_from(&greeting.name);
        identity.author.clone_from(&greeting.author);
        identity.protocol = greeting.protocol;
        identity.files.extend(greeting.running.iter().chain(tables.iter().flatten()).cloned());
    }
    Ok((identities, greetings))
}

/// Says what was left out of the openings, and whether there are too few.
fn tell_of_openings(plan: &Plan) {
    let (book, needed) = (&plan.book, plan.schedule.openings());
    house::tell_skipped(book, "opening");
    if needed > book.len() {
        eprintln!(
            "firstborn: the book has {} and up to {needed} are needed: openings come again, and where neither a \
             clock nor chance is in play so do the games. Give more with --openings.",
            counted(book.len() as u64, "opening")
        );
    }
}

impl Args {
    /// Everything that makes the tournament, but for its programs. `begun`: what describes the one that goes on.
    fn plan(&self, begun: Option<&Value>) -> anyhow::Result<(Plan, Cpus)> {
        let players = self.players()?;
        let stop_rule = self.stop_rule(players.len())?;
        self.format.check(players.len()).map_err(|e| anyhow!("--format {e}"))?;
        check_games(
            self.format.meetings(players.len()),
            self.rounds as usize,
            if self.single { 1 } else { 2 },
        )
        .map_err(|e| anyhow!("--rounds {}: {e}", self.rounds))?;
        let rules = PlanRules {
            policy: self.policy,
            colours: self.colours(),
            edition: begun.and_then(Edition::of).unwrap_or_default(),
        };
        let schedule = Schedule::with(self.format, players.len(), self.rounds as usize, self.single, rules);
        let book = self.openings.book(schedule.openings(), self.chess960, self.house.skip_bad)?;
        let tables =
            self.tb.as_ref().map(|path| Tables::open(path, self.tbpieces.map(usize::from))).transpose();
        let seconds = |flag: &str, seconds: f64| {
            ensure!(seconds > 0.0 && seconds < 1e6, "{flag} {seconds}: is not a number of seconds");
            Ok(Duration::from_secs_f64(seconds))
        };
        let (stall, silence) = (seconds("--stall", self.stall)?, seconds("--silence", self.silence)?);
        let conditions = Conditions {
            rules: self.rules.rules()?,
            tables: tables.map_err(|e| anyhow!(e))?,
            stall,
            silence,
            chess960: self.chess960.is_some(),
            boards: (self.live.is_some() || self.live_pgn.is_some()).then(|| Arc::new(Boards::default())),
            customs: Customs {
                keep_search: self.pgn_fields.needs_search(),
                keep_pv: self.pgn_fields.pv,
                own_moves_only: begun.is_some_and(own_moves_only),
                books: house::books(&players)?,
                seed: self.openings.seed,
                ..Customs::default()
            },
            players,
        };
        let cpus = self.house.cpus.claim(&conditions.players)?;
        let plan = Plan {
            conditions,
            schedule,
            book,
            cores: cpus.list.clone(),
            bind: cpus.bind,
            stop_rule,
            counting: if self.single { Counting::Games } else { Counting::Pairs },
            faults: Faults::default(),
            engines: 0,
            pace: Pace { most: None, wait: Duration::from_millis(self.wait) },
            recording: Recording { all: self.house.log.is_some(), ..Recording::default() },
        };
        Ok((plan, cpus))
    }
}

#[cfg(feature = "mpi")]
impl Args {
    /// The plan of a rank that plays games for another, with its engines tried, and what they were found to be; the
    /// CPUs are held until the end.
    pub fn plan_of_guest(&self) -> anyhow::Result<(Plan, Cpus, Vec<Found>)> {
        let (mut plan, cpus) = self.plan(self.house.begun().as_ref())?;
        plan.places().map_err(with_advice)?;
        let (engines, greetings) = identify(&mut plan)?;
        let found = Found::all(&plan, &engines);
        // Files may be missing on this machine alone.
        if sys::ranks::is_first_here() {
            house::tell_doubts(&plan.conditions.players, &greetings);
        }
        plan.faults = self.house.faults(self.house.forfeits.unwrap_or_default(), &engines);
        Ok((plan, cpus, found))
    }

    /// The files that decide what is played, but for the programs and what is given to them, which are compared when
    /// they have been tried ([`FOUND`]).
    pub fn files_read(&self) -> Vec<PathBuf> {
        self.openings.openings.iter().chain(&self.engines).cloned().collect()
    }

    /// What else decides that, in words: the players with all their settings, also those that come from a list of
    /// engines (`conf=`). What is wrong with players the command itself will say.
    pub fn settings_read(&self) -> Vec<String> {
        let told = |player: &Player| {
            let protocol =
                player.engine.protocol.map_or("auto".to_owned(), |protocol| format!("{protocol:?}"));
            let description = ::tournament::description::describe(player);
            format!("player {description} by protocol {protocol}")
        };
        self.players().unwrap_or_default().iter().map(told).collect()
    }

    /// Names a journal whose games go on by other rules than new ones, if there is one and it matters: a rank that
    /// cannot read it would not know.
    pub fn older_rules(&self) -> Option<String> {
        let counts = ::tournament::description::counts_moves(&self.players().ok()?);
        let other = counts && own_moves_only(&self.house.begun()?);
        let journal = self.house.journal.as_ref().filter(|_| other)?;
        Some(format!(
            "journal {}, which every rank needs: in its games moves of openings count towards no control",
            journal.display()
        ))
    }
}

/// A reason not to play, with the option that mends it.
pub fn with_advice(error: RunError) -> anyhow::Error {
    let RunError::TooFewCores { .. } = error;
    anyhow!("{error} (--budget)")
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // The CPUs are held until the end.
    let begun = args.house.begun();
    let (mut plan, _cpus) = args.plan(begun.as_ref())?;
    tell_of_openings(&plan);
    let slots = plan.places().map_err(with_advice)?;
    let event = Event {
        name: args.event.clone(),
        site: args.site.clone(),
        players: plan.conditions.players.iter().map(|player| player.name.clone()).collect(),
        limits: plan.conditions.players.iter().map(limits_text).collect(),
        style: Style { fields: args.pgn_fields, ..Style::default() },
        ..Event::default()
    };
    let description = match (&args.house.journal, &args.house.report, args.live) {
        (None, None, None) => Value::Null,
        _ => args.description(&plan, begun.as_ref())?,
    };
    let running = args.live_pgn.as_deref().map(running::place).transpose()?;
    let (stop, teller) = (Stop::default(), Teller::default());
    let stages = Stages::watch(&stop, interrupted(&stop, &teller))?;
    let opened = Files::open(&args.wanted(), &plan, &description, &event, &stop);
    stages.reach(Stage::Programs);
    if stop.requested() {
        eprintln!("firstborn: stopped before the first game");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let (mut files, finished) = opened?;
    let (engines, greetings) = identify(&mut plan)?;
    compare_ranks(&plan, &engines)?;
    stages.reach(Stage::Games);
    let forfeits = args.house.forfeits.unwrap_or_default();
    let (doubts, provenance) =
        args.house.begin(&mut plan, &mut files, (&engines, &greetings), forfeits, finished.len())?;
    let scheduled = plan.schedule.total();
    let live = match (args.live, &plan.conditions.boards) {
        (Some(address), Some(boards)) => Some(Live::start(address, Arc::clone(boards))?),
        _ => None,
    };
    let tournament = files.tournament(description, &engines, &provenance);
    let running = running.zip(plan.conditions.boards.as_ref());
    let running = running.map(|(place, boards)| RunningPgn::new(place, Arc::clone(boards), event.clone()));
    let page = PageWriter::new(files.report().cloned(), live, event.name.clone(), tournament);
    let page = page.with(running).noting(doubts);
    let news = match (args.json, args.games) {
        (true, _) => News::Silent,
        (_, true) => News::Games,
        _ => News::Forfeits,
    };
    let logs = args.house.logs(&args.wanted(), &event.players, &plan.conditions.players)?;
    let mut watch = Watch::new((files, logs), page, &event, &plan, &finished, news)?;
    watch.spared_by(&teller);
    let begun = Instant::now();
    let outcome = run_with(&mut plan, &finished, &mut watch, &stop, elsewhere(&stop));
    let wall = begun.elapsed();
    let written = watch.finish();
    let (end, standings) = outcome?;
    let provenance = crate::provenance::provenance();
    // First of all: a closed standard output ends the program.
    watch.survey.standings = standings.clone();
    watch.write_last_page(scheduled, end::state(&end), &provenance);
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
    if let Some(words) = end::words(&end, watch.kept()) {
        eprintln!("firstborn: {words}");
    }
    if let Err(error) = written {
        eprintln!("firstborn: {error:#}");
        return Ok(end::unwritten(&end));
    }
    Ok(end::status(&end, &standings, forfeits))
}

/// Asks a rank what its players were found to be.
pub const FOUND: &[u8] = b"found";

/// Compares what the players were found to be with what other ranks have found.
///
/// # Errors
/// The first rank on which a player is another program.
fn compare_ranks(plan: &Plan, engines: &[Identity]) -> anyhow::Result<()> {
    let own = Found::all(plan, engines);
    let difference = |answer: &[u8]| match serde_json::from_slice::<Vec<Found>>(answer) {
        Ok(theirs) => Found::difference(&own, &theirs),
        Err(error) => Some(format!("an unreadable answer: {error}")),
    };
    ranks::compare(FOUND, &difference)
}

/// A place on another rank, which is sent a pairing and answers with what became of the game.
struct Place(Helper);

impl Elsewhere for Place {
    fn name(&self) -> String {
        self.0.place()
    }

    fn play(&mut self, game: &Pairing, given_up: &dyn Fn() -> bool) -> Option<Answer> {
        let request = serde_json::to_vec(game).ok()?;
        serde_json::from_slice(&self.0.ask(request, given_up)?).ok()
    }
}

/// The places on other ranks, as long as the stop is not asked for.
fn elsewhere(stop: &Stop) -> Others<'static> {
    let place = |helper| Box::new(Place(helper)) as Box<dyn Elsewhere>;
    let places = helpers(&|| stop.requested()).into_iter().map(place).collect();
    let tell = |order: Order| ranks::order(serde_json::to_string(&order).expect("it has a name"));
    Others { places, tell: Box::new(tell) }
}

/// Ctrl-C is answered at once, since running games may take long to end.
fn interrupted(stop: &Stop, teller: &Teller) -> impl FnMut() + Send + 'static {
    let (stop, teller) = (stop.clone(), teller.clone());
    move || {
        teller.tell(if stop.request() {
            "stopping when the running games have ended; Ctrl-C again gives them up"
        } else {
            "giving up the running games"
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Line;
    use clap::Parser;

    /// The plan of the command with these words, between two programs that are not started.
    fn plan(words: &[&str]) -> Plan {
        let folder = tempfile::tempdir().unwrap();
        let engines = "tournament --engine name=A cmd=/bin/sh --engine name=B cmd=/bin/sh --each depth=1";
        let mut args =
            Line::<Args>::try_parse_from(engines.split(' ').chain(words.iter().copied())).unwrap().args;
        args.house.cpus.folder = Some(folder.path().join("locks"));
        let (plan, _cpus) = args.plan(None).unwrap();
        plan
    }

    /// Two times that are waited, neither of which is the other.
    #[test]
    fn engines_are_waited_for_as_the_line_says() {
        for (words, seconds) in
            [(&["--stall", "7"][..], [7, 60]), (&["--silence", "9"], [5, 9]), (&[], [5, 60])]
        {
            let Conditions { stall, silence, .. } = plan(words).conditions;
            assert_eq!([stall, silence], seconds.map(Duration::from_secs), "{words:?}");
        }
    }

    /// A table of four men by its name, size and first bytes, of which nothing else is read.
    #[test]
    fn tables_are_asked_for_as_many_men_as_the_line_says() {
        let folder = tempfile::tempdir().unwrap();
        let table = [&[0x71, 0xe8, 0x23, 0x5d][..], &[0; 12]].concat();
        std::fs::write(folder.path().join("KQRvK.rtbw"), table).unwrap();
        let path = folder.path().display().to_string();
        for (words, men) in [(&["--tbpieces", "3"][..], 3), (&["--tbpieces", "7"], 4), (&[], 4)] {
            let plan = plan(&[&["--tb", path.as_str()][..], words].concat());
            assert_eq!(plan.conditions.tables.unwrap().most_men(), men, "{words:?}");
        }
    }

    /// An encounter of a single game is no pair.
    #[test]
    fn results_are_judged_by_pairs_unless_games_are_single() {
        for (words, counting, by_pairs) in
            [(&["--single"][..], Counting::Games, false), (&[], Counting::Pairs, true)]
        {
            let plan = plan(&[words, &["--sprt", "elo0=0"]].concat());
            assert_eq!(plan.counting, counting);
            assert_eq!(plan.stop_rule.map(|rule| rule.by_pairs), Some(by_pairs), "{words:?}");
        }
    }
}
