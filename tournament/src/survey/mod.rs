//! Sums over games: everything that a report shows, brought up to date game by game. A game takes some hundred bytes
//! of memory, a player and every two that meet up to a kilobyte.
//!
//! Players of files are known by name, so that the games of several files can be one survey; those of a
//! tournament that is being played by their numbers, since two of them may have one name. Of a game only its
//! result is kept, and of the last few, with the first that ended by forfeit, the moves ([`Shown`]).

mod engines;
mod gather;
mod openings;
mod shown;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::archive::Game;
use crate::record::{Ending, GameRecord};
use crate::runner::{Forfeits, StopRule};
use crate::schedule::plans::RunnerPlan;
use crate::spec::Player;
use crate::standings::{Counting, Evidence, Standings};

pub use engines::{EngineStatistics, Phase, PhaseSums, ProcessorTime, Ratio, Shave};
pub use gather::{Gathered, Stint, Tournament, gather, title};
pub use openings::{Opening, Openings};
pub use shown::Shown;

/// Which games count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Games of these players do not.
    pub without: Vec<String>,
    /// Only games between these two do; the first is the one whose side results are seen from.
    pub between: Option<[String; 2]>,
}

impl Filter {
    /// Whether a game between these two counts.
    #[must_use]
    pub fn takes(&self, names: [&str; 2]) -> bool {
        let dropped = names.iter().any(|name| self.without.iter().any(|other| other == name));
        let both =
            self.between.as_ref().is_none_or(|pair| pair.iter().all(|one| names.contains(&one.as_str())));
        !dropped && both
    }
}

/// A game that ended by forfeit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forfeit {
    /// Its number among all games, from 1.
    pub game: u64,
    /// How it ended.
    pub ending: Ending,
    /// In a sentence; empty where a file of games has none.
    pub reason: String,
}

impl Forfeit {
    /// What happened, in a sentence, or in a word where there is none.
    #[must_use]
    pub fn told(&self) -> String {
        if self.reason.is_empty() { self.ending.to_string() } else { self.reason.clone() }
    }
}

/// Forfeits kept with their reasons.
const FORFEITS: usize = 1000;

/// A pair of games.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The player whose points these are, and the other.
    pub players: [usize; 2],
    /// The opening, by its number in [`Openings::list`].
    pub opening: usize,
    /// Points of the first player in each game, in the order they were finished.
    pub points: Vec<f64>,
}

/// The course of a sequential test, with a bounded number of points.
#[derive(Debug, Clone)]
pub struct Course {
    /// Games counted, and what the test goes by after them. How that is counted is decided by all games at the
    /// end, the same for all points.
    points: Vec<(u64, Evidence)>,
    stride: u64,
}

/// Points of a course at most.
const POINTS: usize = 800;

impl Default for Course {
    fn default() -> Self {
        Self { points: Vec::new(), stride: 1 }
    }
}

impl Course {
    fn add(&mut self, standings: &Standings) {
        let games = standings.games();
        if !games.is_multiple_of(self.stride) {
            return;
        }
        self.points.push((games, standings.evidence()));
        if self.points.len() > POINTS {
            self.stride *= 2;
            let stride = self.stride;
            self.points.retain(|point| point.0.is_multiple_of(stride));
        }
    }

    /// Games and log-likelihood ratios, from 0 on, the last of them after all games.
    #[must_use]
    pub fn points(&self, standings: &Standings, rule: StopRule) -> Vec<(f64, f64)> {
        let games = standings.games();
        let llr = |evidence: &Evidence| standings.llr_of(evidence, &rule.sprt, rule.by_pairs);
        let before = self.points.iter().filter(|point| point.0 < games);
        let mut points = vec![(0.0, 0.0)];
        points.extend(before.map(|(games, evidence)| (*games as f64, llr(evidence))));
        if games > 0 {
            points.push((games as f64, llr(&standings.evidence())));
        }
        points
    }
}

/// What is wanted of a survey.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Which games count.
    pub filter: Filter,
    /// A sequential test between the first two players.
    pub test: Option<StopRule>,
    /// What becomes of games that were lost by a fault of the program, for the test of files that are read
    /// ([`gather()`]); `None`: what the last run of the journal has said, or else [`Forfeits::default`].
    pub forfeits: Option<Forfeits>,
    /// Games whose moves are kept.
    pub shown: usize,
    /// Whether every pair of games is kept by itself.
    pub pairs: bool,
    /// Whether games of PGN that cannot be read are left out and named ([`Gathered::notes`]), instead of refusing the
    /// file.
    pub skip_bad: bool,
}

/// The sums.
#[derive(Debug, Clone)]
pub struct Survey {
    wanted: Wanted,
    players: Vec<String>,
    numbers: HashMap<String, usize>,
    /// The score.
    pub standings: Standings,
    engines: Vec<EngineStatistics>,
    /// Who plays by an hourglass, and who ponders, by player; of files every game says it.
    hourglasses: Vec<bool>,
    ponderers: Vec<bool>,
    speeds: BTreeMap<(usize, usize), Ratio>,
    /// Where games began.
    pub openings: Openings,
    /// How the test went.
    pub course: Course,
    /// Games with their moves.
    pub shown: Shown,
    forfeits: Vec<Forfeit>,
    pairs: BTreeMap<usize, Pair>,
    /// Numbers of encounters and games that the files before this one have.
    before: (usize, usize),
    /// The next ones that are free.
    next: (usize, usize),
    /// Beginning of the first game and end of the last, in milliseconds of Unix time.
    span_ms: Option<(u64, u64)>,
    plies: u64,
    dropped: BTreeSet<String>,
}

impl Survey {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(wanted: Wanted, standings: Standings) -> Self {
        let shown = Shown::new(wanted.shown);
        let mut survey = Self {
            players: Vec::new(),
            numbers: HashMap::new(),
            standings,
            engines: Vec::new(),
            hourglasses: Vec::new(),
            ponderers: Vec::new(),
            speeds: BTreeMap::new(),
            openings: Openings::default(),
            course: Course::default(),
            shown,
            forfeits: Vec::new(),
            pairs: BTreeMap::new(),
            before: (0, 0),
            next: (0, 0),
            span_ms: None,
            plies: 0,
            dropped: BTreeSet::new(),
            wanted,
        };
        if let Some(pair) = survey.wanted.filter.between.clone() {
            pair.iter().for_each(|name| {
                survey.player(name);
            });
        }
        survey
    }

    /// The survey of one tournament's games, which is made while it is played ([`Self::add_record`]). Nothing
    /// is filtered; two players may have the same name.
    #[must_use]
    pub fn of_tournament(players: &[String], wanted: Wanted, standings: Standings) -> Self {
        let mut survey = Self::new(Wanted { filter: Filter::default(), ..wanted }, standings);
        for name in players {
            survey.new_player(name);
        }
        survey
    }

    /// The same with what is known of these players' clocks, and of who ponders.
    #[must_use]
    pub fn played_by(self, players: &[Player]) -> Self {
        let glass = |player: &Player| player.limits.clock.is_some_and(|clock| clock.hourglass);
        Self {
            hourglasses: players.iter().map(glass).collect(),
            ponderers: players.iter().map(|player| player.engine.ponder).collect(),
            ..self
        }
    }

    /// A player's number; a new player gets the next one.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.new_player(name)
    }

    fn new_player(&mut self, name: &str) -> usize {
        let number = self.players.len();
        self.players.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        self.engines.push(EngineStatistics::default());
        self.standings.grow(self.players.len());
        number
    }

    /// The players' names.
    #[must_use]
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// What is known of a player's searches.
    #[must_use]
    pub fn engine(&self, player: usize) -> &EngineStatistics {
        &self.engines[player]
    }

    /// How much faster the first of two players searches, by nodes a second in the games between them. `None` where
    /// more than a tenth of these games tell nothing: the others would be those in which the slower one was still
    /// slower, since it is short times that tell nothing.
    #[must_use]
    pub fn speed(&self, first: usize, second: usize) -> Option<Ratio> {
        let ratio = self.speeds.get(&(first.min(second), first.max(second)))?;
        if ratio.count * 10 < self.standings.between(first, second).games() * 9 {
            return None;
        }
        Some(if first < second { *ratio } else { ratio.reversed() })
    }

    /// The test between the first two players.
    #[must_use]
    pub fn test(&self) -> Option<StopRule> {
        self.wanted.test.filter(|_| self.players.len() == 2)
    }

    /// Games that ended by forfeit, the first thousand of them.
    #[must_use]
    pub fn forfeits(&self) -> &[Forfeit] {
        &self.forfeits
    }

    /// The pairs of games, if they are wanted.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.values()
    }

    /// Beginning of the first game and end of the last, in milliseconds of Unix time.
    #[must_use]
    pub fn span_ms(&self) -> Option<(u64, u64)> {
        self.span_ms
    }

    /// Moves of all games, those of openings included.
    #[must_use]
    pub fn plies(&self) -> u64 {
        self.plies
    }

    /// Games are counted as the tournament counted them that `description` describes: in pairs or not.
    fn count_as(&mut self, description: &Value) {
        let planned = RunnerPlan::described(description).map(|plan| plan.is_in_pairs());
        // Journals of other runners' command lines that have no plan say it surely of a test by pairs only.
        let single = description["single"].as_bool().filter(|_| description.get("runner").is_none());
        let by_test = description["sprt"]["pairs"].as_bool().filter(|&pairs| pairs);
        if let Some(pairs) = planned.or(single.map(|single| !single)).or(by_test) {
            self.standings.count_by(if pairs { Counting::Pairs } else { Counting::Games });
        }
    }

    /// The test is that of the tournament that `description` describes, unless another is wanted.
    fn take_test_of(&mut self, description: &Value) {
        let test = &description["sprt"];
        if let (None, Ok(sprt), Some(by_pairs)) =
            (self.wanted.test, serde_json::from_value(test["test"].clone()), test["pairs"].as_bool())
        {
            self.wanted.test = Some(StopRule { sprt, by_pairs });
        }
    }

    /// Players whose games were left out by name.
    #[must_use]
    pub fn dropped(&self) -> &BTreeSet<String> {
        &self.dropped
    }

    /// Whether there can be games of a player that count.
    fn takes_player(&self, name: &str) -> bool {
        let Filter { without, between } = &self.wanted.filter;
        !without.iter().any(|other| other == name)
            && between.as_ref().is_none_or(|pair| pair.iter().any(|one| one == name))
    }

    /// Whether games between these two count.
    #[must_use]
    pub fn takes(&self, names: [&str; 2]) -> bool {
        self.wanted.filter.takes(names)
    }

    /// The games of another file follow, whose numbers are not those of the files before. Returns the number of its
    /// first encounter.
    pub fn next_file(&mut self) -> usize {
        self.before = self.next;
        self.before.0
    }

    /// Counts a game of the tournament that the survey is of, whose players' numbers are the survey's.
    pub fn add_record(&mut self, game: &GameRecord) {
        let sides = [game.white, game.black];
        let of = |known: &[bool]| sides.map(|side| known.get(side) == Some(&true));
        let (hourglass, ponders) = (of(&self.hourglasses), of(&self.ponderers));
        self.count(sides, &Game { hourglass, ponders, ..Game::from(game) }, game.encounter);
    }

    /// Counts a game, if it is one that counts. `encounter`: the number of its encounter among those of all files.
    pub fn add(&mut self, names: [&str; 2], game: &Game<'_>, encounter: usize) {
        if !self.takes(names) {
            let without = &self.wanted.filter.without;
            let dropped = names.into_iter().filter(|name| without.iter().any(|other| other == name));
            self.dropped.extend(dropped.map(str::to_owned));
            return;
        }
        let sides = names.map(|name| self.player(name));
        self.count(sides, game, encounter);
    }

    /// Counts a game of these two, White's number first.
    fn count(&mut self, sides: [usize; 2], game: &Game<'_>, encounter: usize) {
        let mut played = game.played();
        (played.white, played.black, played.encounter) = (sides[0], sides[1], encounter);
        // Numbers are those of the journal, from 1, and go on in the next file.
        let number = self.before.1.saturating_add(game.id).saturating_add(1);
        self.next = (self.next.0.max(played.encounter.saturating_add(1)), self.next.1.max(number));
        let number = number as u64;
        self.standings.count(&played);
        let sums = engines::of_game(game, number);
        if let Some(ratio) = engines::ratio(&sums) {
            let (first, swapped) = (sides[0].min(sides[1]), sides[0] > sides[1]);
            let all = self.speeds.entry((first, sides[0].max(sides[1]))).or_default();
            all.add(if swapped { -ratio } else { ratio });
        }
        for (side, sums) in sides.into_iter().zip(&sums) {
            self.engines[side].merge(sums);
        }
        let opening = self.openings.add(game);
        self.shown.add(game, number, sides, opening);
        if game.ending.is_forfeit() && self.forfeits.len() < FORFEITS {
            let reason = game.reason.to_string();
            self.forfeits.push(Forfeit { game: number, ending: game.ending, reason });
        }
        if self.wanted.pairs {
            let first = sides[0].min(sides[1]);
            let pair = self.pairs.entry(played.encounter).or_insert(Pair {
                players: [first, sides[0].max(sides[1])],
                opening,
                points: Vec::new(),
            });
            pair.points.push(played.points_of(first));
        }
        self.plies += game.moves.len() as u64;
        if game.started_ms > 0 {
            let end = game.end_ms();
            let span = self.span_ms.get_or_insert((game.started_ms, end));
            *span = (span.0.min(game.started_ms), span.1.max(end));
        }
        if self.test().is_some() {
            self.course.add(&self.standings);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::journal::tests::game;
    use crate::record::Score;
    use crate::stats::sprt::{Model, Sprt};

    /// What a journal of another runner's plan says beside it does not count: it may have gone by the number of games
    /// in a meeting, which is another matter.
    #[test]
    fn another_runners_plan_says_whether_games_are_pairs() {
        let cutechess = |rounds: usize, games: usize, repeat: usize| {
            json!({"cutechess": {"format": "round-robin", "players": 2, "rounds": rounds, "games": games,
                "repeat": repeat, "policy": "default", "no_swap": false, "reverse": false}})
        };
        let fastchess = json!({"fastchess": {"players": 2, "seeds": 1, "rounds": 4, "games": 2,
            "no_swap": false, "reverse": false, "book": 1}});
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        for (plan, pairs) in [
            (cutechess(300, 2, 2), true),
            (cutechess(300, 2, 1), false),
            (cutechess(1, 1000, 2), true),
            (cutechess(1000, 1, 2), true),
            (cutechess(1000, 1, 1), false),
            (fastchess, true),
        ] {
            for single in [false, true] {
                let mut survey = Survey::new(Wanted::default(), Standings::new(2, Counting::AsFound));
                survey.count_as(&json!({"players": [{"name": "A"}, {"name": "B"}], "runner": "X",
                    "single": single, "plan": plan}));
                assert_eq!(survey.standings.tests_pairs(&sprt, true), pairs, "{plan} {single}");
            }
        }
    }

    /// Engines of one name, which a tournament knows by their numbers.
    #[test]
    fn two_players_of_one_name_are_two_players() {
        let names = ["X", "X", "Y"].map(str::to_owned);
        for players in [2, 3] {
            let standings = Standings::new(players, Counting::Pairs);
            let mut survey = Survey::of_tournament(&names[..players], Wanted::default(), standings);
            for id in 0..2 {
                let white = if id == 0 { 0 } else { players - 1 };
                let black = if id == 0 { 1 } else { 0 };
                survey.add_record(&GameRecord { white, black, result: Score::White, ..game(id) });
            }
            assert_eq!(survey.players(), &names[..players]);
            let points = |player: usize| survey.standings.of(player).points();
            assert_eq!((points(0), points(players - 1)), (1.0, 1.0));
            assert_eq!((0..players).map(points).sum::<f64>(), 2.0);
        }
    }

    /// However many games end by forfeit, no more games are kept than are wanted.
    #[test]
    fn shown_games_are_bounded() {
        let names = ["A", "B"].map(str::to_owned);
        let wanted = Wanted { shown: 8, ..Wanted::default() };
        let mut survey = Survey::of_tournament(&names, wanted, Standings::new(2, Counting::Pairs));
        for id in 0..30 {
            let ending = if id < 20 { Ending::Stalemate } else { Ending::Crash };
            survey.add_record(&GameRecord { ending, ..game(id) });
            assert_eq!(survey.shown.games().len(), (id + 1).min(8));
        }
        // A quarter of the places is for the first forfeits, the rest for the last games.
        let numbers: Vec<u64> = survey.shown.games().iter().filter_map(|game| game["n"].as_u64()).collect();
        assert_eq!(numbers, [21, 22, 25, 26, 27, 28, 29, 30]);
    }
}
