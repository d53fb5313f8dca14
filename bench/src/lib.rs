//! Numbers: the signature that tells one search from another, test suites, and scaling studies.
#![forbid(unsafe_code)]

pub mod scaling;
pub mod signature;
pub mod suite;

/// The 24 positions of the Bratko-Kopec test (Kopec and Bratko 1982), as EPD lines.
pub const BRATKO_KOPEC: &str = include_str!("../data/bratko-kopec.epd");
