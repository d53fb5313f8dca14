//! Root splitting: the oldest and simplest scheme, kept as the baseline of all others.
//!
//! The first move of the root is searched by one worker; then the others are shared out, each searched by one worker
//! alone. Everybody but one waits while the first move is searched, which is most of the time in a well ordered tree.

use crate::splitting::Conditions;
use engine::node::{Node, NodeKind};

/// The conditions of root splitting.
pub struct RootSplit;

impl Conditions for RootSplit {
    #[inline]
    fn splits<N: NodeKind>(_node: &Node<'_, N>, _below: bool, _members: usize) -> bool {
        N::ROOT
    }

    fn most_helpers(_moves: usize) -> usize {
        usize::MAX
    }
}
