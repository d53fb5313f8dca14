//! The trainer of the network: from games to the weights that room `nnue` evaluates with.
//!
//! The network learns to predict what a position is worth: a mixture of what a search said and how the game ended,
//! both as a share of the point ([`Settings::wdl`]). It is so narrow that a processor trains it faster than a general
//! library does: of 768 inputs some twenty are on, so the first layer is a sum of twenty rows, and its gradient
//! touches no others ([`gradient`]). Threads share the units of the hidden layer among themselves, not the
//! positions: the result is the same to the bit on any number of threads, and so is a training that was
//! killed and resumed ([`mod@run`], [`checkpoint`]). Positions that memory does not hold wait on disk, well
//! shuffled ([`store`]).
//!
//! The forward pass uses the weights rounded as they will be in the file (straight-through estimator, Bengio et al.
//! 2013; Jacob et al. 2018), while the optimiser moves the exact ones: what is measured here is what will play.

pub mod adamw;
pub mod checkpoint;
pub mod data;
pub mod gradient;
pub mod model;
pub mod run;
pub mod sample;
pub mod store;

pub use data::{Data, Reading};
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
    /// Share of every parameter that is taken away at each step, times the rate. Descriptions of networks up to gen5 do
    /// not name it.
    #[serde(default = "usual_decay")]
    pub decay: f32,
    /// Centipawns that make 73 % of the point of a score ([`Label::scale`](sample::Label::scale)). Named where it is
    /// not the usual one, with which all networks up to gen5 were trained.
    #[serde(default = "usual_scale", skip_serializing_if = "is_usual_scale")]
    pub scale: f32,
    /// The share of the game's result in what is learnt; the rest is the search's score.
    pub wdl: Ramp,
    /// Decides the first weights and the order of positions.
    pub seed: u64,
}

/// The decay of all networks up to gen5.
const fn usual_decay() -> f32 {
    0.01
}

/// The scale of all networks up to gen5.
const fn usual_scale() -> f32 {
    nnue::SCALE as f32
}

fn is_usual_scale(scale: &f32) -> bool {
    *scale == usual_scale()
}

impl Default for Settings {
    /// The usual ones; docs/network.md says what the program's own network was trained with.
    fn default() -> Self {
        Settings {
            hidden: 128,
            buckets: 8,
            epochs: 12,
            batch: 8192,
            rate: 0.0015,
            decay: usual_decay(),
            scale: usual_scale(),
            wdl: Ramp::constant(0.0),
            seed: 1,
        }
    }
}

/// A number that changes evenly from the first step of a training to the last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// At the first step.
    pub first: f32,
    /// At the last step.
    pub last: f32,
}

impl Ramp {
    /// The same number all the time.
    pub fn constant(number: f32) -> Self {
        Ramp { first: number, last: number }
    }

    /// The number at a step, counted from 0, of so many.
    pub fn at(self, step: u64, steps: u64) -> f32 {
        let done = step as f64 / steps.saturating_sub(1).max(1) as f64;
        (f64::from(self.first) + f64::from(self.last - self.first) * done.min(1.0)) as f32
    }
}

/// `A`, or `A..B` if it changes.
impl std::fmt::Display for Ramp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.first)?;
        if self.last == self.first { Ok(()) } else { write!(f, "..{}", self.last) }
    }
}

impl std::str::FromStr for Ramp {
    type Err = RampError;

    fn from_str(text: &str) -> Result<Self, RampError> {
        let number = |part: &str| part.parse().map_err(|_| RampError(text.into()));
        match text.split_once("..") {
            Some((first, last)) => Ok(Ramp { first: number(first)?, last: number(last)? }),
            None => Ok(Ramp::constant(number(text)?)),
        }
    }
}

/// Neither a number nor two.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither a number nor two as in 0.2..0.4")]
pub struct RampError(String);

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
    /// The weight decay.
    #[error("the decay must be at least 0, and times the rate less than 1")]
    Decay,
    /// The scale of scores.
    #[error("the scale must be from 50 to 2000 centipawns")]
    Scale,
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
        if !(self.decay >= 0.0 && self.decay * self.rate < 1.0) {
            return Err(SettingsError::Decay);
        }
        if !(50.0..=2000.0).contains(&self.scale) {
            return Err(SettingsError::Scale);
        }
        if ![self.wdl.first, self.wdl.last].iter().all(|share| (0.0..=1.0).contains(share)) {
            return Err(SettingsError::Wdl);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The description of gen5 as it begins.
    #[test]
    fn descriptions_without_a_decay_tell_what_it_was_then() {
        let told = concat!(
            r#"{"hidden":256,"buckets":8,"epochs":12,"batch":8192,"rate":0.0015,"#,
            r#""wdl":{"first":0.0,"last":0.0},"seed":5}"#
        );
        let settings: Settings = serde_json::from_str(told).expect("settings");
        assert_eq!(settings.decay, 0.01);
        let now = serde_json::to_string(&settings).expect("they can be told");
        assert_eq!(serde_json::from_str::<Settings>(&now).expect("settings"), settings);
        assert!(now.contains(r#""decay":0.01"#), "{now}");
    }

    #[test]
    fn a_ramp_goes_evenly_from_its_first_number_to_its_last() {
        let ramp: Ramp = "0.2..0.4".parse().expect("two numbers are a ramp");
        assert_eq!((ramp.at(0, 101), ramp.at(100, 101), ramp.at(500, 101)), (0.2, 0.4, 0.4));
        assert!((ramp.at(50, 101) - 0.3).abs() < 1e-6);
        assert_eq!(ramp.at(0, 1), 0.2);
        assert_eq!("0.25".parse(), Ok(Ramp::constant(0.25)));
        for text in ["0.25", "0.2..0.4", "0.5..0"] {
            assert_eq!(text.parse::<Ramp>().map(|ramp| ramp.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "..", "0.1..", "..0.1", "0.1...0.2", "a", "0.1-0.2"] {
            assert_eq!(wrong.parse::<Ramp>(), Err(RampError(wrong.into())));
        }
    }
}
