//! The UCI half of a [`Client`](super::Client): the texts it sends and the lines it understands.

use std::time::Duration;

use super::config::{EngineConfig, Protocol, THREAD_OPTIONS};
use super::expressible::expressible;
use super::failure::FailureKind;
use super::info::Info;
use super::option::{Declared, OptionError, Value, find};
use super::{Answer, Clocks, GameSetup, Limits, Ply};
use crate::text::split_word;

/// What is known of a UCI engine, and of the game it is in.
#[derive(Debug, Default)]
pub(super) struct Uci {
    pub declared: Vec<Declared>,
    /// `position ...` for the plies already known.
    position: String,
    plies: usize,
    /// The move it is pondering on.
    pub pondering: Option<String>,
    /// `readyok` to the `isready` before the last question has not come yet: what comes before it is no answer.
    pub settling: bool,
}

impl Uci {
    /// The lines that set the number of threads and the hash size, or what keeps one of them from being set.
    pub fn resource_lines(&self, config: &EngineConfig) -> Result<String, OptionError> {
        let mut text = String::new();
        if let Some(threads) = config.threads {
            match THREAD_OPTIONS.iter().find_map(|name| self.find(name)) {
                Some(option) => text += &option_line(option, &threads.to_string())?,
                None if threads == 1 => {}
                None => return Err(OptionError::Resources("it has no option for the number of threads")),
            }
        }
        if let Some(hash) = config.hash_mb {
            let missing = OptionError::Resources("it has no option `Hash` for the hash size");
            text += &option_line(self.find("Hash").ok_or(missing)?, &hash.to_string())?;
        }
        Ok(text)
    }

    /// The line that says whether the engine may ponder; empty if it has no option for that.
    pub fn ponder_line(&self, config: &EngineConfig) -> Result<String, OptionError> {
        // Set by name it stays: the engine may plan its time by it.
        let named = config.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Ponder"));
        match self.find("Ponder").filter(|_| !named) {
            Some(option) => option_line(option, if config.ponder { "true" } else { "false" }),
            None => Ok(String::new()),
        }
    }

    fn find(&self, name: &str) -> Option<&Declared> {
        find(&self.declared, name).ok()
    }

    /// What begins a new game, to be followed by `isready`.
    pub fn new_game(&mut self, setup: &GameSetup) -> Result<String, FailureKind> {
        expressible(Protocol::Uci, &setup.limits).map_err(|error| FailureKind::Unable(error.to_string()))?;
        let mut text = String::new();
        match self.find("UCI_Chess960") {
            Some(option) => {
                let value = if setup.chess960 { "true" } else { "false" };
                text += &option_line(option, value).map_err(FailureKind::Option)?;
            }
            None if setup.chess960 => {
                return Err(FailureKind::Unable("it does not play Chess960 (no option UCI_Chess960)".into()));
            }
            None => {}
        }
        text.push_str("ucinewgame");
        self.position = match setup.fen {
            Some(fen) => format!("position fen {fen}"),
            None => "position startpos".to_owned(),
        };
        self.plies = 0;
        self.pondering = None;
        self.settling = false;
        Ok(text)
    }

    /// Takes in the plies that are new.
    fn follow(&mut self, plies: &[Ply]) {
        if self.plies == 0 && !plies.is_empty() {
            self.position.push_str(" moves");
        }
        for ply in &plies[self.plies.min(plies.len())..] {
            self.position.push(' ');
            self.position.push_str(&ply.uci);
        }
        self.plies = plies.len();
    }

    /// `position` and `go` for the engine's move. The `isready` before them draws a line between what is
    /// answered and what the engine still had to say, such as a second `bestmove` of its last search.
    pub fn go(&mut self, plies: &[Ply], clocks: &Clocks, limits: &Limits) -> String {
        self.follow(plies);
        self.settling = true;
        format!("isready\n{}\n{}", self.position, go_line("go", clocks, limits))
    }

    /// `position` with the expected answer and `go ponder`.
    pub fn go_ponder(&mut self, plies: &[Ply], expected: &Ply, clocks: &Clocks, limits: &Limits) -> String {
        self.follow(plies);
        self.pondering = Some(expected.uci.clone());
        self.settling = true;
        format!("isready\n{} {}\n{}", self.position, expected.uci, go_line("go ponder", clocks, limits))
    }

    /// Reads a line while an answer is awaited.
    pub fn read(&mut self, line: &str, info: &mut Info) -> Option<(Answer, Option<String>)> {
        let (word, rest) = split_word(line)?;
        match word {
            "info" if !self.settling => info.read_uci(rest),
            "readyok" => self.settling = false,
            _ => {}
        }
        if word != "bestmove" {
            return None;
        }
        let mut words = rest.split_ascii_whitespace();
        let best = words.next().unwrap_or("(none)").to_owned();
        let ponder =
            words.next().filter(|&word| word == "ponder").and_then(|_| words.next()).map(str::to_owned);
        Some((Answer::Move(best), ponder))
    }
}

/// The `setoption` line for one option, or what is wrong with the value.
pub(super) fn option_line(option: &Declared, value: &str) -> Result<String, OptionError> {
    let value = match option.check(value)? {
        Value::Unpressed => return Ok(String::new()),
        Value::None => String::new(),
        Value::Switch(on) => format!(" value {on}"),
        Value::Text(value) => format!(" value {value}"),
    };
    Ok(format!("setoption name {}{value}\n", option.name))
}

fn go_line(verb: &str, clocks: &Clocks, limits: &Limits) -> String {
    // A clock that ran out within its margin is shown as one millisecond: engines take zero for "no clock".
    let ms = |time: Duration| time.as_millis().max(1);
    let mut line = verb.to_owned();
    if let Some(tc) = limits.clock {
        let (white, black) = clocks.by_colour();
        line += &format!(" wtime {} btime {}", ms(white.0), ms(black.0));
        line += &format!(" winc {} binc {}", white.1.as_millis(), black.1.as_millis());
        if tc.moves.is_some() {
            line += &format!(" movestogo {}", clocks.moves_to_go.unwrap_or(1).max(1));
        }
    }
    if let Some(time) = limits.move_time {
        line += &format!(" movetime {}", ms(time));
    }
    if let Some(depth) = limits.depth {
        line += &format!(" depth {depth}");
    }
    if let Some(nodes) = limits.nodes {
        line += &format!(" nodes {nodes}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use chess::Color;
    use proptest::prelude::*;

    fn engine() -> Uci {
        let lines = [
            "option name Hash type spin default 16 min 4 max 1024",
            "option name Number of Threads type spin default 1 min 1 max 16",
            "option name NullMove Pruning type combo default Always var Always var Fail High var Never",
            "option name OwnBook type check default true",
            "option name Clear Hash type button",
            "option name Syzygy Path type string default <empty>",
        ];
        Uci { declared: lines.iter().map(|l| Declared::read_uci(l).unwrap()).collect(), ..Uci::default() }
    }

    #[test]
    fn options_are_checked_against_the_declaration() {
        let mut config = EngineConfig::new("e");
        config.threads = Some(2);
        config.options = [
            ("nullmove pruning", "fail high"),
            ("OwnBook", "no"),
            ("Clear Hash", ""),
            ("clear hash", "false"),
            ("Syzygy Path", "/my tables"),
        ]
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .to_vec();
        let engine = Dialect::Uci(engine());
        let (lines, left_out) = engine.option_lines(&config).unwrap();
        assert_eq!(
            lines.lines().collect::<Vec<_>>(),
            [
                "setoption name Number of Threads value 2",
                "setoption name NullMove Pruning value Fail High",
                "setoption name OwnBook value false",
                "setoption name Clear Hash",
                "setoption name Syzygy Path value /my tables",
            ]
        );
        assert!(left_out.is_empty(), "{left_out:?}");
        for (name, value, says) in [
            ("Hash", "2000", "outside 4..1024"),
            ("Hsh", "1", "no option `Hsh`"),
            ("OwnBook", "x", "neither"),
        ] {
            config.options = vec![(name.to_owned(), value.to_owned())];
            config.lenient = false;
            let error = engine.option_lines(&config).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
            config.lenient = true;
            let (lines, left_out) = engine.option_lines(&config).unwrap();
            assert!(!lines.contains(name) && left_out == [error], "{lines}");
        }
    }

    /// The UCI text: `wtime` and `winc` are White's, `btime` and `binc` Black's, in milliseconds, for both sides.
    #[test]
    fn each_clock_is_told_under_its_colour() {
        let limits = Limits { clock: Some("60+1".parse().unwrap()), ..Limits::default() };
        for (side, told) in [
            (Color::White, "wtime 1000 btime 2000 winc 10 binc 20"),
            (Color::Black, "wtime 2000 btime 1000 winc 20 binc 10"),
        ] {
            let [own, other, own_increment, other_increment] =
                [1000, 2000, 10, 20].map(Duration::from_millis);
            let other = Some(other);
            let clocks = Clocks { side, own, other, own_increment, other_increment, moves_to_go: None };
            let text = Uci::default().go(&[], &clocks, &limits);
            assert_eq!(text.lines().last(), Some(format!("go {told}").as_str()));
        }
    }

    /// The UCI text has no word for an opponent without a clock. Told of one that is about to run out of time, an
    /// engine may hurry, or wait for its flag.
    #[test]
    fn an_opponent_without_a_clock_has_the_time_that_the_engine_has() {
        let limits = Limits { clock: Some("60+1".parse().unwrap()), ..Limits::default() };
        for side in [Color::White, Color::Black] {
            let clocks = Clocks {
                side,
                own: Duration::from_secs(3),
                other: None,
                own_increment: Duration::from_secs(1),
                other_increment: Duration::ZERO,
                moves_to_go: None,
            };
            let text = Uci::default().go(&[], &clocks, &limits);
            assert_eq!(text.lines().last(), Some("go wtime 3000 btime 3000 winc 1000 binc 1000"));
        }
    }

    #[test]
    fn an_option_set_by_name_is_not_set_back() {
        let mut engine = engine();
        engine.declared.push(Declared::read_uci("option name Ponder type check default false").unwrap());
        let engine = Dialect::Uci(engine);
        let mut config = EngineConfig::new("e");
        let lines = |config: &EngineConfig| engine.option_lines(config).unwrap().0;
        assert_eq!(lines(&config), "setoption name Ponder value false\n");
        config.options = vec![("ponder".to_owned(), "true".to_owned())];
        assert_eq!(lines(&config), "setoption name Ponder value true\n");
    }

    #[test]
    fn defaults_are_known() {
        let engine = Dialect::Uci(engine());
        let of = |name| engine.default_of(name);
        assert_eq!(
            (of("hash"), of("Nullmove pruning"), of("Syzygy Path")),
            (Some("16"), Some("Always"), Some("<empty>"))
        );
        assert_eq!((of("Clear Hash"), of("Threads")), (Some(""), None));
    }

    #[test]
    fn a_move_and_what_it_ponders() {
        let mut info = Info::default();
        let mut uci = Uci::default();
        assert_eq!(uci.read("info depth 1 score cp 3 pv e2e4", &mut info), None);
        assert_eq!(
            uci.read("bestmove e2e4 ponder e7e5", &mut info),
            Some((Answer::Move("e2e4".into()), Some("e7e5".into())))
        );
        assert_eq!(uci.read("bestmove", &mut info), Some((Answer::Move("(none)".into()), None)));
        for text in ["readyok", "bestmoves e2e4", ""] {
            assert_eq!(uci.read(text, &mut info), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_declaration_is_too_odd(
            words in prop::collection::vec(
                prop_oneof![
                    6 => "(option|name|type|spin|check|combo|button|string|default|min|max|var|Hash)",
                    2 => "[+-]?[0-9]{1,22}",
                    1 => any::<String>(),
                ],
                0..16,
            ),
            value in any::<String>(),
        ) {
            let line = words.join(" ");
            for line in [line.clone(), format!("option name {line}")] {
                if let Some(declared) = Declared::read_uci(&line) {
                    let _ = declared.check(&value);
                }
                let _ = Uci::default().read(&line, &mut Info::default());
            }
        }
    }
}
