//! Rows and samples as comma-separated values under the names they have in the JSON document, after comment lines (`#`)
//! that say what they were measured on, and what makes them doubtful.

use super::{cautions, facts};
use crate::scaling::result::Study;
use crate::scaling::rows::Row;
use crate::scaling::sample::Exchanged;
use figures::comment;
use std::fmt::Write;

/// The lines before the headings: what it was measured with and on, which positions the rows leave out, and why figures
/// are not to be believed.
fn head(study: &Study) -> String {
    let mut facts = facts(study);
    if !study.left_out.is_empty() {
        facts.push(("left out of the rows".to_owned(), study.left_out.join(", ")));
    }
    facts.extend(cautions(study).into_iter().map(|caution| ("note".to_owned(), caution)));
    comment(&facts)
}

/// The rows.
pub fn rows(study: &Study) -> String {
    let mut text = head(study);
    text.push_str(
        "scheme,machines,threads,clock,speedup,speedup_low,speedup_high,speedup_error,speedup_last,\
         speedup_depths,speedup_depths_low,speedup_depths_high,nps_ratio,nps_ratio_low,nps_ratio_high,\
         overhead,overhead_low,overhead_high,overhead_total,speedup_total,load,rate,residual,\
         positions,speedup_depths_positions,repeats,splits,joins,refused,aborted,wasted,deferred,again,\
         nodes,seconds,lines_per_node,line_ns_per_node,lock_ns_per_node,\
         sent,dropped,received,probed,cut,bytes,talking_ns\n",
    );
    for row in &study.rows {
        let ratios = [
            row.speedup,
            row.speedup_low,
            row.speedup_high,
            row.speedup_error.unwrap_or(f64::NAN),
            row.speedup_last.unwrap_or(f64::NAN),
            row.speedup_depths.unwrap_or(f64::NAN),
            row.speedup_depths_low,
            row.speedup_depths_high,
            row.nps_ratio,
            row.nps_ratio_low,
            row.nps_ratio_high,
            row.overhead,
            row.overhead_low,
            row.overhead_high,
            row.overhead_total,
            row.speedup_total,
            row.load,
            row.rate,
            row.residual,
        ];
        let tally = row.tally;
        let counts = [
            tally.splits,
            tally.joins,
            tally.refused,
            tally.aborted,
            tally.wasted,
            tally.deferred,
            tally.again,
            row.nodes,
        ];
        let ratios: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.6}")).collect();
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        add(
            &mut text,
            format_args!(
                "{},{},{},{},{},{},{},{},{},{:.6},{},{}\n",
                row.scheme,
                row.machines,
                row.threads,
                row.clock,
                ratios.join(","),
                row.positions,
                row.speedup_depths_positions,
                row.repeats,
                counts.join(","),
                row.seconds,
                per_node(row).map(|value| format!("{value:.6}")).join(","),
                exchanged(row.exchanged)
            ),
        );
    }
    text
}

/// Lines fetched and nanoseconds waited for lines and for locks, for each node; NaN where the clock knows
/// nothing of them.
fn per_node(row: &Row) -> [f64; 3] {
    row.traffic.map_or([f64::NAN; 3], |traffic| {
        [traffic.all_lines(), traffic.all_line_ns(), traffic.all_lock_ns()].map(|sum| row.each_node(sum))
    })
}

/// What machines exchanged; nothing for one on its own.
fn exchanged(exchanged: Option<Exchanged>) -> String {
    let Some(Exchanged { sent, dropped, received, probed, cut, bytes, talking_ns }) = exchanged else {
        return ",".repeat(6);
    };
    [sent, dropped, received, probed, cut, bytes, talking_ns].map(|count| count.to_string()).join(",")
}

/// Every search.
pub fn samples(study: &Study) -> String {
    let mut text = head(study);
    text.push_str(
        "scheme,machines,threads,position,repeat,depth,score,best,time_ns,nodes,idle_ns,splits,joins,\
         refused,aborted,wasted,deferred,again,lines,line_ns,lock_ns,sent,dropped,received,probed,cut,bytes,talking_ns\n",
    );
    for sample in &study.samples {
        let tally = sample.tally;
        let traffic = sample.traffic.map_or_else(
            || ",,".to_owned(),
            |traffic| format!("{},{},{}", traffic.all_lines(), traffic.all_line_ns(), traffic.all_lock_ns()),
        );
        let exchanged = exchanged((!sample.ranks.is_empty()).then(|| sample.exchanged()));
        add(
            &mut text,
            format_args!(
                "{},{},{},\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{traffic},{exchanged}\n",
                sample.scheme,
                sample.machines,
                sample.threads,
                sample.position.replace('"', "\"\""),
                sample.repeat,
                sample.depth,
                sample.score,
                sample.best,
                sample.time_ns,
                sample.total_nodes(),
                sample.idle_ns.iter().sum::<u64>(),
                tally.splits,
                tally.joins,
                tally.refused,
                tally.aborted,
                tally.wasted,
                tally.deferred,
                tally.again
            ),
        );
    }
    text
}

fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::{Fake, study};
    use crate::scaling::fits::Amdahl;
    use crate::scaling::sample::Sample;
    use serde_json::{Value, to_value};
    use smp::pool::accounts::Tally;
    use smp::simulation::coherence::Traffic;

    const TALLY: Tally =
        Tally { splits: 11, joins: 12, refused: 13, aborted: 14, wasted: 15, deferred: 16, again: 17 };
    const TRAFFIC: Traffic =
        Traffic { lines: [1, 0, 0, 0, 0, 1], line_ns: [2, 0, 0, 0, 0, 1], lock_ns: [4, 0, 0, 0, 0, 1] };

    /// No two numbers alike, and all of them short in decimals.
    fn make_distinct(row: &mut Row) {
        let ratios = [
            &mut row.speedup,
            &mut row.speedup_low,
            &mut row.speedup_high,
            &mut row.speedup_depths_low,
            &mut row.speedup_depths_high,
            &mut row.nps_ratio,
            &mut row.nps_ratio_low,
            &mut row.nps_ratio_high,
            &mut row.overhead,
            &mut row.overhead_low,
            &mut row.overhead_high,
            &mut row.overhead_total,
            &mut row.speedup_total,
            &mut row.load,
            &mut row.rate,
            &mut row.residual,
            &mut row.seconds,
        ];
        for (place, ratio) in ratios.into_iter().enumerate() {
            *ratio = 30.0 + place as f64 / 8.0;
        }
        (row.speedup_error, row.speedup_last, row.speedup_depths) = (Some(0.25), Some(0.5), Some(0.75));
        (row.threads, row.machines, row.repeats) = (2, 3, 7);
        (row.positions, row.speedup_depths_positions) = (5, 4);
        (row.nodes, row.tally, row.traffic) = (8, TALLY, Some(TRAFFIC));
        row.exchanged = Some(Exchanged {
            sent: 21,
            dropped: 22,
            received: 23,
            probed: 24,
            cut: 25,
            bytes: 26,
            talking_ns: 27,
        });
    }

    /// A number, or the sum of those of all threads or of all classes of lines.
    fn sum(value: &Value) -> f64 {
        match value {
            Value::Array(each) => each.iter().map(sum).sum(),
            Value::Object(each) => each.values().map(sum).sum(),
            number => number.as_f64().unwrap(),
        }
    }

    /// What one line has no place for.
    const LISTS: [&str; 2] = ["speedups_before", "iterations"];

    /// Holds the first line of values against the document that tells the same: every value stands under its name, and
    /// no name is missing.
    fn assert_stands_under_its_name(text: &str, document: &Value) {
        let mut lines = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(',').collect::<Vec<_>>());
        let (names, cells) = (lines.next().unwrap(), lines.next().unwrap());
        let within = ["tally", "traffic", "exchanged"];
        let parts = [document, &document[within[0]], &document[within[1]], &document[within[2]]];
        for name in parts.iter().filter_map(|part| part.as_object()).flat_map(|part| part.keys()) {
            let stands = |name: &str| names.contains(&name);
            let is_there = stands(name) || stands(&format!("{name}_per_node"));
            let has_no_place = within.contains(&name.as_str()) || LISTS.contains(&name.as_str());
            assert!(is_there != has_no_place, "{name}");
        }
        for (name, cell) in names.into_iter().zip(cells) {
            let each = name.strip_suffix("_per_node");
            let told = parts.map(|part| &part[each.unwrap_or(name)]).into_iter().find(|told| !told.is_null());
            match told {
                Some(Value::String(word)) => assert_eq!(cell.trim_matches('"'), word, "{name}"),
                Some(told) => {
                    let nodes = each.map_or(1.0, |_| sum(&document["nodes"]));
                    assert_eq!(cell.parse::<f64>().ok(), Some(sum(told) / nodes), "{name}");
                }
                None => assert!(cell.is_empty(), "{name}: {cell}"),
            }
        }
    }

    #[test]
    fn every_value_stands_under_its_name() {
        let mut study = study(&mut Fake { law: Amdahl { serial_fraction: 0.1, error: None }, left: None });
        make_distinct(&mut study.rows[0]);
        assert_stands_under_its_name(&rows(&study), &to_value(&study.rows[0]).unwrap());
        let sample: &mut Sample = &mut study.samples[0];
        (sample.threads, sample.machines, sample.repeat, sample.depth) = (2, 3, 5, 7);
        (sample.time_ns, sample.nodes, sample.idle_ns) = (99, vec![30, 1], vec![40, 1]);
        (sample.tally, sample.traffic) = (TALLY, Some(TRAFFIC));
        assert_stands_under_its_name(&samples(&study), &to_value(&study.samples[0]).unwrap());
    }

    #[test]
    fn every_line_has_a_cell_for_every_heading() {
        let study = study(&mut Fake { law: Amdahl { serial_fraction: 0.1, error: None }, left: None });
        for (text, lines) in [(rows(&study), study.rows.len()), (samples(&study), study.samples.len())] {
            assert!(text.starts_with("# program: "), "{text}");
            let lines_of_values = text.lines().filter(|line| !line.starts_with('#'));
            let cells: Vec<usize> = lines_of_values.map(|line| line.split(',').count()).collect();
            assert_eq!(cells.len(), lines + 1);
            assert!(cells.iter().all(|&count| count == cells[0]), "{text}");
        }
        // Amdahl with a tenth serial at two threads.
        assert!(rows(&study).contains("\nybw,1,2,virtual,1.818182,"), "{}", rows(&study));
    }
}
