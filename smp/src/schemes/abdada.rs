//! ABDADA (Weill 1996, "The ABDADA distributed minimax search algorithm"), in Kerrigan's simplified form.
//!
//! All threads search the root, as in Lazy SMP, but they mark the moves that they are searching
//! ([`crate::schemes::marks`]). A thread that comes to a move marked by another defers it and takes the next. It
//! returns to the deferred moves when the others are done; by then the transposition table probably answers them.
//! The first move of a node is never deferred: all threads search it together. Iteration sync is as in Lazy SMP
//! (`crate::pool::iteration_sync`).
//!
//! Kerrigan's further test, whether another thread has meanwhile proved a cut-off at the node, gained nothing here
//! (bench/runs/2026-11-21-frontier), so there is none.

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
