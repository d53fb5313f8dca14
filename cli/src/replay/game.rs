//! A game of a journal, asked for again move by move.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ::tournament::retrace::{
    Difference, Found, Hear, Options, RetraceError, Retraced, Thought, find, retrace,
};
use ::tournament::wording::signed;
use anyhow::{anyhow, ensure};
use client::Stream;
use serde_json::{Value, json};

use super::{Args, NOT_AGAIN, mark};

/// Runs the command.
pub fn run(args: &Args, number: usize) -> anyhow::Result<ExitCode> {
    ensure!(
        args.cmd.is_none() || args.player.is_some(),
        "--cmd: say with --player in whose place the program stands"
    );
    let found = find(&args.file, number)?;
    let options = Options {
        only: args.player.as_deref().map(|name| side_of(&found, name)).transpose()?,
        command: args.command(),
        protocol: args.proto,
        same_engine: args.same_engine,
        nodes: args.nodes,
        patience: Duration::from_secs(args.patience),
    };
    let show = args.show;
    let hear: Arc<Hear> = Arc::new(move |player: &str, stream: Stream, line: &str| {
        if show {
            println!("{player}{} {line}", mark(stream));
        }
    });
    if !args.json {
        tell_game(&found, &options);
    }
    let outcome = retrace(&found, &options, &hear).map_err(|error| {
        let advice = match &error {
            RetraceError::Gone { .. } => "; give another with --player NAME --cmd PROGRAM",
            RetraceError::Changed { .. } => "; with --same-engine it is asked all the same",
            _ => "",
        };
        anyhow!("{error}{advice}")
    })?;
    if args.json {
        println!("{}", document(&found, &outcome));
    } else {
        tell_outcome(&found, &outcome);
    }
    Ok(if outcome.same() { ExitCode::SUCCESS } else { ExitCode::from(NOT_AGAIN) })
}

fn side_of(found: &Found, name: &str) -> anyhow::Result<usize> {
    let names = names(found);
    names.iter().position(|known| *known == name).ok_or_else(|| {
        let [white, black] = names;
        anyhow!("--player {name}: game {} was played by {white} and {black}", found.game.id + 1)
    })
}

fn names(found: &Found) -> [&str; 2] {
    [0, 1].map(|side| found.players[side].name.as_str())
}

fn tell_game(found: &Found, options: &Options) {
    let (game, [white, black]) = (&found.game, names(found));
    println!(
        "game {}, {white} (White) against {black} (Black), {}: {}",
        game.id + 1,
        game.result.text(),
        game.reason
    );
    for side in (0..2).filter(|side| options.only.is_none_or(|only| only == *side)) {
        let name = names(found)[side];
        if found.programs[side].is_none() && options.command.is_none() {
            println!("note: the journal does not say which program {name} was");
        }
        if found.players[side].engine.ponder {
            println!("note: {name} pondered in the game, and does not now");
        }
        if found.players[side].engine.thread_count() > 1 {
            println!("note: {name} searches with several threads, and no search of those is ever the same");
        }
    }
}

fn tell_outcome(found: &Found, outcome: &Retraced) {
    let names = names(found);
    for difference in &outcome.differences {
        let Difference { number, black, then, now, .. } = difference;
        let (dots, name) = (if *black { "..." } else { "." }, names[usize::from(*black)]);
        println!("{number}{dots} {name} played {} and now answers {}", thought(then), thought(now));
    }
    if let Some(end) = &outcome.end {
        let verdict = if end.same { "the same end again" } else { "another end" };
        println!("{verdict}: {}", end.now);
    }
    let sides = (0..2).filter(|&side| outcome.answers[side] > 0);
    let parts: Vec<String> = sides
        .map(|side| {
            let all = outcome.answers[side];
            format!("{} {} of {all}", names[side], all - outcome.others(side))
        })
        .collect();
    let parts = if parts.is_empty() { "no move was searched".to_owned() } else { parts.join(", ") };
    println!("the same moves again: {parts}");
}

/// A move with what was said of it, such as `Nf3 (+0.31/12, 1234 nodes)`.
fn thought(thought: &Thought) -> String {
    let mut said = Vec::new();
    if let Some(score) = thought.score {
        let depth = thought.depth.map_or_else(String::new, |depth| format!("/{depth}"));
        said.push(format!("{}{depth}", signed(f64::from(score) / 100.0, 2)));
    }
    said.extend(thought.nodes.map(|nodes| format!("{nodes} nodes")));
    let said = if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) };
    format!("{}{said}", thought.answer)
}

fn document(found: &Found, outcome: &Retraced) -> Value {
    let names = names(found);
    let players: Vec<Value> = (0..2)
        .map(|side| {
            let answers = outcome.answers[side];
            json!({"name": names[side], "answers": answers, "same": answers - outcome.others(side)})
        })
        .collect();
    let game = &found.game;
    json!({
        "schema": 1, "game": game.id + 1, "result": game.result, "ending": game.ending, "reason": game.reason,
        "same": outcome.same(), "players": players, "differences": outcome.differences, "end": outcome.end,
        "provenance": crate::provenance::provenance(),
    })
}
