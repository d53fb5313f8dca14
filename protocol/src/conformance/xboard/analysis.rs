//! Analysis: `analyze`, what may happen to the board meanwhile, and `exit`.

use super::super::Level::{Must, Wanted};
use super::super::lines::{POSITIONS, QUIET, Spelling, game};
use super::super::probe::{Fault, Seen, broken, verdict};
use super::Rule;
use super::{Engine, is_error, is_pong, is_thinking, lines, own_move, thinking, without};
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Must, "analyze thinks and shows it; exit ends it", |engine| {
        analyze(engine)?;
        engine.tell("exit")?;
        let after = engine.probe.listen(Duration::from_millis(200))?;
        without(&after, "thinking line", is_thinking)
    }),
    (Must, "analysis goes on after a move, undo, setboard and new", follows_the_board),
    (Must, "analysis never plays a move", |engine| {
        analyze(engine)?;
        engine.probe.send(&engine.spelled("e2e4"));
        let said = engine.probe.listen(Duration::from_millis(400))?;
        without(&said, "move", |line| own_move(line).is_some())
    }),
    (Wanted, ". is answered by stat01: time nodes ply left total", status),
    (Wanted, "nothing but thinking is said unasked (python-chess)", |engine| {
        analyze(engine)?;
        let said = engine.probe.listen(Duration::from_millis(400))?;
        without(&said, "talk", |line| !is_thinking(line) && !line.trim().is_empty() && !line.starts_with('#'))
    }),
    (Must, ". exit and ping in one burst are answered in order (python-chess)", burst),
    (Wanted, "an empty board ends an analysis without harm (PyChess)", empty_board),
    (Must, "exclude and include choose the moves searched", exclude),
    (Must, "setscore is taken", setscore),
    (Wanted, "hint and bk work in analysis", |engine| {
        analyze(engine)?;
        let said = engine.tell("hint\nbk")?;
        without(&said, "error", is_error)
    }),
];

/// Begins to analyse a position that no book has: an engine may show a book's moves in place of lines.
fn analyze(engine: &mut Engine) -> Result<(), Fault> {
    engine.not_declined("analyze")?;
    engine.probe.send(&format!("new\npost\nforce\n{}\nanalyze", engine.moves(QUIET)));
    // The older way to decline it, which the text still allows.
    let declines = |line: &str| line.starts_with("Error") && line.ends_with(": analyze");
    let said = engine.probe.until("thinking line", |line| is_thinking(line) || declines(line))?;
    match said.last() {
        Some(line) if declines(line) => Err(Fault::NotOffered(line.clone())),
        _ => Ok(()),
    }
}

/// A thinking line with moves must come, all of them legal here; those of the board before may still come first.
fn lines_of(engine: &mut Engine, fen: &str, moves: &str) -> Result<(), Fault> {
    let here = game(fen, moves);
    let what = format!("line of analysis after '{moves}' {fen}");
    let fits = |line: &str| {
        let moves = thinking::read(line).filter(|_| is_thinking(line)).map(|(_, _, moves)| moves);
        moves.is_some_and(|moves| !moves.is_empty() && lines::illegal(&here, Spelling::Any, &moves).is_none())
    };
    engine.probe.until(&what, fits).map(|_| ())
}

fn follows_the_board(engine: &mut Engine) -> Seen {
    analyze(engine)?;
    let moved = format!("{QUIET} e2e4");
    engine.probe.send(&engine.spelled("e2e4"));
    lines_of(engine, "", &moved)?;
    engine.probe.send(&engine.spelled("e7e5"));
    lines_of(engine, "", &format!("{moved} e7e5"))?;
    engine.probe.send("undo");
    lines_of(engine, "", &moved)?;
    if engine.need("setboard").is_ok() {
        let fen = POSITIONS[2].0;
        engine.probe.send(&format!("setboard {fen}"));
        lines_of(engine, fen, "")?;
    }
    // Books have the start position.
    engine.probe.send(&format!("new\n{}", engine.moves(QUIET)));
    lines_of(engine, "", QUIET)?;
    engine.tell("exit")?;
    Ok("it follows".into())
}

fn status(engine: &mut Engine) -> Seen {
    analyze(engine)?;
    engine.probe.send(".");
    let said = engine.probe.until("stat01:", |line| line.starts_with("stat01:"))?;
    let line = said.last().map(String::as_str).unwrap_or_default();
    let numbers = line.split_whitespace().skip(1).take(5).filter(|word| word.parse::<u64>().is_ok()).count();
    verdict(numbers == 5, line)
}

fn burst(engine: &mut Engine) -> Seen {
    engine.need("ping")?;
    analyze(engine)?;
    engine.probe.send(".\nexit\nping 73");
    // An engine may do without `.` and say so.
    engine.probe.until("pong 73", |line| is_pong(line, 73))?;
    let after = engine.probe.listen(Duration::from_millis(200))?;
    without(&after, "thinking line", is_thinking)
}

fn empty_board(engine: &mut Engine) -> Seen {
    engine.need("setboard")?;
    analyze(engine)?;
    engine.tell("setboard 8/8/8/8/8/8/8/8 w - - 0 1")?;
    let after = engine.probe.listen(Duration::from_millis(200))?;
    without(&after, "thinking line", is_thinking)?;
    engine.tell("exit")?;
    engine.quick_game()?;
    engine.probe.send("go");
    engine.its_move(&mut game("", ""))?.brief()
}

fn exclude(engine: &mut Engine) -> Seen {
    engine.need("exclude")?;
    analyze(engine)?;
    engine.tell("exclude all\ninclude a2a3\ninclude h2h3")?;
    let said = engine.probe.until("thinking line", is_thinking)?;
    let line = said.last().map(String::as_str).unwrap_or_default();
    let Some((_, _, moves)) = thinking::read(line) else { return broken(format!("unreadable: {line}")) };
    let start = game("", QUIET);
    let allowed = ["a2a3", "h2h3"].map(|mv| lines::read(start.position(), mv));
    match moves.first().map(|head| lines::read(start.position(), head)) {
        Some(head) if allowed.contains(&head) => Ok(line.into()),
        _ => broken(format!("a line of a move that is excluded: {line}")),
    }
}

fn setscore(engine: &mut Engine) -> Seen {
    engine.need("setscore")?;
    analyze(engine)?;
    engine.probe.send(&engine.spelled("g2g4"));
    let said = engine.tell("setscore 900 20\nundo")?;
    without(&said, "error", is_error)?;
    lines_of(engine, "", QUIET)?;
    Ok("taken".into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::super::scripted::tried;
    use super::*;

    /// An engine that does this when it is to analyse, and has these `case` arms for what follows. Behind a `pong` it
    /// goes on at [`QUIET`].
    fn engine(analyze: &str, arms: &str) -> String {
        format!(
            "\
while read -r word rest; do
  case $word in
    protover) echo 'feature ping=1 setboard=1 setscore=1 done=1' ;;
    ping) echo \"pong $rest\"; echo '1 10 5 100 a2a3 a7a6' ;;
    analyze) {analyze} ;;
    {arms}
    quit) exit ;;
  esac
done"
        )
    }

    const RULES_ABOUT_THE_BOARD: [&str; 2] = ["analysis goes on after a move", "setscore is taken"];

    #[test]
    fn an_analysis_that_ignores_the_board_breaks_the_rules() {
        // Its first move is legal for Black after e2e4, the others for either side now and then. All comes at
        // once, with the answer to a ping, so that there is nothing to wait for.
        let line = "echo '1 10 5 100 e7e5 e2e4 g2g4 e2a6 b1c3'";
        let all = format!("for i in 1 2 3 4 5 6 7 8; do {line}; done; echo pong 1; {line}; exit");
        for rule in RULES_ABOUT_THE_BOARD {
            let (seen, _) = tried(&engine(&all, ""), RULES, rule);
            let Err(Fault::Broken(told)) = &seen else { panic!("{rule}: {seen:?}") };
            assert!(told.contains("line of analysis"), "{rule}: {told}");
        }
    }

    /// At the start position it shows what its book has, as phalanx does.
    #[test]
    fn an_analysis_that_follows_the_board_keeps_the_rules() {
        let arms = "\
    new) board=start; echo '0 0 0 0 (e2-e4 d2-d4)' ;;
    h8g8) board=quiet; echo '1 10 5 100 a2a3 a7a6' ;;
    e2e4) echo '1 10 5 100 e7e5 a2a3' ;;
    e7e5) echo '1 10 5 100 a2a3 a7a6' ;;
    g2g4) echo '1 10 5 100 e7e5' ;;
    undo) echo '1 10 5 100 e7e5 a2a3' ;;
    setboard) echo '1 10 5 100 e2a6 b4c3' ;;";
        let analyze = "[ $board = quiet ] && echo '1 10 5 100 a2a3' || echo '0 0 0 0 (e2-e4 d2-d4)'";
        for rule in RULES_ABOUT_THE_BOARD {
            let (seen, _) = tried(&engine(analyze, arms), RULES, rule);
            assert!(seen.is_ok(), "{rule}: {seen:?}");
        }
    }
}
