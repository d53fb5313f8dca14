//! Trees made of numbers: any width, any depth, reproducible from a seed, never stored.
//!
//! Six kinds:
//!
//! * **uniform**: every node has `width` branches, leaf values are sums of random edges mixed with noise.
//! * **independent**: the same shape, and each static value is a random number of its own, one of 99,999. The
//!   values of a deep random tree crowd together, the more the deeper it is; with fewer numbers most of them would
//!   be equal, and a search would stand or fall by how it takes ties.
//! * **random**: widths vary from node to node and some lines end early.
//! * **ordered**: values are handed down from the root instead of up from the leaves. A node of value v has
//!   one child of value -v and others that are worse for its owner, so the minimax value of every node is
//!   known without search, and so is the place of the best branch: first with probability `best_first`
//!   (perfect order at 100; "strongly ordered" trees in Marsland and Campbell's sense around 70).
//! * **reversed**: the same the other way round. At every node each branch is better than the one before it,
//!   and the last keeps the node's value. Branches are so far apart that nothing below one reaches its
//!   neighbours, so nothing can be cut off. (2 `width`)^`depth` must stay below 49,000, or values run out.
//! * **transposing**: branches commute as chess moves do (a state is the *sum* of the moves made by either
//!   side), so different move orders meet and a transposition table has something to find.
//!
//! `correlation` is a weight, in percent, and no coefficient of correlation. In uniform, random and transposing
//! trees a static value is made of that share of the sum of the edges down to the node, which its children share,
//! and of noise for the rest: 0 makes the leaf values independent, 100 makes each the exact sum. In ordered and
//! reversed trees leaves have the values that are handed down to them; above these the static value misses the
//! exact minimax value by the noise's share, and at 100 not at all. Independent trees have no sum to weigh.

use crate::node::{Node, Value, WIN};
use crate::tally::Tally;
use std::fmt;
use std::str::FromStr;

/// The deepest synthetic tree.
pub const MAX_DEPTH: u32 = 64;

/// The widest synthetic tree.
pub const MAX_WIDTH: u32 = 1000;

/// Edges lie between minus this and plus this, and so does noise but in independent trees.
const SPREAD: i64 = 100;

/// The values of an independent tree lie between minus this and plus this: as many as there are below [`WIN`].
const FINE_SPREAD: i64 = WIN as i64 - 1;

/// The values of a reversed tree span less than this, and so stay below [`WIN`].
const WIDEST_SPAN: u64 = 49_000;

/// Which law a synthetic tree grows by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Constant width.
    Uniform,
    /// Constant width, every value a random number of its own.
    Independent,
    /// Varying width, early ends.
    Random,
    /// Known values, best branch first with the given probability in percent.
    Ordered {
        /// 0 to 100.
        best_first: u8,
    },
    /// Known values, every branch better than the one before.
    Reversed,
    /// Constant width, commuting moves.
    Transposing,
}

impl Kind {
    /// One of each law, and one whose first move is best only in 70 of 100 nodes.
    pub const SAMPLES: [Kind; 5] = [
        Kind::Uniform,
        Kind::Random,
        Kind::Ordered { best_first: 100 },
        Kind::Ordered { best_first: 70 },
        Kind::Transposing,
    ];
}

impl Kind {
    /// Are values handed down from the root, so that every node's is known?
    fn hands_values_down(self) -> bool {
        matches!(self, Kind::Ordered { .. } | Kind::Reversed)
    }

    /// How far noise may take a static value.
    fn spread(self) -> i64 {
        if self == Kind::Independent { FINE_SPREAD } else { SPREAD }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Uniform => f.write_str("uniform"),
            Kind::Independent => f.write_str("independent"),
            Kind::Random => f.write_str("random"),
            Kind::Ordered { best_first: 100 } => f.write_str("ordered"),
            Kind::Ordered { best_first } => write!(f, "ordered:{best_first}"),
            Kind::Reversed => f.write_str("reversed"),
            Kind::Transposing => f.write_str("transposing"),
        }
    }
}

/// Why there is no such tree.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SpecError {
    /// Width out of range.
    #[error("width {0}: a tree needs between 1 and {MAX_WIDTH} branches at a node")]
    Width(u32),
    /// Depth out of range.
    #[error("depth {0}: trees here have between 1 and {MAX_DEPTH} plies")]
    Depth(u32),
    /// A reversed tree with more leaves than there are values to keep them apart.
    #[error(
        "depth {depth}: reversed trees of width {width} have at most {most} plies here, since \
         (2 x {width})^plies must stay below {WIDEST_SPAN}, or branches would be worth the same",
        most = deepest_reversed(*width)
    )]
    Reversed {
        /// Branches at a node.
        width: u32,
        /// Plies asked for.
        depth: u32,
    },
    /// A percentage above 100.
    #[error("{0} percent: correlation and best-first probability lie between 0 and 100")]
    Percent(u8),
    /// An unknown kind.
    #[error(
        "no kind of tree is called {0:?}; there are uniform, independent, random, ordered, ordered:PERCENT, \
         reversed, transposing"
    )]
    Kind(String),
}

impl FromStr for Kind {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text {
            "uniform" => Ok(Kind::Uniform),
            "independent" => Ok(Kind::Independent),
            "random" => Ok(Kind::Random),
            "ordered" => Ok(Kind::Ordered { best_first: 100 }),
            "reversed" => Ok(Kind::Reversed),
            "transposing" => Ok(Kind::Transposing),
            _ => {
                let percent = text.strip_prefix("ordered:").and_then(|p| p.parse().ok());
                let best_first = percent.ok_or_else(|| SpecError::Kind(text.to_owned()))?;
                if best_first > 100 {
                    Err(SpecError::Percent(best_first))
                } else {
                    Ok(Kind::Ordered { best_first })
                }
            }
        }
    }
}

/// Everything that determines a synthetic tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The law of growth.
    pub kind: Kind,
    /// Branches at a node (at most, for random trees); 1 to [`MAX_WIDTH`].
    pub width: u32,
    /// Plies from the root to the last level; 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// Which of the trees of this law.
    pub seed: u64,
    /// How much of a static value is not noise, 0 to 100 percent. Means nothing to independent trees.
    pub correlation: u8,
}

impl Spec {
    /// The root of the tree.
    pub fn root(self) -> Result<Synthetic, SpecError> {
        if self.width == 0 || self.width > MAX_WIDTH {
            return Err(SpecError::Width(self.width));
        }
        if self.depth == 0 || self.depth > MAX_DEPTH {
            return Err(SpecError::Depth(self.depth));
        }
        if self.kind == Kind::Reversed && self.depth > deepest_reversed(self.width) {
            return Err(SpecError::Reversed { width: self.width, depth: self.depth });
        }
        if self.correlation > 100 {
            return Err(SpecError::Percent(self.correlation));
        }
        let state = mix(self.seed ^ 0x0019_860F_162A);
        // Some distance from zero, so that a root value is not always 0 in ordered trees.
        let value = between(mix(state), SPREAD);
        Ok(Synthetic { spec: self, state, ply: 0, value })
    }
}

/// The most plies that a reversed tree of this width (at least 1) has.
fn deepest_reversed(width: u32) -> u32 {
    let fits = |&depth: &u32| (2 * u64::from(width)).saturating_pow(depth) < WIDEST_SPAN;
    (1..=MAX_DEPTH).take_while(fits).count() as u32
}

/// A node of a synthetic tree.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    spec: Spec,
    /// Determines everything below. A hash of the path, or the sum of the moves made when moves commute.
    state: u64,
    ply: u32,
    /// For the side to move: the sum of the edges so far, or in ordered trees the minimax value itself.
    value: i64,
}

impl Synthetic {
    /// The minimax value of this node, where the tree was built around it (ordered trees).
    pub fn known_value(&self) -> Option<Value> {
        self.spec.kind.hands_values_down().then(|| clamp(self.value))
    }

    fn width(&self) -> u32 {
        match self.spec.kind {
            Kind::Random if self.ply > 0 && self.noise(3).is_multiple_of(16) => 0,
            Kind::Random => 1 + (self.noise(4) % u64::from(self.spec.width)) as u32,
            _ => self.spec.width,
        }
    }

    /// The share of a static value that is not noise, in percent.
    fn trust(&self) -> i64 {
        if self.spec.kind == Kind::Independent { 0 } else { i64::from(self.spec.correlation) }
    }

    /// A number that depends on this node and `purpose` only.
    fn noise(&self, purpose: u64) -> u64 {
        mix(self.state ^ mix(u64::from(self.ply) << 8 | purpose))
    }

    /// The branch that keeps the node's value in an ordered tree.
    fn best_branch(&self, best_first: u8) -> u32 {
        let chance = (self.noise(5) % 100) as u8;
        if chance < best_first || self.spec.width == 1 {
            0
        } else {
            1 + (self.noise(6) % u64::from(self.spec.width - 1)) as u32
        }
    }
}

impl Node for Synthetic {
    type Move = u32;
    const MOVE_CODES: usize = 2 * MAX_WIDTH as usize;

    fn is_in_worst_order(&self) -> bool {
        self.spec.kind == Kind::Reversed
    }

    fn moves(&self) -> Vec<u32> {
        if self.ply == self.spec.depth { Vec::new() } else { (0..self.width()).collect() }
    }

    fn child(&self, m: u32) -> Self {
        let branch = mix(u64::from(m) << 1 | u64::from(self.ply % 2));
        let (state, value) = match self.spec.kind {
            Kind::Uniform | Kind::Independent | Kind::Random => {
                let state = mix(self.state ^ branch);
                (state, -self.value - between(mix(state), SPREAD))
            }
            // The edge, like the state, must not depend on when the move is made.
            Kind::Transposing => {
                (self.state.wrapping_add(branch), -self.value - between(mix(branch ^ self.spec.seed), SPREAD))
            }
            Kind::Ordered { best_first } => {
                let state = mix(self.state ^ branch);
                let worse =
                    if m == self.best_branch(best_first) { 0 } else { 1 + (state % SPREAD as u64) as i64 };
                (state, worse - self.value)
            }
            Kind::Reversed => {
                // All that lies below spans less than one such step: digits of base 2 `width`.
                let least = (2 * u64::from(self.spec.width)).pow(self.spec.depth - self.ply - 1);
                let step = (least + self.noise(9) % least) as i64;
                (mix(self.state ^ branch), i64::from(self.spec.width - 1 - m) * step - self.value)
            }
        };
        Self { spec: self.spec, state, ply: self.ply + 1, value }
    }

    fn evaluate(&self) -> Value {
        let (trust, noise) = (self.trust(), between(self.noise(7), self.spec.kind.spread()));
        let blend = trust * self.value + (100 - trust) * noise;
        match self.spec.kind {
            kind if kind.hands_values_down() && self.ply == self.spec.depth => clamp(self.value),
            kind if kind.hands_values_down() => clamp(self.value + (100 - trust) * noise / 100),
            _ => clamp(blend / 100),
        }
    }

    /// By the law of growth: no edge is larger than `SPREAD`, and no noise than the spread of the kind.
    fn bounds(&self, depth: u32, tally: &mut Tally) -> (Value, Value) {
        let trust = self.trust();
        let doubt = (100 - trust) * self.spec.kind.spread();
        let (middle, reach) = match self.spec.kind {
            kind if kind.hands_values_down() => (100 * i64::from(tally.evaluate(self)), doubt),
            _ => (trust * self.value, trust * SPREAD * i64::from(depth) + doubt),
        };
        (clamp((middle - reach) / 100), clamp((middle + reach) / 100))
    }

    fn key(&self) -> u64 {
        self.noise(8)
    }

    fn move_code(&self, m: u32) -> usize {
        m as usize + MAX_WIDTH as usize * (self.ply % 2) as usize
    }
}

/// The mixing step of SplitMix64 (Steele, Lea and Flood 2014): turns a place in a tree into a number that
/// looks random, which a stream of random numbers cannot do without walking there.
pub fn mix(place: u64) -> u64 {
    let mut z = place.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number from -spread to spread.
fn between(random: u64, spread: i64) -> i64 {
    (random % (2 * spread as u64 + 1)) as i64 - spread
}

fn clamp(value: i64) -> Value {
    value.clamp(i64::from(1 - WIN), i64::from(WIN - 1)) as Value
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn spec(kind: Kind) -> Spec {
        Spec { kind, width: 3, depth: 4, seed: 9, correlation: 50 }
    }

    #[test]
    fn impossible_trees_are_refused_by_name() {
        assert_eq!(Spec { width: 0, ..spec(Kind::Uniform) }.root().unwrap_err(), SpecError::Width(0));
        assert_eq!(Spec { depth: 65, ..spec(Kind::Uniform) }.root().unwrap_err(), SpecError::Depth(65));
        assert_eq!(
            Spec { correlation: 101, ..spec(Kind::Random) }.root().unwrap_err(),
            SpecError::Percent(101)
        );
        assert!("oak".parse::<Kind>().unwrap_err().to_string().contains("transposing"));
    }

    #[test]
    fn kinds_read_back_what_they_print() {
        for text in ["uniform", "independent", "random", "ordered", "ordered:70", "reversed", "transposing"] {
            assert_eq!(text.parse::<Kind>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn moves_of_one_side_commute_only_in_transposing_trees() {
        let after = |kind, order: [u32; 3]| {
            let node = order.iter().fold(spec(kind).root().unwrap(), |node, &m| node.child(m));
            (node.key(), node.evaluate())
        };
        assert_eq!(after(Kind::Transposing, [0, 1, 2]), after(Kind::Transposing, [2, 1, 0]));
        assert_ne!(after(Kind::Uniform, [0, 1, 2]), after(Kind::Uniform, [2, 1, 0]));
    }

    /// The least and the greatest leaf below a node, for the side to move there.
    fn range(node: &Synthetic) -> (Value, Value) {
        let below = node.moves().into_iter().map(|m| range(&node.child(m)));
        let joined = below.map(|(low, high)| (-high, -low)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        joined.unwrap_or((node.evaluate(), node.evaluate()))
    }

    #[test]
    fn nothing_below_a_branch_of_a_reversed_tree_reaches_its_neighbours() {
        for seed in 0..500 {
            let root = Spec { width: 4, seed, ..spec(Kind::Reversed) }.root().unwrap();
            // For the other side each is worse than the one before.
            let ranges: Vec<_> = root.moves().into_iter().map(|m| range(&root.child(m))).collect();
            assert!(ranges.windows(2).all(|two| two[0].0 > two[1].1), "{seed}: {ranges:?}");
        }
    }

    /// The best branch is the one that keeps its node's value. Of 3100 nodes a share is off by less than a hundredth as
    /// a rule.
    #[test]
    fn the_best_branch_is_first_as_often_as_asked_for_and_else_anywhere() {
        for best_first in [0, 30, 70, 100] {
            let mut places = [0u32; 5];
            for seed in 0..100 {
                let kind = Kind::Ordered { best_first };
                let mut nodes = vec![Spec { width: 5, seed, ..spec(kind) }.root().unwrap()];
                for _ in 0..3 {
                    let best = |node: &Synthetic| (0..5).position(|m| node.child(m).value == -node.value);
                    nodes.iter().for_each(|node| places[best(node).unwrap()] += 1);
                    nodes = nodes.iter().flat_map(|node| (0..5).map(|m| node.child(m))).collect();
                }
            }
            let first = f64::from(best_first);
            for (place, count) in places.into_iter().enumerate() {
                let (found, asked) =
                    (f64::from(count) / 31.0, if place == 0 { first } else { (100.0 - first) / 4.0 });
                assert!((found - asked).abs() < 4.0, "{best_first}: {found} % in place {place}");
            }
        }
    }

    /// Of a thousand numbers out of 99,999 five pairs or so are equal; out of 201 nearly all are.
    #[test]
    fn the_leaves_of_an_independent_tree_are_hardly_ever_equal() {
        for (correlation, depth) in [(0, 5), (50, 5), (100, 3)] {
            let kind = Kind::Independent;
            let mut nodes = vec![Spec { kind, width: 4, depth, seed: 3, correlation }.root().unwrap()];
            for _ in 0..depth {
                nodes = nodes.iter().flat_map(|node| (0..4).map(|m| node.child(m))).collect();
            }
            let values: HashSet<Value> = nodes.iter().map(Node::evaluate).collect();
            assert!(100 * values.len() > 97 * nodes.len(), "{} of {}", values.len(), nodes.len());
            assert!(values.iter().all(|value| value.abs() < WIN));
        }
    }

    #[test]
    fn path_trees_have_no_two_nodes_alike() {
        fn keys(node: &Synthetic, seen: &mut HashSet<u64>) {
            assert!(seen.insert(node.key()), "a key came twice");
            node.moves().into_iter().for_each(|m| keys(&node.child(m), seen));
        }
        keys(&spec(Kind::Uniform).root().unwrap(), &mut HashSet::new());
    }
}
