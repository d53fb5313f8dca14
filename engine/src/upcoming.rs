//! Is there a move that repeats a position of the path? Then the side to move has at least a draw in hand, without
//! searching for it (van Kervinck, "The design and implementation of the Rookie 2.0 chess program", 2011).
//!
//! Two positions that one move of a piece turns into each other differ by a key that depends on that move alone. There
//! are only 3668 such moves, so their keys fit into a table with two places for each (cuckoo hashing), and an earlier
//! position is one move away if the difference of its key and the present one stands there.

use crate::parallel::ParallelScheme;
use crate::worker::Worker;
use chess::attacks::{between, piece_attacks};
use chess::zobrist::{SIDE, piece};
use chess::{Bitboard, Color, PieceKind, Position, Square};
use std::sync::LazyLock;

const SIZE: usize = 8192;

/// A key difference and the squares of its move.
#[derive(Clone, Copy)]
struct Reversible {
    key: u64,
    squares: [Square; 2],
}

fn places(key: u64) -> [usize; 2] {
    [key as usize % SIZE, (key >> 16) as usize % SIZE]
}

/// All moves that can be taken back: those of pieces, on an empty board.
static REVERSIBLE: LazyLock<Box<[Option<Reversible>]>> = LazyLock::new(|| {
    let mut table = vec![None; SIZE].into_boxed_slice();
    for color in Color::ALL {
        for kind in &PieceKind::ALL[1..] {
            for from in Bitboard(!0) {
                let targets = piece_attacks(color, *kind, from, Bitboard(0));
                for to in targets.into_iter().filter(|to| to.index() > from.index()) {
                    let key = piece(color, *kind, from) ^ piece(color, *kind, to) ^ SIDE;
                    settle(&mut table, Reversible { key, squares: [from, to] });
                }
            }
        }
    }
    table
});

/// Puts an entry into one of its places; the entry that was there goes to its other place.
fn settle(table: &mut [Option<Reversible>], mut entry: Reversible) {
    let mut place = places(entry.key)[0];
    while let Some(other) = table[place].replace(entry) {
        let [first, second] = places(other.key);
        place = if place == first { second } else { first };
        entry = other;
    }
}

fn find(difference: u64) -> Option<[Square; 2]> {
    let table = &**REVERSIBLE;
    places(difference)
        .into_iter()
        .find_map(|place| table[place].filter(|entry| entry.key == difference))
        .map(|entry| entry.squares)
}

impl<B: ParallelScheme> Worker<'_, B> {
    /// Can the side to move repeat a position of the path, below the root?
    pub(crate) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let here = self.path.len() - 1;
        let reach = self.reach(position, ply).min(ply.saturating_sub(1));
        if reach < 3 {
            return false;
        }
        let (key, ours) = (position.key(), position.color_bb(position.side_to_move()));
        // What the other side's moves since then have changed. One move of ours repeats only if nothing, which is
        // sooner seen than the table is asked.
        let mut theirs = key ^ self.path[here - 1] ^ SIDE;
        (3..=reach).step_by(2).any(|back| {
            let then = self.path[here - back];
            theirs ^= self.path[here - back + 1] ^ then ^ SIDE;
            theirs == 0
                && find(key ^ then).is_some_and(|[a, b]| {
                    (between(a, b) & position.occupied()).is_empty()
                        && (ours & (Bitboard::of(a) | Bitboard::of(b))).nonempty()
                })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Alone;
    use crate::shared::Shared;
    use crate::tt::Table;
    use crate::worker::{Memory, Task};
    use chess::Game;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use std::sync::Arc;
    use thinking::report::Limits;

    #[test]
    fn every_reversible_move_has_its_place() {
        assert_eq!(REVERSIBLE.iter().flatten().count(), 3668);
    }

    /// On random walks with few pieces, against trying every move.
    #[test]
    fn it_is_so_if_and_only_if_a_legal_move_repeats() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut found = 0;
        for _ in 0..300 {
            let mut position = Position::from_fen("4k2r/8/8/2n5/5B2/8/8/R3K3 w Qk - 0 1").expect("legal");
            let task = Task::from(&Game::new(position.clone()));
            let shared =
                Shared::new(Arc::new(Table::new(0).expect("a small table")), Limits::default(), 1, 1);
            let mut memory = Memory::default();
            let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
            worker.path.push(position.key());
            for ply in 0..random.random_range(4..40) {
                let moves = position.legal_moves();
                // Often back to where the piece came from, or nothing would ever repeat.
                let back = moves.iter().copied().filter(|mv| {
                    ply >= 2 && worker.memory.frames[ply - 2].mv.is_some_and(|last| last.from() == mv.to())
                });
                let back: Vec<_> = back.collect();
                let all: Vec<_> = moves.iter().copied().collect();
                let pool = if random.random_bool(0.6) && !back.is_empty() { back } else { all };
                let Some(&mv) = pool.choose(&mut random) else { break };
                let child = position.after(mv);
                worker.step(ply, &position, Some(mv), &child);
                position = child;
                let ply = ply + 1;
                let reach = worker.reach(&position, ply).min(ply - 1);
                let here = worker.path.len() - 1;
                let repeats = position.legal_moves().into_iter().any(|mv| {
                    let key = position.after(mv).key();
                    !position.is_capture(mv)
                        && (3..=reach).step_by(2).any(|back| worker.path[here - back] == key)
                });
                assert_eq!(worker.can_repeat(&position, ply), repeats, "{position}");
                found += usize::from(repeats);
            }
        }
        assert!(found > 100, "only {found} repetitions: the test tests nothing");
    }
}
