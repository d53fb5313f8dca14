//! Moves as programs spell them, made such as `pgn-reader` can read.
//!
//! That reader knows SAN only, and passes over a word of which it cannot read the end: of `e7e8q` nothing
//! would be left. So promotions get their `=` and capital (`e7e8q`, `e8Q`, `a7xb8=q`), and the hyphen between
//! two squares (`Ng1-f3`) is left out. Lines with tags are left as they are; in a comment such words may
//! change, which changes nothing that is read of it.

use std::io::{self, BufRead, Read};

/// The text of a PGN file with its moves respelt, line by line.
pub(super) struct Respelt<R> {
    input: R,
    line: Vec<u8>,
    /// How much of the line has been read.
    taken: usize,
}

impl<R: BufRead> Respelt<R> {
    /// The text of this input.
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), taken: 0 }
    }
}

impl<R: BufRead> Read for Respelt<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.line.len() {
            self.taken = 0;
            self.line.clear();
            self.input.read_until(b'\n', &mut self.line)?;
            if self.line.first() != Some(&b'[') {
                respell(&mut self.line);
            }
        }
        let mut rest = &self.line[self.taken..];
        let read = rest.read(into)?;
        self.taken += read;
        Ok(read)
    }
}

/// Respells the moves of a line.
fn respell(line: &mut Vec<u8>) {
    let mut at = 2;
    while at < line.len() {
        let square = is_square(line[at - 2], line[at - 1]);
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
    fn promotions_and_hyphens_are_respelt() {
        for (text, respelt) in [
            ("1. e7e8q a2xb1n+ 2. e8Q exd8R# 3. e7e8=q", "1. e7e8=Q a2xb1=N+ 2. e8=Q exd8=R# 3. e7e8=Q"),
            ("1. Ng1-f3 e7-e5 2. e7-e8q", "1. Ng1f3 e7e5 2. e7e8=Q"),
            ("1. e4 e5 2. Qh8 Ra8 O-O 0-1 1-0", "1. e4 e5 2. Qh8 Ra8 O-O 0-1 1-0"),
            ("1.e8q{+0.31/12 0.1s} f8b", "1.e8=Q{+0.31/12 0.1s} f8=B"),
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
