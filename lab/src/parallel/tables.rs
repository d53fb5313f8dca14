//! Searches that share a transposition table and nothing else: ABDADA and lazy.
//!
//! Every processor searches the whole tree from the root. What one has finished the others find in the table;
//! the art is to be at different places at the same time. ABDADA counts in each entry who is searching the
//! position: a younger brother that is being searched is deferred until the others are done. Lazy does
//! without, and lets each processor try the younger brothers in an order of its own. The search is over when
//! the first processor has the root's value.
//!
//! An entry counts at its own height only, so that the value found is the minimax value.

use super::machine::{Books, simulate};
use super::{Costs, Outcome, Scheme, SimulationError};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, expand};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use vtime::{Clock, Work};

/// What is known of a position at a height: bounds of its value, and how many are at it.
#[derive(Clone, Copy)]
struct Entry {
    low: Value,
    high: Value,
    searchers: u32,
}

const UNKNOWN: Entry = Entry { low: -INFINITY, high: INFINITY, searchers: 0 };

impl Entry {
    /// Has a search of the position ended and left a bound?
    fn is_known(self) -> bool {
        self.low > -INFINITY || self.high < INFINITY
    }
}

type Table = HashMap<(u64, u32), Entry>;

/// Why a search of a branch came back without a value.
enum NoValue {
    /// Somebody has the root's value.
    Over,
    /// Another processor is at this position.
    Busy,
}

/// Runs a scheme that lives by the table.
pub(super) fn search<N: Node + 'static>(
    scheme: Scheme,
    root: &N,
    depth: u32,
    processors: usize,
    costs: Costs,
) -> Result<Outcome, SimulationError> {
    let books = Rc::new(Books::default());
    let table = Rc::new(RefCell::new(Table::new()));
    let result = Rc::new(RefCell::new(None));
    let works = (0..processors).map(|_| {
        let (books, table, result, root) =
            (Rc::clone(&books), Rc::clone(&table), Rc::clone(&result), root.clone());
        Box::new(move |clock: Clock<'_>| {
            let processor =
                Processor { clock, costs, marks: scheme == Scheme::Abdada, books: &books, table: &table };
            root.observe(processor.turn::<N>());
            if let Ok(value) = processor.value(&root, depth, -INFINITY, INFINITY, false) {
                if books.finished_at.get().is_none() {
                    *result.borrow_mut() = Some(value);
                }
                books.finish(&clock);
            }
        }) as Work
    });
    simulate(works.collect())?;
    let value = result.borrow().expect("a processor stops early only when another has the value");
    Ok(books.outcome(value))
}

struct Processor<'a, 'y> {
    clock: Clock<'y>,
    costs: Costs,
    marks: bool,
    books: &'a Books,
    table: &'a RefCell<Table>,
}

impl Processor<'_, '_> {
    /// Fail-soft alpha-beta with the table. `exclusive`: not if another processor is at it.
    fn value<N: Node>(
        &self,
        node: &N,
        depth: u32,
        alpha: Value,
        beta: Value,
        exclusive: bool,
    ) -> Result<Value, NoValue> {
        if self.books.finished_at.get().is_some() {
            node.observe(Event::Void);
            return Err(NoValue::Over);
        }
        let place = (node.key(), depth);
        if depth > 0 {
            self.spend(node, self.costs.probe);
            let mut table = self.table.borrow_mut();
            let entry = table.entry(place).or_insert(UNKNOWN);
            let &mut Entry { low, high, .. } = entry;
            let ends = low >= beta || low == high || high <= alpha;
            self.found(node, *entry, ends.then_some((alpha, beta)));
            if ends {
                let known = if high <= alpha && low < high { high } else { low };
                node.observe(Event::TableCut(known));
                return Ok(known);
            }
            if exclusive && self.marks && entry.searchers > 0 {
                node.observe(Event::Deferred);
                return Err(NoValue::Busy);
            }
            entry.searchers += 1;
        }
        let expansion = expand(node, depth, (alpha, beta), &mut self.books.tally.borrow_mut());
        self.spend(node, self.costs.node);
        let found = match expansion {
            Expansion::Leaf(value) => Ok((value, value, value)),
            Expansion::Interior(moves) => self.branches(node, moves, depth, alpha, beta),
        };
        if depth > 0 {
            let mut table = self.table.borrow_mut();
            let entry = table.get_mut(&place).expect("it was entered above, and nothing is ever removed");
            entry.searchers -= 1;
            if let Ok((_, low, high)) = found {
                (entry.low, entry.high) = (entry.low.max(low), entry.high.min(high));
            }
        }
        found.map(|(value, ..)| value)
    }

    /// Counts a look into the table, and what was found there. Where it ends the node, that is a visit of its own,
    /// through this window.
    fn found<N: Node>(&self, node: &N, entry: Entry, ended: Option<(Value, Value)>) {
        let mut tally = self.books.tally.borrow_mut();
        let table = &mut tally.table;
        table.probes += 1;
        table.cutoffs += u64::from(ended.is_some());
        if let Some((alpha, beta)) = ended {
            node.observe(Event::Enter { alpha, beta });
        }
        if entry.is_known() {
            table.hits += 1;
            node.observe(Event::Hit { lower: entry.low, upper: entry.high });
        }
    }

    /// Works for a while, during which others may have their turns.
    fn spend<N: Node>(&self, node: &N, nanoseconds: u64) {
        self.books.spend(&self.clock, nanoseconds);
        node.observe(self.turn::<N>());
    }

    fn turn<N: Node>(&self) -> Event<N::Move> {
        Event::Turn { processor: self.clock.worker(), time: self.clock.now() }
    }

    /// All branches: the value, and the bounds it proves.
    fn branches<N: Node>(
        &self,
        node: &N,
        mut moves: Vec<N::Move>,
        depth: u32,
        alpha: Value,
        beta: Value,
    ) -> Result<(Value, Value, Value), NoValue> {
        let me = self.clock.worker() as u64;
        if !self.marks && me > 0 {
            // The eldest stays; the younger brothers come in an order of this processor's own.
            moves[1..]
                .sort_by_cached_key(|&m| scatter(node.key() ^ me.rotate_left(32) ^ node.move_code(m) as u64));
        }
        let mut best = -INFINITY;
        let mut put_off = Vec::new();
        let count = moves.len();
        let mut turn = 0;
        while turn < count + put_off.len() {
            let (m, exclusive) =
                if turn < count { (moves[turn], turn > 0) } else { (put_off[turn - count], false) };
            turn += 1;
            match self.value(&node.child(m), depth - 1, -beta, -alpha.max(best), exclusive) {
                Ok(value) => best = best.max(-value),
                Err(NoValue::Busy) => put_off.push(m),
                Err(NoValue::Over) => return Err(NoValue::Over),
            }
            if best >= beta {
                self.books.tally.borrow_mut().left(node, best, true);
                return Ok((best, best, INFINITY));
            }
        }
        self.books.tally.borrow_mut().left(node, best, false);
        Ok((best, if best > alpha { best } else { -INFINITY }, best))
    }
}

/// Spreads keys evenly (Sebastiano Vigna's finisher of splitmix64).
fn scatter(key: u64) -> u64 {
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}
