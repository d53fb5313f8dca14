//! Positions that are the same to a chess player are the same to the network.

use crate::common::{random_move, random_network};
use chess::Position;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A position some random moves from the start, without castling rights.
fn position(seed: u64, moves: usize) -> Position {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut position = Position::startpos();
    for _ in 0..moves {
        let Some(mv) = random_move(&position, &mut random) else { break };
        position = position.after(mv);
    }
    bare(&position.fen(), |board| board.to_string(), |side| side)
}

/// The position of a FEN with its board and side to move changed, and everything else dropped.
fn bare(fen: &str, board: impl Fn(&str) -> String, side: impl Fn(&'static str) -> &'static str) -> Position {
    let mut fields = fen.split(' ');
    let placement = board(fields.next().expect("a FEN has a board"));
    let to_move = side(if fields.next() == Some("w") { "w" } else { "b" });
    Position::from_fen(&format!("{placement} {to_move} - - 0 1")).expect("a symmetry keeps a position legal")
}

fn swap_case(c: char) -> char {
    if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
}

proptest! {
    #[test]
    fn left_and_right(seed: u64, moves in 0_usize..150, buckets in 1_usize..=8) {
        let original = position(seed, moves);
        let mirror = |board: &str| board.split('/').map(|rank| rank.chars().rev().collect()).collect::<Vec<String>>().join("/");
        let mirrored = bare(&original.fen(), mirror, |side| side);
        let network = random_network(32, buckets, seed);
        prop_assert_eq!(network.evaluate(&original), network.evaluate(&mirrored), "{}", original.fen());
    }

    #[test]
    fn white_and_black(seed: u64, moves in 0_usize..150, buckets in 1_usize..=8) {
        let original = position(seed, moves);
        let turn = |board: &str| board.rsplit('/').map(|rank| rank.chars().map(swap_case).collect()).collect::<Vec<String>>().join("/");
        let flipped = bare(&original.fen(), turn, |side| if side == "w" { "b" } else { "w" });
        let network = random_network(32, buckets, seed);
        prop_assert_eq!(network.evaluate(&original), network.evaluate(&flipped), "{}", original.fen());
    }
}

#[test]
fn the_side_to_move_matters() {
    let network = random_network(32, 1, 3);
    let position = Position::from_fen("4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1").expect("the FEN is legal");
    let passed = position.after_null().expect("the side is not in check");
    assert_ne!(network.evaluate(&position), network.evaluate(&passed));
}
