//! What engines do with their time: sums over their moves, by phase of the game.
//!
//! Phases are told by the men on the board, which moves alone say: a capture takes one. Nodes a second are
//! nodes over time of the moves for which both are known, and of no player that ponders: it has searched a part of
//! its nodes on its opponent's time.
//!
//! PGN and older journals have times in whole milliseconds. What fast games come to by such times says more
//! of the rounding than of the engine, so speeds are withheld where it could change them by more than a
//! tenth; and processor time, which systems count in ticks of some milliseconds and which is used beside the
//! clock as well, is not compared with moves as short as that.

use crate::archive::Game;
use figures::stats::student;

/// A phase of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// More than 24 men.
    Opening,
    /// 13 to 24 men.
    Middlegame,
    /// At most 12 men.
    Endgame,
}

impl Phase {
    /// All, in order.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middlegame, Self::Endgame];

    /// The phase of a position with so many men.
    #[must_use]
    pub fn of(men: u32) -> Self {
        match men {
            0..=12 => Self::Endgame,
            13..=24 => Self::Middlegame,
            _ => Self::Opening,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middlegame => "middlegame",
            Self::Endgame => "endgame",
        }
    }
}

/// Sums over moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhaseSums {
    /// Moves that were searched.
    pub moves: u64,
    /// Those of them whose time is known.
    pub timed: u64,
    /// Microseconds these took.
    pub us: u64,
    /// Moves whose depth is known, and the sum of their depths.
    pub depth: (u64, u64),
    /// Moves whose nodes are known, and their nodes.
    pub nodes: (u64, u64),
    /// Moves whose nodes and time are known, of a player that does not ponder, and their nodes.
    pub rated: (u64, u64),
    /// Microseconds of those moves.
    pub rated_us: u64,
    /// How many of those moves have a time in whole milliseconds only.
    pub coarse: u64,
}

/// The least mean time of a move, in microseconds, beside which a millisecond is small.
const LEAST_MEAN_US: u64 = 10_000;
/// The same where times are known in microseconds: beside it the way of a line between two programs is small.
const LEAST_FINE_US: u64 = 1000;

impl PhaseSums {
    fn merge(&mut self, other: &Self) {
        self.moves += other.moves;
        self.timed += other.timed;
        self.us += other.us;
        self.depth = (self.depth.0 + other.depth.0, self.depth.1 + other.depth.1);
        self.nodes = (self.nodes.0 + other.nodes.0, self.nodes.1.saturating_add(other.nodes.1));
        self.rated = (self.rated.0 + other.rated.0, self.rated.1.saturating_add(other.rated.1));
        self.rated_us += other.rated_us;
        self.coarse += other.coarse;
    }

    /// Milliseconds a move.
    #[must_use]
    pub fn time_ms(&self) -> Option<f64> {
        mean(self.us, self.timed).map(|us| us / 1000.0)
    }

    /// Depth of a move.
    #[must_use]
    pub fn mean_depth(&self) -> Option<f64> {
        mean(self.depth.1, self.depth.0)
    }

    /// Nodes of a move.
    #[must_use]
    pub fn mean_nodes(&self) -> Option<f64> {
        mean(self.nodes.1, self.nodes.0)
    }

    /// Nodes a second; none where moves took less than ten milliseconds on the mean, or one millisecond where
    /// microseconds are known.
    #[must_use]
    pub fn nps(&self) -> Option<f64> {
        let per_us = mean(self.rated.1, self.rated_us)?;
        let fine = self.rated.0.saturating_sub(self.coarse);
        let least =
            self.coarse.saturating_mul(LEAST_MEAN_US).saturating_add(fine.saturating_mul(LEAST_FINE_US));
        (self.rated_us >= least).then_some(per_us * 1e6)
    }
}

fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

/// The move after which the least was left before the flag would have fallen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shave {
    /// Milliseconds left, before the increment; below zero within the margin.
    pub ms: i64,
    /// The game, from 1, among all that were counted.
    pub game: u64,
    /// The ply, from 1.
    pub ply: usize,
}

/// One engine's sums.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineStatistics {
    /// By phase.
    pub phases: [PhaseSums; 3],
    /// The closest that a move came to the fall of the flag.
    pub shave: Option<Shave>,
    /// The longest move in milliseconds, where any time is known.
    pub longest_ms: Option<u64>,
    /// The games whose processor time is known.
    pub processor: ProcessorTime,
}

/// Processor time beside the time on the clock, over the same games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    /// Milliseconds of processor time.
    pub used_ms: u64,
    /// Microseconds on the clock.
    pub clock_us: u64,
    /// Moves made by the clock.
    pub moves: u64,
}

impl EngineStatistics {
    /// Over all phases.
    #[must_use]
    pub fn all(&self) -> PhaseSums {
        let mut all = PhaseSums::default();
        self.phases.iter().for_each(|phase| all.merge(phase));
        all
    }

    /// The processor time for each second on the clock: about the number of threads that search, and less
    /// where the machine did not let them run. None where moves took less than ten milliseconds on the mean.
    #[must_use]
    pub fn processors(&self) -> Option<f64> {
        let ProcessorTime { used_ms, clock_us, moves } = self.processor;
        let per_us = mean(used_ms, clock_us)?;
        (clock_us >= moves.saturating_mul(LEAST_MEAN_US)).then_some(per_us * 1000.0)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.processor.used_ms += other.processor.used_ms;
        self.processor.clock_us += other.processor.clock_us;
        self.processor.moves += other.processor.moves;
        self.phases.iter_mut().zip(&other.phases).for_each(|(sum, more)| sum.merge(more));
        self.longest_ms = self.longest_ms.max(other.longest_ms);
        self.shave = match (self.shave, other.shave) {
            (Some(a), Some(b)) => Some(if b.ms < a.ms { b } else { a }),
            (a, b) => a.or(b),
        };
    }
}

/// The sums of one game, White's and Black's. `number`: the game's.
pub(super) fn of_game(game: &Game<'_>, number: u64) -> [EngineStatistics; 2] {
    let mut both: [EngineStatistics; 2] = Default::default();
    let mut men = game.fen.as_deref().map_or(32, men_of);
    // Milliseconds on each side's clock before its next move.
    let mut clocks: [Option<u64>; 2] = [None, None];
    let first = usize::from(!game.white_first());
    for (index, ply) in game.moves.iter().enumerate() {
        let side = (index + first) % 2;
        let (sums, phase) = (&mut both[side], Phase::of(men) as usize);
        men -= u32::from(ply.san.contains('x') && men > 0);
        if !ply.is_searched() {
            continue;
        }
        let phase = &mut sums.phases[phase];
        phase.moves += 1;
        if let Some(depth) = ply.depth {
            phase.depth = (phase.depth.0 + 1, phase.depth.1 + u64::from(depth));
        }
        if let Some(nodes) = ply.nodes {
            phase.nodes = (phase.nodes.0 + 1, phase.nodes.1.saturating_add(nodes));
        }
        let before = std::mem::replace(&mut clocks[side], ply.clock_ms);
        let Some(ms) = ply.ms else { continue };
        let us = ms * 1000 + u64::from(ply.us.unwrap_or(0));
        phase.timed += 1;
        phase.us += us;
        // One that ponders counts its nodes from before its clock runs.
        if let Some(nodes) = ply.nodes.filter(|_| !game.ponders[side]) {
            phase.rated = (phase.rated.0 + 1, phase.rated.1.saturating_add(nodes));
            phase.rated_us += us;
            phase.coarse += u64::from(ply.us.is_none());
        }
        sums.longest_ms = sums.longest_ms.max(Some(ms));
        let left = match game.hourglass[side] {
            // What it shows has no increment, and before the move the other's time was added.
            true => ply.clock_ms.map(|after| after as i64),
            false => before.map(|before| before as i64 - ms as i64),
        };
        if let Some(left) = left
            && sums.shave.is_none_or(|shave| left < shave.ms)
        {
            sums.shave = Some(Shave { ms: left, game: number, ply: index + 1 });
        }
    }
    for (sums, used) in both.iter_mut().zip(game.cpu_ms.into_iter().flatten()) {
        // Nothing is known of a program on another machine; nor in journals of older versions of one behind a script.
        if used > 0 {
            let PhaseSums { us: clock_us, timed, .. } = sums.all();
            sums.processor = ProcessorTime { used_ms: used, clock_us, moves: timed };
        }
    }
    both
}

/// Men of a position's first field.
fn men_of(fen: &str) -> u32 {
    let placement = fen.split_whitespace().next().unwrap_or_default();
    let men = placement.bytes().filter(u8::is_ascii_alphabetic).count();
    u32::try_from(men).unwrap_or(32).min(64)
}

/// The natural logarithm of White's nodes a second over Black's in one game.
pub(super) fn ratio(game: &[EngineStatistics; 2]) -> Option<f64> {
    let rate = |side: &EngineStatistics| side.all().nps().filter(|nps| *nps > 0.0);
    Some((rate(&game[0])? / rate(&game[1])?).ln())
}

/// The mean of logarithms of ratios.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ratio {
    /// Games.
    pub count: u64,
    mean: f64,
    /// Sum of the squares of the distances to the mean.
    squares: f64,
}

impl Ratio {
    /// Counts one (Welford 1962).
    pub fn add(&mut self, logarithm: f64) {
        self.count += 1;
        let before = logarithm - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (logarithm - self.mean);
    }

    /// The same from the other side.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { mean: -self.mean, ..self }
    }

    /// The geometric mean of the ratios.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.mean.exp()
    }

    /// The ends of its 95 % interval by Student's distribution over games; `None` below two games.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        if self.count < 2 {
            return None;
        }
        let freedom = self.count as f64 - 1.0;
        let half = student(freedom) * (self.squares / freedom / self.count as f64).sqrt();
        Some(((self.mean - half).exp(), (self.mean + half).exp()))
    }
}
