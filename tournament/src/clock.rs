//! A player's clock.

use std::time::Duration;

use chess::Color;
use client::{Clocks, Limits, TimeControl};

/// A move is late by whole milliseconds, as engines and other runners count their time: what is over by less
/// is in time.
const GRAIN: Duration = Duration::from_millis(1);

/// The time one player has left, and what is done to it.
#[derive(Debug, Clone)]
pub struct Clock {
    control: Option<TimeControl>,
    move_time: Option<Duration>,
    margin: Duration,
    left: Duration,
    moves_to_go: Option<u32>,
}

/// A player used more time than it had, margin included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late {
    /// By how much it overstepped its time (the margin not taken off): at least a millisecond.
    pub by: Duration,
}

impl Clock {
    /// A full clock.
    #[must_use]
    pub fn new(limits: &Limits, margin: Duration) -> Self {
        let control = limits.clock;
        Self {
            control,
            move_time: limits.move_time,
            margin,
            // The increment belongs to every move, the first included: a control of 0+5 can be played (cutechess #810).
            left: control.map_or(Duration::ZERO, |tc| tc.base + tc.increment),
            moves_to_go: control.and_then(|tc| tc.moves),
        }
    }

    /// The time left; zero for a player without a clock.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.left
    }

    /// The increment per move.
    #[must_use]
    pub fn increment(&self) -> Duration {
        self.control.map_or(Duration::ZERO, |tc| tc.increment)
    }

    /// Moves until the next time control.
    #[must_use]
    pub fn moves_to_go(&self) -> Option<u32> {
        self.moves_to_go
    }

    /// What a player of this colour is told at its move: this clock, its own, and its opponent's.
    #[must_use]
    pub fn beside(&self, other: &Self, side: Color) -> Clocks {
        Clocks {
            side,
            own: self.left(),
            other: other.control.map(|_| other.left()),
            own_increment: self.increment(),
            other_increment: other.increment(),
            moves_to_go: self.moves_to_go(),
        }
    }

    /// The time for a move, without the margin; `None` for a player that may take for ever.
    #[must_use]
    pub fn limit(&self) -> Option<Duration> {
        let clock = self.control.map(|_| self.left);
        match (clock, self.move_time) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// After how long a move is too late; `None` for a player that may take for ever.
    #[must_use]
    pub fn allowance(&self) -> Option<Duration> {
        self.limit().map(|limit| limit + self.margin + GRAIN)
    }

    /// Sets the time that is left.
    pub fn set(&mut self, left: Duration) {
        self.left = left;
    }

    /// Adds time.
    pub fn credit(&mut self, time: Duration) {
        self.left += time;
    }

    /// Counts a move that took no time and earns none.
    pub fn count_move(&mut self) {
        let Some(control) = self.control else { return };
        if let Some(left) = &mut self.moves_to_go {
            *left -= 1;
            if *left == 0 {
                self.left += control.base;
                self.moves_to_go = control.moves;
            }
        }
    }

    /// Books a move that took `elapsed`.
    ///
    /// # Errors
    /// It took too long.
    pub fn spend(&mut self, elapsed: Duration) -> Result<(), Late> {
        if let Some(limit) = self.limit()
            && elapsed >= limit + self.margin + GRAIN
        {
            return Err(Late { by: elapsed.saturating_sub(limit) });
        }
        let Some(control) = self.control else { return Ok(()) };
        // Time taken out of the margin is forgiven, never owed: a clock is not negative (cutechess #809).
        self.left = self.left.saturating_sub(elapsed) + control.increment;
        self.count_move();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(tc: &str, margin_ms: u64) -> Clock {
        let limits = Limits { clock: Some(tc.parse().unwrap()), ..Limits::default() };
        Clock::new(&limits, Duration::from_millis(margin_ms))
    }

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn increments_and_controls() {
        let mut clock = clock("2/10+1", 0);
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(11_000), Some(2)));
        clock.spend(ms(4_000)).unwrap();
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(8_000), Some(1)));
        clock.spend(ms(8_000)).unwrap();
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(11_000), Some(2)));
    }

    #[test]
    fn the_flag_and_the_margin() {
        let mut clock = clock("1", 50);
        assert_eq!(clock.allowance(), Some(ms(1_051)));
        assert_eq!(clock.clone().spend(ms(1_051)), Err(Late { by: ms(51) }));
        clock.spend(ms(1_030)).unwrap();
        assert_eq!(clock.left(), ms(0));
        assert!(clock.spend(ms(51)).is_err());
    }

    /// Moves of the opening bring the next time control nearer, and an hourglass takes what the other has used.
    #[test]
    fn moves_and_time_that_are_no_answers() {
        let mut clock = clock("2/10+1", 0);
        clock.count_move();
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(11_000), Some(1)));
        clock.count_move();
        assert_eq!((clock.left(), clock.moves_to_go()), (ms(21_000), Some(2)));
        let mut glass = self::clock("hg10", 0);
        glass.spend(ms(4_000)).unwrap();
        glass.credit(ms(3_000));
        assert_eq!((glass.left(), glass.increment()), (ms(9_000), ms(0)));
    }

    /// Engines and other runners count whole milliseconds: 50.9 of them are 50. So it is with every kind of
    /// control.
    #[test]
    fn less_than_a_millisecond_is_not_late() {
        let micros = Duration::from_micros;
        let fixed = Limits { move_time: Some(ms(50)), ..Limits::default() };
        let both = Limits { clock: Some("0.05".parse().unwrap()), move_time: Some(ms(70)), ..fixed };
        let fixed = [0, 7].map(|margin| (Clock::new(&fixed, ms(margin)), margin));
        let others = ["0.05", "hg0.05", "1/0.05"].map(|tc| (clock(tc, 0), 0));
        for (clock, margin) in fixed.into_iter().chain(others).chain([(Clock::new(&both, ms(0)), 0)]) {
            let in_time = ms(margin) + micros(50_900);
            assert_eq!(clock.clone().spend(in_time), Ok(()), "{clock:?}");
            let too_late = ms(margin + 51);
            assert_eq!(clock.clone().spend(too_late), Err(Late { by: ms(margin + 1) }), "{clock:?}");
            assert_eq!(clock.allowance(), Some(too_late), "{clock:?}");
        }
    }

    #[test]
    fn a_fixed_time_per_move() {
        let limits = Limits { move_time: Some(ms(100)), ..Limits::default() };
        let mut clock = Clock::new(&limits, ms(10));
        assert!(clock.spend(ms(110)).is_ok() && clock.spend(ms(100)).is_ok());
        assert_eq!(clock.spend(ms(111)), Err(Late { by: ms(11) }));
        assert_eq!(Clock::new(&Limits::default(), ms(0)).allowance(), None);
    }
}
