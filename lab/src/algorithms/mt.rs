//! MT, the memory-enhanced test (Plaat, Schaeffer, Pijls and de Bruin 1995; B): a zero-window alpha-beta that
//! remembers, for every node, the two bounds on its value that are known so far.
//!
//! "Is the value at least gamma?" is answered by a bound on one side of gamma. Both bounds are kept for each
//! entry, for the next question may come from the other side (F). Drivers that ask series of such questions
//! are in [`super::mtd`]. The memory here never forgets, which makes the drivers equal to the best-first
//! searches they are named after; the switchable search runs the same drivers over tables of any size.

use super::room::{Full, Room};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};
use std::collections::HashMap;

/// Bounds by node and depth, and room for so many.
pub struct Memory {
    bounds: HashMap<(u64, u32), (Value, Value)>,
    room: Room,
}

impl Memory {
    /// Nothing remembered yet.
    pub fn new(room: Room) -> Self {
        Self { bounds: HashMap::new(), room }
    }

    fn keep(&mut self, place: (u64, u32), bounds: (Value, Value)) -> Result<(), Full> {
        self.bounds.insert(place, bounds);
        self.room.holds(self.bounds.len())
    }
}

/// A bound on the node's value: below `gamma` it is an upper bound, from `gamma` on a lower one.
pub fn mt<N: Node>(
    node: &N,
    depth: u32,
    gamma: Value,
    memory: &mut Memory,
    tally: &mut Tally,
) -> Result<Value, Full> {
    let place = (node.key(), depth);
    let (lower, upper) = memory.bounds.get(&place).copied().unwrap_or((-INFINITY, INFINITY));
    tally.table.probes += 1;
    let known = lower > -INFINITY || upper < INFINITY;
    let ends = lower >= gamma || upper < gamma;
    if ends {
        // A visit of its own, through this window.
        node.observe(Event::Enter { alpha: gamma - 1, beta: gamma });
    }
    tally.table.hits += u64::from(known);
    if known {
        node.observe(Event::Hit { lower, upper });
    }
    if ends {
        let bound = if lower >= gamma { lower } else { upper };
        tally.table.cutoffs += 1;
        node.observe(Event::TableCut(bound));
        return Ok(bound);
    }
    let best = match expand(node, depth, (gamma - 1, gamma), tally) {
        Expansion::Leaf(value) => {
            return memory.keep(place, (value, value)).map(|()| value);
        }
        Expansion::Interior(moves) => {
            let mut best = -INFINITY;
            for m in moves {
                best = best.max(-mt(&node.child(m), depth - 1, 1 - gamma, memory, tally)?);
                if best >= gamma {
                    break;
                }
            }
            best
        }
    };
    tally.left(node, best, best >= gamma);
    let bounds = if best >= gamma { (best, upper) } else { (lower, best) };
    memory.keep(place, bounds).map(|()| best)
}
