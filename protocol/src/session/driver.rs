//! What both protocols share: the brain, one search at a time, and the way out.
//!
//! A [`Driver`] starts searches, stops them, and passes on only what the present search says. A caller that drops a
//! search ([`Driver::abandon`]) waits the few milliseconds until it has really ended, so that nothing stale
//! can be printed and the brain is free for whatever comes next; the generation numbers guard the same door a
//! second time.

use super::event::{Event, Reporter, RootMove, What};
use super::line;
use crate::brain::{Brain, Chore, Task};
use crate::log::Log;
use chess::{CastlingNotation, Game, Move};
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use thinking::report::{Info, Limits, Verdict};

/// A brain that does not answer `stop` within this time is given up: its words are dropped by their
/// generation.
const PATIENCE: Duration = Duration::from_secs(10);

/// The brain with its searches, and the output.
pub struct Driver<'a> {
    /// The engine.
    pub brain: &'a mut dyn Brain,
    /// Lines to report for one position.
    pub multipv: usize,
    /// Has the client said that it analyses, whatever the limits of its searches?
    pub analysis: bool,
    /// Kept back from every time limit.
    pub overhead: Duration,
    output: &'a mut dyn Write,
    log: Option<Log>,
    failed: Option<io::Error>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    generation: u64,
    work: Option<Work>,
}

/// What is being done.
enum Work {
    Search(Search),
    /// With what tells it to stop, if anything does.
    Chore(Option<Arc<AtomicBool>>),
}

/// A search in progress, or just ended.
#[derive(Debug)]
pub struct Search {
    /// The game it thinks about.
    pub game: Game,
    /// When it began, or became a timed one.
    pub began: Instant,
    /// How long it pondered before that.
    pub pondered: Duration,
    /// Nodes that it searched before that.
    pub pondered_nodes: u64,
    /// The head of the last first-ranked line passed on.
    pub head: Option<Move>,
    /// It ended without a verdict of its own.
    pub lost: bool,
    /// There is a move to search.
    movable: bool,
    /// The verdict waits for `stop`.
    infinite: bool,
    /// The verdict waits for `ponderhit` or `stop`.
    ponders: bool,
    /// It plays under a clock.
    timed: bool,
    /// Before it tells a line of this depth, in plies, it may end by itself; 0 where nothing would end it.
    ends_before: u32,
    /// Depth of the last first-ranked line passed on.
    depth: u32,
    /// It was told to stop.
    told: bool,
    /// A verdict that came while it waits.
    held: Option<Verdict>,
}

impl Search {
    /// Does it think on the opponent's time?
    pub fn ponders(&self) -> bool {
        self.ponders
    }

    /// Has it been handed to the engine? Not if there is no move to search.
    pub fn asks_brain(&self) -> bool {
        self.movable
    }

    /// Must its verdict wait?
    fn waits(&self) -> bool {
        self.infinite || self.ponders
    }

    /// Does it end without a further command? One that only a mate ends may do so, until it has come thrice as deep as
    /// the mate would be and has found none.
    fn will_end(&self) -> bool {
        self.told || !self.waits() && self.depth < self.ends_before
    }

    /// Is it carried out although the client has gone? It ends without a further command and is not a move of a game;
    /// or it was told to stop and will soon be over.
    pub fn outlives_client(&self) -> bool {
        self.told || !self.timed && self.will_end()
    }
}

/// News from the present search, fit to be printed.
#[derive(Debug)]
pub enum News {
    /// A line of thinking, cut at the end of the game.
    Line(Info),
    /// The root move being searched.
    RootMove(RootMove),
    /// Text from a chore.
    Text(String),
    /// Something about the search for people to read.
    Remark(String),
    /// The search is over: no line comes after this.
    Over(Box<Search>, Verdict),
    /// A chore is over.
    ChoreOver,
}

impl<'a> Driver<'a> {
    /// Nothing running, nothing logged.
    pub fn new(brain: &'a mut dyn Brain, output: &'a mut dyn Write) -> Self {
        let (sender, events) = unbounded();
        Driver {
            brain,
            multipv: 1,
            analysis: false,
            overhead: Duration::from_millis(crate::settings::DEFAULT_OVERHEAD_MS),
            output,
            log: None,
            failed: None,
            sender,
            events,
            generation: 0,
            work: None,
        }
    }

    /// Where searches send their words.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Prints one line (or several) and flushes.
    pub fn say(&mut self, text: impl Display) {
        let text = text.to_string();
        if let Some(log) = &mut self.log {
            text.lines().for_each(|line| log.sent(line));
        }
        let written =
            self.output.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.output.flush());
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// The first error of the output, if it broke.
    pub fn output_error(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Opens a debug log, or closes it (`None`).
    pub fn set_log(&mut self, log: Option<Log>) {
        self.log = log;
    }

    /// Notes a line from the client in the debug log.
    pub fn note_received(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            log.received(line);
        }
    }

    /// Is a search or a chore running?
    pub fn busy(&self) -> bool {
        self.work.is_some()
    }

    /// Does something run that ends without a further word from the client?
    pub fn will_end(&self) -> bool {
        self.busy() && self.search().is_none_or(Search::will_end)
    }

    /// Has what runs been told to stop?
    pub fn told_to_stop(&self) -> bool {
        match &self.work {
            Some(Work::Search(search)) => search.told,
            Some(Work::Chore(Some(stop))) => stop.load(Ordering::Relaxed),
            Some(Work::Chore(None)) | None => false,
        }
    }

    /// The running search.
    pub fn search(&self) -> Option<&Search> {
        match &self.work {
            Some(Work::Search(search)) => Some(search),
            _ => None,
        }
    }

    /// Starts a search; one that still runs is dropped first. Where no move is legal, or with `none` none of those that
    /// the client would have searched, the verdict is empty and the brain is not asked. Its time counts from
    /// now on, unless the limits say since when.
    pub fn go(&mut self, game: Game, mut limits: Limits, none: bool) {
        let began = *limits.since.get_or_insert_with(Instant::now);
        self.abandon();
        self.generation += 1;
        let (infinite, ponders, timed) = (limits.infinite, limits.ponder, limits.on_clock());
        let movable = !none && game.position().has_legal_move();
        let nodes = limits.nodes.or(limits.time_in_nodes);
        let limited = timed || limits.depth.is_some() || nodes.is_some() || limits.movetime.is_some();
        let ends_before = match limits.mate {
            _ if limited || !movable => u32::MAX,
            // A mate in two is three plies deep: one ply more than thrice that.
            Some(moves) => moves.saturating_mul(6).saturating_sub(2),
            None => 0,
        };
        let mut search = Search {
            game: line::recent(&game),
            began,
            pondered: Duration::ZERO,
            pondered_nodes: 0,
            head: None,
            lost: false,
            movable,
            infinite,
            ponders,
            timed,
            ends_before,
            depth: 0,
            told: false,
            held: None,
        };
        if search.movable {
            let reporter = Reporter::new(self.generation, self.sender.clone());
            let analysis = self.analysis || infinite;
            let task = Task { game, limits, multipv: self.multipv, analysis };
            self.brain.go(task, Arc::new(reporter));
        } else {
            search.held = Some(Verdict::default());
        }
        self.work = Some(Work::Search(search));
        self.release();
    }

    /// Starts a chore on a thread of its own. It is told by its flag, if it has one, when the rest is not wanted.
    ///
    /// # Errors
    /// The system has no thread for it: the chore is over at once.
    pub fn start_chore(&mut self, stop: Option<Arc<AtomicBool>>, chore: Chore) -> io::Result<()> {
        self.abandon();
        self.generation += 1;
        let reporter = Reporter::new(self.generation, self.sender.clone());
        self.work = Some(Work::Chore(stop));
        let work = move || chore(&|text| reporter.send(What::Text(text)));
        std::thread::Builder::new().spawn(work).map(drop)
    }

    /// Asks the running search to end; its verdict arrives as an event.
    pub fn stop(&mut self) {
        match &mut self.work {
            Some(Work::Search(search)) => {
                search.infinite = false;
                search.ponders = false;
                search.told = true;
                if search.held.is_none() {
                    self.brain.stop();
                }
                self.release();
            }
            Some(Work::Chore(Some(stop))) => stop.store(true, Ordering::Relaxed),
            Some(Work::Chore(None)) | None => {}
        }
    }

    /// Turns the running ponder search into a timed one, whose time counts from this moment, but not from before it
    /// began; nothing happens if it does not ponder.
    pub fn ponderhit(&mut self, came: Instant) {
        if let Some(Work::Search(search)) = &mut self.work
            && search.ponders
        {
            search.ponders = false;
            search.pondered = came.saturating_duration_since(search.began);
            search.began += search.pondered;
            search.pondered_nodes = self.brain.nodes();
            if search.held.is_none() {
                self.brain.ponderhit(search.began);
            }
            self.release();
        }
    }

    /// Lets a verdict that was held back arrive, once nothing holds it.
    fn release(&mut self) {
        let Some(Work::Search(search)) = &mut self.work else { return };
        if search.waits() {
            return;
        }
        if let Some(verdict) = search.held.take() {
            let _ = self.sender.send(Event { generation: self.generation, what: What::Over(verdict) });
        }
    }

    /// Ends whatever runs and forgets it: nothing it says is passed on. Returns when the brain is free.
    pub fn abandon(&mut self) {
        match self.work.take() {
            Some(Work::Search(search)) if search.held.is_none() => {
                self.brain.stop();
                self.wait();
            }
            Some(Work::Chore(Some(stop))) => stop.store(true, Ordering::Relaxed),
            _ => {}
        }
        self.generation += 1;
    }

    /// Drops the present search's words until it is over.
    fn wait(&self) {
        while let Ok(event) = self.events.recv_timeout(PATIENCE) {
            if event.generation == self.generation && matches!(event.what, What::Over(_) | What::Lost) {
                return;
            }
        }
    }

    /// Waits for what the running search or chore says next. `None` if nothing runs, or if a search that was told to
    /// stop does not end within `PATIENCE`.
    pub fn next_news(&mut self) -> Option<News> {
        while self.busy() {
            let event = match self.search() {
                Some(search) if search.told => self.events.recv_timeout(PATIENCE).ok()?,
                _ => self.events.recv().ok()?,
            };
            if let Some(news) = self.hear(event) {
                return Some(news);
            }
        }
        None
    }

    /// Can what is said not be printed any more?
    pub fn is_mute(&self) -> bool {
        self.failed.is_some()
    }

    /// Makes news of an event, unless it comes from a search that has been dropped or the verdict must wait.
    pub fn hear(&mut self, event: Event) -> Option<News> {
        if event.generation != self.generation {
            return None;
        }
        let search = match &mut self.work {
            None => return None,
            Some(Work::Chore(_)) => {
                return match event.what {
                    What::Text(text) => Some(News::Text(text)),
                    What::Over(_) | What::Lost => {
                        self.work = None;
                        Some(News::ChoreOver)
                    }
                    _ => None,
                };
            }
            Some(Work::Search(search)) => search,
        };
        match event.what {
            What::Line(info) => {
                let info = line::cut(&search.game, info)?;
                if info.multipv == 1 {
                    search.head = info.pv.first().copied();
                    search.depth = info.depth;
                }
                Some(News::Line(info))
            }
            What::RootMove(root) => Some(News::RootMove(root)),
            What::Text(text) => Some(News::Text(text)),
            What::Remark(text) => Some(News::Remark(text)),
            What::Over(verdict) if search.waits() => {
                search.held = Some(verdict);
                None
            }
            What::Over(verdict) => self.end(verdict),
            What::Lost => {
                search.lost = true;
                self.end(Verdict::default())
            }
        }
    }

    /// The search is over: its verdict, made safe to print.
    fn end(&mut self, mut verdict: Verdict) -> Option<News> {
        let Some(Work::Search(search)) = self.work.take() else { return None };
        let position = search.game.position();
        let legal = |mv: &Move| position.is_legal(*mv);
        // Only a brain that died or lies needs the second and third choice; the game goes on.
        let first = || position.legal_moves().first().copied().filter(|_| search.movable);
        let best = verdict.best.filter(legal).or(search.head).or_else(first);
        verdict.best = best;
        verdict.ponder = verdict.ponder.filter(|&reply| {
            best.is_some_and(|best| {
                let mut after = search.game.clone();
                after.play(best).is_ok() && after.outcome().is_none() && after.position().is_legal(reply)
            })
        });
        verdict.info = verdict.info.and_then(|info| line::cut(&search.game, Info { multipv: 1, ..info }));
        Some(News::Over(Box::new(search), verdict))
    }
}

/// Moves of a line as text, each written for the position it is played in.
pub fn spell(game: &Game, moves: &[Move], notation: Option<CastlingNotation>) -> Vec<String> {
    let mut position = game.position().clone();
    let mut words = Vec::with_capacity(moves.len());
    for &mv in moves {
        words.push(notation.map_or_else(|| position.uci(mv), |notation| position.uci_with(mv, notation)));
        position = position.after(mv);
    }
    words
}
