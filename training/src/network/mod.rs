//! The trainer of the network: from games to the weights that room `nnue` evaluates with.
//!
//! The network learns to predict what a position is worth: a mixture of what a search said and how the game ended,
//! both as a share of the point ([`Settings::wdl`]). It is so narrow that a processor trains it faster than a general
//! library does: of 768 inputs some twenty are on, so the first layer is a sum of twenty rows, and its gradient
//! touches no others ([`model`]). A batch is cut into [`SHARDS`], each with a gradient of its own that one thread fills,
//! and the shards are summed in order: the result is the same to the bit on any number of threads, and so is a training
//! that was killed and resumed ([`mod@run`], [`checkpoint`]).
//!
//! The forward pass uses the weights rounded as they will be in the file (straight-through estimator, Bengio et al.
//! 2013; Jacob et al. 2018), while the optimiser moves the exact ones: what is measured here is what will play.
//!
//! [`SHARDS`]: gradient::SHARDS

pub mod adamw;
pub mod checkpoint;
pub mod data;
pub mod gradient;
pub mod model;
pub mod run;
pub mod sample;

pub use data::Data;
pub use model::Model;
pub use run::{Progress, TrainError, Trained, train};

use serde::{Deserialize, Serialize};

/// Everything that decides what a training makes of its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Width of the hidden layer, a multiple of 32 up to 1024.
    pub hidden: usize,
    /// Output layers, 1 to 8, chosen by the number of pieces.
    pub buckets: usize,
    /// How often each position is learnt from.
    pub epochs: usize,
    /// Positions to a step of the optimiser.
    pub batch: usize,
    /// Rate of learning at the start; it falls along a half cosine to [`adamw::LAST_RATE`] of itself.
    pub rate: f32,
    /// The share of the game's result in what is learnt, from 0 to 1; the rest is the search's score.
    pub wdl: f32,
    /// Decides the first weights and the order of positions.
    pub seed: u64,
}

impl Default for Settings {
    /// What the program's own network was trained with (docs/network.md).
    fn default() -> Self {
        Settings { hidden: 128, buckets: 8, epochs: 12, batch: 8192, rate: 0.0015, wdl: 0.0, seed: 1 }
    }
}

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A number that must be greater than it is.
    #[error("{0} must be at least 1")]
    Nothing(&'static str),
    /// The shape is none that the network supports.
    #[error("{0} is out of range: hidden layers are multiples of 32 up to 1024 wide, output layers 1 to 8")]
    Shape(&'static str),
    /// The learning rate.
    #[error("the rate must be greater than 0 and at most 1")]
    Rate,
    /// The share of results.
    #[error("the share of game results (wdl) must be from 0 to 1")]
    Wdl,
}

impl Settings {
    /// Is there a training with these settings?
    ///
    /// # Errors
    /// The first setting that makes no sense.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.hidden == 0 || !self.hidden.is_multiple_of(32) || self.hidden > 1024 {
            return Err(SettingsError::Shape("hidden"));
        }
        if !(1..=8).contains(&self.buckets) {
            return Err(SettingsError::Shape("buckets"));
        }
        for (name, number) in [("epochs", self.epochs), ("batch", self.batch)] {
            if number == 0 {
                return Err(SettingsError::Nothing(name));
            }
        }
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return Err(SettingsError::Rate);
        }
        if !(0.0..=1.0).contains(&self.wdl) {
            return Err(SettingsError::Wdl);
        }
        Ok(())
    }
}
