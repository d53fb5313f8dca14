//! Which nodes belong to the minimal tree (Knuth and Moore 1975; M 2.3).
//!
//! The minimal tree is what a search must visit that always has the best branch first. A node of type 1 is on
//! the principal variation; its best branch is of type 1, the others of type 2. Of a node of type 2 one
//! branch refutes the move before: the best one, of type 3. All branches of a node of type 3 are of type 2.

use crate::algorithms::alpha_beta::fail_soft;
use crate::enhanced::{Switches, run};
use crate::node::{Node, provisional};
use crate::tally::{Tally, minimal_tree};
use crate::trees::watched::Touched;

/// A minimal tree with more leaves than that is not marked: to find the best branches would take too long.
const MAX_LEAVES: f64 = 20_000.0;

/// The type of each touched node, 1 to 3, and 0 outside the minimal tree to `depth` plies. Empty if the tree
/// is too large to say.
pub(super) fn kinds<N: Node>(touched: &[Touched<N>], depth: u32) -> Vec<u8> {
    let root = std::slice::from_ref(&touched[0].node);
    if minimal_tree(crate::study::contest::mean_width(root, depth), depth) > MAX_LEAVES {
        return Vec::new();
    }
    let mut kinds = vec![0; touched.len()];
    kinds[0] = 1;
    // Nodes stand after the node above them.
    for number in 0..touched.len() {
        let Touched { node, ply, below, .. } = &touched[number];
        if kinds[number] == 0 || *ply as u32 >= depth || below.is_empty() {
            continue;
        }
        let best = if kinds[number] == 3 { None } else { best_branch(node, depth - *ply as u32) };
        for &(by, child) in below.iter().filter(|below| below.0.is_some()) {
            kinds[child] = match kinds[number] {
                1 if by == best => 1,
                2 if by == best => 3,
                2 => 0,
                _ => 2,
            };
        }
    }
    kinds
}

/// The first of the best branches.
fn best_branch<N: Node>(node: &N, depth: u32) -> Option<N::Move> {
    let full = Switches::plain(crate::algorithms::Algorithm::Pvs).full_width();
    let value = run(node, depth, &full, None).value;
    let tally = &mut Tally::default();
    let is_best = |&m: &N::Move| -fail_soft(&node.child(m), depth - 1, -value, 1 - value, tally) >= value;
    provisional(node).into_iter().find(is_best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enhanced::{Contestant, run};
    use crate::trees::synthetic::{Kind, Spec};
    use crate::trees::watched::{Limits, Watched};

    /// In a perfectly ordered tree alpha-beta visits the minimal tree and nothing else.
    #[test]
    fn the_minimal_tree_is_what_alpha_beta_visits_in_perfect_order() {
        for (width, depth) in [(3, 4), (4, 3), (2, 6)] {
            let kind = Kind::Ordered { best_first: 100 };
            let root = Spec { kind, width, depth, seed: 5, correlation: 100 }.root().unwrap();
            let watched = Watched::new(root, Limits { nodes: 5000, steps: 50_000 });
            run(&watched, depth, &"alphabeta".parse::<Contestant>().unwrap().switches, None);
            let visited = watched.touched().len();
            watched.complete(depth, 5000);
            let touched = watched.touched();
            assert!(touched.len() > visited);
            let kinds = kinds(&touched, depth);
            let marked: Vec<bool> = kinds.iter().map(|&kind| kind > 0).collect();
            let expected: Vec<bool> = (0..touched.len()).map(|number| number < visited).collect();
            assert_eq!(marked, expected, "{width} {depth}");
        }
    }
}
