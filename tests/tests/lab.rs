//! `firstborn lab` as a shell uses it: every study in every form, numbers that follow from counting, and
//! refusals that list the choices.

use serde_json::Value;
use std::fs;
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::{Command, Output, Stdio};

fn lab(arguments: &str) -> Output {
    let words = arguments.split_whitespace();
    Command::new(tests::firstborn()).arg("lab").args(words).output().expect("the binary has just been built")
}

/// The one JSON document of a successful run.
fn document(arguments: &str) -> Value {
    let output = lab(&format!("{arguments} --json"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(document["schema"].is_u64(), "{text}");
    document
}

/// Proof-number searches say whether the goal is reached, and are compared by that alone, first in the list or not.
#[test]
fn a_comparison_asks_proof_number_searches_for_the_goal_alone() {
    for contestants in ["negamax pn dfpn", "pn negamax dfpn"] {
        for trees in ["uniform -w 3 -d 4 -n 20", "connect4 -d 4 -n 5"] {
            let compared = document(&format!("compare {contestants} --tree {trees}"));
            let rows = compared["rows"].as_array().unwrap();
            assert!(rows.len() == 3 && rows.iter().all(|row| row["wrong"] == 0), "{compared}");
        }
    }
}

#[test]
fn the_list_names_algorithms_and_switches() {
    let list = document("list");
    for (kind, names) in [
        ("algorithms", ["minimax", "alphabeta", "scout", "pvs-r", "negascout", "sss", "mtdf", "bisection"]),
        ("switches", ["id", "trans", "ref", "alt", "killers", "hist", "etc", "null-verify"]),
    ] {
        let listed = list[kind].as_array().unwrap();
        for name in names {
            assert!(listed.iter().any(|entry| entry == name), "{name} is not among {kind}");
        }
    }
    assert!(String::from_utf8_lossy(&lab("list").stdout).contains("Marsland"));
    assert!(
        String::from_utf8_lossy(&lab("list --csv").stdout)
            .lines()
            .any(|line| line.starts_with("algorithm,mtdf,"))
    );
}

/// On perfectly ordered trees alpha-beta visits W^ceil(D/2) + W^floor(D/2) - 1 leaves (Knuth and Moore 1975),
/// minimax W^D.
#[test]
fn comparisons_count_what_counting_says() {
    let table = document("compare minimax alphabeta pvs --tree ordered --width 4 --depth 5 --count 3");
    let rows = table["rows"].as_array().unwrap();
    let horizon: Vec<u64> = rows.iter().map(|row| row["tally"]["horizon"].as_u64().unwrap()).collect();
    assert_eq!(horizon, [3 * 4u64.pow(5), 3 * (64 + 16 - 1), 3 * (64 + 16 - 1)]);
    // What the rows are told in times of: the minimal trees of all three.
    assert_eq!(table["minimal"].as_f64().unwrap().round(), horizon[1] as f64);
    assert!(rows.iter().all(|row| row["wrong"] == 0));
}

#[test]
fn one_search_is_told_tree_by_tree() {
    // A drawn tree: the first player gets the best of the worst, max(min(5, 4), min(6, 1)) = 4.
    let output = Command::new(tests::firstborn())
        .args(["lab", "run", "alphabeta", "--tree", "drawn", "--depth", "2", "-p", "((5 4) (6 1))", "--json"])
        .output()
        .unwrap();
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["solutions"][0]["value"], 4, "{run}");
    // Without a depth it is searched to its leaves; every textbook form says which move is the better one.
    for algorithm in ["alphabeta", "mtd-best", "sss", "mtdf", "minimax"] {
        let output = Command::new(tests::firstborn())
            .args(["lab", "run", algorithm, "--tree", "drawn", "-p", "((5 4) (6 1))", "--json"])
            .output()
            .unwrap();
        let run: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&run["depth"], &run["solutions"][0]["best"]),
            (&2.into(), &"1".into()),
            "{algorithm}: {run}"
        );
    }
    // Marsland's figure 2: the first move is worth 5. All leaves but one are looked at, all seven nodes above them are
    // searched, and two of these are left by a cut-off.
    let text = String::from_utf8(lab("run alphabeta --tree drawn").stdout).unwrap();
    let row = "1 5 1 1 7 0 7 2 5 0";
    assert!(text.lines().any(|line| line.split_whitespace().take(10).eq(row.split(' '))), "{text}");
    let chess = document("run pvs-r+id+trans=8000+hist --count 1 --depth 3");
    assert_eq!(chess["solutions"].as_array().unwrap().len(), 1);
    assert!(!chess["solutions"][0]["line"].as_array().unwrap().is_empty());
}

/// All parallel schemes find the serial value; one processor is no faster than one, and eight never more than
/// eight times without a table.
#[test]
fn parallel_schemes_agree_and_stay_possible() {
    let study = document("parallel --tree ordered:90 --width 8 --depth 5 --count 4 --processors 8,1");
    let points = study["points"].as_array().unwrap();
    assert_eq!(points.len(), 12);
    for point in points {
        assert_eq!(point["wrong"], 0, "{point}");
        let (count, speedup) = (point["processors"].as_f64().unwrap(), point["speedup"].as_f64().unwrap());
        let table = point["scheme"] == "abdada" || point["scheme"] == "lazy";
        assert!(speedup > 0.5 && (table || speedup < 1.5 * count), "{point}");
    }
    let again = document("parallel --tree ordered:90 --width 8 --depth 5 --count 4 --processors 8,1");
    assert_eq!(study["points"], again["points"]);
}

#[test]
fn reports_are_written_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    document(&format!("figure8 --depth 3 --limit 1 --tables 1000 --out {out}"));
    document(&format!("parallel ybw --tree uniform --processors 1,2 --depth 3 --out {out}"));
    for study in ["figure8", "parallel"] {
        assert!(serde_json::from_str::<Value>(&read(&format!("{study}.json"))).is_ok());
        assert_data(&read(&format!("{study}.csv")));
        assert!(read(&format!("{study}.json")).contains("\"command\":\"firstborn lab "));
        assert!(read(&format!("{study}.html")).contains("command: firstborn lab "));
        assert!(read(&format!("{study}.html")).contains("<svg"));
        let picture = read(&format!("{study}-1.svg"));
        assert!(picture.starts_with("<svg") && picture.contains("command: firstborn lab "), "{picture}");
        assert!(read(&format!("{study}.html")).contains(&format!("download=\"{study}.csv\"")));
    }
}

/// Comment lines that say what was run, then one table: rows of equal length, numbers without blanks.
fn assert_data(text: &str) {
    assert!(text.lines().any(|line| line.starts_with("# program: Firstborn ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("# command: firstborn lab ")), "{text}");
    let rows: Vec<&str> = text.lines().skip_while(|line| line.starts_with('#')).collect();
    assert!(rows.len() > 1 && !rows.iter().any(|row| row.is_empty() || row.starts_with('#')), "{text}");
    let cells = |row: &str| row.split(',').map(str::to_owned).collect::<Vec<_>>();
    for row in rows.iter().map(|row| cells(row)) {
        assert_eq!(row.len(), cells(rows[0]).len(), "{row:?}");
        for cell in row {
            let digits: String = cell.chars().filter(|c| !c.is_whitespace() && *c != '\u{202f}').collect();
            assert!(digits == cell || digits.parse::<f64>().is_err(), "{cell:?} is a number with blanks");
        }
    }
}

#[test]
fn values_for_programs_are_one_plain_table() {
    for arguments in [
        "compare alphabeta pvs+id+trans=500+null --tree uniform --width 12 --depth 5 --count 20 --csv",
        "compare alphabeta --tree uniform --count 1 --csv",
        "run pvs --tree ordered --width 30 --depth 4 --count 2 --csv",
        "parallel ybw lazy --tree uniform --processors 1,4 --count 2 --csv",
        "parallel ybw --tree uniform --processors 1 --count 2 --csv",
        "figure8 --depth 2 --limit 2 --tables 100,50,100 --csv",
    ] {
        let output = lab(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        assert_data(&String::from_utf8_lossy(&output.stdout));
    }
}

/// A textbook form counts no order of moves: a 0 there would say that no first move ever cuts off.
#[test]
fn what_was_not_counted_is_not_nought() {
    let output = lab("compare alphabeta pvs+id --tree ordered --width 6 --depth 4 --count 3 --csv").stdout;
    let text = String::from_utf8(output).unwrap();
    let mut rows =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect::<Vec<_>>());
    let headings = rows.next().unwrap();
    let at = |name: &str| headings.iter().position(|heading| *heading == name).unwrap();
    let [textbook, switchable]: [Vec<&str>; 2] = rows.collect::<Vec<_>>().try_into().unwrap();
    let number = |row: &[&str], name: &str| row[at(name)].parse::<u64>().ok();
    assert!(number(&textbook, "cut") > Some(0) && textbook[at("first_cuts")].is_empty(), "{text}");
    // All windows of minimax are open: 0 would say that none is.
    for (plain, switched) in [("minimax", "minimax+id"), ("negamax", "negamax+hist")] {
        let arguments = format!("compare {plain} {switched} --tree ordered --width 6 --depth 4 --count 3");
        let text = String::from_utf8(lab(&format!("{arguments} --csv")).stdout).unwrap();
        let rows = text.lines().filter(|line| line.starts_with(plain));
        let open: Vec<&str> = rows.map(|row| row.split(',').nth(at("open_windows")).unwrap()).collect();
        let rows = document(&arguments)["rows"].clone();
        let told = |row: usize| &rows[row]["tally"]["open_windows"];
        assert!(open[0].is_empty() && told(0).is_null(), "{text}");
        assert_eq!((open[1], told(1)), (&*told(1).to_string(), &rows[1]["tally"]["interior"]), "{text}");
    }
    let (cut, first) = (number(&switchable, "cut").unwrap(), number(&switchable, "first_cuts").unwrap());
    assert!(first <= cut && first > cut / 2, "most are good moves in such trees: {text}");
}

/// Best-first and proof-number searches leave no node for good before their end, and so count no CUT nodes and no ALL
/// nodes: two zeros beside their interior nodes would say that these were neither.
#[test]
fn a_search_that_leaves_no_node_has_no_cut_and_all_nodes() {
    let best_first = ["sss", "dual", "pn", "dfpn", "bstar", "bstar-null", "conspiracy"];
    let names = ["alphabeta"].into_iter().chain(best_first).collect::<Vec<_>>();
    let arguments = format!("compare {} --tree ordered --width 3 --depth 3 --count 2", names.join(" "));
    let text = String::from_utf8(lab(&format!("{arguments} --csv")).stdout).unwrap();
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect()).collect();
    let at = |name: &str| rows[0].iter().position(|heading| *heading == name).unwrap();
    let told = document(&arguments)["rows"].clone();
    assert_eq!(rows.len(), 1 + names.len(), "{text}");
    for (i, name) in names.into_iter().enumerate() {
        let (row, tally) = (&rows[1 + i], &told[i]["tally"]);
        assert!(row[0] == name && tally["interior"].as_u64() > Some(0), "{text}");
        for count in ["cut", "all"] {
            let counted = (!row[at(count)].is_empty(), !tally[count].is_null());
            assert_eq!(counted, (name == "alphabeta", name == "alphabeta"), "{count} of {name}: {text}");
        }
    }
    let table = String::from_utf8(lab("run sss --tree drawn").stdout).unwrap();
    let mut rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = rows.find(|row| row.starts_with(&["1", "5", "1", "1"])).unwrap();
    assert_eq!(row[7..9], ["-", "-"], "{table}");
}

/// A second curve on top of the first would be none, and what it adds to a mean would be false.
#[test]
fn a_scheme_that_is_named_twice_is_run_once() {
    let points = |schemes: &str| {
        document(&format!("parallel {schemes} --tree uniform -w 3 -d 3 -n 2 -P 1,2"))["points"].clone()
    };
    assert_eq!(points("ybw lazy ybw ybw"), points("ybw lazy"));
}

#[test]
fn tables_have_no_minus_before_nothing_and_no_plural_of_one() {
    for arguments in [
        "compare alphabeta --tree drawn",
        "compare alphabeta pvs --tree uniform --count 1 --depth 1",
        "parallel tree-splitting --tree uniform --count 1 --depth 1 --processors 1",
        "run alphabeta --tree drawn -p (1)",
        "figure8 --depth 2 --from 2 --limit 1 --tables 100",
    ] {
        let text = String::from_utf8(lab(arguments).stdout).unwrap();
        assert!(text.lines().count() > 5, "{arguments}: {text}");
        for wrong in ["-0.0 ", "-0.00", " 1 trees", " 1 plies", "1 positions", "1 differ "] {
            assert!(!format!(" {text}").contains(wrong), "{arguments}: {wrong:?} in {text}");
        }
    }
}

/// A folder that is none is found out before the first search: twelve plies of figure 8 would take days.
#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_first_search() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("afile");
    fs::write(&file, "kept").unwrap();
    let out = file.to_str().unwrap();
    for arguments in [
        format!("figure8 --depth 12 --out {out}"),
        format!("compare alphabeta --depth 9 --out {out}"),
        format!("run alphabeta --depth 9 --out {out}/below"),
        format!("parallel --depth 4 --out {out}"),
        format!("claims --out {out}"),
        format!("list --out {out}"),
    ] {
        let output = lab(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {errors}");
        assert!(output.stdout.is_empty() && errors.contains(out), "{arguments}: {errors}");
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "kept");
}

/// A laboratory that listens for Ctrl-C, with pipes for what it says.
#[cfg(target_os = "linux")]
fn listening(arguments: &str) -> Child {
    let child = Command::new(tests::firstborn())
        .arg("lab")
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Once the thread that waits for signals and the one that shows progress are there, it listens.
    let tasks = format!("/proc/{}/task", child.id());
    tests::wait_until("it listens", || fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() >= 3));
    child
}

#[cfg(target_os = "linux")]
fn interrupt(child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

/// Ctrl-C: what is finished is printed and written, if that is anything; the exit code says that it is not all.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_study_keeps_what_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    for (study, found, arguments) in [
        ("run", "solutions", "run alphabeta --tree uniform --width 3 --depth 6 --count 300000"),
        ("compare", "rows", "compare alphabeta pvs --tree uniform --width 3 --depth 6 --count 300000"),
        ("figure8", "points", "figure8 --depth 12 --tables 1000"),
    ] {
        let child = listening(&format!("{arguments} --json --out {out}"));
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{study}: {errors}");
        assert!(errors.contains("stopped") && errors.contains("left out"), "{study}: {errors}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["study"], study);
        let nothing = document[found].as_array().unwrap().is_empty();
        assert_eq!(errors.contains("no file is written"), nothing, "{study}: {errors}");
        let page = fs::read_to_string(folder.path().join(format!("{study}.html")));
        assert!(page.map_or(nothing, |page| !nothing && page.contains("Stopped early")), "{study}");
    }
}

/// A search that goes on for long: that the study is stopping is said while it runs, and a second
/// Ctrl-C ends it.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_is_answered_while_a_search_runs() {
    // On a busy machine the first one may come before the search begins, and then the study ends with nothing.
    let stdout = (0..20).map(|_| interrupted_twice()).find(Vec::is_empty);
    assert!(stdout.is_some(), "the search was never ended by the second");
}

/// What such a study prints.
#[cfg(target_os = "linux")]
fn interrupted_twice() -> Vec<u8> {
    use std::io::{BufRead, BufReader};
    let mut child = listening("run alphabeta --depth 10 --count 1");
    interrupt(&child);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(line.contains("stopping when the running searches have ended"), "{line}");
    // Two in a quarter of a second are one.
    let status = loop {
        interrupt(&child);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
    child.wait_with_output().unwrap().stdout
}

/// Systems of different chapters whose claims take little time: none depends on the machine more than another.
const AGAIN: &str = "3,8,13,16,22";

/// The claims on as many threads as there are, and beside them, each disturbing the other, some of them on one thread.
fn claims_measured_twice() -> [Value; 2] {
    let start = |threads: &str, rest: &[&str]| {
        Command::new(tests::firstborn())
            .args(["lab", "claims", "--quick", "--json"])
            .args(rest)
            .env("RAYON_NUM_THREADS", threads)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    [start("0", &[]), start("1", &["--systems", AGAIN])].map(|child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap()
    })
}

/// A row's system, by its number.
fn system(row: &Value) -> &str {
    row["system"].as_str().unwrap().split(' ').next().unwrap()
}

/// Every system from 1 to 23 has its row, none is skipped, and what cannot fail does not. Node counts and
/// verdicts depend on nothing but the program: all but the CPU time is the same, byte for byte, however busy
/// the machine.
#[test]
fn the_claims_have_a_row_for_each_system_and_do_not_depend_on_the_machine() {
    let [claims, again] = claims_measured_twice();
    let rows = claims["rows"].as_array().unwrap();
    let without_time = |claims: &Value| {
        let mut rows = claims["rows"].clone();
        rows.as_array_mut().unwrap().retain(|row| AGAIN.split(',').any(|number| number == system(row)));
        for row in rows.as_array_mut().unwrap() {
            assert!(row.as_object_mut().unwrap().remove("cpu").is_some());
            assert!(!row["value"].as_str().unwrap().contains("CPU"), "{row}");
        }
        serde_json::to_string_pretty(&rows).unwrap()
    };
    assert_eq!(without_time(&claims), without_time(&again));
    for row in rows {
        for key in ["system", "claim", "source", "value", "verdict", "command"] {
            assert!(row[key].as_str().is_some_and(|text| !text.is_empty()), "no {key} in {row}");
        }
        // What is no plain yes or no says where the line between the verdicts lies.
        let plain = row["interval"].is_null()
            && !["not significant", "partly"].map(Value::from).contains(&row["verdict"]);
        assert!(plain || row["rule"] != "", "no rule in {row}");
    }
    commands_measure_again(rows);
    for number in 1..=23 {
        let system = format!("{number} ");
        assert!(
            rows.iter().any(|row| row["system"].as_str().unwrap().starts_with(&system)),
            "no row {number}"
        );
    }
    let verdict = |system: &str, claim: &str| {
        let row = rows.iter().find(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            text("system").starts_with(system) && text("claim").contains(claim)
        });
        row.unwrap_or_else(|| panic!("no row {system} {claim}"))["verdict"].as_str().unwrap().to_owned()
    };
    // What holds by proof.
    assert_eq!(verdict("1 ", "minimax value"), "confirmed");
    assert_eq!(verdict("2 ", "true bounds"), "confirmed");
    assert_eq!(verdict("3 ", "W^ceil(D/2)"), "confirmed");
    assert_eq!(verdict("15 ", "incremental key"), "confirmed");
}

/// A command that compares prints the row's number, as the nodes of a contestant against the first one's. A row
/// without an interval holds several such numbers: all that its command prints.
fn commands_measure_again(rows: &[Value]) {
    let mut compared = 0;
    for row in rows {
        let command = row["command"].as_str().unwrap();
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[..2], ["firstborn", "lab"], "{command}");
        if words[2] == "claims" {
            let number = system(row);
            assert!(command.ends_with(&format!("--systems {number}")), "{command}");
            continue;
        }
        let found = document(&words[2..].join(" "));
        let changes = found["rows"].as_array().unwrap().iter().map(|row| &row["against_first"]);
        let changes: Vec<&Value> = changes.filter(|change| !change.is_null()).collect();
        let is_told = |change: &Value| {
            // What is rounded to nothing has no minus sign.
            let mean = (10.0 * change["mean"].as_f64().unwrap()).round() / 10.0 + 0.0;
            row["value"].as_str().unwrap().contains(&format!("{mean:+.1} % ["))
        };
        match &row["interval"] {
            Value::Null => assert!(changes.iter().all(|&change| is_told(change)), "{found} is not {row}"),
            number => assert!(changes.contains(&number), "{found} is not {row}"),
        }
        compared += 1;
    }
    assert!(compared > 10, "{compared} rows name a comparison");
}

/// Each finding of the page can be linked to, names its command, and the data can be taken along.
#[test]
fn the_page_of_claims_has_a_place_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let document = document(&format!("claims --quick --systems 3,22 --out {}", folder.path().display()));
    let page = fs::read_to_string(folder.path().join("claims.html")).unwrap();
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(page.matches("<article").count(), rows.len());
    for id in ["c3-1", "c22-1", "c22-2"] {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    for row in rows {
        assert!(page.contains(row["command"].as_str().unwrap()), "{row}");
    }
    for name in ["claims.json", "claims.csv"] {
        assert!(page.contains(&format!("download=\"{name}\" href=\"data:")), "{name}");
    }
    let symmetric = rows.iter().find(|row| row["claim"].as_str().unwrap().contains("symmetries")).unwrap();
    let [low, mean, high] = ["low", "mean", "high"].map(|end| symmetric["interval"][end].as_f64().unwrap());
    assert!(low <= mean && mean <= high);
}

#[test]
fn one_system_can_be_asked_for() {
    let rows = document("claims --quick --systems 3,24")["rows"].clone();
    let mut systems: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["system"].as_str().unwrap()).collect();
    systems.dedup();
    assert_eq!(systems, ["3 minimal game tree", "24 B*, conspiracy numbers"]);
}

/// What the page's steps add up to is what the same search does unwatched.
#[test]
fn the_visible_tree_counts_what_run_counts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display();
    let trees = "--tree uniform -w 3 -d 5 --seed 4";
    let shown = document(&format!("show mtdf+id+trans=50+two,ybw {trees} -P 3 --out {out}"));
    let run = document(&format!("run mtdf+id+trans=50+two {trees} -n 1"));
    let (seen, told) = (&shown["searches"][0]["tally"], &run["solutions"][0]["tally"]);
    for count in ["horizon", "interior", "finished", "cut", "all", "re_searches", "passes"] {
        assert_eq!(seen[count], told[count], "{count}");
    }
    assert!(seen["table"]["cutoffs"].as_u64().unwrap() > 0);
    assert_eq!(seen["table"]["cutoffs"], told["table"]["cutoffs"]);
    assert_eq!(shown["searches"][0]["value"], shown["searches"][1]["value"]);
    let page = fs::read_to_string(folder.path().join("show.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("mtdf+id+trans=50+two and ybw"));
    for figure in ["2", "4", "6"] {
        document(&format!("show --figure {figure} --out {out}"));
        let page = fs::read_to_string(folder.path().join("show.html")).unwrap();
        assert!(page.contains(&format!("Marsland, figure {figure}")));
    }
}

#[test]
fn bad_arguments_list_the_choices() {
    let cases: &[(&str, &[&str])] = &[
        ("run alphabetical", &["alphabetical", "alphabeta", "negascout", "mtdf"]),
        ("run alphabeta+wings", &["wings", "killers", "trans"]),
        ("run alphabeta+trans=lots", &["trans=lots"]),
        ("compare alphabeta --tree oak", &["oak", "chess, connect4, drawn, uniform"]),
        ("compare alphabeta --tree uniform --width 0", &["width 0", "1 and 1000"]),
        ("compare alphabeta --depth 0", &["depth 0", "1 to 64"]),
        ("compare alphabeta --depth 65", &["depth 65", "1 to 64"]),
        ("run minimax --tree uniform --width 30 --depth 10", &["the full tree", "leaves"]),
        ("run alphabeta --tree uniform --width 30 --depth 30", &["even the minimal tree", "leaves"]),
        ("run sss --depth 9", &["memory", "mtdf+trans=ENTRIES"]),
        ("run alphabeta --tree ordered:101", &["101", "0 and 100"]),
        ("run alphabeta --count 0", &["at least one"]),
        ("run alphabeta --tree connect4 -p 9", &["column"]),
        ("run alphabeta -p nonsense", &["FEN"]),
        ("parallel dts", &["dts", "tree-splitting, mandatory-first, pv-splitting, ybw, abdada, lazy"]),
        ("parallel ybw --processors 0", &["--processors", "1..=1024"]),
        ("figure8 --depth 13", &["13", "1..=12"]),
        ("claims --systems 25", &["25", "1..=24"]),
        ("figure8 --from 5 -d 3", &["--from 5", "--depth 3"]),
        ("figure8 --from 7", &["--from 7", "--depth 6"]),
        ("run alphabeta -n 100000", &["100000 chess positions", "24"]),
        ("compare alphabeta --width 3", &["--width", "chess"]),
        ("compare alphabeta --tree uniform -p 44", &["--position", "synthetic trees"]),
        ("compare alphabeta --tree connect4 -p 44 -n 3", &["--count", "one tree of your own"]),
        ("run pvs+marginal-plies=2", &["marginal=MARGIN before it"]),
        ("figure8 --out /dev/null/x --depth 2 --limit 1", &["/dev/null/x"]),
        ("show alphabetical --out .", &["alphabetical", "negascout", "tree-splitting"]),
        ("show alphabeta", &["--out"]),
        ("show --out .", &["SEARCH"]),
        ("show alphabeta,pvs,mtdf --tree drawn --out .", &["3 searches", "two side by side"]),
        ("show minimax --tree uniform -w 10 -d 6 --out .", &["minimax", "20000 nodes"]),
        ("show alphabeta --count 2 --out .", &["--count"]),
        ("show --figure 8 --out .", &["2, 4, 6"]),
        ("show --figure 2 -P 8 --out .", &["--figure", "--processors"]),
        ("compare alphabeta --tree drawn -p (1) -d 2", &["depth 2", "1 ply"]),
        ("dance", &["dance"]),
    ];
    for (arguments, named) in cases {
        let output = lab(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments}: {}: {errors}", output.status);
        assert!(!errors.contains("panicked"), "{arguments}: {errors}");
        for word in *named {
            assert!(errors.contains(word), "{arguments} should name {word}: {errors}");
        }
    }
}
