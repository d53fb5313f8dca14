//! What we answer in xboard's protocol, as a type: `Display` writes a line.
//!
//! xboard scans every line for words before it reads it ("not found", "Draw", a leading number), so texts are kept to
//! what is listed here.

use engine::report::Bound;
use engine::score::Reported;
use std::fmt;

/// A line to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `feature ...`.
    Feature(String),
    /// `move M`.
    Move(String),
    /// `Illegal move (REASON): M`.
    Illegal {
        /// Why.
        reason: &'static str,
        /// The move as sent.
        mv: String,
    },
    /// `Error (KIND): COMMAND`.
    Error {
        /// What is wrong.
        kind: String,
        /// The line as sent.
        command: String,
    },
    /// `1-0 {White mates}` and its like.
    Result {
        /// `1-0`, `0-1` or `1/2-1/2`.
        result: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// `offer draw`: an offer, or an offer accepted.
    OfferDraw,
    /// `resign`.
    Resign,
    /// `tellusererror TEXT`.
    TellUserError(String),
    /// `# TEXT`: for the debug log.
    Debug(String),
    /// `Hint: M`.
    Hint(String),
    /// A line of thinking.
    Line(Line),
    /// `stat01: ...`.
    Status(Status),
    /// `pong N`.
    Pong(i64),
    /// What the book says: nothing.
    NoBook,
}

/// A line of thinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Iteration in plies.
    pub depth: u32,
    /// Score for the engine.
    pub score: Reported,
    /// Exact or a bound.
    pub bound: Bound,
    /// Centiseconds so far.
    pub time: u64,
    /// Nodes so far.
    pub nodes: u64,
    /// Deepest line in plies.
    pub seldepth: u32,
    /// Nodes per second.
    pub nps: u64,
    /// Tablebase hits.
    pub tbhits: u64,
    /// The moves.
    pub pv: Vec<String>,
}

/// How far the search is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Centiseconds so far.
    pub time: u64,
    /// Nodes so far.
    pub nodes: u64,
    /// Iteration in plies.
    pub depth: u32,
    /// Root moves not yet searched in it.
    pub left: usize,
    /// Root moves.
    pub total: usize,
    /// The root move being searched.
    pub current: Option<String>,
}

/// xboard's scores: centipawns, or 100000 and the number of moves to the mate.
fn score(score: Reported) -> i64 {
    match score {
        Reported::Centipawns(centipawns) => centipawns.into(),
        Reported::Mate(moves) if moves > 0 => 100_000 + i64::from(moves),
        Reported::Mate(moves) => i64::from(moves) - 100_000,
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Feature(text) => write!(f, "feature {text}"),
            Reply::Move(mv) => write!(f, "move {mv}"),
            Reply::Illegal { reason, mv } => write!(f, "Illegal move ({reason}): {mv}"),
            Reply::Error { kind, command } => write!(f, "Error ({kind}): {command}"),
            Reply::Result { result, reason } => write!(f, "{result} {{{reason}}}"),
            Reply::OfferDraw => f.write_str("offer draw"),
            Reply::Resign => f.write_str("resign"),
            Reply::TellUserError(text) => write!(f, "tellusererror {text}"),
            Reply::Debug(text) => write!(f, "# {text}"),
            Reply::Hint(mv) => write!(f, "Hint: {mv}"),
            Reply::Line(line) => write!(f, "{line}"),
            Reply::Status(status) => write!(f, "{status}"),
            Reply::Pong(number) => write!(f, "pong {number}"),
            Reply::NoBook => f.write_str(" no book moves\n"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { depth, time, nodes, seldepth, nps, tbhits, .. } = self;
        write!(
            f,
            "{depth} {} {time} {nodes} {seldepth} {nps} {tbhits}\t{}",
            score(self.score),
            self.pv.join(" ")
        )?;
        match self.bound {
            Bound::Exact => Ok(()),
            Bound::Lower => f.write_str(" !"),
            Bound::Upper => f.write_str(" ?"),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Status { time, nodes, depth, left, total, .. } = self;
        write!(f, "stat01: {time} {nodes} {depth} {left} {total}")?;
        self.current.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}
