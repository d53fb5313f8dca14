//! The words of a PGN file, each with its line. Opening books and games of other programs are read by them.
//!
//! The import format of the PGN standard (Steven J. Edwards, 1994) is taken apart as widely as programs write it.
//! Escaped lines, comments to the end of a line, variations, annotations and glyphs are left out. Every other word is
//! handed on, a move or not: one that was passed over would quietly make another game. `pgn-reader` does that, and
//! knows no lines. Where a file is whole both find the same moves; the tests hold that.
//!
//! Only a line is held at a time. Lines end as those of the first bytes do: with LF, with or without CR before it, or
//! with CR alone. Each is UTF-8 or else Latin-1, the character set of the standard. Bytes that say nothing ([`SILENT`])
//! are left out, and byte order marks are blanks: joined files have them anywhere. A blank line ends nothing.
//!
//! A comment or a variation ends at the next game's tags at the latest: it was torn where its writer was killed.

use std::io::{self, BufRead};

use chess::text::{SILENT, decode_part};

use super::spelling::{is_left_out, is_move_number};

/// What stands in a PGN file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// A tag pair; the value without its escapes.
    Tag(&'a str, String),
    /// A line that begins as a tag does and is none: what can be read of one.
    BrokenTag(&'a str, String),
    /// The number of a move with its point.
    Number,
    /// Any other word of the main line: a move, or something that should be one.
    Move(&'a str),
    /// A comment on the main line.
    Comment(&'a str),
    /// The end of a game: a result as the standard has it, or [`HALF`].
    Result(&'static str),
    /// A bracket without its other one.
    Fault {
        /// What is wrong.
        why: &'static str,
        /// A result stands in the variation that does not end: it may be the game's.
        hides_result: bool,
    },
}

/// A draw as some write it. In a title it is a fraction.
pub(crate) const HALF: &str = "1/2";

/// Bytes of a comment that are read at least; what is longer may be cut.
const LONGEST_COMMENT: usize = 1 << 16;

/// Cuts a text into words. Lines are counted from 1.
pub(crate) struct Words<R> {
    input: R,
    /// The byte that its lines end with, once it is known.
    line_end: Option<u8>,
    line: String,
    /// The number of the line.
    number: usize,
    /// Where the last word begins in the line, and where the rest of the line does.
    begin: usize,
    at: usize,
    comment: String,
    /// The lines in which the variations begin that have not ended.
    variations: Vec<usize>,
    /// A result has been seen in the last of them.
    ended_within: bool,
    is_cut: bool,
}

impl<R: BufRead> Words<R> {
    /// The words of this text.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line_end: None,
            line: String::new(),
            number: 0,
            begin: 0,
            at: 0,
            comment: String::new(),
            variations: Vec::new(),
            ended_within: false,
            is_cut: false,
        }
    }

    /// Whether what has been read ends within a line or a comment.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The last word, a tag or a move, is the next one again.
    pub fn back(&mut self) {
        self.at = self.begin;
    }

    /// The next word with its line; `None` at the end of the text.
    pub fn next(&mut self) -> io::Result<Option<(usize, Word<'_>)>> {
        let fault = |why| Word::Fault { why, hides_result: false };
        loop {
            let Some(first) = self.line[self.at..].chars().next() else {
                if self.fetch()? {
                    continue;
                }
                return Ok(self.endless("a variation begins here and does not end"));
            };
            let (line, in_main_line) = (self.number, self.variations.is_empty());
            self.begin = self.at;
            match first {
                '%' if self.at == 0 => self.at = self.line.len(),
                ';' => self.at = self.line.len(),
                '{' => {
                    if let Some(why) = self.pass_comment()? {
                        return Ok(Some((line, fault(why))));
                    }
                    if in_main_line {
                        return Ok(Some((line, Word::Comment(&self.comment))));
                    }
                }
                '(' => {
                    self.variations.push(line);
                    self.at += 1;
                }
                ')' => {
                    self.at += 1;
                    self.ended_within = false;
                    if self.variations.pop().is_none() {
                        return Ok(Some((line, fault("`)` ends no variation"))));
                    }
                }
                '[' if in_main_line && (self.begins_line() || begins_tag(&self.line[self.at..])) => {
                    return Ok(Some((line, self.tag())));
                }
                '[' if self.begins_line() && begins_tag(&self.line[self.at..]) => {
                    return Ok(self.endless("a variation begins here and does not end before the next game"));
                }
                '.' | '…' | '}' | '\u{feff}' => self.at += first.len_utf8(),
                _ if first.is_whitespace() => self.at += first.len_utf8(),
                _ => {
                    self.at = self.word_end(first);
                    let (word, behind) = (&self.line[self.begin..self.at], &self.line[self.at..]);
                    let result = result(word);
                    if !in_main_line {
                        self.ended_within |= result.is_some();
                    } else if let Some(result) = result {
                        self.at += if result == HALF { other_half(behind) } else { 0 };
                        return Ok(Some((line, Word::Result(result))));
                    } else if is_move_number(word, behind) {
                        if is_point(behind) {
                            return Ok(Some((line, Word::Number)));
                        }
                    } else if !is_left_out(word) {
                        return Ok(Some((line, Word::Move(&self.line[self.begin..self.at]))));
                    }
                }
            }
        }
    }

    /// Goes on to the next line; false at the end of the text.
    fn fetch(&mut self) -> io::Result<bool> {
        let end = self.line_end()?;
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        bytes.clear();
        self.at = 0;
        if self.input.read_until(end, &mut bytes)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if let Some(last) = bytes.last_mut().filter(|last| **last == end) {
            *last = b'\n';
        }
        bytes.retain(|byte| !SILENT.contains(byte));
        if let Some(last) = bytes.last() {
            self.is_cut = *last != b'\n';
        }
        self.line =
            String::from_utf8(bytes).unwrap_or_else(|error| decode_part(error.as_bytes()).into_owned());
        let marks = self.line.len() - self.line.trim_start_matches('\u{feff}').len();
        self.line.drain(..marks);
        Ok(true)
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

    /// Whether nothing but blanks stands before the word that begins here.
    fn begins_line(&self) -> bool {
        // From the end: what is read of a long line is not read again for each of its brackets.
        self.line[..self.at].trim_end().is_empty()
    }

    /// What is wrong if variations have not ended where a game ends, with the line of the last.
    fn endless(&mut self, why: &'static str) -> Option<(usize, Word<'static>)> {
        let begin = *self.variations.last()?;
        self.variations.clear();
        Some((begin, Word::Fault { why, hides_result: std::mem::take(&mut self.ended_within) }))
    }

    /// Passes over `{...}`, over any number of lines, but not into the next game. What is wrong if it does not end.
    fn pass_comment(&mut self) -> io::Result<Option<&'static str>> {
        self.comment.clear();
        self.at += 1;
        loop {
            let rest = &self.line[self.at..];
            let end = rest.find('}');
            if self.comment.len() < LONGEST_COMMENT {
                self.comment.push_str(&rest[..end.unwrap_or(rest.len())]);
            }
            if let Some(end) = end {
                self.at += end + 1;
                return Ok(None);
            }
            if !self.fetch()? {
                self.is_cut = true;
                return Ok(Some("a comment begins here and does not end"));
            }
            if begins_tag(&self.line) {
                return Ok(Some("a comment begins here and does not end before the next game"));
            }
        }
    }

    /// `[Name "value"]`, on one line. A broken one takes the rest of its line.
    fn tag(&mut self) -> Word<'_> {
        let text = &self.line[self.at + 1..];
        let (name, quoted) = text.split_once('"').unwrap_or_default();
        let (value, behind) = unquoted(quoted);
        let rest = behind.and_then(|behind| behind.trim_start().strip_prefix(']'));
        self.at = self.line.len() - rest.map_or(0, str::len);
        let word = if rest.is_some() { Word::Tag } else { Word::BrokenTag };
        word(name.trim(), value)
    }

    /// Where the word ends that begins here with this letter: behind a sign that is one by itself, behind a glyph's
    /// number (`$1Nf3`), or else before the next blank or sign. The points of `exd6e.p.` belong to it.
    fn word_end(&self, first: char) -> usize {
        let rest = &self.line[self.at..];
        let inner = first.len_utf8();
        let end = match first {
            '$' => inner + rest[inner..].bytes().take_while(u8::is_ascii_digit).count(),
            '!' | '?' | '*' | ']' => inner,
            _ => rest[inner..].find(ends_word).map_or(rest.len(), |end| end + inner),
        };
        let noted = rest[..end].ends_with('e') && rest[end..].starts_with(".p.");
        self.at + end + if noted { ".p.".len() } else { 0 }
    }
}

/// Whether no word goes on with this.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || "{}()[];$!?*.…\u{feff}".contains(c)
}

/// Whether a text begins with a tag, as a game does.
fn begins_tag(text: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let behind = text.strip_prefix('[').map(|tag| tag.trim_start_matches(in_name));
    let value = behind.and_then(|behind| behind.strip_prefix([' ', '\t']));
    value.is_some_and(|value| value.trim_start().starts_with('"'))
}

/// A tag's value without its escapes, and what stands behind its quotation mark; without one all up to the line's end.
fn unquoted(text: &str) -> (String, Option<&str>) {
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return (value, Some(&text[at + 1..])),
            _ => {
                if escaped && !matches!(c, '\\' | '"') {
                    value.push('\\');
                }
                value.push(c);
                escaped = false;
            }
        }
    }
    (value.trim_end().to_owned(), None)
}

/// The result that a word is.
fn result(word: &str) -> Option<&'static str> {
    Some(match word {
        "1-0" | "1–0" | "1—0" => "1-0",
        "0-1" | "0–1" | "0—1" => "0-1",
        "1/2-1/2" | "1/2–1/2" | "1/2—1/2" | "½-½" | "½–½" | "½—½" => "1/2-1/2",
        HALF => HALF,
        "*" => "*",
        _ => return None,
    })
}

/// Bytes that are left of a draw with blanks in it, `1/2 - 1/2`, behind its first half.
fn other_half(behind: &str) -> usize {
    let blanks = [' ', '\t'];
    let dash = behind.trim_start_matches(blanks).strip_prefix('-');
    let half = dash.and_then(|rest| rest.trim_start_matches(blanks).strip_prefix(HALF));
    let ends = half.filter(|rest| rest.chars().next().is_none_or(ends_word));
    ends.map_or(0, |rest| behind.len() - rest.len())
}

/// Whether what stands behind a number makes the number of a move of it: a point. With a digit behind that it is a part
/// of a date.
fn is_point(behind: &str) -> bool {
    let point = behind.strip_prefix(['.', '…']);
    point.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The words of a text with their lines, as they are written down for these tests.
    fn words(input: impl BufRead) -> Vec<String> {
        let mut words = Words::new(input);
        let mut all = Vec::new();
        while let Some((line, word)) = words.next().unwrap() {
            all.push(match word {
                Word::Tag(name, value) => format!("{line} {name}={value}"),
                Word::BrokenTag(name, value) => format!("{line} {name}?{value}"),
                Word::Number => continue,
                Word::Move(text) => format!("{line} {text}"),
                Word::Comment(text) => format!("{line} {{{text}}}"),
                Word::Result(result) => format!("{line} {result}"),
                Word::Fault { why, hides_result } => format!("{line} {why} {hides_result}"),
            });
        }
        all
    }

    const GAMES: &str = "[Event \"Round1 \\\"a\\\" C:\\b\"]\n [Site\"é\"]\n\n\
                         1.e4!e5?! $1{c\nd} 2. Nf3+- (2. d4 {x} (2. c4))\n\
                         % e\n;f\n2...Nc6*\n\
                         [Event x]\n[Event \"x]\n1. d4 exd6e.p. ½–½\n";

    /// However few bytes are read at once.
    #[test]
    fn a_text_is_cut_into_words() {
        let cut = [
            "1 Event=Round1 \"a\" C:\\b",
            "2 Site=é",
            "4 e4",
            "4 e5",
            "4 {c\nd}",
            "5 Nf3+-",
            "8 Nc6",
            "8 *",
            "9 ?",
            "10 Event?x]",
            "11 d4",
            "11 exd6e.p.",
            "11 1/2-1/2",
        ];
        assert_eq!(words(GAMES.as_bytes()), cut);
        assert_eq!(words(BufReader::with_capacity(1, GAMES.as_bytes())), cut);
        for end in ["\r\n", "\r", "\0\n\u{feff}", "\u{1a}\n"] {
            let text = format!("\u{feff}{}", GAMES.replace('\n', end));
            let read: Vec<String> =
                words(text.as_bytes()).iter().map(|word| word.replace('\r', "")).collect();
            let comment = |word: &String| !word.contains('{');
            let expected = cut.iter().map(|word| (*word).to_owned()).filter(comment);
            assert!(read.iter().filter(|word| comment(word)).cloned().eq(expected), "{end:?}: {read:?}");
        }
        let latin: Vec<u8> = GAMES.chars().filter(|&c| c != '–').map(|c| u8::try_from(c).unwrap()).collect();
        assert_eq!(words(&latin[..])[..8], cut[..8]);
    }

    /// What does not end, ends at the next game.
    #[test]
    fn brackets_without_their_others_are_told() {
        for (text, told) in [
            ("e4 {a", &["1 e4", "1 a comment begins here and does not end false"][..]),
            (
                "{a\n\u{feff}[Event \"b\"]",
                &["1 a comment begins here and does not end before the next game false", "2 Event=b"],
            ),
            (
                "(d4\n(1-0\n [Event \"b\"]",
                &["2 a variation begins here and does not end before the next game true", "3 Event=b"],
            ),
            ("(d4 1-0 (c4) [%x\n[y", &["1 a variation begins here and does not end false"]),
            ("e4 ) e5 } d4", &["1 e4", "1 `)` ends no variation false", "1 e5", "1 d4"]),
        ] {
            assert_eq!(words(text.as_bytes()), told, "{text}");
        }
    }

    #[test]
    fn the_last_word_comes_again() {
        let mut words = Words::new("1. e4 [White \"a\"]\n".as_bytes());
        assert_eq!(words.next().unwrap(), Some((1, Word::Number)));
        for _ in 0..2 {
            assert_eq!(words.next().unwrap(), Some((1, Word::Move("e4"))));
            words.back();
        }
        words.next().unwrap();
        for _ in 0..2 {
            assert_eq!(words.next().unwrap(), Some((1, Word::Tag("White", "a".to_owned()))));
            words.back();
        }
        assert!(!words.is_cut());
    }

    /// A line end, and all that a comment holds.
    #[test]
    fn a_cut_text_is_known() {
        for (text, is_cut) in
            [("e4", true), ("e4\n", false), ("e4\n\u{1a}\0", false), ("e4\n{\n", true), ("", false)]
        {
            let mut words = Words::new(text.as_bytes());
            while words.next().unwrap().is_some() {}
            assert_eq!(words.is_cut(), is_cut, "{text:?}");
        }
        let long = format!("{{{}}} e4", "a\n".repeat(LONGEST_COMMENT));
        let mut words = Words::new(long.as_bytes());
        let comment = words.next().unwrap();
        assert!(matches!(comment, Some((1, Word::Comment(text))) if text.len() == LONGEST_COMMENT));
        assert!(matches!(words.next().unwrap(), Some((_, Word::Move("e4")))));
    }
}
