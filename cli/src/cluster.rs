//! Leading and serving a cluster: this process as one of those that `mpirun` has started (docs/cluster.md).
//!
//! All ranks run the same command. Rank 0 runs it as it would alone, and what it does (a search, a game) it shares with
//! the others; they read the same options and then do as they are asked.

#[path = "cluster/brain.rs"]
mod brain;
#[path = "cluster/mpi.rs"]
mod mpi;
#[path = "cluster/serve.rs"]
mod serve;

use self::mpi::Mpi;
use crate::provenance::program;
use crate::{Cli, Command};
use ::cluster::member::{Failure, Identity, Member, PATIENCE, Settings, Tally};
use ::cluster::search::mark;
use anyhow::bail;
use clap::Parser;
use nnue::Network;
use serde_json::{Value, json};
use smp::pool::Pool;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use sys::ranks::{Launched, is_first_here};
use sys::topology::Topology;
use sys::turn::{self, Turn};

pub use brain::led;

/// The option that names a network.
const EVAL_FILE: &str = "--eval-file";

/// The cluster that this process leads.
static LEADING: OnceLock<Arc<Member>> = OnceLock::new();

/// Options that may differ from machine to machine, and whether a value follows.
const OF_MACHINES: [(&str, bool); 5] =
    [("--threads", true), ("--hash", true), ("--bind", false), ("--cores", true), ("--budget", true)];

/// Asks a rank how much it computes at once.
pub const PLACES: &[u8] = b"places";

/// What is exchanged in a search of all ranks.
#[derive(clap::Args, Clone, Debug)]
pub struct Sharing {
    /// In a search over several ranks, exchange no table entries, only results of iterations and votes
    #[arg(long)]
    no_exchange: bool,
}

/// A place on another rank that computes what it is asked.
pub struct Helper {
    member: Arc<Member>,
    rank: usize,
}

impl Helper {
    /// Asks, and waits for the answer. `None` once the cluster has ended, or the answer is not wanted any more.
    pub fn ask(&self, request: Vec<u8>, given_up: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        self.member.call(self.rank, request, given_up)
    }
}

/// Runs a command as one of several ranks.
pub fn run(launched: &Launched, words: &[String]) -> anyhow::Result<ExitCode> {
    let cli = Cli::parse();
    if !works_over_ranks(&cli) {
        if launched.rank > 0 {
            return Ok(ExitCode::FAILURE);
        }
        bail!("this command does not run over several ranks ({}={})", launched.variable, launched.ranks);
    }
    let on_failure = |failure: &Failure| eprintln!("firstborn: {failure}");
    let settings =
        Settings { identity: identity(&cli, words), patience: PATIENCE, on_failure: Box::new(on_failure) };
    let start = || {
        // The thread that talks is woken past those that search, which never pause: what it brings would come
        // milliseconds late. Only a hint, as for the session's threads.
        let _ = turn::set_current(Turn::Short);
        Mpi::start()
    };
    let member = match Member::join(start, settings) {
        Ok(member) => Arc::new(member),
        // Rank 0 has said why.
        Err((Some(0), _) | (_, Failure::Refused(_))) => return Ok(ExitCode::FAILURE),
        Err((_, failure)) => return Err(failure.into()),
    };
    // Each of several processes would take itself for the only one, and write to the others' files. Other differences
    // are no fault: a launcher may have started another, or speak of a part of the ranks.
    if member.ranks() == 1 {
        member.leave()?;
        let Launched { rank, ranks, variable } = launched;
        bail!(
            "started as process {rank} of {ranks} ({variable}), but MPI sees 1 only: the launcher is that of another \
             MPI than this program is built with"
        );
    }
    warn_of_binding(&cli, words, member.rank());
    if member.rank() > 0 {
        // A batch system signals all ranks, and rank 0 decides how they end. Without a handler they die of it.
        let _ = crate::interrupt::on_signal(|| {});
        if let Err(error) = serve::serve(cli, &member) {
            member.fail(format!("{error:#}"));
        }
        member.leave()?;
        return Ok(ExitCode::SUCCESS);
    }
    let leading = LEADING.get_or_init(|| Arc::clone(&member));
    let code = crate::run(cli);
    leading.leave()?;
    code
}

/// MPI may have left this rank fewer processors than it is to have threads; it does so by default, to all ranks of a
/// machine alike, of which the first says so.
fn warn_of_binding(cli: &Cli, words: &[String], rank: usize) {
    let behind = words.iter().skip_while(|word| *word != "--threads").nth(1);
    let glued = words.iter().find_map(|word| word.strip_prefix("--threads="));
    let wanted = behind.map(String::as_str).or(glued).and_then(|threads| threads.parse::<usize>().ok());
    let allowed = Topology::detect().allowed.value.count();
    // A study's threads are simulated.
    let is_study = matches!(cli.command, Some(Command::Scaling(_)));
    if wanted.is_some_and(|wanted| wanted > allowed) && !is_study && is_first_here() {
        let what = if allowed == 1 { "1 processor".to_owned() } else { format!("{allowed} processors") };
        eprintln!("firstborn: rank {rank} may use {what} only (mpirun --bind-to none leaves it all)");
    }
}

fn works_over_ranks(cli: &Cli) -> bool {
    use Command::{Analyze, Datagen, Scaling, Suite, Tournament, Uci, Xboard};
    match &cli.command {
        None | Some(Xboard | Analyze(_) | Suite(_) | Datagen(_) | Tournament(_)) => true,
        Some(Uci(args)) => args.virtual_clock.is_none(),
        Some(Scaling(args)) => args.is_virtual(),
        Some(_) => false,
    }
}

/// The files that a command reads, whose contents have to be the same on all ranks. A network is compared by its mark.
fn files_read(cli: &Cli) -> Vec<PathBuf> {
    match &cli.command {
        Some(Command::Suite(args)) => args.files.clone(),
        Some(Command::Scaling(args)) => args.files_read(),
        Some(Command::Tournament(args)) => args.files_read(),
        _ => Vec::new(),
    }
}

/// The name of a file and what tells its contents; `None` if it cannot be read, which the command itself will say.
fn contents(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_string_lossy();
    let bytes = file.is_file().then(|| std::fs::read(file).ok()).flatten()?;
    Some(format!("{name} with CRC-32 {:08x}", crc32fast::hash(&bytes)))
}

/// This program and what it was asked to do.
fn identity(cli: &Cli, words: &[String]) -> Identity {
    let program = program();
    let mut options = Vec::new();
    let mut network = format!("{:016x}", mark(&Network::embedded()));
    // A study's threads are what it studies.
    let of_machines =
        if words.first().is_some_and(|word| word == "scaling") { &[][..] } else { &OF_MACHINES[..] };
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if name == EVAL_FILE {
            // Its content counts. A file that cannot be read is an error of the command itself.
            let file = value.or_else(|| rest.peek().map(|next| next.as_str())).unwrap_or_default();
            network =
                Network::load(Path::new(file)).map_or(network, |loaded| format!("{:016x}", mark(&loaded)));
        }
        match of_machines.iter().find(|(known, _)| *known == name) {
            None => options.push(word.clone()),
            Some((_, true)) if value.is_none() => {
                rest.next();
            }
            Some(_) => {}
        }
    }
    options.extend(files_read(cli).iter().filter_map(|file| contents(file)));
    if let Some(Command::Tournament(args)) = &cli.command {
        options.extend(args.settings_read());
        options.extend(args.older_rules());
    }
    let commit = program.commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
    let version = format!("{}{commit}", program.version);
    Identity { host: String::new(), version, network, options }
}

/// Makes the searches of a pool those of all ranks.
pub fn lead(pool: &mut Pool, sharing: &Sharing) {
    if let Some(member) = LEADING.get() {
        member.exchange_entries(!sharing.no_exchange);
        member.lead(pool);
    }
}

/// Are there other ranks?
pub fn over_ranks() -> bool {
    LEADING.get().is_some_and(|member| member.ranks() > 1)
}

/// How many places each other rank has, once they have said so.
static PLACES_OF_RANKS: OnceLock<Vec<usize>> = OnceLock::new();

/// The places on other ranks, as many as each says it has. They are asked once: later all their threads may be busy.
pub fn helpers() -> Vec<Helper> {
    let Some(member) = LEADING.get() else { return Vec::new() };
    let ask = |rank| {
        let answer = member.call(rank, PLACES.to_vec(), &|| false);
        answer.and_then(|answer| serde_json::from_slice::<usize>(&answer).ok()).unwrap_or(0)
    };
    let places = PLACES_OF_RANKS.get_or_init(|| (1..member.ranks()).map(ask).collect());
    let most = places.iter().copied().max().unwrap_or(0);
    let place = |rank| Helper { member: Arc::clone(member), rank };
    // One after the other on each rank, so that few games are spread over all.
    let has = |&(_, rank): &(usize, usize)| places[rank - 1];
    (0..most)
        .flat_map(|number| (1..member.ranks()).map(move |rank| (number, rank)))
        .filter(|place| place.0 < has(place))
        .map(|(_, rank)| place(rank))
        .collect()
}

/// What each rank exchanged in the last search.
pub fn exchanged() -> Vec<Value> {
    let Some(member) = LEADING.get() else { return Vec::new() };
    let rank = |(rank, tally): (usize, &Tally)| described(rank, &member.host(rank), tally);
    member.tallies().iter().enumerate().map(rank).collect()
}

/// The same of one rank, for people and programs to read.
fn described(rank: usize, host: &str, tally: &Tally) -> Value {
    json!({
        "rank": rank, "host": host, "nodes": tally.nodes, "sent": tally.sent,
        "dropped": tally.dropped, "received": tally.received, "probed": tally.probed, "cut": tally.cut,
        "results_sent": tally.results_sent, "results_received": tally.results_received,
        "results_used": tally.results_used, "bytes": tally.bytes, "least_depth": tally.least_depth,
    })
}

/// The member that leads, for the brain.
fn leading() -> Option<&'static Arc<Member>> {
    LEADING.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a rank with this command line tells rank 0 of its options.
    fn options(words: &[&str]) -> Vec<String> {
        let line = std::iter::once("firstborn").chain(words.iter().copied());
        let cli = Cli::try_parse_from(line).expect("a command");
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        identity(&cli, &words).options
    }

    /// How much of its machine a rank takes is its own affair. A study's threads and tables are simulated: its ranks
    /// have to plan the same searches.
    #[test]
    fn the_threads_of_a_study_are_those_of_all_ranks() {
        let same = |command: [&str; 3], option: &str| {
            let [one, other] = ["2", "4"].map(|value| options(&[&command[..], &[option, value]].concat()));
            one == other
        };
        for option in ["--threads", "--hash"] {
            assert!(same(["analyze", "--depth", "5"], option), "{option}");
            assert!(!same(["scaling", "--clock", "virtual"], option), "{option}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("depths.epd");
        let [one, other] = ["acd 3;", "acd 4;"].map(|depth| {
            std::fs::write(&file, format!("8/8/4k3/3p4/3P4/4K3/8/8 w - - {depth}\n")).expect("a file");
            let name = file.to_str().expect("a plain name");
            options(&["scaling", "--clock", "virtual", "--depths", name])
        });
        assert_ne!(one, other, "files of one name");
    }

    #[test]
    fn each_count_is_told_under_its_name() {
        let tally = Tally {
            nodes: 1,
            tablebase_hits: 2,
            sent: 3,
            dropped: 4,
            received: 5,
            probed: 6,
            cut: 7,
            results_sent: 8,
            results_received: 9,
            results_used: 10,
            bytes: 11,
            least_depth: 12,
        };
        let told = described(13, "here", &tally);
        assert_eq!(told["host"], "here");
        let entries = [("sent", 3), ("dropped", 4), ("received", 5), ("probed", 6), ("cut", 7)];
        let results = [("results_sent", 8), ("results_received", 9), ("results_used", 10)];
        let others = [("nodes", 1), ("bytes", 11), ("least_depth", 12), ("rank", 13)];
        for (name, number) in entries.into_iter().chain(results).chain(others) {
            assert_eq!(told[name], number, "{name}");
        }
    }
}
