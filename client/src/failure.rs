//! What can be wrong with an engine, told apart so that a report can say more than "disconnected".

use std::fmt;
use std::process::ExitStatus;
use std::time::Duration;

use super::config::EngineConfig;
use super::option::OptionError;
use super::start::StartError;

/// What an engine was asked and did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// This command.
    Command(String),
    /// The greetings of both protocols, one after the other.
    EitherGreeting,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Command(command) => write!(f, "`{command}`"),
            Question::EitherGreeting => f.write_str("`uci` or `protover 2`"),
        }
    }
}

/// The kinds of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureKind {
    /// The program could not be started, or ended before it had greeted.
    Start(StartError),
    /// The process ended: by itself (with this status) or by a signal.
    Crash(ExitStatus),
    /// The engine closed its standard output but its process lives on.
    Disconnect,
    /// No answer to what was asked, after this long.
    Stall {
        /// What was not answered.
        waiting_for: Question,
        /// How long the engine was given.
        after: Duration,
    },
    /// The engine does not have an option, or does not take the value for it.
    Option(OptionError),
    /// The engine cannot play this game: a variant or a start position it does not know.
    Unable(String),
    /// The caller gave up the game; the engine is not to blame.
    Aborted,
}

/// A failure together with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What happened.
    pub kind: FailureKind,
    /// The last lines of standard error, oldest first.
    pub stderr: Vec<String>,
    /// The last lines sent to the engine, oldest first.
    pub sent: Vec<String>,
}

impl Failure {
    /// A failure about which no more is known than its kind.
    #[must_use]
    pub fn new(kind: FailureKind) -> Self {
        Self { kind, stderr: Vec::new(), sent: Vec::new() }
    }

    /// The same failure of an engine that has not greeted yet: one that ended did not start.
    pub(super) fn before_greeting(self, config: &EngineConfig) -> Self {
        let status = match self.kind {
            FailureKind::Crash(status) => Some(status),
            FailureKind::Disconnect => None,
            _ => return self,
        };
        let last_words = self.stderr.iter().rfind(|line| !line.is_empty()).map(|line| line.as_str().into());
        let ended = StartError::Ended { program: config.program(), status, last_words };
        Self { kind: FailureKind::Start(ended), ..self }
    }

    /// The same failure of an engine that was as silent when it was greeted in the other protocol.
    pub(super) fn at_either_greeting(mut self) -> Self {
        if let FailureKind::Stall { waiting_for, .. } = &mut self.kind {
            *waiting_for = Question::EitherGreeting;
        }
        self
    }

    /// Did the engine run and give no answer in the protocol it was greeted in?
    pub(super) fn says_nothing(&self) -> bool {
        matches!(self.kind, FailureKind::Stall { .. } | FailureKind::Start(StartError::Ended { .. }))
    }

    /// One word for tables: `start`, `crash`, `disconnect`, `stall`, `option`, `unable`, `aborted`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.kind {
            FailureKind::Start(_) => "start",
            FailureKind::Crash(_) => "crash",
            FailureKind::Disconnect => "disconnect",
            FailureKind::Stall { .. } => "stall",
            FailureKind::Option(_) => "option",
            FailureKind::Unable(_) => "unable",
            FailureKind::Aborted => "aborted",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FailureKind::Start(error) => error.fmt(f),
            FailureKind::Option(error) => error.fmt(f),
            FailureKind::Unable(why) => f.write_str(why),
            // ExitStatus says "exit status: 3" or "signal: 11 (SIGSEGV) (core dumped)".
            FailureKind::Crash(status) => write!(f, "its process ended ({status})"),
            FailureKind::Disconnect => f.write_str("it closed its output while its process lives on"),
            FailureKind::Stall { waiting_for, after } => {
                write!(f, "no answer to {waiting_for} within {:.1} s", after.as_secs_f64())
            }
            FailureKind::Aborted => f.write_str("the game was given up"),
        }
    }
}

impl std::error::Error for Failure {}
