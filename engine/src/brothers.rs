//! Who searches the younger brothers of a node.
//!
//! The engine searches the eldest move of a node; what happens to the rest is for a parallel scheme to decide (room
//! `smp`). One move loop serves all: after every move the loop offers the rest, and a scheme either takes them or
//! declines. For a thread on its own both questions are constants, and the compiler removes them.

use crate::Searched;
use crate::node::{Best, Node, NodeKind};
use crate::picker::Picker;
use crate::worker::Worker;
use chess::Move;

/// A parallel scheme, as one worker sees it.
pub trait Brothers: Sized {
    /// Has a split point above this worker failed high, so that its work is void?
    fn cut_above(&self) -> bool;

    /// Offers the moves not yet searched at a node whose eldest has a score. `Ok(true)`: they have been searched
    /// and `best` is final; `Ok(false)`: the caller goes on by itself.
    ///
    /// # Errors
    /// [`crate::Aborted`] when the search ended meanwhile.
    fn offer<N: NodeKind>(
        worker: &mut Worker<'_, Self>,
        node: &Node<'_, N>,
        best: &mut Best,
        rest: &mut Picker,
    ) -> Searched<bool>;

    /// Is another worker at this younger brother just now, so that it had better be put off to the end?
    #[inline(always)]
    fn put_off<N: NodeKind>(&self, _node: &Node<'_, N>, _mv: Move) -> bool {
        false
    }

    /// The worker begins to search a younger brother.
    #[inline(always)]
    fn begin<N: NodeKind>(&self, _node: &Node<'_, N>, _mv: Move) {}

    /// The worker is done with it, or the search has ended.
    #[inline(always)]
    fn end<N: NodeKind>(&self, _node: &Node<'_, N>, _mv: Move) {}
}

/// A worker that searches all brothers itself: the serial search, and every thread of Lazy SMP.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Brothers for Alone {
    #[inline(always)]
    fn cut_above(&self) -> bool {
        false
    }

    #[inline(always)]
    fn offer<N: NodeKind>(
        _: &mut Worker<'_, Self>,
        _: &Node<'_, N>,
        _: &mut Best,
        _: &mut Picker,
    ) -> Searched<bool> {
        Ok(false)
    }
}
