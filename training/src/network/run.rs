//! A training from its first batch to the finished network.
//!
//! The order of positions in an epoch is a permutation made from the seed and the epoch's number, so a training can be
//! taken up at any batch. A checkpoint is written now and then and after every epoch; killed at any moment, the next
//! run goes on from there and ends with the same network, bit for bit.

use super::adamw::{self, AdamW};
use super::checkpoint::{self, CheckpointError};
use super::data::{Data, Origin};
use super::gradient::{self, Gradient};
use super::model::{Model, Shape};
use super::sample::Sample;
use super::{Settings, SettingsError};
use chess::{PieceKind, Position};
use nnue::{Network, ShapeError};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use sys::output::Place;

/// Batches between two checkpoints.
const CHECKPOINT_EVERY: u64 = 200;

/// What an epoch came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Mean squared error over its batches while they were learnt from.
    pub training: f64,
    /// Mean squared error afterwards on the held-out games; 0 without any.
    pub held_out: f64,
    /// What a missing queen, rook, bishop, knight and pawn cost White in the start position, in centipawns: losses can
    /// fall while the sense of material is lost.
    pub sense: [i32; 5],
}

/// Everything a training has come to: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The exact parameters.
    pub model: Model,
    /// What the optimiser remembers.
    pub adam: AdamW,
    /// Epochs done.
    pub epochs: Vec<Epoch>,
    /// Batches done in the epoch begun.
    pub batch: u64,
    /// Sum of squared errors of the epoch begun.
    pub squares: f64,
}

impl State {
    /// Before the first batch.
    pub fn new(settings: &Settings) -> Self {
        let model =
            Model::random(Shape { hidden: settings.hidden, buckets: settings.buckets }, settings.seed);
        let adam = AdamW::new(model.values.len());
        State { model, adam, epochs: Vec::new(), batch: 0, squares: 0.0 }
    }
}

/// How far a training is.
#[derive(Clone, Debug)]
pub struct Progress<'s> {
    /// The epochs that are done.
    pub done: &'s [Epoch],
    /// Epochs in all.
    pub epochs: usize,
    /// Batches done in the epoch begun.
    pub batch: u64,
    /// Batches of an epoch.
    pub batches: u64,
    /// Mean squared error of the epoch begun, up to now.
    pub loss: f64,
    /// Positions learnt from in a second, since this run began.
    pub per_second: f64,
    /// How long it will still take at this speed.
    pub left: Duration,
}

/// A finished training.
#[derive(Debug)]
pub struct Trained {
    /// The network as it will play.
    pub network: Network,
    /// The same in floating point.
    pub model: Model,
    /// What each epoch came to.
    pub epochs: Vec<Epoch>,
}

/// Why a training did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A setting makes no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The checkpoint cannot be read, written or used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The result cannot be quantised.
    #[error("the trained weights cannot be exported: {0}")]
    Shape(ShapeError),
    /// The caller wanted no more.
    #[error("the training was stopped")]
    Stopped,
}

impl From<ShapeError> for TrainError {
    fn from(cause: ShapeError) -> Self {
        TrainError::Shape(cause)
    }
}

/// What a finished network says of its making.
#[derive(Serialize)]
struct Making<'a> {
    settings: &'a Settings,
    data: &'a Origin,
}

/// A checksum over all that determines the network: settings and data.
pub fn fingerprint(settings: &Settings, origin: &Origin) -> (u32, String) {
    let text = serde_json::to_string(&Making { settings, data: origin }).expect("settings are plain data");
    (crc32fast::hash(text.as_bytes()), text)
}

/// Trains a network. With a checkpoint file the training goes on where that file left off, and leaves its state there.
/// `watch` is told after every batch, and may break off; what came after the last checkpoint is then lost.
///
/// # Errors
/// When the settings make no sense, the checkpoint fails or belongs to another training, or `watch` breaks off.
pub fn train(
    settings: &Settings,
    data: &Data,
    checkpoint: Option<&Place>,
    watch: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Trained, TrainError> {
    settings.check()?;
    let (fingerprint, making) = fingerprint(settings, &data.origin);
    let mut state = match checkpoint.map(Place::path).filter(|path| path.exists()) {
        Some(path) => checkpoint::load(path, settings, fingerprint)?,
        None => State::new(settings),
    };
    let mut session = Session {
        settings,
        data,
        gradient: Gradient::new(&state.model),
        rounded: state.model.clone(),
        batches: data.training.len().div_ceil(settings.batch) as u64,
        began: Instant::now(),
        learnt: 0,
    };
    let save = |state: &State| -> Result<(), CheckpointError> {
        checkpoint.map_or(Ok(()), |place| checkpoint::save(place, settings, fingerprint, state))
    };
    while state.epochs.len() < settings.epochs {
        let order = order(data.training.len(), settings.seed, state.epochs.len());
        while state.batch < session.batches {
            session.step(&mut state, &order);
            if state.batch.is_multiple_of(CHECKPOINT_EVERY) {
                save(&state)?;
            }
            if watch(&session.progress(&state)).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        session.end_epoch(&mut state);
        save(&state)?;
    }
    session.rounded.round_from(&state.model);
    let network = session.rounded.quantise(fingerprint, making)?;
    Ok(Trained { network, model: session.rounded, epochs: state.epochs })
}

/// One run of the trainer.
struct Session<'a> {
    settings: &'a Settings,
    data: &'a Data,
    gradient: Gradient,
    rounded: Model,
    batches: u64,
    began: Instant,
    /// Positions learnt from in this run.
    learnt: u64,
}

impl Session<'_> {
    /// Learns from the next batch.
    fn step(&mut self, state: &mut State, order: &[u32]) {
        let size = self.settings.batch;
        let first = state.batch as usize * size;
        let numbers = &order[first..order.len().min(first + size)];
        self.rounded.round_from(&state.model);
        let (loss, gradient) =
            self.gradient.compute(&self.rounded, &self.data.training, numbers, self.settings.wdl);
        let steps = self.batches * self.settings.epochs as u64;
        let rate = adamw::rate(self.settings.rate, state.adam.steps, steps);
        state.adam.step(&mut state.model.values, gradient, rate);
        state.squares += loss * numbers.len() as f64;
        state.batch += 1;
        self.learnt += numbers.len() as u64;
    }

    fn end_epoch(&mut self, state: &mut State) {
        self.rounded.round_from(&state.model);
        state.epochs.push(Epoch {
            training: state.squares / self.data.training.len() as f64,
            held_out: gradient::loss(&self.rounded, &self.data.held_out, self.settings.wdl),
            sense: sense(&self.rounded),
        });
        state.batch = 0;
        state.squares = 0.0;
    }

    fn progress<'s>(&self, state: &'s State) -> Progress<'s> {
        let size = self.settings.batch as u64;
        let total = self.data.training.len() as u64;
        let in_epoch = (state.batch * size).min(total);
        let left = (self.settings.epochs - state.epochs.len()) as u64 * total - in_epoch;
        let per_second = self.learnt as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
        Progress {
            done: &state.epochs,
            epochs: self.settings.epochs,
            batch: state.batch,
            batches: self.batches,
            loss: state.squares / in_epoch.max(1) as f64,
            per_second,
            left: Duration::from_secs_f64(left as f64 / per_second.max(1.0)),
        }
    }
}

/// The order of positions in an epoch.
fn order(positions: usize, seed: u64, epoch: usize) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // Stream 0 made the first weights.
    random.set_stream(epoch as u64 + 1);
    let mut order: Vec<u32> = (0..positions as u32).collect();
    order.shuffle(&mut random);
    order
}

/// See [`Epoch::sense`].
fn sense(model: &Model) -> [i32; 5] {
    let value = |fen: &str| {
        let position = Position::from_fen(fen).expect("the start position lacking a piece is legal");
        let sample = Sample::new(&position, 0, 0.5);
        model.centipawns(&sample.inputs(), sample.bucket(model.shape.buckets))
    };
    let whole = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    [PieceKind::Queen, PieceKind::Rook, PieceKind::Bishop, PieceKind::Knight, PieceKind::Pawn].map(|kind| {
        let (pawns, pieces) = match kind {
            PieceKind::Queen => ("PPPPPPPP", "RNB1KBNR"),
            PieceKind::Rook => ("PPPPPPPP", "1NBQKBNR"),
            PieceKind::Bishop => ("PPPPPPPP", "RN1QKBNR"),
            PieceKind::Knight => ("PPPPPPPP", "R1BQKBNR"),
            PieceKind::Pawn | PieceKind::King => ("PPP1PPPP", "RNBQKBNR"),
        };
        (whole - value(&format!("rnbqkbnr/pppppppp/8/8/8/8/{pawns}/{pieces} w - - 0 1"))) as i32
    })
}
