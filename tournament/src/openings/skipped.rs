//! Openings that were left out of a book: how many, and the first of them by name.

use super::BookError;

/// Openings that are named; of others only the number is kept, since a file may hold nothing else.
const NAMED: usize = 100;

/// What was left out of a book because it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skipped {
    count: usize,
    named: Vec<BookError>,
}

impl Skipped {
    /// Adds one.
    pub(super) fn add(&mut self, bad: impl FnOnce() -> BookError) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(bad());
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The first of them, each with its place and what is wrong with it.
    #[must_use]
    pub fn named(&self) -> &[BookError] {
        &self.named
    }
}
