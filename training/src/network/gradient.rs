//! The gradient of a batch, by several threads, the same to the bit on any number of them.
//!
//! Of the 768 inputs some twenty are on in each of a position's two views, so a batch reads and changes forty rows of
//! weights for every position: nearly all the time goes into that, and into the memory behind it. The work is therefore
//! cut by blocks of hidden units, not by positions. A thread takes one block and goes through a piece of the batch; the
//! block's slice of the weights, or of the gradient, stays in the nearest cache meanwhile. There is one
//! gradient for all threads, since no two of them ever work on the same units, and it changes in the rows
//! that the positions touch and no others. Each parameter's sum is made by one thread in the order of
//! positions, which is why the number of threads does not matter.
//!
//! Three steps for each piece: every block's share of the outputs (`Forward`), the outputs' errors, every
//! block's part of the gradient (`Backward`).

use super::model::{BLOCK, Model, Shape, Units};
use super::sample::{Inputs, Label, Sample, sigmoid};
use rayon::prelude::*;
use sys::vector::{Work, run};

/// Positions of a piece. Their hidden layers fit the second cache together.
const PIECE: usize = 512;
/// Positions to a task where positions are worked on one by one.
const FEW: usize = 64;

/// A position of the piece.
#[derive(Clone, Debug, Default)]
struct Prepared {
    inputs: Inputs,
    bucket: usize,
    /// What to predict.
    target: f32,
    /// What was predicted.
    predicted: f32,
}

/// Room for the gradient of a batch.
pub struct Gradient {
    total: Model,
    prepared: Vec<Prepared>,
    /// The hidden layers before clipping: for each block, for each position, both views.
    sums: Vec<[Units; 2]>,
    /// For each block, for each position, its share of the output.
    shares: Vec<f32>,
}

impl Gradient {
    /// For a model of this shape.
    pub fn new(model: &Model) -> Self {
        let blocks = model.shape.blocks();
        Gradient {
            total: Model { shape: model.shape, values: vec![Units::default(); model.values.len()] },
            prepared: vec![Prepared::default(); PIECE],
            sums: vec![[Units::default(); 2]; PIECE * blocks],
            shares: vec![0.0; PIECE * blocks],
        }
    }

    /// The mean squared error of a model on samples, and its gradient with respect to every parameter, in the
    /// same order.
    pub fn compute(&mut self, model: &Model, samples: &[Sample], label: Label) -> (f64, &Model) {
        self.total.values.fill(Units::default());
        let unit = 1.0 / samples.len().max(1) as f32;
        let mut loss = 0.0;
        for piece in samples.chunks(PIECE) {
            loss += self.predict(model, piece, label);
            self.learn(model, piece.len(), unit * label.steepness());
        }
        (loss * f64::from(unit), &self.total)
    }

    /// Fills in what the model predicts of a piece; the sum of squared errors.
    fn predict(&mut self, model: &Model, piece: &[Sample], label: Label) -> f64 {
        let (shape, count) = (model.shape, piece.len());
        let prepared = &mut self.prepared[..count];
        prepared.par_iter_mut().zip(piece).with_min_len(FEW).for_each(|(prepared, sample)| {
            sample.inputs_into(&mut prepared.inputs);
            prepared.bucket = sample.bucket(shape.buckets);
            prepared.target = sample.target(label);
        });
        let prepared = &*prepared;
        let blocks = model.values.par_chunks_exact(shape.rows());
        let rooms = self.sums.par_chunks_mut(count).zip(self.shares.par_chunks_mut(count));
        blocks.zip(rooms).for_each(|(rows, (sums, shares))| {
            run(Forward { rows, prepared, sums, shares });
        });
        let shares = &self.shares;
        self.prepared[..count].par_iter_mut().enumerate().with_min_len(FEW).for_each(|(number, prepared)| {
            let shares = (0..shape.blocks()).map(|block| shares[block * count + number]);
            let output = shares.sum::<f32>() + model[shape.output_bias(prepared.bucket)];
            prepared.predicted = sigmoid(output * label.steepness());
        });
        let error = |prepared: &Prepared| f64::from(prepared.predicted - prepared.target).powi(2);
        self.prepared[..count].iter().map(error).sum()
    }

    /// Adds the gradient of the piece just predicted, of which each position counts `unit` times the steepness.
    fn learn(&mut self, model: &Model, count: usize, unit: f32) {
        let shape = model.shape;
        let prepared = &self.prepared[..count];
        for prepared in prepared {
            self.total[shape.output_bias(prepared.bucket)] += prepared.slope(unit);
        }
        let rows = model.values.par_chunks_exact(shape.rows());
        let gradients = self.total.values.par_chunks_exact_mut(shape.rows());
        rows.zip(gradients).zip(self.sums.par_chunks(count)).for_each(|((rows, gradient), sums)| {
            run(Backward { rows, gradient, prepared, sums, unit });
        });
    }
}

impl Prepared {
    /// How the mean squared error changes with the output.
    #[inline(always)]
    fn slope(&self, unit: f32) -> f32 {
        2.0 * (self.predicted - self.target) * self.predicted * (1.0 - self.predicted) * unit
    }
}

#[inline(always)]
fn add(to: &mut Units, from: &Units) {
    for (to, from) in to.0.iter_mut().zip(&from.0) {
        *to += from;
    }
}

/// One block's part in the outputs.
struct Forward<'a> {
    rows: &'a [Units],
    prepared: &'a [Prepared],
    sums: &'a mut [[Units; 2]],
    shares: &'a mut [f32],
}

impl Work for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let rows = self.rows;
        for ((prepared, sums), share) in self.prepared.iter().zip(self.sums).zip(self.shares) {
            let (mut own, mut theirs) = (rows[Shape::BIASES], rows[Shape::BIASES]);
            for (&mine, &their) in prepared.inputs.own.iter().zip(&prepared.inputs.theirs) {
                add(&mut own, &rows[usize::from(mine)]);
                add(&mut theirs, &rows[usize::from(their)]);
            }
            *sums = [own, theirs];
            let mut products = [0.0; BLOCK];
            for (side, sums) in [own, theirs].into_iter().enumerate() {
                let weights = rows[Shape::output_row(prepared.bucket, side)];
                for ((product, sum), weight) in products.iter_mut().zip(sums.0).zip(weights.0) {
                    let clipped = sum.clamp(0.0, 1.0);
                    *product += clipped * clipped * weight;
                }
            }
            *share = products.iter().sum();
        }
    }
}

/// One block's part of the gradient.
struct Backward<'a> {
    rows: &'a [Units],
    gradient: &'a mut [Units],
    prepared: &'a [Prepared],
    sums: &'a [[Units; 2]],
    unit: f32,
}

impl Work for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Backward { rows, gradient, prepared, sums, unit } = self;
        for (prepared, sums) in prepared.iter().zip(sums) {
            let slope = prepared.slope(unit);
            let mut slopes = *sums;
            for (side, sums) in slopes.iter_mut().enumerate() {
                let row = Shape::output_row(prepared.bucket, side);
                let (weights, into) = (rows[row], &mut gradient[row]);
                for ((sum, weight), into) in sums.0.iter_mut().zip(weights.0).zip(&mut into.0) {
                    let clipped = sum.clamp(0.0, 1.0);
                    *into += slope * clipped * clipped;
                    // Beyond either end the square is flat.
                    let inside = f32::from(u8::from(*sum > 0.0 && *sum < 1.0));
                    *sum = inside * slope * weight * 2.0 * clipped;
                }
            }
            let [own, theirs] = slopes;
            add(&mut gradient[Shape::BIASES], &own);
            add(&mut gradient[Shape::BIASES], &theirs);
            for (&mine, &their) in prepared.inputs.own.iter().zip(&prepared.inputs.theirs) {
                add(&mut gradient[usize::from(mine)], &own);
                add(&mut gradient[usize::from(their)], &theirs);
            }
        }
    }
}

/// The mean squared error of a model on samples; 0 without any.
pub fn loss(model: &Model, samples: &[Sample], label: Label) -> f64 {
    let mut room = Gradient::new(model);
    let squares = samples.chunks(PIECE).fold(0.0, |sum, piece| sum + room.predict(model, piece, label));
    squares / samples.len().max(1) as f64
}
