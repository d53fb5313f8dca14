//! The page: one HTML file with its style, its program and its data inside.

use super::Shown;
use super::data::{Packed, Tree};
use super::{MAX_NODES, MAX_STEPS, Recorded};
use serde::Serialize;

const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const PROGRAM: &str = include_str!("page.js");

#[derive(Serialize)]
struct Data<'a> {
    depth: u32,
    tree: &'a Tree,
    searches: Vec<Search<'a>>,
}

#[derive(Serialize)]
struct Search<'a> {
    #[serde(flatten)]
    recorded: &'a Recorded,
    #[serde(flatten)]
    packed: &'a Packed,
}

/// The page that replays `shown`; `facts` say where it comes from.
pub fn page(shown: &Shown, title: &str, facts: &[(String, String)]) -> serde_json::Result<String> {
    let searches = shown.searches.iter().map(|recorded| Search { recorded, packed: &recorded.packed });
    let data = Data { depth: shown.depth, tree: &shown.drawn, searches: searches.collect() };
    // Inside a script element `</` must not occur.
    let data = serde_json::to_string(&data)?.replace("</", "<\\/");
    let facts: String =
        facts.iter().map(|(name, value)| format!("{}: {}<br>", escape(name), escape(value))).collect();
    let plies = if shown.depth == 1 { "ply" } else { "plies" };
    let tree = format!("{}, {} {plies}, {} nodes", shown.tree, shown.depth, shown.nodes);
    let limits = format!("At most {MAX_NODES} nodes and {MAX_STEPS} steps.");
    // The data come last: what they contain is not searched for places to fill.
    Ok(HTML
        .replace("{{title}}", &escape(title))
        .replace("{{tree}}", &escape(&tree))
        .replace("{{facts}}", &(facts + &limits))
        .replace("{{style}}", STYLE)
        .replace("{{program}}", PROGRAM)
        .replace("{{data}}", &data))
}

/// `text` with the characters that mean something in HTML made harmless.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
