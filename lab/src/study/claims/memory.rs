//! Systems 5, 15, 18 and 19: remembering.

use super::{Ledger, Verdict, contestant, more, score};
use crate::enhanced::run as search;
use crate::node::Node;
use crate::trees::chess_game::ChessGame;
use crate::trees::positions::{REPETITION_TRAP, random_walks};
use crate::trees::repetition::Repetition;
use chess::Position;
use std::collections::{HashMap, HashSet};

pub(super) fn run(ledger: &mut Ledger) {
    deepening(ledger);
    table(ledger);
    trap(ledger);
    successors(ledger);
    book(ledger);
}

fn deepening(ledger: &mut Ledger) {
    ledger.system("5 iterative deepening");
    let roots = ledger.bratko_kopec();
    let deepest = ledger.size(5, 4);
    let overheads = |iterated: &str, direct: &str| -> Vec<(u32, f64)> {
        let nodes =
            |depth, text: &str| score(&roots, depth, &format!("{text}+root-analysis+quiesce")).tally.nodes();
        (2..=deepest).map(|depth| (depth, more(nodes(depth, direct), nodes(depth, iterated)))).collect()
    };
    let text = |rows: &[(u32, f64)]| {
        rows.iter().map(|(d, o)| format!("{d} plies {o:+.1} %")).collect::<Vec<_>>().join(", ")
    };
    let bare = overheads("alphabeta+id", "alphabeta");
    let mean = bare.iter().map(|r| r.1).sum::<f64>() / bare.len() as f64;
    let value = format!("mean {mean:+.1} %: {}", text(&bare));
    ledger.rule("confirmed if the mean lies between 0 and twice the document's 5 %");
    ledger.row(
        "M 3.6 (a)",
        "costs about 5 % over a direct search without memory",
        value,
        Verdict::of((0.0..=10.0).contains(&mean)),
    );
    let table = "+trans=1000000";
    let with = overheads(&format!("pvs-r+id{table}"), &format!("pvs-r{table}"));
    let gain = with.last().map_or(0.0, |r| r.1);
    ledger.row(
        "M 3.4, B",
        "gains over a direct search when a table remembers",
        text(&with),
        Verdict::of(gain < 0.0),
    );
}

fn table(ledger: &mut Ledger) {
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
    let nodes = |words: &str| score(&roots, depth, &format!("pvs-r+id+killers+hist+quiesce{words}")).tally;
    let (none, order, full) = (nodes(""), nodes("+trans=1000000+moves-only"), nodes("+trans=1000000"));
    // Figure 7 narrows the window of alpha-beta; the windows of PVS have nothing left to narrow.
    let wide = score(&roots, depth, "alphabeta+id+killers+hist+quiesce+trans=1000000").tally.table;
    let value = format!(
        "PVS, moves only {:+.1} %, scores too {:+.1} % of nodes; hits for ordering, narrowing, cut-off: PVS {}, {}, {}, alpha-beta {}, {}, {} ({depth} plies)",
        more(none.nodes(), order.nodes()),
        more(none.nodes(), full.nodes()),
        full.table.ordering,
        full.table.narrowing,
        full.table.cutoffs,
        wide.ordering,
        wide.narrowing,
        wide.cutoffs
    );
    let smaller = order.nodes() < none.nodes() && full.nodes() < order.nodes();
    let holds = smaller && wide.ordering > 0 && wide.narrowing > 0 && wide.cutoffs > 0;
    ledger.rule("confirmed if the move alone saves nodes, the score saves more, and alpha-beta meets each of the three");
    ledger.row("M 3.5, 3.6 (e)", "an entry serves three purposes", value, Verdict::of(holds));
    let factor = |root: &ChessGame, depth| {
        let nodes = |text| score(std::slice::from_ref(root), depth, text).tally.nodes() as f64;
        nodes("pvs-r+id+quiesce") / nodes("pvs-r+id+trans=1000000+quiesce")
    };
    let mut factors: Vec<f64> = roots.iter().map(|root| factor(root, depth)).collect();
    factors.sort_by(f64::total_cmp);
    // Fine's position (Reuben Fine 1941, no. 70): the classic of a tree that is nearly all transpositions.
    let fine = Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").expect("it is a legal position");
    let deep = ledger.size(13, 10);
    let ending = factor(&ChessGame::new(fine), deep);
    let value = format!(
        "tree smaller by {:.1} in the median, {:.1} at most on Bratko-Kopec ({depth} plies); {ending:.0} in Fine's pawn ending ({deep} plies)",
        factors[factors.len() / 2],
        factors[factors.len() - 1]
    );
    let highest = factors[factors.len() - 1];
    let verdict = if highest < 2.0 {
        Verdict::Refuted
    } else if highest < 4.5 {
        Verdict::Confirmed
    } else {
        Verdict::Partly
    };
    ledger.rule("confirmed if the largest factor on Bratko-Kopec rounds to 4 or lies between 2 and that, partly if above, refuted below");
    ledger.row("B", "saves up to a factor 4 of the tree", value, verdict);
}

fn trap(ledger: &mut Ledger) {
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

fn successors(ledger: &mut Ledger) {
    ledger.system("18 enhanced transposition cut-offs");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(6, 4));
    let nodes = |words: &str| {
        score(&roots, depth, &format!("pvs-r+id+trans=1000000+killers+hist+quiesce{words}")).tally.nodes()
    };
    let without = nodes("");
    let changes: Vec<f64> =
        [1, 2, 3].iter().map(|limit| more(without, nodes(&format!("+etc={limit}")))).collect();
    let bare = |words: &str| {
        score(&roots, depth, &format!("alphabeta+id+trans=1000000+two+quiesce{words}")).tally.nodes()
    };
    let other = more(bare(""), bare("+etc=1"));
    let value = format!(
        "nodes with at least 1, 2, 3 plies left: {:+.1}, {:+.1}, {:+.1} % ({depth} plies); in alpha-beta without other ordering {other:+.1} %",
        changes[0], changes[1], changes[2]
    );
    let best = changes.iter().copied().fold(other, f64::min);
    let verdict = if best > -10.0 {
        Verdict::Refuted
    } else if best > -20.0 {
        Verdict::Partly
    } else {
        Verdict::Confirmed
    };
    ledger.rule("confirmed if the best setting saves 20 % or more, partly if at least half of that");
    ledger.row("B", "the tree is 20 to 25 % smaller", value, verdict);
}

/// Opening lines, written in one move order each.
const BOOK: [&str; 4] = [
    "e4 e5 Nf3 Nc6 Bb5 a6",
    "d4 Nf6 c4 e6 Nc3 Bb4",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7",
    "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5",
];

fn book(ledger: &mut Ledger) {
    ledger.system("19 opening book");
    let start = ChessGame::new(Position::startpos());
    let mut book = HashMap::new();
    for line in BOOK {
        let mut node = start.clone();
        for san in line.split(' ') {
            let m = node.position().parse_san(san).expect("the lines are legal");
            book.insert(node.key(), m);
            node = node.child(m);
        }
    }
    // Every order in which each line's first six moves can be played.
    let (mut orders, mut found) = (0, 0);
    for line in BOOK {
        let moves: Vec<&str> = line.split(' ').take(6).collect();
        let goal = moves
            .iter()
            .fold(start.clone(), |node, san| node.child(node.position().parse_san(san).expect("legal")));
        for node in transposed(&start, &moves) {
            orders += 1;
            let book_move = book.get(&node.key());
            found += usize::from(node.key() == goal.key() && (book_move == book.get(&goal.key())));
        }
    }
    let value = format!(
        "{found} of {orders} move orders of {} lines reach the entry of their line (lab book by table key; the engine's is Polyglot's)",
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
    fn a_table_is_trapped_by_a_repetition() {
        let root = Repetition::new(ChessGame::new(Position::from_fen(REPETITION_TRAP).unwrap()));
        let value = |text: &str| search(&root, 6, &contestant(text).switches, None).value;
        assert_eq!(value("alphabeta"), value("pvs+id"), "without a table everybody agrees");
        assert_ne!(value("alphabeta"), value("alphabeta+id+killers+trans=100000"));
    }
}
