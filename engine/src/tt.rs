//! The transposition table that all threads share.
//!
//! A slot is two 64-bit words, `key ^ data` and `data`, read and written with relaxed atomics and nothing
//! else (Hyatt and Mann 2002, "A lockless transposition table"): if two threads write a slot at once, the
//! halves no longer fit together, the XOR gives a wrong key and the slot reads as empty. No field of an
//! entry can ever come from another entry. Four slots share one cache line, so a probe costs one memory
//! access.
//!
//! ```text
//! data  63    56 | 55  51 | 50   | 49  48 | 47   32 | 31   16 | 15    0
//!       depth    | age    | pv   | bound  | eval    | score   | move
//! ```
//!
//! A slot without a bound holds a static evaluation alone: that of a position whose node was left before
//! any move was searched, or is being searched.
//!
//! Storage and value are different types: [`Slot`] is the two atomics, [`Entry`] the owned value everyone
//! works on. The move of an entry may stem from another position with the same key: the caller that plays it
//! checks it first.

use chess::{Move, PieceKind, Position};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use sys::slice::{AllocError, CacheLine, HugeLines};
use thinking::report::Bound;
use thinking::score::{Score, WIN_BOUND};

/// Plies without a capture or pawn move from which on the table tells positions apart by their number...
const CLOCK_MATTERS: u32 = 14;
/// ...and how many of these numbers it takes for one.
const CLOCK_STEP: u32 = 8;

/// The key by which the table knows a position. Its score depends on how near the fifty-move rule is, so that the same
/// squares under another clock are another entry (as in Stockfish, whose steps these are).
#[inline]
pub fn table_key(position: &Position) -> u64 {
    position.key() ^ clock_key(position.halfmove_clock())
}

/// The key that most moves lead to, quickly (see [`Position::likely_key_after`]).
#[inline]
pub(crate) fn likely_key_after(position: &Position, mv: Move) -> u64 {
    let (key, clock) = (position.likely_key_after(mv), position.halfmove_clock() + 1);
    let is_zeroing = || position.is_capture(mv) || position.kind_on(mv.from()) == Some(PieceKind::Pawn);
    if clock < CLOCK_MATTERS || is_zeroing() { key } else { key ^ clock_key(clock) }
}

#[inline]
fn clock_key(clock: u32) -> u64 {
    match clock.checked_sub(CLOCK_MATTERS) {
        None => 0,
        // Any odd factor with bits everywhere: the golden ratio's.
        Some(over) => u64::from(over / CLOCK_STEP + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}

/// One 64-bit word of shared memory. A trait only so that what is built of it (slots, node counters) can be
/// model-checked with loom's word.
pub trait Word {
    /// Relaxed load.
    fn get(&self) -> u64;
    /// Relaxed store.
    fn put(&self, value: u64);
}

impl Word for AtomicU64 {
    #[inline]
    fn get(&self) -> u64 {
        self.load(Relaxed)
    }
    #[inline]
    fn put(&self, value: u64) {
        self.store(value, Relaxed);
    }
}

/// Two words that hold one entry.
pub struct Slot<'a, W> {
    /// `key ^ data`.
    pub check: &'a W,
    /// The packed entry; zero when empty.
    pub data: &'a W,
}

// Derived, they would ask the same of the word.
impl<W> Copy for Slot<'_, W> {}
impl<W> Clone for Slot<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W: Word> Slot<'_, W> {
    /// The data stored under exactly this key, unless it is torn or another's.
    #[inline]
    pub fn load(self, key: u64) -> Option<u64> {
        let data = self.data.get();
        (self.check.get() ^ data == key && data != 0).then_some(data)
    }

    /// Stores non-zero data under a key.
    #[inline]
    pub fn store(self, key: u64, data: u64) {
        self.check.put(key ^ data);
        self.data.put(data);
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, or the one that refuted.
    pub mv: Option<Move>,
    /// Score from the view of the side to move; mates and wins by tablebase counted from this position, not
    /// from the root.
    pub score: Score,
    /// Static evaluation, if it was made.
    pub eval: Option<Score>,
    /// Depth searched in plies, at least 0 (0 is quiescence).
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
    /// Was it on a principal variation?
    pub pv: bool,
}

/// What the table knows of a position: an entry, or its static evaluation alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// What a search has found out.
    pub entry: Option<Entry>,
    /// Static evaluation, if it was made.
    pub eval: Option<Score>,
}

/// The bits of an entry's move.
const MOVE_BITS: u64 = 0xffff;
/// Stands for "no evaluation" in the sixteen bits of one.
const NO_EVAL: i16 = i16::MIN;
const AGES: u8 = 32;

impl Entry {
    /// The entry in one word, as of a search of this age; 0 is as good as any outside a table.
    pub fn pack(&self, age: u8) -> u64 {
        let bound = match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        u64::from(self.mv.map_or(0, Move::bits))
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval.map_or(NO_EVAL, |eval| eval as i16) as u16) << 32
            | bound << 48
            | u64::from(self.pv) << 50
            | u64::from(age % AGES) << 51
            | (self.depth.clamp(0, 255) as u64) << 56
    }

    /// Never fails: every bit pattern with a bound is some entry. `None` without a bound.
    pub fn unpack(data: u64) -> Option<Self> {
        let bound = match data >> 48 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry {
            mv: Move::from_bits(data as u16),
            score: Score::from((data >> 16) as u16 as i16),
            eval: eval_of(data),
            depth: (data >> 56) as i32,
            bound,
            pv: data >> 50 & 1 != 0,
        })
    }
}

impl Known {
    #[inline]
    fn unpack(data: u64) -> Self {
        Known { entry: Entry::unpack(data), eval: eval_of(data) }
    }
}

/// A static evaluation alone: no bound, no move, no depth. Never zero, which would be an empty slot.
fn pack_eval(eval: Score, age: u8) -> u64 {
    let nothing = Entry {
        mv: None,
        score: Score::from(NO_EVAL),
        eval: Some(eval),
        depth: 0,
        bound: Bound::Upper,
        pv: false,
    };
    nothing.pack(age) & !(3 << 48)
}

fn eval_of(data: u64) -> Option<Score> {
    let eval = (data >> 32) as u16 as i16;
    (eval != NO_EVAL).then_some(Score::from(eval))
}

fn age_of(data: u64) -> u8 {
    (data >> 51) as u8 % AGES
}

fn depth_of(data: u64) -> i32 {
    (data >> 56) as i32
}

/// A score as it is stored: mates, and wins by tablebase, counted from this position instead of from the root.
#[inline]
pub fn to_table(score: Score, ply: usize) -> Score {
    if score >= WIN_BOUND {
        score + ply as Score
    } else if score <= -WIN_BOUND {
        score - ply as Score
    } else {
        score
    }
}

/// A stored score as the search at `ply` needs it.
#[inline]
pub fn from_table(score: Score, ply: usize) -> Score {
    if score >= WIN_BOUND {
        score - ply as Score
    } else if score <= -WIN_BOUND {
        score + ply as Score
    } else {
        score
    }
}

/// The shared table. Its size is fixed: another size is another table.
pub struct Table {
    lines: HugeLines,
    age: AtomicU8,
}

impl Table {
    /// An empty table of `mib` mebibytes (0 gives the smallest table, one line). The memory is not touched yet:
    /// [`Table::clear_part`] lets the threads that will use it do that.
    ///
    /// # Errors
    /// When the system does not have the memory.
    pub fn new(mib: usize) -> Result<Self, AllocError> {
        let lines = HugeLines::new(mib.saturating_mul((1 << 20) / size_of::<CacheLine>()).max(1))?;
        Ok(Table { lines, age: AtomicU8::new(0) })
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.lines.len() * size_of::<CacheLine>()
    }

    /// Empties part `part` of `parts`, so that several threads can clear, and first touch, their own shares.
    pub fn clear_part(&self, part: usize, parts: usize) {
        let share = |n: usize| self.lines.len() * n / parts.max(1);
        for line in &self.lines[share(part)..share(part + 1)] {
            line.0.iter().for_each(|word| word.put(0));
        }
    }

    /// Empties the table from the calling thread.
    pub fn clear(&self) {
        self.clear_part(0, 1);
    }

    /// A new search begins: what older ones stored is worth less from now on.
    pub fn grow_older(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// How many cache lines it has.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The number of the line in which the entry of this key lies, below [`Self::line_count`].
    #[inline]
    pub fn line_number(&self, key: u64) -> usize {
        // The high half of key * length is uniform over the lines for any length (Lemire 2016).
        ((u128::from(key) * self.lines.len() as u128) >> 64) as usize
    }

    #[inline]
    fn line(&self, key: u64) -> &CacheLine {
        &self.lines[self.line_number(key)]
    }

    /// Asks the processor to bring the line of this key closer.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        sys::prefetch::prefetch(self.line(key));
    }

    /// What the table knows of this key.
    #[inline]
    pub fn known(&self, key: u64) -> Known {
        slots(self.line(key))
            .into_iter()
            .find_map(|slot| slot.load(key))
            .map_or(Known::default(), Known::unpack)
    }

    /// The entry of this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.known(key).entry
    }

    /// Remembers an entry. An entry without a move keeps the move known for the position; a much shallower
    /// bound does not replace a deep entry of the same position, to which it leaves its move; otherwise the
    /// oldest and shallowest slot goes.
    pub fn store(&self, key: u64, entry: Entry) {
        store_in(slots(self.line(key)), key, entry, self.age.load(Relaxed));
    }

    /// Remembers the static evaluation of a position of which the table knows nothing. It is the first to go.
    pub fn store_eval(&self, key: u64, eval: Score) {
        let age = self.age.load(Relaxed);
        if let (slot, None) = slot_for(slots(self.line(key)), key, age) {
            slot.store(key, pack_eval(eval, age));
        }
    }

    /// Share of the table that the present search has filled, per mille (from the first thousand entries). Entries that
    /// are left of the search 32 before it, whose age it has, count as well.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = &self.lines[..self.lines.len().min(250)];
        let used = sample
            .iter()
            .flat_map(slots)
            .filter(|slot| Some(slot.data.get()).is_some_and(|data| data != 0 && age_of(data) == age))
            .count();
        (used * 1000 / (sample.len() * 4)) as u32
    }
}

/// The four slots of a line.
#[inline]
fn slots(line: &CacheLine) -> [Slot<'_, AtomicU64>; 4] {
    let words = &line.0;
    std::array::from_fn(|i| Slot { check: &words[2 * i], data: &words[2 * i + 1] })
}

/// See [`Table::store`]. The slot's data is read once: a moment later it may be another position's.
#[inline]
fn store_in<W: Word>(slots: [Slot<'_, W>; 4], key: u64, mut entry: Entry, age: u8) {
    let (slot, own) = slot_for(slots, key, age);
    let Some(data) = own else { return slot.store(key, entry.pack(age)) };
    if entry.mv.is_none() {
        entry.mv = Move::from_bits(data as u16);
    }
    let keeps = entry.bound != Bound::Exact && age_of(data) == age && depth_of(data) > entry.depth + 4;
    let kept = data & !MOVE_BITS | u64::from(entry.mv.map_or(0, Move::bits));
    slot.store(key, if keeps { kept } else { entry.pack(age) });
}

/// The slot for this key: its own and what it holds, or the one that is empty or whose entry is worth least.
#[inline]
fn slot_for<W: Word>(slots: [Slot<'_, W>; 4], key: u64, age: u8) -> (Slot<'_, W>, Option<u64>) {
    let mut victim = slots[0];
    let mut least = i32::MAX;
    for slot in slots {
        let data = slot.data.get();
        if data != 0 && slot.check.get() ^ data == key {
            return (slot, Some(data));
        }
        let years = i32::from((age + AGES - age_of(data)) % AGES);
        let worth = if data == 0 { i32::MIN } else { depth_of(data) - 4 * years };
        if worth < least {
            (victim, least) = (slot, worth);
        }
    }
    (victim, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    fn entry(depth: i32, score: Score, bound: Bound) -> Entry {
        Entry { mv: Move::from_bits(0x0a11), score, eval: Some(-17), depth, bound, pv: false }
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(
            mv: u16, score in -32_000..=32_000, eval in prop::option::of(-32_000..=32_000),
            depth in 0..=255, pv: bool, age in 0u8..32, bound in 0..3,
        ) {
            let bound = [Bound::Upper, Bound::Lower, Bound::Exact][bound as usize];
            let entry = Entry { mv: Move::from_bits(mv), score, eval, depth, bound, pv };
            let data = entry.pack(age);
            prop_assert_eq!(Entry::unpack(data), Some(entry));
            prop_assert_eq!(age_of(data), age);
        }

        #[test]
        fn an_evaluation_alone_is_no_entry(eval in -32_000..=32_000, age in 0u8..32) {
            let data = pack_eval(eval, age);
            prop_assert!(data != 0);
            prop_assert_eq!(Known::unpack(data), Known { entry: None, eval: Some(eval) });
            prop_assert_eq!((age_of(data), depth_of(data)), (age, 0));
        }

        #[test]
        fn any_data_unpacks_without_panic(data: u64) {
            let _ = Known::unpack(data);
        }
    }

    /// Against playing the move, after any number of plies without a capture or pawn move. Castling, promotions and en
    /// passant, which the likely key leaves out, are not among the moves.
    #[test]
    fn the_likely_key_is_that_of_the_table() {
        let boards = [
            "r2q1rk1/1pp2ppp/p1n2n2/3pp1B1/3PP1b1/2N2N2/1PP2PPP/R2Q1RK1 w - -",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - -",
        ];
        for (board, clock) in boards.into_iter().flat_map(|board| (0..100).map(move |clock| (board, clock))) {
            let position = Position::from_fen(&format!("{board} {clock} 90")).expect("a legal FEN");
            let mut seen = 0;
            for mv in position.legal_moves() {
                let after = position.after(mv);
                if after.ep_square().is_none() {
                    assert_eq!(likely_key_after(&position, mv), table_key(&after), "{mv} in {position}");
                    seen += 1;
                }
            }
            assert!(seen > 10, "only {seen} moves in {position}");
        }
    }

    #[test]
    fn mates_are_stored_from_the_position() {
        use thinking::score::{lost_at, mate_in, mated_in, won_at};
        for ply in [0, 3, 40] {
            for score in [mate_in(ply + 2), mated_in(ply + 5), won_at(ply + 3), lost_at(ply), 250] {
                assert_eq!(from_table(to_table(score, ply), ply), score);
            }
        }
        assert_eq!(to_table(mate_in(7), 4), mate_in(3));
        assert_eq!(to_table(lost_at(7), 4), lost_at(3));
    }

    #[test]
    fn replacement_keeps_the_deep_and_the_young() {
        let table = Table::new(0).unwrap(); // one line: every key shares it
        for key in 1..=4 {
            table.store(key, entry(key as i32 * 10, 5, Bound::Exact));
        }
        table.store(5, entry(3, 5, Bound::Exact));
        assert!(table.probe(1).is_none() && table.probe(2).is_some() && table.probe(5).is_some());
        for _ in 0..6 {
            table.grow_older();
        }
        table.store(6, entry(1, 5, Bound::Exact));
        table.store(7, entry(1, 5, Bound::Exact));
        assert!(table.probe(4).is_some() && table.probe(6).is_some() && table.probe(7).is_some());
        assert!(table.probe(5).is_none() && table.probe(2).is_none());
    }

    /// By hand: three searches later an entry of depth 20 is worth 20 - 3 * 4, less than a new one of depth 15, though
    /// the ages have begun again at 0 meanwhile.
    #[test]
    fn what_is_old_gives_way_when_ages_begin_again() {
        let table = Table::new(0).unwrap(); // one line: every key shares it
        (1..AGES).for_each(|_| table.grow_older());
        (1..=4).for_each(|key| table.store(key, entry(20, 5, Bound::Exact)));
        (0..3).for_each(|_| table.grow_older());
        [5, 6].into_iter().for_each(|key| table.store(key, entry(15, 5, Bound::Exact)));
        assert!([3, 4, 5, 6].into_iter().all(|key| table.probe(key).is_some()));
    }

    #[test]
    fn a_bound_without_a_move_keeps_the_move() {
        let table = Table::new(1).unwrap();
        table.store(99, entry(5, 40, Bound::Lower));
        table.store(99, Entry { mv: None, ..entry(6, 10, Bound::Upper) });
        let found = table.probe(99).unwrap();
        assert_eq!((found.mv, found.score, found.depth), (Move::from_bits(0x0a11), 10, 6));
        table.store(99, Entry { mv: Move::from_bits(0x0b22), ..entry(1, 0, Bound::Lower) });
        let found = table.probe(99).unwrap();
        assert_eq!((found.score, found.depth), (10, 6), "a much shallower bound does not replace");
        assert_eq!(found.mv, Move::from_bits(0x0b22), "but its move is the newer");
        table.store(99, entry(1, 0, Bound::Exact));
        assert_eq!(table.probe(99).unwrap().depth, 1, "an exact score does");
    }

    /// A word that another thread overwrites as soon as it has been read.
    struct Overwritten {
        value: Cell<u64>,
        next: u64,
    }

    impl Word for Overwritten {
        fn get(&self) -> u64 {
            self.value.replace(self.next)
        }
        fn put(&self, value: u64) {
            self.value.set(value);
        }
    }

    /// Another position's entry comes into the slot just after it has been read, and before a much shallower bound
    /// leaves its move there.
    #[test]
    fn a_move_is_left_to_the_entry_that_was_read() {
        let (deep, other) = (entry(20, 40, Bound::Lower), entry(9, -300, Bound::Upper));
        let word = |value, next| Overwritten { value: Cell::new(value), next };
        let (own, theirs) = (deep.pack(0), other.pack(0));
        let (racing, empty) = ([word(99 ^ own, 7 ^ theirs), word(own, theirs)], [word(0, 0), word(0, 0)]);
        let slots = [&racing, &empty, &empty, &empty].map(|[check, data]| Slot { check, data });
        let mv = Move::from_bits(0x0b22);
        store_in(slots, 99, Entry { mv, ..entry(1, 0, Bound::Lower) }, 0);
        let [check, data] = racing.map(|word| word.value.into_inner());
        assert_eq!((check ^ data, Entry::unpack(data)), (99, Some(Entry { mv, ..deep })));
    }

    #[test]
    fn an_evaluation_alone_gives_way_to_everything() {
        let table = Table::new(0).unwrap(); // one line: every key shares it
        table.store_eval(1, 0);
        assert_eq!(table.known(1), Known { entry: None, eval: Some(0) });
        for key in 2..=4 {
            table.store(key, entry(1, 5, Bound::Upper));
        }
        table.store(5, entry(1, 5, Bound::Upper));
        assert_eq!(table.known(1), Known::default());
        table.store_eval(5, 40);
        assert_eq!(table.probe(5), Some(entry(1, 5, Bound::Upper)), "an entry is more");
        table.store_eval(6, 40);
        table.store(6, Entry { mv: None, ..entry(2, 7, Bound::Upper) });
        assert_eq!(table.probe(6), Some(Entry { mv: None, ..entry(2, 7, Bound::Upper) }));
        assert!(table.probe(5).is_none(), "all else being equal the first slot goes");
        assert!((2..=4).all(|key| table.probe(key).is_some()));
    }

    /// Its memory may be that of the one before.
    #[test]
    fn a_table_begins_empty_and_has_the_size_asked_for() {
        let keys: Vec<u64> = (1..5000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for mib in [8, 1, 3, 8] {
            let table = Table::new(mib).unwrap();
            assert_eq!((table.bytes(), table.hashfull()), (mib << 20, 0));
            assert!(keys.iter().all(|&key| table.probe(key).is_none()));
            keys.iter().for_each(|&key| table.store(key, entry(9, 1, Bound::Exact)));
            assert!(table.probe(keys[0]).is_some());
        }
        assert!(Table::new(usize::MAX >> 20).is_err());
    }

    /// By hand: the smallest table has room for four entries.
    #[test]
    fn fullness_is_that_of_the_present_search() {
        let table = Table::new(0).unwrap();
        table.store(1, entry(3, 5, Bound::Exact));
        table.store(2, entry(3, 5, Bound::Exact));
        assert_eq!(table.hashfull(), 500);
        table.grow_older();
        assert_eq!(table.hashfull(), 0);
        table.store(3, entry(3, 5, Bound::Exact));
        assert_eq!(table.hashfull(), 250);
    }

    /// Every line has room for four entries: with one in each a quarter is taken.
    #[test]
    fn fullness_is_that_of_the_whole_table() {
        let table = Table::new(1).unwrap();
        let lines = table.line_count() as u128;
        for line in 0..lines {
            // The first key of each.
            table.store(((line << 64).div_ceil(lines)) as u64, entry(3, 5, Bound::Exact));
        }
        assert_eq!(table.hashfull(), 250);
    }

    #[test]
    fn clearing_in_parts_clears_everything() {
        let table = Table::new(1).unwrap();
        let mut keys: Vec<u64> = (1..2000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        // 16,384 lines have no seven equal parts: the last part has the last line as well.
        keys.push(u64::MAX);
        assert_eq!(table.line_number(u64::MAX) + 1, table.line_count());
        keys.iter().for_each(|&key| table.store(key, entry(9, 1, Bound::Exact)));
        (0..7).for_each(|part| table.clear_part(part, 7));
        assert!(keys.iter().all(|&key| table.probe(key).is_none()));
    }
}
