//! The transposition table (M 3.5, table 1 and figure 7; F; B).
//!
//! One probe, unless buckets are asked for: an entry has the position's lock, a move, the height of the
//! subtree that was searched, and what is known of its value as a lower and an upper bound. M's flag is the
//! same knowledge in other words: VALID is two equal bounds, LBOUND and UBOUND one each. A one-bound table
//! forgets the other side when it stores; a two-bound table keeps both as long as they belong to the same
//! height. F asks for that in MTD; it matters where a driver's questions go both ways within an iteration, as
//! those of bisection and MTD(step) do and those of MTD(f) do not.

use crate::node::{INFINITY, Value};

/// What is stored of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored<M> {
    /// The position's key, or the bits of it that the table keeps.
    pub lock: u64,
    /// The move that was best or caused the cut-off.
    pub best: Option<M>,
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
    /// Depth of the subtree behind the bounds, in quarter plies.
    pub height: i32,
}

/// How entries are kept and used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSwitch {
    /// Number of entries, at least 1.
    pub entries: usize,
    /// Keep both bounds of a position.
    pub two_bounds: bool,
    /// Accept entries searched deeper than asked (as M figure 7 does). Finds more and changes values: the
    /// answer is then not the fixed-depth minimax value any more.
    pub deeper: bool,
    /// Use scores to narrow the window or to leave the node; without it only the move is used.
    pub scores: bool,
    /// Entries that share a place, at least 1. The shallowest of them gives way.
    pub bucket: usize,
    /// An entry of greater height never gives way to another position's.
    pub keep_deep: bool,
    /// Bits of the key by which an entry knows its position, 1 to 64. Fewer mistake one for another.
    pub lock_bits: u32,
    /// A position and its mirror image share an entry, in games that have one.
    pub mirror: bool,
    /// The key leaves out whose move it is: a classic fault.
    pub sideless: bool,
}

impl TableSwitch {
    /// A table of this many entries as the sources describe it.
    pub fn of(entries: usize) -> Self {
        Self {
            entries,
            two_bounds: false,
            deeper: false,
            scores: true,
            bucket: 1,
            keep_deep: false,
            lock_bits: 64,
            mirror: false,
            sideless: false,
        }
    }
}

/// A table of fixed size.
#[derive(Clone, Debug)]
pub struct Table<M> {
    slots: Vec<Option<Stored<M>>>,
    switch: TableSwitch,
}

impl<M: Copy> Table<M> {
    /// An empty table.
    pub fn new(switch: TableSwitch) -> Self {
        let entries = switch.entries.max(1).next_multiple_of(switch.bucket.max(1));
        Self { slots: vec![None; entries], switch }
    }

    /// The slots in which this position may be.
    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let size = self.switch.bucket.max(1);
        let first = (key % (self.slots.len() / size) as u64) as usize * size;
        first..first + size
    }

    /// What an entry keeps of a key: its upper bits, since the lower ones say where it lies.
    fn lock(&self, key: u64) -> u64 {
        key >> (64 - self.switch.lock_bits.clamp(1, 64))
    }

    /// The entry of this position, if it is still there.
    pub fn probe(&self, key: u64) -> Option<Stored<M>> {
        let lock = self.lock(key);
        self.slots[self.bucket(key)].iter().flatten().find(|entry| entry.lock == lock).copied()
    }

    /// Do the entry's bounds count for a search of this height?
    pub fn applies(&self, entry: &Stored<M>, height: i32) -> bool {
        let deep_enough = if self.switch.deeper { entry.height >= height } else { entry.height == height };
        self.switch.scores && deep_enough
    }

    /// Writes an entry, whose lock is the whole key yet, over whatever else is in its place. The same
    /// position searched deeper stays, as in M figure 7.
    pub fn store(&mut self, mut new: Stored<M>) {
        let bucket = self.bucket(new.lock);
        new.lock = self.lock(new.lock);
        let own = bucket.clone().find(|&slot| self.slots[slot].is_some_and(|old| old.lock == new.lock));
        let height = |slot: &usize| self.slots[*slot].map_or(i32::MIN, |old| old.height);
        let Some(slot) = own.or_else(|| bucket.min_by_key(height)) else { return };
        if own.is_none() && self.switch.keep_deep && height(&slot) > new.height {
            return;
        }
        if let Some(old) = self.slots[slot].filter(|_| own.is_some()) {
            if old.height > new.height {
                return;
            }
            new.best = new.best.or(old.best);
            let (lower, upper) = (new.lower.max(old.lower), new.upper.min(old.upper));
            // Bounds that contradict each other, as unsafe rules find them, leave the newer.
            if self.switch.two_bounds && old.height == new.height && lower <= upper {
                (new.lower, new.upper) = (lower, upper);
            }
        }
        self.slots[slot] = Some(new);
    }
}

impl<M> Stored<M> {
    /// The entry that a fail-soft result gives: a bound on one side, or both when it lies in the window.
    pub fn from_search(
        lock: u64,
        best: Option<M>,
        value: Value,
        window: (Value, Value),
        height: i32,
    ) -> Self {
        let lower = if value > window.0 { value } else { -INFINITY };
        let upper = if value < window.1 { value } else { INFINITY };
        Self { lock, best, lower, upper, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(two_bounds: bool) -> Table<u8> {
        Table::new(TableSwitch { two_bounds, ..TableSwitch::of(10) })
    }

    #[test]
    fn two_bounds_meet_and_one_bound_forgets() {
        for two_bounds in [true, false] {
            let mut table = table(two_bounds);
            table.store(Stored::from_search(7, Some(1), 30, (29, 30), 8));
            table.store(Stored::from_search(7, None, 30, (30, 31), 8));
            let entry = table.probe(7).unwrap();
            let expected = if two_bounds { (30, 30) } else { (-INFINITY, 30) };
            assert_eq!((entry.lower, entry.upper), expected);
            assert_eq!(entry.best, Some(1), "a result without a move keeps the move");
        }
    }

    #[test]
    fn another_position_in_the_same_place_is_not_mistaken() {
        let mut table = table(true);
        table.store(Stored::from_search(7, Some(1), 30, (0, 50), 8));
        assert!(table.probe(17).is_none());
        table.store(Stored::from_search(17, Some(2), 40, (0, 50), 4));
        assert!(table.probe(7).is_none(), "one place, one entry");
    }

    fn entry(key: u64, height: i32) -> Stored<u8> {
        Stored::from_search(key, Some(1), 30, (0, 50), height)
    }

    #[test]
    fn a_bucket_holds_as_many_as_it_is_wide_and_the_shallowest_goes() {
        let mut table = Table::new(TableSwitch { bucket: 2, ..TableSwitch::of(10) });
        [(7, 8), (17, 4), (27, 6)].into_iter().for_each(|(key, height)| table.store(entry(key, height)));
        assert_eq!([7, 17, 27].map(|key| table.probe(key).is_some()), [true, false, true]);
    }

    #[test]
    fn a_deep_entry_that_is_kept_outlives_shallow_ones() {
        for keep_deep in [false, true] {
            let mut table = Table::new(TableSwitch { keep_deep, ..TableSwitch::of(10) });
            table.store(entry(7, 8));
            table.store(entry(17, 4));
            assert_eq!(table.probe(7).is_some(), keep_deep);
        }
    }

    #[test]
    fn a_short_lock_mistakes_one_position_for_another() {
        // The same place, and the same upper eight bits.
        for (lock_bits, mistaken) in [(64, false), (8, true)] {
            let mut table = Table::new(TableSwitch { lock_bits, ..TableSwitch::of(10) });
            table.store(entry(7, 8));
            assert_eq!(table.probe(17).is_some(), mistaken);
        }
    }

    #[test]
    fn a_deeper_result_is_not_lost_and_not_taken_for_a_shallow_one() {
        let mut table = table(true);
        table.store(Stored::from_search(7, Some(1), 30, (0, 50), 12));
        table.store(Stored::from_search(7, Some(2), 10, (0, 50), 8));
        let entry = table.probe(7).unwrap();
        assert_eq!(entry.height, 12);
        assert!(!table.applies(&entry, 8) && table.applies(&entry, 12));
    }

    #[test]
    fn where_deeper_entries_count_shallower_ones_do_not() {
        let table = Table::<u8>::new(TableSwitch { deeper: true, ..TableSwitch::of(10) });
        let stored = entry(7, 8);
        assert_eq!([4, 8, 12].map(|height| table.applies(&stored, height)), [true, true, false]);
    }
}
