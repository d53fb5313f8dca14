//! xboard's protocol over the real binary.

use tests::Dialogue;

const KIWIPETE: &str = "setboard r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn it_tells_its_features() {
    let mut engine = Dialogue::start(&["xboard"]);
    engine.send("protover 2");
    let lines = engine.until_line("done=1", |line| line.contains("done=1"));
    let all = lines.join(" ");
    let wanted =
        ["ping=1", "setboard=1", "usermove=1", "analyze=1", "myname=\"Firstborn", "smp=1", "memory=1"];
    for feature in wanted {
        assert!(all.contains(feature), "{feature} is missing in {all}");
    }
    assert!(engine.quit().is_empty());
}

/// A whole game against itself, each move checked by the rules on our side.
#[test]
fn it_plays_a_game_against_itself_by_the_rules() {
    let mut engines = [(); 2].map(|()| Dialogue::xboard(&["new", "easy", "sd 2"]));
    let mut game = chess::Game::default();
    engines[0].send("go");
    for ply in 0..300 {
        let mover = &mut engines[ply % 2];
        let said = mover.until_line("a move or a result", |line| {
            line.starts_with("move ")
                || line.starts_with("1-0")
                || line.starts_with("0-1")
                || line.starts_with("1/2")
        });
        let last = said.last().unwrap();
        let Some(text) = last.strip_prefix("move ") else {
            assert!(game.outcome().is_some(), "{last} in {}", game.position());
            return;
        };
        let mv =
            game.position().parse_uci(text).unwrap_or_else(|error| panic!("{error} in {}", game.position()));
        game.play(mv).unwrap();
        if game.outcome().is_some() {
            return;
        }
        engines[(ply + 1) % 2].send(&format!("usermove {text}"));
    }
    engines.into_iter().for_each(|mut engine| {
        engine.send("force");
        engine.ping();
        engine.quit();
    });
}

/// `?` in the same write as `go`: a line of thinking with a score that is no mate, and a legal move.
#[test]
fn a_search_that_is_hurried_at_once_still_tells_a_score() {
    for threads in [1, 2, 4] {
        let mut engine = Dialogue::xboard(&[&format!("cores {threads}"), "new", "easy", "post", "st 60"]);
        for _ in 0..5 {
            engine.send(&format!("new\nforce\n{KIWIPETE}\ngo\n?"));
            let said = engine.until("move ");
            let mut info = client::Info::default();
            assert!(said.iter().any(|line| info.read_xboard(line)), "{said:?}");
            let score = info.score.map(client::Evaluation::centipawns);
            assert!(score.is_some_and(|score| score.abs() < 2000), "{said:?}");
        }
        engine.send("force");
        engine.quit();
    }
}

#[test]
fn move_now_quit_and_the_end_of_input_are_obeyed_in_mid_search() {
    for threads in [1, 3] {
        let cores = format!("cores {threads}");
        let start = || {
            let mut engine =
                Dialogue::xboard(&["new", "post", "easy", &cores, "st 100000", "force", KIWIPETE]);
            engine.send("go");
            engine
        };
        let thinking = |line: &str| line.starts_with(|c: char| c.is_ascii_digit());
        let mut engine = start();
        engine.until_line("a line of thinking", thinking);
        engine.send("?");
        engine.until("move ");
        engine.quit();
        let mut engine = start();
        engine.until_line("a line of thinking", thinking);
        engine.quit();
        let mut engine = start();
        engine.until_line("a line of thinking", thinking);
        engine.close();
        engine.end().orderly();
    }
}

#[test]
fn analysis_follows_the_moves_and_ends_at_exit() {
    let mut engine = Dialogue::xboard(&["new", "force", "post", "analyze"]);
    let thinking = |line: &str| line.contains('\t');
    for mv in ["e2e4", "e7e5", "g1f3"] {
        engine.until_line("a line of thinking", thinking);
        engine.send(&format!("usermove {mv}"));
    }
    engine.send("undo");
    engine.until_line("a line of thinking", thinking);
    engine.send(".");
    engine.until("stat01: ");
    engine.send("exit");
    assert!(!engine.ping().iter().any(|line| line.starts_with("move")));
    assert!(engine.ping().is_empty(), "nothing runs after exit");
    engine.quit();
}

/// python-chess, asked for an analysis to a depth, reads lines of thinking until one is as deep, whatever the score.
/// Past the greatest depth there is nothing to tell, and the session still answers.
#[test]
fn an_analysis_goes_on_when_its_mate_is_found() {
    let depth = |line: &str| {
        let (numbers, _) = line.split_once('\t')?;
        numbers.split(' ').next()?.parse::<u32>().ok()
    };
    for (fen, wanted) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 245), // a mate in one
        ("7k/R7/1R6/8/8/8/8/6K1 b - - 0 1", 30),        // mated in one
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 30),        // a mate in two
    ] {
        let mut engine = Dialogue::xboard(&["new", "force", &format!("setboard {fen}")]);
        engine.send("analyze");
        let said = engine.until_line("a line that deep", |line| depth(line).is_some_and(|n| n >= wanted));
        assert!(said.iter().all(|line| depth(line).is_some()), "nothing but lines of thinking: {said:?}");
        engine.send(".");
        engine.until("stat01: ");
        engine.send("exit");
        assert!(engine.ping().iter().all(|line| depth(line).is_some()), "{fen}");
        assert!(engine.ping().is_empty(), "nothing runs after exit");
        engine.quit();
    }
}

/// xboard takes some words for the engine's death or the game's end, wherever a line holds them: those of a user's
/// path, and the system's about it.
#[test]
fn what_files_are_called_does_not_end_a_game() {
    let mut engine = Dialogue::xboard(&["new", "force"]);
    for line in [
        "option DebugLogFile=/no such folder/Draw.log",
        "option EvalFile=/nowhere/not found/a.net",
        "option EvalFile=/nowhere/offer/draw.net",
        "option BookFile=/nowhere/Permission denied.bin",
        "option Scheme=No remote directory",
        "setboard unknown host",
        "can't allocate",
    ] {
        engine.send(line);
        let answer = engine.ping();
        let [answer] = &answer[..] else { panic!("'{line}' is answered by {answer:?}") };
        assert!(answer.starts_with("Error (") || answer.starts_with("tellusererror "), "{answer}");
        let lower = answer.to_lowercase();
        for word in [
            "not found",
            "no such file",
            "permission denied",
            "unknown host",
            "no remote directory",
            "can't alloc",
            "draw",
        ] {
            assert!(!lower.contains(word), "{answer}");
        }
    }
    engine.quit();
}

#[test]
fn faults_are_named_and_survived() {
    let mut engine = Dialogue::xboard(&["new", "force"]);
    let cases = [
        ("ahoy there", "Error (unknown command): ahoy there"),
        ("usermove e2e5", "Illegal move"),
        ("usermove e9", "Illegal move"),
        ("undo", "Error (no move to take back): undo"),
        ("remove", "Error (no move to take back): remove"),
        ("level 40", "Error (missing or bad argument): level 40"),
        ("st soon", "Error (missing or bad argument): st soon"),
        ("sd", "Error (missing or bad argument): sd"),
        ("setboard 8/8/8/8/8/8/8/8 w - - 0 1", "tellusererror Illegal position"),
        ("variant suicide", "Error (unsupported variant): variant suicide"),
        ("cores none", "Error (missing or bad argument): cores none"),
    ];
    for (line, named) in cases {
        engine.send(line);
        let answer = engine.ping();
        assert!(answer.iter().any(|text| text.contains(named)), "'{line}' is answered by {answer:?}");
    }
    engine.send("new");
    engine.send("sd 2");
    engine.send("usermove e2e4");
    engine.until("move ");
    engine.quit();
}
