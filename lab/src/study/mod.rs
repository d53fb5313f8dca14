//! The comparisons.
//!
//! * [`contest`]: contestants on the same trees, one row each.
//! * [`figure8`]: Marsland's comparison on the Bratko-Kopec positions.
//! * [`claims`]: every claim of the sources, measured.
//! * [`grove`]: trees by description, for a command line.
//! * [`paired`]: two contestants on the same trees, with an interval.
//! * [`pairs`]: contestants in which every two safe switches meet.
//! * [`scaling`]: the historical parallel searches, from one processor upwards.

pub mod claims;
pub mod contest;
pub mod figure8;
pub mod grove;
pub mod paired;
pub mod pairs;
pub mod scaling;

use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Who has asked for a study: hears what is run next, and may ask for its end. A study then keeps what is
/// finished.
pub struct Watch<'a> {
    hear: &'a mut dyn FnMut(&str),
    stop: &'a AtomicBool,
}

/// What a study has no result of, since a search of it came to keep more nodes than it may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GivenUp {
    /// A contestant's text, or `tree` and its number.
    pub what: String,
    /// Nodes that a search may keep.
    pub most: usize,
}

impl std::fmt::Display for GivenUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} was given up: the search keeps more than {} nodes", self.what, self.most)
    }
}

impl<'a> Watch<'a> {
    /// `hear` is told what is run next; the study ends after the searches at hand once `stop` is set.
    pub fn new(hear: &'a mut dyn FnMut(&str), stop: &'a AtomicBool) -> Self {
        Self { hear, stop }
    }

    /// Tells what is run next.
    pub fn say(&mut self, what: &str) {
        (self.hear)(what);
    }

    /// Has the end been asked for?
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}
