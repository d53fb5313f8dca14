//! Many threads: the pool, and the schemes by which its threads search together.
#![forbid(unsafe_code)]

pub mod abdada;
pub mod accounts;
mod job;
pub mod pool;
pub mod scheme;
pub mod vote;
pub mod ybw;
