//! Many threads: the pool, the schemes by which its threads search together, and a simulated machine on which the
//! same schemes run with any number of threads and the same result every time.
#![forbid(unsafe_code)]

pub mod abdada;
pub mod accounts;
pub mod coherence;
pub mod costs;
mod frontier;
pub mod hybrid;
mod job;
pub mod lazy;
pub mod marks;
#[cfg(all(test, feature = "shuttle"))]
mod models;
pub mod pace;
pub mod pool;
pub mod pvsplit;
pub mod rootsplit;
pub mod rules;
pub mod scheme;
pub mod simulate;
pub mod split;
pub mod sync;
mod think;
pub mod vote;
pub mod world;
pub mod ybw;
