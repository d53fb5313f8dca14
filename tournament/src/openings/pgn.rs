//! Openings from PGN, with the line of whatever is wrong.
//!
//! A broken opening must be named by file and line before a game starts. `pgn-reader`, which reads games elsewhere in this
//! room, knows no lines and passes over words it cannot read, so that a misspelt move would quietly make another opening.
//! This reader takes the import format of the PGN standard (Steven J. Edwards, 1994) apart into [`Word`]s that know their
//! line: comments, escaped lines, annotations and variations are left out, and a word that is none of these has to be a
//! legal move. Where a file is whole both readers find the same moves; the tests hold that.

use std::fmt::Display;

use chess::{Game, Position};

use super::{BookError, Opening, Reading};

/// What stands in a PGN file, as far as openings are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word<'a> {
    /// A tag pair; the value without its escapes.
    Tag(&'a str, String),
    /// A word of the main line that is not a move number: a move, or something that should be one.
    Move(&'a str),
    /// The end of a game.
    Result,
}

/// Cuts the text into words. Lines are counted from 1.
struct Words<'a> {
    rest: &'a str,
    line: usize,
    at_line_start: bool,
    /// Where the variations begin that have not ended.
    variations: Vec<usize>,
}

/// A line and what is wrong in it.
type Fault = (usize, String);

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { rest, line: 1, at_line_start: true, variations: Vec::new() }
    }

    /// Takes so many bytes off the front and counts their lines.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.at_line_start = taken.ends_with('\n');
        self.rest = rest;
        taken
    }

    fn take_line(&mut self) {
        let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
        self.take(end);
    }

    /// The next word of the main line with its line; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<(usize, Word<'a>)>, Fault> {
        loop {
            let Some(first) = self.rest.chars().next() else {
                return match self.variations.last() {
                    Some(&begin) => Err((begin, "a variation begins here and does not end".to_owned())),
                    None => Ok(None),
                };
            };
            let line = self.line;
            match first {
                '%' if self.at_line_start => self.take_line(),
                ';' => self.take_line(),
                '{' => {
                    let end = self.rest.find('}');
                    let end =
                        end.ok_or_else(|| (line, "a comment begins here and does not end".to_owned()))?;
                    self.take(end + 1);
                }
                '(' => {
                    self.variations.push(line);
                    self.take(1);
                }
                ')' => {
                    self.variations.pop().ok_or_else(|| (line, "`)` ends no variation".to_owned()))?;
                    self.take(1);
                }
                '[' if self.variations.is_empty() => return self.tag().map(|tag| Some((line, tag))),
                '.' => drop(self.take(1)),
                _ if first.is_whitespace() => drop(self.take(first.len_utf8())),
                _ => {
                    let word = self.word(first);
                    let in_main_line = self.variations.is_empty();
                    match word {
                        "1-0" | "0-1" | "1/2-1/2" | "½-½" | "*" if in_main_line => {
                            return Ok(Some((line, Word::Result)));
                        }
                        _ if !in_main_line || is_left_out(word) => {}
                        _ => return Ok(Some((line, Word::Move(word)))),
                    }
                }
            }
        }
    }

    /// A move number (digits, its dots follow) or all up to the next blank or bracket.
    fn word(&mut self, first: char) -> &'a str {
        let ends = |c: char| c.is_whitespace() || "{}()[];".contains(c);
        let end = self.rest.find(ends).unwrap_or(self.rest.len()).max(first.len_utf8());
        // `1.e4` is a number and a move.
        let number = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let dotted = number > 0 && self.rest[number..].starts_with('.');
        self.take(if dotted { number } else { end })
    }

    /// `[Name "value"]`, on one line.
    fn tag(&mut self) -> Result<Word<'a>, Fault> {
        let line = self.line;
        let broken = || (line, "this is no tag: it should read [Name \"value\"]".to_owned());
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let text = &self.rest[1..end];
        let (name, quoted) = text.split_once('"').ok_or_else(broken)?;
        let mut value = String::new();
        let mut escaped = false;
        let mut closed = None;
        for (at, c) in quoted.char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    closed = Some(at + 1);
                    break;
                }
                _ => {
                    value.push(c);
                    escaped = false;
                }
            }
        }
        let closed = closed.ok_or_else(broken)?;
        let blanks = quoted[closed..].find(']').ok_or_else(broken)?;
        if !quoted[closed..][..blanks].trim().is_empty() {
            return Err(broken());
        }
        self.take(1 + name.len() + 1 + closed + blanks + 1);
        Ok(Word::Tag(name.trim(), value))
    }
}

/// Move numbers, annotations and the note of a capture in passing.
fn is_left_out(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || word.starts_with('$')
        || word.bytes().all(|byte| matches!(byte, b'!' | b'?'))
        || word == "e.p."
}

/// The game that is being read.
struct Current {
    game: Game,
    /// The line of its last word.
    line: usize,
    has_moves: bool,
}

/// Reads the games of a file as openings; of each the first moves, as many as the reading says.
pub(super) fn openings(bytes: &[u8], place: &str, reading: Reading) -> Result<Vec<Opening>, BookError> {
    let text = String::from_utf8_lossy(bytes);
    let plies = reading.plies.unwrap_or(usize::MAX);
    let mut words = Words::new(&text);
    let mut openings = Vec::new();
    let mut current: Option<Current> = None;
    loop {
        let number = openings.len() + 1;
        let broken = |line: usize, why: &dyn Display| {
            BookError::new(format!("{place}, line {line}, game {number}"), why.to_string())
        };
        let Some((line, word)) = words.next().map_err(|(line, why)| broken(line, &why))? else { break };
        let now = current.get_or_insert_with(|| Current { game: Game::default(), line, has_moves: false });
        match word {
            Word::Tag(name, _) if now.has_moves => {
                let why =
                    format!("the tag {name} comes before the result of this game (1-0, 0-1, 1/2-1/2 or *)");
                return Err(broken(line, &why));
            }
            Word::Tag("FEN", value) => {
                now.game = Game::new(Position::from_fen(&value).map_err(|error| broken(line, &error))?);
            }
            Word::Tag(..) => {}
            Word::Move(text) => {
                now.has_moves = true;
                let ply = now.game.moves().len() + 1;
                if ply <= plies {
                    let wrong = |error: &dyn Display| broken(line, &format!("ply {ply}: {error}"));
                    let mv = now.game.position().parse_san(text).map_err(|error| wrong(&error))?;
                    now.game.play(mv).map_err(|error| wrong(&error))?;
                }
            }
            Word::Result => {
                if !reading.ended && now.game.outcome().is_some() {
                    return Err(broken(line, &"the game is over after its opening moves; give fewer plies"));
                }
                let start = Opening::from_position(now.game.start().clone());
                openings.push(Opening { moves: now.game.moves().to_vec(), ..start });
                current = None;
                continue;
            }
        }
        now.line = line;
    }
    if let Some(cut) = current {
        let place = format!("{place}, line {}, game {}", cut.line, openings.len() + 1);
        return Err(BookError::new(place, "the file ends before the result of this game: is it cut off?"));
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::ops::ControlFlow;

    use pgn_reader::{Reader, SanPlus, Skip, Visitor};
    use proptest::prelude::*;

    use super::super::Order;
    use super::*;

    const READING: Reading =
        Reading { order: Order::Sequential, start: 1, plies: None, wanted: 1, ended: false };

    /// Two whole games on lines 1 to 9; what is broken is written below them.
    const WHOLE: &str = "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 {best\nby test} e5 (1... c5\n2. Nf3) 2. Nf3 *\n\n\
                         ; between games\n1.d4 d5 2.c4 $1 e6!? 1/2-1/2\n";

    #[test]
    fn whole_games_are_read() {
        let book = openings(WHOLE.as_bytes(), "b.pgn", READING).unwrap();
        let moves =
            |number: usize| -> Vec<String> { book[number].moves.iter().map(ToString::to_string).collect() };
        assert_eq!(moves(0), ["e2e4", "e7e5", "g1f3"]);
        assert_eq!(moves(1), ["d2d4", "d7d5", "c2c4", "e7e6"]);
        let short = openings(WHOLE.as_bytes(), "b.pgn", Reading { plies: Some(1), ..READING }).unwrap();
        assert_eq!((short[0].moves.len(), short[1].moves.len()), (1, 1));
    }

    /// No game can begin where it is over, but a book of moves can be made of it.
    #[test]
    fn games_that_end_at_once_are_taken_where_they_are_wanted() {
        let mate = "1. f3 e5 2. g4 Qh4# 0-1\n".as_bytes();
        assert!(openings(mate, "b.pgn", READING).unwrap_err().to_string().contains("the game is over"));
        let taken = openings(mate, "b.pgn", Reading { ended: true, ..READING }).unwrap();
        assert_eq!(taken[0].moves.len(), 4);
    }

    /// Every fault is told with its line, its game and, in a move, its ply.
    #[test]
    fn faults_are_named_with_their_line() {
        for (below, says) in [
            ("1. e4 e5\n2. Nf3\nKe6 *\n", "b.pgn, line 12, game 3: ply 4: "),
            ("1. e4 e5\n% escaped\n2. Nf3 xyzzy Nc6 *\n", "b.pgn, line 12, game 3: ply 4: "),
            ("[Event \"c\"]\n[FEN \"8/8/8/8 w - - 0 1\"]\n\n*\n", "b.pgn, line 11, game 3: "),
            ("[Event \"c\"]\n[Site unquoted]\n\n1. e4 *\n", "b.pgn, line 11, game 3: this is no tag"),
            ("[Event \"c\n1. e4 *\n", "b.pgn, line 10, game 3: this is no tag"),
            ("1. e4 e5\n2. N", "b.pgn, line 11, game 3: ply 3: "),
            ("1. e4 e5\n2. Nf3\n\n", "b.pgn, line 11, game 3: the file ends before"),
            ("1. e4\n\n{ cut\noff", "b.pgn, line 12, game 3: a comment begins here"),
            ("1. e4\n(1. d4\n(1. c4) d5\n", "b.pgn, line 11, game 3: a variation begins here"),
            ("1. e4\n) e5 *\n", "b.pgn, line 11, game 3: `)` ends no variation"),
            (
                "1. e4 e5\n\n[Event \"d\"]\n\n*\n",
                "b.pgn, line 12, game 3: the tag Event comes before the result",
            ),
            ("1. f3 e5 2. g4\nQh4# 0-1\n", "b.pgn, line 11, game 3: the game is over"),
        ] {
            let text = format!("{WHOLE}{below}");
            for text in [text.clone(), text.replace('\n', "\r\n")] {
                let message = openings(text.as_bytes(), "b.pgn", READING).unwrap_err().to_string();
                assert!(message.contains(says), "{below}: {message}, not {says}");
            }
        }
    }

    /// The moves of a game's main line as `pgn-reader` finds them.
    struct MainLine;

    impl Visitor for MainLine {
        type Tags = ();
        type Movetext = Vec<String>;
        type Output = Vec<String>;

        fn begin_tags(&mut self) -> ControlFlow<Self::Output, ()> {
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, (): ()) -> ControlFlow<Self::Output, Vec<String>> {
            ControlFlow::Continue(Vec::new())
        }

        fn san(&mut self, moves: &mut Vec<String>, san: SanPlus) -> ControlFlow<Self::Output> {
            moves.push(san.san.to_string());
            ControlFlow::Continue(())
        }

        fn begin_variation(&mut self, _: &mut Vec<String>) -> ControlFlow<Self::Output, Skip> {
            ControlFlow::Continue(Skip(true))
        }

        fn end_game(&mut self, moves: Vec<String>) -> Self::Output {
            moves
        }
    }

    proptest! {
        /// Random games in random dress: both readers find the moves that were written.
        #[test]
        fn as_pgn_reader_reads_it(
            games in prop::collection::vec(prop::collection::vec((any::<u16>(), 0..9u8), 0..30), 1..4),
        ) {
            let mut text = String::new();
            let mut written = Vec::new();
            for plies in games {
                let mut game = Game::default();
                let mut sans = Vec::new();
                text.push_str("[Event \"x \\\"y\\\" ]\"]\n[Round \"1\"]\n\n");
                for (choice, dress) in plies {
                    let legal = game.position().legal_moves();
                    let mv = legal[usize::from(choice) % legal.len()];
                    let san = game.position().san(mv);
                    let mut after = game.clone();
                    after.play(mv).unwrap();
                    if after.outcome().is_some() {
                        break;
                    }
                    let dressed = match dress {
                        0 => format!("{san}\n"),
                        1 => format!("{san} {{a (comment) ; [with] 1-0\nin it}} "),
                        2 => format!("{san} (1. {san} (2. e4) {{x}} e5) "),
                        3 => format!("{san} ; to the end ( of {{ the line\n"),
                        4 => format!("{}...{san} ", sans.len()),
                        5 => format!("{}. {san}!? $13 ", sans.len()),
                        6 => format!("{san}\n% escaped ( {{\n"),
                        _ => format!("{san} "),
                    };
                    text.push_str(&dressed);
                    sans.push(san.trim_end_matches(['+', '#']).to_owned());
                    game = after;
                }
                writeln!(text, "1/2-1/2\n").unwrap();
                written.push((game.moves().to_vec(), sans));
            }
            let ours = openings(text.as_bytes(), "b.pgn", READING).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let mut reader = Reader::new(text.as_bytes());
            let theirs: Vec<Vec<String>> =
                std::iter::from_fn(|| reader.read_game(&mut MainLine).unwrap()).collect();
            prop_assert_eq!(ours.len(), written.len());
            for (number, (moves, sans)) in written.iter().enumerate() {
                prop_assert_eq!(&ours[number].moves, moves, "{}", text);
                prop_assert_eq!(&theirs[number], sans, "{}", text);
            }
        }

        /// Whatever the bytes, the answer is a book or an error that names a line of the file.
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), soup in "[\\[\\]{}();\"\\\\%$.*eO0-9a-h \n]{0,80}") {
            for bytes in [bytes.as_slice(), soup.as_bytes()] {
                if let Err(error) = openings(bytes, "b.pgn", READING) {
                    let line = error.place.split([' ', ',']).nth(3).and_then(|line| line.parse::<usize>().ok());
                    let lines = String::from_utf8_lossy(bytes).split('\n').count();
                    prop_assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "{}", error);
                }
            }
        }
    }
}
