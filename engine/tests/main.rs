//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod aside;
mod bare_king;
mod bounds;
mod counter;
mod fifty;
mod mates;
mod modelled;
mod repetition;
mod root;
mod table;
mod told;
