//! Where the program's commands write: never over what they read, never two outputs into one file, devices
//! and links left what they are. Every command that writes files is tried.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use tempfile::TempDir;

/// A folder with a small file of every kind that a command reads.
struct Hall(TempDir);

const GAME: &str =
    "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n\n";

/// A journal without games.
const JOURNAL: &str =
    "{\"firstborn_journal\":1,\"tournament\":{\"players\":[{\"name\":\"A\"},{\"name\":\"B\"}]}}\n";

impl Hall {
    fn new() -> Self {
        let hall = Hall(tempfile::tempdir().expect("a temporary folder can be made"));
        hall.run(&["datagen", "--games", "4", "--nodes", "50", "--out", "games.fbg"]).success();
        for (name, text) in [
            ("games.pgn", GAME),
            ("depths.epd", "8/8/4k3/3p4/3P4/4K3/8/8 w - - acd 3;\n"),
            ("players.toml", "[[engine]]\nname = \"A\"\ncmd = \"/bin/cat\"\n"),
            ("journal", JOURNAL),
        ] {
            std::fs::write(hall.path(name), text).expect("the folder is writable");
        }
        tests::executable(&hall.path("engine"), "#!/bin/sh\ncat\n");
        hall
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let mut command = Command::new(tests::firstborn());
        // Other tournaments may have all CPUs of this machine.
        command.env("FIRSTBORN_CPU_LOCKS", self.path("locks"));
        command.args(arguments).current_dir(self.0.path()).assert()
    }

    /// Runs a command that must be refused, and returns what it says.
    fn refused(&self, arguments: &[&str]) -> String {
        let assert = self.run(arguments).code(1);
        let errors = String::from_utf8(assert.get_output().stderr.clone()).expect("messages are text");
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
        errors
    }

    /// Every file with its content.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = std::fs::read_dir(self.0.path()).expect("the folder is readable");
        let paths = entries.map(|entry| entry.expect("the folder is readable").path());
        let mut files: Vec<_> = paths
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), std::fs::read(path).expect("it is readable")))
            .collect();
        files.sort();
        files
    }

    /// What a command, in one line, writes on 29 February 2000.
    fn dated(&self, command: &str) -> Output {
        Command::new(tests::firstborn())
            .args(command.split(' '))
            .current_dir(self.0.path())
            .env("FIRSTBORN_DATE", "951782400")
            .output()
            .expect("it was built")
    }

    /// Another name of a file.
    fn link(&self, name: &str) -> String {
        let link = format!("link-{name}");
        if !self.path(&link).exists() {
            symlink(name, self.path(&link)).expect("links can be made");
        }
        link
    }
}

/// Commands that write the file in the last argument, or at the end of it, and read the one named beside them.
const OVER_INPUT: &[(&str, &str)] = &[
    ("games.fbg", "data games.fbg --pgn"),
    ("games.fbg", "data games.fbg --plain"),
    ("games.fbg", "train games.fbg --out"),
    ("games.fbg", "train games.fbg --out net --checkpoint"),
    ("games.fbg", "train games.fbg --out net --plot"),
    ("games.fbg", "tune games.fbg --out"),
    ("games.pgn", "book games.pgn --out"),
    ("games.pgn", "report journal games.pgn --html"),
    ("journal", "report journal --merge"),
    ("players.toml", "tournament --engines players.toml --engine name=B cmd=/bin/cat --pgn"),
    ("players.toml", "tournament --engines players.toml --engine name=B cmd=/bin/cat --moves"),
    ("players.toml", "tournament --engines players.toml --engine name=B cmd=/bin/cat --report"),
    ("players.toml", "tournament --engines players.toml --engine name=B cmd=/bin/cat --journal"),
    (
        "games.pgn",
        "tournament --engine name=A cmd=/bin/cat --engine name=B cmd=/bin/cat --openings games.pgn --pgn",
    ),
    (
        "games.pgn",
        "tournament --engine name=A cmd=/bin/cat --engine name=B cmd=/bin/cat --openings games.pgn --each stderr=",
    ),
];

#[test]
fn no_command_writes_over_what_it_reads() {
    let hall = Hall::new();
    for (input, command) in OVER_INPUT {
        let before = hall.files();
        for name in [(*input).to_owned(), format!("./{input}"), hall.link(input)] {
            let whole =
                if command.ends_with('=') { format!("{command}{name}") } else { format!("{command} {name}") };
            let errors = hall.refused(&whole.split(' ').collect::<Vec<_>>());
            assert!(errors.contains(&name) && errors.contains("reads"), "{command} {name}: {errors}");
        }
        let after: Vec<_> =
            hall.files().into_iter().filter(|(path, _)| !path.ends_with(format!("link-{input}"))).collect();
        let before: Vec<_> =
            before.into_iter().filter(|(path, _)| !path.ends_with(format!("link-{input}"))).collect();
        assert!(before == after, "{command}: something was written");
    }
}

#[test]
fn no_command_writes_two_outputs_into_one_file() {
    let hall = Hall::new();
    symlink("new", hall.path("dangling")).expect("links can be made");
    let players =
        ["name=A cmd=/bin/cat", "name=B cmd=/bin/cat"].map(|words| format!("--engine {words}")).join(" ");
    for command in [
        "data games.fbg --pgn new --plain".to_owned(),
        "train games.fbg --out new --plot".to_owned(),
        "train games.fbg --out new --checkpoint".to_owned(),
        "report journal --html new --merge".to_owned(),
        format!("tournament {players} --pgn new --moves"),
        format!("tournament {players} --journal new --pgn"),
        format!("tournament {players} --pgn new --report"),
    ] {
        for name in ["new", "./new", "dangling"] {
            let words: Vec<&str> = command.split(' ').chain([name]).collect();
            let errors = hall.refused(&words);
            assert!(errors.contains("one file"), "{command} {name}: {errors}");
            assert!(!hall.path("new").exists(), "{command} {name}");
        }
    }
    let errors = hall.refused(&["data", "games.fbg", "--pgn", "new", "--plain", "NEW"]);
    assert!(errors.contains("capitals"), "{errors}");
}

/// Arguments exchanged, a name mistyped: what took hours is there still, and the message says what it is.
#[test]
fn hours_of_work_are_no_place_for_another_output() {
    let hall = Hall::new();
    let train = "train games.fbg --hidden 32 --buckets 1 --epochs 1 --from-ply 0 --hold-out 0 --out net \
                 --checkpoint state";
    let words = |line: &str| hall.run(&line.split(' ').collect::<Vec<_>>());
    words(train).success();
    std::fs::write(hall.path("other"), JOURNAL).expect("the folder is writable");
    std::fs::copy(hall.path("games.fbg"), hall.path("other.fbg")).expect("the folder is writable");
    let precious = [
        ("other", "a journal"),
        ("games.fbg", "games of self-play"),
        ("net", "a network"),
        ("state", "the state of a training"),
    ];
    let playing = "tournament --engine name=A cmd=/bin/cat --engine name=B cmd=/bin/cat";
    // Each with the file of its own kind, which it may replace or go on with.
    let writers = [
        ("report journal --html ", ""),
        ("report journal --blunders ", ""),
        ("report journal --merge ", "other"),
        ("book games.pgn --out ", ""),
        ("data other.fbg --pgn ", ""),
        ("data other.fbg --plain ", ""),
        ("data other.fbg --viriformat ", ""),
        ("tune other.fbg --out ", ""),
        ("train other.fbg --out new --plot ", ""),
        ("train other.fbg --out ", "net"),
        ("train other.fbg --out new --checkpoint ", "state"),
        ("datagen --games 1 --nodes 50 --out ", "games.fbg"),
        (&format!("{playing} --journal "), "other"),
        (&format!("{playing} --report "), ""),
        (&format!("{playing} --live-pgn "), ""),
        // Those that games, and what engines say, are added to.
        (&format!("{playing} --pgn "), ""),
        (&format!("{playing} --moves "), ""),
        (&format!("{playing} --epd "), ""),
        (&format!("{playing} --journal new --pgn "), ""),
        (&format!("{playing} --each stderr="), ""),
    ];
    let before = hall.files();
    for (file, what) in precious {
        for (command, _) in writers.iter().filter(|(_, own)| *own != file) {
            let line = format!("{command}{file}");
            let errors = hall.refused(&line.split(' ').collect::<Vec<_>>());
            assert!(errors.contains(&format!("{file} holds {what}")), "{line}: {errors}");
        }
    }
    assert!(before == hall.files(), "something was written");
    for again in [train, "datagen --games 4 --nodes 50 --out games.fbg", "report journal --merge other"] {
        words(again).success();
    }
}

/// A folder for positions is known to be there before games are read for hours.
#[test]
fn a_missing_scratch_folder_is_told_at_once() {
    let hall = Hall::new();
    let errors = hall.refused(&["train", "games.fbg", "--out", "net", "--scratch", "nowhere"]);
    assert!(errors.contains("--scratch nowhere"), "{errors}");
    assert!(!hall.path("net").exists());
}

/// A folder's files count like any other.
#[test]
fn a_study_does_not_write_over_its_own_inputs() {
    let hall = Hall::new();
    let study = |more: &[&str]| {
        let words =
            "scaling --schemes ybw --threads 2 --clock virtual --limit 1 --depth 3 --hash 1 --no-signature";
        words.split(' ').chain(more.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let first = study(&["--out", "study"]);
    hall.run(&first.iter().map(String::as_str).collect::<Vec<_>>()).success();
    let before = std::fs::read(hall.path("study/scaling.json")).expect("it was written");
    let again = study(&["--against", "study/scaling.json", "--out", "./study"]);
    let errors = hall.refused(&again.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(errors.contains("study/scaling.json"), "{errors}");
    let errors = hall.refused(&["scaling", "--from", "study/scaling.json", "--out", "study"]);
    assert!(errors.contains("study/scaling.json"), "{errors}");
    assert_eq!(std::fs::read(hall.path("study/scaling.json")).expect("it is still there"), before);
    let errors = hall.refused(&["scaling", "--pilot", "0.01", "--positions", "depths.epd", "--out", "."]);
    assert!(errors.contains("depths.epd"), "{errors}");
}

/// An engine's program is an input, too, and so is a file that an option names.
#[test]
fn a_tournament_does_not_write_over_its_players() {
    let hall = Hall::new();
    let engine = hall.path("engine").display().to_string();
    let cmd = format!("cmd={engine}");
    for words in [["name=A", cmd.as_str(), ""], ["name=A", "cmd=/bin/cat", "option.EvalFile=engine"]] {
        let mut arguments = vec!["tournament", "--engine", "name=B", "cmd=/bin/cat", "--engine"];
        arguments.extend(words.iter().filter(|word| !word.is_empty()));
        arguments.extend(["--pgn", "engine"]);
        let errors = hall.refused(&arguments);
        assert!(errors.contains("reads"), "{errors}");
    }
    assert_eq!(std::fs::read(hall.path("engine")).expect("it is still there"), b"#!/bin/sh\ncat\n");
}

/// Standard output may be named; then both go there in order. It is not to be overwritten under another name, and
/// neither is standard error.
#[test]
fn standard_output_is_an_output_like_any_other() {
    let hall = Hall::new();
    let shell = |line: &str| {
        let line = format!("'{}' {line}", tests::firstborn().display());
        Command::new("/bin/sh").args(["-c", &line]).current_dir(hall.0.path()).assert()
    };
    shell("data games.fbg --pgn /dev/stdout > both").success();
    let both = std::fs::read_to_string(hall.path("both")).expect("it was written");
    let (games, survey) =
        (both.find("[Event").expect("the games"), both.find("coherence").expect("the survey"));
    assert!(games < survey && both.matches("[Event").count() == 4, "{both}");
    shell("data games.fbg --pgn same > same").code(1);
    shell("data games.fbg --pgn same 2> same").code(1);
    shell("data games.fbg --pgn - > piped").success();
    assert!(hall.path("-").is_file(), "a hyphen is a name like any other");
    shell("data /dev/stdin --pgn games.fbg < games.fbg").code(1);
    hall.run(&["data", "games.fbg"]).success();
}

#[test]
fn devices_stay_devices_and_a_full_one_is_an_error() {
    let hall = Hall::new();
    let train = "train games.fbg --hidden 32 --buckets 1 --epochs 1 --from-ply 0 --out";
    let words: Vec<&str> = train.split(' ').chain(["/dev/null"]).collect();
    hall.run(&words).success();
    assert!(!std::fs::metadata("/dev/null").expect("every Unix has it").is_file());
    if std::path::Path::new("/dev/full").exists() {
        for command in [
            "data games.fbg --pgn",
            "data games.fbg --plain",
            "report games.pgn --html",
            "report journal --merge",
            train,
            "tune games.fbg --epochs 1 --hold-out 2 --out",
        ] {
            let words: Vec<&str> = command.split(' ').chain(["/dev/full"]).collect();
            let errors = hall.refused(&words);
            assert!(
                errors.contains("/dev/full") && errors.matches("os error 28").count() == 1,
                "{command}: {errors}"
            );
        }
    }
}

/// The same file twice would count every game twice.
#[test]
fn a_file_of_games_counts_once() {
    let hall = Hall::new();
    let link = hall.link("games.fbg");
    for command in ["data", "tune", "train --out net"] {
        for again in ["games.fbg", "./games.fbg", &link] {
            let words: Vec<&str> = command.split(' ').chain(["games.fbg", again]).collect();
            let errors = hall.refused(&words);
            assert!(errors.contains("twice"), "{words:?}: {errors}");
        }
    }
    for words in
        [&["book", "games.pgn", "./games.pgn", "--out", "book.bin"][..], &["report", "journal", "./journal"]]
    {
        let errors = hall.refused(words);
        assert!(errors.contains("twice"), "{errors}");
    }
}

/// The program, its commit and compiler, the machine and the day: under every measurement.
#[test]
fn every_report_says_what_it_was_made_with_and_on() {
    let hall = Hall::new();
    std::fs::write(hall.path("mate.epd"), "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n")
        .expect("the folder is writable");
    for command in [
        "bench --depth 1 --json",
        "topology --json",
        "suite mate.epd --depth 3 --threads 1 --json",
        "scaling --schemes ybw --threads 2 --clock virtual --limit 1 --depth 3 --hash 1 --no-signature --json",
        "conformance --cmd /bin/cat --proto uci --patience 1 --json",
        "report games.pgn --json",
    ] {
        let output = hall.dated(command);
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{command}: {error}"));
        let made = &document["provenance"];
        assert_eq!(made["date"], "2000-02-29T00:00:00Z", "{command}: {made}");
        let kernel = made["program"]["network_kernel"].as_str().unwrap_or_default();
        assert!(
            ["plain", "AVX2", "AVX-VNNI", "AVX-512", "AVX-512 VNNI"].contains(&kernel),
            "{command}: {made}"
        );
        #[cfg(target_arch = "x86_64")]
        assert!(kernel != "plain" || !is_x86_feature_detected!("avx2"), "{command}: {made}");
        for key in ["version", "compiler"] {
            assert!(made["program"][key].is_string(), "{command}: no {key} in {made}");
        }
        for key in ["cores", "threads", "cpus", "system", "arch"] {
            assert!(!made["machine"][key].is_null(), "{command}: no {key} in {made}");
        }
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains("unused"), "{command}: {text}");
    }
}

/// Environments of builds set this variable, so that what is built is the same each time.
#[test]
fn the_date_of_a_build_does_not_date_what_is_measured() {
    let mut command = Command::new(tests::firstborn());
    command.args(["bench", "--depth", "1", "--json"]).env("SOURCE_DATE_EPOCH", "951782400");
    let output = command.env_remove("FIRSTBORN_DATE").output().expect("it was built");
    let document: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let date = document["provenance"]["date"].as_str().expect("it is dated");
    assert!(!date.starts_with("2000-"), "{date}");
}

/// The words of docs/DESIGN.md about the document of this command.
fn told_of(command: &str) -> BTreeSet<String> {
    let plan = std::fs::read_to_string(tests::workspace().join("docs/DESIGN.md"))
        .expect("it is part of the project");
    let (_, list) = plan.split_once("The others:\n").expect("it lists documents");
    let start = format!("    {command} ");
    let mut lines = list.lines().skip_while(|line| !line.starts_with(&start));
    let first = lines.next().unwrap_or_else(|| panic!("docs/DESIGN.md does not list {command}"));
    // What goes on in further lines stands deeper.
    let entry = std::iter::once(first).chain(lines.take_while(|line| line.starts_with("     ")));
    let words = entry.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.map(str::to_owned).collect()
}

/// Scripts rely on the names in documents, so those at the top of each and in its rows are listed in the plan.
#[test]
fn the_plan_lists_the_keys_of_documents() {
    let hall = Hall::new();
    for (name, text) in [
        ("mate.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n"),
        ("counts.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\n"),
    ] {
        std::fs::write(hall.path(name), text).expect("the folder is writable");
    }
    for (name, options) in [
        ("analyze", "--depth 1 --threads 1"),
        ("bench", "--depth 1"),
        ("topology", ""),
        ("suite", "mate.epd --depth 3 --threads 1"),
        ("perft", "1 --divide"),
        ("perft", "--suite counts.epd"),
        ("scaling", "--schemes ybw --threads 2 --clock virtual --limit 1 --depth 3 --hash 1 --no-signature"),
        ("lab list", ""),
        ("lab run", "alphabeta --tree uniform --depth 2 --width 2 --count 1"),
        ("lab compare", "alphabeta scout --tree uniform --depth 2 --width 2 --count 2"),
        ("lab show", "alphabeta --tree uniform --depth 2 --width 2 --out shown"),
        ("lab parallel", "ybw --tree uniform --depth 2 --width 2 --count 2 --processors 1,2"),
        ("lab figure8", "--from 1 --depth 1 --limit 1 --tables 8000"),
        ("datagen", "--games 1 --nodes 10 --out own.fbg"),
        ("data", "games.fbg"),
        ("conformance", "--cmd /bin/cat --proto uci --patience 1"),
        ("tune", "games.fbg --epochs 1 --hold-out 2"),
        ("train", "games.fbg --hidden 32 --buckets 1 --epochs 1 --from-ply 0 --hold-out 0 --out net"),
        ("sprt", "--wdl 10 20 10"),
        ("elo", "--wdl 10 20 10"),
    ] {
        let command = format!("{name} --json {options}").trim_end().to_owned();
        let output = hall.dated(&command);
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{command}: {error}"));
        let told = told_of(name);
        let rows = document["rows"].as_array().into_iter().flatten().filter_map(Value::as_object);
        let top = document.as_object().expect("it is an object");
        let keys = std::iter::once(top).chain(rows).flat_map(|object| object.keys());
        // What the plan says of all of them.
        let own = keys.filter(|key| !["schema", "provenance", "facts", "study"].contains(&key.as_str()));
        let untold: Vec<&String> = own.filter(|key| !told.contains(*key)).collect();
        assert!(untold.is_empty(), "docs/DESIGN.md, {name}: {untold:?} of {command}");
    }
}

/// The last line of a report for people names the program, the machine and the day, too.
#[test]
fn every_text_report_ends_with_what_it_was_made_with() {
    let hall = Hall::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for (name, text) in [
        ("mate.epd", "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#;\n".to_owned()),
        ("counts.epd", format!("{start} ;D1 20\n")),
    ] {
        std::fs::write(hall.path(name), text).expect("the folder is writable");
    }
    for command in [
        "analyze --depth 1 --threads 1",
        "perft 2",
        "perft --suite counts.epd",
        "suite mate.epd --depth 3 --threads 1",
        "conformance --cmd /bin/cat --proto uci --patience 1",
        "datagen --games 1 --nodes 10 --out own.fbg",
        "data games.fbg",
        "tune games.fbg --epochs 1 --hold-out 2",
        "train games.fbg --hidden 32 --buckets 1 --epochs 1 --from-ply 0 --hold-out 0 --out net",
    ] {
        let output = hall.dated(command);
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or_default();
        for fact in [concat!("Firstborn ", env!("CARGO_PKG_VERSION")), "rustc", "2000-02-29T00:00:00Z"] {
            assert!(last.contains(fact), "{command}: no {fact} in the last line of {text}");
        }
    }
}

/// Another host would have given the same figures: the simulated machine is named, not the processor.
#[test]
fn a_simulated_study_does_not_pass_the_host_off_as_its_machine() {
    let hall = Hall::new();
    let words = "scaling --schemes ybw --threads 2 --clock virtual --limit 1 --depth 3 --hash 1 --no-signature --out study";
    let assert = hall.run(&words.split(' ').collect::<Vec<_>>()).success();
    let mut texts = vec![String::from_utf8_lossy(&assert.get_output().stdout).into_owned()];
    for name in ["scaling.csv", "samples.csv", "scaling.html"] {
        texts.push(std::fs::read_to_string(hall.path("study").join(name)).expect("it was written"));
    }
    for text in texts {
        assert!(text.contains("machine: simulated"), "{text}");
        assert!(text.contains("host, which plays no part in the figures: "), "{text}");
    }
}

/// Starts a command, waits until a line of its output has this beginning, sends Ctrl-C's signal, and returns
/// what it printed from then on and on standard error.
fn interrupted(hall: &Hall, command: &str, beginning: &str) -> (String, String) {
    let mut child = std::process::Command::new(tests::firstborn())
        .args(command.split(' '))
        .current_dir(hall.0.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was built");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    while !line.trim_start().starts_with(beginning) {
        line.clear();
        let read = output.read_line(&mut line).expect("it is text");
        assert!(read > 0, "{command} ended before it printed {beginning}");
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("every Unix has kill").success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("it is text");
    let ended = child.wait_with_output().expect("it was started");
    let errors = String::from_utf8(ended.stderr).expect("it is text");
    assert_eq!(ended.status.code(), Some(130), "{command}: {rest}{errors}");
    (rest, errors)
}

/// What a long command has found when Ctrl-C comes is kept, and said.
#[test]
fn an_interrupted_command_keeps_what_it_has() {
    let hall = Hall::new();
    let suite = "7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; id \"mate\";\n\
                 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"start\";\n";
    std::fs::write(hall.path("two.epd"), suite).expect("the folder is writable");
    let (rest, errors) = interrupted(&hall, "suite two.epd --movetime 6000000 --threads 1 --hash 1", "ok");
    assert!(
        rest.contains("1 of 1 solved, 1 left out") && errors.contains("stopped after 1 of 2 positions"),
        "{rest}{errors}"
    );

    let tune = "tune games.fbg --epochs 10000000 --hold-out 2 --out weights.rs";
    let (rest, errors) = interrupted(&hall, tune, "2 ");
    assert!(rest.contains("validation loss") && errors.contains("weights.rs"), "{rest}{errors}");
    let weights = std::fs::read_to_string(hall.path("weights.rs")).expect("it was written");
    assert!(weights.starts_with("//! The weights") && !weights.contains("10000000"), "{weights:.300}");

    let train =
        "train games.fbg --hidden 32 --buckets 1 --epochs 10000000 --from-ply 0 --hold-out 0 --out net";
    let (_, errors) = interrupted(&hall, train, "epoch   2");
    assert!(errors.contains("nothing is kept without --checkpoint"), "{errors}");
    let (_, errors) = interrupted(&hall, &format!("{train} --checkpoint state"), "epoch   2");
    assert!(errors.contains("goes on from state") && hall.path("state").is_file(), "{errors}");
    assert!(!hall.path("net").exists(), "half a training makes no network");
}

/// A document that is printed only at the end is printed all the same. The first engine sends Ctrl-C's signal
/// to who started it; a wrong count, named at once, says that the suite is under way.
#[test]
fn an_interrupted_command_prints_its_document() {
    let hall = Hall::new();
    let engine = hall.path("interrupting");
    let script = format!(
        "#!/bin/sh\n[ -e sent ] || {{ : >sent; kill -INT $PPID; }}\nexec '{}' uci\n",
        tests::firstborn().display()
    );
    tests::executable(&engine, script);
    let output = Command::new(tests::firstborn())
        .args(["conformance", "--cmd", "./interrupting", "--proto", "uci", "--json"])
        .current_dir(hall.0.path())
        .output()
        .expect("it was built");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let tried = document["rules"].as_array().expect("a list").len();
    let left_out = document["left_out"].as_u64().expect("a number") as usize;
    assert!(output.status.code() == Some(130) && tried >= 1 && left_out >= 1, "{document}");

    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let counts = 30_000;
    let suite = format!("{start} ;D1 21\n{}", format!("{start} ;D4 197281\n").repeat(counts));
    std::fs::write(hall.path("counts.epd"), suite).expect("the folder is writable");
    let mut child = std::process::Command::new(tests::firstborn())
        .args(["perft", "--suite", "counts.epd", "--threads", "1", "--json"])
        .current_dir(hall.0.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was built");
    let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    errors.read_line(&mut line).expect("it is text");
    assert!(line.contains("should be 21"), "{line}");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("every Unix has kill").success());
    let ended = child.wait_with_output().expect("it was started");
    let document: Value = serde_json::from_slice(&ended.stdout).expect("a document");
    let count = |key: &str| document[key].as_u64().unwrap_or_else(|| panic!("no {key} in {document}"));
    assert_eq!((ended.status.code(), count("failed")), (Some(130), 1), "{document}");
    assert!(count("left_out") > 0, "{document}");
    assert_eq!(count("passed") + count("left_out"), counts as u64, "{document}");
}

/// Every message names its cause once.
#[test]
fn a_message_says_its_cause_once() {
    let hall = Hall::new();
    for command in [
        "data missing",
        "tune missing",
        "train missing --out net",
        "book missing.pgn --out book.bin",
        "suite missing",
        "perft --suite missing",
        "scaling --positions missing",
        "scaling --depths missing",
        "scaling --against missing",
        "scaling --from missing",
        "data games.fbg --pgn none/out.pgn",
        "datagen --games 1 --out none/games.fbg",
        "man --out games.pgn/folder",
        "tournament --engines missing",
        "tournament --engine name=A cmd=/bin/cat --engine name=B cmd=/bin/cat --openings missing.epd",
        "tournament --engine name=A cmd=/bin/cat --engine name=B cmd=/bin/cat --journal none/journal",
    ] {
        let errors = hall.refused(&command.split(' ').collect::<Vec<_>>());
        let parts: Vec<&str> = errors.trim().split(": ").collect();
        let twice = parts.iter().enumerate().any(|(place, part)| parts[..place].contains(part));
        assert!(!twice && errors.matches("os error").count() <= 1, "{command}: {errors}");
    }
}

/// An empty table is no table.
#[test]
fn a_table_of_nothing_is_refused_everywhere() {
    let hall = Hall::new();
    for command in ["analyze", "suite games.pgn", "scaling"] {
        let words: Vec<&str> = command.split(' ').chain(["--hash", "0"]).collect();
        let assert = hall.run(&words).code(2);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains("--hash"), "{command}: {errors}");
    }
}

/// The real width of a terminal, with nothing in the environment to tell it.
#[test]
fn tables_fit_the_terminal() {
    let line =
        format!("stty rows 24 cols 80 && unset COLUMNS && '{}' lab list", tests::firstborn().display());
    let shown = std::process::Command::new("script").args(["-qec", &line, "/dev/null"]).output();
    let Ok(shown) = shown.as_ref().map(|shown| String::from_utf8_lossy(&shown.stdout)) else {
        tests::skipped("tables_fit_the_terminal: there is no script(1) here");
        return;
    };
    let tables: Vec<usize> =
        shown.lines().filter(|line| line.contains('─')).map(|line| line.trim_end().chars().count()).collect();
    assert!(tables.len() >= 2 && tables.iter().all(|&width| width <= 80), "{tables:?} {shown}");
}

/// Terms of the evaluation stand in columns, whatever they are called.
#[test]
fn the_terms_of_an_evaluation_stand_in_columns() {
    let hall = Hall::new();
    let assert = hall.run(&["analyze", "--depth", "1", "--threads", "1", "--hash", "1"]).success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).expect("it is text");
    let terms = text
        .lines()
        .skip_while(|line| !line.contains("hand-crafted"))
        .skip(2)
        .take_while(|line| !line.starts_with("Total"));
    let ends: Vec<usize> = terms.map(|line| line.trim_end().chars().count()).collect();
    assert!(ends.len() > 3 && ends.iter().all(|end| *end == ends[0]), "{text}");
}
