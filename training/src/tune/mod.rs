//! Fits the evaluation's weights to self-play games (after Peter Österlund's "Texel's tuning method", 2014).
//!
//! An evaluation is worth as much as it predicts: its value, through a logistic curve, should be the points that the
//! game brings. What it should predict is a blend of the game's result and what the search said; the mean squared
//! difference is brought down by gradient descent (Adam, Kingma and Ba 2015), which is easy because the evaluation is
//! linear in its weights ([`engine::eval::trace`]). A share of the *games* is held out: positions of one game are too much
//! alike for a share of positions to say anything.

mod samples;
mod source;

pub use samples::{Dataset, Samples};
pub use source::weights_source;

use engine::eval::layout::{self, COUNT};
use engine::eval::weights::WEIGHTS;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::SmallRng};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Each weight's middle game and end game half, in centipawns.
pub type Weights = Vec<[f32; 2]>;

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Passes over the data.
    pub epochs: usize,
    /// The first step size in centipawns; it falls along a half cosine to a fiftieth of it.
    pub rate: f32,
    /// Share of the game's result in what is to be predicted; the rest is the search's score.
    pub wdl: f32,
    /// Positions to a step.
    pub batch: usize,
    /// By how much the tables around the kings are drawn towards zero at each step, times the step size.
    pub decay: f32,
    /// The seed of the order of positions.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { epochs: 20, rate: 0.7, wdl: 0.5, batch: 16_384, decay: 0.03, seed: 1 }
    }
}

/// Losses after a pass: mean squared differences between predictions and what they should have been.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// Passes done; 0 is before the first.
    pub epoch: usize,
    /// Of the games learnt from.
    pub train: f64,
    /// Of the games held out.
    pub held_out: f64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The weights of the pass with the least loss on the games held out, rounded to whole centipawns.
    pub weights: Vec<[i16; 2]>,
    /// Which pass that was; 0 if none was better than the weights before.
    pub pass: usize,
    /// That loss after rounding.
    pub held_out: f64,
    /// Centipawns to a unit of the logistic curve: the value that predicts 1/(1+1/e) = 0.73 points.
    pub scale: f32,
}

/// The engine's present weights.
pub fn present() -> Weights {
    WEIGHTS.iter().map(|weight| [weight.middle() as f32, weight.end() as f32]).collect()
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Samples whose part of a sum is made by one thread.
const PART: usize = 1024;

/// The sum over all samples, on all of rayon's threads. Parts have one size and are added in order, so the sum is the
/// same to the bit on any number of threads.
fn sum(samples: usize, of: impl Fn(usize) -> f64 + Sync) -> f64 {
    let part = |number: usize| (number * PART..samples.min((number + 1) * PART)).map(&of).sum::<f64>();
    let parts: Vec<f64> = (0..samples.div_ceil(PART)).into_par_iter().map(part).collect();
    parts.iter().sum()
}

/// The scale with which the search's scores predict the results best: golden section search, since the loss has one
/// valley.
pub fn fit_scale(samples: &Samples) -> f32 {
    let loss = |scale: f32| -> f64 {
        sum(samples.len(), |sample| {
            let predicted = sigmoid(f32::from(samples.scores[sample]) / scale);
            f64::from(predicted - samples.points[sample]).powi(2)
        })
    };
    let golden = (5f32.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (50.0f32, 1500.0f32);
    while high - low > 0.5 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if loss(a) < loss(b) {
            high = b;
        } else {
            low = a;
        }
    }
    (low + high) / 2.0
}

/// The loss to bring down, and its slope.
struct Problem<'d> {
    samples: &'d Samples,
    scale: f32,
    wdl: f32,
}

impl Problem<'_> {
    /// The prediction for the sample's position, less what it should be; and its slope.
    fn miss(&self, weights: &Weights, sample: usize) -> (f32, f32) {
        let predicted = sigmoid(self.samples.value(weights, sample) / self.scale);
        let score = sigmoid(f32::from(self.samples.scores[sample]) / self.scale);
        let target = self.wdl * self.samples.points[sample] + (1.0 - self.wdl) * score;
        (predicted - target, predicted * (1.0 - predicted) / self.scale)
    }

    fn loss(&self, weights: &Weights) -> f64 {
        let square = |sample| {
            let (miss, _) = self.miss(weights, sample);
            f64::from(miss * miss)
        };
        sum(self.samples.len(), square) / self.samples.len().max(1) as f64
    }

    /// The mean gradient over a batch.
    fn gradient(&self, weights: &Weights, batch: &[u32]) -> Weights {
        let part = |indices: &[u32]| {
            let mut gradient = vec![[0.0; 2]; COUNT];
            for &index in indices {
                let (miss, slope) = self.miss(weights, index as usize);
                self.samples.add_slope(index as usize, 2.0 * miss * slope, &mut gradient);
            }
            gradient
        };
        // Of one size and in order, as in `sum`.
        let parts: Vec<Weights> = batch.par_chunks(PART).map(part).collect();
        let mut sum = vec![[0.0; 2]; COUNT];
        for part in parts {
            for (into, from) in sum.iter_mut().flatten().zip(part.iter().flatten()) {
                *into += from;
            }
        }
        sum.iter_mut().flatten().for_each(|slope| *slope /= batch.len() as f32);
        sum
    }
}

/// Adam: steps of about the rate's size in the direction of the mean slope, by its mean size.
struct Adam {
    mean: Weights,
    square: Weights,
    steps: i32,
}

impl Adam {
    fn new() -> Self {
        Adam { mean: vec![[0.0; 2]; COUNT], square: vec![[0.0; 2]; COUNT], steps: 0 }
    }

    fn step(&mut self, weights: &mut Weights, gradient: &Weights, rate: f32, decay: f32) {
        const MEAN: f32 = 0.9;
        const SQUARE: f32 = 0.999;
        self.steps += 1;
        let (mean_bias, square_bias) = (1.0 - MEAN.powi(self.steps), 1.0 - SQUARE.powi(self.steps));
        for (place, weight) in weights.iter_mut().enumerate() {
            for half in 0..2 {
                let slope = gradient[place][half];
                let mean = &mut self.mean[place][half];
                *mean = MEAN * *mean + (1.0 - MEAN) * slope;
                let square = &mut self.square[place][half];
                *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
                weight[half] -= rate * (*mean / mean_bias) / ((*square / square_bias).sqrt() + 1e-12);
                if around_king(place) {
                    weight[half] -= rate * decay * weight[half];
                }
            }
        }
    }
}

/// Weights that only correct others (the place on the board) and are many: kept small.
fn around_king(place: usize) -> bool {
    [layout::PSQT_OWN_KING, layout::PSQT_ENEMY_KING].iter().any(|group| group.places().contains(&place))
}

/// The order in which a pass takes the samples: every one once, games and files mixed.
fn order(samples: usize, seed: u64, epoch: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..samples as u32).collect();
    order.shuffle(&mut SmallRng::seed_from_u64(seed.wrapping_add(epoch as u64)));
    order
}

/// Fits the weights, from those given. `each` hears the losses before the first pass and after every one. Once `stop` is
/// set the pass is broken off, and the best weights so far are returned: those given, rounded, if it was the first one.
pub fn fit(
    data: &Dataset,
    from: &Weights,
    settings: &Settings,
    stop: &AtomicBool,
    mut each: impl FnMut(Epoch),
) -> Tuned {
    let scale = fit_scale(&data.train);
    let problem = |samples| Problem { samples, scale, wdl: settings.wdl };
    let (train, held_out) = (problem(&data.train), problem(&data.held_out));
    let mut weights = from.clone();
    let mut best = (held_out.loss(&weights), weights.clone(), 0);
    each(Epoch { epoch: 0, train: train.loss(&weights), held_out: best.0 });
    let mut adam = Adam::new();
    let steps = data.train.len().div_ceil(settings.batch) * settings.epochs;
    let mut step = 0;
    'passes: for epoch in 1..=settings.epochs {
        for batch in order(data.train.len(), settings.seed, epoch).chunks(settings.batch) {
            if stop.load(Relaxed) {
                break 'passes;
            }
            let done = step as f32 / steps as f32;
            let cosine = (1.0 + (std::f32::consts::PI * done).cos()) / 2.0;
            let rate = settings.rate * (0.02 + 0.98 * cosine);
            let gradient = train.gradient(&weights, batch);
            adam.step(&mut weights, &gradient, rate, settings.decay);
            step += 1;
        }
        let losses = Epoch { epoch, train: train.loss(&weights), held_out: held_out.loss(&weights) };
        if losses.held_out < best.0 {
            best = (losses.held_out, weights.clone(), epoch);
        }
        each(losses);
    }
    let rounded: Vec<[i16; 2]> = best.1.iter().map(|pair| pair.map(|half| half.round() as i16)).collect();
    let again = rounded.iter().map(|pair| pair.map(f32::from)).collect();
    Tuned { held_out: held_out.loss(&again), weights: rounded, pass: best.2, scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    /// Samples with a few made-up counts each, and what weights `truth` would score them with.
    fn made_up(count: usize, seed: u64, truth: &Weights) -> Samples {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut samples = Samples::default();
        for _ in 0..count {
            let counts: Vec<(u16, i8)> =
                (0..6u16).map(|weight| (weight * 3, rng.random_range(-3..=3))).filter(|c| c.1 != 0).collect();
            samples.push(&counts, [rng.random(), rng.random()], 0, 0.5);
            let last = samples.len() - 1;
            let value = samples.value(truth, last);
            samples.scores[last] = value as i16;
            samples.points[last] = f32::from(rng.random::<f32>() < sigmoid(value / 200.0));
        }
        samples
    }

    fn truth() -> Weights {
        let mut rng = SmallRng::seed_from_u64(3);
        (0..COUNT).map(|_| [rng.random_range(-90.0..90.0), rng.random_range(-90.0..90.0)]).collect()
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let samples = made_up(50, 1, &truth());
        let problem = Problem { samples: &samples, scale: 170.0, wdl: 0.6 };
        let all: Vec<u32> = (0..50).collect();
        let mut weights = vec![[3.0, -2.0]; COUNT];
        let gradient = problem.gradient(&weights, &all);
        for place in [0, 3, 6, 15] {
            for half in 0..2 {
                let step = 2.0;
                let mut loss = |change: f32| {
                    weights[place][half] += change;
                    problem.loss(&weights)
                };
                let (up, down) = (loss(step), loss(-2.0 * step));
                loss(step);
                let expected = (up - down) / (2.0 * f64::from(step));
                let found = f64::from(gradient[place][half]);
                assert!((found - expected).abs() < 1e-6 + 0.01 * expected.abs(), "{found} {expected}");
            }
        }
        assert_eq!(gradient[1], [0.0; 2], "a weight that nothing counts");
    }

    /// Both corrections cancel at the first step: it goes by the rate, against the slope.
    #[test]
    fn the_first_step_goes_by_the_rate() {
        let (mut weights, mut gradient) = (vec![[0.0; 2]; COUNT], vec![[0.0; 2]; COUNT]);
        gradient[0] = [0.5, -0.001];
        Adam::new().step(&mut weights, &gradient, 0.7, 0.0);
        for (weight, expected) in weights[0].into_iter().zip([-0.7, 0.7]) {
            assert!((weight - expected).abs() < 1e-4, "{:?}", weights[0]);
        }
        assert_eq!(weights[1], [0.0; 2], "a weight without a slope");
    }

    /// Without a slope every weight stays as it is but those of the two tables, which decay by half.
    #[test]
    fn only_the_tables_around_the_kings_are_drawn_to_zero() {
        let (mut weights, gradient) = (vec![[8.0, -6.0]; COUNT], vec![[0.0; 2]; COUNT]);
        Adam::new().step(&mut weights, &gradient, 1.0, 0.5);
        for group in layout::GROUPS {
            let table = ["PSQT, own king", "PSQT, enemy king"].contains(&group.name);
            let expected = if table { [4.0, -3.0] } else { [8.0, -6.0] };
            assert!(weights[group.places()].iter().all(|weight| *weight == expected), "{}", group.name);
        }
    }

    #[test]
    fn the_scale_is_found_again() {
        let scale = fit_scale(&made_up(40_000, 2, &truth()));
        assert!((scale - 200.0).abs() < 8.0, "{scale}");
    }

    #[test]
    fn true_weights_are_found_again() {
        let truth = truth();
        let data = Dataset { train: made_up(30_000, 4, &truth), held_out: made_up(3000, 5, &truth) };
        let settings = Settings { epochs: 60, rate: 4.0, wdl: 0.0, batch: 1000, ..Settings::default() };
        let mut losses = Vec::new();
        let go_on = AtomicBool::new(false);
        let tuned = fit(&data, &vec![[0.0; 2]; COUNT], &settings, &go_on, |epoch| losses.push(epoch));
        assert_eq!(losses.len(), 61);
        assert!(tuned.held_out < 1e-4 && losses[0].held_out > 1e-2, "{} {:?}", tuned.held_out, losses[0]);
        for place in [0, 3, 6, 9, 12, 15] {
            for (found, wanted) in tuned.weights[place].map(f32::from).into_iter().zip(truth[place]) {
                assert!((found - wanted).abs() < 4.0, "{place}: {found} instead of {wanted}");
            }
        }
    }

    #[test]
    fn a_fit_that_is_stopped_keeps_the_best_pass() {
        let truth = truth();
        let data = Dataset { train: made_up(3000, 4, &truth), held_out: made_up(300, 5, &truth) };
        let settings = Settings { epochs: 60, rate: 4.0, wdl: 0.0, batch: 100, ..Settings::default() };
        let stop = AtomicBool::new(false);
        let mut losses = Vec::new();
        let tuned = fit(&data, &vec![[0.0; 2]; COUNT], &settings, &stop, |epoch| {
            losses.push(epoch.held_out);
            stop.store(epoch.epoch == 3, Relaxed);
        });
        assert_eq!(losses.len(), 4, "{losses:?}");
        let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(losses[tuned.pass], best);
        assert!(best < losses[0] && (tuned.held_out - best).abs() < 1e-4, "{} {losses:?}", tuned.held_out);
    }

    /// The games held out say the opposite of the others: what is learnt makes each pass worse by them.
    #[test]
    fn the_best_pass_is_that_of_the_games_held_out() {
        let truth = truth();
        let opposite: Weights = truth.iter().map(|pair| pair.map(|half| -half)).collect();
        let data = Dataset { train: made_up(3000, 4, &truth), held_out: made_up(300, 5, &opposite) };
        let settings = Settings { epochs: 2, rate: 4.0, wdl: 0.0, batch: 100, ..Settings::default() };
        let (go_on, mut losses) = (AtomicBool::new(false), Vec::new());
        let tuned = fit(&data, &vec![[0.0; 2]; COUNT], &settings, &go_on, |epoch| losses.push(epoch));
        let opposed = |pass: &Epoch| pass.train < losses[0].train && pass.held_out > losses[0].held_out;
        assert!(losses.len() == 3 && losses[1..].iter().all(opposed), "{losses:?}");
        let kept = (tuned.weights, tuned.pass, tuned.held_out);
        assert_eq!(kept, (vec![[0; 2]; COUNT], 0, losses[0].held_out));
    }

    #[test]
    fn a_fit_that_is_stopped_at_once_makes_no_pass() {
        let data = Dataset { train: made_up(300, 4, &truth()), held_out: made_up(30, 5, &truth()) };
        let from = vec![[1.0, -2.0]; COUNT];
        let mut losses = Vec::new();
        let stop = AtomicBool::new(true);
        let tuned = fit(&data, &from, &Settings::default(), &stop, |epoch| losses.push(epoch.epoch));
        assert_eq!((losses, tuned.weights), (vec![0], vec![[1, -2]; COUNT]));
    }

    #[test]
    fn losses_and_weights_are_the_same_on_any_number_of_threads() {
        let truth = truth();
        let data = Dataset { train: made_up(50_000, 6, &truth), held_out: made_up(5000, 7, &truth) };
        let settings = Settings { epochs: 1, batch: 20_000, ..Settings::default() };
        let [one, four] = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| {
                let mut losses = Vec::new();
                let go_on = AtomicBool::new(false);
                let from = vec![[0.0; 2]; COUNT];
                let tuned = fit(&data, &from, &settings, &go_on, |epoch| losses.push(epoch));
                (losses, tuned.weights, tuned.scale.to_bits())
            })
        });
        assert_eq!(one, four);
    }

    #[test]
    fn every_pass_takes_every_sample_once_in_an_order_of_its_own() {
        let orders = [order(5000, 9, 1), order(5000, 9, 2)];
        assert_ne!(orders[0], orders[1]);
        for mut order in orders {
            // Neighbours in the file, as positions of one game are, do not stay neighbours.
            let neighbours = order.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 50).count();
            assert!(neighbours < 250, "{neighbours}");
            order.sort_unstable();
            assert!(order.into_iter().eq(0..5000));
        }
    }
}
