//! A tree that writes down what a search does in it, step by step.
//!
//! Wrapped around any node it changes nothing for the search. It gives every node that a search touches a
//! number, and keeps the events ([`crate::event`]) in order, each with the number of its node, the processor
//! that acted and its clock. Several searches of the same root share the numbers: each takes its steps away
//! with [`Watched::take`]. Past its limit the log keeps counting and stops keeping.

use crate::event::Event;
use crate::node::{Node, Value};
use std::sync::{Arc, Mutex, MutexGuard};

/// A node whose visitors are written down.
#[derive(Clone, Debug)]
pub struct Watched<N: Node> {
    node: N,
    place: Place<N::Move>,
    log: Arc<Mutex<Log<N>>>,
}

/// Where a node stands.
#[derive(Clone, Copy, Debug)]
enum Place<M> {
    Root,
    /// Behind this branch (none: a pass) of the node with this number.
    Below(usize, Option<M>),
    /// Below a node that was not kept.
    Lost,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<M> {
    /// The number of the node.
    pub node: usize,
    /// What happened there.
    pub event: Event<M>,
    /// The processor that acted.
    pub processor: usize,
    /// Its clock, in virtual nanoseconds; 0 in a serial search.
    pub time: u64,
}

/// A node that a search has touched.
#[derive(Clone, Debug)]
pub struct Touched<N: Node> {
    /// The position.
    pub node: N,
    /// The number of the node above; the root has itself.
    pub above: usize,
    /// The branch that leads here; none at the root and behind a pass.
    pub by: Option<N::Move>,
    /// Moves from the root.
    pub ply: usize,
    /// The touched nodes below, by branch.
    pub below: Vec<(Option<N::Move>, usize)>,
}

#[derive(Debug)]
struct Log<N: Node> {
    nodes: Vec<Touched<N>>,
    steps: Vec<Step<N::Move>>,
    /// Steps there were, kept or not.
    heard: usize,
    /// Nodes that were not kept.
    lost: usize,
    limits: Limits,
    processor: usize,
    time: u64,
}

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes.
    pub nodes: usize,
    /// Steps of one search.
    pub steps: usize,
}

/// More happened than is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// Did the nodes pass their limit?
    pub nodes: bool,
    /// Steps there were.
    pub steps: usize,
}

impl<N: Node> Watched<N> {
    /// Wraps a root.
    pub fn new(node: N, limits: Limits) -> Self {
        let root = Touched { node: node.clone(), above: 0, by: None, ply: 0, below: Vec::new() };
        let log =
            Log { nodes: vec![root], steps: Vec::new(), heard: 0, lost: 0, limits, processor: 0, time: 0 };
        Self { node, place: Place::Root, log: Arc::new(Mutex::new(log)) }
    }

    /// The steps since the last call, or how far the search went past the limits.
    pub fn take(&self) -> Result<Vec<Step<N::Move>>, Overflow> {
        let mut log = self.lock();
        let overflow = Overflow { nodes: log.lost > 0, steps: log.heard };
        let whole = log.lost == 0 && log.heard == log.steps.len();
        (log.heard, log.lost, log.processor, log.time) = (0, 0, 0, 0);
        let steps = std::mem::take(&mut log.steps);
        if whole { Ok(steps) } else { Err(overflow) }
    }

    /// Every node that was touched, the root first and each node after the one above it.
    pub fn touched(&self) -> Vec<Touched<N>> {
        self.lock().nodes.clone()
    }

    /// Adds the nodes that no search has touched, down to `depth` plies, if all nodes together are at most
    /// `limit`.
    pub fn complete(&self, depth: u32, limit: usize) {
        let mut log = self.lock();
        let root = log.nodes[0].node.clone();
        if size(&root, depth, limit) > limit || log.nodes.len() > limit {
            return;
        }
        let mut next = 0;
        while next < log.nodes.len() {
            let Touched { node, ply, .. } = &log.nodes[next];
            let moves = if (*ply as u32) < depth { crate::node::provisional(node) } else { Vec::new() };
            let node = node.clone();
            for m in moves {
                log.number(next, Some(m), &node.child(m));
            }
            next += 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Log<N>> {
        self.log.lock().expect("nothing that holds the log panics")
    }
}

/// Nodes of the tree to `depth` plies, counted no further than just past `limit`.
fn size<N: Node>(node: &N, depth: u32, limit: usize) -> usize {
    let moves = if depth == 0 { Vec::new() } else { node.moves() };
    let mut nodes = 1;
    for m in moves {
        if nodes > limit {
            break;
        }
        nodes += size(&node.child(m), depth - 1, limit - nodes.min(limit));
    }
    nodes
}

impl<N: Node> Log<N> {
    /// The number of the node behind a branch, which is a new one if nothing was there. None past the limit.
    fn number(&mut self, above: usize, by: Option<N::Move>, node: &N) -> Option<usize> {
        if let Some(known) = self.nodes[above].below.iter().find(|below| below.0 == by) {
            return Some(known.1);
        }
        let number = self.nodes.len();
        if number >= self.limits.nodes {
            self.lost += 1;
            return None;
        }
        let ply = self.nodes[above].ply + 1;
        self.nodes.push(Touched { node: node.clone(), above, by, ply, below: Vec::new() });
        self.nodes[above].below.push((by, number));
        Some(number)
    }
}

impl<N: Node> Node for Watched<N> {
    knowledge_of_the_wrapped_node!();

    fn moves(&self) -> Vec<N::Move> {
        self.node.moves()
    }

    fn child(&self, m: N::Move) -> Self {
        self.behind(Some(m), self.node.child(m))
    }

    fn evaluate(&self) -> Value {
        self.node.evaluate()
    }

    fn final_value(&self, height: u32) -> Value {
        self.node.final_value(height)
    }

    fn pass(&self) -> Option<Self> {
        self.node.pass().map(|node| self.behind(None, node))
    }

    fn observe(&self, event: Event<N::Move>) {
        let mut log = self.lock();
        if let Event::Turn { processor, time } = event {
            (log.processor, log.time) = (processor, time);
            return;
        }
        let Some(number) = self.number(&mut log) else { return };
        log.heard += 1;
        if log.steps.len() < log.limits.steps {
            let (processor, time) = (log.processor, log.time);
            log.steps.push(Step { node: number, event, processor, time });
        }
    }
}

impl<N: Node> Watched<N> {
    fn behind(&self, by: Option<N::Move>, node: N) -> Self {
        let above = self.number(&mut self.lock());
        let place = above.map_or(Place::Lost, |above| Place::Below(above, by));
        Self { node, place, log: Arc::clone(&self.log) }
    }

    fn number(&self, log: &mut Log<N>) -> Option<usize> {
        match self.place {
            Place::Root => Some(0),
            Place::Below(above, by) => log.number(above, by, &self.node),
            Place::Lost => None,
        }
    }
}
