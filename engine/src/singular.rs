//! Singular extensions (Anantharaman, Campbell and Hsu 1988, in the form that asks the transposition
//! table).
//!
//! Where the table has a move that failed high or was exact, the other moves are searched to half the depth
//! against a bound somewhat below its score. If all of them fail, the move is the only good one and
//! deserves more depth; if they do not, and one even reaches beta, then two moves at least are good enough
//! and the node is left (multi-cut, Björnsson and Marsland 1999) with a score between what was found and
//! beta, since it was found at half the depth; and if neither is so, the move gets less: most where its own score
//! in the table reaches beta, a ply elsewhere if the node is expected to fail high.

use crate::Searched;
use crate::node::{Node, NodeKind, NonPv, Step, Window};
use crate::parallel::ParallelScheme;
use crate::search::search_node;
use crate::tt::{Entry, from_table};
use crate::worker::Worker;
use chess::Move;
use thinking::report::Bound;
use thinking::score::{self, Score};

/// Decides by how much the table's move is to be extended, or leaves the node by multi-cut.
pub(crate) fn extend_singular<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Step {
    let Some((entry, mv)) = candidate(worker, node) else { return Ok(None) };
    let p = &worker.shared.params;
    let known = from_table(entry.score, node.ply);
    let bound = known - p.singular_margin * node.depth / 8;
    let others = best_other(worker, node, mv, bound)?;
    if others >= bound && others >= node.window.beta && !score::is_decided(others) {
        return Ok(Some((others + node.window.beta) / 2));
    }
    node.extension = if others < bound {
        let doubles = worker.memory.frames[node.ply].doubles;
        let twice = !N::PV && others < bound - p.double_margin && i32::from(doubles) < p.doubles_on_a_path;
        1 + i32::from(twice)
    } else if known >= node.window.beta {
        -2 + i32::from(N::PV)
    } else if node.cut {
        -1
    } else {
        0
    };
    Ok(None)
}

/// The table's entry and its move, if the depth of both makes the question worth asking.
fn candidate<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
) -> Option<(Entry, Move)> {
    let entry = node.table?;
    let mv = entry.mv?;
    let p = &worker.shared.params;
    let worth = !N::ROOT
        && !worker.exact()
        && node.excluded.is_none()
        && node.depth >= p.singular_depth
        && entry.depth >= node.depth - p.singular_table_depth
        && entry.bound != Bound::Upper
        && !score::is_decided(entry.score)
        && (node.ply as i32) < 2 * worker.root_depth;
    (worth && node.position.is_legal(mv)).then_some((entry, mv))
}

/// What the other moves are worth, as compared with a bound.
fn best_other<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    mv: Move,
    bound: Score,
) -> Searched {
    let window = Window::null(bound - 1);
    let mut without = Node::<NonPv>::new(node.position, window, (node.depth - 1) / 2, node.ply, node.cut);
    without.excluded = Some(mv);
    without.was_pv = node.was_pv;
    search_node(worker, without)
}
