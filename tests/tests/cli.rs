//! The binary's commands as a shell uses them: help, JSON, exit codes, and messages that name what is wrong.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use tempfile::NamedTempFile;

/// The command line after `firstborn`.
fn firstborn(arguments: &[&str]) -> Command {
    let mut command = Command::new(tests::firstborn());
    command.args(arguments);
    command
}

/// Standard output of a successful run.
fn output(arguments: &[&str]) -> String {
    let assert = firstborn(arguments).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// The one JSON document that a command prints, on one line and with nothing else.
fn json(arguments: &[&str]) -> Value {
    let text = output(arguments);
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(document["schema"].is_u64(), "{document}");
    document
}

fn assert_keys(document: &Value, keys: &str) {
    for key in keys.split(' ') {
        assert!(document.get(key).is_some_and(|value| !value.is_null()), "no {key} in {document}");
    }
}

/// Standard error of a refused run, which ends with exit code 1 or 2 and no panic.
fn refusal(arguments: &[&str]) -> String {
    let assert = firstborn(arguments).assert().failure();
    let output = assert.get_output();
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {}: {errors}", output.status);
    assert!(!errors.contains("panicked"), "{errors}");
    errors
}

/// A file that lives as long as the test.
fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn path(file: &NamedTempFile) -> &str {
    file.path().to_str().unwrap()
}

#[test]
fn help_names_every_command_and_its_options() {
    let commands = [
        (
            "analyze",
            "--threads --hash --scheme --bind --depth --nodes --movetime --multipv --eval --eval-file --json",
        ),
        ("battery", "--out --quick --minutes --from --json"),
        ("speedtest", "--threads --scheme --hash --limit --json"),
        ("bench", "--depth --parallel --eval --eval-file --json"),
        ("perft", "--fen --divide --threads --suite --json"),
        (
            "suite",
            "--threads --hash --scheme --driver --bind --depth --nodes --movetime --limit --eval --eval-file --json",
        ),
        ("topology", "--lines --json"),
        ("uci", "--help"),
        ("xboard", "--help"),
        ("completions", "bash"),
        ("man", "--help"),
    ];
    let overview = output(&["--help"]);
    for (command, options) in commands {
        assert!(overview.contains(command), "{command} is missing in {overview}");
        let help = output(&[command, "--help"]);
        for option in options.split(' ') {
            assert!(help.contains(option), "{command} --help does not mention {option}:\n{help}");
        }
    }
    assert!(output(&["--version"]).starts_with("firstborn "));
    // Of the program, although it is a word of the session as well.
    assert_eq!(output(&["help", "perft"]), output(&["perft", "--help"]));
    assert_eq!(output(&["help"]), overview);
}

/// The facts are those of reports. A build has the feature `tuning` if it offers the search's numbers as options.
#[test]
fn the_version_tells_how_the_program_was_built() {
    let long = output(&["--version"]);
    let document = json(&["topology", "--json"]);
    let (program, machine) = (&document["provenance"]["program"], &document["provenance"]["machine"]);
    let text = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    let mut target = vec![text(&machine["arch"])];
    target.extend(machine["compiled_for"].as_array().expect("a list").iter().map(text));
    let (commit, compiler) = (text(&program["commit"]), text(&program["compiler"]));
    let built = format!("(commit {commit}, {compiler}, {}", target.join(" "));
    let short = concat!("firstborn ", env!("CARGO_PKG_VERSION"));
    assert!(long.starts_with(&format!("{short} {built}")), "no {short} {built} in {long}");
    assert_eq!(long.lines().count(), 1, "{long}");
    assert_eq!(output(&["-V"]).trim_end(), short);
    let session = firstborn(&["uci"]).write_stdin("uci\nquit\n").output().expect("it runs").stdout;
    let tuned = String::from_utf8_lossy(&session).contains("option name reduction_base ");
    assert_eq!(long.contains("features ") && long.contains("tuning"), tuned, "{long}");
    let (name, rest) = long.split_once(' ').expect("more than a name");
    assert_eq!(output(&["tournament", "--version"]), format!("{name}-tournament {rest}"));
    assert!(!output(&["man"]).contains("rustc"), "the manual is that of every build");
}

#[test]
fn analyze_prints_its_document() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let mut nodes = Vec::new();
    for (scheme, driver) in [("serial", "pvs"), ("serial", "mtdf"), ("lazy", "mtdf")] {
        let document = json(&[
            "analyze",
            kiwipete,
            "--depth",
            "6",
            "--threads",
            "2",
            "--scheme",
            scheme,
            "--driver",
            driver,
            "--json",
        ]);
        assert_keys(
            &document,
            "bestmove ponder score depth seldepth nodes nps time_ms threads scheme driver pv",
        );
        assert_eq!((&document["scheme"], &document["driver"]), (&scheme.into(), &driver.into()));
        nodes.push(document["nodes"].clone());
        assert!(document["depth"].as_u64().unwrap() >= 6, "{document}");
        assert_eq!(document["pv"][0], document["bestmove"]);
        assert!(document["score"]["cp"].is_i64(), "{document}");
    }
    assert_ne!(nodes[0], nodes[1], "the driver makes no difference");
    // One thread ends at a limit of nodes exactly, in the middle of an iteration as well, and every line is there.
    let words = "analyze --threads 1 --nodes 23456 --multipv 3 --json";
    let document = json(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(document["nodes"], 23_456);
    let lines = document["lines"].as_array().expect("lines");
    let heads: BTreeSet<_> = lines.iter().map(|line| line["pv"][0].to_string()).collect();
    assert_eq!((lines.len(), heads.len(), &lines[0]["pv"]), (3, 3, &document["pv"]));
    // The words of a FEN need no quotes.
    let document = json(&[
        "analyze",
        "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4",
        "w",
        "-",
        "-",
        "0",
        "1",
        "--depth",
        "8",
        "--json",
    ]);
    assert_eq!((&document["score"]["mate"], &document["bestmove"]), (&Value::from(2), &Value::from("h6h7")));
}

#[test]
fn analyze_obeys_its_limits_and_explains_itself() {
    let text = output(&["analyze", "--nodes", "20000", "--threads", "1", "--multipv", "2"]);
    assert!(text.contains("White plays"), "{text}");
    let document = json(&["analyze", "--nodes", "20000", "--threads", "1", "--json"]);
    assert!(document["nodes"].as_u64().unwrap() <= 20_000);
    assert!(output(&["analyze", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]).contains("stalemate"));
    let mate = json(&["analyze", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "--json"]);
    assert_eq!(mate["bestmove"], Value::Null);
    assert_eq!(mate["ending"], "checkmate");
    assert_eq!(document["ending"], Value::Null);
}

/// One node less than an iteration takes cuts it short, and it is the one before that was finished.
#[test]
fn the_depth_that_is_told_was_finished() {
    let one = |words: &str| format!("analyze --threads 1 --hash 16 {words}");
    let run = |words: &str| output(&one(words).split(' ').collect::<Vec<_>>());
    let document = |words: &str| json(&one(&format!("{words} --json")).split(' ').collect::<Vec<_>>());
    let mut cut_short = 0;
    for depth in 7..=10_u64 {
        let whole = document(&format!("--depth {depth}"))["nodes"].as_u64().expect("a count");
        let words = format!("--nodes {}", whole - 1);
        let found = document(&words);
        assert_eq!(found["depth"], depth - 1, "{found}");
        let text = run(&words);
        assert!(text.contains(&format!(" to depth {} (", depth - 1)), "{text}");
        let begun = found["lines"][0]["depth"] == depth;
        let said = format!("The last iteration, to depth {depth}, was cut short");
        assert_eq!(text.contains(&said), begun, "{text}");
        cut_short += u32::from(begun);
    }
    assert!(cut_short > 0, "no iteration was cut short");
}

#[test]
fn bench_ends_with_its_signature() {
    let text = output(&["bench", "--depth", "5"]);
    let last: Vec<&str> = text.trim_end().lines().last().unwrap().split(' ').collect();
    let [nodes, "nodes", nps, "nps"] = last[..] else { panic!("{text}") };
    assert!(nodes.parse::<u64>().unwrap() > 1000 && nps.parse::<u64>().is_ok());
    // The two patterns of OpenBench find it too.
    let document = json(&["bench", "--depth", "5", "--json"]);
    assert_keys(&document, "nodes nps time_ms");
    assert_eq!(document["nodes"].to_string(), nodes, "the signature does not depend on the output");
}

#[test]
fn perft_counts() {
    // Counts from the Chess Programming Wiki.
    let document = json(&["perft", "4", "--json"]);
    assert_keys(&document, "depth nodes nps time_ms");
    assert_eq!(document["nodes"], 197_281);
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let text = output(&["perft", "3", "--fen", kiwipete, "--divide", "--threads", "2"]);
    let below: Vec<u64> = text.lines().filter_map(|line| line.split_once(": ")?.1.parse().ok()).collect();
    assert_eq!((below.len(), below.iter().sum::<u64>()), (48, 97_862));
    assert!(text.contains("97862"));
}

#[test]
fn perft_suites_are_checked_and_faults_named_by_line() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let good =
        file(&format!("# counts\n{start} ;D1 20 ;D2 400 ;D3 8902\n\nid x\nepd {start}\nperft 2 400\n"));
    let document = json(&["perft", "--suite", path(&good), "--json"]);
    assert_keys(&document, "passed failed");
    assert_eq!((&document["passed"], &document["failed"]), (&Value::from(4), &Value::from(0)));

    let errors = refusal(&["perft", "--suite", path(&good), "--cap", "10"]);
    assert!(errors.contains("--cap 10"), "{errors}");

    let wrong = file(&format!("{start} ;D1 20\n{start} ;D2 401\n"));
    let errors = refusal(&["perft", "--suite", path(&wrong)]);
    assert!(errors.contains(&format!("{}:2", path(&wrong))) && errors.contains("401"), "{errors}");

    let broken = [
        (format!("{start} ;D1 20\n8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n"), ":2"),
        (format!("{start} ;D1 20\n\n{start} ;D2 many\n"), "many"),
        (format!("{start} ;D1\n"), ":1"),
        (format!("{start} ;D21 1\n"), "21"),
        ("perft 1 20\n".to_string(), ":1"),
        ("nonsense\n".to_string(), ":1"),
        (String::new(), "no perft counts"),
    ];
    for (text, named) in broken {
        let broken = file(&text);
        let errors = refusal(&["perft", "--suite", path(&broken)]);
        assert!(errors.contains(path(&broken)) && errors.contains(named), "{text}: {errors}");
    }
}

/// A byte order mark, Latin-1, the line ends of other systems, a right to castle that no rook is there for,
/// and packing: one reader takes them all, for suites, perft and studies alike.
#[test]
fn files_of_positions_are_read_whatever_wrote_them() {
    let suite = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w KQ - bm Rd8#; id \"M\u{fc}ller\";\n# c\n\n\
                 7k/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"2\"; D1 20;\n";
    let counts = suite.replace("bm", "D1 20; bm");
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let ended = |text: &str| text.replace('\n', "\r\n").into_bytes();
    for dress in [latin as fn(&str) -> Vec<u8>, marked, ended] {
        let (mut solved, mut counted) = (NamedTempFile::new().unwrap(), NamedTempFile::new().unwrap());
        solved.write_all(&dress(suite)).unwrap();
        counted.write_all(&dress(&counts)).unwrap();
        let document = json(&["suite", path(&solved), "--depth", "2", "--threads", "1", "--json"]);
        assert_eq!(document["solved"], 2, "{document}");
        assert_eq!(document["positions"][0]["id"], "M\u{fc}ller");
        let document = json(&["perft", "--suite", path(&counted), "--json"]);
        assert_eq!(document["positions"], 2, "{document}");
        let study =
            ["scaling", "--clock", "virtual", "--threads", "1", "--depth", "1", "--json", "--positions"];
        let document = json(&[&study[..], &[path(&solved)]].concat());
        assert_eq!(document["searched"].as_array().map(Vec::len), Some(2), "{document}");
    }
}

/// What a book cannot be made of is refused, and nothing is written.
#[test]
fn a_book_is_made_of_games_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("one.pgn"), "1. e4$1 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n").unwrap();
    std::fs::write(at("bad.pgn"), "1. e4 *\n1. e5 *\n").unwrap();
    std::fs::write(at("own.epd"), "4k3/8/8/8/8/8/8/4K2R w K -\n").unwrap();
    std::fs::write(at("old.bin"), [0; 16]).unwrap();
    let out = at("out.bin");
    assert!(output(&["book", &at("one.pgn"), "--out", &out]).contains("5 moves from 1 game\n"));
    std::fs::remove_file(&out).unwrap();
    for (name, least, says) in [
        ("bad.pgn", "1", "line 2, game 2: ply 1: "),
        ("own.epd", "1", ".pgn"),
        ("old.bin", "1", ".pgn"),
        ("one.pgn", "2", "2 times"),
    ] {
        let errors = refusal(&["book", &at(name), "--least", least, "--out", &out]);
        assert!(errors.contains(says), "{name}: {errors}");
        assert!(!std::path::Path::new(&out).exists(), "{name}");
    }
    // The bad game is left out where that is wanted, and no book is made where no game is good.
    let skipping =
        |name: &str| firstborn(&["book", &at(name), &at("one.pgn"), "--skip-bad", "--out", &out]).assert();
    let made = skipping("bad.pgn").success();
    let told = String::from_utf8_lossy(&made.get_output().stderr).into_owned();
    assert!(told.contains("1 game of 2 left out") && told.contains("bad.pgn, line 2, game 2: "), "{told}");
    let printed = String::from_utf8_lossy(&made.get_output().stdout).into_owned();
    assert!(printed.contains("5 moves from 2 games"), "{printed}");
    std::fs::remove_file(&out).unwrap();
    std::fs::write(at("none.pgn"), "1. e5 *\n").unwrap();
    let told = String::from_utf8_lossy(&skipping("none.pgn").failure().get_output().stderr).into_owned();
    assert!(told.contains("none of its 1 openings can be used"), "{told}");
    assert!(!std::path::Path::new(&out).exists());
}

#[test]
fn suites_are_solved_and_faults_named_by_line() {
    let good = file(
        "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - bm Qxh7+; id \"mate in two\";\n\
         6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"back rank\";\n\
         7k/8/8/8/8/8/8/KR6 w - - am Rh1+; id \"avoid\";\n",
    );
    let document = json(&["suite", path(&good), "--depth", "8", "--threads", "1", "--limit", "2", "--json"]);
    assert_keys(&document, "solved total positions");
    let counts = ["solved", "total", "left_out"].map(|key| document[key].as_u64());
    assert_eq!(counts, [Some(2), Some(2), Some(0)], "the limit leaves nothing out");
    for position in document["positions"].as_array().unwrap() {
        assert_keys(position, "id solved move depth time_ms nodes");
    }
    let broken = [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#;\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rz8;\n", ":2"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - id \"nothing to do\";\n", ":1"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w\n", ":1"),
    ];
    for (text, named) in broken {
        let broken = file(text);
        let errors = refusal(&["suite", path(&broken), "--depth", "1"]);
        assert!(errors.contains(&format!("{}{named}", path(&broken))), "{text}: {errors}");
    }
    let empty = file("# nothing\n");
    refusal(&["suite", path(&empty)]);
    let unsolved = file("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm a4;\n");
    let text = output(&["suite", path(&unsolved), "--depth", "1"]);
    assert!(text.contains("0 of 1 solved\n"), "no mean time of nothing: {text}");
}

/// What a shell makes of a variable that is not set, and options that would change nothing.
#[test]
fn words_that_mean_nothing_are_refused() {
    let suite = file("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\n");
    for (arguments, says) in [
        (&["perft", "2", "--fen", ""][..], "FEN has 0 fields"),
        (&["analyze", "", "--depth", "1"], "FEN has 0 fields"),
        (&["perft", "2", "--cap", "10"], "--cap"),
        (&["perft", "--suite", path(&suite), "--cap", "0"], "--cap"),
        (&["speedtest", "--scheme", "serial", "--threads", "2"], "--scheme serial"),
        (&["scaling", "--clock", "virtual", "--costs", "line=1,line=2"], "line=2"),
        (&["scaling", "--clock", "virtual", "--positions", "study48+self-play"], "once more"),
    ] {
        let errors = refusal(arguments);
        assert!(errors.contains(says), "{arguments:?}: {errors}");
    }
    assert!(output(&["perft", "--suite", path(&suite), "--cap", "20"]).contains("1 counts right"));
}

#[test]
fn topology_counts_at_least_one_thread() {
    let document = json(&["topology", "--json"]);
    assert_keys(&document, "machine online allowed threads reasons");
    assert!(document["threads"].as_u64().unwrap() >= 1);
    assert!(!output(&["topology"]).is_empty());
}

#[test]
fn bad_arguments_are_named() {
    let cases: &[(&[&str], &str)] = &[
        (&["frobnicate"], "frobnicate"),
        (&["analyze", "--depth", "0"], "--depth"),
        (&["analyze", "--depth", "deep"], "deep"),
        (&["analyze", "--threads", "0"], "--threads"),
        (&["analyze", "--threads", "99999"], "--threads"),
        (&["analyze", "--scheme", "quantum"], "quantum"),
        (&["analyze", "--multipv", "0"], "--multipv"),
        (&["analyze", "--movetime", "-5"], "-5"),
        (&["analyze", "--hash", "much"], "--hash"),
        (&["analyze", "--hash", "99999999999999"], "99999999999999"),
        (&["analyze", "8/8/8/8/8/8/8/8 w - - 0 1"], "8/8/8/8/8/8/8/8 w - - 0 1"),
        (&["analyze", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1"], "e9"),
        (&["analyze", "--frobnicate"], "--frobnicate"),
        (&["bench", "--threads", "2"], "--threads"),
        (&["perft"], "DEPTH"),
        (&["perft", "many"], "many"),
        (&["perft", "21"], "21"),
        (&["perft", "3", "--suite", "x"], "--suite"),
        (&["perft", "2", "--fen", "nonsense"], "nonsense"),
        (&["perft", "--suite", "/no/such/file"], "/no/such/file"),
        (&["suite"], "FILE.epd"),
        (&["suite", "/no/such/file.epd"], "/no/such/file.epd"),
        (&["suite", "/"], "/"),
        (&["completions", "edlin"], "edlin"),
    ];
    for (arguments, named) in cases {
        let errors = refusal(arguments);
        assert!(errors.contains(named), "{arguments:?} should name {named}: {errors}");
    }
}

#[test]
fn completions_and_the_manual_come_out() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(output(&["completions", shell]).contains("firstborn"), "{shell}");
    }
    assert!(output(&["man"]).contains(".TH firstborn"));
    // Every page that the first one names is written.
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    output(&["man", "--out", &folder.path().display().to_string()]);
    let first = std::fs::read_to_string(folder.path().join("firstborn.6")).expect("the first page");
    let named: Vec<String> = first
        .split_whitespace()
        .filter_map(|word| word.strip_suffix("(6)"))
        .map(|word| word.replace("\\-", "-"))
        .collect();
    assert!(named.len() > 15, "{named:?}");
    for name in named {
        assert!(folder.path().join(format!("{name}.6")).is_file(), "no page {name}");
    }
}

/// The score is worked out from the searches that the same document holds.
#[test]
fn a_speedtest_ends_in_a_score_and_a_line_to_share() {
    let document = json(&["speedtest", "--limit", "1", "--threads", "2", "--hash", "16", "--json"]);
    let samples = document["samples"].as_array().expect("its searches");
    let times = |threads: u64| -> Vec<f64> {
        let of = samples.iter().filter(|sample| sample["threads"] == threads);
        of.map(|sample| sample["time_ns"].as_f64().expect("a time").ln()).collect()
    };
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    assert_eq!((times(1).len(), times(2).len()), (3, 3), "three rounds of two teams");
    let speed = &document["speed"];
    let close = |name: &str, value: f64| {
        let said = speed[name].as_f64().expect("a number");
        assert!((said / value - 1.0).abs() < 1e-6, "{name}: {said} instead of {value}");
    };
    close("speedup", (mean(&times(1)) - mean(&times(2))).exp());
    // BK.02 takes the reference, a million nodes a second, 763,437 nodes' time.
    let reference = bench_nodes("BK.02") as f64 / 1e6;
    close("score", 1000.0 * reference * 1e9 / mean(&times(2)).exp());
    let share = document["share"].as_str().expect("a line");
    assert!(share.contains("speedtest") && share.contains("2 threads") && !share.contains('\n'), "{share}");
    // A machine with one processor is told of its two threads, too.
    assert!(share.contains(" (first 1 position, table 16 MiB"), "{share}");
}

/// The nodes that the reference of the speedtest needs at a position.
fn bench_nodes(name: &str) -> u64 {
    let set = std::fs::read_to_string(tests::workspace().join("bench/data/speedtest.epd")).unwrap();
    let line = set.lines().find(|line| line.contains(name)).expect("the position is in the set");
    let operand = line.split("acn ").nth(1).and_then(|rest| rest.split(';').next());
    operand.and_then(|text| text.trim().parse().ok()).expect("its nodes")
}

/// Help, tables and lists name every scheme that the program offers.
#[test]
fn every_scheme_is_named_where_users_look() {
    let greeting = firstborn(&[]).write_stdin("uci\nquit\n").output().expect("it runs").stdout;
    let greeting = String::from_utf8(greeting).expect("the program prints text");
    let offered = greeting.lines().find(|line| line.starts_with("option name Scheme ")).expect("an option");
    let schemes: Vec<&str> = offered.split(" var ").skip(1).collect();
    assert!(schemes.len() >= 7, "{offered}");
    let file =
        |name: &str| std::fs::read_to_string(tests::workspace().join(name)).expect("part of the project");
    let pages = ["README.md", "CHANGELOG.md", "docs/DESIGN.md", "docs/glossary.md"];
    for page in pages {
        let text = file(page);
        let missing = schemes.iter().find(|scheme| !text.contains(&format!("`{scheme}`")));
        assert_eq!(missing, None, "{page}");
    }
    let words =
        |text: &str, scheme: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == scheme);
    for scheme in schemes {
        assert!(words(&file("docs/clients.md"), scheme), "docs/clients.md: {scheme}");
        assert!(words(&file("smp/src/lib.rs"), scheme), "smp/src/lib.rs: {scheme}");
        assert!(words(&output(&["analyze", "--help"]), scheme), "analyze --help: {scheme}");
        assert!(
            scheme == "serial" || words(&output(&["speedtest", "--help"]), scheme),
            "speedtest: {scheme}"
        );
    }
}

/// The table of commands in the README has those of the program, and none besides.
#[test]
fn the_readme_has_every_command() {
    let overview = output(&["--help"]);
    let (_, commands) = overview.split_once("\nCommands:\n").expect("it lists commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    // The purpose goes on in lines that are indented further.
    let names = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut known: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(known.remove("help") && known.len() > 20, "{known:?}");
    let readme = std::fs::read_to_string(tests::workspace().join("README.md")).expect("part of the project");
    let (_, section) = readme.split_once("\n## Commands\n").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|line| line.split('|').nth(1));
    let listed = cells.flat_map(quoted).filter_map(|line| line.split(' ').nth(1));
    assert_eq!(listed.collect::<BTreeSet<_>>(), known);
}

/// What a text quotes as code.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The table at the top of docs/clients.md has every option in both protocols. Of those that it has besides, only a
/// session under `mpirun` offers one.
#[test]
fn the_page_for_clients_has_every_option() {
    let path = tests::workspace().join("docs/clients.md");
    let page = std::fs::read_to_string(path).expect("part of the project");
    let (_, table) = page.split_once("\n| what | UCI | xboard |\n").expect("the table");
    let (mut uci, mut xboard) = (BTreeSet::new(), BTreeSet::new());
    // Names of options begin with a capital letter, but for one; commands and values do not.
    let is_option = |name: &&str| name.starts_with(|c: char| c.is_ascii_uppercase()) || *name == "nodestime";
    for row in table.lines().skip(1).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').collect();
        let (in_uci, in_xboard) = (cells[2], cells[3]);
        let names: Vec<&str> = quoted(in_uci).filter(is_option).collect();
        if in_xboard.contains("the same option") {
            xboard.extend(names.iter().map(|name| name.replace(' ', "")));
        }
        xboard.extend(quoted(in_xboard).filter(is_option).map(str::to_owned));
        uci.extend(names.into_iter().map(str::to_owned));
    }
    let greeting = |arguments: &[&str], lines: &str| {
        let output = firstborn(arguments).write_stdin(lines).output().expect("it runs").stdout;
        String::from_utf8(output).expect("the program prints text")
    };
    let said = greeting(&["uci"], "uci\nquit\n");
    let name = |line: &str| Some(line.strip_prefix("option name ")?.split_once(" type ")?.0.to_owned());
    let offered: BTreeSet<String> = said.lines().filter_map(name).collect();
    assert!(offered.len() > 20, "{said}");
    let only_in = |one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<String> {
        one.difference(other).cloned().collect()
    };
    assert_eq!(only_in(&offered, &uci), Vec::<String>::new(), "not in the column of UCI");
    assert_eq!(only_in(&uci, &offered), ["Exchange"], "not offered in UCI");
    let said = greeting(&["xboard"], "protover 2\nquit\n");
    let name = |line: &str| Some(line.strip_prefix("feature option=\"")?.split_once(" -")?.0.to_owned());
    let offered: BTreeSet<String> = said.lines().filter_map(name).collect();
    assert!(offered.len() > 10, "{said}");
    assert_eq!(only_in(&offered, &xboard), Vec::<String>::new(), "not in the column of xboard");
    assert_eq!(only_in(&xboard, &offered), ["Exchange"], "not offered in xboard");
}

/// Where openings end is told where the options are: of a Polyglot book, whose lines have no end of their own.
#[test]
fn the_help_names_the_default_of_plies() {
    for command in ["tournament", "spsa"] {
        let help = output(&[command, "--help"]);
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = "[default: the whole main line of a game, 12 of a Polyglot book]";
        assert!(words.contains(told), "{command}: {help}");
    }
}
