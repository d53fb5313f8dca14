//! The budget of processor cores, given out to games.
//!
//! A game costs as many cores as the engine that uses more (they think in turn), or as both together where one ponders.
//! Each game gets cores of its own, and its engines are bound to them where the system can do that.

use std::collections::BTreeSet;

use crate::spec::Player;

/// Cores a game between these two takes.
#[must_use]
pub fn cost(white: &Player, black: &Player) -> usize {
    let (a, b) = (white.engine.thread_count() as usize, black.engine.thread_count() as usize);
    let larger = a.max(b);
    if white.engine.ponder || black.engine.ponder { larger * 2 } else { larger }
}

/// Cores that are free.
#[derive(Debug, Clone)]
pub struct Cores {
    free: BTreeSet<usize>,
}

impl Cores {
    /// A budget of these cores.
    #[must_use]
    pub fn new(cores: impl IntoIterator<Item = usize>) -> Self {
        Self { free: cores.into_iter().collect() }
    }

    /// Takes `count` cores, those of `wish` if they are free; `None` if there are not enough.
    pub fn take(&mut self, count: usize, wish: &[usize]) -> Option<Vec<usize>> {
        if count > self.free.len() {
            return None;
        }
        let wished = wish.len() == count && wish.iter().all(|core| self.free.contains(core));
        let taken: Vec<usize> =
            if wished { wish.to_vec() } else { self.free.iter().copied().take(count).collect() };
        taken.iter().for_each(|core| {
            self.free.remove(core);
        });
        Some(taken)
    }

    /// Gives cores back.
    pub fn give(&mut self, cores: &[usize]) {
        self.free.extend(cores);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn a_wish_is_granted_when_it_can_be() {
        let mut cores = Cores::new([2, 3, 6, 7]);
        assert_eq!(cores.take(2, &[6, 7]), Some(vec![6, 7]));
        assert_eq!(cores.take(1, &[6]), Some(vec![2]));
        assert_eq!(cores.take(2, &[]), None);
    }
}
