//! Proof-number search (Allis, van der Meulen and van den Herik 1994) and df-pn (Nagai 2002).
//!
//! Both answer one question, "is the value at least `goal`?", on an AND/OR tree. A node's *proof number* is
//! the least number of leaves that must still turn out well for the question to be answered with yes; the
//! *disproof number* the same for no. The search always looks at the leaf that counts in both, the
//! most-proving node: it goes where the side that must answer has fewest answers, whatever the evaluation
//! says. With `goal` at a won game it proves mates and wins in connect four; with any other goal it is a test
//! like MT's.
//!
//! [`proof_number`] keeps the whole tree. [`df_pn`] goes depth-first with thresholds on both numbers and a
//! table, and visits nodes again instead of keeping the tree.

use super::room::{Full, Room};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};
use std::collections::HashMap;

/// No number of leaves is enough.
const NEVER: u64 = u64::MAX;

/// A node's numbers for its side to move: to reach its goal, and to fail it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u64,
    disproof: u64,
}

const UNKNOWN: Numbers = Numbers { proof: 1, disproof: 1 };

impl Numbers {
    fn of_leaf(value: Value, goal: Value) -> Self {
        if value >= goal { Self { proof: 0, disproof: NEVER } } else { Self { proof: NEVER, disproof: 0 } }
    }

    /// One branch must fail its own side, whichever; for a disproof all must succeed.
    fn of_branches(branches: impl Iterator<Item = Numbers>) -> Self {
        branches.fold(Self { proof: NEVER, disproof: 0 }, |sum, branch| Self {
            proof: sum.proof.min(branch.disproof),
            disproof: sum.disproof.saturating_add(branch.proof),
        })
    }

    fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    fn show<N: Node>(self, node: &N) {
        let small = |number: u64| number.min(INFINITY as u64) as Value;
        node.observe(Event::Numbers(small(self.proof), small(self.disproof)));
    }
}

/// The goal one ply down: the side to move here reaches `goal` by a move after which the other side fails
/// this.
fn turned(goal: Value) -> Value {
    1 - goal
}

struct Known<N> {
    node: N,
    above: usize,
    depth: u32,
    goal: Value,
    numbers: Numbers,
    branches: std::ops::Range<usize>,
}

/// An answer, and what had to be kept for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Is the value at least the goal?
    pub reached: bool,
    /// Nodes of the tree, or entries of the table, when the search ended; neither forgets any before.
    pub kept: usize,
}

/// Proof-number search: is the value of `node` at `depth` plies at least `goal`?
pub fn proof_number<N: Node>(
    node: &N,
    depth: u32,
    goal: Value,
    room: Room,
    tally: &mut Tally,
) -> Result<Answer, Full> {
    let root = Known { node: node.clone(), above: 0, depth, goal, numbers: UNKNOWN, branches: 0..0 };
    let mut tree = vec![root];
    while !tree[0].numbers.is_settled() {
        let leaf = most_proving(&tree);
        develop(&mut tree, leaf, tally);
        update(&mut tree, leaf);
        room.holds(tree.len())?;
    }
    Ok(Answer { reached: tree[0].numbers.proof == 0, kept: tree.len() })
}

/// Down to a leaf by the branch that gives its node the proof number.
fn most_proving<N>(tree: &[Known<N>]) -> usize {
    let mut at = 0;
    while !tree[at].branches.is_empty() {
        let proof = tree[at].numbers.proof;
        let giver = tree[at].branches.clone().find(|&branch| tree[branch].numbers.disproof == proof);
        at = giver.expect("a proof number is the disproof number of a branch");
    }
    at
}

/// Evaluates a leaf, or gives it its branches.
fn develop<N: Node>(tree: &mut Vec<Known<N>>, leaf: usize, tally: &mut Tally) {
    let Known { node, depth, goal, .. } = &tree[leaf];
    let (node, depth, goal) = (node.clone(), *depth, *goal);
    match expand(&node, depth, (goal - 1, goal), tally) {
        Expansion::Leaf(value) => tree[leaf].numbers = Numbers::of_leaf(value, goal),
        Expansion::Interior(moves) => {
            let first = tree.len();
            tree.extend(moves.into_iter().map(|m| Known {
                node: node.child(m),
                above: leaf,
                depth: depth - 1,
                goal: turned(goal),
                numbers: UNKNOWN,
                branches: 0..0,
            }));
            tree[leaf].branches = first..tree.len();
        }
    }
}

/// The numbers from a developed node up to the root.
fn update<N: Node>(tree: &mut [Known<N>], developed: usize) {
    let mut at = developed;
    loop {
        if !tree[at].branches.is_empty() {
            let branches = tree[at].branches.clone();
            tree[at].numbers = Numbers::of_branches(branches.map(|branch| tree[branch].numbers));
            tree[at].numbers.show(&tree[at].node);
        }
        if at == 0 {
            return;
        }
        at = tree[at].above;
    }
}

/// Depth-first proof-number search: is the value of `node` at `depth` plies at least `goal`?
pub fn df_pn<N: Node>(
    node: &N,
    depth: u32,
    goal: Value,
    room: Room,
    tally: &mut Tally,
) -> Result<Answer, Full> {
    let open = Numbers { proof: NEVER, disproof: NEVER };
    let mut search = DepthFirst { table: HashMap::new(), room, tally };
    let reached = search.visit(node, depth, goal, open)?.proof == 0;
    Ok(Answer { reached, kept: search.table.len() })
}

struct DepthFirst<'a> {
    /// By position and plies left; positions that meet have the same side to move and so the same goal.
    table: HashMap<(u64, u32), Numbers>,
    room: Room,
    tally: &'a mut Tally,
}

impl DepthFirst<'_> {
    /// Searches until one of the node's numbers reaches its threshold, and returns them.
    fn visit<N: Node>(
        &mut self,
        node: &N,
        depth: u32,
        goal: Value,
        threshold: Numbers,
    ) -> Result<Numbers, Full> {
        let moves = match expand(node, depth, (goal - 1, goal), self.tally) {
            Expansion::Leaf(value) => {
                return self.keep(node, depth, Numbers::of_leaf(value, goal));
            }
            Expansion::Interior(moves) => moves,
        };
        let children: Vec<N> = moves.into_iter().map(|m| node.child(m)).collect();
        loop {
            let known: Vec<Numbers> = children.iter().map(|child| self.known(child, depth - 1)).collect();
            let numbers = Numbers::of_branches(known.iter().copied());
            numbers.show(node);
            let reached = numbers.proof >= threshold.proof || numbers.disproof >= threshold.disproof;
            if numbers.is_settled() || reached {
                return self.keep(node, depth, numbers);
            }
            let easiest = (0..known.len()).min_by_key(|&i| known[i].disproof).expect("an interior node");
            let second = (0..known.len()).filter(|&i| i != easiest).map(|i| known[i].disproof).min();
            let others = numbers.disproof - known[easiest].proof;
            // On, until another branch is easier or this node has had its share.
            let below = Numbers {
                proof: threshold.disproof.saturating_sub(others),
                disproof: threshold.proof.min(second.map_or(NEVER, |second| second.saturating_add(1))),
            };
            self.visit(&children[easiest], depth - 1, turned(goal), below)?;
        }
    }

    fn keep<N: Node>(&mut self, node: &N, depth: u32, numbers: Numbers) -> Result<Numbers, Full> {
        self.table.insert((node.key(), depth), numbers);
        self.room.holds(self.table.len()).map(|()| numbers)
    }

    fn known<N: Node>(&mut self, node: &N, depth: u32) -> Numbers {
        let found = self.table.get(&(node.key(), depth)).copied();
        self.tally.table.probes += 1;
        self.tally.table.hits += u64::from(found.is_some());
        found.unwrap_or(UNKNOWN)
    }
}
