//! Principal variation splitting (Marsland and Campbell 1982).
//!
//! All workers come down the leftmost path together: the first move of every principal node is searched before its
//! brothers, and only those brothers are shared out. What a worker is given it searches alone, so work is plentiful
//! while there are as many moves left as workers, and everybody waits for the last one at every node of the path.

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
