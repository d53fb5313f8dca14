//! Moves as programs spell them, made such as `pgn-reader` can read.
//!
//! That reader knows SAN only, and passes over a word of which it cannot read the end: of `e7e8q` nothing
//! would be left. So promotions get their `=` and capital (`e7e8q`, `e8Q`, `a7xb8=q`), and the hyphen between
//! two squares (`Ng1-f3`), an `e.p.` behind one, the second sign of a check (`Qxf7++`, `Qxf7+#`) and a mark
//! of the encoding before any line (files may have been put together) are left out, and castling gets its capitals
//! (`o-o`). Lines with tags are left as they are; in a comment such words may change, which changes nothing that is
//! read of it.
//!
//! A comment ends at the next game's tags at the latest: where a game was torn within one, that reader would
//! take the next game for the comment's rest.
//!
//! A word with a square in it, or one that begins like castling, that is a move in no spelling known here (`♘f3`, `Sf3`,
//! `K-e2`, `O-O±`) is an error: that reader would pass over it as well, and a game with a move less would look like
//! another game. The last word of a file that does not end with a line end may be torn, and is no error.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use pgn_reader::shakmaty::san::San;

use crate::openings::pgn::begins_game;

/// What some editors write before the first line of a text in UTF-8: a byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The text of a PGN file with its moves respelt, line by line.
pub(super) struct Respelt<R> {
    input: R,
    line: Vec<u8>,
    /// How much of the line has been read.
    taken: usize,
    /// Lines read.
    number: u64,
    place: Place,
    cut: Rc<Cell<bool>>,
}

/// What the text is at the end of a line.
#[derive(Default)]
struct Place {
    comment: bool,
    /// How many variations begun are not yet at their ends.
    variations: usize,
}

impl<R: BufRead> Respelt<R> {
    /// The text of this input.
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), taken: 0, number: 0, place: Place::default(), cut: Rc::default() }
    }

    /// True once the text has been read to its end, and its last line has no line end.
    pub fn cut(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.cut)
    }
}

impl<R: BufRead> Read for Respelt<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.line.len() {
            self.taken = 0;
            self.line.clear();
            self.input.read_until(b'\n', &mut self.line)?;
            self.number += 1;
            if let Some(last) = self.line.last() {
                self.cut.set(*last != b'\n');
            }
            if self.line.starts_with(MARK) {
                self.line.drain(..MARK.len());
            }
            let bracket = self.line.first() == Some(&b'[');
            if bracket && self.place.comment && begins_game(&String::from_utf8_lossy(&self.line)) {
                self.line.splice(..0, *b"}\n");
                self.place = Place::default();
            }
            let tag_or_escape = bracket || self.line.first() == Some(&b'%');
            if tag_or_escape && !self.place.comment {
                self.place = Place::default();
            } else {
                respell(&mut self.line);
                if let Some(word) = self.place.pass(&self.line) {
                    let word = String::from_utf8_lossy(word);
                    let why = format!("line {}: `{word}` is not a move", self.number);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
            }
        }
        let mut rest = &self.line[self.taken..];
        let read = rest.read(into)?;
        self.taken += read;
        Ok(read)
    }
}

impl Place {
    /// Goes on to the end of a line. Returns a word of the game that should be a move and is not one.
    fn pass<'l>(&mut self, line: &'l [u8]) -> Option<&'l [u8]> {
        let mut begin = 0;
        for (at, byte) in line.iter().enumerate() {
            let ends_word = byte.is_ascii_whitespace() || b"{}();$!?*.".contains(byte);
            if !ends_word {
                continue;
            }
            let word = &line[begin..at];
            begin = at + 1;
            if !self.comment && self.variations == 0 && is_unknown(word) {
                return Some(word);
            }
            match byte {
                b'}' => self.comment = false,
                _ if self.comment => {}
                b'{' => self.comment = true,
                b'(' => self.variations += 1,
                b')' => self.variations = self.variations.saturating_sub(1),
                b';' => return None,
                _ => {}
            }
        }
        None
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

/// Gives castling in small letters its capitals.
fn capitalize_castling(line: &mut [u8]) {
    for at in 0..line.len() {
        if !line[at..].starts_with(b"o-o") {
            continue;
        }
        let end = at + if line[at..].starts_with(b"o-o-o") { 5 } else { 3 };
        let begins = at == 0 || !line[at - 1].is_ascii_alphanumeric();
        let ends = line.get(end).is_none_or(|next| !next.is_ascii_alphanumeric());
        if begins && ends {
            line[at..end].make_ascii_uppercase();
        }
    }
}

/// Respells the moves of a line.
fn respell(line: &mut Vec<u8>) {
    capitalize_castling(line);
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

    #[test]
    fn words_that_should_be_moves_and_are_not_are_errors() {
        let read = |text: &str| Respelt::new(text.as_bytes()).read_to_string(&mut String::new());
        for text in [
            "1. e4! e5?! 2. Nf3+ $1 Nc6 {♘f3 and\nSf3} (2. Lg5\n) ; Lg5\n3.Bb5 3...a6 4. exd6e.p. O-O 0-0 1/2-1/2",
            "[White \"Sf3\"]\n% Sf3\n\n1. Ng1-f3 e7e8q N D +- -- = e8Q Q1d2# N@f3 1-0",
            "1.e4!e5 2.Nf3?!Nc6*",
            "{ [%clk 1:00]\n[%eval Sf3] } 1. e2-e4 *",
            "1. e4 {torn\n\n[White \"Sf3\"]\n\n1. d4 1-0\n",
            "1. Ng1-f",
            "1. e4 o-o 2. o-o-o+ O-O# 3.O-O-O!o-o?! 0-0± 0-1",
            "1. O-\n\n[White \"a\"]\n\n1. O-O-\n{O-O±} (O-O±) ; O-O±\n1-0 O-O±",
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
            let error = read(text).unwrap_err().to_string();
            assert_eq!(error, format!("line {line}: `{word}` is not a move"));
        }
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
            let mut read = String::new();
            Respelt::new(text.as_bytes()).read_to_string(&mut read).unwrap();
            assert_eq!(read, respelt);
        }
    }
}
