//! Move ordering (13), root moves (14), refutation table (16), alternate variations (17): trying the best
//! move first.

use super::{Group, Ledger, Verdict, horizon_change, node_change, score};
use crate::enhanced::run as search;
use crate::node::Node;
use crate::study::paired::text;
use crate::trees::drawn::Drawn;

pub(super) const GROUPS: &[Group] =
    &[(13, switches), (14, root_order), (16, refutation), (17, alternate_variations)];

fn switches(ledger: &mut Ledger<'_, '_>) {
    ledger.system("13 move ordering");
    let (roots, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let horizon = |words: &str| score(&roots, depth, &format!("pvs+id+quiesce{words}"));
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
        let base = if without.is_empty() { &safe_first } else { &bare };
        let found = horizon_change(base, &horizon(words));
        let how = format!("horizon nodes ({depth} plies, iterated PVS)");
        ledger.smaller(source, &format!("{what}: a smaller tree"), found, &how);
    }
}

fn root_order(ledger: &mut Ledger<'_, '_>) {
    ledger.system("14 root moves");
    // Five moves, all worth the same: whatever happens, they must stay as they were.
    let ties: Drawn = "((1 1) (1 1) (1 1) (1 1) (1 1))".parse().expect("it is a tree");
    let order = |text: &str| search(&ties, 2, &super::contestant(text).switches, None).order;
    let kept = ["alphabeta+id", "pvs-r+id+trans=100", "pvs-r+id+hist", "mtdf+id"]
        .iter()
        .all(|text| order(text) == ties.moves());
    let (roots, depth) = (ledger.bratko_kopec(), ledger.chess_depth());
    let horizon = |words: &str| score(&roots, depth, &format!("pvs+id+trans=1000000+hist+quiesce{words}"));
    let (plain, provisional, analysed) = (horizon("+root-generated"), horizon(""), horizon("+root-analysis"));
    let value = format!(
        "the order of five equal root moves {} through all iterations",
        if kept { "stays" } else { "changes" }
    );
    ledger.row("M 3.4", "ties keep the order of the pre-analysis", value, Verdict::of(kept));
    let value = format!(
        "horizon nodes of the extensive analysis against safe captures first {}; against root moves as generated: safe \
         captures first {}, extensive analysis {} ({depth} plies)",
        text(horizon_change(&provisional, &analysed)),
        text(horizon_change(&plain, &provisional)),
        text(horizon_change(&plain, &analysed))
    );
    ledger.rule("confirmed if the first interval lies below 0");
    let verdict = Verdict::less(horizon_change(&provisional, &analysed));
    ledger.row("M 3.4", "an extensive pre-analysis at the root saves work", value, verdict);
}

fn refutation(ledger: &mut Ledger<'_, '_>) {
    ledger.system("16 refutation table");
    let roots = ledger.bratko_kopec();
    let horizon =
        |depth: u32, words: &str| score(&roots, depth, &format!("pvs+id+root-analysis+quiesce{words}"));
    let compared = |depth: u32| {
        let (bare, table, lines) =
            (horizon(depth, ""), horizon(depth, "+trans=8000"), horizon(depth, "+ref"));
        (depth, horizon_change(&table, &lines), horizon_change(&bare, &lines))
    };
    let rows: Vec<_> = (3..=ledger.size(6, 4)).map(compared).collect();
    let told: Vec<String> = rows
        .iter()
        .map(|(depth, table, none)| format!("{depth} plies {} ({})", text(*table), text(*none)))
        .collect();
    let value = format!("horizon nodes against 8000 table entries (against no memory): {}", told.join(", "));
    let verdict = Verdict::every(rows.iter().filter(|row| row.0 < 6).map(|row| Verdict::below(row.1, 5.0)));
    ledger.rule(
        "confirmed if at every depth below 6 the interval lies below 5 % more, refuted above that, partly \
         if both",
    );
    ledger.row(
        "M 3.5",
        "at fewer than 6 plies it guides just as well as a transposition table",
        value,
        verdict,
    );
    let depth = ledger.chess_depth();
    let found = horizon_change(&horizon(depth, "+ref"), &horizon(depth, "+ref+triangular"));
    let what = format!("horizon nodes ({depth} plies)");
    ledger.smaller("M 3.5", "the triangular array is a source of killers", found, &what);
}

fn alternate_variations(ledger: &mut Ledger<'_, '_>) {
    ledger.system("17 alternate variations");
    let roots = ledger.bratko_kopec();
    // The author's kind of program: full width, alpha-beta, iterated, no tables.
    let saving = |depth: u32| {
        let nodes = |words: &str| score(&roots, depth, &format!("alphabeta+id{words}"));
        (depth, node_change(&nodes(""), &nodes("+alt")))
    };
    let rows: Vec<_> = (3..=ledger.size(6, 4)).map(saving).collect();
    let told: Vec<String> = rows.iter().map(|(d, found)| format!("{d} plies {}", text(*found))).collect();
    let best = rows.iter().map(|row| row.1).min_by(|a, b| a.mean.total_cmp(&b.mean)).unwrap_or_default();
    let verdict = match Verdict::less(best) {
        Verdict::Confirmed if best.high < -15.0 => Verdict::Partly,
        other => other,
    };
    ledger.rule(
        "confirmed if the interval of the best of these depths lies below 0 and reaches 15 % or less, partly \
         if it saves more than that",
    );
    ledger.row("S", "up to 15 % less search time", format!("nodes: {}", told.join(", ")), verdict);
}
