//! What every rule of pruning, extension and quiescence must keep, on trees where its result is known
//! otherwise.
//!
//! A rule of forward pruning is exact where its premise holds, whatever algorithm it runs in: here are trees
//! in which the premises hold by construction, and any search through any window must return the value or a
//! true bound on it. What shortens the list of moves, or searches some lines deeper, searches another tree,
//! which is the same whatever the algorithm: a plain negamax of that tree, written down here once more, has
//! its value.

use super::horizon::FORCING_PLIES;
use super::probcut::{Fit, Pair};
use super::root::tests::through_window;
use super::search::Window;
use super::{Contestant, PLY, run};
use crate::algorithms::minimax::negamax;
use crate::node::{INFINITY, Nature, Node, Value};
use crate::tally::Tally;
use crate::trees::chess_game::ChessGame;
use crate::trees::drawn::Drawn;
use crate::trees::knowledge_of_the_wrapped_node;
use crate::trees::positions::random_chess;
use crate::trees::synthetic::{Kind, Spec, Synthetic, mix};
use proptest::prelude::*;

/// Every window law of the searches that take switches.
const ALGORITHMS: [&str; 12] = [
    "negamax",
    "bnb",
    "failhard",
    "alphabeta",
    "scout",
    "pvs",
    "pvs-r",
    "pvs-e",
    "negascout",
    "mtdf",
    "mt-sss",
    "bisection",
];

/// Memory and order, which leave values alone.
const COMPANY: [&str; 8] = [
    "",
    "+id",
    "+hard",
    "+id+hard+trans=5000",
    "+trans=5000",
    "+id+trans=7+killers",
    "+trans=300+two+etc=1",
    "+id+trans=5000+moves-only+hist",
];

/// How the static value of a node above the horizon lies to its exact one.
#[derive(Clone, Copy, Debug)]
enum Premise {
    /// At most so far away.
    Near(Value),
    /// Not above it, and at most so far below: moving never makes things worse than they look.
    Below(Value),
}

/// A tree that ends `height` plies below, whose static values keep a premise.
#[derive(Clone, Debug)]
struct Kept {
    node: Synthetic,
    height: u32,
    premise: Premise,
    /// After a pass there are no moves, and this is the value.
    passed: Option<Value>,
}

impl Kept {
    fn exact(&self) -> Value {
        negamax(&self.node, self.height, &mut Tally::default())
    }

    fn noise(&self, most: Value) -> Value {
        (mix(self.node.key() ^ u64::from(self.height)) % (most as u64 + 1)) as Value
    }
}

impl Node for Kept {
    type Move = u32;
    const MOVE_CODES: usize = Synthetic::MOVE_CODES;

    fn moves(&self) -> Vec<u32> {
        if self.height == 0 || self.passed.is_some() { Vec::new() } else { self.node.moves() }
    }

    fn child(&self, m: u32) -> Self {
        Self { node: self.node.child(m), height: self.height.saturating_sub(1), ..self.clone() }
    }

    fn evaluate(&self) -> Value {
        match (self.passed, self.premise) {
            (Some(value), _) => value,
            (None, _) if self.moves().is_empty() => self.node.evaluate(),
            (None, Premise::Near(reach)) => self.exact() + self.noise(2 * reach) - reach,
            (None, Premise::Below(reach)) => self.exact() - self.noise(reach),
        }
    }

    fn key(&self) -> u64 {
        self.node.key() ^ mix(self.passed.map_or(0, |value| 1 + u64::from(value.unsigned_abs())))
    }

    fn move_code(&self, m: u32) -> usize {
        self.node.move_code(m)
    }

    /// Passing is never better than the best move.
    fn pass(&self) -> Option<Self> {
        let passed = Some(-(self.exact() - self.noise(40)));
        Some(Self { passed, ..self.clone() })
    }
}

/// A rule with the margin its premise asks for on trees of this kind.
fn rule(which: usize, reach: Value) -> (Premise, String) {
    let near = Premise::Near(reach);
    match which {
        0 => (near, format!("+marginal={}", reach.max(1))),
        1 => (near, format!("+marginal={}+marginal-plies=9", reach.max(1))),
        2 => (near, format!("+razor={}", reach.max(1))),
        3 => (near, "+null".into()),
        4 => (near, "+null-verify".into()),
        5 => (near, "+probcut".into()),
        6 => (near, "+singular=5".into()),
        7 => (near, "+check+recapture+promotion+shed".into()),
        8 => (Premise::Below(reach), "+gamma".into()),
        9 => (Premise::Below(reach), format!("+gamma+marginal=1+marginal-plies=3+razor={}", reach.max(1))),
        _ => (near, format!("+null+razor={0}+marginal={0}+marginal-plies=2+singular=9+mpc", reach.max(1))),
    }
}

/// A shallow search is off by no more than static values are.
fn fit(reach: Value) -> Fit {
    let pair = |(shallow, deep)| Pair {
        shallow,
        deep,
        slope: 1.0,
        offset: 0.0,
        sigma: f64::from(reach),
        samples: 100,
    };
    Fit { pairs: [(1, 2), (1, 3), (2, 4)].map(pair).into(), threshold: 1.0 }
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Uniform),
        Just(Kind::Random),
        Just(Kind::Transposing),
        Just(Kind::Ordered { best_first: 60 })
    ]
}

prop_compose! {
    fn trees(depths: std::ops::Range<u32>)(kind in kinds(), width in 2u32..5, depth in depths, seed: u64) -> (Synthetic, u32) {
        let spec = Spec { kind, width, depth, seed, correlation: 50 };
        (spec.root().unwrap(), depth)
    }
}

/// A driver that goes to the value that comes back is fail-soft, whatever its company.
fn contestant(algorithm: &str, company: &str, words: &str) -> Contestant {
    let soft = ["mtdf", "mt-sss"].contains(&algorithm);
    let company = if soft { company.replace("+hard", "") } else { company.to_owned() };
    format!("{algorithm}{company}{words}").parse().unwrap()
}

/// Runs through a window and holds the result against the value: equal inside, a true bound outside.
fn assert_sound<N: Node>(
    node: &N,
    depth: u32,
    tried: &Contestant,
    fit: Option<&Fit>,
    window: Window,
    exact: Value,
) {
    let found = through_window(node, depth, &tried.switches, fit, window);
    let sound = match found {
        low if low <= window.alpha => exact <= low,
        high if high >= window.beta => exact >= high,
        inside => exact == inside,
    };
    assert!(sound, "{tried} through {window:?} says {found}, the value is {exact}");
}

/// The same for zero windows and open ones, near the value and far from it.
fn windows(exact: Value, offset: Value, width: Value) -> Window {
    Window { alpha: exact + offset, beta: exact + offset + width }
}

proptest! {
    #[test]
    fn a_pruning_rule_is_exact_where_its_premise_holds(
        (node, height) in trees(1..5),
        (which, reach) in (0usize..11, 0 as Value..60),
        (algorithm, company) in (0..ALGORITHMS.len(), 0..COMPANY.len()),
        (offset, width) in (-150 as Value..150, prop_oneof![Just(1 as Value), 1 as Value..200]),
    ) {
        let (premise, words) = rule(which, reach);
        let root = Kept { node, height, premise, passed: None };
        let exact = root.exact();
        let fit = fit(reach);
        let tried = contestant(ALGORITHMS[algorithm], COMPANY[company], &words);
        let found = run(&root, height, &tried.switches, Some(&fit));
        prop_assert_eq!(found.value, exact, "{}", tried);
        assert_sound(&root, height, &tried, Some(&fit), windows(exact, offset, width), exact);
    }
}

/// A tree whose moves beyond the first N are not there, except at the root.
#[derive(Clone, Debug)]
struct FirstMoves<N> {
    node: N,
    ply: u32,
    most: u32,
}

impl<N: Node> Node for FirstMoves<N> {
    knowledge_of_the_wrapped_node!();

    fn moves(&self) -> Vec<N::Move> {
        let most = if self.ply == 0 || self.node.in_check() { u32::MAX } else { self.most };
        let tapered = most.saturating_sub(if most == u32::MAX { 0 } else { 2 * (self.ply - 1) }).max(2);
        crate::node::provisional(&self.node).into_iter().take(tapered as usize).collect()
    }

    fn child(&self, m: N::Move) -> Self {
        Self { node: self.node.child(m), ply: self.ply + 1, most: self.most }
    }

    fn evaluate(&self) -> Value {
        self.node.evaluate()
    }

    fn final_value(&self, height: u32) -> Value {
        self.node.final_value(height)
    }
}

proptest! {
    #[test]
    fn n_best_searches_the_tree_of_the_first_moves(
        (node, depth) in trees(2..6),
        most in 1u32..8,
        (algorithm, company) in (0..ALGORITHMS.len(), prop_oneof![Just(""), Just("+id"), Just("+trans=5000")]),
        (offset, width) in (-150 as Value..150, 1 as Value..200),
    ) {
        let node = Lively { node };
        let exact = negamax(&FirstMoves { node: node.clone(), ply: 0, most }, depth, &mut Tally::default());
        let tried = contestant(ALGORITHMS[algorithm], company, &format!("+nbest={most}"));
        // Where lines transpose, a table hands a node's value from one ply to another, with other first
        // moves.
        prop_assert_eq!(run(&node, depth, &tried.switches, None).value, exact, "{}", tried);
        assert_sound(&node, depth, &tried, None, windows(exact, offset, width), exact);
    }
}

/// A tree of numbers with captures, checks, promotions and material strewn over it.
#[derive(Clone, Debug)]
struct Lively {
    node: Synthetic,
}

impl Lively {
    fn chance(&self, of: u64, salt: u64) -> bool {
        mix(self.node.key() ^ salt).is_multiple_of(of)
    }
}

impl Node for Lively {
    type Move = u32;
    const MOVE_CODES: usize = Synthetic::MOVE_CODES;

    fn moves(&self) -> Vec<u32> {
        self.node.moves()
    }

    fn child(&self, m: u32) -> Self {
        Self { node: self.node.child(m) }
    }

    fn evaluate(&self) -> Value {
        self.node.evaluate()
    }

    fn key(&self) -> u64 {
        self.node.key()
    }

    fn move_code(&self, m: u32) -> usize {
        self.node.move_code(m)
    }

    fn nature(&self, m: u32) -> Nature {
        let child = self.child(m);
        Nature {
            capture: child.chance(3, 1).then_some((300, 100)),
            promotion: child.chance(7, 2),
            promotion_threat: child.chance(6, 3),
            recapture: child.chance(5, 4),
        }
    }

    fn in_check(&self) -> bool {
        self.chance(4, 5)
    }

    fn material(&self) -> Value {
        (mix(self.node.key() ^ 6) % 601) as Value - 300
    }

    fn best_exchange(&self) -> Value {
        (mix(self.node.key() ^ 7) % 50) as Value
    }
}

/// Full width with lines of other lengths, by definition: no windows.
struct OtherLengths<'a> {
    tried: &'a Contestant,
    iteration: u32,
    root_material: Value,
}

impl OtherLengths<'_> {
    fn value<N: Node>(&self, node: &N, depth: i32, ply: u32, reduced: bool) -> Value {
        if depth < PLY {
            return node.evaluate();
        }
        let moves = node.moves();
        if moves.is_empty() {
            return node.final_value((depth / PLY) as u32);
        }
        let below = |m| {
            let change = self.change(node, m, depth, ply, reduced);
            -self.value(&node.child(m), depth - PLY + change, ply + 1, reduced || change < 0)
        };
        moves.into_iter().map(below).max().unwrap()
    }

    fn change<N: Node>(&self, node: &N, m: N::Move, depth: i32, ply: u32, reduced: bool) -> i32 {
        let (on, nature) = (&self.tried.switches, node.nature(m));
        let wish = on.extensions;
        let forced = (wish.check && node.in_check())
            || (wish.recapture && nature.recapture)
            || (wish.promotion && (nature.promotion || nature.promotion_threat));
        if forced && ply < 2 * self.iteration {
            return if wish.fractional { PLY / 2 } else { PLY };
        }
        let sign = if ply.is_multiple_of(2) { 1 } else { -1 };
        let shed = (sign * node.material() - self.root_material).abs() >= 200;
        if on.shed && shed && !reduced && ply > 0 && depth >= 3 * PLY { -PLY } else { 0 }
    }
}

const LENGTHS: [&str; 5] = [
    "+check",
    "+recapture+promotion",
    "+check+recapture+promotion+fractional",
    "+shed",
    "+check+promotion+fractional+shed",
];

fn assert_other_lengths<N: Node>(root: &N, depth: u32, tried: &Contestant, (offset, width): (Value, Value)) {
    let lengths = OtherLengths { tried, iteration: depth, root_material: root.material() };
    let exact = lengths.value(root, depth as i32 * PLY, 0, false);
    assert_eq!(run(root, depth, &tried.switches, None).value, exact, "{tried}");
    assert_sound(root, depth, tried, None, windows(exact, offset, width), exact);
}

proptest! {
    #[test]
    fn deeper_and_shallower_lines_are_searched_alike_by_all(
        (kind, width, seed) in (kinds(), 2u32..4, any::<u64>()),
        (depth, which) in (1u32..4, 0..LENGTHS.len()),
        // Without a table: what is searched below a node depends on how it was reached.
        (algorithm, company) in (0..9usize, prop_oneof![Just(""), Just("+id"), Just("+id+killers+hist+ref")]),
        window in (-150 as Value..150, 1 as Value..200),
    ) {
        let node = Spec { kind, width, depth: 12, seed, correlation: 70 }.root().unwrap();
        let tried = contestant(ALGORITHMS[algorithm], company, LENGTHS[which]);
        assert_other_lengths(&Lively { node }, depth, &tried, window);
    }

    #[test]
    fn a_look_at_successors_asks_for_the_depth_they_would_be_searched_to(
        (width, seed) in (2u32..4, any::<u64>()),
        (depth, which) in (1u32..4, 0..3usize),
        algorithm in 0..9usize,
        window in (-150 as Value..150, 1 as Value..200),
    ) {
        // No two lines meet here, so a table is harmless; the iteration before has searched every child a ply
        // less deeply, which is as deep as a child that is extended now would be searched without that.
        let node = Spec { kind: Kind::Uniform, width, depth: 12, seed, correlation: 70 }.root().unwrap();
        let tried = contestant(ALGORITHMS[algorithm], "+id+trans=100000+etc=1", LENGTHS[which]);
        assert_other_lengths(&Lively { node }, depth, &tried, window);
    }
}

#[test]
fn chess_is_extended_alike_by_all() {
    for (i, root) in random_chess(6, 21).iter().enumerate() {
        for (algorithm, words) in ALGORITHMS[..9].iter().zip(LENGTHS.iter().cycle().skip(i)) {
            assert_other_lengths(root, 2, &contestant(algorithm, "+id", words), (-20, 40));
        }
    }
}

/// The quiescence search by definition: stand pat, or the best of the moves that are not quiet.
fn quiet<N: Node>(node: &N, words: &str, below: u32) -> Value {
    let has = |word: &str| words.split('+').any(|w| w == word);
    let forced = has("quiesce-evasions") && below < FORCING_PLIES && node.in_check();
    let pawn = |nature: Nature| has("quiesce-promotions") && (nature.promotion || nature.promotion_threat);
    let check = |m| has("quiesce-checks") && below == 0 && node.child(m).in_check();
    let loud = |&m: &N::Move| forced || node.nature(m).capture.is_some() || pawn(node.nature(m)) || check(m);
    let moves: Vec<N::Move> = node.moves().into_iter().filter(loud).collect();
    if forced && moves.is_empty() {
        return node.final_value(0);
    }
    let stand = if forced { -INFINITY } else { node.evaluate() };
    moves.into_iter().map(|m| -quiet(&node.child(m), words, below + 1)).fold(stand, Value::max)
}

fn quiesced<N: Node>(node: &N, depth: u32, words: &str) -> Value {
    let moves = node.moves();
    match depth {
        0 if words == "+see" => node.evaluate() + node.best_exchange(),
        0 => quiet(node, words, 0),
        _ if moves.is_empty() => node.final_value(depth),
        _ => moves.into_iter().map(|m| -quiesced(&node.child(m), depth - 1, words)).max().unwrap(),
    }
}

const HORIZONS: [&str; 4] = [
    "+quiesce",
    "+quiesce+quiesce-promotions",
    "+quiesce-evasions+quiesce-checks+quiesce-promotions",
    "+see",
];

proptest! {
    #[test]
    fn a_horizon_is_bounded_truly_through_every_window(
        (kind, width, seed) in (kinds(), 2u32..4, any::<u64>()),
        (depth, which) in (1u32..4, 0..HORIZONS.len()),
        (algorithm, company) in (0..ALGORITHMS.len(), 0..COMPANY.len()),
        (offset, span) in (-150 as Value..150, 1 as Value..200),
    ) {
        let node = Spec { kind, width, depth: 8, seed, correlation: 70 }.root().unwrap();
        let root = Lively { node };
        let exact = quiesced(&root, depth, HORIZONS[which]);
        let tried = contestant(ALGORITHMS[algorithm], COMPANY[company], HORIZONS[which]);
        prop_assert_eq!(run(&root, depth, &tried.switches, None).value, exact, "{}", tried);
        assert_sound(&root, depth, &tried, None, windows(exact, offset, span), exact);
    }
}

/// At the last ply marginal pruning cannot err: the immediate value of a move is its value, or by the right
/// to stand pat at least that for the opponent.
#[test]
fn marginal_pruning_at_the_last_ply_is_exact_in_chess() {
    for root in random_chess(8, 33) {
        for horizon in ["", "+quiesce", "+see"] {
            let value = |text: &str| -> Value {
                let tried: Contestant = format!("{text}{horizon}").parse().unwrap();
                run::<ChessGame>(&root, 2, &tried.switches, None).value
            };
            for algorithm in ["alphabeta+marginal=5", "pvs+id+marginal=30", "pvs-r+trans=999+marginal=1"] {
                assert_eq!(value(algorithm), value("alphabeta+id"), "{algorithm}{horizon}");
            }
        }
    }
}

/// The move that stands out is worth 0 at three plies and -100 at four, the other -50. Searched deeper, the
/// first is no longer the better one, and the second must be heard again.
#[test]
fn a_singular_move_that_disappoints_does_not_hide_its_brother() {
    let root: Drawn = "(((((100))) 50))".parse().unwrap();
    for algorithm in ["alphabeta", "pvs", "scout", "failhard"] {
        let tried = contestant(algorithm, "", "+singular=40");
        let found = run(&root, 4, &tried.switches, None);
        assert_eq!((found.value, found.tally.extended), (50, 1), "{algorithm}");
    }
}
