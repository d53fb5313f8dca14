//! Trees by description: what a command line says, turned into roots of one kind.
//!
//! Everything a user can get wrong is refused here with a sentence that lists the choices: unknown kinds,
//! width 0, depths no search would come back from, and best-first searches whose open list no memory would
//! hold.

use super::contest::{Comparison, Idle, Threads, compare, fit_for, mean_width};
use super::scaling::{Scaling, scaling};
use super::{GivenUp, Watch};
use crate::algorithms::Algorithm;
use crate::algorithms::alpha_beta::fail_soft;
use crate::algorithms::b_star::b_star;
use crate::algorithms::best_move::mtd_best;
use crate::algorithms::proof_number::{df_pn, proof_number};
use crate::algorithms::room::{Full, MAX_KEPT, Room};
use crate::enhanced::{Contestant, run_within};
use crate::node::{Node, Value, provisional};
use crate::parallel::{Scheme, SimulationError};
use crate::show::{Board, Searcher, ShowError, Shown, record};
use crate::tally::{Tally, minimal_tree};
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::{ColumnError, ConnectFour};
use crate::trees::drawn::{Drawn, DrawnError, MARSLAND_FIGURE_2};
use crate::trees::positions::{bratko_kopec_roots, random_walks};
use crate::trees::synthetic::{Kind, MAX_DEPTH, Spec, SpecError, Synthetic};
use chess::Position;
use serde::Serialize;

/// What to grow. What is not given has a default that depends on the kind of tree; what is given and means
/// nothing to that kind is refused.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `chess`, `connect4`, `drawn`, or a synthetic kind.
    pub tree: String,
    /// Branches at a node (synthetic trees); else 5.
    pub width: Option<u32>,
    /// Plies to search; synthetic trees are that deep. Else as deep as a drawn tree is, and 4 in others.
    pub depth: Option<u32>,
    /// The first seed (synthetic trees, connect four); else 1.
    pub seed: Option<u64>,
    /// How many trees; else 24, or one's own.
    pub count: Option<usize>,
    /// Percent (synthetic trees but independent ones); else 50.
    pub correlation: Option<u8>,
    /// A FEN, the columns played, or a drawn tree.
    pub position: Option<String>,
}

/// Trees of one kind, and how deep they are to be searched.
#[derive(Clone, Debug)]
pub struct Grove {
    /// What it is, in words.
    pub description: String,
    /// Plies to search.
    pub depth: u32,
    roots: Roots,
}

/// Roots of one kind.
#[derive(Clone, Debug)]
enum Roots {
    /// Trees made of numbers.
    Synthetic(Vec<Synthetic>),
    /// Connect four.
    ConnectFour(Vec<ConnectFour>),
    /// Chess.
    Chess(Vec<ChessGame>),
    /// Drawn by hand.
    Drawn(Vec<Drawn>),
}

/// Why there are no such trees, or no searching them.
#[derive(Debug, thiserror::Error)]
pub enum GroveError {
    /// An unknown kind.
    #[error(
        "no tree is called {0:?}; there are chess, connect4, drawn, uniform, independent, random, ordered, \
         ordered:PERCENT, reversed, transposing"
    )]
    Tree(String),
    /// A synthetic tree out of range.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A bad chess position.
    #[error(transparent)]
    Fen(#[from] chess::FenError),
    /// A bad connect-four game.
    #[error(transparent)]
    Columns(#[from] ColumnError),
    /// A bad drawing.
    #[error(transparent)]
    Drawing(#[from] DrawnError),
    /// The game is over at the root.
    #[error("the game is over in that position: there is nothing to search")]
    Over,
    /// No trees.
    #[error("0 trees: ask for at least one")]
    Count,
    /// More trees than memory should hold.
    #[error("{0} trees: at most {MAX_TREES}")]
    Trees(usize),
    /// More chess positions than there are.
    #[error("{0} chess positions: there are {1} of Bratko and Kopec")]
    Positions(usize, usize),
    /// An option that means nothing here.
    #[error("{option} means nothing for {trees}")]
    Meaningless {
        /// The option.
        option: &'static str,
        /// What was asked for with it.
        trees: &'static str,
    },
    /// Depth out of range.
    #[error("depth {0}: searches here go from 1 to {MAX_DEPTH} plies")]
    Depth(u32),
    /// Deeper than a drawing: its minimal tree would be reckoned for plies that are not there.
    #[error(
        "depth {depth}: the drawn tree ends after {height} {plies}",
        plies = if *height == 1 { "ply" } else { "plies" }
    )]
    Drawn {
        /// Plies to search.
        depth: u32,
        /// Plies of the drawing.
        height: u32,
    },
    /// More than a search could visit.
    #[error(
        "{tree} of {width:.0} branches and {depth} plies has {leaves:.0e} leaves: at most {MAX_LEAVES:.0e} \
         are searched"
    )]
    Time {
        /// Which tree.
        tree: &'static str,
        /// Mean branching factor.
        width: f64,
        /// Plies.
        depth: u32,
        /// Leaves.
        leaves: f64,
    },
    /// A contestant's ProbCut could do nothing.
    #[error(transparent)]
    Idle(#[from] Idle),
    /// More than a page shows.
    #[error(transparent)]
    Show(#[from] ShowError),
    /// More nodes are to be expected than memory holds.
    #[error(
        "{name} keeps every node it visits, about {nodes:.0e} for {depth} plies here: memory is kept to \
         {MAX_NODES:.0e}. Choose a smaller depth, or mtdf+trans=ENTRIES"
    )]
    Memory {
        /// The algorithm.
        name: &'static str,
        /// How many.
        nodes: f64,
        /// Plies.
        depth: u32,
    },
    /// More nodes are to be expected in the part of a tree that processors share than memory holds.
    #[error(
        "{name} keeps what its processors share, about {nodes:.0e} nodes for {depth} plies here: memory is \
         kept to {MAX_NODES:.0e}. Choose a smaller depth, or pv-splitting, which shares one line"
    )]
    Shared {
        /// The scheme.
        name: &'static str,
        /// How many.
        nodes: f64,
        /// Plies.
        depth: u32,
    },
    /// The system does not let so many processors be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// Leaves of a minimal tree beyond which nothing is started.
pub const MAX_LEAVES: f64 = 1e11;

/// Trees of one study.
pub const MAX_TREES: usize = 1_000_000;

/// Nodes that an algorithm with unbounded memory may be expected to keep. It is held to them, too.
pub const MAX_NODES: f64 = MAX_KEPT as f64;

/// Leaves of a minimal tree, or of the whole one for minimax, beyond which a search is not tried for a page.
const SHOWN_LEAVES: f64 = 1e6;

/// Plies where nothing is said.
const DEPTH: u32 = 4;

/// Trees where nothing is said.
const COUNT: usize = 24;

impl Grove {
    /// Grows what is asked for.
    pub fn grow(request: &Request) -> Result<Self, GroveError> {
        request.check()?;
        let text = request.position.as_deref();
        let (count, seed) = (request.count.unwrap_or(COUNT), request.seed.unwrap_or(1));
        let mut depth = request.depth.unwrap_or(DEPTH);
        let mut description = request.tree.clone();
        let roots = match request.tree.as_str() {
            "chess" => Roots::Chess(match text {
                Some(fen) => vec![ChessGame::new(Position::from_fen(fen)?)],
                None => {
                    description = "chess (Bratko-Kopec)".into();
                    bratko_kopec_positions(count)?
                }
            }),
            "connect4" => Roots::ConnectFour(match text {
                Some(columns) => vec![columns.parse()?],
                None => random_walks(&ConnectFour::start(), 20, count, seed),
            }),
            "drawn" => {
                let root: Drawn = text.unwrap_or(MARSLAND_FIGURE_2).parse()?;
                let height = root.height();
                depth = request.depth.unwrap_or(height).max(1);
                if depth > height.max(1) {
                    return Err(GroveError::Drawn { depth, height });
                }
                Roots::Drawn(vec![root])
            }
            kind => {
                let unknown = |error| match error {
                    SpecError::Kind(name) => GroveError::Tree(name),
                    other => other.into(),
                };
                let kind: Kind = kind.parse().map_err(unknown)?;
                let (width, correlation) = (request.width.unwrap_or(5), request.correlation.unwrap_or(50));
                let spec = |i| Spec { kind, width, depth, seed: seed.wrapping_add(i), correlation };
                let roots: Result<_, SpecError> = (0..count as u64).map(|i| spec(i).root()).collect();
                let values = match kind {
                    Kind::Independent => "independent values".to_owned(),
                    _ => format!("correlation {correlation} %"),
                };
                description = format!("{kind} (width {width}, {values}, seed {seed})");
                Roots::Synthetic(roots?)
            }
        };
        if roots.is_over() { Err(GroveError::Over) } else { Ok(Grove { description, depth, roots }) }
    }

    /// Runs all contestants on all trees.
    pub fn compare(
        &self,
        contestants: &[Contestant],
        threads: Threads,
        watch: &mut Watch<'_>,
    ) -> Result<Comparison, GroveError> {
        match &self.roots {
            Roots::Synthetic(roots) => self.compare_checked(roots, contestants, threads, watch),
            Roots::ConnectFour(roots) => self.compare_checked(roots, contestants, threads, watch),
            Roots::Chess(roots) => self.compare_checked(roots, contestants, threads, watch),
            Roots::Drawn(roots) => self.compare_checked(roots, contestants, threads, watch),
        }
    }

    /// Records searches of the first tree, for the visible tree.
    pub fn show(&self, searchers: &[Searcher], processors: u32) -> Result<Shown, GroveError> {
        match &self.roots {
            Roots::Synthetic(roots) => self.show_checked(roots, searchers, processors),
            Roots::ConnectFour(roots) => self.show_checked(roots, searchers, processors),
            Roots::Chess(roots) => self.show_checked(roots, searchers, processors),
            Roots::Drawn(roots) => self.show_checked(roots, searchers, processors),
        }
    }

    /// Runs parallel schemes on all trees.
    pub fn scale(
        &self,
        schemes: &[Scheme],
        processors: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<Scaling, GroveError> {
        match &self.roots {
            Roots::Synthetic(roots) => self.scale_checked(roots, schemes, processors, watch),
            Roots::ConnectFour(roots) => self.scale_checked(roots, schemes, processors, watch),
            Roots::Chess(roots) => self.scale_checked(roots, schemes, processors, watch),
            Roots::Drawn(roots) => self.scale_checked(roots, schemes, processors, watch),
        }
    }

    /// One contestant, tree by tree.
    pub fn solve(&self, contestant: &Contestant, watch: &mut Watch<'_>) -> Result<Solutions, GroveError> {
        match &self.roots {
            Roots::Synthetic(roots) => solve(roots, self.depth, contestant, MAX_KEPT, watch),
            Roots::ConnectFour(roots) => solve(roots, self.depth, contestant, MAX_KEPT, watch),
            Roots::Chess(roots) => solve(roots, self.depth, contestant, MAX_KEPT, watch),
            Roots::Drawn(roots) => solve(roots, self.depth, contestant, MAX_KEPT, watch),
        }
    }

    fn compare_checked<N: Node>(
        &self,
        roots: &[N],
        contestants: &[Contestant],
        threads: Threads,
        watch: &mut Watch<'_>,
    ) -> Result<Comparison, GroveError> {
        check(roots, self.depth, contestants)?;
        // All before the first search: what is refused costs none of the others.
        let fitted = contestants.iter().map(|one| fit_for(roots, self.depth, one).map(|fit| (one, fit)));
        let fitted = fitted.collect::<Result<Vec<_>, Idle>>()?;
        let trees = self.description.clone();
        Ok(compare(roots, self.depth, &fitted, (threads, MAX_KEPT), trees, watch))
    }

    fn show_checked<N: Node + Board + 'static>(
        &self,
        roots: &[N],
        searchers: &[Searcher],
        processors: u32,
    ) -> Result<Shown, GroveError> {
        let width = mean_width(&roots[..1], self.depth);
        for searcher in searchers {
            let algorithm = match searcher {
                Searcher::Serial(contestant) => Some(contestant.switches.algorithm),
                Searcher::Parallel(_) => None,
            };
            if algorithm.is_some_and(is_unforeseen) {
                continue;
            }
            let full = matches!(algorithm, Some(Algorithm::Minimax | Algorithm::Negamax));
            let leaves =
                if full { width.powf(f64::from(self.depth)) } else { minimal_tree(width, self.depth) };
            // The rest is found out by trying; what is far beyond the limit is not tried.
            if leaves > SHOWN_LEAVES {
                let name = match searcher {
                    Searcher::Serial(contestant) => contestant.text.clone(),
                    Searcher::Parallel(scheme) => scheme.name().to_owned(),
                };
                return Err(ShowError::Nodes { name }.into());
            }
        }
        Ok(record(&roots[0], self.depth, self.description.clone(), searchers, processors)?)
    }

    fn scale_checked<N: Node + 'static>(
        &self,
        roots: &[N],
        schemes: &[Scheme],
        processors: &[usize],
        watch: &mut Watch<'_>,
    ) -> Result<Scaling, GroveError> {
        let (depth, leaves) = (self.depth, least_leaves(roots, self.depth));
        if leaves > MAX_LEAVES {
            let width = mean_width(roots, depth);
            return Err(GroveError::Time { tree: "even the minimal tree", width, depth, leaves });
        }
        let most = processors.iter().copied().max().unwrap_or(1);
        for scheme in schemes {
            let nodes = shared(*scheme, roots, depth, most);
            if nodes > MAX_NODES {
                return Err(GroveError::Shared { name: scheme.name(), nodes, depth });
            }
        }
        Ok(scaling(roots, depth, schemes, processors, self.description.clone(), watch)?)
    }
}

impl Request {
    /// The same, for one tree: the first of its kind.
    pub fn alone(self) -> Self {
        let many = self.position.is_none() && self.tree != "drawn";
        Self { count: many.then_some(1), ..self }
    }

    /// Refuses depths and counts out of range, and options that the kind of tree has no use for.
    fn check(&self) -> Result<(), GroveError> {
        if let Some(depth) = self.depth.filter(|depth| !(1..=MAX_DEPTH).contains(depth)) {
            return Err(GroveError::Depth(depth));
        }
        match self.count {
            Some(0) => return Err(GroveError::Count),
            Some(count) if count > MAX_TREES && self.tree != "chess" => return Err(GroveError::Trees(count)),
            _ => {}
        }
        let kind = match self.tree.as_str() {
            "chess" => "chess",
            "connect4" => "connect four",
            "drawn" => "a drawn tree",
            "independent" => "independent trees",
            _ => "synthetic trees",
        };
        let independent = kind == "independent trees";
        let synthetic = independent || kind == "synthetic trees";
        let one = self.position.is_some() || kind == "a drawn tree";
        let trees = if one && !synthetic { "one tree of your own" } else { kind };
        let meaningless = [
            ("--width", self.width.is_some() && !synthetic),
            ("--correlation", self.correlation.is_some() && (independent || !synthetic)),
            ("--position", self.position.is_some() && synthetic),
            ("--count", self.count.is_some() && one && !synthetic),
            ("--seed", self.seed.is_some() && (kind == "chess" || one) && !synthetic),
        ];
        match meaningless.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(GroveError::Meaningless { option, trees }),
            None => Ok(()),
        }
    }
}

impl Roots {
    fn is_over(&self) -> bool {
        match self {
            Roots::Synthetic(_) => false,
            Roots::ConnectFour(roots) => roots.iter().any(|root| root.moves().is_empty()),
            Roots::Chess(roots) => roots.iter().any(|root| root.moves().is_empty()),
            Roots::Drawn(roots) => roots.iter().any(|root| root.moves().is_empty()),
        }
    }
}

fn bratko_kopec_positions(count: usize) -> Result<Vec<ChessGame>, GroveError> {
    let mut roots = bratko_kopec_roots();
    if count > roots.len() {
        return Err(GroveError::Positions(count, roots.len()));
    }
    roots.truncate(count);
    Ok(roots)
}

/// What one search found.
#[derive(Clone, Debug, Serialize)]
pub struct Solution {
    /// Number of the tree, from 1.
    pub tree: usize,
    /// The root's value.
    pub value: Value,
    /// The best move, if the search keeps it.
    pub best: Option<String>,
    /// The continuation, as far as tables left it whole.
    pub line: Vec<String>,
    /// The work.
    pub tally: Tally,
    /// CPU seconds.
    pub seconds: f64,
}

/// One contestant's searches.
#[derive(Clone, Debug, Serialize)]
pub struct Solutions {
    /// The contestant.
    pub contestant: String,
    /// Does it promise the minimax value?
    pub safe: bool,
    /// What it promises, in words.
    #[serde(skip)]
    pub promise: &'static str,
    /// Plies.
    pub depth: u32,
    /// Mean branching factor.
    pub width: f64,
    /// Horizon nodes of one minimal tree.
    pub minimal: f64,
    /// One for each tree that was searched.
    pub solutions: Vec<Solution>,
    /// Trees of which the search came to keep more nodes than it may.
    pub given_up: Vec<GivenUp>,
    /// Trees that were not searched: the caller asked for the end.
    pub left_out: usize,
}

/// One contestant on each root. Where a search keeps more than `most` nodes it is given up.
fn solve<N: Node>(
    roots: &[N],
    depth: u32,
    contestant: &Contestant,
    most: usize,
    watch: &mut Watch<'_>,
) -> Result<Solutions, GroveError> {
    let width = mean_width(roots, depth);
    check(roots, depth, std::slice::from_ref(contestant))?;
    let fit = fit_for(roots, depth, contestant)?;
    let one = |(i, root): (usize, &N)| {
        let outcome = run_within(root, depth, &contestant.switches, fit.as_ref(), most)?;
        let best = match outcome.best {
            None => textbook_move(root, depth, contestant, outcome.value, most)?,
            known => known,
        };
        let mut line = outcome.line;
        if line.is_empty() {
            line.extend(best);
        }
        let mut node = root.clone();
        let step = |&m: &N::Move| {
            let name = node.name(m);
            node = node.child(m);
            name
        };
        Ok(Solution {
            tree: i + 1,
            value: outcome.value,
            best: best.map(|m| root.name(m)),
            line: line.iter().map(step).collect(),
            tally: outcome.tally,
            seconds: outcome.time.as_secs_f64(),
        })
    };
    let (mut solutions, mut given_up) = (Vec::new(), Vec::new());
    for next in roots.iter().enumerate() {
        if watch.stopped() {
            break;
        }
        let tree = format!("tree {}", next.0 + 1);
        watch.say(&format!("{tree} of {}", roots.len()));
        match one(next) {
            Ok(solution) => solutions.push(solution),
            Err(Full { most, .. }) => given_up.push(GivenUp { what: tree, most }),
        }
    }
    Ok(Solutions {
        contestant: contestant.text.clone(),
        safe: contestant.safe,
        promise: match contestant.switches.algorithm {
            algorithm if contestant.safe || !algorithm.is_exact() => algorithm.promise(),
            _ => "no exact value: an unsafe switch is on",
        },
        depth,
        width,
        minimal: minimal_tree(width, depth),
        left_out: roots.len() - solutions.len() - given_up.len(),
        solutions,
        given_up,
    })
}

/// The best move of a textbook form, which returns a value only: the first whose child has it. Looked for
/// afterwards, so that it is no part of what the search is said to have done. MTD(best) and B* name their own. The
/// searches for a goal look for it themselves: full width may be far beyond what they have proved.
fn textbook_move<N: Node>(
    root: &N,
    depth: u32,
    contestant: &Contestant,
    value: Value,
    most: usize,
) -> Result<Option<N::Move>, Full> {
    let (moves, tally) = (provisional(root), &mut Tally::default());
    let algorithm = contestant.switches.algorithm;
    let room = Room::of(algorithm.name(), most);
    let named = match algorithm {
        Algorithm::MtdBest => mtd_best(root, depth, root.evaluate(), room, tally)?,
        Algorithm::BStar(bounds) => b_star(root, depth, bounds, room, tally)?,
        // Its value is not minimax's, and so no move's that could be found again.
        Algorithm::Conspiracy(_) => return Ok(None),
        // All moves miss the goal alike.
        Algorithm::ProofNumber | Algorithm::DfPn if value < N::GOAL => return Ok(None),
        Algorithm::ProofNumber | Algorithm::DfPn => return Ok(proven_move(root, depth, algorithm, most)),
        _ => {
            let has_it =
                |&m: &N::Move| -fail_soft(&root.child(m), depth - 1, -value, 1 - value, tally) >= value;
            return Ok(moves.into_iter().find(has_it));
        }
    };
    Ok(named.and_then(|(index, _)| moves.get(index).copied()))
}

/// The move that reaches the goal, for about the price of its proof: to refute one that does not may take far more,
/// so that all are tried in little room first, then in more. `None` if all of the room is not enough.
fn proven_move<N: Node>(root: &N, depth: u32, algorithm: Algorithm, most: usize) -> Option<N::Move> {
    let (against, tally) = (1 - N::GOAL, &mut Tally::default());
    let mut tried = 1 << 10;
    loop {
        let room = Room::of(algorithm.name(), tried.min(most));
        let mut is_full = false;
        for m in provisional(root) {
            let child = root.child(m);
            let escapes = match algorithm {
                Algorithm::DfPn => df_pn(&child, depth - 1, against, room, tally),
                _ => proof_number(&child, depth - 1, against, room, tally),
            };
            match escapes.map(|answer| answer.reached) {
                Ok(false) => return Some(m),
                Ok(true) => {}
                Err(_) => is_full = true,
            }
        }
        if !is_full || tried >= most {
            return None;
        }
        tried = tried.saturating_mul(4);
    }
}

/// Leaves that any search of these trees has to look at: in the worst order nothing can be cut off.
fn least_leaves<N: Node>(roots: &[N], depth: u32) -> f64 {
    let width = mean_width(roots, depth);
    let worst = roots.first().is_some_and(Node::is_in_worst_order);
    if worst { width.powf(f64::from(depth)) } else { minimal_tree(width, depth) }
}

/// Nodes that a parallel scheme on at most so many processors may be expected to keep: the branches of the nodes that
/// it shares, or the entries of its table. Real trees are some times the minimal one.
fn shared<N: Node>(scheme: Scheme, roots: &[N], depth: u32, processors: usize) -> f64 {
    let plies = match scheme {
        // One node of each height.
        Scheme::PvSplitting => return mean_width(roots, depth) * f64::from(depth),
        // A group of processors is halved at every ply, and one alone shares nothing.
        Scheme::TreeSplitting => depth.min(processors.next_power_of_two().ilog2().max(1)),
        // Down to one ply above the horizon.
        Scheme::MandatoryFirst => depth,
        // What is searched by one processor has two plies left, or fewer; what has none is in no table.
        Scheme::YoungBrothers | Scheme::Abdada | Scheme::Lazy => depth.saturating_sub(1),
    };
    5.0 * least_leaves(roots, plies)
}

/// Does the minimal tree say nothing of what the algorithm will look at? These go where a proof is near, and are held
/// to their room while they run.
fn is_unforeseen(algorithm: Algorithm) -> bool {
    algorithm.answers_goal() || matches!(algorithm, Algorithm::BStar(_) | Algorithm::Conspiracy(_))
}

/// Refuses what would not end or not fit.
fn check<N: Node>(roots: &[N], depth: u32, contestants: &[Contestant]) -> Result<(), GroveError> {
    let (width, least) = (mean_width(roots, depth), least_leaves(roots, depth));
    for contestant in contestants {
        let algorithm = contestant.switches.algorithm;
        if is_unforeseen(algorithm) {
            continue;
        }
        let whole = width.powf(f64::from(depth));
        let full = matches!(algorithm, Algorithm::Minimax | Algorithm::Negamax) || least >= whole;
        let leaves = if full { whole } else { least };
        if leaves > MAX_LEAVES {
            let tree = if full { "the full tree" } else { "even the minimal tree" };
            return Err(GroveError::Time { tree, width, depth, leaves });
        }
        // Real trees are some times the minimal one, and interior nodes are kept too.
        let keeps = matches!(
            algorithm,
            Algorithm::SssStar | Algorithm::DualStar | Algorithm::Mtd(_) | Algorithm::MtdBest
        );
        let nodes = 5.0 * least;
        if keeps && contestant.switches.table.is_none() && contestant.switches.is_plain() && nodes > MAX_NODES
        {
            return Err(GroveError::Memory { name: algorithm.name(), nodes, depth });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// Of trees of several sizes the large ones are given up, wherever they stand, and the small ones are solved.
    #[test]
    fn a_tree_that_fills_the_room_costs_itself_only() {
        let text = |width: u32| {
            let leaves =
                |from: u32| (from..from + width).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
            let branches = (0..width).map(|i| format!("({})", leaves(10 * i + 1))).collect::<Vec<_>>();
            format!("({})", branches.join(" "))
        };
        let roots: Vec<Drawn> = [7, 2, 8, 3].map(|width| text(width).parse().unwrap()).into();
        let solved = |name: &str, most| {
            let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
            solve(&roots, 2, &name.parse().unwrap(), most, &mut Watch::new(&mut hear, &stop)).unwrap()
        };
        // A whole tree of width 3 has 13 nodes, and B* has to look at more than that of the wide ones.
        for name in ["bstar", "conspiracy=100"] {
            let found = solved(name, 13);
            let trees: Vec<usize> = found.solutions.iter().map(|solution| solution.tree).collect();
            assert_eq!((trees, found.left_out), (vec![2, 4], 0), "{name}");
            let given_up: Vec<String> = found.given_up.iter().map(GivenUp::to_string).collect();
            let why = "was given up: the search keeps more than 13 nodes";
            assert_eq!(given_up, [format!("tree 1 {why}"), format!("tree 3 {why}")], "{name}");
            assert_eq!(solved(name, 1000).solutions.len(), 4, "{name}");
        }
    }
}
