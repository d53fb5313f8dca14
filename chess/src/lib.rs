//! The rules of chess and Chess960, fast enough for a search to stand on.
//!
//! A [`Position`] is a value: [`Position::after`] gives the next one, nothing is unmade. Moves made by
//! [`Position::generate`] are played unchecked, moves from outside through [`Position::try_play`]. Castling is
//! "king takes own rook" inside, so Chess960 is no special case; text in and out speaks every dialect.
#![forbid(unsafe_code)]

pub mod attacks;
mod bitboard;
pub mod chess960;
pub mod epd;
mod fen;
mod game;
mod movegen;
mod moves;
mod notation;
mod perft;
mod position;
mod rays;
mod see;
pub mod text;
mod types;
pub mod zobrist;

pub use bitboard::Bitboard;
pub use fen::{FenError, placement};
pub use game::{Game, Outcome};
pub use movegen::Gen;
pub use moves::{Move, MoveKind, MoveList};
pub use notation::{CastlingNotation, MoveError};
pub use perft::{divide, perft};
pub use position::{IllegalMove, Position, Wing};
pub use see::SEE_VALUES;
pub use types::{Color, NotASquare, Piece, PieceKind, Square};
