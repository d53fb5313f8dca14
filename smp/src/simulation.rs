//! Parallel search in virtual time: the engine's own code, any number of threads, the same result every time.
//!
//! The threads of a search run as workers of a [`World`]; what they do costs virtual time by the [`Costs`].
//! Everything that parallel search is judged by follows from the order of their actions: nodes, waiting, time
//! to a depth. Cache lines that go from core to core and queues for locks are counted ([`coherence`]); the rest
//! of a real machine (memory bandwidth, frequency) is left out. `firstborn scaling` takes the same figures by
//! the real clock.

pub mod coherence;
pub mod costs;
pub mod machine;

use crate::pace::{Event, Pace, Real, STOP};
use crate::pool::accounts::{Accounts, Activity, Stretch};
use crate::pool::link::{Link, Running};
use crate::pool::{PoolError, STACK, Search};
use crate::schemes::Scheme;
use crate::schemes::rules::{RuleSet, Usual};
use crate::simulation::coherence::{Access, Caches, Class, Fetched, Place, Traffic};
use crate::simulation::costs::Costs;
use crate::simulation::machine::Machine;
use crate::sync::{Condvar, Mutex, MutexGuard};
use chess::{Bitboard, Move, Position};
use engine::drivers::Driver;
use engine::history::{self, Contexts, Histories};
use engine::iterate::ThreadResult;
use engine::touch::Touch;
use engine::tt::Table;
use engine::worker::Task;
use nnue::Network;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use thinking::report::{Info, Limits, Observer, Verdict};
use vtime::{Clock, World};

/// A simulated engine.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How the threads work together.
    pub scheme: Scheme,
    /// How many there are, at least 1.
    pub threads: usize,
    /// Most threads of a team of [`Scheme::Hybrid`]; usually [`most_members`](crate::schemes::hybrid::most_members).
    pub team: Option<usize>,
    /// With which windows the threads search the root.
    pub driver: Driver,
    /// Size of the transposition table in mebibytes.
    pub hash_mib: usize,
    /// What things cost.
    pub costs: Costs,
    /// Seed of the jitter; without one every node costs the same.
    pub seed: Option<u64>,
    /// What evaluates: a network, or the hand-crafted evaluation.
    pub network: Option<Arc<Network>>,
    /// Record which thread did what when.
    pub trace: bool,
}

impl Setup {
    /// An engine with these many threads, 16 MiB of table, the usual costs, the program's own
    /// network, no jitter and no trace.
    pub fn new(scheme: Scheme, threads: usize) -> Self {
        Setup {
            scheme,
            threads,
            team: None,
            driver: Driver::default(),
            hash_mib: 16,
            costs: Costs::default(),
            seed: None,
            network: Some(Network::embedded()),
            trace: false,
        }
    }
}

/// A simulated search.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What the search found.
    pub verdict: Verdict,
    /// What it reported on the way.
    pub infos: Vec<Info>,
    /// What it cost, in virtual time.
    pub accounts: Accounts,
    /// Which thread did what when, by thread and time, if [`Setup::trace`] asks for it.
    pub trace: Vec<Stretch>,
}

/// Keeps what it hears of a search.
#[derive(Default)]
pub struct Recorder {
    infos: Mutex<Vec<Info>>,
    verdict: Mutex<Verdict>,
}

impl Recorder {
    /// What it has heard.
    pub fn take(&self) -> (Vec<Info>, Verdict) {
        (std::mem::take(&mut *self.infos.lock()), std::mem::take(&mut *self.verdict.lock()))
    }
}

impl Observer for Recorder {
    fn info(&self, info: &Info) {
        self.infos.lock().push(info.clone());
    }

    fn verdict(&self, verdict: &Verdict) {
        *self.verdict.lock() = verdict.clone();
    }
}

/// Searches with an empty table and empty histories. The search must end by itself: `infinite` and `ponder`
/// are ignored, and limits of time are limits of virtual time.
///
/// # Errors
/// When there is no memory for the table or for the threads' stacks.
///
/// # Panics
/// When a search thread does.
pub fn simulate(setup: &Setup, task: Task, limits: Limits) -> Result<Simulation, PoolError> {
    simulate_stoppable(setup, task, limits, Box::new(|_| {}))
}

/// Gets a search that has begun, to tell it to stop.
pub type Begun = Box<dyn FnOnce(Running)>;

/// As [`simulate`], but can be stopped from outside: `begun` gets the search.
///
/// # Errors
/// As [`simulate`].
///
/// # Panics
/// As [`simulate`].
pub fn simulate_stoppable(
    setup: &Setup,
    task: Task,
    limits: Limits,
    begun: Begun,
) -> Result<Simulation, PoolError> {
    let mib = setup.hash_mib;
    let table = Table::new(mib).map_err(|cause| PoolError::Table { mib, cause })?;
    simulate_stoppable_by::<Usual>(setup, Arc::new(table), task, limits, begun)
}

/// The same by other rules than the usual ones, and with a table of the caller's.
///
/// # Errors
/// When there is no memory for the threads' stacks.
///
/// # Panics
/// When a search thread does.
pub fn simulate_by<R: RuleSet>(
    setup: &Setup,
    table: Arc<Table>,
    task: Task,
    limits: Limits,
) -> Result<Simulation, PoolError> {
    simulate_stoppable_by::<R>(setup, table, task, limits, Box::new(|_| {}))
}

fn simulate_stoppable_by<R: RuleSet>(
    setup: &Setup,
    table: Arc<Table>,
    task: Task,
    limits: Limits,
    begun: Begun,
) -> Result<Simulation, PoolError> {
    let recorder = Arc::new(Recorder::default());
    let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
    let limits = Limits { infinite: false, ponder: false, ..limits };
    let machine = run::<R>(setup, table, Search { task, limits, multipv: 1, observer }, begun)?;
    let accounts = machine.accounts().expect("the search has been concluded");
    let (infos, verdict) = recorder.take();
    Ok(Simulation { verdict, infos, accounts, trace: machine.take_trace() })
}

/// Searches with a table that may know something already, and empty histories. `begun` gets the search, to
/// tell it to stop or of a ponder hit; what is infinite or ponders waits for that, as in a pool. Limits of time are
/// limits of virtual time.
///
/// # Errors
/// When there is no memory for the threads' stacks: the search has no verdict.
///
/// # Panics
/// As [`simulate`].
pub fn play(
    setup: &Setup,
    table: Arc<Table>,
    search: Search,
    begun: impl FnOnce(Running),
) -> Result<(), PoolError> {
    play_by::<Usual>(setup, table, search, begun).map(drop)
}

/// The same by other rules than the usual ones. What the search cost comes back.
///
/// # Errors
/// As [`play`].
///
/// # Panics
/// As [`simulate`].
pub fn play_by<R: RuleSet>(
    setup: &Setup,
    table: Arc<Table>,
    search: Search,
    begun: impl FnOnce(Running),
) -> Result<Accounts, PoolError> {
    let machine = run::<R>(setup, table, search, begun)?;
    Ok(machine.accounts().expect("the search has been concluded"))
}

/// A search of one machine in a world of its own.
fn run<R: RuleSet>(
    setup: &Setup,
    table: Arc<Table>,
    search: Search,
    begun: impl FnOnce(Running),
) -> Result<Rc<Machine>, PoolError> {
    let world = World::default();
    let machine = Machine::with_table(setup, world.watch(), table);
    let job = machine.begin::<R>(search, None);
    begun(Running::new(Arc::clone(&job)));
    // A team's registry closes when its leader ends, and no worker waits elsewhere.
    world.run(STACK, machine.works())?;
    job.conclude(&Real);
    Ok(machine)
}

/// What one simulated thread keeps beside its clock.
struct Hands {
    jitter: Option<RefCell<ChaCha8Rng>>,
    /// Since when it has been doing what.
    doing: Cell<(u64, Option<Activity>)>,
    traced: bool,
    stretches: RefCell<Vec<Stretch>>,
    traffic: Cell<Traffic>,
    /// When all that it has stored so far is in its cache.
    stored: Cell<u64>,
    /// Locks that it holds.
    held: Cell<usize>,
}

impl Hands {
    /// `stream` tells the jitter of this thread from that of every other.
    fn new(setup: &Setup, stream: usize) -> Self {
        let jitter = setup.seed.map(|seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(stream as u64);
            RefCell::new(rng)
        });
        Hands {
            jitter,
            doing: Cell::new((0, None)),
            traced: setup.trace,
            stretches: RefCell::default(),
            traffic: Cell::default(),
            stored: Cell::default(),
            held: Cell::default(),
        }
    }
}

/// The memory that the cores share.
#[derive(Clone, Copy)]
struct Lines<'y> {
    caches: &'y RefCell<Caches>,
    table: &'y Table,
    cores: usize,
}

/// Lines that a core can be waiting for at once: the line fill buffers of a first-level cache (12 in Intel's
/// cores from 2015 on, 10 before). Fetches that do not depend on each other take as long as so many times
/// fewer.
const AT_ONCE: u64 = 12;

/// Time passes by the costs.
#[derive(Clone, Copy)]
struct Simulated<'y> {
    clock: Clock<'y>,
    /// The number of the thread, and of its core, within its machine.
    core: usize,
    costs: &'y Costs,
    /// What sharing memory adds to each node.
    share: u64,
    hands: &'y Hands,
    memory: Lines<'y>,
    /// The cluster that takes part in the search, and the name by which the thread that talks to it waits for
    /// errands.
    cluster: Option<(&'y dyn Link, usize)>,
}

impl Simulated<'_> {
    /// How long it takes to fetch so many lines that do not depend on each other.
    fn fetching(&self, Fetched { near, far }: Fetched) -> u64 {
        let trips = (near + far).div_ceil(AT_ONCE);
        let slowest = if far > 0 { self.costs.far.max(self.costs.line) } else { self.costs.line };
        trips * slowest
    }

    /// Notes the lines that this worker fetches when it touches these.
    fn fetches(&self, writes: bool, places: impl Iterator<Item = Place>) -> Fetched {
        let mut traffic = self.hands.traffic.get();
        let mut caches = self.memory.caches.borrow_mut();
        let core = self.core;
        let mut sum = Fetched::default();
        for place in places {
            let fetched = caches.touch(core, writes, place);
            traffic.lines[place.class as usize] += fetched.near + fetched.far;
            sum = sum + fetched;
        }
        self.hands.traffic.set(traffic);
        sum
    }

    /// This worker waits for memory or a lock of this class. No other worker goes on meanwhile: it may
    /// hold a lock.
    fn waits(&self, class: Class, nanoseconds: u64, lock: bool) {
        if nanoseconds > 0 {
            let mut traffic = self.hands.traffic.get();
            let sums = if lock { &mut traffic.lock_ns } else { &mut traffic.line_ns };
            sums[class as usize] += nanoseconds;
            self.hands.traffic.set(traffic);
            self.clock.advance(nanoseconds);
        }
    }

    /// It reads lines that do not depend on each other, or writes them.
    fn touch_all(&self, access: Access, class: Class, places: impl Iterator<Item = Place>) {
        if self.memory.cores == 1 {
            return;
        }
        let time = self.fetching(self.fetches(access != Access::Read, places));
        let stored = &self.hands.stored;
        match access {
            Access::Read => self.waits(class, time, false),
            Access::Write => stored.set(stored.get().max(self.clock.now() + time)),
            Access::Update => self.waits(class, time + stored.get().saturating_sub(self.clock.now()), false),
        }
    }

    /// Lines of the history of this worker, or of another's, at which moves of a node lie.
    fn history_lines<'m>(
        history: usize,
        position: &'m Position,
        place: (Contexts, Bitboard),
        moves: impl Iterator<Item = Move> + 'm,
    ) -> impl Iterator<Item = Place> + 'm {
        moves
            .flat_map(move |mv| history::lines(position, mv, place))
            .map(move |line| Place::lines(Class::History, history, line, 1))
    }
}

/// The lines of lessons in a history's ring.
fn lesson_lines(history: usize, lines: impl Iterator<Item = usize>) -> impl Iterator<Item = Place> {
    lines.map(move |line| Place::lines(Class::History, history, line, 1))
}

impl Pace for Simulated<'_> {
    const TOUCHES: bool = true;

    #[inline]
    fn spend(&self, event: Event) {
        let cost = match event {
            Event::Node => self.costs.node + self.share,
            Event::Probe => self.costs.probe,
            Event::Split => self.costs.split,
            Event::Join => self.costs.join,
        };
        let cost = match &self.hands.jitter {
            Some(rng) if event == Event::Node => {
                let spread = self.costs.jitter.clamp(0.0, 1.0);
                (cost as f64 * rng.borrow_mut().random_range(1.0 - spread..=1.0 + spread)) as u64
            }
            _ => cost,
        };
        if event == Event::Node {
            self.touch(Access::Read, STOP);
        }
        self.clock.spend(cost);
    }

    fn touch(&self, access: Access, place: Place) {
        self.touch_all(access, place.class, std::iter::once(place));
    }

    fn search_touches(&self, touch: Touch<'_>) {
        if let Some((link, _)) = self.cluster {
            match touch {
                Touch::TableWrite(key, Some(entry)) => link.stored(key, entry),
                Touch::Found { key, entry, cut } => link.found(key, entry, cut),
                _ => {}
            }
        }
        if self.memory.cores == 1 {
            return;
        }
        let table = |key| Place::lines(Class::Table, 0, self.memory.table.line_number(key), 1);
        let histories = self.memory.cores.min(Histories::MOST);
        let own = self.core % histories;
        match touch {
            Touch::TableRead(key) => self.touch(Access::Read, table(key)),
            Touch::TableWrite(key, _) => self.touch(Access::Write, table(key)),
            Touch::Rated { position, place, moves } => {
                let lines = Self::history_lines(own, position, place, moves.rated());
                self.touch_all(Access::Read, Class::History, lines);
            }
            Touch::Learnt { position, place, mv, best } => {
                let moves = best.quiets.iter().chain(&best.noisy).copied().chain([mv]);
                let lines = Self::history_lines(own, position, place, moves);
                self.touch_all(Access::Update, Class::History, lines);
            }
            Touch::Published(number) => {
                self.touch_all(
                    Access::Write,
                    Class::History,
                    lesson_lines(own, history::lesson_written(number)),
                );
            }
            Touch::Heard(heard) => {
                let lines = heard
                    .iter()
                    .cloned()
                    .flat_map(|(of, lessons)| lesson_lines(of, history::lessons_read(lessons)));
                self.touch_all(Access::Read, Class::History, lines);
            }
            Touch::Stop => self.touch(Access::Write, STOP),
            Touch::Found { .. } => {}
        }
    }

    fn finished(&self, result: &ThreadResult) {
        if let Some((link, _)) = self.cluster {
            link.finished(result);
            self.posted();
        }
    }

    fn posted(&self) {
        if let Some((_, errand)) = self.cluster {
            // That thread pays for waking up itself, as it does when its sleep is over.
            self.clock.wake_all(errand, self.costs.call, 0);
        }
    }

    fn acquire(&self, lock: Place) {
        let held = &self.hands.held;
        if self.memory.cores > 1 && self.costs.line > 0 {
            if held.get() == 0 {
                self.clock.settle();
            }
            let free = self.memory.caches.borrow().free_at(lock.class, lock.object);
            self.waits(lock.class, free.saturating_sub(self.clock.now()), true);
        }
        held.set(held.get() + 1);
        self.touch(Access::Update, lock);
    }

    fn release(&self, lock: Place) {
        self.touch(Access::Update, lock);
        // A worker left in a deadlock gives back what it does not hold.
        self.hands.held.set(self.hands.held.get().saturating_sub(1));
        if self.memory.cores > 1 {
            self.memory.caches.borrow_mut().release(lock.class, lock.object, self.clock.now());
        }
    }

    fn note(&self, activity: Option<Activity>) {
        let (from, before) = self.hands.doing.replace((self.clock.now(), activity));
        let to = self.clock.now();
        if let Some(activity) = before
            && self.hands.traced
            && from < to
        {
            self.hands.stretches.borrow_mut().push(Stretch {
                thread: self.core,
                from: Duration::from_nanos(from),
                to: Duration::from_nanos(to),
                activity,
            });
        }
    }

    fn wait<T>(&self, signal: &Condvar, guard: &mut MutexGuard<'_, T>, lock: Place) {
        self.release(lock);
        MutexGuard::unlocked(guard, || {
            self.clock.wait(address(signal));
            self.acquire(lock);
        });
    }

    fn notify_all(&self, signal: &Condvar) {
        self.clock.wake_all(address(signal), self.costs.call, self.costs.wake);
    }
}

/// A name for what is waited for, a condition variable for one, good for as long as it lives.
fn address<T>(awaited: &T) -> usize {
    std::ptr::from_ref(awaited).addr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::Held;
    use crate::pool::link::Elsewhere;
    use chess::Game;
    use engine::tt::Entry;
    use std::rc::Rc;
    use thinking::report::Silent;
    use vtime::Work;

    /// Keeps what a search has found with each iteration, and what its threads have in the end.
    #[derive(Default)]
    struct Results {
        iterations: Mutex<Vec<ThreadResult>>,
        last: Mutex<Vec<ThreadResult>>,
    }

    impl Link for Results {
        fn rank(&self) -> usize {
            0
        }

        fn stored(&self, _: u64, _: &Entry) {}

        fn found(&self, _: u64, _: &Entry, _: bool) {}

        fn finished(&self, result: &ThreadResult) {
            self.iterations.lock().push(result.clone());
        }

        fn over(&self, own: &[ThreadResult]) -> bool {
            *self.last.lock() = own.to_vec();
            false
        }

        fn elsewhere(&self) -> Elsewhere {
            Elsewhere::default()
        }
    }

    /// What a search by root splitting to eight plies finds, and what it costs.
    fn by_root_splitting(threads: usize, position: Position) -> (Arc<Results>, Accounts) {
        let setup = Setup { seed: Some(1), hash_mib: 1, ..Setup::new(Scheme::RootSplit, threads) };
        let (world, results) = (World::default(), Arc::new(Results::default()));
        let machine = Machine::new(&setup, world.watch()).expect("a small table");
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let (task, link) = (Task::from(&Game::new(position)), Arc::clone(&results) as Arc<dyn Link>);
        // A search with a link concludes itself.
        machine.begin::<Usual>(Search { task, limits, multipv: 1, observer: Arc::new(Silent) }, Some(link));
        world.run(STACK, machine.works()).expect("the search ends by itself");
        (results, machine.accounts().expect("it is over"))
    }

    /// What helpers have searched at the root is part of the effort for its moves: the time for a move goes by it.
    #[test]
    fn helpers_nodes_count_for_the_moves_of_the_root() {
        let (results, Accounts { nodes, tally, .. }) = by_root_splitting(4, Position::startpos());
        assert!(tally.splits > 5 && tally.joins > 5, "{tally:?}");
        let of_moves: u64 = results.last.lock()[0].root.moves.iter().map(|root_move| root_move.nodes).sum();
        // The first thread's own nodes alone are fewer, and no node counts twice.
        assert!(of_moves > nodes[0] && of_moves <= nodes.iter().sum(), "{of_moves} of {nodes:?}");
    }

    /// The time for a move goes by how often the best one has changed, too, also where a helper has found the new one:
    /// at least once in an iteration that ends with another than it began with.
    #[test]
    fn another_best_move_is_a_change_also_if_a_helper_has_found_it() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "r3k2r/pppq1ppp/8/3pp3/3PP3/8/PPPQ1PPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ];
        let mut others = 0;
        for (fen, threads) in positions.into_iter().zip([2, 4].into_iter().cycle()) {
            let (results, _) = by_root_splitting(threads, Position::from_fen(fen).expect("a legal FEN"));
            for pair in results.iterations.lock().windows(2) {
                let [before, after] = [0, 1].map(|place| pair[place].root.best().map(|best| best.mv));
                let (other, changes) = (before != after, pair[1].root.changes);
                let depth = pair[1].depth;
                assert!(changes >= i32::from(other), "{fen}, depth {depth}: {changes} changes to {after:?}");
                others += usize::from(other);
            }
        }
        assert!(others >= 3, "the test tests nothing: {others}");
    }

    const LINE: u64 = 100;
    const LOCK: Place = Place::lines(Class::Registry, 0, 0, 1);

    /// Lets workers do this on cores of their own, beginning at these moments; the clocks at which they end
    /// come back, and what all of them waited for.
    fn run(begins: &[u64], costs: Costs, work: impl Fn(Simulated<'_>) + 'static) -> (Vec<u64>, Traffic) {
        let setup = Setup { costs, trace: true, ..Setup::new(Scheme::Lazy, begins.len()) };
        let caches = Rc::new(RefCell::new(Caches::new(begins.len(), 1, costs.domain)));
        let (traffic, work) = (Rc::new(Cell::new(Traffic::default())), Rc::new(work));
        let cores = begins.len();
        let works = begins.iter().enumerate().map(|(number, &begin)| {
            let (caches, traffic, work) = (Rc::clone(&caches), Rc::clone(&traffic), Rc::clone(&work));
            let setup = setup.clone();
            Box::new(move |clock: Clock<'_>| {
                let hands = Hands::new(&setup, number);
                let table = Table::new(0).expect("one line");
                let memory = Lines { caches: &caches, table: &table, cores };
                let costs = &setup.costs;
                clock.spend(begin);
                work(Simulated {
                    clock,
                    core: number,
                    costs,
                    share: 0,
                    hands: &hands,
                    memory,
                    cluster: None,
                });
                traffic.set(traffic.get() + hands.traffic.get());
            }) as Work
        });
        let ends = World::default().run(64 << 10, works.collect()).expect("no worker waits for ever");
        (ends, traffic.get())
    }

    /// A thread that does two things at one moment has done only the second for any time.
    #[test]
    fn what_lasts_no_time_is_no_stretch() {
        let work = |pace: Simulated<'_>| {
            pace.note(Some(Activity::Helping(None)));
            pace.note(Some(Activity::Own(None)));
            pace.clock.spend(5);
            pace.note(None);
            let (from, to) = (Duration::ZERO, Duration::from_nanos(5));
            let stretch = Stretch { thread: 0, from, to, activity: Activity::Own(None) };
            assert_eq!(*pace.hands.stretches.borrow(), [stretch]);
        };
        run(&[0], Costs::default(), work);
    }

    /// By hand, with 1,000 ns under the lock and 100 for a line: the first has it from 0 to 1,000. The second
    /// comes at 10, gets it at 1,000, fetches its line, and is done at 2,100. The third comes at 20 and waits
    /// for both.
    #[test]
    fn who_comes_to_a_lock_waits_for_all_who_came_before() {
        let mutex = Mutex::new(());
        let work = move |pace: Simulated<'_>| {
            let _lock = Held::of(&mutex, &pace, LOCK);
            pace.clock.advance(1_000);
        };
        let (ends, traffic) = run(&[0, 10, 20], Costs { line: LINE, ..Costs::default() }, work);
        assert_eq!(ends, [1_000, 2_100, 3_200]);
        assert_eq!(traffic.lock_ns[Class::Registry as usize], (1_000 - 10) + (2_100 - 20));
        assert_eq!((traffic.all_lines(), traffic.all_line_ns()), (2, 2 * LINE));
    }

    /// By hand: the first has worked to 1,000 when it comes to the lock. The second, which came at 10, has had it for
    /// 100 ns by then, and only its line is to be fetched.
    #[test]
    fn who_comes_to_a_lock_late_lets_all_go_first_who_are_behind() {
        let mutex = Mutex::new(());
        let work = move |pace: Simulated<'_>| {
            pace.clock.advance(if pace.clock.worker() == 0 { 1_000 } else { 0 });
            let _lock = Held::of(&mutex, &pace, LOCK);
            pace.clock.advance(100);
        };
        let (ends, traffic) = run(&[0, 10], Costs { line: LINE, ..Costs::default() }, work);
        assert_eq!(ends, [1_000 + LINE + 100, 10 + 100]);
        assert_eq!(traffic.all_lock_ns(), 0);
    }

    /// By hand, with 7 ns for the call and 1,000 to wake up: who calls at 100 goes on at 107, and the sleeper 1,000
    /// later.
    #[test]
    fn who_calls_pays_for_the_call_and_who_sleeps_for_waking_up() {
        let (mutex, signal) = (Mutex::new(()), Condvar::new());
        let work = move |pace: Simulated<'_>| {
            if pace.clock.worker() == 0 {
                Held::of(&mutex, &pace, LOCK).wait(&signal);
            } else {
                pace.notify_all(&signal);
            }
        };
        let (ends, _) = run(&[0, 100], Costs { call: 7, wake: 1_000, ..Costs::default() }, work);
        assert_eq!(ends, [1_107, 107]);
    }

    /// Without lines a lock is what it was before: no worker waits for it.
    #[test]
    fn without_lines_no_lock_is_waited_for_and_lines_are_counted_still() {
        let mutex = Mutex::new(());
        let work = move |pace: Simulated<'_>| {
            let _lock = Held::of(&mutex, &pace, LOCK);
            pace.clock.advance(1_000);
        };
        let (ends, traffic) = run(&[0, 10, 20], Costs { line: 0, ..Costs::default() }, work);
        assert_eq!(ends, [1_000, 1_010, 1_020]);
        assert_eq!((traffic.all_lock_ns(), traffic.all_line_ns(), traffic.all_lines()), (0, 0, 2));
    }

    /// The first writes 24 lines at 0. The second reads them at 1,000, twelve at a time, and once more for
    /// nothing; it stores into one of them and goes on at once, and the first, at 5,000, waits for that line
    /// only.
    #[test]
    fn lines_are_fetched_together_and_stores_are_not_waited_for() {
        let work = |pace: Simulated<'_>| {
            let lines = |lines| Place::lines(Class::Mark, 0, 0, lines);
            let second = pace.clock.worker() == 1;
            for access in [if second { Access::Read } else { Access::Write }, Access::Read, Access::Write] {
                pace.touch(access, lines(if access == Access::Write && second { 1 } else { 24 }));
            }
            pace.clock.spend(if second { 0 } else { 5_000 - pace.clock.now() });
            pace.touch(Access::Read, lines(24));
        };
        let (ends, traffic) = run(&[0, 1_000], Costs { line: LINE, ..Costs::default() }, work);
        assert_eq!(ends, [5_000 + LINE, 1_000 + 2 * LINE]);
        assert_eq!(traffic.lines[Class::Mark as usize], 24 + 1 + 1, "read, stored, read");
    }

    /// An atomic count, as that of a lock, must wait for all stores before it, also for one that takes longer than the
    /// last: that is into a line that no other core has had.
    #[test]
    fn an_update_waits_for_what_was_stored_before() {
        let work = |pace: Simulated<'_>| {
            let line = |line| Place::lines(Class::Point, 0, line, 1);
            let own = line(1 + pace.clock.worker());
            pace.touch(Access::Write, line(0));
            pace.touch(Access::Write, own);
            pace.touch(Access::Update, own);
        };
        for (far, cost) in [(3 * LINE, 3 * LINE), (0, LINE)] {
            let costs = Costs { line: LINE, far, domain: 1, ..Costs::default() };
            assert_eq!(run(&[0, 10], costs, work).0, [0, 10 + cost], "the store's line comes from afar");
        }
    }
}
