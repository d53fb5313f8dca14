//! What an xboard client sends, as a type: `FromStr` reads a line, `Display` writes it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A line from the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `xboard`: this protocol is spoken.
    Xboard,
    /// `protover N`: tell your features.
    Protover,
    /// `accepted FEATURE`.
    Accepted(String),
    /// `new`: a new game, the engine plays Black.
    New,
    /// `variant NAME`.
    Variant(String),
    /// `quit`.
    Quit,
    /// `force`: play neither side.
    Force,
    /// `go`: play the side to move, and think.
    Go,
    /// `playother`: play the side not to move.
    PlayOther,
    /// `white`: White to move, the engine plays Black.
    White,
    /// `black`: Black to move, the engine plays White.
    Black,
    /// `level MOVES BASE INCREMENT`.
    Level(Level),
    /// `st SECONDS`: exact time for each move.
    ExactTime(Duration),
    /// `sd PLIES`: depth limit.
    Depth(u32),
    /// `nps NODES`: time is counted in nodes.
    NodesPerSecond(u64),
    /// `time CENTISECONDS`: the engine's clock.
    Time(i64),
    /// `usermove MOVE`, or the move alone.
    Move(String),
    /// `?`: move now.
    MoveNow,
    /// `ping N`.
    Ping(i64),
    /// `draw`: the opponent offers a draw.
    Draw,
    /// `result ...`: the game is over.
    Result,
    /// `setboard FEN`.
    SetBoard(String),
    /// `edit`: the old way to set up a position.
    Edit,
    /// `hint`.
    Hint,
    /// `bk`: what does the book say?
    Book,
    /// `undo`: take back one ply.
    Undo,
    /// `remove`: take back two plies.
    Remove,
    /// `hard`: ponder.
    Hard,
    /// `easy`: do not ponder.
    Easy,
    /// `post`: show thinking.
    Post,
    /// `nopost`: do not show thinking.
    NoPost,
    /// `analyze`.
    Analyze,
    /// `exit`: leave analysis.
    Exit,
    /// `.`: how far is the search?
    Status,
    /// `name`, `rating`, `otim`, `rejected`, `random` and others that only tell us something; an empty line.
    Told,
    /// `pause`.
    Pause,
    /// `resume`.
    Resume,
    /// `memory MEGABYTES`.
    Memory(usize),
    /// `cores N`.
    Cores(usize),
    /// `egtpath TYPE PATH`: where endgame tables are.
    TablePath {
        /// Format: `syzygy`.
        kind: String,
        /// Folder.
        path: String,
    },
    /// `option NAME[=VALUE]`.
    Option {
        /// The option's name.
        name: String,
        /// Its value; buttons have none.
        value: Option<String>,
    },
    /// `exclude MOVE` or `exclude all` (`None`).
    Exclude(Option<String>),
    /// `include MOVE` or `include all` (`None`).
    Include(Option<String>),
}

/// A time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Moves in a session; 0 for the whole game.
    pub moves: u32,
    /// Time for a session.
    pub base: Duration,
    /// Added after every move.
    pub increment: Duration,
}

/// Why a line was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The first word is no command.
    #[error("unknown command")]
    Unknown,
    /// The words after it do not fit.
    #[error("missing or bad argument")]
    Argument,
}

/// Commands that are understood by their first word.
const PLAIN: [(&str, Command); 26] = [
    ("xboard", Command::Xboard),
    ("new", Command::New),
    ("quit", Command::Quit),
    ("force", Command::Force),
    ("go", Command::Go),
    ("playother", Command::PlayOther),
    ("white", Command::White),
    ("black", Command::Black),
    ("?", Command::MoveNow),
    ("draw", Command::Draw),
    ("result", Command::Result),
    ("edit", Command::Edit),
    ("hint", Command::Hint),
    ("bk", Command::Book),
    ("undo", Command::Undo),
    ("remove", Command::Remove),
    ("hard", Command::Hard),
    ("easy", Command::Easy),
    ("post", Command::Post),
    ("nopost", Command::NoPost),
    ("analyze", Command::Analyze),
    ("exit", Command::Exit),
    (".", Command::Status),
    ("pause", Command::Pause),
    ("resume", Command::Resume),
    ("", Command::Told),
];

/// Commands that only tell us something, or belong to features we do not have.
const TOLD: [&str; 11] =
    ["name", "rating", "random", "ics", "computer", "partner", "ptell", "holding", "lift", "put", "hover"];

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if let Some((_, command)) = PLAIN.iter().find(|(plain, _)| *plain == word) {
            return Ok(command.clone());
        }
        if TOLD.contains(&word) {
            return Ok(Command::Told);
        }
        let text = || if rest.is_empty() { Err(CommandError::Argument) } else { Ok(rest.to_string()) };
        let filter = || text().map(|text| Some(text).filter(|text| text != "all"));
        Ok(match word {
            "protover" => number::<u32>(rest).map(|_| Command::Protover)?,
            // `accept` and `reject` come from python-chess before its version 1.0.
            "accepted" | "accept" => Command::Accepted(text()?),
            "rejected" | "reject" => text().map(|_| Command::Told)?,
            "variant" => Command::Variant(text()?),
            "level" => Command::Level(level(rest)?),
            "st" => Command::ExactTime(seconds(rest)?),
            "sd" | "depth" => Command::Depth(number(rest)?),
            "nps" => Command::NodesPerSecond(number(rest)?),
            "time" => Command::Time(number(rest)?),
            "otim" => number::<i64>(rest).map(|_| Command::Told)?,
            "usermove" => Command::Move(text()?),
            "ping" => Command::Ping(number(rest)?),
            "setboard" => Command::SetBoard(text()?),
            "memory" => Command::Memory(number(rest)?),
            "cores" => Command::Cores(number(rest)?),
            "egtpath" => {
                let (kind, path) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                Command::TablePath { kind: kind.into(), path: path.trim().into() }
            }
            "option" => {
                let text = text()?;
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name.trim().into(), Some(value.into())),
                    None => (text, None),
                };
                Command::Option { name, value }
            }
            "exclude" => Command::Exclude(filter()?),
            "include" => Command::Include(filter()?),
            _ if is_coordinates(word) => Command::Move(word.into()),
            _ => return Err(CommandError::Unknown),
        })
    }
}

/// `e2e4`, `e7e8q`, castling, or xboard's null move.
fn is_coordinates(word: &str) -> bool {
    let bytes = word.as_bytes();
    let square = |at: usize| (b'a'..=b'h').contains(&bytes[at]) && (b'1'..=b'8').contains(&bytes[at + 1]);
    matches!(word, "O-O" | "O-O-O" | "0-0" | "0-0-0" | "@@@@")
        || matches!(bytes.len(), 4 | 5) && square(0) && square(2)
}

fn number<T: FromStr>(text: &str) -> Result<T, CommandError> {
    text.split_whitespace().next().and_then(|word| word.parse().ok()).ok_or(CommandError::Argument)
}

/// Whole or decimal seconds, not negative; absurdly many become 31 million years, since with `nps 1` they are nodes.
/// Words such as `inf` are none.
fn seconds(text: &str) -> Result<Duration, CommandError> {
    let seconds: f64 = number(text)?;
    let finite = (0.0..=f64::MAX).contains(&seconds);
    if finite { Ok(Duration::from_secs_f64(seconds.min(1e15))) } else { Err(CommandError::Argument) }
}

/// `40 5 0`, `0 0:30 0.3`, `0 1:5 0`: the base is minutes, or minutes and seconds.
fn level(text: &str) -> Result<Level, CommandError> {
    let mut words = text.split_whitespace();
    let mut word = || words.next().ok_or(CommandError::Argument);
    let moves = number(word()?)?;
    let base = word()?;
    let increment = seconds(words.next().unwrap_or("0"))?;
    let (minutes, rest) = base.split_once(':').unwrap_or((base, "0"));
    let base = seconds(leading_number(minutes))? * 60 + seconds(leading_number(rest))?;
    Ok(Level { moves, base, increment })
}

/// Some clients let other characters follow the base time.
fn leading_number(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    &text[..end]
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((word, _)) = PLAIN.iter().find(|(_, plain)| plain == self) {
            return f.write_str(word);
        }
        let all = |filter: &Option<String>| filter.clone().unwrap_or_else(|| "all".into());
        match self {
            Command::Protover => f.write_str("protover 2"),
            Command::Accepted(feature) => write!(f, "accepted {feature}"),
            Command::Variant(name) => write!(f, "variant {name}"),
            Command::Level(level) => write!(f, "{level}"),
            Command::ExactTime(time) => write!(f, "st {}", time.as_secs_f64()),
            Command::Depth(plies) => write!(f, "sd {plies}"),
            Command::NodesPerSecond(rate) => write!(f, "nps {rate}"),
            Command::Time(centiseconds) => write!(f, "time {centiseconds}"),
            Command::Move(mv) => write!(f, "usermove {mv}"),
            Command::Ping(number) => write!(f, "ping {number}"),
            Command::SetBoard(fen) => write!(f, "setboard {fen}"),
            Command::Memory(megabytes) => write!(f, "memory {megabytes}"),
            Command::Cores(cores) => write!(f, "cores {cores}"),
            Command::TablePath { kind, path } => write!(f, "egtpath {kind} {path}"),
            Command::Option { name, value: None } => write!(f, "option {name}"),
            Command::Option { name, value: Some(value) } => write!(f, "option {name}={value}"),
            Command::Exclude(filter) => write!(f, "exclude {}", all(filter)),
            Command::Include(filter) => write!(f, "include {}", all(filter)),
            // All others stand in PLAIN.
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.base.as_secs();
        let increment = self.increment.as_secs_f64();
        write!(f, "level {} {}:{:02} {increment}", self.moves, seconds / 60, seconds % 60)
    }
}
