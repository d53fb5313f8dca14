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
use smp::pool::STACK;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use study::{Record, Study};

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
    let (mut out, mut records) = open_log(log)?;
    let done: HashSet<String> = records.iter().map(|record| record.id.clone()).collect();
    for (id, epd) in positions.iter().filter(|(id, _)| !done.contains(id)) {
        let record = study.search(id, &epd.position);
        // In one write: a run that is broken off leaves a whole line as a rule.
        out.write_all(format!("{}\n", serde_json::to_string(&record)?).as_bytes())?;
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

/// Opens a log to add to it, and reads what is in it. A last line without its end, which a run that was broken off may
/// leave, is taken off.
fn open_log(log: &Path) -> io::Result<(File, Vec<Record>)> {
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(log)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let records = text[..whole].lines().map(|line| Ok(serde_json::from_str(&line?)?));
    let records = records.collect::<io::Result<Vec<Record>>>()?;
    if whole < text.len() {
        file.set_len(whole as u64)?;
    }
    Ok((file, records))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str) -> String {
        let record = Record {
            id: id.to_owned(),
            fen: String::new(),
            depth: 1,
            seldepth: 1,
            longest: 1,
            nodes: 20,
            score: String::new(),
            best: None,
            legal: true,
            cpu_ms: 1.5,
            wall_ms: 1.5,
            iterations: vec![(1, 20, 1.5)],
            quiescence: 1,
            panicked: false,
        };
        format!("{}\n", serde_json::to_string(&record).unwrap())
    }

    /// The line is cut in the middle of a letter.
    #[test]
    fn a_log_goes_on_behind_its_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let (mut file, records) = open_log(&log).unwrap();
        assert!(records.is_empty());
        let torn = line("é");
        let cut = torn.find('é').unwrap() + 1;
        file.write_all(line("one").as_bytes()).unwrap();
        file.write_all(&torn.as_bytes()[..cut]).unwrap();
        let (mut file, _) = open_log(&log).unwrap();
        file.write_all(line("two").as_bytes()).unwrap();
        let (_, records) = open_log(&log).unwrap();
        let ids: Vec<&str> = records.iter().map(|record| record.id.as_str()).collect();
        assert_eq!(ids, ["one", "two"]);
    }
}
