//! The plain searches, and the register in which each has its name, its source and one sentence.
//!
//! Every function here is generic over [`Node`] and knows nothing of tables, killers or pruning: those are
//! the switches of [`crate::enhanced`], which runs the same algorithms with them.

pub mod alpha_beta;
pub mod aspiration;
pub mod b_star;
pub mod best_move;
pub mod conspiracy;
pub mod minimax;
pub mod mt;
pub mod mtd;
pub mod proof_number;
pub mod pvs;
pub mod room;
pub mod scout;
pub mod sss_star;

use crate::node::{INFINITY, Node, Value};
use crate::tally::Tally;
use aspiration::Aspiration;
use b_star::Bounds;
use mtd::Driver;
use room::{Full, Room};

/// Half the width of an aspiration window: a pawn to either side (M 2.4).
pub const MARGIN: Value = 100;

/// The stride of MTD(step), in value units.
pub const STRIDE: Value = 50;

/// An algorithm of the literature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Two functions, one for each side.
    Minimax,
    /// One function, values negated.
    Negamax,
    /// Knuth and Moore's F1.
    BranchAndBound,
    /// Knuth and Moore's F2.
    FailHard,
    /// M figure 1.
    FailSoft,
    /// Alpha-beta under an aspiration window around the static value.
    Aspiration(Aspiration),
    /// Pearl's pair of procedures.
    Scout,
    /// M figure 5 without Reinefeld's rule.
    Pvs,
    /// M figure 5 as printed, with the rule.
    PvsReinefeld,
    /// E's form.
    PvsWholeWindow,
    /// Reinefeld 1983.
    NegaScout,
    /// Stockman's open list.
    SssStar,
    /// Its mirror image.
    DualStar,
    /// A driver over zero-window tests with a memory.
    Mtd(Driver),
    /// The best move only.
    MtdBest,
    /// Prove the best move by bounds.
    BStar(Bounds),
    /// Until more leaves than this must change to change the root.
    Conspiracy(u32),
    /// Is the game won? Best-first, by proof numbers.
    ProofNumber,
    /// The same depth-first.
    DfPn,
}

/// Conspirators that a value must withstand where nothing is said.
pub const CONSPIRATORS: u32 = 5;

/// An algorithm's line in the register.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The word by which it is chosen.
    pub name: &'static str,
    /// Which sources describe it (by letter, see the crate's page), and where it comes from.
    pub source: &'static str,
    /// What it is, in a sentence.
    pub what: &'static str,
}

const fn entry(algorithm: Algorithm, name: &'static str, source: &'static str, what: &'static str) -> Entry {
    Entry { algorithm, name, source, what }
}

/// Every algorithm, in the order in which the literature met them.
pub const REGISTER: [Entry; 27] = [
    entry(Algorithm::Minimax, "minimax", "M 2.1, B", "two functions, one to maximise and one to minimise"),
    entry(Algorithm::Negamax, "negamax", "M 2.2, B", "one function, every value negated on its way up"),
    entry(Algorithm::BranchAndBound, "bnb", "Knuth and Moore F1", "alpha-beta without deep cut-offs"),
    entry(
        Algorithm::FailHard,
        "failhard",
        "Knuth and Moore F2, E",
        "alpha-beta that stays inside its window",
    ),
    entry(Algorithm::FailSoft, "alphabeta", "M fig. 1, E, B; Fishburn", "fail-soft alpha-beta"),
    entry(
        Algorithm::Aspiration(Aspiration::Narrow),
        "aspiration",
        "M fig. 3",
        "narrow window, re-search to infinity",
    ),
    entry(
        Algorithm::Aspiration(Aspiration::Sliding),
        "sliding",
        "M 2.4",
        "a window of constant width slides",
    ),
    entry(Algorithm::Aspiration(Aspiration::Gradual), "gradual", "E", "the failed side widens step by step"),
    entry(
        Algorithm::Aspiration(Aspiration::OneSide),
        "one-side",
        "E",
        "the failed side opens, the other stays",
    ),
    entry(Algorithm::Scout, "scout", "M 3.1; Pearl", "test a branch before evaluating it"),
    entry(Algorithm::Pvs, "pvs", "M fig. 5, B", "principal variation search, always re-searching"),
    entry(Algorithm::PvsReinefeld, "pvs-r", "M fig. 5", "PVS with Reinefeld's depth > 2 rule"),
    entry(Algorithm::PvsWholeWindow, "pvs-e", "E", "PVS that re-searches with the whole window"),
    entry(
        Algorithm::NegaScout,
        "negascout",
        "F, B; Reinefeld",
        "one loop whose window closes after the first branch",
    ),
    entry(Algorithm::SssStar, "sss", "Stockman; Plaat", "best-first with an open list"),
    entry(Algorithm::DualStar, "dual", "Marsland et al.; Plaat", "SSS* for the other side"),
    entry(Algorithm::Mtd(Driver::Sss), "mt-sss", "B; Plaat", "MTD(+inf): SSS* by zero windows and memory"),
    entry(Algorithm::Mtd(Driver::Dual), "mt-dual", "B; Plaat", "MTD(-inf): DUAL* by zero windows and memory"),
    entry(Algorithm::Mtd(Driver::F), "mtdf", "F, E, B", "MTD(f): zero windows around a guess"),
    entry(Algorithm::Mtd(Driver::Step(STRIDE)), "mtd-step", "B; Plaat", "MTD(step): strides down from above"),
    entry(Algorithm::Mtd(Driver::Bisection), "bisection", "E", "zero windows that halve the interval"),
    entry(Algorithm::MtdBest, "mtd-best", "B; Plaat", "which move is best, not what it is worth"),
    entry(
        Algorithm::BStar(Bounds::Sound),
        "bstar",
        "B; Berliner",
        "prove the best move by the tree's bounds",
    ),
    entry(
        Algorithm::BStar(Bounds::NullMove),
        "bstar-null",
        "B; Berliner, Palay",
        "B* with bounds from passing and from moving twice",
    ),
    entry(
        Algorithm::Conspiracy(CONSPIRATORS),
        "conspiracy",
        "B; McAllester, Schaeffer",
        "until more leaves than that (=N, 5 if left out) must conspire to change the root",
    ),
    entry(Algorithm::ProofNumber, "pn", "Allis et al.", "proof-number search: is it won (or above 0)?"),
    entry(Algorithm::DfPn, "dfpn", "Nagai", "depth-first proof-number search: is it won (or above 0)?"),
];

/// No algorithm has that name.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("no algorithm is called {name:?}; there are {}", names())]
pub struct UnknownAlgorithm {
    /// What was asked for.
    pub name: String,
}

fn names() -> String {
    REGISTER.map(|e| e.name).join(", ")
}

impl std::str::FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let threshold = name.strip_prefix("conspiracy=").and_then(|number| number.parse().ok());
        let found = REGISTER.iter().find(|e| e.name == name).map(|e| e.algorithm);
        let found = found.or(threshold.map(Algorithm::Conspiracy));
        found.ok_or_else(|| UnknownAlgorithm { name: name.to_owned() })
    }
}

impl Algorithm {
    /// The word by which it is chosen.
    pub fn name(self) -> &'static str {
        let other = if matches!(self, Algorithm::Conspiracy(_)) { "conspiracy" } else { "mtd-step" };
        REGISTER.iter().find(|e| e.algorithm == self).map_or(other, |e| e.name)
    }

    /// Does it promise the minimax value?
    pub fn is_exact(self) -> bool {
        self.other_promise().is_none()
    }

    /// Does it only say whether the value reaches the goal ([`Node::GOAL`])?
    pub fn answers_goal(self) -> bool {
        matches!(self, Algorithm::ProofNumber | Algorithm::DfPn)
    }

    /// Does it return only a lower bound on the value, beside the best move? B* on estimated bounds takes it for
    /// one.
    pub fn bounds_from_below(self) -> bool {
        matches!(self, Algorithm::MtdBest | Algorithm::BStar(_))
    }

    /// What it promises, in words.
    pub fn promise(self) -> &'static str {
        self.other_promise().unwrap_or("the minimax value")
    }

    /// What it promises in place of the minimax value.
    fn other_promise(self) -> Option<&'static str> {
        match self {
            Algorithm::MtdBest | Algorithm::BStar(Bounds::Sound) => {
                Some("the best move and a bound on its value")
            }
            Algorithm::BStar(Bounds::NullMove) => Some("the best move, if its estimated bounds hold"),
            Algorithm::Conspiracy(_) => Some("a value that no small conspiracy of leaves can change"),
            Algorithm::ProofNumber | Algorithm::DfPn => {
                Some("whether the goal is reached, as a bound on the value")
            }
            _ => None,
        }
    }

    /// The algorithms that promise the minimax value.
    pub fn exact() -> impl Iterator<Item = Algorithm> {
        REGISTER.iter().map(|e| e.algorithm).filter(|a| a.is_exact())
    }

    /// Searches `node` to `depth` plies in the plain textbook form and returns its value, or what it promises
    /// instead ([`Algorithm::promise`]). First guesses are the static value.
    pub fn search<N: Node>(self, node: &N, depth: u32, tally: &mut Tally) -> Value {
        self.search_within(node, depth, usize::MAX, tally).expect("without a limit no search is full")
    }

    /// The same, but an algorithm whose memory grows with the tree gives up when it keeps more than `most`
    /// nodes.
    pub fn search_within<N: Node>(
        self,
        node: &N,
        depth: u32,
        most: usize,
        tally: &mut Tally,
    ) -> Result<Value, Full> {
        let room = Room::of(self.name(), most);
        Ok(match self {
            Algorithm::Minimax => minimax::minimax(node, depth, tally),
            Algorithm::Negamax => minimax::negamax(node, depth, tally),
            Algorithm::BranchAndBound => alpha_beta::branch_and_bound(node, depth, INFINITY, tally),
            Algorithm::FailHard => alpha_beta::fail_hard(node, depth, -INFINITY, INFINITY, tally),
            Algorithm::FailSoft => alpha_beta::fail_soft(node, depth, -INFINITY, INFINITY, tally),
            Algorithm::Aspiration(kind) => {
                let guess = tally.evaluate(node);
                aspiration::aspire(kind, guess, MARGIN, |alpha, beta| {
                    tally.pass(node);
                    alpha_beta::fail_soft(node, depth, alpha, beta, tally)
                })
            }
            Algorithm::Scout => scout::eval(node, depth, tally),
            Algorithm::Pvs => pvs::pvs(node, depth, (-INFINITY, INFINITY), false, tally),
            Algorithm::PvsReinefeld => pvs::pvs(node, depth, (-INFINITY, INFINITY), true, tally),
            Algorithm::PvsWholeWindow => pvs::pvs_whole_window(node, depth, -INFINITY, INFINITY, tally),
            Algorithm::NegaScout => pvs::negascout(node, depth, -INFINITY, INFINITY, tally),
            Algorithm::SssStar => sss_star::sss_star(node, depth, room, tally)?,
            Algorithm::DualStar => sss_star::dual_star(node, depth, room, tally)?,
            Algorithm::Mtd(driver) => {
                let mut memory = mt::Memory::new(room);
                let guess = tally.evaluate(node);
                let drive = mtd::try_drive(driver, guess, |gamma| {
                    tally.pass(node);
                    mt::mt(node, depth, gamma, &mut memory, tally)
                })?;
                tally.guard += u64::from(drive.guarded);
                drive.value
            }
            Algorithm::MtdBest => {
                let guess = tally.evaluate(node);
                let best = best_move::mtd_best(node, depth, guess, room, tally)?;
                best.map_or_else(|| tally.evaluate(node), |(_, bound)| bound)
            }
            Algorithm::BStar(bounds) => {
                let best = b_star::b_star(node, depth, bounds, room, tally)?;
                best.map_or_else(|| tally.evaluate(node), |(_, bound)| bound)
            }
            Algorithm::Conspiracy(threshold) => {
                conspiracy::conspiracy(node, depth, threshold.into(), room, tally)?.0
            }
            Algorithm::ProofNumber => {
                at_goal::<N>(proof_number::proof_number(node, depth, N::GOAL, room, tally)?.reached)
            }
            Algorithm::DfPn => at_goal::<N>(proof_number::df_pn(node, depth, N::GOAL, room, tally)?.reached),
        })
    }
}

/// The bound that an answer stands for: from below if the goal is reached, from above if not.
fn at_goal<N: Node>(reached: bool) -> Value {
    if reached { N::GOAL } else { N::GOAL - 1 }
}
