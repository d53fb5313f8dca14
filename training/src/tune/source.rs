//! The weights as source code that can be read, compared and committed.

use engine::eval::layout::{COUNT, GROUPS};
use std::fmt::Write as _;

/// The text of `engine/src/eval/weights.rs` with these weights; `note` says where they come from, as lines of prose.
///
/// # Panics
/// When there are not as many weights as the evaluation has.
pub fn weights_source(weights: &[[i16; 2]], note: &str) -> String {
    assert_eq!(weights.len(), COUNT, "as many weights as the evaluation has");
    let mut out = String::from(
        "//! The weights of the evaluation in centipawns: middle game and end game. [`super::layout`] says which is which.\n//!\n",
    );
    for line in note.lines() {
        let _ = writeln!(out, "{}", format!("//! {line}").trim_end());
    }
    out.push_str(
        "
use super::Tapered;
use super::layout::COUNT;

/// Every weight.
pub static WEIGHTS: [Tapered; COUNT] = {
    let mut weights = [Tapered::new(0, 0); COUNT];
    let mut i = 0;
    while i < COUNT {
        weights[i] = Tapered::new(TABLE[i].0 as i32, TABLE[i].1 as i32);
        i += 1;
    }
    weights
};

#[rustfmt::skip]
const TABLE: [(i16, i16); COUNT] = [
",
    );
    for group in GROUPS {
        let _ = writeln!(out, "    // {}: {}", group.name, group.meaning);
        for row in weights[group.places()].chunks(8) {
            let pairs: Vec<String> =
                row.iter().map(|[middle, end]| format!("({middle:>4}, {end:>4}),")).collect();
            let _ = writeln!(out, "    {}", pairs.join(" "));
        }
    }
    out.push_str("];\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::eval::weights::WEIGHTS;

    /// The file in the engine is what this writes: the same numbers give the same text, note apart.
    #[test]
    fn the_engines_file_is_of_this_making() {
        let file = include_str!("../../../engine/src/eval/weights.rs");
        let note: Vec<&str> = file
            .lines()
            .skip(2)
            .map_while(|line| line.strip_prefix("//!").map(|rest| rest.strip_prefix(' ').unwrap_or(rest)))
            .collect();
        let weights: Vec<[i16; 2]> = WEIGHTS.iter().map(|w| [w.middle() as i16, w.end() as i16]).collect();
        assert_eq!(weights_source(&weights, &note.join("\n")), file);
    }
}
