//! The rules of UCI.

mod greeting;
mod life;
mod limits;
mod output;
mod words;

use super::lines::{self, Spelling};
use super::probe::{Fault, Probe, Seen, broken};
use super::{Rule, Settings, Subject};
use crate::option::{OptionKind, OptionSpec};
use crate::uci::reply::{Line, Reply};
use chess::Game;
use std::time::Duration;

/// Every rule, in the order it is tried.
pub(super) fn rules() -> Vec<Rule<Engine>> {
    [greeting::RULES, words::RULES, limits::RULES, output::RULES, life::RULES].concat()
}

/// A UCI engine past its greeting.
pub(super) struct Engine {
    pub probe: Probe,
    /// What it said to `uci`.
    pub greeting: Vec<String>,
    /// Its options, as far as they can be read.
    pub options: Vec<OptionSpec>,
    /// How it is to write moves.
    spelling: Spelling,
    /// It has answered `isready`.
    is_ready: bool,
}

impl Subject for Engine {
    fn start(settings: &Settings) -> Result<Self, Fault> {
        let mut probe = Probe::start(settings)?;
        probe.send("uci");
        let limit = Duration::from_secs(10).max(settings.patience);
        let greeting = probe.until_within(limit, "uciok", |line| line.trim() == "uciok")?;
        let options = greeting.iter().filter_map(|line| match line.trim().parse() {
            Ok(Reply::Option(spec)) => Some(spec),
            _ => None,
        });
        let options: Vec<OptionSpec> = options.collect();
        // A move from a book has no lines and heeds no limit.
        if options.iter().any(|spec| spec.name.eq_ignore_ascii_case("OwnBook")) {
            probe.send("setoption name OwnBook value false");
        }
        Ok(Engine { probe, greeting, options, spelling: Spelling::Uci, is_ready: false })
    }

    fn probe(&mut self) -> &mut Probe {
        &mut self.probe
    }
}

/// What a search said, `bestmove` last.
pub(super) struct Search {
    pub game: Game,
    pub said: Vec<String>,
    pub best: String,
    pub ponder: Option<String>,
    spelling: Spelling,
}

impl Engine {
    /// `isready`, and what was said before its answer.
    pub fn ready(&mut self) -> Result<Vec<String>, Fault> {
        self.probe.send("isready");
        let mut said = self.probe.until("readyok", |line| line.trim() == "readyok")?;
        said.pop();
        self.is_ready = true;
        Ok(said)
    }

    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|spec| spec.name.eq_ignore_ascii_case(name))
    }

    /// The rule is about an option.
    pub fn need(&self, name: &str) -> Result<(), Fault> {
        match self.option(name) {
            Some(_) => Ok(()),
            None => Err(Fault::NotOffered(format!("no option {name}"))),
        }
    }

    /// Sets an option; the rule is about this value, which the engine may not offer.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        self.need(name)?;
        if let Some(refused) = self.option(name).and_then(|spec| refusal(spec, value)) {
            return Err(Fault::NotOffered(refused));
        }
        self.probe.send(&format!("setoption name {name} value {value}"));
        if name == "UCI_Chess960" {
            self.spelling = if value == "true" { Spelling::Chess960 } else { Spelling::Uci };
        }
        Ok(())
    }

    /// Sets up a position and begins to search; the game is where it searches. UCI has a client wait for `readyok`
    /// before a process searches for the first time: until then it may load its network.
    pub fn begin(&mut self, (fen, moves): (&str, &str), go: &str) -> Result<Game, Fault> {
        if !self.is_ready {
            self.ready()?;
        }
        let start = if fen.is_empty() { "startpos".into() } else { format!("fen {fen}") };
        let tail = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
        self.probe.send(&format!("position {start}{tail}\n{go}"));
        Ok(lines::game(fen, moves))
    }

    /// Waits for the move of a search that has begun.
    pub fn finish(&mut self, game: Game) -> Result<Search, Fault> {
        let said = self.probe.until("bestmove", is_bestmove)?;
        let last = said.last().map(String::as_str).unwrap_or_default();
        let mut words = last.split_whitespace().skip(1);
        let best = words.next().unwrap_or_default().to_string();
        let ponder = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
        Ok(Search { ponder: ponder.map(String::from), game, best, said, spelling: self.spelling })
    }

    /// A whole search, whose move must be legal.
    pub fn search(&mut self, at: (&str, &str), go: &str) -> Result<Search, Fault> {
        let game = self.begin(at, go)?;
        let search = self.finish(game)?;
        search.check_move()?;
        Ok(search)
    }
}

/// Why an option does not take a value, if it does not.
fn refusal(spec: &OptionSpec, value: &str) -> Option<String> {
    let error = spec.parse(Some(value)).err()?;
    Some(match spec.kind {
        OptionKind::Spin { max, .. } if value.parse::<i64>().is_ok_and(|value| value > max) => {
            format!("{} goes to {max} only", spec.name)
        }
        _ => error.to_string(),
    })
}

pub(super) fn is_bestmove(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

impl Search {
    /// Lines of thinking with a score, as text.
    pub fn scored(&self) -> impl Iterator<Item = &str> {
        let told = |line: &&str| line.starts_with("info ") && line.contains(" score ");
        self.said.iter().map(String::as_str).filter(told).filter(|line| !line.starts_with("info string"))
    }

    /// Lines of thinking with a score that can be read.
    pub fn lines(&self) -> Vec<Line> {
        let read = |line: &str| match line.parse() {
            Ok(Reply::Line(line)) => Some(line),
            _ => None,
        };
        self.scored().filter_map(read).collect()
    }

    fn check_move(&self) -> Result<(), Fault> {
        let moves = [Some(self.best.as_str()), self.ponder.as_deref()];
        let moves: Vec<&str> = moves.into_iter().flatten().collect();
        match lines::illegal(&self.game, self.spelling, &moves) {
            Some(fault) => broken(format!("bestmove: {fault}")),
            None => Ok(()),
        }
    }

    /// In a few words.
    pub fn brief(&self) -> Seen {
        let depth = self.lines().last().map_or(0, |line| line.depth);
        Ok(format!("bestmove {} after depth {depth}, {} lines", self.best, self.said.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The move takes the last piece: bare kings are a draw, and the move to ponder on is legal.
    #[test]
    fn a_move_to_ponder_on_may_come_after_a_drawing_move() {
        let search = |ponder: &str| Search {
            game: lines::game("8/8/8/8/8/3k4/1q6/K7 w - - 0 1", ""),
            said: Vec::new(),
            best: "a1b2".into(),
            ponder: Some(ponder.into()),
            spelling: Spelling::Uci,
        };
        assert_eq!(search("d3d4").check_move(), Ok(()));
        assert!(search("d3d5").check_move().is_err());
    }
}
