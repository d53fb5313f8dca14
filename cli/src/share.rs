//! Sharing numbered pieces of work among threads, with the results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;

/// Makes the result of a number; `None` when it has to stop.
pub type Maker<'m, T> = Box<dyn FnMut(usize) -> Option<T> + Send + 'm>;

/// Has the results of the numbers below `count` made, each maker on a thread of its own, and hands them on in
/// order. Ends with the first that is missing when the makers have stopped.
pub fn in_order<T: Send>(count: usize, makers: Vec<Maker<'_, T>>, mut sink: impl FnMut(T)) {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for mut make in makers {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
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
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        for (number, made) in receive {
            waiting.insert(number, made);
            while let Some(made) = waiting.remove(&wanted) {
                sink(made);
                wanted += 1;
            }
        }
    });
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
        in_order(100, squares(100), |square| all.push(square));
        in_order(100, squares(40), |square| some.push(square));
        assert_eq!(all, (0..100).map(|n| n * n).collect::<Vec<_>>());
        assert_eq!(some, (0..40).map(|n| n * n).collect::<Vec<_>>());
    }
}
