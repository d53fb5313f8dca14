//! A player as a journal and a kit describe it: what makes it this player and no other, and enough to start its
//! engine again under the same conditions.
//!
//! The protocol and the times that an engine is given to start are not part of it. They are found out again.

use std::path::PathBuf;
use std::time::Duration;

use client::{EngineConfig, Limits};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::adjudicate::Rules;
use crate::openings::BookError;
use crate::runner::Plan;
use crate::spec::Player;
use crate::standings::Counting;

/// The keys of a description.
#[derive(Serialize, Deserialize)]
struct Description {
    name: String,
    cmd: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    dir: Option<PathBuf>,
    #[serde(default)]
    options: Vec<(String, String)>,
    #[serde(default)]
    threads: Option<u32>,
    #[serde(default)]
    hash: Option<u32>,
    #[serde(default)]
    ponder: bool,
    #[serde(default)]
    initstr: Vec<String>,
    limits: String,
    /// Milliseconds.
    #[serde(default)]
    margin: u64,
    #[serde(default)]
    restart: bool,
    // What journals of older versions do not have is written only where it is there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whitepov: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    trust: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<OwnBook>,
}

/// A player's own opening book.
#[derive(Serialize, Deserialize)]
struct OwnBook {
    file: PathBuf,
    moves: Option<u32>,
}

/// The key that says of a tournament of ours that moves of openings and own books count towards controls.
pub(crate) const COUNTED: &str = "opening_counts";

/// Whether only the moves that engines made count towards time controls in the tournament that this
/// describes, and not those of openings and own books. So it is for fastchess, and was in all journals of
/// ours before they said it.
#[must_use]
pub fn own_moves_only(tournament: &Value) -> bool {
    tournament["runner"] != "Cutechess" && tournament[COUNTED] != true
}

/// Whether moves are counted: the control of one of these players has a number of them.
#[must_use]
pub fn counts_moves(players: &[Player]) -> bool {
    players.iter().any(|player| player.limits.clock.is_some_and(|clock| clock.moves.is_some()))
}

/// Says in a tournament's description that moves of openings and own books count, where a control has moves.
pub fn describe_counting(tournament: &mut Value, players: &[Player], own_moves_only: bool) {
    if !own_moves_only && counts_moves(players) {
        tournament[COUNTED] = true.into();
    }
}

/// Describes what all ways of starting a tournament have in common: who plays, from where, and what ends games and
/// the whole. `begun`: what describes the one that goes on.
///
/// # Errors
/// As [`crate::openings::Book::description`].
pub fn describe_plan(plan: &Plan, begun: Option<&Value>) -> Result<Value, BookError> {
    let conditions = &plan.conditions;
    let players: Vec<Value> = conditions.players.iter().map(describe).collect();
    let mut tournament = json!({
        "players": players,
        "single": plan.counting == Counting::Games,
        "openings": plan.book.description(begun)?,
        "chess960": conditions.chess960,
        "sprt": plan.stop_rule.map(|rule| json!({ "test": rule.sprt, "pairs": rule.by_pairs })),
    });
    describe_rules(&mut tournament, &conditions.rules);
    Ok(tournament)
}

/// Says in a description what ends games early. Journals have the rules as `Debug` writes them: with another text
/// those that are there would not go on.
pub fn describe_rules(description: &mut Value, rules: &Rules) {
    description["draw"] = json!(rules.draw.map(|rule| format!("{rule:?}")));
    description["resign"] = json!(rules.resign.map(|rule| format!("{rule:?}")));
    description["maxmoves"] = json!(rules.max_moves);
}

/// Describes a player.
#[must_use]
pub fn describe(player: &Player) -> Value {
    let engine = player.engine.clone();
    let description = Description {
        name: player.name.clone(),
        cmd: engine.command,
        args: engine.args,
        dir: engine.dir,
        options: engine.options,
        threads: engine.threads,
        hash: engine.hash_mb,
        ponder: engine.ponder,
        initstr: engine.init_lines,
        limits: limits_text(player),
        margin: player.margin.as_millis() as u64,
        restart: player.restart,
        whitepov: player.white_pov,
        trust: player.trust,
        book: player.book.clone().map(|file| OwnBook { file, moves: player.book_depth }),
    };
    // All paths come from texts, and texts and numbers are always JSON.
    serde_json::to_value(description).unwrap_or_default()
}

/// Reads a description. An engine that is started from it leaves out options that its program does not take,
/// as the tournament did if it allowed them.
///
/// # Errors
/// It is not a description of a player.
pub fn read(description: &Value) -> Result<Player, String> {
    let of = Description::deserialize(description).map_err(|error| error.to_string())?;
    let engine = EngineConfig {
        args: of.args,
        dir: of.dir,
        options: of.options,
        threads: of.threads,
        hash_mb: of.hash,
        ponder: of.ponder,
        init_lines: of.initstr,
        lenient: true,
        ..EngineConfig::new(of.cmd)
    };
    let book = of.book.map(|book| (book.file, book.moves));
    Ok(Player {
        name: of.name,
        engine,
        limits: read_limits(&of.limits)?,
        margin: Duration::from_millis(of.margin),
        restart: of.restart,
        white_pov: of.whitepov,
        trust: of.trust,
        book_depth: book.as_ref().and_then(|(_, moves)| *moves),
        book: book.map(|(file, _)| file),
    })
}

/// A player's limits as descriptions, PGN's `TimeControl` and tables show them.
#[must_use]
pub fn limits_text(player: &Player) -> String {
    let limits = &player.limits;
    let mut parts = Vec::new();
    parts.extend(limits.clock.map(|tc| tc.to_string()));
    parts.extend(limits.move_time.map(|time| format!("{}/move", time.as_secs_f64())));
    parts.extend(limits.depth.map(|depth| format!("depth {depth}")));
    parts.extend(limits.nodes.map(|nodes| format!("nodes {nodes}")));
    if parts.is_empty() { "inf".to_owned() } else { parts.join(", ") }
}

/// Whether these limits, as [`limits_text`] writes them, are an hourglass.
pub(crate) fn is_hourglass(limits: &str) -> bool {
    limits.starts_with("hg")
}

/// Reads what [`limits_text`] writes.
fn read_limits(text: &str) -> Result<Limits, String> {
    let mut limits = Limits::default();
    for part in text.split(", ").filter(|part| *part != "inf") {
        let bad = || format!("`{part}` is not a limit");
        if let Some(time) = part.strip_suffix("/move") {
            let seconds: f64 = time.parse().map_err(|_| bad())?;
            limits.move_time = Some(Duration::try_from_secs_f64(seconds).map_err(|_| bad())?);
        } else if let Some(depth) = part.strip_prefix("depth ") {
            limits.depth = Some(depth.parse().map_err(|_| bad())?);
        } else if let Some(nodes) = part.strip_prefix("nodes ") {
            limits.nodes = Some(nodes.parse().map_err(|_| bad())?);
        } else {
            limits.clock = Some(part.parse()?);
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::{Settings, players};

    fn player(words: &str) -> Player {
        let line = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            Settings::from_words("engine", &words).unwrap()
        };
        players(&[line(words), line("cmd=/bin/sh name=Other")], &[]).unwrap().remove(0)
    }

    /// The first lines of journals that were written before `whitepov`, `trust` and `book` were known.
    #[test]
    fn a_description_has_the_keys_that_journals_have() {
        let plain = player("cmd=/bin/sh name=A tc=40/60+0.5 arg=-c option.Hash=8 timemargin=5");
        let known = json!({
            "name": "A", "cmd": "/bin/sh", "args": ["-c"], "dir": null, "options": [["Hash", "8"]],
            "threads": null, "hash": null, "ponder": false, "initstr": [], "limits": "40/60+0.5",
            "margin": 5, "restart": false,
        });
        assert_eq!(describe(&plain), known);
        let other = describe(&player("cmd=/bin/sh name=A whitepov=on trust=on book=b.bin bookdepth=4"));
        assert_eq!((&other["whitepov"], &other["trust"]), (&json!(true), &json!(true)));
        assert_eq!(other["book"], json!({"file": "b.bin", "moves": 4}));
    }

    /// Whatever a player is told, its description tells it again.
    #[test]
    fn a_described_player_is_the_same_player() {
        for words in [
            "tc=8+0.08",
            "tc=40/60 depth=9",
            "tc=hg60",
            "st=0.25 nodes=1000",
            "depth=3 dir=/ restart=on ponder=on",
            "tc=inf nodes=7 threads=3 hash=16 initstr=a\\nb option.Move=x",
            "trust=on whitepov=on book=x.bin bookdepth=7 timemargin=50",
        ] {
            let mut before = player(&format!("cmd=/bin/sh name=A arg=-c {words}"));
            let after = read(&describe(&before)).unwrap();
            before.engine.lenient = true;
            assert_eq!(after, before, "{words}");
        }
    }

    #[test]
    fn what_is_no_description_is_refused() {
        for (wrong, says) in [
            (json!({}), "name"),
            (json!([1]), "name"),
            (json!({"name": "A", "cmd": "a", "limits": "depth x"}), "`depth x` is not a limit"),
            (json!({"name": "A", "cmd": "a", "limits": "-1/move"}), "`-1/move` is not a limit"),
            (json!({"name": "A", "cmd": "a", "limits": "soon"}), "soon"),
        ] {
            let error = read(&wrong).unwrap_err();
            assert!(error.contains(says) || wrong.is_array(), "{wrong}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_limit_is_a_panic(text in "[0-9a-z/+., :]{0,20}|[0-9]{1,25}(/move)?") {
            let _ = read_limits(&text);
        }
    }
}
