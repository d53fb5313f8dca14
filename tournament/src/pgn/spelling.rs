//! Words of games as programs and people spell them: moves, and what is none.

use std::borrow::Cow;

/// Whether a word is the number of a move: digits, of which one is not 0, since `0000` is a null move. A game whose FEN
/// has the number 0 may begin with `0.`. `behind` is what follows the word.
pub(crate) fn is_move_number(word: &str, behind: &str) -> bool {
    let zero = word == "0" && behind.starts_with(['.', '…']);
    word.bytes().all(|byte| byte.is_ascii_digit()) && (zero || word.bytes().any(|byte| byte != b'0'))
}

/// Annotations and the note of a capture in passing. A null move is none of them: a move that is passed over would make
/// another game.
pub(crate) fn is_left_out(word: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && c != '@';
    word.starts_with('$') || word.chars().all(is_sign) && !is_null_move(word) || matches!(word, "e.p." | "ep")
}

/// `--`, whatever is glued to it, or nothing but dashes, with or without a judgement.
fn is_null_move(word: &str) -> bool {
    let bare = word.trim_end_matches('#');
    word.starts_with("--") || !bare.is_empty() && bare.chars().all(is_dash)
}

/// The hyphen, and dashes of typography. The two of Windows' character set are control characters where it is read as
/// Latin-1.
fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{96}' | '\u{97}' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Whether this belongs to a mark that is glued to a move: `Nf3±`, `Qd4+-`, `Qxf7++`.
fn is_mark(c: char) -> bool {
    !c.is_ascii() || "+-=/#".contains(c)
}

/// A move as SAN has it, without the signs of check: without marks that are glued to it (`Nf3±`, `exd6e.p.`) and the
/// hyphen between two squares (`Ng1-f3`), a promotion with its `=` and capital (`e7e8q`, `e8Q`), castling with its
/// capitals and hyphens (`o-o`, `OO`, `O–O`). A word that is not a move does not become one.
pub(crate) fn spelling(word: &str) -> Cow<'_, str> {
    if word.starts_with(CASTLING) {
        return castling(word).unwrap_or(word).into();
    }
    let bare = word.trim_end_matches(is_mark);
    let bare = bare.strip_suffix("e.p.").map_or(bare, |bare| bare.trim_end_matches(is_mark));
    if bare.is_empty() {
        return word.into();
    }
    let is_hyphen = |&(at, _): &(usize, &str)| {
        ends_in_square(&bare[..at]) && bare.as_bytes()[at + 1..].chunks(2).next().is_some_and(is_square)
    };
    let hyphen = bare.match_indices('-').find(is_hyphen);
    let joined: Cow<'_, str> = match hyphen {
        Some((at, _)) => [&bare[..at], &bare[at + 1..]].concat().into(),
        None => bare.into(),
    };
    promotion(&joined).map_or(joined, Cow::from)
}

/// The letters that castling begins with.
const CASTLING: [char; 3] = ['O', 'o', '0'];

/// Castling as SAN has it. Without hyphens only capitals are castling: `oo` is ASCII for an unclear position, and `00`
/// a null move. With a hyphen behind it short castling is a part of long castling.
fn castling(word: &str) -> Option<&'static str> {
    let plain = plain_castling(word);
    let spelt = [
        (plain.as_str(), "O-O-O", "O-O-O"),
        (&plain, "O-O", "O-O"),
        (word, "OOO", "O-O-O"),
        (word, "OO", "O-O"),
    ];
    spelt.into_iter().find_map(|(text, begin, castling)| {
        let behind = text.strip_prefix(begin)?;
        (behind != "-" && behind.chars().all(is_mark)).then_some(castling)
    })
}

/// A word with the capitals and hyphens that castling has as SAN.
fn plain_castling(word: &str) -> String {
    let plain = |c: char| {
        if CASTLING.contains(&c) {
            'O'
        } else if is_dash(c) {
            '-'
        } else {
            c
        }
    };
    word.chars().map(plain).collect()
}

/// A promotion with its `=` and capital: behind a square of the last rank stands the piece that a pawn becomes.
fn promotion(word: &str) -> Option<String> {
    let piece = word.chars().last().filter(|piece| "qrbnQRBN".contains(*piece))?;
    let pawn = &word[..word.len() - 1];
    let pawn = pawn.strip_suffix('=').unwrap_or(pawn);
    let promotes = word.starts_with(|c: char| c.is_ascii_lowercase())
        && ends_in_square(pawn)
        && pawn.ends_with(['1', '8']);
    promotes.then(|| format!("{pawn}={}", piece.to_ascii_uppercase()))
}

fn ends_in_square(text: &str) -> bool {
    text.as_bytes().last_chunk::<2>().is_some_and(|pair| is_square(pair))
}

fn is_square(pair: &[u8]) -> bool {
    matches!(pair, [b'a'..=b'h', b'1'..=b'8'])
}

/// Whether a word should be a move if it is none: it has a square in it, or begins as castling does. What a kill has
/// left of long castling may be the end of a torn game.
pub(crate) fn resembles_move(word: &str) -> bool {
    let castles = || {
        let plain = plain_castling(word);
        plain.starts_with("O-O") && plain != "O-O-"
    };
    word.as_bytes().windows(2).any(is_square) || castles()
}

/// Whether a word is a capture without its square (`exd`, `ed+`, `Nxd`), or the beginning of castling: no move, but
/// what a kill may have left of one. Pawns capture on the next file: `ch` is a check in old books.
pub(crate) fn is_short(word: &str) -> bool {
    if matches!(word, "O" | "o" | "O-" | "o-") || plain_castling(word) == "O-O-" {
        return true;
    }
    let [piece, rest @ ..] = word.as_bytes() else { return false };
    let ([b'x' | b':', rest @ ..] | rest) = rest;
    let [file @ b'a'..=b'h', behind @ ..] = rest else { return false };
    let captures = match piece {
        b'a'..=b'h' => piece.abs_diff(*file) == 1,
        _ => b"NBRQK".contains(piece),
    };
    // Nothing, a mark, a note of a capture in passing, or a promotion.
    let ends = behind.first().is_none_or(|next| !next.is_ascii_alphanumeric())
        || matches!(behind, b"e" | b"ep" | b"e.p." | b"Q" | b"R" | b"B" | b"N");
    captures && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn respelt(text: &str) -> String {
        text.split(' ').map(spelling).collect::<Vec<_>>().join(" ")
    }

    /// With dashes of typography, and with those of Windows read as Latin-1. Without hyphens zeros are a null move, or
    /// part of a number, and small letters an unclear position.
    #[test]
    fn castling_in_every_dress_is_respelt() {
        for (text, san) in [
            ("OO OOO+ O–O O—O—O# 0\u{2011}0 0-O o−o-o o-o-o+", "O-O O-O-O O-O O-O-O O-O O-O O-O-O O-O-O"),
            ("O\u{96}O o\u{97}o\u{97}o 0\u{96}0", "O-O O-O-O O-O"),
            ("0-0± O-O± o-o-o+- O-O++ 0-0-0", "O-O O-O O-O-O O-O O-O-O"),
        ] {
            assert_eq!(respelt(text), san);
        }
        let others = "00 0000 0 oo oo/= ooo Oo =/oo O- O-O- o-o- O-O-x foo-o o-oh 0-1";
        assert_eq!(respelt(others), others);
    }

    #[test]
    fn promotions_hyphens_and_marks_are_respelt() {
        for (text, san) in [
            ("e7e8q a2xb1n+ e8Q exd8R# e7e8=q e8q+++", "e7e8=Q a2xb1=N e8=Q exd8=R e7e8=Q e8=Q"),
            ("Ng1-f3 e7-e5 e7-e8q", "Ng1f3 e7e5 e7e8=Q"),
            ("Qh8 Ra8 Rb8b f8b a1++", "Qh8 Ra8 Rb8b f8=B a1"),
            (
                "exd6e.p. dxe3e.p.+ dxe3+e.p. Qxf7++ Q1d2+# Nf3± Bb5⩲ Qd4+-",
                "exd6 dxe3 dxe3 Qxf7 Q1d2 Nf3 Bb5 Qd4",
            ),
            ("K-e2 Ng1-f ♘f3 -- +- ± é", "K-e2 Ng1-f ♘f3 -- +- ± é"),
        ] {
            assert_eq!(respelt(text), san);
        }
        assert_eq!(spelling(""), "");
    }
}
