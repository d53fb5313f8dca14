//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod architecture;
mod battery;
mod cli;
// Ranks are processes that MPI starts.
#[cfg(target_os = "linux")]
mod cluster;
mod conformance;
mod course;
mod faults;
mod hall;
mod lab;
mod network;
mod openbench;
// Links, pipes and devices.
#[cfg(unix)]
mod outputs;
#[cfg(unix)]
mod phoronix;
mod real_xboard;
mod scaling;
mod show;
mod spsa;
mod strength;
mod tournament;
// Engines that are scripts of a shell, and signals.
#[cfg(unix)]
mod tournament_faults;
#[cfg(unix)]
mod tournament_files;
mod training;
mod uci;
mod xboard;
