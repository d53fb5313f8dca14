//! Signals that ask a program to end: those that this one was started to ignore, and those that others have followed.

use std::process::ExitStatus;

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

/// The request that has ended a process: by itself, or with the status that shells have for that, 128 and the signal's
/// number, as of programs that end in order. Elsewhere than on Unix nothing is known of it.
#[must_use]
pub fn that_ended(status: ExitStatus) -> Option<Signal> {
    os::that_ended(status)
}

#[cfg(unix)]
mod os {
    use super::Signal;
    use std::mem::MaybeUninit;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
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

    pub(super) fn that_ended(status: ExitStatus) -> Option<Signal> {
        let told = status.signal().or_else(|| Some(status.code()? - 128))?;
        [Signal::Hangup, Signal::Interrupt, Signal::Terminate]
            .into_iter()
            .find(|&signal| number(signal) == told)
    }
}

#[cfg(not(unix))]
mod os {
    use super::Signal;
    use std::process::ExitStatus;

    pub(super) fn is_ignored(_: Signal) -> bool {
        false
    }

    pub(super) fn ignore(_: Signal) {}

    pub(super) fn that_ended(_: ExitStatus) -> Option<Signal> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_request_to_end_is_told_from_other_ends() {
        for (script, ended) in [
            ("kill -TERM $$", Some(Signal::Terminate)),
            ("exit 143", Some(Signal::Terminate)),
            ("exit 130", Some(Signal::Interrupt)),
            ("exit 129", Some(Signal::Hangup)),
            ("kill -KILL $$", None),
            ("exit 137", None),
            ("exit 15", None),
            ("exit 1", None),
            ("exit 0", None),
        ] {
            let status = Command::new("sh").args(["-c", script]).status().expect("every Unix has a shell");
            assert_eq!(that_ended(status), ended, "{script}");
        }
    }
}
