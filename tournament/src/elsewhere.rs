//! Games of one run that are played on several machines: the run gives them out, [`Guest`]s elsewhere play them.
//!
//! A game is given out by its [`Pairing`] alone: every rank has the same plan, with the same players
//! and openings.

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use client::Client;
use crossbeam::channel::{self, Receiver, Sender};
use serde::{Deserialize, Serialize};
use sys::heartbeat::Heartbeat;

use crate::cores::dearest;
use crate::openings::Book;
use crate::record::GameRecord;
use crate::runner::{Halt, Job, Plan, Report};
use crate::schedule::Pairing;
use crate::worker::{Engines, Outcome};

/// What became of a game elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It was played.
    Played(Box<GameRecord>),
    /// It was given up.
    GivenUp,
    /// It cannot be played there, for this reason, and the run must end.
    Halt(String),
}

/// A place on another machine where games are played, one at a time.
pub trait Elsewhere: Send {
    /// Has a game played, and waits for its end unless `given_up` says that it is of no use any more. `None`
    /// once no game can be played there.
    fn play(&mut self, game: &Pairing, given_up: &dyn Fn() -> bool) -> Option<Answer>;
}

/// Gives the jobs of one worker of a run to a place elsewhere.
pub(crate) fn give_out(
    index: usize,
    mut place: Box<dyn Elsewhere>,
    jobs: &Receiver<Job>,
    abort: &Receiver<()>,
    engines: usize,
    reports: &Sender<Report>,
) {
    let given_up = || abort.try_recv() == Err(channel::TryRecvError::Disconnected);
    for job in jobs {
        let outcome = match place.play(&job.pairing, &given_up) {
            _ if given_up() => Outcome::GivenUp,
            Some(Answer::Played(mut record)) => {
                record.slot_ms = job.since.elapsed().as_millis() as u64;
                record.engines = engines;
                Outcome::Played(record)
            }
            Some(Answer::GivenUp) => Outcome::GivenUp,
            Some(Answer::Halt(why)) => Outcome::Halt(Halt::Elsewhere(why)),
            None => Outcome::Halt(Halt::Elsewhere("the other machines are gone".to_owned())),
        };
        if reports.send(Report::Done(index, job, outcome, None)).is_err() {
            break;
        }
    }
}

/// Plays games of a plan that is run on another machine, one at a time, on cores of its own.
pub struct Guest<'a> {
    engines: Engines<'a>,
    book: &'a Book,
    cores: Vec<usize>,
    /// No game has been played here so far.
    first: bool,
    /// Engines that take their time to leave.
    leaving: RefCell<Vec<JoinHandle<bool>>>,
}

impl<'a> Guest<'a> {
    /// As many guests as the plan's cores suffice for with any two players that may meet; none if a game needs more
    /// cores than there are ([`Plan::places`]). Once `abort` is closed they give up their games.
    pub fn all(plan: &'a Plan, abort: &Receiver<()>) -> Vec<Self> {
        let most = dearest(&plan.conditions.players, &plan.schedule);
        let heartbeat = Arc::new(Heartbeat::start());
        let guest = |cores: &[usize]| Guest::new(plan, cores.to_vec(), abort.clone(), Arc::clone(&heartbeat));
        plan.cores.chunks_exact(most).map(guest).collect()
    }

    fn new(plan: &'a Plan, cores: Vec<usize>, abort: Receiver<()>, heartbeat: Arc<Heartbeat>) -> Self {
        // Restarts of an engine and repeated games are not reported from here.
        let (reports, _) = channel::unbounded();
        let engines = Engines {
            conditions: &plan.conditions,
            faults: &plan.faults,
            bind: plan.bind,
            home: None,
            number: 0,
            wait: plan.pace.wait,
            heartbeat,
            recording: &plan.recording,
            abort,
            ease: channel::never(),
            halt: channel::never(),
            reports,
            kept: Vec::new(),
        };
        Guest { engines, book: &plan.book, cores, first: true, leaving: RefCell::default() }
    }

    /// Plays a game, after the plan's pause unless it is the first one here.
    pub fn play(&mut self, pairing: Pairing) -> Answer {
        if !std::mem::take(&mut self.first) && self.engines.rest().is_err() {
            return Answer::GivenUp;
        }
        let job = Job { pairing, cores: self.cores.clone(), since: Instant::now() };
        let leaving = &self.leaving;
        let dismiss = |client: Client| leaving.borrow_mut().push(std::thread::spawn(move || client.quit()));
        let (outcome, _) = self.engines.job(&job, self.book, &dismiss);
        leaving.borrow_mut().retain(|thread| !thread.is_finished());
        match outcome {
            Outcome::Played(record) => Answer::Played(record),
            Outcome::GivenUp => Answer::GivenUp,
            Outcome::Halt(halt) => Answer::Halt(halt.to_string()),
        }
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        for engine in self.engines.kept.drain(..) {
            engine.client.quit();
        }
        // A panic while an engine left is of no account here.
        self.leaving.get_mut().drain(..).for_each(|thread| drop(thread.join()));
    }
}
