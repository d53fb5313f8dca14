//! How an engine rests, bears nonsense, and leaves.

use super::super::Level::{Must, Wanted};
use super::super::lines::POSITIONS;
use super::super::probe::Seen;
use super::Engine;
use super::Rule;
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Wanted, "it uses no processor while idle", |engine| {
        engine.ready()?;
        engine.probe.rests()
    }),
    (Wanted, "it uses no processor after a search", |engine| {
        engine.search(POSITIONS[2], "go movetime 200")?;
        engine.probe.rests()
    }),
    (Must, "64 lines of random characters are survived", noise),
    (Must, "quit ends it", |engine| engine.probe.leave("quit")),
    (Must, "quit ends it in mid-search", |engine| leave_searching(engine, "quit")),
    (Wanted, "the end of its input ends it", |engine| engine.probe.leave("")),
    (Wanted, "the end of its input ends it in mid-search", |engine| leave_searching(engine, "")),
];

fn noise(engine: &mut Engine) -> Seen {
    engine.probe.noise();
    engine.ready()?;
    engine.search(("", ""), "go depth 3")?.brief()
}

fn leave_searching(engine: &mut Engine, word: &str) -> Seen {
    engine.begin(POSITIONS[2], "go infinite")?;
    engine.probe.listen(Duration::from_millis(100))?;
    engine.probe.leave(word)
}
