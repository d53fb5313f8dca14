//! How much of the search a move deserves: none (pruning), less (reduction), or more (extension).
//!
//! The first move of a well-ordered node is usually its best, so late moves have to justify themselves: late-move
//! pruning (LMP), futility and SEE pruning, late-move reductions (LMR), extensions. All of this depends on the move
//! order and on the window, so none of it happens in an exact search. Nothing is pruned before a move has shown that
//! the node is not a proven loss, nor where zugzwang is likely.

use crate::node::{Best, Node, NodeKind, Reached};
use crate::parallel::ParallelScheme;
use crate::params::Params;
use crate::picker::{Picker, is_quiet};
use crate::steps::has_pieces;
use crate::tt::{Entry, from_table};
use crate::worker::{PLY, Worker};
use chess::{Move, Position};
use thinking::score::{Score, WIN_BOUND};

/// Is this move, handed out just now, worth a search at all? May tell the picker to leave out the quiet
/// moves to come. A futile move leaves what it could have reached as the node's score, if nothing was
/// better: the table, the corrections and the parent draw conclusions from fail-soft scores, which would
/// otherwise be too low.
#[inline(always)]
pub(crate) fn worth_searching<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    best: &mut Best,
    moves: &mut Picker,
    mv: Move,
    number: usize,
) -> bool {
    if N::ROOT
        || worker.exact()
        || best.score <= -WIN_BOUND
        || !has_pieces(node.position, node.position.side_to_move())
    {
        return true;
    }
    let p = &worker.shared.params;
    let reduced = (node.depth - 1 - worker.memory.reductions.get(node.depth, number) / PLY).max(0);
    if !is_quiet(node.position, mv) {
        let futile = moves.at_losing() && is_futile_capture(p, node, best, reduced);
        return !loses_material(p, node, mv) && (!futile || moves.gives_check(node.position, mv));
    }
    if moves.gives_check(node.position, mv) {
        // It may win more than any margin.
        return !loses_material(p, node, mv);
    }
    if too_late(p, node, number) {
        moves.skip_quiets();
        return false;
    }
    let merit = worker.merit(node.ply).quiet(node.position, mv);
    let reduced = (reduced + merit / p.pruning_history).max(0);
    if let Some(most) = futile(p, node, best, reduced, merit) {
        best.score = best.score.max(most);
        // A killer comes first whatever its merit: those behind it may have more.
        if worker.memory.frames[node.ply].killer != Some(mv) {
            moves.skip_quiets();
        }
        return false;
    }
    !has_failed(p, node, merit, reduced) && node.position.see_ge(mv, -p.see_quiet_margin * reduced * reduced)
}

/// Late-move pruning: so many moves have failed that the rest will, too (move-count pruning).
fn too_late<N: NodeKind>(p: &Params, node: &Node<'_, N>, number: usize) -> bool {
    let allowed = (p.late_moves + node.depth * node.depth) / if node.improving { 1 } else { 2 };
    number as i32 > allowed
}

/// Futility pruning (Schaeffer 1986; Heinz 1998, "Extended futility pruning"): no quiet move makes up for
/// such a gap. What it could reach at most, if that is not above alpha.
fn futile<N>(p: &Params, node: &Node<'_, N>, best: &Best, reduced: i32, merit: i32) -> Option<Score> {
    let margin = p.futility_base + p.futility_margin * reduced + merit / p.futility_history;
    let applies = !node.in_check && reduced <= p.futility_depth && best.alpha.abs() < WIN_BOUND;
    (applies && node.eval + margin <= best.alpha).then_some(node.eval + margin)
}

/// The same for a capture that loses material. One that gives check may be a sacrifice for more.
fn is_futile_capture<N>(p: &Params, node: &Node<'_, N>, best: &Best, reduced: i32) -> bool {
    let margin = p.futility_noisy_base + p.futility_noisy_margin * reduced;
    !node.in_check && best.alpha.abs() < WIN_BOUND && node.eval + margin <= best.alpha
}

/// History pruning: the move has failed nearly everywhere else.
fn has_failed<N>(p: &Params, node: &Node<'_, N>, merit: i32, reduced: i32) -> bool {
    reduced <= p.history_pruning_depth && merit < -p.history_pruning_margin * node.depth
}

/// A capture or a check that loses more material by exchange than the remaining depth could make good.
fn loses_material<N: NodeKind>(p: &Params, node: &Node<'_, N>, mv: Move) -> bool {
    node.depth <= p.see_noisy_depth && !node.position.see_ge(mv, -p.see_noisy_margin * node.depth)
}

/// Plies by which a move is extended: the table's move if it is singular.
pub(crate) fn extension<N>(node: &Node<'_, N>, mv: Move) -> i32 {
    if node.table.and_then(|entry| entry.mv) == Some(mv) { node.extension } else { 0 }
}

/// Plies by which an inner node of the principal variation searches its moves less deep once one has raised
/// alpha: most likely it stays the best.
pub(crate) fn less_after_raise<N: NodeKind, B>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    alpha: Score,
) -> i32 {
    let inner = N::PV && !N::ROOT;
    i32::from(inner && !worker.exact() && alpha > node.window.alpha && (3..12).contains(&node.depth))
}

/// Plies by which a late move is reduced at first (Romstad's late-move reductions): more where the node is expected to
/// fail high anyway or gets worse, less for moves that history rates high, for answers to check, and where
/// the principal variation is near or the evaluation uncertain. A move that has every reason to be good even
/// gains a ply. Checks that win or keep material are left alone: what they force is soon seen, and seen in full.
/// Those that lose material are reduced by a ply less than other moves.
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
        || child.in_check() && node.position.see_ge(mv, 0)
    {
        return 0;
    }
    let table = worker.memory.reductions.get(node.depth, number);
    let adjustment = if is_quiet(node.position, mv) {
        quiet_adjustment(worker, node, mv)
    } else {
        -table / 2 + if node.cut { p.reduction_cut } else { 0 }
    };
    let close = [N::PV, node.was_pv, node.in_check, child.in_check()].map(i32::from).iter().sum::<i32>();
    let reduction = table + adjustment - close * PLY - uncertainty(p, node) + table_adjustment(p, node);
    (reduction / PLY).clamp(-1, node.depth - 2)
}

/// By how much less moves are reduced where the evaluation is often wrong, in [`PLY`]ths.
fn uncertainty<N>(p: &Params, node: &Node<'_, N>) -> i32 {
    (node.correction.abs() * p.reduction_correction).min(p.reduction_correction_most)
}

/// What is added to the reduction for what the table says of the node, in [`PLY`]ths: where it is expected
/// to fail high but no move is known that does, where the known move is a capture that the others hardly
/// surpass, and where it was on the principal variation once and has since failed low.
fn table_adjustment<N>(p: &Params, node: &Node<'_, N>) -> i32 {
    let mv = node.table.and_then(|entry| entry.mv);
    let unknown = if node.cut && mv.is_none() { p.reduction_unknown } else { 0 };
    let noisy = if mv.is_some_and(|mv| !is_quiet(node.position, mv)) { p.reduction_noisy } else { 0 };
    let low = |entry: Entry| from_table(entry.score, node.ply) <= node.window.alpha;
    let fallen = if node.was_pv && node.table.is_some_and(low) { p.reduction_fallen } else { 0 };
    unknown + noisy + fallen
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
    if worker.memory.frames[node.ply].killer == Some(mv) {
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

/// Scores further below alpha than this, in centipawns, are as good as none.
const MUCH: Score = 300;

/// Depth of the second search of a move whose reduced search, at `reduced` plies, came out above alpha: a ply more
/// when it exceeds by much what other moves have reached, two when by very much, a ply less when hardly.
pub(crate) fn second_depth(p: &Params, depth: i32, reduced: i32, score: Score, reached: Reached) -> i32 {
    let best = reached.score.clamp(reached.alpha - MUCH, reached.alpha);
    let deeper = score > best + p.deeper_margin + 2 * depth;
    let much_deeper = score > best + p.much_deeper_margin + 2 * depth;
    let shallower = score < best + p.shallower_margin;
    (depth + i32::from(deeper) + i32::from(much_deeper) - i32::from(shallower)).max(reduced)
}
