//! xboard transcripts: playing, clocks, pondering. The board is in `xboard_board.rs`, analysis and settings
//! in `xboard_analysis.rs`.

use crate::common::{Script, ScriptedBrain, identity, play, xboard};
use protocol::session::{Dialect, ExitReason, Input, Session};
use std::time::{Duration, Instant};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// So many seconds before now.
fn ago(seconds: u64) -> Instant {
    let moment = Instant::now().checked_sub(Duration::from_secs(seconds));
    moment.expect("the machine has run for some seconds")
}

#[test]
fn protover_is_answered_with_features() {
    play(
        None,
        "> xboard
         > protover 2
         < feature done=0
         < feature myname=\"Firstborn 0.1\" variants=\"normal,fischerandom\"
         < feature ping=1 setboard=1 playother=1 usermove=1 san=0 colors=0 sigint=0 sigterm=0 reuse=1 analyze=1
         < feature time=1 draw=1 name=1 ics=0 pause=1 nps=1 debug=1 memory=1 smp=1 exclude=1
         < feature egt=\"syzygy\"
         < feature option=\"ClearHash -button\"
         < feature option=\"MultiPV -spin 1 1 256\"
         < feature option=\"MoveOverhead -spin 10 0 5000\"
         < feature option=\"DebugLogFile -string \"
         < feature option=\"Scheme -combo *lazy /// ybw\"
         < feature option=\"LimitStrength -check 0\"
         < feature option=\"Resign -check 0\"
         < feature done=1
         > accepted ping
         > rejected sigint
         > accepted option
         > rejected option nonsense",
    );
}

#[test]
fn versions_to_come_are_answered_like_ours() {
    let features = |version: u32| {
        let script = Script::default();
        let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
        let mut session = Session::new(identity(), Some(Dialect::Xboard), &mut output, &mut brain);
        assert!(session.input(Input::Line(format!("protover {version}"))).is_continue());
        drop(session);
        told.text()
    };
    assert!(features(2).ends_with("feature done=1\n"));
    assert_eq!(features(3), features(2));
    assert_eq!(features(4_000_000_000), features(2));
}

#[test]
fn the_usual_opening_words_of_xboard() {
    xboard(
        "> memory 68
         = hash 61
         > cores 1
         > new
         = new game
         > random
         > variant normal
         > level 40 5 0
         > post
         > hard
         > easy
         > name Fairy-Max
         > rating 2000 2100
         > computer
         > ics -
         > ping 1
         < pong 1",
    );
}

#[test]
fn the_engine_plays_black_after_new_and_moves_when_asked() {
    xboard(
        "> new
         = new game
         > level 0 5:00 0.3
         > time 30000
         > otim 30000
         > usermove e2e4
         = go clock=300s+300ms after e2e4
         ! done e7e5
         < move e7e5
         > time 29900
         > otim 29800
         > usermove g1f3
         = go clock=299s+300ms after e2e4 e7e5 g1f3
         ! done b8c6
         < move b8c6",
    );
}

#[test]
fn go_plays_the_side_to_move() {
    xboard(
        "> new
         = new game
         > force
         > usermove e2e4
         > st 0.01
         > go
         = go movetime=10ms after e2e4
         ! done e7e5
         < move e7e5
         > force
         > usermove d2d4
         > playother
         > usermove e5d4
         = go movetime=10ms after e2e4 e7e5 d2d4 e5d4
         ! done d1d4
         < move d1d4",
    );
}

#[test]
fn a_new_game_forgets_depth_and_force_but_not_clock_pondering_and_posting() {
    xboard(
        "> post
         > hard
         > sd 3
         > level 0 1 0
         > force
         > usermove e2e4
         > new
         = new game
         > usermove d2d4
         = go clock=60s+0ns after d2d4
         ! line 1 0 d7d5 c2c4
         < 1 0 50 1000 3 2000 0\td7d5 c2c4
         ! done
         < move d7d5
         < Hint: c2c4
         = go ponder after d2d4 d7d5 c2c4
         > new
         = stop
         = new game
         > ping 1
         < pong 1",
    );
}

#[test]
fn every_form_of_level() {
    let level = |words: &str, asked: &str| {
        xboard(&format!(
            "> level {words}\n> go\n= go {asked} at rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        ));
    };
    level("40 5 0", "clock=300s+0ns togo=40");
    level("0 0:30 0.3", "clock=30s+300ms");
    level("0 1:5 0", "clock=65s+0ns");
    level("0 0 0.1", "clock=0ns+100ms");
    level("0 5:00 0", "clock=300s+0ns");
    level("0 2 12", "clock=120s+12s");
    level("40 25+5 0", "clock=1500s+0ns togo=40");
    level("20 0:45.5 1", "clock=45.5s+1s togo=20");
}

/// python-chess with a limit of depth alone, and cutechess with `tc=inf depth=22`.
#[test]
fn a_depth_without_a_time_control_is_reached() {
    xboard("> sd 22\n> usermove e2e4\n= go depth=22 after e2e4");
    xboard("> sd 22\n> time 86400\n> usermove e2e4\n= go depth=22 after e2e4");
    xboard("> level 0 1 0\n> sd 22\n> usermove e2e4\n= go depth=22 clock=60s+0ns after e2e4");
}

/// A clock that is told counts, also where no control says what it is of; in the next game, until it is told again, the
/// depth is alone.
#[test]
fn a_depth_holds_beside_a_clock_without_a_time_control() {
    for told in ["> sd 40\n> time 6000", "> time 6000\n> sd 40"] {
        xboard(&format!(
            "{told}
             > go
             = go depth=40 clock=60s+0ns at {START}
             ! done e2e4
             < move e2e4
             > time 5900
             > usermove e7e5
             = go depth=40 clock=59s+0ns after e2e4 e7e5
             ! done g1f3
             < move g1f3
             > new
             = new game
             > sd 40
             > go
             = go depth=40 at {START}"
        ));
    }
}

/// cutechess tells 864.00 s where there is no clock; on a clock that has shown another time they are what is left.
#[test]
fn a_clock_that_comes_to_what_stands_for_none_goes_on() {
    xboard(&format!(
        "> sd 40
         > time 87000
         > go
         = go depth=40 clock=870s+0ns at {START}
         ! done e2e4
         < move e2e4
         > time 86400
         > usermove e7e5
         = go depth=40 clock=864s+0ns after e2e4 e7e5"
    ));
}

#[test]
fn st_and_sd_stand_side_by_side_and_level_replaces_st() {
    xboard(
        "> st 86400
         > sd 7
         > go
         = go depth=7 movetime=86400s at rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
         ! done e2e4
         < move e2e4
         > level 0 1 0
         > usermove e7e5
         = go depth=7 clock=60s+0ns after e2e4 e7e5
         > new
         = stop
         = new game
         > usermove d2d4
         = go clock=60s+0ns after d2d4",
    );
}

#[test]
fn a_level_in_mid_game_counts_from_there() {
    xboard(
        "> level 2 1 0
         > time 6000
         > usermove e2e4
         = go clock=60s+0ns togo=2 after e2e4
         ! done e7e5
         < move e7e5
         > time 5900
         > usermove g1f3
         = go clock=59s+0ns togo=1 after e2e4 e7e5 g1f3
         ! done b8c6
         < move b8c6
         > level 3 2 0
         > usermove f1b5
         = go clock=120s+0ns togo=3 after e2e4 e7e5 g1f3 b8c6 f1b5
         ! done a7a6
         < move a7a6
         > setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
         > time 6000
         > usermove d2d4
         = go clock=60s+0ns togo=3 after d2d4
         ! done d7d5
         < move d7d5
         > time 5900
         > usermove c2c4
         = go clock=59s+0ns togo=2 after d2d4 d7d5 c2c4",
    );
}

#[test]
fn clocks_that_have_run_out_are_taken() {
    xboard("> time 0\n> usermove e2e4\n= go clock=0ns+0ns after e2e4");
    xboard("> time -5\n> otim -10\n> usermove e2e4\n= go clock=0ns+0ns after e2e4");
    xboard("> time 1\n> usermove e2e4\n= go clock=10ms+0ns after e2e4");
}

#[test]
fn nps_turns_time_into_nodes() {
    // cutechess: one second at N nodes per second; python-chess: N seconds at one.
    xboard("> st 1\n> nps 5000\n> usermove e2e4\n= go nodes=5000 after e2e4");
    xboard(
        "> nps 1\n> st 50000000\n> usermove e2e4\n= go nodes=50000000 after e2e4\n> new\n= stop\n= new game\n\
         > nps 1\n> st 5000\n> usermove e2e4\n= go nodes=5000 after e2e4\n> new\n= stop\n= new game\n> usermove e2e4\n= go movetime=5000s after e2e4",
    );
    xboard("> nps 100\n> level 10 1 0\n> usermove e2e4\n= go nodes=600 of the clock after e2e4");
    // Lines have the time of the clock on the wall, half a second, whatever the threads.
    xboard(
        "> cores 2
         = threads 2
         > nps 100
         > st 10
         > post
         > usermove e2e4
         = go nodes=1000 after e2e4
         ! line 1 -7 e7e5
         < 1 -7 50 1000 3 2000 0\te7e5",
    );
}

/// Nodes are what the clock counts then, also those of a thought that goes on after a setting. The scripted brain has
/// 4321, of whatever search.
#[test]
fn the_nodes_of_an_interrupted_thought_are_gone_from_the_clock() {
    xboard(
        "> nps 10000
         > st 1
         > usermove e2e4
         = go nodes=10000 after e2e4
         > option MoveOverhead=11
         = stop
         = go nodes=5679 overhead=11ms after e2e4",
    );
    // A thirtieth of what is left: 60 s, 4321 nodes less, and as many less again.
    xboard(
        "> nps 10000
         > level 0 1 0
         > usermove e2e4
         = go nodes=20000 of the clock after e2e4
         > option MultiPV=2
         = stop
         = go nodes=19855 of the clock multipv=2 after e2e4
         ! done e7e5
         < move e7e5
         > usermove d2d4
         = go nodes=19711 of the clock multipv=2 after e2e4 e7e5 d2d4",
    );
}

/// They are the opponent's: all that the scripted brain has, so that the clock is the same for the move after that.
#[test]
fn nodes_before_a_ponder_hit_are_not_gone_from_the_clock() {
    xboard(
        "> nps 10000
         > hard
         > level 0 1 0
         > usermove e2e4
         = go nodes=20000 of the clock after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go nodes=19855 of the clock ponder after e2e4 e7e5 g1f3
         > usermove g1f3
         = ponderhit
         ! done b8c6
         < move b8c6
         > usermove f1c4
         = go nodes=19855 of the clock after e2e4 e7e5 g1f3 b8c6 f1c4",
    );
}

/// By hand, for the last move before the control: nine tenths of the minute, or of that without five seconds.
#[test]
fn the_overhead_is_kept_back_from_a_clock_of_nodes() {
    for (overhead, nodes, kept_back) in [(0, 5400, "0ns"), (5000, 4950, "5s")] {
        xboard(&format!(
            "> option MoveOverhead={overhead}
             > nps 100
             > level 1 1 0
             > usermove e2e4
             = go nodes={nodes} of the clock overhead={kept_back} after e2e4"
        ));
    }
}

/// All threads together may use the time, so each has its share of it.
#[test]
fn nps_0_counts_the_time_of_all_threads() {
    xboard("> cores 2\n= threads 2\n> st 10\n> nps 0\n> usermove e2e4\n= go movetime=5s after e2e4");
    xboard(
        "> cores 4\n= threads 4\n> level 0 1 2\n> nps 0\n> go\n= go clock=15s+500ms at START"
            .replace("START", START)
            .as_str(),
    );
    // The scripted brain chooses three threads; a thought goes on with the share that it has then.
    xboard(
        "> cores 0
         = threads 0
         > st 9
         > nps 0
         > usermove e2e4
         = go movetime=3s after e2e4
         > pause
         = stop
         > level 0 1 2
         > cores 4
         = threads 4
         > resume
         = go clock=15s+500ms after e2e4",
    );
    // Half a second of two threads.
    xboard(
        "> cores 2
         = threads 2
         > st 10
         > nps 0
         > post
         > usermove e2e4
         = go movetime=5s after e2e4
         ! line 1 -7 e7e5
         < 1 -7 100 1000 3 2000 0\te7e5",
    );
}

/// Of four threads a weak player's search has one, and an analysis all.
#[test]
fn nps_0_counts_no_thread_that_sleeps() {
    xboard(
        "> cores 4
         = threads 4
         > option LimitStrength=1
         = option UCI_LimitStrength = true
         > st 8
         > nps 0
         > post
         > usermove e2e4
         = go movetime=8s after e2e4
         ! line 1 -7 e7e5
         < 1 -7 50 1000 3 2000 0\te7e5
         ! done
         < move e7e5
         > analyze
         = go infinite after e2e4 e7e5
         ! line 1 20 g1f3
         < 1 20 200 1000 3 2000 0\tg1f3",
    );
}

#[test]
fn thinking_is_shown_on_demand() {
    xboard(
        "> st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! line 1 -7 e7e5
         > post
         ! line 2 -8 e7e5 g1f3
         < 2 -8 50 1000 4 2000 0\te7e5 g1f3
         ! low 3 -30 e7e5
         < 3 -30 50 1000 5 2000 0\te7e5 ?
         ! high 3 15 c7c5
         < 3 15 50 1000 5 2000 0\tc7c5 !
         ! line 4 #5 c7c5
         < 4 100003 50 1000 6 2000 0\tc7c5
         ! line 5 -#2 c7c5
         < 5 -100001 50 1000 7 2000 0\tc7c5
         > nopost
         ! line 6 3 c7c5
         ! done
         < move c7c5",
    );
}

#[test]
fn move_now_and_ping_in_one_burst() {
    xboard(
        "> ?
         > st 10
         > usermove e2e4
         = go movetime=10s after e2e4
         ! line 1 0 e7e5
         > ?
         = stop
         < move e7e5
         > ping 5
         < pong 5
         > ?",
    );
}

/// What comes before the session has heard that the search is over does not undo it.
#[test]
fn move_now_is_obeyed_whatever_comes_with_it() {
    let next = |said: &str, done: &str| {
        xboard(&format!(
            "> level 40 5 0
             > usermove e2e4
             = go clock=300s+0ns togo=40 after e2e4
             ! line 1 0 c7c5
             >> ?
             = stop
             >> ping 1
             > {said}
             < move c7c5
             < pong 1
             {done}
             > ping 2
             < pong 2"
        ));
    };
    next("cores 2", "= threads 2");
    next("memory 100", "= hash 93");
    next("exclude e7e5", "");
    next("option MultiPV=2", "");
    next("option ClearHash", "= clear hash");
    next("egtpath syzygy /tables", "= option SyzygyPath = /tables");
    let limits = ["st 3", "sd 3", "nps 9", "level 0 1 0", "time 100", "otim 100"];
    let others = ["resume", "pause", "post", "nopost", "hard", "easy", "hint", "draw"];
    for said in limits.into_iter().chain(others) {
        next(said, "");
    }
    for (said, done) in [("force", ""), ("result 1-0 {mate}", ""), ("undo", ""), ("new", "= new game")] {
        xboard(&format!(
            "> st 9\n> usermove e2e4\n= go movetime=9s after e2e4\n>> ?\n= stop\n> {said}\n= stop\n{done}"
        ));
    }
}

/// The move is made first; what the engine does then is interrupted.
#[test]
fn pondering_that_follows_a_hurried_move_is_interrupted() {
    let next = |said: &str| {
        xboard(&format!(
            "> hard
             > st 9
             > usermove e2e4
             = go movetime=9s after e2e4
             ! line 1 0 e7e5 g1f3
             >> ?
             = stop
             {said}
             < Hint: g1f3
             = go movetime=9s ponder after e2e4 e7e5 g1f3"
        ));
    };
    next(
        "> cores 2
         < move e7e5
         < Hint: g1f3
         = go movetime=9s ponder after e2e4 e7e5 g1f3
         = stop
         = threads 2",
    );
    next("> pause\n< move e7e5\n> ping 1\n< pong 1\n> resume");
}

/// It is the next thing that happens.
#[test]
fn move_now_in_a_pause_is_obeyed_at_its_end() {
    xboard(
        "> st 5000
         > nps 1
         > usermove e2e4
         = go nodes=5000 after e2e4
         > pause
         = stop
         > ?
         > ping 1
         > cores 2
         = threads 2
         > resume
         = go nodes=679 after e2e4
         = stop
         < move a7a5
         < pong 1
         > usermove d2d4
         = go nodes=5000 after e2e4 a7a5 d2d4
         > pause
         = stop
         > ?
         > ping 2
         > undo
         < pong 2
         > resume
         > usermove g1f3
         = go nodes=5000 after e2e4 a7a5 g1f3
         > pause
         = stop
         > ?
         > go
         = go nodes=5000 after e2e4 a7a5 g1f3
         ! done b8c6
         < move b8c6",
    );
}

/// Only a move that is owed can be hurried.
#[test]
fn move_now_does_nothing_while_pondering_or_analysing() {
    xboard(
        "> st 10
         > hard
         > usermove e2e4
         = go movetime=10s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=10s ponder after e2e4 e7e5 g1f3
         > ?
         > ping 1
         < pong 1
         > usermove g1f3
         = ponderhit
         > ?
         = stop
         < move a7a5
         > analyze
         = go infinite after e2e4 e7e5 g1f3 a7a5
         > ?
         > ping 2
         < pong 2",
    );
}

/// Two seconds of ten are gone when it is laid aside, and no clock is told after that.
#[test]
fn what_a_thought_used_before_a_pause_is_gone_from_the_clock() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Xboard), &mut output, &mut brain);
    let now = Instant::now();
    for (line, came) in
        [("level 0 0:10 0", ago(3)), ("usermove e2e4", ago(3)), ("pause", ago(1)), ("resume", now)]
    {
        assert!(session.heard(Input::Line(line.into()), came).is_continue());
    }
    script.speak("done e7e5");
    assert!(session.pump().is_continue());
    assert!(session.heard(Input::Line("usermove g1f3".into()), now).is_continue());
    let text = told.text();
    let asked = text.lines().last().and_then(|line| line.strip_prefix("= go clock="));
    let left = asked.and_then(|asked| asked.strip_suffix("s+0ns after e2e4 e7e5 g1f3"));
    let seconds: f64 = left.and_then(|left| left.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    assert!(seconds <= 8.0, "{text}");
}

#[test]
fn ping_waits_for_the_move_but_not_for_a_ponder_search() {
    xboard(
        "> st 10
         > hard
         > usermove e2e4
         = go movetime=10s after e2e4
         > ping 1
         > ping 2
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=10s ponder after e2e4 e7e5 g1f3
         < pong 1
         < pong 2
         > ping 3
         < pong 3
         ! line 1 0 b8c6",
    );
}

#[test]
fn pings_are_answered_when_the_move_is_called_off() {
    xboard(
        "> st 10
         > usermove e2e4
         = go movetime=10s after e2e4
         > ping 1
         > force
         = stop
         < pong 1
         > new
         = new game
         > ping 2
         < pong 2",
    );
}

#[test]
fn nothing_leaves_after_force_new_result_or_setboard() {
    for (word, then) in [
        ("force", ""),
        ("new", "\n= new game"),
        ("result 1-0 {White resigns}", ""),
        ("setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1", ""),
        ("undo", ""),
        ("remove", "\n< Error (no move to take back): remove"),
    ] {
        let stop = if word == "remove" { "" } else { "\n= stop" };
        xboard(&format!(
            "> post\n> st 10\n> usermove e2e4\n= go movetime=10s after e2e4\n> {word}{stop}{then}"
        ));
    }
}

#[test]
fn a_ponder_hit_goes_on_and_a_miss_starts_anew() {
    xboard(
        "> post
         > hard
         > st 10
         > usermove e2e4
         = go movetime=10s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=10s ponder after e2e4 e7e5 g1f3
         ! line 1 9 b8c6
         < 1 9 50 1000 3 2000 0\tb8c6
         > time 900
         > otim 900
         > usermove g1f3
         = ponderhit
         > ping 7
         ! done b8c6 f1b5
         < move b8c6
         < Hint: f1b5
         = go movetime=10s ponder after e2e4 e7e5 g1f3 b8c6 f1b5
         < pong 7
         > usermove f1c4
         = stop
         = go movetime=10s after e2e4 e7e5 g1f3 b8c6 f1c4
         ! done f8c5
         < move f8c5",
    );
}

/// The client's clock runs since it sent the move. What came before it had the engine begin to ponder anew only then.
#[test]
fn a_ponder_hit_counts_from_a_move_that_came_before_the_pondering() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Xboard), &mut output, &mut brain);
    for line in ["hard", "st 5", "usermove e2e4"] {
        assert!(session.input(Input::Line(line.into())).is_continue());
    }
    script.speak("done e7e5 g1f3");
    assert!(session.pump().is_continue());
    let came = ago(2);
    for line in ["option ClearHash", "usermove g1f3"] {
        assert!(session.heard(Input::Line(line.into()), came).is_continue());
    }
    let text = told.text();
    let anew = "= stop\n= clear hash\n< Hint: g1f3\n= go movetime=5s ponder after e2e4 e7e5 g1f3\n\
                = stop\n= go movetime=5s after e2e4 e7e5 g1f3\n";
    assert!(text.ends_with(anew), "{text}");
    assert_eq!(script.since(), Some(came));
}

/// xboard keeps the time of a line with our move, and may take it off our clock.
#[test]
fn the_time_of_a_line_leaves_out_the_opponents() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Xboard), &mut output, &mut brain);
    for line in ["post", "hard", "st 5", "usermove e2e4"] {
        assert!(session.input(Input::Line(line.into())).is_continue());
    }
    script.speak("done e7e5 g1f3");
    assert!(session.pump().is_continue());
    assert!(session.input(Input::Line("usermove g1f3".into())).is_continue());
    // It says that it began half a second ago. Some of that, however little, it has pondered.
    script.speak("line 1 9 b8c6");
    assert!(session.pump().is_continue());
    let text = told.text();
    let line = text.lines().last().and_then(|line| line.strip_prefix("< 1 9 "));
    let time = line.and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    assert!(time.is_some_and(|centiseconds| centiseconds < 50), "{text}");
}

#[test]
fn a_ponder_hit_under_a_much_shorter_clock_starts_anew() {
    xboard(
        "> hard
         > level 0 5 0
         > time 30000
         > usermove e2e4
         = go clock=300s+0ns after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go ponder after e2e4 e7e5 g1f3
         > time 2000
         > usermove g1f3
         = stop
         = go clock=20s+0ns after e2e4 e7e5 g1f3",
    );
}

/// What a client says while the engine ponders holds for the move it then thinks about.
#[test]
fn a_ponder_hit_under_other_limits_starts_anew() {
    let hit = |before: &str, planned: &str, said: &str, asked: &str| {
        // A ponder search's clock has run, so transcripts leave it out.
        let pondered = if planned.starts_with("clock") { String::new() } else { format!("{planned} ") };
        xboard(&format!(
            "> hard
             {before}
             > usermove e2e4
             = go {planned} after e2e4
             ! done e7e5 g1f3
             < move e7e5
             < Hint: g1f3
             = go {pondered}ponder after e2e4 e7e5 g1f3
             {said}
             > usermove g1f3
             {asked}"
        ));
    };
    let anew = |limits: &str| format!("= stop\n= go {limits} after e2e4 e7e5 g1f3");
    let six = |said: &str, asked: &str| hit("> st 6", "movetime=6s", said, asked);
    six("> level 0 0:01 0\n> time 100\n> otim 100", &anew("clock=1s+0ns"));
    six("> st 2", &anew("movetime=2s"));
    six("> st 60", &anew("movetime=60s"));
    six("> sd 4", &anew("depth=4 movetime=6s"));
    six("> nps 100", &anew("nodes=600"));
    six("> st 2\n> st 6\n> time 600\n> otim 600", "= ponderhit");
    let five = |said: &str, asked: &str| hit("> level 0 5 0", "clock=300s+0ns", said, asked);
    five("> st 1", &anew("movetime=1s"));
    five("> level 0 5 2", &anew("clock=300s+2s"));
    five("> level 10 5 0", &anew("clock=300s+0ns togo=10"));
    five("> time 60000", &anew("clock=600s+0ns"));
    five("> otim 100", "= ponderhit");
}

#[test]
fn easy_ends_a_ponder_search_and_hard_begins_one() {
    xboard(
        "> hard
         > st 1
         > usermove e2e4
         = go movetime=1s after e2e4
         ! done e7e5 g1f3
         < move e7e5
         < Hint: g1f3
         = go movetime=1s ponder after e2e4 e7e5 g1f3
         > easy
         = stop
         > ping 1
         < pong 1
         > hint
         < Hint: g1f3
         > hard
         < Hint: g1f3
         = go movetime=1s ponder after e2e4 e7e5 g1f3
         > result 1/2-1/2 {Draw agreed}
         = stop
         > draw",
    );
}

#[test]
fn unknown_words_and_bad_arguments_are_named() {
    xboard(
        "> fhqwhgads
         < Error (unknown command): fhqwhgads
         > level
         < Error (missing or bad argument): level
         > level forty 5 0
         < Error (missing or bad argument): level forty 5 0
         > st never
         < Error (missing or bad argument): st never
         > st -1
         < Error (missing or bad argument): st -1
         > st nan
         < Error (missing or bad argument): st nan
         > st inf
         < Error (missing or bad argument): st inf
         > st
         < Error (missing or bad argument): st
         > sd deep
         < Error (missing or bad argument): sd deep
         > level 40 five 0
         < Error (missing or bad argument): level 40 five 0
         > level 40 5 infinity
         < Error (missing or bad argument): level 40 5 infinity
         > level -1 5 0
         < Error (missing or bad argument): level -1 5 0
         > time 1e2
         < Error (missing or bad argument): time 1e2
         > time
         < Error (missing or bad argument): time
         > sd
         < Error (missing or bad argument): sd
         > ping
         < Error (missing or bad argument): ping
         > ping 3
         < pong 3",
    );
}

/// xboard takes some words for the engine's end or the game's, wherever they stand.
#[test]
fn words_that_xboard_acts_upon_are_not_told_back() {
    xboard(
        "> engine not found
         < Error (unknown command): engine ...
         > Draw
         < Error (unknown command): ...
         > usermove Draw
         < Illegal move (against the rules): ...
         > option File=No such file
         < Error (no such option): option File=...
         > setboard not found
         < tellusererror Illegal position: ...
         > setboard I offer a draw
         < tellusererror Illegal position: I offer a ...
         > option MultiPV=Permission denied
         < Error (option MultiPV: \"...\" is not a number from 1 to 256): option MultiPV=...
         > variant drawless
         < Error (unsupported variant): variant ...less",
    );
}

#[test]
fn words_that_only_tell_something_are_taken_in_silence() {
    xboard(
        ">
         > accepted usermove
         > accept memory
         > reject usermove
         > name Bobby Fischer
         > name
         > rating 2780 0
         > ics chess.example
         > computer
         > partner mann
         > partner
         > ptell hello
         > holding [PPPRQ] []
         > lift e2
         > hover e4
         > put e4
         > random
         > accepted smp
         > rejected highlight
         > otim 100
         > result *
         > exit
         > .
         > hint
         > resume
         > pause
         > resume
         > egtpath nalimov /tables
         > bk
         <  e2e4 75%
         <  d2d4 25%
         <",
    );
}

#[test]
fn quit_leaves_at_once_and_so_does_the_end_of_input() {
    for (word, quit) in [("quit", true), ("EOF", false)] {
        let reason = xboard(&format!("> st 1\n> usermove e2e4\n= go movetime=1s after e2e4\n> {word}"));
        assert_eq!(matches!(reason, Some(ExitReason::Quit)), quit);
        assert_eq!(matches!(reason, Some(ExitReason::EndOfInput)), !quit);
    }
}

#[test]
fn a_search_that_dies_still_moves() {
    xboard(
        "> st 1\n> usermove e2e4\n= go movetime=1s after e2e4\n! line 1 0 c7c5\n> ping 1\n! die\n< move c7c5\n< pong 1",
    );
}
