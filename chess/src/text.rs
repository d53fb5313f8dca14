//! Text files of positions and games as they come: with or without a byte order mark, in UTF-8, UTF-16 or Latin-1, with the
//! line ends of any system. And as they are written: words in lines.

use std::borrow::Cow;

/// Bytes that say nothing in a text: NUL, with which old programs end their lines, and the byte with which DOS ends a
/// file. Joined files may have them anywhere.
pub const SILENT: [u8; 2] = [0, 0x1a];

/// The text of a file. Bytes that are not UTF-8 are taken for Latin-1, which every sequence of bytes is. [`SILENT`]
/// bytes are left out, unless the text is UTF-16.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let units = |of: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)).into(),
        [0xfe, 0xff, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)).into(),
        _ if SILENT.iter().any(|silent| bytes.contains(silent)) => {
            let kept: Vec<u8> = bytes.iter().copied().filter(|byte| !SILENT.contains(byte)).collect();
            decode(&kept).into_owned().into()
        }
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => decode_part(rest),
    }
}

/// A part of a text, where no byte order mark can stand. Bytes that are not UTF-8 are taken for Latin-1.
pub fn decode_part(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// Whether a file that begins so is one in UTF-16.
pub fn is_utf16(beginning: &[u8]) -> bool {
    matches!(beginning, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// The lines that say something, without blanks at either end, each with its number from 1: neither empty nor a comment
/// (`#`). A line ends with LF, CR LF or CR. A byte order mark may stand before any of them, since files are joined.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = Some(text);
    let all = std::iter::from_fn(move || {
        let text = rest?;
        let end = text.find(['\n', '\r']);
        rest = end.map(|end| text[end..].strip_prefix("\r\n").unwrap_or(&text[end + 1..]));
        Some(&text[..end.unwrap_or(text.len())])
    });
    let begins = |c: char| c.is_whitespace() || c == '\u{feff}';
    let said = all.map(move |line| line.trim_start_matches(begins).trim_end());
    (1..).zip(said).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// A text of several lines on one: their ends and tabs are blanks. A line ends with LF, CR LF or CR.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.replace("\r\n", " ").replace(['\r', '\n', '\t'], " ")
}

/// Characters that a message shows of a text.
const SHOWN: usize = 60;

/// The beginning of a text, for a message: without control characters, and with `…` for the rest of a long one.
#[must_use]
pub fn clip(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// Longest line of moves in our games, in bytes (the PGN standard, 8.2.1, recommends fewer than 80 characters).
pub const PGN_WIDTH: usize = 79;

/// Words in lines of at most `width` bytes, with a blank between words and a line end after each line. A word that is
/// longer, or that holds blanks, is not broken. No words are one empty line. No line but the first begins with `%`,
/// since readers of PGN skip such a line (the standard, section 6): a word that does stays on the line before.
pub fn fill<W: AsRef<str>>(words: impl IntoIterator<Item = W>, width: usize) -> String {
    let mut text = String::new();
    let mut begin = 0;
    for word in words {
        let word = word.as_ref();
        if text.len() > begin {
            let fits = text.len() - begin + 1 + word.len() <= width || word.starts_with('%');
            text.push(if fits { ' ' } else { '\n' });
            if !fits {
                begin = text.len();
            }
        }
        text.push_str(word);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_lines() {
        let moves = ["1.", "e4", "e5", "2. Nf3", "{a comment}", "Nc6"];
        assert_eq!(fill(moves, 9), "1. e4 e5\n2. Nf3\n{a comment}\nNc6\n");
        assert_eq!(fill(moves, 8), "1. e4 e5\n2. Nf3\n{a comment}\nNc6\n");
        assert_eq!(fill(moves, 7), "1. e4\ne5\n2. Nf3\n{a comment}\nNc6\n");
        assert_eq!(fill(moves, 0), moves.map(|word| format!("{word}\n")).concat());
        assert_eq!(fill(["{", "%a", "b", "%}"], 0), "{ %a\nb %}\n");
        assert_eq!(fill(moves, 100), "1. e4 e5 2. Nf3 {a comment} Nc6\n");
        assert_eq!((fill([""; 0], 9), fill(["*"], 9)), ("\n".into(), "*\n".into()));
    }

    #[test]
    fn of_a_long_text_the_beginning_is_shown() {
        let sixty = "ü".repeat(60);
        for whole in ["", "e2e4", "a b", sixty.as_str()] {
            assert_eq!(clip(whole), whole);
        }
        assert_eq!(clip(&"ü".repeat(61)), format!("{sixty}…"));
        assert_eq!(clip("a\tb\u{1b}[2J\r\n"), "ab[2J");
    }

    #[test]
    fn every_encoding_is_the_same_text() {
        let text = "é # ½\n";
        let utf16 = |to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect::<Vec<u8>>();
        assert_eq!(decode(text.as_bytes()), text);
        assert_eq!(decode(&[&[0xef, 0xbb, 0xbf], text.as_bytes()].concat()), text);
        assert_eq!(decode(&[&[0xff, 0xfe], &utf16(u16::to_le_bytes)[..]].concat()), text);
        assert_eq!(decode(&[&[0xfe, 0xff], &utf16(u16::to_be_bytes)[..]].concat()), text);
        assert_eq!(decode(b"\xe9 # \xbd\n"), text);
        for silent in [&b"\xe9 # \xbd\0\n"[..], b"\xe9 # \xbd\n\x1a", b"\xe9\x1a # \xbd\0\n\x1a\0"] {
            assert_eq!(decode(silent), text);
        }
        assert_eq!(decode(&[text.as_bytes(), b"\x1a"].concat()), text);
        assert_eq!(
            (decode(b""), decode(b"\xef\xbb\xbf"), decode(b"\xff\xfe")),
            ("".into(), "".into(), "".into())
        );
        assert_eq!((decode_part(text.as_bytes()), decode_part(b"\xe9 # \xbd\n")), (text.into(), text.into()));
        assert_eq!(decode_part(b"\xff\xfe"), "ÿþ", "letters, where no mark can stand");
        let marks = [&b"\xff\xfe"[..], b"\xfe\xff[", b"\xef\xbb\xbf", b"[", b""].map(is_utf16);
        assert_eq!(marks, [true, true, false, false, false]);
    }

    #[test]
    fn lines_have_the_numbers_that_an_editor_shows() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["# comment", "", " a ", "b # c", "\t", "d"].join(end);
            assert_eq!(lines(&text).collect::<Vec<_>>(), [(3, "a"), (4, "b # c"), (6, "d")], "{end:?}");
            let ended = format!("{text}{end}");
            assert_eq!(lines(&ended).count(), 3);
            let joined = format!("\u{feff}{}", ended.replace(end, &format!("{end}\u{feff}")));
            assert_eq!(lines(&joined).collect::<Vec<_>>(), lines(&text).collect::<Vec<_>>(), "{end:?}");
            assert_eq!(one_line(&ended), "# comment   a  b # c   d ", "{end:?}");
        }
        assert_eq!(lines(" \u{feff} \u{feff}a\u{feff}").collect::<Vec<_>>(), [(1, "a\u{feff}")]);
    }
}
