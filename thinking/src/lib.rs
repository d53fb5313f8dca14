//! What goes into a search and what comes out of it, as data: limits, scores, lines of thinking, the verdict.
//!
//! The search works with these types and the protocols write them, so neither has to know the other. Everything here
//! is plain data but [`report::Observer`], the trait by which a search hands over what it finds.
#![forbid(unsafe_code)]

pub mod report;
pub mod score;
