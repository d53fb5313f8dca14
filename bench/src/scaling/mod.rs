//! Scaling studies: what a scheme gains from more threads, and where the rest of them goes.
//!
//! A [`plan::Plan`] says what is searched by whom; a [`clock::Clock`], real or virtual, searches; every search is a
//! [`sample::Sample`]; samples become [`rows::Row`]s with geometric means and intervals, rows are fitted with two laws
//! ([`fits`]), and all of it is a [`result::Study`], which is written as JSON, shown as a report, and can be compared
//! with another. `docs/scaling.md` says how to run and how to read one.

pub mod clock;
pub mod compare;
#[cfg(test)]
mod fake;
pub mod fits;
mod load;
pub mod pilot;
pub mod plan;
pub mod positions;
pub mod report;
pub mod result;
pub mod rows;
pub mod sample;
pub mod study;

pub use figures::stats;
