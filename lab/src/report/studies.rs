//! What each study looks like as a report.

use crate::algorithms::REGISTER;
use crate::enhanced::register::SWITCHES;
use crate::parallel::Scheme;
use crate::show::Shown;
use crate::study::GivenUp;
use crate::study::claims::{Claims, Verdict};
use crate::study::contest::Comparison;
use crate::study::figure8::{Figure8, Point, SERIES, size_label};
use crate::study::grove::Solutions;
use crate::study::paired::text;
use crate::study::scaling::Scaling;
use crate::tally::Tally;
use figures::stats::FEW;
use figures::table::{count, counted, fixed, interval};
use figures::{Chart, Finding, Findings, Report, Scale, Series, Table, Tone};
use std::collections::BTreeSet;

/// What a tally counts, by name, for tables of data; none of what the search did not count.
fn counts(t: &Tally) -> [(&'static str, Option<u64>); 30] {
    let b = &t.table;
    [
        ("horizon", Some(t.horizon)),
        ("finished", Some(t.finished)),
        ("interior", Some(t.interior)),
        ("cut", t.cut),
        ("all", t.all),
        ("quiescence", Some(t.quiescence)),
        ("frontier", Some(t.frontier)),
        ("evaluations", Some(t.evaluations)),
        ("re_searches", Some(t.re_searches)),
        ("passes", Some(t.passes)),
        ("guard", Some(t.guard)),
        ("probes", Some(b.probes)),
        ("hits", Some(b.hits)),
        ("ordering", Some(b.ordering)),
        ("narrowing", Some(b.narrowing)),
        ("cutoffs", Some(b.cutoffs)),
        ("etc_cutoffs", Some(t.etc_cutoffs)),
        ("null_cutoffs", Some(t.null_cutoffs)),
        ("null_refused", Some(t.null_refused)),
        ("probcut_cutoffs", Some(t.probcut_cutoffs)),
        ("pruned", Some(t.pruned)),
        ("extended", Some(t.extended)),
        ("reduced", Some(t.reduced)),
        ("first_cuts", t.order.map(|order| order.first)),
        ("stored_cut_nodes", t.order.map(|order| order.stored)),
        ("stored_cuts", t.order.map(|order| order.stored_cut)),
        ("tactical_cuts", t.order.map(|order| order.tactical)),
        ("open_windows", t.open_windows),
        ("etc_nodes", Some(b.etc_nodes)),
        ("etc_probes", Some(b.etc_probes)),
    ]
}

/// A count in a table for readers; `-` where the search did not count.
fn known(number: Option<u64>) -> String {
    number.map_or_else(|| "-".into(), count)
}

/// Per cent of the CUT nodes that the first move searched has left; nothing for a textbook form, which does
/// not count it.
fn first_moves(t: &Tally) -> String {
    let order = t.order.filter(|order| order.cut > 0);
    order.map_or_else(|| "-".into(), |order| fixed(100.0 * order.first as f64 / order.cut as f64, 1))
}

/// A table of data: some columns, then all counts.
fn data(headings: &[&str]) -> Table {
    let names = counts(&Tally::default()).map(|(name, _)| name);
    Table::new("data", &[headings, &names].concat())
}

fn data_row(cells: &[String], tally: &Tally) -> Vec<String> {
    let cell = |(_, count): (_, Option<u64>)| count.map_or_else(String::new, |count| count.to_string());
    cells.iter().cloned().chain(counts(tally).map(cell)).collect()
}

/// So many times the minimal tree; nothing where the trees end before their horizon.
fn of_minimal(horizon: u64, minimal: f64) -> String {
    if horizon == 0 || minimal <= 0.0 { "-".into() } else { fixed(horizon as f64 / minimal, 2) }
}

/// A note that the study was stopped, if it was.
fn stopped(left_out: usize, what: &str) -> Option<String> {
    (left_out > 0).then(|| format!("Stopped early: {} missing.", counted(left_out as u64, what)))
}

/// A note on each that was given up.
fn given_up(all: &[GivenUp]) -> impl Iterator<Item = String> {
    all.iter().map(|one| format!("{one}."))
}

/// A comparison: one row for each contestant.
pub fn comparison(study: &Comparison) -> Report {
    let headings = [
        "contestant",
        "value",
        "horizon",
        "of minimal",
        "nodes against the first",
        "finished",
        "interior",
        "CUT",
        "ALL",
        "first move cuts %",
        "evaluations",
        "re-searches",
        "passes",
        "CPU s",
    ];
    let mut work = Table::new("Work on all trees together", &headings);
    let headings = [
        "contestant",
        "probes",
        "hits",
        "ordering",
        "narrowing",
        "cut-offs",
        "ETC",
        "null",
        "ProbCut",
        "pruned",
        "extended",
        "reduced",
    ];
    let mut memory = Table::new("Memory and pruning", &headings);
    let columns = [
        "contestant",
        "safe",
        "trees",
        "differ",
        "minimal",
        "nodes_percent",
        "nodes_low",
        "nodes_high",
        "cpu_seconds",
    ];
    let mut plain = data(&columns);
    for row in &study.rows {
        let t = &row.tally;
        let agreement = match (row.wrong, row.safe) {
            (0, true) => "same".to_owned(),
            (0, false) => "same (unsafe)".to_owned(),
            (1, safe) => format!("1 differs{}", if safe { "" } else { " (unsafe)" }),
            (n, safe) => format!("{n} differ{}", if safe { "" } else { " (unsafe)" }),
        };
        work.row([
            row.contestant.clone(),
            agreement,
            count(t.horizon),
            of_minimal(t.horizon, study.minimal),
            row.against_first.map_or_else(String::new, text),
            count(t.finished),
            count(t.interior),
            known(t.cut),
            known(t.all),
            first_moves(t),
            count(t.evaluations),
            count(t.re_searches),
            count(t.passes),
            format!("{:.3}", row.seconds),
        ]);
        let b = &t.table;
        let cells = [b.probes, b.hits, b.ordering, b.narrowing, b.cutoffs, t.etc_cutoffs, t.null_cutoffs];
        let more = [t.probcut_cutoffs, t.pruned, t.extended, t.reduced];
        if cells.iter().chain(&more).any(|&n| n > 0) {
            let numbers = cells.into_iter().chain(more).map(count);
            memory.rows.push(std::iter::once(row.contestant.clone()).chain(numbers).collect());
        }
        let cells =
            [row.contestant.clone(), row.safe.to_string(), row.trees.to_string(), row.wrong.to_string()];
        let numbers = row.against_first.map_or_else(Default::default, |change| {
            [change.mean, change.low, change.high].map(|number| fixed(number, 3))
        });
        let minimal = [fixed(study.minimal, 1)];
        let cells = [&cells[..], &minimal, &numbers, &[format!("{:.6}", row.seconds)]].concat();
        plain.rows.push(data_row(&cells, t));
    }
    let minimal = format!(
        "{} of {}, {}, mean width {:.2}: the minimal trees together have {} horizon nodes. Nodes against the first: mean \
         over the trees, with its 95 % interval.",
        counted(study.count as u64, "tree"),
        study.trees,
        counted(study.depth, "ply"),
        study.width,
        count(study.minimal.round().max(0.0) as u64)
    );
    let tables = if memory.rows.is_empty() { vec![work] } else { vec![work, memory] };
    Report {
        title: "Contestants on the same trees".into(),
        notes: std::iter::once(minimal)
            .chain(given_up(&study.given_up))
            .chain(stopped(study.left_out.len(), "contestant"))
            .collect(),
        tables,
        data: Some(plain),
        ..Report::default()
    }
}

/// How the intervals over so many positions are made.
fn intervals(positions: usize) -> &'static str {
    match positions {
        0..2 => "without intervals, which one position does not give",
        2..FEW => "with 95 % intervals by Student's distribution",
        _ => "with 95 % bootstrap intervals",
    }
}

/// Marsland's figure 8, once by time and once by horizon nodes.
pub fn figure8(study: &Figure8) -> Report {
    let horizon = if study.quiescence { "a quiescence search of captures" } else { "the static value" };
    let note = format!(
        "{} of Bratko and Kopec, mean width {:.1}, {horizon} at the horizon. All iterations count. Horizon nodes in \
         percent are geometric means over the positions, {}. The dashed line is the minimal tree by formula, by \
         horizon nodes, from each position's own width. CPU time is that of this machine.",
        counted(study.positions as u64, "position"),
        study.width,
        intervals(study.positions)
    );
    let time = |p: &Point| p.time_percent;
    let nodes = |p: &Point| p.horizon_percent;
    let charts = vec![
        figure8_chart(study, "CPU time, percent of direct alpha-beta", &time),
        figure8_chart(study, "Horizon nodes, percent of direct alpha-beta", &nodes),
    ];
    let headings = [
        "depth",
        "search",
        "CPU s",
        "CPU %",
        "horizon",
        "horizon %",
        "95 %",
        "interior",
        "re-searches",
        "table hits",
        "ordering",
        "cut-offs",
    ];
    let mut table = Table::new("All points", &headings);
    let columns = [
        "depth",
        "search",
        "entries",
        "cpu_seconds",
        "cpu_percent",
        "horizon_percent",
        "horizon_low",
        "horizon_high",
    ];
    let mut plain = data(&columns);
    for p in &study.points {
        table.row([
            p.depth.to_string(),
            format!("{}{}", p.series, size_label(p.entries)),
            format!("{:.4}", p.seconds),
            fixed(p.time_percent, 1),
            count(p.tally.horizon),
            format!("{:.1}", p.horizon_percent),
            interval(p.horizon_low, p.horizon_high, 1),
            count(p.tally.interior),
            count(p.tally.re_searches),
            count(p.tally.table.hits),
            count(p.tally.table.ordering),
            count(p.tally.table.cutoffs),
        ]);
        let entries = p.entries.map_or_else(String::new, |entries| entries.to_string());
        let numbers = [p.time_percent, p.horizon_percent, p.horizon_low, p.horizon_high];
        let head = [p.depth.to_string(), p.series.clone(), entries, format!("{:.6}", p.seconds)];
        plain.rows.push(data_row(&[&head[..], &numbers.map(|x| fixed(x, 2))].concat(), &p.tally));
    }
    Report {
        title: "Figure 8 redrawn".into(),
        notes: std::iter::once(note).chain(stopped(study.left_out, "point")).collect(),
        charts,
        tables: vec![table, minimal_table(study)],
        data: Some(plain),
        ..Report::default()
    }
}

/// The dashed line in numbers.
fn minimal_table(study: &Figure8) -> Table {
    let mut table = Table::new("The minimal tree", &["depth", "% of direct alpha-beta's horizon nodes"]);
    for &(depth, share) in &study.minimal {
        table.row([depth.to_string(), fixed(share, 1)]);
    }
    table
}

fn figure8_chart(study: &Figure8, title: &str, percent: &dyn Fn(&Point) -> f64) -> Chart {
    let sizes: BTreeSet<Option<usize>> = study.points.iter().map(|p| p.entries).collect();
    let mut series = Vec::new();
    for (name, _) in SERIES {
        // The curves that show a table's effect at both sizes; the rest of them only at the larger.
        for &entries in
            sizes.iter().filter(|&&e| e.is_none() || name == "pvs+trans" || Some(&e) == sizes.last())
        {
            let of_curve = study.points.iter().filter(|p| p.series == name && p.entries == entries);
            let points: Vec<(f64, f64)> = of_curve.map(|p| (f64::from(p.depth), percent(p))).collect();
            if !points.is_empty() {
                series.push(Series {
                    name: format!("{name}{}", size_label(entries)),
                    points,
                    ..Series::default()
                });
            }
        }
    }
    let minimal = study.minimal.iter().map(|&(depth, share)| (f64::from(depth), share)).collect();
    series.push(Series { name: "minimal tree".into(), points: minimal, dashed: true, ..Series::default() });
    let y_label = "% of direct alpha-beta".to_owned();
    Chart {
        title: title.to_owned(),
        x_label: "search depth (plies)".into(),
        y_label,
        series,
        ..Chart::default()
    }
}

/// Parallel schemes: speed-up over processors, and what it cost.
pub fn scaling(study: &Scaling) -> Report {
    let note = format!(
        "{} of {}, {}, in virtual time: a node {} ns, a hand-over {}, a wake-up {}, a look into a table {}. \
         Tree splitting, mandatory work first, PV splitting and YBW are held against serial alpha-beta, ABDADA and lazy \
         against themselves on one processor. Speed-ups are geometric means over the trees, with 95 % intervals.",
        counted(study.count as u64, "tree"),
        study.trees,
        counted(study.depth, "ply"),
        study.costs.node,
        study.costs.hand_over,
        study.costs.wake,
        study.costs.probe
    );
    let headings =
        ["scheme", "processors", "speed-up", "95 %", "overhead %", "idle %", "hand-overs per tree", "value"];
    let mut table = Table::new("All points", &headings);
    let columns = [
        "scheme",
        "processors",
        "speedup",
        "speedup_low",
        "speedup_high",
        "overhead",
        "idle",
        "hand_overs",
        "differ",
        "growth",
    ];
    let mut plain = Table::new("data", &columns);
    for point in &study.points {
        let cells = [point.scheme.name().to_owned(), point.processors.to_string()];
        let shares = [fixed(point.overhead, 1), fixed(point.idle, 1)];
        let [scheme, processors] = cells.clone();
        let [overhead, idle] = shares.clone();
        let value = match point.wrong {
            0 => "same".to_owned(),
            1 => "1 differs".to_owned(),
            n => format!("{n} differ"),
        };
        let hand_overs = count(point.hand_overs.round() as u64);
        let interval = interval(point.speedup_low, point.speedup_high, 2);
        table.row([scheme, processors, fixed(point.speedup, 2), interval, overhead, idle, hand_overs, value]);
        let growth = study.exponent(point.scheme).map_or_else(String::new, |power| fixed(power, 4));
        let rest = [fixed(point.hand_overs, 2), point.wrong.to_string(), growth];
        let speedup = [point.speedup, point.speedup_low, point.speedup_high].map(|number| fixed(number, 4));
        plain.rows.push([&cells[..], &speedup, &shares, &rest].concat());
    }
    let mut growth = Table::new("Growth", &["scheme", "source", "speed-up grows as P to the"]);
    let mut series = Vec::new();
    for (scheme, name, source) in Scheme::ALL {
        let own = study.points.iter().filter(|point| point.scheme == scheme);
        let own: Vec<_> = own.collect();
        let points: Vec<(f64, f64)> =
            own.iter().map(|point| (point.processors as f64, point.speedup)).collect();
        let intervals = own.iter().map(|point| (point.speedup_low, point.speedup_high)).collect();
        if let Some(exponent) = study.exponent(scheme) {
            growth.row([name.to_owned(), source.to_owned(), fixed(exponent, 2)]);
        }
        if !points.is_empty() {
            series.push(Series { name: name.to_owned(), points, intervals, ..Series::default() });
        }
    }
    let ideal: BTreeSet<usize> = study.points.iter().map(|point| point.processors).collect();
    let ideal = ideal.into_iter().map(|count| (count as f64, count as f64)).collect();
    series.push(Series { name: "ideal".into(), points: ideal, dashed: true, ..Series::default() });
    let chart = Chart {
        title: "Speed-up in virtual time".into(),
        x_label: "processors".into(),
        y_label: "speed-up".into(),
        scale: Scale::DoublingsBoth,
        series,
    };
    let mut tables = vec![growth, table];
    tables.retain(|table| !table.rows.is_empty());
    Report {
        title: "The historical parallel searches".into(),
        notes: std::iter::once(note).chain(stopped(study.left_out, "point")).collect(),
        charts: vec![chart],
        tables,
        data: Some(plain),
        ..Report::default()
    }
}

/// The claims, and how many went which way.
pub fn claims(study: &Claims) -> Report {
    let headings = ["system", "claim", "source", "value", "rule", "verdict", "CPU time (no part of it)"];
    let mut table = Table::new("Every claim", &headings);
    let more = ["percent", "low", "high", "command"];
    let mut plain = Table::new("data", &[&headings[..], &more].concat());
    for row in &study.rows {
        table.row([
            row.system.clone(),
            row.claim.clone(),
            row.source.clone(),
            row.value.clone(),
            row.rule.clone(),
            verdict(row.verdict).to_owned(),
            row.cpu.clone(),
        ]);
        let numbers = row.interval.map_or_else(Default::default, |found| {
            [found.mean, found.low, found.high].map(|number| fixed(number, 3))
        });
        let shown = table.rows.last().cloned().unwrap_or_default();
        plain.rows.push([&shown[..], &numbers, std::slice::from_ref(&row.command)].concat());
    }
    let counts = VERDICTS
        .map(|(kind, _)| kind)
        .map(|kind| (verdict(kind), study.rows.iter().filter(|row| row.verdict == kind).count()));
    let counts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let sample = if study.quick { " Small samples (--quick): do not quote these numbers." } else { "" };
    let claims = counted(study.rows.len() as u64, "claim");
    let note = format!("{claims}: {}.{sample}", counts.join(", "));
    // How many trees there are differs from claim to claim.
    let method = format!(
        "Searches are compared tree by tree: geometric means of the ratios, with 95 % bootstrap intervals over the \
         trees (of fewer than {FEW} trees: by Student's distribution). Node counts and verdicts are the same on every \
         machine; CPU time is a number beside."
    );
    Report {
        findings: Some(findings(study)),
        title: "The claims of the literature".into(),
        notes: [note, method].into_iter().chain(stopped(study.left_out, "claim group")).collect(),
        tables: vec![table],
        data: Some(plain),
        ..Report::default()
    }
}

/// Every verdict, with its colour.
const VERDICTS: [(Verdict, Tone); 5] = [
    (Verdict::Confirmed, Tone::Good),
    (Verdict::Partly, Tone::Mixed),
    (Verdict::Refuted, Tone::Bad),
    (Verdict::Open, Tone::Open),
    (Verdict::Measured, Tone::Open),
];

/// What the letters before a section stand for.
const SOURCES: [(&str, &str); 5] = [
    (
        "M",
        "T. A. Marsland, A Review of Game-Tree Pruning, 1986, and Computer Chess and Search, 1991; with section or \
         figure",
    ),
    ("F", "M. Fierz, Strategy Game Programming"),
    ("E", "D. Eppstein, Variants of Alpha-Beta Search, lecture notes of ICS 180, 1999"),
    ("B", "P. Bergmans, Chess Tree Search"),
    ("S", "W. Fink, An Enhancement to the Iterative, Alpha-Beta, Minimax Search Procedure"),
];

/// The claims as a page shows them: each can be linked to, as in `#c15-3`, the third of system 15.
fn findings(study: &Claims) -> Findings {
    let mut rows: Vec<Finding> = Vec::new();
    for claim in &study.rows {
        let number = claim.system.split(' ').next().unwrap_or_default();
        let place = 1 + rows.iter().filter(|row| row.group == claim.system).count();
        rows.push(Finding {
            id: format!("c{number}-{place}"),
            group: claim.system.clone(),
            claim: claim.claim.clone(),
            source: claim.source.clone(),
            tag: VERDICTS.iter().position(|(kind, _)| *kind == claim.verdict).unwrap_or_default(),
            value: claim.value.clone(),
            details: vec![
                ("rule".to_owned(), claim.rule.clone()),
                ("CPU time (no part of it)".to_owned(), claim.cpu.clone()),
            ],
            interval: claim.interval.map(|found| (found.mean, found.low, found.high)),
            command: claim.command.clone(),
        });
    }
    Findings {
        tags: VERDICTS.map(|(kind, tone)| (verdict(kind).to_owned(), tone)).into(),
        sources: SOURCES.map(|(key, what)| (key.to_owned(), what.to_owned())).into(),
        rows,
    }
}

/// The word for a verdict.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "confirmed",
        Verdict::Partly => "partly",
        Verdict::Refuted => "refuted",
        Verdict::Open => "not significant",
        Verdict::Measured => "measured",
    }
}

/// One contestant, tree by tree.
pub fn solutions(study: &Solutions) -> Report {
    let headings = [
        "tree",
        "value",
        "best",
        "line",
        "horizon",
        "finished",
        "interior",
        "CUT",
        "ALL",
        "re-searches",
        "CPU s",
    ];
    let mut table = Table::new(&study.contestant, &headings);
    let mut plain = data(&["tree", "value", "best", "line", "cpu_seconds"]);
    for s in &study.solutions {
        let best = s.best.clone().unwrap_or_else(|| "-".into());
        table.row([
            s.tree.to_string(),
            s.value.to_string(),
            best.clone(),
            s.line.join(" "),
            count(s.tally.horizon),
            count(s.tally.finished),
            count(s.tally.interior),
            known(s.tally.cut),
            known(s.tally.all),
            count(s.tally.re_searches),
            format!("{:.4}", s.seconds),
        ]);
        let cells =
            [s.tree.to_string(), s.value.to_string(), best, s.line.join(" "), format!("{:.6}", s.seconds)];
        plain.rows.push(data_row(&cells, &s.tally));
    }
    let note = format!(
        "{}, mean width {:.2}; a minimal tree has {} horizon nodes. The search promises {}.",
        counted(study.depth, "ply"),
        study.width,
        count(study.minimal.round().max(0.0) as u64),
        study.promise
    );
    Report {
        title: "One search".into(),
        notes: std::iter::once(note)
            .chain(given_up(&study.given_up))
            .chain(stopped(study.left_out, "tree"))
            .collect(),
        tables: vec![table],
        data: Some(plain),
        ..Report::default()
    }
}

/// What can be run: algorithms and switches.
pub fn register() -> Report {
    let mut algorithms = Table::new("Algorithms", &["name", "what it is", "source"]);
    let mut plain = Table::new("data", &["kind", "name", "what", "source", "safe"]);
    for entry in REGISTER {
        let cells = [entry.name, entry.what, entry.source].map(str::to_owned);
        let safe = if entry.algorithm.is_exact() { "yes" } else { "no" };
        plain.rows.push([&["algorithm".to_owned()], &cells[..], &[safe.to_owned()]].concat());
        algorithms.row(cells);
    }
    let mut switches = Table::new("Switches", &["name", "what it does", "source", "safe"]);
    for switch in SWITCHES {
        let number = switch
            .number
            .map_or(String::new(), |(what, default)| format!(" (={what}, {default} if left out)"));
        let safe = if switch.safe { "yes" } else { "no" };
        let what = format!("{}{number}", switch.what);
        let cells = [switch.name.to_owned(), what, switch.source.to_owned(), safe.to_owned()];
        plain.rows.push([&["switch".to_owned()], &cells[..]].concat());
        switches.row(cells);
    }
    let note = "A contestant is an algorithm, then switches: pvs-r+id+trans=8000+hist. Without switches the textbook \
                form runs. With switches the MTD searches have no memory of their own: trans gives them one. Safe \
                switches leave the root's value what minimax finds at the same depth and horizon. \
                Sources: M Marsland, F Fierz, E Eppstein, B Bergmans, S Fink.";
    Report {
        title: "The laboratory".into(),
        notes: vec![note.into()],
        tables: vec![algorithms, switches],
        data: Some(plain),
        ..Report::default()
    }
}

/// The searches of a page, with what their steps add up to.
pub fn shown(shown: &Shown) -> Report {
    let headings = [
        "search",
        "value",
        "steps",
        "horizon",
        "finished",
        "interior",
        "CUT",
        "ALL",
        "re-searches",
        "table cut-offs",
    ];
    let mut table = Table::new("Searches", &headings);
    for search in &shown.searches {
        let t = &search.tally;
        table.row([
            search.name.clone(),
            search.value.to_string(),
            count(search.steps as u64),
            count(t.horizon),
            count(t.finished),
            count(t.interior),
            known(t.cut),
            known(t.all),
            count(t.re_searches),
            count(t.table.cutoffs),
        ]);
    }
    let note =
        format!("{}, {}, {} nodes", shown.tree, counted(shown.depth, "ply"), count(shown.nodes as u64));
    Report { title: "The visible tree".into(), notes: vec![note], tables: vec![table], ..Report::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::contest::Score;
    use crate::tally::tests::distinct;

    /// The headings of counts that do not bear the name of their field, and where the document has these.
    const OTHER_NAMES: [(&str, &str); 11] = [
        ("CUT", "/cut"),
        ("ALL", "/all"),
        ("re-searches", "/re_searches"),
        ("cut-offs", "/table/cutoffs"),
        ("ETC", "/etc_cutoffs"),
        ("null", "/null_cutoffs"),
        ("ProbCut", "/probcut_cutoffs"),
        ("first_cuts", "/order/first"),
        ("stored_cut_nodes", "/order/stored"),
        ("stored_cuts", "/order/stored_cut"),
        ("tactical_cuts", "/order/tactical"),
    ];

    /// How many columns of a table of one row are counts; each holds the number that the document has under its name.
    fn counts_under_their_names(table: &Table, document: &serde_json::Value) -> usize {
        let mut found = 0;
        for (heading, cell) in table.headings.iter().zip(&table.rows[0]) {
            let other = OTHER_NAMES.iter().find(|entry| entry.0 == heading).map(|entry| entry.1.to_owned());
            let places = other.map_or_else(
                || vec![format!("/{heading}"), format!("/table/{heading}")],
                |place| vec![place],
            );
            let number = places.iter().find_map(|place| document.pointer(place)?.as_u64());
            if let Some(number) = number {
                assert_eq!(*cell, number.to_string(), "{heading} of {}", table.title);
                found += 1;
            }
        }
        found
    }

    #[test]
    fn every_count_stands_under_its_name() {
        let tally = distinct();
        let row = Score {
            contestant: "alphabeta".into(),
            safe: true,
            trees: 1,
            wrong: 0,
            against_first: None,
            tally,
            seconds: 0.0,
            values: vec![0],
            each: vec![tally],
        };
        let study = Comparison {
            trees: "none".into(),
            count: 1,
            depth: 1,
            minimal: 1.0,
            width: 1.0,
            rows: vec![row],
            given_up: Vec::new(),
            left_out: Vec::new(),
        };
        let (report, document) = (comparison(&study), serde_json::to_value(tally).unwrap());
        let tables: Vec<&Table> = report.tables.iter().chain(&report.data).collect();
        let counts: Vec<usize> =
            tables.into_iter().map(|table| counts_under_their_names(table, &document)).collect();
        // Work, memory, and all of them as data.
        assert_eq!(counts, [8, 11, 30]);
    }

    /// As `figures::stats` makes them: none of one position, Student's of few.
    #[test]
    fn intervals_are_called_what_they_are() {
        let figure = |positions| {
            let (points, minimal, minimal_trees) = (Vec::new(), Vec::new(), Vec::new());
            let study = Figure8 {
                positions,
                width: 34.0,
                quiescence: true,
                points,
                minimal,
                left_out: 0,
                minimal_trees,
            };
            figure8(&study).notes.remove(0)
        };
        let words = ["without intervals", "Student's", "bootstrap"];
        for (positions, wanted) in [(1, words[0]), (2, words[1]), (9, words[1]), (10, words[2])] {
            let note = figure(positions);
            let named: Vec<&str> = words.into_iter().filter(|&word| note.contains(word)).collect();
            assert_eq!(named, [wanted], "{note}");
        }
        let notes = claims(&Claims { quick: true, rows: Vec::new(), left_out: 0 }).notes;
        assert!(notes[1].contains("of fewer than 10 trees: by Student's distribution"), "{notes:?}");
    }
}
