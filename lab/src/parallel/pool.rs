//! The part of the tree that processors share: nodes with their branches, and which branch may be started
//! next.
//!
//! A [`Knot`] is an interior node that several processors may work at. Its window is never stored: it follows
//! from the best values of the knots above it, so that a bound found anywhere is at once a bound everywhere
//! below. A knot is finished when all its branches are, or when its window has closed; a worker that is still
//! searching below it finds that out at the next node and gives up.
//!
//! Which branch may be started is the scheme's rule ([`Pool::offer`]); which of those a processor takes is
//! the order of the list of free branches, or, in tree splitting, the processor's own place
//! ([`Pool::place`]).

use super::Scheme;
use super::machine::Books;
use crate::event::Event;
use crate::node::{INFINITY, Node, Value, provisional};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Below this height a subtree is searched by one processor.
const GRAIN: u32 = 2;

/// Knuth and Moore's types of the nodes of the minimal tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// On the principal variation.
    One,
    /// One branch is expected to be enough.
    Two,
    /// All branches are needed.
    Three,
}

impl Type {
    /// The type of a branch.
    fn of_branch(self, index: usize) -> Self {
        match (self, index) {
            (Type::One, 0) => Type::One,
            (Type::One | Type::Three, _) => Type::Two,
            (Type::Two, _) => Type::Three,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    Open,
    Running,
    Done,
}

/// An interior node that processors share.
pub(super) struct Knot<N: Node> {
    /// The position.
    pub node: N,
    /// Its branches, best first.
    pub moves: Vec<N::Move>,
    /// Plies to the horizon.
    pub height: u32,
    /// The processor that opened it.
    pub owner: usize,
    kind: Type,
    above: Option<(usize, usize)>,
    path: Vec<u16>,
    branches: Vec<Branch>,
    best: Value,
    finished: bool,
    /// Tree splitting: whose it is, and which branch and knot each half of them is at.
    group: Range<usize>,
    halves: [Option<usize>; 2],
    below: Vec<Option<usize>>,
}

/// What a processor is told to do.
pub(super) enum Task {
    /// Search this branch of this knot.
    Branch(usize, usize),
    /// Nothing is free.
    Wait,
    /// The root is finished.
    Over,
}

/// Where a free branch stands in the list: what is more urgent is smaller.
type Place = (u32, Vec<u16>);

/// Whose a knot is: the processor that opened it, and (tree splitting) those that share it.
struct Crew {
    owner: usize,
    group: Range<usize>,
}

/// The shared part of the tree.
pub(super) struct Pool<N: Node> {
    scheme: Scheme,
    books: Rc<Books>,
    pub(super) knots: Vec<Knot<N>>,
    free: BTreeMap<Place, (usize, usize)>,
    /// Mandatory work first: knots that wait for a bound, by their path.
    stalled: BTreeMap<Vec<u16>, usize>,
}

impl<N: Node> Pool<N> {
    /// Only the root, whose moves must not be empty. How knots are left is written into `books`.
    pub fn new(scheme: Scheme, root: &N, height: u32, processors: usize, books: Rc<Books>) -> Self {
        let (knots, free, stalled) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let mut pool = Self { scheme, books, knots, free, stalled };
        pool.add(root.clone(), height, None, Type::One, Crew { owner: 0, group: 0..processors });
        pool
    }

    fn add(
        &mut self,
        node: N,
        height: u32,
        above: Option<(usize, usize)>,
        kind: Type,
        Crew { owner, group }: Crew,
    ) -> usize {
        let moves = provisional(&node);
        let number = self.knots.len();
        let mut path = above.map_or_else(Vec::new, |(parent, _)| self.knots[parent].path.clone());
        path.extend(above.map(|(_, index)| index as u16));
        let (branches, below) = (vec![Branch::Open; moves.len()], vec![None; moves.len()]);
        let (best, finished, halves) = (-INFINITY, false, [None; 2]);
        let knot = Knot {
            node,
            moves,
            height,
            owner,
            kind,
            above,
            path,
            branches,
            best,
            finished,
            group,
            halves,
            below,
        };
        self.knots.push(knot);
        if let Some((parent, index)) = above {
            self.knots[parent].below[index] = Some(number);
        }
        self.offer(number);
        number
    }

    /// The branch's node as a knot of its own if the scheme shares such nodes, opened by `processor`.
    pub fn open(&mut self, knot: usize, index: usize, child: &N, processor: usize) -> Option<usize> {
        let parent = &self.knots[knot];
        let height = parent.height - 1;
        let kind = parent.kind.of_branch(index);
        let group = self.half(knot, processor);
        let shares = match self.scheme {
            Scheme::TreeSplitting => height >= GRAIN && group.len() > 1,
            // A node of type 2 must stop after its first branch, however low it is.
            Scheme::MandatoryFirst => height >= if kind == Type::Two { 1 } else { GRAIN },
            Scheme::PvSplitting => height >= GRAIN && kind == Type::One,
            _ => height >= GRAIN,
        };
        (shares && !child.moves().is_empty()).then(|| {
            self.add(child.clone(), height, Some((knot, index)), kind, Crew { owner: processor, group })
        })
    }

    /// The half of a knot's processors that `processor` is in.
    fn half(&self, knot: usize, processor: usize) -> Range<usize> {
        let group = &self.knots[knot].group;
        let middle = usize::midpoint(group.start, group.end);
        if processor < middle { group.start..middle } else { middle..group.end }
    }

    /// Which half that is.
    fn side(&self, knot: usize, processor: usize) -> usize {
        usize::from(self.half(knot, processor).start != self.knots[knot].group.start)
    }

    /// Alpha and beta at a knot.
    pub fn window(&self, knot: usize) -> (Value, Value) {
        let Knot { best, above, .. } = self.knots[knot];
        let Some((parent, _)) = above else { return (best, INFINITY) };
        let (alpha, beta) = self.window(parent);
        (best.max(-beta), -alpha)
    }

    /// What those that watch hear of a branch of this knot that becomes a knot itself.
    pub fn entered(&self, knot: usize) -> Event<N::Move> {
        let (alpha, beta) = self.window(knot);
        Event::Enter { alpha: -beta, beta: -alpha }
    }

    /// Is there still something to find out at a knot?
    pub fn is_alive(&self, knot: usize) -> bool {
        let mut at = Some(knot);
        while let Some(number) = at {
            let knot = &self.knots[number];
            if knot.finished {
                return false;
            }
            at = knot.above.map(|(parent, _)| parent);
        }
        let (alpha, beta) = self.window(knot);
        alpha < beta
    }

    /// The root's value, once it is finished.
    pub fn result(&self) -> Option<Value> {
        self.knots[0].finished.then_some(self.knots[0].best)
    }

    /// What `processor` shall do, which was last at the knot `last`.
    pub fn next(&mut self, processor: usize, last: usize) -> Task {
        loop {
            if self.result().is_some() {
                return Task::Over;
            }
            let found = match self.scheme {
                Scheme::TreeSplitting => self.place(processor),
                _ => self.take(last),
            };
            let Some((knot, index)) = found else { return Task::Wait };
            if self.is_alive(knot) {
                self.knots[knot].branches[index] = Branch::Running;
                let side = self.side(knot, processor);
                self.knots[knot].halves[side] = Some(index);
                return Task::Branch(knot, index);
            }
            self.close(knot);
        }
    }

    /// The most urgent free branch; in Young Brothers Wait one of the knots on the way up from the last
    /// before all others.
    fn take(&mut self, last: usize) -> Option<(usize, usize)> {
        let mut at = (self.scheme == Scheme::YoungBrothers).then_some(last);
        while let Some(number) = at {
            let knot = &self.knots[number];
            let place = (knot.path.len() as u32, knot.path.clone());
            let own = self.free.range(place..).next().filter(|(_, branch)| branch.0 == number);
            if let Some(place) = own.map(|(place, _)| place.clone()) {
                return self.free.remove(&place);
            }
            at = knot.above.map(|(parent, _)| parent);
        }
        self.free.pop_first().map(|(_, branch)| branch)
    }

    /// Tree splitting: the next branch for this processor's place in the tree of processors.
    fn place(&self, processor: usize) -> Option<(usize, usize)> {
        let mut at = 0;
        loop {
            let knot = &self.knots[at];
            if !self.is_alive(at) {
                return Some((at, 0));
            }
            match knot.halves[self.side(at, processor)]
                .filter(|&index| knot.branches[index] == Branch::Running)
            {
                Some(index) => at = knot.below[index]?,
                None => {
                    let open = knot.branches.iter().position(|&branch| branch == Branch::Open)?;
                    return Some((at, open));
                }
            }
        }
    }

    /// Puts the branches of a knot that may be started now on the list of free ones.
    fn offer(&mut self, number: usize) {
        let knot = &self.knots[number];
        let first = knot.branches.iter().position(|&branch| branch == Branch::Open);
        let (Some(first), false) = (first, knot.finished) else { return };
        let eldest_done = knot.branches[0] == Branch::Done;
        let all = first..knot.moves.len();
        let free = match (self.scheme, knot.kind) {
            (Scheme::TreeSplitting, _) => return,
            (Scheme::MandatoryFirst, Type::One | Type::Three) => all,
            (Scheme::MandatoryFirst, Type::Two) => {
                if first > 0 && self.window(number).1 == INFINITY {
                    self.stalled.insert(knot.path.clone(), number);
                    return;
                }
                let running = knot.branches.contains(&Branch::Running);
                first..if running { first } else { first + 1 }
            }
            _ if eldest_done => all,
            _ => first..if first == 0 { 1 } else { first },
        };
        for index in free {
            let knot = &self.knots[number];
            if knot.branches[index] != Branch::Open {
                continue;
            }
            let mandatory = knot.kind != Type::Two || index == 0;
            let urgency = match self.scheme {
                Scheme::MandatoryFirst => u32::from(!mandatory),
                Scheme::YoungBrothers => knot.path.len() as u32,
                _ => 0,
            };
            let mut path = knot.path.clone();
            path.push(index as u16);
            self.free.insert((urgency, path), (number, index));
        }
    }

    /// Takes in the value of a branch (`None`: the search was given up, because something above it is
    /// finished).
    pub fn deliver(&mut self, knot: usize, index: usize, value: Option<Value>) {
        if self.knots[knot].finished {
            return;
        }
        let Some(value) = value else { return self.close(knot) };
        self.knots[knot].branches[index] = Branch::Done;
        let first_bound = self.knots[knot].best == -INFINITY;
        self.knots[knot].best = self.knots[knot].best.max(-value);
        if self.knots[knot].branches.iter().all(|&branch| branch == Branch::Done) {
            self.finish(knot);
        } else if self.is_alive(knot) {
            self.offer(knot);
        } else {
            self.close(knot);
        }
        if first_bound {
            self.wake_stalled(knot);
        }
    }

    /// Knots below this one may have been waiting for its first bound.
    fn wake_stalled(&mut self, knot: usize) {
        let path = self.knots[knot].path.clone();
        let below: Vec<Vec<u16>> = self
            .stalled
            .range(path.clone()..)
            .map(|(stalled, _)| stalled.clone())
            .take_while(|stalled| stalled.starts_with(&path))
            .collect();
        for path in below {
            if let Some(number) = self.stalled.remove(&path) {
                if self.is_alive(number) {
                    self.offer(number);
                } else {
                    self.close(number);
                }
            }
        }
    }

    /// Finishes the highest knot on the way from `knot` to the root whose window has closed.
    fn close(&mut self, knot: usize) {
        let mut closed = None;
        let mut at = Some(knot);
        while let Some(number) = at {
            let (alpha, beta) = self.window(number);
            if self.knots[number].finished {
                closed = None;
            } else if alpha >= beta {
                closed = Some(number);
            }
            at = self.knots[number].above.map(|(parent, _)| parent);
        }
        if let Some(number) = closed {
            self.finish(number);
        }
    }

    /// Leaves a knot, by a cut-off where what it is worth has closed its window.
    fn finish(&mut self, number: usize) {
        let beta = self.window(number).1;
        let knot = &mut self.knots[number];
        knot.finished = true;
        self.books.tally.borrow_mut().left(&knot.node, knot.best, knot.best >= beta);
        knot.moves = Vec::new();
        if let Some((parent, index)) = knot.above {
            let value = knot.best;
            self.deliver(parent, index, Some(value));
        }
    }
}
