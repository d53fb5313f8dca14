//! The order of moves once more: the worst order and what order gains (13), how often the first move cuts,
//! kinds of killers and of history (13), refutations and an unstable sort between iterations (5, 14), longer
//! alternate variations (17).

use super::{ABOVE_0, BELOW_0, Group, Ledger, Verdict, horizon_change, node_change, score};
use crate::study::contest::Score;
use crate::study::paired::{estimate, logs, percent, text};
use crate::tally::{OrderTally, Tally};
use crate::trees::synthetic::{Kind, Spec, Synthetic};
use figures::stats::Estimate;

pub(super) const GROUPS: &[Group] = &[
    (5, with_a_refutation_table),
    (13, worst_order),
    (13, growth),
    (13, first_moves),
    (13, killers),
    (13, history),
    (14, unstable_sort),
    (17, longer_variations),
];

const SYSTEM: &str = "13 move ordering";

fn worst_order(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let count = ledger.size(100, 20);
    let (width, depth) = (3, 6);
    let spec = |seed| Spec { kind: Kind::Reversed, width, depth, seed, correlation: 50 };
    let roots: Vec<Synthetic> = (1..=count).map(|seed| spec(seed).root().expect("in range")).collect();
    let [full, fine, coarse] =
        ["negamax", "alphabeta", "alphabeta+grain=700"].map(|text| score(&roots, depth, text));
    let same = full.each.iter().zip(&fine.each).filter(|(a, b)| a.horizon == b.horizon).count();
    let found = horizon_change(&full, &coarse);
    let value = format!(
        "width {width}, {depth} plies, every branch better than the one before: alpha-beta has minimax's \
         leaves on {same} \
         of {count} trees; with values in steps of 700 {} of them",
        text(found)
    );
    ledger.interval(found);
    ledger.rule("confirmed if all leaves are the same, and with coarse values the interval lies below half");
    let claim = "in reverse order alpha-beta costs what minimax costs, far less if the evaluation is coarse";
    let verdict = Verdict::every([Verdict::of(same == roots.len()), Verdict::below(found, -50.0)]);
    ledger.row("F", claim, value, verdict);
}

/// What an order gains at each depth, position by position, and whether it gains more two plies deeper.
fn growth(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let (mut roots, deepest) = (ledger.bratko_kopec(), ledger.size(5, 4));
    roots.truncate(12);
    let gain = |depth: u32| {
        let nodes = |words: &str| score(&roots, depth, &format!("alphabeta{words}")).nodes();
        logs(&nodes(""), &nodes("+unordered+root-generated"))
    };
    let gains: Vec<(u32, Vec<f64>)> = (2..=deepest).map(|depth| (depth, gain(depth))).collect();
    let factor = |ratios: &[f64]| estimate(ratios).map(f64::exp);
    let told = gains.iter().map(|(depth, ratios)| {
        let Estimate { mean, low, high } = factor(ratios);
        format!("{depth} plies {mean:.1} [{low:.1}, {high:.1}]")
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let more = gains.iter().zip(gains.iter().skip(2)).map(|(early, late)| {
        let grown: Vec<f64> = early.1.iter().zip(&late.1).map(|(early, late)| late - early).collect();
        Verdict::above(estimate(&grown), 0.0)
    });
    let verdict = Verdict::every(more.collect::<Vec<_>>());
    ledger.rule("confirmed if two plies deeper the factor is larger, by the 95 % interval of the quotient");
    let value =
        format!("nodes of alpha-beta without any order, times those with safe captures first: {told}");
    ledger.row("F", "what good order gains grows exponentially with depth", value, verdict);
}

/// A share of something, tree by tree, in percent.
fn shares(score: &Score, of: impl Fn(&Tally) -> (u64, u64)) -> Vec<f64> {
    let share = |tally: &Tally| {
        let (part, whole) = of(tally);
        100.0 * part as f64 / whole.max(1) as f64
    };
    score.each.iter().map(share).collect()
}

fn plain(found: Estimate) -> String {
    format!("{:.1} % [{:.1}, {:.1}]", found.mean, found.low, found.high)
}

/// What caused the cut-offs of a switchable search, which counts that.
fn order(tally: &Tally) -> OrderTally {
    tally.order.unwrap_or_default()
}

/// The first-move cut-off rate.
fn first(score: &Score) -> Vec<f64> {
    shares(score, |tally| (order(tally).first, order(tally).cut))
}

fn apart(from: &[f64], to: &[f64]) -> Estimate {
    estimate(&from.iter().zip(to).map(|(from, to)| to - from).collect::<Vec<f64>>())
}

fn first_moves(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(4, 3));
    let of = |words: &str| score(&roots, depth, &format!("pvs+id+quiesce{words}"));
    let rates = [
        ("as generated", of("+unordered")),
        ("safe captures first", of("")),
        ("and history", of("+hist")),
        ("and killers", of("+hist+killers")),
        ("and the table's move", of("+hist+killers+trans=1000000")),
    ];
    let told: Vec<String> =
        rates.iter().map(|(name, score)| format!("{name} {}", plain(estimate(&first(score))))).collect();
    let found = apart(&first(&rates[1].1), &first(&rates[2].1));
    ledger.interval(found);
    ledger.rule("confirmed if history raises the rate: the interval of the difference lies above 0");
    let value = format!(
        "CUT nodes left by the first move searched ({depth} plies): {}; history's part {} points [{:.1}, \
         {:.1}]",
        told.join(", "),
        figures::table::signed(found.mean, 1),
        found.low,
        found.high
    );
    let claim = "history is a powerful predictor: the first move cuts off more often";
    ledger.row("M 3.3", claim, value, Verdict::above(found, 0.0));
    let full = &rates[4].1;
    let captures = estimate(&shares(full, |tally| (order(tally).tactical, order(tally).cut)));
    ledger.interval(captures);
    ledger.rule("no number is given; ours: more than half of all cut-offs");
    let value = format!("{} of the CUT nodes are left by a capture or a promotion", plain(captures));
    ledger.row("M 3.3", "most refutations are captures", value, Verdict::above(captures, 50.0));
    let stored = shares(full, |tally| (order(tally).stored_cut, order(tally).stored));
    let others = |tally: &Tally| {
        let order = order(tally);
        (order.first - order.stored_cut, order.cut.saturating_sub(order.stored))
    };
    let others = shares(full, others);
    let found = apart(&others, &stored);
    ledger.interval(found);
    ledger.rule("confirmed if a stored move cuts off more often than another first move, by the interval");
    let value = format!(
        "a stored move tried first cuts off in {} of the CUT nodes that have one; the first move of the \
         others in {}",
        plain(estimate(&stored)),
        plain(estimate(&others))
    );
    ledger.row("M 3.5, F", "the table's move is a very good guess", value, Verdict::above(found, 0.0));
}

/// Rows of the form: with this word instead of that the tree is smaller.
fn smaller_with(ledger: &mut Ledger<'_, '_>, rows: &[(&str, &str, &str, &str)]) {
    ledger.system(SYSTEM);
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(4, 3));
    for (source, claim, before, after) in rows {
        let [before, after] = [before, after].map(|words| format!("pvs+id+quiesce{words}"));
        let found = node_change(&score(&roots, depth, &before), &score(&roots, depth, &after));
        ledger.compares(&format!("{before} {after} -d {depth}{}", ledger.positions()));
        ledger.smaller(source, claim, found, &format!("nodes ({depth} plies, iterated PVS)"));
    }
}

fn killers(ledger: &mut Ledger<'_, '_>) {
    smaller_with(
        ledger,
        &[
            ("B", "a single killer makes the tree smaller", "", "+killers=1"),
            ("B", "two killers are better than one", "+killers=1", "+killers=2"),
            ("F", "more killers are better than two", "+killers=2", "+killers=4"),
            (
                "M 3.3",
                "the two most frequent killers are better than the two latest",
                "+killers=2",
                "+killers=2+killers-frequent",
            ),
        ],
    );
}

fn history(ledger: &mut Ledger<'_, '_>) {
    let claim = "history weighted by 2^depth is better than M's count of successes";
    smaller_with(ledger, &[("Schaeffer", claim, "+hist+hist-count", "+hist")]);
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(4, 3));
    let [all, cuts] = ["pvs+id+quiesce+hist", "pvs+id+quiesce+hist+hist-cuts"];
    let found = node_change(&score(&roots, depth, all), &score(&roots, depth, cuts));
    ledger.interval(found);
    ledger.compares(&format!("{all} {cuts} -d {depth}{}", ledger.positions()));
    ledger.rule("confirmed if it takes at most a twentieth more nodes (the interval lies below 5 %)");
    let value = format!("{} nodes ({depth} plies, iterated PVS)", text(found));
    let claim = "history need only learn from moves that fail high";
    ledger.row("F", claim, value, Verdict::below(found, 5.0));
}

fn with_a_refutation_table(ledger: &mut Ledger<'_, '_>) {
    ledger.system("5 iterative deepening");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let [direct, iterated] = ["pvs+root-analysis", "pvs+root-analysis+id+ref"];
    let found = node_change(&score(&roots, depth, direct), &score(&roots, depth, iterated));
    ledger.compares(&format!("{direct} {iterated} -d {depth}{}", ledger.positions()));
    let what = format!("nodes against a direct search ({depth} plies)");
    ledger.smaller("M 3.4", "iterating pays with a refutation table, too", found, &what);
}

fn unstable_sort(ledger: &mut Ledger<'_, '_>) {
    ledger.system("14 root moves");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let [stable, thrown] = ["pvs+id+root-analysis", "pvs+id+root-analysis+unstable"];
    let found = node_change(&score(&roots, depth, stable), &score(&roots, depth, thrown));
    ledger.interval(found);
    ledger.compares(&format!("{stable} {thrown} -d {depth}{}", ledger.positions()));
    let value =
        format!("{} nodes when root moves of equal value are thrown about ({depth} plies)", text(found));
    let claim = "ties broken by the vagaries of a sorting algorithm cost work";
    ledger.rule(ABOVE_0);
    ledger.row("M 3.4", claim, value, Verdict::above(found, 0.0));
}

fn longer_variations(ledger: &mut Ledger<'_, '_>) {
    ledger.system("17 alternate variations");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let of = |words: &str| score(&roots, depth, &format!("alphabeta+id{words}"));
    let (none, two, four) = (of(""), of("+alt"), of("+alt=4"));
    let found = node_change(&two, &four);
    ledger.interval(found);
    ledger.compares(&format!(
        "alphabeta+id+alt alphabeta+id+alt=4 alphabeta+id -d {depth}{}",
        ledger.positions()
    ));
    let value = format!(
        "nodes with four further plies against two {}; against none {} and {} ({depth} plies)",
        text(found),
        text(percent(&logs(&none.nodes(), &four.nodes()))),
        text(node_change(&none, &two))
    );
    let claim = "kept at a greater depth alternate variations have a beneficial effect, too";
    ledger.rule(BELOW_0);
    ledger.row("S", claim, value, Verdict::less(found));
}
