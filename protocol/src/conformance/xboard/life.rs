//! How an engine rests, bears nonsense, and leaves.

use super::super::Level::{Must, Wanted};
use super::super::lines::{QUIET, game};
use super::super::probe::Seen;
use super::Rule;
use super::{Engine, LONG};
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Wanted, "it uses no processor while idle", |engine| {
        engine.tell("new\nforce")?;
        engine.probe.rests()
    }),
    (Wanted, "it uses no processor after its move, with easy", |engine| {
        engine.quick_game()?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?;
        engine.probe.rests()
    }),
    (Must, "64 lines of random characters are survived", |engine| {
        engine.probe.noise();
        engine.quick_game()?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?.brief()
    }),
    (Must, "quit ends it", |engine| engine.probe.leave("quit")),
    (Must, "quit ends it while it thinks", |engine| leave_thinking(engine, "quit")),
    (Must, "quit ends it while it analyses", |engine| {
        engine.not_declined("analyze")?;
        engine.set_up(("", QUIET), "")?;
        engine.probe.send("analyze");
        engine.probe.listen(Duration::from_millis(100))?;
        engine.probe.leave("quit")
    }),
    (Wanted, "the end of its input ends it", |engine| engine.probe.leave("")),
    (Wanted, "the end of its input ends it while it thinks", |engine| leave_thinking(engine, "")),
];

fn leave_thinking(engine: &mut Engine, word: &str) -> Seen {
    engine.think(LONG)?;
    engine.probe.leave(word)
}
