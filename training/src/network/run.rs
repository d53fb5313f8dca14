//! A training from its first batch to the finished network.
//!
//! The order of positions in an epoch follows from the seed and the epoch's number ([`super::store`]), so a
//! training can be taken up at any batch. A checkpoint is written now and then and after every epoch; killed
//! at any moment, the next run goes on from there and ends with the same network, bit for bit.

use super::adamw::{self, AdamW};
use super::checkpoint::{self, CheckpointError};
use super::data::{Data, Origin};
use super::gradient::{self, Gradient};
use super::model::{Model, Shape};
use super::sample::{Label, Sample};
use super::store;
use super::{Settings, SettingsError};
use crate::format::NetworkMark;
use chess::{PieceKind, Position};
use nnue::format::LONGEST_DESCRIPTION;
use nnue::{Network, ShapeError};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use sys::output::Place;

/// Seconds that nothing takes longer than.
const LONGEST: f64 = 1e12;
/// Batches between two checkpoints.
const CHECKPOINT_EVERY: u64 = 200;

/// What an epoch came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Mean squared error over its batches while they were learnt from.
    pub training: f64,
    /// Mean squared error afterwards on the held-out games, their results weighed as at the end of the training
    /// ([`Settings::wdl`]), so that epochs can be compared; `None` without any.
    pub held_out: Option<f64>,
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
    /// Before the first batch: random weights, or those of a network to go on from.
    pub fn new(settings: &Settings, start: Option<&Network>) -> Self {
        let shape = Shape { hidden: settings.hidden, buckets: settings.buckets };
        let model = start.map_or_else(|| Model::random(shape, settings.seed), Model::from_network);
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
    /// Positions that wait on disk cannot be read.
    #[error("the positions on disk cannot be read: {0}")]
    Disk(std::io::Error),
    /// The network to go on from is of another shape.
    #[error("the network to go on from has {} hidden units and {}", .0.hidden, output_layers(.0.buckets))]
    Start(Shape),
    /// The result cannot be quantised.
    #[error("the trained weights cannot be exported: {0}")]
    Shape(ShapeError),
    /// The caller wanted no more.
    #[error("the training was stopped")]
    Stopped,
}

/// So many output layers, in words.
fn output_layers(count: usize) -> String {
    if count == 1 { "1 output layer".to_owned() } else { format!("{count} output layers") }
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
    /// The network that it went on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<NetworkMark>,
    data: &'a Origin,
}

/// A checksum over all that determines the network: settings, data and the network to go on from; and all
/// that in words for the network's description, files summed up if there is no room for each.
pub fn fingerprint(settings: &Settings, start: Option<&Network>, origin: &Origin) -> (u32, String) {
    let start = start.map(NetworkMark::of);
    let told = |data: &Origin| {
        serde_json::to_string(&Making { settings, start, data }).expect("settings are plain data")
    };
    let text = told(origin);
    let checksum = crc32fast::hash(text.as_bytes());
    (checksum, if text.len() > LONGEST_DESCRIPTION { told(&origin.summed_up()) } else { text })
}

/// Can a training with these settings go on from this network?
///
/// # Errors
/// [`TrainError::Start`] if it is of another shape.
pub fn check_start(settings: &Settings, start: &Network) -> Result<(), TrainError> {
    let parameters = start.parameters();
    let shape = Shape { hidden: parameters.hidden, buckets: parameters.buckets };
    let fits = shape == Shape { hidden: settings.hidden, buckets: settings.buckets };
    if fits { Ok(()) } else { Err(TrainError::Start(shape)) }
}

/// Trains a network, from random weights or from those of `start`. With a checkpoint file the training goes
/// on where that file left off, and leaves its state there. `watch` is told after every batch, and may break
/// off.
///
/// # Errors
/// When the settings make no sense, the checkpoint fails or belongs to another training, the weights after
/// an epoch are too large for a network's file, or `watch` breaks off.
pub fn train(
    settings: &Settings,
    data: &Data,
    start: Option<&Network>,
    checkpoint: Option<&Place>,
    watch: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Trained, TrainError> {
    settings.check()?;
    start.map_or(Ok(()), |start| check_start(settings, start))?;
    let (fingerprint, making) = fingerprint(settings, start, &data.origin);
    let mut state = match checkpoint.filter(|place| place.path().exists()) {
        Some(place) => checkpoint::load(place, settings, fingerprint)?,
        None => State::new(settings, start),
    };
    let mut session = Session {
        settings,
        data,
        gradient: Gradient::new(&state.model),
        rounded: state.model.clone(),
        batches: data.training.len().div_ceil(settings.batch) as u64,
        batch: Vec::with_capacity(settings.batch.min(data.training.len())),
        began: Instant::now(),
        learnt: 0,
    };
    let save = |state: &State| -> Result<(), CheckpointError> {
        checkpoint.map_or(Ok(()), |place| checkpoint::save(place, settings, fingerprint, state))
    };
    while state.epochs.len() < settings.epochs {
        let begun = state.batch.saturating_mul(settings.batch as u64);
        let number = state.epochs.len() as u64;
        let mut epoch =
            store::Epoch::new(&data.training, settings.seed, number, begun).map_err(TrainError::Disk)?;
        while state.batch < session.batches {
            epoch.next_batch(settings.batch, &mut session.batch).map_err(TrainError::Disk)?;
            session.step(&mut state);
            if state.batch.is_multiple_of(CHECKPOINT_EVERY) {
                save(&state)?;
            }
            if watch(&session.progress(&state)).is_break() {
                save(&state)?;
                return Err(TrainError::Stopped);
            }
        }
        session.end_epoch(&mut state)?;
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
    /// The positions that are learnt from.
    batch: Vec<Sample>,
    began: Instant,
    /// Positions learnt from in this run.
    learnt: u64,
}

impl Session<'_> {
    /// Learns from the batch.
    fn step(&mut self, state: &mut State) {
        let steps = self.batches.saturating_mul(self.settings.epochs as u64);
        let label = self.label(self.settings.wdl.at(state.adam.steps, steps));
        self.rounded.round_from(&state.model);
        let (loss, gradient) = self.gradient.compute(&self.rounded, &self.batch, label);
        let rate = adamw::rate(self.settings.rate, state.adam.steps, steps);
        state.adam.step(&mut state.model.values, &gradient.values, rate, self.settings.decay);
        state.squares += loss * self.batch.len() as f64;
        state.batch += 1;
        self.learnt += self.batch.len() as u64;
    }

    fn label(&self, wdl: f32) -> Label {
        Label { wdl, scale: self.settings.scale }
    }

    fn end_epoch(&mut self, state: &mut State) -> Result<(), ShapeError> {
        self.rounded.round_from(&state.model);
        // Weights that have grown too large are told now, not after hours more.
        self.rounded.quantise(0, String::new())?;
        let label = self.label(self.settings.wdl.last);
        state.epochs.push(Epoch {
            training: state.squares / self.data.training.len() as f64,
            held_out: (!self.data.held_out.is_empty())
                .then(|| gradient::loss(&self.rounded, &self.data.held_out, label)),
            sense: sense(&self.rounded),
        });
        state.batch = 0;
        state.squares = 0.0;
        Ok(())
    }

    fn progress<'s>(&self, state: &'s State) -> Progress<'s> {
        let size = self.settings.batch as u64;
        let total = self.data.training.len() as u64;
        let in_epoch = state.batch.saturating_mul(size).min(total);
        let epochs = (self.settings.epochs - state.epochs.len()) as u64;
        let left = epochs.saturating_mul(total).saturating_sub(in_epoch);
        let per_second = self.learnt as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
        Progress {
            done: &state.epochs,
            epochs: self.settings.epochs,
            batch: state.batch,
            batches: self.batches,
            loss: state.squares / in_epoch.max(1) as f64,
            per_second,
            left: Duration::from_secs_f64((left as f64 / per_second.max(1.0)).min(LONGEST)),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_another_shape_is_told_in_words() {
        for (buckets, says) in
            [(1, "32 hidden units and 1 output layer"), (8, "32 hidden units and 8 output layers")]
        {
            let told = TrainError::Start(Shape { hidden: 32, buckets }).to_string();
            assert!(told.ends_with(says), "{told}");
        }
    }
}
