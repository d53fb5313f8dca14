//! Move ordering from what the search has learned (M 3.3 to 3.5; F; B; S).
//!
//! * *Refutation lines*: for every root move the continuation of the last iteration, tried first as long as
//!   the search is still on it. The principal variation is the best root move's line and comes with iterative
//!   deepening; a refutation table keeps all of them whole (M 3.5), Fink's alternate variations keep two
//!   further plies (S).
//! * *Killers*: a few moves per ply that lately, or most often, caused cut-offs.
//! * *Triangular array*: the continuation last found at this ply is a killer too (M 3.5).
//! * *History*: how much each move of either side has achieved anywhere in the tree, weighted by the size of
//!   the subtree it decided (Schaeffer's 2^depth).

use super::PLY;
use super::switches::{Killers, StaticOrder, Switches};
use crate::node::Node;
use std::cmp::Reverse;

/// What has been learned about moves. Lives for one search, through all its iterations.
#[derive(Clone, Debug)]
pub struct Hints<M> {
    /// At each ply, best first, with how often each has cut.
    killers: Vec<Vec<(M, u32)>>,
    history: Vec<u64>,
    /// The triangular workspace: `lines[ply]` is the continuation found at `ply`.
    lines: Vec<Vec<M>>,
    /// The line of the last iteration behind each root move, by the root move's rank.
    refutations: Vec<Vec<M>>,
}

/// Where a move did well.
#[derive(Clone, Copy, Debug)]
pub struct Success {
    /// Moves from the root.
    pub ply: usize,
    /// What was left to search, in quarter plies.
    pub depth: i32,
    /// It caused a cut-off, and did not only raise alpha.
    pub cut: bool,
}

/// Longest path a search may go; extensions stop well before.
pub const MAX_PLY: usize = 160;

impl<M: Copy + Eq> Hints<M> {
    /// Nothing learned yet about `root_moves` moves.
    pub fn new<N: Node<Move = M>>(root_moves: usize) -> Self {
        Self {
            killers: vec![Vec::new(); MAX_PLY],
            history: vec![0; N::MOVE_CODES],
            lines: vec![Vec::new(); MAX_PLY + 1],
            refutations: vec![Vec::new(); root_moves],
        }
    }

    /// Forgets the continuation at `ply` before a node there is searched.
    pub fn begin(&mut self, ply: usize) -> Option<M> {
        let last = self.lines[ply].first().copied();
        self.lines[ply].clear();
        last
    }

    /// `m` at `ply` is the best so far: its continuation is what was found below.
    pub fn extend_line(&mut self, ply: usize, m: M) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(m);
        upper[ply].extend_from_slice(&lower[0]);
    }

    /// The continuation at the root.
    pub fn principal_variation(&self) -> &[M] {
        &self.lines[0]
    }

    /// Keeps what was found behind a root move, unless the table cut it short.
    pub fn keep_refutation(&mut self, rank: usize) {
        if !self.lines[1].is_empty() {
            self.refutations[rank] = self.lines[1].clone();
        }
    }

    /// The stored move `ply` plies below the root behind root move `rank`.
    pub fn refutation(&self, rank: usize, ply: usize) -> Option<M> {
        self.refutations[rank].get(ply - 1).copied()
    }

    /// `m` caused a cut-off or raised alpha.
    pub fn reward<N: Node<Move = M>>(&mut self, node: &N, m: M, success: Success, switches: &Switches) {
        if let Some(history) = switches.history.filter(|history| success.cut || !history.cuts_only) {
            let weight = if history.count { 1 } else { 1u64 << (success.depth / PLY).clamp(0, 32) };
            let count = &mut self.history[node.move_code(m)];
            *count = count.saturating_add(weight);
        }
        if let Some(kind) = switches.killers.filter(|_| !node.nature(m).is_tactical()) {
            self.keep_killer(m, success.ply, kind);
        }
    }

    fn keep_killer(&mut self, m: M, ply: usize, kind: Killers) {
        let killers = &mut self.killers[ply];
        let place = killers.iter().position(|known| known.0 == m);
        let (_, cuts) = place.map_or((m, 0), |place| killers.remove(place));
        let at = if kind.by_frequency { killers.partition_point(|known| known.1 > cuts + 1) } else { 0 };
        killers.insert(at, (m, cuts + 1));
        // By frequency a newcomer must be able to catch up: all counts stay, the first few are tried.
        if !kind.by_frequency {
            killers.truncate(kind.count);
        }
    }

    /// How early `m` is tried as a killer: 0 if it is none.
    fn killer_rank(&self, m: M, ply: usize, switches: &Switches) -> usize {
        let Some(kind) = switches.killers else { return 0 };
        let place = self.killers[ply].iter().take(kind.count).position(|known| known.0 == m);
        place.map_or(0, |place| kind.count - place)
    }

    /// The moves of a node, most promising first. `sibling` is what the triangular array held here.
    pub fn order<N: Node<Move = M>>(
        &self,
        node: &N,
        ply: usize,
        sibling: Option<M>,
        switches: &Switches,
    ) -> Vec<M> {
        let mut moves = node.moves();
        let learned = switches.history.is_some() || switches.killers.is_some() || switches.triangular;
        if switches.order == StaticOrder::Generated && !learned {
            return moves;
        }
        moves.sort_by_cached_key(|&m| {
            let fixed = static_score(node, m, switches.order);
            let urgent = if learned && node.nature(m).is_tactical() { fixed } else { 0 };
            let killer = match self.killer_rank(m, ply, switches) {
                0 => usize::from(switches.triangular && sibling == Some(m)),
                rank => rank + 1,
            };
            let history = if switches.history.is_some() { self.history[node.move_code(m)] } else { 0 };
            Reverse((urgent, killer, history, fixed))
        });
        moves
    }
}

fn static_score<N: Node>(node: &N, m: N::Move, order: StaticOrder) -> i32 {
    match order {
        StaticOrder::Generated => 0,
        StaticOrder::Provisional => node.static_order(m),
        StaticOrder::VictimAttacker => match node.nature(m).capture {
            Some((victim, attacker)) => 10_000 + 10 * victim - attacker / 10,
            None => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enhanced::Contestant;
    use crate::trees::synthetic::{Kind, Spec};

    /// Move 1 cuts three times, then 2 and 3 once each: the latest are 3 and 2, the most frequent 1 and the
    /// last of the others. One killer is one.
    #[test]
    fn killers_are_the_latest_or_the_most_frequent() {
        let node = Spec { kind: Kind::Uniform, width: 5, depth: 3, seed: 1, correlation: 50 }.root().unwrap();
        let order = |words: &str| {
            let switches = format!("pvs+{words}").parse::<Contestant>().unwrap().switches;
            let mut hints = Hints::new::<crate::trees::synthetic::Synthetic>(1);
            let success = Success { ply: 2, depth: PLY, cut: true };
            [1, 1, 1, 2, 3].into_iter().for_each(|m| hints.reward(&node, m, success, &switches));
            hints.order(&node, 2, None, &switches)
        };
        assert_eq!(order("killers"), [3, 2, 0, 1, 4]);
        assert_eq!(order("killers=1"), [3, 0, 1, 2, 4]);
        assert_eq!(order("killers+killers-frequent"), [1, 3, 0, 2, 4]);
    }

    /// Two shallow successes of one move against a deep one of another, and one that only raised alpha.
    #[test]
    fn history_weighs_or_counts() {
        let node = Spec { kind: Kind::Uniform, width: 4, depth: 3, seed: 1, correlation: 50 }.root().unwrap();
        let order = |words: &str| {
            let switches = format!("pvs+{words}").parse::<Contestant>().unwrap().switches;
            let mut hints = Hints::new::<crate::trees::synthetic::Synthetic>(1);
            for (m, plies, cut) in [(1, 1, true), (1, 1, true), (2, 5, true), (3, 9, false)] {
                hints.reward(&node, m, Success { ply: 0, depth: plies * PLY, cut }, &switches);
            }
            hints.order(&node, 0, None, &switches)
        };
        assert_eq!(order("hist"), [3, 2, 1, 0]);
        assert_eq!(order("hist+hist-cuts"), [2, 1, 0, 3]);
        assert_eq!(order("hist+hist-count"), [1, 2, 3, 0]);
    }
}
