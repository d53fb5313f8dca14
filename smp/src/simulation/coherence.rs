//! Caches, as the virtual clock sees them: which memory that threads share lies where, and what it costs to
//! bring it.
//!
//! Every core has a cache of its own, and a line of 64 bytes can be written by one core at a time. A core
//! that reads a line which another has written since, or writes one of which another has a copy, must fetch
//! it, and waits. `docs/virtual-clock.md` says what is simulated and what is left out. Nothing here knows
//! chess; [`crate::simulation`] charges what is counted here.
//!
//! Which line a word lies in follows from its address within the object it is part of, so that two words that
//! share a line here share one on the machine. Objects are told apart by numbers, since addresses differ from
//! run to run.

pub use engine::touch::LINE_BYTES;
use std::ops::Add;

/// What kind of shared memory a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A part of a split point.
    Point,
    /// Where a team finds its split points.
    Registry,
    /// A thread's history, and its ring of lessons, which others read.
    History,
    /// Marks of moves that are being searched.
    Mark,
    /// The transposition table.
    Table,
    /// Single words of a whole search: that it is over, how deep the deepest finished iteration is.
    Word,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 6] =
        [Class::Point, Class::Registry, Class::History, Class::Mark, Class::Table, Class::Word];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Point => "points",
            Class::Registry => "registry",
            Class::History => "histories",
            Class::Mark => "marks",
            Class::Table => "table",
            Class::Word => "words",
        }
    }
}

/// How a worker touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads, and what it does next depends on the value.
    Read,
    /// It stores a value and goes on at once; the core writes it when it has the line.
    Write,
    /// It reads and writes in one step (a lock, an atomic count), which waits for the line and for all that
    /// was stored before.
    Update,
}

/// Neighbouring lines of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What they are.
    pub class: Class,
    /// The number of the object among those of its class.
    pub object: usize,
    /// The first line, counted from the object's beginning.
    pub first: usize,
    /// How many there are.
    pub lines: usize,
}

impl Place {
    /// The lines in which a part of an object lies. Parts that an object only points to have no place of
    /// their own.
    #[inline(always)]
    pub fn of<O, T>(class: Class, object: usize, whole: &O, part: &T) -> Self {
        let offset = std::ptr::from_ref(part).addr().wrapping_sub(std::ptr::from_ref(whole).addr());
        let first = offset / LINE_BYTES;
        Place { class, object, first, lines: (offset + size_of::<T>().max(1)).div_ceil(LINE_BYTES) - first }
    }

    /// A number of lines that are numbered in some other way.
    #[inline(always)]
    pub const fn lines(class: Class, object: usize, first: usize, lines: usize) -> Self {
        Place { class, object, first, lines }
    }
}

/// What the threads of a search fetched from each other's caches, and how long they waited, by [`Class`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Lines fetched.
    pub lines: [u64; Class::ALL.len()],
    /// Nanoseconds waited for lines.
    pub line_ns: [u64; Class::ALL.len()],
    /// Nanoseconds waited for locks that another thread held.
    pub lock_ns: [u64; Class::ALL.len()],
}

impl Traffic {
    /// Lines fetched, of all classes.
    pub fn all_lines(&self) -> u64 {
        self.lines.iter().sum()
    }

    /// Nanoseconds waited for lines of all classes.
    pub fn all_line_ns(&self) -> u64 {
        self.line_ns.iter().sum()
    }

    /// Nanoseconds waited for all locks.
    pub fn all_lock_ns(&self) -> u64 {
        self.lock_ns.iter().sum()
    }
}

impl Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let sum = |one: [u64; 6], other: [u64; 6]| std::array::from_fn(|class| one[class] + other[class]);
        Traffic {
            lines: sum(self.lines, other.lines),
            line_ns: sum(self.line_ns, other.line_ns),
            lock_ns: sum(self.lock_ns, other.lock_ns),
        }
    }
}

/// Cores beyond so many are taken for one of these.
const CORES: usize = 256;

/// The cores that have a copy of a line.
type Holders = [u64; CORES / 64];

/// Lines fetched from other cores: of the same domain, and of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub(crate) near: u64,
    pub(crate) far: u64,
}

impl Add for Fetched {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Fetched { near: self.near + other.near, far: self.far + other.far }
    }
}

impl Fetched {
    fn one(far: bool) -> Self {
        Fetched { near: u64::from(!far), far: u64::from(far) }
    }
}

/// Lines of a page, the part of an object of which something is known once one of them is touched.
const PAGE: usize = 64;

/// Who has which lines of an object.
type Pages = Vec<Option<Box<[Holders; PAGE]>>>;

/// Takes note that a core reads or writes a line.
fn touch(holders: &mut Holders, core: usize, writes: bool, domain: usize) -> Fetched {
    let core = core % CORES;
    let (word, bit) = (core / 64, 1 << (core % 64));
    let mine = holders[word] & bit != 0;
    let mut others = *holders;
    others[word] &= !bit;
    if writes {
        *holders = Holders::default();
    }
    holders[word] |= bit;
    if others == Holders::default() || mine && !writes {
        return Fetched::default();
    }
    let holds = |other: usize| others[other / 64] & (1 << (other % 64)) != 0;
    let first = core / domain * domain;
    Fetched::one(domain < CORES && !(first..CORES.min(first + domain)).any(holds))
}

/// A line of the transposition table. There are so many that each keeps only the core that wrote it and the
/// last other one that read it since.
#[derive(Clone, Copy, Default)]
struct TableLine {
    /// Cores, from 1; 0 for none.
    writer: u16,
    reader: u16,
    /// How many accesses to the table the writer had made by then.
    moment: u32,
}

/// Accesses to the table that a core makes before a line that it wrote has left its own cache. One thread alone
/// misses such a line just so, and the cost of a probe has that in it. A node makes up to three to one line, so
/// these are some 6,000 to 8,000 lines; a second-level cache of 2 MiB holds 32,768, of which the search needs
/// most for other things. The other costs were fitted with this number.
const TABLE_ACCESSES_CACHED: u32 = 16_384;

/// Where the lines are that the cores of a simulated machine share.
#[derive(Default)]
pub(crate) struct Caches {
    /// By class but for the table, then by object.
    objects: [Vec<Pages>; Class::ALL.len()],
    table: Vec<TableLine>,
    /// Accesses to the table so far, by core.
    touched: Vec<u32>,
    /// When each lock will be given back, by class and object.
    locks: [Vec<u64>; Class::ALL.len()],
    /// Cores of a domain.
    domain: usize,
}

impl Caches {
    /// Those of so many cores and a table of so many lines, all empty. So many cores with neighbouring
    /// numbers are a domain, or all of them if 0.
    pub(crate) fn new(cores: usize, table_lines: usize, domain: u64) -> Self {
        Caches {
            domain: if domain == 0 { usize::MAX } else { domain as usize },
            table: vec![TableLine::default(); table_lines],
            touched: vec![0; cores],
            ..Caches::default()
        }
    }

    /// A core reads lines, or writes them. Those of them come back that it must fetch from others.
    pub(crate) fn touch(&mut self, core: usize, writes: bool, place: Place) -> Fetched {
        if place.class == Class::Table {
            return self.touch_table(core, writes, place.first);
        }
        let domain = self.domain;
        let objects = &mut self.objects[place.class as usize];
        if objects.len() <= place.object {
            objects.resize_with(place.object + 1, Vec::new);
        }
        let pages = &mut objects[place.object];
        let end = place.first + place.lines;
        if pages.len() * PAGE < end {
            pages.resize_with(end.div_ceil(PAGE), || None);
        }
        let mut fetched = Fetched::default();
        for line in place.first..end {
            let page = pages[line / PAGE].get_or_insert_with(|| Box::new([Holders::default(); PAGE]));
            fetched = fetched + touch(&mut page[line % PAGE], core, writes, domain);
        }
        fetched
    }

    fn touch_table(&mut self, core: usize, writes: bool, line: usize) -> Fetched {
        self.touched[core] += 1;
        let me = core as u16 + 1;
        let TableLine { writer, reader, moment } = self.table[line];
        let still_cached =
            writer > 0 && self.touched[usize::from(writer) - 1].wrapping_sub(moment) < TABLE_ACCESSES_CACHED;
        // The writer itself must fetch the line when another has a copy.
        let other = if writer == me { reader } else { writer };
        let fetched = still_cached && other > 0 && (writes || ![writer, reader].contains(&me));
        let line = &mut self.table[line];
        if writes {
            *line = TableLine { writer: me, reader: 0, moment: self.touched[core] };
        } else if writer != me {
            line.reader = me;
        }
        if !fetched {
            return Fetched::default();
        }
        Fetched::one((usize::from(other) - 1) / self.domain != core / self.domain)
    }

    /// When the lock of an object is free again.
    pub(crate) fn free_at(&self, class: Class, object: usize) -> u64 {
        self.locks[class as usize].get(object).copied().unwrap_or(0)
    }

    /// The lock of an object is given back at this moment.
    pub(crate) fn release(&mut self, class: Class, object: usize, moment: u64) {
        let locks = &mut self.locks[class as usize];
        if locks.len() <= object {
            locks.resize(object + 1, 0);
        }
        locks[object] = moment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C, align(128))]
    struct Object {
        one: [u64; 4],
        two: [u64; 8],
        far: u8,
    }

    /// Recorded samples are read by them.
    #[test]
    fn classes_have_names_of_their_own() {
        let names: std::collections::BTreeSet<_> = Class::ALL.map(Class::name).into();
        assert_eq!(names.len(), Class::ALL.len(), "{names:?}");
    }

    #[test]
    fn the_lines_of_a_part_follow_from_its_address() {
        let object = Object { one: [0; 4], two: [0; 8], far: 0 };
        let place = |first, lines| Place { class: Class::Point, object: 3, first, lines };
        assert_eq!(Place::of(Class::Point, 3, &object, &object.one), place(0, 1));
        assert_eq!(Place::of(Class::Point, 3, &object, &object.two), place(0, 2), "it begins in the middle");
        assert_eq!(Place::of(Class::Point, 3, &object, &object.far), place(1, 1));
        assert_eq!(Place::of(Class::Point, 3, &object, &object), place(0, 2));
    }

    /// The protocol by which caches agree (invalidation: Papamarcos and Patel 1984, "A low-overhead coherence
    /// solution for multiprocessors with private cache memories"), step by step.
    #[test]
    fn a_line_goes_to_whoever_writes_it() {
        for class in [Class::Point, Class::Table] {
            let mut caches = Caches::new(3, 8, 0);
            let mut fetches = |core, writes| caches.touch(core, writes, Place::lines(class, 0, 5, 1)).near;
            assert_eq!(fetches(0, true), 0, "it comes from memory");
            assert_eq!((fetches(0, false), fetches(0, true)), (0, 0), "one's own");
            assert_eq!(
                (fetches(1, false), fetches(1, false)),
                (1, 0),
                "read once, then there are two copies"
            );
            assert_eq!(fetches(0, false), 0, "the writer still has it");
            assert_eq!(fetches(1, true), 1, "there may be no other copy");
            assert_eq!((fetches(0, false), fetches(2, false)), (1, 1));
            assert_eq!((fetches(2, true), fetches(1, false)), (1, 1));
            assert_eq!((fetches(2, true), fetches(2, true)), (1, 0), "the reader's copy is no longer valid");
            assert_eq!((fetches(1, false), fetches(1, false)), (1, 0));
            assert_eq!((fetches(0, false), fetches(2, false)), (1, 0));
            // A line of the table forgets a reader once another has come.
            let again = u64::from(class == Class::Table);
            assert_eq!(fetches(1, false), again, "it has had a copy all along");
        }
    }

    /// What counts are accesses, here all to one other line: how many lines they go to plays no part.
    #[test]
    fn a_line_of_the_table_leaves_the_cache_of_who_wrote_it() {
        for (others, fetched) in [(TABLE_ACCESSES_CACHED - 1, 1), (TABLE_ACCESSES_CACHED, 0)] {
            let mut caches = Caches::new(2, 2, 0);
            let line = |line| Place::lines(Class::Table, 0, line, 1);
            caches.touch(0, true, line(0));
            (0..others).for_each(|_| assert_eq!(caches.touch(0, false, line(1)), Fetched::default()));
            assert_eq!(caches.touch(1, false, line(0)), Fetched { near: fetched, far: 0 });
        }
    }

    #[test]
    fn a_line_comes_from_the_nearest_core_that_has_it() {
        for class in [Class::Mark, Class::Table] {
            let mut caches = Caches::new(8, 1, 4);
            let mut fetches = |core, writes| caches.touch(core, writes, Place::lines(class, 0, 0, 1));
            fetches(5, true);
            assert_eq!(fetches(6, false), Fetched { near: 1, far: 0 });
            assert_eq!(fetches(2, true), Fetched { near: 0, far: 1 });
            assert_eq!(fetches(3, true), Fetched { near: 1, far: 0 });
            assert_eq!(fetches(4, false), Fetched { near: 0, far: 1 });
            assert_eq!(fetches(3, true), Fetched { near: 0, far: 1 }, "the other copy is far");
        }
        let mut caches = Caches::new(8, 0, 4);
        let mut fetches = |core, writes| caches.touch(core, writes, Place::lines(Class::Word, 0, 0, 1));
        assert_eq!((fetches(5, true), fetches(0, false).far), (Fetched::default(), 1));
        assert_eq!(fetches(1, false), Fetched { near: 1, far: 0 }, "core 0 has a copy by now");
    }

    #[test]
    fn cores_beyond_the_last_are_taken_for_others() {
        let mut caches = Caches::new(1000, 0, 0);
        let place = Place::lines(Class::Word, 0, 0, 1);
        assert_eq!(caches.touch(999, true, place).near, 0);
        assert_eq!(caches.touch(998, false, place).near, 1);
    }
}
