//! A game: where it began, the moves played, and what the rules of repetition and fifty moves say of it.

use crate::{Color, IllegalMove, Move, Position};

/// How a game is over on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move is mated.
    Checkmate {
        /// Who gave mate.
        winner: Color,
    },
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The position stands for the third time.
    Repetition,
    /// Fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
    /// Neither side has the material to mate.
    InsufficientMaterial,
}

/// A start position and the moves from it. Positions are kept, so undoing is exact.
#[derive(Clone, Debug)]
pub struct Game {
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Default for Game {
    fn default() -> Self {
        Game::new(Position::startpos())
    }
}

impl Game {
    /// A game that begins here.
    pub fn new(start: Position) -> Self {
        Game { positions: vec![start], moves: Vec::new() }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        self.positions.last().expect("a game always has its start position")
    }

    /// Where the game began.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The moves played so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Every position from the start to the present one.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Plays a legal move; an illegal one changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let mut next = self.position().clone();
        next.try_play(mv)?;
        self.positions.push(next);
        self.moves.push(mv);
        Ok(())
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }

    /// Keys of the earlier positions that could still be repeated, oldest first: those since the last capture or
    /// pawn move.
    pub fn repeatable_keys(&self) -> Vec<u64> {
        self.repeatable().iter().map(Position::key).collect()
    }

    fn repeatable(&self) -> &[Position] {
        let reach = self.position().halfmove_clock() as usize;
        let earlier = &self.positions[..self.positions.len() - 1];
        &earlier[earlier.len().saturating_sub(reach)..]
    }

    /// How often the present position stood earlier in the game.
    pub fn repetitions(&self) -> usize {
        let key = self.position().key();
        self.repeatable().iter().filter(|earlier| earlier.key() == key).count()
    }

    /// Is the game over by the rules (threefold repetition and fifty moves counted as claimed)?
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        if !position.has_legal_move() {
            return Some(if position.in_check() {
                Outcome::Checkmate { winner: !position.side_to_move() }
            } else {
                Outcome::Stalemate
            });
        }
        if position.insufficient_material() {
            return Some(Outcome::InsufficientMaterial);
        }
        if position.halfmove_clock() >= 100 {
            return Some(Outcome::FiftyMoves);
        }
        (self.repetitions() >= 2).then_some(Outcome::Repetition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(fen: &str, moves: &str) -> Game {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        for san in moves.split_whitespace() {
            game.play(game.position().parse_san(san).unwrap()).unwrap();
        }
        game
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn outcomes() {
        assert_eq!(
            played(START, "f3 e5 g4 Qh4#").outcome(),
            Some(Outcome::Checkmate { winner: Color::Black })
        );
        let twice = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1";
        assert_eq!(played(START, twice).outcome(), None);
        assert_eq!(played(START, &format!("{twice} Ng8")).outcome(), Some(Outcome::Repetition));
        assert_eq!(played("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "").outcome(), Some(Outcome::Stalemate));
        assert_eq!(played("7k/8/8/8/8/8/8/KR6 w - - 99 80", "Rb2").outcome(), Some(Outcome::FiftyMoves));
        assert_eq!(played("7k/8/8/8/8/8/8/KB6 w - - 0 1", "").outcome(), Some(Outcome::InsufficientMaterial));
    }

    #[test]
    fn a_right_to_castle_tells_positions_apart() {
        // The rook's first return gives the start position without the right to castle: not a repetition of it.
        let game = played("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "Rg1 Kd8 Rh1 Ke8 Rg1 Kd8 Rh1 Ke8");
        assert_eq!(game.repetitions(), 1);
    }

    #[test]
    fn undo_returns_to_the_start() {
        let mut game = played(START, "e4 e5 Nf3");
        while game.undo().is_some() {}
        assert_eq!(game.position(), &Position::startpos());
        assert_eq!(game.undo(), None);
    }
}
