//! Principal variation splitting (Marsland and Campbell 1982).
//!
//! All workers come down the leftmost path together: the first move of every principal node is searched before its
//! brothers, and only those brothers are shared out. What a worker is given it searches alone, so work is plentiful
//! while there are as many moves left as workers, and everybody waits for the last one at every node of the path.

use crate::split::Conditions;
use engine::node::{Node, NodeKind};

/// Shallowest node, in plies of remaining depth, that is split.
pub const MIN_DEPTH: i32 = 3;

/// The conditions of principal variation splitting.
pub struct PvSplit;

impl Conditions for PvSplit {
    #[inline]
    fn splits<N: NodeKind>(node: &Node<'_, N>, below: bool) -> bool {
        N::PV && !below && node.depth >= MIN_DEPTH
    }

    fn most_helpers(_moves: usize) -> usize {
        usize::MAX
    }
}
