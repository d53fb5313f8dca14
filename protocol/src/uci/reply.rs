//! What we answer in UCI, as a type: `Display` writes a line, `FromStr` reads it back.

use crate::option::{OptionKind, OptionSpec};
use crate::wdl::Wdl;
use engine::report::Bound;
use engine::score::Reported;
use std::fmt;

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
