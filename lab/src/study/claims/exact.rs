//! Minimax (1), alpha-beta (2), the minimal tree (3), other games (22), one table for all (23): values that
//! must be equal and leaves that can be counted.

use super::{Group, Ledger, Verdict, contestant, horizon_change, node_change, score, synthetic};
use crate::algorithms::alpha_beta::{fail_hard, fail_soft};
use crate::algorithms::minimax::negamax;
use crate::algorithms::{Algorithm, REGISTER};
use crate::cores::on_all_cores;
use crate::enhanced::{Contestant, run as search};
use crate::node::{Node, Value};
use crate::study::contest::{Threads, measure};
use crate::study::paired::text;
use crate::study::pairs::{covering_array, safe_words};
use crate::tally::{Tally, minimal_interior};
use crate::trees::drawn::{Drawn, MARSLAND_FIGURE_2};
use crate::trees::recorder::Recorder;
use crate::trees::synthetic::{Kind, Spec};

pub(super) const GROUPS: &[Group] =
    &[(1, values_agree), (2, fail_soft_bounds), (3, minimal_tree), (22, other_games), (23, one_table)];

/// Searches run and disagreements with minimax.
#[derive(Clone, Copy, Default)]
struct Agreement {
    searches: u64,
    wrong: u64,
}

fn agreement<N: Node>(roots: &[N], depth: u32, contestants: &[Contestant]) -> Agreement {
    let one = |root: &N| {
        let truth = negamax(root, depth, &mut Tally::default());
        let plain = Algorithm::exact().map(|a| a.search(root, depth, &mut Tally::default()));
        let switched = contestants.iter().map(|c| search(root, depth, &c.switches, None).value);
        let values: Vec<Value> = plain.chain(switched).collect();
        Agreement {
            searches: values.len() as u64,
            wrong: values.iter().filter(|&&v| v != truth).count() as u64,
        }
    };
    let add = |a: Agreement, b: Agreement| Agreement {
        searches: a.searches + b.searches,
        wrong: a.wrong + b.wrong,
    };
    on_all_cores(roots, one).into_iter().fold(Agreement::default(), add)
}

fn values_agree(ledger: &mut Ledger<'_, '_>) {
    ledger.system("1 minimax, negamax");
    let mut contestants = covering_array(&safe_words(false));
    contestants.extend(covering_array(&safe_words(true)));
    let count = ledger.size(500, 40);
    let mut trees = Vec::new();
    let mut all = Agreement::default();
    let mut add = |what: String, found: Agreement| {
        trees.push(what);
        all = Agreement { searches: all.searches + found.searches, wrong: all.wrong + found.wrong };
    };
    for kind in [Kind::Uniform, Kind::Random, Kind::Ordered { best_first: 100 }, Kind::Transposing] {
        add(format!("{count} {kind} trees"), agreement(&synthetic(kind, count), 5, &contestants));
    }
    let connect = ledger.connect_four();
    add(
        format!("{} connect-four positions", connect.len()),
        agreement(&connect, ledger.size(5, 4), &contestants),
    );
    let chess = ledger.chess();
    add(format!("{} chess positions", chess.len()), agreement(&chess, 2, &contestants));
    let deeper = &chess[..ledger.size(30, 2)];
    add(format!("{} of these a ply deeper", deeper.len()), agreement(deeper, 3, &contestants));
    let value = format!(
        "{}: {} of {} searches differ ({} plain algorithms, {} combinations covering every pair of safe \
         switches that keep the static horizon)",
        trees.join(", "),
        all.wrong,
        all.searches,
        Algorithm::exact().count(),
        contestants.len()
    );
    let claim = "every exact algorithm returns the minimax value";
    ledger.row("M 2, E", claim, value, Verdict::of(all.wrong == 0));
    let leaves = |width: u32, depth: u32| {
        let spec = Spec { kind: Kind::Uniform, width, depth, seed: 1, correlation: 50 };
        let mut tally = Tally::default();
        negamax(&spec.root().expect("width and depth are in range"), depth, &mut tally);
        tally.horizon == u64::from(width).pow(depth)
    };
    let grid: Vec<(u32, u32)> = (1..=6).flat_map(|w| (1..=6).map(move |d| (w, d))).collect();
    let right = grid.iter().filter(|&&(w, d)| leaves(w, d)).count();
    let value =
        format!("{right} of {} uniform trees (W and D from 1 to 6) have exactly W^D leaves", grid.len());
    ledger.row("M 2.1, B", "minimax visits all W^D leaves", value, Verdict::of(right == grid.len()));
}

fn fail_soft_bounds(ledger: &mut Ledger<'_, '_>) {
    ledger.system("2 alpha-beta");
    let roots = synthetic(Kind::Uniform, ledger.size(500, 50));
    let (mut windows, mut outside, mut tighter, mut wrong) = (0u32, 0u32, 0u32, 0u32);
    for root in &roots {
        let truth = negamax(root, 5, &mut Tally::default());
        for alpha in (-300..300).step_by(50) {
            let beta = alpha + 25;
            let soft = fail_soft(root, 5, alpha, beta, &mut Tally::default());
            let hard = fail_hard(root, 5, alpha, beta, &mut Tally::default());
            windows += 1;
            wrong += u32::from(!holds(soft, alpha, beta, truth) || hard != truth.clamp(alpha, beta));
            outside += u32::from(soft <= alpha || soft >= beta);
            tighter += u32::from(soft < alpha || soft > beta);
        }
    }
    let value = format!(
        "{windows} windows on {} trees: {wrong} false bounds; {outside} fell outside, in {tighter} of them \
         fail-soft said more than fail-hard",
        roots.len()
    );
    ledger.row(
        "M 2.2, E",
        "fail-soft returns true bounds outside the window",
        value,
        Verdict::of(wrong == 0 && tighter > 0),
    );
    let seen = leaves("alphabeta");
    let value = format!("leaves {seen:?}; p.1.2.2 (1) is cut off");
    let holds = seen == [5, 4, 6, 9, 7, 3, 2];
    ledger.row("M fig. 2", "the example tree's leaves are visited as drawn", value, Verdict::of(holds));
}

/// Is what a fail-soft search of this window has returned the value, where it lies inside, and a bound on it where not?
fn holds(soft: Value, alpha: Value, beta: Value, truth: Value) -> bool {
    match soft {
        low if low <= alpha => truth <= low,
        high if high >= beta => truth >= high,
        inside => inside == truth,
    }
}

/// The leaves of figure 2 that a plain algorithm looks at, left to right.
pub(super) fn leaves(algorithm: &str) -> Vec<Value> {
    let root: Drawn = MARSLAND_FIGURE_2.parse().expect("the figure is a tree");
    let recorder = Recorder::new(root.clone());
    contestant(algorithm).switches.algorithm.search(&recorder, 3, &mut Tally::default());
    let seen = recorder.take();
    let all = (0..8u8).map(|i| root.child(i >> 2).child(i >> 1 & 1).child(i & 1));
    all.filter(|leaf| seen.contains(&leaf.key())).filter_map(|leaf| leaf.drawn_value()).collect()
}

fn minimal_tree(ledger: &mut Ledger<'_, '_>) {
    ledger.system("3 minimal game tree");
    let (mut trees, mut exact, mut typed) = (0, 0, 0);
    for width in 1..=8u32 {
        for depth in 1..=8u32 {
            let w = u64::from(width);
            let Some(leaves) = w.checked_pow(depth.div_ceil(2)).map(|a| a + w.pow(depth / 2) - 1) else {
                continue;
            };
            let kind = Kind::Ordered { best_first: 100 };
            let spec = Spec { kind, width, depth, seed: u64::from(width * depth), correlation: 50 };
            let mut tally = Tally::default();
            contestant("alphabeta").switches.algorithm.search(
                &spec.root().expect("in range"),
                depth,
                &mut tally,
            );
            trees += 1;
            exact += u32::from(tally.horizon == leaves);
            typed += u32::from(minimal_interior(w, depth) == tally.cut.zip(tally.all));
        }
    }
    let value = format!(
        "{exact} of {trees} ordered trees (W and D from 1 to 8) have exactly that many horizon nodes"
    );
    let claim = "perfect order visits W^ceil(D/2) + W^floor(D/2) - 1 leaves";
    ledger.row("M 2.3, B", claim, value, Verdict::of(exact == trees));
    let value = format!("{typed} of {trees} have exactly the CUT and ALL nodes of the recurrence");
    ledger.row(
        "M 3.6",
        "CUT and ALL nodes of the minimal tree can be counted",
        value,
        Verdict::of(typed == trees),
    );
}

fn other_games(ledger: &mut Ledger<'_, '_>) {
    ledger.system("22 other games");
    let roots = ledger.connect_four();
    let depth = ledger.size(8, 5);
    let names = [
        "alphabeta+id",
        "alphabeta+id+trans=1000000",
        "pvs-r+id+trans=1000000+killers+hist",
        "mtdf+id+trans=1000000+two+killers+hist",
    ];
    let scores = names.map(|name| score(&roots, depth, name));
    let same = scores.iter().all(|s| s.values == scores[0].values);
    let changes: Vec<_> = scores[1..].iter().map(|s| (&s.contestant, node_change(&scores[0], s))).collect();
    let shares: Vec<String> =
        changes.iter().map(|(name, found)| format!("{name} {}", text(*found))).collect();
    let value = format!(
        "{} connect-four positions, {depth} plies, nodes against {}: {}; values {}",
        roots.len(),
        names[0],
        shares.join(", "),
        if same { "equal" } else { "differ" }
    );
    let smaller = Verdict::every(changes.iter().map(|(_, found)| Verdict::less(*found)));
    ledger.rule("confirmed if the values are equal and each of the three intervals lies below 0");
    ledger.row(
        "F",
        "the general methods are not chess: they work in other games",
        value,
        if same { smaller } else { Verdict::Refuted },
    );
}

/// The memory that all searches have which are held against each other.
const TABLE: &str = "+trans+two";

/// Every algorithm that promises the value and runs with switches, with that table: a search that remembers more than
/// the others would win by its memory. Minimax is negamax once more.
fn alike() -> Vec<Contestant> {
    let names = REGISTER.iter().map(|entry| entry.name).filter(|&name| name != "minimax");
    let all = names.filter_map(|name| format!("{name}{TABLE}").parse::<Contestant>().ok());
    all.filter(|contestant| contestant.safe).collect()
}

fn one_table(ledger: &mut Ledger<'_, '_>) {
    ledger.system("23 implement them all");
    let roots = ledger.bratko_kopec();
    let depth = ledger.size(4, 3);
    let rows: Vec<_> = alike().iter().map(|c| measure(&roots, depth, c, Threads::All)).collect();
    let wrong = rows.iter().filter(|row| row.values != rows[0].values).count();
    let first = format!("alphabeta{TABLE}");
    let base = rows.iter().find(|row| row.contestant == first).unwrap_or(&rows[0]);
    let changes = rows.iter().map(|row| (&row.contestant, horizon_change(base, row)));
    let least = changes.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    let least = least.map_or_else(String::new, |(name, found)| {
        format!("{name}, {} horizon nodes against {}", text(found), base.contestant)
    });
    let value = format!(
        "{} algorithms with the same table, {} positions, {depth} plies: {wrong} with other values; smallest \
         trees: {least}",
        rows.len(),
        roots.len()
    );
    ledger.row(
        "E",
        "all return the same value and differ in nodes; pick the smallest tree",
        value,
        Verdict::of(wrong == 0),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain MTD remembers every node, and so would win against searches that remember nothing.
    #[test]
    fn no_search_has_a_memory_that_the_others_lack() {
        let all = alike();
        assert!(all.iter().all(|one| !one.switches.is_plain() && one.switches.table.is_some()));
        assert!(all.iter().all(|one| one.switches.table == all[0].switches.table), "{all:?}");
        for name in ["negamax", "alphabeta", "aspiration", "scout", "pvs", "negascout", "mtdf", "bisection"] {
            assert!(all.iter().any(|one| one.switches.algorithm.name() == name), "{name} is missing");
        }
    }

    #[test]
    fn a_value_inside_the_window_must_be_the_value() {
        // Lower and upper bounds, at the ends of the window and beyond, true and false.
        for (soft, truth, is_true) in [
            (10, 10, true),
            (9, 10, false),
            (11, 10, false),
            (0, 0, true),
            (0, -7, true),
            (0, 1, false),
            (-5, -4, false),
            (25, 25, true),
            (25, 30, true),
            (25, 24, false),
            (40, 39, false),
        ] {
            assert_eq!(holds(soft, 0, 25, truth), is_true, "{soft}, but {truth}");
        }
    }
}
