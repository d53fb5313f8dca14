//! Every claim of the five sources (see the crate's page), measured: claim, source, our number, confirmed
//! or refuted.
//!
//! What the sources describe is numbered from 1 to [`SYSTEMS`]; the modules below say which number is what.
//! A verdict is computed, and where the claim is not a plain yes or no the row says by which rule
//! ([`Claim::rule`]).
//!
//! What a search costs is judged by the nodes it visits, never by time: the same counts, and so the same
//! verdicts, come out on every machine, however busy. Two searches are compared tree by tree
//! ([`super::paired`]): a claim that one is smaller is confirmed if the 95 % interval of the mean ratio lies
//! below 1, refuted if it lies above, and *not significant* if it holds both: these trees do not tell. CPU
//! time is a number beside ([`Claim::cpu`]).
//!
//! Other rules follow the words of the claim: a number in it is the line, "as well as" is no more than a
//! twentieth worse. Where the source has neither, the rule says that the line is ours. A claim about speed
//! that our programs do not show is refuted here, which says nothing about the author's own program. What
//! holds by proof is checked on hundreds of trees and called confirmed when nothing contradicts it.

mod bounds;
mod comparison;
mod exact;
mod memory;
mod moves;
mod ordering;
mod proof;
mod risks;
mod selective;
mod tables;
mod windows;

use super::Watch;
use super::contest::{Score, Threads, measure};
use super::paired::{change, text};
use crate::enhanced::Contestant;
use crate::node::Node;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::positions::{bratko_kopec_roots, random_chess, random_walks};
use crate::trees::synthetic::{Kind, Spec, Synthetic};
use figures::stats::Estimate;
use serde::Serialize;

/// What our number says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Confirmed,
    /// It holds in part; the value says which.
    Partly,
    /// It does not hold here.
    Refuted,
    /// Neither: the interval holds both.
    #[serde(rename = "not significant")]
    Open,
    /// The source asks for the number and claims nothing that could fail.
    Measured,
}

impl Verdict {
    /// Confirmed or refuted.
    fn of(holds: bool) -> Self {
        if holds { Verdict::Confirmed } else { Verdict::Refuted }
    }

    /// Does the whole interval lie below the line, or above it?
    fn below(found: Estimate, line: f64) -> Self {
        match found {
            Estimate { high, .. } if high < line => Verdict::Confirmed,
            Estimate { low, .. } if low > line => Verdict::Refuted,
            _ => Verdict::Open,
        }
    }

    /// Does the whole interval lie above the line, or below it?
    fn above(found: Estimate, line: f64) -> Self {
        let turned = Estimate { mean: -found.mean, low: -found.high, high: -found.low };
        Verdict::below(turned, -line)
    }

    /// Does the whole interval lie between two lines, or outside them?
    fn within(found: Estimate, low: f64, high: f64) -> Self {
        match (Verdict::above(found, low), Verdict::below(found, high)) {
            (Verdict::Refuted, _) | (_, Verdict::Refuted) => Verdict::Refuted,
            both => Verdict::every([both.0, both.1]),
        }
    }

    /// Less work?
    fn less(found: Estimate) -> Self {
        Verdict::below(found, 0.0)
    }

    /// A claim made for each of several cases: confirmed if it holds in all of them, refuted if it fails in
    /// one and holds in none, partly if it fails in one and holds in another; else not significant.
    fn every(cases: impl IntoIterator<Item = Verdict>) -> Self {
        let cases: Vec<Verdict> = cases.into_iter().collect();
        let has = |verdict| cases.contains(&verdict);
        match (has(Verdict::Confirmed), has(Verdict::Refuted)) {
            (true, true) => Verdict::Partly,
            (_, true) => Verdict::Refuted,
            _ if has(Verdict::Open) => Verdict::Open,
            _ => Verdict::Confirmed,
        }
    }
}

/// One claim.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Number and name of the system.
    pub system: String,
    /// What is said of it.
    pub claim: String,
    /// Where.
    pub source: String,
    /// Our number.
    pub value: String,
    /// Where the line between the verdicts lies, if the claim is no plain yes or no.
    pub rule: String,
    /// What it says.
    pub verdict: Verdict,
    /// CPU time, where the claim is about it: no part of the verdict, and another on another machine.
    pub cpu: String,
    /// The number on which the verdict rests and its 95 % interval, in percent, where there is one such
    /// number.
    pub interval: Option<Estimate>,
    /// What measures it again.
    pub command: String,
}

/// The rule of a claim that something is smaller.
const BELOW_0: &str = "confirmed if the interval lies below 0, refuted if above";
/// The rule of a claim that something is larger.
const ABOVE_0: &str = "confirmed if the interval lies above 0, refuted if below";

/// All claims.
#[derive(Clone, Debug, Serialize)]
pub struct Claims {
    /// Were the small samples used?
    pub quick: bool,
    /// One row for each claim, at least one for each system.
    pub rows: Vec<Claim>,
    /// Groups of claims that were not measured: the caller asked for the end.
    pub left_out: usize,
}

/// Collects rows; knows how large the samples are.
struct Ledger<'a, 'w> {
    quick: bool,
    system: &'static str,
    /// The rule of the next row.
    rule: &'static str,
    /// CPU time for the next row.
    cpu: String,
    /// The number of the next row.
    interval: Option<Estimate>,
    /// What measures the next row again, if less than its whole system does.
    command: String,
    rows: Vec<Claim>,
    watch: &'a mut Watch<'w>,
}

impl<'a, 'w> Ledger<'a, 'w> {
    /// Without a row yet.
    fn new(quick: bool, watch: &'a mut Watch<'w>) -> Self {
        Self {
            quick,
            system: "",
            rule: "",
            cpu: String::new(),
            interval: None,
            command: String::new(),
            rows: Vec::new(),
            watch,
        }
    }

    /// The following rows belong to this system.
    fn system(&mut self, system: &'static str) {
        self.system = system;
        self.watch.say(system);
    }

    /// CPU time to be printed beside the next row.
    fn cpu(&mut self, cpu: String) {
        self.cpu = cpu;
    }

    /// The next row's verdict follows this rule.
    fn rule(&mut self, rule: &'static str) {
        self.rule = rule;
    }

    /// The next row's verdict rests on this number, in percent.
    fn interval(&mut self, found: Estimate) {
        self.interval = Some(found);
    }

    /// The next row is `lab compare` with these words, contestants and then the trees: its number is what that prints
    /// as a contestant's nodes against the first one's.
    fn compares(&mut self, words: &str) {
        self.command = format!("firstborn lab compare {words}");
    }

    fn row(&mut self, source: &str, claim: &str, value: String, verdict: Verdict) {
        let number = self.system.split(' ').next().unwrap_or_default();
        let quick = if self.quick { " --quick" } else { "" };
        let command = match std::mem::take(&mut self.command) {
            own if own.is_empty() => format!("firstborn lab claims{quick} --systems {number}"),
            own => own,
        };
        self.rows.push(Claim {
            system: self.system.to_owned(),
            claim: claim.to_owned(),
            source: source.to_owned(),
            value,
            rule: std::mem::take(&mut self.rule).to_owned(),
            verdict,
            cpu: std::mem::take(&mut self.cpu),
            interval: self.interval.take(),
            command,
        });
    }

    /// A row that says a search is smaller; `what` follows the change.
    fn smaller(&mut self, source: &str, claim: &str, found: Estimate, what: &str) {
        self.interval(found);
        self.rule(BELOW_0);
        self.row(source, claim, format!("{} {what}", text(found)), Verdict::less(found));
    }

    /// A size: full, or small for `--quick`.
    fn size<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The Bratko-Kopec roots.
    fn bratko_kopec(&self) -> Vec<ChessGame> {
        bratko_kopec_roots().into_iter().take(self.size(24, 6)).collect()
    }

    /// Plies for node counts on those.
    fn chess_depth(&self) -> u32 {
        self.size(5, 4)
    }

    /// How many of those there are, as an option of `lab compare`.
    fn positions(&self) -> &'static str {
        self.size("", " -n 6")
    }

    fn chess(&self) -> Vec<ChessGame> {
        random_chess(self.size(500, 20), 5)
    }

    fn connect_four(&self) -> Vec<ConnectFour> {
        random_walks(&ConnectFour::start(), 30, self.size(500, 30), 4)
    }
}

/// Synthetic trees that differ in seed, width and correlation.
fn synthetic(kind: Kind, count: u64) -> Vec<Synthetic> {
    let spec = |seed| Spec {
        kind,
        width: 2 + (seed % 4) as u32,
        depth: 5,
        seed,
        correlation: (seed * 37 % 101) as u8,
    };
    (0..count).map(|seed| spec(seed).root().expect("width, depth and percentages are in range")).collect()
}

/// Runs a contestant written in our own words.
fn score<N: Node>(roots: &[N], depth: u32, text: &str) -> Score {
    measure(roots, depth, &contestant(text), Threads::All)
}

fn contestant(text: &str) -> Contestant {
    text.parse().expect("the studies use words of the register")
}

/// The change of horizon nodes from one score to another.
fn horizon_change(before: &Score, after: &Score) -> Estimate {
    change(&before.horizon(), &after.horizon())
}

/// The change of all nodes.
fn node_change(before: &Score, after: &Score) -> Estimate {
    change(&before.nodes(), &after.nodes())
}

/// Claims that are measured in one go, and the number of the system they belong to. The first of a system
/// names it.
type Group = (u32, fn(&mut Ledger<'_, '_>));

/// How many systems the sources describe.
pub const SYSTEMS: u32 = 24;

const GROUPS: [&[Group]; 11] = [
    exact::GROUPS,
    windows::GROUPS,
    selective::GROUPS,
    ordering::GROUPS,
    memory::GROUPS,
    comparison::GROUPS,
    proof::GROUPS,
    moves::GROUPS,
    tables::GROUPS,
    bounds::GROUPS,
    risks::GROUPS,
];

/// Measures every claim about these systems (all of them if none is named), on small samples if `quick`.
pub fn claims(quick: bool, systems: &[u32], watch: &mut Watch<'_>) -> Claims {
    let mut ledger = Ledger::new(quick, watch);
    let mut left_out = 0;
    let wanted = |system| systems.is_empty() || systems.contains(&system);
    for (_, group) in GROUPS.into_iter().flatten().filter(|group| wanted(group.0)) {
        let before = ledger.rows.len();
        if !ledger.watch.stopped() {
            group(&mut ledger);
        }
        left_out += usize::from(ledger.rows.len() == before);
    }
    let mut rows = ledger.rows;
    let number = |claim: &Claim| claim.system.split(' ').next().and_then(|n| n.parse::<u32>().ok());
    rows.sort_by_key(number);
    Claims { quick, rows, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_the_whole_interval() {
        let between = |low, high| Estimate { mean: (low + high) / 2.0, low, high };
        assert_eq!(Verdict::less(between(-3.0, -1.0)), Verdict::Confirmed);
        assert_eq!(Verdict::less(between(-3.9, 0.7)), Verdict::Open);
        assert_eq!(Verdict::less(between(0.1, 0.7)), Verdict::Refuted);
        assert_eq!(Verdict::less(between(0.0, 0.0)), Verdict::Open);
        assert_eq!(Verdict::above(between(101.0, 130.0), 100.0), Verdict::Confirmed);
        assert_eq!(Verdict::above(between(70.0, 99.0), 100.0), Verdict::Refuted);
        // That an interval holds a number says little: the wider it is, the more numbers it holds.
        let near_34 = |low, high| Verdict::within(between(low, high), 30.0, 38.0);
        assert_eq!(near_34(33.0, 35.0), Verdict::Confirmed);
        assert_eq!(near_34(20.0, 50.0), Verdict::Open);
        assert_eq!(near_34(31.0, 39.0), Verdict::Open);
        assert_eq!((near_34(20.0, 29.0), near_34(40.0, 41.0)), (Verdict::Refuted, Verdict::Refuted));
    }

    #[test]
    fn a_claim_of_many_cases_needs_them_all() {
        use Verdict::{Confirmed, Open, Partly, Refuted};
        assert_eq!(Verdict::every([Confirmed, Confirmed]), Confirmed);
        assert_eq!(Verdict::every([Confirmed, Open]), Open);
        assert_eq!(Verdict::every([Confirmed, Open, Refuted]), Partly);
        assert_eq!(Verdict::every([Open, Refuted]), Refuted);
    }
}
