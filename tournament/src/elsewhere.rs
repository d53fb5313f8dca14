//! Games of one run that are played on several machines: the run gives them out, [`Guest`]s elsewhere play them.
//!
//! A game is given out by its [`Pairing`] alone: every machine has the same plan, with the same openings, and has found
//! the same programs behind its players ([`Found`]).

use std::cell::RefCell;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use client::Client;
use crossbeam::channel::{self, Receiver, Sender};
use serde::{Deserialize, Serialize};
use sys::heartbeat::Heartbeat;

use crate::cores::dearest;
use crate::identity::Identity;
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
    /// It cannot be played there, and the run must end.
    Halt(Halt),
}

/// A place on another machine where games are played, one at a time.
pub trait Elsewhere: Send {
    /// Which one it is, in words.
    fn name(&self) -> String;

    /// Has a game played, and waits for its end unless `given_up` says that it is of no use any more. `None`
    /// once no game can be played there.
    fn play(&mut self, game: &Pairing, given_up: &dyn Fn() -> bool) -> Option<Answer>;
}

/// What a run tells all other machines while they play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Games that have not begun are given up.
    Ease,
    /// Games that wait for a program to start again, or are to be played again, are given up, too.
    Halt,
}

/// The other machines that play games of a run.
pub struct Others<'a> {
    /// The places on them.
    pub places: Vec<Box<dyn Elsewhere>>,
    /// Tells all of them something, and returns at once.
    pub tell: Box<dyn Fn(Order) + 'a>,
}

/// There are none.
impl Default for Others<'_> {
    fn default() -> Self {
        Self { places: Vec::new(), tell: Box::new(|_| {}) }
    }
}

/// Gives the jobs of one worker of a run to a place elsewhere. Of a game that is lost by a forfeit there it is said
/// where that was.
pub(crate) fn give_out(
    index: usize,
    mut place: Box<dyn Elsewhere>,
    jobs: &Receiver<Job>,
    abort: &Receiver<()>,
    engines: usize,
    reports: &Sender<Report>,
) {
    let given_up = || abort.try_recv() == Err(channel::TryRecvError::Disconnected);
    let name = place.name();
    for job in jobs {
        let outcome = match place.play(&job.pairing, &given_up) {
            _ if given_up() => Outcome::GivenUp,
            Some(Answer::Played(mut record)) => {
                record.slot_ms = job.since.elapsed().as_millis() as u64;
                record.engines = engines;
                if record.ending.is_forfeit() {
                    record.reason = format!("{name}: {}", record.reason);
                }
                Outcome::Played(record)
            }
            Some(Answer::GivenUp) => Outcome::GivenUp,
            Some(Answer::Halt(halt)) => {
                Outcome::Halt(Halt::Elsewhere { place: name.clone(), halt: Box::new(halt) })
            }
            None => Outcome::Halt(Halt::Gone),
        };
        if reports.send(Report::Done(index, job, outcome, None)).is_err() {
            break;
        }
    }
}

/// What a player was found to be when its engine was tried on one of the machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    player: String,
    identity: Identity,
}

impl Found {
    /// The players of a plan whose engines have been tried, and found to be these.
    #[must_use]
    pub fn all(plan: &Plan, engines: &[Identity]) -> Vec<Self> {
        let players = plan.conditions.players.iter().zip(engines);
        players
            .map(|(player, identity)| Self { player: player.name.clone(), identity: identity.clone() })
            .collect()
    }

    /// What is different on another machine, of the first player of which anything is: what that machine has, and
    /// what this one has.
    #[must_use]
    pub fn difference(own: &[Self], theirs: &[Self]) -> Option<String> {
        own.iter().zip(theirs).find_map(|(own, theirs)| {
            let difference = own.identity.difference_elsewhere(&theirs.identity)?;
            Some(format!("player {}: {difference}", own.player))
        })
    }
}

/// What the guests of a machine hear of the run that they play for.
#[derive(Debug, Clone)]
pub struct Signals {
    abort: Receiver<()>,
    ease: Receiver<()>,
    halt: Receiver<()>,
}

/// Carries out, for the guests of a machine, what the run orders.
#[derive(Debug)]
pub struct Orders {
    ease: Option<Sender<()>>,
    halt: Option<Sender<()>>,
}

impl Signals {
    /// Those of a run that goes on. Once `abort` is closed all games are given up.
    #[must_use]
    pub fn new(abort: Receiver<()>) -> (Self, Orders) {
        let ((ease_sender, ease), (halt_sender, halt)) = (channel::bounded(0), channel::bounded(0));
        (Self { abort, ease, halt }, Orders { ease: Some(ease_sender), halt: Some(halt_sender) })
    }
}

impl Orders {
    /// Has the guests hear of it, whatever they are doing.
    pub fn carry_out(&mut self, order: Order) {
        match order {
            Order::Ease => self.ease = None,
            Order::Halt => self.halt = None,
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
    /// cores than there are ([`Plan::places`]).
    pub fn all(plan: &'a Plan, signals: &Signals) -> Vec<Self> {
        let most = dearest(&plan.conditions.players, &plan.schedule);
        let heartbeat = Arc::new(Heartbeat::start());
        let guest =
            |cores: &[usize]| Guest::new(plan, cores.to_vec(), signals.clone(), Arc::clone(&heartbeat));
        plan.cores.chunks_exact(most).map(guest).collect()
    }

    fn new(plan: &'a Plan, cores: Vec<usize>, signals: Signals, heartbeat: Arc<Heartbeat>) -> Self {
        // Restarts of an engine and repeated games are not reported from here.
        let (reports, _) = channel::unbounded();
        let Signals { abort, ease, halt } = signals;
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
            ease,
            halt,
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
        // Where there is no room for a thread, the engine is killed.
        let dismiss =
            |client: Client| leaving.borrow_mut().extend(Builder::new().spawn(move || client.quit()));
        let (outcome, _) = self.engines.job(&job, self.book, &dismiss);
        leaving.borrow_mut().retain(|thread| !thread.is_finished());
        match outcome {
            Outcome::Played(record) => Answer::Played(record),
            Outcome::GivenUp => Answer::GivenUp,
            Outcome::Halt(halt) => Answer::Halt(halt),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{FileIdentity, PROCESS, PROGRAM};
    use crate::journal::tests::game;
    use crate::openings::Order as OrderOfUse;
    use crate::play::Conditions;
    use crate::record::{Ending, Score};
    use crate::schedule::{Format, Schedule};
    use crate::spec::{Settings, players};
    use crate::worker::tests::goes_on;
    use client::Protocol;
    use std::time::Duration;

    /// Two players that are never started, on one core.
    fn plan() -> Plan {
        let player = |name: &str| Settings::of("engine").with("cmd", "/bin/sh").with("name", name);
        let conditions = Conditions::new(players(&[player("A"), player("B")], &[]).unwrap());
        let schedule = Schedule::new(Format::RoundRobin, 2, 10, false);
        let book = Book::embedded(OrderOfUse::Sequential, 1).unwrap();
        let mut plan = Plan::new(conditions, schedule, book, vec![0]);
        plan.pace.wait = Duration::from_millis(1);
        plan
    }

    /// As on the machine that runs the games.
    #[test]
    fn a_stop_lets_a_game_of_a_guest_end_that_has_begun() {
        for halts in [false, true] {
            let plan = plan();
            let (abort_sender, abort) = channel::bounded::<()>(0);
            let (signals, mut orders) = Signals::new(abort);
            let guests = Guest::all(&plan, &signals);
            let [guest] = &guests[..] else { panic!("{} guests on one core", guests.len()) };
            assert_eq!(goes_on(&guest.engines), [true, true, true]);
            orders.carry_out(Order::Ease);
            assert_eq!(goes_on(&guest.engines), [true, true, false]);
            let _open = if halts {
                orders.carry_out(Order::Halt);
                Some(abort_sender)
            } else {
                drop(abort_sender);
                None
            };
            assert_eq!(goes_on(&guest.engines), [false, false, false], "{halts}");
        }
    }

    /// A place that gives these answers, one after the other.
    struct Answers(Vec<Answer>);

    impl Elsewhere for Answers {
        fn name(&self) -> String {
            "rank 3 on node17".to_owned()
        }

        fn play(&mut self, _: &Pairing, _: &dyn Fn() -> bool) -> Option<Answer> {
            (!self.0.is_empty()).then(|| self.0.remove(0))
        }
    }

    /// Where a game has failed is told with it; of a game that was played to its end nothing is.
    #[test]
    fn what_fails_elsewhere_is_told_with_its_place() {
        let lost =
            |ending| GameRecord { ending, result: Score::White, reason: "B fails".to_owned(), ..game(0) };
        let endings = [Ending::Crash, Ending::TimeForfeit, Ending::Checkmate];
        let mut answers: Vec<Answer> = endings.map(|ending| Answer::Played(Box::new(lost(ending)))).into();
        let [player, what] = ["A", "its program is another file"].map(str::to_owned);
        let changed = Halt::Changed { player, what };
        // As it is sent from machine to machine.
        let sent = serde_json::to_string(&Answer::Halt(changed.clone())).unwrap();
        answers.push(serde_json::from_str(&sent).unwrap());
        let ((jobs, to_do), (reports, told)) = (channel::unbounded(), channel::unbounded());
        for id in 0..=answers.len() {
            let pairing = Pairing { id, round: 1, encounter: id / 2, opening: 0, white: 0, black: 1 };
            jobs.send(Job { pairing, cores: Vec::new(), since: Instant::now() }).unwrap();
        }
        drop(jobs);
        give_out(0, Box::new(Answers(answers)), &to_do, &channel::never(), 0, &reports);
        drop(reports);
        let mut outcomes = told.iter().map(|report| match report {
            Report::Done(_, _, outcome, _) => outcome,
            _ => panic!("a job is done, and nothing else"),
        });
        for reason in ["rank 3 on node17: B fails", "rank 3 on node17: B fails", "B fails"] {
            let Some(Outcome::Played(record)) = outcomes.next() else { panic!("no game: {reason}") };
            assert_eq!(record.reason, reason, "{}", record.ending);
        }
        let Some(Outcome::Halt(halt)) = outcomes.next() else { panic!("it goes on") };
        let text = "rank 3 on node17: A is not the program that began this run: its program is another file";
        assert_eq!(halt.to_string(), text);
        assert!(matches!(halt, Halt::Elsewhere { halt, .. } if *halt == changed));
        assert!(matches!(outcomes.next(), Some(Outcome::Halt(Halt::Gone))));
    }

    /// What a wrapper runs, the name and the protocol; a helper that was seen on one machine alone is no difference.
    #[test]
    fn a_player_is_the_same_program_on_all_machines() {
        let file = |role: &str, path: &str, sha256: &str| {
            let (size, modified_ns, files) = (1, None, None);
            let (role, path, sha256) = (role.to_owned(), path.into(), sha256.to_owned());
            FileIdentity { role, path, size, modified_ns, sha256, files }
        };
        let found = |name: &str, protocol: Protocol, processes: &[(&str, &str)]| {
            let mut files = vec![file(PROGRAM, "w.sh", "w")];
            files.extend(processes.iter().map(|(path, sha256)| file(PROCESS, path, sha256)));
            let protocol = Some(protocol);
            let named = Identity { name: Some(name.to_owned()), author: None, files, protocol };
            Found::all(&plan(), &[Identity::default(), named])
        };
        let own = found("X 1", Protocol::Uci, &[("/x/new", "1")]);
        let difference = |theirs: &[Found]| Found::difference(&own, theirs).unwrap_or_default();
        for same in [
            found("X 1", Protocol::Uci, &[("/y/copy", "1")]),
            found("X 1", Protocol::Uci, &[("/bin/helper", "7"), ("/x/new", "1")]),
            found("X 1", Protocol::Uci, &[]),
        ] {
            assert_eq!(difference(&same), "");
        }
        assert_eq!(
            difference(&found("X 1", Protocol::Uci, &[("/x/new", "2")])),
            "player B: `X 1; program w.sh sha256 w; process new sha256 2` instead of \
             `X 1; program w.sh sha256 w; process new sha256 1`"
        );
        assert!(difference(&found("X 2", Protocol::Uci, &[("/x/new", "1")])).contains("`X 2; "));
        assert_eq!(
            difference(&found("X 1", Protocol::Xboard, &[("/x/new", "1")])),
            "player B: xboard's protocol instead of UCI"
        );
    }
}
