//! Who meets whom, when, with which opening: an iterator over pairings.
//!
//! Every encounter is a pair of games with one opening and colours reversed. Match, round robin and gauntlet
//! are known from the start; Swiss and knockout pair a stage when the one before is finished. A schedule
//! depends on nothing but its settings and the results so far, so that asking it again after a crash gives
//! the same games with the same numbers.

mod format;
mod held;
mod meetings;
pub mod plans;

use std::cmp::Ordering;
use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use format::{Format, Policy};
pub use held::Held;
pub(crate) use meetings::bracket_order;
use meetings::{Stage, circle, gauntlet, pair_first, pair_stage};

/// One game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pairing {
    /// Its number, from 0 without gaps.
    pub id: usize,
    /// Its round, from 1.
    pub round: usize,
    /// The encounter (pair of games) it belongs to, from 0.
    pub encounter: usize,
    /// The number of its opening.
    pub opening: usize,
    /// White.
    pub white: usize,
    /// Black.
    pub black: usize,
}

/// What a schedule answers when asked for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// This one.
    Game(Pairing),
    /// None before running games are finished.
    Wait,
    /// No more.
    Done,
}

/// What players are ranked by.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Placing {
    /// Their share of the points of the games they played.
    #[default]
    ByShare,
    /// Points, with those for byes (Swiss), by player.
    ByPoints(Vec<f64>),
    /// The stage they came to (knockout).
    ByStage {
        /// The last stage each player was in, from 1; one more for the winner.
        reached: Vec<usize>,
        /// The winner, once one player is left.
        winner: Option<usize>,
        /// The meetings that were level to the end.
        level: Vec<Level>,
    },
}

/// A meeting of a knockout that was level after all its replays, so that the better seed went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// The stage, from 1.
    pub stage: usize,
    /// Who went on.
    pub through: usize,
    /// Who did not.
    pub out: usize,
    /// How often the encounter was repeated.
    pub replays: usize,
}

impl Level {
    /// In words: `level with B after 4 replays: the better seed goes on`.
    #[must_use]
    pub fn describe(&self, names: &[String]) -> String {
        let name = names.get(self.out).map_or("?", String::as_str);
        let replays = crate::wording::counted(self.replays as u64, "replay");
        format!("level with {name} after {replays}: the better seed goes on")
    }
}

/// The results a schedule needs to see: White's points by game number.
pub type Results<'a> = &'a dyn Fn(usize) -> Option<f64>;

/// The pairings of a tournament.
#[derive(Debug, Clone)]
pub struct Schedule {
    format: Format,
    players: usize,
    encounters: usize,
    single: bool,
    queue: VecDeque<Pairing>,
    games: usize,
    next_encounter: usize,
    stage: usize,
    stages: usize,
    /// Games of the running stage (Swiss, knockout).
    open: Vec<Pairing>,
    points: Vec<f64>,
    met: Vec<Vec<bool>>,
    had_bye: Vec<bool>,
    /// Knockout: who is still in, in bracket order.
    bracket: Vec<usize>,
    reached: Vec<usize>,
    replays: usize,
    level: Vec<Level>,
    /// Places in the seeding by player, the best first.
    seeds: Vec<usize>,
    policy: Policy,
    /// The players of the last encounter and the number of its opening, for [`Policy::Encounter`].
    last: Option<([usize; 2], usize)>,
    colours: Colours,
    edition: Edition,
    /// Swiss: how much more often each player had White than Black, before colours are exchanged.
    whites: Vec<isize>,
}

/// By which rules a plan is made. What a journal does not name is the first, which its games go on by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Edition {
    /// In a Swiss all neighbours meet where some have to meet again; where an encounter has the same colours
    /// throughout, the seeds of a gauntlet have White in every other round, and players of a Swiss by their places.
    First,
    /// As few meet again as possible, and colours are weighed. Ranks are as near as can be, whatever the points.
    Second,
    /// Those with equal points meet as long as they can; colours are weighed in a round robin as well.
    #[default]
    Third,
}

impl Edition {
    fn number(self) -> u64 {
        match self {
            Self::First => 1,
            Self::Second => 2,
            Self::Third => 3,
        }
    }

    /// That of a tournament's description; `None` for one that is not known.
    #[must_use]
    pub fn of(description: &Value) -> Option<Self> {
        match description.get(EDITION) {
            None => Some(Self::First),
            Some(number) => [Self::First, Self::Second, Self::Third]
                .into_iter()
                .find(|edition| *edition != Self::First && number.as_u64() == Some(edition.number())),
        }
    }
}

/// The name of an edition's number in a tournament's description.
const EDITION: &str = "pairing";

/// What a plan depends on beside the field and the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanRules {
    /// When the next opening is taken.
    pub policy: Policy,
    /// What is done to colours.
    pub colours: Colours,
    /// Whose rules they are.
    pub edition: Edition,
}

/// What is done to the colours of all games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Colours {
    /// Both games of an encounter have the same colours.
    pub no_swap: bool,
    /// White and Black are exchanged in every game.
    pub reverse: bool,
}

/// Most games that a plan may have: all that are known from the start are held in memory, 48 bytes each.
const MOST_GAMES: u128 = 10_000_000;

/// Refuses a plan of more games than a tournament can hold: `rounds` of so many meetings (as
/// [`Format::meetings`] counts them), each of so many games.
///
/// # Errors
/// They are too many; the message says how many, and how many there may be.
pub fn check_games(meetings: usize, rounds: usize, games: usize) -> Result<(), String> {
    let all = (meetings as u128 * rounds as u128).saturating_mul(games as u128);
    if all > MOST_GAMES {
        return Err(format!("{all} games are too many: a tournament has at most {MOST_GAMES}"));
    }
    Ok(())
}

/// A tied knockout encounter is repeated this often before the better seed goes on.
const REPLAYS: usize = 4;

impl Schedule {
    /// `encounters` pairs of games per meeting of two players; `single`: only the first game of each pair is
    /// played, colours changing from encounter to encounter.
    #[must_use]
    pub fn new(format: Format, players: usize, encounters: usize, single: bool) -> Self {
        Self::with(format, players, encounters, single, PlanRules::default())
    }

    /// Games that are known from the start, in this order; their numbers must be those of their places.
    #[must_use]
    pub fn of_games(players: usize, games: Vec<Pairing>) -> Self {
        let openings = games.iter().map(|game| game.opening + 1).max().unwrap_or(0);
        let mut schedule = Self::new(Format::RoundRobin, players, 0, false);
        (schedule.games, schedule.encounters) = (games.len(), openings);
        schedule.queue = games.into();
        schedule
    }

    /// A knockout whose bracket is filled with the players in this order, the first against the last of a full bracket.
    #[must_use]
    pub fn knockout(
        order: &[usize],
        encounters: usize,
        single: bool,
        policy: Policy,
        colours: Colours,
    ) -> Self {
        let players = order.len();
        let rules = PlanRules { policy, colours, ..PlanRules::default() };
        let mut schedule = Self::with(Format::Knockout, players, encounters, single, rules);
        for seat in &mut schedule.bracket {
            *seat = order.get(*seat).copied().unwrap_or(*seat);
        }
        for (place, &player) in order.iter().enumerate() {
            schedule.seeds[player] = place;
        }
        schedule
    }

    /// As [`Self::new`], by other rules than usual.
    #[must_use]
    pub fn with(format: Format, players: usize, encounters: usize, single: bool, rules: PlanRules) -> Self {
        let PlanRules { policy, colours, edition } = rules;
        let stages = match format {
            Format::Swiss(0) => players.next_power_of_two().trailing_zeros() as usize + 2,
            Format::Swiss(n) => n,
            Format::RoundRobin | Format::Gauntlet(_) | Format::Knockout => 0,
        };
        let mut schedule = Self {
            format,
            players,
            encounters,
            single,
            queue: VecDeque::new(),
            games: 0,
            next_encounter: 0,
            stage: 0,
            stages: stages.min(players.saturating_sub(1).max(1)),
            open: Vec::new(),
            points: vec![0.0; players],
            met: vec![vec![false; players]; players],
            had_bye: vec![false; players],
            bracket: bracket_order(players),
            reached: vec![0; players],
            level: Vec::new(),
            seeds: (0..players).collect(),
            replays: 0,
            policy,
            last: None,
            colours,
            edition,
            whites: vec![0; players],
        };
        match format {
            Format::RoundRobin => schedule.fill(&circle(players, schedule.evens_circle())),
            Format::Gauntlet(seeds) => schedule.fill(&gauntlet(players, seeds, schedule.weighs_colours())),
            Format::Swiss(_) | Format::Knockout => {}
        }
        schedule
    }

    /// Whether it matters who has White first, since an encounter does not give both players the same.
    fn weighs_colours(&self) -> bool {
        self.edition > Edition::First && (self.single || self.colours.no_swap)
    }

    /// Whether a round robin gives everybody White in half of the meetings. Two players have one only.
    fn evens_circle(&self) -> bool {
        self.edition > Edition::Second && self.weighs_colours() && self.players > 2
    }

    /// Puts its edition into the tournament's description, where the first would make another plan.
    pub fn describe_edition(&self, description: &mut Value) {
        let edition = match self.format {
            Format::Swiss(_) => self.edition,
            Format::Gauntlet(_) if self.weighs_colours() => Edition::Second,
            Format::RoundRobin if self.evens_circle() => Edition::Third,
            Format::Gauntlet(_) | Format::RoundRobin | Format::Knockout => Edition::First,
        };
        if edition != Edition::First {
            description[EDITION] = edition.number().into();
        }
    }

    /// Whether all games are known before they are played.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.format.is_known()
    }

    /// Every two players that may meet in the games to come, each two once.
    #[must_use]
    pub fn possible_meetings(&self) -> BTreeSet<[usize; 2]> {
        if self.is_known() {
            let mut meetings = BTreeSet::new();
            for game in &self.queue {
                meetings.insert([game.white.min(game.black), game.white.max(game.black)]);
            }
            return meetings;
        }
        // Results decide.
        (0..self.players).flat_map(|a| (a + 1..self.players).map(move |b| [a, b])).collect()
    }

    /// How many games there are, where that is known before they are played.
    #[must_use]
    pub fn total(&self) -> Option<usize> {
        match self.format {
            Format::RoundRobin | Format::Gauntlet(_) | Format::Swiss(_) => Some(self.most()),
            Format::Knockout => None,
        }
    }

    /// How many games there can be at most.
    fn most(&self) -> usize {
        let each = if self.single { 1 } else { 2 };
        match self.format {
            Format::RoundRobin | Format::Gauntlet(_) => self.games,
            Format::Swiss(_) => self.stages * (self.players / 2) * self.encounters * each,
            Format::Knockout => self.players.saturating_sub(1) * (self.encounters + REPLAYS) * each,
        }
    }

    /// How many different openings are used at most, where that is known; otherwise an upper guess.
    #[must_use]
    pub fn openings(&self) -> usize {
        match self.format {
            Format::RoundRobin | Format::Gauntlet(_) if self.policy != Policy::Round => {
                self.queue.iter().map(|game| game.opening + 1).max().unwrap_or(0)
            }
            Format::RoundRobin | Format::Gauntlet(_) => self.encounters,
            // An opening for every encounter.
            Format::Swiss(_) | Format::Knockout if self.policy != Policy::Round => {
                self.most() / if self.single { 1 } else { 2 }
            }
            Format::Swiss(_) => self.stages * self.encounters,
            Format::Knockout => {
                self.players.next_power_of_two().trailing_zeros() as usize * (self.encounters + REPLAYS)
            }
        }
    }

    /// What ranks the players after these results.
    #[must_use]
    pub fn placing(&self, results: Results) -> Placing {
        match self.format {
            Format::RoundRobin | Format::Gauntlet(_) => Placing::ByShare,
            Format::Swiss(_) => {
                let mut points = self.points.clone();
                for game in &self.open {
                    if let Some(white) = results(game.id) {
                        points[game.white] += white;
                        points[game.black] += 1.0 - white;
                    }
                }
                Placing::ByPoints(points)
            }
            Format::Knockout => {
                let winner = match self.bracket[..] {
                    [winner] => Some(winner),
                    _ => None,
                };
                Placing::ByStage { reached: self.reached.clone(), winner, level: self.level.clone() }
            }
        }
    }

    /// Plays on with results that are known, up to the first stage of which some are missing.
    pub fn play_on(&mut self, results: Results) {
        if !self.is_known() {
            while let Next::Game(_) = self.next(results) {}
        }
    }

    /// The next game.
    pub fn next(&mut self, results: Results) -> Next {
        if self.queue.is_empty() {
            if self.open.iter().any(|game| results(game.id).is_none()) {
                return Next::Wait;
            }
            match self.format {
                Format::Swiss(_) => self.next_swiss_stage(results),
                Format::Knockout => self.next_knockout_stage(results),
                Format::RoundRobin | Format::Gauntlet(_) => {}
            }
        }
        self.queue.pop_front().map_or(Next::Done, Next::Game)
    }

    /// All rounds of meetings, each played `encounters` times with the same opening for all of a round.
    fn fill(&mut self, rounds: &[Vec<(usize, usize)>]) {
        for repetition in 0..self.encounters {
            for (index, round) in rounds.iter().enumerate() {
                let number = repetition * rounds.len() + index + 1;
                for &(a, b) in round {
                    // Colours of the first game change with the repetition.
                    let (white, black) = if repetition % 2 == 0 { (a, b) } else { (b, a) };
                    self.encounter(number, repetition, white, black);
                }
            }
        }
    }

    fn encounter(&mut self, round: usize, opening: usize, white: usize, black: usize) {
        let encounter = self.next_encounter;
        self.next_encounter += 1;
        let opening = match self.policy {
            Policy::Round => opening,
            Policy::Default => encounter,
            Policy::Encounter => {
                let players = [white.min(black), white.max(black)];
                let next = match self.last {
                    Some((last, opening)) if last == players => opening,
                    Some((_, opening)) => opening + 1,
                    None => 0,
                };
                self.last = Some((players, next));
                next
            }
        };
        let (white, black) = if self.colours.reverse { (black, white) } else { (white, black) };
        let second = if self.colours.no_swap { (white, black) } else { (black, white) };
        let sides = [(white, black), second];
        for &(white, black) in &sides[..if self.single { 1 } else { 2 }] {
            self.queue.push_back(Pairing { id: self.games, round, encounter, opening, white, black });
            self.games += 1;
        }
    }

    fn take_points(&mut self, results: Results) {
        for game in std::mem::take(&mut self.open) {
            let white = results(game.id).unwrap_or(0.5);
            self.points[game.white] += white;
            self.points[game.black] += 1.0 - white;
            self.met[game.white][game.black] = true;
            self.met[game.black][game.white] = true;
        }
    }

    fn next_swiss_stage(&mut self, results: Results) {
        self.take_points(results);
        if self.stage == self.stages {
            return;
        }
        let mut ranked: Vec<usize> = (0..self.players).collect();
        ranked.sort_by(|&a, &b| self.points[b].total_cmp(&self.points[a]).then(a.cmp(&b)));
        let later = self.stages - self.stage - 1;
        // In half points; to the second edition all are alike.
        let halves = |points: &f64| if self.edition == Edition::Second { 0 } else { (points * 2.0) as u64 };
        let points: Vec<u64> = self.points.iter().map(halves).collect();
        let Stage { bye, pairs } = match self.edition {
            Edition::First => pair_first(&ranked, &self.met, &self.had_bye),
            Edition::Second | Edition::Third => pair_stage(&ranked, &points, &self.met, &self.had_bye, later),
        };
        if let Some(player) = bye {
            // It gets the points of a drawn meeting.
            self.had_bye[player] = true;
            self.points[player] += self.encounters as f64 * if self.single { 0.5 } else { 1.0 };
        }
        self.stage += 1;
        for (index, (a, b)) in pairs.into_iter().enumerate() {
            let by_place = (self.stage + index).is_multiple_of(2);
            let second = match self.whites[a].cmp(&self.whites[b]) {
                Ordering::Greater if self.weighs_colours() => true,
                Ordering::Less if self.weighs_colours() => false,
                _ => by_place,
            };
            for repetition in 0..self.encounters {
                let opening = (self.stage - 1) * self.encounters + repetition;
                let (white, black) = if second == repetition.is_multiple_of(2) { (b, a) } else { (a, b) };
                self.whites[white] += 1;
                self.whites[black] -= 1;
                self.encounter(self.stage, opening, white, black);
            }
        }
        self.open = self.queue.iter().copied().collect();
    }

    fn next_knockout_stage(&mut self, results: Results) {
        if !self.open.is_empty() {
            let (mut ties, mut level) = (Vec::new(), Vec::new());
            let mut through = Vec::new();
            for pair in self.bracket.chunks(2) {
                let &[a, b] = pair else { continue };
                let lead: f64 = self
                    .open
                    .iter()
                    .filter(|game| {
                        [game.white, game.black].contains(&a) && [game.white, game.black].contains(&b)
                    })
                    .map(|game| {
                        let white = results(game.id).unwrap_or(0.5);
                        (white - 0.5) * if game.white == a { 1.0 } else { -1.0 }
                    })
                    .sum();
                let tied = lead == 0.0 && b < self.players;
                if tied && self.replays < REPLAYS {
                    ties.push((a, b));
                }
                let second = if tied { self.seeds[b] < self.seeds[a] } else { lead < 0.0 };
                let (winner, out) = if second { (b, a) } else { (a, b) };
                if tied {
                    level.push(Level { stage: self.stage, through: winner, out, replays: self.replays });
                }
                through.push(winner);
            }
            if !ties.is_empty() {
                self.replays += 1;
                for (a, b) in ties {
                    let opening =
                        (self.stage - 1) * (self.encounters + REPLAYS) + self.encounters + self.replays - 1;
                    let before = self.queue.len();
                    let (white, black) = if self.replays.is_multiple_of(2) { (a, b) } else { (b, a) };
                    self.encounter(self.stage, opening, white, black);
                    let new: Vec<Pairing> = self.queue.iter().skip(before).copied().collect();
                    self.open.extend(new);
                }
                return;
            }
            self.bracket = through;
            self.level.extend(level);
            self.open.clear();
            self.replays = 0;
        }
        for &player in &self.bracket {
            // A seat without a player is a bye.
            if let Some(reached) = self.reached.get_mut(player) {
                *reached = self.stage + 1;
            }
        }
        if self.bracket.len() < 2 {
            return;
        }
        self.stage += 1;
        for pair in self.bracket.clone().chunks(2) {
            if let &[a, b] = pair
                && b < self.players
            {
                for repetition in 0..self.encounters {
                    let opening = (self.stage - 1) * (self.encounters + REPLAYS) + repetition;
                    let (white, black) = if repetition % 2 == 0 { (a, b) } else { (b, a) };
                    self.encounter(self.stage, opening, white, black);
                }
            }
        }
        self.open = self.queue.iter().copied().collect();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A Swiss of six, the last of whom is the strongest, as it was paired before there was a second edition.
    const FIRST_SWISS: [(usize, usize); 15] = [
        (0, 1),
        (3, 2),
        (4, 5),
        (3, 1),
        (5, 0),
        (4, 2),
        (3, 5),
        (4, 1),
        (0, 2),
        (3, 5),
        (4, 1),
        (0, 2),
        (5, 4),
        (3, 2),
        (1, 0),
    ];

    /// Plays a schedule to its end with results that depend only on the game.
    fn play(mut schedule: Schedule, result: impl Fn(&Pairing) -> f64) -> Vec<Pairing> {
        let mut games: Vec<Pairing> = Vec::new();
        let mut points = HashMap::new();
        let mut finished = 0;
        loop {
            let next = schedule.next(&|id| points.get(&id).copied());
            match next {
                Next::Game(game) => {
                    assert_eq!(game.id, games.len(), "numbers have no gaps");
                    assert_ne!(game.white, game.black);
                    games.push(game);
                }
                Next::Wait => {
                    assert!(finished < games.len(), "waits for nothing");
                    points.insert(games[finished].id, result(&games[finished]));
                    finished += 1;
                }
                Next::Done => return games,
            }
        }
    }

    fn meetings(games: &[Pairing]) -> HashMap<(usize, usize), usize> {
        let mut count = HashMap::new();
        for game in games {
            *count.entry((game.white, game.black)).or_default() += 1;
        }
        count
    }

    /// As many openings are made ready as any encounter may ask for; where none is repeated exactly as many.
    #[test]
    fn every_encounter_finds_its_opening() {
        for (format, policy) in Format::ALL.into_iter().flat_map(|format| {
            [Policy::Round, Policy::Default, Policy::Encounter].map(|policy| (format, policy))
        }) {
            let rules = PlanRules { policy, ..PlanRules::default() };
            let schedule = Schedule::with(format, 8, 2, false, rules);
            let ready = schedule.openings();
            let used = play(schedule, |game| if game.white < game.black { 1.0 } else { 0.0 });
            let used = used.iter().map(|game| game.opening + 1).max().expect("there are games");
            assert!(used <= ready, "{format:?}, {policy:?}: {used} of {ready}");
            assert!(
                format == Format::Knockout || used == ready || policy == Policy::Encounter,
                "{format:?}, {policy:?}: {used} of {ready}"
            );
        }
    }

    /// The games of a plan are as many as are counted before it is made, and a plan that no memory holds is refused.
    #[test]
    fn a_plan_is_counted_before_it_is_made() {
        let known = Format::ALL.into_iter().filter(|format| format.is_known()).map(|format| (format, 5));
        let others = [(Format::RoundRobin, 2), (Format::RoundRobin, 7), (Format::Gauntlet(3), 6)];
        for (format, players) in known.chain(others) {
            let games = play(Schedule::new(format, players, 3, false), |_| 0.5);
            assert_eq!(games.len(), format.meetings(players) * 3 * 2, "{format:?}");
        }
        assert_eq!(check_games(1, 1_000_000, 2), Ok(()));
        let error = check_games(1, 100_000_000, 2).unwrap_err();
        assert!(error.contains("200000000 games are too many"), "{error}");
        assert!(check_games(usize::MAX, usize::MAX, usize::MAX).is_err());
    }

    proptest! {
        #[test]
        fn a_round_robin_is_fair(players in 2usize..12, encounters in 1usize..5) {
            let schedule = Schedule::new(Format::RoundRobin, players, encounters, false);
            let total = schedule.total();
            let games = play(schedule, |_| 0.5);
            prop_assert_eq!(total, Some(games.len()));
            prop_assert_eq!(games.len(), players * (players - 1) * encounters);
            let count = meetings(&games);
            for a in 0..players {
                for b in (0..players).filter(|&b| b != a) {
                    prop_assert_eq!(count[&(a, b)], encounters);
                }
            }
            let mut openings: HashMap<usize, HashSet<usize>> = HashMap::new();
            for pair in games.chunks(2) {
                prop_assert_eq!(pair[0].opening, pair[1].opening);
                prop_assert_eq!((pair[0].white, pair[0].black), (pair[1].black, pair[1].white));
                prop_assert_eq!(pair[0].encounter, pair[1].encounter);
                let meeting = pair[0].white.min(pair[0].black) * players + pair[0].white.max(pair[0].black);
                openings.entry(meeting).or_default().insert(pair[0].opening);
            }
            prop_assert!(openings.values().all(|used| used.len() == encounters), "all pairings have the same openings");
        }

        #[test]
        fn in_a_round_nobody_sits_on_two_chairs(players in 2usize..12) {
            let games = play(Schedule::new(Format::RoundRobin, players, 1, false), |_| 0.5);
            let mut seen = HashSet::new();
            for pair in games.chunks(2) {
                for player in [pair[0].white, pair[0].black] {
                    prop_assert!(seen.insert((pair[0].round, player)));
                }
            }
        }

        #[test]
        fn a_swiss_pairs_everybody_and_nobody_twice(players in 4usize..17, seed in 0u64..1000) {
            let stages = players.next_power_of_two().trailing_zeros() as usize;
            let result = move |game: &Pairing| ((game.id as u64 * 7 + seed) % 3) as f64 / 2.0;
            let games = play(Schedule::new(Format::Swiss(stages), players, 1, false), result);
            prop_assert_eq!(games.len(), stages * (players / 2) * 2);
            let mut met = HashSet::new();
            for pair in games.chunks(2) {
                let meeting = (pair[0].white.min(pair[0].black), pair[0].white.max(pair[0].black));
                prop_assert!(met.insert(meeting), "{:?} meet twice", meeting);
            }
        }

        /// If the better player always wins, every group of equal points has an even size, and each player has an
        /// opponent with equal points left to meet.
        #[test]
        fn equals_meet_in_a_swiss(
            large in any::<bool>(),
            single in any::<bool>(),
            strengths in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let (players, stages) = if large { (8, 3) } else { (4, 2) };
            let result = |game: &Pairing| if strengths[game.white] > strengths[game.black] { 1.0 } else { 0.0 };
            let games = play(Schedule::new(Format::Swiss(stages), players, 1, single), result);
            let mut wins = vec![0; players];
            let mut met = 0;
            for stage in games.chunk_by(|a, b| a.round == b.round) {
                let before = wins.clone();
                for game in stage.iter().step_by(if single { 1 } else { 2 }) {
                    prop_assert_eq!(before[game.white], before[game.black], "{:?}", stage);
                    wins[if result(game) == 1.0 { game.white } else { game.black }] += 1;
                    met += 1;
                }
            }
            prop_assert_eq!(met, stages * players / 2);
        }

        /// There are as many stages without a repeat as there are others to meet, and a field of them all is the
        /// hardest: round robin and byes are unique then.
        #[test]
        fn nobody_meets_again_or_sits_out_twice_in_a_swiss(
            players in 2usize..=12,
            strengths in prop::collection::vec(0u8..4, 12),
            all in any::<bool>(),
        ) {
            let stages = if all { players - 1 } else { 0 };
            let result = move |game: &Pairing| match strengths[game.white].cmp(&strengths[game.black]) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            };
            let games = play(Schedule::new(Format::Swiss(stages), players, 1, false), result);
            let (mut met, mut sat) = (HashSet::new(), HashMap::new());
            for stage in games.chunk_by(|a, b| a.round == b.round) {
                let here: HashSet<usize> = stage.iter().flat_map(|game| [game.white, game.black]).collect();
                prop_assert_eq!(here.len(), players / 2 * 2);
                for player in (0..players).filter(|player| !here.contains(player)) {
                    *sat.entry(player).or_insert(0) += 1;
                }
                for game in stage.iter().step_by(2) {
                    let meeting = (game.white.min(game.black), game.white.max(game.black));
                    prop_assert!(met.insert(meeting), "{:?} meet again in stage {}", meeting, game.round);
                }
            }
            prop_assert!(sat.values().all(|&times| times == 1), "{:?}", sat);
        }

        /// Where an encounter is one game, White goes to who had it less often.
        #[test]
        fn colours_of_a_swiss_even_out(players in 4usize..17, seed in 0u64..1000, reverse in any::<bool>()) {
            let result = move |game: &Pairing| ((game.id as u64 * 7 + seed) % 3) as f64 / 2.0;
            let colours = Colours { reverse, ..Colours::default() };
            let rules = PlanRules { colours, ..PlanRules::default() };
            let plan = Schedule::with(Format::Swiss(0), players, 1, true, rules);
            let mut more = vec![0i32; players];
            for game in play(plan, result) {
                let (first, second) = if reverse { (game.black, game.white) } else { (game.white, game.black) };
                prop_assert!(more[first] <= more[second], "{:?} {:?}", more, game);
                more[first] += 1;
                more[second] -= 1;
            }
        }

        #[test]
        fn a_knockout_has_one_survivor(players in 2usize..17, seed in 0u64..1000) {
            let result = move |game: &Pairing| ((game.id as u64 * 5 + seed) % 3) as f64 / 2.0;
            let games = play(Schedule::new(Format::Knockout, players, 1, false), result);
            let encounters: HashSet<(usize, usize)> =
                games.iter().map(|g| (g.white.min(g.black), g.white.max(g.black))).collect();
            prop_assert_eq!(encounters.len(), players - 1, "everybody but one is beaten once");
            let last_stage = games.last().unwrap().round;
            prop_assert_eq!(last_stage, players.next_power_of_two().trailing_zeros() as usize);
        }
    }

    #[test]
    fn a_gauntlet_leaves_the_others_alone() {
        let games = play(Schedule::new(Format::Gauntlet(2), 5, 3, false), |_| 0.5);
        assert_eq!(games.len(), 2 * 3 * 3 * 2);
        assert!(games.iter().all(|game| (game.white < 2) != (game.black < 2)));
    }

    /// Each seed has White in half of its games of every round, to one, and against each other in half of the rounds.
    #[test]
    fn single_games_of_a_gauntlet_change_colours() {
        for seeds in 1..3 {
            let games = play(Schedule::new(Format::Gauntlet(seeds), 6, 2, true), |_| 0.5);
            for seed in 0..seeds {
                for round in 1..3 {
                    let own = games.iter().filter(|game| game.round == round);
                    let own: Vec<_> = own.filter(|game| [game.white, game.black].contains(&seed)).collect();
                    let whites = own.iter().filter(|game| game.white == seed).count();
                    assert_eq!(
                        (own.len(), whites.abs_diff(own.len() - whites)),
                        (6 - seeds, (6 - seeds) % 2)
                    );
                }
                for other in seeds..6 {
                    let meets = |white, black| {
                        games.iter().filter(|game| (game.white, game.black) == (white, black)).count()
                    };
                    assert_eq!((meets(seed, other), meets(other, seed)), (1, 1));
                }
            }
        }
    }

    /// In a round everybody has White in half of the encounters, to one, and two players that meet again
    /// exchange colours; by hand for four players.
    #[test]
    fn single_games_of_a_round_robin_change_colours() {
        for (players, no_swap) in (3..=12).flat_map(|players| [(players, false), (players, true)]) {
            let rules =
                PlanRules { colours: Colours { no_swap, ..Colours::default() }, ..PlanRules::default() };
            let games = play(Schedule::with(Format::RoundRobin, players, 2, !no_swap, rules), |_| 0.5);
            let each = if no_swap { 2 } else { 1 };
            let half = players * (players - 1) / 2 * each;
            assert_eq!(games.len(), half * 2);
            for round in games.chunks(half) {
                for player in 0..players {
                    let whites = round.iter().step_by(each).filter(|game| game.white == player).count();
                    let blacks = players - 1 - whites;
                    assert!(whites.abs_diff(blacks) <= 1, "{players}, {no_swap}: {whites} and {blacks}");
                }
            }
            let meets = meetings(&games);
            assert!(meets.values().all(|&count| count == each) && meets.len() == players * (players - 1));
        }
        let games = play(Schedule::new(Format::RoundRobin, 4, 1, true), |_| 0.5);
        let colours: HashSet<_> = games.iter().map(|game| (game.white, game.black)).collect();
        assert_eq!(colours, HashSet::from([(0, 1), (2, 0), (0, 3), (1, 2), (3, 1), (2, 3)]));
    }

    /// What a journal of an older version begins is the plan of that version.
    #[test]
    fn a_plan_of_the_first_edition_stays_as_it_was() {
        let of = |format, edition| {
            let plan = Schedule::with(format, 6, 1, true, PlanRules { edition, ..PlanRules::default() });
            play(plan, |game| if game.white > game.black { 1.0 } else { 0.0 })
        };
        let seed_is_white = |games: &[Pairing]| games.iter().all(|game| game.white == 0);
        assert!(seed_is_white(&of(Format::Gauntlet(1), Edition::First)));
        assert!(!seed_is_white(&of(Format::Gauntlet(1), Edition::Second)));
        let swiss = of(Format::Swiss(0), Edition::First).into_iter().map(|game| (game.white, game.black));
        assert_eq!(swiss.collect::<Vec<_>>(), FIRST_SWISS);
        // The second of six had Black in all games.
        for (edition, blacks) in [(Edition::First, 5), (Edition::Second, 5), (Edition::Third, 3)] {
            let games = of(Format::RoundRobin, edition);
            assert_eq!(games.iter().filter(|game| game.black == 1).count(), blacks, "{edition:?}");
        }
        for (format, edition, number) in [
            (Format::Swiss(0), Edition::Third, Some(3)),
            (Format::Swiss(0), Edition::Second, Some(2)),
            (Format::Swiss(0), Edition::First, None),
            (Format::Gauntlet(1), Edition::Third, Some(2)),
            (Format::Gauntlet(1), Edition::First, None),
            (Format::RoundRobin, Edition::Third, Some(3)),
            (Format::RoundRobin, Edition::Second, None),
        ] {
            let mut described = json!({"players": [{}, {}, {}], "format": format, "single": true});
            let plan = Schedule::with(format, 3, 1, true, PlanRules { edition, ..PlanRules::default() });
            plan.describe_edition(&mut described);
            assert_eq!(described.get("pairing").and_then(Value::as_u64), number, "{format:?} {edition:?}");
            let read = Schedule::described(&described, Some(1)).unwrap();
            assert_eq!(play(read, |_| 0.5), play(plan, |_| 0.5), "{described}");
        }
        assert!(
            Schedule::described(
                &json!({"players": [{}, {}], "format": "knockout", "single": true, "pairing": 4}),
                Some(1)
            )
            .is_none()
        );
    }

    /// The last stage as its journals have it: 6 and 5, and 2 and 7, have unequal points.
    #[test]
    fn a_plan_of_the_second_edition_stays_as_it_was() {
        let strengths = [5, 7, 0, 6, 4, 1, 3, 2];
        let rules = PlanRules { edition: Edition::Second, ..PlanRules::default() };
        let games = play(Schedule::with(Format::Swiss(3), 8, 1, false, rules), |game| {
            f64::from(u8::from(strengths[game.white] > strengths[game.black]))
        });
        let last = games.iter().filter(|game| game.round == 3).step_by(2);
        let pairs: Vec<_> = last.map(|game| (game.white, game.black)).collect();
        assert_eq!(pairs, [(1, 4), (3, 0), (6, 5), (2, 7)]);
    }

    #[test]
    fn single_games_change_colours() {
        let games = play(Schedule::new(Format::RoundRobin, 2, 4, true), |_| 0.5);
        let whites: Vec<usize> = games.iter().map(|game| game.white).collect();
        assert_eq!(whites, [0, 1, 0, 1]);
    }

    /// Plays a schedule to its end and asks what ranks its players.
    fn place(mut schedule: Schedule, result: impl Fn(&Pairing) -> f64) -> Placing {
        let mut points = HashMap::new();
        while let Next::Game(game) = schedule.next(&|id| points.get(&id).copied()) {
            points.insert(game.id, result(&game));
        }
        schedule.placing(&|id| points.get(&id).copied())
    }

    #[test]
    fn a_knockout_ranks_by_stage_and_a_swiss_by_points_with_byes() {
        // Of two players the one with the lower number wins; a knockout of five gives three of them a bye.
        let stronger_wins = |game: &Pairing| f64::from(u8::from(game.white < game.black));
        let Placing::ByStage { reached, winner, level } =
            place(Schedule::new(Format::Knockout, 5, 1, false), stronger_wins)
        else {
            panic!("a knockout ranks by stage")
        };
        assert_eq!((reached, winner, level), (vec![4, 3, 2, 2, 1], Some(0), vec![]));
        // Two stages of a meeting, of two games or a single one, and a bye that is worth a drawn meeting.
        for (single, games) in [(false, 2.0), (true, 1.0)] {
            let Placing::ByPoints(points) =
                place(Schedule::new(Format::Swiss(2), 3, 1, single), stronger_wins)
            else {
                panic!("a Swiss ranks by points")
            };
            assert_eq!(points.iter().sum::<f64>(), 2.0 * (games + games / 2.0), "{single}");
            assert_eq!(points[0], 2.0 * games, "{single}");
        }
    }

    #[test]
    fn a_tied_knockout_is_replayed_and_then_decided_by_seed() {
        // Every meeting has all of its replays, that of a later stage too.
        for (players, meetings) in [(2, 1), (4, 3)] {
            let games = play(Schedule::new(Format::Knockout, players, 1, false), |_| 0.5);
            assert_eq!(games.len(), meetings * (2 + 2 * REPLAYS), "{players}");
        }
        let level_of = |schedule: Schedule, result: fn(&Pairing) -> f64| {
            let Placing::ByStage { winner, level, .. } = place(schedule, result) else {
                panic!("a knockout ranks by stage")
            };
            (winner, level)
        };
        let drawn = |_: &Pairing| 0.5;
        let of = |stage, through, out| Level { stage, through, out, replays: 4 };
        let two = Schedule::new(Format::Knockout, 2, 1, false);
        assert_eq!(level_of(two, drawn), (Some(0), vec![of(1, 0, 1)]));
        // Of four the last beats the first and then draws with the second, whose seed is the better one.
        let upset = |game: &Pairing| match (game.white, game.black) {
            (0, 3) => 0.0,
            (3, 0) => 1.0,
            _ => 0.5,
        };
        let four = Schedule::new(Format::Knockout, 4, 1, false);
        assert_eq!(level_of(four, upset), (Some(1), vec![of(1, 1, 2), of(2, 1, 3)]));
        // Seeded the other way round.
        let order = Schedule::knockout(&[1, 0], 1, false, Policy::default(), Colours::default());
        assert_eq!(level_of(order, drawn), (Some(1), vec![of(1, 1, 0)]));
        let names = ["A", "B"].map(str::to_owned);
        assert_eq!(of(1, 0, 1).describe(&names), "level with B after 4 replays: the better seed goes on");
    }
}
