//! One self-contained page: style, pictures and scripts inside, nothing fetched from anywhere.
//!
//! A [`Page`] is a list of sections, a section a list of [`Block`]s, and this module is the only one that
//! turns them into HTML, so that every text is escaped in one place. Colours are CSS variables with a dark
//! set for readers who prefer it; text and its background have at least the contrast that WCAG 2.2 asks for
//! at level AA (4.5 to 1). Tables scroll in a box of their own, pictures have a form for narrow screens, and
//! nothing makes the page itself wider than the screen.

use super::{Chart, Download, Findings, Intervals, Matrix, Report, Strip, Table, download, escape};

/// What stands on a page, from top to bottom.
#[derive(Clone, Debug)]
pub enum Block {
    /// The main result: one sentence in large type, and one below it.
    Verdict(String, String),
    /// A paragraph.
    Text(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// A long table, closed until the reader opens it.
    Fold(Table),
    /// A table of everybody against everybody.
    Matrix(Matrix),
    /// Curves.
    Chart(Chart),
    /// Values with their intervals.
    Intervals(Intervals),
    /// Who did what when.
    Strip(Strip),
    /// Many findings, of which a reader can choose some.
    Findings(Findings),
    /// Files to keep.
    Downloads(Vec<Download>),
    /// Something with a script of its own.
    Widget(Widget),
}

/// A part of a page that a script brings to life. Its markup, style and script are trusted, its data are not.
#[derive(Clone, Debug)]
pub struct Widget {
    /// The name of the script element that holds the data.
    pub data_id: &'static str,
    /// The data, as JSON.
    pub data: String,
    /// HTML.
    pub markup: &'static str,
    /// CSS, in parts: those that several widgets have stand on a page once.
    pub styles: &'static [&'static str],
    /// JavaScript, run after the markup is there. While it plays something that a reader watches, an element of it has
    /// the attribute `data-busy`, and the page does not load itself again.
    pub script: &'static str,
}

/// A heading with what belongs to it.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading; none where it is empty.
    pub title: String,
    /// What stands below it.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section of these blocks.
    pub fn new(title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks }
    }
}

/// A page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The title.
    pub title: String,
    /// The sections. From four on they are listed at the top.
    pub sections: Vec<Section>,
    /// Where the figures come from.
    pub facts: Vec<(String, String)>,
    /// The last line.
    pub footer: String,
    /// Seconds after which the page loads itself again; 0 for never. A reader who does something on the page, or for
    /// whom a [`Widget`] does, is left alone until half a minute after.
    pub reload_seconds: u32,
}

/// Sections from which on a page lists them at its top.
const LISTED: usize = 4;

const STYLE: &str = include_str!("page.css");
const RELOAD: &str = include_str!("reload.js");

impl Page {
    /// The page as one HTML document.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut styles: Vec<&str> = Vec::new();
        for &style in self.widgets().flat_map(|widget| widget.styles) {
            if !styles.contains(&style) {
                styles.push(style);
            }
        }
        let styles = styles.concat();
        let sections: String = self.sections.iter().enumerate().map(|(i, s)| section(i, s)).collect();
        let fact = |(name, value): &(String, String)| format!("{}: {}<br>", escape(name), escape(value));
        let facts: String = self.facts.iter().map(fact).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\"><style>{STYLE}{styles}</style></head>\
             <body><header><h1>{title}</h1></header>{list}<main>{sections}</main><footer>{facts}{footer}</footer>{reload}</body>\
             </html>\n",
            list = self.list(),
            footer = escape(&self.footer),
            reload = self.reload()
        )
    }

    fn widgets(&self) -> impl Iterator<Item = &Widget> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Widget(widget) => Some(widget),
            _ => None,
        })
    }

    /// Links to the sections.
    fn list(&self) -> String {
        if self.sections.iter().filter(|section| !section.title.is_empty()).count() < LISTED {
            return String::new();
        }
        let link = |(i, section): (usize, &Section)| {
            let link = format!("<a href=\"#s{i}\">{}</a> ", escape(&section.title));
            if section.title.is_empty() { String::new() } else { link }
        };
        let links: String = self.sections.iter().enumerate().map(link).collect();
        format!("<nav aria-label=\"Sections\">{links}</nav>")
    }

    fn reload(&self) -> String {
        match self.reload_seconds {
            0 => String::new(),
            seconds => format!(
                "<noscript><meta http-equiv=\"refresh\" content=\"{seconds}\"></noscript>\
                 <script>const RELOAD_SECONDS={seconds};{RELOAD}</script>"
            ),
        }
    }
}

fn section(number: usize, section: &Section) -> String {
    let blocks: String = section.blocks.iter().map(block).collect();
    match section.title.as_str() {
        "" => format!("<section>{blocks}</section>"),
        title => format!("<section id=\"s{number}\"><h2>{}</h2>{blocks}</section>", escape(title)),
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Verdict(headline, detail) => {
            format!("<p class=\"verdict\">{}</p><p class=\"lead\">{}</p>", escape(headline), escape(detail))
        }
        Block::Text(text) => format!("<p>{}</p>", escape(text)),
        Block::Facts(facts) => {
            let fact = |(name, value): &(String, String)| {
                format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value))
            };
            format!("<dl>{}</dl>", facts.iter().map(fact).collect::<String>())
        }
        Block::Table(table) => table.html(),
        Block::Fold(table) => {
            let (title, rows) = (escape(&table.title), table.rows.len());
            let table = Table { title: String::new(), ..table.clone() };
            format!("<details><summary>{title} ({rows})</summary>{}</details>", table.html())
        }
        Block::Matrix(matrix) => matrix.html(),
        Block::Chart(chart) => chart.html(),
        Block::Intervals(intervals) => intervals.html(),
        Block::Strip(strip) => strip.html(),
        Block::Findings(findings) => findings.html(),
        Block::Downloads(files) => download::html(files),
        Block::Widget(widget) => format!(
            "{}<script type=\"application/json\" id=\"{}\">{}</script><script>{}</script>",
            widget.markup,
            widget.data_id,
            harmless(&widget.data),
            widget.script
        ),
    }
}

/// JSON that cannot end the script element it stands in: `<` occurs inside its strings only, where it may be
/// written as an escape.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The report as a page that ends with the line `footer`.
pub fn page(report: &Report, footer: &str) -> String {
    let mut blocks: Vec<Block> = report.notes.iter().cloned().map(Block::Text).collect();
    blocks.push(Block::Downloads(report.downloads.clone()));
    blocks.extend(report.charts.iter().cloned().map(Block::Chart));
    blocks.extend(report.findings.iter().cloned().map(Block::Findings));
    let tables = match &report.findings {
        Some(_) => Vec::new(),
        None => report.tables.iter().cloned().map(Block::Table).collect(),
    };
    let strips: Vec<Block> = report.strips.iter().cloned().map(Block::Strip).collect();
    let mut sections = vec![Section::new("", blocks)];
    sections.extend((!tables.is_empty()).then(|| Section::new("Tables", tables)));
    sections.extend((!strips.is_empty()).then(|| Section::new("Over time", strips)));
    let page = Page {
        title: report.title.clone(),
        sections,
        facts: report.facts.clone(),
        footer: footer.to_owned(),
        reload_seconds: 0,
    };
    page.html()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Series};

    const NASTY: &str = "</script><script>alert(1)</script><b a=\"x\" b='y'>&amp;";

    fn hostile_findings() -> Findings {
        let nasty = || NASTY.to_owned();
        let row = crate::Finding {
            id: nasty(),
            group: nasty(),
            claim: nasty(),
            source: nasty(),
            tag: 0,
            value: nasty(),
            details: vec![(nasty(), nasty())],
            interval: Some((1.0, f64::NAN, f64::INFINITY)),
            command: nasty(),
        };
        Findings {
            tags: vec![(nasty(), crate::Tone::Good)],
            sources: vec![(nasty(), nasty())],
            rows: vec![row],
        }
    }

    /// Every kind of block, every text of it hostile.
    fn blocks() -> Vec<Block> {
        let nasty = || NASTY.to_owned();
        let mut table = Table::new(NASTY, &[NASTY, "n"]);
        table.row([nasty(), "1".into()]);
        let series = Series { name: nasty(), points: vec![(0.0, 1.0), (1.0, 2.0)], ..Series::default() };
        let chart = Chart {
            title: nasty(),
            x_label: nasty(),
            y_label: nasty(),
            series: vec![series],
            ..Chart::default()
        };
        let cell = Cell { text: nasty(), tip: nasty(), shade: Some(0.5) };
        let matrix =
            Matrix { title: nasty(), rows: vec![nasty()], columns: vec![nasty()], cells: vec![vec![cell]] };
        let intervals =
            Intervals { title: nasty(), rows: vec![(nasty(), 1.0, 2.0), (nasty(), f64::NAN, f64::INFINITY)] };
        let widget = Widget {
            data_id: "d",
            data: format!("[\"{}\"]", NASTY.replace('"', "\\\"")),
            markup: "<p></p>",
            styles: &[],
            script: "0;",
        };
        vec![
            Block::Verdict(nasty(), nasty()),
            Block::Text(nasty()),
            Block::Facts(vec![(nasty(), nasty())]),
            Block::Table(table.clone()),
            Block::Fold(table),
            Block::Matrix(matrix),
            Block::Chart(chart),
            Block::Intervals(intervals),
            Block::Strip(Strip { title: nasty(), ..Strip::default() }),
            Block::Findings(hostile_findings()),
            Block::Downloads(vec![Download::new(NASTY, NASTY)]),
            Block::Widget(widget),
        ]
    }

    /// No text of a report becomes markup, and tags that are opened are closed in order.
    #[test]
    fn hostile_names_stay_text() {
        let section = || Section::new(NASTY, blocks());
        let page = Page {
            title: NASTY.into(),
            sections: vec![section(), section(), section(), section()],
            facts: vec![(NASTY.into(), NASTY.into())],
            footer: NASTY.into(),
            reload_seconds: 10,
        };
        let html = page.html();
        assert!(!html.contains("<b a") && !html.contains("<script>alert"));
        assert!(!html.contains("NaN") && !html.contains("inf\""));
        let mut open: Vec<&str> = Vec::new();
        // What stands inside script and style elements is no markup.
        let mut rest = html.split_once("<html").expect("there is a root").1;
        while let Some((_, tail)) = rest.split_once('<') {
            let (tag, after) = tail.split_once('>').expect("every < begins a tag");
            let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default();
            rest = after;
            if let Some(name) = name.strip_prefix('/') {
                if name != "html" {
                    assert_eq!(open.pop(), Some(name));
                }
            } else if matches!(name, "script" | "style") {
                let end = format!("</{name}>");
                rest = after.split_once(end.as_str()).expect("it is closed").1;
            } else if !tag.ends_with('/') && !matches!(name, "meta" | "br" | "input") {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    /// Contrast by the formula of WCAG 2.2: every colour of text on every background, in both sets.
    #[test]
    fn text_has_the_contrast_of_level_aa() {
        let luminance = |hex: &str| {
            let wide = |i: usize| i64::from_str_radix(&hex[1 + 2 * i..3 + 2 * i], 16).unwrap() as f64 / 255.0;
            let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            0.2126 * linear(wide(0)) + 0.7152 * linear(wide(1)) + 0.0722 * linear(wide(2))
        };
        let ratio = |a: &str, b: &str| {
            let (a, b) = (luminance(a), luminance(b));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        assert!((ratio("#000000", "#ffffff") - 21.0).abs() < 1e-9, "the formula's own example");
        let sets: Vec<&str> = STYLE.split(":root{").skip(1).collect();
        assert_eq!(sets.len(), 2, "a light and a dark set");
        for set in sets {
            let set = set.split_once('}').unwrap().0;
            let value = |name: &str| {
                let found = set.split(';').find_map(|pair| pair.trim().strip_prefix(&format!("--{name}:")));
                found.unwrap_or_else(|| panic!("no --{name}")).to_owned()
            };
            for back in ["back", "panel"] {
                for ink in ["ink", "soft", "link", "good", "bad"] {
                    let found = ratio(&value(ink), &value(back));
                    assert!(found >= 4.5, "--{ink} on --{back}: {found:.2}");
                }
            }
            for colour in 0..super::super::COLOURS.len() {
                let found = ratio(&value(&format!("c{colour}")), &value("back"));
                assert!(found >= 3.0, "graphics take 3 to 1: --c{colour} has {found:.2}");
            }
        }
    }
}
