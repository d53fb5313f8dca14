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

use crate::algorithms::{Algorithm, REGISTER};
use crate::enhanced::register::ContestantError;
use crate::enhanced::{Contestant, run};
use crate::event::Event;
use crate::node::{Node, Value};
use crate::parallel::{self, Costs, Scheme, UnknownScheme};
use crate::study::contest::fit_for;
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
    /// What the steps add up to; counts that no step stands for (evaluations, probes and the like) are 0.
    pub tally: Tally,
    #[serde(skip)]
    packed: data::Packed,
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
    let kinds = minimal::kinds(&touched, depth);
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
            let fit = fit_for(std::slice::from_ref(root), contestant);
            let value = run(watched, depth, &contestant.switches, fit.as_ref()).value;
            (contestant.text.clone(), describe(contestant.switches.algorithm), value)
        }
        Searcher::Parallel(scheme) => {
            let outcome = parallel::search(*scheme, watched, depth, processors as usize, Costs::default());
            (scheme.name().to_owned(), describe_scheme(*scheme, processors), outcome.value)
        }
    };
    let steps = watched.take().map_err(|overflow| match overflow.nodes {
        true => ShowError::Nodes { name: name.clone() },
        false => ShowError::Steps { name: name.clone(), steps: overflow.steps },
    })?;
    let parallel = matches!(searcher, Searcher::Parallel(_));
    let recorded = Recorded {
        name,
        what,
        processors: parallel.then_some(processors),
        value,
        steps: steps.len(),
        tally: count(&steps),
        packed: data::Packed::default(),
    };
    Ok((recorded, steps))
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
            Event::Left { cut: true, .. } => &mut tally.cut,
            Event::Left { cut: false, .. } => &mut tally.all,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::{OrderTally, TableTally};
    use crate::trees::chess_game::ChessGame;
    use crate::trees::drawn::{Drawn, MARSLAND_FIGURE_2};
    use crate::trees::positions::{HORIZON_EFFECT, bratko_kopec_roots};
    use crate::trees::synthetic::{Kind, Spec};

    /// What steps do not stand for.
    fn visible(tally: Tally) -> Tally {
        let table = TableTally { probes: 0, ordering: 0, etc_nodes: 0, etc_probes: 0, ..tally.table };
        Tally { evaluations: 0, guard: 0, table, order: OrderTally::default(), open_windows: 0, ..tally }
    }

    fn steps_are_the_tally<N: Node + Board + 'static>(root: &N, depth: u32, texts: &[&str]) {
        for text in texts {
            let searcher: Searcher = text.parse().unwrap();
            let shown = record(root, depth, String::new(), std::slice::from_ref(&searcher), 3).unwrap();
            let found = &shown.searches[0];
            let (value, tally) = match &searcher {
                Searcher::Serial(contestant) => {
                    let fit = fit_for(std::slice::from_ref(root), contestant);
                    let outcome = run(root, depth, &contestant.switches, fit.as_ref());
                    (outcome.value, outcome.tally)
                }
                Searcher::Parallel(scheme) => {
                    let outcome = parallel::search(*scheme, root, depth, 3, Costs::default());
                    (outcome.value, outcome.tally)
                }
            };
            assert_eq!(
                (found.value, found.tally),
                (value, with_tables(visible(tally), &found.tally)),
                "{text}"
            );
            assert!(found.steps > 2, "{text}");
        }
    }

    /// The parallel searches do not count what their table does.
    fn with_tables(tally: Tally, seen: &Tally) -> Tally {
        if tally.table.hits == 0 { Tally { table: seen.table, ..tally } } else { tally }
    }

    #[test]
    fn steps_add_up_to_the_tally_on_drawn_and_synthetic_trees() {
        let texts = [
            "minimax",
            "negamax",
            "bnb",
            "failhard",
            "alphabeta",
            "aspiration",
            "scout",
            "pvs",
            "pvs-r",
            "pvs-e",
            "negascout",
            "sss",
            "dual",
            "mt-sss",
            "mtdf",
            "mtd-best",
            "bstar",
            "conspiracy=3",
            "pn",
            "dfpn",
            "ybw",
            "abdada",
            "lazy",
            "pv-splitting",
            "tree-splitting",
            "mandatory-first",
            "failhard+id+trans=50+two",
            "pvs+id+trans=20+killers+hist+etc",
            "alphabeta+null-verify+nbest=3+razor=20+marginal=10+gamma",
            "pvs+singular=10+id",
            "mtdf+id+trans=40+two",
            "pvs+id+mpc",
        ];
        let drawn: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
        steps_are_the_tally(&drawn, 3, &texts);
        for kind in [Kind::Uniform, Kind::Random, Kind::Transposing] {
            let root = Spec { kind, width: 3, depth: 5, seed: 7, correlation: 60 }.root().unwrap();
            steps_are_the_tally(&root, 5, &texts);
        }
    }

    #[test]
    fn steps_add_up_to_the_tally_on_chess_positions() {
        let texts = ["alphabeta+quiesce", "pvs-r+id+trans=500+killers+hist", "mtdf+see", "scout", "ybw"];
        bratko_kopec_roots()[..4].iter().for_each(|root| steps_are_the_tally(root, 2, &texts));
        let horizon = ChessGame::new(chess::Position::from_fen(HORIZON_EFFECT).unwrap());
        steps_are_the_tally(&horizon, 3, &texts);
        steps_are_the_tally(
            &horizon,
            4,
            &["pvs+id+quiesce+null+check+recapture+promotion+fractional+shed+probcut"],
        );
    }

    /// By hand, from Marsland's figure 2: alpha-beta enters all 15 nodes but p.1.2.2. It leaves p.1.2 by a
    /// cut-off, and p.2, whose last branch is worth 3 where p.1 is worth 5.
    #[test]
    fn the_steps_of_figure_2_are_those_of_the_text() {
        let root: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
        let watched = Watched::new(root, Limits { nodes: 100, steps: 1000 });
        run(&watched, 3, &"alphabeta".parse::<Contestant>().unwrap().switches, None);
        let (steps, touched) = (watched.take().unwrap(), watched.touched());
        let names: Vec<String> = touched.iter().map(|touched| touched.node.label()).collect();
        let order =
            "p p.1 p.1.1 p.1.1.1 p.1.1.2 p.1.2 p.1.2.1 p.2 p.2.1 p.2.1.1 p.2.1.2 p.2.2 p.2.2.1 p.2.2.2";
        assert_eq!(names.join(" "), order);
        let cuts = steps.iter().filter(|step| matches!(step.event, Event::Left { cut: true, .. }));
        let cuts: Vec<&str> = cuts.map(|step| names[step.node].as_str()).collect();
        assert_eq!(cuts, ["p.1.2", "p.2"]);
        let last = steps.last().unwrap();
        assert_eq!((last.node, last.event), (0, Event::Left { value: 5, cut: false }));
    }

    /// In a perfectly ordered tree alpha-beta visits the minimal tree and nothing else.
    #[test]
    fn the_minimal_tree_is_what_alpha_beta_visits_in_perfect_order() {
        for (width, depth) in [(3, 4), (4, 3), (2, 6)] {
            let kind = Kind::Ordered { best_first: 100 };
            let root = Spec { kind, width, depth, seed: 5, correlation: 100 }.root().unwrap();
            let watched = Watched::new(root, Limits { nodes: 5000, steps: 50_000 });
            run(&watched, depth, &"alphabeta".parse::<Contestant>().unwrap().switches, None);
            let visited = watched.touched().len();
            watched.complete(depth, 5000);
            let touched = watched.touched();
            assert!(touched.len() > visited);
            let kinds = minimal::kinds(&touched, depth);
            let marked: Vec<bool> = kinds.iter().map(|&kind| kind > 0).collect();
            let expected: Vec<bool> = (0..touched.len()).map(|number| number < visited).collect();
            assert_eq!(marked, expected, "{width} {depth}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused_with_the_limit() {
        let root = Spec { kind: Kind::Uniform, width: 8, depth: 6, seed: 1, correlation: 50 }.root().unwrap();
        let shown = |texts: &[&str]| {
            let searchers: Vec<Searcher> = texts.iter().map(|text| text.parse().unwrap()).collect();
            record(&root, 6, String::new(), &searchers, 2).unwrap_err().to_string()
        };
        assert!(shown(&["negamax"]).contains("20000 nodes"));
        assert!(shown(&[]).contains("one, or two"));
        assert!(shown(&["pvs", "pvs", "pvs"]).starts_with("3 searches"));
        let small =
            Spec { kind: Kind::Uniform, width: 2, depth: 8, seed: 1, correlation: 50 }.root().unwrap();
        let watched = Watched::new(small, Limits { nodes: 1000, steps: 20 });
        run(&watched, 8, &"pvs".parse::<Contestant>().unwrap().switches, None);
        assert!(watched.take().unwrap_err().steps > 20);
        assert!("oak".parse::<Searcher>().unwrap_err().to_string().contains("tree-splitting"));
        assert!("pvs+oak".parse::<Searcher>().unwrap_err().to_string().contains("there are id"));
    }

    #[test]
    fn a_page_of_five_thousand_nodes_is_small_and_fetches_nothing() {
        let root = Spec { kind: Kind::Uniform, width: 6, depth: 6, seed: 1, correlation: 50 }.root().unwrap();
        let searchers = ["alphabeta".parse().unwrap(), "pvs".parse().unwrap()];
        let shown = record(&root, 6, "a </script> tree".into(), &searchers, 1).unwrap();
        assert!(shown.nodes > 4000, "{}", shown.nodes);
        let page = page(&shown, "T < U", &[("program".into(), "x & y".into())]).unwrap();
        assert!(page.len() < 3_000_000, "{}", page.len());
        assert_eq!(page.matches("</script>").count(), 2);
        for fetched in ["src=", "href=", "url(", "@import", "fetch(", "https:"] {
            assert!(!page.contains(fetched), "{fetched}");
        }
        // The one address is the name of the SVG language, which is never asked for.
        assert_eq!(page.matches("http:").count(), 1);
        assert!(page.contains("T &lt; U") && page.contains("x &amp; y"));
    }
}
