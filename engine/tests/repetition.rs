//! Positions that come a third time are draws, also where the move that leads there is one that the search leaves out.

use chess::{Game, Position};
use engine::drivers::Driver;
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use std::sync::Arc;
use thinking::report::Limits;
use thinking::score::DRAW;

/// Start, moves of the game, and White's move after which Black brings about a position for the third time. White is
/// far ahead, so Black's quiet move is one of those that a shallow search prunes.
const GAMES: [(&str, &str, &str); 3] = [
    ("4K3/8/2k5/2p5/4n3/P7/6Q1/8 w - - 0 50", "g2g3 e4d2 g3g2 d2e4 g2g3 e4d2", "g3g2"),
    ("8/8/5n1Q/2k2Pp1/8/8/4K3/8 w - - 0 50", "h6h5 f6d7 h5h6 d7f6 h6h5 f6d7", "h5h6"),
    ("4B2r/8/2P5/p7/K7/2p3k1/8/7R w - - 0 50", "h1g1 g3h4 g1h1 h4g3 h1g1 g3h4", "g1h1"),
];

/// The game of these moves.
fn played(fen: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_fen(fen).expect("a legal FEN"));
    for word in moves.split(' ') {
        let mv = game.position().parse_uci(word).expect("a legal move");
        game.play(mv).expect("a legal move");
    }
    game
}

/// Checks that this move, the next of the game, is worth a draw at every depth.
fn check_draw(game: &Game, next: &str) {
    let next = game.position().parse_uci(next).expect("a legal move");
    for (driver, depth) in
        [Driver::Pvs, Driver::Mtdf].into_iter().flat_map(|one| (2..8).map(move |d| (one, d)))
    {
        let limits = Limits { depth: Some(depth), search_moves: vec![next], ..Limits::default() };
        let table = Arc::new(Table::new(1).expect("a small table"));
        let mut shared = Shared::new(table, limits, 1, 1);
        shared.driver = driver;
        let result = search_alone(&shared, &mut Memory::default(), &Task::from(game), None);
        let score = result.root.best().expect("one move").score;
        assert_eq!(score, DRAW, "{next} in {} {driver:?} at depth {depth}", game.position());
    }
}

#[test]
fn a_third_time_is_seen_at_every_depth() {
    for (fen, moves, last) in GAMES {
        check_draw(&played(fen, moves), last);
    }
}

/// With Black's answer the first position of the game stands for the third time: no earlier one can be repeated.
#[test]
fn the_first_time_counts_if_it_was_right_after_a_capture_or_pawn_move() {
    for (fen, moves, last) in GAMES {
        let back = moves.split(' ').nth(3).expect("it has come back once");
        check_draw(&played(fen, &format!("{moves} {last}")), back);
    }
}
