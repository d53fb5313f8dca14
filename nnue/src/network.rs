//! The weights, and the plain way to evaluate with them.
//!
//! With `a` the accumulator of the side to move and `b` that of its opponent, each the bias plus the rows of the inputs
//! that are on:
//!
//! ```text
//! value = SCALE * (bias + sum over i of  u[i] * clip(a[i])^2 + v[i] * clip(b[i])^2),   clip(x) = min(max(x, 0), 1)
//! ```
//!
//! The squared clipped unit bends where a plain clipped one has a corner, which in a layer this narrow is worth tens of
//! Elo. In integers 1 is [`QA`] in the hidden layer and [`QB`] in the output weights. A network may have several output
//! layers, chosen by the number of pieces ("buckets").

use crate::features::{View, feature};
use crate::parameters::{LANES, Parameters, QA, ShapeError};
use chess::{Color, Position};
use std::sync::OnceLock;

/// What stands for 1 in the weights of the output.
pub const QB: i32 = 64;
/// Centipawns for an output of 1.
pub const SCALE: i32 = 400;
/// Values are kept within this, in centipawns, clear of mates.
pub const LIMIT: i32 = 20_000;

/// A cache line of weights or sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Lanes(pub [i16; LANES]);

const _: () = assert!(size_of::<Lanes>() == 64 && align_of::<Lanes>() == 64, "the SIMD kernels rely on both");

/// A network: immutable, checked, shared by all threads.
#[derive(Debug)]
pub struct Network {
    parameters: Parameters,
    rows: Box<[Lanes]>,
    biases: Box<[Lanes]>,
    outputs: Box<[Lanes]>,
    /// Computed when it is first asked for.
    checksum: OnceLock<u32>,
}

impl Network {
    /// A network of these weights.
    ///
    /// # Errors
    /// When the shape is not supported, the numbers of weights do not fit it, or a sum could leave its integer.
    pub fn new(parameters: Parameters) -> Result<Self, ShapeError> {
        parameters.check()?;
        Ok(Network::of_checked(parameters))
    }

    /// The same of weights that have been checked.
    pub(crate) fn of_checked(parameters: Parameters) -> Self {
        Network {
            rows: blocks(&parameters.feature_weights),
            biases: blocks(&parameters.feature_biases),
            outputs: blocks(&parameters.output_weights),
            checksum: OnceLock::new(),
            parameters,
        }
    }

    /// The weights as they were given.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The CRC-32 of everything in its file, the weights among it, which the file ends with. The fingerprint tells
    /// trainings apart, this also networks whose weights were changed afterwards.
    pub fn checksum(&self) -> u32 {
        *self.checksum.get_or_init(|| crc32fast::hash(&self.content()))
    }

    /// Blocks of a hidden layer.
    #[inline]
    pub(crate) fn blocks(&self) -> usize {
        self.biases.len()
    }

    /// The weights of all inputs, [`Network::blocks`] for each.
    #[inline]
    pub(crate) fn rows(&self) -> &[Lanes] {
        &self.rows
    }

    /// The accumulator of an empty board.
    pub(crate) fn biases(&self) -> &[Lanes] {
        &self.biases
    }

    /// The weights of an output layer: for the side to move, and for its opponent.
    #[inline]
    pub(crate) fn outputs(&self, bucket: usize) -> (&[Lanes], &[Lanes]) {
        let width = 2 * self.blocks();
        self.outputs[bucket * width..][..width].split_at(self.blocks())
    }

    /// Which output layer a position takes: more pieces, higher.
    #[inline]
    pub(crate) fn bucket(&self, position: &Position) -> usize {
        bucket(position.occupied().count(), self.parameters.buckets)
    }

    /// Centipawns from the sum over the hidden layer, whose unit is 1/(QA QA QB).
    #[inline]
    pub(crate) fn centipawns(&self, sum: i32, bucket: usize) -> i32 {
        let output = i64::from(sum / QA) + i64::from(self.parameters.output_biases[bucket]);
        let value = output * i64::from(SCALE) / i64::from(QA * QB);
        value.clamp(i64::from(-LIMIT), i64::from(LIMIT)) as i32
    }

    /// The value of a position for the side to move, in centipawns within ±[`LIMIT`], worked out from nothing: the
    /// reference for everything faster.
    pub fn evaluate(&self, position: &Position) -> i32 {
        let us = position.side_to_move();
        let hidden = self.parameters.hidden;
        let bucket = self.bucket(position);
        let weights = &self.parameters.output_weights[2 * hidden * bucket..][..2 * hidden];
        let units = [us, !us].into_iter().flat_map(|color| self.accumulate(position, color));
        let sum = units
            .zip(weights)
            .map(|(unit, &weight)| {
                let clipped = unit.clamp(0, QA);
                clipped * clipped * i32::from(weight)
            })
            .sum();
        self.centipawns(sum, bucket)
    }

    /// The hidden layer as `color` sees it, before clipping.
    fn accumulate(&self, position: &Position, color: Color) -> Vec<i32> {
        let hidden = self.parameters.hidden;
        let view = View::of(position, color);
        let mut sums: Vec<i32> = self.parameters.feature_biases.iter().map(|&bias| i32::from(bias)).collect();
        for square in position.occupied() {
            let piece = position.piece_on(square).expect("the square is occupied");
            let row = usize::from(view.of_feature(feature(piece.color, piece.kind, square))) * hidden;
            for (sum, &weight) in sums.iter_mut().zip(&self.parameters.feature_weights[row..]) {
                *sum += i32::from(weight);
            }
        }
        sums
    }
}

/// The output layer of a position with so many pieces, where there are so many layers.
#[inline]
pub fn bucket(pieces: u32, buckets: usize) -> usize {
    // 2 to 32 pieces are 31 numbers.
    pieces.saturating_sub(2) as usize * buckets / 31
}

fn blocks(values: &[i16]) -> Box<[Lanes]> {
    let (blocks, rest) = values.as_chunks();
    debug_assert!(rest.is_empty(), "layers are whole blocks");
    blocks.iter().copied().map(Lanes).collect()
}
