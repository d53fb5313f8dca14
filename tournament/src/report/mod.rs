//! The report: one HTML page that needs nothing else, with tables and inline SVG plots.

mod svg;

use std::fmt::Write as _;

use crate::record::{Ending, GameRecord};
use crate::runner::StopRule;
use crate::standings::Standings;
use crate::stats::ratings::Field;
use crate::summary::{Summary, elo_cell};
use crate::wording::plural;

/// What happened over time, for the plots.
#[derive(Debug, Clone, Default)]
pub struct Course {
    llr: Vec<(f64, f64)>,
}

impl Course {
    /// Takes in a finished game and the standings after it.
    pub fn add(&mut self, _: &GameRecord, standings: &Standings, stop_rule: Option<StopRule>) {
        if let Some(rule) = stop_rule {
            self.llr.push((standings.games() as f64, standings.llr(&rule.sprt, rule.by_pairs)));
        }
    }
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
 table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{border-bottom:1px solid #ddd;padding:.2rem .7rem;\
 text-align:right}td:nth-child(2),th:nth-child(2),td.t,th.t{text-align:left}tr:hover td{background:#f5f7fa}\
 pre{background:#f5f7fa;padding:.7rem;overflow-x:auto}svg{max-width:100%;height:auto}h2{margin-top:2rem}";

/// The page.
#[must_use]
pub fn page(summary: &Summary, course: &Course) -> String {
    let mut html = String::from("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    let title = escape(summary.event);
    let _ = write!(html, "<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>");
    let of = summary.scheduled.map_or_else(String::new, |total| format!(" of {total}"));
    let games = summary.standings.games();
    let noun = plural(summary.scheduled.map_or(games, |total| total as u64), "game");
    let _ = write!(html, "<p>{games}{of} {noun}.</p>");
    html += "<h2>Standings</h2>";
    let field = summary.standings.field();
    html += &standings_table(summary, &field);
    html += "<h2>Ratings</h2>";
    html += &ratings_plot(summary, &field);
    if let Some(reason) = field.no_interval.filter(|_| games > 0) {
        let _ = write!(html, "<p>{}.</p>", escape(&reason.to_string()));
    }
    if let Some(rule) = summary.stop_rule {
        html += "<h2>Sequential test</h2>";
        html += &svg::curve(&course.llr, rule.sprt.bounds(), "games", "LLR");
    }
    html += "<h2>Crosstable</h2>";
    html += &crosstable(summary);
    html += "<h2>How games ended</h2>";
    html += &endings_table(summary);
    let _ = write!(html, "<h2>Summary</h2><pre>{}</pre></body></html>", escape(&summary.text()));
    html.push('\n');
    html
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn row(cells: &[String], tag: &str) -> String {
    let inner: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
    format!("<tr>{inner}</tr>")
}

fn standings_table(summary: &Summary, field: &Field) -> String {
    let elo = if summary.players.len() == 2 { "Elo difference" } else { "Elo" };
    let header = ["#", "Player", elo, "Games", "Points", "%", "Wins", "Draws", "Losses"].map(str::to_owned);
    let mut html = format!("<table>{}", row(&header, "th"));
    for (place, player) in summary.standings.ranking().into_iter().enumerate() {
        let wdl = summary.standings.of(player);
        let share = if wdl.games() == 0 { 0.0 } else { wdl.points() / wdl.games() as f64 * 100.0 };
        let cells = [
            (place + 1).to_string(),
            escape(&summary.players[player]),
            escape(&elo_cell(field.ratings[player], wdl)),
            wdl.games().to_string(),
            format!("{:.1}", summary.standings.points(player)),
            format!("{share:.1}"),
            wdl.wins.to_string(),
            wdl.draws.to_string(),
            wdl.losses.to_string(),
        ];
        html += &row(&cells, "td");
    }
    html + "</table>"
}

/// Of a field every player's rating; of a match the one difference there is.
fn ratings_plot(summary: &Summary, field: &Field) -> String {
    let ranking = summary.standings.ranking();
    let of_match = ranking.len() == 2;
    let bars: Vec<svg::Bar> = ranking
        .iter()
        .take(if of_match { 1 } else { ranking.len() })
        .filter(|&&player| summary.standings.of(player).games() > 0 && field.ratings[player].elo.is_finite())
        .map(|&player| svg::Bar {
            label: escape(&summary.players[player]),
            value: field.ratings[player].elo,
            error: field.ratings[player].error,
        })
        .collect();
    let title = if of_match { "Elo above the opponent" } else { "Elo above the mean of the field" };
    svg::bars(&bars, &format!("{title}, with 95 % intervals"))
}

fn crosstable(summary: &Summary) -> String {
    let order = summary.standings.ranking();
    let mut header = vec!["#".to_owned(), "Player".to_owned()];
    header.extend((1..=order.len()).map(|place| place.to_string()));
    let mut html = format!("<table>{}", row(&header, "th"));
    for (place, &player) in order.iter().enumerate() {
        let mut cells = vec![(place + 1).to_string(), escape(&summary.players[player])];
        cells.extend(order.iter().map(|&other| {
            let wdl = summary.standings.between(player, other);
            if wdl.games() == 0 {
                String::new()
            } else {
                format!("+{} ={} −{}", wdl.wins, wdl.draws, wdl.losses)
            }
        }));
        html += &row(&cells, "td");
    }
    html + "</table>"
}

/// Endings by player: forfeits under the one who is to blame, the rest in the last column only.
fn endings_table(summary: &Summary) -> String {
    let all = summary.standings.endings();
    let mut header = vec!["Games".to_owned(), "Ending".to_owned()];
    header.extend(summary.players.iter().map(|name| escape(name)));
    let mut html = format!("<table>{}", row(&header, "th"));
    let mut rows: Vec<(&Ending, &u64)> = all.iter().collect();
    rows.sort_by(|a, b| b.1.cmp(a.1));
    for (ending, count) in rows {
        let mut cells = vec![count.to_string(), ending.to_string()];
        cells.extend((0..summary.players.len()).map(|player| {
            let by = summary.standings.forfeits(player).get(ending).copied().unwrap_or(0);
            if by == 0 { String::new() } else { by.to_string() }
        }));
        html += &row(&cells, "td");
    }
    html + "</table>"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::journal::tests::game;
    use crate::record::Score;
    use crate::runner::RunEnd;
    use crate::stats::sprt::{Model, Sprt};
    use crate::summary::Tally;
    use sys::provenance::Provenance;

    /// Every place that shows a rating shows the same: table, plot and summary of a match and of a field.
    #[test]
    fn terminal_json_and_page_show_the_same_ratings() {
        for players in [2, 3] {
            let (mut standings, mut tally) = (Standings::new(players, 2), Tally::default());
            for id in 0..61 {
                let mut record = game(id);
                (record.white, record.black) = (id / 2 % players, (id / 2 + 1) % players);
                if id % 2 == 1 {
                    (record.white, record.black) = (record.black, record.white);
                }
                let strong = record.white.min(record.black);
                record.result = match id % 5 {
                    0 => Score::Draw,
                    _ if (record.white == strong) == (id % 5 != 1) => Score::White,
                    _ => Score::Black,
                };
                standings.add(&record);
                tally.add(&record);
            }
            let names = ["Alpha".to_owned(), "Beta".to_owned(), "Gamma".to_owned()];
            let summary = Summary {
                event: "Test",
                players: &names[..players],
                standings: &standings,
                tally: &tally,
                stop_rule: None,
                end: RunEnd::Stopped,
                scheduled: Some(100),
                this_run: &tally,
                wall: Duration::from_secs(1),
                slots: 1,
                provenance: &Provenance::default(),
            };
            let (html, text, json) = (page(&summary, &Course::default()), summary.text(), summary.json());
            let field = standings.field();
            for (place, player) in standings.ranking().into_iter().enumerate() {
                let rating = field.ratings[player];
                assert!(rating.error.is_finite(), "{rating:?}");
                let cell = elo_cell(rating, standings.of(player));
                assert!(html.contains(&format!("<td>{cell}</td>")) && text.contains(&cell), "{cell}: {text}");
                let near =
                    |value: &serde_json::Value, ours: f64| (value.as_f64().unwrap() - ours).abs() < 1e-3;
                assert!(near(&json["players"][place]["elo"], rating.elo));
                assert!(near(&json["players"][place]["elo_error"], rating.error));
            }
            if players == 2 {
                assert_eq!(html.matches("<circle").count(), 1, "one difference is one bar");
                let line = format!(
                    "Elo {}",
                    crate::summary::plus_minus(field.ratings[0].elo, field.ratings[0].error)
                );
                assert!(text.contains(&line), "{line}: {text}");
                assert_eq!(json["match"]["elo_error"], json["players"][0]["elo_error"]);
            } else {
                assert_eq!(html.matches("<circle").count(), 3);
            }
        }
    }

    /// Tags that are opened are closed in order, whatever names and results say.
    #[test]
    fn the_page_is_well_formed() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        let rule = Some(StopRule { sprt, by_pairs: true });
        for games in [0, 1, 40] {
            let mut standings = Standings::new(2, 2);
            let (mut course, mut tally) = (Course::default(), Tally::default());
            for id in 0..games {
                let mut record = game(id);
                record.result = [Score::White, Score::Draw, Score::White][id % 3];
                standings.add(&record);
                tally.add(&record);
                course.add(&record, &standings, rule);
            }
            let summary = Summary {
                event: "A <b> & \"c\"",
                players: &["<i>".to_owned(), "B&B".to_owned()],
                standings: &standings,
                tally: &tally,
                stop_rule: rule,
                end: RunEnd::Complete,
                scheduled: Some(40),
                this_run: &tally,
                wall: Duration::from_secs(1),
                slots: 1,
                provenance: &Provenance::default(),
            };
            let html = page(&summary, &course);
            let mut open: Vec<&str> = Vec::new();
            for part in html.split('<').skip(2) {
                let (tag, _) = part.split_once('>').expect("every < of the page begins a tag");
                let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default();
                if let Some(name) = name.strip_prefix('/') {
                    assert_eq!(open.pop(), Some(name), "{games} games");
                } else if !tag.ends_with('/') && name != "meta" {
                    open.push(name);
                }
            }
            assert!(
                open.is_empty() && !html.contains("NaN") && !html.contains("inf\""),
                "{games} games: {open:?}"
            );
        }
    }
}
