//! The hooks by which a parallel scheme takes part in the search (room `smp`).
//!
//! One move loop serves all schemes. At every node the search asks whether its work is still wanted
//! ([`ParallelScheme::should_abort`]). Before every move it offers the moves left to other threads
//! ([`ParallelScheme::try_split`]) and claims the move it is about to search, so that another thread that searches the
//! same node may defer it ([`ParallelScheme::claim`]). What happens on the way it reports as events
//! ([`ParallelScheme::event`]). For a thread on its own every hook is a constant, and the compiler removes it.

use crate::Searched;
use crate::iterate::ThreadResult;
use crate::node::{Best, Node, NodeKind};
use crate::picker::Picker;
use crate::touch::Touch;
use crate::worker::Worker;
use chess::Move;

/// What a worker has just done, for a scheme that counts what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// It has entered a node.
    Node,
    /// It has asked the transposition table.
    Probe,
}

/// What happens in a worker's search, as its scheme learns of it.
#[derive(Debug)]
pub enum SearchEvent<'e> {
    /// The worker has done this. In a simulated world time passes here, and another worker may go on.
    Tick(Tick),
    /// It has read or written memory that all workers share. In a simulated world this may take time.
    Touch(Touch<'e>),
    /// The worker begins to search this move of the root.
    RootMove(Move),
    /// An iteration begins or ends.
    Iteration(Iteration<'e>),
}

/// Where a worker stands in its iterative deepening. Threads that each search the root may share their results here.
#[derive(Debug)]
pub enum Iteration<'e> {
    /// It begins an iteration of this depth.
    Started(i32),
    /// It has finished one, with this result.
    Finished(&'e ThreadResult),
    /// It was aborted in one; this is the result of the last that it finished. If another thread has finished a deeper
    /// iteration, the scheme puts that result in its place, and the worker goes on from there.
    Aborted(&'e mut ThreadResult),
}

/// A parallel scheme, as one worker sees it. Every hook has a default, which is to search alone.
pub trait ParallelScheme: Sized {
    /// Held by the worker while it searches a move; what the claim marks ends when it is dropped. The default value
    /// marks nothing.
    type Claim: Default;

    /// Does the scheme take note of [`SearchEvent::Touch`]? If not, the search works nothing out for it.
    const TOUCHES: bool = false;

    /// Is this worker's work void, because a split point above it has failed high or because another thread has
    /// finished the iteration that it is at? Asked at every node; `nodes` is how many the worker has searched.
    #[inline(always)]
    fn should_abort(&self, _nodes: u64) -> bool {
        false
    }

    /// Offers the moves not yet searched at a node, which at first are all of them. `Ok(true)`: they have been searched
    /// and `best` is final; `Ok(false)`: the caller goes on by itself.
    ///
    /// # Errors
    /// [`crate::Aborted`] when the search ended meanwhile.
    #[inline(always)]
    fn try_split<N: NodeKind>(
        _worker: &mut Worker<'_, Self>,
        _node: &Node<'_, N>,
        _best: &mut Best,
        _rest: &Picker,
    ) -> Searched<bool> {
        Ok(false)
    }

    /// Claims a move, any but the first of its node, before it is searched. `None`, which only a `deferrable` move may
    /// get: another worker is searching it, so it had better come again at the end.
    #[inline(always)]
    fn claim<N: NodeKind>(&self, _node: &Node<'_, N>, _mv: Move, _deferrable: bool) -> Option<Self::Claim> {
        Some(Self::Claim::default())
    }

    /// Takes note of what happens in the search.
    #[inline(always)]
    fn event(&self, _event: SearchEvent<'_>) {}
}

/// A worker that searches every move itself and shares nothing: the serial search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl ParallelScheme for Alone {
    type Claim = ();
}
