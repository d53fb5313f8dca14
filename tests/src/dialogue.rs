//! A conversation with a running `firstborn`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::Running;

/// How long an answer may take before it counts as a hang: far more than any answer needs on a loaded machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A running engine; killed when dropped.
pub struct Dialogue {
    child: Running,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    /// The last things said, for the report of a failure.
    transcript: Vec<String>,
}

/// How a process ended.
pub struct Ending {
    /// Its exit status.
    pub status: ExitStatus,
    /// Lines it still said.
    pub rest: Vec<String>,
    /// All it wrote on standard error.
    pub errors: String,
}

impl Ending {
    /// Asserts an orderly end: success, and nothing on standard error.
    ///
    /// # Panics
    /// When it was not.
    pub fn orderly(self) -> Vec<String> {
        assert!(self.status.success() && self.errors.is_empty(), "{}: {}", self.status, self.errors);
        self.rest
    }
}

impl Dialogue {
    /// Starts `firstborn` with these arguments.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_in(Path::new("."), arguments)
    }

    /// Starts it in a folder of its own.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start_in(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(crate::firstborn());
        command.args(arguments).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Running::start(&mut command);
        let output = child.stdout.take().expect("it is piped");
        let mut errors = child.stderr.take().expect("it is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim_end().to_string()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What was read until the error is all that is wanted.
            let _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let input = child.stdin.take();
        Dialogue { child, input, lines, errors: Some(errors), transcript: Vec::new() }
    }

    /// A UCI dialogue past its greeting, `setup` lines already sent and done. A search does not belong into the setup:
    /// what it says before the setup's `readyok` is heard here and lost to the test.
    ///
    /// # Panics
    /// When the engine does not greet.
    pub fn uci(setup: &[&str]) -> Self {
        let mut engine = Self::start(&[]);
        engine.send("uci");
        engine.until("uciok");
        setup.iter().for_each(|line| engine.send(line));
        engine.ready();
        engine
    }

    /// An xboard dialogue past its features, `setup` lines already sent.
    ///
    /// # Panics
    /// When the engine does not tell its features.
    pub fn xboard(setup: &[&str]) -> Self {
        let mut engine = Self::start(&[]);
        engine.send("xboard");
        engine.send("protover 2");
        engine.until_line("feature done=1", |line| line.starts_with("feature") && line.contains("done=1"));
        setup.iter().for_each(|line| engine.send(line));
        engine.ping();
        engine
    }

    /// Writes a line.
    ///
    /// # Panics
    /// When the engine has gone.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes bytes as they are.
    ///
    /// # Panics
    /// When the engine has gone.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.note(format!("> {}", String::from_utf8_lossy(bytes).trim_end()));
        let input = self.input.as_mut().expect("the input has not been closed");
        if let Err(error) = input.write_all(bytes).and_then(|()| input.flush()) {
            self.fail(&format!("the engine does not listen: {error}"));
        }
    }

    /// Closes the engine's input.
    pub fn close(&mut self) {
        self.input = None;
    }

    /// The next line.
    ///
    /// # Panics
    /// When none comes.
    pub fn line(&mut self) -> String {
        self.line_before(Instant::now() + PATIENCE)
    }

    fn line_before(&mut self, deadline: Instant) -> String {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                self.note(format!("< {line}"));
                line
            }
            Err(RecvTimeoutError::Timeout) => self.fail("no answer"),
            Err(RecvTimeoutError::Disconnected) => self.fail("the engine ended"),
        }
    }

    /// Every line up to the first that begins with `start`, that one included.
    ///
    /// # Panics
    /// When it does not come.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        self.until_line(start, |line| line.starts_with(start))
    }

    /// Every line up to the first wanted one, that one included; `what` names it.
    ///
    /// # Panics
    /// When it does not come.
    pub fn until_line(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        self.note(format!("(waiting for {what})"));
        let deadline = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        loop {
            let line = self.line_before(deadline);
            let found = wanted(&line);
            seen.push(line);
            if found {
                return seen;
            }
        }
    }

    /// Waits until everything said has been heard (UCI); returns the lines before the answer.
    pub fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Waits until everything said has been done (xboard); returns the lines before the answer.
    pub fn ping(&mut self) -> Vec<String> {
        self.send("ping 4711");
        let mut lines = self.until("pong 4711");
        lines.pop();
        lines
    }

    /// Waits for the process to end by itself.
    ///
    /// # Panics
    /// When it does not.
    pub fn end(mut self) -> Ending {
        let deadline = Instant::now() + PATIENCE;
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => self.fail("the engine does not end"),
            }
        }
        // Its output is closed: the process is past everything that could block.
        let status = self.child.wait().expect("it was started");
        let errors = self.errors.take().map(|errors| errors.join().unwrap_or_default()).unwrap_or_default();
        Ending { status, rest, errors }
    }

    /// Says `quit` and waits for an orderly end.
    pub fn quit(mut self) -> Vec<String> {
        self.send("quit");
        self.end().orderly()
    }

    fn note(&mut self, line: String) {
        if self.transcript.len() >= 80 {
            self.transcript.drain(..40);
        }
        self.transcript.push(line);
    }

    fn fail(&mut self, what: &str) -> ! {
        // Dead or hanging: killed, so that its error stream ends.
        let _ = self.child.kill();
        let status = self.child.wait();
        let errors = self.errors.take().map(|errors| errors.join().unwrap_or_default()).unwrap_or_default();
        panic!("{what} ({status:?})\n{}\nstderr: {errors}", self.transcript.join("\n"));
    }
}
