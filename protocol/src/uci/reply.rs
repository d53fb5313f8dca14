//! What we answer in UCI, as a type: `Display` writes a line, `FromStr` reads it back.

use crate::option::{OptionKind, OptionSpec};
use client::fields::Fields;
use std::fmt;
use std::str::FromStr;
use thinking::report::Bound;
use thinking::score::{Reported, Wdl};

/// A line to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name ...`.
    Name(String),
    /// `id author ...`.
    Author(String),
    /// `option name ... type ...`.
    Option(OptionSpec),
    /// `uciok`.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `bestmove ...`.
    BestMove {
        /// The move, or `None` where there is none.
        best: Option<String>,
        /// The answer we expect.
        ponder: Option<String>,
    },
    /// `info depth ... pv ...`.
    Line(Line),
    /// `info depth D currmove M currmovenumber N`.
    CurrentMove {
        /// Iteration.
        depth: u32,
        /// The root move being searched.
        current: String,
        /// Its number, from 1.
        number: usize,
    },
    /// `info string ...`: anything for a human.
    Text(String),
}

/// A line of thinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Iteration in plies.
    pub depth: u32,
    /// Deepest line in plies.
    pub seldepth: u32,
    /// Rank, from 1.
    pub multipv: usize,
    /// Score for the side to move.
    pub score: Reported,
    /// Exact or a bound.
    pub bound: Bound,
    /// Chances, where asked for.
    pub wdl: Option<Wdl>,
    /// Nodes so far.
    pub nodes: u64,
    /// Nodes per second.
    pub nps: u64,
    /// Per mille of the table used.
    pub hashfull: u32,
    /// Tablebase hits.
    pub tbhits: u64,
    /// Milliseconds so far.
    pub time: u64,
    /// The moves.
    pub pv: Vec<String>,
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Name(name) => write!(f, "id name {name}"),
            Reply::Author(author) => write!(f, "id author {author}"),
            Reply::Option(spec) => write_option(spec, f),
            Reply::UciOk => f.write_str("uciok"),
            Reply::ReadyOk => f.write_str("readyok"),
            Reply::BestMove { best, ponder } => {
                write!(f, "bestmove {}", best.as_deref().unwrap_or("(none)"))?;
                ponder.iter().try_for_each(|ponder| write!(f, " ponder {ponder}"))
            }
            Reply::Line(line) => write!(f, "{line}"),
            Reply::CurrentMove { depth, current, number } => {
                write!(f, "info depth {depth} currmove {current} currmovenumber {number}")
            }
            Reply::Text(text) => write!(f, "info string {text}"),
        }
    }
}

fn write_option(spec: &OptionSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "option name {} type ", spec.name)?;
    match &spec.kind {
        OptionKind::Check { default } => write!(f, "check default {default}"),
        OptionKind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
        OptionKind::Combo { default, values } => {
            write!(f, "combo default {default}")?;
            values.iter().try_for_each(|value| write!(f, " var {value}"))
        }
        OptionKind::Text { default } if default.is_empty() => f.write_str("string default <empty>"),
        OptionKind::Text { default } => write!(f, "string default {default}"),
        OptionKind::Button => f.write_str("button"),
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { depth, seldepth, multipv, score, nodes, nps, hashfull, tbhits, time, .. } = self;
        write!(f, "info depth {depth} seldepth {seldepth} multipv {multipv} score {score}")?;
        match self.bound {
            Bound::Exact => {}
            Bound::Lower => f.write_str(" lowerbound")?,
            Bound::Upper => f.write_str(" upperbound")?,
        }
        if let Some(Wdl { win, draw, loss }) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        write!(f, " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tbhits} time {time}")?;
        if self.pv.is_empty() { Ok(()) } else { write!(f, " pv {}", self.pv.join(" ")) }
    }
}

/// The line is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a UCI reply: {0}")]
pub struct NotAReply(String);

impl FromStr for Reply {
    type Err = NotAReply;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        read(line.trim()).ok_or_else(|| NotAReply(line.into()))
    }
}

fn read(line: &str) -> Option<Reply> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Some(match word {
        "id" => match rest.split_once(' ')? {
            ("name", name) => Reply::Name(name.into()),
            ("author", author) => Reply::Author(author.into()),
            _ => return None,
        },
        "option" => Reply::Option(read_option(rest)?),
        "uciok" => Reply::UciOk,
        "readyok" => Reply::ReadyOk,
        "bestmove" => {
            let mut words = rest.split_whitespace();
            let best = words.next().filter(|&word| word != "(none)" && word != "0000").map(String::from);
            let ponder = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
            Reply::BestMove { best, ponder: ponder.map(String::from) }
        }
        "info" => read_info(rest)?,
        _ => return None,
    })
}

fn read_option(text: &str) -> Option<OptionSpec> {
    let (name, rest) = text.strip_prefix("name ")?.split_once(" type ")?;
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let text = rest.strip_prefix("default ").unwrap_or_default();
    // The protocol lays down no order of these.
    let number = |name: &str| rest.split_whitespace().skip_while(|&word| word != name).nth(1)?.parse().ok();
    let kind = match kind {
        "check" => OptionKind::Check { default: if rest.is_empty() { false } else { text.parse().ok()? } },
        "spin" => OptionKind::Spin { default: number("default")?, min: number("min")?, max: number("max")? },
        "combo" => {
            let (before, after) = format!(" {rest}")
                .split_once(" default ")
                .map(|(before, after)| (before.to_owned(), after.to_owned()))?;
            let mut parts = after.split(" var ").map(String::from);
            let default = parts.next()?;
            let values = before.split(" var ").skip(1).map(String::from).chain(parts).collect();
            OptionKind::Combo { default, values }
        }
        "string" => OptionKind::Text { default: if text == "<empty>" { String::new() } else { text.into() } },
        "button" => OptionKind::Button,
        _ => return None,
    };
    Some(OptionSpec::new(name, kind))
}

/// Our own lines have no field that cannot be read.
fn read_info(rest: &str) -> Option<Reply> {
    let fields = Fields::read(rest);
    if let (Some(text), true) = (fields.string, rest.trim_start().starts_with("string")) {
        return Some(Reply::Text(text.into()));
    }
    if fields.fault.is_some() {
        return None;
    }
    if let (Some(current), Some(number), None) = (fields.currmove, fields.currmovenumber, fields.score) {
        let depth = fields.depth.unwrap_or_default();
        return Some(Reply::CurrentMove { depth, current: current.into(), number });
    }
    Some(Reply::Line(Line::of(&fields)))
}

impl Line {
    /// What the fields say, and nothing where they are silent.
    fn of(fields: &Fields) -> Self {
        let nothing = Line::empty();
        Line {
            depth: fields.depth.unwrap_or_default(),
            seldepth: fields.seldepth.unwrap_or_default(),
            multipv: fields.multipv.unwrap_or(nothing.multipv),
            score: fields.score.unwrap_or(nothing.score),
            bound: fields.bound.unwrap_or(nothing.bound),
            wdl: fields.wdl,
            nodes: fields.nodes.unwrap_or_default(),
            nps: fields.nps.unwrap_or_default(),
            hashfull: fields.hashfull.unwrap_or_default(),
            tbhits: fields.tbhits.unwrap_or_default(),
            time: fields.time.unwrap_or_default(),
            pv: fields.pv.iter().map(|&mv| mv.into()).collect(),
        }
    }

    /// Nothing known.
    pub(crate) fn empty() -> Self {
        Line {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score: Reported::Centipawns(0),
            bound: Bound::Exact,
            wdl: None,
            nodes: 0,
            nps: 0,
            hashfull: 0,
            tbhits: 0,
            time: 0,
            pv: Vec::new(),
        }
    }
}
