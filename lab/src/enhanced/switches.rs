//! The switches: what can be on or off in a search, each independent of the others.
//!
//! The words by which they are chosen are in [`super::register`].

use super::PLY;
use super::table::TableSwitch;
use crate::algorithms::aspiration::Aspiration;
use crate::algorithms::{Algorithm, MARGIN};
use crate::node::Value;

/// How interior moves are ordered before anything has been learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticOrder {
    /// As generated.
    Generated,
    /// The game's provisional order (chess: safe captures first).
    Provisional,
    /// All captures, victim first, attacker second.
    VictimAttacker,
}

/// How root moves are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootOrder {
    /// As generated.
    Generated,
    /// As everywhere else.
    Provisional,
    /// By the extensive analysis of M 3.4.
    Analysis,
}

/// Which root moves' continuations are kept from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The best move's only.
    Principal,
    /// So many further plies of every move's (Fink's alternate variations, who kept two).
    Plies(u32),
    /// Every move's (the refutation table).
    All,
}

/// What is done at the horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizon {
    /// The static value.
    Static,
    /// A quiescence search.
    Quiescence(Quiescence),
    /// The static value plus the best exchange on the board.
    Exchange,
}

/// What a quiescence search looks at besides captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quiescence {
    /// Promotions, and pawns coming within a step of it.
    pub promotions: bool,
    /// All answers to a check.
    pub evasions: bool,
    /// Checks, at the first ply.
    pub checks: bool,
}

/// Null moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NullMove {
    /// Confirm each cut-off by a shallower search with a real move.
    pub verify: bool,
}

/// Marginal forward pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marginal {
    /// How far below alpha a move's immediate value must lie.
    pub margin: Value,
    /// It acts with that many plies left, or fewer; at least 1.
    pub plies: u32,
}

/// ProbCut's kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbCut {
    /// One pair of depths.
    One,
    /// Several pairs.
    Multi,
}

/// Selective extensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Answers to a check.
    pub check: bool,
    /// Captures that take back.
    pub recapture: bool,
    /// Promotions and pawns about to promote.
    pub promotion: bool,
    /// Half a ply instead of a whole one.
    pub fractional: bool,
}

impl Extensions {
    /// Is any extension on?
    pub fn any(self) -> bool {
        self.check || self.recapture || self.promotion
    }
}

/// Killer moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Killers {
    /// How many at each ply, at least 1.
    pub count: usize,
    /// Those that cut most often, instead of those that cut last.
    pub by_frequency: bool,
}

impl Default for Killers {
    /// The two that cut last.
    fn default() -> Self {
        Self { count: 2, by_frequency: false }
    }
}

/// The history heuristic. By default a success counts 2^depth, and raising alpha is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Every success counts 1, instead of 2^depth.
    pub count: bool,
    /// Only cut-offs count, not every move that raised alpha.
    pub cuts_only: bool,
}

/// An algorithm and everything that is switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switches {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Iterative deepening.
    pub deepening: bool,
    /// Windows around the last value.
    pub aspiration: Option<Aspiration>,
    /// Half the width of their first window, at least 1.
    pub margin: Value,
    /// Results never leave the window, as in [`Algorithm::FailHard`].
    pub fail_hard: bool,
    /// The transposition table.
    pub table: Option<TableSwitch>,
    /// Enhanced transposition cut-offs, with at least that many plies left.
    pub etc: Option<u32>,
    /// Which continuations are kept between iterations.
    pub lines: Lines,
    /// Killer moves.
    pub killers: Option<Killers>,
    /// The triangular array as a source of killers.
    pub triangular: bool,
    /// The history heuristic.
    pub history: Option<History>,
    /// Provisional order in the tree.
    pub order: StaticOrder,
    /// Order at the root.
    pub root: RootOrder,
    /// Between iterations root moves that did not raise alpha are thrown about, as by a sort that is not
    /// stable.
    pub unstable: bool,
    /// What happens at the horizon.
    pub horizon: Horizon,
    /// Values at a static horizon are rounded to multiples of this: a coarse evaluation.
    pub grain: Option<Value>,
    /// Null-move pruning.
    pub null_move: Option<NullMove>,
    /// Razoring with this margin.
    pub razoring: Option<Value>,
    /// Marginal forward pruning.
    pub marginal: Option<Marginal>,
    /// Gamma pruning.
    pub gamma: bool,
    /// Tapered N-best: that many moves at the root's children, two fewer for each ply.
    pub n_best: Option<u32>,
    /// ProbCut; needs a fit.
    pub probcut: Option<ProbCut>,
    /// Reduce lines in which material was shed.
    pub shed: bool,
    /// Search moves half a ply less deeply that lower the mover's static value by this much or more.
    pub decrement: Option<Value>,
    /// Singular extensions with this margin.
    pub singular: Option<Value>,
    /// Selective extensions.
    pub extensions: Extensions,
}

impl Switches {
    /// The algorithm with everything off.
    pub fn plain(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            deepening: false,
            aspiration: None,
            margin: MARGIN,
            fail_hard: algorithm == Algorithm::FailHard,
            table: None,
            etc: None,
            lines: Lines::Principal,
            killers: None,
            triangular: false,
            history: None,
            order: StaticOrder::Provisional,
            root: RootOrder::Provisional,
            unstable: false,
            horizon: Horizon::Static,
            grain: None,
            null_move: None,
            razoring: None,
            marginal: None,
            gamma: false,
            n_best: None,
            probcut: None,
            shed: false,
            decrement: None,
            singular: None,
            extensions: Extensions::default(),
        }
    }

    /// Full width to the same horizon: the values that whatever prunes is measured against, found by a search
    /// that has everything safe which finds them sooner.
    pub fn full_width(&self) -> Self {
        let table = TableSwitch::of(1 << 16);
        Self {
            deepening: true,
            table: Some(table),
            killers: Some(Killers::default()),
            history: Some(History::default()),
            horizon: self.horizon,
            grain: self.grain,
            ..Self::plain(Algorithm::Pvs)
        }
    }

    /// Nothing is switched on.
    pub fn is_plain(&self) -> bool {
        *self == Self::plain(self.algorithm)
    }

    pub(super) fn quiescence_mut(&mut self) -> &mut Quiescence {
        if !matches!(self.horizon, Horizon::Quiescence(_)) {
            self.horizon = Horizon::Quiescence(Quiescence::default());
        }
        match &mut self.horizon {
            Horizon::Quiescence(kind) => kind,
            _ => unreachable!("it was made one just above"),
        }
    }
}

/// Fractional extensions come in halves of a ply; a ply must have halves.
const _: () = assert!(PLY % 2 == 0);
