//! Firstborn.
fn main() {}
