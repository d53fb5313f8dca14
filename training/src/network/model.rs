//! The network in floating point, while it learns.
//!
//! All parameters lie in one vector, so that a gradient, and what the optimiser remembers, are vectors of the
//! same shape. The hidden layer is cut into *blocks* of [`BLOCK`] units, and everything that belongs to a
//! block lies together: for each input its weights into these units, then the units' biases, then their
//! weights in each output layer. A thread that works on one block of many positions therefore stays within a
//! few tens of kilobytes ([`super::gradient`]).

use super::sample::Inputs;
use nnue::features::FEATURES;
use nnue::{Network, Parameters, QA, QB, SCALE, ShapeError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::{Index, IndexMut};
use sys::vector::{Work, run};

/// Units of a block.
pub const BLOCK: usize = 16;
/// No parameter leaves ± this: times [`QB`] and rounded it stays within what `nnue` can multiply in 16 bits.
pub const LARGEST: f32 = 1.98;
/// About how many inputs are on, for the size of the first weights.
const TYPICAL_INPUTS: f32 = 32.0;

/// A number for each of a block's units: a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct Units(pub [f32; BLOCK]);

const _: () =
    assert!(size_of::<Units>() == 64 && align_of::<Units>() == 64, "the units of a block are a cache line");

/// How large the layers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Width of the hidden layer, a multiple of 32.
    pub hidden: usize,
    /// How many output layers.
    pub buckets: usize,
}

impl Shape {
    /// The row of a block that holds the units' biases; before it are those of the inputs.
    pub const BIASES: usize = FEATURES;

    /// The row of a block that holds the weights of a side's units in an output layer: `side` 0 is the side to move's.
    pub fn output_row(bucket: usize, side: usize) -> usize {
        FEATURES + 1 + 2 * bucket + side
    }

    /// Blocks of the hidden layer.
    pub fn blocks(self) -> usize {
        self.hidden / BLOCK
    }

    /// Rows of a block.
    pub fn rows(self) -> usize {
        Shape::output_row(self.buckets, 0)
    }

    /// The place of a unit's parameter in the row of its block.
    pub fn place(self, row: usize, unit: usize) -> Place {
        Place { row: unit / BLOCK * self.rows() + row, lane: unit % BLOCK }
    }

    /// The bias of an output layer; all of them share the row that comes after all blocks.
    pub fn output_bias(self, bucket: usize) -> Place {
        Place { row: self.blocks() * self.rows(), lane: bucket }
    }

    /// Rows in all.
    pub fn all_rows(self) -> usize {
        self.blocks() * self.rows() + 1
    }

    /// The places of all parameters in the order of the network's file: input weights, hidden biases, output weights,
    /// output biases.
    pub fn file_order(self) -> impl Iterator<Item = Place> {
        let outputs = (0..self.buckets).flat_map(|bucket| [0, 1].map(|side| Shape::output_row(bucket, side)));
        let rows = (0..=Shape::BIASES).chain(outputs);
        let units = rows.flat_map(move |row| (0..self.hidden).map(move |unit| self.place(row, unit)));
        units.chain((0..self.buckets).map(move |bucket| self.output_bias(bucket)))
    }
}

/// Where a parameter lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The row, counted over all blocks.
    pub row: usize,
    /// The unit in its block.
    pub lane: usize,
}

/// A network in floating point.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How large the layers are.
    pub shape: Shape,
    /// All parameters, see [`Shape`].
    pub values: Vec<Units>,
}

impl Index<Place> for Model {
    type Output = f32;

    fn index(&self, place: Place) -> &f32 {
        &self.values[place.row].0[place.lane]
    }
}

impl IndexMut<Place> for Model {
    fn index_mut(&mut self, place: Place) -> &mut f32 {
        &mut self.values[place.row].0[place.lane]
    }
}

impl Model {
    /// A network that knows nothing: small random weights, the same for the same seed.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let inputs = TYPICAL_INPUTS.sqrt().recip();
        let outputs = (2.0 * shape.hidden as f32).sqrt().recip();
        let mut values = vec![Units::default(); shape.all_rows()];
        for block in values.chunks_exact_mut(shape.rows()) {
            for (row, values) in block.iter_mut().enumerate().filter(|&(row, _)| row != Shape::BIASES) {
                let most = if row < Shape::BIASES { inputs } else { outputs };
                values.0.fill_with(|| random.random_range(-most..=most));
            }
        }
        Model { shape, values }
    }

    /// A network to go on from: what a trained one plays with.
    pub fn from_network(network: &Network) -> Self {
        let parameters = network.parameters();
        let shape = Shape { hidden: parameters.hidden, buckets: parameters.buckets };
        let scaled = |weights: &[i16], unit: i32| -> Vec<f32> {
            weights.iter().map(|&weight| f32::from(weight) / unit as f32).collect()
        };
        let mut file = scaled(&parameters.feature_weights, QA);
        file.extend(scaled(&parameters.feature_biases, QA));
        file.extend(scaled(&parameters.output_weights, QB));
        file.extend(parameters.output_biases.iter().map(|&bias| bias as f32 / (QA * QB) as f32));
        Model::from_file_order(shape, &file)
    }

    /// A network of parameters in the order of the network's file.
    pub fn from_file_order(shape: Shape, file: &[f32]) -> Self {
        let mut model = Model { shape, values: vec![Units::default(); shape.all_rows()] };
        shape.file_order().zip(file).for_each(|(place, &value)| model[place] = value);
        model
    }

    /// The value for inputs in centipawns, worked out the obvious way: the reference for the batches of
    /// [`super::gradient`].
    pub fn centipawns(&self, inputs: &Inputs, bucket: usize) -> f32 {
        let shape = self.shape;
        let mut output = self[shape.output_bias(bucket)];
        for (side, inputs) in [&inputs.own, &inputs.theirs].into_iter().enumerate() {
            for unit in 0..shape.hidden {
                let weights = inputs.iter().map(|&input| self[shape.place(usize::from(input), unit)]);
                let sum = self[shape.place(Shape::BIASES, unit)] + weights.sum::<f32>();
                let weight = self[shape.place(Shape::output_row(bucket, side), unit)];
                output += sum.clamp(0.0, 1.0).powi(2) * weight;
            }
        }
        output * SCALE as f32
    }

    /// Makes `self` the rounding of another model: what its file will hold.
    pub fn round_from(&mut self, exact: &Model) {
        let (rows, outputs) = (self.shape.rows(), Shape::output_row(0, 0));
        let blocks = self.values.par_chunks_exact_mut(rows).zip(exact.values.par_chunks_exact(rows));
        blocks.for_each(|(to, from)| {
            run(Round { to: &mut to[..outputs], from: &from[..outputs], unit: QA as f32 });
            run(Round { to: &mut to[outputs..], from: &from[outputs..], unit: QB as f32 });
        });
        let biases = self.shape.output_bias(0).row;
        run(Round { to: &mut self.values[biases..], from: &exact.values[biases..], unit: (QA * QB) as f32 });
    }

    /// The network as it will play.
    ///
    /// # Errors
    /// When the weights are so large that a sum could overflow.
    pub fn quantise(&self, fingerprint: u32, description: String) -> Result<Network, ShapeError> {
        let Shape { hidden, buckets } = self.shape;
        let mut places = self.shape.file_order();
        let mut integers = |count: usize, unit: i32| -> Vec<i32> {
            let round = |place: Place| (self[place] * unit as f32).round_ties_even() as i32;
            places.by_ref().take(count).map(round).collect()
        };
        let narrow =
            |values: Vec<i32>| -> Vec<i16> { values.into_iter().map(|value| value as i16).collect() };
        Network::new(Parameters {
            hidden,
            buckets,
            feature_weights: narrow(integers(FEATURES * hidden, QA)),
            feature_biases: narrow(integers(hidden, QA)),
            output_weights: narrow(integers(2 * hidden * buckets, QB)),
            output_biases: integers(buckets, QA * QB),
            fingerprint,
            description,
        })
    }
}

/// Rounds to multiples of a unit's reciprocal.
struct Round<'a> {
    to: &'a mut [Units],
    from: &'a [Units],
    unit: f32,
}

impl Work for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, from) in self.to.iter_mut().zip(self.from) {
            for (to, from) in to.0.iter_mut().zip(&from.0) {
                *to = (from * self.unit).round_ties_even() / self.unit;
            }
        }
    }
}
