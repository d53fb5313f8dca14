//! Judging moves and lines of moves by the rules of chess.

use chess::{CastlingNotation, Game, Move, Position};

/// A game from a FEN (empty for the start position) and moves in coordinates. The checker's own, so they are
/// right.
pub(super) fn game(fen: &str, moves: &str) -> Game {
    let start = if fen.is_empty() { Ok(Position::startpos()) } else { Position::from_fen(fen) };
    let mut game = Game::new(start.unwrap_or_else(|_| Position::startpos()));
    for text in moves.split_whitespace() {
        if let Ok(mv) = game.position().parse_uci(text) {
            // Read in this position, so it can be played.
            let _ = game.play(mv);
        }
    }
    game
}

/// A move in coordinates or in standard notation.
pub(super) fn read(position: &Position, text: &str) -> Option<Move> {
    position.parse_uci(text).or_else(|_| position.parse_san(text)).ok()
}

/// How an engine writes its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// In coordinates or in standard notation, as xboard reads them.
    Any,
    /// In UCI's coordinates: castling is the king's step where standard notation can say it.
    Uci,
    /// The same with `UCI_Chess960`: castling is king takes rook.
    Chess960,
}

impl Spelling {
    /// The only text for a legal move, if there is one only.
    fn text(self, position: &Position, mv: Move) -> Option<String> {
        match self {
            Self::Any => None,
            Self::Uci => Some(position.uci(mv)),
            Self::Chess960 => Some(position.uci_with(mv, CastlingNotation::KingTakesRook)),
        }
    }
}

/// What is wrong with a line of moves played from here, if anything is.
pub(super) type Judge = fn(&Game, Spelling, &[&str]) -> Option<String>;

/// A move that is illegal or written wrongly. A line may go on after a draw, which an engine need not see and the
/// texts do not forbid.
pub(super) fn illegal(start: &Game, spelling: Spelling, moves: &[&str]) -> Option<String> {
    fault(start, spelling, moves, false)
}

/// A move that is illegal or written wrongly, or one after the end of the game.
pub(super) fn overlong(start: &Game, spelling: Spelling, moves: &[&str]) -> Option<String> {
    fault(start, spelling, moves, true)
}

fn fault(start: &Game, spelling: Spelling, moves: &[&str], to_its_end: bool) -> Option<String> {
    let mut game = start.clone();
    for (number, text) in (1..).zip(moves) {
        if to_its_end
            && number > 1
            && let Some(outcome) = game.outcome()
        {
            return Some(format!("move {number}, {text}, comes after the end of the game ({outcome:?})"));
        }
        let Some(mv) = read(game.position(), text) else {
            return Some(format!("move {number}, {text}, is illegal in {}", game.position().fen()));
        };
        if let Some(right) = spelling.text(game.position(), mv).filter(|right| right != text) {
            let fen = game.position().fen();
            return Some(format!("move {number}, {text}, should be written {right} in {fen}"));
        }
        // Read in this position, so it can be played.
        let _ = game.play(mv);
    }
    None
}

/// Positions that no short search exhausts: opening, middle game, tactics, end game. Books may have the first two.
pub(super) const POSITIONS: [(&str, &str); 5] = [
    ("", ""),
    ("", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1"),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ""),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "e2e3"),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", ""),
];

/// Moves to a quiet middle game that no book has, White to move: rooks have left their corners for nothing.
pub(super) const QUIET: &str =
    "b2b3 b7b6 c1b2 c8b7 d2d3 d7d6 b1d2 b8d7 g1f3 g8f6 c2c4 c7c5 d1c2 d8c7 a1d1 a8d8 h1g1 h8g8";

/// White mates in one.
pub(super) const MATE_IN_1: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
/// White mates in two.
pub(super) const MATE_IN_2: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";
/// Black, to move, is mated in one.
pub(super) const MATED_IN_1: &str = "7k/R7/1R6/8/8/8/8/6K1 b - - 0 1";
/// Black is mated.
pub(super) const MATED: &str = "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1";
/// Black is stalemated.
pub(super) const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
/// Lines from here meet the fifty-move rule, and repetitions.
pub(super) const NEARLY_FIFTY: &str = "7k/8/8/8/8/8/8/KR6 w - - 96 80";

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Outcome;

    /// Plays every line of so many plies and counts those after which White has mated, by brute force.
    fn mates(position: &Position, moves: u32) -> bool {
        position.legal_moves().into_iter().any(|mv| {
            let after = position.after(mv);
            if !after.has_legal_move() {
                return after.in_check();
            }
            moves > 1 && after.legal_moves().into_iter().all(|reply| mates(&after.after(reply), moves - 1))
        })
    }

    #[test]
    fn the_positions_are_what_they_are_called() {
        let position = |fen| Position::from_fen(fen).unwrap();
        assert!(mates(&position(MATE_IN_1), 1));
        assert!(mates(&position(MATE_IN_2), 2) && !mates(&position(MATE_IN_2), 1));
        let black = position(MATED_IN_1);
        assert!(black.has_legal_move());
        assert!(black.legal_moves().into_iter().all(|mv| mates(&black.after(mv), 1)));
        assert!(matches!(game(MATED, "").outcome(), Some(Outcome::Checkmate { .. })));
        assert_eq!(game(STALEMATED, "").outcome(), Some(Outcome::Stalemate));
        for (fen, moves) in POSITIONS {
            assert_eq!(game(fen, moves).moves().len(), moves.split_whitespace().count());
            assert!(fen.is_empty() || Position::from_fen(fen).is_ok());
        }
        // The python `chess` package counts as many moves.
        assert_eq!(game("", QUIET).position().count_legal(), 30);
        // What rules play there.
        for moves in ["e2e4 e7e5", "g2g4", "a2a3", "h2h3"] {
            let played = game("", &format!("{QUIET} {moves}")).moves().len();
            assert_eq!(played, 18 + moves.split_whitespace().count(), "{moves}");
        }
    }

    #[test]
    fn lines_are_judged() {
        let start = game("", "");
        for judge in [illegal as Judge, overlong] {
            assert_eq!(judge(&start, Spelling::Any, &["e2e4", "e5", "Nf3"]), None);
            let twice = judge(&start, Spelling::Uci, &["e2e4", "e2e4"]);
            assert!(twice.unwrap().contains("move 2, e2e4, is illegal"));
        }
        let mate = game(MATE_IN_1, "");
        let line = ["d1d8", "g8h8"];
        assert!(illegal(&mate, Spelling::Uci, &line).unwrap().contains("move 2, g8h8, is illegal"));
        assert!(overlong(&mate, Spelling::Uci, &line).unwrap().contains("after the end"));
    }

    /// UCI's text has moves in coordinates only, `e1g1` for castling and `e7e8q` for promotion; with its option for
    /// Chess960 castling is king takes rook.
    #[test]
    fn uci_has_one_text_for_a_move() {
        let start = game("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1", "");
        let all = [Spelling::Any, Spelling::Uci, Spelling::Chess960];
        for (text, spellings) in [
            ("e1g1", [true, true, false]),
            ("e1h1", [true, false, true]),
            ("O-O", [true, false, false]),
            ("e1f1", [true, true, true]),
            ("Kf1", [true, false, false]),
            ("a7a8q", [true, true, true]),
            ("a8=Q", [true, false, false]),
        ] {
            let right = all.map(|spelling| illegal(&start, spelling, &[text]).is_none());
            assert_eq!(right, spellings, "{text}");
        }
    }

    /// By the rules a draw is the end, and yet no move after it is illegal.
    #[test]
    fn a_line_after_a_draw_is_legal_and_overlong() {
        let bare = ("8/8/8/8/8/3k4/1q6/K7 w - - 0 1", "", ["a1b2", "d3d4"], Outcome::InsufficientMaterial);
        let fifty = ("7k/8/8/8/8/8/8/KR6 w - - 99 80", "", ["b1b2", "h8g8"], Outcome::FiftyMoves);
        let shuffled = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
        let third = ("", shuffled, ["f6g8", "e2e4"], Outcome::Repetition);
        for (fen, moves, line, outcome) in [bare, fifty, third] {
            let start = game(fen, moves);
            let mut drawn = start.clone();
            drawn.play(read(drawn.position(), line[0]).unwrap()).unwrap();
            assert_eq!(drawn.outcome(), Some(outcome));
            assert_eq!(illegal(&start, Spelling::Uci, &line), None);
            assert!(overlong(&start, Spelling::Uci, &line).unwrap().contains("after the end"), "{line:?}");
        }
    }
}
