//! How long a thread runs at a stretch while others wait for its CPU.
//!
//! With more search threads than processors, the thread that reads the client's commands waits behind them
//! for the scheduler's time slice, several milliseconds each time it is woken. Linux lets a thread that has
//! little to do ask for shorter turns (since 6.12, `sched_runtime` of `sched_setattr(2)`): it gets no more of
//! the processor than others, but gets it sooner, because the scheduler orders threads by the end of the turn
//! they asked for (Stoica and Abdel-Wahab 1995, "Earliest Eligible Virtual Deadline First").

use std::io;

/// How long the turns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// As short as the kernel grants (0.1 ms), for threads that wait for words and answer them.
    Short,
    /// What the system gives everybody, for threads that compute.
    Usual,
}

/// Changes the turns of the current thread, and of threads it starts from now on. Its priority stays as it
/// is.
///
/// Kernels before 6.12 take the wish and do nothing about it.
///
/// # Errors
/// What the system answers; [`io::ErrorKind::Unsupported`] on systems other than Linux and for threads that
/// run under another rule than the usual one, which are left alone.
pub fn set_current(turn: Turn) -> io::Result<()> {
    os::set_current(turn)
}

/// The turns that the current thread has; [`Turn::Usual`] with kernels before 6.12, which know no others.
///
/// # Errors
/// As those of [`set_current`].
pub fn current() -> io::Result<Turn> {
    os::current()
}

#[cfg(target_os = "linux")]
mod os {
    use super::Turn;
    use std::io;
    use std::mem::size_of;

    /// What the kernel makes of the shortest wish, in nanoseconds.
    const SHORT: u64 = 100_000;
    const SIZE: u32 = size_of::<libc::sched_attr>() as u32;
    /// The caller, as the scheduling calls name a thread.
    const CALLER: libc::pid_t = 0;

    pub(super) fn set_current(turn: Turn) -> io::Result<()> {
        let mut wish = usually_scheduled()?;
        wish.sched_runtime = match turn {
            Turn::Short => SHORT,
            // Nothing asked for is the system's own.
            Turn::Usual => 0,
        };
        // SAFETY: the pointer is to a structure that says its own size, and the call reads no more than that.
        let result = unsafe { libc::syscall(libc::SYS_sched_setattr, CALLER, &raw const wish, 0u32) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    pub(super) fn current() -> io::Result<Turn> {
        let runtime = usually_scheduled()?.sched_runtime;
        Ok(if runtime == SHORT { Turn::Short } else { Turn::Usual })
    }

    /// How the current thread is scheduled, if by the usual rule.
    fn usually_scheduled() -> io::Result<libc::sched_attr> {
        let scheduled = attributes()?;
        if scheduled.sched_policy == libc::SCHED_OTHER as u32 {
            Ok(scheduled)
        } else {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// How the current thread is scheduled: what is not to change has to be said again.
    pub(super) fn attributes() -> io::Result<libc::sched_attr> {
        let mut attributes = libc::sched_attr {
            size: SIZE,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        let pointer = &raw mut attributes;
        // SAFETY: the pointer is to `SIZE` writable bytes, and the call writes no more than that; every bit
        // pattern is a valid structure of integers.
        let result = unsafe { libc::syscall(libc::SYS_sched_getattr, CALLER, pointer, SIZE, 0u32) };
        if result == 0 { Ok(attributes) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use super::Turn;
    use std::io;

    pub(super) fn set_current(_: Turn) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn current() -> io::Result<Turn> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::Write;

    /// Field 19 of the kernel's own text, counted from the thread's name, which ends at the last parenthesis.
    fn nice() -> i32 {
        let text = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux describes every thread");
        let (_, fields) = text.rsplit_once(')').expect("the name stands in parentheses");
        fields.split_whitespace().nth(16).and_then(|field| field.parse().ok()).expect("a number stands there")
    }

    #[test]
    fn turns_change_and_the_priority_does_not() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = || os::attributes().map(|now| now.sched_runtime).unwrap_or_default();
                let (usual, had, before) = (runtime(), current().ok(), nice());
                if let Err(error) = set_current(Turn::Short) {
                    // A sandbox may forbid the call or not know it; then there is nothing to see. If that cannot
                    // be told, the test is skipped all the same.
                    let _ = writeln!(io::stderr(), "SKIPPED: turns cannot be changed here: {error}");
                    return;
                }
                assert!(runtime() <= usual);
                let knows = runtime() > 0;
                assert_eq!(current().ok(), Some(if knows { Turn::Short } else { Turn::Usual }));
                assert_eq!(nice(), before);
                std::thread::scope(|scope| {
                    let mine = runtime();
                    scope.spawn(move || assert_eq!(runtime(), mine, "threads started later have the same"));
                });
                set_current(Turn::Usual).expect("what was given up is given back");
                assert_eq!((runtime(), current().ok()), (usual, had));
                assert_eq!(nice(), before);
            });
        });
    }
}
