//! Tournaments as a shell starts them: what is refused before any game, what is written, and every way to
//! stop one.
//!
//! What interrupts a tournament, or waits for its engines, needs signals and named pipes and runs on Unix
//! only; `tools/platforms/windows.sh` does the same to the program under Wine.

use crate::hall::{Hall, document, formats};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

#[cfg(unix)]
use crate::hall::signal;
#[cfg(unix)]
use std::collections::BTreeMap;
#[cfg(unix)]
use std::io::{BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::net::TcpStream;
#[cfg(unix)]
use std::process::Stdio;
#[cfg(unix)]
use std::time::Instant;

#[test]
fn a_match_writes_everything_and_goes_on_from_its_journal() {
    let hall = Hall::new();
    let options =
        "--each depth=1 --rounds 2 --maxmoves 20 --json --journal j --pgn g.pgn --moves m --report r.html";
    let first = hall.run(options);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let told = document(&first);
    assert_eq!((told["games"].as_u64(), told["players"].as_array().unwrap().len()), (Some(4), 2), "{told}");
    for player in told["players"].as_array().unwrap() {
        for key in ["name", "games", "wins", "draws", "losses", "elo", "elo_error"] {
            assert!(player.get(key).is_some(), "no {key} in {player}");
        }
    }
    assert_eq!(hall.games("j").into_iter().collect::<BTreeSet<_>>(), (0..4).collect());
    let written: Vec<String> =
        ["g.pgn", "m", "r.html"].map(|name| fs::read_to_string(hall.path(name)).unwrap()).into();
    assert_eq!(written[0].matches("[Result ").count(), 4);
    assert!(written[1].lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(written[2].starts_with("<!doctype html>") && written[2].contains("Standings</h2>"));
    assert!(written[2].contains("games-data") && !written[2].contains("RELOAD_SECONDS"), "it is over");
    // The same command again plays nothing; another one does not take this journal for its own.
    assert_eq!(document(&hall.run(options))["games"], 4);
    assert_eq!(hall.games("j").len(), 4);
    let other = hall.run(&options.replace("depth=1", "depth=2"));
    assert!(!other.status.success() && String::from_utf8_lossy(&other.stderr).contains("j"));
    assert_eq!(hall.left_behind(), Vec::<String>::new());
}

/// `firstborn report` in a hall's folder.
fn report(hall: &Hall, arguments: &str) -> Output {
    let mut command = Command::new(tests::firstborn());
    command.current_dir(hall.folder.path()).arg("report").args(arguments.split_whitespace());
    command.output().unwrap()
}

/// A report says of a journal, and of its games as PGN, what the tournament said; more rounds go on in the
/// journal, fewer are another tournament.
#[test]
fn a_report_says_what_the_tournament_said_and_more_rounds_go_on() {
    let hall = Hall::new();
    let options = "--each depth=1 --rounds 2 --maxmoves 20 --json --journal j --pgn g.pgn";
    let told = document(&hall.run(options));
    // Of PGN the first player is the first that has finished a game, unless one says which it is to be.
    for file in ["j", "g.pgn --between A B"] {
        let found = document(&report(&hall, &format!("{file} --json --sprt elo0=0")));
        for key in ["games", "moves", "endings", "white", "names", "crosstable", "match"] {
            assert!(!told[key].is_null(), "no {key} in {told}");
            assert_eq!(found[key], told[key], "{file}: {key}");
        }
        let number = |key: &str| found[key].as_u64().unwrap();
        assert!(number("plies") > number("moves"), "the moves of openings are among the plies: {found}");
        for (player, known) in
            found["players"].as_array().unwrap().iter().zip(told["players"].as_array().unwrap())
        {
            for key in ["name", "games", "wins", "draws", "losses", "points", "elo", "elo_error", "forfeits"]
            {
                assert_eq!(player[key], known[key], "{file}: {key}");
            }
            assert!(player["engine"]["moves"].as_u64().unwrap() > 0, "{player}");
        }
        assert!(found["llr"].is_number() && found["sprt"]["elo1"] == 5.0, "{found}");
        assert_eq!(found["scheduled"], if file == "j" { 4.into() } else { Value::Null });
    }
    let more = options.replace("--rounds 2", "--rounds 3");
    assert_eq!(document(&hall.run(&more))["games"], 6);
    let fewer = hall.run(options);
    assert!(String::from_utf8_lossy(&fewer.stderr).contains("its `rounds` is 3, here it is 2"));
    let page = report(&hall, "j --html r.html --anchor A=2000 --pairs --merge k");
    assert!(page.status.success(), "{}", String::from_utf8_lossy(&page.stderr));
    assert!(fs::read_to_string(hall.path("r.html")).unwrap().contains("Elo (anchored)"));
    assert_eq!(hall.games("k").into_iter().collect::<BTreeSet<_>>(), (0..6).collect());
    // The copy is the tournament's journal.
    assert_eq!(document(&hall.run(&more.replace("--journal j --pgn g.pgn", "--journal k")))["games"], 6);
    for (arguments, says) in [
        ("j --anchor C=1", "players are A, B"),
        ("j --without C", "players are A, B"),
        ("j --between A C", "no games between them"),
        ("j --anchor A", "NAME=ELO"),
        ("missing", "missing"),
        ("engine", "engine"),
    ] {
        let refused = report(&hall, arguments);
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && errors.contains(says), "{arguments}: {errors}");
    }
}

/// An opening in which `mates` mates with White and `waits` does not; games of a move each are drawn but for that.
#[cfg(unix)]
const MATE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - -\n";

#[cfg(unix)]
fn make_mates_and_waits(hall: &Hall) {
    for (name, mate) in [("mates", "a1a8"), ("waits", "a1a2")] {
        let script = format!(
            "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
             *' moves '*) move=g8f8;; position*R5K1*) move={mate};; position*) move=a1a2;; \
             go*) echo bestmove $move;; quit) exit 0;; esac; done\n"
        );
        tests::executable(&hall.path(name), script);
    }
}

/// The last of three players wins its games with White, so that it is the first in rank.
#[test]
#[cfg(unix)]
fn a_crosstable_goes_by_the_names_beside_it() {
    let hall = Hall::new();
    make_mates_and_waits(&hall);
    fs::write(hall.path("b.epd"), MATE).unwrap();
    let told = document(&hall.other(
        tests::firstborn(),
        "tournament --engine name=A cmd=./waits --engine name=B cmd=./waits --engine name=C cmd=./mates \
         --each proto=uci depth=1 --format round-robin --rounds 1 --openings b.epd --maxmoves 1 --json --journal j",
    ));
    for document in [told, document(&report(&hall, "j --json"))] {
        assert_eq!(document["players"][0]["name"], "C", "{document}");
        assert_eq!(document["names"], serde_json::json!(["A", "B", "C"]), "{document}");
        let wins = [0, 1, 2].map(|row| {
            let cells = document["crosstable"][row].as_array().unwrap().iter();
            cells.map(|cell| cell["wins"].as_u64().unwrap()).sum::<u64>()
        });
        assert_eq!(wins, [0, 0, 2], "{document}");
    }
}

/// A mates in half of the openings where it has White; everything else is drawn. So two halves of the pairs differ, and
/// there is an interval, which is another one for the games.
#[test]
#[cfg(unix)]
fn results_are_judged_as_the_games_were_planned() {
    let hall = Hall::new();
    make_mates_and_waits(&hall);
    let none = MATE.replace("R5K1", "R6K");
    fs::write(hall.path("b.epd"), [MATE, MATE, &*none, &*none].concat()).unwrap();
    let played = |words: &str, journal: &str, pairs: bool| {
        let line = format!(
            "tournament --engine name=A cmd=./mates --engine name=B cmd=./waits --each proto=uci depth=1 \
             --openings b.epd --maxmoves 1 --sprt elo0=0 --json --journal {journal} {words}"
        );
        let told = document(&hall.other(tests::firstborn(), &line));
        let found = document(&report(&hall, &format!("{journal} --json")));
        for document in [&told, &found] {
            assert_eq!(document["games"], 24, "{document}");
            assert_eq!(document["sprt"]["pentanomial"], pairs, "{document}");
        }
        let error = told["match"]["elo_error"].as_f64().unwrap_or_else(|| panic!("{told}"));
        assert_eq!(found["match"]["elo_error"], error, "{found}");
        for player in told["players"].as_array().unwrap().iter().chain(found["players"].as_array().unwrap()) {
            assert_eq!(player["elo_error"], error, "{player}");
        }
        error
    };
    let (pairs, games) = (played("--rounds 12", "j", true), played("--rounds 24 --single", "k", false));
    assert!((pairs - games).abs() > 1.0, "{pairs} {games}");
}

/// One request, as it is written, and what comes back.
#[cfg(unix)]
fn request(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    String::from_utf8_lossy(&reply).into_owned()
}

/// The running games are there for browsers of this machine, and nothing else is.
#[test]
#[cfg(unix)]
fn the_live_page_shows_boards_and_nothing_else() {
    let hall = Hall::new();
    let mut child = hall.start("--each st=3600 --rounds 1 --budget 1 --live 0");
    let told = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = told.into_iter().find_map(|line| {
        line.split_once("live on http://").map(|(_, rest)| rest.trim_end_matches('/').to_owned())
    });
    let address = address.expect("it says where");
    let get = |method: &str, path: &str, host: &str| {
        request(&address, &format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    };
    let status = |reply: &str| reply.split(' ').nth(1).map(str::to_owned).unwrap_or_default();
    // Bodies that are announced and never come, and a client that never reads, cost the others nothing.
    let mut silent = TcpStream::connect(&*address).unwrap();
    silent.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n").unwrap();
    let huge = "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000000\r\n\r\n";
    assert_eq!(status(&request(&address, huge)), "200");
    let page = get("GET", "/", &address);
    assert_eq!(status(&page), "200", "{page}");
    assert!(page.contains("l-boards") && page.contains("default-src 'none'"), "{page}");
    let begun = Instant::now();
    loop {
        let reply = get("GET", "/boards.json?x=1", "localhost");
        let (_, body) = reply.split_once("\r\n\r\n").unwrap();
        let boards: Value = serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {reply}"));
        if let [game] = boards["games"].as_array().unwrap().as_slice() {
            assert_eq!(game["names"], serde_json::json!(["A", "B"]));
            assert!(game["fen"].as_str().unwrap().contains(" w ") || game["black"] == true, "{game}");
            break;
        }
        assert!(begun.elapsed() < tests::PATIENCE, "no game is shown: {reply}");
    }
    for path in ["/../../etc/passwd", "/j", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/boards.json/"] {
        assert_eq!(status(&get("GET", path, &address)), "404", "{path}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(status(&get(method, "/", &address)), "405");
    }
    for host in ["example.com", "127.0.0.1.example.com", "example.com:80", ""] {
        assert_eq!(status(&get("GET", "/", host)), "403", "{host}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The file of the running games has them while they are played, and nothing when they are over.
#[test]
#[cfg(unix)]
fn running_games_are_a_file_of_pgn() {
    let hall = Hall::new();
    let mut run = hall.start("--each st=3600 --rounds 1 --budget 1 --live-pgn now.pgn --pgn g.pgn");
    let mut text = String::new();
    tests::wait_until("the game is shown", || {
        text = fs::read_to_string(hall.path("now.pgn")).unwrap_or_default();
        text.contains("[Result")
    });
    assert!(text.contains("[White \"A\"]") && text.contains("[Result \"*\"]"), "{text}");
    assert!(text.trim_end().ends_with("{book} *"), "{text}");
    tests::wait_until("it stops", || {
        signal(&run, "-INT");
        run.try_wait().unwrap().is_some()
    });
    assert_eq!(fs::read_to_string(hall.path("now.pgn")).unwrap(), "");
    let same = hall.run("--each depth=1 --live-pgn g.pgn --pgn g.pgn");
    assert_eq!(same.status.code(), Some(1), "two outputs of one command cannot be one file");
}

/// docs/tournament.md has every option of its commands, and none besides.
#[test]
fn the_page_of_documentation_has_every_option() {
    let page = fs::read_to_string(tests::workspace().join("docs/tournament.md")).unwrap();
    let options = |text: &str| -> BTreeSet<String> {
        let word = |rest: &str| {
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect::<String>()
        };
        // A rule of a table is no option.
        text.split("--")
            .skip(1)
            .map(word)
            .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
            .collect()
    };
    let mut known = BTreeSet::from(["help".to_owned(), "version".to_owned()]);
    for command in ["tournament", "report", "replay"] {
        let help = Command::new(tests::firstborn()).args([command, "--help"]).output().unwrap();
        let text = String::from_utf8(help.stdout).unwrap();
        let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        known.extend(lines.flat_map(&options));
    }
    assert!(known.len() > 30, "{known:?}");
    let described = options(&page);
    assert_eq!(known.difference(&described).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the page");
    assert_eq!(described.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the help");
}

/// Help, tables and lists name every format that the program knows.
#[test]
fn every_format_is_named_where_users_look() {
    let help = Command::new(tests::firstborn()).args(["tournament", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let file = |name: &str| fs::read_to_string(tests::workspace().join(name)).unwrap();
    let line = |page: &str, start: &str| {
        let text = file(page);
        let line = text.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{page} has no line {start}")).to_owned()
    };
    let lists = [
        line("README.md", "| `firstborn tournament` |"),
        line("docs/tournament.md", "| `--format FORMAT` |"),
        file("CHANGELOG.md"),
    ]
    .map(|list| list.to_lowercase().replace('-', " "));
    let formats = formats();
    assert!(formats.len() >= 5, "{formats:?}");
    for format in formats {
        assert!(help.contains(&format), "{format}: {help}");
        let words = format.replace('-', " ");
        let missing = lists.iter().find(|list| !list.contains(&words));
        assert_eq!(missing, None, "{format}");
    }
}

#[test]
#[cfg(unix)]
fn one_interrupt_lets_the_games_end() {
    let hall = Hall::new();
    let child = hall.start("--each depth=1 --rounds 100000 --budget 1 --json --journal j");
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let games = document(&output)["games"].as_u64().unwrap();
    assert!(games >= 1, "the running game was to be finished");
    assert_eq!(hall.games("j"), (0..games).collect::<Vec<_>>());
    assert_eq!(hall.left_behind(), Vec::<String>::new());
}

#[test]
#[cfg(unix)]
fn two_interrupts_stop_at_once() {
    let hall = Hall::new();
    let mut child = hall.start("--each st=3600 --rounds 1 --budget 1 --json --journal j");
    // Two signals sent at once may arrive as one; more than two do no harm.
    tests::wait_until("it stops", || {
        signal(&child, "-INT");
        child.try_wait().unwrap().is_some()
    });
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!((document(&output)["games"].as_u64(), hall.games("j")), (Some(0), Vec::new()));
    assert_eq!(hall.left_behind(), Vec::<String>::new());
}

/// Has the engine of the hall be a script whose moves from `b.epd` decide nothing: `first` is what it does at its
/// start, `go` what it does when it is asked for a move, which is in `$move`.
#[cfg(unix)]
fn make_script(hall: &Hall, first: &str, go: &str) {
    let script = format!(
        "#!/bin/sh\n{first}\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
         *' moves '*) move=g8f8;; position*) move=a1a2;; go*) {go};; quit) exit 0;; esac; done\n"
    );
    tests::executable(&hall.path("engine"), script);
    fs::write(hall.path("b.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - -\n").unwrap();
}

/// How many players of a tournament have lost games by forfeit.
#[cfg(unix)]
fn with_forfeits(told: &Value) -> usize {
    let players = told["players"].as_array().unwrap();
    players.iter().filter(|player| player["forfeits"] != serde_json::json!({})).count()
}

/// As a shutdown does, and `killall firstborn`: one engine is ended by the signal, another ends by itself at it, as
/// ours does. Neither loses its game, which the same command plays again.
#[test]
#[cfg(unix)]
fn a_signal_to_the_runner_and_its_engines_loses_no_game() {
    for trap in ["", "trap 'exit 130' TERM; "] {
        let hall = Hall::new();
        let go = "if [ -e gate ]; then : >asked; else echo bestmove $move; fi";
        make_script(&hall, &format!("{trap}echo $$ >>pids"), go);
        fs::write(hall.path("gate"), "").unwrap();
        let options = "--each st=3600 --openings b.epd --rounds 2 --maxmoves 1 --budget 1 --json --journal j";
        let mut command = hall.command(options);
        let run = tests::Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        tests::wait_until("an engine is asked for a move", || hall.path("asked").exists());
        let pids = fs::read_to_string(hall.path("pids")).unwrap();
        let pids: Vec<&str> = pids.lines().collect();
        // Others were tried before.
        let [.., white, black] = pids[..] else { panic!("{pids:?}") };
        let sent = Command::new("kill").args(["-TERM", white, black, &run.id().to_string()]).status();
        assert!(sent.unwrap().success(), "{pids:?}");
        let output = run.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{trap}: {errors}");
        assert_eq!((document(&output)["games"].as_u64(), hall.games("j")), (Some(0), Vec::new()), "{errors}");
        fs::remove_file(hall.path("gate")).unwrap();
        let output = hall.run(options);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told = document(&output);
        assert_eq!((told["games"].as_u64(), with_forfeits(&told)), (Some(4), 0), "{told}");
        assert_eq!(hall.games("j"), [0, 1, 2, 3]);
    }
}

/// An engine that was asked to end by something else, which its status says, loses nothing by it; one that ends
/// otherwise has crashed.
#[test]
#[cfg(unix)]
fn an_engine_that_something_else_has_ended_plays_its_game_again() {
    for (end, lost) in [("kill -TERM $$", 0), ("exit 130", 0), ("kill -KILL $$", 1), ("exit 3", 1)] {
        let hall = Hall::new();
        make_script(&hall, ":", &format!("[ -e ended ] || {{ : >ended; {end}; }}; echo bestmove $move"));
        let output =
            hall.run("--each depth=1 --openings b.epd --rounds 1 --maxmoves 1 --budget 1 --json --journal j");
        let (told, errors) = (document(&output), String::from_utf8_lossy(&output.stderr));
        assert_eq!((told["games"].as_u64(), with_forfeits(&told)), (Some(2), lost), "{end}: {told}");
        assert_eq!(output.status.code(), Some(if lost == 0 { 0 } else { 4 }), "{end}: {errors}");
        assert_eq!(errors.contains("was ended from outside"), lost == 0, "{end}: {errors}");
        assert_eq!(hall.games("j"), [0, 1], "{end}");
    }
}

/// Killed without warning, the same command plays what is left of the schedule and nothing twice.
#[test]
#[cfg(unix)]
fn a_killed_tournament_goes_on() {
    let hall = Hall::new();
    let options = "--each depth=1 --rounds 5 --maxmoves 20 --budget 1 --json --journal j";
    let mut child = hall.start(options);
    child.kill().unwrap();
    child.wait().unwrap();
    tests::wait_until("the engines end with their runner", || hall.left_behind().is_empty());
    let output = hall.run(options);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(document(&output)["games"], 10);
    assert_eq!(hall.games("j").into_iter().collect::<BTreeSet<_>>(), (0..10).collect());
    assert_eq!(hall.games("j").len(), 10);
}

/// What cannot work is told, with its file and line, before an engine is started, unless it takes an engine
/// to know it.
#[test]
fn faults_are_named_before_the_first_game() {
    let hall = Hall::new();
    let write = |name: &str, text: &str| fs::write(hall.path(name), text).unwrap();
    write("broken.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\nnot a position\n");
    write("broken.pgn", "[Event \"x\"]\n\n1. e4 e5\n2. Ke5 *\n");
    write("garbage.pgn", "1. e4 e5 *\n\n1. d4\n\nxyzzy d5 *\n");
    write("fen.pgn", "1. e4 e5 *\n\n[Event \"x\"]\n[FEN \"8/8 w - - 0 1\"]\n\n*\n");
    write("cut.pgn", "1. e4 e5 *\n\n1. d4 d5\n2. c4");
    write("empty.epd", "# nothing\n");
    write("broken.toml", "[[engine]]\nname = \"A\"\ncmd = \n");
    write("unknown.toml", "[[engine]]\nname = \"A\"\ncmd = \"./engine\"\ncolour = \"red\"\n");
    let play = "--each depth=1 --journal j";
    let cases: &[(&str, &[&str])] = &[
        ("--openings missing.epd", &["missing.epd"]),
        ("--openings broken.epd", &["broken.epd, line 2:"]),
        ("--openings broken.pgn", &["broken.pgn, line 4, game 1: ply 3:", "Ke5"]),
        ("--openings garbage.pgn", &["garbage.pgn, line 5, game 2: ply 2:", "xyzzy"]),
        ("--openings fen.pgn", &["fen.pgn, line 4, game 2:"]),
        ("--openings cut.pgn", &["cut.pgn, line 4, game 2:"]),
        ("--openings empty.epd", &["empty.epd"]),
        ("--pgn /no/such/folder/g.pgn", &["/no/such/folder/g.pgn"]),
        ("--report /no/such/folder/r.html", &["/no/such/folder/r.html"]),
        ("--moves /no/such/folder/m", &["/no/such/folder/m"]),
        ("--engines missing.toml", &["missing.toml"]),
        ("--engines broken.toml", &["broken.toml", "line 3"]),
        ("--engines unknown.toml", &["unknown.toml", "colour"]),
        ("--tb /no/such/tables", &["/no/such/tables"]),
        ("--format ladder", &["ladder", "swiss"]),
        ("--engine name=C cmd=./no-such-engine", &["no-such-engine"]),
        ("--engine name=A cmd=./engine", &["A"]),
        ("--engine name=C cmd=./engine tc=fast", &["tc=fast"]),
        ("--engine name=C cmd=./engine option.NoSuchOption=1 proto=uci", &["NoSuchOption", "Hash"]),
        ("--draw movcount=2", &["movcount"]),
        ("--resign score=much", &["score=much"]),
        ("--resign twosided=maybe", &["--resign: twosided=maybe", "neither on nor off"]),
        ("--resign movecount=0", &["--resign: movecount=0"]),
        ("--resign score=600 score=700", &["--resign: score= is given twice"]),
        (
            "--resign movecount=3 score=600 twosided=true twosided=false",
            &["--resign: twosided= is given twice"],
        ),
        ("--draw movenumber=40 movecount=8 score=10 score=20", &["--draw: score= is given twice"]),
        ("--draw movenumber=40 8", &["--draw: `8`"]),
        ("--draw score=-1", &["--draw: score=-1"]),
        ("--maxmoves 0", &["--maxmoves"]),
        ("--tb . --tbpieces 0", &["--tbpieces"]),
        ("--sprt elo0=5 elo1=0", &["elo0=5", "elo1=0"]),
        ("--sprt gamma=1", &["gamma"]),
        ("--sprt elo0=nan", &["--sprt: elo0=nan"]),
        ("--sprt stats=both", &["--sprt: stats=both"]),
        ("--sprt alpha=0.05 alpha=0.1", &["--sprt: alpha= is given twice"]),
        ("--budget 0", &["--budget"]),
        ("--budget 9999", &["--budget 9999", "--oversubscribe"]),
        ("--cores 8191", &["--cores", "8191"]),
        ("--cores 3-x", &["--cores", "3-x"]),
        ("--forfeits often", &["--forfeits", "often"]),
        ("--format gauntlet:2", &["gauntlet:2", "2 players"]),
        ("--stall=-1", &["--stall"]),
        ("--live here", &["--live", "here"]),
        ("--start 0", &["--start"]),
    ];
    for (options, named) in cases {
        let output = hall.run(&format!("{play} {options}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{options}: {}: {errors}", output.status);
        assert!(!errors.contains("panicked"), "{options}: {errors}");
        for word in *named {
            assert!(errors.contains(word), "{options} should name {word}: {errors}");
        }
        assert_eq!(hall.games("j"), Vec::<u64>::new(), "{options}: a game was played");
        // A missing program and an option no engine has take an engine to know.
        if !["no-such-engine", "NoSuchOption"].contains(&named[0]) {
            assert!(!hall.path("an-engine-ran").exists(), "{options}: an engine was started");
        }
        let _ = fs::remove_file(hall.path("an-engine-ran"));
        let _ = fs::remove_file(hall.path("j"));
    }
}

/// Without a book a game of Chess960 begins in one of its start positions, and not in the usual one.
#[test]
fn chess960_without_a_book_is_chess960() {
    let hall = Hall::new();
    let output = hall.run("--chess960 --each depth=1 --rounds 3 --maxmoves 2 --json --pgn g.pgn");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(hall.path("g.pgn")).unwrap();
    let fens: Vec<&str> = text.lines().filter(|line| line.starts_with("[FEN ")).collect();
    assert_eq!((fens.len(), fens.iter().collect::<BTreeSet<_>>().len()), (6, 3), "{text}");
    assert_eq!(text.matches("[Variant \"Chess960\"]").count(), 6);
}

/// Below ten pairs a report says that there are too few for an interval, everywhere.
#[test]
fn too_few_pairs_have_no_interval() {
    let hall = Hall::new();
    let output = hall.run("--each nodes=1 --rounds 2 --maxmoves 2 --report r.html");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("too few games for 95 % intervals") && text.contains("± ?"), "{text}");
    assert!(fs::read_to_string(hall.path("r.html")).unwrap().contains("too few games for 95 % intervals"));
}

/// The calculators, on results whose numbers others have published (fastchess's tests).
#[test]
fn the_calculators_calculate() {
    let run = |arguments: &str| {
        let output = Command::new(tests::firstborn()).args(arguments.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        document(&output)
    };
    let sprt = run("sprt --pairs 127,4883,10712,5150,104 --elo0 -1.75 --elo1 0.25 --json");
    assert!(
        (sprt["llr"].as_f64().unwrap() - 3.01).abs() < 0.005 && sprt["verdict"] == "H1 accepted",
        "{sprt}"
    );
    // Wald's bounds: a false H1 is as rare as alpha says, a false H0 as beta says.
    let sprt = run("sprt --wdl 10,10,10 --alpha 0.01 --beta 0.2 --json");
    for (bound, ratio) in [("upper", (1.0 - 0.2) / 0.01), ("lower", 0.2 / (1.0 - 0.01_f64))] {
        assert!((sprt[bound].as_f64().unwrap() - ratio.ln()).abs() < 1e-9, "{sprt}");
    }
    let elo = run("elo --wdl 136,111,96 --json");
    assert!((elo["elo"].as_f64().unwrap() - 40.70).abs() < 0.005, "{elo}");
    // By the names of a match: what others print is the normal approximation, which is too narrow.
    for (key, normal) in [("elo_error", 30.43), ("nelo_error", 36.77)] {
        let error = |key: &str| elo[key].as_f64().unwrap_or_else(|| panic!("no {key} in {elo}"));
        assert!((error(&format!("{key}_normal")) - normal).abs() < 0.005, "{elo}");
        assert!((normal + 0.01..normal + 1.0).contains(&error(key)), "{elo}");
    }
    let simulated = run("sprt --pairs 5,20,50,20,5 --elo1 60 --simulate 20 --json");
    assert_eq!(simulated["simulation"]["matches"], 20, "{simulated}");
}

/// What a script reads of a terminal: the last score, the Elo and how the match ended.
#[cfg(unix)]
struct Seen {
    score: (u64, u64, u64),
    elo: bool,
    finished: usize,
    over: bool,
}

#[cfg(unix)]
fn seen(text: &str) -> Seen {
    let mut seen = Seen { score: (0, 0, 0), elo: false, finished: 0, over: false };
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Score of A vs B: ") {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let number = |index: usize| words[index].parse().unwrap();
            seen.score = (number(0), number(2), number(4));
        }
        seen.elo |=
            line.starts_with("Elo difference: ") || line.starts_with("Elo: ") && line.contains(" +/- ");
        seen.finished += usize::from(line.starts_with("Finished game "));
        seen.over |= line == "Finished match";
    }
    seen
}

#[cfg(unix)]
const FRONT_ENDS: [(&str, &str, &str); 2] = [
    (
        "fastchess",
        "-each proto=uci depth=1 option.NoSuch=1",
        "-output format=cutechess -pgnout file=g.pgn -crc32 pgn=true",
    ),
    ("cutechess", "-each proto=uci tc=inf depth=1 option.NoSuch=1", "-pgnout g.pgn"),
];

/// The command lines of other runners, by subcommand and by the program's name: what scripts read is there,
/// options that an engine does not have are left out with a warning, and the games are replayed by another
/// program's rules.
#[test]
#[cfg(unix)]
fn other_runners_command_lines_are_played() {
    for (front, each, more) in FRONT_ENDS {
        let hall = Hall::new();
        let name = if front == "fastchess" { "fastchess-ob" } else { "cutechess-cli" };
        std::os::unix::fs::symlink(tests::firstborn(), hall.path(name)).unwrap();
        let line = format!(
            "-engine cmd=./engine name=A -engine cmd=./engine name=B {each} -rounds 2 -games 2 -repeat -maxmoves 8 {more}"
        );
        for (program, words, games) in [
            (tests::firstborn().to_path_buf(), format!("{front} {line}"), 4),
            (hall.path(name), line.clone(), 8),
        ] {
            let output = hall.other(&program, &words);
            let (text, errors) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{words}: {text}{errors}");
            let seen = seen(&text);
            let (won, lost, drawn) = seen.score;
            assert_eq!(
                (seen.finished, won + lost + drawn, seen.elo, seen.over),
                (4, 4, true, true),
                "{text}"
            );
            assert!(
                text.contains("Started game 1 of 4 (A vs B)")
                    && text.contains("Started game 2 of 4 (B vs A)")
            );
            let pgn = fs::read_to_string(hall.path("g.pgn")).unwrap();
            if front == "fastchess" {
                assert!(text.contains("\nWarning; A doesn't have option NoSuch\n"), "{text}{errors}");
                let (_, told) = text.rsplit_once("g.pgn has CRC32: 0x").unwrap_or_else(|| panic!("{text}"));
                let checksum = u32::from_str_radix(told.lines().next().unwrap(), 16);
                assert_eq!(checksum, Ok(crc32fast::hash(pgn.as_bytes())), "{text}");
            } else {
                assert!(errors.contains("Warning: A: it has no option `NoSuch`"), "{errors}");
            }
            assert_eq!(pgn.matches("[Result ").count(), games, "games are added to the file");
            assert!(pgn.contains("[PlyCount \"16\"]") && pgn.contains("[GameDuration "), "{pgn}");
        }
        assert_eq!(hall.path("config.json").exists(), front == "fastchess");
        assert_eq!(hall.left_behind(), Vec::<String>::new());
    }
}

/// A name that a file of the folder and a program in PATH have: cutechess-cli takes the first, fastchess the second,
/// and from the folder what PATH does not have.
#[test]
#[cfg(unix)]
fn a_bare_command_is_the_program_that_the_other_runner_takes() {
    let hall = Hall::new();
    let marks = ["an-engine-ran", "the-one-in-path-ran"].map(|name| hall.path(name));
    let script =
        format!("#!/bin/sh\n: >'{}'\nexec '{}' uci\n", marks[1].display(), tests::firstborn().display());
    fs::create_dir(hall.path("bin")).unwrap();
    tests::executable(&hall.path("bin/engine-of-this-hall"), script);
    tests::executable(&hall.path("engine-of-this-hall"), fs::read(hall.path("engine")).unwrap());
    let engine = "-engine cmd=engine-of-this-hall name";
    for (line, folder, ran) in [
        ("cutechess -each proto=uci tc=inf depth=1", "bin", [true, false]),
        ("fastchess -each depth=1", "bin", [false, true]),
        ("fastchess -each depth=1", "missing", [true, false]),
    ] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(hall.path(folder)).chain(std::env::split_paths(&path));
        let words = format!("{line} {engine}=A {engine}=B -rounds 1 -games 2 -maxmoves 2");
        let mut command = Command::new(tests::firstborn());
        command.current_dir(hall.folder.path()).args(words.split(' '));
        command.env("FIRSTBORN_CPU_LOCKS", hall.path("locks")).env("QUIET_START", "1");
        let output = command.env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!([marks[0].exists(), marks[1].exists()], ran, "{words}, {folder} in PATH");
        for mark in marks.iter().filter(|mark| mark.exists()) {
            fs::remove_file(mark).unwrap();
        }
    }
}

/// An engine of cutechess's list, with what cutechess keeps of it; its program lies in the folder and not in PATH.
/// Another one of the list, which does not play, could not.
#[test]
#[cfg(unix)]
fn engines_of_cutechess_lists_play() {
    let hall = Hall::new();
    tests::executable(&hall.path("engine-of-this-hall"), fs::read(hall.path("engine")).unwrap());
    let list = r#"[{"command": "engine-of-this-hall", "debug": true, "name": "E", "protocol": "uci",
        "stderrFile": "", "timeoutScale": 2, "variants": ["standard"], "workingDirectory": ""},
        {"command": "no-such-engine", "name": "F", "protocol": "uci", "timeoutScale": 0}]"#;
    fs::write(hall.path("engines.json"), list).unwrap();
    let line = "cutechess -engine conf=E name=A -engine conf=E name=B -each tc=inf depth=1 -maxmoves 2";
    let output = hall.other(tests::firstborn(), line);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("Finished game 1 (A vs B)"), "{text}{errors}");
}

/// fastchess's `-strict` sees options that an engine does not have, values that it does not take, and variations that
/// are none; its warnings stand on standard output in its words. The games left are not played, and no option of ours
/// makes the status a good one.
#[test]
#[cfg(unix)]
fn a_strict_match_fails_by_every_warning() {
    let hall = Hall::new();
    let odd = "#!/bin/sh\n./engine | while read -r line; do case $line in \
               *' pv '*) echo \"${line%% pv *} pv a1a1\";; *) echo \"$line\";; esac; done\n";
    tests::executable(&hall.path("odd"), odd);
    for (name, words) in [("mute", ""), ("vague", "echo info string words")] {
        let script = format!(
            "#!/bin/sh\n./engine | while read -r line; do case $line in info*) {words} ;; \
             *) echo \"$line\";; esac; done\n"
        );
        tests::executable(&hall.path(name), script);
    }
    let played = |first: &str, more: &str| {
        let engines = format!("-engine cmd=./{first} name=A -engine cmd=./engine name=B");
        let line = format!(
            "fastchess {engines} -each depth=1 -rounds 3 -games 1 -concurrency 1 -maxmoves 20 {more}"
        );
        let output = hall.other(tests::firstborn(), &line);
        let told = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        (output.status.code(), told[0].clone(), told.concat())
    };
    let finished = |text: &str| text.lines().filter(|line| line.starts_with("Finished game ")).count();
    // What is known before the first game lets it not be finished; what a game shows is known when it is.
    for (first, option, warning, before) in [
        ("engine", "-each option.NoSuch=1", "Warning; A doesn't have option NoSuch", 0),
        ("engine", "-each option.hash=-5", "Warning; Invalid value for option hash; -5", 0),
        ("odd", "", "Warning; Illegal PV move - from A", 1),
        ("vague", "", "Warning; No info line available to extract score from engine A", 1),
    ] {
        for (more, status, games) in
            [("", 0, 3), ("-strict", 1, before), ("-strict --forfeits count", 1, before)]
        {
            let (found, text, all) = played(first, &format!("{option} {more}"));
            assert_eq!(found, Some(status), "{first} {option} {more}: {all}");
            assert!(text.lines().any(|line| line == warning), "{warning}: {all}");
            // The next game may have begun by then, and may end on a busy machine before it hears of it.
            let most = if status == 0 || games == 0 { games } else { games + 1 };
            assert!((games..=most).contains(&finished(&text)), "{first} {option} {more}: {all}");
        }
    }
    // An engine that writes its moves and nothing else is none to warn of, as there.
    for first in ["engine", "mute"] {
        let (found, text, all) = played(first, "-strict");
        assert!(found == Some(0) && !text.contains("Warning; ") && finished(&text) == 3, "{first}: {all}");
    }
}

/// What cutechess-cli's `-debug all` prints: each question before its answer, whichever thread writes the line, and the
/// word that has UCI engines talk.
#[test]
#[cfg(unix)]
fn a_question_stands_before_its_answer() {
    let hall = Hall::new();
    let line = "cutechess -engine cmd=./engine name=A -engine cmd=./engine name=B -each proto=uci tc=inf depth=1 \
                -games 10 -maxmoves 30 -debug all";
    let output = hall.other(tests::firstborn(), line);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    // Of each process the questions that are open.
    let (mut open, mut asked) = (BTreeMap::<&str, u32>::new(), 0);
    for line in text.lines() {
        let Some((process, said)) = line.split_once(' ').and_then(|(_, rest)| rest.split_once(": ")) else {
            continue;
        };
        let Some((mark, name)) = process.split_at_checked(1) else { continue };
        let open = open.entry(name).or_default();
        match (mark, said) {
            (">", "isready") => (*open, asked) = (*open + 1, asked + 1),
            ("<", "readyok") => {
                assert!(*open > 0, "{line}: {text}");
                *open -= 1;
            }
            _ => {}
        }
    }
    assert!(asked > 100 && text.contains(" >A(") && text.contains("): debug on\n"), "{asked}: {text}");
}

/// A game of PGN without what is different each time, or comes from the table of openings.
#[cfg(unix)]
fn timeless(pgn: &str) -> Vec<String> {
    let told = |line: &&str| {
        !["[Date ", "[Game", "[ECO ", "[Opening ", "[Variation "].iter().any(|tag| line.starts_with(tag))
    };
    let without_time = |word: &str| {
        let inner = word.trim_end_matches(['}', ',']);
        let time = inner.strip_suffix('s').is_some_and(|seconds| seconds.parse::<f64>().is_ok());
        if time { word[inner.len()..].to_owned() } else { word.to_owned() }
    };
    pgn.lines().filter(told).flat_map(str::split_whitespace).map(without_time).collect()
}

/// Matches that cutechess-cli played with Stockfish 15.1 at fixed nodes: the same moves, evaluations (those
/// of bounds do not count), adjudications and results, the same lines on the terminal, the same last
/// positions.
#[test]
#[cfg(unix)]
fn recorded_matches_of_cutechess_are_played_again() {
    let data = std::env::var_os("FIRSTBORN_RUNNER_DATA")
        .map_or_else(|| tests::workspace().join("../shared/data/runner"), std::path::PathBuf::from);
    if !data.is_dir() {
        return tests::skipped("there are no recorded matches");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/games".into()]);
    let is_it = |program: &std::path::PathBuf| {
        let output = Command::new(program).arg("quit").output();
        output.is_ok_and(|output| output.stdout.starts_with(b"Stockfish 15.1 "))
    };
    let Some(stockfish) = folders.map(|folder| folder.join("stockfish")).find(is_it) else {
        return tests::skipped("Stockfish 15.1, which the matches were recorded with, is not here");
    };
    for name in ["cutechess-m1-twosided", "cutechess-m2-onesided"] {
        let (hall, recorded) = (Hall::new(), data.join("matches").join(name));
        std::os::unix::fs::symlink(&stockfish, hall.path("stockfish")).unwrap();
        for book in ["book50.epd", "book30.pgn"] {
            fs::copy(data.join("openings").join(book), hall.path(book)).unwrap();
        }
        let command = fs::read_to_string(recorded.join("command.txt")).unwrap();
        let words = command.lines().next().unwrap().trim_start_matches("./cutechess-cli");
        let line = format!("exec '{}' cutechess {words}", tests::firstborn().display());
        let mut shell = Command::new("sh");
        shell
            .current_dir(hall.folder.path())
            .arg("-c")
            .arg(line)
            .env("FIRSTBORN_CPU_LOCKS", hall.path("locks"));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let read = |file: &str| {
            let plain = fs::read_to_string(recorded.join(file));
            plain.unwrap_or_else(|_| {
                let packed = recorded.join(format!("{file}.gz"));
                let unpacked = Command::new("gzip").arg("-cd").arg(packed).output().unwrap();
                String::from_utf8(unpacked.stdout).unwrap()
            })
        };
        assert_eq!(String::from_utf8_lossy(&output.stdout), read("terminal.txt"), "{name}");
        let (theirs, ours) =
            (timeless(&read("games.pgn")), timeless(&fs::read_to_string(hall.path("games.pgn")).unwrap()));
        let differs = theirs.iter().zip(&ours).position(|(one, other)| one != other);
        assert!(
            theirs.len() > 1000 && theirs.len() == ours.len() && differs.is_none(),
            "{name}: word {differs:?}"
        );
        assert_eq!(fs::read_to_string(hall.path("final.epd")).unwrap(), read("final.epd"), "{name}");
    }
}

/// fastchess's file of settings and results: a match goes on from it, and another file of that name is left
/// alone.
#[test]
fn a_match_goes_on_from_its_settings() {
    let hall = Hall::new();
    let line =
        "fastchess -engine cmd=./engine name=A -engine cmd=./engine name=B -each depth=1 -maxmoves 4 -rounds";
    assert!(hall.other(tests::firstborn(), &format!("{line} 2 -report penta=true")).status.success());
    let saved: Value = serde_json::from_str(&fs::read_to_string(hall.path("config.json")).unwrap()).unwrap();
    assert_eq!(
        (saved["rounds"].as_u64(), saved["stats"]["A vs B"]["draws"].as_u64()),
        (Some(2), Some(4)),
        "{saved}"
    );
    let output =
        hall.other(tests::firstborn(), "fastchess -config file=config.json outname=two.json -rounds 3");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Started game 5 of 6 (A vs B)") && !text.contains("Started game 4"), "{text}");
    assert!(text.contains("Games: 6, "), "{text}");
    // A page cannot show games that are only counted.
    let refused = hall.other(tests::firstborn(), "fastchess -config file=two.json -rounds 4 --report r.html");
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("leave --report away"), "{told}");
    // What the file says is forgotten, and not what the line says; without a file nothing is.
    for before in ["-config file=config.json discard=true", "-config discard=true"] {
        let output = hall.other(tests::firstborn(), &format!("{line} 1 {before} -event again"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("Started game 1 of 2 (A vs B)"), "{before}: {text}");
    }
    let output = hall.other(tests::firstborn(), &format!("{line} 1 -engine cmd=./none name=C"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && errors.contains("engine 3 (`C`)"), "{errors}");
    fs::write(hall.path("config.json"), "{\"mine\": 1}").unwrap();
    let output = hall.other(tests::firstborn(), &format!("{line} 1"));
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains("left alone"));
    assert_eq!(fs::read_to_string(hall.path("config.json")).unwrap(), "{\"mine\": 1}");
}

/// What one runner has and the other has not, or has no more, is an error that says what to use.
#[test]
fn flags_of_the_other_runner_are_pointed_out() {
    let hall = Hall::new();
    let engines = "-engine cmd=./engine name=A -engine cmd=./engine name=B -rounds 1";
    for (line, says) in [
        (
            "fastchess -each depth=1 -pgnout games.pgn",
            "-pgnout: `games.pgn` is not of the form key=value: write file=games.pgn",
        ),
        (
            "fastchess -each depth=1 -tournament round-robin",
            "`round-robin` is neither roundrobin nor gauntlet",
        ),
        ("fastchess -each depth=1 ponder=on", "`firstborn cutechess` has ponder"),
        ("cutechess -both proto=uci tc=inf depth=1", "-both: is not a flag any more; write -each"),
        (
            "cutechess -each proto=uci tc=inf depth=1 -sprt elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized",
            "`firstborn fastchess` and `firstborn tournament` have it",
        ),
    ] {
        let output = hall.other(tests::firstborn(), &format!("{line} {engines}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && errors.contains(says), "{line}: {errors}");
        assert!(!hall.path("an-engine-ran").exists(), "{line}");
    }
}

/// Openings that cannot be used refuse a book, or are left out with their number and places.
#[test]
fn bad_openings_are_left_out_where_that_is_wanted() {
    let hall = Hall::new();
    let good = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    fs::write(hall.path("b.epd"), format!("{good}\nnonsense\n")).unwrap();
    let options = "--each depth=1 --maxmoves 2 --json --openings b.epd";
    let refused = hall.run(options);
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("b.epd, line 2"));
    let output = hall.run(&format!("{options} --skip-bad --pgn g.pgn"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("1 opening of 2 left out"), "{errors}");
    assert!(errors.contains("b.epd, line 2"), "{errors}");
    let pgn = fs::read_to_string(hall.path("g.pgn")).unwrap();
    assert_eq!(pgn.matches(good).count(), 2, "{pgn}");
}

/// Policies, colours, double Chess960, fields, final positions and logs of the house's own command.
#[test]
fn openings_colours_fields_and_logs_as_wanted() {
    let hall = Hall::new();
    let options = "--each depth=2 --rounds 2 --maxmoves 3 --json --noswap --chess960=double --policy encounter --seed 4 \
                   --pgn g.pgn --pgn-fields all --epd ends.epd --log logs --wait 1";
    let output = hall.run(options);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let pgn = fs::read_to_string(hall.path("g.pgn")).unwrap();
    let fens: BTreeSet<&str> = pgn.lines().filter(|line| line.starts_with("[FEN ")).collect();
    assert_eq!(fens.len(), 1, "two players alone keep their opening: {pgn}");
    let board = fens.first().unwrap().trim_start_matches("[FEN \"").split(' ').next().unwrap();
    let ranks: Vec<&str> = board.split('/').collect();
    assert_ne!(ranks[0].to_uppercase(), ranks[7], "{board}");
    assert_eq!(
        pgn.matches("[White \"A\"]").count() % 4,
        2,
        "colours change from encounter to encounter only: {pgn}"
    );
    for field in ["sd=", "nps=", "hashfull=", "latency=", "pv=\""] {
        assert!(pgn.contains(field), "{field}: {pgn}");
    }
    assert_eq!(fs::read_to_string(hall.path("ends.epd")).unwrap().lines().count(), 4);
    let logs: Vec<String> = fs::read_dir(hall.path("logs"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(logs.len(), 4);
    assert!(
        logs.iter().all(|log| log.contains("A< go depth 2") && log.contains("B> bestmove")),
        "{}",
        logs[0]
    );
}

/// A game of a journal is played through again by the engines that played it, or by others in their places.
#[test]
#[cfg(unix)]
fn a_game_of_a_journal_is_replayed() {
    let hall = Hall::new();
    let played = hall.run("--each nodes=300 --rounds 1 --maxmoves 8 --budget 1 --journal j");
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let journal = fs::read_to_string(hall.path("j")).unwrap();
    let replay = |words: &str| {
        let output = hall.other(tests::firstborn(), &format!("replay j {words}"));
        let [told, errors] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        (output.status.code(), told, errors)
    };
    for game in [1, 2] {
        let line = journal.lines().find(|line| line.starts_with(&format!("{{\"id\":{},", game - 1))).unwrap();
        let record: Value = serde_json::from_str(line).unwrap();
        let asked = record["moves"].as_array().unwrap().iter().filter(|mv| mv.get("t").is_some()).count();
        let (status, told, errors) = replay(&format!("--game {game}"));
        assert_eq!(status, Some(0), "{told}{errors}");
        assert!(told.contains("the same moves again: "), "{told}");
        let output = hall.other(tests::firstborn(), &format!("replay j --game {game} --json"));
        let told = document(&output);
        assert_eq!((&told["same"], &told["differences"]), (&Value::Bool(true), &serde_json::json!([])));
        let answers = |key: &str| -> u64 {
            told["players"].as_array().unwrap().iter().map(|player| player[key].as_u64().unwrap()).sum()
        };
        assert_eq!((answers("answers"), answers("same")), (asked as u64, asked as u64), "{told}");
    }
    let refused = |words: &str, says: &str| {
        let (status, _, errors) = replay(words);
        assert!(status == Some(1) && errors.contains(says), "{words}: {status:?} {errors}");
    };
    refused("--game 3", "holds no game 3: it has 2 games, numbers 1 to 2");
    refused("", "j is a journal: say which of its games with --game N");
    refused("--game 1 --player C", "game 1 was played by ");
    refused("--game 1 --cmd ./engine", "--player");
    assert_eq!(replay("--player A").0, Some(2), "--player is of a game");

    // One that always says the same, which is never legal.
    let script = "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                  go*) echo bestmove a2a5;; quit) exit 0;; esac; done\n";
    tests::executable(&hall.path("other"), script);
    let (status, told, errors) = replay("--game 1 --player A --cmd ./other --show");
    assert_eq!(status, Some(3), "{told}{errors}");
    for words in
        ["A played ", " and now answers ", "a2a5`, which is not legal", "A< go nodes 300", "A> bestmove"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("B<"), "B is not asked: {told}");

    let engine = fs::read_to_string(hall.path("engine")).unwrap();
    tests::executable(&hall.path("engine"), format!("{engine}# built anew\n"));
    refused("--game 1", "is not the one that played this game: its program");
    refused("--game 1", "--same-engine");
    assert_eq!(replay("--game 1 --same-engine").0, Some(0));
    fs::remove_file(hall.path("engine")).unwrap();
    refused("--game 1 --same-engine", "is gone: there is no program");
    assert_eq!(hall.left_behind(), Vec::<String>::new());
}
