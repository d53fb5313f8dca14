//! From the bytes of a pipe to a line of text, and from that to words and numbers: the same for what clients
//! and engines send.
//!
//! Programs write more than their protocol: a byte order mark in front (editors and PowerShell put it there),
//! NUL bytes (C programs that write a string's end, or UTF-16), carriage returns, names in Latin-1. None of
//! that may make a line unreadable.

use chess::text::decode_part;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

/// The line without its ending, byte order marks and NUL bytes. One that is not UTF-8 is taken for Latin-1, which
/// programs for Windows write in the West.
pub fn line(bytes: &[u8]) -> String {
    let bytes = without_mark(bytes.strip_suffix(b"\n").unwrap_or(bytes));
    if bytes.contains(&0) {
        let kept: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        return decode_part(without_returns(&kept)).into_owned();
    }
    decode_part(without_returns(bytes)).into_owned()
}

/// Without the carriage returns at its end.
fn without_returns(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = bytes.strip_suffix(b"\r") {
        bytes = rest;
    }
    bytes
}

/// Byte order marks stand at the beginning of a stream; where streams were joined, at the beginning of a
/// line.
fn without_mark(mut bytes: &[u8]) -> &[u8] {
    const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    while let Some(rest) = MARKS.iter().find_map(|mark| bytes.strip_prefix(*mark)) {
        bytes = rest;
    }
    bytes
}

/// The first word of a text and what follows it.
pub fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    // Lines of engines are ASCII but for names; a space is by far the most common end of a word.
    let ascii = text.bytes().position(|byte| byte <= b' ' || !byte.is_ascii()).unwrap_or(text.len());
    let end = text[ascii..].find(char::is_whitespace).map_or(text.len(), |end| ascii + end);
    (end > 0).then(|| text.split_at(end))
}

/// A whole number; one beyond its type is the `least` or the `most` there is.
pub fn whole<T: FromStr<Err = ParseIntError>>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().map_or_else(
        |error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => Some(most),
            IntErrorKind::NegOverflow => Some(least),
            _ => None,
        },
        Some,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_nul_bytes_and_line_endings_are_no_part_of_a_line() {
        for bytes in [
            b"uci".as_slice(),
            b"uci\n",
            b"uci\r\n",
            b"uci\r\r\n",
            b"\xef\xbb\xbfuci\n",
            b"\xef\xbb\xbf\xef\xbb\xbfuci\r\n",
            b"uci\0\n",
            b"\xff\xfeu\0c\0i\0\r\0\n",
            b"\0u\0c\0i\0\r\0\n",
        ] {
            assert_eq!(line(bytes), "uci", "{bytes:?}");
        }
        for bytes in [&b"id name M\xfcller"[..], "id name Müller".as_bytes(), b"id name M\xfcl\0ler\r\n"] {
            assert_eq!(line(bytes), "id name Müller", "{bytes:?}");
        }
        assert_eq!(line(b"a\rb \n"), "a\rb ");
        assert_eq!(line(b"\r\n"), "");
    }
}
