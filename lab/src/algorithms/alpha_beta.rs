//! Alpha-beta in its three historical shapes (M 2.2 and figure 1; E; B; Knuth and Moore 1975).
//!
//! * [`branch_and_bound`], Knuth and Moore's F1: one bound, so no deep cut-offs.
//! * [`fail_hard`], their F2: the result never leaves the window.
//! * [`fail_soft`], Fishburn 1981 and M figure 1: outside the window the result is still a true bound, an
//!   upper one when it is not above alpha, a lower one when it is not below beta.

use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};

/// Alpha-beta without deep cut-offs: only the best value of the node's own parent is known. Finds the exact
/// value when it is below `bound`.
pub fn branch_and_bound<N: Node>(node: &N, depth: u32, bound: Value, tally: &mut Tally) -> Value {
    let moves = match expand(node, depth, (-INFINITY, bound), tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let mut best = -INFINITY;
    for m in moves {
        best = best.max(-branch_and_bound(&node.child(m), depth - 1, -best, tally));
        if best >= bound {
            break;
        }
    }
    tally.left(node, best, best >= bound);
    best
}

/// Fail-hard alpha-beta: the value if it lies inside the window, else the bound it fell beyond.
pub fn fail_hard<N: Node>(node: &N, depth: u32, mut alpha: Value, beta: Value, tally: &mut Tally) -> Value {
    let moves = match expand(node, depth, (alpha, beta), tally) {
        Expansion::Leaf(value) => return clamped(node, value, (alpha, beta)),
        Expansion::Interior(moves) => moves,
    };
    for m in moves {
        alpha = alpha.max(-fail_hard(&node.child(m), depth - 1, -beta, -alpha, tally));
        if alpha >= beta {
            tally.left(node, beta, true);
            return beta;
        }
    }
    tally.left(node, alpha, false);
    alpha
}

/// A leaf's value in a search that stays inside its window. What its parent hears is what those that watch hear.
pub(super) fn clamped<N: Node>(node: &N, value: Value, (alpha, beta): (Value, Value)) -> Value {
    let inside = value.clamp(alpha, beta);
    if inside != value {
        node.observe(Event::Returned(inside));
    }
    inside
}

/// Fail-soft alpha-beta (M figure 1): the value if it lies inside the window, else the best bound found.
pub fn fail_soft<N: Node>(node: &N, depth: u32, alpha: Value, beta: Value, tally: &mut Tally) -> Value {
    let moves = match expand(node, depth, (alpha, beta), tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let mut best = -INFINITY;
    for m in moves {
        best = best.max(-fail_soft(&node.child(m), depth - 1, -beta, -alpha.max(best), tally));
        if best >= beta {
            break;
        }
    }
    tally.left(node, best, best >= beta);
    best
}
