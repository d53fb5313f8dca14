//! `firstborn topology`: what was found of the machine, and what follows for the number of threads.

use serde_json::json;
use std::process::ExitCode;
use sys::topology::Topology;

/// Show the processors found, where each fact was read, and how many threads follow
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let topology = Topology::detect();
    let provenance = crate::provenance::provenance();
    let advice = topology.recommended_threads();
    if args.json {
        let sets = |sets: &[sys::affinity::CpuSet]| sets.iter().map(ToString::to_string).collect::<Vec<_>>();
        let document = json!({
            "schema": 1,
            "machine": provenance.machine.to_string(),
            "provenance": provenance,
            "online": topology.online.value.to_string(),
            "allowed": topology.allowed.value.to_string(),
            "quota": topology.quota.as_ref().map(|quota| quota.value),
            "cores": sets(&topology.cores.value),
            "packages": sets(&topology.packages.value),
            "caches": sets(&topology.caches.value),
            "nodes": sets(&topology.nodes.value),
            "kinds": sets(&topology.kinds.value),
            "threads": advice.threads,
            "reasons": advice.reasons,
        });
        println!("{document}");
    } else {
        println!("{provenance}\n{topology}\n{advice}");
    }
    Ok(ExitCode::SUCCESS)
}
