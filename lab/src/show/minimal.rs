//! Which nodes belong to the minimal tree (Knuth and Moore 1975; M 2.3).
//!
//! The minimal tree is what a search must visit that always has the best branch first. A node of type 1 is on
//! the principal variation; its best branch is of type 1, the others of type 2. Of a node of type 2 one
//! branch refutes the move before: the best one, of type 3. All branches of a node of type 3 are of type 2.

use crate::enhanced::{Switches, run};
use crate::node::Node;
use crate::tally::minimal_tree;
use crate::trees::watched::Touched;

/// A minimal tree with more leaves than that is not marked: to find the best branches would take too long.
const MAX_LEAVES: f64 = 20_000.0;

/// The type of each touched node, 1 to 3, and 0 outside the minimal tree to `depth` plies. Which branch is
/// best is found by `full`, a search in full width ([`Switches::full_width`]) to the horizon of the searches
/// shown. Empty if the tree is too large to say.
pub(super) fn kinds<N: Node>(touched: &[Touched<N>], depth: u32, full: &Switches) -> Vec<u8> {
    // In one iteration the root's moves keep their order, and the first of the best is the best.
    let full = &Switches { deepening: false, ..full.clone() };
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
        let best = if kinds[number] == 3 { None } else { run(node, depth - *ply as u32, full, None).best };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enhanced::Contestant;
    use crate::trees::chess_game::ChessGame;
    use crate::trees::positions::HORIZON_EFFECT;
    use crate::trees::synthetic::{Kind, Spec};
    use crate::trees::watched::{Limits, Watched};

    fn switches(text: &str) -> Switches {
        text.parse::<Contestant>().unwrap().switches
    }

    /// At one ply Black's best by static values is Qxa1+. By any quiescence it gives the queen away.
    #[test]
    fn the_best_branch_is_that_of_the_searchs_own_horizon() {
        let root = ChessGame::new(chess::Position::from_fen(HORIZON_EFFECT).unwrap());
        for (text, best) in [("alphabeta", true), ("alphabeta+quiesce", false), ("alphabeta+see", false)] {
            let switches = switches(text);
            let watched = Watched::new(root.clone(), Limits { nodes: 5000, steps: 50_000 });
            run(&watched, 1, &switches, None);
            watched.complete(1, 5000);
            let touched = watched.touched();
            let kinds = kinds(&touched, 1, &switches.full_width());
            let taken = touched
                .iter()
                .position(|node| node.ply == 1 && node.by.is_some_and(|m| root.name(m) == "Qxa1+"));
            assert_eq!(kinds[taken.unwrap()] == 1, best, "{text}");
            assert_eq!(kinds.iter().filter(|&&kind| kind == 1).count(), 2, "the root and one branch");
        }
    }

    /// In a perfectly ordered tree alpha-beta visits the minimal tree and nothing else.
    #[test]
    fn the_minimal_tree_is_what_alpha_beta_visits_in_perfect_order() {
        for (width, depth) in [(3, 4), (4, 3), (2, 6)] {
            let kind = Kind::Ordered { best_first: 100 };
            let root = Spec { kind, width, depth, seed: 5, correlation: 100 }.root().unwrap();
            let watched = Watched::new(root, Limits { nodes: 5000, steps: 50_000 });
            run(&watched, depth, &switches("alphabeta"), None);
            let visited = watched.touched().len();
            watched.complete(depth, 5000);
            let touched = watched.touched();
            assert!(touched.len() > visited);
            let kinds = kinds(&touched, depth, &switches("alphabeta").full_width());
            let marked: Vec<bool> = kinds.iter().map(|&kind| kind > 0).collect();
            let expected: Vec<bool> = (0..touched.len()).map(|number| number < visited).collect();
            assert_eq!(marked, expected, "{width} {depth}");
        }
    }
}
