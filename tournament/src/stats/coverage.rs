//! Do 95 % intervals hold the truth 95 times in 100? Tournaments between players of known strength are drawn by chance and
//! rated; counted are the ratings whose interval holds the player's strength.
//!
//! Ratings without an interval (players who won or lost everything, fields in which nothing varies) are counted apart.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::elo::score_of;
use super::ratings::{Encounter, maximum_likelihood};

/// A kind of tournament: every two players meet in so many pairs of games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scenario {
    /// How many players there are.
    pub players: usize,
    /// Pairs of games of every two of them.
    pub pairs: usize,
    /// Elo between the strongest and the weakest; the others stand between them at equal distances.
    pub span: f64,
    /// The share of draws between equals; it falls with the difference.
    pub draws: f64,
    /// Whether the first player draws nine games of ten between equals, whatever the others do.
    pub drawish: bool,
    /// Whether one more player meets them all as often, and loses every game.
    pub outclassed: bool,
}

/// What the intervals of simulated tournaments were worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Ratings with an interval.
    pub intervals: u64,
    /// Those whose interval holds the player's strength.
    pub hold: u64,
    /// Ratings without one.
    pub none: u64,
}

impl Coverage {
    /// The share that hold the truth; `NaN` without intervals.
    #[must_use]
    pub fn share(self) -> f64 {
        self.hold as f64 / self.intervals as f64
    }
}

impl Scenario {
    /// The strength of a player, the mean of the field being zero.
    fn strength(&self, player: usize) -> f64 {
        self.span * (player as f64 / (self.players - 1) as f64 - 0.5)
    }

    /// The points of the first in a pair of games.
    fn pair(&self, first: usize, second: usize, rng: &mut impl Rng) -> f64 {
        let expected = score_of(self.strength(first) - self.strength(second));
        let draws = if self.drawish && first.min(second) == 0 { 0.9 } else { self.draws };
        // Taken from wins and losses alike.
        let drawn = draws * (1.0 - (2.0 * expected - 1.0).abs());
        let mut game = || match rng.random::<f64>() {
            throw if throw < drawn => 0.5,
            throw if throw < drawn / 2.0 + expected => 1.0,
            _ => 0.0,
        };
        game() + game()
    }

    fn encounters(&self, rng: &mut impl Rng) -> Vec<Encounter> {
        let mut encounters = Vec::new();
        for first in 0..self.players {
            for second in 0..first {
                for _ in 0..self.pairs {
                    let points = self.pair(first, second, rng);
                    encounters.push(Encounter { first, second, games: 2.0, points });
                }
            }
        }
        if self.outclassed {
            let lost = |first| Encounter { first, second: self.players, games: 2.0, points: 2.0 };
            encounters.extend((0..self.players).flat_map(|player| vec![lost(player); self.pairs]));
        }
        encounters
    }
}

/// Plays so many tournaments. The same seed gives the same ones.
#[must_use]
pub fn coverage(scenario: Scenario, tournaments: u64, seed: u64) -> Coverage {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut coverage = Coverage::default();
    for _ in 0..tournaments {
        let players = scenario.players + usize::from(scenario.outclassed);
        let field = maximum_likelihood(players, &scenario.encounters(&mut rng));
        // The zero is the mean of those that have an interval.
        let with: Vec<usize> =
            (0..players).filter(|&player| field.ratings[player].error.is_finite()).collect();
        let zero = with.iter().map(|&player| scenario.strength(player)).sum::<f64>() / with.len() as f64;
        for (player, rating) in field.ratings.iter().enumerate() {
            if rating.error.is_finite() {
                let truth = scenario.strength(player) - zero;
                coverage.intervals += 1;
                coverage.hold += u64::from((rating.elo - truth).abs() <= rating.error);
            } else {
                coverage.none += 1;
            }
        }
    }
    coverage
}

#[cfg(test)]
mod tests {
    use super::super::Pairs;
    use super::super::elo::{NELO, from_pairs};
    use super::*;

    fn share(players: usize, pairs: usize, span: f64, draws: f64, tournaments: u64) -> f64 {
        let scenario = Scenario { players, pairs, span, draws, drawish: false, outclassed: false };
        coverage(scenario, tournaments, 1).share()
    }

    #[test]
    fn strengths_are_spread_evenly_about_zero() {
        let field =
            Scenario { players: 5, pairs: 1, span: 300.0, draws: 0.4, drawish: false, outclassed: false };
        assert_eq!([0, 1, 2, 3, 4].map(|player| field.strength(player)), [-150.0, -75.0, 0.0, 75.0, 150.0]);
    }

    /// From ten pairs in all (ten meetings of five players once each) to thirty pairs a meeting. The sample is large enough
    /// that 93 % and 97 % are far from 95 %: three standard deviations are 0.9 % or less.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        for (players, pairs, tournaments) in [
            (2, 10, 2500),
            (2, 30, 2500),
            (5, 1, 1500),
            (5, 2, 1500),
            (5, 30, 1200),
            (20, 1, 300),
            (20, 30, 40),
        ] {
            for (span, draws) in [(0.0, 0.4), (100.0, 0.4), (300.0, 0.4), (100.0, 0.7)] {
                let share = share(players, pairs, span, draws, tournaments);
                assert!(
                    (0.93..=0.97).contains(&share),
                    "{players} players, {pairs} pairs, span {span}, draws {draws}: {share}"
                );
            }
        }
    }

    /// Also where one is much stronger, and the deviation that divides the lead is a matter of chance as much as the
    /// lead. The truth follows from the chances of a single game, since games are independent here. With ten pairs
    /// intervals are a little too wide or too narrow; three standard deviations of the sample are 1.8 % or less.
    #[test]
    fn normalized_intervals_hold_the_truth_as_often_as_they_say() {
        for pairs in [10, 30] {
            for (span, draws) in [(0.0, 0.4), (100.0, 0.4), (300.0, 0.4), (100.0, 0.7)] {
                let scenario = Scenario { players: 2, pairs, span, draws, drawish: false, outclassed: false };
                let expected = score_of(scenario.strength(0) - scenario.strength(1));
                let drawn = draws * (1.0 - (2.0 * expected - 1.0).abs());
                let variance = expected - drawn / 4.0 - expected * expected;
                let truth = (expected - 0.5) / variance.sqrt() * NELO;
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                let (mut intervals, mut hold) = (0_u64, 0_u64);
                for _ in 0..2500 {
                    let mut counts = Pairs::default();
                    (0..pairs).for_each(|_| counts.add(scenario.pair(0, 1, &mut rng)));
                    let estimate = from_pairs(counts).unwrap();
                    if estimate.nelo_interval.is_finite() {
                        intervals += 1;
                        hold += u64::from((estimate.nelo - truth).abs() <= estimate.nelo_interval);
                    }
                }
                let share = hold as f64 / intervals as f64;
                assert!((0.9..=0.99).contains(&share), "{pairs} pairs, span {span}, draws {draws}: {share}");
            }
        }
        let few = from_pairs(Pairs([0, 0, 1, 1, 1])).unwrap();
        assert!(few.nelo_interval.is_nan() && few.nelo_error.is_finite(), "{few:?}");
    }

    /// One who loses every game is not compared with the others, and takes nothing from their intervals.
    #[test]
    fn a_player_who_loses_everything_leaves_the_intervals_as_they_are() {
        for (players, pairs, tournaments) in [(5, 2, 1500), (7, 1, 1000)] {
            let kind = Scenario { players, pairs, span: 300.0, draws: 0.4, drawish: false, outclassed: true };
            let [with, without] =
                [true, false].map(|outclassed| coverage(Scenario { outclassed, ..kind }, tournaments, 1));
            assert!((0.93..=0.97).contains(&with.share()), "{players} players: {with:?}");
            // The same games but for its own, which draw nothing by chance.
            let lost = Coverage { none: without.none + tournaments, ..without };
            assert_eq!(with, lost, "{players} players");
        }
    }

    /// A player who draws far more than the others is not judged by their scatter in the long run.
    #[test]
    fn a_drawish_player_has_an_interval_of_its_own() {
        let scenario =
            Scenario { players: 5, pairs: 60, span: 0.0, draws: 0.1, drawish: true, outclassed: false };
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let field = maximum_likelihood(5, &scenario.encounters(&mut rng));
        let [drawish, others @ ..] = &field.ratings[..] else { panic!("{field:?}") };
        assert!(others.iter().all(|other| other.error > 1.4 * drawish.error), "{field:?}");
    }
}
