//! How much memory there is, and how much of it this process holds.
//!
//! Answers two questions: how large a table may be (a container's limit counts before the machine's size,
//! since going past it gets the process killed), and whether a table really came to lie on huge pages.

use std::path::Path;

use crate::{cgroup, tree};

/// The memory this process may use, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All there is: of the machine, or of the control group if that is less.
    pub total: u64,
    /// What can be had now without swapping, as the system estimates it; `None` on macOS.
    pub available: Option<u64>,
    /// Where both numbers come from: a file, or a system call.
    pub source: String,
}

impl Memory {
    /// This machine's, or this container's; `None` where the system does not say (other than Linux, Windows
    /// and macOS).
    #[must_use]
    pub fn detect() -> Option<Self> {
        Self::read(Path::new("/")).or_else(system::memory)
    }

    pub(crate) fn read(root: &Path) -> Option<Self> {
        const MEMINFO: &str = "proc/meminfo";
        let total = tree::kilobytes(root, MEMINFO, "MemTotal")?;
        // Kernels before 3.14 have no estimate; free pages are a low one.
        let available = tree::kilobytes(root, MEMINFO, "MemAvailable")
            .or_else(|| tree::kilobytes(root, MEMINFO, "MemFree"))
            .unwrap_or(total);
        let machine = Self { total, available: Some(available), source: format!("/{MEMINFO}") };
        let group = cgroup::memory_limit(root).filter(|group| group.value.limit < total);
        Some(group.map_or(machine, |group| Self {
            total: group.value.limit,
            available: Some(available.min(group.value.room)),
            source: format!("/{}", group.file.display()),
        }))
    }
}

/// The memory this process holds at this moment, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// All pages present in memory.
    pub total: u64,
    /// Those of them that are huge pages.
    pub huge: u64,
}

impl Resident {
    /// Of this process; `None` where the system does not say. The kernel walks all pages for it: milliseconds
    /// on large processes, so not for inner loops.
    pub fn detect() -> Option<Self> {
        Self::read(Path::new("/"))
    }

    fn read(root: &Path) -> Option<Self> {
        const ROLLUP: &str = "proc/self/smaps_rollup";
        Some(Self {
            total: tree::kilobytes(root, ROLLUP, "Rss")
                .or_else(|| tree::kilobytes(root, "proc/self/status", "VmRSS"))?,
            huge: tree::kilobytes(root, ROLLUP, "AnonHugePages").unwrap_or(0),
        })
    }
}

/// What this process holds at this moment beside the contents of files, in bytes; `None` where the system does not say.
/// It takes no walk over the pages.
pub(crate) fn held() -> Option<u64> {
    tree::kilobytes(Path::new("/"), "proc/self/status", "RssAnon")
}

/// What systems without such files say when they are asked.
mod system {
    use super::Memory;

    #[cfg(windows)]
    pub(super) fn memory() -> Option<Memory> {
        use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
        let mut status =
            MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
        // SAFETY: `status` is writable and says its size, as the call asks.
        let answered = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
        answered.then(|| Memory {
            total: status.ullTotalPhys,
            available: Some(status.ullAvailPhys),
            source: "GlobalMemoryStatusEx".to_owned(),
        })
    }

    #[cfg(target_os = "macos")]
    pub(super) fn memory() -> Option<Memory> {
        let (mut total, mut size) = (0u64, size_of::<u64>());
        // SAFETY: the name ends with a zero byte; `total` is writable, `size` bytes long, and this value is a
        // 64-bit number; null: nothing is to be set.
        let answer = unsafe {
            libc::sysctlbyname(
                c"hw.memsize".as_ptr(),
                (&raw mut total).cast(),
                &mut size,
                std::ptr::null_mut(),
                0,
            )
        };
        (answer == 0).then(|| Memory { total, available: None, source: "sysctl hw.memsize".to_owned() })
    }

    #[cfg(not(any(windows, target_os = "macos")))]
    pub(super) fn memory() -> Option<Memory> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fake::machine;
    #[cfg(unix)]
    use crate::tree::fake::write;

    const MEMINFO: &str = "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    9000 kB\n";

    #[test]
    fn reads_the_machine() {
        let root = machine(&[("proc/meminfo", MEMINFO)]);
        let memory = Memory::read(root.path()).expect("all is there");
        assert_eq!((memory.total, memory.available), (16_000 * 1024, Some(9_000 * 1024)));
        assert_eq!(memory.source, "/proc/meminfo");
    }

    #[test]
    #[cfg(unix)]
    fn a_containers_limit_counts_first() {
        let root = machine(&[("proc/meminfo", MEMINFO), ("proc/self/cgroup", "0::/\n")]);
        write(root.path(), "sys/fs/cgroup/memory.max", "1048576\n");
        write(root.path(), "sys/fs/cgroup/memory.current", "48576\n");
        let memory = Memory::read(root.path()).expect("all is there");
        assert_eq!((memory.total, memory.available), (1_048_576, Some(1_000_000)));
        assert_eq!(memory.source, "/sys/fs/cgroup/memory.max");

        write(root.path(), "sys/fs/cgroup/memory.max", "9223372036854771712\n");
        let memory = Memory::read(root.path()).expect("all is there");
        assert_eq!(memory.total, 16_000 * 1024, "a limit above the machine's size is none");
    }

    /// By hand, in MiB: a service may use 4 and uses 1, in a slice that may use 8 and uses 7.
    #[test]
    #[cfg(unix)]
    fn another_service_may_leave_less_room_than_the_own_limit() {
        let root = machine(&[("proc/meminfo", MEMINFO), ("proc/self/cgroup", "0::/slice/unit\n")]);
        for (file, mebibytes) in
            [("slice/memory.max", 8), ("slice/memory.current", 7), ("slice/unit/memory.max", 4)]
        {
            write(root.path(), &format!("sys/fs/cgroup/{file}"), &format!("{}\n", mebibytes << 20));
        }
        write(root.path(), "sys/fs/cgroup/slice/unit/memory.current", "1048576\n");
        let memory = Memory::read(root.path()).expect("all is there");
        assert_eq!((memory.total, memory.available), (4 << 20, Some(1 << 20)));
        assert_eq!(memory.source, "/sys/fs/cgroup/slice/unit/memory.max");

        write(root.path(), "sys/fs/cgroup/slice/memory.current", "4194304\n");
        let memory = Memory::read(root.path()).expect("all is there");
        assert_eq!(memory.available, Some(3 << 20), "now the unit leaves less");
    }

    #[test]
    fn nonsense_is_no_answer() {
        for text in
            ["", "MemTotal", "MemTotal: many kB", "MemTotal: 5 MB", "MemTotal: 18446744073709551615 kB"]
        {
            assert_eq!(Memory::read(machine(&[("proc/meminfo", text)]).path()), None, "{text:?}");
        }
        assert_eq!(Memory::read(machine(&[]).path()), None);
        assert_eq!(Resident::read(machine(&[]).path()), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn sees_a_vector_grow() {
        let before = Resident::detect().expect("Linux tells").total;
        let bytes = vec![1u8; 128 << 20];
        let after = Resident::detect().expect("Linux tells").total;
        let bytes = std::hint::black_box(bytes).len() as u64;
        // Half of it leaves room for whatever other tests free meanwhile.
        assert!(after > before + bytes / 2, "{before} {after}");
        let memory = Memory::detect().expect("Linux tells");
        assert!(memory.available <= Some(memory.total) && after <= memory.total);
    }

    /// A machine that runs these tests has between 256 MiB and 1 PiB.
    #[test]
    #[cfg(any(windows, target_os = "macos"))]
    fn the_system_says_its_memory() {
        let memory = Memory::detect().expect("the system says so");
        assert!((1 << 28..1 << 50).contains(&memory.total), "{memory:?}");
        assert!(memory.available.is_none_or(|available| available <= memory.total), "{memory:?}");
    }
}
