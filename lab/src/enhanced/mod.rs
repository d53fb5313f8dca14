//! One search with every refinement of the sources as a switch of its own.
//!
//! The textbook forms in [`crate::algorithms`] are for reading; here the same algorithms run with memory,
//! ordering, pruning and extensions, in any combination. A [`Switches`] says what is on. With nothing on, a
//! search here visits exactly the nodes of its textbook form (a test holds that).
//!
//! The search is a list of small steps around one recursion ([`search`]): look the node up ([`table`]), try
//! to leave it early ([`pruning`]), order its branches ([`ordering`]), search each through the window its
//! algorithm asks for, deeper or shallower if it deserves it ([`extension`]), and at the horizon hand over to
//! [`horizon`]. [`root`] deepens iteratively, aspires, or drives zero windows.

pub mod extension;
pub mod horizon;
pub mod ordering;
pub mod probcut;
pub mod pruning;
pub mod register;
pub mod root;
pub mod search;
pub mod switches;
pub mod table;
#[cfg(test)]
mod truths;

pub use register::Contestant;
pub use root::{Outcome, run, run_within, runs_on};
pub use switches::Switches;

/// One ply in the units in which remaining depth is counted: quarters, so that extensions can be fractions.
pub const PLY: i32 = 4;
