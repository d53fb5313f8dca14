//! Ending games that the engines themselves consider decided.
//!
//! Each rule is a small tracker that sees every move of an engine with the mover's evaluation and says when it has seen
//! enough. The runners in use count in different ways (fastchess #1009), so the rules are stated in full; the
//! flags have the names that users of cutechess-cli and fastchess know.
//!
//! * **draw**, as fastchess counts: the last `2 * moves` moves, of both sides together, all had an evaluation within
//!   `score`, and move `move_number` has been completed by the numbering of the start position's FEN. A capture or pawn
//!   move begins the count anew, with itself as the first. (cutechess-cli counts likewise, but numbers moves
//!   from the start position, whatever its FEN says.)
//! * **resign**, as cutechess-cli counts: the mover's last `moves` moves all had an evaluation of `-score` or worse;
//!   two-sided: and its opponent's last `moves` moves all had `score` or better. (fastchess's two-sided rule
//!   compares no signs: it takes `2 * moves` evaluations beyond `score` in a row, for either side.)
//! * **length**: `2 * moves` moves have been played, those of the opening included, whichever side began.
//!
//! Where another runner's command line is played ([`Manner`]), its rules hold in full:
//!
//! * **fastchess**: resign before draw. One-sided: after a move with a negative evaluation its side loses if
//!   either side has `moves` moves in a row at `-score` or worse; two-sided as above, the loser being the
//!   side whose own evaluation is the first negative one. The length does not count the opening.
//! * **cutechess-cli**: move numbers are half the plies since the start position; a `move_number` of 0
//!   switches the rule off.
//!
//! A mate score is beyond every `score`. A move without an evaluation begins the counts of its side anew,
//! that of the draw rule for both; moves of the opening are not shown to the rules at all.

use std::str::FromStr;

use chess::{Color, Position};

use crate::keys::{KeyError, pairs};
use crate::record::{Ending, Score};
use crate::wording::counted;

/// When a game is drawn by agreement of both evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// Not before this move has been completed; numbered as in the FEN of the start position.
    pub move_number: u32,
    /// Moves in a row, counted as pairs of plies.
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

/// Whose rules are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    /// Our own: fastchess's draws, cutechess-cli's resignations and lengths.
    #[default]
    House,
    /// fastchess's.
    Fastchess,
    /// cutechess-cli's.
    Cutechess,
}

/// All rules of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// Whose they are.
    pub manner: Manner,
    /// Draws.
    pub draw: Option<DrawRule>,
    /// Wins.
    pub resign: Option<ResignRule>,
    /// The longest game: twice as many plies, whichever side begins.
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

/// The largest evaluation a rule may name: beyond it are mate scores.
const MOST_CENTIPAWNS: i32 = 90_000;
/// The most moves a rule may ask for in a row.
const MOST_MOVES: u32 = 10_000;

/// Reads `movenumber=40 movecount=8 score=10`; each may be left out, and these hold then.
impl FromStr for DrawRule {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut rule = Self { move_number: 40, moves: 8, score: 10 };
        for pair in pairs("--draw", &["movenumber", "movecount", "score"], text)? {
            match pair.key {
                "movenumber" => rule.move_number = pair.number(0..=MOST_MOVES)?,
                "movecount" => rule.moves = pair.number(1..=MOST_MOVES)?,
                _ => rule.score = pair.number(0..=MOST_CENTIPAWNS)?,
            }
        }
        Ok(rule)
    }
}

/// Reads `movecount=3 score=600 twosided=false`; each may be left out, and these hold then.
impl FromStr for ResignRule {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let mut rule = Self { moves: 3, score: 600, two_sided: false };
        for pair in pairs("--resign", &["movecount", "score", "twosided"], text)? {
            match pair.key {
                "movecount" => rule.moves = pair.number(1..=MOST_MOVES)?,
                "score" => rule.score = pair.number(1..=MOST_CENTIPAWNS)?,
                _ => rule.two_sided = pair.truth()?,
            }
        }
        Ok(rule)
    }
}

/// The trackers of one game.
#[derive(Debug, Clone)]
pub struct Adjudicator {
    rules: Rules,
    /// Plies of the opening.
    book: usize,
    /// Plies in a row with an evaluation beyond the resign rule's, for fastchess's two-sided rule.
    clear: u32,
    /// Plies in a row within the draw rule's score.
    quiet: u32,
    losing: [u32; 2],
    winning: [u32; 2],
}

impl Adjudicator {
    /// For a new game, whose opening has so many plies.
    #[must_use]
    pub fn new(rules: Rules, book: usize) -> Self {
        Self { rules, book, clear: 0, quiet: 0, losing: [0; 2], winning: [0; 2] }
    }

    /// Takes in an engine's move with its evaluation of it: `after` is the position it led to, `plies` counts
    /// all moves of the game. Says if the game is over.
    pub fn moved(&mut self, after: &Position, plies: usize, score: Option<i32>) -> Option<Finding> {
        let mover = !after.side_to_move();
        let drawn = self.rules.draw.and_then(|rule| self.drawn(rule, after, plies, score));
        let fastchess = self.rules.manner == Manner::Fastchess;
        let lost = self.rules.resign.and_then(|rule| match fastchess {
            true => self.lost_by_fastchess(rule, mover, score),
            false => self.lost(rule, mover, score),
        });
        let first = if fastchess { lost.or(drawn) } else { drawn.or(lost) };
        first.or_else(|| self.too_long(plies))
    }

    /// Says if the game is over because of its length alone, whichever side made the last move.
    #[must_use]
    pub fn too_long(&self, plies: usize) -> Option<Finding> {
        let fastchess = self.rules.manner == Manner::Fastchess;
        let played = if fastchess { plies.saturating_sub(self.book) } else { plies } / 2;
        self.rules.max_moves.filter(|&moves| played >= moves as usize)?;
        let reason = format!("drawn by adjudication: {} played", counted(played as u64, "move"));
        Some(Finding { score: Score::Draw, ending: Ending::MaximumLength, reason })
    }

    /// The same before an engine has moved. Other runners ask after moves only.
    #[must_use]
    pub fn too_long_at_start(&self, plies: usize) -> Option<Finding> {
        self.too_long(plies).filter(|_| self.rules.manner == Manner::House)
    }

    fn drawn(
        &mut self,
        rule: DrawRule,
        after: &Position,
        plies: usize,
        score: Option<i32>,
    ) -> Option<Finding> {
        if after.halfmove_clock() == 0 {
            self.quiet = 0;
        }
        count(&mut self.quiet, score.is_some_and(|score| score.unsigned_abs() <= rule.score.unsigned_abs()));
        let reason = format!("drawn by adjudication: within {} cp for {} moves each", rule.score, rule.moves);
        let late = match self.rules.manner {
            Manner::Cutechess => rule.move_number > 0 && plies / 2 >= rule.move_number as usize,
            Manner::House | Manner::Fastchess => after.fullmove_number() > rule.move_number,
        };
        (late && self.quiet >= 2 * rule.moves).then_some(Finding {
            score: Score::Draw,
            ending: Ending::AdjudicatedDraw,
            reason,
        })
    }

    fn lost(&mut self, rule: ResignRule, mover: Color, score: Option<i32>) -> Option<Finding> {
        let side = mover.index();
        count(&mut self.losing[side], score.is_some_and(|score| score <= -rule.score));
        count(&mut self.winning[side], score.is_some_and(|score| score >= rule.score));
        let agreed = !rule.two_sided || self.winning[1 - side] >= rule.moves;
        // cutechess-cli takes no moves for no rule.
        (rule.moves > 0 && self.losing[side] >= rule.moves && agreed).then(|| lost_by(rule, mover))
    }

    fn lost_by_fastchess(&mut self, rule: ResignRule, mover: Color, score: Option<i32>) -> Option<Finding> {
        let beyond = |score: i32| score.unsigned_abs() >= rule.score.unsigned_abs();
        count(&mut self.clear, score.is_some_and(beyond));
        count(&mut self.losing[mover.index()], score.is_some_and(|score| score <= -rule.score));
        let enough = match rule.two_sided {
            true => self.clear >= 2 * rule.moves,
            false => self.losing.iter().any(|&losing| losing >= rule.moves),
        };
        (enough && score.is_some_and(|score| score < 0)).then(|| lost_by(rule, mover))
    }
}

fn lost_by(rule: ResignRule, loser: Color) -> Finding {
    let (name, score) = match loser {
        Color::White => ("White", Score::Black),
        Color::Black => ("Black", Score::White),
    };
    let agreed = if rule.two_sided { ", the opponent agreeing" } else { "" };
    let (worst, moves) = (-rule.score, rule.moves);
    let reason = format!("{name} loses by adjudication: {worst} cp or worse for {moves} moves{agreed}");
    Finding { score, ending: Ending::AdjudicatedWin, reason }
}

/// One more in a row, or none.
fn count(counter: &mut u32, holds: bool) {
    *counter = if holds { *counter + 1 } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of our own making, with the ply after which fastchess (for `--draw`) and cutechess-cli (for `--resign` and
    /// `--maxmoves`) end them by the rules their sources state; counted by hand. A blank line apart: rules;
    /// start position; moves, each with its evaluation (`?`: none); the ply of the end and its kind, or `-`.
    const GAMES: &str = include_str!("../tests/data/adjudication.txt");

    fn rules(text: &str) -> Rules {
        let mut rules = Rules::default();
        for flag in text.split("--").map(str::trim).filter(|flag| !flag.is_empty()) {
            let (name, list) = flag.split_once(' ').unwrap();
            match name {
                "draw" => rules.draw = Some(list.parse().unwrap()),
                "resign" => rules.resign = Some(list.parse().unwrap()),
                _ => rules.max_moves = Some(list.parse().unwrap()),
            }
        }
        rules
    }

    fn end(rules: Rules, fen: &str, moves: &str) -> Option<(usize, Finding)> {
        let mut adjudicator = Adjudicator::new(rules, 0);
        let mut position = Position::from_fen(fen).unwrap();
        moves.split_whitespace().enumerate().find_map(|(ply, word)| {
            let (san, score) = word.split_once('/').unwrap();
            position = position.after(position.parse_san(san).unwrap());
            adjudicator.moved(&position, ply + 1, score.parse().ok()).map(|finding| (ply + 1, finding))
        })
    }

    #[test]
    fn games_end_where_the_runners_that_users_know_end_them() {
        let mut seen = 0;
        let text: Vec<&str> = GAMES.lines().filter(|line| !line.starts_with('#')).collect();
        for game in text.split(|line| line.is_empty()).filter(|game| !game.is_empty()) {
            let &[flags, fen, moves, expected] = game else { panic!("four lines a game: {game:?}") };
            let found = end(rules(flags), fen, moves).map_or("-".to_owned(), |(ply, finding)| {
                format!("{ply} {} {}", finding.ending, finding.score.text())
            });
            assert_eq!(found, expected, "{flags}, {fen}");
            seen += 1;
        }
        assert!(seen >= 12, "{seen} games");
    }

    #[test]
    fn the_loser_is_named() {
        let one = Rules { resign: Some("movecount=2 score=500".parse().unwrap()), ..Rules::default() };
        let moves = "e4/100 e5/-500 Nf3/700 Nc6/-900";
        let (_, finding) =
            end(one, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves).unwrap();
        assert!(finding.reason.starts_with("Black loses"), "{}", finding.reason);
    }

    /// cutechess-cli takes `-resign movecount=0` for no rule: a level game is not lost by it.
    #[test]
    fn no_moves_are_no_rule() {
        let none = ResignRule { moves: 0, score: 500, two_sided: false };
        let rules = Rules { resign: Some(none), manner: Manner::Cutechess, ..Rules::default() };
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert!(end(rules, start, "e4/100 e5/-100 Nf3/700 Nc6/-900").is_none());
    }

    /// Two moves are the longest game, after an opening of three plies: fastchess alone leaves the opening out.
    #[test]
    fn the_opening_counts_towards_the_longest_game_where_its_runner_counts_it() {
        for (manner, longest) in [(Manner::House, 3), (Manner::Cutechess, 3), (Manner::Fastchess, 6)] {
            let adjudicator = Adjudicator::new(Rules { manner, max_moves: Some(2), ..Rules::default() }, 3);
            let ends = [longest, longest + 1].map(|plies| adjudicator.too_long(plies).is_some());
            assert_eq!(ends, [false, true], "{manner:?}");
        }
    }

    /// Nothing is read in silence as something else: not a truth value, not a number, not a key.
    #[test]
    fn rules_that_make_no_sense_are_refused_by_key() {
        for (text, says) in [
            ("movcount=2", "unknown key `movcount`; known are movenumber, movecount, score"),
            ("movecount=0", "--draw: movecount=0: is not a number from 1"),
            ("score=-5", "--draw: score=-5: is not a number from 0"),
            ("score=ten", "score=ten"),
            ("movenumber=40 movenumber=30", "movenumber= is given twice"),
            ("40", "`40` is not of the form key=value"),
        ] {
            let message = text.parse::<DrawRule>().unwrap_err().to_string();
            assert!(message.contains(says), "{text}: {message}");
        }
        for (text, says) in [
            ("twosided=maybe", "--resign: twosided=maybe: is neither on nor off"),
            ("twosided=", "twosided="),
            ("score=0", "--resign: score=0: is not a number from 1 to 90000"),
            ("score=x", "score=x"),
            ("movecount=-1", "movecount=-1"),
            ("Score=600", "unknown key `Score`"),
        ] {
            let message = text.parse::<ResignRule>().unwrap_err().to_string();
            assert!(message.contains(says), "{text}: {message}");
        }
    }

    #[test]
    fn two_sided_is_two_sided_however_it_is_spelt() {
        for yes in ["true", "True", "TRUE", "on", "1", "yes"] {
            assert!(format!("twosided={yes}").parse::<ResignRule>().unwrap().two_sided, "{yes}");
        }
        for no in ["false", "False", "off", "0", "NO"] {
            assert!(!format!("twosided={no}").parse::<ResignRule>().unwrap().two_sided, "{no}");
        }
    }
}
