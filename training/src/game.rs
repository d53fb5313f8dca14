//! A whole game as it is kept: how it opened, every move with the score its player saw, and how it ended.
//!
//! Perspectives are fixed here once, since mixing them up is what has cost others most: a [`Ply::score`] is **the
//! mover's own**, a [`GameResult`] names the winner's colour, and [`Scored`] gives both as the side to move sees them.

use chess::{Color, IllegalMove, Move, Outcome, Position};
use thinking::score::Score;

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// 0-1
    BlackWins,
    /// 1/2-1/2
    Draw,
    /// 1-0
    WhiteWins,
}

impl GameResult {
    /// A win of this side.
    pub fn win(color: Color) -> Self {
        if color == Color::White { GameResult::WhiteWins } else { GameResult::BlackWins }
    }

    /// Points for a side: 1, 0.5 or 0.
    pub fn points(self, color: Color) -> f32 {
        match (self, color) {
            (GameResult::Draw, _) => 0.5,
            (GameResult::WhiteWins, Color::White) | (GameResult::BlackWins, Color::Black) => 1.0,
            _ => 0.0,
        }
    }
}

/// As PGN writes it: `1-0`, `0-1`, `1/2-1/2`.
impl std::fmt::Display for GameResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::WhiteWins => "1-0",
        })
    }
}

/// Why a game was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Mate on the board.
    Checkmate,
    /// Stalemate on the board.
    Stalemate,
    /// The third repetition.
    Repetition,
    /// Fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// Neither side could mate.
    InsufficientMaterial,
    /// Given to the side that both players saw far ahead.
    AdjudicatedWin,
    /// Given as a draw that both players saw for long.
    AdjudicatedDraw,
    /// Ended as a draw for its length.
    TooLong,
}

impl Ending {
    /// All of them; the place in this list is the number in files.
    pub const ALL: [Ending; 8] = [
        Ending::Checkmate,
        Ending::Stalemate,
        Ending::Repetition,
        Ending::FiftyMoves,
        Ending::InsufficientMaterial,
        Ending::AdjudicatedWin,
        Ending::AdjudicatedDraw,
        Ending::TooLong,
    ];

    /// How the rules end a game.
    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Checkmate { .. } => Ending::Checkmate,
            Outcome::Stalemate => Ending::Stalemate,
            Outcome::Repetition => Ending::Repetition,
            Outcome::FiftyMoves => Ending::FiftyMoves,
            Outcome::InsufficientMaterial => Ending::InsufficientMaterial,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Repetition => "repetition",
            Ending::FiftyMoves => "fifty moves",
            Ending::InsufficientMaterial => "insufficient material",
            Ending::AdjudicatedWin => "adjudicated win",
            Ending::AdjudicatedDraw => "adjudicated draw",
            Ending::TooLong => "too long",
        }
    }
}

/// A move and what its player thought of the position it was played in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move played, which is the search's best.
    pub mv: Move,
    /// The search's score from the mover's own view, in centipawns; mates as in [`thinking::score`].
    pub score: Score,
}

/// A game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The position before the first move of the opening.
    pub start: Position,
    /// Moves without a search.
    pub opening: Vec<Move>,
    /// The moves played, with their scores.
    pub plies: Vec<Ply>,
    /// Who won.
    pub result: GameResult,
    /// Why it was over.
    pub ending: Ending,
}

/// A position of a game, and what is known of it. All from the view of the side to move.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The position.
    pub position: Position,
    /// The move that the search chose here.
    pub mv: Move,
    /// What the search thought, in centipawns.
    pub score: Score,
    /// What the game brought: 1, 0.5 or 0.
    pub points: f32,
    /// Plies since the start of the game, opening included: those that the start position's move number tells
    /// of as well.
    pub ply: usize,
}

/// Something in a game that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incoherence {
    /// A move that the rules forbid.
    #[error("ply {ply}: {illegal}")]
    Illegal {
        /// Plies before it.
        ply: usize,
        /// The move.
        illegal: IllegalMove,
    },
    /// The last position is not what the ending says.
    #[error("it is said to end by {}, but {}", said.name(), found.map_or("the rules do not end it", Ending::name))]
    Ending {
        /// What the record says.
        said: Ending,
        /// What the board says, if the rules end the game.
        found: Option<Ending>,
    },
    /// The result does not follow from the ending: a mate that the mated side won, a drawn mate, a won stalemate.
    #[error("it ends by {} with the result {result}", ending.name())]
    Result {
        /// How it ended.
        ending: Ending,
        /// Who is said to have won.
        result: GameResult,
    },
    /// The game was adjudicated against its last score.
    #[error("it was adjudicated {result}, but the last score was {score} for the side to move")]
    Adjudication {
        /// Who is said to have won.
        result: GameResult,
        /// The last score, the mover's own.
        score: Score,
    },
}

impl Game {
    /// The position in which the players began to think.
    ///
    /// # Errors
    /// When the opening holds an illegal move.
    pub fn opened(&self) -> Result<Position, IllegalMove> {
        let mut position = self.start.clone();
        self.opening.iter().try_for_each(|&mv| position.try_play(mv))?;
        Ok(position)
    }

    /// Every scored position in order. The moves must be legal, as those of a game read from a file are.
    pub fn positions(&self) -> impl Iterator<Item = Scored> + '_ {
        let mut next = self.start.clone();
        let before = 2 * (next.fullmove_number() as usize).saturating_sub(1)
            + usize::from(next.side_to_move() == Color::Black);
        self.opening.iter().for_each(|&mv| next.play(mv));
        self.plies.iter().zip(before + self.opening.len()..).map(move |(&Ply { mv, score }, ply)| {
            let after = next.after(mv);
            let position = std::mem::replace(&mut next, after);
            let points = self.result.points(position.side_to_move());
            Scored { position, mv, score, points, ply }
        })
    }

    /// Replays the game and holds its result and ending against the board and the last score.
    ///
    /// # Errors
    /// The first thing that cannot be.
    pub fn check(&self) -> Result<(), Incoherence> {
        let mut game = chess::Game::new(self.start.clone());
        let moves = self.opening.iter().copied().chain(self.plies.iter().map(|ply| ply.mv));
        for (ply, mv) in moves.enumerate() {
            game.play(mv).map_err(|illegal| Incoherence::Illegal { ply, illegal })?;
        }
        let (said, result) = (self.ending, self.result);
        let found = game.outcome().map(Ending::of);
        let adjudicated = matches!(said, Ending::AdjudicatedWin | Ending::AdjudicatedDraw | Ending::TooLong);
        if found != (!adjudicated).then_some(said) {
            return Err(Incoherence::Ending { said, found });
        }
        let wrong = match game.outcome() {
            Some(Outcome::Checkmate { winner }) => result != GameResult::win(winner),
            Some(_) => result != GameResult::Draw,
            None => (said == Ending::AdjudicatedWin) == (result == GameResult::Draw),
        };
        if wrong {
            return Err(Incoherence::Result { ending: said, result });
        }
        // The score of the last ply is of the position before its move.
        let last = self.plies.last().map_or(0, |ply| ply.score);
        let mover = !game.position().side_to_move();
        if said == Ending::AdjudicatedWin && result != GameResult::win(if last > 0 { mover } else { !mover })
        {
            return Err(Incoherence::Adjudication { result, score: last });
        }
        Ok(())
    }
}
