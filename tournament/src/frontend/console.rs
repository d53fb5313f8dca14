//! The lines that fastchess and cutechess-cli print, for the scripts that read them.
//!
//! What is printed when, and how numbers are written, was learnt from recorded terminals;
//! `tests/recorded/mod.rs` holds every line against them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::columns::{Column, What, los};
use super::numbers::{MINUS_NAN, elo, elo_error, fixed, qt, ratio, three_digits};
use super::reasons::reason;
use super::request::{Output, Terminal};
use super::tally::Tally;
use crate::adjudicate::Manner;
use crate::record::{Ending, GameRecord};
use crate::runner::RunEnd;
use crate::schedule::{Level, Pairing};
use crate::stats::elo::{NELO, Z95, normal_cdf};
use crate::stats::sprt::{Sprt, Verdict};
use crate::stats::{Distribution, Wdl};

/// cutechess-cli's 97.5 % quantile of the normal distribution, from S. Winitzki's approximation of the
/// inverse error function (*A handy approximation for the error function and its inverse*, 2008).
const CUTECHESS_Z: f64 = 1.957_161_9;
const RULE: &str = "--------------------------------------------------";

/// What is printed, and of whom.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Whose lines they are.
    pub manner: Manner,
    /// What is wanted on the terminal.
    pub terminal: Terminal,
    /// The players' names.
    pub names: Vec<String>,
    /// Games of the whole plan, if known.
    pub total: Option<usize>,
    /// The sequential test.
    pub sprt: Option<Sprt>,
    /// Limits, threads, hash and book, as they stand behind the players' names.
    pub heading: String,
    /// The players of a knockout in the order of its bracket; numbers past the field are byes.
    pub bracket: Vec<usize>,
    /// Seeds of a gauntlet, which stand first in tables.
    pub seeds: usize,
    /// How the match goes on after an interruption, or that it does not, in a sentence.
    pub resume: Option<String>,
}

/// A terminal in the making: every event gives the lines that are to be printed.
#[derive(Debug, Clone)]
pub struct Console {
    shown: Shown,
    tally: Tally,
    games: u64,
    /// Games at the last line `Score of`.
    scored: u64,
    llr: f64,
    last: Option<(usize, usize)>,
    /// Meetings of a knockout that the seeds decided.
    level: Vec<Level>,
}

impl Console {
    /// Before the first game.
    #[must_use]
    pub fn new(shown: Shown) -> Self {
        let tally = Tally::new(shown.names.len());
        Self { shown, tally, games: 0, scored: 0, llr: 0.0, last: None, level: Vec::new() }
    }

    /// A game begins.
    #[must_use]
    pub fn started(&self, game: &Pairing) -> String {
        let (white, black) = (&self.shown.names[game.white], &self.shown.names[game.black]);
        // A level meeting of a knockout is repeated, which makes the games more.
        let total = self.shown.total.map(|total| total.max(game.id + 1));
        let of = total.map_or_else(String::new, |total| format!(" of {total}"));
        format!("Started game {}{of} ({white} vs {black})\n", game.id + 1)
    }

    /// Counts a game without saying anything: one that was played before.
    pub fn count(&mut self, game: &GameRecord, llr: f64) {
        self.games += 1;
        self.llr = llr;
        self.tally.add(game, &reason(self.shown.manner, game, false));
        self.last = Some((game.white.min(game.black), game.white.max(game.black)));
    }

    /// Takes the meetings of a knockout that the seeds have decided so far
    /// ([`crate::standings::Standings::level`]).
    pub fn decided_by_seed(&mut self, level: &[Level]) {
        self.level = level.to_vec();
    }

    /// A game is finished; the log-likelihood ratio is the one after it.
    #[must_use]
    pub fn finished(&mut self, game: &GameRecord, llr: f64) -> String {
        let why = reason(self.shown.manner, game, false);
        let (white, black) = (&self.shown.names[game.white], &self.shown.names[game.black]);
        let mut text =
            format!("Finished game {} ({white} vs {black}): {} {{{why}}}\n", game.id + 1, game.result.text());
        self.games += 1;
        self.llr = llr;
        let pair_done = self.tally.add(game, &why);
        self.last = Some((game.white.min(game.black), game.white.max(game.black)));
        match self.shown.manner {
            Manner::Cutechess => self.cutechess_after(&mut text),
            Manner::Fastchess | Manner::House => self.fastchess_after(&mut text, pair_done),
        }
        text
    }

    /// The run is over, after so long.
    #[must_use]
    pub fn ended(&mut self, end: &RunEnd, wall: Duration) -> String {
        match self.shown.manner {
            Manner::Cutechess => self.cutechess_end(),
            Manner::Fastchess | Manner::House => self.fastchess_end(end, wall),
        }
    }

    /// Whose lines they are.
    #[must_use]
    pub fn manner(&self) -> Manner {
        self.shown.manner
    }

    /// The players' names.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.shown.names.clone()
    }

    fn is_match(&self) -> bool {
        self.shown.names.len() == 2
    }

    fn score_line(&self, (first, second): (usize, usize)) -> String {
        let wdl = self.tally.of(first, second);
        format!(
            "Score of {} vs {}: {}\n",
            self.shown.names[first],
            self.shown.names[second],
            wdl_text(self.shown.manner, wdl)
        )
    }

    fn fastchess_after(&mut self, text: &mut String, pair_done: bool) {
        let last_game = self.shown.total.is_some_and(|total| self.games >= total as u64);
        if self.shown.terminal.output == Output::Cutechess {
            let due = |interval: u64, count: u64| interval > 0 && count.is_multiple_of(interval);
            if let Some(players) = self.last.filter(|_| due(self.shown.terminal.score_interval, self.games)) {
                text.push_str(&self.score_line(players));
                self.scored = self.games;
            }
        }
        let terminal = &self.shown.terminal;
        let (count, counted) =
            if terminal.pairs { (self.tally.finished_pairs, pair_done) } else { (self.games, true) };
        let interval = terminal.rating_interval;
        if counted && interval > 0 && count.is_multiple_of(interval) && !last_game {
            text.push_str(&self.fastchess_block());
        }
    }

    fn fastchess_block(&self) -> String {
        match (self.shown.terminal.output, self.is_match()) {
            (Output::Fastchess, true) => format!("{RULE}\n{}{RULE}\n", self.fastchess_match()),
            (Output::Fastchess, false) => format!("{RULE}\n{}{RULE}\n", self.fastchess_table()),
            (Output::Cutechess, true) => self.fastchess_difference(),
            (Output::Cutechess, false) => self.fastchess_table(),
        }
    }

    fn fastchess_match(&self) -> String {
        let figures = self.figures(0);
        let [first, second] = &self.shown.names[..] else { return String::new() };
        let mut text = format!("Results of {first} vs {second} ({}):\n", self.shown.heading);
        let Figures { elo, error, nelo, nelo_error, los, draws, games, .. } = &figures;
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "Elo: {} +/- {}, nElo: {} +/- {}",
            fixed(*elo, 2),
            fixed(*error, 2),
            fixed(*nelo, 2),
            fixed(*nelo_error, 2)
        );
        let _ = write!(text, "LOS: {} %, DrawRatio: {} %", fixed(los * 100.0, 2), fixed(draws * 100.0, 2));
        let pairs = &self.tally.pairs[0];
        let [ll, ld, _, wd, ww] = pairs.pairs.0.map(|n| n as f64);
        if self.shown.terminal.pairs {
            let _ = write!(text, ", PairsRatio: {}", fixed(ratio(ww + wd, ll + ld), 2));
        }
        let percent = ratio(games.points(), games.games() as f64) * 100.0;
        let _ = writeln!(
            text,
            "\nGames: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({} %)",
            games.games(),
            games.wins,
            games.losses,
            games.draws,
            games.points(),
            fixed(percent, 2)
        );
        if self.shown.terminal.pairs {
            let drawn = pairs.pairs.0[2] - pairs.win_and_loss;
            let ratio = ratio(pairs.win_and_loss as f64, drawn as f64);
            let _ = writeln!(text, "Ptnml(0-2): {:?}, WL/DD Ratio: {}", pairs.pairs.0, fixed(ratio, 2));
        }
        if let Some(sprt) = &self.shown.sprt {
            let (lower, upper) = sprt.bounds();
            let share = self.llr / if self.llr >= 0.0 { upper } else { -lower } * 100.0;
            let _ = writeln!(
                text,
                "LLR: {:.2} ({share:.1}%) ({lower:.2}, {upper:.2}) [{:.2}, {:.2}]",
                self.llr, sprt.elo0, sprt.elo1
            );
        }
        text
    }

    /// fastchess's results in the words of cutechess-cli.
    fn fastchess_difference(&self) -> String {
        let Figures { elo, error, los, draws, .. } = self.figures(0);
        let mut text = format!(
            "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %\n",
            fixed(elo, 2),
            fixed(error, 2),
            fixed(los * 100.0, 2),
            fixed(draws * 100.0, 2)
        );
        if let Some(sprt) = &self.shown.sprt {
            let (lower, upper) = sprt.bounds();
            // Here, and not in its own format, fastchess gives the share of the lower bound no sign.
            let share = self.llr / if self.llr >= 0.0 { upper } else { lower } * 100.0;
            let accepted = accepted(sprt.verdict(self.llr));
            let _ = writeln!(
                text,
                "SPRT: llr {:.2} ({share:.1}%), lbound {lower:.2}, ubound {upper:.2}{accepted}",
                self.llr
            );
        }
        text
    }

    fn fastchess_table(&self) -> String {
        let longest = self.shown.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let width = longest.max(25);
        let mut text = format!(
            "{:>4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
        );
        if self.shown.terminal.pairs {
            let _ = write!(text, " {:>20}", "Ptnml(0-2)");
        }
        text.push('\n');
        let mut rows: Vec<(usize, Figures)> =
            (0..self.shown.names.len()).map(|player| (player, self.figures(player))).collect();
        rows.sort_by(|(_, a), (_, b)| {
            a.elo
                .is_nan()
                .cmp(&b.elo.is_nan())
                .then(b.elo.partial_cmp(&a.elo).unwrap_or(std::cmp::Ordering::Equal))
        });
        for (place, (player, figures)) in rows.into_iter().enumerate() {
            let games = figures.games;
            let percent = |value: f64| format!("{}%", fixed(value * 100.0, 1));
            let _ = write!(
                text,
                "{:>4} {:<width$} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
                place + 1,
                self.shown.names[player],
                fixed(figures.elo, 2),
                fixed(figures.error, 2),
                fixed(figures.nelo, 2),
                fixed(figures.nelo_error, 2),
                games.games(),
                percent(ratio(games.points(), games.games() as f64)),
                percent(figures.draws),
            );
            if self.shown.terminal.pairs {
                let _ = write!(text, " {:>20}", format!("{:?}", self.tally.pairs[player].pairs.0));
            }
            text.push('\n');
        }
        text
    }

    /// A player's figures as fastchess computes them: from pairs, or from games.
    fn figures(&self, player: usize) -> Figures {
        let pairs = &self.tally.pairs[player];
        if self.shown.terminal.pairs {
            let drawn = ratio(pairs.pairs.0[2] as f64, pairs.pairs.count() as f64);
            Figures::of(&Distribution::of_pairs(pairs.pairs), 2.0, pairs.games, drawn)
        } else {
            let games = self.tally.of_player(player);
            let drawn = ratio(games.draws as f64, games.games() as f64);
            Figures::of(&Distribution::of_games(games), 1.0, games, drawn)
        }
    }

    /// An interrupted match goes on in another way than was known at its beginning.
    pub fn resumes(&mut self, how: String) {
        self.shown.resume = Some(how);
    }

    fn fastchess_end(&mut self, end: &RunEnd, wall: Duration) -> String {
        let mut text = String::new();
        let whole = matches!(end, RunEnd::Complete | RunEnd::Decided(_));
        if whole && self.games > 0 {
            let unscored = self.shown.terminal.output == Output::Cutechess && self.scored != self.games;
            if let Some(players) = self.last.filter(|_| unscored) {
                text.push_str(&self.score_line(players));
            }
            text.push_str(&self.fastchess_block());
        }
        if let (RunEnd::Decided(verdict), Some(sprt)) = (end, &self.shown.sprt) {
            if self.shown.terminal.output == Output::Cutechess {
                text.push_str("Tournament finished\n");
            } else {
                let accepted = accepted(*verdict);
                let _ = writeln!(text, "SPRT ([{:.2}, {:.2}]) completed{accepted}", sprt.elo0, sprt.elo1);
            }
        }
        if whole && self.shown.terminal.output == Output::Fastchess {
            text.push_str(&self.failures());
        }
        if !whole {
            let how = self.shown.resume.as_deref();
            let how = how.map_or_else(String::new, |how| format!(" {how}"));
            let _ = writeln!(text, "Tournament was interrupted.{how}");
        }
        let seconds = wall.as_secs();
        let _ = writeln!(
            text,
            "Finished match\nTotal Time: {:02}:{:02}:{:02} (hours:minutes:seconds)\n",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        );
        text
    }

    /// Who lost on time or crashed, if anybody did.
    fn failures(&self) -> String {
        let mut text = String::new();
        for (player, name) in self.shown.names.iter().enumerate() {
            let (timeouts, crashes) = (self.tally.timeouts[player], self.tally.crashes[player]);
            if timeouts + crashes > 0 {
                let _ = write!(text, "\nPlayer: {name}\n  Timeouts: {timeouts}\n  Crashed: {crashes}\n");
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    fn cutechess_after(&mut self, text: &mut String) {
        if let Some(players) = self.last.filter(|_| self.is_match()) {
            text.push_str(&self.score_line(players));
        }
        let due = |interval: u64| interval > 0 && self.games.is_multiple_of(interval);
        if due(self.shown.terminal.rating_interval) {
            text.push_str(&self.cutechess_block());
        }
        if due(self.shown.terminal.outcome_interval) {
            text.push_str(&self.cutechess_outcomes());
        }
    }

    fn cutechess_end(&self) -> String {
        let mut text = String::new();
        // What was printed after the last game is not printed again.
        let due = |interval: u64| interval == 0 || !self.games.is_multiple_of(interval);
        if due(self.shown.terminal.rating_interval) {
            text.push_str(&self.cutechess_block());
        }
        if due(self.shown.terminal.outcome_interval) {
            text.push_str(&self.cutechess_outcomes());
        }
        text.push_str("Finished match\n");
        text
    }

    fn cutechess_block(&self) -> String {
        if !self.shown.bracket.is_empty() {
            return self.cutechess_bracket();
        }
        let mut text = if self.is_match() { self.cutechess_match() } else { self.cutechess_table() };
        let (lower, upper, share, accepted) = match &self.shown.sprt {
            Some(sprt) => {
                let (lower, upper) = sprt.bounds();
                (lower, upper, self.llr / upper * 100.0, accepted(sprt.verdict(self.llr)))
            }
            None => (f64::NEG_INFINITY, f64::INFINITY, 0.0, ""),
        };
        if !self.is_match() {
            text.push('\n');
        }
        let _ = writeln!(
            text,
            "SPRT: llr {} ({}%), lbound {}, ubound {}{accepted}",
            three_digits(self.llr),
            qt(share, 1),
            three_digits(lower),
            three_digits(upper)
        );
        text
    }

    /// A knockout as a tree that lies on its side: two players, and between them the winner with the points
    /// of both.
    fn cutechess_bracket(&self) -> String {
        // Players stand on even rows, the winners of a round between those of the round before.
        let mut rows: Vec<(usize, usize, String)> = Vec::new();
        for (seat, &player) in self.shown.bracket.iter().enumerate() {
            rows.push((seat * 2, 0, self.shown.names.get(player).cloned().unwrap_or_default()));
        }
        let mut seats: Vec<Option<usize>> = self.shown.bracket.iter().copied().map(Some).collect();
        let mut round = 1;
        while seats.len() > 1 {
            let mut through = Vec::with_capacity(seats.len() / 2);
            for (index, pair) in seats.chunks(2).enumerate() {
                let (winner, told) = self.pair_text(pair);
                rows.push((((2 * index + 1) << round) - 1, round, told));
                through.push(winner);
            }
            (seats, round) = (through, round + 1);
        }
        rows.sort_unstable();
        rows.iter().map(|(_, round, told)| format!("{}{told}\n", "\t\t".repeat(*round))).collect()
    }

    /// The winner of a pair so far, and what the tree says of it.
    fn pair_text(&self, pair: &[Option<usize>]) -> (Option<usize>, String) {
        let &[Some(first), Some(second)] = pair else { return (None, "...".to_owned()) };
        let there = |player: usize| player < self.shown.names.len();
        if !there(first) || !there(second) {
            let through = if there(first) { first } else { second };
            return (Some(through), self.shown.names.get(through).cloned().unwrap_or_default());
        }
        let wdl = self.tally.of(first.min(second), first.max(second));
        let wdl = if first < second { wdl } else { wdl.reversed() };
        let (a, b) = (wdl.points(), wdl.games() as f64 - wdl.points());
        let theirs =
            |level: &&Level| [(first, second), (second, first)].contains(&(level.through, level.out));
        let (winner, how) = match self.level.iter().find(theirs) {
            Some(level) if a == b => (level.through, ", by seed"),
            _ if a == b => return (None, "...".to_owned()),
            _ => (if a > b { first } else { second }, ""),
        };
        (Some(winner), format!("{} ({a}-{b}{how})", self.shown.names[winner]))
    }

    fn cutechess_match(&self) -> String {
        let key = (0, 1);
        let name = &self.shown.names[0];
        let mut text = String::new();
        for (what, results) in [("White", &self.tally.as_white), ("Black", &self.tally.as_black)] {
            if let Some(wdl) = results.get(&key) {
                let _ =
                    writeln!(text, "...      {name} playing {what}: {}", wdl_text(Manner::Cutechess, *wdl));
            }
        }
        let white = self.tally.white;
        if white.games() > 0 {
            let _ = writeln!(text, "...      White vs Black: {}", wdl_text(Manner::Cutechess, white));
        }
        let wdl = self.tally.of(0, 1);
        let (elo, error) = cutechess_elo(wdl);
        let _ = writeln!(
            text,
            "Elo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
            qt(elo, 1),
            qt(error, 1),
            qt(los(wdl), 1),
            qt(ratio(wdl.draws as f64, wdl.games() as f64) * 100.0, 1)
        );
        text
    }

    fn cutechess_table(&self) -> String {
        let mut text = String::new();
        for column in &self.shown.terminal.columns {
            let (heading, width) = (column.heading(), column.width());
            let _ = match column.what {
                What::Rank => write!(text, "{heading:>width$} "),
                What::Name => write!(text, "{heading:<25}"),
                _ => write!(text, "{heading:>width$}"),
            };
        }
        text.push_str(" \n");
        let share = |player: usize| {
            let wdl = self.tally.of_player(player);
            (wdl.games() > 0).then(|| wdl.points() / wdl.games() as f64)
        };
        let mut order: Vec<usize> = (0..self.shown.names.len()).collect();
        order.sort_by(|&a, &b| {
            let seed = |player: usize| player >= self.shown.seeds;
            let better = share(b).partial_cmp(&share(a)).unwrap_or(std::cmp::Ordering::Equal);
            seed(a).cmp(&seed(b)).then(better).then(b.cmp(&a))
        });
        let mut place = 0;
        for player in order {
            place += usize::from(player >= self.shown.seeds);
            let rank = if player < self.shown.seeds { 0 } else { place };
            text.push_str(&self.cutechess_row(rank, player));
        }
        text
    }

    fn cutechess_row(&self, rank: usize, player: usize) -> String {
        let mut text = String::new();
        for column in &self.shown.terminal.columns {
            let width = column.width();
            let _ = match column.what {
                What::Rank => write!(text, "{rank:>width$} "),
                What::Name => write!(text, "{:<25}", self.shown.names[player]),
                _ => write!(text, "{:>width$}", self.cutechess_cell(*column, player)),
            };
        }
        text.push_str(" \n");
        text
    }

    fn cutechess_cell(&self, column: Column, player: usize) -> String {
        let wdl = match column.white {
            None => self.tally.of_player(player),
            Some(white) => self.tally.of_player_with(player, white),
        };
        let percent = |value: f64| format!("{}%", qt(ratio(value, wdl.games() as f64) * 100.0, 1));
        let sum = |counts: &BTreeMap<Ending, u64>, wanted: &[Ending]| -> u64 {
            wanted.iter().filter_map(|ending| counts.get(ending)).sum()
        };
        match column.what {
            What::Rank | What::Name => String::new(),
            What::Elo => qt(cutechess_elo(wdl).0, 0),
            What::Error => qt(cutechess_elo(wdl).1, 0),
            What::Los => format!("{}%", qt(los(wdl), 1)),
            What::Games => wdl.games().to_string(),
            What::Wins => wdl.wins.to_string(),
            What::Losses => wdl.losses.to_string(),
            What::Draws => wdl.draws.to_string(),
            What::Points => format!("{:.1}", wdl.points()),
            What::Score => percent(wdl.points()),
            What::DrawScore => percent(wdl.draws as f64),
            What::Drawn(endings) => sum(&self.tally.drawn[player], endings).to_string(),
            What::Lost(endings) => sum(&self.tally.lost[player], endings).to_string(),
        }
    }

    fn cutechess_outcomes(&self) -> String {
        let mut text = String::from("\n");
        for (name, outcomes) in self.shown.names.iter().zip(&self.tally.outcomes) {
            let _ = writeln!(text, "Player: {name}");
            for (outcome, count) in outcomes {
                let _ = writeln!(text, "   \"{outcome}\": {count}");
            }
        }
        text
    }
}

fn accepted(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::H0 => " - H0 was accepted",
        Verdict::H1 => " - H1 was accepted",
        Verdict::Continue => "",
    }
}

/// `13 - 4 - 3  [0.725] 20`: won, lost, drawn, score, games.
fn wdl_text(manner: Manner, wdl: Wdl) -> String {
    let score = ratio(wdl.points(), wdl.games() as f64);
    let score = if manner == Manner::Cutechess { qt(score, 3) } else { fixed(score, 3) };
    format!("{} - {} - {}  [{score}] {}", wdl.wins, wdl.losses, wdl.draws, wdl.games())
}

/// Elo and its error as cutechess-cli computes them.
fn cutechess_elo(wdl: Wdl) -> (f64, f64) {
    if wdl.games() == 0 {
        return (f64::NAN, f64::NAN);
    }
    let (score, variance) = Distribution::of_games(wdl).moments();
    let deviation = (variance / wdl.games() as f64).sqrt();
    (elo(score), elo_error(score, CUTECHESS_Z * deviation))
}

/// What fastchess says of a player.
#[derive(Debug, Clone, Copy)]
struct Figures {
    elo: f64,
    error: f64,
    nelo: f64,
    nelo_error: f64,
    los: f64,
    draws: f64,
    games: Wdl,
}

impl Figures {
    fn of(observed: &Distribution, games_each: f64, games: Wdl, draws: f64) -> Self {
        if games.games() == 0 {
            let none = MINUS_NAN;
            return Self { elo: none, error: none, nelo: none, nelo_error: none, los: none, draws, games };
        }
        let (score, variance) = observed.moments();
        let deviation = (variance / observed.count).sqrt();
        let lead = score - 0.5;
        let per_game = (variance * games_each).sqrt();
        Self {
            elo: elo(score),
            error: elo_error(score, Z95 * deviation),
            nelo: ratio(lead, per_game) * NELO,
            nelo_error: if variance > 0.0 { Z95 * deviation / per_game * NELO } else { MINUS_NAN },
            los: match variance > 0.0 {
                true => normal_cdf(lead / deviation),
                false if lead == 0.0 => MINUS_NAN,
                false => f64::from(u8::from(lead > 0.0)),
            },
            draws,
            games,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::record::Score;
    use crate::stats::sprt::Model;

    /// Counted by hand: A wins as White on time and draws as Black, C loses twice as White.
    #[test]
    fn a_table_by_colour_and_by_ending() {
        let table = |columns: &str| {
            let shown = Shown {
                manner: Manner::Cutechess,
                names: ["A", "B", "C"].map(str::to_owned).to_vec(),
                terminal: Terminal { columns: Column::list(columns).unwrap(), ..Terminal::default() },
                ..Shown::default()
            };
            let mut console = Console::new(shown);
            for (white, black, result, ending) in [
                (0, 1, Score::White, Ending::TimeForfeit),
                (1, 0, Score::Draw, Ending::Repetition),
                (2, 0, Score::Black, Ending::Crash),
                (2, 1, Score::Black, Ending::Checkmate),
            ] {
                let _ = console.finished(&GameRecord { white, black, result, ending, ..game(0) }, 0.0);
            }
            let rows = console.cutechess_table();
            rows.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(
            table("Rank,Name,wW,wL,wD,wPoints,bW,bL,bD,bPoints,Games"),
            [
                "Rank Name wW wL wD wPoints bW bL bD bPoints Games",
                "1 A 1 0 0 1.0 1 0 1 1.5 3",
                "2 B 0 0 1 0.5 1 1 0 1.0 3",
                "3 C 0 2 0 0.0 0 0 0 0.0 2",
            ]
        );
        assert_eq!(
            table("Name,wScore,bDScore,DRepet,OtherD,Terminations"),
            [
                "Name wScore bDScore DRepet OtherD Time Illegal Discon Stall WrClaim",
                "A 100.0% 50.0% 1 0 0 0 0 0 0",
                "B 50.0% 0.0% 1 0 1 0 0 0 0",
                "C 0.0% nan% 0 0 0 0 1 0 0",
            ]
        );
    }

    /// Counted by hand, in the lines that scripts look for; an illegal move is neither.
    #[test]
    fn losses_on_time_and_by_crashes_are_told_at_the_end() {
        let names = ["A", "B"].map(str::to_owned).to_vec();
        let mut console = Console::new(Shown { manner: Manner::Fastchess, names, ..Shown::default() });
        for (loser, ending) in [
            (0, Ending::TimeForfeit),
            (1, Ending::Crash),
            (1, Ending::Stall),
            (0, Ending::IllegalMove),
            (1, Ending::TimeForfeit),
            (1, Ending::Disconnect),
        ] {
            let lost = GameRecord { white: loser, black: 1 - loser, result: Score::Black, ending, ..game(0) };
            console.count(&lost, 0.0);
        }
        let told = console.ended(&RunEnd::Complete, Duration::ZERO);
        let wanted = "\nPlayer: A\n  Timeouts: 1\n  Crashed: 0\n\nPlayer: B\n  Timeouts: 1\n  Crashed: 3\n";
        assert!(told.contains(wanted), "{told}");
    }

    /// By the formulas of both formats: -1 is 34 % of ln(0.05 / 0.95).
    #[test]
    fn a_test_below_zero_has_a_sign_in_one_format_alone() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::default() };
        let names = ["A", "B"].map(str::to_owned).to_vec();
        let mut console = Console::new(Shown { names, sprt: Some(sprt), ..Shown::default() });
        console.count(&GameRecord { result: Score::Black, ..game(0) }, -1.0);
        let (own, other) = (console.fastchess_match(), console.fastchess_difference());
        assert!(own.contains("\nLLR: -1.00 (-34.0%) (-2.94, 2.94) [0.00, 5.00]\n"), "{own}");
        assert!(other.contains("\nSPRT: llr -1.00 (34.0%), lbound -2.94, ubound 2.94\n"), "{other}");
    }

    /// A name of more letters than its column usually has, each of them two bytes, moves all columns behind it.
    #[test]
    fn a_long_name_widens_its_column() {
        let names = vec!["A".to_owned(), "B".to_owned(), "\u{e4}".repeat(30)];
        let console = Console::new(Shown { names, ..Shown::default() });
        let table = console.fastchess_table();
        let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
        // The rank, the name, and seven columns of ten letters: a blank before each.
        assert_eq!(widths, [112; 4], "{table}");
    }

    /// No game is one of fewer: a level meeting of a knockout is played again.
    #[test]
    fn a_game_past_the_plan_is_one_of_more() {
        let shown =
            Shown { names: ["A", "B"].map(str::to_owned).to_vec(), total: Some(2), ..Shown::default() };
        let console = Console::new(shown);
        let started = |id: usize| {
            console.started(&Pairing { id, round: 1, encounter: 0, opening: 0, white: 0, black: 1 })
        };
        assert_eq!(started(0), "Started game 1 of 2 (A vs B)\n");
        assert_eq!(started(2), "Started game 3 of 3 (A vs B)\n");
    }

    /// A meeting that is level stays open until its replays are played; then the better seed meets the next.
    #[test]
    fn a_bracket_shows_who_went_on_by_seed() {
        let shown = Shown {
            manner: Manner::Cutechess,
            names: ["alfa", "bravo", "carol", "delta"].map(str::to_owned).to_vec(),
            bracket: vec![0, 3, 1, 2],
            ..Shown::default()
        };
        let mut console = Console::new(shown);
        let mut draw = |white, black| {
            let game = GameRecord { white, black, result: Score::Draw, ..game(0) };
            let _ = console.finished(&game, 0.0);
            console.clone()
        };
        draw(0, 3);
        draw(3, 0);
        draw(2, 1);
        let mut console = draw(1, 2);
        let winners = |console: &Console| -> Vec<String> {
            let tree = console.cutechess_bracket();
            tree.lines().filter_map(|line| line.strip_prefix("\t\t")).map(str::to_owned).collect()
        };
        assert_eq!(winners(&console), ["...", "\t\t...", "..."]);
        let level = |through, out, stage| Level { stage, through, out, replays: 0 };
        console.decided_by_seed(&[level(0, 3, 1), level(2, 1, 1)]);
        assert_eq!(winners(&console), ["alfa (1-1, by seed)", "\t\t...", "carol (1-1, by seed)"]);
        let won = GameRecord { white: 2, black: 0, result: Score::White, ..game(0) };
        let _ = console.finished(&won, 0.0);
        assert_eq!(winners(&console)[1], "\t\tcarol (0-1)");
    }
}
