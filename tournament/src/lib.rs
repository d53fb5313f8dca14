//! Tournaments between engines, any engines: processes that speak UCI or xboard's protocol.
//!
//! The rooms of the house, in the order a tournament goes through them: [`spec`] says who plays, [`program`]
//! and [`identity`] which files that is, [`openings`] where games begin, [`schedule`] who meets whom; after a
//! [`trial`] of every engine [`runner`] hands games and [`cores`] to workers, each of which lets two engines
//! [`play`] under [`clock`]s, [`adjudicate`]d where they agree; every finished game is a [`record`] in the
//! [`journal`], counted in the [`standings`], weighed by [`stats`], and written as [`pgn`] and [`summary`].
//! Finished games of journals and PGN files are read by [`archive`], searched for [`blunders`], counted by
//! [`survey`], shown by [`report`] and put together by [`merge`]; [`replay`] plays PGN again by the rules of
//! another program. A game that a program forfeits leaves a [`kit`], from which the program can be run into
//! the same fault again; any game of a journal can be [`retrace`]d by the engines that played it, for which
//! the journal keeps a [`description`] of each.
//!
//! Engines are started through `sys`, which knows process groups and processor sets; everything said to them
//! goes through the room `client`.
#![forbid(unsafe_code)]

pub mod adjudicate;
pub mod archive;
pub mod blunders;
pub mod boards;
pub mod checks;
pub mod clock;
pub mod conversation;
pub mod cores;
pub mod description;
mod doubts;
pub mod eco;
pub mod elsewhere;
pub mod frontend;
pub mod identity;
pub mod journal;
pub mod keys;
pub mod kit;
mod legality;
pub mod merge;
pub mod openings;
pub mod pgn;
pub mod play;
pub mod program;
pub mod record;
pub mod replay;
pub mod report;
pub mod retrace;
pub mod runner;
pub mod schedule;
pub mod spec;
pub mod spsa;
pub mod standings;
pub mod stats;
pub mod summary;
pub mod survey;
pub mod tablebase;
pub mod trial;
pub mod wording;
mod worker;
