//! What is searched: games and trees behind the one trait [`crate::node::Node`].
//!
//! * [`drawn`]: trees written by hand, among them the one of M's figures 2 and 6.
//! * [`synthetic`]: uniform, random, ordered and transposing trees of any width and depth.
//! * [`connect_four`] and [`chess_game`]: two real games.
//! * [`repetition`]: any game, with repetitions scored as draws: the table's hazard.
//! * [`recorder`]: any tree, writing down which leaves a search looked at.

pub mod chess_game;
pub mod chess_value;
pub mod connect_four;
pub mod drawn;
pub mod positions;
pub mod recorder;
pub mod repetition;
pub mod synthetic;
