//! More about windows and bounds: what fail-soft and deep cut-offs are good for (2), the minimal tree of a
//! real game (3), which windows fail and how wide they should be (4), how few are open (7), MTD(f) without
//! fail-soft and MTD(best) (8).

use super::proof::mates;
use super::{Group, Ledger, Verdict, horizon_change, node_change, score, synthetic};
use crate::algorithms::best_move::mtd_best;
use crate::algorithms::minimax::negamax;
use crate::algorithms::room::Room;
use crate::cores::on_all_cores;
use crate::enhanced::{Contestant, run as search};
use crate::node::{Node, Value, WIN};
use crate::study::contest::{Score, Threads, mean_width, measure};
use crate::study::paired::{change, estimate, percent, text};
use crate::tally::Tally;
use crate::trees::chess_game::ChessGame;
use crate::trees::positions::random_chess;
use crate::trees::synthetic::{Kind, Synthetic};
use figures::stats::Estimate;

pub(super) const GROUPS: &[Group] = &[
    (2, fail_soft),
    (2, deep_cutoffs),
    (2, twice_as_deep),
    (3, width),
    (4, window_width),
    (4, window_failures),
    (4, sliding),
    (7, open_windows),
    (7, aspiration_outside),
    (8, fail_hard_driver),
    (8, best_move_only),
];

/// Everything safe that makes trees small.
const BEST: &str = "+id+trans=1000000+killers+hist";

fn fail_soft(ledger: &mut Ledger<'_, '_>) {
    ledger.system("2 alpha-beta");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let [soft, hard] = ["alphabeta+id", "failhard+id"].map(|text| score(&roots, depth, text));
    let same = soft.each.iter().zip(&hard.each).filter(|(a, b)| a.nodes() == b.nodes()).count();
    let value = format!("{same} of {} positions take the same nodes either way ({depth} plies)", roots.len());
    let claim = "by itself fail-soft does not improve the search";
    ledger.row("E", claim, value, Verdict::of(same == roots.len()));
    let with = "+id+trans=1000000";
    let [soft, hard] = ["alphabeta", "failhard"].map(|name| score(&roots, depth, &format!("{name}{with}")));
    // Half a cut-off more keeps the logarithm where a tree has none.
    let shares = |score: &Score| -> Vec<f64> {
        let each = score.each.iter().map(|tally| tally.table);
        each.map(|table| (table.cutoffs as f64 + 0.5) / (table.probes as f64 + 1.0)).collect()
    };
    let (before, after) = (shares(&hard), shares(&soft));
    let found =
        percent(&before.iter().zip(&after).map(|(hard, soft)| (soft / hard).ln()).collect::<Vec<f64>>());
    ledger.interval(found);
    ledger
        .rule("confirmed if the share of the probes that cut off is larger, by the interval of the quotient");
    let value = format!(
        "share of the probes that cut off, fail-soft's against fail-hard's {}; {} of {} against {} of {}; \
         nodes {} ({depth} plies)",
        text(found),
        soft.tally.table.cutoffs,
        soft.tally.table.probes,
        hard.tally.table.cutoffs,
        hard.tally.table.probes,
        text(node_change(&hard, &soft))
    );
    ledger.row("E", "with a table fail-soft makes more probes cut off", value, Verdict::above(found, 0.0));
}

fn deep_cutoffs(ledger: &mut Ledger<'_, '_>) {
    ledger.system("2 alpha-beta");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let found = node_change(&score(&roots, depth, "bnb"), &score(&roots, depth, "alphabeta"));
    ledger.compares(&format!("bnb alphabeta -d {depth}{}", ledger.positions()));
    let what = format!("nodes against a search with one bound ({depth} plies)");
    ledger.smaller("M 2.2", "deep cut-offs make the tree smaller", found, &what);
}

fn twice_as_deep(ledger: &mut Ledger<'_, '_>) {
    ledger.system("2 alpha-beta");
    let roots = ledger.bratko_kopec();
    let depths = ledger.size([2u32, 3], [1, 2]);
    let found = depths.map(|depth| {
        let (full, best) = (score(&roots, depth, "negamax"), score(&roots, 2 * depth, &format!("pvs{BEST}")));
        horizon_change(&full, &best)
    });
    ledger.interval(found[1]);
    ledger.rule(
        "perfect order takes two horizon nodes for one of minimax's; confirmed if at both depths the \
         interval lies below that, +100 %",
    );
    let value = format!(
        "horizon nodes of PVS with table, killers and history at {} and {} plies, all iterations, against \
         minimax at {} and {}: {}, {}",
        2 * depths[0],
        2 * depths[1],
        depths[0],
        depths[1],
        text(found[0]),
        text(found[1])
    );
    let claim = "a well-ordered search looks twice as far ahead as minimax in the same time";
    ledger.row("F, B", claim, value, Verdict::every(found.map(|found| Verdict::below(found, 100.0))));
}

fn width(ledger: &mut Ledger<'_, '_>) {
    ledger.system("3 minimal game tree");
    let roots = ledger.bratko_kopec();
    let widths: Vec<f64> = on_all_cores(&roots, |root| mean_width(std::slice::from_ref(root), 3));
    let Estimate { mean, low, high } = estimate(&widths);
    ledger.rule(
        "confirmed if the whole interval lies within a tenth of 34 (the line is ours), refuted if outside, else not \
         significant",
    );
    let value =
        format!("mean width of {} positions over three plies {mean:.1} [{low:.1}, {high:.1}]", roots.len());
    let verdict = Verdict::within(Estimate { mean, low, high }, 0.9 * 34.0, 1.1 * 34.0);
    ledger.row("M 3.6", "chess has 34 branches at a node", value, verdict);
}

fn window_width(ledger: &mut Ledger<'_, '_>) {
    ledger.system("4 aspiration");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let text_of = |margin: u32| format!("alphabeta+id+asp={margin}");
    let half = score(&roots, depth, &text_of(50));
    let others = [10u32, 25, 100, 200, 400];
    let found = others.map(|margin| (margin, node_change(&half, &score(&roots, depth, &text_of(margin)))));
    let told: Vec<String> =
        found.iter().map(|(margin, found)| format!("{margin} {}", text(*found))).collect();
    let all: Vec<String> = [50].iter().chain(&others).map(|&margin| text_of(margin)).collect();
    ledger.compares(&format!("{} -d {depth}{}", all.join(" "), ledger.positions()));
    ledger.rule(
        "no number is given; ours: confirmed if no other window saves a twentieth of the nodes, refuted if one \
         saves more than that, by the intervals",
    );
    let value = format!(
        "nodes with so many hundredths to either side against 50: {} ({depth} plies)",
        told.join(", ")
    );
    let cases: Vec<Verdict> = found.iter().map(|(_, found)| Verdict::above(*found, -5.0)).collect();
    let better = cases.contains(&Verdict::Refuted);
    let verdict = if better { Verdict::Refuted } else { Verdict::every(cases) };
    ledger.row("E", "half a pawn is a good aspiration window", value, verdict);
}

/// Material at the end of the line that a search found, less that at its root, for the side to move there.
fn shift(root: &ChessGame, line: &[chess::Move]) -> Value {
    let end = line.iter().fold(root.clone(), |node, &m| node.child(m));
    let last = if line.len().is_multiple_of(2) { end.material() } else { -end.material() };
    (last - root.material()).abs()
}

/// Positions, and which of them stand apart: `apart` says so of a root, its value and its best line, as a
/// search finds them that has no windows and no table to cut the line short. So every contestant has the same
/// groups.
struct Groups {
    roots: Vec<ChessGame>,
    depth: u32,
    apart: Vec<bool>,
}

impl Groups {
    fn of(
        roots: Vec<ChessGame>,
        depth: u32,
        apart: impl Fn(&ChessGame, Value, &[chess::Move]) -> bool + Sync,
    ) -> Self {
        let switches = super::contestant("alphabeta+id+quiesce").switches;
        let one = |root: &ChessGame| {
            let found = search(root, depth, &switches, None);
            apart(root, found.value, &found.line)
        };
        let apart = on_all_cores(&roots, one);
        Self { roots, depth, apart }
    }

    /// Further searches for each 100 iterations, position by position: where positions stand apart, and
    /// elsewhere. Where a window that fails opens up to infinity, these are the windows that failed, in
    /// percent.
    fn failed(&self, text: &str) -> [Vec<f64>; 2] {
        let (switches, depth) = (super::contestant(text).switches, f64::from(self.depth));
        // Every iteration begins with one window; a further pass means that it failed.
        let one = |root: &ChessGame| {
            100.0 * (search(root, self.depth, &switches, None).tally.passes as f64 - depth) / depth
        };
        let rates = on_all_cores(&self.roots, one);
        let group = |wanted| {
            let each = self.apart.iter().zip(&rates).filter(|(apart, _)| **apart == wanted);
            each.map(|(_, &rate)| rate).collect()
        };
        [true, false].map(group)
    }
}

/// Confirmed if the first interval lies above the second, refuted if below.
fn higher([first, second]: [Estimate; 2]) -> Verdict {
    match (first.low > second.high, first.high < second.low) {
        (true, _) => Verdict::Confirmed,
        (_, true) => Verdict::Refuted,
        _ => Verdict::Open,
    }
}

/// The means of two groups of positions; what is meant by the numbers stands before.
fn means([Estimate { mean, low, high }, other]: [Estimate; 2], counts: [usize; 2], group: &str) -> String {
    format!(
        "{mean:.0} [{low:.0}, {high:.0}] (mean over {} positions {group}), and {:.0} [{:.0}, {:.0}] over the \
         other {}",
        counts[0], other.mean, other.low, other.high, counts[1]
    )
}

fn window_failures(ledger: &mut Ledger<'_, '_>) {
    ledger.system("4 aspiration");
    let mut roots = ledger.bratko_kopec();
    roots.extend(random_chess(ledger.size(276, 34), 92));
    let depth = 4;
    let groups = Groups::of(roots, depth, |root, value, line| shift(root, line) >= 100 && value.abs() < WIN);
    let rates = groups.failed("alphabeta+id+asp+quiesce");
    let found = [&rates[0], &rates[1]].map(|rates| estimate(rates));
    ledger.rule(
        "confirmed if the interval where material changes lies above that where it does not, \
        refuted if below",
    );
    let group = means(found, [rates[0].len(), rates[1].len()], "whose best line changes material");
    let value = format!("windows of a pawn that failed, in percent: {group} ({depth} plies)");
    ledger.row("M 2.4", "windows fail where material changes", value, higher(found));
}

/// The sources' programs were fail-hard: a window slid by its own width each time. Fail-soft says how far the
/// value is away at least, and the window goes there at once.
fn sliding(ledger: &mut Ledger<'_, '_>) {
    ledger.system("4 aspiration");
    let (chess, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let [open, slides] =
        ["asp", "sliding"].map(|kind| score(&chess, depth, &format!("alphabeta+id+hard+{kind}+quiesce")));
    ledger.compares(&format!(
        "alphabeta+id+hard+asp+quiesce alphabeta+id+hard+sliding+quiesce -d {depth}{}",
        ledger.positions()
    ));
    let what = format!("nodes against a window that opens up to infinity, both fail-hard ({depth} plies)");
    ledger.smaller("M 2.4", "a sliding window is often effective", node_change(&open, &slides), &what);
    let mut roots = ledger.bratko_kopec();
    roots.extend(random_chess(ledger.size(276, 34), 92));
    roots.extend(mates(2).map(|(_, root)| root));
    let depth = 4;
    let offing =
        |root: &ChessGame, value: Value, line: &[chess::Move]| value.abs() >= WIN || shift(root, line) >= 300;
    let groups = Groups::of(roots, depth, offing);
    let hard = groups.failed("alphabeta+id+hard+sliding+quiesce");
    let found = [&hard[0], &hard[1]].map(|rates| estimate(rates));
    let [soft, _] = groups.failed("alphabeta+id+sliding+quiesce");
    let [narrow, _] = groups.failed("alphabeta+id+hard+asp+quiesce");
    let [soft, narrow] = [soft, narrow].map(|rates| estimate(&rates).mean);
    ledger.rule(
        "confirmed if the interval with a mate or a piece in the offing lies above that without, refuted if below",
    );
    let counts = [hard[0].len(), hard[1].len()];
    let group = means(found, counts, "whose best line mates or wins or loses a piece");
    let value = format!(
        "further searches for each 100 iterations, fail-hard: {group}; in the former {soft:.0} with \
         fail-soft, and {narrow:.0} where the window opens up to infinity ({depth} plies)"
    );
    let claim = "a sliding window searches again and again when mate or much material is in the offing";
    ledger.row("M 2.4", claim, value, higher(found));
}

fn open_windows(ledger: &mut Ledger<'_, '_>) {
    ledger.system("7 Scout, PVS, NegaScout");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let found = score(&roots, depth, &format!("pvs{BEST}"));
    let share = |tally: &Tally| 100.0 * tally.open_windows.unwrap_or(0) as f64 / tally.interior.max(1) as f64;
    let open = estimate(&found.each.iter().map(share).collect::<Vec<f64>>());
    let Estimate { mean, low, high } = open;
    ledger.interval(open);
    ledger.rule("no number is given; ours: fewer than one in a hundred");
    let value = format!("{mean:.2} % [{low:.2}, {high:.2}] of the interior nodes ({depth} plies)");
    ledger.row("E", "very few calls have an open window", value, Verdict::below(open, 1.0));
}

fn aspiration_outside(ledger: &mut Ledger<'_, '_>) {
    ledger.system("7 Scout, PVS, NegaScout");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let [inside, both] = [format!("pvs{BEST}"), format!("pvs{BEST}+asp=50")];
    let found = node_change(&score(&roots, depth, &inside), &score(&roots, depth, &both));
    ledger.compares(&format!("{inside} {both} -d {depth}{}", ledger.positions()));
    let what = format!("nodes with a window of half a pawn around PVS ({depth} plies)");
    ledger.smaller("E", "PVS inside gains from aspiration outside", found, &what);
}

/// A contestant that the register refuses, for what is claimed of it.
fn fail_hard_driver(ledger: &mut Ledger<'_, '_>) {
    ledger.system("8 MTD(f) and the MT family");
    let (roots, depth) = (ledger.bratko_kopec(), 3);
    let soft = super::contestant("mtdf+id+trans=1000000+two");
    let mut hard = Contestant { text: format!("{soft}+hard"), ..soft.clone() };
    hard.switches.fail_hard = true;
    let scores = [soft, hard].map(|contestant| measure(&roots, depth, &contestant, Threads::All));
    let found = node_change(&scores[1], &scores[0]);
    let same = scores[0].values == scores[1].values;
    ledger.interval(found);
    ledger.rule("no number is given; ours: with fail-soft less than half the nodes, for the same values");
    let value = format!(
        "nodes of fail-soft against fail-hard {}; {} passes instead of {}, values {} ({depth} plies)",
        text(found),
        scores[0].tally.passes,
        scores[1].tally.passes,
        if same { "equal" } else { "differ" }
    );
    let verdict = if same { Verdict::below(found, -50.0) } else { Verdict::Refuted };
    ledger.row("E", "fail-soft is essential to MTD(f)", value, verdict);
}

fn best_move_only(ledger: &mut Ledger<'_, '_>) {
    ledger.system("8 MTD(f) and the MT family");
    let roots = synthetic(Kind::Uniform, ledger.size(500, 50));
    let depth = 5;
    let one = |root: &Synthetic| {
        let mut tally = Tally::default();
        let found = mtd_best(root, depth, root.evaluate(), Room::UNLIMITED, &mut tally);
        let truth = |node: &Synthetic, depth| negamax(node, depth, &mut Tally::default());
        let best = found.ok().flatten();
        let best =
            best.is_some_and(|(index, _)| -truth(&root.child(index as u32), depth - 1) == truth(root, depth));
        (best, tally.nodes())
    };
    let (best, nodes): (Vec<bool>, Vec<u64>) = on_all_cores(&roots, one).into_iter().unzip();
    let right = best.iter().filter(|&&best| best).count();
    let found = change(&score(&roots, depth, "mtdf").nodes(), &nodes);
    ledger.interval(found);
    ledger.rule("confirmed if every move is best and the interval lies below 0");
    let value = format!(
        "MTD(best) names a best move on {right} of {} uniform trees, for {} nodes against MTD(f)'s ({depth} \
         plies)",
        roots.len(),
        text(found)
    );
    let verdict = if right == roots.len() { Verdict::less(found) } else { Verdict::Refuted };
    ledger.row("Plaat", "to find the best move takes less than to find its value, too", value, verdict);
}
