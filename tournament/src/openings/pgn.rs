//! Openings from PGN, with the line of whatever is wrong.
//!
//! A broken opening must be named by file and line before a game starts, and a misspelt move must not quietly make
//! another opening: every word of a game's main line has to be a legal move.
//!
//! Every game is read or refused by itself: after a bad one [`Games`] goes on with the next.

use std::fmt::Display;

use chess::{FenError, Game, Position, text};

use super::read::Content;
use super::{BookError, Opening, Reading, Skipped};
use crate::pgn::spelling::spelling;
use crate::pgn::variant::Variant;
use crate::pgn::words::{Word, Words};

/// The tag that every game begins with, once.
const EVENT: &str = "Event";

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
    words: Words<&'a [u8]>,
    plies: usize,
    /// Whether moves are taken to the end of a game that is over.
    ended: bool,
    /// Whether all of them are known to be of Chess960.
    chess960: bool,
    game: usize,
}

impl<'a> Games<'a> {
    /// Of a file's text; of each game the first moves, as many as the reading says.
    pub(super) fn new(text: &'a str, reading: Reading) -> Self {
        let plies = reading.plies.unwrap_or(usize::MAX);
        let Reading { ended, chess960, .. } = reading;
        Self { words: Words::new(text.as_bytes()), plies, ended, chess960, game: 0 }
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Opening, BadGame>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut current = Current { chess960: self.chess960, ..Current::default() };
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
            current.skip(&mut self.words);
        }
        Some(Err(BadGame { game: self.game, line: bad.line, why: bad.why }))
    }
}

/// The game that is being read.
#[derive(Default)]
struct Current {
    game: Game,
    /// The FEN of its start position, if its tags have named one, and whether it is known to be of Chess960.
    fen: String,
    chess960: bool,
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
    fn read(&mut self, words: &mut Words<&[u8]>, plies: usize, ended: bool) -> Result<bool, Bad> {
        let bad = |line: usize, why: &dyn Display| Bad { line, why: why.to_string(), at_end: false };
        loop {
            let (line, word) = match words.next().map_err(|error| bad(self.line, &error))? {
                Some((_, Word::Number | Word::Comment(_))) => continue,
                Some(found) => found,
                None if self.words == 0 => return Ok(false),
                None => {
                    let why = "the file ends before the result of this game: is it cut off?".to_owned();
                    return Err(Bad { line: self.line, why, at_end: true });
                }
            };
            self.line = line;
            self.words += 1;
            match word {
                Word::Tag(name, _) if self.moves > 0 || self.named && name == EVENT => {
                    let why = format!(
                        "the tag {name} comes before the result of this game (1-0, 0-1, 1/2-1/2 or *)"
                    );
                    words.back();
                    return Err(Bad { line, why, at_end: true });
                }
                Word::Tag("Variant", value) => match Variant::read(&value) {
                    Variant::Other => {
                        return Err(bad(line, &format!("this is a game of {value}, not of chess")));
                    }
                    Variant::Chess960 => {
                        self.chess960 = true;
                        self.begin().map_err(|error| bad(line, &error))?;
                    }
                    Variant::Standard => {}
                },
                Word::Tag("FEN", value) if !matches!(value.trim(), "" | "?") => {
                    self.fen = value;
                    self.begin().map_err(|error| bad(line, &error))?;
                }
                Word::Tag(name, _) => self.named |= name == EVENT,
                Word::BrokenTag(..) => {
                    return Err(bad(line, &"this is not a tag: it should read [Name \"value\"]"));
                }
                Word::Fault { why, .. } => return Err(bad(line, &why)),
                Word::Move(text) => {
                    self.moves += 1;
                    self.full |= self.game.moves().len() >= plies;
                    if !self.full {
                        self.play(text, ended).map_err(|why| bad(line, &why))?;
                    }
                }
                Word::Number | Word::Comment(_) => {}
                Word::Result(_) => {
                    self.check(ended).map_err(|why| Bad { line, why, at_end: true })?;
                    return Ok(true);
                }
            }
        }
    }

    /// Sets up the start position that its tags name so far.
    fn begin(&mut self) -> Result<(), FenError> {
        if !self.fen.is_empty() {
            self.game = Game::new(Position::read_fen(&self.fen, self.chess960)?);
        }
        Ok(())
    }

    /// Passes over what is left of a bad game: its other tags if no move has been seen (behind its `Event`, if that has
    /// been), and then all up to its result or the next game's tags.
    fn skip(&self, words: &mut Words<&[u8]>) {
        let mut in_tags = self.moves == 0;
        while let Ok(Some((_, word))) = words.next() {
            match word {
                Word::Tag(name, _) if in_tags && !(self.named && name == EVENT) => {}
                Word::Tag(..) => return words.back(),
                Word::Move(_) => in_tags = false,
                Word::Result(_) => return,
                _ => {}
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
        let mv = self.game.position().parse_san(&spelling(text)).map_err(|error| wrong(&error))?;
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
    let text = text::decode(bytes);
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

    #[test]
    fn a_capture_in_passing_is_read_however_it_is_noted() {
        for capture in [
            "exd6",
            "exd6e.p.",
            "exd6 e.p.",
            "exd6e.p.!",
            "exd6 e.p.!",
            "exd6e.p.+",
            "exd6 e.p.+",
            "exd6e.p.!?{x}",
            "exd6e.p.$1",
            "exd6 e.p.+!?",
        ] {
            let text = format!("1. e4 a6 2. e5 d5 3. {capture} Qxd6 *");
            let read = openings(text.as_bytes(), "b.pgn", READING).unwrap_or_else(|e| panic!("{text}: {e}"));
            let moves: Vec<String> = read[0].moves.iter().map(ToString::to_string).collect();
            assert_eq!(moves, ["e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "d8d6"], "{text}");
        }
    }

    /// Whichever tag comes first; where neither it nor the reading says so, the right of the rook from a1 is stale.
    #[test]
    fn a_variant_says_that_the_game_is_of_chess960() {
        let (fen, variant) =
            ("[FEN \"r3k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1\"]\n", "[Variant \"Chess960\"]\n");
        let is_chess960 = |tags: &str, chess960| {
            let reading = Reading { chess960, ..READING };
            openings(format!("{tags}\n1. Ke2 *").as_bytes(), "b.pgn", reading)
                .map(|openings| openings[0].start.is_chess960())
        };
        assert_eq!(is_chess960(fen, false), Ok(false));
        assert_eq!(is_chess960(fen, true), Ok(true));
        assert_eq!(is_chess960(&format!("{fen}{variant}"), false), Ok(true));
        assert_eq!(is_chess960(&format!("{variant}{fen}"), false), Ok(true));
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
                let lines = text.split(['\n', '\r']).count();
                for (read, game) in Games::new(&text, READING).zip(1..) {
                    if let Err(bad) = read {
                        prop_assert!((1..=lines).contains(&bad.line) && bad.game == game, "{:?} of {}", bad, text);
                    }
                }
            }
        }
    }
}
