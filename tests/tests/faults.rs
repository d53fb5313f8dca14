//! Noise on standard input: random bytes and mutated commands, both protocols. Whatever comes, the process answers
//! afterwards and ends in order; a panic would show on standard error or in the exit status.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tests::Dialogue;

/// Mutated lines for each protocol.
const LINES: usize = 10_000;
/// Lines between two questions whether anybody is still there.
const BATCH: usize = 100;

/// Commands of UCI, but for those that set options ([`corpus`]).
const UCI: &[&str] = &[
    "uci",
    "debug on",
    "isready",
    "register later",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 140",
    "position fen 1r1k1r2/8/8/8/8/8/8/1R1K1R2 w BFbf - 0 1",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "go depth 3",
    "go nodes 500",
    "go movetime 5",
    "go wtime 1000 btime 900 winc 10 binc 10 movestogo 3",
    "go mate 2 searchmoves e2e4 d2d4",
    "go ponder wtime 500 btime 500",
    "go infinite",
    "go perft 3",
    "stop",
    "ponderhit",
    "d",
    "eval",
    "flip",
    "compiler",
    "help",
    "license",
];

/// Commands of xboard, likewise.
const XBOARD: &[&str] = &[
    "xboard",
    "protover 2",
    "accepted setboard",
    "rejected san",
    "new",
    "variant fischerandom",
    "variant normal",
    "random",
    "force",
    "go",
    "playother",
    "white",
    "black",
    "level 40 5 0",
    "level 0 0:01 0.1",
    "st 1",
    "sd 3",
    "nps 1000",
    "time 50",
    "otim 50",
    "usermove e2e4",
    "usermove e7e5",
    "usermove O-O",
    "e7e8q",
    "@@@@",
    "?",
    "ping 12",
    "draw",
    "result 1-0 {White mates}",
    "setboard r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "setboard 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 99 140",
    "edit",
    "#",
    "c",
    "Ke1",
    "ke8",
    ".",
    "hint",
    "bk",
    "undo",
    "remove",
    "hard",
    "easy",
    "post",
    "nopost",
    "analyze",
    "exit",
    "pause",
    "resume",
    "egtpath syzygy .",
    "exclude e2e4",
    "include all",
    "exclude all",
    "name Somebody",
    "rating 2000 2100",
    "computer",
];

/// Numbers at the edges of types.
const EDGES: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "1e999",
    "NaN",
    "0x10",
];

/// One random change of a line.
fn mutate(line: &mut Vec<u8>, random: &mut ChaCha8Rng, others: &[String]) {
    let at = random.random_range(0..=line.len());
    let words: Vec<Vec<u8>> = line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect();
    let word = random.random_range(0..words.len());
    let mut joined = words.clone();
    match random.random_range(0..9) {
        0 => line.truncate(at),
        1 => line.insert(at, random.random()),
        2 if at < line.len() => line[at] ^= 1 << random.random_range(0..8),
        3 if at < line.len() => {
            line.remove(at);
        }
        4 => {
            joined.remove(word);
            *line = joined.join(&b' ');
        }
        5 => {
            joined.insert(word, words[word].clone());
            *line = joined.join(&b' ');
        }
        6 => {
            joined.swap(word, random.random_range(0..words.len()));
            *line = joined.join(&b' ');
        }
        7 => {
            joined[word] = EDGES.choose(random).expect("there are edges").as_bytes().to_vec();
            *line = joined.join(&b' ');
        }
        _ => {
            line.push(b' ');
            line.extend_from_slice(others.choose(random).expect("there are others").as_bytes());
        }
    }
}

/// Can the test bear this line? Not goodbye, a request for all memory and threads, or a log of everything.
fn is_bearable(line: &str) -> bool {
    let text = line.to_lowercase();
    let unbearable = ["quit", "hash value", "threads", "memory", "cores", "debug log", "debuglog"];
    !unbearable.iter().any(|word| text.contains(word))
}

/// A value that an option takes, by its kind and what stands behind that where either protocol declares it; none for a
/// button.
fn value(declared: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let (kind, rest) = declared.split_once(' ').unwrap_or((declared, ""));
    let words = rest.split_whitespace();
    match kind {
        "check" => Some(u8::from(random.random_bool(0.5)).to_string()),
        "spin" => {
            let numbers: Vec<i64> = words.filter_map(|word| word.parse().ok()).collect();
            let [_, min, max] = numbers[..] else { panic!("default and range: {declared}") };
            Some(3_i64.clamp(min, max).to_string())
        }
        "combo" => {
            let values: Vec<&str> = words.filter(|word| !["default", "var", "///"].contains(word)).collect();
            values.choose(random).map(|value| value.trim_start_matches('*').to_owned())
        }
        "string" => Some("no-such-file".to_owned()),
        "button" => None,
        _ => panic!("a kind of option that this test does not know: {declared}"),
    }
}

/// What sets the option that a line of the greeting offers, in UCI.
fn uci_setting(line: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let (name, declared) = line.strip_prefix("option name ")?.split_once(" type ")?;
    let value = value(declared, random).map(|value| format!(" value {value}"));
    Some(format!("setoption name {name}{}", value.unwrap_or_default()))
}

/// The same in xboard's protocol.
fn xboard_setting(line: &str, random: &mut ChaCha8Rng) -> Option<String> {
    let (name, declared) = line.strip_prefix("feature option=\"")?.strip_suffix('"')?.split_once(" -")?;
    let value = value(declared, random).map(|value| format!("={value}"));
    Some(format!("option {name}{}", value.unwrap_or_default()))
}

/// These commands, and for every option of the greeting one that sets it.
fn corpus(
    commands: &[&str],
    greeting: &[String],
    setting: fn(&str, &mut ChaCha8Rng) -> Option<String>,
    random: &mut ChaCha8Rng,
) -> Vec<String> {
    let settings: Vec<String> = greeting.iter().filter_map(|line| setting(line, random)).collect();
    assert!(settings.len() > 10, "only {settings:?}");
    let settings = settings.into_iter().filter(|line| is_bearable(line));
    commands.iter().copied().map(str::to_owned).chain(settings).collect()
}

/// A mutated line that the test can bear.
fn mutated(random: &mut ChaCha8Rng, corpus: &[String]) -> Vec<u8> {
    loop {
        let mut line = corpus.choose(random).expect("there are lines").as_bytes().to_vec();
        for _ in 0..random.random_range(0..4) {
            mutate(&mut line, random, corpus);
        }
        if is_bearable(&String::from_utf8_lossy(&line)) {
            line.push(b'\n');
            return line;
        }
    }
}

/// Stops searches, those that wait their turn too, until a search of our own has answered.
fn catch_up(engine: &mut Dialogue) {
    engine.send("position startpos");
    engine.send("go depth 1 searchmoves a2a3");
    for _ in 0..100_000 {
        engine.send("stop");
        if engine.ready().iter().any(|line| line.starts_with("bestmove a2a3")) {
            return;
        }
    }
    panic!("a search does not obey stop");
}

#[test]
fn mutated_uci_lines_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Dialogue::start_in(folder.path(), &["uci"]);
    engine.send("uci");
    let greeting = engine.until("uciok");
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..LINES / BATCH {
        let lines = corpus(UCI, &greeting, uci_setting, &mut random);
        for _ in 0..BATCH {
            engine.send_bytes(&mutated(&mut random, &lines));
        }
        catch_up(&mut engine);
    }
    engine.quit();
}

#[test]
fn mutated_xboard_lines_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = Dialogue::start_in(folder.path(), &["xboard"]);
    engine.send("protover 2");
    let greeting = engine.until("feature done=1");
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for _ in 0..LINES / BATCH {
        let lines = corpus(XBOARD, &greeting, xboard_setting, &mut random);
        for _ in 0..BATCH {
            engine.send_bytes(&mutated(&mut random, &lines));
        }
        // Out of the editor, out of the game.
        engine.send(".");
        engine.send("force");
        engine.ping();
    }
    for line in ["new", "easy", "variant normal", "level 40 5 0", "sd 1", "usermove e2e4"] {
        engine.send(line);
    }
    engine.until("move ");
    engine.quit();
}

/// How long to make noise: FIRSTBORN_NOISE_SECONDS, or one second.
fn noise() -> Duration {
    let seconds = std::env::var("FIRSTBORN_NOISE_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1))
}

fn random_bytes(random: &mut ChaCha8Rng) -> Vec<u8> {
    let printable = random.random_bool(0.5);
    let length = random.random_range(1..2000);
    let byte = |random: &mut ChaCha8Rng| match random.random_range(0..40) {
        0 => b'\n',
        1 => b' ',
        _ if printable => random.random_range(b' '..=b'~'),
        _ => random.random(),
    };
    (0..length).map(|_| byte(random)).collect()
}

fn survive_noise(greeting: &str, seed: u64) -> Dialogue {
    let mut engine = Dialogue::start(&[]);
    engine.send(greeting);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let began = Instant::now();
    while began.elapsed() < noise() {
        engine.send_bytes(&random_bytes(&mut random));
    }
    engine.send("");
    engine
}

#[test]
fn random_bytes_are_survived() {
    for greeting in ["uci", "\u{fffd}\0"] {
        let mut engine = survive_noise(greeting, 21);
        engine.ready();
        engine.quit();
    }
    let mut engine = survive_noise("xboard", 22);
    engine.send(".");
    engine.send("force");
    engine.ping();
    engine.quit();
}

#[test]
fn a_line_without_end_is_survived() {
    for (greeting, answers) in [("uci", "isready"), ("xboard", "ping 4711")] {
        let mut engine = Dialogue::start(&[]);
        engine.send(greeting);
        for _ in 0..64 {
            engine.send_bytes(&[b'a'; 64 * 1024]);
        }
        engine.send("");
        engine.send(answers);
        engine.until(if answers == "isready" { "readyok" } else { "pong 4711" });
        engine.quit();
    }
}

/// Opening a pipe waits for its other end.
#[cfg(unix)]
#[test]
fn a_named_pipe_in_place_of_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.display();
    let refused = |said: &[String], option: &str| {
        assert!(said.len() == 1 && said[0].contains("regular file"), "{option}: {said:?}");
    };
    for option in ["EvalFile", "BookFile", "Debug Log File"] {
        let mut engine = Dialogue::uci(&[]);
        engine.send(&format!("setoption name {option} value {pipe}"));
        refused(&engine.ready(), option);
        engine.quit();
        let mut engine = Dialogue::xboard(&["new", "force"]);
        engine.send(&format!("option {option}={pipe}"));
        refused(&engine.ping(), option);
        engine.quit();
    }
}

/// Runs a command whose output is not read; it must not panic over that.
fn run_unheard(arguments: &[impl AsRef<OsStr> + Debug], input: &[u8]) -> ExitStatus {
    let mut child = Command::new(tests::firstborn())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(tests::unheard())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have gone already, which is what is wanted.
    let _ = child.stdin.as_mut().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    output.status
}

/// A client that stops reading: the session ends by itself.
#[test]
fn a_client_that_goes_away_ends_the_session() {
    run_unheard(&["uci"], b"uci\nisready\n");
    run_unheard(&["xboard"], b"protover 2\nping 1\n");
}

/// `nohup firstborn`: the end of the terminal ends neither the engine nor, by the same handler, a tournament; and an
/// engine that a client has started to ignore Ctrl-C ignores it.
#[cfg(unix)]
#[test]
fn nohup_is_heeded() {
    // Numbers of signals: 1 SIGHUP, 2 SIGINT, 15 SIGTERM.
    signals_are_ignored(&[("HUP", 1)], true);
    signals_are_ignored(&[("HUP", 1), ("INT", 2), ("TERM", 15)], false);
}

#[cfg(unix)]
fn signals_are_ignored(signals: &[(&str, u32)], ends_by_term: bool) {
    let names: Vec<&str> = signals.iter().map(|signal| signal.0).collect();
    let mut child = Command::new("sh")
        .args(["-c", &format!("trap '' {}; exec \"$0\" uci", names.join(" "))])
        .arg(tests::firstborn())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut input = child.stdin.take().unwrap();
    let mut answers = || {
        input.write_all(b"isready\n").unwrap();
        lines.any(|line| line == "readyok")
    };
    assert!(answers());
    let id = child.id().to_string();
    if cfg!(target_os = "linux") {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
        let ignored = u64::from_str_radix(ignored, 16).unwrap();
        assert!(signals.iter().all(|signal| ignored & 1 << (signal.1 - 1) != 0), "{signals:?}: {status}");
    }
    let send = |name: &str| {
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    };
    names.iter().for_each(|name| send(name));
    assert!(answers(), "it ended by one of {names:?}");
    if ends_by_term {
        send("TERM");
    } else {
        input.write_all(b"quit\n").unwrap();
    }
    assert_eq!(child.wait().unwrap().code(), Some(if ends_by_term { 130 } else { 0 }));
}

/// Its features decline both signals; a client that sends them all the same ends no game.
#[cfg(unix)]
#[test]
fn an_xboard_session_bears_signals() {
    let mut child =
        Command::new(tests::firstborn()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"xboard\nprotover 2\n").unwrap();
    assert!(lines.any(|line| line.contains("sigint=0 sigterm=0")));
    for (signal, number) in [("-INT", 1), ("-TERM", 2)] {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        input.write_all(format!("ping {number}\n").as_bytes()).unwrap();
        assert!(lines.any(|line| line == format!("pong {number}")), "it ended by {signal}");
    }
    input.write_all(b"quit\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A device that is full, of Linux and its like; not every container has it.
fn full_disk() -> Option<std::fs::File> {
    let full = std::fs::File::options().write(true).open("/dev/full");
    full.inspect_err(|error| tests::skipped(&format!("/dev/full: {error}"))).ok()
}

/// A session's output on a full disk: told as a command's is, to xboard as the comment that it passes over.
#[cfg(target_os = "linux")]
#[test]
fn a_session_on_a_full_disk_says_so() {
    let sentence = "firstborn: cannot write to standard output: ";
    for (arguments, input, start) in [
        (&["go depth 1"][..], "", sentence.to_string()),
        (&["uci"], "uci\n", sentence.to_string()),
        (&[], "isready\n", sentence.to_string()),
        (&["xboard"], "protover 2\n", format!("# {sentence}")),
        (&[], "xboard\nprotover 2\n", format!("# {sentence}")),
    ] {
        let Some(full) = full_disk() else { return };
        let mut child = Command::new(tests::firstborn())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(full)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.starts_with(&start) && errors.contains("os error 28"), "{arguments:?}: {errors}");
        assert_eq!((output.status.code(), errors.lines().count()), (Some(1), 1), "{errors}");
    }
}

/// `firstborn ... | head -1`, and what was not done is not said to be done.
#[test]
fn a_closed_pipe_ends_a_command() {
    for arguments in [
        &["bench", "--depth", "4"][..],
        &["topology"],
        &["perft", "3", "--divide"],
        &["analyze", "--depth", "3"],
    ] {
        assert_eq!(run_unheard(arguments, b"").code(), Some(128 + 13), "{arguments:?}");
    }
}

/// The words of a command line, where FIRSTBORN stands for the program and FOLDER for this folder.
fn within(folder: &Path, line: &str) -> Vec<String> {
    tests::words(line, &[("FIRSTBORN", tests::firstborn()), ("FOLDER", folder)])
}

/// The page and the file of running games show the end of the tournament even if the summary cannot be printed.
#[test]
fn a_tournament_writes_its_last_page_without_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let line = "tournament --engine cmd=FIRSTBORN name=A --engine cmd=FIRSTBORN name=B --each depth=1 --rounds 1 \
                --maxmoves 3 --report FOLDER/page.html --live-pgn FOLDER/now.pgn";
    assert_eq!(run_unheard(&within(folder.path(), line), b"").code(), Some(128 + 13));
    let text = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(text.contains("complete") && !text.contains("running, as of"), "{text}");
    assert_eq!(std::fs::read_to_string(folder.path().join("now.pgn")).unwrap(), "");
}

/// What is wrong is counted where it cannot be said.
#[cfg(target_os = "linux")]
#[test]
fn messages_that_cannot_be_written_end_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("suite.epd");
    std::fs::write(&suite, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 21 ;D2 400\n")
        .unwrap();
    let Some(full) = full_disk() else { return };
    let mut command = Command::new(tests::firstborn());
    let done = command.args(["perft", "--suite"]).arg(&suite).stderr(full).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stdout).starts_with("1 counts right, 1 wrong"), "{done:?}");
}

/// A match behind another runner's command line whose lines have no reader ends as by Ctrl-C; with a journal it is
/// played to its end.
#[test]
fn a_match_without_a_reader_goes_on_for_its_journal() {
    for (front, more) in [
        ("fastchess", "-each depth=1 -rounds 3 -config outname=FOLDER/s.json -pgnout file=FOLDER/g.pgn"),
        ("cutechess", "-each proto=uci tc=inf depth=1 -rounds 6 -concurrency 2 -pgnout FOLDER/g.pgn"),
    ] {
        let engines = "-engine cmd=FIRSTBORN name=A -engine cmd=FIRSTBORN name=B -maxmoves 3";
        let line = format!("{front} {engines} {more}");
        let games = |folder: &Path| {
            let games = std::fs::read_to_string(folder.join("g.pgn")).unwrap_or_default();
            games.matches("[Result ").count()
        };
        let folder = tempfile::tempdir().unwrap();
        let status = run_unheard(&within(folder.path(), &line), b"");
        assert_eq!(status.code(), Some(1), "{line}");
        assert!(games(folder.path()) < 6, "{line}");
        assert_eq!(folder.path().join("s.json").is_file(), front == "fastchess");

        let folder = tempfile::tempdir().unwrap();
        let status = run_unheard(&within(folder.path(), &format!("{line} --journal FOLDER/j")), b"");
        assert_eq!((status.code(), games(folder.path())), (Some(0), 6), "{line}");

        // A full disk is not a reader that has gone: the games are played, but the output is not complete.
        if let Some(full) = full_disk() {
            let folder = tempfile::tempdir().unwrap();
            let mut command = Command::new(tests::firstborn());
            let done = command.args(within(folder.path(), &line)).stdout(full).output().unwrap();
            let errors = String::from_utf8_lossy(&done.stderr);
            assert_eq!((done.status.code(), games(folder.path())), (Some(1), 6), "{line}: {errors}");
            assert_eq!(errors.matches("cannot write to standard output").count(), 1, "{errors}");
        }
    }
}
