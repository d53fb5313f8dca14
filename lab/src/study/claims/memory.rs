//! Iterative deepening (5), transposition table (15), ETC (18), opening book (19): remembering.

use super::{Group, Ledger, Verdict, contestant, node_change, score};
use crate::enhanced::run as search;
use crate::node::Node;
use crate::study::paired::{logs, mean_of, percent, text};
use crate::trees::chess_game::ChessGame;
use crate::trees::positions::{REPETITION_TRAP, random_walks};
use crate::trees::repetition::Repetition;
use chess::{Move, Position};
use std::collections::{HashMap, HashSet};

pub(super) const GROUPS: &[Group] =
    &[(5, deepening), (15, table), (15, factor), (15, trap), (18, successors), (19, book)];

fn deepening(ledger: &mut Ledger<'_, '_>) {
    ledger.system("5 iterative deepening");
    let roots = ledger.bratko_kopec();
    let deepest = ledger.size(5, 4);
    let depths: Vec<u32> = (2..=deepest).collect();
    let overheads = |iterated: &str, direct: &str| -> Vec<Vec<f64>> {
        let nodes =
            |depth, text: &str| score(&roots, depth, &format!("{text}+root-analysis+quiesce")).nodes();
        depths.iter().map(|&depth| logs(&nodes(depth, direct), &nodes(depth, iterated))).collect()
    };
    let told = |rows: &[Vec<f64>]| {
        let each = depths.iter().zip(rows).map(|(d, ratios)| format!("{d} plies {}", text(percent(ratios))));
        each.collect::<Vec<_>>().join(", ")
    };
    let bare = overheads("alphabeta+id", "alphabeta");
    let mean = percent(&mean_of(&bare));
    let value = format!("nodes, mean over the depths {}: {}", text(mean), told(&bare));
    ledger
        .rule("confirmed if the mean's interval lies between 0 and twice Marsland's 5 %, refuted if outside");
    let verdict = Verdict::within(mean, 0.0, 10.0);
    ledger.row("M 3.6 (a)", "costs about 5 % over a direct search without memory", value, verdict);
    let table = "+trans=1000000";
    let with = overheads(&format!("pvs+id{table}"), &format!("pvs{table}"));
    let deep = percent(&with[with.len() - 1]);
    ledger.rule("confirmed if the interval at the last depth lies below 0");
    ledger.row(
        "M 3.4, B",
        "gains over a direct search when a table remembers",
        told(&with),
        Verdict::less(deep),
    );
}

fn table(ledger: &mut Ledger<'_, '_>) {
    ledger.system("15 transposition table");
    let walks = ledger.size(2000, 200);
    let start = ChessGame::new(Position::startpos());
    let positions = random_walks(&start, 80, walks, 15);
    let differ = positions.iter().filter(|node| node.position().keys_from_scratch().0 != node.key()).count();
    let value = format!("{differ} of {walks} keys differ after random games of up to 80 plies");
    ledger.row(
        "M 3.5, F",
        "the incremental key equals the key from scratch",
        value,
        Verdict::of(differ == 0),
    );
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(6, 4));
    let run = |words: &str| score(&roots, depth, &format!("pvs+id+killers+hist+quiesce{words}"));
    let (none, order, full) = (run(""), run("+trans=1000000+moves-only"), run("+trans=1000000"));
    // Figure 7 narrows the window of alpha-beta; the windows of PVS have nothing left to narrow.
    let wide = score(&roots, depth, "alphabeta+id+killers+hist+quiesce+trans=1000000").tally.table;
    let (by_move, by_score) = (node_change(&none, &order), node_change(&order, &full));
    let hits = full.tally.table;
    let value = format!(
        "nodes of PVS: moves only {} against none, scores too {} against that; hits for ordering, narrowing, cut-off: PVS \
         {}, {}, {}, alpha-beta {}, {}, {} ({depth} plies)",
        text(by_move),
        text(by_score),
        hits.ordering,
        hits.narrowing,
        hits.cutoffs,
        wide.ordering,
        wide.narrowing,
        wide.cutoffs
    );
    let saved = Verdict::every([Verdict::less(by_move), Verdict::less(by_score)]);
    let verdict = three_purposes([wide.ordering, wide.narrowing, wide.cutoffs], saved);
    ledger.rule(
        "confirmed if the move alone saves nodes, the score saves more, and alpha-beta meets each of the \
         three",
    );
    ledger.row("M 3.5, 3.6 (e)", "an entry serves three purposes", value, verdict);
}

/// What serving them has saved, if each purpose was met at least once.
fn three_purposes(met: [u64; 3], saved: Verdict) -> Verdict {
    if met.contains(&0) { Verdict::Refuted } else { saved }
}

fn factor(ledger: &mut Ledger<'_, '_>) {
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(6, 4));
    let factors = |roots: &[ChessGame], depth| -> Vec<f64> {
        let nodes = |text| score(roots, depth, text).nodes();
        let logs = logs(&nodes("pvs+id+trans=1000000+quiesce"), &nodes("pvs+id+quiesce"));
        logs.into_iter().map(f64::exp).collect()
    };
    let mut own = factors(&roots, depth);
    own.sort_by(f64::total_cmp);
    // Fine's position (Reuben Fine 1941, no. 70): the classic of a tree that is nearly all transpositions.
    let fine = Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").expect("it is a legal position");
    let deep = ledger.size(13, 10);
    let ending = factors(&[ChessGame::new(fine)], deep)[0];
    let middle = (own[(own.len() - 1) / 2] + own[own.len() / 2]) / 2.0;
    let highest = own[own.len() - 1];
    let value = format!(
        "tree smaller by {middle:.1} in the median, {highest:.1} at most on Bratko-Kopec ({depth} plies); {ending:.0} in \
         Fine's pawn ending ({deep} plies)"
    );
    let verdict = if highest < 2.0 {
        Verdict::Refuted
    } else if highest < 4.5 {
        Verdict::Confirmed
    } else {
        Verdict::Partly
    };
    ledger.rule(
        "confirmed if the largest factor on Bratko-Kopec rounds to 4 or lies between 2 and that, partly if \
         above, refuted below",
    );
    ledger.row("B", "saves up to a factor 4 of the tree", value, verdict);
}

fn trap(ledger: &mut Ledger<'_, '_>) {
    let root =
        |fen: &str| Repetition::new(ChessGame::new(Position::from_fen(fen).expect("a legal position")));
    let value = |text: &str| search(&root(REPETITION_TRAP), 6, &contestant(text).switches, None).value;
    let (truth, with) = (value("alphabeta"), value("alphabeta+id+killers+trans=100000"));
    let text =
        format!("{REPETITION_TRAP}: {truth} without a table, {with} with one (6 plies, repetition a draw)");
    ledger.row(
        "B, M 4",
        "a table makes mistakes about draws by repetition",
        text,
        Verdict::of(truth != with),
    );
}

fn successors(ledger: &mut Ledger<'_, '_>) {
    ledger.system("18 enhanced transposition cut-offs");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(6, 4));
    let of = |head: &str, words: &str| score(&roots, depth, &format!("{head}+quiesce{words}"));
    let ordered = "pvs+id+trans=1000000+killers+hist";
    let without = of(ordered, "");
    let with = [1, 2, 3].map(|limit| of(ordered, &format!("+etc={limit}")));
    let changes = with.each_ref().map(|score| node_change(&without, score));
    let deeper = node_change(&of(ordered, "+deeper"), &of(ordered, "+deeper+etc=1"));
    let bare = "alphabeta+id+trans=1000000+two";
    let other = node_change(&of(bare, ""), &of(bare, "+etc=1"));
    let value = format!(
        "nodes with at least 1, 2, 3 plies left: {}, {}, {} ({depth} plies); where deeper entries count, too, {}; in \
         alpha-beta without other ordering {}",
        text(changes[0]),
        text(changes[1]),
        text(changes[2]),
        text(deeper),
        text(other)
    );
    let times = with.each_ref().map(|score| format!("{:.2} s", score.seconds));
    ledger.cpu(format!("none {:.2} s, from 1, 2, 3 plies left {}", without.seconds, times.join(", ")));
    let best = changes.into_iter().chain([deeper, other]).min_by(|a, b| a.mean.total_cmp(&b.mean));
    ledger.rule(
        "confirmed if the interval of the best of these five settings lies below 20 % less, refuted if above",
    );
    ledger.row("B", "the tree is 20 to 25 % smaller", value, Verdict::below(best.unwrap_or_default(), -20.0));
}

/// Opening lines, written in one move order each: [`SHUFFLED`] moves, and what the book has to say then.
const BOOK: [&str; 4] = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7",
    "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5",
];

/// So many first moves of each line are played in every order in which they can be.
const SHUFFLED: usize = 6;

/// A line's positions but for the last, each with the move to come.
fn steps(line: &str) -> Vec<(ChessGame, Move)> {
    let mut node = ChessGame::new(Position::startpos());
    let step = |san| {
        let m = node.position().parse_san(san).expect("the lines are legal");
        let next = node.child(m);
        (std::mem::replace(&mut node, next), m)
    };
    line.split(' ').map(step).collect()
}

/// In how many orders the first moves of a line can be played, and after how many of them the book has the
/// line's next move.
fn orders(book: &HashMap<u64, Move>, line: &str) -> (usize, usize) {
    let start = ChessGame::new(Position::startpos());
    let moves: Vec<&str> = line.split(' ').take(SHUFFLED).collect();
    let next = steps(line)[SHUFFLED].1;
    let ends = transposed(&start, &moves);
    (ends.len(), ends.iter().filter(|end| book.get(&end.key()) == Some(&next)).count())
}

fn book(ledger: &mut Ledger<'_, '_>) {
    ledger.system("19 opening book");
    let book = BOOK.iter().flat_map(|line| steps(line)).map(|(node, m)| (node.key(), m)).collect();
    let counts = BOOK.map(|line| orders(&book, line));
    let sum = |one: fn((usize, usize)) -> usize| counts.into_iter().map(one).sum::<usize>();
    let (orders, found) = (sum(|counts| counts.0), sum(|counts| counts.1));
    let value = format!(
        "{found} of {orders} move orders of {} lines reach the entry of their line (lab book by table key; \
         the engine's is Polyglot's)",
        BOOK.len()
    );
    ledger.row(
        "M 3.5",
        "a book kept by the table's key is proof against move order",
        value,
        Verdict::of(found == orders && orders > BOOK.len()),
    );
}

/// The end positions of all orders in which the same moves of either side can be played.
fn transposed(start: &ChessGame, moves: &[&str]) -> Vec<ChessGame> {
    let mut ends = Vec::new();
    let mut open = vec![(start.clone(), HashSet::<usize>::new())];
    while let Some((node, used)) = open.pop() {
        if used.len() == moves.len() {
            ends.push(node);
            continue;
        }
        for i in (used.len() % 2..moves.len()).step_by(2).filter(|i| !used.contains(i)) {
            if let Ok(m) = node.position().parse_san(moves[i]) {
                let mut used = used.clone();
                used.insert(i);
                open.push((node.child(m), used));
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_that_is_never_met_is_none() {
        for saved in [Verdict::Confirmed, Verdict::Open] {
            assert_eq!(three_purposes([1, 7, 900], saved), saved);
            for met in [[0, 7, 900], [1, 0, 900], [1, 7, 0]] {
                assert_eq!(three_purposes(met, saved), Verdict::Refuted, "{met:?}");
            }
        }
    }

    /// All orders lead to one position; a book without it, or with another move there, does not answer.
    #[test]
    fn a_book_answers_every_order_by_the_entry_of_its_line() {
        let entries = || BOOK.iter().flat_map(|line| steps(line)).map(|(node, m)| (node.key(), m));
        let whole: HashMap<u64, Move> = entries().collect();
        for line in BOOK {
            let mut without = whole.clone();
            let (goal, next) = steps(line).swap_remove(SHUFFLED);
            assert_eq!(without.remove(&goal.key()), Some(next), "{line}");
            let (played, found) = orders(&whole, line);
            assert!(played > 1 && found == played, "{line}: {found} of {played}");
            assert_eq!(orders(&without, line), (played, 0), "{line}");
            assert_eq!(orders(&HashMap::new(), line), (played, 0), "{line}");
            // Another line's move there is not this one's.
            let wrong = entries().map(|(key, _)| (key, steps(line)[0].1)).collect();
            assert_eq!(orders(&wrong, line), (played, 0), "{line}");
        }
    }

    #[test]
    fn a_table_is_trapped_by_a_repetition() {
        let root = Repetition::new(ChessGame::new(Position::from_fen(REPETITION_TRAP).unwrap()));
        let value = |text: &str| search(&root, 6, &contestant(text).switches, None).value;
        assert_eq!(value("alphabeta"), value("pvs+id"), "without a table everybody agrees");
        assert_ne!(value("alphabeta"), value("alphabeta+id+killers+trans=100000"));
    }
}
