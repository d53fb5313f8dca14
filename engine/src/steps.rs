//! The steps of a node, in the order in which [`crate::search`] takes them.

use crate::brothers::{Brothers, Tick};
use crate::node::{Best, Node, NodeKind, NonPv, Step, Window};
use crate::params as p;
use crate::picker::is_quiet;
use crate::report::Bound;
use crate::score::{self, DRAW, MAX_PLY, Score};
use crate::search::search;
use crate::tt::{Entry, from_table, to_table};
use crate::worker::{Frame, Worker};
use chess::{Color, Move, PieceKind, Position};

/// Counts the node, and leaves it where the game is drawn, the line too long, or a mate nearer the root already
/// better than anything here (mate distance pruning).
pub(crate) fn enter<N: NodeKind, B: Brothers>(worker: &mut Worker<'_, B>, node: &mut Node<'_, N>) -> Step {
    worker.count_node()?;
    if N::PV {
        worker.memory.lines[node.ply].clear();
        worker.seldepth = worker.seldepth.max(node.ply);
    }
    if N::ROOT {
        return Ok(None);
    }
    if worker.is_draw(node) {
        return Ok(Some(DRAW));
    }
    if node.ply >= MAX_PLY - 1 {
        return Ok(Some(if node.in_check {
            DRAW
        } else {
            worker.memory.evaluator.evaluate(node.position, node.ply)
        }));
    }
    node.window.alpha = node.window.alpha.max(score::mated_in(node.ply));
    node.window.beta = node.window.beta.min(score::mate_in(node.ply + 1));
    if node.window.alpha >= node.window.beta {
        return Ok(Some(node.window.alpha));
    }
    Ok(None)
}

/// Asks the table. Off the principal variation a deep enough bound ends the node, unless the fifty-move rule is
/// near, of which the table knows nothing.
pub(crate) fn probe_table<N: NodeKind, B: Brothers>(
    worker: &Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Option<Score> {
    worker.brothers.tick(Tick::Probe);
    node.table = worker.shared.table.probe(node.position.key());
    let entry = node.table?;
    if N::PV || worker.exact() || entry.depth < node.depth || node.position.halfmove_clock() >= 90 {
        return None;
    }
    cut_by_table(&entry, node.window, node.ply)
}

/// The table's score, if its bound decides a null window.
pub(crate) fn cut_by_table(entry: &Entry, window: Window, ply: usize) -> Option<Score> {
    let score = from_table(entry.score, ply);
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    };
    decides.then_some(score)
}

/// Evaluates the position statically, unless it is in check, where that means little.
pub(crate) fn evaluate<N: NodeKind, B>(worker: &mut Worker<'_, B>, node: &mut Node<'_, N>) {
    let eval = if node.in_check {
        None
    } else {
        let known = node.table.and_then(|entry| entry.eval);
        Some(known.unwrap_or_else(|| worker.memory.evaluator.evaluate(node.position, node.ply)))
    };
    node.eval = eval.unwrap_or_default();
    let frames = &mut worker.memory.frames;
    frames[node.ply].eval = eval;
    frames[node.ply + 2].killers = [None; 2];
    node.improving = eval.is_some_and(|eval| is_improving(frames, node.ply, eval));
}

/// Does the side to move stand better than at its last turn (or, if it was in check then, at the one before)?
fn is_improving(frames: &[Frame], ply: usize, eval: Score) -> bool {
    let before = |plies: usize| frames[ply.checked_sub(plies)?].eval;
    before(2).or_else(|| before(4)).is_some_and(|before| eval > before)
}

/// Reverse futility: so far above beta, and so little depth left, that the opponent will not catch up.
pub(crate) fn reverse_futility<N: NodeKind, B>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Option<Score> {
    let beta = node.window.beta;
    let applies = !N::PV
        && !worker.exact()
        && !node.in_check
        && node.depth <= p::REVERSE_FUTILITY_DEPTH
        && !score::is_mate(beta);
    let margin = p::REVERSE_FUTILITY_MARGIN * (node.depth - i32::from(node.improving));
    (applies && node.eval - margin >= beta).then_some(node.eval)
}

/// Null move (Donninger 1993): if passing the turn still fails high at reduced depth, a move will too. Not with
/// pawns alone, where zugzwang is common, and not twice in a row.
pub(crate) fn null_move<N: NodeKind, B: Brothers>(worker: &mut Worker<'_, B>, node: &Node<'_, N>) -> Step {
    let beta = node.window.beta;
    let passed_before = node.ply > 0 && worker.memory.frames[node.ply - 1].mv.is_none();
    if N::PV
        || worker.exact()
        || node.depth < p::NULL_MOVE_DEPTH
        || node.eval < beta
        || passed_before
        || score::is_mate(beta)
        || !has_pieces(node.position, node.position.side_to_move())
    {
        return Ok(None);
    }
    let Some(child) = node.position.after_null() else { return Ok(None) };
    worker.shared.table.prefetch(child.key());
    let surplus = ((node.eval - beta) / p::NULL_MOVE_EVAL_STEP).min(3);
    let depth = node.depth - p::NULL_MOVE_REDUCTION - node.depth / 4 - surplus;
    worker.step(node.ply, None, &child);
    let score =
        search::<NonPv, B>(worker, &child, Window::null(beta - 1).flipped(), depth, node.ply + 1, !node.cut);
    worker.step_back();
    let score = -score?;
    // A mate found after passing is no proof of a mate.
    Ok((score >= beta).then_some(if score::is_mate(score) { beta } else { score }))
}

/// Has this side anything but pawns and its king?
pub(crate) fn has_pieces(position: &Position, side: Color) -> bool {
    let pawns_and_king = position.pieces(side, PieceKind::Pawn) | position.pieces(side, PieceKind::King);
    position.color_bb(side) != pawns_and_king
}

/// Tells the observer which root move is searched now.
pub(crate) fn announce<B: Brothers>(worker: &Worker<'_, B>, mv: Move, number: usize) {
    worker.brothers.at_root_move(mv);
    if let Some(observer) = worker.observer {
        let total = worker.root.moves.len();
        observer.root_move(worker.root_depth.max(0) as u32, mv, worker.root.first + number, total);
    }
}

/// Notes a root move's result: its line if it is the best so far, otherwise nothing worth keeping.
pub(crate) fn record_root<N: NodeKind, B: Brothers>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &Best,
    mv: Move,
    score: Score,
) {
    let first = best.score == -score::INFINITE;
    if !first && score <= best.alpha {
        return;
    }
    let bound = if score >= node.window.beta {
        Bound::Lower
    } else if score <= node.window.alpha {
        Bound::Upper
    } else {
        Bound::Exact
    };
    let mut line = vec![mv];
    if bound != Bound::Upper {
        line.extend(worker.memory.lines[node.ply + 1].iter().take(MAX_PLY - 1));
    } else if let Some(known) = worker.root.find(mv) {
        line = known.line.to_vec();
    }
    worker.root.record(mv, score, bound, worker.seldepth, &line);
}

/// The node is done: mate and stalemate, history, and the table.
pub(crate) fn finish<N: NodeKind, B: Brothers>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &Best,
) -> Score {
    if best.score == -score::INFINITE {
        return if node.in_check { score::mated_in(node.ply) } else { DRAW };
    }
    let bound = if best.score >= node.window.beta {
        Bound::Lower
    } else if best.mv.is_some() {
        Bound::Exact
    } else {
        Bound::Upper
    };
    if let (Bound::Lower, Some(mv)) = (bound, best.mv) {
        reward(worker, node, best, mv);
    }
    // Later lines of MultiPV leave out moves: their root value is not the position's.
    if !(N::ROOT && worker.root.first > 0) {
        let entry = Entry {
            mv: best.mv,
            score: to_table(best.score, node.ply),
            eval: (!node.in_check).then_some(node.eval),
            depth: node.depth,
            bound,
            pv: N::PV,
        };
        worker.shared.table.store(node.position.key(), entry);
    }
    best.score
}

/// A move cut off: reward it, and punish those tried before it.
fn reward<N: NodeKind, B>(worker: &mut Worker<'_, B>, node: &Node<'_, N>, best: &Best, mv: Move) {
    let position = node.position;
    let side = position.side_to_move();
    let bonus = (p::HISTORY_SLOPE * node.depth - p::HISTORY_OFFSET).clamp(0, p::HISTORY_MOST);
    let memory = &mut *worker.memory;
    if is_quiet(position, mv) {
        let killers = &mut memory.frames[node.ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        memory.history.update_quiet(side, mv, bonus);
        for &tried in &best.quiets {
            memory.history.update_quiet(side, tried, -bonus);
        }
    } else {
        memory.history.update_capture(position, mv, bonus);
    }
    for &tried in &best.noisy {
        memory.history.update_capture(position, tried, -bonus);
    }
}

impl<B> Worker<'_, B> {
    /// Is everything off whose result depends on the order of the search?
    #[inline]
    pub(crate) fn exact(&self) -> bool {
        self.shared.limits.exact
    }

    /// Puts a child on the path. `None` is a null move.
    #[inline]
    pub(crate) fn step(&mut self, ply: usize, mv: Option<Move>, child: &Position) {
        let frames = &mut self.memory.frames;
        frames[ply].mv = mv;
        frames[ply + 1].since_null = if mv.is_some() { frames[ply].since_null + 1 } else { 0 };
        self.path.push(child.key());
    }

    /// Takes it off again, whether or not its search came to an end.
    #[inline]
    pub(crate) fn step_back(&mut self) {
        self.path.pop();
    }
}
