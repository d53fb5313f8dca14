//! What a UCI client sends, as a type: `FromStr` reads a line, `Display` writes it.
//!
//! Moves and positions stay text here, since what a move text means depends on the position. As the protocol
//! asks, words in front of a command that are none themselves are skipped, and so are unknown words inside
//! `go`.

use client::text;
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
        /// Its value; buttons have none.
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
        let mut words = line.split_whitespace();
        let first = words.clone().next().ok_or(CommandError::Empty)?;
        if let Some((helper, _)) = HELPERS.iter().find(|(_, word)| *word == first) {
            return Ok(Command::Helper(*helper));
        }
        while let Some(word) = words.next() {
            return Ok(match word {
                "uci" => Command::Uci,
                "debug" => Command::Debug(read_switch(words.next())?),
                "isready" => Command::IsReady,
                "setoption" => read_setoption(words)?,
                "register" => Command::Register,
                "ucinewgame" => Command::NewGame,
                "position" => read_position(words)?,
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

/// `name` and `value` may both contain blanks; the first word `value` ends the name.
fn read_setoption(words: SplitWhitespace) -> Result<Command, CommandError> {
    const SHAPE: CommandError = CommandError::Incomplete("setoption wants: name NAME [value VALUE]");
    let words: Vec<&str> = words.collect();
    let (&"name", rest) = words.split_first().ok_or(SHAPE)? else { return Err(SHAPE) };
    let end = rest.iter().position(|&word| word == "value").unwrap_or(rest.len());
    let name = rest[..end].join(" ");
    if name.is_empty() {
        return Err(SHAPE);
    }
    let value = rest.get(end + 1..).map(|value| value.join(" "));
    Ok(Command::SetOption { name, value })
}

fn read_position(mut words: SplitWhitespace) -> Result<Command, CommandError> {
    const SHAPE: CommandError =
        CommandError::Incomplete("position wants: startpos | fen FEN, then optionally moves MOVE ...");
    let kind = words.next().ok_or(SHAPE)?;
    let mut rest: Vec<&str> = words.collect();
    // A FEN without the word `fen` is what people paste.
    if kind != "startpos" && kind != "fen" {
        rest.insert(0, kind);
    }
    let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
    let fen = match (kind, end) {
        ("startpos", _) => None,
        (_, 0) => return Err(SHAPE),
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
                    while let Some(&mv) = words.peek().filter(|word| looks_like_move(word)) {
                        go.searchmoves.push(mv.into());
                        words.next();
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

    /// The limit a word names.
    fn number(&mut self, word: &str) -> Option<&mut Option<i64>> {
        Some(match word {
            "wtime" => &mut self.wtime,
            "btime" => &mut self.btime,
            "winc" => &mut self.winc,
            "binc" => &mut self.binc,
            "movestogo" => &mut self.movestogo,
            "depth" => &mut self.depth,
            "nodes" => &mut self.nodes,
            "mate" => &mut self.mate,
            "movetime" => &mut self.movetime,
            "perft" => &mut self.perft,
            _ => return None,
        })
    }
}

/// A move begins with a square or is castling; no word of `go` does.
fn looks_like_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    word.starts_with(['O', '0', 'o'])
        || bytes.len() >= 4 && (b'a'..=b'h').contains(&bytes[0]) && (b'1'..=b'8').contains(&bytes[1])
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
        let numbers = [
            ("wtime", self.wtime),
            ("btime", self.btime),
            ("winc", self.winc),
            ("binc", self.binc),
            ("movestogo", self.movestogo),
            ("depth", self.depth),
            ("nodes", self.nodes),
            ("mate", self.mate),
            ("movetime", self.movetime),
            ("perft", self.perft),
        ];
        for (word, number) in numbers {
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
