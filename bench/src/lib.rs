//! Numbers: the signature that tells one search from another, test suites, scaling studies, and the battery that is run
//! where many cores are at hand for a few minutes.
#![forbid(unsafe_code)]

pub mod battery;
pub mod scaling;
pub mod signature;
pub mod speedtest;
pub mod suite;

/// The 24 positions of the Bratko-Kopec test (Kopec and Bratko 1982), as EPD lines.
pub const BRATKO_KOPEC: &str = include_str!("../data/bratko-kopec.epd");
