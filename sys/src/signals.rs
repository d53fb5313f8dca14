//! Signals that the program was started to ignore.

/// A request to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGHUP: the terminal has gone.
    Hangup,
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

/// Does `work`, which may set signal handlers, and afterwards ignores those of these signals again that were
/// ignored before. Elsewhere than on Unix it only does the work.
pub fn keeping_ignored<T>(signals: &[Signal], work: impl FnOnce() -> T) -> T {
    let ignored: Vec<Signal> = signals.iter().copied().filter(|&signal| os::is_ignored(signal)).collect();
    let done = work();
    ignored.into_iter().for_each(os::ignore);
    done
}

#[cfg(unix)]
mod os {
    use super::Signal;
    use std::mem::MaybeUninit;
    use std::ptr::null;

    fn number(signal: Signal) -> libc::c_int {
        match signal {
            Signal::Hangup => libc::SIGHUP,
            Signal::Interrupt => libc::SIGINT,
            Signal::Terminate => libc::SIGTERM,
        }
    }

    pub(super) fn is_ignored(signal: Signal) -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with no new action the call only writes the present one, for which there is room.
        if unsafe { libc::sigaction(number(signal), null(), action.as_mut_ptr()) } != 0 {
            return false;
        }
        // SAFETY: the call has succeeded, so the action is written.
        unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
    }

    pub(super) fn ignore(signal: Signal) {
        // SAFETY: takes a signal's number and a constant; no code of ours is called.
        unsafe { libc::signal(number(signal), libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
mod os {
    use super::Signal;

    pub(super) fn is_ignored(_: Signal) -> bool {
        false
    }

    pub(super) fn ignore(_: Signal) {}
}
