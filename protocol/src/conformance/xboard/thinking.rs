//! Thinking shown: `post`, lines, mate scores, several lines.

use super::super::Level::{Must, Wanted};
use super::super::lines::{
    self, Judge, MATE_IN_1, MATE_IN_2, MATED_IN_1, NEARLY_FIFTY, POSITIONS, QUIET, Spelling, game,
};
use super::super::probe::{Fault, Seen, broken, verdict};
use super::Rule;
use super::{Answer, Engine, LONG, is_thinking, own_move, without};
use std::time::Duration;

pub(super) const RULES: &[Rule<Engine>] = &[
    (Wanted, "post shows thinking: depth, score, time, nodes and a line of legal moves", shown),
    (Must, "nopost shows none", |engine| {
        let said = engine.search(("", QUIET), "nopost\nst 1\nsd 5")?.said;
        without(&said, "thinking line", is_thinking)
    }),
    (Wanted, "post and nopost work in mid-search", post_in_search),
    (Wanted, "the move is the first of the last line shown", head_of_line),
    (Wanted, "lines end where the game ends", lines_end),
    (Wanted, "mates are 100000 and the number of moves", mates),
    (Wanted, "no line holds a bracket, which xboard takes for a book's", brackets),
    (Wanted, "option MultiPV shows several lines of the same depth", multipv),
    (Wanted, "before the lines of a ponder search comes Hint:", hint_first),
];

/// Depth, score, and the moves of a thinking line; move numbers, alone or before a move, and marks are dropped.
pub(super) fn read<'a>(line: &'a str) -> Option<(u32, i64, Vec<&'a str>)> {
    let (numbers, moves) = match line.split_once('\t') {
        Some((numbers, moves)) => (numbers, moves.split_whitespace().collect()),
        None => (line, line.split_whitespace().skip(4).collect::<Vec<_>>()),
    };
    let mut words = numbers.split_whitespace();
    let depth = words.next()?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    let score = words.next()?.parse().ok()?;
    let mark = |word: &&str| ["!", "?", "++", "--", ""].contains(word) || word.parse::<u32>().is_ok();
    // `1.e4`, `1...e5` and `1.` alone.
    let bare = |word: &'a str| word.rsplit('.').next().unwrap_or(word);
    Some((depth, score, moves.into_iter().map(bare).filter(|word| !mark(word)).collect()))
}

fn check_lines(answer: &Answer, at: (&str, &str), judge: Judge) -> Result<usize, Fault> {
    let start = game(at.0, at.1);
    let mut count = 0;
    for line in answer.said.iter().filter(|line| is_thinking(line)) {
        let Some((_, _, moves)) = read(line) else { return broken(format!("unreadable: {line}")) };
        if let Some(fault) = judge(&start, Spelling::Any, &moves) {
            return broken(format!("{fault}: {line}"));
        }
        count += 1;
    }
    Ok(count)
}

fn shown(engine: &mut Engine) -> Seen {
    let mut count = 0;
    for at in POSITIONS {
        count += check_lines(&engine.search(at, "st 1\nsd 8")?, at, lines::illegal)?;
    }
    verdict(count > 0, format!("{count} lines"))
}

fn post_in_search(engine: &mut Engine) -> Seen {
    let silent = engine.think(LONG)?;
    without(&silent, "thinking line", is_thinking)?;
    engine.interject("post");
    engine.probe.until("thinking line after post", is_thinking)?;
    engine.interject("nopost\n?");
    engine.its_move(&mut game("", QUIET))?.brief()
}

fn head_of_line(engine: &mut Engine) -> Seen {
    // A move from a book comes without a line.
    for at in [("", QUIET), POSITIONS[2], POSITIONS[3], POSITIONS[4]] {
        let answer = engine.search(at, "st 1\nsd 6")?;
        let start = game(at.0, at.1);
        let last = answer.said.iter().rfind(|line| is_thinking(line)).and_then(|line| read(line));
        let head = last.and_then(|(_, _, moves)| moves.first().copied());
        let Some(head) = head else { return broken(format!("no line before move {}", answer.mv)) };
        let same = lines::read(start.position(), head) == lines::read(start.position(), &answer.mv);
        if !same {
            return broken(format!("move {} after a line that begins with {head}", answer.mv));
        }
    }
    Ok("in 4 searches".into())
}

fn lines_end(engine: &mut Engine) -> Seen {
    let mut count = 0;
    for fen in [MATE_IN_2, MATED_IN_1, NEARLY_FIFTY] {
        let answer = engine.search((fen, ""), "st 1\nsd 8")?;
        count += check_lines(&answer, (fen, ""), lines::overlong)?;
    }
    verdict(count > 0, format!("{count} lines"))
}

fn mates(engine: &mut Engine) -> Seen {
    for (fen, wanted) in [(MATE_IN_1, 100_001), (MATE_IN_2, 100_002), (MATED_IN_1, -100_001)] {
        let answer = engine.search((fen, ""), "st 2\nsd 10")?;
        let last = answer.said.iter().rfind(|line| is_thinking(line)).and_then(|line| read(line));
        let score = last.map(|(_, score, _)| score);
        if score != Some(wanted) {
            return broken(format!("{score:?} instead of {wanted} in {fen}"));
        }
    }
    Ok("100001, 100002, -100001".into())
}

fn brackets(engine: &mut Engine) -> Seen {
    let answer = engine.search(POSITIONS[2], "st 1\nsd 8")?;
    let lines: Vec<String> = answer.said.into_iter().filter(|line| is_thinking(line)).collect();
    without(&lines, "bracket", |line| line.contains('('))
}

fn multipv(engine: &mut Engine) -> Seen {
    let option = engine.options().filter_map(|option| option.split(" -").next());
    let Some(name) = option.map(str::trim).find(|name| name.eq_ignore_ascii_case("MultiPV")) else {
        return Err(Fault::NotOffered("no option MultiPV".into()));
    };
    let set = format!("option {name}=3");
    engine.tell(&set)?;
    let at = ("", QUIET);
    let answer = engine.search(at, "st 1\nsd 5")?;
    if check_lines(&answer, at, lines::illegal)? == 0 {
        return Err(Fault::NotOffered("it shows no lines".into()));
    }
    let lines: Vec<_> =
        answer.said.iter().filter(|line| is_thinking(line)).filter_map(|line| read(line)).collect();
    let deepest = lines.iter().map(|(depth, ..)| *depth).max().unwrap_or(0);
    let mut heads: Vec<&str> = Vec::new();
    for (_, _, moves) in lines.iter().filter(|(depth, ..)| *depth + 1 == deepest) {
        if let Some(head) = moves.first().filter(|head| !heads.contains(head)) {
            heads.push(head);
        }
    }
    verdict(heads.len() >= 3, format!("lines of depth {} begin with {}", deepest - 1, heads.join(", ")))
}

fn hint_first(engine: &mut Engine) -> Seen {
    engine.ponder()?;
    let said = engine.probe.listen(Duration::from_millis(700))?;
    let first = said.iter().find(|line| is_thinking(line) || line.starts_with("Hint:"));
    match first {
        None => Err(Fault::NotOffered("it shows no pondering".into())),
        Some(line) if own_move(line).is_some() => broken(line.clone()),
        Some(line) => verdict(line.starts_with("Hint:"), format!("first comes: {line}")),
    }
}
