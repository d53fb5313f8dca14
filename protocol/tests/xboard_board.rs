//! xboard transcripts: moves, positions, results, taking back.

use crate::common::{Script, ScriptedBrain, identity, xboard};
use protocol::session::{Dialect, ExitReason, Input, Session};

/// A position that is none, and its answer.
const REFUSED: &str = "> setboard 8/8/8/8/8/8/8/8 w - - 0 1
< tellusererror Illegal position: 8/8/8/8/8/8/8/8 w - - 0 1";

#[test]
fn moves_come_with_and_without_their_word_and_in_san() {
    xboard(
        "> force
         > e2e4
         > usermove e5
         > g1f3
         > usermove Nc6
         > f1c4
         > usermove f8c5
         > O-O
         > st 1
         > go
         = go movetime=1s after e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1
         ! done g8f6
         < move g8f6",
    );
}

#[test]
fn illegal_moves_are_refused_and_change_nothing() {
    xboard(
        "> force
         > usermove e2e5
         < Illegal move (against the rules): e2e5
         > usermove 99
         < Illegal move (against the rules): 99
         > e7e5
         < Illegal move (against the rules): e7e5
         > usermove e2e4
         > st 1
         > go
         = go movetime=1s after e2e4
         > usermove e7e5
         < Illegal move (not your turn): e7e5
         ! done e7e6
         < move e7e6",
    );
}

#[test]
fn promotions_and_castling_are_in_coordinates() {
    xboard(
        "> force
         > setboard 4k3/P7/8/8/8/8/8/4K2R w K - 0 1
         > st 1
         > go
         = go movetime=1s at 4k3/P7/8/8/8/8/8/4K2R w K - 0 1
         ! done a7a8q
         < move a7a8q
         > force
         > usermove e8e7
         > go
         = go movetime=1s after a7a8q e8e7
         ! done e1g1
         < move e1g1",
    );
}

#[test]
fn fischerandom_castles_with_letters() {
    xboard(
        "> new
         = new game
         > variant fischerandom
         > force
         > b2b3
         > setboard 1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1
         > st 1
         > post
         > go
         = go movetime=1s at 1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1
         ! line 1 0 c1g1 c8b8
         < 1 0 50 1000 3 2000 0\tO-O O-O-O
         ! done c1g1 c8b8
         < move O-O
         > usermove O-O-O
         = go movetime=1s after c1g1 c8b8
         ! done e2e4
         < move e2e4
         > force
         > setboard 1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1
         > usermove c1g1
         > go
         = go movetime=1s after c1g1
         ! done c8b8
         < move O-O-O
         > variant crazyhouse
         < Error (unsupported variant): variant crazyhouse",
    );
}

#[test]
fn the_game_is_claimed_when_it_is_over() {
    // Our mate.
    xboard(
        "> st 1
         > force
         > f2f3
         > e7e5
         > g2g4
         > go
         = go movetime=1s after f2f3 e7e5 g2g4
         ! done d8h4
         < move d8h4
         < 0-1 {Black mates}
         > ping 1
         < pong 1
         > result 0-1 {Black mates}",
    );
    // Theirs, and a stalemate.
    xboard(
        "> force
         > setboard 7k/8/5K2/6Q1/8/8/8/8 w - - 0 1
         > playother
         > usermove g5g7
         < 1-0 {White mates}
         > force
         > setboard 7k/8/6K1/8/8/8/8/5Q2 w - - 0 1
         > playother
         > usermove f1f7
         < 1/2-1/2 {Stalemate}
         > go
         < 1/2-1/2 {Stalemate}",
    );
}

#[test]
fn draws_by_rule() {
    // By the opponent's move: claimed.
    xboard(
        "> force
         > setboard 7k/8/8/8/8/8/R7/K7 w - - 99 80
         > playother
         > usermove a2b2
         < 1/2-1/2 {Draw by fifty-move rule}",
    );
    // By our own move: offered before it, claimed after it.
    xboard(
        "> st 1
         > force
         > setboard 7k/8/8/8/8/8/R7/K7 w - - 99 80
         > go
         = go movetime=1s at 7k/8/8/8/8/8/R7/K7 w - - 99 80
         ! done a2b2
         < offer draw
         < move a2b2
         < 1/2-1/2 {Draw by fifty-move rule}",
    );
    xboard(
        "> force
         > setboard 7k/8/8/8/8/8/p7/1K6 w - - 0 1
         > playother
         > usermove b1a2
         < 1/2-1/2 {Insufficient mating material}",
    );
    xboard(
        "> st 1
         > force
         > g1f3
         > g8f6
         > f3g1
         > f6g8
         > g1f3
         > g8f6
         > f3g1
         > go
         = go movetime=1s after g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1
         ! done f6g8
         < offer draw
         < move f6g8
         < 1/2-1/2 {Draw by repetition}",
    );
    // A client that insists gets a move.
    xboard(
        "> st 1
         > force
         > g1f3
         > g8f6
         > f3g1
         > f6g8
         > g1f3
         > g8f6
         > f3g1
         > f6g8
         > go
         = go movetime=1s after g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8
         ! done e2e4
         < move e2e4",
    );
}

#[test]
fn draw_offers_are_accepted_in_a_bad_position_only() {
    xboard(
        "> st 1
         > draw
         > usermove e2e4
         = go movetime=1s after e2e4
         > draw
         ! line 5 -150 e7e5
         ! done
         < move e7e5
         > draw
         < offer draw
         > usermove g1f3
         = go movetime=1s after e2e4 e7e5 g1f3
         ! line 5 50 b8c6
         ! done
         < move b8c6
         > draw",
    );
}

/// The search that runs knows more than the last one, and a bound is no score.
#[test]
fn draw_offers_are_judged_by_the_search_that_runs() {
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! line 5 -150 e7e5
         ! done
         < move e7e5
         > usermove d1h5
         = go movetime=1s after e2e4 e7e5 d1h5
         > draw
         ! line 6 731 b8c6
         > draw
         ! low 7 -300 b8c6
         > draw
         ! line 7 -310 b8c6
         > draw
         < offer draw
         > pause
         = stop
         > draw
         < offer draw",
    );
    // Of several lines the first says what the position is worth.
    xboard(
        "> st 1
         > option MultiPV=2
         > usermove e2e4
         = go movetime=1s multipv=2 after e2e4
         ! line:1 5 80 e7e5
         ! line:2 5 -150 b8c6
         > draw",
    );
    // python-chess sends the move, the offer and `go`.
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! line 5 -150 e7e5
         ! done
         < move e7e5
         > force
         > usermove g1f3
         > draw
         < offer draw
         > go
         = go movetime=1s after e2e4 e7e5 g1f3
         > draw",
    );
}

/// A score of another game, of another position or of the other side says nothing.
#[test]
fn draw_offers_are_not_judged_by_another_game() {
    for other in [
        "> new\n= new game",
        "> setboard 4k3/8/8/8/8/8/8/QQQQK3 b - - 0 1",
        "> edit\n> #\n> Ke1\n> c\n> Ke8\n> Qd5\n> .",
        "> edit\n> .",
        "> undo",
        "> remove",
        "> force\n> undo\n> usermove e7e6\n> playother",
        "> force\n> usermove g1f3\n> usermove b8c6\n> playother",
        "> white\n> go\n= go movetime=1s after e2e4 e7e5\n! done g1f3\n< move g1f3",
        "> black\n> go\n= go movetime=1s at BLACK",
        "> result 1-0 {Black resigns}",
        "> analyze\n= go infinite after e2e4 e7e5",
        REFUSED,
    ] {
        let other = other.replace("BLACK", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 1 2");
        xboard(&format!(
            "> st 1
             > usermove e2e4
             = go movetime=1s after e2e4
             ! line 5 -150 e7e5
             ! done
             < move e7e5
             {other}
             > draw"
        ));
    }
}

#[test]
fn resigning_is_off_unless_asked_for() {
    let hopeless = |option: &str, end: &str| {
        xboard(&format!(
            "{option}> st 1
             > usermove e2e4
             = go movetime=1s after e2e4
             ! line 5 -1500 e7e5
             ! done
             < move e7e5
             > usermove g1f3
             = go movetime=1s after e2e4 e7e5 g1f3
             ! line 5 -1600 b8c6
             ! done
             < move b8c6
             > usermove f1c4
             = go movetime=1s after e2e4 e7e5 g1f3 b8c6 f1c4
             ! line 5 -#8 f8c5
             ! done
             < {end}"
        ));
    };
    hopeless("", "move f8c5");
    hopeless("> option Resign=1\n", "resign");
}

#[test]
fn take_backs() {
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! done e7e5
         < move e7e5
         > remove
         > usermove d2d4
         = go movetime=1s after d2d4
         ! done d7d5
         < move d7d5
         > force
         > undo
         > undo
         > undo
         < Error (no move to take back): undo
         > usermove c2c4
         > go
         = go movetime=1s after c2c4",
    );
    // python-chess: several in force mode.
    xboard(
        "> st 1\n> force\n> e2e4\n> e7e5\n> g1f3\n> b8c6\n> remove\n> remove\n> d2d4\n> go\n= go movetime=1s after d2d4",
    );
}

#[test]
fn an_illegal_position_has_no_legal_move() {
    xboard(
        "> force
         > setboard 8/8/8/8/8/8/8/8 w - - 0 1
         < tellusererror Illegal position: 8/8/8/8/8/8/8/8 w - - 0 1
         > usermove e2e4
         < Illegal move (illegal position): e2e4
         > go
         > ping 1
         < pong 1
         > setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
         > usermove e2e4",
    );
}

/// Nothing brings the game before it back, whatever the client says.
#[test]
fn a_refused_position_is_followed_by_no_move_of_the_game_before_it() {
    for (said, answer) in [
        ("undo", "\n< Error (illegal position): undo"),
        ("remove", "\n< Error (illegal position): remove"),
        ("black", ""),
        ("white", ""),
        ("hint", ""),
        ("bk", "\n<  no book moves\n<"),
        ("playother", ""),
        ("analyze", ""),
        ("variant normal", ""),
        ("resume", ""),
    ] {
        xboard(&format!(
            "> st 1
             > hard
             > usermove e2e4
             = go movetime=1s after e2e4
             ! done e7e5 g1f3
             < move e7e5
             < Hint: g1f3
             = go movetime=1s ponder after e2e4 e7e5 g1f3
             {}
             > {said}{answer}
             > usermove g1f3
             < Illegal move (illegal position): g1f3
             > go
             > ping 1
             < pong 1
             > new
             = new game
             > usermove d2d4
             = go movetime=1s after d2d4",
            REFUSED.replace("\n", "\n= stop\n")
        ));
    }
}

/// A line that is too long to be read may have brought another position.
#[test]
fn a_position_too_long_to_be_read_is_refused() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Xboard), &mut output, &mut brain);
    for input in [
        Input::TooLong("usermove e2e4".into()),
        Input::Line("usermove d2d4".into()),
        Input::TooLong("setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1".into()),
        Input::Line("usermove e7e5".into()),
    ] {
        assert!(session.input(input).is_continue());
    }
    drop(session);
    assert_eq!(
        told.text(),
        "= go clock=300s+0ns togo=40 after d2d4\n= stop\n< tellusererror Illegal position: line too long\n\
         < Illegal move (illegal position): e7e5\n"
    );
}

#[test]
fn edit_mode() {
    xboard(
        "> new
         = new game
         > force
         > a2a3
         > edit
         > #
         > Ke1
         > Rh1
         > Pe2
         > c
         > Ke8
         > nonsense
         < Error (not an edit command): nonsense
         > Pd7
         > xd7
         > Pd6
         > .
         > st 1
         > go
         = go movetime=1s at 4k3/8/3p4/8/8/8/4P3/4K2R b K - 0 1",
    );
    assert!(matches!(xboard("> edit\n> #\n> quit"), Some(ExitReason::Quit)));
}

/// Who is to move was said before, by the game or aloud, even if the last to say it cannot move in the game.
#[test]
fn the_side_to_move_outlasts_edit_mode() {
    let edited = "> edit\n> #\n> Ke1\n> Pa2\n> c\n> Ke8\n> Qd5\n> .\n> st 1\n> go";
    for (before, side) in [
        ("", "w"),
        ("> black\n", "b"),
        ("> black\n> white\n", "w"),
        ("> e2e4\n", "b"),
        ("> e2e4\n> white\n", "w"),
        ("> setboard 4k3/8/8/8/8/8/4q3/4K3 w - - 0 1\n> black\n", "b"),
        ("> black\n> edit\n> #\n> .\n< tellusererror Illegal position: 8/8/8/8/8/8/8/8 b - - 0 1\n", "b"),
    ] {
        let fen = format!("4k3/8/8/3q4/8/8/P7/4K3 {side} - - 0 1");
        xboard(&format!("> new\n= new game\n> force\n{before}{edited}\n= go movetime=1s at {fen}"));
    }
}

#[test]
fn the_old_colour_words() {
    // The idiom around clock updates leaves the turn alone.
    xboard(
        "> force
         > e2e4
         > white
         > time 1000
         > otim 900
         > black
         > go
         = go clock=10s+0ns after e2e4",
    );
    xboard(
        "> white\n> st 1\n> go\n= go movetime=1s at rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    );
    // By hand: Black is to move, the engine plays White.
    xboard(
        "> black
         > st 1
         > usermove e7e5
         = go movetime=1s after e7e5
         ! done e2e4
         < move e2e4",
    );
}

#[test]
fn null_moves_in_force_mode() {
    xboard(
        "> force
         > @@@@
         > usermove e7e5
         > st 1
         > go
         = go movetime=1s after e7e5",
    );
}

/// A user who passes has moved: it is our turn.
#[test]
fn null_moves_in_play_are_answered() {
    xboard(
        "> st 1
         > @@@@
         = go movetime=1s at rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1
         ! done e7e5
         < move e7e5
         > undo
         > undo
         > usermove e2e4
         = go movetime=1s after e2e4",
    );
}

/// What was before a null move can be gone back to, as python-chess does on its way to another position.
#[test]
fn null_moves_are_taken_back() {
    xboard(
        "> force
         > usermove d2d4
         > @@@@
         > usermove g1f3
         > remove
         > usermove d7d5
         > undo
         > undo
         > st 1
         > go
         = go movetime=1s at rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
         ! done e2e4
         < move e2e4
         > force
         > @@@@
         > setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1
         > undo
         < Error (no move to take back): undo",
    );
}

#[test]
fn a_book_that_knows_nothing_says_so() {
    xboard(
        "> force
         > usermove e2e4
         > bk
         <  no book moves
         <",
    );
}
