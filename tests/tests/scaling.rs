//! `firstborn scaling` as a shell uses it: documents, files, comparisons, and messages that name what is wrong.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn scaling(arguments: &[&str]) -> Command {
    let mut command = Command::new(tests::firstborn());
    // The one thing that would differ between two runs of one command is the date.
    command.arg("scaling").args(arguments).env("FIRSTBORN_DATE", "0");
    command
}

fn output(arguments: &[&str]) -> String {
    let assert = scaling(arguments).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let assert = scaling(arguments).assert().failure();
    let output = assert.get_output();
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {}: {errors}", output.status);
    assert!(!errors.contains("panicked") && output.stdout.is_empty(), "{errors}");
    errors
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A small study: two schemes, three positions, the first of which is solved at once.
const SMALL: &[&str] =
    &["--schemes", "ybw,lazy", "--limit", "3", "--depth", "6", "--hash", "4", "--no-signature"];
/// A mate in three.
const SOLVED: &str = "BK.01";

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().chain(more).copied().collect()
}

/// Rows, samples and the identity, worked out here once more from the raw samples.
fn check_document(document: &Value, clock: &str, threads: &[u64], repeats: u64) {
    for key in ["schema", "version", "machine", "command", "rows", "samples", "fits"] {
        assert!(!document[key].is_null(), "no {key} in {document}");
    }
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1 + 2 * threads.len());
    let samples = document["samples"].as_array().unwrap();
    assert_eq!(samples.len() as u64, 3 * repeats * rows.len() as u64);
    assert_eq!(document["left_out"], serde_json::json!([SOLVED]));
    let samples: Vec<&Value> = samples.iter().filter(|sample| sample["position"] != SOLVED).collect();
    let sum = |value: &Value| value.as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).sum::<f64>();
    for row in rows {
        assert_eq!(row["clock"], clock);
        let of = |scheme: &Value, threads: &Value| -> Vec<&Value> {
            samples.iter().copied().filter(|s| (&s["scheme"], &s["threads"]) == (scheme, threads)).collect()
        };
        let (alone, team) = (of(&"serial".into(), &1.into()), of(&row["scheme"], &row["threads"]));
        let (mut speedup, mut work) = (0.0, 0.0);
        for sample in &team {
            let twin =
                |base: &&&Value| base["position"] == sample["position"] && base["repeat"] == sample["repeat"];
            let base = alone.iter().find(twin).expect("one thread searches all that is searched");
            speedup += (number(base, "time_ns") / number(sample, "time_ns")).ln();
            work += (sum(&sample["nodes"]) / sum(&base["nodes"])).ln();
            // Who searches further ahead may be the first to come so deep.
            assert!(sample["depth"].as_u64() >= Some(6), "{sample}");
        }
        // Every position has as many repeats, so the mean of all is the mean of the positions' means.
        let n = team.len() as f64;
        assert!((number(row, "speedup") / (speedup / n).exp() - 1.0).abs() < 1e-9, "{row}");
        assert!((number(row, "overhead") + 1.0 - (work / n).exp()).abs() < 1e-9, "{row}");
        assert!(number(row, "speedup_low") < number(row, "speedup") + 1e-9, "{row}");
        assert!(number(row, "speedup_high") > number(row, "speedup") - 1e-9, "{row}");
        let product = number(row, "threads") * number(row, "load") * number(row, "rate");
        let identity = product / (1.0 + number(row, "overhead")) / number(row, "speedup");
        assert!((identity - 1.0).abs() < 1e-6, "{row}");
        assert_eq!((row["positions"].as_u64(), row["repeats"].as_u64()), (Some(2), Some(repeats)));
        assert!(number(row, "nps_ratio") > 0.0 && (0.0..=1.0).contains(&number(row, "load")), "{row}");
    }
}

#[test]
fn help_names_the_options() {
    let help = output(&["--help"]);
    let options = "--schemes --threads --clock --positions --limit --depth --depths --movetime --repeats --hash --seed \
                   --costs --load --pilot --trace --against --from --out --no-signature \
                   --without-lines --eval --eval-file --machines --latency --bandwidth --message-cost \
                   --no-exchange --json";
    for option in options.split_whitespace() {
        assert!(help.contains(option), "{option} is missing in {help}");
    }
}

#[test]
fn the_virtual_clock_prints_the_same_document_twice() {
    let arguments = small(&["--clock", "virtual", "--threads", "2,5", "--repeats", "2", "--json"]);
    let first = output(&arguments);
    assert_eq!(first, output(&arguments));
    assert_eq!(first.trim_end().lines().count(), 1);
    let document: Value = serde_json::from_str(&first).unwrap();
    check_document(&document, "virtual", &[2, 5], 2);
    // The repeat is jittered: another time, for one thread even the same nodes.
    let alone: Vec<&Value> = document["samples"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|s| s["scheme"] == "serial" && s["position"] == "BK.02")
        .collect();
    assert_eq!(alone[0]["nodes"], alone[1]["nodes"]);
    assert_ne!(alone[0]["time_ns"], alone[1]["time_ns"]);
}

/// Each team is measured with cache lines and without, and both are in one report.
#[test]
fn lines_are_counted_and_can_be_left_out() {
    let base = ["--clock", "virtual", "--threads", "2", "--costs", "line=10000", "--without-lines"];
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = output(&small(&[&base[..], &["--json", "--out", &out("")]].concat()));
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(document["command"].as_str().unwrap().ends_with("--without-lines"), "{text}");
    let rows = document["rows"].as_array().unwrap();
    let sum = |row: &Value, what: &str| -> u64 {
        row["traffic"][what].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!((sum(&rows[0], "lines"), sum(&rows[0], "line_ns")), (0, 0), "one thread shares nothing");
    assert!(sum(&rows[1], "lines") > 0 && sum(&rows[1], "line_ns") > 0, "{}", rows[1]);
    let beside = &document["against"].as_array().unwrap()[0];
    assert!(number(beside, "speedup") < number(beside, "speedup_against"), "{beside}");
    let files = [out("scaling.json"), out("without-lines.json")];
    let again = output(&["--from", &files[0], "--against", &files[1], "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["against"], document["against"]);
    assert_eq!(again["against_differs"], document["against_differs"]);
    let table = output(&small(&base));
    assert!(table.contains("Cache lines") && table.contains("histories"), "{table}");
}

/// Clusters stand beside single machines: the same rows, each with all its threads, and what was exchanged.
#[test]
fn simulated_clusters_are_measured_beside_single_machines() {
    let folder = tempfile::tempdir().unwrap();
    let base =
        ["--clock", "virtual", "--schemes", "lazy,serial", "--limit", "2", "--depth", "11", "--hash", "4"];
    // Nodes take so long that a small tree lasts for many batches of entries.
    let cluster =
        ["--no-signature", "--threads", "2", "--machines", "1,3", "--latency", "20", "--costs", "node=9000"];
    fn study<'a>(parts: [&[&'a str]; 3]) -> Vec<&'a str> {
        parts.concat()
    }
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [with, without] = [out("with"), out("without")];
    let text_of = |arguments: &[&str]| (output(arguments), output(arguments));
    let (first, again) = text_of(&study([&base, &cluster, &["--json", "--bandwidth", "0", "--out", &with]]));
    assert_eq!(first, again);
    let document: Value = serde_json::from_str(&first).unwrap();
    let command = document["command"].as_str().unwrap();
    assert!(command.ends_with("--machines 1,3 --latency 20 --bandwidth 0 --message-cost 1000"), "{command}");
    assert_eq!(document["cluster"]["exchange"], true);
    let teams: Vec<Value> = document["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| serde_json::json!([row["scheme"], row["machines"], row["threads"]]))
        .collect();
    let wanted = serde_json::json!([["serial", 1, 1], ["serial", 3, 1], ["lazy", 1, 2], ["lazy", 3, 2]]);
    assert_eq!(Value::Array(teams), wanted);
    for row in document["rows"].as_array().unwrap() {
        let threads = number(row, "machines") * number(row, "threads");
        let product = threads * number(row, "load") * number(row, "rate");
        assert!(
            (product / (1.0 + number(row, "overhead")) / number(row, "speedup") - 1.0).abs() < 1e-6,
            "{row}"
        );
        let exchanged = &row["exchanged"];
        assert_eq!(exchanged.is_null(), row["machines"] == 1, "{row}");
        assert!(
            exchanged.is_null() || number(exchanged, "received") > 0.0 && number(exchanged, "probed") > 0.0,
            "{row}"
        );
    }
    let sample =
        document["samples"].as_array().unwrap().iter().find(|sample| sample["machines"] == 3).unwrap();
    assert_eq!(sample["ranks"].as_array().unwrap().len(), 3);
    for key in ["nodes", "sent", "dropped", "received", "probed", "cut", "bytes", "talking_ns"] {
        assert!(sample["ranks"][1][key].is_u64(), "{key}: {sample}");
    }
    let page = text(&Path::new(&with).join("scaling.html"));
    assert!(page.contains("lazy, machines of 2") && page.contains("latency 20 us"), "no cluster on the page");

    let alone = output(&study([&base, &cluster, &["--no-exchange", "--bandwidth", "0", "--out", &without]]));
    assert!(alone.contains("no exchange of table entries") && alone.contains("talking %"), "{alone}");
    let [with, without] = [with, without].map(|folder| format!("{folder}/scaling.json"));
    let compared: Value =
        serde_json::from_str(&output(&["--from", &with, "--against", &without, "--json"])).unwrap();
    assert_eq!(compared["against"].as_array().map(Vec::len), Some(3), "{compared}");
    let differs = compared["against_differs"].as_array().unwrap();
    assert!(differs.iter().any(|other| other["what"] == "table entries exchanged"), "{compared}");
}

#[test]
fn dearer_nodes_take_longer() {
    let seconds = |costs: &str| {
        let text = output(&small(&["--clock", "virtual", "--threads", "2", "--costs", costs, "--json"]));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["command"].as_str().unwrap().contains("--costs"), costs != "node=240", "{text}");
        document["rows"][0]["seconds"].as_f64().unwrap()
    };
    // One thread pays for nodes and probes only, with the same jitter.
    let ratio = seconds("node=480,probe=200") / seconds("node=240");
    assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
}

#[test]
fn real_threads_are_measured_and_written_to_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/study");
    let arguments = small(&["--threads", "2", "--load", "--out", out.to_str().unwrap(), "--trace", "BK.02"]);
    let table = output(&arguments);
    assert!(table.contains("ybw") && table.contains("overhead"), "{table}");
    let document: Value = serde_json::from_str(&text(&out.join("scaling.json"))).unwrap();
    check_document(&document, "real", &[2], 1);
    assert!(document["command"].as_str().unwrap().contains("--load"), "{document}");
    for (name, lines) in [("scaling.csv", 1 + 3), ("samples.csv", 1 + 9)] {
        let csv = text(&out.join(name));
        assert_eq!(csv.lines().filter(|line| !line.starts_with('#')).count(), lines, "{csv}");
        assert!(csv.contains(&format!("\n# left out of the rows: {SOLVED}\n")), "{csv}");
    }
    let page = text(&out.join("scaling.html"));
    // Three charts, and a strip for serial, ybw and lazy.
    assert_eq!(page.matches("<figure").count(), 6);
    assert!(
        page.replace("http://www.w3.org/2000/svg", "").matches("http").count() == 0,
        "not self-contained"
    );
    for picture in ["speedup.svg", "overhead.svg", "idle.svg", "trace-3.svg"] {
        assert!(text(&out.join(picture)).starts_with("<svg"), "{picture}");
    }

    // The same result again from its file, and against itself.
    let result = out.join("scaling.json");
    let result = result.to_str().unwrap();
    let again: Value =
        serde_json::from_str(&output(&["--from", result, "--against", result, "--json"])).unwrap();
    assert_eq!(again["rows"], document["rows"]);
    let compared = again["against"].as_array().unwrap();
    assert_eq!(compared.len(), 2);
    assert!(compared.iter().all(|row| row["ratio"].as_f64() == Some(1.0)), "{compared:?}");
}

#[test]
fn the_pilots_depths_are_searched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let printed =
        output(&["--pilot", "0.2", "--positions", "self-play", "--limit", "2", "--hash", "4", "--out", out]);
    let depths = folder.path().join("depths.epd");
    assert_eq!(printed, text(&depths));
    let wanted: Vec<u64> = printed
        .lines()
        .map(|line| line.split("acd ").nth(1).unwrap().split(';').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(wanted.len(), 2);
    let arguments = ["--clock", "virtual", "--schemes", "serial", "--no-signature", "--limit", "2", "--json"];
    let with = |more: &[&str]| {
        let all = [&arguments, more].concat();
        let document: Value = serde_json::from_str(&output(&all)).unwrap();
        let depth = |sample: &Value| sample["depth"].as_u64().unwrap();
        document["samples"].as_array().unwrap().iter().map(depth).collect::<Vec<_>>()
    };
    let depths = depths.to_str().unwrap();
    assert_eq!(with(&["--positions", "self-play", "--depths", depths]), wanted);
    assert_eq!(with(&["--positions", depths]), wanted);
    // Who is not in the file is left out.
    let first = folder.path().join("first.epd");
    std::fs::write(&first, printed.lines().next().unwrap()).unwrap();
    let first = first.to_str().unwrap();
    assert_eq!(with(&["--positions", "self-play", "--depths", first]), wanted[..1]);
}

#[test]
fn a_limit_of_time_is_compared_at_a_depth_that_both_reached() {
    for clock in ["real", "virtual"] {
        let arguments = [
            "--clock",
            clock,
            "--schemes",
            "lazy",
            "--threads",
            "2",
            "--limit",
            "2",
            "--movetime",
            "20",
            "--hash",
            "4",
            "--no-signature",
            "--json",
        ];
        let document: Value = serde_json::from_str(&output(&arguments)).unwrap();
        let depths = |sample: &Value| -> BTreeSet<u64> {
            sample["iterations"].as_array().unwrap().iter().map(|i| i["depth"].as_u64().unwrap()).collect()
        };
        let at = |sample: &Value, depth: u64| {
            let mut iterations = sample["iterations"].as_array().unwrap().iter();
            iterations.find(|i| i["depth"] == depth).unwrap()["time_ns"].as_f64().unwrap()
        };
        // The first position is solved at once.
        let samples = document["samples"].as_array().unwrap();
        let samples: Vec<&Value> = samples.iter().filter(|sample| sample["position"] != SOLVED).collect();
        let (alone, team) = match samples[0]["scheme"] == "serial" {
            true => (samples[0], samples[1]),
            false => (samples[1], samples[0]),
        };
        // A team may skip depths.
        let common = *depths(alone).intersection(&depths(team)).last().unwrap();
        let speedup = document["rows"][1]["speedup"].as_f64().unwrap();
        let wanted = at(alone, common) / at(team, common);
        assert!((speedup / wanted - 1.0).abs() < 1e-9, "{clock}: {speedup} {wanted}");
    }
}

/// Ctrl-C: what has been measured is reported, the exit code says that it is not all. Of nothing no file is made. Two
/// signals at once, as `timeout` sends them, do not count as the second Ctrl-C. No search has an end of its own here, a
/// simulated one neither.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_study_reports_what_it_has() {
    for clock in ["--clock=real", "--clock=virtual", "--clock=virtual --machines=2"] {
        let folder = tempfile::tempdir().unwrap();
        let child = std::process::Command::new(tests::firstborn())
            .args(["scaling", "--schemes", "lazy", "--threads", "2", "--depth", "60", "--hash", "4"])
            .args(["--no-signature", "--json", "--out", folder.path().to_str().unwrap()])
            .args(clock.split(' '))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // It searches once the threads are there; before that the signal would end it unheard.
        let tasks = format!("/proc/{}/task", child.id());
        tests::wait_until("it searches", || std::fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() >= 4));
        let id = child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-INT", &id, &id]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{clock}: {errors}");
        assert!(
            errors.contains("stopped after 0 of ") && errors.contains("no file is written"),
            "{clock}: {errors}"
        );
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["samples"].as_array().map(Vec::len), Some(0), "{clock}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{clock}");
    }
}

/// The stacks of 128 threads, 32 MiB each, do not fit into 3 GiB of addresses: the searches before are reported and
/// written all the same.
#[test]
#[cfg(target_os = "linux")]
fn a_study_that_runs_out_of_memory_reports_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    // One simulation of a cluster at a time.
    let words = "scaling --clock virtual --schemes lazy --threads 128 --machines 1,2 --positions self-play \
                 --limit 1 --depth 3 --hash 4 --no-signature --json --out";
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 3145728; exec \"$0\" \"$@\""])
        .arg(tests::firstborn())
        .args(words.split(' '))
        .arg(folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("stopped after 1 of 3 searches"), "{errors}");
    assert!(errors.contains("no memory for the stack of simulated worker "), "{errors}");
    for document in [String::from_utf8(output.stdout).unwrap(), text(&folder.path().join("scaling.json"))] {
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["samples"].as_array().map(Vec::len), Some(1), "{document}");
        assert_eq!(document["samples"][0]["scheme"], "serial");
    }
    assert!(text(&folder.path().join("samples.csv")).contains("# note: STOPPED after 1 of 3 searches"));
}

#[test]
fn what_is_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let bad = file("bad.epd", "8/8/4k3/3p4/3P4/4K3/8/8 w - - id \"good\";\nnonsense\n");
    let over = file("over.epd", "7k/5K2/6Q1/8/8/8/8/8 b - - ;\n");
    let deep = file("deep.epd", "8/8/4k3/3p4/3P4/4K3/8/8 w - - acd 0;\n");
    let none = file("none.epd", "# nothing\n");
    let other = file("other.epd", "8/8/4k3/3p4/3P4/4K3/8/8 w - - acd 3;\n");
    let json = file("result.json", "{\"schema\":1}");
    let future = file("future.json", "{\"schema\":99}");
    let blocked = format!("{other}/below");
    let cases: &[(&[&str], &[&str])] = &[
        (&["--schemes", "lazy,quantum"], &["quantum", "serial, lazy, ybw"]),
        (&["--clock", "sundial"], &["sundial", "real, virtual"]),
        (&["--threads", "2,0"], &["--threads"]),
        (&["--positions", "no-such-set"], &["no-such-set", "bratko-kopec", "study48"]),
        (&["--positions", &bad], &[&format!("{bad}:2")]),
        (&["--positions", &over], &[&format!("{over}:1"), "no legal move"]),
        (&["--positions", &deep], &[&format!("{deep}:1"), "acd"]),
        (&["--positions", &none], &[&none]),
        (&["--depths", &other], &[&other, "BK.01"]),
        (&["--depth", "9", "--movetime", "5"], &["--movetime"]),
        (&["--depth", "0"], &["--depth"]),
        (&["--repeats", "0"], &["--repeats"]),
        (&["--hash", "99999999999999", "--no-signature"], &["99999999999999"]),
        (&["--against", "/no/such/file.json"], &["/no/such/file.json"]),
        (&["--against", &json], &[&json, "is not a scaling result"]),
        (&["--from", &future], &[&future, "99"]),
        (&["--out", &blocked], &[&blocked]),
        (&["--trace", "BK.99", "--out", folder.path().to_str().unwrap()], &["BK.99", "BK.01"]),
        (&["--trace", "BK.01"], &["--out"]),
        (&["--pilot", "-1"], &["--pilot"]),
        (&["--pilot", "1", "--clock", "virtual"], &["--pilot"]),
        (&["--clock", "virtual", "--load"], &["--load"]),
        (&["--clock", "virtual", "--costs", "nap=1"], &["nap=1", "wake"]),
        (&["--costs", "wake=1"], &["--costs", "virtual"]),
        (&["--machines", "2"], &["--machines", "--clock virtual", "mpirun"]),
        (&["--machines", "0", "--clock", "virtual"], &["--machines"]),
        (&["--machines", "65", "--threads", "16", "--clock", "virtual"], &["1040 threads", "1024"]),
        (&["--latency", "5", "--clock", "virtual"], &["--machines"]),
        (&["--no-exchange", "--clock", "virtual"], &["--machines"]),
        (&["--machines", "2", "--latency", "10000001", "--clock", "virtual"], &["--latency"]),
        (&["--without-lines"], &["--without-lines", "virtual"]),
    ];
    for (arguments, named) in cases {
        let errors = refusal(arguments);
        for word in *named {
            assert!(errors.contains(word), "{arguments:?} should name {word}: {errors}");
        }
    }
}
