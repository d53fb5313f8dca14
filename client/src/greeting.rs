//! The beginning of a [`Client`]: which protocol its engine speaks, what it says of itself, and its options.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::Receiver;

use super::config::{EngineConfig, Limits, Protocol};
use super::failure::{Failure, FailureKind};
use super::option::{Declared, OptionError, find};
use super::process::{Launcher, NoLine, Process};
use super::start::StartError;
use super::uci::{self, Uci};
use super::xboard::{self, Feature, Xboard};
use super::{Client, Dialect};

/// `done=0` asks for time to set up; xboard grants an hour, a tournament this much.
const SLOW_START: Duration = Duration::from_secs(60);
/// After this much silence an engine has said all its features (xboard's rule).
const FEATURES: Duration = Duration::from_secs(2);
/// How long an xboard engine that has said nothing at all may take once it is greeted again: GNU Chess 6, whose threads
/// race for its standard input, often hangs until one more line comes.
const AGAIN: Duration = Duration::from_secs(1);
/// An engine that has said something, but nothing of features, is waited for this long (cutechess's rule).
const BANNER: Duration = Duration::from_secs(8);
/// How long an engine may be silent in UCI before it is asked whether it speaks the other protocol.
const GUESS: Duration = Duration::from_secs(3);
/// How many times an engine that is silent is asked whether it speaks xboard's protocol.
const GUESSES: u32 = 3;

/// Starts an engine and greets it in a protocol, with the silence that is allowed, and whether it is a guess.
type Greet<'a> = dyn Fn(Protocol, Duration, bool) -> Result<Client, Failure> + 'a;

/// How long each try to greet an xboard engine waits: the short ones, and the last. Together they take the
/// `whole` time to start. An engine that hangs is met by many tries, one that is slow by a long one: the last
/// has half of the time, and 4 s at least where there are as many, so that more time never makes the longest
/// try shorter. Of the others each from the fourth on has twice the time of the one before.
fn tries(whole: Duration) -> (Vec<Duration>, Duration) {
    let last = (whole / 2).max(whole.min(2 * FEATURES));
    let (mut short, mut silence, mut rest) = (Vec::new(), FEATURES, whole - last);
    while !rest.is_zero() {
        // A rest that is too short for another try belongs to this one.
        let this = if rest < silence + FEATURES / 2 { rest } else { silence };
        short.push(this);
        rest -= this;
        if short.len() >= 3 {
            silence *= 2;
        }
    }
    (short, last)
}

impl Dialect {
    /// The lines that set a configuration's options, every name and value checked against what the engine declared; and
    /// the options that the engine does not take, where the configuration is lenient.
    pub(super) fn option_lines(
        &self,
        config: &EngineConfig,
    ) -> Result<(String, Vec<OptionError>), OptionError> {
        let mut lines = match self {
            Dialect::Uci(uci) => uci.resource_lines(config)?,
            Dialect::Xboard(xboard) => xboard.resource_lines(config)?,
        };
        let mut left_out = Vec::new();
        for (name, value) in &config.options {
            match self.option_line(config, name, value) {
                Ok(line) => lines += &line,
                Err(why) if config.lenient => left_out.push(why),
                Err(why) => return Err(why),
            }
        }
        if let Dialect::Uci(uci) = self {
            lines += &uci.ponder_line(config)?;
        }
        Ok((lines, left_out))
    }

    /// The line that sets one option, or what is wrong with it.
    fn option_line(&self, config: &EngineConfig, name: &str, value: &str) -> Result<String, OptionError> {
        let option = find(self.declared(), name)?;
        if config.fastchess_options && option.is_button() && value != "true" {
            let why = "a button takes `true` and no other value".to_owned();
            return Err(OptionError::Value { name: option.name.clone(), why });
        }
        match self {
            Dialect::Uci(_) => uci::option_line(option, value),
            Dialect::Xboard(_) => xboard::option_line(option, value),
        }
    }
}

impl Client {
    /// Starts an engine, finds out its protocol if that is not given, and sets its options.
    ///
    /// Only an engine that answers in a protocol is taken to speak it; one that ends at the word `uci` may
    /// speak xboard. One that was silent in both for a while is given its whole time to start in UCI. An
    /// engine of the first version of xboard's protocol, which has no answer to give, needs `protocol` set.
    ///
    /// # Errors
    /// Whatever keeps it from getting ready.
    pub fn start(
        config: &EngineConfig,
        launcher: &Arc<dyn Launcher>,
        abort: &Receiver<()>,
    ) -> Result<Self, Failure> {
        let greet =
            |protocol, silence, guessed| Self::greet(config, protocol, silence, guessed, launcher, abort);
        let whole = config.start_timeout;
        let mut client = match config.protocol {
            Some(Protocol::Xboard) => Self::wake(&greet, whole, config.greets)?,
            Some(Protocol::Uci) => greet(Protocol::Uci, whole, false)?,
            None => Self::guess(&greet, whole)?,
        };
        client.set_options()?;
        Ok(client)
    }

    /// Greets an xboard engine. One that says nothing at all, greeted again as well, is started anew while its time to
    /// start lasts; so is one that `greets` and tells no features.
    fn wake(greet: &Greet, whole: Duration, greets: bool) -> Result<Self, Failure> {
        let (short, last) = tries(whole);
        for silence in short {
            let client = greet(Protocol::Xboard, silence, false)?;
            if client.features_seen || client.process.has_spoken() && !greets {
                return Ok(client);
            }
        }
        greet(Protocol::Xboard, last, greets)
    }

    /// Finds out the protocol: UCI first, then xboard, a few times where the engine hangs (see [`Self::wake`]).
    fn guess(greet: &Greet, whole: Duration) -> Result<Self, Failure> {
        let first = match greet(Protocol::Uci, whole.min(GUESS), true) {
            Err(failure) if failure.says_nothing() => failure,
            greeted => return greeted,
        };
        let mut hangs = true;
        for _ in 0..GUESSES {
            match greet(Protocol::Xboard, FEATURES, true) {
                Err(second) if matches!(second.kind, FailureKind::Stall { .. }) => {}
                Err(second) if second.says_nothing() => {
                    hangs = false;
                    break;
                }
                greeted => return greeted,
            }
        }
        if matches!(first.kind, FailureKind::Start(_)) {
            // The first failure names what was asked first.
            return Err(first);
        }
        let greeted = greet(Protocol::Uci, whole, false);
        greeted.map_err(|failure| if hangs { failure.at_either_greeting() } else { failure })
    }

    /// Starts the process and says hello. An engine that says nothing of the protocol for as long as
    /// `silence` does not speak it; where it is xboard's and not `guessed`, it speaks version 1, which has no
    /// answer.
    fn greet(
        config: &EngineConfig,
        protocol: Protocol,
        silence: Duration,
        guessed: bool,
        launcher: &Arc<dyn Launcher>,
        abort: &Receiver<()>,
    ) -> Result<Self, Failure> {
        let process = Process::start(config, Arc::clone(launcher), abort.clone())?;
        let dialect = match protocol {
            Protocol::Uci => Dialect::Uci(Uci::default()),
            Protocol::Xboard => Dialect::Xboard(Xboard::default()),
        };
        let mut client = Self {
            process,
            dialect,
            config: config.clone(),
            name: None,
            author: None,
            limits: Limits::default(),
            unasked: 0,
            last: None,
            moved: false,
            asked: false,
            has_played: false,
            features_seen: false,
            chess960: false,
            said: Vec::new(),
            left_out: Vec::new(),
        };
        if !config.init_lines.is_empty() {
            client.process.send(&config.init_lines.join("\n"));
        }
        let greeted = match protocol {
            Protocol::Uci => client.uci_handshake(silence),
            Protocol::Xboard => client.xboard_handshake(silence, guessed),
        };
        greeted.map_err(|failure| failure.before_greeting(config))?;
        let bound = client.process.greeted();
        let refused = |error| Failure::new(FailureKind::Start(StartError::Unbound { why: error }));
        bound.map(|()| client).map_err(|error| refused(error.to_string()))
    }

    fn set_options(&mut self) -> Result<(), Failure> {
        let (lines, left_out) = self
            .dialect
            .option_lines(&self.config)
            .map_err(|error| self.failure(FailureKind::Option(error)))?;
        self.left_out = left_out;
        if !lines.is_empty() {
            self.process.send(lines.trim_end());
        }
        self.wait_until_ready(!lines.is_empty())?;
        Ok(())
    }

    /// Keeps a line of the greeting that is no part of it: where lines were sent before it, they may have set options.
    fn keep_early(&mut self, line: &str) {
        if !self.config.init_lines.is_empty() {
            self.keep(line);
        }
    }

    fn uci_handshake(&mut self, silence: Duration) -> Result<(), Failure> {
        let mut patience = silence;
        let asked_at = self.process.send("uci");
        loop {
            let line = self.expect_line(asked_at + patience, "uci", patience)?;
            let line = line.trim();
            if line == "uciok" {
                return Ok(());
            }
            let Dialect::Uci(uci) = &mut self.dialect else { return Ok(()) };
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = Some(name.trim().to_owned());
            } else if let Some(author) = line.strip_prefix("id author ") {
                self.author = Some(author.trim().to_owned());
            } else if let Some(option) = Declared::read_uci(line) {
                uci.declared.push(option);
            } else {
                self.keep_early(line);
                continue;
            }
            // It speaks UCI.
            patience = self.config.start_timeout;
        }
    }

    fn xboard_handshake(&mut self, silence: Duration, guessed: bool) -> Result<(), Failure> {
        let asked_at = self.process.send("xboard\nprotover 2");
        let banner = asked_at + BANNER.min(self.config.start_timeout);
        let mut allowed = silence;
        let mut deadline = asked_at + allowed;
        let whole = deadline + self.config.start_timeout.max(SLOW_START);
        let (mut asked_for_time, mut asked_again) = (false, false);
        loop {
            let line = match self.process.line(Some(deadline)) {
                Ok((_, line)) => line,
                Err(NoLine::Timeout) if !asked_again && !self.process.has_spoken() => {
                    asked_again = true;
                    deadline = self.process.send("protover 2") + AGAIN;
                    continue;
                }
                Err(NoLine::Timeout) if asked_for_time || guessed && !self.features_seen => {
                    return Err(self.stalled("protover 2", allowed));
                }
                // That was all, and an engine of protocol version 1 says nothing.
                Err(NoLine::Timeout) => return Ok(()),
                Err(other) => return Err(self.gone(other)),
            };
            let Dialect::Xboard(xboard) = &mut self.dialect else { return Ok(()) };
            let Some(features) = xboard.features.read(&line) else {
                if !self.features_seen && !guessed {
                    deadline = deadline.max(banner);
                }
                self.keep_early(&line);
                continue;
            };
            self.features_seen = true;
            if !asked_for_time {
                allowed = FEATURES;
            }
            deadline = (Instant::now() + allowed).min(whole);
            let mut done = false;
            let mut answers = String::new();
            for feature in features {
                match feature {
                    Feature::Accepted(name) => answers += &format!("accepted {name}\n"),
                    Feature::Rejected(name) => answers += &format!("rejected {name}\n"),
                    Feature::Done(true) => done = true,
                    Feature::Done(false) => {
                        asked_for_time = true;
                        allowed = self.config.start_timeout.max(SLOW_START);
                        deadline = whole;
                    }
                }
            }
            self.name = xboard.features.name.clone();
            if !answers.is_empty() {
                self.process.send(answers.trim_end());
            }
            if done {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By tenths of a second up to two minutes.
    #[test]
    fn more_time_to_start_never_makes_the_longest_try_shorter() {
        let mut longest = Duration::ZERO;
        for tenths in 0..=1200 {
            let whole = Duration::from_millis(100 * tenths);
            let (short, last) = tries(whole);
            assert_eq!(short.iter().sum::<Duration>() + last, whole);
            assert!(
                last >= whole / 2 && short.iter().all(|&silence| silence <= last),
                "{whole:?}: {short:?}"
            );
            assert!(last >= longest, "{whole:?}: {last:?} after {longest:?}");
            longest = last;
        }
        let seconds = Duration::from_secs;
        assert_eq!(tries(seconds(10)), (vec![seconds(2), seconds(2), seconds(1)], seconds(5)));
        let (short, last) = tries(seconds(76));
        assert_eq!((short, last), ([2, 2, 2, 4, 8, 16, 4].map(seconds).to_vec(), seconds(38)));
        assert_eq!(tries(Duration::ZERO), (Vec::new(), Duration::ZERO));
        // The longest that a configuration may say.
        assert!(tries(seconds(320_000_000)).0.len() < 40);
    }
}
