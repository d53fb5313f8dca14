//! Trees by description: what a command line says, turned into roots of one kind.
//!
//! Everything a user can get wrong is refused here with a sentence that lists the choices: unknown kinds, width
//! 0, depths no search would come back from, and best-first searches whose open list no memory would hold.

use super::contest::{Comparison, Threads, compare, mean_width};
use super::scaling::{Scaling, scaling};
use crate::algorithms::Algorithm;
use crate::enhanced::{Contestant, run as search};
use crate::node::{Node, Value};
use crate::parallel::Scheme;
use crate::tally::{Tally, minimal_tree};
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::{ColumnError, ConnectFour};
use crate::trees::drawn::{Drawn, DrawnError, MARSLAND_FIGURE_2};
use crate::trees::positions::{bratko_kopec_roots, random_walks};
use crate::trees::synthetic::{Kind, MAX_DEPTH, Spec, SpecError, Synthetic};
use chess::Position;
use serde::Serialize;

/// What to grow.
#[derive(Clone, Debug)]
pub struct Request {
    /// `chess`, `connect4`, `drawn`, or a synthetic kind.
    pub tree: String,
    /// Branches at a node (synthetic trees).
    pub width: u32,
    /// Plies to search; synthetic trees are that deep.
    pub depth: u32,
    /// The first seed.
    pub seed: u64,
    /// How many trees.
    pub count: usize,
    /// Percent (synthetic trees).
    pub correlation: u8,
    /// A FEN, the columns played, or a drawn tree.
    pub position: Option<String>,
}

/// Roots of one kind.
#[derive(Clone, Debug)]
pub enum Grove {
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
        "no tree is called {0:?}; there are chess, connect4, drawn, uniform, random, ordered, ordered:PERCENT, transposing"
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
    /// Depth out of range.
    #[error("depth {0}: searches here go from 1 to {MAX_DEPTH} plies")]
    Depth(u32),
    /// More than a search could visit.
    #[error(
        "even the minimal tree of {width:.0} branches and {depth} plies has {leaves:.0e} leaves: at most {MAX_LEAVES:.0e} are searched"
    )]
    Time {
        /// Mean branching factor.
        width: f64,
        /// Plies.
        depth: u32,
        /// Leaves.
        leaves: f64,
    },
    /// More than memory holds.
    #[error(
        "{name} keeps every node it visits, about {nodes:.0e} for {depth} plies here: memory is kept to {MAX_NODES:.0e}. Choose a smaller depth, or mtdf+trans=ENTRIES"
    )]
    Memory {
        /// The algorithm.
        name: &'static str,
        /// Nodes.
        nodes: f64,
        /// Plies.
        depth: u32,
    },
}

/// Leaves of a minimal tree beyond which nothing is started.
pub const MAX_LEAVES: f64 = 1e11;

/// Nodes that an algorithm with unbounded memory may be expected to keep (about 3 GB).
pub const MAX_NODES: f64 = 1e7;

impl Grove {
    /// Grows what is asked for.
    pub fn grow(request: &Request) -> Result<Self, GroveError> {
        if request.depth == 0 || request.depth > MAX_DEPTH {
            return Err(GroveError::Depth(request.depth));
        }
        if request.count == 0 {
            return Err(GroveError::Count);
        }
        let text = request.position.as_deref();
        let grove = match request.tree.as_str() {
            "chess" => Grove::Chess(match text {
                Some(fen) => vec![ChessGame::new(Position::from_fen(fen)?)],
                None => bratko_kopec_roots().into_iter().take(request.count).collect(),
            }),
            "connect4" => Grove::ConnectFour(match text {
                Some(columns) => vec![columns.parse()?],
                None => random_walks(&ConnectFour::start(), 20, request.count, request.seed),
            }),
            "drawn" => Grove::Drawn(vec![text.unwrap_or(MARSLAND_FIGURE_2).parse()?]),
            kind => {
                let unknown = |error| match error {
                    SpecError::Kind(name) => GroveError::Tree(name),
                    other => other.into(),
                };
                let kind: Kind = kind.parse().map_err(unknown)?;
                let (width, depth, correlation) = (request.width, request.depth, request.correlation);
                let spec = |i| Spec { kind, width, depth, seed: request.seed.wrapping_add(i), correlation };
                let roots: Result<_, SpecError> = (0..request.count as u64).map(|i| spec(i).root()).collect();
                Grove::Synthetic(roots?)
            }
        };
        if grove.is_over() { Err(GroveError::Over) } else { Ok(grove) }
    }

    fn is_over(&self) -> bool {
        match self {
            Grove::Synthetic(_) => false,
            Grove::ConnectFour(roots) => roots.iter().any(|root| root.moves().is_empty()),
            Grove::Chess(roots) => roots.iter().any(|root| root.moves().is_empty()),
            Grove::Drawn(roots) => roots.iter().any(|root| root.moves().is_empty()),
        }
    }

    /// What it is, in words.
    pub fn description(&self, request: &Request) -> String {
        match self {
            Grove::Chess(_) if request.position.is_none() => "chess (Bratko-Kopec)".into(),
            Grove::Synthetic(_) => {
                format!(
                    "{} (width {}, correlation {} %, seed {})",
                    request.tree, request.width, request.correlation, request.seed
                )
            }
            _ => request.tree.clone(),
        }
    }

    /// Runs all contestants on all trees.
    pub fn compare(
        &self,
        request: &Request,
        contestants: &[Contestant],
        threads: Threads,
        progress: impl FnMut(&str),
    ) -> Result<Comparison, GroveError> {
        let (depth, words) = (request.depth, self.description(request));
        match self {
            Grove::Synthetic(roots) => compare_checked(roots, depth, contestants, threads, words, progress),
            Grove::ConnectFour(roots) => compare_checked(roots, depth, contestants, threads, words, progress),
            Grove::Chess(roots) => compare_checked(roots, depth, contestants, threads, words, progress),
            Grove::Drawn(roots) => compare_checked(roots, depth, contestants, threads, words, progress),
        }
    }

    /// Runs parallel schemes on all trees.
    pub fn scale(
        &self,
        request: &Request,
        schemes: &[Scheme],
        processors: &[usize],
        progress: impl FnMut(&str),
    ) -> Result<Scaling, GroveError> {
        let (depth, words) = (request.depth, self.description(request));
        match self {
            Grove::Synthetic(roots) => scale_checked(roots, depth, schemes, processors, words, progress),
            Grove::ConnectFour(roots) => scale_checked(roots, depth, schemes, processors, words, progress),
            Grove::Chess(roots) => scale_checked(roots, depth, schemes, processors, words, progress),
            Grove::Drawn(roots) => scale_checked(roots, depth, schemes, processors, words, progress),
        }
    }

    /// One contestant, tree by tree.
    pub fn solve(&self, request: &Request, contestant: &Contestant) -> Result<Solutions, GroveError> {
        match self {
            Grove::Synthetic(roots) => solve(roots, request.depth, contestant),
            Grove::ConnectFour(roots) => solve(roots, request.depth, contestant),
            Grove::Chess(roots) => solve(roots, request.depth, contestant),
            Grove::Drawn(roots) => solve(roots, request.depth, contestant),
        }
    }
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
    /// Plies.
    pub depth: u32,
    /// Mean branching factor.
    pub width: f64,
    /// Horizon nodes of one minimal tree.
    pub minimal: f64,
    /// One for each tree.
    pub solutions: Vec<Solution>,
}

fn solve<N: Node>(roots: &[N], depth: u32, contestant: &Contestant) -> Result<Solutions, GroveError> {
    let width = mean_width(roots, depth);
    check(width, depth, std::slice::from_ref(contestant))?;
    let fit = super::contest::fit_for(roots, contestant);
    let one = |(i, root): (usize, &N)| {
        let outcome = search(root, depth, &contestant.switches, fit.as_ref());
        let mut node = root.clone();
        let step = |&m: &N::Move| {
            let name = node.name(m);
            node = node.child(m);
            name
        };
        let line: Vec<String> = outcome.line.iter().map(step).collect();
        Solution {
            tree: i + 1,
            value: outcome.value,
            best: outcome.best.map(|m| root.name(m)),
            line,
            tally: outcome.tally,
            seconds: outcome.time.as_secs_f64(),
        }
    };
    let solutions = roots.iter().enumerate().map(one).collect();
    let minimal = minimal_tree(width, depth);
    Ok(Solutions {
        contestant: contestant.text.clone(),
        safe: contestant.safe,
        depth,
        width,
        minimal,
        solutions,
    })
}

fn compare_checked<N: Node>(
    roots: &[N],
    depth: u32,
    contestants: &[Contestant],
    threads: Threads,
    words: String,
    progress: impl FnMut(&str),
) -> Result<Comparison, GroveError> {
    check(mean_width(roots, depth), depth, contestants)?;
    Ok(compare(roots, depth, contestants, threads, words, progress))
}

fn scale_checked<N: Node + 'static>(
    roots: &[N],
    depth: u32,
    schemes: &[Scheme],
    processors: &[usize],
    words: String,
    progress: impl FnMut(&str),
) -> Result<Scaling, GroveError> {
    let width = mean_width(roots, depth);
    let nodes = 5.0 * minimal_tree(width, depth);
    match schemes.iter().find(|_| nodes > MAX_NODES) {
        Some(scheme) => Err(GroveError::Memory { name: scheme.name(), nodes, depth }),
        None => Ok(scaling(roots, depth, schemes, processors, words, progress)),
    }
}

/// Refuses what would not end or not fit.
fn check(width: f64, depth: u32, contestants: &[Contestant]) -> Result<(), GroveError> {
    let minimal = minimal_tree(width, depth);
    for contestant in contestants {
        let algorithm = contestant.switches.algorithm;
        let full = matches!(algorithm, Algorithm::Minimax | Algorithm::Negamax);
        let leaves = if full { width.powf(f64::from(depth)) } else { minimal };
        if leaves > MAX_LEAVES {
            return Err(GroveError::Time { width, depth, leaves });
        }
        // Real trees are some times the minimal one, and interior nodes are kept too.
        let keeps = matches!(
            algorithm,
            Algorithm::SssStar | Algorithm::DualStar | Algorithm::Mtd(_) | Algorithm::MtdBest
        );
        let nodes = 5.0 * minimal;
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

    fn request(tree: &str) -> Request {
        let (width, depth, seed, count, correlation) = (4, 4, 1, 3, 50);
        Request { tree: tree.into(), width, depth, seed, count, correlation, position: None }
    }

    fn refusal(request: &Request) -> String {
        Grove::grow(request).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn every_kind_grows_and_can_be_compared() {
        let contestants: Vec<Contestant> =
            ["alphabeta", "mtdf+id+trans=100"].map(|t| t.parse().unwrap()).into();
        for tree in ["chess", "connect4", "drawn", "uniform", "random", "ordered:80", "transposing"] {
            let request = Request { depth: 3, ..request(tree) };
            let grove = Grove::grow(&request).unwrap();
            let table = grove.compare(&request, &contestants, Threads::All, |_| {}).unwrap();
            assert_eq!(table.rows.iter().map(|row| row.wrong).sum::<usize>(), 0, "{tree}");
            assert!(!grove.solve(&request, &contestants[1]).unwrap().solutions.is_empty());
        }
    }

    #[test]
    fn what_cannot_be_grown_is_refused_with_the_choices() {
        assert!(refusal(&request("oak")).contains("there are chess, connect4, drawn, uniform"));
        assert!(refusal(&Request { width: 0, ..request("uniform") }).contains("width 0"));
        assert!(refusal(&Request { depth: 0, ..request("chess") }).contains("from 1 to 64"));
        assert!(refusal(&Request { count: 0, ..request("chess") }).contains("at least one"));
        let position = |tree, text: &str| refusal(&Request { position: Some(text.into()), ..request(tree) });
        assert!(position("chess", "no fen").contains("FEN"));
        assert!(position("chess", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").contains("over"));
        assert!(position("connect4", "9").contains("column"));
        assert!(position("drawn", "(1").contains("parenthesis"));
    }

    #[test]
    fn what_would_not_end_or_not_fit_is_refused() {
        let refused = |tree, depth, contestant: &str| {
            let request = Request { depth, width: 30, ..request(tree) };
            let grove = Grove::grow(&request).unwrap();
            grove.solve(&request, &contestant.parse().unwrap()).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused("uniform", 40, "alphabeta").contains("minimal tree"));
        assert!(refused("uniform", 10, "minimax").contains("leaves"));
        assert!(refused("chess", 9, "sss").contains("memory"));
    }
}
