//! Who searches the younger brothers of a node.
//!
//! The engine searches the eldest move of a node; what happens to the rest is for a parallel scheme to decide (room
//! `smp`). One move loop serves all: before every move the loop offers the rest, and a scheme either takes them or
//! declines. For a thread on its own both questions are constants, and the compiler removes them.

use crate::Searched;
use crate::iterate::Opinion;
use crate::node::{Best, Node, NodeKind};
use crate::picker::Picker;
use crate::score::Score;
use crate::worker::Worker;
use chess::Move;

/// What a worker has just done, for whoever counts what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// It has entered a node.
    Node,
    /// It has asked the transposition table.
    Probe,
}

/// Threads that each search the root and tell each other how far they are, as one of them sees the others.
pub trait Peers {
    /// This thread begins an iteration of this depth.
    fn at_iteration(&self, depth: i32);

    /// This thread has finished an iteration.
    fn finished(&self, opinion: &Opinion);

    /// The deepest iteration that any of them has finished, if it is deeper than this.
    fn overtaken(&self, depth: i32) -> Option<Opinion>;
}

/// A parallel scheme, as one worker sees it. Everything has a default, which is to search alone.
pub trait Brothers: Sized {
    /// Is this worker's work void, because a split point above it has failed high or because the iteration that it is at
    /// has been finished by another? Asked at every node; `nodes` is how many the worker has searched.
    #[inline(always)]
    fn cut_above(&self, _nodes: u64) -> bool {
        false
    }

    /// The other threads that search the root as well, if they tell each other how far they are.
    #[inline(always)]
    fn peers(&self) -> Option<&dyn Peers> {
        None
    }

    /// The worker has done this. In a simulated world time passes here, and another worker may go on.
    #[inline(always)]
    fn tick(&self, _tick: Tick) {}

    /// The worker begins to search this move of the root.
    #[inline(always)]
    fn at_root_move(&self, _mv: Move) {}

    /// Offers the moves not yet searched at a node, which at first are all of them. `Ok(true)`: they have been searched
    /// and `best` is final; `Ok(false)`: the caller goes on by itself.
    ///
    /// # Errors
    /// [`crate::Aborted`] when the search ended meanwhile.
    #[inline(always)]
    fn offer<N: NodeKind>(
        _worker: &mut Worker<'_, Self>,
        _node: &Node<'_, N>,
        _best: &mut Best,
        _rest: &Picker,
    ) -> Searched<bool> {
        Ok(false)
    }

    /// A younger brother at a node of the principal variation has come out at `score`, above `alpha`, and is to be searched
    /// again with an open window. Returns the node's alpha by now, which others may have raised: the move has leave only if
    /// `score` still exceeds it. `number` counts the node's moves from 1.
    ///
    /// # Errors
    /// [`crate::Aborted`] when the search ended meanwhile.
    #[inline(always)]
    fn before_open_window<N: NodeKind>(
        _worker: &mut Worker<'_, Self>,
        _node: &Node<'_, N>,
        alpha: Score,
        _score: Score,
        _number: usize,
    ) -> Searched {
        Ok(alpha)
    }

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

impl Brothers for Alone {}
