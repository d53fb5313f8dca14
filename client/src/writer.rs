//! What is sent to an engine. A thread of its own writes it: once the pipe to an engine that does not read is
//! full, a write waits for as long as that engine lives.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// An engine that has not taken in a command for so long is not waited for: its clock runs.
const TAKES: Duration = Duration::from_secs(1);
/// Commands that may wait for an engine to read. It is told nothing more after those.
const MOST: usize = 4096;

/// The way to an engine's input. What was sent is written after the writer is dropped, too, and then the pipe
/// is closed.
pub(crate) struct Writer(Arc<Shared>);

/// No channel: its receiver gives its turn away again and again before it sleeps, which takes milliseconds on a
/// crowded machine. Threads that wait here sleep at once.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Told when there is something to write, or nothing more will come.
    sent: Condvar,
    /// Told when something was written, or the pipe is broken.
    written: Condvar,
}

#[derive(Default)]
struct State {
    /// What is not written yet. What is being written keeps its place.
    waiting: VecDeque<Vec<u8>>,
    /// When the last command was written.
    last: Option<Instant>,
    broken: bool,
    dropped: bool,
}

impl Writer {
    /// Writes to this pipe.
    ///
    /// # Errors
    /// The system gives no thread for it.
    pub(crate) fn new(pipe: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        thread::Builder::new().spawn(move || own.write_all(pipe))?;
        Ok(Self(shared))
    }

    /// Sends a command and returns the moment at which it was written, or now if the engine does not read. One
    /// that did not read the command before is not waited for again. `None`: the pipe is broken, or too much
    /// waits.
    pub(crate) fn send(&self, bytes: Vec<u8>) -> Option<Instant> {
        let mut state = self.0.state();
        if state.broken || state.waiting.len() >= MOST {
            return None;
        }
        let behind = !state.waiting.is_empty();
        state.waiting.push_back(bytes);
        self.0.sent.notify_one();
        if !behind {
            let waits = |state: &mut State| !state.waiting.is_empty() && !state.broken;
            let waited = self.0.written.wait_timeout_while(state, TAKES, waits);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let written = state.last.filter(|_| state.waiting.is_empty());
        (!state.broken).then(|| written.unwrap_or_else(Instant::now))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.state().dropped = true;
        self.0.sent.notify_one();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is sent until nothing more will be, or the pipe breaks.
    fn write_all(&self, mut pipe: impl Write) {
        while let Some(bytes) = self.next() {
            let done = pipe.write_all(&bytes).and_then(|()| pipe.flush());
            self.note(&done);
            if done.is_err() {
                return;
            }
        }
    }

    fn next(&self) -> Option<Vec<u8>> {
        let idle = |state: &mut State| state.waiting.is_empty() && !state.dropped;
        let mut state = self.sent.wait_while(self.state(), idle).unwrap_or_else(PoisonError::into_inner);
        state.waiting.front_mut().map(std::mem::take)
    }

    fn note(&self, done: &io::Result<()>) {
        let mut state = self.state();
        state.waiting.pop_front();
        state.last = Some(Instant::now());
        state.broken = done.is_err();
        self.written.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::{self, Receiver, Sender};

    /// A pipe whose other end reads a command each time that it is allowed to.
    struct Pipe {
        allowed: Receiver<()>,
        read: Sender<Vec<u8>>,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.allowed.recv().map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
            self.read.send(bytes.to_vec()).expect("the test listens");
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn pipe() -> (Writer, Sender<()>, Receiver<Vec<u8>>) {
        let ((allow, allowed), (read, heard)) = (channel::unbounded(), channel::unbounded());
        (Writer::new(Pipe { allowed, read }).unwrap(), allow, heard)
    }

    #[test]
    fn a_command_counts_as_sent_when_it_is_written() {
        let (writer, allow, heard) = pipe();
        for number in 0..9 {
            allow.send(()).unwrap();
            let before = Instant::now();
            let at = writer.send(vec![number]).unwrap();
            assert!(before <= at && at <= Instant::now());
            assert_eq!(heard.try_iter().collect::<Vec<_>>(), [[number]], "it was waited for");
        }
    }

    /// What an engine does not read takes so much memory and no more, and is written in order should it read
    /// again.
    #[test]
    fn an_engine_that_does_not_read_holds_nothing_up() {
        let (writer, allow, heard) = pipe();
        let sent = (0..=u16::MAX).map_while(|number| writer.send(number.to_le_bytes().to_vec())).count();
        assert_eq!(sent, MOST);
        (0..sent).for_each(|_| allow.send(()).unwrap());
        drop(writer);
        let expected: Vec<_> = (0..sent as u16).map(|number| number.to_le_bytes().to_vec()).collect();
        // It ends with the pipe.
        assert!(heard.iter().eq(expected));
    }

    #[test]
    fn a_broken_pipe_is_noticed() {
        let (writer, allow, _heard) = pipe();
        drop(allow);
        assert_eq!(writer.send(b"uci\n".to_vec()), None);
        assert_eq!(writer.send(b"quit\n".to_vec()), None);
    }
}
