//! Ranks within one process, for tests: the same bounds as between machines, and links that can be cut.

use crate::transport::{LONGEST, Transport, TransportError, Window};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// One link: what is under way on it.
#[derive(Default)]
struct Link {
    queue: VecDeque<Vec<u8>>,
    window: Window,
}

/// All links between the ranks of a network.
struct Links {
    ranks: usize,
    links: Vec<Mutex<Link>>,
    cut_off: Vec<AtomicBool>,
}

/// One rank's end of a network within this process.
pub struct Memory {
    rank: usize,
    links: Arc<Links>,
    /// The rank to look at first, so that none is left waiting.
    next: usize,
    sent_bytes: u64,
}

/// Damages a network.
#[derive(Clone)]
pub struct Scissors(Arc<Links>);

impl Scissors {
    /// From now on nothing goes to or comes from this rank: its machine is dead, or its cable is pulled.
    pub fn cut_off(&self, rank: usize) {
        self.0.cut_off[rank].store(true, Relaxed);
    }
}

/// A network of so many ranks: the ends, by rank, and what can damage it.
pub fn network(ranks: usize) -> (Vec<Memory>, Scissors) {
    let links = Arc::new(Links {
        ranks,
        links: (0..ranks * ranks).map(|_| Mutex::default()).collect(),
        cut_off: (0..ranks).map(|_| AtomicBool::new(false)).collect(),
    });
    let end = |rank| Memory { rank, links: Arc::clone(&links), next: 0, sent_bytes: 0 };
    ((0..ranks).map(end).collect(), Scissors(links))
}

impl Links {
    fn link(&self, from: usize, to: usize) -> &Mutex<Link> {
        &self.links[from * self.ranks + to]
    }

    fn is_cut(&self, one: usize, other: usize) -> bool {
        self.cut_off[one].load(Relaxed) || self.cut_off[other].load(Relaxed)
    }
}

impl Transport for Memory {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.links.ranks
    }

    fn host(&self) -> String {
        format!("memory-{}", self.rank)
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<bool, TransportError> {
        if message.len() > LONGEST {
            return Err(TransportError::TooLong(message.len()));
        }
        let mut link = self.links.link(self.rank, to).lock();
        if !link.window.takes(message.len()) {
            return Ok(false);
        }
        link.window.sent(message.len());
        link.queue.push_back(message.to_vec());
        self.sent_bytes += message.len() as u64;
        Ok(true)
    }

    fn under_way(&mut self, to: usize) -> usize {
        self.links.link(self.rank, to).lock().window.messages()
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        for offset in 0..self.links.ranks {
            let from = (self.next + offset) % self.links.ranks;
            if self.links.is_cut(from, self.rank) {
                continue;
            }
            let mut link = self.links.link(from, self.rank).lock();
            if let Some(message) = link.queue.pop_front() {
                link.window.arrived();
                self.next = from + 1;
                return Some((from, message));
            }
        }
        None
    }

    fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    fn abort(&mut self) {
        self.links.cut_off[self.rank].store(true, Relaxed);
    }
}
