//! One self-contained page: style and pictures inside, nothing fetched from anywhere.

use super::{Report, escape};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;\
color:#222;background:#fff}h1{font-size:1.5em}h2{font-size:1.1em;margin-top:2em}.t{overflow-x:auto}\
table{border-collapse:collapse;font-size:13px}th,td{padding:.25em .7em;border-bottom:1px solid #ddd;\
text-align:left;vertical-align:top}th{border-bottom:2px solid #888}td.n{text-align:right;\
font-variant-numeric:tabular-nums;white-space:nowrap}svg{max-width:100%;height:auto;margin:1em 0}\
footer{color:#666;margin-top:3em;font-size:12px}";

/// The report as a page that ends with the line `footer`.
pub fn page(report: &Report, footer: &str) -> String {
    let title = escape(&report.title);
    let footer = escape(footer);
    let notes: String = report.notes.iter().map(|note| format!("<p>{}</p>", escape(note))).collect();
    let charts: String = report.charts.iter().map(|chart| chart.svg()).collect();
    let strips: String = report.strips.iter().map(|strip| strip.svg()).collect();
    let fact = |(name, value): &(String, String)| format!("{}: {}<br>", escape(name), escape(value));
    let facts: String = report.facts.iter().map(fact).collect();
    let tables: String = report.tables.iter().map(|table| table.html()).collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\
         <h1>{title}</h1>{notes}{charts}{tables}{strips}<footer>{facts}{footer}</footer></body></html>\n"
    )
}
