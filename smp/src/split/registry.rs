//! Split points, and the registry in which a team finds them: what is shared, and how workers agree on it.
//! What they do with it is the affair of [`super`].
//!
//! There is no lock that all members of a team come to, except to sleep and to wake who sleeps. Each worker
//! owns a few points, made when the search begins and used again and again, and a word ([`Card`]) that says
//! at which plies the open ones among them are. A worker that wants work reads the cards of all, chooses the
//! point nearest the root, and reserves a place by compare-and-swap on the point's own word ([`Seats`]). A
//! place is also what keeps a point from being used for another node: its owner takes it again only when
//! nobody has one. So what a worker finds at a point after it has its place is true, however old the card was
//! that led it there.
//!
//! What different workers write lies on different cache lines. Those below a point read its flag at every
//! node, and nobody writes to that line but to cut off.

use super::{Conditions, Split};
use crate::coherence::{Access, Class, LINE_BYTES, Place};
use crate::marks::Marks;
use crate::pace::{Held, Pace};
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use crate::sync::{Condvar, Mutex, RwLock, RwLockReadGuard};
use chess::Move;
use crossbeam::utils::CachePadded;
use engine::node::{Best, Detached, Node, NodeKind};
use engine::picker::Picker;
use engine::root::RootMove;
use engine::worker::{Line, Path, Worker};
use std::sync::Arc;

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
    /// Its place among the points of the registry.
    index: usize,
    /// Which it is of all points of the search.
    number: usize,
    flags: CachePadded<Flags>,
    seats: CachePadded<Seats>,
    pub(super) waits: CachePadded<Waits>,
    body: CachePadded<RwLock<Option<Body>>>,
    state: CachePadded<Mutex<State>>,
}

/// What everyone below reads all the time.
#[derive(Default)]
struct Flags {
    /// Good enough, or past saving: the rest of the work here is void.
    cut: AtomicBool,
    /// The index of the point above, and 1; 0 if there is none.
    above: AtomicUsize,
    /// Does the node have a principal variation?
    lines: AtomicBool,
}

/// Who may come and who is there: in one word the workers other than the master (low half), and how many of
/// them there may be (high half). The latter falls as moves are drawn, at last to 0, and with the places
/// taken it never leaves more room than before.
#[derive(Default)]
struct Seats(AtomicU64);

impl Seats {
    const PLACES: u32 = 32;

    const fn of(helpers: u64, places: u64) -> u64 {
        helpers | places << Self::PLACES
    }

    const fn helpers(word: u64) -> u64 {
        word & ((1 << Self::PLACES) - 1)
    }

    const fn room(word: u64) -> u64 {
        (word >> Self::PLACES).saturating_sub(Self::helpers(word))
    }

    /// Changes the word. `true` if that took the last room.
    fn change(&self, change: impl Fn(u64) -> Option<u64>) -> Option<bool> {
        let old = self.0.fetch_update(SeqCst, SeqCst, &change).ok()?;
        let new = change(old).expect("it has just been possible");
        Some(Self::room(old) > 0 && Self::room(new) == 0)
    }
}

/// Those who wait at a point for others.
#[derive(Default)]
pub(super) struct Waits {
    /// How many of its workers wait for others of them and would help below: the master when no move is left
    /// to draw, and those whose moves are to be searched again.
    waiting: AtomicUsize,
    /// Counts what they want to know: points that open below, moves that have been searched again.
    news: AtomicUsize,
}

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
    /// Moves that have been drawn and have no score yet.
    pub(super) at_work: Vec<AtWork>,
    /// The number of the move that is being searched again with an open window.
    pub(super) again: Option<usize>,
    /// A move was given up though it was wanted: `best` is not the node's value.
    pub(super) lost: bool,
}

/// A move that a worker is searching.
#[derive(Clone, Copy)]
pub(super) struct AtWork {
    pub(super) mv: Move,
    /// Its number at the node, from 1.
    pub(super) number: usize,
}

impl SplitPoint {
    /// Lines of a point itself; after them those of its path are numbered.
    const LINES: usize = size_of::<Self>().div_ceil(LINE_BYTES);

    fn new(index: usize, number: usize) -> Self {
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
                at_work: Vec::new(),
                again: None,
                lost: false,
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

    /// The line of the moves that somebody is at.
    pub(super) fn at_work_place(&self) -> Place {
        Place::lines(Class::Point, self.number, Self::LINES, 1)
    }

    /// The lines of the moves left, of which the first is touched by every draw.
    pub(super) fn moves_place(&self, state: &State) -> Place {
        let whole = self.place(&state.moves);
        let lines = 2 + state.moves.rated().count() * size_of::<u64>() / LINE_BYTES;
        Place { lines: lines.min(whole.lines), ..whole }
    }

    /// Waits for the lock of what its workers share.
    #[inline(always)]
    pub(super) fn lock<P: Pace>(&self, pace: &P) -> Held<'_, State, P> {
        Held::of(&self.state, pace, Place { lines: 1, ..self.place(&self.state) })
    }

    /// What a helper must know; it stays as it is as long as this is held.
    pub(super) fn read<P: Pace>(&self, pace: &P) -> RwLockReadGuard<'_, Option<Body>> {
        pace.touch(Access::Update, Place { lines: 1, ..self.place(&self.body) });
        let body = self.body.read();
        if let Some(body) = &*body {
            pace.touch(Access::Read, self.place(&self.body));
            pace.touch(Access::Read, self.path_place(body));
        }
        body
    }

    /// Makes it the point of a node, which is not open yet, with the best so far and the rest of the moves.
    /// Nobody has a place here.
    fn renew<N: NodeKind, C: Conditions, P: Pace>(
        &self,
        worker: &Worker<'_, Split<'_, C, P>>,
        node: &Node<'_, N>,
        best: &Best,
        rest: &Picker,
    ) {
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
        pace.touch(Access::Write, self.moves_place(&state));
        pace.touch(Access::Write, self.place(&state.best));
        state.moves.copy_from(rest);
        state.best.clone_from(best);
        state.line.clear();
        if N::PV {
            state.line.clone_from(worker.line(node.ply));
        }
        state.root_moves.clear();
        state.at_work.clear();
        state.again = None;
        state.lost = false;
    }

    /// Which of its owner's points it is, as a bit.
    pub(super) fn bit(&self) -> u32 {
        1 << (self.index % OWNED)
    }

    /// Does its node have a principal variation?
    pub(super) fn has_lines(&self) -> bool {
        self.flags.lines.load(Relaxed)
    }

    /// Is the work here void, as far as the point itself says?
    #[inline(always)]
    pub(super) fn is_cut_here<P: Pace>(&self, pace: &P) -> bool {
        pace.touch(Access::Read, self.place(&self.flags.cut));
        self.flags.cut.load(Relaxed)
    }

    /// The rest of the work here is void.
    pub(super) fn cut_off<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Write, self.place(&self.flags.cut));
        self.flags.cut.store(true, Relaxed);
    }

    /// Workers other than the master.
    pub(super) fn helpers<P: Pace>(&self, pace: &P) -> u64 {
        Seats::helpers(self.seats(pace))
    }

    /// Places that nobody has taken. They never become more: moves are only drawn, and no helper leaves as
    /// long as there is one left to draw, unless the point is cut off.
    pub(super) fn room<P: Pace>(&self, pace: &P) -> u64 {
        Seats::room(self.seats(pace))
    }

    fn seats<P: Pace>(&self, pace: &P) -> u64 {
        pace.touch(Access::Read, self.place(&self.seats.0));
        self.seats.0.load(SeqCst)
    }

    /// Changes who may come and who is there. `true` if that took the last room.
    fn change_seats<P: Pace>(&self, pace: &P, change: impl Fn(u64) -> Option<u64>) -> Option<bool> {
        pace.touch(Access::Update, self.place(&self.seats.0));
        self.seats.change(change)
    }

    /// News of this point: what came before a look at it was known by then.
    pub(super) fn news<P: Pace>(&self, pace: &P) -> usize {
        pace.touch(Access::Read, self.place(&self.waits.news));
        self.waits.news.load(SeqCst)
    }

    /// Counts something that those who wait want to know.
    pub(super) fn add_news<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Update, self.place(&self.waits.news));
        self.waits.news.fetch_add(1, SeqCst);
    }

    /// Does a worker wait here for others?
    #[inline]
    pub(super) fn has_waiting<P: Pace>(&self, pace: &P) -> bool {
        pace.touch(Access::Read, self.place(&self.waits.waiting));
        self.waits.waiting.load(SeqCst) > 0
    }

    /// A worker waits here for others from now on, or no longer.
    pub(super) fn note_waiting<P: Pace>(&self, waits: bool, pace: &P) {
        pace.touch(Access::Update, self.place(&self.waits.waiting));
        if waits {
            self.waits.waiting.fetch_add(1, SeqCst);
        } else {
            self.waits.waiting.fetch_sub(1, SeqCst);
        }
    }
}

/// Points that each worker owns: as many as may be open one below the other, or still have helpers that have
/// not seen yet that they are over.
pub(super) const OWNED: usize = 8;

/// At which plies a worker's points are open: a byte for each, the ply and 1, or 0.
#[derive(Default)]
struct Card(AtomicU64);

impl Card {
    const fn byte(slot: usize) -> u32 {
        8 * (slot as u32)
    }
}

/// Where a team finds its split points and its idle workers sleep.
pub struct Registry {
    /// Which of several teams it is.
    number: usize,
    /// How many members the team has, the leader among them.
    pub(super) members: usize,
    points: Box<[SplitPoint]>,
    cards: Box<[CachePadded<Card>]>,
    /// For those who sleep: is the search over?
    pub(super) sleep: CachePadded<Mutex<bool>>,
    /// For workers without a point: one has opened, or the search is over.
    pub(super) work: Condvar,
    /// For those who wait at a point for others: one has left or has searched a move again, or a point has
    /// opened that may lie below theirs.
    pub(super) helpers: Condvar,
    /// Workers asleep without a point that nobody has called since.
    pub(super) asleep: CachePadded<AtomicUsize>,
    /// Workers that read ahead. A hint, on which the decision to split depends and nothing else.
    pub(super) reading: CachePadded<AtomicUsize>,
    /// Points opened so far, for those who read ahead: a worker that has seen so many has seen them all.
    pub(super) opened: CachePadded<AtomicUsize>,
    /// What those who read ahead are at, if there can be more than one of them.
    pub(super) marks: Option<Arc<Marks>>,
}

impl Registry {
    /// That of a team of so many members, the leader among them.
    pub(crate) fn of<C: Conditions>(members: usize) -> Self {
        Self::numbered::<C>(members, 0, 0)
    }

    /// The same for one of several teams, with so many members in those before it.
    pub(crate) fn numbered<C: Conditions>(members: usize, number: usize, before: usize) -> Self {
        Registry {
            number,
            members,
            points: (0..members * OWNED)
                .map(|index| SplitPoint::new(index, before * OWNED + index))
                .collect(),
            cards: (0..members).map(|_| CachePadded::default()).collect(),
            sleep: CachePadded::default(),
            work: Condvar::new(),
            helpers: Condvar::new(),
            asleep: CachePadded::default(),
            reading: CachePadded::default(),
            opened: CachePadded::default(),
            marks: (C::READS_AHEAD && members > 2).then(|| Marks::numbered(number).into()),
        }
    }

    /// The lines of one of its parts.
    #[inline(always)]
    pub(super) fn place<T>(&self, part: &T) -> Place {
        Place::of(Class::Registry, self.number, self, part)
    }

    fn card_place(&self, member: usize) -> Place {
        let begin = size_of::<Self>().div_ceil(LINE_BYTES);
        Place::lines(Class::Registry, self.number, begin + member, 1)
    }

    /// Waits for the lock of those who sleep. `true` under it: the search is over.
    pub(super) fn lock<P: Pace>(&self, pace: &P) -> Held<'_, bool, P> {
        Held::of(&self.sleep, pace, Place { lines: 1, ..self.place(&self.sleep) })
    }

    /// The search is over: everyone who waits goes home.
    pub fn close<P: Pace>(&self, pace: &P) {
        {
            let mut over = self.lock(pace);
            *over = true;
            self.asleep.store(0, SeqCst);
        }
        pace.notify_all(&self.work);
        // A worker whose turn another had may be left, if that one has panicked.
        pace.notify_all(&self.helpers);
    }

    /// Wakes those who wait at points for others. They have said so before they last looked.
    pub(super) fn wake_waiting<P: Pace>(&self, pace: &P) {
        let _lock = self.lock(pace);
        pace.notify_all(&self.helpers);
    }

    /// A worker is about to sleep for want of a point. Under the lock of those who sleep.
    pub(super) fn note_asleep<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Update, self.place(&*self.asleep));
        self.asleep.fetch_add(1, SeqCst);
    }

    /// It has found one instead.
    pub(super) fn note_awake<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Update, self.place(&*self.asleep));
        self.asleep.fetch_sub(1, SeqCst);
    }

    /// The point above this one.
    pub(super) fn above(&self, point: &SplitPoint) -> Option<&SplitPoint> {
        self.points.get(point.flags.above.load(Relaxed).wrapping_sub(1))
    }

    /// Is the work at a point void, as far as it or one above says?
    pub(super) fn is_cut<P: Pace>(&self, point: &SplitPoint, pace: &P) -> bool {
        point.is_cut_here(pace) || self.above(point).is_some_and(|above| self.is_cut(above, pace))
    }

    fn is_below<P: Pace>(&self, point: &SplitPoint, ancestor: &SplitPoint, pace: &P) -> bool {
        pace.touch(Access::Read, point.place(&point.flags.above));
        self.above(point)
            .is_some_and(|above| above.index == ancestor.index || self.is_below(above, ancestor, pace))
    }

    /// Once no move is left to draw: has every one that was drawn a score, or is none wanted any more?
    /// Helpers may still be about to leave.
    pub(super) fn is_done<P: Pace>(&self, point: &SplitPoint, pace: &P) -> bool {
        point.helpers(pace) == 0 || self.is_cut(point, pace) || point.lock(pace).at_work.is_empty()
    }

    /// Makes one of a member's points that of a node and opens it to all. `None`: each of its points is in
    /// use.
    pub(super) fn open<N: NodeKind, C: Conditions, P: Pace>(
        &self,
        worker: &Worker<'_, Split<'_, C, P>>,
        node: &Node<'_, N>,
        best: &Best,
        rest: &Picker,
    ) -> Option<&SplitPoint> {
        let scheme = &worker.scheme;
        let own = scheme.member * OWNED..(scheme.member + 1) * OWNED;
        let free = |point: &&SplitPoint| scheme.open & point.bit() == 0 && point.helpers(&scheme.pace) == 0;
        let point = self.points[own].iter().find(free)?;
        point.renew(worker, node, best, rest);
        let places = C::most_helpers(rest.most_left()).min(self.members) as u64;
        point.change_seats(&scheme.pace, |_| Some(Seats::of(0, places)));
        let entry = (node.ply as u64 + 1) << Card::byte(point.index % OWNED);
        scheme.pace.touch(Access::Update, self.card_place(scheme.member));
        self.cards[scheme.member].0.fetch_or(entry, SeqCst);
        Some(point)
    }

    /// Lets all know that a point has opened who might come: those who sleep, those who read ahead, and those
    /// who wait above.
    pub(super) fn announce<P: Pace>(&self, point: &SplitPoint, pace: &P) {
        pace.touch(Access::Update, self.place(&*self.opened));
        self.opened.fetch_add(1, SeqCst);
        pace.touch(Access::Read, self.place(&*self.asleep));
        if self.asleep.load(SeqCst) > 0 {
            let _lock = self.lock(pace);
            pace.touch(Access::Write, self.place(&*self.asleep));
            self.asleep.store(0, SeqCst);
            pace.notify_all(&self.work);
        }
        let mut above = self.above(point);
        let mut waited_for = false;
        while let Some(point) = above {
            if point.has_waiting(pace) {
                point.add_news(pace);
                waited_for = true;
            }
            above = self.above(point);
        }
        if waited_for {
            self.wake_waiting(pace);
        }
    }

    /// A point has no room any more.
    fn strike_out<P: Pace>(&self, point: &SplitPoint, pace: &P) {
        let member = point.index / OWNED;
        pace.touch(Access::Update, self.card_place(member));
        self.cards[member].0.fetch_and(!(0xff << Card::byte(point.index % OWNED)), SeqCst);
    }

    /// Lets no more helpers into a point than these.
    pub(super) fn narrow<P: Pace>(&self, point: &SplitPoint, places: usize, pace: &P) {
        let places = places.min(self.members) as u64;
        // Most moves leave them as they are, and a write would take the line from those who read there.
        if point.seats(pace) >> Seats::PLACES <= places {
            return;
        }
        let narrower =
            |word| (word >> Seats::PLACES > places).then(|| Seats::of(Seats::helpers(word), places));
        if point.change_seats(pace, narrower) == Some(true) {
            self.strike_out(point, pace);
        }
    }

    /// The points that have room by the cards, as plies and indices.
    fn offers<P: Pace>(&self, pace: &P) -> impl Iterator<Item = (u64, usize)> {
        pace.touch(Access::Read, Place { lines: self.members, ..self.card_place(0) });
        self.cards.iter().enumerate().flat_map(|(member, card)| {
            let card = card.0.load(SeqCst);
            let slots = 0..if card == 0 { 0 } else { OWNED };
            slots
                .map(move |slot| (card >> Card::byte(slot) & 0xff, member * OWNED + slot))
                .filter(|offer| offer.0 > 0)
        })
    }

    /// Of the points that could use another worker, below `master` if one is given, the one nearest the root
    /// after those tried already; it comes as it is offered.
    fn nearest<P: Pace>(
        &self,
        tried: (u64, usize),
        master: Option<&SplitPoint>,
        pace: &P,
    ) -> Option<(u64, usize)> {
        let mut tried = tried;
        loop {
            tried = self.offers(pace).filter(|&offer| offer > tried).min()?;
            let point = &self.points[tried.1];
            let useful = master.is_none_or(|master| self.is_below(point, master, pace));
            if useful && point.room(pace) > 0 && !self.is_cut(point, pace) {
                return Some(tried);
            }
        }
    }

    /// Is there a point that could use another worker?
    pub(super) fn has_room<P: Pace>(&self, pace: &P) -> bool {
        self.nearest((0, 0), None, pace).is_some()
    }

    /// The open point nearest the root that could use another worker, below `master` if one is given.
    /// Reserves a place.
    pub(super) fn reserve<P: Pace>(&self, master: Option<&SplitPoint>, pace: &P) -> Option<&SplitPoint> {
        let mut tried = (0, 0);
        loop {
            tried = self.nearest(tried, master, pace)?;
            let point = &self.points[tried.1];
            let taken = point.change_seats(pace, |word| (Seats::room(word) > 0).then_some(word + 1));
            if taken == Some(true) {
                self.strike_out(point, pace);
            }
            match taken {
                // The point may have become that of another node before there was a place in it.
                Some(_) if master.is_some_and(|master| !self.is_below(point, master, pace)) => {
                    self.leave(point, pace);
                }
                Some(_) => return Some(point),
                None => {}
            }
        }
    }

    /// Gives a place at a point back.
    pub(super) fn leave<P: Pace>(&self, point: &SplitPoint, pace: &P) {
        point.change_seats(pace, |word| Some(word - 1));
        // A worker that waits for this has said so before it last looked who is there.
        if point.has_waiting(pace) {
            self.wake_waiting(pace);
        }
    }
}

/// What tests may look at, and what they do wrongly on purpose.
#[cfg(all(test, feature = "shuttle"))]
impl Registry {
    pub(super) fn points(&self) -> &[SplitPoint] {
        &self.points
    }

    /// Is there no point with room by the cards?
    pub(super) fn is_empty(&self) -> bool {
        self.cards.iter().all(|card| card.0.load(SeqCst) == 0)
    }
}

#[cfg(all(test, feature = "shuttle"))]
impl SplitPoint {
    /// Takes a place though there may be none left.
    pub(super) fn take_place_unasked(&self) {
        self.seats.0.fetch_add(1, SeqCst);
    }

    /// Gives a place back and tells nobody.
    pub(super) fn leave_silently(&self) {
        self.seats.0.fetch_sub(1, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use crate::ybw::Ybw;

    /// Points one below the other, as members of a team open them.
    fn chain(registry: &Registry, indices: &[usize]) {
        for pair in indices.windows(2) {
            registry.points[pair[1]].flags.above.store(pair[0] + 1, Relaxed);
        }
    }

    #[test]
    fn a_cut_off_voids_everything_below_it_and_nothing_else() {
        let registry = Registry::of::<Ybw>(2);
        let [top, middle, one, other] = [0, 1, OWNED, OWNED + 1];
        chain(&registry, &[top, middle, one]);
        chain(&registry, &[top, other]);
        let cut = |index: usize| registry.is_cut(&registry.points[index], &Real);
        registry.points[middle].cut_off(&Real);
        assert!(cut(middle) && cut(one) && !cut(top) && !cut(other));
        registry.points[top].cut_off(&Real);
        assert!([top, middle, one, other].into_iter().all(cut));
    }

    /// Every state of a small point: no change makes more room, and the last room is reported as taken once.
    #[test]
    fn room_never_comes_back_as_long_as_moves_are_left() {
        for (helpers, places) in (0..4).flat_map(|helpers| (0..4).map(move |places| (helpers, places))) {
            let word = Seats::of(helpers, places);
            assert_eq!((Seats::helpers(word), Seats::room(word)), (helpers, places.saturating_sub(helpers)));
            let seats = Seats(AtomicU64::new(word));
            let join = |word| (Seats::room(word) > 0).then_some(word + 1);
            assert_eq!(seats.change(join), (places > helpers).then_some(places == helpers + 1));
        }
    }
}
