//! A place where tournaments are held: a folder with an engine in it, and the command that is tried.
#![allow(dead_code, reason = "every test uses its own part")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

#[cfg(unix)]
use std::process::Child;

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
    #[cfg(unix)]
    pub fn start(&self, options: &str) -> Child {
        use std::io::{BufRead, BufReader};
        let child = self.command(options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = 0;
        while lines < 4 {
            // Opening waits for a writer; the end of the file is the end of that writer.
            let pipe = BufReader::new(fs::File::open(self.path("started")).unwrap());
            lines += pipe.lines().map_while(Result::ok).count();
        }
        // From now on engines find the pipe without a reader and must not wait for that.
        fs::remove_file(self.path("started")).unwrap();
        child
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
