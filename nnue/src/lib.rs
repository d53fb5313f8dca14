//! The network: an efficiently updatable evaluation (Nasu 2018) learnt from Firstborn's own games.
//!
//! It is one hidden layer wide and no deeper, so that nearly all of its work can be saved from one position to the
//! next. Each piece on its square is an input ([`features`]); the inputs that are on are summed into an *accumulator*,
//! once as White sees the board and once as Black does, and a move changes only two to four of them. [`Accumulators`]
//! keeps these sums along the search's path. What is left for every evaluation is a clipped square of each sum and one
//! dot product, in the widest vectors that the processor has ([`Kernel`]). Everything is integer arithmetic, so that
//! every way to the same position, on every machine, gives the same value.
//!
//! [`Network`] holds the weights, checked and immutable, for all threads to share; its file format is described in
//! [`mod@format`], its training in docs/network.md; one is part of the program ([`Network::embedded`]). The obvious way
//! to evaluate, [`Network::evaluate`], is the reference that the fast way is tested against.

#![deny(unsafe_code)]

mod accumulators;
mod embedded;
pub mod features;
pub mod format;
mod kernel;
mod network;
mod parameters;
mod placement;
// Vector loads and stores, and calls of what only some processors have, need it.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod simd;

pub use accumulators::Accumulators;
pub use format::{FormatError, LoadError};
pub use kernel::Kernel;
pub use network::{LIMIT, Network, QB, SCALE, bucket};
pub use parameters::{Parameters, QA, ShapeError};
