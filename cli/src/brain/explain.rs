//! The static evaluation, explained: what `eval` and `analyze` show.

use chess::Position;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use engine::eval::{self, Tapered};
use nnue::Network;
use thinking::score::DRAW;

/// The hand-crafted evaluation in a table: each term for both sides, in pawns, middle game and end game.
/// After it the network's, if that is what plays, and what is known without either ([`eval::known`]), which goes first.
pub fn evaluation(position: &Position, network: Option<&Network>) -> String {
    let pawns = |centipawns: i32| f64::from(centipawns) / 100.0;
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["term", "White", "", "Black", "", "difference", ""]);
    for (name, [white, black]) in eval::explain(position) {
        let halves = |value: Tapered| [value.middle(), value.end()].map(pawns);
        let plain = [white, black].into_iter().flat_map(halves).map(|pawns| format!("{pawns:.2}"));
        let signed = halves(white - black).map(|pawns| format!("{pawns:+.2}"));
        table.add_row([name.to_owned()].into_iter().chain(plain).chain(signed));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut lines =
        vec!["Static evaluation, hand-crafted (HCE), in pawns (middle game, end game):".to_string()];
    lines.push(table.trim_fmt());
    lines.push(format!(
        "Total {:+.2} for the side to move; game phase {} of {} (0 is the end game).",
        pawns(eval::evaluate(position)),
        eval::phase(position),
        eval::FULL_PHASE
    ));
    let known = eval::known(position);
    let plays = if known.is_some() { "" } else { ", which plays" };
    lines.extend(network.map(|network| {
        format!("The network{plays}: {:+.2} for the side to move.", pawns(network.evaluate(position)))
    }));
    lines.extend(known.map(|value| {
        let what = match value {
            DRAW => "a draw",
            _ if eval::is_sure_win(position) => "won against a bare king",
            _ => "won against a bare king unless it takes a piece",
        };
        format!("Known to be {what}, which plays: {:+.2} for the side to move.", pawns(value))
    }));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_told_as_it_is() {
        for (fen, says) in [
            ("8/8/8/8/8/5k2/4R3/4K3 b - - 0 1", "Known to be won against a bare king, which plays: -"),
            (
                "8/8/8/8/8/5k2/4R3/7K b - - 0 1",
                "Known to be won against a bare king unless it takes a piece, which plays: -",
            ),
            ("8/8/8/8/8/5k2/8/7K b - - 0 1", "Known to be a draw, which plays: +0.00"),
        ] {
            let text = evaluation(&Position::from_fen(fen).unwrap(), None);
            assert!(text.lines().last().is_some_and(|line| line.starts_with(says)), "{fen}: {text}");
        }
        assert!(!evaluation(&Position::startpos(), None).contains("Known"));
    }
}
