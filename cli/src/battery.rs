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
use std::sync::atomic::Ordering::Relaxed;
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
    let binds = affinity::current().and_then(|cpus| affinity::set_current(&cpus)).is_ok();
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
    let powers = (1..).map(|power| 1 << power).take_while(|&threads| threads <= processors.min(MOST_THREADS));
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

/// Processors that may be used at once: the quota of a control group stops further threads for a part of every
/// period.
fn processors(topology: &Topology) -> usize {
    let quota = topology.quota.as_ref().map_or(usize::MAX, |quota| quota.value as usize);
    topology.allowed.value.count().min(quota).max(1)
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure!(args.minutes.is_finite() && args.minutes > 0.0, "--minutes {}: not a time", args.minutes);
    let began = Instant::now();
    let topology = Topology::detect();
    let battery = battery(args.quick, processors(&topology))?;
    let folder = Folder::open(if args.quick { args.out.join("quick") } else { args.out.clone() })?;
    let stop = stop_flag()?;
    let mut clock = Real::new(battery.hash, topology.recommended_threads().threads, &stop)?;
    let mut state = State { topology, folder, depths: Vec::new(), rounds: Vec::new(), machine: None };
    let limit = Duration::from_secs_f64(args.minutes.min(1e6) * 60.0);
    let steps = battery.steps();
    let (mut done, mut news) = (0, false);
    for &step in &steps {
        if !state.has(step)? {
            let needed = began.elapsed() + state.estimate(&battery, step);
            if needed > limit {
                if !news {
                    state.finish(&battery, false, args.json)?;
                    // The same command would come as far as this and no further.
                    bail!(
                        "--minutes {}: too few for the next part, {step} ({:.1} minutes)",
                        args.minutes,
                        needed.as_secs_f64() / 60.0
                    );
                }
                eprintln!("firstborn: {done} of {} parts done; the same command goes on", steps.len());
                break;
            }
            if !state.perform(&battery, step, &mut clock)? {
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
                let this = identity(&program.version, program.commit.as_deref(), own_figures()?);
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
                let (signature, file) = own_figures()?;
                let machine = Machine::detect(&self.topology, provenance(), signature, file);
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

#[cfg(test)]
mod tests {
    use super::*;
    use sys::topology::Fact;

    #[test]
    fn no_team_has_more_threads_than_the_quota_grants() {
        let mut topology = Topology::detect();
        topology.allowed.value = "0-31".parse().unwrap();
        for (quota, wanted) in [(None, 32), (Some(4.5), 4), (Some(64.0), 32), (Some(0.5), 1)] {
            topology.quota = quota.map(|value| Fact { value, source: String::new() });
            assert_eq!(processors(&topology), wanted, "{quota:?}");
        }
    }
}
