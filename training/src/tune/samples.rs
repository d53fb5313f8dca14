//! Positions as the tuner needs them: which weights count how often, close together in memory.

use super::Weights;
use crate::filter::{Filter, is_held_out};
use crate::format::{Block, CorruptGame};
use crate::game::Game;
use engine::eval::trace::Trace;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Positions taken apart.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// What the search said, in centipawns for the side to move.
    pub scores: Vec<i16>,
    /// What the game brought the side to move.
    pub points: Vec<f32>,
    /// How much the two halves of the weights count.
    shares: Vec<[f32; 2]>,
    /// Where each sample's counts end.
    ends: Vec<usize>,
    weights: Vec<u16>,
    times: Vec<i8>,
}

impl Samples {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    pub(super) fn push(&mut self, counts: &[(u16, i8)], shares: [f32; 2], score: i16, points: f32) {
        self.weights.extend(counts.iter().map(|&(weight, _)| weight));
        self.times.extend(counts.iter().map(|&(_, times)| times));
        self.ends.push(self.weights.len());
        self.shares.push(shares);
        self.scores.push(score);
        self.points.push(points);
    }

    /// Takes over the samples of another.
    fn append(&mut self, other: &mut Samples) {
        let before = self.weights.len();
        self.weights.append(&mut other.weights);
        self.times.append(&mut other.times);
        self.ends.extend(other.ends.drain(..).map(|end| end + before));
        self.shares.append(&mut other.shares);
        self.scores.append(&mut other.scores);
        self.points.append(&mut other.points);
    }

    fn counts(&self, sample: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let first = if sample == 0 { 0 } else { self.ends[sample - 1] };
        let range = first..self.ends[sample];
        let weights = self.weights[range.clone()].iter().map(|&weight| usize::from(weight));
        weights.zip(self.times[range].iter().map(|&times| f32::from(times)))
    }

    /// The evaluation of a sample by these weights, in centipawns for the side to move.
    pub fn value(&self, weights: &Weights, sample: usize) -> f32 {
        let (mut middle, mut end) = (0.0, 0.0);
        for (weight, times) in self.counts(sample) {
            middle += times * weights[weight][0];
            end += times * weights[weight][1];
        }
        let [middle_share, end_share] = self.shares[sample];
        middle * middle_share + end * end_share
    }

    /// Adds to the gradient what `slope`, the loss's slope by this sample's value, means for each weight.
    pub(super) fn add_slope(&self, sample: usize, slope: f32, gradient: &mut Weights) {
        let [middle, end] = self.shares[sample].map(|share| share * slope);
        for (weight, times) in self.counts(sample) {
            gradient[weight][0] += times * middle;
            gradient[weight][1] += times * end;
        }
    }

    fn add_game(&mut self, filter: &Filter, game: &Game) {
        for scored in filter.positions(game) {
            // These are not evaluated but known.
            if scored.position.insufficient_material() {
                continue;
            }
            let trace = Trace::of(&scored.position);
            let (middle, end) = trace.shares();
            self.push(&trace.counts, [middle, end], scored.score as i16, scored.points);
        }
    }
}

/// What to learn from and what to measure by.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// Positions of the games to learn from.
    pub train: Samples,
    /// Positions of the games held out.
    pub held_out: Samples,
}

impl Dataset {
    /// Takes the filter's positions of these blocks apart, on all of rayon's threads. Every game of so many
    /// ([`is_held_out`]) is held out, with all its positions. `None` if `stop` was set meanwhile.
    ///
    /// # Errors
    /// The first game that cannot be read.
    pub fn read(
        blocks: &[Block<'_>],
        filter: &Filter,
        hold_out: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, CorruptGame> {
        let one = |block: &Block<'_>| {
            if stop.load(Relaxed) {
                return Ok(None);
            }
            let mut data = Dataset::default();
            for (number, game) in (block.first..).zip(block.games()) {
                let held_out = is_held_out(number, hold_out);
                let part = if held_out { &mut data.held_out } else { &mut data.train };
                part.add_game(filter, &game?);
            }
            Ok(Some(data))
        };
        let parts: Vec<Option<Dataset>> = blocks.par_iter().map(one).collect::<Result<_, _>>()?;
        let Some(parts) = parts.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let mut all = Dataset::default();
        for mut part in parts {
            all.train.append(&mut part.train);
            all.held_out.append(&mut part.held_out);
        }
        Ok(Some(all))
    }
}
