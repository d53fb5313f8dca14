//! Young Brothers Wait (Feldmann, Monien, Mysliwietz and Vornberger 1989; Feldmann 1993).
//!
//! The eldest move of a node is searched first, by one worker; only when its score is known may the younger brothers
//! be searched by several. The reason is alpha-beta itself: the eldest usually gives the bound against which the
//! others are cut off, so that starting them earlier would mean searching them without it.
//!
//! Any kind of node is split if it is deep enough ([`MIN_DEPTH`]), the deepest ([`ADVANCE_DEPTH`]) before anybody wants
//! work. A node expected to fail high is no exception: once its eldest has not, it is likely to need all its moves. A
//! point takes [`MOST_HELPERS`], except high in the tree, where the work is largest and any number may join.
//!
//! Who has no point to help at reads ahead ([`crate::split`]). With many workers one of them is often alone, on its way to
//! the next eldest, and the points that it opens there are over before a sleeper has woken up; a reader sees them at its next
//! node (bench/runs/2026-11-22-reading-ahead).

use crate::split::Conditions;
use engine::node::{Node, NodeKind};

/// Shallowest node, in plies of remaining depth, that is split: below it the work is not worth the handing over.
pub const MIN_DEPTH: i32 = 7;
/// Shallowest node that is opened though nobody waits yet.
pub const ADVANCE_DEPTH: i32 = 9;
/// Helpers that may join one point beside its master...
pub const MOST_HELPERS: usize = 8;
/// ...except nearer to the root than this, in plies, where all may.
pub const OPEN_PLIES: usize = 8;

/// The conditions of Young Brothers Wait.
pub struct Ybw;

impl Conditions for Ybw {
    const READS_AHEAD: bool = true;

    #[inline]
    fn splits<N: NodeKind>(node: &Node<'_, N>, _below: bool) -> bool {
        node.depth >= MIN_DEPTH
    }

    #[inline]
    fn in_advance<N: NodeKind>(node: &Node<'_, N>) -> bool {
        node.depth >= ADVANCE_DEPTH
    }

    fn most_helpers(ply: usize) -> usize {
        if ply < OPEN_PLIES { usize::MAX } else { MOST_HELPERS }
    }
}
