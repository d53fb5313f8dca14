//! Aspiration (4), Scout and PVS (7), MTD(f) and its family (8), random and uniform trees (21): what the
//! choice of window does.

use super::exact::leaves;
use super::{ABOVE_0, Group, Ledger, Verdict, contestant, horizon_change, score, synthetic};
use crate::algorithms::alpha_beta::fail_soft;
use crate::algorithms::aspiration::{Aspiration, aspire};
use crate::algorithms::minimax::negamax;
use crate::algorithms::mtd::eppstein_loop;
use crate::cores::on_all_cores;
use crate::enhanced::runs_on;
use crate::node::{INFINITY, Node, Value};
use crate::study::contest::Score;
use crate::study::paired::{change, estimate, logs, percent, text};
use crate::tally::Tally;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::positions::{random_chess, random_walks};
use crate::trees::recorder::Recorder;
use crate::trees::synthetic::{Kind, Spec, Synthetic};
use chess::Position;
use figures::stats::Estimate;

pub(super) const GROUPS: &[Group] = &[
    (4, aspiration),
    (7, minimal_windows),
    (7, reinefeld),
    (8, drivers),
    (8, best_first),
    (8, guard),
    (8, printed_loops),
    (21, random_trees),
];

/// The search most chess claims are measured with: captures quiesced, as the sources' programs did.
const CHESS: &str = "+root-analysis+quiesce";

fn aspiration(ledger: &mut Ledger<'_, '_>) {
    ledger.system("4 aspiration");
    let roots = synthetic(Kind::Uniform, ledger.size(500, 50));
    let (mut searches, mut wrong) = (0u64, 0u64);
    let mut passes: [Vec<u64>; 4] = Default::default();
    for root in &roots {
        passes.iter_mut().for_each(|kind| kind.push(0));
        let truth = negamax(root, 5, &mut Tally::default());
        for (i, (_, kind)) in Aspiration::ALL.into_iter().enumerate() {
            for (guess, margin) in
                [(truth, 10), (truth + 40, 10), (truth - 300, 20), (0, 1), (truth + 25, 25)]
            {
                let found = aspire(kind, guess, margin, |alpha, beta| {
                    passes[i].last_mut().into_iter().for_each(|count| *count += 1);
                    fail_soft(root, 5, alpha, beta, &mut Tally::default())
                });
                searches += 1;
                wrong += u64::from(found != truth);
            }
        }
    }
    let value = format!("{wrong} of {searches} searches with good and bad guesses differ");
    ledger.row("M fig. 3, E, B", "the value always equals the full window's", value, Verdict::of(wrong == 0));
    let each = searches as f64 / 4.0;
    let mean = |kind: &Vec<u64>| kind.iter().sum::<u64>() as f64 / each;
    let means: Vec<String> = Aspiration::ALL
        .iter()
        .zip(&passes)
        .map(|((name, _), kind)| format!("{name} {:.2}", mean(kind)))
        .collect();
    let more = change(&passes[0], &passes[1]);
    let value = format!("passes for each value: {}; sliding against narrow {}", means.join(", "), text(more));
    ledger.rule(ABOVE_0);
    ledger.row(
        "M 2.4",
        "a sliding window can lead to excessive re-searching",
        value,
        Verdict::above(more, 0.0),
    );
    let (chess, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let [full, narrow, pvs] = ["alphabeta+id", "alphabeta+id+asp", "pvs+id"]
        .map(|name| score(&chess, depth, &format!("{name}{CHESS}")));
    let what = format!("horizon nodes ({depth} plies, a pawn to either side)");
    ledger.smaller("E, B", "a good window gives a net gain", horizon_change(&full, &narrow), &what);
    let what = "horizon nodes of PVS against aspiration, both iterated";
    let claim = "minimal windows are more efficient than aspiration";
    ledger.smaller("M 2.4", claim, horizon_change(&narrow, &pvs), what);
}

fn minimal_windows(ledger: &mut Ledger<'_, '_>) {
    ledger.system("7 Scout, PVS, NegaScout");
    let seen = leaves("pvs-r");
    let value = format!("leaves {seen:?}; alpha-beta's also had p.2.1.2 (7)");
    let holds = seen == [5, 4, 6, 9, 3, 2];
    ledger.row(
        "M fig. 6",
        "minimal windows cut one more leaf of the example tree",
        value,
        Verdict::of(holds),
    );
    let (chess, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let of = |name: &str| score(&chess, depth, &format!("{name}+id+trans=1000000+killers+hist{CHESS}"));
    let base = of("alphabeta");
    // Below a quiescence search Reinefeld's rule is off, and PVS with it would be PVS once more.
    let found = distinct(["scout", "pvs", "pvs-e"].map(|name| (name, of(name))));
    let changes: Vec<_> = found.iter().map(|(names, score)| (names, horizon_change(&base, score))).collect();
    let shares: Vec<String> =
        changes.iter().map(|(names, found)| format!("{names} {}", text(*found))).collect();
    let value = format!(
        "{}: horizon nodes against alpha-beta, {depth} plies, all with table, killers, history",
        shares.join(", ")
    );
    ledger.rule("confirmed if every interval lies below 0, refuted if one lies above and none below");
    ledger.row(
        "M 3.1, F, E",
        "it is cheaper to prove a subtree inferior than to find its value",
        value,
        Verdict::every(changes.iter().map(|(_, found)| Verdict::less(*found))),
    );
}

/// Scores without their doubles: searches that visit as many nodes on every tree are one, with all their
/// names.
fn distinct<const N: usize>(scores: [(&str, Score); N]) -> Vec<(String, Score)> {
    let mut found: Vec<(String, Score)> = Vec::new();
    for (name, score) in scores {
        match found.iter_mut().find(|(_, known)| known.each == score.each) {
            Some((names, _)) => *names = format!("{names} = {name}"),
            None => found.push((name.to_owned(), score)),
        }
    }
    found
}

fn reinefeld(ledger: &mut Ledger<'_, '_>) {
    let (chess, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let (with, without) = (score(&chess, depth, "pvs-r"), score(&chess, depth, "pvs"));
    let wrong = with.values.iter().zip(&without.values).filter(|(a, b)| a != b).count();
    let value = format!(
        "{wrong} of {} values differ; {} re-searches instead of {}, horizon nodes {}",
        chess.len(),
        with.tally.re_searches,
        without.tally.re_searches,
        text(horizon_change(&without, &with))
    );
    let holds = wrong == 0 && with.tally.re_searches <= without.tally.re_searches;
    ledger.row(
        "M 3.1",
        "re-searches are needed only with more than two plies left",
        value,
        Verdict::of(holds),
    );
}

fn drivers(ledger: &mut Ledger<'_, '_>) {
    ledger.system("8 MTD(f) and the MT family");
    let (chess, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let table = "+id+trans=1000000+two+killers+hist";
    let of = |name: &str| score(&chess, depth, &format!("{name}{table}{CHESS}"));
    let pvs = of("pvs-r");
    let mut wrong = 0;
    let mut rows = Vec::new();
    for name in ["mtdf", "mtd-step", "bisection", "mt-sss", "mt-dual"] {
        let score = of(name);
        wrong += score.values.iter().zip(&pvs.values).filter(|(a, b)| a != b).count();
        let passes = score.tally.passes as f64 / (depth as usize * chess.len()) as f64;
        rows.push((name, passes, horizon_change(&pvs, &score)));
    }
    let told = |(name, passes, found): &(&str, f64, _)| format!("{name} {passes:.1} passes {}", text(*found));
    let value = format!(
        "{wrong} values differ from PVS; horizon nodes against PVS: {}",
        rows.iter().map(told).collect::<Vec<_>>().join(", ")
    );
    ledger.row("F, E, B", "the drivers reach the same value", value, Verdict::of(wrong == 0));
    let what = format!("horizon nodes against PVS with the same table, {depth} plies");
    ledger.smaller("F", "MTD(f) generally uses fewer nodes", rows[0].2, &what);
    // MTD(f) asks one way only within an iteration, and hardly for a bound that another has written over.
    let found = ["bisection", "mtd-step"].map(|name| {
        let [one, two] = ["", "+two"]
            .map(|two| score(&chess, depth, &format!("{name}+id+trans=8000{two}+killers+hist{CHESS}")));
        horizon_change(&one, &two)
    });
    ledger.rule(
        "confirmed if both intervals lie below 0; MTD(f), whose questions go one way only, can hardly gain",
    );
    let value = format!(
        "horizon nodes with two bounds against one, 8000 entries, {depth} plies: bisection {}, MTD(step) {}",
        text(found[0]),
        text(found[1])
    );
    let verdict = Verdict::every(found.map(Verdict::less));
    ledger.row("F", "MTD should keep both bounds in each entry", value, verdict);
}

fn best_first(ledger: &mut Ledger<'_, '_>) {
    let roots = synthetic(Kind::Uniform, ledger.size(300, 40));
    let seen = |root: &Synthetic, name: &str| {
        let recorder = Recorder::new(*root);
        contestant(name).switches.algorithm.search(&recorder, 5, &mut Tally::default());
        let mut keys = recorder.take();
        // A driver's first guess looks at the root itself.
        keys.retain(|&key| key != root.key());
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let equal = |root: &Synthetic| {
        seen(root, "sss") == seen(root, "mt-sss") && seen(root, "dual") == seen(root, "mt-dual")
    };
    let not_more = |root: &Synthetic| {
        let most = seen(root, "alphabeta").len();
        ["sss", "dual"].into_iter().all(|name| seen(root, name).len() <= most)
    };
    let counted = |found: Vec<bool>| found.into_iter().filter(|&found| found).count();
    let same = counted(on_all_cores(&roots, equal));
    let fewer = counted(on_all_cores(&roots, not_more));
    let value = format!(
        "{same} of {} trees: both leaf sets the same; {fewer} where neither SSS* nor DUAL* sees more \
         leaves than alpha-beta",
        roots.len()
    );
    let holds = same == roots.len() && fewer == roots.len();
    ledger.row(
        "B (Plaat)",
        "SSS* and DUAL* are MTD from above and below, and dominate alpha-beta",
        value,
        Verdict::of(holds),
    );
}

/// Passes after which a loop is said to run on: those that end take fewer than a hundred.
const ENDLESS: u64 = 1000;

fn guard(ledger: &mut Ledger<'_, '_>) {
    let count = ledger.size(10_000, 400);
    let positions = random_chess(count / 2, 77);
    let connect = random_walks(&ConnectFour::start(), 30, count / 2, 78);
    // The danger is an entry of greater depth taken for a shallower question: one position at two heights, as
    // when a king loses a move. Pawn endings are full of that; only there does the table's usual rule make a
    // difference.
    let endings = pawn_endings(ledger.size(300, 40));
    let depth = ledger.size(8, 6);
    let [equal, deeper] = ["mtdf+id+trans=16+two", "mtdf+id+trans=100000+two+deeper"];
    let (a, b) = (endless(&positions, 3, equal), endless(&connect, 5, equal));
    let found = endless(&endings, depth, deeper);
    let driven = score(&endings, depth, deeper);
    let exact = score(&endings, depth, "alphabeta");
    let wrong = driven.values.iter().zip(&exact.values).filter(|(a, b)| a != b).count();
    let value = format!(
        "Eppstein's loop without a guard runs on for {ENDLESS} passes in {} of {count} positions, 16 entries \
         of equal depth only, and in {found} of {} pawn endings at {depth} plies where deeper entries count; \
         with bounds as a guard {} of {} passes there contradict an earlier one, {wrong} values differ",
        a + b,
        endings.len(),
        driven.tally.guard,
        driven.tally.passes
    );
    ledger.rule(
        "confirmed if a loop without a guard runs on; refuted if none does, although passes contradict each other \
         or values differ",
    );
    let verdict = match (a + b + found, driven.tally.guard as usize + wrong) {
        (0, 0) => Verdict::Measured,
        (endless, _) => Verdict::of(endless > 0),
    };
    ledger.row("E", "complicated interactions with the table can loop: MTD(f) needs a guard", value, verdict);
}

/// In how many positions E's loop runs on over a table.
fn endless<N: Node>(roots: &[N], depth: u32, text: &str) -> usize {
    let switches = contestant(text).switches;
    let found = on_all_cores(roots, |root| runs_on(root, depth, &switches, ENDLESS));
    found.into_iter().filter(|&endless| endless).count()
}

/// Kings and two pawns of either side: random placings, the same in every run.
fn pawn_endings(count: usize) -> Vec<ChessGame> {
    let root = Position::from_fen("4k3/3p1p2/8/8/8/8/2P1P3/4K3 w - - 0 1").expect("a legal position");
    random_walks(&ChessGame::new(root), 40, count, 79)
}

/// E's bisection as printed: the ends of the interval with which it stops.
fn printed_bisection(search: impl Fn(Value, Value) -> Value) -> (Value, Value) {
    let (mut alpha, mut beta) = (-INFINITY, INFINITY);
    while beta > alpha + 1 {
        let test = (alpha + beta).div_euclid(2);
        if search(test, test + 1) <= test { beta = test } else { alpha = test + 1 }
    }
    (alpha, beta)
}

/// E's two loops, exactly as printed, against the true value.
fn printed_loops(ledger: &mut Ledger<'_, '_>) {
    let roots = synthetic(Kind::Uniform, ledger.size(500, 60));
    let (mut wrong, mut endless, mut halved) = (0, 0, 0);
    for root in &roots {
        let truth = negamax(root, 5, &mut Tally::default());
        let search = |alpha: Value, beta: Value| fail_soft(root, 5, alpha, beta, &mut Tally::default());
        match eppstein_loop(0, 1000, search) {
            Some(found) => wrong += usize::from(found != truth),
            None => endless += 1,
        }
        halved += usize::from(printed_bisection(search) != (truth, truth));
    }
    let value = format!(
        "of {} trees the MTD(f) loop ends on a wrong value in {wrong} and runs on in {endless}; bisection \
         stops undecided in {halved}",
        roots.len()
    );
    ledger.row("E", "the loops as printed find the value", value, Verdict::of(wrong + endless + halved == 0));
}

/// A ply's share of the change of a ratio, tree by tree, in the first half of the plies and in the second.
/// `ratios` are logarithms, one for each tree at each of the depths.
fn growth(ratios: &[Vec<f64>; 3], depths: [u32; 3]) -> [Vec<f64>; 2] {
    [0, 1].map(|i| {
        let plies = f64::from(depths[i + 1] - depths[i]);
        ratios[i].iter().zip(&ratios[i + 1]).map(|(from, to)| (to - from) / plies).collect()
    })
}

/// How much larger the second number is than the first, tree by tree, each without the sign of its mean.
fn larger(first: &[f64], second: &[f64]) -> Estimate {
    let [one, two] = [first, second].map(|values| estimate(values).mean.signum());
    estimate(&first.iter().zip(second).map(|(a, b)| two * b - one * a).collect::<Vec<f64>>())
}

/// Do two searches cost the same in the limit? A few depths show no limit: a ratio that still changes, but
/// towards 1, says nothing against it.
fn in_the_end(ratios: &[Vec<f64>; 3], depths: [u32; 3]) -> Verdict {
    let [early, late] = growth(ratios, depths);
    match (Verdict::below(larger(&early, &late), 0.0), Verdict::above(larger(&ratios[1], &ratios[2]), 0.0)) {
        (Verdict::Confirmed, _) => Verdict::Confirmed,
        (_, Verdict::Confirmed) => Verdict::Refuted,
        _ => Verdict::Open,
    }
}

fn random_trees(ledger: &mut Ledger<'_, '_>) {
    ledger.system("21 random and bushy trees");
    let trees = ledger.size(200, 30);
    let leaves = |name, kind, width, depth, correlation| {
        let spec = |seed| Spec { kind, width, depth, seed, correlation }.root().expect("in range");
        let roots: Vec<Synthetic> = (0..trees).map(spec).collect();
        score(&roots, depth, name).horizon()
    };
    // With few values leaves would tie, and the more so the deeper the tree.
    let steps = ledger.size([4u32, 8, 12], [2, 5, 8]);
    let ratios = steps.map(|depth| {
        let random = |name| leaves(name, Kind::Independent, 3, depth, 0);
        logs(&random("alphabeta"), &random("pvs"))
    });
    let [early, late] = growth(&ratios, steps);
    let means = ratios.each_ref().map(|ratio| text(percent(ratio)));
    let value = format!(
        "random ternary trees whose leaves have 99 999 values, PVS's leaves against alpha-beta's \
         at {}, {}, {} plies: {}, {}, {}; that ratio changes by {} a ply in the first half \
         and by {} in the second",
        steps[0],
        steps[1],
        steps[2],
        means[0],
        means[1],
        means[2],
        text(percent(&early)),
        text(percent(&late))
    );
    let claim = "on random trees minimal windows are asymptotically equivalent to alpha-beta";
    ledger.rule(
        "confirmed if the ratio changes less a ply in the second half, refuted if not and it lies farther \
         from 1 at the end than before, each by the 95 % interval of the difference",
    );
    ledger.row("M 3.1", claim, value, in_the_end(&ratios, steps));
    let bushy = [3u32, 4, 5].map(|depth| {
        let of = |name| leaves(name, Kind::Ordered { best_first: 80 }, 20, depth, 50);
        (depth, change(&of("alphabeta"), &of("pvs")))
    });
    let told: Vec<String> = bushy.iter().map(|(d, found)| format!("{d} plies {}", text(*found))).collect();
    let value = format!(
        "leaves of PVS against alpha-beta's at width 20, best move first in 80 %, {trees} trees: {}",
        told.join(", ")
    );
    ledger.rule("confirmed if at every depth the 95 % interval lies below 0");
    ledger.row(
        "M 3.1",
        "on bushy trees minimal windows provide a significant advantage",
        value,
        Verdict::every(bushy.iter().map(|(_, found)| Verdict::less(*found))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It stops once no more than two values are left, and whether it has come down to one is chance.
    #[test]
    fn the_printed_bisection_decides_some_values_only() {
        let left = |value| printed_bisection(|_, _| value);
        for value in 0..100 {
            let (alpha, beta) = left(value);
            assert!(alpha <= value && value <= beta && beta <= alpha + 1, "{value}: {alpha} to {beta}");
        }
        let decided = (0..100).filter(|&value| left(value) == (value, value)).count();
        assert!(decided > 0 && decided < 100, "{decided}");
    }

    /// A random tree whose leaves have so many times fewer values.
    #[derive(Clone)]
    struct Coarse(Synthetic, Value);

    impl Node for Coarse {
        type Move = u32;
        const MOVE_CODES: usize = Synthetic::MOVE_CODES;

        fn moves(&self) -> Vec<u32> {
            self.0.moves()
        }

        fn child(&self, m: u32) -> Self {
            Coarse(self.0.child(m), self.1)
        }

        fn evaluate(&self) -> Value {
            self.0.evaluate() / self.1
        }

        fn key(&self) -> u64 {
            self.0.key()
        }

        fn move_code(&self, m: u32) -> usize {
            self.0.move_code(m)
        }
    }

    /// With a tenth of the values hardly more of them tie, and PVS has as many leaves more than alpha-beta. A tenth of
    /// two hundred values would change that altogether.
    #[test]
    fn random_trees_have_values_enough_for_ties_not_to_count() {
        let ratio = |times| {
            let spec = |seed| Spec { kind: Kind::Independent, width: 3, depth: 8, seed, correlation: 0 };
            let roots: Vec<Coarse> = (0..40).map(|seed| Coarse(spec(seed).root().unwrap(), times)).collect();
            let leaves = |name| score(&roots, 8, name).horizon();
            change(&leaves("alphabeta"), &leaves("pvs")).mean
        };
        let fine = ratio(1);
        assert!((fine - ratio(10)).abs() < 3.0, "{fine} % more, and {} %", ratio(10));
    }

    #[test]
    fn a_limit_is_refuted_only_by_what_leads_away_from_it() {
        // Thirty trees around each of these logarithms.
        let verdict = |means: [f64; 3]| {
            let ratios = means.map(|mean| (0..30).map(|i| mean + 0.01 * f64::from(i % 3 - 1)).collect());
            in_the_end(&ratios, [4, 8, 12])
        };
        assert_eq!(verdict([0.25, 0.18, 0.04]), Verdict::Open, "faster, but towards 1");
        assert_eq!(verdict([0.25, 0.10, 0.08]), Verdict::Confirmed);
        assert_eq!(verdict([0.05, 0.10, 0.30]), Verdict::Refuted);
        assert_eq!(verdict([-0.05, -0.10, -0.30]), Verdict::Refuted);
    }
}
