//! Processors that work at a shared part of the tree: take a branch, open it for all or search it alone, hand
//! in its value.

use super::pool::{Pool, Task};
use super::{Costs, Outcome, Scheme, SimulationError};
use crate::event::Event;
use crate::node::{INFINITY, Node, Value};
use crate::tally::{Expansion, Tally, expand};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use vtime::{Clock, Work, World};

/// Bytes of a processor's stack: a search of [`crate::trees::synthetic::MAX_DEPTH`] plies fits many times over.
const STACK: usize = 512 << 10;

/// What idle processors wait for.
const WORK: usize = 0;

/// What all processors can write to.
#[derive(Default)]
pub(super) struct Books {
    pub tally: RefCell<Tally>,
    pub finished_at: Cell<Option<u64>>,
    busy: Cell<u64>,
    hand_overs: Cell<u64>,
}

impl Books {
    /// Works for a while; what lies behind the end of the search is not counted.
    pub fn spend(&self, clock: &Clock<'_>, nanoseconds: u64) {
        let before = clock.now();
        clock.spend(nanoseconds);
        let counted =
            self.finished_at.get().map_or(nanoseconds, |end| nanoseconds.min(end.saturating_sub(before)));
        self.busy.set(self.busy.get() + counted);
    }

    /// The search is over, now.
    pub fn finish(&self, clock: &Clock<'_>) {
        if self.finished_at.get().is_none() {
            self.finished_at.set(Some(clock.now()));
        }
    }

    /// Everything in one.
    pub fn outcome(&self, value: Value) -> Outcome {
        Outcome {
            value,
            time: self.finished_at.get().unwrap_or_default(),
            busy: self.busy.get(),
            hand_overs: self.hand_overs.get(),
            tally: *self.tally.borrow(),
        }
    }
}

/// Runs simulated processors, each with its work, to their ends.
pub(super) fn simulate(works: Vec<Work>) -> Result<(), SimulationError> {
    simulate_on(STACK, works)
}

/// The same with stacks of so many bytes.
fn simulate_on(stack: usize, works: Vec<Work>) -> Result<(), SimulationError> {
    let processors = works.len();
    let ended = World::default().run(stack, works);
    ended.map(|_| ()).map_err(|error| SimulationError { processors, cause: error.to_string() })
}

/// Runs one of the schemes that share a part of the tree.
pub(super) fn search<N: Node + 'static>(
    scheme: Scheme,
    root: &N,
    depth: u32,
    processors: usize,
    costs: Costs,
) -> Result<Outcome, SimulationError> {
    let books = Rc::new(Books::default());
    let expansion = expand(root, depth, (-INFINITY, INFINITY), &mut books.tally.borrow_mut());
    if let Expansion::Leaf(value) = expansion {
        return Ok(Outcome { time: costs.node, busy: costs.node, ..books.outcome(value) });
    }
    let pool = Rc::new(RefCell::new(Pool::new(scheme, root, depth, processors, Rc::clone(&books))));
    let works = (0..processors).map(|_| {
        let (books, pool) = (Rc::clone(&books), Rc::clone(&pool));
        Box::new(move |clock: Clock<'_>| Processor { clock, costs, books: &books, pool: &pool }.work())
            as Work
    });
    simulate(works.collect())?;
    let value = pool.borrow().result().expect("the processors stop when the root is finished");
    Ok(books.outcome(value))
}

/// One processor.
struct Processor<'a, 'y, N: Node> {
    clock: Clock<'y>,
    costs: Costs,
    books: &'a Books,
    pool: &'a RefCell<Pool<N>>,
}

impl<N: Node> Processor<'_, '_, N> {
    fn work(&self) {
        let me = self.clock.worker();
        self.observe_root(self.turn());
        if me == 0 {
            self.spend(self.costs.node);
        }
        let mut last = 0;
        loop {
            let task = self.pool.borrow_mut().next(me, last);
            match task {
                Task::Over => {
                    // The last bound may have closed the root without another branch.
                    self.books.finish(&self.clock);
                    break;
                }
                Task::Wait => {
                    self.observe_root(Event::Wait);
                    self.clock.wait(WORK);
                    self.observe_root(self.turn());
                }
                Task::Branch(knot, index) => {
                    last = self.branch(knot, index).unwrap_or(knot);
                    self.clock.wake_all(WORK, 0, self.costs.wake);
                }
            }
            if self.pool.borrow().result().is_some() {
                self.books.finish(&self.clock);
            }
        }
    }

    /// Works for a while, during which others may have their turns.
    fn spend(&self, nanoseconds: u64) {
        self.books.spend(&self.clock, nanoseconds);
        self.observe_root(self.turn());
    }

    fn turn(&self) -> Event<N::Move> {
        Event::Turn { processor: self.clock.worker(), time: self.clock.now() }
    }

    fn observe_root(&self, event: Event<N::Move>) {
        self.pool.borrow().knots[0].node.observe(event);
    }

    /// Searches a branch, or opens it for all and returns its number.
    fn branch(&self, knot: usize, index: usize) -> Option<usize> {
        let me = self.clock.worker();
        let (child, height, foreign) = {
            let pool = self.pool.borrow();
            let parent = &pool.knots[knot];
            (parent.node.child(parent.moves[index]), parent.height - 1, parent.owner != me)
        };
        if foreign {
            child.observe(Event::HandOver);
            self.books.hand_overs.set(self.books.hand_overs.get() + 1);
            self.spend(self.costs.hand_over);
        }
        let opened = self.pool.borrow_mut().open(knot, index, &child, me);
        if opened.is_some() {
            child.observe(self.pool.borrow().entered(knot));
            self.books.tally.borrow_mut().expanded(&child);
            self.spend(self.costs.node);
            return opened;
        }
        let (alpha, beta) = self.pool.borrow().window(knot);
        let value = self.alone(&child, height, -beta, -alpha, knot);
        self.pool.borrow_mut().deliver(knot, index, value);
        None
    }

    /// Fail-soft alpha-beta, given up (`None`) as soon as the knot above has nothing to find out any more.
    fn alone(&self, node: &N, depth: u32, alpha: Value, beta: Value, knot: usize) -> Option<Value> {
        if !self.pool.borrow().is_alive(knot) {
            node.observe(Event::Void);
            return None;
        }
        let expansion = expand(node, depth, (alpha, beta), &mut self.books.tally.borrow_mut());
        self.spend(self.costs.node);
        let moves = match expansion {
            Expansion::Leaf(value) => return Some(value),
            Expansion::Interior(moves) => moves,
        };
        let mut best = -INFINITY;
        for m in moves {
            let below = self.alone(&node.child(m), depth - 1, -beta, -alpha.max(best), knot)?;
            best = best.max(-below);
            if best >= beta {
                break;
            }
        }
        self.books.tally.borrow_mut().left(node, best, best >= beta);
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No address space has room for such a stack.
    #[test]
    fn processors_that_cannot_be_had_are_an_error() {
        let works = || (0..3).map(|_| Box::new(|_: Clock<'_>| ()) as Work).collect::<Vec<_>>();
        let refused = simulate_on(usize::MAX / 8, works()).unwrap_err();
        assert_eq!(refused.processors, 3);
        let said = refused.to_string();
        assert!(said.starts_with("3 simulated processors") && said.contains("no memory"), "{said}");
        assert_eq!(simulate(works()), Ok(()));
    }
}
