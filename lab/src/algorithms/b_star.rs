//! B* (Berliner 1979; B): prove which move is best, not what it is worth.
//!
//! Every node has an optimistic and a pessimistic bound on its value. The search stops as soon as one root
//! move's pessimistic bound is not below any other's optimistic one. Until then it either tries to raise the
//! best move (*prove best*) or to lower its rivals (*disprove rest*), whichever has cost less so far by
//! Berliner's criterion, the squares of the depths reached; below the root it follows the most optimistic
//! branch.
//!
//! The bounds decide everything. [`Bounds::Sound`] asks the tree for limits that its value cannot pass
//! ([`Node::bounds`]); with them the proof is a proof. [`Bounds::NullMove`] takes Palay's: the optimist has
//! two moves in a row, the pessimist passes. Those are estimates, and the proof is as good as they are.

use super::room::{Full, Room};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};

/// Where a node's bounds come from before its branches are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// The tree's own limits.
    Sound,
    /// One side moves twice, or passes.
    NullMove,
}

struct Known<N> {
    node: N,
    above: usize,
    depth: u32,
    /// Bounds on the value for the side to move.
    low: Value,
    high: Value,
    /// Plies that have been looked at below.
    reach: u64,
    branches: std::ops::Range<usize>,
}

impl<N> Known<N> {
    /// Is there anything left to find out?
    fn is_open(&self) -> bool {
        self.low < self.high
    }
}

/// The number of the proved branch in provisional order, and its pessimistic bound; none without moves.
pub fn b_star<N: Node>(
    node: &N,
    depth: u32,
    bounds: Bounds,
    room: Room,
    tally: &mut Tally,
) -> Result<Option<(usize, Value)>, Full> {
    let mut search = BStar { tree: Vec::new(), bounds, room, tally };
    search.add(node.clone(), 0, depth);
    search.develop(0)?;
    search.update(0);
    if search.tree[0].branches.is_empty() {
        return Ok(None);
    }
    loop {
        let (best, rivals) = search.candidates();
        let proved = -search.tree[best].high;
        // One move alone is best before it is known what it is worth at least.
        if proved > -INFINITY && rivals.iter().all(|&rival| -search.tree[rival].low <= proved) {
            return Ok(Some((best - 1, proved)));
        }
        let leaf = search.leaf_below(search.strategy(best, &rivals, proved));
        search.develop(leaf)?;
        search.update(leaf);
    }
}

struct BStar<'a, N> {
    tree: Vec<Known<N>>,
    bounds: Bounds,
    room: Room,
    tally: &'a mut Tally,
}

impl<N: Node> BStar<'_, N> {
    fn add(&mut self, node: N, above: usize, depth: u32) {
        self.tally.frontier += 1;
        let (low, high) = match self.bounds {
            Bounds::Sound => node.bounds(depth, self.tally),
            Bounds::NullMove => self.null_move_bounds(&node),
        };
        self.tree.push(Known { node, above, depth, low, high, reach: 0, branches: 0..0 });
    }

    /// Passing is a lower bound, moving twice an upper one; where passing is not allowed there is none. Every
    /// position that is evaluated on the way is a node.
    fn null_move_bounds(&mut self, node: &N) -> (Value, Value) {
        let mut value = |node: &N| self.tally.at_frontier(node);
        let moves = node.moves();
        let passed = node.pass().filter(|_| !node.in_check());
        let low = passed.map_or(-INFINITY, |passed| {
            let replies = passed.moves();
            replies.into_iter().map(|m| value(&passed.child(m))).min().unwrap_or(-INFINITY)
        });
        let twice = |m: N::Move| node.child(m).pass().map_or(INFINITY, |again| value(&again));
        let high = moves.into_iter().map(twice).max().unwrap_or(INFINITY);
        (low.min(high), high.max(low))
    }

    /// The most optimistic root branch, and the others. Among equals it is the one with the better pessimistic
    /// bound, which has the least left to prove.
    fn candidates(&self) -> (usize, Vec<usize>) {
        let all = self.tree[0].branches.clone();
        let best = all.clone().min_by_key(|&i| (self.tree[i].low, self.tree[i].high, i));
        let best = best.expect("the root has branches");
        (best, all.filter(|&i| i != best).collect())
    }

    /// Prove best or disprove rest: the root branch to go on with.
    fn strategy(&self, best: usize, rivals: &[usize], proved: Value) -> usize {
        let open = |&&i: &&usize| self.tree[i].is_open();
        let in_the_way = |&&i: &&usize| -self.tree[i].low > proved;
        let square = |i: usize| self.tree[i].reach.pow(2);
        let cost: u64 = rivals.iter().filter(in_the_way).map(|&i| square(i)).sum();
        let rival = rivals.iter().filter(in_the_way).filter(open).min_by_key(|&&i| self.tree[i].low);
        match rival {
            Some(&rival) if !self.tree[best].is_open() || square(best) > cost => rival,
            _ => best,
        }
    }

    /// From an open node down the most optimistic open branches.
    fn leaf_below(&self, mut at: usize) -> usize {
        while !self.tree[at].branches.is_empty() {
            let open = self.tree[at].branches.clone().filter(|&i| self.tree[i].is_open());
            at = open.min_by_key(|&i| self.tree[i].low).expect("an open node has an open branch");
        }
        at
    }

    fn develop(&mut self, leaf: usize) -> Result<(), Full> {
        self.tally.frontier -= 1;
        let Known { node, depth, low, high, .. } = &self.tree[leaf];
        let (node, depth, window) = (node.clone(), *depth, (*low, *high));
        match expand(&node, depth, window, self.tally) {
            Expansion::Leaf(value) => (self.tree[leaf].low, self.tree[leaf].high) = (value, value),
            Expansion::Interior(moves) => {
                let first = self.tree.len();
                moves.into_iter().for_each(|m| self.add(node.child(m), leaf, depth - 1));
                self.tree[leaf].branches = first..self.tree.len();
            }
        }
        self.room.holds(self.tree.len())
    }

    /// Bounds from a developed node up to the root.
    fn update(&mut self, developed: usize) {
        let (mut at, mut reach) = (developed, 1);
        loop {
            let branches = self.tree[at].branches.clone();
            if !branches.is_empty() {
                let low = branches.clone().map(|i| -self.tree[i].high).max().unwrap_or(-INFINITY);
                let high = branches.map(|i| -self.tree[i].low).max().unwrap_or(INFINITY);
                (self.tree[at].low, self.tree[at].high) = (low, high);
                self.tree[at].node.observe(Event::Bounds(low, high));
            }
            self.tree[at].reach = self.tree[at].reach.max(reach);
            if at == 0 {
                return;
            }
            (at, reach) = (self.tree[at].above, reach + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::drawn::Drawn;

    /// Berliner's criterion: the squares of the depths to which the best branch has been looked into, and those of the
    /// rivals that may still be better. The best is worth 10 to 50; of the rivals the last is worth 8 at most, and
    /// what was spent on it does not count.
    #[test]
    fn what_has_cost_less_so_far_is_gone_on_with() {
        let node: Drawn = "(1 2 3 4)".parse().unwrap();
        let known = |(low, high, reach): (Value, Value, u64)| {
            // The bounds of a branch are those of the other side.
            Known { node: node.clone(), above: 0, depth: 3, low: -high, high: -low, reach, branches: 0..0 }
        };
        let chosen = |best_reach: u64| {
            let branches = [(10, 50, best_reach), (5, 30, 2), (0, 40, 2), (0, 8, 9)].map(known);
            let root = Known { branches: 1..5, ..known((10, 50, 0)) };
            let tree = std::iter::once(root).chain(branches).collect();
            let mut tally = Tally::default();
            let search = BStar { tree, bounds: Bounds::Sound, room: Room::UNLIMITED, tally: &mut tally };
            let (best, rivals) = search.candidates();
            assert_eq!((best, &rivals[..]), (1, &[2, 3, 4][..]));
            search.strategy(best, &rivals, 10)
        };
        // 2^2 + 2^2 lies between 2^2 and 3^2. The third branch is the most optimistic of the rivals.
        assert_eq!([2, 3].map(chosen), [1, 3]);
    }
}
