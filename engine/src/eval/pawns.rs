//! Pawn structures already met: they change with few moves, so most positions of a search share one with another.
//!
//! What pawns and kings say by themselves is kept under their common key; the rest of the evaluation is made anew. A
//! thread keeps its own, so that nothing is shared. As in the transposition table, two structures with one key of 64 bits
//! are taken to be the same.

use super::terms::{Structure, structures};
use super::{Tapered, evaluate_with};
use chess::{Color, Position};
use thinking::score::Score;

/// How many structures are kept: 160 KiB.
const SIZE: usize = 1 << 12;

#[derive(Clone, Copy, Default)]
struct Kept {
    key: u64,
    /// White's and Black's.
    structures: [Structure<Tapered>; 2],
}

/// One thread's pawn structures.
pub struct PawnCache(Box<[Kept]>);

impl Default for PawnCache {
    fn default() -> Self {
        PawnCache(vec![Kept::default(); SIZE].into_boxed_slice())
    }
}

impl PawnCache {
    /// What [`super::evaluate`] says of a position.
    pub(super) fn evaluate(&mut self, position: &Position) -> Score {
        evaluate_with(position, || {
            let key = position.structure_key();
            let kept = &mut self.0[key as usize % SIZE];
            if kept.key != key {
                *kept = Kept { key, structures: by_color(position, structures(position)) };
            }
            by_color(position, kept.structures)
        })
    }
}

/// Turns the order of the side to move and the other into that of White and Black, or back.
fn by_color<T>(position: &Position, [first, second]: [T; 2]) -> [T; 2] {
    if position.side_to_move() == Color::White { [first, second] } else { [second, first] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::evaluate;
    use rand::seq::IndexedRandom;
    use rand::{SeedableRng, rngs::SmallRng};

    /// Random games, in which every structure is met by both sides and again after others took its place.
    #[test]
    fn remembering_changes_nothing() {
        let mut rng = SmallRng::seed_from_u64(8);
        let mut cache = PawnCache::default();
        let mut hits = 0;
        for _ in 0..60 {
            let mut position = Position::startpos();
            for _ in 0..200 {
                let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
                position.play(mv);
                let key = position.structure_key();
                hits += usize::from(cache.0[key as usize % SIZE].key == key);
                assert_eq!(cache.evaluate(&position), evaluate(&position), "{position}");
            }
        }
        assert!(hits > 1000, "only {hits} hits: the test tests little");
    }
}
