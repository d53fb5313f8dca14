//! A zeroed block straight from the kernel, aligned to huge pages.
//!
//! The ordinary allocator will not do: asked for zeroed memory with a large alignment it writes the zeros
//! itself, and with them puts every page on the memory of the thread that happened to allocate.

use std::io;
use std::ptr::{self, NonNull};

use super::{HUGE_PAGE, HugePages};

/// Owned pages of the address space, aligned to [`HUGE_PAGE`].
pub(super) struct Block {
    start: NonNull<u8>,
    mapped: usize,
    huge_pages: HugePages,
}

impl Block {
    pub(super) fn zeroed(bytes: usize) -> io::Result<Self> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        // `mmap` promises only ordinary alignment, so one huge page more is mapped and the ends are cut off
        // again.
        let mapped = bytes.max(1).checked_next_multiple_of(HUGE_PAGE).ok_or_else(too_large)?;
        let reserved = mapped.checked_add(HUGE_PAGE).ok_or_else(too_large)?;
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no memory in use.
        let base = unsafe { libc::mmap(ptr::null_mut(), reserved, prot, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base: *mut u8 = base.cast();
        let head = base.addr().wrapping_neg() % HUGE_PAGE;
        // SAFETY: `head` < HUGE_PAGE, so `head + mapped` lies within the `reserved` bytes just mapped.
        let (start, end) = unsafe { (base.add(head), base.add(head + mapped)) };
        unmap(base, head);
        unmap(end, HUGE_PAGE - head);
        let huge_pages = if bytes < HUGE_PAGE { HugePages::NotAsked } else { advise(start, mapped) };
        let start = NonNull::new(start).ok_or_else(too_large)?;
        Ok(Self { start, mapped, huge_pages })
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn huge_pages(&self) -> HugePages {
        self.huge_pages
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unmap(self.start.as_ptr(), self.mapped);
    }
}

/// Gives `bytes` from `start` back to the kernel; only for ranges of a [`Block`]'s own mapping that no reference
/// uses.
///
/// A refusal (the kernel limits how many separate mappings a process has) leaves the range mapped: a leak of
/// address space, nothing worse, so it is let pass.
fn unmap(start: *mut u8, bytes: usize) {
    if bytes > 0 {
        // SAFETY: the callers pass page-aligned parts of a mapping they own, to which no reference exists any
        // more: the ends cut off before the block is handed out, and the whole block when it is dropped.
        unsafe { libc::munmap(start.cast(), bytes) };
    }
}

#[cfg(target_os = "linux")]
fn advise(start: *mut u8, bytes: usize) -> HugePages {
    // SAFETY: the range is our own mapping, and this advice changes how it is backed, never its content.
    match unsafe { libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE) } {
        0 => HugePages::Asked,
        _ => HugePages::Refused,
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) -> HugePages {
    HugePages::NotAsked
}
