//! What was left out since it cannot be used, openings of a book or games of a file: how many, and the first of them by
//! name.

use super::BookError;

/// How many are named; of others only the number is kept, since a file may hold nothing else.
const NAMED: usize = 100;

/// What was left out because it cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped<E = BookError> {
    count: usize,
    named: Vec<E>,
}

impl<E> Default for Skipped<E> {
    fn default() -> Self {
        Self { count: 0, named: Vec::new() }
    }
}

impl<E> Skipped<E> {
    /// Adds one.
    pub(crate) fn add(&mut self, bad: impl FnOnce() -> E) {
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
    pub fn named(&self) -> &[E] {
        &self.named
    }
}
