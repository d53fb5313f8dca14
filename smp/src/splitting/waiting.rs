//! What a worker does that has no move to draw: the idle policy.
//!
//! * **Helpful master.** The worker that opened a point and has no move left to draw waits for those that its
//!   helpers search. Meanwhile it may help below its own point, never elsewhere, so that it is back as soon as
//!   they are done. It does not wait for the helpers to be gone, nor for anything once the point is cut off: to
//!   sleep and to be woken takes longer than they need to leave (bench/runs/2026-11-25-sleepless).
//! * **Reading along.** If there is nothing to help at below, and the conditions have it read along, such a
//!   master searches a move that a helper is at, too, then the others, then once more a ply deeper, and so on. The
//!   two meet in the transposition table, as the threads of Lazy SMP do (bench/runs/2026-11-24-reading-along,
//!   2026-11-25-sleepless).
//! * **Taking turns.** When several moves of a PV node come out above alpha, some conditions have the first of
//!   them re-searched with an open window while the others wait, help below or read along. Its value will most
//!   likely be an alpha that they do not exceed. Without turns a quarter of such searches began beside another,
//!   most of them for nothing, and they are the largest there are (bench/runs/2026-11-25-one-at-a-time). A
//!   worker that could only sleep meanwhile does not wait (bench/runs/2026-11-25-joins).
//! * **Reading ahead.** A worker without a point searches the root on its own and turns to a point as soon as
//!   one opens. What it found is in the table. Several such readers keep out of each other's way by marks, as in
//!   [ABDADA](crate::schemes::abdada): worth some 10 % of a short search with 16 threads
//!   (bench/runs/2026-11-23-fewer-helpers).

use super::point::{InFlight, SplitPoint, State};
use super::share::help;
use super::{Conditions, Role, Split};
use crate::pace::Pace;
use crate::simulation::coherence::Access;
use engine::Aborted;
use engine::Searched;
use engine::iterate::iterate;
use engine::node::{Node, NodeKind};
use engine::search::search_move;
use engine::worker::{Task, Worker};
use thinking::score::Score;

/// Lets no more helpers in and waits until all moves that have been drawn are done.
pub(super) fn await_helpers<N: NodeKind, C: Conditions, P: Pace>(
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
    // Helpers may be left that have not seen yet that a point above is cut off. Once this one is used for
    // another node they would look at other points above.
    if point.helpers(&pace) > 0 {
        point.cut_off(&pace);
    }
}

/// Waits at a point for the others that work there, and helps below it meanwhile or reads along, until it is
/// `over`. `own` is the number of the move that this worker is searching itself, if any.
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
        // Whatever happens after this advances the epoch.
        let before = point.epoch(&pace);
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
            // Under the lock, so that a worker that advances the epoch now finds this one asleep.
            if over(worker) {
                break;
            }
            if point.epoch(&pace) == before {
                worker.scheme.wait(worker.shared, &registry.helpers, &mut lock);
            }
        }
    }
    point.note_waiting(false, &pace);
}

/// Waits for the turn to re-search a move of a point with an open window, unless alpha is raised beyond its
/// `score` meanwhile. As long as another move has the turn, this one waits: most likely the other will raise
/// alpha.
#[cold]
#[inline(never)]
pub(super) fn take_turn<N: NodeKind, C: Conditions, P: Pace>(
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
    let aside = worker.save_state(node.ply + 1, true);
    let mut result = None;
    // It waits at the node, not at the move's child, which is the last of its path.
    worker.path.pop();
    await_others(worker, point, node, Some(number), |worker| {
        result = taken(&mut point.lock(&worker.scheme.pace));
        result.is_some() || worker.scheme.is_void() || worker.shared.stopped()
    });
    worker.restore_state(aside);
    result.ok_or(Aborted)
}

/// A move has been re-searched: lets those know that wait for their turn.
pub(super) fn pass_turn<C: Conditions, P: Pace>(scheme: &Split<'_, C, P>, point: &SplitPoint) {
    point.advance_epoch(&scheme.pace);
    if point.has_waiting(&scheme.pace) {
        scheme.registry.wake_waiting(&scheme.pace);
    }
}

/// Which move a worker that waits at a point can search along with a helper, and how many plies deeper: the one
/// that it has `read` to the end least often, and a move that is re-searched before others.
fn to_read_along<C: Conditions, P: Pace>(
    worker: &Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    own: Option<usize>,
    read: &[usize],
) -> Option<(InFlight, i32)> {
    if !C::READS_ALONG || worker.scheme.is_void() || worker.shared.stopped() {
        return None;
    }
    let pace = &worker.scheme.pace;
    let state = point.lock(pace);
    pace.touch(Access::Read, point.in_flight_place());
    let State { in_flight, again, .. } = &*state;
    let times = |number| read.iter().filter(|&&other| other == number).count() as i32;
    let others = in_flight.iter().filter(|in_flight| Some(in_flight.number) != own);
    let next = others.min_by_key(|in_flight| (times(in_flight.number), Some(in_flight.number) != *again))?;
    let deeper = times(next.number);
    (deeper <= C::READS_DEEPER).then_some((*next, deeper))
}

/// Searches a move that another worker is at, some plies deeper, for the transposition table, as long as the
/// point has helpers and stays in the epoch `before`.
///
/// # Errors
/// [`Aborted`] if it did not come to the end.
fn read_along<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
    InFlight { mv, number }: InFlight,
    deeper: i32,
    before: u64,
) -> Searched {
    let reached = point.lock(&worker.scheme.pace).best.reached();
    let detached = node.detach();
    let mut node = detached.attach::<N>();
    node.depth += deeper;
    worker.scheme.reads_along = Some(before);
    let score = search_move(worker, &node, reached, mv, number, |_, alpha, _| Ok(alpha));
    worker.scheme.reads_along = None;
    score
}

/// Leaves what this worker reads ahead, at `ply`, until no split point has room any more.
pub(super) fn turn_to_points<C: Conditions, P: Pace>(worker: &mut Worker<'_, Split<'_, C, P>>, ply: usize) {
    let registry = worker.scheme.registry;
    let pace = worker.scheme.pace.clone();
    while !worker.shared.stopped() {
        worker.scheme.seen = worker.scheme.reads(&registry.opened);
        let Some(point) = registry.reserve(None, &pace) else { break };
        let aside = worker.save_state(ply, point.has_lines());
        worker.scheme.role = Role::Helper;
        worker.scheme.note_reading(false);
        help(worker, point);
        worker.scheme.note_reading(true);
        worker.scheme.role = Role::Reader;
        worker.restore_state(aside);
    }
    worker.scheme.tally.refused += 1;
}

/// The life of every worker but the leader: joins split points until the search is over. Where the conditions
/// have it read ahead, its iterations are `stride` plies deeper than the deepest finished one, and it sleeps
/// only when none is left.
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
        // A point that opens from now on finds this worker asleep. One that has opened before stands on a card.
        if shared.stopped() || !registry.has_room(&pace) {
            worker.scheme.wait(shared, &registry.work, &mut lock);
        } else {
            registry.note_awake(&pace);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Real;
    use crate::pace::tests::Scripted;
    use crate::pool::accounts::Activity;
    use crate::schemes::rootsplit::RootSplit;
    use crate::schemes::ybw::Ybw;
    use crate::simulation::coherence::Place;
    use crate::splitting::point::Seats;
    use crate::splitting::share::tests::{Team, open_two};
    use crate::sync::{Condvar, MutexGuard};
    use chess::Position;
    use engine::node::{Best, NonPv, Pv, Root, Window};
    use engine::picker::Picker;
    use engine::worker::{Line, Memory};
    use std::cell::{Cell, RefCell};
    use std::sync::atomic::Ordering::Relaxed;
    use std::time::Duration;
    use thinking::report::Limits;

    /// The master opens a point at a node of which nothing has been searched.
    fn open<N: NodeKind>(master: &Worker<'_, Split<'_, RootSplit, Real>>, node: &Node<'_, N>) {
        let registry = master.scheme.registry;
        let rest = Picker::listed(node.position.legal_moves());
        let point = registry.open(master, node, &Best::new(node.window.alpha), &rest);
        registry.announce(point.expect("all its points are free"), &Real);
    }

    /// A point that opens when a helper has found none, and has not yet said that it falls asleep, gets its help. Then
    /// it sleeps for a second, and was idle for that long.
    #[test]
    fn no_helper_falls_asleep_beside_an_open_point() {
        let team = Team::new(Position::startpos(), Limits::default());
        let registry = &team.registry;
        let [mut of_master, mut own] = [(); 2].map(|()| Memory::default());
        let mut master = team.member(0, &mut of_master, Real);
        master.path.push(team.task.position.key());
        let node = Node::<Root>::new(&team.task.position, Window::FULL, 1, 0, false);
        let opened = Cell::new(false);
        let before_touch = |access: Access, place: Place| {
            let falls_asleep = access == Access::Update && place == registry.place(&*registry.asleep);
            if falls_asleep && !opened.replace(true) {
                open(&master, &node);
            }
        };
        let while_waiting = |_: &Condvar| {
            assert!(!registry.has_room(&Real), "it sleeps beside an open point");
            team.clock.fetch_add(1_000_000_000, Relaxed);
            registry.close(&Real);
        };
        let pace = Scripted { before_touch: &before_touch, while_waiting: &while_waiting };
        let mut helper = team.member(1, &mut own, pace);
        serve(&mut helper, &team.task, 1);
        assert_eq!((helper.scheme.tally.joins, helper.scheme.idle), (1, Duration::from_secs(1)));
    }

    /// A point of the principal variation opens as a reader looks how many there are: it gets its help, and the reader
    /// then goes on with its own line and move.
    #[test]
    fn a_reader_misses_no_point_and_loses_no_line() {
        let team = Team::new(Position::startpos(), Limits::default());
        let registry = &team.registry;
        let [mut of_master, mut own] = [(); 2].map(|()| Memory::default());
        let mut master = team.member(0, &mut of_master, Real);
        let mv = team.task.position.parse_uci("e2e4").expect("a legal move");
        let position = team.task.position.after(mv);
        master.path.extend([team.task.position.key(), position.key()]);
        let node = Node::<Pv>::new(&position, Window::FULL, 1, 1, false);
        let opened = Cell::new(false);
        let before_touch = |access: Access, place: Place| {
            let looks = access == Access::Read && place == registry.place(&*registry.opened);
            if looks && !opened.replace(true) {
                open(&master, &node);
            }
        };
        let pace = Scripted { before_touch: &before_touch, while_waiting: &|_| {} };
        let mut reader = team.member(1, &mut own, pace);
        reader.scheme.role = Role::Reader;
        reader.scheme.note_reading(true);
        // No line of Black's moves, of which those of the point are.
        let line: Line = [mv].into_iter().collect();
        reader.set_line(1, &line);
        let own = Some(Activity::Own(Some(mv)));
        reader.scheme.note(own);
        turn_to_points(&mut reader, 1);
        assert_eq!(reader.scheme.tally.joins, 1);
        assert_eq!((reader.line(1), reader.scheme.activity.get()), (&line, own));
    }

    /// Notes whom it wakes, by the addresses of the signals.
    #[derive(Clone, Copy)]
    struct Wakes<'t>(&'t RefCell<Vec<usize>>);

    impl Pace for Wakes<'_> {
        fn wait<T>(&self, _: &Condvar, _: &mut MutexGuard<'_, T>, _: Place) {}

        fn notify_all(&self, signal: &Condvar) {
            self.0.borrow_mut().push(std::ptr::from_ref(signal).addr());
        }
    }

    /// The worker that has the turn may have died with it: then only the end of the search wakes the one that waits.
    #[test]
    fn the_end_of_the_search_wakes_who_waits_for_a_turn() {
        let team = Team::new(Position::startpos(), Limits::default());
        let (point, waits) = (SplitPoint::new(0, 0), Cell::new(0));
        point.lock(&Real).again = Some(1);
        let while_waiting = |signal: &Condvar| {
            let woken = RefCell::default();
            team.shared.stop();
            team.registry.close(&Wakes(&woken));
            assert!(woken.borrow().contains(&std::ptr::from_ref(signal).addr()), "it waits for ever");
            waits.set(waits.get() + 1);
        };
        let mut memory = Memory::default();
        let pace = Scripted { before_touch: &|_, _| {}, while_waiting: &while_waiting };
        let mut worker = team.member(1, &mut memory, pace);
        let node = Node::<Pv>::new(&team.task.position, Window::FULL, 2, 0, false);
        assert_eq!(take_turn(&mut worker, &point, &node, 0, 100, 2), Err(Aborted));
        assert_eq!(waits.get(), 1);
    }

    /// Another worker has the turn, and the only move in flight is the waiter's own. There is nothing to read along.
    #[test]
    fn a_worker_that_waits_for_a_turn_leaves_its_own_move_alone() {
        let team = Team::new(Position::startpos(), Limits::default());
        let mv = team.task.position.parse_uci("e2e4").expect("a legal move");
        let (point, waits) = (SplitPoint::new(0, 0), Cell::new(0));
        {
            let mut state = point.lock(&Real);
            state.again = Some(1);
            state.in_flight.push(InFlight { mv, number: 2 });
        }
        let while_waiting = |_: &Condvar| {
            point.lock(&Real).again = None;
            waits.set(waits.get() + 1);
        };
        let mut memory = Memory::default();
        let pace = Scripted { before_touch: &|_, _| {}, while_waiting: &while_waiting };
        let mut worker = team.member_by::<Ybw, _>(1, &mut memory, pace);
        worker.path.extend([team.task.position.key(), team.task.position.after(mv).key()]);
        let node = Node::<Pv>::new(&team.task.position, Window::FULL, 2, 0, false);
        assert_eq!(take_turn(&mut worker, &point, &node, 0, 100, 2), Ok(0));
        assert_eq!((waits.get(), worker.nodes()), (1, 0));
    }

    /// The epoch advances after a worker's first look and before it has the lock of sleepers: it looks again, and
    /// sleeps only when nothing more has happened.
    #[test]
    fn a_worker_that_has_missed_something_does_not_sleep() {
        let team = Team::new(Position::startpos(), Limits::default());
        let (point, waits) = (SplitPoint::new(0, 0), Cell::new(0));
        let while_waiting = |_: &Condvar| waits.set(waits.get() + 1);
        let mut memory = Memory::default();
        let pace = Scripted { before_touch: &|_, _| {}, while_waiting: &while_waiting };
        let mut worker = team.member(0, &mut memory, pace);
        let node = Node::<NonPv>::new(&team.task.position, Window::null(0), 2, 0, false);
        let mut looks = 0;
        await_others(&mut worker, &point, &node, None, |_| {
            looks += 1;
            if looks == 1 {
                point.advance_epoch(&Real);
            }
            looks == 5
        });
        // Each time it looks once before it takes the lock and once under it, and once more after its sleep.
        assert_eq!((looks, waits.get()), (5, 1));
    }

    /// A point above is cut off, so that its master does not wait for the helper of the point below.
    #[test]
    fn a_helper_that_is_left_behind_is_told() {
        let team = Team::new(Position::startpos(), Limits::default());
        let mut memory = Memory::default();
        let mut owner = team.member(0, &mut memory, Real);
        owner.path.push(team.task.position.key());
        let node = Node::<NonPv>::new(&team.task.position, Window::null(0), 2, 0, false);
        let mv = team.task.position.parse_uci("e2e4").expect("a legal move");
        let [above, between] = open_two(&mut owner, &node, &Picker::listed([mv]));
        between.change_seats(&Real, |_| Some(Seats::of(1, 1)));
        between.lock(&Real).in_flight.push(InFlight { mv, number: 1 });
        above.cut_off(&Real);
        await_helpers(&mut owner, between, &node);
        assert!(between.is_cut_here(&Real), "it would search on once the point above is used again");
    }
}
