//! What goes into a search and what comes out of it: [`Limits`], [`Info`], [`Verdict`] and the [`Observer`] that
//! receives them. The engine itself never prints; a front end turns these into words, a benchmark drops them.

use crate::score::{Reported, Score};
use chess::Move;
use std::time::{Duration, Instant};

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left until the next control or the end of the game.
    pub remaining: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Moves to the next time control; `None` is sudden death.
    pub moves_to_go: Option<u32>,
}

/// When a search ends. Every limit that is set holds; with none set the search runs until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Iterations, in plies.
    pub depth: Option<u32>,
    /// The search ends with the first iteration that is at least `depth` plies deep, but its threads do not know of
    /// that: as in a game, those that search further ahead go on there. Otherwise they all come back to `depth` in the
    /// end, and where times to a depth are compared, searching further ahead looks better than it is.
    pub depth_unknown: bool,
    /// Nodes over all threads together.
    pub nodes: Option<u64>,
    /// The same, but the first iteration is finished whatever it takes: a weak player is to know of each move.
    pub nodes_once_answered: Option<u64>,
    /// Stop when a mate in this many full moves (or fewer) is proved.
    pub mate: Option<u32>,
    /// Exact time for this move; `overhead` is taken off, but no more than half of it.
    pub movetime: Option<Duration>,
    /// Play under this clock.
    pub clock: Option<Clock>,
    /// Where time is counted in nodes, over all threads together: what this move has. Those searched before `ponderhit`
    /// do not count.
    pub time_in_nodes: Option<u64>,
    /// Play under a clock that counts nodes: `time_in_nodes` are what it allows this move.
    pub clock_of_nodes: bool,
    /// No limit of time ends the search; whatever ends it, the verdict waits for `stop`.
    pub infinite: bool,
    /// Thinking on the opponent's time: no time limit before `ponderhit`, and no verdict either.
    pub ponder: bool,
    /// Search these root moves only; empty means all.
    pub search_moves: Vec<Move>,
    /// Search without anything whose result depends on the order of the search: no scores from the table, no null
    /// moves, margins or reductions. Then every scheme must find the value of plain alpha-beta, to compare them by.
    pub exact: bool,
    /// Time kept back from every limit for the way between the engine and its clock.
    pub overhead: Duration,
    /// The moment from which time counts, if that was before the search began: what is looked up first takes its time,
    /// too.
    pub since: Option<Instant>,
}

impl Limits {
    /// Is this a move of a game under a clock, so that what it does not use is left for others?
    pub fn on_clock(&self) -> bool {
        !self.infinite && (self.clock.is_some() || self.clock_of_nodes)
    }
}

/// How a score bounds the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// At most the score (every move failed low).
    Upper,
    /// At least the score (a move failed high).
    Lower,
    /// The score itself.
    Exact,
}

/// One line of thinking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The iteration that it comes from, in plies. That of the last line may have been broken off: see
    /// [`Verdict::finished`].
    pub depth: u32,
    /// Longest line looked at, in plies.
    pub seldepth: u32,
    /// Rank of this line, from 1.
    pub multipv: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes over all threads since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Share of the table used by this search, per mille.
    pub hashfull: u32,
    /// Tablebase hits over all threads.
    pub tbhits: u64,
    /// The line itself; never empty while the root has a move.
    pub pv: Vec<Move>,
}

impl Info {
    /// The score as users read it.
    pub fn reported(&self) -> Reported {
        self.score.into()
    }

    /// Nodes per second, 0 before any time has passed.
    pub fn nps(&self) -> u64 {
        (self.nodes as u128 * 1_000_000_000).checked_div(self.time.as_nanos()).unwrap_or(0) as u64
    }
}

/// The outcome of a search. `best` is always the head of the last multipv-1 line reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The move to play; `None` when the root is mate or stalemate.
    pub best: Option<Move>,
    /// The expected answer.
    pub ponder: Option<Move>,
    /// The last line reported for `best`, if any.
    pub info: Option<Info>,
    /// Depth in plies of the last iteration that was finished, 0 if none was. `info` may be of a deeper one,
    /// which was broken off.
    pub finished: u32,
}

/// What a search tells while it runs. Called from search threads: implementations hand over and return at once.
pub trait Observer: Send + Sync {
    /// A new line, best first within one depth.
    fn info(&self, _info: &Info) {}
    /// The main thread begins `current` as root move number `index` (from 1) of `total` at `depth`.
    fn root_move(&self, _depth: u32, _current: Move, _index: usize, _total: usize) {}
    /// Something about the search for people to read, in one line; before the verdict.
    fn remark(&self, _text: &str) {}
    /// The search is over; called exactly once.
    fn verdict(&self, _verdict: &Verdict) {}
}

/// Hears nothing: for benchmarks and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;
impl Observer for Silent {}
