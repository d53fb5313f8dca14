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
use crate::provenance::{fingerprint, program};
use crate::{Cli, Command};
use ::cluster::member::{Failure, Identity, Member, PATIENCE, Settings, Tally};
use anyhow::bail;
use clap::Parser;
use nnue::Network;
use serde_json::{Value, json};
use smp::pool::Pool;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use sys::ranks::Launched;

pub use brain::led;

/// The option that names a network.
const EVAL_FILE: &str = "--eval-file";

/// The cluster that this process leads.
static LEADING: OnceLock<Arc<Member>> = OnceLock::new();

/// Options that may differ from machine to machine.
const OF_MACHINES: [&str; 3] = ["--threads", "--hash", "--bind"];

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
        Settings { identity: identity(words), patience: PATIENCE, on_failure: Box::new(on_failure) };
    let member = match Member::join(Mpi::start, settings) {
        Ok(member) => Arc::new(member),
        // Rank 0 has said why.
        Err((Some(0), _) | (_, Failure::Refused(_))) => return Ok(ExitCode::FAILURE),
        Err((_, failure)) => return Err(failure.into()),
    };
    if member.rank() > 0 {
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

fn works_over_ranks(cli: &Cli) -> bool {
    use Command::{Analyze, Datagen, Scaling, Suite, Tournament, Uci, Xboard};
    match &cli.command {
        None | Some(Xboard | Analyze(_) | Suite(_) | Datagen(_) | Tournament(_)) => true,
        Some(Uci(args)) => args.virtual_clock.is_none(),
        Some(Scaling(args)) => args.is_virtual(),
        Some(_) => false,
    }
}

/// This program and what it was asked to do.
fn identity(words: &[String]) -> Identity {
    let program = program();
    let mut options = Vec::new();
    let mut network = program.network;
    // A study's threads are what it studies.
    let of_machines =
        if words.first().is_some_and(|word| word == "scaling") { &[][..] } else { &OF_MACHINES };
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if name == EVAL_FILE {
            // Its content counts. A file that cannot be read is an error of the command itself.
            let file = value.or_else(|| rest.peek().map(|next| next.as_str())).unwrap_or_default();
            network = Network::load(Path::new(file)).map_or(network, |loaded| fingerprint(&loaded));
        }
        if !of_machines.contains(&name) {
            options.push(word.clone());
        } else if value.is_none() {
            rest.next_if(|next| !next.starts_with("--"));
        }
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

/// The places on other ranks, so many on each.
pub fn helpers(places: usize) -> Vec<Helper> {
    let Some(member) = LEADING.get() else { return Vec::new() };
    let place = |rank| Helper { member: Arc::clone(member), rank };
    // One after the other on each rank, so that few games are spread over all.
    (0..places).flat_map(|_| (1..member.ranks()).map(place)).collect()
}

/// What each rank exchanged in the last search.
pub fn exchanged() -> Vec<Value> {
    let Some(member) = LEADING.get() else { return Vec::new() };
    let rank = |(rank, tally): (usize, &Tally)| {
        json!({
            "rank": rank, "host": member.host(rank), "nodes": tally.nodes, "sent": tally.sent,
            "dropped": tally.dropped, "received": tally.received, "probed": tally.probed, "cut": tally.cut,
            "results_sent": tally.results_sent, "results_received": tally.results_received,
            "results_used": tally.results_used, "bytes": tally.bytes, "least_depth": tally.least_depth,
        })
    };
    member.tallies().iter().enumerate().map(rank).collect()
}

/// The member that leads, for the brain.
fn leading() -> Option<&'static Arc<Member>> {
    LEADING.get()
}
