//! Endings that are known: what the search asks a tablebase, and what it makes of the answer.
//!
//! The engine reads no files. A caller with tables hands in a [`Tablebase`], and the search asks it at nodes where it
//! is competent: few men, no castling rights, and right after a capture or pawn move, since a table's word holds from
//! there on whatever the fifty-move rule has counted before (de Man's Syzygy tables, asked as Stockfish does). A win is
//! known to be one but not how soon, so it is a lower bound, a loss an upper one, and only a draw is a score.

use crate::node::{Node, NodeKind};
use crate::parallel::ParallelScheme;
use crate::steps::cut_by_table;
use crate::tt::{Entry, to_table};
use crate::worker::Worker;
use chess::Position;
use thinking::report::Bound;
use thinking::score::{self, DRAW, MAX_PLY, Score};

/// How a game ends with best play, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Won, in time for the fifty-move rule where that is played.
    Win,
    /// Drawn, or won or lost too late.
    Draw,
    /// Lost.
    Loss,
}

/// Something that knows endings. Asked from all search threads at once.
pub trait Tablebase: Send + Sync {
    /// Most men (kings included) of a position that may be known.
    fn most_men(&self) -> u32;

    /// Least depth of a node with that many men, in plies, at which to ask; with fewer men it is always asked.
    fn least_depth(&self) -> i32;

    /// How the position ends; `None` if that is not known. It has at most [`Tablebase::most_men`], no castling rights,
    /// and the last move was a capture or a pawn's.
    fn probe(&self, position: &Position) -> Option<Ending>;
}

/// Added to the depth with which an answer is remembered: it holds for any depth, and is dearer than a short search.
const WORTH: i32 = 6;

/// Asks the tablebase, if there is one and the node is one to ask at. Leaves the node where the answer
/// decides the window, otherwise notes what is now known.
pub(crate) fn ask<N: NodeKind, B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    node: &mut Node<'_, N>,
) -> Option<Score> {
    let tablebase = worker.shared.tablebase.as_deref()?;
    if N::ROOT || worker.exact() || !is_competent(tablebase, node) {
        return None;
    }
    let ending = tablebase.probe(node.position)?;
    worker.count_tablebase_hit();
    let (score, bound) = match ending {
        Ending::Win => (score::won_at(node.ply), Bound::Lower),
        Ending::Draw => (DRAW, Bound::Exact),
        Ending::Loss => (score::lost_at(node.ply), Bound::Upper),
    };
    let depth = (node.depth + WORTH).min(MAX_PLY as i32 - 1);
    let entry =
        Entry { mv: None, score: to_table(score, node.ply), eval: None, depth, bound, pv: node.was_pv };
    if let Some(score) = cut_by_table(&entry, node.window, node.ply) {
        worker.store(node.position, entry);
        return Some(score);
    }
    // Only a mate, or a nearer win, can be better than a known win; and nothing saves a loss.
    if bound == Bound::Lower {
        node.known.alpha = score;
        node.window.alpha = node.window.alpha.max(score);
    } else {
        node.known.beta = score;
    }
    None
}

/// Does the tablebase's word hold at this node, and is it worth asking for?
fn is_competent<N>(tablebase: &dyn Tablebase, node: &Node<'_, N>) -> bool {
    let position = node.position;
    let men = position.occupied().count();
    let most = tablebase.most_men();
    position.halfmove_clock() == 0
        && (men < most || men == most && node.depth >= tablebase.least_depth())
        && node.excluded.is_none()
        && !position.has_castling_rights()
}
