//! What a study is shown by: tables, charts, strips of time, the page they stand on, and the intervals of its means.
//!
//! A study returns numbers; it puts them into a [`Report`], and the report writes itself as text, as comma-separated
//! values and as one HTML page that needs nothing from anywhere. Pictures are plain SVG. Nothing here knows chess.
#![forbid(unsafe_code)]

pub mod chart;
pub mod html;
pub mod stats;
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
    /// All that the tables say, and what they leave out, as one table of plain numbers for programs to read. None where
    /// the first table is that already.
    pub data: Option<Table>,
    /// Where the figures come from, by name: program, machine, date.
    pub facts: Vec<(String, String)>,
}

impl Report {
    /// For a terminal of `width` columns.
    pub fn text(&self, width: u16) -> String {
        let mut parts = vec![self.title.clone()];
        parts.extend(self.notes.iter().cloned());
        parts.extend(self.tables.iter().map(|table| table.text(width)));
        let facts: Vec<String> = self.facts.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        parts.extend((!facts.is_empty()).then(|| facts.join("\n")));
        parts.join("\n\n")
    }

    /// One table, which any reader of CSV takes: [`Report::data`], or the first of the others. Before it, as comment lines,
    /// title and facts.
    pub fn csv(&self) -> String {
        let title = format!("# {}\n", self.title);
        let table = self.data.as_ref().or(self.tables.first());
        title + &comment(&self.facts) + &table.map(Table::csv).unwrap_or_default()
    }
}

/// Facts as lines that begin with `# `, for the head of a file of comma-separated values.
pub fn comment(facts: &[(String, String)]) -> String {
    let line = |(name, value): &(String, String)| format!("# {name}: {}\n", value.replace(['\n', '\r'], " "));
    facts.iter().map(line).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csv_file_holds_one_table_whose_rows_are_equally_long() {
        let mut table = Table::new("shown", &["name", "nodes"]);
        table.row(["a".into(), table::count(1_234_567)]);
        let facts = vec![("program".to_owned(), "x\n1".to_owned())];
        let mut report = Report { title: "T".into(), tables: vec![table], facts, ..Report::default() };
        assert_eq!(report.csv(), "# T\n# program: x 1\nname,nodes\na,1234567\n");
        report.data = Some(Table::new("data", &["name", "nodes", "more"]));
        assert_eq!(report.csv(), "# T\n# program: x 1\nname,nodes,more\n");
    }
}
