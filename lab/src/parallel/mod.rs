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
/// # Panics
/// When the system has no memory for so many stacks.
pub fn search<N: Node + 'static>(
    scheme: Scheme,
    root: &N,
    depth: u32,
    processors: usize,
    costs: Costs,
) -> Outcome {
    let processors = processors.max(1);
    if scheme.has_table() {
        tables::search(scheme, root, depth, processors, costs)
    } else {
        machine::search(scheme, root, depth, processors, costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::alpha_beta::fail_soft;
    use crate::algorithms::minimax::minimax;
    use crate::node::INFINITY;
    use crate::tally::minimal_tree;
    use crate::trees::connect_four::ConnectFour;
    use crate::trees::positions::{bratko_kopec_roots, random_walks};
    use crate::trees::synthetic::{Kind, Spec, Synthetic};

    fn synthetic(kind: Kind, seed: u64) -> Synthetic {
        let width = 2 + (seed % 4) as u32;
        Spec { kind, width, depth: 5, seed, correlation: (seed * 37 % 101) as u8 }.root().unwrap()
    }

    fn all_find_the_value<N: Node + 'static>(root: &N, depth: u32) {
        let truth = minimax(root, depth, &mut Tally::default());
        for (scheme, name, _) in Scheme::ALL {
            for processors in [1, 2, 3, 8, 33] {
                let found = search(scheme, root, depth, processors, Costs::default());
                assert_eq!(found.value, truth, "{name} on {processors} processors");
                assert!(found.busy <= found.time * processors as u64, "{name}: {found:?}");
                assert_eq!(
                    found,
                    search(scheme, root, depth, processors, Costs::default()),
                    "{name} repeats"
                );
            }
        }
    }

    #[test]
    fn every_scheme_finds_the_minimax_value() {
        let kinds = [
            Kind::Uniform,
            Kind::Random,
            Kind::Ordered { best_first: 100 },
            Kind::Ordered { best_first: 70 },
            Kind::Transposing,
        ];
        for kind in kinds {
            (0..12).for_each(|seed| all_find_the_value(&synthetic(kind, seed), 5));
        }
        random_walks(&ConnectFour::start(), 30, 6, 4).iter().for_each(|root| all_find_the_value(root, 4));
        all_find_the_value(&bratko_kopec_roots()[0], 2);
    }

    /// On one processor a scheme without a table of its own looks at what alpha-beta looks at, node for node,
    /// in the time that takes.
    #[test]
    fn one_processor_is_alpha_beta() {
        for seed in 0..20 {
            let root = synthetic(Kind::Uniform, seed);
            let mut tally = Tally::default();
            fail_soft(&root, 5, -INFINITY, INFINITY, &mut tally);
            for scheme in [Scheme::TreeSplitting, Scheme::PvSplitting, Scheme::YoungBrothers] {
                let found = search(scheme, &root, 5, 1, Costs::default());
                assert_eq!((found.tally.horizon, found.tally.interior), (tally.horizon, tally.interior));
                assert_eq!((found.time, found.busy, found.hand_overs), (tally.nodes() * 1000, found.time, 0));
            }
        }
    }

    /// On perfectly ordered trees three schemes never look at a leaf that the minimal tree does not have, on
    /// any number of processors; tree splitting does, which is its weakness.
    #[test]
    fn perfect_order_leaves_nothing_to_waste() {
        for (width, depth) in [(3, 5), (5, 4), (8, 3)] {
            let kind = Kind::Ordered { best_first: 100 };
            let root = Spec { kind, width, depth, seed: 9, correlation: 50 }.root().unwrap();
            let minimal = minimal_tree(f64::from(width), depth) as u64;
            for processors in [1, 4, 16] {
                let leaves =
                    |scheme| search(scheme, &root, depth, processors, Costs::default()).tally.horizon;
                for scheme in [Scheme::MandatoryFirst, Scheme::PvSplitting, Scheme::YoungBrothers] {
                    assert_eq!(leaves(scheme), minimal, "{} on {processors}", scheme.name());
                }
                assert!((leaves(Scheme::TreeSplitting) > minimal) == (processors > 1));
            }
        }
    }

    /// More processors are faster where there is work for them, never faster than their number without a
    /// table, and nobody is busy longer than the search lasts.
    #[test]
    fn speed_ups_are_real_and_bounded_on_ordered_trees() {
        let kind = Kind::Ordered { best_first: 100 };
        let root = Spec { kind, width: 12, depth: 5, seed: 3, correlation: 50 }.root().unwrap();
        for scheme in [Scheme::MandatoryFirst, Scheme::PvSplitting, Scheme::YoungBrothers] {
            let time = |processors| search(scheme, &root, 5, processors, Costs::default()).time as f64;
            let speedup = time(1) / time(8);
            assert!(speedup > 3.0 && speedup <= 8.0, "{}: {speedup}", scheme.name());
        }
    }

    #[test]
    fn names_are_names() {
        for (scheme, name, _) in Scheme::ALL {
            assert_eq!(name.parse(), Ok(scheme));
        }
        assert!("dts".parse::<Scheme>().unwrap_err().to_string().contains("tree-splitting, mandatory-first"));
    }
}
