//! What commands ask of the cluster they may lead (`crate::cluster`). A build without the feature `mpi` leads none.

use crate::brain::PoolBrain;
use anyhow::bail;
use protocol::brain::Brain;
use smp::pool::Pool;
use std::process::ExitCode;
use sys::ranks::Launched;

/// What is exchanged in a search of all ranks: there is none.
#[derive(clap::Args, Clone, Debug)]
pub struct Sharing {}

/// A place on another rank that computes what it is asked. There is none without a cluster.
pub enum Helper {}

impl Helper {
    /// Where it is, in words.
    pub fn place(&self) -> String {
        match *self {}
    }

    /// Asks, and waits for the answer. `None` once the cluster has ended, or the answer is not wanted any more.
    pub fn ask(&self, _request: Vec<u8>, _given_up: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        match *self {}
    }
}

/// One of several processes that know nothing of each other would write to the others' files.
pub fn run(Launched { rank, ranks, variable }: &Launched, _words: &[String]) -> anyhow::Result<ExitCode> {
    bail!(
        "this is process {rank} of {ranks} ({variable}), but this build knows nothing of MPI: build it with \
         `cargo build --release --features mpi` (docs/cluster.md), or start it alone"
    )
}

/// The brain of a session: of this process alone.
pub fn led(brain: PoolBrain) -> Box<dyn Brain> {
    Box::new(brain)
}

/// Makes the searches of a pool those of all ranks.
pub fn lead(_pool: &mut Pool, _sharing: &Sharing) {}

/// Are there other ranks?
pub fn over_ranks() -> bool {
    false
}

/// Tells all other ranks something: there are none.
pub fn order(_words: String) {}

/// Asks every other rank the same: there are none that could differ.
pub fn compare(_request: &[u8], _difference: &dyn Fn(&[u8]) -> Option<String>) -> anyhow::Result<()> {
    Ok(())
}

/// The places on other ranks.
pub fn helpers(_given_up: &dyn Fn() -> bool) -> Vec<Helper> {
    Vec::new()
}

/// What each rank exchanged in the last search.
pub fn exchanged() -> Vec<serde_json::Value> {
    Vec::new()
}
