//! Systems 13, 14, 16 and 17: trying the best move first.

use super::{Ledger, Verdict, more, score};
use crate::enhanced::run as search;
use crate::node::Node;
use crate::trees::drawn::Drawn;

pub(super) fn run(ledger: &mut Ledger) {
    switches(ledger);
    root_order(ledger);
    refutation(ledger);
    alternate_variations(ledger);
}

fn switches(ledger: &mut Ledger) {
    ledger.system("13 move ordering");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let horizon = |words: &str| score(&roots, depth, &format!("pvs-r+id+quiesce{words}")).tally.horizon;
    let bare = horizon("+unordered");
    let kinds = [
        ("F", "captures by victim and attacker first", "+mvv", "+unordered"),
        ("M 3.6", "safe captures first", "", "+unordered"),
        ("M 3.3, F, B", "two killers per ply", "+killers", ""),
        ("M 3.3, F, B", "history tables for each side", "+hist", ""),
        (
            "M 3.5, F, B",
            "the transposition table's move (and nothing else of it)",
            "+trans=1000000+moves-only",
            "",
        ),
        ("M 3.6 (f)", "all of these together", "+killers+hist+trans=1000000+moves-only", ""),
    ];
    let safe_first = horizon("");
    for (source, what, words, without) in kinds {
        let base = if without.is_empty() { safe_first } else { bare };
        let with = horizon(words);
        let value = format!("{:+.1} % horizon nodes ({depth} plies, iterated PVS)", more(base, with));
        ledger.row(source, &format!("{what}: a smaller tree"), value, Verdict::of(with < base));
    }
}

fn root_order(ledger: &mut Ledger) {
    ledger.system("14 root moves");
    // Five moves, all worth the same: whatever happens, they must stay as they were.
    let ties: Drawn = "((1 1) (1 1) (1 1) (1 1) (1 1))".parse().expect("it is a tree");
    let order = |text: &str| search(&ties, 2, &super::contestant(text).switches, None).order;
    let kept = ["alphabeta+id", "pvs-r+id+trans=100", "pvs-r+id+hist", "mtdf+id"]
        .iter()
        .all(|text| order(text) == ties.moves());
    let (roots, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let horizon = |words: &str| {
        score(&roots, depth, &format!("pvs-r+id+trans=1000000+hist+quiesce{words}")).tally.horizon
    };
    let (plain, provisional, analysed) = (horizon("+root-generated"), horizon(""), horizon("+root-analysis"));
    let value = format!(
        "the order of five equal root moves {} through all iterations",
        if kept { "stays" } else { "changes" }
    );
    ledger.row("M 3.4", "ties keep the order of the pre-analysis", value, Verdict::of(kept));
    let value = format!(
        "horizon nodes against root moves as generated: safe captures first {:+.1} %, extensive analysis {:+.1} % ({depth} plies)",
        more(plain, provisional),
        more(plain, analysed)
    );
    ledger.row(
        "M 3.4",
        "an extensive pre-analysis at the root saves work",
        value,
        Verdict::of(analysed < provisional),
    );
}

fn refutation(ledger: &mut Ledger) {
    ledger.system("16 refutation table");
    let roots = ledger.bratko_kopec();
    let horizon = |depth: u32, words: &str| {
        score(&roots, depth, &format!("pvs-r+id+root-analysis+quiesce{words}")).tally.horizon
    };
    let compared = |depth: u32| {
        let refuted = horizon(depth, "+ref");
        (depth, more(horizon(depth, "+trans=8000"), refuted), more(horizon(depth, ""), refuted))
    };
    let rows: Vec<_> = (3..=ledger.size(6, 4)).map(compared).collect();
    let text: Vec<String> =
        rows.iter().map(|(d, trans, none)| format!("{d} plies {trans:+.0} % ({none:+.0} %)")).collect();
    let value = format!("horizon nodes against 8000 table entries (against no memory): {}", text.join(", "));
    let shallow = || rows.iter().filter(|row| row.0 < 6);
    let as_well = shallow().filter(|row| row.1 <= 5.0).count();
    let verdict = match as_well {
        0 => Verdict::Refuted,
        n if n == shallow().count() => Verdict::Confirmed,
        _ => Verdict::Partly,
    };
    ledger.rule(
        "confirmed if at every depth below 6 it needs at most 5 % more horizon nodes, partly if at some",
    );
    ledger.row(
        "M 3.5",
        "at fewer than 6 plies it guides just as well as a transposition table",
        value,
        verdict,
    );
    let depth = ledger.chess_depth();
    let (without, with) = (horizon(depth, "+ref"), horizon(depth, "+ref+triangular"));
    let value = format!("{:+.1} % horizon nodes ({depth} plies)", more(without, with));
    ledger.row("M 3.5", "the triangular array is a source of killers", value, Verdict::of(with < without));
}

fn alternate_variations(ledger: &mut Ledger) {
    ledger.system("17 alternate variations");
    let roots = ledger.bratko_kopec();
    // The author's kind of program: full width, alpha-beta, iterated, no tables.
    let saving = |depth: u32| {
        let nodes = |words: &str| score(&roots, depth, &format!("alphabeta+id{words}")).tally.nodes();
        (depth, more(nodes(""), nodes("+alt")))
    };
    let rows: Vec<(u32, f64)> = (3..=ledger.size(6, 4)).map(saving).collect();
    let text: Vec<String> = rows.iter().map(|(d, change)| format!("{d} plies {change:+.1} %")).collect();
    let best = rows.iter().map(|r| r.1).fold(0.0, f64::min);
    let value = format!("nodes: {}", text.join(", "));
    let verdict = if best >= 0.0 {
        Verdict::Refuted
    } else if best >= -20.0 {
        Verdict::Confirmed
    } else {
        Verdict::Partly
    };
    ledger.rule("confirmed if nodes are saved and the best saving is at most 5 points above 15 %, partly if it is more");
    ledger.row("S", "up to 15 % less search time", value, verdict);
}
