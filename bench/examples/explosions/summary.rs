//! What all positions came to: those beyond their limits, the median and the worst.

use super::study::{Record, Study};
use figures::stats::quantile;
use std::io::{self, Write};
use thinking::score::MAX_PLY;

/// How late a search may end, in milliseconds.
const LATE: f64 = 50.0;
/// How many of the worst are shown.
const WORST: usize = 10;

/// What a record has against it; nothing as a rule.
fn faults(record: &Record, study: &Study) -> Vec<&'static str> {
    let limit = study.time.as_secs_f64() * 1000.0;
    [
        (record.panicked, "panic"),
        (record.cpu_ms > limit + LATE, "late"),
        (record.seldepth as usize >= MAX_PLY - 1 || record.longest >= MAX_PLY - 1, "longest line"),
        (!record.legal, "illegal move"),
        (record.depth < study.depth && record.cpu_ms < limit, "stopped early"),
    ]
    .into_iter()
    .filter_map(|(wrong, name)| wrong.then_some(name))
    .collect()
}

/// By how much the last finished iteration multiplied the nodes.
fn growth(record: &Record) -> f64 {
    let nodes: Vec<u64> = record.iterations.iter().map(|&(_, nodes, _)| nodes).collect();
    match nodes[..] {
        [.., before, last] => last as f64 / before.max(1) as f64,
        _ => 1.0,
    }
}

pub fn write(out: &mut impl Write, records: &[Record], study: &Study) -> io::Result<()> {
    for (kind, name) in [("", "all"), ("e", "endgames"), ("b", "blocked"), ("q", "promoted")] {
        let of_kind: Vec<&Record> = records.iter().filter(|record| record.id.starts_with(kind)).collect();
        if of_kind.is_empty() {
            continue;
        }
        let beyond = of_kind.iter().filter(|record| !faults(record, study).is_empty()).count();
        let deep = of_kind.iter().filter(|record| record.depth >= study.depth).count();
        let median = |value: fn(&Record) -> f64| {
            let mut values: Vec<f64> = of_kind.iter().map(|record| value(record)).collect();
            values.sort_by(f64::total_cmp);
            quantile(&values, 0.5)
        };
        let most = |value: fn(&Record) -> f64| of_kind.iter().map(|r| value(r)).fold(0.0, f64::max);
        writeln!(
            out,
            "{name}: {} positions, {beyond} beyond their limits, {deep} reached depth {}; median {:.0} nodes, \
             {:.1} ms; most {:.0} nodes, {:.1} ms; longest line {:.0} plies; largest quiescence {:.0} nodes",
            of_kind.len(),
            study.depth,
            median(|r| r.nodes as f64),
            median(|r| r.cpu_ms),
            most(|r| r.nodes as f64),
            most(|r| r.cpu_ms),
            most(|r| f64::from(r.seldepth).max(r.longest as f64)),
            most(|r| r.quiescence as f64),
        )?;
    }
    for record in records {
        let faults = faults(record, study);
        if !faults.is_empty() {
            writeln!(out, "BEYOND {}: {}", faults.join(", "), row(record))?;
        }
    }
    worst(out, "Most time", records, |record| record.cpu_ms)?;
    worst(out, "Greatest growth in the last iteration", records, growth)?;
    worst(out, "Longest lines", records, |record| f64::from(record.seldepth).max(record.longest as f64))?;
    worst(out, "Largest quiescence searches", records, |record| record.quiescence as f64)
}

fn worst(
    out: &mut impl Write,
    title: &str,
    records: &[Record],
    value: impl Fn(&Record) -> f64,
) -> io::Result<()> {
    let mut order: Vec<&Record> = records.iter().collect();
    order.sort_by(|a, b| value(b).total_cmp(&value(a)));
    writeln!(out, "\n{title}:")?;
    order.iter().take(WORST).try_for_each(|record| writeln!(out, "  {}", row(record)))
}

fn row(record: &Record) -> String {
    format!(
        "{} depth {}/{} longest {} nodes {} {:.0} ms growth {:.2} quiescence {} {} | {}",
        record.id,
        record.depth,
        record.seldepth,
        record.longest,
        record.nodes,
        record.cpu_ms,
        growth(record),
        record.quiescence,
        record.score,
        record.fen
    )
}
