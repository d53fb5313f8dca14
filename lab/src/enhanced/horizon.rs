//! What happens at the horizon: the static value, a quiescence search, or a computed exchange (M 2.5, B, F).
//!
//! Quiescence searches the moves that make a position "not dead" until it is, with the right to stand pat.
//! Its four ingredients are those the sources list: captures always, and as switches promotions with pawns
//! about to promote, all answers to a check, and checks at the first ply. The value is a plain minimax over
//! that smaller tree, so every exact algorithm still agrees on the root.

use super::search::{Search, Window};
use super::switches::{Horizon, Quiescence};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};

/// Plies below the horizon at which evasions and checks end; captures end by themselves.
pub(super) const FORCING_PLIES: u32 = 8;

impl<N: Node> Search<'_, N> {
    /// The value of a node with no depth left.
    pub(super) fn at_horizon(&mut self, node: &N, window: Window) -> Value {
        match self.switches.horizon {
            Horizon::Static => match self.switches.grain {
                None => self.tally.at_horizon(node),
                // Towards zero, so that both sides see the same step.
                Some(grain) => self.adjusted(node, |value| value / grain * grain),
            },
            Horizon::Exchange => self.adjusted(node, |value| value + node.best_exchange()),
            Horizon::Quiescence(kind) => {
                self.tally.horizon += 1;
                let value = self.quiesce(node, window, kind, 0);
                node.observe(Event::Horizon(value));
                value
            }
        }
    }

    /// The static value of a horizon node, put right by a rule.
    fn adjusted(&mut self, node: &N, rule: impl Fn(Value) -> Value) -> Value {
        self.tally.horizon += 1;
        let value = rule(self.tally.evaluate(node));
        node.observe(Event::Horizon(value));
        value
    }

    /// A node below the horizon.
    fn quiesce_below(&mut self, node: &N, window: Window, kind: Quiescence, below: u32) -> Value {
        self.tally.quiescence += 1;
        node.observe(Event::Enter { alpha: window.alpha, beta: window.beta });
        let value = self.quiesce(node, window, kind, below);
        node.observe(Event::Quiet(value));
        value
    }

    fn quiesce(&mut self, node: &N, window: Window, kind: Quiescence, below: u32) -> Value {
        let forced = kind.evasions && below < FORCING_PLIES && node.in_check();
        let mut best = -INFINITY;
        if !forced {
            best = self.tally.evaluate(node);
            if best >= window.beta {
                return best;
            }
        }
        let moves = self.noisy_moves(node, kind, below, forced);
        if moves.is_empty() && forced {
            return node.final_value(0);
        }
        for m in moves {
            let inner = Window { alpha: window.alpha.max(best), beta: window.beta };
            best = best.max(-self.quiesce_below(&node.child(m), inner.turned(), kind, below + 1));
            if best >= window.beta {
                break;
            }
        }
        best
    }

    /// The moves a quiescence search looks at, most valuable victim first.
    fn noisy_moves(&self, node: &N, kind: Quiescence, below: u32, all: bool) -> Vec<N::Move> {
        let mut moves: Vec<(i32, N::Move)> = Vec::new();
        for m in node.moves() {
            let nature = node.nature(m);
            let pawn = kind.promotions && (nature.promotion || nature.promotion_threat);
            let check = || kind.checks && below == 0 && node.child(m).in_check();
            if all || nature.capture.is_some() || pawn || check() {
                let gain = nature.capture.map_or(0, |(victim, attacker)| 10 * victim - attacker / 10);
                moves.push((gain + 5000 * i32::from(nature.promotion), m));
            }
        }
        moves.sort_by_key(|&(gain, _)| std::cmp::Reverse(gain));
        moves.into_iter().map(|(_, m)| m).collect()
    }
}
