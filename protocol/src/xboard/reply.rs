//! What we answer in xboard's protocol, as a type: `Display` writes a line, `FromStr` reads it
//! back.
//!
//! xboard scans every line for words before it reads it ("not found", "Draw", a leading number), so texts are
//! kept to what is listed here. What a user wrote, or the system said of a user's file, is in some of them:
//! it is made `harmless` where the line is written.

use std::fmt;
use std::str::FromStr;
use thinking::report::Bound;
use thinking::score::Reported;

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
        reason: String,
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
        result: String,
        /// Why.
        reason: String,
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
    /// What the book says: moves with their share of its games in per cent.
    Book(Vec<(String, u32)>),
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

/// What xboard takes for an engine that could not be started, wherever a line holds it, in the letters that it looks
/// for.
pub(crate) const FAILURES: [&str; 6] =
    ["not found", "No such file", "Permission denied", "unknown host", "No remote directory", "can't alloc"];

/// The system's sentence that begins with one of them.
const NO_SUCH_FILE: &str = "No such file or directory";

/// What xboard takes for a game that is drawn, likewise.
const DRAWN: &str = "draw";

/// What stands in place of a trigger. Nothing of it can be part of another.
const OMITTED: &str = "...";

/// No more of a text is told.
const LONGEST: usize = 200;

/// A text that may hold anything: in one line, no longer than a reader wants, and without what xboard would
/// act upon.
fn harmless(text: &str) -> String {
    let mut shown: String = text.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    for trigger in [NO_SUCH_FILE].into_iter().chain(FAILURES).chain([DRAWN]) {
        let trigger = trigger.to_ascii_lowercase();
        while let Some(at) = shown.to_ascii_lowercase().find(&trigger) {
            shown.replace_range(at..at + trigger.len(), OMITTED);
        }
    }
    shown
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
            Reply::Illegal { reason, mv } => {
                write!(f, "Illegal move ({}): {}", harmless(reason), harmless(mv))
            }
            Reply::Error { kind, command } => write!(f, "Error ({}): {}", harmless(kind), harmless(command)),
            Reply::Result { result, reason } => write!(f, "{result} {{{reason}}}"),
            Reply::OfferDraw => f.write_str("offer draw"),
            Reply::Resign => f.write_str("resign"),
            Reply::TellUserError(text) => write!(f, "tellusererror {}", harmless(text)),
            // xboard lets comments pass, whatever they say.
            Reply::Debug(text) => write!(f, "# {}", text.replace(char::is_control, " ")),
            Reply::Hint(mv) => write!(f, "Hint: {mv}"),
            Reply::Line(line) => write!(f, "{line}"),
            Reply::Status(status) => write!(f, "{status}"),
            Reply::Pong(number) => write!(f, "pong {number}"),
            Reply::Book(moves) if moves.is_empty() => f.write_str(" no book moves\n"),
            Reply::Book(moves) => moves.iter().try_for_each(|(mv, share)| writeln!(f, " {mv} {share}%")),
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

/// The line is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an xboard reply: {0}")]
pub struct NotAReply(String);

impl FromStr for Reply {
    type Err = NotAReply;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        read(line).ok_or_else(|| NotAReply(line.into()))
    }
}

fn read(line: &str) -> Option<Reply> {
    if line.trim_start().starts_with(|c: char| c.is_ascii_digit()) && line.contains('\t') {
        return read_line(line).map(Reply::Line);
    }
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = rest.to_string();
    Some(match word {
        "feature" => Reply::Feature(text),
        "move" => Reply::Move(text),
        "Illegal" => {
            let (reason, mv) = rest.strip_prefix("move (")?.split_once("): ")?;
            Reply::Illegal { reason: reason.into(), mv: mv.into() }
        }
        "Error" => {
            let (kind, command) = rest.strip_prefix('(')?.split_once("): ")?;
            Reply::Error { kind: kind.into(), command: command.into() }
        }
        "1-0" | "0-1" | "1/2-1/2" => {
            let reason = rest.trim_start_matches('{').trim_end_matches('}');
            Reply::Result { result: word.into(), reason: reason.into() }
        }
        "offer" if rest == "draw" => Reply::OfferDraw,
        "resign" => Reply::Resign,
        "tellusererror" => Reply::TellUserError(text),
        "#" => Reply::Debug(text),
        "Hint:" => Reply::Hint(text),
        "stat01:" => Reply::Status(read_status(rest)?),
        "pong" => Reply::Pong(rest.trim().parse().ok()?),
        "" => Reply::Book(read_book(line)?),
        _ => return None,
    })
}

fn read_line(text: &str) -> Option<Line> {
    let (numbers, moves) = text.split_once('\t')?;
    let mut numbers = numbers.split_whitespace();
    let mut pv: Vec<String> = moves.split_whitespace().map(String::from).collect();
    let bound = match pv.last().map(String::as_str) {
        Some("!") => Bound::Lower,
        Some("?") => Bound::Upper,
        _ => Bound::Exact,
    };
    if bound != Bound::Exact {
        pv.pop();
    }
    let depth = numbers.next()?.parse().ok()?;
    let score = match numbers.next()?.parse::<i32>().ok()? {
        mate @ 100_000.. => Reported::Mate(mate - 100_000),
        mate @ ..=-100_000 => Reported::Mate(mate + 100_000),
        centipawns => Reported::Centipawns(centipawns),
    };
    let mut number = || numbers.next()?.parse::<u64>().ok();
    let (time, nodes, seldepth, nps, tbhits) = (number()?, number()?, number()?, number()?, number()?);
    Some(Line { depth, score, bound, time, nodes, seldepth: seldepth as u32, nps, tbhits, pv })
}

fn read_book(text: &str) -> Option<Vec<(String, u32)>> {
    let text = text.strip_suffix('\n')?;
    if text == " no book moves" {
        return Some(Vec::new());
    }
    let entry = |line: &str| {
        let (mv, share) = line.strip_prefix(' ')?.split_once(' ')?;
        Some((mv.to_string(), share.strip_suffix('%')?.parse().ok()?))
    };
    text.split('\n').map(entry).collect()
}

fn read_status(text: &str) -> Option<Status> {
    let mut words = text.split_whitespace();
    let mut number = || words.next()?.parse::<u64>().ok();
    let (time, nodes, depth, left, total) = (number()?, number()?, number()?, number()?, number()?);
    let (depth, left, total) = (depth as u32, left as usize, total as usize);
    Some(Status { time, nodes, depth, left, total, current: words.next().map(String::from) })
}
