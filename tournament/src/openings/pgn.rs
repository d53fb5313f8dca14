//! Openings from PGN, with the line of whatever is wrong.
//!
//! A broken opening must be named by file and line before a game starts. `pgn-reader`, which reads games
//! elsewhere in this room, knows no lines and passes over words it cannot read, so that a misspelt move would
//! quietly make another opening. This reader takes the import format of the PGN standard (Steven J. Edwards,
//! 1994) apart into [`Word`]s that know their line: comments, escaped lines, annotations and variations are
//! left out, and a word that is none of these has to be a legal move. Where a file is whole both readers find
//! the same moves; the tests hold that.
//!
//! Every game is read or refused by itself: after a bad one [`Games`] goes on with the next.

use std::fmt::Display;

use chess::{Game, Position, text};

use super::read::Content;
use super::{BookError, Opening, Reading, Skipped};

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
#[derive(Clone)]
struct Words<'a> {
    rest: &'a str,
    line: usize,
    at_line_start: bool,
    /// Where the variations begin that have not ended.
    variations: Vec<usize>,
}

/// A line and what is wrong in it.
type Fault = (usize, String);

/// Which game was played, as the tag `Variant` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Chess, from whatever position, or the tag says nothing.
    Standard,
    /// Chess960.
    Chess960,
    /// Any other: its moves are not those of chess, or its games end otherwise.
    Other,
}

impl Variant {
    /// Reads the tag's value, as the programs write it that make PGN. Blanks, marks and capitals do not matter.
    pub(crate) fn read(tag: &str) -> Self {
        /// Names of chess. `From Position` is that of lichess, `normal` that of xboard.
        const STANDARD: [&str; 6] = ["standard", "fromposition", "normal", "orthodox", "classical", "chess"];
        /// Names of Chess960, the longer before their parts.
        const CHESS960: [&str; 8] = [
            "doublefischerrandom",
            "double960",
            "fischerrandom",
            "fischerandom",
            "freestyle",
            "dfrc",
            "frc",
            "960",
        ];
        /// Names that are no parts of others: FICS's and those of python-chess for chess from a given position.
        const STANDARD_WHOLE: [&str; 11] = [
            "illegal", "wild0", "wild1", "wild2", "wild3", "wild4", "wild5", "wild6", "wild7", "wild8",
            "wild8a",
        ];
        /// FICS's for Chess960.
        const CHESS960_WHOLE: [&str; 2] = ["wildfr", "fr"];
        let without = |name: &str, words: &[&str]| {
            words.iter().fold(name.to_owned(), |name, word| name.replace(word, ""))
        };
        let name: String = tag.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if STANDARD_WHOLE.contains(&name.as_str()) {
            return Self::Standard;
        }
        if CHESS960_WHOLE.contains(&name.as_str()) {
            return Self::Chess960;
        }
        // `Chess960` and `Standard Chess` hold two of the names, `Crazyhouse960` more than names.
        let name = without(&name, &STANDARD);
        let rest = without(&name, &CHESS960);
        // The number of the start may stand behind the name.
        let is_start = rest.len() <= 3 && rest.bytes().all(|byte| byte.is_ascii_digit());
        if name.is_empty() {
            Self::Standard
        } else if is_start && rest.len() < name.len() && name.ends_with(rest.as_str()) {
            Self::Chess960
        } else {
            Self::Other
        }
    }
}

/// The tag that every game begins with, once.
const EVENT: &str = "Event";

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, at_line_start: true, variations: Vec::new() }
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
                '{' => self.comment()?,
                '(' => {
                    self.variations.push(line);
                    self.take(1);
                }
                ')' => {
                    self.variations.pop().ok_or_else(|| (line, "`)` ends no variation".to_owned()))?;
                    self.take(1);
                }
                '[' if self.variations.is_empty() => return self.tag().map(|tag| Some((line, tag))),
                '[' if self.at_line_start && begins_game(self.rest) => {
                    let begin = self.variations.last().copied().unwrap_or(line);
                    return Err((
                        begin,
                        "a variation begins here and does not end before the next game".to_owned(),
                    ));
                }
                '.' | '…' => drop(self.take(first.len_utf8())),
                '\u{feff}' => {
                    // The mark of a file that was joined to another: the line begins behind it.
                    let at_line_start = self.at_line_start;
                    self.take(first.len_utf8());
                    self.at_line_start = at_line_start;
                }
                _ if first.is_whitespace() => drop(self.take(first.len_utf8())),
                _ => {
                    let word = self.word(first);
                    let in_main_line = self.variations.is_empty();
                    match word {
                        "1-0" | "0-1" | "1/2-1/2" | "1/2" | "½-½" | "*" if in_main_line => {
                            if word == "1/2" {
                                self.other_half();
                            }
                            return Ok(Some((line, Word::Result)));
                        }
                        _ if !in_main_line || is_left_out(word, self.rest) => {}
                        _ => return Ok(Some((line, Word::Move(without_marks(word))))),
                    }
                }
            }
        }
    }

    /// Takes what is left of a draw with blanks in it, `1/2 - 1/2`, behind its first half.
    fn other_half(&mut self) {
        let blanks = [' ', '\t'];
        let dash = self.rest.trim_start_matches(blanks).strip_prefix('-');
        let half = dash.and_then(|rest| rest.trim_start_matches(blanks).strip_prefix("1/2"));
        if let Some(rest) = half.filter(|rest| rest.chars().next().is_none_or(ends_word)) {
            self.take(self.rest.len() - rest.len());
        }
    }

    /// `{...}`, over any number of lines, but not into the next game.
    fn comment(&mut self) -> Result<(), Fault> {
        let endless = |when: &str| (self.line, format!("a comment begins here and does not end{when}"));
        let end = self.rest.find('}').ok_or_else(|| endless(""))?;
        if self.rest[..end].lines().any(begins_game) {
            return Err(endless(" before the next game"));
        }
        self.take(end + 1);
        Ok(())
    }

    /// A move number (digits, its dots follow), a glyph (`$1`), or all up to the next blank, bracket or glyph.
    fn word(&mut self, first: char) -> &'a str {
        let inner = first.len_utf8();
        let end = self.rest[inner..].find(ends_word).map_or(self.rest.len(), |end| end + inner);
        // `1.e4` is a number and a move, `$1Nf3` a glyph and a move.
        let start = usize::from(first == '$');
        let digits = self.rest[start..].bytes().take_while(u8::is_ascii_digit).count();
        let after = &self.rest[start + digits..];
        let alone = digits > 0 && (first == '$' || after.starts_with(['.', '…']));
        self.take(if alone { start + digits } else { end })
    }

    /// `[Name "value"]`, on one line.
    fn tag(&mut self) -> Result<Word<'a>, Fault> {
        let line = self.line;
        let broken = || (line, "this is not a tag: it should read [Name \"value\"]".to_owned());
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

    /// Passes over what is left of a bad game: its other tags if it was one of them that was bad (`named`: behind its
    /// `Event`), and then all up to its result or the next game's tags. Where the text cannot be cut into words, the
    /// next game is looked for by line.
    fn skip_game(&mut self, mut in_tags: bool, named: bool) {
        self.variations.clear();
        loop {
            let before = self.clone();
            match self.next() {
                Ok(Some((_, Word::Tag(name, _)))) if in_tags && !(named && name == EVENT) => {}
                Ok(Some((_, Word::Tag(..)))) => {
                    *self = before;
                    return;
                }
                Ok(Some((_, Word::Move(_)))) => in_tags = false,
                Ok(Some((_, Word::Result)) | None) => return,
                Err(_) => {
                    self.variations.clear();
                    self.take_line();
                    // Below a bad tag the game goes on.
                    while !in_tags && !self.rest.is_empty() && !begins_game(self.rest) {
                        self.take_line();
                    }
                    if !in_tags || self.rest.is_empty() {
                        return;
                    }
                }
            }
        }
    }
}

/// Whether no word goes on with this.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || "{}()[];$\u{feff}".contains(c)
}

/// Whether a line begins a game: with its first tag, or one of the others where that is missing. A byte order mark may
/// stand before it.
pub(crate) fn begins_game(text: &str) -> bool {
    tag_of(text).is_some()
}

/// The name of the tag that a text begins with, and what stands behind the first quotation mark of its value.
pub(crate) fn tag_of(text: &str) -> Option<(&str, &str)> {
    let tag = text.trim_start_matches('\u{feff}').strip_prefix('[')?;
    let (name, value) = tag.split_once([' ', '\t'])?;
    let quoted = value.trim_start().strip_prefix('"')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, quoted))
}

/// Move numbers, annotations and the note of a capture in passing; `behind` is what follows the word. A null move is
/// none of them: a move that is passed over would make another opening.
fn is_left_out(word: &str, behind: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '@';
    is_move_number(word, behind)
        || word.starts_with('$')
        || word.chars().all(is_mark) && !is_null_move(word)
        || word == "e.p."
        || word == "ep"
}

/// Digits, of which one is not 0: `0000` is a null move. A game whose FEN has the number 0 may begin with `0.`.
fn is_move_number(word: &str, behind: &str) -> bool {
    let zero = word == "0" && behind.starts_with(['.', '…']);
    word.bytes().all(|byte| byte.is_ascii_digit()) && (zero || word.bytes().any(|byte| byte != b'0'))
}

/// `--`, whatever is glued to it, or nothing but dashes, of ASCII or of typography, with or without a judgement.
fn is_null_move(word: &str) -> bool {
    // The two dashes of Windows' character set are control characters where it is read as Latin-1.
    let is_dash = |c: char| matches!(c, '-' | '\u{96}' | '\u{97}' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let bare = word.trim_end_matches(['!', '?', '#']);
    word.starts_with("--") || !bare.is_empty() && bare.chars().all(is_dash)
}

/// A move without what is glued to it: `exd6e.p.`, `Nf3±`, `Qd4+-`.
fn without_marks(word: &str) -> &str {
    let bare = word.strip_suffix("e.p.").unwrap_or(word);
    let bare = bare.trim_end_matches(|c: char| !c.is_ascii() || "+-=/#!?".contains(c));
    if bare.is_empty() { word } else { bare }
}

/// A game that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadGame {
    /// Its number in the file, from 1.
    pub game: usize,
    /// The line that is bad, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: String,
}

/// The games of a file, each as an opening or as what is wrong with it.
pub(super) struct Games<'a> {
    words: Words<'a>,
    plies: usize,
    /// Whether moves are taken to the end of a game that is over.
    ended: bool,
    game: usize,
}

impl<'a> Games<'a> {
    /// Of a file's text; of each game the first moves, as many as the reading says.
    pub(super) fn new(text: &'a str, reading: Reading) -> Self {
        let plies = reading.plies.unwrap_or(usize::MAX);
        Self { words: Words::new(text), plies, ended: reading.ended, game: 0 }
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Opening, BadGame>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut current = Current {
            game: Game::default(),
            line: self.words.line,
            words: 0,
            named: false,
            moves: 0,
            full: false,
        };
        let bad = match current.read(&mut self.words, self.plies, self.ended) {
            Ok(true) => {
                self.game += 1;
                let start = Opening::from_position(current.game.start().clone());
                return Some(Ok(Opening { moves: current.game.moves().to_vec(), ..start }));
            }
            Ok(false) => return None,
            Err(bad) => bad,
        };
        self.game += 1;
        // The end of the file, or the tag of the next game, has been seen already.
        if !bad.at_end {
            self.words.skip_game(current.moves == 0, current.named);
        }
        Some(Err(BadGame { game: self.game, line: bad.line, why: bad.why }))
    }
}

/// The game that is being read.
struct Current {
    game: Game,
    /// The line of its last word.
    line: usize,
    /// Its words so far, and those of its main line.
    words: usize,
    moves: usize,
    /// Whether its `Event` has been read.
    named: bool,
    /// Whether no more moves are taken.
    full: bool,
}

/// What is wrong with a game, and whether the reader stands behind it.
struct Bad {
    line: usize,
    why: String,
    at_end: bool,
}

impl Current {
    /// Reads up to the result; false if the file ends before the game begins.
    fn read(&mut self, words: &mut Words, plies: usize, ended: bool) -> Result<bool, Bad> {
        let bad = |line: usize, why: &dyn Display| Bad { line, why: why.to_string(), at_end: false };
        loop {
            let before = words.clone();
            let word = words.next().map_err(|(line, why)| bad(line, &why))?;
            let Some((line, word)) = word else {
                let why = "the file ends before the result of this game: is it cut off?".to_owned();
                return if self.words == 0 {
                    Ok(false)
                } else {
                    Err(Bad { line: self.line, why, at_end: true })
                };
            };
            self.line = line;
            self.words += 1;
            match word {
                Word::Tag(name, _) if self.moves > 0 || self.named && name == EVENT => {
                    *words = before;
                    let why = format!(
                        "the tag {name} comes before the result of this game (1-0, 0-1, 1/2-1/2 or *)"
                    );
                    return Err(Bad { line, why, at_end: true });
                }
                Word::Tag("Variant", value) if Variant::read(&value) == Variant::Other => {
                    return Err(bad(line, &format!("this is a game of {value}, not of chess")));
                }
                Word::Tag("FEN", value) if !matches!(value.trim(), "" | "?") => {
                    let start = Position::from_fen(&value).map_err(|error| bad(line, &error))?;
                    self.game = Game::new(start);
                }
                Word::Tag(name, _) => self.named |= name == EVENT,
                Word::Move(text) => {
                    self.moves += 1;
                    self.full |= self.game.moves().len() >= plies;
                    if !self.full {
                        self.play(text, ended).map_err(|why| bad(line, &why))?;
                    }
                }
                Word::Result => {
                    self.check(ended).map_err(|why| Bad { line, why, at_end: true })?;
                    return Ok(true);
                }
            }
        }
    }

    /// Whether what its result ends is a game, and one to begin with.
    fn check(&self, ended: bool) -> Result<(), String> {
        if self.words == 1 {
            return Err("this is the result of no game: neither a tag nor a move comes before it".to_owned());
        }
        if !ended && self.game.outcome().is_some() {
            return Err("the game is over where it begins".to_owned());
        }
        Ok(())
    }

    fn play(&mut self, text: &str, ended: bool) -> Result<(), String> {
        let ply = self.game.moves().len() + 1;
        let wrong = |error: &dyn Display| format!("ply {ply}: {error}");
        let mv = self.game.position().parse_san(text).map_err(|error| wrong(&error))?;
        let over = |game: &Game| !ended && game.outcome().is_some();
        if over(&self.game) {
            return Err("the game is over where it begins".to_owned());
        }
        self.game.play(mv).map_err(|error| wrong(&error))?;
        if over(&self.game) {
            self.game.undo();
            self.full = true;
        }
        Ok(())
    }
}

/// Reads the games of a file as openings; the first bad one refuses it, unless bad ones are to be left out.
pub(super) fn openings(bytes: &[u8], place: &str, reading: Reading) -> Result<Content, BookError> {
    let mut text = text::decode(bytes);
    // Lines that end in CR alone.
    if text.contains('\r') && !text.contains('\n') {
        text = text.replace('\r', "\n").into();
    }
    let mut games = Games::new(&text, reading);
    let (mut openings, mut skipped) = (Vec::new(), Skipped::default());
    while let Some(read) = games.next() {
        match read {
            Ok(opening) => openings.push(opening),
            Err(BadGame { game, line, why }) if reading.skip_bad => {
                skipped.add(|| BookError::new(format!("{place}, line {line}, game {game}"), why));
            }
            Err(BadGame { game, line, why }) => {
                let more = games.by_ref().filter(Result::is_err).count();
                let more = if more == 0 {
                    String::new()
                } else {
                    format!("; {more} more of {} games are bad", games.game)
                };
                return Err(BookError::new(
                    format!("{place}, line {line}, game {game}"),
                    format!("{why}{more}"),
                ));
            }
        }
    }
    Ok(Content::whole(openings, skipped))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::ops::ControlFlow;

    use pgn_reader::{Reader, SanPlus, Skip, Visitor};
    use proptest::prelude::*;

    use super::super::Store;
    use super::*;

    const READING: Reading = Reading::WHOLE;

    fn openings(bytes: &[u8], place: &str, reading: Reading) -> Result<Vec<Opening>, BookError> {
        match super::openings(bytes, place, reading)?.store {
            Store::Whole(openings) => Ok(openings),
            _ => panic!("games are kept in memory"),
        }
    }

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

    /// No game can begin where it is over: as in other runners the opening ends before the move that ends the
    /// game. A book of moves takes that, too.
    #[test]
    fn openings_stop_before_the_move_that_ends_the_game() {
        let threefold = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 1/2-1/2\n";
        for (text, plies, all) in [("1. f3 e5 2. g4 Qh4# 0-1\n", 3, 4), (threefold, 7, 10)] {
            let moves = |ended| {
                openings(text.as_bytes(), "b.pgn", Reading { ended, ..READING }).unwrap()[0].moves.len()
            };
            assert_eq!((moves(false), moves(true)), (plies, all), "{text}");
        }
    }

    /// Marks that are glued to a move, or stand apart in a notation of their own, do not refuse it.
    #[test]
    fn annotations_of_every_school_are_left_out() {
        for text in [
            "1. e4$1 e5$6 2. Nf3 $14 Nc6 $10$36 3. Bb5$1 *",
            "1. e4!? e5?! 2. Nf3+- Nc6± 3. Bb5⩲ *",
            "1. e4 ! e5 = 2. Nf3 +/- Nc6 ∞ 3. Bb5 □ +-- 1/2",
            "1.e4e.p. e5 2.Nf3 ep Nc6 3.Bb5 *",
            "1…e4 1...e5 2…Nf3 2. ... Nc6 3.$1Bb5 *",
            "1. e4$1{glued}e5$2(1... c5$1 2. Nf3$3)2. Nf3$4;to the end\nNc6 3. Bb5$5*",
        ] {
            let read = openings(text.as_bytes(), "b.pgn", READING);
            let moves: Vec<String> = read.unwrap()[0].moves.iter().map(ToString::to_string).collect();
            assert_eq!(moves, ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"], "{text}");
        }
        for text in ["1. e4 -- 2. Nf3 *", "1. e4 e5 2. N f3 *", "1. e4 @@@@ *", "1. e4 Z0 *"] {
            assert!(openings(text.as_bytes(), "b.pgn", READING).is_err(), "{text}");
        }
    }

    /// Passed over it would leave a game of legal moves, and another opening. What looks like one is read.
    #[test]
    fn a_null_move_is_refused_in_every_dress() {
        for null in
            ["--", "--!", "--?", "--!?", "--#", "-", "-!", "–", "—?", "−", "‐", "0000", "0000!", "00", "0"]
        {
            for text in [format!("1. Nf3 {null} Nf6 2. g3 *"), format!("1.Nf3 Nf6 2.{null} *")] {
                let message =
                    openings(text.as_bytes(), "b.pgn", READING).map(|_| text).unwrap_err().to_string();
                assert!(message.contains("is not a move"), "{null}: {message}");
            }
        }
        for text in [
            "0. Nf3 Nf6 1. g3 g6 2. Bg2 Bg7 3. 0-0 0-0 *",
            "0... Nf3 0... Nf6 10. g3 -+ g6 –/+ 20 Bg2 +- Bg7 =/−! 0-0! 0-0 -/+ *",
        ] {
            let read = openings(text.as_bytes(), "b.pgn", READING);
            let moves: Vec<String> = read.unwrap()[0].moves.iter().map(ToString::to_string).collect();
            assert_eq!(moves[..6], ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7"], "{text}");
            assert_eq!(moves[6..], ["e1h1", "e8h8"], "{text}");
        }
    }

    /// As bytes of Windows' character set, in a text that is not UTF-8.
    #[test]
    fn a_null_move_of_windows_is_refused() {
        for text in [&b"1. Nf3 \x96 Nf6 2. g3 *"[..], b"1. Nf3 Nf6 2. \x97! *", b"1. Nf3 \x96\x96 Nf6 *"] {
            let message = openings(text, "b.pgn", READING).unwrap_err().to_string();
            assert!(message.contains("is not a move"), "{message}");
        }
        let read = openings(b"[White \"M\xfcller\"]\n\n1. Nf3 Nf6 +\x96 {1\x960} *", "b.pgn", READING);
        assert_eq!(read.unwrap()[0].moves.len(), 2);
    }

    /// The names that lichess, python-chess, xboard, cutechess and others write.
    #[test]
    fn variants_are_known_by_name() {
        let standard = [
            "",
            "?",
            "-",
            "Standard",
            "From Position",
            "normal",
            "Chess",
            "standard chess",
            "Classical",
            "Illegal",
            "wild/0",
            "wild/5",
            "wild/8",
            "wild/8a",
        ];
        let chess960 = [
            "Chess960",
            "chess 960",
            "fischerandom",
            "Fischer Random",
            "Fischerrandom",
            "Double Fischer Random",
            "Double Chess960",
            "FRC",
            "DFRC",
            "Freestyle Chess",
            "Chess960 518",
            "Chess 960 (0)",
            "Fischerandom #518",
            "wild/fr",
            "fr",
        ];
        let others = [
            "King of the Hill",
            "Three-check",
            "3check",
            "Chess 2",
            "Double Chess",
            "Atomic",
            "Atomic960",
            "Antichess",
            "Horde",
            "Racing Kings",
            "crazyhouse",
            "Crazyhouse 960",
            "Crazyhouse 960 518",
            "Chess960 1234",
            "518",
            "wild/9",
            "wild/23",
            "wild",
            "Illegal Crazyhouse",
            "frisian",
            "象棋",
        ];
        for (variant, names) in [
            (Variant::Standard, &standard[..]),
            (Variant::Chess960, &chess960[..]),
            (Variant::Other, &others[..]),
        ] {
            for name in names {
                assert_eq!(Variant::read(name), variant, "{name}");
            }
        }
    }

    /// Its moves may be legal in chess, and are no opening of it all the same.
    #[test]
    fn a_game_of_another_variant_is_a_bad_game() {
        let text = "[Event \"1\"]\n[Variant \"Crazyhouse\"]\n[Site \"s\"]\n\n1. e4 d5 2. exd5 Qxd5 3. P@e4 1-0\n\n\
                    [Event \"2\"]\n[Variant \"From Position\"]\n\n1. d4 *\n\n\
                    [Event \"3\"]\n[Variant \"Three-check\"]\n\n1. e4 e5 *\n\n[Event \"4\"]\n\n1. c4 c5 *\n";
        let read: Vec<_> = Games::new(text, READING).collect();
        let [
            Err(BadGame { game: 1, line: 2, why }),
            Ok(second),
            Err(BadGame { game: 3, line: 13, .. }),
            Ok(fourth),
        ] = &read[..]
        else {
            panic!("{read:?}")
        };
        assert_eq!(why, "this is a game of Crazyhouse, not of chess");
        assert_eq!((second.moves.len(), fourth.moves.len()), (1, 2));
    }

    /// One result ends a game, and a second one does not make another game.
    #[test]
    fn a_result_ends_one_game() {
        let lengths = |text: &str| -> Result<Vec<usize>, BookError> {
            Ok(openings(text.as_bytes(), "b.pgn", READING)?
                .iter()
                .map(|opening| opening.moves.len())
                .collect())
        };
        for draw in ["1/2", "1/2-1/2", "1/2 - 1/2", "1/2 -1/2", "1/2\t-\t1/2", "1/2 - 1/2{agreed}"] {
            assert_eq!(lengths(&format!("1. e4 e5 {draw}\n1. d4 *\n")).unwrap(), [2, 1], "{draw}");
        }
        for (text, line) in [
            ("1. e4 e5 1/2-1/2 1-0\n1. d4 *\n", 1),
            ("1. e4 e5 1-0\n*\n", 2),
            ("1. e4 e5 1/2 -\n1/2\n", 1),
            ("1. e4 e5 1/2 - 1/23\n", 1),
            ("1. e4 e5 1 - 0\n1. d4 d5 *\n", 1),
            ("1. e4 e5 0 - 1\n1. d4 d5 *\n", 1),
            ("*\n", 1),
        ] {
            let message = lengths(text).unwrap_err().to_string();
            assert!(message.contains(&format!("b.pgn, line {line}, game ")), "{text}: {message}");
        }
        assert_eq!(lengths("[Event \"no move\"]\n\n*\n").unwrap(), [0]);
        let lenient = Reading { skip_bad: true, ..READING };
        let kept = openings(b"1. e4 Ke7 1-0 *\n1. d4 *\n", "b.pgn", lenient).unwrap();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].moves[0].to_string(), "d2d4");
    }

    /// Each of the files that were joined has its byte order mark and DOS's end.
    #[test]
    fn joined_files_are_one_book() {
        for game in ["1. e4 e5 *", "1. e4 e5 *\r\n", "[Event \"x\"]\r\n\r\n1. e4 e5 *\r\n"] {
            let joined = format!("\u{feff}{game}\u{1a}").repeat(3);
            let book = openings(joined.as_bytes(), "b.pgn", READING).unwrap();
            assert_eq!(
                book.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(),
                [2, 2, 2],
                "{game}"
            );
        }
        for torn in ["1. d4 {torn", "1. d4 (1. c4"] {
            let text = format!("[Event \"1\"]\n\n{torn}\n\u{feff}[Event \"2\"]\n\n1. e4 e5 *\n");
            let read: Vec<_> = Games::new(&text, READING).collect();
            assert!(matches!(&read[..], [Err(BadGame { line: 3, .. }), Ok(_)]), "{torn}: {read:?}");
        }
    }

    /// A bad game is refused by itself, with its number and its line, and the next one is read.
    #[test]
    fn a_bad_game_does_not_take_the_others_with_it() {
        let game = |number: usize, moves: &str| format!("[Event \"{number}\"]\n[Site \"s\"]\n\n{moves}\n\n");
        for (bad, line) in [
            ("1. e4 e5 2. Ke3 d5 3. d4 1-0", 9),
            ("1. e4 e5 (1... c5 2. Nf3 1-0", 9),
            ("1. e4 e5 {no end 1-0", 9),
            ("1. e4 xyzzy (1. d4) {c}\n[Event", 9),
            ("1. e4 ) e5 1-0", 9),
            ("1. e4 e5", 11),
        ] {
            let text = game(1, "1. d4 d5 {a} 1-0")
                + &game(2, bad)
                + &game(3, "1. c4 {b} e5 0-1")
                + &game(4, "1. Nf3 *");
            let read: Vec<_> = Games::new(&text, READING).collect();
            let [Ok(_), Err(BadGame { game: 2, line: found, .. }), Ok(third), Ok(_)] = &read[..] else {
                panic!("{bad}: {read:?}")
            };
            assert_eq!((*found, third.moves[0].to_string().as_str()), (line, "c2c4"), "{bad}");
        }
        // A bad tag among others, and games without any tags.
        let text = "[Event \"1\"]\n[FEN \"8/8 w\"]\n[Site \"s\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. d4 *\n";
        let read: Vec<_> = Games::new(text, READING).collect();
        assert!(matches!(&read[..], [Err(BadGame { game: 1, line: 2, .. }), Ok(_)]), "{read:?}");
        let text = "[Event \"1\"]\n[Site unquoted]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. d4 *\n";
        let read: Vec<_> = Games::new(text, READING).collect();
        assert!(matches!(&read[..], [Err(BadGame { game: 1, line: 2, .. }), Ok(_)]), "{read:?}");
        // Tags alone, whose start would be the next game's, and a bad one among them.
        for (fen, line) in [("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 4), ("8/8 w", 2)] {
            let text = format!("[Event \"1\"]\n[FEN \"{fen}\"]\n\n[Event \"2\"]\n\n1. d4 *\n");
            let read: Vec<_> = Games::new(&text, READING).collect();
            let [Err(BadGame { game: 1, line: found, .. }), Ok(second)] = &read[..] else {
                panic!("{read:?}")
            };
            assert_eq!((*found, second.fen.is_none()), (line, true), "{fen}");
        }
        let read: Vec<_> = Games::new("1. e4 e6 *\n1. e4 Ke6 2. d4 *\n1. c4 *\n", READING).collect();
        assert!(matches!(&read[..], [Ok(_), Err(BadGame { game: 2, line: 2, .. }), Ok(_)]), "{read:?}");
        let message = openings(b"1. x *\n1. e4 *\n1. y *\n", "b.pgn", READING).unwrap_err().to_string();
        assert!(
            message.contains("b.pgn, line 1, game 1: ply 1: ") && message.contains("1 more of 3 games"),
            "{message}"
        );
    }

    /// Every fault is told with its line, its game and, in a move, its ply.
    #[test]
    fn faults_are_named_with_their_line() {
        for (below, says) in [
            ("1. e4 e5\n2. Nf3\nKe6 *\n", "b.pgn, line 12, game 3: ply 4: "),
            ("1. e4 e5\n% escaped\n2. Nf3 xyzzy Nc6 *\n", "b.pgn, line 12, game 3: ply 4: "),
            ("[Event \"c\"]\n[FEN \"8/8/8/8 w - - 0 1\"]\n\n*\n", "b.pgn, line 11, game 3: "),
            ("[Event \"c\"]\n[Site unquoted]\n\n1. e4 *\n", "b.pgn, line 11, game 3: this is not a tag"),
            ("[Event \"c\n1. e4 *\n", "b.pgn, line 10, game 3: this is not a tag"),
            ("1. e4 e5\n2. N", "b.pgn, line 11, game 3: ply 3: "),
            ("1. e4 e5\n2. Nf3\n\n", "b.pgn, line 11, game 3: the file ends before"),
            ("1. e4\n\n{ cut\noff", "b.pgn, line 12, game 3: a comment begins here"),
            ("1. e4\n(1. d4\n(1. c4) d5\n", "b.pgn, line 11, game 3: a variation begins here"),
            ("1. e4\n) e5 *\n", "b.pgn, line 11, game 3: `)` ends no variation"),
            (
                "1. e4 e5\n\n[Event \"d\"]\n\n*\n",
                "b.pgn, line 12, game 3: the tag Event comes before the result",
            ),
            (
                "[FEN \"7k/5Q2/6K1/8/8/8/8/8 b - -\"]\n\n*\n",
                "b.pgn, line 12, game 3: the game is over where it begins",
            ),
        ] {
            let text = format!("{WHOLE}{below}");
            for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
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

        /// Whatever the bytes, every game is an opening or an error that names a line of the file.
        #[test]
        fn nothing_panics(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            soup in "[\\[\\]{}();\"\\\\%$.*eO0-9a-h \n]{0,80}",
            damage in prop::collection::vec((any::<u16>(), "[\\[\\]{}();\"%$.*\n -~]"), 1..4),
        ) {
            let mut book: Vec<char> = WHOLE.repeat(2).chars().collect();
            for (at, other) in damage {
                let at = usize::from(at) % book.len();
                book.splice(at..=at, other.chars());
            }
            let book: String = book.into_iter().collect();
            for bytes in [bytes.as_slice(), soup.as_bytes(), book.as_bytes()] {
                let text = text::decode(bytes);
                let lines = text.split('\n').count();
                for (read, game) in Games::new(&text, READING).zip(1..) {
                    if let Err(bad) = read {
                        prop_assert!((1..=lines).contains(&bad.line) && bad.game == game, "{:?} of {}", bad, text);
                    }
                }
            }
        }
    }
}
