//! Which lines of an engine are answers, in either protocol.

use super::xboard::{ending, own_move};

/// Is this a line that a client waits for: the end of a greeting, an answer to `isready` or `ping`, a move,
/// the end of a game?
///
/// Lines about a search are none, nor is anything that an engine may write or leave out as it likes.
#[must_use]
pub fn is_answer(line: &str) -> bool {
    let line = line.trim();
    let mut words = line.split_whitespace();
    match words.next() {
        Some("uciok" | "readyok" | "bestmove" | "pong" | "resign") => true,
        Some("feature") => words.any(|word| word == "done=1"),
        Some("tellics") => words.next() == Some("resign"),
        Some("Illegal" | "illegal") => words.next().is_some_and(|word| word.starts_with("move")),
        _ => own_move(line).is_some() || ending(line).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_talk() {
        for line in [
            "uciok",
            "readyok\r",
            "bestmove e2e4 ponder e7e5",
            "pong 3",
            "feature ping=1 myname=\"A B\" done=1",
            "move e2e4",
            "1. ... e7e5",
            "0-1 {White resigns}",
            "resign",
            "tellics resign",
            "Illegal move: e2e5",
            "illegal move",
            "Black resigns",
        ] {
            assert!(is_answer(line), "{line}");
        }
        for line in [
            "",
            "id name X",
            "option name Hash type spin",
            "info depth 3 pv e2e4",
            "feature done=0",
            "feature myname=\"X\"",
            "4 20 3 100 e4 e5",
            "1. e2e4",
            "# bestmove is none",
            "tellics say hello",
        ] {
            assert!(!is_answer(line), "{line}");
        }
    }
}
