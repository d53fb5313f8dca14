//! ABDADA (Weill 1995, "The ABDADA distributed minimax search algorithm"), in Kerrigan's simplified form.
//!
//! All threads search the root, as in Lazy SMP, but they tell each other what they are at ([`crate::marks`]). A thread
//! that comes to a younger brother which another thread has marked puts it off and takes the next; only when the others
//! are done does it return to those put off, by then probably answered by the transposition table. The eldest is never
//! put off: all wait for its value together. Whoever finishes an iteration takes the others along (`crate::frontier`).
//!
//! Kerrigan's further test, whether another thread has meanwhile proved the node good enough, gained nothing here
//! (bench/runs/2026-11-21-frontier), so there is none.

use crate::accounts::Activity;
use crate::frontier::Scout;
use crate::marks::Marker;
use crate::pace::Pace;
use crate::rules::RuleSet;
use chess::Move;
use engine::brothers::{Brothers, Peers, Tick};
use engine::node::{Node, NodeKind};
use std::marker::PhantomData;

/// One worker's place in the scheme.
pub struct Abdada<R, P> {
    pub(crate) marker: Marker,
    scout: Scout,
    pace: P,
    rules: PhantomData<R>,
}

impl<R: RuleSet, P: Pace> Abdada<R, P> {
    /// A worker that shares its marks with the others.
    pub(crate) fn new(marker: Marker, scout: Scout, pace: P) -> Self {
        Abdada { marker, scout, pace, rules: PhantomData }
    }

    /// Are the moves of this node marked?
    #[inline(always)]
    fn marks<N>(node: &Node<'_, N>) -> bool {
        node.depth >= R::RULES.marks_depth
    }
}

impl<R: RuleSet, P: Pace> Brothers for Abdada<R, P> {
    #[inline]
    fn cut_above(&self, _nodes: u64) -> bool {
        self.scout.is_behind()
    }

    fn peers(&self) -> Option<&dyn Peers> {
        Some(&self.scout)
    }

    #[inline(always)]
    fn tick(&self, tick: Tick) {
        self.pace.spend(tick.into());
    }

    #[inline(always)]
    fn at_root_move(&self, mv: Move) {
        self.pace.note(Some(Activity::Own(Some(mv))));
    }

    #[inline]
    fn put_off<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move) -> bool {
        Self::marks(node) && self.marker.finds(node, mv)
    }

    #[inline]
    fn begin<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move) {
        if Self::marks(node) {
            self.marker.begin(node, mv);
        }
    }

    #[inline]
    fn end<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move) {
        if Self::marks(node) {
            self.marker.end(node, mv);
        }
    }
}
