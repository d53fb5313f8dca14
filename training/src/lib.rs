//! Self-play: how Firstborn makes its training data and learns its evaluation from nothing else.
//!
//! [`datagen`] plays games against itself by a [`recipe`], [`mod@format`] keeps them on disk as whole [`game`]s
//! in about two bytes a ply, [`filter`] picks the positions worth learning from, [`survey`] says what a file
//! holds and whether it makes sense. From them [`tune`] fits the evaluation's weights, and [`mod@network`]
//! trains the network. What a position is worth is decided when it is read, never when it is written: filters
//! change, games are dear.

#![forbid(unsafe_code)]

pub mod datagen;
pub mod export;
pub mod filter;
pub mod format;
pub mod game;
pub mod network;
pub mod recipe;
pub mod survey;
pub mod tune;
pub mod viriformat;
