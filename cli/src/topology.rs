//! `firstborn topology`: what was found of the machine, and what follows for the number of threads.

use ::bench::battery::machine::{Line, by_relation, time_lines};
use serde_json::json;
use std::process::ExitCode;
use sys::topology::Topology;

/// Show the processors, the source of each fact, and the default number of threads
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// Measure how long a cache line takes between processors, too
    #[arg(long)]
    lines: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let topology = Topology::detect();
    let provenance = crate::provenance::provenance();
    let advice = topology.recommended_threads();
    let lines = if args.lines { time_lines(&topology) } else { Vec::new() };
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
            "lines": args.lines.then_some(&lines),
        });
        println!("{document}");
    } else {
        println!("{provenance}\n{topology}\n{advice}");
        if args.lines {
            print_lines(&topology, &lines);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells how long lines take between processors.
pub fn print_lines(topology: &Topology, lines: &[Line]) {
    if lines.is_empty() {
        println!("a line between processors: not measured; there is one only, or threads cannot be bound");
    }
    for (relation, pairs, [least, median, most]) in by_relation(topology, lines) {
        println!(
            "a line between processors {}: {median:.0} ns (median of {pairs} pairs, {least:.0} to {most:.0})",
            relation.name()
        );
    }
}
