//! Principal variation search, fail-soft (Marsland and Campbell 1982; Reinefeld 1983).
//!
//! `search_node` reads as the list of its steps; each is a function that either leaves the node with a score or goes
//! on: entering and leaving a node in `steps`, knowing endings in `tablebase`, leaving a node early in
//! `prune`, extending its best move in `singular`. After them comes the one move loop, in which `late` says
//! what a move deserves, and in it the one PVS step, [`search_move`], which every thread that helps at this
//! node calls as well. What both loops, this one and that of a split point, call for every move is inlined
//! into both by order: left to the compiler it is inlined only where there is one loop, and the threads of
//! `ybw` take 1.5 % more instructions (bench/runs/2026-11-23-two-cores).

use crate::Searched;
use crate::late;
use crate::node::{Best, Node, NodeKind, NonPv, Reached, Window};
use crate::parallel::{ParallelScheme, SearchEvent};
use crate::picker::{Picker, is_quiet};
use crate::prune;
use crate::quiesce::quiesce;
use crate::root::RootMove;
use crate::singular;
use crate::steps;
use crate::tablebase;
use crate::touch::Touch;
use crate::tt::likely_key_after;
use crate::worker::{Tried, Worker};
use chess::{Move, Position};
use thinking::score::{INFINITE, Score};

/// The value of a position to `depth` plies, exact inside the window, a bound outside it.
///
/// # Errors
/// [`crate::Aborted`] when the search ended before the value was known.
pub fn search<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    position: &Position,
    window: Window,
    depth: i32,
    ply: usize,
    cut: bool,
) -> Searched {
    if depth <= 0 {
        return quiesce::<N, B>(worker, position, window, ply);
    }
    search_node(worker, Node::<N>::new(position, window, depth, ply, cut))
}

/// The same for a node of at least one ply that is already described, apart from what its steps find out.
///
/// # Errors
/// [`crate::Aborted`] when the search ended before the value was known.
pub(crate) fn search_node<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    mut node: Node<'_, N>,
) -> Searched {
    if let Some(score) = steps::enter(worker, &mut node)? {
        return Ok(score);
    }
    if let Some(score) = steps::probe_table(worker, &mut node) {
        return Ok(score);
    }
    if let Some(score) = tablebase::ask(worker, &mut node) {
        return Ok(score);
    }
    steps::evaluate(worker, &mut node);
    steps::judge_prior(worker, &node);
    steps::reduce_in_hindsight(worker, &mut node);
    if let Some(score) = prune::razor(worker, &node)? {
        return Ok(score);
    }
    if let Some(score) = prune::reverse_futility(worker, &node) {
        return Ok(score);
    }
    if let Some(score) = prune::null_move(worker, &node)? {
        return Ok(score);
    }
    steps::reduce_unordered(worker, &mut node);
    if let Some(score) = prune::probable_cut(worker, &node)? {
        return Ok(score);
    }
    if let Some(score) = singular::extend_singular(worker, &mut node)? {
        return Ok(score);
    }
    let mut best = Best::new(node.window.alpha);
    search_moves(worker, &node, &mut best)?;
    best.score = best.score.clamp(node.known.alpha, node.known.beta);
    Ok(steps::finish(worker, &node, &best))
}

/// The move loop: every move in turn, until one is too good or none is left. Moves that the scheme defers come last.
/// `best` has nothing searched yet; it is filled in place, since a copy of what was just written in small parts stalls.
fn search_moves<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &mut Best,
) -> Searched<()> {
    worker.note_threats(node.ply, node.position);
    let mut moves = picker(worker, node);
    while !B::try_split(worker, node, best, &moves)? {
        let Some((mv, number, claim)) = next_move(worker, node, &mut moves, best) else { break };
        let score = search_move(worker, node, best.reached(), mv, number, |_, alpha, _| Ok(alpha))?;
        drop(claim);
        if take_score(worker, node, best, mv, score) {
            break;
        }
    }
    Ok(())
}

/// The next move that deserves a search, its number, counted from 1, and the claim to it; deferred moves come
/// again when all others are done. `best` is the best of the node so far.
#[inline(always)]
pub fn next_move<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    moves: &mut Picker,
    best: &mut Best,
) -> Option<(Move, usize, B::Claim)> {
    while let Some(mv) = next_rated(worker, node.position, node.ply, moves) {
        worker.shared.table.prefetch(likely_key_after(node.position, mv));
        if node.excluded == Some(mv) {
            continue;
        }
        // The excluded move, which is not counted, is the table's, and so nearly always the first.
        let number = (moves.handed_out() - usize::from(node.excluded.is_some())).max(1);
        if !late::worth_searching(worker, node, best, moves, mv, number) {
            continue;
        }
        if number == 1 {
            return Some((mv, number, B::Claim::default()));
        }
        if let Some(claim) = worker.scheme.claim(node, mv, true) {
            return Some((mv, number, claim));
        }
        if !moves.defer(mv, number) {
            return Some((mv, number, claimed(worker, node, mv)));
        }
    }
    let (mv, number) = moves.next_deferred()?;
    Some((mv, number, claimed(worker, node, mv)))
}

/// The claim to a move that is searched now, wherever else it is.
fn claimed<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>, mv: Move) -> B::Claim {
    worker.scheme.claim(node, mv, false).unwrap_or_default()
}

/// The next move of a picker at this ply, by the merit that the worker knows of.
#[inline(always)]
pub(crate) fn next_rated<B: ParallelScheme>(
    worker: &Worker<'_, B>,
    position: &Position,
    ply: usize,
    moves: &mut Picker,
) -> Option<Move> {
    if !B::TOUCHES {
        return moves.next(position, worker.merit(ply));
    }
    let made = moves.lists_made();
    let next = moves.next(position, worker.merit(ply));
    if moves.lists_made() > made {
        let place = worker.place(ply);
        worker.scheme.event(SearchEvent::Touch(Touch::Rated { position, place, moves }));
    }
    next
}

/// Searches one move: the first with the whole window, the others with a null window at reduced depth (LMR) first, and
/// again with more depth or a wider window only when they surprise. `number` counts the node's moves from 1.
///
/// Before a move whose null-window score is above alpha is searched with the open window, `before_open_window` is given
/// alpha and that score, and returns alpha as it is by now, which other threads may have raised: the move is
/// searched only if its score still exceeds it.
///
/// # Errors
/// [`crate::Aborted`] when the search ended before the score was known.
#[inline(always)]
pub fn search_move<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    reached: Reached,
    mv: Move,
    number: usize,
    before_open_window: impl FnMut(&mut Worker<'_, B>, Score, Score) -> Searched,
) -> Searched {
    if N::ROOT {
        steps::announce(worker, mv, number);
    }
    let before = worker.nodes();
    let mut child = node.position.clone();
    child.play(mv);
    let extension = late::extension(node, mv);
    let depth = node.depth - 1 + extension - late::less_after_raise(worker, node, reached.alpha);
    let reduction = late::reduction(worker, node, &child, mv, number);
    worker.step(node.ply, node.position, Some(mv), &child);
    worker.note_extension(node.ply, extension);
    let quiet = is_quiet(node.position, mv);
    worker.memory.frames[node.ply].tried = Tried { quiet, number: number as u16, reduction: 0 };
    let attempt = Attempt { number, depth, reduction };
    let score = principal_variation_step(worker, node, &child, reached, attempt, before_open_window);
    worker.step_back();
    if N::ROOT {
        worker.root.spend(mv, worker.nodes() - before);
    }
    score
}

/// How a move is tried.
#[derive(Clone, Copy)]
struct Attempt {
    /// Its number at the node, from 1.
    number: usize,
    /// The child's depth.
    depth: i32,
    /// Plies less in the first search.
    reduction: i32,
}

/// The PVS step proper, with the child on the path.
fn principal_variation_step<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    child: &Position,
    reached: Reached,
    Attempt { number, mut depth, reduction }: Attempt,
    mut before_open_window: impl FnMut(&mut Worker<'_, B>, Score, Score) -> Searched,
) -> Searched {
    let ply = node.ply + 1;
    let beta = node.window.beta;
    let mut alpha = reached.alpha;
    let null = |alpha| Window::null(alpha).flipped();
    if number > 1 || !N::PV || node.is_null_root() {
        let cut = if number == 1 { !node.cut } else { true };
        let reduced = depth - reduction;
        worker.memory.frames[node.ply].tried.reduction = reduction as i16;
        let mut score = -search::<NonPv, B>(worker, child, null(alpha), reduced, ply, cut)?;
        worker.memory.frames[node.ply].tried.reduction = 0;
        if score > alpha && reduction > 0 {
            depth = late::second_depth(&worker.shared.params, depth, reduced, score, reached);
            if depth > reduced {
                score = -search::<NonPv, B>(worker, child, null(alpha), depth, ply, !node.cut)?;
                steps::learn_second(worker, node, score > alpha);
            }
        }
        if !N::PV {
            return Ok(score);
        }
        while score > alpha && score < beta {
            alpha = before_open_window(worker, alpha, score)?;
            if score > alpha {
                break;
            }
            score = -search::<NonPv, B>(worker, child, null(alpha), depth, ply, !node.cut)?;
        }
        if score <= alpha {
            return Ok(score);
        }
        if score >= beta {
            // No line was searched behind it; what lies there is an elder move's.
            worker.memory.lines[ply].clear();
            return Ok(score);
        }
    }
    let open = Window { alpha, beta }.flipped();
    Ok(-search::<N::Next, B>(worker, child, open, depth, ply, false)?)
}

/// Enters a move's score into the node's best. `true`: it is good enough to cut off.
pub fn take_score<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &mut Best,
    mv: Move,
    score: Score,
) -> bool {
    let raises = score > best.alpha;
    if N::ROOT {
        steps::record_root(worker, node, best, mv, score);
    }
    best.score = best.score.max(score);
    if raises {
        best.alpha = score;
        best.mv = Some(mv);
        if N::PV {
            worker.adopt_line(node.ply, mv);
        }
        if score >= node.window.beta {
            worker.memory.frames[node.ply].cutoffs += 1;
            return true;
        }
    }
    best.note_tried(mv, is_quiet(node.position, mv));
    false
}

/// The picker of a node: the root has its own order.
fn picker<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Picker {
    if N::ROOT {
        return Picker::listed(root_order(worker, node));
    }
    let killer = worker.memory.frames[node.ply].killer;
    Picker::new(node.position, node.table.and_then(|entry| entry.mv), killer)
}

/// The root's moves: those that have a score come first, in the order of their scores, the others in that of any node.
fn root_order<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Vec<Move> {
    let root = &worker.root.moves[worker.root.first..];
    // The first one may have its place from a search before. The exact search keeps to the list.
    let is_known = |place: usize| {
        let RootMove { score, previous, .. } = root[place];
        place == 0 || score.max(previous) > -INFINITE || worker.exact()
    };
    let (known, others): (Vec<usize>, Vec<usize>) = (0..root.len()).partition(|&place| is_known(place));
    let mut order: Vec<Move> = known.into_iter().map(|place| root[place].mv).collect();
    let mut picker = Picker::new(node.position, None, worker.memory.frames[node.ply].killer);
    while order.len() < root.len()
        && let Some(mv) = picker.next(node.position, worker.merit(node.ply))
    {
        if others.iter().any(|&place| root[place].mv == mv) {
            order.push(mv);
        }
    }
    order
}
