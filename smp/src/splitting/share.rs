//! Opening a split point, working at it, and joining one that another worker has opened.

use super::point::{Body, InFlight, Kind, SplitPoint, State};
use super::waiting::{await_helpers, pass_turn, take_turn, turn_to_points};
use super::{Conditions, Registry, Role, Split};
use crate::pace::{Event, Pace};
use crate::pool::accounts::Activity;
use crate::simulation::coherence::Access;
use chess::Move;
use engine::node::{Best, Node, NodeKind, NonPv, Pv, Root};
use engine::picker::Picker;
use engine::search::{next_move, search_move, take_score};
use engine::shared::Shared;
use engine::worker::Worker;
use engine::{Aborted, Searched};
use thinking::score::Score;

/// Splits a node that may be split if a worker is idle or the node is worth opening in advance. A worker that
/// reads ahead looks for the points of others instead.
///
/// Out of line, like everything that few nodes come to: the code of a node is larger than a first-level cache,
/// which missed more often with this inlined into the move loop (bench/runs/2026-11-24-code-size).
#[cold]
#[inline(never)]
pub(super) fn share<N: NodeKind, C: Conditions, P: Pace>(
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
        // What is only read ahead is not shared out.
        return Ok(false);
    }
    let too_early = rest.handed_out() == 0 && !C::splits_before_first(node, scheme.registry.members);
    if too_early || scheme.reads_along.is_some() || rest.most_left() == 0 {
        return Ok(false);
    }
    if !(C::in_advance(node) && scheme.wants_places() || scheme.has_idle()) {
        return Ok(false);
    }
    split(worker, node, best, rest)
}

/// Opens a split point, works at it with all that join, and closes it when all its moves are done. `false`: all
/// of this worker's points are in use, or no move is left.
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
    let changes = worker.root.changes;
    worker.scheme.open |= bit;
    let above = worker.scheme.chain.replace(point);
    // If an abort has ended it, that stands at the point.
    let _ = take_part(worker, |worker| work(worker, point, node));
    await_helpers(worker, point, node);
    worker.scheme.chain = above;
    worker.scheme.open &= !bit;
    take_result(worker, node, best, point, changes)?;
    Ok(true)
}

/// Takes over what was found at a point that is done. `changes` are those of the root's best move before it was opened.
fn take_result<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    node: &Node<'_, N>,
    best: &mut Best,
    point: &SplitPoint,
    changes: i32,
) -> Searched<()> {
    let pace = worker.scheme.pace.clone();
    let mut state = point.lock(&pace);
    pace.touch(Access::Read, point.place(&state.best));
    if N::ROOT {
        // A best move that a helper has found is as much of a change as one of our own.
        worker.root.changes = changes;
        worker.root.count_changes(state.root_moves.len() as i32);
        // Each of these was searched to its end: the best of them may be played whatever becomes of the rest.
        state.root_moves.iter().for_each(|found| worker.root.adopt(found));
        state.spent.iter().for_each(|&(mv, nodes)| worker.root.spend(mv, nodes));
    }
    // A stop, a worker that gave the point up, or a cut-off above makes it worthless, and without a score of every move
    // there is none.
    worker.shared.check()?;
    if state.given_up || worker.scheme.is_void() || !state.is_known(node.window.beta) {
        return Err(Aborted);
    }
    if N::PV {
        worker.set_line(node.ply, &state.line);
    }
    std::mem::swap(best, &mut state.best);
    Ok(())
}

/// Counts a worker's part of a split point, the master's as well as a helper's, if it is broken off.
fn take_part<'r, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'r, C, P>>,
    part: impl FnOnce(&mut Worker<'_, Split<'r, C, P>>) -> Searched<()>,
) -> Searched<()> {
    let (nodes, wasted) = (worker.nodes(), worker.scheme.tally.wasted);
    let worked = part(worker);
    if worked.is_err() {
        worker.scheme.tally.aborted += 1;
        // What was wasted at points below is part of this.
        worker.scheme.tally.wasted = wasted + worker.nodes() - nodes;
    }
    worked
}

/// Draws moves from a split point and searches them until none is left or the point is cut off.
pub(super) fn work<N: NodeKind, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'_, C, P>>,
    point: &SplitPoint,
    node: &Node<'_, N>,
) -> Searched<()> {
    let pace = worker.scheme.pace.clone();
    let registry = worker.scheme.registry;
    let mut state = point.lock(&pace);
    while !registry.is_cut(point, &pace) {
        pace.touch(Access::Update, point.draw_place(&state));
        pace.touch(Access::Read, point.place(&state.best));
        pace.touch(Access::Update, point.in_flight_place());
        let State { moves, best, in_flight, .. } = &mut *state;
        let Some((mv, number, _claim)) = next_move(worker, node, moves, best) else {
            registry.narrow(point, 0, &pace);
            break;
        };
        let left = moves.most_left();
        registry.narrow(point, if left > 0 { C::most_helpers(left) } else { 0 }, &pace);
        let (reached, nodes) = (best.reached(), worker.nodes());
        in_flight.push(InFlight { mv, number });
        // A lock for each move, not one to take its score and another to draw the next: locked instructions wait for
        // all that was written before.
        let searched = state.unlocked(|| {
            search_move(worker, node, reached, mv, number, |worker, alpha, score| {
                before_open_window(worker, point, node, alpha, score, number)
            })
        });
        pace.touch(Access::Update, point.place(&state.best));
        pace.touch(Access::Update, point.in_flight_place());
        state.in_flight.retain(|other| other.mv != mv);
        if N::ROOT && point.owner() != worker.scheme.member {
            // The master's own are counted where it searches.
            state.spent.push((mv, worker.nodes() - nodes));
        }
        match searched {
            Ok(score) => enter(worker, point, node, &mut state, mv, score),
            Err(Aborted) => {
                state.lost = true;
                // A stop has ended this, which the others will see too, or a deeper result of another team, which
                // they need not: only a leader is overtaken.
                if !registry.is_cut(point, &pace) {
                    state.given_up = true;
                    point.cut_off(&pace);
                }
            }
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

/// A move of a point has come out at `score`, above `alpha`, and is to be re-searched with an open window.
/// Returns the point's alpha by now, once it is the move's turn if the conditions have moves take turns.
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

/// A place at a split point. Dropping it gives the place back, so that not even a panic leaves a master waiting.
struct Reserved<'r, P: Pace> {
    registry: &'r Registry,
    point: &'r SplitPoint,
    shared: &'r Shared,
    pace: P,
}

impl<P: Pace> Drop for Reserved<'_, P> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The move is lost with it: what the others find at this point must not pass for its value.
            self.shared.stop();
        }
        self.registry.leave(self.point, &self.pace);
    }
}

/// Works at another worker's split point, at which a place has been reserved.
pub(super) fn help<'r, C: Conditions, P: Pace>(
    worker: &mut Worker<'_, Split<'r, C, P>>,
    point: &'r SplitPoint,
) {
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
    // If an abort has ended it, that stands at the point.
    let _ = take_part(worker, |worker| match kind {
        Kind::Root => work(worker, point, &node.attach::<Root>()),
        Kind::Pv => work(worker, point, &node.attach::<Pv>()),
        Kind::NonPv => work(worker, point, &node.attach::<NonPv>()),
    });
    worker.path = own_path;
    worker.scheme.chain = chain;
    worker.scheme.note(before);
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::pace::Real;
    use crate::pace::tests::Scripted;
    use crate::pool::iteration_sync::IterationSync;
    use crate::schemes::rootsplit::RootSplit;
    use crate::schemes::ybw::Ybw;
    use crate::simulation::coherence::Place;
    use crate::splitting::point::Seats;
    use chess::{Game, Position};
    use engine::iterate::{iterate, search_alone};
    use engine::node::Window;
    use engine::root::RootMove;
    use engine::shared::Stopwatch;
    use engine::tt::Table;
    use engine::worker::{Line, Memory, Task};
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use thinking::report::{Bound, Limits};

    /// What two workers share that split the root.
    pub(crate) struct Team {
        pub(crate) task: Task,
        /// In nanoseconds.
        pub(crate) clock: Arc<AtomicU64>,
        pub(crate) shared: Shared,
        pub(crate) registry: Registry,
    }

    impl Team {
        pub(crate) fn new(position: Position, limits: Limits) -> Self {
            let clock = Arc::new(AtomicU64::new(0));
            let stopwatch = Stopwatch::Simulated(Arc::clone(&clock));
            let table = Arc::new(Table::new(1).expect("a small table"));
            let shared = Shared::timed_by(stopwatch, table, limits, 1, 2);
            let task = Task::from(&Game::new(position));
            Team { task, clock, shared, registry: Registry::of::<RootSplit>(2) }
        }

        /// The master, who is number 0, or the other.
        pub(crate) fn member<'s, P: Pace>(
            &'s self,
            number: usize,
            memory: &'s mut Memory,
            pace: P,
        ) -> Worker<'s, Split<'s, RootSplit, P>> {
            self.member_by(number, memory, pace)
        }

        /// The same by other conditions than those of root splitting.
        pub(crate) fn member_by<'s, C: Conditions, P: Pace>(
            &'s self,
            number: usize,
            memory: &'s mut Memory,
            pace: P,
        ) -> Worker<'s, Split<'s, C, P>> {
            let scheme = Split::new(&self.registry, number, IterationSync::new(&None), pace);
            Worker::new(&self.shared, memory, &self.task, scheme, number, None)
        }
    }

    /// Opens a point and another one below it, both of the same node. The owner is then at the lower one.
    pub(in crate::splitting) fn open_two<'r>(
        owner: &mut Worker<'_, Split<'r, RootSplit, Real>>,
        node: &Node<'_, NonPv>,
        rest: &Picker,
    ) -> [&'r SplitPoint; 2] {
        let registry = owner.scheme.registry;
        [(); 2].map(|()| {
            let point = registry.open(owner, node, &Best::new(0), rest).expect("it has eight");
            owner.scheme.open |= point.bit();
            owner.scheme.chain = Some(point);
            point
        })
    }

    /// A master to whose points no helper comes searches what a thread alone does, and its best move changes as often:
    /// the time for a move goes by that.
    #[test]
    fn a_master_without_helpers_is_the_serial_search() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            // The queen can be won; whatever move goes first, this one becomes the best.
            "4k3/8/8/7q/8/8/3PPP2/3QK2R w - - 0 1",
        ];
        let mut changes = 0;
        for (fen, depth) in positions.into_iter().flat_map(|fen| (1..=6).map(move |depth| (fen, depth))) {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let team = Team::new(Position::from_fen(fen).expect("a legal FEN"), limits.clone());
            let alone = Shared::new(Arc::new(Table::new(1).expect("a small table")), limits, 1, 1);
            let serial = search_alone(&alone, &mut Memory::default(), &team.task, None).root;
            let mut memory = Memory::default();
            let mut master = team.member(0, &mut memory, Real);
            // One that would join, and never does.
            master.scheme.note_reading(true);
            let root = iterate(&mut master, &team.task, 1).root;
            assert!(master.scheme.tally.splits >= u64::from(depth), "{fen}, depth {depth}");
            assert_eq!(team.shared.nodes(), alone.nodes(), "{fen}, depth {depth}");
            assert_eq!(root.changes, serial.changes, "{fen}, depth {depth}");
            changes += serial.changes;
        }
        assert!(changes > 0, "the test tests nothing");
    }

    /// A helper has found another best move, for five hundred nodes, when time runs out. It was the third such move.
    /// Neither counts on a further line of MultiPV.
    #[test]
    fn what_was_found_at_the_root_stands_when_the_search_is_stopped() {
        for (first, nodes, changes) in [(0, 500, 3), (1, 0, 2)] {
            let team = Team::new(Position::startpos(), Limits::default());
            let mut memory = Memory::default();
            let mut master = team.member(0, &mut memory, Real);
            master.root.first = first;
            let node = Node::<Root>::new(&team.task.position, Window::FULL, 5, 0, false);
            let (point, mut best) = (SplitPoint::new(0, 0), Best::new(0));
            let found = RootMove { score: 77, bound: Bound::Lower, ..master.root.moves[3].clone() };
            let mv = found.mv;
            {
                let mut state = point.lock(&Real);
                state.spent.push((mv, 500));
                state.root_moves.push(found);
            }
            team.shared.stop();
            assert_eq!(take_result(&mut master, &node, &mut best, &point, 2), Err(Aborted));
            let known = master.root.find(mv).expect("a move of the root");
            assert_eq!((known.score, known.bound), (77, Bound::Lower));
            assert_eq!((known.nodes, master.root.changes), (nodes, changes), "line {first}");
        }
    }

    /// A node's first move has a score and a line when the node is split, and no other move turns out better. What the
    /// master has noted at that ply meanwhile does not count.
    #[test]
    fn the_line_found_before_the_split_is_the_line_after_it() {
        let team = Team::new(Position::startpos(), Limits::default());
        let mut memory = Memory::default();
        let mut master = team.member(0, &mut memory, Real);
        let first = team.task.position.parse_uci("e2e4").expect("a legal move");
        let position = team.task.position.after(first);
        master.path.extend([team.task.position.key(), position.key()]);
        let mv = position.parse_uci("e7e5").expect("a legal move");
        let reply = position.after(mv).parse_uci("g1f3").expect("a legal move");
        let line: Line = [mv, reply].into_iter().collect();
        master.set_line(1, &line);
        let node = Node::<Pv>::new(&position, Window::FULL, 2, 1, false);
        let mut best = Best { score: 20, mv: Some(mv), ..Best::new(20) };
        let rest = Picker::listed(position.legal_moves().into_iter().filter(|&other| other != mv));
        let point = team.registry.open(&master, &node, &best, &rest).expect("all its points are free");
        master.set_line(1, &Line::new());
        point.lock(&Real).moves = Picker::listed([]);
        assert_eq!(take_result(&mut master, &node, &mut best, point, 0), Ok(()));
        assert_eq!((best.mv, master.line(1)), (Some(mv), &line));
    }

    /// Another worker may raise alpha to a move's score before it is the move's turn.
    #[test]
    fn only_moves_that_are_searched_again_count() {
        let team = Team::new(Position::startpos(), Limits::default());
        let mut memory = Memory::default();
        let mut worker = team.member_by::<Ybw, Real>(0, &mut memory, Real);
        let node = Node::<Pv>::new(&team.task.position, Window::FULL, 2, 0, false);
        let point = SplitPoint::new(0, 0);
        for (raised, again) in [(100, 0), (99, 1)] {
            point.lock(&Real).best.alpha = raised;
            assert_eq!(before_open_window(&mut worker, &point, &node, 0, 100, 2), Ok(raised));
            assert_eq!(worker.scheme.tally.again, again, "alpha is {raised}");
        }
    }

    /// The only move of a point goes with a helper that gives it up, as a leader does that has been overtaken. The
    /// master has not been, and there is no point above.
    #[test]
    fn a_move_that_a_helper_gives_up_leaves_the_point_without_a_value() {
        let team = Team::new(Position::startpos(), Limits::default());
        let [mut of_master, mut own] = [(); 2].map(|()| Memory::default());
        let mut master = team.member(0, &mut of_master, Real);
        master.path.push(team.task.position.key());
        let mut helper = team.member(1, &mut own, Real);
        helper.scheme.role = Role::Leader;
        helper.scheme.iteration_sync = IterationSync::new(&Some(Arc::default()));
        let node = Node::<NonPv>::new(&team.task.position, Window::null(0), 2, 0, false);
        let rest = Picker::listed(node.position.legal_moves().into_iter().take(1));
        let mut best = Best::new(0);
        let point = team.registry.open(&master, &node, &best, &rest).expect("all its points are free");
        help(&mut helper, team.registry.reserve(None, &Real).expect("it has room"));
        assert_eq!((helper.scheme.tally.joins, helper.scheme.tally.aborted), (1, 1));
        assert_eq!(take_result(&mut master, &node, &mut best, point, 0), Err(Aborted));
    }

    /// A point is cut off while work is done two points below, before the first of two moves is drawn there or while
    /// the only one is searched. Then it is used again: the owner of the point between flags that one as it leaves,
    /// just after the worker below has looked there, and just before it looks at the point that is used again.
    #[test]
    fn no_point_above_that_is_used_again_makes_up_for_moves_without_a_score() {
        for (moves, cut_off) in [(2, 1), (1, 2)] {
            for used_again in cut_off + 1..cut_off + 4 {
                let team = Team::new(Position::startpos(), Limits::default());
                let [mut of_owner, mut own] = [(); 2].map(|()| Memory::default());
                let mut owner = team.member(0, &mut of_owner, Real);
                owner.path.push(team.task.position.key());
                let node = Node::<NonPv>::new(&team.task.position, Window::null(0), 2, 0, false);
                let rest = Picker::listed(node.position.legal_moves().into_iter().take(moves));
                let [above, between] = open_two(&mut owner, &node, &rest);
                // What it opens next lies below no point.
                owner.scheme.chain = None;
                let looks = Cell::new(0);
                let before_touch = |access: Access, place: Place| {
                    if access != Access::Read || place != above.place(&*above.flags) {
                        return;
                    }
                    looks.set(looks.get() + 1);
                    if looks.get() == cut_off {
                        above.cut_off(&Real);
                    } else if looks.get() == used_again {
                        between.cut_off(&Real);
                        above.renew(&owner, &node, &Best::new(0), &rest);
                    }
                };
                let pace = Scripted { before_touch: &before_touch, while_waiting: &|_| {} };
                let mut worker = team.member(1, &mut own, pace);
                worker.path.push(team.task.position.key());
                worker.scheme.chain = Some(between);
                let split = split(&mut worker, &node, &mut Best::new(0), &rest);
                assert_eq!(split, Err(Aborted), "{moves} to search, used again at look {used_again}");
                assert!(looks.get() >= cut_off, "the test tests nothing");
            }
        }
    }

    fn die_at(_place: Reserved<'_, Scripted<'_>>) {
        resume_unwind(Box::new("on purpose"));
    }

    /// Or the master might see that it has gone, and not that its move has no score.
    #[test]
    fn a_helper_that_dies_stops_the_search_before_it_leaves() {
        let team = Team::new(Position::startpos(), Limits::default());
        let point = SplitPoint::new(0, 0);
        point.change_seats(&Real, |_| Some(Seats::of(1, 1)));
        let stopped = Cell::new(None);
        let leaves = |access: Access, place: Place| {
            if access == Access::Update && place == point.place(&point.seats.0) {
                stopped.set(Some(team.shared.stopped()));
            }
        };
        let pace = Scripted { before_touch: &leaves, while_waiting: &|_| {} };
        let place = Reserved { registry: &team.registry, point: &point, shared: &team.shared, pace };
        assert!(catch_unwind(AssertUnwindSafe(|| die_at(place))).is_err());
        assert_eq!((stopped.get(), point.helpers(&Real)), (Some(true), 0));
    }
}
