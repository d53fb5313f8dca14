//! Signals that the program was started to ignore.

/// Does `work`, which may set signal handlers, and afterwards ignores SIGHUP again if it was ignored before: `nohup`
/// means that the program is to outlive its terminal. Elsewhere than on Unix it only does the work.
pub fn keeping_nohup<T>(work: impl FnOnce() -> T) -> T {
    let ignored = os::hangup_is_ignored();
    let done = work();
    if ignored {
        os::ignore_hangup();
    }
    done
}

#[cfg(unix)]
mod os {
    use std::mem::MaybeUninit;
    use std::ptr::null;

    pub(super) fn hangup_is_ignored() -> bool {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with no new action the call only writes the present one, for which there is room.
        if unsafe { libc::sigaction(libc::SIGHUP, null(), action.as_mut_ptr()) } != 0 {
            return false;
        }
        // SAFETY: the call has succeeded, so the action is written.
        unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
    }

    pub(super) fn ignore_hangup() {
        // SAFETY: takes a signal's number and a constant; no code of ours is called.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
mod os {
    pub(super) fn hangup_is_ignored() -> bool {
        false
    }

    pub(super) fn ignore_hangup() {}
}
