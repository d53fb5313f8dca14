//! What a worker reads and writes of the memory that all workers share.
//!
//! The search reports each of them as an event ([`SearchEvent::Touch`](crate::parallel::SearchEvent::Touch)),
//! which on the real machine is nothing. A simulated one counts the cache lines that go from core to core, and a
//! cluster exchanges entries of the table.

use crate::history::Contexts;
use crate::node::Best;
use crate::picker::Picker;
use crate::tt::Entry;
use chess::{Bitboard, Move, Position};
use std::ops::Range;

/// Bytes of a cache line.
pub const LINE_BYTES: usize = 64;

/// One use of shared memory.
#[derive(Debug)]
pub enum Touch<'t> {
    /// The line of the transposition table that this key belongs to is read.
    TableRead(u64),
    /// The same is written, with this entry; with none it is a static evaluation alone.
    TableWrite(u64, Option<&'t Entry>),
    /// The table knew this entry for the key of a node.
    Found {
        /// The key.
        key: u64,
        /// What was known.
        entry: &'t Entry,
        /// Whether that ended the node.
        cut: bool,
    },
    /// The moves of a picker have been rated by the worker's own history.
    Rated {
        /// The position they are moves of.
        position: &'t Position,
        /// What was moved before, and what the other side attacks.
        place: (Contexts, Bitboard),
        /// The moves.
        moves: &'t Picker,
    },
    /// A cut-off has been learnt.
    Learnt {
        /// The position of the node.
        position: &'t Position,
        /// What was moved before, and what the other side attacks.
        place: (Contexts, Bitboard),
        /// The move that cut off.
        mv: Move,
        /// The moves tried before it.
        best: &'t Best,
    },
    /// The lesson of this number has been published.
    Published(usize),
    /// What the others have published has been learnt: of each the number of its history, and those of its
    /// lessons.
    Heard(&'t [(usize, Range<usize>)]),
    /// The search has been told to stop.
    Stop,
}
