//! A session: one client on one stream, from the first line to the last.
//!
//! One event loop on one thread. A reader thread puts lines into one channel, searches put their words into
//! another, and the loop sleeps until either has something: it never blocks in a command, so `isready` and
//! `ping` are answered at once, and it uses no time while nothing happens. Which protocol is spoken shows in
//! the first command: `xboard` opens an xboard session, everything else UCI.

pub mod driver;
pub mod event;
mod input;
pub mod line;

use crate::brain::Brain;
use crate::{uci, xboard};
use crossbeam::channel::bounded;
use driver::Driver;
use event::Event;
pub use input::{Input, MAX_LINE};
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::time::Instant;

/// Who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name and version, without quotation marks.
    pub name: String,
    /// Who wrote it.
    pub author: String,
    /// How it was built: compiler, target, features.
    pub build: String,
}

/// The protocol spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The Universal Chess Interface.
    Uci,
    /// The Chess Engine Communication Protocol of xboard and WinBoard.
    Xboard,
}

/// Why a session ended.
#[derive(Debug)]
pub enum ExitReason {
    /// The client said `quit`.
    Quit,
    /// The client closed its end.
    EndOfInput,
    /// The client does not read any more.
    OutputClosed(io::Error),
}

/// Lines read ahead of the session at most; the reader waits beyond that.
const READ_AHEAD: usize = 256;

/// Serves a client until it quits or goes away.
///
/// `dialect` is what the user asked for aloud; `None` lets the first command tell, and `spoken` hears which
/// it is. The reader's thread may outlive the session, since nothing can wake it from a read: it ends with
/// its stream or with the process.
pub fn run(
    identity: &Identity,
    dialect: Option<Dialect>,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    brain: &mut dyn Brain,
    spoken: &mut dyn FnMut(Dialect),
) -> ExitReason {
    let (sender, lines) = bounded(READ_AHEAD);
    std::thread::spawn(move || input::forward(input, &sender));
    let mut session = Session::new(identity.clone(), dialect, output, brain);
    let events = session.driver.events().clone();
    let mut told = None;
    loop {
        if let Some(dialect) = session.dialect().filter(|&dialect| told != Some(dialect)) {
            told = Some(dialect);
            spoken(dialect);
        }
        let flow = crossbeam::select! {
            recv(lines) -> item => {
                let (input, came) = item.unwrap_or_else(|_| (Input::End, Instant::now()));
                session.heard(input, came)
            }
            recv(events) -> event => match event {
                Ok(event) => session.event(event),
                // Unreachable: the driver keeps a sender.
                Err(_) => ControlFlow::Break(ExitReason::EndOfInput),
            },
        };
        if let ControlFlow::Break(reason) = flow {
            return reason;
        }
    }
}

/// Why an option in an [`Input::Latin1`] is not set.
pub(crate) const NOT_UTF8: &str = "not UTF-8, ignored, since the name of a file would change";

/// Is a line empty or a comment? Neither is a command, and neither tells which protocol is spoken.
pub(crate) fn is_comment(line: &str) -> bool {
    let text = line.trim_start();
    text.is_empty() || text.starts_with('#')
}

/// Obeys lines of UCI that are all known beforehand, each when the search before it is over: a client on a stream
/// would wait for its move. Only a search without an end of its own (`go infinite`, `go ponder`, `go mate` where there
/// is no such mate) is not waited for.
pub fn obey(
    identity: &Identity,
    lines: &[String],
    output: &mut dyn Write,
    brain: &mut dyn Brain,
) -> ExitReason {
    let mut session = Session::new(identity.clone(), Some(Dialect::Uci), output, brain);
    let flow = lines.iter().flat_map(|text| text.lines()).try_for_each(|line| {
        session.input(Input::Line(client::text::line(line.as_bytes())))?;
        while session.driver.will_end() {
            let Ok(event) = session.driver.events().recv() else { break };
            session.event(event)?;
        }
        ControlFlow::Continue(())
    });
    match flow {
        ControlFlow::Break(reason) => reason,
        ControlFlow::Continue(()) => {
            session.input(Input::End).break_value().unwrap_or(ExitReason::EndOfInput)
        }
    }
}

/// Whether the session goes on.
pub(crate) type Flow = ControlFlow<ExitReason>;

/// A session without its streams: lines and events go in, lines come out.
pub struct Session<'a> {
    driver: Driver<'a>,
    identity: Identity,
    speech: Speech,
}

enum Speech {
    Undecided,
    Uci(uci::session::Uci),
    Xboard(Box<xboard::session::Xboard>),
}

impl<'a> Session<'a> {
    /// Before the first line.
    pub fn new(
        identity: Identity,
        dialect: Option<Dialect>,
        output: &'a mut dyn Write,
        brain: &'a mut dyn Brain,
    ) -> Self {
        let mut session = Session { driver: Driver::new(brain, output), identity, speech: Speech::Undecided };
        if let Some(dialect) = dialect {
            session.decide(dialect);
        }
        session
    }

    /// The protocol spoken, once it is known.
    pub fn dialect(&self) -> Option<Dialect> {
        match self.speech {
            Speech::Undecided => None,
            Speech::Uci(_) => Some(Dialect::Uci),
            Speech::Xboard(_) => Some(Dialect::Xboard),
        }
    }

    fn decide(&mut self, dialect: Dialect) {
        self.speech = match dialect {
            Dialect::Uci => Speech::Uci(uci::session::Uci::new(self.identity.clone())),
            Dialect::Xboard => Speech::Xboard(Box::new(xboard::session::Xboard::new(self.identity.clone()))),
        };
    }

    /// Obeys a line (or its absence) that comes now.
    pub fn input(&mut self, input: Input) -> Flow {
        self.heard(input, Instant::now())
    }

    /// Obeys a line (or its absence) that came at this moment: a clock that it starts has run since then.
    pub fn heard(&mut self, input: Input, came: Instant) -> Flow {
        if let Input::Line(line) | Input::Latin1(line) | Input::TooLong(line) = &input {
            self.driver.note_received(line);
            if matches!(self.speech, Speech::Undecided) && !is_comment(line) {
                let xboard = line.split_whitespace().next() == Some("xboard");
                self.decide(if xboard { Dialect::Xboard } else { Dialect::Uci });
            }
        }
        let driver = &mut self.driver;
        let flow = match &mut self.speech {
            Speech::Undecided if input == Input::End => ControlFlow::Break(ExitReason::EndOfInput),
            Speech::Undecided => ControlFlow::Continue(()),
            Speech::Uci(uci) => uci.input(driver, input, came),
            Speech::Xboard(xboard) => xboard.input(driver, input, came),
        };
        self.checked(flow)
    }

    /// Passes on what a search said.
    pub fn event(&mut self, event: Event) -> Flow {
        let Some(news) = self.driver.hear(event) else { return ControlFlow::Continue(()) };
        let flow = match &mut self.speech {
            Speech::Undecided => ControlFlow::Continue(()),
            Speech::Uci(uci) => uci.news(&mut self.driver, news),
            Speech::Xboard(xboard) => {
                xboard.news(&mut self.driver, news);
                ControlFlow::Continue(())
            }
        };
        self.checked(flow)
    }

    /// Passes on everything searches have said so far, without waiting for more.
    pub fn pump(&mut self) -> Flow {
        while let Ok(event) = self.driver.events().try_recv() {
            self.event(event)?;
        }
        ControlFlow::Continue(())
    }

    fn checked(&mut self, flow: Flow) -> Flow {
        match self.driver.output_error() {
            Some(error) => ControlFlow::Break(ExitReason::OutputClosed(error)),
            None => flow,
        }
    }
}

/// A session that ends in whatever way leaves no search behind.
impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.driver.abandon();
    }
}
