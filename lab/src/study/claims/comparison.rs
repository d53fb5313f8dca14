//! System 20, findings (a) to (f) of M 3.6 from our own figure 8, and system 24, which is named and not built.

use super::{Ledger, Verdict};
use crate::study::contest::Threads;
use crate::study::figure8::{Figure8, Settings, figure8};

pub(super) fn run(ledger: &mut Ledger) {
    ledger.system("20 the comparison of figure 8");
    let settings = Settings {
        from: 2,
        to: ledger.size(6, 4),
        positions: ledger.size(24, 6),
        tables: vec![8000, 1_000_000],
        quiescence: true,
        threads: Threads::All,
    };
    let figure = figure8(&settings, |_| {});
    let depths: Vec<u32> = (settings.from..=settings.to).collect();
    findings(ledger, &figure, &depths);
    ledger.system("24 B*, conspiracy numbers");
    ledger.row(
        "B",
        "a different, more experimental road",
        "named in the documents, not built".into(),
        Verdict::Absent,
    );
}

/// A curve's CPU or horizon percentages at each depth.
fn curve(figure: &Figure8, series: &str, entries: Option<usize>, depths: &[u32]) -> Vec<f64> {
    depths.iter().filter_map(|&d| figure.point(series, entries, d)).map(|p| p.horizon_percent).collect()
}

fn text(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.0}")).collect::<Vec<_>>().join(", ")
}

fn findings(ledger: &mut Ledger, figure: &Figure8, depths: &[u32]) {
    let of = |series, entries| curve(figure, series, entries, depths);
    let (small, large) = (Some(8000), Some(1_000_000));
    let from = depths[0];
    let head = format!("percent of direct alpha-beta's horizon nodes from {from} plies on");
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len().max(1) as f64;
    let iterated = of("iterative alpha-beta", None);
    let times: Vec<f64> = depths
        .iter()
        .filter_map(|&d| figure.point("iterative alpha-beta", None, d))
        .map(|p| p.time_percent)
        .collect();
    let value = format!(
        "{head}: {} (mean {:.1}); CPU {} (mean {:.1})",
        text(&iterated),
        mean(&iterated),
        text(&times),
        mean(&times)
    );
    ledger.rule("confirmed if neither mean is above twice the document's 5 %");
    let cheap = mean(&iterated) - 100.0 <= 10.0 && mean(&times) - 100.0 <= 10.0;
    ledger.row("M 3.6 (a)", "iterative deepening costs little, 5 % on average", value, Verdict::of(cheap));
    let (pvs, aspiration) = (of("pvs", None), of("aspiration", None));
    let value = format!("PVS {}; aspiration {}", text(&pvs), text(&aspiration));
    let deep_better = pvs.iter().zip(&aspiration).filter(|(p, a)| p < a).count();
    let verdict = if deep_better == pvs.len() {
        Verdict::Confirmed
    } else if 2 * deep_better > pvs.len() {
        Verdict::Partly
    } else {
        Verdict::Refuted
    };
    ledger.row("M 3.6 (b)", "iterated, PVS is superior to aspiration", value, verdict);
    let (refutation, table) = (of("pvs+ref", None), of("pvs+trans", small));
    let value = format!("PVS+ref {}; PVS+trans (8 k) {}", text(&refutation), text(&table));
    let saved = |with: &[f64]| pvs.iter().zip(with).take(4).map(|(bare, with)| bare - with).sum::<f64>();
    let near = saved(&table) > 0.0 && 2.0 * saved(&refutation) >= saved(&table);
    ledger.rule(
        "no number is given; ours: up to 5 plies it saves in sum at least half of what 8000 entries save",
    );
    ledger.row(
        "M 3.6 (c)",
        "a refutation table is a space-efficient alternative for the early iterations",
        value,
        Verdict::of(near),
    );
    odd_plies(ledger, figure, depths);
    let (small_table, large_table) = (of("pvs+trans", small), of("pvs+trans", large));
    let value = format!("PVS+trans 8 k {}; 1 M {}", text(&small_table), text(&large_table));
    let ratio = |i: usize| small_table[i] / large_table[i];
    let last = small_table.len() - 1;
    ledger.rule(
        "confirmed if the small table costs nodes at the deepest search, and more than at the shallowest",
    );
    ledger.row(
        "M 3.6 (e)",
        "the table must grow with the depth, or entries are lost before use",
        value,
        Verdict::of(ratio(last) > 1.0 && ratio(last) > ratio(0)),
    );
    let best = of("pvs+trans+ref+hist", large);
    let minimal: Vec<f64> = figure.minimal.iter().map(|m| m.1).collect();
    let value = format!("PVS+trans+ref+hist (1 M) {}; minimal tree {}", text(&best), text(&minimal));
    let odd = depths.iter().zip(best.iter().zip(&minimal)).filter(|(d, _)| *d % 2 == 1);
    let close = odd.clone().count() > 0 && odd.into_iter().all(|(_, (b, m))| b / m < 1.5);
    ledger
        .rule("no number is given; ours: less than one and a half times the minimal tree at every odd depth");
    ledger.row(
        "M 3.6 (f)",
        "tables and history together come close to the minimal tree at odd depths",
        value,
        Verdict::of(close),
    );
}

fn odd_plies(ledger: &mut Ledger, figure: &Figure8, depths: &[u32]) {
    // Efficient: near the minimal tree of that depth.
    let over: Vec<(u32, f64)> = figure.minimal.iter().map(|&(depth, share)| (depth, 100.0 / share)).collect();
    let text: Vec<String> = over.iter().map(|(d, r)| format!("{d} plies {r:.1}")).collect();
    let value = format!("direct alpha-beta's horizon nodes over the minimal tree's: {}", text.join(", "));
    let ratio = |depth: u32| over.iter().find(|o| o.0 == depth).map(|o| o.1);
    let odd = depths.iter().filter(|&&d| d % 2 == 1);
    let beats = |&d: &u32| {
        ratio(d) < ratio(d - 1).or(ratio(d + 1)) && ratio(d + 1).is_none_or(|next| ratio(d) < Some(next))
    };
    let holds = odd.clone().all(beats);
    ledger.row(
        "M 3.6 (d)",
        "odd-ply searches are more efficient than even-ply ones",
        value,
        Verdict::of(holds),
    );
}
