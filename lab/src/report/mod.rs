//! Reports from studies: a [`Report`] is tables, charts and sentences, written as text, CSV, HTML or JSON.

pub mod chart;
pub mod html;
pub mod studies;
pub mod table;

pub use chart::{Chart, Series};
pub use table::Table;

use serde::Serialize;

/// Version of the JSON documents; raised when a field changes its meaning or disappears.
pub const SCHEMA: u32 = 1;

/// A study's result, ready to be written in any form.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was studied.
    pub title: String,
    /// Sentences that go before the tables.
    pub notes: Vec<String>,
    /// Pictures.
    pub charts: Vec<Chart>,
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

/// One line of JSON: the study's own fields with `schema` and `study` before them.
pub fn json<T: Serialize>(study: &str, result: &T) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        schema: u32,
        study: &'a str,
        #[serde(flatten)]
        result: &'a T,
    }
    serde_json::to_string(&Document { schema: SCHEMA, study, result })
}

/// `text` with the characters that mean something in HTML and SVG made harmless.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
