//! Judging moves and lines of moves by the rules of chess.

use chess::{Game, Move, Position};

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

/// What is wrong with a line of moves played from here, if anything is.
pub(super) type Judge = fn(&Game, &[&str]) -> Option<String>;

/// An illegal move. A line may go on after a draw, which an engine need not see and the texts do not forbid.
pub(super) fn illegal(start: &Game, moves: &[&str]) -> Option<String> {
    fault(start, moves, false)
}

/// An illegal move, or one after the end of the game.
pub(super) fn overlong(start: &Game, moves: &[&str]) -> Option<String> {
    fault(start, moves, true)
}

fn fault(start: &Game, moves: &[&str], to_its_end: bool) -> Option<String> {
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
        // Read in this position, so it can be played.
        let _ = game.play(mv);
    }
    None
}

/// Positions that no short search exhausts: opening, middle game, tactics, end game.
pub(super) const POSITIONS: [(&str, &str); 5] = [
    ("", ""),
    ("", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1"),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ""),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "e2e3"),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", ""),
];

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
    }

    #[test]
    fn lines_are_judged() {
        let start = game("", "");
        for judge in [illegal as Judge, overlong] {
            assert_eq!(judge(&start, &["e2e4", "e5", "Nf3"]), None);
            assert!(judge(&start, &["e2e4", "e2e4"]).unwrap().contains("move 2, e2e4, is illegal"));
        }
        let mate = game(MATE_IN_1, "");
        assert!(illegal(&mate, &["d1d8", "g8h8"]).unwrap().contains("move 2, g8h8, is illegal"));
        assert!(overlong(&mate, &["d1d8", "g8h8"]).unwrap().contains("after the end"));
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
            assert_eq!(illegal(&start, &line), None);
            assert!(overlong(&start, &line).unwrap().contains("after the end"), "{line:?}");
        }
    }
}
