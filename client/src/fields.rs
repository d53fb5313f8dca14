//! The reader of `info` lines, for our own replies read back and for those of any other engine.
//!
//! The protocol leaves the order of the fields open, lets `string` take the rest of the line, and asks for
//! unknown words to be passed over. So a field counts wherever it stands, a list of moves ends at the next
//! field, and a field whose value cannot be read leaves the others alone. Where a field comes twice the last
//! readable value holds.

use crate::text::{split_word, whole};
use thinking::report::Bound;
use thinking::score::{Reported, Wdl};

/// Words that begin a field: none of them is a value or a move.
const FIELDS: [&str; 23] = [
    "depth",
    "seldepth",
    "time",
    "nodes",
    "pv",
    "multipv",
    "score",
    "cp",
    "mate",
    "lowerbound",
    "upperbound",
    "wdl",
    "currmove",
    "currmovenumber",
    "hashfull",
    "nps",
    "tbhits",
    "sbhits",
    "cpuload",
    "string",
    "refutation",
    "currline",
    "movesleft",
];

/// What an `info` line says, as it says it: nothing is clamped but numbers beyond their type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a> {
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    /// Deepest line in plies.
    pub seldepth: Option<u32>,
    /// Rank of the line, from 1.
    pub multipv: Option<usize>,
    /// Score for the side to move.
    pub score: Option<Reported>,
    /// What the score bounds; exact unless the line says otherwise.
    pub bound: Option<Bound>,
    /// Chances in thousandths.
    pub wdl: Option<Wdl>,
    /// Nodes so far.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Per mille of the table used.
    pub hashfull: Option<u32>,
    /// Tablebase hits.
    pub tbhits: Option<u64>,
    /// Milliseconds so far.
    pub time: Option<u64>,
    /// The root move being searched.
    pub currmove: Option<&'a str>,
    /// Its number, from 1.
    pub currmovenumber: Option<usize>,
    /// The line's moves, as they are written.
    pub pv: Vec<&'a str>,
    /// Text for a person.
    pub string: Option<&'a str>,
    /// The first field whose value cannot be read.
    pub fault: Option<&'a str>,
}

impl<'a> Fields<'a> {
    /// Reads what follows the word `info`.
    pub fn read(text: &'a str) -> Self {
        let mut fields = Self::default();
        let mut rest = text;
        while let Some((word, after)) = split_word(rest) {
            rest = match word {
                "string" => {
                    fields.string = Some(after.trim());
                    return fields;
                }
                "score" => fields.read_score(after),
                "wdl" => fields.read_wdl(after),
                "pv" => fields.read_moves(after),
                "currmove" => fields.read_current(after),
                _ => fields.read_number(word, after),
            };
        }
        fields
    }

    /// A field of one number, or a word that means nothing here.
    fn read_number(&mut self, word: &'a str, rest: &'a str) -> &'a str {
        let fault = &mut self.fault;
        match word {
            "depth" => put(&mut self.depth, word, value(rest, 0, u32::MAX), rest, fault),
            "seldepth" => put(&mut self.seldepth, word, value(rest, 0, u32::MAX), rest, fault),
            "multipv" => put(&mut self.multipv, word, value(rest, 0, usize::MAX), rest, fault),
            "nodes" => put(&mut self.nodes, word, value(rest, 0, u64::MAX), rest, fault),
            "nps" => put(&mut self.nps, word, value(rest, 0, u64::MAX), rest, fault),
            "hashfull" => put(&mut self.hashfull, word, value(rest, 0, u32::MAX), rest, fault),
            "tbhits" => put(&mut self.tbhits, word, value(rest, 0, u64::MAX), rest, fault),
            "time" => put(&mut self.time, word, value(rest, 0, u64::MAX), rest, fault),
            "currmovenumber" => put(&mut self.currmovenumber, word, value(rest, 0, usize::MAX), rest, fault),
            _ => rest,
        }
    }

    /// `cp N` or `mate N`, and whether it is a bound, in any order.
    fn read_score(&mut self, mut rest: &'a str) -> &'a str {
        let mut found = None;
        while let Some((word, after)) = split_word(rest) {
            let reported: fn(i32) -> Reported = match word {
                "lowerbound" | "upperbound" => {
                    self.bound = Some(if word == "lowerbound" { Bound::Lower } else { Bound::Upper });
                    rest = after;
                    continue;
                }
                "cp" => Reported::Centipawns,
                "mate" => Reported::Mate,
                _ => break,
            };
            let number = value(after, i32::MIN, i32::MAX);
            found = number.map(|(number, _)| reported(number)).or(found);
            rest = number.map_or(after, |(_, after)| after);
        }
        if found.is_none() {
            self.fault.get_or_insert("score");
        }
        self.score = found.or(self.score);
        rest
    }

    fn read_wdl(&mut self, text: &'a str) -> &'a str {
        let number = |text| value(text, 0, u32::MAX);
        let chances = number(text).and_then(|(win, rest)| {
            let (draw, rest) = number(rest)?;
            let (loss, rest) = number(rest)?;
            Some((Wdl { win, draw, loss }, rest))
        });
        put(&mut self.wdl, "wdl", chances, text, &mut self.fault)
    }

    fn read_moves(&mut self, mut rest: &'a str) -> &'a str {
        let mut moves = Vec::new();
        while let Some((word, after)) = split_word(rest).filter(|(word, _)| looks_like_move(word)) {
            moves.push(word);
            rest = after;
        }
        if !moves.is_empty() {
            self.pv = moves;
        }
        rest
    }

    fn read_current(&mut self, rest: &'a str) -> &'a str {
        match split_word(rest).filter(|(word, _)| looks_like_move(word)) {
            Some((word, after)) => {
                self.currmove = Some(word);
                after
            }
            None => {
                self.fault.get_or_insert("currmove");
                rest
            }
        }
    }
}

/// The number at the head of a text, and what follows it.
fn value<T: std::str::FromStr<Err = std::num::ParseIntError>>(
    text: &str,
    least: T,
    most: T,
) -> Option<(T, &str)> {
    let (word, rest) = split_word(text)?;
    Some((whole(word, least, most)?, rest))
}

/// Fills a field with what was read, or notes that it could not be read. Returns what is left to read.
fn put<'a, T>(
    slot: &mut Option<T>,
    name: &'a str,
    read: Option<(T, &'a str)>,
    rest: &'a str,
    fault: &mut Option<&'a str>,
) -> &'a str {
    match read {
        Some((value, after)) => {
            *slot = Some(value);
            after
        }
        None => {
            fault.get_or_insert(name);
            rest
        }
    }
}

/// A move in any notation that engines write has a rank in it, or is castling, a null move, or says that
/// there is none.
fn looks_like_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let ranked = bytes[0].is_ascii_alphabetic() && bytes.iter().any(|byte| (b'1'..=b'8').contains(byte));
    let castles = word.starts_with("O-O") || word.starts_with("0-0");
    !FIELDS.contains(&word) && (ranked || castles || matches!(word, "0000" | "(none)" | "--" | "@@@@"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same fields in every order say the same.
    #[test]
    fn the_order_of_the_fields_does_not_matter() {
        let parts = ["depth 7", "score cp -28", "nodes 42805", "time 68", "pv c7c5 g1e2", "multipv 1"];
        let expected = Fields {
            depth: Some(7),
            score: Some(Reported::Centipawns(-28)),
            nodes: Some(42805),
            time: Some(68),
            pv: vec!["c7c5", "g1e2"],
            multipv: Some(1),
            ..Fields::default()
        };
        let mut orders = vec![Vec::new()];
        for part in parts {
            orders = orders
                .iter()
                .flat_map(|order: &Vec<&str>| {
                    (0..=order.len()).map(move |at| {
                        let mut order = order.clone();
                        order.insert(at, part);
                        order
                    })
                })
                .collect();
        }
        assert_eq!(orders.len(), 720);
        for order in orders {
            assert_eq!(Fields::read(&order.join(" ")), expected, "{order:?}");
        }
    }

    #[test]
    fn unknown_words_lists_and_bad_values_leave_the_others_alone() {
        let read = |text| Fields::read(text);
        let odd = read(
            "foo 3 pv e2e4 bar 12 refutation d1h5 g6h5 currline 1 e2e4 e7e5 depth x score cp 20 ebf 1.8 nodes 9",
        );
        assert_eq!((odd.score, odd.nodes, odd.depth), (Some(Reported::Centipawns(20)), Some(9), None));
        assert_eq!((odd.pv, odd.fault), (vec!["e2e4"], Some("depth")));
        assert_eq!(read("depth score mate -3").score, Some(Reported::Mate(-3)));
        assert_eq!(read("depth 3 depth 4 depth").depth, Some(4), "the last that can be read");
        assert_eq!(read("nodes -5 time 3").nodes, None);
        assert_eq!(read("score cp 1.5 depth 2").score, None);
        assert_eq!(read("score").fault, Some("score"));
    }

    #[test]
    fn a_score_has_its_bound_on_either_side() {
        for text in [
            "score cp 90 lowerbound nodes 5",
            "score lowerbound cp 90 nodes 5",
            "nodes 5 score cp 90 lowerbound",
        ] {
            let fields = Fields::read(text);
            assert_eq!(fields.score, Some(Reported::Centipawns(90)), "{text}");
            assert_eq!((fields.bound, fields.nodes), (Some(Bound::Lower), Some(5)), "{text}");
        }
        let wdl = Fields::read("score cp 5 wdl 100 800 100 pv e2e4");
        assert_eq!(wdl.wdl, Some(Wdl { win: 100, draw: 800, loss: 100 }));
        assert_eq!(wdl.pv, ["e2e4"]);
    }

    #[test]
    fn string_takes_the_rest_and_leaves_what_came_before() {
        let fields = Fields::read("depth 5 score cp 3 string depth 9 score mate 1 pv e2e4");
        assert_eq!((fields.depth, fields.score), (Some(5), Some(Reported::Centipawns(3))));
        assert_eq!((fields.string, fields.pv.len()), (Some("depth 9 score mate 1 pv e2e4"), 0));
        assert_eq!(Fields::read("string").string, Some(""));
    }

    #[test]
    fn numbers_beyond_their_type_are_the_greatest_there_are() {
        let fields = Fields::read("score mate -99999999999 nodes 99999999999999999999999 depth 5000000000");
        assert_eq!(fields.score, Some(Reported::Mate(i32::MIN)));
        assert_eq!((fields.nodes, fields.depth), (Some(u64::MAX), Some(u32::MAX)));
    }

    #[test]
    fn moves_in_the_notations_that_engines_write() {
        let pv = "pv e2e4 e7e8q Nf3+ O-O O-O-O+ 0-0 exd8=Q# 0000 e2-e4 P@e4 nps 3";
        assert_eq!(Fields::read(pv).pv.len(), 10);
        assert_eq!(Fields::read("currmove e2e4 currmovenumber 1").currmove, Some("e2e4"));
    }

    proptest! {
        /// Whatever stands around it, a score that is there is found.
        #[test]
        fn a_score_is_found_among_anything(
            before in "[a-z0-9 .-]{0,40}",
            score in any::<i32>(),
            after in "[ -~]{0,40}",
        ) {
            prop_assume!(!before.contains("string") && !after.contains("score"));
            let line = format!("{before} zz score cp {score} zz {after}");
            prop_assert_eq!(Fields::read(&line).score, Some(Reported::Centipawns(score)));
        }

        #[test]
        fn no_line_is_too_odd(line in any::<String>()) {
            let fields = Fields::read(&line);
            prop_assert!(fields.pv.iter().all(|mv| line.contains(mv)));
        }
    }
}
