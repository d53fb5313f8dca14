//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod common;
mod exact;
mod plain;
mod pool;
mod schemes;
mod searches;
mod sharing;
mod simulate;
mod solver;
mod tablebase;
