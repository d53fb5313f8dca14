//! Trees drawn by hand: nested parentheses with the leaf values, as seen by the player at the root.
//!
//! `(((5 4) (6 1)) ((9 7) (3 2)))` is the tree of M's figures 2 and 6. The figure's own page prints the
//! leaves as 5 4 6 1 9 7 3 2 from left to right; the text adds that p.1.2.1 is 6, that p.1.2.2 is cut off,
//! and that p.2.1.2 is 7 and falls to the minimal window.

use crate::node::{Node, Value, WIN};
use std::str::FromStr;
use std::sync::Arc;

/// The tree of M's figures 2 and 6.
pub const MARSLAND_FIGURE_2: &str = "(((5 4) (6 1)) ((9 7) (3 2)))";

/// The deepest nesting that is accepted.
const MAX_NESTING: usize = 64;

/// A node of a drawn tree, with its Dewey-decimal place.
#[derive(Clone, Debug)]
pub struct Drawn {
    shape: Arc<Shape>,
    place: Vec<u8>,
}

#[derive(Debug)]
enum Shape {
    Leaf(Value),
    Branch(Vec<Arc<Shape>>),
}

/// Why a text is no tree.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DrawnError {
    /// Neither a parenthesis nor a number stood where one was expected.
    #[error("a drawn tree is made of parentheses and numbers, as in {MARSLAND_FIGURE_2}; found {0:?}")]
    Word(String),
    /// The text ended inside a branch.
    #[error("a drawn tree ended with an open parenthesis")]
    Open,
    /// Something follows the closed tree.
    #[error("{0:?} follows the end of the drawn tree")]
    Trailing(String),
    /// A pair of parentheses with nothing in it, or with more than 255 branches.
    #[error("a branch needs between 1 and 255 children")]
    Width,
    /// A number out of range.
    #[error("the leaf value {0} is not between {min} and {max}", min = -WIN, max = WIN)]
    Value(Value),
    /// Nested too deeply.
    #[error("a drawn tree may be nested {MAX_NESTING} deep")]
    Nesting,
}

impl FromStr for Drawn {
    type Err = DrawnError;

    fn from_str(text: &str) -> Result<Self, DrawnError> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace(',', " ");
        let mut words = spaced.split_whitespace();
        let first = words.next().unwrap_or_default();
        let shape = read(first, &mut words, 0)?;
        match words.next() {
            Some(word) => Err(DrawnError::Trailing(word.to_owned())),
            None => Ok(Self { shape, place: Vec::new() }),
        }
    }
}

fn read<'a>(
    word: &str,
    rest: &mut impl Iterator<Item = &'a str>,
    nesting: usize,
) -> Result<Arc<Shape>, DrawnError> {
    if nesting > MAX_NESTING {
        return Err(DrawnError::Nesting);
    }
    if word != "(" {
        let value: Value = word.parse().map_err(|_| DrawnError::Word(word.to_owned()))?;
        let fits = value.checked_abs().is_some_and(|size| size <= WIN);
        return if fits { Ok(Arc::new(Shape::Leaf(value))) } else { Err(DrawnError::Value(value)) };
    }
    let mut branches = Vec::new();
    loop {
        match rest.next().ok_or(DrawnError::Open)? {
            ")" => break,
            word => branches.push(read(word, rest, nesting + 1)?),
        }
    }
    if branches.is_empty() || branches.len() > 255 {
        return Err(DrawnError::Width);
    }
    Ok(Arc::new(Shape::Branch(branches)))
}

impl Drawn {
    /// The longest way from this node to a leaf, in plies.
    pub fn height(&self) -> u32 {
        fn height(shape: &Shape) -> u32 {
            match shape {
                Shape::Leaf(_) => 0,
                Shape::Branch(branches) => 1 + branches.iter().map(|b| height(b)).max().unwrap_or(0),
            }
        }
        height(&self.shape)
    }

    /// The value written at a leaf, as the root's player sees it; none at a branch.
    pub fn drawn_value(&self) -> Option<Value> {
        match *self.shape {
            Shape::Leaf(value) => Some(value),
            Shape::Branch(_) => None,
        }
    }

    /// The node's name in the figures: `p`, `p.1`, `p.1.2`.
    pub fn label(&self) -> String {
        self.place.iter().fold("p".to_owned(), |label, step| format!("{label}.{}", step + 1))
    }
}

impl Node for Drawn {
    type Move = u8;
    const MOVE_CODES: usize = 512;

    fn moves(&self) -> Vec<u8> {
        match &*self.shape {
            Shape::Leaf(_) => Vec::new(),
            Shape::Branch(branches) => (0..=255).take(branches.len()).collect(),
        }
    }

    fn child(&self, m: u8) -> Self {
        let Shape::Branch(branches) = &*self.shape else {
            return self.clone();
        };
        let mut place = self.place.clone();
        place.push(m);
        Self { shape: Arc::clone(&branches[usize::from(m)]), place }
    }

    /// The drawn value turned to the side to move. A branch has none of its own: 0.
    fn evaluate(&self) -> Value {
        let value = self.drawn_value().unwrap_or(0);
        if self.place.len().is_multiple_of(2) { value } else { -value }
    }

    fn key(&self) -> u64 {
        self.place.iter().fold(1, |key, &step| super::synthetic::mix(key ^ u64::from(step) << 1))
    }

    fn move_code(&self, m: u8) -> usize {
        usize::from(m) + 256 * (self.place.len() % 2)
    }

    fn name(&self, m: u8) -> String {
        (m + 1).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_reads_back() {
        let root: Drawn = MARSLAND_FIGURE_2.parse().unwrap();
        assert_eq!(root.height(), 3);
        let leaf = root.child(1).child(0).child(1);
        assert_eq!((leaf.label().as_str(), leaf.drawn_value()), ("p.2.1.2", Some(7)));
        assert_eq!(leaf.evaluate(), -7, "three plies down the other side is to move");
    }

    #[test]
    fn what_is_no_tree_is_named() {
        assert_eq!("(1 (2)".parse::<Drawn>().unwrap_err(), DrawnError::Open);
        assert_eq!("()".parse::<Drawn>().unwrap_err(), DrawnError::Width);
        assert_eq!("(1) 2".parse::<Drawn>().unwrap_err(), DrawnError::Trailing("2".into()));
        assert_eq!("(1 x)".parse::<Drawn>().unwrap_err(), DrawnError::Word("x".into()));
        assert_eq!("".parse::<Drawn>().unwrap_err(), DrawnError::Word(String::new()));
        assert_eq!("(99999)".parse::<Drawn>().unwrap_err(), DrawnError::Value(99_999));
        assert_eq!("(".repeat(500).parse::<Drawn>().unwrap_err(), DrawnError::Nesting);
    }
}
