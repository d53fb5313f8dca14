//! Unix: a process group for each child; on Linux the kernel also kills it with its starter.

use super::{CpuSet, Running};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

pub(super) fn spawn(command: &mut Command, cpus: Option<&CpuSet>) -> io::Result<Child> {
    command.process_group(0);
    prepare_on_linux(command, cpus)?;
    if let Some(limit) = crate::files::before() {
        // SAFETY: the closure runs in the child between fork and exec, where another thread of the parent may
        // have held any lock at the moment of the fork. It makes one system call (`setrlimit`) on a value it
        // owns, and builds an error from a bare number: no allocation, no lock, no panic.
        unsafe { command.pre_exec(move || crate::files::set(limit)) };
    }
    command.spawn()
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

/// Passes over a group that starts threads all the time: after one pass only threads that were started
/// during it can be unbound, so that few passes are ever needed.
#[cfg(target_os = "linux")]
const MOST_PASSES: usize = 64;

#[cfg(target_os = "linux")]
pub(super) fn bind_group(leader: u32, cpus: &CpuSet) -> io::Result<()> {
    bind_group_seen_in(Path::new(PROCESSES), leader, cpus)
}

/// Binds the threads of a group that this folder of processes has.
#[cfg(target_os = "linux")]
pub(super) fn bind_group_seen_in(processes: &Path, leader: u32, cpus: &CpuSet) -> io::Result<()> {
    let mask = crate::affinity::Mask::new(cpus);
    // Whether the thread was there to be bound.
    let bind = |thread: u32| match mask.apply_to(thread) {
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(false),
        bound => bound.map(|()| true),
    };
    // Its first thread at least, whatever is seen of the others.
    bind(leader)?;
    let mut found = std::collections::HashSet::new();
    for _ in 0..MOST_PASSES {
        let known = found.len();
        for thread in threads_of_group(processes, leader)? {
            if found.insert(thread) {
                bind(thread)?;
            }
        }
        if found.len() == known {
            break;
        }
    }
    // A leader that lives has been found, or the system does not show what there is.
    if !found.contains(&leader) && bind(leader)? {
        let why = format!("threads of process {leader} cannot be found in {}", processes.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bind_group(_: u32, _: &CpuSet) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Where the kernel lists processes.
#[cfg(target_os = "linux")]
const PROCESSES: &str = "/proc";

/// The names in a folder that are numbers.
#[cfg(target_os = "linux")]
fn numbers(folder: &Path) -> io::Result<Vec<u32>> {
    let entries = std::fs::read_dir(folder)?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// The processes in a group, by their numbers. What ends meanwhile is left out.
#[cfg(target_os = "linux")]
fn processes_of_group(processes: &Path, leader: u32) -> io::Result<Vec<u32>> {
    let in_group = |process: &u32| {
        let stat = crate::tree::text(processes, format!("{process}/stat"));
        // The name, in parentheses, may hold anything; after it come state, parent and group.
        let group = stat.and_then(|stat| stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok());
        group == Some(leader)
    };
    let all = numbers(processes).map_err(|error| unlisted(processes, &error))?;
    Ok(all.into_iter().filter(in_group).collect())
}

/// The threads of all processes in a group, by their numbers, and of its leader even if that has left it. What ends
/// meanwhile is left out.
#[cfg(target_os = "linux")]
fn threads_of_group(processes: &Path, leader: u32) -> io::Result<Vec<u32>> {
    let mut group = processes_of_group(processes, leader)?;
    if !group.contains(&leader) {
        group.push(leader);
    }
    let mut threads = Vec::new();
    for process in group {
        let tasks = processes.join(format!("{process}/task"));
        match numbers(&tasks) {
            Ok(found) => threads.extend(found),
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(unlisted(&tasks, &error)),
        }
    }
    Ok(threads)
}

/// The same error, with the folder that was to be listed.
#[cfg(target_os = "linux")]
fn unlisted(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot list {}: {error}", folder.display()))
}

/// Whether a process has ended while it was looked at.
#[cfg(target_os = "linux")]
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

/// What the system adds to the name of a file that is gone.
#[cfg(target_os = "linux")]
const GONE: &str = " (deleted)";

#[cfg(target_os = "linux")]
pub(super) fn programs_of_group(leader: u32) -> Vec<Running> {
    let running = |process: u32| {
        let file = Path::new(PROCESSES).join(format!("{process}/exe"));
        let path = std::fs::read_link(&file).ok()?;
        let path = match path.to_str().and_then(|text| text.strip_suffix(GONE)) {
            Some(known) if !path.exists() => known.into(),
            _ => path,
        };
        Some(Running { file, path })
    };
    // Nothing is known where processes cannot be listed.
    let group = processes_of_group(Path::new(PROCESSES), leader).unwrap_or_default();
    group.into_iter().filter_map(running).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn programs_of_group(_: u32) -> Vec<Running> {
    Vec::new()
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

pub(super) fn kill_group(child: &mut Child) -> io::Result<()> {
    // `kill` takes -1 for "everybody", which no child's number may ever turn into.
    let group = libc::pid_t::try_from(child.id()).ok().filter(|&id| id > 1);
    let group = group.ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: sends a signal and touches no memory of ours; the group is greater than 1, so it is one
    // group's.
    if unsafe { libc::kill(-group, libc::SIGKILL) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    if error.raw_os_error() == Some(libc::ESRCH) { Ok(()) } else { Err(error) }
}

#[cfg(target_os = "linux")]
pub(super) fn cpu_time_of(process: u32) -> Option<Duration> {
    cpu_time_seen_in(Path::new(PROCESSES), process)
}

/// The processes that a process has started and not waited for yet. Only those are looked at: to go through all of
/// the machine's takes the longer the more engines play. `None`: the kernel does not list them
/// (`CONFIG_PROC_CHILDREN`).
#[cfg(target_os = "linux")]
fn children(processes: &Path, process: u32) -> Option<Vec<u32>> {
    let tasks = processes.join(format!("{process}/task"));
    let mut found = Vec::new();
    // A process that has ended meanwhile has no threads.
    for thread in numbers(&tasks).unwrap_or_default() {
        let thread = tasks.join(thread.to_string());
        match std::fs::read_to_string(thread.join("children")) {
            Ok(list) => found.extend(list.split_whitespace().filter_map(|child| child.parse::<u32>().ok())),
            Err(_) if thread.join("stat").exists() => return None,
            Err(_) => {}
        }
    }
    Some(found)
}

/// Processor time of a process and of the children that it has waited for, in ticks.
#[cfg(target_os = "linux")]
fn ticks(processes: &Path, process: u32) -> Option<u64> {
    let stat = crate::tree::text(processes, format!("{process}/stat"))?;
    // The name, in parentheses, may hold anything; user and system time are the 14th and 15th field, and those of
    // the children the two behind them.
    let times = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    times.map(|field| field.parse::<u64>().ok()).sum()
}

/// The processor time of a process and of all that it has started, as this folder of processes has them.
#[cfg(target_os = "linux")]
fn cpu_time_seen_in(processes: &Path, first: u32) -> Option<Duration> {
    let (mut family, mut next) = (vec![first], 0);
    while let Some(&process) = family.get(next) {
        family.extend(children(processes, process)?);
        next += 1;
    }
    let own = ticks(processes, first)?;
    // One that has ended meanwhile is among those that another has waited for.
    let others = family[1..].iter().filter_map(|&process| ticks(processes, process));
    let used = others.fold(own, u64::saturating_add);
    // SAFETY: takes a number and touches no memory of ours.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    let per_second = u64::try_from(per_second).ok().filter(|&ticks| ticks > 0)?;
    Some(Duration::from_micros(used.saturating_mul(1_000_000) / per_second))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn cpu_time_of(_: u32) -> Option<Duration> {
    None
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_processes_that_cannot_be_listed_is_named() {
        let folder = tempfile::tempdir().expect("tests may write to the temporary folder");
        let refused = |processes: &Path, named: &Path| {
            let error = threads_of_group(processes, 1).expect_err("it is no folder");
            let text = error.to_string();
            assert!(text.starts_with(&format!("cannot list {}: ", named.display())), "{text}");
            error.kind()
        };
        let missing = folder.path().join("missing");
        assert_eq!(refused(&missing, &missing), io::ErrorKind::NotFound);
        let tasks = folder.path().join("1/task");
        std::fs::create_dir(folder.path().join("1")).expect("it can be made");
        std::fs::write(&tasks, "").expect("it can be written");
        assert_eq!(refused(folder.path(), &tasks), io::ErrorKind::NotADirectory);
    }

    /// proc(5): `children` of every thread, and the fields 14 to 17 of `stat`.
    #[test]
    fn processor_time_is_that_of_a_process_and_all_that_it_started() {
        let stat = |used: u64| format!("7 (a) b) S 1 1 1 0 -1 0 0 0 0 0 {used} 2 3 4 20 0 1 0\n");
        let (ten, twenty, sum) = (stat(10), stat(20), stat(39));
        let started = [
            ("7/stat", ten.as_str()),
            ("7/task/7/stat", ten.as_str()),
            ("7/task/7/children", ""),
            ("7/task/70/children", "8 9 \n"),
            ("8/stat", twenty.as_str()),
            ("8/task/8/children", ""),
        ];
        let of = |files: &[(&str, &str)]| cpu_time_seen_in(crate::tree::fake::machine(files).path(), 7);
        let alone = of(&[("7/stat", sum.as_str()), ("7/task/7/children", "")]);
        assert!(alone.is_some());
        assert_eq!(of(&started), alone, "9 has ended, and 7 has not waited for it");
        assert_eq!(of(&started[..2]), None, "a kernel that does not say what was started");
        assert_eq!(of(&started[4..]), None, "it is gone");
    }
}
