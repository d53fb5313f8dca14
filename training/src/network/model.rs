//! The network in floating point, while it learns.
//!
//! All parameters lie in one vector, in the order of the file format: input weights, hidden biases, output weights,
//! output biases. So a gradient, and what the optimiser remembers, are vectors of the same shape.

use super::sample::Inputs;
use nnue::features::FEATURES;
use nnue::{Network, Parameters, QA, QB, SCALE, ShapeError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Values of a row are worked on in blocks of so many.
const BLOCK: usize = 32;
/// No parameter leaves ± this: times [`QB`] and rounded it stays within what `nnue` can multiply in 16 bits.
pub const LARGEST: f32 = 1.98;
/// About how many inputs are on, for the size of the first weights.
const TYPICAL_INPUTS: f32 = 32.0;

/// How large the layers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Width of the hidden layer, a multiple of 32.
    pub hidden: usize,
    /// How many output layers.
    pub buckets: usize,
}

impl Shape {
    /// The weights of an input.
    pub fn row(self, input: u16) -> Range<usize> {
        let start = usize::from(input) * self.hidden;
        start..start + self.hidden
    }

    /// The biases of the hidden layer.
    pub fn biases(self) -> Range<usize> {
        let start = FEATURES * self.hidden;
        start..start + self.hidden
    }

    /// The weights of an output layer: the own hidden layer's, then the opponent's.
    pub fn outputs(self, bucket: usize) -> Range<usize> {
        let start = self.biases().end + 2 * self.hidden * bucket;
        start..start + 2 * self.hidden
    }

    /// The bias of an output layer.
    pub fn output_bias(self, bucket: usize) -> usize {
        self.outputs(self.buckets).start + bucket
    }

    /// How many parameters there are.
    pub fn len(self) -> usize {
        self.output_bias(self.buckets)
    }

    /// There is always a parameter.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// A network in floating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How large the layers are.
    pub shape: Shape,
    /// All parameters, see [`Shape`].
    pub values: Vec<f32>,
}

/// The hidden layer of one position before clipping: the own accumulator, then the opponent's.
#[derive(Clone, Debug)]
pub struct Hidden(Vec<f32>);

impl Hidden {
    /// Room for one position.
    pub fn new(shape: Shape) -> Self {
        Hidden(vec![0.0; 2 * shape.hidden])
    }
}

/// `to += from`, row by row.
#[inline]
fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.as_chunks_mut::<BLOCK>().0.iter_mut().zip(from.as_chunks::<BLOCK>().0) {
        for (to, from) in to.iter_mut().zip(from) {
            *to += from;
        }
    }
}

impl Model {
    /// A network that knows nothing: small random weights, the same for the same seed.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut values = vec![0.0; shape.len()];
        let mut fill = |range: Range<usize>, most: f32| {
            values[range].fill_with(|| random.random_range(-most..=most));
        };
        fill(0..shape.biases().start, TYPICAL_INPUTS.sqrt().recip());
        fill(
            shape.outputs(0).start..shape.outputs(shape.buckets).start,
            (2.0 * shape.hidden as f32).sqrt().recip(),
        );
        Model { shape, values }
    }

    /// The output for inputs, in units of [`SCALE`] centipawns for the side to move. Leaves the hidden layer behind.
    #[inline]
    pub fn forward(&self, inputs: &Inputs, bucket: usize, hidden: &mut Hidden) -> f32 {
        let shape = self.shape;
        let (own, theirs) = hidden.0.split_at_mut(shape.hidden);
        for (sums, inputs) in [(own, &inputs.own), (theirs, &inputs.theirs)] {
            sums.copy_from_slice(&self.values[shape.biases()]);
            for &input in inputs {
                add(sums, &self.values[shape.row(input)]);
            }
        }
        let mut output = [0.0; BLOCK];
        let weights = self.values[shape.outputs(bucket)].as_chunks::<BLOCK>().0;
        for (sums, weights) in hidden.0.as_chunks::<BLOCK>().0.iter().zip(weights) {
            for ((output, sum), weight) in output.iter_mut().zip(sums).zip(weights) {
                let clipped = sum.clamp(0.0, 1.0);
                *output += clipped * clipped * weight;
            }
        }
        output.iter().sum::<f32>() + self.values[shape.output_bias(bucket)]
    }

    /// Adds to `gradient` how a loss changes with each parameter, given how it changes with the output. `hidden` is what
    /// [`Model::forward`] left behind for the same inputs; it is used up.
    #[inline]
    pub fn backward(
        &self,
        inputs: &Inputs,
        bucket: usize,
        hidden: &mut Hidden,
        slope: f32,
        gradient: &mut [f32],
    ) {
        let shape = self.shape;
        let weights = self.values[shape.outputs(bucket)].as_chunks::<BLOCK>().0;
        let slopes = gradient[shape.outputs(bucket)].as_chunks_mut::<BLOCK>().0;
        for ((sums, weights), slopes) in
            hidden.0.as_chunks_mut::<BLOCK>().0.iter_mut().zip(weights).zip(slopes)
        {
            for ((sum, weight), into) in sums.iter_mut().zip(weights).zip(slopes) {
                let clipped = sum.clamp(0.0, 1.0);
                *into += slope * clipped * clipped;
                // Beyond either end the square is flat.
                let inside = f32::from(u8::from(*sum > 0.0 && *sum < 1.0));
                *sum = inside * slope * weight * 2.0 * clipped;
            }
        }
        gradient[shape.output_bias(bucket)] += slope;
        let (own, theirs) = hidden.0.split_at(shape.hidden);
        for (slopes, inputs) in [(own, &inputs.own), (theirs, &inputs.theirs)] {
            add(&mut gradient[shape.biases()], slopes);
            for &input in inputs {
                add(&mut gradient[shape.row(input)], slopes);
            }
        }
    }

    /// The value for inputs in centipawns.
    pub fn centipawns(&self, inputs: &Inputs, bucket: usize) -> f32 {
        self.forward(inputs, bucket, &mut Hidden::new(self.shape)) * SCALE as f32
    }

    /// Makes `self` the rounding of another model: what its file will hold.
    pub fn round_from(&mut self, exact: &Model) {
        let first_output = self.shape.outputs(0).start;
        let first_bias = self.shape.output_bias(0);
        let units =
            [(0..first_output, QA), (first_output..first_bias, QB), (first_bias..self.shape.len(), QA * QB)];
        for (range, unit) in units {
            let unit = unit as f32;
            for (to, from) in self.values[range.clone()].iter_mut().zip(&exact.values[range]) {
                *to = (from * unit).round_ties_even() / unit;
            }
        }
    }

    /// The network as it will play.
    ///
    /// # Errors
    /// When the weights are so large that a sum could overflow.
    pub fn quantise(&self, fingerprint: u32, description: String) -> Result<Network, ShapeError> {
        let shape = self.shape;
        let integers = |range: Range<usize>, unit: i32| -> Vec<i16> {
            let unit = unit as f32;
            self.values[range].iter().map(|value| (value * unit).round_ties_even() as i16).collect()
        };
        let biases = &self.values[shape.output_bias(0)..];
        Network::new(Parameters {
            hidden: shape.hidden,
            buckets: shape.buckets,
            feature_weights: integers(0..shape.biases().start, QA),
            feature_biases: integers(shape.biases(), QA),
            output_weights: integers(shape.outputs(0).start..shape.output_bias(0), QB),
            output_biases: biases
                .iter()
                .map(|bias| (bias * (QA * QB) as f32).round_ties_even() as i32)
                .collect(),
            fingerprint,
            description,
        })
    }
}
