//! Asking for a cache line before it is needed.
//!
//! A probe of a large transposition table is a miss in every cache: some 80 ns, the time of a few hundred
//! instructions. The key of a child is known before the child is entered, so the line can be on its way while
//! the move is still being made. The gain grows with the number of threads, since all of them wait on the
//! same memory.

/// Hints that `target` will soon be read: a hint only, with no effect on what the program computes.
///
/// Does nothing on processors other than x86-64 and 64-bit Arm.
#[inline(always)]
pub fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: PREFETCHT0 is part of SSE, which every x86-64 processor has; it changes no register or
        // memory and cannot fault, whatever the address. Here the address is a valid reference besides.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast()) }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let address = std::ptr::from_ref(target).cast::<u8>();
        // SAFETY: PRFM is one of the base instructions, which every 64-bit Arm processor has; it changes no register,
        // flag or memory and cannot fault, whatever the address. Here the address is a valid reference besides.
        unsafe {
            std::arch::asm!(
                "prfm pldl1keep, [{}]",
                in(reg) address,
                options(nostack, preserves_flags, readonly)
            );
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = target;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn leaves_the_target_as_it_was() {
        let lines: Vec<AtomicU64> = (0..1000).map(AtomicU64::new).collect();
        lines.iter().for_each(prefetch);
        prefetch(&());
        assert!(lines.iter().enumerate().all(|(i, word)| word.load(Ordering::Relaxed) == i as u64));
    }
}
