//! Principal variation splitting (Marsland and Campbell 1982).
//!
//! All workers come down the leftmost path together. The first move of every PV node is searched before its
//! siblings, and only those siblings are shared out. A worker searches its move alone, so there is enough work as
//! long as there are as many moves left as workers, and all wait for the last one at every node of the path.

use crate::schemes::rules::{RuleSet, Usual};
use crate::splitting::Conditions;
use engine::node::{Node, NodeKind};
use std::marker::PhantomData;

/// The conditions of principal variation splitting.
pub struct PvSplit<R = Usual>(PhantomData<R>);

impl<R: RuleSet> Conditions for PvSplit<R> {
    #[inline]
    fn splits<N: NodeKind>(node: &Node<'_, N>, below: bool, _members: usize) -> bool {
        N::PV && !below && node.depth >= R::RULES.pvsplit_depth
    }

    fn most_helpers(_moves: usize) -> usize {
        usize::MAX
    }
}
