//! The registry and its split points under many schedules: see [`crate::models`].

use super::point::{Body, Kind, State};
use super::share::{help, work};
use super::*;
use crate::models::{Problem, explore, linger, one_in};
use crate::pace::{Event, Real};
use crate::pool::iteration_sync::DeepestResult;
use crate::simulation::coherence::{Class, Place};
use crate::sync::{self, Mutex, MutexGuard, thread};
use engine::iterate::iterate;
use engine::node::{NonPv, Pv, Root};
use engine::search::next_move;
use engine::tt::table_key;
use engine::worker::Memory;
use std::ops::{Add, RangeInclusive};
use std::rc::Rc;
use std::sync::Arc;
use thinking::report::Bound;
use thinking::score::Score;

/// Conditions of a model.
trait Splitting: Conditions + 'static {
    /// May there be several split points at a time?
    const SEVERAL: bool;
}

/// Splits every node, for one helper each: points lie below points, and more workers want in than may.
struct Everywhere;

impl Conditions for Everywhere {
    const TAKES_TURNS: bool = true;

    fn splits<N: NodeKind>(_node: &Node<'_, N>, _below: bool, _members: usize) -> bool {
        true
    }

    fn most_helpers(_moves: usize) -> usize {
        1
    }
}

impl Splitting for Everywhere {
    const SEVERAL: bool = true;
}

/// The same with helpers that read ahead: they leave searches of the root for split points and take them up again.
struct ReadingAhead;

impl Conditions for ReadingAhead {
    const READS_AHEAD: bool = true;
    const READS_ALONG: bool = true;
    const READS_DEEPER: i32 = 1;
    const TAKES_TURNS: bool = true;

    fn splits<N: NodeKind>(_node: &Node<'_, N>, _below: bool, _members: usize) -> bool {
        true
    }

    fn most_helpers(_moves: usize) -> usize {
        1
    }
}

impl Splitting for ReadingAhead {
    const SEVERAL: bool = true;
}

/// As [`Everywhere`], but nodes off the principal variation are split before their first move is searched.
struct BeforeTheFirst;

impl Conditions for BeforeTheFirst {
    const TAKES_TURNS: bool = true;

    fn splits<N: NodeKind>(_node: &Node<'_, N>, _below: bool, _members: usize) -> bool {
        true
    }

    fn splits_before_first<N: NodeKind>(_node: &Node<'_, N>, _members: usize) -> bool {
        !N::PV
    }

    fn most_helpers(_moves: usize) -> usize {
        1
    }
}

impl Splitting for BeforeTheFirst {
    const SEVERAL: bool = true;
}

/// Splits no node below another, so that there is one split point at a time, but opens it to all.
struct OneAtATime;

impl Conditions for OneAtATime {
    const TAKES_TURNS: bool = true;

    fn splits<N: NodeKind>(node: &Node<'_, N>, below: bool, _members: usize) -> bool {
        !below && node.ply > 0
    }

    fn most_helpers(_moves: usize) -> usize {
        usize::MAX
    }
}

impl Splitting for OneAtATime {
    const SEVERAL: bool = false;
}

/// What is done wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Waiting releases the lock first and is noticed as waiting only then.
    HastyWait,
    /// Every other signal wakes no worker.
    LostNotice,
    /// A helper looks for a place, and then takes it though another may have taken it meanwhile.
    LateBooking,
    /// A helper wakes those that wait for it without the lock.
    SilentLeave,
    /// A helper does not ask whether its work is void.
    DeafToCuts,
    /// A helper draws a move and drops it.
    LosesMove,
    /// A helper panics, and what it panicked over is lost.
    Panics,
    /// A helper gives a wanted move up now and then, as a leader does that has been overtaken meanwhile.
    GivesUp,
}

/// What searches have counted.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    tally: Tally,
    /// Nodes that workers without a point have read ahead.
    ahead: u64,
    /// Nodes that workers waiting at a point have read along.
    along: u64,
    /// Searches that did not find the value, and did not claim to.
    without_value: u64,
}

impl Add for Counted {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Counted {
            tally: self.tally + other.tally,
            ahead: self.ahead + other.ahead,
            along: self.along + other.along,
            without_value: self.without_value + other.without_value,
        }
    }
}

/// What all searches of a model have counted. Its lock is no part of the model.
#[derive(Clone, Default)]
struct Sum(Arc<std::sync::Mutex<Counted>>);

impl Sum {
    fn add(&self, counted: Counted) {
        let mut sum = self.0.lock().expect("no panic");
        *sum = *sum + counted;
    }

    fn get(&self) -> Counted {
        *self.0.lock().expect("no panic")
    }
}

/// How a worker reads, by what it touches. To read ahead it changes the registry's count of readers, when it begins and
/// when it ends. To read along it looks at a point's moves in flight, and changes nothing of any point as long as it
/// reads.
#[derive(Default)]
struct Reading {
    ahead: Cell<bool>,
    along: Cell<bool>,
    nodes_ahead: Cell<u64>,
    nodes_along: Cell<u64>,
}

impl Reading {
    fn touch(&self, registry: &Registry, access: Access, place: Place) {
        let updates = access == Access::Update;
        if updates && place == registry.place(&*registry.reading) {
            self.ahead.set(!self.ahead.get());
        } else if place.class == Class::Point {
            let in_flight = || place == registry.points()[place.object].in_flight_place();
            self.along.set(!updates && (self.along.get() || in_flight()));
        }
    }

    fn node(&self) {
        self.nodes_ahead.set(self.nodes_ahead.get() + u64::from(self.ahead.get()));
        self.nodes_along.set(self.nodes_along.get() + u64::from(self.along.get()));
    }
}

/// The pace of one worker of a model, which looks at the points wherever time passes.
#[derive(Clone)]
struct Watch {
    registry: Arc<Registry>,
    fault: Fault,
    helper: bool,
    /// There may be several split points at a time.
    several: bool,
    notices: Rc<Cell<usize>>,
    /// The number of the point that it has looked at last.
    at: Rc<Cell<usize>>,
    /// Nodes entered below the point it has joined after that was cut off.
    late: Rc<Cell<usize>>,
    reading: Rc<Reading>,
}

impl Watch {
    /// No point has more helpers than places.
    fn look_at_places(&self) {
        for point in self.registry.points() {
            let (helpers, places) = (point.helpers(&Real), if self.several { 1 } else { u64::MAX });
            assert!(helpers <= places, "{helpers} helpers, but {places} places");
        }
    }

    /// The cut-off may come while a helper enters a node. It enters no further one.
    fn look_at_cut(&self) {
        let cut = self.registry.points()[self.at.get()].is_cut_here(&Real);
        if self.helper && !self.several && cut {
            self.late.set(self.late.get() + 1);
            assert!(self.late.get() <= 1, "{} nodes entered after the cut-off", self.late.get());
        }
    }
}

impl Pace for Watch {
    fn spend(&self, event: Event) {
        match event {
            Event::Node if self.fault == Fault::Panics && self.helper && one_in(5) => {
                // Without the hook, which would report it.
                std::panic::resume_unwind(Box::new("on purpose"));
            }
            Event::Node => {
                sync::step();
                self.look_at_cut();
                self.reading.node();
            }
            Event::Join => {
                self.late.set(0);
                self.look_at_places();
            }
            Event::Split | Event::Probe => {}
        }
    }

    fn touch(&self, access: Access, place: Place) {
        if place.class == Class::Point {
            self.at.set(place.object);
        }
        self.reading.touch(&self.registry, access, place);
    }

    fn wait<T>(&self, signal: &Condvar, guard: &mut MutexGuard<'_, T>, _lock: Place) {
        if self.fault == Fault::HastyWait {
            MutexGuard::unlocked(guard, || signal.wait(&mut Mutex::new(()).lock()));
        } else {
            signal.wait(guard);
        }
    }

    fn notify_all(&self, signal: &Condvar) {
        self.notices.set(self.notices.get() + 1);
        if self.fault != Fault::LostNotice || self.notices.get().is_multiple_of(2) {
            signal.notify_all();
        }
    }
}

/// One search of a problem by a team.
struct Team {
    problem: Problem,
    shared: Shared,
    registry: Arc<Registry>,
    deepest: Arc<DeepestResult>,
    fault: Fault,
}

impl Team {
    fn new<C: Splitting>(problem: &Problem, threads: usize, fault: Fault) -> Arc<Self> {
        problem.table.clear();
        Arc::new(Team {
            problem: problem.clone(),
            shared: Shared::new(Arc::clone(&problem.table), problem.limits(), 1, threads),
            registry: Registry::of::<C>(threads).into(),
            deepest: Arc::default(),
            fault,
        })
    }

    fn watch<C: Splitting>(&self, thread: usize) -> Watch {
        Watch {
            registry: Arc::clone(&self.registry),
            fault: self.fault,
            helper: thread > 0,
            several: C::SEVERAL,
            notices: Rc::default(),
            at: Rc::default(),
            late: Rc::default(),
            reading: Rc::default(),
        }
    }

    fn member<'s, C: Splitting>(
        &'s self,
        thread: usize,
        memory: &'s mut Memory,
    ) -> Worker<'s, Split<'s, C, Watch>> {
        let iteration_sync = IterationSync::new(&C::READS_AHEAD.then(|| Arc::clone(&self.deepest)));
        let scheme = Split::new(&self.registry, thread, iteration_sync, self.watch::<C>(thread));
        Worker::new(&self.shared, memory, &self.problem.task, scheme, thread, None)
    }

    /// Searches with all threads. The value comes back, if the search claims to have found it, and what was counted.
    fn search<C: Splitting>(self: &Arc<Self>) -> (Option<Score>, Counted) {
        let helpers: Vec<_> = (1..self.shared.threads())
            .map(|thread| {
                let team = Arc::clone(self);
                thread::spawn(move || team.help::<C>(thread))
            })
            .collect();
        let mut memory = Memory::default();
        let mut leader = self.member::<C>(0, &mut memory);
        let depth = self.problem.depth as i32;
        let result = iterate(&mut leader, &self.problem.task, depth);
        self.registry.close(&self.watch::<C>(0));
        if C::READS_AHEAD {
            // As the pool does, lest they read on.
            self.shared.stop();
        }
        let mut sum = counted(&leader.scheme);
        for helper in helpers {
            sum = sum + helper.join().expect("a helper's panic is caught");
        }
        let value = result.root.best().expect("there are moves").score;
        let value = (result.depth == depth).then_some(value);
        (value, Counted { without_value: u64::from(value.is_none()), ..sum })
    }

    fn help<C: Splitting>(&self, thread: usize) -> Counted {
        let mut memory = Memory::default();
        let mut helper = self.member::<C>(thread, &mut memory);
        let Problem { task, depth, .. } = &self.problem;
        let serve = |helper: &mut _| serve(helper, task, *depth as i32);
        match self.fault {
            Fault::None | Fault::HastyWait | Fault::LostNotice => serve(&mut helper),
            Fault::Panics => {
                // The pool then stops the search; but that may come too late.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| serve(&mut helper)));
            }
            fault => serve_badly(&mut helper, fault),
        }
        counted(&helper.scheme)
    }

    /// No worker is left waiting or working, nothing is left to join, and the table says nothing false of the
    /// root and of the nodes below it.
    fn check_that_all_is_done(&self) {
        // A worker that panics leaves the point it opened; the search has been stopped, so that no worker joins it.
        let none_left = self.registry.is_empty() || self.fault == Fault::Panics;
        assert!(*self.registry.sleep.lock() && none_left, "points left open");
        assert_eq!(self.registry.asleep.get(), 0, "workers asleep");
        assert_eq!(self.registry.reading.get(), 0, "workers reading");
        for point in self.registry.points() {
            assert_eq!(point.helpers(&Real), 0, "helpers left behind");
        }
        let Problem { task, depth, value, replies, .. } = &self.problem;
        if let Some(entry) = self.shared.table.probe(table_key(&task.position))
            && entry.depth == *depth as i32
        {
            assert_eq!((entry.score, entry.bound), (*value, Bound::Exact), "value in the table");
        }
        for &(key, value) in replies {
            let Some(entry) = self.shared.table.probe(key).filter(|entry| entry.depth == *depth as i32 - 1)
            else {
                continue;
            };
            let holds = match entry.bound {
                Bound::Exact => entry.score == value,
                Bound::Lower => entry.score <= value,
                Bound::Upper => entry.score >= value,
            };
            assert!(holds, "value in the table of a node below the root: {entry:?}, but it is {value}");
        }
    }
}

/// What one worker has counted, and its pace.
fn counted<C: Conditions>(scheme: &Split<'_, C, Watch>) -> Counted {
    let Reading { nodes_ahead, nodes_along, .. } = &*scheme.pace.reading;
    let (ahead, along) = (nodes_ahead.get(), nodes_along.get());
    Counted { tally: scheme.tally(), ahead, along, without_value: 0 }
}

/// [`serve`] and [`help`] with something done wrongly.
fn serve_badly<C: Conditions>(worker: &mut Worker<'_, Split<'_, C, Watch>>, fault: Fault) {
    let registry = worker.scheme.registry;
    let pace = worker.scheme.pace.clone();
    loop {
        let found = if fault == Fault::LateBooking {
            let mut points = registry.points().iter();
            points.find(|point| point.room(&pace) > 0 && !registry.is_cut(point, &pace))
        } else {
            registry.reserve(None, &pace)
        };
        let Some(point) = found else {
            let mut lock = registry.lock(&pace);
            if *lock {
                return;
            }
            registry.note_asleep(&pace);
            if registry.has_room(&pace) {
                registry.note_awake(&pace);
            } else {
                worker.scheme.wait(worker.shared, &registry.work, &mut lock);
            }
            continue;
        };
        match fault {
            Fault::LateBooking => {
                point.take_place_unasked();
                help(worker, point);
            }
            Fault::GivesUp => {
                worker.scheme.iteration_sync = IterationSync::new(&Some(Arc::default()));
                worker.scheme.role = if one_in(3) { Role::Leader } else { Role::Helper };
                help(worker, point);
            }
            Fault::LosesMove => {
                {
                    let body = point.read(&pace);
                    let node = &body.as_ref().expect("it has been opened").node;
                    let State { moves, best, .. } = &mut *point.lock(&pace);
                    let _ = next_move(worker, &node.attach::<NonPv>(), moves, best);
                }
                help(worker, point);
            }
            _ => help_badly(worker, point, fault),
        }
    }
}

fn help_badly<'r, C: Conditions>(
    worker: &mut Worker<'_, Split<'r, C, Watch>>,
    point: &'r SplitPoint,
    fault: Fault,
) {
    let registry = worker.scheme.registry;
    let pace = worker.scheme.pace.clone();
    {
        let body = point.read(&pace);
        let Body { node, kind, path } = body.as_ref().expect("it has been opened");
        if fault != Fault::DeafToCuts {
            worker.scheme.chain = Some(point);
        }
        let own_path = worker.follow(path);
        let _ = match kind {
            Kind::Root => work(worker, point, &node.attach::<Root>()),
            Kind::Pv => work(worker, point, &node.attach::<Pv>()),
            Kind::NonPv => work(worker, point, &node.attach::<NonPv>()),
        };
        worker.path = own_path;
        worker.scheme.chain = None;
    }
    if fault == Fault::SilentLeave {
        point.leave_silently();
        pace.notify_all(&registry.helpers);
    } else {
        registry.leave(point, &pace);
    }
}

/// Few moves, several of them captures and promotions.
const RACE: &str = "8/1P6/k7/8/8/7K/6p1/8 w - - 0 1";
/// Rooks that may take and be taken.
const ROOKS: &str = "k7/8/8/3r4/4P3/8/8/K2R4 w - - 0 1";
/// A queen that may be lost or win: many nodes are cut off while their siblings are searched.
const QUEEN: &str = "7k/8/8/8/2q1P3/8/1P6/K2R4 w - - 0 1";
/// Two kings and a pawn, for the smallest searches.
const PAWN: &str = "8/8/8/8/8/2k5/2p5/K7 w - - 0 1";

/// Searches a problem under many schedules, each to its end and to its value. What all of them counted comes back.
fn model<C: Splitting>(problem: (&str, u32), threads: usize, fault: Fault, usual: usize) -> Counted {
    let problem = Problem::new(problem.0, problem.1);
    let all = Sum::default();
    let sum = all.clone();
    explore(usual, move || {
        let team = Team::new::<C>(&problem, threads, fault);
        let (value, counted) = team.search::<C>();
        assert_eq!(value, Some(problem.value), "value");
        team.check_that_all_is_done();
        sum.add(counted);
    });
    all.get()
}

/// The same with several problems and numbers of threads.
fn models<C: Splitting>(problems: &[(&str, u32)], threads: RangeInclusive<usize>) -> Counted {
    let mut all = Counted::default();
    for &problem in problems {
        for threads in threads.clone() {
            all = all + model::<C>(problem, threads, Fault::None, 200);
        }
    }
    all
}

#[test]
fn split_points_below_split_points_give_the_value_and_leave_nothing() {
    let Counted { tally, ahead, along, .. } =
        models::<Everywhere>(&[(RACE, 3), (ROOKS, 3), (QUEEN, 2)], 2..=4);
    assert!(tally.splits > 1000 && tally.joins > 1000 && tally.aborted > 100, "{tally:?}");
    assert!(tally.deferred > 100, "no worker has waited for its turn to re-search: {tally:?}");
    assert_eq!((ahead, along), (0, 0), "without a move to draw, a worker sleeps");
}

#[test]
fn brothers_that_do_not_wait_for_the_eldest_give_the_value_and_leave_nothing() {
    let Counted { tally, .. } = models::<BeforeTheFirst>(&[(RACE, 3), (QUEEN, 2)], 2..=3);
    assert!(tally.splits > 1000 && tally.joins > 1000 && tally.aborted > 10, "{tally:?}");
}

#[test]
fn who_reads_ahead_finds_the_value_and_leaves_nothing() {
    let all = models::<ReadingAhead>(&[(RACE, 3), (ROOKS, 2)], 2..=3);
    assert!(all.tally.splits > 1000 && all.tally.joins > 1000, "{all:?}");
    assert!(all.ahead > 1000 && all.along > 100, "{all:?}");
}

#[test]
fn a_cut_off_voids_the_work_of_all_helpers() {
    let Counted { tally, .. } = model::<OneAtATime>((QUEEN, 2), 3, Fault::None, 300);
    assert!(tally.aborted > 0, "{tally:?}");
}

/// Stopped at any moment, a search leaves no worker behind and claims nothing false.
fn stop_at_any_moment<C: Splitting>() -> Counted {
    let problem = Problem::new(RACE, 3);
    let all = Sum::default();
    let sum = all.clone();
    explore(300, move || {
        let team = Team::new::<C>(&problem, 3, Fault::None);
        let stopper = {
            let team = Arc::clone(&team);
            thread::spawn(move || {
                linger();
                team.shared.stop();
            })
        };
        let (value, counted) = team.search::<C>();
        assert!(value.is_none_or(|value| value == problem.value), "value");
        stopper.join().expect("stopping cannot fail");
        team.check_that_all_is_done();
        sum.add(counted);
    });
    let all = all.get();
    let Counted { tally, without_value, .. } = all;
    assert!(tally.splits > 0 && tally.joins > 0 && tally.aborted > 0 && without_value > 0, "{all:?}");
    all
}

#[test]
fn a_stop_at_any_moment_leaves_nothing() {
    stop_at_any_moment::<Everywhere>();
}

#[test]
fn a_stop_at_any_moment_leaves_nobody_reading() {
    let all = stop_at_any_moment::<ReadingAhead>();
    assert!(all.ahead > 0, "{all:?}");
}

/// A helper that panics or gives up takes its move with it; what the others have found must not pass for the whole.
fn a_helper_goes_with_its_move(fault: Fault) {
    let problem = Problem::new(RACE, 3);
    let all = Sum::default();
    let sum = all.clone();
    explore(300, move || {
        let team = Team::new::<Everywhere>(&problem, 2, fault);
        let (value, counted) = team.search::<Everywhere>();
        assert!(value.is_none_or(|value| value == problem.value), "value");
        team.check_that_all_is_done();
        sum.add(counted);
    });
    let all = all.get();
    let Counted { tally, without_value, .. } = all;
    assert!(tally.splits > 0 && tally.joins > 0 && without_value > 0, "{all:?}");
}

#[test]
fn a_helper_that_panics_leaves_nothing_false() {
    a_helper_goes_with_its_move(Fault::Panics);
}

#[test]
fn a_helper_that_gives_up_leaves_nothing_false() {
    a_helper_goes_with_its_move(Fault::GivesUp);
}

/// The models can fail: each of these faults is found.
mod controls {
    use super::*;

    #[test]
    #[should_panic(expected = "deadlock")]
    fn a_wait_that_releases_its_lock_too_early() {
        model::<Everywhere>((PAWN, 2), 2, Fault::HastyWait, 300);
    }

    #[test]
    #[should_panic(expected = "deadlock")]
    fn a_notice_that_wakes_nobody() {
        model::<Everywhere>((PAWN, 2), 2, Fault::LostNotice, 300);
    }

    #[test]
    #[should_panic(expected = "helpers, but 1 places")]
    fn a_place_booked_twice() {
        model::<Everywhere>((RACE, 3), 4, Fault::LateBooking, 300);
    }

    #[test]
    #[should_panic(expected = "deadlock")]
    fn a_last_helper_whose_leaving_is_missed() {
        // Seldom in any one tree.
        for problem in [(RACE, 3), (ROOKS, 3), (RACE, 2), (PAWN, 2)] {
            model::<Everywhere>(problem, 2, Fault::SilentLeave, 1000);
        }
    }

    #[test]
    #[should_panic(expected = "nodes entered after the cut-off")]
    fn a_helper_that_is_deaf_to_cut_offs() {
        model::<OneAtATime>((QUEEN, 2), 3, Fault::DeafToCuts, 300);
    }

    #[test]
    #[should_panic(expected = "value")]
    fn a_move_drawn_and_lost() {
        model::<Everywhere>((RACE, 3), 2, Fault::LosesMove, 300);
    }
}
