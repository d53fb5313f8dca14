//! The steps of a node, in the order in which [`crate::search`] takes them.

use crate::correction::Places;
use crate::history::{Context, Histories};
use crate::lessons::Lesson;
use crate::node::{Best, Node, NodeKind, Step, Window};
use crate::parallel::{ParallelScheme, SearchEvent, Tick};
use crate::picker::is_quiet;
use crate::report::Bound;
use crate::score::{self, DRAW, MAX_PLY, Score, WIN_BOUND};
use crate::touch::Touch;
use crate::tt::{Entry, from_table, to_table};
use crate::worker::{Frame, Worker};
use arrayvec::ArrayVec;
use chess::{Color, Move, PieceKind, Position};

/// Counts the node, and leaves it where the game is drawn or could be at once (which is enough), the line too long, or
/// a mate nearer the root already better than anything here (mate distance pruning).
pub(crate) fn enter<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Step {
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
    if node.window.alpha < DRAW && !worker.exact() && worker.can_repeat(node.position, node.ply) {
        node.window.alpha = DRAW;
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
pub(crate) fn probe_table<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Option<Score> {
    worker.scheme.event(SearchEvent::Tick(Tick::Probe));
    worker.scheme.event(SearchEvent::Touch(Touch::TableRead(node.position.key())));
    node.table = worker.shared.table.probe(node.position.key());
    let entry = node.table?;
    node.was_pv |= entry.pv;
    let useless = worker.exact() || node.excluded.is_some() || node.position.halfmove_clock() >= 90;
    let score = if N::PV || useless || entry.depth < node.depth {
        None
    } else {
        cut_by_table(&entry, node.window, node.ply)
    };
    let found = Touch::Found { key: node.position.key(), entry: &entry, cut: score.is_some() };
    worker.scheme.event(SearchEvent::Touch(found));
    score
}

/// The table's score, if its bound decides the window.
pub(crate) fn cut_by_table(entry: &Entry, window: Window, ply: usize) -> Option<Score> {
    let score = from_table(entry.score, ply);
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    };
    decides.then_some(score)
}

/// Evaluates the position statically, unless it is in check, where that means little: once as it is, for the table,
/// once corrected by what the search has learnt of such positions, and once bounded by what the table knows.
pub(crate) fn evaluate<N: NodeKind, B: ParallelScheme>(worker: &mut Worker<'_, B>, node: &mut Node<'_, N>) {
    if node.in_check {
        worker.memory.frames[node.ply].eval = None;
    } else {
        let known = node.table.and_then(|entry| entry.eval);
        node.raw_eval = known.unwrap_or_else(|| worker.memory.evaluator.evaluate(node.position, node.ply));
        node.eval = corrected(worker, node);
        node.estimate = if worker.exact() { node.eval } else { bounded(node) };
        node.improving = is_improving(&worker.memory.frames, node.ply, node.eval);
        worker.memory.frames[node.ply].eval = Some(node.eval);
    }
    let grandchild = &mut worker.memory.frames[node.ply + 2];
    (grandchild.killers, grandchild.cutoffs) = ([None; 2], 0);
}

/// The static evaluation, less the nearer the fifty-move rule is, plus the mean error in such positions.
fn corrected<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Score {
    const CLOCK: Score = 200;
    let eval = node.raw_eval * (CLOCK - node.position.halfmove_clock() as Score) / CLOCK;
    if worker.exact() {
        return eval;
    }
    let places = correction_places(worker, node);
    (eval + worker.memory.corrections.get(&places)).clamp(-WIN_BOUND + 1, WIN_BOUND - 1)
}

fn correction_places<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Places {
    Places::of(node.position, worker.contexts(node.ply)[0])
}

/// The evaluation, or the table's score where its bound shows that to be nearer the truth.
fn bounded<N: NodeKind>(node: &Node<'_, N>) -> Score {
    let Some(entry) = node.table else { return node.eval };
    let score = from_table(entry.score, node.ply);
    let nearer = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > node.eval,
        Bound::Upper => score < node.eval,
    };
    if nearer && !score::is_decided(score) { score } else { node.eval }
}

/// Does the side to move stand better than at its last turn (or, if it was in check then, at the one before)?
fn is_improving(frames: &[Frame], ply: usize, eval: Score) -> bool {
    let before = |plies: usize| frames[ply.checked_sub(plies)?].eval;
    before(2).or_else(|| before(4)).is_some_and(|before| eval > before)
}

/// Has this side anything but pawns and its king?
pub(crate) fn has_pieces(position: &Position, side: Color) -> bool {
    let pawns_and_king = position.pieces(side, PieceKind::Pawn) | position.pieces(side, PieceKind::King);
    position.color_bb(side) != pawns_and_king
}

/// Internal iterative reduction (Schröder): where the table knows no move the order is poor, and a shallower
/// search that finds one is worth more now than a deep one.
pub(crate) fn reduce_unordered<N: NodeKind, B>(worker: &Worker<'_, B>, node: &mut Node<'_, N>) {
    let ordered = node.table.is_some_and(|entry| entry.mv.is_some());
    if !N::ROOT
        && !worker.exact()
        && node.excluded.is_none()
        && !ordered
        && (N::PV || node.cut)
        && node.depth >= worker.shared.params.unordered_depth
    {
        node.depth -= 1;
    }
}

/// Tells the observer which root move is searched now.
pub(crate) fn announce<B: ParallelScheme>(worker: &Worker<'_, B>, mv: Move, number: usize) {
    worker.scheme.event(SearchEvent::RootMove(mv));
    if let Some(observer) = worker.observer {
        let total = worker.root.moves.len();
        observer.root_move(worker.root_depth.max(0) as u32, mv, worker.root.first + number, total);
    }
}

/// Notes a root move's result: its line if it is the best so far, otherwise nothing worth keeping.
pub(crate) fn record_root<N: NodeKind, B: ParallelScheme>(
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
    // Whoever helped may have seen the end of the line instead of us.
    let seldepth = worker.seldepth.max(line.len());
    worker.root.record(mv, score, bound, seldepth, &line);
}

/// The node is done: mate and stalemate, history, and the table.
pub(crate) fn finish<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &Best,
) -> Score {
    if best.score == -score::INFINITE {
        if node.excluded.is_some() {
            return node.window.alpha;
        }
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
    if node.excluded.is_some() {
        // What the other moves are worth is not what the position is worth.
        return best.score;
    }
    learn_error(worker, node, best, bound);
    // Later lines of MultiPV leave out moves: their root value is not the position's.
    if !(N::ROOT && worker.root.first > 0) {
        let entry = Entry {
            mv: best.mv,
            score: to_table(best.score, node.ply),
            eval: (!node.in_check).then_some(node.raw_eval),
            depth: node.depth,
            bound,
            pv: node.was_pv,
        };
        worker.shared.table.store(node.position.key(), entry);
        worker.scheme.event(SearchEvent::Touch(Touch::TableWrite(node.position.key(), &entry)));
    }
    best.score
}

/// Corrects the evaluation of positions like this one, if its score says something about it: no capture is due, and
/// a bound lies on the side of the evaluation where it contradicts it.
fn learn_error<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &Best,
    bound: Bound,
) {
    let error = best.score - node.eval;
    let contradicts = match bound {
        Bound::Exact => true,
        Bound::Lower => error > 0,
        Bound::Upper => error < 0,
    };
    let quiet = best.mv.is_none_or(|mv| is_quiet(node.position, mv));
    if !node.in_check && contradicts && quiet && !score::is_decided(best.score) && !worker.exact() {
        let places = correction_places(worker, node);
        worker.memory.corrections.update(&worker.shared.params, &places, error, node.depth);
    }
}

/// A move cut off: reward it, and punish those tried before it.
fn reward<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &Node<'_, N>,
    best: &Best,
    mv: Move,
) {
    let position = node.position;
    let place = worker.place(node.ply);
    let p = &worker.shared.params;
    // A surprise, for which the static evaluation was no reason, is worth learning more from (as in Alexandria).
    let surprise = !node.in_check && node.eval <= node.window.alpha;
    let weight = node.depth + i32::from(surprise);
    let bonus = (p.history_slope * weight - p.history_offset).clamp(0, p.history_most);
    let cut_by_quiet = is_quiet(position, mv);
    if cut_by_quiet {
        let killers = &mut worker.memory.frames[node.ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }
    let own = &*worker.memory.history;
    let histories = &worker.shared.histories;
    let tells = node.depth >= Histories::TOLD_DEPTH && histories.are_several();
    let before = own.told();
    let learn = |lesson: Lesson| {
        own.learn(lesson);
        if tells {
            own.tell(lesson);
        }
    };
    if cut_by_quiet {
        learn(Lesson::quiet(position, mv, place, bonus));
        best.quiets.iter().for_each(|&tried| learn(Lesson::quiet(position, tried, place, -bonus)));
    } else {
        learn(Lesson::noisy(position, mv, bonus));
    }
    best.noisy.iter().for_each(|&tried| learn(Lesson::noisy(position, tried, -bonus)));
    let told = before..own.told();
    worker.scheme.event(SearchEvent::Touch(Touch::Learnt { position, place, mv, best, told }));
    if tells {
        let heard: ArrayVec<_, { Histories::MOST }> = histories.hear(own).collect();
        worker.scheme.event(SearchEvent::Touch(Touch::Heard(&heard)));
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
    pub(crate) fn step(&mut self, ply: usize, position: &Position, mv: Option<Move>, child: &Position) {
        let context = mv.map_or(Context::NONE, |mv| Context::of(position, mv));
        let frames = &mut self.memory.frames;
        frames[ply].mv = mv;
        frames[ply].context = context;
        frames[ply + 1].doubles = frames[ply].doubles;
        frames[ply + 1].no_null = frames[ply].no_null;
        frames[ply + 1].since_null = if mv.is_some() { frames[ply].since_null + 1 } else { 0 };
        self.path.push(child.key());
    }

    /// Notes what the other side attacks, before the quiet moves of this node are rated.
    #[inline]
    pub(crate) fn note_threats(&mut self, ply: usize, position: &Position) {
        self.memory.frames[ply].threats = position.attacked_by(!position.side_to_move());
    }

    /// Notes by how much the move just put on the path is extended.
    #[inline]
    pub(crate) fn note_extension(&mut self, ply: usize, extension: i32) {
        self.memory.frames[ply + 1].doubles += u16::from(extension > 1);
    }

    /// Takes it off again, whether or not its search came to an end.
    #[inline]
    pub(crate) fn step_back(&mut self) {
        self.path.pop();
    }
}
