//! Playing a schedule: workers, engines kept between games, and a way to stop.
//!
//! One thread (the caller's) asks the schedule for games, gives out cores and takes in results; each worker thread plays
//! one game at a time and keeps its engines for the next one if the same players meet on the same cores. A finished game's
//! place is filled before its record is written to the disk, so that nobody waits for the disk.

use std::collections::HashMap;
use std::io;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use chess::Position;
use crossbeam::channel::{self, Receiver, Sender};
use protocol::client::{Client, Failure, GameSetup, Launcher};
use sys::affinity::CpuSet;

use crate::cores::{Cores, cost};
use crate::openings::Book;
use crate::play::{Conditions, play};
use crate::record::GameRecord;
use crate::schedule::{Next, Pairing, Schedule};
use crate::spec::Player;
use crate::standings::Standings;
use crate::stats::sprt::{Sprt, Verdict};

/// A sequential test that ends a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    /// The test.
    pub sprt: Sprt,
    /// Whether it looks at pairs of games.
    pub by_pairs: bool,
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
    /// Games per meeting: 2, or 1 if they are not paired.
    pub games_per_meeting: u32,
}

/// Who is told of what happens.
pub trait Watcher {
    /// A game begins.
    fn started(&mut self, game: &Pairing);

    /// A game is finished and counted; to be kept before the next one counts.
    ///
    /// # Errors
    /// It cannot be kept; this ends the tournament.
    fn finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()>;
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// All games are played.
    Complete,
    /// The sequential test has decided.
    Decided(Verdict),
    /// Somebody stopped it.
    Stopped,
}

/// A tournament that could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A game that does not fit.
    #[error(
        "{white} against {black} takes {needs} cores, the budget is {budget}: give --budget {needs} or fewer threads"
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
    /// The results cannot be kept.
    #[error("cannot keep a finished game: {0}")]
    Output(io::Error),
}

impl From<io::Error> for RunError {
    fn from(cause: io::Error) -> Self {
        Self::Output(cause)
    }
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
}

/// Starts engines in process groups of their own, that do not outlive the runner: what a wrapper script started ends with
/// it.
#[derive(Default)]
pub struct GroupLauncher {
    /// The cores they are bound to, if they are.
    pub cpus: Option<CpuSet>,
}

impl Launcher for GroupLauncher {
    fn launch(&self, command: &mut Command) -> io::Result<Child> {
        sys::process::spawn_in_own_group(command, self.cpus.as_ref())
    }

    fn kill(&self, child: &mut Child) {
        // What is gone already needs no killing.
        let _ = sys::process::kill_group(child);
    }
}

struct Job {
    pairing: Pairing,
    cores: Vec<usize>,
    since: Instant,
}

struct Done {
    worker: usize,
    job: Job,
    /// `None`: given up.
    record: Option<GameRecord>,
}

struct Worker {
    jobs: Sender<Job>,
    idle: bool,
    last: Option<([usize; 2], Vec<usize>)>,
}

/// Plays all games of the plan that are not among `finished`, which are counted first.
///
/// # Errors
/// A game needs more cores than there are, or the watcher cannot keep a game.
pub fn run(
    plan: &mut Plan,
    finished: &[GameRecord],
    watcher: &mut dyn Watcher,
    stop: &Stop,
) -> Result<(RunEnd, Standings), RunError> {
    let places = plan.places()?;
    let (done_sender, done) = channel::unbounded();
    let (abort_sender, abort) = channel::bounded::<()>(0);
    // More workers than games would only sit there.
    let workers = plan.schedule.total().map_or(places, |games| places.min(games.max(1)));
    let (conditions, book, bind) = (&plan.conditions, &plan.book, plan.bind);
    thread::scope(|scope| {
        let workers = (0..workers)
            .map(|index| {
                let (jobs, job_receiver) = channel::unbounded();
                let (done, abort) = (done_sender.clone(), abort.clone());
                let worker = Engines { conditions, bind, abort, kept: Vec::new() };
                scope.spawn(move || worker.work(index, book, &job_receiver, &done));
                Worker { jobs, idle: true, last: None }
            })
            .collect();
        let mut floor = Floor {
            conditions,
            schedule: &mut plan.schedule,
            stop_rule: plan.stop_rule,
            cores: Cores::new(plan.cores.iter().copied()),
            workers,
            running: 0,
            next: None,
            exhausted: false,
            end: RunEnd::Complete,
            points: HashMap::new(),
            standings: Standings::new(conditions.players.len(), plan.games_per_meeting),
            unsaved: Vec::new(),
            abort: Some(abort_sender),
        };
        finished.iter().for_each(|game| floor.count(game));
        floor.run(&done, watcher, stop)?;
        floor.standings.place(floor.schedule.placing(&|id| floor.points.get(&id).copied()));
        Ok((floor.end, floor.standings))
    })
}

impl Plan {
    /// How many games may be played at once: as many of the cheapest as the cores will do for.
    ///
    /// # Errors
    /// A game needs more cores than there are.
    pub fn places(&self) -> Result<usize, RunError> {
        let players = &self.conditions.players;
        let budget = self.cores.len();
        let mut smallest = budget;
        for (index, white) in players.iter().enumerate() {
            for black in &players[index + 1..] {
                let needs = cost(white, black);
                smallest = smallest.min(needs);
                if needs > budget {
                    let (white, black) = (white.name.clone(), black.name.clone());
                    return Err(RunError::TooFewCores { white, black, needs, budget });
                }
            }
        }
        Ok((budget / smallest.max(1)).max(1))
    }
}

/// The state of a run, as the dispatching thread sees it.
struct Floor<'a> {
    conditions: &'a Conditions,
    schedule: &'a mut Schedule,
    stop_rule: Option<StopRule>,
    cores: Cores,
    workers: Vec<Worker>,
    running: usize,
    /// A game that waits for cores.
    next: Option<Pairing>,
    exhausted: bool,
    end: RunEnd,
    points: HashMap<usize, f64>,
    standings: Standings,
    unsaved: Vec<GameRecord>,
    abort: Option<Sender<()>>,
}

impl Floor<'_> {
    fn count(&mut self, game: &GameRecord) {
        self.points.insert(game.id, game.result.white_points());
        self.standings.add(game);
        if let Some(rule) = self.stop_rule {
            match rule.sprt.verdict(self.standings.llr(&rule.sprt, rule.by_pairs)) {
                Verdict::Continue => {}
                verdict => self.end = RunEnd::Decided(verdict),
            }
        }
    }

    fn run(&mut self, done: &Receiver<Done>, watcher: &mut dyn Watcher, stop: &Stop) -> Result<(), RunError> {
        let (mut gentle, mut hard) = (stop.gentle.clone(), stop.hard.clone());
        loop {
            if self.end == RunEnd::Complete {
                self.dispatch(watcher);
            } else if matches!(self.end, RunEnd::Decided(_)) {
                // The verdict stands: what is still being played cannot change it.
                self.abort = None;
            }
            for game in std::mem::take(&mut self.unsaved) {
                watcher.finished(&game, &self.standings)?;
            }
            if self.running == 0 && (self.exhausted || self.end != RunEnd::Complete) {
                return Ok(());
            }
            crossbeam::channel::select! {
                recv(done) -> result => if let Ok(result) = result { self.take_in(result) },
                recv(gentle) -> _ => {
                    gentle = channel::never();
                    self.end = RunEnd::Stopped;
                }
                recv(hard) -> _ => {
                    hard = channel::never();
                    self.end = RunEnd::Stopped;
                    self.abort = None;
                }
            }
        }
    }

    /// Starts games until cores or games run out.
    fn dispatch(&mut self, watcher: &mut dyn Watcher) {
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
            let idle = || self.workers.iter().enumerate().filter(|(_, worker)| worker.idle);
            let chosen = idle().find(|(_, worker)| fitting(worker)).or_else(|| idle().next());
            let Some((index, worker)) = chosen else {
                self.next = Some(pairing);
                return;
            };
            let wish = worker.last.as_ref().map(|(_, cores)| cores.clone()).unwrap_or_default();
            let Some(cores) = self.cores.take(count, &wish) else {
                self.next = Some(pairing);
                return;
            };
            watcher.started(&pairing);
            let worker = &mut self.workers[index];
            worker.idle = false;
            worker.last = Some((sides, cores.clone()));
            // A worker lives until its jobs' sender is dropped, which this thread holds.
            if worker.jobs.send(Job { pairing, cores, since: Instant::now() }).is_ok() {
                self.running += 1;
            }
        }
    }

    fn take_in(&mut self, done: Done) {
        self.running -= 1;
        self.workers[done.worker].idle = true;
        self.cores.give(&done.job.cores);
        if let Some(record) = done.record {
            self.count(&record);
            self.unsaved.push(record);
        }
    }
}

/// An engine kept by a worker.
struct Kept {
    player: usize,
    cores: Vec<usize>,
    client: Client,
}

/// A worker's engines.
struct Engines<'a> {
    conditions: &'a Conditions,
    bind: bool,
    abort: Receiver<()>,
    kept: Vec<Kept>,
}

impl Engines<'_> {
    /// A worker's life: it ends when its jobs do. Engines are started by this thread and are gone before it ends, because
    /// the system kills them with the thread that started them.
    fn work(mut self, index: usize, book: &Book, jobs: &Receiver<Job>, done: &Sender<Done>) {
        // Engines that take their time to leave do not keep the next game waiting.
        thread::scope(|scope| {
            for job in jobs {
                self.sit_down(&job.cores);
                let wanted = [job.pairing.white, job.pairing.black];
                let mut clients = self.seat(wanted, &job.cores, |client| {
                    scope.spawn(|| client.quit());
                });
                let opening = book.opening(job.pairing.opening);
                let record = play(self.conditions, &job.pairing, opening, &mut clients).ok();
                for (player, client) in wanted.into_iter().zip(clients) {
                    let Ok(client) = client else { continue };
                    if record.is_none() {
                        drop(client);
                    } else if client.reusable() && !self.conditions.players[player].restart {
                        self.kept.push(Kept { player, cores: job.cores.clone(), client });
                    } else {
                        scope.spawn(|| client.quit());
                    }
                }
                let slot_ms = job.since.elapsed().as_millis() as u64;
                let record = record.map(|record| GameRecord { slot_ms, ..record });
                if done.send(Done { worker: index, job, record }).is_err() {
                    break;
                }
            }
            for engine in self.kept.drain(..) {
                scope.spawn(|| engine.client.quit());
            }
        });
    }

    /// Binds this thread, and with it the threads that read from its engines, to the cores of its game. Between one
    /// engine's answer and the other's turn those are free; on a core where the engine of another game is thinking, this
    /// thread would wait for the end of that engine's time slice, which is milliseconds.
    fn sit_down(&self, cores: &[usize]) {
        if self.bind {
            // Where threads cannot be bound, the game is played all the same.
            let _ = sys::affinity::set_current(&cores.iter().copied().collect());
        }
    }

    /// The engines of a game: those that are kept and fit, others started; the rest is sent away.
    fn seat(
        &mut self,
        wanted: [usize; 2],
        cores: &[usize],
        dismiss: impl Fn(Client),
    ) -> [Result<Client, Failure>; 2] {
        let mut stays = Vec::new();
        for engine in self.kept.drain(..) {
            if wanted.contains(&engine.player) && engine.cores == cores {
                stays.push(engine);
            } else {
                dismiss(engine.client);
            }
        }
        let cpus = self.bind.then(|| cores.iter().copied().collect::<CpuSet>());
        let launcher: Arc<dyn Launcher> = Arc::new(GroupLauncher { cpus });
        wanted.map(|player| match stays.iter().position(|engine| engine.player == player) {
            Some(at) => Ok(stays.swap_remove(at).client),
            None => Client::start(&self.conditions.players[player].engine, &launcher, &self.abort),
        })
    }
}

/// Starts every engine once, before any game: an option it does not have, a limit it cannot keep or a program that is no
/// engine is better told now. Failures that say more about the engine than about the settings (it dies, it is silent) are
/// left to the games.
///
/// # Errors
/// The player's name and what is wrong.
pub fn try_engines(plan: &Plan) -> Result<(), (String, Failure)> {
    let chess960 = plan.conditions.chess960 || plan.book.is_chess960();
    for player in &plan.conditions.players {
        match try_engine(player, chess960) {
            Err(failure) if matches!(failure.word(), "option" | "unable") => {
                return Err((player.name.clone(), failure));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Starts an engine once, with its options, has it begin a game under its limits, and lets it go.
///
/// # Errors
/// What is wrong with it, whatever it is.
pub fn try_engine(player: &Player, chess960: bool) -> Result<(), Failure> {
    let launcher: Arc<dyn Launcher> = Arc::new(GroupLauncher::default());
    let mut client = Client::start(&player.engine, &launcher, &channel::never())?;
    let (start, limits) = (Position::startpos(), player.limits);
    client.new_game(&GameSetup { start: &start, fen: None, chess960, limits, opponent: "nobody" })?;
    client.quit();
    Ok(())
}
