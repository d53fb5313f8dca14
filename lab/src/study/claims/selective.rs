//! Quiescence (6), forward pruning (9), ProbCut (10), null move (11), extensions (12): what happens beyond
//! full width at fixed depth, and what it costs in errors.
//!
//! "Wrong" means: another root value than full width at the same depth. "Worse move": the move chosen is
//! worth less, by full width at the same depth, than the best one.

use super::{Group, Ledger, Verdict, contestant};
use crate::cores::on_all_cores;
use crate::enhanced::probcut::{Fit, Pair};
use crate::enhanced::run as search;
use crate::node::{Node, Value};
use crate::study::contest::{MULTI_PROBCUT_DEPTHS, PROBCUT_DEPTHS};
use crate::study::paired::{Share, change, sign_test, text};
use crate::trees::chess_game::ChessGame;
use crate::trees::positions::{HORIZON_EFFECT, bratko_kopec, random_chess};
use chess::Position;
use figures::stats::Estimate;
use figures::table::signed;
use std::sync::LazyLock;

pub(super) const GROUPS: &[Group] = &[
    (6, horizon),
    (9, forward_pruning),
    (9, marginal),
    (10, probcut),
    (10, shed),
    (11, null_move),
    (11, zugzwang),
    (12, extensions),
];

/// The base of all comparisons here.
pub(super) const BASE: &str = "pvs+id+trans=200000+killers+hist";

fn game(fen: &str) -> ChessGame {
    ChessGame::new(Position::from_fen(fen).expect("the positions are part of the program"))
}

/// Value and first move at a depth.
fn verdict_on(fen: &str, depth: u32, text: &str) -> (Value, String) {
    let root = game(fen);
    let outcome = search(&root, depth, &contestant(text).switches, None);
    (outcome.value, outcome.best.map_or_else(String::new, |m| root.name(m)))
}

fn horizon(ledger: &mut Ledger<'_, '_>) {
    ledger.system("6 quiescence, SEE, horizon effect");
    let at = |depth, horizon: &str| verdict_on(HORIZON_EFFECT, depth, &format!("{BASE}{horizon}"));
    let (value, first) = at(1, "");
    let holds = first == "Qxa1+";
    let text = format!("static value at 1 ply: {first}, {value:+}");
    ledger.row(
        "M 2.5",
        "without quiescence unresolved captures are misjudged (figure 4's position)",
        text,
        Verdict::of(holds),
    );
    let rows: Vec<(u32, Value, String)> =
        (1..=8).map(|d| (d, at(d, "+quiesce"))).map(|(d, (v, m))| (d, v, m)).collect();
    let pushes = rows.iter().filter(|row| ["b2", "c3", "d4", "e5"].contains(&row.2.as_str())).count();
    let moves: Vec<String> = rows.iter().map(|(d, v, m)| format!("{d}: {m} {v:+}")).collect();
    let text = format!("captures only, by depth: {}", moves.join(", "));
    let claim = "with captures only, even 8 plies may show the queen saved for four pawns (figure 4)";
    ledger.row("M 2.6", claim, text, Verdict::of(pushes == 8));
    let deep = ledger.size(10, 9);
    let truth = at(deep, "+quiesce").1;
    let handled = |name: &str, words: &str| {
        let first = (1..=deep).find(|&d| at(d, words).1 == truth);
        first.map_or_else(|| format!("{name}: not by {deep}"), |d| format!("{name}: from {d} plies"))
    };
    let full = "+quiesce+quiesce-promotions+quiesce-evasions+quiesce-checks";
    let kinds = [("static", ""), ("captures", "+quiesce"), ("all four kinds", full), ("SEE", "+see")];
    let texts: Vec<String> = kinds.iter().map(|(name, words)| handled(name, words)).collect();
    let early = at(1, "+quiesce").1 != "Qxa1+" && at(1, "+see").1 != "Qxa1+";
    let text = format!(
        "the move of {deep} plies, {truth}, is found by {}; no kind gives the queen away at 1 ply",
        texts.join(", ")
    );
    let verdict = if early { Verdict::Partly } else { Verdict::Refuted };
    ledger.rule("partly if none gives the queen away, whenever the move is found; refuted if one does");
    ledger.row("M 2.5, B, F", "quiescence, or SEE in its place, handles the position", text, verdict);
}

/// How often a contestant errs against full width at the same depth.
pub(super) struct Errors {
    /// Against full width, in percent.
    pub(super) nodes: Estimate,
    /// Nodes, position by position.
    counts: Vec<u64>,
    wrong: usize,
    worse: usize,
    mean_loss: f64,
}

pub(super) fn errors(roots: &[ChessGame], depth: u32, words: &str, fit: Option<&Fit>) -> Errors {
    let (base, tried) =
        (contestant(&format!("{BASE}+quiesce")), contestant(&format!("{BASE}+quiesce{words}")));
    let one = |root: &ChessGame| {
        let full = search(root, depth, &base.switches, None);
        let pruned = search(root, depth, &tried.switches, fit);
        let best = pruned.best.filter(|&m| Some(m) != full.best);
        let chosen = best.map_or(full.value, |m| match depth {
            1 => full.value,
            _ => -search(&root.child(m), depth - 1, &base.switches, None).value,
        });
        let lost = (full.value - chosen).clamp(0, 2000);
        (full.tally.nodes(), pruned.tally.nodes(), pruned.value != full.value, lost)
    };
    let results = on_all_cores(roots, one);
    let (full, counts): (Vec<u64>, Vec<u64>) = results.iter().map(|r| (r.0, r.1)).unzip();
    let worse = results.iter().filter(|r| r.3 > 0).count();
    let mean_loss = results.iter().map(|r| f64::from(r.3)).sum::<f64>() / results.len().max(1) as f64;
    let wrong = results.iter().filter(|r| r.2).count();
    Errors { nodes: change(&full, &counts), counts, wrong, worse, mean_loss }
}

impl Errors {
    pub(super) fn text(&self, total: usize) -> String {
        format!(
            "nodes {}; wrong value in {} of {total}, worse move in {} ({:.1} hundredths of a pawn on average)",
            text(self.nodes),
            self.wrong,
            self.worse,
            self.mean_loss
        )
    }

    /// Does it save nodes and err?
    fn saves_and_errs(&self, errs: bool) -> Verdict {
        if errs { Verdict::less(self.nodes) } else { Verdict::Refuted }
    }
}

pub(super) fn unsafe_positions(ledger: &Ledger<'_, '_>) -> Vec<ChessGame> {
    let mut roots = ledger.bratko_kopec();
    roots.extend(random_chess(ledger.size(176, 14), 91));
    roots
}

fn forward_pruning(ledger: &mut Ledger<'_, '_>) {
    ledger.system("9 forward pruning");
    let (roots, depth) = (unsafe_positions(ledger), ledger.size(5, 3));
    let kinds = [
        ("tapered N-best (16, two fewer each ply)", "+nbest=16"),
        ("razoring (300, last two plies)", "+razor"),
        ("gamma", "+gamma"),
    ];
    for (name, words) in kinds {
        pruning_row(ledger, &roots, depth, (name, words));
    }
}

fn pruning_row(ledger: &mut Ledger<'_, '_>, roots: &[ChessGame], depth: u32, (name, words): (&str, &str)) {
    let found = errors(roots, depth, words, None);
    let claim = format!("{name} is attractive and error prone");
    ledger.rule("confirmed if the interval of nodes lies below 0 and a value is wrong, refuted if none is");
    let verdict = found.saves_and_errs(found.wrong > 0);
    ledger.row("M 3.2", &claim, found.text(roots.len()), verdict);
}

/// At the last ply it is exact, which the tests prove; it can err only where the opponent's reply is
/// searched.
fn marginal(ledger: &mut Ledger<'_, '_>) {
    let (roots, depth) = (unsafe_positions(ledger), ledger.size(5, 3));
    let found = errors(&roots, depth, "+marginal", None);
    let claim = "marginal (100) at the last ply before a horizon with stand-pat";
    let value = format!("{}; exact by proof", found.text(roots.len()));
    ledger.row("M 3.2", claim, value, Verdict::Measured);
    for (plies, words) in [("two", "+marginal+marginal-plies=2"), ("three", "+marginal+marginal-plies=3")] {
        pruning_row(ledger, &roots, depth, (&format!("marginal (100, last {plies} plies)"), words));
    }
}

fn probcut(ledger: &mut Ledger<'_, '_>) {
    ledger.system("10 depth reductions");
    let roots = unsafe_positions(ledger);
    let depth = ledger.size(6, 5);
    // Fitted on other positions than those it is tried on.
    let samples = random_chess(ledger.size(400, 80), 1234);
    let kinds =
        [("ProbCut", "+probcut", &PROBCUT_DEPTHS[..]), ("Multi-ProbCut", "+mpc", &MULTI_PROBCUT_DEPTHS[..])];
    let found = kinds.map(|(name, words, depths)| {
        let fit = Fit::measure(&samples, depths, &contestant(&format!("{BASE}+quiesce{words}")).switches);
        let found = errors(&roots, depth, words, Some(&fit));
        let lines: Vec<String> = fit.pairs.iter().map(line).collect();
        let value = format!("{}; fit {}", found.text(roots.len()), lines.join("; "));
        let claim = format!("{name}: shallow searches predict deep ones; the tree shrinks");
        ledger.rule(
            "confirmed if the intervals of nodes and of wrong values lie below 0 and below a tenth (the latter \
             line is ours), partly if one lies above",
        );
        let wrong = Share { part: found.wrong as u64, whole: roots.len() as u64 }.percent();
        let verdict = Verdict::every([Verdict::less(found.nodes), Verdict::below(wrong, 10.0)]);
        ledger.row("F (Buro)", &claim, value, verdict);
        found
    });
    let more = change(&found[0].counts, &found[1].counts);
    let what = format!("nodes of Multi-ProbCut against ProbCut's, {depth} plies");
    ledger.smaller("F (Buro)", "several pairs of depths save more than one", more, &what);
}

fn line(pair: &Pair) -> String {
    let Pair { shallow, deep, slope, offset, sigma, samples } = pair;
    format!("{shallow}->{deep}: {slope:.2}x{}, sigma {sigma:.0} (n {samples})", signed(*offset, 0))
}

fn shed(ledger: &mut Ledger<'_, '_>) {
    let roots = unsafe_positions(ledger);
    let found = errors(&roots, ledger.size(6, 4), "+shed", None);
    let value = found.text(roots.len());
    let claim = "reducing lines in which a side shed material saves nodes, but chess cannot afford it";
    ledger.rule(
        "confirmed if the interval of nodes lies below 0 and a worse move is chosen, refuted if none is",
    );
    ledger.row("F", claim, value, found.saves_and_errs(found.worse > 0));
}

/// Plies at which zugzwang is looked for.
const ZUGZWANG_DEPTH: u32 = 6;

/// Pawns on e4 and e5 and the kings anywhere: how many positions, and those in which White's best move leaves
/// Black worse off than if Black could pass. Looked for once.
pub(super) static ZUGZWANGS: LazyLock<(usize, Vec<ChessGame>)> = LazyLock::new(|| zugzwangs(ZUGZWANG_DEPTH));

fn zugzwangs(depth: u32) -> (usize, Vec<ChessGame>) {
    let placings: Vec<ChessGame> = (0..64 * 64)
        .filter_map(|i| {
            let fen = two_kings_two_pawns(i / 64, i % 64)?;
            let root = ChessGame::new(Position::from_fen(&fen).ok()?);
            (!root.moves().is_empty()).then_some(root)
        })
        .collect();
    let switches = contestant(&format!("{BASE}+quiesce")).switches;
    let value = |node: &ChessGame, depth| search(node, depth, &switches, None).value;
    let squeezes = |root: &ChessGame| {
        let Some(best) = search(root, depth, &switches, None).best else { return false };
        let after = root.child(best);
        let Some(passed) = after.pass().filter(|p| !p.moves().is_empty() && !after.moves().is_empty()) else {
            return false;
        };
        value(&after, depth - 1) + 60 <= -value(&passed, depth - 1)
    };
    let squeezed = on_all_cores(&placings, squeezes);
    let found = placings.iter().zip(squeezed).filter(|(_, squeezed)| *squeezed).map(|(root, _)| root.clone());
    let found = found.collect();
    (placings.len(), found)
}

fn two_kings_two_pawns(white: usize, black: usize) -> Option<String> {
    const PAWNS: [(usize, char); 2] = [(28, 'P'), (36, 'p')];
    let mut board = [None; 64];
    for (square, man) in PAWNS.into_iter().chain([(white, 'K'), (black, 'k')]) {
        if board[square].replace(man).is_some() {
            return None;
        }
    }
    let rank = |r: usize| board[8 * r..8 * r + 8].iter().map(|man| man.unwrap_or('1')).collect::<String>();
    Some(format!("{} w - - 0 1", (0..8).rev().map(rank).collect::<Vec<_>>().join("/")))
}

fn null_move(ledger: &mut Ledger<'_, '_>) {
    ledger.system("11 null move");
    let (roots, depth) = (unsafe_positions(ledger), ledger.size(6, 4));
    for (name, words) in [("null move", "+null"), ("verified null move", "+null-verify")] {
        let found = errors(&roots, depth, words, None);
        let claim = format!("{name} saves a lot of time and can miss combinations");
        ledger
            .rule("confirmed if the interval of nodes lies below 0 and a value is wrong, refuted if none is");
        let verdict = found.saves_and_errs(found.wrong > 0);
        ledger.row("F, B", &claim, found.text(roots.len()), verdict);
    }
}

fn zugzwang(ledger: &mut Ledger<'_, '_>) {
    let depth = ZUGZWANG_DEPTH;
    let (all, set) = &*ZUGZWANGS;
    let value = |root: &ChessGame, words: &str| {
        search(root, depth, &contestant(&format!("{BASE}+quiesce{words}")).switches, None).value
    };
    let fails = |words: &str, roots: &[&ChessGame]| {
        roots.iter().filter(|root| (value(root, "") - value(root, words)).abs() >= 60).count()
    };
    let everyone: Vec<&ChessGame> = set.iter().collect();
    let blind: Vec<&ChessGame> =
        everyone.iter().copied().filter(|&root| fails("+null", &[root]) > 0).collect();
    let still = fails("+null-verify", &blind);
    let value = format!(
        "{all} endings with pawns on e4 and e5, {} won by zugzwang within {depth} plies: the null move \
         misjudges {}, the verified one {still} of these",
        set.len(),
        blind.len()
    );
    let verdict = match (blind.len(), still) {
        (0, _) => Verdict::Refuted,
        (_, 0) => Verdict::Confirmed,
        (blind, still) if still < blind => Verdict::Partly,
        _ => Verdict::Refuted,
    };
    ledger.rule(
        "confirmed if the verified null move misjudges none that the null move misjudges, partly if fewer, refuted \
         if all, or if the null move misjudges none",
    );
    ledger.row("F, M 3.2", "it fails in zugzwang, and holds with verification", value, verdict);
}

fn extensions(ledger: &mut Ledger<'_, '_>) {
    ledger.system("12 extensions");
    let positions: Vec<_> = bratko_kopec().into_iter().take(ledger.size(24, 6)).collect();
    let depth = ledger.size(5, 4);
    let solve = |words: &str| {
        let switches = contestant(&format!("{BASE}+quiesce{words}")).switches;
        let one = |epd: &chess::epd::Epd| {
            let outcome = search(&ChessGame::new(epd.position.clone()), depth, &switches, None);
            let solved = outcome.best.is_some_and(|m| epd.best.contains(&m));
            (outcome.tally.nodes(), solved, outcome.tally.extended)
        };
        Solved(on_all_cores(&positions, one))
    };
    let base = solve("");
    for (claim, words) in [
        ("singular extensions find forced lines", "+singular"),
        ("check evasions find forced lines", "+check"),
        ("recaptures find forced lines", "+recapture"),
        ("promotion threats find forced lines", "+promotion"),
    ] {
        let found = solve(words);
        let (gained, lost) = (found.beyond(&base), base.beyond(&found));
        ledger.rule("confirmed if more positions are won than lost by it, by the sign test at 5 %");
        let verdict = match (sign_test(gained, lost) < 0.05, gained > lost) {
            (true, true) => Verdict::Confirmed,
            (true, false) => Verdict::Refuted,
            _ => Verdict::Open,
        };
        let value = format!("{}; {gained} won by it, {lost} lost", found.text(&base, depth));
        ledger.row("F, B", claim, value, verdict);
    }
    let whole = solve("+check+recapture+promotion");
    ledger.rule(
        "no number is given; ours: an explosion at least doubles the tree, and the interval lies above that",
    );
    let verdict = Verdict::above(change(&base.nodes(), &whole.nodes()), 100.0);
    let claim = "all selective extensions together risk an explosion";
    ledger.row("F, B", claim, whole.text(&base, depth), verdict);
    let halves = solve("+check+recapture+promotion+fractional");
    let against = change(&whole.nodes(), &halves.nodes());
    let value = format!("{}; nodes against whole plies {}", halves.text(&base, depth), text(against));
    ledger.rule("confirmed if the last interval lies below 0");
    ledger.row("F, B", "fractional extensions grow the tree less", value, Verdict::less(against));
}

/// Nodes, solved or not, and extensions, position by position.
struct Solved(Vec<(u64, bool, u64)>);

impl Solved {
    fn nodes(&self) -> Vec<u64> {
        self.0.iter().map(|one| one.0).collect()
    }

    fn solved(&self) -> usize {
        self.0.iter().filter(|one| one.1).count()
    }

    /// Positions that this one solves and the other does not.
    fn beyond(&self, other: &Solved) -> u64 {
        self.0.iter().zip(&other.0).filter(|(own, other)| own.1 && !other.1).count() as u64
    }

    fn text(&self, base: &Solved, depth: u32) -> String {
        let extended: u64 = self.0.iter().map(|one| one.2).sum();
        format!(
            "nodes {}, Bratko-Kopec solved {} (without: {}) at {depth} plies, {extended} extensions",
            text(change(&base.nodes(), &self.nodes())),
            self.solved(),
            base.solved()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::score;
    use super::*;
    use crate::study::contest::{Threads, measure_with};
    use crate::trees::connect_four::ConnectFour;
    use crate::trees::positions::{bratko_kopec_roots, random_walks};

    #[test]
    fn the_horizon_position_fools_a_static_horizon_only() {
        assert_eq!(verdict_on(HORIZON_EFFECT, 1, "alphabeta+id").1, "Qxa1+");
        for words in ["+quiesce", "+see"] {
            assert_ne!(verdict_on(HORIZON_EFFECT, 1, &format!("alphabeta+id{words}")).1, "Qxa1+");
        }
    }

    #[test]
    fn the_zugzwang_set_fails_without_verification_and_holds_with_it() {
        for fen in crate::trees::positions::ZUGZWANGS {
            let value = |words: &str| {
                verdict_on(fen, 6, &format!("alphabeta+id+trans=20000+killers+hist+quiesce{words}")).0
            };
            assert!(value("") > 60, "White wins the pawn");
            assert!(value("+null") < 60, "passing hides the zugzwang");
            assert_eq!(value("+null-verify"), value(""));
        }
    }

    /// By full width, found without table and order: the move that is named leads to less than the root is worth.
    #[test]
    fn a_worse_move_is_one_that_leads_to_less() {
        let (roots, depth, words) = (random_chess(12, 91), 3, "+razor=1");
        let (plain, tried) = (contestant("alphabeta+quiesce"), contestant(&format!("{BASE}+quiesce{words}")));
        let value = |node: &ChessGame, depth| search(node, depth, &plain.switches, None).value;
        let is_worse = |root: &ChessGame| {
            let named = search(root, depth, &tried.switches, None).best.expect("no game is over");
            -value(&root.child(named), depth - 1) < value(root, depth)
        };
        let worse = roots.iter().filter(|root| is_worse(root)).count();
        assert!(worse > 0);
        assert_eq!(errors(&roots, depth, words, None).worse, worse);
    }

    /// A move stands out or not, whatever put it first: that a stored one cuts off before its brothers are generated
    /// is no reason not to ask them.
    #[test]
    fn a_stored_move_that_cuts_off_is_tested_like_any_other() {
        let roots = &bratko_kopec_roots()[..6];
        let extended = |words: &str| {
            let text = format!("pvs+id+killers+hist+quiesce+singular{words}");
            score(roots, 4, &text).tally.extended
        };
        let (none, ordered) = (extended(""), extended("+trans=200000+moves-only"));
        assert!(
            none > 10 && 2 * ordered > none && ordered < 2 * none,
            "{none} without a table, {ordered} with it"
        );
    }

    /// In connect four nothing is captured, and a man that is added makes no line of its owner worth less: no move is
    /// bad there by this rule, wherever it is.
    #[test]
    fn a_move_off_the_centre_does_not_seem_bad_for_that() {
        let roots = random_walks(&ConnectFour::start(), 20, 6, 1);
        let [plain, decremented] =
            ["alphabeta", "alphabeta+decrement=1"].map(|text| score(&roots, 5, text).tally);
        assert_eq!((decremented.reduced, decremented.nodes()), (0, plain.nodes()));
    }

    #[test]
    fn probcut_cuts_and_says_so() {
        let roots = random_chess(6, 3);
        let probcut = contestant("pvs+id+probcut");
        let fit = Fit::measure(&random_chess(60, 4), &PROBCUT_DEPTHS, &probcut.switches);
        let tally = measure_with(&roots, 5, &probcut, Threads::All, Some(&fit)).tally;
        assert!(tally.probcut_cutoffs > 0);
        assert!(tally.nodes() < score(&roots, 5, "pvs+id").tally.nodes());
        assert!(!probcut.safe, "and it is labelled unsafe");
    }

    /// What a shallow search says of a deeper one is as far from the window as it is. If every cut-off were
    /// worth the window's end, a driver would come down from above one value at a time.
    #[test]
    fn probcut_lets_a_driver_stride() {
        let roots = random_chess(3, 3);
        let driver = "mt-sss+id+trans=100000+two";
        let probcut = contestant(&format!("{driver}+probcut"));
        let fit = Fit::measure(&random_chess(60, 4), &PROBCUT_DEPTHS, &probcut.switches);
        let tally = measure_with(&roots, 5, &probcut, Threads::All, Some(&fit)).tally;
        let without = score(&roots, 5, driver).tally.passes;
        assert!(tally.probcut_cutoffs > 0);
        assert!(tally.passes < 3 * without, "{} {without}", tally.passes);
    }
}
