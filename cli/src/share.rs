//! Sharing numbered pieces of work among threads, with the results in order or as they are made.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::{self, Builder};

/// Makes the result of a number; `None` when it has to stop.
pub type Maker<'m, T> = Box<dyn FnMut(usize) -> Option<T> + Send + 'm>;

/// Has the results of the numbers below `count` made, each maker on a thread of its own, and hands them on in
/// order. Ends with the first that is missing when the makers have stopped. It is an error if the system gives no
/// thread at all.
pub fn in_order<T: Send>(count: usize, makers: Vec<Maker<'_, T>>, mut sink: impl FnMut(T)) -> io::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut wanted = 0;
    as_made(count, makers, |number, made| {
        waiting.insert(number, made);
        while let Some(made) = waiting.remove(&wanted) {
            sink(made);
            wanted += 1;
        }
    })
}

/// The same, but hands each on as soon as it is made, with its number. They are begun in order.
pub fn as_made<T: Send>(
    count: usize,
    makers: Vec<Maker<'_, T>>,
    mut sink: impl FnMut(usize, T),
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        let (mut started, mut refused) = (0, Ok(()));
        for mut make in makers {
            let (send, next) = (send.clone(), &next);
            let work = move || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= count {
                        break;
                    }
                    let Some(made) = make(number) else { break };
                    if send.send((number, made)).is_err() {
                        break;
                    }
                }
            };
            // The others do the work of one that has no thread.
            match Builder::new().spawn_scoped(scope, work) {
                Ok(_) => started += 1,
                Err(error) => refused = Err(error),
            }
        }
        drop(send);
        for (number, made) in receive {
            sink(number, made);
        }
        if started > 0 { Ok(()) } else { refused }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_end_before_a_gap() {
        let squares = |most: usize| -> Vec<Maker<'static, usize>> {
            (0..4).map(|_| Box::new(move |n| (n < most).then_some(n * n)) as Maker<'static, usize>).collect()
        };
        let (mut all, mut some) = (Vec::new(), Vec::new());
        in_order(100, squares(100), |square| all.push(square)).expect("threads can be started");
        in_order(100, squares(40), |square| some.push(square)).expect("threads can be started");
        assert_eq!(all, (0..100).map(|n| n * n).collect::<Vec<_>>());
        assert_eq!(some, (0..40).map(|n| n * n).collect::<Vec<_>>());
    }

    #[test]
    fn results_as_they_are_made_have_their_numbers() {
        let odd = || Box::new(|n: usize| Some((n % 2 == 1).then_some(n * n))) as Maker<'_, Option<usize>>;
        let mut found = Vec::new();
        let shared = as_made(100, vec![odd(), odd(), odd()], |number, made| found.push((number, made)));
        shared.expect("threads can be started");
        found.sort_unstable();
        assert_eq!(found, (0..100).map(|n| (n, (n % 2 == 1).then_some(n * n))).collect::<Vec<_>>());
    }
}
