//! What has gone to and come from other ranks: so no entry goes twice, and what is used of theirs can be counted.
//!
//! A plain array by the key's highest bits, where a newcomer replaces what was there. What it has forgotten may be sent
//! again, and its use is not counted: the counts are at least so high. Search threads look here for every deeper entry
//! that they find, so a place is one word.

use engine::tt::Entry;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use sys::slice::{CacheLine, HugeLines};
use thinking::report::Bound;

/// Binary logarithm of the number of places: 4 MiB.
const BITS: u32 = 19;
/// That of the places in a line of the cache.
const WORDS: u32 = 3;

/// A place is one word: of the entry its score, depth and bound, then three flags, the search's number as far as it
/// has room, and of the key its lowest bits, so that one wrong key in eight million is taken for the right one.
const MARKS: u64 = (1 << 26) - 1;
const RECEIVED: u64 = 1 << 26;
const PROBED: u64 = 1 << 27;
const CUT: u64 = 1 << 28;
const FLAGS: u64 = RECEIVED | PROBED | CUT;
const SEARCH: u32 = 29;
const KEY: u32 = 41;

/// How an entry from elsewhere was used for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    /// A search found it.
    pub(crate) probed: bool,
    /// It ended a node.
    pub(crate) cut: bool,
}

/// Entries exchanged.
pub(crate) struct Registry(HugeLines);

impl Default for Registry {
    /// # Panics
    /// When there are not even four megabytes of memory.
    fn default() -> Self {
        Registry(HugeLines::new(1 << (BITS - WORDS)).expect("four megabytes of memory"))
    }
}

/// What tells an entry from another of the same key.
fn marks(entry: &Entry) -> u64 {
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3u64,
    };
    u64::from(entry.score as i16 as u16) | (entry.depth.clamp(0, 255) as u64) << 16 | bound << 24
}

/// How much an entry says: its depth, and then whether its score is exact.
fn weight(state: u64) -> u64 {
    (state >> 16 & 0xff) << 1 | u64::from(state >> 24 & 3 == 3)
}

/// Does an entry say more than another of the same position: is it deeper, or as deep with the exact score?
pub(crate) fn says_more(entry: &Entry, known: &Entry) -> bool {
    weight(marks(entry)) > weight(marks(known))
}

/// The number of the search and the key, as far as a place keeps them.
fn name(search: u64, key: u64) -> u64 {
    key << KEY | (search << SEARCH & ((1 << KEY) - 1))
}

/// Does a place tell of an entry of this name?
fn is_of(place: u64, name: u64) -> bool {
    place & !(MARKS | FLAGS) == name
}

impl Registry {
    fn line(&self, key: u64) -> &CacheLine {
        &self.0[(key >> (64 - BITS + WORDS)) as usize]
    }

    fn place(&self, key: u64) -> &AtomicU64 {
        &self.line(key).0[(key >> (64 - BITS)) as usize % (1 << WORDS)]
    }

    /// The place of this key will soon be read or written.
    pub(crate) fn prefetch(&self, key: u64) {
        sys::prefetch::prefetch(self.line(key));
    }

    /// Is the entry worth sending: has none that says as much of this key been sent or received in this search? If so,
    /// it now counts as sent.
    pub(crate) fn offer(&self, search: u64, key: u64, entry: &Entry) -> bool {
        let place = self.place(key);
        let known = place.load(Relaxed);
        let wanted = !is_of(known, name(search, key)) || weight(known) < weight(marks(entry));
        if wanted {
            place.store(name(search, key) | marks(entry), Relaxed);
        }
        wanted
    }

    /// An entry has come from another rank.
    pub(crate) fn receive(&self, search: u64, key: u64, entry: &Entry) {
        self.place(key).store(name(search, key) | RECEIVED | marks(entry), Relaxed);
    }

    /// This search has found this entry. Says what is new about that if the entry came from another rank in it.
    pub(crate) fn found(&self, search: u64, key: u64, entry: &Entry, cut: bool) -> Use {
        let place = self.place(key);
        let known = place.load(Relaxed);
        if known & !(PROBED | CUT) != name(search, key) | RECEIVED | marks(entry) {
            return Use::default();
        }
        let flags = if cut { PROBED | CUT } else { PROBED };
        let before = place.fetch_or(flags, Relaxed);
        Use { probed: before & PROBED == 0, cut: cut && before & CUT == 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32, bound: Bound) -> Entry {
        Entry { mv: None, score: -31, eval: None, depth, bound, pv: false }
    }

    #[test]
    fn nothing_goes_twice_in_a_search() {
        let registry = Registry::default();
        assert!(registry.offer(1, 77, &entry(9, Bound::Lower)));
        assert!(!registry.offer(1, 77, &entry(9, Bound::Upper)));
        assert!(!registry.offer(1, 77, &entry(8, Bound::Exact)));
        assert!(registry.offer(1, 77, &entry(9, Bound::Exact)), "it says more");
        assert!(registry.offer(1, 77, &entry(10, Bound::Lower)));
        assert!(registry.offer(2, 77, &entry(10, Bound::Lower)), "another search");
        registry.receive(2, 78, &entry(12, Bound::Exact));
        assert!(!registry.offer(2, 78, &entry(12, Bound::Exact)), "the others have it already");
    }

    #[test]
    fn only_what_came_from_elsewhere_counts_as_used_and_only_once() {
        let registry = Registry::default();
        let [theirs, own] = [entry(9, Bound::Lower), entry(10, Bound::Lower)];
        registry.receive(1, 77, &theirs);
        assert_eq!(registry.found(1, 78, &theirs, true), Use::default());
        assert_eq!(registry.found(1, 77, &own, true), Use::default(), "another entry has taken its place");
        assert_eq!(registry.found(2, 77, &theirs, true), Use::default(), "it came in the search before");
        assert_eq!(registry.found(1, 77, &theirs, false), Use { probed: true, cut: false });
        assert_eq!(registry.found(1, 77, &theirs, true), Use { probed: false, cut: true });
        assert_eq!(registry.found(1, 77, &theirs, true), Use::default());
        registry.offer(1, 77, &own);
        assert_eq!(registry.found(1, 77, &own, true), Use::default());
    }
}
