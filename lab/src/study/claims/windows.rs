//! Systems 4, 7, 8 and 21: what the choice of window does.

use super::exact::leaves;
use super::{Ledger, Verdict, contestant, more, score, synthetic};
use crate::algorithms::alpha_beta::fail_soft;
use crate::algorithms::aspiration::{Aspiration, aspire};
use crate::algorithms::minimax::negamax;
use crate::algorithms::mtd::eppstein_loop;
use crate::node::{INFINITY, Node, Value};
use crate::tally::Tally;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::positions::{random_chess, random_walks};
use crate::trees::recorder::Recorder;
use crate::trees::synthetic::{Kind, Spec, Synthetic};
use chess::Position;
use rayon::prelude::*;

pub(super) fn run(ledger: &mut Ledger) {
    aspiration(ledger);
    minimal_windows(ledger);
    reinefeld(ledger);
    drivers(ledger);
    best_first(ledger);
    guard(ledger);
    printed_loops(ledger);
    random_trees(ledger);
}

/// The search most chess claims are measured with: captures quiesced, as the documents' programs did.
const CHESS: &str = "+root-analysis+quiesce";

fn aspiration(ledger: &mut Ledger) {
    ledger.system("4 aspiration");
    let roots = synthetic(Kind::Uniform, ledger.size(500, 50));
    let (mut searches, mut wrong, mut passes) = (0u64, 0u64, [0u64; 4]);
    for root in &roots {
        let truth = negamax(root, 5, &mut Tally::default());
        for (i, (_, kind)) in Aspiration::ALL.into_iter().enumerate() {
            for (guess, margin) in
                [(truth, 10), (truth + 40, 10), (truth - 300, 20), (0, 1), (truth + 25, 25)]
            {
                let found = aspire(kind, guess, margin, |alpha, beta| {
                    passes[i] += 1;
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
    let means: Vec<String> = Aspiration::ALL
        .iter()
        .zip(passes)
        .map(|((name, _), n)| format!("{name} {:.2}", n as f64 / each))
        .collect();
    let value = format!("passes for each value: {}", means.join(", "));
    let excess = passes[1] > passes[0];
    ledger.row("M 2.4", "a sliding window can lead to excessive re-searching", value, Verdict::of(excess));
    let (chess, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let full = score(&chess, depth, &format!("alphabeta+id{CHESS}")).tally.horizon;
    let narrow = score(&chess, depth, &format!("alphabeta+id+asp{CHESS}")).tally.horizon;
    let pvs = score(&chess, depth, &format!("pvs-r+id{CHESS}")).tally.horizon;
    let value = format!("{:+.1} % horizon nodes ({depth} plies, a pawn to either side)", more(full, narrow));
    ledger.row("E, B", "a good window gives a net gain", value, Verdict::of(narrow < full));
    let value = format!(
        "PVS {:+.1} %, aspiration {:+.1} % against iterated alpha-beta",
        more(full, pvs),
        more(full, narrow)
    );
    ledger.row(
        "M 2.4",
        "minimal windows are more efficient than aspiration",
        value,
        Verdict::of(pvs < narrow),
    );
}

fn minimal_windows(ledger: &mut Ledger) {
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
    let of = |name: &str| {
        score(&chess, depth, &format!("{name}+id+trans=1000000+killers+hist{CHESS}")).tally.horizon
    };
    let base = of("alphabeta");
    let share = |name: &str| (name.to_owned(), more(base, of(name)));
    let shares = ["scout", "pvs", "pvs-r", "pvs-e"].map(share);
    let text: Vec<String> = shares.iter().map(|(name, change)| format!("{name} {change:+.1} %")).collect();
    let value = format!(
        "{}: horizon nodes against alpha-beta, {depth} plies, all with table, killers, history",
        text.join(", ")
    );
    let all = shares.iter().all(|s| s.1 < 0.0);
    ledger.row(
        "M 3.1, F, E",
        "it is cheaper to prove a subtree inferior than to find its value",
        value,
        Verdict::of(all),
    );
}

fn reinefeld(ledger: &mut Ledger) {
    let (chess, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let (with, without) = (score(&chess, depth, "pvs-r"), score(&chess, depth, "pvs"));
    let wrong = with.values.iter().zip(&without.values).filter(|(a, b)| a != b).count();
    let value = format!(
        "{wrong} of {} values differ; {} re-searches instead of {}, {:+.2} % horizon nodes",
        chess.len(),
        with.tally.re_searches,
        without.tally.re_searches,
        more(without.tally.horizon, with.tally.horizon)
    );
    let holds = wrong == 0 && with.tally.re_searches <= without.tally.re_searches;
    ledger.row(
        "M 3.1",
        "re-searches are needed only with more than two plies left",
        value,
        Verdict::of(holds),
    );
}

fn drivers(ledger: &mut Ledger) {
    ledger.system("8 MTD(f) and the MT family");
    let (chess, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let table = "+id+trans=1000000+two+killers+hist";
    let of = |name: &str| score(&chess, depth, &format!("{name}{table}{CHESS}"));
    let pvs = of("pvs-r");
    let mut wrong = 0;
    let mut rows = Vec::new();
    let mut mtdf = 0;
    for name in ["mtdf", "mtd-step", "bisection", "mt-sss", "mt-dual"] {
        let score = of(name);
        wrong += score.values.iter().zip(&pvs.values).filter(|(a, b)| a != b).count();
        mtdf = if name == "mtdf" { score.tally.horizon } else { mtdf };
        let iterations = (depth as usize * chess.len()) as f64;
        let passes = score.tally.passes as f64 / iterations;
        rows.push(format!(
            "{name} {passes:.1} passes {:+.0} %",
            more(pvs.tally.horizon, score.tally.horizon)
        ));
    }
    let value = format!("{wrong} values differ from PVS; horizon nodes against PVS: {}", rows.join(", "));
    ledger.row("F, E, B", "the drivers reach the same value", value, Verdict::of(wrong == 0));
    let value = format!(
        "{:+.1} % horizon nodes against PVS with the same table, {depth} plies",
        more(pvs.tally.horizon, mtdf)
    );
    ledger.row("F", "MTD(f) generally uses fewer nodes", value, Verdict::of(mtdf < pvs.tally.horizon));
    let small = "+id+trans=8000+killers+hist";
    let one = score(&chess, depth, &format!("mtdf{small}{CHESS}")).tally.horizon;
    let two = score(&chess, depth, &format!("mtdf{small}{CHESS}").replace("+killers", "+two+killers"))
        .tally
        .horizon;
    let value =
        format!("two bounds {:+.1} % horizon nodes against one, 8000 entries, {depth} plies", more(one, two));
    ledger.row("F", "MTD should keep both bounds in each entry", value, Verdict::of(two < one));
}

fn best_first(ledger: &mut Ledger) {
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
    let equal = |root: &&Synthetic| {
        seen(root, "sss") == seen(root, "mt-sss") && seen(root, "dual") == seen(root, "mt-dual")
    };
    let same = roots.par_iter().filter(equal).count();
    let fewer =
        roots.par_iter().filter(|root| seen(root, "sss").len() <= seen(root, "alphabeta").len()).count();
    let value = format!(
        "{same} of {} trees: both leaf sets the same; {fewer} where SSS* sees no more leaves than alpha-beta",
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

fn guard(ledger: &mut Ledger) {
    let count = ledger.size(10_000, 400);
    let positions = random_chess(count / 2, 77);
    let connect = random_walks(&ConnectFour::start(), 30, count / 2, 78);
    let text = "mtdf+id+trans=16+two";
    let (a, b) = (score(&positions, 3, text).tally, score(&connect, 5, text).tally);
    let (safe, passes) = (a.guard + b.guard, a.passes + b.passes);
    // The danger is an entry of greater depth taken for a shallower question: one position at two heights, as when a
    // king loses a move. Pawn endings are full of that; only there does the table's usual rule make a difference.
    let endings = pawn_endings(ledger.size(300, 40));
    let depth = ledger.size(8, 6);
    let exact = score(&endings, depth, "alphabeta");
    let deeper = score(&endings, depth, "mtdf+id+trans=100000+two+deeper");
    let wrong = deeper.values.iter().zip(&exact.values).filter(|(a, b)| a != b).count();
    let value = format!(
        "{count} positions, 16 entries of equal depth only: every search ended, guard {safe} times in {passes} passes; \
         {} pawn endings at {depth} plies where deeper entries count: guard {} times in {} passes, {wrong} values differ",
        endings.len(),
        deeper.tally.guard,
        deeper.tally.passes
    );
    ledger.rule(
        "confirmed if the guard had to act at all; refuted if never, although deeper entries changed values",
    );
    let verdict = match (safe + deeper.tally.guard, wrong) {
        (0, 0) => Verdict::Measured,
        (acted, _) => Verdict::of(acted > 0),
    };
    ledger.row("E", "complicated interactions with the table can loop: MTD(f) needs a guard", value, verdict);
}

/// Kings and two pawns of either side: random placings, the same in every run.
fn pawn_endings(count: usize) -> Vec<ChessGame> {
    let root = Position::from_fen("4k3/3p1p2/8/8/8/8/2P1P3/4K3 w - - 0 1").expect("a legal position");
    random_walks(&ChessGame::new(root), 40, count, 79)
}

/// E's two loops, exactly as printed, against the true value.
fn printed_loops(ledger: &mut Ledger) {
    let roots = synthetic(Kind::Uniform, ledger.size(500, 60));
    let (mut wrong, mut endless, mut halved) = (0, 0, 0);
    for root in &roots {
        let truth = negamax(root, 5, &mut Tally::default());
        let search = |alpha: Value, beta: Value| fail_soft(root, 5, alpha, beta, &mut Tally::default());
        match eppstein_loop(0, 1000, search) {
            Some(found) => wrong += usize::from(found != truth),
            None => endless += 1,
        }
        let (mut alpha, mut beta) = (-INFINITY, INFINITY);
        while beta > alpha + 1 {
            let test = (alpha + beta).div_euclid(2);
            if search(test, test + 1) <= test { beta = test } else { alpha = test + 1 }
        }
        halved += usize::from(alpha != truth || beta != truth);
    }
    let value = format!(
        "of {} trees the MTD(f) loop ends on a wrong value in {wrong} and runs on in {endless}; bisection stops undecided in {halved}",
        roots.len()
    );
    ledger.row("E", "the loops as printed find the value", value, Verdict::of(wrong + endless + halved == 0));
}

fn random_trees(ledger: &mut Ledger) {
    ledger.system("21 random and bushy trees");
    let trees = ledger.size(200, 30);
    let leaves = |name, kind, width, depth, correlation| {
        let spec = |seed| Spec { kind, width, depth, seed, correlation }.root().expect("in range");
        let roots: Vec<Synthetic> = (0..trees).map(spec).collect();
        score(&roots, depth, name).tally.horizon as f64
    };
    let steps = ledger.size([4u32, 8, 12], [2, 5, 8]);
    let random = |name, depth| leaves(name, Kind::Uniform, 3, depth, 0);
    let ratios = steps.map(|depth| random("pvs", depth) / random("alphabeta", depth));
    let growth = |i: usize| (ratios[i + 1] / ratios[i]).powf(1.0 / f64::from(steps[i + 1] - steps[i]));
    let (early, late) = (growth(0), growth(1));
    let value = format!(
        "random ternary trees: PVS has {:.3}, {:.3}, {:.3} times alpha-beta's leaves at {}, {}, {} plies; that factor changes by {early:.4} a ply in the first half and {late:.4} in the second",
        ratios[0], ratios[1], ratios[2], steps[0], steps[1], steps[2]
    );
    let claim = "on random trees minimal windows are asymptotically equivalent to alpha-beta";
    ledger.rule("confirmed if the two numbers of leaves come nearer to growing alike: the factor a ply nearer to 1 in the second half");
    ledger.row("M 3.1", claim, value, Verdict::of((late - 1.0).abs() < (early - 1.0).abs()));
    let bushy = [3u32, 4, 5].map(|depth| (depth, bushy_gain(trees, depth)));
    let text: Vec<String> =
        bushy.iter().map(|(d, (gain, error))| format!("{d} plies {gain:.1} ± {error:.1} %")).collect();
    let value = format!(
        "leaves saved by PVS at width 20, best move first in 80 %, with 95 % interval over {trees} trees: {}",
        text.join(", ")
    );
    ledger.rule("confirmed if at every depth the 95 % interval of the saving lies above 0");
    let gain = bushy.iter().all(|(_, (gain, error))| gain > error);
    ledger.row(
        "M 3.1",
        "on bushy trees minimal windows provide a significant advantage",
        value,
        Verdict::of(gain),
    );
}

/// Leaves saved by PVS against alpha-beta on bushy ordered trees, in percent: mean over the trees, and half of its 95 %
/// interval.
fn bushy_gain(trees: u64, depth: u32) -> (f64, f64) {
    let gain = |seed: u64| {
        let kind = Kind::Ordered { best_first: 80 };
        let root = Spec { kind, width: 20, depth, seed, correlation: 50 }.root().expect("in range");
        let leaves = |name| score(std::slice::from_ref(&root), depth, name).tally.horizon as f64;
        100.0 * (1.0 - leaves("pvs") / leaves("alphabeta"))
    };
    let gains: Vec<f64> = (0..trees).into_par_iter().map(gain).collect();
    let count = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / count;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 1.96 * (variance / count).sqrt())
}
