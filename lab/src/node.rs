//! A node of a game tree: the one trait every search in this room is written against.
//!
//! A node knows its moves, the child each leads to, its static value and its key. That is enough for every
//! exact algorithm. The remaining methods are knowledge that some games have (captures, passing, exchanges,
//! an analysis of root moves); their defaults say "this game has none", and a search that asks for them then
//! simply gains nothing.
//!
//! Values are always seen from the side to move at the node they belong to (the negamax convention, M 2.2).

use crate::event::Event;
use crate::tally::Tally;
use std::fmt::Debug;

/// A score in the game's own small units (centipawns in chess), for the side to move.
pub type Value = i32;

/// Beyond every value a node can have; the open end of a window.
pub const INFINITY: Value = 100_000;

/// A decided game is worth at least this much to the winner. Heuristic values stay below it.
pub const WIN: Value = 50_000;

/// What a move is, as far as move ordering, quiescence and extensions care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nature {
    /// It takes something: victim's and attacker's worth, for ordering by victim first, attacker second.
    pub capture: Option<(Value, Value)>,
    /// It promotes.
    pub promotion: bool,
    /// It brings a pawn within one step of promotion.
    pub promotion_threat: bool,
    /// It takes back on the square where the last move took.
    pub recapture: bool,
}

impl Nature {
    /// Is this the kind of move that makes a position "not dead" (M 2.5)?
    pub fn is_tactical(self) -> bool {
        self.capture.is_some() || self.promotion
    }
}

/// A position in a game, seen as a node of its tree.
pub trait Node: Clone + Send + Sync {
    /// A branch. Only meaningful at the node that listed it, but comparable everywhere.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Every branch, in the order in which the game generates them. Empty when the game is over.
    fn moves(&self) -> Vec<Self::Move>;

    /// The node behind branch `m`, which must be one of [`Node::moves`].
    fn child(&self, m: Self::Move) -> Self;

    /// The static value, for the side to move. Between -[`INFINITY`] and [`INFINITY`], both excluded.
    fn evaluate(&self) -> Value;

    /// The value of a node without moves, `height` plies above the horizon. A game with real endings makes
    /// an earlier loss worse (the higher, the earlier); a function of position and height only, so that
    /// tables stay exact.
    fn final_value(&self, height: u32) -> Value {
        let _ = height;
        self.evaluate()
    }

    /// Equal for equal positions, different otherwise (but for accidents of 64-bit hashing).
    fn key(&self) -> u64;

    /// The key of the mirror image, in games where a position and its image are worth the same.
    fn mirror_key(&self) -> Option<u64> {
        None
    }

    /// The move that is `m` in the mirror.
    fn mirrored(&self, m: Self::Move) -> Self::Move {
        m
    }

    /// The key with whose move it is left out, where the game has such a key.
    fn key_without_side(&self) -> u64 {
        self.key()
    }

    /// Is every branch worth more than the one before it, so that in this order nothing can be cut off?
    fn is_in_worst_order(&self) -> bool {
        false
    }

    /// A small number naming the move and the side making it, below [`Node::MOVE_CODES`]: the index of
    /// history tables (M 3.3: from-square and to-square, one table for each side).
    fn move_code(&self, m: Self::Move) -> usize;

    /// One more than the largest [`Node::move_code`].
    const MOVE_CODES: usize;

    /// Can `m`, which came from another node, be played here?
    fn is_legal(&self, m: Self::Move) -> bool {
        self.moves().contains(&m)
    }

    /// The provisional order: higher is tried earlier, equals stay as generated. In chess, safe captures
    /// before everything else (M 3.6).
    fn static_order(&self, m: Self::Move) -> i32 {
        let _ = m;
        0
    }

    /// A slower and better judgement of a move, affordable only at the root (M 3.4). What it evaluates it counts in
    /// `tally`.
    fn root_analysis(&self, m: Self::Move, tally: &mut Tally) -> i32 {
        let _ = tally;
        self.static_order(m)
    }

    /// What kind of move this is.
    fn nature(&self, m: Self::Move) -> Nature {
        let _ = m;
        Nature::default()
    }

    /// Is the side to move under a direct threat that it must answer?
    fn in_check(&self) -> bool {
        false
    }

    /// The value that decides a game: the question of searches that only prove. Trees without wins ask
    /// whether the side to move is ahead at all.
    const GOAL: Value = 1;

    /// Limits that the node's value at a horizon `depth` plies away cannot pass, for the side to move. By
    /// default nothing is known. What it evaluates it counts in `tally`.
    fn bounds(&self, depth: u32, tally: &mut Tally) -> (Value, Value) {
        let _ = (depth, tally);
        (-INFINITY, INFINITY)
    }

    /// The same position with the other side to move, where the game allows that thought.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// What the best exchange on the board gains for the side to move, computed without search; at least 0.
    fn best_exchange(&self) -> Value {
        0
    }

    /// Material for the side to move, without position. Zero where the game has no such thing.
    fn material(&self) -> Value {
        0
    }

    /// Hears what a search does here. Nothing listens by default, which costs nothing.
    #[inline(always)]
    fn observe(&self, event: Event<Self::Move>) {
        let _ = event;
    }

    /// The move in words.
    fn name(&self, m: Self::Move) -> String {
        format!("{m:?}")
    }
}

/// The moves of `node` in provisional order: a stable sort by [`Node::static_order`], best first.
pub fn provisional<N: Node>(node: &N) -> Vec<N::Move> {
    let mut moves = node.moves();
    moves.sort_by_cached_key(|&m| std::cmp::Reverse(node.static_order(m)));
    moves
}
