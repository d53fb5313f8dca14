//! The recursion that all switches hang on.
//!
//! `Search::search` is one node: look it up, try to leave it, search its branches, write it down. How a
//! branch's window is chosen is all that distinguishes the algorithms ([`Scheme`]); everything else is
//! shared.

use super::PLY;
use super::ordering::{Hints, MAX_PLY, Success};
use super::probcut::Fit;
use super::switches::{Horizon, Switches};
use super::table::{Stored, Table};
use crate::algorithms::Algorithm;
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::Tally;

/// The values that matter at a node: above `alpha`, below `beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Nothing at or below this interests.
    pub alpha: Value,
    /// Anything from here on ends the node.
    pub beta: Value,
}

impl Window {
    /// Everything.
    pub const OPEN: Window = Window { alpha: -INFINITY, beta: INFINITY };

    /// The question "more than `alpha`?".
    pub fn zero_above(alpha: Value) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The same window seen by the other side.
    pub fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// Which window a branch is searched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// None at all: minimax.
    Full,
    /// One bound: no deep cut-offs.
    OneBound,
    /// Alpha-beta.
    AlphaBeta,
    /// Minimal windows for the brothers; the second search starts at what the first returned.
    Minimal {
        /// Reinefeld's rule.
        reinefeld: bool,
    },
    /// The same, but a node's value is never below its window, so that only a leaf's is exact after a failed
    /// minimal window.
    NegaScout,
    /// Minimal windows; the second search has the whole window.
    MinimalWhole,
    /// Minimal windows as tests; the second search is an evaluation without bounds.
    Scout,
}

impl Scheme {
    /// The window law of an algorithm, or none if it cannot run with switches.
    pub fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm {
            Algorithm::Minimax | Algorithm::Negamax => Scheme::Full,
            Algorithm::BranchAndBound => Scheme::OneBound,
            Algorithm::FailHard | Algorithm::FailSoft | Algorithm::Aspiration(_) => Scheme::AlphaBeta,
            Algorithm::Mtd(_) => Scheme::AlphaBeta,
            Algorithm::Pvs => Scheme::Minimal { reinefeld: false },
            Algorithm::PvsReinefeld => Scheme::Minimal { reinefeld: true },
            Algorithm::NegaScout => Scheme::NegaScout,
            Algorithm::PvsWholeWindow => Scheme::MinimalWhole,
            Algorithm::Scout => Scheme::Scout,
            Algorithm::SssStar | Algorithm::DualStar | Algorithm::MtdBest => return None,
            Algorithm::BStar(_) | Algorithm::Conspiracy(_) => return None,
            Algorithm::ProofNumber | Algorithm::DfPn => return None,
        })
    }
}

/// Where a node is in the tree.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// What is left to search, in quarter plies.
    pub depth: i32,
    /// Moves from the root.
    pub ply: usize,
    /// The rank of the root move above.
    pub root_move: usize,
    /// Every move so far was the stored line's, and it is to be followed for that many more. Else 0.
    pub line_left: usize,
    /// May the side to move pass?
    pub may_pass: bool,
    /// Has this line already been shortened for shed material?
    pub reduced: bool,
}

impl At {
    /// One move further, with `depth` left.
    pub(super) fn below(self, depth: i32, line_left: usize) -> Self {
        At { depth, ply: self.ply + 1, line_left, may_pass: true, ..self }
    }
}

/// A search in progress.
pub struct Search<'a, N: Node> {
    pub(super) switches: &'a Switches,
    pub(super) scheme: Scheme,
    pub(super) fit: Option<&'a Fit>,
    pub(super) tally: Tally,
    pub(super) table: Option<Table<N::Move>>,
    pub(super) hints: Hints<N::Move>,
    /// Material at the root, for the side to move there.
    pub(super) root_material: Value,
    /// Plies of the present iteration.
    pub(super) iteration: u32,
    /// A shallow search that decides about a deeper one is under way; these do not nest.
    pub(super) testing: bool,
}

/// The state of a move loop.
pub(super) struct Frame<M> {
    pub window: Window,
    pub best: Value,
    pub best_move: Option<M>,
    pub searched: usize,
    /// The first branch was a stored move's.
    pub stored: bool,
    /// The branches other than that have been generated.
    pub generated: bool,
}

impl<M> Frame<M> {
    pub(super) fn new(window: Window) -> Self {
        Frame { window, best: -INFINITY, best_move: None, searched: 0, stored: false, generated: false }
    }

    /// The best value so far, or alpha.
    pub(super) fn alpha(&self) -> Value {
        self.window.alpha.max(self.best)
    }

    fn is_cut(&self) -> bool {
        self.best >= self.window.beta
    }

    /// Takes note of a branch that was left out because it is worth at most `bound`: the node may be worth as
    /// much.
    fn leave_out(&mut self, bound: Value) {
        self.best = self.best.max(bound);
    }
}

impl<N: Node> Search<'_, N> {
    /// The value of a node, or a bound on it when it lies outside the window (fail-soft).
    pub(super) fn search(&mut self, node: &N, at: At, window: Window) -> Value {
        let value = self.search_soft(node, at, window);
        let clamped = value.clamp(window.alpha, window.beta);
        if !self.switches.fail_hard || clamped == value {
            return value;
        }
        node.observe(Event::Returned(clamped));
        clamped
    }

    fn search_soft(&mut self, node: &N, at: At, mut window: Window) -> Value {
        node.observe(Event::Enter { alpha: window.alpha, beta: window.beta });
        let sibling = self.hints.begin(at.ply);
        if at.depth < PLY || at.ply + 1 >= MAX_PLY {
            return self.at_horizon(node, window);
        }
        let entry = self.look_up(node);
        if let Some(value) = entry.and_then(|entry| self.use_bounds(node, &entry, at.depth, &mut window)) {
            return value;
        }
        if let Some(value) = self.leave_early(node, at, window) {
            return value;
        }
        let table_move = entry.and_then(|entry| entry.best);
        let mut frame = Frame::new(window);
        if let Some(value) = self.branches(node, at, &mut frame, (table_move, sibling)) {
            return value;
        }
        self.tally.expanded(node);
        self.leave(node, &mut frame);
        self.learn(node, at, &frame);
        frame.best
    }

    /// Counts an interior node that has been searched, with the value that its algorithm returns.
    pub(super) fn leave(&mut self, node: &N, frame: &mut Frame<N::Move>) {
        self.tally.left(node, frame.best, frame.is_cut());
        if self.scheme == Scheme::NegaScout && frame.best < frame.window.alpha {
            frame.best = frame.window.alpha;
            node.observe(Event::Returned(frame.best));
        }
        *self.tally.open_windows.get_or_insert(0) += u64::from(frame.window.beta - frame.window.alpha > 1);
        let order = self.tally.order.get_or_insert_default();
        if frame.is_cut() {
            order.cut += 1;
            order.first += u64::from(frame.searched == 1);
            order.stored += u64::from(frame.stored);
            order.stored_cut += u64::from(frame.stored && !frame.generated);
            order.tactical += u64::from(frame.best_move.is_some_and(|m| node.nature(m).is_tactical()));
        }
    }

    /// The key under which the table keeps a node, and whether as its mirror image.
    fn table_key(&self, node: &N) -> (u64, bool) {
        let key = node.key();
        match self.switches.table {
            Some(on) if on.sideless => (node.key_without_side(), false),
            Some(on) if on.mirror => match node.mirror_key() {
                Some(image) if image < key => (image, true),
                _ => (key, false),
            },
            _ => (key, false),
        }
    }

    fn look_up(&mut self, node: &N) -> Option<Stored<N::Move>> {
        let (key, turned) = self.table_key(node);
        let mut entry = self.table.as_ref()?.probe(key);
        if let Some(stored) = entry.as_mut().filter(|_| turned) {
            stored.best = stored.best.map(|m| node.mirrored(m));
        }
        self.tally.table.probes += 1;
        if let Some(Stored { lower, upper, .. }) = entry {
            self.tally.table.hits += 1;
            node.observe(Event::Hit { lower, upper });
        }
        entry
    }

    /// M figure 7: leave with a stored value, or narrow the window.
    fn use_bounds(
        &mut self,
        node: &N,
        entry: &Stored<N::Move>,
        depth: i32,
        window: &mut Window,
    ) -> Option<Value> {
        if !self.table.as_ref()?.applies(entry, depth) {
            return None;
        }
        let known = if entry.lower >= window.beta || entry.lower == entry.upper {
            Some(entry.lower)
        } else if entry.upper <= window.alpha {
            Some(entry.upper)
        } else {
            None
        };
        if let Some(value) = known {
            self.tally.table.cutoffs += 1;
            node.observe(Event::TableCut(value));
        } else if entry.lower > window.alpha || entry.upper < window.beta {
            self.tally.table.narrowing += 1;
            window.alpha = window.alpha.max(entry.lower);
            window.beta = window.beta.min(entry.upper);
            node.observe(Event::Narrowed { alpha: window.alpha, beta: window.beta });
        }
        known
    }

    /// Searches the branches into `frame`. A value ends the node at once: no moves, or a look-up of all
    /// successors found a cut-off.
    fn branches(
        &mut self,
        node: &N,
        at: At,
        frame: &mut Frame<N::Move>,
        (table_move, sibling): (Option<N::Move>, Option<N::Move>),
    ) -> Option<Value> {
        let line_move = self.hints.refutation(at.root_move, at.ply).filter(|_| at.line_left > 0);
        self.tally.table.ordering += u64::from(table_move.is_some());
        // A stored move is tried before the others are even generated, unless all must be looked up.
        let hint = table_move.or(line_move).filter(|&m| node.is_legal(m));
        let look_ahead = self.looks_ahead(at.depth);
        frame.stored = hint.is_some();
        if let Some(m) = hint.filter(|_| !look_ahead) {
            self.try_branch(node, at, m, frame);
            // The fail-high test needs the brothers all the same.
            if frame.is_cut() && !self.tests_singular(at) {
                return None;
            }
        }
        frame.generated = true;
        let moves = self.hints.order(node, at.ply, sibling, self.switches);
        if moves.is_empty() {
            return Some(self.tally.at_end(node, (at.depth / PLY) as u32));
        }
        if look_ahead {
            if let Some(bound) = self.successor_cutoff(node, at, &moves, frame.window.beta) {
                return Some(bound);
            }
            if let Some(m) = hint {
                self.try_branch(node, at, m, frame);
            }
        }
        for (i, &m) in moves.iter().enumerate() {
            if frame.is_cut() {
                break;
            }
            if Some(m) == hint {
                continue;
            }
            match self.drops(node, at, m, i, frame) {
                Some(bound) => frame.leave_out(bound),
                None => {
                    self.try_branch(node, at, m, frame);
                }
            }
        }
        self.extend_if_singular(node, at, &moves, frame);
        None
    }

    /// Searches one branch and takes it into the frame.
    pub(super) fn try_branch(&mut self, node: &N, at: At, m: N::Move, frame: &mut Frame<N::Move>) -> Value {
        let child = node.child(m);
        let line_left = match at.ply {
            0 => at.line_left,
            ply if self.hints.refutation(at.root_move, ply) == Some(m) => at.line_left.saturating_sub(1),
            _ => 0,
        };
        let change = self.depth_change(node, m, at);
        self.note_depth_change(node, m, change);
        let mut below = at.below(at.depth - PLY + change, line_left);
        below.reduced |= change < 0;
        let value = self.through_window(&child, below, frame);
        frame.searched += 1;
        if value > frame.best {
            frame.best = value;
            frame.best_move = Some(m);
            self.hints.extend_line(at.ply, m);
        }
        value
    }

    fn note_depth_change(&mut self, node: &N, m: N::Move, change: i32) {
        self.tally.extended += u64::from(change > 0);
        self.tally.reduced += u64::from(change < 0);
        match change {
            1.. => node.observe(Event::Extended(m)),
            0 => {}
            _ => node.observe(Event::Reduced(m)),
        }
    }

    /// The windows of the algorithms. `at` is the child's place.
    fn through_window(&mut self, child: &N, at: At, frame: &Frame<N::Move>) -> Value {
        let window = Window { alpha: frame.alpha(), beta: frame.window.beta };
        let again = match self.scheme {
            Scheme::Full => return -self.search(child, at, Window::OPEN),
            Scheme::OneBound => {
                let bound = Window { alpha: frame.best, beta: INFINITY };
                return -self.search(child, at, bound.turned());
            }
            _ if frame.searched == 0 => return -self.search(child, at, window.turned()),
            Scheme::AlphaBeta => return -self.search(child, at, window.turned()),
            scheme => scheme,
        };
        let value = -self.search(child, at, Window::zero_above(window.alpha).turned());
        let inside = window.alpha < value && value < window.beta;
        let second = match again {
            Scheme::Minimal { reinefeld: true } if self.failed_value_is_exact(at) => return value,
            Scheme::NegaScout if at.depth < PLY && self.leaves_are_exact() => return value,
            Scheme::Minimal { .. } | Scheme::NegaScout => Window { alpha: value, ..window },
            Scheme::Scout => Window::OPEN,
            _ => window,
        };
        if !inside {
            return value;
        }
        self.tally.re_search(child);
        -self.search(child, at, second.turned())
    }

    /// Reinefeld's rule: a child whose branches are all leaves needs no second search, for its value after a
    /// failed minimal window is the best of values that are exact. Not so where a branch may be searched deeper, or
    /// left out for a bound.
    fn failed_value_is_exact(&self, child: At) -> bool {
        let on = self.switches;
        let leaves = child.depth < 2 * PLY && !on.extensions.any() && self.leaves_are_exact();
        leaves && on.marginal.is_none() && on.razoring.is_none()
    }

    /// Is a leaf's value exact whatever the window? Not that of a quiescence search, which is a bound; nor in a
    /// fail-hard search, where what comes back is the window's end.
    fn leaves_are_exact(&self) -> bool {
        !matches!(self.switches.horizon, Horizon::Quiescence(_)) && !self.switches.fail_hard
    }

    /// Does ETC look at this node's successors?
    fn looks_ahead(&self, depth: i32) -> bool {
        self.table.is_some() && self.switches.etc.is_some_and(|plies| depth >= plies as i32 * PLY)
    }

    /// Enhanced transposition cut-offs (F, B): does any successor's entry end this node already?
    fn successor_cutoff(&mut self, node: &N, at: At, moves: &[N::Move], beta: Value) -> Option<Value> {
        self.tally.table.etc_nodes += 1;
        let bound =
            moves.iter().find_map(|&m| self.successor_bound(node, at, m).filter(|&bound| bound >= beta));
        if let Some(value) = bound {
            self.tally.etc_cutoffs += 1;
            node.observe(Event::EtcCut(value));
        }
        bound
    }

    /// What a node is worth at least by the table's entry of one successor.
    fn successor_bound(&mut self, node: &N, at: At, m: N::Move) -> Option<Value> {
        self.tally.table.etc_probes += 1;
        let key = self.table_key(&node.child(m)).0;
        let entry = self.table.as_ref()?.probe(key)?;
        let depth = at.depth - PLY + self.depth_change(node, m, at);
        self.table.as_ref()?.applies(&entry, depth).then_some(-entry.upper)
    }

    /// Writes down what the node taught.
    fn learn(&mut self, node: &N, at: At, frame: &Frame<N::Move>) {
        if let Some(m) = frame.best_move.filter(|_| frame.best > frame.window.alpha) {
            let success = Success { ply: at.ply, depth: at.depth, cut: frame.is_cut() };
            self.hints.reward(node, m, success, self.switches);
        }
        let (key, turned) = self.table_key(node);
        if let Some(table) = &mut self.table {
            let window = (frame.window.alpha, frame.window.beta);
            let best = frame.best_move.map(|m| if turned { node.mirrored(m) } else { m });
            table.store(Stored::from_search(key, best, frame.best, window, at.depth));
        }
    }
}
