//! The root's moves and what is known of each.

use chess::{Move, Position};
use std::sync::Arc;
use thinking::report::Bound;
use thinking::score::{INFINITE, Score};

/// A root move and its latest results.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Its score in the present search, or minus infinity if it has none there (not searched, or not better).
    pub score: Score,
    /// Whether that score is exact.
    pub bound: Bound,
    /// Its score in the iteration before.
    pub previous: Score,
    /// Nodes that have been spent on it in this search, by this worker and by those who helped it at the root; in
    /// MultiPV on the first line only.
    pub nodes: u64,
    /// Longest line looked at behind it.
    pub seldepth: usize,
    /// Its line; begins with the move itself. Shared, since all moves are copied and sorted with every iteration.
    pub line: Arc<[Move]>,
}

/// All moves that may be played at the root, best first.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// The moves, the best first. Those without a score are searched in another order than they stand here.
    pub moves: Vec<RootMove>,
    /// The first move that the present search may choose: those before it already have their place (MultiPV).
    pub first: usize,
    /// How often another move than the first that was searched has become the best, in the present iteration and its
    /// first line.
    pub changes: i32,
    /// The iteration that the scores are of; 0 before the first.
    pub depth: i32,
    /// The iteration before, that the moves' previous scores are of.
    pub previous_depth: i32,
}

impl Root {
    /// The legal moves, or those of them that are among `only` if that is not empty.
    pub fn new(position: &Position, only: &[Move]) -> Self {
        let moves = position
            .legal_moves()
            .into_iter()
            .filter(|mv| only.is_empty() || only.contains(mv))
            .map(|mv| RootMove {
                mv,
                score: -INFINITE,
                bound: Bound::Upper,
                previous: -INFINITE,
                nodes: 0,
                seldepth: 0,
                line: Arc::from([mv]),
            })
            .collect();
        Root { moves, ..Root::default() }
    }

    /// The best move known.
    pub fn best(&self) -> Option<&RootMove> {
        self.moves.first()
    }

    /// A new iteration of this depth: the scores become the previous ones.
    pub(crate) fn begin_iteration(&mut self, depth: i32) {
        self.changes = 0;
        (self.previous_depth, self.depth) = (self.depth, depth);
        for root_move in &mut self.moves {
            root_move.previous = root_move.score;
        }
    }

    /// The moves from `first` on have no score in the search that begins now, but for the first `kept` of them, whose
    /// bound stands until they are searched again.
    pub(crate) fn begin_search(&mut self, kept: usize) {
        for root_move in &mut self.moves[self.first + kept..] {
            root_move.score = -INFINITE;
        }
    }

    /// Notes the result of a root move. Moves that did not raise alpha only have an upper bound, which says nothing
    /// about their order: they keep the place they have.
    pub(crate) fn record(&mut self, mv: Move, score: Score, bound: Bound, seldepth: usize, line: &[Move]) {
        if let Some(root_move) = self.moves.iter_mut().find(|root_move| root_move.mv == mv) {
            root_move.score = score;
            root_move.bound = bound;
            root_move.seldepth = seldepth;
            root_move.line = line.into();
        }
    }

    /// The present iteration is not gone on with. Moves without a score in it stand with the score of the one before,
    /// and so get back what `before`, the root as that one left it, knows of them: a search that was broken off may
    /// have noted a bound and a line of its own.
    pub(crate) fn fall_back_on(&mut self, before: &Root) {
        for root_move in self.moves.iter_mut().filter(|root_move| root_move.score == -INFINITE) {
            if let Some(known) = before.find(root_move.mv) {
                root_move.bound = known.bound;
                root_move.seldepth = known.seldepth;
                root_move.line = Arc::clone(&known.line);
            }
        }
    }

    /// Another move than the first that was searched has become the best, so many times. How long to think goes by this
    /// and by the nodes spent: what further lines of MultiPV take says nothing of the best move.
    pub fn count_changes(&mut self, times: i32) {
        if self.first == 0 {
            self.changes += times;
        }
    }

    /// Adds to the nodes spent on a move.
    pub fn spend(&mut self, mv: Move, nodes: u64) {
        if self.first > 0 {
            return;
        }
        if let Some(root_move) = self.moves.iter_mut().find(|root_move| root_move.mv == mv) {
            root_move.nodes += nodes;
        }
    }

    /// The best move's share of all nodes spent, from 0 to 1.
    pub(crate) fn share_of_best(&self) -> f64 {
        let total: u64 = self.moves.iter().map(|root_move| root_move.nodes).sum();
        self.best().map_or(0.0, |best| best.nodes as f64 / total.max(1) as f64)
    }

    /// What is known of a move.
    pub fn find(&self, mv: Move) -> Option<&RootMove> {
        self.moves.iter().find(|root_move| root_move.mv == mv)
    }

    /// Takes over what another worker found out about a move in the present search.
    pub fn adopt(&mut self, found: &RootMove) {
        self.record(found.mv, found.score, found.bound, found.seldepth, &found.line);
    }

    /// Sorts the moves from `from` on, best first. Stable: without news the order stays (moves of equal score keep
    /// the order of the iteration before, Marsland's root ordering).
    pub(crate) fn sort(&mut self, from: usize) {
        self.moves[from..].sort_by_key(|m| std::cmp::Reverse((m.score, m.previous)));
    }
}
