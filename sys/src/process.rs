//! Child processes that can be stopped for certain, and this process's own use of the processor.
//!
//! A tournament starts other people's engines, often through a shell script, and must be able to end them
//! whatever they do. So each child leads a process group of its own: a signal to the group reaches the script
//! and the engine it started. On Linux the kernel is also told to kill the child when we die, so that a
//! crashed tournament leaves no engine behind at full load.

use std::io;
use std::process::{Child, Command};
use std::time::Duration;

use crate::affinity::CpuSet;

/// Starts `command` as the leader of a new process group, bound to `cpus` if given.
///
/// On Linux the child is killed when the *thread* that started it ends (the kernel's `PR_SET_PDEATHSIG` goes
/// by threads, not processes). Start children from a thread that outlives them. Only the child itself is
/// covered, not what it starts in turn.
///
/// The preparations stay in `command`: starting it again starts the next child in the same manner, so build a
/// new command for other CPUs.
///
/// On systems without process groups the child is started plainly.
///
/// # Errors
/// Those of [`Command::spawn`]; [`io::ErrorKind::InvalidInput`] if none of `cpus` can be used;
/// [`io::ErrorKind::Unsupported`] for any `cpus` on systems other than Linux.
pub fn spawn_in_own_group(command: &mut Command, cpus: Option<&CpuSet>) -> io::Result<Child> {
    os::prepare(command, cpus)?;
    command.spawn()
}

/// Ends the child and everything in its group at once (`SIGKILL`); the child must still be waited for.
///
/// It is no error if nothing is left of the group. Call it before the child has been waited for: as long as
/// it has not, the number of its group cannot be given to strangers. On systems without process groups only
/// the child is ended.
///
/// # Errors
/// What the system answers, such as [`io::ErrorKind::PermissionDenied`] for a child that changed its user.
pub fn kill_group(child: &mut Child) -> io::Result<()> {
    os::signal_group(child, os::Signal::Kill)
}

/// Asks the child and everything in its group to end (`SIGTERM`), which they may refuse. Otherwise as
/// [`kill_group`], and the same as it on systems without process groups.
///
/// # Errors
/// As [`kill_group`].
pub fn terminate_group(child: &mut Child) -> io::Result<()> {
    os::signal_group(child, os::Signal::Terminate)
}

/// The processor time all threads of this process have used so far; `None` where the system does not say.
///
/// What an idle engine uses between two calls should be next to nothing.
pub fn cpu_time() -> Option<Duration> {
    os::cpu_time()
}

#[cfg(unix)]
mod os {
    use super::CpuSet;
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::time::Duration;

    #[derive(Clone, Copy)]
    pub(super) enum Signal {
        Kill,
        Terminate,
    }

    pub(super) fn prepare(command: &mut Command, cpus: Option<&CpuSet>) -> io::Result<()> {
        command.process_group(0);
        prepare_on_linux(command, cpus)
    }

    #[cfg(target_os = "linux")]
    fn prepare_on_linux(command: &mut Command, cpus: Option<&CpuSet>) -> io::Result<()> {
        let mask = cpus.map(crate::affinity::Mask::new);
        let parent = std::process::id();
        let in_child = move || {
            die_with_parent(parent)?;
            mask.as_ref().map_or(Ok(()), crate::affinity::Mask::apply)
        };
        // SAFETY: the closure runs in the child between fork and exec, where another thread of the parent may
        // have held any lock at the moment of the fork. It makes three system calls on values it owns
        // (`prctl`, `getppid`, `sched_setaffinity`), and builds errors from bare numbers: no allocation, no
        // lock, no panic.
        unsafe { command.pre_exec(in_child) };
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn prepare_on_linux(_: &mut Command, cpus: Option<&CpuSet>) -> io::Result<()> {
        cpus.map_or(Ok(()), |_| Err(io::ErrorKind::Unsupported.into()))
    }

    #[cfg(target_os = "linux")]
    fn die_with_parent(parent: u32) -> io::Result<()> {
        // SAFETY: this request takes a signal number and touches no memory of ours.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // A parent that died before the request was made will send no signal.
        // SAFETY: takes nothing, cannot fail.
        let now = unsafe { libc::getppid() };
        if u32::try_from(now) == Ok(parent) { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
    }

    pub(super) fn signal_group(child: &mut Child, signal: Signal) -> io::Result<()> {
        let signal = match signal {
            Signal::Kill => libc::SIGKILL,
            Signal::Terminate => libc::SIGTERM,
        };
        // `kill` takes -1 for "everybody", which no child's number may ever turn into.
        let group = libc::pid_t::try_from(child.id()).ok().filter(|&id| id > 1);
        let group = group.ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: sends a signal and touches no memory of ours; the group is greater than 1, so it is one
        // group's.
        if unsafe { libc::kill(-group, signal) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() == Some(libc::ESRCH) { Ok(()) } else { Err(error) }
    }

    pub(super) fn cpu_time() -> Option<Duration> {
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        // SAFETY: the pointer is to writable memory of the type the call fills in.
        if unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, time.as_mut_ptr()) } != 0 {
            return None;
        }
        // SAFETY: the call succeeded, so it has filled in the time.
        let time = unsafe { time.assume_init() };
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
}

#[cfg(not(unix))]
mod os {
    use super::CpuSet;
    use std::io;
    use std::process::{Child, Command};
    use std::time::Duration;

    #[derive(Clone, Copy)]
    pub(super) enum Signal {
        Kill,
        Terminate,
    }

    pub(super) fn prepare(_: &mut Command, cpus: Option<&CpuSet>) -> io::Result<()> {
        cpus.map_or(Ok(()), |_| Err(io::ErrorKind::Unsupported.into()))
    }

    pub(super) fn signal_group(child: &mut Child, _: Signal) -> io::Result<()> {
        child.kill()
    }

    pub(super) fn cpu_time() -> Option<Duration> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{ChildStdout, Stdio};

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    fn start(script: &str) -> (Child, BufReader<ChildStdout>) {
        let mut child = spawn_in_own_group(&mut shell(script), None).expect("every Unix has a shell");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("the script says when it is ready");
        assert_eq!(line, "ready\n");
        (child, output)
    }

    /// What else the script writes, once all who could write have ended.
    fn rest(mut output: BufReader<ChildStdout>) -> String {
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("a shell writes text");
        rest
    }

    /// A script that starts another process, as a wrapper around an engine does.
    const WRAPPER: &str = "(echo ready; sleep 5; echo survived) & wait; echo survived";

    #[test]
    fn killing_reaches_the_childs_own_children() {
        let (mut child, output) = start(WRAPPER);
        kill_group(&mut child).expect("it is ours to kill");
        assert_eq!(child.wait().expect("it has ended").signal(), Some(libc::SIGKILL));
        assert_eq!(rest(output), "");
    }

    #[test]
    fn terminating_reaches_the_childs_own_children() {
        let (mut child, output) = start(WRAPPER);
        terminate_group(&mut child).expect("it is ours to end");
        assert_eq!(child.wait().expect("it has ended").signal(), Some(libc::SIGTERM));
        assert_eq!(rest(output), "");
    }

    #[test]
    fn terminating_can_be_answered() {
        let (mut child, output) = start("trap 'echo bye; exit 3' TERM; (echo ready; exec sleep 5) & wait");
        terminate_group(&mut child).expect("it is ours to end");
        assert_eq!(child.wait().expect("it has ended").code(), Some(3));
        assert_eq!(rest(output), "bye\n");
    }

    #[test]
    fn an_ended_child_can_be_killed_again() {
        let (mut child, _) = start("echo ready");
        child.wait().expect("it ends by itself");
        kill_group(&mut child).expect("nothing is left to kill");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error =
            spawn_in_own_group(&mut Command::new("/no/such/engine"), None).expect_err("there is none");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_child_dies_with_the_thread_that_started_it() {
        let starter = std::thread::spawn(|| start("echo ready; exec sleep 5"));
        let (mut child, _output) = starter.join().expect("the script starts");
        assert_eq!(child.wait().expect("it has ended").signal(), Some(libc::SIGKILL));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_child_runs_where_it_is_told() {
        let one: CpuSet = crate::affinity::current().expect("Linux tells").iter().take(1).collect();
        let mut command = shell("echo ready; exec cat /proc/self/status");
        let mut child = spawn_in_own_group(&mut command, Some(&one)).expect("every Unix has a shell");
        let status = rest(BufReader::new(child.stdout.take().expect("it is piped")));
        assert!(status.lines().any(|line| line == format!("Cpus_allowed_list:\t{one}")), "{status}");
        child.wait().expect("it has ended");

        let error =
            spawn_in_own_group(&mut shell("exit"), Some(&CpuSet::default())).expect_err("nowhere to run");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn work_takes_processor_time() {
        let before = cpu_time().expect("every Unix tells");
        let sum = (0..50_000_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
        std::hint::black_box(sum);
        assert!(cpu_time().expect("every Unix tells") > before);
    }
}
