//! A zeroed block from the ordinary allocator, for systems without `mmap`.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::ptr::NonNull;

use super::HugePages;

/// Owned zeroed memory, aligned to a cache line.
pub(super) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

impl Block {
    pub(super) fn zeroed(bytes: usize) -> io::Result<Self> {
        let out_of_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let layout = Layout::from_size_align(bytes.max(64), 64).map_err(|_| out_of_memory())?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(out_of_memory)?;
        Ok(Self { start, layout })
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn huge_pages(&self) -> HugePages {
        HugePages::NotAsked
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `start` came from this allocator with this layout, and is given back once, here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
