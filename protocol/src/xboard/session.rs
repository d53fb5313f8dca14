//! The xboard session: what each command means for the game on the board. What the engine does about it
//! (thinking, pondering, analysing) is in `play`.
//!
//! The engine is in one of three modes: it plays a side, it plays neither (`force`), or it analyses. Commands
//! are obeyed in the order they come, also while it thinks; only `ping` waits for the move, because its
//! answer promises that everything before it is done. From `pause` on it stands still: what it would think about
//! is laid aside until `resume`, or until the client has it begin something (`new`, `go`, `playother`, `analyze`), as
//! xboard does with a game that is paused.

use super::claims::Hopes;
use super::clock::{GameClock, Plan};
use super::command::{Command, CommandError};
use super::edit::{Editor, Step};
use super::feature;
use super::play::{Mode, Purpose, Seen, Suspended};
use super::reply::Reply;
use crate::option::Value;
use crate::session::driver::Driver;
use crate::session::{ExitReason, Flow, Identity, Input, NOT_UTF8};
use crate::settings;
use chess::{Color, Game, Move, Position};
use std::ops::ControlFlow;
use std::time::Instant;

/// What the program takes of the memory that the client grants, in MB.
const PROGRAM_MB: usize = 4;
/// What each thread takes of it: its histories, most of all.
const THREAD_MB: usize = 3;

/// The table that so much memory leaves room for beside so many threads, in MiB: the least one at least.
fn table_size(megabytes: usize, threads: usize) -> usize {
    let others = PROGRAM_MB + THREAD_MB * threads;
    megabytes.saturating_sub(others).clamp(1, crate::brain::MAX_HASH_MIB)
}

/// What an xboard session remembers.
pub(crate) struct Xboard {
    identity: Identity,
    /// When the present command came. The clock of a thought that it begins counts from there.
    pub(super) heard: Instant,
    pub(super) game: Game,
    /// What led to the game's start by a null move, and what to that before.
    pub(super) passed: Vec<Game>,
    /// The client set up a position that is none: no move is legal until the next one.
    pub(super) refused: bool,
    pub(super) mode: Mode,
    /// What the running search is for.
    pub(super) purpose: Option<Purpose>,
    /// What was interrupted and goes on, or is to go on.
    pub(super) suspended: Suspended,
    /// No search begins, since the client said `pause`.
    pub(super) still: bool,
    pub(super) clock: GameClock,
    /// What limits the present search, once it is for our move.
    pub(super) planned: Option<Plan>,
    /// As many threads as `cores` asked for, 0 for our choice.
    cores: usize,
    /// How many that were, once it has been told.
    threads: Option<usize>,
    /// From `memory`, in MB.
    memory: Option<usize>,
    /// The table that it gave, in MiB.
    hash: Option<usize>,
    pub(super) ponder: bool,
    pub(super) post: bool,
    pub(super) resigns: bool,
    pub(super) fischerandom: bool,
    pub(super) debug: bool,
    pings: Vec<i64>,
    pub(super) excluded: Vec<Move>,
    /// The opponent's move we expect in the present position.
    pub(super) expected: Option<Move>,
    pub(super) hopes: Hopes,
    pub(super) seen: Seen,
    editor: Option<Editor>,
    /// The side to move that `white` or `black` asked for.
    wanted: Option<Color>,
}

impl Xboard {
    pub(crate) fn new(identity: Identity) -> Self {
        Xboard {
            identity,
            heard: Instant::now(),
            game: Game::default(),
            passed: Vec::new(),
            refused: false,
            mode: Mode::Play(Color::Black),
            purpose: None,
            suspended: Suspended::default(),
            still: false,
            clock: GameClock::default(),
            planned: None,
            cores: crate::brain::DEFAULT_THREADS,
            threads: None,
            memory: None,
            hash: None,
            ponder: false,
            post: false,
            resigns: false,
            fischerandom: false,
            debug: false,
            pings: Vec::new(),
            excluded: Vec::new(),
            expected: None,
            hopes: Hopes::default(),
            seen: Seen::default(),
            editor: None,
            wanted: None,
        }
    }

    /// Obeys a line that came at this moment.
    pub(crate) fn input(&mut self, driver: &mut Driver, input: Input, came: Instant) -> Flow {
        self.heard = came;
        let line = match input {
            Input::Line(line) => line,
            Input::Latin1(line) => {
                if self.refuses_file(driver, &line) {
                    return ControlFlow::Continue(());
                }
                line
            }
            Input::TooLong(line) => {
                self.pass_over(driver, &line);
                self.answer_pings(driver);
                return ControlFlow::Continue(());
            }
            Input::End => return ControlFlow::Break(ExitReason::EndOfInput),
        };
        if self.editor.is_some() && line.trim() != "quit" {
            self.edit(driver, &line);
            return ControlFlow::Continue(());
        }
        match line.parse::<Command>() {
            Ok(Command::Quit) => return ControlFlow::Break(ExitReason::Quit),
            Ok(command) => self.obey(driver, command),
            Err(error) => complain(driver, error, &line),
        }
        self.answer_pings(driver);
        ControlFlow::Continue(())
    }

    /// Refuses what this line sets if that may be the name of a file.
    fn refuses_file(&self, driver: &mut Driver, line: &str) -> bool {
        if self.editor.is_some() {
            return false;
        }
        match line.parse::<Command>() {
            Ok(Command::Option { name, value }) => {
                self.refuse_option(driver, NOT_UTF8, &name, value.as_deref());
            }
            Ok(Command::TablePath { .. }) => self.debug(driver, NOT_UTF8),
            _ => return false,
        }
        true
    }

    /// A line too long to be read changes nothing, unless it was to bring another position: then the one
    /// before it is not the client's any more.
    fn pass_over(&mut self, driver: &mut Driver, line: &str) {
        if self.editor.is_none() && line.split_whitespace().next() == Some("setboard") {
            self.refuse_position(driver, "line too long");
        }
    }

    /// A ping is answered when the engine does not owe a move.
    pub(super) fn answer_pings(&mut self, driver: &mut Driver) {
        if !self.owes_move() {
            for number in self.pings.drain(..) {
                driver.say(Reply::Pong(number));
            }
        }
    }

    fn obey(&mut self, driver: &mut Driver, command: Command) {
        match command {
            Command::Protover => {
                for reply in feature::replies(driver, &self.identity) {
                    driver.say(reply);
                }
            }
            Command::Accepted(feature) if feature == "debug" => self.debug = true,
            Command::Ping(number) => self.pings.push(number),
            Command::New => self.new_game(driver),
            Command::Variant(name) => self.variant(driver, &name),
            Command::Force => self.force(driver),
            Command::Result if self.mode != Mode::Analyze => {
                self.hopes = Hopes::default();
                self.force(driver);
            }
            Command::Go => {
                self.settle_side(driver);
                self.play(driver, self.side());
            }
            Command::PlayOther => {
                self.settle_side(driver);
                self.play(driver, !self.side());
            }
            Command::White => self.set_side(driver, Color::White),
            Command::Black => self.set_side(driver, Color::Black),
            Command::Level(level) => self.set_level(level),
            Command::ExactTime(time) => self.clock.set_exact(time),
            Command::Depth(plies) => self.clock.depth = Some(plies.max(1)),
            Command::NodesPerSecond(rate) => self.clock.rate = Some(rate),
            Command::Time(centiseconds) => self.set_remaining(centiseconds),
            Command::Move(text) => self.user_move(driver, &text),
            Command::MoveNow if self.owes_move() => self.move_now(driver),
            Command::Draw if self.takes_draw() => driver.say(Reply::OfferDraw),
            Command::SetBoard(fen) => self.set_board(driver, &fen),
            Command::Edit => {
                self.abandon(driver);
                let side = self.wanted.unwrap_or(self.side());
                self.editor = Some(Editor::new(self.game.position(), side, self.fischerandom));
            }
            Command::Hint => self.hint(driver),
            Command::Book => self.book(driver),
            Command::Undo => self.take_back(driver, 1),
            Command::Remove => self.take_back(driver, 2),
            Command::Hard => {
                self.ponder = true;
                self.start_pondering(driver);
            }
            Command::Easy => {
                self.ponder = false;
                if self.purpose == Some(Purpose::Ponder) {
                    self.abandon(driver);
                }
            }
            Command::Post => self.post = true,
            Command::NoPost => self.post = false,
            Command::Analyze => {
                self.settle_side(driver);
                self.still = false;
                self.mode = Mode::Analyze;
                self.analyze(driver);
            }
            // An analysis takes its filters with it: python-chess leaves them, and has the engine play in the position.
            Command::Exit if self.mode == Mode::Analyze => {
                self.excluded.clear();
                self.force(driver);
            }
            Command::Status => self.status(driver),
            Command::Pause => {
                self.still = true;
                self.lay_aside(driver);
            }
            Command::Resume => {
                self.still = false;
                self.take_up(driver);
            }
            Command::Memory(megabytes) => self.set_memory(driver, megabytes),
            Command::Cores(cores) => self.set_cores(driver, cores),
            Command::TablePath { kind, path } => self.set_table_path(driver, &kind, &path),
            Command::Option { name, value } => self.set_option(driver, &name, value.as_deref()),
            Command::Exclude(filter) => self.exclude(driver, filter.as_deref()),
            Command::Include(filter) => self.include(driver, filter.as_deref()),
            // Nothing to do: what is only told, and what does not fit the moment but does no harm.
            Command::Xboard
            | Command::Accepted(_)
            | Command::Result
            | Command::Told
            | Command::MoveNow
            | Command::Draw
            | Command::Exit
            | Command::Quit => {}
        }
    }

    pub(super) fn side(&self) -> Color {
        self.game.position().side_to_move()
    }

    pub(super) fn plies(&self) -> usize {
        self.game.moves().len()
    }

    fn new_game(&mut self, driver: &mut Driver) {
        self.abandon(driver);
        self.still = false;
        driver.brain.new_game();
        if self.mode != Mode::Analyze {
            self.mode = Mode::Play(Color::Black);
        }
        self.clock.restart();
        self.fischerandom = false;
        self.refused = false;
        self.set_position(driver, Game::default());
    }

    fn variant(&mut self, driver: &mut Driver, name: &str) {
        match name {
            "normal" => self.fischerandom = false,
            "fischerandom" => self.fischerandom = true,
            _ => complain_of(driver, "unsupported variant", &format!("variant {name}")),
        }
    }

    fn force(&mut self, driver: &mut Driver) {
        self.abandon(driver);
        self.mode = Mode::Force;
    }

    fn play(&mut self, driver: &mut Driver, side: Color) {
        self.abandon(driver);
        self.still = false;
        self.mode = Mode::Play(side);
        if side == self.side() {
            self.think(driver);
        } else {
            self.start_pondering(driver);
        }
    }

    /// The old commands `white` and `black`: this side is to move, the engine plays the other.
    fn set_side(&mut self, driver: &mut Driver, side: Color) {
        self.abandon(driver);
        self.mode = Mode::Play(!side);
        self.wanted = Some(side);
    }

    /// Gives the turn to the side that was asked for. Clients used to send both colours one after the other
    /// around other commands, and mean the last: so nothing happens before the turn matters.
    pub(super) fn settle_side(&mut self, driver: &mut Driver) {
        if self.refused {
            return;
        }
        let Some(side) = self.wanted.take().filter(|&side| side != self.side()) else { return };
        match self.game.position().after_null() {
            Some(position) => self.set_position(driver, Game::new(position)),
            None => complain_of(
                driver,
                "not legal in check",
                if side == Color::White { "white" } else { "black" },
            ),
        }
    }

    /// Puts another position on the board; analysis goes on there. What was known of the game before it is
    /// known no more.
    pub(super) fn set_position(&mut self, driver: &mut Driver, game: Game) {
        self.abandon(driver);
        self.game = game;
        if self.plies() == 0 {
            self.clock.rebase();
        }
        self.passed.clear();
        self.wanted = None;
        self.hopes = Hopes::default();
        self.moved_on(driver);
    }

    fn set_board(&mut self, driver: &mut Driver, fen: &str) {
        match Position::read_fen(fen, self.fischerandom) {
            Ok(position) => {
                self.refused = false;
                self.set_position(driver, Game::new(position));
            }
            Err(error) => {
                self.refuse_position(driver, fen);
                self.debug(driver, &error.to_string());
            }
        }
    }

    /// There is no position on the board until the next good one. The game before it is over.
    fn refuse_position(&mut self, driver: &mut Driver, what: &str) {
        self.abandon(driver);
        self.refused = true;
        self.hopes = Hopes::default();
        self.forget_position();
        driver.say(Reply::TellUserError(format!("Illegal position: {what}")));
    }

    fn edit(&mut self, driver: &mut Driver, line: &str) {
        let step = self.editor.as_mut().map(|editor| editor.line(line));
        match step {
            Some(Step::Done(fen)) => {
                self.editor = None;
                self.set_board(driver, &fen);
            }
            Some(Step::Unknown) => complain_of(driver, "not an edit command", line),
            Some(Step::More) | None => {}
        }
    }

    fn take_back(&mut self, driver: &mut Driver, plies: usize) {
        let command = if plies == 1 { "undo" } else { "remove" };
        if self.refused {
            return complain_of(driver, "illegal position", command);
        }
        // A null move is a ply as well.
        let passed = self.passed.iter().map(|before| before.moves().len() + 1);
        if self.plies() + passed.sum::<usize>() < plies {
            return complain_of(driver, "no move to take back", command);
        }
        let (mut game, mut passed) = (std::mem::take(&mut self.game), std::mem::take(&mut self.passed));
        for _ in 0..plies {
            if game.undo().is_none()
                && let Some(before) = passed.pop()
            {
                game = before;
            }
        }
        self.set_position(driver, game);
        self.passed = passed;
    }

    fn hint(&mut self, driver: &mut Driver) {
        let analysed = if self.mode == Mode::Analyze { self.seen.head() } else { None };
        // What was seen before the filter changed is no advice any more.
        let mut known = [analysed, self.expected].into_iter().flatten();
        if let Some(mv) = known.find(|mv| !self.excluded.contains(mv)) {
            let text = self.spell(&self.game, &[mv]).concat();
            driver.say(Reply::Hint(text));
        }
    }

    /// What the book plays here. The reply's own empty line ends it, for which xboard waits.
    fn book(&self, driver: &mut Driver) {
        let mut moves = if self.refused { Vec::new() } else { driver.brain.book(self.game.position()) };
        moves.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        let total: u64 = moves.iter().map(|&(_, weight)| u64::from(weight)).sum();
        let share = |weight: u32| (u64::from(weight) * 100 / total.max(1)) as u32;
        let spelled = |mv| self.spell(&self.game, &[mv]).concat();
        driver.say(Reply::Book(moves.into_iter().map(|(mv, weight)| (spelled(mv), share(weight))).collect()));
    }

    fn set_memory(&mut self, driver: &mut Driver, megabytes: usize) {
        self.memory = Some(megabytes);
        let threads = self.threads.unwrap_or_else(|| driver.brain.default_threads());
        let hash = table_size(megabytes, threads);
        if self.hash == Some(hash) {
            return;
        }
        if self.set_untold(driver, |driver| driver.brain.set_hash(hash)) {
            self.hash = Some(hash);
        }
    }

    /// More threads leave the table less of the memory. xboard tells `cores` after `memory`.
    fn set_cores(&mut self, driver: &mut Driver, cores: usize) {
        let cores = cores.min(crate::brain::MAX_THREADS);
        if cores == self.cores {
            return;
        }
        let (memory, mut threads, mut hash) = (self.memory, None, self.hash);
        self.set_untold(driver, |driver| {
            let used = driver.brain.set_threads(cores)?;
            threads = Some(used);
            let left = memory.map(|megabytes| table_size(megabytes, used));
            if let Some(mib) = left.filter(|_| left != hash) {
                driver.brain.set_hash(mib)?;
                hash = left;
            }
            Ok(())
        });
        if threads.is_some() {
            (self.cores, self.threads, self.hash) = (cores, threads, hash);
        }
    }

    fn set_table_path(&mut self, driver: &mut Driver, kind: &str, path: &str) {
        if kind != "syzygy" || !driver.brain.options().iter().any(|spec| spec.name == feature::TABLE_PATH) {
            return;
        }
        let value = Value::Text(path.into());
        self.set_untold(driver, |driver| driver.brain.set_option(feature::TABLE_PATH, &value));
    }

    /// Sets what clients want no answer to (xboard takes "not found" for the engine's death): only the debug log tells
    /// an error. Was it set?
    fn set_untold(
        &mut self,
        driver: &mut Driver,
        set: impl FnOnce(&mut Driver) -> Result<(), String>,
    ) -> bool {
        let done = self.undisturbed(driver, set);
        if let Err(error) = &done {
            self.debug(driver, error);
        }
        done.is_ok()
    }

    fn set_option(&mut self, driver: &mut Driver, name: &str, value: Option<&str>) {
        let known = feature::options(driver);
        let Some(spec) = known.into_iter().find(|spec| feature::is_same(&spec.name, name)) else {
            return self.refuse_option(driver, "no such option", name, value);
        };
        let done = spec.parse(value).map_err(|error| error.to_string()).and_then(|value| {
            if let (feature::RESIGN, &Value::Check(on)) = (spec.name.as_str(), &value) {
                self.resigns = on;
                return Ok(());
            }
            self.undisturbed(driver, |driver| settings::set(driver, &spec, &value))
        });
        if let Err(error) = done {
            self.refuse_option(driver, &error, name, value);
        }
    }

    /// Clients that read comments get one, since some of them take `Error` for the end; people get the error.
    fn refuse_option(&self, driver: &mut Driver, why: &str, name: &str, value: Option<&str>) {
        let text = value.map_or_else(|| name.to_string(), |value| format!("{name}={value}"));
        if self.debug {
            self.debug(driver, &format!("{why}: {text}"));
        } else {
            complain_of(driver, why, &format!("option {text}"));
        }
    }

    /// Does something that no search may run beside; a search that runs is laid aside meanwhile.
    /// Its time is that of a thought so interrupted.
    pub(super) fn undisturbed<T>(&mut self, driver: &mut Driver, action: impl FnOnce(&mut Driver) -> T) -> T {
        self.lay_aside(driver);
        let result = action(driver);
        if !self.still {
            self.take_up(driver);
        }
        result
    }

    /// A word to the developer, where the client promised not to read it.
    pub(super) fn debug(&self, driver: &mut Driver, text: &str) {
        if self.debug {
            driver.say(Reply::Debug(text.into()));
        }
    }
}

fn complain(driver: &mut Driver, error: CommandError, line: &str) {
    complain_of(driver, &error.to_string(), line);
}

fn complain_of(driver: &mut Driver, kind: &str, line: &str) {
    driver.say(Reply::Error { kind: kind.into(), command: line.into() });
}
