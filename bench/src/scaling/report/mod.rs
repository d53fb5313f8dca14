//! A study as a report: sentences, tables and pictures.

pub mod csv;
pub mod trace;

use super::compare::{Compared, Comparison, Difference};
use super::plan::{ALONE, ClockKind, Goal};
use super::result::Study;
use super::rows::{Pairs, Row};
use super::sample::{Exchanged, Sample};
use super::stats::{self, FEW};
use figures::table::{count, counted, fixed, interval};
use figures::{Chart, Report, Scale, Series, Table};
use smp::schemes::Scheme;
use smp::simulation::coherence::Class;

/// The study as a report, held against another one if there is one.
pub fn report(study: &Study, against: Option<&Comparison>) -> Report {
    let mut tables = vec![speedups(study), by_depth(study)];
    if let Some(against) = against {
        tables.extend([comparison(&against.rows), differences(&against.differences)]);
    }
    tables.extend([tallies(study), exchanged(study), traffic(study), laws(study), by_position(study)]);
    tables.retain(|table| !table.rows.is_empty());
    Report {
        title: title(study),
        notes: notes(study),
        charts: charts(study),
        tables,
        facts: facts(study),
        ..Report::default()
    }
}

/// By the schemes that were searched, also if no row comes of them.
fn title(study: &Study) -> String {
    let searched = |scheme: &Scheme| {
        study.samples.iter().any(|sample| sample.scheme == *scheme && sample.team() != ALONE)
    };
    let mut schemes: Vec<&str> = Scheme::ALL.into_iter().filter(searched).map(Scheme::name).collect();
    if schemes.is_empty() && study.is_complete() {
        schemes.push(ALONE.scheme.name());
    }
    let of = if schemes.is_empty() { String::new() } else { format!(" of {}", schemes.join(", ")) };
    format!("Scaling{of} by the {} clock", study.setting.clock)
}

fn notes(study: &Study) -> Vec<String> {
    let mut notes = cautions(study);
    let positions = counted(study.searched.len() as u64, "position");
    notes.push(format!("{positions}, {}; {}", goal(study), clock(study)));
    notes.extend(definitions(study));
    if study.has_clusters() {
        notes.push(
            "Machines: simulated ones with a table each, joined by a simulated network. Threads are those of each \
             machine; the speed-up is over one thread of one machine. One more thread of each machine talks to \
             the others, on a core of its own."
                .to_owned(),
        );
    }
    if !study.left_out.is_empty() {
        notes.push(format!("Left out, since one thread solves them at once: {}.", study.left_out.join(", ")));
    }
    notes
}

/// Why the figures, or some of them, are not to be believed.
fn cautions(study: &Study) -> Vec<String> {
    let mut notes = Vec::new();
    if !study.is_complete() {
        let (done, behind) = (study.samples.len(), study.samples.len() - study.counted().len());
        let behind = if behind > 0 {
            format!(
                " {behind} of these, planned after one that is missing, are in no row: of searches side by \
                 side the shortest end first."
            )
        } else {
            String::new()
        };
        notes.push(format!(
            "STOPPED after {done} of {} searches: rows rest on the positions that one thread and the team \
             have both searched.{behind}",
            study.planned
        ));
    }
    if let Some((threads, nodes)) = study.too_small() {
        notes.push(format!(
            "TOO SMALL: in the median position one thread's tree has {nodes} nodes for each of {threads} threads. These \
             figures show how fast threads start, not how the search scales: search deeper, as a pilot says."
        ));
    }
    if let Goal::Milliseconds(_) = study.setting.goal {
        notes.push(
            "Under a limit of time speed-up and overhead are those of the deepest iteration both have finished; a depth \
             chosen so flatters, and the identity holds only roughly. Trust fixed depths from a pilot more."
                .to_owned(),
        );
    }
    if study.setting.clock == ClockKind::Real {
        notes.extend(crowding(study));
    }
    notes
}

/// What the figures of the rows mean, if there are any.
fn definitions(study: &Study) -> Option<String> {
    if study.rows.is_empty() {
        return None;
    }
    let intervals = intervals(study).map_or(String::new(), |intervals| {
        format!(", with {intervals} of the mean over very many positions like these")
    });
    let repeated = study.rows.iter().any(|row| row.speedup_error.is_some());
    let error = if repeated {
        " (after ±: the 95 % interval of the mean over very many repeats of these positions; two repeats of \
         the study may differ by 1.4 times as much)"
    } else {
        ""
    };
    Some(format!(
        "Speed-up, node rate, overhead, load and rate are geometric means over positions of ratios to one \
         thread{intervals}{error}. Overhead: nodes beyond one thread's (in brackets: of all nodes together). \
         Load: share of the threads' time not spent waiting. Rate: node rate of a thread while busy. \
         Identity: speed-up = threads x load x rate / (1 + overhead); its residual is what these figures \
         miss it by."
    ))
}

/// What is to be said of rows with more threads than processors, than cores, or than cores of the fastest kind.
fn crowding(study: &Study) -> Vec<String> {
    let cpus = study.setting.cpus;
    let has =
        |least: usize, most: usize| study.rows.iter().any(|row| least < row.threads && row.threads <= most);
    let mut notes = Vec::new();
    let cores = study.setting.cores.map_or(cpus, |cores| cores.min(cpus));
    if let Some(fastest) = study.setting.fastest_cores.filter(|&fastest| has(fastest, cores)) {
        notes.push(format!(
            "More threads than the {}: the others are slower, so that these rows gain less, and their rate \
             is below 1 even where nothing is lost.",
            counted(fastest as u64, "fastest core")
        ));
    }
    if let Some(cores) = study.setting.cores.filter(|&cores| has(cores, cpus)) {
        notes.push(format!(
            "More threads than the {}: two that share a core do less than two on cores of their own.",
            counted(cores as u64, "physical core")
        ));
    }
    if has(cpus, usize::MAX) {
        notes.push(format!(
            "More threads than the {}: those rows are not speed-ups and are left out of the fits.",
            counted(cpus as u64, "processor")
        ));
    }
    notes
}

/// How the intervals are made, if there are any: that depends on the positions of a row.
fn intervals(study: &Study) -> Option<String> {
    let several = || study.rows.iter().map(|row| row.positions).filter(|&positions| positions > 1);
    let few = several().filter(|&positions| positions < FEW).count();
    match (several().count(), few) {
        (0, _) => None,
        (_, 0) => Some("95 % bootstrap intervals".to_owned()),
        (all, few) if all == few => Some("95 % intervals by Student's distribution".to_owned()),
        _ => {
            let few = format!("of fewer than {FEW} positions: by Student's distribution");
            Some(format!("95 % bootstrap intervals ({few})"))
        }
    }
}

/// What it was measured with and on.
pub(super) fn facts(study: &Study) -> Vec<(String, String)> {
    let setting = &study.setting;
    let mut facts = match &setting.provenance {
        Some(provenance) => provenance.lines(),
        None => vec![
            ("program".to_owned(), format!("Firstborn {}", setting.version)),
            ("machine".to_owned(), setting.machine.clone()),
        ],
    };
    facts.insert(1, ("command".to_owned(), setting.command.clone()));
    facts.extend(setting.signature.map(|nodes| ("bench".to_owned(), nodes.to_string())));
    if setting.clock == ClockKind::Virtual {
        // The machine that was measured is the simulated one; the host's speed has no part in it.
        if let Some((name, _)) = facts.iter_mut().find(|(name, _)| name == "machine") {
            *name = "host, which plays no part in the figures".to_owned();
        }
        let costs = setting.costs.as_deref().unwrap_or("costs unknown");
        let machine = format!("simulated, as many equal processors as threads; nanoseconds: {costs}");
        facts.push(("machine".to_owned(), machine));
        facts.extend(setting.cluster.map(|cluster| ("network".to_owned(), format!("simulated: {cluster}"))));
    }
    facts
}

fn goal(study: &Study) -> String {
    let depths = || study.searched.iter().filter_map(|searched| searched.depth);
    match (study.setting.goal, depths().min(), depths().max()) {
        (Goal::Milliseconds(ms), ..) => format!("{ms} ms each"),
        (Goal::Depth, Some(low), Some(high)) if low < high => {
            format!("each to its own depth, {low} to {}", counted(high, "ply"))
        }
        (Goal::Depth, low, _) => format!("each to {}", counted(low.unwrap_or(0), "ply")),
    }
}

fn clock(study: &Study) -> String {
    let setting = &study.setting;
    let fresh = format!("a cleared table of {} MiB for every search", setting.hash);
    match setting.clock {
        ClockKind::Real if setting.load => format!("{fresh}; the other cores kept busy."),
        ClockKind::Real => format!("{fresh}; the other cores left alone."),
        ClockKind::Virtual => format!(
            "{fresh}; virtual time on a simulated machine: the host's processor, caches, memory bandwidth and clock \
             frequency play no part ({}).",
            setting.costs.as_deref().unwrap_or("costs unknown")
        ),
    }
}

/// A share as a percentage.
fn percent(share: f64) -> String {
    fixed(100.0 * share, 1)
}

/// A table with a line for each team: these columns come after those that name the team.
fn of_teams(study: &Study, title: &str, columns: &[&str]) -> Table {
    let machines = study.has_clusters().then_some("machines");
    let named = ["scheme"].into_iter().chain(machines).chain(["threads"]);
    Table::new(title, &named.chain(columns.iter().copied()).collect::<Vec<_>>())
}

/// Adds a team's line to such a table.
fn add(study: &Study, table: &mut Table, row: &Row, cells: impl IntoIterator<Item = String>) {
    let machines = study.has_clusters().then(|| row.machines.to_string());
    let named = [row.scheme.to_string()].into_iter().chain(machines).chain([row.threads.to_string()]);
    table.rows.push(named.chain(cells).collect());
}

fn speedups(study: &Study) -> Table {
    let headings = [
        "speed-up",
        "95 % interval",
        "node rate",
        "overhead %",
        "(total)",
        "load %",
        "rate",
        "residual %",
        "positions",
        "repeats",
    ];
    let mut table = of_teams(study, "Speed-up over one thread", &headings);
    for row in &study.rows {
        add(
            study,
            &mut table,
            row,
            [
                row.speedup_error
                    .map_or(format!("{:.3}", row.speedup), |error| format!("{:.3} ±{error:.2}", row.speedup)),
                interval(row.speedup_low, row.speedup_high, 3),
                format!("{:.3}", row.nps_ratio),
                percent(row.overhead),
                percent(row.overhead_total),
                percent(row.load),
                format!("{:.3}", row.rate),
                percent(row.residual),
                row.positions.to_string(),
                row.repeats.to_string(),
            ],
        );
    }
    table
}

/// Speed-ups to the last depth and to those before it, as far as there are any.
fn by_depth(study: &Study) -> Table {
    let before = study.rows.iter().map(|row| row.speedups_before.len()).max().unwrap_or(0);
    let mut headings = ["mean", "95 % interval", "positions", "last"].map(String::from).to_vec();
    headings.extend((1..=before).map(|back| format!("-{back}")));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let title =
        "Speed-up to the last depth and to those so many plies before it, and the mean over those before it";
    let mut table = of_teams(study, title, &headings);
    for row in study.rows.iter().filter(|row| row.team() != ALONE && !row.speedups_before.is_empty()) {
        let mut cells = vec![
            fixed(row.speedup_depths.unwrap_or(f64::NAN), 3),
            interval(row.speedup_depths_low, row.speedup_depths_high, 3),
            row.speedup_depths_positions.to_string(),
            fixed(row.speedup_last.unwrap_or(f64::NAN), 2),
        ];
        cells.extend((0..before).map(|back| {
            row.speedups_before.get(back).map_or("-".to_owned(), |speedup| format!("{speedup:.2}"))
        }));
        add(study, &mut table, row, cells);
    }
    table
}

fn tallies(study: &Study) -> Table {
    let headings = [
        "nodes",
        "seconds",
        "nodes/s",
        "one thread's",
        "splits",
        "joins",
        "refused",
        "aborted",
        "wasted %",
        "deferred",
        "again",
    ];
    let mut table = of_teams(study, "What was counted, over all searches", &headings);
    for row in &study.rows {
        let tally = row.tally;
        add(
            study,
            &mut table,
            row,
            [
                count(row.nodes),
                format!("{:.2}", row.seconds),
                count(row.nodes_a_second().round() as u64),
                count(row.nodes_a_second_alone.round() as u64),
                count(tally.splits),
                count(tally.joins),
                count(tally.refused),
                count(tally.aborted),
                percent(tally.wasted as f64 / row.nodes.max(1) as f64),
                count(tally.deferred),
                count(tally.again),
            ],
        );
    }
    table
}

/// What the machines of a cluster exchanged.
fn exchanged(study: &Study) -> Table {
    let headings = ["sent", "dropped", "received", "probed %", "cut %", "MB/s each", "talking %"];
    let title = "Table entries exchanged between machines, over all searches (probed, cut: of those received; MB/s: \
                 sent by each machine; talking: the share of a core that its talking thread needs)";
    let mut table = of_teams(study, title, &headings);
    for row in &study.rows {
        let Some(exchanged) = row.exchanged else { continue };
        let Exchanged { sent, dropped, received, probed, cut, bytes, talking_ns } = exchanged;
        let share = |part: u64| percent(part as f64 / received.max(1) as f64);
        let seconds = row.machines as f64 * row.seconds.max(1e-9);
        let cells = [
            count(sent),
            count(dropped),
            count(received),
            share(probed),
            share(cut),
            format!("{:.2}", bytes as f64 / 1e6 / seconds),
            percent(talking_ns as f64 / 1e9 / seconds),
        ];
        add(study, &mut table, row, cells);
    }
    table
}

/// What the virtual clock saw of memory that threads share.
fn traffic(study: &Study) -> Table {
    let headings = ["lines", "ns for lines", "ns for locks"].into_iter().chain(Class::ALL.map(Class::name));
    let title = "Cache lines fetched from other cores, and time waited for them and for locks, for each node";
    let mut table = of_teams(study, title, &headings.collect::<Vec<_>>());
    for row in &study.rows {
        let Some(traffic) = row.traffic else { continue };
        let mut cells = vec![
            format!("{:.3}", row.each_node(traffic.all_lines())),
            format!("{:.1}", row.each_node(traffic.all_line_ns())),
            format!("{:.1}", row.each_node(traffic.all_lock_ns())),
        ];
        cells.extend(traffic.lines.map(|lines| format!("{:.3}", row.each_node(lines))));
        add(study, &mut table, row, cells);
    }
    table
}

fn laws(study: &Study) -> Table {
    let headings =
        ["scheme", "serial %", "at most", "error %", "contention", "coherency", "peak at", "error %"];
    let title = "Laws fitted: Amdahl (left), Universal Scalability Law (right)";
    let mut table = Table::new(title, &headings);
    for fit in &study.fits {
        let Some(amdahl) = fit.amdahl else { continue };
        let most = if amdahl.serial_fraction > 0.0 {
            format!("{:.1}", 1.0 / amdahl.serial_fraction)
        } else {
            "no bound".to_owned()
        };
        let usl =
            |value: &dyn Fn(&super::fits::Usl) -> String| fit.usl.as_ref().map_or("-".to_owned(), value);
        let error = |error: Option<f64>| error.map_or("-".to_owned(), percent);
        table.row([
            fit.scheme.to_string(),
            format!("{:.2}", 100.0 * amdahl.serial_fraction),
            most,
            error(amdahl.error),
            usl(&|law| format!("{:.4}", law.contention)),
            usl(&|law| format!("{:.6}", law.coherency)),
            usl(&|law| law.peak.map_or("no peak".to_owned(), |peak| format!("{peak:.0}"))),
            usl(&|law| error(law.error)),
        ]);
    }
    table
}

/// Each position's speed-up with each scheme's largest team.
fn by_position(study: &Study) -> Table {
    let largest: Vec<&Row> = study
        .schemes()
        .into_iter()
        .filter_map(|scheme| study.rows_of(scheme).max_by_key(|row| row.team().all_threads()))
        .collect();
    let mut headings = ["position", "depth", "seconds", "nodes"].map(String::from).to_vec();
    headings.extend(largest.iter().map(|row| row.team().to_string()));
    let title = "Speed-up by position (depth, seconds and nodes of one thread; means over repeats)";
    let mut table = Table { title: title.to_owned(), headings, rows: Vec::new() };
    let pairs: Vec<Pairs> = largest.iter().map(|row| study.pairs(row.team())).collect();
    for searched in &study.searched {
        let alone = |sample: &&Sample| sample.team() == ALONE && sample.position == searched.id;
        let alone: Vec<&Sample> = study.counted().iter().filter(alone).collect();
        let depths = || alone.iter().map(|sample| sample.depth);
        let (Some(least), Some(most)) = (depths().min(), depths().max()) else { continue };
        let mean = |value: fn(&Sample) -> u64| {
            let logs: Vec<f64> = alone.iter().map(|sample| (value(sample).max(1) as f64).ln()).collect();
            stats::mean(&[logs]).exp()
        };
        let mut cells = vec![
            searched.id.clone(),
            if least < most { format!("{least}-{most}") } else { least.to_string() },
            format!("{:.3}", mean(|sample| sample.time_ns) / 1e9),
            count(mean(Sample::total_nodes).round() as u64),
        ];
        for pairs in &pairs {
            let place = pairs.positions.iter().position(|id| *id == searched.id);
            cells.push(place.map_or("-".to_owned(), |place| {
                let repeats = pairs.factors[place].iter().map(|factors| factors.speedup);
                format!("{:.2}", (repeats.sum::<f64>() / pairs.factors[place].len() as f64).exp())
            }));
        }
        table.rows.push(cells);
    }
    table
}

fn comparison(rows: &[Compared]) -> Table {
    let several = rows.iter().any(|row| row.machines > 1);
    let mut headings =
        vec!["threads", "speed-up", "against", "ratio", "95 % interval", "nodes ratio", "positions"];
    headings.splice(0..0, ["scheme"].into_iter().chain(several.then_some("machines")));
    let clocks =
        rows.first().map_or(String::new(), |row| format!(" ({} against {} clock)", row.clock, row.against));
    let mut table =
        Table::new(format!("Against the other result{clocks}, on the positions of both"), &headings);
    for row in rows {
        let mut cells = vec![row.scheme.to_string()];
        cells.extend(several.then(|| row.machines.to_string()));
        cells.extend([
            row.threads.to_string(),
            format!("{:.3}", row.speedup),
            format!("{:.3}", row.speedup_against),
            format!("{:.3}", row.ratio),
            interval(row.ratio_low, row.ratio_high, 3),
            format!("{:.3}", row.work_ratio),
            row.positions.to_string(),
        ]);
        table.rows.push(cells);
    }
    table
}

fn differences(differences: &[Difference]) -> Table {
    let title = "What the two results do not share, beside what is compared";
    let mut table = Table::new(title, &["setting", "this result", "the other"]);
    for Difference { what, this, other } in differences {
        table.row([what.clone(), this.clone(), other.clone()]);
    }
    table
}

fn charts(study: &Study) -> Vec<Chart> {
    if study.schemes().is_empty() {
        return Vec::new();
    }
    let most = study.rows.iter().map(|row| row.team().all_threads()).max().unwrap_or(1) as f64;
    let ideal = Series {
        name: "ideal".into(),
        points: vec![(1.0, 1.0), (most, most)],
        dashed: true,
        ..Series::default()
    };
    let mut curves = vec![ideal];
    curves.extend(series(study, 1.0, &|row| row.speedup, &|row| (row.speedup_low, row.speedup_high)));
    let chart = |title: &str, y_label: &str, series: Vec<Series>, scale: Scale| Chart {
        title: title.to_owned(),
        x_label: "threads".to_owned(),
        y_label: y_label.to_owned(),
        series,
        scale,
    };
    let work = series(study, 0.0, &|row| 100.0 * row.overhead, &|row| {
        (100.0 * row.overhead_low, 100.0 * row.overhead_high)
    });
    let mut idle = series(study, 0.0, &|row| 100.0 * (1.0 - row.load), &|_| (0.0, 0.0));
    idle.iter_mut().for_each(|series| series.intervals.clear());
    vec![
        chart("Speed-up over one thread", "time of one thread / time", curves, Scale::DoublingsBoth),
        chart("Search overhead", "nodes beyond those of one thread, %", work, Scale::Doublings),
        chart("Idle share", "time of the threads spent waiting, %", idle, Scale::Doublings),
    ]
}

/// A curve for each scheme on one machine, and one for each number of threads that several machines have. One
/// that was not measured with one thread begins at `alone`, since there it is the baseline.
fn series(
    study: &Study,
    alone: f64,
    value: &dyn Fn(&Row) -> f64,
    interval: &dyn Fn(&Row) -> (f64, f64),
) -> Vec<Series> {
    let curve = |name: String, colour: Option<usize>, rows: Vec<&Row>| {
        let mut series = Series { name, colour, ..Series::default() };
        if rows.iter().all(|row| row.team().all_threads() > 1) {
            series.points.push((1.0, alone));
            series.intervals.push((alone, alone));
        }
        for row in rows {
            series.points.push((row.team().all_threads() as f64, value(row)));
            series.intervals.push(interval(row));
        }
        series
    };
    let mut curves = Vec::new();
    for scheme in study.schemes() {
        let colour = Scheme::ALL.iter().position(|&other| other == scheme);
        let alone: Vec<&Row> = study.rows_of(scheme).filter(|row| row.machines == 1).collect();
        if alone.iter().any(|row| row.team() != ALONE) {
            curves.push(curve(scheme.to_string(), colour, alone));
        }
        let mut sizes: Vec<usize> =
            study.rows_of(scheme).filter(|row| row.machines > 1).map(|row| row.threads).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for threads in sizes {
            let rows = study.rows_of(scheme).filter(|row| row.threads == threads).collect();
            let colour = colour.map(|colour| colour + Scheme::ALL.len());
            curves.push(curve(format!("{scheme}, machines of {threads}"), colour, rows));
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::compare::compare;
    use crate::scaling::fake::{Fake, plan, study, study_of};
    use crate::scaling::fits::{Amdahl, Usl};
    use crate::scaling::result::Fit;

    fn fake(left: Option<usize>) -> Study {
        study(&mut Fake { law: Amdahl { serial_fraction: 0.05, error: None }, left })
    }

    #[test]
    fn the_report_holds_the_figures_and_its_page_is_whole() {
        let study = fake(None);
        let against = compare(&study, &study).expect("it is one study");
        let report = report(&study, Some(&against));
        let text = report.text(200);
        // Amdahl with a twentieth serial: 2 / 1.05, and at most 20.
        assert!(text.contains("1.905") && text.contains("5.00") && text.contains("20.0"), "{text}");
        assert!(text.contains("ratio") && !text.contains("STOPPED"), "{text}");
        let page = figures::html::page(&report, "x");
        assert_eq!(page.matches("<figure").count(), 3);
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        for bad in ["NaN", "http://", "https://", "<script", "<none>"] {
            let found = page.replace("http://www.w3.org/2000/svg", "").contains(bad);
            assert!(!found, "{bad} in the page");
        }
    }

    /// A team whose searches have fewer depths than others' shows none for the rest; one thread is held against none.
    #[test]
    fn depths_before_the_last_stand_side_by_side() {
        let mut study = fake(None);
        study.rows[1].speedups_before.truncate(6);
        let table = by_depth(&study);
        let headings = ["scheme", "threads", "mean", "95 % interval", "positions", "last", "-1"];
        assert_eq!(table.headings[..7], headings);
        assert_eq!(table.headings.last().map(String::as_str), Some("-7"));
        // Amdahl with a twentieth serial: 40/21, 80/23 and 160/27.
        let shown = |row: &Vec<String>| [1, 2, 4, 5, 12].map(|place: usize| row[place].clone());
        let cells: Vec<_> = table.rows.iter().map(shown).collect();
        let wanted = [
            ["2", "1.905", "24", "1.90", "-"],
            ["4", "3.478", "24", "3.48", "3.48"],
            ["8", "5.926", "24", "5.93", "5.93"],
        ];
        assert_eq!(cells, wanted);
        study.rows.iter_mut().for_each(|row| row.speedups_before.clear());
        assert!(by_depth(&study).rows.is_empty());
    }

    /// Student's below ten positions (docs/scaling.md), the bootstrap's from there on.
    #[test]
    fn the_kind_of_the_intervals_is_that_of_the_rows() {
        let mut study = fake(None);
        let mut says = |positions: [usize; 2]| {
            study.rows.truncate(2);
            study.rows.iter_mut().zip(positions).for_each(|(row, positions)| row.positions = positions);
            let text = notes(&study).concat();
            (text.contains("95 % bootstrap intervals"), text.contains("by Student's distribution"))
        };
        assert_eq!(says([10, 24]), (true, false));
        assert_eq!(says([2, 9]), (false, true));
        assert_eq!(says([9, 10]), (true, true));
        // One position has none.
        assert_eq!(says([1, 10]), (true, false));
        assert_eq!(says([1, 9]), (false, true));
        assert_eq!(says([1, 1]), (false, false));
        let text = notes(&study).concat();
        assert!(text.contains("are geometric means") && text.contains("(after ±: "), "{text}");
        // A single repeat has no error, and no row no figures.
        study.rows.iter_mut().for_each(|row| row.speedup_error = None);
        let text = notes(&study).concat();
        assert!(text.contains("are geometric means") && !text.contains('±'), "{text}");
        study.rows.clear();
        assert!(!notes(&study).concat().contains("geometric means"));
    }

    /// What was searched is in the title, whether or not it is in a row.
    #[test]
    fn the_title_names_what_was_searched() {
        let mut study = fake(None);
        study.rows.clear();
        assert_eq!(title(&study), "Scaling of ybw by the virtual clock");
        assert_eq!(title(&fake(Some(2))), "Scaling of ybw by the virtual clock");
        assert_eq!(title(&fake(Some(1))), "Scaling by the virtual clock", "a team was planned");
        study.samples.retain(|sample| sample.team() == ALONE);
        study.planned = study.samples.len();
        assert_eq!(title(&study), "Scaling of serial by the virtual clock");
    }

    /// By hand: the fake takes 256 ms and 256,000 nodes for the first position, to depth 8. A repeat that takes four
    /// times as much makes a geometric mean of twice as much.
    #[test]
    fn what_one_thread_takes_for_a_position_is_the_mean_of_its_repeats() {
        let mut study = fake(None);
        let first = |study: &Study| by_position(study).rows[0][..4].to_vec();
        assert_eq!(first(&study), ["BK.01", "8", "0.256", count(256_000).as_str()]);
        let sample = study.samples.iter_mut().find(|sample| sample.team() == ALONE).expect("it is the first");
        (sample.depth, sample.time_ns, sample.nodes) = (9, 4 * sample.time_ns, vec![4 * sample.nodes[0]]);
        assert_eq!(first(&study), ["BK.01", "8-9", "0.512", count(512_000).as_str()]);
    }

    /// Rows of 2, 4 and 8 threads on four cores of two threads each, then on other machines.
    #[test]
    fn threads_that_share_cores_are_told_from_those_without_processors() {
        let mut study = fake(None);
        study.setting.clock = ClockKind::Real;
        let mut says = |cores, cpus| {
            (study.setting.cores, study.setting.cpus) = (cores, cpus);
            let text = notes(&study).concat();
            (text.contains("physical core"), text.contains("not speed-ups"))
        };
        assert_eq!(says(Some(4), 8), (true, false));
        assert_eq!(says(Some(8), 16), (false, false));
        assert_eq!(says(Some(2), 4), (true, true));
        assert_eq!(says(Some(4), 4), (false, true));
        assert_eq!((says(None, 8), says(None, 4)), ((false, false), (false, true)));
        study.setting.clock = ClockKind::Virtual;
        assert!(!notes(&study).concat().contains("More threads than"));
    }

    /// Rows of 2, 4 and 8 threads on two fast cores and six slow ones, then on other machines.
    #[test]
    fn threads_on_slower_cores_are_told() {
        let mut study = fake(None);
        study.setting.clock = ClockKind::Real;
        let mut says = |fastest, cores, cpus| {
            let setting = &mut study.setting;
            (setting.fastest_cores, setting.cores, setting.cpus) = (fastest, cores, cpus);
            let text = notes(&study).concat();
            let told = text.split_once(" fastest core").map(|(before, _)| before.ends_with("than the 2"));
            (told, text.contains("physical core"), text.contains("8 processors"))
        };
        assert_eq!(says(Some(2), Some(8), 8), (Some(true), false, false));
        assert_eq!(says(Some(2), Some(2), 4), (None, true, false), "all others are siblings");
        assert_eq!(says(Some(8), Some(16), 16), (None, false, false), "no row has more");
        assert_eq!(says(None, Some(8), 8), (None, false, false));
        // One processor is not several.
        (study.setting.cores, study.setting.cpus) = (Some(1), 1);
        assert!(notes(&study).concat().contains("than the 1 processor:"));
    }

    /// By hand: two machines that sent eight megabytes in two seconds sent two each in a second, and their talking
    /// threads were busy for one second of four.
    #[test]
    fn machines_exchange_at_rates_of_each() {
        let mut study = fake(None);
        let row = study.rows.last_mut().expect("the row of eight threads");
        (row.machines, row.seconds) = (2, 2.0);
        row.exchanged = Some(Exchanged {
            sent: 400,
            dropped: 7,
            received: 200,
            probed: 30,
            cut: 10,
            bytes: 8_000_000,
            talking_ns: 1_000_000_000,
        });
        let line = ["ybw", "2", "8", "400", "7", "200", "15.0", "5.0", "2.00", "25.0"];
        assert_eq!(exchanged(&study).rows, [line]);
    }

    /// Through two points one parameter does not go, but two do.
    #[test]
    fn a_law_with_a_parameter_for_each_point_shows_no_error() {
        let (mut study, points) = (fake(None), [(2.0, 1.9), (4.0, 3.4)]);
        study.fits = vec![Fit { scheme: Scheme::Ybw, amdahl: Amdahl::fit(&points), usl: Usl::fit(&points) }];
        let row = laws(&study).rows.remove(0);
        assert_eq!((row[3] == "-", row[7] == "-"), (false, true), "{row:?}");
        let document = serde_json::to_value(&study.fits[0]).expect("it is JSON");
        assert!(document["amdahl"]["error"].is_number() && document["usl"]["error"].is_null(), "{document}");
    }

    #[test]
    fn a_stopped_study_says_so() {
        for left in [0, 1, 7] {
            let study = fake(Some(left));
            let text = report(&study, None).text(200);
            let says = format!("STOPPED after {left} of {}", study.planned);
            assert!(text.contains(&says) && !text.contains("in no row"), "{text}");
            assert!(!text.contains("NaN"), "{text}");
            for csv in [csv::rows(&study), csv::samples(&study)] {
                assert!(csv.contains(&format!("\n# note: {says} ")), "{csv}");
            }
        }
    }

    /// Of seven searches the third is missing: four of the others come after it.
    #[test]
    fn searches_after_a_gap_are_said_to_be_left_out() {
        let mut samples = fake(Some(7)).samples;
        samples.remove(2);
        let study = study_of(&plan(Goal::Depth), samples);
        for text in [report(&study, None).text(200), csv::rows(&study), csv::samples(&study)] {
            assert!(text.contains("STOPPED after 6 of "), "{text}");
            assert!(text.contains(" 4 of these, planned after one that is missing, are in no row"), "{text}");
        }
    }

    /// The same of all that makes figures doubtful, and only of what does.
    #[test]
    fn values_for_programs_come_with_what_makes_them_doubtful() {
        let mut study = fake(None);
        let cautions = ["STOPPED after", "TOO SMALL", "Under a limit of time", "not speed-ups"];
        let said = |study: &Study| {
            [csv::rows(study), csv::samples(study)].map(|csv| {
                let notes: Vec<&str> = csv.lines().filter(|line| line.starts_with("# note: ")).collect();
                cautions.map(|caution| notes.iter().any(|note| note.contains(caution)))
            })
        };
        assert_eq!(said(&study), [[false; 4]; 2]);
        (study.setting.clock, study.setting.cpus) = (ClockKind::Real, 4);
        assert_eq!(said(&study), [[false, false, false, true]; 2], "eight threads on four processors");
        study.setting.goal = Goal::Milliseconds(50);
        study.samples.iter_mut().for_each(|sample| sample.nodes = vec![7_000]);
        assert_eq!(said(&study), [[false, true, true, true]; 2]);
    }
}
