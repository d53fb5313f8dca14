//! Which evaluation a thread searches with: the hand-crafted one (HCE), or a network with the thread's accumulators.

use super::known;
use super::pawns::PawnCache;
use chess::Position;
use nnue::{Accumulators, Network};
use std::sync::Arc;
use thinking::score::Score;

/// A thread's evaluation.
pub enum Evaluator {
    /// The hand-crafted evaluation, with the pawn structures this thread has met.
    Classic(PawnCache),
    /// A network, shared by all threads, and the accumulators of this one.
    Network(Box<Accumulators>),
}

impl Default for Evaluator {
    fn default() -> Self {
        Evaluator::Classic(PawnCache::default())
    }
}

impl Evaluator {
    /// Evaluates with this network from now on, or with the hand-crafted evaluation. Accumulators of the same
    /// network are kept: they stay right whatever is evaluated next.
    pub fn choose(&mut self, network: Option<&Arc<Network>>) {
        match (&*self, network) {
            (Evaluator::Network(kept), Some(network)) if Arc::ptr_eq(kept.network(), network) => {}
            (_, Some(network)) => *self = Evaluator::Network(Box::new(Accumulators::new(network.clone()))),
            (Evaluator::Classic(_), None) => {}
            (_, None) => *self = Evaluator::default(),
        }
    }

    /// The value of a position for the side to move, in centipawns within ±20,000: what is [`known`] of it, or what the
    /// evaluation says. `ply` tells the network where to look for a position that is near.
    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        if let Some(value) = known(position) {
            return value;
        }
        match self {
            Evaluator::Classic(pawns) => pawns.evaluate(position),
            Evaluator::Network(accumulators) => accumulators.evaluate(position, ply),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::evaluate;
    use super::*;
    use nnue::{LIMIT, Parameters};

    /// A network that says the same of every position.
    fn constant(output_bias: i32) -> Arc<Network> {
        let hidden = 32;
        let network = Network::new(Parameters {
            hidden,
            buckets: 1,
            feature_weights: vec![0; nnue::features::FEATURES * hidden],
            feature_biases: vec![0; hidden],
            output_weights: vec![0; 2 * hidden],
            output_biases: vec![output_bias],
            ..Parameters::default()
        });
        Arc::new(network.expect("zeros do not overflow"))
    }

    #[test]
    fn the_choice_decides_who_evaluates() {
        let position = Position::startpos();
        let mut evaluator = Evaluator::default();
        assert_eq!(evaluator.evaluate(&position, 0), evaluate(&position));
        evaluator.choose(Some(&constant(i32::MAX)));
        assert_eq!(evaluator.evaluate(&position, 0), LIMIT);
        evaluator.choose(Some(&constant(i32::MIN)));
        assert_eq!(evaluator.evaluate(&position, 0), -LIMIT);
        evaluator.choose(None);
        assert_eq!(evaluator.evaluate(&position, 0), evaluate(&position));
    }

    #[test]
    fn what_is_known_counts_for_a_network_too() {
        let mut evaluator = Evaluator::default();
        evaluator.choose(Some(&constant(i32::MIN)));
        for fen in ["4k3/8/8/8/8/8/8/4KN2 w - - 0 1", "4k3/8/8/8/8/8/8/4KR2 w - - 0 1"] {
            let position = Position::from_fen(fen).expect("the FEN is legal");
            assert_eq!(Some(evaluator.evaluate(&position, 0)), known(&position), "{fen}");
        }
    }
}
