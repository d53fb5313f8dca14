//! Words: UCI and xboard, as sessions that serve a client and as the client side that drives another engine.
//!
//! A session ([`session::run`]) is a state machine between a stream of lines and a [`brain::Brain`]; it knows
//! chess and the engine's data types, never the search. Commands and replies are types that read and write
//! themselves.
#![forbid(unsafe_code)]

pub mod brain;
pub mod client;
pub mod conformance;
pub mod log;
pub mod option;
mod rate;
pub mod session;
mod settings;
mod text;
pub mod uci;
pub mod wdl;
pub mod xboard;
