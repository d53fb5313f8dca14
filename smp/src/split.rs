//! Split points: nodes whose moves several workers search together.
//!
//! The machinery that Young Brothers Wait, PV splitting and root splitting share; each brings its own [`Conditions`].
//!
//! * **Split.** The worker at a node whose eldest has a score (or, under some conditions, before), if the
//!   conditions hold and another worker is idle, opens a split point: a copy of the node, the moves left, and
//!   the best so far, which all can find in the team's [`Registry`]. A large node may be opened before
//!   anybody is idle: who runs out of work then finds some at once, and need neither sleep nor be woken,
//!   which takes as long as dozens of nodes.
//! * **Join.** An idle worker takes the open split point nearest the root, since work there is largest, however late
//!   (late join).
//! * **Reading ahead.** Under some conditions a worker without a point does not sleep until one opens: it
//!   searches the root on its own and turns to a point as soon as it sees one. What it found is in the table.
//!   Several such readers keep out of each other's way by marks, as in [`crate::abdada`]: with 16 threads
//!   that is worth some 10 % of a short search (bench/runs/2026-11-23-fewer-helpers).
//! * **Helpful master.** Who opened a point and has no move left to draw waits for those that its helpers are
//!   at; meanwhile it may help below its own point, never elsewhere, so that it is back as soon as they are.
//!   It does not wait for the helpers to be gone, nor for anything once the point is cut off: they have the
//!   point to themselves until they are, and to sleep and be woken takes longer than they need to leave
//!   (bench/runs/2026-11-25-sleepless).
//! * **Reading along.** If there is nothing to help at below, a master whose conditions have workers read
//!   ahead searches a move that a helper is at, too, as long as it has helpers, and when it has been through
//!   with all of them, once more a ply deeper, and so on. The two meet in the table, as the threads of Lazy
//!   SMP do, and nobody falls asleep for a moment and must be woken (bench/runs/2026-11-24-reading-along,
//!   2026-11-25-sleepless).
//! * **Searching again.** Where several brothers of a principal variation's node come out above alpha, some
//!   conditions have the first of them searched again with an open window, and the others wait, help below or
//!   read along: its value will most likely be an alpha that they do not exceed, and they ask that with a
//!   null window before they have their turn. It is the rule of the eldest once more. A quarter of such
//!   searches used to begin beside another, most of them for nothing, and they are the largest there are
//!   (bench/runs/2026-11-25-one-at-a-time). Who could only sleep meanwhile does not wait
//!   (bench/runs/2026-11-25-joins).
//! * **Cut-off.** Whoever proves the point good enough marks it. Everyone below asks at every node whether
//!   its own point is marked, every few nodes whether one further up is, and then abandons its work: the
//!   abort is a type, no score comes of it. Whoever abandons a move at a point that is not marked marks it,
//!   too, as one whose value will not be known.
//!
//! A split point owns what it needs: no worker points into another's stack. A helper reserves a place at it
//! before it looks at anything there, and as long as it has one the point stays that of its node
//! (`registry`). Nothing has a lock that all come to, except sleep: a worker takes it to look once more
//! before it sleeps, and others take it to wake those who sleep, if there are any. Each of the two says what
//! it is about to do before it looks at what the other has said, so that no wake-up is lost in between.
//! Workers without a point and masters that wait for their helpers sleep apart, so that a helper's leaving
//! wakes only those whom it concerns.

use crate::accounts::{Activity, Tally};
use crate::coherence::Access;
use crate::frontier::Scout;
use crate::marks::{Claim, Marker};
use crate::pace::{Event, Held, Pace};
use crate::rules::Rules;
use crate::sync::Condvar;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::SeqCst;
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
use std::time::Duration;

#[cfg(all(test, feature = "shuttle"))]
mod models;
mod registry;

pub use registry::Registry;

use registry::{AtWork, Body, Kind, SplitPoint, State};

/// When a scheme splits, and for how many.
pub trait Conditions {
    /// Does a worker without a point read ahead until one opens, and a master that waits read along? If not,
    /// they sleep.
    const READS_AHEAD: bool = false;
    /// How many plies deeper than the others, at most, does such a master read what it has been through?
    const READS_DEEPER: i32 = 0;
    /// Is one brother at a time searched again with an open window, while others wait for their turn? Who
    /// could only sleep meanwhile had better search beside the first.
    const TAKES_TURNS: bool = false;
    /// Shallowest node whose moves are marked by those who read ahead.
    const MARKS_DEPTH: i32 = Rules::USUAL.marks_depth;

    /// May this node be split by a team of so many once its first move has a score? `below`: it lies under
    /// another split point. Asked before every move of every node.
    fn splits<N: NodeKind>(node: &Node<'_, N>, below: bool, members: usize) -> bool;

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

/// Nodes between two looks at the points above a worker's own. The way up is long, and to go it at every node
/// costs some 3 % of the cycles (bench/runs/2026-11-23-before-the-eldest).
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
pub struct Split<'r, C, P> {
    registry: &'r Registry,
    /// Its number in the team.
    member: usize,
    /// Which of its own points it has opened and not closed yet, by bits.
    open: u32,
    /// The split point it works under, if any.
    chain: Option<&'r SplitPoint>,
    /// How far the others are that search the root.
    scout: Scout,
    /// For what it reads ahead.
    marker: Option<Marker>,
    role: Role,
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

impl<'r, C: Conditions, P: Pace> Split<'r, C, P> {
    /// A member of a team, under no split point. The leader is member 0.
    pub(crate) fn new(registry: &'r Registry, member: usize, scout: Scout, pace: P) -> Self {
        Split {
            marker: registry.marks.clone().map(Marker::new),
            registry,
            member,
            open: 0,
            chain: None,
            scout,
            role: if member == 0 { Role::Leader } else { Role::Helper },
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

    /// Reads a word of the registry.
    fn reads(&self, word: &AtomicUsize) -> usize {
        self.pace.touch(Access::Read, self.registry.place(word));
        word.load(SeqCst)
    }

    /// The points that it works under, the innermost first.
    fn points_above(&self) -> impl Iterator<Item = &'r SplitPoint> + use<'r, C, P> {
        let registry = self.registry;
        std::iter::successors(self.chain, move |point| registry.above(point))
    }

    /// This worker reads ahead from now on, or no longer.
    fn note_reading(&self, reads: bool) {
        let reading = &*self.registry.reading;
        self.pace.touch(Access::Update, self.registry.place(reading));
        if reads {
            reading.fetch_add(1, SeqCst)
        } else {
            reading.fetch_sub(1, SeqCst)
        };
    }

    /// Would anybody come if a point were opened here?
    fn somebody_waits(&self) -> bool {
        self.reads(&self.registry.asleep) > 0
            || self.reads(&self.registry.reading) > 0
            || self.points_above().any(|point| point.has_waiting(&self.pace))
    }

    /// Are there fewer places free at the points above than members who might come? They go to the points
    /// nearest the root first, so that what is opened below would only cost.
    fn wants_places(&self) -> bool {
        let mut wanted = self.registry.members as u64 - 1;
        let mut above = self.points_above();
        while let Some(point) = above.next().filter(|_| wanted > 0) {
            wanted = wanted.saturating_sub(point.room(&self.pace));
        }
        wanted > 0
    }

    /// Has the iteration that this worker is at been finished by another?
    fn overtaken(&self) -> bool {
        self.role != Role::Helper && self.scout.is_behind(&self.pace)
    }

    /// Is this worker's work void?
    fn is_void(&self) -> bool {
        self.chain.is_some_and(|point| self.registry.is_cut(point, &self.pace)) || self.overtaken()
    }

    /// Has this worker no more business where it is, as far as it can see from all points above?
    #[inline(never)]
    fn is_to_leave(&self) -> bool {
        self.is_void() || self.has_read_along()
    }

    /// Has it read along long enough? The others are gone, or there are news.
    fn has_read_along(&self) -> bool {
        let Some(before) = self.reads_along else { return false };
        let over = |point: &SplitPoint| point.helpers(&self.pace) == 0 || point.news(&self.pace) != before;
        self.chain.is_some_and(over)
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

    /// Sleeps until there are news, of one kind or the other.
    fn wait(&mut self, shared: &Shared, news: &Condvar, lock: &mut Held<'_, bool, P>) {
        let before = self.note(None);
        let since = shared.elapsed();
        lock.wait(news);
        self.idle += shared.elapsed().saturating_sub(since);
        self.note(before);
    }
}

impl<C: Conditions, P: Pace> ParallelScheme for Split<'_, C, P> {
    type Claim = Claim<P>;
    const TOUCHES: bool = P::TOUCHES;

    #[inline]
    fn should_abort(&self, nodes: u64) -> bool {
        self.chain.is_some_and(|point| point.is_cut_here(&self.pace))
            || nodes.is_multiple_of(LOOK_EVERY) && self.is_to_leave()
    }

    #[inline(always)]
    fn try_split<N: NodeKind>(
        worker: &mut Worker<'_, Self>,
        node: &Node<'_, N>,
        best: &mut Best,
        rest: &Picker,
    ) -> Searched<bool> {
        let scheme = &worker.scheme;
        if scheme.role == Role::Reader || C::splits(node, scheme.chain.is_some(), scheme.registry.members) {
            share(worker, node, best, rest)
        } else {
            Ok(false)
        }
    }

    #[inline]
    fn claim<N: NodeKind>(&self, node: &Node<'_, N>, mv: Move, deferrable: bool) -> Option<Claim<P>> {
        match self.marker_at(node) {
            Some(marker) => marker.claim(node, mv, deferrable, &self.pace),
            None => Some(Claim::default()),
        }
    }

    #[inline(always)]
    fn event(&self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::RootMove(mv) => self.note_root_move(mv),
            other => self.scout.event(other, &self.pace),
        }
    }
}

/// Shares out a node that may be split, if anybody is to have a part of it; who only reads looks for others'
/// points instead.
///
/// Out of line, as is all that few nodes come to: what every node runs through is more code than a
/// first-level cache holds, and with this inlined into the move loop it missed more often
/// (bench/runs/2026-11-24-code-size).
#[cold]
#[inline(never)]
fn share<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    rest: &Picker,
) -> Searched<bool> {
    let scheme = &worker.scheme;
    if scheme.role == Role::Reader {
        if scheme.reads(&scheme.registry.opened) != scheme.seen {
            turn_to_points(worker, node.ply);
        }
        // Nobody is to spend time on what is only read.
        return Ok(false);
    }
    let too_early = rest.handed_out() == 0 && !C::splits_before_eldest(node, scheme.registry.members);
    if too_early || scheme.reads_along.is_some() {
        return Ok(false);
    }
    if !(C::in_advance(node) && scheme.wants_places() || scheme.somebody_waits()) {
        return Ok(false);
    }
    split(worker, node, best, rest)
}

/// Opens a split point, works at it with all who join, and closes it when all its moves are done. `false`: it
/// has none left to open.
fn split<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    rest: &Picker,
) -> Searched<bool> {
    let pace = worker.scheme.pace.clone();
    let registry = worker.scheme.registry;
    let Some(point) = registry.open(worker, node, best, rest) else { return Ok(false) };
    worker.scheme.tally.splits += 1;
    pace.spend(Event::Split);
    registry.announce(point, &pace);
    let bit = point.bit();
    worker.scheme.open |= bit;
    let above = worker.scheme.chain.replace(point);
    // What ended it early, if anything did, has been noted at the point.
    let _ = work::<N, C, P>(worker, point, node);
    await_helpers(worker, point, node);
    worker.scheme.chain = above;
    worker.scheme.open &= !bit;
    take_result(worker, node, best, point)?;
    Ok(true)
}

/// Takes over what was found at a point of which nothing more is to be had.
fn take_result<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    point: &SplitPoint,
) -> Searched<()> {
    let pace = worker.scheme.pace.clone();
    let mut state = point.lock(&pace);
    pace.touch(Access::Read, point.place(&state.best));
    if N::ROOT {
        // Each of them was searched to its end: whatever becomes of the rest, the best of them may be played.
        state.root_moves.iter().for_each(|found| worker.root.adopt(found));
    }
    // A stop, a cut-off above or a move that was given up voids it.
    worker.shared.check()?;
    if state.lost || worker.scheme.is_void() {
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
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
) -> Searched<()> {
    let pace = worker.scheme.pace.clone();
    let registry = worker.scheme.registry;
    let mut state = point.lock(&pace);
    while !registry.is_cut(point, &pace) {
        pace.touch(Access::Update, point.moves_place(&state));
        pace.touch(Access::Read, point.place(&state.best));
        pace.touch(Access::Update, point.at_work_place());
        let State { moves, best, at_work, .. } = &mut *state;
        let Some((mv, number, _claim)) = next_move(worker, node, moves, best) else {
            registry.narrow(point, 0, &pace);
            break;
        };
        let left = moves.most_left();
        registry.narrow(point, if left > 0 { C::most_helpers(left) } else { 0 }, &pace);
        let alpha = best.alpha;
        at_work.push(AtWork { mv, number });
        // A lock for each move, not one to take its score and another to draw the next: locked instructions wait for
        // all that was written before.
        let searched = state.unlocked(|| {
            search_move(worker, node, alpha, mv, number, |worker, alpha, score| {
                before_open_window(worker, point, node, alpha, score, number)
            })
        });
        pace.touch(Access::Update, point.place(&state.best));
        pace.touch(Access::Update, point.at_work_place());
        state.at_work.retain(|other| other.mv != mv);
        match searched {
            Ok(score) => enter(worker, point, node, &mut state, mv, score),
            // A stop has ended this, which the others will see too, or another team's result, which they need
            // not: a leader may have been overtaken.
            Err(Aborted) if !registry.is_cut(point, &pace) => {
                state.lost = true;
                point.cut_off(&pace);
            }
            Err(Aborted) => {}
        }
        if state.again == Some(number) {
            state.again = None;
            state.unlocked(|| pass_turn(&worker.scheme, point));
        }
        searched?;
    }
    Ok(())
}

/// Enters a move's score at a point.
fn enter<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
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
        point.cut_off(&worker.scheme.pace);
    }
}

/// A move of a point has come out at `score`, above `alpha`, and is to be searched again with an open window.
/// Returns the point's alpha by now, after the move's turn has come if the conditions have moves take turns.
fn before_open_window<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    alpha: Score,
    score: Score,
    number: usize,
) -> Searched {
    let alpha = if C::TAKES_TURNS { take_turn(worker, point, node, alpha, score, number)? } else { alpha };
    worker.scheme.tally.again += u64::from(score > alpha);
    Ok(alpha)
}

/// Takes the turn to search a move of a point again with an open window, unless alpha meanwhile has been
/// raised beyond its `score`. As long as another move has it, this one waits: most likely the other will
/// raise alpha.
#[cold]
#[inline(never)]
fn take_turn<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
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
    let pace = worker.scheme.pace.clone();
    if let Some(alpha) = taken(&mut point.lock(&pace)) {
        return Ok(alpha);
    }
    worker.scheme.tally.deferred += 1;
    let aside = worker.set_aside(node.ply + 1, true);
    let mut result = None;
    // It waits at the node, not at the move's child, which is the last of its path.
    worker.path.pop();
    await_others(worker, point, node, Some(number), |worker| {
        result = taken(&mut point.lock(&worker.scheme.pace));
        result.is_some() || worker.scheme.is_void() || worker.shared.stopped()
    });
    worker.take_up(aside);
    result.ok_or(Aborted)
}

/// Lets those know who wait to search a move again that another has been.
fn pass_turn<C: Conditions, P: Pace>(scheme: &Split<'_, C, P>, point: &SplitPoint) {
    point.add_news(&scheme.pace);
    if point.has_waiting(&scheme.pace) {
        scheme.registry.wake_waiting(&scheme.pace);
    }
}

/// Lets no more helpers in and waits until all moves that have been drawn are done.
fn await_helpers<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
) {
    let pace = worker.scheme.pace.clone();
    let registry = worker.scheme.registry;
    registry.narrow(point, 0, &pace);
    if !registry.is_done(point, &pace) {
        await_others(worker, point, node, None, |worker| {
            if worker.scheme.overtaken() {
                point.cut_off(&worker.scheme.pace);
            }
            registry.is_done(point, &worker.scheme.pace)
        });
    }
    // Helpers may be left that have not seen yet that a point above is cut off, and from now on they would
    // ask other points than those above this one.
    if point.helpers(&pace) > 0 {
        point.cut_off(&pace);
    }
}

/// Waits at a point for others who work there, helping below it meanwhile or reading along, until it is
/// `over`. `own` is the number of the move that this worker is at itself, if any.
fn await_others<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    own: Option<usize>,
    mut over: impl FnMut(&Worker<'_, Split<'_, C, P>>) -> bool,
) {
    let registry = worker.scheme.registry;
    let pace = worker.scheme.pace.clone();
    let mut read = Vec::new();
    point.note_waiting(true, &pace);
    loop {
        // What comes after this is news.
        let before = point.news(&pace);
        if over(worker) {
            break;
        }
        if let Some(below) = registry.reserve(Some(point), &pace) {
            help(worker, below);
        } else if let Some((next, deeper)) = to_read_along(worker, point, own, &read) {
            if read_along(worker, point, node, next, deeper, before).is_ok() {
                read.push(next.number);
            }
        } else {
            let mut lock = registry.lock(&pace);
            // Under the lock, so that whoever has news now finds this worker asleep.
            if over(worker) {
                break;
            }
            if point.news(&pace) == before {
                worker.scheme.wait(worker.shared, &registry.helpers, &mut lock);
            }
        }
    }
    point.note_waiting(false, &pace);
}

/// What a worker that waits at a point can read along with those who do not, and how many plies deeper than
/// they: of their moves the one that it has `read` to the end least often, the one that is searched again
/// rather than another.
fn to_read_along<C: Conditions, P: Pace>(
    worker: &Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    own: Option<usize>,
    read: &[usize],
) -> Option<(AtWork, i32)> {
    if !C::READS_AHEAD || worker.scheme.is_void() || worker.shared.stopped() {
        return None;
    }
    let pace = &worker.scheme.pace;
    let state = point.lock(pace);
    pace.touch(Access::Read, point.at_work_place());
    let State { at_work, again, .. } = &*state;
    let times = |number| read.iter().filter(|&&other| other == number).count() as i32;
    let others = at_work.iter().filter(|at_work| Some(at_work.number) != own);
    let next = others.min_by_key(|at_work| (times(at_work.number), Some(at_work.number) != *again))?;
    let deeper = times(next.number);
    (deeper <= C::READS_DEEPER).then_some((*next, deeper))
}

/// Searches a move that another is at, some plies deeper, for the table, as long as anybody helps at the
/// point and there are no news since there were so many as `before`.
///
/// # Errors
/// [`Aborted`] if it did not come to the end.
fn read_along<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    AtWork { mv, number }: AtWork,
    deeper: i32,
    before: usize,
) -> Searched {
    let alpha = point.lock(&worker.scheme.pace).best.alpha;
    let detached = node.detach();
    let mut node = detached.attach::<N>();
    node.depth += deeper;
    worker.scheme.reads_along = Some(before);
    let score = search_move(worker, &node, alpha, mv, number, |_, alpha, _| Ok(alpha));
    worker.scheme.reads_along = None;
    score
}

/// A place at a split point; given back on drop, so that even a panic leaves no master waiting.
struct Reserved<'r, P: Pace> {
    registry: &'r Registry,
    point: &'r SplitPoint,
    shared: &'r Shared,
    pace: P,
}

impl<P: Pace> Drop for Reserved<'_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The move goes lost with it: what the others find at this point must not pass for its value.
            self.shared.stop();
        }
        self.registry.leave(self.point, &self.pace);
    }
}

/// Works at another worker's split point, at which a place has been reserved.
fn help<'r, C: Conditions, P: Pace>(worker: &mut Worker<'_, Split<'r, C, P>>, point: &'r SplitPoint) {
    let pace = worker.scheme.pace.clone();
    let registry = worker.scheme.registry;
    worker.scheme.tally.joins += 1;
    let _place = Reserved { registry, point, shared: worker.shared, pace: pace.clone() };
    pace.spend(Event::Join);
    let body = point.read(&pace);
    let Body { node, kind, path } = body.as_ref().expect("a point that has opened has a body");
    let before = worker.scheme.note(Some(Activity::Helping(path.root_move())));
    let chain = worker.scheme.chain.replace(point);
    let own_path = worker.follow(path);
    let nodes_before = worker.nodes();
    let worked = match kind {
        Kind::Root => work(worker, point, &node.attach::<Root>()),
        Kind::Pv => work(worker, point, &node.attach::<Pv>()),
        Kind::NonPv => work(worker, point, &node.attach::<NonPv>()),
    };
    if worked.is_err() {
        worker.scheme.tally.aborted += 1;
        worker.scheme.tally.wasted += worker.nodes() - nodes_before;
    }
    worker.path = own_path;
    worker.scheme.chain = chain;
    worker.scheme.note(before);
}

/// Leaves what this worker reads ahead, at `ply`, until no split point wants it any more.
fn turn_to_points<C: Conditions, P: Pace>(worker: &mut Worker<'_, Split<'_, C, P>>, ply: usize) {
    let registry = worker.scheme.registry;
    let pace = worker.scheme.pace.clone();
    while !worker.shared.stopped() {
        worker.scheme.seen = worker.scheme.reads(&registry.opened);
        let Some(point) = registry.reserve(None, &pace) else { break };
        let aside = worker.set_aside(ply, point.has_lines());
        worker.scheme.role = Role::Helper;
        worker.scheme.note_reading(false);
        help(worker, point);
        worker.scheme.note_reading(true);
        worker.scheme.role = Role::Reader;
        worker.take_up(aside);
    }
    worker.scheme.tally.refused += 1;
}

/// The life of every worker but the first: joins split points until the search is over. Where the conditions
/// have it read ahead, its iterations are `stride` plies deeper than the deepest that is finished, and it
/// sleeps only when there is none left.
pub(crate) fn serve<C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    task: &Task,
    stride: i32,
) {
    let shared = worker.shared;
    let registry = worker.scheme.registry;
    if C::READS_AHEAD {
        worker.scheme.role = Role::Reader;
        worker.scheme.note_reading(true);
        iterate(worker, task, stride);
        worker.scheme.note_reading(false);
        worker.scheme.role = Role::Helper;
    }
    let pace = worker.scheme.pace.clone();
    loop {
        let found = if shared.stopped() { None } else { registry.reserve(None, &pace) };
        if let Some(point) = found {
            help(worker, point);
            continue;
        }
        worker.scheme.tally.refused += 1;
        let mut lock = registry.lock(&pace);
        if *lock {
            return;
        }
        registry.note_asleep(&pace);
        // A point that opens from now on finds this worker asleep. One that has opened before is on its card.
        if shared.stopped() || !registry.has_room(&pace) {
            worker.scheme.wait(shared, &registry.work, &mut lock);
        } else {
            registry.note_awake(&pace);
        }
    }
}
