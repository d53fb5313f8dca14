//! Iterative deepening, MultiPV, and the decision when to stop. With which windows an iteration searches the root
//! is decided in [`crate::drivers`].

use crate::Searched;
use crate::drivers;
use crate::parallel::{Alone, Iteration, ParallelScheme, SearchEvent};
use crate::picker::Picker;
use crate::root::{Root, RootMove};
use crate::shared::Shared;
use crate::time::Course;
use crate::tt::table_key;
use crate::worker::{Memory, Task, Worker};
use thinking::report::{Bound, Info, Limits, Observer};
use thinking::score::{INFINITE, MATE, MAX_PLY, Reported, is_mate};

/// What one thread has to say when the search ends.
#[derive(Clone, Debug, Default)]
pub struct ThreadResult {
    /// The last iteration it finished; `root` may be of a deeper one, which was aborted.
    pub depth: i32,
    /// Its root moves, best first.
    pub root: Root,
}

/// Deepens until a limit, a stop, or the greatest depth, each iteration `stride` plies (at least 1) deeper than the
/// deepest that is finished. Returns what is known then: a best move whenever there is a legal one, from the first
/// iteration's end on the best that was searched, before it the first of the static order.
pub fn iterate<B: ParallelScheme>(worker: &mut Worker<'_, B>, task: &Task, stride: i32) -> ThreadResult {
    let mut result = ThreadResult { depth: 0, root: worker.root.clone() };
    if worker.root.moves.is_empty() {
        return result;
    }
    worker.path.push(task.position.key());
    const MOST: i32 = MAX_PLY as i32 - 1;
    let Limits { depth, depth_unknown, .. } = worker.shared.limits;
    let last = depth.map_or(MOST, |depth| depth.min(MOST as u32) as i32);
    let deepest = if depth_unknown { MOST } else { last };
    let mut course = Course::new(game_move(worker, task));
    while result.depth < last {
        let depth = (result.depth + stride).min(deepest);
        worker.root_depth = depth;
        worker.root.begin_iteration(depth);
        worker.scheme.event(SearchEvent::Iteration(Iteration::Started(depth)));
        let finished = iteration(worker, task, depth);
        if finished.is_ok() {
            result = ThreadResult { depth, root: worker.root.clone() };
            hand_in(worker, &result);
        } else if overtaken(worker, &mut result) {
            report(worker);
        } else {
            if result.depth == 0 {
                result.root = unsearched(worker, task);
            } else if salvage(worker, &result.root) {
                result.root.clone_from(&worker.root);
            }
            break;
        }
        course.note(&worker.shared.params, &worker.root);
        if done(worker, &course) {
            break;
        }
    }
    worker.path.pop();
    result
}

/// An iteration is finished. Who is stopped because there is an answer asks for the result: so that comes first.
fn hand_in<B: ParallelScheme>(worker: &Worker<'_, B>, result: &ThreadResult) {
    worker.scheme.event(SearchEvent::Iteration(Iteration::Finished(result)));
    worker.shared.note_answer();
}

/// The serial search: [`iterate`] on the calling thread alone. Programs call this instead of making a worker
/// of their own, so that the search is compiled here, once, and as fast as it can be.
pub fn search_alone(
    shared: &Shared,
    memory: &mut Memory,
    task: &Task,
    observer: Option<&dyn Observer>,
) -> ThreadResult {
    iterate(&mut Worker::new(shared, memory, task, Alone, 0, observer), task, 1)
}

/// An iteration was aborted. Has another thread finished a deeper one than this thread's last? Then its
/// result takes the place of this thread's.
fn overtaken<B: ParallelScheme>(worker: &mut Worker<'_, B>, result: &mut ThreadResult) -> bool {
    let before = result.depth;
    worker.shared.note_abandoned();
    worker.scheme.event(SearchEvent::Iteration(Iteration::Aborted(result)));
    let overtaken = result.depth > before;
    if overtaken {
        worker.root.clone_from(&result.root);
        worker.root_depth = result.depth;
    }
    overtaken
}

/// Which move of a game of sudden death this is, counted from 0; `None` if there is a time control ahead.
fn game_move<B>(worker: &Worker<'_, B>, task: &Task) -> Option<u32> {
    let sudden_death = worker.shared.limits.clock.is_some_and(|clock| clock.moves_to_go.is_none());
    sudden_death.then(|| task.position.fullmove_number().saturating_sub(1))
}

/// All lines of one iteration.
fn iteration<B: ParallelScheme>(worker: &mut Worker<'_, B>, task: &Task, depth: i32) -> Searched<()> {
    let lines = worker.shared.multipv.min(worker.root.moves.len());
    for first in 0..lines {
        worker.root.first = first;
        worker.seldepth = 0;
        drivers::search_root(worker, task, depth)?;
        worker.root.sort(0);
    }
    worker.root.first = 0;
    report(worker);
    Ok(())
}

/// The first iteration was broken off, so nothing is known of the root but its static evaluation: the first move in the
/// order in which any node tries its moves, with that score.
fn unsearched<B: ParallelScheme>(worker: &mut Worker<'_, B>, task: &Task) -> Root {
    let position = &task.position;
    let mut root = Root::new(position, &worker.shared.limits.search_moves);
    let score = worker.memory.evaluator.evaluate(position, 0);
    let known = worker.shared.table.probe(table_key(position)).and_then(|entry| entry.mv);
    worker.note_threats(0, position);
    let mut order = Picker::new(position, known, None);
    while let Some(mv) = order.next(position, worker.merit(0)) {
        if let Some(place) = root.moves.iter().position(|root_move| root_move.mv == mv) {
            root.moves[..=place].rotate_right(1);
            root.record(mv, score, Bound::Exact, 0, &[mv]);
            break;
        }
    }
    root
}

/// An iteration was broken off. What it found is worth having if its first move was searched to a score, since then
/// every move before it was refuted or searched as well, or if it failed high; a failure low is not, and the iteration
/// before stands. The lines of MultiPV before the one that was broken off have been searched to their end. Moves
/// without a score stand as the iteration before has left them, in `before`.
fn salvage<B: ParallelScheme>(worker: &mut Worker<'_, B>, before: &Root) -> bool {
    let whole_lines = worker.root.first > 0;
    if whole_lines {
        worker.root.begin_search(0);
        worker.root.first = 0;
        worker.root.sort(0);
    }
    let found = whole_lines
        || worker.root.best().is_some_and(|best| best.score > -INFINITE && best.bound != Bound::Upper);
    if found {
        worker.root.fall_back_on(before);
        report(worker);
    }
    found
}

/// Should no further iteration begin? Only thread 0 decides.
fn done<B: ParallelScheme>(worker: &mut Worker<'_, B>, course: &Course) -> bool {
    if worker.thread != 0 {
        return worker.shared.stopped();
    }
    let limits = &worker.shared.limits;
    let best = worker.root.best();
    if let (Some(wanted), Some(best)) = (limits.mate, best)
        && let Reported::Mate(moves) = best.score.into()
        && moves.unsigned_abs() <= wanted
    {
        return true;
    }
    let nodes_wanted = limits.nodes.or(limits.time_in_nodes).is_some() && !limits.clock_of_nodes;
    // An analysis goes on: its client may wait for a depth that only it knows of.
    let open_ended = !limits.infinite && limits.depth.is_none() && !nodes_wanted && limits.mate.is_none();
    if open_ended && worker.shared.multipv == 1 && best.is_some_and(|best| settled(best, worker.root_depth)) {
        return true;
    }
    let forced = worker.root.moves.len() == 1 && limits.on_clock();
    let budget = worker.shared.budget;
    // What was thought on the opponent's time counts for what the move deserves, but it costs none of ours.
    let thought = worker.shared.elapsed();
    let enough = forced || budget.soft.is_some_and(|soft| thought >= soft.mul_f64(course.need()));
    if worker.shared.goes_on_pondering(enough) {
        return false;
    }
    let used = worker.shared.clock_used().unwrap_or_default();
    enough || budget.hard.is_some_and(|hard| used >= hard)
}

/// Is the best move a mate that deeper iterations could only tell again? Nothing is shorter than a mate at the next or
/// the next but one ply, and an iteration three times as deep as the mate has looked for a shorter one with
/// nearly every move, however late it came and however much it was reduced.
fn settled(best: &RootMove, depth: i32) -> bool {
    let plies = MATE - best.score.abs();
    is_mate(best.score) && (plies <= 2 || depth >= 3 * plies)
}

/// Fail-highs and fail-lows are reported only once a search has become long.
pub(crate) fn report_failure<B: ParallelScheme>(worker: &Worker<'_, B>) {
    if worker.shared.multipv == 1 && worker.shared.elapsed().as_secs() >= 3 {
        report(worker);
    }
}

/// Tells the observer the lines of all ranks.
fn report<B: ParallelScheme>(worker: &Worker<'_, B>) {
    if let Some(observer) = worker.observer {
        lines(worker.shared, &worker.root).for_each(|line| observer.info(&line));
    }
}

/// The lines that are reported of the root, best first: one for each rank of MultiPV. They are always
/// reported together, since a move that has a new rank would otherwise keep its old one as well.
pub fn lines(shared: &Shared, root: &Root) -> impl Iterator<Item = Info> {
    let scored = |root_move: &&RootMove| root_move.score.max(root_move.previous) > -INFINITE;
    let ranked = root.moves.iter().take(shared.multipv).take_while(scored).zip(1..);
    ranked.map(move |(root_move, rank)| line_info(shared, root, root_move, rank))
}

/// A root move's line as it is reported. Without a score in this iteration it stands with score and depth of the one
/// before, to which all else that is known of it has fallen back by then.
fn line_info(shared: &Shared, root: &Root, root_move: &RootMove, rank: usize) -> Info {
    let fresh = root_move.score > -INFINITE;
    let depth = if fresh { root.depth } else { root.previous_depth };
    Info {
        depth: depth.max(0) as u32,
        seldepth: root_move.seldepth.max(depth.clamp(0, 1) as usize) as u32,
        multipv: rank,
        score: if fresh { root_move.score } else { root_move.previous },
        bound: root_move.bound,
        nodes: shared.nodes(),
        time: shared.elapsed(),
        hashfull: shared.table.hashfull(),
        tbhits: shared.tablebase_hits(),
        pv: root_move.line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correction::Places;
    use crate::drivers::Driver;
    use crate::eval::Evaluator;
    use crate::history::Context;
    use crate::node::{self, Window};
    use crate::params::Params;
    use crate::search::search;
    use crate::shared::Stopwatch;
    use crate::tt::{Entry, Table};
    use chess::{Game, Move, Position};
    use std::cell::{Cell, RefCell};
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};
    use thinking::report::Clock;

    /// The rook takes the queen, or is lost.
    const RECAPTURE: &str = "4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1";

    const DEPTH: i32 = 5;

    /// Lets the opponent move once this depth is reached, after so much time.
    struct Opponent<'a> {
        shared: &'a Shared,
        clock: Arc<AtomicU64>,
        time: Duration,
        depth: u32,
    }

    impl Observer for Opponent<'_> {
        fn root_move(&self, depth: u32, _: Move, index: usize, _: usize) {
            if index == 1 && depth + 1 == self.depth {
                self.clock.store(self.time.as_nanos() as u64, Relaxed);
            } else if index == 1 && depth == self.depth {
                self.shared.ponderhit(Instant::now());
            }
        }
    }

    /// On the opponent's time nothing limits the search; but a move that has had what it deserves by then is played at
    /// once, and one that has not gets the rest.
    #[test]
    fn what_was_thought_before_the_ponder_hit_counts() {
        const HIT: i32 = 6;
        let depth_after = |limits: Limits, time: Duration| {
            let task = Task::from(&Game::default());
            let limits = Limits { ponder: true, depth: Some(9), ..limits };
            let (table, now) = (Arc::new(Table::new(1).expect("a small table")), Arc::default());
            let stopwatch = Stopwatch::Simulated(Arc::clone(&now));
            let shared = Shared::timed_by(stopwatch, table, limits, 1, 1);
            let opponent = Opponent { shared: &shared, clock: now, time, depth: HIT as u32 };
            search_alone(&shared, &mut Memory::default(), &task, Some(&opponent)).depth
        };
        let remaining = Duration::from_secs(5);
        let clock = Some(Clock { remaining, increment: Duration::ZERO, moves_to_go: None });
        let under_clock = Limits { clock, ..Limits::default() };
        assert_eq!(depth_after(under_clock.clone(), Duration::from_secs(15)), HIT - 1);
        assert_eq!(depth_after(under_clock, Duration::from_millis(1)), 9);
        let movetime = Limits { movetime: Some(Duration::from_secs(1)), ..Limits::default() };
        assert_eq!(depth_after(movetime, Duration::from_secs(15)), 9, "the second begins with the hit");
    }

    /// Time that is counted in nodes, too, begins with the hit, by which more of them have been searched here than the
    /// move may take. Nodes that are asked for are those of the whole search.
    #[test]
    fn nodes_that_stand_for_time_count_from_the_ponder_hit() {
        const HIT: u32 = 6;
        const NODES: u64 = 300;
        /// Notes how many nodes have been searched when the opponent moves.
        struct Hit<'a> {
            shared: &'a Shared,
            nodes: AtomicU64,
        }
        impl Observer for Hit<'_> {
            fn root_move(&self, depth: u32, _: Move, index: usize, _: usize) {
                if index == 1 && depth == HIT {
                    // The root may be searched again, with another window.
                    let _ = self.nodes.compare_exchange(0, self.shared.nodes(), Relaxed, Relaxed);
                    self.shared.ponderhit(Instant::now());
                }
            }
        }
        let nodes = |limits: Limits| {
            let limits = Limits { ponder: true, depth: Some(12), ..limits };
            let shared = Shared::new(Arc::new(Table::new(1).expect("a small table")), limits, 1, 1);
            let hit = Hit { shared: &shared, nodes: AtomicU64::new(0) };
            search_alone(&shared, &mut Memory::default(), &Task::from(&Game::default()), Some(&hit));
            (hit.nodes.load(Relaxed), shared.nodes())
        };
        for clock_of_nodes in [false, true] {
            let limits = Limits { time_in_nodes: Some(NODES), clock_of_nodes, ..Limits::default() };
            let (pondered, all) = nodes(limits);
            assert!(pondered > NODES, "the test tests nothing: {pondered} nodes");
            assert_eq!(all - pondered, NODES);
        }
        let asked = Limits { nodes: Some(NODES), ..Limits::default() };
        assert_eq!(nodes(asked), (0, NODES), "it ends before there is a hit");
    }

    /// Notes whether there is an answer already when it hears of a result.
    struct Answered<'s> {
        shared: &'s Shared,
        before: Cell<Option<bool>>,
    }

    impl ParallelScheme for Answered<'_> {
        type Claim = ();

        fn event(&self, event: SearchEvent<'_>) {
            if let SearchEvent::Iteration(Iteration::Finished(_)) = event {
                self.before.set(Some(self.shared.answered()));
            }
        }
    }

    #[test]
    fn a_result_can_be_had_before_it_counts_as_an_answer() {
        let shared = Shared::new(Arc::new(Table::new(0).expect("a small table")), Limits::default(), 1, 1);
        let (mut memory, task) = (Memory::default(), Task::from(&Game::default()));
        let scheme = Answered { shared: &shared, before: Cell::new(None) };
        let worker = Worker::new(&shared, &mut memory, &task, scheme, 0, None);
        hand_in(&worker, &ThreadResult::default());
        assert_eq!((worker.scheme.before.get(), shared.answered()), (Some(false), true));
    }

    /// A thread that begins three plies ahead comes back to the last depth, unless it does not know of it.
    #[test]
    fn a_depth_that_is_unknown_calls_nothing_back() {
        let task = Task::from(&Game::default());
        for (depth_unknown, last) in [(false, 4), (true, 6)] {
            let limits = Limits { depth: Some(4), depth_unknown, ..Limits::default() };
            let shared = Shared::new(Arc::new(Table::new(1).expect("a small table")), limits, 1, 1);
            let mut memory = Memory::default();
            let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
            assert_eq!(iterate(&mut worker, &task, 3).depth, last);
        }
    }

    /// Breaks every iteration off. During the first another thread finishes its third, with a mate in two.
    #[derive(Default)]
    struct Overtaken {
        begun: RefCell<Vec<i32>>,
    }

    impl ParallelScheme for Overtaken {
        type Claim = ();

        fn should_abort(&self, _: u64) -> bool {
            true
        }

        fn event(&self, event: SearchEvent<'_>) {
            match event {
                SearchEvent::Iteration(Iteration::Started(depth)) => self.begun.borrow_mut().push(depth),
                SearchEvent::Iteration(Iteration::Aborted(result)) if self.begun.borrow().len() == 1 => {
                    result.depth = 3;
                    result.root.moves[0].score = MATE - 3;
                }
                _ => {}
            }
        }
    }

    /// A mate in three plies is believed after nine, which no thread has finished here.
    #[test]
    fn a_mate_is_not_settled_by_the_depth_of_what_was_aborted() {
        let shared = Shared::new(Arc::new(Table::new(0).expect("a small table")), Limits::default(), 1, 1);
        let (mut memory, task) = (Memory::default(), Task::from(&Game::default()));
        let mut worker = Worker::new(&shared, &mut memory, &task, Overtaken::default(), 0, None);
        let result = iterate(&mut worker, &task, 9);
        assert_eq!((result.depth, worker.scheme.begun.take()), (3, vec![9, 3 + 9]));
    }

    /// Breaks every iteration off. Another thread has finished it by then, always with the same best move and score;
    /// when that was a late one, so much time has passed.
    struct Led {
        clock: Arc<AtomicU64>,
        time: Duration,
    }

    impl Led {
        const LATE: i32 = 8;
    }

    impl ParallelScheme for Led {
        type Claim = ();

        fn should_abort(&self, _: u64) -> bool {
            true
        }

        fn event(&self, event: SearchEvent<'_>) {
            if let SearchEvent::Iteration(Iteration::Aborted(result)) = event {
                result.depth += 1;
                let [best, second, ..] = &mut result.root.moves[..] else { panic!("there are many moves") };
                (best.score, best.nodes, second.nodes) = (20, 80, 20);
                if result.depth == Self::LATE {
                    self.clock.store(self.time.as_nanos() as u64, Relaxed);
                }
            }
        }
    }

    /// It is one that the time goes by as any other: the choice is settled by then, and is worth less than an equal
    /// share.
    #[test]
    fn an_iteration_that_another_thread_has_finished_counts_for_the_time() {
        const LAST: i32 = 12;
        let task = Task::from(&Game::default());
        let reached = |part: f64| {
            let remaining = Duration::from_secs(60);
            let clock = Some(Clock { remaining, increment: Duration::ZERO, moves_to_go: Some(20) });
            let limits = Limits { clock, depth: Some(LAST as u32), ..Limits::default() };
            let (table, now) = (Arc::new(Table::new(0).expect("a small table")), Arc::default());
            let shared = Shared::timed_by(Stopwatch::Simulated(Arc::clone(&now)), table, limits, 1, 2);
            let time = shared.budget.soft.expect("there is a clock").mul_f64(part);
            let mut memory = Memory::default();
            let mut worker = Worker::new(&shared, &mut memory, &task, Led { clock: now, time }, 0, None);
            iterate(&mut worker, &task, 1).depth
        };
        assert_eq!([0.75, 0.1].map(reached), [Led::LATE, LAST]);
    }

    /// By hand, one digit for each thread. The smallest table has room for four entries.
    #[test]
    fn a_line_counts_what_all_threads_did() {
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(Arc::clone(&table), Limits::default(), 1, 3);
        for (thread, (nodes, hits)) in [(1, 4), (20, 50), (300, 600)].into_iter().enumerate() {
            shared.counter(thread).set(nodes);
            shared.tablebase_hit_counter(thread).set(hits);
        }
        table.store(1, Entry { mv: None, score: 5, eval: None, depth: 3, bound: Bound::Exact, pv: false });
        let mut root = Root::new(&Position::startpos(), &[]);
        root.moves[0].score = 20;
        let line = lines(&shared, &root).next().expect("a move with a score");
        assert_eq!((line.nodes, line.tbhits, line.hashfull), (321, 654, 250));
    }

    /// Lets so much time have passed once a search has come to this depth.
    struct At {
        clock: Arc<AtomicU64>,
        time: Duration,
        depth: u32,
    }

    impl Observer for At {
        fn root_move(&self, depth: u32, _: Move, _: usize, _: usize) {
            if depth >= self.depth {
                self.clock.store(self.time.as_nanos() as u64, Relaxed);
            }
        }
    }

    /// The depth that a search comes to, at most one more than this, if by then such a part of its soft limit
    /// has passed.
    fn depth_at(fen: &str, depth: u32, moves_to_go: Option<u32>, part: f64) -> i32 {
        let task = Task::from(&Game::new(Position::from_fen(fen).expect("a legal FEN")));
        let clock = Clock { remaining: Duration::from_secs(60), increment: Duration::ZERO, moves_to_go };
        let limits = Limits { clock: Some(clock), depth: Some(depth + 1), ..Limits::default() };
        let (table, now) = (Arc::new(Table::new(1).expect("a small table")), Arc::default());
        let shared = Shared::timed_by(Stopwatch::Simulated(Arc::clone(&now)), table, limits, 1, 1);
        let time = shared.budget.soft.expect("there is a clock").mul_f64(part);
        let observer = At { clock: now, time, depth };
        search_alone(&shared, &mut Memory::default(), &task, Some(&observer)).depth
    }

    /// A settled choice has less than its equal share of the time, one of which little is known yet has more.
    #[test]
    fn a_move_gets_the_time_that_it_needs() {
        assert_eq!(depth_at(RECAPTURE, 8, Some(20), 0.95), 8);
        assert_eq!(depth_at(RECAPTURE, 8, Some(20), 0.1), 9);
        let start = Position::startpos().fen();
        assert_eq!(depth_at(&start, 1, Some(20), 1.05), 2);
    }

    /// In a game of sudden death it is the number of the move that counts, not how long ago the last capture was: the
    /// same search gets more time at the eightieth move than at the first.
    #[test]
    fn later_moves_get_more_time_right_after_a_capture_as_well() {
        let needed = |number: u32| {
            let fen = format!("4k3/8/8/3q4/8/8/8/3RK3 w - - 0 {number}");
            let mut parts = (0..40).map(|step| 0.05 * 1.15f64.powi(step));
            parts.find(|&part| depth_at(&fen, 4, None, part) == 4).expect("enough time for any move")
        };
        let (first, eightieth) = (needed(1), needed(80));
        assert!(eightieth > first, "{first} and {eightieth} of an equal share");
    }

    /// The depth that a search alone comes to within these limits, and its nodes.
    fn alone(fen: &str, limits: Limits) -> (i32, u64) {
        let position = Position::from_fen(fen).expect("a legal FEN");
        let shared = Shared::new(Arc::new(Table::new(0).expect("a small table")), limits, 1, 1);
        let task = Task::from(&Game::new(position));
        (search_alone(&shared, &mut Memory::default(), &task, None).depth, shared.nodes())
    }

    /// There is one move only. It is played at once if it costs time, and thought about otherwise.
    #[test]
    fn a_forced_move_costs_no_time() {
        let forced = "6k1/5ppp/8/8/8/8/6PP/R3r2K w - - 0 1";
        assert_eq!(depth_at(forced, 8, Some(20), 0.0), 1);
        let limits = |depth| Limits { depth, ..Limits::default() };
        assert_eq!(alone(forced, limits(Some(5))).0, 5);
        let nodes = Limits { nodes: Some(5000), ..limits(None) };
        assert_eq!(alone(forced, nodes).1, 5000);
        let time_in_nodes = Some(5000);
        assert_eq!(alone(forced, Limits { time_in_nodes, ..limits(None) }).1, 5000, "a time for the move");
        assert_eq!(alone(forced, Limits { time_in_nodes, clock_of_nodes: true, ..limits(None) }).0, 1);
        let hour = Duration::from_secs(3600);
        let clock = Some(Clock { remaining: hour, increment: hour, moves_to_go: None });
        assert_eq!(alone(forced, Limits { clock, ..limits(None) }).0, 1);
        assert_eq!(alone(forced, Limits { clock, infinite: true, ..limits(Some(5)) }).0, 5);
    }

    /// Of a clock of nodes, as of one of time, a mate that is found takes no more; nodes that are asked for are
    /// searched.
    #[test]
    fn a_mate_that_is_found_costs_no_more_nodes() {
        let mate_in_two = "7k/8/5K2/8/8/8/8/R7 w - - 0 1";
        let nodes = Some(5000);
        assert_eq!(alone(mate_in_two, Limits { nodes, ..Limits::default() }).1, 5000);
        let clock = Limits { time_in_nodes: nodes, clock_of_nodes: true, ..Limits::default() };
        let (_, used) = alone(mate_in_two, clock);
        assert!(used < 4000, "{used} nodes");
    }

    /// What other moves than the best are worth is not what the position is worth.
    #[test]
    fn the_table_remembers_the_first_of_several_lines() {
        let position = Position::from_fen(RECAPTURE).expect("a legal FEN");
        let table = Arc::new(Table::new(1).expect("a small table"));
        let limits = Limits { depth: Some(5), ..Limits::default() };
        let shared = Shared::new(Arc::clone(&table), limits, 3, 1);
        let task = Task::from(&Game::new(position));
        let result = search_alone(&shared, &mut Memory::default(), &task, None);
        let [best, second, ..] = &result.root.moves[..] else { panic!("there are many moves") };
        assert!(best.score > second.score + 100 && second.score > -INFINITE, "{best:?}, {second:?}");
        let entry = table.probe(table_key(&task.position)).expect("the root is remembered");
        assert_eq!((entry.mv, entry.score), (Some(best.mv), best.score));
    }

    /// The rook takes the queen, or after most other moves is taken: what those are worth does not say that the
    /// evaluation of the position is wrong.
    #[test]
    fn lines_of_some_moves_correct_no_evaluation() {
        let position = Position::from_fen(RECAPTURE).expect("a legal FEN");
        let task = Task::from(&Game::new(position.clone()));
        let learnt = |search_moves: Vec<Move>, lines: usize| {
            let limits = Limits { depth: Some(1), search_moves, ..Limits::default() };
            let shared = Shared::new(Arc::new(Table::new(0).expect("a small table")), limits, lines, 1);
            let mut memory = Memory::default();
            search_alone(&shared, &mut memory, &task, None);
            memory.corrections.get(&Places::of(&position, [Context::NONE; 2]))
        };
        let loses = position.parse_uci("e1f1").expect("a legal move");
        assert_eq!(learnt(vec![loses], 1), 0);
        assert_eq!(learnt(Vec::new(), position.count_legal()), 0);
    }

    /// What `act` makes of a worker before its iteration, to whom a king's move has looked best so far, at 0.
    fn with_worker<R>(
        driver: Driver,
        nodes: Option<u64>,
        act: impl FnOnce(&mut Worker<'_, Alone>, &Task) -> R,
    ) -> R {
        let game = Game::new(Position::from_fen(RECAPTURE).expect("a legal FEN"));
        let task = Task::from(&game);
        let table = Arc::new(Table::new(0).expect("a small table"));
        let mut shared = Shared::new(table, Limits { nodes, ..Limits::default() }, 1, 1);
        shared.driver = driver;
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
        worker.path.push(task.position.key());
        worker.root_depth = DEPTH;
        for root_move in &mut worker.root.moves {
            root_move.previous = if root_move.mv.to_string() == "e1f1" { 0 } else { -1 };
        }
        worker.root.begin_search(0);
        worker.root.sort(0);
        act(&mut worker, &task)
    }

    /// A search that ends in its first iteration knows no more than the static evaluation of the network.
    #[test]
    fn an_unfinished_first_iteration_gives_the_static_evaluation_and_no_mate() {
        for (fen, first) in [
            ("rnbqkb1r/pppppppp/8/3n4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 3", Some("e4d5")),
            (RECAPTURE, Some("d1d5")),
            ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", None),
            ("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", Some("e1e2")),
            ("k7/8/8/8/8/8/1r6/K7 w - - 0 1", Some("a1b2")),
            ("4k3/4r3/8/8/8/8/3P1P2/3QKB2 w - - 0 1", None),
        ] {
            let position = Position::from_fen(fen).expect("a legal FEN");
            let game = Game::new(position.clone());
            let task = Task::from(&game);
            let mut expected = Evaluator::default();
            expected.choose(Some(&nnue::Network::embedded()));
            let expected = expected.evaluate(&position, 0);
            let mut finished = false;
            for nodes in 1.. {
                let table = Arc::new(Table::new(0).expect("a small table"));
                let shared = Shared::new(table, Limits { nodes: Some(nodes), ..Limits::default() }, 1, 1);
                let mut memory = Memory::default();
                let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
                let result = iterate(&mut worker, &task, 1);
                let best = result.root.best().expect("there is a move");
                assert!(best.score > -INFINITE && position.is_legal(best.mv), "{fen}, {nodes} nodes");
                if result.depth > 0 {
                    finished = nodes > 1;
                    break;
                }
                assert_eq!((best.score, best.bound, best.line.len()), (expected, Bound::Exact, 1), "{fen}");
                assert!(!is_mate(best.score), "{fen}, {nodes} nodes");
                if let Some(first) = first {
                    assert_eq!(best.mv.to_string(), first, "{fen}, {nodes} nodes");
                }
            }
            assert!(finished, "{fen}");
        }
    }

    /// All lines that were told, in that order.
    #[derive(Default)]
    struct Told(Mutex<Vec<Info>>);

    impl Observer for Told {
        fn info(&self, info: &Info) {
            self.0.lock().expect("no panic").push(info.clone());
        }
    }

    /// What a long search of the first position for three lines comes to with so many nodes, and all that it tells.
    fn three_lines(driver: Driver, nodes: u64) -> (ThreadResult, Vec<Info>) {
        let task = Task::from(&Game::default());
        let table = Arc::new(Table::new(4).expect("a small table"));
        let hour = Stopwatch::Simulated(Arc::new(AtomicU64::new(3_600_000_000_000)));
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let mut shared = Shared::timed_by(hour, table, limits, 3, 1);
        shared.driver = driver;
        let told = Told::default();
        let result = search_alone(&shared, &mut Memory::default(), &task, Some(&told));
        (result, told.0.into_inner().expect("no panic"))
    }

    /// Wherever an iteration is broken off, the lines told last are of different moves, and the first is that of the
    /// best move. Lines that the iteration has not come to are those of the iteration before. No iteration is told more
    /// than once, however long the search takes.
    #[test]
    fn no_move_stands_in_two_ranks() {
        for driver in Driver::ALL {
            let mut broken_off = 0;
            for nodes in (500..25_000).step_by(250) {
                let (result, all) = three_lines(driver, nodes);
                let told = all.last_chunk::<3>().expect("a line of every rank");
                assert_eq!(told.each_ref().map(|line| line.multipv), [1, 2, 3], "{driver}, {nodes}");
                let [first, second, third] = told.each_ref().map(|line| line.pv[0]);
                assert!(first != second && first != third && second != third, "{driver}, {nodes}: {told:?}");
                assert_eq!(Some(first), result.root.best().map(|best| best.mv), "{driver}, {nodes}");
                let depths = told.each_ref().map(|line| line.depth as i32);
                assert_eq!(depths[0], result.root.depth, "{driver}, {nodes}");
                assert_eq!(all.len() as i32, 3 * depths[0], "{driver}, {nodes}");
                let possible = result.depth..=result.depth + 1;
                assert!(depths.iter().all(|depth| possible.contains(depth)), "{driver}, {nodes}: {told:?}");
                assert!(depths.is_sorted_by(|better, worse| better >= worse), "{driver}, {nodes}: {told:?}");
                broken_off += usize::from(depths[0] == result.depth + 1);
            }
            assert!(
                broken_off >= 5,
                "{driver}: only {broken_off} told anything of the iteration that was broken off"
            );
        }
    }

    /// Wherever an iteration is broken off, a line that is told again with the depth of the one before is the line that
    /// was told of that move when that iteration was over, with the same score, bound and longest line.
    #[test]
    fn a_line_of_the_iteration_before_is_told_as_it_was() {
        let said = |line: &Info| (line.score, line.bound, line.seldepth, line.pv.clone());
        for driver in Driver::ALL {
            let mut told_again = 0;
            for nodes in (500..25_000).step_by(250) {
                let (result, told) = three_lines(driver, nodes);
                let (earlier, last) = told.split_last_chunk::<3>().expect("a line of every rank");
                let finished = result.depth as u32;
                if last[0].depth == finished {
                    continue;
                }
                for line in last.iter().filter(|line| line.depth == finished) {
                    let before = earlier.iter().find(|one| (one.depth, one.pv[0]) == (finished, line.pv[0]));
                    assert_eq!(Some(said(line)), before.map(said), "{driver}, {nodes}");
                    told_again += 1;
                }
            }
            assert!(told_again >= 5, "{driver}: only {told_again} lines of the iteration before");
        }
    }

    /// Moves that may not be searched are not played either, and a move that the table knows comes first.
    #[test]
    fn without_an_iteration_the_order_is_that_of_any_node() {
        let game = Game::default();
        let (task, position) = (Task::from(&game), game.position());
        let mv = |text: &str| position.parse_uci(text).expect("a legal move");
        let first = |only: &[Move], known: Option<Move>| {
            let table = Table::new(1).expect("a small table");
            table.clear();
            if let Some(mv) = known {
                let entry =
                    Entry { mv: Some(mv), score: 0, eval: None, depth: 1, bound: Bound::Exact, pv: true };
                table.store(table_key(position), entry);
            }
            let limits = Limits { nodes: Some(1), search_moves: only.to_vec(), ..Limits::default() };
            let shared = Shared::new(Arc::new(table), limits, 1, 1);
            let mut memory = Memory::default();
            let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
            iterate(&mut worker, &task, 1).root.best().map(|best| best.mv)
        };
        assert_eq!(
            first(&[mv("h2h3"), mv("g1f3")], Some(mv("e2e4")))
                .map(|best| [mv("h2h3"), mv("g1f3")].contains(&best)),
            Some(true)
        );
        assert_eq!(first(&[], Some(mv("e2e4"))), Some(mv("e2e4")));
        assert_eq!(first(&[mv("h2h3")], None), Some(mv("h2h3")));
    }

    /// A search with a narrow window finds the capture of the queen and fails high; the search behind that is
    /// broken off. What the first one saw behind the king's move, which has no score any more, is forgotten.
    #[test]
    fn what_failed_high_is_played_when_time_runs_out() {
        let width = Params::DEFAULT.aspiration_width;
        let narrow = Window { alpha: -width, beta: width };
        let nodes = with_worker(Driver::Pvs, None, |worker, task| {
            let score = search::<node::Root, _>(worker, &task.position, narrow, DEPTH, 0, false);
            assert!(score.is_ok_and(|score| score >= width));
            worker.nodes()
        });
        with_worker(Driver::Pvs, Some(nodes + 1), |worker, task| {
            let before = worker.root.clone();
            assert!(
                drivers::search_root(worker, task, DEPTH).is_err(),
                "the limit lies in the second search"
            );
            assert!(salvage(worker, &before));
            assert_eq!(worker.root.best().map(|best| best.mv.to_string()).as_deref(), Some("d1d5"));
            let others = worker.root.moves.iter().filter(|root_move| root_move.score == -INFINITE);
            assert_eq!(others.map(|root_move| root_move.seldepth).max(), Some(0), "as it was before");
        });
    }

    /// Time runs out in the second line of MultiPV, at its beginning or with its last node: the first has been searched
    /// deeper than in the iteration before.
    #[test]
    fn a_whole_first_line_is_played_when_time_runs_out_in_the_second() {
        let begin_second = |worker: &mut Worker<'_, Alone>, task: &Task| {
            assert!(drivers::search_root(worker, task, DEPTH).is_ok());
            worker.root.sort(0);
            worker.root.first = 1;
            worker.nodes()
        };
        let (first, both) = with_worker(Driver::Pvs, None, |worker, task| {
            let first = begin_second(worker, task);
            assert!(drivers::search_root(worker, task, DEPTH).is_ok());
            (first, worker.nodes())
        });
        for nodes in [first + 20, both - 1] {
            with_worker(Driver::Pvs, Some(nodes), |worker, task| {
                let before = worker.root.clone();
                assert_eq!(begin_second(worker, task), first);
                assert!(
                    drivers::search_root(worker, task, DEPTH).is_err(),
                    "the limit lies in the second line"
                );
                assert!(salvage(worker, &before));
                let [best, second, ..] = &worker.root.moves[..] else { panic!("there are many moves") };
                assert_eq!((best.mv.to_string().as_str(), worker.root.first), ("d1d5", 0));
                assert!(best.score > 0 && second.score == -INFINITE, "{nodes} nodes: {second:?}");
            });
        }
    }

    /// Wherever the null windows behind the first are broken off, the capture that has failed high there is played.
    #[test]
    fn what_null_windows_have_shown_is_played_when_time_runs_out() {
        let asked = |worker: &mut Worker<'_, Alone>, task: &Task| {
            let score = search::<node::Root, _>(worker, &task.position, Window::null(-1), DEPTH, 0, false);
            assert!(score.is_ok_and(|score| score >= 0));
            worker.nodes()
        };
        let first = with_worker(Driver::Mtdf, None, asked);
        let all = with_worker(Driver::Mtdf, None, |worker, task| {
            assert!(drivers::search_root(worker, task, DEPTH).is_ok());
            worker.nodes()
        });
        assert!(all > first + 50, "{first} and {all} nodes");
        for nodes in first + 1..all {
            with_worker(Driver::Mtdf, Some(nodes), |worker, task| {
                let before = worker.root.clone();
                assert!(drivers::search_root(worker, task, DEPTH).is_err());
                assert!(salvage(worker, &before), "{nodes} nodes");
                let best = worker.root.best().expect("there is a move");
                assert_eq!((best.mv.to_string().as_str(), best.bound), ("d1d5", Bound::Lower));
            });
        }
    }
}
