//! The engine's clock as xboard tells it: `level`, `st`, `sd`, `nps`, `time`.
//!
//! `level` and `st` replace each other; `sd` holds beside either, and alone where no time was named at all. Clients
//! send `time` before each of our moves, but people do not, so the clock also runs by itself. `time` without a control
//! is the time for all moves. With `nps R` time is counted in nodes: a second is R of them.

use super::command::Level;
use crate::rate::{count_in_nodes, time_of};
use std::time::Duration;
use thinking::report::{Clock, Limits};

/// How time is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Level(Level),
    Exact(Duration),
}

/// Everything that limits our searches in a game.
#[derive(Clone, Debug)]
pub(super) struct GameClock {
    control: Control,
    remaining: Duration,
    /// Plies played when the control began.
    begun: usize,
    /// Plies, from `sd`.
    pub(super) depth: Option<u32>,
    /// From `nps`.
    pub(super) rate: Option<u64>,
    /// Whether the client has named a time control.
    told: bool,
    shown: Shown,
}

/// What cutechess tells as the time left, in centiseconds, where it plays without a clock (`tc=inf`).
const NO_CLOCK: i64 = 86_400;

/// What the client has told of our clock in this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Nothing.
    Nothing,
    /// That there is none: [`NO_CLOCK`] each time.
    NoClock,
    /// What is left on it; from then on every number is a time.
    Clock,
}

impl Shown {
    /// So many centiseconds are told as well.
    fn then(self, centiseconds: i64) -> Self {
        match self {
            Shown::Nothing | Shown::NoClock if centiseconds == NO_CLOCK => Shown::NoClock,
            _ => Shown::Clock,
        }
    }
}

/// Until the client says otherwise: five minutes for 40 moves.
const DEFAULT_LEVEL: Level = Level { moves: 40, base: Duration::from_secs(300), increment: Duration::ZERO };

impl Default for GameClock {
    fn default() -> Self {
        GameClock {
            control: Control::Level(DEFAULT_LEVEL),
            remaining: DEFAULT_LEVEL.base,
            begun: 0,
            depth: None,
            rate: None,
            told: false,
            shown: Shown::Nothing,
        }
    }
}

impl GameClock {
    /// A new game under the same control.
    pub(super) fn restart(&mut self) {
        self.begun = 0;
        self.depth = None;
        self.rate = None;
        self.shown = Shown::Nothing;
        if let Control::Level(level) = self.control {
            self.remaining = level.base;
        }
    }

    /// `level`, after `plies` plies of the game: a new session begins there.
    pub(super) fn set_level(&mut self, level: Level, plies: usize) {
        self.control = Control::Level(level);
        self.remaining = level.base;
        self.begun = plies;
        self.told = true;
    }

    /// The game has no moves now, and the session begins with it.
    pub(super) fn rebase(&mut self) {
        self.begun = 0;
    }

    /// `st`.
    pub(super) fn set_exact(&mut self, time: Duration) {
        self.control = Control::Exact(time);
        self.told = true;
    }

    /// `time`, in centiseconds; a clock that has run out shows nothing. Where no control was told it is all
    /// there is: more would come after 40 moves by the default only.
    pub(super) fn set_remaining(&mut self, centiseconds: i64) {
        if !self.told {
            self.control = Control::Level(Level { moves: 0, ..DEFAULT_LEVEL });
        }
        self.shown = self.shown.then(centiseconds);
        self.remaining = Duration::from_millis((centiseconds.max(0) as u64).saturating_mul(10));
    }

    /// Is our time that of a clock, and not one for each move?
    pub(super) fn counts_down(&self) -> bool {
        matches!(self.control, Control::Level(_))
    }

    /// How long `threads` threads have worked in this time, as the client counts it. With `nps 0` it wants processor
    /// time: the time of every thread stands for that, whether it had a processor all the while or not.
    pub(super) fn worked(&self, time: Duration, threads: usize) -> Duration {
        if self.rate == Some(0) { time.saturating_mul(threads as u32) } else { time }
    }

    /// What a search of `threads` threads has taken from our clock, in this time and with so many nodes.
    pub(super) fn used(&self, time: Duration, nodes: u64, threads: usize) -> Duration {
        match self.rate {
            Some(rate @ 1..) => time_of(nodes, rate),
            _ => self.worked(time, threads),
        }
    }

    /// We moved after `spent`; `plies` counts that move too.
    pub(super) fn moved(&mut self, spent: Duration, plies: usize) {
        let Control::Level(level) = self.control else { return };
        self.remaining = self.remaining.saturating_sub(spent) + level.increment;
        let own = plies.saturating_sub(self.begun).div_ceil(2);
        if level.moves > 0 && own > 0 && own.is_multiple_of(level.moves as usize) {
            self.remaining += level.base;
        }
    }

    /// The plan for our next move after `plies` plies, `spent` of our clock being gone already. With `nps 0`
    /// time is that of all threads together, so `threads` share it.
    pub(super) fn plan(&self, plies: usize, spent: Duration, threads: usize) -> Plan {
        let mut limits = Limits { depth: self.depth, ..Limits::default() };
        let share = |time: Duration| match self.rate {
            Some(0) => time / threads.max(1) as u32,
            _ => time,
        };
        match self.control {
            // Who limits the depth and names no time wants the depth.
            _ if self.depth.is_some() && !self.told && self.shown != Shown::Clock => {}
            Control::Exact(time) => limits.movetime = Some(share(time.saturating_sub(spent))),
            Control::Level(level) => {
                let played = plies.saturating_sub(self.begun) / 2;
                let moves_to_go =
                    (level.moves > 0).then(|| level.moves - (played % level.moves as usize) as u32);
                limits.clock = Some(Clock {
                    remaining: share(self.remaining.saturating_sub(spent)),
                    increment: share(level.increment),
                    moves_to_go,
                });
            }
        }
        Plan { limits, rate: self.rate }
    }
}

/// A clock that differs by more than this from the one a search was planned with is another clock: two programs
/// never agree to the millisecond on what a move took.
const TOLERANCE: Duration = Duration::from_millis(50);

/// Nor may it be shorter by more than one part in so many: a search may take nine tenths of the clock that it was
/// planned with (`engine::time`), and has to answer before this one runs out.
const SHARE: u32 = 16;

/// What limits a search of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Before time is counted in nodes.
    limits: Limits,
    /// From `nps`.
    rate: Option<u64>,
}

impl Plan {
    /// As the search is given them, with so much kept back.
    pub(super) fn limits(&self, overhead: Duration) -> Limits {
        let mut limits = Limits { overhead, ..self.limits.clone() };
        if let Some(rate) = self.rate.filter(|&rate| rate > 0) {
            count_in_nodes(&mut limits, rate);
        }
        limits
    }

    /// Does this limit a search as the plan by what the client has told until `now` does, but for what a clock differs
    /// by in play?
    pub(super) fn agrees_with(&self, now: &Plan) -> bool {
        let near = match (self.limits.clock, now.limits.clock) {
            (Some(planned), Some(now)) => {
                let (planned, now) = (planned.remaining, now.remaining);
                let missing = planned.saturating_sub(now);
                missing <= TOLERANCE.min(planned / SHARE) && now.saturating_sub(planned) <= TOLERANCE
            }
            (planned, now) => planned == now,
        };
        near && self.without_remaining() == now.without_remaining()
    }

    fn without_remaining(&self) -> Plan {
        let clock = self.limits.clock.map(|clock| Clock { remaining: Duration::ZERO, ..clock });
        Plan { limits: Limits { clock, ..self.limits.clone() }, rate: self.rate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(change: impl FnOnce(&mut GameClock)) -> Plan {
        let mut clock = GameClock::default();
        clock.set_level(DEFAULT_LEVEL, 0);
        change(&mut clock);
        clock.plan(2, Duration::ZERO, 1)
    }

    #[test]
    fn plans_agree_while_only_the_clock_runs() {
        let usual = plan(|_| ());
        assert!(usual.agrees_with(&usual));
        assert!(usual.agrees_with(&plan(|clock| clock.set_remaining(29_995))));
        assert!(usual.agrees_with(&plan(|clock| clock.set_remaining(30_005))));
        let sudden = Level { moves: 0, ..DEFAULT_LEVEL };
        let longer = Level { base: Duration::from_secs(400), ..DEFAULT_LEVEL };
        let kinder = Level { increment: Duration::from_millis(1), ..DEFAULT_LEVEL };
        for other in [
            plan(|clock| clock.set_remaining(29_994)),
            plan(|clock| clock.set_remaining(40_000)),
            plan(|clock| clock.set_exact(DEFAULT_LEVEL.base)),
            plan(|clock| clock.set_level(sudden, 0)),
            plan(|clock| clock.set_level(longer, 0)),
            plan(|clock| clock.set_level(kinder, 0)),
            plan(|clock| clock.set_level(DEFAULT_LEVEL, 2)),
            plan(|clock| clock.depth = Some(3)),
            plan(|clock| clock.rate = Some(1000)),
            plan(|clock| clock.rate = Some(0)),
        ] {
            assert!(!usual.agrees_with(&other) && !other.agrees_with(&usual), "{other:?}");
        }
        let exact = |seconds| plan(|clock| clock.set_exact(Duration::from_secs(seconds)));
        assert!(exact(6).agrees_with(&exact(6)) && !exact(6).agrees_with(&exact(5)));
    }

    /// A search that goes on under the clock it was planned with takes nine tenths of that at most.
    #[test]
    fn a_clock_that_agrees_is_not_overrun() {
        let of = |milliseconds: u64, moves_to_go| {
            let remaining = Duration::from_millis(milliseconds);
            let clock = Some(Clock { remaining, increment: Duration::ZERO, moves_to_go });
            Plan { limits: Limits { clock, ..Limits::default() }, rate: None }
        };
        for planned in (20..=10_000).step_by(10) {
            let agrees = |now: u64| {
                let [one, other] =
                    [None, Some(1)].map(|to_go| of(planned, to_go).agrees_with(&of(now, to_go)));
                assert_eq!(one, other, "{planned} ms, then {now} ms");
                one
            };
            for now in planned.saturating_sub(60)..=planned {
                assert!(!agrees(now) || 10 * now > 9 * planned, "{planned} ms, then {now} ms");
            }
            assert!(agrees(planned - planned.min(800) / 16), "what a move took is counted by two programs");
            assert!(agrees(planned + 50) && !agrees(planned + 51), "{planned} ms, then more");
        }
    }

    /// A client that tells the time and no `level` will not add any after 40 moves.
    #[test]
    fn a_time_without_a_control_is_for_all_moves() {
        let mut clock = GameClock::default();
        let left = |clock: &GameClock| clock.plan(79, Duration::ZERO, 1).limits.clock.unwrap();
        assert_eq!(left(&clock).moves_to_go, Some(1));
        clock.set_remaining(6000);
        assert_eq!((left(&clock).moves_to_go, left(&clock).remaining), (None, Duration::from_secs(60)));
        clock.moved(Duration::from_secs(5), 80);
        assert_eq!(left(&clock).remaining, Duration::from_secs(55));
        clock.set_level(DEFAULT_LEVEL, 0);
        clock.set_remaining(6000);
        assert_eq!(left(&clock).moves_to_go, Some(1));
    }

    /// Two moves a minute and 3 s for each, without `time` commands: 60 - 5 + 3 s are left after the
    /// first move, and after the second 5 s less, 3 s and the next minute more.
    #[test]
    fn an_untold_clock_runs_by_itself() {
        let [base, increment, spent] = [60, 3, 5].map(Duration::from_secs);
        // The plies of the game after each move of White and of Black.
        for plies in [[1, 3], [2, 4]] {
            let mut clock = GameClock::default();
            clock.set_level(Level { moves: 2, base, increment }, 0);
            let left = plies.map(|plies| {
                clock.moved(spent, plies);
                let planned = clock.plan(plies + 1, Duration::ZERO, 1).limits.clock;
                planned.map(|clock| (clock.remaining.as_secs(), clock.moves_to_go))
            });
            assert_eq!(left, [Some((58, Some(1))), Some((116, Some(2)))], "{plies:?}");
        }
    }

    /// Half a minute of two threads counts as a minute, and 1000 nodes at 100 a second as ten seconds.
    #[test]
    fn what_a_search_has_used_is_counted_as_the_clock_is() {
        let [half, whole] = [30, 60].map(Duration::from_secs);
        let mut clock = GameClock::default();
        for (rate, seconds) in [(None, 30), (Some(100), 10), (Some(0), 60)] {
            clock.rate = rate;
            assert_eq!(clock.used(half, 1000, 2), Duration::from_secs(seconds), "{rate:?}");
        }
        // 20 s are left, for four threads together.
        clock.set_exact(Duration::from_secs(80));
        assert_eq!(clock.plan(2, whole, 4).limits.movetime, Some(Duration::from_secs(5)));
    }

    /// Clients may name the control once for all games.
    #[test]
    fn a_new_game_begins_with_the_whole_time() {
        let [base, spent] = [60, 5].map(Duration::from_secs);
        let mut clock = GameClock::default();
        clock.set_level(Level { moves: 0, base, increment: Duration::ZERO }, 0);
        clock.moved(spent, 1);
        clock.restart();
        let planned = clock.plan(0, Duration::ZERO, 1).limits.clock;
        assert_eq!(planned.map(|clock| clock.remaining), Some(base));
    }
}
