//! A table of words and numbers: text by comfy-table, CSV, and HTML.

use super::escape;
use comfy_table::{CellAlignment, ContentArrangement, TableComponent, presets};

/// Characters from which on a cell is long.
const LONG: usize = 40;

/// Rows under headings. Columns in which every cell is a number are set flush right.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The heading above.
    pub title: String,
    /// Column headings.
    pub headings: Vec<String>,
    /// Cells, row by row, as many in each as there are headings.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows yet.
    pub fn new(title: impl Into<String>, headings: &[&str]) -> Self {
        let headings = headings.iter().map(|&h| h.to_owned()).collect();
        Self { title: title.into(), headings, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    fn is_numeric(&self, column: usize) -> bool {
        let numeric =
            |cell: &str| cell.trim_end_matches('%').replace(['-', '.', ' '], "").parse::<u64>().is_ok();
        let mut cells = self.rows.iter().map(|row| row[column].as_str()).filter(|cell| !cell.is_empty());
        cells.by_ref().all(numeric)
    }

    /// For a terminal. Rows with long cells, which may be broken, are kept apart by lines.
    pub fn text(&self, width: u16) -> String {
        let mut table = comfy_table::Table::new();
        table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_header(&self.headings).set_width(width);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        if self.rows.iter().flatten().all(|cell| cell.chars().count() <= LONG) {
            table.remove_style(TableComponent::HorizontalLines);
            table.remove_style(TableComponent::MiddleIntersections);
        }
        table.add_rows(&self.rows);
        for (i, column) in table.column_iter_mut().enumerate() {
            if self.is_numeric(i) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{}\n{table}", self.title)
    }

    /// Comma-separated, after a comment line with the title.
    pub fn csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = self.rows.iter().map(line).collect();
        format!("# {}\n{}\n{}\n", self.title, line(&self.headings), rows.join("\n"))
    }

    /// As an HTML table.
    pub fn html(&self) -> String {
        let heads: String = self.headings.iter().map(|h| format!("<th>{}</th>", escape(h))).collect();
        let cell = |(i, text): (usize, &String)| {
            let class = if self.is_numeric(i) { " class=\"n\"" } else { "" };
            format!("<td{class}>{}</td>", escape(text))
        };
        let row = |cells: &Vec<String>| {
            format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
        };
        let rows: String = self.rows.iter().map(row).collect();
        format!(
            "<h2>{}</h2><div class=\"t\"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
            escape(&self.title)
        )
    }
}

/// A whole number with its thousands apart.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_survive_every_form() {
        let mut table = Table::new("T", &["name", "n"]);
        table.row(["a,\"b\" <c>".into(), count(1_234_567)]);
        assert_eq!(table.csv(), "# T\nname,n\n\"a,\"\"b\"\" <c>\",1 234 567\n");
        assert!(table.html().contains("<td>a,&quot;b&quot; &lt;c&gt;</td><td class=\"n\">1 234 567</td>"));
        assert!(table.text(80).contains("1 234 567"));
    }
}
