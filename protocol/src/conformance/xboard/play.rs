//! Order: who moves when, what `ping` promises, and that nothing stale ever leaves.

use super::super::Level::{Must, Wanted};
use super::super::lines::{MATE_IN_1, QUIET, game};
use super::super::probe::{Fault, Seen, broken, verdict};
use super::Rule;
use super::{Engine, LONG, MOVE_TIME, is_error, is_pong, is_result, own_move, without};
use chess::text::one_line;
use std::time::{Duration, Instant};

pub(super) const RULES: &[Rule<Engine>] = &[
    // An engine may always ignore `?`, and may move at once whatever else it gets while it thinks.
    (Wanted, "no move leaves after force", |engine| called_off(engine, "force")),
    (Wanted, "no move leaves after new", |engine| called_off(engine, "new")),
    (Wanted, "no move leaves after result", |engine| called_off(engine, "result 1-0 {White resigns}")),
    (Wanted, "no move leaves after force and setboard", |engine| {
        engine.need("setboard")?;
        called_off(engine, "force\nsetboard 4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1")
    }),
    (Wanted, "? makes it move at once", move_now),
    (Must, "? without a search does nothing", |engine| {
        let said = engine.tell("new\nforce\n?")?;
        without(&said, "move", |line| own_move(line).is_some())
    }),
    (Wanted, "? and ping in one burst: the move comes before the pong", move_now_and_ping),
    (Must, "ping on its move is answered after the move", ping_on_move),
    (Must, "ping while pondering is answered at once", ping_while_pondering),
    (Must, "a ponder hit and a ponder miss are both answered", ponder_hit_and_miss),
    (Must, "easy ends pondering", easy),
    (Must, "draw and result while pondering do no harm", draw_while_pondering),
    (Wanted, "draw while it thinks does not end the search", draw_while_thinking),
    (Must, "a mate it gives is claimed rightly or not at all", claims),
];

fn called_off(engine: &mut Engine, word: &str) -> Seen {
    engine.think(LONG)?;
    engine.interject(word);
    let said = engine.sync()?;
    if let Some(line) = said.iter().find(|line| own_move(line).is_some()) {
        return broken(format!("{line} after {}", one_line(word)));
    }
    let after = engine.probe.listen(Duration::from_millis(300))?;
    without(&after, "move", |line| own_move(line).is_some())?;
    // And it is at once ready for another game.
    engine.quick_game()?;
    engine.probe.send("go");
    engine.its_move(&mut game("", ""))?;
    Ok("no move; the next game begins".into())
}

fn move_now(engine: &mut Engine) -> Seen {
    engine.think(LONG)?;
    let told = Instant::now();
    engine.interject("?");
    engine.its_move(&mut game("", QUIET))?;
    let took = told.elapsed();
    verdict(took <= Duration::from_millis(500), format!("move after {} ms", took.as_millis()))
}

fn move_now_and_ping(engine: &mut Engine) -> Seen {
    engine.need("ping")?;
    engine.think(LONG)?;
    engine.interject("?\nping 71");
    let said = engine.probe.until("pong 71", |line| is_pong(line, 71))?;
    verdict(said.iter().any(|line| own_move(line).is_some()), format!("it says {said:?}"))
}

fn ping_on_move(engine: &mut Engine) -> Seen {
    engine.need("ping")?;
    engine.set_up(("", QUIET), "nopost\nst 1")?;
    engine.probe.send("go\nping 72");
    let said = engine.probe.until_after(MOVE_TIME, "pong 72", |line| is_pong(line, 72))?;
    verdict(said.iter().any(|line| own_move(line).is_some()), format!("it says {said:?}"))
}

/// It has pondered for a moment.
fn ponder(engine: &mut Engine) -> Result<chess::Game, Fault> {
    let board = engine.ponder()?;
    engine.probe.listen(Duration::from_millis(150))?;
    Ok(board)
}

fn ping_while_pondering(engine: &mut Engine) -> Seen {
    engine.need("ping")?;
    ponder(engine)?;
    let told = Instant::now();
    let said = engine.sync()?;
    let took = told.elapsed();
    without(&said, "move", |line| own_move(line).is_some())?;
    verdict(took <= Duration::from_millis(500), format!("pong after {} ms", took.as_millis()))
}

fn ponder_hit_and_miss(engine: &mut Engine) -> Seen {
    // The replies differ, so that one of them is likely hit and others are missed.
    let mut board = ponder(engine)?;
    for _ in 0..4 {
        let hint = engine.tell("hint")?;
        let hinted = hint.iter().find_map(|line| line.strip_prefix("Hint:")).map(str::trim);
        let wanted = hinted.and_then(|text| super::lines::read(board.position(), text));
        let Some(reply) = wanted.or_else(|| board.position().legal_moves().first().copied()) else { break };
        let text = board.position().uci(reply);
        // It is a legal move of this position.
        let _ = board.play(reply);
        engine.probe.send(&format!("{}{}", engine.clocks(500), engine.spelled(&text)));
        engine.its_move(&mut board)?;
        let missed = board.position().legal_moves().last().copied();
        let Some(miss) = missed else { break };
        let text = board.position().uci(miss);
        let _ = board.play(miss);
        engine.probe.send(&format!("{}{}", engine.clocks(500), engine.spelled(&text)));
        engine.its_move(&mut board)?;
    }
    Ok(format!("{} plies", board.moves().len()))
}

fn easy(engine: &mut Engine) -> Seen {
    ponder(engine)?;
    let said = engine.tell("easy")?;
    without(&said, "move", |line| own_move(line).is_some())?;
    engine.probe.rests()
}

fn draw_while_pondering(engine: &mut Engine) -> Seen {
    ponder(engine)?;
    if engine.not_declined("draw").is_ok() {
        let said = engine.tell("draw")?;
        without(&said, "error", is_error)?;
    }
    let said = engine.tell("result 1/2-1/2 {Draw agreed}")?;
    without(&said, "error", is_error)?;
    engine.quick_game()?;
    engine.probe.send("go");
    engine.its_move(&mut game("", ""))?.brief()
}

fn draw_while_thinking(engine: &mut Engine) -> Seen {
    engine.not_declined("draw")?;
    engine.think(LONG)?;
    engine.interject("draw");
    let said = engine.probe.listen(Duration::from_millis(200))?;
    without(&said, "move", |line| own_move(line).is_some())?;
    engine.interject("?");
    engine.its_move(&mut game("", QUIET))?.brief()
}

fn claims(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    engine.set_board(MATE_IN_1)?;
    engine.probe.send("go");
    let mut board = game(MATE_IN_1, "");
    let answer = engine.its_move(&mut board)?;
    let after = engine.sync()?;
    let claim = answer.said.iter().chain(&after).find(|line| is_result(line));
    match (board.outcome(), claim) {
        (Some(_), Some(line)) => verdict(line.starts_with("1-0"), format!("move {}, {line}", answer.mv)),
        (None, Some(line)) => broken(format!("move {} does not mate, yet it says {line}", answer.mv)),
        (_, None) => Ok(format!("move {}, no claim", answer.mv)),
    }
}
