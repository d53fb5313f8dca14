//! Our own checker of engines, on ours and on programs that are none. The latter are scripts and commands of
//! Unix.

use assert_cmd::Command;
use serde_json::Value;

fn check(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = Command::new(tests::firstborn())
        .args(["conformance", "--json"])
        .args(arguments)
        .timeout(tests::PATIENCE * 20)
        .output()
        .expect("it has just been built");
    let text = String::from_utf8(output.stdout).expect("the report is text");
    let document = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (document, output.status.code())
}

/// What an answer that comes too late takes on a machine with other work, in milliseconds: more than the rules allow,
/// which is half a second at least.
const LATE: std::ops::RangeInclusive<u64> = 500..=20_000;

/// Was all that was wrong that an answer came late? What was seen names the milliseconds that it took.
fn is_late(seen: &str) -> bool {
    let took =
        seen.split_once(" ms").and_then(|(before, _)| before.split(' ').next_back()?.parse::<u64>().ok());
    took.is_some_and(|took| LATE.contains(&took))
}

#[test]
fn only_answers_that_are_late_are_forgiven() {
    for seen in ["1200 ms of 300", "bestmove e2e4 after 1500 ms", "at most 700 ms", "pong after 20000 ms"] {
        assert!(is_late(seen), "{seen}");
    }
    for seen in
        ["0 ms of 300", "99 ms of 300", "move e2e4 after 3600000 ms", "it says: at most ms", "no pong"]
    {
        assert!(!is_late(seen), "{seen}");
    }
}

/// The rule about what ours does not offer: xboard 4.9.1 rejects the feature.
const NOT_OFFERED: &str = "setscore is taken";

/// Every rule must be kept, those about things not offered included: ours offers them all, but for one. Where all
/// that is wrong is that an answer came late, that may be the machine's load: only the tool minds.
fn firstborn_keeps(proto: &str, least: usize) {
    let (document, _) = check(&["--proto", proto, "--patience", "60"]);
    let rules = document["rules"].as_array().expect("a list");
    let broken: Vec<&Value> = rules
        .iter()
        .filter(|rule| rule["passed"] != true)
        .filter(|rule| !(rule["rule"] == NOT_OFFERED && rule["passed"].is_null()))
        .filter(|rule| !rule["seen"].as_str().is_some_and(is_late))
        .collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(rules.len() >= least, "only {} rules", rules.len());
}

#[test]
fn firstborn_keeps_the_rules_of_uci() {
    firstborn_keeps("uci", 55);
}

#[test]
fn firstborn_keeps_the_rules_of_xboard() {
    firstborn_keeps("xboard", 80);
}

/// The report is whole and says no to everything, soon, whatever the program does.
#[test]
#[cfg(unix)]
fn programs_that_are_no_engines_break_every_rule() {
    for command in ["true", "cat", "sleep 600"] {
        let (document, code) = check(&["--cmd", command, "--proto", "uci", "--patience", "1"]);
        let rules = document["rules"].as_array().expect("a list");
        assert!(rules.iter().all(|rule| rule["passed"] == false), "{command}");
        let seen: Vec<&str> = rules.iter().filter_map(|rule| rule["seen"].as_str()).collect();
        assert_eq!(seen.len(), rules.len());
        assert!(seen.iter().all(|seen| !seen.is_empty()));
        // Asked once, and then not again at every rule.
        assert_eq!(
            seen.iter().filter(|seen| !seen.starts_with("not tried")).count(),
            1,
            "{command}: {seen:?}"
        );
        assert_eq!(code, Some(1), "{command}");
    }
}

/// Why there is nothing to check.
#[test]
#[cfg(unix)]
fn a_program_that_cannot_be_checked_is_told_why() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let plain = file.path().display().to_string();
    for (arguments, says) in [
        (["--cmd", "/no/such/program"].as_slice(), "there is no program `/no/such/program`"),
        (&["--cmd", "/no/such/program", "--proto", "uci"], "there is no program `/no/such/program`"),
        (&["--cmd", "no-such-program-anywhere"], "no program `no-such-program-anywhere` in PATH"),
        (&["--cmd", "/"], "is a folder"),
        (&["--cmd", &plain], "has no x bit"),
        (&["--cmd", "cat", "--dir", "/no/such/folder"], "--dir /no/such/folder: there is no such folder"),
        (&["--cmd", "false"], "exit status: 1"),
        (&["--cmd", "sh /no/such/script"], "/no/such/script"),
    ] {
        let output = Command::new(tests::firstborn())
            .arg("conformance")
            .args(arguments)
            .timeout(tests::PATIENCE)
            .output()
            .expect("it has just been built");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(says), "{arguments:?}: {text}");
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
    }
}

/// Ctrl-C ends the check of both protocols after the rule that is being tried; all others count as left out.
#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_check_of_both_protocols() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let mut child = Command::new(tests::firstborn())
        .arg("conformance")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it has just been built");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    assert!(output.read_line(&mut text).expect("a line") > 0 && text.starts_with("uci "), "{text}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
    output.read_to_string(&mut text).expect("lines");
    let mut errors = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut errors).expect("lines");
    assert_eq!(child.wait().expect("its end").code(), Some(130), "{text}{errors}");
    assert!(!text.lines().any(|line| line.starts_with("xboard")), "{text}");
    let number = |rest: &str| rest.split(' ').next().and_then(|word| word.parse::<usize>().ok());
    let left_out = errors.split_once("stopped, ").and_then(|(_, rest)| number(rest)).expect("a count");
    let tried = text.lines().filter(|line| line.starts_with("uci ")).count();
    // Of the rules of UCI and xboard there are so many at least.
    assert!(tried + left_out >= 55 + 80, "{tried} tried, {left_out} left out");
}

/// An engine that greets and then answers nonsense: broken rules are told from kept ones.
#[test]
#[cfg(unix)]
fn a_bad_engine_is_found_out() {
    use std::io::Write;
    let mut script = tempfile::NamedTempFile::new().expect("a temporary file");
    let text = "\
while read word rest; do
  case $word in
    uci) echo 'id name Bad'; echo 'id author nobody'
         echo 'option name Hash type spin default 16 min 32 max 64'; echo uciok ;;
    isready) echo readyok ;;
    go) echo 'info depth 1 score cp 1.5 nodes 20 pv e2e5'; echo 'bestmove e2e5' ;;
    quit) exit 3 ;;
  esac
done
exit 0
";
    script.write_all(text.as_bytes()).expect("a temporary file can be written");
    let command = format!("sh '{}'", script.path().display());
    let (document, code) = check(&["--cmd", &command, "--proto", "uci", "--patience", "1"]);
    let passed = |start: &str| {
        let rules = document["rules"].as_array().expect("a list");
        let rule =
            rules.iter().find(|rule| rule["rule"].as_str().is_some_and(|text| text.starts_with(start)));
        rule.unwrap_or_else(|| panic!("no rule {start}"))["passed"].clone()
    };
    for kept in ["uci is answered", "isready is answered by", "quit ends it", "the end of its input ends it"]
    {
        assert_eq!(passed(kept), true, "{kept}");
    }
    for broken in
        ["options are well formed", "Hash and Threads", "go depth", "numbers in info", "bestmove is"]
    {
        assert_eq!(passed(broken), false, "{broken}");
    }
    assert_eq!(passed("UCI_ShowWDL: three"), Value::Null);
    assert_eq!(code, Some(1));
    // Counted apart, by level.
    let count = |level: &str| {
        let rules = document["rules"].as_array().expect("a list");
        rules.iter().filter(|rule| rule["passed"] == false && rule["level"] == level).count()
    };
    assert_eq!([&document["broken"], &document["wanted_broken"]], [count("must"), count("wanted")]);
    assert!(count("must") > 0 && count("wanted") > 0, "{document}");
}
