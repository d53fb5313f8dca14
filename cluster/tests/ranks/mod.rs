//! A cluster within this process: every rank with a pool of its own, the others serving rank 0.

use chess::Position;
use cluster::member::{Duty, Failure, Identity, Member, Settings};
use cluster::memory::{Memory, Scissors, network};
use cluster::transport::Transport;
use engine::tablebase::{Ending, Tablebase};
use parking_lot::Mutex;
use smp::pool::Pool;
use smp::schemes::Scheme;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use thinking::report::{Info, Observer, Verdict};

/// Failures, with the rank that reported them.
pub type Failures = Arc<Mutex<Vec<(usize, Failure)>>>;

/// A guard against hanging: far more than any message takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until it is so. A fault ends in a failed test, not in one that hangs.
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::yield_now();
    }
}

/// Every rank of a test runs this.
pub fn identity() -> Identity {
    let options = vec!["test".to_owned()];
    Identity { host: String::new(), version: "1".into(), network: "00c0ffee".into(), options }
}

/// Joins a rank.
pub fn join(
    transport: impl Transport + Send + 'static,
    identity: Identity,
    patience: Duration,
    failures: &Failures,
) -> Result<Member, (Option<usize>, Failure)> {
    let rank = transport.rank();
    let failures = Arc::clone(failures);
    let on_failure = Box::new(move |failure: &Failure| failures.lock().push((rank, failure.clone())));
    Member::join(move || Ok(transport), Settings { identity, patience, on_failure })
}

/// How the ranks of a cluster search.
#[derive(Clone, Copy)]
pub struct Shape {
    pub ranks: usize,
    pub threads: usize,
    pub scheme: Scheme,
    pub patience: Duration,
    /// How often the tablebases of the ranks other than 0 were asked; they have none without it.
    pub asked: Option<&'static AtomicU64>,
}

impl Shape {
    pub fn of(ranks: usize, threads: usize, scheme: Scheme) -> Self {
        Shape { ranks, threads, scheme, patience: PATIENCE, asked: None }
    }

    pub fn pool(&self) -> Pool {
        let mut pool = Pool::new(self.threads, 4).expect("a small pool");
        pool.scheme = self.scheme;
        pool
    }
}

/// A tablebase that knows no ending, and counts how often it is asked.
pub struct Ignorant(pub &'static AtomicU64);

impl Tablebase for Ignorant {
    fn most_men(&self) -> u32 {
        6
    }

    fn least_depth(&self) -> i32 {
        0
    }

    fn probe(&self, _: &Position) -> Option<Ending> {
        self.0.fetch_add(1, Relaxed);
        None
    }
}

/// Keeps what a search says.
#[derive(Default)]
pub struct Kept {
    pub infos: Mutex<Vec<Info>>,
    verdicts: Mutex<Vec<Verdict>>,
}

impl Observer for Kept {
    fn info(&self, info: &Info) {
        self.infos.lock().push(info.clone());
    }

    fn verdict(&self, verdict: &Verdict) {
        self.verdicts.lock().push(verdict.clone());
    }
}

impl Kept {
    /// The search is over: there is one verdict, and its move is legal.
    pub fn verdict_on(&self, position: &Position) -> Verdict {
        let [verdict] = &self.verdicts.lock()[..] else { panic!("not exactly one verdict") };
        let best = verdict.best.expect("there is a move");
        assert!(position.is_legal(best), "{position}: {best}");
        verdict.clone()
    }
}

/// A cluster, from rank 0.
pub struct Ranks {
    pub member: Arc<Member>,
    pub pool: Pool,
    pub failures: Failures,
    pub scissors: Scissors,
    others: Vec<JoinHandle<()>>,
}

impl Ranks {
    /// Ranks that search together; work is answered with its bytes backwards.
    pub fn new(shape: Shape) -> Self {
        let (mut ends, scissors) = network(shape.ranks);
        let failures = Failures::default();
        let others: Vec<_> = ends
            .drain(1..)
            .map(|end| {
                let failures = Arc::clone(&failures);
                std::thread::spawn(move || serve(end, shape, &failures))
            })
            .collect();
        let end = ends.remove(0);
        let member = join(end, identity(), shape.patience, &failures).map_err(|(_, failure)| failure);
        let member = Arc::new(member.expect("all ranks are the same"));
        let mut pool = shape.pool();
        member.lead(&mut pool);
        Ranks { member, pool, failures, scissors, others }
    }

    /// Ends the cluster. All ranks end, and none has failed.
    pub fn end(self) {
        self.member.leave().expect("nothing has failed");
        assert_eq!(self.failed(), []);
    }

    /// All ranks have ended or do so: the failures that they reported.
    pub fn failed(self) -> Vec<(usize, Failure)> {
        self.others.into_iter().for_each(|other| other.join().expect("no panic"));
        let mut failures = self.failures.lock();
        std::mem::take(&mut *failures)
    }
}

/// The life of a rank other than 0.
fn serve(end: Memory, shape: Shape, failures: &Failures) {
    let member = join(end, identity(), shape.patience, failures).map_err(|(_, failure)| failure);
    let member = member.expect("all ranks are the same");
    let mut pool = shape.pool();
    while let Some(duty) = member.next_duty() {
        match duty {
            Duty::Order(words) if words == "new game" => pool.new_game(),
            Duty::Order(words) => member.fail(format!("cannot `{words}`")),
            Duty::Search(call) => {
                pool.tablebase = shape.asked.map(|asked| Arc::new(Ignorant(asked)) as Arc<dyn Tablebase>);
                member.join_search(&call, &mut pool);
            }
            Duty::Work { number, body } => {
                member.answer(number, body.into_iter().rev().collect());
            }
        }
    }
    // That is the others' business, see `Ranks::failures`.
    let _ = member.leave();
}
