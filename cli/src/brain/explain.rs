//! The static evaluation, explained: what `eval` and `analyze` show.

use chess::Position;
use engine::eval;
use nnue::Network;

/// The hand-made evaluation in a table: each term for both sides, in pawns, middle game and end game. After it the
/// network's, if that is what plays.
pub fn evaluation(position: &Position, network: Option<&Network>) -> String {
    let pawns = |centipawns: i32| f64::from(centipawns) / 100.0;
    let mut lines = vec!["Static evaluation, made by hand, in pawns (middle game, end game):".to_string()];
    lines.push("term           White           Black      difference".to_string());
    for (name, [white, black]) in eval::explain(position) {
        let difference = white - black;
        lines.push(format!(
            "{name:<8} {:>6.2} {:>6.2}   {:>6.2} {:>6.2}   {:>+6.2} {:>+6.2}",
            pawns(white.middle()),
            pawns(white.end()),
            pawns(black.middle()),
            pawns(black.end()),
            pawns(difference.middle()),
            pawns(difference.end())
        ));
    }
    lines.push(format!(
        "Together {:+.2} for the side to move; game phase {} of {} (0 is the end game).",
        pawns(eval::evaluate(position)),
        eval::phase(position),
        eval::FULL_PHASE
    ));
    lines.extend(network.map(|network| {
        format!("The network, which plays: {:+.2} for the side to move.", pawns(network.evaluate(position)))
    }));
    lines.join("\n")
}
