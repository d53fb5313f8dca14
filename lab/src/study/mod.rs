//! The comparisons.
//!
//! * [`contest`]: contestants on the same trees, one row each.
//! * [`figure8`]: the first document's comparison on the Bratko-Kopec positions.
//! * [`claims`]: every claim of the documents, measured.
//! * [`grove`]: trees by description, for a command line.
//! * [`pairs`]: contestants in which every two safe switches meet.
//! * [`scaling`]: the historical parallel searches, from one processor upwards.

pub mod claims;
pub mod contest;
pub mod figure8;
pub mod grove;
pub mod pairs;
pub mod scaling;
