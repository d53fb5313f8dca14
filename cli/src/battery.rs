//! `firstborn battery`: what there is to measure where many cores are at hand for some minutes.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::{program, provenance};
use ::bench::battery::machine::Machine;
use ::bench::battery::{Battery, Depth, Measured, Part, Step, summary};
use ::bench::scaling::clock::Real;
use ::bench::scaling::positions;
use ::bench::signature;
use anyhow::{Context, bail, ensure};
use serde_json::json;
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
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A short form that checks that everything works, with 2 and 4 threads (bound ones too) whatever the
    /// processors, and no teams of hybrid; results go to DIR/quick
    #[arg(long)]
    quick: bool,
    /// Start no part that may not end within this many minutes, as far as is known before
    #[arg(long, value_name = "M", default_value_t = 7.5)]
    minutes: f64,
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
    ensure!(args.minutes.is_finite() && args.minutes > 0.0, "--minutes {}: not a time", args.minutes);
    let began = Instant::now();
    let topology = Topology::detect();
    let battery = battery(args.quick, &topology)?;
    let folder = Folder::open(if args.quick { args.out.join("quick") } else { args.out.clone() })?;
    let stop = stop_flag()?;
    let mut clock = Real::new(battery.hash, topology.recommended_threads().threads, &stop)?;
    let mut state = State {
        topology,
        folder,
        beginning: Duration::ZERO,
        machine: None,
        depths: Vec::new(),
        rounds: Vec::new(),
    };
    let limit = Duration::from_secs_f64(args.minutes.min(1e6) * 60.0);
    let steps = battery.steps();
    let (mut done, mut news) = (0, false);
    for &step in &steps {
        if !state.has(step)? {
            let part = state.estimate(&battery, step);
            if began.elapsed().saturating_add(part) > limit {
                if !news {
                    state.finish(&battery, false, args.json)?;
                    // The same command would come as far as this and no further.
                    bail!(
                        "--minutes {}: too few for the next part, {step}; {:.1} at least",
                        args.minutes,
                        least_minutes(began.elapsed(), part)
                    );
                }
                let on = going_on(step, args.minutes, least_minutes(state.beginning, part));
                eprintln!("firstborn: {done} of {} parts done; {on}", steps.len());
                break;
            }
            if !state.perform(&battery, step, &mut clock, &stop)? {
                break;
            }
            news = true;
            eprintln!("firstborn: {step} done, {:.0} s", began.elapsed().as_secs_f64());
        }
        done += 1;
    }
    state.finish(&battery, done == steps.len(), args.json)?;
    Ok(if stop.load(Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The signature of this program's search, and the CRC-32 of its file.
fn own_figures() -> anyhow::Result<(u64, u32)> {
    let signature = signature::run(signature::DEPTH, |_, _| {})?.nodes;
    let own = std::env::current_exe().context("cannot find this program's own file")?;
    let bytes = std::fs::read(&own).with_context(|| format!("cannot read {}", own.display()))?;
    Ok((signature, crc32fast::hash(&bytes)))
}

/// What tells one program from another. What threads do together may change and leave the signature as it is:
/// only the file tells.
fn identity(version: &str, commit: Option<&str>, (signature, file): (u64, u32)) -> String {
    format!("{version}, commit {}, file {file:08x}, signature {signature}", commit.unwrap_or("unknown"))
}

/// What is known by now.
struct State {
    topology: Topology,
    folder: Folder,
    /// What it took to find this program's own figures, with which each run begins.
    beginning: Duration,
    machine: Option<Machine>,
    depths: Vec<Depth>,
    rounds: Vec<(Vec<Measured>, Duration)>,
}

impl State {
    fn own_figures(&mut self) -> anyhow::Result<(u64, u32)> {
        let began = Instant::now();
        let figures = own_figures()?;
        self.beginning = began.elapsed();
        Ok(figures)
    }

    /// Takes over what an earlier run has found, if it has.
    fn has(&mut self, step: Step) -> anyhow::Result<bool> {
        let Some(part) = self.folder.read(step)? else { return Ok(false) };
        match (step, part) {
            (Step::Machine, Part::Machine(machine)) => {
                let here = sys::cpu::Machine::detect().to_string();
                let allowed = self.topology.allowed.value.to_string();
                // Teams are as large as whole processors are granted.
                let granted = |quota: f64| quota as usize;
                let quota = self.topology.quota.as_ref().map(|quota| granted(quota.value));
                let before = machine.quota.map(granted);
                if (&machine.name, &machine.allowed, before) != (&here, &allowed, quota) {
                    let described = |quota: Option<usize>| {
                        quota.map_or(String::new(), |quota| format!(", {quota} of them by a quota"))
                    };
                    bail!(
                        "{} has parts of another machine ({}, processors {}{}); this is {here}, processors \
                         {allowed}{}",
                        self.folder.0.display(),
                        machine.name,
                        machine.allowed,
                        described(before),
                        described(quota)
                    );
                }
                let program = program();
                let this = identity(&program.version, program.commit.as_deref(), self.own_figures()?);
                let commit = machine.provenance.program.commit.as_deref();
                let that = identity(&machine.version, commit, (machine.signature, machine.file));
                if that != this {
                    let folder = self.folder.0.display();
                    bail!("{folder} has parts by another program ({that}); this is {this}");
                }
                self.machine = Some(*machine);
            }
            (Step::Pilot, Part::Pilot(depths)) => self.depths = depths,
            (Step::Round(..), Part::Round(round)) => {
                // The searches are nearly all that a round takes.
                let took = round.iter().map(|measured| measured.sample.time_ns).sum();
                self.add(round, Duration::from_nanos(took));
            }
            _ => bail!("{} is another part than its name says", self.folder.path(step).display()),
        }
        Ok(true)
    }

    fn add(&mut self, round: Vec<Measured>, took: Duration) {
        self.rounds.push((round, took));
    }

    /// How long a step may take.
    fn estimate(&self, battery: &Battery, step: Step) -> Duration {
        match step {
            Step::Machine => Duration::ZERO,
            Step::Pilot => 2 * battery.wanted * battery.positions.len() as u32,
            Step::Round(_, position) => {
                // What the pilot left out is not searched.
                let Some(alone) = self.alone(&battery.positions[position].id) else { return Duration::ZERO };
                let before = self.rounds.iter().filter_map(|(round, took)| {
                    let alone = self.alone(&round.first()?.sample.position)?;
                    Some((alone * round.len() as f64, *took))
                });
                round_time(alone, battery.entrants().len(), &before.collect::<Vec<_>>())
            }
        }
    }

    /// What one thread took in the pilot for a search of this position, in seconds; `None` if it is left out.
    fn alone(&self, position: &str) -> Option<f64> {
        let found = self.depths.iter().find(|depth| depth.position == position && !depth.too_soon);
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
                let (signature, file) = self.own_figures()?;
                let machine = Machine::detect(&self.topology, provenance(), signature, file, stop);
                let Some(machine) = machine else { return Ok(false) };
                self.machine = Some(machine.clone());
                Part::Machine(Box::new(machine))
            }
            Step::Pilot => {
                let Some(depths) = battery.pilot(clock)? else { return Ok(false) };
                self.depths.clone_from(&depths);
                Part::Pilot(depths)
            }
            Step::Round(repeat, position) => {
                let places = self.topology.thread_places();
                let round = battery.round((repeat, position), &self.depths, &places, clock)?;
                let Some(round) = round else { return Ok(false) };
                self.add(round.clone(), began.elapsed());
                Part::Round(round)
            }
        };
        self.folder.write(&step.to_string(), &serde_json::to_string(&part)?)?;
        Ok(true)
    }

    /// Writes what there is in one file, and prints it.
    fn finish(&self, battery: &Battery, complete: bool, as_json: bool) -> anyhow::Result<()> {
        let rounds: Vec<Vec<Measured>> = self.rounds.iter().map(|(round, _)| round.clone()).collect();
        let document = json!({
            "schema": 1, "complete": complete, "hash": battery.hash, "machine": self.machine, "pilot": self.depths,
            "rounds": rounds, "provenance": self.machine.as_ref().map(|machine| &machine.provenance),
        });
        self.folder.write("battery", &document.to_string())?;
        if as_json {
            println!("{document}");
        } else {
            if let Some(machine) = &self.machine {
                println!("{}", machine.name);
                crate::topology::print_lines(
                    &self.topology,
                    &machine.lines,
                    machine.lines_refused.as_deref(),
                );
            }
            let rows = summary::rows(&battery.entrants(), &rounds);
            println!("{}", summary::table(&rows).text(crate::terminal::width()).trim_end());
        }
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

    /// A part that is there.
    fn read(&self, step: Step) -> anyhow::Result<Option<Part>> {
        let path = self.path(step);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let part = serde_json::from_slice(&text);
        Ok(Some(part.with_context(|| format!("{} is not a part of a battery", path.display()))?))
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
}
