//! The transposition table under threads: a model of one slot, explored exhaustively by loom, and a hammer test in
//! which every entry describes itself, so that a torn one is seen.

use crate::modelled::Modelled;
use chess::Move;
use engine::tt::{Entry, Slot, Table, Word};
use std::sync::Arc;
use thinking::report::Bound;

/// Two entries of different positions. No XOR of three of the four numbers gives the fourth.
const ENTRIES: [(u64, u64); 2] = [(0x51, 0x0700), (0x8a, 0x3000)];

/// Two threads store `entries` in one slot while a third reads by the key of the first.
fn race(
    entries: [(u64, u64); 2],
    store: fn(Slot<'_, Modelled>, u64, u64),
    load: fn(Slot<'_, Modelled>, u64) -> Option<u64>,
) {
    loom::model(move || {
        let words = Arc::new([Modelled::default(), Modelled::default()]);
        fn slot(words: &[Modelled; 2]) -> Slot<'_, Modelled> {
            Slot { check: &words[0], data: &words[1] }
        }
        let writers = entries.map(|(key, data)| {
            let words = Arc::clone(&words);
            loom::thread::spawn(move || store(slot(&words), key, data))
        });
        let key = entries[0].0;
        if let Some(data) = load(slot(&words), key) {
            assert!(entries.contains(&(key, data)), "torn: key {key:x} with data {data:x}");
        }
        for writer in writers {
            writer.join().unwrap();
        }
    });
}

#[test]
fn two_positions_in_one_slot_are_never_mixed() {
    race(ENTRIES, |slot, key, data| slot.store(key, data), |slot, key| slot.load(key));
}

#[test]
fn two_results_of_one_position_are_never_mixed() {
    let same = [(0x51, 0x0700), (0x51, 0x3000)];
    race(same, |slot, key, data| slot.store(key, data), |slot, key| slot.load(key));
}

/// The model can fail: without the XOR it finds the tear.
#[test]
#[should_panic(expected = "torn")]
fn the_model_sees_a_torn_slot() {
    let plain = |slot: Slot<'_, Modelled>, key, data| {
        slot.check.put(key);
        slot.data.put(data);
    };
    race(ENTRIES, plain, |slot, key| {
        let data = slot.data.get();
        (slot.check.get() == key && data != 0).then_some(data)
    });
}

/// The one entry that belongs to a key: every field follows from it.
fn described(key: u64) -> Entry {
    let bound = [Bound::Upper, Bound::Lower, Bound::Exact][(key % 3) as usize];
    Entry {
        mv: Move::from_bits((key >> 3) as u16 | 1),
        score: (key >> 7) as i32 % 30_000,
        eval: (!key.is_multiple_of(5)).then_some((key >> 11) as i32 % 30_000),
        depth: (key >> 17) as i32 & 127,
        bound,
        pv: key & 0x1000 != 0,
    }
}

/// A pseudo-random sequence (splitmix64, Steele et al. 2014): cheap enough to leave the threads to the table.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Four threads on one cache line: every hit is the entry of its key, whole.
#[test]
fn every_hit_under_the_hammer_is_consistent() {
    const OPERATIONS: usize = 2_000_000;
    let table = Table::new(0).unwrap();
    let keys: Vec<u64> = (1..=12).map(|mut seed| next(&mut seed)).collect();
    let hits: usize = std::thread::scope(|scope| {
        let hammers: Vec<_> = (0..4u64)
            .map(|thread| {
                let (table, keys) = (&table, &keys);
                scope.spawn(move || {
                    let mut random = thread << 32;
                    let mut hits = 0;
                    for _ in 0..OPERATIONS {
                        let number = next(&mut random);
                        let key = keys[(number % keys.len() as u64) as usize];
                        let whole = described(key);
                        match number >> 60 {
                            // A result without a move keeps the move that is there.
                            0..4 => table.store(key, Entry { mv: None, ..whole }),
                            4..8 => table.store(key, whole),
                            8 => table.grow_older(),
                            _ => {
                                if let Some(found) = table.probe(key) {
                                    let mv = found.mv.and(whole.mv);
                                    assert_eq!(found, Entry { mv, ..whole }, "key {key:x}");
                                    hits += 1;
                                }
                            }
                        }
                    }
                    hits
                })
            })
            .collect();
        hammers.into_iter().map(|hammer| hammer.join().unwrap()).sum()
    });
    assert!(hits > OPERATIONS / 10, "only {hits} hits: the test tests nothing");
}
