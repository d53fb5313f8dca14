//! `firstborn spsa`: tunes an engine's options by games; the algorithm lives in `tournament::spsa`, the games
//! in its runner.

use crate::brain::DRIVER;
use crate::interrupt::{INTERRUPTED, on_interrupt};
use crate::provenance::provenance;
use crate::tournament::conditions::{GameRules, Openings};
use crate::tournament::cpus::claim_unplaced;
use crate::tournament::house::warn;
use crate::tournament::watch::{NEWS, tell};
use ::tournament::adjudicate::Rules;
use ::tournament::cores::cost;
use ::tournament::description::{describe, describe_counting, describe_rules, own_moves_only};
use ::tournament::identity::{FileIdentity, Identity};
use ::tournament::journal::{self, Journal};
use ::tournament::openings::Book;
use ::tournament::play::{Conditions, Customs};
use ::tournament::program::command_text;
use ::tournament::record::{Ending, GameRecord};
use ::tournament::runner::{Faults, Forfeits, Pace, Plan, RunEnd, Stop, Watcher, run as run_plan};
use ::tournament::schedule::{Format, Pairing, Schedule};
use ::tournament::spec::{self, Player};
use ::tournament::spsa::{Lesson, Mishaps, Param, Settings, Spsa, Trial};
use ::tournament::standings::Standings;
use ::tournament::trial::{Greeting, TrialError, try_engine};
use ::tournament::wording::counted;
use anyhow::{Context, anyhow, bail, ensure};
use clap::ArgAction;
use client::{OptionError, Protocol};
use engine::drivers::Driver;
use engine::params::Params;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use sys::output::{Outputs, Precious};

/// Tune an engine's numeric options by games against itself (SPSA)
///
/// Each pair of games (one opening, colours reversed) is between two versions of the engine: all parameters moved
/// a little at random, and all moved the opposite way. Each parameter then takes a step towards the winner's side.
/// This takes tens of thousands of games. `chance` in the result is how far, in units of C, a parameter that does
/// nothing would have moved (standard deviation). With --journal the same command continues after a kill. A build of
/// Firstborn with `--features tuning` offers the parameters of its search.
#[derive(clap::Args)]
pub struct Args {
    /// The engine, as for `firstborn tournament`: "cmd=./firstborn nodes=5000 hash=8"; it speaks UCI unless proto=
    /// says otherwise. Games wait an hour for it to start and to get ready, unless starttimeout= and readytimeout= say
    /// how long, and through an hour of silence where it has no clock
    #[arg(long, required = true, num_args = 1.., value_name = "KEY=VALUE", action = ArgAction::Set)]
    engine: Vec<String>,
    /// A parameter: option name, start, bounds, and perturbation C; for Firstborn's own the name is enough
    /// [default: all of Firstborn's; those on time only with a clock, those of a `Driver` only where it plays]
    #[arg(long = "param", value_name = "NAME=START,MIN,MAX,C")]
    params: Vec<String>,
    /// Pairs of games
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Step per won game at the end, in units of a parameter's C
    #[arg(long, default_value_t = 0.01, value_name = "R")]
    rate: f64,
    /// Pairs played with the same parameters before they are moved: so no more than twice as many games are played at
    /// a time. Ctrl-C waits for a batch whose last games are being played, and gives up any other with what is played
    /// of it
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// Games in parallel, two for each pair of a --batch at most [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    openings: Openings,
    #[command(flatten)]
    rules: GameRules,
    /// Save the state in this file after each batch, and continue from it
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Continue although the program, or a file that it uses, has changed since the journal was written, and do
    /// not watch whether it changes
    #[arg(long)]
    same_engine: bool,
    /// Go on after a pair with a game that the engine lost otherwise than at chess or on time: the pair teaches
    /// nothing, and is counted
    #[arg(long)]
    skip_faults: bool,
    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

/// Who measures on a machine may freeze what else runs on it, engines included; so much patience costs nothing where no
/// engine hangs. The help of `--engine` tells it.
const PATIENCE: Duration = Duration::from_secs(3600);

/// How long an engine that does not start is waited for, try by try, in seconds.
const START_PAUSES: [u64; 5] = [1, 2, 4, 8, 16];

impl Args {
    /// What the run reads: no journal may go there.
    fn inputs(&self, player: &Player) -> Outputs {
        let mut inputs = Outputs::reading(&self.openings.openings);
        inputs.reads(&player.engine.command);
        player.engine.options.iter().for_each(|(_, value)| inputs.reads(value));
        inputs
    }

    fn settings(&self, player: &Player) -> anyhow::Result<Settings> {
        ensure!(self.rate > 0.0 && self.rate <= 1.0, "--rate {}: not above 0 and up to 1", self.rate);
        let mut params =
            self.params.iter().map(|text| read_param(text)).collect::<anyhow::Result<Vec<_>>>()?;
        if params.is_empty() {
            // What does nothing in these games would walk at random.
            let (clocked, driver) = (player.limits.clock.is_some(), driver(player));
            let own = Params::ALL.iter().filter(|param| param.acts.in_search(clocked, driver));
            params = own.map(own_param).collect();
        }
        for (index, param) in params.iter().enumerate() {
            let twice = params[..index].iter().any(|other| other.name.eq_ignore_ascii_case(&param.name));
            ensure!(!twice, "--param {} is given twice", param.name);
        }
        Ok(Settings { params, pairs: self.iterations as usize, rate: self.rate, seed: self.openings.seed })
    }

    /// The parameters that are given by their names alone: all of this program's where none is given.
    fn named(&self) -> Vec<String> {
        if self.params.is_empty() {
            return Params::ALL.iter().map(|param| param.name.to_owned()).collect();
        }
        let named = self.params.iter().filter_map(|text| own(text));
        named.map(|param| param.name.to_owned()).collect()
    }

    /// What is said of the engine.
    fn engine(&self) -> anyhow::Result<spec::Settings> {
        Ok(spec::Settings::from_words("--engine", &self.engine)?.configured()?)
    }

    /// Whether it is said how long the engine may take to start, and to get ready.
    fn said_timeouts(&self) -> anyhow::Result<[bool; 2]> {
        let engine = self.engine()?;
        Ok(["starttimeout", "readytimeout"].map(|key| engine.get(key).is_some()))
    }

    /// The two sides, as yet alike.
    fn players(&self) -> anyhow::Result<[Player; 2]> {
        let engine = self.engine()?;
        let says_protocol = ["proto", "protocol"].iter().any(|key| engine.get(key).is_some());
        let side = |name: &str| engine.clone().with("name", name);
        let mut players = spec::players(&[side("plus"), side("minus")], &[])?;
        for player in &mut players {
            // To try one protocol after the other, unasked, takes an engine that is slow for one of the other kind.
            if !says_protocol {
                player.engine.protocol = Some(Protocol::Uci);
            }
            ensure!(
                player.book.is_none(),
                "--engine: spsa plays from --openings; a book= of the engine's own is not used"
            );
        }
        players.try_into().map_err(|_| anyhow!("there are two sides"))
    }
}

/// A number of our own search, ready to be tuned.
fn own_param(param: &engine::params::Param) -> Param {
    Param {
        name: param.name.to_owned(),
        start: param.default.into(),
        min: param.min.into(),
        max: param.max.into(),
        c: param.step.into(),
    }
}

/// Which driver searches the root: the last that the engine's options name.
fn driver(player: &Player) -> Driver {
    let said = player.engine.options.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(DRIVER));
    said.and_then(|(_, value)| value.parse().ok()).unwrap_or_default()
}

/// The number of our own search that a `--param` names, if it is a name alone.
fn own(text: &str) -> Option<&'static engine::params::Param> {
    Params::ALL.iter().find(|param| param.name.eq_ignore_ascii_case(text))
}

fn read_param(text: &str) -> anyhow::Result<Param> {
    match own(text) {
        Some(own) => Ok(own_param(own)),
        None => text.parse().map_err(|e: String| anyhow!(e)),
    }
}

/// Why an engine cannot be tuned, with what mends it where that is known.
fn advised(why: String, missing_option: Option<String>) -> String {
    let missing = missing_option.filter(|name| Params::ALL.iter().any(|own| own.name == name));
    missing.map_or(why, |name| {
        format!(
            "it has no option `{name}`, a number of Firstborn's search: build it with --features tuning, or name \
             --param"
        )
    })
}

/// Everything that holds for all games.
struct Match {
    players: [Player; 2],
    rules: Rules,
    book: Book,
    settings: Settings,
    /// Parameters that start where this program's own numbers do.
    named: Vec<String>,
    /// The engine's files, which must not change; none if they may.
    files: Vec<FileIdentity>,
    /// Whether moves of openings do not count towards controls: so it was when an older journal was begun.
    own_moves_only: bool,
    /// Whether a pair with a fault teaches nothing, instead of ending the run.
    skip_faults: bool,
    /// Whether it is said how long the engine may take to start, and to get ready: games wait no longer then.
    said_timeouts: [bool; 2],
    /// Games of the batch that have not begun: without them it teaches nothing.
    waiting: Arc<AtomicUsize>,
    /// Above it everything is told.
    bar: ProgressBar,
    /// What is told once, since every pair may meet it.
    noticed: Mutex<BTreeSet<String>>,
}

/// What a pair of games came to.
struct Played {
    /// The games that the plus version has won less those it lost.
    difference: f64,
    mishaps: Mishaps,
}

/// Counts games that begin, and looks for games that were lost otherwise than at chess.
struct Referee<'m> {
    game: &'m Match,
    fault: Option<String>,
    lost_on_time: u64,
}

impl Watcher for Referee<'_> {
    fn started(&mut self, _: &Pairing) {
        self.game.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    fn finished(&mut self, game: &GameRecord, _: &Standings) -> io::Result<()> {
        if game.ending.is_fault() {
            self.fault = Some(game.reason.clone());
        }
        self.lost_on_time += u64::from(game.ending == Ending::TimeForfeit);
        Ok(())
    }

    fn trouble(&mut self, what: &str) {
        tell(&self.game.bar, what);
    }

    fn notice(&mut self, what: &str) {
        // What another thread has noticed is whole, whatever has become of the thread.
        let mut noticed = self.game.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        if noticed.insert(what.to_owned()) {
            tell(&self.game.bar, what);
        }
    }
}

impl Match {
    /// A player with these values.
    fn with(&self, player: &Player, values: impl IntoIterator<Item = i64>) -> Player {
        let mut player = player.clone();
        for (param, value) in self.settings.params.iter().zip(values) {
            player.engine.options.push((param.name.clone(), value.to_string()));
        }
        player
    }

    /// Starts the engine with all parameters where they start and at their bounds: a value that it does not
    /// take is better told before any game. The protocol that was found out holds for all games. Returns which
    /// program it is.
    fn try_values(&mut self) -> anyhow::Result<Identity> {
        let (mut identity, mut running) = (Identity::of(&self.players[0].engine)?, Vec::new());
        let places: [fn(&Param) -> f64; 3] = [|param| param.start, |param| param.min, |param| param.max];
        for (index, place) in places.into_iter().enumerate() {
            let greeting = self.try_at(place, &running)?;
            if index == 0 {
                self.check_starts(&greeting)?;
                greeting.doubts.iter().for_each(|doubt| eprintln!("firstborn: --engine: {doubt}"));
            }
            self.players.iter_mut().for_each(|player| greeting.settle(&mut player.engine));
            (identity.name, identity.protocol) = (greeting.name, greeting.protocol);
            running = greeting.running;
        }
        identity.files.extend(running);
        Ok(identity)
    }

    /// A number that is given by its name starts at this program's default, which must be the engine's as well: the
    /// engine may be another version.
    fn check_starts(&self, greeting: &Greeting) -> anyhow::Result<()> {
        for param in self.settings.params.iter().filter(|param| self.named.contains(&param.name)) {
            let Param { name, start, min, max, c } = param;
            let default = greeting.default_of(name).and_then(|default| default.parse::<f64>().ok());
            if let Some(default) = default.filter(|default| default != start) {
                bail!(
                    "--param {name}: it is {start} by default in this program, {default} in the engine; say \
                     where it starts, as in --param {name}={default},{min},{max},{c}"
                );
            }
        }
        Ok(())
    }

    /// Starts the engine with all parameters at these places.
    fn try_at(&self, place: fn(&Param) -> f64, known: &[FileIdentity]) -> anyhow::Result<Greeting> {
        let values = self.settings.params.iter().map(|param| place(param).round() as i64);
        let player = self.with(&self.players[0], values);
        let refused = |why: String, missing_option: Option<String>| {
            let command = command_text(&player.engine);
            anyhow!("--engine `{command}`: {}", advised(why, missing_option))
        };
        let tried = try_engine(&player, self.book.is_chess960(), known);
        let greeting =
            tried.map_err(|TrialError { why, missing_option, .. }| refused(why, missing_option))?;
        // With lenient=on an engine plays without what it does not take; what is tuned it must take.
        let lacking = greeting.left_out.iter().find(|option| self.is_tuned(option)).cloned();
        match lacking {
            None => Ok(greeting),
            Some(OptionError::Unknown { name, .. }) => {
                Err(refused(format!("it has no option `{name}`, which is to be tuned"), Some(name)))
            }
            Some(error) => Err(refused(error.to_string(), None)),
        }
    }

    /// Whether an option that the engine does not take is one of the parameters.
    fn is_tuned(&self, left_out: &OptionError) -> bool {
        match left_out {
            OptionError::Unknown { name, .. } | OptionError::Value { name, .. } => {
                self.settings.params.iter().any(|param| param.name.eq_ignore_ascii_case(name))
            }
            OptionError::Resources(_) => false,
        }
    }

    /// CPUs that a game takes at most: one of the parameters can be the number of threads.
    fn cpus(&self) -> usize {
        let most = |player| self.with(player, self.settings.params.iter().map(|param| param.max as i64));
        cost(&most(&self.players[0]), &most(&self.players[1]))
    }

    fn conditions(&self, [plus, minus]: [&[i64]; 2]) -> Conditions {
        let side = |player: &Player, values: &[i64]| {
            let mut player = self.with(player, values.iter().copied());
            let timeouts = [&mut player.engine.start_timeout, &mut player.engine.ready_timeout];
            for (timeout, said) in timeouts.into_iter().zip(self.said_timeouts) {
                if !said {
                    *timeout = PATIENCE.max(*timeout);
                }
            }
            player
        };
        let players = vec![side(&self.players[0], plus), side(&self.players[1], minus)];
        Conditions {
            rules: self.rules,
            silence: PATIENCE,
            customs: Customs { own_moves_only: self.own_moves_only, ..Customs::default() },
            ..Conditions::new(players)
        }
    }

    /// Plays a pair, so many games of it at a time; `None` if it was stopped.
    fn play(&self, trial: &Trial, places: usize, stop: &Stop) -> anyhow::Result<Option<Played>> {
        let conditions = self.conditions([&trial.plus, &trial.minus]);
        let schedule = Schedule::new(Format::RoundRobin, 2, 1, false);
        let cores = (0..places * self.cpus()).collect();
        let mut plan = Plan {
            faults: Faults {
                // What a fault does to the run is decided below.
                forfeits: Forfeits::Count,
                pauses: START_PAUSES.map(Duration::from_secs).to_vec(),
                files: vec![self.files.clone(); 2],
            },
            // Versions with fewer threads than the dearest leave room for more.
            pace: Pace { most: Some(places), ..Pace::default() },
            ..Plan::new(conditions, schedule, self.book.only(trial.pair)?, cores)
        };
        let mut referee = Referee { game: self, fault: None, lost_on_time: 0 };
        let (end, standings) = run_plan(&mut plan, &[], &mut referee, stop)?;
        let Referee { fault, lost_on_time, .. } = referee;
        let fault = fault.map(|fault| format!("{fault} (values {:?} against {:?})", trial.plus, trial.minus));
        if let Some(fault) = fault.as_ref().filter(|_| !self.skip_faults) {
            bail!("{fault}; the same command plays this pair again, with --skip-faults it teaches nothing");
        }
        if let RunEnd::Halted(halt) = end {
            bail!("{halt}");
        }
        if end != RunEnd::Complete {
            return Ok(None);
        }
        let mishaps = Mishaps { lost_on_time, skipped: u64::from(fault.is_some()) };
        if let Some(fault) = fault {
            tell(&self.bar, &format!("pair {} teaches nothing: {fault}", trial.pair + 1));
            return Ok(Some(Played { difference: 0.0, mishaps }));
        }
        let wdl = standings.between(0, 1);
        Ok(Some(Played { difference: wdl.wins as f64 - wdl.losses as f64, mishaps }))
    }

    /// Plays a batch, as many games at a time as told: the differences of its pairs and what went wrong; `None` if it
    /// was stopped.
    fn play_all(
        &self,
        batch: &[Trial],
        threads: usize,
        stop: &Stop,
    ) -> anyhow::Result<Option<(Vec<f64>, Mishaps)>> {
        let next = AtomicUsize::new(0);
        let work = |places: usize| -> anyhow::Result<Vec<(usize, Played)>> {
            let mut results = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(trial) = batch.get(index) else { return Ok(results) };
                // After a fault the others need play no further pair.
                let played = self.play(trial, places, stop);
                let played = played.inspect_err(|_| next.store(batch.len(), Ordering::Relaxed));
                let Some(played) = played? else { return Ok(results) };
                results.push((index, played));
            }
        };
        let mut results = Vec::new();
        thread::scope(|scope| -> anyhow::Result<()> {
            let work = &work;
            let workers = shares(threads, batch.len()).map(|places| scope.spawn(move || work(places)));
            let workers: Vec<_> = workers.collect();
            for worker in workers {
                results.extend(worker.join().map_err(|_| anyhow!("a game thread panicked"))??);
            }
            Ok(())
        })?;
        results.sort_unstable_by_key(|(index, _)| *index);
        if results.len() < batch.len() {
            return Ok(None);
        }
        let mut mishaps = Mishaps::default();
        results.iter().for_each(|(_, played)| mishaps.add(played.mishaps));
        Ok(Some((results.into_iter().map(|(_, played)| played.difference).collect(), mishaps)))
    }

    /// What makes it this run and no other: a journal belongs to these settings.
    fn description(&self, batch: u16, begun: Option<&Value>) -> anyhow::Result<Value> {
        let mut description = json!({
            "spsa": self.settings, "batch": batch, "engine": describe(&self.players[0]),
            "openings": self.book.description(begun)?,
        });
        describe_rules(&mut description, &self.rules);
        describe_counting(&mut description, &self.players, self.own_moves_only);
        Ok(description)
    }
}

/// So many games at a time, or as many as these pairs have: for each pair that is played meanwhile, how many of its
/// games are played at once, one or both.
fn shares(threads: usize, pairs: usize) -> impl Iterator<Item = usize> {
    let at_once = threads.min(pairs);
    (0..at_once).map(move |pair| 1 + usize::from(pair < threads - at_once))
}

/// The journal, if there is one, and what it has learnt.
fn open_journal(
    args: &Args,
    game: &Match,
    identity: &Identity,
) -> anyhow::Result<(Option<Journal>, Vec<Lesson>)> {
    let Some(path) = &args.journal else { return Ok((None, Vec::new())) };
    journal::check_file(path)?;
    let place = args.inputs(&game.players[0]).place_to_go_on(Precious::Journal, path);
    place.with_context(|| format!("--journal {}", path.display()))?;
    let description = game.description(args.batch, journal::begun(path).as_ref())?;
    let (mut journal, lessons) = Journal::open::<Lesson>(path, &description)?;
    let programs = journal.identify(std::slice::from_ref(identity), args.same_engine)?;
    warn(&programs, lessons.len(), "lesson");
    Ok((Some(journal), lessons))
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let players = args.players()?;
    let settings = args.settings(&players[0])?;
    let mut game = Match {
        players,
        rules: args.rules.rules()?,
        book: args.openings.book(settings.pairs, None, false)?,
        settings: settings.clone(),
        named: args.named(),
        files: Vec::new(),
        own_moves_only: args.journal.as_deref().and_then(journal::begun).as_ref().is_some_and(own_moves_only),
        skip_faults: args.skip_faults,
        said_timeouts: args.said_timeouts()?,
        waiting: Arc::default(),
        bar: ProgressBar::hidden(),
        noticed: Mutex::default(),
    };
    let identity = game.try_values()?;
    let (mut journal, lessons) = open_journal(args, &game, &identity)?;
    if !args.same_engine {
        game.files = identity.watched_files().cloned().collect();
    }
    let mut spsa = Spsa::new(settings, &lessons);
    let stop = Stop::default();
    let mut progress = Progress::new(&spsa);
    game.bar = progress.bar.clone();
    watch_interrupts(&stop, &game.waiting, &progress.bar)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let each = game.cpus();
    let wanted = args.threads.map_or((cores / each).max(1), usize::from);
    let pairs = spsa.batch(args.batch.into()).len();
    let threads = shares(wanted, pairs).sum::<usize>().max(1);
    // Of the last pairs there may be fewer.
    if threads < wanted && pairs == usize::from(args.batch) {
        let games = counted(threads as u64, "game");
        tell(&progress.bar, &format!("{games} at a time, not {wanted}: a --batch has no more"));
    }
    // Held until the end, so that tournaments with clocks keep away.
    let _claim = claim_unplaced(threads * each, &game.players)?;
    let mut tune = || -> anyhow::Result<()> {
        loop {
            let batch = spsa.batch(args.batch.into());
            game.waiting.store(2 * batch.len(), Ordering::SeqCst);
            if batch.is_empty() || stop.requested() {
                return Ok(());
            }
            let played = game.play_all(&batch, threads, &stop)?;
            let Some((differences, mishaps)) = played else { return Ok(()) };
            let lesson = spsa.learn(&batch, &differences, mishaps);
            if let Some(journal) = &mut journal {
                journal.add(&lesson)?;
            }
            progress.tell(&spsa);
        }
    };
    let ended = tune();
    progress.bar.finish_and_clear();
    // What was learnt until then is not lost by what ended it.
    report(&spsa, args.json);
    ended?;
    let complete = spsa.pairs() == spsa.settings().pairs;
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) })
}

/// Ends the run at Ctrl-C: with the batch if its last games are running, otherwise at once, as at a second Ctrl-C.
fn watch_interrupts(stop: &Stop, waiting: &Arc<AtomicUsize>, bar: &ProgressBar) -> anyhow::Result<()> {
    let (stop, waiting, bar) = (stop.clone(), Arc::clone(waiting), bar.clone());
    on_interrupt(move || {
        // Asked for before games are counted: so no batch begins unseen in between.
        let ends = stop.request() && waiting.load(Ordering::SeqCst) == 0;
        let what = if ends {
            "stopping when the batch has ended, whose last games are running; Ctrl-C again gives it up"
        } else {
            "giving up the batch, which is not complete; what was learnt before it counts"
        };
        // Told first: the run may be over at once.
        tell(&bar, what);
        if !ends {
            stop.request();
        }
    })
}

/// A bar where there is a terminal, otherwise a line now and then.
struct Progress {
    bar: ProgressBar,
    begun: Instant,
    first: usize,
    told: Instant,
}

impl Progress {
    fn new(spsa: &Spsa) -> Self {
        let bar = ProgressBar::new(spsa.settings().pairs as u64);
        // The template is a constant that indicatif understands; its own would do as well.
        let style = ProgressStyle::with_template("{pos}/{len} pairs {bar:30} {elapsed} ETA {eta} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = bar.with_style(style).with_position(spsa.pairs() as u64);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        let now = Instant::now();
        Progress { bar, begun: now, first: spsa.pairs(), told: now }
    }

    fn tell(&mut self, spsa: &Spsa) {
        let params = spsa.settings().params.iter().zip(spsa.values());
        let values: Vec<String> = params.map(|(param, value)| format!("{}={value:.1}", param.name)).collect();
        let told = [vec![values.join(" ")], mishaps(spsa)].concat().join("; ");
        self.bar.set_position(spsa.pairs() as u64);
        if self.bar.is_hidden() && self.told.elapsed() >= NEWS {
            self.told = Instant::now();
            let pace = pace(self.begun.elapsed(), spsa.pairs(), self.first, spsa.settings().pairs);
            // Who closed the pipe does not want to know; the run goes on.
            let _ = writeln!(io::stderr(), "{pace}: {told}");
        }
        self.bar.set_message(told);
    }
}

/// How far a run is, and how long the rest takes by the pairs that it has played itself, beyond the `first` that are
/// known from its journal.
fn pace(elapsed: Duration, done: usize, first: usize, all: usize) -> String {
    let each = elapsed.as_secs_f64() / (done - first).max(1) as f64;
    let left = HumanDuration(Duration::from_secs_f64(each * (all - done) as f64));
    format!("{done}/{all} pairs, {each:.2} s each, {left} left")
}

/// What went wrong in the games, in words; nothing if nothing did.
fn mishaps(spsa: &Spsa) -> Vec<String> {
    let Mishaps { lost_on_time, skipped } = spsa.mishaps();
    let games = counted(2 * spsa.pairs() as u64, "game");
    let mut told = Vec::new();
    if lost_on_time > 0 {
        told.push(format!("{lost_on_time} of {games} lost on time"));
    }
    if skipped > 0 {
        told.push(format!("{} with a fault, which taught nothing", counted(skipped, "pair")));
    }
    told
}

/// Says where the parameters are, and how far chance alone would have moved them.
fn report(spsa: &Spsa, as_json: bool) {
    let (settings, chance) = (spsa.settings(), spsa.chance());
    let params = settings.params.iter().zip(spsa.values());
    if as_json {
        let param = |(param, value): (&Param, &f64)| {
            let Param { name, start, c, .. } = param;
            json!({ "name": name, "start": start, "value": value, "c": c, "chance": chance })
        };
        let params: Vec<Value> = params.map(param).collect();
        let Mishaps { lost_on_time, skipped } = spsa.mishaps();
        println!(
            "{}",
            json!({
                "schema": 1, "pairs": spsa.pairs(), "lost_on_time": lost_on_time, "skipped": skipped,
                "params": params, "provenance": provenance(),
            })
        );
        return;
    }
    println!("{} of {} pairs", spsa.pairs(), settings.pairs);
    mishaps(spsa).iter().for_each(|told| println!("{told}"));
    println!("{:<26} {:>9} {:>9} {:>9} {:>9}", "parameter", "start", "now", "moved/c", "chance");
    for (param, value) in params {
        let moved = (value - param.start) / param.c;
        println!("{:<26} {:>9} {value:>9.1} {moved:>+9.2} {chance:>9.2}", param.name, param.start);
    }
    println!("{}", provenance());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Line;
    use clap::Parser;
    use std::path::Path;

    /// The command with these words, for this engine.
    fn args(engine: &Path, words: &[&str]) -> Args {
        let cmd = format!("cmd={}", engine.display());
        let engine = ["spsa", "--engine", &cmd, "nodes=100"];
        Line::<Args>::try_parse_from([&engine[..], words].concat()).unwrap().args
    }

    /// The games of a command.
    fn game(args: &Args) -> Match {
        let players = args.players().unwrap();
        let settings = args.settings(&players[0]).unwrap();
        Match {
            players,
            rules: args.rules.rules().unwrap(),
            book: args.openings.book(settings.pairs, None, false).unwrap(),
            files: Vec::new(),
            named: args.named(),
            own_moves_only: false,
            skip_faults: false,
            said_timeouts: args.said_timeouts().unwrap(),
            waiting: Arc::new(AtomicUsize::new(2 * settings.pairs)),
            bar: ProgressBar::hidden(),
            noticed: Mutex::default(),
            settings,
        }
    }

    /// A program that is there and is not started.
    fn any_program() -> PathBuf {
        std::env::current_exe().unwrap()
    }

    /// The number of threads is an option like others.
    #[test]
    fn a_game_takes_as_many_cpus_as_its_versions_may_have_threads() {
        for (engine, param, cpus) in [
            ("hash=1", "Threads=1,1,3,1", 3),
            ("hash=1", "Skill=4,1,12,3", 1),
            ("threads=2", "Skill=4,1,12,3", 2),
            // What is tuned is sent last.
            ("threads=1", "Threads=1,1,3,1", 3),
            ("threads=8", "Threads=1,1,3,1", 3),
            ("option.Threads=8", "threads=1,1,3,1", 3),
        ] {
            let args = args(&any_program(), &[engine, "--param", param]);
            assert_eq!(game(&args).cpus(), cpus, "{engine} {param}");
        }
    }

    /// Games are patient with an engine only where it is not said how long it may take.
    #[test]
    fn a_timeout_that_is_given_holds_in_games() {
        for (engine, start, ready) in [
            ("hash=1", 3600, 3600),
            ("starttimeout=3", 3, 3600),
            ("readytimeout=4", 3600, 4),
            ("readytimeout=7200", 3600, 7200),
        ] {
            let args = args(&any_program(), &[engine, "--param", "Skill=4,1,12,3"]);
            for player in game(&args).conditions([&[4], &[4]]).players {
                let timeouts = [player.engine.start_timeout, player.engine.ready_timeout];
                assert_eq!(timeouts, [start, ready].map(Duration::from_secs), "{engine}");
            }
        }
    }

    /// Without a clock the numbers of its use would walk at random, and so would those of a driver that does not play.
    #[test]
    fn what_does_nothing_in_the_games_is_tuned_only_if_it_is_named() {
        let tuned = |engine: &[&str], words: &[&str]| -> Vec<String> {
            let cmd = format!("cmd={}", any_program().display());
            let command = ["spsa", "--engine", &cmd];
            let args = Line::<Args>::try_parse_from([&command[..], engine, words].concat()).unwrap().args;
            let params = args.settings(&args.players().unwrap()[0]).unwrap().params;
            params.into_iter().map(|param| param.name).collect()
        };
        let all = Params::ALL.len();
        for (engine, expected) in [
            (&["tc=1+0.1"][..], [true, true, false]),
            (&["nodes=100"], [false, true, false]),
            (&["nodes=100", "option.driver=MTDF"], [false, false, true]),
            (&["tc=1+0.1", "option.Driver=mtdf"], [true, false, true]),
            (&["nodes=100", "option.Driver=pvs"], [false, true, false]),
        ] {
            let names = tuned(engine, &[]);
            let has = |name: &str| names.iter().any(|own| own == name);
            assert_eq!(["time_fall", "aspiration_width", "mtdf_stride"].map(has), expected, "{engine:?}");
            assert!(has("late_moves") && (all / 2..all).contains(&names.len()), "{engine:?}: {names:?}");
        }
        for name in ["time_fall", "mtdf_stride"] {
            assert_eq!(tuned(&["nodes=100"], &["--param", name]), [name]);
        }
    }

    /// So it is with those that are named, and with all where none is.
    #[test]
    fn numbers_without_a_start_begin_at_the_defaults_of_this_program() {
        let named = |words: &[&str]| args(&any_program(), words).named();
        assert_eq!(named(&[]).len(), Params::ALL.len());
        assert_eq!(named(&["--param", "Late_Moves", "--param", "Skill=4,1,12,3"]), ["late_moves"]);
        assert!(named(&["--param", "late_moves=3,0,12,1"]).is_empty());
    }

    /// Only where nothing is said of it is the protocol UCI.
    #[test]
    fn the_protocol_is_the_one_that_is_asked_for() {
        for (engine, protocol) in [
            ("hash=1", Some(Protocol::Uci)),
            ("proto=uci", Some(Protocol::Uci)),
            ("proto=xboard", Some(Protocol::Xboard)),
            ("proto=auto", None),
            ("protocol=auto", None),
        ] {
            let players = args(&any_program(), &[engine, "--param", "Skill=4,1,12,3"]).players().unwrap();
            assert_eq!(players.map(|player| player.engine.protocol), [protocol; 2], "{engine}");
        }
    }

    /// A journal is gone on with by the same description only.
    #[test]
    fn whatever_decides_the_games_makes_another_run() {
        let mut runs: Vec<(&str, Value)> = Vec::new();
        // The first of them decides nothing.
        for more in [
            "--json",
            "--maxmoves=40",
            "--maxmoves=41",
            "--draw=score=20",
            "--draw=movecount=9",
            "--resign=score=500",
            "--resign=movecount=4",
            "--batch=9",
            "--iterations=30",
            "--rate=0.02",
            "--seed=2",
            "--random",
            "--start=2",
            "--param=Hash=4,1,12,3",
        ] {
            let args = args(&any_program(), &["--param", "Skill=4,1,12,3", more]);
            let run = game(&args).description(args.batch, None).unwrap();
            let same = runs.iter().find(|(_, other)| *other == run).map(|(more, _)| *more);
            assert_eq!(same, None, "{more}");
            runs.push((more, run));
        }
    }

    /// What the journal knows took no time of this run.
    #[test]
    fn the_rest_of_a_run_is_told_by_what_it_has_played_itself() {
        let told = |seconds, done, first, all| pace(Duration::from_secs(seconds), done, first, all);
        assert_eq!(told(60, 30, 10, 90), "30/90 pairs, 3.00 s each, 3 minutes left");
        assert_eq!(told(40, 10, 0, 30), "10/30 pairs, 4.00 s each, 80 seconds left");
        assert_eq!(told(7, 0, 0, 2), "0/2 pairs, 7.00 s each, 14 seconds left");
    }

    #[test]
    fn both_games_of_a_pair_are_played_at_once_where_pairs_are_few() {
        for (threads, pairs, each) in [
            (1, 8, vec![1]),
            (8, 8, vec![1; 8]),
            (3, 2, vec![2, 1]),
            (4, 2, vec![2, 2]),
            (64, 2, vec![2, 2]),
            (5, 1, vec![2]),
            (4, 0, vec![]),
        ] {
            assert_eq!(shares(threads, pairs).collect::<Vec<_>>(), each, "{threads} games, {pairs} pairs");
        }
    }

    /// Where games of scripts begin: White mates by a1a8, and decides nothing by a1a2.
    #[cfg(unix)]
    const OPENINGS: [&str; 2] = ["6k1/5ppp/8/8/8/8/8/R5K1 w - -", "6k1/5ppp/8/8/8/8/8/R6K w - -"];

    /// Games between two versions of a script, of one move of each side: `go` is what a version does that is to move.
    #[cfg(unix)]
    fn scripted(folder: &Path, pairs: usize, go: &str) -> (Match, Vec<Trial>) {
        let script = format!(
            "cd '{}'\nvalue=0\nwhile read -r line; do case $line in\n\
             uci) echo option name Skill type spin default 4 min 1 max 12; echo uciok;;\n\
             isready) echo readyok;; *Skill*) value=${{line##* }};;\n\
             *' moves '*) move=g8f8;; position*) move=a1a2; begin=$line;;\n\
             go*) {go}; echo bestmove $move;; quit) exit 0;; esac; done\n",
            folder.display()
        );
        let (engine, book) = (folder.join("engine"), folder.join("mate.epd"));
        std::fs::write(&engine, script).unwrap();
        std::fs::write(&book, OPENINGS.join("\n")).unwrap();
        let (book, iterations) = (book.display().to_string(), pairs.to_string());
        let games = ["--param", "Skill=4,1,12,3", "--maxmoves", "1", "--openings", &book];
        // The shell reads it: to run it would fail while what another thread starts has it open for writing.
        let own = format!("arg={}", engine.display());
        let words = [&[own.as_str()][..], &games, &["--iterations", &iterations]].concat();
        let game = game(&args(Path::new("/bin/sh"), &words));
        let batch = Spsa::new(game.settings.clone(), &[]).batch(pairs);
        (game, batch)
    }

    /// A pair for each of the openings.
    #[cfg(unix)]
    #[test]
    fn both_games_of_a_pair_and_no_others_have_its_opening() {
        let folder = tempfile::tempdir().unwrap();
        let (game, batch) = scripted(folder.path(), 2, "[ $move != a1a2 ] || echo \"$begin\" >>begun");
        assert!(game.play_all(&batch, 1, &Stop::default()).unwrap().is_some());
        let begun = std::fs::read_to_string(folder.path().join("begun")).unwrap();
        let positions: Vec<&str> = begun.lines().collect();
        assert_eq!(positions.len(), 4, "{begun}");
        for (games, opening) in positions.chunks(2).zip(OPENINGS) {
            assert!(games.iter().all(|position| position.contains(opening)), "{opening}: {begun}");
        }
    }

    /// The engine's option goes from 1 to 12.
    #[cfg(unix)]
    #[test]
    fn both_bounds_are_tried_before_any_game() {
        let folder = tempfile::tempdir().unwrap();
        let (mut game, _) = scripted(folder.path(), 1, ":");
        for (param, says) in
            [("Skill=4,1,13,3", "13 is outside 1..12"), ("Skill=4,0,12,3", "0 is outside 1..12")]
        {
            game.settings.params = vec![param.parse().unwrap()];
            let refused = game.try_values().unwrap_err().to_string();
            assert!(refused.contains(says), "{param}: {refused}");
        }
    }

    /// An engine of the other protocol is asked for UCI once.
    #[cfg(unix)]
    #[test]
    fn a_protocol_that_was_found_out_holds_for_all_games() {
        let folder = tempfile::tempdir().unwrap();
        let (mut game, _) = scripted(folder.path(), 1, ":");
        let script = format!(
            "cd '{}'\nwhile read -r line; do case $line in\n\
             uci) echo asked >>asked; exit 0;; quit) exit 0;; ping*) echo \"pong ${{line#ping }}\";;\n\
             protover*) echo 'feature option=\"Skill -spin 4 1 12\" nps=1 ping=1 setboard=1 done=1';;\n\
             esac; done\n",
            folder.path().display()
        );
        std::fs::write(folder.path().join("engine"), script).unwrap();
        for player in &mut game.players {
            player.engine.protocol = None;
        }
        game.try_values().unwrap();
        let found = game.players.each_ref().map(|player| (player.engine.protocol, player.engine.greets));
        assert_eq!(found, [(Some(Protocol::Xboard), true); 2]);
        assert_eq!(std::fs::read_to_string(folder.path().join("asked")).unwrap().lines().count(), 1);
    }

    /// With lenient=on an engine plays without an option that it does not take: what is tuned is none of those.
    #[cfg(unix)]
    #[test]
    fn a_parameter_is_not_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (mut game, _) = scripted(folder.path(), 1, ":");
        for player in &mut game.players {
            player.engine.lenient = true;
            player.engine.options.push(("Other".into(), "1".into()));
        }
        assert!(game.try_values().is_ok(), "another option may be left out");
        for (param, says) in [
            ("Skull=4,1,12,3", "no option `Skull`"),
            ("Skill=4,1,13,3", "13 is outside 1..12"),
            ("skill=4,0,12,3", "0 is outside 1..12"),
        ] {
            game.settings.params = vec![param.parse().unwrap()];
            let refused = game.try_values().unwrap_err().to_string();
            assert!(refused.contains(says), "{param}: {refused}");
        }
    }

    /// Each White waits for the other one, so that games that are played one after the other come to no end.
    #[cfg(unix)]
    #[test]
    fn more_games_than_pairs_are_played_at_once() {
        const HANGING: Duration = Duration::from_secs(60);
        let folder = tempfile::tempdir().unwrap();
        let meeting = folder.path().join("meeting");
        assert!(std::process::Command::new("mkfifo").arg(meeting).status().unwrap().success());
        // The first that comes reads, the second writes.
        let meet = "if [ $move = a1a2 ]; then \
                    if mkdir first; then read -r line <meeting; else echo >meeting; fi; fi";
        let (game, batch) = scripted(folder.path(), 1, meet);
        let (done, over) = std::sync::mpsc::channel();
        let stop = Stop::default();
        let played = thread::scope(|scope| {
            let (game, batch, stop) = (&game, &batch, &stop);
            let playing = scope.spawn(move || {
                let played = game.play_all(batch, 2, stop);
                let _ = done.send(());
                played
            });
            if over.recv_timeout(HANGING).is_err() {
                while stop.request() {}
            }
            playing.join().unwrap()
        });
        let drawn = (vec![0.0], Mishaps::default());
        assert_eq!(played.unwrap(), Some(drawn), "each game waited for the other");
        assert_eq!(game.waiting.load(Ordering::SeqCst), 0);
    }

    /// A version with a value above 4 mates as White; otherwise games are drawn.
    #[cfg(unix)]
    #[test]
    fn results_do_not_depend_on_how_many_games_are_played_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mates = "if [ $value -gt 4 ] && [ $move = a1a2 ]; then move=a1a8; fi";
        let (game, batch) = scripted(folder.path(), 3, mates);
        let won = |values: &[i64]| f64::from(u8::from(values[0] > 4));
        let expected: Vec<f64> = batch.iter().map(|trial| won(&trial.plus) - won(&trial.minus)).collect();
        assert!(expected.iter().all(|difference| difference.abs() > 0.5), "{expected:?}");
        for threads in [1, 2, 4, 6, 9] {
            let played = game.play_all(&batch, threads, &Stop::default()).unwrap();
            let expected = (expected.clone(), Mishaps::default());
            assert_eq!(played, Some(expected), "{threads} games at once");
        }
    }
}
