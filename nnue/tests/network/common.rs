//! Networks and positions to test with.

use chess::Position;
use nnue::features::FEATURES;
use nnue::{Network, Parameters};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Positions rich in special moves: castling in both kinds of chess, en passant, promotions, few and many pieces.
pub const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "rk2r3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EAea - 0 1",
    "4k3/8/8/3pPp2/3PpP2/8/8/4K3 w - d6 0 1",
    "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
];

/// A network of random weights. The output weights sum up to what their check allows.
pub fn random_network(hidden: usize, buckets: usize, seed: u64) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut weights =
        |count: usize, most: i16| (0..count).map(|_| random.random_range(-most..=most)).collect::<Vec<_>>();
    let parameters = Parameters {
        hidden,
        buckets,
        feature_weights: weights(FEATURES * hidden, 90),
        feature_biases: weights(hidden, 200),
        output_weights: weights(2 * hidden * buckets, (16_000 / hidden).min(127) as i16),
        output_biases: weights(buckets, 5000).into_iter().map(i32::from).collect(),
        fingerprint: seed as u32,
        description: format!("random weights, seed {seed}"),
    };
    Network::new(parameters).expect("the weights are within bounds")
}

/// A random legal move, if there is one.
pub fn random_move(position: &Position, random: &mut impl Rng) -> Option<chess::Move> {
    position.legal_moves().choose(random).copied()
}
