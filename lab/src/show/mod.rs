//! The visible tree: searches recorded step by step, and the page that replays them.
//!
//! [`record`] runs each search on a [`Watched`] tree, which gives steps and touched nodes; `data` packs
//! them; [`page`] puts them into one HTML file that fetches nothing. The steps of a search add up to the
//! [`Tally`] of the same search unwatched ([`count`]).

mod board;
mod data;
mod figure;
mod minimal;
mod page;

pub use board::Board;
pub use figure::Figure;
pub use page::page;

use crate::algorithms::room::{Full, MAX_KEPT};
use crate::algorithms::{Algorithm, REGISTER};
use crate::enhanced::register::ContestantError;
use crate::enhanced::{Contestant, Switches, run_within};
use crate::event::Event;
use crate::node::{Node, Value};
use crate::parallel::{self, Costs, Scheme, SimulationError, UnknownScheme};
use crate::study::contest::{Idle, fit_for};
use crate::tally::Tally;
use crate::trees::watched::{Limits, Step, Watched};
use serde::Serialize;
use std::str::FromStr;

/// Nodes that the searches of one page may touch.
pub const MAX_NODES: usize = 20_000;

/// Steps of one search.
pub const MAX_STEPS: usize = 200_000;

/// A tree of at most that many nodes is drawn whole, with what no search has touched.
const WHOLE: usize = 1500;

/// Processors of a parallel search.
pub const MAX_PROCESSORS: u32 = 64;

/// A search that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Searcher {
    /// An algorithm with its switches.
    Serial(Contestant),
    /// A historical parallel search.
    Parallel(Scheme),
}

impl FromStr for Searcher {
    type Err = SearcherError;

    fn from_str(text: &str) -> Result<Self, SearcherError> {
        match (text.parse(), text.parse()) {
            (_, Ok(scheme)) => Ok(Searcher::Parallel(scheme)),
            (Ok(contestant), _) => Ok(Searcher::Serial(contestant)),
            (Err(ContestantError::Algorithm(serial)), Err(parallel)) => {
                Err(SearcherError::Name { serial: serial.to_string(), parallel })
            }
            (Err(error), _) => Err(SearcherError::Contestant(error)),
        }
    }
}

impl Searcher {
    /// Full width to its horizon. Parallel searches end at static values.
    fn full_width(&self) -> Switches {
        match self {
            Searcher::Serial(contestant) => contestant.switches.full_width(),
            Searcher::Parallel(_) => Switches::plain(Algorithm::Pvs).full_width(),
        }
    }
}

/// Why a text names no search.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SearcherError {
    /// Neither an algorithm nor a scheme.
    #[error("{serial}; {parallel}")]
    Name {
        /// What the register of algorithms says.
        serial: String,
        /// What the list of schemes says.
        parallel: UnknownScheme,
    },
    /// An algorithm with wrong switches.
    #[error(transparent)]
    Contestant(ContestantError),
}

/// Why a search is not shown.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ShowError {
    /// Too many nodes.
    #[error(
        "{name} touches more than {MAX_NODES} nodes here, the limit of a page: \
         choose a smaller depth or width"
    )]
    Nodes {
        /// The search.
        name: String,
    },
    /// More nodes kept than memory should hold, whether or not they have been touched.
    #[error("{0} here: choose a smaller depth or width")]
    Kept(Full),
    /// Its ProbCut could do nothing.
    #[error(transparent)]
    Idle(#[from] Idle),
    /// The system does not let so many processors be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// Too many steps.
    #[error("{name} takes {steps} steps here; a page holds {MAX_STEPS}: choose a smaller depth or width")]
    Steps {
        /// The search.
        name: String,
        /// Steps.
        steps: usize,
    },
    /// Not one search and not two.
    #[error("{0} searches: a page shows one, or two side by side")]
    Searches(usize),
    /// Processors out of range.
    #[error("{0} processors: between 1 and {MAX_PROCESSORS} can be shown")]
    Processors(u32),
}

/// A search, recorded.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    /// As written.
    pub name: String,
    /// What it is, in a sentence.
    pub what: String,
    /// Processors; none in a serial search.
    pub processors: Option<u32>,
    /// What it found.
    pub value: Value,
    /// Number of steps.
    pub steps: usize,
    /// What the steps add up to; counts that no step stands for (evaluations, probes and the like) are 0 or none.
    #[serde(skip)]
    pub tally: Tally,
    /// The counts of it that steps stand for.
    #[serde(rename = "tally")]
    seen: Seen,
    #[serde(skip)]
    packed: data::Packed,
}

/// Those counts of a [`Tally`] that steps stand for, under the same names: no others are in a document, where their 0
/// would be taken for what the search did.
#[derive(Clone, Debug, Serialize)]
struct Seen {
    horizon: u64,
    finished: u64,
    interior: u64,
    cut: Option<u64>,
    all: Option<u64>,
    quiescence: u64,
    re_searches: u64,
    passes: u64,
    table: SeenTable,
    etc_cutoffs: u64,
    null_cutoffs: u64,
    null_refused: u64,
    probcut_cutoffs: u64,
    pruned: u64,
    extended: u64,
    reduced: u64,
}

/// The same of a table.
#[derive(Clone, Debug, Serialize)]
struct SeenTable {
    /// None of df-pn, which looks branches up before it goes there.
    hits: Option<u64>,
    narrowing: u64,
    cutoffs: u64,
}

impl Seen {
    fn of(tally: &Tally, searcher: &Searcher) -> Self {
        let unseen = matches!(searcher, Searcher::Serial(one) if one.switches.algorithm == Algorithm::DfPn);
        Self {
            horizon: tally.horizon,
            finished: tally.finished,
            interior: tally.interior,
            cut: tally.cut,
            all: tally.all,
            quiescence: tally.quiescence,
            re_searches: tally.re_searches,
            passes: tally.passes,
            table: SeenTable {
                hits: (!unseen).then_some(tally.table.hits),
                narrowing: tally.table.narrowing,
                cutoffs: tally.table.cutoffs,
            },
            etc_cutoffs: tally.etc_cutoffs,
            null_cutoffs: tally.null_cutoffs,
            null_refused: tally.null_refused,
            probcut_cutoffs: tally.probcut_cutoffs,
            pruned: tally.pruned,
            extended: tally.extended,
            reduced: tally.reduced,
        }
    }
}

/// Searches of one tree, ready for the page.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// The tree in words.
    pub tree: String,
    /// Plies.
    pub depth: u32,
    /// Nodes that were touched or drawn whole.
    pub nodes: usize,
    /// The searches.
    pub searches: Vec<Recorded>,
    #[serde(skip)]
    drawn: data::Tree,
}

/// Runs the searches on one tree and keeps every step.
pub fn record<N: Node + Board + 'static>(
    root: &N,
    depth: u32,
    tree: String,
    searchers: &[Searcher],
    processors: u32,
) -> Result<Shown, ShowError> {
    if !(1..=2).contains(&searchers.len()) {
        return Err(ShowError::Searches(searchers.len()));
    }
    if !(1..=MAX_PROCESSORS).contains(&processors) {
        return Err(ShowError::Processors(processors));
    }
    let watched = Watched::new(root.clone(), Limits { nodes: MAX_NODES, steps: MAX_STEPS });
    let (mut searches, mut steps) = (Vec::new(), Vec::new());
    for searcher in searchers {
        let recorded = record_one(root, &watched, depth, searcher, processors)?;
        steps.push((recorded.1, recorded.0.processors.is_some()));
        searches.push(recorded.0);
    }
    watched.complete(depth, WHOLE);
    let touched = watched.touched();
    let horizons: Vec<Switches> = searchers.iter().map(Searcher::full_width).collect();
    // Searches with different horizons have different minimal trees.
    let alike = horizons.iter().all(|horizon| *horizon == horizons[0]);
    let kinds = if alike { minimal::kinds(&touched, depth, &horizons[0]) } else { Vec::new() };
    let (drawn, packed) = data::pack(&touched, depth, &kinds, &steps);
    searches.iter_mut().zip(packed).for_each(|(search, packed)| search.packed = packed);
    Ok(Shown { tree, depth, nodes: touched.len(), searches, drawn })
}

/// What a search was, and its steps.
type Recording<N> = (Recorded, Vec<Step<<N as Node>::Move>>);

fn record_one<N: Node + 'static>(
    root: &N,
    watched: &Watched<N>,
    depth: u32,
    searcher: &Searcher,
    processors: u32,
) -> Result<Recording<N>, ShowError> {
    let (name, what, value) = match searcher {
        Searcher::Serial(contestant) => {
            let fit = fit_for(std::slice::from_ref(root), depth, contestant)?;
            let switches = &contestant.switches;
            let name = &contestant.text;
            let value = run_on_page(name, watched, |most| {
                run_within(watched, depth, switches, fit.as_ref(), most).map(|found| found.value)
            })?;
            (name.clone(), describe(contestant.switches.algorithm), value)
        }
        Searcher::Parallel(scheme) => {
            let outcome = parallel::search(*scheme, watched, depth, processors as usize, Costs::default())?;
            (scheme.name().to_owned(), describe_scheme(*scheme, processors), outcome.value)
        }
    };
    let steps = take(&name, watched)?;
    let parallel = matches!(searcher, Searcher::Parallel(_));
    let tally = count(&steps);
    let recorded = Recorded {
        name,
        what,
        processors: parallel.then_some(processors),
        value,
        steps: steps.len(),
        seen: Seen::of(&tally, searcher),
        tally,
        packed: data::Packed::default(),
    };
    Ok((recorded, steps))
}

/// Runs a search that gives up when it keeps more than so many nodes. Best-first searches keep far more nodes than they
/// touch, which are what a page holds: so the search gets more room as long as the page has some, and one that has
/// left the page does not go on.
fn run_on_page<N: Node, T>(
    name: &str,
    watched: &Watched<N>,
    search: impl Fn(usize) -> Result<T, Full>,
) -> Result<T, ShowError> {
    let mut most = MAX_NODES;
    loop {
        match search(most) {
            Ok(found) => return Ok(found),
            Err(full) if most == MAX_KEPT => return Err(ShowError::Kept(full)),
            Err(_) => take(name, watched)?,
        };
        most = (2 * most).min(MAX_KEPT);
    }
}

/// The steps of a search that a page holds.
fn take<N: Node>(name: &str, watched: &Watched<N>) -> Result<Vec<Step<N::Move>>, ShowError> {
    watched.take().map_err(|overflow| match overflow.nodes {
        true => ShowError::Nodes { name: name.to_owned() },
        false => ShowError::Steps { name: name.to_owned(), steps: overflow.steps },
    })
}

fn describe(algorithm: Algorithm) -> String {
    let entry = REGISTER.iter().find(|entry| entry.name == algorithm.name());
    entry.map_or_else(String::new, |entry| format!("{} ({})", entry.what, entry.source))
}

fn describe_scheme(scheme: Scheme, processors: u32) -> String {
    let source = Scheme::ALL.iter().find(|entry| entry.0 == scheme).map_or("", |entry| entry.2);
    let plural = if processors == 1 { "" } else { "s" };
    format!("{source}, {processors} simulated processor{plural}")
}

/// What steps add up to.
pub fn count<M>(steps: &[Step<M>]) -> Tally {
    let mut tally = Tally::default();
    for step in steps {
        let count = match step.event {
            Event::Pass => &mut tally.passes,
            Event::Expanded => &mut tally.interior,
            Event::Horizon(_) => &mut tally.horizon,
            Event::Finished(_) => &mut tally.finished,
            Event::Quiet(_) => &mut tally.quiescence,
            Event::Left { cut, .. } => {
                tally.count_left(cut);
                continue;
            }
            Event::ReSearch => &mut tally.re_searches,
            Event::Hit { .. } => &mut tally.table.hits,
            Event::Narrowed { .. } => &mut tally.table.narrowing,
            Event::TableCut(_) => &mut tally.table.cutoffs,
            Event::EtcCut(_) => &mut tally.etc_cutoffs,
            Event::NullCut(_) => &mut tally.null_cutoffs,
            Event::NullRefused => &mut tally.null_refused,
            Event::ProbCut(_) => &mut tally.probcut_cutoffs,
            Event::Razored(_) | Event::Dropped { .. } => &mut tally.pruned,
            Event::Extended(_) => &mut tally.extended,
            Event::Reduced(_) => &mut tally.reduced,
            Event::Enter { .. }
            | Event::Returned(_)
            | Event::Revised(_)
            | Event::Numbers(..)
            | Event::Bounds(..)
            | Event::Turn { .. }
            | Event::HandOver
            | Event::Deferred
            | Event::Void
            | Event::Wait => continue,
        };
        *count += 1;
    }
    tally
}
