//! `firstborn spsa` as a shell starts it: what is refused, what is told, and going on after a kill. Tuned is the option
//! `MultiPV`, which at a fixed number of nodes makes a difference in any build.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The command in this folder, which agrees on CPUs with no program outside it.
fn command(folder: &Path) -> Command {
    let mut command = Command::new(tests::firstborn());
    command.arg("spsa").current_dir(folder).env("FIRSTBORN_CPU_LOCKS", folder.join("locks"));
    command
}

/// Runs the command with the program itself as the engine.
fn spsa(folder: &Path, options: &[&str]) -> Output {
    let cmd = format!("cmd={}", tests::firstborn().display());
    command(folder).args(["--engine", &cmd, "nodes=300", "hash=1"]).args(options).output().unwrap()
}

const RUN: &str =
    "--param MultiPV=4,1,12,3 --iterations 6 --batch 2 --threads 2 --rate 0.2 --maxmoves 40 --seed 3 --json";

fn run(folder: &Path, journal: &str) -> Value {
    let options: Vec<&str> = RUN.split(' ').chain(["--journal", journal]).collect();
    let output = spsa(folder, &options);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let mut result: Value = serde_json::from_slice(&output.stdout).unwrap();
    result.as_object_mut().unwrap().remove("provenance").expect("it says what it was made with and on");
    result
}

#[test]
fn a_killed_run_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(folder.path(), "whole");
    assert_eq!(whole["pairs"], 6);
    let value = whole["params"][0]["value"].as_f64().unwrap();
    assert!((1.0..=12.0).contains(&value) && value != 4.0, "no pair was decided: the test tests nothing");
    // Killed after the first batch, in the middle of writing the second.
    let text = fs::read_to_string(folder.path().join("whole")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "a line for the run and one for each batch");
    let torn = format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..lines[2].len() / 2]);
    fs::write(folder.path().join("torn"), torn).unwrap();
    assert_eq!(run(folder.path(), "torn"), whole);
    assert_eq!(fs::read_to_string(folder.path().join("torn")).unwrap(), text);
    // All pairs are played: nothing more happens.
    assert_eq!(run(folder.path(), "torn"), whole);
}

/// The number of threads is an option like others.
#[test]
fn threads_are_tuned_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--param Threads=1,1,3,1 --iterations 2 --batch 1 --threads 1 --maxmoves 2 --json";
    let output = spsa(folder.path(), &options.split(' ').collect::<Vec<_>>());
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["pairs"], &result["params"][0]["name"]), (&2.into(), &"Threads".into()));
}

/// For people there is a table, and under it what the run was made with.
#[test]
fn the_table_ends_with_program_and_machine() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--param MultiPV=4,1,12,3 --iterations 1 --batch 1 --threads 1 --maxmoves 2";
    let output = spsa(folder.path(), &options.split(' ').collect::<Vec<_>>());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("1 of 1 pairs\n"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.lines().last().is_some_and(|line| line.starts_with("Firstborn ")), "{text}");
}

/// A game that fails in the third pair ends the run with an error, and what two pairs have taught is told.
#[cfg(unix)]
#[test]
fn what_was_tuned_is_told_where_a_game_fails() {
    let folder = tempfile::tempdir().unwrap();
    // Started three times for a trial and twice for each pair; from then on it ends at every move.
    let script = format!(
        "#!/bin/sh\necho start >>starts\n[ $(wc -l <starts) -gt 7 ] || exec '{}' uci\n\
         while read line; do case $line in\n\
         uci) echo option name Hash type spin default 1 min 1 max 9\n\
         echo option name MultiPV type spin default 1 min 1 max 99; echo uciok;;\n\
         isready) echo readyok;; go*) exit 9;; quit) exit 0;; esac; done\n",
        tests::firstborn().display()
    );
    tests::executable(&folder.path().join("engine"), script);
    let options = "--engine cmd=./engine nodes=100 hash=1 --param MultiPV=4,1,12,3 --iterations 5 \
                   --batch 1 --threads 1 --maxmoves 4";
    let output = command(folder.path()).args(options.split_whitespace()).output().unwrap();
    let (text, words) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.code() == Some(1) && words.contains("crashes"), "{words}");
    assert!(text.starts_with("2 of 5 pairs\n") && text.contains("\nMultiPV "), "{text}{words}");
}

/// The engine mates where its option is above the start, and otherwise makes a move that decides nothing: so every pair
/// is won by the version with the greater value, and the value rises with each.
#[cfg(unix)]
#[test]
fn a_value_moves_towards_what_wins() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let script = "#!/bin/sh\nvalue=0\nwhile read -r line; do case $line in\n\
                  uci) echo option name Hash type spin default 1 min 1 max 9\n\
                  echo option name Skill type spin default 4 min 1 max 12; echo uciok;;\n\
                  isready) echo readyok;; *Skill*) value=${line##* };;\n\
                  *' moves '*) move=g8f8;;\n\
                  position*) if [ $value -gt 4 ]; then move=a1a8; else move=a1a2; fi;;\n\
                  go*) echo bestmove $move;; quit) exit 0;; esac; done\n";
    tests::executable(&at("engine"), script);
    fs::write(at("mate.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - -\n").unwrap();
    let options = "--engine cmd=./engine nodes=100 hash=1 --param Skill=4,1,12,3 --iterations 6 --batch 1 \
                   --rate 0.05 --threads 1 --maxmoves 1 --openings mate.epd --journal j";
    let output = command(folder.path()).args(options.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = fs::read_to_string(at("j")).unwrap();
    let lessons = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut values: Vec<f64> = lessons.filter_map(|lesson| lesson["values"][0].as_f64()).collect();
    assert_eq!(values.len(), 6, "{journal}");
    values.insert(0, 4.0);
    assert!(values.is_sorted_by(|before, after| before < after), "{values:?}");
}

/// An engine whose option `Skill` has this range and whose moves from `mate.epd` decide nothing: `go` is what it does
/// before each.
#[cfg(unix)]
fn script(range: &str, go: &str) -> String {
    format!(
        "#!/bin/sh\nvalue=0\nwhile read -r line; do case $line in\n\
         uci) echo option name Hash type spin default 1 min 1 max 9\n\
         echo option name Skill type spin {range}; echo uciok;;\n\
         isready) echo readyok;; *Skill*) value=${{line##* }};;\n\
         *' moves '*) move=g8f8;; position*) move=a1a2;;\n\
         go*) {go}; echo bestmove $move;; quit) exit 0;; esac; done\n"
    )
}

/// Runs the command in this folder with these words and such an engine.
#[cfg(unix)]
fn scripted(folder: &Path, range: &str, go: &str, options: &str) -> Output {
    tests::executable(&folder.join("engine"), script(range, go));
    fs::write(folder.join("mate.epd"), "6k1/5ppp/8/8/8/8/8/R5K1 w - -\n").unwrap();
    let words = "--threads 1 --batch 1 --maxmoves 1 --openings mate.epd";
    command(folder).args(words.split(' ')).args(options.split(' ')).output().unwrap()
}

/// The usual range of the option, and a run of two pairs.
#[cfg(unix)]
const TWO_PAIRS: [&str; 2] = [
    "default 4 min 1 max 12",
    "--engine cmd=./engine hash=1 nodes=100 --param Skill=4,1,12,3 --iterations 2 --json",
];

/// What a run has learnt from one program it does not go on with from another, unless that is wanted.
#[cfg(unix)]
#[test]
fn another_program_does_not_go_on_with_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let [range, options] = TWO_PAIRS;
    let run = |go: &str, more: &str| {
        let output = scripted(folder.path(), range, go, &format!("{options} --journal j{more}"));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), told, fs::read_to_string(folder.path().join("j")).unwrap())
    };
    let (status, told, journal) = run(":", "");
    assert_eq!(status, Some(0), "{told}");
    let (status, told, after) = run("true", "");
    assert!(status == Some(1) && told.contains("its program") && told.contains("--same-engine"), "{told}");
    assert_eq!(after, journal);
    let (status, told, after) = run("true", " --same-engine");
    assert!(status == Some(0) && told.contains("going on with another program"), "{told}");
    assert!(after.starts_with(&journal) && after.len() > journal.len(), "{after}");
}

/// The first move that is asked for puts another program in its place, which the second pair would start.
#[cfg(unix)]
#[test]
fn a_program_that_is_replaced_ends_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let [range, options] = TWO_PAIRS;
    for (more, status, pairs) in [("", 1, 1), (" --same-engine", 0, 2)] {
        tests::executable(&folder.path().join("other"), script(range, ":"));
        let go = "[ ! -e other ] || mv -f other engine";
        let output = scripted(folder.path(), range, go, &format!("{options}{more}"));
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{more}: {told}");
        assert_eq!(told.contains("is not the program that began this run"), status == 1, "{more}: {told}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["pairs"], pairs, "{result}{told}");
        assert!(!folder.path().join("other").exists(), "{more}: nothing was replaced");
    }
}

/// The version with the greater value takes longer for its first move than it has for all, whichever side it plays.
#[cfg(unix)]
#[test]
fn games_lost_on_time_are_counted_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let go = "if [ $value -gt 4 ]; then sleep 0.3; fi";
    let options = "--engine cmd=./engine hash=1 tc=0.1 --param Skill=4,1,12,3 --iterations 2 --journal j";
    let run = |more: &str| {
        let output = scripted(folder.path(), "default 4 min 1 max 12", go, &format!("{options}{more}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run("");
    assert!(text.contains("\n4 of 4 games lost on time\n"), "{text}");
    // The journal has kept it.
    let result: Value = serde_json::from_str(&run(" --json")).unwrap();
    assert_eq!((&result["pairs"], &result["lost_on_time"]), (&2.into(), &4.into()), "{result}");
}

/// With three pairs and no game won only the last pair is of 400 against 600: there the engine crashes.
#[cfg(unix)]
#[test]
fn a_pair_with_a_fault_can_be_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let go = "[ $value -ne 600 ] || exit 9";
    let options =
        "--engine cmd=./engine hash=1 nodes=100 --param Skill=500,0,1000,100 --iterations 3 --journal j";
    let run = |more: &str| {
        scripted(folder.path(), "default 500 min 0 max 1000", go, &format!("{options} --json{more}"))
    };
    let failed = run("");
    let words = String::from_utf8_lossy(&failed.stderr);
    assert!(failed.status.code() == Some(1) && words.contains("--skip-faults"), "{words}");
    let result: Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert_eq!((&result["pairs"], &result["skipped"]), (&2.into(), &0.into()), "{result}");
    let skipped = run(" --skip-faults");
    let words = String::from_utf8_lossy(&skipped.stderr);
    assert!(skipped.status.success() && words.contains("pair 3 teaches nothing"), "{words}");
    let result: Value = serde_json::from_slice(&skipped.stdout).unwrap();
    assert_eq!((&result["pairs"], &result["skipped"]), (&3.into(), &1.into()), "{result}");
    assert_eq!(result["params"][0]["value"], 500.0, "{result}");
}

/// Plays three pairs of games of one move, one game at a time, and is interrupted in the game of this number. Returns
/// what is said of it and how many pairs have counted. The game goes on if the batch is told to end.
#[cfg(unix)]
fn interrupted(game: usize, batch: &str) -> (String, u64) {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    use tests::Running;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case $line in\n\
         uci) echo option name Hash type spin default 1 min 1 max 9\n\
         echo option name MultiPV type spin default 1 min 1 max 99; echo uciok;;\n\
         isready) echo readyok;; *' moves '*) move=e8e7;; position*) move=e1e2; echo game >>games;;\n\
         go*) [ $(wc -l <games) -ne {game} ] || [ -e sent ] || \
         {{ : >sent; kill -INT $PPID; read -r line <release; }}; echo bestmove $move;;\n\
         quit) exit 0;; esac; done\n"
    );
    tests::executable(&at("engine"), script);
    fs::write(at("kings.epd"), "4k3/8/8/8/8/8/P7/4K3 w - -\n").unwrap();
    assert!(Command::new("mkfifo").arg(at("release")).status().unwrap().success());
    let options = "--engine cmd=./engine nodes=100 hash=1 --param MultiPV=4,1,12,3 --iterations 3 \
                   --threads 1 --maxmoves 1 --openings kings.epd --json --batch";
    let mut command = command(folder.path());
    command.args(options.split_whitespace()).arg(batch).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running::start(&mut command);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said = lines.find(|line| line.contains("batch")).unwrap_or_default();
    if said.contains("stopping when the batch has ended") {
        fs::write(at("release"), "\n").unwrap();
    }
    tests::wait_until("it ends", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let result: Value = serde_json::from_str(&text).unwrap();
    (said, result["pairs"].as_u64().unwrap())
}

/// As a shutdown does: the engine is not blamed for its end, and the same command plays its pair again.
#[cfg(unix)]
#[test]
fn a_signal_to_the_runner_and_its_engine_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let [range, options] = TWO_PAIRS;
    let run = || {
        let go = "[ -e sent ] || { : >sent; kill -TERM $PPID $$; }";
        let output = scripted(folder.path(), range, go, &format!("{options} --journal j"));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), result["pairs"].as_u64(), told)
    };
    let (status, pairs, told) = run();
    assert_eq!((status, pairs), (Some(130), Some(0)), "{told}");
    assert!(!told.contains("crashes"), "{told}");
    let (status, pairs, told) = run();
    assert_eq!((status, pairs), (Some(0), Some(2)), "{told}");
}

/// A batch that lacks a game is lost with Ctrl-C, so no game of it is waited for; one whose last game runs is not.
#[cfg(unix)]
#[test]
fn an_interrupt_waits_for_no_game_that_teaches_nothing() {
    for (game, batch, pairs, says) in [
        (1, "1", 0, "giving up the batch"),
        (2, "3", 0, "giving up the batch"),
        (5, "2", 2, "giving up the batch"),
        (2, "1", 1, "stopping when the batch has ended"),
        (4, "2", 2, "stopping when the batch has ended"),
    ] {
        let (said, counted) = interrupted(game, batch);
        assert!(said.contains(says), "game {game}, batch {batch}: {said}");
        assert_eq!(counted, pairs, "game {game}, batch {batch}");
    }
}

/// The report would be written over the beginning of a journal that goes where standard output goes.
#[cfg(unix)]
#[test]
fn a_journal_is_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let cmd = format!("cmd={}", tests::firstborn().display());
    let mut command = command(folder.path());
    command.args(["--engine", &cmd, "nodes=300", "hash=1"]);
    command.args(RUN.split(' ')).args(["--journal", "/dev/stdout"]).stdout(fs::File::create(&out).unwrap());
    let refused = command.output().unwrap();
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(1) && words.contains("--journal /dev/stdout"), "{words}");
    assert_eq!(fs::read(&out).unwrap(), b"");
}

#[test]
fn what_is_wrong_is_told_before_any_game() {
    let folder = tempfile::tempdir().unwrap();
    for (options, says) in [
        ("--param NoSuchOption=1,0,9,1", "NoSuchOption"),
        ("--param nothing", "NAME=START,MIN,MAX,C"),
        ("--param MultiPV=4,1,12,3 --param multipv=4,1,12,3", "given twice"),
        ("--param MultiPV=4,1,12,3 --rate 2", "--rate 2"),
        ("--param MultiPV=4,1,12,3 --rate 0", "--rate 0"),
        // One engine is tuned: a second is not to be, silently, in its place.
        ("--param MultiPV=4,1,12,3 --engine cmd=./other nodes=5", "--engine"),
    ] {
        let output = spsa(folder.path(), &options.split(' ').collect::<Vec<_>>());
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && words.contains(says), "{options}: {words}");
    }
}

/// An ordinary build does not have the numbers of the search as options: the message says what does.
#[cfg(unix)]
#[test]
fn a_build_without_the_numbers_of_the_search_is_told_from_one_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\nwhile read line; do case $line in\n\
                  uci) echo option name Hash type spin default 1 min 1 max 9\n\
                  echo option name Own type spin default 1 min 1 max 9; echo uciok;;\n\
                  isready) echo readyok;; quit) exit 0;; esac; done\n";
    tests::executable(&folder.path().join("engine"), script);
    let refused = |options: &str| {
        let words = format!("--engine cmd=./engine nodes=100 hash=1 --iterations 1{options}");
        let output = command(folder.path()).args(words.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let words = refused("");
    assert!(words.contains("--features tuning") && words.contains("name --param"), "{words}");
    assert!(!words.contains("plus") && !words.contains("it has:"), "{words}");
    // Of another option the engine's own list says more.
    let words = refused(" --param Onw=1,1,9,1");
    assert!(
        words.contains("no option `Onw`") && words.contains("Own") && !words.contains("tuning"),
        "{words}"
    );
}

/// The engine's version has another default than this program.
#[cfg(unix)]
#[test]
fn a_number_starts_where_the_engine_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\nwhile read line; do case $line in\n\
                  uci) echo option name late_moves type spin default 3 min 0 max 12; echo uciok;;\n\
                  isready) echo readyok;; quit) exit 0;; esac; done\n";
    tests::executable(&folder.path().join("engine"), script);
    let words = "--engine cmd=./engine nodes=100 --iterations 1 --param late_moves";
    let output = command(folder.path()).args(words.split(' ')).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    let refused = output.status.code() == Some(1) && words.contains("this program, 3 in the engine");
    assert!(refused && words.contains("--param late_moves=3,0,12,1"), "{words}");
}
