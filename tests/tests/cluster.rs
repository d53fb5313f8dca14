//! Ranks under `mpirun`: one search, work given out, and what happens when a rank dies. The program built
//! with the feature `mpi` is the one that the variable `FIRSTBORN_MPI` names; without it, or without
//! `mpirun`, these tests say so.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The program with MPI, if it and `mpirun` are there.
fn program() -> Option<PathBuf> {
    let found = std::env::var_os("FIRSTBORN_MPI").map(|given| tests::workspace().join(given));
    let launcher = Command::new("mpirun").arg("--version").output().is_ok();
    let program = found.filter(|_| launcher);
    if program.is_none() {
        tests::skipped("no mpirun, or FIRSTBORN_MPI names no program built with --features mpi");
    }
    program
}

/// `mpirun`, however few processors there are. What hangs is ended, and fails its test.
fn mpirun(folder: &Path) -> Command {
    let mut command = Command::new("mpirun");
    let settings = [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ];
    command.envs(settings).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.args(["--timeout", "300"]);
    command
}

/// The words of a command line, where FIRSTBORN stands for the program.
fn words_of(line: &str) -> Vec<String> {
    tests::words(line, &[("FIRSTBORN", tests::firstborn())])
}

/// The same command on so many ranks.
fn ranks(program: &Path, ranks: usize, folder: &Path, words: &str) -> Command {
    let mut command = mpirun(folder);
    command.args(["-n", &ranks.to_string()]).arg(program).args(words_of(words));
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}\n{}", output.status, text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn alone(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(tests::firstborn());
    command.args(words_of(words)).current_dir(folder).output().expect("it is there")
}

#[test]
fn an_ordinary_build_says_that_it_knows_no_ranks_and_ends() {
    for rank in ["0", "1"] {
        let mut command = Command::new(tests::firstborn());
        command.args(["bench"]).envs([("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", rank)]);
        let output = command.output().expect("it is there");
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
        // Every one of them: the others may know MPI and say nothing of it.
        let told = text(&output.stderr);
        assert!(told.contains("--features mpi") && told.contains(&format!("process {rank} of 2")), "{told}");
    }
}

/// What `analyze` by so many ranks says of a search in which all of them have taken part, and of which `shared` holds:
/// deeper each time until it is so, since on a busy machine one rank may be kept waiting while the others search.
fn until_all_search(count: usize, program: &Path, words: &str, shared: impl Fn(&Value) -> bool) -> Value {
    let folder = TempDir::new().expect("a folder");
    let mut document = Value::Null;
    for depth in 17..25 {
        let words = format!("{words} --depth {depth}");
        let output = ranks(program, count, folder.path(), &words).output().expect("mpirun is there");
        document = serde_json::from_str(&succeeded(&output)).expect("one document");
        assert_eq!(document["depth"], depth, "{document}");
        let each = document["ranks"].as_array().expect("ranks");
        assert_eq!(each.len(), count, "{document}");
        if each.iter().all(|rank| rank["nodes"].as_u64() > Some(0)) && shared(&document) {
            return document;
        }
    }
    panic!("ranks do not search together: {document}")
}

/// The sum of a number over all ranks.
fn sum_of(document: &Value, name: &str) -> u64 {
    let ranks = document["ranks"].as_array().expect("ranks").iter();
    ranks.map(|rank| rank[name].as_u64().unwrap_or_else(|| panic!("no {name}: {document}"))).sum()
}

#[test]
fn two_and_four_ranks_search_together() {
    let Some(program) = program() else { return };
    for count in [2, 4] {
        let words = "analyze r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8 \
                     --threads 1 --hash 8 --json";
        let document = until_all_search(count, &program, words, |document| {
            let [received, probed] = ["received", "probed"].map(|name| sum_of(document, name));
            received > 0 && probed * 20 >= received
        });
        assert_eq!(document["threads"], count, "{document}");
        let exchanged = document["ranks"].as_array().expect("ranks");
        assert!(exchanged.iter().all(|rank| rank["threads"] == 1), "{document}");
        assert!(sum_of(&document, "cut") <= sum_of(&document, "probed"), "{document}");
    }
}

#[test]
fn ranks_search_without_exchange_of_entries() {
    let Some(program) = program() else { return };
    let words = "analyze --threads 1 --hash 8 --json --no-exchange";
    let used = |document: &Value| sum_of(document, "results_used");
    let document = until_all_search(3, &program, words, |document| used(document) > 0);
    for name in ["sent", "dropped", "received", "probed", "cut"] {
        assert_eq!(sum_of(&document, name), 0, "{document}");
    }
    let [sent, received] = ["results_sent", "results_received"].map(|name| sum_of(&document, name));
    assert!(received <= sent && used(&document) <= received, "{document}");
}

/// A session on rank 0: options reach every rank, and `stop` ends the search of all. What was exchanged is said
/// before each move.
#[test]
fn a_session_leads_all_ranks() {
    use std::io::{BufRead, BufReader, Write};
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let mut command = ranks(&program, 2, folder.path(), "uci");
    let mut child = command.stdin(Stdio::piped()).spawn().expect("mpirun is there");
    let mut input = child.stdin.take().expect("it is piped");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut until = |wanted: &dyn Fn(&str) -> bool| {
        lines.by_ref().map_while(Result::ok).find(|line| wanted(line)).expect("an answer")
    };
    let depth = |line: &str| line.strip_prefix("info depth ")?.split(' ').next()?.parse::<u32>().ok();
    writeln!(input, "uci").unwrap();
    until(&|line| line == "option name Exchange type check default true");
    for round in 0..3 {
        writeln!(input, "setoption name Threads value 2\nsetoption name Hash value 8\nucinewgame").unwrap();
        writeln!(input, "setoption name Exchange value {}\nisready", round != 1).unwrap();
        until(&|line| line == "readyok");
        writeln!(input, "position startpos moves e2e4\ngo infinite").unwrap();
        // A depth that the other rank has finished first is one that rank 0 passes over.
        until(&|line| depth(line) >= Some(6));
        writeln!(input, "stop").unwrap();
        let exchanged = until(&|line| line.starts_with("info string 2 ranks, entries sent "));
        let none = exchanged.contains("entries sent 0 dropped 0 received 0 probed 0 cut 0, results sent ");
        assert!(none || round != 1, "{exchanged}");
        assert!(until(&|line| line.starts_with("bestmove")).len() >= "bestmove e7e5".len(), "round {round}");
    }
    writeln!(input, "quit").unwrap();
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// What does not depend on the clock is the same on any number of ranks.
#[test]
fn work_over_ranks_is_that_of_one_machine() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("it was written");
    let words = "datagen --games 24 --nodes 60 --seed 3 --chess960 0.5 --out";
    succeeded(&alone(folder.path(), &format!("{words} one")));
    succeeded(
        &ranks(&program, 4, folder.path(), &format!("{words} four")).output().expect("mpirun is there"),
    );
    assert!(read("one") == read("four"), "the bytes of the games");
    std::fs::write(folder.path().join("p.epd"), POSITIONS).expect("a file");
    let suite = |output: Output| -> Vec<Value> {
        let document: Value = serde_json::from_str(&succeeded(&output)).expect("one document");
        let positions = document["positions"].as_array().expect("positions").iter();
        positions
            .map(|outcome| serde_json::json!([outcome["id"], outcome["move"], outcome["nodes"]]))
            .collect()
    };
    let words = "suite p.epd --depth 6 --threads 1 --json";
    let own = suite(alone(folder.path(), words));
    assert_eq!(suite(ranks(&program, 2, folder.path(), words).output().expect("mpirun is there")), own);
    // Of the searches without lines the comparison tells.
    let studies = |output: Output| -> [Value; 2] {
        let document: Value = serde_json::from_str(&succeeded(&output)).expect("one document");
        let [samples, against] = ["samples", "against"].map(|part| document[part].clone());
        let counts = [&samples, &against].map(|part| part.as_array().map(Vec::len));
        assert_eq!(counts, [Some(9), Some(2)], "{document}");
        [samples, against]
    };
    let words = "scaling --clock virtual --schemes ybw,lazy --threads 2 --positions p.epd --depth 6 --hash 1 \
                 --without-lines --no-signature --json";
    let own = studies(alone(folder.path(), words));
    assert_eq!(studies(ranks(&program, 2, folder.path(), words).output().expect("mpirun is there")), own);
}

const POSITIONS: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id \"one\";\n\
    2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - bm Nde5; id \"two\";\n\
    8/8/8/8/8/4k3/4p3/4K3 b - - bm Kd3; id \"three\";\n";

/// Moves and results of all games of a journal, by number.
fn games(journal: &Path) -> Vec<(u64, Vec<String>, Value)> {
    let written = std::fs::read_to_string(journal).expect("a journal");
    let lines = written.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut games: Vec<_> = lines
        .filter(|line| line["moves"].is_array())
        .map(|game| {
            let moves = game["moves"].as_array().expect("moves").iter();
            let moves = moves.map(|mv| mv["m"].as_str().expect("a move").to_owned()).collect();
            (game["id"].as_u64().expect("a number"), moves, game["result"].clone())
        })
        .collect();
    games.sort_by_key(|game| game.0);
    games
}

/// A tournament of fixed nodes, from start positions of Chess960 so that games differ; see [`words_of`].
fn tournament(rounds: usize, journal: &str) -> String {
    format!(
        "tournament --engine name=A cmd=FIRSTBORN nodes=150 --engine name=B cmd=FIRSTBORN nodes=120 --each hash=1 \
         --chess960 --rounds {rounds} --maxmoves 40 --oversubscribe --budget 1 --json --journal {journal}"
    )
}

#[test]
fn a_tournament_over_ranks_has_the_games_of_one_machine() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    succeeded(&alone(folder.path(), &tournament(6, "one")));
    succeeded(&ranks(&program, 4, folder.path(), &tournament(6, "four")).output().expect("mpirun is there"));
    let [one, four] = ["one", "four"].map(|name| games(&folder.path().join(name)));
    assert_eq!((one.len(), four), (12, one));
}

/// Rank 0 speaks of the openings, which are the same for all; of its processors the first rank of each machine, once,
/// also in a session that takes its threads later.
#[test]
fn what_is_the_same_for_all_ranks_is_told_once() {
    use std::io::Write;
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let good = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let drawn = "4k3/8/8/8/8/8/8/4KB2 w - - 0 1";
    std::fs::write(folder.path().join("b.fen"), format!("{good}\n{drawn}\n")).expect("a file");
    let told_once = |output: &Output, what: &str| {
        succeeded(output);
        let errors = text(&output.stderr);
        assert_eq!(errors.matches(what).count(), 1, "{errors}");
    };
    let told = |words: &str, what: &str| {
        let output = ranks(&program, 3, folder.path(), words).output().expect("mpirun is there");
        told_once(&output, what);
    };
    let words = tournament(2, "j").replace("--chess960", "--openings b.fen --skip-bad");
    told(&words, "1 opening of 2 left out");
    told(&words.replace("journal j", "journal k"), "openings come again");
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).expect("a mask");
    let processors: u32 = mask.chars().filter_map(|digit| digit.to_digit(16)).map(u32::count_ones).sum();
    told(&format!("analyze --threads {} --hash 1 --depth 1", processors + 1), " may use ");
    let mut command = ranks(&program, 3, folder.path(), "uci");
    let mut session = command.stdin(Stdio::piped()).spawn().expect("mpirun is there");
    let mut input = session.stdin.take().expect("it is piped");
    writeln!(input, "uci").expect("it reads");
    for more in [1, 2] {
        writeln!(input, "setoption name Threads value {}", processors + more).expect("it reads");
    }
    writeln!(input, "quit").expect("it reads");
    told_once(&session.wait_with_output().expect("it ends"), " may use ");
}

/// The processes of this program that a launcher has started, by rank.
fn processes(launcher: &Child, program: &Path) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
        let (status, command) = (text(&read("status")), text(&read("cmdline")));
        let child = status.lines().any(|line| line == format!("PPid:\t{}", launcher.id()));
        let environment = text(&read("environ"));
        let rank = environment.split('\0').find_map(|set| set.strip_prefix("OMPI_COMM_WORLD_RANK="));
        if let (true, true, Some(rank)) =
            (child, command.starts_with(&*program.to_string_lossy()), rank.and_then(|rank| rank.parse().ok()))
        {
            found.push((rank, pid));
        }
    }
    found
}

/// Has a process the thread that talks to other ranks?
fn talks(pid: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.into_iter().any(|thread| {
        std::fs::read_to_string(thread.path().join("comm")).is_ok_and(|name| name.trim() == "cluster")
    })
}

/// Starts a command on ranks and sends a signal to one once `begun` says that the work has begun. Everything then ends,
/// and says which rank and host.
fn strike(
    mut command: Command,
    program: &Path,
    rank: usize,
    signal: &str,
    begun: impl Fn() -> bool,
) -> String {
    let mut launcher = command.spawn().expect("mpirun is there");
    let victim = loop {
        if let Some(status) = launcher.try_wait().expect("it is our child") {
            panic!("all ranks ended before one could be struck: {status}");
        }
        let found = processes(&launcher, program).into_iter().find(|(found, _)| *found == rank);
        // A process that is killed before it has joined the others is not a rank yet, for mpirun either.
        if let Some((_, pid)) = found.filter(|(_, pid)| talks(*pid) && begun()) {
            break pid;
        }
        std::thread::yield_now();
    };
    let status = Command::new("kill").args([signal, &victim.to_string()]).status().expect("kill is there");
    assert!(status.success());
    let output = launcher.wait_with_output().expect("everything ends");
    assert!(!output.status.success());
    if signal == "-STOP" {
        // What killed the rest may have left a stopped process to itself.
        let _ = Command::new("kill").args(["-KILL", &victim.to_string()]).stderr(Stdio::null()).status();
    }
    text(&output.stderr)
}

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").expect("Linux").trim().to_owned()
}

/// Do the ranks search? Then they have met, and a line of the search is in the file of their output.
fn searches(lines: &Path) -> bool {
    let lines = std::fs::read_to_string(lines).unwrap_or_default();
    lines.split_once("depth    score").is_some_and(|(_, rest)| rest.lines().count() > 1)
}

/// Does a process take SIGTERM into its own hands?
fn handles_sigterm(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let handled = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t"));
    // Signal 1 is bit 0.
    handled.and_then(|set| u64::from_str_radix(set, 16).ok()).is_some_and(|set| set >> 14 & 1 == 1)
}

/// A batch system signals every rank: rank 0 ends in order, and the others wait for its word.
#[test]
fn a_signal_to_every_rank_ends_a_search_in_order() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let lines = folder.path().join("lines");
    let words = "analyze --threads 1 --hash 8 --movetime 600000";
    let mut command = ranks(&program, 2, folder.path(), words);
    let mut launcher =
        command.stdout(std::fs::File::create(&lines).expect("a file")).spawn().expect("mpirun is there");
    let found = loop {
        if let Some(status) = launcher.try_wait().expect("it is our child") {
            panic!("all ranks ended before they could be signalled: {status}");
        }
        let found = processes(&launcher, &program);
        if found.len() == 2 && searches(&lines) && found.iter().all(|(_, pid)| handles_sigterm(*pid)) {
            break found;
        }
        std::thread::yield_now();
    };
    for rank in [1, 0] {
        let (_, pid) = found.iter().find(|(found, _)| *found == rank).expect("one of each");
        assert!(Command::new("kill").args(["-TERM", &pid.to_string()]).status().expect("kill").success());
    }
    let output = launcher.wait_with_output().expect("everything ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = std::fs::read_to_string(&lines).expect("it was written");
    assert!(told.contains("entries exchanged by rank"), "{told}");
}

#[test]
fn a_killed_rank_ends_a_search() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let words = "analyze --threads 1 --hash 8 --movetime 600000";
    for killed in [1, 0] {
        let lines = folder.path().join("lines");
        let mut command = ranks(&program, 2, folder.path(), words);
        command.stdout(std::fs::File::create(&lines).expect("a file"));
        let told = strike(command, &program, killed, "-KILL", || searches(&lines));
        assert!(told.contains(&format!("rank {killed}")) && told.contains(&host()), "{told}");
    }
}

/// A rank that only hangs is found by its silence.
#[test]
fn a_rank_that_hangs_ends_everything() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("games");
    let words = format!("datagen --games 1000000 --nodes 300 --out {}", file.display());
    let command = ranks(&program, 2, folder.path(), &words);
    // The file is there once the ranks have met.
    let told = strike(command, &program, 1, "-STOP", || file.exists());
    assert!(told.contains(&format!("rank 1 on {} has not been heard from", host())), "{told}");
}

/// Nothing that was finished is lost, and the same command goes on to the end.
#[test]
fn after_a_killed_rank_the_same_command_goes_on() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let size = |name: &str| std::fs::metadata(path(name)).map_or(0, |file| file.len());
    let words = "datagen --games 60 --nodes 300 --seed 4 --out";
    succeeded(&alone(folder.path(), &format!("{words} whole")));
    let command = || ranks(&program, 3, folder.path(), &format!("{words} cut"));
    let told = strike(command(), &program, 2, "-KILL", || path("cut").exists());
    assert!(told.contains("rank 2"), "{told}");
    succeeded(&command().output().expect("mpirun is there"));
    // A file that was gone on with has its games in other blocks.
    let games_of = |name: &str| {
        succeeded(&alone(folder.path(), &format!("data {name} --plain {name}.txt")));
        std::fs::read(path(&format!("{name}.txt"))).expect("it was written")
    };
    assert!(games_of("whole") == games_of("cut"), "the games");

    succeeded(&alone(folder.path(), &tournament(8, "all")));
    let command = || ranks(&program, 3, folder.path(), &tournament(8, "some"));
    let told = strike(command(), &program, 1, "-KILL", || size("some") > 4000);
    assert!(told.contains("rank 1"), "{told}");
    let before = games(&path("some"));
    succeeded(&command().output().expect("mpirun is there"));
    let after = games(&path("some"));
    assert!(before.iter().all(|game| after.contains(game)), "what was finished stays");
    assert_eq!(after, games(&path("all")));
}

#[test]
fn ranks_with_other_options_are_refused_by_name() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let mut command = mpirun(folder.path());
    for (depth, separator) in [("5", Some(":")), ("6", None)] {
        command.args(["-n", "1"]).arg(&program).args(["analyze", "--threads", depth, "--depth", depth]);
        command.args(separator);
    }
    let output = command.output().expect("mpirun is there");
    let told = text(&output.stderr);
    assert!(!output.status.success());
    assert!(told.contains(&format!("rank 1 on {} does not fit rank 0", host())), "{told}");
    assert!(told.contains("`6` instead of `5`"), "{told}");
}

/// Words that fill more than MPI sends before its receiver asks for it: a rank that is refused, and one that fits after
/// another was refused, end all the same.
#[test]
fn a_refusal_ends_all_ranks_however_long_their_words_are() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let names: Vec<String> = (0..90).map(|number| format!("{number:0>80}.epd")).collect();
    let mut command = mpirun(folder.path());
    for (count, depth, separator) in [("1", "5", Some(":")), ("2", "6", None)] {
        command.args(["-n", count]).arg(&program).arg("suite").args(&names).args(["--depth", depth]);
        command.args(separator);
    }
    let output = command.output().expect("mpirun is there");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "not that of mpirun's own limit: {told}");
    assert!(told.contains("`6` instead of `5`") && !told.contains("MPI does not end"), "{told}");
}

/// What MPICH's `mpiexec` says, to a program that is built with another MPI: that one sees one process.
#[test]
fn processes_of_another_launcher_say_so_and_end() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let games = folder.path().join("games.fbg");
    for rank in ["0", "1"] {
        let mut command = Command::new(&program);
        command.args("datagen --games 1 --nodes 100 --threads 1 --seed 1 --out".split(' ')).arg(&games);
        let output = command.envs([("PMI_SIZE", "2"), ("PMI_RANK", rank)]).output().expect("it is there");
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""), "{told}");
        assert!(told.contains(&format!("process {rank} of 2 (PMI_SIZE)")), "{told}");
        assert!(told.contains("MPI sees 1 only"), "{told}");
        assert!(!games.exists());
    }
}

/// One name may be that of different files on different machines; an option without a value hides no file behind it.
#[test]
fn ranks_with_other_files_are_refused_by_name() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    for (number, name) in ["a", "b"].into_iter().enumerate() {
        let own = folder.path().join(name);
        std::fs::create_dir(&own).expect("a folder");
        let line = POSITIONS.lines().nth(number).expect("a position");
        for file in ["p.epd", &format!("{name}.epd")] {
            std::fs::write(own.join(file), format!("{line}\n")).expect("a file");
        }
    }
    let refusal = |words: [&str; 2]| {
        let mut command = mpirun(folder.path());
        for (number, words) in words.into_iter().enumerate() {
            let own = folder.path().join(["a", "b"][number]);
            command.args((number > 0).then_some(":")).args(["-n", "1", "-wdir"]).arg(own).arg(&program);
            command.args(words.split_whitespace()).args(["--depth", "3", "--threads", "1"]);
        }
        let output = command.output().expect("mpirun is there");
        assert!(!output.status.success(), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let told = refusal(["suite p.epd"; 2]);
    assert!(
        told.contains("`p.epd with CRC-32 ") && told.contains(" instead of `p.epd with CRC-32 "),
        "{told}"
    );
    let told = refusal(["suite --bind a.epd", "suite --bind b.epd"]);
    assert!(told.contains("`b.epd` instead of `a.epd`"), "{told}");
}

/// What a list of engines says of a player counts, and so do names and sizes of tables; what the list says of engines
/// that do not play does not.
#[test]
fn ranks_with_other_players_or_tables_are_refused_by_name() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let own = ["a", "b"].map(|name| folder.path().join(name));
    let engine = tests::firstborn().display().to_string();
    let list = |own: &Path, overheads: [u32; 2]| {
        let entry = |(name, overhead): (&str, u32)| {
            let option = serde_json::json!({ "name": "Move Overhead", "value": overhead });
            serde_json::json!({ "name": name, "command": engine, "protocol": "uci", "options": [option] })
        };
        let list: Vec<Value> = ["A", "Other"].into_iter().zip(overheads).map(entry).collect();
        std::fs::write(own.join("engines.json"), Value::from(list).to_string()).expect("a file");
    };
    let give = |own: &Path, table: &str| {
        let from = tests::workspace().join("tests/data/syzygy").join(table);
        std::fs::copy(from, own.join("tb").join(table)).expect("it can be copied");
    };
    for (own, tables) in own.iter().zip([&["KQvK.rtbw", "KRvK.rtbw"][..], &["KQvK.rtbw"]]) {
        std::fs::create_dir_all(own.join("tb")).expect("a folder");
        tables.iter().for_each(|table| give(own, table));
    }
    let play = |words: &str| {
        let mut command = mpirun(folder.path());
        for (number, own) in own.iter().enumerate() {
            command.args((number > 0).then_some(":")).args(["-n", "1", "-wdir"]).arg(own).arg(&program);
            command.args(words_of(words));
        }
        command.output().expect("mpirun is there")
    };
    let refusal = |words: &str| {
        let output = play(words);
        assert!(!output.status.success(), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let named = tournament(1, "j").replace("name=A cmd=FIRSTBORN", "conf=A");
    assert!(named.contains("conf=A"), "{named}");
    list(&own[0], [10, 10]);
    list(&own[1], [20, 10]);
    let told = refusal(&named);
    assert!(told.contains("instead of `player {") && told.contains("Move Overhead"), "{told}");
    list(&own[1], [10, 20]);
    succeeded(&play(&named));
    let with_tables = |journal| format!("{} --tb tb", tournament(1, journal));
    let told = refusal(&with_tables("k"));
    assert!(told.contains(&format!("rank 1 on {} does not fit rank 0", host())), "{told}");
    assert!(told.contains("player A: `") && told.contains("adjudication tables tb files' sha256 "), "{told}");
    give(&own[1], "KRvK.rtbw");
    succeeded(&play(&with_tables("l")));
}

/// A wrapper of one content may start one program here and another one there. A copy is no other program.
#[test]
fn ranks_whose_wrapper_starts_another_program_are_refused_by_name() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let own = ["a", "b"].map(|name| folder.path().join(name));
    let engine = std::fs::read(tests::firstborn()).expect("it was built");
    for own in &own {
        std::fs::create_dir(own).expect("a folder");
        tests::executable(&own.join("w.sh"), "#!/bin/sh\nexec ./target \"$@\"\n");
        tests::executable(&own.join("target"), &engine);
    }
    let play = |journal: &str| {
        let words = tournament(1, journal).replace("name=B cmd=FIRSTBORN", "name=B cmd=./w.sh");
        assert!(words.contains("w.sh"), "{words}");
        let mut command = mpirun(folder.path());
        for (number, own) in own.iter().enumerate() {
            command.args((number > 0).then_some(":")).args(["-n", "1", "-wdir"]).arg(own).arg(&program);
            command.args(words_of(&words));
        }
        command.output().expect("mpirun is there")
    };
    succeeded(&play("j"));
    std::fs::remove_file(own[1].join("target")).expect("it is there");
    tests::executable(&own[1].join("target"), [&engine[..], b"another build"].concat());
    let output = play("k");
    let told = text(&output.stderr);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    assert!(told.contains(&format!("rank 1 on {} does not fit rank 0", host())), "{told}");
    assert!(told.contains("player B: `") && told.contains("; process target sha256 "), "{told}");
    assert!(!own[0].join("k").exists(), "a game may have been played");
}

/// A journal of an older version goes on by its rules: a rank that does not have it would play by others.
#[test]
fn a_rank_without_the_journal_of_other_rules_is_refused() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let own = ["a", "b"].map(|name| folder.path().join(name));
    own.iter().for_each(|own| std::fs::create_dir(own).expect("a folder"));
    let goes_on = |clock: &str| {
        let mut command = mpirun(folder.path());
        for (number, own) in own.iter().enumerate() {
            let words = tournament(1, "j").replace("nodes=", &format!("{clock} nodes="));
            command.args((number > 0).then_some(":")).args(["-n", "1", "-wdir"]).arg(own).arg(&program);
            command.args(words_of(&words));
        }
        command.output().expect("mpirun is there")
    };
    let [first, _] = own.each_ref().map(|own| own.join("j"));
    succeeded(&goes_on("tc=40/60"));
    let text_of = |path: &Path| std::fs::read_to_string(path).expect("it was written");
    let older = text_of(&first).replace("\"opening_counts\":true,", "");
    assert!(older.len() < text_of(&first).len(), "{older}");
    std::fs::write(&first, &older).expect("it can be written");
    let output = goes_on("tc=40/60");
    let told = text(&output.stderr);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    assert!(told.contains("`nothing` instead of `journal j, which every rank needs"), "{told}");
    // With it, it plays by them; and where no moves are counted no rank needs it.
    std::fs::write(own[1].join("j"), &older).expect("it can be written");
    succeeded(&goes_on("tc=40/60"));
    own.iter().for_each(|own| drop(std::fs::remove_file(own.join("j"))));
    succeeded(&goes_on("tc=60"));
    succeeded(&goes_on("tc=60"));
}

/// How much of a machine a rank takes is its own affair.
#[test]
fn ranks_may_have_budgets_of_their_own() {
    let Some(program) = program() else { return };
    let folder = TempDir::new().expect("a folder");
    let with_budgets = |words: &str, budgets: [&str; 2]| {
        let mut command = mpirun(folder.path());
        for (separator, budget) in [None, Some(":")].into_iter().zip(budgets) {
            let words = words.replace("--budget 1", budget);
            command.args(separator).args(["-n", "1"]).arg(&program).args(words_of(&words));
        }
        command.output().expect("mpirun is there")
    };
    succeeded(&with_budgets(&tournament(2, "j"), ["--budget 1", "--budget 2"]));
    assert_eq!(games(&folder.path().join("j")).len(), 4);
    // A rank on which a game has no room does not play it all the same.
    let words = tournament(2, "k").replace("--each hash=1", "--each hash=1 threads=2");
    let output = with_budgets(&words, ["--budget 2", "--budget 1"]);
    let told = text(&output.stderr);
    assert!(!output.status.success(), "{}", text(&output.stdout));
    assert!(told.contains("rank 1 on") && told.contains("A against B takes 2 CPUs"), "{told}");
}

/// By hand: ranks are 2 and 4 times as fast as one thread, and twice as fast as without exchange. One thread
/// solves the third position at once.
#[test]
fn measurements_are_summed_up() {
    let folder = TempDir::new().expect("a folder");
    let rows = "repeat,position,who,time_ms,nodes,received,probed,cut,results,bytes\n\
                1,1,one,800,90000,0,0,0,0,0\n\
                1,1,ranks,400,90000,100,30,10,7,2000\n\
                1,1,apart,800,90000,0,0,0,7,900\n\
                1,2,apart,100,90000,0,0,0,7,900\n\
                1,2,ranks,50,90000,100,10,10,7,2000\n\
                1,2,one,200,90000,0,0,0,0,0\n\
                1,3,one,1,500,0,0,0,0,0\n\
                1,3,ranks,9,500,0,0,0,0,0\n\
                1,3,apart,1,500,0,0,0,0,0\n";
    std::fs::write(folder.path().join("times.csv"), rows).expect("a file");
    let mut command = Command::new("python3");
    command.arg(tests::workspace().join("tools/cluster/summary.py")).arg("times.csv");
    let Ok(output) = command.current_dir(folder.path()).output() else {
        return tests::skipped("no python3");
    };
    let summary = succeeded(&output);
    let begins =
        |start: &str| assert!(summary.lines().any(|line| line.starts_with(start)), "{start}\n{summary}");
    begins("2 positions of 3, 1 to 1 repeats");
    begins("ranks/one    2.828 (0.035 - 231.200)");
    begins("apart/one    1.414 (0.017 - 115.600)");
    begins("ranks/apart  2.000 (2.000 - 2.000)");
    begins("ranks        received 200, probed 20.0 %, cut 10.0 %; results sent 14, 0.01 MB/s");
}

/// By programs that stand for the engine and for `mpirun`: two positions, the second without an end of its line, each
/// searched by four.
#[test]
fn every_position_of_a_file_is_measured() {
    if Command::new("python3").arg("--version").output().is_err() {
        return tests::skipped("no python3");
    }
    let folder = TempDir::new().expect("a folder");
    let script = |name: &str, line: &str| {
        tests::executable(&folder.path().join(name), format!("#!/bin/sh\n{line}\n"));
    };
    script("engine", r#"echo '{"time_ms": 5, "nodes": 7}'"#);
    script("mpirun", r#"shift 2; exec "$@""#);
    let positions: Vec<&str> = POSITIONS.lines().take(2).collect();
    std::fs::write(folder.path().join("p.epd"), positions.join("\n")).expect("a file");
    let paths = std::env::join_paths(
        std::iter::once(folder.path().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut command = Command::new("bash");
    command.arg(tests::workspace().join("tools/cluster/measure.sh")).args(["./engine", "p.epd", "1"]);
    command.current_dir(folder.path()).env("PATH", paths.expect("no path has a separator"));
    let Ok(output) = command.output() else { return tests::skipped("no bash") };
    let measured = succeeded(&output);
    let wanted: Vec<String> = ["1", "2"]
        .iter()
        .flat_map(|number| {
            ["one", "lazy", "ranks", "apart"].map(|who| format!("1,{number},{who},5,7,0,0,0,0,0"))
        })
        .collect();
    assert_eq!(measured.lines().skip(1).collect::<Vec<_>>(), wanted);
}
