//! Move ordering from what the search has learned (M 3.3 to 3.5; F; B; S).
//!
//! * *Refutation lines*: for every root move the continuation of the last iteration, tried first as long as
//!   the search is still on it. The principal variation is the best root move's line and comes with iterative
//!   deepening; a refutation table keeps all of them whole (M 3.5), Fink's alternate variations keep two
//!   further plies (S).
//! * *Killers*: two moves per ply that lately caused cut-offs.
//! * *Triangular array*: the continuation last found at this ply is a killer too (M 3.5).
//! * *History*: how much each move of either side has achieved anywhere in the tree, weighted by the size of
//!   the subtree it decided (Schaeffer's 2^depth).

use super::PLY;
use super::switches::{StaticOrder, Switches};
use crate::node::Node;
use std::cmp::Reverse;

/// What has been learned about moves. Lives for one search, through all its iterations.
#[derive(Clone, Debug)]
pub struct Hints<M> {
    killers: Vec<[Option<M>; 2]>,
    history: Vec<u64>,
    /// The triangular workspace: `lines[ply]` is the continuation found at `ply`.
    lines: Vec<Vec<M>>,
    /// The line of the last iteration behind each root move, by the root move's rank.
    refutations: Vec<Vec<M>>,
}

/// Longest path a search may go; extensions stop well before.
pub const MAX_PLY: usize = 160;

impl<M: Copy + Eq> Hints<M> {
    /// Nothing learned yet about `root_moves` moves.
    pub fn new<N: Node<Move = M>>(root_moves: usize) -> Self {
        Self {
            killers: vec![[None; 2]; MAX_PLY],
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
    pub fn reward<N: Node<Move = M>>(&mut self, node: &N, m: M, ply: usize, depth: i32, switches: &Switches) {
        if switches.history {
            let weight = 1u64 << (depth / PLY).clamp(0, 32);
            let count = &mut self.history[node.move_code(m)];
            *count = count.saturating_add(weight);
        }
        if switches.killers && !node.nature(m).is_tactical() {
            let killers = &mut self.killers[ply];
            if killers[0] != Some(m) {
                *killers = [Some(m), killers[0]];
            }
        }
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
        let learned = switches.history || switches.killers || switches.triangular;
        if switches.order == StaticOrder::Generated && !learned {
            return moves;
        }
        moves.sort_by_cached_key(|&m| {
            let fixed = static_score(node, m, switches.order);
            let urgent = if learned && node.nature(m).is_tactical() { fixed } else { 0 };
            let killer = match m {
                m if switches.killers && self.killers[ply][0] == Some(m) => 3,
                m if switches.killers && self.killers[ply][1] == Some(m) => 2,
                m if switches.triangular && sibling == Some(m) => 1,
                _ => 0,
            };
            let history = if switches.history { self.history[node.move_code(m)] } else { 0 };
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
