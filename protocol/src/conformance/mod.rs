//! A checker for engines: every rule of both protocols that clients rely on, tried on a running engine.
//!
//! Each rule has a name, gets a freshly started engine, and says what it saw; none waits without a limit, so
//! a checked engine may hang, babble or die and the report is still complete. The rules are those of the
//! protocol texts (Stefan Meyer-Kahlen's UCI of 2006; Tim Mann's and H.G. Muller's `engine-intf.html`) and of
//! what xboard, cutechess, fastchess, python-chess, PyChess and Scid do with an engine beyond them. Moves are
//! judged by our own rules of chess.

mod lines;
mod probe;
mod uci;
mod xboard;

use client::{EngineConfig, Launcher, Protocol, StartError};
use probe::{Fault, Probe, Seen};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// What is checked, and how patiently.
#[derive(Clone)]
pub struct Settings {
    /// The engine's command, arguments and folder; nothing else of it is used.
    pub config: EngineConfig,
    /// How its processes are started and ended.
    pub launcher: Arc<dyn Launcher>,
    /// How long an answer may take that ought to come at once or after a short search.
    pub patience: Duration,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The engine keeps it.
    Passed,
    /// It breaks it.
    Failed,
    /// It does not offer what the rule is about, nor need it.
    NotOffered,
}

/// How much depends on a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The protocol's text demands it, and clients fail without it.
    Must,
    /// The text is silent or leaves the choice, or says only what an engine should do: good manners, and what single
    /// clients would like.
    Wanted,
}

impl Level {
    /// Its name in documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Wanted => "wanted",
        }
    }
}

/// A rule and what was seen when it was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much depends on it.
    pub level: Level,
    /// The rule, as a sentence.
    pub rule: &'static str,
    /// Whether it is kept.
    pub verdict: Verdict,
    /// What was seen, for a person.
    pub seen: String,
}

/// A rule: how much depends on it, its sentence, and the trial, which gets an engine past its greeting.
type Rule<E> = (Level, &'static str, fn(&mut E) -> Seen);

/// An engine as one of the protocols sees it.
trait Subject: Sized {
    /// Starts it and greets it.
    fn start(settings: &Settings) -> Result<Self, Fault>;
    /// The conversation.
    fn probe(&mut self) -> &mut Probe;
}

/// Why a program is not checked in a protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSpoken {
    /// It does not start, and so speaks none.
    #[error("{0}")]
    NoEngine(StartError),
    /// It starts and gives no answer to this protocol's first word: what was seen.
    #[error("{0}")]
    NoAnswer(String),
}

/// Does the engine answer in this protocol? One that tells no features may still speak xboard's first
/// version.
///
/// # Errors
/// Why not.
pub fn speaks(settings: &Settings, protocol: Protocol) -> Result<(), NotSpoken> {
    let answers = match protocol {
        Protocol::Uci => uci::Engine::start(settings).map(|_| true),
        Protocol::Xboard => xboard::Engine::start(settings).map(|engine| engine.tells_features()),
    };
    match answers {
        Ok(true) => Ok(()),
        Ok(false) => Err(NotSpoken::NoAnswer("it tells no features".into())),
        Err(Fault::NoEngine(error)) => Err(NotSpoken::NoEngine(error)),
        Err(Fault::Broken(seen) | Fault::NotOffered(seen)) => Err(NotSpoken::NoAnswer(seen)),
    }
}

/// What came of a protocol's rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The rules that were tried, in order.
    pub findings: Vec<Finding>,
    /// How many rules were not tried, because `report` broke off.
    pub left_out: usize,
}

impl Checked {
    /// How many rules of a level have come to this.
    #[must_use]
    pub fn count(&self, level: Level, verdict: Verdict) -> usize {
        let fits = |finding: &&Finding| finding.level == level && finding.verdict == verdict;
        self.findings.iter().filter(fits).count()
    }
}

/// How many rules a protocol has.
#[must_use]
pub fn rule_count(protocol: Protocol) -> usize {
    match protocol {
        Protocol::Uci => uci::rules().len(),
        // With that about everything that was said.
        Protocol::Xboard => xboard::rules().len() + 1,
    }
}

/// Tries every rule of a protocol. `report` gets each finding at once, and may end the check there.
pub fn check(
    settings: &Settings,
    protocol: Protocol,
    report: &mut dyn FnMut(&Finding) -> ControlFlow<()>,
) -> Checked {
    match protocol {
        Protocol::Uci => try_all(settings, &uci::rules(), None, report),
        Protocol::Xboard => try_all(settings, &xboard::rules(), Some(xboard::SCANNER), report),
    }
}

/// A rule about everything an engine said during all the others.
type Afterthought = (Level, &'static str, fn(&[String]) -> Seen);

fn try_all<E: Subject>(
    settings: &Settings,
    rules: &[Rule<E>],
    last: Option<Afterthought>,
    report: &mut dyn FnMut(&Finding) -> ControlFlow<()>,
) -> Checked {
    let all = rules.len() + usize::from(last.is_some());
    let mut findings = Vec::new();
    let mut heard = Vec::new();
    let mut note = |level, rule, seen: Seen| {
        let (verdict, seen) = match seen {
            Ok(seen) => (Verdict::Passed, seen),
            Err(Fault::Broken(seen)) => (Verdict::Failed, seen),
            Err(Fault::NotOffered(seen)) => (Verdict::NotOffered, seen),
            Err(Fault::NoEngine(error)) => (Verdict::Failed, error.to_string()),
        };
        let finding = Finding { level, rule, verdict, seen };
        let flow = report(&finding);
        findings.push(finding);
        flow
    };
    // An engine that does not greet is not asked sixty times more; one that has greeted before gets another
    // chance.
    let (mut greeted, mut refusals) = (false, 0);
    for &(level, rule, trial) in rules {
        let chances = if greeted { 2 } else { 0 };
        let seen = if refusals > chances {
            probe::broken("not tried: the engine does not answer `uci` or `protover 2`")
        } else {
            match E::start(settings) {
                Ok(mut engine) => {
                    (greeted, refusals) = (true, 0);
                    let seen = trial(&mut engine);
                    heard.append(&mut engine.probe().take_heard());
                    seen
                }
                Err(fault) => {
                    refusals += 1;
                    Err(fault)
                }
            }
        };
        if note(level, rule, seen).is_break() {
            let left_out = all - findings.len();
            return Checked { findings, left_out };
        }
    }
    if let Some((level, rule, trial)) = last {
        let _ = note(level, rule, trial(&heard));
    }
    Checked { findings, left_out: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the texts leave to an engine breaks no protocol: Stockfish answers `debug` and unknown words aloud. What a
    /// client waits for does.
    #[test]
    fn what_the_texts_demand_is_told_from_what_is_wanted() {
        let uci = uci::rules().into_iter().map(|(level, rule, _)| (level, rule));
        let xboard = xboard::rules().into_iter().map(|(level, rule, _)| (level, rule));
        let all: Vec<(Level, &str)> = uci.chain(xboard).collect();
        let level = |start: &str| {
            let mut found = all.iter().filter(|(_, rule)| rule.starts_with(start)).map(|(level, _)| *level);
            (found.next(), found.next())
        };
        let wanted = [
            "debug and register",
            "unknown commands",
            "Ponder, MultiPV",
            "colors=0",
            // Version 1 of xboard's protocol has no features, and their end is known by the clock, too.
            "protover 2 is answered",
            // "It is permissible for your engine to always ignore the ? command."
            "? makes it move",
            "? and ping in one burst",
            // "It is also permissible for your engine to move immediately if it gets any command while
            // thinking."
            "no move leaves after force",
            "no move leaves after force and setboard",
            "no move leaves after new",
            "no move leaves after result",
            "draw while it thinks",
            "post and nopost work in mid-search",
            // It comes "only when the user is on move".
            "remove takes back two plies, several times in force mode",
            // They "should be indicated" so.
            "mates are 100000",
            // The answer to a command that is not understood "should" be an error.
            "an unknown word is answered",
            // "These commands may be sent to your engine": no more is said of them.
            "accepted and rejected",
            // The line of moves is "freeform text", and lines come "as many or few" as the engine wants.
            "post shows thinking",
            // What an option is called is the engine's own affair, and so is what it shows for it.
            "option MultiPV shows several lines",
            // A client may take back an option by `rejected`.
            "options are of the kinds xboard knows",
        ];
        for rule in wanted {
            assert_eq!(level(rule).0, Some(Level::Wanted), "{rule}");
        }
        let must = [
            "uci is answered",
            "stop is answered",
            "every line shown is legal",
            "ping on its move",
            "? without a search",
            "undo takes back one ply",
            "mates are counted in moves",
        ];
        for rule in must {
            assert_eq!(level(rule), (Some(Level::Must), None), "{rule}");
        }
        // Half of the rules and more are the protocols' own.
        assert!(all.iter().filter(|(level, _)| *level == Level::Must).count() * 2 > all.len());
    }
}

/// Rules tried on engines that are scripts of a shell.
#[cfg(all(test, unix))]
mod scripted {
    use super::*;
    use client::PlainLauncher;

    /// A script under so much patience.
    pub(super) fn settings(script: &str, patience: Duration) -> Settings {
        let config = EngineConfig { args: vec!["-c".into(), script.into()], ..EngineConfig::new("/bin/sh") };
        Settings { config, launcher: Arc::new(PlainLauncher), patience }
    }

    /// What became of the rule that begins so, and all that the engine said.
    pub(super) fn tried<E: Subject>(script: &str, rules: &[Rule<E>], start: &str) -> (Seen, Vec<String>) {
        let settings = settings(script, Duration::from_secs(60));
        let (_, _, trial) = rules.iter().find(|(_, rule, _)| rule.starts_with(start)).expect(start);
        let mut engine = E::start(&settings).expect("it greets");
        let seen = trial(&mut engine);
        (seen, engine.probe().take_heard())
    }
}
