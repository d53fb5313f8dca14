//! `firstborn battery`: what there is to measure where many cores are at hand for some minutes.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::{program, provenance};
use ::bench::battery::machine::Machine;
use ::bench::battery::parts::{Parts, Record};
use ::bench::battery::{Battery, Measured, Part, Step, searched, summary};
use ::bench::scaling::clock::Real;
use ::bench::scaling::positions;
use ::bench::signature;
use anyhow::{Context, anyhow, bail, ensure};
use figures::Report;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use sys::affinity;
use sys::output::{OutputError, Outputs, Place};
use sys::topology::Topology;

/// Measure the speed-up of the parallel schemes on this machine within minutes
///
/// Measures the machine, the time a cache line takes between its cores, and hybrid, ybw, lazy and abdada with 2, 4,
/// 8 .. threads (as many as there are processors, at most 128) against one thread, at positions of two to three
/// seconds. Each part is written when it is done; run the same command again to continue. See docs/scaling.md.
#[derive(clap::Args)]
pub struct Args {
    /// Folder for the parts and the result, battery.json
    #[arg(long, value_name = "DIR", required_unless_present = "from")]
    out: Option<PathBuf>,
    /// A short form that checks that everything works, with 2 and 4 threads (bound ones too) whatever the
    /// processors, and no teams of hybrid; results go to DIR/quick
    #[arg(long)]
    quick: bool,
    /// Start no part that may not end within this many minutes, as far as is known before
    #[arg(long, value_name = "M", default_value_t = 7.5)]
    minutes: f64,
    /// Measure nothing and write nothing: only report on the parts in this folder, whichever machine they are of
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "quick", "minutes"])]
    from: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

/// Positions of the whole battery.
const POSITIONS: usize = 12;
/// Threads beyond these say little in so short a time.
const MOST_THREADS: usize = 128;
/// By how much a round may take longer than is known so far.
const MARGIN: f64 = 1.25;
/// The folder of the short form, within that of the whole one.
const QUICK: &str = "quick";
/// The name of the document of all parts, without an ending.
const DOCUMENT: &str = "battery";

/// What is measured on this machine. Threads are bound where that can be done and chooses among processors: where all
/// share a cache they are bound to all. The short form tries whether it can be done wherever that is.
fn battery(quick: bool, topology: &Topology) -> anyhow::Result<Battery> {
    let all = positions::read("study48")?;
    let every = all.len() / POSITIONS;
    let can_bind = affinity::current().and_then(|cpus| affinity::set_current(&cpus)).is_ok();
    let binds = can_bind && (quick || topology.cache_domains().len() > 1);
    // The first of them is over in a millisecond.
    let chosen = all.into_iter().skip(1).step_by(every);
    if quick {
        return Ok(Battery {
            positions: chosen.take(2).collect(),
            wanted: Duration::from_millis(100),
            threads: vec![2, 4],
            members: Vec::new(),
            repeats: 1,
            hash: 16,
            binds,
        });
    }
    let most = topology.usable().min(MOST_THREADS);
    let powers = (1..).map(|power| 1 << power).take_while(|&threads| threads <= most);
    Ok(Battery {
        positions: chosen.take(POSITIONS).collect(),
        wanted: Duration::from_millis(2500),
        threads: powers.collect(),
        members: vec![2, 4, 8],
        repeats: 3,
        hash: 256,
        binds,
    })
}

/// How long a round may take, before it is begun: `alone` is what one thread takes for a search, in seconds. `before`
/// has, of each round that is done, what one thread would have taken for all its searches, in seconds, and what
/// the round took: as large a share of that is expected. Before the first round every entrant is taken to need as
/// long as one thread.
fn round_time(alone: f64, entrants: usize, before: &[(f64, Duration)]) -> Duration {
    let shares = before.iter().map(|(alone, took)| took.as_secs_f64() / alone);
    let share = shares.max_by(f64::total_cmp).unwrap_or(1.0);
    Duration::try_from_secs_f64(MARGIN * share * alone * entrants as f64).unwrap_or(Duration::MAX)
}

/// What `--minutes` must be at least for a part that may take so long, rounded up to a tenth. `before`: what comes
/// before it.
fn least_minutes(before: Duration, part: Duration) -> f64 {
    let seconds = MARGIN * before.as_secs_f64() + part.as_secs_f64();
    (seconds / 6.0).ceil() / 10.0
}

/// How a battery goes on whose next part needs `least` minutes where a run begins with it: this one has `minutes`.
fn going_on(next: Step, minutes: f64, least: f64) -> String {
    if least <= minutes {
        "the same command goes on".to_owned()
    } else {
        format!("the next, {next}, needs --minutes {least:.1} at least")
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.from {
        return report(&Folder(path.clone()), args.json);
    }
    let out = args.out.as_ref().context("--out DIR says where the parts go")?;
    ensure!(args.minutes.is_finite() && args.minutes > 0.0, "--minutes {}: not a time", args.minutes);
    let began = Instant::now();
    let topology = Topology::detect();
    let battery = battery(args.quick, &topology)?;
    let folder = Folder::open(if args.quick { out.join(QUICK) } else { out.clone() })?;
    let stop = stop_flag()?;
    let steps = battery.steps();
    let cores = topology.recommended_threads().threads;
    let mut state = State::read(topology, folder, &steps)?;
    let mut clock = Real::new(battery.hash, cores, &stop)?;
    let limit = Duration::from_secs_f64(args.minutes.min(1e6) * 60.0);
    let mut news = false;
    for &step in &steps {
        if state.parts.has(step) {
            continue;
        }
        let part = state.estimate(&battery, step);
        if began.elapsed().saturating_add(part) > limit {
            if !news {
                state.finish(args.json)?;
                // The same command would come as far as this and no further.
                bail!(
                    "--minutes {}: too few for the next part, {step}; {:.1} at least",
                    args.minutes,
                    least_minutes(began.elapsed(), part)
                );
            }
            let on = going_on(step, args.minutes, least_minutes(state.beginning, part));
            eprintln!("firstborn: {} of {} parts done; {on}", state.parts.len(), steps.len());
            break;
        }
        if !state.perform(&battery, step, &mut clock, &stop)? {
            let done = state.parts.len();
            eprintln!("firstborn: stopped after {done} of {} parts; the same command goes on", steps.len());
            break;
        }
        news = true;
        state.keep()?;
        eprintln!("firstborn: {step} done, {:.0} s", began.elapsed().as_secs_f64());
    }
    state.finish(args.json)?;
    Ok(if stop.load(Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Prints what the parts in a folder say.
fn report(folder: &Folder, as_json: bool) -> anyhow::Result<ExitCode> {
    let parts = folder.parts(&folder.steps()?)?;
    if parts.is_empty() {
        let quick = folder.0.join(QUICK);
        let elsewhere = if quick.is_dir() {
            format!("; those of --quick lie in {}", quick.display())
        } else {
            String::new()
        };
        bail!("{} has no part of a battery{elsewhere}", folder.0.display());
    }
    folder.check_hosts(&parts, None)?;
    show(&parts, as_json);
    Ok(ExitCode::SUCCESS)
}

/// Prints what the parts that are there say.
fn show(parts: &Parts, as_json: bool) {
    if as_json {
        println!("{}", parts.document());
        return;
    }
    if let Some(machine) = parts.machine()
        && let Some(topology) = machine.topology()
    {
        crate::topology::print_lines(&topology, &machine.lines, machine.lines_refused.as_deref());
        println!();
    }
    let rounds: Vec<Vec<Measured>> = parts.rounds().map(|(_, round)| round.clone()).collect();
    let rows = summary::rows(&searched(&rounds), &rounds);
    let (title, facts) = (parts.progress(), parts.facts());
    let report = Report { title, tables: vec![summary::table(&rows)], facts, ..Report::default() };
    println!("{}", report.text(crate::terminal::width()).trim_end());
}

/// The signature of this program's search, and the CRC-32 of its file; and how long it took to find them.
fn own_figures() -> anyhow::Result<((u64, u32), Duration)> {
    let began = Instant::now();
    let signature = signature::run(signature::DEPTH, |_, _| {})?.nodes;
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    let bytes = std::fs::read(&own).with_context(|| format!("cannot read {}", own.display()))?;
    Ok(((signature, crc32fast::hash(&bytes)), began.elapsed()))
}

/// What tells one program from another. What threads do together may change and leave the signature as it is:
/// only the file tells.
fn identity(version: &str, commit: Option<&str>, (signature, file): (u64, u32)) -> String {
    format!("{version}, commit {}, file {file:08x}, signature {signature}", commit.unwrap_or("unknown"))
}

/// What tells this machine from others that look the same, if it has something that does. Only a hash of it leaves the
/// machine.
fn host() -> Option<String> {
    sys::host::identity().map(|own| format!("{:08x}", crc32fast::hash(own.as_bytes())))
}

/// What is known by now.
struct State {
    topology: Topology,
    folder: Folder,
    /// Which machine this is.
    host: Option<String>,
    parts: Parts,
    /// How long the parts took that were made by this run.
    took: BTreeMap<Step, Duration>,
    /// What it took to find this program's own figures, with which each run begins.
    beginning: Duration,
    /// How many parts the document knows that lay in the folder before.
    earlier: usize,
}

impl State {
    /// Takes over what earlier runs have found.
    fn read(topology: Topology, folder: Folder, steps: &[Step]) -> anyhow::Result<Self> {
        let (parts, earlier) = (folder.parts(steps)?, folder.known());
        let (host, took) = (host(), BTreeMap::new());
        let mut state = State { topology, folder, host, parts, took, beginning: Duration::ZERO, earlier };
        state.check()?;
        Ok(state)
    }

    /// Refuses parts of another machine, or by another program.
    fn check(&mut self) -> anyhow::Result<()> {
        let machine = self.parts.machine();
        if let Some(machine) = machine {
            self.check_machine(machine)?;
        }
        self.folder.check_hosts(&self.parts, self.host.as_deref())?;
        let Some(machine) = machine else { return Ok(()) };
        let (figures, took) = own_figures()?;
        self.beginning = took;
        let program = program();
        let this = identity(&program.version, program.commit.as_deref(), figures);
        let commit = machine.provenance.program.commit.as_deref();
        let that = identity(&machine.version, commit, (machine.signature, machine.file));
        let folder = self.folder.0.display();
        ensure!(that == this, "{folder} has parts by another program ({that}); this is {this}");
        Ok(())
    }

    /// Refuses a machine that looks otherwise than this one.
    fn check_machine(&self, machine: &Machine) -> anyhow::Result<()> {
        let here = sys::cpu::Machine::detect().to_string();
        let allowed = self.topology.allowed.value.to_string();
        // Teams are as large as whole processors are granted.
        let granted = |quota: f64| quota as usize;
        let quota = self.topology.quota.as_ref().map(|quota| granted(quota.value));
        let before = machine.quota.map(granted);
        let described = |quota: Option<usize>| {
            quota.map_or(String::new(), |quota| format!(", {quota} of them by a quota"))
        };
        ensure!(
            (&machine.name, &machine.allowed, before) == (&here, &allowed, quota),
            "{} has parts of another machine ({}, processors {}{}); this is {here}, processors {allowed}{}",
            self.folder.0.display(),
            machine.name,
            machine.allowed,
            described(before),
            described(quota)
        );
        Ok(())
    }

    /// How long a step may take.
    fn estimate(&self, battery: &Battery, step: Step) -> Duration {
        match step {
            Step::Machine => Duration::ZERO,
            Step::Pilot => 2 * battery.wanted * battery.positions.len() as u32,
            Step::Round(_, position) => {
                // What the pilot left out is not searched.
                let Some(alone) = self.alone(&battery.positions[position].id) else { return Duration::ZERO };
                let before = self.parts.rounds().filter_map(|(step, round)| {
                    let alone = self.alone(&round.first()?.sample.position)?;
                    Some((alone * round.len() as f64, self.round_took(step, round)))
                });
                round_time(alone, battery.entrants().len(), &before.collect::<Vec<_>>())
            }
        }
    }

    /// How long a round took: if it was made by an earlier run, its searches, which are nearly all of it.
    fn round_took(&self, step: Step, round: &[Measured]) -> Duration {
        let searches = || Duration::from_nanos(round.iter().map(|measured| measured.sample.time_ns).sum());
        self.took.get(&step).copied().unwrap_or_else(searches)
    }

    /// What one thread took in the pilot for a search of this position, in seconds; `None` if it is left out.
    fn alone(&self, position: &str) -> Option<f64> {
        let mut depths = self.parts.depths().iter();
        let found = depths.find(|depth| depth.position == position && !depth.too_soon);
        found.map(|depth| depth.seconds)
    }

    /// Does a step and writes what it found. `false`: it was stopped.
    fn perform(
        &mut self,
        battery: &Battery,
        step: Step,
        clock: &mut Real<'_>,
        stop: &AtomicBool,
    ) -> anyhow::Result<bool> {
        let began = Instant::now();
        let part = match step {
            Step::Machine => {
                let ((signature, file), took) = own_figures()?;
                self.beginning = took;
                let machine = Machine::detect(&self.topology, provenance(), signature, file, stop);
                machine.map(|machine| Part::Machine(Box::new(machine)))
            }
            Step::Pilot => battery.pilot(clock)?.map(Part::Pilot),
            Step::Round(repeat, position) => {
                let places = self.topology.thread_places();
                battery.round((repeat, position), self.parts.depths(), &places, clock)?.map(Part::Round)
            }
        };
        let Some(part) = part else { return Ok(false) };
        let record = Record {
            part,
            date: Some(provenance().date),
            host: self.host.clone(),
            hash: Some(battery.hash),
            parts: Some(battery.steps().len()),
        };
        self.folder.write(&step.to_string(), &serde_json::to_string(&record)?)?;
        self.took.insert(step, began.elapsed());
        self.parts.insert(step, record);
        Ok(true)
    }

    /// Writes what there is in one document: none before the machine is known, and of a part of the battery none over
    /// one that knows more. `false`: it is not written.
    fn keep(&self) -> anyhow::Result<bool> {
        let complete = self.parts.is_complete() == Some(true);
        if self.parts.machine().is_none() || (!complete && self.parts.len() < self.earlier) {
            return Ok(false);
        }
        self.folder.write(DOCUMENT, &self.parts.document().to_string())?;
        Ok(true)
    }

    /// Writes and prints what there is, if that is anything.
    fn finish(&self, as_json: bool) -> anyhow::Result<()> {
        if self.parts.machine().is_none() {
            return Ok(());
        }
        if !self.keep()? {
            let document = self.folder.path(DOCUMENT);
            eprintln!("firstborn: {} knows more than these parts, and stays as it is", document.display());
        }
        show(&self.parts, as_json);
        Ok(())
    }
}

/// Where the parts lie.
struct Folder(PathBuf);

impl Folder {
    fn open(path: PathBuf) -> anyhow::Result<Self> {
        Ok(Folder(Outputs::new().folder(path)?))
    }

    fn path(&self, name: impl ToString) -> PathBuf {
        self.0.join(name.to_string()).with_extension("json")
    }

    /// The steps whose files are there.
    fn steps(&self) -> anyhow::Result<Vec<Step>> {
        let unreadable = || format!("cannot read {}", self.0.display());
        let mut steps = Vec::new();
        for entry in std::fs::read_dir(&self.0).with_context(unreadable)? {
            let path = entry.with_context(unreadable)?.path();
            let name = path.file_stem().and_then(OsStr::to_str);
            let step = name.and_then(|name| name.parse::<Step>().ok());
            steps.extend(step.filter(|&step| self.path(step) == path));
        }
        Ok(steps)
    }

    /// The parts of these steps that are there, those behind a missing one, too.
    fn parts(&self, steps: &[Step]) -> anyhow::Result<Parts> {
        let mut parts = Parts::default();
        for &step in steps {
            let path = self.path(step);
            if path.exists() {
                let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let record = Record::read(step, &text);
                parts.insert(step, record.map_err(|error| anyhow!("{} {error}", path.display()))?);
            }
        }
        Ok(parts)
    }

    /// Refuses parts of different machines: `here` is the one on which others are to be made.
    fn check_hosts(&self, parts: &Parts, here: Option<&str>) -> anyhow::Result<()> {
        let mut known = here.map(|host| (host, "this one".to_owned()));
        for (step, record) in parts.iter() {
            let Some(host) = record.host.as_deref() else { continue };
            let name = self.path(step).display().to_string();
            let (first, whose) = known.get_or_insert_with(|| (host, format!("that of {name}")));
            ensure!(*first == host, "{name} is of another machine ({host}) than {whose} ({first})");
        }
        Ok(())
    }

    /// How many parts the document there knows; more than there can be if it is whole, or something else.
    fn known(&self) -> usize {
        let path = self.path(DOCUMENT);
        if !path.exists() {
            return 0;
        }
        let read = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let document = read.unwrap_or_default();
        match document["rounds"].as_array() {
            Some(rounds) if document["complete"] != true => {
                let pilot = document["pilot"].as_array().is_some_and(|depths| !depths.is_empty());
                usize::from(!document["machine"].is_null()) + usize::from(pilot) + rounds.len()
            }
            _ => usize::MAX,
        }
    }

    /// Writes a file whole or not at all.
    fn write(&self, name: &str, text: &str) -> Result<(), OutputError> {
        Place::find(&self.path(name))?.write(format!("{text}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sys::affinity::CpuSet;
    use sys::provenance::Provenance;
    use sys::topology::Fact;

    /// So many processors, of which each is of one of these caches.
    fn machine(count: usize, caches: &[&str]) -> Topology {
        let mut topology = Topology::detect();
        topology.allowed.value = CpuSet::first(count);
        topology.caches.value = caches.iter().map(|cache| cache.parse().unwrap()).collect();
        topology.quota = None;
        topology
    }

    #[test]
    fn no_team_has_more_threads_than_the_quota_grants() {
        let mut topology = machine(32, &["0-31"]);
        let teams: [(Option<f64>, &[usize]); 4] = [
            (None, &[2, 4, 8, 16, 32]),
            (Some(4.5), &[2, 4]),
            (Some(64.0), &[2, 4, 8, 16, 32]),
            (Some(0.5), &[]),
        ];
        for (quota, wanted) in teams {
            topology.quota = quota.map(|value| Fact { value, source: String::new() });
            assert_eq!(battery(false, &topology).unwrap().threads, wanted, "{quota:?}");
        }
    }

    /// The short form binds wherever it can; no other system can.
    #[test]
    fn threads_are_bound_where_that_chooses_among_caches() {
        let can = cfg!(target_os = "linux");
        for (caches, whole) in
            [(&["0-7"][..], false), (&["0-3", "4-7"][..], can), (&["0-7", "8-15"][..], false)]
        {
            let topology = machine(8, caches);
            assert_eq!(battery(false, &topology).unwrap().binds, whole, "{caches:?}");
            assert_eq!(battery(true, &topology).unwrap().binds, can, "{caches:?}");
        }
    }

    /// A part of 60 s behind 4 s, a quarter more being left for these, is 65 s: 1.1 minutes.
    #[test]
    fn a_part_that_is_too_long_by_itself_is_told_with_the_minutes_that_it_needs() {
        let least = least_minutes(Duration::from_secs(4), Duration::from_secs(60));
        assert!((least - 1.1).abs() < 1e-9, "{least}");
        assert_eq!(going_on(Step::Pilot, 7.5, least), "the same command goes on");
        let says = "the next, 1-pilot, needs --minutes 1.1 at least";
        assert_eq!(going_on(Step::Pilot, 0.9, least), says);
    }

    /// Twenty searches of two seconds by one thread take 40 s, and teams less; half of it where that is known of the
    /// round that did worst. A quarter more is left for the next.
    #[test]
    fn a_round_is_taken_for_as_long_as_its_entrants_may_need() {
        let seconds = Duration::from_secs_f64;
        assert_eq!(round_time(2.0, 20, &[]), seconds(50.0));
        assert_eq!(round_time(2.0, 20, &[(40.0, seconds(20.0)), (100.0, seconds(30.0))]), seconds(25.0));
        assert_eq!(round_time(4.0, 30, &[(40.0, seconds(80.0))]), seconds(300.0));
        for alone in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(round_time(alone, 20, &[(alone, seconds(1.0))]), Duration::MAX, "{alone}");
        }
    }

    /// Two parts, of four or of two, where there is a document of none, one, three or all parts, or something else.
    #[test]
    fn a_document_that_knows_more_stays() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let stop = AtomicBool::new(false);
        let found = Machine::detect(&machine(1, &["0"]), Provenance::default(), 1, 1, &stop);
        let machine = Part::Machine(Box::new(found.expect("it is not stopped")));
        let keeps = |first: (Step, &Part), planned: usize, earlier: Option<&str>| {
            let folder = Folder(dir.path().to_owned());
            let _ = std::fs::remove_file(folder.path(DOCUMENT));
            if let Some(text) = earlier {
                folder.write(DOCUMENT, text).expect("it can be written");
            }
            let mut parts = Parts::default();
            for (step, part) in [first, (Step::Round(0, 0), &Part::Round(Vec::new()))] {
                let (part, parts_planned) = (part.clone(), Some(planned));
                parts.insert(step, Record { part, date: None, host: None, hash: None, parts: parts_planned });
            }
            let earlier = folder.known();
            let (topology, took) = (Topology::detect(), BTreeMap::new());
            let state =
                State { topology, folder, host: None, parts, took, beginning: Duration::ZERO, earlier };
            let kept = state.keep().expect("it can be written");
            let document = std::fs::read(state.folder.path(DOCUMENT)).unwrap_or_default();
            let read: Value = serde_json::from_slice(&document).unwrap_or_default();
            assert_eq!(read["planned"] == planned, kept, "{read}");
            kept
        };
        let of = |complete: bool, machine: &str, pilot: &str, rounds: &str| {
            format!("{{\"complete\":{complete},\"machine\":{machine},\"pilot\":{pilot},\"rounds\":{rounds}}}")
        };
        let (none, one) = (of(false, "null", "[]", "[]"), of(false, "{}", "[]", "[]"));
        let (three, all) = (of(false, "{}", "[{}]", "[[]]"), of(true, "{}", "[{}]", "[]"));
        let (pilot, machine) = ((Step::Pilot, &Part::Pilot(Vec::new())), (Step::Machine, &machine));
        for (earlier, part, whole) in [
            (None, true, true),
            (Some(none.as_str()), true, true),
            (Some(one.as_str()), true, true),
            (Some(three.as_str()), false, true),
            (Some(all.as_str()), false, true),
            (Some("{"), false, true),
        ] {
            let kept = [4, 2].map(|planned| keeps(machine, planned, earlier));
            assert_eq!(kept, [part, whole], "{earlier:?}");
            let kept = [4, 2].map(|planned| keeps(pilot, planned, earlier));
            assert_eq!(kept, [false; 2], "of no known machine");
        }
    }
}
