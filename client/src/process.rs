//! An engine's operating-system process: two pipes in, one pipe out, and a certain end.
//!
//! One thread reads standard output and stamps every line with the moment it was read, so that a move's time
//! does not depend on when it is looked at; another keeps the last lines of standard error for the diagnosis; a
//! third one writes, so that an engine that does not read its input holds nothing up. Lines arrive over a
//! channel: a caller that waits sleeps until there is something to wake for, and nothing is ever polled. Dropping
//! a [`Process`] kills its whole process group, so neither a crash of the runner's thread nor a forgotten `quit`
//! leaves an engine behind; one that the system does not end is told of, and holds nothing up.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam::channel::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};

use crate::text;

use super::config::EngineConfig;
use super::failure::{Failure, FailureKind};
use super::start::StartError;
use super::writer::Writer;

/// How many lines of standard error, and of the conversation, are kept for a diagnosis.
const TAIL: usize = 12;
/// Of a longer line this many bytes are kept: no engine says that much, and a babbler must not eat the memory.
const LONGEST_LINE: u64 = 64 * 1024;
/// Places for lines that an engine may be ahead of its reader before its writes block: four MiB altogether.
const BACKLOG: usize = 4096;
/// A line takes a place for every so many bytes of it that are begun.
const PLACE: usize = 1024;
/// How long the end of a process that was killed is waited for: it may belong to another user, or wait for a device.
const DIES: Duration = Duration::from_secs(2);

/// What a line of a conversation with an engine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// A line that was sent to the engine.
    Sent,
    /// A line of its standard output.
    Output,
    /// A line of its standard error.
    Error,
}

/// Hears everything that is said to an engine and by it, in the threads that write and read it: it must be
/// quick.
pub trait Listener: Send + Sync {
    /// A line, and the moment at which it was complete. One that is sent is reported before it is written, and so
    /// before its answer; otherwise threads that write and read may report lines in another order.
    fn line(&self, at: Instant, stream: Stream, text: &str);

    /// The file to which the process's standard error is added cannot be written any more, for this reason.
    /// Nothing more of that process goes there.
    fn lost_log(&self, _why: &str) {}

    /// The process was to leave by itself, has not done so for this long, and is killed.
    fn overstays(&self, _patience: Duration) {}

    /// The process cannot be ended, for this reason, and is left to itself.
    fn outlives(&self, _why: &str) {}
}

/// How processes are started, bound to processors and ended.
pub trait Launcher: Send + Sync {
    /// Starts the command, whose pipes are already set. The child must lead a process group of its own.
    fn launch(&self, command: &mut Command) -> io::Result<Child>;

    /// The child has greeted and is not at work yet: the moment to bind it to processors.
    ///
    /// # Errors
    /// What the system answers.
    fn greeted(&self, _child: &Child) -> io::Result<()> {
        Ok(())
    }

    /// Ends the child and everything in its process group, now. A child that is gone already is no error.
    ///
    /// # Errors
    /// What the system answers.
    fn kill(&self, child: &mut Child) -> io::Result<()>;

    /// Hears the conversation with the process that is about to be started; none by default.
    fn listener(&self) -> Option<Arc<dyn Listener>> {
        None
    }
}

/// `CREATE_NEW_PROCESS_GROUP`, from Microsoft's page "Process Creation Flags".
#[cfg(windows)]
const NEW_PROCESS_GROUP: u32 = 0x200;

/// A launcher that gives the child its own process group and kills only the child itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainLauncher;

impl Launcher for PlainLauncher {
    fn launch(&self, command: &mut Command) -> io::Result<Child> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        #[cfg(windows)]
        std::os::windows::process::CommandExt::creation_flags(command, NEW_PROCESS_GROUP);
        command.spawn()
    }

    fn kill(&self, child: &mut Child) -> io::Result<()> {
        child.kill()
    }
}

/// What the reading thread hands over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A line without its line end, and the moment it was complete.
    Line(Instant, String),
    /// Standard output was closed: nothing more will come.
    Closed(Instant),
}

/// Hands lines from the reading thread over, few enough not to fill the memory however long they are.
fn backlog() -> (Outlet, Inlet) {
    let ((sender, events), (take, free)) = (channel::unbounded(), channel::bounded(BACKLOG));
    (Outlet { sender, places: take }, Inlet { events, places: free })
}

/// The places that a line takes.
fn places(line: &str) -> usize {
    1 + line.len() / PLACE
}

/// The reading thread's end of the backlog.
struct Outlet {
    sender: Sender<Event>,
    places: Sender<()>,
}

impl Outlet {
    /// Hands a line over once there is room for it; false if nothing listens any more.
    fn line(&self, at: Instant, line: String) -> bool {
        let room = (0..places(&line)).all(|_| self.places.send(()).is_ok());
        room && self.sender.send(Event::Line(at, line)).is_ok()
    }
}

/// The other end.
struct Inlet {
    events: Receiver<Event>,
    places: Receiver<()>,
}

impl Inlet {
    /// Takes in what was received, which makes room for more.
    fn taken(&self, event: Event) -> Event {
        if let Event::Line(_, line) = &event {
            // They were taken before the line was sent.
            self.places.try_iter().take(places(line)).for_each(|()| {});
        }
        event
    }
}

/// Why waiting for a line ended without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLine {
    /// The deadline passed.
    Timeout,
    /// The engine closed its standard output (most often: it died).
    Closed,
    /// The caller's abort channel was closed: the game is to be given up.
    Aborted,
}

/// A running engine process.
pub struct Process {
    /// There until the process is dropped.
    child: Option<Child>,
    id: u32,
    stdin: Option<Writer>,
    backlog: Inlet,
    /// A line that was read after the deadline of the wait that met it: it is the next wait's.
    late: Option<(Instant, String)>,
    spoken: bool,
    stderr_tail: Arc<Mutex<VecDeque<String>>>,
    readers: Vec<JoinHandle<()>>,
    launcher: Arc<dyn Launcher>,
    abort: Receiver<()>,
    sent: VecDeque<String>,
    listener: Option<Arc<dyn Listener>>,
}

impl Process {
    /// Starts the engine's command in its directory.
    ///
    /// `abort` ends every wait at once when its sending side is dropped; [`channel::never`] if that is not
    /// wanted.
    ///
    /// # Errors
    /// [`FailureKind::Start`] when the operating system refuses, with its reason.
    pub fn start(
        config: &EngineConfig,
        launcher: Arc<dyn Launcher>,
        abort: Receiver<()>,
    ) -> Result<Self, Failure> {
        let mut command = Command::new(config.program());
        command.args(&config.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = &config.dir {
            command.current_dir(dir);
        }
        let start_error =
            |error: io::Error| Failure::new(FailureKind::Start(StartError::diagnose(config, &error)));
        let log = config.stderr.as_deref().map(Log::open).transpose().map_err(start_error)?;
        let listener = launcher.listener();
        let mut child = launcher.launch(&mut command).map_err(start_error)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            // The missing pipes are what is told.
            let _ = launcher.kill(&mut child);
            return Err(start_error(io::Error::other("its pipes are missing")));
        };
        let (outlet, backlog) = backlog();
        let mut process = Self {
            id: child.id(),
            child: Some(child),
            stdin: None,
            backlog,
            late: None,
            spoken: false,
            stderr_tail: Arc::new(Mutex::new(VecDeque::with_capacity(TAIL))),
            readers: Vec::new(),
            launcher,
            abort,
            sent: VecDeque::with_capacity(TAIL),
            listener,
        };
        // Where that cannot be done, the process is dropped, which kills it.
        process.connect((stdin, stdout, stderr), outlet, log).map_err(|error| {
            start_error(io::Error::new(error.kind(), format!("no thread for its pipes: {error}")))
        })?;
        Ok(process)
    }

    /// Starts the threads at the process's pipes.
    fn connect(
        &mut self,
        (stdin, stdout, stderr): (ChildStdin, ChildStdout, ChildStderr),
        outlet: Outlet,
        log: Option<Log>,
    ) -> io::Result<()> {
        let tail = Arc::clone(&self.stderr_tail);
        let (hears_output, hears_errors) = (self.listener.clone(), self.listener.clone());
        let reads = move || read_stdout(BufReader::new(stdout), &outlet, hears_output.as_deref());
        self.readers.push(thread::Builder::new().spawn(reads)?);
        let reads = move || read_stderr(BufReader::new(stderr), &tail, log, hears_errors.as_deref());
        self.readers.push(thread::Builder::new().spawn(reads)?);
        self.stdin = Some(Writer::new(stdin)?);
        Ok(())
    }

    /// Writes one or more whole lines (the last line end is added) in a single write and returns the moment
    /// after it; an engine that does not read its input is waited for a second at most. A broken pipe is not
    /// reported here: the reader sees the end of the engine and says more about it.
    pub fn send(&mut self, text: &str) -> Instant {
        for line in text.lines() {
            if self.sent.len() == TAIL {
                self.sent.pop_front();
            }
            self.sent.push_back(line.to_owned());
        }
        // Heard of before it is written, a line comes before its answer in every log and on every terminal.
        if let Some(listener) = &self.listener {
            let at = Instant::now();
            text.lines().for_each(|line| listener.line(at, Stream::Sent, line));
        }
        let written = self.stdin.as_ref().and_then(|stdin| stdin.send(format!("{text}\n").into_bytes()));
        if written.is_none() {
            self.stdin = None;
        }
        written.unwrap_or_else(Instant::now)
    }

    /// Waits for the next line until `deadline` (for ever if there is none). Only a line that was complete by
    /// then counts, however many later ones wait behind it, so an engine that never falls silent cannot put a
    /// deadline off, nor can it keep the caller's abort from being seen.
    ///
    /// # Errors
    /// [`NoLine`] says why there is none.
    pub fn line(&mut self, deadline: Option<Instant>) -> Result<(Instant, String), NoLine> {
        // Before any line: some may always be waiting.
        if self.abort.try_recv() != Err(TryRecvError::Empty) {
            return Err(NoLine::Aborted);
        }
        let (at, line) = match self.late.take() {
            Some(late) => late,
            None => self.next_line(deadline)?,
        };
        self.spoken = true;
        if deadline.is_some_and(|deadline| at > deadline) {
            self.late = Some((at, line));
            return Err(NoLine::Timeout);
        }
        Ok((at, line))
    }

    fn next_line(&self, deadline: Option<Instant>) -> Result<(Instant, String), NoLine> {
        let timeout = deadline.map_or_else(channel::never, channel::at);
        channel::select_biased! {
            recv(self.backlog.events) -> event => match event.map(|event| self.backlog.taken(event)) {
                Ok(Event::Line(at, line)) => Ok((at, line)),
                Ok(Event::Closed(_)) | Err(_) => Err(NoLine::Closed),
            },
            recv(self.abort) -> _ => Err(NoLine::Aborted),
            recv(timeout) -> _ => Err(NoLine::Timeout),
        }
    }

    /// A line that was complete by `deadline` and is already here, without waiting.
    pub fn waiting_line(&mut self, deadline: Instant) -> Option<String> {
        if self.late.is_none() {
            let event = self.backlog.events.try_recv().map(|event| self.backlog.taken(event));
            let Ok(Event::Line(at, line)) = event else { return None };
            self.late = Some((at, line));
        }
        self.late.take_if(|(at, _)| *at <= deadline).map(|(_, line)| line)
    }

    /// Has the launcher do what it does with a process that has greeted.
    ///
    /// # Errors
    /// The system's reason why that cannot be done.
    pub fn greeted(&self) -> io::Result<()> {
        self.child.as_ref().map_or(Ok(()), |child| self.launcher.greeted(child))
    }

    /// Has any line been read from it?
    #[must_use]
    pub fn has_spoken(&self) -> bool {
        self.spoken
    }

    /// The last lines the engine wrote to standard error.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<String> {
        self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The last lines that were sent to the engine.
    #[must_use]
    pub fn last_sent(&self) -> Vec<String> {
        self.sent.iter().cloned().collect()
    }

    /// Finds out how an engine that closed its output ended, giving it `patience` to do so.
    /// `None`: it is still running.
    pub fn wait_for_exit(&mut self, patience: Duration) -> Option<ExitStatus> {
        // The child's end is not a channel event; its standard error closing is as near as can be waited for.
        let (done_tx, done_rx) = channel::bounded::<()>(1);
        let readers = std::mem::take(&mut self.readers);
        // Where there is no room for a thread, the pipes count as closed at once.
        let joiner = thread::Builder::new().spawn(move || {
            for reader in readers {
                let _ = reader.join();
            }
            drop(done_tx);
        });
        let closed = matches!(done_rx.recv_timeout(patience), Err(RecvTimeoutError::Disconnected));
        self.readers.extend(joiner);
        let child = self.child.as_mut()?;
        if !closed {
            return child.try_wait().ok().flatten();
        }
        // Both pipes are closed: the process is ending, or has closed them on purpose and lives on.
        let until = Instant::now() + patience;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }

    /// Closes the engine's input, waits `patience` for it to end by itself, and kills it if it does not.
    /// True if it ended by itself.
    pub fn close(mut self, patience: Duration) -> bool {
        self.stdin = None;
        // The reader must not block on a full channel while the engine is asked to leave.
        let until = Instant::now() + patience;
        let closed = loop {
            match self.backlog.events.recv_deadline(until).map(|event| self.backlog.taken(event)) {
                Ok(Event::Line(at, _)) if at <= until => {}
                Ok(Event::Closed(_)) | Err(RecvTimeoutError::Disconnected) => break true,
                Ok(Event::Line(..)) | Err(RecvTimeoutError::Timeout) => break false,
            }
        };
        let left = closed && self.wait_for_exit(patience).is_some();
        if let Some(listener) = self.listener.as_ref().filter(|_| !left) {
            listener.overstays(patience);
        }
        left
    }

    /// Closes the engine's input behind all that was sent: for the engine, its client has gone.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// The operating system's number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // What cannot be killed can still read the end of its input.
        self.stdin = None;
        let Some(mut child) = self.child.take() else { return };
        let killed = self.launcher.kill(&mut child);
        let (done, ended) = channel::bounded::<()>(0);
        // A drop must not panic: where there is no room for a thread, the process is not waited for.
        let _ = thread::Builder::new().spawn(move || {
            // Whenever it ends, this takes its entry out of the process table.
            let _ = child.wait();
            drop(done);
        });
        if ended.recv_timeout(DIES) == Err(RecvTimeoutError::Timeout)
            && let Some(listener) = &self.listener
        {
            let lives_on = || format!("it lives on {} s after it was killed", DIES.as_secs());
            listener.outlives(&killed.err().map_or_else(lives_on, |error| error.to_string()));
        }
    }
}

/// The file that an engine's standard error is added to.
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).map_err(|error| cannot_write(&self.path, &error))
    }
}

/// The system's reason with the file's name.
fn cannot_write(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot write {}: {error}", path.display()))
}

fn read_stdout(mut stdout: impl BufRead, outlet: &Outlet, listener: Option<&dyn Listener>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut stdout).take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        // The rest of an over-long line is no line of its own.
        let cut = bytes.len() as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n');
        if cut && stdout.skip_until(b'\n').is_err() {
            break;
        }
        let at = Instant::now();
        let line = text::line(&bytes);
        // Heard before it is acted upon: what is taken of a conversation at the end of a game has all its
        // lines.
        if let Some(listener) = listener {
            listener.line(at, Stream::Output, &line);
        }
        if !outlet.line(at, line) {
            return;
        }
    }
    // The listener may be gone.
    let _ = outlet.sender.send(Event::Closed(Instant::now()));
}

fn read_stderr(
    mut stderr: impl BufRead,
    tail: &Mutex<VecDeque<String>>,
    mut log: Option<Log>,
    listener: Option<&dyn Listener>,
) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match (&mut stderr).take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        // A log that cannot be written any more does not stop the game.
        let added = log.as_mut().map_or(Ok(()), |log| log.add(&bytes));
        if let Err(error) = added {
            log = None;
            if let Some(listener) = listener {
                listener.lost_log(&error.to_string());
            }
        }
        let line: String = text::line(&bytes).trim_end().chars().take(400).collect();
        if let Some(listener) = listener {
            listener.line(Instant::now(), Stream::Error, &line);
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.len() == TAIL {
            tail.pop_front();
        }
        tail.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the engine goes on to say is heard all the same.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_under_standard_error_is_told_once() {
        /// Hears of lost logs.
        #[derive(Default)]
        struct Hears(Mutex<Vec<String>>);

        impl Listener for Hears {
            fn line(&self, _: Instant, _: Stream, _: &str) {}

            fn lost_log(&self, why: &str) {
                self.0.lock().unwrap().push(why.to_owned());
            }
        }

        let (hears, tail) = (Hears::default(), Mutex::new(VecDeque::new()));
        let log = Log::open(Path::new("/dev/full")).unwrap();
        read_stderr("a\nb\nc\n".as_bytes(), &tail, Some(log), Some(&hears));
        let told = hears.0.into_inner().unwrap();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("cannot write /dev/full: No space left on device"), "{told:?}");
        assert_eq!(tail.into_inner().unwrap(), ["a", "b", "c"]);
    }

    /// It is killed, and that is told. Addresses are limited for a whole process: so this is one of its own, which
    /// takes them until a thread's stack of 2 MiB does not fit any more, while what starts a program does.
    #[test]
    #[cfg(target_os = "linux")]
    fn an_engine_whose_pipes_get_no_threads_does_not_start() {
        const INNER: &str = "FIRSTBORN_TEST_INNER";
        if std::env::var_os(INNER).is_none() {
            let name = "process::tests::an_engine_whose_pipes_get_no_threads_does_not_start";
            let script = format!("ulimit -v 1000000 && exec \"$0\" --exact {name}");
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(script).arg(std::env::current_exe().unwrap()).env(INNER, "1");
            let inner = shell.output().unwrap();
            let told = String::from_utf8_lossy(&inner.stdout);
            assert!(inner.status.success() && told.contains("1 passed"), "{told}");
            return;
        }
        let reserve = |bytes: usize| {
            let mut room = Vec::<u8>::new();
            room.try_reserve_exact(bytes).is_ok().then_some(room)
        };
        let kept = reserve(512 << 10);
        let sizes = [64 << 20, 8 << 20, 1 << 20, 256 << 10];
        let taken: Vec<Vec<u8>> =
            sizes.into_iter().flat_map(|size| std::iter::from_fn(move || reserve(size))).collect();
        std::hint::black_box((&kept, &taken));
        drop(kept);
        let started =
            Process::start(&EngineConfig::new("/bin/cat"), Arc::new(PlainLauncher), channel::never());
        drop(taken);
        let failure = started.err().expect("there is no room for a thread");
        assert!(matches!(failure.kind, FailureKind::Start(StartError::Refused { .. })), "{failure}");
        assert!(failure.to_string().contains("no thread for its pipes"), "{failure}");
    }

    /// Lines of any length: the writer waits before much is in memory, and every line arrives in order.
    #[test]
    fn a_babbler_fills_no_more_than_its_places() {
        for length in [0, 80, LONGEST_LINE as usize] {
            let (outlet, inlet) = backlog();
            let sender = thread::spawn(move || {
                let lines = (0..2 * BACKLOG).map(|number| format!("{number} {}", "x".repeat(length)));
                lines.map(|line| outlet.line(Instant::now(), line)).take_while(|&heard| heard).count()
            });
            let each = places(&"x".repeat(length + 5));
            while inlet.places.len() + each < BACKLOG {
                thread::yield_now();
            }
            assert!(inlet.events.len() * length.max(PLACE) <= BACKLOG * PLACE, "{}", inlet.events.len());
            for number in 0..3 * BACKLOG / 2 {
                let Event::Line(_, line) = inlet.taken(inlet.events.recv().unwrap()) else { panic!() };
                assert_eq!(line.split(' ').next(), Some(number.to_string().as_str()));
            }
            // A reader that is gone keeps no one waiting.
            drop(inlet);
            assert!(sender.join().unwrap() >= 3 * BACKLOG / 2);
        }
    }
}
