//! One binary for all tests of this folder: linking is most of what a test binary costs, and the tests of one
//! binary run beside each other.

mod checklist;
mod common;
mod corpora;
mod fuzz;
mod uci;
mod whole;
mod words;
mod xboard;
mod xboard_analysis;
mod xboard_board;
mod xboard_clients;
