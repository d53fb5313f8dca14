//! The budget of processor cores, given out to games.
//!
//! A game costs as many cores as the engine that uses more (they think in turn), or as both together where one ponders.
//! Each game gets cores of its own, and its engines are bound to them where the system can do that. Where more
//! games are wanted than there are cores, a core comes several times in the budget, and as often in games.

use std::collections::BTreeSet;

use crate::schedule::Schedule;
use crate::spec::Player;

/// Cores a game between these two takes.
#[must_use]
pub fn cost(white: &Player, black: &Player) -> usize {
    let (a, b) = (white.engine.thread_count() as usize, black.engine.thread_count() as usize);
    if white.engine.ponder || black.engine.ponder { a + b } else { a.max(b) }
}

/// Cores that any game of this schedule takes at most; 1 if there is none.
#[must_use]
pub fn dearest(players: &[Player], schedule: &Schedule) -> usize {
    let meetings = schedule.possible_meetings().into_iter();
    meetings.map(|[a, b]| cost(&players[a], &players[b])).max().unwrap_or(1).max(1)
}

/// Cores that are free.
#[derive(Debug, Clone)]
pub struct Cores {
    /// All of them, those that are best used first.
    order: Vec<usize>,
    /// The free ones' places in that order.
    free: BTreeSet<usize>,
}

impl Cores {
    /// A budget of these cores, those that are best used first.
    #[must_use]
    pub fn new(cores: impl IntoIterator<Item = usize>) -> Self {
        let order: Vec<usize> = cores.into_iter().collect();
        Self { free: (0..order.len()).collect(), order }
    }

    /// Are so many free?
    #[must_use]
    pub fn has(&self, count: usize) -> bool {
        count <= self.free.len()
    }

    /// Takes `count` cores, those of `wish` if they are free; `None` if there are not enough.
    pub fn take(&mut self, count: usize, wish: &[usize]) -> Option<Vec<usize>> {
        if !self.has(count) {
            return None;
        }
        let mut wished: Vec<usize> = Vec::new();
        for &core in wish {
            let mut free = self.free.iter().copied();
            wished.extend(free.find(|place| self.order[*place] == core && !wished.contains(place)));
        }
        let places: Vec<usize> =
            if wished.len() == count { wished } else { self.free.iter().copied().take(count).collect() };
        for place in &places {
            self.free.remove(place);
        }
        Some(places.into_iter().map(|place| self.order[place]).collect())
    }

    /// Gives cores back.
    pub fn give(&mut self, cores: &[usize]) {
        for &core in cores {
            let mut taken = (0..self.order.len()).filter(|place| !self.free.contains(place));
            let place = taken.find(|&place| self.order[place] == core);
            self.free.extend(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::{Settings, players};

    #[test]
    fn a_core_of_several_places_gets_all_of_them_back() {
        let mut cores = Cores::new([3, 3, 3, 3]);
        for _ in 0..3 {
            let games = [(); 2].map(|()| cores.take(2, &[3, 3]).expect("two games fit"));
            assert!(!cores.has(1));
            games.iter().for_each(|game| cores.give(game));
        }
        assert!(cores.has(4) && !cores.has(5));
    }

    proptest! {
        /// Whatever is taken and given, no core is in two games and none is lost.
        #[test]
        fn no_core_serves_two_games(orders in prop::collection::vec((1usize..5, any::<bool>()), 1..60)) {
            let mut cores = Cores::new(0..8);
            let mut games: Vec<Vec<usize>> = Vec::new();
            for (count, end_one) in orders {
                if end_one && !games.is_empty() {
                    cores.give(&games.remove(0));
                }
                let wish = games.first().cloned().unwrap_or_default();
                let free = 8 - games.iter().map(Vec::len).sum::<usize>();
                let taken = cores.take(count, &wish);
                prop_assert_eq!(taken.is_some(), count <= free);
                games.extend(taken);
                let all: BTreeSet<usize> = games.iter().flatten().copied().collect();
                prop_assert_eq!(all.len(), games.iter().map(Vec::len).sum::<usize>());
            }
        }
    }

    #[test]
    fn a_game_costs_what_thinks_at_once() {
        let program = std::env::current_exe().unwrap();
        let engine = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            Settings::from_words("--engine", &words).unwrap().with("cmd", program.to_str().unwrap())
        };
        let lines = ["name=a", "name=b threads=4", "name=c ponder=on", "name=d threads=4 ponder=on"];
        let [one, four, ponders, both] = players(&lines.map(engine), &[]).unwrap().try_into().unwrap();
        assert_eq!((cost(&one, &one), cost(&one, &four), cost(&four, &one)), (1, 4, 4));
        assert_eq!((cost(&ponders, &four), cost(&four, &ponders), cost(&one, &both)), (5, 5, 5));
        assert_eq!((cost(&both, &both), cost(&ponders, &one)), (8, 2));
    }

    #[test]
    fn a_wish_is_granted_when_it_can_be() {
        let mut cores = Cores::new([2, 3, 6, 7]);
        assert_eq!(cores.take(2, &[6, 7]), Some(vec![6, 7]));
        assert_eq!(cores.take(1, &[6]), Some(vec![2]));
        assert_eq!(cores.take(2, &[]), None);
    }

    #[test]
    fn the_best_cores_are_taken_first() {
        let mut cores = Cores::new([4, 6, 5, 7]);
        assert_eq!(cores.take(2, &[]), Some(vec![4, 6]));
        assert_eq!(cores.take(1, &[]), Some(vec![5]));
        cores.give(&[6]);
        assert_eq!(cores.take(2, &[4, 6]), Some(vec![6, 7]), "half a wish is none");
    }
}
