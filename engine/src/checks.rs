//! Which quiet moves give check, without playing them.

use chess::attacks::{
    between, bishop_attacks, bishop_rays, knight_attacks, line, pawn_attacks, rook_attacks, rook_rays,
};
use chess::{Bitboard, Move, Position, Square};

/// Where the pieces of the side to move would check the other king.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    king: Square,
    /// By kind of piece.
    squares: [Bitboard; 6],
    /// Own pieces that alone stand between an own slider and the king.
    screens: Bitboard,
}

impl Checks {
    /// Those of a position.
    #[inline]
    pub fn of(position: &Position) -> Self {
        let side = position.side_to_move();
        let king = position.king(!side);
        let (own, occupied) = (position.color_bb(side), position.occupied());
        let (straight, diagonal) = (rook_attacks(king, occupied), bishop_attacks(king, occupied));
        let sliders = (rook_rays(king) & position.straight_sliders())
            | (bishop_rays(king) & position.diagonal_sliders());
        let mut screens = Bitboard::EMPTY;
        for slider in sliders & own {
            let screen = between(king, slider) & occupied;
            if !screen.many() {
                screens |= screen & own;
            }
        }
        let squares = [
            pawn_attacks(!side, king),
            knight_attacks(king),
            diagonal,
            straight,
            straight | diagonal,
            Bitboard::EMPTY,
        ];
        Checks { king, squares, screens }
    }

    /// Does a quiet move of that position give check, by itself or by making way? (Castling counts as the king's move
    /// only.)
    #[inline]
    pub fn given_by(&self, position: &Position, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let direct = position.kind_on(from).is_some_and(|kind| self.squares[kind.index()].contains(to));
        direct || (self.screens.contains(from) && !line(self.king, from).contains(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picker::is_quiet;
    use chess::Game;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// Against playing the move, on the quiet moves of random games.
    #[test]
    fn checks_are_recognised() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut found = 0;
        for _ in 0..60 {
            let mut game = Game::default();
            while game.outcome().is_none() {
                let position = game.position().clone();
                let moves = position.legal_moves();
                let checks = Checks::of(&position);
                for mv in moves.iter().copied().filter(|&mv| is_quiet(&position, mv) && !mv.is_castling()) {
                    let truth = position.after(mv).in_check();
                    assert_eq!(checks.given_by(&position, mv), truth, "{position} {}", position.uci(mv));
                    found += usize::from(truth);
                }
                game.play(*moves.choose(&mut random).expect("the game goes on")).expect("a legal move");
            }
        }
        assert!(found > 500, "only {found} checks: the test tests nothing");
    }
}
