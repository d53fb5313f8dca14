//! The steps of a node, in the order in which [`crate::search`] takes them.

use crate::correction::{Finding, Places};
use crate::drivers::Driver;
use crate::eval::{is_known_draw, is_won_ending};
use crate::history::{Context, Histories};
use crate::lessons::Lesson;
use crate::node::{Best, Node, NodeKind, Step, Window};
use crate::parallel::{ParallelScheme, SearchEvent, Tick};
use crate::params::Params;
use crate::picker::is_quiet;
use crate::touch::Touch;
use crate::tt::{Entry, from_table, likely_key_after, table_key, to_table};
use crate::worker::{Frame, Tried, Worker};
use arrayvec::ArrayVec;
use chess::{Color, Move, PieceKind, Position};
use thinking::report::Bound;
use thinking::score::{self, DRAW, MAX_PLY, Score, WIN_BOUND};

/// Counts the node, and leaves it where the game is drawn or could be at once (which is enough), the line too long, or
/// a mate nearer the root already better than anything here (mate distance pruning).
pub(crate) fn enter<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Step {
    worker.count_node()?;
    if N::PV {
        worker.memory.lines[node.ply].clear();
    }
    // Null windows alone have no other principal variation than the root.
    if N::PV || worker.shared.driver == Driver::Mtdf {
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
        // The move may be one of those that are not searched.
        (node.window.alpha, node.known.alpha) = (DRAW, DRAW);
    }
    node.window.alpha = node.window.alpha.max(score::mated_in(node.ply));
    node.window.beta = node.window.beta.min(score::mate_in(node.ply + 1));
    if node.window.alpha >= node.window.beta {
        return Ok(Some(node.window.alpha));
    }
    Ok(None)
}

/// Asks the table. Off the principal variation a deep enough bound ends the node, unless the fifty-move rule is
/// near, of which the table knows little: clocks that differ by less than eight may share an entry.
pub(crate) fn probe_table<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Option<Score> {
    worker.scheme.event(SearchEvent::Tick(Tick::Probe));
    let key = table_key(node.position);
    worker.scheme.event(SearchEvent::Touch(Touch::TableRead(key)));
    let known = worker.shared.table.known(key);
    (node.table, node.raw_eval) = (known.entry, known.eval);
    let entry = known.entry?;
    node.was_pv |= entry.pv;
    let useless = worker.exact() || node.excluded.is_some() || node.position.halfmove_clock() >= 90;
    let score = if N::PV || useless || entry.depth < node.depth || mates_too_late(&entry, node.position) {
        None
    } else {
        cut_by_table(&entry, node.window, node.ply)
    };
    let found = Touch::Found { key, entry: &entry, cut: score.is_some() };
    worker.scheme.event(SearchEvent::Touch(found));
    match (score, entry.mv) {
        (Some(score), _) if node.depth > 0 && score >= node.window.beta => {
            learn_table_move(worker, node, &entry);
            punish_prior(worker, node);
        }
        // What is searched first is asked for long before it is read.
        (None, Some(mv)) => worker.shared.table.prefetch(likely_key_after(node.position, mv)),
        _ => (),
    }
    score
}

/// Is the entry's mate further away than the moves that the fifty-move rule leaves? It may still be one, by way of a
/// capture or a pawn move.
fn mates_too_late(entry: &Entry, position: &Position) -> bool {
    score::is_mate(entry.score) && (score::MATE - entry.score.abs()) as u32 + position.halfmove_clock() > 100
}

/// The table's quiet move would cut off here, too: it is rewarded as if it had.
fn learn_table_move<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    entry: &Entry,
) {
    let position = node.position;
    let Some(mv) = entry.mv.filter(|&mv| position.is_legal(mv) && is_quiet(position, mv)) else { return };
    let threats = position.attacked_by(!position.side_to_move());
    let bonus = outcome_bonus(&worker.shared.params, node.depth);
    let place = (worker.contexts(node.ply), threats);
    Lesson::both(position, mv, place, [bonus; 2])
        .into_iter()
        .for_each(|lesson| learn(worker, node.depth, lesson));
}

/// Takes a lesson of a node of this depth to heart, and lets the other threads know of it if it is deep enough.
fn learn<B: ParallelScheme>(worker: &Worker<'_, B>, depth: i32, lesson: Lesson) {
    let history = &worker.memory.history;
    history.learn(lesson);
    if depth >= worker.publish_depth {
        let number = history.publish(lesson);
        worker.scheme.event(SearchEvent::Touch(Touch::Published(number)));
    }
}

/// What a quiet move learns from what came of it behind a node of this depth.
fn outcome_bonus(p: &Params, depth: i32) -> i32 {
    (p.outcome_slope * depth - p.outcome_offset).clamp(0, p.outcome_most)
}

/// This node has failed high. If the move that led to it was quiet and among the first at its node, it was
/// a mistake to try it so early.
fn punish_prior<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) {
    let p = &worker.shared.params;
    let early =
        |before: usize| (1..=p.early_moves as u16).contains(&worker.memory.frames[before].tried.number);
    if node.ply.checked_sub(1).is_some_and(early) {
        teach_prior(worker, node, -outcome_bonus(p, node.depth + 1));
    }
}

/// Rewards or punishes the quiet move that led to this node, if it was one.
fn teach_prior<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>, bonus: i32) {
    let Some(before) = node.ply.checked_sub(1) else { return };
    let frame = &worker.memory.frames[before];
    if let (true, Some(mv)) = (frame.tried.quiet, frame.mv) {
        learn(worker, node.depth, Lesson::quiet(!node.position.side_to_move(), mv, frame.threats, bonus));
        learn(worker, node.depth, Lesson::continued(frame.context, worker.contexts(before), bonus));
    }
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

/// Evaluates the position statically, unless it is in check, where that means little: once as it is, for
/// the table, which gets it at once, since many a node is left before it has anything else to store; once
/// corrected by what the search has learnt of such positions, and once bounded by what the table knows.
pub(crate) fn evaluate<N: NodeKind, B: ParallelScheme>(worker: &mut Worker<'_, B>, node: &mut Node<'_, N>) {
    if node.in_check {
        node.raw_eval = None;
        worker.memory.frames[node.ply].eval = None;
    } else {
        let raw = node.raw_eval.unwrap_or_else(|| evaluate_anew(worker, node));
        node.raw_eval = Some(raw);
        node.correction = correction(worker, node);
        node.eval = corrected(&worker.shared.params, node, raw);
        node.estimate = if worker.exact() { node.eval } else { bounded(node) };
        node.improving = is_improving(&worker.memory.frames, node.ply, node.eval);
        worker.memory.frames[node.ply].eval = Some(node.eval);
    }
    let grandchild = &mut worker.memory.frames[node.ply + 2];
    (grandchild.killer, grandchild.cutoffs) = (None, 0);
}

/// The quiet move that led here has changed the static evaluation: its history learns by how much, so that
/// where the tree has not been yet the order is by what moves do to the evaluation (as in Stockfish). Both
/// evaluations are those of the side on move, so that nearly every move seems to lose what it is worth to
/// be on move, twice; an offset makes up for it.
pub(crate) fn judge_prior<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) {
    let p = &worker.shared.params;
    let known = node.table.is_some() && node.depth >= p.prior_depth;
    let Some(before) = node.ply.checked_sub(1) else { return };
    if known || node.in_check || node.excluded.is_some() || worker.exact() {
        return;
    }
    let frame = &worker.memory.frames[before];
    if let (true, Some(mv), Some(eval)) = (frame.tried.quiet, frame.mv, frame.eval) {
        let gain = p.prior_offset - (eval + node.eval);
        let bonus = (p.prior_slope * gain).clamp(-p.prior_least, p.prior_most);
        worker.memory.history.learn(Lesson::quiet(!node.position.side_to_move(), mv, frame.threats, bonus));
    }
}

/// Hindsight: the move that led here was reduced as one that is hardly good, and the side to move stands
/// well. Then it need not be looked at more deeply yet.
pub(crate) fn reduce_in_hindsight<N: NodeKind, B>(worker: &Worker<'_, B>, node: &mut Node<'_, N>) {
    if node.in_check || node.excluded.is_some() || node.depth < 2 || worker.exact() {
        return;
    }
    let Some(before) = node.ply.checked_sub(1).map(|before| &worker.memory.frames[before]) else { return };
    let better = |eval| eval + node.eval > worker.shared.params.hindsight_margin;
    if before.tried.reduction >= 2 && before.eval.is_some_and(better) {
        node.depth -= 1;
    }
}

/// The static evaluation of a position of which the table has none.
fn evaluate_anew<N: NodeKind, B: ParallelScheme>(worker: &mut Worker<'_, B>, node: &Node<'_, N>) -> Score {
    let eval = worker.memory.evaluator.evaluate(node.position, node.ply);
    if node.table.is_none() {
        let key = table_key(node.position);
        worker.shared.table.store_eval(key, eval);
        worker.scheme.event(SearchEvent::Touch(Touch::TableWrite(key, None)));
    }
    eval
}

/// The mean error of the static evaluation in such positions, as far as the search has learnt it.
fn correction<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Score {
    if worker.exact() { 0 } else { worker.memory.corrections.get(&correction_places(worker, node)) }
}

/// The static evaluation, less with less material and the nearer the fifty-move rule is, plus the correction. Won
/// endings against a bare king are worth what they are worth, and drawn ones nothing.
fn corrected<N>(p: &Params, node: &Node<'_, N>, raw: Score) -> Score {
    const CLOCK: Score = 200;
    if is_won_ending(node.position, raw) || is_known_draw(node.position, raw) {
        return raw;
    }
    let eval = by_material(p, node.position, raw) * (CLOCK - node.position.halfmove_clock() as Score) / CLOCK;
    (eval + node.correction).clamp(-WIN_BOUND + 1, WIN_BOUND - 1)
}

/// The evaluation by the material of both sides: with little of it an advantage is harder to win.
fn by_material(p: &Params, position: &Position, eval: Score) -> Score {
    /// Of pawns to queens, in hundredths of a pawn.
    const VALUES: [Score; 5] = [100, 422, 422, 642, 1015];
    const WHOLE: Score = 1 << 15;
    let of_kind = |(&kind, value): (&PieceKind, Score)| position.kind_bb(kind).count() as Score * value;
    let material: Score = PieceKind::ALL.iter().zip(VALUES).map(of_kind).sum();
    eval * (p.material_base + material) / WHOLE
}

fn correction_places<N: NodeKind, B: ParallelScheme>(worker: &Worker<'_, B>, node: &Node<'_, N>) -> Places {
    let contexts = worker.contexts(node.ply);
    Places::of(node.position, [contexts[0], contexts[1]])
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
#[inline]
fn is_improving(frames: &[Frame], ply: usize, eval: Score) -> bool {
    let before = |plies: usize| frames[ply.checked_sub(plies)?].eval;
    before(2).or_else(|| before(4)).is_some_and(|before| eval > before)
}

/// Has this side anything but pawns and its king?
pub(crate) fn has_pieces(position: &Position, side: Color) -> bool {
    let pawns_and_king = position.pieces(side, PieceKind::Pawn) | position.pieces(side, PieceKind::King);
    position.color_bb(side) != pawns_and_king
}

/// Has the side to move only its king? What it takes may be the last piece that mates it: a draw, however much it was
/// behind.
pub(crate) fn is_bare(position: &Position) -> bool {
    !position.color_bb(position.side_to_move()).many()
}

/// Internal iterative reduction (IIR; Schröder): where the table knows no move the order is poor, and a
/// shallower search that finds one is worth more now than a deep one. Not at a node that is expected to fail low, where
/// the order matters little.
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
    worker.root.count_changes(i32::from(!first));
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
    // A helping thread may have seen the end of the line instead of this one.
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
    // With moves left out, as by `searchmoves` and in later lines of MultiPV, the root's value is not the position's.
    let whole = !N::ROOT || worker.root.first == 0 && worker.shared.limits.search_moves.is_empty();
    if whole {
        learn_error(worker, node, best, bound);
    }
    match bound {
        Bound::Lower => punish_prior(worker, node),
        // Few would have expected the move before to be that good.
        Bound::Upper if node.cut || N::PV => {
            teach_prior(worker, node, outcome_bonus(&worker.shared.params, node.depth));
        }
        _ => {}
    }
    if whole {
        let entry = Entry {
            mv: best.mv,
            score: to_table(best.score, node.ply),
            eval: node.raw_eval,
            depth: node.depth,
            bound,
            pv: node.was_pv,
        };
        worker.store(node.position, entry);
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
    let drawn = node.raw_eval.is_some_and(|raw| is_known_draw(node.position, raw));
    if !node.in_check && contradicts && quiet && !drawn && !worker.exact() {
        let places = correction_places(worker, node);
        let finding = Finding { error, depth: node.depth, failed_low: bound == Bound::Upper };
        worker.memory.corrections.update(&worker.shared.params, &places, finding);
    }
}

/// A share of 1.
const WHOLE: i32 = 1024;

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
    let cut_by_quiet = is_quiet(position, mv);
    if cut_by_quiet {
        worker.memory.frames[node.ply].killer = Some(mv);
    }
    let learn = |lesson| learn(worker, node.depth, lesson);
    if cut_by_quiet {
        Lesson::both(position, mv, place, quiet_bonus(p, weight)).into_iter().for_each(learn);
        let malus = quiet_malus(p, weight);
        let mut share = WHOLE;
        for &tried in &best.quiets {
            let malus = malus.map(|malus| -malus * share / WHOLE);
            Lesson::both(position, tried, place, malus).into_iter().for_each(learn);
            share = share * p.malus_fade / 100;
        }
    } else {
        learn(Lesson::noisy(position, mv, (p.capture_bonus * weight).min(p.capture_bonus_most)));
    }
    let malus = (p.capture_malus * weight).min(p.capture_malus_most);
    best.noisy.iter().for_each(|&tried| learn(Lesson::noisy(position, tried, -malus)));
    worker.scheme.event(SearchEvent::Touch(Touch::Learnt { position, place, mv, best }));
    if node.depth >= worker.publish_depth {
        let heard = worker.shared.histories.hear(worker.thread);
        let heard: ArrayVec<_, { Histories::GROUP }> = heard.collect();
        worker.scheme.event(SearchEvent::Touch(Touch::Heard(&heard)));
    }
}

/// What a quiet move that cuts off gains by its squares and by what was moved before.
fn quiet_bonus(p: &Params, weight: i32) -> [i32; 2] {
    let continued = p.continued_bonus * weight - p.continued_offset;
    [(p.quiet_bonus * weight).min(p.quiet_bonus_most), continued.clamp(0, p.continued_bonus_most)]
}

/// What the first quiet move tried before it loses there.
fn quiet_malus(p: &Params, weight: i32) -> [i32; 2] {
    let continued = (p.continued_malus * weight).min(p.continued_malus_most);
    [(p.quiet_malus * weight).min(p.quiet_malus_most), continued]
}

/// A quiet move was searched a second time, since its reduced search had surprised: its history by earlier
/// moves learns whether that was right.
pub(crate) fn learn_second<N: NodeKind, B: ParallelScheme>(
    worker: &Worker<'_, B>,
    node: &Node<'_, N>,
    right: bool,
) {
    let frame = &worker.memory.frames[node.ply];
    if frame.tried.quiet {
        let bonus = outcome_bonus(&worker.shared.params, node.depth);
        let bonus = if right { bonus } else { -bonus };
        learn(worker, node.depth, Lesson::continued(frame.context, worker.contexts(node.ply), bonus));
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
        frames[ply].tried = Tried::default();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{NonPv, Pv};
    use crate::parallel::Alone;
    use crate::quiesce::quiesce;
    use crate::search::search;
    use crate::worker::Task;
    use crate::worker::tests::at_root;
    use chess::Game;

    /// What `act` makes of a worker and the position to which its path leads.
    fn at<R>(fen: &str, act: impl FnOnce(&mut Worker<'_, Alone>, &Position) -> R) -> R {
        let position = Position::from_fen(fen).expect("a legal FEN");
        let task = Task::from(&Game::new(position.clone()));
        at_root(&task, |worker| act(worker, &position))
    }

    /// Black's king takes the last rook: a draw, which no value of the ending before it hides.
    #[test]
    fn a_bare_king_that_takes_the_last_piece_draws_at_any_depth() {
        for fen in ["8/8/8/8/4k3/3R4/8/6K1 b - - 0 1", "8/8/8/8/4k3/3R4/8/B5K1 b - - 0 1"] {
            let window = Window::null(-1);
            let quiet = at(fen, |worker, position| quiesce::<NonPv, _>(worker, position, window, 1));
            assert_eq!(quiet, Ok(DRAW), "{fen}");
            for depth in 1..=5 {
                let score =
                    at(fen, |worker, position| search::<NonPv, _>(worker, position, window, depth, 1, false));
                assert_eq!(score, Ok(DRAW), "{fen} at depth {depth}");
            }
        }
    }

    /// An entry of the table for a mate within twenty plies is believed with a fresh fifty-move counter, and not where
    /// the rule comes first.
    #[test]
    fn a_mate_of_the_table_is_taken_only_if_the_fifty_move_rule_leaves_it_time() {
        for (clock, believed) in [(0, true), (85, false)] {
            let fen = format!("8/8/7k/8/K7/8/4R3/8 b - - {clock} 90");
            let score = at(&fen, |worker, position| {
                let score = -score::mate_in(20);
                let entry = Entry { mv: None, score, eval: None, depth: 40, bound: Bound::Exact, pv: true };
                worker.shared.table.store(table_key(position), entry);
                search::<NonPv, _>(worker, position, Window::null(DRAW), 1, 1, false)
            });
            assert_eq!(score.map(score::is_mate), Ok(believed), "clock {clock}");
        }
    }

    #[test]
    fn only_extensions_of_more_than_a_ply_are_counted() {
        for (extension, counted) in [(-1, 0), (0, 0), (1, 0), (2, 1)] {
            let doubles = at("4k3/8/8/8/8/8/8/4K3 w - - 0 1", |worker, _| {
                worker.note_extension(0, extension);
                worker.memory.frames[1].doubles
            });
            assert_eq!(doubles, counted, "{extension}");
        }
    }

    /// Lines are no longer than the buffers for them, whatever depth is left and however much there is to take:
    /// at the last ply the static evaluation has to do.
    #[test]
    fn the_longest_line_ends_with_the_static_evaluation() {
        let fen = "3r2k1/3r1ppp/8/3r1n2/4P3/8/3R1PPP/3R2K1 w - - 0 1";
        for ply in MAX_PLY - 3..MAX_PLY {
            let quiet = at(fen, |worker, position| quiesce::<NonPv, _>(worker, position, Window::FULL, ply));
            let window = Window::null(DRAW);
            let null = at(fen, |worker, position| search::<NonPv, _>(worker, position, window, 6, ply, true));
            let full =
                at(fen, |worker, position| search::<Pv, _>(worker, position, Window::FULL, 6, ply, false));
            for score in [quiet, null, full] {
                assert!(score.is_ok_and(|score| !score::is_decided(score)), "ply {ply}: {score:?}");
                if ply == MAX_PLY - 1 {
                    let eval = at(fen, |worker, position| worker.memory.evaluator.evaluate(position, ply));
                    assert_eq!(score, Ok(eval));
                }
            }
        }
    }
}
