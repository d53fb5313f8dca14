//! How long to think.
//!
//! Two limits: after the soft one no new iteration begins, at the hard one the search stops where it is. The hard
//! limit never lets the clock run out, whatever the position; the soft one shares the time out over the game. How much of
//! its share a move needs is for the [`Course`] of its search to say: less where the best move has long been the same and
//! took most of the effort and its score stays the same, more where it has just changed or its score falls (after Hyatt
//! 1984, "Using time wisely"); and less in the opening than later, when more is decided and fewer moves are to come.

use crate::params::Params;
use crate::root::Root;
use chess::Move;
use std::time::Duration;
use thinking::report::{Clock, Limits};
use thinking::score::Score;

/// The time limits of one search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Begin no iteration after this.
    pub soft: Option<Duration>,
    /// Stop at this.
    pub hard: Option<Duration>,
}

/// Changes of the best move in one iteration that count.
const MOST_CHANGES: i32 = 5;

/// Moves that sudden death is assumed to last from any moment on.
const HORIZON: u32 = 28;

/// What a busy machine may take from us at once, and what therefore stays on the clock, whatever the time control.
/// One of 960 games at 2+0.02 was lost by a pause of more than 18 ms (bench/runs/2026-11-28-spsa).
const PAUSE: Duration = Duration::from_millis(20);

impl Budget {
    /// The budget that these limits allow; unlimited when they do not speak of time.
    pub fn new(limits: &Limits) -> Self {
        if limits.infinite {
            return Budget::default();
        }
        let least = Duration::from_millis(1);
        // At least half of the time asked for is thought.
        let fixed = limits.movetime.map(|time| time.saturating_sub(limits.overhead).max(time / 2).max(least));
        let clock = limits.clock.map_or(Budget::default(), |clock| Self::of_clock(clock, limits.overhead));
        match fixed {
            None => clock,
            // A time for the move is used up, as far as the clock has it.
            Some(time) => Budget { soft: None, hard: Some(clock.hard.map_or(time, |hard| time.min(hard))) },
        }
    }

    fn of_clock(clock: Clock, overhead: Duration) -> Self {
        let least = Duration::from_millis(1);
        let to_come = clock.moves_to_go.unwrap_or(HORIZON).max(1);
        let moves = to_come.min(HORIZON);
        // Every move to come will lose the overhead too: what they will need is not there to be spent. This leaves a
        // reserve on the clock that a late answer of the client can be paid from; half of the clock at most, since no
        // reserve is worth moves without thought.
        let bank = clock.remaining + clock.increment * (moves - 1);
        let kept_back = overhead.saturating_mul(to_come.saturating_add(2)).min(bank / 2);
        let share = (bank - kept_back) / moves;
        let usable = clock.remaining.saturating_sub(overhead).max(least);
        let hard = match clock.moves_to_go {
            // A search begins no iteration that its share does not allow; one that is under way may need most of
            // what is left to see that its move fails, and is worth it.
            None => usable * 37 / 50,
            // With one move to the control nearly everything may go into it; otherwise each of the others has its
            // share.
            Some(0 | 1) => usable * 9 / 10,
            Some(_) => (share * 3).min(usable * 2 / 5),
        };
        let hard = hard.min(usable - PAUSE.min(usable * 2 / 3)).max(least);
        Budget { soft: Some(share.min(hard)), hard: Some(hard) }
    }
}

/// How long an answer may wait for others when its search is over and its clock has run for `used`: no longer than the
/// limits keep back, so that the clock does not run out meanwhile. `None` where they keep nothing back: as long as it
/// takes.
pub fn spare(limits: &Limits, used: Duration) -> Option<Duration> {
    match limits.clock {
        _ if limits.infinite => None,
        Some(clock) => Some(PAUSE.min(clock.remaining.saturating_sub(limits.overhead + used) / 2)),
        // Without an overhead all of a time for one move has been thought, and nothing is left to wait.
        None if limits.overhead.is_zero() => None,
        None => limits.movetime.map(|time| PAUSE.min(time.saturating_sub(used))),
    }
}

/// How the iterations of one search went, as far as the time it needs depends on it.
#[derive(Clone, Debug)]
pub struct Course {
    best: Option<Move>,
    /// Iterations since the best move changed.
    stable: i32,
    /// Iterations since the score left the mean by much.
    steady: i32,
    /// Mean of the scores, the later ones with more weight.
    mean: Option<Score>,
    /// Moves played in the game before, if its end is not known to be near: `None` on the way to a time control.
    game_move: Option<u32>,
    need: f64,
}

impl Default for Course {
    fn default() -> Self {
        Course::new(None)
    }
}

impl Course {
    /// The course of a search that has not begun, at this move of a game of sudden death; `None` on the way to a
    /// time control.
    pub fn new(game_move: Option<u32>) -> Self {
        Course { best: None, stable: 0, steady: 0, mean: None, game_move, need: 1.0 }
    }

    /// Notes how an iteration has ended.
    pub fn note(&mut self, p: &Params, root: &Root) {
        let Some(best) = root.best() else { return };
        self.stable = if self.best == Some(best.mv) { self.stable + 1 } else { 0 };
        self.best = Some(best.mv);
        let mean = self.mean.unwrap_or(best.score);
        let fall = (mean - best.score).clamp(-p.time_fall_most, p.time_fall_most);
        self.steady = if fall.abs() <= p.time_steady { self.steady + 1 } else { 0 };
        self.mean = Some((mean + best.score) / 2);
        let stability = f64::from(p.time_settled) + f64::from(p.time_unsettled) * 0.5f64.powi(self.stable);
        let steadiness = f64::from(p.time_steadied) + f64::from(p.time_unsteady) * 0.5f64.powi(self.steady);
        let changes = f64::from(100 + p.time_change * root.changes.min(MOST_CHANGES));
        let effort =
            (f64::from(p.time_effort_base) / 100.0 - root.share_of_best()) * f64::from(p.time_effort_slope);
        let trend = f64::from(100 + p.time_fall * fall);
        let certainty = stability * steadiness * changes / 1e6;
        self.need = (certainty * effort * trend * self.stage(p) / 1e6).max(0.0);
    }

    /// Percent of an equal share that a move of this stage of the game deserves.
    fn stage(&self, p: &Params) -> f64 {
        let Some(game_move) = self.game_move else { return 100.0 };
        let [early, late] = [p.time_early, p.time_late].map(f64::from);
        late - (late - early) * 0.5f64.powf(f64::from(game_move) / f64::from(p.time_stage))
    }

    /// The factor on the soft limit.
    pub fn need(&self) -> f64 {
        self.need
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
            overhead in 0u64..5_000, movetime in 0u64..10_000,
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
            // However large the reserve, a move has at least half of its equal share, if it may take as long.
            let moves = mtg.map_or(HORIZON, |moves| moves.clamp(1, HORIZON));
            let bank = clock.remaining + clock.increment * (moves - 1);
            let rounding = Duration::from_nanos(2);
            prop_assert!(moves < HORIZON && moves > 1 || soft + rounding >= (bank / (2 * HORIZON)).min(hard / 2));
            // A time for the move changes nothing about that.
            let movetime = Some(Duration::from_millis(movetime));
            let fixed = Budget::new(&Limits { clock: Some(clock), overhead, movetime, ..Limits::default() });
            prop_assert!(fixed.hard.unwrap() <= hard);
        }
    }

    /// By hand, in milliseconds: 20 where the clock has more than 40 beyond the overhead of 10, half of it where it has
    /// less. Of a time for the move what is left of it, and what has no clock may take its time.
    #[test]
    fn an_answer_waits_no_longer_than_the_clock_allows() {
        let ms = Duration::from_millis;
        let of = |clock: Option<u64>, movetime: Option<u64>, overhead: u64, infinite: bool, used: u64| {
            let clock = clock.map(|remaining| Clock {
                remaining: ms(remaining),
                increment: Duration::ZERO,
                moves_to_go: None,
            });
            let (movetime, overhead) = (movetime.map(ms), ms(overhead));
            spare(&Limits { clock, movetime, overhead, infinite, ..Limits::default() }, ms(used))
        };
        assert_eq!(of(Some(60_000), None, 10, false, 2_000), Some(ms(20)));
        assert_eq!(of(Some(60_000), Some(100), 10, false, 90), Some(ms(20)));
        assert_eq!(of(Some(2_040), None, 10, false, 2_000), Some(ms(15)));
        assert_eq!(of(Some(2_005), None, 10, false, 2_000), Some(ms(0)));
        assert_eq!(of(None, Some(100), 10, false, 90), Some(ms(10)));
        assert_eq!(of(None, Some(12), 10, false, 6), Some(ms(6)), "half of a short time is thought");
        assert_eq!(of(None, Some(100), 10, false, 101), Some(ms(0)));
        for (movetime, overhead, infinite) in
            [(Some(100), 0, false), (None, 10, false), (Some(100), 10, true)]
        {
            assert_eq!(of(None, movetime, overhead, infinite, 90), None);
        }
        assert_eq!(of(Some(60_000), None, 10, true, 2_000), None);
    }

    /// The need after eight iterations with this best move (by its place among the legal ones), score and effort (percent
    /// of the nodes).
    fn need(iterations: impl Fn(i32) -> (usize, Score, u64)) -> f64 {
        need_of(Course::default(), 0, iterations)
    }

    fn need_of(mut course: Course, changes: i32, iterations: impl Fn(i32) -> (usize, Score, u64)) -> f64 {
        let mut root = Root::new(&chess::Position::startpos(), &[]);
        root.changes = changes;
        let moves: Vec<Move> = root.moves.iter().map(|root_move| root_move.mv).collect();
        for depth in 1..=8 {
            let (best, score, effort) = iterations(depth);
            let place = root.moves.iter().position(|root_move| root_move.mv == moves[best]);
            root.moves.swap(0, place.expect("no move is lost"));
            root.moves.iter_mut().for_each(|root_move| root_move.nodes = 0);
            (root.moves[0].nodes, root.moves[0].score) = (effort, score);
            root.moves[1].nodes = 100 - effort;
            course.note(&Params::DEFAULT, &root);
        }
        course.need()
    }

    #[test]
    fn trouble_needs_more_time_than_a_settled_choice() {
        let settled = need(|_| (0, 20, 80));
        assert!((0.4..1.0).contains(&settled), "{settled}");
        assert!(need(|_| (0, 20, 99)) < settled, "nearly all effort for one move");
        assert!(need(|_| (0, 20, 30)) > settled, "much effort for others");
        assert!(need(|depth| (usize::from(depth == 8), 20, 80)) > settled, "another best move at the end");
        let falls = need(|depth| (0, 20 - 10 * depth, 80));
        assert!(falls > settled, "the score falls");
        assert!(need(|depth| (0, 20 + 10 * depth, 80)) < falls, "the score rises");
        assert!(
            need(|depth| (0, if depth == 8 { -20_000 } else { 20_000 }, 80)) < 4.0,
            "limited, whatever comes"
        );
        assert_eq!(Course::default().need(), 1.0, "nothing is known yet");
        assert!(need(|depth| (0, 20 + 30 * (depth % 2), 80)) > settled, "the score goes up and down");
        assert!(need_of(Course::default(), 3, |_| (0, 20, 80)) > settled, "the best move goes to and fro");
    }

    #[test]
    fn later_moves_of_a_game_deserve_more_of_the_clock() {
        let at = |game_move| need_of(Course::new(Some(game_move)), 0, |_| (0, 20, 80));
        let needs = [0, 5, 10, 20, 40, 80, 400].map(at);
        assert!(needs.is_sorted() && needs[0] > 0.2 && needs[6] < 2.0, "{needs:?}");
        assert!(needs[0] < need(|_| (0, 20, 80)), "on the way to a control all moves are alike");
    }

    /// A minute, by hand: a 28th of it is 2.1 s, a 20th 3 s. What a move may take at most is far more than
    /// its share, and with one move to the control nearly all there is.
    #[test]
    fn the_time_that_there_is_may_be_used() {
        for (moves_to_go, soft, hard) in [
            (None, 2.0..2.2, 44.0..45.0),
            (Some(1), 51.0..60.0, 51.0..60.0),
            (Some(2), 20.0..30.0, 20.0..30.0),
            (Some(20), 2.8..3.0, 6.0..20.0),
        ] {
            let remaining = Duration::from_secs(60);
            let clock = Some(Clock { remaining, increment: Duration::ZERO, moves_to_go });
            let limits = Limits { clock, overhead: Duration::from_millis(10), ..Limits::default() };
            let budget = Budget::new(&limits);
            let seconds = |time: Option<Duration>| time.expect("there is a clock").as_secs_f64();
            assert!(soft.contains(&seconds(budget.soft)), "{moves_to_go:?}: {budget:?}");
            assert!(hard.contains(&seconds(budget.hard)), "{moves_to_go:?}: {budget:?}");
        }
    }

    #[test]
    fn a_long_game_is_not_lost_by_a_pause_of_the_machine() {
        let overhead = Duration::from_millis(10);
        for moves_to_go in [None, Some(1), Some(2), Some(40)] {
            for (base, increment) in [(1000, 10), (2000, 20), (8000, 80)] {
                let increment = Duration::from_millis(increment);
                let mut remaining = Duration::from_millis(base);
                for _ in 0..400 {
                    let clock = Clock { remaining, increment, moves_to_go };
                    let budget = Budget::new(&Limits { clock: Some(clock), overhead, ..Limits::default() });
                    remaining -= budget.hard.expect("there is a clock");
                    let enough = remaining >= Duration::from_millis(30);
                    assert!(enough, "{remaining:?} left of {base} ms, {moves_to_go:?} moves to go");
                    remaining += increment;
                }
            }
        }
    }

    /// By hand: of a minute for forty moves 42 times 50 ms are not there to be spent, and a 28th of the rest is for
    /// this one.
    #[test]
    fn every_move_to_the_time_control_loses_the_overhead() {
        let (remaining, overhead) = (Duration::from_secs(60), Duration::from_millis(50));
        let share = |moves| {
            let clock = Clock { remaining, increment: Duration::ZERO, moves_to_go: Some(moves) };
            Budget::new(&Limits { clock: Some(clock), overhead, ..Limits::default() }).soft
        };
        assert_eq!(share(40), Some(Duration::from_millis(57_900) / 28));
        assert_eq!(share(u32::MAX), Some(Duration::from_secs(30) / 28), "half of the clock at most");
    }

    /// After a ponder hit the clock may be shorter by a sixteenth than the one that the search was planned with, and by
    /// 50 ms (xboard): it does not run out all the same.
    #[test]
    fn a_clock_that_is_a_little_shorter_than_planned_does_not_run_out() {
        for (remaining, overhead) in (20..=10_000).flat_map(|clock| [(clock, 0), (clock, 10), (clock, 5000)])
        {
            let remaining = Duration::from_millis(remaining);
            let left = remaining - Duration::from_millis(50).min(remaining / 16);
            for (moves_to_go, increment) in [(None, 0), (None, 2), (Some(1), 0), (Some(2), 0), (Some(40), 2)]
            {
                let clock = Clock { remaining, increment: Duration::from_secs(increment), moves_to_go };
                let overhead = Duration::from_millis(overhead);
                let budget = Budget::new(&Limits { clock: Some(clock), overhead, ..Limits::default() });
                let hard = budget.hard.expect("there is a clock");
                assert!(hard < left, "{hard:?} of {left:?}, {clock:?}, {overhead:?} kept back");
            }
        }
    }

    #[test]
    fn a_fixed_time_is_used_up_and_infinity_is_unlimited() {
        let second = Duration::from_secs(1);
        let limits =
            Limits { movetime: Some(second), overhead: Duration::from_millis(30), ..Limits::default() };
        assert_eq!(Budget::new(&limits), Budget { soft: None, hard: Some(Duration::from_millis(970)) });
        let short = Limits { movetime: Some(second / 50), ..limits.clone() };
        assert_eq!(Budget::new(&short).hard, Some(second / 100), "half of it, however large the overhead");
        let infinite = Limits { infinite: true, ..limits };
        assert_eq!(Budget::new(&infinite), Budget::default());
    }
}
