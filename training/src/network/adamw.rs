//! The optimiser: Adam with decoupled weight decay (Loshchilov and Hutter 2019), and its falling rate.

use super::model::{LARGEST, Units};
use rayon::prelude::*;
use std::f64::consts::PI;
use sys::vector::{Work, run};

/// Decay of the mean gradient.
const BETA_MEAN: f32 = 0.9;
/// Decay of the mean square of the gradient.
const BETA_SQUARE: f32 = 0.999;
/// Keeps the division from growing without bound.
const EPSILON: f32 = 1e-8;
/// What is left of the rate at the end.
pub const LAST_RATE: f64 = 0.003;
/// Rows of parameters to a task.
const CHUNK: usize = 512;

/// What the optimiser remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Steps taken.
    pub steps: u64,
    /// Mean gradient.
    pub mean: Vec<Units>,
    /// Mean square of the gradient.
    pub square: Vec<Units>,
}

impl AdamW {
    /// For so many rows of parameters.
    pub fn new(rows: usize) -> Self {
        AdamW { steps: 0, mean: vec![Units::default(); rows], square: vec![Units::default(); rows] }
    }

    /// Moves the parameters down the gradient, takes the share `rate` times `decay` of each away, and keeps them within
    /// ±[`LARGEST`].
    pub fn step(&mut self, values: &mut [Units], gradient: &[Units], rate: f32, decay: f32) {
        self.steps += 1;
        // Both means start from 0 and are too small at first.
        let power = self.steps.min(i32::MAX as u64) as i32;
        let mean_unit = 1.0 / (1.0 - BETA_MEAN.powi(power));
        let square_unit = 1.0 / (1.0 - BETA_SQUARE.powi(power));
        let means = self.mean.par_chunks_mut(CHUNK).zip(self.square.par_chunks_mut(CHUNK));
        let all = values.par_chunks_mut(CHUNK).zip(gradient.par_chunks(CHUNK)).zip(means);
        all.for_each(|((values, gradient), (means, squares))| {
            run(Step { values, gradient, means, squares, mean_unit, square_unit, rate, decay });
        });
    }
}

/// A step of some parameters.
struct Step<'a> {
    values: &'a mut [Units],
    gradient: &'a [Units],
    means: &'a mut [Units],
    squares: &'a mut [Units],
    mean_unit: f32,
    square_unit: f32,
    rate: f32,
    decay: f32,
}

impl Work for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Step { values, gradient, means, squares, mean_unit, square_unit, rate, decay } = self;
        for (((values, gradient), means), squares) in values.iter_mut().zip(gradient).zip(means).zip(squares)
        {
            let means = means.0.iter_mut().zip(&mut squares.0);
            for ((value, slope), (mean, square)) in values.0.iter_mut().zip(&gradient.0).zip(means) {
                *mean += (1.0 - BETA_MEAN) * (slope - *mean);
                *square += (1.0 - BETA_SQUARE) * (slope * slope - *square);
                let direction = *mean * mean_unit / ((*square * square_unit).sqrt() + EPSILON);
                *value = (*value - rate * (direction + decay * *value)).clamp(-LARGEST, LARGEST);
            }
        }
    }
}

/// The rate at a step of so many: a half cosine from `first` to [`LAST_RATE`] of it.
pub fn rate(first: f32, step: u64, steps: u64) -> f32 {
    let done = step as f64 / steps.max(1) as f64;
    let share = LAST_RATE + (1.0 - LAST_RATE) * (1.0 + (PI * done.min(1.0)).cos()) / 2.0;
    (f64::from(first) * share) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that begins with these.
    fn units(first: &[f32]) -> Units {
        let mut units = Units::default();
        units.0[..first.len()].copy_from_slice(first);
        units
    }

    #[test]
    fn the_first_step_goes_by_the_rate() {
        // Both corrections cancel at step 1: the direction is the sign of the slope.
        let mut values = [units(&[1.0, 1.0, -1.0, 1.98])];
        AdamW::new(1).step(&mut values, &[units(&[0.5, -0.001, 0.0, -3.0])], 0.1, 0.2);
        for (value, expected) in values[0].0.iter().zip([0.9 - 0.02, 1.1 - 0.02, -1.0 + 0.02, 1.98]) {
            assert!((value - expected).abs() < 1e-4, "{values:?}");
        }
    }

    #[test]
    fn a_bowl_is_descended() {
        let mut values = [units(&[1.5, -1.0])];
        let mut adam = AdamW::new(1);
        for step in 0..2000 {
            let [Units(at)] = values;
            let gradient = [units(&[2.0 * (at[0] - 0.5), 8.0 * (at[1] - 0.25)])];
            adam.step(&mut values, &gradient, rate(0.02, step, 2000), 0.01);
        }
        let [Units(values)] = values;
        assert!((values[0] - 0.5).abs() < 0.01 && (values[1] - 0.25).abs() < 0.01, "{values:?}");
    }

    #[test]
    fn the_rate_falls_along_a_cosine() {
        assert_eq!(rate(0.001, 0, 100), 0.001);
        assert!((rate(0.001, 50, 100) / 0.000_501_5 - 1.0).abs() < 1e-3);
        assert!((rate(0.001, 100, 100) / 0.000_003 - 1.0).abs() < 1e-3);
    }
}
