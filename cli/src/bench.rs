//! `firstborn bench`: the signature.

use crate::options::Evaluation;
use crate::provenance::evaluated_by;
use bench::signature;
use engine::shared::Shared;
use nnue::Network;
use serde_json::json;
use std::process::ExitCode;

/// Count the nodes of a fixed search: the signature of this version
///
/// One thread, a fixed depth, a fresh table of 16 MiB: the node count is the same on every machine and in
/// every build with the same network, and changes only when the search does. The last line reads `<N> nodes <M> nps`.
///
/// With --parallel it is every scheme with 2, 4 and 8 threads on a simulated machine: the count changes only
/// when the search or what its threads do together does. The last line reads `Parallel: <N>`.
///
/// With another evaluation, or built around another network (`make EVALFILE=`), the count is another one: it compares
/// speeds and is not the signature.
#[derive(clap::Args)]
pub struct Args {
    /// Depth of every search, in plies; the signature is that of the default
    #[arg(
        long, value_name = "PLIES", default_value_t = signature::DEPTH,
        value_parser = clap::value_parser!(u32).range(1..=64)
    )]
    depth: u32,
    /// Threads; the signature is defined for one, which is all that is allowed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1))]
    threads: u16,
    /// Count the nodes of simulated searches by every scheme instead: the parallel signature
    #[arg(long, conflicts_with_all = ["depth", "threads", "eval", "eval_file"])]
    parallel: bool,
    #[command(flatten)]
    evaluation: Evaluation,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.parallel {
        return run_parallel(args.json);
    }
    let network = args.evaluation.network()?;
    let provenance = evaluated_by(network.as_deref());
    let mut number = 0;
    let total = signature::positions().count();
    let evaluate = |shared: &mut Shared| shared.network.clone_from(&network);
    let result = signature::run_with(&evaluate, args.depth, |position, nodes| {
        number += 1;
        if !args.json {
            println!("{number:>2}/{total} {nodes:>10}  {position}");
        }
    })?;
    if args.json {
        let document = json!({
            "schema": 1, "nodes": result.nodes, "nps": result.nps(), "time_ms": result.time.as_millis() as u64,
            "depth": args.depth, "threads": args.threads, "machine": provenance.machine.to_string(),
            "provenance": provenance,
        });
        println!("{document}");
    } else {
        println!("{provenance}");
        println!("{} nodes {} nps", result.nodes, result.nps());
    }
    Ok(ExitCode::SUCCESS)
}

/// The parallel signature.
fn run_parallel(as_json: bool) -> anyhow::Result<ExitCode> {
    let provenance = evaluated_by(Some(&Network::embedded()));
    let nodes = signature::run_parallel()?;
    let total: u64 = nodes.iter().sum();
    let teams = signature::parallel_teams().zip(&nodes);
    if as_json {
        let teams = teams.map(|((scheme, threads), nodes)| {
            json!({ "scheme": scheme.name(), "threads": threads, "nodes": nodes })
        });
        let teams: Vec<_> = teams.collect();
        println!(
            "{}",
            json!({
                "schema": 1, "parallel": total, "depth": signature::PARALLEL_DEPTH, "teams": teams,
                "provenance": provenance,
            })
        );
    } else {
        for ((scheme, threads), nodes) in teams {
            println!("{scheme:<10} {threads:>2} {nodes:>10}");
        }
        println!("{provenance}");
        println!("Parallel: {total}");
    }
    Ok(ExitCode::SUCCESS)
}
