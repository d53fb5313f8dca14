//! The historical parallel searches against minimax, plain alpha-beta and the minimal tree.

use lab::algorithms::alpha_beta::fail_soft;
use lab::algorithms::minimax::minimax;
use lab::event::Event;
use lab::node::{INFINITY, Node, Value, provisional};
use lab::parallel::{Costs, Outcome, Scheme};
use lab::tally::{Tally, minimal_tree};
use lab::trees::connect_four::ConnectFour;
use lab::trees::positions::{bratko_kopec_roots, random_walks};
use lab::trees::synthetic::{Kind, Spec, Synthetic};
use lab::trees::watched::{Limits, Watched};
use std::collections::HashMap;

fn search<N: Node + 'static>(
    scheme: Scheme,
    root: &N,
    depth: u32,
    processors: usize,
    costs: Costs,
) -> Outcome {
    lab::parallel::search(scheme, root, depth, processors, costs).unwrap()
}

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
            assert_eq!(found, search(scheme, root, depth, processors, Costs::default()), "{name} repeats");
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
/// in the time that takes, and leaves it as alpha-beta does.
#[test]
fn one_processor_is_alpha_beta() {
    for seed in 0..20 {
        let root = synthetic(Kind::Uniform, seed);
        let mut tally = Tally::default();
        fail_soft(&root, 5, -INFINITY, INFINITY, &mut tally);
        for scheme in [Scheme::TreeSplitting, Scheme::PvSplitting, Scheme::YoungBrothers] {
            let found = search(scheme, &root, 5, 1, Costs::default());
            assert_eq!((found.tally.horizon, found.tally.interior), (tally.horizon, tally.interior));
            let name = scheme.name();
            assert_eq!((found.tally.cut, found.tally.all), (tally.cut, tally.all), "{name} {seed}");
            assert_eq!((found.time, found.busy, found.hand_overs), (tally.nodes() * 1000, found.time, 0));
        }
    }
}

/// Fail-soft alpha-beta that remembers what it has learnt of every position at every height.
#[derive(Default)]
struct Remembering {
    bounds: HashMap<(u64, u32), (Value, Value)>,
    horizon: u64,
    interior: u64,
    /// How often it has looked whether it remembers something ...
    looks: u64,
    /// ... and did ...
    hits: u64,
    /// ... and needed no more.
    answers: u64,
}

impl Remembering {
    fn value<N: Node>(&mut self, node: &N, depth: u32, alpha: Value, beta: Value) -> Value {
        if depth == 0 {
            self.horizon += 1;
            return node.evaluate();
        }
        let place = (node.key(), depth);
        self.looks += 1;
        let known = self.bounds.get(&place).copied();
        self.hits += u64::from(known.is_some());
        let (low, high) = known.unwrap_or((-INFINITY, INFINITY));
        if low >= beta || low == high || high <= alpha {
            self.answers += 1;
            return if low >= beta || low == high { low } else { high };
        }
        self.interior += 1;
        let mut best = -INFINITY;
        for m in provisional(node) {
            best = best.max(-self.value(&node.child(m), depth - 1, -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        let low = if best > alpha { low.max(best) } else { low };
        let high = if best < beta { high.min(best) } else { high };
        self.bounds.insert(place, (low, high));
        best
    }
}

/// On one processor a scheme that lives by a table looks at what alpha-beta looks at that uses all it remembers, in the
/// time that its nodes and its looks into the table take.
#[test]
fn one_processor_uses_every_bound_of_its_table() {
    for seed in 0..20 {
        let root = synthetic(Kind::Transposing, seed);
        let mut serial = Remembering::default();
        let value = serial.value(&root, 5, -INFINITY, INFINITY);
        let costs = Costs::default();
        let time = costs.node * (serial.horizon + serial.interior) + costs.probe * serial.looks;
        for scheme in [Scheme::Abdada, Scheme::Lazy] {
            let found = search(scheme, &root, 5, 1, Costs::default());
            assert_eq!(
                (found.value, found.tally.horizon, found.time),
                (value, serial.horizon, time),
                "{} {seed}",
                scheme.name()
            );
            let table = found.tally.table;
            let counted = (table.probes, table.hits, table.cutoffs);
            assert_eq!(counted, (serial.looks, serial.hits, serial.answers), "{} {seed}", scheme.name());
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
            let leaves = |scheme| search(scheme, &root, depth, processors, Costs::default()).tally.horizon;
            for scheme in [Scheme::MandatoryFirst, Scheme::PvSplitting, Scheme::YoungBrothers] {
                assert_eq!(leaves(scheme), minimal, "{} on {processors}", scheme.name());
            }
            assert!((leaves(Scheme::TreeSplitting) > minimal) == (processors > 1));
        }
    }
}

/// More processors are faster where there is work for them, and never faster than their number where no order is
/// better than that of the moves.
#[test]
fn speed_ups_are_real_and_bounded_on_ordered_trees() {
    let kind = Kind::Ordered { best_first: 100 };
    let root = Spec { kind, width: 12, depth: 5, seed: 3, correlation: 50 }.root().unwrap();
    let pool = [Scheme::MandatoryFirst, Scheme::PvSplitting, Scheme::YoungBrothers];
    // No two lines meet here: a table is of use to the other processors alone.
    let tables = [Scheme::Abdada, Scheme::Lazy];
    for scheme in pool.into_iter().chain(tables) {
        let least = if scheme.has_table() { 2.0 } else { 3.0 };
        let time = |processors| search(scheme, &root, 5, processors, Costs::default()).time as f64;
        let speedup = time(1) / time(8);
        assert!(speedup > least && speedup <= 8.0, "{}: {speedup}", scheme.name());
    }
}

/// The time of all processors goes into nodes and hand-overs, at their costs, but for what a processor was at when the
/// search ended: at most one of each.
#[test]
fn what_processors_do_takes_the_time_that_it_costs() {
    let kind = Kind::Ordered { best_first: 100 };
    let root = Spec { kind, width: 12, depth: 5, seed: 3, correlation: 50 }.root().unwrap();
    let costs = Costs::default();
    let schemes = Scheme::ALL.map(|entry| entry.0);
    for scheme in schemes.into_iter().filter(|scheme| !scheme.has_table()) {
        let found = search(scheme, &root, 5, 8, costs);
        let handed_over = costs.hand_over * found.hand_overs;
        let (begun, broken_off) =
            (costs.node * found.tally.nodes() + handed_over, 8 * (costs.node + costs.hand_over));
        assert!(found.busy <= begun && begun <= found.busy + broken_off, "{}: {found:?}", scheme.name());
        assert!(handed_over > broken_off, "{}: so few would not be missed: {found:?}", scheme.name());
    }
    // All but one wait for the eldest branch, and would help too late.
    for scheme in [Scheme::PvSplitting, Scheme::YoungBrothers] {
        let time = |wake| search(scheme, &root, 5, 8, Costs { wake, ..costs }).time;
        assert!(time(1_000_000_000) > 2 * time(0), "{}", scheme.name());
    }
}

/// ABDADA defers what another processor is at, and alone nothing; lazy goes everywhere.
#[test]
fn only_abdada_puts_off_and_only_for_others() {
    let put_off = |scheme, processors| {
        let limits = Limits { nodes: usize::MAX, steps: usize::MAX };
        let watched = Watched::new(synthetic(Kind::Transposing, 3), limits);
        search(scheme, &watched, 5, processors, Costs::default());
        watched.take().unwrap().iter().filter(|step| step.event == Event::Deferred).count()
    };
    assert!(put_off(Scheme::Abdada, 8) > 0);
    assert_eq!((put_off(Scheme::Abdada, 1), put_off(Scheme::Lazy, 8)), (0, 0));
}

#[test]
fn names_are_names() {
    for (scheme, name, _) in Scheme::ALL {
        assert_eq!(name.parse(), Ok(scheme));
        assert_eq!(serde_json::to_value(scheme).unwrap(), name);
    }
    assert!("dts".parse::<Scheme>().unwrap_err().to_string().contains("tree-splitting, mandatory-first"));
}
