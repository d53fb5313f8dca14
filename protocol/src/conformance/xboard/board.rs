//! The game on the board: moves, take-backs, positions.

use super::super::Level::{Must, Wanted};
use super::super::lines::game;
use super::super::probe::{Fault, Seen, broken, verdict};
use super::Rule;
use super::{Engine, is_error, own_move, without};
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "after new it plays Black: a move of White's is answered", |engine| {
        engine.quick_game()?;
        engine.probe.send(&engine.spelled("e2e4"));
        engine.its_move(&mut game("", "e2e4"))?.brief()
    }),
    (Must, "go makes it play the side to move", |engine| {
        engine.quick_game()?;
        engine.probe.send("go");
        engine.its_move(&mut game("", ""))?.brief()
    }),
    (Must, "in force mode it takes moves of both sides and plays none", force),
    (Must, "castling, en passant and promotion come in coordinates", special_moves),
    (Must, "playother makes it play the side not to move", playother),
    (Must, "an illegal move is answered by Illegal move, and changes nothing", illegal_move),
    (Must, "undo takes back one ply, in force mode several times", |engine| take_back(engine, &["undo"; 5])),
    (Wanted, "remove takes back two plies, several times in force mode (python-chess)", |engine| {
        take_back(engine, &["undo", "remove", "remove"])
    }),
    (Must, "setboard sets up a position; Black may be to move", |engine| {
        engine.quick_game()?;
        let fen = "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 1";
        engine.set_board(fen)?;
        engine.probe.send("go");
        engine.its_move(&mut game(fen, ""))?.brief()
    }),
    (Must, "b2b3 before setboard is borne (cutechess, Black to move)", dummy_move),
    (Wanted, "an impossible position is refused by an error that holds its FEN (PyChess)", impossible),
    (Wanted, "edit sets up a position", edit),
    (Must, "fischerandom: castling comes as O-O", fischerandom),
    (
        Wanted,
        "hint and bk: Hint: MOVE or nothing; book lines indented and ended by an empty line",
        hint_and_book,
    ),
    (Must, "draw, result and white/black do no harm", told_results),
    (Must, "several games in one process", |engine| {
        engine.not_declined("reuse")?;
        for _ in 0..3 {
            engine.quick_game()?;
            engine.probe.send("go");
            engine.its_move(&mut game("", ""))?;
            engine.tell("result 1-0 {White mates}")?;
        }
        Ok("three".into())
    }),
];

fn force(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    let moves = "e2e4 e7e5 g1f3 b8c6";
    let said = engine.tell(&format!("force\n{}", engine.moves(moves)))?;
    without(&said, "error", is_error)?;
    let said = [said, engine.probe.listen(Duration::from_millis(200))?].concat();
    without(&said, "move", |line| own_move(line).is_some())?;
    engine.probe.send("go");
    engine.its_move(&mut game("", moves))?.brief()
}

fn special_moves(engine: &mut Engine) -> Seen {
    let castled = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 e8g8";
    let en_passant = "e2e4 a7a6 e4e5 d7d5 e5d6";
    let promoted = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 d8c8 b7a8q";
    for moves in [castled, en_passant, promoted] {
        engine.quick_game()?;
        let said = engine.tell(&format!("force\n{}", engine.moves(moves)))?;
        without(&said, "error", is_error)?;
        engine.probe.send("go");
        engine.its_move(&mut game("", moves))?;
    }
    Ok("legal answers to all three".into())
}

fn playother(engine: &mut Engine) -> Seen {
    engine.need("playother")?;
    engine.quick_game()?;
    engine.tell("force\nplayother")?;
    engine.probe.send(&engine.spelled("d2d4"));
    engine.its_move(&mut game("", "d2d4"))?.brief()
}

fn illegal_move(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    engine.probe.send("force");
    let mut seen = String::new();
    for wrong in ["e2e5", "e7e5", "e1g1"] {
        let said = engine.tell(&engine.spelled(wrong))?;
        let Some(line) = said.iter().find(|line| line.starts_with("Illegal move")) else {
            return broken(format!("{wrong} is answered by {said:?}"));
        };
        seen = line.clone();
    }
    engine.probe.send("go");
    engine.its_move(&mut game("", ""))?;
    Ok(seen)
}

/// Words that take back five plies of six.
fn take_back(engine: &mut Engine, words: &[&str]) -> Seen {
    engine.quick_game()?;
    let moves = engine.moves("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    let said = engine.tell(&format!("force\n{moves}\n{}", words.join("\n")))?;
    without(&said, "error", is_error)?;
    engine.probe.send("go");
    engine.its_move(&mut game("", "e2e4"))?.brief()
}

fn dummy_move(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    engine.need("setboard")?;
    engine.probe.send(&format!("force\n{}\nsetboard {fen}", engine.spelled("b2b3")));
    let said = engine.sync()?;
    without(&said, "error", is_error)?;
    engine.probe.send("go");
    engine.its_move(&mut game(fen, ""))?.brief()
}

fn impossible(engine: &mut Engine) -> Seen {
    let fen = "8/8/8/8/8/8/8/8 w - - 0 1";
    engine.quick_game()?;
    engine.set_board(fen)?;
    let said = engine.sync()?;
    let Some(line) = said.iter().find(|line| line.contains(fen)) else {
        return broken(format!("setboard {fen} is answered by {said:?}"));
    };
    let seen = line.clone();
    engine.quick_game()?;
    engine.probe.send("go");
    engine.its_move(&mut game("", ""))?;
    Ok(seen)
}

fn edit(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    let said = engine.tell("force\nedit\n#\nKe1\nPe2\nc\nKe8\nPe7\n.")?;
    without(&said, "error", is_error)?;
    engine.probe.send("go");
    engine.its_move(&mut game("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", ""))?.brief()
}

fn fischerandom(engine: &mut Engine) -> Seen {
    let variants = engine.feature("variants").unwrap_or_default();
    if !variants.split(',').any(|variant| variant.trim() == "fischerandom") {
        return Err(Fault::NotOffered("no variant fischerandom".into()));
    }
    let fen = "1r3k1r/pppppppp/8/8/8/8/PPPPPPPP/1R3K1R w HBhb - 0 1";
    engine.probe.send("new\nvariant fischerandom\neasy\npost\nst 1\nsd 3");
    engine.set_board(fen)?;
    let said = engine.tell(&engine.spelled("O-O"))?;
    without(&said, "error", is_error)?;
    engine.probe.send("go");
    engine.its_move(&mut game(fen, "f1h1"))?.brief()
}

fn hint_and_book(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    let said = engine.tell(&format!("force\n{}\nhint", engine.moves("e2e4 e7e5")))?;
    without(&said, "error", is_error)?;
    let mut here = game("", "e2e4 e7e5");
    if let Some(mv) = said.iter().find_map(|line| line.strip_prefix("Hint:"))
        && super::lines::read(here.position(), mv.trim()).is_none_or(|mv| here.play(mv).is_err())
    {
        return broken(format!("Hint: {mv} is illegal"));
    }
    let said = engine.tell("bk")?;
    without(&said, "error", is_error)?;
    match said.as_slice() {
        [] => Ok("bk says nothing".into()),
        [lines @ .., last] => {
            let indented = lines.iter().all(|line| line.starts_with([' ', '\t']));
            verdict(indented && last.is_empty(), format!("bk says {said:?}"))
        }
    }
}

fn told_results(engine: &mut Engine) -> Seen {
    engine.quick_game()?;
    if engine.not_declined("draw").is_ok() {
        engine.probe.send("draw");
    }
    engine.tell("result 1/2-1/2 {Draw by agreement}\nresult * {abandoned}")?;
    engine.quick_game()?;
    let colours = if engine.not_declined("colors").is_ok() { "white\nblack\nwhite\n" } else { "" };
    engine.probe.send(&format!("force\n{colours}go\npost"));
    engine.its_move(&mut game("", ""))?.brief()
}
