//! Results as the terminals of other runners count them.

use std::collections::{BTreeMap, HashMap};

use crate::record::{Ending, GameRecord};
use crate::stats::{Pairs, Wdl};

/// Everything that the lines of a terminal are made of.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Results of the first of two players against the second, by their numbers.
    pub between: BTreeMap<(usize, usize), Wdl>,
    /// The same, where the first had White, and where it had Black.
    pub as_white: BTreeMap<(usize, usize), Wdl>,
    /// See `as_white`.
    pub as_black: BTreeMap<(usize, usize), Wdl>,
    /// White's results.
    pub white: Wdl,
    /// Pairs of games by player.
    pub pairs: Vec<PlayerPairs>,
    /// Losses on time and by crashes, by player.
    pub timeouts: Vec<u64>,
    /// See `timeouts`.
    pub crashes: Vec<u64>,
    /// How each player's games ended, in words.
    pub outcomes: Vec<BTreeMap<String, u64>>,
    /// How each player's draws came about.
    pub drawn: Vec<BTreeMap<Ending, u64>>,
    /// How each player's losses came about.
    pub lost: Vec<BTreeMap<Ending, u64>>,
    /// Finished pairs.
    pub finished_pairs: u64,
    open: HashMap<usize, Vec<(usize, f64)>>,
}

/// A player's finished pairs of games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlayerPairs {
    /// By points.
    pub pairs: Pairs,
    /// Games in them.
    pub games: Wdl,
    /// Of the pairs with one point, those of a win and a loss.
    pub win_and_loss: u64,
}

impl PlayerPairs {
    fn add(&mut self, points: [f64; 2]) {
        self.pairs.add(points[0] + points[1]);
        points.iter().for_each(|&points| self.games.add(points));
        self.win_and_loss += u64::from(points.contains(&1.0) && points.contains(&0.0));
    }
}

impl Tally {
    /// Of so many players.
    pub fn new(players: usize) -> Self {
        Self {
            pairs: vec![PlayerPairs::default(); players],
            timeouts: vec![0; players],
            crashes: vec![0; players],
            outcomes: vec![BTreeMap::new(); players],
            drawn: vec![BTreeMap::new(); players],
            lost: vec![BTreeMap::new(); players],
            ..Self::default()
        }
    }

    /// Counts a game, which ended so. True if it finished a pair.
    pub fn add(&mut self, game: &GameRecord, reason: &str) -> bool {
        let white = game.result.white_points();
        let key = (game.white.min(game.black), game.white.max(game.black));
        let points = game.played().points_of(key.0);
        self.between.entry(key).or_default().add(points);
        let of_colour = if game.white == key.0 { &mut self.as_white } else { &mut self.as_black };
        of_colour.entry(key).or_default().add(points);
        self.white.add(white);
        self.count_outcome(game, reason);
        let open = self.open.entry(game.encounter).or_default();
        open.push((game.white, white));
        let &[(first, a), (second, b)] = open.as_slice() else { return false };
        self.open.remove(&game.encounter);
        self.finished_pairs += 1;
        // The same colours twice where they are not exchanged.
        let b_for_first = if second == first { b } else { 1.0 - b };
        let (white, other) = (first, if first == key.0 { key.1 } else { key.0 });
        self.pairs[white].add([a, b_for_first]);
        self.pairs[other].add([1.0 - a, 1.0 - b_for_first]);
        true
    }

    fn count_outcome(&mut self, game: &GameRecord, reason: &str) {
        let Some(loser) = game.loser() else {
            for player in [game.white, game.black] {
                *self.outcomes[player].entry(reason.to_owned()).or_default() += 1;
                *self.drawn[player].entry(game.ending).or_default() += 1;
            }
            return;
        };
        let winner = if loser == game.white { game.black } else { game.white };
        *self.outcomes[winner].entry(format!("Win: {reason}")).or_default() += 1;
        *self.outcomes[loser].entry(format!("Loss: {reason}")).or_default() += 1;
        *self.lost[loser].entry(game.ending).or_default() += 1;
        match game.ending {
            Ending::TimeForfeit => self.timeouts[loser] += 1,
            Ending::Crash | Ending::Disconnect | Ending::Stall | Ending::StartFailure => {
                self.crashes[loser] += 1
            }
            _ => {}
        }
    }

    /// Games of two players, from the first one's side.
    pub fn of(&self, first: usize, second: usize) -> Wdl {
        self.between.get(&(first, second)).copied().unwrap_or_default()
    }

    /// One player's games against all.
    pub fn of_player(&self, player: usize) -> Wdl {
        sum(player, &self.between, &self.between)
    }

    /// Those in which it had White, or Black.
    pub fn of_player_with(&self, player: usize, white: bool) -> Wdl {
        if white {
            sum(player, &self.as_white, &self.as_black)
        } else {
            sum(player, &self.as_black, &self.as_white)
        }
    }
}

/// A player's results: of the first map where it is the first of the two, of the other one where it is the
/// second.
fn sum(player: usize, first: &BTreeMap<(usize, usize), Wdl>, second: &BTreeMap<(usize, usize), Wdl>) -> Wdl {
    let own = first.iter().filter(|((one, _), _)| *one == player).map(|(_, wdl)| *wdl);
    let others = second.iter().filter(|((_, other), _)| *other == player).map(|(_, wdl)| wdl.reversed());
    own.chain(others).fold(Wdl::default(), |mut sum, wdl| {
        sum.wins += wdl.wins;
        sum.draws += wdl.draws;
        sum.losses += wdl.losses;
        sum
    })
}
