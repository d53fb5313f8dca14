//! What has gone to and come from other ranks: so no entry goes twice, and what is used of theirs can be counted.
//!
//! A plain array by the key's highest bits, where a newcomer replaces what was there. What it has forgotten may be sent
//! again, and its use is not counted: the counts are at least so high.

use engine::tt::Entry;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use thinking::report::Bound;

/// Binary logarithm of the number of places: 4 MiB.
const BITS: u32 = 18;

const RECEIVED: u64 = 1 << 32;
const PROBED: u64 = 1 << 33;
const CUT: u64 = 1 << 34;

/// A key, and in one word: score, depth, bound, three flags, and the search's number.
#[derive(Default)]
struct Place {
    key: AtomicU64,
    state: AtomicU64,
}

/// How an entry from elsewhere was used for the first time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    /// A search found it.
    pub(crate) probed: bool,
    /// It ended a node.
    pub(crate) cut: bool,
}

/// Entries exchanged.
pub(crate) struct Registry(Box<[Place]>);

impl Default for Registry {
    fn default() -> Self {
        Registry((0..1 << BITS).map(|_| Place::default()).collect())
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

fn search_of(search: u64) -> u64 {
    (search & 0xffff) << 48
}

impl Registry {
    fn place(&self, key: u64) -> &Place {
        &self.0[(key >> (64 - BITS)) as usize]
    }

    /// Is the entry worth sending: has none that says as much of this key been sent or received in this search?
    pub(crate) fn wants(&self, search: u64, key: u64, entry: &Entry) -> bool {
        let place = self.place(key);
        let known = place.state.load(Relaxed);
        let same = place.key.load(Relaxed) == key && known >> 48 == search_of(search) >> 48;
        !same || weight(known) < weight(marks(entry))
    }

    /// The same; an entry worth sending now counts as sent.
    pub(crate) fn offer(&self, search: u64, key: u64, entry: &Entry) -> bool {
        let wanted = self.wants(search, key, entry);
        if wanted {
            let place = self.place(key);
            place.key.store(key, Relaxed);
            place.state.store(marks(entry) | search_of(search), Relaxed);
        }
        wanted
    }

    /// An entry has come from another rank.
    pub(crate) fn receive(&self, search: u64, key: u64, entry: &Entry) {
        let place = self.place(key);
        place.key.store(key, Relaxed);
        place.state.store(marks(entry) | search_of(search) | RECEIVED, Relaxed);
    }

    /// This search has found this entry. Says what is new about that if the entry came from another rank in it.
    pub(crate) fn found(&self, search: u64, key: u64, entry: &Entry, cut: bool) -> Use {
        let place = self.place(key);
        let state = place.state.load(Relaxed);
        let ours = place.key.load(Relaxed) != key || state & RECEIVED == 0;
        let older = state >> 48 != search_of(search) >> 48;
        if ours || older || state & 0x03ff_ffff != marks(entry) {
            return Use::default();
        }
        let flags = if cut { PROBED | CUT } else { PROBED };
        let before = place.state.fetch_or(flags, Relaxed);
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
        assert!((0..2).all(|_| registry.wants(1, 77, &entry(9, Bound::Lower))), "a look is no offer");
        assert!(registry.offer(1, 77, &entry(9, Bound::Lower)));
        assert!(!registry.wants(1, 77, &entry(9, Bound::Lower)));
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
