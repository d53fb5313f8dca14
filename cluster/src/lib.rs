//! Many machines: one search over several pools, and independent work given out to them.
//!
//! The processes of a cluster are its *ranks*, numbered from 0, each on a machine with a pool and a table of its own.
//! They talk over a [`transport::Transport`]: MPI between machines (the binary has that one), memory in tests, or a
//! simulated network. One thread of each rank does all the talking ([`member::Member`]); it never blocks, and
//! what it cannot send in time it drops or keeps.
//!
//! In a search ([`search`]) every rank searches the root, as the leaders of teams do within one pool. The
//! ranks exchange the deep entries of their tables ([`exchange`]) and the results of iterations (`results`).
//! Rank 0 keeps the time, ends the search, and holds the vote. How much of what is exchanged is ever used is always
//! counted.
//!
//! [`simulation`] has all of it in virtual time: machines, network and search, the same in every run.
//!
//! Rank 0 can also ask other ranks to compute something: games, positions ([`member::Member::call`]).
#![forbid(unsafe_code)]

pub mod exchange;
pub mod member;
pub mod memory;
pub mod message;
mod network;
mod post;
mod registry;
mod results;
pub mod search;
pub mod simulation;
pub mod transport;
