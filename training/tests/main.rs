//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod format;
mod games;
mod gradient;
mod network;
mod random_games;
mod stream;
mod survey;
mod viriformat;
