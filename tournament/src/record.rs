//! What is kept of a game: one line of the journal, from which PGN, move log, statistics and report are all
//! made.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::checks::Checks;
use crate::journal::Entry;
use crate::schedule::Held;

/// How a game ended. The kinds that blame a player are told apart by what the player did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Mate on the board.
    Checkmate,
    /// No move and no check.
    Stalemate,
    /// The same position three times.
    Repetition,
    /// Fifty moves each without capture or pawn move.
    FiftyMoves,
    /// Neither side can mate.
    InsufficientMaterial,
    /// An engine said so itself.
    Resignation,
    /// An engine claimed a draw that the rules grant.
    DrawClaim,
    /// The runner saw both agree on nothing.
    AdjudicatedDraw,
    /// The runner saw both agree on who wins.
    AdjudicatedWin,
    /// The tablebase knows.
    Tablebase,
    /// The agreed length was reached.
    MaximumLength,
    /// A move came too late.
    TimeForfeit,
    /// A move that is not allowed, or no move at all.
    IllegalMove,
    /// A result was claimed that is not on the board.
    FalseClaim,
    /// A legal move of the opponent was called illegal.
    RefusedMove,
    /// The process ended.
    Crash,
    /// No answer.
    Stall,
    /// The pipe was closed, the process lives on.
    Disconnect,
    /// The engine did not get ready for the game.
    StartFailure,
}

impl Ending {
    /// Whether it is a fault of the engine that lost, and not chess.
    #[must_use]
    pub fn is_forfeit(self) -> bool {
        self >= Self::TimeForfeit
    }

    /// Whether it says that a program does not work, and nothing about how well it plays: every forfeit but
    /// one on time. To keep to its time is part of a player's strength.
    #[must_use]
    pub fn is_fault(self) -> bool {
        self.is_forfeit() && self != Self::TimeForfeit
    }

    /// The word for the PGN tag `Termination` (PGN standard, 9.8.1).
    #[must_use]
    pub fn pgn_termination(self) -> &'static str {
        match self {
            Self::AdjudicatedDraw | Self::AdjudicatedWin | Self::Tablebase | Self::MaximumLength => {
                "adjudication"
            }
            Self::TimeForfeit => "time forfeit",
            Self::IllegalMove | Self::FalseClaim | Self::RefusedMove => "rules infraction",
            Self::Crash | Self::Stall | Self::Disconnect | Self::StartFailure => "abandoned",
            _ => "normal",
        }
    }
}

/// The word used in the journal and in tables.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = serde_json::to_value(self).ok();
        f.pad(word.as_ref().and_then(|w| w.as_str()).unwrap_or("unknown"))
    }
}

/// The result of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Score {
    /// White won.
    #[serde(rename = "1-0")]
    White,
    /// Black won.
    #[serde(rename = "0-1")]
    Black,
    /// A draw.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl Score {
    /// Points of White.
    #[must_use]
    pub fn white_points(self) -> f64 {
        match self {
            Self::White => 1.0,
            Self::Black => 0.0,
            Self::Draw => 0.5,
        }
    }

    /// As PGN writes it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::White => "1-0",
            Self::Black => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

/// What standings need to know of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// The pair of games it belongs to.
    pub encounter: usize,
    /// White's number in the field.
    pub white: usize,
    /// Black's number in the field.
    pub black: usize,
    /// The result.
    pub result: Score,
    /// How it came about.
    pub ending: Ending,
}

impl Played {
    /// The player that lost, if one did.
    #[must_use]
    pub fn loser(&self) -> Option<usize> {
        match self.result {
            Score::White => Some(self.black),
            Score::Black => Some(self.white),
            Score::Draw => None,
        }
    }

    /// Points of a player in this game.
    #[must_use]
    pub fn points_of(&self, player: usize) -> f64 {
        let white = self.result.white_points();
        if player == self.white { white } else { 1.0 - white }
    }
}

/// One move. The short names keep the journal short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// Standard algebraic notation.
    #[serde(rename = "s")]
    pub san: String,
    /// Coordinates.
    #[serde(rename = "m")]
    pub uci: String,
    /// Whole milliseconds it took; none for a book move.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Microseconds that it took beyond them, 0..=999; none in journals of older versions.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub us: Option<u32>,
    /// Milliseconds left on the mover's clock after it.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// The mover's evaluation in centipawns (a mate: 100,000 less its distance).
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// Depth reached.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Nodes searched.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds that the engine had counted when it last told its time; none for a player that ponders, whose count
    /// begins before it is asked.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub reported_ms: Option<u64>,
    /// Milliseconds that had passed then; none in journals of older versions.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub told_ms: Option<u64>,
    /// What else it said of its search, where that is kept.
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Box<Said>>,
    /// Microseconds between the opponent's answer and the start of this move's clock: what the runner itself
    /// took.
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    pub overhead_us: Option<u64>,
}

/// Bytes that are kept of an engine's words.
const LONGEST_WORDS: usize = 2048;

/// The beginning of an engine's words, as much as is kept, to the end of a word.
pub(crate) fn beginning(words: &str) -> &str {
    if words.len() <= LONGEST_WORDS {
        return words;
    }
    let kept = &words[..words.floor_char_boundary(LONGEST_WORDS)];
    kept.rsplit_once(char::is_whitespace).map_or(kept, |(whole, _)| whole)
}

/// What an engine said of a search, beyond depth and nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Said {
    /// The deepest ply.
    #[serde(rename = "sd", default, skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    /// Nodes a second.
    #[serde(rename = "nps", default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Permille of the hash table in use.
    #[serde(rename = "hf", default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Hits in endgame tables.
    #[serde(rename = "tb", default, skip_serializing_if = "Option::is_none")]
    pub tb_hits: Option<u64>,
    /// The principal variation.
    #[serde(rename = "pv", default, skip_serializing_if = "String::is_empty")]
    pub pv: String,
    /// The last line that fits a pattern.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

impl MoveRecord {
    /// Microseconds it took, as far as they are known; none for a book move.
    #[must_use]
    pub fn time_us(&self) -> Option<u64> {
        Some(self.ms? * 1000 + u64::from(self.us.unwrap_or(0)))
    }

    /// How many milliseconds less than had passed the engine had counted when it last told its time: the machine did
    /// not let it run, or its line took so long.
    #[must_use]
    pub fn latency_ms(&self) -> Option<i64> {
        Some(self.told_ms? as i64 - self.reported_ms? as i64)
    }

    /// A move of the opening.
    #[must_use]
    pub fn of_opening(san: String, uci: String) -> Self {
        Self {
            san,
            uci,
            ms: None,
            us: None,
            clock_ms: None,
            score: None,
            depth: None,
            nodes: None,
            reported_ms: None,
            told_ms: None,
            said: None,
            overhead_us: None,
        }
    }
}

/// One finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, from 0.
    pub id: usize,
    /// Its round, from 1.
    pub round: usize,
    /// The pair of games it belongs to.
    pub encounter: usize,
    /// The number of its opening.
    pub opening: usize,
    /// White's number in the field.
    pub white: usize,
    /// Black's number in the field.
    pub black: usize,
    /// The start position, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Chess960 rules and notation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chess960: bool,
    /// The moves, those of the opening first.
    pub moves: Vec<MoveRecord>,
    /// The result.
    pub result: Score,
    /// How it came about, in a word.
    pub ending: Ending,
    /// How it came about, in a sentence.
    pub reason: String,
    /// Milliseconds by which the loser overstepped its time, if that is how it lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<u64>,
    /// What the loser said where that was no move: an illegal move, a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What was not in order in what White and Black said of their searches, though it did not decide the
    /// game.
    #[serde(default, skip_serializing_if = "Checks::are_clean")]
    pub checks: [Checks; 2],
    /// What a failing engine left behind: the last lines of its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// Milliseconds of processor time that the programs of White and of Black used, where the system says so.
    #[serde(rename = "cpu", default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<[u64; 2]>,
    /// Unix time of its beginning in milliseconds.
    pub started_ms: u64,
    /// Unix time of its end in milliseconds, by the clock of [`Self::started_ms`]; older journals have none. It is
    /// later than [`Self::wall_ms`] says by what the programs took to get ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    /// Milliseconds from the first clock's start to the last one's stop.
    pub wall_ms: u64,
    /// Milliseconds from the taking of its place among the running games to the end of its clean-up.
    pub slot_ms: u64,
    /// Which of the programs that a journal names for the players played it (see
    /// [`crate::journal::Journal::engines`]).
    #[serde(default, skip_serializing_if = "is_first")]
    pub engines: usize,
}

fn is_first(number: &usize) -> bool {
    *number == 0
}

/// Unix time of a game's end in milliseconds: what is kept of it, or else what its beginning and its length say.
pub(crate) fn end_ms(started_ms: u64, wall_ms: u64, ended_ms: Option<u64>) -> u64 {
    ended_ms.unwrap_or_else(|| started_ms.saturating_add(wall_ms))
}

/// The largest number of a game, a round or an opening.
const MOST: usize = u32::MAX as usize;
/// The longest time that a journal can hold, in milliseconds: some thirty years.
pub(crate) const LONGEST_MS: u64 = 1 << 40;

/// What keeps a game of White and Black, two of so many players, from being counted: these, a number, a time in
/// milliseconds, or the evaluation and the microseconds of a move.
pub(crate) fn fault(
    [white, black]: [usize; 2],
    players: usize,
    mut numbers: impl Iterator<Item = usize>,
    mut times: impl Iterator<Item = u64>,
    mut moves: impl Iterator<Item = (Option<i32>, Option<u32>)>,
) -> Option<String> {
    let larger = white.max(black);
    if larger >= players {
        return Some(format!("is a game of player {} of {players}", larger.saturating_add(1)));
    }
    if white == black {
        return Some(format!("is a game of player {} against itself", white + 1));
    }
    let out_of_range = numbers.any(|number| number > MOST)
        || times.any(|ms| ms > LONGEST_MS)
        || moves.any(|(score, us)| score == Some(i32::MIN) || us.is_some_and(|us| us > 999));
    out_of_range.then(|| "holds a number that is out of range".to_owned())
}

impl Entry for GameRecord {
    fn fault(&self, tournament: &Value) -> Option<String> {
        let players = tournament.get("players").and_then(Value::as_array).map_or(MOST, Vec::len);
        let numbers = [self.id, self.round, self.encounter, self.opening, self.engines];
        let cpu = self.cpu_ms.unwrap_or_default();
        let moments = [self.started_ms, self.ended_ms.unwrap_or_default()].map(|ms| ms >> 8);
        let times = [self.wall_ms, self.slot_ms, cpu[0], cpu[1]].into_iter().chain(moments);
        let of_move = |mv: &MoveRecord| {
            let overhead_ms = mv.overhead_us.map(|us| us / 1000);
            [mv.ms, mv.clock_ms, mv.reported_ms, mv.told_ms, overhead_ms].into_iter().flatten()
        };
        let times = times.chain(self.moves.iter().flat_map(of_move));
        let of_moves = self.moves.iter().map(|mv| (mv.score, mv.us));
        let moves = self.moves.iter().map(|mv| (mv.san.as_str(), mv.uci.as_str()));
        fault([self.white, self.black], players, numbers.into_iter(), times, of_moves)
            .or_else(|| crate::legality::fault(self.fen.as_deref(), moves))
    }

    fn number(&self) -> Option<usize> {
        Some(self.id)
    }

    fn lighten(&mut self) {
        (self.moves, self.stderr) = (Vec::new(), Vec::new());
    }
}

impl GameRecord {
    /// What standings need to know of it.
    #[must_use]
    pub fn played(&self) -> Played {
        let Self { encounter, white, black, result, ending, .. } = *self;
        Played { encounter, white, black, result, ending }
    }

    /// What a plan decides of it.
    #[must_use]
    pub fn held(&self) -> Held {
        Held {
            id: self.id,
            encounter: self.encounter,
            players: [self.white, self.black],
            place: Some((self.round, self.opening)),
            points: self.result.white_points(),
        }
    }

    /// The player that lost, if one did.
    #[must_use]
    pub fn loser(&self) -> Option<usize> {
        self.played().loser()
    }

    /// Every move with the number of the player that made it, those of the opening included.
    pub fn moves_by_player(&self) -> impl Iterator<Item = (usize, &MoveRecord)> {
        let black_begins = self.fen.as_deref().and_then(|fen| fen.split(' ').nth(1)) == Some("b");
        let players = if black_begins { [self.black, self.white] } else { [self.white, self.black] };
        self.moves.iter().enumerate().map(move |(index, mv)| (players[index % 2], mv))
    }

    /// Unix time of its end in milliseconds.
    #[must_use]
    pub fn end_ms(&self) -> u64 {
        end_ms(self.started_ms, self.wall_ms, self.ended_ms)
    }

    /// Milliseconds used on both clocks.
    #[must_use]
    pub fn clock_ms(&self) -> u64 {
        self.moves.iter().filter_map(MoveRecord::time_us).sum::<u64>() / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_words_the_beginning_is_kept() {
        assert_eq!(beginning("1/2-1/2 {a draw}"), "1/2-1/2 {a draw}");
        let long = "d\u{fc}rfte ".repeat(1000);
        let kept = beginning(&long);
        assert!(kept.len() <= LONGEST_WORDS && kept.len() > LONGEST_WORDS - 10 && long.starts_with(kept));
        assert!(kept.ends_with("d\u{fc}rfte"));
        assert_eq!(beginning(&"\u{fc}".repeat(5000)).len(), LONGEST_WORDS);
    }
}
