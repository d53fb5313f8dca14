//! `firstborn datagen`, `data` and `tune` from outside: what they write, what they survive, what they refuse.

use assert_cmd::Command;
use chess::{Move, Position};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use training::format::{Header, Reader, Writer};
use training::game::{Ending, Game, GameResult, Ply};
use training::recipe::Recipe;

fn firstborn(arguments: &[&str]) -> Command {
    let mut command = Command::new(tests::firstborn());
    command.args(arguments);
    command
}

/// The one JSON document that a successful run prints.
fn json(arguments: &[&str]) -> Value {
    let assert = firstborn(arguments).assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["schema"], 1, "{document}");
    document
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

#[test]
fn help_names_the_options() {
    let commands = [
        ("datagen", "--games --nodes --threads --seed --chess960 --eval-file --out --json"),
        ("data", "--pgn --plain --viriformat --json"),
        ("tune", "--epochs --rate --wdl --out --json"),
    ];
    for (command, options) in commands {
        let assert = firstborn(&[command, "--help"]).assert().success();
        let help = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        for option in options.split(' ') {
            assert!(help.contains(option), "{command} --help does not mention {option}:\n{help}");
        }
    }
}

/// A folder for the files of one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Makes games of few nodes.
fn datagen(out: &str, games: &str, threads: &str) -> Value {
    json(&[
        "datagen",
        "--games",
        games,
        "--nodes",
        "50",
        "--threads",
        threads,
        "--seed",
        "5",
        "--out",
        out,
        "--json",
    ])
}

#[test]
fn the_same_command_makes_the_same_games_on_any_number_of_threads() {
    let folder = Folder::new();
    let (one, three) = (folder.file("one.fbg"), folder.file("three.fbg"));
    let made = datagen(&one, "20", "1");
    for key in ["games", "plies", "white", "draws", "black", "time_ms", "plies_per_second"] {
        assert!(made[key].is_number(), "no {key} in {made}");
    }
    assert_eq!((&made["games"], &made["found"]), (&Value::from(20), &Value::from(0)));
    datagen(&three, "20", "3");
    assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&three).unwrap());
    let data = json(&["data", &one, "--json"]);
    assert_eq!((&data["games"], &data["plies"]), (&made["games"], &made["plies"]));
    assert_eq!(data["faults"], Value::Array(Vec::new()));
    assert_eq!(data["files"][0]["header"]["recipe"]["seed"], 5);
}

/// A run that was killed in the middle of a block goes on where the last whole block ended, with the same games.
#[test]
fn a_killed_run_goes_on_with_the_same_command() {
    let folder = Folder::new();
    let (whole, torn) = (folder.file("whole.fbg"), folder.file("torn.fbg"));
    datagen(&whole, "6", "2");
    datagen(&torn, "3", "2");
    let games = std::fs::read(&torn).unwrap();
    datagen(&torn, "6", "2");
    let longer = std::fs::read(&torn).unwrap();
    for cut in [games.len() + 2, games.len() + 40, longer.len() - 1] {
        std::fs::write(&torn, &longer[..cut]).unwrap();
        let told = firstborn(&["data", &torn]).assert().success();
        let told = String::from_utf8(told.get_output().stdout.clone()).unwrap();
        assert!(told.contains("torn tail") && told.contains("3 games"), "{told}");
        let run =
            firstborn(&["datagen", "--games", "6", "--nodes", "50", "--seed", "5", "--out", &torn, "--json"])
                .assert()
                .success();
        let errors = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(errors.contains("torn tail"), "{errors}");
        assert_eq!(std::fs::read(&torn).unwrap(), longer, "cut at {cut}");
    }
    let moves = |file: &str| {
        let pgn = folder.file("out.pgn");
        firstborn(&["data", file, "--pgn", &pgn]).assert().success();
        std::fs::read_to_string(&pgn).unwrap()
    };
    assert_eq!(moves(&whole), moves(&torn), "the same games, in whatever blocks");
}

/// Games as PGN are read by a stranger, who plays every move of them.
#[test]
fn exported_games_are_legal_to_others() {
    use shakmaty::{Chess, Position, san::San};
    let folder = Folder::new();
    let (file, pgn, plain) = (folder.file("games.fbg"), folder.file("games.pgn"), folder.file("games.txt"));
    let made = datagen(&file, "8", "2");
    let data = json(&["data", &file, "--pgn", &pgn, "--plain", &plain, "--json"]);
    let text = std::fs::read_to_string(&pgn).unwrap();
    let mut plies = 0;
    for game in text.split("[Event ").skip(1) {
        let moves = game.split_once("\n\n").unwrap().1;
        let mut position = Chess::default();
        for word in moves.split_whitespace() {
            if word.ends_with('.') || word.starts_with('{') || ["1-0", "0-1", "1/2-1/2"].contains(&word) {
                continue;
            }
            let san: San = word.trim_end_matches(['+', '#']).parse().unwrap();
            let mv = san.to_move(&position).unwrap();
            position.play_unchecked(mv);
            plies += 1;
        }
        if game.contains("[Ending \"checkmate\"]") {
            assert!(position.is_checkmate());
        }
    }
    assert_eq!(plies, made["plies"].as_u64().unwrap() + data["opening_plies"].as_u64().unwrap());
    let lines = std::fs::read_to_string(&plain).unwrap();
    assert_eq!(lines.lines().count() as u64, data["kept"].as_u64().unwrap());
    for line in lines.lines() {
        let fields: Vec<&str> = line.split(" | ").collect();
        let [fen, score, result] = fields[..] else { panic!("{line}") };
        assert!(fen.parse::<shakmaty::fen::Fen>().is_ok() && score.parse::<i32>().is_ok(), "{line}");
        assert!(["0.0", "0.5", "1.0"].contains(&result), "{line}");
    }
}

#[test]
fn damage_is_told_and_fails_the_check() {
    let folder = Folder::new();
    let file = folder.file("games.fbg");
    datagen(&file, "3", "2");
    let first = std::fs::read(&file).unwrap().len();
    datagen(&file, "6", "2");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[first - 10] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let assert = firstborn(&["data", &file]).assert().code(1);
    let told = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(told.contains("damage: ") && told.contains("3 games"), "{told}");
    // As many games are made again, behind those that are there.
    let made = datagen(&file, "6", "2");
    assert_eq!((&made["found"], &made["games"]), (&Value::from(3), &Value::from(3)));
    let reader = Reader::open(Path::new(&file)).unwrap();
    let blocks: Vec<_> = reader.blocks().map(|block| (block.first, block.games)).collect();
    assert_eq!(blocks, [(3, 3), (6, 3)]);
}

/// Black has mated.
#[test]
fn a_game_that_contradicts_itself_fails_the_check() {
    let folder = Folder::new();
    let recipe = Recipe::new(1, 50);
    let header = Header { engine: "firstborn test".into(), commit: None, bench: 1, network: None, recipe };
    for (result, code) in [(GameResult::BlackWins, 0), (GameResult::WhiteWins, 1)] {
        let mut position = Position::startpos();
        let plies = ["f3", "e5", "g4", "Qh4#"].map(|san| {
            let mv = position.parse_san(san).unwrap();
            position.play(mv);
            Ply { mv, score: 0 }
        });
        let game = Game {
            start: Position::startpos(),
            opening: Vec::new(),
            plies: plies.to_vec(),
            result,
            ending: Ending::Checkmate,
        };
        let file = folder.file(&format!("{code}.fbg"));
        let mut writer = Writer::open(Path::new(&file), &header).unwrap().writer;
        writer.add(&game).unwrap();
        writer.finish().unwrap();
        let assert = firstborn(&["data", &file]).assert().code(code);
        let told = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        assert_eq!(told.contains("file 1 game 0: it ends by checkmate with the result"), code == 1, "{told}");
    }
}

/// Files of older versions name no network. Their games are drawn by the seed alone, so that what is added now has the
/// openings that any such file has at these numbers.
#[test]
fn older_files_go_on_with_the_openings_of_their_seed() {
    let folder = Folder::new();
    let new = folder.file("new.fbg");
    datagen(&new, "0", "1");
    let made = Reader::open(Path::new(&new)).unwrap().header.unwrap();
    let openings = |nodes: u64| -> Vec<Vec<Move>> {
        let old = Header { network: None, recipe: Recipe::new(5, nodes), ..made.clone() };
        let (nodes, file) = (nodes.to_string(), folder.file(&format!("{nodes}.fbg")));
        Writer::open(Path::new(&file), &old).unwrap().writer.finish().unwrap();
        let words = ["datagen", "--games", "2", "--nodes", &nodes, "--seed", "5", "--out", &file];
        firstborn(&words).assert().success();
        let reader = Reader::open(Path::new(&file)).unwrap();
        assert_eq!(reader.header, Some(old));
        reader.games().map(|game| game.unwrap().opening).collect()
    };
    // A search of so few nodes more ends the same iteration.
    assert_eq!(openings(1000), openings(1001));
}

#[test]
fn tuning_lowers_the_loss_and_writes_source() {
    let folder = Folder::new();
    let (file, source) = (folder.file("games.fbg"), folder.path("weights.rs"));
    datagen(&file, "100", "2");
    let out = source.to_str().unwrap();
    let tuned = json(&[
        "tune",
        &file,
        "--epochs",
        "4",
        "--batch",
        "64",
        "--hold-out",
        "4",
        "--from-zero",
        "--out",
        out,
        "--json",
    ]);
    let (before, after) = (tuned["before"].as_f64().unwrap(), tuned["after"].as_f64().unwrap());
    assert!(after < before, "{tuned}");
    assert_eq!(tuned["epochs"].as_array().unwrap().len(), 5);
    assert!(tuned["train"].as_u64() > tuned["held_out"].as_u64(), "{tuned}");
    let text = std::fs::read_to_string(&source).unwrap();
    assert!(text.starts_with("//! The weights") && text.contains("100 games"), "{text}");
    let losses = tuned["epochs"].as_array().unwrap().iter().map(|pass| pass["held_out"].as_f64().unwrap());
    let best = losses.enumerate().min_by(|one, other| one.1.total_cmp(&other.1)).unwrap().0;
    assert_eq!(tuned["pass"], best);
    assert!(text.contains(&format!(" after pass {best} of 4;")), "{text}");
    let again = json(&["tune", &file, "--epochs", "0", "--json"]);
    assert_eq!(again["epochs"].as_array().unwrap().len(), 1);
}

/// `tune --held-out` was renamed after the same option of `train`.
#[test]
fn the_old_name_of_hold_out_goes_on_working() {
    let folder = Folder::new();
    let file = folder.file("games.fbg");
    datagen(&file, "12", "1");
    let run = |option: &str| {
        let assert = firstborn(&["tune", &file, "--epochs", "1", option, "3", "--json"]).assert().success();
        let output = assert.get_output();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        (document["epochs"].clone(), String::from_utf8(output.stderr.clone()).unwrap())
    };
    let (new, old) = (run("--hold-out"), run("--held-out"));
    assert_eq!(new.0, old.0);
    assert!(new.1.is_empty() && old.1.lines().count() == 1 && old.1.contains("--hold-out"), "{old:?}");
}

/// The same command on two machines, and a copy of a file that has grown since, hold the same games.
#[test]
fn games_in_two_files_are_refused() {
    let folder = Folder::new();
    let [whole, copy, other] = ["whole.fbg", "copy.fbg", "other.fbg"].map(|name| folder.file(name));
    datagen(&whole, "4", "1");
    std::fs::copy(&whole, &copy).unwrap();
    datagen(&whole, "8", "2");
    let common = ["datagen", "--games", "4", "--nodes", "50", "--seed", "6", "--json", "--out"];
    json(&[&common[..], &[&other]].concat());
    let net = folder.file("a.net");
    let train = ["train", "--hidden", "32", "--epochs", "1", "--from-ply", "0", "--out", &net];
    for command in [&["tune", "--epochs", "0", "--hold-out", "2"][..], &train] {
        firstborn(&[command, &[&whole, &other]].concat()).assert().success();
        let errors = refusal(&[command, &[&whole, &other, &copy]].concat());
        assert!(errors.contains(&whole) && errors.contains(&copy) && !errors.contains(&other), "{errors}");
    }
}

/// `cat`: the games of the second file would count by the header of the first, and those of one file twice.
#[test]
fn joined_files_are_refused_by_every_command() {
    let folder = Folder::new();
    let [one, joined] = ["one.fbg", "joined.fbg"].map(|name| folder.file(name));
    datagen(&one, "4", "1");
    let bytes = std::fs::read(&one).unwrap();
    let twice = [&bytes[..], &bytes].concat();
    std::fs::write(&joined, &twice).unwrap();
    let net = folder.file("a.net");
    for command in [
        &["data", &joined][..],
        &["tune", "--epochs", "0", "--hold-out", "2", &joined],
        &["train", "--hidden", "32", "--epochs", "1", "--from-ply", "0", "--out", &net, &joined],
        &["datagen", "--games", "16", "--nodes", "50", "--seed", "5", "--out", &joined],
    ] {
        let errors = refusal(command);
        assert!(errors.contains(&joined) && errors.contains("give them separately"), "{errors}");
    }
    assert!(std::fs::read(&joined).unwrap() == twice && !Path::new(&net).exists());
}

/// A name that is not UTF-8 is reported as far as JSON can say it.
#[cfg(target_os = "linux")]
#[test]
fn names_of_any_bytes_are_reported() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = |bytes: &[u8]| folder.0.path().join(std::ffi::OsStr::from_bytes(bytes));
    let (games, net) = (name(b"a\xff.fbg"), name(b"a\xff.net"));
    let document = |arguments: &[&str], files: &[&Path]| -> Value {
        let assert = firstborn(arguments).args(files).assert().success();
        serde_json::from_slice(&assert.get_output().stdout).unwrap()
    };
    let datagen = ["datagen", "--games", "2", "--nodes", "50", "--json", "--out"];
    let data = ["data", "--json"];
    let train = ["train", "--hidden", "32", "--epochs", "1", "--from-ply", "0", "--json", "--out"];
    let told = [
        document(&datagen, &[&games])["file"].clone(),
        document(&data, &[&games])["files"][0]["file"].clone(),
        document(&train, &[&net, &games])["net"].clone(),
    ];
    for (told, ending) in told.iter().zip(["a\u{fffd}.fbg", "a\u{fffd}.fbg", "a\u{fffd}.net"]) {
        assert!(told.as_str().is_some_and(|told| told.ends_with(ending)), "{told}");
    }
}

/// Ctrl-C once: the games made so far are kept, and the exit code says that it was not the end.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_games() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let file = folder.file("games.fbg");
    // As a script starts it in the background, which then ends it by this very signal.
    let mut child = Command::new("sh")
        .args(["-c", "trap '' INT; exec \"$0\" \"$@\""])
        .arg(tests::firstborn())
        .args(["datagen", "--games", "1000000", "--nodes", "50", "--threads", "2", "--out", &file])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The first block shows that games are being made.
    tests::wait_until("a block is written", || {
        assert!(child.try_wait().unwrap().is_none(), "it must not end by itself");
        std::fs::metadata(&file).is_ok_and(|found| found.len() >= 2000)
    });
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    let games: u64 = told.split(" games and").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    let data = json(&["data", &file, "--json"]);
    assert_eq!(
        (data["games"].as_u64(), &data["files"][0]["damage"]),
        (Some(games), &Value::Array(Vec::new()))
    );
}

/// Games are read again by the next run: a stream is refused before anything is written to it or waited for, by
/// whatever name. Only the null device is one that is meant.
#[cfg(unix)]
#[test]
fn games_go_into_a_file_of_their_own() {
    use std::fs::File;
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let [pipe, redirected] = ["pipe", "redirected"].map(|name| folder.file(name));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let start = |out: &str, stdout: Stdio| {
        let words = ["datagen", "--games", "3", "--nodes", "50", "--seed", "5", "--out", out];
        let mut command = Command::new(tests::firstborn());
        let mut child = command.args(words).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        tests::wait_until("it ends", || child.try_wait().unwrap().is_some());
        child.wait_with_output().unwrap()
    };
    let file = || Stdio::from(File::create(&redirected).unwrap());
    for (out, stdout) in [
        ("/dev/stdout", file()),
        ("/dev/fd/1", file()),
        ("/dev/stdout", Stdio::piped()),
        ("/dev/stderr", Stdio::piped()),
        (&redirected, file()),
        (&pipe, Stdio::piped()),
    ] {
        let output = start(out, stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{out}: {errors}");
        assert!(errors.contains(out) && errors.contains("a regular file"), "{out}: {errors}");
        assert_eq!((output.stdout.len(), std::fs::metadata(&redirected).unwrap().len()), (0, 0), "{out}");
    }
    let output = start("/dev/null", Stdio::piped());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.starts_with("/dev/null: 3 games"), "{text}");
}

/// As with `| head -1`: the lines of epochs have no reader, and what was learnt is kept all the same.
#[cfg(unix)]
#[test]
fn what_was_learnt_is_written_though_its_lines_have_no_reader() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let (games, out) = (folder.file("games.fbg"), folder.file("out"));
    datagen(&games, "12", "2");
    for command in [&["tune"][..], &["train", "--hidden", "32", "--buckets", "1", "--from-ply", "0"]] {
        let child = Command::new(tests::firstborn())
            .args(command)
            .args(["--epochs", "2", "--hold-out", "4", "--out", &out, &games])
            .stdout(tests::unheard())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let ended = child.wait_with_output().unwrap();
        let errors = String::from_utf8(ended.stderr).unwrap();
        // The last lines have no reader either.
        assert_eq!(ended.status.code(), Some(141), "{command:?}: {errors}");
        std::fs::remove_file(&out).expect("it was written");
    }
}

/// Ctrl-C before anything is learnt: what was to be written over is as it was.
#[cfg(unix)]
#[test]
fn an_interrupt_before_the_first_pass_writes_nothing() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let (games, pipe, out) = (folder.file("games.fbg"), folder.file("pipe"), folder.file("out"));
    datagen(&games, "40", "2");
    let games = std::fs::read(&games).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for command in [&["tune", "--from-zero", "--batch", "1"][..], &["train", "--hidden", "32"]] {
        std::fs::write(&out, "before").unwrap();
        let child = Command::new(tests::firstborn())
            .args(command)
            .args(["--epochs", "1000", "--hold-out", "4", "--out", &out, &pipe])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // This waits until the program reads, and by then it watches for Ctrl-C.
        let mut into = std::fs::File::options().write(true).open(&pipe).unwrap();
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        into.write_all(&games).unwrap();
        drop(into);
        let ended = child.wait_with_output().unwrap();
        let errors = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(130), "{command:?}: {errors}");
        assert!(errors.contains("stopped") && !errors.contains("the best are in"), "{command:?}: {errors}");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "before", "{command:?}: {errors}");
    }
}

#[test]
fn what_is_not_ours_is_refused() {
    let folder = Folder::new();
    let (games, text) = (folder.file("games.fbg"), folder.file("text.pgn"));
    datagen(&games, "1", "1");
    std::fs::write(&text, "[Event \"?\"]").unwrap();
    let before = std::fs::read(&games).unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["data"], "FILE"),
        (&["data", "/no/such/file"], "/no/such/file"),
        (&["data", &text], "not a file of Firstborn's games"),
        (&["data", &games, "--pgn", "/no/such/folder/x.pgn"], "/no/such/folder"),
        (&["datagen"], "--out"),
        (&["datagen", "--out", "/no/such/folder/x"], "/no/such/folder"),
        (&["datagen", "--out", &text], "not a file of Firstborn's games"),
        (&["datagen", "--out", &games, "--nodes", "50", "--seed", "6"], "seed"),
        (&["datagen", "--out", &games, "--nodes", "51", "--seed", "5"], "soft_nodes"),
        (&["datagen", "--out", &games, "--nodes", "0"], "--nodes"),
        (&["datagen", "--out", &games, "--threads", "0"], "--threads"),
        (&["datagen", "--out", &games, "--chess960", "1.5"], "--chess960"),
        (&["datagen", "--out", &games, "--chess960", "NaN"], "--chess960"),
        (&["datagen", "--out", &games, "--nodes", "50", "--seed", "5", "--chess960", "0.5"], "chess960"),
        (&["datagen", "--out", &games, "--eval-file", &text], "text.pgn"),
        (&["datagen", "--out", &games, "--eval-file", "/no/such.net"], "/no/such.net"),
        (&["data", &games, "--viriformat", "/no/such/folder/x"], "/no/such/folder"),
        (&["tune"], "FILE"),
        (&["tune", &text], "not a file of Firstborn's games"),
        (&["tune", &games], "validation"),
        (&["tune", &games, "--wdl", "2"], "--wdl"),
        (&["tune", &games, "--rate", "-1"], "-1"),
        (&["tune", &games, "--batch", "0"], "--batch"),
        (&["tune", &games, "--hold-out", "1"], "--hold-out"),
        (&["tune", &games, "--held-out", "3", "--hold-out", "3"], "--hold-out"),
    ];
    for (arguments, named) in cases {
        let errors = refusal(arguments);
        assert!(errors.contains(named), "{arguments:?} should name {named}: {errors}");
    }
    assert_eq!(std::fs::read(Path::new(&games)).unwrap(), before, "refusals leave files alone");
    assert_eq!(std::fs::read_to_string(&text).unwrap(), "[Event \"?\"]");
}

/// Games from starts of double Chess960 are made, resumed, checked and read by a stranger.
#[test]
fn a_share_of_chess960_is_made_and_verified() {
    use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen, san::San};
    let folder = Folder::new();
    let (file, torn, pgn) = (folder.file("games.fbg"), folder.file("torn.fbg"), folder.file("games.pgn"));
    let make = |out: &str, games: &str, threads: &str| {
        let common = ["datagen", "--nodes", "50", "--seed", "5", "--chess960", "0.5", "--json"];
        json(&[&common[..], &["--games", games, "--threads", threads, "--out", out]].concat())
    };
    make(&file, "12", "2");
    make(&torn, "12", "1");
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(&torn).unwrap());
    let data = json(&["data", &file, "--pgn", &pgn, "--json"]);
    assert_eq!(
        (&data["faults"], &data["files"][0]["header"]["recipe"]["chess960"]),
        (&json_list(), &0.5.into())
    );
    let starts = data["chess960"].as_u64().unwrap();
    assert!((1..12).contains(&starts), "{starts}");
    assert_eq!(data["repeated_openings"], 0);
    let text = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(text.matches("[Variant \"Chess960\"]").count() as u64, starts);
    for game in text.split("[Event ").skip(1) {
        let (tags, moves) = game.split_once("\n\n").unwrap();
        let fen = tags.lines().find_map(|line| line.strip_prefix("[FEN \"")?.strip_suffix("\"]"));
        let mut position: Chess = fen.map_or_else(Chess::default, |fen| {
            fen.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap()
        });
        for word in moves.split_whitespace() {
            if word.ends_with('.') || word.starts_with('{') || ["1-0", "0-1", "1/2-1/2"].contains(&word) {
                continue;
            }
            let san: San = word.trim_end_matches(['+', '#']).parse().unwrap();
            let mv = san.to_move(&position).unwrap_or_else(|error| {
                panic!("{word} in {}: {error}", Fen::from_position(&position, EnPassantMode::Legal))
            });
            position.play_unchecked(mv);
        }
    }
}

fn json_list() -> Value {
    Value::Array(Vec::new())
}

/// A network by file plays other games than the program's own, and the file of games says which it was.
#[test]
fn a_network_by_file_plays_and_is_named() {
    let folder = Folder::new();
    let [own, by_file, other] = ["own.fbg", "file.fbg", "other.fbg"].map(|name| folder.file(name));
    datagen(&own, "3", "1");
    let make = |network: &Path, out: &str| {
        let network = network.to_str().unwrap();
        let common = ["datagen", "--games", "3", "--nodes", "50", "--seed", "5", "--json"];
        json(&[&common[..], &["--eval-file", network, "--out", out]].concat())
    };
    make(&tests::own_network(), &by_file);
    assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&by_file).unwrap(), "the same network");
    let network = folder.path("other.net");
    firstborn(&["train", &own, "--hidden", "32", "--epochs", "1", "--hold-out", "0", "--from-ply", "0"])
        .args(["--batch", "16", "--out", network.to_str().unwrap()])
        .assert()
        .success();
    make(&network, &other);
    let told = |file: &str| json(&["data", file, "--json"])["files"][0]["header"].clone();
    let [own_header, other_header] = [told(&own), told(&other)];
    assert_ne!(own_header["network"], other_header["network"]);
    assert_ne!(own_header["bench"], other_header["bench"]);
    let bytes = std::fs::read(&network).unwrap();
    let fingerprint = u32::from_le_bytes(bytes[20..24].try_into().unwrap());
    assert_eq!(other_header["network"]["fingerprint"], format!("{fingerprint:08x}"));
    let errors = refusal(&["datagen", "--games", "4", "--nodes", "50", "--seed", "5", "--out", &other]);
    assert!(errors.contains("network"), "{errors}");
}

/// Out and in again by viriformat: the same positions to learn from; a damaged file costs its own games.
#[test]
fn viriformat_goes_out_and_comes_in() {
    let folder = Folder::new();
    let [ours, theirs, damaged] = ["ours.fbg", "theirs.viri", "damaged.viri"].map(|name| folder.file(name));
    datagen(&ours, "9", "2");
    let before = json(&["data", &ours, "--viriformat", &theirs, "--json"]);
    let after = json(&["data", &theirs, "--json"]);
    for key in ["games", "plies", "results", "scores", "kept", "faults", "coherence"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    let mut bytes = std::fs::read(&theirs).unwrap();
    // The kind of a move of the first game.
    bytes[32 + 4 * 5 + 1] ^= 0xc0;
    std::fs::write(&damaged, bytes).unwrap();
    let assert = firstborn(&["data", &ours, &damaged]).assert().code(1);
    let told = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(told.contains("damaged.viri: 8 games") && told.contains("damaged.viri: damage: "), "{told}");
    assert!(told.contains("games      17:"), "{told}");
}
