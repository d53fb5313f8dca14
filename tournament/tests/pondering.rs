//! What an engine that ponders is told to think about.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{plan, play};
use shakmaty::{Chess, Position};
use tournament::openings::{Book, Reading};
use tournament::record::Ending;
use tournament::runner::RunEnd;
use tournament::schedule::Format;

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
    fs::write(&engine, ENGINE).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&book, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    let line = |name: &str| {
        format!("name={name} cmd={} arg={} proto=uci ponder=on", engine.display(), log.display())
    };
    let mut plan = plan(&[line("A"), line("B")], "tc=60", Format::RoundRobin, 1, 2);
    let reading = Reading::WHOLE;
    plan.book = Book::from_file(&book, reading).unwrap();
    let (end, _, games) = play(&mut plan);
    assert_eq!(end, RunEnd::Complete);
    assert!(games.iter().all(|game| game.ending == Ending::Checkmate), "{games:?}");
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
