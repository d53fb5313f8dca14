//! Does the search explode anywhere? A thousand positions of the kinds on which searches do, each to a depth or a time:
//!
//! ```sh
//! explosions="cargo run --release -p bench --features studies --example explosions --"
//! $explosions generate --seed 1 > bench/data/explosions.epd
//! $explosions run bench/data/explosions.epd --log LOG.jsonl
//! ```
//!
//! `generate` draws the positions, `run` searches them, one line of the log for each as soon as it is done, and sums up
//! with the worst. A log that is there already is gone on with, so a run that was broken off loses nothing.

mod generate;
mod study;
mod summary;

use chess::epd::Epd;
use clap::Parser;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use study::{Record, Study};

/// Stack of the thread that searches, in bytes: as much as a search thread of the engine has.
const STACK: usize = 16 << 20;

/// Look for positions on which the search explodes
#[derive(Parser)]
enum Command {
    /// Print positions as EPD: endgames, blocked pawns, many promoted pieces, a third each
    Generate {
        /// What the positions are drawn by
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many
        #[arg(long, default_value_t = 1000)]
        count: usize,
    },
    /// Search the positions of an EPD file with one thread
    Run {
        /// The positions; each has an id
        file: PathBuf,
        /// Where the results go, a JSON document on each line; those already in it are not searched again
        #[arg(long)]
        log: PathBuf,
        /// Iterations, in plies
        #[arg(long, default_value_t = 12)]
        depth: u32,
        /// Most processor time for a position, in milliseconds
        #[arg(long, default_value_t = 10_000)]
        time: u64,
        /// Size of the transposition table, in MiB
        #[arg(long, default_value_t = 16)]
        hash: usize,
    },
}

fn main() -> ExitCode {
    let run = || match Command::parse() {
        Command::Generate { seed, count } => generate::write(&mut io::stdout().lock(), seed, count),
        Command::Run { file, log, depth, time, hash } => {
            let study = Study::new(depth, std::time::Duration::from_millis(time), hash)?;
            search_all(&study, &file, &log)
        }
    };
    let searched =
        std::thread::Builder::new().stack_size(STACK).spawn(run).map(std::thread::JoinHandle::join);
    match searched {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(error))) => complain(&error),
        Ok(Err(_)) => complain(&io::Error::other("it panicked")),
        Err(error) => complain(&error),
    }
}

fn complain(error: &io::Error) -> ExitCode {
    // If it is not read, the exit code still says so.
    let _ = writeln!(io::stderr(), "explosions: {error}");
    ExitCode::FAILURE
}

/// Searches what the log does not have yet, and sums up all of it.
fn search_all(study: &Study, file: &Path, log: &Path) -> io::Result<()> {
    let positions = read_positions(file)?;
    let mut records = if log.exists() { read_log(log)? } else { Vec::new() };
    let done: HashSet<String> = records.iter().map(|record| record.id.clone()).collect();
    let mut out = OpenOptions::new().create(true).append(true).open(log)?;
    for (id, epd) in positions.iter().filter(|(id, _)| !done.contains(id)) {
        let record = study.search(id, &epd.position);
        writeln!(out, "{}", serde_json::to_string(&record)?)?;
        out.flush()?;
        records.push(record);
    }
    summary::write(&mut io::stdout().lock(), &records, study)
}

fn read_positions(file: &Path) -> io::Result<Vec<(String, Epd)>> {
    let mut positions = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(File::open(file)?).lines()) {
        let line = line?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let place = || format!("{}:{number}", file.display());
        let epd: Epd = line.parse().map_err(|error| io::Error::other(format!("{}: {error}", place())))?;
        let id = epd.id.clone().ok_or_else(|| io::Error::other(format!("{}: no id", place())))?;
        positions.push((id, epd));
    }
    Ok(positions)
}

fn read_log(log: &Path) -> io::Result<Vec<Record>> {
    BufReader::new(File::open(log)?).lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
