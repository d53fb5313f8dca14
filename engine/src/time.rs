//! How long to think.
//!
//! Two limits: after the soft one no new iteration begins, at the hard one the search stops where it is. The hard
//! limit never lets the clock run out, whatever the position; the soft one shares the time out over the game.

use crate::report::{Clock, Limits};
use std::time::Duration;

/// The time limits of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Begin no iteration after this.
    pub soft: Option<Duration>,
    /// Stop at this.
    pub hard: Option<Duration>,
}

/// Moves that sudden death is assumed to last from any moment on.
const HORIZON: u32 = 28;

impl Budget {
    /// The budget that these limits allow; unlimited when they do not speak of time.
    pub fn new(limits: &Limits) -> Self {
        if limits.infinite {
            return Budget::default();
        }
        if let Some(movetime) = limits.movetime {
            let hard = movetime.saturating_sub(limits.overhead).max(Duration::from_millis(1));
            return Budget { soft: None, hard: Some(hard) };
        }
        limits.clock.map_or(Budget::default(), |clock| Self::of_clock(clock, limits.overhead))
    }

    fn of_clock(clock: Clock, overhead: Duration) -> Self {
        let usable = clock.remaining.saturating_sub(overhead).max(Duration::from_millis(1));
        let moves = clock.moves_to_go.map_or(HORIZON, |moves| moves.clamp(1, HORIZON));
        let share = usable / moves + clock.increment * 3 / 4;
        // With one move to the control everything may go into it; otherwise something must be left for the next.
        let most = if moves == 1 { usable * 9 / 10 } else { usable * 2 / 5 };
        let soft = (share * 7 / 10).min(most);
        let hard = (share * 3).min(most);
        Budget { soft: Some(soft), hard: Some(hard.max(Duration::from_millis(1))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_clock_never_runs_out(
            remaining in 0u64..4_000_000, increment in 0u64..60_000, mtg in prop::option::of(0u32..200),
            overhead in 0u64..5_000,
        ) {
            let clock = Clock {
                remaining: Duration::from_millis(remaining),
                increment: Duration::from_millis(increment),
                moves_to_go: mtg,
            };
            let overhead = Duration::from_millis(overhead);
            let budget = Budget::new(&Limits { clock: Some(clock), overhead, ..Limits::default() });
            let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
            prop_assert!(hard + overhead <= clock.remaining.max(overhead + Duration::from_millis(1)));
            prop_assert!(soft <= hard.max(Duration::from_millis(1)));
        }
    }

    #[test]
    fn a_fixed_time_is_used_up_and_infinity_is_unlimited() {
        let second = Duration::from_secs(1);
        let limits =
            Limits { movetime: Some(second), overhead: Duration::from_millis(30), ..Limits::default() };
        assert_eq!(Budget::new(&limits), Budget { soft: None, hard: Some(Duration::from_millis(970)) });
        let infinite = Limits { infinite: true, ..limits };
        assert_eq!(Budget::new(&infinite), Budget::default());
    }
}
