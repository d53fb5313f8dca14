//! The rules of xboard's protocol (CECP version 2).

mod analysis;
mod board;
mod clocks;
mod features;
mod life;
mod machine;
mod play;
mod thinking;

use super::lines::{self, QUIET, game};
use super::probe::{Fault, Probe, Seen, broken};
use super::{Afterthought, Level, Rule, Settings, Subject};
use crate::xboard::reply::FAILURES;
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

/// Words that xboard's scanner acts upon where it looks for them, standard error included.
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
/// The time for a move by `st 1`, which most rules grant.
const MOVE_TIME: Duration = Duration::from_secs(1);
/// The longest time that a limit of [`Engine::search`] grants.
const LONGEST: Duration = Duration::from_secs(2);
/// Engines that cannot be pinged are given this long to take in what they were told.
const SETTLE: Duration = Duration::from_millis(300);
/// A thought that ends so soon was none, or cannot be interrupted.
const AT_ONCE: Duration = Duration::from_millis(300);
/// What makes a thought a long and silent one.
const LONG: &str = "nopost\nlevel 0 60 0";

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
        let features: Vec<(String, String)> = greeting.iter().flat_map(|line| features_of(line)).collect();
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

    /// The rule is about what the protocol sends every engine that does not decline it.
    pub fn not_declined(&self, feature: &str) -> Result<(), Fault> {
        match self.feature(feature) {
            Some("0") => Err(Fault::NotOffered(format!("feature {feature}=0"))),
            _ => Ok(()),
        }
    }

    /// Lines that tell both clocks, in centiseconds; none for an engine that has declined them.
    pub fn clocks(&self, time: i64) -> String {
        let declined = self.not_declined("time").is_err();
        if declined { String::new() } else { format!("time {time}\notim {time}\n") }
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
        self.its_move_after(MOVE_TIME, game)
    }

    /// The same where it has been granted this time.
    pub fn its_move_after(&mut self, granted: Duration, game: &mut Game) -> Result<Answer, Fault> {
        let is_end = |line: &str| own_move(line).is_some() || is_result(line);
        let said = self.probe.until_after(granted, "move", is_end)?;
        let last = said.last().cloned().unwrap_or_default();
        let Some(text) = own_move(&last) else { return broken(format!("{last} instead of a move")) };
        let Some(mv) = lines::read(game.position(), text) else {
            return broken(format!("move {text} is illegal in {}", game.position().fen()));
        };
        // Read in this position, so it can be played.
        let _ = game.play(mv);
        Ok(Answer { mv: text.to_string(), said })
    }

    /// Sets up a position in a new game, in force mode: `go` begins a search, which is shown. These words come before
    /// the position.
    pub fn set_up(&mut self, (fen, moves): (&str, &str), words: &str) -> Result<(), Fault> {
        self.probe.send(&format!("new\neasy\npost\n{words}"));
        if !fen.is_empty() {
            self.set_board(fen)?;
        }
        // What the game before had to say is not this search's.
        self.tell(&format!("force\n{}", self.moves(moves))).map(drop)
    }

    /// Its move in a position under these limits, and all that it says until then.
    pub fn search(&mut self, (fen, moves): (&str, &str), limits: &str) -> Result<Answer, Fault> {
        self.set_up((fen, moves), limits)?;
        self.probe.send("go");
        self.its_move_after(LONGEST, &mut game(fen, moves))
    }

    /// It thinks about [`QUIET`] under these limits: what it says at first. An engine that moves at once, as from a
    /// book, cannot be interrupted.
    pub fn think(&mut self, limits: &str) -> Result<Vec<String>, Fault> {
        self.set_up(("", QUIET), limits)?;
        self.probe.send("go");
        let said = self.probe.listen(AT_ONCE)?;
        if said.iter().any(|line| own_move(line).is_some()) {
            return Err(Fault::NotOffered("it moved at once".into()));
        }
        Ok(said)
    }

    /// It has moved in [`QUIET`], and may ponder.
    pub fn ponder(&mut self) -> Result<Game, Fault> {
        self.set_up(("", QUIET), "hard\nlevel 0 5 0")?;
        self.probe.send(&format!("{}go", self.clocks(1000)));
        let mut board = game("", QUIET);
        self.its_move(&mut board)?;
        Ok(board)
    }

    /// A new game with short searches shown. What it says to these words is other rules' concern.
    pub fn quick_game(&mut self) -> Result<(), Fault> {
        self.tell("new\neasy\npost\nst 1\nsd 4").map(|_| ())
    }
}

/// The features that a line tells.
fn features_of(line: &str) -> Vec<(String, String)> {
    line.trim_start().strip_prefix("feature ").map(pairs).unwrap_or_default()
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

pub(super) fn is_result(line: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2", "resign"].iter().any(|result| line.trim().starts_with(result))
}

/// A complaint, but for the one that an engine without clocks may answer `time` and `otim` by.
pub(super) fn is_error(line: &str) -> bool {
    let command = line.split_once("):").and_then(|(_, command)| command.split_whitespace().next());
    let of_clocks = matches!(command, Some("time" | "otim"));
    (line.starts_with("Error") && !of_clocks) || line.starts_with("Illegal")
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

/// xboard acts upon complaints and upon what is told the user before it looks for these words. Nor does it look at the
/// comments of an engine with `debug=1`, which it accepts of every engine.
fn scanner(heard: &[String]) -> Seen {
    let mut features = heard.iter().flat_map(|line| features_of(line));
    let debug = features.any(|(name, value)| name == "debug" && value == "1");
    let passed = |line: &str| {
        ["Error", "Illegal move", "tell"].iter().any(|start| line.starts_with(start))
            || (debug && line.starts_with('#'))
    };
    let heard: Vec<&String> = heard.iter().filter(|line| !passed(line)).collect();
    match heard.iter().find(|line| FAILURES.iter().any(|failure| line.contains(failure))) {
        Some(line) => broken(format!("it said: {line}")),
        None => Ok(format!("{} lines", heard.len())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::scripted::{settings, tried};
    use super::*;

    /// It plays one move for either side, writes down what it is told, and has these features; clocks and
    /// `analyze` it answers as the text allows.
    fn engine(features: &str) -> String {
        let script = "\
trap 'echo \"# signal\"; exit 3' INT TERM
while read -r word rest; do
  printf '# %s %s\\n' \"$word\" \"$rest\"
  case $word in
    protover) echo 'feature ping=1 setboard=1 pause=1 FEATURES done=1' ;;
    ping) echo \"pong $rest\" ;;
    time|otim|analyze) echo \"Error (unknown command): $word\" ;;
    go) echo '1 10 5 100 h7h6'; [ \"$paused\" ] || echo 'move e2e4' ;;
    resume) echo 'move e2e4' ;;
    e2e4) echo 'move e7e5' ;;
    quit) exit 0 ;;
  esac
done";
        script.replace("FEATURES", features)
    }

    /// Everything it was told with this word.
    fn told<'a>(heard: &'a [String], word: &str) -> Vec<&'a str> {
        let of_word = |line: &'a String| line.strip_prefix("# ")?.strip_prefix(word)?.strip_prefix(' ');
        heard.iter().filter_map(of_word).collect()
    }

    #[test]
    fn what_an_engine_has_declined_is_not_sent() {
        let engine = engine("draw=0 colors=0 time=0 reuse=0 analyze=0 sigint=0 sigterm=0");
        // Beside each rule a word that it must have come to.
        let others = [
            ("the words every client opens with", "post"),
            ("draw, result and white/black", "go"),
            ("several games in one process", "protover"),
            ("level 0 0:02 0", "go"),
            ("level may come in mid-game", "go"),
            ("time 1, time 0", "protover"),
            ("no move leaves after force", "force"),
            ("draw and result while pondering", "result"),
            ("draw while it thinks", "protover"),
            ("before the lines of a ponder search", "go"),
            ("analyze thinks", "protover"),
        ];
        let of_life = life::RULES.iter().map(|&(_, rule, _)| (rule, "protover"));
        for (rule, word) in others.into_iter().chain(of_life) {
            let (seen, heard) = tried(&engine, &rules(), rule);
            assert!(!told(&heard, word).is_empty(), "{rule}: {seen:?} {heard:?}");
            for declined in ["draw", "white", "black", "time", "otim", "analyze"] {
                assert!(told(&heard, declined).is_empty(), "{rule}: {declined}");
            }
            assert!(!heard.contains(&"# signal".to_string()), "{rule}");
        }
        for rule in ["several games in one process", "quit ends it while it analyses"] {
            let (seen, _) = tried(&engine, &rules(), rule);
            assert!(matches!(seen, Err(Fault::NotOffered(_))), "{rule}: {seen:?}");
        }
    }

    /// An engine that has not declined its clocks may answer them by an error.
    #[test]
    fn an_engine_without_clocks_may_say_so() {
        let (seen, heard) = tried(&engine("sigint=0"), &rules(), "the words every client opens with");
        assert!(heard.iter().any(|line| line == "Error (unknown command): time"), "{heard:?}");
        assert!(seen.is_ok(), "{seen:?}");
        assert!(is_error("Error (unknown command): level") && is_error("Illegal move: e2e5"));
    }

    /// The shell needs longer than the patience is.
    #[test]
    fn a_move_may_take_the_time_that_was_granted_for_it() {
        let settings = settings(&engine("sigint=0"), Duration::from_nanos(1));
        let mut engine = Engine::start(&settings).expect("it greets");
        engine.probe.send("go");
        let answer = engine.its_move_after(Duration::from_secs(60), &mut game("", ""));
        assert_eq!(answer.map(|answer| answer.mv), Ok("e2e4".into()));
    }

    /// In the source of xboard 4.9 lines that begin with `Error`, `Illegal move` and `tell` are dealt with before these
    /// words are looked for (`HandleMachineMove`), and comments only where it was told of them.
    #[test]
    fn words_of_failure_break_the_rule_where_xboard_looks_for_them() {
        fn rule(lines: &[&str]) -> Seen {
            scanner(&lines.iter().map(|&line| line.into()).collect::<Vec<String>>())
        }
        for line in [
            "book.bin: No such file or directory",
            "No remote directory",
            "ssh: unknown host",
            "# Permission denied",
            "can't alloc table",
        ] {
            assert_eq!(rule(&["feature ping=1", line]), broken(format!("it said: {line}")));
        }
        assert!(rule(&["Error (not found): option", "tellusererror No such file or directory"]).is_ok());
        assert!(rule(&["feature ping=1 debug=1 done=1", "# Permission denied", "move e2e4"]).is_ok());
        assert!(rule(&["feature debug=1", "Permission denied"]).is_err());
        // It looks for just these letters.
        assert!(rule(&["Not found: x"]).is_ok());
    }

    /// So may one that does not analyse, by the older way to say so.
    #[test]
    fn an_engine_without_analysis_may_say_so() {
        for rule in ["analyze thinks", "analysis goes on", "analysis never plays"] {
            let (seen, _) = tried(&engine("sigint=0"), &rules(), rule);
            assert_eq!(seen, Err(Fault::NotOffered("Error (unknown command): analyze".into())), "{rule}");
        }
    }

    /// Fractions in `st` are another rule's, and so is the processor time of an idle engine.
    #[test]
    fn rules_of_the_text_need_nothing_that_is_only_wanted() {
        let (_, heard) = tried(&engine("sigint=0"), &rules(), "st holds beside sd");
        let times = told(&heard, "st");
        assert!(!times.is_empty() && times.iter().all(|time| time.parse::<u32>().is_ok()), "{times:?}");
        let (seen, _) = tried(&engine("sigint=0"), &rules(), "draw and result while pondering");
        assert_eq!(seen, Ok("move e2e4".into()));
    }

    /// As from a book. The move comes with the answer to the ping before `go`, in one write, so that no time passes
    /// between them.
    #[test]
    fn rules_about_a_thought_are_neither_kept_nor_broken_by_a_move_at_once() {
        let script = "\
while read -r word rest; do
  case $word in
    protover) echo 'feature ping=1 setboard=1 pause=1 nps=1 smp=1 sigint=0'
      echo 'feature option=\"MultiPV -spin 1 1 9\" done=1' ;;
    ping) printf 'pong %s\\nmove e2e4\\n' \"$rest\" ;;
    quit) exit 0 ;;
  esac
done";
        for rule in [
            "no move leaves after force",
            "no move leaves after new",
            "no move leaves after result",
            "no move leaves after force and setboard",
            "? makes it move at once",
            "? and ping in one burst",
            "draw while it thinks",
            "post and nopost work in mid-search",
            "option MultiPV shows",
            "nps with st",
            "cores in mid-search",
            "? and cores in one burst",
            "pause stops all work",
            "quit ends it while it thinks",
            "the end of its input ends it while it thinks",
        ] {
            let (seen, _) = tried(script, &rules(), rule);
            assert!(matches!(seen, Err(Fault::NotOffered(_))), "{rule}: {seen:?}");
        }
    }

    /// What was tried may have several lines.
    #[test]
    fn a_move_that_leaves_is_told_in_one_line() {
        let script = "\
while read -r word rest; do
  case $word in
    protover) echo 'feature ping=1 setboard=1 sigint=0 done=1' ;;
    ping) echo \"pong $rest\" ;;
    setboard) echo 'move e2e4' ;;
    quit) exit 0 ;;
  esac
done";
        let rule = "no move leaves after force and setboard";
        let (seen, _) = tried(script, &rules(), rule);
        let after = "move e2e4 after force setboard 4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1";
        assert_eq!(seen, broken(after));
    }

    /// Other systems do not tell whether it stands still, and leave the rule out.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_engine_that_ignores_a_word_to_move_now_may_pause() {
        let pausing = format!("paused=yes\n{}", engine("sigint=0"));
        let (_, heard) = tried(&pausing, &rules(), "pause stops all work");
        assert!(!told(&heard, "resume").is_empty() && told(&heard, "?").is_empty(), "{heard:?}");
    }
}
