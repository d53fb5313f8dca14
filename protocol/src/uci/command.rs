//! What a UCI client sends, as a type: `FromStr` reads a line, `Display` writes it.
//!
//! Moves and positions stay text here, since what a move text means depends on the position. As the protocol
//! asks, words in front of a command that are none themselves are skipped, and so are unknown words inside
//! `go`, except behind `searchmoves`: there all words up to the next one of `go` are taken as moves.

use client::text::{self, split_word};
use std::fmt;
use std::str::{FromStr, SplitWhitespace};

/// A line from the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: tell who you are and what options you have.
    Uci,
    /// `debug on|off`.
    Debug(bool),
    /// `isready`.
    IsReady,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// The option's name, blanks and all.
        name: String,
        /// Its value as written, blanks inside it too; buttons have none.
        value: Option<String>,
    },
    /// `register ...`: we ask for no registration, so its words do not matter.
    Register,
    /// `ucinewgame`.
    NewGame,
    /// `position ...`.
    Position {
        /// The FEN, or `None` for `startpos`.
        fen: Option<String>,
        /// Moves from there.
        moves: Vec<String>,
    },
    /// A `position` line that names no position: the one before it is not meant any more.
    NoPosition(NoPosition),
    /// `go ...`.
    Go(Go),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// A word of our own (not in the protocol).
    Helper(Helper),
}

/// Words people type at an engine by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    /// `d`: show the board.
    Display,
    /// `eval`: explain the static evaluation.
    Eval,
    /// `flip`: the same position with colours exchanged.
    Flip,
    /// `bench`: the signature run.
    Bench,
    /// `compiler`: how this program was built.
    Compiler,
    /// `help`.
    Help,
    /// `license`.
    License,
}

/// Every helper and its word.
pub const HELPERS: [(Helper, &str); 7] = [
    (Helper::Display, "d"),
    (Helper::Eval, "eval"),
    (Helper::Flip, "flip"),
    (Helper::Bench, "bench"),
    (Helper::Compiler, "compiler"),
    (Helper::Help, "help"),
    (Helper::License, "license"),
];

/// What follows `go`. Times are in milliseconds and may be negative, since clients send clocks that have run
/// out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Think on the opponent's time.
    pub ponder: bool,
    /// White's clock.
    pub wtime: Option<i64>,
    /// Black's clock.
    pub btime: Option<i64>,
    /// White's increment.
    pub winc: Option<i64>,
    /// Black's increment.
    pub binc: Option<i64>,
    /// Moves to the next control.
    pub movestogo: Option<i64>,
    /// Iterations.
    pub depth: Option<i64>,
    /// Nodes over all threads.
    pub nodes: Option<i64>,
    /// Moves to mate.
    pub mate: Option<i64>,
    /// Time for this move.
    pub movetime: Option<i64>,
    /// Until `stop`.
    pub infinite: bool,
    /// Count leaves to this depth instead of searching.
    pub perft: Option<i64>,
    /// Root moves to search; empty means all.
    pub searchmoves: Vec<String>,
    /// Limits that were not understood.
    pub faults: Vec<LimitError>,
}

/// Why a line was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Nothing but blanks.
    #[error("empty command")]
    Empty,
    /// No word of the line is a command.
    #[error("unknown command: {0} (try help)")]
    Unknown(String),
    /// The command lacks something.
    #[error("{0}")]
    Incomplete(&'static str),
}

/// Why a `position` line names no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPosition {
    /// Neither `startpos` nor a FEN.
    #[error("position wants: startpos | fen FEN, then optionally moves MOVE ...")]
    Shape,
    /// Longer than any line that is read.
    #[error("position: line too long")]
    TooLong,
    /// Too much waits behind the search already.
    #[error("position: too many commands wait behind the search")]
    TooMany,
}

/// A limit of `go` that has no number. The search goes by the others; without any it is as short as can be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("go {word}: {}", .found.as_ref().map_or("no number follows".into(), |found| format!("{found:?} is not a whole number")))]
pub struct LimitError {
    /// The limit.
    pub word: String,
    /// What stands behind it.
    pub found: Option<String>,
}

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let (first, _) = split_word(line).ok_or(CommandError::Empty)?;
        if let Some((helper, _)) = HELPERS.iter().find(|(_, word)| *word == first) {
            return Ok(Command::Helper(*helper));
        }
        let mut rest = line;
        while let Some((word, after)) = split_word(rest) {
            rest = after;
            let mut words = rest.split_whitespace();
            return Ok(match word {
                "uci" => Command::Uci,
                "debug" => Command::Debug(read_switch(words.next())?),
                "isready" => Command::IsReady,
                "setoption" => read_setoption(rest)?,
                "register" => Command::Register,
                "ucinewgame" => Command::NewGame,
                "position" => read_position(words).unwrap_or_else(Command::NoPosition),
                "go" => Command::Go(Go::read(words)),
                "stop" => Command::Stop,
                "ponderhit" => Command::PonderHit,
                "quit" => Command::Quit,
                _ => continue,
            });
        }
        Err(CommandError::Unknown(first.chars().take(60).collect()))
    }
}

fn read_switch(word: Option<&str>) -> Result<bool, CommandError> {
    match word {
        Some("on") => Ok(true),
        Some("off") => Ok(false),
        _ => Err(CommandError::Incomplete("debug wants on or off")),
    }
}

/// `name` and `value` may both contain blanks; the first word `value` ends the name. The value may be a path,
/// so it stays as it is written; in names blanks do not count.
fn read_setoption(text: &str) -> Result<Command, CommandError> {
    const SHAPE: CommandError = CommandError::Incomplete("setoption wants: name NAME [value VALUE]");
    let Some(("name", mut rest)) = split_word(text) else { return Err(SHAPE) };
    let (mut name, mut value) = (Vec::new(), None);
    while let Some((word, after)) = split_word(rest) {
        if word == "value" {
            value = Some(after.trim().to_string());
            break;
        }
        name.push(word);
        rest = after;
    }
    if name.is_empty() {
        return Err(SHAPE);
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

fn read_position(mut words: SplitWhitespace) -> Result<Command, NoPosition> {
    let kind = words.next().ok_or(NoPosition::Shape)?;
    let mut rest: Vec<&str> = words.collect();
    // A FEN without the word `fen` is what people paste.
    if kind != "startpos" && kind != "fen" {
        rest.insert(0, kind);
    }
    let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
    let fen = match (kind, end) {
        ("startpos", 0) => None,
        // Moves without the word `moves` must not end at the start position.
        ("startpos", _) | (_, 0) => return Err(NoPosition::Shape),
        _ => Some(rest[..end].join(" ")),
    };
    let moves = rest.get(end + 1..).unwrap_or_default().iter().map(|&word| word.into()).collect();
    Ok(Command::Position { fen, moves })
}

impl Go {
    fn read(words: SplitWhitespace) -> Self {
        let mut go = Go::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    while let Some(mv) = words.next_if(|word| !Go::has_word(word)) {
                        go.searchmoves.push(mv.into());
                    }
                }
                _ => {
                    let Some(limit) = go.number(word) else { continue };
                    let found = words.peek().copied();
                    *limit = found.and_then(read_number);
                    if limit.is_none() {
                        go.faults.push(LimitError { word: word.into(), found: found.map(String::from) });
                    }
                }
            }
        }
        go
    }

    /// Is this a word of `go`?
    fn has_word(word: &str) -> bool {
        matches!(word, "ponder" | "infinite" | "searchmoves") || Go::default().number(word).is_some()
    }

    /// The limits that are numbers, by their words and in the order in which they are written.
    fn numbers(&mut self) -> [(&'static str, &mut Option<i64>); 10] {
        [
            ("wtime", &mut self.wtime),
            ("btime", &mut self.btime),
            ("winc", &mut self.winc),
            ("binc", &mut self.binc),
            ("movestogo", &mut self.movestogo),
            ("depth", &mut self.depth),
            ("nodes", &mut self.nodes),
            ("mate", &mut self.mate),
            ("movetime", &mut self.movetime),
            ("perft", &mut self.perft),
        ]
    }

    /// The limit a word names.
    fn number(&mut self, word: &str) -> Option<&mut Option<i64>> {
        self.numbers().into_iter().find_map(|(name, number)| (name == word).then_some(number))
    }
}

/// A number, or the greatest or least there is if it lies beyond.
fn read_number(word: &str) -> Option<i64> {
    // Some clients send `1000.5`.
    let whole = word.split('.').next().unwrap_or_default();
    text::whole(whole, i64::MIN, i64::MAX)
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Uci => f.write_str("uci"),
            Command::Debug(on) => write!(f, "debug {}", if *on { "on" } else { "off" }),
            Command::IsReady => f.write_str("isready"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {value}")
            }
            Command::Register => f.write_str("register later"),
            Command::NewGame => f.write_str("ucinewgame"),
            Command::Position { fen, moves } => {
                match fen {
                    Some(fen) => write!(f, "position fen {fen}")?,
                    None => f.write_str("position startpos")?,
                }
                if moves.is_empty() { Ok(()) } else { write!(f, " moves {}", moves.join(" ")) }
            }
            Command::NoPosition(_) => f.write_str("position"),
            Command::Go(go) => write!(f, "{go}"),
            Command::Stop => f.write_str("stop"),
            Command::PonderHit => f.write_str("ponderhit"),
            Command::Quit => f.write_str("quit"),
            Command::Helper(helper) => f.write_str(
                HELPERS.iter().find(|(other, _)| other == helper).map_or("help", |(_, word)| word),
            ),
        }
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        for (word, number) in self.clone().numbers() {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if !self.searchmoves.is_empty() {
            write!(f, " searchmoves {}", self.searchmoves.join(" "))?;
        }
        Ok(())
    }
}
