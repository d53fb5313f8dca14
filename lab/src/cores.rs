//! The same work on many trees at once, on all cores.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// What `one` makes of each item, in their order.
pub(crate) fn on_all_cores<T: Sync, R: Send>(items: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    count_off(items.len(), &|index| {
        let result = one(&items[index]);
        *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    results
        .into_iter()
        .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// The same, but no more than `most` of them are worked on at once.
pub(crate) fn on_some_cores<T: Sync, R: Send>(
    items: &[T],
    most: usize,
    one: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if most >= cores() {
        return on_all_cores(items, one);
    }
    items.chunks(most.max(1)).flat_map(|some| on_all_cores(some, &one)).collect()
}

/// How many of the items are worked on at once.
pub(crate) fn cores() -> usize {
    rayon::current_num_threads().max(1)
}

/// Calls `work` with every number below `count`. Compiled once: the machinery of a parallel loop for each kind of
/// tree and result was half of what this crate compiles.
fn count_off(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        let squares: Vec<u64> = items.iter().map(|n| n * n).collect();
        assert_eq!(on_all_cores(&items, |n| n * n), squares);
        assert!(on_all_cores(&[] as &[u64], |n| n * n).is_empty());
    }

    #[test]
    fn no_more_items_are_worked_on_at_once_than_asked_for() {
        let items: Vec<u64> = (0..200).collect();
        let squares: Vec<u64> = items.iter().map(|n| n * n).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        for most in [1, 3, 8, 1000] {
            let (now, highest) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let found = pool.install(|| {
                on_some_cores(&items, most, |n| {
                    highest.fetch_max(1 + now.fetch_add(1, SeqCst), SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(1, SeqCst);
                    n * n
                })
            });
            assert_eq!(found, squares);
            assert!(highest.into_inner() <= most.min(8), "at most {most}");
        }
        assert_eq!(pool.install(|| on_some_cores(&items, 0, |n| n * n)), squares, "one is tried in any case");
    }
}
