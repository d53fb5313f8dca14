//! A worker of a run: the engines of one game at a time, started, kept for the next game, and sent away.
//!
//! Only a program that has greeted plays. One that does not start is tried again a few times with growing
//! pauses, since it may be about to be rebuilt; then there is no game, and nothing to write down about it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use client::{Client, FailureKind, Launcher, Listener, StartError, Stream};
use crossbeam::channel::{self, Receiver, Sender, TryRecvError};
use sys::affinity::CpuSet;
use sys::heartbeat::Heartbeat;
use sys::signals::that_ended;

use crate::conversation::{Conversation, Recorder, Recording};
use crate::identity::{Change, FileIdentity, PROCESS, other_process, running};
use crate::openings::{Book, Opening};
use crate::play::{Conditions, Played, Unplayed, Void, play};
use crate::program::{command_text, explain};
use crate::record::{Ending, GameRecord};
use crate::runner::{Faults, GroupLauncher, Halt, Job, Report};
use crate::spec::Player;

/// What became of a game.
pub(crate) enum Outcome {
    /// It was played.
    Played(Box<GameRecord>),
    /// It was given up, as wanted.
    GivenUp,
    /// It cannot be played, and the run must end.
    Halt(Halt),
}

/// An engine kept by a worker.
pub(crate) struct Kept {
    player: usize,
    cores: Vec<usize>,
    pub client: Client,
    recorder: Arc<Recorder>,
}

/// A game that pauses of this program, or the end of an engine from outside, have spoilt is played again so many times;
/// then it counts as it is.
const MOST_AGAIN: usize = 3;

/// What ends the run and its engines together, as a shutdown does, may be heard of later than an engine's end is seen:
/// hardly by more than this, even where more programs want to run than there are CPUs.
const TOGETHER: Duration = Duration::from_millis(200);

/// A moment in which what a script starts beside its engine has ended.
const SETTLED: Duration = Duration::from_millis(250);

/// The processes that all runs of this program have started.
static PROCESSES: AtomicUsize = AtomicUsize::new(0);

/// Hears an engine for its recorder, and tells the run when the file of its standard error takes no more, or when its
/// process does not leave.
struct Ear {
    player: String,
    recorder: Arc<Recorder>,
    reports: Sender<Report>,
}

impl Listener for Ear {
    fn line(&self, at: Instant, stream: Stream, text: &str) {
        self.recorder.line(at, stream, text);
    }

    fn lost_log(&self, why: &str) {
        self.notice(&format!("no more of its standard error there: {why}"));
    }

    fn overstays(&self, patience: Duration) {
        self.notice(&overstays(patience));
    }

    fn outlives(&self, why: &str) {
        self.notice(&format!("its process cannot be ended: {why}"));
    }
}

impl Ear {
    fn notice(&self, what: &str) {
        // The run may be over.
        let _ = self.reports.send(Report::Notice(format!("{}: {what}", self.player)));
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().cloned();
    owned.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// What is told of an engine that is killed, since it has not left in time.
pub(crate) fn overstays(patience: Duration) -> String {
    format!("it has not left {} s after `quit` (quittimeout=), and is killed", patience.as_secs_f64())
}

/// An engine at the board.
struct Seated {
    client: Client,
    recorder: Arc<Recorder>,
    /// It has played before.
    kept: bool,
}

/// A worker's engines.
pub(crate) struct Engines<'a> {
    pub conditions: &'a Conditions,
    pub faults: &'a Faults,
    pub bind: bool,
    /// Where the worker's thread might run before it was bound.
    pub home: Option<CpuSet>,
    /// The number of the programs that play, for the games' records.
    pub number: usize,
    /// The pause between two games.
    pub wait: Duration,
    /// The machine's.
    pub heartbeat: Arc<Heartbeat>,
    /// What is kept of conversations.
    pub recording: &'a Recording,
    /// Closed when running games are to be given up.
    pub abort: Receiver<()>,
    /// Closed when games that have not begun are to be given up.
    pub ease: Receiver<()>,
    /// Closed when games that wait for a program to start again, or are to be played again, are to be given up, too.
    pub halt: Receiver<()>,
    pub reports: Sender<Report>,
    pub kept: Vec<Kept>,
}

impl Engines<'_> {
    /// A worker's life: it ends when its jobs do. Engines are started by this thread and are gone before it
    /// ends, because the system kills them with the thread that started them.
    pub fn work(mut self, index: usize, book: &Book, jobs: &Receiver<Job>) {
        // Engines that take their time to leave do not keep the next game waiting.
        thread::scope(|scope| {
            let dismiss = |client: Client| {
                // Where there is no room for a thread, the engine is killed.
                let _ = thread::Builder::new().spawn_scoped(scope, || client.quit());
            };
            let mut first = true;
            for job in jobs {
                if !std::mem::take(&mut first) && self.rest().is_err() {
                    let _ = self.reports.send(Report::Done(index, job, Outcome::GivenUp, None));
                    continue;
                }
                let (outcome, conversation) = self.job(&job, book, &dismiss);
                if self.reports.send(Report::Done(index, job, outcome, conversation.map(Box::new))).is_err() {
                    break;
                }
            }
            for engine in self.kept.drain(..) {
                dismiss(engine.client);
            }
        });
    }

    /// Does a job. A panic ends the run, which would wait for its report for ever.
    pub fn job(
        &mut self,
        job: &Job,
        book: &Book,
        dismiss: &dyn Fn(Client),
    ) -> (Outcome, Option<Conversation>) {
        catch_unwind(AssertUnwindSafe(|| self.try_job(job, book, dismiss)))
            .unwrap_or_else(|panic| (Outcome::Halt(Halt::Panicked(message(&*panic))), None))
    }

    fn try_job(
        &mut self,
        job: &Job,
        book: &Book,
        dismiss: &dyn Fn(Client),
    ) -> (Outcome, Option<Conversation>) {
        self.sit_down(&job.cores);
        let (mut outcome, mut conversation) = match book.opening(job.pairing.opening) {
            Ok(opening) => self.game(job, &opening, dismiss),
            Err(error) => (Outcome::Halt(Halt::Opening(error)), None),
        };
        if let Outcome::Played(record) = &mut outcome {
            record.slot_ms = job.since.elapsed().as_millis() as u64;
            record.engines = self.number;
            conversation = conversation.filter(|_| self.recording.all || record.ending.is_forfeit());
        }
        (outcome, conversation)
    }

    /// Plays a game. An engine that was kept from the game before and does not get ready for this one is
    /// replaced by a fresh one first: only what a fresh one does is held against it. A game that was lost
    /// because this program was stopped meanwhile is played again, too, and so is one whose loser was ended from
    /// outside.
    fn game(
        &mut self,
        job: &Job,
        opening: &Opening,
        dismiss: &dyn Fn(Client),
    ) -> (Outcome, Option<Conversation>) {
        let wanted = [job.pairing.white, job.pairing.black];
        let mut again = 0;
        let mut replaced = [0; 2];
        loop {
            let seated = match self.seat(wanted, &job.cores, dismiss) {
                Ok(seated) => seated,
                Err(outcome) => return (outcome, None),
            };
            let kept = [seated[0].kept, seated[1].kept];
            let recorders = [Arc::clone(&seated[0].recorder), Arc::clone(&seated[1].recorder)];
            let mut clients = seated.map(|seated| Some(seated.client));
            let played = play(self.conditions, &job.pairing, opening, &mut clients, &self.heartbeat);
            let Played { mut record, void } = match played {
                Ok(played) => played,
                Err(Unplayed::Aborted) => return (Outcome::GivenUp, None),
                Err(Unplayed::Table(error)) => return (Outcome::Halt(Halt::Table(error)), None),
            };
            let recording = self.recording;
            let wanted_by = recording.all || !recording.patterns.is_empty() || record.ending.is_forfeit();
            let conversation = if wanted_by {
                Conversation::with(&recorders[0], &recorders[1])
            } else {
                recorders.iter().for_each(|recorder| recorder.forget());
                Conversation::default()
            };
            let stale = [0, 1].map(|side| clients[side].is_none() && kept[side]);
            let stale = stale.map(|stale| stale && record.ending == Ending::StartFailure);
            let failed = record.loser().filter(|_| record.ending.is_fault());
            for ((player, client), recorder) in wanted.into_iter().zip(clients).zip(recorders) {
                let Some(client) = client else { continue };
                let restart = self.conditions.players[player].restart || failed == Some(player);
                if client.reusable() && !restart {
                    self.kept.push(Kept { player, cores: job.cores.clone(), client, recorder });
                } else {
                    dismiss(client);
                }
            }
            if stale.contains(&true) {
                (0..2).for_each(|side| replaced[side] += u32::from(stale[side]));
                continue;
            }
            let engine_ended =
                matches!(record.ending, Ending::Crash | Ending::Disconnect | Ending::StartFailure);
            // What ends the run may have ended the engine.
            if engine_ended && self.is_stopped() {
                return (Outcome::GivenUp, None);
            }
            (0..2).for_each(|side| record.checks[side].replaced = replaced[side]);
            let Some(why) = void.filter(|_| again < MOST_AGAIN) else {
                conversation.annotate(&mut record, &self.recording.patterns);
                return (Outcome::Played(Box::new(record)), Some(conversation));
            };
            again += 1;
            if let Err(outcome) = self.annul(&record, &why) {
                return (outcome, None);
            }
        }
    }

    /// Says that a game is played again, unless it is to be given up.
    fn annul(&self, game: &GameRecord, why: &Void) -> Result<(), Outcome> {
        let (number, ending) = (game.id + 1, game.ending);
        let text = format!("game {number} ({ending}) does not count and is played again: {why}");
        // The dispatching thread outlives its workers.
        let _ = self.reports.send(Report::Trouble(text));
        self.pause(Duration::ZERO)
    }

    /// Whether the run is stopped from outside, or gives its games up, now or in a moment. One that has halted by
    /// itself lets games end, however they do.
    fn is_stopped(&self) -> bool {
        channel::select_biased! {
            recv(self.abort) -> _ => true,
            recv(self.ease) -> _ => self.halt.try_recv() != Err(TryRecvError::Disconnected),
            default(TOGETHER) => false,
        }
    }

    /// Binds this thread, and with it the threads that read from its engines, to the cores of its game.
    /// Between one engine's answer and the other's turn those are free; on a core where the engine of another
    /// game is thinking, this thread would wait for the end of that engine's time slice, which is
    /// milliseconds.
    fn sit_down(&mut self, cores: &[usize]) {
        if self.bind {
            self.home = self.home.take().or_else(|| sys::affinity::current().ok());
            // Where threads cannot be bound, the game is played all the same.
            let _ = sys::affinity::set_current(&cores.iter().copied().collect());
        }
    }

    /// The engines of a game: those that are kept and fit, others started; the rest is sent away.
    fn seat(
        &mut self,
        wanted: [usize; 2],
        cores: &[usize],
        dismiss: &dyn Fn(Client),
    ) -> Result<[Seated; 2], Outcome> {
        let mut stays = Vec::new();
        for engine in self.kept.drain(..) {
            if wanted.contains(&engine.player) && engine.cores == cores {
                stays.push(engine);
            } else {
                dismiss(engine.client);
            }
        }
        let cpus = self.bind.then(|| cores.iter().copied().collect::<CpuSet>());
        let mut seat = |player| match stays.iter().position(|engine| engine.player == player) {
            Some(at) => {
                let engine = stays.swap_remove(at);
                Ok(Seated { client: engine.client, recorder: engine.recorder, kept: true })
            }
            None => self.start(player, cpus.as_ref()),
        };
        Ok([seat(wanted[0])?, seat(wanted[1])?])
    }

    /// Starts an engine, if need be several times. It is bound to its cores when it has greeted and not
    /// before: GNU Chess, for one, hangs at its start where it has a single core.
    fn start(&self, player: usize, cpus: Option<&CpuSet>) -> Result<Seated, Outcome> {
        let Player { name, engine: config, .. } = &self.conditions.players[player];
        let mut pauses = self.faults.pauses.iter();
        loop {
            let process = PROCESSES.fetch_add(1, Ordering::Relaxed);
            let recorder = Arc::new(Recorder::new(name, process, self.recording));
            let listener: Arc<dyn Listener> = Arc::new(Ear {
                player: name.clone(),
                recorder: Arc::clone(&recorder),
                reports: self.reports.clone(),
            });
            let launcher: Arc<dyn Launcher> = Arc::new(GroupLauncher {
                home: self.home.clone(),
                cpus: cpus.cloned(),
                listener: Some(listener),
            });
            // What an engine cannot do it will not learn by waiting.
            let (why, hopeless) = match Client::start(config, &launcher, &self.abort) {
                // Which program that was cannot be known if its file is gone by now.
                Ok(client) => match self.change_behind(player, &client) {
                    Change::Same => {
                        recorder.is_ready();
                        return Ok(Seated { client, recorder, kept: false });
                    }
                    Change::Another(what) => return Err(self.changed(player, what)),
                    Change::Gone(why) => (why, false),
                },
                Err(failure) => match failure.kind {
                    FailureKind::Aborted => return Err(Outcome::GivenUp),
                    FailureKind::Start(StartError::Ended { status: Some(status), .. })
                        if that_ended(status).is_some() && self.is_stopped() =>
                    {
                        return Err(Outcome::GivenUp);
                    }
                    FailureKind::Option(_) | FailureKind::Unable(_) => (explain(config, &failure), true),
                    _ => (explain(config, &failure), false),
                },
            };
            match pauses.next().filter(|_| !hopeless) {
                Some(&pause) => self.wait(player, &why, pause)?,
                None => return Err(self.cannot_start(player, why)),
            }
        }
    }

    /// Waits before the next try, unless the game is to be given up.
    fn wait(&self, player: usize, why: &str, pause: Duration) -> Result<(), Outcome> {
        let name = &self.conditions.players[player].name;
        let text = format!("{name}: {why}; trying again in {} s", pause.as_secs_f64());
        // The dispatching thread outlives its workers.
        let _ = self.reports.send(Report::Trouble(text));
        self.pause(pause)
    }

    /// The pause between two games, unless the next one is to be given up: none begins after a stop.
    pub fn rest(&self) -> Result<(), Outcome> {
        if self.wait.is_zero() {
            return Ok(());
        }
        channel::select! {
            recv(self.abort) -> _ => Err(Outcome::GivenUp),
            recv(self.ease) -> _ => Err(Outcome::GivenUp),
            default(self.wait) => Ok(()),
        }
    }

    /// Waits in a game that has begun, unless it is to be given up. The first stop lets it end; a run that has halted
    /// by itself does not wait for it, which can take an hour of tries.
    fn pause(&self, pause: Duration) -> Result<(), Outcome> {
        channel::select! {
            recv(self.abort) -> _ => Err(Outcome::GivenUp),
            recv(self.halt) -> _ => Err(Outcome::GivenUp),
            default(pause) => Ok(()),
        }
    }

    fn cannot_start(&self, player: usize, why: String) -> Outcome {
        // A program that was replaced by one that does not work is first of all a program that was replaced.
        if let Change::Another(what) = self.change(player) {
            return self.changed(player, what);
        }
        let player = &self.conditions.players[player];
        let command = command_text(&player.engine);
        Outcome::Halt(Halt::CannotStart { player: player.name.clone(), command, why })
    }

    fn changed(&self, player: usize, what: String) -> Outcome {
        Outcome::Halt(Halt::Changed { player: self.conditions.players[player].name.clone(), what })
    }

    /// What has become of a player's files since the run began.
    fn change(&self, player: usize) -> Change {
        let files = self.files(player).iter().filter(|file| file.role != PROCESS);
        files.map(FileIdentity::change).find(|change| *change != Change::Same).unwrap_or(Change::Same)
    }

    /// The same, with what the engine's processes run now.
    fn change_behind(&self, player: usize, client: &Client) -> Change {
        let known: Vec<FileIdentity> =
            self.files(player).iter().filter(|file| file.role == PROCESS).cloned().collect();
        match self.change(player) {
            Change::Same if !known.is_empty() => {
                let engine = &self.conditions.players[player].engine;
                let other = || other_process(&known, &running(client.process_id(), engine, &known));
                let other = other().and_then(|_| {
                    thread::sleep(SETTLED);
                    other()
                });
                other.map_or(Change::Same, Change::Another)
            }
            change => change,
        }
    }

    /// A player's files as they were when the run began.
    fn files(&self, player: usize) -> &[FileIdentity] {
        self.faults.files.get(player).map(Vec::as_slice).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::journal::tests::game;
    use crate::openings::Order;
    use crate::schedule::Pairing;
    use crate::spec::{Settings, players};

    /// Two players.
    fn conditions() -> Conditions {
        let player = |name: &str| Settings::of("engine").with("cmd", "/bin/sh").with("name", name);
        Conditions::new(players(&[player("A"), player("B")], &[]).unwrap())
    }

    /// The engines of a worker that has played nothing.
    fn engines<'a>(
        (conditions, faults, recording): (&'a Conditions, &'a Faults, &'a Recording),
        [abort, ease, halt]: [Receiver<()>; 3],
        reports: Sender<Report>,
    ) -> Engines<'a> {
        Engines {
            conditions,
            faults,
            bind: false,
            home: None,
            number: 0,
            wait: Duration::from_millis(1),
            heartbeat: Arc::new(Heartbeat::start()),
            recording,
            abort,
            ease,
            halt,
            reports,
            kept: Vec::new(),
        }
    }

    /// The run waits for the report of every game. Here a player has a number that there is none of.
    #[test]
    fn a_game_whose_thread_panics_ends_the_run() {
        let (conditions, faults, recording) = (conditions(), Faults::default(), Recording::default());
        let (reports, told) = channel::unbounded();
        let never = [(); 3].map(|()| channel::never());
        let engines = engines((&conditions, &faults, &recording), never, reports);
        let (jobs, inbox) = channel::unbounded();
        let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 7, black: 1 };
        jobs.send(Job { pairing, cores: Vec::new(), since: Instant::now() }).unwrap();
        drop(jobs);
        let book = Book::embedded(Order::Sequential, 1).unwrap();
        engines.work(5, &book, &inbox);
        let Ok(Report::Done(5, job, Outcome::Halt(halt), None)) = told.try_recv() else {
            panic!("the game is not reported");
        };
        assert_eq!(job.pairing, pairing);
        assert!(matches!(&halt, Halt::Panicked(why) if why.contains("index is 7")), "{halt}");
    }

    /// Engines are bound to the cores of the game that they were started for: for a game on others they are sent away,
    /// and others started.
    #[test]
    #[cfg(unix)]
    fn engines_are_kept_for_games_on_the_same_cores() {
        let script = "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
                      quit) exit 0;; esac; done";
        let player = |name: &str| {
            let shell = Settings::of("engine").with("cmd", "/bin/sh").with("name", name).with("proto", "uci");
            shell.with("arg", "-c").with("arg", script)
        };
        let conditions = Conditions::new(players(&[player("A"), player("B")], &[]).unwrap());
        let (faults, recording) = (Faults::default(), Recording::default());
        let (reports, _told) = channel::unbounded();
        let never = [(); 3].map(|()| channel::never());
        let mut engines = engines((&conditions, &faults, &recording), never, reports);
        let sent_away = std::cell::Cell::new(0);
        let dismiss = |client: Client| {
            sent_away.set(sent_away.get() + 1);
            client.quit();
        };
        for (cores, kept, away) in
            [([2, 3], false, 0), ([2, 3], true, 0), ([2, 4], false, 2), ([2, 4], true, 2)]
        {
            let Ok(seated) = engines.seat([0, 1], &cores, &dismiss) else { panic!("no engine starts") };
            let found = ([seated[0].kept, seated[1].kept], sent_away.get());
            assert_eq!(found, ([kept; 2], away), "{cores:?}");
            for (player, Seated { client, recorder, .. }) in seated.into_iter().enumerate() {
                engines.kept.push(Kept { player, cores: cores.to_vec(), client, recorder });
            }
        }
    }

    /// Does a game go on that is to be played again, or whose program is started once more, and does a further one
    /// begin?
    pub(crate) fn goes_on(engines: &Engines<'_>) -> [bool; 3] {
        let again = engines.annul(&game(0), &Void::HeldUp(Duration::ZERO)).is_ok();
        let starting = engines.wait(0, "it does not start", Duration::ZERO).is_ok();
        [again, starting, engines.rest().is_ok()]
    }

    /// The first stop lets games end that have begun, those too that are played again or whose program is started once
    /// more; no further one begins. The second gives all of them up, and so does a run that has halted by itself.
    #[test]
    fn a_stop_lets_a_game_end_that_has_begun() {
        for halts in [false, true] {
            stop_in_a_game(halts);
        }
    }

    /// A stop, then a second one, or the end of the run by itself.
    fn stop_in_a_game(halts: bool) {
        let (conditions, faults, recording) = (conditions(), Faults::default(), Recording::default());
        let (abort_sender, abort) = channel::bounded::<()>(0);
        let (ease_sender, ease) = channel::bounded::<()>(0);
        let (halt_sender, halt) = channel::bounded::<()>(0);
        let (reports, _told) = channel::unbounded();
        let engines = engines((&conditions, &faults, &recording), [abort, ease, halt], reports);
        assert_eq!((goes_on(&engines), engines.is_stopped()), ([true, true, true], false));
        drop(ease_sender);
        assert_eq!((goes_on(&engines), engines.is_stopped()), ([true, true, false], true));
        let _other = if halts {
            drop(halt_sender);
            abort_sender
        } else {
            drop(abort_sender);
            halt_sender
        };
        assert_eq!((goes_on(&engines), engines.is_stopped()), ([false, false, false], !halts), "{halts}");
    }
}
