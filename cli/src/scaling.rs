//! `firstborn scaling`: what the schemes gain from more threads.

mod files;
mod machines;
pub(crate) mod progress;

use crate::folder::Folder;
use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::options::{Evaluation, mebibytes};
use crate::provenance::{evaluated_by, quoted};
use crate::ranks::{Helper, helpers};
use crate::share::{Maker, as_made};
use ::bench::scaling::clock::{ClockError, Real, Virtual};
use ::bench::scaling::compare::{Compared, Comparison, Difference, check, compare};
use ::bench::scaling::pilot::{self, pilot};
use ::bench::scaling::plan::{ALONE, ClockKind, Goal, Plan, Team};
use ::bench::scaling::positions::{self, Entry};
use ::bench::scaling::report;
use ::bench::scaling::report::trace::trace;
use ::bench::scaling::result::{Searched, Setting, Study};
use ::bench::scaling::sample::Sample;
use ::bench::scaling::study::{self, Unfinished, Watch, one_by_one, perform, warm_up};
use ::bench::signature;
use anyhow::{Context, anyhow, bail, ensure};
use clap::builder::RangedU64ValueParser;
use figures::Strip;
use files::DEPTHS;
use progress::Progress;
use smp::schemes::Scheme;
use smp::simulation::costs::Costs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use sys::memory::Memory;
use sys::output::OutputError;
use sys::provenance::Provenance;
use sys::topology::Topology;

/// Measure how the schemes scale with threads, on real cores or by the virtual clock
///
/// Every scheme searches every position with every number of threads, each time from a cleared table. One thread
/// alone (`serial`) is always measured too and is the baseline. The report gives speed-up with its 95 % interval,
/// node rate, search overhead and load, and how they make up the speed-up. See docs/scaling.md.
#[derive(clap::Args)]
pub struct Args {
    /// Schemes, separated by commas [default: all but serial]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    schemes: Vec<Scheme>,
    /// Numbers of threads, separated by commas [default: powers of two up to the processors (two for a core
    /// with two threads), or virtual up to 16]
    #[arg(
        long, value_name = "N,M", value_delimiter = ',',
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: Vec<u16>,
    /// real: wall clock, one search at a time; virtual: simulated, with at most 1024 threads, deterministic
    #[arg(long, value_name = "real|virtual", default_value_t = ClockKind::Real)]
    clock: ClockKind,
    /// Sets (bratko-kopec, self-play, study48 for both) or EPD files, joined by +
    #[arg(long, value_name = "SET|FILE.epd", default_value = "bratko-kopec")]
    positions: String,
    /// Only the first N positions
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    limit: Option<usize>,
    /// Search to this depth, in plies [default: what the positions' acd says, else 12]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=245), group = "goal")]
    depth: Option<u32>,
    /// Search each position to the depth (acd) given in this EPD file, as --pilot writes it; skip the others
    #[arg(long, value_name = "FILE.epd", group = "goal")]
    depths: Option<String>,
    /// Search for this many milliseconds, and compare the times to the deepest iteration that both finished
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..), group = "goal")]
    movetime: Option<u64>,
    /// Repeat every measurement R times; by the virtual clock each time with another jitter
    #[arg(
        long, value_name = "R", default_value_t = 1,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000)
    )]
    repeats: usize,
    /// Size of the transposition table of each machine, in MiB; large enough for its largest team [default:
    /// 256, or 64 with several --machines]
    #[arg(long, value_name = "MIB", value_parser = mebibytes())]
    hash: Option<usize>,
    /// Seed of the bootstrap and of the virtual clock's jitter
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Costs of the virtual clock, in nanoseconds; costs not named keep their defaults (docs/scaling.md)
    #[arg(long, value_name = "NAME=NS,..", default_value_t)]
    pub costs: Costs,
    #[command(flatten)]
    evaluation: Evaluation,
    /// By the virtual clock: measure everything again without cache lines (line=0), and compare; with --out
    /// also write without-lines.json
    #[arg(long, conflicts_with_all = ["against", "from", "pilot"])]
    without_lines: bool,
    /// Keep idle cores busy, so that turbo boost does not favour the one-thread baseline
    #[arg(long)]
    load: bool,
    /// Only find the depth that one thread reaches in about SECONDS at each position, and write it as EPD;
    /// positions solved at once are skipped
    #[arg(
        long, value_name = "SECONDS", allow_negative_numbers = true,
        conflicts_with_all = [
            "goal", "from", "against", "trace", "json", "schemes", "threads", "repeats", "seed", "costs",
            "no_signature", "machines", "latency", "bandwidth", "message_cost", "no_exchange",
        ]
    )]
    pilot: Option<f64>,
    /// Draw what each thread searched at this position, for each scheme with its most threads, on one machine
    /// (virtual clock)
    #[arg(long, value_name = "POSITION", requires = "out", conflicts_with = "from")]
    trace: Option<String>,
    /// Compare with an earlier result
    #[arg(long, value_name = "FILE.json")]
    against: Option<PathBuf>,
    /// Only report on an earlier result, which has its own settings
    #[arg(
        long, value_name = "FILE.json",
        conflicts_with_all = [
            "goal", "schemes", "threads", "clock", "positions", "limit", "repeats", "hash", "seed", "costs", "eval",
            "eval_file", "load", "no_signature", "machines", "latency", "bandwidth", "message_cost", "no_exchange",
        ]
    )]
    from: Option<PathBuf>,
    /// Write scaling.json, scaling.csv, samples.csv, scaling.html and the pictures (with --pilot, depths.epd)
    /// here; of a study that is stopped, beside an earlier one, stopped-scaling.json (stopped-depths.epd)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Leave the signature of `firstborn bench` out of the report (it takes some seconds to compute)
    #[arg(long)]
    no_signature: bool,
    /// Print one JSON document instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machines: machines::Machines,
}

/// Sizes of the table when nothing says one: on one machine, and on each of several.
const HASH: [usize; 2] = [256, 64];

/// Depth when nothing says one.
const DEPTH: u32 = 12;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let against = args.against.as_deref().map(Study::read).transpose()?;
    let folder = args.out.as_deref().map(|path| files::folder(path, args)).transpose()?;
    if let Some(path) = &args.from {
        let study = Study::read(path)?;
        return finish(args, &study, against.as_ref(), folder, Vec::new());
    }
    ensure!(
        !(args.load && args.clock == ClockKind::Virtual),
        "--load keeps real cores busy; --clock virtual uses none"
    );
    ensure!(
        args.costs == Costs::default() || args.clock == ClockKind::Virtual,
        "--costs are those of --clock virtual; on real cores things cost what they cost"
    );
    let stop = stop_flag()?;
    if let Some(seconds) = args.pilot {
        return run_pilot(args, seconds, folder, &stop);
    }
    conduct(args, &args.plan()?, against, folder, &stop)
}

/// Measures what is planned, and writes and prints the result.
fn conduct(
    args: &Args,
    plan: &Plan,
    against: Option<Study>,
    folder: Option<Folder>,
    stop: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    check_comparison(args, plan, against.as_ref())?;
    let traced = args.traced(plan)?;
    let setting = args.setting(plan)?;
    let (samples, mut failed) = kept(measure(plan, args, args.costs, stop));
    if samples.is_empty()
        && let Some(error) = failed
    {
        return Err(error);
    }
    let mut without_lines = None;
    if args.without_lines {
        let costs = args.costs_without_lines();
        let setting = Setting { costs: Some(costs.to_string()), ..setting.clone() };
        let (samples, error) = kept(measure(plan, args, costs, stop));
        without_lines = Some(Study::new(plan, setting, samples));
        failed = failed.or(error);
    }
    // Of a study that was not finished there is nothing to compare with.
    let cut = without_lines.as_ref().is_some_and(|study| !study.is_complete());
    let against = without_lines.filter(Study::is_complete).or(against);
    let strips = draw(plan, args, traced, stop);
    let undrawn = traced.is_some() && (stop.load(Relaxed) || strips.is_err());
    let strips = strips.unwrap_or_else(|error| {
        failed.get_or_insert(error);
        Vec::new()
    });
    let study = Study::new(plan, setting, samples);
    let status = finish(args, &study, against.as_ref(), folder, strips)?;
    let missing = match (cut, undrawn) {
        (true, true) => "the searches without lines and the picture of the threads are left out",
        (true, false) => "the searches without lines are left out",
        (false, true) => "the picture of the threads is left out or not whole",
        (false, false) => "",
    };
    match failed {
        // Of one that is not complete it has been said that it was stopped.
        Some(error) if study.is_complete() => Err(error.context(missing)),
        Some(error) => Err(error),
        None if study.is_complete() && (cut || undrawn) => {
            eprintln!("firstborn: stopped; {missing}");
            Ok(ExitCode::from(INTERRUPTED))
        }
        None => Ok(status),
    }
}

/// What was measured, and the error that ended it, if one did.
fn kept(measured: Result<Vec<Sample>, Unfinished>) -> (Vec<Sample>, Option<anyhow::Error>) {
    match measured {
        Ok(samples) => (samples, None),
        Err(Unfinished { samples, cause }) => (samples, Some(cause.into())),
    }
}

/// Refuses before anything is measured what could not be compared afterwards.
fn check_comparison(args: &Args, plan: &Plan, against: Option<&Study>) -> anyhow::Result<()> {
    ensure!(
        !args.without_lines || plan.clock == ClockKind::Virtual,
        "--without-lines is for --clock virtual; real cores cannot do without caches"
    );
    let teams = plan.teams();
    ensure!(
        !args.without_lines || teams != [ALONE],
        "--without-lines compares teams, and --schemes serial is one thread alone: name another scheme"
    );
    if let Some(old) = against {
        check(plan.goal, &Searched::of(plan), &teams, old).with_context(|| against_name(args))?;
    }
    Ok(())
}

impl Args {
    /// Does it simulate, so that its searches may run on several machines?
    #[cfg(feature = "mpi")]
    pub fn is_virtual(&self) -> bool {
        self.clock == ClockKind::Virtual
    }

    /// The costs of threads whose caches cost nothing.
    pub fn costs_without_lines(&self) -> Costs {
        Costs { line: 0, far: 0, ..self.costs }
    }

    /// What is measured.
    pub fn plan(&self) -> anyhow::Result<Plan> {
        let mut positions = self.entries()?;
        let goal = match (&self.depths, self.movetime) {
            (_, Some(ms)) => Goal::Milliseconds(ms),
            (Some(file), None) => {
                let left_out = positions::set_depths(&mut positions, file)?;
                if !left_out.is_empty() {
                    eprintln!(
                        "firstborn: left out, for {file} has no depth for them: {}",
                        left_out.join(", ")
                    );
                }
                Goal::Depth
            }
            (None, None) => {
                for entry in &mut positions {
                    entry.depth = self.depth.or(entry.depth).or(Some(DEPTH));
                }
                Goal::Depth
            }
        };
        let threads = self.chosen_threads(Topology::detect().usable());
        let machines = self.machines.numbers(self.clock, threads.iter().copied().max().unwrap_or(1))?;
        Ok(Plan {
            clock: self.clock,
            schemes: self.chosen_schemes(),
            threads,
            machines,
            cluster: self.machines.cluster(),
            evaluation: self.evaluation.network()?,
            positions,
            goal,
            repeats: self.repeats,
            hash: self.hash(),
            seed: self.seed,
            load: self.load && self.clock == ClockKind::Real,
        })
    }

    /// The virtual clock with these costs.
    pub fn simulator<'s>(&self, plan: &Plan, costs: Costs, stop: &'s AtomicBool) -> Virtual<'s> {
        let evaluation = plan.evaluation.clone();
        Virtual { hash: plan.hash, seed: plan.seed, costs, evaluation, cluster: plan.cluster, stop }
    }

    fn hash(&self) -> usize {
        self.hash.unwrap_or(HASH[usize::from(self.machines.are_several())])
    }

    /// The files that decide what is searched: of sets and files the files. A name may hold the sign that joins names.
    pub fn files_read(&self) -> Vec<PathBuf> {
        let names = self.positions.split('+').chain([self.positions.as_str()]).chain(self.depths.as_deref());
        names.map(PathBuf::from).collect()
    }

    fn entries(&self) -> anyhow::Result<Vec<Entry>> {
        let mut entries = positions::read(&self.positions)?;
        entries.truncate(self.limit.unwrap_or(usize::MAX));
        positions::check_distinct(&self.positions, &entries)?;
        Ok(entries)
    }

    fn chosen_schemes(&self) -> Vec<Scheme> {
        if !self.schemes.is_empty() {
            return self.schemes.clone();
        }
        Scheme::ALL.into_iter().filter(|&scheme| scheme != Scheme::Serial).collect()
    }

    /// The numbers of threads, where so many processors may be used.
    fn chosen_threads(&self, processors: usize) -> Vec<usize> {
        if !self.threads.is_empty() {
            return self.threads.iter().copied().map(usize::from).collect();
        }
        let most = match self.clock {
            ClockKind::Real => processors.max(2),
            ClockKind::Virtual => 16,
        };
        (1..).map(|power| 1 << power).take_while(|&threads| threads <= most).collect()
    }

    /// The index of the position to trace.
    fn traced(&self, plan: &Plan) -> anyhow::Result<Option<usize>> {
        let Some(name) = &self.trace else { return Ok(None) };
        let place = plan.positions.iter().position(|entry| entry.id == *name);
        let place = place.ok_or_else(|| {
            let known: Vec<&str> = plan.positions.iter().map(|entry| entry.id.as_str()).collect();
            anyhow!("--trace: no position '{name}'; there are {}", known.join(", "))
        })?;
        Ok(Some(place))
    }

    fn setting(&self, plan: &Plan) -> anyhow::Result<Setting> {
        // The study has a command line of its own, which says all that bears on the result.
        let provenance = Provenance { command: None, ..evaluated_by(plan.evaluation.as_deref()) };
        let topology = Topology::detect();
        let signature = if self.no_signature {
            None
        } else {
            let bar = progress::spinner("counting the signature of this version");
            let counted = signature::run(signature::DEPTH, |_, _| ())?;
            bar.finish_and_clear();
            Some(counted.nodes)
        };
        Ok(Setting {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            signature,
            machine: provenance.machine.to_string(),
            provenance: Some(provenance),
            cpus: topology.usable(),
            cores: Some(topology.recommended_threads().threads),
            fastest_cores: topology.fastest_cores(),
            command: self.command(plan),
            clock: plan.clock,
            goal: plan.goal,
            hash: plan.hash,
            seed: plan.seed,
            load: plan.load,
            costs: (plan.clock == ClockKind::Virtual).then(|| self.costs.to_string()),
            cluster: plan.has_clusters().then_some(plan.cluster),
        })
    }

    /// The command line with every setting that bears on the result, given or not, and none that says where
    /// it goes.
    fn command(&self, plan: &Plan) -> String {
        let list = |words: Vec<String>| words.join(",");
        let schemes = list(plan.schemes.iter().map(ToString::to_string).collect());
        let threads = list(plan.threads.iter().map(ToString::to_string).collect());
        let mut command = format!(
            "firstborn scaling --clock {} --schemes {schemes} --threads {threads} --positions {}",
            plan.clock,
            quoted(&self.positions)
        );
        let mut add = |option: &str, value: Option<String>| {
            if let Some(value) = value {
                command += &format!(" {option} {value}");
            }
        };
        add("--limit", self.limit.map(|limit| limit.to_string()));
        let own = self.depth.is_none() && self.depths.is_none() && self.movetime.is_none();
        let fallback = own && plan.positions.iter().all(|entry| entry.depth == Some(DEPTH));
        add("--depth", self.depth.or(fallback.then_some(DEPTH)).map(|depth| depth.to_string()));
        add("--depths", self.depths.as_deref().map(quoted));
        add("--movetime", self.movetime.map(|ms| ms.to_string()));
        add("--repeats", Some(plan.repeats.to_string()));
        add("--hash", Some(plan.hash.to_string()));
        add("--seed", Some(plan.seed.to_string()));
        let dear = plan.clock == ClockKind::Virtual && self.costs != Costs::default();
        add("--costs", dear.then(|| self.costs.to_string()));
        command += &self.evaluation.words();
        if self.without_lines {
            command += " --without-lines";
        }
        if plan.load {
            command += " --load";
        }
        if plan.has_clusters() {
            command += &machines::command(&plan.machines, plan.cluster);
        }
        command
    }
}

/// Physical cores that this process may use.
fn cores() -> usize {
    Topology::detect().recommended_threads().threads
}

fn measure(plan: &Plan, args: &Args, costs: Costs, stop: &AtomicBool) -> Result<Vec<Sample>, Unfinished> {
    let mut progress = Progress::new(plan, args.json);
    let measured = match plan.clock {
        ClockKind::Real => on_cores(plan, stop, &mut progress),
        ClockKind::Virtual => {
            let clock = args.simulator(plan, costs, stop);
            let helpers = helpers(&|| stop.load(Relaxed));
            side_by_side(plan, &clock, helpers, costs != args.costs, &mut progress)
        }
    };
    progress.finish();
    measured
}

/// Searches by the real clock, one after the other.
fn on_cores(plan: &Plan, stop: &AtomicBool, watch: &mut dyn Watch) -> Result<Vec<Sample>, Unfinished> {
    let cores = if plan.load { cores() } else { 0 };
    let mut clock = Real::new(plan.hash, cores, stop).map_err(ClockError::from)?;
    clock.set_network(plan.evaluation.clone());
    warm_up(plan, &mut clock)?;
    one_by_one(plan, &mut clock, watch)
}

/// How many simulations of a plan run side by side here.
pub fn places(plan: &Plan) -> usize {
    study::places(plan, cores(), Memory::detect().and_then(|memory| memory.available))
}

/// Searches by the virtual clock, on which searches cannot disturb each other, here and on the other ranks of a
/// cluster. They begin in the plan's order, in which the samples come as well. `without_lines` says what the costs of
/// the others are to be.
fn side_by_side(
    plan: &Plan,
    clock: &Virtual<'_>,
    helpers: Vec<Helper>,
    without_lines: bool,
    watch: &mut dyn Watch,
) -> Result<Vec<Sample>, Unfinished> {
    let order = plan.order();
    let local = |_| -> Maker<'_, Result<Sample, ClockError>> {
        let (order, mut clock) = (&order, clock.clone());
        Box::new(move |place| perform(plan, &order[place], &mut clock).transpose())
    };
    let elsewhere = |helper: Helper| -> Maker<'_, Result<Sample, ClockError>> {
        Box::new(move |place| {
            let request = serde_json::to_vec(&(place, without_lines)).ok()?;
            let answer = helper.ask(request, &|| clock.stop.load(Relaxed))?;
            Some(serde_json::from_slice(&answer).map_err(ClockError::Answer))
        })
    };
    let mut makers: Vec<_> = (0..places(plan)).map(local).collect();
    makers.extend(helpers.into_iter().map(elsewhere));
    collect(order.len(), makers, clock.stop, watch)
}

/// The samples that were made, in order: all of them, or of a stopped study those that were finished. After an error
/// the others are stopped.
fn collect(
    count: usize,
    makers: Vec<Maker<'_, Result<Sample, ClockError>>>,
    stop: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Vec<Sample>, Unfinished> {
    let (mut samples, mut failed) = (Vec::new(), None);
    let shared = as_made(count, makers, |place, sample| match sample {
        Ok(sample) => {
            watch.done(&sample);
            samples.push((place, sample));
        }
        Err(error) => {
            stop.store(true, Relaxed);
            failed.get_or_insert(error);
        }
    });
    shared.map_err(|cause| ClockError::Thread { purpose: "for the simulations", cause })?;
    samples.sort_by_key(|(place, _)| *place);
    let samples = samples.into_iter().map(|(_, sample)| sample).collect();
    match failed {
        None => Ok(samples),
        Some(cause) => Err(Unfinished { samples, cause }),
    }
}

/// Each scheme's largest team on one machine, whatever numbers of machines are measured.
fn drawn_teams(plan: &Plan) -> Vec<Team> {
    let mut teams: Vec<Team> = Vec::new();
    for team in (Plan { machines: vec![1], ..plan.clone() }).teams() {
        match teams.iter_mut().find(|known| known.scheme == team.scheme) {
            Some(known) => known.threads = known.threads.max(team.threads),
            None => teams.push(team),
        }
    }
    teams
}

/// The strips asked for.
fn draw(plan: &Plan, args: &Args, traced: Option<usize>, stop: &AtomicBool) -> anyhow::Result<Vec<Strip>> {
    let Some(place) = traced else { return Ok(Vec::new()) };
    let clock = args.simulator(plan, args.costs, stop);
    let entry = &plan.positions[place];
    let strips = drawn_teams(plan)
        .into_iter()
        .map(|team| trace(&clock, team, (&entry.id, &entry.position), plan.limits(place)));
    Ok(strips.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}

fn run_pilot(
    args: &Args,
    seconds: f64,
    folder: Option<Folder>,
    stop: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    ensure!(seconds > 0.0 && seconds < 1e6, "--pilot {seconds}: is not a number of seconds");
    if args.clock == ClockKind::Virtual {
        bail!("--pilot searches by the real clock; its depths may then be used with --clock virtual");
    }
    let entries = args.entries()?;
    let cores = if args.load { cores() } else { 0 };
    let mut clock = Real::new(args.hash(), cores, stop)?;
    clock.set_network(args.evaluation.network()?);
    let bar = progress::bar(entries.len(), false);
    let found = pilot(&entries, Duration::from_secs_f64(seconds), &mut clock, |_| bar.inc(1))?;
    bar.finish_and_clear();
    let text = pilot::epd(&found);
    // What took so long to measure is printed whatever becomes of the file, and the file written before the reader of
    // the output may leave.
    let stopped = stop.load(Relaxed);
    let written = folder.map(|folder| keep_depths(folder, &text, stopped)).transpose();
    print_text(&text);
    let said = written?.unwrap_or_default();
    if stopped || found.is_empty() {
        let after = if stopped { "stopped after" } else { "depths were found for" };
        eprintln!("firstborn: {after} {} of {} positions{said}", found.len(), entries.len());
    }
    Ok(if stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Writes what a pilot has found, if that is anything, and returns what is to be said of it.
fn keep_depths(mut folder: Folder, text: &str, stopped: bool) -> Result<String, OutputError> {
    if text.is_empty() {
        return Ok("; no file is written".to_owned());
    }
    let name = if stopped { files::name_if_stopped(&folder, DEPTHS) } else { DEPTHS.to_owned() };
    folder.write(&name, text)?;
    Ok(if name == DEPTHS {
        String::new()
    } else {
        format!("; the earlier {DEPTHS} stays, these are in {name}")
    })
}

/// Writes and prints the result.
fn finish(
    args: &Args,
    study: &Study,
    against: Option<&Study>,
    folder: Option<Folder>,
    strips: Vec<Strip>,
) -> anyhow::Result<ExitCode> {
    let mut refused = None;
    let compared = match against.map(|old| compare(study, old)).transpose() {
        Ok(compared) => compared,
        Err(error) if args.from.is_some() => return Err(error).with_context(|| against_name(args)),
        // What was measured is not lost for it.
        Err(error) => {
            refused = Some(error);
            None
        }
    };
    let mut report = report::report(study, compared.as_ref());
    report.strips = strips;
    let json = document(study, compared.as_ref())?;
    let without_lines =
        against.filter(|_| args.without_lines).map(|study| document(study, None)).transpose()?;
    // As for the pilot: both, whatever becomes of one.
    let documents = [Some(&*json), without_lines.as_deref()];
    let stopped = !study.is_complete() && args.from.is_none();
    let written =
        folder.map(|folder| files::keep(args, folder, (study, stopped), &report, documents)).transpose();
    if args.json {
        warn(study);
    }
    print_text(&if args.json { json } else { report.text(crate::terminal::width()) });
    let said = written?.unwrap_or_default();
    match refused {
        Some(error) if study.is_complete() => return Err(error).with_context(|| against_name(args)),
        // What is missing may be all that the two had in common.
        Some(error) => eprintln!("firstborn: {}: {error}", against_name(args)),
        None if study.is_complete() => return Ok(ExitCode::SUCCESS),
        None => {}
    }
    eprintln!("firstborn: stopped after {} of {} searches{said}", study.samples.len(), study.planned);
    Ok(if args.from.is_some() { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) })
}

/// What the report says of positions that measure nothing, where there is no report.
fn warn(study: &Study) {
    if !study.left_out.is_empty() {
        eprintln!("firstborn: left out, since one thread solves them at once: {}", study.left_out.join(", "));
    }
    if let Some((threads, nodes)) = study.too_small() {
        eprintln!(
            "firstborn: trees too small: the median one has {nodes} nodes for each of {threads} threads"
        );
    }
}

/// What a failed comparison is about.
fn against_name(args: &Args) -> String {
    match &args.against {
        Some(path) => format!("--against {}", path.display()),
        None => "--without-lines".to_owned(),
    }
}

/// The study as one line, with the comparison in it if there is one.
fn document(study: &Study, against: Option<&Comparison>) -> anyhow::Result<String> {
    #[derive(serde::Serialize)]
    struct Document<'a> {
        #[serde(flatten)]
        study: &'a Study,
        #[serde(skip_serializing_if = "Option::is_none")]
        against: Option<&'a [Compared]>,
        #[serde(skip_serializing_if = "Option::is_none")]
        against_differs: Option<&'a [Difference]>,
    }
    let rows = against.map(|against| against.rows.as_slice());
    let differs = against.map(|against| against.differences.as_slice());
    Ok(serde_json::to_string(&Document { study, against: rows, against_differs: differs })?)
}

fn print_text(text: &str) {
    println!("{}", text.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Line;
    use ::bench::scaling::plan::Run;
    use ::bench::scaling::sample::Outcome;
    use clap::error::ErrorKind::ArgumentConflict;
    use clap::{CommandFactory, Parser};
    use smp::pool::accounts::Accounts;
    use std::collections::BTreeSet;
    use std::io;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    fn parse(words: &[&str]) -> Result<Args, clap::Error> {
        Line::<Args>::try_parse_from([&["scaling"], words].concat()).map(|line| line.args)
    }

    /// The options that are refused beside `words`, each with a value that it takes.
    fn refused_beside(words: &[&str]) -> BTreeSet<String> {
        let command = Line::<Args>::command();
        let options = command.get_arguments().filter_map(|option| Some((option, option.get_long()?)));
        let refused = options.filter(|(option, long)| {
            let flag = format!("--{long}");
            if words.contains(&flag.as_str()) {
                return false;
            }
            let value = match *long {
                _ if !option.get_action().takes_values() => None,
                "schemes" => Some("ybw"),
                "clock" => Some("virtual"),
                "costs" => Some("node=1"),
                "eval" => Some("classic"),
                _ => Some("2"),
            };
            let with: Vec<&str> = words.iter().copied().chain([flag.as_str()]).chain(value).collect();
            parse(&with).is_err_and(|error| error.kind() == ArgumentConflict)
        });
        refused.map(|(_, long)| long.to_owned()).collect()
    }

    fn all_but(words: &str) -> BTreeSet<String> {
        let command = Line::<Args>::command();
        let longs = command.get_arguments().filter_map(|option| option.get_long());
        longs.filter(|long| !words.split(' ').any(|word| word == *long)).map(str::to_owned).collect()
    }

    #[test]
    fn an_option_that_would_change_nothing_is_refused() {
        let used = "from out against json help";
        assert_eq!(refused_beside(&["--from", "a.json", "--out", "b"]), all_but(used));
        let used = "pilot out clock positions limit hash load eval eval-file help";
        assert_eq!(refused_beside(&["--pilot", "1", "--out", "b"]), all_but(used));
    }

    /// As many samples as are planned, told apart by their repeats.
    fn made(place: usize) -> Result<Sample, ClockError> {
        let words = ["--clock", "virtual", "--schemes", "serial", "--threads", "1", "--limit", "1"];
        let plan = parse(&words).unwrap().plan().unwrap();
        let run = Run { repeat: place, position: 0, team: Team::new(Scheme::Serial, 1) };
        Ok(Sample::new(&plan, &run, Outcome::default()))
    }

    /// Two work at the searches: one makes all but the first one, which is broken off then.
    #[test]
    fn of_a_stopped_study_all_that_was_finished_is_there() {
        let (send, others) = channel();
        let others = Mutex::new(others);
        let maker = |_| -> Maker<'_, Result<Sample, ClockError>> {
            let (send, others) = (send.clone(), &others);
            Box::new(move |place| {
                if place == 0 {
                    let others = others.lock().expect("it is locked once");
                    assert_eq!(others.iter().take(4).count(), 4);
                    return None;
                }
                send.send(()).expect("the receiver is there");
                Some(made(place))
            })
        };
        let stop = AtomicBool::new(false);
        let samples = collect(5, (0..2).map(maker).collect(), &stop, &mut ()).unwrap();
        let places: Vec<usize> = samples.iter().map(|sample| sample.repeat).collect();
        assert_eq!(places, [1, 2, 3, 4]);
    }

    fn no_memory() -> ClockError {
        ClockError::Thread { purpose: "in a test", cause: io::Error::other("no memory") }
    }

    /// One makes three samples and fails then.
    #[test]
    fn what_was_measured_before_an_error_is_kept() {
        let stop = AtomicBool::new(false);
        let make = |place| if place < 3 { made(place) } else { Err(no_memory()) };
        let maker: Maker<'_, _> = Box::new(|place| Some(make(place)));
        let Unfinished { samples, cause } = collect(4, vec![maker], &stop, &mut ()).unwrap_err();
        let places: Vec<usize> = samples.iter().map(|sample| sample.repeat).collect();
        assert_eq!((places, stop.load(Relaxed)), (vec![0, 1, 2], true));
        assert_eq!(cause.to_string(), no_memory().to_string());
    }

    /// One fails at once, the other searches until it is stopped.
    #[test]
    fn an_error_ends_a_study_at_once() {
        let stop = AtomicBool::new(false);
        let stopped = || stop.load(Relaxed);
        let fails: Maker<'_, _> = Box::new(|_| (!stopped()).then(|| Err(no_memory())));
        let searches: Maker<'_, _> = Box::new(|_| {
            let begun = Instant::now();
            while !stopped() {
                assert!(begun.elapsed() < Duration::from_secs(60), "it is not stopped");
                std::thread::yield_now();
            }
            None
        });
        let error = collect(usize::MAX, vec![searches, fails], &stop, &mut ()).unwrap_err();
        assert_eq!(error.to_string(), no_memory().to_string());
    }

    /// What the help of --threads says.
    #[test]
    fn without_threads_there_are_as_many_as_processors() {
        let threads = |words: &str, processors| {
            let words: Vec<&str> = words.split_whitespace().collect();
            parse(&words).unwrap().chosen_threads(processors)
        };
        assert_eq!(threads("", 8), [2, 4, 8]);
        assert_eq!(threads("", 7), [2, 4]);
        assert_eq!(threads("", 1), [2]);
        assert_eq!(threads("--clock virtual", 1), [2, 4, 8, 16]);
        assert_eq!(threads("--threads 3,1", 8), [3, 1]);
    }

    /// What the help of --hash says.
    #[test]
    fn each_of_several_machines_has_a_smaller_table() {
        let base = "--clock virtual --limit 1 --schemes lazy --threads 2";
        for (machines, hash) in [("--machines 1,2", 64), ("--machines 1", 256), ("", 256)] {
            let words: Vec<&str> = base.split(' ').chain(machines.split_whitespace()).collect();
            assert_eq!(parse(&words).unwrap().plan().unwrap().hash, hash, "{machines}");
        }
    }

    #[test]
    fn strips_are_of_one_machine_whatever_is_measured() {
        let base = ["--clock", "virtual", "--limit", "1", "--schemes", "ybw,lazy,ybw", "--threads", "2,4,1"];
        let one = [ALONE, Team::new(Scheme::Ybw, 4), Team::new(Scheme::Lazy, 4)];
        for machines in ["1", "1,2", "2", "4,2"] {
            let plan = parse(&[&base[..], &["--machines", machines]].concat()).unwrap().plan().unwrap();
            assert_eq!(drawn_teams(&plan), one, "{machines}");
        }
    }

    /// A stopped clock: what is refused is refused by what is planned. What is not ends as stopped.
    #[test]
    fn what_could_not_be_compared_is_refused_before_it_is_measured() {
        let base = "--clock virtual --depth 2 --hash 1 --no-signature --json --limit";
        let parse = |words: &str| parse(&format!("{base} {words}").split(' ').collect::<Vec<_>>()).unwrap();
        let of = |words: &str| {
            let args = parse(words);
            let (plan, stop) = (args.plan().unwrap(), AtomicBool::new(false));
            let setting = args.setting(&plan).unwrap();
            Study::new(&plan, setting, measure(&plan, &args, args.costs, &stop).unwrap())
        };
        let old = of("3 --schemes lazy --threads 2");
        let asked = |words: &str, against: Option<&Study>| {
            let args = parse(words);
            let stop = AtomicBool::new(true);
            conduct(&args, &args.plan().unwrap(), against.cloned(), None, &stop)
                .map(|status| format!("{status:?}"))
                .map_err(|error| format!("{error:#}"))
        };
        let stopped = Ok(format!("{:?}", ExitCode::from(INTERRUPTED)));
        let nothing = "no scheme, number of threads and position in common";
        for (words, named) in [
            ("3 --schemes lazy --threads 4 --against old.json", nothing),
            ("3 --schemes ybw --threads 2 --against old.json", nothing),
            ("3 --schemes serial --against old.json", nothing),
            ("3 --schemes lazy --threads 2 --positions self-play --against old.json", nothing),
            ("1 --schemes serial --without-lines", "--without-lines compares teams"),
        ] {
            let error = asked(words, words.ends_with(".json").then_some(&old)).unwrap_err();
            assert!(error.contains(named), "{words}: {error}");
        }
        assert_eq!(asked("3 --schemes lazy --threads 4,2 --against old.json", Some(&old)), stopped);
        assert_eq!(asked("1 --schemes lazy --threads 2 --without-lines", None), stopped);
    }

    /// A study of which so many searches are done, each of a second in which all threads were busy.
    fn study_of(args: &Args, done: usize) -> Study {
        let plan = args.plan().unwrap();
        let search = |run: Run| {
            let threads = run.team.threads;
            let (nodes, idle) = (vec![1_000_000; threads], vec![Duration::ZERO; threads]);
            let accounts = Accounts { time: Duration::from_secs(1), nodes, idle, ..Accounts::default() };
            Sample::new(&plan, &run, Outcome { accounts, depth: 1, ..Outcome::default() })
        };
        let samples = plan.order().into_iter().take(done).map(search).collect();
        Study::new(&plan, args.setting(&plan).unwrap(), samples)
    }

    /// A later one that was stopped replaces one that knows no more; else what there is of it lies beside that.
    #[test]
    fn a_stopped_study_replaces_no_earlier_one_that_knows_more() {
        let hall = tempfile::tempdir().unwrap();
        let out = hall.path();
        let words = ["--clock", "virtual", "--schemes", "lazy", "--threads", "2,3", "--limit", "1"];
        let more = ["--depth", "1", "--no-signature", "--out", out.to_str().unwrap()];
        let args = parse(&[&words[..], &more].concat()).unwrap();
        let done = |name: &str| {
            let path = out.join(name);
            path.exists().then(|| Study::read(&path).unwrap().samples.len())
        };
        let [whole, beside] = ["scaling.json", "stopped-scaling.json"];
        for (searches, in_whole, in_beside) in [
            (0, None, None),
            (1, Some(1), None),
            (0, Some(1), None),
            (2, Some(2), None),
            (1, Some(2), Some(1)),
            (3, Some(3), Some(1)),
            (0, Some(3), Some(1)),
            (2, Some(3), Some(2)),
        ] {
            let study = study_of(&args, searches);
            assert_eq!(study.planned, 3, "one thread, two and three");
            let folder = files::folder(out, &args).unwrap();
            finish(&args, &study, None, Some(folder), Vec::new()).unwrap();
            assert_eq!((done(whole), done(beside)), (in_whole, in_beside), "after {searches}");
            assert_eq!(out.join("scaling.html").exists(), in_whole.is_some());
        }
    }

    /// The same of the depths that a pilot has found.
    #[test]
    fn a_stopped_pilot_replaces_no_earlier_one() {
        let hall = tempfile::tempdir().unwrap();
        let out = hall.path();
        let args = parse(&["--pilot", "1", "--out", out.to_str().unwrap()]).unwrap();
        let held = |name: &str| std::fs::read_to_string(out.join(name)).ok();
        for (text, stopped, whole, beside) in [
            ("", true, None, None),
            ("one\n", true, Some("one\n"), None),
            ("", true, Some("one\n"), None),
            ("all\n", false, Some("all\n"), None),
            ("two\n", true, Some("all\n"), Some("two\n")),
        ] {
            let said = keep_depths(files::folder(out, &args).unwrap(), text, stopped).unwrap();
            let wanted = [whole, beside].map(|text| text.map(str::to_owned));
            assert_eq!([held(DEPTHS), held("stopped-depths.epd")], wanted, "after {text}");
            assert_eq!(said.contains("no file"), text.is_empty(), "{said}");
        }
    }

    /// An earlier study had curves and seven strips; this one has no curve and one strip.
    #[test]
    fn pictures_of_an_earlier_study_do_not_stay() {
        let hall = tempfile::tempdir().unwrap();
        let place = |name: &str| hall.path().join(name);
        let own = ["notes-trace-2.svg", "trace-02.svg", "trace-0.svg", "trace-2.svg.bak", "trace-x.svg"];
        let old = ["trace-2.svg", "trace-3.svg", "trace-7.svg", "speedup.svg", "overhead.svg", "idle.svg"];
        for name in own.iter().chain(&old).chain(&["trace-1.svg", "without-lines.json"]) {
            std::fs::write(place(name), "old").unwrap();
        }
        // A folder, and a file that the command reads.
        std::fs::create_dir(place("trace-4.svg")).unwrap();
        std::fs::write(place("trace-5.svg"), "8/8/4k3/3p4/3P4/4K3/8/8 w - - acd 3;").unwrap();
        let [out, positions] = [place(""), place("trace-5.svg")];
        let words = ["--clock", "virtual", "--schemes", "serial", "--no-signature", "--positions"];
        let names = [positions.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let args = parse(&[&words[..], &names].concat()).unwrap();
        let study = study_of(&args, 1);
        assert!(study.is_complete());
        let folder = files::folder(&out, &args).unwrap();
        finish(&args, &study, None, Some(folder), vec![Strip::default()]).unwrap();
        let there = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name());
        let there: BTreeSet<String> = there.map(|name| name.into_string().unwrap()).collect();
        let new = ["scaling.json", "scaling.csv", "samples.csv", "scaling.html", "trace-1.svg"];
        let kept = ["without-lines.json", "trace-4.svg", "trace-5.svg"];
        let wanted = own.iter().chain(&new).chain(&kept).map(|name| (*name).to_owned());
        assert_eq!(there, wanted.collect());
        assert_ne!(std::fs::read_to_string(place("trace-1.svg")).unwrap(), "old");
    }

    #[test]
    fn a_stopped_study_with_nothing_to_compare_says_that_it_was_stopped() {
        let words =
            ["--clock", "virtual", "--schemes", "lazy", "--threads", "2", "--limit", "1", "--depth", "1"];
        let args = parse(&[&words[..], &["--no-signature", "--against", "old.json"]].concat()).unwrap();
        let plan = args.plan().unwrap();
        let study = |samples| Study::new(&plan, args.setting(&plan).unwrap(), samples);
        let (stopped, old) = (study(Vec::new()), study(Vec::new()));
        assert!(!stopped.is_complete());
        let status = finish(&args, &stopped, Some(&old), None, Vec::new()).unwrap();
        assert_eq!(format!("{status:?}"), format!("{:?}", ExitCode::from(INTERRUPTED)));
    }
}
