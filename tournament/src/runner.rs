//! Playing a schedule: games given out to workers, results taken in, and a way to stop.
//!
//! One thread (the caller's) asks the schedule for games, gives out cores and takes in results; each worker
//! thread plays one game at a time (`worker`). A finished game's place is filled before its record
//! is written to the disk, so that no game waits for the disk; one that cannot be kept is taken back.
//!
//! A run also ends by itself where to go on would only write down what is not so: when a program cannot be
//! started any more or is another one than at the beginning, when a player loses one game after the other by
//! faults of its own, or when results cannot be kept ([`Halt`]).

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::process::{Child, Command};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use client::{Launcher, Listener};
use crossbeam::channel::{self, Receiver, Sender};
use serde::{Deserialize, Serialize};
use sys::affinity::CpuSet;
use sys::heartbeat::Heartbeat;

use crate::conversation::{Conversation, Recording};
use crate::cores::{Cores, cost};
use crate::elsewhere::{Order, Others, give_out};
use crate::identity::FileIdentity;
use crate::openings::{Book, BookError};
use crate::play::Conditions;
use crate::record::{Ending, GameRecord};
use crate::schedule::{Next, Pairing, Placing, Schedule};
use crate::standings::{Counting, Standings};
use crate::stats::sprt::{Sprt, Verdict};
use crate::tablebase::TableError;
use crate::worker::{Engines, Outcome};

/// A sequential test that ends a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    /// The test.
    pub sprt: Sprt,
    /// Whether it looks at pairs of games.
    pub by_pairs: bool,
}

/// What becomes of games that a player loses by a fault of its own ([`crate::record::Ending::is_fault`]).
/// Journals have it as JSON: `"count"`, `"stop-at-crash"` or `{"stop-after":3}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forfeits {
    /// They are games like others, for a sequential test too.
    Count,
    /// They are games like others, but the first program that crashes or falls silent ends the run: what
    /// other runners do unless they are told to recover.
    StopAtCrash,
    /// A sequential test does not see them, and so many in a row of one player end the run. Games that the player has
    /// won by such a fault of its opponent neither count nor end the row.
    StopAfter(u32),
}

impl Forfeits {
    /// Whether a sequential test sees these games.
    #[must_use]
    pub fn are_tested(self) -> bool {
        matches!(self, Self::Count | Self::StopAtCrash)
    }
}

/// So many games in a row say that a program does not work.
impl Default for Forfeits {
    fn default() -> Self {
        Self::StopAfter(3)
    }
}

/// Reads `stop`, `count`, or a number of games.
impl FromStr for Forfeits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "stop" => Ok(Self::default()),
            "count" => Ok(Self::Count),
            number => match number.parse() {
                Ok(games) if games > 0 => Ok(Self::StopAfter(games)),
                _ => Err(format!("`{text}` is neither stop nor count nor a number of games in a row")),
            },
        }
    }
}

/// How a run deals with engines that fail.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// What becomes of games they lose by that.
    pub forfeits: Forfeits,
    /// How long to wait before each further try to start a program that did not start.
    pub pauses: Vec<Duration>,
    /// The files of each player's engine, which must not change; none are watched where this is empty.
    pub files: Vec<Vec<FileIdentity>>,
}

/// Everything that makes a tournament.
pub struct Plan {
    /// What holds in every game.
    pub conditions: Conditions,
    /// Who meets whom.
    pub schedule: Schedule,
    /// Where games begin.
    pub book: Book,
    /// The cores games may use.
    pub cores: Vec<usize>,
    /// Whether engines are bound to the cores of their game.
    pub bind: bool,
    /// A test that may end it early.
    pub stop_rule: Option<StopRule>,
    /// What results are judged by.
    pub counting: Counting,
    /// What to do about engines that fail.
    pub faults: Faults,
    /// The number that games of this run have for the programs that play them.
    pub engines: usize,
    /// How fast games follow each other.
    pub pace: Pace,
    /// What is kept of the conversations with engines.
    pub recording: Recording,
}

/// How fast games follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pace {
    /// No more games at once, however many cores there are.
    pub most: Option<usize>,
    /// The pause after each game before the next one in its place.
    pub wait: Duration,
}

/// Who is told of what happens.
pub trait Watcher {
    /// A game begins.
    fn started(&mut self, game: &Pairing);

    /// A game is finished; to be kept before it is told of.
    ///
    /// # Errors
    /// It cannot be kept, and does not count; this ends the tournament.
    fn keep(&mut self, _game: &GameRecord) -> io::Result<()> {
        Ok(())
    }

    /// Games that [`Self::keep`] has taken before, and that are not kept either since another could not be; asked for
    /// when that is known. They do not count.
    fn unkept(&mut self) -> Vec<GameRecord> {
        Vec::new()
    }

    /// A game is finished, kept and counted.
    ///
    /// # Errors
    /// What is made of it besides cannot be written; this ends the tournament.
    fn finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()>;

    /// The conversations of the game that is about to be kept, if they are recorded.
    fn conversation(&mut self, _game: &GameRecord, _conversation: &Conversation) {}

    /// Something went wrong and is tried again.
    fn trouble(&mut self, _what: &str) {}

    /// Something that stops nothing, told once: a file that an engine's standard error is added to takes no more, or a
    /// process does not leave.
    fn notice(&mut self, _what: &str) {}

    /// Called at least once a second while no game ends.
    fn waiting(&mut self) {}
}

/// How often a watcher hears of a run in which nothing ends.
const PULSE: Duration = Duration::from_secs(1);

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// All games are played.
    Complete,
    /// The sequential test has decided.
    Decided(Verdict),
    /// It was stopped from outside.
    Stopped,
    /// It stopped by itself before the end.
    Halted(Halt),
}

/// Why a run stopped by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Halt {
    /// A program that ran before does not start any more.
    #[error("{player}: `{command}` can no longer be started: {why}")]
    CannotStart {
        /// The player's name.
        player: String,
        /// The command.
        command: String,
        /// What keeps it from starting.
        why: String,
    },
    /// A program was replaced during the run.
    #[error("{player} is not the program that began this run: {what}")]
    Changed {
        /// The player's name.
        player: String,
        /// What is different.
        what: String,
    },
    /// A player loses one game after the other by faults of its own.
    #[error("{player} has lost {games} by faults of its own, the last one so: {last}")]
    Forfeits {
        /// The player's name.
        player: String,
        /// How many games, in words.
        games: String,
        /// The reason of the last one.
        last: String,
    },
    /// A game's opening cannot be read.
    #[error(transparent)]
    Opening(#[from] BookError),
    /// A table that may know a game's result cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A game on another machine cannot be played.
    #[error("{place}: {halt}")]
    Elsewhere {
        /// Which machine that is.
        place: String,
        /// What it says.
        halt: Box<Halt>,
    },
    /// The other machines play no more.
    #[error("the other machines are gone")]
    Gone,
    /// A player's program crashed or fell silent.
    #[error("{0}")]
    Crash(String),
    /// A fault of this program in a game.
    #[error("a game thread panicked: {0}")]
    Panicked(String),
    /// There is no thread for each of the games at once.
    #[error("the system gives no thread for a game: {0}")]
    NoThread(String),
    /// A result cannot be kept.
    #[error("{why}, for game {game}")]
    Output {
        /// The file and the system's reason.
        why: String,
        /// The game, from 1.
        game: usize,
    },
}

/// A tournament that could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A game that does not fit.
    #[error(
        "{white} against {black} takes {needs} CPUs, and games may use {budget} together: give the engines \
         fewer threads, or the games more CPUs"
    )]
    TooFewCores {
        /// White.
        white: String,
        /// Black.
        black: String,
        /// What it takes.
        needs: usize,
        /// What there is.
        budget: usize,
    },
}

/// Stops a run from outside: the first request lets running games end, the second gives them up.
#[derive(Clone)]
pub struct Stop {
    senders: Arc<Mutex<Vec<Sender<()>>>>,
    gentle: Receiver<()>,
    hard: Receiver<()>,
}

impl Default for Stop {
    fn default() -> Self {
        let (gentle_sender, gentle) = channel::bounded(0);
        let (hard_sender, hard) = channel::bounded(0);
        // The last one is dropped first; a dropped sender is what the receivers notice.
        Self { senders: Arc::new(Mutex::new(vec![hard_sender, gentle_sender])), gentle, hard }
    }
}

impl Stop {
    /// Asks for the next kind of stop. True if running games may still end.
    pub fn request(&self) -> bool {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        senders.pop();
        !senders.is_empty()
    }

    /// Whether any has been asked for.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.gentle.try_recv() == Err(channel::TryRecvError::Disconnected)
    }

    /// Whether running games are to be given up.
    #[must_use]
    pub fn gives_up(&self) -> bool {
        self.hard.try_recv() == Err(channel::TryRecvError::Disconnected)
    }
}

/// Starts engines in process groups of their own, that do not outlive the runner: what a wrapper script
/// started ends with it.
#[derive(Default)]
pub struct GroupLauncher {
    /// The CPUs they may use until they have greeted, if these are not those of the thread that starts them.
    pub home: Option<CpuSet>,
    /// The CPUs that they are bound to when they have greeted, if they are.
    pub cpus: Option<CpuSet>,
    /// Who hears the conversation with the next one.
    pub listener: Option<Arc<dyn Listener>>,
}

impl Launcher for GroupLauncher {
    fn launch(&self, command: &mut Command) -> io::Result<Child> {
        sys::ranks::forget(command);
        sys::process::spawn_in_own_group(command, self.home.as_ref())
    }

    fn greeted(&self, child: &Child) -> io::Result<()> {
        let Some(cpus) = &self.cpus else { return Ok(()) };
        let hint =
            |error: io::Error| io::Error::new(error.kind(), format!("{error} (--no-affinity plays without)"));
        sys::process::bind_group(child, cpus).map_err(hint)
    }

    fn kill(&self, child: &mut Child) -> io::Result<()> {
        sys::process::kill_group(child)
    }

    fn listener(&self) -> Option<Arc<dyn Listener>> {
        self.listener.clone()
    }
}

/// A game for a worker.
pub(crate) struct Job {
    pub pairing: Pairing,
    pub cores: Vec<usize>,
    pub since: Instant,
}

/// What a worker tells.
pub(crate) enum Report {
    /// A game is over, for the worker of this number.
    Done(usize, Job, Outcome, Option<Box<Conversation>>),
    /// Something is tried again.
    Trouble(String),
    /// A process does not leave, say: what each of a player's processes may find out anew.
    Notice(String),
}

struct Worker {
    jobs: Sender<Job>,
    idle: bool,
    /// It plays on another machine and needs no cores here.
    elsewhere: bool,
    last: Option<([usize; 2], Vec<usize>)>,
}

/// Plays all games of the plan that are not among `finished`, which are counted first.
///
/// # Errors
/// A game needs more cores than there are.
pub fn run(
    plan: &mut Plan,
    finished: &[GameRecord],
    watcher: &mut dyn Watcher,
    stop: &Stop,
) -> Result<(RunEnd, Standings), RunError> {
    run_with(plan, finished, watcher, stop, Others::default())
}

/// The same with places on other machines as well.
///
/// # Errors
/// A game needs more cores than there are here.
pub fn run_with(
    plan: &mut Plan,
    finished: &[GameRecord],
    watcher: &mut dyn Watcher,
    stop: &Stop,
    others: Others<'_>,
) -> Result<(RunEnd, Standings), RunError> {
    let places = plan.places()?;
    let (report_sender, reports) = channel::unbounded();
    let (abort_sender, abort) = channel::bounded::<()>(0);
    let (ease_sender, ease) = channel::bounded::<()>(0);
    let (halt_sender, halt) = channel::bounded::<()>(0);
    // More workers than games would only sit there.
    let workers = plan.schedule.total().map_or(places, |games| places.min(games.max(1)));
    let standings = plan.standings();
    let workers = plan.pace.most.map_or(workers, |most| workers.min(most.max(1)));
    let Plan { conditions, schedule, book, bind, faults, engines, stop_rule, cores, .. } = plan;
    let (wait, recording) = (plan.pace.wait, &plan.recording);
    let (conditions, book, faults) = (&*conditions, &*book, &*faults);
    let (bind, number) = (*bind, *engines);
    let heartbeat = Arc::new(Heartbeat::start());
    let (end, standings, mut noticed) = thread::scope(|scope| {
        let mut refused = None;
        let mut workers: Vec<Worker> = (0..workers)
            .map(|index| {
                let (jobs, job_receiver) = channel::unbounded();
                let (abort, ease, halt) = (abort.clone(), ease.clone(), halt.clone());
                let (reports, heartbeat) = (report_sender.clone(), Arc::clone(&heartbeat));
                let kept = Vec::new();
                let worker = Engines {
                    conditions,
                    faults,
                    bind,
                    home: None,
                    number,
                    wait,
                    heartbeat,
                    recording,
                    abort,
                    ease,
                    halt,
                    reports,
                    kept,
                };
                let work = move || worker.work(index, book, &job_receiver);
                refused = refused.take().or(thread::Builder::new().spawn_scoped(scope, work).err());
                Worker { jobs, idle: true, elsewhere: false, last: None }
            })
            .collect();
        for place in others.places {
            let (jobs, job_receiver) = channel::unbounded();
            let (abort, reports, index) = (abort.clone(), report_sender.clone(), workers.len());
            let work = move || give_out(index, place, &job_receiver, &abort, number, &reports);
            refused = refused.take().or(thread::Builder::new().spawn_scoped(scope, work).err());
            workers.push(Worker { jobs, idle: true, elsewhere: true, last: None });
        }
        let cores = Cores::new(cores.iter().copied());
        let mut floor = Floor {
            forfeits: faults.forfeits,
            stop_rule: *stop_rule,
            abort: Some(abort_sender),
            ease: Some(ease_sender),
            halt: Some(halt_sender),
            tell: others.tell,
            ..Floor::new(conditions, schedule, cores, workers, standings)
        };
        finished.iter().for_each(|game| floor.count(game));
        // Once, after all of them: the order in which they are given is not always that in which they were played.
        floor.test();
        if let Some(error) = refused {
            floor.end_with(RunEnd::Halted(Halt::NoThread(error.to_string())));
        }
        floor.run(&reports, watcher, stop);
        floor.standings.place(floor.schedule.placing(&|id| floor.points.get(&id).copied()));
        (floor.end, floor.standings, floor.noticed)
    });
    // The last engines have been sent away after the last game.
    for report in reports.try_iter() {
        if let Report::Notice(what) = report {
            tell_once(&mut noticed, what, watcher);
        }
    }
    Ok((end, standings))
}

/// Passes a notice on, unless that has been done before.
fn tell_once(noticed: &mut BTreeSet<String>, what: String, watcher: &mut dyn Watcher) {
    if !noticed.contains(&what) {
        watcher.notice(&what);
        noticed.insert(what);
    }
}

impl Plan {
    /// Of these games on these cores, with everything at its simplest: nothing is bound, tested or recorded, results
    /// are judged by pairs, and as many games are played at once as there are cores for.
    #[must_use]
    pub fn new(conditions: Conditions, schedule: Schedule, book: Book, cores: Vec<usize>) -> Self {
        Self {
            conditions,
            schedule,
            book,
            cores,
            bind: false,
            stop_rule: None,
            counting: Counting::Pairs,
            faults: Faults::default(),
            engines: 0,
            pace: Pace::default(),
            recording: Recording::default(),
        }
    }

    /// Nothing played yet.
    #[must_use]
    pub fn standings(&self) -> Standings {
        let standings = Standings::new(self.conditions.players.len(), self.counting);
        if self.faults.forfeits.are_tested() { standings } else { standings.tested_without_faults() }
    }

    /// What ranks the players after these games, which are all that are played.
    #[must_use]
    pub fn placing(&self, finished: &[GameRecord]) -> Placing {
        let points: HashMap<usize, f64> =
            finished.iter().map(|game| (game.id, game.result.white_points())).collect();
        let results = |id: usize| points.get(&id).copied();
        let mut schedule = self.schedule.clone();
        schedule.play_on(&results);
        schedule.placing(&results)
    }

    /// How many games may be played at once: as many of the cheapest as the cores will do for.
    ///
    /// # Errors
    /// A game needs more cores than there are.
    pub fn places(&self) -> Result<usize, RunError> {
        let players = &self.conditions.players;
        let budget = self.cores.len();
        let mut smallest = budget;
        for [white, black] in self.schedule.possible_meetings() {
            let (white, black) = (&players[white], &players[black]);
            let needs = cost(white, black);
            smallest = smallest.min(needs);
            if needs > budget {
                let (white, black) = (white.name.clone(), black.name.clone());
                return Err(RunError::TooFewCores { white, black, needs, budget });
            }
        }
        Ok((budget / smallest.max(1)).max(1))
    }
}

/// The state of a run, as the dispatching thread sees it.
struct Floor<'a> {
    conditions: &'a Conditions,
    forfeits: Forfeits,
    schedule: &'a mut Schedule,
    /// The schedule before its first game, where results decide who meets.
    unplayed: Option<Schedule>,
    stop_rule: Option<StopRule>,
    cores: Cores,
    workers: Vec<Worker>,
    running: usize,
    /// A game that waits for cores.
    next: Option<Pairing>,
    exhausted: bool,
    /// A game that was begun was not played to its end.
    given_up: bool,
    end: RunEnd,
    points: HashMap<usize, f64>,
    standings: Standings,
    /// Games of this run that each player has lost by faults of its own since one that ended without a fault.
    in_a_row: Vec<u32>,
    unsaved: Vec<(GameRecord, Option<Conversation>)>,
    /// Games that have begun and were not reported.
    begun: Vec<Pairing>,
    /// What was passed on of what every process finds out anew.
    noticed: BTreeSet<String>,
    /// Dropped when running games are to be given up...
    abort: Option<Sender<()>>,
    /// ...when those that have not begun are...
    ease: Option<Sender<()>>,
    /// ...and when those are, too, that wait for a program to start again.
    halt: Option<Sender<()>>,
    /// Tells the other machines of the last two.
    tell: Box<dyn Fn(Order) + 'a>,
}

impl<'a> Floor<'a> {
    /// Nothing has begun: no test, and nothing to give games up by.
    fn new(
        conditions: &'a Conditions,
        schedule: &'a mut Schedule,
        cores: Cores,
        workers: Vec<Worker>,
        standings: Standings,
    ) -> Self {
        Self {
            conditions,
            forfeits: Forfeits::default(),
            unplayed: (!schedule.is_known()).then(|| schedule.clone()),
            schedule,
            stop_rule: None,
            cores,
            workers,
            running: 0,
            next: None,
            exhausted: false,
            given_up: false,
            end: RunEnd::Complete,
            points: HashMap::new(),
            standings,
            in_a_row: vec![0; conditions.players.len()],
            unsaved: Vec::new(),
            begun: Vec::new(),
            noticed: BTreeSet::new(),
            abort: None,
            ease: None,
            halt: None,
            tell: Box::new(|_| {}),
        }
    }

    fn count(&mut self, game: &GameRecord) {
        self.points.insert(game.id, game.result.white_points());
        self.standings.add(game);
    }

    /// A game that could not be kept does not count, and decides no stage of the schedule.
    fn take_back(&mut self, game: &GameRecord) {
        self.points.remove(&game.id);
        self.standings.take_back(game);
        if let Some(unplayed) = &self.unplayed {
            *self.schedule = unplayed.clone();
            self.schedule.play_on(&|id| self.points.get(&id).copied());
        }
    }

    /// Ends the run if the test is decided.
    fn test(&mut self) {
        if let Some(rule) = self.stop_rule {
            match rule.sprt.verdict(self.standings.llr(&rule.sprt, rule.by_pairs)) {
                Verdict::Continue => {}
                verdict => self.end_with(RunEnd::Decided(verdict)),
            }
        }
    }

    /// No further game begins. What ended a run first is what it ended with, unless a game that was let end
    /// after Ctrl-C decides the test: its verdict stands. A fault that ended the run is what the user must know.
    fn end_with(&mut self, end: RunEnd) {
        let decides = matches!(end, RunEnd::Decided(_)) && self.end == RunEnd::Stopped;
        if self.end == RunEnd::Complete || decides {
            self.end = end;
        }
        // Told first: a worker that hears of the end must know whether the run has halted by itself.
        if matches!(self.end, RunEnd::Halted(_)) && self.halt.take().is_some() {
            (self.tell)(Order::Halt);
        }
        if self.ease.take().is_some() {
            (self.tell)(Order::Ease);
        }
        if self.is_over() {
            // The verdict stands, or nothing more can be kept: what is still being played is of no use.
            self.abort = None;
        }
    }

    /// Are games of no use that are still being played?
    fn is_over(&self) -> bool {
        matches!(self.end, RunEnd::Decided(_) | RunEnd::Halted(Halt::Output { .. }))
    }

    fn run(&mut self, reports: &Receiver<Report>, watcher: &mut dyn Watcher, stop: &Stop) {
        let (mut gentle, mut hard) = (stop.gentle.clone(), stop.hard.clone());
        loop {
            // The stop may have been asked for before the run began.
            if self.end == RunEnd::Complete && !stop.requested() {
                self.dispatch();
            }
            self.save(watcher);
            self.begun.drain(..).for_each(|game| watcher.started(&game));
            if self.running == 0 && (self.exhausted || self.end != RunEnd::Complete) {
                self.end_whole();
                return;
            }
            // To stop comes before everything else.
            crossbeam::channel::select_biased! {
                recv(hard) -> _ => {
                    hard = channel::never();
                    self.end_with(RunEnd::Stopped);
                    self.abort = None;
                }
                recv(gentle) -> _ => {
                    gentle = channel::never();
                    self.end_with(RunEnd::Stopped);
                }
                recv(reports) -> report => match report {
                    Ok(Report::Done(worker, job, outcome, conversation)) => {
                        self.take_in(worker, &job, outcome, conversation.map(|boxed| *boxed));
                    }
                    Ok(Report::Trouble(what)) => watcher.trouble(&what),
                    Ok(Report::Notice(what)) => tell_once(&mut self.noticed, what, watcher),
                    Err(_) => {}
                },
                default(PULSE) => watcher.waiting(),
            }
        }
    }

    /// A stop, or a player that does nothing but fail, has ended nothing where the games that were to end were
    /// the last ones.
    fn end_whole(&mut self) {
        let leaves_games = matches!(self.end, RunEnd::Stopped | RunEnd::Halted(Halt::Forfeits { .. }));
        if leaves_games && !self.given_up && self.is_played_out() {
            self.end = RunEnd::Complete;
        }
    }

    /// Whether all games are played. A Swiss or a knockout that waited for results when the run was stopped
    /// can say so only now; a further stage is not begun for the question.
    fn is_played_out(&mut self) -> bool {
        if !self.exhausted && self.next.is_none() {
            let mut plan = self.schedule.clone();
            let next = loop {
                match plan.next(&|id| self.points.get(&id).copied()) {
                    // By an earlier run.
                    Next::Game(played) if self.points.contains_key(&played.id) => {}
                    next => break next,
                }
            };
            self.exhausted = next == Next::Done;
            if self.exhausted {
                *self.schedule = plan;
            }
        }
        self.exhausted
    }

    /// Has finished games written, as long as that works.
    fn save(&mut self, watcher: &mut dyn Watcher) {
        for (game, conversation) in std::mem::take(&mut self.unsaved) {
            if matches!(self.end, RunEnd::Halted(Halt::Output { .. })) {
                self.take_back(&game);
                continue;
            }
            if let Some(conversation) = &conversation {
                watcher.conversation(&game, conversation);
            }
            let mut written = watcher.keep(&game);
            if written.is_ok() {
                self.standings.place(self.schedule.placing(&|id| self.points.get(&id).copied()));
                written = watcher.finished(&game, &self.standings);
            } else {
                self.take_back(&game);
                watcher.unkept().iter().for_each(|game| self.take_back(game));
            }
            if let Err(error) = written {
                // Whatever else has ended the run, this must be told.
                self.end = RunEnd::Complete;
                self.end_with(RunEnd::Halted(Halt::Output { why: error.to_string(), game: game.id + 1 }));
            }
        }
    }

    /// Starts games until cores or games run out.
    fn dispatch(&mut self) {
        while !self.exhausted {
            let pairing = match self.next.take() {
                Some(pairing) => pairing,
                None => match self.schedule.next(&|id| self.points.get(&id).copied()) {
                    Next::Game(pairing) => pairing,
                    Next::Wait => return,
                    Next::Done => {
                        self.exhausted = true;
                        return;
                    }
                },
            };
            if self.points.contains_key(&pairing.id) {
                continue;
            }
            let players = &self.conditions.players;
            let count = cost(&players[pairing.white], &players[pairing.black]);
            let sides = [pairing.white.min(pairing.black), pairing.white.max(pairing.black)];
            let fitting = |worker: &Worker| worker.last.as_ref().is_some_and(|(last, _)| *last == sides);
            let room = self.cores.has(count);
            let free = |worker: &Worker| worker.idle && (worker.elsewhere || room);
            let idle = || self.workers.iter().enumerate().filter(|(_, worker)| free(worker));
            let chosen = idle().find(|(_, worker)| fitting(worker)).or_else(|| idle().next());
            let Some((index, worker)) = chosen else {
                self.next = Some(pairing);
                return;
            };
            let wish = worker.last.as_ref().map(|(_, cores)| cores.clone()).unwrap_or_default();
            let cores = if worker.elsewhere { Some(Vec::new()) } else { self.cores.take(count, &wish) };
            let Some(cores) = cores else {
                self.next = Some(pairing);
                return;
            };
            self.begun.push(pairing);
            let worker = &mut self.workers[index];
            worker.idle = false;
            worker.last = Some((sides, cores.clone()));
            // A worker lives until its jobs' sender is dropped, which this thread holds.
            if worker.jobs.send(Job { pairing, cores, since: Instant::now() }).is_ok() {
                self.running += 1;
            }
        }
    }

    fn take_in(&mut self, worker: usize, job: &Job, outcome: Outcome, conversation: Option<Conversation>) {
        self.running -= 1;
        self.workers[worker].idle = true;
        self.cores.give(&job.cores);
        match outcome {
            // It ended just before it could be given up. It cannot be kept, and the same command plays it again; or the
            // test is decided, and what decided it stays the last that is known.
            Outcome::Played(_) if self.is_over() => self.given_up = true,
            Outcome::Played(record) => {
                self.count(&record);
                self.test();
                self.look_for_faults(&record);
                self.unsaved.push((*record, conversation));
            }
            Outcome::GivenUp => self.given_up = true,
            Outcome::Halt(halt) => {
                self.given_up = true;
                self.end_with(RunEnd::Halted(halt));
            }
        }
    }

    /// Ends the run when a player does nothing but fail.
    fn look_for_faults(&mut self, game: &GameRecord) {
        let at_fault = game.loser().filter(|_| game.ending.is_fault());
        match at_fault {
            // That says nothing of the winner, which may fail as well.
            Some(player) => self.in_a_row[player] += 1,
            None => [game.white, game.black].into_iter().for_each(|player| self.in_a_row[player] = 0),
        }
        let crash =
            matches!(game.ending, Ending::Crash | Ending::Disconnect | Ending::Stall | Ending::StartFailure);
        if crash && self.forfeits == Forfeits::StopAtCrash {
            self.end_with(RunEnd::Halted(Halt::Crash(game.reason.clone())));
        }
        if let (Some(player), Forfeits::StopAfter(most)) = (at_fault, self.forfeits)
            && self.in_a_row[player] >= most
        {
            let name = self.conditions.players[player].name.clone();
            let games = if most == 1 { "a game".to_owned() } else { format!("{most} games in a row") };
            let halt = Halt::Forfeits { player: name, games, last: game.reason.clone() };
            self.end_with(RunEnd::Halted(halt));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::openings::Order;
    use crate::record::Score;
    use crate::schedule::{Format, Placing};
    use crate::spec::{Settings, players};
    use crate::stats::sprt::Model;

    /// A disk that takes nothing.
    struct Full;

    impl Watcher for Full {
        fn started(&mut self, _: &Pairing) {}

        fn keep(&mut self, _: &GameRecord) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn finished(&mut self, game: &GameRecord, _: &Standings) -> io::Result<()> {
            panic!("game {} is not kept", game.id)
        }
    }

    /// A disk with room for the games, and for nothing else.
    struct KeepsGamesAlone;

    impl Watcher for KeepsGamesAlone {
        fn started(&mut self, _: &Pairing) {}

        fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    fn conditions() -> Conditions {
        let player = |name: &str| {
            let words = ["cmd=/bin/sh".to_owned(), format!("name={name}"), "depth=1".to_owned()];
            Settings::from_words("engine", &words).unwrap()
        };
        Conditions::new(players(&[player("A"), player("B")], &[]).unwrap())
    }

    /// There is no CPU that it could be bound to; where nothing can be bound, that is the reason.
    #[test]
    #[cfg(unix)]
    fn an_engine_that_cannot_be_bound_is_told_with_what_plays_without() {
        let launcher = GroupLauncher { cpus: Some(CpuSet::default()), ..GroupLauncher::default() };
        let mut child = launcher.launch(Command::new("sleep").arg("60")).unwrap();
        let bound = launcher.greeted(&child);
        launcher.kill(&mut child).unwrap();
        child.wait().unwrap();
        let told = bound.unwrap_err().to_string();
        assert!(told.ends_with(" (--no-affinity plays without)"), "{told}");
        assert!(GroupLauncher::default().greeted(&child).is_ok(), "nothing is to be bound");
    }

    /// A run of two games at a time, with no engine behind it.
    fn floor<'a>(
        conditions: &'a Conditions,
        schedule: &'a mut Schedule,
        stop_rule: Option<StopRule>,
    ) -> Floor<'a> {
        let (jobs, _) = channel::unbounded();
        let workers = vec![Worker { jobs, idle: false, elsewhere: false, last: None }];
        let standings = Standings::new(2, Counting::Pairs);
        Floor {
            stop_rule,
            running: 2,
            ..Floor::new(conditions, schedule, Cores::new(0..2), workers, standings)
        }
    }

    /// Game `id` ends, which player 0 has won.
    fn win(floor: &mut Floor<'_>, id: usize) {
        let white = id % 2;
        let pairing = Pairing { id, round: 1, encounter: id / 2, opening: 0, white, black: 1 - white };
        let job = Job { pairing, cores: Vec::new(), since: Instant::now() };
        floor.take_in(0, &job, Outcome::Played(Box::new(won(id))), None);
    }

    /// Game `id`, won by player 0.
    fn won(id: usize) -> GameRecord {
        GameRecord { result: if id.is_multiple_of(2) { Score::White } else { Score::Black }, ..game(id) }
    }

    fn rule() -> StopRule {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Model::Normalized };
        StopRule { sprt, by_pairs: true }
    }

    /// Takes everything.
    struct Keeps;

    impl Watcher for Keeps {
        fn started(&mut self, _: &Pairing) {}

        fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
            Ok(())
        }
    }

    /// A program that loses now and then by a fault of its own works: only games in a row end the run.
    #[test]
    fn a_game_without_a_fault_ends_the_row_of_those_with_one() {
        let (conditions, mut schedule) = (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
        let mut floor = floor(&conditions, &mut schedule, None);
        floor.forfeits = Forfeits::StopAfter(3);
        // Player 1 loses all of them.
        let endings = [Ending::Crash, Ending::Crash, Ending::Checkmate, Ending::Crash, Ending::Crash];
        for (id, ending) in endings.into_iter().enumerate() {
            floor.look_for_faults(&GameRecord { ending, ..won(id) });
        }
        assert_eq!(floor.end, RunEnd::Complete);
        floor.look_for_faults(&GameRecord { ending: Ending::Crash, ..won(5) });
        assert!(
            matches!(&floor.end, RunEnd::Halted(Halt::Forfeits { player, .. }) if player == "B"),
            "{:?}",
            floor.end
        );
    }

    /// Two programs of which neither works: the crash of one says nothing for the other, which it lets win.
    #[test]
    fn crashes_of_both_players_in_turn_end_the_run() {
        let (conditions, mut schedule) = (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
        let mut floor = floor(&conditions, &mut schedule, None);
        floor.forfeits = Forfeits::StopAfter(3);
        // White loses all of them.
        let crash = |id| GameRecord { ending: Ending::Crash, result: Score::Black, ..game(id) };
        for id in 0..4 {
            floor.look_for_faults(&crash(id));
        }
        assert_eq!(floor.end, RunEnd::Complete, "two of each");
        floor.look_for_faults(&crash(4));
        let RunEnd::Halted(Halt::Forfeits { player, .. }) = &floor.end else { panic!("{:?}", floor.end) };
        assert_eq!(*player, conditions.players[crash(4).white].name);
    }

    /// Counts the games that begin.
    struct Begun(usize);

    impl Watcher for Begun {
        fn started(&mut self, _: &Pairing) {
            self.0 += 1;
        }

        fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
            Ok(())
        }
    }

    /// Ctrl-C may come while other machines are waited for. Where an earlier run has played all games, it ends nothing.
    #[test]
    fn a_run_that_is_stopped_before_it_begins_plays_nothing() {
        let finished: Vec<GameRecord> = (0..4).map(game).collect();
        for (played, end) in [(0, RunEnd::Stopped), (3, RunEnd::Stopped), (4, RunEnd::Complete)] {
            let schedule = Schedule::new(Format::RoundRobin, 2, 2, false);
            let book = Book::embedded(Order::Sequential, 1).unwrap();
            let mut plan = Plan::new(conditions(), schedule, book, vec![0, 1]);
            let (mut begun, stop) = (Begun(0), Stop::default());
            stop.request();
            let (ended, standings) = run(&mut plan, &finished[..played], &mut begun, &stop).unwrap();
            assert_eq!((ended, standings.games(), begun.0), (end, played as u64, 0));
        }
    }

    /// The other machines hear of the end once, and of a fault that ends the run: the games that they play wait for no
    /// further start.
    #[test]
    fn other_machines_are_told_of_the_end() {
        use crate::elsewhere::Order::{Ease, Halt as Halts};
        for (ends, told) in [
            (vec![RunEnd::Stopped, RunEnd::Stopped], vec![Ease]),
            (vec![RunEnd::Halted(Halt::Gone)], vec![Halts, Ease]),
            (vec![RunEnd::Decided(Verdict::H1), RunEnd::Stopped], vec![Ease]),
        ] {
            let (conditions, mut schedule) =
                (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
            let (heard, orders) = channel::unbounded();
            let mut floor = floor(&conditions, &mut schedule, None);
            let ((ease, _), (halt, _)) = (channel::bounded(0), channel::bounded(0));
            (floor.ease, floor.halt) = (Some(ease), Some(halt));
            floor.tell = Box::new(move |order| heard.send(order).unwrap());
            ends.into_iter().for_each(|end| floor.end_with(end));
            assert_eq!(orders.try_iter().collect::<Vec<_>>(), told);
        }
    }

    /// The run is stopped while the games of a stage are played, which then end: a final was all there was to
    /// play, and has a winner. A stage that is still to come is not begun, and gives no bye.
    #[test]
    fn a_stop_in_the_last_stage_lets_the_tournament_end() {
        for (format, players, end) in
            [(Format::Knockout, 2, RunEnd::Complete), (Format::Swiss(2), 3, RunEnd::Stopped)]
        {
            let (conditions, mut schedule) = (conditions(), Schedule::new(format, players, 1, false));
            while schedule.next(&|_| None) != Next::Wait {}
            let mut floor = floor(&conditions, &mut schedule, None);
            floor.end_with(RunEnd::Stopped);
            (0..2).for_each(|id| win(&mut floor, id));
            floor.run(&channel::unbounded().1, &mut Keeps, &Stop::default());
            assert_eq!((&floor.end, floor.standings.games()), (&end, 2), "{format:?}");
            match floor.schedule.placing(&|id| floor.points.get(&id).copied()) {
                Placing::ByStage { winner, .. } => assert_eq!(winner, Some(0)),
                Placing::ByPoints(points) => assert_eq!(points, [2.0, 0.0, 1.0]),
                Placing::ByShare => panic!("{format:?}"),
            }
        }
    }

    /// Two games end at the same time, and the first cannot be kept: neither counts, whether the second ends before
    /// that is known or after.
    #[test]
    fn a_game_that_ends_after_the_disk_is_full_does_not_count() {
        for at_once in [false, true] {
            let (conditions, mut schedule) = (conditions(), Schedule::new(Format::RoundRobin, 2, 2, false));
            let mut floor = floor(&conditions, &mut schedule, None);
            for id in 0..2 {
                win(&mut floor, id);
                if id == 1 || !at_once {
                    floor.save(&mut Full);
                }
            }
            assert!(matches!(floor.end, RunEnd::Halted(Halt::Output { game: 1, .. })), "{:?}", floor.end);
            assert_eq!((floor.standings.games(), floor.points.len()), (0, 0), "{at_once}");
            assert_eq!((floor.running, floor.given_up), (0, !at_once));
        }
    }

    /// A disk that is full when the first game is to be written, for which all others have waited.
    #[derive(Default)]
    struct FullInOrder(Vec<GameRecord>);

    impl Watcher for FullInOrder {
        fn started(&mut self, _: &Pairing) {}

        fn keep(&mut self, game: &GameRecord) -> io::Result<()> {
            if game.id == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.push(game.clone());
            Ok(())
        }

        fn unkept(&mut self) -> Vec<GameRecord> {
            std::mem::take(&mut self.0)
        }

        fn finished(&mut self, _: &GameRecord, _: &Standings) -> io::Result<()> {
            Ok(())
        }
    }

    /// Games that wait for one that cannot be kept count no more than that.
    #[test]
    fn games_that_waited_for_one_that_is_not_kept_do_not_count() {
        let (conditions, mut schedule) = (conditions(), Schedule::new(Format::RoundRobin, 2, 2, false));
        let mut floor = floor(&conditions, &mut schedule, None);
        floor.running = 3;
        let mut watcher = FullInOrder::default();
        for (id, counted) in [(2, 1), (1, 2), (0, 0)] {
            win(&mut floor, id);
            floor.save(&mut watcher);
            assert_eq!((floor.standings.games(), floor.points.len()), (counted as u64, counted), "{id}");
        }
        assert!(matches!(floor.end, RunEnd::Halted(Halt::Output { game: 1, .. })), "{:?}", floor.end);
    }

    /// The game that would have decided the test cannot be kept: nothing is decided. It counts where it is kept, and
    /// only another file cannot be written.
    #[test]
    fn a_game_that_is_not_kept_decides_no_test() {
        let conditions = conditions();
        let mut schedules = [(); 3].map(|()| Schedule::new(Format::RoundRobin, 2, 1000, false));
        let [first, second, third] = &mut schedules;
        let mut known = floor(&conditions, first, Some(rule()));
        let decides = |id: &usize| {
            known.count(&won(*id));
            known.test();
            known.end != RunEnd::Complete
        };
        let last = (0..2000).find(decides).unwrap();
        let verdict = |floor: &Floor<'_>| rule().sprt.verdict(floor.standings.llr(&rule().sprt, true));
        let watchers: [(&mut Schedule, &mut dyn Watcher, usize, Verdict); 2] = [
            (second, &mut Full, last, Verdict::Continue),
            (third, &mut KeepsGamesAlone, last + 1, Verdict::H1),
        ];
        for (schedule, watcher, games, comes_to) in watchers {
            let mut floor = floor(&conditions, schedule, Some(rule()));
            (0..last).for_each(|id| floor.count(&won(id)));
            win(&mut floor, last);
            assert_eq!(floor.end, RunEnd::Decided(Verdict::H1));
            floor.save(watcher);
            let told = matches!(&floor.end, RunEnd::Halted(Halt::Output { game, .. }) if *game == last + 1);
            assert!(told, "{:?}", floor.end);
            assert_eq!((floor.standings.games(), floor.points.len()), (games as u64, games));
            assert_eq!(verdict(&floor), comes_to);
        }
    }

    /// The last game of a final cannot be kept, when the schedule knows its winner already.
    #[test]
    fn a_game_that_is_not_kept_decides_no_knockout() {
        let (conditions, mut schedule) = (conditions(), Schedule::new(Format::Knockout, 2, 1, false));
        let mut floor = floor(&conditions, &mut schedule, None);
        while let Next::Game(_) = floor.schedule.next(&|_| None) {}
        win(&mut floor, 0);
        floor.save(&mut Keeps);
        win(&mut floor, 1);
        let winner = |floor: &Floor<'_>| match floor.schedule.placing(&|id| floor.points.get(&id).copied()) {
            Placing::ByStage { winner, .. } => winner,
            placing => panic!("{placing:?}"),
        };
        assert_eq!(floor.schedule.next(&|id| floor.points.get(&id).copied()), Next::Done);
        assert_eq!(winner(&floor), Some(0));
        floor.save(&mut Full);
        assert_eq!((winner(&floor), floor.standings.games()), (None, 1));
    }

    /// A test is decided by what has been played, not by the order in which it is read: here all lost pairs come first.
    /// And what decided it stays the last that counts.
    #[test]
    fn a_test_is_decided_once_all_finished_games_are_known() {
        // Player 0 loses every other pair, then wins every other; the rest are drawn.
        let result = |id: usize| match (id % 4, id.is_multiple_of(2) == (id < 1000)) {
            (0 | 1, _) => Score::Draw,
            (_, true) => Score::Black,
            (_, false) => Score::White,
        };
        let finished: Vec<GameRecord> =
            (0..2000).map(|id| GameRecord { result: result(id), ..game(id) }).collect();
        let schedule = Schedule::new(Format::RoundRobin, 2, 1000, false);
        let book = Book::embedded(Order::Sequential, 1).unwrap();
        let mut plan = Plan { stop_rule: Some(rule()), ..Plan::new(conditions(), schedule, book, vec![0]) };
        let (end, standings) = run(&mut plan, &finished, &mut Full, &Stop::default()).unwrap();
        assert_eq!((end, standings.games()), (RunEnd::Complete, 2000));

        let (conditions, mut schedule) = (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
        let mut floor = floor(&conditions, &mut schedule, Some(rule()));
        finished.iter().take(999).for_each(|game| floor.count(game));
        floor.test();
        assert_eq!(floor.end, RunEnd::Decided(Verdict::H0));
        let llr = floor.standings.llr(&rule().sprt, true);
        win(&mut floor, 999);
        assert_eq!((floor.standings.llr(&rule().sprt, true), floor.given_up), (llr, true));
    }

    /// The run is stopped while two games are played, and the first of them decides the test: that is how it ends,
    /// and the other one is of no use. But where a game is lost, that is what is told.
    #[test]
    fn a_test_is_decided_after_a_stop_too() {
        let full = || RunEnd::Halted(Halt::Output { why: "full".to_owned(), game: 1 });
        for (first, is_last_word) in [(RunEnd::Stopped, false), (full(), true)] {
            let (conditions, mut schedule) =
                (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
            let mut floor = floor(&conditions, &mut schedule, Some(rule()));
            // Player 0 loses every other pair; the rest are drawn.
            let results = (0..998).map(|id| match (id % 4, id % 2) {
                (0 | 1, _) => Score::Draw,
                (_, 0) => Score::Black,
                _ => Score::White,
            });
            results.enumerate().for_each(|(id, result)| floor.count(&GameRecord { result, ..game(id) }));
            let (abort, given_up) = channel::bounded::<()>(0);
            floor.abort = Some(abort);
            floor.end_with(first.clone());
            win(&mut floor, 998);
            let end = if is_last_word { first } else { RunEnd::Decided(Verdict::H0) };
            assert_eq!((&floor.end, floor.given_up), (&end, is_last_word));
            assert_eq!(given_up.try_recv(), Err(channel::TryRecvError::Disconnected), "{end:?}");
            let games = floor.standings.games();
            win(&mut floor, 999);
            assert_eq!((floor.standings.games(), floor.given_up), (games, true), "{end:?}");
            floor.run(&channel::unbounded().1, &mut Keeps, &Stop::default());
            assert_eq!(floor.end, end);
        }
    }

    /// Games that wait for a program to start again are let end by a stop, and given up once the run has halted by
    /// itself, while games that are played end.
    #[test]
    fn a_run_that_halts_by_itself_waits_for_no_further_start() {
        for halts in [false, true] {
            let (conditions, mut schedule) =
                (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
            let mut floor = floor(&conditions, &mut schedule, None);
            let ((abort, given_up), (halt, waits)) = (channel::bounded::<()>(0), channel::bounded::<()>(0));
            (floor.abort, floor.halt) = (Some(abort), Some(halt));
            let crash = RunEnd::Halted(Halt::Crash("A crashes".to_owned()));
            floor.end_with(if halts { crash } else { RunEnd::Stopped });
            let goes_on = [given_up, waits]
                .map(|receiver| receiver.try_recv() != Err(channel::TryRecvError::Disconnected));
            assert_eq!(goes_on, [true, !halts]);
        }
    }

    /// The games that are let end still count, and the fault is what the run ended with.
    #[test]
    fn a_fault_that_ended_a_run_is_told_whatever_is_decided_after_it() {
        let (conditions, mut schedule) = (conditions(), Schedule::new(Format::RoundRobin, 2, 1000, false));
        let mut floor = floor(&conditions, &mut schedule, Some(rule()));
        let crash = RunEnd::Halted(Halt::Crash("A crashes".to_owned()));
        floor.end_with(crash.clone());
        floor.end_with(RunEnd::Decided(Verdict::H0));
        assert_eq!((&floor.end, floor.is_over()), (&crash, false));
        floor.end_with(RunEnd::Stopped);
        assert_eq!(floor.end, crash);
    }
}
