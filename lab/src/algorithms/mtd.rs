//! Drivers over zero-window searches: the MTD family and bisection (F, E, B; Plaat et al. 1995).
//!
//! Each asks "is the value at least gamma?" again and again and gets a fail-soft bound back. They differ only
//! in where gamma starts and how it moves:
//!
//! | driver | gamma |
//! |---|---|
//! | MTD(+inf) | from above down, the last bound each time; expands the leaves of Stockman's SSS* |
//! | MTD(-inf) | from below up; the leaves of DUAL* |
//! | MTD(f) | from a first guess to either side |
//! | MTD(step) | from above down in strides |
//! | bisection | halves the interval that is left |
//!
//! They leave the searching to whatever is handed in. A correct fail-soft search makes the interval smaller
//! with every pass, so all of them end. A table that takes deeper entries for shallower questions breaks
//! that, hence the guard: a pass that contradicts what is known ends the drive, and the report says so. E's loop
//! ([`eppstein_loop`]) keeps no bounds, so nothing there says that it must end; `lab claims` counts how often it does not.

use crate::node::{INFINITY, Value};
use std::convert::Infallible;

/// Which questions are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// MTD(f), from the given guess.
    F,
    /// MTD(+inf), equal to SSS*.
    Sss,
    /// MTD(-inf), equal to DUAL*.
    Dual,
    /// MTD(step): strides of the given size from above.
    Step(Value),
    /// Halving the interval.
    Bisection,
}

/// What a drive found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    /// The value on which the bounds met, or the last bound if the guard stepped in.
    pub value: Value,
    /// Searches made.
    pub passes: u64,
    /// A pass contradicted an earlier one, or brought nothing.
    pub guarded: bool,
}

/// Runs `driver` from `guess`. `test(gamma)` returns a bound: upper if it is below gamma, lower if not.
pub fn drive(driver: Driver, guess: Value, mut test: impl FnMut(Value) -> Value) -> Drive {
    let Ok(found) = try_drive::<Infallible>(driver, guess, |gamma| Ok(test(gamma)));
    found
}

/// The same with a test that may fail, which ends the drive.
pub fn try_drive<E>(
    driver: Driver,
    guess: Value,
    mut test: impl FnMut(Value) -> Result<Value, E>,
) -> Result<Drive, E> {
    let (mut lower, mut upper) = (-INFINITY, INFINITY);
    let mut bound = match driver {
        Driver::F => guess,
        Driver::Dual => -INFINITY,
        Driver::Sss | Driver::Step(_) | Driver::Bisection => INFINITY,
    };
    let mut passes = 0;
    while lower < upper {
        let gamma = match driver {
            Driver::Step(stride) => (upper.saturating_sub(stride.max(1))).max(lower + 1),
            Driver::Bisection => lower + (upper - lower + 1) / 2,
            Driver::F | Driver::Sss | Driver::Dual => {
                if bound == lower {
                    bound + 1
                } else {
                    bound
                }
            }
        };
        bound = test(gamma)?;
        passes += 1;
        // Every pass must cut something off the interval and stay inside it.
        if bound < lower || bound > upper {
            return Ok(Drive { value: bound.clamp(lower, upper), passes, guarded: true });
        }
        if bound < gamma {
            upper = bound;
        } else {
            lower = bound;
        }
    }
    Ok(Drive { value: bound, passes, guarded: false })
}

/// E's loop as printed: test at the value that came back until it comes back again. None when `limit` passes
/// did not suffice. Kept for what it teaches: after a pass that fails low it can stop on an upper bound that
/// nothing has confirmed from below.
pub fn eppstein_loop(
    guess: Value,
    limit: u64,
    mut search: impl FnMut(Value, Value) -> Value,
) -> Option<Value> {
    let mut test = guess;
    for _ in 0..limit {
        let score = search(test, test + 1);
        if score == test {
            return Some(score);
        }
        test = score;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::synthetic::mix;

    /// The questions of a drive to `value`. The answers are true bounds, as far from the question as chance
    /// has it.
    fn questions(driver: Driver, value: Value, guess: Value, seed: u64) -> Vec<Value> {
        let mut asked = Vec::new();
        let found = drive(driver, guess, |gamma| {
            asked.push(gamma);
            let room = if value >= gamma { value - gamma + 1 } else { gamma - value };
            let far = (mix(seed ^ mix(gamma as u64)) % room as u64) as Value;
            if value >= gamma { gamma + far } else { gamma - 1 - far }
        });
        assert_eq!((found.value, found.guarded), (value, false));
        asked
    }

    /// At least 50, and then at most 20: what was known first stands.
    #[test]
    fn a_pass_that_contradicts_an_earlier_one_ends_the_drive() {
        let mut answers = [50, 20].into_iter();
        let found = drive(Driver::F, 0, |_| answers.next().unwrap());
        assert_eq!(found, Drive { value: 50, passes: 2, guarded: true });
    }

    /// All values are fewer than 2^18, and no answer says more than was asked.
    #[test]
    fn bisection_asks_no_more_than_there_are_halves() {
        for value in [1 - INFINITY, -60_000, -1, 0, 7, 33_333, INFINITY - 1] {
            let found = drive(Driver::Bisection, 0, |gamma| if value >= gamma { gamma } else { gamma - 1 });
            assert!(found.value == value && found.passes <= 18, "{value}: {found:?}");
        }
    }

    /// So an entry's bound on the other side, once written over, is not asked for again in an iteration.
    #[test]
    fn the_questions_of_mtd_f_go_one_way() {
        let one_way = |asked: &[Value]| {
            asked.windows(2).all(|two| two[0] <= two[1]) || asked.windows(2).all(|two| two[0] >= two[1])
        };
        let (mut halving, mut striding) = (0, 0);
        for seed in 0..500 {
            let number = |salt: u64| (mix(seed ^ mix(salt)) % 801) as Value - 400;
            let (value, guess) = (number(1), number(2));
            let asked = questions(Driver::F, value, guess, seed);
            assert!(one_way(&asked), "to {value} from {guess}: {asked:?}");
            halving += usize::from(!one_way(&questions(Driver::Bisection, value, guess, seed)));
            striding += usize::from(!one_way(&questions(Driver::Step(50), value, guess, seed)));
        }
        assert!(halving > 400 && striding > 100, "{halving} {striding}");
    }
}
