//! MTD(best) (Plaat et al. 1995): find the best move without finding what it is worth.
//!
//! The expected best move gets a lower bound, its brothers an upper one, by zero-window tests at the same
//! point. When one branch is at least gamma and all others are below it, it is best and the search can stop.

use super::mt::{Memory, mt};
use super::room::{Full, Room};
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};

/// The best branch's number in provisional order and a bound its value reaches at least; none without moves.
pub fn mtd_best<N: Node>(
    node: &N,
    depth: u32,
    guess: Value,
    room: Room,
    tally: &mut Tally,
) -> Result<Option<(usize, Value)>, Full> {
    let children: Vec<N> = match expand(node, depth, (-INFINITY, INFINITY), tally) {
        Expansion::Leaf(_) => return Ok(None),
        Expansion::Interior(moves) => moves.into_iter().map(|m| node.child(m)).collect(),
    };
    let mut bounds = vec![(-INFINITY, INFINITY); children.len()];
    let mut memory = Memory::new(room);
    let mut gamma = guess;
    loop {
        tally.pass(node);
        for (child, (lower, upper)) in children.iter().zip(&mut bounds) {
            if *lower < gamma && gamma <= *upper {
                let bound = -mt(child, depth - 1, 1 - gamma, &mut memory, tally)?;
                if bound >= gamma { *lower = bound } else { *upper = bound }
            }
        }
        let best = (0..bounds.len()).max_by_key(|&i| (bounds[i].0, bounds[i].1, std::cmp::Reverse(i)));
        let best = best.expect("an interior node has branches");
        let rival = (0..bounds.len()).filter(|&i| i != best).map(|i| bounds[i].1).max();
        // Of one move alone a test that failed says what it is worth at most only.
        let is_bounded = bounds[best].0 > -INFINITY;
        if is_bounded && rival.is_none_or(|rival| bounds[best].0 >= rival) {
            // No pass ends at the first branch that is good enough: the others are tested as well.
            tally.left(node, bounds[best].0, false);
            return Ok(Some((best, bounds[best].0)));
        }
        // Several branches passed the test: ask for more. None did: ask for what the best may still have.
        let passed = bounds.iter().filter(|b| b.0 >= gamma).count();
        let most = bounds.iter().map(|b| b.1).max().unwrap_or(INFINITY);
        gamma = if passed > 0 { bounds[best].0 + 1 } else { most };
    }
}
