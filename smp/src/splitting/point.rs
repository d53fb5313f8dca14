//! A split point: the state of one node that several workers search.
//!
//! What different workers write lies on different cache lines. The workers below a point read its flag at every
//! node, and that line is only written to cut off.

use super::announced::Announced;
use super::registry::OWNED;
use super::{Conditions, Split};
use crate::pace::{Held, Pace};
use crate::simulation::coherence::{Access, Class, LINE_BYTES, Place};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use crate::sync::{Mutex, RwLock, RwLockReadGuard};
use chess::Move;
use crossbeam::utils::CachePadded;
use engine::node::{Best, Detached, Node, NodeKind};
use engine::picker::Picker;
use engine::root::RootMove;
use engine::worker::{Line, Path, Worker};
use thinking::score::Score;

/// The kind of a split node, as a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Root,
    Pv,
    NonPv,
}

impl Kind {
    pub(super) const fn of<N: NodeKind>() -> Self {
        match (N::ROOT, N::PV) {
            (true, _) => Kind::Root,
            (false, true) => Kind::Pv,
            (false, false) => Kind::NonPv,
        }
    }
}

/// A node whose remaining moves any member of the team may search.
pub(super) struct SplitPoint {
    /// Its place among the points of its registry.
    pub(super) index: usize,
    /// Its number among all points of the search.
    number: usize,
    pub(super) flags: CachePadded<Flags>,
    pub(super) seats: CachePadded<Seats>,
    waits: CachePadded<Waits>,
    body: CachePadded<RwLock<Option<Body>>>,
    state: CachePadded<Mutex<State>>,
}

/// What all workers below read at every node.
#[derive(Default)]
pub(super) struct Flags {
    /// The node has its value, or will not get one: whatever is still searched here should abort.
    cut: AtomicBool,
    /// The index of the point above plus 1; 0 if there is none.
    pub(super) above: AtomicUsize,
    /// Does the node have a principal variation?
    lines: AtomicBool,
}

/// Helpers and places in one word: how many workers beside the master are here (low half), and how many may be
/// (high half). The places fall to 0 as moves are drawn, and the room that is left never grows.
#[derive(Default)]
pub(super) struct Seats(pub(super) Announced);

impl Seats {
    pub(super) const PLACES: u32 = 32;

    pub(super) const fn of(helpers: u64, places: u64) -> u64 {
        helpers | places << Self::PLACES
    }

    pub(super) const fn helpers(word: u64) -> u64 {
        word & ((1 << Self::PLACES) - 1)
    }

    pub(super) const fn room(word: u64) -> u64 {
        (word >> Self::PLACES).saturating_sub(Self::helpers(word))
    }

    /// Changes the word. `true` if that took the last room.
    pub(super) fn change(&self, change: impl Fn(u64) -> Option<u64>) -> Option<bool> {
        let old = self.0.change(&change)?;
        let new = change(old).expect("it has just been possible");
        Some(Self::room(old) > 0 && Self::room(new) == 0)
    }
}

/// The workers that wait at a point for others.
#[derive(Default)]
struct Waits {
    /// How many wait and would help below: the master when no move is left to draw, and workers whose moves
    /// wait for their turn to be re-searched.
    waiting: Announced,
    /// Advances with everything that concerns them: points that open below, moves that have been re-searched.
    epoch: Announced,
}

/// Lines of a list of moves that taking one touches: where it stands, and the move.
const DRAWN: usize = 2;

/// What a helper must know, written before the point opens.
pub(super) struct Body {
    pub(super) node: Detached,
    pub(super) kind: Kind,
    pub(super) path: Path,
}

/// What the workers of a split point share under its lock.
pub(super) struct State {
    pub(super) moves: Picker,
    pub(super) best: Best,
    /// The principal variation that belongs to `best`, if the node has one.
    pub(super) line: Line,
    /// Results of root moves, if the node is the root.
    pub(super) root_moves: Vec<RootMove>,
    /// Nodes that helpers have spent on root moves.
    pub(super) spent: Vec<(Move, u64)>,
    /// Moves that have been drawn and have no score yet.
    pub(super) in_flight: Vec<InFlight>,
    /// The number of the move that is being re-searched with an open window.
    pub(super) again: Option<usize>,
    /// A move was abandoned, and will not have a score.
    pub(super) lost: bool,
    /// A move was abandoned though nothing was cut off, and the whole point with it. Then the points above need not be
    /// asked.
    pub(super) given_up: bool,
}

impl State {
    /// Is `best` what the node is worth, in a window that ends at `beta`? One move was good enough, or every move has
    /// been drawn and has a score.
    ///
    /// The points above cannot tell. One of them may have been cut off, so that a move was abandoned or not even drawn,
    /// and look as if it never was: it is used again once its workers have left, and they flag the points of their own,
    /// which lie between, only as they leave.
    pub(super) fn is_known(&self, beta: Score) -> bool {
        let all_have_scores = self.moves.most_left() == 0 && self.in_flight.is_empty() && !self.lost;
        self.best.alpha >= beta || all_have_scores
    }
}

/// A move that a worker is searching.
#[derive(Clone, Copy)]
pub(super) struct InFlight {
    pub(super) mv: Move,
    /// Its number at the node, from 1.
    pub(super) number: usize,
}

impl SplitPoint {
    /// Lines of a point itself; after them those of its path are numbered.
    const LINES: usize = size_of::<Self>().div_ceil(LINE_BYTES);

    pub(super) fn new(index: usize, number: usize) -> Self {
        SplitPoint {
            index,
            number,
            flags: CachePadded::default(),
            seats: CachePadded::default(),
            waits: CachePadded::default(),
            body: CachePadded::new(RwLock::new(None)),
            state: CachePadded::new(Mutex::new(State {
                moves: Picker::listed([]),
                best: Best::new(0),
                line: Line::new(),
                root_moves: Vec::new(),
                spent: Vec::new(),
                in_flight: Vec::new(),
                again: None,
                lost: false,
                given_up: false,
            })),
        }
    }

    /// The lines of one of its parts.
    #[inline(always)]
    pub(super) fn place<T>(&self, part: &T) -> Place {
        Place::of(Class::Point, self.number, self, part)
    }

    fn path_place(&self, body: &Body) -> Place {
        Place::lines(Class::Point, self.number, Self::LINES + 1, body.path.bytes().div_ceil(LINE_BYTES))
    }

    /// The line of the moves in flight.
    pub(super) fn in_flight_place(&self) -> Place {
        Place::lines(Class::Point, self.number, Self::LINES, 1)
    }

    /// The lines of the moves left.
    pub(super) fn moves_place(&self, state: &State) -> Place {
        let whole = self.place(&state.moves);
        let lines = DRAWN + state.moves.rated().count() * size_of::<u64>() / LINE_BYTES;
        Place { lines: lines.min(whole.lines), ..whole }
    }

    /// The lines of them that a draw touches: the list only lengthens one way, so one line of it.
    pub(super) fn draw_place(&self, state: &State) -> Place {
        Place { lines: DRAWN, ..self.place(&state.moves) }
    }

    /// Waits for the lock of what its workers share.
    #[inline(always)]
    pub(super) fn lock<P: Pace>(&self, pace: &P) -> Held<'_, State, P> {
        Held::of(&self.state, pace, Place { lines: 1, ..self.place(&self.state) })
    }

    /// What a helper must know. It stays as it is as long as this is held.
    pub(super) fn read<P: Pace>(&self, pace: &P) -> RwLockReadGuard<'_, Option<Body>> {
        pace.touch(Access::Update, Place { lines: 1, ..self.place(&self.body) });
        let body = self.body.read();
        if let Some(body) = &*body {
            pace.touch(Access::Read, self.place(&self.body));
            pace.touch(Access::Read, self.path_place(body));
        }
        body
    }

    /// Makes it the point of a node, with the best so far and the rest of the moves. It must have no helpers, and
    /// is not open yet. Returns how many moves are left.
    pub(super) fn renew<N: NodeKind, C: Conditions, P: Pace>(
        &self,
        worker: &Worker<'_, Split<'_, C, P>>,
        node: &Node<'_, N>,
        best: &Best,
        rest: &Picker,
    ) -> usize {
        let scheme = &worker.scheme;
        let pace = &scheme.pace;
        let mut body = self.body.write();
        let mut path = body.take().map(|body| body.path).unwrap_or_default();
        worker.write_path(node.ply, &mut path);
        let new = Body { node: node.detach(), kind: Kind::of::<N>(), path };
        pace.touch(Access::Write, self.place(&self.body));
        pace.touch(Access::Write, self.path_place(&new));
        *body = Some(new);
        pace.touch(Access::Write, self.place(&self.flags.cut));
        self.flags.cut.store(false, Relaxed);
        self.flags.lines.store(N::PV, Relaxed);
        self.flags.above.store(scheme.chain.map_or(0, |above| above.index + 1), Relaxed);
        let mut state = self.lock(pace);
        state.moves.copy_from(rest);
        state.moves.list_rest(node.position, worker.merit(node.ply));
        pace.touch(Access::Write, self.moves_place(&state));
        pace.touch(Access::Write, self.place(&state.best));
        state.best.clone_from(best);
        state.line.clear();
        if N::PV {
            state.line.clone_from(worker.line(node.ply));
        }
        state.root_moves.clear();
        state.spent.clear();
        state.in_flight.clear();
        state.again = None;
        state.lost = false;
        state.given_up = false;
        state.moves.most_left()
    }

    /// The member of the team that opens and closes it.
    pub(super) fn owner(&self) -> usize {
        self.index / OWNED
    }

    /// Which of its owner's points it is, as a bit.
    pub(super) fn bit(&self) -> u32 {
        1 << (self.index % OWNED)
    }

    /// Does its node have a principal variation?
    pub(super) fn has_lines(&self) -> bool {
        self.flags.lines.load(Relaxed)
    }

    /// Should work here abort, by the point's own flag?
    #[inline(always)]
    pub(super) fn is_cut_here<P: Pace>(&self, pace: &P) -> bool {
        pace.touch(Access::Read, self.place(&self.flags.cut));
        self.flags.cut.load(Relaxed)
    }

    /// Has all workers here and below abort.
    pub(super) fn cut_off<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Write, self.place(&self.flags.cut));
        self.flags.cut.store(true, Relaxed);
    }

    /// Workers other than the master.
    pub(super) fn helpers<P: Pace>(&self, pace: &P) -> u64 {
        Seats::helpers(self.seats(pace))
    }

    /// Places that are free. They never become more: moves are only drawn, and no helper leaves as long as there
    /// is one left to draw, unless the point is cut off.
    pub(super) fn room<P: Pace>(&self, pace: &P) -> u64 {
        Seats::room(self.seats(pace))
    }

    pub(super) fn seats<P: Pace>(&self, pace: &P) -> u64 {
        pace.touch(Access::Read, self.place(&self.seats.0));
        self.seats.0.get()
    }

    /// Changes helpers and places. `true` if that took the last room.
    pub(super) fn change_seats<P: Pace>(
        &self,
        pace: &P,
        change: impl Fn(u64) -> Option<u64>,
    ) -> Option<bool> {
        pace.touch(Access::Update, self.place(&self.seats.0));
        self.seats.change(change)
    }

    /// The epoch: whatever advanced it before this call is visible after it.
    pub(super) fn epoch<P: Pace>(&self, pace: &P) -> u64 {
        pace.touch(Access::Read, self.place(&self.waits.epoch));
        self.waits.epoch.get()
    }

    /// Lets the workers that wait here see that something has happened that concerns them.
    pub(super) fn advance_epoch<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Update, self.place(&self.waits.epoch));
        self.waits.epoch.increment();
    }

    /// Does a worker wait here?
    #[inline]
    pub(super) fn has_waiting<P: Pace>(&self, pace: &P) -> bool {
        pace.touch(Access::Read, self.place(&self.waits.waiting));
        self.waits.waiting.get() > 0
    }

    /// A worker waits here from now on, or no longer.
    pub(super) fn note_waiting<P: Pace>(&self, waits: bool, pace: &P) {
        pace.touch(Access::Update, self.place(&self.waits.waiting));
        if waits {
            self.waits.waiting.increment();
        } else {
            self.waits.waiting.decrement();
        }
    }
}

/// What the models do wrongly on purpose.
#[cfg(all(test, feature = "shuttle"))]
impl SplitPoint {
    /// Takes a place though there may be none left.
    pub(super) fn take_place_unasked(&self) {
        self.seats.0.increment();
    }

    /// Gives a place back and wakes no worker.
    pub(super) fn leave_silently(&self) {
        self.seats.0.decrement();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every state of a small point: no change makes more room, and the last room is reported as taken once.
    #[test]
    fn room_never_comes_back_as_long_as_moves_are_left() {
        for (helpers, places) in (0..4).flat_map(|helpers| (0..4).map(move |places| (helpers, places))) {
            let word = Seats::of(helpers, places);
            assert_eq!((Seats::helpers(word), Seats::room(word)), (helpers, places.saturating_sub(helpers)));
            let seats = Seats::default();
            seats.change(|_| Some(word));
            let join = |word| (Seats::room(word) > 0).then_some(word + 1);
            assert_eq!(seats.change(join), (places > helpers).then_some(places == helpers + 1));
        }
    }
}
