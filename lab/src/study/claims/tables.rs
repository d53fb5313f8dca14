//! More about tables: whom they favour, buckets, replacement, locks, keys, selective search (15), ETC's price
//! (18), symmetry and static order in connect four (22).

use super::{Group, Ledger, Verdict, node_change, score};
use crate::study::contest::Score;
use crate::study::paired::{change, estimate, logs, percent, sign_test, text};
use crate::tally::Tally;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::positions::{random_chess, random_walks};
use chess::Position;
use figures::stats::Estimate;

pub(super) const GROUPS: &[Group] = &[
    (15, whom_it_favours),
    (15, kinds),
    (15, locks),
    (15, side_to_move),
    (15, generations),
    (15, selective_search),
    (18, price_of_looking),
    (22, symmetry),
    (22, centre_first),
];

const SYSTEM: &str = "15 transposition table";

fn whom_it_favours(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let saved = |name: &str| {
        let nodes = |words: &str| score(&roots, depth, &format!("{name}+id{words}")).nodes();
        logs(&nodes(""), &nodes("+trans=1000000"))
    };
    let (pvs, alpha_beta) = (saved("pvs"), saved("alphabeta"));
    let apart: Vec<f64> = pvs.iter().zip(&alpha_beta).map(|(pvs, other)| pvs - other).collect();
    let found = percent(&apart);
    ledger.interval(found);
    ledger.rule("confirmed if PVS saves the larger share: the interval of the quotient lies below 0");
    let value = format!(
        "nodes saved by a table: PVS {}, alpha-beta {}; quotient {} ({depth} plies)",
        text(percent(&pvs)),
        text(percent(&alpha_beta)),
        text(found)
    );
    ledger.row("M 3.5", "tables favour methods like PVS", value, Verdict::less(found));
}

fn kinds(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let base = "pvs+id+trans=8000";
    let of = |words: &str| score(&roots, depth, &format!("{base}{words}"));
    let plain = of("");
    let buckets = node_change(&plain, &of("+buckets=4"));
    ledger.interval(buckets);
    ledger.compares(&format!("{base} {base}+buckets=4 -d {depth}{}", ledger.positions()));
    ledger.rule("confirmed if four entries at a place save less than a tenth (the line is ours)");
    let value = format!(
        "nodes with buckets of four against one probe, 8000 entries, {depth} plies: {}",
        text(buckets)
    );
    let claim = "a single probe is enough: elaborate schemes gain too little";
    ledger.row("M 3.5", claim, value, Verdict::above(buckets, -10.0));
    let deep = node_change(&plain, &of("+keep-deep"));
    ledger.compares(&format!("{base} {base}+keep-deep -d {depth}{}", ledger.positions()));
    let what =
        format!("nodes when a shallower entry never replaces a deeper one (8000 entries, {depth} plies)");
    ledger.smaller("M 3.5", "an entry of greater height is worth keeping", deep, &what);
}

/// Values that differ from those of a search whose keys are whole.
fn mistaken(right: &Score, other: &Score) -> usize {
    right.values.iter().zip(&other.values).filter(|(a, b)| a != b).count()
}

fn locks(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let mut roots = ledger.bratko_kopec();
    roots.extend(random_chess(ledger.size(176, 14), 91));
    let depth = ledger.size(4, 3);
    let of = |lock: &str| score(&roots, depth, &format!("pvs+id+trans=1000{lock}"));
    let whole = of("");
    let wrong = [8, 16, 24, 32].map(|bits| mistaken(&whole, &of(&format!("+lock={bits}"))));
    // Where one differs and the other does not; a lock of 32 bits holds all that one of 24 does.
    let chance = sign_test(wrong[2] as u64, wrong[3] as u64);
    let value = format!(
        "values that differ with locks of 8, 16, 24 and 32 bits beside a place of 10: {}, {}, {}, {} of {}; \
         24 bits against 32: p = {chance:.2} ({depth} plies)",
        wrong[0],
        wrong[1],
        wrong[2],
        wrong[3],
        roots.len()
    );
    ledger.rule(
        "confirmed if the next shorter lock, of 24 bits, errs significantly more often than 32 bits (sign test at \
         5 %) and those never do, refuted if they do",
    );
    let verdict = match wrong[3] {
        1.. => Verdict::Refuted,
        _ if chance < 0.05 => Verdict::Confirmed,
        _ => Verdict::Open,
    };
    ledger.row("M 3.5", "an entry needs a lock, of at least 32 bits", value, verdict);
}

fn side_to_move(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let root = Position::from_fen("4k3/3p1p2/8/8/8/8/2P1P3/4K3 w - - 0 1").expect("a legal position");
    let roots = random_walks(&ChessGame::new(root), 40, ledger.size(200, 30), 80);
    let depth = 6;
    let of = |words: &str| score(&roots, depth, &format!("alphabeta+id+trans=100000{words}"));
    let (right, deeper) = (of(""), of("+deeper"));
    let (sideless, both) = (of("+sideless"), of("+sideless+deeper"));
    let value = format!(
        "{} pawn endings, {depth} plies, keys without the side to move: {} values differ; where deeper \
         entries count {}",
        roots.len(),
        mistaken(&right, &sideless),
        mistaken(&deeper, &both)
    );
    ledger.rule(
        "confirmed if a value differs although an entry counts only at its own depth, partly if it takes \
                 deeper ones, refuted if none does",
    );
    let verdict = match (mistaken(&right, &sideless), mistaken(&deeper, &both)) {
        (1.., _) => Verdict::Confirmed,
        (_, 1..) => Verdict::Partly,
        _ => Verdict::Refuted,
    };
    ledger.row("F", "the key must say whose move it is", value, verdict);
}

fn generations(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let found = score(&roots, depth, "pvs+id+trans=1000000");
    let stored_cuts = |tally: &Tally| tally.order.unwrap_or_default().stored_cut;
    let share = |tally: &Tally| 100.0 * stored_cuts(tally) as f64 / tally.interior.max(1) as f64;
    let saved = estimate(&found.each.iter().map(share).collect::<Vec<f64>>());
    let Estimate { mean, low, high } = saved;
    ledger.interval(saved);
    ledger.rule("no number is given; ours: more than a tenth of the interior nodes");
    let value = format!(
        "{mean:.1} % [{low:.1}, {high:.1}] of the interior nodes are left by the stored move before any \
         other is generated \
         ({depth} plies)"
    );
    let claim = "a stored move that is tried first saves the generation of the others";
    ledger.row("M 3.5", claim, value, Verdict::above(saved, 10.0));
}

/// A search by name and switches, and what counts that it is selective.
type Selective = (&'static str, &'static str, fn(&Tally) -> u64);

/// Full width and three selective searches.
const SELECTIVE: [Selective; 4] = [
    ("full width", "", |_| 0),
    ("recaptures extended", "+recapture", |tally| tally.extended),
    ("shed material reduced", "+shed", |tally| tally.reduced),
    ("N-best", "+nbest=16", |tally| tally.pruned),
];

fn selective_search(ledger: &mut Ledger<'_, '_>) {
    ledger.system(SYSTEM);
    let mut roots = ledger.bratko_kopec();
    roots.extend(random_chess(ledger.size(76, 14), 91));
    let depth = ledger.size(5, 4);
    // Killers and history would change which moves are the first N.
    let found = SELECTIVE.map(|(name, words, acts)| {
        let [without, with] =
            ["", "+trans=1000000"].map(|table| score(&roots, depth, &format!("pvs+id{words}{table}")));
        (name, mistaken(&without, &with), acts(&without.tally).min(acts(&with.tally)))
    });
    let told: Vec<String> =
        found.iter().map(|(name, count, acted)| format!("{name} {count} ({acted})")).collect();
    let value = format!(
        "values that a table changes, of {}, and in parentheses how often the search was selective: {} ({depth} \
         plies)",
        roots.len(),
        told.join(", ")
    );
    ledger.rule(
        "confirmed if a table changes values in each selective search and none in full width, partly if in some; \
         not significant if a search was never selective",
    );
    let selective = found[1..].iter().filter(|(_, count, _)| *count > 0).count();
    let verdict = match (found[0].1, selective) {
        _ if found[1..].iter().any(|(_, _, acted)| *acted == 0) => Verdict::Open,
        (1.., _) | (_, 0) => Verdict::Refuted,
        (_, 3) => Verdict::Confirmed,
        _ => Verdict::Partly,
    };
    ledger.row("M fig. 7", "bounds from a table are not valid in a selective search", value, verdict);
}

fn price_of_looking(ledger: &mut Ledger<'_, '_>) {
    ledger.system("18 enhanced transposition cut-offs");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.size(5, 4));
    let base = "pvs+id+trans=1000000+killers+hist";
    let of = |words: &str| score(&roots, depth, &format!("{base}{words}"));
    // A look-up makes the successor and probes for it, which is most of what a visit costs.
    let work = |score: &Score| -> Vec<u64> {
        score.each.iter().map(|tally| tally.nodes() + tally.table.etc_probes).collect()
    };
    // From two plies left: the successors of a node with one left lie at the horizon and are never stored.
    let scores = ["", "+etc=2", "+etc=3", "+etc=4"].map(of);
    let changes = [1, 2, 3].map(|i| change(&work(&scores[0]), &work(&scores[i])));
    let later = change(&work(&scores[1]), &work(&scores[3]));
    ledger.interval(later);
    ledger.rule(
        "confirmed if looking from two plies left on costs work, and from four on less than that, by both \
                 intervals",
    );
    let value = format!(
        "nodes and successors looked up together, with at least 2, 3, 4 plies left: {}, {}, {}; from four \
         on against two \
         {} ({depth} plies)",
        text(changes[0]),
        text(changes[1]),
        text(changes[2]),
        text(later)
    );
    let verdict = Verdict::every([Verdict::above(changes[0], 0.0), Verdict::less(later)]);
    ledger.row("F", "ETC is expensive, and worth it only with enough depth left", value, verdict);
    let rate = |score: &Score| -> Vec<f64> {
        let each = score.each.iter();
        each.map(|tally| (tally.etc_cutoffs as f64 + 0.5) / (tally.table.etc_nodes as f64 + 1.0)).collect()
    };
    let rates = [1, 2, 3].map(|i| rate(&scores[i]));
    let ratio: Vec<f64> = rates[0].iter().zip(&rates[2]).map(|(two, four)| (four / two).ln()).collect();
    let found = percent(&ratio);
    let told = rates.each_ref().map(|rates| {
        let Estimate { mean, low, high } = estimate(rates).map(|share| 100.0 * share);
        format!("{mean:.1} % [{low:.1}, {high:.1}]")
    });
    ledger.interval(found);
    ledger
        .rule("no number is given; ours: the rate with four plies left is within a quarter of that with two");
    let value = format!(
        "of the nodes looked ahead at, with at least 2, 3, 4 plies left, it ends {}; with four against two \
         {}",
        told.join(", "),
        text(found)
    );
    let verdict = Verdict::within(found, -25.0, 25.0);
    ledger.row("F", "ETC gives cut-offs with a constant probability", value, verdict);
}

fn symmetry(ledger: &mut Ledger<'_, '_>) {
    ledger.system("22 other games");
    let roots = random_walks(&ConnectFour::start(), 2, 12, 6);
    let depth = ledger.size(9, 7);
    let of = |words: &str| score(&roots, depth, &format!("alphabeta+id+trans=1000000{words}"));
    let (plain, folded) = (of(""), of("+mirror"));
    let found = node_change(&plain, &folded);
    let same = plain.values == folded.values;
    ledger.interval(found);
    ledger.rule("confirmed if the values are equal and the interval lies below 0");
    let value = format!(
        "nodes when mirror images share an entry {}, connect four after 0 to 2 moves, {depth} plies; values \
         {}",
        text(found),
        if same { "equal" } else { "differ" }
    );
    let verdict = if same { Verdict::less(found) } else { Verdict::Refuted };
    ledger.row("F", "symmetries of a game make the tree smaller", value, verdict);
}

fn centre_first(ledger: &mut Ledger<'_, '_>) {
    ledger.system("22 other games");
    let count = ledger.size(24, 8);
    let roots = random_walks(&ConnectFour::start(), 20, count, 1);
    let depth = ledger.size(8, 6);
    let [any, centre] = ["alphabeta+unordered+root-generated", "alphabeta"];
    let found = node_change(&score(&roots, depth, any), &score(&roots, depth, centre));
    ledger.compares(&format!("{any} {centre} --tree connect4 -d {depth} -n {count}"));
    let what = format!("nodes against columns from left to right ({count} positions, {depth} plies)");
    ledger.smaller(
        "F",
        "in connect four, moves close to the centre first make the tree smaller",
        found,
        &what,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::positions::bratko_kopec_roots;

    /// Without that, a table has nothing to spoil: with three plies no line is reduced for shed material.
    #[test]
    fn the_selective_searches_are_selective_at_the_depth_of_the_claim() {
        for (name, words, acts) in &SELECTIVE[1..] {
            let acted =
                |depth| acts(&score(&bratko_kopec_roots()[..6], depth, &format!("pvs+id{words}")).tally);
            assert!(acted(4) > 0, "{name}");
            assert!(*name != "shed material reduced" || acted(3) == 0, "{name}");
        }
    }
}
