//! Games between engines.
#![forbid(unsafe_code)]

pub mod stats;
