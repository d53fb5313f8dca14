//! SSS* as Stockman wrote it in 1979: a best-first search over an open list of states.
//!
//! A state is a node, whether it is solved, and an upper bound on what it can still contribute. The state
//! with the highest bound is always taken next; a solved MAX node with the highest bound that is the root
//! ends the search. It never visits more leaves than alpha-beta, and pays with an open list as large as the
//! widest layer of MAX's choices. [`super::mtd`] shows that a few zero-window searches with a memory do the
//! same, and the claims hold the two leaf sets against each other.
//!
//! DUAL* is the same search with the roles of MAX and MIN exchanged.

use super::room::{Full, Room};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Which side chooses at the root of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Max,
    Min,
}

/// A node once met, remembered for its children and its place among its brothers.
struct Known<N> {
    node: N,
    parent: Option<usize>,
    /// Dewey-decimal place; ties on the open list go to the leftmost.
    place: Vec<u16>,
    side: Side,
    children: Vec<usize>,
}

/// An entry of the open list, best first: highest bound, then leftmost, then nearest the root.
struct State {
    merit: Value,
    place: Vec<u16>,
    id: usize,
    solved: bool,
}

impl Ord for State {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.merit, Reverse(&self.place)).cmp(&(other.merit, Reverse(&other.place)))
    }
}

impl PartialOrd for State {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for State {}

/// SSS*: the value of `node` for the side to move.
pub fn sss_star<N: Node>(node: &N, depth: u32, room: Room, tally: &mut Tally) -> Result<Value, Full> {
    BestFirst::new(node, Side::Max).run(depth, room, tally)
}

/// DUAL*: SSS* for the other side, whose MIN nodes now begin; the result is turned back.
pub fn dual_star<N: Node>(node: &N, depth: u32, room: Room, tally: &mut Tally) -> Result<Value, Full> {
    BestFirst::new(node, Side::Min).run(depth, room, tally).map(|value| -value)
}

struct BestFirst<N> {
    known: Vec<Known<N>>,
    open: BinaryHeap<State>,
}

impl<N: Node> BestFirst<N> {
    fn new(root: &N, side: Side) -> Self {
        let mut search = Self { known: Vec::new(), open: BinaryHeap::new() };
        search.known.push(Known { node: root.clone(), parent: None, place: vec![], side, children: vec![] });
        search.push(0, false, INFINITY);
        search
    }

    fn push(&mut self, id: usize, solved: bool, merit: Value) {
        self.open.push(State { merit, place: self.known[id].place.clone(), id, solved });
    }

    fn run(mut self, depth: u32, room: Room, tally: &mut Tally) -> Result<Value, Full> {
        loop {
            let state = self.open.pop().expect("the open list is empty only after the root was solved");
            if state.solved {
                let Known { node, side, .. } = &self.known[state.id];
                node.observe(Event::Returned(if *side == Side::Max { state.merit } else { -state.merit }));
            }
            match (state.solved, self.known[state.id].parent) {
                (true, None) => return Ok(state.merit),
                (true, Some(parent)) => self.climb(&state, parent),
                (false, _) => self.descend(&state, depth, tally),
            }
            room.holds(self.known.len())?;
        }
    }

    /// An unsolved node: evaluate it, or open all of MAX's branches, or the first of MIN's.
    fn descend(&mut self, state: &State, depth: u32, tally: &mut Tally) {
        let (place, side) = (self.known[state.id].place.clone(), self.known[state.id].side);
        let left = depth - place.len() as u32;
        let window = if side == Side::Max { (-INFINITY, state.merit) } else { (-state.merit, INFINITY) };
        match expand(&self.known[state.id].node, left, window, tally) {
            Expansion::Leaf(value) => {
                let value = if side == Side::Max { value } else { -value };
                self.push(state.id, true, state.merit.min(value));
            }
            Expansion::Interior(moves) => {
                let below = if side == Side::Max { Side::Min } else { Side::Max };
                for (i, m) in moves.into_iter().enumerate() {
                    let mut place = place.clone();
                    place.push(i as u16);
                    let child = self.known[state.id].node.child(m);
                    let id = self.known.len();
                    self.known[state.id].children.push(id);
                    let parent = Some(state.id);
                    self.known.push(Known { node: child, parent, place, side: below, children: vec![] });
                }
                let opened = if side == Side::Max { self.known[state.id].children.len() } else { 1 };
                for i in 0..opened {
                    self.push(self.known[state.id].children[i], false, state.merit);
                }
            }
        }
    }

    /// A solved node: below MAX it decides its parent; below MIN the next brother has its turn.
    fn climb(&mut self, state: &State, parent: usize) {
        if self.known[parent].side == Side::Max {
            // No other branch can promise more than this one has proved: the brothers' states are dropped.
            let place = self.known[parent].place.clone();
            self.open.retain(|other| !other.place.starts_with(&place));
            self.push(parent, true, state.merit);
        } else {
            let brothers = &self.known[parent].children;
            let next = brothers.iter().position(|&id| id == state.id).map_or(0, |i| i + 1);
            match brothers.get(next) {
                Some(&brother) => self.push(brother, false, state.merit),
                None => self.push(parent, true, state.merit),
            }
        }
    }
}
