//! ABDADA (Weill 1995, "The ABDADA distributed minimax search algorithm"), in Kerrigan's simplified form.
//!
//! All threads search the root, as in Lazy SMP, but they tell each other what they are at ([`crate::schemes::marks`]). A thread
//! that comes to a move which another thread has marked defers it and takes the next; only when the others
//! are done does it return to the deferred moves, by then probably answered by the transposition table. The
//! first move of a node is never deferred: all wait for its value together. Whoever finishes an iteration
//! takes the others along (`crate::pool::iteration_sync`).
//!
//! Kerrigan's further test, whether another thread has meanwhile proved the node good enough, gained nothing here
//! (bench/runs/2026-11-21-deepest), so there is none.

use crate::pace::Pace;
use crate::pool::iteration_sync::IterationSync;
use crate::schemes::marks::{Claim, Marker};
use crate::schemes::rules::RuleSet;
use chess::Move;
use engine::node::{Node, NodeKind};
use engine::parallel::{ParallelScheme, SearchEvent};
use std::marker::PhantomData;

/// One worker's place in the scheme.
pub struct Abdada<R, P> {
    pub(crate) marker: Marker,
    iteration_sync: IterationSync,
    pace: P,
    rules: PhantomData<R>,
}

impl<R: RuleSet, P: Pace> Abdada<R, P> {
    /// A worker that shares its marks with the others.
    pub(crate) fn new(marker: Marker, iteration_sync: IterationSync, pace: P) -> Self {
        Abdada { marker, iteration_sync, pace, rules: PhantomData }
    }

    /// Are the moves of this node marked?
    #[inline(always)]
    fn marks<N>(node: &Node<'_, N>) -> bool {
        node.depth >= R::RULES.marks_depth
    }
}

impl<R: RuleSet, P: Pace> ParallelScheme for Abdada<R, P> {
    type Claim = Claim<P>;
    const TOUCHES: bool = P::TOUCHES;

    #[inline]
    fn should_abort(&self, _nodes: u64) -> bool {
        self.iteration_sync.is_behind(&self.pace)
    }

    #[inline]
    fn claim<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move, deferrable: bool) -> Option<Claim<P>> {
        if Self::marks(node) {
            self.marker.claim(node, mv, deferrable, &self.pace)
        } else {
            Some(Claim::default())
        }
    }

    #[inline(always)]
    fn event(&self, event: SearchEvent<'_>) {
        self.iteration_sync.event(event, &self.pace);
    }
}
