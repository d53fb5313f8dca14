//! What results mean: counts, Elo with its error, the sequential test, ratings over a field.
//!
//! Two games of a pair share their opening with colours reversed, so they are not independent; counting pairs
//! (five outcomes, "pentanomial") instead of games (three, "trinomial") takes that into account and is what
//! the intervals here rest on wherever pairs are known.

pub mod coverage;
pub mod elo;
mod parts;
pub mod ratings;
pub mod simulate;
pub mod sprt;

use serde::{Deserialize, Serialize};

/// Wins, draws and losses of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// All games.
    #[must_use]
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is one, a draw half.
    #[must_use]
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of the points, from 0 to 1; 0 without games.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.games() == 0 { 0.0 } else { self.points() / self.games() as f64 }
    }

    /// The same games from the other side.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Counts one game by the points it brought: 1, 0.5 or 0.
    pub fn add(&mut self, points: f64) {
        self.change(points, 1);
    }

    /// Counts games of these points `by` times more.
    pub(crate) fn change(&mut self, points: f64, by: i64) {
        let count = match points {
            points if points > 0.75 => &mut self.wins,
            points if points < 0.25 => &mut self.losses,
            _ => &mut self.draws,
        };
        *count = count.saturating_add_signed(by);
    }
}

/// Pairs of games by the points they brought: 0, ½, 1, 1½, 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    /// All pairs.
    #[must_use]
    pub fn count(self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts one pair by the points it brought.
    pub fn add(&mut self, points: f64) {
        self.change(points, 1);
    }

    /// Counts pairs of these points `by` times more.
    pub(crate) fn change(&mut self, points: f64, by: i64) {
        let count = &mut self.0[Self::index(points)];
        *count = count.saturating_add_signed(by);
    }

    /// The same from the other side.
    #[must_use]
    pub fn reversed(self) -> Self {
        let [losses, half_losses, level, half_wins, wins] = self.0;
        Self([wins, half_wins, level, half_losses, losses])
    }

    fn index(points: f64) -> usize {
        (points * 2.0).round().clamp(0.0, 4.0) as usize
    }
}

/// An observed distribution of scores in 0..=1: (score, frequency) with frequencies that sum to one.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// How many observations.
    pub count: f64,
    /// (value, probability), values ascending.
    pub points: Vec<(f64, f64)>,
}

impl Distribution {
    /// From counts in order of rising score: 3 of them (games) or 5 (pairs).
    fn of(counts: &[u64], smallest: f64) -> Self {
        let counts: Vec<f64> = counts.iter().map(|&n| (n as f64).max(smallest)).collect();
        let count: f64 = counts.iter().sum();
        let last = (counts.len() - 1) as f64;
        let points = counts.iter().enumerate().map(|(i, n)| (i as f64 / last, n / count)).collect();
        Self { count, points }
    }

    /// Of games.
    #[must_use]
    pub fn of_games(wdl: Wdl) -> Self {
        Self::of(&[wdl.losses, wdl.draws, wdl.wins], 0.0)
    }

    /// Of pairs.
    #[must_use]
    pub fn of_pairs(pairs: Pairs) -> Self {
        Self::of(&pairs.0, 0.0)
    }

    /// Outcomes that were not seen are counted as a thousandth of an observation, so that logarithms exist;
    /// the value is fishtest's.
    #[must_use]
    pub fn regularized(counts: &[u64]) -> Self {
        Self::of(counts, 1e-3)
    }

    /// Mean and variance.
    #[must_use]
    pub fn moments(&self) -> (f64, f64) {
        moments(&self.points)
    }
}

fn moments(points: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = points.iter().map(|(value, p)| value * p).sum();
    let variance = points.iter().map(|(value, p)| p * (value - mean).powi(2)).sum();
    (mean, variance)
}
