//! `go` with its limits, `stop`, and pondering.

use super::super::Level::{Must, Wanted};
use super::super::lines::{MATE_IN_1, MATE_IN_2, POSITIONS};
use super::super::probe::{Fault, Seen, broken, verdict};
use super::Rule;
use super::{Engine, Search, is_bestmove};
use std::time::{Duration, Instant};
use thinking::score::Reported;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "go depth ends by itself at that depth", depth),
    (Must, "go nodes ends near that many nodes", nodes),
    (Must, "go movetime keeps to its time", movetime),
    (Must, "go wtime alone, White to move (fastchess)", |engine| timed(engine, "", "go wtime 200")),
    (Must, "go btime alone, Black to move (fastchess)", |engine| timed(engine, "e2e4", "go btime 200")),
    (Must, "go wtime winc btime binc in this order", |engine| {
        timed(engine, "", "go wtime 200 winc 100 btime 200 binc 100")
    }),
    (Must, "go btime binc wtime winc in this order", |engine| {
        timed(engine, "e2e4", "go btime 200 binc 100 wtime 200 winc 100")
    }),
    (Must, "go with movestogo", |engine| timed(engine, "", "go wtime 300 btime 300 movestogo 1")),
    (Wanted, "a clock at zero or below is no reason to hang", |engine| {
        timed(engine, "", "go wtime -100 btime 0 winc 0 binc 0")
    }),
    (Must, "go mate 2 finds the mate in two", mate),
    (Must, "go searchmoves, last on the line, is obeyed", searchmoves),
    (Must, "go without limits searches until stop", |engine| endless(engine, "go")),
    (Must, "go infinite searches until stop", |engine| endless(engine, "go infinite")),
    (Must, "go infinite is silent until stop even with nothing left to search", |engine| {
        held_back(engine, "go infinite", "stop")
    }),
    (Must, "go ponder is silent until ponderhit", |engine| {
        held_back(engine, "go ponder wtime 500 btime 500", "ponderhit")
    }),
    (Must, "go ponder is silent until stop", |engine| {
        held_back(engine, "go ponder wtime 500 btime 500", "stop")
    }),
    (Must, "after ponderhit the clock counts", ponder_hit),
    (Must, "stop is answered by bestmove within half a second, ten times", stops),
];

fn depth(engine: &mut Engine) -> Seen {
    let search = engine.search(POSITIONS[1], "go depth 5")?;
    let reached = search.lines().iter().map(|line| line.depth).max().unwrap_or(0);
    verdict((1..=5).contains(&reached), format!("depth {reached}"))
}

fn nodes(engine: &mut Engine) -> Seen {
    let search = engine.search(POSITIONS[2], "go nodes 20000")?;
    let told = search.said.iter().filter(|line| line.starts_with("info"));
    let nodes = told.filter_map(|line| {
        line.split_whitespace().skip_while(|&word| word != "nodes").nth(1)?.parse::<u64>().ok()
    });
    match nodes.max() {
        Some(nodes) => verdict(nodes <= 40_000, format!("{nodes} nodes of 20000")),
        None => broken("it tells no nodes"),
    }
}

fn movetime(engine: &mut Engine) -> Seen {
    let began = Instant::now();
    engine.search(POSITIONS[2], "go movetime 300")?;
    let took = began.elapsed().as_millis();
    verdict((100..=900).contains(&took), format!("{took} ms of 300"))
}

/// A move in time, a line with a score, and `bestmove` at the end.
fn timed(engine: &mut Engine, moves: &str, go: &str) -> Seen {
    let began = Instant::now();
    let search = engine.search(("", moves), go)?;
    let took = began.elapsed().as_millis();
    if search.scored().next().is_none() {
        return broken("no info line with a score came before bestmove");
    }
    verdict(took <= 1000, format!("bestmove {} after {took} ms", search.best))
}

fn mate(engine: &mut Engine) -> Seen {
    let search = engine.search((MATE_IN_2, ""), "go mate 2")?;
    match search.lines().last().map(|line| line.score) {
        Some(Reported::Mate(moves @ 1..=2)) => Ok(format!("mate {moves}, bestmove {}", search.best)),
        score => broken(format!("the last score is {score:?}")),
    }
}

fn searchmoves(engine: &mut Engine) -> Seen {
    let search = engine.search(("", ""), "go depth 4 searchmoves a2a3 h2h3")?;
    verdict(["a2a3", "h2h3"].contains(&search.best.as_str()), format!("bestmove {}", search.best))
}

fn is_silent(engine: &mut Engine, time: Duration) -> Result<Vec<String>, Fault> {
    let said = engine.probe.listen(time)?;
    match said.iter().find(|line| is_bestmove(line)) {
        Some(line) => broken(format!("{line} came unasked")),
        None => Ok(said),
    }
}

fn endless(engine: &mut Engine, go: &str) -> Seen {
    let game = engine.begin(POSITIONS[2], go);
    is_silent(engine, Duration::from_millis(400))?;
    engine.probe.send("stop");
    let search = engine.finish(game)?;
    search.check_move()?;
    Ok(format!("bestmove {} after stop", search.best))
}

/// A search with nothing left to do, or whose move does not matter yet, keeps its move to itself.
fn held_back(engine: &mut Engine, go: &str, word: &str) -> Seen {
    let game = engine.begin((MATE_IN_1, ""), &format!("{go} depth 4"));
    is_silent(engine, Duration::from_millis(500))?;
    engine.probe.send(word);
    let search = engine.finish(game)?;
    search.check_move()?;
    Ok(format!("bestmove {} after {word}", search.best))
}

fn ponder_hit(engine: &mut Engine) -> Seen {
    let game = engine.begin(POSITIONS[1], "go ponder wtime 300 btime 300");
    is_silent(engine, Duration::from_millis(400))?;
    engine.probe.send("ponderhit");
    let hit = Instant::now();
    let search: Search = engine.finish(game)?;
    search.check_move()?;
    let took = hit.elapsed().as_millis();
    verdict(took <= 1000, format!("bestmove {} after {took} ms", search.best))
}

fn stops(engine: &mut Engine) -> Seen {
    let mut worst = Duration::ZERO;
    for (number, position) in (0..10).zip(POSITIONS.into_iter().cycle()) {
        let game = engine.begin(position, "go infinite");
        is_silent(engine, Duration::from_millis(10 * number))?;
        engine.probe.send("stop");
        let told = Instant::now();
        engine.finish(game)?.check_move()?;
        worst = worst.max(told.elapsed());
    }
    verdict(worst <= Duration::from_millis(500), format!("at most {} ms", worst.as_millis()))
}
