//! The parts of a field that results hold together.
//!
//! Between two players of a part points went both ways, directly or through others: the condition of Ford
//! (1957) for a finite likeliest distance between them. Of two parts that met, one took every point from the
//! other, and nothing bounds how far they are apart.

use super::ratings::{Bound, Meeting};

/// To whom a player's points go, or from whom they come: by player, other players.
type Ways = Vec<Vec<usize>>;

/// The parts of a field, every player in one of them.
pub(super) struct Parts {
    /// By player, the number of its part.
    pub of: Vec<usize>,
    /// By part, its players in their order.
    pub members: Vec<Vec<usize>>,
    /// By player, those that took points from it.
    up: Ways,
    /// By player, those that it took points from.
    down: Ways,
}

impl Parts {
    /// Of the field in which these have met. Anchors keep their distance whatever they score, so that they are
    /// in one part.
    pub fn new(met: &[Meeting], anchors: &[Option<f64>]) -> Self {
        let players = anchors.len();
        let (mut up, mut down): (Ways, Ways) = (vec![Vec::new(); players], vec![Vec::new(); players]);
        let mut points_went = |from: usize, to: usize| {
            up[from].push(to);
            down[to].push(from);
        };
        for meeting in met {
            if meeting.points > 0.0 {
                points_went(meeting.second, meeting.first);
            }
            if meeting.points < meeting.games {
                points_went(meeting.first, meeting.second);
            }
        }
        // A ring reaches all of them.
        let known: Vec<usize> = (0..players).filter(|&player| anchors[player].is_some()).collect();
        for (&one, &next) in known.iter().zip(known.iter().cycle().skip(1)) {
            points_went(one, next);
        }
        let mut parts = Self { of: vec![usize::MAX; players], members: Vec::new(), up, down };
        for player in 0..players {
            if parts.of[player] == usize::MAX {
                let (above, below) = (parts.above(player), parts.below(player));
                let members: Vec<usize> =
                    (0..players).filter(|&other| above[other] && below[other]).collect();
                members.iter().for_each(|&member| parts.of[member] = parts.members.len());
                parts.members.push(members);
            }
        }
        parts
    }

    /// The parts whose mean is the zero of the ratings: that with most of the players who have games, or all
    /// that are as large; with anchors theirs.
    pub fn at_zero(&self, games: &[f64], anchors: &[Option<f64>]) -> Vec<usize> {
        if let Some(anchor) = anchors.iter().position(Option::is_some) {
            return vec![self.of[anchor]];
        }
        let size = |part: usize| self.members[part].iter().filter(|&&player| games[player] > 0.0).count();
        let largest = (0..self.members.len()).map(size).max().unwrap_or(0);
        (0..self.members.len()).filter(|&part| largest > 0 && size(part) == largest).collect()
    }

    /// What the results leave open of every player's distance to these parts.
    pub fn bounds(&self, parts: &[usize]) -> Vec<Option<Bound>> {
        let mut sides = vec![(false, false); self.of.len()];
        for &part in parts {
            let from = self.members[part][0];
            let reached = self.above(from).into_iter().zip(self.below(from));
            for (player, (above, below)) in reached.enumerate().filter(|(player, _)| self.of[*player] != part)
            {
                sides[player].0 |= above;
                sides[player].1 |= below;
            }
        }
        let is_zero = |player: usize| parts.contains(&self.of[player]);
        let plays = |player: usize| !(self.up[player].is_empty() && self.down[player].is_empty());
        let bound = |(player, (above, below))| match (above, below) {
            (true, false) => Some(Bound::Above),
            (false, true) => Some(Bound::Below),
            _ if is_zero(player) || !plays(player) => None,
            _ => Some(Bound::Open),
        };
        sides.into_iter().enumerate().map(bound).collect()
    }

    /// Whether these players have all met each other or an anchor, directly or through others.
    pub fn have_met(&self, mut who: impl Iterator<Item = usize>) -> bool {
        let Some(first) = who.next() else { return true };
        let reached = reached(first, &[&self.up, &self.down]);
        who.all(|player| reached[player])
    }

    /// By player, whether points went to it from this one, directly or through others.
    fn above(&self, player: usize) -> Vec<bool> {
        reached(player, &[&self.up])
    }

    /// By player, whether points went from it to this one.
    fn below(&self, player: usize) -> Vec<bool> {
        reached(player, &[&self.down])
    }
}

/// By player, whether it is this one or can be reached from it.
fn reached(from: usize, ways: &[&Ways]) -> Vec<bool> {
    let mut reached = vec![false; ways.first().map_or(0, |ways| ways.len())];
    let mut open = vec![from];
    while let Some(player) = open.pop() {
        if !std::mem::replace(&mut reached[player], true) {
            open.extend(ways.iter().flat_map(|ways| &ways[player]));
        }
    }
    reached
}
