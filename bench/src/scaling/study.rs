//! Carrying a plan out.

use super::clock::{Clock, ClockError};
use super::plan::{Plan, Run, Team};
use super::sample::Sample;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use std::io;

/// Hears of every search that is finished.
pub trait Watch {
    /// This search is done.
    fn done(&mut self, sample: &Sample);
}

/// Hears nothing.
impl Watch for () {
    fn done(&mut self, _: &Sample) {}
}

/// One search after the other, as time on the wall asks for. Ends early, with what there is, when the clock is stopped.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn one_by_one(
    plan: &Plan,
    clock: &mut dyn Clock,
    watch: &mut dyn Watch,
) -> Result<Vec<Sample>, ClockError> {
    let mut samples = Vec::new();
    for run in plan.order() {
        match perform(plan, &run, clock)? {
            Some(sample) => {
                watch.done(&sample);
                samples.push(sample);
            }
            None => break,
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

/// Searches side by side in so many places, for a clock on which they cannot disturb each other. The samples
/// come in the plan's order whatever the order they were finished in.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn side_by_side(
    plan: &Plan,
    clock: &(impl Clock + Clone + Sync),
    places: usize,
    watch: &mut (dyn Watch + Send),
) -> Result<Vec<Sample>, ClockError> {
    let pool = ThreadPoolBuilder::new().num_threads(places).build();
    let pool = pool.map_err(|error| ClockError::Thread {
        purpose: "for the simulations",
        cause: io::Error::other(error),
    })?;
    let watch = parking_lot::Mutex::new(watch);
    let search = |run: &Run| -> Result<Option<Sample>, ClockError> {
        let sample = perform(plan, run, &mut clock.clone())?;
        if let Some(sample) = &sample {
            watch.lock().done(sample);
        }
        Ok(sample)
    };
    let found: Result<Vec<Option<Sample>>, ClockError> =
        pool.install(|| plan.order().par_iter().with_max_len(1).map(search).collect());
    Ok(found?.into_iter().flatten().collect())
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
    use crate::scaling::fake;
    use crate::scaling::plan::Goal;

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
