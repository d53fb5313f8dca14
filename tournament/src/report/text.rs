//! A report for a terminal.

use super::{Report, tables};
use crate::stats::ratings::Field;
use crate::summary::match_lines;

/// Players up to which all their meetings are listed.
const MEETINGS: usize = 6;
/// Forfeits listed with their reasons.
const FORFEITS: usize = 20;

impl Report<'_> {
    /// The report in lines, its tables `width` columns wide at most.
    #[must_use]
    pub fn text(&self, width: u16) -> String {
        let (survey, standings) = (self.survey, &self.survey.standings);
        let field = self.field();
        let mut parts = vec![format!("{}\n{}\n{}", self.event, self.headline(&field), self.detail())];
        let mut table = |table: figures::Table| {
            if !table.rows.is_empty() {
                parts.push(table.text(width).trim_start().to_owned());
            }
        };
        table(tables::standings(self.players(), standings, &field, self.scale(&field)));
        if self.players().len() > 2 {
            if tables::no_crosstable(self.players()).is_none() {
                table(tables::crosstable_text(self.players(), standings));
            }
            if self.players().len() <= MEETINGS {
                table(tables::meetings(survey));
            }
        }
        table(figures::Table {
            title: "How games ended".to_owned(),
            ..tables::endings(self.players(), standings)
        });
        table(figures::Table { title: "Engines".to_owned(), ..tables::engines(survey) });
        table(tables::phases(survey));
        table(figures::Table { title: self.openings_title(), ..tables::openings(survey, self.openings) });
        table(tables::pairs(survey));
        parts.push(self.lines(&field).join("\n"));
        parts.join("\n\n")
    }

    /// `Openings: 120, of which the 20 with most games are`.
    pub(super) fn openings_title(&self) -> String {
        let all = self.survey.openings.list().len();
        if all > self.openings {
            format!("Openings: {} of {all}", self.openings)
        } else {
            "Openings".to_owned()
        }
    }

    fn lines(&self, field: &Field) -> Vec<String> {
        let standings = &self.survey.standings;
        let mut lines: Vec<String> =
            field.no_interval.iter().map(|reason| format!("Elo: {reason}.")).collect();
        lines.extend(tables::no_crosstable(self.players()));
        lines.extend(standings.byes(self.players()));
        lines.extend(match_lines(self.players(), standings));
        lines.extend(self.test_line());
        lines.extend(self.left_out_line());
        let white = standings.white();
        lines.push(format!("White: +{} ={} -{}", white.wins, white.draws, white.losses));
        if self.players().len() == 2 {
            lines.extend(tables::speeds(self.survey));
        }
        let forfeits = self.survey.forfeits().iter().take(FORFEITS);
        let more = standings.forfeited().saturating_sub(forfeits.len() as u64);
        lines.extend(forfeits.map(|f| format!("Game {}: {}", f.game, f.told())));
        if more > 0 {
            lines.push(format!("... and {}", crate::wording::counted(more, "more forfeit")));
        }
        lines.extend(self.notes.iter().map(|note| format!("Note: {note}")));
        lines.push(format!("Report by {}", self.provenance));
        lines
    }
}
