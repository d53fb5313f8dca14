//! A table of everybody against everybody, legible with twenty rows: short cells, shaded by their value, the
//! names in a first column that stays in place while the rest scrolls.

use super::escape;

/// One cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What stands in it.
    pub text: String,
    /// What is shown when one points at it.
    pub tip: String,
    /// From -1 (bad) to 1 (good) for its shade; `None` for a cell that has no value.
    pub shade: Option<f64>,
}

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// What it is, for readers that do not see it.
    pub title: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns, short ones.
    pub columns: Vec<String>,
    /// Row by row, as many in each as there are columns.
    pub cells: Vec<Vec<Cell>>,
}

/// The strongest shade in per cent: text on it keeps its contrast.
const STRONGEST: f64 = 22.0;

impl Matrix {
    /// As HTML.
    pub fn html(&self) -> String {
        let heads: String =
            self.columns.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
        let row = |(name, cells): (&String, &Vec<Cell>)| {
            let cells: String = cells.iter().map(cell).collect();
            let name = escape(name);
            format!("<tr><th scope=\"row\" title=\"{name}\">{name}</th>{cells}</tr>")
        };
        let rows: String = self.rows.iter().zip(&self.cells).map(row).collect();
        format!(
            "<div class=\"t m\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr><td></td>{heads}\
             </tr></thead><tbody>{rows}</tbody></table></div>",
            escape(&self.title)
        )
    }
}

fn cell(cell: &Cell) -> String {
    let shade = match cell.shade {
        None => " class=\"x\"".to_owned(),
        Some(value) => {
            let class = if value >= 0.0 { "p" } else { "q" };
            format!(" class=\"{class}\" style=\"--s:{:.0}\"", value.abs().min(1.0) * STRONGEST)
        }
    };
    format!("<td{shade} title=\"{}\">{}</td>", escape(&cell.tip), escape(&cell.text))
}
