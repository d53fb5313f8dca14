//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod battery;
mod explosions;
mod signature;
mod trace;
