//! UCI transcripts: each command's rule and each trap of clients and runners.

use crate::common::{Script, ScriptedBrain, identity, play, uci};
use chess::Game;
use protocol::session::driver::Driver;
use protocol::session::{Dialect, ExitReason, Input, Session};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use thinking::report::Limits;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn uci_introduces_the_engine_and_its_options() {
    play(
        None,
        "> uci
         < id name Firstborn 0.1
         < id author The authors
         < option name Threads type spin default 1 min 1 max 1024
         < option name Hash type spin default 16 min 1 max 33554432
         < option name Clear Hash type button
         < option name MultiPV type spin default 1 min 1 max 256
         < option name Move Overhead type spin default 10 min 0 max 5000
         < option name Debug Log File type string default <empty>
         < option name Scheme type combo default lazy var lazy var ybw
         < option name SyzygyPath type string default <empty>
         < option name UCI_LimitStrength type check default false
         < option name Ponder type check default false
         < option name UCI_Chess960 type check default false
         < option name UCI_ShowWDL type check default false
         < option name nodestime type spin default 0 min 0 max 10000
         < option name UCI_AnalyseMode type check default false
         < option name UCI_Opponent type string default <empty>
         < option name UCI_EngineAbout type string default Firstborn 0.1 by The authors
         < uciok
         > isready
         < readyok",
    );
}

#[test]
fn any_first_command_but_xboard_opens_uci() {
    play(None, "> isready\n< readyok");
    play(None, &format!("> \n> go depth 3\n= go depth=3 at {START}\n! done e2e4\n< bestmove e2e4"));
    play(
        None,
        "> position startpos moves e2e4\n> go nodes 5\n= go nodes=5 after e2e4\n! done e7e5\n< bestmove e7e5",
    );
    // A comment is no command.
    play(None, "> # a script\n> xboard\n> ping 3\n< pong 3");
    play(None, "> # a script\n> isready\n< readyok");
}

#[test]
fn a_search_prints_its_lines_and_its_move() {
    uci("> position startpos moves e2e4
         > go wtime 1000 btime 2000 winc 10 binc 20 movestogo 30
         = go clock=2s+20ms togo=30 after e2e4
         ! line 3 -20 e7e5 g1f3
         < info depth 3 seldepth 5 multipv 1 score cp -20 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e7e5 g1f3
         ! low 4 -50 e7e5
         < info depth 4 seldepth 6 multipv 1 score cp -50 upperbound nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e7e5
         ! high 4 30 c7c5
         < info depth 4 seldepth 6 multipv 1 score cp 30 lowerbound nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv c7c5
         ! done c7c5 g1f3
         < bestmove c7c5 ponder g1f3");
}

#[test]
fn every_limit_reaches_the_search() {
    let limit = |words: &str, asked: &str| {
        uci(&format!("> go {words}\n= go {asked} at {START}\n! done d2d4\n< bestmove d2d4"));
    };
    limit("depth 7", "depth=7");
    limit("nodes 5000", "nodes=5000");
    limit("mate 3", "mate=3");
    limit("movetime 250", "movetime=250ms");
    limit("movetime 250.7", "movetime=250ms");
    limit("wtime 100", "clock=100ms+0ns");
    limit("btime 100 binc 100 wtime 200 winc 300", "clock=200ms+300ms");
    limit("wtime -100 btime -1 movestogo 0", "clock=0ns+0ns");
    limit("depth 3 nodes 9 movetime 5", "depth=3 nodes=9 movetime=5ms");
    limit("depth 3 searchmoves e2e4 d2d4", "depth=3 searchmoves=2");
    limit("searchmoves e2e4 d2d4 depth 3", "depth=3 searchmoves=2");
    limit("unknown depth 3 words", "depth=3");
}

#[test]
fn what_a_search_remarks_is_for_people_to_read() {
    uci(&format!(
        "> go depth 3
         = go depth=3 at {START}
         ! remark 2 ranks, entries sent 7
         < info string 2 ranks, entries sent 7
         ! done e2e4
         < bestmove e2e4"
    ));
}

#[test]
fn a_bad_limit_is_named_and_the_others_hold() {
    uci(&format!(
        "> go depth x nodes 99999999999999999999
         < info string go depth: \"x\" is not a whole number
         = go nodes=9223372036854775807 at {START}
         ! done e2e4
         < bestmove e2e4
         > go movetime btime 900 wtime 800 movestogo
         < info string go movetime: \"btime\" is not a whole number
         < info string go movestogo: no number follows
         = go clock=800ms+0ns at {START}
         ! done e2e4
         < bestmove e2e4"
    ));
}

/// Its client waits for a move that an infinite search would never make.
#[test]
fn limits_that_cannot_be_read_bring_a_quick_move() {
    uci(&format!(
        "> go depth x
         < info string go depth: \"x\" is not a whole number
         = go depth=1 at {START}
         ! done e2e4
         < bestmove e2e4
         > go movetime 1e2
         < info string go movetime: \"1e2\" is not a whole number
         = go depth=1 at {START}
         ! done e2e4
         < bestmove e2e4
         > go movetime
         < info string go movetime: no number follows
         = go depth=1 at {START}
         ! done e2e4
         < bestmove e2e4
         > go wtime a btime b winc c
         < info string go wtime: \"a\" is not a whole number
         < info string go btime: \"b\" is not a whole number
         < info string go winc: \"c\" is not a whole number
         = go depth=1 at {START}
         ! done e2e4
         < bestmove e2e4
         > go infinite movetime x
         < info string go movetime: \"x\" is not a whole number
         = go infinite at {START}
         > stop
         = stop
         < bestmove a2a3"
    ));
}

/// Neither does a client that sends no clock ask for an infinite search.
#[test]
fn increments_without_a_clock_bring_a_move() {
    uci(&format!(
        "> go winc 500 binc 700
         = go clock=500ms+500ms at {START}
         ! done e2e4
         < bestmove e2e4
         > go winc 0 binc 0 movestogo 40
         = go depth=1 at {START}
         ! done e2e4
         < bestmove e2e4"
    ));
}

#[test]
fn a_bad_searchmove_is_named() {
    uci(&format!(
        "> go depth 2 searchmoves e2e4 e2e5
         < info string searchmoves: 'e2e5' is not legal here
         = go depth=2 searchmoves=1 at {START}
         ! done e2e4
         < bestmove e2e4
         > go searchmoves Nf3 e2-e4 d2d4 moves E2E4 nodes 9 depth 2
         < info string searchmoves: 'Nf3' is not a move
         < info string searchmoves: 'e2-e4' is not a move
         < info string searchmoves: 'moves' is not a move
         < info string searchmoves: 'E2E4' is not a move
         = go depth=2 nodes=9 searchmoves=1 at {START}
         ! done d2d4
         < bestmove d2d4"
    ));
}

/// python-chess writes `searchmoves 0000` for an empty list of root moves.
#[test]
fn no_legal_searchmove_is_no_search() {
    uci("> go depth 2 searchmoves Nf3
         < info string searchmoves: 'Nf3' is not a move
         < bestmove (none)");
    uci("> go depth 2 searchmoves 0000 e2e5
         < info string searchmoves: '0000' is not a move
         < info string searchmoves: 'e2e5' is not legal here
         < bestmove (none)");
    uci("> go infinite searchmoves 0000
         < info string searchmoves: '0000' is not a move
         > isready
         < readyok
         > stop
         < bestmove (none)");
}

#[test]
fn infinite_and_bare_go_wait_for_stop() {
    for go in ["go infinite", "go"] {
        uci(&format!(
            "> {go}
             = go infinite at {START}
             ! line 1 10 e2e4
             < info depth 1 seldepth 3 multipv 1 score cp 10 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e2e4
             > isready
             < readyok
             > stop
             = stop
             < bestmove e2e4"
        ));
    }
}

#[test]
fn an_infinite_verdict_that_comes_early_is_held_back() {
    uci(&format!(
        "> go infinite
         = go infinite at {START}
         ! done e2e4
         > isready
         < readyok
         > ponderhit
         > stop
         < bestmove e2e4"
    ));
}

#[test]
fn a_ponder_search_speaks_after_ponderhit_or_stop() {
    uci("> position startpos moves e2e4 e7e5
         > go ponder wtime 1000 btime 1000
         = go ponder after e2e4 e7e5
         > ponderhit
         = ponderhit
         ! done g1f3 b8c6
         < bestmove g1f3 ponder b8c6
         > go ponder wtime 1000 btime 1000
         = go ponder after e2e4 e7e5
         > stop
         = stop
         < bestmove a2a3
         > go ponder wtime 1000 btime 1000
         = go ponder after e2e4 e7e5
         ! done g1f3
         > ponderhit
         < bestmove g1f3");
}

#[test]
fn stray_words_between_searches_do_nothing() {
    uci("> stop
         > ponderhit
         > debug on
         > debug off
         > register later
         > setoption name UCI_AnalyseMode value true
         > setoption name UCI_Opponent value GM 2800 human Gary Kasparov
         > isready
         < readyok");
}

#[test]
fn words_in_front_of_a_command_are_skipped() {
    uci("> joho isready\n< readyok\n>    isready   \n< readyok");
}

#[test]
fn nonsense_is_answered_with_an_error() {
    uci("> hello world
         < info string unknown command: hello (try help)
         > setoption Hash 3
         < info string setoption wants: name NAME [value VALUE]
         > setoption name Wings value 3
         < info string no such option: Wings
         > setoption name Hash value 0
         < info string option Hash: \"0\" is not a number from 1 to 33554432
         > setoption name Hash
         < info string option Hash wants a value
         > setoption name Scheme value none
         < info string option Scheme: \"none\" is not one of lazy, ybw
         > position
         < info string position wants: startpos | fen FEN, then optionally moves MOVE ...
         > debug
         < info string debug wants on or off");
}

#[test]
fn options_are_set_in_any_case_with_blanks_in_their_names() {
    uci(&format!(
        "> setoption name Threads value 4
         = threads 4
         > setoption name hash value 100
         = hash 100
         > setoption name clear hash
         = clear hash
         > setoption name MOVE OVERHEAD value 100
         > setoption name Scheme value YBW
         = option Scheme = ybw
         > setoption name SyzygyPath value /tables/3 4 5:/tables/6
         = option SyzygyPath = /tables/3 4 5:/tables/6
         > setoption  name  syzygy  path  value   /my  tables/\tthree   men
         = option SyzygyPath = /my  tables/\tthree   men
         > setoption name SyzygyPath value a value  b
         = option SyzygyPath = a value  b
         > setoption name SyzygyPath value <empty>
         = option SyzygyPath =
         > setoption name Clear Hash value
         = clear hash
         > setoption name MultiPV value 3
         > go depth 1
         = go depth=1 overhead=100ms multipv=3 at {START}
         ! line:1 1 5 e2e4
         < info depth 1 seldepth 3 multipv 1 score cp 5 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e2e4
         ! line:2 1 4 d2d4
         < info depth 1 seldepth 3 multipv 2 score cp 4 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv d2d4
         ! done e2e4
         < bestmove e2e4"
    ));
}

#[test]
fn time_may_be_counted_in_nodes() {
    uci(&format!(
        "> setoption name nodestime value 600
         > go movetime 50
         = go nodes=30000 at {START}
         ! done e2e4
         < bestmove e2e4
         > go wtime 30000 btime 1000 winc 100 binc 100
         = go nodes=660000 of the clock at {START}
         ! done e2e4
         < bestmove e2e4
         > go depth 5
         = go depth=5 at {START}
         ! done e2e4
         < bestmove e2e4
         > go infinite
         = go infinite at {START}
         > stop
         = stop
         < bestmove a2a3
         > go infinite wtime 30000 btime 30000
         = go clock=30s+0ns infinite at {START}
         > stop
         = stop
         < bestmove a2a3
         > setoption name NodesTime value 0
         > go movetime 50
         = go movetime=50ms at {START}
         ! done e2e4
         < bestmove e2e4"
    ));
}

#[test]
fn what_clients_only_tell_is_taken_in_silence() {
    uci("> setoption name UCI_Opponent value GM 2800 human Gary Kasparov
         > setoption name UCI_ShowCurrLine value true
         > setoption name uci_setpositionvalue value 30 fen 8/8/8/8/8/8/8/8 w - - 0 1
         > setoption name Ponder value true
         > setoption name UCI_LimitStrength value true
         = option UCI_LimitStrength = true
         > debug on
         > register name Stefan MK code 4359874324
         > isready
         < readyok");
}

/// python-chess says so before each analysis, which may have any limit, and takes it back before it asks for a move.
#[test]
fn a_client_says_which_searches_are_analyses() {
    uci(&format!(
        "> setoption name UCI_AnalyseMode value true
         > go movetime 50
         = go movetime=50ms analysis at {START}
         ! done e2e4
         < bestmove e2e4
         > go depth 5
         = go depth=5 analysis at {START}
         ! done e2e4
         < bestmove e2e4
         > go infinite
         = go infinite at {START}
         > setoption name UCI_AnalyseMode value false
         > stop
         = stop
         < bestmove a2a3
         > go movetime 50
         = go movetime=50ms at {START}
         ! done e2e4
         < bestmove e2e4"
    ));
}

#[test]
fn a_failing_brain_is_reported() {
    uci("> setoption name Hash value 200000\n= hash 200000\n< info string no memory for the table");
}

#[test]
fn commands_wait_behind_a_search() {
    uci(&format!(
        "> go depth 5
         = go depth=5 at {START}
         > setoption name Hash value 32
         > ucinewgame
         > position startpos moves d2d4
         > go depth 6
         > isready
         < readyok
         ! done e2e4
         < bestmove e2e4
         = hash 32
         = new game
         = go depth=6 after d2d4
         ! done d7d5
         < bestmove d7d5"
    ));
}

#[test]
fn stop_position_go_in_one_burst_loses_nothing() {
    uci(&format!(
        "> go infinite
         = go infinite at {START}
         > stop
         = stop
         < bestmove a2a3
         > position startpos moves c2c4
         > go infinite
         = go infinite after c2c4
         > go depth 2
         > stop
         = stop
         < bestmove a7a5
         = go depth=2 after c2c4
         = stop
         < bestmove a7a5
         > go infinite
         = go infinite after c2c4
         >> stop
         = stop
         >> setoption name Hash value 32
         >> ucinewgame
         >> position startpos moves d2d4
         > go depth 2
         < bestmove a7a5
         = hash 32
         = new game
         = go depth=2 after d2d4
         ! done g8f6
         < bestmove g8f6"
    ));
}

#[test]
fn a_ponder_hit_reaches_a_ponder_search_that_waits() {
    uci(&format!(
        "> go depth 5
         = go depth=5 at {START}
         > position startpos moves e2e4 e7e5
         > go ponder wtime 1000 btime 1000
         > ponderhit
         > isready
         < readyok
         ! done e2e4
         < bestmove e2e4
         = go ponder after e2e4 e7e5
         = ponderhit
         ! done g1f3
         < bestmove g1f3"
    ));
}

#[test]
fn a_word_reaches_its_search_whatever_waits_in_between() {
    uci(&format!(
        "> go depth 5
         = go depth=5 at {START}
         > go infinite
         > setoption name Hash value 32
         > go ponder wtime 1000 btime 1000
         > ucinewgame
         > ponderhit
         > stop
         = stop
         < bestmove a2a3
         = go infinite at {START}
         = stop
         < bestmove a2a3
         = hash 32
         = go ponder at {START}
         = ponderhit
         = stop
         < bestmove a2a3
         = new game"
    ));
}

/// A client that stops again and again while a search takes its time to end, as one on a crowded machine may.
#[test]
fn a_flood_of_stops_takes_no_room_from_what_waits() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Uci), &mut output, &mut brain);
    let mut say = |line: &str| assert!(session.input(Input::Line(line.into())).is_continue());
    say("go infinite");
    say("go infinite");
    (0..5000).for_each(|_| say("stop"));
    say("position startpos moves e2e4");
    say("go depth 1");
    say("stop");
    assert!(session.pump().is_continue());
    drop(session);
    let text = told.text();
    assert!(!text.contains("too many"), "refused");
    assert_eq!(text.matches("bestmove a2a3").count(), 2);
    assert!(text.ends_with("= go depth=1 after e2e4\n= stop\n< bestmove a7a5\n"), "{text}");
}

/// Before a session hears a command it may have been held up for seconds, by a table that is cleared.
#[test]
fn a_clock_runs_since_its_command_came() {
    // The line since which the last search counts its time.
    let since = |dialect, lines: &[&str]| {
        let script = Script::default();
        let (mut brain, mut output) = (ScriptedBrain(script.clone()), script.output());
        let mut session = Session::new(identity(), Some(dialect), &mut output, &mut brain);
        let began = Instant::now();
        let came = |line: usize| began + Duration::from_nanos(line as u64);
        for (number, &line) in lines.iter().enumerate() {
            assert!(session.heard(Input::Line(line.into()), came(number)).is_continue());
        }
        script.finish();
        assert!(session.pump().is_continue());
        let since = script.since().expect("a timed search");
        (0..lines.len()).find(|&line| came(line) == since)
    };
    let clock = "go wtime 1000 btime 1000";
    assert_eq!(since(Dialect::Uci, &["ucinewgame", clock]), Some(1));
    assert_eq!(since(Dialect::Xboard, &["new", "level 0 1 0", "go"]), Some(2));
    assert_eq!(since(Dialect::Xboard, &["new", "st 1", "e2e4"]), Some(2));
    let ended = ["go infinite", "stop", "setoption name Hash value 32"];
    assert_eq!(since(Dialect::Uci, &[&ended[..], &[clock]].concat()), Some(3));
    // That of a ponder search runs since its hit.
    let (ponder, hit) = ("go ponder wtime 1000 btime 1000", "ponderhit");
    assert_eq!(since(Dialect::Uci, &["ucinewgame", ponder, hit]), Some(2));
    assert_eq!(since(Dialect::Uci, &[&ended[..], &[ponder, "isready", hit]].concat()), Some(5));
    // A script's searches have their whole time, and so has one that waited for another to end.
    assert_eq!(since(Dialect::Uci, &["ucinewgame", "go movetime 1000"]), None);
    assert_eq!(since(Dialect::Uci, &["ucinewgame", "go ponder movetime 1000", hit]), None);
    assert_eq!(since(Dialect::Uci, &["stop", "go depth 1", clock]), None);
    assert_eq!(since(Dialect::Uci, &["go depth 1", ponder, hit]), None);
}

/// What was pondered before is the opponent's time.
#[test]
fn a_search_counts_its_time_from_the_ponder_hit_on() {
    let (mut brain, mut output) = (ScriptedBrain(Script::default()), std::io::sink());
    let mut driver = Driver::new(&mut brain, &mut output);
    let since = Instant::now().checked_sub(Duration::from_secs(1));
    assert!(since.is_some(), "the machine has run for a second");
    driver.go(Game::default(), Limits { ponder: true, since, ..Limits::default() }, false);
    let hit = Instant::now();
    driver.ponderhit(hit);
    assert_eq!(driver.search().map(|search| search.began), Some(hit));
}

/// More commands than any client sends are nothing to a script.
#[test]
fn a_long_script_is_carried_out() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Uci), &mut output, &mut brain);
    let mut say = |line: &str| assert!(session.input(Input::Line(line.into())).is_continue());
    say("go infinite");
    (0..10_000).for_each(|_| say("go depth 1"));
    assert!(!told.text().contains("too many"), "refused");
}

/// A client that waits for `readyok` before it starts the next game's clock gets it when the table is cleared, not
/// while a search or a count has still to end.
#[test]
fn ready_after_a_stopped_search_means_ready() {
    for (work, end) in [("go infinite", "< bestmove a2a3\n"), ("go perft 99", "")] {
        for (command, done) in [("ucinewgame", "= new game"), ("setoption name Hash value 32", "= hash 32")] {
            let script = Script::default();
            let (mut brain, mut output) = (ScriptedBrain(script.clone()), script.output());
            let told = script.output();
            let mut session = Session::new(identity(), Some(Dialect::Uci), &mut output, &mut brain);
            for line in [work, "isready", "stop", command, "isready"] {
                assert!(session.input(Input::Line(line.into())).is_continue());
            }
            assert_eq!(told.text().matches("readyok").count(), 1, "before the search has ended");
            assert!(matches!(session.input(Input::End), ControlFlow::Break(ExitReason::EndOfInput)));
            drop(session);
            let text = told.text();
            assert!(text.ends_with(&format!("{end}{done}\n< readyok\n")), "{text}");
        }
    }
}

#[test]
fn a_new_game_clears_what_was_learnt() {
    uci("> ucinewgame\n= new game\n> isready\n< readyok");
}

#[test]
fn no_move_at_the_root() {
    uci("> position fen 7k/5Q2/8/8/8/8/8/K7 b - - 0 1
         > go depth 3
         < info depth 0 seldepth 0 multipv 1 score cp 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         < bestmove (none)
         > position startpos moves f2f3 e7e5 g2g4 d8h4
         > go wtime 1 btime 1
         < info depth 0 seldepth 0 multipv 1 score mate 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         < bestmove (none)
         > go infinite
         < info depth 0 seldepth 0 multipv 1 score mate 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         > isready
         < readyok
         > stop
         < bestmove (none)
         > go ponder wtime 1000 btime 1000
         < info depth 0 seldepth 0 multipv 1 score mate 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         > isready
         < readyok
         > ponderhit
         < bestmove (none)
         > go infinite searchmoves e2e4
         < info string searchmoves: 'e2e4' is not legal here
         < info depth 0 seldepth 0 multipv 1 score mate 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         > stop
         < bestmove (none)");
}

#[test]
fn mates_are_counted_in_moves() {
    uci("> position fen 7k/8/5K2/6Q1/8/8/8/8 w - - 0 1
         > go depth 3
         = go depth=3 at 7k/8/5K2/6Q1/8/8/8/8 w - - 0 1
         ! line 3 #1 g5g7
         < info depth 3 seldepth 5 multipv 1 score mate 1 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv g5g7
         ! line 3 -#4 g5g6
         < info depth 3 seldepth 5 multipv 1 score mate -2 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv g5g6
         ! done
         < bestmove g5g6");
}

#[test]
fn short_fens_and_chess960_fens_are_taken() {
    for (fen, full) in [
        ("7k/8/5K2/6Q1/8/8/8/8 w - -", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 3", "7k/8/5K2/6Q1/8/8/8/8 w - - 3 1"),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3", "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"),
    ] {
        uci(&format!("> position fen {fen}\n> go depth 1\n= go depth=1 at {full}"));
        uci(&format!("> position {fen}\n> go depth 1\n= go depth=1 at {full}"));
    }
}

/// What suites are made of may be pasted whole. The en passant square is believed only where a capture is
/// possible.
#[test]
fn epd_lines_x_fens_and_odd_en_passant_squares_are_taken() {
    for (given, full) in [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - bm Qg7#; id \"mate 1\";", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - hmvc 7; fmvn 40;", "7k/8/5K2/6Q1/8/8/8/8 w - - 7 40"),
        ("1r3k1r/8/8/8/8/8/8/1R3K1R w KQkq - 3 9", "1r3k1r/8/8/8/8/8/8/1R3K1R w KQkq - 3 9"),
        ("1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 3 9", "1r3k1r/8/8/8/8/8/8/1R3K1R w KQkq - 3 9"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e6 0 1", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1"),
    ] {
        uci(&format!("> position fen {given}\n> go depth 1\n= go depth=1 at {full}"));
    }
}

#[test]
fn either_side_may_have_the_only_clock() {
    for (moves, words, asked) in [
        ("e2e4", "btime 100", "clock=100ms+0ns"),
        ("e2e4", "wtime 100", "clock=100ms+0ns"),
        ("e2e4", "btime 100 binc 100 wtime 900 winc 900", "clock=100ms+100ms"),
        ("e2e4 e7e5", "wtime 100 winc 7", "clock=100ms+7ms"),
        ("e2e4 e7e5", "btime 100", "clock=100ms+0ns"),
        ("e2e4 e7e5", "wtime 0 btime 900", "clock=0ns+0ns"),
    ] {
        uci(&format!("> position startpos moves {moves}\n> go {words}\n= go {asked} after {moves}"));
    }
}

/// The words of `fastchess --compliance`, as its source has them, each search with a line before its move.
#[test]
fn fastchess_tries_an_engine() {
    const FEN: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
    let line = "multipv 1 score cp 5 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv";
    let search = |position: &str, go: &str, asked: &str, mv: &str| {
        format!(
            "> position {position}
             > {go}
             = go {asked}
             ! line 1 5 {mv}
             < info depth 1 seldepth 3 {line} {mv}
             ! done
             < bestmove {mv}
             > isready
             < readyok\n"
        )
    };
    let black = FEN.replace(" w ", " b ");
    let mut script = String::from("> isready\n< readyok\n> ucinewgame\n= new game\n> isready\n< readyok\n");
    script += &search(&format!("fen {FEN}"), "go wtime 100", &format!("clock=100ms+0ns at {FEN}"), "f1f7");
    script +=
        &search(&format!("fen {black}"), "go btime 100", &format!("clock=100ms+0ns at {black}"), "d8d3");
    for go in ["go wtime 100 winc 100 btime 100 binc 100", "go btime 100 binc 100 wtime 100 winc 100"] {
        script += &search("startpos", go, &format!("clock=100ms+100ms at {START}"), "e2e4");
    }
    let last = "startpos moves e2e4 e7e5";
    script += &search(last, "go wtime 100 btime 100", "clock=100ms+0ns after e2e4 e7e5", "g1f3");
    uci(&script);
}

#[test]
fn a_refused_position_is_never_searched() {
    uci("> position fen 8/8/8/8/8/8/8/8 w - - 0 1
         < info string position refused: illegal position: White has no king
         > go depth 3
         < info string no position to search: illegal position: White has no king
         < bestmove (none)
         > go infinite searchmoves e2e5
         < info string no position to search: illegal position: White has no king
         > isready
         < readyok
         > stop
         < bestmove (none)
         > go ponder wtime 1000 btime 1000
         < info string no position to search: illegal position: White has no king
         > isready
         < readyok
         > ponderhit
         < bestmove (none)
         > go perft 2
         < info string no position to search: illegal position: White has no king
         > d
         < info string no position: illegal position: White has no king
         > position startpos moves e2e4 e2e4
         < info string position refused: move 2: 'e2e4' is not legal here
         > go depth 3
         < info string no position to search: move 2: 'e2e4' is not legal here
         < bestmove (none)
         > position fen 8/8/8/8/3k4/8/8/KR6 w - - ? 1
         < info string position refused: FEN half-move clock: expected a number from 0 to 9999, found '?'
         > go depth 3
         < info string no position to search: FEN half-move clock: expected a number from 0 to 9999, found '?'
         < bestmove (none)
         > position startpos
         > go depth 3
         = go depth=3 at rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
}

/// Moves behind a FEN without the word `moves` are neither dropped in silence nor operations of a test suite.
#[test]
fn moves_without_their_word_are_refused() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let refusal = |words: &str| format!("FEN has more than 6 fields, the first extra one is '{words}'");
    for (line, says) in [
        (format!("{start} 0 1 e2e4 e7e5"), refusal("e2e4")),
        (format!("{start} 0 1 e7e5"), refusal("e7e5")),
        (format!("{start} 0 1 Moves e2e4"), refusal("Moves")),
        (format!("{start} 0 1 move e2e4"), refusal("move")),
    ] {
        uci(&format!(
            "> position startpos moves e2e4
             > position fen {line}
             < info string position refused: {says}
             > go depth 3
             < info string no position to search: {says}
             < bestmove (none)"
        ));
    }
    uci(&format!(
        "> position fen {start} bm e4; id \"e2e4\";
         > go depth 3
         = go depth=3 at {start} 0 1"
    ));
}

/// The client believes that what it sent is now the position.
#[test]
fn a_position_that_cannot_be_read_is_never_searched() {
    let wants = "position wants: startpos | fen FEN, then optionally moves MOVE ...";
    for line in [
        "position",
        "position fen",
        "position fen moves d2d4",
        "position moves d2d4",
        "position startpos d2d4",
        "joho position",
    ] {
        uci(&format!(
            "> position startpos moves e2e4
             > {line}
             < info string {wants}
             > go depth 3
             < info string no position to search: {wants}
             < bestmove (none)
             > d
             < info string no position: {wants}
             > position startpos moves c2c4
             > go depth 3
             = go depth=3 after c2c4
             > {line}
             > go depth 4
             ! done c7c5
             < bestmove c7c5
             < info string {wants}
             < info string no position to search: {wants}
             < bestmove (none)"
        ));
    }
}

/// Only a line that may have brought another position matters.
#[test]
fn a_position_too_long_to_be_read_is_never_searched() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Uci), &mut output, &mut brain);
    let long = |line: &str| Input::TooLong(line.into());
    for input in [
        long("setoption name Hash value 1"),
        long("go depth 3"),
        long("xxx"),
        long("position startpos moves e2e4"),
        Input::Line("go depth 3".into()),
    ] {
        assert!(session.input(input).is_continue());
    }
    assert!(session.pump().is_continue());
    drop(session);
    let ignored = "< info string line too long, ignored\n".repeat(3);
    assert_eq!(
        told.text(),
        ignored
            + "< info string position: line too long\n\
               < info string no position to search: position: line too long\n< bestmove (none)\n"
    );
}

/// A client that sends more than can wait behind a search.
#[test]
fn a_position_that_found_no_room_is_never_searched() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Uci), &mut output, &mut brain);
    let mut say = |line: &str| assert!(session.input(Input::Line(line.into())).is_continue());
    say("go depth 1");
    let long = format!("position fen {}", "x".repeat(250_000));
    (0..80).for_each(|_| say(&long));
    script.finish();
    assert!(session.pump().is_continue());
    assert!(session.input(Input::Line("go depth 2".into())).is_continue());
    assert!(session.pump().is_continue());
    drop(session);
    assert!(told.text().ends_with("wait behind the search\n< bestmove (none)\n"), "{}", told.text());
}

/// What has waited and was carried out takes no room any more, be it long or short.
#[test]
fn as_many_commands_as_before_find_room_behind_the_next_search() {
    let script = Script::default();
    let (mut brain, mut output, told) = (ScriptedBrain(script.clone()), script.output(), script.output());
    let mut session = Session::new(identity(), Some(Dialect::Uci), &mut output, &mut brain);
    // How often a command has been refused, once this one was sent so many times behind a search that then ended.
    let mut refused = |line: &str, times: usize| {
        let mut say = |line: &str| assert!(session.input(Input::Line(line.into())).is_continue());
        say("position startpos");
        say("go depth 1");
        (0..times).for_each(|_| say(line));
        script.finish();
        assert!(session.pump().is_continue());
        told.text().matches("too many commands wait behind the search, ignored").count()
    };
    let long = format!("position startpos{}", " ".repeat(250_000));
    let first = refused(&long, 70);
    assert!(first > 0, "there is room for them all");
    assert_eq!(refused("position startpos", 5000), first);
    assert_eq!(refused(&long, 70), 2 * first);
}

#[test]
fn castling_is_written_as_the_client_asked() {
    const FEN: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let line =
        "info depth 1 seldepth 3 multipv 1 score cp 0 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv";
    uci(&format!(
        "> position fen {FEN}
         > go depth 1
         = go depth=1 at {FEN}
         ! line 1 0 e1g1 e8c8
         < {line} e1g1 e8c8
         ! done
         < bestmove e1g1 ponder e8c8
         > setoption name UCI_Chess960 value true
         > position fen {FEN} moves e1h1
         > go depth 1
         = go depth=1 after e1h1
         ! line 1 0 e8a8
         < {line} e8a8
         ! done
         < bestmove e8a8"
    ));
}

#[test]
fn chess960_positions_castle_by_king_takes_rook_without_being_asked() {
    const FEN: &str = "1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1";
    uci(&format!(
        "> position fen {FEN}\n> go depth 1\n= go depth=1 at {}\n! done f1h1\n< bestmove f1h1",
        "1r3k1r/8/8/8/8/8/8/1R3K1R w KQkq - 0 1"
    ));
}

/// The rook from a1 has moved: castling is written as in chess, unless the client says that this is Chess960.
#[test]
fn a_stale_castling_right_does_not_make_chess960() {
    const BOARD: &str = "r3k2r/8/8/8/8/8/8/1R2K2R w";
    uci(&format!(
        "> position fen {BOARD} KQkq - 0 1
         > go depth 1
         = go depth=1 at {BOARD} Kkq - 0 1
         ! done e1g1
         < bestmove e1g1
         > setoption name UCI_Chess960 value true
         > position fen {BOARD} KQkq - 0 1
         > go depth 1
         = go depth=1 at {BOARD} KBkq - 0 1
         ! done e1h1
         < bestmove e1h1"
    ));
}

#[test]
fn the_wdl_model_is_printed_on_demand() {
    uci(&format!(
        "> setoption name UCI_ShowWDL value true
         > go depth 1
         = go depth=1 at {START}
         ! line 1 #5 e2e4
         < info depth 1 seldepth 3 multipv 1 score mate 3 wdl 1000 0 0 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e2e4
         ! done e2e4
         < bestmove e2e4
         > position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1
         > go depth 1
         < info depth 0 seldepth 0 multipv 1 score mate 0 wdl 0 0 1000 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         < bestmove (none)
         > position fen 7k/5Q2/8/8/8/8/8/K7 b - - 0 1
         > go depth 1
         < info depth 0 seldepth 0 multipv 1 score cp 0 wdl 0 1000 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0
         < bestmove (none)"
    ));
}

#[test]
fn lines_stop_at_the_end_of_the_game() {
    uci("> position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1
         > go depth 9
         = go depth=9 after g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1
         ! line 9 0 f6g8 e2e4 e7e5
         < info depth 9 seldepth 11 multipv 1 score cp 0 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv f6g8
         ! done f6g8 e2e4
         < bestmove f6g8");
}

#[test]
fn a_move_chosen_by_vote_is_preceded_by_its_line() {
    uci(&format!(
        "> go depth 2
         = go depth=2 at {START}
         ! line:1 2 30 d2d4
         < info depth 2 seldepth 4 multipv 1 score cp 30 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv d2d4
         ! line:2 2 20 e2e4
         < info depth 2 seldepth 4 multipv 2 score cp 20 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e2e4
         ! done e2e4
         < info depth 2 seldepth 4 multipv 1 score cp 20 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv e2e4
         < bestmove e2e4"
    ));
}

#[test]
fn a_search_that_dies_still_gives_a_move() {
    uci(&format!(
        "> go depth 2
         = go depth=2 at {START}
         ! line 1 30 d2d4
         < info depth 1 seldepth 3 multipv 1 score cp 30 nodes 1000 nps 2000 hashfull 7 tbhits 0 time 500 pv d2d4
         ! die
         < info string the search ended without a verdict
         < bestmove d2d4"
    ));
}

#[test]
fn quit_and_the_end_of_input_leave_at_once() {
    assert!(matches!(uci("> quit"), Some(ExitReason::Quit)));
    assert!(matches!(uci("> EOF"), Some(ExitReason::EndOfInput)));
    let reason = uci(&format!("> go infinite\n= go infinite at {START}\n> quit"));
    assert!(matches!(reason, Some(ExitReason::Quit)));
    uci(&format!(
        "> setoption name nodestime value 600
         > go wtime 30000 btime 30000
         = go nodes=600000 of the clock at {START}
         > EOF
         = stop
         < bestmove a2a3"
    ));
    let reason = uci(&format!("> go infinite\n= go infinite at {START}\n> EOF\n= stop\n< bestmove a2a3"));
    assert!(matches!(reason, Some(ExitReason::EndOfInput)));
}

#[test]
fn helpers_for_people() {
    uci("> position startpos moves e2e4
         > flip
         > eval
         < Evaluation: 12
         < Material: 12
         > d
         <  +---+---+---+---+---+---+---+---+
         <  | r | n | b | q | k | b | n | r | 8
         <  +---+---+---+---+---+---+---+---+
         <  | p | p | p | p |   | p | p | p | 7
         <  +---+---+---+---+---+---+---+---+
         <  |   |   |   |   |   |   |   |   | 6
         <  +---+---+---+---+---+---+---+---+
         <  |   |   |   |   | p |   |   |   | 5
         <  +---+---+---+---+---+---+---+---+
         <  |   |   |   |   |   |   |   |   | 4
         <  +---+---+---+---+---+---+---+---+
         <  |   |   |   |   |   |   |   |   | 3
         <  +---+---+---+---+---+---+---+---+
         <  | P | P | P | P | P | P | P | P | 2
         <  +---+---+---+---+---+---+---+---+
         <  | R | N | B | Q | K | B | N | R | 1
         <  +---+---+---+---+---+---+---+---+
         <    a   b   c   d   e   f   g   h
         <
         < Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
         < Key: KEY
         < Checkers:
         > compiler
         < rustc 1.95
         > license
         < Free software under the GNU General Public License, version 3 or later."
        .replace("KEY", &key("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"))
        .as_str());
}

fn key(fen: &str) -> String {
    format!("{:016X}", chess::Position::from_fen(fen).unwrap().key())
}
