//! Young Brothers Wait (Feldmann, Monien, Mysliwietz and Vornberger 1989; Feldmann 1993).
//!
//! The first move of a node (the eldest brother) is searched by one worker; only when its score is known may several
//! search the others. The reason is alpha-beta itself: the first move usually gives the bound against which the
//! others are cut off, and to start them earlier means to search them without it.
//!
//! Any kind of node is split if it is deep enough ([`ybw_depth`](Rules::ybw_depth), a ply more in a large team:
//! [`large_team_depth`](Rules::large_team_depth)). The deepest ([`advance_depth`](Rules::advance_depth)) are
//! split before another worker is idle, as long as fewer places are free above than the team has members. A cut
//! node is split too: once its first move has not cut off, it is likely to need all its moves.
//!
//! A point takes a helper for every [`moves_a_helper`](Rules::moves_a_helper) moves that may be left, and never
//! more than [`most_helpers`](Rules::most_helpers). More would find the late moves, most of which take a few
//! nodes, already drawn when they come (bench/runs/2026-11-23-fewer-helpers), and wait for each other at the
//! point's lock (bench/runs/2026-11-26-battery). All moves are listed before the point opens, so their number is
//! known.
//!
//! A large team ([`large_team`](Rules::large_team)) does not wait for the first move where little is gained by
//! it. A node off the principal variation that is expected to fail low, and did so when it was last searched,
//! will most likely need all its moves, so the others begin beside the first. By the virtual clock that makes
//! short searches 6 to 8 % faster with 16 threads and 3 % slower with two
//! (bench/runs/2026-11-23-before-the-eldest).
//!
//! A worker without a point reads ahead ([`crate::splitting`]). With many workers one of them is often alone on its
//! way to the next first move, and the points that it opens there are done before a sleeper has woken up; a reader
//! sees them at its next node (bench/runs/2026-11-22-reading-ahead). A master that waits for its helpers reads along
//! with them, deeper and deeper ([`reads_deeper`](Rules::reads_deeper)): in searches of a fifth of a second it would
//! otherwise fall asleep some three hundred times a second (bench/runs/2026-11-25-sleepless).

#[cfg(doc)]
use crate::schemes::rules::Rules;
use crate::schemes::rules::{RuleSet, Usual};
use crate::splitting::Conditions;
use engine::node::{Node, NodeKind};
use std::marker::PhantomData;
use thinking::report::Bound;

/// The conditions of Young Brothers Wait.
pub struct Ybw<R = Usual>(PhantomData<R>);

impl<R: RuleSet> Conditions for Ybw<R> {
    const READS_AHEAD: bool = R::RULES.reads_ahead;
    const READS_ALONG: bool = R::RULES.reads_along;
    const READS_DEEPER: i32 = R::RULES.reads_deeper;
    const TAKES_TURNS: bool = R::RULES.takes_turns;
    const MARKS_DEPTH: i32 = R::RULES.marks_depth;

    #[inline]
    fn splits<N: NodeKind>(node: &Node<'_, N>, _below: bool, members: usize) -> bool {
        let rules = R::RULES;
        let large = members >= rules.large_team;
        node.depth >= if large { rules.large_team_depth } else { rules.ybw_depth }
    }

    #[inline]
    fn splits_before_first<N: NodeKind>(node: &Node<'_, N>, members: usize) -> bool {
        let failed_low = node.table.is_some_and(|entry| entry.bound == Bound::Upper);
        R::RULES.before_first && members >= R::RULES.large_team && !N::PV && !node.cut && failed_low
    }

    #[inline]
    fn in_advance<N: NodeKind>(node: &Node<'_, N>) -> bool {
        node.depth >= R::RULES.advance_depth
    }

    fn most_helpers(moves: usize) -> usize {
        moves.div_ceil(R::RULES.moves_a_helper).min(R::RULES.most_helpers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use engine::node::{NonPv, Pv, Window};
    use engine::tt::Entry;

    /// By teams of three and four, at depths 6, 7 and 8.
    #[test]
    fn large_teams_split_only_deeper_nodes() {
        let position = Position::startpos();
        let splits = |depth, members| {
            let node = Node::<NonPv>::new(&position, Window::null(0), depth, 4, true);
            Ybw::<Usual>::splits(&node, false, members)
        };
        let found = [6, 7, 8].map(|depth| [3, 4].map(|members| splits(depth, members)));
        assert_eq!(found, [[false, false], [true, false], [true, true]]);
    }

    /// Teams of four and more do not wait for the first move where the node failed low before, and nowhere else.
    #[test]
    fn large_teams_begin_beside_the_first_move_where_all_will_be_needed() {
        let position = Position::startpos();
        let entry = |bound| Some(Entry { mv: None, score: 0, eval: None, depth: 8, bound, pv: false });
        let failed_low = entry(Bound::Upper);
        let begins = |cut, table, members| {
            let mut node = Node::<NonPv>::new(&position, Window::null(0), 8, 4, cut);
            node.table = table;
            Ybw::<Usual>::splits_before_first(&node, members)
        };
        assert_eq!([3, 4, 5].map(|members| begins(false, failed_low, members)), [false, true, true]);
        assert!(!begins(true, failed_low, 4), "it is expected to fail high");
        assert!(!begins(false, entry(Bound::Lower), 4), "it failed high before");
        assert!(!begins(false, None, 4), "nothing is known of it");
        let mut node = Node::<Pv>::new(&position, Window::FULL, 8, 4, false);
        node.table = failed_low;
        assert!(!Ybw::<Usual>::splits_before_first(&node, 4), "it is on the principal variation");
    }
}
