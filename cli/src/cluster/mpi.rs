//! Messages between machines, by MPI: the transport of the ranks that `mpirun` has started.
//!
//! A message is sent by `MPI_Bsend`, which copies it and returns whatever the receiver does. The receiver confirms each
//! one, so the sender knows how much is under way and never asks for more than the attached buffer holds. Receiving is
//! `MPI_Improbe`. Nothing here waits for another rank but the start and the end of MPI itself, and no collective
//! operation is used: one took 14 ms, and a dead rank hangs them all.

use ::cluster::transport::{LONGEST, Transport, TransportError, WINDOW_BYTES, Window};
use mpi::Threading;
use mpi::environment::{Universe, initialize_with_threading, processor_name};
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Tag of a message, and of the word that one has arrived.
const MESSAGE: i32 = 0;
const ARRIVED: i32 = 1;
/// How long the end may take after a failure before the process ends itself.
const PATIENCE: Duration = Duration::from_secs(3);
/// The same when all is done: thousands of ranks need some seconds, and a job that is done should not be reported as
/// failed.
const PATIENCE_WHEN_DONE: Duration = Duration::from_secs(60);
/// The time in which the process is stopped (SIGSTOP, a suspended job) counts as one of these.
const NAP: Duration = Duration::from_millis(100);
/// Most bytes of the buffer for messages under way: beyond 400 ranks not all links can be full at once.
const MOST_BUFFERED: usize = 1 << 30;
/// Exit status after a failure.
const FAILED: i32 = 1;

/// This process among those that `mpirun` or `srun` has started.
pub struct Mpi {
    world: SimpleCommunicator,
    windows: Vec<Window>,
    sent_bytes: u64,
    /// Its end is that of MPI.
    universe: Option<Universe>,
}

impl Mpi {
    /// Starts MPI, on the thread that will do all the talking.
    ///
    /// # Errors
    /// When MPI has been started before, or does not let a thread other than the first use it.
    pub fn start() -> Result<Self, TransportError> {
        let (mut universe, threading) = initialize_with_threading(Threading::Serialized)
            .ok_or_else(|| TransportError::Unusable("MPI is running already".to_owned()))?;
        if threading < Threading::Funneled {
            return Err(TransportError::Unusable("this MPI library knows no threads".to_owned()));
        }
        let world = universe.world();
        let ranks = world.size().unsigned_abs() as usize;
        // Twice what can be under way, since the library needs room of its own.
        universe.set_buffer_size((2 * ranks * (LONGEST + WINDOW_BYTES)).min(MOST_BUFFERED));
        Ok(Mpi { world, windows: vec![Window::default(); ranks], sent_bytes: 0, universe: Some(universe) })
    }

    fn take_confirmations(&mut self) {
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe_with_tag(ARRIVED)
        {
            let mut none = [0u8; 0];
            message.matched_receive_into(&mut none[..]);
            self.windows[status.source_rank().unsigned_abs() as usize].arrived();
        }
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.world.rank().unsigned_abs() as usize
    }

    fn ranks(&self) -> usize {
        self.windows.len()
    }

    fn host(&self) -> String {
        processor_name().unwrap_or_else(|_| "an unknown host".to_owned())
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<bool, TransportError> {
        if message.len() > LONGEST {
            return Err(TransportError::TooLong(message.len()));
        }
        self.take_confirmations();
        if !self.windows[to].takes(message.len()) {
            return Ok(false);
        }
        self.windows[to].sent(message.len());
        self.world.process_at_rank(to as i32).buffered_send_with_tag(message, MESSAGE);
        self.sent_bytes += message.len() as u64;
        Ok(true)
    }

    fn under_way(&mut self, to: usize) -> usize {
        self.take_confirmations();
        self.windows[to].messages()
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let found = self.world.any_process().immediate_matched_probe_with_tag(MESSAGE)?;
        let (message, status) = found.matched_receive_vec::<u8>();
        let from = status.source_rank();
        self.world.process_at_rank(from).buffered_send_with_tag(&[0u8; 0][..], ARRIVED);
        Some((from.unsigned_abs() as usize, message))
    }

    fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Even the abort may hang.
    fn abort(&mut self) {
        let (_ended, ending) = channel();
        end_within(PATIENCE, ending);
        self.world.abort(FAILED);
    }
}

impl Drop for Mpi {
    /// The end of MPI waits for every rank, for one that hangs as well.
    fn drop(&mut self) {
        let (ended, ending) = channel();
        end_within(PATIENCE_WHEN_DONE, ending);
        drop(self.universe.take());
        drop(ended);
    }
}

/// Where MPI does not end in time, which closes the channel, the process ends by itself, and that ends the others.
fn end_within(patience: Duration, ending: Receiver<()>) {
    std::thread::spawn(move || {
        let naps = patience.as_millis() / NAP.as_millis();
        if (0..naps).all(|_| ending.recv_timeout(NAP) == Err(RecvTimeoutError::Timeout)) {
            eprintln!("firstborn: MPI does not end: a rank hangs");
            std::process::exit(FAILED);
        }
    });
}
