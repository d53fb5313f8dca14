//! Principal variation search in the three forms that the sources print, and NegaScout.
//!
//! All of them search the first branch with the open window and every brother with a window of width zero
//! around the best value so far; a brother that turns out better is searched again. They differ in the window
//! of that second search and in whether it is always needed. Reinefeld's rule: with two plies or fewer to go
//! it is not, for the fail-soft value of a failed minimal window is then exact already, every leaf below the
//! failing node having been seen. (It holds when leaves have a fixed value; below a quiescence search, whose
//! value is itself only a bound, it does not.)

use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};

/// PVS as in M figure 5, fail-soft. With `reinefeld`, re-searches are left out at two plies and below.
pub fn pvs<N: Node>(
    node: &N,
    depth: u32,
    (mut alpha, beta): (Value, Value),
    reinefeld: bool,
    tally: &mut Tally,
) -> Value {
    let moves = match expand(node, depth, (alpha, beta), tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let mut score = -pvs(&node.child(moves[0]), depth - 1, (-beta, -alpha), reinefeld, tally);
    for &m in &moves[1..] {
        if score >= beta {
            break;
        }
        alpha = alpha.max(score);
        let child = node.child(m);
        let mut value = -pvs(&child, depth - 1, (-alpha - 1, -alpha), reinefeld, tally);
        if alpha < value && value < beta && (depth > 2 || !reinefeld) {
            tally.re_search(&child);
            value = -pvs(&child, depth - 1, (-beta, -value), reinefeld, tally);
        }
        score = score.max(value);
    }
    tally.left(node, score, score >= beta);
    score
}

/// PVS as E prints it: the second search has the whole window again, not the part above the first's result.
pub fn pvs_whole_window<N: Node>(
    node: &N,
    depth: u32,
    mut alpha: Value,
    beta: Value,
    tally: &mut Tally,
) -> Value {
    let moves = match expand(node, depth, (alpha, beta), tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let mut best = -INFINITY;
    for (i, m) in moves.into_iter().enumerate() {
        let child = node.child(m);
        let narrow = if i == 0 { beta } else { alpha + 1 };
        let mut score = -pvs_whole_window(&child, depth - 1, -narrow, -alpha, tally);
        if i > 0 && alpha < score && score < beta {
            tally.re_search(&child);
            score = -pvs_whole_window(&child, depth - 1, -beta, -alpha, tally);
        }
        best = best.max(score);
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    tally.left(node, best, best >= beta);
    best
}

/// NegaScout (Reinefeld 1983; named by F and B): one loop, in which the window's upper end `b` closes down
/// to zero width after the first branch. The first version, fail-hard at the bottom of the window. A result
/// on that bottom is no exact value, so here only leaves need no second search; the step from "not above a
/// leaf" to the depth > 2 of M figure 5 needs fail-soft.
pub fn negascout<N: Node>(node: &N, depth: u32, mut alpha: Value, beta: Value, tally: &mut Tally) -> Value {
    let moves = match expand(node, depth, (alpha, beta), tally) {
        Expansion::Leaf(value) => return value,
        Expansion::Interior(moves) => moves,
    };
    let (mut b, mut best) = (beta, -INFINITY);
    for (i, m) in moves.into_iter().enumerate() {
        let child = node.child(m);
        let mut value = -negascout(&child, depth - 1, -b, -alpha, tally);
        if i > 0 && alpha < value && value < beta && depth > 1 {
            tally.re_search(&child);
            value = -negascout(&child, depth - 1, -beta, -value, tally);
        }
        best = best.max(value);
        alpha = alpha.max(value);
        if alpha >= beta {
            tally.left(node, alpha, true);
            return alpha;
        }
        b = alpha + 1;
    }
    tally.left(node, best, false);
    if best < alpha {
        node.observe(Event::Returned(alpha));
    }
    alpha
}
