//! The accumulators give what working everything out from nothing gives, whatever the search does between.

use crate::common::{STARTS, random_move, random_network};
use chess::Position;
use nnue::{Accumulators, Kernel, Network};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// What a walk has met.
#[derive(Debug, Default)]
struct Met {
    moves: usize,
    castlings: usize,
    en_passants: usize,
    promotions: usize,
    nulls: usize,
    /// King moves over the middle of the board.
    crossings: usize,
}

impl Met {
    fn note(&mut self, position: &Position, mv: chess::Move) {
        self.moves += 1;
        self.castlings += usize::from(mv.is_castling());
        self.en_passants += usize::from(mv.kind() == chess::MoveKind::EnPassant);
        self.promotions += usize::from(mv.promotion().is_some());
        let child = position.after(mv);
        let side = position.side_to_move();
        self.crossings += usize::from((position.king(side).file() >= 4) != (child.king(side).file() >= 4));
    }
}

/// Walks up and down random lines as a search does: moves, null moves, returns by one or many plies, evaluations at
/// some nodes only, and now and then a jump to another line at a ply deep inside, as a helper of a parallel search.
fn walk(network: &Arc<Network>, kernel: Kernel, moves: usize, seed: u64) -> Met {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut accumulators = Accumulators::with_kernel(network.clone(), kernel);
    let mut met = Met::default();
    let mut line = vec![Position::startpos()];
    let mut base = 0;
    while met.moves < moves {
        let position = line.last().expect("the root is never taken away");
        if random.random_bool(0.7) {
            let ply = base + line.len() - 1;
            assert_eq!(
                accumulators.evaluate(position, ply),
                network.evaluate(position),
                "{} at ply {ply}, {}",
                position.fen(),
                kernel.name()
            );
        }
        let next = random_move(position, &mut random);
        match next {
            Some(mv) if random.random_bool(0.7) => {
                met.note(position, mv);
                let child = position.after(mv);
                line.push(child);
            }
            _ if random.random_bool(0.1) && !position.in_check() => {
                met.nulls += 1;
                let child = position.after_null().expect("the side is not in check");
                line.push(child);
            }
            Some(_) if line.len() > 1 => {
                let left = random.random_range(1..line.len()).max(line.len().saturating_sub(4));
                line.truncate(left);
            }
            _ => {
                let start = STARTS[random.random_range(0..STARTS.len())];
                line = vec![Position::from_fen(start).expect("the FENs are legal")];
                base = random.random_range(0..300);
            }
        }
        if line.len() > 200 {
            line.truncate(1);
        }
    }
    met
}

fn assert_rich(met: &Met) {
    let kinds = [met.castlings, met.en_passants, met.promotions, met.nulls, met.crossings];
    assert!(kinds.iter().all(|&count| count > 20), "the walk lacks a kind of move: {met:?}");
}

#[test]
fn incremental_equals_from_nothing() {
    for (hidden, buckets) in [(32, 1), (128, 8), (384, 1)] {
        let network = Arc::new(random_network(hidden, buckets, 1));
        for kernel in Kernel::available() {
            assert_rich(&walk(&network, kernel, 20_000, 7));
        }
    }
}

#[test]
#[ignore = "a minute: 1,000,000 moves with each kernel"]
fn incremental_equals_from_nothing_over_a_million_moves() {
    let network = Arc::new(random_network(64, 8, 2));
    for kernel in Kernel::available() {
        assert_rich(&walk(&network, kernel, 1_000_000, 8));
    }
}
