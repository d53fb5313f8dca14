//! Time: `level`, `st`, `sd`, `nps`, `time`, `otim`.

use super::super::Level::{Must, Wanted};
use super::super::lines::{QUIET, game};
use super::super::probe::{Fault, Seen, verdict};
use super::Rule;
use super::{Engine, is_error, is_thinking, without};
use std::time::{Duration, Instant};

pub(super) const RULES: &[Rule<Engine>] = &[
    (Wanted, "level in every form clients send: 40 5 0, 0 0:02 0.1, 0 1:5 0, 0 0 0.1, 0 5:00 0", levels),
    (Must, "level 0 0:02 0 leaves a move within two seconds", |engine| {
        let clock = format!("level 0 0:02 0\n{}", engine.clocks(200));
        timed(engine, clock.trim_end(), Duration::from_secs(2))
    }),
    (Wanted, "st takes decimals: st 0.01", |engine| timed(engine, "st 0.01", Duration::from_secs(1))),
    (Must, "st holds beside sd", |engine| timed(engine, "st 1\nsd 50", Duration::from_millis(2500))),
    (Must, "sd ends a search at that depth, whatever the time", depth),
    (Wanted, "time 1, time 0 and negative times are no reason to hang", small_clocks),
    (Wanted, "level may come in mid-game", mid_game),
    (Must, "nps with st limits the nodes", nodes),
];

fn levels(engine: &mut Engine) -> Seen {
    for level in ["40 5 0", "0 0:02 0.1", "0 1:5 0", "0 0 0.1", "0 5:00 0", "40 0:30 0"] {
        engine.tell("new\neasy\nsd 3")?;
        let said = engine.tell(&format!("level {level}"))?;
        without(&said, "error", is_error)?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?;
    }
    Ok("six forms".into())
}

fn timed(engine: &mut Engine, clock: &str, limit: Duration) -> Seen {
    engine.tell("new\neasy")?;
    let said = engine.tell(clock)?;
    without(&said, "error", is_error)?;
    engine.tell(&format!("force\n{}", engine.moves(QUIET)))?;
    engine.probe.send("go");
    let began = Instant::now();
    let answer = engine.its_move_after(limit, &mut game("", QUIET))?;
    let took = began.elapsed();
    verdict(took <= limit, format!("move {} after {} ms", answer.mv, took.as_millis()))
}

fn depth(engine: &mut Engine) -> Seen {
    let answer = engine.search(("", QUIET), "level 0 60 0\nsd 3")?;
    let depths = answer.said.iter().filter(|line| is_thinking(line)).filter_map(|line| {
        let word = line.split_whitespace().next()?;
        word.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok()
    });
    match depths.max() {
        Some(deepest) => verdict(deepest <= 3, format!("depth {deepest} of 3")),
        None => Ok(format!("move {}, no line shown", answer.mv)),
    }
}

fn small_clocks(engine: &mut Engine) -> Seen {
    engine.not_declined("time")?;
    for time in [1, 0, -100] {
        engine.probe.send(&format!("new\neasy\nlevel 0 1 0\n{}go", engine.clocks(time)));
        engine.its_move(&mut game("", ""))?;
    }
    Ok("a move each time".into())
}

fn mid_game(engine: &mut Engine) -> Seen {
    engine.tell("new\neasy\nlevel 40 5 0\nsd 3")?;
    engine.tell(&format!("force\n{}", engine.moves("e2e4 e7e5 g1f3 b8c6")))?;
    let said = engine.tell(format!("level 38 0:10 0\n{}", engine.clocks(1000)).trim_end())?;
    without(&said, "error", is_error)?;
    engine.probe.send("go");
    engine.its_move(&mut game("", "e2e4 e7e5 g1f3 b8c6"))?.brief()
}

fn nodes(engine: &mut Engine) -> Seen {
    engine.need("nps")?;
    let answer = engine.search(("", QUIET), "st 1\nnps 20000")?;
    let told = answer.said.iter().filter(|line| is_thinking(line));
    let most = told.filter_map(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok()).max();
    match most {
        Some(nodes) => verdict(nodes <= 40_000, format!("{nodes} nodes of 20000")),
        None => Err(Fault::NotOffered("it shows no nodes".into())),
    }
}
