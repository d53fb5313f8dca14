//! The words by which a contestant is written: `pvs+id+trans=8000+hist`.
//!
//! A contestant is an algorithm's name, then switches in any order. Without switches the plain textbook form
//! runs. Every word, what it does and whether it is safe is in one register, from which the help, the error
//! messages and the report's labels are made.

use super::search::Scheme;
use super::switches::{
    History, Horizon, Killers, Lines, Marginal, NullMove, ProbCut, RootOrder, StaticOrder, Switches,
};
use super::table::TableSwitch;
use crate::algorithms::aspiration::Aspiration;
use crate::algorithms::mtd::Driver;
use crate::algorithms::{Algorithm, MARGIN, UnknownAlgorithm};
use crate::node::{INFINITY, Value};
use std::fmt;
use std::str::FromStr;

/// The largest table a search may ask for, in entries (about 5 GB), and the most that searches side by side
/// have together.
pub const MAX_ENTRIES: usize = 1 << 27;

impl Switches {
    fn table_mut(&mut self, word: &str) -> Result<&mut TableSwitch, ContestantError> {
        self.table.as_mut().ok_or_else(|| ContestantError::NeedsTable(word.to_owned()))
    }

    fn killers_mut(&mut self, word: &str) -> Result<&mut Killers, ContestantError> {
        self.killers.as_mut().ok_or_else(|| ContestantError::NeedsKillers(word.to_owned()))
    }

    fn history_mut(&mut self, word: &str) -> Result<&mut History, ContestantError> {
        self.history.as_mut().ok_or_else(|| ContestantError::NeedsHistory(word.to_owned()))
    }
}

/// What aspiration words take.
const MARGIN_NUMBER: Option<(&str, u32)> = Some(("half the window", MARGIN as u32));

/// A switch's line in the register.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The word.
    pub name: &'static str,
    /// The meaning of `=N`, with the number taken when it is left out; none if the word takes no number.
    pub number: Option<(&'static str, u32)>,
    /// Does the root's value stay the fixed-depth minimax value (of the horizon chosen)?
    pub safe: bool,
    /// Which sources describe it, by letter (see the crate's page).
    pub source: &'static str,
    /// What it does.
    pub what: &'static str,
    set: fn(&mut Switches, u32) -> Result<(), ContestantError>,
}

macro_rules! switch {
    ($name:literal, $number:expr, $safe:ident, $source:literal, $what:literal, $set:expr) => {
        Switch { name: $name, number: $number, safe: switch!($safe), source: $source, what: $what, set: $set }
    };
    (safe) => {
        true
    };
    (unsafe_) => {
        false
    };
}

/// Every switch.
pub const SWITCHES: &[Switch] = &[
    switch!(
        "id",
        None,
        safe,
        "M 3.4, B",
        "iterative deepening, retracing the principal variation",
        |s, _| {
            s.deepening = true;
            Ok(())
        }
    ),
    switch!("asp", MARGIN_NUMBER, safe, "M fig. 3", "aspiration: on failure up to infinity", |s, margin| {
        aspire(s, Aspiration::Narrow, margin)
    }),
    switch!("sliding", MARGIN_NUMBER, safe, "M 2.4", "aspiration: the window slides", |s, margin| {
        aspire(s, Aspiration::Sliding, margin)
    }),
    switch!(
        "gradual",
        MARGIN_NUMBER,
        safe,
        "E",
        "aspiration: the window widens step by step",
        |s, margin| { aspire(s, Aspiration::Gradual, margin) }
    ),
    switch!("one-side", MARGIN_NUMBER, safe, "E", "aspiration: only the failed side opens", |s, margin| {
        aspire(s, Aspiration::OneSide, margin)
    }),
    switch!("hard", None, safe, "E", "fail-hard: results never leave the window", |s, _| {
        s.fail_hard = true;
        Ok(())
    }),
    switch!(
        "trans",
        Some(("entries", 1_000_000)),
        safe,
        "M 3.5, F, B",
        "transposition table",
        |s, entries| {
            s.table = Some(TableSwitch::of(entries as usize));
            Ok(())
        }
    ),
    switch!("two", None, safe, "F", "both bounds in each table entry", |s, _| {
        s.table_mut("two")?.two_bounds = true;
        Ok(())
    }),
    switch!("moves-only", None, safe, "M 3.5", "the table orders moves and does nothing else", |s, _| {
        s.table_mut("moves-only")?.scores = false;
        Ok(())
    }),
    switch!("buckets", Some(("entries", 4)), safe, "M 3.5", "entries that share a place", |s, entries| {
        s.table_mut("buckets")?.bucket = at_most(64, "buckets", entries)? as usize;
        Ok(())
    }),
    switch!("keep-deep", None, safe, "M 3.5", "a shallower entry never replaces a deeper one", |s, _| {
        s.table_mut("keep-deep")?.keep_deep = true;
        Ok(())
    }),
    switch!("mirror", None, safe, "F", "a position and its mirror image share an entry", |s, _| {
        s.table_mut("mirror")?.mirror = true;
        Ok(())
    }),
    switch!("lock", Some(("bits", 16)), unsafe_, "M 3.5", "bits of the key in each entry", |s, bits| {
        s.table_mut("lock")?.lock_bits = at_most(64, "lock", bits)?;
        Ok(())
    }),
    switch!("sideless", None, unsafe_, "F", "keys that leave out whose move it is: a fault", |s, _| {
        s.table_mut("sideless")?.sideless = true;
        Ok(())
    }),
    switch!(
        "deeper",
        None,
        unsafe_,
        "M fig. 7",
        "deeper table entries count for shallower questions",
        |s, _| {
            s.table_mut("deeper")?.deeper = true;
            Ok(())
        }
    ),
    switch!("etc", Some(("plies left", 2)), safe, "F, B", "enhanced transposition cut-offs", |s, plies| {
        s.table_mut("etc")?;
        s.etc = Some(plies);
        Ok(())
    }),
    switch!("ref", None, safe, "M 3.5", "refutation table: every root move's line", |s, _| {
        s.lines = Lines::All;
        Ok(())
    }),
    switch!(
        "alt",
        Some(("plies", 2)),
        safe,
        "S",
        "alternate variations: some further plies of every root move's line",
        |s, plies| {
            s.lines = Lines::Plies(plies);
            Ok(())
        }
    ),
    switch!("killers", Some(("moves", 2)), safe, "M 3.3, F, B", "killer moves at each ply", |s, moves| {
        s.killers = Some(Killers { count: at_most(64, "killers", moves)? as usize, ..Killers::default() });
        Ok(())
    }),
    switch!(
        "killers-frequent",
        None,
        safe,
        "M 3.3",
        "killers: those that cut most often, not last",
        |s, _| {
            s.killers_mut("killers-frequent")?.by_frequency = true;
            Ok(())
        }
    ),
    switch!("triangular", None, safe, "M 3.5", "killers from the triangular array", |s, _| {
        s.triangular = true;
        Ok(())
    }),
    switch!("hist", None, safe, "M 3.3, F, B", "history heuristic, weighted by 2^depth", |s, _| {
        s.history = Some(History::default());
        Ok(())
    }),
    switch!("hist-count", None, safe, "M 3.3, F", "history: every success counts 1", |s, _| {
        s.history_mut("hist-count")?.count = true;
        Ok(())
    }),
    switch!("hist-cuts", None, safe, "F", "history: only cut-offs count", |s, _| {
        s.history_mut("hist-cuts")?.cuts_only = true;
        Ok(())
    }),
    switch!("unordered", None, safe, "-", "no provisional order: moves as generated", |s, _| {
        s.order = StaticOrder::Generated;
        Ok(())
    }),
    switch!("mvv", None, safe, "M 3.3, F", "all captures first, by victim and attacker", |s, _| {
        s.order = StaticOrder::VictimAttacker;
        Ok(())
    }),
    switch!("root-generated", None, safe, "-", "root moves as generated", |s, _| {
        s.root = RootOrder::Generated;
        Ok(())
    }),
    switch!("root-analysis", None, safe, "M 3.4", "root moves ranked by an extensive analysis", |s, _| {
        s.root = RootOrder::Analysis;
        Ok(())
    }),
    switch!("unstable", None, safe, "M 3.4", "root moves of equal value are thrown about", |s, _| {
        s.unstable = true;
        Ok(())
    }),
    switch!(
        "grain",
        Some(("step", 50)),
        safe,
        "F",
        "a static horizon's values in coarse steps",
        |s, step| {
            s.grain = Some(step as Value);
            Ok(())
        }
    ),
    switch!("quiesce", None, safe, "M 2.5, B, F", "quiescence search: captures", |s, _| {
        s.quiescence_mut();
        Ok(())
    }),
    switch!(
        "quiesce-promotions",
        None,
        safe,
        "M 2.5",
        "quiescence: promotions and pawns about to promote",
        |s, _| {
            s.quiescence_mut().promotions = true;
            Ok(())
        }
    ),
    switch!("quiesce-evasions", None, safe, "M 2.5, B", "quiescence: all answers to a check", |s, _| {
        s.quiescence_mut().evasions = true;
        Ok(())
    }),
    switch!("quiesce-checks", None, safe, "M 2.5, B", "quiescence: checks at the first ply", |s, _| {
        s.quiescence_mut().checks = true;
        Ok(())
    }),
    switch!("see", None, safe, "M 2.5", "a computed exchange instead of quiescence", |s, _| {
        s.horizon = Horizon::Exchange;
        Ok(())
    }),
    switch!("null", None, unsafe_, "F, B", "null move", |s, _| {
        s.null_move = Some(NullMove { verify: false });
        Ok(())
    }),
    switch!("null-verify", None, unsafe_, "F, B", "null move, verified by a shallower search", |s, _| {
        s.null_move = Some(NullMove { verify: true });
        Ok(())
    }),
    switch!("razor", Some(("margin", 300)), unsafe_, "M 3.2", "razoring", |s, margin| {
        s.razoring = Some(margin as Value);
        Ok(())
    }),
    switch!(
        "marginal",
        Some(("margin", 100)),
        unsafe_,
        "M 3.2",
        "marginal forward pruning at the last ply",
        |s, margin| {
            s.marginal = Some(Marginal { margin: margin as Value, plies: 1 });
            Ok(())
        }
    ),
    switch!(
        "marginal-plies",
        Some(("plies", 2)),
        unsafe_,
        "M 3.2",
        "marginal forward pruning with that many plies left",
        |s, plies| {
            let missing = || ContestantError::NeedsMarginal("marginal-plies".to_owned());
            s.marginal.as_mut().ok_or_else(missing)?.plies = plies;
            Ok(())
        }
    ),
    switch!("gamma", None, unsafe_, "M 3.2", "gamma pruning", |s, _| {
        s.gamma = true;
        Ok(())
    }),
    switch!("nbest", Some(("moves", 16)), unsafe_, "M 3.2", "tapered N-best", |s, n| {
        s.n_best = Some(n);
        Ok(())
    }),
    switch!(
        "probcut",
        None,
        unsafe_,
        "F",
        "ProbCut, fitted on the game's own positions; from five plies on",
        |s, _| {
            s.probcut = Some(ProbCut::One);
            Ok(())
        }
    ),
    switch!(
        "mpc",
        None,
        unsafe_,
        "F",
        "Multi-ProbCut, fitted on the game's own positions; from four plies on",
        |s, _| {
            s.probcut = Some(ProbCut::Multi);
            Ok(())
        }
    ),
    switch!("shed", None, unsafe_, "F", "reduce lines in which material was shed", |s, _| {
        s.shed = true;
        Ok(())
    }),
    switch!(
        "decrement",
        Some(("loss", 50)),
        unsafe_,
        "B",
        "half a ply less for moves that lower the static value by so much",
        |s, loss| {
            s.decrement = Some(loss as Value);
            Ok(())
        }
    ),
    switch!(
        "singular",
        Some(("margin", 60)),
        unsafe_,
        "F, B",
        "singular extensions, both tests",
        |s, margin| {
            s.singular = Some(margin as Value);
            Ok(())
        }
    ),
    switch!("check", None, unsafe_, "B, M 3.4", "extend answers to a check", |s, _| {
        s.extensions.check = true;
        Ok(())
    }),
    switch!("recapture", None, unsafe_, "B", "extend captures that take back", |s, _| {
        s.extensions.recapture = true;
        Ok(())
    }),
    switch!("promotion", None, unsafe_, "B", "extend promotions and pawns about to promote", |s, _| {
        s.extensions.promotion = true;
        Ok(())
    }),
    switch!("fractional", None, unsafe_, "B", "extend by half plies", |s, _| {
        s.extensions.fractional = true;
        Ok(())
    }),
];

/// A number that goes no further than `most`.
fn at_most(most: u32, word: &'static str, number: u32) -> Result<u32, ContestantError> {
    if number > most { Err(ContestantError::Most { word, number, most }) } else { Ok(number) }
}

fn aspire(s: &mut Switches, kind: Aspiration, margin: u32) -> Result<(), ContestantError> {
    (s.aspiration, s.margin) = (Some(kind), (margin as Value).min(INFINITY));
    Ok(())
}

/// Why a contestant's text was refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ContestantError {
    /// The first word is no algorithm.
    #[error(transparent)]
    Algorithm(#[from] UnknownAlgorithm),
    /// No such switch.
    #[error("no switch is called {0:?}; there are {list}", list = names())]
    Switch(String),
    /// A number is missing its sense, or out of range.
    #[error("{word}: {number:?} is not a number from 1 to {MAX_ENTRIES}")]
    Number {
        /// The switch.
        word: String,
        /// What stood behind `=`.
        number: String,
    },
    /// A number that is too large for its switch.
    #[error("{word}={number}: it goes up to {most}")]
    Most {
        /// The switch.
        word: &'static str,
        /// What was asked for.
        number: u32,
        /// What there is.
        most: u32,
    },
    /// One switch with two numbers, of which only the last would hold.
    #[error("the switch {0} is given twice")]
    Twice(&'static str),
    /// Two words of which only the last would hold.
    #[error("{first} and {second} exclude each other: a search has one {what}")]
    Rivals {
        /// The word before.
        first: &'static str,
        /// The word after it.
        second: &'static str,
        /// What both choose.
        what: &'static str,
    },
    /// A number where none is taken.
    #[error("the switch {0} takes no number")]
    NoNumber(String),
    /// A refinement of a table without one before it.
    #[error("{0} refines a transposition table: write trans or trans=ENTRIES before it")]
    NeedsTable(String),
    /// A refinement of killers without them before.
    #[error("{0} refines killer moves: write killers or killers=MOVES before it")]
    NeedsKillers(String),
    /// A refinement of the history heuristic without it before.
    #[error("{0} refines the history heuristic: write hist before it")]
    NeedsHistory(String),
    /// A refinement of marginal pruning without it before.
    #[error("{0} refines marginal pruning: write marginal or marginal=MARGIN before it")]
    NeedsMarginal(String),
    /// What acts between one iteration and the next, where there is one iteration.
    #[error("ref, alt and unstable act from one iteration to the next: they need id")]
    NeedsDeepening,
    /// Refinements of the table's scores, where they are not used.
    #[error("with moves-only the table's scores are not used: two, deeper and etc would do nothing")]
    NeedsScores,
    /// Extensions by half plies without extensions.
    #[error("fractional makes extensions half as long: it needs check, recapture or promotion")]
    NeedsExtension,
    /// Coarse static values where the horizon does more than evaluate.
    #[error("grain makes the values of a static horizon coarse: not with quiescence or see")]
    NeedsStaticHorizon,
    /// Algorithms that run in their plain form only.
    #[error("{0} runs in its plain form only and takes no switches")]
    PlainOnly(&'static str),
    /// Fail-hard results for a driver that goes where they lead.
    #[error("{0} goes to the value that comes back: with hard it would need a pass for every value")]
    NeedsFailSoft(&'static str),
    /// Aspiration around a driver that has its own windows.
    #[error("{0} chooses its own windows: no aspiration around it")]
    OwnWindows(&'static str),
}

/// What a word chooses, and its choice, where a search can have only one. The words of quiescence join each
/// other.
fn choice(word: &'static str) -> Option<(&'static str, &'static str)> {
    let what = match word {
        "quiesce" | "quiesce-promotions" | "quiesce-evasions" | "quiesce-checks" => {
            return Some(("horizon", "quiesce"));
        }
        // The algorithm of that name has the windows of the switch.
        "aspiration" => return Some(("kind of aspiration", "asp")),
        "asp" | "sliding" | "gradual" | "one-side" => "kind of aspiration",
        "see" => "horizon",
        "null" | "null-verify" => "kind of null move",
        "probcut" | "mpc" => "kind of ProbCut",
        "unordered" | "mvv" => "order of moves",
        "root-generated" | "root-analysis" => "order of root moves",
        "ref" | "alt" => "kind of lines to keep",
        _ => return None,
    };
    Some((what, word))
}

/// The two words contradict each other if they make different choices of one thing.
fn rivals(first: &'static str, second: &'static str) -> Result<(), ContestantError> {
    match (choice(first), choice(second)) {
        (Some((what, one)), Some((same, other))) if what == same && one != other => {
            Err(ContestantError::Rivals { first, second, what })
        }
        _ => Ok(()),
    }
}

fn names() -> String {
    SWITCHES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
}

/// A search as it is entered for a comparison: its text and what the text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contestant {
    /// As written.
    pub text: String,
    /// As understood.
    pub switches: Switches,
    /// Every word on it is safe.
    pub safe: bool,
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Contestant {
    type Err = ContestantError;

    fn from_str(text: &str) -> Result<Self, ContestantError> {
        let mut words = text.split('+').map(str::trim);
        let algorithm: Algorithm = words.next().unwrap_or_default().parse()?;
        let (mut switches, mut safe) = (Switches::plain(algorithm), algorithm.is_exact());
        let mut given = Vec::new();
        for word in words {
            let (name, number) = word.split_once('=').map_or((word, None), |(name, n)| (name, Some(n)));
            let switch = SWITCHES.iter().find(|s| s.name == name);
            let switch = switch.ok_or_else(|| ContestantError::Switch(name.to_owned()))?;
            if given.contains(&switch.name) {
                return Err(ContestantError::Twice(switch.name));
            }
            rivals(algorithm.name(), switch.name)?;
            given.iter().try_for_each(|&before| rivals(before, switch.name))?;
            given.push(switch.name);
            (switch.set)(&mut switches, number_of(switch, number)?)?;
            safe &= switch.safe;
        }
        if !switches.is_plain() {
            settle(&mut switches)?;
        }
        Ok(Self { text: text.to_owned(), switches, safe })
    }
}

fn number_of(switch: &Switch, number: Option<&str>) -> Result<u32, ContestantError> {
    match (switch.number, number) {
        (None, Some(_)) => Err(ContestantError::NoNumber(switch.name.to_owned())),
        (None, None) => Ok(0),
        (Some((_, default)), None) => Ok(default),
        (Some(_), Some(text)) => {
            let fits = |&n: &u32| n >= 1 && n as usize <= MAX_ENTRIES;
            let wrong = || ContestantError::Number { word: switch.name.to_owned(), number: text.to_owned() };
            text.replace('_', "").parse().ok().filter(fits).ok_or_else(wrong)
        }
    }
}

/// What the combination of words implies, or forbids.
fn settle(switches: &mut Switches) -> Result<(), ContestantError> {
    let algorithm = switches.algorithm;
    if Scheme::of(algorithm).is_none() {
        return Err(ContestantError::PlainOnly(algorithm.name()));
    }
    if let Algorithm::Aspiration(kind) = algorithm {
        switches.aspiration = switches.aspiration.or(Some(kind));
    }
    if matches!(algorithm, Algorithm::Mtd(_)) && switches.aspiration.is_some() {
        return Err(ContestantError::OwnWindows(algorithm.name()));
    }
    let crawls = matches!(algorithm, Algorithm::Mtd(driver) if driver != Driver::Bisection);
    if crawls && switches.fail_hard {
        return Err(ContestantError::NeedsFailSoft(algorithm.name()));
    }
    if (switches.lines != Lines::Principal || switches.unstable) && !switches.deepening {
        return Err(ContestantError::NeedsDeepening);
    }
    let refined = |table: TableSwitch| table.two_bounds || table.deeper || switches.etc.is_some();
    if switches.table.is_some_and(|table| !table.scores && refined(table)) {
        return Err(ContestantError::NeedsScores);
    }
    if switches.extensions.fractional && !switches.extensions.any() {
        return Err(ContestantError::NeedsExtension);
    }
    if switches.grain.is_some() && switches.horizon != Horizon::Static {
        return Err(ContestantError::NeedsStaticHorizon);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        text.parse::<Contestant>().unwrap_err().to_string()
    }

    #[test]
    fn every_word_of_the_register_is_understood_and_labelled() {
        for switch in SWITCHES {
            let before = match switch.name {
                "two" | "moves-only" | "deeper" | "etc" | "buckets" | "keep-deep" | "mirror" | "lock"
                | "sideless" => "+trans=10",
                "killers-frequent" => "+killers",
                "hist-count" | "hist-cuts" => "+hist",
                "marginal-plies" => "+marginal",
                "ref" | "alt" | "unstable" => "+id",
                "fractional" => "+check",
                _ => "",
            };
            let contestant: Contestant = format!("pvs{before}+{}", switch.name).parse().unwrap();
            assert_eq!(contestant.safe, switch.safe, "{}", switch.name);
            assert!(!contestant.switches.is_plain(), "{} changes something", switch.name);
        }
    }

    #[test]
    fn bad_words_are_refused_with_the_choices() {
        assert!(refusal("chess").contains("there are minimax, negamax"));
        assert!(refusal("pvs+oak").contains("there are id, asp"));
        assert!(refusal("pvs+trans=10+hist+trans=20").contains("trans is given twice"));
        assert!(refusal("pvs+trans=0").contains("\"0\" is not a number from 1"));
        assert!(refusal("pvs+trans=999999999999").contains("not a number"));
        assert!(refusal("pvs+id=3").contains("takes no number"));
        assert!(refusal("pvs+two").contains("trans=ENTRIES"));
        assert!(refusal("pvs+marginal-plies=2").contains("marginal=MARGIN before it"));
        assert!(refusal("sss+id").contains("plain form only"));
        assert!(refusal("pvs+trans+lock=65").contains("lock=65: it goes up to 64"));
        assert!(refusal("pvs+hist-cuts").contains("write hist before it"));
        assert!(refusal("pvs+killers-frequent").contains("killers=MOVES before it"));
        for driver in ["mtdf", "mt-sss", "mt-dual", "mtd-step"] {
            assert!(refusal(&format!("{driver}+trans=100+hard")).contains("a pass for every value"));
        }
        assert!("bisection+trans=100+hard".parse::<Contestant>().is_ok(), "it halves what is left");
        assert!(refusal("mtdf+sliding").contains("own windows"));
        for (first, second) in [
            ("quiesce", "see"),
            ("see", "quiesce-checks"),
            ("null-verify", "null"),
            ("asp=20", "sliding"),
            ("gradual", "one-side"),
            ("probcut", "mpc"),
            ("unordered", "mvv"),
            ("root-generated", "root-analysis"),
            ("ref", "alt=4"),
        ] {
            let refused = refusal(&format!("pvs+id+{first}+killers+{second}"));
            assert!(refused.contains("exclude each other"), "{refused}");
        }
        assert!(refusal("aspiration+sliding").starts_with("aspiration and sliding exclude"));
        for idle in ["pvs+ref", "pvs+alt+trans=10", "pvs+root-analysis+unstable"] {
            assert!(refusal(idle).contains("need id"));
        }
        for idle in ["two", "deeper", "etc=1"] {
            for both in [format!("moves-only+{idle}"), format!("{idle}+moves-only")] {
                assert!(refusal(&format!("pvs+trans=10+{both}")).contains("scores are not used"), "{both}");
            }
        }
        assert!(refusal("pvs+id+fractional").contains("needs check, recapture or promotion"));
        for idle in ["pvs+grain+quiesce", "pvs+see+grain=20"] {
            assert!(refusal(idle).contains("static horizon"));
        }
        let largest = ["pvs+trans+lock=64", "pvs+trans+buckets=64", "pvs+killers=64"];
        let sound = ["pvs+quiesce+quiesce-checks", "aspiration+asp=50", "sliding+sliding=15", "pvs+ref+id"];
        for sound in sound.into_iter().chain(largest) {
            assert!(sound.parse::<Contestant>().is_ok(), "{sound}");
        }
        assert!(refusal("").contains("no algorithm"));
    }
}
