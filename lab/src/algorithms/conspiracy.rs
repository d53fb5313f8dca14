//! Conspiracy numbers (McAllester 1988; Schaeffer 1990; B): search until the root's value is hard to change.
//!
//! Every leaf that is not at the horizon may turn out to be worth anything. A node's conspiracy number for a
//! value is the least number of such leaves that must change together to give the node that value. A leaf
//! needs one; raising a node takes one branch that agrees, lowering it takes all of them. The search expands
//! the leaves of the smallest conspiracy against the root's present value until more than `threshold` leaves
//! would have to conspire to change it in either direction. Since a larger change never needs fewer
//! conspirators, the values next to the present one are enough to look at (Schaeffer's critical conspiracy
//! numbers look at as few).
//!
//! At a threshold of 0 the static value of the root is the answer; a threshold above the number of leaves
//! gives minimax. Between, the value is that of a tree of varying depth.

use super::room::{Full, Room};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};
use std::ops::Range;

/// No number of conspirators is enough.
const NEVER: u64 = u64::MAX;

struct Known<N> {
    node: N,
    above: usize,
    depth: u32,
    /// For the side to move.
    value: Value,
    /// A leaf at the horizon or at the end of a game, which cannot change.
    fixed: bool,
    branches: Range<usize>,
}

/// A root value that no `threshold` leaves can change together, and the size of the smallest conspiracy that
/// could.
pub fn conspiracy<N: Node>(
    node: &N,
    depth: u32,
    threshold: u64,
    room: Room,
    tally: &mut Tally,
) -> Result<(Value, u64), Full> {
    let mut search = Conspiracy { tree: Vec::new(), tally };
    search.add(node.clone(), 0, depth);
    loop {
        let value = search.tree[0].value;
        let (up, down) = (search.raise(0, value + 1), search.lower(0, value - 1));
        let needed = up.min(down);
        if needed > threshold || needed == NEVER {
            return Ok((value, needed));
        }
        let leaf = search.conspirator(up <= down, value);
        search.develop(leaf);
        search.update(leaf);
        room.holds(search.tree.len())?;
    }
}

struct Conspiracy<'a, N> {
    tree: Vec<Known<N>>,
    tally: &'a mut Tally,
}

impl<N: Node> Conspiracy<'_, N> {
    fn add(&mut self, node: N, above: usize, depth: u32) {
        let value = self.tally.at_frontier(&node);
        self.tree.push(Known { node, above, depth, value, fixed: false, branches: 0..0 });
    }

    fn leaf(&self, at: usize, holds: bool) -> u64 {
        match (holds, self.tree[at].fixed) {
            (true, _) => 0,
            (_, true) => NEVER,
            _ => 1,
        }
    }

    /// Conspirators that make a node worth `value` or more to its side to move.
    fn raise(&self, at: usize, value: Value) -> u64 {
        let Known { branches, value: now, .. } = &self.tree[at];
        if branches.is_empty() || *now >= value {
            return self.leaf(at, *now >= value);
        }
        branches.clone().map(|i| self.lower(i, -value)).min().unwrap_or(NEVER)
    }

    /// Conspirators that make a node worth `value` or less to its side to move.
    fn lower(&self, at: usize, value: Value) -> u64 {
        let Known { branches, value: now, .. } = &self.tree[at];
        if branches.is_empty() || *now <= value {
            return self.leaf(at, *now <= value);
        }
        branches.clone().map(|i| self.raise(i, -value)).fold(0, u64::saturating_add)
    }

    /// A leaf of the smallest conspiracy to raise the root above `value`, or to lower it.
    fn conspirator(&self, mut up: bool, value: Value) -> usize {
        let (mut at, mut target) = (0, if up { value + 1 } else { value - 1 });
        while !self.tree[at].branches.is_empty() {
            let branches = self.tree[at].branches.clone();
            target = -target;
            let next = match up {
                true => branches.clone().min_by_key(|&i| self.lower(i, target)),
                false => branches.clone().find(|&i| self.raise(i, target) > 0),
            };
            at = next.unwrap_or(branches.start);
            up = !up;
        }
        at
    }

    fn develop(&mut self, leaf: usize) {
        self.tally.frontier -= 1;
        let Known { node, depth, .. } = &self.tree[leaf];
        let (node, depth) = (node.clone(), *depth);
        match expand(&node, depth, (-INFINITY, INFINITY), self.tally) {
            Expansion::Leaf(value) => (self.tree[leaf].value, self.tree[leaf].fixed) = (value, true),
            Expansion::Interior(moves) => {
                let first = self.tree.len();
                moves.into_iter().for_each(|m| self.add(node.child(m), leaf, depth - 1));
                self.tree[leaf].branches = first..self.tree.len();
            }
        }
    }

    /// Minimax values from a developed node up to the root.
    fn update(&mut self, developed: usize) {
        let mut at = developed;
        loop {
            let best = self.tree[at].branches.clone().map(|i| -self.tree[i].value).max();
            if let Some(value) = best {
                self.tree[at].value = value;
                self.tree[at].node.observe(Event::Returned(value));
            }
            if at == 0 {
                return;
            }
            at = self.tree[at].above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::synthetic::{Kind, Spec};

    /// Whether the leaves of `set`, one bit each, can give the root a value that `wanted` accepts: they may
    /// be worth anything, and the extremes are enough.
    fn can<N: Node>(search: &Conspiracy<'_, N>, leaves: &[usize], set: u32, target: Value, up: bool) -> bool {
        fn value<N: Node>(
            search: &Conspiracy<'_, N>,
            at: usize,
            free: &dyn Fn(usize) -> bool,
            best: Value,
        ) -> Value {
            let branches = search.tree[at].branches.clone();
            if branches.is_empty() {
                return if free(at) { best } else { search.tree[at].value };
            }
            branches.map(|i| -value(search, i, free, -best)).max().unwrap_or(-INFINITY)
        }
        let free = |at: usize| leaves.iter().position(|&leaf| leaf == at).is_some_and(|i| set >> i & 1 == 1);
        let reached = value(search, 0, &free, if up { INFINITY } else { -INFINITY });
        if up { reached >= target } else { reached <= target }
    }

    /// Against all sets of leaves of small trees: no smaller one does it, and one of that size does. To the next value
    /// such a one holds the leaf that is developed.
    #[test]
    fn conspiracy_numbers_are_those_of_brute_force() {
        for seed in 0..40 {
            let spec = Spec { kind: Kind::Random, width: 3, depth: 4, seed, correlation: 40 };
            let mut tally = Tally::default();
            let mut search = Conspiracy { tree: Vec::new(), tally: &mut tally };
            search.add(spec.root().unwrap(), 0, 4);
            // A tree of uneven depth: the first leaves in order, a few of them at the horizon of three plies.
            for at in 0..4 {
                if at < search.tree.len() && search.tree[at].branches.is_empty() {
                    search.develop(at);
                    search.update(at);
                }
            }
            let leaves: Vec<usize> = (0..search.tree.len())
                .filter(|&i| search.tree[i].branches.is_empty() && !search.tree[i].fixed)
                .collect();
            assert!(leaves.len() < 13);
            for (step, up) in [(1, true), (40, true), (-1, false), (-40, false)] {
                let target = search.tree[0].value + step;
                let sets = (0..1u32 << leaves.len()).filter(|&set| can(&search, &leaves, set, target, up));
                let least = sets.map(|set| u64::from(set.count_ones())).min().unwrap_or(NEVER);
                let found = if up { search.raise(0, target) } else { search.lower(0, target) };
                assert_eq!(found, least, "seed {seed}, {step}");
                if step.abs() == 1 && least < NEVER {
                    let chosen = search.conspirator(up, search.tree[0].value);
                    let place = leaves.iter().position(|&leaf| leaf == chosen).unwrap();
                    let is_smallest = |set: u32| {
                        let belongs = set >> place & 1 == 1 && u64::from(set.count_ones()) == least;
                        belongs && can(&search, &leaves, set, target, up)
                    };
                    assert!((0..1u32 << leaves.len()).any(is_smallest), "seed {seed}, {step}: {chosen}");
                }
            }
        }
    }
}
