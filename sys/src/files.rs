//! How many files a process may have open at once.
//!
//! Unix grants a program fewer than it may ask for, 1024 as a rule, since old programs cannot count further
//! (`select(2)`). A tournament on a machine with many CPUs needs more: three pipes for each engine, and a lock
//! for each CPU.

use std::io;

/// Lets this process have as many files open as the system allows it to ask for. Children that
/// [`crate::process`] starts have the limit that this process was started with: some programs close, one by
/// one, all files that they might have.
///
/// Asked again it changes nothing. Elsewhere than on Unix there is no such limit.
///
/// # Errors
/// What the system answers; the limit is then as it was.
pub fn allow_all() -> io::Result<()> {
    os::allow_all()
}

#[cfg(unix)]
pub(crate) use os::{before, set};

#[cfg(unix)]
mod os {
    use std::io;
    use std::sync::OnceLock;

    /// What macOS grants at most (its `OPEN_MAX`) though it says that there is no bound.
    const BOUND: libc::rlim_t = 10_240;

    /// The limit before it was raised.
    static BEFORE: OnceLock<libc::rlimit> = OnceLock::new();

    pub(super) fn allow_all() -> io::Result<()> {
        let now = current()?;
        if now.rlim_cur >= now.rlim_max {
            return Ok(());
        }
        let all = libc::rlimit { rlim_cur: now.rlim_max, ..now };
        let many = libc::rlimit { rlim_cur: now.rlim_max.min(BOUND).max(now.rlim_cur), ..now };
        set(all).or_else(|_| set(many))?;
        // The first limit is that of the start; what has changed it since then may have been this.
        BEFORE.get_or_init(|| now);
        Ok(())
    }

    /// What a child is to have, if this process has more.
    pub(crate) fn before() -> Option<libc::rlimit> {
        BEFORE.get().copied()
    }

    fn current() -> io::Result<libc::rlimit> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is to a writable structure of the type that the call fills in.
        let answer = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
        if answer == 0 { Ok(limit) } else { Err(io::Error::last_os_error()) }
    }

    /// One system call and nothing else: allowed between fork and exec.
    pub(crate) fn set(limit: libc::rlimit) -> io::Result<()> {
        // SAFETY: the pointer is to a structure of the type that the call reads.
        let answer = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(unix))]
mod os {
    use std::io;

    pub(super) fn allow_all() -> io::Result<()> {
        Ok(())
    }
}
