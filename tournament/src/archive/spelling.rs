//! Moves as programs spell them, made such as `pgn-reader` can read.
//!
//! That reader knows SAN only, and passes over a word of which it cannot read the end: of `e7e8q` nothing
//! would be left. So promotions get their `=` and capital (`e7e8q`, `e8Q`, `a7xb8=q`), and the hyphen between
//! two squares (`Ng1-f3`), an `e.p.` behind one, the second sign of a check (`Qxf7++`, `Qxf7+#`) and a mark
//! of the encoding before any line (files may have been put together) are left out, and castling gets its capitals
//! and hyphens (`o-o`, `OO`, `O–O`). Lines with tags are left as they are, but for blanks before them; in a comment
//! such words may change, which changes nothing that is read of it. A draw that is written `1/2` gets its other half.
//! Lines end as those of the first bytes do: with LF, with or without CR before it, or with CR alone. Bytes that say
//! nothing ([`SILENT`]) are left out.
//!
//! A game ends with its result, or where the next one's tags begin. That reader ends it at any blank line, so those
//! among its moves are left out.
//!
//! A comment ends at the next game's tags at the latest: where a game was torn within one, that reader would
//! take the next game for the comment's rest.
//!
//! A word with a square in it, or one that begins like castling, that is a move in no spelling known here (`♘f3`,
//! `Sf3`, `K-e2`, `O-O±`) is an error: that reader would pass over it as well, and a game with a move less would look
//! like another game. So is a capture without its square (`exd`, `ed`) among moves, unless its game ends without a
//! result behind it: that is what a kill leaves of a move. In a title before the moves and in words behind the
//! result, `de` is no capture. The last word of a file that does not end with a line end may be torn, and is no
//! error. A variation that does not end before the next game is an error if the game's result stands in it: that reader
//! would leave out all that follows it, and what a kill leaves has no result. There is no error in a game of another
//! variant, whose moves may be others: it is left out as a whole.
//!
//! The text itself says what an error is, in a comment that begins with [`FAULT`]: that reader reads ahead, so that
//! only the place in the text tells which game has the error.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use chess::text::{SILENT, decode_part};
use pgn_reader::shakmaty::san::San;

use crate::openings::pgn::{Variant, begins_game, tag_of};

/// What some editors write before the first line of a text in UTF-8: a byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// What a comment begins with that says what is wrong with its game. No comment of a file does: it says nothing
/// ([`SILENT`]).
pub(super) const FAULT: &[u8] = b"\x1a";

/// The text of a PGN file with its moves respelt, line by line.
pub(super) struct Respelt<R> {
    input: R,
    /// The byte that its lines end with, once it is known.
    line_end: Option<u8>,
    line: Vec<u8>,
    /// How much of the line has been read.
    taken: usize,
    /// Lines read.
    number: u64,
    place: Place,
    /// The game is one of another variant.
    other: bool,
    cut: Rc<Cell<bool>>,
}

/// The results that `pgn-reader` knows, besides `*`.
const RESULTS: [&str; 12] =
    ["1-0", "0-1", "1/2-1/2", "½-½", "1–0", "0–1", "1/2–1/2", "½–½", "1—0", "0—1", "1/2—1/2", "½—½"];

/// How far a game's text below its tags has come.
#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Nothing of it has been seen.
    #[default]
    Before,
    /// It has begun, if only with a comment or a title.
    Begun,
    /// The number of a move or a move has been seen.
    Moves,
    /// The result has been seen.
    Ended,
}

/// What the text is at the end of a line.
#[derive(Default)]
struct Place {
    stage: Stage,
    /// The error that the last word is, if the game goes on behind it.
    short: Option<String>,
    comment: bool,
    /// The lines in which the variations begin that have not ended.
    variations: Vec<u64>,
    /// A result has been seen in the last of them.
    ended_within: bool,
}

/// A comment that says what is wrong with its game.
fn fault(why: &str) -> String {
    format!("{{{}{why}}}", String::from_utf8_lossy(FAULT))
}

impl<R: BufRead> Respelt<R> {
    /// The text of this input.
    pub fn new(input: R) -> Self {
        let (line, place, cut) = (Vec::new(), Place::default(), Rc::default());
        Self { input, line_end: None, line, taken: 0, number: 0, place, other: false, cut }
    }

    /// True once the text has been read to its end, and its last line has no line end.
    pub fn cut(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.cut)
    }

    /// The byte that lines end with, by the first of them.
    fn line_end(&mut self) -> io::Result<u8> {
        if let Some(end) = self.line_end {
            return Ok(end);
        }
        let first = self.input.fill_buf()?;
        // The last one may be half of a line end.
        let has_returns = first.split_last().is_some_and(|(_, before)| before.contains(&b'\r'));
        let end = if has_returns && !first.contains(&b'\n') { b'\r' } else { b'\n' };
        self.line_end = Some(end);
        Ok(end)
    }

    /// Reads a line, without the mark of its encoding and what says nothing; at the end of the text it is empty.
    fn fetch(&mut self) -> io::Result<()> {
        let end = self.line_end()?;
        loop {
            self.line.clear();
            let read = self.input.read_until(end, &mut self.line)?;
            self.number += 1;
            if let Some(last) = self.line.last_mut().filter(|last| **last == end) {
                *last = b'\n';
            }
            self.line.retain(|byte| !SILENT.contains(byte));
            if self.line.starts_with(MARK) {
                self.line.drain(..MARK.len());
            }
            if let Some(last) = self.line.last() {
                self.cut.set(*last != b'\n');
            }
            if read == 0 || !self.line.is_empty() {
                return Ok(());
            }
        }
    }

    /// Goes on to the next line that is not left out, and respells it.
    fn next_line(&mut self) -> io::Result<()> {
        self.taken = 0;
        self.fetch()?;
        let mut after_blank = false;
        while self.place.is_open() && is_blank(&self.line) {
            after_blank = true;
            self.fetch()?;
        }
        let in_comment = self.place.comment;
        if self.line.is_empty() {
            if !in_comment {
                self.line = self.endless().into_bytes();
            }
            self.place = Place::default();
            return Ok(());
        }
        if after_blank || self.place.stage == Stage::Before {
            unindent_tag(&mut self.line);
        }
        let bracket = self.line.first() == Some(&b'[');
        let begins = bracket && begins_game(&String::from_utf8_lossy(&self.line));
        if begins || bracket && !in_comment {
            let mut before = if in_comment { "}\n".to_owned() } else { String::new() };
            before.push_str(&self.endless());
            if begins && after_blank {
                before.push('\n');
            }
            self.end_text();
            self.read_tag();
            self.line.splice(..0, before.into_bytes());
            return Ok(());
        }
        // An escaped line may stand among the moves.
        if self.line.first() == Some(&b'%') && !in_comment {
            return Ok(());
        }
        if is_blank(&self.line) && !in_comment {
            self.end_text();
        }
        respell(&mut self.line);
        let added = self.place.pass(&self.line, self.number);
        for (at, text) in added.into_iter().rev().filter(|_| !self.other) {
            self.line.splice(at..at, text.into_bytes());
        }
        Ok(())
    }

    /// What stands between the text of a game and its end: if the game's result stands in a variation, the ends of all
    /// variations, and what is wrong.
    fn endless(&self) -> String {
        let begin = self.place.variations.last().filter(|_| self.place.ended_within && !self.other);
        begin.map_or_else(String::new, |line| {
            let ends = ")".repeat(self.place.variations.len());
            ends + &fault(&format!("line {line}: a variation begins here and does not end")) + "\n"
        })
    }

    /// A game ends here if its text has begun, and with it what its tags said.
    fn end_text(&mut self) {
        self.other &= self.place.stage == Stage::Before;
        self.place = Place::default();
    }

    /// Takes from a line with a tag whether its game is one of another variant.
    fn read_tag(&mut self) {
        match tag_of(&decode_part(&self.line)) {
            // The game before may have been torn within its tags.
            Some(("Event", _)) => self.other = false,
            Some(("Variant", quoted)) => {
                let value = quoted.split('"').next().unwrap_or_default();
                self.other = Variant::read(value) == Variant::Other;
            }
            _ => {}
        }
    }
}

impl<R: BufRead> Read for Respelt<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.line.len() {
            self.next_line()?;
        }
        let mut rest = &self.line[self.taken..];
        let read = rest.read(into)?;
        self.taken += read;
        Ok(read)
    }
}

impl Place {
    /// Whether a game's moves may go on.
    fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Begun | Stage::Moves) && !self.comment
    }

    /// Goes on to the end of the line of this number, whatever stands in it. Returns what is to be put into it, and
    /// where: what is wrong, before the first word that should be a move and is not one; the other half, behind `1/2`.
    fn pass(&mut self, line: &[u8], number: u64) -> Vec<(usize, String)> {
        let no_move =
            |word: &[u8]| format!("line {number}: `{}` is not a move", String::from_utf8_lossy(word));
        if !is_blank(line) {
            self.stage = self.stage.max(Stage::Begun);
        }
        let (mut added, mut faulty) = (Vec::new(), false);
        let mut begin = 0;
        for (at, byte) in line.iter().enumerate() {
            let ends_word = byte.is_ascii_whitespace() || b"{}();$!?*.".contains(byte);
            if !ends_word {
                continue;
            }
            let (word, before) = (&line[begin..at], begin);
            begin = at + 1;
            let is_result = || *byte == b'*' || RESULTS.iter().any(|result| result.as_bytes() == word);
            if !self.comment && self.variations.is_empty() {
                let goes_on = !word.is_empty() || !byte.is_ascii_whitespace();
                let short = if goes_on { self.short.take() } else { None };
                let wrong = short.or_else(|| is_unknown(word).then(|| no_move(word)));
                if let Some(why) = wrong.filter(|_| !faulty) {
                    faulty = true;
                    added.push((before, fault(&why)));
                }
                if self.stage < Stage::Moves && shows_moves(word, &line[at..]) {
                    self.stage = Stage::Moves;
                }
                if self.stage == Stage::Moves && is_short(word) {
                    self.short = Some(no_move(word));
                }
                let is_half = self.stage == Stage::Moves && word == b"1/2";
                if is_half {
                    added.push((at, "-1/2".to_owned()));
                }
                if is_half || is_result() {
                    self.stage = Stage::Ended;
                }
            } else if !self.comment {
                self.ended_within |= self.stage < Stage::Ended && is_result();
            }
            match byte {
                b'}' => self.comment = false,
                _ if self.comment => {}
                b'{' => self.comment = true,
                b'(' => self.variations.push(number),
                b')' => {
                    self.variations.pop();
                    self.ended_within = false;
                }
                b';' => break,
                _ => {}
            }
        }
        added
    }
}

/// Whether a word shows that a text is one of moves: a move, or the number of one. `behind` is the rest of the line; a
/// digit behind the dot makes a date of a number.
fn shows_moves(word: &[u8], behind: &[u8]) -> bool {
    let is_digits = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let dot = behind.first() == Some(&b'.') && behind.get(1).is_none_or(|next| !next.is_ascii_digit());
    is_digits && dot || San::from_ascii(word).is_ok()
}

/// Takes the blanks away that a tag stands behind: `pgn-reader` passes over them, too.
fn unindent_tag(line: &mut Vec<u8>) {
    let blanks = line.iter().position(|byte| !b" \t".contains(byte)).unwrap_or(0);
    if blanks > 0 && begins_game(&String::from_utf8_lossy(&line[blanks..])) {
        line.drain(..blanks);
    }
}

/// Has a word a square in it, or does it begin like castling, so that it should be a move, and is not one?
fn is_unknown(word: &[u8]) -> bool {
    let end = word.iter().rposition(|byte| !b"+#".contains(byte)).map_or(0, |last| last + 1);
    let has_square = word.windows(2).any(|pair| is_square(pair[0], pair[1]));
    // What a kill has left of castling is the end of a torn game.
    let castles = word.starts_with(b"O-") && !b"O-O-".starts_with(word);
    (has_square || castles) && San::from_ascii(&word[..end]).is_err()
}

/// Whether a word is a capture without its square (`exd`, `ed+`, `Nxd`), or the beginning of castling: no move, but
/// what a kill may have left of one. Pawns capture on the next file: `ch` is a check in old books.
fn is_short(word: &[u8]) -> bool {
    if matches!(word, b"O" | b"o" | b"O-" | b"o-" | b"O-O-") {
        return true;
    }
    let [piece, rest @ ..] = word else { return false };
    let ([b'x' | b':', rest @ ..] | rest) = rest;
    let [file @ b'a'..=b'h', behind @ ..] = rest else { return false };
    let captures = match piece {
        b'a'..=b'h' => piece.abs_diff(*file) == 1,
        _ => b"NBRQK".contains(piece),
    };
    // Nothing, a mark, a note of a capture in passing, or a promotion.
    let ends = behind.first().is_none_or(|next| !next.is_ascii_alphanumeric())
        || matches!(behind, b"e" | b"ep" | b"Q" | b"R" | b"B" | b"N");
    captures && ends
}

/// Whether a line is one at which `pgn-reader` ends a game.
fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

/// Gives castling its capitals and its hyphens.
fn respell_castling(line: &mut Vec<u8>) {
    let mut at = 0;
    while at < line.len() {
        let begins = at == 0 || !line[at - 1].is_ascii_alphanumeric();
        let found = if begins { castling(&line[at..]) } else { None };
        if let Some((bytes, respelt)) = found {
            line.splice(at..at + bytes, respelt.iter().copied());
            at += respelt.len();
        } else {
            at += 1;
        }
    }
}

/// How many bytes of castling a text begins with, and how `pgn-reader` knows it. That one knows zeros, too. Without
/// hyphens only capitals are castling: `oo` is ASCII for an unclear position, and `00` a null move.
fn castling(text: &[u8]) -> Option<(usize, &'static [u8])> {
    let is_letter = |at: usize| text.get(at).is_some_and(|byte| b"Oo0".contains(byte));
    if !is_letter(0) {
        return None;
    }
    let (mut letters, mut end, mut glued) = (1, 1, false);
    while letters < 3 {
        let dash = dash(&text[end..]);
        if !is_letter(end + dash) {
            break;
        }
        glued |= dash == 0;
        letters += 1;
        end += dash + 1;
    }
    let zeros = !text[..end].iter().any(|byte| b"Oo".contains(byte));
    let ends = text.get(end).is_none_or(|next| !next.is_ascii_alphanumeric());
    if !ends || glued && text[..end].iter().any(|byte| *byte != b'O') {
        return None;
    }
    let respelt: &[u8] = match (letters, zeros) {
        (2, false) => b"O-O",
        (2, true) => b"0-0",
        (3, false) => b"O-O-O",
        (3, true) => b"0-0-0",
        _ => return None,
    };
    Some((end, respelt))
}

/// Bytes of the hyphen or dash that a text begins with, in UTF-8 or as Windows has it in one byte; 0 if there is none.
fn dash(text: &[u8]) -> usize {
    match text {
        [b'-' | 0x96 | 0x97, ..] => 1,
        [0xc2, 0x96 | 0x97, ..] => 2,
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => 3,
        _ => 0,
    }
}

/// Respells the moves of a line.
fn respell(line: &mut Vec<u8>) {
    respell_castling(line);
    let mut at = 2;
    while at < line.len() {
        let square = is_square(line[at - 2], line[at - 1]);
        if square && line[at..].starts_with(b"e.p.") {
            line.drain(at..at + 4);
            continue;
        }
        if at > 2 && line[at - 1] == b'+' && b"+#".contains(&line[at]) && ends_move(&line[..at - 1]) {
            line.remove(at);
            continue;
        }
        if square && line[at] == b'-' && at + 2 < line.len() && is_square(line[at + 1], line[at + 2]) {
            line.remove(at);
        } else if square && is_promotion(line, at) {
            let piece = line[at].to_ascii_uppercase();
            line.splice(at..=at, [b'=', piece]);
        } else if line[at] == b'=' && line.get(at + 1).is_some_and(|piece| b"qrbn".contains(piece)) {
            line[at + 1].make_ascii_uppercase();
        }
        at += 1;
    }
}

fn is_square(file: u8, rank: u8) -> bool {
    matches!((file, rank), (b'a'..=b'h', b'1'..=b'8'))
}

/// Whether a move can end here: behind a square, a promotion or castling.
fn ends_move(text: &[u8]) -> bool {
    match text {
        [.., file, rank] if is_square(*file, *rank) => true,
        [.., b'=', piece] => b"QRBN".contains(piece),
        [.., b'-', last] => b"O0".contains(last),
        _ => false,
    }
}

/// Whether a piece stands here that the word's pawn becomes: behind a square of the last rank, at the word's
/// end.
fn is_promotion(line: &[u8], at: usize) -> bool {
    let last_rank = matches!(line[at - 1], b'1' | b'8') && b"qrbnQRBN".contains(&line[at]);
    let ends = line.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || b"+#!?${};()".contains(next));
    if !(last_rank && ends) {
        return false;
    }
    let word =
        line[..at].iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |before| before + 1);
    line[word].is_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text as it is handed on, or what it says first that is wrong.
    fn read(text: &str) -> Result<String, String> {
        let mut read = String::new();
        Respelt::new(text.as_bytes()).read_to_string(&mut read).unwrap();
        match read.split_once('\u{1a}') {
            Some((_, fault)) => Err(fault.split('}').next().unwrap_or_default().to_owned()),
            None => Ok(read),
        }
    }

    #[test]
    fn words_that_should_be_moves_and_are_not_are_errors() {
        for text in [
            "1. e4! e5?! 2. Nf3+ $1 Nc6 {♘f3 and\nSf3} (2. Lg5\n) ; Lg5\n3.Bb5 3...a6 4. exd6e.p. O-O 0-0 1/2-1/2",
            "[White \"Sf3\"]\n% Sf3\n\n1. Ng1-f3 e7e8q N D +- -- = e8Q Q1d2# N@f3 1-0",
            "1.e4!e5 2.Nf3?!Nc6*",
            "{ [%clk 1:00]\n[%eval Sf3] } 1. e2-e4 *",
            "1. e4 {torn\n\n[White \"Sf3\"]\n\n1. d4 1-0\n",
            "1. Ng1-f",
            "1. e4 o-o 2. o-o-o+ O-O# 3.O-O-O!o-o?! 0-0± 0-1",
            "1. O-\n\n[White \"a\"]\n\n1. O-O-\n\n[White \"b\"]\n\n{O-O±} (O-O±) ; O-O±\n1-0 O-O±",
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
        for (text, line, word) in [
            ("\n1. ♘f3 d5", 2, "♘f3"),
            ("1. Nf3 2.Lg5\n", 1, "Lg5"),
            ("1. e4 {x} K-e2 1-0", 1, "K-e2"),
            ("1. e4 (1. d4) Ng1f3+-\n", 1, "Ng1f3+-"),
            ("1. O-O±\n", 1, "O-O±"),
            ("1. e4\no-o-o+- 1-0\n", 2, "O-O-O+-"),
            ("1. O-O-x 1-0", 1, "O-O-x"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error, format!("line {line}: `{word}` is not a move"));
        }
    }

    /// Torn ones are no errors, nor is what only looks like one.
    #[test]
    fn moves_without_their_squares_are_errors() {
        for text in [
            "1. exd\n\n[White \"a\"]\n\n1. Nb\n\n[White \"b\"]\n\n1. O\n\n[White \"c\"]\n\n1. ed\n",
            "1. d4 ch (1. ed Nxd) {exd ed} ; ed\n2. Nbd7 bxa3 Be3 R1e2 1-0 ed",
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
        for (text, word) in [
            ("1. e4 e6 2. d4 d5 3. exd exd 4. Nf3 1-0\n", "exd"),
            ("1. ed+\n{x} 1-0\n", "ed+"),
            ("1. e:d\n% escaped\n\n2. d4 1-0\n", "e:d"),
            ("1. bxa=Q! Kd7 1-0\n", "bxa=Q"),
            ("1. exde.p. Nf6 1-0\n", "exde"),
            ("1. Nxd 1-0\n", "Nxd"),
            ("1. O - O 1-0\n", "O"),
            ("1. O-O- *\n", "O-O-"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error, format!("line 1: `{word}` is not a move"), "{text}");
        }
    }

    /// The result that stands in a variation is the game's, and the rest of the game would be left out. Where there is
    /// none the game was torn.
    #[test]
    fn variations_without_an_end_are_errors() {
        for text in [
            "1. e4 (1. d4 1-0) e5 1-0\n",
            "1. e4 (1. d4 (1. c4 1-0) d5\n\n[White \"a\"]\n\n1. d4 1-0\n",
            "1. e4 (1. d4 {1-0\n\n[White \"a\"]\n\n1. d4 ; (*\n1-0\n",
            "1. e4 (1. d4 1-",
            "1. e4 1-0 (\n\n[White \"a\"]\n\n1. d4 *\n",
            "1. e4 1-0 (1-0\n[White \"a\"]\n\n1. d4 *\n",
            "[Variant \"Atomic\"]\n\n1. Nf3 (1. e4 1-0\n\n[White \"a\"]\n\n1. d4 *\n",
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
        for (text, line) in [
            ("1. e4\n(1. d4 d5\n\n2. c4 e5 1-0\n\n[White \"a\"]\n\n1. d4 1-0\n", 2),
            ("1. e4 (1. d4 d5 1/2-1/2\n[White \"a\"]\n\n1. d4 1-0\n", 1),
            ("\n1. e4 ((1. d4) (1. c4)\n1... e5 *\n", 2),
            ("1. e4 (1. d4\n(1. c4 c5 1-0 {x\n}\n", 2),
            ("1. e4 (1. d4 1-0 {x\n\n[Event \"a\"]\n\n1. d4 1-0\n", 1),
        ] {
            let error = format!("line {line}: a variation begins here and does not end");
            assert_eq!(read(text), Err(error), "{text}");
        }
        // Behind the fault the next game is whole.
        let mut all = String::new();
        let text = "1. e4 ((1. d4 1-0\n\n[White \"a\"]\n\n1. d4 1-0\n";
        Respelt::new(text.as_bytes()).read_to_string(&mut all).unwrap();
        let why = "line 1: a variation begins here and does not end";
        assert_eq!(all, format!("1. e4 ((1. d4 1-0\n)){{\u{1a}{why}}}\n\n[White \"a\"]\n\n1. d4 1-0\n"));
    }

    /// No captures of pawns stand where no moves are: before them and behind the result.
    #[test]
    fn a_title_and_words_behind_the_result_are_no_moves() {
        for text in [
            "Torneo de Linares\n\n[Event \"a\"]\n\n1. e4 1-0\n",
            "Re: games\n12.03.1994 Torneo de Linares\n[Event \"a\"]\n\n1. e4 1-0\n",
            "1. e4 e5 1-0 de x\n",
            "1. e4 e5 *\nTorneo de Linares\n\n1. d4 *\n",
        ] {
            assert!(read(text).is_ok(), "{text}: {:?}", read(text));
        }
        for text in ["Torneo\n\n1. e4 d5 ed Qxd5 1-0\n", "Torneo\n1 e4 d5\n{a} ed 1-0\n"] {
            assert!(read(text).unwrap_err().ends_with("`ed` is not a move"), "{text}");
        }
    }

    /// Pieces of other variants have names of their own; those of the next game are the ones of chess again.
    #[test]
    fn moves_of_other_variants_are_no_errors() {
        let other = "[Event \"a\"]\n[Variant \"Seirawan\"]\n\n1. Hd3 {x\n\ny} Hxd5 2. Bd e4 1-0\n\n";
        let torn = "[Variant \"Capablanca\"]\n[White \"a\"]\n\n{c}\n\n1. Af3 Cc6 {torn\n";
        for text in
            [other.repeat(2), other.to_owned() + torn + other, torn.replace("{torn", "{torn}") + other]
        {
            assert!(read(&text).is_ok(), "{text}: {:?}", read(&text));
        }
        for (before, chess) in [
            (other, "[White \"b\"]\n\n"),
            (other, "[Variant \"Standard\"]\n\n"),
            (other, ""),
            (torn, "[Event \"b\"]\n\n"),
            ("[Variant \"Xiangqi\"]\n\n1. Hc3 Hc6\n", "[White \"b\"]\n\n"),
            ("[Variant \"Xiangqi\"]\n\n1. Hc3 Hc6\n\n", "[White \"b\"]\n\n"),
            ("[Event \"a\"]\n[Variant \"Xiangqi\"]\n\n", "[Event \"b\"]\n\n"),
        ] {
            let text = format!("{before}{chess}1. Hd3 1-0\n");
            let error = read(&text).unwrap_err();
            assert_eq!(error, format!("line {}: `Hd3` is not a move", text.lines().count()), "{text}");
        }
    }

    /// In UTF-8 and in the character set of Windows. Without hyphens zeros are a null move, or part of a number, and
    /// small letters an unclear position.
    #[test]
    fn castling_in_every_dress_is_respelt() {
        let respelt = |text: &[u8]| {
            let mut read = Vec::new();
            Respelt::new(text).read_to_end(&mut read).unwrap();
            String::from_utf8(read).unwrap()
        };
        assert_eq!(
            respelt("1. OO OOO+ O–O! O—O—O# 0\u{2011}0 0-O 00 0000 o−o-o 1-0 {no, 0.00}".as_bytes()),
            "1. O-O O-O-O+ O-O! O-O-O# 0-0 O-O 00 0000 O-O-O 1-0 {no, 0.00}"
        );
        assert_eq!(respelt(b"1. O\x96O o\x97o\x97o 0\x960"), "1. O-O O-O-O 0-0");
        let unclear = "1. e4 oo e5 =/oo 2. Nf3 oo/= Nc6 oo! ooo Oo *";
        assert_eq!(respelt(unclear.as_bytes()), unclear);
    }

    /// Not in comments and variations, nor before the moves.
    #[test]
    fn half_a_draw_is_one() {
        for (text, respelt) in [
            ("1. e4 e5 1/2\n\n1. d4 *\n", "1. e4 e5 1/2-1/2\n\n1. d4 *\n"),
            ("1. e4 1/2 - 1/2\n", "1. e4 1/2-1/2 - 1/2\n"),
            ("1. e4 {1/2 } (1. d4 1/2 ) e5 1/2-1/2\n", "1. e4 {1/2 } (1. d4 1/2 ) e5 1/2-1/2\n"),
            ("Heat 1/2\n\n[Round \"1/2\"]\n\n1. e4 1-0\n", "Heat 1/2\n\n[Round \"1/2\"]\n\n1. e4 1-0\n"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(respelt));
        }
    }

    /// Where no result was seen and no tag follows, the game goes on.
    #[test]
    fn blank_lines_among_moves_are_left_out() {
        for (text, respelt) in [
            ("1. e4\n\n\ne5\n\n% x\n\n2. d4\n", "1. e4\ne5\n% x\n2. d4\n"),
            ("1. e4\r\n\r\ne5\r\n", "1. e4\r\ne5\r\n"),
            ("{a\n\nb}\n\n1. e4 (1. d4 1-0\n\nd5) e5\n", "{a\n\nb}\n1. e4 (1. d4 1-0\nd5) e5\n"),
            ("1. e4 1-0 {a}\n\n1. d4 1–0\n\n1. c4 *\n\n", "1. e4 1-0 {a}\n\n1. d4 1–0\n\n1. c4 *\n\n"),
            ("1. e4\n\n\n[White \"a\"]\n\n1. d4\n", "1. e4\n\n[White \"a\"]\n\n1. d4\n"),
            (
                "1. e4\n\n \t[Event \"a\"]\n [White \"Sf3\"]\n\n1. d4\n",
                "1. e4\n\n[Event \"a\"]\n[White \"Sf3\"]\n\n1. d4\n",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Ok(respelt));
        }
        assert_eq!(read("1. e4\n\n\n1. Lg5\n").unwrap_err(), "line 4: `Lg5` is not a move");
    }

    #[test]
    fn promotions_and_hyphens_are_respelt() {
        for (text, respelt) in [
            ("1. e7e8q a2xb1n+ 2. e8Q exd8R# 3. e7e8=q", "1. e7e8=Q a2xb1=N+ 2. e8=Q exd8=R# 3. e7e8=Q"),
            ("1. Ng1-f3 e7-e5 2. e7-e8q", "1. Ng1f3 e7e5 2. e7e8=Q"),
            ("1. e4 e5 2. Qh8 Ra8 O-O 0-1 1-0", "1. e4 e5 2. Qh8 Ra8 O-O 0-1 1-0"),
            ("1.e8q{+0.31/12 0.1s} f8b", "1.e8=Q{+0.31/12 0.1s} f8=B"),
            ("4. exd6e.p. dxe3e.p.+", "4. exd6 dxe3+"),
            ("1. e4 {x\n\n[Event \"a\"]\n\n1. e8q", "1. e4 {x\n\n}\n[Event \"a\"]\n\n1. e8=Q"),
            ("4. Qxf7++ Q1d2+# e8q+++ {a++} O-O++ +- a1++!", "4. Qxf7+ Q1d2+ e8=Q+ {a++} O-O+ +- a1+!"),
            ("\u{feff}[Event \"Round1\"]\n1. e4", "[Event \"Round1\"]\n1. e4"),
            ("1. e4 *\n\u{feff}[Event \"Round1\"]\n\u{feff}1. e8q", "1. e4 *\n[Event \"Round1\"]\n1. e8=Q"),
            ("1. e4 {x\n\u{feff}[Event \"a\"]\n1. e8q", "1. e4 {x\n}\n[Event \"a\"]\n1. e8=Q"),
            ("o-o\n1.o-o-o+ o-o#", "O-O\n1.O-O-O+ O-O#"),
            ("foo-o o-oh o-o-", "foo-o o-oh O-O-"),
            (
                "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1 e7e8q\"]",
                "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1 e7e8q\"]",
            ),
            ("", ""),
        ] {
            assert_eq!(read(text).as_deref(), Ok(respelt));
        }
    }
}
