//! The Chess Engine Communication Protocol, version 2, as xboard and WinBoard speak it (Tim Mann, H.G.
//! Muller, "Chess Engine Communication Protocol"): commands and replies as types, and the session.

mod claims;
mod clock;
pub mod command;
mod edit;
mod feature;
mod play;
pub mod reply;
pub mod session;
