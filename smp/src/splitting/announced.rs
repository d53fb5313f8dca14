//! Words by which workers that act at the same moment find out about each other.
//!
//! One says that it is about to sleep, and then looks whether there is work; another brings work, and then looks
//! whether any sleeps. If each changes its own word before it reads the other's, at least one of the two finds the
//! other, and no wake-up is lost. But a processor may read the other's word while its own change still waits to be
//! written. It does not where all changes and all looks have one order for all workers (sequential consistency), and
//! these words are for what needs that.

use crate::sync::atomic::{AtomicU64, Ordering, Ordering::SeqCst};

/// An atomic word. A trait only so that [`Announced`] can be model-checked with loom's word.
pub(super) trait Word {
    fn get(&self, order: Ordering) -> u64;

    /// Beyond the last number it begins again at 0.
    fn add(&self, number: u64, order: Ordering);

    /// Clears all bits but these.
    fn keep(&self, bits: u64, order: Ordering);

    /// Puts what `change` makes of it in its place, and returns what it was; `None` if it makes nothing of it.
    fn change(&self, order: Ordering, change: impl Fn(u64) -> Option<u64>) -> Option<u64>;
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn get(&self, order: Ordering) -> u64 {
        self.load(order)
    }

    #[inline(always)]
    fn add(&self, number: u64, order: Ordering) {
        self.fetch_add(number, order);
    }

    #[inline(always)]
    fn keep(&self, bits: u64, order: Ordering) {
        self.fetch_and(bits, order);
    }

    #[inline(always)]
    fn change(&self, order: Ordering, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        self.fetch_update(order, order, change).ok()
    }
}

/// A word that a worker changes before it looks at those of others, and looks at after it has changed its own.
#[derive(Default)]
pub(super) struct Announced<W = AtomicU64>(W);

impl<W: Word> Announced<W> {
    #[inline(always)]
    pub(super) fn get(&self) -> u64 {
        self.0.get(SeqCst)
    }

    #[inline(always)]
    pub(super) fn increment(&self) {
        self.0.add(1, SeqCst);
    }

    #[inline(always)]
    pub(super) fn decrement(&self) {
        self.0.add(u64::MAX, SeqCst);
    }

    /// See [`Word::keep`].
    #[inline(always)]
    pub(super) fn keep(&self, bits: u64) {
        self.0.keep(bits, SeqCst);
    }

    /// See [`Word::change`].
    #[inline(always)]
    pub(super) fn change(&self, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        self.0.change(SeqCst, change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::atomic::AtomicU64 as Modelled;
    use loom::thread;
    use std::sync::Arc;
    use std::sync::atomic::Ordering::{Acquire, Release};

    /// loom's own, for which sequentially consistent operations only acquire and release.
    impl Word for Modelled {
        fn get(&self, order: Ordering) -> u64 {
            self.load(order)
        }

        fn add(&self, number: u64, order: Ordering) {
            self.fetch_add(number, order);
        }

        fn keep(&self, bits: u64, order: Ordering) {
            self.fetch_and(bits, order);
        }

        fn change(&self, order: Ordering, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
            self.fetch_update(order, order, change).ok()
        }
    }

    /// Whatever is sequentially consistent also passes a gate that all words share, a change behind itself and a look
    /// before. So a look finds every change that has passed before it, and any other order lets it miss some.
    struct Ordered {
        word: Modelled,
        gate: Arc<Modelled>,
    }

    impl Ordered {
        fn pass(&self, order: Ordering, way: Ordering) {
            if order == SeqCst {
                self.gate.fetch_add(1, way);
            }
        }
    }

    impl Word for Ordered {
        fn get(&self, order: Ordering) -> u64 {
            self.pass(order, Acquire);
            self.word.get(order)
        }

        fn add(&self, number: u64, order: Ordering) {
            self.word.add(number, order);
            self.pass(order, Release);
        }

        fn keep(&self, bits: u64, order: Ordering) {
            self.word.keep(bits, order);
            self.pass(order, Release);
        }

        fn change(&self, order: Ordering, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
            let before = self.word.change(order, change);
            self.pass(order, Release);
            before
        }
    }

    fn ordered() -> [Ordered; 2] {
        let gate = Arc::new(Modelled::new(0));
        [(); 2].map(|()| Ordered { word: Modelled::new(1), gate: Arc::clone(&gate) })
    }

    fn weak() -> [Modelled; 2] {
        [(); 2].map(|()| Modelled::new(1))
    }

    /// Two workers each change a word of their own, which is 1, and then look at the other's. Every schedule is tried,
    /// and every number that a look may find on any processor.
    fn meet<W: Word + Send + Sync + 'static>(words: fn() -> [W; 2], changes: [fn(&Announced<W>); 2]) {
        loom::model(move || {
            let words = Arc::new(words().map(Announced));
            let other = {
                let words = Arc::clone(&words);
                thread::spawn(move || {
                    changes[1](&words[1]);
                    words[0].get()
                })
            };
            changes[0](&words[0]);
            let found = words[1].get();
            let found = [found, other.join().expect("no panic")];
            assert_ne!(found, [1, 1], "neither finds the other");
        });
    }

    /// A worker that falls asleep is counted, and a point that opens is entered on a card.
    fn sleeper_and_opener<W: Word + Send + Sync + 'static>(words: fn() -> [W; 2]) {
        meet(words, [Announced::increment, |card| _ = card.change(|card| Some(card | 2))]);
    }

    /// A worker that waits at a point is counted. Another leaves the point, or passes on the turn, which only counts.
    fn waiter_and_leaver<W: Word + Send + Sync + 'static>(words: fn() -> [W; 2]) {
        meet(words, [Announced::increment, |seats| _ = seats.change(|seats| Some(seats - 1))]);
        meet(words, [Announced::increment, Announced::increment]);
    }

    #[test]
    fn a_sleeper_and_an_opener_find_each_other() {
        sleeper_and_opener(ordered);
    }

    #[test]
    fn a_waiter_and_a_leaver_find_each_other() {
        waiter_and_leaver(ordered);
    }

    /// The model can fail: each may look before the other's change is written.
    #[test]
    #[should_panic(expected = "neither finds the other")]
    fn the_model_sees_a_sleeper_and_an_opener_miss_each_other() {
        sleeper_and_opener(weak);
    }

    #[test]
    #[should_panic(expected = "neither finds the other")]
    fn the_model_sees_a_waiter_and_a_leaver_miss_each_other() {
        waiter_and_leaver(weak);
    }
}
