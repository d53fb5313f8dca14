//! UCI over the real binary, as a client holds it.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use tests::Dialogue;

const KIWIPETE: &str = "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// The word after `key`.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|word| *word != key).nth(1)
}

/// The moves after `pv`.
fn line_of(info: &str) -> Vec<&str> {
    info.split_once(" pv ").map(|(_, moves)| moves.split(' ').collect()).unwrap_or_default()
}

#[test]
fn the_greeting_names_engine_and_options() {
    let mut engine = Dialogue::start(&["uci"]);
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("id name Firstborn")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("id author ")));
    for option in ["Threads", "Hash", "MultiPV", "Ponder", "UCI_Chess960", "Clear Hash", "Move Overhead"] {
        let wanted = format!("option name {option} type ");
        assert!(lines.iter().any(|line| line.starts_with(&wanted)), "{option}");
    }
    assert!(engine.quit().is_empty());
}

/// Positions of random games, with the game's moves, as the oracle plays them.
fn random_games(count: usize, seed: u64) -> Vec<(Chess, Vec<String>)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut games = Vec::new();
    while games.len() < count {
        let (mut position, mut moves) = (Chess::default(), Vec::new());
        for _ in 0..random.random_range(0..90) {
            let legal = position.legal_moves();
            let Some(mv) = legal.as_slice().choose(&mut random) else { break };
            moves.push(mv.to_uci(CastlingMode::Standard).to_string());
            position.play_unchecked(*mv);
        }
        if !position.is_game_over() {
            games.push((position, moves));
        }
    }
    games
}

/// Plays a line for the oracle, which refuses what is illegal.
fn play_out(start: &Chess, moves: &[&str]) -> Result<(), String> {
    let mut position = start.clone();
    for text in moves {
        let fen = Fen::from_position(&position, EnPassantMode::Legal);
        let uci: UciMove = text.parse().map_err(|_| format!("{text} is no move"))?;
        let mv = uci.to_move(&position).map_err(|_| format!("{text} is illegal in {fen}"))?;
        position.play_unchecked(mv);
    }
    Ok(())
}

/// What an unfinished first iteration says: one line of depth 0 with the static evaluation, and its move. A search that
/// came further says nothing of depth 0.
fn check_hasty(said: &[String], fen: &str, how: &str) {
    let infos: Vec<&String> = said.iter().filter(|line| line.contains(" score ")).collect();
    let context = format!("{how} at {fen}: {said:#?}");
    let first_ranked = infos.iter().rfind(|line| line.contains(" multipv 1 "));
    let last = first_ranked.unwrap_or_else(|| panic!("no score: {context}"));
    let depth = |info: &str| field(info, "depth").and_then(|depth| depth.parse::<u32>().ok());
    let bare: Vec<&&String> = infos.iter().filter(|info| depth(info) == Some(0)).collect();
    if let [info] = bare[..] {
        assert_eq!((infos.len(), field(info, "score")), (1, Some("cp")), "{context}");
        assert_eq!(line_of(info).len(), 1, "{context}");
    } else {
        assert!(bare.is_empty(), "{context}");
    }
    let best = said.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
    assert_eq!(line_of(last).first(), Some(&best), "{context}");
    let fen: Fen = fen.parse().expect("a FEN");
    let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal position");
    play_out(&position, &[best]).unwrap_or_else(|error| panic!("{error}: {context}"));
}

/// A position with much to do, one in check, one with a single legal move, and a mate in one.
const HASTY: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",
    "k7/8/8/8/8/8/1r6/K7 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
];

#[test]
fn a_search_that_ends_in_its_first_iteration_tells_the_static_evaluation() {
    let mut engine = Dialogue::uci(&["setoption name Hash value 1"]);
    for scheme in smp::schemes::Scheme::ALL {
        engine.send(&format!("setoption name Scheme value {}", scheme.name()));
        for (threads, multipv) in [(1, 1), (1, 3), (2, 1), (3, 2), (8, 1)] {
            engine.send(&format!("setoption name Threads value {threads}"));
            engine.send(&format!("setoption name MultiPV value {multipv}"));
            for fen in HASTY {
                // Most of the time would be that of forgetting, if every search began with it.
                engine.send(&format!("ucinewgame\nposition fen {fen}"));
                for go in [
                    "go nodes 1",
                    "go nodes 2",
                    "go nodes 30",
                    "go infinite\nstop",
                    "go depth 9 nodes 1",
                    "go movetime 0",
                ] {
                    engine.send(go);
                    let said = engine.until("bestmove");
                    if threads == 1 && go == "go nodes 1" {
                        assert!(said.iter().any(|line| line.starts_with("info depth 0 ")), "{said:?}");
                    }
                    check_hasty(&said, fen, &format!("{go}, {threads} threads of {}", scheme.name()));
                }
            }
        }
    }
    engine.send("setoption name Threads value 1");
    engine.send("position fen rnb1kbnr/ppp1pppp/8/3q4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3\ngo nodes 1");
    assert_eq!(
        engine.until("bestmove").last().map(String::as_str),
        Some("bestmove e4d5"),
        "a winning capture comes first"
    );
    engine.send("go nodes 1 searchmoves h2h4");
    assert_eq!(engine.until("bestmove").last().map(String::as_str), Some("bestmove h2h4"));
    engine.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo nodes 1");
    assert!(engine.until("bestmove (none)").iter().any(|line| line.contains("score cp 0")));
    engine.quit();
}

/// The client waits for a move, not for ever.
#[test]
fn a_search_whose_limit_cannot_be_read_ends_by_itself() {
    let mut engine = Dialogue::uci(&["position startpos"]);
    for go in ["go movetime 1e2", "go movetime", "go nodes -", "go wtime x btime y"] {
        engine.send(go);
        let said = engine.until("bestmove");
        assert!(said[0].starts_with("info string go "), "{said:?}");
    }
    engine.quit();
}

#[test]
fn every_line_printed_is_legal() {
    let mut engine = Dialogue::uci(&["setoption name Threads value 2", "setoption name MultiPV value 3"]);
    let mut lines = 0;
    for (position, moves) in random_games(200, 5) {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        engine.send("go nodes 3000");
        let said = engine.until("bestmove");
        for line in said.iter().filter(|line| line.contains(" pv ")) {
            play_out(&position, &line_of(line))
                .unwrap_or_else(|fault| panic!("{fault}: {line}\nafter {moves:?}"));
            lines += 1;
        }
        let last = said.last().unwrap();
        let best = field(last, "bestmove").unwrap();
        let mut played = vec![best];
        played.extend(field(last, "ponder"));
        play_out(&position, &played).unwrap_or_else(|fault| panic!("{fault}: {last}\nafter {moves:?}"));
        let told = said.iter().rfind(|line| field(line, "multipv") == Some("1") && line.contains(" pv "));
        assert_eq!(told.map(|line| line_of(line)[0]), Some(best), "{said:?}");
    }
    assert!(lines > 600, "only {lines} lines: the test tests nothing");
    engine.quit();
}

/// What a search says, without what the clock puts in.
fn timeless(lines: &[String]) -> Vec<String> {
    let strip = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let clock = |word: &str| ["time", "nps"].contains(&word);
        let kept = (0..words.len()).filter(|&i| !clock(words[i]) && (i == 0 || !clock(words[i - 1])));
        kept.map(|i| words[i]).collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(strip).collect()
}

/// Stockfish's `tests/reprosearch.sh`: a new game forgets everything that a search could feel.
#[test]
fn a_search_after_ucinewgame_is_the_same_to_the_node() {
    let mut engine = Dialogue::uci(&["setoption name Threads value 1"]);
    let mut search = |nodes: u64| {
        engine.send("ucinewgame");
        engine.send(KIWIPETE);
        engine.send(&format!("go nodes {nodes}"));
        let first = timeless(&engine.until("bestmove"));
        // A second search with the memory of the first must not reach beyond the next ucinewgame.
        engine.send("position startpos moves e2e4");
        engine.send(&format!("go nodes {nodes}"));
        engine.until("bestmove");
        first
    };
    for number in 1..=20 {
        let nodes = number * 1733;
        assert_eq!(search(nodes), search(nodes), "go nodes {nodes}");
    }
    engine.quit();
}

#[test]
fn stop_is_obeyed_in_every_kind_of_search() {
    let mut engine = Dialogue::uci(&["setoption name Threads value 3", KIWIPETE]);
    for go in
        ["go", "go infinite", "go ponder wtime 1000 btime 1000", "go movetime 100000000", "go depth 200"]
    {
        for _ in 0..5 {
            engine.send(go);
            engine.until("info depth ");
            engine.send("stop");
            engine.until("bestmove ");
            assert!(engine.ready().is_empty(), "nothing is said after the move");
        }
    }
    // Not even one line need have been told.
    for _ in 0..100 {
        engine.send("go infinite");
        engine.send("stop");
        engine.until("bestmove ");
    }
    engine.send("stop");
    assert!(engine.ready().is_empty(), "a stop without a search says nothing");
    engine.quit();
}

/// A count that would take longer than the universe has, stopped at whatever moment the machine has reached.
#[test]
fn stop_ends_a_perft_anywhere_in_the_tree() {
    let mut engine = Dialogue::start(&["uci"]);
    for _ in 0..20 {
        engine.send(KIWIPETE);
        engine.send("go perft 99");
        engine.ready();
        engine.send("stop");
        engine.send("go depth 1 searchmoves e1g1");
        assert!(engine.until("bestmove").last().is_some_and(|line| line.starts_with("bestmove e1g1")));
    }
    engine.quit();
}

#[test]
fn isready_is_answered_in_mid_search() {
    let mut engine = Dialogue::uci(&[KIWIPETE]);
    engine.send("go infinite");
    engine.until("info depth 3 ");
    for _ in 0..20 {
        let said = engine.ready();
        assert!(said.iter().all(|line| line.starts_with("info ")), "{said:?}");
    }
    engine.send("stop");
    engine.until("bestmove ");
    engine.quit();
}

/// Clients show the move being searched, and want to hear of it only where a search takes long (three seconds).
#[test]
fn the_current_move_is_told_in_long_searches_only() {
    let mut engine = Dialogue::uci(&[KIWIPETE]);
    engine.send("go infinite");
    let said = engine.until_line("currmove", |line| line.contains(" currmove "));
    let last = said.last().unwrap();
    let number: usize = field(last, "currmovenumber").and_then(|text| text.parse().ok()).expect("a number");
    assert!((1..=48).contains(&number), "Kiwipete has 48 moves: {last}");
    let current = field(last, "currmove").unwrap();
    let start: Fen = KIWIPETE.strip_prefix("position fen ").unwrap().parse().unwrap();
    play_out(&start.into_position(CastlingMode::Standard).unwrap(), &[current]).unwrap();
    engine.send("stop");
    engine.until("bestmove ");
    engine.send("go movetime 200");
    assert!(!engine.until("bestmove ").iter().any(|line| line.contains("currmove")));
    engine.quit();
}

/// Driven by null windows the search takes other nodes, and is the same engine: it mates, tells several lines, each
/// legal, and a hasty search tells the static evaluation.
#[test]
fn the_root_is_driven_by_null_windows_too() {
    let mut engine = Dialogue::uci(&["setoption name Hash value 4"]);
    let mut nodes = Vec::new();
    for driver in ["pvs", "MTDF", "pvs"] {
        engine.send(&format!("setoption name Driver value {driver}"));
        engine.send("ucinewgame");
        engine.send(KIWIPETE);
        engine.send("go depth 9");
        let said = engine.until("bestmove ");
        let last =
            said.iter().rfind(|line| line.contains(" depth 9 ")).expect("a line of the last iteration");
        nodes.push(field(last, "nodes").expect("a number").to_owned());
    }
    assert_eq!(nodes[0], nodes[2]);
    assert_ne!(nodes[0], nodes[1]);
    engine.send("setoption name Driver value mtdf");
    for threads in [1, 2, 5] {
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send(&format!("position fen {}", HASTY[3]));
        engine.send("go depth 6");
        let said = engine.until("bestmove ");
        assert!(said.iter().any(|line| line.contains(" score mate 1 ")), "{threads} threads: {said:#?}");
        assert!(said.last().is_some_and(|line| line.starts_with("bestmove d1d8")), "{said:#?}");
        engine.send("setoption name MultiPV value 3");
        engine.send(KIWIPETE);
        engine.send("go depth 7");
        let said = engine.until("bestmove ");
        let start: Fen = KIWIPETE.strip_prefix("position fen ").unwrap().parse().unwrap();
        let start: Chess = start.into_position(CastlingMode::Standard).unwrap();
        let mut firsts = Vec::new();
        for rank in 1..=3 {
            let of_rank = |line: &&String| line.contains(&format!(" multipv {rank} "));
            let line = said.iter().rfind(of_rank).expect("a line of every rank");
            let moves = line_of(line);
            play_out(&start, &moves).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(moves.len() > 1, "{line}");
            firsts.push(moves[0].to_owned());
        }
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), 3, "{said:#?}");
        engine.send("setoption name MultiPV value 1");
        for fen in HASTY {
            for go in ["go nodes 1", "go nodes 30"] {
                engine.send("ucinewgame");
                engine.send(&format!("position fen {fen}"));
                engine.send(go);
                check_hasty(&engine.until("bestmove "), fen, &format!("{go}, mtdf, {threads} threads"));
            }
        }
    }
    engine.quit();
}

/// Bound or not, the threads search. Where they run is tested with the pool.
#[test]
fn threads_are_bound_and_set_free() {
    let mut engine = Dialogue::uci(&["setoption name Threads value 3"]);
    for bound in ["true", "false", "true"] {
        engine.send(&format!("setoption name Bind value {bound}"));
        assert!(engine.ready().is_empty());
        engine.send(KIWIPETE);
        engine.send("go depth 6");
        engine.until("bestmove ");
    }
    engine.send("setoption name Bind value perhaps");
    assert!(engine.ready().iter().any(|line| line.contains("Bind")));
    engine.quit();
}

#[test]
fn quit_and_the_end_of_input_end_the_process_in_mid_search() {
    for threads in [1, 4] {
        for quits in [true, false] {
            for lines in 1..=4 {
                let mut engine =
                    Dialogue::uci(&[&format!("setoption name Threads value {threads}"), KIWIPETE]);
                engine.send("go infinite");
                // Which depths are told depends on which thread is the first to finish them.
                for _ in 0..lines {
                    engine.until("info depth ");
                }
                if quits {
                    engine.quit();
                } else {
                    engine.close();
                    engine.end().orderly();
                }
            }
        }
    }
}

/// A script on a pipe: what is asked for is carried out, though its end has been read long before. Moves of a game and
/// what has no end of its own are not thought about any longer, nor a mate that a search thrice as deep has not found.
#[test]
fn a_script_is_worked_off_after_its_end() {
    let mut engine = Dialogue::start(&["uci"]);
    for mv in ["e2e4", "d2d4", "c2c4"] {
        engine.send(&format!("position startpos moves {mv}"));
        engine.send("go depth 8");
    }
    engine.send("position fen r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1\ngo mate 2");
    engine.send("position startpos\ngo mate 1\ngo ponder\nponderhit");
    for go in ["go infinite", "go wtime 36000000 btime 36000000", "go ponder", "go perft 3"] {
        engine.send(go);
    }
    engine.close();
    let lines = engine.end().orderly();
    let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("bestmove "), count("Nodes searched: ")), (9, 1), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains(" score mate 2 ")), "{lines:#?}");
    assert!(count("info depth 8 ") >= 3, "{lines:#?}");
}

#[test]
fn the_end_of_input_before_any_command_ends_the_process() {
    for arguments in [&[][..], &["uci"], &["xboard"]] {
        let mut engine = Dialogue::start(arguments);
        engine.close();
        assert!(engine.end().orderly().is_empty());
    }
}

#[test]
fn a_ponder_hit_ends_in_a_move() {
    let mut engine = Dialogue::uci(&[KIWIPETE]);
    for _ in 0..5 {
        engine.send("go ponder wtime 50 btime 50");
        let early = engine.until("info depth 2 ");
        assert!(!early.iter().any(|line| line.starts_with("bestmove")));
        engine.send("ponderhit");
        engine.until("bestmove ");
    }
    engine.quit();
}

#[test]
fn infinite_answers_only_after_stop_even_with_nothing_left_to_search() {
    let cases = [
        "position fen 7k/8/8/8/8/p1p5/P1P5/K7 w - - 99 80",
        "position startpos moves f2f3 e7e5 g2g4 d8h4",
        "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ];
    let mut engine = Dialogue::uci(&[]);
    for position in cases {
        engine.send(position);
        for go in ["go infinite", "go infinite depth 2", "go infinite nodes 50"] {
            engine.send(go);
            // Many readings of the channel: a hasty bestmove would have been printed by then.
            for _ in 0..200 {
                assert!(!engine.ready().iter().any(|line| line.starts_with("bestmove")), "{position} {go}");
            }
            engine.send("stop");
            engine.until("bestmove ");
        }
    }
    engine.quit();
}

#[test]
fn faults_are_named_and_survived() {
    let mut engine = Dialogue::uci(&[]);
    let cases = [
        ("ahoy there", "ahoy"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "x"),
        ("position startpos moves e2e4 e2e4", "move 2"),
        ("position", "position wants"),
        ("setoption name NoSuchThing value 3", "NoSuchThing"),
        ("setoption name Threads value 0", "Threads"),
        ("setoption name Threads value lots", "lots"),
        ("setoption name Hash value 99999999999999999999", "Hash"),
        ("setoption", "setoption wants"),
        ("setoption name Scheme value quantum", "quantum"),
        ("setoption name Driver value sss", "sss"),
        ("setoption name EvalFile value /nowhere/a.net", "/nowhere/a.net"),
        ("setoption name Eval value oracle", "oracle"),
        ("debug perhaps", "debug"),
    ];
    for (line, named) in cases {
        engine.send(line);
        let answer = engine.ready();
        let said = answer.iter().any(|text| text.starts_with("info string") && text.contains(named));
        assert!(said, "'{line}' is answered by {answer:?}, which does not name {named}");
    }
    // A search begins nevertheless, and answers.
    let cases = [
        ("go depth many", "go depth"),
        ("go movetime", "go movetime"),
        ("go searchmoves e2e5 depth 2", "e2e5"),
    ];
    engine.send("position startpos");
    for (line, named) in cases {
        engine.send(line);
        engine.send("stop");
        let said = engine.until("bestmove ");
        let told = said.iter().any(|text| text.starts_with("info string") && text.contains(named));
        assert!(told, "'{line}' is answered by {said:?}, which does not name {named}");
    }
    engine.quit();
}

/// A search of the position before it would be a move in a game that is not played.
#[test]
fn a_position_that_cannot_be_read_is_not_searched() {
    let mut engine = Dialogue::uci(&["position startpos moves e2e4"]);
    let long = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(20_000));
    for line in ["position fen", "position", "position fen moves d2d4", &long] {
        engine.send("position startpos moves e2e4");
        engine.send(line);
        engine.send("go depth 1");
        assert_eq!(
            engine.until("bestmove").last().map(String::as_str),
            Some("bestmove (none)"),
            "{line:.40}"
        );
    }
    engine.send("position startpos");
    engine.send(&"go depth 1 searchmoves e2e4 ".repeat(20_000));
    assert_eq!(engine.ready(), ["info string line too long, ignored"]);
    engine.send("go depth 1 searchmoves a2a3");
    assert!(engine.until("bestmove").last().is_some_and(|line| line.starts_with("bestmove a2a3")));
    engine.quit();
}

#[test]
fn blanks_in_the_name_of_a_file_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a  log   of mine");
    let mut engine = Dialogue::uci(&[&format!("setoption name Debug  Log File value  {}  ", path.display())]);
    assert!(engine.ready().is_empty());
    engine.quit();
    assert!(std::fs::read_to_string(path).unwrap().contains("< isready"));
}

/// In Latin-1 it is not UTF-8. The names that files have here are bytes, so a log would be written under another one.
#[test]
#[cfg(unix)]
fn the_name_of_a_file_is_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Dialogue::uci(&[]);
    for option in ["Debug Log File", "BookFile", "EvalFile", "SyzygyPath"] {
        let line = format!("setoption name {option} value {}/M", folder.path().display());
        engine.send_bytes(&[line.as_bytes(), b"\xfcller\n"].concat());
        let said = engine.ready();
        assert!(matches!(&said[..], [told] if told.contains("not UTF-8, ignored")), "{option}: {said:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    engine.send(&format!("setoption name Debug Log File value {}/Müller", folder.path().display()));
    assert!(engine.ready().is_empty());
    engine.quit();
    assert!(folder.path().join("Müller").is_file());
}

/// The move of a weak player is drawn, and its line is told last.
#[test]
fn the_lines_of_a_weak_player_never_go_backwards() {
    let setup = ["setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1300"];
    let mut engine = Dialogue::uci(&setup);
    for (_, moves) in random_games(60, 7) {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        engine.send("go movetime 10000");
        let said = engine.until("bestmove");
        let lines: Vec<&String> = said.iter().filter(|line| line.contains(" multipv 1 ")).collect();
        for key in ["depth", "nodes", "time"] {
            let number = |line: &&String| field(line, key).and_then(|text| text.parse::<u64>().ok());
            assert!(lines.iter().map(number).is_sorted(), "{key}: {lines:#?}");
        }
    }
    engine.quit();
}

/// Whatever is drawn, the move stands in the first of the ranks shown, and no other stands in two.
#[test]
fn the_ranks_of_a_weak_player_hold_different_moves() {
    let setup = [
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1300",
        "setoption name MultiPV value 3",
    ];
    let mut engine = Dialogue::uci(&setup);
    let mut told_again = 0;
    for (_, moves) in random_games(300, 8) {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        engine.send("go movetime 10000");
        let said = engine.until("bestmove");
        let mut ranks: [Vec<&str>; 3] = Default::default();
        for line in said.iter().filter(|line| line.contains(" pv ")) {
            let rank: usize = field(line, "multipv").and_then(|text| text.parse().ok()).expect("a rank");
            ranks[rank - 1].push(line_of(line)[0]);
        }
        let best = field(said.last().unwrap(), "bestmove").unwrap();
        assert_eq!(ranks[0].last(), Some(&best), "{said:#?}");
        let last: Vec<&str> = ranks.iter().filter_map(|moves| moves.last().copied()).collect();
        let different: std::collections::BTreeSet<&str> = last.iter().copied().collect();
        assert_eq!(different.len(), last.len(), "{said:#?}");
        told_again += usize::from(last.len() > 1 && ranks[1].contains(&best));
    }
    assert!(told_again > 5, "{told_again}: the test tests nothing");
    engine.quit();
}

/// In a position of usual chess the option alone decides how castling is written; it is read in either notation.
#[test]
fn castling_in_chess960_is_king_takes_rook() {
    let mut engine = Dialogue::uci(&["position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"]);
    for (chess960, written) in [("true", "e1h1"), ("false", "e1g1")] {
        engine.send(&format!("setoption name UCI_Chess960 value {chess960}"));
        for read in ["e1h1", "e1g1"] {
            engine.send(&format!("go depth 1 searchmoves {read}"));
            let said = engine.until("bestmove ");
            let [.., line, best] = &said[..] else { panic!("no line: {said:?}") };
            assert_eq!(field(best, "bestmove"), Some(written), "{read}: {said:?}");
            assert_eq!(line_of(line).first(), Some(&written), "{read}: {said:?}");
        }
    }
    engine.quit();
}

/// Simulated threads have as much virtual time as one thread has nodes, and search the same every time.
#[test]
fn in_virtual_time_each_thread_searches_as_many_nodes() {
    const NODES: u64 = 40_000;
    let mut engine = Dialogue::start(&["uci", "--virtual-clock", "1"]);
    let search = |engine: &mut Dialogue, threads: usize| {
        engine.send("ucinewgame");
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send(KIWIPETE);
        engine.send(&format!("go nodes {NODES}"));
        let said = engine.until("bestmove ");
        let nodes = said.iter().rev().find_map(|line| field(line, "nodes")?.parse::<u64>().ok());
        (nodes.expect("a line of thinking"), said)
    };
    let alone = search(&mut engine, 1);
    // As of the last line that was told: the search may go on for a while.
    assert!((NODES / 4..NODES * 2).contains(&alone.0), "{alone:?}");
    for scheme in ["lazy", "ybw"] {
        engine.send(&format!("setoption name Scheme value {scheme}"));
        let together = search(&mut engine, 4);
        assert!((NODES * 2..NODES * 6).contains(&together.0), "{scheme}: {together:?}");
        assert_eq!(together, search(&mut engine, 4));
    }
    engine.quit();
}

/// Simulated machines search side by side: each has the time of one, and without entries from elsewhere they come to
/// other nodes.
#[test]
fn in_virtual_time_machines_search_together() {
    const NODES: u64 = 60_000;
    let mut engine = Dialogue::start(&["uci", "--virtual-clock", "2"]);
    let search = |engine: &mut Dialogue, options: &[(&str, &str)]| {
        engine.send("ucinewgame");
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.send(KIWIPETE);
        engine.send(&format!("go nodes {NODES}"));
        let said = engine.until("bestmove ");
        let nodes = said.iter().rev().find_map(|line| field(line, "nodes")?.parse::<u64>().ok());
        (nodes.expect("a line of thinking"), said)
    };
    let alone = search(&mut engine, &[]);
    let together = search(&mut engine, &[("Machines", "3")]);
    // As of the last line that was told.
    assert!((NODES..NODES * 4).contains(&alone.0), "{alone:?}");
    assert!((NODES * 2..NODES * 12).contains(&together.0) && together.0 > alone.0, "{together:?}");
    assert_eq!(together, search(&mut engine, &[]), "again");
    assert_ne!(together, search(&mut engine, &[("Exchange", "false")]));
    assert_ne!(together, search(&mut engine, &[("Exchange", "true"), ("Latency", "20000")]));
    assert_eq!(alone, search(&mut engine, &[("Machines", "1")]));
    // Each machine has two threads.
    engine.send("setoption name Threads value 1024");
    engine.send("setoption name Machines value 2");
    let refused = engine.ready();
    assert!(refused.iter().any(|line| line.contains("2048 threads in all, at most 1024")), "{refused:?}");
    engine.quit();
}

/// The stacks of 128 threads, 32 MiB each, do not fit into 3 GiB of addresses: that search ends without a line, and the
/// session goes on with one of a single thread.
#[test]
#[cfg(target_os = "linux")]
fn a_search_in_virtual_time_without_memory_says_so() {
    let limited = "ulimit -v 3145728; exec \"$0\" uci --virtual-clock 128";
    let lines = format!("{KIWIPETE}\ngo nodes 1000\nsetoption name Threads value 1\ngo nodes 1000\n");
    let mut command = assert_cmd::Command::new("sh");
    let assert = command.args(["-c", limited]).arg(tests::firstborn()).write_stdin(lines).assert().success();
    let [said, errors] = [&assert.get_output().stdout, &assert.get_output().stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (first, second) = said.split_once("bestmove ").expect("the first search has an answer");
    assert!(first.contains("cannot search: no memory for the stack of simulated worker "), "{said}{errors}");
    assert!(!first.contains("info depth ") && errors.is_empty(), "{said}{errors}");
    assert!(second.contains("info depth ") && second.contains("bestmove "), "{said}{errors}");
}

/// Twenty stacks of 32 MiB fit into so few addresses at most: as many threads as before stay, and search.
#[test]
#[cfg(target_os = "linux")]
fn threads_that_cannot_be_had_are_refused() {
    let limited = "ulimit -v 700000; exec \"$0\" uci";
    let lines = "setoption name Threads value 1024\nisready\nposition startpos\ngo nodes 1000\n";
    let mut command = assert_cmd::Command::new("sh");
    let assert = command.args(["-c", limited]).arg(tests::firstborn()).write_stdin(lines).assert().success();
    let [said, errors] = [&assert.get_output().stdout, &assert.get_output().stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (before, after) = said.split_once("readyok").expect("isready is answered");
    let told = before.lines().find(|line| line.contains("cannot start search thread ")).unwrap_or_default();
    assert!(told.starts_with("info string "), "{said}{errors}");
    assert!(after.contains("bestmove ") && errors.is_empty(), "{said}{errors}");
}

#[test]
fn a_search_in_virtual_time_heeds_the_client() {
    let mut engine = Dialogue::start(&["uci", "--virtual-clock", "3"]);
    engine.send("uci");
    let options = engine.until("uciok");
    // A seed of 0 would be none, and threads of lazy would search in step.
    // With 64 machines of 3 threads there are fewer than 1,024.
    let expected = [
        "Threads type spin default 3 ",
        "Seed type spin default 1 min 0 ",
        "Machines type spin default 1 min 1 max 64",
    ];
    for option in expected {
        assert!(options.iter().any(|line| line.starts_with(&format!("option name {option}"))), "{options:?}");
    }
    // Nothing is left to search, and yet the answer waits.
    let waits = [
        ("position startpos", "go infinite", "stop"),
        ("position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1", "go infinite depth 2", "stop"),
        ("position startpos", "go ponder nodes 4000", "ponderhit"),
    ];
    for (machines, (position, go, end)) in
        [1, 2].into_iter().flat_map(|machines| waits.map(|wait| (machines, wait)))
    {
        engine.send(&format!("setoption name Machines value {machines}"));
        engine.send(position);
        engine.send(go);
        assert!(engine.ready().iter().all(|line| !line.starts_with("bestmove")), "{go}, {machines}");
        engine.send(end);
        engine.until("bestmove ");
    }
    engine.send("go infinite");
    assert!(engine.quit().iter().all(|line| !line.contains("error")));
}
