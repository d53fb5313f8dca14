//! Perft: counting the leaves of the legal move tree, the standard test of a move generator.

use crate::{Move, Position};

/// Move sequences of exactly `depth` plies. The last ply is counted without being played ("bulk counting").
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal() as u64,
        _ => position.legal_moves().into_iter().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}

/// The count below each root move, in generation order ("divide"). Empty at depth 0.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    position.legal_moves().into_iter().map(|mv| (mv, perft(&position.after(mv), depth - 1))).collect()
}
