//! A place where tournaments are held: a folder with an engine in it, and the command that is tried.
#![allow(dead_code, reason = "every test uses its own part")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

#[cfg(unix)]
use std::io::{self, BufRead, BufReader, Read};
#[cfg(unix)]
use std::process::Child;
#[cfg(unix)]
use std::sync::mpsc::channel;
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;
#[cfg(unix)]
use tests::Running;

/// How often a test that waits for engines looks whether the program still runs.
#[cfg(unix)]
const LOOK_UP: Duration = Duration::from_millis(100);

/// The names of all formats, as the program tells them where it knows none of that name.
pub fn formats() -> Vec<String> {
    let output =
        Command::new(tests::firstborn()).args(["tournament", "--format", "ladder"]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let known = errors.lines().find_map(|line| line.split_once("known are ")).expect("it tells them").1;
    let name = |told: &str| told.split('[').next().unwrap_or(told).to_owned();
    known.split(", ").map(name).collect()
}

/// A folder with an engine in it that says when it is started.
pub struct Hall {
    pub folder: TempDir,
}

impl Hall {
    pub fn new() -> Self {
        let hall = Self { folder: tempfile::tempdir().unwrap() };
        hall.make_engine();
        hall
    }

    /// The engine is Firstborn behind a script that first leaves a file, writes a line into a pipe and marks its
    /// environment.
    #[cfg(unix)]
    fn make_engine(&self) {
        assert!(Command::new("mkfifo").arg(self.path("started")).status().unwrap().success());
        let script = format!(
            "#!/bin/sh\n: >'{}'\n[ -n \"$QUIET_START\" ] || echo started >'{}'\nHALL='{}' exec '{}' uci\n",
            self.path("an-engine-ran").display(),
            self.path("started").display(),
            self.folder.path().display(),
            tests::firstborn().display()
        );
        tests::executable(&self.path("engine"), script);
    }

    /// The engine is a copy of Firstborn, to be found without its `.exe`.
    #[cfg(not(unix))]
    fn make_engine(&self) {
        let name = format!("engine{}", std::env::consts::EXE_SUFFIX);
        fs::copy(tests::firstborn(), self.path(&name)).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `firstborn tournament` between two copies of the engine, in this folder.
    pub fn command(&self, options: &str) -> Command {
        let mut command = Command::new(tests::firstborn());
        command.current_dir(self.folder.path()).arg("tournament");
        command
            .args("--engine name=A cmd=./engine proto=uci --engine name=B cmd=./engine proto=uci".split(' '));
        command.args(options.split_whitespace()).stdin(Stdio::null());
        // Other tests play at the same time, and on as few CPUs as there are.
        command.env("FIRSTBORN_CPU_LOCKS", self.path("locks"));
        command
    }

    /// Any command of the program, in this folder.
    pub fn other(&self, program: &Path, words: &str) -> Output {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(words.split_whitespace()).stdin(Stdio::null());
        command.env("FIRSTBORN_CPU_LOCKS", self.path("locks")).env("QUIET_START", "1");
        command.output().unwrap()
    }

    /// Runs it to its end, its engines silent about their start.
    pub fn run(&self, options: &str) -> Output {
        self.command(options).env("QUIET_START", "1").output().unwrap()
    }

    /// Starts it and returns when the engines of its first game have been started (each is tried once before).
    ///
    /// # Panics
    /// When it ends before it has started any.
    #[cfg(unix)]
    pub fn start(&self, options: &str) -> Running {
        let mut command = self.command(options);
        let mut run = Running::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let (started, heard) = channel();
        let pipe = self.path("started");
        // It waits for engines, of which there may be none.
        thread::spawn(move || started.send(hear_four(&pipe)));
        tests::wait_until("engines are started", || {
            if run.try_wait().unwrap().is_some() && !self.path("an-engine-ran").exists() {
                let mut errors = String::new();
                run.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
                panic!("no engine was started: {errors}");
            }
            heard.recv_timeout(LOOK_UP).is_ok_and(|heard| heard.is_ok())
        });
        run
    }

    /// The numbers of the games in a journal.
    pub fn games(&self, journal: &str) -> Vec<u64> {
        let text = fs::read_to_string(self.path(journal)).unwrap_or_default();
        let lines = text.lines().skip(1);
        let lines =
            lines.map(|line| serde_json::from_str::<Value>(line).expect("a whole line is whole JSON"));
        // Lines without a number name other programs.
        lines.filter_map(|line| line["id"].as_u64()).collect()
    }

    /// Processes that carry this folder's mark in their environment; none on systems that do not tell.
    pub fn left_behind(&self) -> Vec<String> {
        let mark = format!("HALL={}", self.folder.path().display());
        let processes = match fs::read_dir("/proc") {
            Ok(processes) => processes,
            Err(error) if cfg!(target_os = "linux") => panic!("processes cannot be listed: {error}"),
            Err(_) => {
                tests::skipped("what is left behind: processes cannot be listed here");
                return Vec::new();
            }
        };
        let marked = |path: &Path| {
            let environment = fs::read(path.join("environ")).ok()?;
            let found = environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes());
            found.then(|| path.display().to_string())
        };
        processes.flatten().filter_map(|entry| marked(&entry.path())).collect()
    }
}

/// Waits until engines have written four lines into the pipe, and removes it: from then on they find it without a
/// reader and must not wait for that.
#[cfg(unix)]
fn hear_four(pipe: &Path) -> io::Result<()> {
    // Open for both, it has no end: an engine that comes between two others writes to a reader as well.
    let mut heard = BufReader::new(fs::File::options().read(true).write(true).open(pipe)?).lines();
    heard.by_ref().take(4).try_for_each(|line| line.map(drop))?;
    fs::remove_file(pipe)
}

/// Sends a signal.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    // The process may have ended on the signal before.
    let _ = Command::new("kill").args([name, &child.id().to_string()]).stderr(Stdio::null()).status();
}

/// The one JSON document that was printed.
pub fn document(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 1, "{text}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).unwrap()
}

/// Left behind by a failed test, they would think for an hour.
#[test]
#[cfg(target_os = "linux")]
fn engines_end_with_the_test_that_has_started_them() {
    let hall = Hall::new();
    let run = hall.start("--each st=3600 --rounds 1 --budget 1");
    tests::wait_until("both engines are there", || hall.left_behind().len() == 2);
    drop(run);
    tests::wait_until("they are gone", || hall.left_behind().is_empty());
}

/// A test that would wait for engines for ever says why there are none.
#[test]
#[cfg(unix)]
#[should_panic(expected = "unknown tournament format `ladder`")]
fn no_engines_are_waited_for_that_are_not_started() {
    Hall::new().start("--format ladder");
}
