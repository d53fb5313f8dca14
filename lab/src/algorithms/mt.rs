//! MT, the memory-enhanced test (Plaat, Schaeffer, Pijls and de Bruin 1995; B): a zero-window alpha-beta that
//! remembers, for every node, the two bounds on its value that are known so far.
//!
//! "Is the value at least gamma?" is answered by a bound on one side of gamma. Both bounds are kept for each
//! entry, for the next question may come from the other side (F). Drivers that ask series of such questions
//! are in [`super::mtd`]. The memory here never forgets, which makes the drivers equal to the best-first
//! searches they are named after; the switchable search runs the same drivers over tables of any size.

use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};
use std::collections::HashMap;

/// Bounds by node and depth.
pub type Memory = HashMap<(u64, u32), (Value, Value)>;

/// A bound on the node's value: below `gamma` it is an upper bound, from `gamma` on a lower one.
pub fn mt<N: Node>(node: &N, depth: u32, gamma: Value, memory: &mut Memory, tally: &mut Tally) -> Value {
    let place = (node.key(), depth);
    let (lower, upper) = memory.get(&place).copied().unwrap_or((-INFINITY, INFINITY));
    tally.table.probes += 1;
    let known = lower > -INFINITY || upper < INFINITY;
    tally.table.hits += u64::from(known);
    if known {
        node.observe(Event::Hit { lower, upper });
    }
    if lower >= gamma || upper < gamma {
        let bound = if lower >= gamma { lower } else { upper };
        tally.table.cutoffs += 1;
        node.observe(Event::TableCut(bound));
        return bound;
    }
    let best = match expand(node, depth, (gamma - 1, gamma), tally) {
        Expansion::Leaf(value) => {
            memory.insert(place, (value, value));
            return value;
        }
        Expansion::Interior(moves) => {
            let mut best = -INFINITY;
            for m in moves {
                best = best.max(-mt(&node.child(m), depth - 1, 1 - gamma, memory, tally));
                if best >= gamma {
                    break;
                }
            }
            best
        }
    };
    tally.left(node, best, best >= gamma);
    let bounds = if best >= gamma { (best, upper) } else { (lower, best) };
    memory.insert(place, bounds);
    best
}
