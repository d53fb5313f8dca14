//! "Implement them all and try some experiments" (E): contestants on the same trees, one row each.

use crate::algorithms::Algorithm;
use crate::algorithms::room::Full;
use crate::cores::{cores, on_all_cores};
use crate::enhanced::probcut::{Fit, MIN_SAMPLES};
use crate::enhanced::register::MAX_ENTRIES;
use crate::enhanced::search::Scheme;
use crate::enhanced::switches::{ProbCut, Switches};
use crate::enhanced::{Contestant, Outcome, run, run_within};
use crate::node::{Node, Value};
use crate::study::paired::change;
use crate::study::{GivenUp, Watch};
use crate::tally::{Tally, minimal_tree};
use crate::trees::positions::random_walks;
use figures::stats::Estimate;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What a contestant did on all trees of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// The contestant's text.
    pub contestant: String,
    /// Does it promise the minimax value?
    pub safe: bool,
    /// Trees searched.
    pub trees: usize,
    /// Trees on which its value contradicts the reference's: differs from it, or, where one of the two only says
    /// whether the goal is reached, lies on the other side of the goal.
    pub wrong: usize,
    /// Its nodes against those of the reference, tree by tree, in percent; none for the reference.
    pub against_first: Option<Estimate>,
    /// Work on all trees together.
    pub tally: Tally,
    /// CPU seconds on all trees together.
    pub seconds: f64,
    /// Each tree's value.
    #[serde(skip)]
    pub values: Vec<Value>,
    /// Work on each tree.
    #[serde(skip)]
    pub each: Vec<Tally>,
}

impl Score {
    /// Horizon nodes, tree by tree.
    pub fn horizon(&self) -> Vec<u64> {
        self.each.iter().map(|tally| tally.horizon).collect()
    }

    /// Nodes of every kind, tree by tree.
    pub fn nodes(&self) -> Vec<u64> {
        self.each.iter().map(Tally::nodes).collect()
    }
}

/// A finished comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What was searched, in words.
    pub trees: String,
    /// How many trees.
    pub count: usize,
    /// Plies.
    pub depth: u32,
    /// Horizon nodes of the minimal trees together, for the width below.
    pub minimal: f64,
    /// Mean branching factor, from the full tree of the first plies.
    pub width: f64,
    /// One row for each contestant that has searched all trees; the first is the reference.
    pub rows: Vec<Score>,
    /// Contestants that came to keep more nodes than they may.
    pub given_up: Vec<GivenUp>,
    /// Contestants that were not run, or not on all trees: the caller asked for the end.
    pub left_out: Vec<String>,
}

/// One thread when times matter, all of them when only nodes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Searches run one after another.
    One,
    /// Searches run side by side (each on one thread), as many as have tables of [`MAX_ENTRIES`] together.
    All,
}

impl Threads {
    /// How many of so many searches run side by side on so many cores.
    fn abreast(self, contestant: &Contestant, searches: usize, cores: usize) -> usize {
        let entries = contestant.switches.table.map_or(1, |table| table.entries.max(1));
        let most = match self {
            Threads::One => 1,
            Threads::All if entries.saturating_mul(cores) <= MAX_ENTRIES => searches,
            Threads::All => MAX_ENTRIES / entries,
        };
        most.max(1)
    }
}

/// What `one` makes of each root, so many of them at a time.
fn each<N: Sync, R: Send>(roots: &[N], abreast: usize, one: impl Fn(&N) -> R + Sync) -> Vec<R> {
    match abreast {
        // On this thread, whose times are told.
        1 => roots.iter().map(one).collect(),
        _ => roots.chunks(abreast).flat_map(|some| on_all_cores(some, &one)).collect(),
    }
}

/// Runs `contestant`, one without ProbCut, on every root.
pub fn measure<N: Node>(roots: &[N], depth: u32, contestant: &Contestant, threads: Threads) -> Score {
    measure_with(roots, depth, contestant, threads, None)
}

/// The same with a given ProbCut fit.
pub fn measure_with<N: Node>(
    roots: &[N],
    depth: u32,
    contestant: &Contestant,
    threads: Threads,
    fit: Option<&Fit>,
) -> Score {
    let one = |root: &N| run(root, depth, &contestant.switches, fit);
    summary(contestant, each(roots, threads.abreast(contestant, roots.len(), cores()), one))
}

/// The same, but nothing if the end is asked for before the last root has had its turn; and a search that
/// keeps more than `most` nodes is given up.
pub fn measure_until<N: Node>(
    roots: &[N],
    depth: u32,
    (contestant, fit): (&Contestant, Option<&Fit>),
    threads: Threads,
    most: usize,
    stop: &AtomicBool,
) -> Result<Option<Score>, Full> {
    let one = |root: &N, most: usize| {
        let search = || run_within(root, depth, &contestant.switches, fit, most);
        (!stop.load(Relaxed)).then(search).transpose()
    };
    let abreast = threads.abreast(contestant, roots.len(), cores());
    // Searches side by side share the room. One that needs more than its share has it all afterwards.
    let share = most / abreast.min(cores());
    let found = each(roots, abreast, |root| one(root, share));
    let alone = |(found, root): (Result<_, Full>, &N)| match found {
        Err(_) if share < most => one(root, most),
        found => found,
    };
    let outcomes: Result<Option<Vec<Outcome<N::Move>>>, Full> =
        found.into_iter().zip(roots).map(alone).collect();
    Ok(outcomes?.map(|outcomes| summary(contestant, outcomes)))
}

fn summary<M>(contestant: &Contestant, outcomes: Vec<Outcome<M>>) -> Score {
    let mut tally = Tally::default();
    outcomes.iter().for_each(|outcome| tally += outcome.tally);
    Score {
        contestant: contestant.text.clone(),
        safe: contestant.safe,
        trees: outcomes.len(),
        wrong: 0,
        against_first: None,
        tally,
        seconds: outcomes.iter().map(|outcome| outcome.time.as_secs_f64()).sum(),
        values: outcomes.iter().map(|outcome| outcome.value).collect(),
        each: outcomes.iter().map(|outcome| outcome.tally).collect(),
    }
}

/// Depths between which ProbCut and Multi-ProbCut are fitted.
pub const PROBCUT_DEPTHS: [(u32, u32); 1] = [(2, 4)];
/// The pairs of Multi-ProbCut.
pub const MULTI_PROBCUT_DEPTHS: [(u32, u32); 3] = [(1, 3), (2, 4), (3, 5)];

/// Plies between a root and the positions near it on which ProbCut is fitted.
const WALK: u32 = 6;

/// How long the first line of a tree is, up to `most` plies.
fn plies_left<N: Node>(root: &N, most: u32) -> u32 {
    let mut node = root.clone();
    (0..most).take_while(|_| node.moves().first().map(|&m| node = node.child(m)).is_some()).count() as u32
}

/// Why ProbCut can do nothing in a search, which would bear its name all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Idle {
    /// No window has two ends.
    #[error(
        "{0}: ProbCut asks whether a value lies beyond an end of the window, and the \
         windows of this search are open"
    )]
    Windows(String),
    /// All nodes are too near to the horizon.
    #[error(
        "{contestant}: ProbCut decides about nodes with {deep} plies left or more, and a search of {depth} \
         has none below its root: choose {least} plies or more"
    )]
    Depth {
        /// The contestant.
        contestant: String,
        /// Plies of the search.
        depth: u32,
        /// Plies left where it begins to decide.
        deep: u32,
        /// Plies of the first search that has such nodes.
        least: u32,
    },
    /// Nothing to go by.
    #[error(
        "{contestant}: ProbCut has no line to go by: of the positions near the trees ({positions}) \
         fewer than {MIN_SAMPLES} are undecided, or the values of deep searches do not follow those of shallow ones"
    )]
    Line {
        /// The contestant.
        contestant: String,
        /// Positions looked at.
        positions: usize,
    },
}

/// Has a node below the root of such a search a window of two ends?
fn has_windows(switches: &Switches) -> bool {
    match Scheme::of(switches.algorithm) {
        None | Some(Scheme::Full) => false,
        // A null move asks a question of its own.
        Some(Scheme::OneBound) => switches.null_move.is_some(),
        Some(_) => true,
    }
}

/// Plies that a node below the root of a search has left at most: those of the root where moves are extended by whole
/// plies, else one fewer.
fn most_left(switches: &Switches, depth: u32) -> u32 {
    let whole = switches.extensions.any() && !switches.extensions.fractional;
    if whole { depth } else { depth.saturating_sub(1) }
}

/// A fit for searches of so many plies, if the contestant asks for ProbCut: on positions a few random moves away from
/// the roots, for those pairs of depths that can act. Where a tree has an end, the positions lie no nearer to it than
/// the deeper search of the pairs reaches: beyond, two depths are one.
///
/// # Errors
/// When ProbCut could do nothing.
pub fn fit_for<N: Node>(roots: &[N], depth: u32, contestant: &Contestant) -> Result<Option<Fit>, Idle> {
    let switches = &contestant.switches;
    let pairs: &[(u32, u32)] = match switches.probcut {
        None => return Ok(None),
        Some(ProbCut::One) => &PROBCUT_DEPTHS,
        Some(ProbCut::Multi) => &MULTI_PROBCUT_DEPTHS,
    };
    let name = || contestant.text.clone();
    if !has_windows(switches) {
        return Err(Idle::Windows(name()));
    }
    let left = most_left(switches, depth);
    let depths: Vec<(u32, u32)> = pairs.iter().copied().filter(|&(_, deep)| deep <= left).collect();
    let Some(most) = depths.iter().map(|&(_, deep)| deep).max() else {
        let deep = pairs.iter().map(|&(_, deep)| deep).min().unwrap_or(0);
        return Err(Idle::Depth { contestant: name(), depth, deep, least: deep + (depth - left) });
    };
    let each = 120usize.div_ceil(roots.len().max(1));
    let samples: Vec<N> = roots
        .iter()
        .take(120)
        .enumerate()
        .flat_map(|(i, root)| {
            let plies = plies_left(root, WALK + most).saturating_sub(most);
            random_walks(root, plies, each, i as u64)
        })
        .collect();
    let fit = Fit::measure(&samples, &depths, switches);
    if fit.pairs.is_empty() {
        return Err(Idle::Line { contestant: name(), positions: samples.len() });
    }
    Ok(Some(fit))
}

/// Runs all contestants on all roots, each with the fit of its ProbCut, if it has one. One of which a search keeps more
/// than `most` nodes is given up.
pub fn compare<N: Node>(
    roots: &[N],
    depth: u32,
    contestants: &[(&Contestant, Option<Fit>)],
    (threads, most): (Threads, usize),
    trees: String,
    watch: &mut Watch<'_>,
) -> Comparison {
    let (mut rows, mut given_up, mut left_out) = (Vec::<Score>::new(), Vec::new(), Vec::new());
    // The algorithm of the first row.
    let mut first = None;
    for (contestant, fit) in contestants {
        watch.say(&contestant.text);
        let entrant = (*contestant, fit.as_ref());
        let mut score = match measure_until(roots, depth, entrant, threads, most, watch.stop) {
            Ok(Some(score)) => score,
            Ok(None) => {
                left_out.push(contestant.text.clone());
                continue;
            }
            Err(Full { most, .. }) => {
                given_up.push(GivenUp { what: contestant.text.clone(), most });
                continue;
            }
        };
        if let Some(reference) = rows.first() {
            let mut both = [first, Some(contestant.switches.algorithm)].into_iter().flatten();
            let goal = both.any(Algorithm::answers_goal).then_some(N::GOAL);
            let answer = |&value: &Value| goal.map_or(value, |goal| (value >= goal).into());
            let pairs = score.values.iter().map(answer).zip(reference.values.iter().map(answer));
            // A lower bound is wrong if it is more than the value.
            let bounds = [Some(contestant.switches.algorithm), first]
                .map(|one| one.is_some_and(Algorithm::bounds_from_below));
            let differ = |(own, theirs): &(Value, Value)| match bounds {
                [true, true] => false,
                [true, false] => own > theirs,
                [false, true] => theirs > own,
                [false, false] => own != theirs,
            };
            score.wrong = pairs.filter(differ).count();
            score.against_first = Some(change(&reference.nodes(), &score.nodes()));
        }
        first = first.or(Some(contestant.switches.algorithm));
        rows.push(score);
    }
    let width = mean_width(roots, depth);
    let minimal = minimal_tree(width, depth) * roots.len() as f64;
    Comparison { trees, count: roots.len(), depth, minimal, width, rows, given_up, left_out }
}

/// The mean branching factor of the full trees' first three plies: the cube root of their leaves. Of fewer
/// plies where the trees end earlier.
pub fn mean_width<N: Node>(roots: &[N], depth: u32) -> f64 {
    fn leaves<N: Node>(node: &N, depth: u32) -> u64 {
        let moves = node.moves();
        match depth {
            0 => 1,
            1 => moves.len() as u64,
            _ => moves.into_iter().map(|m| leaves(&node.child(m), depth - 1)).sum(),
        }
    }
    let count = |plies: u32| (plies, on_all_cores(roots, |root| leaves(root, plies)).iter().sum::<u64>());
    let reached = (1..=depth.clamp(1, 3)).rev().map(count).find(|&(_, leaves)| leaves > 0);
    let (plies, all) = reached.unwrap_or((1, 0));
    (all as f64 / roots.len().max(1) as f64).powf(1.0 / f64::from(plies))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::drawn::Drawn;
    use crate::trees::recorder::Recorder;
    use crate::trees::synthetic::{Kind, Spec, Synthetic};

    fn uniform(seed: u64, depth: u32) -> Synthetic {
        Spec { kind: Kind::Uniform, width: 4, depth, seed, correlation: 50 }.root().unwrap()
    }

    /// Every tree alike has 4^5 leaves below 1 + 4 + 16 + 64 + 256 nodes.
    #[test]
    fn a_score_counts_tree_by_tree() {
        let roots: Vec<Synthetic> = (1..4).map(|seed| uniform(seed, 5)).collect();
        let score = measure(&roots, 5, &"negamax".parse().unwrap(), Threads::One);
        assert_eq!(score.horizon(), [1024; 3]);
        assert_eq!(score.nodes(), [1024 + 341; 3]);
    }

    #[test]
    fn a_width_is_that_of_the_plies_that_are_there() {
        let tree: Drawn = "(1 2 3)".parse().unwrap();
        assert_eq!(mean_width(&[tree], 3), 3.0);
    }

    /// The others keep their rows, and the first of them is what the rest are held against.
    #[test]
    fn a_contestant_that_fills_its_room_costs_itself_only() {
        let roots: Vec<Synthetic> = (1..4).map(|seed| uniform(seed, 5)).collect();
        let contestants: [Contestant; 4] =
            ["pn", "alphabeta", "sss", "pvs"].map(|text| text.parse().unwrap());
        let contestants: Vec<_> = contestants.iter().map(|contestant| (contestant, None)).collect();
        let compared = |threads, most| {
            let (mut hear, stop) = (|_: &str| {}, AtomicBool::new(false));
            let watch = &mut Watch::new(&mut hear, &stop);
            compare(&roots, 5, &contestants, (threads, most), String::new(), watch)
        };
        for threads in [Threads::One, Threads::All] {
            let found = compared(threads, 40);
            let names: Vec<&str> = found.rows.iter().map(|row| row.contestant.as_str()).collect();
            assert_eq!(names, ["alphabeta", "pvs"]);
            let given_up: Vec<String> = found.given_up.iter().map(GivenUp::to_string).collect();
            let why = "was given up: the search keeps more than 40 nodes";
            assert_eq!(given_up, [format!("pn {why}"), format!("sss {why}")]);
            assert!(found.left_out.is_empty() && found.count == 3);
            assert!(found.rows[0].against_first.is_none() && found.rows[1].against_first.is_some());
            assert_eq!(found.rows[1].wrong, 0);
            let roomy = compared(threads, 100_000);
            assert_eq!((roomy.rows.len(), roomy.given_up.len()), (4, 0));
            assert_eq!(roomy.rows[1].each, found.rows[0].each);
        }
    }

    /// With the same room the same search would be full again.
    #[test]
    fn a_search_that_had_all_the_room_is_not_run_again() {
        let root = Recorder::new(uniform(1, 6));
        let contestant: Contestant = "conspiracy=100".parse().unwrap();
        let full = run_within(&root, 6, &contestant.switches, None, 40).unwrap_err();
        let once = root.take();
        let stop = AtomicBool::new(false);
        let entrant = (&contestant, None);
        let found = measure_until(std::slice::from_ref(&root), 6, entrant, Threads::One, 40, &stop);
        assert_eq!(found.unwrap_err(), full);
        assert!(!once.is_empty() && root.take() == once);
    }

    #[test]
    fn tables_side_by_side_are_no_larger_than_one_may_be() {
        let abreast = |text: &str, cores| Threads::All.abreast(&text.parse().unwrap(), 500, cores);
        let (largest, half) = (format!("pvs+trans={MAX_ENTRIES}"), format!("pvs+trans={}", MAX_ENTRIES / 2));
        assert_eq!([1, 2].map(|cores| abreast(&largest, cores)), [500, 1]);
        assert_eq!([2, 3].map(|cores| abreast(&half, cores)), [500, 2]);
        assert_eq!([100, 192].map(|cores| abreast("pvs+trans=1000000", cores)), [500, 134]);
        assert_eq!(abreast("pvs", 1000), 500);
        assert_eq!(Threads::One.abreast(&"pvs".parse().unwrap(), 500, 2), 1);
        let all: Vec<u32> = (0..10).collect();
        assert!((1..12).all(|abreast| each(&all, abreast, |&root| root) == all));
    }
}
