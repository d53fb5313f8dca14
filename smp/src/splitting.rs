//! Split points: nodes whose moves several workers search together.
//!
//! Young Brothers Wait, PV splitting and root splitting share this machinery. Each brings its own
//! [`Conditions`], which say where to split and for how many.
//!
//! ```text
//!                     a node may be split, and another worker is idle
//!    master ── opens ──> point ── its moves are drawn one by one ──> no move left ──> waits ──> closes
//!                          ^                 ^                                          |
//!                          |                 |           helps below its own point, or reads along
//!    reader ──── joins ────┴──── helper ─────┘
//!    (reads ahead until a point opens, sleeps when nothing is left to read)
//! ```
//!
//! * **Split** (`share`). The worker at a node whose first move has a score opens a split point if the
//!   conditions hold and another worker is idle: a copy of the node, of the moves left and of the best so far,
//!   which the whole team finds in its [`Registry`]. Some conditions open it before the first move is searched, or
//!   open a large node in advance: a worker that becomes idle then finds work at once and need not sleep.
//!   Waking a sleeper takes as long as dozens of nodes.
//! * **Join.** An idle worker takes the open split point nearest the root, where the work is largest, however
//!   late it comes (late join).
//! * **Cut-off.** The worker that proves the point good enough flags it. Everyone below looks at the flag of
//!   its own point at every node, and at those further up every few nodes, and abandons its work. The abort
//!   is a type, so that no score comes of it; the point notes that a move has none, and then has no value
//!   itself. A worker that abandons a move at a point without a flag sets it, too.
//! * **Wait** (`waiting`). What a worker does when it has no move to draw: help below its own point, read
//!   ahead or along, take turns, sleep.
//!
//! A split point owns what it needs; no worker points into another's stack. A helper reserves a place before it
//! looks at anything there, and as long as it has one the point stays that of its node (`registry`). No lock is
//! taken by the whole team except to sleep and to wake sleepers. Each side announces what it is about to do
//! before it looks at what the other has announced (`announced`), so that no wake-up is lost. Workers without a
//! point and masters that wait for helpers sleep apart, so that a helper that leaves wakes only those it concerns.

use crate::pace::{Held, Pace};
use crate::pool::accounts::{Activity, Tally};
use crate::pool::iteration_sync::IterationSync;
use crate::schemes::marks::{Claim, Marker};
use crate::schemes::rules::Rules;
use crate::simulation::coherence::Access;
use crate::sync::Condvar;
use chess::Move;
use engine::Searched;
use engine::node::{Best, Node, NodeKind};
use engine::parallel::{ParallelScheme, SearchEvent};
use engine::picker::Picker;
use engine::shared::Shared;
use engine::worker::Worker;
use std::cell::Cell;
use std::marker::PhantomData;
use std::time::Duration;

mod announced;
#[cfg(all(test, feature = "shuttle"))]
mod models;
mod point;
mod registry;
mod share;
mod waiting;

pub use registry::Registry;
pub(crate) use waiting::serve;

use announced::Announced;
use point::SplitPoint;

/// When a scheme splits, and for how many.
pub trait Conditions {
    /// See [`Rules::reads_ahead`].
    const READS_AHEAD: bool = false;
    /// See [`Rules::reads_along`].
    const READS_ALONG: bool = false;
    /// See [`Rules::reads_deeper`].
    const READS_DEEPER: i32 = 0;
    /// See [`Rules::takes_turns`].
    const TAKES_TURNS: bool = false;
    /// See [`Rules::marks_depth`].
    const MARKS_DEPTH: i32 = Rules::USUAL.marks_depth;

    /// May this node be split by a team of so many once its first move has a score? `below`: it lies under
    /// another split point. Asked before every move of every node.
    fn splits<N: NodeKind>(node: &Node<'_, N>, below: bool, members: usize) -> bool;

    /// May a team of so many split such a node before its first move has a score?
    #[inline]
    fn splits_before_first<N: NodeKind>(_node: &Node<'_, N>, _members: usize) -> bool {
        false
    }

    /// Is this node, which may be split, worth opening while no worker is idle, for the next one that is?
    #[inline]
    fn in_advance<N: NodeKind>(_node: &Node<'_, N>) -> bool {
        false
    }

    /// Most helpers beside the master at a split node at which so many moves may be left to draw.
    fn most_helpers(moves: usize) -> usize;
}

/// Nodes between two looks at the points above a worker's own. The way up is long, and to go it at every node
/// costs some 3 % of the cycles (bench/runs/2026-11-23-before-the-eldest).
const LOOK_EVERY: u64 = 8;

/// What a worker of a team does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It searches the root, and the others help it.
    Leader,
    /// It works at the split points of others.
    Helper,
    /// It reads ahead: it searches the root as long as there is no split point to join.
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
    /// How far the threads are that search the root.
    iteration_sync: IterationSync,
    /// Marks what it searches while it reads ahead.
    marker: Option<Marker>,
    role: Role,
    /// Points that had been opened when it last looked for one while it read ahead.
    seen: u64,
    /// If it reads along: the epoch of the innermost point at which it began.
    reads_along: Option<u64>,
    pace: P,
    /// What it is searching.
    activity: Cell<Option<Activity>>,
    /// What it has counted.
    tally: Tally,
    /// How long it waited.
    pub(crate) idle: Duration,
    conditions: PhantomData<C>,
}

impl<'r, C: Conditions, P: Pace> Split<'r, C, P> {
    /// A member of a team, not at a split point yet. The leader is member 0.
    pub(crate) fn new(registry: &'r Registry, member: usize, iteration_sync: IterationSync, pace: P) -> Self {
        Split {
            marker: registry.marks.clone().map(Marker::new),
            registry,
            member,
            open: 0,
            chain: None,
            iteration_sync,
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

    /// What this worker has counted.
    pub(crate) fn tally(&self) -> Tally {
        let read = self.marker.as_ref().map_or(0, Marker::deferred);
        Tally { deferred: self.tally.deferred + read, ..self.tally }
    }

    /// The marks to look at and to set at a node: only a worker that reads ahead does either.
    #[inline(always)]
    fn marker_at<N>(&self, node: &Node<'_, N>) -> Option<&Marker> {
        self.marker.as_ref().filter(|_| self.role == Role::Reader && node.depth >= C::MARKS_DEPTH)
    }

    /// Reads a word of the registry.
    fn reads(&self, word: &Announced) -> u64 {
        self.pace.touch(Access::Read, self.registry.place(word));
        word.get()
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
            reading.increment();
        } else {
            reading.decrement();
        }
    }

    /// Is there an idle worker that would join a point opened here?
    fn has_idle(&self) -> bool {
        self.reads(&self.registry.asleep) > 0
            || self.reads(&self.registry.reading) > 0
            || self.points_above().any(|point| point.has_waiting(&self.pace))
    }

    /// Are there fewer places free at the points above than the team has other members? They go to the points
    /// nearest the root first, so that another one below would only cost.
    fn wants_places(&self) -> bool {
        let mut wanted = self.registry.members as u64 - 1;
        let mut above = self.points_above();
        while let Some(point) = above.next().filter(|_| wanted > 0) {
            wanted = wanted.saturating_sub(point.room(&self.pace));
        }
        wanted > 0
    }

    /// Has another thread finished the iteration that this worker is at?
    fn overtaken(&self) -> bool {
        self.role != Role::Helper && self.iteration_sync.is_behind(&self.pace)
    }

    /// Should this worker abort what it is searching?
    fn is_void(&self) -> bool {
        self.chain.is_some_and(|point| self.registry.is_cut(point, &self.pace)) || self.overtaken()
    }

    /// Should it abort or go elsewhere, by the flags of all points above it?
    #[inline(never)]
    fn is_to_leave(&self) -> bool {
        self.is_void() || self.has_read_along()
    }

    /// Has it read along long enough? The helpers are gone, or the point's epoch has advanced.
    fn has_read_along(&self) -> bool {
        let Some(before) = self.reads_along else { return false };
        let over = |point: &SplitPoint| point.helpers(&self.pace) == 0 || point.epoch(&self.pace) != before;
        self.chain.is_some_and(over)
    }

    /// Notes what this worker searches from now on; returns what it did before.
    fn note(&self, activity: Option<Activity>) -> Option<Activity> {
        self.pace.note(activity);
        self.activity.replace(activity)
    }

    /// The same for a root move that it begins to search, its own or a point's.
    fn note_root_move(&self, mv: Move) {
        let helping = matches!(self.activity.get(), Some(Activity::Helping(_)));
        self.note(Some(if helping { Activity::Helping(Some(mv)) } else { Activity::Own(Some(mv)) }));
    }

    /// Sleeps until it is signalled, and counts the time as idle.
    fn wait(&mut self, shared: &Shared, signal: &Condvar, lock: &mut Held<'_, bool, P>) {
        let before = self.note(None);
        let since = shared.elapsed();
        lock.wait(signal);
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
            share::share(worker, node, best, rest)
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
            other => self.iteration_sync.event(other, &self.pace),
        }
    }
}
