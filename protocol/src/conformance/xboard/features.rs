//! What an engine tells of itself, and the words every session opens with.

use super::super::Level::{Must, Wanted};
use super::super::probe::{Seen, broken, verdict};
use super::Rule;
use super::{Engine, is_error, without};

pub(super) const RULES: &[Rule<Engine>] = &[
    (Wanted, "protover 2 is answered by features within two seconds, done=1 last", answers_protover),
    (Wanted, "it names itself with myname", |engine| match engine.feature("myname") {
        Some(name) => Ok(name.into()),
        None => broken("no feature myname"),
    }),
    (Wanted, "ping=1 and setboard=1, without which python-chess refuses it", |engine| {
        needs(engine, &["ping", "setboard"])
    }),
    (Wanted, "analyze=1, setboard=1, usermove=1 and myname=\" stand there in these letters (Scid)", scid),
    (Wanted, "colors=0: it wants none of the old colour words", |engine| {
        verdict(engine.feature("colors") == Some("0"), format!("colors={:?}", engine.feature("colors")))
    }),
    (Wanted, "smp=1 and memory=1: cores and table are the client's to set", |engine| {
        needs(engine, &["smp", "memory"])
    }),
    (Wanted, "debug=1: its comments are told from its words", |engine| needs(engine, &["debug"])),
    (Wanted, "option names contain no blanks and are none of python-chess's own", option_names),
    (Wanted, "options are of the kinds xboard knows", option_kinds),
    (Wanted, "no feature is an empty or unended text (cutechess)", feature_texts),
    (Wanted, "accepted and rejected are taken in silence", |engine| {
        let said = engine.tell("accepted ping\nrejected debug\nrejected sigint\naccepted myname")?;
        without(&said, "answer", |line| !line.trim().is_empty())
    }),
    (Must, "the words every client opens with are not called errors", opening_words),
    (Wanted, "name, rating and computer are never called errors (python-chess)", |engine| {
        let said = engine.tell("new\nname Somebody Else\nrating 2000 1900\ncomputer\nname X")?;
        without(&said, "error", is_error)
    }),
    (Wanted, "an unknown word is answered by Error (...): and the word", |engine| {
        let said = engine.tell("xyzzy")?;
        let found = said.iter().find(|line| line.starts_with("Error") && line.contains("xyzzy"));
        found.map_or_else(|| broken(format!("it says {said:?}")), |line| Ok(line.clone()))
    }),
];

fn answers_protover(engine: &mut Engine) -> Seen {
    match (engine.feature("done"), engine.greeting.len()) {
        (Some("1"), lines) => Ok(format!("{lines} lines")),
        (_, 0) => broken("it says nothing (version 1 of the protocol)"),
        (done, _) => broken(format!("done={done:?}")),
    }
}

fn needs(engine: &Engine, names: &[&str]) -> Seen {
    let missing: Vec<&str> = names.iter().copied().filter(|name| engine.feature(name) != Some("1")).collect();
    verdict(
        missing.is_empty(),
        if missing.is_empty() { "yes".into() } else { format!("no {}", missing.join(", ")) },
    )
}

fn scid(engine: &mut Engine) -> Seen {
    let said = engine.greeting.join("\n");
    let wanted = ["analyze=1", "setboard=1", "usermove=1", "myname=\""];
    match wanted.iter().find(|text| !said.contains(**text)) {
        None => Ok("all four".into()),
        Some(text) => broken(format!("no {text}")),
    }
}

fn option_names(engine: &mut Engine) -> Seen {
    // It leaves such options out, or sends other commands for them than `option`.
    const OWN: [&str; 7] =
        ["random", "computer", "name", "engine_rating", "opponent_rating", "memory", "cores"];
    let names = engine.options().map(|option| option.split(" -").next().unwrap_or_default().trim());
    let names: Vec<&str> = names.collect();
    match names.iter().find(|name| name.contains(' ') || OWN.contains(*name)) {
        Some(name) => broken(format!("option {name}")),
        None => Ok(format!("{} options", names.len())),
    }
}

fn option_kinds(engine: &mut Engine) -> Seen {
    const KINDS: [&str; 10] =
        ["check", "spin", "slider", "string", "file", "path", "combo", "button", "save", "reset"];
    let mut count = 0;
    for option in engine.options() {
        let kind =
            option.split(" -").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
        if !KINDS.contains(&kind) {
            return broken(format!("option {option}"));
        }
        count += 1;
    }
    Ok(format!("{count} options"))
}

fn feature_texts(engine: &mut Engine) -> Seen {
    let odd = |line: &&String| {
        line.starts_with("feature") && (line.contains("=\"\"") || line.matches('"').count() % 2 == 1)
    };
    match engine.greeting.iter().find(odd) {
        Some(line) => broken(line.clone()),
        None => Ok(format!("{} lines", engine.greeting.len())),
    }
}

fn opening_words(engine: &mut Engine) -> Seen {
    let clocks = engine.clocks(30_000);
    let said = engine.tell(&format!("new\nrandom\nlevel 40 5 0\npost\nhard\neasy\n{clocks}force"))?;
    without(&said, "error", is_error)
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::super::scripted::tried;
    use super::*;

    #[test]
    fn names_that_python_chess_does_not_set_break_a_rule() {
        for (name, kept) in [("name", false), ("memory", false), ("Two words", false), ("Filename", true)] {
            let engine = format!(
                "while read -r word rest; do case $word in \
                 protover) echo 'feature ping=1 option=\"{name} -check 0\" done=1';; \
                 quit) exit;; esac; done"
            );
            let (seen, _) = tried(&engine, RULES, "option names contain");
            assert_eq!(seen.is_ok(), kept, "{name}: {seen:?}");
        }
    }

    /// The text has ten of them.
    #[test]
    fn options_of_an_unknown_kind_break_a_rule() {
        let known = [
            "button",
            "save",
            "reset",
            "check 1",
            "string x",
            "spin 1 0 9",
            "combo *a /// b",
            "slider 1 0 9",
            "file x",
            "path x",
        ];
        let kinds = known.map(|kind| (kind, true)).into_iter().chain([("knob 1", false)]);
        for (kind, kept) in kinds {
            let engine = format!(
                "while read -r word rest; do case $word in \
                 protover) echo 'feature option=\"Style -{kind}\" done=1';; \
                 quit) exit;; esac; done"
            );
            let (seen, _) = tried(&engine, RULES, "options are of the kinds");
            assert_eq!(seen.is_ok(), kept, "{kind}: {seen:?}");
        }
    }
}
