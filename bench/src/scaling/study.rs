//! Carrying a plan out.

use super::clock::{Clock, ClockError};
use super::plan::{Plan, Run, Team};
use super::sample::Sample;

/// Hears of every search that is finished.
pub trait Watch {
    /// This search is done.
    fn done(&mut self, sample: &Sample);
}

/// Hears nothing.
impl Watch for () {
    fn done(&mut self, _: &Sample) {}
}

/// Why a plan was not carried out to its end, and what had been measured by then.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Unfinished {
    /// The searches that were finished, in the plan's order.
    pub samples: Vec<Sample>,
    /// What ended the others.
    pub cause: ClockError,
}

/// Nothing was measured.
impl From<ClockError> for Unfinished {
    fn from(cause: ClockError) -> Self {
        Unfinished { samples: Vec::new(), cause }
    }
}

/// One search after the other, as time on the wall asks for. Ends early, with what there is, when the clock is stopped.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn one_by_one(
    plan: &Plan,
    clock: &mut dyn Clock,
    watch: &mut dyn Watch,
) -> Result<Vec<Sample>, Unfinished> {
    let mut samples = Vec::new();
    for run in plan.order() {
        match perform(plan, &run, clock) {
            Ok(Some(sample)) => {
                watch.done(&sample);
                samples.push(sample);
            }
            Ok(None) => break,
            Err(cause) => return Err(Unfinished { samples, cause }),
        }
    }
    Ok(samples)
}

/// Most simulated threads at once: each has a stack of two mappings, and Linux grants a process 65,530.
const MOST_SIMULATED: usize = 30_000;
/// What a simulated thread needs beside the table, in bytes: histories, caches, and the part of its stack that
/// it uses.
const EACH_THREAD: u64 = 5 << 19;

/// How many simulations of a plan may run side by side on so many processors with so much free memory (in
/// bytes, if it is known), at least 1. One of a whole cluster needs a machine's memory.
pub fn places(plan: &Plan, processors: usize, available: Option<u64>) -> usize {
    if plan.has_clusters() {
        return 1;
    }
    let threads = plan.teams().into_iter().map(Team::all_threads).max().unwrap_or(1);
    let table = (plan.hash as u64).saturating_mul(1 << 20);
    // The simulated caches keep a note of each line of the table.
    let each = table.saturating_add(table / 8).saturating_add(threads as u64 * EACH_THREAD);
    let room = available.map_or(usize::MAX, |bytes| (bytes / each) as usize);
    processors.min(MOST_SIMULATED / threads).min(room).max(1)
}

/// A single search of a plan; `None` if the clock was stopped.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn perform(plan: &Plan, run: &Run, clock: &mut dyn Clock) -> Result<Option<Sample>, ClockError> {
    let position = &plan.positions[run.position].position;
    let outcome = clock.search(run, position, plan.limits(run.position))?;
    Ok(outcome.map(|outcome| Sample::new(plan, run, outcome)))
}

/// A search that is not counted, by the largest team at the first position: threads are started, memory is touched, and
/// the processor leaves its rest.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn warm_up(plan: &Plan, clock: &mut dyn Clock) -> Result<(), ClockError> {
    let largest = plan.teams().into_iter().max_by_key(|team| team.all_threads());
    if let (Some(team), false) = (largest, plan.positions.is_empty()) {
        perform(plan, &Run { repeat: 0, position: 0, team }, clock)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::fake::{self, Fake};
    use crate::scaling::fits::Amdahl;
    use crate::scaling::plan::Goal;
    use crate::scaling::sample::Outcome;
    use chess::Position;
    use std::io;
    use thinking::report::Limits;

    /// Has no memory once the other one is stopped.
    struct Failing(Fake);

    impl Clock for Failing {
        fn search(
            &mut self,
            run: &Run,
            position: &Position,
            limits: Limits,
        ) -> Result<Option<Outcome>, ClockError> {
            let found = self.0.search(run, position, limits)?;
            let no_memory = ClockError::Thread { purpose: "in a test", cause: io::Error::other("no memory") };
            found.map(Some).ok_or(no_memory)
        }
    }

    #[test]
    fn what_was_measured_before_an_error_is_kept() {
        let plan = fake::plan(Goal::Depth);
        let mut clock = Failing(Fake { law: Amdahl { serial_fraction: 0.05, error: None }, left: Some(3) });
        let Unfinished { samples, cause } = one_by_one(&plan, &mut clock, &mut ()).expect_err("it fails");
        assert!(cause.to_string().ends_with("no memory"), "{cause}");
        assert_eq!(samples.len(), 3);
        assert!(samples.iter().zip(plan.order()).all(|(sample, run)| sample.is_of(&plan, &run)));
    }

    #[test]
    fn no_more_simulations_run_side_by_side_than_there_is_room_for() {
        let plan = |threads: usize, hash| Plan { threads: vec![2, threads], hash, ..fake::plan(Goal::Depth) };
        assert_eq!(places(&plan(16, 64), 64, None), 64);
        assert_eq!(places(&plan(1024, 1), 64, None), 29, "two mappings for each of 1,024 stacks");
        // 72 and 40 MiB each.
        assert_eq!(places(&plan(16, 64), 64, Some(1 << 30)), 9);
        assert_eq!(places(&plan(16, usize::MAX), 64, Some(1 << 30)), 1, "one is tried whatever it needs");
        assert_eq!(places(&Plan { machines: vec![1, 2], ..plan(2, 1) }, 64, None), 1);
    }
}
