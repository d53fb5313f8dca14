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
    /// Can the side to move make a draw by repeating a position: the root's or one below, or one of the game for the
    /// third time?
    pub(crate) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let here = self.path.len() - 1;
        let reach = self.reach(position, ply);
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
                && self.draws_again(here - back, here - reach)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::Task;
    use crate::worker::tests::at_root;
    use chess::{Game, Move};
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn every_reversible_move_has_its_place() {
        assert_eq!(REVERSIBLE.iter().flatten().count(), 3668);
    }

    /// A random move, often back to where the piece came from, or nothing would ever repeat.
    fn wander(random: &mut ChaCha8Rng, position: &Position, played: &[Move]) -> Option<Move> {
        let moves = position.legal_moves();
        let last = played.len().checked_sub(2).map(|before| played[before]);
        let back = |mv: &Move| last.is_some_and(|last| last.from() == mv.to());
        let back: Vec<_> = moves.iter().copied().filter(back).collect();
        let all: Vec<_> = moves.iter().copied().collect();
        let pool = if random.random_bool(0.6) && !back.is_empty() { back } else { all };
        pool.choose(random).copied()
    }

    /// On random walks with few pieces, of which a part is the game before the root, against trying every move.
    #[test]
    fn it_is_so_if_and_only_if_a_legal_move_repeats() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let (mut below, mut before, mut once) = (0, 0, 0);
        for _ in 0..300 {
            let start = Position::from_fen("4k2r/8/8/2n5/5B2/8/8/R3K3 w Qk - 0 1").expect("legal");
            let mut game = Game::new(start.clone());
            let mut keys = vec![start.key()];
            for _ in 0..random.random_range(0..30) {
                let Some(mv) = wander(&mut random, game.position(), game.moves()) else { break };
                game.play(mv).expect("legal");
                keys.push(game.position().key());
            }
            let task = Task::from(&game);
            let root = keys.len() - 1;
            at_root(&task, |worker| {
                for ply in 0..random.random_range(4..40) {
                    let parent = game.position().clone();
                    let Some(mv) = wander(&mut random, &parent, game.moves()) else { break };
                    game.play(mv).expect("legal");
                    let position = game.position().clone();
                    worker.step(ply, &parent, Some(mv), &position);
                    keys.push(position.key());
                    let count = |mv: Move| {
                        let key = position.after(mv).key();
                        let all = keys.iter().filter(|&&earlier| earlier == key).count();
                        (all, keys[root..].contains(&key))
                    };
                    let counts: Vec<_> = position.legal_moves().into_iter().map(count).collect();
                    let in_search = counts.iter().any(|&(_, in_search)| in_search);
                    let thrice = counts.iter().any(|&(all, _)| all >= 2);
                    assert_eq!(worker.can_repeat(&position, ply + 1), in_search || thrice, "{position}");
                    below += usize::from(in_search);
                    before += usize::from(thrice && !in_search);
                    once += usize::from(!in_search && !thrice && counts.iter().any(|&(all, _)| all > 0));
                }
            });
        }
        assert!(below.min(before).min(once) > 20, "the test tests nothing: {below} {before} {once}");
    }
}
