//! Ending games that the engines themselves consider decided.
//!
//! Each rule is a small tracker that is told of every move with the mover's evaluation and says when it has seen enough.
//! The rules are counted in one way each and stated in full, because the runners in use differ (fastchess #1009):
//!
//! * **draw**: from move `move_number` on, each side's last `moves` moves all had an evaluation within `score`;
//! * **resign**: a side's last `moves` moves all had an evaluation of `-score` or worse; two-sided: and its opponent's last
//!   `moves` moves all had `score` or better;
//! * **length**: the game has `moves` moves by each side.
//!
//! A move without an evaluation (a book move, a silent engine) begins the count anew.

use std::str::FromStr;

use chess::Color;

use crate::record::{Ending, Score};

/// When a game is drawn by agreement of both evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// Not before this move number.
    pub move_number: u32,
    /// Moves of each side in a row.
    pub moves: u32,
    /// Centipawns from zero.
    pub score: i32,
}

/// When a game is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// Moves in a row.
    pub moves: u32,
    /// Centipawns.
    pub score: i32,
    /// Whether the opponent must agree.
    pub two_sided: bool,
}

/// All rules of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// Draws.
    pub draw: Option<DrawRule>,
    /// Wins.
    pub resign: Option<ResignRule>,
    /// The longest game, in moves by each side.
    pub max_moves: Option<u32>,
}

/// A finding: the result, its kind and the sentence that explains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The result.
    pub score: Score,
    /// Its kind.
    pub ending: Ending,
    /// Its explanation.
    pub reason: String,
}

fn fields<'a>(what: &str, text: &'a str) -> Result<Vec<(&'a str, &'a str)>, String> {
    text.split([' ', ','])
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.split_once('=').ok_or_else(|| format!("{what}: `{word}` is not of the form key=value"))
        })
        .collect()
}

fn number<T: FromStr>(what: &str, key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{what}: {key}={value} is no number"))
}

/// Reads `movenumber=40 movecount=8 score=10`; each may be left out.
impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rule = Self { move_number: 40, moves: 8, score: 10 };
        for (key, value) in fields("--draw", text)? {
            match key {
                "movenumber" => rule.move_number = number("--draw", key, value)?,
                "movecount" => rule.moves = number::<u32>("--draw", key, value)?.max(1),
                "score" => rule.score = number::<i32>("--draw", key, value)?.abs(),
                _ => {
                    return Err(format!(
                        "--draw: unknown key `{key}`; known are movenumber, movecount, score"
                    ));
                }
            }
        }
        Ok(rule)
    }
}

/// Reads `movecount=3 score=600 twosided=true`; each may be left out.
impl FromStr for ResignRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut rule = Self { moves: 3, score: 600, two_sided: false };
        for (key, value) in fields("--resign", text)? {
            match key {
                "movecount" => rule.moves = number::<u32>("--resign", key, value)?.max(1),
                "score" => rule.score = number::<i32>("--resign", key, value)?.abs(),
                "twosided" => rule.two_sided = matches!(value, "true" | "on" | "1"),
                _ => {
                    return Err(format!(
                        "--resign: unknown key `{key}`; known are movecount, score, twosided"
                    ));
                }
            }
        }
        Ok(rule)
    }
}

/// The trackers of one game.
#[derive(Debug, Clone)]
pub struct Adjudicator {
    rules: Rules,
    quiet: [u32; 2],
    losing: [u32; 2],
    winning: [u32; 2],
}

impl Adjudicator {
    /// For a new game.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, quiet: [0; 2], losing: [0; 2], winning: [0; 2] }
    }

    /// Takes in a move by `mover` with its own evaluation, made as move number `number` (counted from the game's first
    /// move). Says if the game is over.
    pub fn moved(&mut self, mover: Color, number: u32, score: Option<i32>) -> Option<Finding> {
        let side = mover.index();
        let other = 1 - side;
        let count = |counter: &mut u32, holds: bool| *counter = if holds { *counter + 1 } else { 0 };
        if let Some(rule) = self.rules.draw {
            count(&mut self.quiet[side], score.is_some_and(|s| s.abs() <= rule.score));
            if number >= rule.move_number && self.quiet.iter().all(|&n| n >= rule.moves) {
                let reason =
                    format!("drawn by adjudication: within {} cp for {} moves each", rule.score, rule.moves);
                return Some(Finding { score: Score::Draw, ending: Ending::AdjudicatedDraw, reason });
            }
        }
        if let Some(rule) = self.rules.resign {
            count(&mut self.losing[side], score.is_some_and(|s| s <= -rule.score));
            count(&mut self.winning[side], score.is_some_and(|s| s >= rule.score));
            let lost = |loser: usize| {
                self.losing[loser] >= rule.moves && (!rule.two_sided || self.winning[1 - loser] >= rule.moves)
            };
            if let Some(loser) = [side, other].into_iter().find(|&loser| lost(loser)) {
                let name = ["White", "Black"][loser];
                let agreed = if rule.two_sided { ", the opponent agreeing" } else { "" };
                let reason = format!(
                    "{name} loses by adjudication: {} cp or worse for {} moves{agreed}",
                    -rule.score, rule.moves
                );
                let score = if loser == Color::White.index() { Score::Black } else { Score::White };
                return Some(Finding { score, ending: Ending::AdjudicatedWin, reason });
            }
        }
        let longest = self.rules.max_moves?;
        (mover == Color::Black && number >= longest).then(|| Finding {
            score: Score::Draw,
            ending: Ending::MaximumLength,
            reason: format!("drawn by adjudication: {longest} moves played"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rules: Rules, scores: &[Option<i32>]) -> Option<(usize, Finding)> {
        let mut adjudicator = Adjudicator::new(rules);
        scores.iter().enumerate().find_map(|(ply, score)| {
            let mover = if ply % 2 == 0 { Color::White } else { Color::Black };
            adjudicator.moved(mover, ply as u32 / 2 + 1, *score).map(|finding| (ply, finding))
        })
    }

    #[test]
    fn draws_need_both_sides_and_the_move_number() {
        let rules =
            Rules { draw: Some("movenumber=3 movecount=2 score=10".parse().unwrap()), ..Rules::default() };
        let quiet = [Some(5); 8];
        assert_eq!(run(rules, &quiet).unwrap().0, 4, "White's third move: two quiet ones each are seen");
        let mut loud = quiet;
        loud[3] = Some(11);
        assert_eq!(run(rules, &loud).unwrap().0, 7);
        loud[3] = None;
        assert_eq!(run(rules, &loud).unwrap().0, 7, "silence is no agreement");
    }

    #[test]
    fn resigning_one_sided_and_two_sided() {
        let one = Rules { resign: Some("movecount=2 score=500".parse().unwrap()), ..Rules::default() };
        let two = Rules {
            resign: Some("movecount=2,score=500,twosided=true".parse().unwrap()),
            ..Rules::default()
        };
        let scores = [Some(100), Some(-500), Some(700), Some(-900), Some(800), Some(-900)];
        let (ply, finding) = run(one, &scores).unwrap();
        assert_eq!((ply, finding.score), (3, Score::White));
        assert_eq!(run(two, &scores).unwrap().0, 4);
        assert!(finding.reason.starts_with("Black loses"));
    }

    #[test]
    fn the_longest_game() {
        let rules = Rules { max_moves: Some(2), ..Rules::default() };
        assert_eq!(run(rules, &[None; 6]).unwrap().0, 3);
    }

    #[test]
    fn bad_rules_are_named() {
        assert!("movcount=2".parse::<DrawRule>().unwrap_err().contains("movcount"));
        assert!("score=x".parse::<ResignRule>().unwrap_err().contains("score=x"));
    }
}
