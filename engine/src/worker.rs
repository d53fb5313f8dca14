//! One thread's search state.
//!
//! [`Memory`] is what a thread keeps from search to search (histories and buffers); [`Worker`] is one thread at work
//! on one search.

use crate::Searched;
use crate::correction::Corrections;
use crate::eval::Evaluator;
use crate::history::{CONTEXT_PLIES, Context, Contexts, History, Merit};
use crate::node::Aborted;
use crate::node::{Node, NodeKind};
use crate::parallel::{ParallelScheme, SearchEvent, Tick};
use crate::params::Params;
use crate::root::Root;
use crate::shared::Shared;
use crate::touch::Touch;
use crate::tt::{Entry, table_key};
use arrayvec::ArrayVec;
use chess::{Bitboard, Game, Move, Position};
use std::sync::Arc;
use thinking::report::Observer;
use thinking::score::{MAX_PLY, Score};

/// A line of moves.
pub type Line = ArrayVec<Move, MAX_PLY>;

/// What a worker notes at each ply of its current path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// The last quiet move that cut off at this ply.
    pub killer: Option<Move>,
    /// Static evaluation; `None` in check.
    pub eval: Option<Score>,
    /// The move made from here; `None` for a null move.
    pub mv: Option<Move>,
    /// What that move means to those after it.
    pub context: Context,
    /// Squares that the other side attacks, as far as the moves of this node have been looked at.
    pub threats: Bitboard,
    /// Plies since the last null move of the path, or since far before the root.
    pub since_null: u16,
    /// Moves of the path that were extended by more than a ply.
    pub doubles: u16,
    /// By the parity of the ply: null moves are forbidden before this ply.
    pub no_null: [u16; 2],
    /// Cut-offs at this ply since the search came to the node two plies above.
    pub cutoffs: u32,
    /// How the move loop came to make the move.
    pub tried: Tried,
}

/// How the move loop came to make a move; all zero for a null move and those of ProbCut and quiescence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    /// Neither a capture nor a promotion.
    pub quiet: bool,
    /// The move's number at its node, from 1.
    pub number: u16,
    /// Plies by which it is reduced.
    pub reduction: i16,
}

impl Frame {
    /// The root's.
    const ROOT: Frame = Frame {
        killer: None,
        eval: None,
        mv: None,
        context: Context::NONE,
        threats: Bitboard::EMPTY,
        since_null: 1 << 12,
        doubles: 0,
        no_null: [0; 2],
        cutoffs: 0,
        tried: Tried { quiet: false, number: 0, reduction: 0 },
    };
}

/// What one thread keeps between searches.
pub struct Memory {
    /// The evaluation, with the network's accumulators.
    pub evaluator: Evaluator,
    /// Merit of moves.
    pub history: Arc<History>,
    /// Errors of the static evaluation.
    pub corrections: Corrections,
    pub(crate) frames: Vec<Frame>,
    pub(crate) lines: Vec<Line>,
    pub(crate) reductions: Reductions,
}

impl Default for Memory {
    fn default() -> Self {
        Memory::learning(Arc::default())
    }
}

impl Memory {
    /// The memory of a thread that learns the merit of moves here, where others may tell it more.
    pub fn learning(history: Arc<History>) -> Self {
        Memory {
            evaluator: Evaluator::default(),
            history,
            corrections: Corrections::default(),
            frames: vec![Frame::default(); MAX_PLY + 2],
            lines: vec![Line::new(); MAX_PLY + 2],
            reductions: Reductions::new(&Params::DEFAULT),
        }
    }

    /// Forgets what was learnt: a new game.
    pub fn clear(&mut self) {
        self.history.clear();
        self.clear_own();
    }

    /// The same but for the history, which others may be telling of.
    pub fn clear_own(&mut self) {
        self.corrections.clear();
        self.frames.fill(Frame::default());
    }
}

/// How much shallower late moves are searched, by depth and move number: a product of logarithms.
pub struct Reductions {
    table: Box<[[i16; 64]; 64]>,
    /// The two parameters that the table was made of.
    made_of: [i32; 2],
}

impl Reductions {
    fn new(params: &Params) -> Self {
        let base = f64::from(params.reduction_base) / 100.0;
        let divisor = f64::from(params.reduction_divisor) / 100.0;
        let mut table = Box::new([[0; 64]; 64]);
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, entry) in row.iter_mut().enumerate().skip(1) {
                let plies = base + (depth as f64).ln() * (number as f64).ln() / divisor;
                *entry = (plies * f64::from(PLY)) as i16;
            }
        }
        Reductions { table, made_of: Self::ingredients(params) }
    }

    fn ingredients(params: &Params) -> [i32; 2] {
        [params.reduction_base, params.reduction_divisor]
    }

    /// Makes the table anew if it is not of these parameters.
    fn fit(&mut self, params: &Params) {
        if self.made_of != Self::ingredients(params) {
            *self = Self::new(params);
        }
    }

    /// [`PLY`]ths of a ply to reduce by for the `number`-th move (from 1) at `depth`.
    #[inline]
    pub fn get(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.table[(depth.max(0) as usize).min(63)][number.min(63)])
    }
}

/// Reductions are counted in this part of a ply.
pub const PLY: i32 = 1024;

/// What a search is about: the position, and the game that led to it.
#[derive(Clone)]
pub struct Task {
    /// The position at the root.
    pub position: Position,
    /// Keys of earlier positions that can still be repeated, oldest first.
    pub earlier: Arc<[u64]>,
}

impl From<&Game> for Task {
    fn from(game: &Game) -> Self {
        Task { position: game.position().clone(), earlier: game.repeatable_keys().into() }
    }
}

/// One thread at work on one search.
pub struct Worker<'s, B> {
    /// What all threads of this search share.
    pub shared: &'s Shared,
    /// The parallel scheme's own state.
    pub scheme: B,
    /// What this thread keeps.
    pub memory: &'s mut Memory,
    /// Which thread this is; 0 reports, and decides when to begin no further iteration.
    pub thread: usize,
    /// The root moves and their results so far.
    pub root: Root,
    /// Keys of the game's and the current path's positions; the last is the one being searched.
    pub path: Vec<u64>,
    pub(crate) game_length: usize,
    pub(crate) observer: Option<&'s dyn Observer>,
    pub(crate) root_depth: i32,
    /// See [`Histories::publish_depth`](crate::history::Histories::publish_depth).
    pub(crate) publish_depth: i32,
    /// The longest line it has seen, on its own way or helping, since it last began an iteration.
    pub(crate) seldepth: usize,
    nodes: u64,
    tablebase_hits: u64,
    next_poll: u64,
    /// The count of nodes from which on the present quiescence search is too large.
    quiescence_limit: u64,
}

/// The way from the root to a node: what a worker must know to search there as the one who came that way.
#[derive(Clone, Debug, Default)]
pub struct Path {
    keys: Vec<u64>,
    frames: Vec<Frame>,
    root_depth: i32,
}

impl Path {
    /// How much memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.keys) + size_of_val(&*self.frames)
    }

    /// The root move that begins the way; `None` at the root itself.
    pub fn root_move(&self) -> Option<Move> {
        self.frames.split_last().and_then(|(_, above)| above.first()).and_then(|frame| frame.mv)
    }
}

/// What a worker is at, set aside.
#[derive(Debug)]
pub struct SavedState {
    path: Path,
    /// Root moves, and lines by ply.
    found: Option<(Root, Vec<Line>)>,
}

/// Nodes between two looks at the clock.
const POLL: u64 = 1024;
/// Nodes between two looks at a limit of nodes that several threads share, or that begins to count with a ponder hit.
const POLL_OF_NODES: u64 = 128;

impl<'s, B: ParallelScheme> Worker<'s, B> {
    /// Worker `thread` of a search of `task`. Worker 0 gets the observer.
    pub fn new(
        shared: &'s Shared,
        memory: &'s mut Memory,
        task: &Task,
        scheme: B,
        thread: usize,
        observer: Option<&'s dyn Observer>,
    ) -> Self {
        let mut path = Vec::with_capacity(task.earlier.len() + MAX_PLY + 2);
        path.extend_from_slice(&task.earlier);
        memory.frames.fill(Frame::ROOT);
        memory.evaluator.choose(shared.network.as_ref());
        memory.reductions.fit(&shared.params);
        Worker {
            shared,
            scheme,
            memory,
            thread,
            root: Root::new(&task.position, &shared.limits.search_moves),
            game_length: path.len(),
            path,
            observer,
            root_depth: 0,
            publish_depth: shared.histories.publish_depth(thread),
            seldepth: 0,
            nodes: 0,
            tablebase_hits: 0,
            next_poll: 0,
            quiescence_limit: 0,
        }
    }

    /// Nodes this worker has searched.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a node, unless the search has ended.
    ///
    /// # Errors
    /// [`Aborted`] when a stop, a limit or a cut-off above has ended the work here.
    #[inline(always)]
    pub(crate) fn count_node(&mut self) -> Searched<()> {
        self.shared.check()?;
        if self.scheme.should_abort(self.nodes) {
            return Err(Aborted);
        }
        if self.nodes >= self.next_poll {
            self.poll()?;
        }
        self.nodes += 1;
        self.shared.counter(self.thread).set(self.nodes);
        self.scheme.event(SearchEvent::Tick(Tick::Node));
        Ok(())
    }

    /// A quiescence search begins that may grow to so many nodes.
    #[inline]
    pub(crate) fn allow_quiescence(&mut self) {
        self.quiescence_limit = self.nodes + u64::from(self.shared.params.quiescence_nodes.unsigned_abs());
    }

    /// Has it grown beyond that?
    #[inline]
    pub(crate) fn quiescence_overgrown(&self) -> bool {
        self.nodes > self.quiescence_limit
    }

    /// Counts a position that the tablebase knew.
    pub(crate) fn count_tablebase_hit(&mut self) {
        self.tablebase_hits += 1;
        self.shared.tablebase_hit_counter(self.thread).set(self.tablebase_hits);
        // The answer may have come from a slow disk: look at the clock soon.
        self.next_poll = self.nodes;
    }

    /// Looks at the limits that are too dear to check at every node, and decides when to look again.
    #[cold]
    fn poll(&mut self) -> Searched<()> {
        let mut interval = POLL;
        if let Some(left) = self.shared.nodes_left() {
            if left == 0 {
                self.stop();
            }
            // Alone, the limit is met exactly; in company each thread looks again before its share is used up. The
            // share is small: a thread that the system delays still spends it when the others have spent the rest.
            interval = interval.min((left / self.shared.threads() as u64).max(1));
            if self.shared.threads() > 1 || self.shared.pondering() {
                interval = interval.min(POLL_OF_NODES);
            }
        }
        // Somebody's first iteration is always finished: there must be a move to play. Every thread looks at the clock,
        // since any of them may be the only one that runs just now.
        if let Some(hard) = self.shared.budget.hard
            && self.shared.answered()
            && self.shared.clock_used().is_some_and(|used| used >= hard)
        {
            self.stop();
        }
        self.next_poll = self.nodes + interval;
        self.shared.check()
    }

    fn stop(&self) {
        self.shared.stop();
        self.scheme.event(SearchEvent::Touch(Touch::Stop));
    }

    /// Stores an entry of a position in the table, and reports it: a cluster sends on what it hears of.
    #[inline]
    pub(crate) fn store(&self, position: &Position, entry: Entry) {
        let key = table_key(position);
        self.shared.table.store(key, entry);
        self.scheme.event(SearchEvent::Touch(Touch::TableWrite(key, Some(&entry))));
    }

    /// What was moved before the node at `ply`.
    #[inline]
    pub(crate) fn contexts(&self, ply: usize) -> Contexts {
        let before =
            |plies: usize| if plies <= ply { self.memory.frames[ply - plies].context } else { Context::NONE };
        let [last, own, plan] = CONTEXT_PLIES;
        [before(last), before(own), before(plan)]
    }

    /// The history as the node at `ply` sees it.
    #[inline]
    pub fn merit(&self, ply: usize) -> Merit<'_> {
        let (contexts, threats) = self.place(ply);
        self.memory.history.at(contexts, threats)
    }

    /// Where that lies in the history: what was moved before the node, and what the other side attacks.
    #[inline]
    pub(crate) fn place(&self, ply: usize) -> (Contexts, Bitboard) {
        (self.contexts(ply), self.memory.frames[ply].threats)
    }

    /// Has the position stood before? Once within the search counts as a draw, since what was best then is best
    /// again; positions from before the root must have stood twice, as the rule says.
    pub(crate) fn is_repetition(&self, position: &Position, ply: usize) -> bool {
        let here = self.path.len() - 1;
        let key = position.key();
        let reach = self.reach(position, ply);
        let last = (4..=reach).step_by(2).map(|back| here - back).find(|&place| self.path[place] == key);
        last.is_some_and(|place| self.draws_again(place, here - reach))
    }

    /// Is it a draw if the position at this place of the path, the last one at which it stood, comes again? `first` is
    /// the first place that can have the same.
    #[inline]
    pub(crate) fn draws_again(&self, place: usize, first: usize) -> bool {
        let key = self.path[place];
        place >= self.game_length
            || (first..place).rev().skip(1).step_by(2).any(|other| self.path[other] == key)
    }

    /// How many plies back a position may lie that the one at `ply` repeats: since the last capture or pawn move, and
    /// since the last null move, beyond which nothing is part of any game.
    pub(crate) fn reach(&self, position: &Position, ply: usize) -> usize {
        (position.halfmove_clock() as usize)
            .min(usize::from(self.memory.frames[ply].since_null))
            .min(self.path.len() - 1)
    }

    /// A draw by repetition or by fifty moves (unless the side to move is mated).
    pub(crate) fn is_draw<N: NodeKind>(&self, node: &Node<'_, N>) -> bool {
        let position = node.position;
        let fifty = position.halfmove_clock() >= 100 && (!node.in_check || position.has_legal_move());
        fifty || self.is_repetition(position, node.ply) || position.insufficient_material()
    }

    /// Writes the way to the node at `ply`, which this worker is searching, into `path`, over what is there.
    pub fn write_path(&self, ply: usize, path: &mut Path) {
        path.keys.clone_from(&self.path);
        path.frames.clear();
        path.frames.extend_from_slice(&self.memory.frames[..=ply]);
        path.root_depth = self.root_depth;
    }

    /// Puts this worker at the end of another's way; the one it was on comes back, to return to later.
    ///
    /// Only the repetition keys need returning to. A worker that helps below a node of its own shares the frames
    /// above with that node, and one that was idle has none.
    pub fn follow(&mut self, path: &Path) -> Vec<u64> {
        self.memory.frames[..path.frames.len()].copy_from_slice(&path.frames);
        self.root_depth = path.root_depth;
        std::mem::replace(&mut self.path, path.keys.clone())
    }

    /// What this worker is at at `ply`, to take up again when it has searched elsewhere: if that is on a principal
    /// variation (`pv`), its own lines as well.
    pub fn save_state(&self, ply: usize, pv: bool) -> SavedState {
        let mut path = Path::default();
        self.write_path(ply, &mut path);
        SavedState { path, found: pv.then(|| (self.root.clone(), self.memory.lines[..=ply].to_vec())) }
    }

    /// Takes it up again.
    pub fn restore_state(&mut self, aside: SavedState) {
        self.follow(&aside.path);
        if let Some((root, lines)) = aside.found {
            self.root = root;
            self.memory.lines[..lines.len()].clone_from_slice(&lines);
        }
    }

    /// The principal variation found at `ply`.
    pub fn line(&self, ply: usize) -> &Line {
        &self.memory.lines[ply]
    }

    /// Takes over a principal variation that another worker found for the node at `ply`.
    pub fn set_line(&mut self, ply: usize, line: &Line) {
        self.memory.lines[ply].clone_from(line);
    }

    /// The principal variation from `ply` is this move and then the child's.
    pub(crate) fn adopt_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.memory.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        // The child's line may fill its buffer; the last move is then one too many.
        line.extend(lower[0].iter().copied().take(MAX_PLY - 1));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::parallel::Alone;
    use crate::shared::Stopwatch;
    use crate::tt::Table;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::time::Duration;
    use thinking::report::Limits;

    /// What `act` makes of a worker on its own at the root, without limits and with an empty table.
    pub(crate) fn at_root<R>(task: &Task, act: impl FnOnce(&mut Worker<'_, Alone>) -> R) -> R {
        let table = Arc::new(Table::new(1).expect("a small table"));
        let shared = Shared::new(table, Limits::default(), 1, 1);
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, task, Alone, 0, None);
        worker.path.push(task.position.key());
        act(&mut worker)
    }

    /// Has a worker make these moves (`-` is a null move) from the start position; returns where they lead.
    fn walk(worker: &mut Worker<'_, Alone>, moves: &[&str]) -> Position {
        let mut position = Position::startpos();
        for (ply, word) in moves.iter().enumerate() {
            let mv = (*word != "-").then(|| position.parse_uci(word).expect("a legal move"));
            let child =
                mv.map_or_else(|| position.after_null().expect("not in check"), |mv| position.after(mv));
            worker.step(ply, &position, mv, &child);
            position = child;
        }
        position
    }

    /// Is the position after these moves a repetition within the search?
    fn repeats(moves: &[&str]) -> bool {
        at_root(&Task::from(&Game::default()), |worker| {
            let position = walk(worker, moves);
            worker.is_repetition(&position, moves.len())
        })
    }

    /// A helper says which root move it helps with, however far below the root it does.
    #[test]
    fn the_way_to_a_node_begins_with_a_move_of_the_root() {
        at_root(&Task::from(&Game::default()), |worker| {
            walk(worker, &["e2e4", "e7e5", "g1f3"]);
            let found = [0, 1, 3].map(|ply| {
                let mut path = Path::default();
                worker.write_path(ply, &mut path);
                path.root_move()
            });
            let first = Position::startpos().parse_uci("e2e4").ok();
            assert_eq!(found, [None, first, first]);
        });
    }

    /// The formula by hand: 0.5 + ln 8 * ln 20 / 2 = 3.6146 plies.
    #[test]
    fn reductions_follow_their_parameters() {
        let mut reductions = Reductions::new(&Params::DEFAULT);
        reductions.fit(&Params { reduction_base: 50, reduction_divisor: 200, ..Params::DEFAULT });
        assert_eq!(reductions.get(8, 20), (3.6146 * f64::from(PLY)) as i32);
    }

    /// A thread that begins with a deeper iteration than the first may find the time gone before anybody has a move.
    #[test]
    fn the_clock_ends_no_search_that_has_no_move_yet() {
        let task = Task::from(&Game::default());
        let limits = Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
        let clock = Stopwatch::Simulated(Arc::new(AtomicU64::new(1_000_000_000)));
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::timed_by(clock, table, limits, 1, 2);
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 1, None);
        worker.root_depth = 4;
        assert_eq!(worker.poll(), Ok(()));
        shared.note_answer();
        assert_eq!(worker.poll(), Err(Aborted));
    }

    /// Nor does the limit of nodes that holds from there on, and then at once.
    #[test]
    fn a_limit_of_nodes_can_wait_for_a_move() {
        const FIRST: u64 = 7;
        let task = Task::from(&Game::default());
        let limits = Limits { nodes_once_answered: Some(3), ..Limits::default() };
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, limits, 1, 1);
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
        for _ in 0..FIRST {
            assert_eq!(worker.count_node(), Ok(()));
        }
        shared.note_answer();
        assert_eq!(worker.count_node(), Err(Aborted));
        assert_eq!(shared.nodes(), FIRST);
    }

    /// The clock is looked at now and then, and at once after an answer that may have come from a slow disk.
    #[test]
    fn after_an_answer_of_the_tablebase_the_clock_is_looked_at() {
        let task = Task::from(&Game::default());
        let limits = Limits { movetime: Some(Duration::from_secs(1)), ..Limits::default() };
        let now = Arc::new(AtomicU64::new(0));
        let clock = Stopwatch::Simulated(Arc::clone(&now));
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::timed_by(clock, table, limits, 1, 1);
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
        shared.note_answer();
        assert_eq!(worker.count_node(), Ok(()));
        now.store(2_000_000_000, Relaxed);
        assert_eq!(worker.count_node(), Ok(()), "between two looks");
        worker.count_tablebase_hit();
        assert_eq!(worker.count_node(), Err(Aborted));
    }

    /// The system lets a thread wait while the others spend all nodes: it searches 128 more at most.
    #[test]
    fn a_limit_of_nodes_is_overrun_by_few_nodes_a_thread() {
        const LIMIT: u64 = 20_000;
        let task = Task::from(&Game::default());
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits { nodes: Some(LIMIT), ..Limits::default() }, 1, 8);
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 1, None);
        assert_eq!(worker.count_node(), Ok(()));
        shared.counter(0).set(LIMIT);
        while worker.count_node().is_ok() {}
        assert!(shared.nodes() <= LIMIT + 128, "{} nodes", shared.nodes());
    }

    /// By hand: of 400 nodes the first of eight threads may search 50 before it looks again, and the others 49. Then
    /// there is one for each of them.
    #[test]
    fn threads_that_search_in_turns_share_a_limit_of_nodes() {
        const LIMIT: u64 = 400;
        const THREADS: usize = 8;
        let task = Task::from(&Game::default());
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits { nodes: Some(LIMIT), ..Limits::default() }, 1, THREADS);
        let mut memories: Vec<Memory> = (0..THREADS).map(|_| Memory::default()).collect();
        let memories = memories.iter_mut().enumerate();
        let mut workers: Vec<_> = memories
            .map(|(thread, memory)| Worker::new(&shared, memory, &task, Alone, thread, None))
            .collect();
        while !shared.stopped() {
            workers.iter_mut().for_each(|worker| _ = worker.count_node());
        }
        assert_eq!(shared.nodes(), LIMIT);
    }

    /// Each worker counts its own, and all of them together are told.
    #[test]
    fn every_worker_counts_the_positions_that_the_tablebase_knew() {
        let task = Task::from(&Game::default());
        let table = Arc::new(Table::new(0).expect("a small table"));
        let shared = Shared::new(table, Limits::default(), 1, 2);
        for (thread, hits) in [(0, 2), (1, 3)] {
            let mut memory = Memory::default();
            let mut worker = Worker::new(&shared, &mut memory, &task, Alone, thread, None);
            (0..hits).for_each(|_| worker.count_tablebase_hit());
        }
        let hits = [0, 1].map(|thread| shared.tablebase_hit_counter(thread).get());
        assert_eq!((hits, shared.tablebase_hits()), ([2, 3], 5));
    }

    #[test]
    fn what_lies_beyond_a_null_move_is_not_repeated() {
        assert!(repeats(&["g1f3", "g8f6", "f3g1", "f6g8"]));
        assert!(!repeats(&["g1f3", "-", "f3g1", "-"]));
        assert!(!repeats(&["g1f3", "g8f6", "f3g1", "f6g8", "-"]));
        assert!(!repeats(&["g1f3", "g8f6", "-", "f6g8", "f3g1", "-"]));
        assert!(repeats(&["-", "g8f6", "g1f3", "f6g8", "f3g1"]));
    }
}
