//! What particular xboard clients do that the protocol's text does not tell of.

use crate::common::xboard;

const BLACK_TO_MOVE: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

/// cutechess passes the turn with a pawn move before it sets up a position with Black to move.
#[test]
fn a_dummy_move_before_setboard() {
    xboard(&format!(
        "> force
         > st 1
         > usermove b2b3
         > setboard {BLACK_TO_MOVE}
         > go
         = go movetime=1s at {BLACK_TO_MOVE}
         ! done e7e5
         < move e7e5"
    ));
}

/// python-chess takes back many plies with `remove` in force mode, where the text allows it on the user's
/// turn only.
#[test]
fn several_removes_in_force_mode() {
    xboard(
        "> force
         > st 1
         > usermove e2e4
         > usermove e7e5
         > usermove g1f3
         > usermove b8c6
         > remove
         > remove
         > undo
         < Error (no move to take back): undo
         > usermove d2d4
         > go
         = go movetime=1s after d2d4
         ! done d7d5
         < move d7d5",
    );
}

/// python-chess asks with every offer and result, also while the engine ponders.
#[test]
fn draw_and_result_while_pondering() {
    xboard(
        "> st 1
         > hard
         > usermove e2e4
         = go movetime=1s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=1s ponder after e2e4 e7e5 g1f3
         > draw
         > ping 1
         < pong 1
         > result 1/2-1/2 {Draw agreed}
         = stop
         > ping 2
         < pong 2
         > usermove g1f3
         > ping 3
         < pong 3",
    );
}

/// xboard sends memory and cores before every game, changed or not.
#[test]
fn two_games_with_different_resources() {
    xboard(
        "> memory 68
         = hash 61
         > cores 2
         = threads 2
         = hash 58
         > new
         = new game
         > result 1-0 {White mates}
         > memory 68
         > cores 2
         > new
         = new game
         > memory 36
         = hash 26
         > cores 1
         = threads 1
         = hash 29
         > new
         = new game
         > st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! done e7e5
         < move e7e5",
    );
}

/// Everything of a stopped search is dropped, what the brain says late included.
#[test]
fn force_new_and_ping_in_one_burst() {
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         > force
         = stop
         > new
         = new game
         > ping 7
         < pong 7
         > usermove d2d4
         = go movetime=1s after d2d4
         ! done d7d5
         < move d7d5",
    );
}
