//! Leaving a node without searching its moves, because a cheaper look says how it will end.
//!
//! Every one of these is a bet, taken off the principal variation only and never in an exact search.

use crate::Searched;
use crate::node::{Node, NodeKind, NonPv, Step, Window};
use crate::parallel::ParallelScheme;
use crate::params::Params;
use crate::picker::{Picker, is_quiet};
use crate::quiesce::quiesce;
use crate::search::{next_rated, search, search_node};
use crate::steps::{has_pieces, is_bare};
use crate::tt::{Entry, from_table, likely_key_after, table_key, to_table};
use crate::worker::Worker;
use chess::{Move, PieceKind};
use thinking::report::Bound;
use thinking::score::{self, Score};

/// May bets be taken here at all?
fn may_prune<N: NodeKind, B>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> bool {
    !N::PV && !worker.exact() && !node.in_check && node.excluded.is_none()
}

/// Razoring (Birmingham and Kent 1977; Heinz 1998 in this form): so far below alpha that only captures
/// could help, which the quiescence search looks at. Not where the table knows a good quiet move or a lower
/// bound.
pub(crate) fn razor<N: NodeKind, B: ParallelScheme>(worker: &mut Worker<'_, B>, node: &Node<'_, N>) -> Step {
    let p = &worker.shared.params;
    let alpha = node.window.alpha;
    let margin = p.razor_base + p.razor_margin * node.depth * node.depth;
    let speaks_against =
        |entry: Entry| entry.bound == Bound::Lower || entry.mv.is_some_and(|mv| is_quiet(node.position, mv));
    if !may_prune(worker, node)
        || score::is_decided(alpha)
        || node.estimate + margin > alpha
        || node.table.is_some_and(speaks_against)
        || is_bare(node.position)
    {
        return Ok(None);
    }
    quiesce::<NonPv, B>(worker, node.position, Window::null(alpha), node.ply).map(Some)
}

/// Reverse futility pruning (RFP; static null move, Heinz 1998): so far above beta, and so little depth left,
/// that the opponent will not catch up. The margin is wider where the evaluation is often wrong. Not where
/// the principal variation has been, nor where the table's move is quiet (as in Stockfish; measured in
/// bench/runs/2026-11-22-screening).
pub(crate) fn reverse_futility<N: NodeKind, B>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Option<Score> {
    let p = &worker.shared.params;
    let beta = node.window.beta;
    let improving = if node.improving { p.reverse_futility_improving } else { 0 };
    let unknown = node.table.is_none() && node.depth >= p.unordered_depth;
    let unknown = if unknown { p.reverse_futility_unknown } else { 0 };
    let uncertain = node.correction.abs() * p.reverse_futility_correction / 100;
    let margin =
        p.reverse_futility_base + p.reverse_futility_margin * node.depth - improving - unknown + uncertain;
    let quiet_best = || node.table.and_then(|entry| entry.mv).is_some_and(|mv| is_quiet(node.position, mv));
    let applies = may_prune(worker, node)
        && !node.was_pv
        && node.depth <= p.reverse_futility_depth
        && !score::is_decided(beta)
        && !score::is_decided(node.estimate)
        && node.estimate - margin >= beta
        && !quiet_best();
    applies.then_some(beta + (node.estimate - beta) * p.reverse_futility_share / 100)
}

/// Null-move pruning (NMP; Donninger 1993): if passing the turn still fails high at reduced depth, a move
/// will too. Only where the node is expected to fail high, and the evaluation gives reason to; not with pawns
/// alone, where having to move may be a burden (zugzwang), not against what the table says, and not twice in
/// a row. Where the depth is great, the claim is verified by a reduced search in which this side does not
/// pass (Tabibi and Netanyahu 2002, "Verified null-move pruning", in Stockfish's form).
pub(crate) fn null_move<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
) -> Step {
    let p = &worker.shared.params;
    let beta = node.window.beta;
    let side = node.position.side_to_move();
    let frame = &worker.memory.frames[node.ply];
    if !may_prune(worker, node)
        || node.depth < p.null_move_depth
        || node.estimate < beta
        || frame.since_null == 0
        || node.ply < usize::from(frame.no_null[node.ply % 2])
        || score::is_decided(beta)
        || !has_pieces(node.position, side)
        || !promises_null(p, node)
    {
        return Ok(None);
    }
    let Some(child) = node.position.after_null() else { return Ok(None) };
    worker.shared.table.prefetch(table_key(&child));
    let surplus = ((node.estimate - beta) / p.null_move_eval_step).min(3);
    let noisy = node.table.and_then(|entry| entry.mv).is_some_and(|mv| !is_quiet(node.position, mv));
    let reduction = p.null_move_reduction + node.depth / p.null_move_divisor + surplus + i32::from(noisy);
    let depth = node.depth - reduction;
    worker.step(node.ply, node.position, None, &child);
    let window = Window::null(beta - 1);
    let score = search::<NonPv, B>(worker, &child, window.flipped(), depth, node.ply + 1, !node.cut);
    worker.step_back();
    let score = -score?;
    if score < beta {
        return Ok(None);
    }
    // A mate or a won ending found after passing is no proof of either.
    let score = if score::is_decided(score) { beta } else { score };
    if node.depth < p.verification_depth {
        return Ok(Some(score));
    }
    Ok((verify(worker, node, depth)? >= beta).then_some(score))
}

/// Is a null move likely to fail high? The static evaluation must be above beta, by a margin where little
/// depth is left to find out; and the table must know neither a bound below beta nor a capture of a piece,
/// which is better than to pass.
fn promises_null<N>(p: &Params, node: &Node<'_, N>) -> bool {
    let improving = if node.improving { p.null_move_improving } else { 0 };
    let margin = (p.null_move_base - p.null_move_margin * node.depth - improving).max(0);
    let captures_piece = |mv| node.position.captured(mv).is_some_and(|kind| kind != PieceKind::Pawn);
    let speaks_against = |entry: Entry| {
        entry.bound == Bound::Upper && from_table(entry.score, node.ply) < node.window.beta
            || entry.mv.is_some_and(captures_piece)
    };
    node.cut && node.eval >= node.window.beta + margin && !node.table.is_some_and(speaks_against)
}

/// The node's value to `depth` plies if its side may not pass for three quarters of them.
fn verify<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    depth: i32,
) -> Searched {
    let depth = depth.max(1);
    let parity = node.ply % 2;
    let until = node.ply as i32 + 1 + 3 * depth / 4;
    let before = worker.memory.frames[node.ply].no_null;
    worker.memory.frames[node.ply].no_null[parity] = until as u16;
    let window = Window::null(node.window.beta - 1);
    let score = search_node(worker, Node::<NonPv>::new(node.position, window, depth, node.ply, false));
    worker.memory.frames[node.ply].no_null = before;
    score
}

/// ProbCut (Buro 1995; Jiang and Buro 2003 for chess): a capture that at reduced depth exceeds beta by a
/// margin will exceed beta at full depth. Only where the node is expected to fail high, and the table
/// speaks for it rather than against.
pub(crate) fn probable_cut<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
) -> Step {
    let p = &worker.shared.params;
    let margin = p.probcut_margin - if node.improving { p.probcut_improving } else { 0 };
    let bound = node.window.beta + margin;
    let depth = node.depth - p.probcut_reduction;
    let refuted = node.table.is_some_and(|entry| {
        from_table(entry.score, node.ply) < bound || entry.mv.is_some_and(|mv| is_quiet(node.position, mv))
    });
    if !may_prune(worker, node)
        || !node.cut
        || node.depth < p.probcut_depth
        || score::is_decided(node.window.beta)
        || refuted
    {
        return Ok(None);
    }
    let mut captures = Picker::winning(node.position, node.table.and_then(|entry| entry.mv));
    while let Some(mv) = next_rated(worker, node.position, node.ply, &mut captures) {
        if !node.position.see_ge(mv, bound - node.eval) {
            continue;
        }
        let score = try_capture(worker, node, mv, bound, depth)?;
        if score >= bound {
            let entry = Entry {
                mv: Some(mv),
                score: to_table(score, node.ply),
                eval: node.raw_eval,
                depth: depth + 1,
                bound: Bound::Lower,
                pv: node.was_pv,
            };
            worker.store(node.position, entry);
            return Ok(Some(if score::is_decided(score) { score } else { score - margin }));
        }
    }
    Ok(None)
}

/// A capture's score against a bound: by quiescence first, and only if that holds by a search.
fn try_capture<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    mv: Move,
    bound: Score,
    depth: i32,
) -> Searched {
    worker.shared.table.prefetch(likely_key_after(node.position, mv));
    let mut child = node.position.clone();
    child.play(mv);
    worker.step(node.ply, node.position, Some(mv), &child);
    let window = Window::null(bound - 1).flipped();
    let mut score = quiesce::<NonPv, B>(worker, &child, window, node.ply + 1).map(|score| -score);
    if depth > 0 && score.is_ok_and(|score| score >= bound) {
        score =
            search::<NonPv, B>(worker, &child, window, depth, node.ply + 1, !node.cut).map(|score| -score);
    }
    worker.step_back();
    score
}
