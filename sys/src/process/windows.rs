//! Windows: a console group and a job object for each child.
//!
//! Ctrl-C goes to every process of a console but those in a group of their own. A job holds a process and
//! all that it starts; it ends them when it is terminated, or when the last handle on it is closed, which the
//! system does for a process that dies.

use std::collections::BTreeMap;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use windows_sys::Win32::Foundation::{FILETIME, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation, QueryInformationJobObject,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, GetCurrentProcess, GetProcessTimes, OpenProcess, OpenThread,
    PROCESS_QUERY_LIMITED_INFORMATION, ResumeThread, THREAD_SUSPEND_RESUME,
};

use super::{CpuSet, Running};

/// The jobs of children, by the child's number, until they are killed. [`Child`] has no place for them. The
/// job of a child that was never killed is closed, and with that ended, when its number comes again.
static JOBS: Mutex<BTreeMap<u32, OwnedHandle>> = Mutex::new(BTreeMap::new());

fn jobs() -> MutexGuard<'static, BTreeMap<u32, OwnedHandle>> {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a killed process returns, as with [`Child::kill`].
const KILLED: u32 = 1;

pub(super) fn spawn(command: &mut Command, cpus: Option<&CpuSet>) -> io::Result<Child> {
    if cpus.is_some() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    // A suspended child starts nothing before it is in its job.
    let spawned = command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED).spawn();
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    let mut child = spawned?;
    match job_of(&child).and_then(|job| resume(child.id()).map(|()| job)) {
        Ok(job) => {
            jobs().insert(child.id(), job);
            Ok(child)
        }
        Err(error) => {
            // It has not run yet; the first error is the one to report.
            let _ = child.kill().and_then(|()| child.wait());
            Err(error)
        }
    }
}

pub(super) fn bind_group(_: u32, _: &CpuSet) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn programs_of_group(_: u32) -> Vec<Running> {
    Vec::new()
}

pub(super) fn kill_group(child: &mut Child) -> io::Result<()> {
    let Some(job) = jobs().remove(&child.id()) else { return child.kill() };
    // SAFETY: the handle is open until the end of this function; the call touches no memory of ours.
    succeeded(unsafe { TerminateJobObject(job.as_raw_handle(), KILLED) })
}

pub(super) fn cpu_time_of(process: u32) -> Option<Duration> {
    if let Some(job) = jobs().get(&process) {
        return time_in(job);
    }
    // SAFETY: takes numbers and opens a handle; 0: that is not inherited.
    let handle = unsafe { owned(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process)) }.ok()?;
    times(handle.as_raw_handle())
}

pub(super) fn cpu_time() -> Option<Duration> {
    // SAFETY: takes nothing and cannot fail; the handle stands for this process and is not closed.
    times(unsafe { GetCurrentProcess() })
}

/// Puts a child into a new job, which ends all its processes when it is closed.
fn job_of(child: &Child) -> io::Result<OwnedHandle> {
    // SAFETY: null asks for the usual security and for no name; the call opens a handle.
    let job = unsafe { owned(CreateJobObjectW(ptr::null(), ptr::null())) }?;
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let size = size_of_val(&limits) as u32;
    // SAFETY: the handle is open, and the pointer leads to `size` readable bytes of the type that this kind
    // of information has.
    succeeded(unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size,
        )
    })?;
    // SAFETY: both handles are open; the call touches no memory of ours.
    succeeded(unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) })?;
    Ok(job)
}

/// Lets a suspended process run. It has one thread; the standard library keeps no handle on it.
fn resume(process: u32) -> io::Result<()> {
    // SAFETY: takes numbers and opens a handle.
    let snapshot = unsafe { owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0)) }?;
    let mut entry = THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    // SAFETY: the snapshot is open, and `entry` is writable and says its size, as the call asks.
    let mut found = unsafe { Thread32First(snapshot.as_raw_handle(), &mut entry) } != 0;
    let mut resumed = false;
    while found {
        if entry.th32OwnerProcessID == process {
            // SAFETY: takes numbers and opens a handle; 0: that is not inherited.
            let thread = unsafe { owned(OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID)) }?;
            // SAFETY: the handle is open and may resume; the call touches no memory of ours.
            if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            resumed = true;
        }
        // SAFETY: as for the first one.
        found = unsafe { Thread32Next(snapshot.as_raw_handle(), &mut entry) } != 0;
    }
    if resumed { Ok(()) } else { Err(io::Error::other("the thread of a new process is not there")) }
}

/// The time of all processes that are in a job or were.
fn time_in(job: &OwnedHandle) -> Option<Duration> {
    let mut used = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
    let size = size_of_val(&used) as u32;
    // SAFETY: the handle is open, and the pointer leads to `size` writable bytes of the type that this kind of
    // information has; null asks for no length.
    succeeded(unsafe {
        QueryInformationJobObject(
            job.as_raw_handle(),
            JobObjectBasicAccountingInformation,
            (&raw mut used).cast(),
            size,
            ptr::null_mut(),
        )
    })
    .ok()?;
    // In units of 100 ns.
    let ticks = u64::try_from(used.TotalUserTime.saturating_add(used.TotalKernelTime)).ok()?;
    Some(Duration::from_nanos(ticks.saturating_mul(100)))
}

/// Time in the kernel and outside it.
fn times(process: HANDLE) -> Option<Duration> {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the caller's handle is open, and the four pointers lead to writable values of their type.
    if unsafe { GetProcessTimes(process, &mut created, &mut ended, &mut kernel, &mut user) } == 0 {
        return None;
    }
    // In units of 100 ns.
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Some(Duration::from_nanos((ticks(kernel) + ticks(user)).saturating_mul(100)))
}

/// A new handle. Some calls answer null where there is none, others the invalid one.
///
/// # Safety
/// The handle is the answer of a call that opens one, and nothing else closes it.
unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has succeeded, so the handle is open; the caller promises the rest.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The system's `BOOL` as a result.
fn succeeded(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::{cpu_time, cpu_time_of, kill_group, spawn_in_own_group};
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::process::{ChildStdin, ChildStdout, Stdio};

    /// A shell that starts another one, as a wrapper around an engine does. Both say so if they get to their
    /// last word; the inner one waits for a line of input before it.
    const WRAPPER: &str = "cmd /c \"echo ready& set /p word=& echo survived\"& echo survived";

    fn start(line: &str) -> (Child, ChildStdin, BufReader<ChildStdout>) {
        let mut command = Command::new("cmd");
        command.raw_arg("/c").raw_arg(format!("\"{line}\"")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = spawn_in_own_group(&mut command, None).expect("every Windows has this shell");
        let input = child.stdin.take().expect("it is piped");
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it says when it is ready");
        assert_eq!(line.trim(), "ready");
        (child, input, output)
    }

    /// What else the shells write, once all who could write have ended: they wait for this end of the input.
    fn rest(input: ChildStdin, mut output: BufReader<ChildStdout>) -> String {
        drop(input);
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("a shell writes text");
        rest.trim().to_owned()
    }

    #[test]
    fn without_a_kill_both_shells_survive() {
        let (mut child, input, output) = start(WRAPPER);
        assert_eq!(rest(input, output).matches("survived").count(), 2);
        assert!(child.wait().expect("it ends by itself").success());
        kill_group(&mut child).expect("nothing is left to kill");
        kill_group(&mut child).expect("nor the second time");
    }

    #[test]
    fn killing_reaches_the_childs_own_children() {
        let (mut child, input, output) = start(WRAPPER);
        kill_group(&mut child).expect("it is ours to kill");
        assert_eq!(child.wait().expect("it has ended").code(), Some(KILLED as i32));
        assert_eq!(rest(input, output), "");
    }

    /// The handles of a process are closed when it dies, and so are its jobs.
    #[test]
    fn a_closed_job_ends_what_is_in_it() {
        let (mut child, input, output) = start(WRAPPER);
        drop(jobs().remove(&child.id()).expect("it has a job"));
        child.wait().expect("it has ended");
        assert_eq!(rest(input, output), "");
    }

    #[test]
    fn processor_time_is_that_of_the_process() {
        let before = cpu_time().expect("every Windows says so");
        let sum = (0..200_000_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
        std::hint::black_box(sum);
        let after = cpu_time_of(std::process::id()).expect("it runs");
        assert!(after > before, "{before:?} {after:?}");
    }
}
