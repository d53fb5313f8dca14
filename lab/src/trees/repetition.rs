//! Any game, with repetitions scored as draws: the hazard of transposition tables (M 3.5, B).
//!
//! A position that occurred before on the path is a draw, so a node's value depends on how it was reached,
//! while its key does not. A table then hands one path's value to another. The searches here are exact on
//! games whose value is a function of the position; this wrapper makes a game that is not.

use crate::node::{Node, Value};
use std::sync::Arc;

/// A node that remembers the keys on the path to it.
#[derive(Clone, Debug)]
pub struct Repetition<N> {
    node: N,
    path: Arc<Step>,
    /// Did this position occur before on the path?
    repeated: bool,
}

#[derive(Debug)]
struct Step {
    key: u64,
    before: Option<Arc<Step>>,
}

impl<N: Node> Repetition<N> {
    /// A root with nothing played before it.
    pub fn new(node: N) -> Self {
        let path = Arc::new(Step { key: node.key(), before: None });
        Self { node, path, repeated: false }
    }

    fn after(&self, node: N) -> Self {
        let key = node.key();
        let path = std::iter::successors(Some(&self.path), |step| step.before.as_ref());
        let repeated = path.into_iter().any(|step| step.key == key);
        let path = Arc::new(Step { key, before: Some(Arc::clone(&self.path)) });
        Self { node, path, repeated }
    }
}

impl<N: Node> Node for Repetition<N> {
    knowledge_of_the_wrapped_node!();

    fn moves(&self) -> Vec<N::Move> {
        if self.repeated { Vec::new() } else { self.node.moves() }
    }

    fn child(&self, m: N::Move) -> Self {
        self.after(self.node.child(m))
    }

    fn evaluate(&self) -> Value {
        if self.repeated { 0 } else { self.node.evaluate() }
    }

    fn final_value(&self, height: u32) -> Value {
        if self.repeated { 0 } else { self.node.final_value(height) }
    }

    fn pass(&self) -> Option<Self> {
        self.node.pass().map(|node| self.after(node))
    }
}
