//! One large zeroed table of cache lines, on huge pages where the system has them.
//!
//! A transposition table is read at random places, so with 4 KiB pages nearly every probe also misses the
//! processor's address translation cache. With 2 MiB pages the translations of a whole table fit; most Linux
//! systems give such pages only where they are asked for (`madvise`), and only to memory aligned to 2 MiB.
//! That is worth some percent of speed.
//!
//! The memory is *untouched* at creation: it is zero because the kernel hands out zero pages when they are
//! first used. So creating a table of any size takes no time, and a page comes to lie on the memory of the
//! processor that first writes to it. On a machine with several memory nodes, let the search threads clear
//! the table, each its own part.
//!
//! The elements are always [`CacheLine`]s of eight atomic words. One fixed type, for which all zeros is a
//! valid value, keeps every `unsafe` on this side of the fence; users pack what they like into the words.

use std::alloc::Layout;
use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::memory::{self, Memory};

#[cfg(any(not(unix), test))]
mod heap;
#[cfg(unix)]
mod map;

#[cfg(not(unix))]
use heap::Block;
#[cfg(unix)]
use map::Block;

/// The size of a huge page, in bytes: that of x86-64, and of aarch64 with its usual 4 KiB base pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// The program itself takes so much: its code, the evaluation's network, what it reads. Its search threads come on top.
const PROGRAM: u64 = 64 << 20;

/// The bytes of all tables that this process has.
static TABLES: AtomicU64 = AtomicU64::new(0);

/// Eight atomic words that share one line of the processor's cache.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct CacheLine(pub [AtomicU64; 8]);

const _: () = assert!(size_of::<CacheLine>() == 64 && align_of::<CacheLine>() == 64);

/// Why there is no table of the size asked for.
#[derive(Debug, thiserror::Error)]
pub enum AllocError {
    /// The size does not fit the address space.
    #[error("{lines} cache lines of 64 bytes are more than can be addressed")]
    TooLarge {
        /// The number asked for.
        lines: usize,
    },
    /// The table would not fit this machine, or this container: it could be reserved, but not filled.
    #[error("{bytes} bytes are more than the memory there is for a table ({room} of {total} bytes)")]
    MoreThanMemory {
        /// The size asked for.
        bytes: usize,
        /// What the program and its search threads leave of it, in bytes.
        room: u64,
        /// What the machine or the container has, in bytes.
        total: u64,
    },
    /// The system refused.
    #[error("the system refused {bytes} bytes of memory: {reason}")]
    Refused {
        /// The size asked for.
        bytes: usize,
        /// The system's own words.
        reason: io::Error,
    },
}

/// What became of the wish for huge pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePages {
    /// The system was asked and agreed; how many it found is in [`crate::memory::Resident`].
    Asked,
    /// The system was asked and refused: a kernel built without transparent huge pages.
    Refused,
    /// The system was not asked: the table is smaller than one huge page, or the system has no such call.
    NotAsked,
}

impl fmt::Display for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked => "asked for",
            Self::Refused => "refused",
            Self::NotAsked => "not asked for",
        })
    }
}

/// How large a table may be where the process holds so many bytes beside its tables, and its search threads will have
/// filled so many of them. On a machine that is hardly larger than the program, half of the memory all the same.
fn room(memory: &Memory, held: u64, threads: u64) -> u64 {
    let program = PROGRAM.min(memory.total / 2).saturating_add(threads);
    memory.total.saturating_sub(held.max(program))
}

/// Whether so many bytes may be filled, in place of the tables there are and beside what search threads will fill: the
/// system ends a program that fills more than the memory there is.
///
/// # Errors
/// [`AllocError::MoreThanMemory`].
pub fn check(bytes: usize, threads: usize) -> Result<(), AllocError> {
    let Some(memory) = Memory::detect() else { return Ok(()) };
    let held = memory::held().unwrap_or(0).saturating_sub(TABLES.load(Relaxed));
    let (room, total) = (room(&memory, held, threads as u64), memory.total);
    if bytes as u64 > room { Err(AllocError::MoreThanMemory { bytes, room, total }) } else { Ok(()) }
}

/// A fixed number of cache lines, zero at creation, freed on drop.
///
/// Reads and writes go through the slice it dereferences to.
pub struct HugeLines {
    block: Block,
    lines: usize,
}

impl HugeLines {
    /// `lines` zeroed cache lines of 64 bytes, none of them touched yet. Zero lines are an empty slice.
    ///
    /// # Errors
    /// Any size that cannot be had is an error, however absurd: never an abort.
    pub fn new(lines: usize) -> Result<Self, AllocError> {
        let layout = Layout::array::<CacheLine>(lines).map_err(|_| AllocError::TooLarge { lines })?;
        let bytes = layout.size();
        check(bytes, 0)?;
        let block = Block::zeroed(bytes).map_err(|reason| AllocError::Refused { bytes, reason })?;
        TABLES.fetch_add(bytes as u64, Relaxed);
        Ok(Self { block, lines })
    }

    /// Whether huge pages were asked for, and the answer.
    pub fn huge_pages(&self) -> HugePages {
        self.block.huge_pages()
    }

    fn start(&self) -> NonNull<CacheLine> {
        self.block.start().cast()
    }
}

impl Drop for HugeLines {
    fn drop(&mut self) {
        TABLES.fetch_sub(size_of_val(&**self) as u64, Relaxed);
    }
}

impl Deref for HugeLines {
    type Target = [CacheLine];

    fn deref(&self) -> &[CacheLine] {
        // SAFETY: the block owns at least `lines` * 64 bytes (at most `isize::MAX`) from `start`, which is
        // aligned to a cache line, until it is dropped, which the borrow of `self` forbids meanwhile. They
        // were zero at first and are changed only as `CacheLine`s, for which zero is valid. No `&mut` to them
        // exists while `self` is shared.
        unsafe { slice::from_raw_parts(self.start().as_ptr(), self.lines) }
    }
}

impl DerefMut for HugeLines {
    fn deref_mut(&mut self) -> &mut [CacheLine] {
        // SAFETY: as in `deref`; and `self` is borrowed exclusively, so this is the only reference to the
        // lines.
        unsafe { slice::from_raw_parts_mut(self.start().as_ptr(), self.lines) }
    }
}

impl fmt::Debug for HugeLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HugeLines")
            .field("lines", &self.lines)
            .field("huge_pages", &self.huge_pages())
            .finish()
    }
}

// SAFETY: the lines are owned by this value alone, like those of a `Box<[CacheLine]>`, and neither `mmap` nor
// the allocator ties memory to a thread: any thread may use and free it.
unsafe impl Send for HugeLines {}

// SAFETY: a shared `HugeLines` gives out nothing but `&[CacheLine]`, whose words are atomics and thus `Sync`,
// and values fixed at creation.
unsafe impl Sync for HugeLines {}

#[cfg(test)]
mod tests {
    use super::{heap::Block as HeapBlock, *};
    #[cfg(unix)]
    use crate::tree::fake::{machine, write};
    use std::hint;
    #[cfg(target_os = "linux")]
    use std::path::Path;

    #[test]
    fn is_zero_aligned_and_writable_to_the_last_word() {
        for lines in [1, 63, 64, 32_767, 32_768, 32_769, 100_000] {
            let mut table = HugeLines::new(lines).expect("a few MiB are there");
            assert_eq!(table.len(), lines);
            assert_eq!(table.as_ptr().addr() % 64, 0);
            assert!(table.iter().flat_map(|line| &line.0).all(|word| word.load(Relaxed) == 0));
            for (i, line) in table.iter().enumerate() {
                line.0[7].store(i as u64, Relaxed);
            }
            *table[0].0[0].get_mut() = 7;
            assert!(table.iter().enumerate().all(|(i, line)| line.0[7].load(Relaxed) == i as u64));
            assert_eq!(table[0].0[0].load(Relaxed), 7);
        }
    }

    #[test]
    fn no_lines_are_an_empty_slice() {
        assert!(HugeLines::new(0).expect("nothing is always there").is_empty());
    }

    #[test]
    fn absurd_sizes_are_errors() {
        for lines in [usize::MAX, usize::MAX / 64, isize::MAX as usize / 64 + 1] {
            assert!(matches!(HugeLines::new(lines), Err(AllocError::TooLarge { .. })), "{lines}");
        }
        let largest = isize::MAX as usize / 64;
        assert!(!matches!(HugeLines::new(largest), Ok(_) | Err(AllocError::TooLarge { .. })));
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    fn more_than_the_machine_has_is_an_error() {
        let total = Memory::detect().expect("the system says its memory").total;
        let lines = usize::try_from(total / 64).expect("memory fits the address space") + 1;
        assert!(matches!(HugeLines::new(lines), Err(AllocError::MoreThanMemory { .. })));
    }

    /// By hand, in MiB: of a container's 1024 the program holds 100, or nothing that is known. A hundred threads will
    /// fill 400, if they hold little yet.
    #[test]
    #[cfg(unix)]
    fn a_table_leaves_room_for_the_program() {
        const MIB: u64 = 1 << 20;
        let root = machine(&[("proc/meminfo", "MemTotal: 16777216 kB\n"), ("proc/self/cgroup", "0::/\n")]);
        write(root.path(), "sys/fs/cgroup/memory.max", "1073741824\n");
        let memory = Memory::read(root.path()).expect("all is there");
        assert_eq!(room(&memory, 100 * MIB, 0), 924 * MIB);
        assert_eq!(room(&memory, 0, 0), 960 * MIB);
        assert_eq!(room(&memory, 2000 * MIB, 0), 0);
        assert_eq!(room(&memory, 100 * MIB, 400 * MIB), 560 * MIB);
        assert_eq!(room(&memory, 500 * MIB, 400 * MIB), 524 * MIB);
        assert_eq!(room(&memory, 100 * MIB, 4096 * MIB), 0);
        let tiny = Memory { total: 40 * MIB, ..memory };
        assert_eq!(room(&tiny, 0, 0), 20 * MIB);
    }

    /// As large as all of the memory there is, it would be filled until the system ends the program.
    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    fn all_the_memory_is_too_much() {
        let total = Memory::detect().expect("the system says its memory").total;
        let lines = usize::try_from(total / 64).expect("memory fits the address space");
        assert!(matches!(HugeLines::new(lines), Err(AllocError::MoreThanMemory { .. })));
    }

    #[test]
    fn threads_share_it() {
        let table = HugeLines::new(1024).expect("64 KiB are there");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for line in table.iter() {
                        line.0[3].fetch_add(1, Relaxed);
                    }
                });
            }
        });
        assert!(table.iter().all(|line| line.0[3].load(Relaxed) == 4));
        std::thread::spawn(move || drop(table)).join().expect("another thread may free it");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn is_on_huge_page_boundaries_and_asks_for_them() {
        let table = HugeLines::new(4 * HUGE_PAGE / 64).expect("8 MiB are there");
        assert_eq!(table.as_ptr().addr() % HUGE_PAGE, 0);
        let supported = Path::new("/sys/kernel/mm/transparent_hugepage/enabled").exists();
        assert_eq!(table.huge_pages(), if supported { HugePages::Asked } else { HugePages::Refused });
        assert_eq!(HugeLines::new(1).expect("64 bytes are there").huge_pages(), HugePages::NotAsked);
    }

    /// The kernel counts the resident pages of the table's own mapping: none at first, all once written.
    #[test]
    #[cfg(target_os = "linux")]
    fn is_untouched_until_it_is_written() {
        let table = HugeLines::new(4 * HUGE_PAGE / 64).expect("8 MiB are there");
        assert_eq!(resident(&table), 0);
        for line in table.iter() {
            line.0[0].store(1, Relaxed);
        }
        assert_eq!(resident(&table), size_of_val(&*table));
    }

    /// How many bytes of the slice have a page in memory.
    #[cfg(target_os = "linux")]
    fn resident(lines: &[CacheLine]) -> usize {
        // SAFETY: asks for a constant of the system.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("pages have a size");
        let mut pages = vec![0u8; size_of_val(lines) / page];
        // SAFETY: the call writes one byte for each page of the range, and the pages are mapped as long as
        // `lines` lives; it only reports on them.
        let result = unsafe {
            libc::mincore(lines.as_ptr().cast_mut().cast(), size_of_val(lines), pages.as_mut_ptr())
        };
        assert_eq!(result, 0, "{}", io::Error::last_os_error());
        pages.iter().filter(|&&state| state & 1 == 1).count() * page
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn dropping_gives_the_address_range_back() {
        // Forty quarters of the memory, one after the other, are ten times of it if none is given back.
        let total = Memory::detect().expect("Linux tells its memory").total;
        let lines = usize::try_from(total / 4 / 64).expect("memory fits the address space");
        let before = virtual_size();
        for _ in 0..40 {
            let table = HugeLines::new(lines).expect("a quarter of the memory may be reserved");
            table[lines / 2].0[0].store(1, Relaxed);
        }
        assert!(virtual_size() < before + 5 * total, "the tables are still mapped");
    }

    #[cfg(target_os = "linux")]
    fn virtual_size() -> u64 {
        crate::tree::kilobytes(Path::new("/"), "proc/self/status", "VmSize").expect("Linux tells the size")
    }

    /// The fallback of other systems, run here too.
    #[test]
    fn the_heap_block_is_zero_and_aligned() {
        for bytes in [0, 64, 4096, 1 << 20] {
            let block = HeapBlock::zeroed(bytes).expect("1 MiB is there");
            assert_eq!(block.start().as_ptr().addr() % 64, 0);
            assert_eq!(block.huge_pages(), HugePages::NotAsked);
            // SAFETY: the block owns that many zeroed bytes.
            let content = unsafe { slice::from_raw_parts(block.start().as_ptr(), bytes) };
            assert!(content.iter().all(|&byte| byte == 0));
        }
        // A compiler that saw the block unused could leave the allocation out and take it for granted.
        let error = hint::black_box(HeapBlock::zeroed(isize::MAX as usize - 63))
            .err()
            .expect("no machine has that much");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    }
}
