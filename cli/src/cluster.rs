//! Leading and serving a cluster: this process as one of those that `mpirun` has started (docs/cluster.md).
//!
//! All ranks run the same command. Rank 0 runs it as it would alone, and what it does (a search, a game) it shares with
//! the others; they read the same options and then do as they are asked.

#[path = "cluster/brain.rs"]
mod brain;
#[cfg(test)]
#[path = "cluster/by_hand.rs"]
mod by_hand;
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
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use sys::ranks::{Launched, is_bound, is_first_here};
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

/// How it is told that a rank takes its time.
struct Notice<'n> {
    /// After so long, once.
    after: Duration,
    tell: &'n dyn Fn(&str),
}

/// On standard error, when people begin to wonder.
const USUAL: Notice<'static> =
    Notice { after: Duration::from_secs(5), tell: &|text| eprintln!("firstborn: {text}") };

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
    /// Where it is, in words.
    pub fn place(&self) -> String {
        place(&self.member, self.rank)
    }

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
    if let Some(threads) = threads_wanted(&cli, words) {
        warn_of_binding(member.rank(), threads);
    }
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

/// How many threads this rank is asked for, 0 for as many as suit its machine. `None` where its processors are no
/// measure of them.
fn threads_wanted(cli: &Cli, words: &[String]) -> Option<usize> {
    use Command::{Analyze, Scaling, Suite, Tournament};
    let value = |option: &str| {
        let behind = words.iter().skip_while(|word| *word != option).nth(1);
        let glued = || words.iter().find_map(|word| word.strip_prefix(option)?.strip_prefix('='));
        behind.map(String::as_str).or_else(glued)
    };
    let threads = value("--threads").and_then(|threads| threads.parse().ok());
    match &cli.command {
        // A study's threads are simulated.
        Some(Scaling(_)) => None,
        Some(Analyze(_) | Suite(_)) => threads.or(Some(0)),
        Some(Tournament(_)) => {
            let takes_all = ["--budget", "--cores"].into_iter().all(|option| value(option).is_none());
            takes_all.then_some(0)
        }
        _ => threads,
    }
}

/// MPI may have left this rank fewer processors than it is to have threads (0: as many as suit its machine). It does so
/// by default, to all ranks of a machine alike, of which the first says so once.
fn warn_of_binding(rank: usize, threads: usize) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let topology = Topology::detect();
    let processors = [&topology.allowed, &topology.online].map(|fact| fact.value.count());
    if let Some(what) = too_few(threads, processors, is_bound())
        && is_first_here()
        && !TOLD.swap(true, Relaxed)
    {
        eprintln!("firstborn: rank {rank} may use {what} only (mpirun --bind-to none leaves it all)");
    }
}

/// The processors that a rank may use, in words, if they are too few for its threads (0: as many as suit the machine);
/// `is_bound`: the launcher says that it has bound the rank.
fn too_few(threads: usize, [allowed, online]: [usize; 2], is_bound: bool) -> Option<String> {
    let wanted = if threads == 0 && is_bound { online } else { threads };
    let what = || if allowed == 1 { "1 processor".to_owned() } else { format!("{allowed} processors") };
    (wanted > allowed).then(what)
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

/// A rank and its host, in words.
fn place(member: &Member, rank: usize) -> String {
    format!("rank {rank} on {}", member.host(rank))
}

/// Asks a rank something, and waits for the answer; after a while it says so. `None` once the cluster has ended, or the
/// answer is not wanted any more.
fn ask(member: &Member, rank: usize, request: Vec<u8>, given_up: &dyn Fn() -> bool) -> Option<Vec<u8>> {
    ask_with(&USUAL, member, rank, request, given_up)
}

/// The same with another notice.
fn ask_with(
    notice: &Notice<'_>,
    member: &Member,
    rank: usize,
    request: Vec<u8>,
    given_up: &dyn Fn() -> bool,
) -> Option<Vec<u8>> {
    let (asked, told) = (Instant::now(), Cell::new(false));
    let glance = || {
        if asked.elapsed() >= notice.after && !told.replace(true) {
            (notice.tell)(&format!("waiting for {}", place(member, rank)));
        }
        given_up()
    };
    member.call(rank, request, &glance)
}

/// Tells all other ranks something, in the program's own words.
pub fn order(words: String) {
    if let Some(member) = LEADING.get() {
        member.order(words);
    }
}

/// Asks every other rank the same. `difference` says how an answer differs from what is so here, if it does.
///
/// # Errors
/// The first rank that differs.
pub fn compare(request: &[u8], difference: &dyn Fn(&[u8]) -> Option<String>) -> anyhow::Result<()> {
    let Some(member) = LEADING.get() else { return Ok(()) };
    for rank in 1..member.ranks() {
        // Without an answer the cluster has ended, which is told elsewhere.
        let answer = ask(member, rank, request.to_vec(), &|| false);
        if let Some(difference) = answer.and_then(|answer| difference(&answer)) {
            let (host, leader) = (member.host(rank), member.host(0));
            return Err(Failure::Unequal { rank, host, leader, difference }.into());
        }
    }
    Ok(())
}

/// How many places each other rank has, once they have said so.
static PLACES_OF_RANKS: OnceLock<Vec<usize>> = OnceLock::new();

/// The places on other ranks, as many as each says it has; none where the answers are given up. The ranks are asked
/// once: later all their threads may be busy.
pub fn helpers(given_up: &dyn Fn() -> bool) -> Vec<Helper> {
    let Some(member) = LEADING.get() else { return Vec::new() };
    let places = PLACES_OF_RANKS.get_or_init(|| places(member, &USUAL, given_up));
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

/// How many places each other rank says it has.
fn places(member: &Member, notice: &Notice<'_>, given_up: &dyn Fn() -> bool) -> Vec<usize> {
    let ask = |rank| {
        let answer = ask_with(notice, member, rank, PLACES.to_vec(), given_up);
        answer.and_then(|answer| serde_json::from_slice(&answer).ok()).unwrap_or(0)
    };
    (1..member.ranks()).map(ask).collect()
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
        "rank": rank, "host": host, "threads": tally.threads, "nodes": tally.nodes, "sent": tally.sent,
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
    use crate::ranks::by_hand::{leader, say};
    use ::cluster::message::{Message, Talk};
    use std::cell::RefCell;

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

    /// Rank 1, played by hand, is asked and does not answer. It is named once, and given up at the third glance.
    #[test]
    fn a_rank_that_does_not_answer_is_named() {
        let (member, mut other) = leader();
        let (told, glances) = (RefCell::new(Vec::new()), Cell::new(0));
        let tell = |text: &str| told.borrow_mut().push(text.to_owned());
        let notice = Notice { after: Duration::ZERO, tell: &tell };
        let given_up = || glances.replace(glances.get() + 1) == 2;
        assert_eq!(places(&member, &notice, &given_up), [0]);
        assert_eq!(told.take(), ["waiting for rank 1 on memory-1"]);
        say(&mut other, &Message::Talk(Talk::Bye));
        member.leave().expect("nothing has failed");
    }

    /// By hand: whatever is asked for, and where nothing is, what the machine has, of which only the launcher may have
    /// taken some.
    #[test]
    fn too_few_processors_are_told() {
        for (threads, processors, is_bound, told) in [
            (4, [1, 8], true, Some("1 processor")),
            (4, [2, 8], false, Some("2 processors")),
            (2, [2, 8], true, None),
            (0, [2, 8], true, Some("2 processors")),
            (0, [8, 8], true, None),
            (0, [2, 8], false, None),
        ] {
            let case = format!("{threads} {processors:?} {is_bound}");
            assert_eq!(too_few(threads, processors, is_bound).as_deref(), told, "{case}");
        }
    }

    /// A session begins with one thread, a suite with as many as there are cores; a budget is a number, too.
    #[test]
    fn threads_are_asked_for_by_options_or_not_at_all() {
        for (line, threads) in [
            ("analyze --threads 5", Some(5)),
            ("analyze --threads=5", Some(5)),
            ("suite a.epd", Some(0)),
            ("datagen --out g", None),
            ("uci", None),
            ("scaling --clock virtual --threads 5", None),
            ("tournament --engine cmd=a --engine cmd=b", Some(0)),
            ("tournament --engine cmd=a --engine cmd=b --budget=2", None),
            ("tournament --engine cmd=a --engine cmd=b --cores 0-3", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let cli = Cli::try_parse_from(std::iter::once("firstborn".to_owned()).chain(words.clone()));
            assert_eq!(threads_wanted(&cli.expect("a command"), &words), threads, "{line}");
        }
    }

    #[test]
    fn each_count_is_told_under_its_name() {
        let tally = Tally {
            threads: 14,
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
        let others = [("nodes", 1), ("bytes", 11), ("least_depth", 12), ("rank", 13), ("threads", 14)];
        for (name, number) in entries.into_iter().chain(results).chain(others) {
            assert_eq!(told[name], number, "{name}");
        }
    }
}
