//! The comparisons.

pub mod pairs;
