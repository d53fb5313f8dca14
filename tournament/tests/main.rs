//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod bad_engines;
// Engines that are scripts of a shell.
#[cfg(unix)]
mod failing_programs;
mod kits;
#[cfg(unix)]
mod pondering;
mod published;
mod recorded;
mod retrace;
mod runs;
mod support;
