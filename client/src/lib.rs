//! The client side of the protocols: driving another program's engine, in UCI or in xboard's protocol, through
//! one interface.
//!
//! A [`Client`] owns a running engine process. It is started with [`Client::start`] (hand-shake and options),
//! told of a game with [`Client::new_game`], asked for moves with [`Client::think`], and sent away with
//! [`Client::quit`]; every question has a deadline, and every answer that does not come is a [`Failure`] that
//! says why. The time of a move runs from the moment the line that starts the engine's clock has been written
//! to the moment the line of its answer has been read, whatever else the machine does in between.
//!
//! The protocols: Stefan Meyer-Kahlen's UCI text of 2006, and Tim Mann's and H.G. Muller's
//! `engine-intf.html`. How lines are cut and how `info` is read ([`text`], [`fields`]) stands here for both
//! sides: the room `protocol` reads what clients send by the same rules.
#![forbid(unsafe_code)]

mod answers;
mod config;
mod expressible;
mod failure;
pub mod fields;
mod greeting;
mod info;
mod option;
mod process;
mod start;
pub mod text;
mod uci;
mod writer;
mod xboard;

use std::time::{Duration, Instant};

use chess::{Color, Position};

pub use answers::is_answer;
pub use config::{EngineConfig, Limits, Protocol, TimeControl, sets_threads, with_exe_suffix};
pub use expressible::{Inexpressible, expressible};
pub use failure::{Failure, FailureKind, Question};
pub use info::{Evaluation, Info};
pub use option::{OptionError, truth};
pub use process::{Event, Launcher, Listener, NoLine, PlainLauncher, Process, Stream};
pub use start::{StartError, is_path};
pub use xboard::{own_move, pairs};

use option::Declared;
use uci::Uci;
use xboard::Xboard;

/// How many lines of what an engine says to its options are kept, and how many characters of each.
const SAID: (usize, usize) = (200, 400);
/// How long a dying process is given to say how it died.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// One move of the game in the spellings the protocols use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Coordinates; castling as the king's move, or king-takes-rook in Chess960.
    pub uci: String,
    /// Standard algebraic notation.
    pub san: String,
    /// `O-O` or `O-O-O` if it is castling.
    pub castling: Option<&'static str>,
}

/// A game that is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct GameSetup<'a> {
    /// The start position.
    pub start: &'a Position,
    /// Its FEN; `None` for the standard start position.
    pub fen: Option<&'a str>,
    /// Whether it is a Chess960 game.
    pub chess960: bool,
    /// What bounds the engine's thinking.
    pub limits: Limits,
    /// The opponent's name.
    pub opponent: &'a str,
}

/// The clocks at the moment an engine is asked.
#[derive(Debug, Clone, Copy)]
pub struct Clocks {
    /// The colour the engine plays.
    pub side: Color,
    /// Its time.
    pub own: Duration,
    /// The opponent's time; none if it has no clock.
    pub other: Option<Duration>,
    /// Its increment.
    pub own_increment: Duration,
    /// The opponent's increment.
    pub other_increment: Duration,
    /// Moves until its next time control.
    pub moves_to_go: Option<u32>,
}

impl Clocks {
    /// (time, increment) of the opponent, as the engine is told. The protocols have no word for an opponent without a
    /// clock: it has the engine's own, so that it seems neither short of time nor rich.
    fn opponents(&self) -> (Duration, Duration) {
        self.other.map_or((self.own, self.own_increment), |time| (time, self.other_increment))
    }

    /// (time, increment) of White and of Black.
    fn by_colour(&self) -> ((Duration, Duration), (Duration, Duration)) {
        let (own, other) = ((self.own, self.own_increment), self.opponents());
        if self.side == Color::White { (own, other) } else { (other, own) }
    }
}

/// How long an engine is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// After this it is told to move at once; the keeper of the clock decides what the lateness means.
    pub flag: Option<Duration>,
    /// After the flag, or without one after the question and every new thinking line behind it, this much more
    /// silence is a stall.
    pub silence: Duration,
}

/// What an engine answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A move, as it wrote it.
    Move(String),
    /// It gives up (xboard).
    Resign,
    /// It says the game is over: the whole line, behind the result in PGN where it says that in words alone
    /// (xboard).
    Claim(String),
    /// It calls the opponent's last move illegal: the whole line (xboard).
    Refused(String),
}

impl Answer {
    /// A move that is written in coordinates.
    fn coordinates(&self) -> Option<&str> {
        let Self::Move(text) = self else { return None };
        let bytes = text.as_bytes();
        let square = |at: usize| (b'a'..=b'h').contains(&bytes[at]) && (b'1'..=b'8').contains(&bytes[at + 1]);
        (matches!(bytes.len(), 4 | 5) && square(0) && square(2)).then_some(text)
    }
}

/// An answer and the thinking behind it.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// The move it expects from the opponent.
    pub ponder: Option<String>,
    /// From the write that started its clock to the reading of its answer.
    pub elapsed: Duration,
    /// When the clock was started.
    pub asked_at: Instant,
    /// When the answer was read.
    pub answered_at: Instant,
    /// How long it took, before it was asked, to leave a ponder search on another move than the one played:
    /// time on no player's clock, and not the runner's either.
    pub settling: Duration,
    /// The last it said about its search.
    pub info: Info,
    /// Moves that it sent since its last answer without being asked, and that were passed over: a second
    /// `bestmove` for one search, or one that came after the search was over for the client.
    pub unasked: u32,
    /// Whether it wrote another line between the question and this answer.
    pub spoke: bool,
}

impl Reply {
    fn new(
        answer: Answer,
        ponder: Option<String>,
        asked_at: Instant,
        answered_at: Instant,
        info: Info,
    ) -> Self {
        Self {
            answer,
            ponder,
            elapsed: answered_at.saturating_duration_since(asked_at),
            asked_at,
            answered_at,
            settling: Duration::ZERO,
            info,
            unasked: 0,
            spoke: false,
        }
    }
}

enum Dialect {
    Uci(Uci),
    Xboard(Xboard),
}

impl Dialect {
    /// The options that the engine declared.
    fn declared(&self) -> &[Declared] {
        match self {
            Dialect::Uci(uci) => &uci.declared,
            Dialect::Xboard(xboard) => &xboard.features.options,
        }
    }

    /// The value that an option has without being set; `None` if the engine does not have the option.
    fn default_of(&self, name: &str) -> Option<&str> {
        option::find(self.declared(), name).ok().map(|option| option.default.as_str())
    }
}

/// A running engine that is ready to play.
pub struct Client {
    process: Process,
    dialect: Dialect,
    config: EngineConfig,
    name: Option<String>,
    author: Option<String>,
    limits: Limits,
    /// Moves since the last answer that were not asked for.
    unasked: u32,
    /// Its last move of this game, in coordinates. Not kept in Chess960, where a king that stays on its
    /// square in castling can make the same move again.
    last: Option<String>,
    /// Its last answer is a move that stands in this game: what it says of the end now is about this game.
    moved: bool,
    /// Its last answer came after a question, not on its opponent's time.
    asked: bool,
    /// It has been told of a game.
    has_played: bool,
    /// It has told features, as an engine of xboard's protocol does that has an answer to the greeting.
    features_seen: bool,
    chess960: bool,
    /// What it has said to its options.
    said: Vec<String>,
    /// Options of the configuration that it does not take, and why.
    left_out: Vec<OptionError>,
}

impl Client {
    /// Keeps a line that an engine has said to its options.
    fn keep(&mut self, line: &str) {
        let (lines, characters) = SAID;
        if self.said.len() < lines {
            self.said.push(line.chars().take(characters).collect());
        }
    }

    /// Waits until the engine has dealt with everything it was sent. Returns the moves that an xboard engine made
    /// meanwhile.
    fn ready(&mut self) -> Result<u64, Failure> {
        self.wait_until_ready(false)
    }

    /// The same. `keeps`: what the engine says meanwhile is kept as said to its options.
    fn wait_until_ready(&mut self, keeps: bool) -> Result<u64, Failure> {
        let (question, answer) = match &mut self.dialect {
            Dialect::Uci(_) => ("isready".to_owned(), "readyok".to_owned()),
            Dialect::Xboard(xboard) => {
                if !xboard.features.ping {
                    return Ok(0);
                }
                xboard.pings += 1;
                (format!("ping {}", xboard.pings), format!("pong {}", xboard.pings))
            }
        };
        let patience = self.config.ready_timeout;
        let deadline = self.process.send(&question) + patience;
        let mut moves = 0;
        loop {
            let line = self.expect_line(deadline, &question, patience)?;
            if line.trim() == answer {
                return Ok(moves);
            }
            if keeps {
                self.keep(&line);
            }
            if let Dialect::Xboard(xboard) = &mut self.dialect {
                moves += u64::from(matches!(xboard.read(&line, &mut Info::default()), Some(Answer::Move(_))));
            }
        }
    }

    /// Tells the engine of a new game and waits until it is ready for it.
    ///
    /// # Errors
    /// It cannot play such a game, or does not get ready.
    pub fn new_game(&mut self, setup: &GameSetup) -> Result<(), Failure> {
        self.limits = setup.limits;
        (self.unasked, self.last, self.moved, self.chess960) = (0, None, false, setup.chess960);
        let options = self.options_again()?;
        self.has_played = true;
        let text = match &mut self.dialect {
            Dialect::Uci(uci) => uci.new_game(setup),
            Dialect::Xboard(xboard) => xboard.new_game(setup, &self.config),
        };
        let text = text.map_err(|kind| self.failure(kind))?;
        self.process.send(&(options + &text));
        self.ready()?;
        Ok(())
    }

    /// Can the engine be told of games that begin in these positions? They are looked at only if it may lack the words.
    ///
    /// # Errors
    /// It cannot; the error names the position.
    pub fn check_starts(&self, starts: impl Iterator<Item = Position>) -> Result<(), Failure> {
        let Dialect::Xboard(xboard) = &self.dialect else { return Ok(()) };
        xboard.check_starts(starts).map_err(|kind| self.failure(kind))
    }

    /// The lines that set its options once more, where every further game begins with them.
    fn options_again(&self) -> Result<String, Failure> {
        if !(self.config.fastchess_options && self.has_played) {
            return Ok(String::new());
        }
        let lines = self.dialect.option_lines(&self.config);
        lines.map(|(lines, _)| lines).map_err(|error| self.failure(FailureKind::Option(error)))
    }

    /// Asks for the engine's move after `plies` (all moves since the start position). One that has given up or
    /// said that the game is over on its opponent's time is not asked: that is its answer, and took no time.
    ///
    /// # Errors
    /// It stalled, crashed or closed its output; or the caller aborted.
    pub fn think(&mut self, plies: &[Ply], clocks: &Clocks, patience: Patience) -> Result<Reply, Failure> {
        let before = Instant::now();
        let hit = self.settle_ponder(plies.last())?;
        let settling = before.elapsed();
        let reply = self.search(plies, clocks, patience, hit)?;
        Ok(Reply { settling, unasked: std::mem::take(&mut self.unasked), ..reply })
    }

    /// The same once a search on the opponent's time has been left, or goes on as this one (a `hit`).
    fn search(
        &mut self,
        plies: &[Ply],
        clocks: &Clocks,
        patience: Patience,
        hit: bool,
    ) -> Result<Reply, Failure> {
        let (now, mut pondered) = (Instant::now(), Info::default());
        if !hit && let Some(answer) = self.drain(now, &mut pondered) {
            self.asked = false;
            return Ok(Reply::new(answer, None, now, now, Info::default()));
        }
        let text = match &mut self.dialect {
            Dialect::Uci(_) if hit => "ponderhit".to_owned(),
            Dialect::Uci(uci) => uci.go(plies, clocks, &self.limits),
            Dialect::Xboard(xboard) => xboard.go(plies, clocks, &self.limits),
        };
        self.asked = true;
        let asked_at = self.process.send(&text);
        let mut reply = self.await_answer(asked_at, patience)?;
        let is_xboard = matches!(self.dialect, Dialect::Xboard(_));
        // It may have found its move on its opponent's time, and have said then what there is to say.
        if is_xboard
            && self.config.ponder
            && reply.info == Info::default()
            && let Answer::Move(mv) = &reply.answer
            && pondered.tells_of(mv, plies.last())
        {
            reply.info = pondered;
        }
        Ok(reply)
    }

    /// Changes what bounds the thinking of a UCI engine from the next move on. An xboard engine hears of its
    /// limits at the beginning of a game, and keeps those.
    pub fn limit(&mut self, limits: Limits) {
        if matches!(self.dialect, Dialect::Uci(_)) {
            self.limits = limits;
        }
    }

    /// The game goes on with another move than the one that the engine has just made.
    ///
    /// # Errors
    /// It does not get ready for that.
    pub fn take_back(&mut self) -> Result<(), Failure> {
        (self.last, self.moved) = (None, false);
        if let Dialect::Xboard(xboard) = &mut self.dialect {
            let text = xboard.take_back();
            self.process.send(text);
            // What it said behind its move is taken back as well.
            self.ready()?;
        }
        Ok(())
    }

    /// The engine has answered without a move (it resigns, or claims a result), and the game goes on with one.
    ///
    /// # Errors
    /// It does not get ready for that.
    pub fn made_no_move(&mut self) -> Result<(), Failure> {
        self.moved = false;
        let Dialect::Xboard(xboard) = &mut self.dialect else { return Ok(()) };
        let text = xboard.made_no_move(self.asked);
        self.process.send(text);
        // What was read as its answer may have been said of the position before, and a move followed.
        if self.asked && self.ready()? > 0 {
            self.process.send("undo");
        }
        Ok(())
    }

    /// Takes what the engine has written before it was asked. A ponder search that goes on may have answered
    /// already; every other move is unasked for. Returns the engine's resignation or claim since its last move, if
    /// there is one: before its first move it may still speak of the game before, and after a move that was
    /// taken back it may speak of that. `pondered`: what it has said of its thinking.
    fn drain(&mut self, until: Instant, pondered: &mut Info) -> Option<Answer> {
        let mut ended = None;
        while let Some(line) = self.process.waiting_line(until) {
            match self.read(&line, pondered) {
                Some((Answer::Move(_), _)) => self.unasked += 1,
                Some((answer @ (Answer::Resign | Answer::Claim(_)), _)) if self.moved => {
                    ended = ended.or(Some(answer));
                }
                _ => {}
            }
        }
        ended
    }

    /// Reads a line in the engine's protocol.
    fn read(&mut self, line: &str, info: &mut Info) -> Option<(Answer, Option<String>)> {
        match &mut self.dialect {
            Dialect::Uci(uci) => uci.read(line, info),
            Dialect::Xboard(xboard) => xboard.read(line, info).map(|answer| (answer, None)),
        }
    }

    fn await_answer(&mut self, asked_at: Instant, patience: Patience) -> Result<Reply, Failure> {
        let mut info = Info::default();
        let mut deadline = asked_at + patience.flag.unwrap_or(patience.silence);
        let mut flag_fell = false;
        let mut current = String::new();
        let mut passed_over: Option<Reply> = None;
        let mut spoke = false;
        loop {
            let (at, line) = match self.process.line(Some(deadline)) {
                Ok(found) => found,
                Err(NoLine::Timeout) => {
                    // Nothing else came: what seemed to be a word of the last search is all the answer there
                    // is.
                    if let Some(reply) = passed_over {
                        self.unasked -= 1;
                        return Ok(reply);
                    }
                    if patience.flag.is_none() || flag_fell {
                        return Err(self.stalled("a move", asked_at.elapsed()));
                    }
                    flag_fell = true;
                    deadline += patience.silence;
                    self.process.send(self.hurry());
                    continue;
                }
                Err(other) => return Err(self.gone(other)),
            };
            let settling = self.is_settling();
            let before = patience.flag.is_none().then(|| info.clone());
            let time = info.time;
            let answer = self.read(&line, &mut info);
            if info.time != time {
                info.timed_at = Some(at);
            }
            if let Some((answer, ponder)) = answer {
                if settling || self.says_again(&answer) {
                    self.unasked += 1;
                    passed_over =
                        Some(Reply { spoke, ..Reply::new(answer, ponder, asked_at, at, info.clone()) });
                    continue;
                }
                self.last = answer.coordinates().filter(|_| !self.chess960).map(str::to_owned);
                self.moved |= matches!(answer, Answer::Move(_));
                return Ok(Reply { spoke, ..Reply::new(answer, ponder, asked_at, at, info) });
            }
            // What comes before the question has been heard belongs to what was before it.
            spoke |= !settling;
            let Some(before) = before else { continue };
            // It says something new: of what it has found, or which root move it is at.
            let is_at_another = line.contains(" currmove ") && line != current;
            if info != before || is_at_another {
                // What it said while it pondered is older than the question, and may still wait to be read.
                deadline = deadline.max(at + patience.silence);
            }
            if is_at_another {
                current = line;
            }
        }
    }

    /// Is the engine still at what it was asked before?
    fn is_settling(&self) -> bool {
        matches!(&self.dialect, Dialect::Uci(uci) if uci.settling)
    }

    /// Is this its last move once more? No piece of its own can have come to where that move began.
    fn says_again(&self, answer: &Answer) -> bool {
        answer.coordinates().is_some_and(|text| Some(text) == self.last.as_deref())
    }

    fn hurry(&self) -> &'static str {
        match self.dialect {
            Dialect::Uci(_) => "stop",
            Dialect::Xboard(_) => "?",
        }
    }

    /// Whether it thinks on its opponent's time: it is configured to, and a UCI engine has the option `Ponder`, without
    /// which it need not know what `go ponder` is.
    #[must_use]
    pub fn ponders(&self) -> bool {
        let is_xboard = matches!(self.dialect, Dialect::Xboard(_));
        self.config.ponder && (is_xboard || self.default_of("Ponder").is_some())
    }

    /// Lets a UCI engine that ponders think on the opponent's time, expecting `expected`. Xboard engines do so by
    /// themselves.
    pub fn ponder(&mut self, plies: &[Ply], expected: &Ply, clocks: &Clocks) {
        let ponders = self.ponders();
        if let (Dialect::Uci(uci), true) = (&mut self.dialect, ponders) {
            let text = uci.go_ponder(plies, expected, clocks, &self.limits);
            self.process.send(&text);
        }
    }

    /// Ends a ponder search: true if the opponent made the expected move and the search goes on as the real
    /// one.
    fn settle_ponder(&mut self, last: Option<&Ply>) -> Result<bool, Failure> {
        let Dialect::Uci(uci) = &mut self.dialect else { return Ok(false) };
        let Some(expected) = uci.pondering.take() else { return Ok(false) };
        if last.is_some_and(|ply| ply.uci == expected) {
            return Ok(true);
        }
        let patience = self.config.ready_timeout;
        let deadline = self.process.send("stop") + patience;
        loop {
            let line = self.expect_line(deadline, "stop", patience)?;
            let settling = self.is_settling();
            match self.read(&line, &mut Info::default()) {
                Some(_) if settling => self.unasked += 1,
                Some(_) => return Ok(false),
                None => {}
            }
        }
    }

    /// Tells the engine how the game ended, and ends any pondering.
    ///
    /// # Errors
    /// A pondering engine that does not stop.
    pub fn game_over(&mut self, result: &str, reason: &str) -> Result<(), Failure> {
        match &mut self.dialect {
            Dialect::Uci(_) => {
                self.settle_ponder(None)?;
            }
            Dialect::Xboard(xboard) => {
                let text = xboard.game_over(result, reason);
                self.process.send(&text);
            }
        }
        Ok(())
    }

    /// Whether the engine can play another game without being started anew (xboard's feature `reuse`).
    #[must_use]
    pub fn reusable(&self) -> bool {
        match &self.dialect {
            Dialect::Uci(_) => true,
            Dialect::Xboard(xboard) => xboard.features.reuse,
        }
    }

    /// What the engine calls itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether it has said anything since it was started.
    #[must_use]
    pub fn has_spoken(&self) -> bool {
        self.process.has_spoken()
    }

    /// Whether it has answered its greeting. One of xboard's protocol that has told no features is taken to speak
    /// version 1 of it, which has no answer.
    #[must_use]
    pub fn greeted(&self) -> bool {
        self.features_seen || matches!(self.dialect, Dialect::Uci(_))
    }

    /// Who wrote it, as it says (UCI).
    #[must_use]
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The value of an option: as it was configured (an option is sent behind `threads` and `hash_mb`, and holds), or
    /// else the engine's own; `None` if it has no such option.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<String> {
        let resource = match name.to_ascii_lowercase().as_str() {
            "threads" => self.config.threads,
            "hash" => self.config.hash_mb,
            _ => None,
        };
        let named = self.config.options.iter().rfind(|(known, _)| known.eq_ignore_ascii_case(name));
        let named = named.map(|(_, value)| value.clone());
        let configured = named.or_else(|| resource.map(|number| number.to_string()));
        match &self.dialect {
            Dialect::Uci(_) => {
                let default = self.default_of(name)?;
                Some(configured.unwrap_or_else(|| default.to_owned()))
            }
            Dialect::Xboard(_) => configured,
        }
    }

    /// The value that an option has without being set, as the engine declared it; `None` if it has no such option.
    #[must_use]
    pub fn default_of(&self, name: &str) -> Option<&str> {
        self.dialect.default_of(name)
    }

    /// The lines that the engine has said to its options, the first 200 at most, each cut to 400 characters: what came
    /// between them and its word that it is ready, and where there are lines before the greeting, what came with that.
    /// Of an xboard engine without the feature `ping` nothing is known.
    #[must_use]
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// Options of a lenient configuration that the engine does not take, and why.
    #[must_use]
    pub fn left_out(&self) -> &[OptionError] {
        &self.left_out
    }

    /// The protocol it speaks.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        match self.dialect {
            Dialect::Uci(_) => Protocol::Uci,
            Dialect::Xboard(_) => Protocol::Xboard,
        }
    }

    /// The operating system's number of its process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Sends `quit` and waits for the engine to leave; kills it if it does not. True if it left by itself.
    pub fn quit(mut self) -> bool {
        self.process.send("quit");
        self.process.close(self.config.quit_timeout)
    }

    fn expect_line(&mut self, deadline: Instant, question: &str, after: Duration) -> Result<String, Failure> {
        match self.process.line(Some(deadline)) {
            Ok((_, line)) => Ok(line),
            Err(NoLine::Timeout) => Err(self.stalled(question, after)),
            Err(other) => Err(self.gone(other)),
        }
    }

    fn stalled(&mut self, question: &str, after: Duration) -> Failure {
        self.failure(FailureKind::Stall { waiting_for: Question::Command(question.to_owned()), after })
    }

    fn gone(&mut self, why: NoLine) -> Failure {
        if why == NoLine::Aborted {
            return Failure::new(FailureKind::Aborted);
        }
        let kind = match self.process.wait_for_exit(LAST_BREATH) {
            Some(status) => FailureKind::Crash(status),
            None => FailureKind::Disconnect,
        };
        self.failure(kind)
    }

    fn failure(&self, kind: FailureKind) -> Failure {
        Failure { kind, stderr: self.process.stderr_tail(), sent: self.process.last_sent() }
    }
}
