//! Split points: nodes whose moves several workers search together.
//!
//! The machinery that Young Brothers Wait, PV splitting and root splitting share; each brings its own [`Conditions`].
//!
//! * **Split.** The worker at a node whose eldest has a score (or, under some conditions, before), if the conditions hold
//!   and somebody is idle, opens a split point: an owned copy of the node, the moves left, and the best so far, on a board
//!   for all to see. A large node may be opened before anybody is idle: who runs out of work then finds some at once, and
//!   need neither sleep nor be woken, which takes as long as dozens of nodes.
//! * **Join.** An idle worker takes the open split point nearest the root, since work there is largest, however late
//!   (late join).
//! * **Reading ahead.** Under some conditions a worker without a point does not sleep until one opens: it searches the root
//!   on its own and turns to a point as soon as it sees one. What it found is in the table. Several such readers keep out of
//!   each other's way by marks, as in [`crate::abdada`]: with 16 threads that is worth some 10 % of a short search
//!   (bench/runs/2026-11-23-fewer-helpers).
//! * **Helpful master.** Who opened a point and has no move left to draw waits for those that its helpers are at; meanwhile
//!   it may help below its own point, never elsewhere, so that it is back as soon as they are. It does not wait for the
//!   helpers to be gone, nor for anything once the point is cut off: they have the point to themselves until they are, and
//!   to sleep and be woken takes longer than they need to leave (bench/runs/2026-11-25-sleepless).
//! * **Reading along.** If there is nothing to help at below, a master whose conditions have workers read ahead searches a
//!   move that a helper is at, too, as long as it has helpers, and when it has been through with all of them, once more a
//!   ply deeper, and so on. The two meet in the table, as the threads of Lazy SMP do, and nobody falls asleep for a moment
//!   and must be woken (bench/runs/2026-11-24-reading-along, 2026-11-25-sleepless).
//! * **Searching again.** Where several brothers of a principal variation's node come out above alpha, some conditions have
//!   the first of them searched again with an open window, and the others wait, help below or read along: its value will
//!   most likely be an alpha that they do not exceed, and they ask that with a null window before they have their turn. It
//!   is the rule of the eldest once more. A quarter of such searches used to begin beside another, most of them for nothing,
//!   and they are the largest there are (bench/runs/2026-11-25-one-at-a-time). Who could only sleep meanwhile does not wait
//!   (bench/runs/2026-11-25-joins).
//! * **Cut-off.** Whoever proves the point good enough marks it. Everyone below asks at every node whether its own point
//!   is marked, every few nodes whether one further up is, and then abandons its work: the abort is a type, no score comes
//!   of it. Whoever abandons a move at a point that is not marked marks it, too, as one whose value will not be known.
//!
//! A split point is shared by `Arc` and owns what it needs: no worker points into another's stack, and no helper can
//! outlive what it works on. All waiting happens under the board's lock; who has news looks, once they are entered, whether
//! anybody waits at the point, and calls under that lock: a wake-up cannot be lost between looking and waiting. Workers without
//! a point and masters that wait for their helpers sleep apart, so that a helper's leaving wakes no one whom it does not
//! concern.
//!
//! The board has one lock for the whole team, and with many cores they come to queue for it. So nobody takes it but to open a
//! point, to join one, to close one that is still on the board, to wait, and to call who waits; a point leaves the board with its last free
//! place, and who joins does not go through those that have none (bench/runs/2026-11-26-sixteen-cores).

use crate::accounts::{Activity, Tally};
use crate::frontier::Scout;
use crate::marks::{Claim, Marker};
use crate::pace::{Event, Pace};
use crate::rules::Rules;
use crate::sync::atomic::Ordering::{Acquire, Relaxed};
use crate::sync::{Condvar, MutexGuard};
use chess::Move;
use engine::iterate::iterate;
use engine::node::{Best, Node, NodeKind, NonPv, Pv, Root};
use engine::parallel::{ParallelScheme, SearchEvent};
use engine::picker::Picker;
use engine::score::Score;
use engine::search::{next_move, search_move, take_score};
use engine::shared::Shared;
use engine::worker::{Task, Worker};
use engine::{Aborted, Searched};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

mod board;
#[cfg(all(test, feature = "shuttle"))]
mod models;

pub use board::Board;

use board::{AtWork, Kind, Notices, SplitPoint, State};

/// When a scheme splits, and for how many.
pub trait Conditions {
    /// Does a worker without a point read ahead until one opens, and a master that waits read along? If not, they sleep.
    const READS_AHEAD: bool = false;
    /// How many plies deeper than the others, at most, does such a master read what it has been through?
    const READS_DEEPER: i32 = 0;
    /// Is one brother at a time searched again with an open window, while others wait for their turn? Who could only sleep
    /// meanwhile had better search beside the first.
    const TAKES_TURNS: bool = false;
    /// Shallowest node whose moves are marked by those who read ahead.
    const MARKS_DEPTH: i32 = Rules::USUAL.marks_depth;

    /// May this node be split once its eldest has a score? `below`: it lies under another split point. Asked before every
    /// move of every node.
    fn splits<N: NodeKind>(node: &Node<'_, N>, below: bool) -> bool;

    /// May such a node be split before, by a team of so many, so that the eldest's brothers do not wait for it?
    #[inline]
    fn splits_before_eldest<N: NodeKind>(_node: &Node<'_, N>, _members: usize) -> bool {
        false
    }

    /// Is this node, which may be split, worth opening while nobody waits, for whoever is the next to want work?
    #[inline]
    fn in_advance<N: NodeKind>(_node: &Node<'_, N>) -> bool {
        false
    }

    /// Most helpers that may work beside the master at a split node at which so many moves may be left to draw.
    fn most_helpers(moves: usize) -> usize;
}

/// Nodes between two looks at the points above a worker's own. The way up is long, and to go it at every node costs some
/// 3 % of the cycles (bench/runs/2026-11-23-before-the-eldest).
const LOOK_EVERY: u64 = 8;

/// What a worker of a team is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It searches the root, and the others help it.
    Leader,
    /// It searches below others' split points.
    Helper,
    /// It searches the root as long as there is no split point to help at.
    Reader,
}

/// One worker's place in a scheme that splits under conditions `C`.
pub struct Split<C, P> {
    board: Arc<Board>,
    /// The split point it works under, if any.
    chain: Option<Arc<SplitPoint>>,
    /// How far the others are that search the root.
    scout: Scout,
    /// For what it reads ahead.
    marker: Option<Marker>,
    role: Role,
    /// Points that it has closed, to be opened again. Memory that has just been in use is in the cache, and most points
    /// close without anybody having come.
    spare: Vec<Arc<SplitPoint>>,
    /// Points that had been opened when it last looked for one, reading ahead.
    seen: usize,
    /// If it reads along, at the innermost point: the news there had been so many before.
    reads_along: Option<usize>,
    pace: P,
    /// What it is at.
    activity: Cell<Option<Activity>>,
    /// What this worker did.
    tally: Tally,
    /// How long it waited.
    pub(crate) idle: Duration,
    conditions: PhantomData<C>,
}

impl<C: Conditions, P: Pace> Split<C, P> {
    /// A worker under no split point.
    pub(crate) fn new(board: Arc<Board>, role: Role, scout: Scout, pace: P) -> Self {
        Split {
            marker: board.marks.clone().map(Marker::new),
            board,
            chain: None,
            scout,
            role,
            spare: Vec::new(),
            seen: 0,
            reads_along: None,
            pace,
            activity: Cell::new(None),
            tally: Tally::default(),
            idle: Duration::ZERO,
            conditions: PhantomData,
        }
    }

    /// What this worker did.
    pub(crate) fn tally(&self) -> Tally {
        let read = self.marker.as_ref().map_or(0, Marker::deferred);
        Tally { deferred: self.tally.deferred + read, ..self.tally }
    }

    /// The marks to heed and to set at a node: only who reads ahead does either.
    #[inline(always)]
    fn marker_at<N>(&self, node: &Node<'_, N>) -> Option<&Marker> {
        self.marker.as_ref().filter(|_| self.role == Role::Reader && node.depth >= C::MARKS_DEPTH)
    }

    /// Keeps a point that is closed, unless a helper is only just letting go of it.
    fn keep(&mut self, mut point: Arc<SplitPoint>) {
        if let Some(alone) = Arc::get_mut(&mut point) {
            alone.parent = None;
            self.spare.push(point);
        }
    }

    /// Would anybody come if a point were opened here?
    fn somebody_waits(&self) -> bool {
        let mut above = self.chain.as_ref();
        if self.board.asleep.load(Relaxed) > 0 || self.board.reading.load(Relaxed) > 0 {
            return true;
        }
        while let Some(point) = above {
            if point.waiting.load(Relaxed) > 0 {
                return true;
            }
            above = point.parent.as_ref();
        }
        false
    }

    /// Are there fewer places free at the points above than members who might come? They go to the points nearest the root
    /// first, so that what is opened below would only cost.
    fn wants_places(&self) -> bool {
        let mut wanted = self.board.members - 1;
        let mut above = self.chain.as_ref();
        while let Some(point) = above.filter(|_| wanted > 0) {
            wanted = wanted.saturating_sub(point.room());
            above = point.parent.as_ref();
        }
        wanted > 0
    }

    /// Has the iteration that this worker is at been finished by another?
    fn overtaken(&self) -> bool {
        self.role != Role::Helper && self.scout.is_behind()
    }

    /// Is this worker's work void?
    fn is_void(&self) -> bool {
        self.chain.as_ref().is_some_and(|point| point.is_cut()) || self.overtaken()
    }

    /// Has this worker no more business where it is, as far as it can see from all points above?
    #[inline(never)]
    fn is_to_leave(&self) -> bool {
        self.is_void() || self.has_read_along()
    }

    /// Has it read along long enough? The others are gone, or there are news.
    fn has_read_along(&self) -> bool {
        let Some(before) = self.reads_along else { return false };
        let over =
            |point: &SplitPoint| point.helpers.load(Relaxed) == 0 || point.news.load(Relaxed) != before;
        self.chain.as_deref().is_some_and(over)
    }

    /// Tells what this worker is at from now on; what it was at comes back.
    fn note(&self, activity: Option<Activity>) -> Option<Activity> {
        self.pace.note(activity);
        self.activity.replace(activity)
    }

    /// The same for a move of the root that it begins to search, its own or a point's.
    fn note_root_move(&self, mv: Move) {
        let helping = matches!(self.activity.get(), Some(Activity::Helping(_)));
        self.note(Some(if helping { Activity::Helping(Some(mv)) } else { Activity::Own(Some(mv)) }));
    }

    /// Waits for news on the board, of one kind or the other.
    fn wait(&mut self, shared: &Shared, news: &Condvar, notices: &mut MutexGuard<'_, Notices>) {
        let before = self.note(None);
        let since = shared.elapsed();
        self.pace.wait(news, notices);
        self.idle += shared.elapsed().saturating_sub(since);
        self.note(before);
    }
}

impl<C: Conditions, P: Pace> ParallelScheme for Split<C, P> {
    type Claim = Claim;

    #[inline]
    fn should_abort(&self, nodes: u64) -> bool {
        self.chain.as_ref().is_some_and(|point| point.cut.load(Relaxed))
            || nodes.is_multiple_of(LOOK_EVERY) && self.is_to_leave()
    }

    #[inline(always)]
    fn try_split<N: NodeKind>(
        worker: &mut Worker<'_, Self>,
        node: &Node<'_, N>,
        best: &mut Best,
        rest: &Picker,
    ) -> Searched<bool> {
        let scheme = &worker.brothers;
        if scheme.role == Role::Reader || C::splits(node, scheme.chain.is_some()) {
            share(worker, node, best, rest)
        } else {
            Ok(false)
        }
    }

    #[inline]
    fn claim<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move, deferrable: bool) -> Option<Claim> {
        match self.marker_at(node) {
            Some(marker) => marker.claim(node, mv, deferrable),
            None => Some(Claim::default()),
        }
    }

    #[inline(always)]
    fn event(&self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Tick(tick) => self.pace.spend(tick.into()),
            SearchEvent::RootMove(mv) => self.note_root_move(mv),
            SearchEvent::Iteration(iteration) => self.scout.note(iteration),
        }
    }
}

/// Shares out a node that may be split, if anybody is to have a part of it; who only reads looks for others' points instead.
///
/// Out of line, as is all that few nodes come to: what every node runs through is more code than a first-level cache holds,
/// and with this inlined into the move loop it missed more often (bench/runs/2026-11-24-code-size).
#[cold]
#[inline(never)]
fn share<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    rest: &Picker,
) -> Searched<bool> {
    let scheme = &worker.brothers;
    if scheme.role == Role::Reader {
        if scheme.board.opened.load(Relaxed) != scheme.seen {
            turn_to_points(worker, node.ply);
        }
        // Nobody is to spend time on what is only read.
        return Ok(false);
    }
    let too_early = rest.handed_out() == 0 && !C::splits_before_eldest(node, scheme.board.members);
    if too_early || scheme.reads_along.is_some() {
        return Ok(false);
    }
    if !(C::in_advance(node) && scheme.wants_places() || scheme.somebody_waits()) {
        return Ok(false);
    }
    split(worker, node, best, rest)?;
    Ok(true)
}

/// Opens a split point, works at it with whoever joins, and closes it when all its moves are done.
fn split<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    rest: &Picker,
) -> Searched<()> {
    let board = Arc::clone(&worker.brothers.board);
    let parent = worker.brothers.chain.clone();
    let mut point = worker.brothers.spare.pop().unwrap_or_else(|| Arc::new(SplitPoint::blank()));
    Arc::get_mut(&mut point).expect("a spare point is known to nobody else").renew(worker, node, best, rest);
    worker.brothers.tally.splits += 1;
    worker.brothers.pace.spend(Event::Split);
    board.offer(&worker.brothers.pace, &point);
    point.tell_waiting();
    worker.brothers.pace.notify_all(&board.helpers);
    worker.brothers.chain = Some(Arc::clone(&point));
    // What ended it early, if anything did, has been noted at the point.
    let _ = work::<N, C, P>(worker, &point);
    await_helpers::<N, C, P>(worker, &point);
    worker.brothers.chain = parent;
    let taken = take_result(worker, node, best, &point);
    worker.brothers.keep(point);
    taken
}

/// Takes over what was found at a point of which nothing more is to be had.
fn take_result<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    point: &SplitPoint,
) -> Searched<()> {
    let mut state = point.state.lock();
    if N::ROOT {
        // Each of them was searched to its end: whatever becomes of the rest, the best of them may be played.
        state.root_moves.iter().for_each(|found| worker.root.adopt(found));
    }
    // A stop, a cut-off above or a move that was given up voids it.
    worker.shared.check()?;
    if state.lost || worker.brothers.is_void() {
        return Err(Aborted);
    }
    if N::PV {
        worker.set_line(node.ply, &state.line);
    }
    std::mem::swap(best, &mut state.best);
    Ok(())
}

/// Draws moves from a split point and searches them until none is left or the point is cut off.
fn work<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
) -> Searched<()> {
    let node = point.node.attach::<N>();
    let mut state = point.state.lock();
    while !point.is_cut() {
        let State { moves, best, at_work, .. } = &mut *state;
        let Some((mv, number, _claim)) = next_move(worker, &node, moves, best) else {
            point.narrow(0);
            break;
        };
        let left = moves.most_left();
        point.narrow(if left > 0 { C::most_helpers(left) } else { 0 });
        let alpha = best.alpha;
        at_work.push(AtWork { mv, number });
        // A lock for each move, not one to take its score and another to draw the next: locked instructions wait for
        // all that was written before.
        let searched = MutexGuard::unlocked(&mut state, || {
            search_move(worker, &node, alpha, mv, number, |worker, alpha, score| {
                before_open_window(worker, point, &node, alpha, score, number)
            })
        });
        state.at_work.retain(|other| other.mv != mv);
        match searched {
            Ok(score) => enter(worker, point, &node, &mut state, mv, score),
            // A stop has ended this, which the others will see too, or another team's result, which they need not: a leader
            // may have been overtaken.
            Err(Aborted) if !point.is_cut() => {
                state.lost = true;
                point.cut.store(true, Relaxed);
            }
            Err(Aborted) => {}
        }
        if state.again == Some(number) {
            state.again = None;
            MutexGuard::unlocked(&mut state, || pass_turn(&worker.brothers, point));
        }
        searched?;
    }
    Ok(())
}

/// Enters a move's score at a point.
fn enter<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    State { best, line, root_moves, .. }: &mut State,
    mv: Move,
    score: Score,
) {
    let before = best.alpha;
    let enough = take_score(worker, node, best, mv, score);
    if N::PV && best.alpha > before {
        line.clone_from(worker.line(node.ply));
    }
    if N::ROOT
        && let Some(found) = worker.root.find(mv)
        && best.alpha > before
    {
        root_moves.push(found.clone());
    }
    if enough {
        point.cut.store(true, Relaxed);
    }
}

/// A move of a point has come out at `score`, above `alpha`, and is to be searched again with an open window. Returns the
/// point's alpha by now, after the move's turn has come if the conditions have moves take turns.
fn before_open_window<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    alpha: Score,
    score: Score,
    number: usize,
) -> Searched {
    let alpha = if C::TAKES_TURNS { take_turn(worker, point, node, alpha, score, number)? } else { alpha };
    worker.brothers.tally.again += u64::from(score > alpha);
    Ok(alpha)
}

/// Takes the turn to search a move of a point again with an open window, unless alpha meanwhile has been raised beyond its
/// `score`. As long as another move has it, this one waits: most likely the other will raise alpha.
#[cold]
#[inline(never)]
fn take_turn<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    alpha: Score,
    score: Score,
    number: usize,
) -> Searched {
    let taken = |state: &mut State| {
        let alpha = alpha.max(state.best.alpha);
        if score > alpha && state.again.is_some() {
            return None;
        }
        if score > alpha {
            state.again = Some(number);
        }
        Some(alpha)
    };
    if let Some(alpha) = taken(&mut point.state.lock()) {
        return Ok(alpha);
    }
    worker.brothers.tally.deferred += 1;
    let board = Arc::clone(&worker.brothers.board);
    let aside = worker.set_aside(node.ply + 1, true);
    let mut result = None;
    worker.follow(&point.path);
    await_others::<N, C, P>(worker, point, &mut board.notices.lock(), Some(number), |worker| {
        result = taken(&mut point.state.lock());
        result.is_some() || worker.brothers.is_void() || worker.shared.stopped()
    });
    worker.take_up(aside);
    result.ok_or(Aborted)
}

/// Lets those know who wait to search a move again that another has been.
fn pass_turn<C: Conditions, P: Pace>(scheme: &Split<C, P>, point: &SplitPoint) {
    point.news.fetch_add(1, Relaxed);
    if point.waiting.load(Relaxed) > 0 {
        // Under the lock, so that who is about to wait cannot miss it.
        let _notices = scheme.board.notices.lock();
        scheme.pace.notify_all(&scheme.board.helpers);
    }
}

/// Takes the point off the board and waits until all its moves are done.
fn await_helpers<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
) {
    if point.is_over() {
        return;
    }
    let board = Arc::clone(&worker.brothers.board);
    let mut notices = board.notices.lock();
    board.close_point(&mut notices, point);
    await_others::<N, C, P>(worker, point, &mut notices, None, |worker| {
        if worker.brothers.overtaken() {
            point.cut.store(true, Relaxed);
        }
        point.is_done()
    });
}

/// Waits at a point for others who work there, helping below it meanwhile or reading along, until it is `over`. `own` is the
/// number of the move that this worker is at itself, if any.
fn await_others<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
    notices: &mut MutexGuard<'_, Notices>,
    own: Option<usize>,
    mut over: impl FnMut(&Worker<'_, Split<C, P>>) -> bool,
) {
    let board = Arc::clone(&worker.brothers.board);
    let mut read = Vec::new();
    point.waiting.fetch_add(1, Relaxed);
    loop {
        // What comes after this is news.
        let before = point.news.load(Relaxed);
        if over(worker) {
            break;
        }
        if let Some(below) = board.book(notices, Some(point)) {
            MutexGuard::unlocked(notices, || help(worker, &below));
        } else if let Some((next, deeper)) = to_read_along(worker, point, own, &read) {
            let reading = || read_along::<N, C, P>(worker, point, next, deeper, before);
            if MutexGuard::unlocked(notices, reading).is_ok() {
                read.push(next.number);
            }
        } else {
            worker.brothers.wait(worker.shared, &board.helpers, notices);
        }
    }
    point.waiting.fetch_sub(1, Relaxed);
}

/// What a worker that waits at a point can read along with those who do not, and how many plies deeper than they: of their
/// moves the one that it has `read` to the end least often, the one that is searched again rather than another.
fn to_read_along<C: Conditions, P: Pace>(
    worker: &Worker<'_, Split<C, P>>,
    point: &SplitPoint,
    own: Option<usize>,
    read: &[usize],
) -> Option<(AtWork, i32)> {
    if !C::READS_AHEAD || worker.brothers.is_void() || worker.shared.stopped() {
        return None;
    }
    let State { at_work, again, .. } = &*point.state.lock();
    let times = |number| read.iter().filter(|&&other| other == number).count() as i32;
    let others = at_work.iter().filter(|at_work| Some(at_work.number) != own);
    let next = others.min_by_key(|at_work| (times(at_work.number), Some(at_work.number) != *again))?;
    let deeper = times(next.number);
    (deeper <= C::READS_DEEPER).then_some((*next, deeper))
}

/// Searches a move that another is at, some plies deeper, for the table, as long as anybody helps at the point and there are
/// no news since there were so many as `before`.
///
/// # Errors
/// [`Aborted`] if it did not come to the end.
fn read_along<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<C, P>>,
    point: &SplitPoint,
    AtWork { mv, number }: AtWork,
    deeper: i32,
    before: usize,
) -> Searched {
    let alpha = point.state.lock().best.alpha;
    let mut node = point.node.attach::<N>();
    node.depth += deeper;
    worker.brothers.reads_along = Some(before);
    let score = search_move(worker, &node, alpha, mv, number, |_, alpha, _| Ok(alpha));
    worker.brothers.reads_along = None;
    score
}

/// A booked place at a split point; given back on drop, so that even a panic leaves no master waiting.
struct Place<'b, P: Pace> {
    board: &'b Board,
    point: &'b SplitPoint,
    shared: &'b Shared,
    pace: P,
}

impl<P: Pace> Drop for Place<'_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The move goes lost with it: what the others find at this point must not pass for its value.
            self.shared.stop();
        }
        self.point.helpers.fetch_sub(1, Relaxed);
        // Who waits for this has said so before it last looked at the point's state, under whose lock the moves of this
        // worker have been entered. A lost one has not.
        if self.point.waiting.load(Relaxed) > 0 || std::thread::panicking() {
            let _notices = self.board.notices.lock();
            self.pace.notify_all(&self.board.helpers);
        }
    }
}

/// Works at somebody else's split point, at which a place has been booked.
fn help<C: Conditions, P: Pace>(worker: &mut Worker<'_, Split<C, P>>, point: &Arc<SplitPoint>) {
    let board = Arc::clone(&worker.brothers.board);
    let pace = worker.brothers.pace.clone();
    let before = worker.brothers.note(Some(Activity::Helping(point.path.root_move())));
    worker.brothers.tally.joins += 1;
    let _place = Place { board: &board, point, shared: worker.shared, pace: pace.clone() };
    pace.spend(Event::Join);
    let chain = worker.brothers.chain.replace(Arc::clone(point));
    let own_path = worker.follow(&point.path);
    let nodes_before = worker.nodes();
    let worked = match point.kind {
        Kind::Root => work::<Root, C, P>(worker, point),
        Kind::Pv => work::<Pv, C, P>(worker, point),
        Kind::NonPv => work::<NonPv, C, P>(worker, point),
    };
    if worked.is_err() {
        worker.brothers.tally.aborted += 1;
        worker.brothers.tally.wasted += worker.nodes() - nodes_before;
    }
    worker.path = own_path;
    worker.brothers.chain = chain;
    worker.brothers.note(before);
}

/// Leaves what this worker reads ahead, at `ply`, until no split point wants it any more.
fn turn_to_points<C: Conditions, P: Pace>(worker: &mut Worker<'_, Split<C, P>>, ply: usize) {
    let board = Arc::clone(&worker.brothers.board);
    while !worker.shared.stopped() {
        worker.brothers.seen = board.opened.load(Acquire);
        if board.on_offer.load(Relaxed) == 0 {
            break;
        }
        let Some(point) = board.book(&mut board.notices.lock(), None) else { break };
        let aside = worker.set_aside(ply, !matches!(point.kind, Kind::NonPv));
        worker.brothers.role = Role::Helper;
        board.reading.fetch_sub(1, Relaxed);
        help(worker, &point);
        board.reading.fetch_add(1, Relaxed);
        worker.brothers.role = Role::Reader;
        worker.take_up(aside);
    }
    worker.brothers.tally.refused += 1;
}

/// The life of every worker but the first: joins split points until the search is over. Where the conditions have it read
/// ahead, its iterations are `stride` plies deeper than the deepest that is finished, and it sleeps only when there is
/// none left.
pub(crate) fn serve<C: Conditions, P: Pace>(worker: &mut Worker<'_, Split<C, P>>, task: &Task, stride: i32) {
    let shared = worker.shared;
    let board = Arc::clone(&worker.brothers.board);
    if C::READS_AHEAD {
        worker.brothers.role = Role::Reader;
        board.reading.fetch_add(1, Relaxed);
        iterate(worker, task, stride);
        board.reading.fetch_sub(1, Relaxed);
        worker.brothers.role = Role::Helper;
    }
    let mut notices = board.notices.lock();
    while !notices.closed {
        let booked = if shared.stopped() { None } else { board.book(&mut notices, None) };
        if let Some(point) = booked {
            drop(notices);
            help(worker, &point);
            notices = board.notices.lock();
        } else {
            worker.brothers.tally.refused += 1;
            board.asleep.fetch_add(1, Relaxed);
            worker.brothers.wait(shared, &board.work, &mut notices);
        }
    }
}
