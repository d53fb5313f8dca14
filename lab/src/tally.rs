//! Counting the work: the numbers by which the sources compare searches.
//!
//! M 3.6 counts *horizon nodes* (bottom positions, where the static evaluation is called because the depth is
//! used up) and divides interior nodes into *CUT* nodes, left by a cut-off, and *ALL* nodes, every branch of
//! which was searched. The yardstick is the minimal tree of Knuth and Moore: nothing that proves a root value
//! by alpha-beta visits fewer horizon nodes in a uniform tree.

use crate::event::Event;
use crate::node::{Node, Value, provisional};
use serde::Serialize;
use std::ops::AddAssign;

/// What a search did. All counts start at zero, or at none where some searches do not count them; they only grow,
/// but for [`Tally::frontier`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Nodes at the search horizon.
    pub horizon: u64,
    /// Nodes above the horizon without moves: finished games.
    pub finished: u64,
    /// Nodes whose branches were searched.
    pub interior: u64,
    /// Interior nodes left by a cut-off; none of a best-first or proof-number search, which leaves no node for good
    /// before its end.
    pub cut: Option<u64>,
    /// Interior nodes searched to the last branch; none where [`Tally::cut`] is none.
    pub all: Option<u64>,
    /// Nodes of quiescence searches, below the horizon (the horizon node itself not counted).
    pub quiescence: u64,
    /// Nodes that were generated and got bounds or a static value, but were not searched: the leaves of the
    /// trees that B* and conspiracy numbers keep, and branches that are dropped for what they look like.
    pub frontier: u64,
    /// Calls of the static evaluation, wherever from.
    pub evaluations: u64,
    /// Branches searched again because a narrow window did not hold.
    pub re_searches: u64,
    /// Complete passes over the root (aspiration, the MT drivers, bisection, iterations).
    pub passes: u64,
    /// Passes refused by the guard against endless iteration.
    pub guard: u64,
    /// Transposition-table traffic by purpose.
    pub table: TableTally,
    /// How good the order of moves was; none of a textbook form, which does not count it.
    pub order: Option<OrderTally>,
    /// Visits of interior nodes through a window that holds more than one question; none of a textbook form,
    /// which does not count them.
    pub open_windows: Option<u64>,
    /// Cut-offs found by looking up all successors first (ETC).
    pub etc_cutoffs: u64,
    /// Cut-offs by a null move.
    pub null_cutoffs: u64,
    /// Null-move cut-offs withdrawn by the verification search.
    pub null_refused: u64,
    /// Cut-offs by ProbCut or Multi-ProbCut.
    pub probcut_cutoffs: u64,
    /// Branches or nodes dropped by forward pruning.
    pub pruned: u64,
    /// Branches searched deeper than their brothers.
    pub extended: u64,
    /// Branches searched less deeply than their brothers.
    pub reduced: u64,
}

/// Transposition-table traffic. M 3.5 names three uses of an entry; each has its count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TableTally {
    /// Look-ups at nodes (not those of ETC).
    pub probes: u64,
    /// Look-ups that found the position.
    pub hits: u64,
    /// Hits whose move was tried first.
    pub ordering: u64,
    /// Hits whose score narrowed the window.
    pub narrowing: u64,
    /// Hits that ended the node.
    pub cutoffs: u64,
    /// Nodes all of whose successors were looked up first (ETC).
    pub etc_nodes: u64,
    /// Successors looked up there.
    pub etc_probes: u64,
}

/// What caused the cut-offs. The teaching number is [`OrderTally::first`] over [`OrderTally::cut`], the
/// *first-move cut-off rate*: 1 where order is perfect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OrderTally {
    /// CUT nodes of which the following was counted.
    pub cut: u64,
    /// CUT nodes left by the first branch that was searched.
    pub first: u64,
    /// CUT nodes at which a stored move, the table's or a line's, was tried first.
    pub stored: u64,
    /// CUT nodes left by that move, before the others were even generated: not where a look-ahead (ETC) or a test of
    /// the others (singular extensions) asks for them all.
    pub stored_cut: u64,
    /// CUT nodes left by a capture or a promotion.
    pub tactical: u64,
}

impl Tally {
    /// Nodes of every kind, the count by which tree sizes are compared. A node that ends before its first branch, by
    /// the table, a null move or ProbCut, is of none.
    pub fn nodes(&self) -> u64 {
        self.horizon + self.finished + self.interior + self.quiescence + self.frontier
    }

    /// The static value of a node. Whatever a search evaluates, for itself or to know a node's bounds or the order
    /// of its moves, goes through here.
    pub fn evaluate<N: Node>(&mut self, node: &N) -> Value {
        self.evaluations += 1;
        node.evaluate()
    }

    /// Evaluates a horizon node and counts it.
    pub fn at_horizon<N: Node>(&mut self, node: &N) -> Value {
        self.horizon += 1;
        let value = self.evaluate(node);
        node.observe(Event::Horizon(value));
        value
    }

    /// Evaluates a node that was generated for this value alone, and counts it.
    pub fn at_frontier<N: Node>(&mut self, node: &N) -> Value {
        self.frontier += 1;
        self.evaluate(node)
    }

    /// Counts a finished game, `height` plies above the horizon, and returns its value.
    pub fn at_end<N: Node>(&mut self, node: &N, height: u32) -> Value {
        self.finished += 1;
        let value = node.final_value(height);
        node.observe(Event::Finished(value));
        value
    }

    /// Counts a node whose branches are searched.
    pub fn expanded<N: Node>(&mut self, node: &N) {
        self.interior += 1;
        node.observe(Event::Expanded);
    }

    /// Counts an interior node as left with `value` by a cut-off or searched to the end.
    pub fn left<N: Node>(&mut self, node: &N, value: Value, by_cutoff: bool) {
        self.count_left(by_cutoff);
        node.observe(Event::Left { value, cut: by_cutoff });
    }

    /// Counts an interior node as a CUT node, or as an ALL node.
    pub fn count_left(&mut self, by_cutoff: bool) {
        add(&mut self.cut, Some(u64::from(by_cutoff)));
        add(&mut self.all, Some(u64::from(!by_cutoff)));
    }

    /// Counts a second search of `child`.
    pub fn re_search<N: Node>(&mut self, child: &N) {
        self.re_searches += 1;
        child.observe(Event::ReSearch);
    }

    /// Counts a pass over the tree below `root`.
    pub fn pass<N: Node>(&mut self, root: &N) {
        self.passes += 1;
        root.observe(Event::Pass);
    }
}

/// Adds to a count what was counted; what never is stays none.
fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum.get_or_insert(0) += more;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.horizon += other.horizon;
        self.finished += other.finished;
        self.interior += other.interior;
        add(&mut self.cut, other.cut);
        add(&mut self.all, other.all);
        self.quiescence += other.quiescence;
        self.frontier += other.frontier;
        self.evaluations += other.evaluations;
        self.re_searches += other.re_searches;
        self.passes += other.passes;
        self.guard += other.guard;
        self.table += other.table;
        if let Some(order) = other.order {
            *self.order.get_or_insert_default() += order;
        }
        add(&mut self.open_windows, other.open_windows);
        self.etc_cutoffs += other.etc_cutoffs;
        self.null_cutoffs += other.null_cutoffs;
        self.null_refused += other.null_refused;
        self.probcut_cutoffs += other.probcut_cutoffs;
        self.pruned += other.pruned;
        self.extended += other.extended;
        self.reduced += other.reduced;
    }
}

impl AddAssign for TableTally {
    fn add_assign(&mut self, other: Self) {
        self.probes += other.probes;
        self.hits += other.hits;
        self.ordering += other.ordering;
        self.narrowing += other.narrowing;
        self.cutoffs += other.cutoffs;
        self.etc_nodes += other.etc_nodes;
        self.etc_probes += other.etc_probes;
    }
}

impl AddAssign for OrderTally {
    fn add_assign(&mut self, other: Self) {
        self.cut += other.cut;
        self.first += other.first;
        self.stored += other.stored;
        self.stored_cut += other.stored_cut;
        self.tactical += other.tactical;
    }
}

/// What lies at a node once depth and moves have been looked at.
pub enum Expansion<M> {
    /// Nothing to search: at the horizon, or the game is over. The node's value.
    Leaf(Value),
    /// The branches, in provisional order; at least one.
    Interior(Vec<M>),
}

/// The opening lines of every textbook search: evaluate at the horizon or where no move is left, otherwise
/// generate the branches. `depth` is the number of plies to the horizon; `window`, alpha and beta, is what
/// those that watch are shown.
pub fn expand<N: Node>(
    node: &N,
    depth: u32,
    (alpha, beta): (Value, Value),
    tally: &mut Tally,
) -> Expansion<N::Move> {
    node.observe(Event::Enter { alpha, beta });
    if depth == 0 {
        return Expansion::Leaf(tally.at_horizon(node));
    }
    let moves = provisional(node);
    if moves.is_empty() {
        return Expansion::Leaf(tally.at_end(node, depth));
    }
    tally.expanded(node);
    Expansion::Interior(moves)
}

/// Horizon nodes of the minimal tree, `width^ceil(depth/2) + width^floor(depth/2) - 1` (Knuth and Moore; M
/// 2.3). With an average width of a game whose width varies this is an estimate; M draws it with 34 for
/// chess.
pub fn minimal_tree(width: f64, depth: u32) -> f64 {
    width.powf(f64::from(depth.div_ceil(2))) + width.powf(f64::from(depth / 2)) - 1.0
}

/// CUT and ALL nodes among the interior nodes of the minimal tree of a uniform game; the nodes of the
/// principal variation are ALL nodes. None where the numbers pass `u64`.
pub fn minimal_interior(width: u64, depth: u32) -> Option<(u64, u64)> {
    // Below the principal variation: its younger brothers are CUT nodes, the eldest child of a CUT node
    // is an ALL node, and every child of an ALL node is a CUT node.
    let (mut cut, mut all) = (0u64, 0u64);
    let (mut cut_total, mut all_total) = (0u64, 0u64);
    for _ in 0..depth {
        cut_total = cut_total.checked_add(cut)?;
        all_total = all_total.checked_add(all)?.checked_add(1)?;
        (cut, all) = (width.checked_mul(all)?.checked_add(width.saturating_sub(1))?, cut);
    }
    Some((cut_total, all_total))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tally of which no two numbers are alike.
    pub fn distinct() -> Tally {
        let table = TableTally {
            probes: 1,
            hits: 2,
            ordering: 3,
            narrowing: 4,
            cutoffs: 5,
            etc_nodes: 6,
            etc_probes: 7,
        };
        Tally {
            horizon: 8,
            finished: 9,
            interior: 10,
            cut: Some(11),
            all: Some(12),
            quiescence: 13,
            frontier: 14,
            evaluations: 15,
            re_searches: 16,
            passes: 17,
            guard: 18,
            table,
            order: Some(OrderTally { cut: 19, first: 20, stored: 21, stored_cut: 22, tactical: 23 }),
            open_windows: Some(24),
            etc_cutoffs: 25,
            null_cutoffs: 26,
            null_refused: 27,
            probcut_cutoffs: 28,
            pruned: 29,
            extended: 30,
            reduced: 31,
        }
    }

    /// The numbers in the order of their names.
    fn numbers(tally: &serde_json::Value) -> Vec<u64> {
        match tally {
            serde_json::Value::Object(fields) => fields.values().flat_map(numbers).collect(),
            number => vec![number.as_u64().unwrap()],
        }
    }

    #[test]
    fn every_number_of_a_sum_is_the_sum_of_the_numbers() {
        let (one, mut sum) = (distinct(), Tally::default());
        (0..3).for_each(|_| sum += one);
        let [one, sum] = [one, sum].map(|tally| numbers(&serde_json::to_value(tally).unwrap()));
        assert_eq!(one.len(), 31);
        assert_eq!(sum, one.iter().map(|number| 3 * number).collect::<Vec<u64>>());
    }
}
