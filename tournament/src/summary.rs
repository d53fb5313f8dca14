//! What a tournament came to, for people and for scripts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use serde_json::{Value, json};
use sys::provenance::Provenance;

use crate::checks::Checks;
use crate::record::{Ending, GameRecord};
use crate::report::tables;
use crate::runner::{RunEnd, StopRule};
use crate::standings::Standings;
use crate::stats::Wdl;
use crate::stats::elo::Estimate;
use crate::stats::ratings::{Bound, Field, Rating};
use crate::stats::sprt::{Sprt, Verdict};
use crate::wording::{counted, plural, rounded, signed};

/// The version of the JSON document.
const SCHEMA: u32 = 1;
/// Forfeits told in full.
const TOLD: usize = 20;
/// Players up to which a document has a crosstable, a million cells of which fill memory.
const CROSSTABLE: usize = 1000;

/// Sums over games that the standings do not need.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    overheads_us: Histogram,
    /// Milliseconds used on all clocks.
    pub clock_ms: u64,
    /// Whether a player had a clock.
    clocked: bool,
    /// Milliseconds all games held their places.
    pub slot_ms: u64,
    /// Moves made by engines.
    pub moves: u64,
    /// Games that ended by forfeit.
    forfeits: u64,
    /// The first of them, [`TOLD`] at most: number, reason, and the program's last lines on stderr.
    told: Vec<(usize, String, Vec<String>)>,
    /// What was not in order in what each player said of its searches.
    checks: BTreeMap<usize, Checks>,
    /// How much less engines had counted when they told their time, in milliseconds, by player: sum, largest and moves.
    latency: BTreeMap<usize, (i64, i64, i64)>,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        game.moves.iter().filter_map(|mv| mv.overhead_us).for_each(|us| self.overheads_us.add(us));
        self.clock_ms += game.clock_ms();
        self.clocked |= game.moves.iter().any(|mv| mv.clock_ms.is_some());
        self.slot_ms += game.slot_ms;
        self.moves += game.moves.iter().filter(|mv| mv.ms.is_some()).count() as u64;
        if game.ending.is_forfeit() {
            self.forfeits += 1;
            if self.told.len() < TOLD {
                self.told.push((game.id, game.reason.clone(), game.stderr.clone()));
            }
        }
        for (player, checks) in [game.white, game.black].into_iter().zip(&game.checks) {
            self.checks.entry(player).or_default().add(checks);
        }
        for (player, mv) in game.moves_by_player() {
            let Some(late) = mv.latency_ms() else { continue };
            let (sum, largest, moves) = self.latency.entry(player).or_insert((0, i64::MIN, 0));
            (*sum, *largest, *moves) = (*sum + late, late.max(*largest), *moves + 1);
        }
    }

    /// What was not in order in what a player said of its searches.
    #[must_use]
    pub fn checks(&self, player: usize) -> Checks {
        self.checks.get(&player).copied().unwrap_or_default()
    }

    /// How much more time had passed by the runner's clock than by a player's own when it last told its time of a move,
    /// in milliseconds: the mean and the largest. `None` if it tells nothing, or ponders.
    #[must_use]
    pub fn latency_ms(&self, player: usize) -> Option<(f64, i64)> {
        let (sum, largest, moves) = *self.latency.get(&player)?;
        Some((sum as f64 / moves as f64, largest))
    }

    /// The runner's own time per move in microseconds, between one engine's answer and the start of the other's clock:
    /// median and 99th percentile, to half a percent.
    #[must_use]
    pub fn overhead_us(&self) -> Option<(u32, u32)> {
        Some((self.overheads_us.at(0.5)?, self.overheads_us.at(0.99)?))
    }
}

/// How many values there were of each size, sizes told apart by one percent: memory that does not grow with
/// the number of games.
#[derive(Debug, Clone, Default)]
struct Histogram {
    counts: BTreeMap<u16, u64>,
}

impl Histogram {
    /// The ratio of neighbouring sizes. Every whole number below a hundred has a size of its own.
    const RATIO: f64 = 1.01;

    fn add(&mut self, value: u64) {
        // One more, since 0 has no logarithm. Sizes end at some 4460, that of the largest value.
        let size = (value as f64).ln_1p() / Self::RATIO.ln();
        *self.counts.entry(size.round() as u16).or_default() += 1;
    }

    /// How many values there are.
    fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The value below which this share of all values lies; `None` without values.
    fn at(&self, share: f64) -> Option<u32> {
        let mut before = (self.all() as f64 * share) as u64;
        let (size, _) = self.counts.iter().find(|&(_, &count)| {
            let here = before < count;
            before = before.saturating_sub(count);
            here
        })?;
        let value = Self::RATIO.powi(i32::from(*size)) - 1.0;
        Some(value.round() as u32)
    }
}

/// Everything there is to say at the end.
pub struct Summary<'a> {
    /// The event's name.
    pub event: &'a str,
    /// The players' names.
    pub players: &'a [String],
    /// The score.
    pub standings: &'a Standings,
    /// Sums over all games, those found in the journal included.
    pub tally: &'a Tally,
    /// The test that was to end it.
    pub stop_rule: Option<StopRule>,
    /// How it ended.
    pub end: RunEnd,
    /// Games of the whole schedule, if known.
    pub scheduled: Option<usize>,
    /// Games this run played itself, and the sums over them.
    pub this_run: &'a Tally,
    /// Wall time of this run.
    pub wall: Duration,
    /// How many games can run side by side.
    pub slots: usize,
    /// The program that let them play, and the machine.
    pub provenance: &'a Provenance,
}

impl Summary<'_> {
    /// What the test has decided: what ended the run, or else what its games say, of which the last may have come after
    /// the end.
    fn verdict_word(&self, rule: StopRule) -> &'static str {
        word(match self.end {
            RunEnd::Decided(verdict) => verdict,
            _ => rule.sprt.verdict(self.standings.llr(&rule.sprt, rule.by_pairs)),
        })
    }

    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> Value {
        let field = self.standings.field();
        let players: Vec<Value> =
            self.standings.ranking().into_iter().map(|player| self.player_json(&field, player)).collect();
        let mut document = json!({
            "schema": SCHEMA, "event": self.event, "players": players, "names": self.players,
            "winner": self.standings.winner().map(|winner| &self.players[winner]),
            "by_seed": by_seed_json(self.standings, self.players),
            "games": self.standings.games(), "scheduled": self.scheduled,
            "no_interval": field.no_interval.map(|reason| reason.to_string()),
            "status": status(&self.end),
            "halt": match &self.end { RunEnd::Halted(halt) => Some(halt.to_string()), _ => None },
            "llr": self.stop_rule.map(|rule| number(self.standings.llr(&rule.sprt, rule.by_pairs))),
            "endings": counts(self.standings.endings().iter()),
            "white": self.standings.white(),
            "crosstable": crosstable_json(self.standings, self.players.len()),
            "moves": self.tally.moves, "clock_ms": self.tally.clock_ms, "slot_ms": self.tally.slot_ms,
            "run": {
                "wall_ms": self.wall.as_millis() as u64, "clock_ms": self.this_run.clock_ms,
                "slot_ms": self.this_run.slot_ms, "slots": self.slots, "excess": self.excess().map(number),
            },
            "overhead_us": self.tally.overhead_us().map(|(median, p99)| json!({"median": median, "p99": p99})),
            "provenance": self.provenance,
        });
        if let Some(rule) = self.stop_rule {
            document["sprt"] = sprt_json(self.standings, rule, self.verdict_word(rule));
        }
        if let Some(result) = match_json(self.standings, self.players.len()) {
            document["match"] = result;
        }
        document
    }

    fn player_json(&self, field: &Field, player: usize) -> Value {
        let mut document = player_json(&self.players[player], self.standings, field, player);
        document["checks"] = json!(self.tally.checks(player));
        let latency = self.tally.latency_ms(player);
        document["latency_ms"] = json!(latency.map(|(mean, most)| json!({ "mean": mean, "most": most })));
        document
    }

    /// How much longer this run took than its clocks alone, as a share; `None` without games, and where no player
    /// had a clock: what a game by nodes takes is no promise.
    #[must_use]
    pub fn excess(&self) -> Option<f64> {
        let ideal = self.this_run.clock_ms as f64 / self.slots as f64;
        let told = self.this_run.clocked && ideal > 0.0;
        told.then(|| self.wall.as_secs_f64() * 1000.0 / ideal - 1.0)
    }

    /// The table and what belongs to it, for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let of = self.scheduled.map_or_else(String::new, |total| format!(" of {total}"));
        let games = self.standings.games();
        let noun = plural(self.scheduled.map_or(games, |total| total as u64), "game");
        let _ = writeln!(text, "{}: {games}{of} {noun}\n", self.event);
        let field = self.standings.field();
        let _ = writeln!(text, "{}\n", self.table(&field));
        if let Some(reason) = field.no_interval.filter(|_| games > 0) {
            let _ = writeln!(text, "Elo: {reason}.\n");
        }
        if let Some(byes) = self.standings.byes(self.players) {
            let _ = writeln!(text, "{byes}\n");
        }
        if let Some(winner) = self.standings.winner() {
            let level = self.standings.winner_by_seed(self.players);
            let level = level.map_or_else(String::new, |level| format!(" ({level})"));
            let _ = writeln!(text, "Winner: {}{level}\n", self.players[winner]);
        }
        for line in self.standings.through_by_seed(self.players) {
            let _ = writeln!(text, "{line}\n");
        }
        if self.players.len() == 2 {
            self.match_lines(&mut text);
        } else {
            let cross = tables::no_crosstable(self.players).unwrap_or_else(|| {
                markdown(tables::crosstable_text(self.players, self.standings)).to_string()
            });
            let _ = writeln!(text, "{cross}\n");
        }
        if let Some(rule) = self.stop_rule {
            let llr = self.standings.llr(&rule.sprt, rule.by_pairs);
            let _ = writeln!(text, "{}: {}", ratio_line(&rule.sprt, llr), self.verdict_word(rule));
            let left_out = self.standings.games_left_out();
            if left_out > 0 {
                let _ = writeln!(text, "{}", left_out_line(self.standings, rule, left_out));
            }
        }
        let white = self.standings.white();
        let _ = writeln!(text, "White: +{} ={} -{}", white.wins, white.draws, white.losses);
        let endings: Vec<String> =
            self.standings.endings().iter().map(|(ending, n)| format!("{ending} {n}")).collect();
        let _ = writeln!(text, "Endings: {}", endings.join(", "));
        self.forfeit_lines(&mut text);
        self.check_lines(&mut text);
        if let Some((median, p99)) = self.tally.overhead_us() {
            let _ = writeln!(
                text,
                "Runner's own time per move: median {:.3} ms, 99th percentile {:.3} ms over {}",
                f64::from(median) / 1000.0,
                f64::from(p99) / 1000.0,
                counted(self.tally.overheads_us.all(), "move")
            );
        }
        if self.this_run.moves > 0 {
            let share = self.excess().map_or_else(String::new, |excess| {
                let clocks = self.this_run.clock_ms as f64 / 1000.0;
                format!(": {:+.1} % of the clocks' {clocks:.1} s", excess * 100.0)
            });
            let (wall, places) = (self.wall.as_secs_f64(), counted(self.slots as u64, "place"));
            let _ = writeln!(text, "Wall time {wall:.1} s{share} on {places}");
        }
        let _ = writeln!(text, "Run by {}", self.provenance);
        text
    }

    fn table(&self, field: &Field) -> Table {
        let mut table =
            markdown(tables::standings(self.players, self.standings, field, tables::scale(field)));
        for column in [0, 2, 3, 4, 5, 6, 7, 8, 9] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn match_lines(&self, text: &mut String) {
        for line in match_lines(self.players, self.standings) {
            let _ = writeln!(text, "{line}");
        }
    }

    fn check_lines(&self, text: &mut String) {
        for (player, name) in self.players.iter().enumerate() {
            let found = self.tally.checks(player).found();
            let told: Vec<String> = found.iter().map(|(count, what)| format!("{what}: {count}")).collect();
            if !told.is_empty() {
                let _ = writeln!(text, "Checks of {name}: {}", told.join("; "));
            }
        }
    }

    fn forfeit_lines(&self, text: &mut String) {
        for (game, reason, stderr) in &self.tally.told {
            let _ = writeln!(text, "Game {}: {reason}", game + 1);
            for line in stderr.iter().rev().take(3).rev() {
                let _ = writeln!(text, "    stderr: {line}");
            }
        }
        let more = self.tally.forfeits - self.tally.told.len() as u64;
        if more > 0 {
            let _ = writeln!(text, "... and {} more", counted(more, "forfeit"));
        }
    }
}

/// A table as a terminal of tournaments has it.
fn markdown(table: figures::Table) -> Table {
    let figures::Table { headings, rows, .. } = table;
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN).set_header(headings).add_rows(rows);
    table
}

/// What a match came to, in lines; none unless there are two players who met.
pub(crate) fn match_lines(players: &[String], standings: &Standings) -> Vec<String> {
    let ([first, second], Some(estimate)) = (players, standings.estimate()) else { return Vec::new() };
    let mut lines = vec![format!(
        "{first} - {second}: Elo {}, nElo {}, LOS {}, draws {:.1} %",
        plus_minus(estimate.elo, estimate.interval),
        plus_minus(estimate.nelo, estimate.nelo_interval),
        estimate.los.map_or_else(|| "?".to_owned(), |los| format!("{:.1} %", los * 100.0)),
        draw_ratio(standings) * 100.0
    )];
    let pairs = standings.pairs();
    if pairs.count() > 0 {
        lines.push(format!("Pairs (0, ½, 1, 1½, 2 points): {:?}", pairs.0));
    }
    let unpaired = standings.unpaired();
    if unpaired > 0 {
        lines.push(format!("Games in no pair, which no Elo counts: {unpaired}"));
    }
    lines
}

fn draw_ratio(standings: &Standings) -> f64 {
    let wdl = standings.between(0, 1);
    if wdl.games() == 0 { 0.0 } else { wdl.draws as f64 / wdl.games() as f64 }
}

/// A player's results and rating.
pub(crate) fn player_json(name: &str, standings: &Standings, field: &Field, player: usize) -> Value {
    let (wdl, rating) = (standings.of(player), field.ratings[player]);
    let is_rated = wdl.games() > 0 && rating.bound != Some(Bound::Open);
    json!({
        "name": name, "games": wdl.games(), "wins": wdl.wins, "draws": wdl.draws, "losses": wdl.losses,
        "points": standings.points(player), "bye_points": standings.bye_points(player),
        "elo": if is_rated { number(rating.elo) } else { Value::Null }, "elo_error": number(rating.error),
        "elo_bounded": rating.bound.is_none(), "forfeits": counts(standings.forfeits(player).iter()),
    })
}

/// A match between two; `None` unless there are two players who met.
pub(crate) fn match_json(standings: &Standings, players: usize) -> Option<Value> {
    let mut document = estimate_json(&standings.estimate().filter(|_| players == 2)?);
    document["pairs"] = json!(standings.pairs());
    document["unpaired"] = json!(standings.unpaired());
    document["draw_ratio"] = json!(draw_ratio(standings));
    Some(document)
}

/// A difference with its intervals, by the same names in every document.
#[must_use]
pub fn estimate_json(estimate: &Estimate) -> Value {
    json!({
        "elo": number(estimate.elo), "elo_error": number(estimate.interval),
        "elo_error_normal": number(estimate.error),
        "nelo": number(estimate.nelo), "nelo_error": number(estimate.nelo_interval),
        "nelo_error_normal": number(estimate.nelo_error),
        "los": estimate.los,
    })
}

/// The meetings of a knockout that the seeds decided.
pub(crate) fn by_seed_json(standings: &Standings, names: &[String]) -> Value {
    let level = standings.level().iter();
    level
        .map(|level| {
            let (through, out) = (&names[level.through], &names[level.out]);
            json!({ "stage": level.stage, "through": through, "out": out, "replays": level.replays })
        })
        .collect()
}

/// A sequential test and what it came to.
pub(crate) fn sprt_json(standings: &Standings, rule: StopRule, verdict: &str) -> Value {
    let (lower, upper) = rule.sprt.bounds();
    json!({
        "elo0": rule.sprt.elo0, "elo1": rule.sprt.elo1, "alpha": rule.sprt.alpha, "beta": rule.sprt.beta,
        "model": rule.sprt.model, "pentanomial": standings.tests_pairs(&rule.sprt, rule.by_pairs),
        "lower": lower, "upper": upper, "verdict": verdict, "games_left_out": standings.games_left_out(),
    })
}

/// A test and its ratio: `SPRT [0, 5] nElo, alpha 0.05, beta 0.05: LLR 1.23 (-2.94, 2.94)`.
pub(crate) fn ratio_line(sprt: &Sprt, llr: f64) -> String {
    let (lower, upper) = sprt.bounds();
    format!(
        "SPRT [{}, {}] {}, alpha {}, beta {}: LLR {} ({lower:.2}, {upper:.2})",
        sprt.elo0,
        sprt.elo1,
        sprt.model.unit(),
        sprt.alpha,
        sprt.beta,
        rounded(llr, 2)
    )
}

/// Every player's results against every other; null of more than [`CROSSTABLE`] players.
pub(crate) fn crosstable_json(standings: &Standings, players: usize) -> Value {
    if players > CROSSTABLE {
        return Value::Null;
    }
    (0..players).map(|a| (0..players).map(|b| json!(standings.between(a, b))).collect::<Value>()).collect()
}

/// A player's rating in a table; only a bound where the results say no more.
#[must_use]
pub fn elo_cell(rating: Rating, results: Wdl) -> String {
    let Rating { elo, error, bound } = rating;
    match (results.games(), bound) {
        (0, _) => "-".to_owned(),
        (_, None) if error.is_finite() => format!("{} ± {error:.1}", signed(elo, 1)),
        (_, None) => format!("{} ± ?", signed(elo, 1)),
        (_, Some(_)) if elo.is_infinite() => if elo > 0.0 { "+∞" } else { "-∞" }.to_owned(),
        (_, Some(Bound::Above)) => format!("> {}", signed(elo, 0)),
        (_, Some(Bound::Below)) => format!("< {}", signed(elo, 0)),
        (_, Some(Bound::Open)) => "?".to_owned(),
    }
}

/// A value with its error for people, who read ∞ and ? more easily than what floating point calls them.
#[must_use]
pub fn plus_minus(value: f64, error: f64) -> String {
    let value = match value {
        v if v.is_nan() => "?".to_owned(),
        v if v.is_infinite() => if v > 0.0 { "+∞" } else { "-∞" }.to_owned(),
        v => signed(v, 2),
    };
    if error.is_finite() { format!("{value} ± {error:.2}") } else { format!("{value} ± ?") }
}

/// A number JSON can hold: `null` for what is not one.
pub(crate) fn number(value: f64) -> Value {
    // The sum is no minus zero.
    if value.is_finite() { json!((value * 1000.0).round() / 1000.0 + 0.0) } else { Value::Null }
}

pub(crate) fn counts<'a>(map: impl Iterator<Item = (&'a Ending, &'a u64)>) -> Value {
    map.map(|(ending, n)| (ending.to_string(), json!(n))).collect::<serde_json::Map<_, _>>().into()
}

fn status(end: &RunEnd) -> &'static str {
    match end {
        RunEnd::Complete => "complete",
        RunEnd::Decided(_) => "decided",
        RunEnd::Stopped => "stopped",
        RunEnd::Halted(_) => "halted",
    }
}

/// What a test does not count.
pub(crate) fn left_out_line(standings: &Standings, rule: StopRule, games: u64) -> String {
    let in_pairs = standings.tests_pairs(&rule.sprt, rule.by_pairs);
    let pair = if in_pairs { ", nor the other of its pair" } else { "" };
    format!("The SPRT does not see {} lost by a fault of the program{pair}.", counted(games, "game"))
}

/// A test's verdict in a word.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::H1 => "H1 accepted",
        Verdict::H0 => "H0 accepted",
        Verdict::Continue => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::record::{MoveRecord, Score};
    use crate::standings::Counting;

    fn tally(overheads: &[u64]) -> Tally {
        let mv = |&us: &u64| MoveRecord {
            overhead_us: Some(us),
            ..MoveRecord::of_opening("e4".into(), "e2e4".into())
        };
        let mut tally = Tally::default();
        tally.add(&GameRecord { moves: overheads.iter().map(mv).collect(), ..game(0) });
        tally
    }

    /// Held against the sorted values themselves.
    #[test]
    fn overheads_are_known_to_half_a_percent() {
        assert_eq!(tally(&[]).overhead_us(), None);
        assert_eq!(tally(&[u64::MAX]).overhead_us(), Some((u32::MAX, u32::MAX)));
        for us in 0..100 {
            assert_eq!(tally(&[us]).overhead_us(), Some((us as u32, us as u32)));
        }
        let mut values: Vec<u64> = (0..1000).map(|n| n * n * 7919 % 1_000_003).collect();
        let (median, last) = tally(&values).overhead_us().unwrap();
        values.sort_unstable();
        for (found, exact) in [(median, values[500]), (last, values[990])] {
            assert!((f64::from(found) / exact as f64 - 1.0).abs() < 0.0051, "{found} {exact}");
        }
    }

    /// The summary of a match of two that played these games in such a time at so many places.
    fn told(tally: &Tally, wall: Duration, slots: usize) -> (String, Value) {
        told_of(&["A", "B"], tally, wall, slots)
    }

    fn told_of(players: &[&str], tally: &Tally, wall: Duration, slots: usize) -> (String, Value) {
        let players: Vec<String> = players.iter().copied().map(str::to_owned).collect();
        let (standings, provenance) = (Standings::new(players.len(), Counting::Pairs), Provenance::default());
        let summary = Summary {
            event: "x",
            players: &players,
            standings: &standings,
            tally,
            stop_rule: None,
            end: RunEnd::Complete,
            scheduled: None,
            this_run: tally,
            wall,
            slots,
            provenance: &provenance,
        };
        (summary.text(), summary.json())
    }

    #[test]
    fn the_table_says_what_its_elo_is() {
        let headings = |players: &[&str]| {
            let (text, _) = told_of(players, &Tally::default(), Duration::ZERO, 1);
            ["Elo difference", "Elo (field mean 0)"].map(|heading| text.contains(heading))
        };
        assert_eq!(headings(&["A", "B"]), [true, false]);
        assert_eq!(headings(&["A", "B", "C"]), [false, true]);
    }

    /// Of many games that end by forfeit the first are told, and the number of the others.
    #[test]
    fn some_forfeits_are_told_and_all_are_counted() {
        let mut tally = Tally::default();
        for id in 0..1000 {
            tally.add(&GameRecord { ending: Ending::Crash, reason: "B crashes".into(), ..game(id) });
        }
        assert_eq!((tally.forfeits, tally.told.len()), (1000, TOLD));
        let (text, _) = told(&tally, Duration::ZERO, 1);
        assert!(!text.contains("Wall time"), "no move was made: {text}");
        assert_eq!(text.matches("B crashes").count(), TOLD);
        assert!(text.contains("Game 20: B crashes\n... and 980 forfeits more\n"), "{text}");
    }

    /// The first move of a game follows no answer of an engine.
    #[test]
    fn the_runners_own_time_is_over_the_moves_that_have_one() {
        let mv = |overhead_us| MoveRecord {
            ms: Some(250),
            overhead_us,
            ..MoveRecord::of_opening("e4".into(), "e2e4".into())
        };
        let mut tally = Tally::default();
        for id in 0..2 {
            tally.add(&GameRecord { moves: [None, Some(40), Some(50)].map(mv).to_vec(), ..game(id) });
        }
        let (text, document) = told(&tally, Duration::ZERO, 1);
        assert!(text.contains("99th percentile 0.050 ms over 4 moves\n"), "{text}");
        assert_eq!(document["moves"], 6);
    }

    /// Ten drawn pairs, and two games without a partner that A won: by pairs the Elo is zero, and it is told that it
    /// leaves out two games.
    #[test]
    fn games_in_no_pair_are_told_beside_the_elo() {
        let names = ["A", "B"].map(str::to_owned);
        for (counting, unpaired) in [(Counting::AsFound, 2), (Counting::Pairs, 2), (Counting::Games, 0)] {
            let mut standings = Standings::new(2, counting);
            (0..20).for_each(|id| standings.add(&game(id)));
            for id in [20, 22] {
                standings.add(&GameRecord { result: Score::White, ..game(id) });
            }
            let (lines, document) = (match_lines(&names, &standings), match_json(&standings, 2).unwrap());
            let line = "Games in no pair, which no Elo counts: 2".to_owned();
            assert_eq!(lines.contains(&line), unpaired > 0, "{counting:?}: {lines:?}");
            assert_eq!(document["unpaired"], unpaired);
            assert_eq!(document["elo"] == 0.0, unpaired > 0, "{document}");
        }
    }

    /// Of clocks the wall time is a share; games by nodes have none, and what they took is told all the same.
    #[test]
    fn wall_time_is_no_share_where_no_clock_runs() {
        let wall_time = |clock_ms: Option<u64>| {
            let mv =
                MoveRecord { ms: Some(250), clock_ms, ..MoveRecord::of_opening("e4".into(), "e2e4".into()) };
            let mut tally = Tally::default();
            tally.add(&GameRecord { moves: vec![mv], ..game(0) });
            let (text, document) = told(&tally, Duration::from_secs(1), 2);
            let line = text.lines().find(|line| line.starts_with("Wall time")).map(str::to_owned);
            (line.unwrap(), document["run"]["excess"].clone())
        };
        assert_eq!(wall_time(None), ("Wall time 1.0 s on 2 places".to_owned(), Value::Null));
        let with_clocks = "Wall time 1.0 s: +700.0 % of the clocks' 0.2 s on 2 places".to_owned();
        assert_eq!(wall_time(Some(9000)), (with_clocks, json!(7.0)));
    }

    /// Where all pairs ended alike there is no deviation to divide by, and no interval of the quotient.
    #[test]
    fn without_any_chance_there_is_no_normalized_interval() {
        for result in [Score::White, Score::Draw] {
            let mut standings = Standings::new(2, Counting::Games);
            (0..4).for_each(|n| standings.add(&GameRecord { white: 0, black: 1, result, ..game(2 * n) }));
            let line = match_lines(&["A".to_owned(), "B".to_owned()], &standings).concat();
            let nelo = line.split("nElo ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
            assert!(nelo.ends_with("± ?"), "{line}");
            assert!(match_json(&standings, 2).unwrap()["nelo_error"].is_null());
        }
    }
}
