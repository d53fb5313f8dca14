//! The gradient of a batch, by several threads, the same to the bit on any number of them.

use super::model::{Hidden, Model};
use super::sample::{Sample, sigmoid};
use rayon::prelude::*;

/// Pieces of a batch, each summed on its own. Fixed, because floating point sums depend on their order.
pub const SHARDS: usize = 16;
/// Parameters to a task when shards are summed.
const CHUNK: usize = 4096;

/// The sums of one shard.
struct Shard {
    gradient: Vec<f32>,
    hidden: Hidden,
    loss: f64,
}

/// Room for the gradient of a batch.
pub struct Gradient {
    shards: Vec<Shard>,
    total: Vec<f32>,
}

impl Gradient {
    /// For a model of this shape.
    pub fn new(model: &Model) -> Self {
        let shard =
            || Shard { gradient: vec![0.0; model.values.len()], hidden: Hidden::new(model.shape), loss: 0.0 };
        Gradient { shards: (0..SHARDS).map(|_| shard()).collect(), total: vec![0.0; model.values.len()] }
    }

    /// The mean squared error of a model on the samples numbered, and its gradient with respect to every parameter.
    pub fn compute(&mut self, model: &Model, samples: &[Sample], numbers: &[u32], wdl: f32) -> (f64, &[f32]) {
        let size = numbers.len().div_ceil(SHARDS).max(1);
        let used = numbers.len().div_ceil(size);
        let unit = 1.0 / numbers.len().max(1) as f32;
        self.shards[..used].par_iter_mut().zip(numbers.par_chunks(size)).for_each(|(shard, numbers)| {
            shard.gradient.fill(0.0);
            shard.loss =
                numbers.iter().map(|&number| shard.learn(model, &samples[number as usize], wdl, unit)).sum();
        });
        let shards = &self.shards[..used];
        self.total.par_chunks_mut(CHUNK).enumerate().for_each(|(number, total)| {
            total.fill(0.0);
            for shard in shards {
                for (total, slope) in total.iter_mut().zip(&shard.gradient[number * CHUNK..]) {
                    *total += slope;
                }
            }
        });
        let loss: f64 = shards.iter().map(|shard| shard.loss).sum();
        (loss * f64::from(unit), &self.total)
    }
}

impl Shard {
    /// Adds the gradient of one sample, of which each counts `unit`; its squared error.
    fn learn(&mut self, model: &Model, sample: &Sample, wdl: f32, unit: f32) -> f64 {
        let inputs = sample.inputs();
        let bucket = sample.bucket(model.shape.buckets);
        let predicted = sigmoid(model.forward(&inputs, bucket, &mut self.hidden));
        let error = predicted - sample.target(wdl);
        let slope = 2.0 * error * predicted * (1.0 - predicted) * unit;
        model.backward(&inputs, bucket, &mut self.hidden, slope, &mut self.gradient);
        f64::from(error).powi(2)
    }
}

/// The mean squared error of a model on samples; 0 without any.
pub fn loss(model: &Model, samples: &[Sample], wdl: f32) -> f64 {
    let squares = |samples: &[Sample]| -> f64 {
        let mut hidden = Hidden::new(model.shape);
        let error = |sample: &Sample| {
            let output = model.forward(&sample.inputs(), sample.bucket(model.shape.buckets), &mut hidden);
            f64::from(sigmoid(output) - sample.target(wdl)).powi(2)
        };
        samples.iter().map(error).sum()
    };
    // Chunks of fixed size summed in order: the same on any number of threads.
    let parts: Vec<f64> = samples.par_chunks(4096).map(squares).collect();
    parts.iter().sum::<f64>() / samples.len().max(1) as f64
}
