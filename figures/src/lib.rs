//! What a study is shown by: tables, charts, strips of time, and the page they stand on.
//!
//! A study returns numbers; it puts them into a [`Report`], and the report writes itself as text, as comma-separated
//! values and as one HTML page that needs nothing from anywhere. Pictures are plain SVG. Nothing here knows chess.
#![forbid(unsafe_code)]

pub mod chart;
pub mod html;
pub mod strip;
pub mod table;

pub use chart::{Chart, Scale, Series};
pub use strip::{Bar, Lane, Strip};
pub use table::Table;

/// A study's result, ready to be written in any form.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was studied.
    pub title: String,
    /// Sentences that go before the tables.
    pub notes: Vec<String>,
    /// Pictures of curves.
    pub charts: Vec<Chart>,
    /// Pictures of who did what when.
    pub strips: Vec<Strip>,
    /// Tables.
    pub tables: Vec<Table>,
}

impl Report {
    /// For a terminal of `width` columns.
    pub fn text(&self, width: u16) -> String {
        let mut parts = vec![self.title.clone()];
        parts.extend(self.notes.iter().cloned());
        parts.extend(self.tables.iter().map(|table| table.text(width)));
        parts.join("\n\n")
    }

    /// All tables, one after the other, each with its heading as a comment line.
    pub fn csv(&self) -> String {
        self.tables.iter().map(Table::csv).collect::<Vec<_>>().join("\n")
    }
}

/// Colours that stay apart for colour-blind eyes (after Okabe and Ito, and Paul Tol), the first nearly black.
pub(crate) const COLOURS: [&str; 12] = [
    "#222222", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#882255", "#44aa99",
    "#999933", "#6a3d9a", "#777777",
];

/// `text` with the characters that mean something in HTML and SVG made harmless.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
