//! Names of openings, with their codes in the Encyclopaedia of Chess Openings.
//!
//! The table (`eco.tsv`) is our own: code, name, moves from the start position. A game has the name of the
//! last position in it that the table knows, so that moves in another order lead to the same name.

use std::collections::HashMap;
use std::sync::LazyLock;

use chess::Game;

const TABLE: &str = include_str!("eco.tsv");

/// An opening that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// Its code, a letter and two digits.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// By the key of the position that it leads to, and the most plies that any takes.
static POSITIONS: LazyLock<(HashMap<u64, Named>, usize)> = LazyLock::new(|| {
    let mut positions = HashMap::new();
    let mut longest = 0;
    for line in TABLE.lines() {
        // The tests see to it that every line is whole and legal.
        let mut fields = line.split('\t');
        let (Some(code), Some(name), Some(moves)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        if let Some(game) = play(moves) {
            longest = longest.max(game.moves().len());
            positions.insert(game.position().key(), Named { code, name });
        }
    }
    (positions, longest)
});

fn play(moves: &str) -> Option<Game> {
    let mut game = Game::default();
    for san in moves.split(' ') {
        let mv = game.position().parse_san(san).ok()?;
        game.play(mv).ok()?;
    }
    Some(game)
}

/// The opening of a game that begins in the usual start position, by its moves in SAN.
#[must_use]
pub fn opening<'a>(moves: impl IntoIterator<Item = &'a str>) -> Option<Named> {
    let (positions, longest) = &*POSITIONS;
    let mut game = Game::default();
    let mut named = None;
    for san in moves.into_iter().take(*longest) {
        let mv = game.position().parse_san(san).ok()?;
        game.play(mv).ok()?;
        named = positions.get(&game.position().key()).copied().or(named);
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_whole_legal_and_leads_somewhere_else() {
        for line in TABLE.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [code, name, moves] = fields[..] else { panic!("{line}") };
            let digits = code.as_bytes();
            assert!(digits.len() == 3 && (b'A'..=b'E').contains(&digits[0]), "{line}");
            assert!(digits[1..].iter().all(u8::is_ascii_digit) && !name.is_empty(), "{line}");
            assert!(play(moves).is_some(), "{line}");
        }
        assert_eq!(POSITIONS.0.len(), TABLE.lines().count(), "two lines lead to one position");
        assert!(TABLE.lines().map(|line| &line[..3]).is_sorted());
    }

    /// Moves and codes as fastchess and cutechess-cli wrote them into the PGN of recorded matches.
    #[test]
    fn codes_are_those_that_other_runners_write() {
        for (moves, code) in [
            ("Nf3 Nf6 Ng1 Ng8", "A05"),
            ("e4 e5 Nf3 Nc6 Nc3 Nf6 Bb5 Bb4", "C49"),
            ("d4 Nf6 c4 e6 Nf3 Bb4+ Bd2 Bxd2+", "E11"),
            ("e4 e6 h3 c5 Be2 a6 Nf3 b5", "C00"),
            ("e4 c5 Nc3 Nc6 g3 d6 b3 g6", "B24"),
            ("e4 c5 g3 e5 c4 g6 d3 Nc6", "B20"),
            ("c4 c5 e3 e6 d4 cxd4 exd4 d5", "A30"),
            ("e4 c5 Nf3 e6 c3 Nc6 d4 d5", "B40"),
            ("e4 e6 Nf3 c5 Nc3 Nc6 d4 cxd4 Nxd4", "B45"),
        ] {
            assert_eq!(opening(moves.split(' ')).map(|named| named.code), Some(code), "{moves}");
        }
    }

    #[test]
    fn moves_in_another_order_are_the_same_opening() {
        let names = ["d4 Nf6 c4 e6 Nc3 Bb4", "c4 Nf6 Nc3 e6 d4 Bb4"].map(|moves| opening(moves.split(' ')));
        assert_eq!(names[0], names[1]);
        assert_eq!(names[0].map(|named| named.code), Some("E20"));
        assert_eq!((opening([]), opening(["Ke2"])), (None, None));
    }
}
