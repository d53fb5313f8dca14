//! Minimax and negamax: the definition that everything else must agree with (M 2.1, B).
//!
//! Every leaf of the tree is visited, W^D of them when the tree is uniform.

use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};

/// No window: every value is of interest.
const OPEN: (Value, Value) = (-INFINITY, INFINITY);

/// Minimax with a maximising and a minimising half. Values are the root player's throughout; the result is
/// the value for the side to move at `node`, who maximises.
pub fn minimax<N: Node>(node: &N, depth: u32, tally: &mut Tally) -> Value {
    maximise(node, depth, tally)
}

fn maximise<N: Node>(node: &N, depth: u32, tally: &mut Tally) -> Value {
    match expand(node, depth, OPEN, tally) {
        Expansion::Leaf(value) => value,
        Expansion::Interior(moves) => {
            let values = moves.into_iter().map(|m| minimise(&node.child(m), depth - 1, tally));
            let value = values.max().unwrap_or(-INFINITY);
            tally.left(node, value, false);
            value
        }
    }
}

fn minimise<N: Node>(node: &N, depth: u32, tally: &mut Tally) -> Value {
    match expand(node, depth, OPEN, tally) {
        Expansion::Leaf(value) => -value,
        Expansion::Interior(moves) => {
            let values = moves.into_iter().map(|m| maximise(&node.child(m), depth - 1, tally));
            let value = values.min().unwrap_or(INFINITY);
            tally.left(node, -value, false);
            value
        }
    }
}

/// Negamax: one function for both sides, each value negated on its way up.
pub fn negamax<N: Node>(node: &N, depth: u32, tally: &mut Tally) -> Value {
    let moves = match expand(node, depth, OPEN, tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let mut best = -INFINITY;
    for m in moves {
        best = best.max(-negamax(&node.child(m), depth - 1, tally));
    }
    tally.left(node, best, false);
    best
}
