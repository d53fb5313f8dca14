//! Marsland's comparison (20): findings (a) to (f) of M 3.6 from our own figure 8.

use super::{Group, Ledger, Verdict};
use crate::study::contest::Threads;
use crate::study::figure8::{Figure8, Settings, figure8};
use crate::study::paired::{estimate, logs, mean_of, percent, text};
use figures::table::signed;

pub(super) const GROUPS: &[Group] = &[(20, run)];

const SMALL: Option<usize> = Some(8000);
const LARGE: Option<usize> = Some(1_000_000);

fn run(ledger: &mut Ledger<'_, '_>) {
    ledger.system("20 the comparison of figure 8");
    let settings = Settings {
        from: 2,
        to: ledger.size(6, 4),
        positions: ledger.size(24, 6),
        tables: SMALL.into_iter().chain(LARGE).collect(),
        quiescence: true,
        threads: Threads::All,
    };
    let figure = figure8(&settings, ledger.watch);
    if figure.left_out > 0 {
        return;
    }
    tell(ledger, &Findings { figure: &figure, depths: (settings.from..=settings.to).collect() });
}

/// The rows of a finished figure.
fn tell(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    deepening(ledger, findings);
    windows(ledger, findings);
    refutation(ledger, findings);
    odd_plies(ledger, findings);
    table_size(ledger, findings);
    all_together(ledger, findings);
}

/// A finished figure, and the depths it has.
struct Findings<'a> {
    figure: &'a Figure8,
    depths: Vec<u32>,
}

impl Findings<'_> {
    /// A curve's horizon nodes at a depth, position by position.
    fn horizon(&self, series: &str, entries: Option<usize>, depth: u32) -> &[u64] {
        self.figure.point(series, entries, depth).map_or(&[], |point| &point.horizon)
    }

    /// One curve against another at a depth: the logarithms of their ratios.
    fn against(&self, before: (&str, Option<usize>), after: (&str, Option<usize>), depth: u32) -> Vec<f64> {
        logs(self.horizon(before.0, before.1, depth), self.horizon(after.0, after.1, depth))
    }

    /// A curve against the minimal tree at a depth.
    fn over_minimal(&self, series: &str, entries: Option<usize>, depth: u32) -> Vec<f64> {
        let minimal = self.figure.minimal_trees.iter().find(|trees| trees.0 == depth);
        minimal.map_or_else(Vec::new, |trees| logs(&trees.1, self.horizon(series, entries, depth)))
    }

    /// Something at each depth, in words.
    fn told(&self, what: impl Fn(u32) -> String) -> String {
        self.depths
            .iter()
            .map(|&depth| format!("{depth} plies {}", what(depth)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn odd(&self) -> impl Iterator<Item = u32> {
        self.depths.iter().copied().filter(|depth| depth % 2 == 1)
    }
}

const DIRECT: (&str, Option<usize>) = ("direct alpha-beta", None);
const ITERATED: (&str, Option<usize>) = ("iterative alpha-beta", None);
const PVS: (&str, Option<usize>) = ("pvs", None);

fn deepening(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    let at = |depth| findings.against(DIRECT, ITERATED, depth);
    let mean = percent(&mean_of(&findings.depths.iter().map(|&depth| at(depth)).collect::<Vec<_>>()));
    let value = format!(
        "horizon nodes against direct alpha-beta: mean {}; {}",
        text(mean),
        findings.told(|depth| text(percent(&at(depth))))
    );
    // Too little time for a coarse clock is no number.
    let time = |depth| match findings.figure.point(ITERATED.0, None, depth) {
        Some(point) if point.time_percent.is_finite() => {
            format!("{} %", signed(point.time_percent - 100.0, 0))
        }
        _ => "not known".to_owned(),
    };
    ledger.cpu(format!("CPU time, sums: {}", findings.told(time)));
    ledger.rule("confirmed if the mean's interval lies below twice Marsland's 5 %, refuted if above");
    let claim = "iterative deepening costs little, 5 % on average";
    ledger.row("M 3.6 (a)", claim, value, Verdict::below(mean, 10.0));
}

fn windows(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    let at = |depth| percent(&findings.against(("aspiration", None), PVS, depth));
    let value =
        format!("horizon nodes of PVS against aspiration: {}", findings.told(|depth| text(at(depth))));
    let verdict = Verdict::every(findings.depths.iter().map(|&depth| Verdict::less(at(depth))));
    ledger.rule("confirmed if at every depth the interval lies below 0, refuted above, partly if both");
    ledger.row("M 3.6 (b)", "iterated, PVS is superior to aspiration", value, verdict);
}

fn refutation(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    let refutation = |depth| findings.against(PVS, ("pvs+ref", None), depth);
    let table = |depth| findings.against(PVS, ("pvs+trans", SMALL), depth);
    let value = format!(
        "horizon nodes against PVS, with a refutation table (with 8000 entries): {}",
        findings.told(|depth| format!(
            "{} ({})",
            text(percent(&refutation(depth))),
            text(percent(&table(depth)))
        ))
    );
    // What is left of half the table's saving once the refutation table's is taken off.
    let short = |depth| -> Vec<f64> {
        refutation(depth).iter().zip(table(depth)).map(|(own, table)| own - table / 2.0).collect()
    };
    let early: Vec<Vec<f64>> = findings.depths.iter().filter(|&&d| d <= 5).map(|&d| short(d)).collect();
    let verdict = Verdict::below(estimate(&mean_of(&early)), 0.0);
    ledger.rule(
        "no number is given; ours: up to 5 plies, by the mean of logarithms, at least half of what 8000 \
         entries save",
    );
    ledger.row(
        "M 3.6 (c)",
        "a refutation table is a space-efficient alternative for the early iterations",
        value,
        verdict,
    );
}

fn odd_plies(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    // Efficient: near the minimal tree of that depth.
    let over = |depth| findings.over_minimal(DIRECT.0, None, depth);
    let factor = |depth| estimate(&over(depth)).map(f64::exp);
    let value = format!(
        "direct alpha-beta's horizon nodes over the minimal tree's: {}",
        findings.told(|depth| {
            let found = factor(depth);
            format!("{:.1} [{:.1}, {:.1}]", found.mean, found.low, found.high)
        })
    );
    let beside = |odd: u32| [odd - 1, odd + 1].into_iter().filter(|depth| findings.depths.contains(depth));
    let better = |odd: u32, even: u32| {
        let apart: Vec<f64> = over(odd).iter().zip(over(even)).map(|(odd, even)| odd - even).collect();
        Verdict::below(estimate(&apart), 0.0)
    };
    let pairs = findings.odd().flat_map(|odd| beside(odd).map(move |even| (odd, even)));
    let verdict = Verdict::every(pairs.map(|(odd, even)| better(odd, even)));
    ledger.rule(
        "confirmed if every odd depth is nearer to the minimal tree than both its neighbours, by 95 % \
         intervals of the ratios",
    );
    ledger.row("M 3.6 (d)", "odd-ply searches are more efficient than even-ply ones", value, verdict);
}

fn table_size(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    let cost = |depth| findings.against(("pvs+trans", LARGE), ("pvs+trans", SMALL), depth);
    let value = format!(
        "horizon nodes with 8000 entries against a million: {}",
        findings.told(|depth| text(percent(&cost(depth))))
    );
    let (first, last) = (cost(findings.depths[0]), cost(findings.depths[findings.depths.len() - 1]));
    let grown: Vec<f64> = last.iter().zip(&first).map(|(last, first)| last - first).collect();
    let verdict = Verdict::every([estimate(&last), estimate(&grown)].map(|found| Verdict::above(found, 0.0)));
    ledger.rule(
        "confirmed if the small table costs nodes at the deepest search, and more than at the shallowest",
    );
    ledger.row(
        "M 3.6 (e)",
        "the table must grow with the depth, or entries are lost before use",
        value,
        verdict,
    );
}

fn all_together(ledger: &mut Ledger<'_, '_>, findings: &Findings<'_>) {
    let over = |depth| percent(&findings.over_minimal("pvs+trans+ref+hist", LARGE, depth));
    let value = format!(
        "horizon nodes of PVS+trans+ref+hist (1 M) against the minimal tree: {}",
        findings.told(|depth| text(over(depth)))
    );
    let verdict = Verdict::every(findings.odd().map(|depth| Verdict::below(over(depth), 50.0)));
    ledger
        .rule("no number is given; ours: less than one and a half times the minimal tree at every odd depth");
    ledger.row(
        "M 3.6 (f)",
        "tables and history together come close to the minimal tree at odd depths",
        value,
        verdict,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Watch;
    use crate::study::figure8::{Point, SERIES};
    use crate::tally::Tally;
    use std::sync::atomic::AtomicBool;

    const DEPTHS: std::ops::RangeInclusive<u32> = 2..=4;

    /// Leaves of a curve at a depth where each finding holds, or none does; the minimal tree has a hundred.
    fn leaves(holds: bool, series: &str, entries: Option<usize>, depth: u32) -> u64 {
        let either = |holding: u64, failing: u64| if holds { holding } else { failing };
        let beyond = u64::from(depth - 2);
        match series {
            // (d) Twice the minimal tree at odd plies, and four times at even ones.
            "direct alpha-beta" if depth.is_multiple_of(2) => either(400, 200),
            "direct alpha-beta" => either(200, 400),
            // (a) 5 % more, or half as many again.
            "iterative alpha-beta" => leaves(holds, DIRECT.0, None, depth) * either(105, 150) / 100,
            // (b) A tenth fewer, or more.
            "aspiration" => 1000,
            "pvs" => either(900, 1100),
            // (c) 8000 entries save half of the leaves, and refutations 40 %, or 5.
            "pvs+ref" => either(540, 1045),
            "pvs+trans" if entries == SMALL => either(450, 550),
            // (e) At two plies a million save no more; at four plies a third, or cost half as many again.
            "pvs+trans" => either(450 - 75 * beyond, 550 + 135 * beyond),
            // (f) A fifth more than the minimal tree, or twice as many.
            "pvs+trans+ref+hist" => either(120, 200),
            _ => 1000,
        }
    }

    /// Twelve positions of different sizes that are alike in all else.
    fn figure(holds: bool) -> Figure8 {
        let sizes = |leaves: u64| -> Vec<u64> { (1..=12).map(|size| size * leaves).collect() };
        let point = |(series, entries, depth): (&str, Option<usize>, u32)| Point {
            series: series.to_owned(),
            entries,
            depth,
            seconds: 0.0,
            time_percent: f64::NAN,
            horizon_percent: f64::NAN,
            horizon_low: f64::NAN,
            horizon_high: f64::NAN,
            tally: Tally::default(),
            horizon: sizes(leaves(holds, series, entries, depth)),
        };
        let sized = |(series, _): (&'static str, &str)| [None, SMALL, LARGE].map(|size| (series, size));
        let curves = SERIES.into_iter().flat_map(sized);
        let places = curves.flat_map(|(series, size)| DEPTHS.map(move |depth| (series, size, depth)));
        Figure8 {
            positions: 12,
            width: 34.0,
            quiescence: true,
            points: places.map(point).collect(),
            minimal: Vec::new(),
            left_out: 0,
            minimal_trees: DEPTHS.map(|depth| (depth, sizes(100))).collect(),
        }
    }

    #[test]
    fn every_finding_is_told_from_its_opposite() {
        for (holds, verdict) in [(true, Verdict::Confirmed), (false, Verdict::Refuted)] {
            let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
            let watch = &mut Watch::new(&mut hear, &stop);
            let mut ledger = Ledger::new(true, watch);
            tell(&mut ledger, &Findings { figure: &figure(holds), depths: DEPTHS.collect() });
            assert_eq!(ledger.rows.len(), 6);
            for row in &ledger.rows {
                assert_eq!(row.verdict, verdict, "{row:?}");
            }
        }
    }
}
