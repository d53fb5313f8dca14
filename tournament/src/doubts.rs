//! Whether a player plays as its options say. An engine that cannot read the network it is given, say, often goes on
//! with another and says so in a line that people do not see; its games would be taken for those of that network.
//!
//! Many engines chat when they are set up, so words about a failure are told and stop nothing. Only Firstborn's own,
//! which in that place are nothing but complaints, and those by which an engine denies an option that it was sent,
//! keep a player from playing.

use std::path::Path;

use client::EngineConfig;

use crate::identity::{existing, is_written, parts};
use crate::keys::truth;

/// Complaints that are told of one engine at most.
const TOLD: usize = 5;

/// The options that lead to no file or folder and look as if they should, in words, with every part of a list that is
/// missing. `default_of`: the value that an option has unasked, which may be within the program.
pub(crate) fn lead_nowhere(
    engine: &EngineConfig,
    default_of: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let is_missing = |value: &str| existing(engine, value, Path::exists).is_none();
    let folder = engine.dir.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let mut found = Vec::new();
    for (name, value) in &engine.options {
        let is_usual = default_of(name).is_some_and(|default| default == *value);
        let is_output = is_written(name, Path::new(value));
        if !names_files(name, value) || is_usual || is_output || !is_missing(value) {
            continue;
        }
        found.extend(parts(value).filter(|part| is_missing(part)).map(|part| {
            let seen_from = folder.display();
            format!("option.{name}={value}: `{part}` is not there, seen from {seen_from}, where it runs")
        }));
    }
    found
}

/// Whether a value looks like files or folders: by the name of its option, or by itself.
fn names_files(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase().replace("profile", "");
    let is_named = name.contains("file") || name.contains("path");
    let is_word = value.parse::<f64>().is_ok() || truth(value).is_ok();
    let is_path = Path::new(value).is_absolute()
        || ["./", "../", "~"].iter().any(|beginning| value.starts_with(beginning));
    // `<empty>` is UCI's word; others are the like of `<internal>`.
    let is_nothing = value.trim().is_empty()
        || value.eq_ignore_ascii_case("none")
        || value.starts_with('<') && value.ends_with('>');
    // The path of a Windows program that runs under Wine.
    let is_of_other_system = !cfg!(windows) && value.contains('\\');
    !is_nothing && !is_of_other_system && (is_path || is_named && !is_word)
}

/// The words by which an engine says that it has not done what an option asks, if it does. `said`: what it has said
/// to its options; `name`: what it calls itself.
pub(crate) fn refusal<'a>(said: &'a [String], name: Option<&str>, engine: &EngineConfig) -> Option<&'a str> {
    let is_own = name.is_some_and(|name| name == "Firstborn" || name.starts_with("Firstborn "));
    said.iter().map(|line| line.trim()).find(|line| {
        // Another runner's command line may have options, and lines to send, that an engine does not know.
        let is_unknown = ["no such option", "unknown command"].iter().any(|words| line.contains(words));
        if is_own {
            let complains =
                ["info string ", "# ", "Error "].iter().any(|beginning| line.starts_with(beginning));
            complains && !(engine.lenient && is_unknown)
        } else {
            !engine.lenient && denies(line, engine)
        }
    })
}

/// Whether this is `No such option: NAME`, as UCI engines have it, or `Error (...): option NAME`, as those of xboard's
/// protocol do, of an option that the engine was sent.
fn denies(line: &str, engine: &EngineConfig) -> bool {
    let line = line.strip_prefix("info string ").unwrap_or(line).to_ascii_lowercase();
    let denied = match line.strip_prefix("no such option") {
        Some(rest) => rest.trim_start_matches([':', ' ']),
        None if line.starts_with("error (") => line.split_once("): option ").map_or("", |(_, rest)| rest),
        None => return false,
    };
    engine.options.iter().any(|(name, _)| denied.starts_with(&name.to_ascii_lowercase()))
}

/// The words of an engine about a failure, the first few.
pub(crate) fn complaints(said: &[String]) -> impl Iterator<Item = &str> {
    said.iter().map(|line| line.trim()).filter(|line| tells_of_failure(line)).take(TOLD)
}

/// Whether a line speaks of something that went wrong.
fn tells_of_failure(line: &str) -> bool {
    const PHRASES: [&str; 4] = ["could not", "no such", "not found", "unknown command"];
    const WORDS: [&str; 8] =
        ["can't", "cannot", "couldn't", "error", "errors", "invalid", "missing", "unable"];
    let line = line.to_ascii_lowercase();
    // An engine that does not know xboard's answers to its features.
    let is_about_greeting = ["): accepted", "): rejected"].iter().any(|words| line.contains(words));
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'');
    let fails = words.any(|word| WORDS.contains(&word) || word.starts_with("fail"));
    !is_about_greeting && (fails || PHRASES.iter().any(|phrase| line.contains(phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(dir: &Path, options: &[(&str, &str)]) -> EngineConfig {
        EngineConfig {
            dir: Some(dir.to_owned()),
            options: options.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            ..EngineConfig::new("/no/such/program")
        }
    }

    #[test]
    fn what_leads_nowhere_is_named_part_by_part() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.net"), "").unwrap();
        std::fs::create_dir(dir.path().join("tables")).unwrap();
        let found = |name: &str, value: &str| {
            lead_nowhere(&engine(dir.path(), &[(name, value)]), |_| Some("nn.net".to_owned()))
        };
        for (name, value) in [
            ("EvalFile", "a.net"),
            ("EvalFile", "nn.net"),
            ("EvalFile", "<empty>"),
            ("BookFile", ""),
            ("SyzygyPath", "None"),
            ("SyzygyPath", "tables"),
            ("SyzygyPath", "tables;tables"),
            ("Use Book File", "true"),
            ("File Handles", "8"),
            ("Profile", "wild"),
            ("Style", "solid/wild"),
            ("Debug Log File", "new.txt"),
            ("ExperienceFile", "new.exp"),
        ] {
            assert_eq!(found(name, value), Vec::<String>::new(), "{name}={value}");
        }
        if cfg!(not(windows)) {
            assert!(found("SyzygyPath", r"Z:\tables").is_empty());
        }
        for (name, value, missing) in [
            ("EvalFile", "nonesuch.net", vec!["nonesuch.net"]),
            ("evalfile", "~/a.net", vec!["~/a.net"]),
            ("Weights", "./b.pb", vec!["./b.pb"]),
            ("SyzygyPath", "tables;gone;/no/such", vec!["gone", "/no/such"]),
        ] {
            let folder = dir.path().display();
            let told = |part: &&str| {
                format!("option.{name}={value}: `{part}` is not there, seen from {folder}, where it runs")
            };
            assert_eq!(found(name, value), missing.iter().map(told).collect::<Vec<_>>());
        }
    }

    #[test]
    fn words_about_a_failure_are_told_from_talk() {
        let said = [
            "info string NNUE evaluation using nn-37f18f62d772.nnue (6MiB, (22528, 128, 15, 32, 1)) enabled",
            "info string Found 145 WDL and 145 DTZ tablebase files (up to 5-man).",
            "info string ERROR: The network file nonesuch.net was not loaded successfully.",
            "Error (unknown command): accepted setboard",
            " failed to open book.bin\t",
            "Terror and mirrors",
            "info string Can't open tables",
            "",
        ]
        .map(str::to_owned);
        let told: Vec<&str> = complaints(&said).collect();
        assert_eq!(told, [&*said[2], "failed to open book.bin", &*said[6]]);
        let many = vec!["error".to_owned(); 100];
        assert_eq!(complaints(&many).count(), TOLD);
    }

    #[test]
    fn an_option_is_refused_by_its_name_or_by_ourselves() {
        let here = Path::new("/");
        let sent = engine(here, &[("EvalFile", "x")]);
        let refused =
            |line: &str, name, engine: &EngineConfig| refusal(&[line.into()], name, engine).is_some();
        for (line, own, other) in [
            ("info string cannot read x: No such file or directory (os error 2)", true, false),
            ("info string SyzygyPath: x: no tables there", true, false),
            ("# the book x cannot be used: it is empty: BookFile=x", true, false),
            ("Error (no such option): option EvalFile=x", true, true),
            ("Error (unknown command): accepted ping", true, false),
            ("info string unknown command: foo (try help)", true, false),
            ("Error (no such option): option Other=x", true, false),
            ("No such option: evalfile", false, true),
            ("info string no such option: EvalFile", true, true),
            ("No such option: Ponder", false, false),
            ("bestmove e2e4", false, false),
        ] {
            assert_eq!(refused(line, Some("Firstborn 1.0"), &sent), own, "{line}");
            for name in [None, Some("Firstbornish 2"), Some("Other")] {
                assert_eq!(refused(line, name, &sent), other, "{name:?}: {line}");
            }
            let lenient = EngineConfig { lenient: true, ..sent.clone() };
            assert!(!refused(line, None, &lenient), "{line}");
            let is_unknown = line.contains("no such option") || line.contains("unknown command");
            assert_eq!(refused(line, Some("Firstborn 1.0"), &lenient), own && !is_unknown, "{line}");
        }
    }
}
