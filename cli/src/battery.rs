//! `firstborn battery`: what there is to measure where many cores are at hand for some minutes.

use crate::interrupt::{INTERRUPTED, stop_flag};
use ::bench::battery::machine::Machine;
use ::bench::battery::{Battery, Depth, Measured, Part, Step, summary};
use ::bench::scaling::clock::Real;
use ::bench::scaling::positions;
use ::bench::signature;
use anyhow::{Context, bail, ensure};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
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
    /// A short form that checks that everything works, with 2 and 4 threads whatever the processors, and no
    /// teams of hybrid; results go to DIR/quick
    #[arg(long)]
    quick: bool,
    /// Start no part that would not end within this many minutes
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

/// What is measured with so many processors.
fn battery(quick: bool, processors: usize) -> anyhow::Result<Battery> {
    let all = positions::read("study48")?;
    let every = all.len() / POSITIONS;
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
        });
    }
    let powers = (1..).map(|power| 1 << power).take_while(|&threads| threads <= processors.min(MOST_THREADS));
    Ok(Battery {
        positions: chosen.take(POSITIONS).collect(),
        wanted: Duration::from_millis(2500),
        threads: powers.collect(),
        members: vec![2, 4, 8],
        repeats: 3,
        hash: 256,
    })
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure!(args.minutes.is_finite() && args.minutes > 0.0, "--minutes {}: not a time", args.minutes);
    let began = Instant::now();
    let topology = Topology::detect();
    let battery = battery(args.quick, topology.allowed.value.count())?;
    let folder = Folder::open(if args.quick { args.out.join("quick") } else { args.out.clone() })?;
    let stop = stop_flag()?;
    let mut clock = Real::new(battery.hash, topology.recommended_threads().threads, &stop)?;
    let mut state = State { topology, folder, depths: Vec::new(), rounds: Vec::new(), machine: None };
    let limit = Duration::from_secs_f64(args.minutes.min(1e6) * 60.0);
    let steps = battery.steps();
    let mut done = 0;
    for &step in &steps {
        if !state.has(step)? {
            if began.elapsed() + state.estimate(&battery, step) > limit {
                eprintln!("firstborn: {done} of {} parts done; the same command goes on", steps.len());
                break;
            }
            if !state.perform(&battery, step, &mut clock)? {
                break;
            }
            eprintln!("firstborn: {step} done, {:.0} s", began.elapsed().as_secs_f64());
        }
        done += 1;
    }
    state.finish(&battery, done == steps.len(), args.json)?;
    Ok(if stop.load(Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The signature of this program's search.
fn own_signature() -> anyhow::Result<u64> {
    Ok(signature::run(signature::DEPTH, |_, _| {})?.nodes)
}

/// What is known by now.
struct State {
    topology: Topology,
    folder: Folder,
    machine: Option<Machine>,
    depths: Vec<Depth>,
    rounds: Vec<(Vec<Measured>, Duration)>,
}

impl State {
    /// Takes over what an earlier run has found, if it has.
    fn has(&mut self, step: Step) -> anyhow::Result<bool> {
        let Some(part) = self.folder.read(step)? else { return Ok(false) };
        match (step, part) {
            (Step::Machine, Part::Machine(machine)) => {
                let here = sys::cpu::Machine::detect().to_string();
                let allowed = self.topology.allowed.value.to_string();
                if (&machine.name, &machine.allowed) != (&here, &allowed) {
                    bail!(
                        "{} has parts of another machine ({}, processors {}); this is {here}, processors \
                         {allowed}",
                        self.folder.0.display(),
                        machine.name,
                        machine.allowed
                    );
                }
                let (version, signature) = (env!("CARGO_PKG_VERSION"), own_signature()?);
                if (machine.version.as_str(), machine.signature) != (version, signature) {
                    bail!(
                        "{} has parts by another program ({}, signature {}); this is {version}, signature {signature}",
                        self.folder.0.display(),
                        machine.version,
                        machine.signature
                    );
                }
                self.machine = Some(machine);
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

    /// How long a step may take: a round about as long as the longest so far.
    fn estimate(&self, battery: &Battery, step: Step) -> Duration {
        match step {
            Step::Machine => Duration::ZERO,
            Step::Pilot => 2 * battery.wanted * battery.positions.len() as u32,
            Step::Round(..) => self.rounds.iter().map(|(_, took)| *took).max().unwrap_or(6 * battery.wanted),
        }
    }

    /// Does a step and writes what it found. `false`: it was stopped.
    fn perform(&mut self, battery: &Battery, step: Step, clock: &mut Real<'_>) -> anyhow::Result<bool> {
        let began = Instant::now();
        let part = match step {
            Step::Machine => {
                let machine = Machine::detect(&self.topology, env!("CARGO_PKG_VERSION"), own_signature()?);
                self.machine = Some(machine.clone());
                Part::Machine(machine)
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
            "rounds": rounds, "provenance": crate::provenance::provenance(),
        });
        self.folder.write("battery", &document.to_string())?;
        if as_json {
            println!("{document}");
        } else {
            if let Some(machine) = &self.machine {
                println!("{}", machine.name);
                crate::topology::print_lines(&self.topology, &machine.lines);
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
