//! What each study looks like as a report.

use crate::algorithms::REGISTER;
use crate::enhanced::register::SWITCHES;
use crate::parallel::Scheme;
use crate::study::claims::{Claims, Verdict};
use crate::study::contest::Comparison;
use crate::study::figure8::{Figure8, Point, SERIES, size_label};
use crate::study::grove::Solutions;
use crate::study::scaling::Scaling;
use figures::table::count;
use figures::{Chart, Report, Scale, Series, Table};
use std::collections::BTreeSet;

/// A comparison: one row for each contestant.
pub fn comparison(study: &Comparison) -> Report {
    let trees = study.rows.first().map_or(0, |row| row.trees);
    let mut work = Table::new(
        "Work on all trees together",
        &[
            "contestant",
            "value",
            "horizon",
            "of minimal",
            "interior",
            "CUT",
            "ALL",
            "evaluations",
            "re-searches",
            "passes",
            "CPU s",
        ],
    );
    let mut memory = Table::new(
        "Memory and pruning",
        &[
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
        ],
    );
    for row in &study.rows {
        let t = &row.tally;
        let agreement = match (row.wrong, row.safe) {
            (0, true) => "same".to_owned(),
            (0, false) => "same (unsafe)".to_owned(),
            (n, safe) => format!("{n} differ{}", if safe { "" } else { " (unsafe)" }),
        };
        work.row([
            row.contestant.clone(),
            agreement,
            count(t.horizon),
            format!("{:.2}", t.horizon as f64 / study.minimal),
            count(t.interior),
            count(t.cut),
            count(t.all),
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
    }
    let minimal = format!(
        "{trees} trees of {}, {} plies, mean width {:.2}: the minimal trees together have {} horizon nodes.",
        study.trees,
        study.depth,
        study.width,
        count(study.minimal.round() as u64)
    );
    let tables = if memory.rows.is_empty() { vec![work] } else { vec![work, memory] };
    Report {
        title: "Contestants on the same trees".into(),
        notes: vec![minimal],
        tables,
        ..Report::default()
    }
}

/// The first document's figure, once by time and once by horizon nodes.
pub fn figure8(study: &Figure8) -> Report {
    let horizon = if study.quiescence { "a quiescence search of captures" } else { "the static value" };
    let note = format!(
        "{} Bratko-Kopec positions, mean width {:.1}, {horizon} at the horizon. All iterations count. \
         The dashed line is the minimal tree by formula, on a horizon-node basis.",
        study.positions, study.width
    );
    let time = |p: &Point| p.time_percent;
    let nodes = |p: &Point| p.horizon_percent;
    let charts = vec![
        figure8_chart(study, "CPU time, percent of direct alpha-beta", &time),
        figure8_chart(study, "Horizon nodes, percent of direct alpha-beta", &nodes),
    ];
    let mut table = Table::new(
        "All points",
        &[
            "depth",
            "search",
            "CPU s",
            "CPU %",
            "horizon",
            "horizon %",
            "interior",
            "re-searches",
            "table hits",
            "ordering",
            "cut-offs",
        ],
    );
    for p in &study.points {
        table.row([
            p.depth.to_string(),
            format!("{}{}", p.series, size_label(p.entries)),
            format!("{:.4}", p.seconds),
            format!("{:.1}", p.time_percent),
            count(p.tally.horizon),
            format!("{:.1}", p.horizon_percent),
            count(p.tally.interior),
            count(p.tally.re_searches),
            count(p.tally.table.hits),
            count(p.tally.table.ordering),
            count(p.tally.table.cutoffs),
        ]);
    }
    Report {
        title: "Figure 8 redrawn".into(),
        notes: vec![note],
        charts,
        tables: vec![table],
        ..Report::default()
    }
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
        "{} trees of {}, {} plies, in virtual time: a node {} ns, a hand-over {}, a wake-up {}, a look into a table {}. \
         Tree splitting, mandatory work first, PV splitting and YBW are held against serial alpha-beta, ABDADA and lazy \
         against themselves on one processor.",
        study.count,
        study.trees,
        study.depth,
        study.costs.node,
        study.costs.hand_over,
        study.costs.wake,
        study.costs.probe
    );
    let headings =
        ["scheme", "processors", "speed-up", "overhead %", "idle %", "hand-overs per tree", "value"];
    let mut table = Table::new("All points", &headings);
    for point in &study.points {
        table.row([
            point.scheme.name().to_owned(),
            point.processors.to_string(),
            format!("{:.2}", point.speedup),
            format!("{:.1}", point.overhead),
            format!("{:.1}", point.idle),
            count(point.hand_overs.round() as u64),
            if point.wrong == 0 { "same".into() } else { format!("{} differ", point.wrong) },
        ]);
    }
    let mut growth = Table::new("Growth", &["scheme", "source", "speed-up grows as P to the"]);
    let mut series = Vec::new();
    for (scheme, name, source) in Scheme::ALL {
        let own = study.points.iter().filter(|point| point.scheme == scheme);
        let points: Vec<(f64, f64)> = own.map(|point| (point.processors as f64, point.speedup)).collect();
        if let Some(exponent) = study.exponent(scheme) {
            growth.row([name.to_owned(), source.to_owned(), format!("{exponent:.2}")]);
        }
        if !points.is_empty() {
            series.push(Series { name: name.to_owned(), points, ..Series::default() });
        }
    }
    let chart = Chart {
        title: "Speed-up in virtual time".into(),
        x_label: "processors".into(),
        y_label: "speed-up".into(),
        scale: Scale::DoublingsBoth,
        series,
    };
    let title = "The historical parallel searches".into();
    Report { title, notes: vec![note], charts: vec![chart], tables: vec![growth, table], ..Report::default() }
}

/// The claims, and how many went which way.
pub fn claims(study: &Claims) -> Report {
    let headings = ["system", "claim", "source", "value", "rule", "verdict"];
    let mut table = Table::new("Every claim", &headings);
    for row in &study.rows {
        table.row([
            row.system.clone(),
            row.claim.clone(),
            row.source.clone(),
            row.value.clone(),
            row.rule.clone(),
            verdict(row.verdict).to_owned(),
        ]);
    }
    let kinds = [Verdict::Confirmed, Verdict::Partly, Verdict::Refuted, Verdict::Measured, Verdict::Absent];
    let counts =
        kinds.map(|kind| (verdict(kind), study.rows.iter().filter(|row| row.verdict == kind).count()));
    let counts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    let sample = if study.quick { " Small samples (--quick): do not quote these numbers." } else { "" };
    let note = format!("{} claims: {}.{sample}", study.rows.len(), counts.join(", "));
    Report {
        title: "The claims of the founding documents".into(),
        notes: vec![note],
        tables: vec![table],
        ..Report::default()
    }
}

/// The word for a verdict.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "confirmed",
        Verdict::Partly => "partly",
        Verdict::Refuted => "refuted",
        Verdict::Measured => "measured",
        Verdict::Absent => "absent",
    }
}

/// One contestant, tree by tree.
pub fn solutions(study: &Solutions) -> Report {
    let headings =
        ["tree", "value", "best", "line", "horizon", "interior", "CUT", "ALL", "re-searches", "CPU s"];
    let mut table = Table::new(&study.contestant, &headings);
    for s in &study.solutions {
        table.row([
            s.tree.to_string(),
            s.value.to_string(),
            s.best.clone().unwrap_or_else(|| "-".into()),
            s.line.join(" "),
            count(s.tally.horizon),
            count(s.tally.interior),
            count(s.tally.cut),
            count(s.tally.all),
            count(s.tally.re_searches),
            format!("{:.4}", s.seconds),
        ]);
    }
    let promise = if study.safe { "the minimax value" } else { "no exact value: an unsafe switch is on" };
    let note = format!(
        "{} plies, mean width {:.2}; a minimal tree has {} horizon nodes. The search promises {promise}.",
        study.depth,
        study.width,
        count(study.minimal.round() as u64)
    );
    Report { title: "One search".into(), notes: vec![note], tables: vec![table], ..Report::default() }
}

/// What can be run: algorithms and switches.
pub fn register() -> Report {
    let mut algorithms = Table::new("Algorithms", &["name", "what it is", "source"]);
    for entry in REGISTER {
        algorithms.row([entry.name.to_owned(), entry.what.to_owned(), entry.source.to_owned()]);
    }
    let mut switches = Table::new("Switches", &["name", "what it does", "source", "safe"]);
    for switch in SWITCHES {
        let number = switch
            .number
            .map_or(String::new(), |(what, default)| format!(" (={what}, {default} if left out)"));
        let safe = if switch.safe { "yes" } else { "no" };
        switches.row([
            switch.name.to_owned(),
            format!("{}{number}", switch.what),
            switch.source.to_owned(),
            safe.into(),
        ]);
    }
    let note = "A contestant is an algorithm, then switches: pvs-r+id+trans=8000+hist. Without switches the textbook \
                form runs. Safe switches leave the root's value what minimax finds at the same depth and horizon. \
                Sources: M Marsland, F Fierz, E Eppstein, B Bergmans, S Fink.";
    Report {
        title: "The laboratory".into(),
        notes: vec![note.into()],
        tables: vec![algorithms, switches],
        ..Report::default()
    }
}
