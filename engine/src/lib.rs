//! One thread's search.
#![forbid(unsafe_code)]

pub mod report;
pub mod score;
