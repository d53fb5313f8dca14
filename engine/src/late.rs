//! How much of the search a move deserves: none (pruning), less (reduction), or more (extension).
//!
//! The eldest of a well-ordered node is usually its best, so what comes late has to justify itself. All of this rests
//! on the order of the moves and on the window, so none of it happens in an exact search; and nothing is pruned before
//! some move, or a tablebase, has shown that the node is no certain loss, nor where zugzwang is likely.

use crate::node::{Best, Node, NodeKind};
use crate::parallel::ParallelScheme;
use crate::params::Params;
use crate::picker::{Picker, is_quiet};
use crate::score::{Score, WIN_BOUND};
use crate::steps::has_pieces;
use crate::worker::{PLY, Worker};
use chess::{Move, Position};

/// Is this move, handed out just now, worth a search at all? May tell the picker to leave out the quiet moves to come.
#[inline(always)]
pub(crate) fn worth_searching<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    best: &Best,
    moves: &mut Picker,
    mv: Move,
) -> bool {
    if N::ROOT
        || worker.exact()
        || best.score <= -WIN_BOUND
        || !has_pieces(node.position, node.position.side_to_move())
    {
        return true;
    }
    let p = &worker.shared.params;
    if !is_quiet(node.position, mv) {
        return !loses_material(p, node, mv);
    }
    if moves.gives_check(node.position, mv) {
        // It may win more than any margin.
        return !loses_material(p, node, mv);
    }
    let number = moves.handed_out();
    let reduced = (node.depth - 1 - worker.memory.reductions.get(node.depth, number) / PLY).max(0);
    if too_late(p, node, number) {
        moves.skip_quiets();
        return false;
    }
    !is_futile(p, node, best, reduced)
        && !has_failed(worker, node, mv, reduced)
        && node.position.see_ge(mv, -p.see_quiet_margin * reduced * reduced)
}

/// Late-move pruning: so many moves have failed that the rest will, too (move-count pruning).
fn too_late<N: NodeKind>(p: &Params, node: &Node<'_, N>, number: usize) -> bool {
    let allowed = (p.late_moves + node.depth * node.depth) / if node.improving { 1 } else { 2 };
    number as i32 > allowed
}

/// Futility pruning (Schaeffer 1986; Heinz 1998, "Extended futility pruning"): no quiet move makes up for such a gap.
fn is_futile<N: NodeKind>(p: &Params, node: &Node<'_, N>, best: &Best, reduced: i32) -> bool {
    !node.in_check
        && reduced <= p.futility_depth
        && best.alpha.abs() < WIN_BOUND
        && node.eval + p.futility_base + p.futility_margin * reduced <= best.alpha
}

/// History pruning: the move has failed nearly everywhere else.
#[inline(always)]
fn has_failed<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    mv: Move,
    reduced: i32,
) -> bool {
    let p = &worker.shared.params;
    reduced <= p.history_pruning_depth
        && worker.merit(node.ply).quiet(node.position, mv) < -p.history_pruning_margin * node.depth
}

/// A capture or a check that loses more material by exchange than the remaining depth could make good.
fn loses_material<N: NodeKind>(p: &Params, node: &Node<'_, N>, mv: Move) -> bool {
    node.depth <= p.see_noisy_depth && !node.position.see_ge(mv, -p.see_noisy_margin * node.depth)
}

/// Plies by which a move is extended: the table's move if it is singular.
pub(crate) fn extension<N>(node: &Node<'_, N>, mv: Move) -> i32 {
    if node.table.and_then(|entry| entry.mv) == Some(mv) { node.extension } else { 0 }
}

/// Plies by which a late move is reduced at first (Romstad's late-move reductions): more where the node is expected to
/// fail high anyway or gets worse, less for moves that history rates high, for answers to check, and where
/// the principal variation is near. Checks are not reduced: what they force is soon seen, and seen in full.
#[inline(always)]
pub(crate) fn reduction<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    child: &Position,
    mv: Move,
    number: usize,
) -> i32 {
    let p = &worker.shared.params;
    if worker.exact()
        || node.depth < p.reduction_depth
        || number < p.reduction_move as usize + usize::from(N::PV)
        || child.in_check()
    {
        return 0;
    }
    let table = worker.memory.reductions.get(node.depth, number);
    let reduction =
        table + if is_quiet(node.position, mv) { quiet_adjustment(worker, node, mv) } else { -table / 2 };
    let close = i32::from(N::PV) + i32::from(node.was_pv) + i32::from(node.in_check);
    ((reduction - close * PLY) / PLY).clamp(0, node.depth - 2)
}

/// What is added to the reduction of a quiet move, in [`PLY`]ths.
#[inline(always)]
fn quiet_adjustment<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    mv: Move,
) -> i32 {
    let p = &worker.shared.params;
    let mut more = -worker.merit(node.ply).quiet(node.position, mv) * PLY / p.reduction_history;
    if worker.memory.frames[node.ply].killers.contains(&Some(mv)) {
        more -= p.reduction_killer;
    }
    if node.cut {
        more += p.reduction_cut;
    }
    if !node.improving {
        more += p.reduction_worsening;
    }
    if worker.memory.frames[node.ply + 1].cutoffs > p.reduction_cutoffs as u32 {
        more += PLY;
    }
    more
}

/// Depth of the second search of a move whose reduced search, at `reduced` plies, came out above alpha: a ply more
/// when it did so by much, a ply less when hardly.
pub(crate) fn second_depth(p: &Params, depth: i32, reduced: i32, score: Score, alpha: Score) -> i32 {
    let deeper = score > alpha + p.deeper_margin + 2 * depth;
    let shallower = score < alpha + p.shallower_margin;
    (depth + i32::from(deeper) - i32::from(shallower)).max(reduced)
}
