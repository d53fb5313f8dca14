//! Which positions of a game are worth learning from: quiet ones, of games that were open when they began.
//!
//! A static evaluation is asked in quiet positions; one that learns from positions in the middle of an exchange learns
//! to be wrong. The rules and their usual numbers are collected in public trainers (akimbo, Carp, Reckless,
//! Stormphrax, Viridithas all drop checks and noisy best moves).

use crate::game::{Game, Scored};
use engine::eval::known;
use thinking::score::Score;

/// What to keep. Scores in centipawns, plies counted from the start of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Drop whole games whose first score is beyond this for either side.
    pub opening: Score,
    /// Drop positions whose score is beyond this; mates are always dropped.
    pub score: Score,
    /// Drop positions before this ply.
    pub from_ply: usize,
    /// Drop positions in check, and those whose best move is a capture or a promotion.
    pub quiet: bool,
}

/// Is the game of this number held out, so that what was learnt can be measured by its positions? It is every
/// `every`-th one, the last of so many; with 0 none is.
pub fn is_held_out(number: u64, every: u64) -> bool {
    every > 0 && number % every == every - 1
}

impl Default for Filter {
    fn default() -> Self {
        Filter { opening: 400, score: 3000, from_ply: 16, quiet: true }
    }
}

impl Filter {
    /// Is the game worth reading: was it open when the players began to think?
    pub fn keeps_game(&self, game: &Game) -> bool {
        game.plies.first().is_some_and(|ply| ply.score.abs() <= self.opening)
    }

    /// Is the position worth keeping? One whose value is [`known`] is not: no evaluation is asked there.
    pub fn keeps(&self, scored: &Scored) -> bool {
        let Scored { position, mv, score, ply, .. } = scored;
        let noisy = position.in_check() || position.is_capture(*mv) || mv.promotion().is_some();
        *ply >= self.from_ply
            && score.abs() <= self.score
            && !thinking::score::is_mate(*score)
            && !(self.quiet && noisy)
            && known(position).is_none()
    }

    /// The positions of a game that are worth keeping: none if the game is not.
    pub fn positions<'f>(&'f self, game: &'f Game) -> impl Iterator<Item = Scored> + 'f {
        let wanted = self.keeps_game(game).then(|| game.positions().filter(|scored| self.keeps(scored)));
        wanted.into_iter().flatten()
    }
}
