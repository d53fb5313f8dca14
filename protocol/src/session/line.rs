//! Lines of thinking made fit to print.
//!
//! Clients replay every line: a move that is not legal, or moves beyond the end of the game, count against
//! the engine. Lines come from a shared table as well as from the search, so the end of the game is checked
//! here, once for all.

use chess::Game;
use thinking::report::Info;

/// The same position with as much of its past as repetitions can reach, so that a copy costs little after a
/// long game.
pub fn recent(game: &Game) -> Game {
    let reach = game.positions().len() - 1;
    let reach = reach.min(game.position().halfmove_clock() as usize);
    let mut recent = Game::new(game.positions()[game.positions().len() - 1 - reach].clone());
    for &mv in &game.moves()[game.moves().len() - reach..] {
        if recent.play(mv).is_err() {
            break;
        }
    }
    recent
}

/// The line up to the end of the game (mate, stalemate, third repetition, fifty moves, bare kings); nothing
/// if not even the first move is legal. The first move stays even where the game is over already: a client
/// may want to play on.
pub fn cut(game: &Game, mut info: Info) -> Option<Info> {
    let mut line = game.clone();
    let mut length = 0;
    for &mv in &info.pv {
        if line.play(mv).is_err() {
            break;
        }
        length += 1;
        if line.outcome().is_some() {
            break;
        }
    }
    info.pv.truncate(length);
    (length > 0).then_some(info)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Move, Position};
    use std::time::Duration;
    use thinking::report::Bound;

    fn info(game: &Game, moves: &str) -> Info {
        let mut position = game.position().clone();
        let mut pv: Vec<Move> = Vec::new();
        for text in moves.split_whitespace() {
            let mv = position.parse_uci(text).unwrap();
            position = position.after(mv);
            pv.push(mv);
        }
        let (nodes, time) = (1, Duration::ZERO);
        Info {
            depth: 1,
            seldepth: 1,
            multipv: 1,
            score: 0,
            bound: Bound::Exact,
            nodes,
            time,
            hashfull: 0,
            tbhits: 0,
            pv,
        }
    }

    fn cut_length(fen: &str, moves: &str) -> usize {
        let game = Game::new(Position::from_fen(fen).unwrap());
        let info = info(&game, moves);
        cut(&game, info).unwrap().pv.len()
    }

    #[test]
    fn lines_stop_where_the_game_ends() {
        let start = Position::startpos().fen();
        assert_eq!(cut_length(&start, "e2e4 e7e5 g1f3"), 3);
        let knights = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4";
        assert_eq!(cut_length(&start, knights), 8, "third time the start position");
        assert_eq!(cut_length("7k/8/8/8/8/8/8/KR6 w - - 97 80", "a1a2 h8g8 a2a1 g8h8"), 3, "fifty moves");
        assert_eq!(cut_length("7k/8/8/8/8/8/p7/1K6 w - - 0 1", "b1a2 h8g8"), 1, "bare kings");
    }

    #[test]
    fn an_illegal_move_ends_the_line() {
        let game = Game::default();
        let mut line = info(&game, "e2e4 e7e5");
        line.pv.push(line.pv[0]);
        assert_eq!(cut(&game, line.clone()).unwrap().pv.len(), 2);
        line.pv.remove(0);
        assert_eq!(cut(&game, line), None);
    }

    #[test]
    fn a_drawn_root_still_has_a_first_move() {
        assert_eq!(cut_length("7k/8/8/8/8/8/8/KR6 w - - 100 80", "a1a2 h8g8"), 1);
    }
}
