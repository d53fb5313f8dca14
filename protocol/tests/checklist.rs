//! The checklist of docs/protocol-checklist.md names tests and rules that exist, and at least one for each
//! line.

use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every source of the rules, in one text; a quotation mark inside a rule is written as in the page.
fn rules(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("the rules are there") {
        let path = entry.expect("a readable folder").path();
        text += &if path.is_dir() { rules(&path) } else { read(&path) };
    }
    text
}

/// What stands between a pair of marks, again and again; a mark after a backslash is none.
fn between(text: &str, mark: char) -> Vec<String> {
    let hidden = text.replace(&format!("\\{mark}"), "\u{1}");
    let parts: Vec<&str> = hidden.split(mark).collect();
    assert!(parts.len() % 2 == 1, "unpaired marks: {text}");
    parts.iter().skip(1).step_by(2).map(|part| part.replace('\u{1}', &format!("\\{mark}"))).collect()
}

/// Is this test, `file::name` or `room/file::name`, there?
fn exists(test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let (room, file) = file.split_once('/').unwrap_or(("protocol", file));
    let source = read(&workspace().join(room).join("tests").join(format!("{file}.rs")));
    source.contains(&format!("fn {name}("))
}

#[test]
fn every_line_names_tests_that_exist() {
    let page = read(&workspace().join("docs/protocol-checklist.md"));
    let rules = rules(&workspace().join("protocol/src/conformance"));
    let mut lines = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| line ")) {
        let columns: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [line, tests] = columns[..] else { panic!("two columns are wanted: {row}") };
        let quoted = between(tests, '"');
        let named = between(&tests.replace('"', ""), '`');
        assert!(!quoted.is_empty() || !named.is_empty(), "no test: {line}");
        for test in named {
            assert!(exists(&test), "no test {test}: {line}");
        }
        for rule in quoted {
            assert!(rules.contains(&format!("\"{rule}\"")), "no rule {rule:?}: {line}");
        }
        lines += 1;
    }
    assert!(lines > 80, "only {lines} lines");
}
