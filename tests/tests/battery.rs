//! `firstborn battery` as a shell uses it: in parts, each of them made once.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use tempfile::{TempDir, tempdir};

fn battery(folder: &Path) -> Command {
    let mut command = Command::new(tests::firstborn());
    command.args(["battery", "--quick", "--json", "--out"]).arg(folder);
    command
}

/// How the refusal of parts begins that another program has made; the tests have the version of the workspace, too.
const ANOTHER: &str = concat!("another program (", env!("CARGO_PKG_VERSION"), ", ");

/// What a successful run prints.
fn document(folder: &Path) -> Value {
    let assert = battery(folder).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).expect("one JSON document")
}

/// A battery that has searched, in a folder of its own, and what it prints. A machine that stands still for a moment
/// may come to no depth of a position in time, which is then left out: where that is so of all, another battery is
/// made.
fn battery_with_searches() -> (TempDir, Value) {
    let mut tries = (0..5).map(|_| {
        let folder = tempdir().expect("a folder");
        let document = document(folder.path());
        (folder, document)
    });
    tries.find(|(_, made)| !rounds(made).concat().is_empty()).expect("no position is searched")
}

/// The searches of each round.
fn rounds(document: &Value) -> Vec<Vec<Value>> {
    let rounds = document["rounds"].as_array().expect("rounds");
    rounds.iter().map(|round| round.as_array().expect("searches").clone()).collect()
}

/// What a refused run says.
fn refusal(folder: &Path) -> String {
    refused(&mut battery(folder)).1
}

/// What a refused command prints, and what it says.
fn refused(command: &mut Command) -> (Vec<u8>, String) {
    let assert = command.assert().failure().code(1);
    let output = assert.get_output();
    let errors = String::from_utf8(output.stderr.clone()).expect("text");
    assert!(!errors.contains("panicked"), "{errors}");
    (output.stdout.clone(), errors)
}

/// The report on the parts in a folder, in these words.
fn report(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(tests::firstborn());
    command.args(["battery", "--from"]).arg(folder).args(words);
    command
}

/// Changes a part, and returns it as it was.
fn change(part: &Path, change: impl FnOnce(&mut Value)) -> String {
    let before = std::fs::read_to_string(part).expect("a part");
    let mut changed: Value = serde_json::from_str(&before).expect("it is JSON");
    change(&mut changed);
    std::fs::write(part, changed.to_string()).expect("it can be written");
    before
}

/// The files of the parts, by name.
fn parts(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder.join("quick")).expect("a folder of parts");
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("a text"))
    };
    files.map(file).filter(|(name, _)| name != "battery.json").collect()
}

#[test]
fn a_battery_goes_on_where_it_ended_and_takes_parts_of_its_own_machine_only() {
    let (folder, first) = battery_with_searches();
    let made = parts(folder.path());
    let names: Vec<&str> = made.keys().map(String::as_str).collect();
    assert_eq!(names, ["0-machine.json", "1-pilot.json", "2-round-01-01.json", "2-round-01-02.json"]);
    assert_eq!((&first["complete"], rounds(&first).len()), (&Value::from(true), 2));
    assert!(first["machine"]["signature"].as_u64().is_some_and(|nodes| nodes > 0), "{first}");
    let again = document(folder.path());
    for key in ["rounds", "pilot", "provenance"] {
        assert_eq!(again[key], first[key], "nothing is left to do");
    }
    assert!(first["provenance"]["program"]["version"].is_string(), "{first}");

    let last = folder.path().join("quick/2-round-01-02.json");
    std::fs::remove_file(&last).expect("the part is there");
    assert_eq!(document(folder.path())["complete"], Value::from(true));
    let again = parts(folder.path());
    assert_eq!(again.len(), made.len());
    assert!(names[..3].iter().all(|&name| again[name] == made[name]), "only the missing part is made");

    // Machines that look alike are told apart where each has an identity, and files from before it was kept are taken.
    for path in [folder.path().join("quick/0-machine.json"), last.clone()] {
        let before = change(&path, |part| part["host"] = "another".into());
        if cfg!(target_os = "linux") {
            let errors = refusal(folder.path());
            let told = errors.contains("another machine (another)") && errors.contains("json is of");
            assert!(told, "{errors}");
        }
        change(&path, |part| drop(part.as_object_mut().expect("a part").remove("host")));
        assert_eq!(document(folder.path())["complete"], Value::from(true));
        std::fs::write(&path, before).expect("a file");
    }

    let sound = change(&last, |_| ());
    std::fs::write(&last, "{\"round\": [").expect("a file");
    assert!(refusal(folder.path()).contains("2-round-01-02.json"));
    std::fs::write(&last, sound).expect("a file");
    let machine = folder.path().join("quick/0-machine.json");
    let part: Value = serde_json::from_str(&made["0-machine.json"]).expect("a part");
    let with = |field: &str, value: Value| {
        let mut other = part.clone();
        other["machine"][field] = value;
        other
    };
    // Another one; the same with other processors, or more of them granted than any machine has.
    for other in
        [with("name", "Another".into()), with("allowed", "8191".into()), with("quota", 9000.5.into())]
    {
        std::fs::write(&machine, other.to_string()).expect("a file");
        let errors = refusal(folder.path());
        assert!(errors.contains("another machine"), "{other}: {errors}");
    }
    std::fs::write(&machine, with("signature", 7.into()).to_string()).expect("a file");
    let errors = refusal(folder.path());
    assert!(errors.contains(ANOTHER) && errors.contains("signature 7)"), "{errors}");
    // What threads do together is another, and the search of one thread the same; and a part from before that
    // was kept.
    let mut old = part.clone();
    let fields = old["machine"].as_object_mut().expect("a machine");
    assert!(fields.remove("file").is_some() && fields.remove("provenance").is_some());
    for other in [with("file", 7.into()), old] {
        std::fs::write(&machine, other.to_string()).expect("a file");
        assert!(refusal(folder.path()).contains(ANOTHER), "{other}");
    }
}

/// A part is missing, and then all are, and there is no time to make them again.
#[test]
fn a_document_stays_that_knows_more_than_the_parts() {
    let (folder, first) = battery_with_searches();
    let quick = folder.path().join("quick");
    let kept = || std::fs::read_to_string(quick.join("battery.json")).expect("a document");
    let whole = kept();
    let made = parts(folder.path());
    let mut in_no_time = battery(folder.path());
    in_no_time.args(["--minutes", "1e-9"]);
    std::fs::remove_file(quick.join("2-round-01-01.json")).expect("the part is there");
    let (printed, errors) = refused(&mut in_no_time);
    assert!(errors.contains("too few for the next part, 2-round-01-01"), "{errors}");
    assert!(errors.contains("battery.json knows more than these parts"), "{errors}");
    let document: Value = serde_json::from_slice(&printed).expect("one JSON document");
    assert_eq!(rounds(&document), rounds(&first)[1..], "what lies behind the gap is known");
    let progress = ["complete", "parts", "planned"].map(|key| document[key].clone());
    assert_eq!(progress, [Value::from(false), 3.into(), 4.into()]);
    assert_eq!(kept(), whole);

    for name in made.keys().filter(|&name| name != "2-round-01-01.json") {
        std::fs::remove_file(quick.join(name)).expect("the part is there");
    }
    let (printed, errors) = refused(&mut in_no_time);
    assert!(printed.is_empty() && errors.contains("too few for the next part, 0-machine"), "{errors}");
    assert_eq!(kept(), whole);
}

/// They have come from another machine, and were made by another program; the last one is missing.
#[test]
fn parts_are_reported_on_anywhere() {
    let (folder, first) = battery_with_searches();
    let quick = folder.path().join("quick");
    for name in ["battery.json", "2-round-01-02.json"] {
        std::fs::remove_file(quick.join(name)).expect("it is there");
    }
    let elsewhere = |part: &mut Value| {
        let machine = &mut part["machine"];
        machine["name"] = "Another".into();
        machine["signature"] = 7.into();
        machine["provenance"]["date"] = "2000-02-29T00:00:00Z".into();
        part["host"] = "another".into();
    };
    change(&quick.join("0-machine.json"), elsewhere);
    for name in ["1-pilot.json", "2-round-01-01.json"] {
        change(&quick.join(name), |part| part["host"] = "another".into());
    }
    let before = parts(folder.path());
    let output = report(&quick, &["--json"]).assert().success().get_output().stdout.clone();
    let document: Value = serde_json::from_slice(&output).expect("one JSON document");
    assert_eq!(rounds(&document), rounds(&first)[..1]);
    assert_eq!((&document["pilot"], &document["hash"]), (&first["pilot"], &first["hash"]));
    assert_eq!((&document["machine"]["name"], &document["host"]), (&"Another".into(), &"another".into()));
    let output = report(&quick, &[]).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("text");
    let program = concat!("program: Firstborn ", env!("CARGO_PKG_VERSION"));
    let date = "date: 2000-02-29T00:00:00Z";
    for told in ["Battery, stopped: 3 of 4 parts", program, date, "bench: 7", "table: 16 MiB", "round: "] {
        assert!(text.contains(told), "no {told} in {text}");
    }
    assert!(!quick.join("battery.json").exists(), "nothing is written");
    assert_eq!(parts(folder.path()), before);

    let (_, errors) = refused(&mut report(folder.path(), &[]));
    assert!(errors.contains("no part of a battery; those of --quick lie in "), "{errors}");
    change(&quick.join("2-round-01-01.json"), |part| part["host"] = "a third".into());
    let (_, errors) = refused(&mut report(&quick, &[]));
    assert!(errors.contains("another machine (a third) than that of "), "{errors}");
    let searches = rounds(&first).into_iter().find(|round| !round.is_empty()).expect("a round with searches");
    let large = |part: &mut Value| {
        part["round"] = searches.into();
        part["round"][0]["nodes"] = vec![u64::MAX, 1].into();
    };
    change(&quick.join("2-round-01-01.json"), large);
    let (_, errors) = refused(&mut report(&quick, &[]));
    assert!(errors.contains("2-round-01-01.json has counts too large"), "{errors}");
}

/// What it had said to be done is in the document.
#[test]
fn a_battery_that_is_killed_leaves_its_document() {
    let folder = tempdir().expect("a folder");
    let mut command = std::process::Command::new(tests::firstborn());
    command.args(["battery", "--quick", "--out"]).arg(folder.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let said = lines.by_ref().map_while(Result::ok).any(|line| line.contains("1-pilot done"));
    child.kill().expect("it is ours");
    child.wait().expect("it was killed");
    assert!(said, "no pilot is done");
    let text = std::fs::read(folder.path().join("quick/battery.json")).expect("a document");
    let document: Value = serde_json::from_slice(&text).expect("it is whole");
    let depths = document["pilot"].as_array().expect("depths");
    assert!(document["machine"]["name"].is_string() && !depths.is_empty(), "{document}");
}

/// Of the parts that take time the pilot is the first.
#[test]
fn minutes_that_are_too_few_for_any_part_are_refused() {
    let folder = tempdir().expect("a folder");
    let mut command = Command::new(tests::firstborn());
    command.args(["battery", "--minutes", "0.9", "--out"]).arg(folder.path());
    let assert = command.assert().success();
    let says = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(says.contains("the next, 1-pilot, needs --minutes ") && !says.contains("same command"), "{says}");
    let made = |name: &str| folder.path().join(name).exists();
    assert!(made("0-machine.json") && !made("1-pilot.json"));
    let assert = command.assert().failure().code(1);
    let errors = String::from_utf8_lossy(&assert.get_output().stderr);
    assert!(errors.contains("--minutes 0.9: too few for the next part, 1-pilot"), "{errors}");
}

/// Each round has one thread, every scheme and team twice or more, and the counters of each search.
#[test]
fn a_round_has_all_entrants_and_their_counters() {
    let (_folder, document) = battery_with_searches();
    // A position may be left out.
    for searches in rounds(&document).iter().filter(|searches| !searches.is_empty()) {
        let count = |wanted: &dyn Fn(&Value) -> bool| searches.iter().filter(|search| wanted(search)).count();
        assert_eq!(count(&|search| search["scheme"] == "serial"), 1);
        for scheme in ["ybw", "lazy", "abdada"] {
            assert_eq!(
                count(&|search| search["scheme"] == scheme && search["bound"] == false),
                2,
                "{scheme}"
            );
            let bound = usize::from(cfg!(target_os = "linux"));
            assert_eq!(
                count(&|search| search["scheme"] == scheme && search["bound"] == true),
                bound,
                "{scheme}"
            );
        }
        assert!(count(&|search| search["scheme"] == "hybrid" && search["members"] == 2) >= 1);
        assert!(searches.iter().all(|search| search["tally"]["joins"].is_u64()), "{searches:?}");
    }
}
