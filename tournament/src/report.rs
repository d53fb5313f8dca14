//! The report: one self-contained HTML page with inline SVG.

use crate::record::GameRecord;
use crate::runner::StopRule;
use crate::standings::Standings;
use crate::summary::Summary;

/// What happened over time, for the plots.
#[derive(Debug, Clone, Default)]
pub struct Course {
    llr: Vec<(u64, f64)>,
}

impl Course {
    /// Takes in a finished game and the standings after it.
    pub fn add(&mut self, _game: &GameRecord, standings: &Standings, stop_rule: Option<StopRule>) {
        if let Some(rule) = stop_rule {
            self.llr.push((standings.games(), standings.llr(&rule.sprt, rule.by_pairs)));
        }
    }
}

/// The page.
#[must_use]
pub fn page(summary: &Summary, _course: &Course) -> String {
    summary.text()
}
