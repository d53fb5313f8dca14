//! Marks of what is being searched, by which threads that all search the root keep out of each other's way
//! ([`crate::schemes::abdada`], and workers that read ahead in [`crate::splitting`]).
//!
//! A small shared table holds a mark for every move but the first of its node that a thread is searching. A thread that
//! comes to a move which another has marked defers it.
//!
//! Marks are hints. Two threads may mark the same move at once, and a mark may be overwritten by another's: then a
//! move is searched twice or not deferred, and nothing worse happens. So relaxed atomics are enough.

use crate::pace::Pace;
use crate::simulation::coherence::{Access, Class, LINE_BYTES, Place};
use chess::Move;
use engine::node::{Node, NodeKind};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets of marks, a power of two, and marks in each: many times more than threads and plies need.
const BUCKETS: usize = 1 << 12;
const WAYS: usize = 4;

/// On one cache line.
#[derive(Default)]
#[repr(align(32))]
struct Bucket([AtomicU64; WAYS]);

const _: () = assert!(align_of::<Bucket>() == size_of::<Bucket>(), "no bucket lies on two cache lines");

/// Which moves are being searched now, by anyone.
pub struct Marks {
    buckets: Box<[Bucket]>,
    /// Tells those of several teams apart.
    number: usize,
}

impl Default for Marks {
    fn default() -> Self {
        Marks::numbered(0)
    }
}

impl Marks {
    /// Those of one of several teams.
    pub(crate) fn numbered(number: usize) -> Self {
        Marks { buckets: (0..BUCKETS).map(|_| Default::default()).collect(), number }
    }

    fn bucket(&self, tag: u64) -> &[AtomicU64; WAYS] {
        &self.buckets[tag as usize % BUCKETS].0
    }

    /// The line of the bucket.
    pub(crate) fn place(&self, tag: u64) -> Place {
        let line = tag as usize % BUCKETS * size_of::<Bucket>() / LINE_BYTES;
        Place::lines(Class::Mark, self.number, line, 1)
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

/// A worker's claim to a move. The mark, if it has one, is cleared when the claim is dropped, however the
/// search of the move ends.
pub struct Claim<P: Pace> {
    mark: Option<(Rc<Own>, u64, P)>,
}

impl<P: Pace> Default for Claim<P> {
    #[inline]
    fn default() -> Self {
        Claim { mark: None }
    }
}

impl<P: Pace> Drop for Claim<P> {
    #[inline]
    fn drop(&mut self) {
        if let Some((own, tag, pace)) = &self.mark {
            let place = own.marks.place(*tag);
            pace.touch(Access::Read, place);
            pace.touch(Access::Write, place);
            own.marks.clear(*tag);
        }
    }
}

/// One worker's use of marks that it shares with others. Only the moves of deep nodes are marked
/// ([`marks_depth`](crate::schemes::rules::Rules::marks_depth)), so that nothing here is part of the move
/// loop (see `share` in [`crate::splitting`]).
pub(crate) struct Marker(Rc<Own>);

/// What a marker and its claims hold together. The count of these holds is the worker's own: one that all
/// workers change would take its cache line from the others at every claim.
struct Own {
    marks: Arc<Marks>,
    /// Moves found marked.
    deferred: Cell<u64>,
}

impl Marker {
    pub(crate) fn new(marks: Arc<Marks>) -> Self {
        Marker(Rc::new(Own { marks, deferred: Cell::new(0) }))
    }

    /// Marks a move as one that this worker is searching, until the claim is dropped. `None`: another worker
    /// has marked it, and it is `deferrable`.
    #[cold]
    pub(crate) fn claim<N: NodeKind, P: Pace>(
        &self,
        node: &Node<'_, N>,
        mv: Move,
        deferrable: bool,
        pace: &P,
    ) -> Option<Claim<P>> {
        let Own { marks, deferred } = &*self.0;
        let tag = tag(node, mv);
        pace.touch(Access::Read, marks.place(tag));
        if deferrable && marks.contains(tag) {
            deferred.set(deferred.get() + 1);
            return None;
        }
        pace.touch(Access::Write, marks.place(tag));
        marks.set(tag);
        Some(Claim { mark: Some((Rc::clone(&self.0), tag, pace.clone())) })
    }

    /// How many moves it found marked.
    pub(crate) fn deferred(&self) -> u64 {
        self.0.deferred.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use chess::Position;
    use engine::node::{NonPv, Window};

    /// However a search ends, what it claimed is free again; and the other's claim stands until then.
    #[test]
    fn a_claim_holds_until_it_is_dropped() {
        let marks: Arc<Marks> = Arc::default();
        let [one, other] = [Marker::new(Arc::clone(&marks)), Marker::new(Arc::clone(&marks))];
        let position = Position::startpos();
        let node = Node::<NonPv>::new(&position, Window::FULL, 9, 0, false);
        let moves = position.legal_moves();
        let aborted = || -> engine::Searched {
            let _claim = one.claim(&node, moves[0], true, &Real);
            assert!(other.claim(&node, moves[0], true, &Real).is_none(), "another has it");
            assert!(other.claim(&node, moves[1], true, &Real).is_some(), "that one is free");
            Err(engine::Aborted)
        };
        assert!(aborted().is_err());
        let insisting = other.claim(&node, moves[0], false, &Real);
        assert!(insisting.is_some() && one.claim(&node, moves[0], true, &Real).is_none());
        drop(insisting);
        assert!(one.claim(&node, moves[0], true, &Real).is_some());
        assert_eq!([one.deferred(), other.deferred()], [1, 1]);
        assert!(
            marks.buckets.iter().flat_map(|bucket| &bucket.0).all(|mark| mark.load(Relaxed) == 0),
            "no mark is left"
        );
    }

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
