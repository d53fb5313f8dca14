//! B*, conspiracy numbers, and their neighbours PN and df-pn (24): searches that prove instead of evaluating.

use super::{Group, Ledger, Verdict, contestant, node_change, score, synthetic};
use crate::algorithms::b_star::{Bounds, b_star};
use crate::algorithms::conspiracy::conspiracy;
use crate::algorithms::minimax::negamax;
use crate::algorithms::proof_number::{Answer, df_pn, proof_number};
use crate::algorithms::room::{Full, Room};
use crate::cores::on_all_cores;
use crate::enhanced::run;
use crate::node::{Node, Value, provisional};
use crate::study::contest::{Threads, measure};
use crate::study::paired::{Share, change, estimate, text};
use crate::tally::Tally;
use crate::trees::chess_game::ChessGame;
use crate::trees::synthetic::{Kind, Synthetic};
use chess::Position;
use figures::stats::Estimate;

pub(super) const GROUPS: &[Group] = &[(24, best_moves), (24, conspiracies), (24, proofs)];

/// Mates in two to five moves, from the suite "Win at Chess" (Reinfeld 1945): WAC 4, 12, 50, 97, 35, 14, 88.
const MATES: [(u32, &str); 7] = [
    (2, "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1"),
    (2, "4k1r1/2p3r1/1pR1p3/3pP2p/3P2qP/P4N2/1PQ4P/5R1K b - - 0 1"),
    (3, "k4r2/1R4pb/1pQp1n1p/3P4/5p1P/3P2P1/r1q1R2K/8 w - - 0 1"),
    (3, "6k1/5p2/p5np/4B3/3P4/1PP1q3/P3r1QP/6RK w - - 0 1"),
    (4, "r3r2k/2R3pp/pp1q1p2/8/3P3R/7P/PP3PP1/3Q2K1 w - - 0 1"),
    (4, "r2rb1k1/pp1q1p1p/2n1p1p1/2bp4/5P2/PP1BPR1Q/1BPN2PP/R5K1 w - - 0 1"),
    (5, "r6k/p1Q4p/2p1b1rq/4p3/B3P3/4P3/PPP3P1/4RRK1 b - - 0 1"),
];

/// Those in at most so many moves, each with the plies that it takes.
pub(super) fn mates(most_moves: u32) -> impl Iterator<Item = (u32, ChessGame)> {
    let game = |fen| ChessGame::new(Position::from_fen(fen).expect("it reads in a test"));
    MATES
        .into_iter()
        .filter(move |&(moves, _)| moves <= most_moves)
        .map(move |(moves, fen)| (2 * moves, game(fen)))
}

/// In how many moves these are, shortest first, as in `2 and 3`.
fn lengths(mates: &[(u32, ChessGame)]) -> String {
    let mut moves: Vec<String> = mates.iter().map(|(plies, _)| (plies / 2).to_string()).collect();
    moves.dedup();
    moves.join(" and ")
}

fn truth<N: Node>(node: &N, depth: u32) -> Value {
    negamax(node, depth, &mut Tally::default())
}

/// Is the move that B* names worth as much as the root?
fn names_the_best<N: Node>(root: &N, depth: u32, bounds: Bounds, exact: impl Fn(&N, u32) -> Value) -> bool {
    let found = b_star(root, depth, bounds, Room::UNLIMITED, &mut Tally::default());
    found.ok().flatten().is_some_and(|(index, _)| {
        let child = root.child(provisional(root)[index]);
        -exact(&child, depth - 1) == exact(root, depth)
    })
}

fn best_moves(ledger: &mut Ledger<'_, '_>) {
    ledger.system("24 B*, conspiracy numbers");
    let count = ledger.size(500, 40);
    let trees: Vec<Synthetic> = Kind::SAMPLES.into_iter().flat_map(|kind| synthetic(kind, count)).collect();
    let right = on_all_cores(&trees, |root| names_the_best(root, 5, Bounds::Sound, truth));
    let right = right.into_iter().filter(|&right| right).count();
    let value = format!("{right} of {} synthetic trees of five kinds", trees.len());
    let holds = Verdict::of(right == trees.len());
    ledger.row("B; Berliner", "with bounds that hold, the move that B* proves best is best", value, holds);
    let uniform = synthetic(Kind::Uniform, count);
    let found = node_change(&score(&uniform, 5, "alphabeta"), &score(&uniform, 5, "bstar"));
    let claim = "to prove the best move needs fewer nodes than to find its value";
    ledger.smaller("B; Berliner", claim, found, "nodes against alpha-beta, uniform trees, 5 plies");
    let chess = &ledger.chess()[..ledger.size(60, 8)];
    let exact = |node: &ChessGame, depth: u32| match depth {
        0 => node.evaluate(),
        _ => run(node, depth, &contestant("pvs-r+id+trans=10000+killers").switches, None).value,
    };
    let named = on_all_cores(chess, |root| names_the_best(root, 3, Bounds::NullMove, exact));
    let found = Share::of(&named).percent();
    ledger.interval(found);
    let Estimate { mean, low, high } = found;
    let value = format!("{mean:.1} % [{low:.1}, {high:.1}] of {} chess positions, 3 plies", chess.len());
    ledger.rule("confirmed if the interval lies above 90 % (the line is ours)");
    let claim = "bounds from a null move are good enough: the move B* proves is best";
    ledger.row("Palay", claim, value, Verdict::above(found, 90.0));
}

fn conspiracies(ledger: &mut Ledger<'_, '_>) {
    ledger.system("24 B*, conspiracy numbers");
    let roots = synthetic(Kind::Uniform, ledger.size(300, 40));
    let error = |threshold: u64| -> Vec<f64> {
        let one = |root: &Synthetic| {
            let found = conspiracy(root, 5, threshold, Room::UNLIMITED, &mut Tally::default());
            found.map_or(f64::NAN, |(value, _)| f64::from((value - truth(root, 5)).abs()))
        };
        on_all_cores(&roots, one)
    };
    let errors = [1, 3, 10].map(error);
    let fall = |i: usize| -> Vec<f64> { errors[i].iter().zip(&errors[i + 1]).map(|(a, b)| b - a).collect() };
    let falls = [estimate(&fall(0)), estimate(&fall(1))];
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let value = format!(
        "mean distance from the minimax value {:.1}, {:.1} and {:.1} at thresholds of 1, 3 and 10; \
         changes [{:.1}, {:.1}] and [{:.1}, {:.1}]",
        mean(&errors[0]),
        mean(&errors[1]),
        mean(&errors[2]),
        falls[0].low,
        falls[0].high,
        falls[1].low,
        falls[1].high
    );
    ledger.rule("confirmed if both intervals lie below 0");
    let claim = "a value that needs more conspirators to change is more reliable";
    ledger.row("McAllester", claim, value, Verdict::every(falls.map(Verdict::less)));
    let found = node_change(&score(&roots, 5, "alphabeta"), &score(&roots, 5, "conspiracy=10"));
    let claim = "a moderate number of conspirators costs less than the whole width";
    ledger.smaller("Schaeffer", claim, found, "nodes at a threshold of 10 against alpha-beta, 5 plies");
}

/// A search for an answer.
type Proof<N> = fn(&N, u32, Value, Room, &mut Tally) -> Result<Answer, Full>;

/// The nodes that a search visits for each of these mates, and the most that it keeps for one.
fn proved(mates: &[(u32, ChessGame)], search: Proof<ChessGame>) -> (Vec<u64>, usize) {
    let one = |(depth, root): &(u32, ChessGame)| {
        let mut tally = Tally::default();
        let found = search(root, *depth, ChessGame::GOAL, Room::UNLIMITED, &mut tally);
        (tally.nodes(), found.map_or(0, |answer| answer.kept))
    };
    let (nodes, kept): (Vec<u64>, Vec<usize>) = on_all_cores(mates, one).into_iter().unzip();
    (nodes, kept.into_iter().max().unwrap_or(0))
}

fn proofs(ledger: &mut Ledger<'_, '_>) {
    ledger.system("24 B*, conspiracy numbers");
    let count = ledger.size(500, 40);
    let trees: Vec<Synthetic> = Kind::SAMPLES.into_iter().flat_map(|kind| synthetic(kind, count)).collect();
    let agree = |root: &Synthetic| {
        let value = truth(root, 5);
        [value - 20, value, value + 1, value + 20].into_iter().all(|goal| {
            let answer = |search: Proof<Synthetic>| {
                search(root, 5, goal, Room::UNLIMITED, &mut Tally::default()).map(|answer| answer.reached)
            };
            [proof_number, df_pn].map(answer) == [Ok(value >= goal); 2]
        })
    };
    let right = on_all_cores(&trees, agree).into_iter().filter(|&agree| agree).count();
    let value = format!("{right} of {} synthetic trees of five kinds, four goals each", trees.len());
    let claim = "PN and df-pn prove what minimax finds";
    ledger.row("Allis, Nagai", claim, value, Verdict::of(right == trees.len()));
    let mates: Vec<(u32, ChessGame)> = mates(ledger.size(3, 2)).collect();
    let (pn, tree) = proved(&mates, proof_number);
    let (dfpn, table) = proved(&mates, df_pn);
    let everything_safe = contestant("pvs-r+id+trans=1000000+killers+hist");
    let search: Vec<u64> = on_all_cores(&mates, |(depth, root)| {
        let score = measure(std::slice::from_ref(root), *depth, &everything_safe, Threads::One);
        score.nodes().iter().sum()
    });
    let claim = "proof numbers find mates that are forced with far fewer nodes than alpha-beta";
    let found = change(&search, &pn);
    let value = format!(
        "{} nodes of PN against PVS with everything safe, {} mates in {} moves",
        text(found),
        mates.len(),
        lengths(&mates)
    );
    ledger.interval(found);
    ledger.rule("no number is given; ours: less than half as many");
    ledger.row("Allis", claim, value, Verdict::below(found, -50.0));
    let found = change(&pn, &dfpn);
    let value = format!(
        "{} nodes of df-pn against PN on those; for one mate PN keeps a tree of {tree} nodes at most, df-pn \
         {table} entries of a table that forgets none",
        text(found)
    );
    ledger.rule("confirmed if df-pn visits at most twice as many (the interval lies below 100 %)");
    let claim = "df-pn needs little more time";
    ledger.row("Nagai", claim, value, Verdict::below(found, 100.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::WIN;

    #[test]
    fn the_mates_that_are_taken_are_named() {
        let named = |most| lengths(&mates(most).collect::<Vec<_>>());
        assert_eq!([2, 3, 4].map(named), ["2", "2 and 3", "2 and 3 and 4"]);
    }

    /// Each is a mate in so many moves and in no fewer, by PN and df-pn; the shorter ones by alpha-beta too.
    #[test]
    fn mates_in_two_to_five_are_proved() {
        for (moves, fen) in MATES {
            let root = ChessGame::new(Position::from_fen(fen).unwrap());
            let proves = |depth: u32| {
                let answer = |search: Proof<ChessGame>| {
                    search(&root, depth, WIN, Room::UNLIMITED, &mut Tally::default()).unwrap().reached
                };
                let both = [proof_number, df_pn].map(answer);
                assert_eq!(both[0], both[1], "{fen}");
                both[0]
            };
            assert!(proves(2 * moves), "{fen}");
            if moves <= 3 {
                assert!(!proves(2 * moves - 2), "{fen}");
            }
            if moves == 2 {
                let search = contestant("pvs-r+id+trans=100000+killers+hist");
                let value = |depth| run(&root, depth, &search.switches, None).value;
                assert!(value(4) >= WIN && value(2) < WIN, "{fen}");
            }
        }
    }
}
