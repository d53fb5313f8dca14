//! A node of the search and what kind it is.
//!
//! The kind is a type: a principal variation node can have principal variation children, a null-window node cannot,
//! and the compiler knows which is which (the typed node kinds of Viridithas, after Knuth and Moore's node types).

use crate::Searched;
use crate::tt::Entry;
use arrayvec::ArrayVec;
use chess::{Move, Position};
use std::marker::PhantomData;
use thinking::score::{INFINITE, Score};

/// What kind of node is searched.
pub trait NodeKind: Copy + Send + Sync + 'static {
    /// The root itself.
    const ROOT: bool;
    /// A node with an open window.
    const PV: bool;
    /// The kind of a child that is searched with the open window.
    type Next: NodeKind;
}

/// The root of the search.
#[derive(Clone, Copy, Debug)]
pub struct Root;
/// A node of the principal variation.
#[derive(Clone, Copy, Debug)]
pub struct Pv;
/// A node searched with a null window.
#[derive(Clone, Copy, Debug)]
pub struct NonPv;

impl NodeKind for Root {
    const ROOT: bool = true;
    const PV: bool = true;
    type Next = Pv;
}
impl NodeKind for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
    type Next = Pv;
}
impl NodeKind for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
    type Next = NonPv;
}

/// Between which scores the true value matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Anything at or below this is as good as this.
    pub alpha: Score,
    /// Anything at or above this is enough.
    pub beta: Score,
}

impl Window {
    /// Every score.
    pub const FULL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// The null window that asks whether a score exceeds `alpha`.
    #[inline]
    pub const fn null(alpha: Score) -> Self {
        Window { alpha, beta: alpha + 1 }
    }

    /// The same window seen by the other side.
    #[inline]
    pub const fn flipped(self) -> Self {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The locals of one node, gathered so that the steps of the search can be functions.
#[derive(Clone, Copy, Debug)]
pub struct Node<'p, N> {
    /// The position to search.
    pub position: &'p Position,
    /// The window it is searched with.
    pub window: Window,
    /// Remaining depth in plies, at least 1.
    pub depth: i32,
    /// Distance from the root in plies.
    pub ply: usize,
    /// Expected to fail high (Knuth and Moore's type 2).
    pub cut: bool,
    /// Is the side to move in check?
    pub in_check: bool,
    /// What the table knows of the position.
    pub table: Option<Entry>,
    /// Static evaluation as it is, for the table: not in check, and not before it is known.
    pub raw_eval: Option<Score>,
    /// What the search has learnt of the error of such evaluations. Its size tells how uncertain the
    /// evaluation is.
    pub correction: Score,
    /// Static evaluation, corrected; like the next two meaningless in check.
    pub eval: Score,
    /// The evaluation, or a bound from the table that is nearer the truth.
    pub estimate: Score,
    /// Does the side to move stand better than at its last turn?
    pub improving: bool,
    /// Is it on a principal variation, or was it when the table's entry was made?
    pub was_pv: bool,
    /// A move that is left out, to see what the others are worth.
    pub excluded: Option<Move>,
    /// Plies by which the table's move is extended.
    pub extension: i32,
    /// Between which scores the value lies for certain, since a tablebase says so or a move repeats a position.
    pub known: Window,
    kind: PhantomData<N>,
}

impl<'p, N: NodeKind> Node<'p, N> {
    /// A node nothing is known of yet.
    #[inline]
    pub fn new(position: &'p Position, window: Window, depth: i32, ply: usize, cut: bool) -> Self {
        Node {
            position,
            window,
            depth,
            ply,
            cut,
            in_check: position.in_check(),
            table: None,
            raw_eval: None,
            correction: 0,
            eval: 0,
            estimate: 0,
            improving: false,
            was_pv: N::PV,
            excluded: None,
            extension: 0,
            known: Window::FULL,
            kind: PhantomData,
        }
    }

    /// Is it a root that is only asked whether its score exceeds alpha, so that no child needs an open window?
    #[inline]
    pub fn is_null_root(&self) -> bool {
        N::ROOT && self.window == Window::null(self.window.alpha)
    }

    /// A copy that can be sent to another thread.
    pub fn detach(&self) -> Detached {
        Detached {
            position: self.position.clone(),
            window: self.window,
            depth: self.depth,
            ply: self.ply,
            cut: self.cut,
            table: self.table,
            raw_eval: self.raw_eval,
            correction: self.correction,
            eval: self.eval,
            estimate: self.estimate,
            improving: self.improving,
            was_pv: self.was_pv,
            excluded: self.excluded,
            extension: self.extension,
            known: self.known,
        }
    }
}

/// A node on its own, without borrowing and without its kind: what a thread that helps at the node is given.
#[derive(Clone, Debug)]
pub struct Detached {
    /// The position to search.
    pub position: Position,
    /// See [`Node::window`].
    pub window: Window,
    /// See [`Node::depth`].
    pub depth: i32,
    /// See [`Node::ply`].
    pub ply: usize,
    cut: bool,
    table: Option<Entry>,
    raw_eval: Option<Score>,
    correction: Score,
    eval: Score,
    estimate: Score,
    improving: bool,
    was_pv: bool,
    excluded: Option<Move>,
    extension: i32,
    known: Window,
}

impl Detached {
    /// The node again, of the kind it was taken from.
    pub fn attach<N: NodeKind>(&self) -> Node<'_, N> {
        let mut node = Node::new(&self.position, self.window, self.depth, self.ply, self.cut);
        node.table = self.table;
        node.raw_eval = self.raw_eval;
        node.correction = self.correction;
        node.eval = self.eval;
        node.estimate = self.estimate;
        node.improving = self.improving;
        node.was_pv = self.was_pv;
        node.excluded = self.excluded;
        node.extension = self.extension;
        node.known = self.known;
        node
    }
}

/// How many moves of a sort are remembered as tried at one node; later ones go unpunished.
const TRIED: usize = 32;

/// The best of a node so far.
#[derive(Clone, Debug)]
pub struct Best {
    /// The raised lower bound of the window.
    pub alpha: Score,
    /// The best score, possibly below `alpha` (fail-soft). Not below what a futile move that was not
    /// searched could have reached.
    pub score: Score,
    /// The move that raised alpha last.
    pub mv: Option<Move>,
    /// Quiet moves that did not cut off.
    pub quiets: ArrayVec<Move, TRIED>,
    /// Captures and promotions that did not cut off.
    pub noisy: ArrayVec<Move, TRIED>,
}

impl Best {
    /// Nothing searched yet.
    #[inline]
    pub fn new(alpha: Score) -> Self {
        Best { alpha, score: -INFINITE, mv: None, quiets: ArrayVec::new(), noisy: ArrayVec::new() }
    }

    /// What has been reached so far.
    #[inline]
    pub fn reached(&self) -> Reached {
        Reached { alpha: self.alpha, score: self.score }
    }

    /// Notes a move that did not cut off.
    #[inline]
    pub fn note_tried(&mut self, mv: Move, quiet: bool) {
        let list = if quiet { &mut self.quiets } else { &mut self.noisy };
        // A full list only means that this move is not punished.
        let _ = list.try_push(mv);
    }
}

/// What a node's moves have reached so far, for the search of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// See [`Best::alpha`].
    pub alpha: Score,
    /// See [`Best::score`].
    pub score: Score,
}

/// The search was told to stop, or an ancestor has been cut off: there is no score, and no way to mistake one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted;

/// What a step says: leave the node with this score, or go on.
pub type Step = Searched<Option<Score>>;

#[cfg(test)]
mod tests {
    use super::*;
    use thinking::report::Bound;

    /// Whatever a node's steps found out, a helper at the node knows as well.
    #[test]
    fn a_detached_node_is_the_same_node() {
        let position = Position::startpos();
        let mv = position.legal_moves().into_iter().next();
        let table = Entry { mv, score: 11, eval: Some(12), depth: 13, bound: Bound::Lower, pv: true };
        let node = Node::<NonPv> {
            position: &position,
            window: Window { alpha: 1, beta: 2 },
            depth: 3,
            ply: 4,
            cut: true,
            in_check: position.in_check(),
            table: Some(table),
            raw_eval: Some(5),
            correction: -3,
            eval: 6,
            estimate: 7,
            improving: true,
            was_pv: true,
            excluded: mv,
            extension: 8,
            known: Window { alpha: -9, beta: 10 },
            kind: PhantomData,
        };
        assert_eq!(format!("{node:?}"), format!("{:?}", node.detach().attach::<NonPv>()));
    }
}
