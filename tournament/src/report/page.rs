//! A report as one HTML page: the verdict first, then how it came about, at the end the games themselves.

use figures::{Block, Chart, Intervals, Page, Section, Series, Table, Widget};
use serde_json::json;

use super::{Report, State, tables};
use crate::stats::ratings::Field;
use crate::stats::sprt::Model;

/// Forfeits listed with their reasons.
const FORFEITS: usize = 50;

/// A script with what it shares with the others, its names its own.
macro_rules! script {
    ($name:literal) => {
        concat!("(() => {\n\"use strict\";\n", include_str!("board.js"), include_str!($name), "})();")
    };
}

impl Report<'_> {
    /// The page. While games are being played it loads itself again every `reload_seconds`.
    #[must_use]
    pub fn page(&self, reload_seconds: u32) -> String {
        let reload_seconds = if self.state == State::Running { reload_seconds } else { 0 };
        self.page_of(None, reload_seconds)
    }

    /// The page that a server hands out: with the boards of the running games, which a script asks it for,
    /// and kept up to date by that script.
    #[must_use]
    pub fn live_page(&self) -> String {
        let widget = Widget {
            data_id: "live-data",
            data: json!({ "begun": self.begun() }).to_string(),
            markup: include_str!("live.html"),
            styles: &[include_str!("board.css"), include_str!("live.css")],
            script: script!("live.js"),
        };
        self.page_of(Some(Section::new("Running games", vec![Block::Widget(widget)])), 0)
    }

    /// When the tournament was begun, as far as its runs tell: by that a live page knows it from any other.
    fn begun(&self) -> Option<&str> {
        let mut runs = self.tournaments.iter().flat_map(|tournament| &tournament.runs);
        runs.find_map(|run| Some(run.provenance.as_ref()?.date.as_str()))
    }

    fn page_of(&self, live: Option<Section>, reload_seconds: u32) -> String {
        let field = self.field();
        let mut sections = vec![Section::new("", self.lead(&field))];
        sections.extend(live);
        sections.push(Section::new("Standings", self.standings_blocks(&field)));
        if self.players().len() > 2 {
            sections.push(Section::new("Crosstable", self.crosstable_blocks()));
        }
        sections.extend(self.test_section());
        sections.push(Section::new("Conditions", self.conditions_blocks()));
        sections.push(Section::new("How games ended", self.endings_blocks()));
        sections.push(Section::new("Engines", self.engine_blocks()));
        sections.push(Section::new("Openings", self.opening_blocks()));
        sections.extend(self.games_section());
        sections.retain(|section| !section.blocks.is_empty());
        let page = Page {
            title: self.event.to_owned(),
            sections,
            facts: self.provenance.lines(),
            footer: "firstborn".to_owned(),
            reload_seconds,
        };
        page.html()
    }

    fn lead(&self, field: &Field) -> Vec<Block> {
        let mut blocks = vec![Block::Verdict(self.headline(field), self.detail())];
        blocks.extend(self.notes.iter().map(|note| Block::Text(format!("Note: {note}"))));
        blocks
    }

    fn standings_blocks(&self, field: &Field) -> Vec<Block> {
        let standings = &self.survey.standings;
        let table = tables::standings(self.players(), standings, field, self.scale(field));
        let mut blocks = vec![Block::Table(table)];
        blocks.extend(standings.byes(self.players()).map(Block::Text));
        let lines = crate::summary::match_lines(self.players(), standings);
        blocks.extend(lines.into_iter().map(Block::Text));
        if let Some(reason) = field.no_interval.filter(|_| standings.games() > 0) {
            blocks.push(Block::Text(format!("Elo: {reason}.")));
        }
        if self.players().len() > 2 {
            let row = |player: usize| {
                let rating = field.ratings[player];
                (self.players()[player].clone(), rating.elo, rating.error)
            };
            // What is only a bound is no place on an axis.
            let drawn =
                |player: &usize| standings.of(*player).games() > 0 && field.ratings[*player].bound.is_none();
            let rows = standings.ranking().into_iter().filter(drawn).map(row).collect();
            let title = format!("{}, with 95 % intervals", self.scale(field));
            blocks.push(Block::Intervals(Intervals { title, rows }));
        }
        blocks
    }

    fn crosstable_blocks(&self) -> Vec<Block> {
        let standings = &self.survey.standings;
        if let Some(line) = tables::no_meetings(self.players()) {
            return vec![Block::Text(line)];
        }
        let text = "Points of the player of the row against the player of the column; a cell says more when one points at it.";
        let mut blocks =
            vec![Block::Text(text.to_owned()), Block::Matrix(tables::crosstable(self.players(), standings))];
        blocks.extend(folded(tables::meetings(self.survey)));
        blocks
    }

    fn test_section(&self) -> Option<Section> {
        let (rule, llr, _) = self.test()?;
        let (lower, upper) = rule.sprt.bounds();
        let points = self.survey.course.points(&self.survey.standings, rule);
        let last = points.last().map_or(1.0, |point| point.0.max(1.0));
        let bound = |name: String, value: f64, colour| Series {
            name,
            points: vec![(0.0, value), (last, value)],
            dashed: true,
            colour: Some(colour),
            ..Series::default()
        };
        let course = Series { name: format!("LLR {llr:.2}"), points, colour: Some(1), ..Series::default() };
        let chart = Chart {
            title: "Log-likelihood ratio by games".to_owned(),
            x_label: "games".to_owned(),
            y_label: "LLR".to_owned(),
            series: vec![
                course,
                bound(format!("{upper:.2}: accept {}", rule.sprt.elo1), upper, 3),
                bound(format!("{lower:.2}: accept {}", rule.sprt.elo0), lower, 2),
            ],
            ..Chart::default()
        };
        let sees = match rule.sprt.model {
            Model::Cutechess => "single games, as cutechess-cli does",
            _ if self.survey.standings.tests_pairs(&rule.sprt, rule.by_pairs) => "pairs of games",
            _ => "single games",
        };
        let text = format!("{}. The test counts {sees}.", self.test_line()?);
        let mut blocks = vec![Block::Text(text)];
        blocks.extend(self.left_out_line().map(Block::Text));
        blocks.push(Block::Chart(chart));
        Some(Section::new("Sequential test", blocks))
    }

    fn conditions_blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let facts = self.conditions();
        if !facts.is_empty() {
            blocks.push(Block::Facts(facts));
        }
        blocks.extend(filled(self.players_table()));
        blocks
    }

    fn endings_blocks(&self) -> Vec<Block> {
        let standings = &self.survey.standings;
        let white = standings.white();
        let mut blocks: Vec<Block> = filled(tables::endings(self.players(), standings)).into_iter().collect();
        if standings.games() > 0 {
            let text = format!("White: +{} ={} -{}", white.wins, white.draws, white.losses);
            blocks.push(Block::Text(text));
        }
        let mut forfeits = Table::new("Forfeits", &["Game", "Ending", "What happened"]);
        for forfeit in self.survey.forfeits().iter().take(FORFEITS) {
            forfeits.row([forfeit.game.to_string(), forfeit.ending.to_string(), forfeit.reason.clone()]);
        }
        let all = standings.forfeited();
        if all > forfeits.rows.len() as u64 {
            forfeits.title = format!("{all} forfeits, the first of them");
        }
        blocks.extend(folded(forfeits));
        blocks
    }

    fn engine_blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = filled(tables::engines(self.survey)).into_iter().collect();
        if self.players().len() == 2 {
            blocks.extend(tables::speeds(self.survey).into_iter().map(Block::Text));
        }
        blocks.extend(filled(tables::phases(self.survey)));
        blocks
    }

    fn opening_blocks(&self) -> Vec<Block> {
        let table = Table { title: self.openings_title(), ..tables::openings(self.survey, self.openings) };
        let mut blocks: Vec<Block> = filled(table).into_iter().collect();
        blocks.extend(folded(tables::pairs(self.survey)));
        blocks
    }

    fn games_section(&self) -> Option<Section> {
        let games = self.survey.shown.games();
        if games.is_empty() {
            return None;
        }
        let list = self.survey.openings.list();
        let openings: std::collections::BTreeMap<String, &str> = games
            .iter()
            .filter_map(|game| {
                let number = usize::try_from(game["o"].as_u64()?).ok()?;
                Some((number.to_string(), list.get(number)?.name.as_str()))
            })
            .collect();
        let data = json!({ "players": self.players(), "games": games, "openings": openings });
        let widget = Widget {
            data_id: "games-data",
            data: data.to_string(),
            markup: include_str!("viewer.html"),
            styles: &[include_str!("board.css"), include_str!("viewer.css")],
            script: script!("viewer.js"),
        };
        Some(Section::new("Games", vec![Block::Text(self.shown_text(games.len())), Block::Widget(widget)]))
    }

    /// Which of all games these are, `shown` of them.
    fn shown_text(&self, shown: usize) -> String {
        let (all, forfeits) = (self.survey.standings.games(), self.survey.standings.forfeited());
        let first = self.survey.shown.first_forfeits() as u64;
        if all == shown as u64 {
            return if shown == 1 { "The only game.".to_owned() } else { format!("All {shown} games.") };
        }
        let besides = match first {
            0 => String::new(),
            _ if first == forfeits => ", and those that ended by forfeit".to_owned(),
            1 => format!(", and the first of {forfeits} that ended by forfeit"),
            _ => format!(", and the first {first} of {forfeits} that ended by forfeit"),
        };
        let last = if shown == 1 { "the last one" } else { "the last ones" };
        format!("{shown} of {all} games: {last}{besides}.")
    }
}

/// Rows from which on a table is closed until the reader opens it.
const LONG: usize = 12;

/// A table that may be long, unless it is empty.
fn folded(table: Table) -> Option<Block> {
    if table.rows.len() > LONG { Some(Block::Fold(table)) } else { filled(table) }
}

/// A table, unless it is empty.
fn filled(table: Table) -> Option<Block> {
    (!table.rows.is_empty()).then_some(Block::Table(table))
}
