//! The plans of games that fastchess and cutechess-cli make: who meets whom, with which colours, and which opening.
//!
//! A plan is a list of pairings in the order in which games begin. In both programs it is known from the start, but for
//! cutechess-cli's knockout. The rules are those that can be seen from outside; recorded games of both
//! programs hold them (`tests/data/runners/openings.txt`).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::meetings::circle_of_rows;
use super::{Colours, Format, Pairing, Policy, Schedule, check_games};
use crate::openings::CutechessTwister;

/// The key of such a plan in a tournament's description.
pub const PLAN: &str = "plan";

/// A plan with all that it is made of, as a journal has it: the same games can be made of it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunnerPlan {
    /// fastchess's.
    Fastchess(FastchessPlan),
    /// cutechess-cli's.
    Cutechess(CutechessPlan),
    /// cutechess-cli's knockout.
    Knockout(KnockoutPlan),
}

impl RunnerPlan {
    /// The plan that the description of a tournament has. `None` where it has none, or none that is for its players and
    /// has no more games than a tournament may have.
    #[must_use]
    pub fn described(description: &Value) -> Option<Self> {
        let players = description["players"].as_array()?.len();
        let plan: Self = serde_json::from_value(description.get(PLAN)?.clone()).ok()?;
        plan.is_for(players).then_some(plan)
    }

    /// Whether its games are pairs: two of every encounter, but for one encounter that may be left with a single game.
    /// Games of a pair have one opening; their colours are not exchanged where the plan does not exchange any.
    #[must_use]
    pub fn is_in_pairs(&self) -> bool {
        match self {
            Self::Fastchess(plan) => plan.games == 2,
            Self::Cutechess(plan) => {
                let games = plan.pairings();
                // An encounter has one game or two.
                let encounters = games.last().map_or(0, |last| last.encounter + 1);
                let pairs = games.len().saturating_sub(encounters);
                pairs > 0 && encounters - pairs <= 1
            }
            Self::Knockout(plan) => plan.games > 1,
        }
    }

    /// Whether it is one for so many players, and has no more games than a tournament may have.
    #[must_use]
    pub fn is_for(&self, count: usize) -> bool {
        let fits = match self {
            Self::Fastchess(plan) => plan.players == count,
            Self::Cutechess(plan) => plan.players == count,
            Self::Knockout(plan) => {
                let mut order = plan.order.clone();
                order.sort_unstable();
                order.into_iter().eq(0..count)
            }
        };
        if !fits {
            return false;
        }
        let (meetings, rounds, games) = match self {
            Self::Fastchess(plan) => (plan.meetings_of_round(), plan.rounds, plan.games),
            Self::Cutechess(plan) => (plan.format.meetings(count), plan.rounds, plan.games),
            Self::Knockout(plan) => (Format::Knockout.meetings(count), 1, plan.games),
        };
        // One of them that is 0 hides how many the others are.
        [meetings, rounds, games].iter().all(|&number| number > 0)
            && check_games(meetings, rounds, games).is_ok()
    }

    /// All its games, as far as they are known before results are.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        match self {
            Self::Fastchess(plan) => Schedule::of_games(plan.players, plan.pairings()),
            Self::Cutechess(plan) => Schedule::of_games(plan.players, plan.pairings()),
            Self::Knockout(plan) => {
                let (encounters, single) = (plan.games.div_ceil(2), plan.games < 2);
                Schedule::knockout(&plan.order, encounters, single, plan.policy, plan.colours)
            }
        }
    }
}

/// cutechess-cli's knockout, its lots drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnockoutPlan {
    /// The players in the order in which they fill the bracket.
    pub order: Vec<usize>,
    /// Games of a pair.
    pub games: usize,
    /// When the next opening is taken.
    pub policy: Policy,
    /// What is done to colours.
    pub colours: Colours,
}

/// fastchess: every player meets all that stand behind it in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FastchessPlan {
    /// How many play.
    pub players: usize,
    /// How many of the first meet those behind them; all but the last in a round robin.
    pub seeds: usize,
    /// How often the plan is repeated.
    pub rounds: usize,
    /// Games of each pairing: 1 or 2.
    pub games: usize,
    /// Even games do not exchange the colours.
    pub no_swap: bool,
    /// All games exchange the colours.
    pub reverse: bool,
    /// How many openings the book has.
    pub book: usize,
}

impl FastchessPlan {
    /// How many players of one list meet those behind them.
    fn first_players(&self) -> usize {
        self.seeds.min(self.players.saturating_sub(1))
    }

    /// How many meetings a round has: the first of the list meets all others, the second all but the first, and so on.
    #[must_use]
    pub fn meetings_of_round(&self) -> usize {
        let seeds = self.first_players();
        seeds * (2 * self.players).saturating_sub(seeds + 1) / 2
    }

    /// All games. A round of the list is a pairing.
    #[must_use]
    pub fn pairings(&self) -> Vec<Pairing> {
        let seeds = self.first_players();
        // The book is cut to as many openings as there are rounds, and used again from its start.
        let openings = self.rounds.min(self.book).max(1);
        let mut list = Vec::new();
        let mut encounter = 0;
        for _ in 0..self.rounds {
            for first in 0..seeds {
                for second in first + 1..self.players {
                    for _ in 0..self.games {
                        let id = list.len();
                        let swapped = (id % 2 == 1 && !self.no_swap) != self.reverse;
                        let (white, black) = if swapped { (second, first) } else { (first, second) };
                        let (round, opening) = (encounter + 1, encounter % openings);
                        list.push(Pairing { id, round, encounter, opening, white, black });
                    }
                    encounter += 1;
                }
            }
        }
        list
    }
}

/// How cutechess-cli pairs a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutechessFormat {
    /// By the circle method.
    RoundRobin,
    /// The first players (as many as given) meet all others.
    Gauntlet(usize),
    /// Every player meets all before it in the list.
    Pyramid,
}

impl CutechessFormat {
    /// How many of the first players of a gauntlet meet the others: at least one, and not all.
    #[must_use]
    pub fn seeds(seeds: usize, players: usize) -> usize {
        seeds.clamp(1, players.saturating_sub(1).max(1))
    }

    /// How many meetings a round of so many players has.
    #[must_use]
    pub fn meetings(self, players: usize) -> usize {
        match self {
            Self::RoundRobin | Self::Pyramid => Format::RoundRobin.meetings(players),
            Self::Gauntlet(seeds) => Format::Gauntlet(Self::seeds(seeds, players)).meetings(players),
        }
    }
}

/// cutechess-cli: games of a pair, openings that are repeated, colours that belong to the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutechessPlan {
    /// How the field is paired.
    pub format: CutechessFormat,
    /// How many play.
    pub players: usize,
    /// How often the plan is repeated.
    pub rounds: usize,
    /// Games of a pair in a round.
    pub games: usize,
    /// How many games in a row use one opening; with another policy than the default as many as there are.
    pub repeat: usize,
    /// When the next opening is taken.
    pub policy: Policy,
    /// The colours of a pair do not change after its games.
    pub no_swap: bool,
    /// They change whenever another pair plays.
    pub reverse: bool,
}

impl CutechessPlan {
    /// All games.
    #[must_use]
    pub fn pairings(&self) -> Vec<Pairing> {
        let mut dealer = Dealer::new(self);
        let mut colours: HashMap<[usize; 2], [usize; 2]> = HashMap::new();
        let mut list: Vec<Pairing> = Vec::new();
        let mut last = None;
        // The number of the encounter, the opening in it, and its games.
        let mut encounter: Option<(usize, usize, usize)> = None;
        for (round, first, second) in self.meetings() {
            let key = [first.min(second), first.max(second)];
            for _ in 0..self.games {
                let changed = last != Some(key);
                let pair = colours.entry(key).or_insert([first, second]);
                if changed && self.reverse {
                    pair.reverse();
                }
                let opening = dealer.next(changed, round);
                let number = match encounter {
                    Some((number, of, games)) if !changed && of == opening && games < 2 => {
                        encounter = Some((number, of, games + 1));
                        number
                    }
                    other => {
                        let number = other.map_or(0, |(number, ..)| number + 1);
                        encounter = Some((number, opening, 1));
                        number
                    }
                };
                let (id, [white, black]) = (list.len(), *pair);
                list.push(Pairing { id, round, encounter: number, opening, white, black });
                last = Some(key);
                if !self.no_swap {
                    pair.reverse();
                }
            }
        }
        list
    }

    /// Round and players of every meeting.
    fn meetings(&self) -> Vec<(usize, usize, usize)> {
        let mut list = Vec::new();
        match self.format {
            CutechessFormat::RoundRobin => {
                let turns = circle_of_rows(self.players);
                for turn in 0..self.rounds * turns.len() {
                    let pairs = &turns[turn % turns.len()];
                    list.extend(pairs.iter().map(|&(first, second)| (turn + 1, first, second)));
                }
            }
            CutechessFormat::Gauntlet(seeds) => {
                let seeds = CutechessFormat::seeds(seeds, self.players);
                for round in 1..=self.rounds {
                    for seed in 0..seeds {
                        list.extend((seeds..self.players).map(|other| (round, seed, other)));
                    }
                }
            }
            CutechessFormat::Pyramid => {
                for repetition in 0..self.rounds {
                    for player in 1..self.players {
                        let round = repetition * (self.players - 1) + player;
                        list.extend((0..player).map(|other| (round, player, other)));
                    }
                }
            }
        }
        list
    }
}

/// Gives out openings.
struct Dealer {
    policy: Policy,
    several_pairs: bool,
    repeat: usize,
    next: usize,
    /// The opening that is to be used again, and how often it was used.
    kept: Option<usize>,
    used: usize,
    round: Option<usize>,
}

impl Dealer {
    fn new(plan: &CutechessPlan) -> Self {
        let repeat = if plan.policy == Policy::Default { plan.repeat.max(1) } else { usize::MAX };
        let several_pairs = plan.players > 2;
        Self { policy: plan.policy, several_pairs, repeat, next: 0, kept: None, used: 0, round: None }
    }

    fn next(&mut self, pair_changed: bool, round: usize) -> usize {
        let anew = match self.policy {
            Policy::Round => self.round.is_none_or(|last| round > last),
            _ => pair_changed && self.several_pairs,
        };
        self.round = Some(round);
        if anew {
            self.kept = None;
        }
        let opening = match self.kept.take() {
            Some(opening) => {
                self.used += 1;
                opening
            }
            None => {
                self.used = 1;
                self.next += 1;
                self.next - 1
            }
        };
        self.kept = (self.used < self.repeat).then_some(opening);
        opening
    }
}

/// The order in which cutechess-cli fills a knockout's bracket: the first `seeds` players, then the others by lot. (One
/// recorded knockout of four agrees; how larger fields are drawn was not seen.)
#[must_use]
pub fn cutechess_lots(players: usize, seeds: usize, seed: u32) -> Vec<usize> {
    let seeds = seeds.min(players);
    let mut order: Vec<usize> = (0..players).collect();
    let mut twister = CutechessTwister::new(seed);
    let others = &mut order[seeds..];
    for last in (1..others.len()).rev() {
        others.swap(last, twister.draw() as usize % (last + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is counted before a plan is made, so that none is made that fills the memory, is what it then has.
    #[test]
    fn games_are_counted_before_they_are_planned() {
        for players in 2..6 {
            for seeds in 0..7 {
                let (rounds, games, no_swap, reverse) = (3, 2, false, false);
                let plan = FastchessPlan { players, seeds, rounds, games, no_swap, reverse, book: 1 };
                assert_eq!(plan.pairings().len(), plan.meetings_of_round() * rounds * games, "{plan:?}");
                for format in
                    [CutechessFormat::RoundRobin, CutechessFormat::Gauntlet(seeds), CutechessFormat::Pyramid]
                {
                    let (repeat, policy) = (1, Policy::Default);
                    let plan =
                        CutechessPlan { format, players, rounds, games, repeat, policy, no_swap, reverse };
                    assert_eq!(plan.pairings().len(), format.meetings(players) * rounds * games, "{plan:?}");
                }
            }
        }
    }
}
