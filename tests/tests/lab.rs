//! `firstborn lab` as a shell uses it: every study in every form, numbers that follow from counting, and refusals that list
//! the choices.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

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
    assert!(String::from_utf8_lossy(&lab("list --csv").stdout).lines().any(|line| line.starts_with("mtdf,")));
}

/// On perfectly ordered trees alpha-beta visits W^ceil(D/2) + W^floor(D/2) - 1 leaves (Knuth and Moore 1975), minimax W^D.
#[test]
fn comparisons_count_what_counting_says() {
    let table = document("compare minimax alphabeta pvs --tree ordered --width 4 --depth 5 --count 3");
    let rows = table["rows"].as_array().unwrap();
    let horizon: Vec<u64> = rows.iter().map(|row| row["tally"]["horizon"].as_u64().unwrap()).collect();
    assert_eq!(horizon, [3 * 4u64.pow(5), 3 * (64 + 16 - 1), 3 * (64 + 16 - 1)]);
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
    let chess = document("run pvs-r+id+trans=8000+hist --count 1 --depth 3");
    assert_eq!(chess["solutions"].as_array().unwrap().len(), 1);
    assert!(!chess["solutions"][0]["line"].as_array().unwrap().is_empty());
}

/// All parallel schemes find the serial value; one processor is no faster than one, and eight never more than eight times
/// without a table.
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
    assert_eq!(study, document("parallel --tree ordered:90 --width 8 --depth 5 --count 4 --processors 8,1"));
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
        assert!(read(&format!("{study}.csv")).starts_with("# "));
        assert!(read(&format!("{study}.html")).contains("<svg"));
        assert!(read(&format!("{study}-1.svg")).starts_with("<svg"));
    }
}

/// Every system from 1 to 23 has its row, none is skipped, and what cannot fail does not.
#[test]
fn the_claims_have_a_row_for_each_system() {
    let claims = document("claims --quick");
    let rows = claims["rows"].as_array().unwrap();
    for row in rows {
        for key in ["system", "claim", "source", "value", "verdict"] {
            assert!(row[key].as_str().is_some_and(|text| !text.is_empty()), "no {key} in {row}");
        }
    }
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
        ("run minimax --tree uniform --width 30 --depth 10", &["leaves"]),
        ("run sss --depth 9", &["memory", "mtdf+trans=ENTRIES"]),
        ("run alphabeta --tree ordered:101", &["101", "0 and 100"]),
        ("run alphabeta --count 0", &["at least one"]),
        ("run alphabeta --tree connect4 -p 9", &["column"]),
        ("run alphabeta -p nonsense", &["FEN"]),
        ("parallel dts", &["dts", "tree-splitting, mandatory-first, pv-splitting, ybw, abdada, lazy"]),
        ("parallel ybw --processors 0", &["--processors", "1..=1024"]),
        ("figure8 --depth 13", &["13", "1..=12"]),
        ("figure8 --out /dev/null/x --depth 2 --limit 1", &["/dev/null/x"]),
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
