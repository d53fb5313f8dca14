//! The UCI session: a client's commands in order, one search at a time.
//!
//! While something runs, `isready`, `stop`, `ponderhit`, `debug` and `quit` are obeyed at once, `stop` and
//! `ponderhit` also by a search that waits its turn; `isready` waits for a new game or options that a stopping search
//! or count holds up. Everything else waits its turn behind it, so that a script of `position` and `go` lines works as
//! written, to the end of the input and beyond; only where very many commands wait the next are refused, aloud. A
//! position that was refused is not searched: `go` then answers `bestmove (none)`, at once or after `stop` as any other
//! search.
//! A `position` line that cannot be read is refused as well, since the client believes that it is now the position.

use super::command::{Command, Go, Helper, NoPosition};
use super::reply::{Line, Reply};
use super::{helper, limits};
use crate::brain::Chore;
use crate::option::{OptionSpec, Value};
use crate::rate::count_in_nodes;
use crate::session::driver::{Driver, News, Search, spell};
use crate::session::event::RootMove;
use crate::session::{ExitReason, Flow, Identity, Input, NOT_UTF8, is_comment};
use crate::{settings, wdl};
use chess::epd::Epd;
use chess::{CastlingNotation, Game, Move, MoveError, Position};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use thinking::report::{Info, Verdict};
use thinking::score::{Reported, Wdl};

/// Bytes of commands that may wait behind a search: some hundred thousand positions. A client that sends more gets an
/// error for the rest.
const MOST_WAITING: usize = 16 << 20;
/// What a waiting command takes beside its text.
const OVERHEAD: usize = 64;
/// Searches shorter than this do not tell the move they are at.
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);

const PONDER: &str = "Ponder";
const CHESS960: &str = "UCI_Chess960";
const SHOW_WDL: &str = "UCI_ShowWDL";
const ANALYSE: &str = "UCI_AnalyseMode";
const OPPONENT: &str = "UCI_Opponent";
/// How names begin that have their meaning from the protocol.
const RESERVED: &str = "UCI_";
const ABOUT: &str = "UCI_EngineAbout";
const NODES_TIME: &str = "nodestime";
/// Most nodes a millisecond may stand for.
const MAX_NODES_TIME: i64 = 10_000;

/// A command that waits for its turn.
struct Waiting {
    command: Command,
    /// When it came; `None` if what it waits for ends by itself.
    came: Option<Instant>,
    /// When the move came that its search is to ponder on.
    hit: Option<Instant>,
    /// It was told to stop: a search or count that it begins stops at once.
    stop: bool,
    /// What it counts of [`MOST_WAITING`].
    bytes: usize,
}

/// What a UCI session remembers.
pub(crate) struct Uci {
    identity: Identity,
    /// The position, or why it was refused.
    game: Result<Game, String>,
    waiting: VecDeque<Waiting>,
    /// What all that waits takes.
    waiting_bytes: usize,
    chess960: bool,
    show_wdl: bool,
    debug: bool,
    /// Nodes that stand for a millisecond; 0 where time is time.
    nodes_time: u64,
}

impl Uci {
    pub(crate) fn new(identity: Identity) -> Self {
        Uci {
            identity,
            game: Ok(Game::default()),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            chess960: false,
            show_wdl: false,
            debug: false,
            nodes_time: 0,
        }
    }

    /// Obeys a line that came at this moment, now or after what runs.
    pub(crate) fn input(&mut self, driver: &mut Driver, input: Input, came: Instant) -> Flow {
        let line = match input {
            Input::Latin1(line) if may_name_file(&line) => {
                driver.say(Reply::Text(format!("line {NOT_UTF8}")));
                return ControlFlow::Continue(());
            }
            Input::Line(line) | Input::Latin1(line) => line,
            Input::TooLong(line) => {
                self.pass_over(driver, &line, came);
                return ControlFlow::Continue(());
            }
            Input::End => {
                self.work_off(driver);
                return ControlFlow::Break(ExitReason::EndOfInput);
            }
        };
        if is_comment(&line) {
            return ControlFlow::Continue(());
        }
        match line.parse::<Command>() {
            Err(error) => driver.say(Reply::Text(error.to_string())),
            Ok(Command::Quit) => return ControlFlow::Break(ExitReason::Quit),
            Ok(Command::IsReady) if !self.must_get_ready(driver) => driver.say(Reply::ReadyOk),
            Ok(Command::Debug(on)) => self.debug = on,
            Ok(Command::Register) => {}
            Ok(Command::PonderHit) if driver.search().is_some_and(Search::ponders) => driver.ponderhit(came),
            Ok(Command::PonderHit) => {
                let meant = |waiting: &&mut Waiting| {
                    !waiting.stop && matches!(&waiting.command, Command::Go(go) if go.ponder)
                };
                let ponder = self.waiting.iter_mut().filter(meant);
                ponder.for_each(|waiting| _ = waiting.hit.get_or_insert(came));
            }
            Ok(Command::Stop) => {
                driver.stop();
                self.waiting.iter_mut().for_each(|waiting| waiting.stop = true);
            }
            Ok(command) => self.obey_in_turn(driver, command, line.len(), came),
        }
        ControlFlow::Continue(())
    }

    /// Does work wait that a client wants done before it starts its clock? A new game and options, some of which clear
    /// gigabytes, are carried out once the search or count that was told to stop has ended, and then the engine is
    /// ready. Behind a search that goes on, or before one that waits, the answer only says that the program lives.
    fn must_get_ready(&self, driver: &Driver) -> bool {
        let waits =
            |wanted: fn(&Command) -> bool| self.waiting.iter().any(|waiting| wanted(&waiting.command));
        driver.told_to_stop()
            && waits(|command| matches!(command, Command::NewGame | Command::SetOption { .. }))
            && !waits(|command| matches!(command, Command::Go(_)))
    }

    /// A line too long to be read changes nothing, unless it was to bring another position: then the one
    /// before it is not the client's any more.
    fn pass_over(&mut self, driver: &mut Driver, line: &str, came: Instant) {
        if line.parse::<Command>().is_ok_and(|command| replaces_position(&command)) {
            self.obey_in_turn(driver, Command::NoPosition(NoPosition::TooLong), 0, came);
        } else {
            driver.say(Reply::Text("line too long, ignored".into()));
        }
    }

    /// Carries out a command of so many bytes now, or after what runs. What waits for a search that goes on is part of
    /// a script, and its time counts from its turn on; what waits for one that was told to stop comes from a client
    /// whose clock runs.
    fn obey_in_turn(&mut self, driver: &mut Driver, command: Command, bytes: usize, came: Instant) {
        let waits = driver.busy() || !self.waiting.is_empty();
        let came = Some(came).filter(|_| !waits || self.all_is_stopped(driver));
        if waits {
            self.postpone(driver, command, bytes + OVERHEAD, came);
        } else {
            self.obey(driver, command, came);
        }
    }

    /// Has everything that runs, or waits to run, been told to stop?
    fn all_is_stopped(&self, driver: &Driver) -> bool {
        let runs = |command: &Command| matches!(command, Command::Go(_) | Command::Helper(_));
        driver.told_to_stop() && self.waiting.iter().all(|waiting| waiting.stop || !runs(&waiting.command))
    }

    /// The input has ended: a client has gone, or a script on a pipe is over. What was asked for is carried out, but
    /// searches under a clock and those without an end of their own are stopped.
    fn work_off(&mut self, driver: &mut Driver) {
        loop {
            if driver.search().is_some_and(|search| !search.outlives_client()) {
                driver.stop();
            }
            let Some(news) = driver.next_news() else { return };
            self.report(driver, news);
            self.go_on(driver);
            if driver.is_mute() {
                return;
            }
        }
    }

    fn postpone(&mut self, driver: &mut Driver, command: Command, bytes: usize, came: Option<Instant>) {
        if self.waiting_bytes + bytes <= MOST_WAITING {
            if self.debug {
                driver.say(Reply::Text(format!("waits for the search to end: {command}")));
            }
            self.wait(command, bytes, came);
            return;
        }
        if command == Command::IsReady {
            return driver.say(Reply::ReadyOk);
        }
        driver.say(Reply::Text("too many commands wait behind the search, ignored".into()));
        // A search that is asked for when they are done must not be of the position before this one.
        let lost = Command::NoPosition(NoPosition::TooMany);
        let last = self.waiting.iter().rev().find(|waiting| replaces_position(&waiting.command));
        if replaces_position(&command) && last.is_none_or(|last| last.command != lost) {
            self.wait(lost, OVERHEAD, None);
        }
    }

    fn wait(&mut self, command: Command, bytes: usize, came: Option<Instant>) {
        self.waiting_bytes += bytes;
        self.waiting.push_back(Waiting { command, came, hit: None, stop: false, bytes });
    }

    /// Prints news, and goes on with what waited when the search is over.
    pub(crate) fn news(&mut self, driver: &mut Driver, news: News) -> Flow {
        self.report(driver, news);
        self.go_on(driver);
        ControlFlow::Continue(())
    }

    /// Carries out what waited, up to the next search.
    fn go_on(&mut self, driver: &mut Driver) {
        while !driver.busy()
            && let Some(Waiting { command, came, hit, stop, bytes }) = self.waiting.pop_front()
        {
            self.waiting_bytes -= bytes;
            self.obey(driver, command, came);
            if let Some(hit) = hit {
                driver.ponderhit(hit);
            }
            if stop {
                driver.stop();
            }
        }
    }

    /// Carries out a command; nothing runs. `came` says when it came; `None` for one that has waited for what ended by
    /// itself.
    fn obey(&mut self, driver: &mut Driver, command: Command, came: Option<Instant>) {
        match command {
            Command::Uci => self.introduce(driver),
            Command::SetOption { name, value } => self.set_option(driver, &name, value.as_deref()),
            Command::NewGame => driver.brain.new_game(),
            Command::Position { fen, moves } => {
                self.game = set_up(fen.as_deref(), &moves, self.chess960);
                if let Err(error) = &self.game {
                    driver.say(Reply::Text(format!("position refused: {error}")));
                }
            }
            Command::NoPosition(why) => {
                driver.say(Reply::Text(why.to_string()));
                self.game = Err(why.to_string());
            }
            Command::Go(go) => self.go(driver, &go, came),
            Command::IsReady => driver.say(Reply::ReadyOk),
            Command::Helper(helper) => self.help(driver, helper),
            Command::Debug(_) | Command::Register | Command::Stop | Command::PonderHit | Command::Quit => {}
        }
    }

    fn introduce(&self, driver: &mut Driver) {
        driver.say(Reply::Name(self.identity.name.clone()));
        driver.say(Reply::Author(self.identity.author.clone()));
        for spec in self.options(driver) {
            driver.say(Reply::Option(spec));
        }
        driver.say(Reply::UciOk);
    }

    fn options(&self, driver: &Driver) -> Vec<OptionSpec> {
        let mut specs = settings::specs(driver);
        specs.extend([
            OptionSpec::check(PONDER, false),
            OptionSpec::check(CHESS960, false),
            OptionSpec::check(SHOW_WDL, false),
            OptionSpec::spin(NODES_TIME, 0, 0, MAX_NODES_TIME),
            OptionSpec::check(ANALYSE, false),
            OptionSpec::text(OPPONENT, ""),
            OptionSpec::text(ABOUT, &format!("{} by {}", self.identity.name, self.identity.author)),
        ]);
        specs
    }

    fn set_option(&mut self, driver: &mut Driver, name: &str, value: Option<&str>) {
        let Some(spec) = self.options(driver).into_iter().find(|spec| spec.is_named(name)) else {
            // Clients set these unasked (UCI_ShowCurrLine and its like).
            if !is_reserved(name) {
                driver.say(Reply::Text(format!("no such option: {name}")));
            }
            return;
        };
        let done = spec.parse(value).map_err(|error| error.to_string()).and_then(|value| {
            match (spec.name.as_str(), &value) {
                (CHESS960, &Value::Check(on)) => self.chess960 = on,
                (SHOW_WDL, &Value::Check(on)) => self.show_wdl = on,
                (NODES_TIME, &Value::Spin(nodes)) => self.nodes_time = nodes as u64,
                (ANALYSE, &Value::Check(on)) => driver.analysis = on,
                // Told for our information only: `go` says itself whether to ponder, and the debug log keeps
                // names.
                (PONDER | OPPONENT | ABOUT, _) => {}
                _ => settings::set(driver, &spec, &value)?,
            }
            Ok(())
        });
        if let Err(error) = done {
            driver.say(Reply::Text(error));
        }
    }

    fn go(&mut self, driver: &mut Driver, go: &Go, came: Option<Instant>) {
        for fault in &go.faults {
            driver.say(Reply::Text(fault.to_string()));
        }
        let (game, refused) = match &self.game {
            Ok(game) => (game.clone(), false),
            Err(error) => {
                driver.say(Reply::Text(format!("no position to search: {error}")));
                (Game::default(), true)
            }
        };
        if let Some(depth) = go.perft {
            if !refused {
                self.perft(driver, game.position(), depth);
            }
            return;
        }
        let (mut limits, errors) = limits::limits(go, game.position());
        limits.overhead = driver.overhead;
        // A clock runs since the client wrote `go`, whatever has held us up. So does the time of a ponder search, whose
        // hit may have come before it could begin. A time for the move is thought whole, as a script expects that sets
        // a large table before it.
        limits.since = came.filter(|_| limits.clock.is_some());
        if self.nodes_time > 0 {
            count_in_nodes(&mut limits, self.nodes_time * 1000);
        }
        for error in errors.iter().filter(|_| !refused) {
            driver.say(Reply::Text(format!("searchmoves: {error}")));
        }
        // Moves were named and none can be played (python-chess writes `0000` for none): not all were meant.
        let none = refused || !go.searchmoves.is_empty() && limits.search_moves.is_empty();
        // Only the move waits for `stop` or `ponderhit`; there is no search whose lines would come before.
        if !game.position().has_legal_move() {
            driver.say(Reply::Line(self.nothing_to_search(game.position())));
        }
        driver.go(game, limits, none);
    }

    fn perft(&self, driver: &mut Driver, position: &Position, depth: i64) {
        let stop = Arc::new(AtomicBool::new(false));
        let depth = depth.clamp(0, 99) as u32;
        let chore = helper::perft(position.clone(), depth, self.chess960, stop.clone());
        start_chore(driver, Some(stop), chore);
    }

    fn help(&mut self, driver: &mut Driver, helper: Helper) {
        let game = match (&self.game, helper) {
            (Ok(game), _) => game,
            (Err(error), Helper::Display | Helper::Eval | Helper::Flip) => {
                driver.say(Reply::Text(format!("no position: {error}")));
                return;
            }
            (Err(_), _) => &Game::default(),
        };
        match helper {
            Helper::Display => driver.say(helper::diagram(game.position())),
            Helper::Eval => driver.say(driver.brain.evaluate(game.position())),
            Helper::Flip => match helper::flipped(game.position()) {
                Some(position) => self.game = Ok(Game::new(position)),
                None => driver.say(Reply::Text("this position cannot be flipped".into())),
            },
            Helper::Bench => {
                let chore = driver.brain.bench();
                start_chore(driver, None, chore);
            }
            Helper::Compiler => driver.say(&self.identity.build),
            Helper::Help => driver.say(helper::HELP),
            Helper::License => driver.say(helper::LICENSE),
        }
    }

    fn report(&self, driver: &mut Driver, news: News) {
        match news {
            News::Line(info) => {
                if let Some(search) = driver.search() {
                    let line = self.line(&search.game, &info);
                    driver.say(Reply::Line(line));
                }
            }
            News::RootMove(RootMove { depth, current, index, .. }) => {
                if let Some(search) = driver.search().filter(|s| s.began.elapsed() >= CURRENT_MOVE_AFTER) {
                    let current = self.spell(&search.game, &[current]).concat();
                    driver.say(Reply::CurrentMove { depth, current, number: index });
                }
            }
            News::Text(text) => driver.say(text),
            News::Remark(text) => driver.say(Reply::Text(text)),
            News::Over(search, verdict) => self.conclude(driver, &search, &verdict),
            News::ChoreOver => {}
        }
    }

    /// The move, preceded by its line if the last line printed was another's (threads may outvote the first).
    fn conclude(&self, driver: &mut Driver, search: &Search, verdict: &Verdict) {
        if search.lost {
            driver.say(Reply::Text("the search ended without a verdict".into()));
        }
        if let (Some(info), Some(best)) = (&verdict.info, verdict.best)
            && search.head != Some(best)
            && info.pv.first() == Some(&best)
        {
            driver.say(Reply::Line(self.line(&search.game, info)));
        }
        let mut moves: Vec<Move> = verdict.best.into_iter().collect();
        moves.extend(verdict.ponder);
        let mut words = self.spell(&search.game, &moves).into_iter();
        driver.say(Reply::BestMove { best: words.next(), ponder: words.next() });
    }

    fn spell(&self, game: &Game, moves: &[Move]) -> Vec<String> {
        spell(game, moves, self.chess960.then_some(CastlingNotation::KingTakesRook))
    }

    fn line(&self, game: &Game, info: &Info) -> Line {
        Line {
            depth: info.depth,
            seldepth: info.seldepth,
            multipv: info.multipv,
            score: info.reported(),
            bound: info.bound,
            wdl: self.show_wdl.then(|| wdl::chances(info.reported(), game.position())),
            nodes: info.nodes,
            nps: info.nps(),
            hashfull: info.hashfull,
            tbhits: info.tbhits,
            time: info.time.as_millis() as u64,
            pv: self.spell(game, &info.pv),
        }
    }

    /// What there is to say of a root without moves.
    fn nothing_to_search(&self, position: &Position) -> Line {
        let (score, certain) = if position.in_check() {
            (Reported::Mate(0), Wdl { win: 0, draw: 0, loss: 1000 })
        } else {
            (Reported::Centipawns(0), Wdl { win: 0, draw: 1000, loss: 0 })
        };
        Line { score, wdl: self.show_wdl.then_some(certain), ..Line::empty() }
    }
}

fn start_chore(driver: &mut Driver, stop: Option<Arc<AtomicBool>>, chore: Chore) {
    if let Err(error) = driver.start_chore(stop, chore) {
        driver.say(Reply::Text(format!("cannot start a thread: {error}")));
    }
}

/// The position of a line of a test suite. One with moves in place of operations is a `position` command that
/// lacks the word `moves`.
fn of_suite(line: &str, chess960: bool) -> Option<Position> {
    let epd = Epd::read(line, chess960).ok()?;
    let is_move = |opcode: &str| !matches!(epd.position.parse_uci(opcode), Err(MoveError::Syntax(_)));
    let is_word = |opcode: &str| ["move", "moves"].iter().any(|word| opcode.eq_ignore_ascii_case(word));
    let strays = epd.ops.iter().any(|(opcode, _)| is_word(opcode) || is_move(opcode));
    (!strays).then_some(epd.position)
}

/// Does the protocol keep this name of an option for itself?
fn is_reserved(name: &str) -> bool {
    name.get(..RESERVED.len()).is_some_and(|start| start.eq_ignore_ascii_case(RESERVED))
}

/// Does this line set an option whose value may be the name of a file?
fn may_name_file(line: &str) -> bool {
    matches!(line.parse::<Command>(), Ok(Command::SetOption { name, .. }) if !is_reserved(&name))
}

/// Is the position before it none to search any more?
fn replaces_position(command: &Command) -> bool {
    matches!(command, Command::Position { .. } | Command::NoPosition(_))
}

/// Replays a `position` command. Where a FEN is expected a line of a test suite (EPD) will do as well.
fn set_up(fen: Option<&str>, moves: &[String], chess960: bool) -> Result<Game, String> {
    let start = match fen {
        None => Position::startpos(),
        Some(fen) => Position::read_fen(fen, chess960)
            .or_else(|error| of_suite(fen, chess960).ok_or_else(|| error.to_string()))?,
    };
    let mut game = Game::new(start);
    for (index, text) in moves.iter().enumerate() {
        let number = index + 1;
        let mv = game.position().parse_uci(text).map_err(|error| format!("move {number}: {error}"))?;
        game.play(mv).map_err(|error| format!("move {number}: {error}"))?;
    }
    Ok(game)
}
