//! `firstborn fastchess` and `firstborn cutechess`: other runners' command lines, played by ours.

mod help;
mod watch;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ::tournament::adjudicate::Manner;
use ::tournament::conversation::{Recording, Spoken};
use ::tournament::description::describe_plan;
use ::tournament::frontend::console::Console;
use ::tournament::frontend::{Affinity, Asked, ConfigRequest, Request, Surroundings, TableRequest, read};
use ::tournament::pgn::{Event, Style};
use ::tournament::runner::{Faults, Forfeits, Halt, Pace, Plan, RunEnd, Stop, run as run_plan};
use ::tournament::schedule::Schedule;
use ::tournament::schedule::plans::PLAN;
use ::tournament::spec::{Player, cutechess_engines};
use ::tournament::trial::{Greeting, TrialError};
use anyhow::{Context, anyhow, bail, ensure};
use clap::Parser;
use client::{OptionError, Stream};
use regex::Regex;
use serde_json::{Value, json};
use sys::affinity::CpuSet;
use sys::output::Place;

use super::cpus::Cpus;
use super::files::{Files, PgnFile, Wanted};
use super::house::{self, HouseOptions};
use super::logs::{Logs, Target};
use super::page::PageWriter;
use super::stages::{Stage, Stages};
use super::{identify, with_advice};
use crate::interrupt::INTERRUPTED;
use watch::{Saved, Watch, print};

/// The version of fastchess, and of cutechess-cli, whose command line this is.
const VERSIONS: [&str; 2] = ["fastchess alpha 1.8.2", "cutechess-cli 1.5.1"];

/// What a command line led to.
pub enum Led {
    /// It was obeyed, and this is the exit status.
    Done(ExitCode),
    /// Another command of ours is meant, with these words.
    To(Vec<String>),
}

/// Our own options behind another runner's command line.
#[derive(Parser, Debug)]
#[command(disable_help_flag = true, disable_version_flag = true, no_binary_name = true)]
struct Ours {
    #[command(flatten)]
    house: HouseOptions,
}

/// The runner that a program's name stands for, if it stands for one.
pub fn by_name(program: &Path) -> Option<Manner> {
    let name = program.file_stem()?.to_string_lossy().to_ascii_lowercase();
    match name {
        _ if name == "fastchess" || name.starts_with("fastchess-") => Some(Manner::Fastchess),
        _ if name == "cutechess-cli" || name.starts_with("cutechess-cli-") => Some(Manner::Cutechess),
        _ => None,
    }
}

/// Words that begin with two dashes and belong to the runner.
const THEIRS: [&str; 5] = ["--version", "--v", "--help", "--compliance", "--engines"];

/// Parts our own options from the runner's flags. An option goes on to the next word that begins with a dash.
fn part(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut theirs, mut ours, mut own) = (Vec::new(), Vec::new(), false);
    for word in words {
        if word.starts_with('-') {
            own = word.starts_with("--") && word.len() > 2 && !THEIRS.contains(&word.as_str());
        }
        if own { ours.push(word) } else { theirs.push(word) }
    }
    (theirs, ours)
}

/// Obeys a command line. `program`: how the command is called, for hints.
pub fn run(manner: Manner, program: &str, words: Vec<String>) -> anyhow::Result<Led> {
    // What follows a check of an engine is the engine's.
    let whole = words.first().is_some_and(|word| word == "--compliance");
    let (theirs, ours) = if whole { (words, Vec::new()) } else { part(words) };
    let house = match Ours::try_parse_from(&ours) {
        Ok(ours) => ours.house,
        Err(error) => bail!("{}", error.to_string().trim_end()),
    };
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // A match that goes on has the seed that it was begun with.
    let begun = house.begun().and_then(|begun| begun["seed"].as_u64());
    let chance = begun.unwrap_or(now.as_nanos() as u64);
    let here = Surroundings { cpus, chance, now_ms: now.as_millis() as u64 };
    let cutechess = usize::from(manner == Manner::Cutechess);
    let asked = match read(manner, &theirs, here) {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("{program}: {error}");
            return Ok(Led::Done(ExitCode::FAILURE));
        }
    };
    match asked {
        Asked::Play(request) => play(*request, &house, program, &ours).map(Led::Done),
        Asked::Version => {
            println!("{} (firstborn {})", VERSIONS[cutechess], env!("CARGO_PKG_VERSION"));
            Ok(Led::Done(ExitCode::SUCCESS))
        }
        Asked::Help => {
            println!("{}", help::text(manner, program, VERSIONS[cutechess]));
            Ok(Led::Done(ExitCode::SUCCESS))
        }
        Asked::Engines => list_engines().map(Led::Done),
        Asked::Columns => {
            println!("{}", help::columns());
            Ok(Led::Done(ExitCode::FAILURE))
        }
        Asked::Compliance(words) => {
            let command = shell_words::join(&words);
            Ok(Led::To(vec!["conformance".into(), "--proto".into(), "uci".into(), "--cmd".into(), command]))
        }
    }
}

/// The names in `engines.json`.
fn list_engines() -> anyhow::Result<ExitCode> {
    let Some(path) = cutechess_engines() else { bail!("there is no engines.json") };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let list: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    for engine in list.as_array().into_iter().flatten() {
        println!("{}", engine["name"].as_str().unwrap_or("?"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The CPUs that games may use. Both runners leave engines to the system unless they are told to bind them.
fn claim(request: &Request, house: &HouseOptions, schedule: &Schedule) -> anyhow::Result<Cpus> {
    let mut options = house.cpus.clone();
    if request.affinity == Affinity::Unbound {
        options = options.unbound();
    } else if let Affinity::Cpus(list) = &request.affinity {
        let cores: CpuSet = list.parse().map_err(|error| anyhow!("-use-affinity {list}: {error}"))?;
        let allowed = sys::topology::Topology::detect().allowed.value;
        let missing = cores.difference(&allowed);
        if missing.is_empty() {
            options = options.on(cores);
        } else if request.force_concurrency {
            options = options.unbound();
            eprintln!("firstborn: there is no CPU {missing} for -use-affinity here; engines are not bound");
        } else {
            bail!("-use-affinity {list}: this process may not use CPU {missing}, only {allowed}");
        }
    }
    let fastchess = request.manner == Manner::Fastchess;
    if fastchess && request.force_concurrency {
        options = options.shared();
    }
    options.claim_for(request.concurrency, &request.players, schedule, request.force_concurrency)
}

/// Everything but the programs.
fn plan(request: &Request, house: &HouseOptions) -> anyhow::Result<(Plan, Cpus)> {
    let mut book = request.open_book(house.skip_bad)?;
    let schedule = request.schedule(&book);
    book.check(schedule.openings())?;
    house::tell_skipped(&book, "opening");
    let cpus = claim(request, house, &schedule)?;
    let patterns = request.pgn.iter().flat_map(|pgn| &pgn.patterns);
    let patterns = patterns.map(|text| Regex::new(text)).collect::<Result<Vec<_>, _>>()?;
    let log_all = house.log.is_some() || request.log.as_ref().is_some_and(|log| log.engines);
    let plan = Plan {
        conditions: request.conditions().map_err(|why| anyhow!(why))?,
        schedule,
        book,
        cores: cpus.list.clone(),
        bind: cpus.bind,
        stop_rule: request.stop_rule,
        counting: request.counting(),
        faults: Faults::default(),
        engines: 0,
        pace: Pace { most: Some(request.concurrency), wait: request.wait },
        recording: Recording {
            all: log_all,
            live: request.debug.then(|| Arc::new(overhear()) as _),
            patterns,
        },
    };
    Ok((plan, cpus))
}

/// Prints every line of every conversation, as cutechess-cli's -debug does: milliseconds, direction, engine,
/// line.
fn overhear() -> impl Fn(&str, usize, &Spoken) + Send + Sync {
    let begun = Instant::now();
    move |player, process, line| {
        let mark = if line.stream == Stream::Sent { '>' } else { '<' };
        let ms = line.at.saturating_duration_since(begun).as_millis();
        print(&format!("{ms} {mark}{player}({process}): {}", line.text));
    }
}

/// The files it reads and writes. `saved`: where the settings are kept, if they are.
fn wanted(request: &Request, house: &HouseOptions, saved: Option<&Place>) -> Wanted {
    let log = request.log.iter().map(|log| log.path.clone());
    let settings = saved.map(|place| place.path().to_owned());
    Wanted {
        inputs: request.book.iter().map(|book| book.path.clone()).collect(),
        pgn: request.pgn.as_ref().map(|pgn| PgnFile {
            path: pgn.path.clone(),
            append: pgn.append,
            in_order: pgn.in_order,
            checksum: pgn.checksum,
        }),
        epd: request.epd.as_ref().map(|epd| (epd.path.clone(), epd.append)),
        others: log.chain(settings).collect(),
        ..house.wanted()
    }
}

/// What makes it this tournament and no other, for our own journal.
fn description(request: &Request, plan: &Plan, begun: Option<&Value>) -> anyhow::Result<Value> {
    let mut description = describe_plan(plan, begun)?;
    description["runner"] = json!(format!("{:?}", request.manner));
    description["games"] = json!(format!("{:?}", request.games));
    description["seed"] = json!(request.seed);
    description[PLAN] = json!(request.plan(&plan.book));
    describe_tables(&mut description, request.tables.as_ref());
    Ok(description)
}

/// Says which tables end games, and how; null where there are none.
fn describe_tables(description: &mut Value, tables: Option<&TableRequest>) {
    description["tb"] = json!(tables.map(|tables| &tables.path));
    description["tbpieces"] = json!(tables.and_then(|tables| tables.pieces));
    description["tbignore50"] = json!(tables.map(|tables| tables.ignore_fifty));
    description["tbresults"] = json!(tables.map(|tables| tables.results));
}

/// What becomes of games that are lost by a fault of a program: what our own option says, or else the
/// runner's.
fn forfeits(request: &Request, house: &HouseOptions) -> Forfeits {
    house.forfeits.unwrap_or(if request.recover { Forfeits::Count } else { Forfeits::StopAtCrash })
}

/// How the match goes on if it is interrupted. `ours`: the words of our own options.
fn resume(request: &Request, house: &HouseOptions, program: &str, ours: &[String]) -> Option<String> {
    // A file of settings counts games without their moves, so that no page can be made of them.
    let mut left_out = false;
    let goes_on = |word: &&String| {
        if word.starts_with("--") {
            left_out = *word == "--report" || word.starts_with("--report=");
        }
        !left_out
    };
    let own: Vec<String> = ours.iter().filter(goes_on).cloned().collect();
    request.resume(program, &own, house.journal.as_deref())
}

/// Says which players are told apart by a number behind their name, which the runner does not write.
fn tell_numbered(request: &Request, names: &[String], own: &[Option<String>]) {
    let same = |index: usize| {
        let wanted = request.names[index].as_ref().or(own.get(index).and_then(Option::as_ref));
        wanted.is_some_and(|wanted| *wanted != names[index]).then_some(index)
    };
    for index in (0..names.len()).filter_map(same) {
        let number = index + 1;
        eprintln!("Warning: player {number} has the name of another and is called {}", names[index]);
    }
}

fn play(
    mut request: Request,
    house: &HouseOptions,
    program: &str,
    ours: &[String],
) -> anyhow::Result<ExitCode> {
    let logs_twice = request.log.is_some() && house.log.is_some();
    ensure!(!logs_twice, "-log and --log are two places for the same log: leave one of them out");
    let counted = request.played().len();
    ensure!(
        counted == 0 || house.report.is_none() || house.journal.is_some(),
        "the file of settings counts {counted} games without their moves, which the page would lack: leave \
         --report away, or begin anew with `-config file=FILE stats=false`"
    );
    if house.journal.is_some() {
        ensure!(
            counted == 0 || house.begun().is_some(),
            "the file of settings counts {counted} games, which the new journal would not have: leave --journal \
             away, or begin anew with `-config file=FILE stats=false`"
        );
        request.forget_played();
    }
    request.warnings.iter().for_each(|warning| print(warning));
    request.notes.iter().for_each(|note| eprintln!("firstborn: {note}"));
    let (mut plan, _cpus) = plan(&request, house)?;
    let saved = request.config.as_ref().map(settings_place).transpose()?.flatten();
    let (wanted, journal) = (wanted(&request, house, saved.as_ref()), house.journal.is_some());
    let described = journal || house.report.is_some();
    let begun = house.begun();
    let description = if described { description(&request, &plan, begun.as_ref())? } else { Value::Null };
    let mut event = Event {
        name: request.event.clone(),
        site: request.site.clone(),
        players: request.shown_names(&[]),
        limits: request.limits.iter().map(|(pgn, _)| pgn.clone()).collect(),
        style: request
            .pgn
            .as_ref()
            .map_or_else(|| Style { manner: request.manner, ..Style::default() }, |pgn| pgn.style.clone()),
        ..Event::default()
    };
    let stop = Stop::default();
    let (stages, interrupted) = watch_for_interrupt(&stop)?;
    let opened = Files::open(&wanted, &plan, &description, &event, &stop);
    stages.reach(Stage::Programs);
    if stop.requested() {
        eprintln!("firstborn: stopped before the first game");
        let own = status(request.manner, &RunEnd::Stopped, true);
        return Ok(if house.forfeits.is_some() { ExitCode::from(INTERRUPTED) } else { own });
    }
    let (mut files, mut finished) = opened?;
    let (engines, greetings) = match identify(&mut plan) {
        Ok(found) => found,
        Err(error) => return not_started(&request, &plan, &error),
    };
    stages.reach(Stage::Games);
    let own: Vec<Option<String>> = greetings.iter().map(|greeting| greeting.name.clone()).collect();
    // With a journal the names must be the same before the engines are started.
    let own = if journal { &[] } else { &own[..] };
    event.players = request.shown_names(own);
    tell_numbered(&request, &event.players, own);
    files.rename(&event.players);
    let forfeits = forfeits(&request, house);
    let (doubts, provenance) =
        house.begin(&mut plan, &mut files, (&engines, &greetings), forfeits, finished.len())?;
    let resume = resume(&request, house, program, ours).filter(|_| journal || saved.is_some());
    let mut console = Console::new(request.shown(&plan.schedule, &event.players, &greetings, resume));
    if !journal {
        finished = request.played();
    }
    if request
        .book
        .as_ref()
        .is_some_and(|book| book.reading.order != ::tournament::openings::Order::Sequential)
    {
        print("Indexing opening suite...");
    }
    count(&mut console, &plan, &finished);
    if let Some(log) = &mut request.log {
        // A match that goes on keeps its log.
        log.append |= !finished.is_empty();
    }
    let logs = logs(&request, house, &event.players, &plan.conditions.players)?;
    let config = request.config.clone().zip(saved);
    let config = config.map(|(config, place)| Saved::new(config, place, &finished, request.terminal.pairs));
    let tournament = files.tournament(description, &engines, &provenance);
    let page = PageWriter::new(files.report().cloned(), None, event.name.clone(), tournament).noting(doubts);
    let mut watch = Watch::new(files, console, (logs, page), &plan, &finished)?;
    watch.saves(config);
    watch.strict(request.strict.then(|| stop.clone()));
    watch.needs_reader((!journal).then(|| stop.clone()));
    watch.checks_pvs(request.check_mate_pvs);
    tell_left_out(&mut watch, &request, &greetings, &event.players);
    let begun = Instant::now();
    let (end, standings) = run_plan(&mut plan, &finished, &mut watch, &stop).map_err(with_advice)?;
    let wall = begun.elapsed();
    let written = watch.finish(&end, &standings, wall);
    watch.write_page(&standings, &end, &provenance);
    if let RunEnd::Halted(halt) = &end {
        eprintln!("firstborn: stopped before the end: {halt}");
    }
    written?;
    if watch::lost_output() || !journal && watch::lost_reader() || watch.warned() && request.strict {
        return Ok(ExitCode::FAILURE);
    }
    if house.forfeits.is_some() {
        return Ok(super::end::status(&end, &standings, forfeits));
    }
    Ok(status(request.manner, &end, interrupted.load(Ordering::Relaxed)))
}

fn count(console: &mut Console, plan: &Plan, finished: &[::tournament::record::GameRecord]) {
    let mut standings = plan.standings();
    for game in finished {
        standings.add(game);
        let llr = plan.stop_rule.map_or(0.0, |rule| standings.llr(&rule.sprt, rule.by_pairs));
        console.count(game, llr);
    }
}

/// The runner's exit status.
fn status(manner: Manner, end: &RunEnd, interrupted: bool) -> ExitCode {
    let good = match (manner, end) {
        (_, RunEnd::Complete | RunEnd::Decided(_))
        | (Manner::Cutechess, RunEnd::Stopped | RunEnd::Halted(Halt::Crash(_) | Halt::CannotStart { .. })) => {
            true
        }
        (Manner::Cutechess, RunEnd::Halted(_)) => interrupted,
        _ => false,
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// An engine does not start. cutechess-cli then gives the results of no games, and a good exit status.
fn not_started(request: &Request, plan: &Plan, error: &anyhow::Error) -> anyhow::Result<ExitCode> {
    let trial = error.downcast_ref::<TrialError>();
    let (player, why) = match trial {
        Some(TrialError { player, why, .. }) => (player.as_str(), why.as_str()),
        None => bail!("{error:#}"),
    };
    if request.manner == Manner::Fastchess {
        println!("Fatal; {player} engine startup failure: \"{why}\"");
        println!("Tournament was interrupted.\nFinished match");
        return Ok(ExitCode::FAILURE);
    }
    let mut console = Console::new(request.shown(&plan.schedule, &request.shown_names(&[]), &[], None));
    let end = console.ended(&RunEnd::Stopped, std::time::Duration::ZERO);
    let (results, last) = end.split_once("Finished match").unwrap_or((&end, ""));
    println!("{}", results.trim_end_matches('\n'));
    eprintln!("Warning: Cannot start engine {player}:\n{why}");
    println!("Finished match{}", last.trim_end_matches('\n'));
    Ok(ExitCode::SUCCESS)
}

/// Warns of options that an engine does not have, and of values that it does not take.
fn tell_left_out(watch: &mut Watch, request: &Request, greetings: &[Greeting], names: &[String]) {
    for ((player, greeting), name) in request.players.iter().zip(greetings).zip(names) {
        for why in &greeting.left_out {
            let text = match request.manner {
                Manner::Cutechess => format!("{name}: {why}"),
                Manner::Fastchess | Manner::House => {
                    left_out_in_fastchess_words(name, &player.engine.options, why)
                }
            };
            watch.warn(&text);
        }
    }
}

/// Why an option of these was left out.
fn left_out_in_fastchess_words(name: &str, options: &[(String, String)], why: &OptionError) -> String {
    let given = |option: &str| options.iter().find(|(given, _)| given.eq_ignore_ascii_case(option));
    let told = match why {
        OptionError::Unknown { name: option, .. } => Some(format!("{name} doesn't have option {option}")),
        OptionError::Value { name: option, .. } => {
            given(option).map(|(option, value)| format!("Invalid value for option {option}; {value}"))
        }
        OptionError::Resources(_) => None,
    };
    told.unwrap_or_else(|| format!("{name}: {why}"))
}

/// Where conversations are written: what no line asks for never beside its own files, among which others may clean up.
fn logs(
    request: &Request,
    house: &HouseOptions,
    names: &[String],
    players: &[Player],
) -> anyhow::Result<Logs> {
    // Without the PGN.
    let wanted = house.wanted();
    if let Some(log) = &request.log {
        let place = Place::find(&log.path)?;
        if !log.append {
            place.write("")?;
        }
        let (file, forfeits) = (place.additions(0)?, house::unasked(&wanted));
        let target = Target::File { path: log.path.clone(), file, forfeits };
        return Ok(Logs::new(target, log.compress, names.to_vec(), players));
    }
    house.logs(&wanted, names, players)
}

/// The first Ctrl-C ends the run at once, as in both runners. True once there was one.
fn watch_for_interrupt(stop: &Stop) -> anyhow::Result<(Stages, Arc<AtomicBool>)> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let (asked, flag) = (stop.clone(), Arc::clone(&interrupted));
    let stages = Stages::watch(stop, move || {
        flag.store(true, Ordering::Relaxed);
        asked.request();
        asked.request();
    })?;
    Ok((stages, interrupted))
}

/// A place for fastchess's file of settings; `None` if another file lies there that is none, or if it cannot
/// be written and was not asked for.
///
/// # Errors
/// The file that was asked for cannot be written.
fn settings_place(config: &ConfigRequest) -> anyhow::Result<Option<Place>> {
    let path = &config.path;
    let found = Place::find(path).and_then(|place| Ok((place.content()?, place)));
    let (content, place) = match found {
        Ok(found) => found,
        Err(error) if config.named => return Err(error.into()),
        Err(error) => {
            eprintln!("firstborn: the settings of this match are not kept: {error}");
            return Ok(None);
        }
    };
    let ours = content.is_empty() || serde_json::from_slice(&content).is_ok_and(|value| are_settings(&value));
    if !ours {
        eprintln!(
            "firstborn: {} holds something else than settings of a match and is left alone (-config outname=FILE names another)",
            path.display()
        );
    }
    Ok(ours.then_some(place))
}

/// Whether this is a file of settings, by what all versions of fastchess write. A file of players has engines as well.
fn are_settings(value: &Value) -> bool {
    let numbers = ["rounds", "games", "concurrency"];
    value["engines"].is_array()
        && value["opening"].is_object()
        && numbers.iter().all(|&key| value[key].is_number())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tournament::journal::{Journal, JournalError};
    use ::tournament::record::GameRecord;
    use ::tournament::schedule::Next;

    /// A journal that says what tables ended its games, or that none did, goes on with the same; one of an
    /// older version does not say it.
    #[test]
    fn other_tables_are_another_tournament() {
        let tables = |pieces, ignore_fifty, results| {
            Some(TableRequest { path: "tables".to_owned(), pieces, ignore_fifty, results })
        };
        let all = [
            None,
            tables(None, false, [true; 2]),
            tables(Some(5), false, [true; 2]),
            tables(None, true, [true; 2]),
            tables(None, false, [true, false]),
        ];
        let described = |tables: &Option<TableRequest>| {
            let mut description = json!({ "players": [] });
            describe_tables(&mut description, tables.as_ref());
            description
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let open = |description: &Value| Journal::open::<GameRecord>(&path, description);
        for before in &all {
            open(&described(before)).unwrap().0.identify(&[], false).unwrap();
            for now in &all {
                let opened = open(&described(now)).map(|_| ());
                match opened {
                    Ok(()) => assert_eq!(before, now),
                    Err(JournalError::Different { setting, .. }) => {
                        assert!(before != now && setting.starts_with("tb"), "{before:?} {now:?}: {setting}");
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            std::fs::remove_file(&path).unwrap();
        }
        open(&json!({ "players": [] })).unwrap().0.identify(&[], false).unwrap();
        assert!(all.iter().all(|now| open(&described(now)).is_ok()));
        assert!(open(&json!({ "players": [], PLAN: {} })).is_ok(), "nor has it a plan");
        assert!(open(&json!({ "players": [], "single": false })).is_ok(), "nor whether it is one of pairs");
    }

    pub(super) fn request(manner: Manner, words: &str) -> Request {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        match read(manner, &words, Surroundings { cpus: 1, chance: 1, now_ms: 0 }) {
            Ok(Asked::Play(request)) => *request,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// Our own options of these words, which agree on CPUs with no program outside this folder.
    fn house_in(folder: &Path, words: &[&str]) -> HouseOptions {
        let mut house = Ours::try_parse_from(words).unwrap().house;
        house.cpus.folder = Some(folder.join("locks"));
        house
    }

    /// A journal says of another runner's plan what the same games can be made of.
    #[test]
    fn a_journal_has_the_plan() {
        let folder = tempfile::tempdir().unwrap();
        let house = house_in(folder.path(), &[]);
        let engines = "-engine cmd=/bin/sh name=A -engine cmd=/bin/sh name=B -engine cmd=/bin/sh name=C";
        for (manner, words) in [
            (Manner::Fastchess, "-each nodes=1 -rounds 3 -repeat"),
            (Manner::Fastchess, "-each nodes=1 -rounds 3 -games 1 -tournament gauntlet -reverse"),
            (Manner::Cutechess, "-each proto=uci tc=inf nodes=1 -rounds 2 -games 3 -tournament gauntlet"),
            (Manner::Cutechess, "-each proto=uci tc=inf nodes=1 -games 2 -repeat -tournament knockout"),
        ] {
            let request = request(manner, &format!("{engines} {words}"));
            let (plan, _cpus) = plan(&request, &house).unwrap();
            let written = description(&request, &plan, None).unwrap().to_string();
            let read = Schedule::described(&serde_json::from_str(&written).unwrap(), None);
            let games = |mut schedule: Schedule| -> Vec<Next> {
                let next = || Some(schedule.next(&|_| Some(1.0))).filter(|next| *next != Next::Done);
                std::iter::from_fn(next).collect()
            };
            let games = [games(read.unwrap()), games(plan.schedule)];
            assert!(games[0].len() >= 4 && games[0] == games[1], "{words}: {games:?}");
        }
    }

    /// Engines are bound where the line or our own option says so, and nowhere else: several containers see the same
    /// CPUs, and would all take the first of them. No machine has a CPU 8191.
    #[test]
    fn engines_are_bound_where_the_line_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let binds = sys::affinity::current().is_ok();
        let first = sys::topology::Topology::detect().allowed.value.lowest().unwrap();
        let engines = "-engine cmd=/bin/sh name=A -engine cmd=/bin/sh name=B -each";
        let (fast, cute) = (format!("{engines} nodes=1"), format!("{engines} proto=uci tc=inf nodes=1"));
        for (manner, words, named, bound) in [
            (Manner::Fastchess, fast.clone(), false, false),
            (Manner::Fastchess, format!("{fast} -use-affinity"), false, binds),
            (Manner::Fastchess, format!("{fast} -use-affinity {first}"), false, binds),
            (Manner::Fastchess, format!("{fast} -use-affinity 8191 -force-concurrency"), false, false),
            (Manner::Fastchess, fast, true, binds),
            (Manner::Cutechess, cute.clone(), false, false),
            (Manner::Cutechess, cute, true, binds),
        ] {
            let cores = first.to_string();
            let ours = if named { vec!["--cores", cores.as_str()] } else { Vec::new() };
            let house = house_in(folder.path(), &ours);
            let (plan, _cpus) = plan(&request(manner, &words), &house).unwrap();
            assert_eq!(plan.bind, bound, "{words}, {named}");
        }
    }

    /// A journal goes on if what it says is word for word what the command line says: these words are in the journals
    /// that there are.
    #[test]
    fn a_journal_has_the_words_that_journals_have() {
        let test = json!({"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.1, "model": "logistic"});
        let of_fastchess = json!({
            "runner": "Fastchess", "single": false, "chess960": false, "maxmoves": 200,
            "games": "Fastchess(FastchessPlan { players: 2, seeds: 1, rounds: 3, games: 2, no_swap: false, \
                      reverse: true, book: 1 })",
            "draw": "DrawRule { move_number: 34, moves: 8, score: 20 }",
            "resign": "ResignRule { moves: 3, score: 600, two_sided: true }",
            "sprt": {"test": test, "pairs": true},
        });
        let of_cutechess = json!({
            "runner": "Cutechess", "chess960": false, "maxmoves": null,
            "games": "Cutechess(CutechessPlan { format: Gauntlet(1), players: 2, rounds: 3, games: 1, repeat: 1, \
                      policy: Default, no_swap: false, reverse: false })",
            "draw": null, "resign": null, "sprt": null,
        });
        let fastchess = "nodes=1 -rounds 3 -repeat -reverse -draw movenumber=34 movecount=8 score=20 -maxmoves 200 \
                         -resign movecount=3 score=600 twosided=true -sprt elo0=0 elo1=5 alpha=0.05 beta=0.1 \
                         model=logistic";
        let cutechess = "proto=uci tc=inf nodes=1 -rounds 3 -tournament gauntlet -seeds 1";
        let folder = tempfile::tempdir().unwrap();
        let house = house_in(folder.path(), &[]);
        for (manner, words, known) in
            [(Manner::Fastchess, fastchess, of_fastchess), (Manner::Cutechess, cutechess, of_cutechess)]
        {
            let engines = "-engine cmd=/bin/sh name=A -engine cmd=/bin/sh name=B -each";
            let request = request(manner, &format!("{engines} {words}"));
            let (plan, _cpus) = plan(&request, &house).unwrap();
            let written = description(&request, &plan, None).unwrap();
            for (key, text) in known.as_object().unwrap() {
                assert_eq!(&written[key], text, "{manner:?}: {key}");
            }
        }
    }

    /// A page cannot go on without the moves of what was played; the other options of ours hold again. What is kept of
    /// more than two players is not read again.
    #[test]
    fn a_match_goes_on_with_what_can_go_on() {
        let ours = ["--report", "a.html", "--forfeits", "2", "--report=b"].map(str::to_owned);
        let engine = "-engine cmd=/bin/sh name";
        for (players, expected) in [
            ("AB", "To resume the tournament, run: fc -config file=config.json --forfeits 2"),
            (
                "ABC",
                "The same command begins anew: the results of more than two engines are not taken up again \
                 (--journal keeps their games)",
            ),
        ] {
            let engines: Vec<String> = players.chars().map(|name| format!("{engine}={name}")).collect();
            let request = request(Manner::Fastchess, &format!("{} -each nodes=1", engines.join(" ")));
            let told = |house: &HouseOptions| resume(&request, house, "fc", &ours).unwrap();
            assert_eq!(told(&HouseOptions::default()), expected);
            let journal = HouseOptions { journal: Some("j".into()), ..HouseOptions::default() };
            let again = "To resume the tournament, run the same command again: its games are in j";
            assert_eq!(told(&journal), again);
        }
    }

    /// A file of players of ours is no file of settings; fastchess's own and ours are.
    #[test]
    fn files_of_players_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        let mut config = request(Manner::Fastchess, "-engine cmd=/bin/sh -engine cmd=/bin/sh -each nodes=1")
            .config
            .unwrap();
        config.path.clone_from(&path);
        let is_taken = |text: &str| {
            std::fs::write(&path, text).unwrap();
            settings_place(&config).unwrap().is_some()
        };
        assert!(!is_taken(r#"{"engines": [{"name": "A", "cmd": "a"}], "each": {"tc": "1"}}"#));
        assert!(!is_taken(r#"[{"name": "A"}]"#) && !is_taken("no JSON") && is_taken(""));
        assert!(is_taken(include_str!("../../../tournament/tests/data/runners/config.json")));
        assert!(is_taken(&config.text(&::tournament::frontend::Results::new(false))));
    }

    /// The file that every match has keeps no match from its games where it cannot be written; one that was
    /// asked for does.
    #[test]
    fn settings_that_cannot_be_kept_stop_no_match() {
        let folder = tempfile::tempdir().unwrap();
        let engines = "-engine cmd=/bin/sh -engine cmd=/bin/sh -each nodes=1";
        for (words, named) in
            [("", false), (" -config outname=config.json", true), (" -config outname=a.json", true)]
        {
            let mut config = request(Manner::Fastchess, &format!("{engines}{words}")).config.unwrap();
            assert_eq!(config.named, named, "{words}");
            // No user can write there, not even root.
            config.path = folder.path().join("missing").join(&config.path);
            let place = settings_place(&config);
            assert_eq!(
                (place.is_err(), place.is_ok_and(|place| place.is_none())),
                (named, !named),
                "{words}"
            );
        }
    }

    /// Two players whose engines have one name are two players in a file of games.
    #[test]
    fn players_of_one_name_are_numbered() {
        let each = "-each proto=uci tc=inf nodes=1";
        let of = |words: &str| request(Manner::Cutechess, &format!("{words} {each}"));
        let own = [Some("E 1".to_owned()), Some("E 1".to_owned())];
        let nameless = of("-engine cmd=/bin/sh -engine cmd=/bin/sh");
        assert_eq!(nameless.shown_names(&own), ["E 1", "E 1_2"]);
        assert_eq!(nameless.shown_names(&[]), ["sh", "sh_2"]);
        let named = of("-engine cmd=/bin/sh name=X -engine cmd=/bin/sh name=X");
        assert_eq!(named.shown_names(&own), ["X", "X_2"]);
        let apart = of("-engine cmd=/bin/sh name=X -engine cmd=/bin/sh");
        assert_eq!(apart.shown_names(&own), ["X", "E 1"]);
    }

    #[test]
    fn our_options_are_parted_from_theirs() {
        let words = "-engine cmd=a --forfeits 2 -rounds 5 --version --cores 0-1 --same-engine -sprt elo0=-5"
            .split(' ');
        let (theirs, ours) = part(words.map(str::to_owned).collect());
        assert_eq!(theirs.join(" "), "-engine cmd=a -rounds 5 --version -sprt elo0=-5");
        assert_eq!(ours.join(" "), "--forfeits 2 --cores 0-1 --same-engine");
    }

    #[test]
    fn programs_are_known_by_name() {
        for (name, manner) in [
            ("/usr/bin/fastchess", Some(Manner::Fastchess)),
            ("fastchess-ob", Some(Manner::Fastchess)),
            ("./cutechess-cli", Some(Manner::Cutechess)),
            ("fastchess.exe", Some(Manner::Fastchess)),
            ("firstborn", None),
            ("cutechess", None),
            ("fastchessx", None),
        ] {
            assert_eq!(by_name(Path::new(name)), manner, "{name}");
        }
    }
}
