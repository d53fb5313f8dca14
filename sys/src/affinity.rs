//! Sets of logical CPUs, and which of them a thread may run on.
//!
//! The kernel writes such sets as `0-3,8`, in `/sys`, in cgroups and in `taskset -c`; [`CpuSet`] reads and
//! writes that notation. A search thread is best bound to a *group* of CPUs (a NUMA node, a cache domain),
//! never to a single one: two programs that each pin their first thread to CPU 0 share that CPU while the
//! others stand idle.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::str::FromStr;

/// CPU numbers are below this: the largest `NR_CPUS` a Linux kernel can be built with.
pub const MAX_CPUS: usize = 8192;

/// A set of logical CPUs by the kernel's numbers, all below [`MAX_CPUS`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuSet(BTreeSet<usize>);

/// Why a text is not a set of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CpuSetError {
    /// A part between commas is neither `N` nor `N-M`.
    #[error("`{0}` is neither a CPU number nor a range such as 0-3")]
    NotARange(String),
    /// A range whose end lies before its start.
    #[error("the CPU range `{0}` runs backwards")]
    Backwards(String),
    /// A CPU number no kernel gives out.
    #[error("CPU {0} does not exist on any machine: numbers end at {last}", last = MAX_CPUS - 1)]
    TooLarge(usize),
}

impl CpuSet {
    /// The CPUs `0..count`, at most [`MAX_CPUS`] of them.
    pub fn first(count: usize) -> Self {
        Self((0..count.min(MAX_CPUS)).collect())
    }

    /// How many CPUs are in the set.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether the set holds no CPU.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `cpu` is in the set.
    pub fn contains(&self, cpu: usize) -> bool {
        self.0.contains(&cpu)
    }

    /// The CPU with the smallest number; `None` for the empty set.
    pub fn lowest(&self) -> Option<usize> {
        self.0.first().copied()
    }

    /// The CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }

    /// The CPUs in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(&self.0 & &other.0)
    }

    /// The CPUs in this set and not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        Self(&self.0 - &other.0)
    }
}

/// Numbers of [`MAX_CPUS`] and above are left out.
impl FromIterator<usize> for CpuSet {
    fn from_iter<I: IntoIterator<Item = usize>>(cpus: I) -> Self {
        Self(cpus.into_iter().filter(|&cpu| cpu < MAX_CPUS).collect())
    }
}

/// Reads the kernel's notation; the empty text is the empty set.
impl FromStr for CpuSet {
    type Err = CpuSetError;

    fn from_str(text: &str) -> Result<Self, CpuSetError> {
        let mut cpus = BTreeSet::new();
        for part in text.trim().split(',').filter(|_| !text.trim().is_empty()) {
            let not_a_range = || CpuSetError::NotARange(part.to_owned());
            let number = |digits: &str| {
                let cpu: usize = digits.trim().parse().map_err(|_| not_a_range())?;
                if cpu < MAX_CPUS { Ok(cpu) } else { Err(CpuSetError::TooLarge(cpu)) }
            };
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(CpuSetError::Backwards(part.to_owned()));
            }
            cpus.extend(first..=last);
        }
        Ok(Self(cpus))
    }
}

/// Writes the kernel's notation: ascending, runs joined, `0-3,8`.
impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut comma = "";
        while let Some(first) = cpus.next() {
            let mut last = first;
            while let Some(next) = cpus.next_if(|&cpu| cpu == last + 1) {
                last = next;
            }
            write!(f, "{comma}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            comma = ",";
        }
        Ok(())
    }
}

/// The CPUs the current thread may run on.
///
/// # Errors
/// What the system answers; [`io::ErrorKind::Unsupported`] on systems other than Linux.
pub fn current() -> io::Result<CpuSet> {
    os::current()
}

/// Binds the current thread, and threads it starts from now on, to `cpus`.
///
/// CPUs the machine does not have are ignored as long as one remains.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if no CPU of the set may be used; [`io::ErrorKind::Unsupported`] on
/// systems other than Linux, where the thread keeps running wherever the system likes.
pub fn set_current(cpus: &CpuSet) -> io::Result<()> {
    Mask::new(cpus).apply()
}

pub(crate) use os::Mask;

#[cfg(target_os = "linux")]
mod os {
    use super::{CpuSet, MAX_CPUS};
    use std::io;
    use std::mem::size_of_val;

    type Word = libc::c_ulong;
    const WORD_BITS: usize = Word::BITS as usize;

    /// The kernel's form of a set: a bit per CPU in an array of words. The C library's own type ends at 1024
    /// CPUs, and the kernel refuses to report a mask into an array smaller than its own.
    #[derive(Clone)]
    pub(crate) struct Mask([Word; MAX_CPUS / WORD_BITS]);

    impl Mask {
        pub(crate) fn new(cpus: &CpuSet) -> Self {
            let mut words = [0; MAX_CPUS / WORD_BITS];
            for cpu in cpus.iter() {
                words[cpu / WORD_BITS] |= 1 << (cpu % WORD_BITS);
            }
            Self(words)
        }

        /// Binds the current thread. One system call and nothing else: allowed between fork and exec.
        pub(crate) fn apply(&self) -> io::Result<()> {
            self.bind(0)
        }

        /// Binds the thread of this number, of any process.
        pub(crate) fn apply_to(&self, thread: u32) -> io::Result<()> {
            let thread = libc::pid_t::try_from(thread).ok().filter(|&id| id > 0);
            self.bind(thread.ok_or(io::ErrorKind::InvalidInput)?)
        }

        fn bind(&self, thread: libc::pid_t) -> io::Result<()> {
            let size = size_of_val(&self.0);
            // SAFETY: the pointer is to `size` readable bytes, and the call reads no more than that; thread 0
            // means the caller. The pointee type is the C library's fixed-size one, but the kernel goes by
            // the size alone.
            let result = unsafe { libc::sched_setaffinity(thread, size, self.0.as_ptr().cast()) };
            if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
        }
    }

    pub(super) fn current() -> io::Result<CpuSet> {
        let mut mask = Mask::new(&CpuSet::default());
        // SAFETY: the pointer is to `size` writable bytes, and the call writes no more than that; every bit
        // pattern is a valid array of integers. Thread 0 means the caller.
        let result = unsafe { libc::sched_getaffinity(0, size_of_val(&mask.0), mask.0.as_mut_ptr().cast()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((0..MAX_CPUS).filter(|cpu| mask.0[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1 == 1).collect())
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use super::CpuSet;
    use std::io;

    #[derive(Clone)]
    pub(crate) struct Mask;

    impl Mask {
        pub(crate) fn new(_: &CpuSet) -> Self {
            Self
        }

        pub(crate) fn apply(&self) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    pub(super) fn current() -> io::Result<CpuSet> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> CpuSet {
        text.parse().expect("the tests' own sets are well formed")
    }

    #[test]
    fn reads_and_writes_the_kernels_notation() {
        assert_eq!(set("0-3,8").iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8]);
        for text in ["", "0", "0-1", "0-3,8", "1,3,5-7,8191"] {
            assert_eq!(set(text).to_string(), text);
        }
        assert_eq!(set(" 3, 1-2 ,2\n").to_string(), "1-3", "unordered and overlapping parts are one set");
    }

    #[test]
    fn names_what_is_wrong_with_a_text() {
        let error = |text: &str| text.parse::<CpuSet>().expect_err("not a set");
        for text in ["a", "1-", "-1", "1,,2", ",", "1-2-3", "99999999999999999999999"] {
            assert!(matches!(error(text), CpuSetError::NotARange(_)), "{text}");
        }
        assert_eq!(error("0,7-5"), CpuSetError::Backwards("7-5".into()));
        assert_eq!(error("0-4294967295"), CpuSetError::TooLarge(4_294_967_295));
        assert_eq!(error("8192"), CpuSetError::TooLarge(8192));
    }

    #[test]
    fn combines_sets() {
        assert_eq!(set("0-5").intersection(&set("4-9")), set("4-5"));
        assert_eq!(set("0-5").difference(&set("4-9")), set("0-3"));
        assert!(set("1").difference(&set("1")).is_empty());
        assert_eq!(CpuSet::first(3), set("0-2"));
        assert_eq!([5, MAX_CPUS, 1].into_iter().collect::<CpuSet>(), set("1,5"));
    }

    /// What the kernel's own text file says of the calling thread.
    #[cfg(target_os = "linux")]
    fn allowed_by_proc() -> CpuSet {
        let root = std::path::Path::new("/");
        let list = crate::tree::field(root, "proc/thread-self/status", "Cpus_allowed_list");
        set(&list.expect("Linux reports the mask of every thread"))
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn binds_the_current_thread_only() {
        let before = current().expect("Linux tells the mask");
        assert_eq!(before, allowed_by_proc());
        let one: CpuSet = before.iter().take(1).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                set_current(&one).expect("a thread may give up CPUs");
                assert_eq!(current().expect("Linux tells the mask"), one);
                assert_eq!(allowed_by_proc(), one);
            });
        });
        assert_eq!(allowed_by_proc(), before);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn refuses_a_set_without_a_usable_cpu() {
        let error = set_current(&CpuSet::default()).expect_err("a thread must run somewhere");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
