//! The historical parallel searches, on the laboratory's trees and in virtual time.
//!
//! Every scheme here runs in a [`vtime::World`]: any number of simulated processors, each with a clock
//! that its own work advances, the one furthest behind always going next. A run is the same every time, and
//! the numbers depend on the [`Costs`] alone: a node costs so much, taking over another processor's work so
//! much. So the schemes meet on equal terms, without tables and heuristics unless they live by them, on trees
//! whose shape is known.
//!
//! Four schemes share one idea, told apart by a rule. A part of the tree is kept as nodes with a list of
//! branches (`pool`); idle processors take branches the rule allows to be started, and search small
//! subtrees by plain alpha-beta:
//!
//! * **tree splitting** (Finkel and Fishburn 1982): the processors are a binary tree; a group hands each half
//!   of itself one branch after another, down to groups of one. The theory expects a speed-up of P^0.5 on the
//!   best ordered trees.
//! * **mandatory work first** (Akl, Barnard and Doran 1982): all that the minimal tree needs at once,
//!   everything else only when there is a bound to compare with. Type 1, 2 and 3 are Knuth and Moore's.
//! * **PV splitting** (Marsland and Campbell 1982): the eldest branch of a principal node first, by the same
//!   method; then its brothers, one processor each.
//! * **Young Brothers Wait** (Feldmann 1993): at every node the eldest branch first, then all brothers in
//!   parallel.
//!
//! Two schemes have no list of work but a shared transposition table (`tables`): **ABDADA** (Weill 1996)
//! marks what is being searched and puts it off; **lazy** lets every processor search the whole tree, its
//! brothers in another order.
//!
//! B (under "other methods") and M leave parallel search out; the sources are the papers named above.

mod machine;
mod pool;
mod tables;

use crate::node::{Node, Value};
use crate::tally::Tally;
use serde::Serialize;
use std::str::FromStr;

/// A parallel search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Finkel and Fishburn's tree of processors.
    TreeSplitting,
    /// Akl, Barnard and Doran: the minimal tree, then the rest.
    MandatoryFirst,
    /// Marsland and Campbell: brothers along the principal variation.
    PvSplitting,
    /// Feldmann: the eldest brother, then all others.
    #[serde(rename = "ybw")]
    YoungBrothers,
    /// Weill: marks in a shared table.
    Abdada,
    /// A shared table and nothing else.
    Lazy,
}

impl Scheme {
    /// All of them, in the order of their papers, with their names and sources.
    pub const ALL: [(Scheme, &'static str, &'static str); 6] = [
        (Scheme::TreeSplitting, "tree-splitting", "Finkel and Fishburn 1982"),
        (Scheme::MandatoryFirst, "mandatory-first", "Akl, Barnard and Doran 1982"),
        (Scheme::PvSplitting, "pv-splitting", "Marsland and Campbell 1982"),
        (Scheme::YoungBrothers, "ybw", "Feldmann 1993"),
        (Scheme::Abdada, "abdada", "Weill 1996"),
        (Scheme::Lazy, "lazy", "practice since 2000"),
    ];

    /// The word by which it is chosen.
    pub fn name(self) -> &'static str {
        Scheme::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// Does it live by a shared table? Then its speed-up counts from itself on one processor.
    pub fn has_table(self) -> bool {
        matches!(self, Scheme::Abdada | Scheme::Lazy)
    }
}

/// No scheme has that name.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("no parallel scheme is called {0:?}; there are {names}", names = Scheme::ALL.map(|entry| entry.1).join(", "))]
pub struct UnknownScheme(pub String);

impl FromStr for Scheme {
    type Err = UnknownScheme;

    fn from_str(name: &str) -> Result<Self, UnknownScheme> {
        let found = Scheme::ALL.iter().find(|entry| entry.1 == name);
        found.map(|entry| entry.0).ok_or_else(|| UnknownScheme(name.to_owned()))
    }
}

/// The system does not let so many processors be simulated.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{processors} simulated processors cannot run here: {cause}")]
pub struct SimulationError {
    /// How many.
    pub processors: usize,
    /// What stands against it.
    pub cause: String,
}

/// What things cost, in nanoseconds of virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// A node, at the horizon or above it.
    pub node: u64,
    /// Taking a branch of a node that another processor opened.
    pub hand_over: u64,
    /// From work becoming free to an idle processor noticing.
    pub wake: u64,
    /// A look into a shared table.
    pub probe: u64,
}

impl Default for Costs {
    /// A node a microsecond, the rest what engines on one board measure: a hand-over two nodes, a wake-up
    /// one.
    fn default() -> Self {
        Self { node: 1000, hand_over: 2000, wake: 1000, probe: 100 }
    }
}

/// What a parallel search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The root's value.
    pub value: Value,
    /// Virtual nanoseconds until it was known.
    pub time: u64,
    /// Virtual nanoseconds all processors worked, waited-for time left out.
    pub busy: u64,
    /// Branches taken over from another processor.
    pub hand_overs: u64,
    /// The work of all processors.
    pub tally: Tally,
}

/// Searches `root` to `depth` plies on `processors` simulated processors (at least one).
///
/// # Errors
/// When the system has no memory for so many stacks.
pub fn search<N: Node + 'static>(
    scheme: Scheme,
    root: &N,
    depth: u32,
    processors: usize,
    costs: Costs,
) -> Result<Outcome, SimulationError> {
    let processors = processors.max(1);
    if scheme.has_table() {
        tables::search(scheme, root, depth, processors, costs)
    } else {
        machine::search(scheme, root, depth, processors, costs)
    }
}
