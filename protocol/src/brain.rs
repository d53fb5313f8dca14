//! The thing a session talks to: a [`Brain`] thinks, the session only carries words.
//!
//! The trait is the whole of what the protocols need from an engine, so that sessions can be tested against a
//! scripted brain and so that this room knows nothing of threads, tables and searches.

use crate::option::{OptionSpec, Value};
use chess::{Game, Move, Position};
use std::sync::Arc;
use std::time::Instant;
use thinking::report::{Limits, Observer};

/// Threads before anybody asks for more.
pub const DEFAULT_THREADS: usize = 1;
/// Most threads a client may ask for.
pub const MAX_THREADS: usize = 1024;
/// Size of the transposition table before anybody asks for more, in MiB.
pub const DEFAULT_HASH_MIB: usize = 16;
/// Largest table a client may ask for, in MiB (the machine may refuse much less).
pub const MAX_HASH_MIB: usize = 1 << 25;

/// One search to be done.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position on the board and how it came about (for repetitions). It has a legal move.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// How many lines to report, at least 1.
    pub multipv: usize,
    /// Is it an analysis and no move of a game? Every endless search is one, and so are all searches of a client that
    /// says so. An analysis wants the engine's best, without the book.
    pub analysis: bool,
}

/// A long piece of work beside the search: it gets a place to send its lines of text to.
pub type Chore = Box<dyn FnOnce(&dyn Fn(String)) + Send>;

/// An engine, as a session sees it.
///
/// One search runs at a time: between [`Brain::go`] and the observer's verdict only `stop`, `ponderhit`,
/// `nodes`, `searching_threads`, `evaluate`, `book`, `options` and `default_threads` are called. The brain starts with
/// [`Brain::default_threads`] and [`DEFAULT_HASH_MIB`].
pub trait Brain {
    /// Starts a search and returns at once. The observer's `verdict` is called exactly once, when the search
    /// ends; of an infinite or pondering search only after `stop` (or `ponderhit`, if it was pondering).
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>);

    /// Asks the running search to end: its verdict follows within milliseconds. Nothing happens if none runs.
    fn stop(&mut self);

    /// The move pondered on was played at this moment: the running search becomes a timed one, under the limits it was
    /// given, with its clock running since then.
    fn ponderhit(&mut self, at: Instant);

    /// Nodes visited by the running search so far, over all threads; of the last one if none runs.
    fn nodes(&self) -> u64;

    /// Forgets everything learnt: table and histories are cleared.
    fn new_game(&mut self);

    /// With how many threads it starts: what clients are told as the default.
    fn default_threads(&self) -> usize {
        DEFAULT_THREADS
    }

    /// Uses this many threads, keeping the table. 0 lets the brain choose: one for each usable processor.
    /// Returns how many it uses.
    ///
    /// # Errors
    /// A text for the user; the old threads stay.
    fn set_threads(&mut self, threads: usize) -> Result<usize, String>;

    /// How many of its threads search by the present options, for a move or in an analysis: the others sleep.
    fn searching_threads(&self, analysis: bool) -> usize;

    /// Resizes the table, in MiB. The same size again changes nothing, not even the contents.
    ///
    /// # Errors
    /// A text for the user; the old table stays.
    fn set_hash(&mut self, mib: usize) -> Result<(), String>;

    /// Empties the table.
    fn clear_hash(&mut self);

    /// The options this brain has beyond those every session offers.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets one of [`Brain::options`], named as there. The value fits the option's kind and range.
    ///
    /// # Errors
    /// A text for the user; the old value stays, or of a list what can be used of the new one.
    fn set_option(&mut self, name: &str, value: &Value) -> Result<(), String>;

    /// The moves the opening book has for a position, with their weights; none without a book.
    fn book(&self, position: &Position) -> Vec<(Move, u32)>;

    /// The static evaluation of a position, explained, in one or more lines.
    fn evaluate(&self, position: &Position) -> String;

    /// The signature run, on tables of its own.
    fn bench(&self) -> Chore;
}
