//! More about selective search: what stands in for quiescence (6), where forward pruning breaks down (9),
//! wider pairs of depths (10), the null move in a game of zugzwang and under verification (11), decrements
//! (12).

use super::selective::{BASE, ZUGZWANGS, errors, unsafe_positions};
use super::{BELOW_0, Group, Ledger, Verdict, contestant, score};
use crate::cores::on_all_cores;
use crate::enhanced::probcut::Fit;
use crate::enhanced::run as search;
use crate::node::{Node, Value};
use crate::study::contest::{MULTI_PROBCUT_DEPTHS, mean_width};
use crate::study::paired::{Share, change, estimate, sign_test, text};
use crate::tally::minimal_tree;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::positions::{random_chess, random_walks};
use figures::stats::Estimate;
use figures::table::signed;

pub(super) const GROUPS: &[Group] = &[
    (6, stand_ins),
    (6, explosion),
    (9, breakdowns),
    (9, below_the_minimal_tree),
    (10, wide_pairs),
    (11, game_of_zugzwang),
    (11, verification),
    (12, decrements),
];

/// How far values lie from those of two plies more with quiescence, position by position.
fn distances(roots: &[ChessGame], depth: u32, words: &str, truth: &[Value]) -> (Vec<f64>, Vec<u64>) {
    let found = score(roots, depth, &format!("{BASE}{words}"));
    let far = |(value, truth): (&Value, &Value)| f64::from((value - truth).abs().min(1000));
    (found.values.iter().zip(truth).map(far).collect(), found.nodes())
}

/// A difference in hundredths of a pawn.
fn points(found: Estimate) -> String {
    let Estimate { mean, low, high } = found;
    format!("{} [{}, {}]", signed(mean, 1), signed(low, 1), signed(high, 1))
}

fn stand_ins(ledger: &mut Ledger<'_, '_>) {
    ledger.system("6 quiescence, SEE, horizon effect");
    let mut roots = ledger.bratko_kopec();
    roots.extend(random_chess(ledger.size(76, 14), 93));
    let depth = 3;
    let truth = score(&roots, depth + 2, &format!("{BASE}+quiesce")).values;
    let of = |depth, words| distances(&roots, depth, words, &truth);
    let [fixed, see, quiet] = ["", "+see", "+quiesce"].map(|words| of(depth, words));
    let longer = of(depth + 1, "");
    let mean = |far: &[f64]| estimate(far).mean;
    let told = |name: &str, found: &(Vec<f64>, Vec<u64>)| format!("{name} {:.0}", mean(&found.0));
    let apart =
        |from: &[f64], to: &[f64]| -> Vec<f64> { from.iter().zip(to).map(|(from, to)| to - from).collect() };
    // Half of what quiescence mends, at least.
    let half: Vec<f64> = fixed.0.iter().zip(&quiet.0).map(|(fixed, quiet)| (fixed + quiet) / 2.0).collect();
    let found = estimate(&apart(&half, &see.0));
    ledger.rule(
        "no number is given; ours: SEE mends at least half of what quiescence mends, by the interval of the \
                 difference",
    );
    let value = format!(
        "mean distance from the value two plies deeper, in hundredths: {}, {}, {} ({} positions, {depth} \
         plies); SEE \
         against half-way {}",
        told("static", &fixed),
        told("SEE", &see),
        told("quiescence", &quiet),
        roots.len(),
        points(found)
    );
    ledger.row("M 2.5", "SEE does quite well in place of quiescence", value, Verdict::less(found));
    let found = estimate(&apart(&longer.0, &quiet.0));
    ledger.rule("confirmed if quiescence comes nearer, by the interval of the difference");
    let value = format!(
        "mean distance: {} plies static {:.0}, {depth} plies with quiescence {:.0}; difference {}, for {} \
         nodes",
        depth + 1,
        mean(&longer.0),
        mean(&quiet.0),
        points(found),
        text(change(&longer.1, &quiet.1))
    );
    ledger.row("B", "quiescence judges better than one more ply of full width", value, Verdict::less(found));
}

fn explosion(ledger: &mut Ledger<'_, '_>) {
    ledger.system("6 quiescence, SEE, horizon effect");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(4, 3));
    let full = "+quiesce+quiesce-promotions+quiesce-evasions+quiesce-checks";
    let [few, many] = ["+quiesce", full].map(|words| format!("pvs+id{words}"));
    let found = super::node_change(&score(&roots, depth, &few), &score(&roots, depth, &many));
    ledger.interval(found);
    ledger.compares(&format!("{few} {many} -d {depth}{}", ledger.positions()));
    ledger.rule("no number is given; ours: an explosion at least doubles the tree");
    let value = format!(
        "nodes with promotions, evasions and checks, too, against captures only {} ({depth} plies)",
        text(found)
    );
    let claim = "a quiescence search that is not very restrictive makes the tree explode";
    ledger.row("F, B", claim, value, Verdict::above(found, 100.0));
}

/// Has the side to move at least two pieces, not pawns, that an exchange would win from it?
fn is_forked(node: &ChessGame) -> bool {
    let Some(passed) = node.pass().filter(|_| !node.in_check()) else { return false };
    let wins = |m: &chess::Move| {
        let piece = passed.nature(*m).capture.is_some_and(|(victim, _)| victim > 100);
        piece && passed.static_order(*m) > 0
    };
    let mut squares: Vec<usize> = passed.moves().into_iter().filter(wins).map(|m| m.to().index()).collect();
    squares.sort_unstable();
    squares.dedup();
    squares.len() >= 2
}

fn breakdowns(ledger: &mut Ledger<'_, '_>) {
    ledger.system("9 forward pruning");
    let (depth, most) = (4, ledger.size(150, 20));
    let ordinary: Vec<ChessGame> =
        random_chess(most, 94).into_iter().filter(|root| !is_forked(root)).collect();
    let forked: Vec<ChessGame> =
        random_chess(8 * most, 95).into_iter().filter(is_forked).take(most).collect();
    let squeezed: Vec<ChessGame> = ZUGZWANGS.1.iter().take(most).cloned().collect();
    let elsewhere = spoilt(&ordinary, depth);
    for (claim, roots, what) in [
        ("razoring and marginal pruning fail in zugzwang", &squeezed, "zugzwangs"),
        (
            "razoring and marginal pruning break down when two pieces are en prise",
            &forked,
            "positions with two pieces en prise",
        ),
    ] {
        let there = spoilt(roots, depth);
        ledger.rule(
            "confirmed if more values are wrong than in other positions, refuted if fewer, by Fisher's exact \
             test at 5 %; not significant if one of the rules never acted",
        );
        let rate = |found: Share| {
            let Estimate { mean, low, high } = found.percent();
            format!("{mean:.0} % [{low:.0}, {high:.0}]")
        };
        let value = format!(
            "wrong values in {} of {} {what}, in {} of {} random positions, p = {:.4} ({depth} plies); nodes \
             left by razoring and moves dropped by marginal pruning with three plies left: {} and {} there, \
             {} and {} elsewhere",
            rate(there.wrong),
            roots.len(),
            rate(elsewhere.wrong),
            ordinary.len(),
            there.wrong.alike(elsewhere.wrong),
            there.acted[0],
            there.acted[1],
            elsewhere.acted[0],
            elsewhere.acted[1]
        );
        ledger.row("M 3.2", claim, value, there.worse_than(&elsewhere));
    }
}

/// What razoring, and marginal pruning with three plies left, do to the values of some positions.
struct Spoilt {
    /// Positions whose value one of them changes.
    wrong: Share,
    /// How often each left a node or dropped a move.
    acted: [u64; 2],
}

impl Spoilt {
    /// Are more values wrong here? A rule that never acts can spoil none, which says nothing for it.
    fn worse_than(&self, elsewhere: &Spoilt) -> Verdict {
        if self.acted.contains(&0) || elsewhere.acted.contains(&0) {
            return Verdict::Open;
        }
        self.wrong.above(elsewhere.wrong).map_or(Verdict::Open, Verdict::of)
    }
}

fn spoilt(roots: &[ChessGame], depth: u32) -> Spoilt {
    let [full, razored, dropped] = ["", "+razor", "+marginal+marginal-plies=3"]
        .map(|words| score(roots, depth, &format!("{BASE}+quiesce{words}")));
    let changed = |i: usize| [&razored, &dropped].iter().any(|score| score.values[i] != full.values[i]);
    let wrong: Vec<bool> = (0..roots.len()).map(changed).collect();
    Spoilt { wrong: Share::of(&wrong), acted: [razored.tally.pruned, dropped.tally.pruned] }
}

fn below_the_minimal_tree(ledger: &mut Ledger<'_, '_>) {
    ledger.system("9 forward pruning");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let least: Vec<u64> = on_all_cores(&roots, |root| {
        minimal_tree(mean_width(std::slice::from_ref(root), depth), depth).round() as u64
    });
    let kinds = ["+razor", "+marginal+marginal-plies=3", "+gamma", "+nbest=16"];
    // Without a table, which visits less than the minimal tree by itself where moves transpose. A branch that is
    // dropped for its static value has been evaluated like a horizon node.
    let leaves = |words: &str| {
        let each = score(&roots, depth, &format!("pvs+id+killers+hist{words}")).each;
        change(&least, &each.iter().map(|tally| tally.horizon + tally.frontier).collect::<Vec<u64>>())
    };
    let found = kinds.map(leaves);
    let mut told: Vec<String> =
        kinds.iter().zip(found).map(|(words, found)| format!("{} {}", &words[1..], text(found))).collect();
    told.push(format!("unpruned {}", text(leaves(""))));
    let least = found.into_iter().min_by(|a, b| a.mean.total_cmp(&b.mean)).unwrap_or_default();
    ledger.interval(least);
    ledger.rule("confirmed if the interval of the smallest of these trees lies below 0");
    let value = format!(
        "horizon nodes, and branches dropped by their static value, against the minimal tree's: {} ({depth} \
         plies)",
        told.join(", ")
    );
    let claim = "forward pruning can visit less than the minimal tree";
    ledger.row("M 3.2", claim, value, Verdict::less(least));
}

/// How many are so.
fn count(found: &[bool]) -> usize {
    found.iter().filter(|found| **found).count()
}

/// How many are so by the first, and not by the second.
fn only(first: &[bool], second: &[bool]) -> u64 {
    first.iter().zip(second).filter(|(first, second)| **first && !**second).count() as u64
}

fn wide_pairs(ledger: &mut Ledger<'_, '_>) {
    ledger.system("10 depth reductions");
    let roots = random_walks(&ConnectFour::start(), 20, ledger.size(60, 10), 96);
    let samples = random_walks(&ConnectFour::start(), 20, ledger.size(200, 60), 97);
    let depth = ledger.size(10, 8);
    let tried = contestant("pvs+id+trans=200000+killers+hist+mpc");
    let plain = score(&roots, depth, "pvs+id+trans=200000+killers+hist");
    let with = |depths: &[(u32, u32)]| {
        let fit = Fit::measure(&samples, depths, &tried.switches);
        let one = |root: &ConnectFour| {
            let found = search(root, depth, &tried.switches, Some(&fit));
            (found.tally.nodes(), found.value)
        };
        let (nodes, values): (Vec<u64>, Vec<Value>) = on_all_cores(&roots, one).into_iter().unzip();
        let wrong: Vec<bool> = values.iter().zip(&plain.values).map(|(a, b)| a != b).collect();
        (nodes, wrong)
    };
    let narrow = with(&MULTI_PROBCUT_DEPTHS);
    let wide = with(&[(1, 3), (2, 4), (3, 5), (2, 6), (3, 7), (4, 8)]);
    let found = change(&narrow.0, &wide.0);
    let value = format!(
        "connect four, {depth} plies: nodes with pairs up to 8 -> 4 against pairs up to 5 -> 3 {}; against \
         none {} and {}; \
         wrong values {} and {} of {}",
        text(found),
        text(change(&plain.nodes(), &wide.0)),
        text(change(&plain.nodes(), &narrow.0)),
        count(&wide.1),
        count(&narrow.1),
        roots.len()
    );
    ledger.interval(found);
    ledger.rule(
        "confirmed if it saves nodes, by the interval, and does not err more often than the shorter pairs by the \
         sign test at 5 %; partly if it does",
    );
    let (more, fewer) = (only(&wide.1, &narrow.1), only(&narrow.1, &wide.1));
    let verdict = match Verdict::less(found) {
        Verdict::Confirmed if more > fewer && sign_test(more, fewer) < 0.05 => Verdict::Partly,
        other => other,
    };
    ledger.row("F (Buro)", "with 8 plies left a search of 4 can decide", value, verdict);
}

fn game_of_zugzwang(ledger: &mut Ledger<'_, '_>) {
    ledger.system("11 null move");
    let games = random_walks(&ConnectFour::start(), 30, ledger.size(300, 40), 98);
    let chess = random_chess(ledger.size(150, 20), 94);
    let c4_depth = ledger.size(8, 6);
    let (here, there) = (null_errors(&games, c4_depth), null_errors(&chess, 4));
    let rate = |found: Share| {
        let Estimate { mean, low, high } = found.percent();
        format!("{mean:.1} % [{low:.1}, {high:.1}]")
    };
    let value = format!(
        "wrong values in {} of {} connect-four positions ({c4_depth} plies), in {} of {} chess positions (4 \
         plies), p = {:.4}",
        rate(here),
        games.len(),
        rate(there),
        chess.len(),
        here.alike(there)
    );
    ledger.rule(
        "confirmed if more values are wrong in connect four than in chess, refuted if fewer, by Fisher's exact \
         test at 5 %",
    );
    let verdict = here.above(there).map_or(Verdict::Open, Verdict::of);
    ledger.row("F", "the null move fails in games of zugzwang, as connect four is", value, verdict);
}

/// In how many positions the null move changes the value, with quiescence, so that what is left hanging at the horizon
/// is not blamed on it. Connect four has nothing to quiesce.
fn null_errors<N: Node>(roots: &[N], depth: u32) -> Share {
    let [full, null] = ["", "+null"].map(|words| score(roots, depth, &format!("{BASE}+quiesce{words}")));
    let wrong = full.values.iter().zip(&null.values).map(|(full, null)| full != null);
    Share::of(&wrong.collect::<Vec<bool>>())
}

fn verification(ledger: &mut Ledger<'_, '_>) {
    ledger.system("11 null move");
    let (roots, depth) = (unsafe_positions(ledger), ledger.size(5, 4));
    let [full, null, verified] = ["", "+null", "+null-verify"]
        .map(|words| score(&roots, depth, &format!("{BASE}+quiesce{words}")).values);
    let wrong = |values: &[Value]| -> Vec<bool> { values.iter().zip(&full).map(|(a, b)| a != b).collect() };
    let (null, verified) = (wrong(&null), wrong(&verified));
    ledger.rule("confirmed if verification mends more values than it spoils, by the sign test at 5 %");
    let (mended, spoilt, verdict) = mends(&null, &verified);
    let value = format!(
        "wrong values of {}: null move {}, verified {}; {mended} mended, {spoilt} spoilt ({depth} plies)",
        roots.len(),
        count(&null),
        count(&verified)
    );
    ledger.row("F", "a verified null move errs less often", value, verdict);
}

/// How many values that are wrong before are right afterwards, how many the other way round, and whether the first are
/// more.
fn mends(before: &[bool], after: &[bool]) -> (u64, u64, Verdict) {
    let (mended, spoilt) = (only(before, after), only(after, before));
    let verdict = match (sign_test(mended, spoilt) < 0.05, mended > spoilt) {
        (true, true) => Verdict::Confirmed,
        (true, false) => Verdict::Refuted,
        _ => Verdict::Open,
    };
    (mended, spoilt, verdict)
}

fn decrements(ledger: &mut Ledger<'_, '_>) {
    ledger.system("12 extensions");
    let (roots, depth) = (unsafe_positions(ledger), ledger.size(5, 4));
    let found = errors(&roots, depth, "+decrement=20", None);
    ledger.interval(found.nodes);
    let value = found.text(roots.len());
    let claim = "searching moves that seem bad by a fraction of a ply less makes the tree smaller";
    ledger.rule(BELOW_0);
    ledger.row("B", claim, value, Verdict::less(found.nodes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;

    #[test]
    fn what_only_the_first_has_is_counted() {
        assert_eq!(only(&[true, true, false, false], &[true, false, true, false]), 1);
    }

    /// Six to none have a probability of one in 32, five to none of one in 16.
    #[test]
    fn to_mend_is_to_have_fewer_wrong_afterwards() {
        let (wrong, right) = ([true; 6], [false; 6]);
        assert_eq!(mends(&wrong, &right), (6, 0, Verdict::Confirmed));
        assert_eq!(mends(&right, &wrong), (0, 6, Verdict::Refuted));
        assert_eq!(mends(&wrong[..5], &right[..5]), (5, 0, Verdict::Open));
        assert_eq!(mends(&wrong, &wrong), (0, 0, Verdict::Open));
    }

    #[test]
    fn a_rule_that_never_acts_is_not_said_to_hold() {
        let of = |part, acted| Spoilt { wrong: Share { part, whole: 100 }, acted };
        assert_eq!(of(0, [5, 9]).worse_than(&of(20, [5, 9])), Verdict::Refuted);
        assert_eq!(of(40, [5, 9]).worse_than(&of(10, [5, 9])), Verdict::Confirmed);
        for (here, elsewhere) in [([0, 9], [5, 9]), ([5, 0], [5, 9]), ([5, 9], [0, 9])] {
            assert_eq!(of(0, here).worse_than(&of(20, elsewhere)), Verdict::Open);
        }
    }

    #[test]
    fn a_fork_is_two_pieces_that_cannot_both_be_saved() {
        for (fen, forked) in [
            // A pawn attacks knight and bishop; the knight alone; both defended by nothing that matters.
            ("4k3/8/8/2n1b3/3P4/8/8/4K3 b - - 0 1", true),
            ("4k3/8/8/2n5/3P4/8/4b3/4K2R b - - 0 1", true),
            ("4k3/8/8/2n5/3P4/8/8/4K3 b - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", false),
        ] {
            assert_eq!(is_forked(&ChessGame::new(Position::from_fen(fen).unwrap())), forked, "{fen}");
        }
    }
}
