//! Scout (Pearl 1980; M 3.1): it is cheaper to prove a branch inferior than to learn its value.
//!
//! Two procedures. `test` asks a yes-or-no question, "is this worth more than v?", and can stop at the first
//! branch that answers it. `eval` finds a node's value: the first branch by itself, each brother only when
//! the test says that it is better.

use super::alpha_beta::clamped;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};

/// The node's exact value.
pub fn eval<N: Node>(node: &N, depth: u32, tally: &mut Tally) -> Value {
    let moves = match expand(node, depth, (-INFINITY, INFINITY), tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let mut best = None;
    for m in moves {
        let child = node.child(m);
        best = match best {
            None => Some(-eval(&child, depth - 1, tally)),
            // The child is below -best for its owner, so the branch is above best for us.
            Some(best) if !test(&child, depth - 1, -best - 1, tally) => {
                tally.re_search(&child);
                Some(-eval(&child, depth - 1, tally))
            }
            settled => settled,
        };
    }
    let best = best.expect("an interior node has a branch");
    tally.left(node, best, false);
    best
}

/// Is the node worth more than `v`?
fn test<N: Node>(node: &N, depth: u32, v: Value, tally: &mut Tally) -> bool {
    let moves = match expand(node, depth, (v, v + 1), tally) {
        Expansion::Leaf(value) => return clamped(node, value, (v, v + 1)) > v,
        Expansion::Interior(moves) => moves,
    };
    let greater = moves.into_iter().any(|m| !test(&node.child(m), depth - 1, -v - 1, tally));
    // A yes-or-no answer: those that watch see the bound it stands for.
    tally.left(node, v + Value::from(greater), greater);
    greater
}
