//! The tables of a report: the same on a terminal and on a page.

use figures::table::{count, fixed};
use figures::{Cell, Matrix, Table};

use crate::standings::Standings;
use crate::stats::ratings::{Field, NoInterval};
use crate::summary::{elo_cell, plus_minus};
use crate::survey::{EngineStatistics, Opening, Phase, Survey};

/// What stands where there is nothing.
const NOTHING: &str = "-";
/// Players up to which a cell of the crosstable says of how many games its points are.
const FEW: usize = 8;

/// The heading of ratings on the scale of no anchor.
#[must_use]
pub fn scale(field: &Field) -> &'static str {
    match field.ratings.len() {
        2 => "Elo difference",
        _ if field.no_interval == Some(NoInterval::TooMany) => "Elo",
        _ if field.has_bounds() => "Elo (largest part's mean 0)",
        _ => "Elo (field mean 0)",
    }
}

/// Places, points and ratings. `scale`: the heading of the ratings.
#[must_use]
pub fn standings(names: &[String], standings: &Standings, field: &Field, scale: &str) -> Table {
    let mut table =
        Table::new("", &["#", "Player", scale, "Games", "Points", "%", "+", "=", "-", "Forfeits"]);
    for (place, player) in standings.places() {
        let wdl = standings.of(player);
        let forfeits: u64 = standings.forfeits(player).values().sum();
        table.row([
            place.to_string(),
            names[player].clone(),
            elo_cell(field.ratings[player], wdl),
            wdl.games().to_string(),
            format!("{:.1}", standings.points(player)),
            format!("{:.1}", wdl.share() * 100.0),
            wdl.wins.to_string(),
            wdl.draws.to_string(),
            wdl.losses.to_string(),
            forfeits.to_string(),
        ]);
    }
    table
}

/// Points as players write them: `5½`.
fn points(points: f64) -> String {
    let whole = points.floor();
    match (points > whole, whole == 0.0) {
        (true, true) => "½".to_owned(),
        (true, false) => format!("{whole:.0}½"),
        (false, _) => format!("{whole:.0}"),
    }
}

/// Players up to which there is a crosstable, and on a page a table of every two players: both grow with
/// their square.
const CROSSTABLE: usize = 100;

/// That there is no crosstable, where the field is too large for one.
#[must_use]
pub fn no_crosstable(names: &[String]) -> Option<String> {
    none_of("crosstable", names)
}

/// That a page has neither a crosstable nor a table of every two players, where the field is too large for
/// them.
#[must_use]
pub fn no_meetings(names: &[String]) -> Option<String> {
    none_of("crosstable and no table of every two players", names)
}

fn none_of(what: &str, names: &[String]) -> Option<String> {
    (names.len() > CROSSTABLE).then(|| format!("No {what}: there are more than {CROSSTABLE} players."))
}

/// Everybody against everybody, in the order of the standings.
#[must_use]
pub fn crosstable(names: &[String], standings: &Standings) -> Matrix {
    let order = standings.ranking();
    let cell = |player: usize, other: usize| {
        let wdl = standings.between(player, other);
        if wdl.games() == 0 {
            return Cell::default();
        }
        let (points, games) = (points(wdl.points()), wdl.games());
        let tip = format!(
            "{} against {}: {points} of {games} (+{} ={} -{})",
            names[player], names[other], wdl.wins, wdl.draws, wdl.losses
        );
        let text = if order.len() <= FEW { format!("{points}/{games}") } else { points };
        Cell { text, tip, shade: Some(2.0 * wdl.share() - 1.0) }
    };
    Matrix {
        title: "Crosstable".to_owned(),
        rows: order.iter().enumerate().map(|(place, &p)| format!("{} {}", place + 1, names[p])).collect(),
        columns: (1..=order.len()).map(|place| place.to_string()).collect(),
        cells: order.iter().map(|&a| order.iter().map(|&b| cell(a, b)).collect()).collect(),
    }
}

/// The crosstable for a terminal.
#[must_use]
pub fn crosstable_text(names: &[String], standings: &Standings) -> Table {
    let matrix = crosstable(names, standings);
    let mut headings = vec!["Crosstable".to_owned()];
    headings.extend(matrix.columns);
    let row = |(name, cells): (String, Vec<Cell>)| {
        std::iter::once(name).chain(cells.into_iter().map(|cell| cell.text)).collect()
    };
    let rows = matrix.rows.into_iter().zip(matrix.cells).map(row).collect();
    Table { title: String::new(), headings, rows }
}

/// How games ended, and whose fault the forfeits were.
#[must_use]
pub fn endings(names: &[String], standings: &Standings) -> Table {
    let mut table = Table::new("", &["Ending", "Games", "%", "Lost by"]);
    let mut rows: Vec<_> = standings.endings().iter().collect();
    rows.sort_by(|a, b| b.1.cmp(a.1));
    let games = standings.games().max(1) as f64;
    for (ending, &number) in rows {
        let by = |(player, name): (usize, &String)| {
            let lost = standings.forfeits(player).get(ending)?;
            Some(format!("{name} {lost}"))
        };
        let blamed: Vec<String> = names.iter().enumerate().filter_map(by).collect();
        table.row([
            ending.to_string(),
            number.to_string(),
            format!("{:.1}", number as f64 / games * 100.0),
            blamed.join(", "),
        ]);
    }
    table
}

fn decimal(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| fixed(value, places))
}

fn whole(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| count(value.round() as u64))
}

/// What engines did with their time.
#[must_use]
pub fn engines(survey: &Survey) -> Table {
    let headings = [
        "Engine",
        "Moves",
        "Time a move (s)",
        "Depth",
        "Nodes a move",
        "Nodes a second",
        "Longest (s)",
        "CPUs",
        "Closest shave",
    ];
    let mut table = Table::new("", &headings);
    for player in survey.standings.ranking() {
        let engine = survey.engine(player);
        let all = engine.all();
        if all.moves == 0 {
            continue;
        }
        table.row([
            survey.players()[player].clone(),
            count(all.moves),
            decimal(all.time_ms().map(|ms| ms / 1000.0), 3),
            decimal(all.mean_depth(), 1),
            whole(all.mean_nodes()),
            whole(all.nps()),
            decimal(engine.longest_ms.map(|ms| ms as f64 / 1000.0), 3),
            decimal(engine.processors(), 2),
            shave(engine),
        ]);
    }
    table
}

fn shave(engine: &EngineStatistics) -> String {
    engine.shave.map_or_else(
        || NOTHING.to_owned(),
        |shave| format!("{} ms left (game {}, ply {})", shave.ms, shave.game, shave.ply),
    )
}

/// The same by phase of the game.
#[must_use]
pub fn phases(survey: &Survey) -> Table {
    let headings = ["Engine", "Phase", "Moves", "Time a move (s)", "Depth", "Nodes a move", "Nodes a second"];
    let mut table = Table::new("By phase of the game", &headings);
    for player in survey.standings.ranking() {
        for (phase, sums) in Phase::ALL.into_iter().zip(&survey.engine(player).phases) {
            if sums.moves > 0 {
                table.row([
                    survey.players()[player].clone(),
                    phase.name().to_owned(),
                    count(sums.moves),
                    decimal(sums.time_ms().map(|ms| ms / 1000.0), 3),
                    decimal(sums.mean_depth(), 1),
                    whole(sums.mean_nodes()),
                    whole(sums.nps()),
                ]);
            }
        }
    }
    table
}

/// Sentences on who searches faster, for every two players that met.
#[must_use]
pub fn speeds(survey: &Survey) -> Vec<String> {
    let order = survey.standings.ranking();
    let mut lines = Vec::new();
    for (place, &first) in order.iter().enumerate() {
        for &second in &order[place + 1..] {
            let Some(ratio) = survey.speed(first, second) else { continue };
            // The faster one comes first.
            let (a, b, ratio) =
                if ratio.value() >= 1.0 { (first, second, ratio) } else { (second, first, ratio.reversed()) };
            let interval = ratio.interval().map_or_else(String::new, |(low, high)| {
                format!(", 95 % interval {} to {}", signed_percent(low), signed_percent(high))
            });
            lines.push(format!(
                "{} searches {} % more nodes a second than {} (geometric mean of {}{interval}).",
                survey.players()[a],
                fixed((ratio.value() - 1.0) * 100.0, 1),
                survey.players()[b],
                crate::wording::counted(ratio.count, "game"),
            ));
        }
    }
    lines
}

fn signed_percent(ratio: f64) -> String {
    format!("{} %", crate::wording::signed((ratio - 1.0) * 100.0, 1))
}

/// Meetings of every two players: score, difference, speed.
#[must_use]
pub fn meetings(survey: &Survey) -> Table {
    let headings = ["Player", "Opponent", "Games", "+", "=", "-", "%", "Elo difference", "Speed"];
    let mut table = Table::new("Every two players", &headings);
    let order = survey.standings.ranking();
    for (place, &first) in order.iter().enumerate() {
        for &second in &order[place + 1..] {
            let wdl = survey.standings.between(first, second);
            if wdl.games() == 0 {
                continue;
            }
            let estimate = survey.standings.estimate_between(first, second);
            let elo = estimate.map_or_else(String::new, |estimate| {
                let text = plus_minus(estimate.elo, estimate.interval);
                text.trim_end_matches(" ± ?").to_owned()
            });
            let speed =
                survey.speed(first, second).map_or_else(|| NOTHING.to_owned(), |r| signed_percent(r.value()));
            table.row([
                survey.players()[first].clone(),
                survey.players()[second].clone(),
                wdl.games().to_string(),
                wdl.wins.to_string(),
                wdl.draws.to_string(),
                wdl.losses.to_string(),
                format!("{:.1}", wdl.share() * 100.0),
                elo,
                speed,
            ]);
        }
    }
    table
}

/// The openings with most games, then the most lopsided; at most so many.
#[must_use]
pub fn openings(survey: &Survey, most: usize) -> Table {
    let mut table = Table::new("", &["Opening", "Games", "White +", "=", "-", "White %", "Plies", ""]);
    for opening in survey.openings.ranked().into_iter().take(most) {
        let Opening { name, white, .. } = opening;
        table.row([
            name.clone(),
            white.games().to_string(),
            white.wins.to_string(),
            white.draws.to_string(),
            white.losses.to_string(),
            format!("{:.1}", white.share() * 100.0),
            format!("{:.0}", opening.mean_plies()),
            opening.remark().unwrap_or_default().to_owned(),
        ]);
    }
    table
}

/// Every pair of games.
#[must_use]
pub fn pairs(survey: &Survey) -> Table {
    let mut table = Table::new("Pairs of games", &["Player", "Opponent", "Points", "Games", "Opening"]);
    let result = |points: &f64| if *points > 0.75 { "1" } else { ["0", "½"][usize::from(*points > 0.25)] };
    for pair in survey.pairs() {
        let [first, second] = pair.players.map(|player| survey.players()[player].clone());
        let games: Vec<&str> = pair.points.iter().map(result).collect();
        table.row([
            first,
            second,
            points(pair.points.iter().sum()),
            games.join(" "),
            survey.openings.list()[pair.opening].name.clone(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_halves() {
        assert_eq!([0.0, 0.5, 1.0, 10.5].map(points), ["0", "½", "1", "10½"]);
    }
}
