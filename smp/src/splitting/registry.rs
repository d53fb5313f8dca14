//! The registry: where a team finds its split points, and where its idle workers sleep.
//!
//! There is no lock that the whole team takes, except to sleep and to wake sleepers. Each worker owns a few points,
//! made when the search begins and used again and again, and a word ([`Card`]) that says at which plies the open
//! ones are. A worker that wants work reads all cards, chooses the point nearest the root, and reserves a place by
//! compare-and-swap on the point's own word ([`Seats`]). A place also keeps the point from being used for another
//! node: its owner takes it again only when it has no helper. So what a worker finds at a point after it has its
//! place is true, however old the card was that led it there.

use super::announced::Announced;
use super::point::{Seats, SplitPoint};
use super::{Conditions, Split};
use crate::pace::{Held, Pace};
use crate::schemes::marks::Marks;
use crate::simulation::coherence::{Access, Class, LINE_BYTES, Place};
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::{Condvar, Mutex};
use crossbeam::utils::CachePadded;
use engine::node::{Best, Node, NodeKind};
use engine::picker::Picker;
use engine::worker::Worker;
use std::sync::Arc;

/// Points that each worker owns: some may be open one below the other, others may still have helpers that have not
/// seen yet that they are done.
pub(super) const OWNED: usize = 8;

/// At which plies a worker's points are open: a byte for each point, its ply plus 1, or 0.
#[derive(Default)]
struct Card(Announced);

impl Card {
    const fn byte(slot: usize) -> u32 {
        8 * (slot as u32)
    }
}

/// Where a team finds its split points and its idle workers sleep.
pub struct Registry {
    /// The team's number among the teams of the search.
    number: usize,
    /// How many members the team has, the leader among them.
    pub(super) members: usize,
    points: Box<[SplitPoint]>,
    cards: Box<[CachePadded<Card>]>,
    /// The lock of sleepers. Its value: is the search over?
    pub(super) sleep: CachePadded<Mutex<bool>>,
    /// Signals to workers without a point that one has opened or the search is over.
    pub(super) work: Condvar,
    /// Signals to workers that wait at a point that a helper has left, a move has been re-searched, or a point
    /// has opened that may lie below theirs.
    pub(super) helpers: Condvar,
    /// Workers that sleep without a point and have not been woken since.
    pub(super) asleep: CachePadded<Announced>,
    /// Workers that read ahead. A hint: only the decision to split depends on it.
    pub(super) reading: CachePadded<Announced>,
    /// Points opened so far: a worker that reads ahead and has seen so many has seen them all.
    pub(super) opened: CachePadded<Announced>,
    /// Marks of what is read ahead, if more than one worker can.
    pub(super) marks: Option<Arc<Marks>>,
}

impl Registry {
    /// The registry of a team of so many members, the leader among them. Of several teams it is that of the one with
    /// this number, and there are so many members in those before it.
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

    /// Takes the lock of sleepers. Its value is `true` once the search is over.
    pub(super) fn lock<P: Pace>(&self, pace: &P) -> Held<'_, bool, P> {
        Held::of(&self.sleep, pace, Place { lines: 1, ..self.place(&self.sleep) })
    }

    /// The search is over: wakes every worker that waits.
    pub fn close<P: Pace>(&self, pace: &P) {
        {
            let mut over = self.lock(pace);
            *over = true;
            self.asleep.keep(0);
        }
        pace.notify_all(&self.work);
        // If the worker that had a turn has panicked, another may still wait for it.
        pace.notify_all(&self.helpers);
    }

    /// Wakes the workers that wait at points. They announce that they wait before they last look.
    pub(super) fn wake_waiting<P: Pace>(&self, pace: &P) {
        let _lock = self.lock(pace);
        pace.notify_all(&self.helpers);
    }

    /// A worker is about to sleep because there is no point. Called under the lock of sleepers.
    pub(super) fn note_asleep<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Update, self.place(&*self.asleep));
        self.asleep.increment();
    }

    /// It has found a point instead.
    pub(super) fn note_awake<P: Pace>(&self, pace: &P) {
        pace.touch(Access::Update, self.place(&*self.asleep));
        self.asleep.decrement();
    }

    /// The point above this one.
    pub(super) fn above(&self, point: &SplitPoint) -> Option<&SplitPoint> {
        self.points.get(point.flags.above.load(Relaxed).wrapping_sub(1))
    }

    /// Should work at a point abort, by its own flag or one above? Once in a while this misses one above, which is
    /// being used again just now; the point's result does not rest on it (`State::is_known`).
    pub(super) fn is_cut<P: Pace>(&self, point: &SplitPoint, pace: &P) -> bool {
        point.is_cut_here(pace) || self.above(point).is_some_and(|above| self.is_cut(above, pace))
    }

    fn is_below<P: Pace>(&self, point: &SplitPoint, ancestor: &SplitPoint, pace: &P) -> bool {
        pace.touch(Access::Read, point.place(&point.flags.above));
        self.above(point)
            .is_some_and(|above| above.index == ancestor.index || self.is_below(above, ancestor, pace))
    }

    /// Once no move is left to draw: has every drawn move a score, or is the point cut off? Helpers may still be
    /// about to leave.
    pub(super) fn is_done<P: Pace>(&self, point: &SplitPoint, pace: &P) -> bool {
        point.helpers(pace) == 0 || self.is_cut(point, pace) || point.lock(pace).in_flight.is_empty()
    }

    /// Makes one of the worker's own points that of a node and opens it. `None`: all of them are in use, or no move is
    /// left.
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
        let left = point.renew(worker, node, best, rest);
        if left == 0 {
            return None;
        }
        let places = C::most_helpers(left).min(self.members) as u64;
        point.change_seats(&scheme.pace, |_| Some(Seats::of(0, places)));
        let byte = Card::byte(point.index % OWNED);
        let entry = (node.ply as u64 + 1) << byte;
        scheme.pace.touch(Access::Update, self.card_place(scheme.member));
        // A helper that took the last place in the point's previous use may have left an entry.
        self.cards[scheme.member].0.change(|card| Some(card & !(0xff << byte) | entry));
        Some(point)
    }

    /// Lets all that might join know that a point has opened: sleepers, workers that read ahead, and those that
    /// wait at points above.
    pub(super) fn announce<P: Pace>(&self, point: &SplitPoint, pace: &P) {
        pace.touch(Access::Update, self.place(&*self.opened));
        self.opened.increment();
        pace.touch(Access::Read, self.place(&*self.asleep));
        if self.asleep.get() > 0 {
            let _lock = self.lock(pace);
            pace.touch(Access::Write, self.place(&*self.asleep));
            self.asleep.keep(0);
            pace.notify_all(&self.work);
        }
        let mut above = self.above(point);
        let mut waited_for = false;
        while let Some(point) = above {
            if point.has_waiting(pace) {
                point.advance_epoch(pace);
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
        let member = point.owner();
        pace.touch(Access::Update, self.card_place(member));
        self.cards[member].0.keep(!(0xff << Card::byte(point.index % OWNED)));
    }

    /// Lets no more helpers into a point than these.
    pub(super) fn narrow<P: Pace>(&self, point: &SplitPoint, places: usize, pace: &P) {
        let places = places.min(self.members) as u64;
        // Most moves leave them as they are, and a write would take the line from its readers.
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
            let card = card.0.get();
            let slots = 0..if card == 0 { 0 } else { OWNED };
            slots
                .map(move |slot| (card >> Card::byte(slot) & 0xff, member * OWNED + slot))
                .filter(|offer| offer.0 > 0)
        })
    }

    /// Of the points with room, below `master` if one is given, the offer nearest the root after those tried
    /// already.
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

    /// Is there a point with room?
    pub(super) fn has_room<P: Pace>(&self, pace: &P) -> bool {
        self.nearest((0, 0), None, pace).is_some()
    }

    /// Reserves a place at the open point nearest the root that has room, below `master` if one is given.
    pub(super) fn reserve<P: Pace>(&self, master: Option<&SplitPoint>, pace: &P) -> Option<&SplitPoint> {
        let mut tried = (0, 0);
        loop {
            tried = self.nearest(tried, master, pace)?;
            let point = &self.points[tried.1];
            match point.change_seats(pace, |word| (Seats::room(word) > 0).then_some(word + 1)) {
                // The point may have become that of another node before there was a place in it. It keeps its
                // entry, since the place is free again.
                Some(_) if master.is_some_and(|master| !self.is_below(point, master, pace)) => {
                    self.leave(point, pace);
                }
                Some(is_last) => {
                    if is_last {
                        self.strike_out(point, pace);
                    }
                    return Some(point);
                }
                None => {}
            }
        }
    }

    /// Gives a place at a point back.
    pub(super) fn leave<P: Pace>(&self, point: &SplitPoint, pace: &P) {
        point.change_seats(pace, |word| Some(word - 1));
        // A worker that waits for this has announced it before it last looked who is there.
        if point.has_waiting(pace) {
            self.wake_waiting(pace);
        }
    }
}

#[cfg(test)]
impl Registry {
    /// The registry of the only team there is.
    pub(super) fn of<C: Conditions>(members: usize) -> Self {
        Self::numbered::<C>(members, 0, 0)
    }
}

/// What the models look at, and what they do wrongly on purpose.
#[cfg(all(test, feature = "shuttle"))]
impl Registry {
    pub(super) fn points(&self) -> &[SplitPoint] {
        &self.points
    }

    /// Is there no point with room by the cards?
    pub(super) fn is_empty(&self) -> bool {
        self.cards.iter().all(|card| card.0.get() == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use crate::pace::tests::Scripted;
    use crate::pool::iteration_sync::IterationSync;
    use crate::schemes::ybw::Ybw;
    use std::collections::HashSet;

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

    /// Three teams of two, three and three members. Nor are the marks of two teams.
    #[test]
    fn no_two_points_of_a_search_are_one_object() {
        let teams = [(2, 0, 0), (3, 1, 2), (3, 2, 5)]
            .map(|(members, number, before)| Registry::numbered::<Ybw>(members, number, before));
        let points = teams.iter().flat_map(|team| team.points.iter());
        let objects: HashSet<usize> = points.map(|point| point.place(&point.flags).object).collect();
        assert_eq!(objects.len(), (2 + 3 + 3) * OWNED);
        let marks = teams.iter().filter_map(|team| team.marks.as_ref());
        let objects: HashSet<usize> = marks.map(|marks| marks.place(1).object).collect();
        assert_eq!(objects.len(), 2);
    }

    /// The leader does not read ahead: a team of two has one reader, which has no other to keep out of the way of.
    #[test]
    fn teams_with_several_readers_have_marks() {
        let has_marks = |members| Registry::of::<Ybw>(members).marks.is_some();
        assert_eq!([2, 3, 4].map(has_marks), [false, true, true]);
    }

    /// Two points at plies 3 and 1, with room for one helper each.
    #[test]
    fn helpers_join_the_point_nearest_the_root() {
        let registry = Registry::of::<Ybw>(2);
        for (index, ply) in [(0, 3), (OWNED, 1)] {
            let point = &registry.points[index];
            point.change_seats(&Real, |_| Some(Seats::of(0, 1)));
            registry.cards[point.owner()].0.change(|_| Some(ply + 1));
        }
        let joined = [(); 3].map(|()| registry.reserve(None, &Real).map(|point| point.index));
        assert_eq!(joined, [Some(OWNED), Some(0), None]);
    }

    /// Its owner may use a point for another node after a master has found it below its own, and before there is a
    /// place in it.
    #[test]
    fn a_place_that_does_not_lie_below_any_more_is_given_back() {
        let registry = Registry::of::<Ybw>(2);
        chain(&registry, &[0, OWNED]);
        let [master, point] = [0, OWNED].map(|index| &registry.points[index]);
        point.change_seats(&Real, |_| Some(Seats::of(0, 1)));
        registry.cards[1].0.change(|_| Some(1));
        let used_elsewhere = |access: Access, place: Place| {
            if access == Access::Update && place == point.place(&point.seats.0) {
                point.flags.above.store(0, Relaxed);
            }
        };
        let pace = Scripted { before_touch: &used_elsewhere, while_waiting: &|_| {} };
        assert!(registry.reserve(Some(master), &pace).is_none());
        assert_eq!(point.helpers(&Real), 0);
        assert!(registry.has_room(&Real), "others may have it");
    }

    /// The one other member of a team of two wants one place, which is free at the point above or not.
    #[test]
    fn no_place_is_wanted_below_one_that_is_free() {
        let registry = Registry::of::<Ybw>(2);
        let mut member = Split::<Ybw, Real>::new(&registry, 0, IterationSync::new(&None), Real);
        assert!(member.wants_places(), "there is no point above");
        member.chain = Some(&registry.points[0]);
        for (places, wants) in [(0, true), (1, false)] {
            registry.points[0].change_seats(&Real, |_| Some(Seats::of(0, places)));
            assert_eq!(member.wants_places(), wants, "{places} free");
        }
    }
}
