//! Every combination of two safe switches, in few contestants: a covering array.
//!
//! The safe switches fall into factors (which algorithm, which table, killers or not ...) of which a
//! contestant has one level each. A covering array is a list of contestants in which every pair of levels of
//! two factors occurs at least once; a greedy construction (after Cohen et al.'s AETG, 1997) finds one of
//! some thirty lines where the full product has many thousands.

use crate::enhanced::Contestant;
use std::collections::HashSet;

/// The factors and their levels; a level is a piece of a contestant's text. `drivers` gives those of the MT
/// drivers, which exclude aspiration, and all but one of them fail-hard results: without these two factors. Words
/// that choose another horizon are not among them ([`HORIZONS`]).
pub fn safe_words(drivers: bool) -> Vec<Vec<&'static str>> {
    let mut factors = vec![
        vec!["alphabeta", "failhard", "bnb", "scout", "pvs", "pvs-r", "pvs-e", "negascout", "negamax"],
        // Lines are kept, and moves thrown about, between iterations: without iterating there are none.
        vec!["", "+id", "+id+ref", "+id+alt", "+id+unstable"],
        vec!["", "+asp", "+sliding", "+gradual", "+one-side"],
        vec![
            "",
            "+trans=7",
            "+trans=5000+mirror",
            "+trans=7+two+keep-deep",
            "+trans=5000+two+buckets",
            "+trans=5000+moves-only",
            "+trans=300+etc=1",
            "+trans=5000+two+etc=2",
        ],
        vec!["", "+killers", "+killers+killers-frequent"],
        vec!["", "+triangular"],
        vec!["", "+hist", "+hist+hist-count", "+hist+hist-cuts"],
        vec!["", "+unordered", "+mvv"],
        vec!["", "+root-generated", "+root-analysis"],
        vec!["", "+hard"],
    ];
    if drivers {
        factors[0] = vec!["mtdf", "mt-sss", "mt-dual", "mtd-step", "bisection"];
        factors[2] = vec![""];
        factors.pop();
    }
    factors
}

/// The safe words that choose what a leaf is worth. With them the minimax value is that of another horizon.
pub const HORIZONS: [&str; 6] =
    ["grain", "quiesce", "quiesce-promotions", "quiesce-evasions", "quiesce-checks", "see"];

/// Contestants in which every two levels of different factors meet.
pub fn covering_array(factors: &[Vec<&'static str>]) -> Vec<Contestant> {
    let mut missing: HashSet<(usize, usize, usize, usize)> = HashSet::new();
    for f in 0..factors.len() {
        for g in f + 1..factors.len() {
            for a in 0..factors[f].len() {
                missing.extend((0..factors[g].len()).map(|b| (f, a, g, b)));
            }
        }
    }
    let mut contestants = Vec::new();
    while let Some(&(f, a, g, b)) = missing.iter().min() {
        let mut chosen: Vec<Option<usize>> = vec![None; factors.len()];
        (chosen[f], chosen[g]) = (Some(a), Some(b));
        for h in 0..factors.len() {
            if chosen[h].is_none() {
                let gain = |level: usize| {
                    let pair =
                        |(k, l): (usize, usize)| if k < h { (k, l, h, level) } else { (h, level, k, l) };
                    let fixed = chosen.iter().enumerate().filter_map(|(k, l)| Some((k, (*l)?)));
                    fixed.filter(|&kl| missing.contains(&pair(kl))).count()
                };
                chosen[h] = (0..factors[h].len()).rev().max_by_key(|&level| gain(level));
            }
        }
        let levels: Vec<usize> = chosen.into_iter().map(|level| level.unwrap_or(0)).collect();
        for f in 0..levels.len() {
            (f + 1..levels.len()).for_each(|g| {
                missing.remove(&(f, levels[f], g, levels[g]));
            });
        }
        let text: String = levels.iter().zip(factors).map(|(&level, factor)| factor[level]).collect();
        contestants.push(text.parse().expect("every word is in the register, and tables come before ETC"));
    }
    contestants
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enhanced::register::SWITCHES;
    use std::collections::BTreeSet;

    #[test]
    fn every_safe_word_but_those_of_horizons_is_in_a_factor() {
        let factors = safe_words(false);
        let words = factors.iter().skip(1).flatten().flat_map(|level| level.split('+'));
        let used: BTreeSet<&str> =
            words.map(|word| word.split('=').next().unwrap()).filter(|word| !word.is_empty()).collect();
        let safe = SWITCHES.iter().filter(|switch| switch.safe).map(|switch| switch.name);
        let due: BTreeSet<&str> = safe.filter(|name| !HORIZONS.contains(name)).collect();
        assert_eq!(used, due);
    }

    #[test]
    fn every_pair_of_words_meets_in_some_contestant() {
        for drivers in [false, true] {
            let factors = safe_words(drivers);
            let levels = |text: &str| -> Vec<&str> {
                let mut rest = text;
                let mut next = |factor: &Vec<&'static str>| {
                    let ends = |level: &&&str| {
                        rest.strip_prefix(**level)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
                    };
                    let level = *factor.iter().filter(ends).max_by_key(|level| level.len()).unwrap();
                    rest = &rest[level.len()..];
                    level
                };
                let levels = factors.iter().map(&mut next).collect();
                assert_eq!(rest, "", "{text}");
                levels
            };
            let array = covering_array(&factors);
            let all: Vec<Vec<&str>> = array.iter().map(|contestant| levels(&contestant.text)).collect();
            for (i, f) in factors.iter().enumerate() {
                for (j, g) in factors.iter().enumerate().skip(i + 1) {
                    for (a, b) in f.iter().flat_map(|a| g.iter().map(move |b| (a, b))) {
                        let together = |levels: &Vec<&str>| levels[i] == *a && levels[j] == *b;
                        assert!(all.iter().any(together), "{a} with {b}");
                    }
                }
            }
            assert!(all.len() < 120, "{} contestants", all.len());
        }
    }
}
