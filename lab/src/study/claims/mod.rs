//! Every claim of the founding documents, measured: claim, source, our number, confirmed or refuted.
//!
//! The numbering is that of the systems the documents describe. A verdict is computed, and where the claim is not a plain
//! yes or no the row says by which rule ([`Claim::rule`]). Rules follow the words of the claim: a number in it is the line,
//! "as well as" is no more than a twentieth worse, "significant" is a 95 % interval that leaves out nothing gained. Where the
//! document has neither, the rule says that the line is ours. A claim about speed that our programs do not show is refuted here, which says
//! nothing about the author's own program. What holds by proof is checked on hundreds of
//! trees and called confirmed when nothing contradicts it.

mod comparison;
mod exact;
mod memory;
mod ordering;
mod selective;
mod windows;

use super::contest::{Score, Threads, measure};
use crate::enhanced::Contestant;
use crate::node::Node;
use crate::trees::chess_game::ChessGame;
use crate::trees::connect_four::ConnectFour;
use crate::trees::positions::{bratko_kopec_roots, random_chess, random_walks};
use crate::trees::synthetic::{Kind, Spec, Synthetic};
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
    /// The document asks for the number and claims nothing that could fail.
    Measured,
    /// Named in the documents, not built.
    Absent,
}

impl Verdict {
    /// Confirmed or refuted.
    fn of(holds: bool) -> Self {
        if holds { Verdict::Confirmed } else { Verdict::Refuted }
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
}

/// All claims.
#[derive(Clone, Debug, Serialize)]
pub struct Claims {
    /// Were the small samples used?
    pub quick: bool,
    /// One row for each claim, at least one for each system.
    pub rows: Vec<Claim>,
}

/// Collects rows; knows how large the samples are.
struct Ledger<'a> {
    quick: bool,
    system: &'static str,
    /// The rule of the next row.
    rule: &'static str,
    rows: Vec<Claim>,
    progress: &'a mut dyn FnMut(&str),
}

impl Ledger<'_> {
    /// The following rows belong to this system.
    fn system(&mut self, system: &'static str) {
        self.system = system;
        (self.progress)(system);
    }

    /// The next row's verdict follows this rule.
    fn rule(&mut self, rule: &'static str) {
        self.rule = rule;
    }

    fn row(&mut self, source: &str, claim: &str, value: String, verdict: Verdict) {
        self.rows.push(Claim {
            system: self.system.to_owned(),
            claim: claim.to_owned(),
            source: source.to_owned(),
            value,
            rule: std::mem::take(&mut self.rule).to_owned(),
            verdict,
        });
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

/// How much larger `b` is than `a`, in percent.
fn more(a: u64, b: u64) -> f64 {
    100.0 * (b as f64 / (a as f64).max(1.0) - 1.0)
}

/// Runs every claim, with small samples if `quick`. `progress` hears each system's name.
pub fn claims(quick: bool, mut progress: impl FnMut(&str)) -> Claims {
    let mut ledger = Ledger { quick, system: "", rule: "", rows: Vec::new(), progress: &mut progress };
    exact::run(&mut ledger);
    windows::run(&mut ledger);
    selective::run(&mut ledger);
    ordering::run(&mut ledger);
    memory::run(&mut ledger);
    comparison::run(&mut ledger);
    let mut rows = ledger.rows;
    let number = |claim: &Claim| claim.system.split(' ').next().and_then(|n| n.parse::<u32>().ok());
    rows.sort_by_key(number);
    Claims { quick, rows }
}
