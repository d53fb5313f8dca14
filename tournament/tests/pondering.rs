//! What an engine that ponders is told to think about.

use std::fs;
use std::time::Duration;

use crate::support::{executable, plan, play, words_of};
use shakmaty::{Chess, Position};
use tournament::openings::{Book, Reading};
use tournament::record::Ending;
use tournament::runner::RunEnd;
use tournament::schedule::{Format, Schedule};
use tournament::trial::try_engine;

/// The fool's mate, both sides foreseeing every move, and a note of every position that is to be pondered.
const ENGINE: &str = r#"#!/bin/sh
answer() {
    case "$position" in
        *"moves f2f3 e7e5 g2g4") echo "bestmove d8h4 ponder a1a1" ;;
        *"moves f2f3 e7e5") echo "bestmove g2g4 ponder d8h4" ;;
        *"moves f2f3") echo "bestmove e7e5 ponder g2g4" ;;
        *) echo "bestmove f2f3 ponder e7e5" ;;
    esac
}
while read -r line; do
    case "$line" in
        uci) echo "option name Ponder type check default false"; echo uciok ;;
        isready) echo readyok ;;
        position*) position="$line" ;;
        "go ponder"*) echo "$position" >>"$1" ;;
        go* | ponderhit) answer ;;
        stop) echo "bestmove a2a3" ;;
        quit) exit 0 ;;
    esac
done
"#;

/// A move that ends the game leaves nothing to think about: shakmaty says where that is.
#[test]
fn nothing_is_pondered_where_the_game_is_over() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, log, book) =
        (dir.path().join("engine"), dir.path().join("log"), dir.path().join("book.epd"));
    executable(&engine, ENGINE);
    fs::write(&book, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    let line = |name: &str| {
        [words_of(name, &engine, "proto=uci ponder=on"), vec![format!("arg={}", log.display())]].concat()
    };
    let mut plan = plan(&[line("A"), line("B")], "tc=60", Format::RoundRobin, 1, 2);
    let reading = Reading::WHOLE;
    plan.book = Book::from_file(&book, reading).unwrap();
    let (end, _, games) = play(&mut plan);
    assert_eq!(end, RunEnd::Complete);
    assert!(games.iter().all(|game| game.ending == Ending::Checkmate), "{games:?}");
    // It is used on the opponent's time as well, and could not be held against the own clock.
    assert!(games.iter().all(|game| game.cpu_ms.is_none()), "{games:?}");
    let pondered = fs::read_to_string(&log).unwrap();
    let positions: Vec<Vec<&str>> = pondered
        .lines()
        .map(|line| line.split_once(" moves ").map_or(Vec::new(), |(_, moves)| moves.split(' ').collect()))
        .collect();
    // Two games: White ponders after its first move, Black after its.
    assert_eq!(positions.len(), 4, "{pondered}");
    for moves in positions {
        let mut position = Chess::default();
        for mv in moves {
            let mv = mv.parse::<shakmaty::uci::UciMove>().unwrap().to_move(&position).unwrap();
            position = position.play(mv).unwrap();
        }
        assert!(!position.is_game_over(), "{pondered}");
    }
}

/// An engine without the option `Ponder` need not know what `go ponder` is: this one ends at it. What its player was
/// to do, and does not, is told when it is tried.
#[test]
fn an_engine_without_the_option_does_not_ponder() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    let without = ENGINE.replace("echo \"option name Ponder type check default false\"; ", "");
    let without = without.replace("echo \"$position\" >>\"$1\"", "exit 1");
    let line = |name: &str| words_of(name, &engine, "arg=/dev/null proto=uci ponder=on");
    assert!(!without.contains("Ponder") && without.contains("exit 1"), "{without}");
    let says = "it has no option `Ponder`: it does not ponder";
    for (script, doubt) in [(ENGINE, None), (without.as_str(), Some(says))] {
        executable(&engine, script);
        let mut plan = plan(&[line("A"), line("B")], "tc=60", Format::RoundRobin, 1, 2);
        plan.book = Book::startpos();
        let tried = try_engine(&plan.conditions.players[0], false, &[]).unwrap();
        assert_eq!(tried.doubts, Vec::from_iter(doubt));
        let (end, _, games) = play(&mut plan);
        assert_eq!((end, games.len()), (RunEnd::Complete, 2));
        assert!(games.iter().all(|game| game.ending == Ending::Checkmate), "{games:?}");
    }
}

/// The fool's mate. Black foresees White's second move: it says something of that search at once, and answers when the
/// move is made, for which White takes its time.
const FORESEES: &str = r#"#!/bin/sh
while read -r line; do
    case "$line" in
        uci) echo "option name Ponder type check default false"; echo uciok ;;
        isready) echo readyok ;;
        *"moves f2f3 e7e5 g2g4") move="d8h4" ;;
        *"moves f2f3 e7e5") move="g2g4" ;;
        *"moves f2f3") move="e7e5 ponder g2g4" ;;
        position*) move="f2f3" ;;
        "go ponder"*) echo "info depth 1 score cp 5 time 2900 nodes 20 pv d8h4" ;;
        go*)
            [ "$move" = g2g4 ] && sleep 3
            echo "bestmove $move" ;;
        ponderhit) echo "bestmove $move" ;;
        quit) exit 0 ;;
    esac
done
"#;

/// A player without a clock is waited for from the question on: what it said on its opponent's time is older than
/// that, and may be older than its patience is long.
#[test]
fn silence_after_a_ponder_hit_counts_from_the_hit() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    executable(&engine, FORESEES);
    let line = |name: &str, more: &str| words_of(name, &engine, &format!("proto=uci {more}"));
    let lines = [line("Slow", "tc=60"), line("Ponders", "depth=9 ponder=on")];
    let mut plan = plan(&lines, "tc=60", Format::RoundRobin, 1, 2);
    plan.schedule = Schedule::new(Format::RoundRobin, 2, 1, true);
    plan.conditions.silence = Duration::from_secs(2);
    plan.book = Book::startpos();
    let (end, _, games) = play(&mut plan);
    assert_eq!((end, games.len()), (RunEnd::Complete, 1));
    let game = &games[0];
    assert_eq!((game.black, game.ending), (1, Ending::Checkmate), "{}", game.reason);
    // It has counted its time from before its clock ran.
    let last = game.moves.last().unwrap();
    assert_eq!((last.nodes, last.reported_ms, last.latency_ms()), (Some(20), None, None));
}

/// An engine that works for twenty ticks of its processor time at every `ucinewgame`, and writes down how many it has
/// used by then, and by its end. proc(5): `utime` and `stime` are the fields 14 and 15 of `stat`, the name in
/// parentheses is the second.
const SLOW_TO_BEGIN: &str = r#"#!/bin/sh
used() {
    read -r stat <"/proc/$$/stat"
    set -- ${stat##*)}
    ticks=$((${12} + ${13}))
}
while read -r line; do
    case "$line" in
        uci) echo uciok ;;
        ucinewgame)
            used
            begun=$ticks
            while [ $((ticks - begun)) -lt 20 ]; do used; done
            echo "$ticks" >>"$1" ;;
        isready) echo readyok ;;
        *"moves f2f3 e7e5 g2g4") move=d8h4 ;;
        *"moves f2f3 e7e5") move=g2g4 ;;
        *"moves f2f3") move=e7e5 ;;
        position*) move=f2f3 ;;
        go*) echo "bestmove $move" ;;
        quit) break ;;
    esac
done
used
echo "$ticks" >>"$1"
"#;

/// What an engine computes before its first move is on no clock, and not in its processor time of the game: both
/// together are no more than it has used at its end.
#[test]
#[cfg(target_os = "linux")]
fn processor_time_begins_with_the_first_move() {
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine");
    executable(&engine, SLOW_TO_BEGIN);
    let log = |name: &str| dir.path().join(name);
    let line = |name: &str| {
        [words_of(name, &engine, "proto=uci"), vec![format!("arg={}", log(name).display())]].concat()
    };
    let mut plan = plan(&[line("A"), line("B")], "tc=60", Format::RoundRobin, 1, 2);
    plan.schedule = Schedule::new(Format::RoundRobin, 2, 1, true);
    plan.book = Book::startpos();
    let (end, _, games) = play(&mut plan);
    assert_eq!((end, games.len(), games[0].white), (RunEnd::Complete, 1, 0));
    let used = games[0].cpu_ms.expect("the system knows it");
    for (name, used) in ["A", "B"].into_iter().zip(used) {
        let written = fs::read_to_string(log(name)).unwrap();
        let ticks: Vec<u64> = written.lines().map(|line| line.parse().unwrap()).collect();
        let [before, all] = ticks[..] else { panic!("{name}: {written}") };
        // Of 10 ms. Both read whole ticks, and the runner may see one late.
        assert!(10 * before + used <= 10 * (all + 5), "{name}: {before} of {all} ticks, and then {used} ms");
    }
}
