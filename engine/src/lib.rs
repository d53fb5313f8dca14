//! One thread's search, and what threads of one search share.
//!
//! The search never prints and never reads: it gets a [`worker::Task`], tells an [`thinking::report::Observer`] what it
//! finds, and returns an [`iterate::ThreadResult`]. Which moves of a node are searched by this thread and which by
//! others is decided by a [`parallel::ParallelScheme`] that the caller supplies (room `smp`).
#![forbid(unsafe_code)]

mod checks;
pub mod correction;
pub mod counter;
pub mod drivers;
pub mod eval;
pub mod history;
pub mod iterate;
mod late;
pub mod lessons;
pub mod node;
pub mod parallel;
pub mod params;
pub mod picker;
mod prune;
pub mod quiesce;
pub mod root;
pub mod search;
pub mod shared;
mod singular;
mod steps;
pub mod tablebase;
pub mod time;
pub mod touch;
pub mod tt;
mod upcoming;
pub mod worker;

pub use node::Aborted;

/// A score, or [`Aborted`]: an ended search has no score that could be mistaken for one.
pub type Searched<T = thinking::score::Score> = Result<T, Aborted>;
