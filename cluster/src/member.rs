//! This process as a member of a cluster: joining it, leaving it, and what its threads ask of the one that talks.

use crate::exchange::Exchange;
use crate::message::{Go, Talk};
pub use crate::message::{Identity, Tally};
use crate::post::{Errand, Post};
use crate::registry::Registry;
use crate::search::{Call, Lead};
use crate::transport::{Transport, TransportError};
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use engine::shared::Stopwatch;
use parking_lot::Mutex;
use smp::pool::Pool;
use smp::pool::link::{Joint, Running};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a rank may be silent before it counts as lost, unless asked for otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How long the start may take, all ranks' together.
const START: Duration = Duration::from_secs(60);

/// How long the end may take where the start has failed.
const END: Duration = Duration::from_secs(3);

/// How often a call looks whether its answer is still wanted.
const GLANCE: Duration = Duration::from_millis(50);

/// Why a cluster has ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// A rank is dead, hangs, or cannot be reached.
    #[error("rank {rank} on {host} has not been heard from for {seconds} s")]
    Silent {
        /// Its number.
        rank: usize,
        /// Its machine.
        host: String,
        /// How long, in seconds.
        seconds: u64,
    },
    /// The ranks do not run the same.
    #[error("rank {rank} on {host} does not fit rank 0 on {leader}: {difference}")]
    Unequal {
        /// The other rank's number.
        rank: usize,
        /// Its machine.
        host: String,
        /// The machine of rank 0.
        leader: String,
        /// What is different.
        difference: String,
    },
    /// Rank 0 has refused to begin, and says why itself.
    #[error("rank 0 refused to begin: {0}")]
    Refused(String),
    /// A rank cannot go on.
    #[error("rank {rank} on {host}: {what}")]
    Trouble {
        /// Its number.
        rank: usize,
        /// Its machine.
        host: String,
        /// What keeps it.
        what: String,
    },
    /// A rank sent what no build of this program sends.
    #[error("rank {rank} on {host} sent an unreadable message")]
    Unreadable {
        /// Its number.
        rank: usize,
        /// Its machine.
        host: String,
    },
    /// Messages cannot be carried.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Some rank never came, and the transport waits for it.
    #[error("not all ranks have started within {} s", START.as_secs())]
    NotStarted,
    /// The thread that talks has panicked.
    #[error("internal error: the thread that talks to other ranks ended")]
    Ended,
}

/// How a member joins.
pub struct Settings {
    /// This program; its host is filled in.
    pub identity: Identity,
    /// How long a rank may be silent.
    pub patience: Duration,
    /// Hears on the thread that talks why the cluster has ended, before the transport ends every rank; on rank
    /// 0, why it cannot begin, before the others do; and of a rank that has been silent for a third of the
    /// patience, since whatever started the ranks may end them first.
    pub on_failure: Box<dyn Fn(&Failure) + Send>,
}

/// What rank 0 wants of another rank.
#[derive(Debug)]
pub enum Duty {
    /// An order in the program's own words.
    Order(String),
    /// A search to join in ([`Member::join_search`]).
    Search(Call),
    /// Something to compute and to answer ([`Member::answer`]).
    Work {
        /// Its number, for the answer.
        number: u64,
        /// What is to be computed.
        body: Vec<u8>,
    },
}

/// The search under way.
pub(crate) struct Active {
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) running: Running,
}

/// The search under way and the last that was ended, under one lock: a rank that joins in finds the end of its search
/// here, or that end finds the search.
#[derive(Default)]
pub(crate) struct Underway {
    /// The search under way.
    pub(crate) active: Option<Active>,
    /// The last search that rank 0 has ended.
    pub(crate) halted: u64,
}

/// What the threads of a member share.
pub(crate) struct Shared {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    pub(crate) hosts: Vec<String>,
    pub(crate) errands: Sender<Errand>,
    pub(crate) underway: Mutex<Underway>,
    /// Searches begun, on rank 0.
    pub(crate) searches: AtomicU64,
    /// By rank, of the last search; on rank 0.
    pub(crate) tallies: Mutex<Vec<Tally>>,
    registry: Arc<Registry>,
    /// Are entries of the table exchanged in searches that begin from now on? Rank 0 decides for all.
    pub(crate) entries: AtomicBool,
    /// The cluster has ended.
    ended: AtomicBool,
}

impl Shared {
    /// Those of a rank that has searched nothing yet.
    pub(crate) fn new(rank: usize, hosts: Vec<String>, errands: Sender<Errand>) -> Self {
        Shared {
            rank,
            ranks: hosts.len(),
            hosts,
            errands,
            underway: Mutex::default(),
            searches: AtomicU64::new(0),
            tallies: Mutex::default(),
            registry: Arc::default(),
            entries: AtomicBool::new(true),
            ended: AtomicBool::new(false),
        }
    }

    /// This rank's side of a search; `entries`: are any to be exchanged?
    pub(crate) fn exchange(&self, search: u64, entries: bool) -> Exchange {
        let (registry, errands) = (Arc::clone(&self.registry), self.errands.clone());
        Exchange::new(self.rank, self.ranks, search, registry, errands, entries)
    }

    /// The host of a rank.
    pub(crate) fn host(&self, rank: usize) -> String {
        self.hosts.get(rank).cloned().unwrap_or_else(|| "an unknown host".to_owned())
    }
}

/// Dropped with the work of the thread that talks, whatever ends it.
struct EndGuard {
    shared: Arc<Shared>,
    /// Closes the other end.
    _open: Sender<()>,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.shared.ended.store(true, Relaxed);
    }
}

/// This process in a cluster. Shared by its threads.
pub struct Member {
    shared: Arc<Shared>,
    duties: Receiver<Duty>,
    ended: Receiver<()>,
    talking: Mutex<Option<JoinHandle<Result<(), Failure>>>>,
}

impl Member {
    /// Joins a cluster over the transport that `open` opens, on a thread of its own, and returns once all
    /// ranks are there and fit together.
    ///
    /// # Errors
    /// When they do not, with the rank that this process would have been (if it got so far).
    pub fn join<T: Transport>(
        open: impl FnOnce() -> Result<T, TransportError> + Send + 'static,
        settings: Settings,
    ) -> Result<Member, (Option<usize>, Failure)> {
        let (joined, outcome) = bounded(1);
        let talk = move || {
            let mut transport = match open() {
                Ok(transport) => transport,
                Err(error) => {
                    let _ = joined.send(Err((None, error.into())));
                    return Ok(());
                }
            };
            let rank = transport.rank();
            let hosts = match crate::post::greet(&mut transport, &settings) {
                Ok(hosts) => hosts,
                Err(failure) => {
                    let _ = joined.send(Err((Some(rank), failure)));
                    return Ok(());
                }
            };
            let (errands, inbox) = unbounded();
            let (duties, to_do) = unbounded();
            let shared = Arc::new(Shared::new(rank, hosts, errands));
            let (open_end, ended) = bounded(0);
            let _guard = EndGuard { shared: Arc::clone(&shared), _open: open_end };
            if joined.send(Ok((Arc::clone(&shared), to_do, ended))).is_err() {
                return Ok(());
            }
            let stopwatch = Stopwatch::Real(Instant::now());
            let mut post = Post::new(transport, shared, inbox, duties, settings, stopwatch);
            let end = post.run();
            if let Err(failure) = &end {
                post.abort(failure);
            }
            end
        };
        let builder = std::thread::Builder::new().name("cluster".to_owned());
        let talking = builder
            .spawn(talk)
            .map_err(|error| (None, TransportError::Unusable(format!("no thread: {error}")).into()))?;
        match outcome.recv_timeout(START) {
            Ok(Ok((shared, duties, ended))) => {
                Ok(Member { shared, duties, ended, talking: Mutex::new(Some(talking)) })
            }
            Ok(Err(failure)) => {
                // What the others are owed, the refusal for one, is on its way once the thread has ended, and with it
                // the channel. A transport may wait for a rank that hangs before it ends, this process does not.
                let _ = outcome.recv_timeout(END);
                Err(failure)
            }
            // The thread hangs in the start of the transport, where nothing can be done about it.
            Err(RecvTimeoutError::Timeout) => Err((None, Failure::NotStarted)),
            Err(RecvTimeoutError::Disconnected) => Err((None, Failure::Ended)),
        }
    }

    /// This rank's number; 0 leads.
    pub fn rank(&self) -> usize {
        self.shared.rank
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.shared.ranks
    }

    /// The machine of a rank.
    pub fn host(&self, rank: usize) -> String {
        self.shared.host(rank)
    }

    /// Makes every search of a pool, rank 0's, one of all ranks.
    pub fn lead(&self, pool: &mut Pool) {
        pool.joint = Some(Arc::new(Lead(Arc::clone(&self.shared))) as Arc<dyn Joint>);
    }

    /// Exchanges entries of the table, or none, in the searches that begin from now on. For rank 0, which
    /// decides for all; entries are exchanged unless it says otherwise.
    pub fn exchange_entries(&self, on: bool) {
        self.shared.entries.store(on, Relaxed);
    }

    /// How many searches of all ranks have begun; on rank 0.
    pub fn searches(&self) -> u64 {
        self.shared.searches.load(SeqCst)
    }

    /// Gives the other ranks an order, in the program's own words.
    pub fn order(&self, words: String) {
        // Without a receiver the cluster has failed and the program is ending.
        let _ = self.shared.errands.send(Errand::Tell(Talk::Order(words)));
    }

    /// What is to be done next on a rank other than 0; `None` when all is done. Several threads may ask.
    pub fn next_duty(&self) -> Option<Duty> {
        self.duties.recv().ok()
    }

    /// Joins in a search with this rank's pool, and returns at once.
    pub fn join_search(&self, call: &Call, pool: &mut Pool) {
        if let Err(what) = call.join(&self.shared, pool) {
            self.fail(what);
        }
    }

    /// This rank cannot go on: everything ends, and rank 0 says why.
    pub fn fail(&self, what: String) {
        let _ = self.shared.errands.send(Errand::Trouble(what));
    }

    /// Has another rank compute something, and waits for the answer. `None` once the cluster has ended, or when
    /// `given_up` says that the answer is of no use any more.
    pub fn call(&self, rank: usize, body: Vec<u8>, given_up: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        let (answer, answers) = bounded(1);
        self.shared.errands.send(Errand::Call { rank, body, answer }).ok()?;
        loop {
            match answers.recv_timeout(GLANCE) {
                Ok(body) => return Some(body),
                Err(RecvTimeoutError::Timeout) if !given_up() => {}
                Err(_) => return None,
            }
        }
    }

    /// Closed once the cluster has ended: what is under way here is of no use any more.
    pub fn ended(&self) -> &Receiver<()> {
        &self.ended
    }

    /// Set once it has ended.
    pub fn end_flag(&self) -> &AtomicBool {
        &self.shared.ended
    }

    /// The same as a question.
    pub fn has_ended(&self) -> bool {
        self.shared.ended.load(Relaxed)
    }

    /// Answers a [`Duty::Work`].
    pub fn answer(&self, number: u64, body: Vec<u8>) {
        let _ = self.shared.errands.send(Errand::Answer { number, body });
    }

    /// What each rank exchanged in the last search that is over.
    pub fn tallies(&self) -> Vec<Tally> {
        self.shared.tallies.lock().clone()
    }

    /// Ends the cluster, on rank 0, or waits for its end. A second call does nothing.
    ///
    /// # Errors
    /// When the cluster has failed.
    pub fn leave(&self) -> Result<(), Failure> {
        if self.shared.rank == 0 {
            let _ = self.shared.errands.send(Errand::Leave);
        }
        let Some(talking) = self.talking.lock().take() else { return Ok(()) };
        talking.join().unwrap_or(Err(Failure::Ended))
    }
}

impl From<Go> for Duty {
    fn from(go: Go) -> Self {
        Duty::Search(Call(go))
    }
}
