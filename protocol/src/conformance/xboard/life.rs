//! How an engine rests, bears nonsense, and leaves.

use super::super::Level::{Must, Wanted};
use super::super::lines::{POSITIONS, game};
use super::super::probe::Seen;
use super::Engine;
use super::Rule;
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
        engine.probe.send("new\npost\nforce\nanalyze");
        engine.probe.listen(Duration::from_millis(100))?;
        engine.probe.leave("quit")
    }),
    (Wanted, "the end of its input ends it", |engine| engine.probe.leave("")),
    (Wanted, "the end of its input ends it while it thinks", |engine| leave_thinking(engine, "")),
];

fn leave_thinking(engine: &mut Engine, word: &str) -> Seen {
    engine.probe.send("new\neasy\nlevel 0 60 0");
    engine.probe.send(&format!("force\n{}\ngo", engine.moves(POSITIONS[1].1)));
    engine.probe.listen(Duration::from_millis(100))?;
    engine.probe.leave(word)
}
