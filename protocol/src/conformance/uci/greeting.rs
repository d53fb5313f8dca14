//! What an engine says of itself.

use super::super::Level::{Must, Wanted};
use super::super::probe::{Seen, broken, verdict};
use super::Engine;
use super::Rule;
use crate::option::{OptionKind, OptionSpec};
use crate::uci::reply::Reply;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "uci is answered by id name, id author and uciok within ten seconds", names_itself),
    (Wanted, "nothing but id, option and info lines comes before uciok", says_no_more),
    (Must, "options are well formed, each named once, defaults within their ranges", options_are_well_formed),
    (Wanted, "option names hold neither of the words name and value", names_can_be_told_apart),
    (Wanted, "combo values contain no blanks (fastchess refuses them)", combos_have_no_blanks),
    (Wanted, "Hash and Threads are spins, with one thread at first (OpenBench)", offers_resources),
    (Wanted, "Ponder, MultiPV and UCI_Chess960 are offered", offers_the_usual),
    (
        Wanted,
        "lichess-bot's usual options are offered: Move Overhead, SyzygyPath, UCI_ShowWDL",
        offers_lichess_bots,
    ),
    (Must, "UCI_Elo, where offered, is a spin beside UCI_LimitStrength", offers_weakness),
];

fn names_itself(engine: &mut Engine) -> Seen {
    let starts = |start: &str| engine.greeting.iter().find(|line| line.starts_with(start));
    match (starts("id name "), starts("id author ")) {
        (Some(name), Some(author)) => Ok(format!("{name}; {author}")),
        (None, _) => broken("no id name"),
        (_, None) => broken("no id author"),
    }
}

fn says_no_more(engine: &mut Engine) -> Seen {
    let known = ["id ", "option ", "info ", "uciok", "copyprotection", "registration"];
    // A banner printed at the start, before anything was asked, may still be among the lines.
    let first = engine.greeting.iter().position(|line| line.starts_with("id ")).unwrap_or(0);
    let odd = engine.greeting[first..].iter().find(|line| {
        !line.trim().is_empty() && !known.iter().any(|start| line.trim_start().starts_with(start))
    });
    match odd {
        None => Ok(format!("{} lines", engine.greeting.len())),
        Some(line) => broken(format!("it says: {line}")),
    }
}

fn options_are_well_formed(engine: &mut Engine) -> Seen {
    let mut names = Vec::new();
    for line in engine.greeting.iter().filter(|line| line.starts_with("option")) {
        let Ok(Reply::Option(spec)) = line.trim().parse() else {
            return broken(format!("unreadable: {line}"));
        };
        if !default_fits(&spec) {
            return broken(format!("the default is none of the values: {line}"));
        }
        let name = spec.name.to_lowercase();
        if names.contains(&name) {
            return broken(format!("twice: {line}"));
        }
        names.push(name);
    }
    Ok(format!("{} options", names.len()))
}

fn default_fits(spec: &OptionSpec) -> bool {
    match &spec.kind {
        OptionKind::Spin { default, min, max } => min <= default && default <= max,
        OptionKind::Combo { default, values } => values.contains(default),
        OptionKind::Check { .. } | OptionKind::Text { .. } | OptionKind::Button => true,
    }
}

/// `setoption name X value Y` cannot be read for certain if X holds one of its words.
fn names_can_be_told_apart(engine: &mut Engine) -> Seen {
    let is_reserved = |word: &str| ["name", "value"].iter().any(|own| own.eq_ignore_ascii_case(word));
    let odd = engine.options.iter().find(|spec| spec.name.split_whitespace().any(is_reserved));
    match odd {
        None => Ok(format!("{} options", engine.options.len())),
        Some(spec) => broken(format!("option {}", spec.name)),
    }
}

fn combos_have_no_blanks(engine: &mut Engine) -> Seen {
    for spec in &engine.options {
        if let OptionKind::Combo { values, .. } = &spec.kind
            && let Some(value) = values.iter().find(|value| value.contains(' '))
        {
            return broken(format!("{}: {value}", spec.name));
        }
    }
    Ok("none does".into())
}

fn spin(engine: &Engine, name: &str) -> Option<(i64, i64)> {
    match engine.option(name)?.kind {
        OptionKind::Spin { default, max, .. } => Some((default, max)),
        _ => None,
    }
}

fn offers_resources(engine: &mut Engine) -> Seen {
    match (spin(engine, "Hash"), spin(engine, "Threads")) {
        (Some((hash, hash_max)), Some((threads, threads_max))) => {
            verdict(threads == 1, format!("Hash {hash} of {hash_max}, Threads {threads} of {threads_max}"))
        }
        (None, _) => broken("no spin Hash"),
        (_, None) => broken("no spin Threads"),
    }
}

fn offers(engine: &Engine, names: &[&str]) -> Seen {
    let missing: Vec<&str> = names.iter().copied().filter(|name| engine.option(name).is_none()).collect();
    match missing.as_slice() {
        [] => Ok("all of them".into()),
        missing => broken(format!("missing: {}", missing.join(", "))),
    }
}

fn offers_the_usual(engine: &mut Engine) -> Seen {
    offers(engine, &["Ponder", "MultiPV", "UCI_Chess960"])
}

fn offers_lichess_bots(engine: &mut Engine) -> Seen {
    offers(engine, &["Move Overhead", "SyzygyPath", "UCI_ShowWDL"])
}

fn offers_weakness(engine: &mut Engine) -> Seen {
    engine.need("UCI_Elo")?;
    let switch = engine.option("UCI_LimitStrength").map(|spec| &spec.kind);
    match (spin(engine, "UCI_Elo"), switch) {
        (Some((elo, max)), Some(OptionKind::Check { default })) => {
            verdict(!default, format!("UCI_Elo {elo} of {max}, limited at first: {default}"))
        }
        _ => broken("no such spin, or no check UCI_LimitStrength"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::super::scripted::tried;
    use super::*;

    #[test]
    fn words_of_setoption_in_names_break_a_rule() {
        for (name, kept) in [
            ("Foo value name Bar", false),
            ("Name of the Book", false),
            ("Pawn VALUE", false),
            ("Pawn Values, Filename", true),
        ] {
            let engine = format!(
                "read -r word; echo 'option name {name} type check default true'; echo uciok; read -r word"
            );
            let (seen, _) = tried(&engine, RULES, "option names hold neither");
            assert_eq!(seen.is_ok(), kept, "{name}: {seen:?}");
            // The rest of the rules about options has nothing to find fault with.
            let (seen, _) = tried(&engine, RULES, "options are well formed");
            assert!(seen.is_ok(), "{name}: {seen:?}");
        }
    }
}
