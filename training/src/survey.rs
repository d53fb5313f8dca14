//! What files of games hold, and whether it makes sense.
//!
//! Three things are looked at that spoil what is learnt without any error message: whether scores and results speak of
//! the same side ([`Survey::coherence`]), whether what was won is not ([`Survey::clear_drawn`],
//! [`Survey::known_wins`]), and whether the same positions come again and again ([`Survey::repeats`]).

use crate::filter::Filter;
use crate::format::{Block, CorruptGame};
use crate::game::{Ending, Game, GameResult};
use engine::eval::is_sure_win;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Width of a score bin in centipawns.
pub const BIN: i32 = 100;
/// The last bin on either side holds everything beyond.
pub const BINS: i32 = 20;
/// A score of at least so many centipawns says who will win, for [`Survey::coherence`].
pub const CLEAR: i32 = 300;

/// Positions of one score bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ScoreBin {
    /// How many.
    pub positions: u64,
    /// Points they brought the side to move.
    pub points: f64,
}

/// A game that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Which of the files, counted from 0.
    pub file: usize,
    /// The game's number in the recipe's sequence.
    pub game: u64,
    /// What is wrong with it.
    pub why: String,
}

/// Sums over games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Survey {
    /// Games that could be read.
    pub games: u64,
    /// Plies with a score.
    pub plies: u64,
    /// Random plies before them.
    pub opening_plies: u64,
    /// Games from a start position of Chess960.
    pub chess960: u64,
    /// Black's wins, draws, White's wins.
    pub results: [u64; 3],
    /// Games by how they ended.
    pub endings: BTreeMap<&'static str, u64>,
    /// Games by length in scored plies, tens to a bin, by the bin's lower end.
    pub lengths: BTreeMap<usize, u64>,
    /// Games whose first score the usual [`Filter`] finds lost.
    pub lost_openings: u64,
    /// Positions that the usual [`Filter`] keeps.
    pub kept: u64,
    /// All scored positions, by score for the side to move in bins of [`BIN`].
    pub scores: BTreeMap<i32, ScoreBin>,
    /// Kept positions by the number of pieces on the board.
    pub pieces: BTreeMap<u32, u64>,
    /// Positions beyond [`CLEAR`] in decisive games: whose winner was ahead, and all.
    pub clear: [u64; 2],
    /// Positions beyond [`CLEAR`] in drawn games.
    pub clear_drawn: u64,
    /// Games that came to an ending which is won against a bare king ([`is_sure_win`]): those that were not, and all.
    pub known_wins: [u64; 2],
    /// Games that are there more than once (the copies).
    pub repeated_games: u64,
    /// Games whose first position with a score is another game's as well (the copies).
    pub repeated_openings: u64,
    /// Kept positions that are there more than once (the copies).
    pub repeated_positions: u64,
    /// Games that cannot be.
    pub faults: Vec<Fault>,
    #[serde(skip)]
    game_keys: Vec<u64>,
    #[serde(skip)]
    opening_keys: Vec<u64>,
    #[serde(skip)]
    position_keys: Vec<u64>,
}

impl Survey {
    /// Reads these blocks, each with the number of its file, on all of rayon's threads. `None` if `stop` was set
    /// meanwhile.
    pub fn of(blocks: &[(usize, Block<'_>)], stop: &AtomicBool) -> Option<Self> {
        let one = |&(file, block): &(usize, Block<'_>)| {
            let mut survey = Survey::default();
            for (number, game) in (block.first..).zip(block.games()) {
                survey.add(file, number, game);
            }
            (!stop.load(Relaxed)).then_some(survey)
        };
        let both = |one: Survey, other| Some(one.merged(other));
        let mut survey = blocks.par_iter().map(one).try_reduce(Survey::default, both)?;
        survey.repeated_games = repeats(&mut survey.game_keys);
        survey.repeated_openings = repeats(&mut survey.opening_keys);
        survey.repeated_positions = repeats(&mut survey.position_keys);
        survey.faults.sort_by_key(|fault| (fault.file, fault.game));
        Some(survey)
    }

    /// Share of the positions with a clear score, in decisive games, whose side ahead won. Below about 0.9 something is
    /// wrong with results or scores. `None` if there is no such position.
    pub fn coherence(&self) -> Option<f64> {
        (self.clear[1] > 0).then(|| self.clear[0] as f64 / self.clear[1] as f64)
    }

    /// Share of the kept positions that are copies of others.
    pub fn repeats(&self) -> f64 {
        self.repeated_positions as f64 / self.kept.max(1) as f64
    }

    fn add(&mut self, file: usize, number: u64, game: Result<Game, CorruptGame>) {
        let mut fault = |why: String| self.faults.push(Fault { file, game: number, why });
        let game = match game {
            Ok(game) => game,
            Err(error) => return fault(error.to_string()),
        };
        if let Err(error) = game.check() {
            fault(error.to_string());
        }
        self.games += 1;
        self.plies += game.plies.len() as u64;
        self.opening_plies += game.opening.len() as u64;
        self.results[game.result as usize] += 1;
        *self.endings.entry(Ending::name(game.ending)).or_default() += 1;
        *self.lengths.entry(game.plies.len() / 10 * 10).or_default() += 1;
        self.chess960 += u64::from(game.start.is_chess960());
        let filter = Filter::default();
        let open = filter.keeps_game(&game);
        self.lost_openings += u64::from(!open);
        let mut hasher = DefaultHasher::new();
        game.start.key().hash(&mut hasher);
        game.opening.hash(&mut hasher);
        self.opening_keys.extend(game.positions().next().map(|first| first.position.key()));
        let mut known_win = false;
        for scored in game.positions() {
            known_win |= is_sure_win(&scored.position);
            scored.mv.hash(&mut hasher);
            let bin = scored.score.div_euclid(BIN).clamp(-BINS, BINS - 1) * BIN;
            let bin = self.scores.entry(bin).or_default();
            bin.positions += 1;
            bin.points += f64::from(scored.points);
            let clear = scored.score.abs() >= CLEAR;
            if clear && scored.points == 0.5 {
                self.clear_drawn += 1;
            } else if clear {
                self.clear[0] += u64::from((scored.score > 0) == (scored.points == 1.0));
                self.clear[1] += 1;
            }
            if open && filter.keeps(&scored) {
                self.kept += 1;
                *self.pieces.entry(scored.position.occupied().count()).or_default() += 1;
                self.position_keys.push(scored.position.key());
            }
        }
        self.known_wins[0] += u64::from(known_win && game.result == GameResult::Draw);
        self.known_wins[1] += u64::from(known_win);
        self.game_keys.push(hasher.finish());
    }

    fn merged(mut self, other: Self) -> Self {
        fn merge<K: Ord>(into: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
            from.into_iter().for_each(|(key, count)| *into.entry(key).or_default() += count);
        }
        self.games += other.games;
        self.plies += other.plies;
        self.opening_plies += other.opening_plies;
        self.lost_openings += other.lost_openings;
        self.chess960 += other.chess960;
        self.kept += other.kept;
        (0..3).for_each(|i| self.results[i] += other.results[i]);
        (0..2).for_each(|i| self.clear[i] += other.clear[i]);
        (0..2).for_each(|i| self.known_wins[i] += other.known_wins[i]);
        self.clear_drawn += other.clear_drawn;
        merge(&mut self.endings, other.endings);
        merge(&mut self.lengths, other.lengths);
        merge(&mut self.pieces, other.pieces);
        for (bin, ScoreBin { positions, points }) in other.scores {
            let into = self.scores.entry(bin).or_default();
            into.positions += positions;
            into.points += points;
        }
        self.faults.extend(other.faults);
        self.game_keys.extend(other.game_keys);
        self.opening_keys.extend(other.opening_keys);
        self.position_keys.extend(other.position_keys);
        self
    }
}

/// How many of these are copies of another; leaves them sorted and single.
fn repeats(keys: &mut Vec<u64>) -> u64 {
    let all = keys.len();
    keys.par_sort_unstable();
    keys.dedup();
    (all - keys.len()) as u64
}
