//! Young Brothers Wait (Feldmann, Monien, Mysliwietz and Vornberger 1989; Feldmann 1993).
//!
//! The eldest move of a node is searched first, by one worker; only when its score is known may the younger brothers
//! be searched by several. The reason is alpha-beta itself: the eldest usually gives the bound against which the
//! others are cut off, so that starting them earlier would mean searching them without it.
//!
//! * **Split.** The worker at a node whose eldest has a score, deep enough ([`MIN_DEPTH`]), and with somebody idle,
//!   opens a split point: an owned copy of the node, the moves left, and the best so far, on a board for all to see.
//!   At a node expected to fail high the next move will probably do so: there it waits for a few failures first.
//! * **Join.** An idle worker takes the open split point nearest the root, since work there is largest, however late
//!   (late join). At most [`MOST_HELPERS`] join one point, except high in the tree.
//! * **Helpful master.** Who opened a point and has no move left to draw waits for its helpers; meanwhile it may help
//!   below its own point, never elsewhere, so that it is back as soon as they are.
//! * **Cut-off.** Whoever proves the point good enough marks it. Everyone below asks at every node whether a point
//!   above is marked (`cut_above`) and then abandons its work: the abort is a type, no score comes of it.
//!
//! A split point is shared by `Arc` and owns what it needs: no worker points into another's stack, and no helper can
//! outlive what it works on. All waiting happens on the board's one condition variable, under the board's lock, which
//! also guards the helpers' counts: a wake-up cannot be lost between looking and waiting.

use crossbeam::utils::CachePadded;
use engine::brothers::Brothers;
use engine::node::{Best, Detached, Node, NodeKind, NonPv, Pv, Root};
use engine::picker::Picker;
use engine::root::RootMove;
use engine::search::{search_move, take_score};
use engine::shared::Shared;
use engine::worker::{Line, Path, Worker};
use engine::{Aborted, Searched};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Shallowest node, in plies of remaining depth, that is split: below it the work is not worth the handing over.
pub const MIN_DEPTH: i32 = 5;
/// Moves that must have failed before a node expected to fail high is split.
pub const CUT_NODE_MOVES: usize = 3;
/// Helpers that may join one point beside its master...
pub const MOST_HELPERS: usize = 4;
/// ...except nearer to the root than this, in plies, where all may.
pub const OPEN_PLIES: usize = 6;

/// The kind of a split node, as a value.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Root,
    Pv,
    NonPv,
}

impl Kind {
    const fn of<N: NodeKind>() -> Self {
        match (N::ROOT, N::PV) {
            (true, _) => Kind::Root,
            (false, true) => Kind::Pv,
            (false, false) => Kind::NonPv,
        }
    }
}

/// A node whose younger brothers may be searched by anyone.
struct SplitPoint {
    node: Detached,
    kind: Kind,
    path: Path,
    parent: Option<Arc<SplitPoint>>,
    /// Good enough: the rest of the work here is void.
    cut: AtomicBool,
    /// The master has no move left to draw and would help below.
    master_waits: AtomicBool,
    /// Workers other than the master; changed under the board's lock only.
    helpers: AtomicUsize,
    state: Mutex<State>,
}

/// What the workers of a split point share under its lock.
struct State {
    moves: Picker,
    best: Best,
    /// No move is left to draw.
    exhausted: bool,
    /// The principal variation that belongs to `best`, if the node has one.
    line: Line,
    /// Results of root moves, if the node is the root.
    root_moves: Vec<RootMove>,
}

impl SplitPoint {
    fn is_cut(&self) -> bool {
        self.cut.load(Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cut())
    }

    fn is_below(&self, ancestor: &SplitPoint) -> bool {
        self.parent
            .as_ref()
            .is_some_and(|parent| std::ptr::eq(&**parent, ancestor) || parent.is_below(ancestor))
    }

    fn has_room(&self) -> bool {
        self.node.ply < OPEN_PLIES || self.helpers.load(Relaxed) < MOST_HELPERS
    }
}

/// What the scheme did, over all threads of a search.
#[derive(Debug, Default)]
pub struct Counts {
    /// Split points opened.
    pub splits: CachePadded<AtomicU64>,
    /// Times a worker joined one.
    pub joins: CachePadded<AtomicU64>,
    /// Times an idle worker looked and found nothing to join.
    pub refused: CachePadded<AtomicU64>,
    /// Times a worker's part of a split point was aborted.
    pub aborted: CachePadded<AtomicU64>,
    /// Nodes of such parts.
    pub wasted: CachePadded<AtomicU64>,
    /// Time that workers waited, in nanoseconds.
    pub idle: CachePadded<AtomicU64>,
}

/// Where split points are offered and idle workers wait.
#[derive(Default)]
pub struct Board {
    notices: Mutex<Notices>,
    /// Signalled when a point opens, a helper leaves, or the board closes.
    news: Condvar,
    /// Workers that wait for any split point.
    idle: AtomicUsize,
    /// What happened.
    pub counts: Counts,
}

#[derive(Default)]
struct Notices {
    open: Vec<Arc<SplitPoint>>,
    closed: bool,
}

impl Board {
    /// The search is over: everyone waiting goes home.
    pub fn close(&self) {
        self.notices.lock().closed = true;
        self.news.notify_all();
    }

    fn wait(&self, notices: &mut MutexGuard<'_, Notices>) {
        let since = Instant::now();
        self.news.wait(notices);
        self.counts.idle.fetch_add(since.elapsed().as_nanos() as u64, Relaxed);
    }

    /// The open point nearest the root that could use another worker, below `master` if one is given. Books a place.
    fn book(&self, notices: &Notices, master: Option<&SplitPoint>) -> Option<Arc<SplitPoint>> {
        let usable = |point: &&Arc<SplitPoint>| {
            master.is_none_or(|master| point.is_below(master))
                && point.has_room()
                && !point.is_cut()
                && !point.state.lock().exhausted
        };
        let point = notices.open.iter().filter(usable).min_by_key(|point| point.node.ply)?;
        point.helpers.fetch_add(1, Relaxed);
        self.counts.joins.fetch_add(1, Relaxed);
        Some(Arc::clone(point))
    }
}

/// One worker's place in the scheme.
#[derive(Clone)]
pub struct Ybw {
    board: Arc<Board>,
    /// The split point it works under, if any.
    chain: Option<Arc<SplitPoint>>,
}

impl Ybw {
    /// A worker under no split point.
    pub fn new(board: Arc<Board>) -> Self {
        Ybw { board, chain: None }
    }

    /// Would anybody come if a point were opened here?
    fn somebody_waits(&self) -> bool {
        let mut above = self.chain.as_ref();
        if self.board.idle.load(Relaxed) > 0 {
            return true;
        }
        while let Some(point) = above {
            if point.master_waits.load(Relaxed) {
                return true;
            }
            above = point.parent.as_ref();
        }
        false
    }
}

impl Brothers for Ybw {
    #[inline]
    fn cut_above(&self) -> bool {
        self.chain.as_ref().is_some_and(|point| point.is_cut())
    }

    #[inline]
    fn offer<N: NodeKind>(
        worker: &mut Worker<'_, Self>,
        node: &Node<'_, N>,
        best: &mut Best,
        rest: &mut Picker,
    ) -> Searched<bool> {
        if node.depth < MIN_DEPTH
            || node.cut && rest.handed_out() < CUT_NODE_MOVES
            || !worker.brothers.somebody_waits()
        {
            return Ok(false);
        }
        split(worker, node, best, rest)?;
        Ok(true)
    }
}

/// Opens a split point, works at it with whoever joins, and closes it when all its moves are done.
fn split<N: NodeKind>(
    worker: &mut Worker<'_, Ybw>,
    node: &Node<'_, N>,
    best: &mut Best,
    rest: &mut Picker,
) -> Searched<()> {
    let board = Arc::clone(&worker.brothers.board);
    let parent = worker.brothers.chain.clone();
    let line = if N::PV { worker.line(node.ply).clone() } else { Line::new() };
    let point = Arc::new(SplitPoint {
        node: node.detach(),
        kind: Kind::of::<N>(),
        path: worker.path_to(node.ply),
        parent: parent.clone(),
        cut: AtomicBool::new(false),
        master_waits: AtomicBool::new(false),
        helpers: AtomicUsize::new(0),
        state: Mutex::new(State {
            moves: std::mem::replace(rest, Picker::listed([])),
            best: best.clone(),
            exhausted: false,
            line,
            root_moves: Vec::new(),
        }),
    });
    board.counts.splits.fetch_add(1, Relaxed);
    board.notices.lock().open.push(Arc::clone(&point));
    board.news.notify_all();
    worker.brothers.chain = Some(Arc::clone(&point));
    let worked = work::<N>(worker, &point);
    if worked.is_err() && !point.is_cut() {
        // Only a stop can have ended this: the helpers will see it too.
        point.cut.store(true, Relaxed);
    }
    await_helpers(worker, &point);
    worker.brothers.chain = parent;
    // Ours alone again; a stop or a cut-off above voids it.
    worker.shared.check()?;
    if worker.brothers.cut_above() {
        return Err(Aborted);
    }
    let mut state = point.state.lock();
    if N::ROOT {
        state.root_moves.iter().for_each(|found| worker.root.adopt(found));
    }
    if N::PV {
        worker.set_line(node.ply, &state.line);
    }
    std::mem::swap(best, &mut state.best);
    Ok(())
}

/// Draws moves from a split point and searches them until none is left or the point is cut off.
fn work<N: NodeKind>(worker: &mut Worker<'_, Ybw>, point: &SplitPoint) -> Searched<()> {
    let node = point.node.attach::<N>();
    loop {
        let (mv, number, alpha) = {
            let mut state = point.state.lock();
            if point.is_cut() {
                return Ok(());
            }
            match state.moves.next(node.position, &worker.memory.history) {
                Some(mv) => (mv, state.moves.handed_out(), state.best.alpha),
                None => {
                    state.exhausted = true;
                    return Ok(());
                }
            }
        };
        let score = search_move(worker, &node, alpha, mv, number)?;
        let mut state = point.state.lock();
        let State { best, line, root_moves, .. } = &mut *state;
        let before = best.alpha;
        let enough = take_score(worker, &node, best, mv, score);
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
            point.cut.store(true, Relaxed);
            return Ok(());
        }
    }
}

/// Takes the point off the board and waits until nobody works at it any more, helping below it meanwhile.
fn await_helpers(worker: &mut Worker<'_, Ybw>, point: &SplitPoint) {
    let board = Arc::clone(&worker.brothers.board);
    let mut notices = board.notices.lock();
    notices.open.retain(|open| !std::ptr::eq(&**open, point));
    point.master_waits.store(true, Relaxed);
    while point.helpers.load(Relaxed) > 0 {
        match board.book(&notices, Some(point)) {
            Some(below) => {
                drop(notices);
                help(worker, &below);
                notices = board.notices.lock();
            }
            None => board.wait(&mut notices),
        }
    }
}

/// A booked place at a split point; given back on drop, so that even a panic leaves no master waiting.
struct Place<'b> {
    board: &'b Board,
    point: &'b SplitPoint,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let _notices = self.board.notices.lock();
        self.point.helpers.fetch_sub(1, Relaxed);
        self.board.news.notify_all();
    }
}

/// Works at somebody else's split point, at which a place has been booked.
fn help(worker: &mut Worker<'_, Ybw>, point: &Arc<SplitPoint>) {
    let board = Arc::clone(&worker.brothers.board);
    let _place = Place { board: &board, point };
    let chain = worker.brothers.chain.replace(Arc::clone(point));
    let own_path = worker.follow(&point.path);
    let before = worker.nodes();
    let worked = match point.kind {
        Kind::Root => work::<Root>(worker, point),
        Kind::Pv => work::<Pv>(worker, point),
        Kind::NonPv => work::<NonPv>(worker, point),
    };
    if worked.is_err() {
        board.counts.aborted.fetch_add(1, Relaxed);
        board.counts.wasted.fetch_add(worker.nodes() - before, Relaxed);
    }
    worker.path = own_path;
    worker.brothers.chain = chain;
}

/// The life of every worker but the first: joins split points until the search is over.
pub(crate) fn serve(worker: &mut Worker<'_, Ybw>, shared: &Shared) {
    let board = Arc::clone(&worker.brothers.board);
    let mut notices = board.notices.lock();
    while !notices.closed {
        let booked = if shared.stopped() { None } else { board.book(&notices, None) };
        if let Some(point) = booked {
            drop(notices);
            help(worker, &point);
            notices = board.notices.lock();
        } else {
            board.counts.refused.fetch_add(1, Relaxed);
            board.idle.fetch_add(1, Relaxed);
            board.wait(&mut notices);
            board.idle.fetch_sub(1, Relaxed);
        }
    }
}
