//! Tournaments in which something goes wrong outside the games: programs that do not start or are replaced,
//! full disks, machines that are shared. Whatever happens, the journal holds what was played and nothing
//! else.

use crate::hall::{Hall, document, signal};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;
use tests::{Running, executable};

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits for a line on standard error.
fn wait_for(lines: &mut impl Iterator<Item = String>, text: &str) -> String {
    let mut seen = Vec::new();
    for line in lines {
        if line.contains(text) {
            return line;
        }
        seen.push(line);
    }
    panic!("`{text}` was not said: {seen:?}")
}

fn stderr_of(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok)
}

/// A program that the system does not start, or that ends before it greets, decides no test and loses no
/// game.
#[test]
fn a_program_that_cannot_start_is_an_error_and_no_game() {
    let hall = Hall::new();
    fs::write(hall.path("notexec"), "int").unwrap();
    executable(&hall.path("ends"), "#!/bin/sh\necho my network is gone >&2\nexit 3\n");
    executable(&hall.path("text"), "int main(void)\n");
    executable(&hall.path("script"), "#!/no/such/interpreter\n");
    fs::create_dir(hall.path("folder")).unwrap();
    for (command, says) in [
        ("./notexec", "x bit"),
        ("./missing", "./missing"),
        ("./nowhere/engine", "nowhere"),
        ("./folder", "folder"),
        ("./ends", "exit status: 3"),
        ("./ends", "my network is gone"),
        ("./text", "Exec format error"),
        ("./script", "/no/such/interpreter"),
    ] {
        let output = hall.run(&format!(
            "--engine name=New cmd={command} --each nodes=10 --rounds 400 --budget 1 --journal j --pgn g.pgn"
        ));
        let told = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {told}");
        for word in ["New", command, says] {
            assert!(told.contains(word), "{command}: `{word}` is not in: {told}");
        }
        assert!(!hall.path("j").exists(), "{command}: something is journalled");
        assert_eq!(fs::read_to_string(hall.path("g.pgn")).unwrap_or_default(), "", "{command}");
    }
}

/// The moves of every game in a PGN file, by a reader of our own for this: a blank line ends the tags.
fn games_of_pgn(hall: &Hall, name: &str) -> Vec<String> {
    let text = fs::read_to_string(hall.path(name)).unwrap_or_default();
    text.split("[Event ").skip(1).map(|game| game.split_once("\n\n").unwrap().1.trim().to_owned()).collect()
}

/// The tournament is killed while an engine is being rebuilt: its journal and its PGN hold the same games,
/// all of them whole. The same command does not go on without the engine, nor with a new one under the old
/// name; told that the new one is meant, it plays what is missing, and nothing twice.
#[test]
fn a_tournament_killed_while_an_engine_is_rebuilt_goes_on_where_it_was() {
    let hall = Hall::new();
    let options =
        "--each depth=1 restart=on --rounds 8 --maxmoves 10 --budget 1 --json --journal j --pgn g.pgn";
    let mut child = hall.start(options);
    let mut lines = stderr_of(&mut child);
    tests::wait_until("a game is played", || !hall.games("j").is_empty());
    let old = fs::read_to_string(hall.path("engine")).unwrap();
    fs::remove_file(hall.path("engine")).unwrap();
    wait_for(&mut lines, "trying again");
    child.kill().unwrap();
    child.wait().unwrap();
    let (journal, pgn) = (fs::read_to_string(hall.path("j")).unwrap(), games_of_pgn(&hall, "g.pgn"));
    let played = hall.games("j");
    assert!((1..16).contains(&played.len()), "{played:?}");
    assert_eq!(played, (0..played.len() as u64).collect::<Vec<_>>());
    assert_eq!(pgn.len(), played.len());
    assert!(!journal.contains("start-failure"), "{journal}");

    let refused = |what: &[&str]| {
        let output = hall.run(options);
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        for word in what {
            assert!(errors(&output).contains(word), "{word}: {}", errors(&output));
        }
        assert_eq!(fs::read_to_string(hall.path("j")).unwrap(), journal);
        assert_eq!(games_of_pgn(&hall, "g.pgn"), pgn);
    };
    refused(&["./engine"]);
    executable(&hall.path("engine"), format!("{old}# rebuilt\n"));
    refused(&["player `A`", "its program", "--same-engine"]);

    let output = hall.run(&format!("{options} --same-engine"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(document(&output)["games"], 16);
    let text = fs::read_to_string(hall.path("j")).unwrap();
    assert!(text.starts_with(&journal), "what was played is still there");
    assert_eq!(hall.games("j"), (0..16).collect::<Vec<_>>());
    let all = games_of_pgn(&hall, "g.pgn");
    assert_eq!((&all[..pgn.len()], all.len()), (&pgn[..], 16));
}

/// An engine is away in mid-match, as while it is being built, and comes back: all games are played and none
/// is lost by that.
#[test]
fn a_program_that_is_being_rebuilt_comes_back() {
    let hall = Hall::new();
    let options =
        "--each depth=1 restart=on --rounds 15 --maxmoves 10 --budget 1 --json --journal j --pgn g.pgn";
    let away = || fs::rename(hall.path("engine"), hall.path("away")).unwrap();
    let back = || fs::rename(hall.path("away"), hall.path("engine")).unwrap();

    let mut command = hall.command(options);
    command.env("QUIET_START", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running::start(&mut command);
    let mut lines = stderr_of(&mut child);
    tests::wait_until("a game is played", || !hall.games("j").is_empty());
    away();
    let line = wait_for(&mut lines, "trying again");
    assert!(line.contains("/engine"), "{line}");
    back();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", lines.collect::<Vec<_>>().join("\n"));
    let told = document(&output);
    assert_eq!((&told["games"], &told["status"]), (&30.into(), &"complete".into()));
    assert!(
        told["players"].as_array().unwrap().iter().all(|p| p["forfeits"] == serde_json::json!({})),
        "{told}"
    );
    let mut games = hall.games("j");
    games.sort_unstable();
    assert_eq!(games, (0..30).collect::<Vec<_>>());
}

/// Away for good, it ends the tournament with a summary of what was played, and the same command goes on.
#[test]
fn a_program_that_stays_away_ends_the_tournament() {
    let hall = Hall::new();
    let options =
        "--each depth=1 restart=on --rounds 40 --maxmoves 10 --budget 1 --start-retries 0 --json --journal j";
    let child = hall.start(options);
    fs::rename(hall.path("engine"), hall.path("away")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let told = document(&output);
    assert_eq!(told["status"], "halted");
    assert!(told["halt"].as_str().unwrap().contains("./engine"), "{told}");
    assert!(errors(&output).contains("The same command goes on"), "{}", errors(&output));
    let games = hall.games("j");
    assert_eq!(told["games"], games.len());
    assert_eq!(told["endings"].as_object().unwrap().get("start-failure"), None, "{told}");
}

/// The first move that is asked for puts another program in its place, which the second game would start.
#[test]
fn a_program_that_is_replaced_ends_the_tournament() {
    let hall = Hall::new();
    let script = |at_go: &str| {
        format!(
            "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
             *' moves '*) move=e7e5;; position*) move=e2e4;; quit) exit 0;; \
             go*) {at_go}; echo bestmove $move;; esac; done\n"
        )
    };
    fs::write(hall.path("book.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
    for (more, status, games) in [("", 3, 1), ("--same-engine", 0, 2)] {
        executable(&hall.path("engine"), script("[ ! -e other ] || mv -f other engine"));
        executable(&hall.path("other"), script(":"));
        let output = hall.run(&format!(
            "--each depth=1 restart=on --openings book.epd --rounds 1 --maxmoves 1 --budget 1 --json {more}"
        ));
        assert_eq!(output.status.code(), Some(status), "{more}: {}", errors(&output));
        let told = document(&output);
        assert_eq!(told["games"], games, "{told}");
        let halt = told["halt"].as_str().unwrap_or_default();
        assert_eq!(halt.contains("is not the program that began this run"), status == 3, "{more}: {told}");
        assert!(!hall.path("other").exists(), "{more}: nothing was replaced");
    }
}

/// A journal knows which program played its games, and what it was given; so does the PGN.
#[test]
fn another_program_under_the_same_name_is_refused() {
    let hall = Hall::new();
    let options = "--engine name=C cmd=./other arg=net.bin --each depth=1 proto=uci --format gauntlet --rounds 1 \
                   --maxmoves 4 --budget 1 --json --journal j --pgn g.pgn";
    let engine = |note: &str| {
        executable(
            &hall.path("other"),
            format!("#!/bin/sh\n# {note}\nexec '{}'\n", tests::firstborn().display()),
        );
    };
    engine("one");
    fs::write(hall.path("net.bin"), "weights 1").unwrap();
    let first =
        hall.run(&options.replace("--rounds 1", "--rounds 1 --sprt elo0=0").replace(" --sprt elo0=0", ""));
    assert_eq!(first.status.code(), Some(0), "{}", errors(&first));
    let journal = fs::read_to_string(hall.path("j")).unwrap();
    let header: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    let third = &header["engines"][2];
    assert!(third["name"].as_str().unwrap().starts_with("Firstborn"), "{third}");
    let roles: Vec<&str> =
        third["files"].as_array().unwrap().iter().map(|f| f["role"].as_str().unwrap()).collect();
    // The system tells what the script has started.
    let behind = if cfg!(target_os = "linux") { &["process"][..] } else { &[] };
    assert_eq!(roles, [&["program", "argument 1"], behind].concat());
    let sum = Command::new("sha256sum").arg(hall.path("net.bin")).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert!(sum.starts_with(third["files"][1]["sha256"].as_str().unwrap()), "{sum}{third}");
    let pgn = fs::read_to_string(hall.path("g.pgn")).unwrap();
    assert!(pgn.contains("Program \"Firstborn") && pgn.contains("argument 1 net.bin sha256"), "{pgn}");

    let refused = |what: &[&str]| {
        let output = hall.run(options);
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        for word in what.iter().chain(&["--same-engine", "player `C`"]) {
            assert!(errors(&output).contains(word), "{word}: {}", errors(&output));
        }
        assert_eq!(fs::read_to_string(hall.path("j")).unwrap(), journal);
    };
    engine("two");
    refused(&["its program", "other"]);
    engine("one");
    fs::write(hall.path("net.bin"), "weights 2").unwrap();
    refused(&["argument 1", "net.bin"]);
    fs::remove_file(hall.path("net.bin")).unwrap();
    refused(&["argument 1", "no longer there"]);
    // Written again as it was, it is the same file.
    fs::write(hall.path("net.bin"), "weights 1").unwrap();
    assert_eq!(hall.run(options).status.code(), Some(0));
    assert_eq!(fs::read_to_string(hall.path("j")).unwrap(), journal);
    // Wanted, the change is written down, and holds from then on.
    fs::write(hall.path("net.bin"), "weights 2").unwrap();
    let output = hall.run(&format!("{options} --same-engine"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("net.bin"), "{}", errors(&output));
    assert!(
        fs::read_to_string(hall.path("j")).unwrap().lines().last().unwrap().starts_with("{\"engines\":[")
    );
    assert_eq!(hall.run(options).status.code(), Some(0), "the new file is the known one now");
}

/// A second build under the same name behind a script, and a table fewer in a folder: neither goes on in silence, and
/// both go on if that is wanted.
#[test]
#[cfg(target_os = "linux")]
fn what_a_script_starts_and_what_lies_in_a_folder_is_known() {
    let hall = Hall::new();
    let build = |behind: &str| {
        let program = fs::read(tests::firstborn()).unwrap();
        executable(&hall.path("new"), [&program, behind.as_bytes()].concat());
        fs::rename(hall.path("new"), hall.path("inner")).unwrap();
    };
    let table = |folder: &str| hall.path(folder).join("KQvK.rtbz");
    for folder in ["own", "runner"] {
        fs::create_dir(hall.path(folder)).unwrap();
        for file in fs::read_dir(tests::workspace().join("tests/data/syzygy")).unwrap().flatten() {
            fs::copy(file.path(), hall.path(folder).join(file.file_name())).unwrap();
        }
    }
    build("");
    executable(&hall.path("w.sh"), "#!/bin/sh\nexec ./inner\n");
    let run = |rounds: u32, more: &str| {
        let options = "--engine name=C cmd=./w.sh option.SyzygyPath=own --each depth=1 proto=uci --format gauntlet:1 \
                       --maxmoves 4 --budget 1 --journal j --tb runner";
        hall.run(&format!("{options} --rounds {rounds} {more}"))
    };
    let played = |output: &Output| assert_eq!(output.status.code(), Some(0), "{}", errors(output));
    played(&run(1, ""));
    let mut rounds = 1;
    let mut refused = |what: &[&str]| {
        let journal = fs::read_to_string(hall.path("j")).unwrap();
        let output = run(rounds + 1, "");
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        for word in what.iter().chain(&["--same-engine"]) {
            assert!(errors(&output).contains(word), "{word}: {}", errors(&output));
        }
        assert_eq!(fs::read_to_string(hall.path("j")).unwrap(), journal);
        rounds += 1;
        played(&run(rounds, "--same-engine"));
        // What is wanted is known from then on.
        rounds += 1;
        played(&run(rounds, ""));
    };
    build("another");
    refused(&["player `C`", "its process", "inner is another file"]);
    fs::remove_file(table("own")).unwrap();
    refused(&["player `C`", "option SyzygyPath", "own the files are others: 10 files"]);
    fs::remove_file(table("runner")).unwrap();
    refused(&["adjudication tables", "runner the files are others: 10 files"]);
    assert_eq!(hall.games("j").len(), 4 * rounds as usize);
    // Every game was played by the programs that the journal named last before it.
    let (journal, mut named) = (fs::read_to_string(hall.path("j")).unwrap(), 0);
    for line in journal.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if line.get("id").is_some() {
            assert_eq!(line["engines"].as_u64().unwrap_or(0), named, "{line}");
        } else if line.get("engines").is_some() {
            named += 1;
        }
    }
    assert!(named >= 3, "three times others were wanted: {named}");
}

/// A CPU number for each engine that runs, read from the system.
fn cpus_of_engines(hall: &Hall) -> Vec<String> {
    let field = |process: String| {
        let status = fs::read_to_string(Path::new(&process).join("status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("Cpus_allowed_list:"))?;
        Some(line.split_whitespace().nth(1)?.to_owned())
    };
    hall.left_behind().into_iter().filter_map(field).collect()
}

/// Two tournaments at once play on CPUs of their own; a third that finds none left does not begin, unless it
/// is told to.
#[test]
fn tournaments_on_one_machine_agree_on_cpus() {
    let cpus: usize = std::thread::available_parallelism().map_or(1, usize::from);
    if cpus < 2 {
        return tests::skipped("one CPU only");
    }
    let (first, second) = (Hall::new(), Hall::new());
    let options = "--each st=3600 --rounds 1 --budget 1";
    let locks = first.path("locks");
    let mut one = first.start(options);
    let mut command = second.command(options);
    let two = command.env("FIRSTBORN_CPU_LOCKS", &locks).env("QUIET_START", "1");
    let mut two = Running::start(two.stdout(Stdio::null()).stderr(Stdio::null()));
    let begun = Instant::now();
    let bound = |hall: &Hall| loop {
        // Each has been tried without being bound before.
        let cpus = cpus_of_engines(hall);
        if cpus.len() == 2 && cpus.iter().all(|list| !list.contains(['-', ','])) {
            break cpus;
        }
        assert!(begun.elapsed() < tests::PATIENCE, "{cpus:?}");
    };
    let (a, b) = (bound(&first), bound(&second));
    assert!(a[0] == a[1] && b[0] == b[1] && a[0] != b[0], "{a:?} {b:?}");
    let third = |options: &str| first.run(options);
    let all = third(&format!("--each st=3600 --rounds 1 --cores {}", a[0]));
    assert_eq!(all.status.code(), Some(1));
    // Under a quota of two CPUs the other two have all of its time.
    let taken = ["other tournaments on this machine use CPU", "other tournaments use the whole quota"];
    assert!(taken.iter().any(|says| errors(&all).contains(says)), "{}", errors(&all));
    // What has no clock needs no CPU of its own, and who insists may share.
    let shared = third(&format!("--each depth=1 --rounds 1 --maxmoves 2 --cores {}", a[0]));
    assert_eq!(shared.status.code(), Some(0), "{}", errors(&shared));
    assert!(errors(&shared).contains("is shared with another tournament"), "{}", errors(&shared));
    let forced = third(&format!("--each tc=5 --rounds 1 --maxmoves 1 --cores {} --oversubscribe", a[0]));
    assert_eq!(forced.status.code(), Some(0), "{}", errors(&forced));
    // Killed without warning, it holds no CPU any more.
    one.kill().unwrap();
    one.wait().unwrap();
    let free = third(&format!("--each tc=5 --rounds 1 --maxmoves 1 --cores {}", a[0]));
    assert_eq!(free.status.code(), Some(0), "{}", errors(&free));
    two.kill().unwrap();
    two.wait().unwrap();
}

/// Some engines hang at their start where they have a single CPU (GNU Chess 6). A wrapper script's engine is
/// bound as well, with every thread.
#[test]
fn engines_are_bound_when_they_have_greeted_and_not_before() {
    if let Err(error) = Command::new("taskset").arg("--version").output() {
        return tests::skipped(&format!("taskset: {error}"));
    }
    let allowed = |process: &str| {
        let output = Command::new("taskset").args(["-acp", process]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lists = text.lines().filter_map(|line| Some(line.rsplit_once(": ")?.1.to_owned()));
        lists.collect::<Vec<String>>()
    };
    let own = allowed(&std::process::id().to_string())[0].clone();
    if !own.contains(['-', ',']) {
        return tests::skipped("one CPU only");
    }
    let hall = Hall::new();
    let script = format!(
        "#!/bin/sh\ntaskset -cp $$ >>starts\nHALL='{}' '{}' uci\n:\n",
        hall.folder.path().display(),
        tests::firstborn().display()
    );
    executable(&hall.path("engine"), script);
    let mut command = hall.command("--each st=3600 --rounds 1 --budget 1");
    let mut run = Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    let begun = Instant::now();
    loop {
        let engines = hall.left_behind();
        let threads: Vec<Vec<String>> =
            engines.iter().map(|engine| allowed(engine.trim_start_matches("/proc/"))).collect();
        // Each has been tried without being bound before.
        let one = threads.iter().flatten().next().cloned().unwrap_or_default();
        let bound = |lists: &Vec<String>| lists.len() > 1 && lists.iter().all(|list| *list == one);
        if threads.len() == 2 && threads.iter().all(bound) && !one.contains(['-', ',']) {
            break;
        }
        assert!(begun.elapsed() < tests::PATIENCE, "{threads:?}");
    }
    let starts = fs::read_to_string(hall.path("starts")).unwrap();
    let starts: Vec<&str> = starts.lines().filter_map(|line| Some(line.rsplit_once(": ")?.1)).collect();
    assert_eq!(starts, [own.as_str(); 4]);
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn more_games_than_cpus_are_played_only_if_that_is_wanted() {
    let hall = Hall::new();
    let options = "--each depth=1 --rounds 1 --maxmoves 2 --budget 5000";
    let refused = hall.run(options);
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors(&refused).contains("--oversubscribe"), "{}", errors(&refused));
    assert_eq!(hall.run(&format!("{options} --oversubscribe")).status.code(), Some(0));
}

/// The disk is full: one message names the file, the games that were played are told, and the journal is
/// whole.
#[test]
fn a_full_disk_is_told_once_and_the_games_are_told_too() {
    if !Path::new("/dev/full").exists() {
        return tests::skipped("no /dev/full");
    }
    let hall = Hall::new();
    let output =
        hall.run("--each depth=1 --rounds 5 --maxmoves 10 --budget 1 --json --journal j --pgn /dev/full");
    let told = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert_eq!(told.matches("No space left on device").count(), 1, "{told}");
    assert!(told.contains("/dev/full") && told.contains("goes on once there is room"), "{told}");
    assert_eq!(document(&output)["games"], 1);
    assert_eq!(hall.games("j"), [0]);
}

/// Nothing that is played goes on from a journal that is gone, and that is what is said.
#[test]
fn a_journal_that_is_removed_is_wanted_back() {
    let hall = Hall::new();
    let child = hall.start("--each depth=1 --rounds 5000 --maxmoves 10 --budget 1 --json --journal j");
    tests::wait_until("a game is played", || !hall.games("j").is_empty());
    fs::remove_file(hall.path("j")).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("it was removed") && told.contains("Put the journal back"), "{told}");
    assert!(!told.contains("goes on") && !hall.path("j").exists(), "{told}");
}

/// The same on a disk that is really full: where the journal ends in mid-line, the same command finds it
/// whole.
#[test]
fn a_journal_on_a_full_disk_holds_whole_games() {
    let hall = Hall::new();
    let disk = hall.path("disk");
    fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=32k", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        return tests::skipped("no small disk can be mounted here");
    }
    let options = "--each depth=1 --rounds 40 --maxmoves 30 --budget 1 --json --journal disk/j";
    let output = hall.run(options);
    let (told, games) = (errors(&output), hall.games("disk/j"));
    let text = fs::read_to_string(disk.join("j")).unwrap();
    let grown = Command::new("mount").args(["-o", "remount,size=4m"]).arg(&disk).status();
    let again = hall.run(options);
    let finished = hall.games("disk/j");
    // What is open here is open, for a moment, in everything that other tests start meanwhile: the journal as well.
    tests::wait_until("the disk is unmounted", || {
        let unmounted = Command::new("umount").arg(&disk).stderr(Stdio::null()).status();
        unmounted.unwrap().success()
    });
    assert!(grown.unwrap().success());
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert_eq!(told.matches("No space left on device").count(), 1, "{told}");
    assert!(told.contains("disk/j"), "{told}");
    assert!(text.ends_with('\n'), "half a line is left");
    assert_eq!(document(&output)["games"], games.len(), "what is not kept does not count");
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    assert_eq!(finished, (0..80).collect::<Vec<_>>());
}

/// A table that goes while games are played is named, and the tournament stops: the game that it would have ended has
/// no result. With the table in its place again the same command plays it.
#[test]
fn a_table_that_goes_meanwhile_stops_the_tournament() {
    let hall = Hall::new();
    fs::create_dir(hall.path("tb")).unwrap();
    let source = tests::workspace().join("tests/data/syzygy/KQvK.rtbw");
    let put = || fs::copy(&source, hall.path("tb/KQvK.rtbw")).unwrap();
    put();
    fs::write(hall.path("start.fen"), "k7/3r4/8/4Q3/8/8/8/4K3 b - - 0 1\n").unwrap();
    executable(
        &hall.path("engine"),
        "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
         position*moves*) move=e5e7;; position*) move=d7e7;; go*) [ -e keep ] || rm -f tb/KQvK.rtbw; \
         echo bestmove $move;; quit) exit 0;; esac; done\n",
    );
    let options = "--each depth=1 --single --rounds 1 --openings start.fen --tb tb --budget 1 --journal j";
    let output = hall.run(options);
    let told = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("KQvK.rtbw: No such file") && told.contains("once its table can be read"),
        "{told}"
    );
    assert!(hall.games("j").is_empty(), "{told}");
    put();
    fs::write(hall.path("keep"), "").unwrap();
    let again = hall.run(options);
    assert_eq!((again.status.code(), hall.games("j")), (Some(0), vec![0]), "{}", errors(&again));
    assert!(fs::read_to_string(hall.path("j")).unwrap().contains("\"ending\":\"tablebase\""));
}

/// An engine that greets and ends at every move: the tournament stops, or counts that, as told; the status
/// says which.
#[test]
fn faults_of_a_program_stop_the_tournament_or_count_as_told() {
    let hall = Hall::new();
    executable(
        &hall.path("bad"),
        "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) exit 9;; \
         quit) exit 0;; esac; done\n",
    );
    let run = |forfeits: &str| {
        let output = hall.run(&format!(
            "--engine name=Bad cmd=./bad proto=uci --each depth=1 --format gauntlet:1 --rounds 2 --maxmoves 4 --budget 1 \
             --json {forfeits}"
        ));
        let told = document(&output);
        (output.status.code(), told["games"].as_u64().unwrap(), errors(&output))
    };
    // A meets B and Bad, four games each.
    let (status, games, told) = run("");
    assert_eq!((status, games), (Some(3), 7), "{told}");
    assert!(told.contains("Bad has lost 3 games in a row") && told.contains("Without --journal"), "{told}");
    assert_eq!(run("--forfeits 1").1, 3);
    assert_eq!((run("--forfeits 9").0, run("--forfeits 9").1), (Some(4), 8));
    assert_eq!((run("--forfeits count").0, run("--forfeits count").1), (Some(0), 8));
}

/// Every forfeit leaves a kit beside the log, and one command runs the program into its fault again, wherever
/// it is called; a mended program does not fail.
#[test]
fn a_crash_leaves_a_kit_that_crashes_again() {
    let hall = Hall::new();
    fs::create_dir(hall.path("elsewhere")).unwrap();
    let engine = |at_go: &str| {
        executable(
            &hall.path("bad"),
            format!(
                "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) {at_go};; \
                 quit) exit 0;; esac; done\n"
            ),
        );
    };
    engine("echo no memory >&2; kill -SEGV $$");
    let output = hall.run(
        "--engine name=Bad cmd=./bad proto=uci option.Fast=1 --each depth=1 --format gauntlet:1 --rounds 1 --maxmoves 4 \
         --budget 1 --forfeits count --journal j",
    );
    assert_eq!(output.status.code(), Some(1), "an option that it does not have: {}", errors(&output));
    let output = hall.run(
        "--engine name=Bad cmd=./bad proto=uci --each depth=1 --format gauntlet:1 --rounds 1 --maxmoves 4 --budget 1 \
         --forfeits count --journal j",
    );
    assert!(output.status.success(), "{}", errors(&output));
    let told = errors(&output);
    let line =
        told.lines().find(|line| line.contains("firstborn replay")).unwrap_or_else(|| panic!("{told}"));
    let kit = line.split("firstborn replay ").nth(1).unwrap().split('`').next().unwrap();
    assert!(kit.starts_with("j.forfeits/game-00000") && kit.ends_with(".kit.json"), "{line}");
    let replay = |kit: &str, more: &str| {
        let mut command = Command::new(tests::firstborn());
        command.current_dir(hall.path("elsewhere")).args(["replay", &format!("../{kit}")]);
        command.args(more.split_whitespace()).output().unwrap()
    };
    let again = replay(kit, "--show");
    let text = String::from_utf8_lossy(&again.stdout).into_owned();
    assert_eq!(again.status.code(), Some(0), "{text}{}", errors(&again));
    for words in ["Bad as ", "SIGSEGV", "the same fault again", "< go depth 1", "! no memory"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let again = document(&replay(kit, "--json"));
    assert_eq!((again["same"].as_bool(), again["ending"].as_str()), (Some(true), Some("crash")), "{again}");
    // One that stands where the command is given is not taken for the one of its name in the engine's folder.
    let crashing = fs::read_to_string(hall.path("bad")).unwrap();
    executable(&hall.path("elsewhere/bad"), crashing.replace("echo no memory", "echo bestmove e2e4; exit"));
    for command in ["--cmd ./bad", "--cmd bad"] {
        let other = replay(kit, command);
        assert_eq!(other.status.code(), Some(3), "{command}: {}", String::from_utf8_lossy(&other.stdout));
    }
    engine("echo bestmove e2e4");
    let mended = replay(kit, "");
    assert_eq!(mended.status.code(), Some(3), "{}", String::from_utf8_lossy(&mended.stdout));
    assert!(String::from_utf8_lossy(&mended.stdout).contains("answered `bestmove e2e4`"));
    let with_game = replay(kit, "--game 1");
    assert!(
        with_game.status.code() == Some(1) && errors(&with_game).contains("leave --game out"),
        "{}",
        errors(&with_game)
    );
    let missing = replay("none.json", "");
    assert!(
        missing.status.code() == Some(1) && errors(&missing).contains("none.json"),
        "{}",
        errors(&missing)
    );
}

/// The runner stands still while an engine's clock runs, which the engine sees to: not before the runner, which
/// has written to it, has looked at the clock. A game that is lost on time by that is played again; where that goes on
/// it counts.
#[test]
fn a_pause_of_the_runner_costs_no_game() {
    let mut halls = [(false, Hall::new()), (true, Hall::new())];
    let played = halls.each_mut().map(|(always, hall)| {
        executable(
            &hall.path("engine"),
            format!(
                "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                 *' moves '*) move=e7e5;; position*) move=e2e4;; quit) exit 0;; \
                 go*) if [ ! -e paused ] || {always}; then : >paused; \
                 sleep .3; kill -STOP $PPID; sleep 1.5; kill -CONT $PPID; fi; echo bestmove $move;; esac; done\n"
            ),
        );
        fs::write(hall.path("book.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n").unwrap();
        let options =
            "--each tc=1 --openings book.epd --rounds 1 --single --maxmoves 1 --budget 1 --journal j --json";
        let mut command = hall.command(options);
        Running::start(command.env("QUIET_START", "1").stdout(Stdio::piped()).stderr(Stdio::piped()))
    });
    for ((always, hall), child) in halls.iter().zip(played) {
        let output = child.wait_with_output().unwrap();
        let told = errors(&output);
        let (again, lost) = if *always { (3, 1) } else { (1, 0) };
        assert_eq!(told.matches("does not count and is played again").count(), again, "{told}");
        assert_eq!((output.status.code(), hall.games("j")), (Some(0), vec![0]), "{told}");
        let journal = fs::read_to_string(hall.path("j")).unwrap();
        assert_eq!(journal.matches("time-forfeit").count(), lost, "{journal}{told}");
    }
}

/// Ctrl-C is answered while the games still run, and what is said of going on is true.
#[test]
fn an_interrupt_is_answered_at_once() {
    for (journal, says) in
        [("", "Without --journal it begins anew"), ("--journal j", "The same command goes on")]
    {
        let hall = Hall::new();
        let mut child = hall.start(&format!("--each st=3600 --rounds 1 --budget 1 --json {journal}"));
        let mut lines = stderr_of(&mut child);
        signal(&child, "-INT");
        wait_for(&mut lines, "stopping when the running games have ended");
        tests::wait_until("it stops", || {
            signal(&child, "-INT");
            child.try_wait().unwrap().is_some()
        });
        wait_for(&mut lines, says);
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}

/// Variations of 60 KB, and lines that fit a pattern as long: what the journal keeps of them can be read again.
#[test]
fn a_babbling_engine_leaves_a_journal_that_goes_on() {
    let hall = Hall::new();
    let babbler = "#!/bin/sh\nlong=$(printf 'e2e4 %.0s' $(seq 12000))\n\
        ./engine | sed -u \"s/^bestmove/info depth 5 score cp 1 nodes 100 pv $long\\n&/\"\n";
    executable(&hall.path("babbler"), babbler);
    let play = |rounds: u8| {
        let output = hall.run(&format!(
            "--engine name=Babbler cmd=./babbler proto=uci --each depth=1 hash=1 --format gauntlet:2 --rounds {rounds} \
             --single --maxmoves 30 --budget 1 --pgn-fields pv --journal j --pgn g.pgn --json"
        ));
        assert!(output.status.success(), "{}", errors(&output));
        document(&output)["games"].as_u64()
    };
    assert_eq!((play(1), play(2)), (Some(2), Some(4)));
    let report = hall.other(tests::firstborn(), "report j g.pgn --json");
    assert_eq!(document(&report)["games"].as_u64(), Some(4), "{}", errors(&report));
    let longest = fs::read_to_string(hall.path("j")).unwrap().lines().map(str::len).max().unwrap();
    assert!((20_000..1 << 18).contains(&longest), "{longest}");
    let theirs = hall.other(
        tests::firstborn(),
        "fastchess -engine cmd=./babbler name=A -engine cmd=./engine name=B -each nodes=1 -rounds 1 -maxmoves 30 \
         -pgnout file=p.pgn match_line=^info --journal k",
    );
    assert!(theirs.status.success(), "{}", errors(&theirs));
    let report = hall.other(tests::firstborn(), "report k --json");
    assert_eq!(document(&report)["games"].as_u64(), Some(2), "{}", errors(&report));
}

/// What is no regular file is no journal; nothing is read from it.
#[test]
fn a_device_is_no_journal() {
    let hall = Hall::new();
    for device in ["/dev/zero", "started", "."] {
        let output = hall.run(&format!("--each depth=1 --journal {device}"));
        assert_eq!(output.status.code(), Some(1));
        assert!(errors(&output).contains("is not a regular file"), "{}", errors(&output));
    }
}

/// A line that is one word of the shell, with blanks in the path, with and without quotes; arguments in
/// quotes.
#[test]
fn engine_lines_may_hold_blanks() {
    let hall = Hall::new();
    fs::create_dir(hall.path("my path")).unwrap();
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >'{}'\nexec '{}'\n",
        hall.path("args").display(),
        tests::firstborn().display()
    );
    executable(&hall.path("my path/e"), text);
    for line in [
        "cmd=./my path/e name=The First args=uci 'two words' depth=1",
        "'./my path/e' name='The First' args=\"uci 'two words'\" depth=1",
        "name=The First cmd=\"'./my path/e' uci\" arg='two words' depth=1",
    ] {
        let mut command =
            hall.command("--each depth=1 --rounds 1 --maxmoves 2 --budget 1 --json --format gauntlet");
        command.env("QUIET_START", "1").args(["--engine", line]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
        assert!(output.stdout.windows(11).any(|w| w == b"\"The First\""), "{line}");
        assert_eq!(fs::read_to_string(hall.path("args")).unwrap(), "uci\ntwo words\n", "{line}");
    }
    executable(&hall.path("my path/dead"), "#!/bin/sh\nexit 3\n");
    let conformance = |command: &str| {
        let mut conformance = Command::new(tests::firstborn());
        conformance.current_dir(hall.folder.path()).args(["conformance", "--cmd", command]);
        errors(&conformance.output().unwrap())
    };
    for command in ["./my path/dead", "'./my path/dead' 'an argument'"] {
        let told = conformance(command);
        assert!(told.contains("my path/dead") && !told.contains("there is no program"), "{told}");
    }
    let told = conformance("./my path/x");
    assert!(told.contains("there is no program"), "{told}");
}

/// Behind other runners' command lines, too, a crash ends the match unless it is to recover, the exit status
/// is theirs, a game that ends by a forfeit is logged, and our own options hold. OpenBench's client removes all old
/// files from the folder of the PGN, and stumbles over a folder there.
#[test]
fn faults_behind_other_runners_command_lines() {
    let bad = "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) exit 9;; \
               quit) exit 0;; esac; done\n";
    let engines = "-engine cmd=./bad name=Bad -engine cmd=./engine name=B";
    let fast = format!("fastchess {engines} -each depth=1 -rounds 3 -maxmoves 4 -pgnout file=PGNs/g.pgn");
    let cute = format!(
        "cutechess {engines} -each proto=uci tc=inf depth=1 -rounds 3 -games 2 -maxmoves 4 -pgnout PGNs/g.pgn"
    );
    for (line, statuses) in [(fast, [1, 0, 3]), (cute, [0, 0, 3])] {
        let hall = Hall::new();
        executable(&hall.path("bad"), bad);
        fs::create_dir(hall.path("PGNs")).unwrap();
        for (more, status, games) in
            [("", statuses[0], 1), ("-recover", statuses[1], 6), ("--forfeits 2", statuses[2], 2)]
        {
            let output = hall.other(tests::firstborn(), &format!("{line} {more}"));
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(status), "{more}: {text}{}", errors(&output));
            assert_eq!(text.matches("disconnects}").count(), games, "{more}: {text}");
            let told = "\nGame 1 stalled / disconnected and no recover option set for engine, stopping tournament.\n\
                        Finished game 1 (Bad vs B)";
            assert_eq!(text.contains(told), line.starts_with("fastchess") && more.is_empty(), "{text}");
        }
        let log = fs::read_to_string(hall.path("firstborn.forfeits/game-000001.log")).unwrap();
        assert!(log.contains("Bad< go depth 1") && log.contains("Bad (White) crashes"), "{log}");
        let mut beside = fs::read_dir(hall.path("PGNs")).unwrap().map(|entry| entry.unwrap().path());
        assert!(beside.all(|path| path.is_file()) && hall.path("PGNs/g.pgn").is_file());
    }
}

/// Behind other runners' command lines, too, an engine that ends before it greets is told of, as they do it: fastchess
/// by a fatal error, cutechess-cli by a warning beside the results of no games.
#[test]
fn engines_that_do_not_start_behind_other_runners_command_lines() {
    let hall = Hall::new();
    executable(&hall.path("ends"), "#!/bin/sh\necho my network is gone >&2\nexit 3\n");
    let engines = "-engine cmd=./ends name=E -engine cmd=./engine name=B";
    let played = |front: &str, each: &str| {
        let output =
            hall.other(tests::firstborn(), &format!("{front} {engines} -each {each} -rounds 1 -games 2"));
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), errors(&output))
    };
    let (status, text, told) = played("fastchess", "depth=1");
    assert_eq!(status, Some(1), "{text}{told}");
    for words in ["Fatal; E engine startup failure: ", "my network is gone", "Finished match"] {
        assert!(text.contains(words), "{words}: {text}{told}");
    }
    let (status, text, told) = played("cutechess", "proto=uci tc=inf depth=1");
    assert_eq!(status, Some(0), "{text}{told}");
    assert!(text.contains("Finished match"), "{text}{told}");
    assert!(told.contains("Cannot start engine E:") && told.contains("my network is gone"), "{told}");
}

/// What is written last cannot be, since a folder took its name while the first game was played: the results
/// and why the match has stopped are told all the same.
#[test]
fn results_are_told_though_the_settings_cannot_be_written() {
    let hall = Hall::new();
    let script = "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                  go*) mkdir s.json; exit 9;; quit) exit 0;; esac; done\n";
    executable(&hall.path("bad"), script);
    let line = "fastchess -engine cmd=./bad name=Bad -engine cmd=./engine name=B -each depth=1 -rounds 1 \
                -config outname=s.json -show-latency";
    let output = hall.other(tests::firstborn(), line);
    let (text, told) = (String::from_utf8_lossy(&output.stdout), errors(&output));
    assert_eq!(output.status.code(), Some(1), "{text}{told}");
    assert!(text.contains("Finished match"), "{text}{told}");
    assert!(told.contains("stopped before the end") && told.contains("cannot write s.json"), "{told}");
    assert!(told.contains("-show-latency: the terminal does not show it"), "{told}");
}

/// The page is there before the first game is over: White answers when it sees the page, and half a minute
/// later anyway.
#[test]
fn behind_other_runners_command_lines_the_page_is_there_from_the_first_game() {
    let hall = Hall::new();
    let script = "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                  go*) n=0; until [ -e r.html ] || [ $n = 300 ]; do sleep 0.1; n=$((n+1)); done; \
                  [ $n = 300 ] || : >seen; echo bestmove 0000;; quit) exit 0;; esac; done\n";
    executable(&hall.path("patient"), script);
    let line = "cutechess -engine cmd=./patient name=P -engine cmd=./engine name=B -each proto=uci tc=inf \
                depth=1 -rounds 1 -games 1 --report r.html";
    let output = hall.other(tests::firstborn(), line);
    assert!(hall.path("seen").exists(), "{}{}", String::from_utf8_lossy(&output.stdout), errors(&output));
}

/// Behind other runners' command lines, too, another program of the same name is refused, and CPUs are those
/// that are named.
#[test]
fn identities_and_cpus_hold_behind_other_runners_command_lines() {
    for (front, each) in [("fastchess", "depth=1"), ("cutechess", "proto=uci tc=inf depth=1")] {
        let hall = Hall::new();
        let engine = |note: &str| {
            executable(
                &hall.path("other"),
                format!("#!/bin/sh\n# {note}\nexec '{}' uci\n", tests::firstborn().display()),
            );
        };
        engine("one");
        let line = format!(
            "{front} -engine cmd=./other name=C -engine cmd=./engine name=B -each {each} -rounds 1 -games 2 -maxmoves 4 --journal j"
        );
        let run = |more: &str| hall.other(tests::firstborn(), &format!("{line} {more}"));
        assert_eq!(run("").status.code(), Some(0), "{}", errors(&run("")));
        assert_eq!(hall.games("j"), [0, 1]);
        engine("two");
        let output = run("");
        assert_eq!(output.status.code(), Some(1));
        assert!(errors(&output).contains("player `C`") && errors(&output).contains("--same-engine"));
        assert_eq!(run("--same-engine").status.code(), Some(0));
        let output = run("--same-engine --cores 4000");
        assert_eq!(output.status.code(), Some(1));
        assert!(errors(&output).contains("--cores 4000: this process may not use"), "{}", errors(&output));
    }
}

/// Where fastchess's -log takes all conversations into one file, a forfeit leaves a log and a kit of its own as well;
/// a second place for logs is refused.
#[test]
fn a_forfeit_leaves_a_kit_and_its_part_of_the_log_of_all() {
    let hall = Hall::new();
    executable(
        &hall.path("bad"),
        "#!/bin/sh\nwhile read line; do case $line in uci) echo uciok;; isready) echo readyok;; \
         go*) exit 9;; quit) exit 0;; esac; done\n",
    );
    let line = "fastchess -engine cmd=./bad name=Bad -engine cmd=./engine name=B -each depth=1 -rounds 1 \
                -maxmoves 4 -log file=all.log engine=true";
    let refused = hall.other(tests::firstborn(), &format!("{line} --log logs"));
    assert!(errors(&refused).contains("-log and --log"), "{}", errors(&refused));
    let output = hall.other(tests::firstborn(), line);
    assert!(
        errors(&output).contains("firstborn replay firstborn.forfeits/game-000001.kit.json"),
        "{}",
        errors(&output)
    );
    for log in ["all.log", "firstborn.forfeits/game-000001.log"] {
        let log = fs::read_to_string(hall.path(log)).unwrap();
        assert!(log.contains("Bad< go depth 1") && log.contains("Bad (White) crashes"), "{log}");
    }
    assert!(hall.path("firstborn.forfeits/game-000001.kit.json").is_file());
    // A match that goes on goes on with its log.
    for _ in 0..2 {
        hall.other(tests::firstborn(), &format!("{line} append=false --journal j"));
    }
    let log = fs::read_to_string(hall.path("all.log")).unwrap();
    let games: Vec<&str> = log.lines().filter(|line| line.starts_with("# game ")).collect();
    assert!(
        games.len() == 2 && games[0].starts_with("# game 1:") && games[1].starts_with("# game 2:"),
        "{log}"
    );
}
