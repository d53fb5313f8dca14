//! What is decided beside the search: tablebases, the book, limits of strength.

use chess::{Game, Outcome, Position};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use tests::Dialogue;

fn tables() -> String {
    tests::workspace().join("tests/data/syzygy").display().to_string()
}

fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|word| *word != key).nth(1)
}

/// The last score said, and the move.
fn ask(engine: &mut Dialogue, fen: &str, go: &str) -> (String, String) {
    engine.send(&format!("position fen {fen}"));
    engine.send(go);
    let said = engine.until("bestmove");
    let line = said.iter().rfind(|line| line.contains(" score ")).expect("a line with a score");
    let score = [field(line, "score"), field(line, "cp"), field(line, "mate")];
    let best = field(said.last().expect("it answered"), "bestmove").expect("a move").to_string();
    (score.into_iter().flatten().collect::<Vec<_>>().join(" "), best)
}

/// The textbook's king and pawn endings, for White and Black to move (Averbakh).
#[test]
fn textbook_pawn_endings_are_known_at_depth_one() {
    let mut engine = Dialogue::uci(&[&format!("setoption name SyzygyPath value {}", tables())]);
    for (fen, cp) in [
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", 20_000), // the king on the sixth, before its pawn
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", -20_000), // whoever is to move
        ("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", -20_000), // White has the opposition
        ("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", 0),      // Black has it
        ("4k3/8/4P3/4K3/8/8/8/8 w - - 0 1", 0),      // the pawn checks on the seventh: stalemate
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", 0),         // a rook's pawn
    ] {
        let (score, _) = ask(&mut engine, fen, "go depth 1");
        assert_eq!(score, format!("cp {cp}"), "{fen}");
    }
    // With a limit of two men, or without tables, it has to think for itself.
    engine.send("setoption name SyzygyProbeLimit value 2");
    let (score, _) = ask(&mut engine, "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "go depth 1");
    assert_ne!(score, "cp 20000");
    engine.quit();
}

/// Four men on the board and tables of three: the search asks on its way, once something has been taken or a
/// pawn moved. Each position has one way to the result, and no mate is near.
#[test]
fn the_search_asks_the_tables_on_its_way() {
    let mut engine = Dialogue::uci(&[]);
    let cases = [
        ("8/8/8/3k4/8/8/1K1p4/3R4 w - - 0 1", "d1d2", true), // the pawn is taken, and rook and king win
        ("8/8/3k4/8/4p3/4K3/4P3/8 w - - 0 1", "e3e4", true), // likewise, and the king will be before his pawn
        ("k7/8/K7/Pn6/8/8/8/8 w - - 0 1", "a6b5", false),    // a rook's pawn wins against nothing
    ];
    for (fen, _, _) in cases {
        engine.send(&format!("position fen {fen}"));
        engine.send("go depth 6");
        let said = engine.until("bestmove");
        let hits = |line: &&String| field(line, "tbhits").is_some_and(|hits| hits != "0");
        assert!(!said.iter().any(|line| hits(&line)), "there are no tables yet: {said:?}");
    }
    engine.send(&format!("setoption name SyzygyPath value {}", tables()));
    for (fen, best, won) in cases {
        engine.send(&format!("position fen {fen}"));
        engine.send(&format!("go depth 6 searchmoves {best}"));
        let said = engine.until("bestmove");
        let line = said.iter().rfind(|line| line.contains(" score ")).expect("a line with a score");
        let number = |key| field(line, key).and_then(|text| text.parse::<i64>().ok());
        let score = number("cp").expect("no mate is near");
        assert!(number("tbhits") > Some(0), "{line}");
        let known = if won { 19_750..=20_000 } else { 0..=0 };
        assert!(known.contains(&score), "{line}");
    }
    engine.quit();
}

/// A search shallower than the least depth does without tables.
#[test]
fn the_least_depth_for_tables_is_obeyed() {
    let mut engine = Dialogue::uci(&[&format!("setoption name SyzygyPath value {}", tables())]);
    let won = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";
    engine.send("setoption name SyzygyProbeDepth value 3");
    for (go, known) in [("go depth 2", false), ("go depth 3", true), ("go nodes 100", true)] {
        let (score, _) = ask(&mut engine, won, go);
        assert_eq!(score == "cp 20000", known, "{go}: {score}");
    }
    engine.quit();
}

/// King and rook need more than ten moves from here (they need at most sixteen), and the fifty-move rule
/// leaves nine.
#[test]
fn the_fifty_move_rule_counts_only_where_it_is_played() {
    let mut engine = Dialogue::uci(&[&format!("setoption name SyzygyPath value {}", tables())]);
    let late = "8/8/8/8/3k4/8/8/KR6 w - - 82 100";
    assert_eq!(ask(&mut engine, late, "go depth 1").0, "cp 0");
    engine.send("setoption name Syzygy50MoveRule value false");
    assert_eq!(ask(&mut engine, late, "go depth 1").0, "cp 20000");
    engine.quit();
}

/// King and rook mate in 16 moves from anywhere (a fact as old as the tables); depth 1 alone never would.
#[test]
fn a_rook_mates_in_sixteen_moves_by_tables() {
    let mut engine = Dialogue::uci(&[&format!("setoption name SyzygyPath value {}", tables())]);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for round in 0..10 {
        let position = loop {
            let mut square = || chess::Square::new(random.random_range(0..64)).to_string();
            let (king, rook, black) = (square(), square(), square());
            let Some(position) = with_men(&[('K', &king), ('R', &rook), ('k', &black)]) else { continue };
            // White to move saves the rook wherever it stands: all these positions are won.
            break position;
        };
        let mut game = Game::new(position);
        while game.outcome().is_none() {
            let fen = game.position().fen();
            let (_, best) = ask(&mut engine, &fen, "go depth 1");
            game.play(game.position().parse_uci(&best).expect("a move")).expect("a legal move");
            let replies = game.position().legal_moves();
            if let Some(&reply) = replies.as_slice().choose(&mut random) {
                game.play(reply).expect("a legal move");
            }
        }
        let start = game.start().fen();
        assert!(matches!(game.outcome(), Some(Outcome::Checkmate { .. })), "round {round}: {start}");
        assert!(game.moves().len() <= 31, "round {round}: {start} took {} plies", game.moves().len());
    }
    engine.quit();
}

/// A position with these men, White to move, if there is one.
fn with_men(men: &[(char, &str)]) -> Option<Position> {
    let mut board = vec!['1'; 64];
    for (letter, square) in men {
        let bytes = square.as_bytes();
        board[usize::from(7 - (bytes[1] - b'1')) * 8 + usize::from(bytes[0] - b'a')] = *letter;
    }
    let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
    let men_left = board.iter().filter(|&&c| c != '1').count();
    if men_left < men.len() {
        return None;
    }
    Position::from_fen(&format!("{} w - - 0 1", ranks.join("/"))).ok()
}

#[test]
fn a_missing_table_folder_is_told_to_uci_and_kept_from_xboard() {
    let mut engine = Dialogue::uci(&[]);
    engine.send("setoption name SyzygyPath value /no/such/place");
    let told = "SyzygyPath: /no/such/place: there is no such folder";
    assert!(engine.ready().iter().any(|line| line.contains(told)));
    engine.quit();
    let mut engine = Dialogue::xboard(&["new", "force"]);
    engine.send("egtpath syzygy /no/such/place");
    assert!(engine.ping().is_empty());
    engine.quit();
}

/// Each table that has been asked stays open: two for the queen and two for the rook leave none for the pawn.
#[cfg(unix)]
#[test]
fn more_tables_than_files_granted_are_all_asked() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 6; exec \"$0\" uci"]).arg(tests::firstborn());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut engine = tests::Running::start(&mut command);
    let mut lines = format!("setoption name SyzygyPath value {}\n", tables());
    let last_ranks = ["8/KQ6", "8/KR6", "P7/K7"];
    for ranks in last_ranks {
        lines += &format!("position fen 8/8/8/8/3k4/8/{ranks} w - - 0 1\ngo depth 1\n");
    }
    engine.stdin.take().expect("it is piped").write_all(lines.as_bytes()).expect("it listens");
    let output = engine.wait_with_output().expect("it ends with its input");
    let said = String::from_utf8_lossy(&output.stdout);
    let hits: Vec<&str> = said.lines().filter_map(|line| field(line, "tbhits")).collect();
    assert!(hits.len() >= last_ranks.len() && hits.iter().all(|&hits| hits != "0"), "{said}");
}

/// A book is made of games, played from when asked for, and shown by `bk`.
#[test]
fn the_book_command_makes_a_book_that_is_played_from() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (games, book) = (folder.path().join("games.pgn"), folder.path().join("own.bin"));
    let game = |moves: &str| format!("[Event \"?\"]\n[Result \"*\"]\n\n{moves} *\n\n");
    let text = game("1. b4 e5 2. Bb2") + &game("1. b4 d5") + &game("1. b4 d5 2. Bb2");
    std::fs::write(&games, text).expect("a temporary file can be written");
    let made = assert_cmd::Command::new(tests::firstborn())
        .arg("book")
        .arg(&games)
        .arg("--out")
        .arg(&book)
        .assert()
        .success();
    let said = String::from_utf8_lossy(&made.get_output().stdout).into_owned();
    assert!(said.contains("5 moves from 3 games"), "{said}");
    let path = book.display().to_string();
    let mut engine = Dialogue::uci(&[&format!("setoption name BookFile value {path}")]);
    engine.send("setoption name OwnBook value true");
    engine.send("position startpos");
    engine.send("go movetime 10");
    assert_eq!(engine.until("bestmove"), ["bestmove b2b4"]);
    engine.send("go depth 1 searchmoves e2e4");
    assert_eq!(engine.until("bestmove").last().map(|line| line.starts_with("bestmove e2e4")), Some(true));
    engine.quit();
    let mut engine = Dialogue::xboard(&["new", "force", &format!("option BookFile={path}"), "usermove b2b4"]);
    engine.send("bk");
    assert_eq!(engine.ping(), [" d7d5 66%", " e7e5 33%", ""]);
    engine.quit();
}

/// Few nodes, legal moves, the last line's head as ever, and not always the same choice.
#[test]
fn a_weak_player_thinks_little_and_errs() {
    let chosen = choices(&[], "position startpos", 1);
    assert!(chosen.len() > 1, "always {chosen:?}");
}

/// With 48 moves, and with several threads or more lines asked for than it has candidates, it still sees enough
/// to have a choice.
#[test]
fn a_weak_player_errs_among_many_moves() {
    let kiwipete = "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for (setup, lines) in [(["Threads", "4"], 1), (["MultiPV", "200"], 8)] {
        let chosen = choices(&[&format!("setoption name {} value {}", setup[0], setup[1])], kiwipete, lines);
        assert!(chosen.len() > 1, "{setup:?}: always {chosen:?}");
    }
}

/// Whatever a rating overlooks, it is no mate on the next move; also where eight lines are searched long beyond it, all
/// of them won.
#[test]
fn a_weak_player_gives_a_near_mate() {
    let mut engine = Dialogue::uci(&["setoption name UCI_LimitStrength value true"]);
    for elo in [600, 1200, 1800, 2599] {
        engine.send(&format!("setoption name UCI_Elo value {elo}"));
        for _ in 0..20 {
            let (_, best) = ask(&mut engine, "7k/8/6K1/8/8/8/4Q3/8 w - - 0 1", "go wtime 60000 btime 60000");
            assert_eq!(best, "e2e8", "{elo}");
        }
    }
    engine.quit();
}

/// The moves that a player of the least rating chooses in 40 searches, each of which shows so many lines.
fn choices(setup: &[&str], position: &str, lines: usize) -> BTreeSet<String> {
    let mut engine = Dialogue::start(&[]);
    engine.send("uci");
    let options = engine.until("uciok");
    let elo = options.iter().find(|line| line.contains("UCI_Elo")).expect("the option");
    let least = field(elo, "min").expect("a spin");
    engine.send("setoption name UCI_LimitStrength value true");
    engine.send(&format!("setoption name UCI_Elo value {least}"));
    setup.iter().for_each(|line| engine.send(line));
    let mut chosen = BTreeSet::new();
    for _ in 0..40 {
        engine.send(position);
        engine.send("go wtime 60000 btime 60000");
        let said = engine.until("bestmove");
        let best = field(said.last().expect("it answered"), "bestmove").expect("a move").to_string();
        let last = said.iter().rfind(|line| line.contains(" multipv 1 ")).expect("a line");
        assert_eq!(last.split(" pv ").nth(1).and_then(|pv| pv.split(' ').next()), Some(best.as_str()));
        let nodes: u64 = field(last, "nodes").and_then(|text| text.parse().ok()).expect("a number");
        assert!(nodes < 10_000, "{nodes} nodes");
        assert_ne!(field(last, "depth"), Some("0"), "no iteration came to its end: {last}");
        let ranks = said.iter().filter_map(|line| field(line, "multipv")?.parse::<usize>().ok());
        assert_eq!(ranks.max(), Some(lines), "{said:?}");
        chosen.insert(best);
    }
    engine.quit();
    chosen
}
