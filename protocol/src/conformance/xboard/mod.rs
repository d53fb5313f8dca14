//! The rules of xboard's protocol (CECP version 2).

mod analysis;
mod board;
mod clocks;
mod features;
mod life;
mod machine;
mod play;
mod thinking;

use super::lines;
use super::probe::{Fault, Probe, Seen, broken};
use super::{Afterthought, Level, Rule, Settings, Subject};
use chess::Game;
use client::{own_move, pairs};
use std::time::Duration;

/// Every rule, in the order it is tried.
pub(super) fn rules() -> Vec<Rule<Engine>> {
    [
        features::RULES,
        board::RULES,
        clocks::RULES,
        play::RULES,
        thinking::RULES,
        analysis::RULES,
        machine::RULES,
        life::RULES,
    ]
    .concat()
}

/// Words that xboard's scanner acts upon wherever it finds them, standard error included.
pub(super) const SCANNER: Afterthought =
    (Level::Must, "nothing it ever said holds a word that xboard's scanner takes for a failure", scanner);

/// An xboard engine past its greeting.
pub(super) struct Engine {
    pub probe: Probe,
    /// What it said to `protover 2`.
    pub greeting: Vec<String>,
    features: Vec<(String, String)>,
    pings: u32,
}

/// xboard waits so long for features of an engine that does not ask for more.
const FEATURES: Duration = Duration::from_secs(2);
/// Engines that ask for more with `done=0` get this much.
const SLOW: Duration = Duration::from_secs(30);
/// Engines that cannot be pinged are given this long to take in what they were told.
const SETTLE: Duration = Duration::from_millis(300);

impl Subject for Engine {
    fn start(settings: &Settings) -> Result<Self, Fault> {
        let mut probe = Probe::start(settings)?;
        probe.send("xboard\nprotover 2");
        let slow = |line: &str| line.contains("done=0");
        let done = |line: &str| line.starts_with("feature") && line.contains("done=1");
        let mut greeting = match probe.until_within(FEATURES, "done=1", |line| done(line) || slow(line)) {
            Ok(said) => said,
            // No features, or no end of them: protocol version 1, which is allowed. What it said is kept for
            // the rules.
            Err(_) => probe.recent().to_vec(),
        };
        if greeting.last().is_some_and(|line| slow(line) && !done(line)) {
            greeting.extend(probe.until_within(SLOW, "done=1", done)?);
        }
        let features: Vec<(String, String)> = greeting
            .iter()
            .filter_map(|line| line.trim_start().strip_prefix("feature "))
            .flat_map(pairs)
            .collect();
        // A move from a book has no lines and heeds no limit.
        if features.iter().any(|(name, value)| name == "option" && value.starts_with("OwnBook ")) {
            probe.send("option OwnBook=0");
        }
        let mut engine = Engine { probe, greeting, features, pings: 0 };
        // It must be alive to be asked anything.
        engine.probe.listen(Duration::ZERO)?;
        Ok(engine)
    }

    fn probe(&mut self) -> &mut Probe {
        &mut self.probe
    }
}

impl Engine {
    /// Did it answer `protover 2`?
    pub fn tells_features(&self) -> bool {
        !self.features.is_empty()
    }

    /// What it told of a feature last.
    pub fn feature(&self, name: &str) -> Option<&str> {
        let told = self.features.iter().rfind(|(feature, _)| feature == name);
        told.map(|(_, value)| value.as_str())
    }

    /// Its options, as `NAME -KIND ...`.
    pub fn options(&self) -> impl Iterator<Item = &str> {
        self.features.iter().filter(|(feature, _)| feature == "option").map(|(_, value)| value.as_str())
    }

    /// The rule is about a feature.
    pub fn need(&self, feature: &str) -> Result<(), Fault> {
        match self.feature(feature) {
            Some("1") => Ok(()),
            _ => Err(Fault::NotOffered(format!("no feature {feature}=1"))),
        }
    }

    /// Waits until everything sent has been dealt with; returns what was said before.
    pub fn sync(&mut self) -> Result<Vec<String>, Fault> {
        if self.feature("ping") != Some("1") {
            return self.probe.listen(SETTLE);
        }
        self.pings += 1;
        let number = self.pings;
        self.probe.send(&format!("ping {number}"));
        let mut said = self.probe.until(&format!("pong {number}"), |line| is_pong(line, number))?;
        said.pop();
        Ok(said)
    }

    /// Sends lines and waits until they have been dealt with.
    pub fn tell(&mut self, text: &str) -> Result<Vec<String>, Fault> {
        self.probe.send(text);
        self.sync()
    }

    /// Sends lines into a search of its own move. As xboard does, it interrupts an engine that did not ask it
    /// not to: those of the old kind look at their input only then.
    pub fn interject(&mut self, text: &str) {
        if self.feature("sigint") != Some("0") {
            // Where there are no signals the words alone must do.
            let _ = self.probe.signal("INT");
        }
        self.probe.send(text);
    }

    /// A move as this engine wants it.
    pub fn spelled(&self, mv: &str) -> String {
        if self.feature("usermove") == Some("1") { format!("usermove {mv}") } else { mv.into() }
    }

    /// Moves of both sides, to be sent in force mode.
    pub fn moves(&self, moves: &str) -> String {
        moves.split_whitespace().map(|mv| self.spelled(mv)).collect::<Vec<_>>().join("\n")
    }

    /// A position, by `setboard`.
    pub fn set_board(&mut self, fen: &str) -> Result<(), Fault> {
        self.need("setboard")?;
        self.probe.send(&format!("force\nsetboard {fen}"));
        Ok(())
    }

    /// Waits for its move, which must be legal, and plays it.
    pub fn its_move(&mut self, game: &mut Game) -> Result<Answer, Fault> {
        let said = self.probe.until("move", |line| moved(line).is_some() || is_result(line))?;
        let last = said.last().cloned().unwrap_or_default();
        let Some(text) = moved(&last) else { return broken(format!("{last} instead of a move")) };
        let Some(mv) = lines::read(game.position(), text) else {
            return broken(format!("move {text} is illegal in {}", game.position().fen()));
        };
        // Read in this position, so it can be played.
        let _ = game.play(mv);
        Ok(Answer { mv: text.to_string(), said })
    }

    /// A new game with short searches shown. What it says to these words is other rules' concern.
    pub fn quick_game(&mut self) -> Result<(), Fault> {
        self.tell("new\neasy\npost\nst 1\nsd 4").map(|_| ())
    }
}

/// A move, and all that was said until then.
pub(super) struct Answer {
    pub mv: String,
    pub said: Vec<String>,
}

impl Answer {
    pub fn brief(&self) -> Seen {
        Ok(format!("move {}", self.mv))
    }
}

pub(super) fn is_pong(line: &str, number: u32) -> bool {
    line.trim().strip_prefix("pong ").is_some_and(|rest| rest.trim() == number.to_string())
}

/// The engine's move, in either of the protocol's forms.
pub(super) fn moved(line: &str) -> Option<&str> {
    own_move(line)
}

pub(super) fn is_result(line: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2", "resign"].iter().any(|result| line.trim().starts_with(result))
}

pub(super) fn is_error(line: &str) -> bool {
    line.starts_with("Error") || line.starts_with("Illegal")
}

/// A thinking line: depth, score, time, nodes, and a line of moves.
pub(super) fn is_thinking(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let depth = words.next().map(|word| word.trim_end_matches(['.', '+', '-', '&', '!', '?']));
    let depth = depth.and_then(|depth| depth.parse::<i64>().ok());
    let numbers: Vec<i64> =
        depth.into_iter().chain(words.map_while(|word| word.parse().ok())).take(4).collect();
    // Four zeros are how an engine writes free text, or what its book says.
    numbers.len() == 4 && numbers.iter().any(|&number| number != 0)
}

/// The rule is broken if anything said is of this kind.
pub(super) fn without(said: &[String], what: &str, bad: fn(&str) -> bool) -> Seen {
    match said.iter().find(|line| bad(line)) {
        Some(line) => broken(format!("{what}: {line}")),
        None => Ok(format!("{} lines, no {what}", said.len())),
    }
}

fn scanner(heard: &[String]) -> Seen {
    const TRIGGERS: [&str; 5] =
        ["not found", "No such file", "Permission denied", "unknown host", "can't alloc"];
    let protected =
        |line: &str| line.starts_with('#') || line.starts_with("Error") || line.starts_with("tell");
    let heard: Vec<&String> = heard.iter().filter(|line| !protected(line)).collect();
    match heard.iter().find(|line| TRIGGERS.iter().any(|trigger| line.contains(trigger))) {
        Some(line) => broken(format!("it said: {line}")),
        None => Ok(format!("{} lines", heard.len())),
    }
}
