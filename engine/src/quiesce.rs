//! Quiescence search (qsearch): captures and promotions that do not lose material, and every evasion of a
//! check, until the position is quiet enough to be evaluated. Its first ply looks at checks that are no
//! captures, too: many a mate that lies just beyond the horizon begins with one.

use crate::Searched;
use crate::node::{Node, NodeKind, Window};
use crate::parallel::ParallelScheme;
use crate::picker::{Picker, is_quiet};
use crate::search::next_rated;
use crate::steps;
use crate::tt::{Entry, likely_key_after, to_table};
use crate::worker::Worker;
use chess::{Move, Position, SEE_VALUES};
use thinking::report::Bound;
use thinking::score::{self, INFINITE, Score, WIN_BOUND};

/// The value of a position once the captures are over, exact inside the window, a bound outside it.
///
/// # Errors
/// [`crate::Aborted`] when the search ended before the value was known.
pub fn quiesce<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    position: &Position,
    window: Window,
    ply: usize,
) -> Searched {
    worker.allow_quiescence();
    settle::<N, B>(worker, position, window, ply, true)
}

/// The same as part of a quiescence search that has begun, or with `first` begins.
fn settle<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    position: &Position,
    window: Window,
    ply: usize,
    first: bool,
) -> Searched {
    let mut node = Node::<N>::new(position, window, 0, ply, false);
    if let Some(score) = steps::enter(worker, &mut node)? {
        return Ok(score);
    }
    if let Some(score) = steps::probe_table(worker, &mut node) {
        return Ok(score);
    }
    let mut best = -INFINITE;
    let mut alpha = node.window.alpha;
    steps::evaluate(worker, &mut node);
    if !node.in_check {
        best = node.estimate;
        if best >= node.window.beta {
            return Ok(best);
        }
        alpha = alpha.max(best);
    }
    let futile_below = node.estimate + worker.shared.params.quiescence_margin;
    let may_skip = !node.in_check && !worker.exact() && !steps::is_bare(position);
    if node.in_check {
        worker.note_threats(ply, position);
    }
    let mut best_move = None;
    let known = node.table.and_then(|entry| entry.mv);
    // A capture that loses material is looked at only if the table knows it, which depends on what has been
    // searched before.
    let known = known.filter(|&mv| !worker.exact() || node.in_check || position.see_ge(mv, 0));
    let mut moves = Picker::quiescent(position, known, first && !worker.exact());
    let mut searched = 0;
    let mut lists = 0;
    while let Some(mv) = next_rated(worker, position, ply, &mut moves) {
        if moves.lists_made() > lists {
            lists = moves.lists_made();
            // The lists are short, and what is asked for long before it is read costs no waiting.
            moves.rated().for_each(|mv| worker.shared.table.prefetch(likely_key_after(position, mv)));
        }
        if node.in_check && best > -WIN_BOUND && !worker.exact() && !wins_something(position, mv) {
            // One way out is known, and only quiet or losing moves are left.
            break;
        }
        if may_skip && let Some(most) = futile(position, mv, futile_below, alpha) {
            best = best.max(most);
            continue;
        }
        let mut child = position.clone();
        child.play(mv);
        if !worker.exact() && is_late(worker, &node, &child, mv, searched) {
            continue;
        }
        searched += 1;
        worker.step(ply, position, Some(mv), &child);
        let inner = Window { alpha, beta: node.window.beta }.flipped();
        let score = settle::<N, B>(worker, &child, inner, ply + 1, false);
        worker.step_back();
        let score = -score?;
        best = best.max(score);
        if score > alpha {
            alpha = score;
            best_move = Some(mv);
            if N::PV {
                worker.adopt_line(ply, mv);
            }
            if score >= node.window.beta {
                break;
            }
        }
        if best > -WIN_BOUND && !worker.exact() && worker.quiescence_overgrown() {
            // What is known by now has to do.
            break;
        }
    }
    if best == -INFINITE {
        // In check every move was tried, and there was none.
        return Ok(score::mated_in(ply));
    }
    best = best.max(node.known.alpha);
    if worker.quiescence_overgrown() && !worker.exact() {
        // Cut short here or below: good enough for now, but no bound for others.
        return Ok(best);
    }
    let bound = if best >= node.window.beta { Bound::Lower } else { Bound::Upper };
    let score = to_table(best, ply);
    let entry = Entry { mv: best_move, score, eval: node.raw_eval, depth: 0, bound, pv: node.was_pv };
    worker.store(position, entry);
    Ok(best)
}

/// Late-move pruning: after so many captures only recaptures, promotions and checks are looked at.
fn is_late<N, B>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    child: &Position,
    mv: Move,
    searched: i32,
) -> bool {
    let before = node.ply.checked_sub(1).and_then(|before| worker.memory.frames[before].mv);
    searched >= worker.shared.params.quiescence_moves
        && !node.in_check
        && mv.promotion().is_none()
        && !child.in_check()
        && before.map(Move::to) != Some(mv.to())
}

/// What a capture gains at once, promotions included.
fn gain(position: &Position, mv: Move) -> Score {
    let victim = position.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
    victim + mv.promotion().map_or(0, |kind| SEE_VALUES[kind.index()])
}

/// Is it a capture or promotion that does not lose material?
fn wins_something(position: &Position, mv: Move) -> bool {
    !is_quiet(position, mv) && position.see_ge(mv, 0)
}

/// Delta pruning: what a capture may reach at most, if even with a margin that is not above alpha. A quiet move gives
/// check here, which may win more.
fn futile(position: &Position, mv: Move, futile_below: Score, alpha: Score) -> Option<Score> {
    if score::is_decided(alpha) || is_quiet(position, mv) {
        return None;
    }
    let most = futile_below + gain(position, mv);
    if most <= alpha {
        return Some(most);
    }
    (futile_below <= alpha && !position.see_ge(mv, 1)).then_some(futile_below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NonPv;
    use crate::worker::Task;
    use crate::worker::tests::at_root;
    use chess::Game;

    /// The value of a position once it is quiet.
    fn value(fen: &str) -> Score {
        let position = Position::from_fen(fen).expect("the FEN is legal");
        let task = Task::from(&Game::new(position));
        let score = at_root(&task, |worker| quiesce::<NonPv, _>(worker, &task.position, Window::FULL, 0));
        score.expect("it is not stopped")
    }

    #[test]
    fn its_first_ply_sees_a_mate_by_a_quiet_move() {
        assert_eq!(value("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), -score::mated_in(1));
    }
}
