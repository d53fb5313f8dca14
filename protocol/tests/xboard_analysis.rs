//! xboard transcripts: analysis, move filters, and settings that change while the engine works.

use crate::common::xboard;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn analysis_follows_the_board() {
    xboard(&format!(
        "> post
         > analyze
         = go infinite at {START}
         ! line 1 10 e2e4
         < 1 10 50 1000 3 2000 0\te2e4
         > usermove e2e4
         = stop
         = go infinite after e2e4
         > e7e5
         = stop
         = go infinite after e2e4 e7e5
         > undo
         = stop
         = go infinite after e2e4
         > setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1
         = stop
         = go infinite at 4k3/8/8/8/8/8/8/4K2R w K - 0 1
         > new
         = stop
         = new game
         = go infinite at {START}
         > exit
         = stop
         > usermove e2e4
         > ping 1
         < pong 1"
    ));
}

#[test]
fn the_end_of_an_analysis_in_one_burst() {
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         > .
         < stat01: T 4321 0 20 20
         ! line 6 10 e2e4 e7e5
         < 6 10 50 1000 8 2000 0\te2e4 e7e5
         ! root 7 g1f3 5 20
         > .
         < stat01: T 4321 7 15 20 g1f3
         > ping 1
         < pong 1
         > hint
         < Hint: e2e4
         > bk
         <  e2e4 75%
         <  d2d4 25%
         <
         > .
         < stat01: T 4321 7 15 20 g1f3
         > exit
         = stop
         > ping 2
         < pong 2
         > ."
    ));
}

#[test]
fn pychess_ends_an_analysis_with_an_empty_board() {
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         > sd 5
         > setboard 8/8/8/8/8/8/8/8 w - - 0 1
         = stop
         < tellusererror Illegal position: 8/8/8/8/8/8/8/8 w - - 0 1
         > ping 1
         < pong 1
         > setboard {START}
         = go infinite at {START}
         > result *
         > edit
         = stop
         > #
         > Ka1
         > c
         > Ka8
         > Qb8
         > .
         = go infinite at kq6/8/8/8/8/8/8/K7 w - - 0 1"
    ));
}

#[test]
fn analysis_of_a_finished_game_waits() {
    // The scripted brain has 4321 nodes, of whatever search: it is not asked for this one.
    xboard(
        "> force
         > setboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
         > analyze
         > ping 1
         < pong 1
         > .
         < stat01: T 0 0 0 0
         > exit",
    );
}

#[test]
fn moves_are_excluded_and_included() {
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         > exclude e2e4
         = stop
         = go infinite searchmoves=19 at {START}
         > exclude e2e4
         > exclude all
         = stop
         > include d2d4
         = go infinite searchmoves=1 at {START}
         > include Nf3
         = stop
         = go infinite searchmoves=2 at {START}
         > include all
         = stop
         = go infinite at {START}
         > exclude d2d4
         = stop
         = go infinite searchmoves=19 at {START}
         > exclude nonsense
         > usermove d2d4
         = stop
         = go infinite after d2d4"
    ));
}

/// Neither the best move of the search before the filter nor the reply that was expected in the game.
#[test]
fn a_hint_names_no_move_that_is_excluded() {
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         ! line 6 10 e2e4 e7e5
         < 6 10 50 1000 8 2000 0\te2e4 e7e5
         > hint
         < Hint: e2e4
         > exclude all
         = stop
         > hint
         > include d2d4
         = go infinite searchmoves=1 at {START}
         > hint
         ! line 1 5 d2d4
         < 1 5 50 1000 3 2000 0\td2d4
         > hint
         < Hint: d2d4"
    ));
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! line 3 10 e7e5 g1f3
         ! done e7e5 g1f3
         < move e7e5
         > analyze
         = go infinite after e2e4 e7e5
         > hint
         < Hint: g1f3
         > exclude g1f3
         = stop
         = go infinite searchmoves=28 after e2e4 e7e5
         > hint
         ! line 4 12 d2d4
         < 4 12 50 1000 6 2000 0\td2d4
         > hint
         < Hint: d2d4",
    );
}

/// What it has found comes before the reply that was expected in the game.
#[test]
fn a_hint_in_an_analysis_is_its_best_move() {
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         > analyze
         = go infinite after e2e4 e7e5
         > hint
         < Hint: g1f3
         ! line 4 12 d2d4
         < 4 12 50 1000 6 2000 0\td2d4
         > hint
         < Hint: d2d4",
    );
}

#[test]
fn filters_hold_for_a_move_of_our_own_and_no_longer() {
    xboard(&format!(
        "> st 1
         > exclude all
         > include e2e4
         > go
         = go movetime=1s searchmoves=1 at {START}
         ! done e2e4
         < move e2e4
         > usermove e7e5
         = go movetime=1s after e2e4 e7e5"
    ));
}

#[test]
fn filters_that_change_in_mid_thought_hold_for_its_move() {
    xboard(&format!(
        "> sd 5
         > go
         = go depth=5 at {START}
         > exclude all
         > include a2a3
         = stop
         = go depth=5 searchmoves=1 at {START}
         > exclude e2e4
         > exclude a2a3
         > include h2h3
         = stop
         = go depth=5 searchmoves=1 at {START}
         ! done h2h3
         < move h2h3
         > usermove e7e5
         = go depth=5 after h2h3 e7e5"
    ));
    xboard(&format!(
        "> sd 5
         > go
         = go depth=5 at {START}
         > pause
         = stop
         > exclude all
         > include a2a3
         > resume
         = go depth=5 searchmoves=1 at {START}"
    ));
}

/// As python-chess ends an analysis of some moves, and then has the engine play in the same position.
#[test]
fn filters_of_an_analysis_end_with_it() {
    xboard(&format!(
        "> exclude all
         > include a2a3
         > analyze
         = go infinite searchmoves=1 at {START}
         > exit
         = stop
         > analyze
         = go infinite at {START}
         > exit
         = stop
         > st 1
         > go
         = go movetime=1s at {START}"
    ));
}

#[test]
fn unchanged_memory_and_cores_are_no_work() {
    xboard(
        "> memory 68
         = hash 61
         > cores 2
         = threads 2
         = hash 58
         > new
         = new game
         > memory 68
         > cores 2
         > new
         = new game
         > memory 1
         = hash 1
         > cores 0
         = threads 0
         > cores 9999
         = threads 1024",
    );
}

/// By hand, in MB: the program has 4 of them and each thread 3. The scripted brain chooses three threads.
#[test]
fn threads_have_their_part_of_the_memory() {
    xboard(
        "> memory 68
         = hash 61
         > cores 16
         = threads 16
         = hash 16
         > memory 52
         = hash 1
         > cores 0
         = threads 0
         = hash 39
         > memory 68
         = hash 55",
    );
    // Without `memory` the table stays as it is. A thought is interrupted once.
    xboard(
        "> cores 4
         = threads 4
         > sd 5
         > usermove e2e4
         = go depth=5 after e2e4
         > memory 68
         = stop
         = hash 52
         = go depth=5 after e2e4
         > cores 8
         = stop
         = threads 8
         = hash 40
         = go depth=5 after e2e4",
    );
}

#[test]
fn cores_interrupt_a_ponder_search_and_a_thought_and_both_go_on() {
    xboard(
        "> st 5000
         > hard
         > usermove e2e4
         = go movetime=5000s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=5000s ponder after e2e4 e7e5 g1f3
         > cores 4
         = stop
         = threads 4
         < Hint: g1f3
         = go movetime=5000s ponder after e2e4 e7e5 g1f3
         > usermove g1f3
         = ponderhit
         > ping 1
         > sd 9
         > nps 1
         > cores 2
         = stop
         = threads 2
         = go depth=9 nodes=5000 after e2e4 e7e5 g1f3
         ! done b8c6
         < move b8c6
         < pong 1",
    );
}

/// The client's clock runs while the brain does something else: [`xboard`] sees that it is charged.
#[test]
fn settings_in_mid_thought_take_their_time_from_it() {
    xboard(
        "> st 50000
         > nps 1
         > usermove e2e4
         = go nodes=50000 after e2e4
         > memory 100
         = stop
         = hash 93
         = go nodes=45679 after e2e4
         > egtpath syzygy /tables
         = stop
         = option SyzygyPath = /tables
         = go nodes=41358 after e2e4
         > option Scheme=ybw
         = stop
         = option Scheme = ybw
         = go nodes=37037 after e2e4",
    );
}

#[test]
fn options_restart_an_analysis() {
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         > option MultiPV=3
         = stop
         = go infinite multipv=3 at {START}
         ! line:1 1 20 e2e4
         < 1 20 50 1000 3 2000 0\te2e4
         ! line:2 1 10 d2d4
         < 1 10 50 1000 3 2000 0\td2d4
         > hint
         < Hint: e2e4
         > option ClearHash
         = stop
         = clear hash
         = go infinite multipv=3 at {START}
         > option Scheme=ybw
         = stop
         = option Scheme = ybw
         = go infinite multipv=3 at {START}
         > option Move Overhead=50
         = stop
         = go overhead=50ms infinite multipv=3 at {START}
         > option MultiPV=0
         < Error (option MultiPV: \"0\" is not a number from 1 to 256): option MultiPV=0
         > option MultiPV
         < Error (option MultiPV wants a value): option MultiPV"
    ));
}

#[test]
fn errors_of_options_go_to_the_debug_log_once_it_is_accepted() {
    xboard(
        "> option Wings=1
         < Error (no such option): option Wings=1
         > option Flap
         < Error (no such option): option Flap
         > egtpath syzygy /none
         = option SyzygyPath = /none
         > accepted debug
         > option Wings=1
         < # no such option: Wings=1
         > option MultiPV=0
         < # option MultiPV: \"0\" is not a number from 1 to 256: MultiPV=0
         > memory 200000
         = hash 199993
         < # no memory for the table
         > egtpath syzygy /none
         = option SyzygyPath = /none
         < # no such folder
         > setboard 8/8/8/8/8/8/8/8 w - - 0 1
         < tellusererror Illegal position: 8/8/8/8/8/8/8/8 w - - 0 1
         < # illegal position: White has no king",
    );
}

/// A line that begins with `#` is a comment to a client that accepts them.
#[test]
fn what_a_search_remarks_goes_to_the_debug_log() {
    xboard(
        "> new
         = new game
         > st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! remark 2 ranks, entries sent 7
         ! done e7e5
         < move e7e5
         > accepted debug
         > usermove g1f3
         = go movetime=1s after e2e4 e7e5 g1f3
         ! remark 2 ranks, entries sent 8
         < # 2 ranks, entries sent 8
         ! done b8c6
         < move b8c6",
    );
}

#[test]
fn table_paths_may_contain_blanks_and_are_never_answered() {
    xboard(
        "> egtpath syzygy /my tables/syzygy
         = option SyzygyPath = /my tables/syzygy
         > egtpath Syzygy /elsewhere
         > egtpath nalimov /tables
         > egtpath
         > egtpath syzygy
         = option SyzygyPath =",
    );
}

#[test]
fn pause_stops_everything_and_resume_goes_on() {
    xboard(
        "> st 3600
         > post
         > usermove e2e4
         = go movetime=3600s after e2e4
         > ping 1
         > pause
         = stop
         > pause
         > nps 1
         > resume
         = go nodes=3599 after e2e4
         > resume
         ! done e7e5
         < move e7e5
         < pong 1",
    );
    // What is told after it counts for all.
    xboard(
        "> level 0 5 0
         > usermove e2e4
         = go clock=300s+0ns after e2e4
         > pause
         = stop
         > time 20000
         > resume
         = go clock=200s+0ns after e2e4
         > pause
         = stop
         > level 0 1 0
         > resume
         = go clock=60s+0ns after e2e4",
    );
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         > pause
         = stop
         > option MultiPV=2
         > resume
         = go infinite multipv=2 at {START}"
    ));
    xboard(
        "> st 1
         > hard
         > usermove e2e4
         = go movetime=1s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=1s ponder after e2e4 e7e5 g1f3
         > pause
         = stop
         > hard
         > resume
         < Hint: g1f3
         = go movetime=1s ponder after e2e4 e7e5 g1f3",
    );
}

#[test]
fn no_move_is_thought_about_in_a_pause() {
    xboard(
        "> st 1
         > pause
         > usermove e2e4
         > ping 1
         > usermove d2d4
         < Illegal move (not your turn): d2d4
         > cores 2
         = threads 2
         > resume
         = go movetime=1s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < pong 1
         > pause
         > hard
         > ping 2
         < pong 2
         > option MultiPV=2
         > resume
         < Hint: g1f3
         = go movetime=1s ponder multipv=2 after e2e4 e7e5 g1f3
         > pause
         = stop
         > usermove g1f3
         > ?
         > resume
         = go movetime=1s multipv=2 after e2e4 e7e5 g1f3
         = stop
         < move a7a5",
    );
}

#[test]
fn nothing_is_analysed_in_a_pause() {
    xboard(&format!(
        "> analyze
         = go infinite at {START}
         > pause
         = stop
         > exclude e2e4
         > include e2e4
         > usermove e2e4
         > ping 1
         < pong 1
         > undo
         > setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1
         > cores 2
         = threads 2
         > exclude all
         > .
         > include e1g1
         > resume
         = go infinite searchmoves=1 at 4k3/8/8/8/8/8/8/4K2R w K - 0 1
         > pause
         = stop
         > exit
         > resume"
    ));
}

/// As xboard does with a game that is paused: it does not say `resume` before these.
#[test]
fn a_pause_ends_where_something_begins() {
    for (said, begun) in [
        ("new", "= new game\n> usermove d2d4\n= go movetime=1s after d2d4"),
        ("force\n> go", "= go movetime=1s after e2e4"),
        ("force\n> playother\n> usermove c7c5", "= go movetime=1s after e2e4 c7c5"),
        ("analyze", "= go infinite after e2e4"),
    ] {
        xboard(&format!(
            "> st 1\n> usermove e2e4\n= go movetime=1s after e2e4\n> pause\n= stop\n> {said}\n{begun}"
        ));
    }
    xboard(&format!(
        "> analyze\n= go infinite at {START}\n> pause\n= stop\n> new\n= new game\n= go infinite at {START}"
    ));
}

#[test]
fn uci_options_lose_their_prefix() {
    xboard(
        "> force
         > option LimitStrength=1
         = option UCI_LimitStrength = true
         > option UCI_LimitStrength=0
         = option UCI_LimitStrength = false
         > option uci_limitstrength=1
         = option UCI_LimitStrength = true",
    );
}
