//! The root: iterative deepening, aspiration, zero-window drivers, and the order of root moves (M 3.4).
//!
//! The root's moves are ranked once, by an extensive analysis if asked for, and never lose that rank: between
//! iterations the moves that raised alpha come first, by value, and all others fall back into the order of
//! the analysis. M found that ties must be broken that way "and not on the vagaries of a sorting algorithm".

use super::PLY;
use super::ordering::Hints;
use super::probcut::Fit;
use super::search::{At, Frame, Scheme, Search, Window};
use super::switches::{Lines, RootOrder, Switches};
use super::table::Table;
use crate::algorithms::Algorithm;
use crate::algorithms::aspiration::aspire;
use crate::algorithms::mtd::{drive, eppstein_loop};
use crate::algorithms::room::Full;
use crate::event::Event;
use crate::node::{INFINITY, Node, Value, provisional};
use crate::tally::Tally;
use crate::trees::synthetic::mix;
use cpu_time::ThreadTime;
use std::cmp::Reverse;
use std::time::Duration;

/// What a search found and what it cost.
#[derive(Clone, Debug)]
pub struct Outcome<M> {
    /// The root's value: exact for exact algorithms with safe switches.
    pub value: Value,
    /// The move that has it; none if the game is over.
    pub best: Option<M>,
    /// The continuation, as far as tables left it whole.
    pub line: Vec<M>,
    /// The root moves in their final order.
    pub order: Vec<M>,
    /// The work.
    pub tally: Tally,
    /// CPU time of the searching thread.
    pub time: Duration,
}

/// A root move and its place in the initial ranking.
#[derive(Clone, Copy, Debug)]
struct RootMove<M> {
    m: M,
    rank: usize,
    /// Its value, if it raised alpha in the last pass in which a move did.
    raised: Option<Value>,
}

/// Searches `node` to `depth` plies (at least 1). `fit` is needed where the switches ask for ProbCut. The
/// algorithm must be one that takes switches; the plain form runs where it is not.
pub fn run<N: Node>(node: &N, depth: u32, switches: &Switches, fit: Option<&Fit>) -> Outcome<N::Move> {
    run_within(node, depth, switches, fit, usize::MAX).expect("without a limit no search is full")
}

/// The same, but a textbook form whose memory grows with the tree gives up when it keeps more than `most`
/// nodes.
pub fn run_within<N: Node>(
    node: &N,
    depth: u32,
    switches: &Switches,
    fit: Option<&Fit>,
    most: usize,
) -> Result<Outcome<N::Move>, Full> {
    let scheme = Scheme::of(switches.algorithm).filter(|_| !switches.is_plain());
    let mut tally = Tally::default();
    let moves = ranked(node, switches.root, &mut tally);
    let (Some(scheme), false) = (scheme, moves.is_empty()) else {
        let watch = ThreadTime::now();
        let value = switches.algorithm.search_within(node, depth, most, &mut tally)?;
        let time = watch.elapsed();
        return Ok(Outcome { value, best: None, line: vec![], order: moves, tally, time });
    };
    let mut root = Root::new(node, (moves, tally), (switches, scheme), fit);
    // An empty table is made once in a program's life; it is the search that is timed.
    let watch = ThreadTime::now();
    let first = if switches.deepening { 1 } else { depth };
    let mut value = 0;
    for iteration in first..=depth {
        value = root.iterate(iteration);
        root.guess = value;
        root.resort();
    }
    let time = watch.elapsed();
    let Root { search, moves, line, .. } = root;
    Ok(Outcome {
        value,
        best: line.first().copied(),
        line,
        order: moves.into_iter().map(|root| root.m).collect(),
        tally: search.tally,
        time,
    })
}

/// Does E's MTD(f) loop as printed, which has no bounds and no guard, run on for more than `limit` passes in one of the
/// iterations to `depth` plies, all of them over the table of the switches? The algorithm must be one that takes
/// switches.
pub fn runs_on<N: Node>(node: &N, depth: u32, switches: &Switches, limit: u64) -> bool {
    let mut tally = Tally::default();
    let moves = ranked(node, switches.root, &mut tally);
    let Some(scheme) = Scheme::of(switches.algorithm).filter(|_| !moves.is_empty()) else { return false };
    let mut root = Root::new(node, (moves, tally), (switches, scheme), None);
    (1..=depth).any(|iteration| {
        let found =
            eppstein_loop(root.guess, limit, |alpha, beta| root.pass(iteration, Window { alpha, beta }));
        root.guess = found.unwrap_or(root.guess);
        root.resort();
        found.is_none()
    })
}

/// The root's moves in their first order; what is evaluated for it is counted.
fn ranked<N: Node>(node: &N, order: RootOrder, tally: &mut Tally) -> Vec<N::Move> {
    match order {
        RootOrder::Generated => node.moves(),
        RootOrder::Provisional => provisional(node),
        RootOrder::Analysis => {
            let mut moves = provisional(node);
            moves.sort_by_cached_key(|&m| Reverse(node.root_analysis(m, tally)));
            moves
        }
    }
}

struct Root<'a, N: Node> {
    node: &'a N,
    search: Search<'a, N>,
    moves: Vec<RootMove<N::Move>>,
    /// The best move and its continuation by the last pass in which a move raised alpha: one that fails low
    /// bounds all moves from above and says of none that it is the best.
    line: Vec<N::Move>,
    guess: Value,
}

impl<'a, N: Node> Root<'a, N> {
    /// A root of which nothing is known yet but its moves in their first order, and what it took to rank them.
    fn new(
        node: &'a N,
        (moves, mut tally): (Vec<N::Move>, Tally),
        (switches, scheme): (&'a Switches, Scheme),
        fit: Option<&'a Fit>,
    ) -> Self {
        let guess = tally.evaluate(node);
        let search = Search {
            switches,
            scheme,
            fit: fit.filter(|_| switches.probcut.is_some()),
            tally,
            table: switches.table.map(Table::new),
            hints: Hints::new::<N>(moves.len()),
            root_material: node.material(),
            iteration: 0,
            testing: false,
        };
        let ranked = moves.into_iter().enumerate().map(|(rank, m)| RootMove { m, rank, raised: None });
        Root { node, search, moves: ranked.collect(), line: Vec::new(), guess }
    }

    /// One complete search to `depth` plies.
    fn iterate(&mut self, depth: u32) -> Value {
        let switches = self.search.switches;
        match switches.algorithm {
            Algorithm::Mtd(driver) => {
                let guess = self.guess;
                let result = drive(driver, guess, |gamma| self.pass(depth, Window::zero_above(gamma - 1)));
                self.search.tally.guard += u64::from(result.guarded);
                result.value
            }
            _ => match switches.aspiration {
                Some(kind) => aspire(kind, self.guess, switches.margin, |alpha, beta| {
                    self.pass(depth, Window { alpha, beta })
                }),
                None => self.pass(depth, Window::OPEN),
            },
        }
    }

    /// One pass over the root moves.
    fn pass(&mut self, depth: u32, window: Window) -> Value {
        let search = &mut self.search;
        search.iteration = depth;
        search.tally.pass(self.node);
        self.node.observe(Event::Enter { alpha: window.alpha, beta: window.beta });
        search.tally.expanded(self.node);
        search.hints.begin(0);
        let best_rank = self.moves[0].rank;
        let mut frame = Frame::new(window);
        let mut raised = vec![None; self.moves.len()];
        for (root, raised) in self.moves.iter().zip(&mut raised) {
            let line_left = search.switches.follows(root.rank == best_rank);
            let depth = depth as i32 * PLY;
            let at = At { depth, ply: 0, root_move: root.rank, line_left, may_pass: false, reduced: false };
            let before = frame.alpha();
            let value = search.try_branch(self.node, at, root.m, &mut frame);
            search.hints.keep_refutation(root.rank);
            *raised = (value > before).then_some(value);
            if value >= window.beta {
                break;
            }
        }
        search.leave(self.node, &mut frame);
        let best = raised.iter().rposition(Option::is_some);
        if best.is_some() || self.line.is_empty() {
            self.line = search.hints.principal_variation().to_vec();
        }
        let hard = search.switches.fail_hard;
        if let Some(best) = best {
            self.moves.iter_mut().zip(raised).for_each(|(root, raised)| root.raised = raised);
            // A driver goes on from there; aspiration searches again in the order of the iteration (M fig. 3).
            if matches!(search.switches.algorithm, Algorithm::Mtd(_)) {
                self.moves[..=best].rotate_right(1);
            }
        }
        let clamped = frame.best.clamp(window.alpha, window.beta);
        if !hard || clamped == frame.best {
            return frame.best;
        }
        self.node.observe(Event::Returned(clamped));
        clamped
    }

    /// Between iterations: moves that raised alpha by value, all others by rank, or anyhow.
    fn resort(&mut self) {
        let (unstable, iteration) = (self.search.switches.unstable, u64::from(self.search.iteration));
        let place = |rank: u64| if unstable { mix(rank << 8 ^ iteration) } else { rank };
        let key =
            |root: &RootMove<N::Move>| (Reverse(root.raised.unwrap_or(-INFINITY)), place(root.rank as u64));
        self.moves.sort_by_key(key);
    }
}

impl Switches {
    /// How many plies of a root move's stored line are followed.
    fn follows(&self, best: bool) -> usize {
        match self.lines {
            _ if !self.deepening => 0,
            Lines::All => usize::MAX,
            _ if best => usize::MAX,
            Lines::Plies(plies) => plies as usize,
            Lines::Principal => 0,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::algorithms::minimax::negamax;
    use crate::enhanced::Contestant;
    use crate::trees::synthetic::{Kind, Spec};

    /// The fail-soft value of one pass through a window. The contestant must be one that takes switches.
    pub fn through_window<N: Node>(
        node: &N,
        depth: u32,
        switches: &Switches,
        fit: Option<&Fit>,
        window: Window,
    ) -> Value {
        let scheme = Scheme::of(switches.algorithm).unwrap();
        let mut tally = Tally::default();
        let moves = ranked(node, switches.root, &mut tally);
        Root::new(node, (moves, tally), (switches, scheme), fit).pass(depth, window)
    }

    /// One pass is enough only for a guess that is the value. True bounds never lead away from it, so the loop ends.
    #[test]
    fn a_loop_runs_on_where_its_passes_do_not_suffice() {
        let contestant: Contestant = "mtdf+id+trans=5000+two".parse().unwrap();
        for seed in 0..20 {
            let spec = Spec { kind: Kind::Uniform, width: 4, depth: 5, seed, correlation: 50 };
            let root = spec.root().unwrap();
            let guessed = root.evaluate() == negamax(&root, 1, &mut Tally::default());
            assert_eq!(runs_on(&root, 1, &contestant.switches, 1), !guessed, "{seed}");
            assert!(!runs_on(&root, 5, &contestant.switches, 1000), "{seed}");
        }
    }
}
