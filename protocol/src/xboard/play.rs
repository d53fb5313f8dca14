//! What the engine does in an xboard session: think, ponder, analyse, move, claim.

use super::claims::{claim, takes_draw};
use super::clock::Plan;
use super::command::Level;
use super::reply::{Line, Reply, Status};
use super::session::Xboard;
use crate::session::driver::{Driver, News, Search, spell};
use crate::session::event::RootMove;
use chess::{CastlingNotation, Color, Game, Move, Outcome};
use std::time::Duration;
use thinking::report::{Bound, Info, Limits, Verdict};
use thinking::score::Reported;

/// Who moves the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The engine plays this side.
    Play(Color),
    /// The engine plays neither side.
    Force,
    /// The engine thinks about every position and plays nothing.
    Analyze,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Our move: it ends with `move`.
    Think,
    /// The opponent's time, on the move we expect.
    Ponder,
    /// Analysis.
    Analyze,
}

/// A search that was interrupted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suspended {
    /// What the search that is laid aside is for; none once it goes on.
    purpose: Option<Purpose>,
    /// What the thought had used of our clock before it was laid aside.
    spent: Duration,
    /// It is to end with its move as soon as it goes on.
    hurried: bool,
}

/// What the present search told last, for `.`, `hint` and `draw`.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    line: Option<Info>,
    /// The last score that was no bound.
    score: Option<Reported>,
    root: Option<RootMove>,
}

impl Seen {
    /// The best move so far.
    pub(super) fn head(&self) -> Option<Move> {
        self.line.as_ref().and_then(|info| info.pv.first().copied())
    }
}

impl Xboard {
    /// Does the client wait for a move of ours?
    pub(super) fn owes_move(&self) -> bool {
        [self.purpose, self.suspended.purpose].contains(&Some(Purpose::Think))
    }

    /// Drops whatever search runs or is laid aside.
    pub(super) fn abandon(&mut self, driver: &mut Driver) {
        driver.abandon();
        self.purpose = None;
        self.suspended = Suspended::default();
    }

    /// `?`, while the client waits for our move.
    pub(super) fn move_now(&mut self, driver: &mut Driver) {
        self.suspended.hurried = self.suspended.purpose.is_some();
        driver.stop();
    }

    /// Suspends the search: no processor works until [`Xboard::take_up`]. The table keeps what was found. A
    /// thought that was told to end has found its move, which is made first.
    pub(super) fn lay_aside(&mut self, driver: &mut Driver) {
        while driver.told_to_stop()
            && let Some(news) = driver.next_news()
        {
            self.news(driver, news);
        }
        let Some(purpose) = self.purpose.take() else { return };
        // Time the opponent paid for is not ours.
        let thought = driver.search().filter(|_| purpose == Purpose::Think);
        let began = thought.map(|search| (search.began, search.pondered_nodes));
        driver.abandon();
        if let Some((began, pondered)) = began {
            let time = self.heard.saturating_duration_since(began);
            let nodes = driver.brain.nodes().saturating_sub(pondered);
            let used = self.clock.used(time, nodes, self.searching_threads(driver));
            self.suspended.spent += used;
        }
        self.suspended.purpose = Some(purpose);
    }

    /// `level`: a new session of the game begins.
    pub(super) fn set_level(&mut self, level: Level) {
        self.clock.set_level(level, self.plies());
        self.forget_spent();
    }

    /// `time`, in centiseconds.
    pub(super) fn set_remaining(&mut self, centiseconds: i64) {
        self.clock.set_remaining(centiseconds);
        // The time of `st` is for the move, whatever the clock shows.
        if self.clock.counts_down() {
            self.forget_spent();
        }
    }

    /// What a thought laid aside has used is not on a clock that is told after it.
    fn forget_spent(&mut self) {
        if self.suspended.purpose.is_some() {
            self.suspended.spent = Duration::ZERO;
        }
    }

    /// Goes on with a suspended search, or with pondering that was not begun.
    pub(super) fn take_up(&mut self, driver: &mut Driver) {
        match self.suspended.purpose.take() {
            Some(Purpose::Think) => {
                self.search(driver, Purpose::Think, self.game.clone());
                if std::mem::take(&mut self.suspended.hurried) {
                    driver.stop();
                }
            }
            Some(Purpose::Analyze) => self.analyze(driver),
            Some(Purpose::Ponder) | None => self.start_pondering(driver),
        }
    }

    /// After the position changed: filters and expectations belong to the old one.
    pub(super) fn moved_on(&mut self, driver: &mut Driver) {
        self.forget_position();
        if self.mode == Mode::Analyze {
            self.analyze(driver);
        }
    }

    pub(super) fn forget_position(&mut self) {
        self.excluded.clear();
        self.expected = None;
        self.seen = Seen::default();
    }

    /// Is a draw welcome, as far as is known? The search for our move knows best. Between searches it is our
    /// last move's that counts.
    pub(super) fn takes_draw(&self) -> bool {
        let known = match self.mode {
            _ if self.owes_move() => self.seen.score,
            Mode::Play(side) => self.hopes.score(side, self.plies()),
            // Some clients bring the opponent's move, the offer and `go` in this order.
            Mode::Force => self.hopes.score(self.side(), self.plies()),
            Mode::Analyze => None,
        };
        known.is_some_and(takes_draw)
    }

    /// Analyses the position on the board.
    pub(super) fn analyze(&mut self, driver: &mut Driver) {
        self.abandon(driver);
        if !self.refused && !self.all_excluded() {
            self.search(driver, Purpose::Analyze, self.game.clone());
        }
    }

    /// Thinks about our move, unless there is none.
    pub(super) fn think(&mut self, driver: &mut Driver) {
        self.abandon(driver);
        if self.refused {
            return;
        }
        match self.game.outcome() {
            Some(outcome @ (Outcome::Checkmate { .. } | Outcome::Stalemate)) => driver.say(claim(outcome)),
            _ => self.search(driver, Purpose::Think, self.game.clone()),
        }
    }

    /// Ponders on the expected move, if there is one, we may, and the opponent is to move.
    pub(super) fn start_pondering(&mut self, driver: &mut Driver) {
        let Some(expected) = self.expected.filter(|_| self.ponder && !self.refused) else { return };
        if self.mode != Mode::Play(!self.side()) || driver.busy() || self.still {
            return;
        }
        let mut game = self.game.clone();
        if game.play(expected).is_err() || game.outcome().is_some() {
            return;
        }
        let text = self.spell(&self.game, &[expected]).concat();
        driver.say(Reply::Hint(text));
        self.search(driver, Purpose::Ponder, game);
    }

    fn search(&mut self, driver: &mut Driver, purpose: Purpose, game: Game) {
        if self.still {
            self.suspended.purpose = Some(purpose);
            return;
        }
        let plan = (purpose != Purpose::Analyze).then(|| self.plan(driver, &game));
        let endless = || Limits { infinite: true, overhead: driver.overhead, ..Limits::default() };
        // Clocks are told in hundredths of a second, by some clients rounded up. That error does not add up
        // over the moves, and the reserve that the time manager keeps is many times larger.
        let mut limits = plan.as_ref().map_or_else(endless, |plan| plan.limits(driver.overhead));
        limits.ponder = purpose == Purpose::Ponder;
        // Whatever had to end or change before the search has cost time of our clock.
        limits.since = (purpose == Purpose::Think).then_some(self.heard);
        if purpose != Purpose::Ponder && !self.excluded.is_empty() && !self.all_excluded() {
            let moves = game.position().legal_moves();
            limits.search_moves = moves.into_iter().filter(|mv| !self.excluded.contains(mv)).collect();
        }
        self.seen = Seen::default();
        self.purpose = Some(purpose);
        self.planned = plan;
        driver.go(game, limits, false);
    }

    /// What limits our move in the position at the end of this game, by what the client has told until now.
    fn plan(&self, driver: &Driver, game: &Game) -> Plan {
        self.clock.plan(game.moves().len(), self.suspended.spent, driver.brain.searching_threads(false))
    }

    /// Threads that the present search has.
    fn searching_threads(&self, driver: &Driver) -> usize {
        driver.brain.searching_threads(self.purpose == Some(Purpose::Analyze))
    }

    fn all_excluded(&self) -> bool {
        let moves = self.game.position().legal_moves();
        !moves.is_empty() && moves.iter().all(|mv| self.excluded.contains(mv))
    }

    /// The legal move that a client means, in coordinates or in standard notation.
    fn read_move(&self, text: &str) -> Option<Move> {
        let position = self.game.position();
        position.parse_uci(text).or_else(|_| position.parse_san(text)).ok()
    }

    /// A move from the client.
    pub(super) fn user_move(&mut self, driver: &mut Driver, text: &str) {
        self.settle_side(driver);
        let illegal = |driver: &mut Driver, reason: &str| {
            driver.say(Reply::Illegal { reason: reason.into(), mv: text.into() });
        };
        if self.refused {
            return illegal(driver, "illegal position");
        }
        if self.mode == Mode::Play(self.side()) && self.owes_move() {
            return illegal(driver, "not your turn");
        }
        if text == "@@@@" {
            let Some(position) = self.game.position().after_null() else {
                return illegal(driver, "in check");
            };
            let mut passed = std::mem::take(&mut self.passed);
            passed.push(std::mem::take(&mut self.game));
            self.set_position(driver, Game::new(position));
            self.passed = passed;
            if self.mode == Mode::Play(self.side()) {
                self.think(driver);
            }
            return;
        }
        let Some(mv) = self.read_move(text) else {
            return illegal(driver, "against the rules");
        };
        let hit = self.purpose == Some(Purpose::Ponder) && self.expected == Some(mv);
        if !hit {
            self.abandon(driver);
        }
        if self.game.play(mv).is_err() {
            return illegal(driver, "against the rules");
        }
        if hit {
            return self.ponder_hit(driver);
        }
        self.moved_on(driver);
        if self.mode == Mode::Play(self.side()) {
            match self.game.outcome() {
                Some(outcome) => driver.say(claim(outcome)),
                None => self.think(driver),
            }
        }
    }

    /// The opponent played what we pondered on: the search becomes ours, unless its limits are no more those
    /// that the client has told since, or the move came before it began. Then another begins, which finds the first
    /// one's work in the table, and whose time counts from the moment at which the move came.
    fn ponder_hit(&mut self, driver: &mut Driver) {
        let seen = std::mem::take(&mut self.seen);
        self.moved_on(driver);
        self.seen = seen;
        let now = self.plan(driver, &self.game);
        let agrees = self.planned.as_ref().is_some_and(|planned| planned.agrees_with(&now));
        // Commands before the move have kept us from it, and interrupted the pondering.
        let waited = driver.search().is_some_and(|search| self.heard < search.began);
        if !agrees || waited {
            return self.think(driver);
        }
        self.purpose = Some(Purpose::Think);
        driver.ponderhit(self.heard);
    }

    /// What a search says.
    pub(crate) fn news(&mut self, driver: &mut Driver, news: News) {
        match news {
            News::Line(info) => {
                if self.post || self.purpose == Some(Purpose::Analyze) {
                    self.print(driver, &info);
                }
                if info.multipv == 1 {
                    if info.bound == Bound::Exact {
                        self.seen.score = Some(info.reported());
                    }
                    self.seen.line = Some(info);
                }
            }
            News::RootMove(root) => self.seen.root = Some(root),
            News::Over(search, verdict) => {
                if self.purpose.take() == Some(Purpose::Think) {
                    self.make_move(driver, &search, &verdict);
                }
                self.answer_pings(driver);
            }
            News::Remark(text) => self.debug(driver, &text),
            News::Text(_) | News::ChoreOver => {}
        }
    }

    fn print(&self, driver: &mut Driver, info: &Info) {
        let Some(search) = driver.search() else { return };
        let line = self.line(driver, search, info);
        driver.say(Reply::Line(line));
    }

    /// What a search tells. Its time leaves out the opponent's: xboard keeps it with our move, and with `nps 0`
    /// takes it off our clock, with another `nps` the nodes. With any `nps` the text wants processor time; ours is
    /// wall time, with `nps 0` that of all threads.
    fn line(&self, driver: &Driver, search: &Search, info: &Info) -> Line {
        let own = info.time.saturating_sub(search.pondered);
        let time = self.clock.worked(own, self.searching_threads(driver));
        Line {
            depth: info.depth,
            score: info.reported(),
            bound: info.bound,
            time: time.as_millis() as u64 / 10,
            nodes: info.nodes.saturating_sub(search.pondered_nodes),
            seldepth: info.seldepth,
            nps: info.nps(),
            tbhits: info.tbhits,
            pv: self.spell(&search.game, &info.pv),
        }
    }

    /// Our move, with what has to be said before and after it.
    fn make_move(&mut self, driver: &mut Driver, search: &Search, verdict: &Verdict) {
        let Some(best) = verdict.best else { return };
        let nodes = driver.brain.nodes().saturating_sub(search.pondered_nodes);
        let used = self.clock.used(search.began.elapsed(), nodes, self.searching_threads(driver));
        let spent = std::mem::take(&mut self.suspended).spent + used;
        let last = verdict.info.as_ref().filter(|info| info.bound == Bound::Exact);
        let score = last.map(Info::reported).or(self.seen.score);
        self.hopes.note(self.side(), self.plies() + 1, score);
        if let Some(info) = verdict.info.as_ref().filter(|_| self.post && search.head != Some(best)) {
            let line = self.line(driver, search, info);
            driver.say(Reply::Line(line));
        }
        if self.resigns && self.hopes.resign() {
            driver.say(Reply::Resign);
            self.mode = Mode::Force;
            return;
        }
        let text = self.spell(&self.game, &[best]).concat();
        if self.game.play(best).is_err() {
            return;
        }
        self.clock.moved(spent, self.plies());
        let outcome = self.game.outcome();
        if matches!(outcome, Some(Outcome::Repetition | Outcome::FiftyMoves)) {
            // A draw by our own move is claimed before it is played.
            driver.say(Reply::OfferDraw);
        }
        driver.say(Reply::Move(text));
        self.moved_on(driver);
        self.expected = verdict.ponder;
        match outcome {
            Some(outcome) => driver.say(claim(outcome)),
            None => self.start_pondering(driver),
        }
    }

    /// `.`: how far the search is; nothing if there is none.
    pub(super) fn status(&self, driver: &mut Driver) {
        let Some(search) = driver.search() else { return };
        let time = self.clock.worked(search.began.elapsed(), self.searching_threads(driver));
        let depth = self.seen.line.as_ref().map_or(0, |info| info.depth);
        let (depth, current, index, total) = match self.seen.root {
            Some(RootMove { depth, current, index, total }) => (depth, Some(current), index, total),
            None => (depth, None, 0, search.game.position().count_legal()),
        };
        let current = current.map(|mv| self.spell(&search.game, &[mv]).concat());
        // A brain that was not asked has those of the search before.
        let nodes = if search.asks_brain() { driver.brain.nodes() } else { 0 };
        let nodes = nodes.saturating_sub(search.pondered_nodes);
        driver.say(Reply::Status(Status {
            time: time.as_millis() as u64 / 10,
            nodes,
            depth,
            left: total.saturating_sub(index),
            total,
            current,
        }));
    }

    /// `exclude`.
    pub(super) fn exclude(&mut self, driver: &mut Driver, filter: Option<&str>) {
        let before = self.excluded.clone();
        match filter.map(|text| self.read_move(text)) {
            None => self.excluded = self.game.position().legal_moves().to_vec(),
            Some(Some(mv)) if !self.excluded.contains(&mv) => self.excluded.push(mv),
            Some(_) => {}
        }
        self.filter_changed(driver, &before);
    }

    /// `include`.
    pub(super) fn include(&mut self, driver: &mut Driver, filter: Option<&str>) {
        let before = self.excluded.clone();
        match filter.map(|text| self.read_move(text)) {
            None => self.excluded.clear(),
            Some(Some(mv)) => self.excluded.retain(|&other| other != mv),
            Some(None) => {}
        }
        self.filter_changed(driver, &before);
    }

    /// What runs goes on with the moves that are left. Where none is left, an analysis waits for one, and a thought
    /// goes on as it was until there is one, as the text allows.
    fn filter_changed(&mut self, driver: &mut Driver, before: &[Move]) {
        if self.excluded == before {
            return;
        }
        if self.mode == Mode::Analyze {
            self.analyze(driver);
        } else if self.owes_move() && !self.all_excluded() {
            self.undisturbed(driver, |_| ());
        }
    }

    pub(super) fn spell(&self, game: &Game, moves: &[Move]) -> Vec<String> {
        spell(game, moves, self.fischerandom.then_some(CastlingNotation::Ohs))
    }
}
