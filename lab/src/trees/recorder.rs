//! A tree that remembers which leaves were looked at.
//!
//! Wrapped around any node it changes nothing for the search and notes the key of every static evaluation,
//! in order. That is how the leaf sets of the figures, and of two searches said to be the same, are held
//! against each other.

use crate::node::{Node, Value};
use std::sync::{Arc, Mutex};

/// A node with a notebook shared by its whole tree.
#[derive(Clone, Debug)]
pub struct Recorder<N> {
    node: N,
    seen: Arc<Mutex<Vec<u64>>>,
}

impl<N: Node> Recorder<N> {
    /// Wraps a root.
    pub fn new(node: N) -> Self {
        Self { node, seen: Arc::default() }
    }

    /// Keys of the evaluated nodes so far, in order; the notebook is empty afterwards.
    pub fn take(&self) -> Vec<u64> {
        std::mem::take(&mut *self.seen.lock().expect("no search panics while it writes"))
    }

    fn wrap(&self, node: N) -> Self {
        Self { node, seen: Arc::clone(&self.seen) }
    }
}

impl<N: Node> Node for Recorder<N> {
    knowledge_of_the_wrapped_node!();

    fn moves(&self) -> Vec<N::Move> {
        self.node.moves()
    }

    fn child(&self, m: N::Move) -> Self {
        self.wrap(self.node.child(m))
    }

    fn evaluate(&self) -> Value {
        self.seen.lock().expect("no search panics while it writes").push(self.node.key());
        self.node.evaluate()
    }

    fn final_value(&self, height: u32) -> Value {
        self.seen.lock().expect("no search panics while it writes").push(self.node.key());
        self.node.final_value(height)
    }

    fn pass(&self) -> Option<Self> {
        self.node.pass().map(|node| self.wrap(node))
    }
}
