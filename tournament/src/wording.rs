//! Numbers as people read them, written as in every other report.

pub use figures::table::{counted, fixed as rounded, plural, signed};
