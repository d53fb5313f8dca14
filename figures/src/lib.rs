//! What results are shown by: tables, charts, strips of time, the page they stand on, and the intervals of means.
//!
//! A study returns numbers; it puts them into a [`Report`], and the report writes itself as text, as comma-separated
//! values and as one HTML page that needs nothing from anywhere. What needs more than that builds its own
//! [`html::Page`] of blocks. Pictures are plain SVG. Nothing here knows chess.
#![forbid(unsafe_code)]

mod caption;
pub mod chart;
pub mod download;
pub mod findings;
pub mod html;
pub mod intervals;
pub mod matrix;
pub mod stats;
pub mod strip;
pub mod table;

pub use chart::{Chart, Scale, Series};
pub use download::Download;
pub use findings::{Finding, Findings, Tone};
pub use html::{Block, Page, Section, Widget};
pub use intervals::Intervals;
pub use matrix::{Cell, Matrix};
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
    /// What a page shows instead of the tables, if there are so many findings that one must be able to
    /// choose.
    pub findings: Option<Findings>,
    /// What a page offers to keep.
    pub downloads: Vec<Download>,
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

    /// The pictures of curves as files of their own: below each the notes, and where the figures come from.
    pub fn pictures(&self) -> Vec<String> {
        let caption = self.caption();
        self.charts.iter().map(|chart| chart.svg(&caption)).collect()
    }

    /// The pictures of who did what when, likewise.
    pub fn strip_pictures(&self) -> Vec<String> {
        let caption = self.caption();
        self.strips.iter().map(|strip| strip.svg(&caption)).collect()
    }

    fn caption(&self) -> Vec<String> {
        let facts: Vec<String> = self.facts.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        self.notes.iter().cloned().chain((!facts.is_empty()).then(|| facts.join("; "))).collect()
    }

    /// One table, which any reader of CSV takes: [`Report::data`], or the first of the others. Before it, as
    /// comment lines, title and facts.
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

/// Colours that stay apart for colour-blind eyes (after Okabe and Ito, and Paul Tol), the first nearly black;
/// each has a contrast of at least 3 to white. `page.css` has the same and a set for dark pages.
pub(crate) const COLOURS: [&str; 12] = [
    "#222222", "#0072b2", "#c85200", "#007d5c", "#b5558a", "#8a6d00", "#2f8fc9", "#882255", "#2c8c7c",
    "#7f7f1f", "#6a3d9a", "#6f6f6f",
];

/// What a picture is drawn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// A file of its own: white paper.
    Paper,
    /// A page, whose style says what is light and what is dark.
    Page,
}

impl Ground {
    /// The colour of this number.
    pub(crate) fn colour(self, number: usize) -> String {
        let number = number % COLOURS.len();
        match self {
            Self::Paper => COLOURS[number].to_owned(),
            Self::Page => format!("var(--c{number})"),
        }
    }

    /// Lines that only guide the eye.
    pub(crate) fn rule(self) -> &'static str {
        if self == Self::Paper { "#ddd" } else { "var(--rule)" }
    }

    /// Lines that mark a zero, and ticks.
    pub(crate) fn strong_rule(self) -> &'static str {
        if self == Self::Paper { "#888" } else { "var(--soft)" }
    }

    /// What lies behind everything.
    pub(crate) fn backdrop(self, width: f64, height: f64) -> String {
        match self {
            Self::Paper => format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"),
            Self::Page => String::new(),
        }
    }
}

/// Writes more of a picture.
pub(crate) fn add(svg: &mut String, text: std::fmt::Arguments<'_>) {
    std::fmt::Write::write_fmt(svg, text).expect("writing to a string does not fail");
}

/// A text of at most so many characters: of a longer one the beginning, with `…` behind it.
pub(crate) fn clipped(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// `text` with the characters that mean something in HTML and SVG made harmless.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No reader of HTML takes control characters.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
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
