//! Forward pruning: leaving nodes and branches without proof (M 3.2; F; B).
//!
//! None of this is safe. "Generally speaking these forward pruning methods are not reliable and should be
//! avoided", says M; the laboratory measures how unreliable each is.
//!
//! * *Null move*: if even passing is good enough, moving surely is, unless the side to move is in zugzwang.
//!   With verification a cut-off must be confirmed by a shallower search with a real move.
//! * *Razoring* (Birmingham and Kent): close to the horizon a node whose static value is far below alpha is
//!   given up.
//! * *Marginal forward pruning* (Slagle): at the last ply, or the last few, a move is dropped whose immediate
//!   value does not come within a margin of alpha.
//! * *Gamma* (Newborn): a move is dropped whose immediate value is worse than the best value already
//!   searched.
//! * *Tapered N-best* (Greenblatt): only the first N moves, fewer the deeper the node.
//! * *ProbCut* is decided here and explained in [`super::probcut`].
//!
//! A node that is left, or that leaves moves out, still owes its parent a bound: what the rule's premise says
//! the node, or the dropped move, is worth at most (or at least). So each rule is exact where its premise
//! holds, whatever the algorithm around it. Nothing but its rank speaks against a move that N-best drops:
//! that rule searches another tree.

use super::PLY;
use super::search::{At, Frame, Search, Window};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value, WIN};

/// Plies by which a null-move search is shallower than the move it replaces.
const NULL_REDUCTION: i32 = 2 * PLY;

/// Razoring acts with this many plies left, or fewer.
const RAZOR_DEPTH: i32 = 2 * PLY;

impl<N: Node> Search<'_, N> {
    /// A value with which the node can be left before any branch is searched, if some pruning allows it.
    pub(super) fn leave_early(&mut self, node: &N, at: At, window: Window) -> Option<Value> {
        self.razor(node, at, window)
            .or_else(|| self.pass(node, at, window))
            .or_else(|| self.probable_cutoff(node, at, window))
    }

    fn razor(&mut self, node: &N, at: At, window: Window) -> Option<Value> {
        let margin = self.switches.razoring.filter(|_| at.depth <= RAZOR_DEPTH && !node.in_check())?;
        let hope = self.tally.evaluate(node).saturating_add(margin);
        if hope > window.alpha {
            return None;
        }
        // What a quiescence search finds beyond the margin refutes the rule's premise. It is a visit of its own,
        // after which that of the node goes on.
        node.observe(Event::Enter { alpha: window.alpha, beta: window.beta });
        let bound = hope.max(self.at_horizon(node, window));
        if bound > window.alpha {
            return None;
        }
        self.tally.pruned += 1;
        node.observe(Event::Razored(bound));
        Some(bound)
    }

    fn pass(&mut self, node: &N, at: At, window: Window) -> Option<Value> {
        let null = self.switches.null_move.filter(|_| at.may_pass && at.depth >= 2 * PLY)?;
        if window.beta.abs() >= WIN {
            return None;
        }
        let passed = node.pass()?;
        let depth = at.depth - PLY - NULL_REDUCTION;
        let below = At { may_pass: false, ..at.below(depth, 0) };
        let question = Window::zero_above(window.beta - 1);
        let mut value = -self.search(&passed, below, question.turned());
        if value < window.beta {
            return None;
        }
        if null.verify {
            let again = At { depth: at.depth - PLY, may_pass: false, ..at };
            // Only what both searches say is verified.
            value = value.min(self.search(node, again, question));
            if value < window.beta {
                self.tally.null_refused += 1;
                node.observe(Event::NullRefused);
                return None;
            }
        }
        self.tally.null_cutoffs += 1;
        // A win found while passing proves nothing about its length.
        let value = value.min(WIN - 1);
        node.observe(Event::NullCut(value));
        Some(value)
    }

    /// ProbCut: does a shallower search put the value outside the window with enough confidence? The bound is
    /// what its value says of the deeper one, not the window's end: so a driver that goes to the value that
    /// comes back need not ask for every value.
    fn probable_cutoff(&mut self, node: &N, at: At, window: Window) -> Option<Value> {
        let fit =
            self.fit.filter(|_| !self.testing && window.alpha.abs() < WIN && window.beta.abs() < WIN)?;
        for pair in fit.pairs.iter().filter(|pair| pair.deep as i32 * PLY == at.depth) {
            let shallow = At { depth: pair.shallow as i32 * PLY, ..at };
            self.testing = true;
            let high = pair.needed_above(window.beta, fit.threshold);
            let found = self.search(node, shallow, Window::zero_above(high - 1));
            let above = (found >= high).then(|| pair.at_least(found, fit.threshold).max(window.beta));
            let value = above.or_else(|| {
                let low = pair.needed_below(window.alpha, fit.threshold);
                let found = self.search(node, shallow, Window::zero_above(low));
                (found <= low).then(|| pair.at_most(found, fit.threshold).min(window.alpha))
            });
            self.testing = false;
            if let Some(value) = value {
                self.tally.probcut_cutoffs += 1;
                node.observe(Event::ProbCut(value));
                return Some(value);
            }
        }
        None
    }

    /// What the `index`-th move `m` of a node is worth at most by the rule that drops it unsearched; none if
    /// it is to be searched, as the first always is. N-best knows nothing of a move but its rank: it is
    /// treated as not there. The root drops nothing: `at` is at least one ply below it.
    pub(super) fn drops(
        &mut self,
        node: &N,
        at: At,
        m: N::Move,
        index: usize,
        frame: &Frame<N::Move>,
    ) -> Option<Value> {
        if frame.searched == 0 || node.in_check() {
            return None;
        }
        let most = |n: u32| n.saturating_sub(2 * (at.ply as u32 - 1)).max(2) as usize;
        let narrow = self.switches.n_best.is_some_and(|n| index >= most(n));
        let bound = if narrow { Some(-INFINITY) } else { self.drops_by_value(node, at, m, frame) };
        if let Some(bound) = bound {
            self.tally.pruned += 1;
            node.observe(Event::Dropped { branch: m, bound });
        }
        bound
    }

    fn drops_by_value(&mut self, node: &N, at: At, m: N::Move, frame: &Frame<N::Move>) -> Option<Value> {
        let marginal = self.switches.marginal.filter(|rule| at.depth < (rule.plies as i32 + 1) * PLY);
        if marginal.is_none() && !self.switches.gamma {
            return None;
        }
        let immediate = -self.tally.evaluate(&node.child(m));
        let by_margin = marginal.map(|rule| immediate.saturating_add(rule.margin));
        let by_gamma = (self.switches.gamma && immediate < frame.best).then_some(immediate);
        let bound = by_gamma.or(by_margin.filter(|&bound| bound <= frame.alpha()));
        // What is not dropped is counted when it is searched.
        self.tally.frontier += u64::from(bound.is_some());
        bound
    }
}
