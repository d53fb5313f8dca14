//! Words: UCI and xboard, as sessions that serve a client, and the rules by which any engine is examined.
//!
//! A session ([`session::run`]) is a state machine between a stream of lines and a [`brain::Brain`]; it knows
//! chess and the data types of a search, never the search. Commands and replies are types that read and write
//! themselves.
#![forbid(unsafe_code)]

pub mod brain;
pub mod conformance;
pub mod log;
pub mod option;
mod rate;
pub mod session;
mod settings;
pub mod uci;
pub mod wdl;
pub mod xboard;
