//! Child processes that can be stopped for certain, and this process's own use of the processor.
//!
//! A tournament starts other people's engines, often through a shell script, and must be able to end them
//! whatever they do. So each child leads a process group of its own: a signal to the group reaches the script
//! and the engine it started, and Ctrl-C at the terminal reaches none of them. On Linux the kernel also kills
//! the child when we die, so that a crashed tournament leaves no engine behind at full load. On Windows each
//! child has a job object, which holds what it starts as well and ends all of it when we die.

use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use crate::affinity::CpuSet;

/// Starts `command` as the leader of a new process group, bound to `cpus` if given.
///
/// On Linux the child is killed when the *thread* that started it ends (the kernel's `PR_SET_PDEATHSIG` goes
/// by threads, not processes). Start children from a thread that outlives them. Only the child itself is
/// covered, not what it starts in turn.
///
/// On Windows the child and everything it starts are in a job object, and end with this process.
///
/// The preparations stay in `command`: starting it again starts the next child in the same manner, so build a
/// new command for other CPUs.
///
/// # Errors
/// Those of [`Command::spawn`]; [`io::ErrorKind::InvalidInput`] if none of `cpus` can be used;
/// [`io::ErrorKind::Unsupported`] for any `cpus` on systems other than Linux; on Windows what the system
/// answers when the child cannot be put into a job.
pub fn spawn_in_own_group(command: &mut Command, cpus: Option<&CpuSet>) -> io::Result<Child> {
    os::spawn(command, cpus)
}

/// Binds every thread of every process in a child's group to `cpus`, and so the threads they start from now
/// on.
///
/// Threads that are started meanwhile by one that is not bound yet are found as well. A group without a
/// process, or a thread that ends meanwhile, is no error. As with [`kill_group`], no stranger can have the
/// child's number before the child has been waited for.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if no CPU of the set may be used; [`io::ErrorKind::PermissionDenied`] for
/// a process of another user; [`io::ErrorKind::NotFound`], or what else the system answers, if it does not list
/// the processes and their threads, of which only the child's first is then bound for certain;
/// [`io::ErrorKind::Unsupported`] on systems other than Linux.
pub fn bind_group(child: &Child, cpus: &CpuSet) -> io::Result<()> {
    os::bind_group(child.id(), cpus)
}

/// Ends the child and everything in its group at once (`SIGKILL`); the child must still be waited for.
///
/// It is no error if nothing is left of the group. Call it before the child has been waited for: as long as
/// it has not, the number of its group cannot be given to strangers.
///
/// # Errors
/// What the system answers, such as [`io::ErrorKind::PermissionDenied`] for a child that changed its user.
pub fn kill_group(child: &mut Child) -> io::Result<()> {
    os::kill_group(child)
}

/// The processor time all threads of this process have used so far; `None` where the system does not say.
///
/// What an idle engine uses between two calls should be next to nothing.
pub fn cpu_time() -> Option<Duration> {
    os::cpu_time()
}

/// The processor time that another process and everything it has started have used so far: that of all their
/// threads, those that have ended included, and of processes that have ended and were waited for. `None` for a
/// process that is gone, where the kernel does not say what a process has started, and on systems other than Linux
/// and Windows. Its resolution is the kernel's clock tick, some milliseconds. Windows remembers the times of a
/// child that has ended until it is killed, or the [`Child`] is dropped.
///
/// What an engine used between two calls, beside the time on its clock, says whether the machine let it run.
#[must_use]
pub fn cpu_time_of(process: u32) -> Option<Duration> {
    os::cpu_time_of(process)
}

/// A program that a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its file as the system has it, to be read as long as the process runs, even if the file itself is replaced.
    pub file: PathBuf,
    /// Where that file lies, or lay.
    pub path: PathBuf,
}

/// The programs that the processes in the group of this leader run; a wrapper script's interpreter is one of
/// them. Those of processes that the system does not tell about are left out, and so are all on systems other than
/// Linux.
#[must_use]
pub fn programs_of_group(leader: u32) -> Vec<Running> {
    os::programs_of_group(leader)
}

#[cfg_attr(unix, path = "process/unix.rs")]
#[cfg_attr(windows, path = "process/windows.rs")]
mod os;

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

    /// What the kernel's own files say of all threads of a process.
    #[cfg(target_os = "linux")]
    fn allowed(process: u32) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
        let status = |task: std::fs::DirEntry| {
            crate::tree::field(&task.path(), "status", "Cpus_allowed_list").expect("Linux tells")
        };
        tasks.flatten().map(status).collect()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn binding_reaches_every_thread_of_the_childs_own_children() {
        let before = crate::affinity::current().expect("Linux tells");
        let one: CpuSet = before.iter().last().into_iter().collect();
        // The shell does not end with what it started, and the process it started says its number.
        let (mut child, mut output) = start("echo ready; sh -c 'echo $$; exec sleep 5'; :");
        let mut number = String::new();
        output.read_line(&mut number).expect("it says its number");
        let other: u32 = number.trim().parse().expect("it is a number");
        assert_eq!([allowed(child.id()), allowed(other)].concat(), vec![before.to_string(); 2]);
        bind_group(&child, &one).expect("they are ours to bind");
        assert_eq!([allowed(child.id()), allowed(other)].concat(), vec![one.to_string(); 2]);
        let nowhere = bind_group(&child, &CpuSet::default()).expect_err("nowhere to run");
        assert_eq!(nowhere.kind(), io::ErrorKind::InvalidInput);
        kill_group(&mut child).expect("it is ours to kill");
        child.wait().expect("it has ended");
        bind_group(&child, &one).expect("nothing is left to bind");
    }

    /// Where there is no `/proc`, or processes are missing in it.
    #[test]
    #[cfg(target_os = "linux")]
    fn binding_what_cannot_be_seen_is_an_error() {
        let one: CpuSet =
            crate::affinity::current().expect("Linux tells").iter().last().into_iter().collect();
        let empty = tempfile::tempdir().expect("tests may write to the temporary folder");
        for seen in [empty.path().join("missing"), empty.path().to_owned()] {
            let (mut child, _output) = start("echo ready; exec sleep 5");
            let refused =
                os::bind_group_seen_in(&seen, child.id(), &one).expect_err("its threads are unseen");
            assert_eq!(refused.kind(), io::ErrorKind::NotFound);
            assert_eq!(allowed(child.id()), [one.to_string()], "its first thread is bound all the same");
            kill_group(&mut child).expect("it is ours to kill");
            child.wait().expect("it has ended");
            let gone = os::bind_group_seen_in(empty.path(), child.id(), &one);
            gone.expect("nothing is left to bind");
        }
    }

    /// The shell itself, and what it starts; a file that is gone by then is named as it was, and can be read still.
    #[test]
    #[cfg(target_os = "linux")]
    fn programs_of_the_childs_own_children_are_known() {
        let folder = tempfile::tempdir().expect("tests may write to the temporary folder");
        let sleep = folder.path().join("my sleep");
        // By another process: what is open for writing here is so in what other threads start, too, and cannot be run
        // meanwhile.
        let copied = Command::new("cp").arg("/bin/sleep").arg(&sleep).status();
        assert!(copied.is_ok_and(|status| status.success()), "every Linux has it");
        let (mut child, _output) = start(&format!("'{}' 60 & echo ready; wait", sleep.display()));
        let shell = std::fs::canonicalize("/bin/sh").expect("every Linux has it");
        let copy = std::fs::canonicalize(&sleep).expect("it has just been written");
        let paths = || -> Vec<PathBuf> {
            let mut paths: Vec<_> =
                programs_of_group(child.id()).into_iter().map(|running| running.path).collect();
            paths.sort();
            paths
        };
        let mut wanted = vec![copy.clone(), shell];
        wanted.sort();
        // Between its fork and its start the second process runs the shell, too.
        while paths() != wanted {
            std::thread::yield_now();
        }
        std::fs::remove_file(&copy).expect("it is ours");
        assert_eq!(paths(), wanted);
        let running = programs_of_group(child.id()).into_iter().find(|running| running.path == copy);
        let read = std::fs::read(running.expect("it runs").file).expect("it runs");
        assert!(read == std::fs::read("/bin/sleep").expect("every Linux has it"));
        kill_group(&mut child).expect("it is ours to kill");
        child.wait().expect("it has ended");
        // What it started is waited for by another process.
        while !programs_of_group(child.id()).is_empty() {
            std::thread::yield_now();
        }
    }

    /// What the working shell's own `times` says: of one that is started, and of one behind another, while it runs
    /// and when it has ended.
    #[test]
    #[cfg(target_os = "linux")]
    fn another_process_uses_processor_time() {
        let work = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times; echo done; read _; :";
        for (script, is_behind) in
            [(work.to_owned(), false), (format!("sh -c '{work}'; echo ended; read _; :"), true)]
        {
            let mut command = shell(&script);
            command.stdin(Stdio::piped());
            let mut child = spawn_in_own_group(&mut command, None).expect("every Unix has a shell");
            let mut input = child.stdin.take().expect("it is piped");
            let mut output = BufReader::new(child.stdout.take().expect("it is piped")).lines();
            let mut line = || output.next().expect("it says more").expect("it says text");
            // Minutes, then seconds: `0m0.120000s 0m0.010000s`.
            let seconds = |word: &str| {
                word.trim_end_matches('s').split_once('m').and_then(|(_, s)| s.parse::<f64>().ok())
            };
            let own: f64 = line().split_whitespace().filter_map(seconds).sum();
            let look = || {
                let seen = cpu_time_of(child.id()).expect("it runs").as_secs_f64();
                assert!(own > 0.0 && (seen - own).abs() <= 0.05, "{script}: {own} {seen}");
            };
            while line() != "done" {}
            look();
            if is_behind {
                io::Write::write_all(&mut input, b"\n").expect("it reads");
                while line() != "ended" {}
                look();
            }
            kill_group(&mut child).expect("it is ours to kill");
            child.wait().expect("it has ended");
            assert_eq!(cpu_time_of(child.id()), None);
        }
    }

    #[test]
    fn work_takes_processor_time() {
        let before = cpu_time().expect("every Unix tells");
        let sum = (0..50_000_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
        std::hint::black_box(sum);
        assert!(cpu_time().expect("every Unix tells") > before);
    }
}
