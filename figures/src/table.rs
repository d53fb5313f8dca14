//! A table of words and numbers: text by comfy-table, CSV, and HTML.

use super::{clipped, escape};
use comfy_table::{CellAlignment, ContentArrangement, TableComponent, presets};

/// Characters from which on a cell is long.
const LONG: usize = 40;

/// Characters of a cell that a terminal shows: comfy-table needs a time that grows with their square. A command with
/// its options has fewer.
const SHOWN: usize = 2000;

/// Between thousands: a narrow blank at which no line breaks. It stands nowhere else, and CSV leaves it out.
const THOUSANDS: char = '\u{202f}';

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
        let numeric = |cell: &str| {
            // Marks, also those of a bound and of what is not known, make no word of a number.
            let marks = ['-', '+', '±', '.', ' ', '<', '>', '?', THOUSANDS];
            let cell = cell.trim_end_matches('%').replace(marks, "");
            cell.parse::<u64>().is_ok() || matches!(cell.as_str(), "" | "∞")
        };
        let mut cells = self.rows.iter().map(|row| row[column].as_str()).filter(|cell| !cell.is_empty());
        cells.by_ref().all(numeric)
    }

    /// For a terminal. Rows with long cells, which may be broken, are kept apart by lines; of a cell of more than 2,000
    /// characters the beginning is shown.
    pub fn text(&self, width: u16) -> String {
        let shown =
            |cells: &Vec<String>| -> Vec<String> { cells.iter().map(|cell| clipped(cell, SHOWN)).collect() };
        let mut table = comfy_table::Table::new();
        table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_header(shown(&self.headings)).set_width(width);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        if self.rows.iter().flatten().all(|cell| cell.chars().count() <= LONG) {
            table.remove_style(TableComponent::HorizontalLines);
            table.remove_style(TableComponent::MiddleIntersections);
        }
        table.add_rows(self.rows.iter().map(shown));
        for (i, column) in table.column_iter_mut().enumerate() {
            if self.is_numeric(i) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{}\n{table}", self.title)
    }

    /// Comma-separated, headings first. Numbers are plain.
    pub fn csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.replace(THOUSANDS, ""),
        };
        let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",");
        std::iter::once(&self.headings).chain(&self.rows).map(|cells| line(cells) + "\n").collect()
    }

    /// As an HTML table in a box that scrolls where the screen is narrower.
    pub fn html(&self) -> String {
        let numeric: Vec<bool> = (0..self.headings.len()).map(|column| self.is_numeric(column)).collect();
        let class = |i: usize, text: &str| match (numeric[i], text.chars().count() > LONG) {
            (true, _) => " class=\"n\"",
            (false, true) => " class=\"w\"",
            (false, false) => "",
        };
        let head =
            |(i, text): (usize, &String)| format!("<th scope=\"col\"{}>{}</th>", class(i, ""), escape(text));
        let heads: String = self.headings.iter().enumerate().map(head).collect();
        let cell = |(i, text): (usize, &String)| format!("<td{}>{}</td>", class(i, text), escape(text));
        let row = |cells: &Vec<String>| {
            format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
        };
        let rows: String = self.rows.iter().map(row).collect();
        let title = escape(&self.title);
        let heading = if title.is_empty() { String::new() } else { format!("<h3>{title}</h3>") };
        format!(
            "{heading}<div class=\"t\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>{heads}\
             </tr></thead><tbody>{rows}</tbody></table></div>",
            if title.is_empty() { "Table" } else { &title }
        )
    }
}

/// A number of things in English: 1 game, 2 games; `what` is the singular.
pub fn counted(number: impl Into<u64>, what: &str) -> String {
    let number = number.into();
    format!("{number} {}", plural(number, what))
}

/// The word for so many things: `what` itself for one, otherwise its plural.
pub fn plural(number: u64, what: &str) -> String {
    let hissing = ["s", "sh", "ch", "x"].iter().any(|end| what.ends_with(end)) && what != "epoch";
    match what.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        _ if number == 1 => what.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None if hissing => format!("{what}es"),
        None => format!("{what}s"),
    }
}

/// The two ends of an interval with so many places, or a dash where there is none.
pub fn interval(low: f64, high: f64, places: usize) -> String {
    if low.is_nan() { "-".to_owned() } else { format!("{} - {}", fixed(low, places), fixed(high, places)) }
}

/// A number with so many places, nothing where it is not known (NaN); what is rounded to nothing has no minus sign.
pub fn fixed(number: f64, places: usize) -> String {
    if number.is_nan() {
        return String::new();
    }
    let text = format!("{number:.places$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

/// A whole number with its thousands apart.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(THOUSANDS);
        }
        text.push(digit);
    }
    text
}

/// A number with its sign and so many decimals; what rounds to zero has no minus.
pub fn signed(x: f64, decimals: usize) -> String {
    let text = fixed(x, decimals);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        for (number, what, wanted) in [
            (1, "game", "1 game"),
            (0, "game", "0 games"),
            (2, "ply", "2 plies"),
            (1, "ply", "1 ply"),
            (3, "pass", "3 passes"),
            (3, "search", "3 searches"),
            (3, "epoch", "3 epochs"),
            (2, "play", "2 plays"),
        ] {
            assert_eq!(counted(number as u64, what), wanted);
        }
    }

    #[test]
    fn nothing_has_no_minus_sign() {
        for (number, places, wanted) in
            [(-0.04, 1, "0.0"), (-0.06, 1, "-0.1"), (0.04, 1, "0.0"), (-0.4, 0, "0"), (-10.0, 1, "-10.0")]
        {
            assert_eq!(fixed(number, places), wanted);
        }
    }

    #[test]
    fn a_change_has_a_sign_and_no_change_no_minus() {
        assert_eq!([-0.04, 0.0, -0.06, 2.0].map(|x| signed(x, 1)), ["+0.0", "+0.0", "-0.1", "+2.0"]);
    }

    /// Names come from files. Broken into lines of a few letters, a cell of sixty thousand takes minutes.
    #[test]
    fn a_terminal_shows_the_beginning_of_a_cell_without_end() {
        for (letters, shown) in [(2000, 2000), (2001, 1999), (60_000, 1999)] {
            let long = "y".repeat(letters);
            let mut table = Table::new("T", &["name", long.as_str()]);
            table.row([long.clone(), "1".into()]);
            let text = table.text(40);
            let found = text.matches('y').count();
            assert_eq!((found, text.matches('…').count()), (2 * shown, if letters > shown { 2 } else { 0 }));
            // What programs read is whole.
            assert_eq!(table.csv(), format!("name,{long}\n{long},1\n"));
        }
    }

    /// A number without its error, a bound and what is not known stand with the numbers of their column.
    #[test]
    fn numbers_stand_flush_right_whatever_is_known_of_them() {
        let is_numeric = |cells: [&str; 2]| {
            let mut table = Table::new("T", &["n"]);
            cells.iter().for_each(|&cell| table.row([cell.to_owned()]));
            table.is_numeric(0)
        };
        for cells in [["+190.8 ± ?", "-30.5 ± 12.0"], ["> +280", "+∞ ± ?"], ["-", "1\u{202f}234"], ["?", ""]]
        {
            assert!(is_numeric(cells), "{cells:?}");
        }
        for cells in [["e4", "12"], ["2½/4", "1"]] {
            assert!(!is_numeric(cells), "{cells:?}");
        }
    }

    #[test]
    fn cells_survive_every_form() {
        let mut table = Table::new("T", &["name", "n"]);
        table.row(["a,\"b\" <c>".into(), count(1_234_567)]);
        assert_eq!(table.csv(), "name,n\n\"a,\"\"b\"\" <c>\",1234567\n");
        let number = "1\u{202f}234\u{202f}567";
        let cells = format!("<td>a,&quot;b&quot; &lt;c&gt;</td><td class=\"n\">{number}</td>");
        assert!(table.html().contains(&cells));
        assert!(table.text(80).contains(number));
    }
}
