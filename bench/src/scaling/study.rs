//! Carrying a plan out.

use super::clock::Clock;
use super::plan::{Plan, Run};
use super::sample::Sample;
use rayon::prelude::*;
use smp::pool::PoolError;

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
) -> Result<Vec<Sample>, PoolError> {
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

/// Searches side by side on all cores, for a clock on which they cannot disturb each other. The samples come in the
/// plan's order whatever the order they were finished in.
///
/// # Errors
/// When memory is not to be had.
pub fn side_by_side(
    plan: &Plan,
    clock: &(impl Clock + Clone + Sync),
    watch: &mut (dyn Watch + Send),
) -> Result<Vec<Sample>, PoolError> {
    let watch = parking_lot::Mutex::new(watch);
    let found: Result<Vec<Option<Sample>>, PoolError> = plan
        .order()
        .par_iter()
        .with_max_len(1)
        .map(|run| {
            let sample = perform(plan, run, &mut clock.clone())?;
            if let Some(sample) = &sample {
                watch.lock().done(sample);
            }
            Ok(sample)
        })
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// A single search of a plan; `None` if the clock was stopped.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn perform(plan: &Plan, run: &Run, clock: &mut dyn Clock) -> Result<Option<Sample>, PoolError> {
    let position = &plan.positions[run.position].position;
    let outcome = clock.search(run, position, plan.limits(run.position))?;
    Ok(outcome.map(|outcome| Sample::new(plan, run, outcome)))
}

/// A search that is not counted, by the largest team at the first position: threads are started, memory is touched, and
/// the processor leaves its rest.
///
/// # Errors
/// When memory or threads are not to be had.
pub fn warm_up(plan: &Plan, clock: &mut dyn Clock) -> Result<(), PoolError> {
    let largest = plan.teams().into_iter().max_by_key(|team| team.all_threads());
    if let (Some(team), false) = (largest, plan.positions.is_empty()) {
        perform(plan, &Run { repeat: 0, position: 0, team }, clock)?;
    }
    Ok(())
}
