//! Marks of what is being searched, by which threads that all search the root keep out of each other's way
//! ([`crate::abdada`], and those who read ahead in [`crate::split`]).
//!
//! A small shared table holds a mark for every younger brother that somebody is searching. Who comes to one that another has
//! marked puts it off.
//!
//! Marks are hints. Two threads may mark the same move at once, and a mark may be overwritten by another's: then a
//! move is searched twice or not put off, and nothing worse happens. So relaxed atomics are enough.

use chess::Move;
use engine::node::{Node, NodeKind};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets of marks, a power of two, and marks in each: many times more than threads and plies need.
const BUCKETS: usize = 1 << 12;
const WAYS: usize = 4;

/// Which moves are being searched now, by anyone.
pub struct Marks(Box<[[AtomicU64; WAYS]]>);

impl Default for Marks {
    fn default() -> Self {
        Marks((0..BUCKETS).map(|_| Default::default()).collect())
    }
}

impl Marks {
    fn bucket(&self, tag: u64) -> &[AtomicU64; WAYS] {
        &self.0[tag as usize % BUCKETS]
    }

    fn contains(&self, tag: u64) -> bool {
        self.bucket(tag).iter().any(|mark| mark.load(Relaxed) == tag)
    }

    /// Enters a mark, over the first one if the bucket is full.
    fn set(&self, tag: u64) {
        let bucket = self.bucket(tag);
        let free = bucket.iter().find(|mark| mark.load(Relaxed) == 0).unwrap_or(&bucket[0]);
        free.store(tag, Relaxed);
    }

    fn clear(&self, tag: u64) {
        if let Some(mark) = self.bucket(tag).iter().find(|mark| mark.load(Relaxed) == tag) {
            mark.store(0, Relaxed);
        }
    }
}

/// What stands for a move of a position in the marks; never zero.
fn tag<N>(node: &Node<'_, N>, mv: Move) -> u64 {
    (node.position.key() ^ u64::from(mv.bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1
}

/// One worker's use of marks that it shares with others. Only the moves of deep nodes are marked
/// ([`marks_depth`](crate::rules::Rules::marks_depth)), so that nothing here is part of the move loop (see `share` in
/// [`crate::split`]).
pub(crate) struct Marker {
    marks: Arc<Marks>,
    /// Moves found marked.
    deferred: Cell<u64>,
}

impl Marker {
    pub(crate) fn new(marks: Arc<Marks>) -> Self {
        Marker { marks, deferred: Cell::new(0) }
    }

    /// Is another worker at this move?
    #[cold]
    pub(crate) fn finds<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move) -> bool {
        let marked = self.marks.contains(tag(node, mv));
        self.deferred.set(self.deferred.get() + u64::from(marked));
        marked
    }

    /// This worker begins with a move.
    #[cold]
    pub(crate) fn begin<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move) {
        self.marks.set(tag(node, mv));
    }

    /// It is done with it.
    #[cold]
    pub(crate) fn end<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move) {
        self.marks.clear(tag(node, mv));
    }

    /// How many moves it found marked.
    pub(crate) fn deferred(&self) -> u64 {
        self.deferred.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_forgets_one_mark_and_keeps_the_rest() {
        let marks = Marks::default();
        let tags: Vec<u64> = (0..=WAYS as u64).map(|i| 5 + i * BUCKETS as u64).collect();
        tags.iter().for_each(|&tag| marks.set(tag));
        assert_eq!(tags.iter().filter(|&&tag| marks.contains(tag)).count(), WAYS);
        assert!(marks.contains(tags[WAYS]));
        tags.iter().for_each(|&tag| marks.clear(tag));
        assert!(!tags.iter().any(|&tag| marks.contains(tag)));
    }
}
