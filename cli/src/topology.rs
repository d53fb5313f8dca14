//! `firstborn topology`: what was found of the machine, and what follows for the number of threads.

use ::bench::battery::machine::{Line, Times, by_relation, time_lines};
use figures::table::counted;
use serde_json::json;
use std::process::ExitCode;
use sys::topology::Topology;

/// Show the processors, the source of each fact, and the number of threads that `analyze`, `suite` and `speedtest`
/// take by default
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// Measure how long a cache line takes between processors, too: up to 276 pairs that share a core, a cache, a
    /// package, or the machine alone
    #[arg(long)]
    lines: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let topology = Topology::detect();
    let provenance = crate::provenance::provenance();
    let advice = topology.recommended_threads();
    let (lines, refused) = if args.lines { time_lines(&topology) } else { (Vec::new(), None) };
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
            "sources": topology.sources(),
            "threads": advice.threads,
            "reasons": advice.reasons,
            "lines": args.lines.then_some(&lines),
            "lines_refused": refused,
        });
        println!("{document}");
    } else {
        println!("{provenance}\n{topology}\n{advice}");
        if args.lines {
            print_lines(&topology, &lines, refused.as_deref());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells how long lines take between processors; `refused`: why some of them could not be timed.
pub fn print_lines(topology: &Topology, lines: &[Line], refused: Option<&str>) {
    let relations = by_relation(topology, lines);
    if relations.is_empty() {
        println!("a line between processors: not measured, there is one only");
    }
    for times in relations {
        println!("{}", in_words(&times));
    }
    if let Some(why) = refused {
        println!("lines that could not be timed: {why}");
    }
}

fn in_words(times: &Times) -> String {
    let &Times { relation, pairs, timed, ns } = times;
    let between = format!("a line between processors {}", relation.name());
    let all_pairs = counted(pairs as u64, "pair");
    let Some([least, median, most]) = ns else { return format!("{between}: not measured ({all_pairs})") };
    if pairs == 1 {
        return format!("{between}: {median:.0} ns ({all_pairs})");
    }
    let all = if timed < pairs { format!("{timed} of {pairs}") } else { timed.to_string() };
    format!("{between}: {median:.0} ns (median of {all} pairs, {least:.0} to {most:.0})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::bench::battery::machine::Relation;

    #[test]
    fn what_was_not_timed_is_told() {
        let words = |timed, ns| in_words(&Times { relation: Relation::Machine, pairs: 576, timed, ns });
        let between = "a line between processors of different packages:";
        let ns = Some([100.0, 150.0, 190.0]);
        assert_eq!(words(576, ns), format!("{between} 150 ns (median of 576 pairs, 100 to 190)"));
        assert_eq!(words(276, ns), format!("{between} 150 ns (median of 276 of 576 pairs, 100 to 190)"));
        assert_eq!(words(0, None), format!("{between} not measured (576 pairs)"));
    }

    #[test]
    fn one_pair_has_no_median() {
        let words = |timed, ns| in_words(&Times { relation: Relation::Core, pairs: 1, timed, ns });
        let between = "a line between processors of one core:";
        assert_eq!(words(1, Some([150.0; 3])), format!("{between} 150 ns (1 pair)"));
        assert_eq!(words(0, None), format!("{between} not measured (1 pair)"));
    }
}
