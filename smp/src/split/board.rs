//! Split points, and the board on which a team finds them: what is shared, under which lock. Who does what with it is
//! told in [`super`].

use super::{Conditions, Split};
use crate::marks::Marks;
use crate::pace::Pace;
use crate::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use crate::sync::{Condvar, Mutex};
use chess::{Move, Position};
use crossbeam::utils::CachePadded;
use engine::node::{Best, Detached, Node, NodeKind, Root, Window};
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

/// A node whose younger brothers may be searched by anyone.
pub(super) struct SplitPoint {
    pub(super) node: Detached,
    pub(super) kind: Kind,
    pub(super) path: Path,
    pub(super) parent: Option<Arc<SplitPoint>>,
    /// Good enough, or past saving: the rest of the work here is void.
    pub(super) cut: AtomicBool,
    /// How many of its workers wait for others of them and would help below: the master when no move is left to draw, and
    /// those whose moves are to be searched again.
    pub(super) waiting: AtomicUsize,
    /// Counts what those who wait want to know: points that open below, moves that have been searched again.
    pub(super) news: AtomicUsize,
    /// Workers other than the master; they come under the board's lock only.
    pub(super) helpers: AtomicUsize,
    /// No more are let in when there are as many as this; it falls as moves are drawn, at last to 0.
    pub(super) places: AtomicUsize,
    /// Is it on the board? Changed under the board's lock only.
    pub(super) offered: AtomicBool,
    /// Apart from what everyone below reads all the time: each move that is drawn writes here.
    pub(super) state: CachePadded<Mutex<State>>,
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

/// A move that somebody is at.
#[derive(Clone, Copy)]
pub(super) struct AtWork {
    pub(super) mv: Move,
    /// Its number at the node, from 1.
    pub(super) number: usize,
}

impl SplitPoint {
    /// One with room for everything, to be filled by [`Self::renew`].
    pub(super) fn blank() -> Self {
        SplitPoint {
            node: Node::<Root>::new(&Position::startpos(), Window::FULL, 0, 0, false).detach(),
            kind: Kind::Root,
            path: Path::default(),
            parent: None,
            cut: AtomicBool::default(),
            waiting: AtomicUsize::default(),
            news: AtomicUsize::default(),
            helpers: AtomicUsize::default(),
            places: AtomicUsize::default(),
            offered: AtomicBool::default(),
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

    /// Makes it the point of a node that nobody else knows yet, with the best so far and the rest of the moves.
    pub(super) fn renew<N: NodeKind, C: Conditions, P: Pace>(
        &mut self,
        worker: &Worker<'_, Split<C, P>>,
        node: &Node<'_, N>,
        best: &Best,
        rest: &Picker,
    ) {
        self.node = node.detach();
        self.kind = Kind::of::<N>();
        worker.write_path(node.ply, &mut self.path);
        self.parent.clone_from(&worker.brothers.chain);
        self.cut.store(false, Relaxed);
        self.waiting.store(0, Relaxed);
        self.helpers.store(0, Relaxed);
        self.places.store(C::most_helpers(rest.most_left()), Relaxed);
        let mut state = self.state.lock();
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

    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cut())
    }

    /// Once no move is left to draw: has every one that was drawn a score, or is none wanted any more? Helpers may still be
    /// about to leave.
    pub(super) fn is_done(&self) -> bool {
        self.helpers.load(Relaxed) == 0 || self.is_cut() || self.state.lock().at_work.is_empty()
    }

    /// Lets those who wait at the points above know that this one has opened.
    pub(super) fn tell_waiting(&self) {
        let mut above = self.parent.as_ref();
        while let Some(point) = above {
            if point.waiting.load(Relaxed) > 0 {
                point.news.fetch_add(1, Relaxed);
            }
            above = point.parent.as_ref();
        }
    }

    fn is_below(&self, ancestor: &SplitPoint) -> bool {
        self.parent
            .as_ref()
            .is_some_and(|parent| std::ptr::eq(&**parent, ancestor) || parent.is_below(ancestor))
    }

    /// Is it off the board, and nothing more to be had here? Asked without the board's lock: whoever sees that the point is
    /// off the board sees all the helpers that it took on there.
    pub(super) fn is_over(&self) -> bool {
        !self.offered.load(Acquire) && self.is_done()
    }

    /// Lets in no more helpers than these.
    pub(super) fn narrow(&self, places: usize) {
        // Most moves leave them as they are, and a write would take the line from those who read here.
        if self.places.load(Relaxed) != places {
            self.places.store(places, Relaxed);
        }
    }

    /// Places that nobody has taken. They never become more: moves are only drawn, and no helper leaves as long as there is
    /// one left to draw, unless the point is cut off.
    pub(super) fn room(&self) -> usize {
        self.places.load(Relaxed).saturating_sub(self.helpers.load(Relaxed))
    }
}

/// Where a team offers its split points and its idle workers wait.
///
/// The lock is the one that all members of a team come to, so that little happens under it, and what they look at before
/// they come lies on cache lines of its own.
#[derive(Default)]
pub struct Board {
    /// How many the team has, the leader among them.
    pub(super) members: usize,
    pub(super) notices: CachePadded<Mutex<Notices>>,
    /// For workers without a point: one has opened, or the board closes.
    pub(super) work: Condvar,
    /// For those who wait at a point for others: one has left or has searched a move again, or a point has opened that may lie
    /// below theirs.
    pub(super) helpers: Condvar,
    /// Workers asleep without a point whom nobody has called since; changed under the board's lock only. A hint, on
    /// which the decision to split depends and nothing else.
    pub(super) asleep: CachePadded<AtomicUsize>,
    /// Workers that read ahead. A hint like the one above.
    pub(super) reading: CachePadded<AtomicUsize>,
    /// Points opened so far, for those who read ahead: whoever has seen so many has seen them all.
    pub(super) opened: CachePadded<AtomicUsize>,
    /// How many points are on the board; changed under its lock only.
    pub(super) on_offer: CachePadded<AtomicUsize>,
    /// What those who read ahead are at, if there can be more than one of them.
    pub(super) marks: Option<Arc<Marks>>,
}

#[derive(Default)]
pub(super) struct Notices {
    /// The points that had room when last looked at, in the order in which they were opened.
    pub(super) open: Vec<Offer>,
    pub(super) closed: bool,
}

/// A point on the board.
pub(super) struct Offer {
    /// The point's, so that to look for the one nearest the root does not fetch all of them from others' caches.
    ply: usize,
    pub(super) point: Arc<SplitPoint>,
}

impl Board {
    /// The board of a team of so many members, the leader among them.
    pub(crate) fn of<C: Conditions>(members: usize) -> Self {
        let marks = (C::READS_AHEAD && members > 2).then(Arc::default);
        Board { members, marks, ..Board::default() }
    }

    /// The search is over: everyone waiting goes home.
    pub fn close<P: Pace>(&self, pace: &P) {
        self.call(pace, |notices| notices.closed = true);
        // Somebody whose turn another had may be left, if that one has panicked.
        pace.notify_all(&self.helpers);
    }

    /// Changes the notices and calls everyone without a point.
    pub(super) fn call<P: Pace>(&self, pace: &P, change: impl FnOnce(&mut Notices)) {
        {
            let mut notices = self.notices.lock();
            change(&mut notices);
            self.asleep.store(0, Relaxed);
        }
        pace.notify_all(&self.work);
    }

    /// Opens a point to all.
    pub(super) fn offer<P: Pace>(&self, pace: &P, point: &Arc<SplitPoint>) {
        self.call(pace, |notices| {
            point.offered.store(true, Relaxed);
            notices.open.push(Offer { ply: point.node.ply, point: Arc::clone(point) });
            self.on_offer.store(notices.open.len(), Relaxed);
            self.opened.fetch_add(1, Release);
        });
    }

    /// Takes a point off the board.
    fn withdraw(&self, notices: &mut Notices, index: usize) {
        let Offer { point, .. } = notices.open.remove(index);
        self.on_offer.store(notices.open.len(), Relaxed);
        point.offered.store(false, Release);
    }

    /// Closes a point: nobody joins it any more.
    pub(super) fn close_point(&self, notices: &mut Notices, point: &SplitPoint) {
        if let Some(index) = notices.open.iter().position(|offer| std::ptr::eq(&*offer.point, point)) {
            self.withdraw(notices, index);
        }
    }

    /// The open point nearest the root that could use another worker, below `master` if one is given. Books a place.
    ///
    /// Whatever it comes to that has no room left, or none but this place, is taken off the board: there will be no more.
    pub(super) fn book(&self, notices: &mut Notices, master: Option<&SplitPoint>) -> Option<Arc<SplitPoint>> {
        loop {
            let offers = notices.open.iter().enumerate();
            let usable = offers.filter(|(_, offer)| master.is_none_or(|master| offer.point.is_below(master)));
            let (index, Offer { point, .. }) = usable.min_by_key(|(_, offer)| offer.ply)?;
            let room = if point.is_cut() { 0 } else { point.room() };
            let point = Arc::clone(point);
            if room > 0 {
                point.helpers.fetch_add(1, Relaxed);
            }
            if room <= 1 {
                self.withdraw(notices, index);
            }
            if room > 0 {
                return Some(point);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(parent: Option<&Arc<SplitPoint>>) -> Arc<SplitPoint> {
        Arc::new(SplitPoint { parent: parent.map(Arc::clone), ..SplitPoint::blank() })
    }

    #[test]
    fn a_cut_off_voids_everything_below_it_and_nothing_else() {
        let top = below(None);
        let middle = below(Some(&top));
        let [one, other] = [below(Some(&middle)), below(Some(&top))];
        middle.cut.store(true, Relaxed);
        assert!(middle.is_cut() && one.is_cut());
        assert!(!top.is_cut() && !other.is_cut());
        top.cut.store(true, Relaxed);
        assert!([top, middle, one, other].iter().all(|point| point.is_cut()));
    }
}
