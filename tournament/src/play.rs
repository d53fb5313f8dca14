//! One game between two engines, from the opening to a result with a reason.
//!
//! The runner keeps the board and the clocks and trusts no engine: every move is checked, every claim is
//! looked up, and what an engine does wrong costs that engine the game and nothing else.

use std::fmt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chess::{CastlingNotation, Color, Game, Move, Outcome, Position};
use client::{
    Answer, Client, Clocks, Evaluation, Failure, FailureKind, GameSetup, Info, Patience, Ply, Protocol, Reply,
};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sys::heartbeat::Heartbeat;
use sys::signals::that_ended;

use crate::adjudicate::{Adjudicator, Finding, Manner, Rules};
use crate::boards::{Begin, Boards, Running, Thought};
use crate::checks::Checks;
use crate::clock::Clock;
use crate::openings::Opening;
use crate::openings::polyglot::Polyglot;
use crate::record::{Ending, GameRecord, LONGEST_MS, MoveRecord, Said, Score, beginning};
use crate::schedule::Pairing;
use crate::spec::Player;
use crate::tablebase::{TableError, Tables};

/// What holds for every game of a tournament.
pub struct Conditions {
    /// The field.
    pub players: Vec<Player>,
    /// When games are ended early.
    pub rules: Rules,
    /// Endgame tables.
    pub tables: Option<Tables>,
    /// After its flag has fallen an engine is waited for this long, to tell a late answer from none.
    pub stall: Duration,
    /// An engine without a clock may be silent this long.
    pub silence: Duration,
    /// Whether all games are Chess960.
    pub chess960: bool,
    /// Where others look on, if they do.
    pub boards: Option<Arc<Boards>>,
    /// What is not the same in all runners.
    pub customs: Customs,
}

impl Conditions {
    /// Between these players with everything at its simplest: 5 seconds after a fallen flag and 60 without news of a
    /// search, no rules that end games early, no tables, and games that are not shown.
    #[must_use]
    pub fn new(players: Vec<Player>) -> Self {
        Self {
            players,
            rules: Rules::default(),
            tables: None,
            stall: Duration::from_secs(5),
            silence: Duration::from_secs(60),
            chess960: false,
            boards: None,
            customs: Customs::default(),
        }
    }
}

/// What is not the same in all runners, or only wanted now and then.
#[derive(Default)]
pub struct Customs {
    /// Keep what engines say of their searches beyond depth and nodes.
    pub keep_search: bool,
    /// Keep their principal variations.
    pub keep_pv: bool,
    /// A player with a clock that does not answer at all loses on time, and not by a fault of the program.
    pub silence_is_time: bool,
    /// Depth, nodes and the rest are those of the last line whose score was no bound.
    pub exact_lines: bool,
    /// The score of a move is that of the last line, bound or not.
    pub bounds_count: bool,
    /// Only the moves that engines make count towards their time controls, and not those of openings and own
    /// books: fastchess's rule, and that of older journals.
    pub own_moves_only: bool,
    /// Each player's own opening book; none where this is empty.
    pub books: Vec<Option<Polyglot>>,
    /// The seed of their moves.
    pub seed: u64,
}

/// Why a game has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unplayed {
    /// It was given up by the runner.
    Aborted,
    /// A table that may know its result cannot be read.
    Table(TableError),
}

/// A game that was played.
pub struct Played {
    /// The game.
    pub record: GameRecord,
    /// Why it says nothing of its players, if it does not.
    pub void: Option<Void>,
}

/// Why a game that was lost says nothing of its players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Void {
    /// For so long this program stood still at a stretch while it waited for the loser: the game was lost by that wait
    /// and might not have been without the pause.
    HeldUp(Duration),
    /// Something else has asked the loser's process to end.
    Ended {
        /// The loser.
        player: String,
        /// How the process ended.
        status: ExitStatus,
    },
}

impl fmt::Display for Void {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeldUp(pause) => write!(f, "everything stood still for {:.1} s", pause.as_secs_f64()),
            Self::Ended { player, status } => {
                write!(f, "the process of {player} was ended from outside ({status})")
            }
        }
    }
}

/// A shorter pause takes no game back: programs that are too slow on an overloaded machine see such, too.
const HELD_UP: Duration = Duration::from_secs(1);

/// A mate that a trusted player sees ends the game if it is no longer, in moves.
const LONGEST_TRUSTED_MATE: i32 = 100;

/// A seat at the board.
struct Side<'a> {
    /// The player's number in the field.
    number: usize,
    player: &'a Player,
    clock: Clock,
    /// Its moves still come from its own book.
    in_book: bool,
}

/// What is held against the rules of a move that an engine made.
struct Heard {
    ply: usize,
    score: Option<Evaluation>,
    /// The principal variation.
    pv: String,
    /// The last score was a bound, so that the search was not done with its first move and may have made another one;
    /// or it came without a principal variation.
    unsettled: bool,
}

/// A game in progress.
struct Board<'a> {
    conditions: &'a Conditions,
    sides: [Side<'a>; 2],
    game: Game,
    chess960: bool,
    plies: Vec<Ply>,
    moves: Vec<MoveRecord>,
    /// What was said of the moves that engines made.
    said: Vec<Heard>,
    checks: [Checks; 2],
    late_ms: Option<u64>,
    /// How long after the flag a stalled engine was given up.
    late: Duration,
    /// Something else has ended the loser's process.
    ended: Option<Void>,
    /// A table that was asked for the last position cannot be read.
    unread: Option<TableError>,
    answer: Option<String>,
    adjudicator: Adjudicator,
    stderr: Vec<String>,
    begun: Instant,
    last_answer: Option<Instant>,
    /// The time on White's clock and on Black's.
    on_clock: [Duration; 2],
    /// The time that the engine had counted when it last told its time in the last search, and the time that had
    /// passed.
    last_search: Option<(Duration, Duration)>,
    /// When the last search began and ended, or what else was waited for in vain.
    last_span: Option<(Instant, Instant)>,
    /// The start position, if it is not the usual one.
    fen: Option<String>,
    /// Unix time of its beginning in milliseconds.
    started_ms: u64,
}

/// Plays one game. `clients` are White's and Black's engines, running and idle; one that failed is taken out.
/// `heartbeat` is asked about the machine where a player loses on time.
///
/// # Errors
/// The clients' abort channel was closed, or a table cannot be read.
pub fn play(
    conditions: &Conditions,
    pairing: &Pairing,
    opening: &Opening,
    clients: &mut [Option<Client>; 2],
    heartbeat: &Heartbeat,
) -> Result<Played, Unplayed> {
    let mut board = Board::new(conditions, pairing, opening);
    let protocols = [0, 1].map(|side| clients[side].as_ref().map(Client::protocol));
    let processes = [0, 1].map(|side| clients[side].as_ref().map(Client::process_id));
    let used = || processes.map(|process| process.and_then(sys::process::cpu_time_of));
    let mut before = [None, None];
    let finding = match board.begin(opening, clients) {
        Ok(None) => {
            // What a new game costs before its first move is on no clock.
            before = used();
            board.run(pairing, opening, clients)
        }
        Ok(Some(finding)) => Ok(finding),
        Err(unplayed) => Err(unplayed),
    };
    if let Some(boards) = &conditions.boards {
        boards.end(pairing.id + 1);
    }
    let mut finding = finding?;
    let wall = board.begun.elapsed();
    // A system clock that was set back meanwhile does not end a game before it begins.
    let ended_ms = Some(unix_ms().max(board.started_ms));
    // The time of an engine that ponders is not all on its own clock.
    let ponders = board.sides.iter().any(|side| side.player.engine.ponder);
    let cpu_ms = difference(before, used()).filter(|_| !ponders);
    let void = board.held_up(finding.ending, heartbeat).map(Void::HeldUp).or(board.ended.take());
    if finding.ending == Ending::TimeForfeit {
        finding.reason += &board.diagnosis(cpu_ms, heartbeat);
    }
    for client in clients.iter_mut() {
        if let Some(running) = client
            && running.game_over(finding.score.text(), &finding.reason).is_err()
        {
            *client = None;
        }
    }
    board.check_searches(&protocols);
    let record = GameRecord {
        id: pairing.id,
        round: pairing.round,
        encounter: pairing.encounter,
        opening: pairing.opening,
        white: pairing.white,
        black: pairing.black,
        fen: board.fen,
        chess960: board.chess960,
        moves: board.moves,
        result: finding.score,
        ending: finding.ending,
        reason: finding.reason,
        late_ms: board.late_ms,
        answer: board.answer,
        checks: board.checks,
        stderr: board.stderr,
        cpu_ms,
        started_ms: board.started_ms,
        ended_ms,
        wall_ms: wall.as_millis() as u64,
        slot_ms: 0,
        engines: 0,
    };
    Ok(Played { record, void })
}

/// The system's clock: Unix time in milliseconds.
fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// Milliseconds between two readings of both processes; none if a process is gone.
fn difference(before: [Option<Duration>; 2], after: [Option<Duration>; 2]) -> Option<[u64; 2]> {
    let of = |side: usize| Some(after[side]?.saturating_sub(before[side]?).as_millis() as u64);
    Some([of(0)?, of(1)?])
}

impl<'a> Board<'a> {
    fn new(conditions: &'a Conditions, pairing: &Pairing, opening: &Opening) -> Self {
        let side = |index: usize| {
            let player = &conditions.players[index];
            Side { number: index, player, clock: Clock::new(&player.limits, player.margin), in_book: true }
        };
        Self {
            conditions,
            sides: [side(pairing.white), side(pairing.black)],
            game: Game::new(opening.start.clone()),
            chess960: conditions.chess960 || opening.start.is_chess960(),
            plies: Vec::with_capacity(opening.moves.len() + 200),
            moves: Vec::with_capacity(opening.moves.len() + 200),
            said: Vec::with_capacity(200),
            checks: [Checks::default(); 2],
            late_ms: None,
            late: Duration::ZERO,
            ended: None,
            unread: None,
            answer: None,
            adjudicator: Adjudicator::new(conditions.rules, opening.moves.len()),
            stderr: Vec::new(),
            begun: Instant::now(),
            last_answer: None,
            on_clock: [Duration::ZERO; 2],
            last_search: None,
            last_span: None,
            fen: opening.fen.clone(),
            started_ms: unix_ms(),
        }
    }

    /// Has both engines get ready for the game. Some finding ends it.
    fn begin(
        &mut self,
        opening: &Opening,
        clients: &mut [Option<Client>; 2],
    ) -> Result<Option<Finding>, Unplayed> {
        for (index, client) in clients.iter_mut().enumerate() {
            let opponent = self.sides[1 - index].player.name.as_str();
            let setup = GameSetup {
                start: &opening.start,
                fen: opening.fen.as_deref(),
                chess960: self.chess960,
                limits: self.sides[index].player.limits,
                opponent,
            };
            let Some(running) = client else { return Err(Unplayed::Aborted) };
            if let Err(failure) = running.new_game(&setup) {
                let colour = if index == 0 { Color::White } else { Color::Black };
                *client = None;
                return self.failed(colour, failure, true).map(Some);
            }
        }
        Ok(None)
    }

    fn run(
        &mut self,
        pairing: &Pairing,
        opening: &Opening,
        clients: &mut [Option<Client>; 2],
    ) -> Result<Finding, Unplayed> {
        for &mv in &opening.moves {
            self.push_opening(mv);
        }
        self.show(pairing, None);
        let mut shown = self.plies.len();
        self.begun = Instant::now();
        if let Some(finding) = self.adjudicator.too_long_at_start(self.plies.len()) {
            return Ok(finding);
        }
        loop {
            let colour = self.game.position().side_to_move();
            let index = colour.index();
            if let Some(mv) = self.book_move(colour, pairing.id) {
                self.push_opening(mv);
                let over = self.game.outcome().map(|outcome| self.over(outcome));
                match over.or_else(|| self.adjudicator.too_long(self.plies.len())) {
                    Some(finding) => return Ok(finding),
                    None => continue,
                }
            }
            if self.plies.len() > shown {
                self.show(pairing, None);
            }
            // Both were found ready above, and a failure ends the game.
            let Some(client) = &mut clients[index] else { return Err(Unplayed::Aborted) };
            let reply = match client.think(&self.plies, &self.clocks(colour), self.patience(colour)) {
                Ok(reply) => reply,
                Err(failure) => {
                    clients[index] = None;
                    return self.failed(colour, failure, false);
                }
            };
            let found = self.answered(colour, &reply);
            if let Some(error) = self.unread.take() {
                return Err(Unplayed::Table(error));
            }
            if let Some(finding) = found {
                return Ok(finding);
            }
            self.show(pairing, Some((colour, &reply)));
            shown = self.plies.len();
            self.start_pondering(client, colour, &reply);
        }
    }

    fn clocks(&self, colour: Color) -> Clocks {
        let (own, other) = (&self.sides[colour.index()].clock, &self.sides[(!colour).index()].clock);
        own.beside(other, colour)
    }

    /// How long a player is waited for.
    fn patience(&self, colour: Color) -> Patience {
        let allowance = self.sides[colour.index()].clock.allowance();
        let silence = if allowance.is_some() { self.conditions.stall } else { self.conditions.silence };
        Patience { flag: allowance, silence }
    }

    /// Shows the position to those who look on, with what the mover said.
    fn show(&self, pairing: &Pairing, said: Option<(Color, &Reply)>) {
        let Some(boards) = &self.conditions.boards else { return };
        let side = |index: usize| &self.sides[index];
        let clock = |index: usize| {
            side(index).player.limits.clock.map(|_| side(index).clock.left().as_millis() as u64)
        };
        let mut thoughts = [None, None];
        if let Some((colour, reply)) = said {
            thoughts[colour.index()] = Some(Thought {
                score: self.score(colour, reply).map(Evaluation::centipawns),
                depth: reply.info.depth,
                line: reply.info.pv.clone(),
            });
        }
        let running = Running {
            game: pairing.id + 1,
            names: [0, 1].map(|index| side(index).player.name.clone()),
            fen: self.game.position().fen().to_string(),
            black: self.game.position().side_to_move() == Color::Black,
            last: self.plies.last().map(|ply| ply.uci.clone()),
            plies: self.plies.len(),
            clocks: [clock(0), clock(1)],
            thoughts,
            since: Instant::now(),
            begin: Begin {
                round: pairing.round,
                players: [pairing.white, pairing.black],
                fen: self.fen.clone(),
                chess960: self.chess960,
                started_ms: self.started_ms,
            },
            moves: Vec::new(),
        };
        boards.show(running, &self.moves);
    }

    fn start_pondering(&self, client: &mut Client, colour: Color, reply: &Reply) {
        let Some(text) = &reply.ponder else { return };
        let Ok(expected) = self.game.position().parse_uci(text) else { return };
        // After a move that ends the game there is nothing to think about.
        let mut next = self.game.clone();
        if next.play(expected).is_ok() && next.outcome().is_none() {
            client.ponder(&self.plies, &self.ply(expected), &self.clocks(colour));
        }
    }

    /// The name and colour of a player, for sentences.
    fn name(&self, colour: Color) -> String {
        let side = if colour == Color::White { "White" } else { "Black" };
        format!("{} ({side})", self.sides[colour.index()].player.name)
    }

    fn lost_by(&self, colour: Color, ending: Ending, reason: String) -> Finding {
        let score = if colour == Color::White { Score::Black } else { Score::White };
        Finding { score, ending, reason }
    }

    fn failed(&mut self, colour: Color, failure: Failure, at_start: bool) -> Result<Finding, Unplayed> {
        if let FailureKind::Stall { after, .. } = failure.kind {
            self.late = self.lateness(colour, after);
            let now = Instant::now();
            self.last_span = now.checked_sub(after).map(|asked| (asked, now));
        }
        if let FailureKind::Crash(status) = failure.kind
            && that_ended(status).is_some()
        {
            let player = self.sides[colour.index()].player.name.clone();
            self.ended = Some(Void::Ended { player, status });
        }
        let ending = match &failure.kind {
            FailureKind::Aborted => return Err(Unplayed::Aborted),
            _ if at_start => Ending::StartFailure,
            FailureKind::Crash(_) => Ending::Crash,
            FailureKind::Disconnect => Ending::Disconnect,
            FailureKind::Stall { after, .. } if self.loses_by_silence(colour) => {
                self.late_ms = Some(self.late.as_millis() as u64);
                self.on_clock[colour.index()] += *after;
                // What the engine said last was about an earlier search.
                self.last_search = None;
                Ending::TimeForfeit
            }
            FailureKind::Stall { .. } => Ending::Stall,
            FailureKind::Start(_) | FailureKind::Option(_) | FailureKind::Unable(_) => Ending::StartFailure,
        };
        let name = self.name(colour);
        let reason = match ending {
            Ending::StartFailure => format!("{name} does not get ready for the game: {failure}"),
            Ending::Crash => format!("{name} crashes: {failure}"),
            Ending::Disconnect => format!("{name} disconnects: {failure}"),
            Ending::TimeForfeit => format!("{name} loses on time: {failure}"),
            _ => format!("{name} stalls: {failure}"),
        };
        self.stderr = failure.stderr;
        Ok(self.lost_by(colour, ending, reason))
    }

    /// By how much an answer after so long comes after the flag; nothing without a clock.
    fn lateness(&self, colour: Color, after: Duration) -> Duration {
        let limit = self.sides[colour.index()].clock.limit();
        limit.map_or(Duration::ZERO, |limit| after.saturating_sub(limit))
    }

    fn loses_by_silence(&self, colour: Color) -> bool {
        self.conditions.customs.silence_is_time && self.sides[colour.index()].clock.allowance().is_some()
    }

    /// For how long the heartbeat paused at a stretch in the last wait, if that may be why the game ended as
    /// it did: this program was stopped (Ctrl-Z), or its virtual machine was.
    fn held_up(&self, ending: Ending, heartbeat: &Heartbeat) -> Option<Duration> {
        let by_waiting = matches!(ending, Ending::TimeForfeit | Ending::Stall | Ending::StartFailure);
        let (from, to) = self.last_span.filter(|_| by_waiting)?;
        let late = Duration::from_millis(self.late_ms.unwrap_or_default()).max(self.late);
        let least = late.max(HELD_UP);
        Some(heartbeat.longest_pause(from, to)).filter(|pause| *pause >= least)
    }

    /// What tells a program that took too long for its move from a machine that did not let it run: how much time had
    /// passed and how much it had counted when it last told that (what it did from then on is not known), its processor
    /// time beside that on its clock, and whether a thread of the runner that only sleeps was woken in time meanwhile.
    fn diagnosis(&self, cpu_ms: Option<[u64; 2]>, heartbeat: &Heartbeat) -> String {
        let side = self.game.position().side_to_move().index();
        let mut text = String::new();
        let last = self.last_search.map(|(own, passed)| (own.as_millis(), passed.as_millis()));
        if let Some((own, passed)) = last.filter(|(own, passed)| passed > own) {
            text += &format!("; when it last told its time it had counted {own} of {passed} ms");
        }
        // Less than a tick says nothing: a program may run on another machine.
        if let Some(used) = cpu_ms.map(|cpu| cpu[side]).filter(|&used| used > 0) {
            let on_clock = self.on_clock[side].as_millis();
            text += &format!("; in the game it had a processor for {used} of {on_clock} ms");
        }
        if let Some((from, to)) = self.last_span {
            text += &of_machine(heartbeat.overdue(from, to), self.late_ms.unwrap_or_default());
        }
        text
    }

    /// Takes in an answer. Some finding ends the game.
    fn answered(&mut self, colour: Color, reply: &Reply) -> Option<Finding> {
        let spent = self.sides[colour.index()].clock.spend(reply.elapsed);
        self.turn_hourglass(colour, reply.elapsed);
        self.on_clock[colour.index()] += reply.elapsed;
        self.last_search = self.told(colour, reply, &reply.info);
        self.last_span = Some((reply.asked_at, reply.answered_at));
        self.checks[colour.index()].unasked += reply.unasked;
        let between = self.last_answer.map(|answer| reply.asked_at.saturating_duration_since(answer));
        let overhead = between.map(|time| time.saturating_sub(reply.settling));
        self.last_answer = Some(reply.answered_at);
        if let Err(late) = spent {
            let ms = late.by.as_millis() as u64;
            self.late_ms = Some(ms);
            return Some(self.flagged(colour, ms));
        }
        let text = match &reply.answer {
            Answer::Move(text) => text,
            Answer::Resign => {
                let reason = format!("{} resigns", self.name(colour));
                return Some(self.lost_by(colour, Ending::Resignation, reason));
            }
            Answer::Claim(line) => {
                self.answer = Some(beginning(line).to_owned());
                return Some(self.claimed(colour, line));
            }
            Answer::Refused(line) => {
                self.answer = Some(beginning(line).to_owned());
                let reason = format!("{} refuses a legal move: {}", self.name(colour), clip(line));
                return Some(self.lost_by(colour, Ending::RefusedMove, reason));
            }
        };
        let position = self.game.position();
        let Some(mv) = read_move(position, text) else {
            let legal = if position.has_legal_move() { "" } else { " (there is none)" };
            let (name, fen) = (self.name(colour), position.fen());
            let reason = format!("{name} plays an illegal move: {}{legal} in {fen}", clip(text));
            self.answer = Some(beginning(text).to_owned());
            return Some(self.lost_by(colour, Ending::IllegalMove, reason));
        };
        let score = self.score(colour, reply);
        // fastchess looks at nothing where the move is all that was written.
        if reply.spoke || self.conditions.rules.manner != Manner::Fastchess {
            self.said.push(self.heard(reply, score));
        }
        let trusted = self.trusted_mate(colour, score);
        let score = score.map(Evaluation::centipawns);
        let ply = self.ply(mv);
        let record = self.record(colour, &ply, reply, score, overhead);
        self.push(mv, ply, record);
        if let Some(outcome) = self.game.outcome() {
            return Some(self.over(outcome));
        }
        let known = self.known_to_tables().unwrap_or_else(|error| {
            self.unread = Some(error);
            None
        });
        if let Some(score) = known {
            let reason =
                format!("{} by the tablebase", ["White wins", "Black wins", "drawn"][index_of(score)]);
            return Some(Finding { score, ending: Ending::Tablebase, reason });
        }
        self.adjudicator.moved(self.game.position(), self.plies.len(), score).or(trusted)
    }

    /// What the tables know of the position. fastchess asks them only right after a capture or pawn move.
    fn known_to_tables(&self) -> Result<Option<Score>, TableError> {
        let position = self.game.position();
        if self.conditions.rules.manner == Manner::Fastchess && position.halfmove_clock() != 0 {
            return Ok(None);
        }
        self.conditions.tables.as_ref().map_or(Ok(None), |tables| tables.probe(position))
    }

    /// A player answers so late. To cutechess-cli that is a draw where its opponent has nothing but a king to win with.
    fn flagged(&self, colour: Color, ms: u64) -> Finding {
        let name = self.name(colour);
        let bare = !self.game.position().color_bb(!colour).many();
        if bare && self.conditions.rules.manner == Manner::Cutechess {
            let reason = format!("drawn on time: {name} is {ms} ms late, and its opponent has a king alone");
            return Finding { score: Score::Draw, ending: Ending::TimeForfeit, reason };
        }
        self.lost_by(colour, Ending::TimeForfeit, format!("{name} loses on time, {ms} ms late"))
    }

    /// The time that an engine had counted when it last told its time, and the time that had passed. Of a player that
    /// ponders nothing is known: it has counted from before it was asked.
    fn told(&self, colour: Color, reply: &Reply, info: &Info) -> Option<(Duration, Duration)> {
        let ponders = self.sides[colour.index()].player.engine.ponder;
        let (own, at) = info.time.zip(info.timed_at).filter(|_| !ponders)?;
        Some((own, at.saturating_duration_since(reply.asked_at)))
    }

    /// What is kept of a move that an engine made.
    fn record(
        &self,
        colour: Color,
        ply: &Ply,
        reply: &Reply,
        score: Option<i32>,
        overhead: Option<Duration>,
    ) -> MoveRecord {
        let (side, info) = (&self.sides[colour.index()], self.info(reply));
        let said = self.conditions.customs.keep_search.then(|| {
            let pv = if self.conditions.customs.keep_pv { info.pv.clone() } else { String::new() };
            let (seldepth, nps, hashfull) = (info.seldepth, info.nps, info.hashfull);
            Box::new(Said { seldepth, nps, hashfull, tb_hits: info.tb_hits, pv, line: None })
        });
        let told = self.told(colour, reply, info);
        let told = told.map(|(own, passed)| [own, passed].map(|time| time.as_millis() as u64));
        let told = told.filter(|[own, _]| *own < LONGEST_MS);
        // Controls of years after one another can add up to more than a journal takes.
        let left = || (side.clock.left().as_millis() as u64).min(LONGEST_MS);
        MoveRecord {
            ms: Some(reply.elapsed.as_millis() as u64),
            us: Some(reply.elapsed.subsec_micros() % 1000),
            clock_ms: side.player.limits.clock.map(|_| left()),
            score,
            depth: info.depth,
            nodes: info.nodes,
            reported_ms: told.map(|[own, _]| own),
            told_ms: told.map(|[_, passed]| passed),
            said,
            overhead_us: overhead.map(|time| time.as_micros() as u64),
            ..MoveRecord::of_opening(ply.san.clone(), ply.uci.clone())
        }
    }

    /// What counts of what was said of a search.
    fn info<'r>(&self, reply: &'r Reply) -> &'r Info {
        let exact = reply.info.exact.as_deref().filter(|_| self.conditions.customs.exact_lines);
        exact.unwrap_or(&reply.info)
    }

    /// What is held against the rules of this move. A line with a bound that came after the score does not lead to the
    /// mate that the score speaks of.
    fn heard(&self, reply: &Reply, score: Option<Evaluation>) -> Heard {
        let info = self.info(reply);
        let held = |score: Evaluation| match info.bound {
            None => score,
            Some(_) => Evaluation::Centipawns(score.centipawns()),
        };
        Heard {
            ply: self.plies.len(),
            score: score.map(held),
            pv: info.pv.clone(),
            // Of the whole search, whichever line counts.
            unsettled: reply.info.bound.is_some() || reply.info.without_pv,
        }
    }

    /// The engine's score of its move, from its own side.
    fn score(&self, colour: Color, reply: &Reply) -> Option<Evaluation> {
        let turned = colour == Color::Black && self.sides[colour.index()].player.white_pov;
        let bound = reply.info.bound.filter(|_| self.conditions.customs.bounds_count);
        bound.or(reply.info.score).map(|score| match score {
            Evaluation::Centipawns(cp) if turned => Evaluation::of_centipawns(-i64::from(cp)),
            Evaluation::Mate(moves) if turned => Evaluation::of_mate(-i64::from(moves)),
            score => score,
        })
    }

    /// A player that is trusted has won or lost when it sees a mate; to cutechess-cli only when it gives it.
    fn trusted_mate(&self, colour: Color, score: Option<Evaluation>) -> Option<Finding> {
        let Some(Evaluation::Mate(moves)) = score else { return None };
        if !self.sides[colour.index()].player.trust || moves.abs() > LONGEST_TRUSTED_MATE {
            return None;
        }
        if moves <= 0 && self.conditions.rules.manner == Manner::Cutechess {
            return None;
        }
        let loser = if moves > 0 { !colour } else { colour };
        let reason = format!("{} loses by adjudication: trusted mate score", self.name(loser));
        Some(self.lost_by(loser, Ending::AdjudicatedWin, reason))
    }

    /// The sand that runs out of one glass runs into the other.
    fn turn_hourglass(&mut self, colour: Color, elapsed: Duration) {
        let glass = |side: &Side| side.player.limits.clock.is_some_and(|clock| clock.hourglass);
        if self.sides.iter().all(glass) {
            self.sides[(!colour).index()].clock.credit(elapsed);
        }
    }

    /// The move of the player's own book. Once it has left its book it stays out of it.
    fn book_move(&mut self, colour: Color, id: usize) -> Option<Move> {
        let (customs, plies) = (&self.conditions.customs, self.plies.len());
        let side = &mut self.sides[colour.index()];
        let book = customs.books.get(side.number).and_then(Option::as_ref).filter(|_| side.in_book);
        let depth = side.player.book_depth.map_or(usize::MAX, |moves| moves as usize);
        let place = ((id as u64) << 16) ^ plies as u64;
        let mut rng = ChaCha8Rng::seed_from_u64(customs.seed ^ place.rotate_left(24));
        let mv =
            book.filter(|_| plies / 2 < depth).and_then(|book| book.draw(self.game.position(), &mut rng));
        side.in_book = mv.is_some();
        mv
    }

    /// Looks at what was said of all moves. An xboard engine may write anything for a principal variation.
    fn check_searches(&mut self, protocols: &[Option<Protocol>; 2]) {
        let mut game = Game::new(self.game.start().clone());
        for heard in &self.said {
            while game.moves().len() < heard.ply {
                let next = self.game.moves()[game.moves().len()];
                // What was played once can be played again.
                let _ = game.play(next);
            }
            let side = game.position().side_to_move().index();
            let made = self.plies.get(heard.ply).filter(|_| !heard.unsettled);
            let best = made.map_or("", |ply| ply.uci.as_str());
            let pv = if protocols[side] == Some(Protocol::Uci) { heard.pv.as_str() } else { "" };
            self.checks[side].look(&mut game, best, heard.score, pv);
        }
    }

    fn over(&self, outcome: Outcome) -> Finding {
        let draw = |ending, reason: &str| Finding { score: Score::Draw, ending, reason: reason.to_owned() };
        match outcome {
            Outcome::Checkmate { winner } => Finding {
                score: if winner == Color::White { Score::White } else { Score::Black },
                ending: Ending::Checkmate,
                reason: format!("{} mates", self.name(winner)),
            },
            Outcome::Stalemate => draw(Ending::Stalemate, "drawn by stalemate"),
            Outcome::Repetition => draw(Ending::Repetition, "drawn by threefold repetition"),
            Outcome::FiftyMoves => draw(Ending::FiftyMoves, "drawn by the fifty-move rule"),
            Outcome::InsufficientMaterial => {
                draw(Ending::InsufficientMaterial, "drawn by insufficient mating material")
            }
        }
    }

    /// An xboard engine that is to move says the game is over. A result against itself is a resignation; a
    /// draw is granted if one of its moves brings it about (it may claim before it moves); everything else is
    /// false, for the board says so.
    fn claimed(&self, colour: Color, line: &str) -> Finding {
        let own_loss = if colour == Color::White { "0-1" } else { "1-0" };
        let name = self.name(colour);
        let own_win = if colour == Color::White { "1-0" } else { "0-1" };
        if self.sides[colour.index()].player.trust {
            let reason = format!("{name} claims {}, and is trusted", clip(line));
            if line.starts_with(own_win) {
                return Finding { reason, ..self.lost_by(!colour, Ending::Resignation, String::new()) };
            }
            if line.starts_with("1/2") {
                return Finding { score: Score::Draw, ending: Ending::DrawClaim, reason };
            }
        }
        if line.starts_with(own_loss) {
            return self.lost_by(colour, Ending::Resignation, format!("{name} resigns: {}", clip(line)));
        }
        let position = self.game.position();
        let can_draw = line.starts_with("1/2")
            && position.legal_moves().iter().any(|&mv| {
                let mut next = self.game.clone();
                next.play(mv).is_ok()
                    && matches!(next.outcome(), Some(o) if !matches!(o, Outcome::Checkmate { .. }))
            });
        if can_draw {
            let reason = format!("{name} claims a draw: {}", clip(line));
            return Finding { score: Score::Draw, ending: Ending::DrawClaim, reason };
        }
        let reason = format!("{name} makes a false claim: {}", clip(line));
        self.lost_by(colour, Ending::FalseClaim, reason)
    }

    fn ply(&self, mv: Move) -> Ply {
        ply(self.game.position(), mv, self.chess960)
    }

    /// Plays a legal move that no engine has made.
    fn push_opening(&mut self, mv: Move) {
        if !self.conditions.customs.own_moves_only {
            self.sides[self.game.position().side_to_move().index()].clock.count_move();
        }
        let ply = self.ply(mv);
        let record = MoveRecord::of_opening(ply.san.clone(), ply.uci.clone());
        self.push(mv, ply, record);
    }

    /// Plays a legal move and keeps it.
    fn push(&mut self, mv: Move, ply: Ply, record: MoveRecord) {
        if self.game.play(mv).is_ok() {
            self.plies.push(ply);
            self.moves.push(record);
        }
    }
}

/// What the machine's heartbeat says about a search that came so many milliseconds too late.
fn of_machine(overdue: Duration, late_ms: u64) -> String {
    let ms = overdue.as_millis();
    if ms == 0 {
        // A thread that sleeps is soon woken even where others compete for processors: that proves nothing.
        String::new()
    } else if ms >= u128::from(late_ms) {
        format!("; the machine's heartbeat was late for {ms} ms meanwhile, which may be the cause")
    } else {
        format!(
            "; the machine's heartbeat was late for {ms} ms meanwhile, which is not enough to be the cause"
        )
    }
}

/// A legal move in the spellings of the protocols.
pub(crate) fn ply(position: &Position, mv: Move, chess960: bool) -> Ply {
    let notation = if chess960 { CastlingNotation::KingTakesRook } else { CastlingNotation::KingStep };
    let castling = mv.is_castling().then(|| if mv.to().file() > mv.from().file() { "O-O" } else { "O-O-O" });
    Ply { uci: position.uci_with(mv, notation), san: position.san(mv), castling }
}

fn index_of(score: Score) -> usize {
    match score {
        Score::White => 0,
        Score::Black => 1,
        Score::Draw => 2,
    }
}

/// Coordinates in any case of letters, or SAN.
pub(crate) fn read_move(position: &Position, text: &str) -> Option<Move> {
    position
        .parse_uci(text)
        .or_else(|_| position.parse_uci(&text.to_ascii_lowercase()))
        .or_else(|_| position.parse_san(text))
        .ok()
}

/// The beginning of a text, for a sentence.
pub(crate) fn clip(text: &str) -> String {
    format!("`{}`", chess::text::clip(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::Book;
    use crate::spec::{Settings, players};

    /// A game from the start position between A and B, who have these settings; no engine runs.
    fn with_board(settings: [&str; 2], customs: Customs, look: impl FnOnce(Board<'_>, &Pairing)) {
        under(&Conditions { customs, ..conditions(settings) }, look);
    }

    /// The same under any conditions.
    fn under(conditions: &Conditions, look: impl FnOnce(Board<'_>, &Pairing)) {
        let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
        look(Board::new(conditions, &pairing, &Book::startpos().opening(0).unwrap()), &pairing);
    }

    fn conditions(settings: [&str; 2]) -> Conditions {
        let line = |name: &str, settings: &str| {
            Settings::from_words("engine", &[format!("cmd=/bin/sh name={name} {settings}")]).unwrap()
        };
        let players = players(&[line("A", settings[0]), line("B", settings[1])], &[]).unwrap();
        Conditions { boards: Some(Arc::default()), ..Conditions::new(players) }
    }

    /// The answer of an engine that took `ms` milliseconds.
    fn reply(mv: &str, ms: u64) -> Reply {
        reply_after(mv, Duration::from_millis(ms))
    }

    fn reply_after(mv: &str, elapsed: Duration) -> Reply {
        let now = Instant::now();
        Reply {
            answer: Answer::Move(mv.to_owned()),
            ponder: None,
            elapsed,
            asked_at: now,
            answered_at: now + elapsed,
            settling: Duration::ZERO,
            info: Info::default(),
            unasked: 0,
            spoke: true,
        }
    }

    /// A game ends with the tables' verdict by the move that enters them, and not before.
    #[test]
    fn tables_end_a_game() {
        let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/syzygy");
        let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
        for (fen, moves, score, reason) in [
            (
                "k7/3r4/8/4Q3/8/8/8/4K3 b - - 0 1",
                ["d7e7", "e5e7"],
                Score::White,
                "White wins by the tablebase",
            ),
            (
                "4k3/8/8/4q3/8/8/3R4/7K w - - 0 1",
                ["d2e2", "e5e2"],
                Score::Black,
                "Black wins by the tablebase",
            ),
            ("k7/8/8/PK1n4/8/8/8/8 b - - 0 1", ["d5b6", "b5b6"], Score::Draw, "drawn by the tablebase"),
        ] {
            let tables = Some(Tables::open(tables, None).unwrap());
            let conditions = Conditions { tables, ..conditions(["tc=60", "tc=60"]) };
            let start = Position::from_fen(fen).unwrap();
            let mut side = start.side_to_move();
            let opening = Opening { start, fen: Some(fen.to_owned()), moves: Vec::new() };
            let mut board = Board::new(&conditions, &pairing, &opening);
            assert_eq!(board.answered(side, &reply(moves[0], 0)), None, "{fen}");
            side = !side;
            let finding = board.answered(side, &reply(moves[1], 0)).expect(fen);
            assert_eq!((finding.score, finding.ending), (score, Ending::Tablebase), "{fen}");
            assert_eq!(finding.reason, reason);
        }
    }

    /// Where tables decide first and one cannot be read, the game has no result, whatever else would end it.
    #[test]
    fn a_table_that_cannot_be_read_gives_no_result() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/syzygy");
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("KQvK.rtbw");
        std::fs::copy(format!("{source}/KQvK.rtbw"), &table).unwrap();
        let tables = Some(Tables::open(folder.path().to_str().unwrap(), None).unwrap());
        std::fs::remove_file(table).unwrap();
        let conditions = Conditions { tables, ..conditions(["tc=60", "tc=60"]) };
        let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
        let fen = "k7/4r3/8/4Q3/8/8/8/4K3 w - - 0 1";
        let start = Position::from_fen(fen).unwrap();
        let opening = Opening { start, fen: Some(fen.to_owned()), moves: Vec::new() };
        let mut board = Board::new(&conditions, &pairing, &opening);
        assert_eq!(board.answered(Color::White, &reply("e5e7", 0)), None);
        assert_eq!(board.unread.map(|error| error.table).as_deref(), Some("KQvK.rtbw"));
    }

    /// fastchess plays a game that starts inside the tables on to its next capture or pawn move.
    #[test]
    fn a_game_that_starts_inside_the_tables_ends_at_once_but_to_fastchess() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/syzygy");
        let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
        let fen = "8/8/8/8/3k4/8/8/KR6 w - - 0 1";
        for manner in [Manner::House, Manner::Cutechess, Manner::Fastchess] {
            let tables = Some(Tables::open(folder, None).unwrap());
            let rules = Rules { manner, ..Rules::default() };
            let conditions = Conditions { tables, rules, ..conditions(["tc=60", "tc=60"]) };
            let start = Position::from_fen(fen).unwrap();
            let opening = Opening { start, fen: Some(fen.to_owned()), moves: Vec::new() };
            let mut board = Board::new(&conditions, &pairing, &opening);
            let found = board.answered(Color::White, &reply("b1b2", 0));
            let wanted = (manner != Manner::Fastchess).then_some((Score::White, Ending::Tablebase));
            assert_eq!(found.map(|finding| (finding.score, finding.ending)), wanted, "{manner:?}");
        }
    }

    /// The time for a move is over by less than a millisecond, then by one, which is the least that a game is
    /// lost by.
    #[test]
    fn no_game_is_lost_by_nothing() {
        with_board(["st=0.05", "st=0.05"], Customs::default(), |mut board, _| {
            let reply = |mv, us| reply_after(mv, Duration::from_micros(us));
            assert_eq!(board.answered(Color::White, &reply("e2e4", 50_999)), None);
            let finding = board.answered(Color::Black, &reply("e7e5", 51_000)).unwrap();
            assert_eq!((finding.ending, board.late_ms), (Ending::TimeForfeit, Some(1)));
        });
    }

    /// cutechess-cli's rule: a player that has nothing but its king wins no game by the other's flag.
    #[test]
    fn a_bare_king_wins_on_time_with_some_runners_only() {
        let pairing = Pairing { id: 0, round: 1, encounter: 0, opening: 0, white: 0, black: 1 };
        let (alone, with_a_knight) = ("4k3/8/8/8/8/8/8/Q3K3", "4k1n1/8/8/8/8/8/8/Q3K3");
        for (manner, men, late, score) in [
            (Manner::Cutechess, alone, Color::White, Score::Draw),
            (Manner::Cutechess, alone, Color::Black, Score::White),
            (Manner::Cutechess, with_a_knight, Color::White, Score::Black),
            (Manner::Fastchess, alone, Color::White, Score::Black),
            (Manner::House, alone, Color::White, Score::Black),
        ] {
            let rules = Rules { manner, ..Rules::default() };
            let conditions = Conditions { rules, ..conditions(["st=0.05", "st=0.05"]) };
            let fen = format!("{men} {} - - 0 1", if late == Color::White { 'w' } else { 'b' });
            let start = Position::from_fen(&fen).unwrap();
            let opening = Opening { start, fen: Some(fen), moves: Vec::new() };
            let mut board = Board::new(&conditions, &pairing, &opening);
            let finding = board.answered(late, &reply("e1e2", 80)).unwrap();
            assert_eq!((finding.score, finding.ending), (score, Ending::TimeForfeit), "{manner:?}: {men}");
            assert!(finding.reason.contains("30 ms late"), "{}", finding.reason);
        }
    }

    /// fastchess warns of a search without a score only where the engine wrote more than its move.
    #[test]
    fn a_move_alone_is_a_search_without_a_score_but_to_fastchess() {
        for (manner, spoke, no_score) in [
            (Manner::Fastchess, false, 0),
            (Manner::Fastchess, true, 1),
            (Manner::Cutechess, false, 1),
            (Manner::House, false, 1),
        ] {
            let rules = Rules { manner, ..Rules::default() };
            let conditions = Conditions { rules, ..conditions(["depth=1", "depth=1"]) };
            under(&conditions, |mut board, _| {
                let reply = Reply { spoke, ..reply("e2e4", 0) };
                assert_eq!(board.answered(Color::White, &reply), None);
                board.check_searches(&[Some(Protocol::Uci); 2]);
                assert_eq!(board.checks[0], Checks { no_score, ..Checks::default() }, "{manner:?}, {spoke}");
            });
        }
    }

    /// The sand that one player uses is the other's, where both play by an hourglass; elsewhere it is gone.
    #[test]
    fn an_hourglass_turns() {
        for (settings, left) in [
            (["tc=hg60", "tc=hg60"], [58_500, 61_500]),
            (["tc=hg60", "tc=60"], [57_000, 58_500]),
            (["tc=60", "tc=60"], [57_000, 58_500]),
        ] {
            with_board(settings, Customs::default(), |mut board, _| {
                assert_eq!(board.answered(Color::White, &reply("e2e4", 3000)), None);
                assert_eq!(board.answered(Color::Black, &reply("e7e5", 1500)), None);
                let clocks = [0, 1].map(|side| board.sides[side].clock.left().as_millis());
                assert_eq!(clocks, left, "{settings:?}");
            });
        }
    }

    /// Its own time and the opponent's, its own moves to go; a clock begins with the increment of the first move.
    #[test]
    fn a_player_is_told_its_own_clock_and_its_opponents() {
        with_board(["tc=40/60+1", "tc=90+2"], Customs::default(), |board, _| {
            for (colour, seconds, to_go) in
                [(Color::White, [61, 92, 1, 2], Some(40)), (Color::Black, [92, 61, 2, 1], None)]
            {
                let Clocks { side, own, other, own_increment, other_increment, moves_to_go } =
                    board.clocks(colour);
                let told = [own, other.unwrap(), own_increment, other_increment].map(|time| time.as_secs());
                assert_eq!((side, told, moves_to_go), (colour, seconds, to_go));
            }
        });
        // A time for every move is no clock.
        for (settings, seconds) in
            [(["tc=60", "st=9"], [None, Some(60)]), (["depth=1", "tc=60"], [Some(60), None])]
        {
            with_board(settings, Customs::default(), |board, _| {
                let others = [Color::White, Color::Black].map(|colour| board.clocks(colour).other);
                assert_eq!(others, seconds.map(|time| time.map(Duration::from_secs)), "{settings:?}");
            });
        }
    }

    /// A player with a time for its move is waited for to its flag, margin and grain included, and for the stall behind
    /// it; one without for as long as it may be silent.
    #[test]
    fn a_player_is_waited_for_by_what_bounds_its_moves() {
        let (stall, silence) = (Duration::from_secs(5), Duration::from_secs(60));
        for (settings, flag_ms) in [
            ("tc=60 timemargin=20", Some(60_021)),
            ("st=2", Some(2001)),
            ("depth=1", None),
            ("nodes=1", None),
        ] {
            let conditions = Conditions { stall, silence, ..conditions(["tc=1", settings]) };
            under(&conditions, |board, _| {
                let waits = board.patience(Color::Black);
                let expected = (flag_ms.map(Duration::from_millis), flag_ms.map_or(silence, |_| stall));
                assert_eq!((waits.flag, waits.silence), expected, "{settings}");
            });
        }
    }

    /// Three milliseconds lie between the first answer and the second question, in one of which the other engine left
    /// its search.
    #[test]
    fn the_runners_own_time_lies_between_an_answer_and_the_next_question() {
        with_board(["tc=60", "tc=60"], Customs::default(), |mut board, _| {
            let ms = Duration::from_millis;
            let first = reply("e2e4", 700);
            let asked_at = first.answered_at + ms(3);
            let second =
                Reply { asked_at, answered_at: asked_at + ms(40), settling: ms(1), ..reply("e7e5", 40) };
            assert_eq!(board.answered(Color::White, &first), None);
            assert_eq!(board.answered(Color::Black, &second), None);
            let overheads: Vec<Option<u64>> = board.moves.iter().map(|mv| mv.overhead_us).collect();
            assert_eq!(overheads, [None, Some(2000)]);
        });
    }

    /// Each move brings ten years more, and the machine slept for weeks before the second one.
    #[test]
    fn a_journal_takes_a_game_of_any_clock() {
        use crate::journal::Entry;
        with_board(["tc=1/300000000"; 2], Customs::default(), |mut board, _| {
            let slept = Duration::from_micros(1 << 41);
            let mut answered_at = Instant::now();
            let (line, mut colour) = (["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"], Color::White);
            for (ply, mv) in line.into_iter().enumerate() {
                let asked_at = answered_at + if ply == 1 { slept } else { Duration::ZERO };
                let reply = Reply { asked_at, answered_at: asked_at, ..reply(mv, 0) };
                assert_eq!(board.answered(colour, &reply), None);
                (answered_at, colour) = (asked_at, !colour);
            }
            assert_eq!(board.sides[0].clock.left().as_secs(), 4 * 300_000_000);
            assert_eq!(board.moves[1].overhead_us, Some(1 << 41));
            let record = GameRecord { moves: board.moves, ..crate::journal::tests::game(0) };
            assert_eq!(record.fault(&serde_json::json!({"players": [{}, {}]})), None);
        });
    }

    /// White is not trusted, Black is: with mates of a hundred moves at most, and by cutechess-cli's rule only with
    /// those that it gives, from whichever side it tells of them.
    #[test]
    fn a_trusted_mate_is_won_by_who_gives_it() {
        for (manner, white_pov, moves, winner) in [
            (Manner::House, "off", 3, Some(Score::Black)),
            (Manner::House, "off", -3, Some(Score::White)),
            (Manner::House, "off", 100, Some(Score::Black)),
            (Manner::House, "off", 101, None),
            (Manner::House, "on", 3, Some(Score::White)),
            (Manner::House, "on", -3, Some(Score::Black)),
            (Manner::Cutechess, "off", 3, Some(Score::Black)),
            (Manner::Cutechess, "off", -3, None),
            (Manner::Cutechess, "on", 3, None),
            (Manner::Cutechess, "on", -3, Some(Score::Black)),
        ] {
            let rules = Rules { manner, ..Rules::default() };
            let black = format!("depth=1 trust=on whitepov={white_pov}");
            let conditions = Conditions { rules, ..conditions(["depth=1", black.as_str()]) };
            under(&conditions, |mut board, _| {
                let sees = |mv| {
                    let info = Info { score: Some(Evaluation::Mate(moves)), ..Info::default() };
                    Reply { info, ..reply(mv, 0) }
                };
                assert_eq!(board.answered(Color::White, &sees("e2e4")), None);
                let found = board.answered(Color::Black, &sees("e7e5"));
                let found = found.map(|finding| (finding.score, finding.ending));
                let expected = winner.map(|winner| (winner, Ending::AdjudicatedWin));
                assert_eq!(found, expected, "{manner:?}, {white_pov}: mate in {moves}");
            });
        }
    }

    /// The moves of a line, each with the position before it.
    fn moves_of(line: &str) -> Vec<(Position, Move)> {
        let mut position = Position::startpos();
        let made = |text: &str| {
            let mv = position.parse_uci(text).unwrap();
            let after = position.after(mv);
            (std::mem::replace(&mut position, after), mv)
        };
        line.split(' ').map(made).collect()
    }

    /// Both have a book of one line, or of all of it but a move; where the book makes no move of the line, the player
    /// does.
    #[test]
    fn a_player_leaves_its_book_once_and_at_its_depth() {
        let line = moves_of("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
        for (depth, missing, by_book) in [
            ("", None, [true; 6]),
            ("bookdepth=1", None, [true, true, false, false, false, false]),
            ("bookdepth=2", None, [true, true, true, true, false, false]),
            // White's second move; its third is there again.
            ("", Some(2), [true, true, false, true, false, true]),
        ] {
            let known = line.iter().enumerate().filter(|(ply, _)| Some(*ply) != missing);
            let book = Polyglot::of_moves(known.map(|(_, played)| played.clone()), 1);
            let customs = Customs { books: vec![Some(book.clone()), Some(book)], ..Customs::default() };
            let settings = format!("depth=1 {depth}");
            with_board([settings.as_str(); 2], customs, |mut board, pairing| {
                let mut made = Vec::new();
                for (position, mv) in &line {
                    let drawn = board.book_move(position.side_to_move(), pairing.id);
                    assert!(drawn.is_none_or(|drawn| drawn == *mv), "{drawn:?}");
                    made.push(drawn.is_some());
                    board.push_opening(*mv);
                }
                assert_eq!(made, by_book, "{depth}, without {missing:?}");
            });
        }
    }

    /// What is told of a player that never answers is about the search that it does not answer, and not about
    /// the one before; the time that it had is that for the move.
    #[test]
    fn a_search_without_an_answer_is_booked() {
        let customs = Customs { silence_is_time: true, ..Customs::default() };
        with_board(["st=2 timemargin=100", "tc=60"], customs, |mut board, _| {
            let before = Duration::from_millis(700);
            (board.last_search, board.on_clock[0]) = (Some((Duration::ZERO, before)), before);
            let after = Duration::from_millis(2500);
            let waiting_for = client::Question::Command("a move".to_owned());
            let failure = Failure::new(FailureKind::Stall { waiting_for, after });
            let finding = board.failed(Color::White, failure, false).unwrap();
            assert_eq!((finding.ending, board.late_ms), (Ending::TimeForfeit, Some(500)));
            assert_eq!(finding.score, Score::Black);
            let told = board.diagnosis(Some([300, 0]), &Heartbeat::start());
            assert!(told.starts_with("; in the game it had a processor for 300 of 3200 ms"), "{told}");
        });
    }

    /// What an engine had counted is held against the time that had passed when it said so. What it did from then on it
    /// may have done at its leisure, and one that ponders has counted from before it was asked.
    #[test]
    fn an_engine_that_was_slow_itself_is_not_excused() {
        let ms = Duration::from_millis;
        for (ponder, passed, excuse) in [("off", 1, false), ("off", 301, true), ("on", 301, false)] {
            let settings = format!("st=1 timemargin=100 ponder={ponder}");
            with_board([settings.as_str(), "tc=60"], Customs::default(), |mut board, _| {
                let counts = |mv, elapsed| {
                    let reply = reply(mv, elapsed);
                    let (time, timed_at) = (Some(ms(1)), Some(reply.asked_at + ms(passed)));
                    Reply { info: Info { time, timed_at, ..Info::default() }, ..reply }
                };
                assert_eq!(board.answered(Color::White, &counts("e2e4", 400)), None);
                let latency = (ponder == "off").then_some(passed as i64 - 1);
                assert_eq!(board.moves[0].latency_ms(), latency, "{ponder}");
                assert_eq!(board.moves[0].reported_ms.is_some(), ponder == "off");
                assert_eq!(board.answered(Color::Black, &reply("e7e5", 0)), None);
                let finding = board.answered(Color::White, &counts("g1f3", 2001)).unwrap();
                assert_eq!(finding.ending, Ending::TimeForfeit);
                let told = board.diagnosis(None, &Heartbeat::start());
                let says = "; when it last told its time it had counted 1 of 301 ms";
                assert_eq!((told.contains(says), told.contains("counted")), (excuse, excuse), "{told}");
            });
        }
    }

    /// A bound may be of another move than the line before it, and that move be the one that is made; a line without a
    /// bound says which is.
    #[test]
    fn a_move_is_not_held_against_a_line_before_a_bound() {
        let lines = [
            "depth 5 score cp 20 pv e2e4",
            "depth 6 score cp 50 lowerbound pv d2d4",
            "depth 6 nodes 900",
            "depth 6 score cp 30 pv e2e4",
            "depth 7 score cp 30 nodes 999",
        ];
        for exact_lines in [true, false] {
            for (said, other_move) in [(1, 1), (2, 0), (3, 0), (4, 1), (5, 0)] {
                let customs = Customs { exact_lines, ..Customs::default() };
                with_board(["depth=1", "depth=1"], customs, |mut board, _| {
                    let mut info = Info::default();
                    lines[..said].iter().for_each(|line| info.read_uci(line));
                    let reply = Reply { info, ..reply("d2d4", 0) };
                    assert_eq!(board.answered(Color::White, &reply), None);
                    board.check_searches(&[Some(Protocol::Uci); 2]);
                    assert_eq!(board.checks[0], Checks { other_move, ..Checks::default() }, "{said}");
                });
            }
        }
    }

    /// An engine that evaluates from White's side is shown from its own, as the journal has it. A mate is worth 100,000
    /// less its distance.
    #[test]
    fn who_looks_on_sees_evaluations_from_the_movers_side() {
        for (said, worth) in [(Evaluation::Centipawns(30), 30), (Evaluation::Mate(3), 99_997)] {
            with_board(["depth=1", "depth=1 whitepov=on"], Customs::default(), |board, pairing| {
                let info = Info { score: Some(said), ..Info::default() };
                let reply = Reply { info, ..reply("e7e5", 0) };
                for (colour, score) in [(Color::White, worth), (Color::Black, -worth)] {
                    board.show(pairing, Some((colour, &reply)));
                    let json = board.conditions.boards.as_ref().unwrap().json();
                    let shown: serde_json::Value = serde_json::from_str(&json).unwrap();
                    assert_eq!(shown["games"][0]["thoughts"][colour.index()]["score"], score, "{shown}");
                }
            });
        }
    }

    /// Three moves of the players' own books are on the board and in the file of running games by the time that Black
    /// is asked for a move; here no engine is there to make it.
    #[test]
    fn who_looks_on_sees_the_moves_of_own_books() {
        let book = Polyglot::of_moves(moves_of("e2e4 e7e5 g1f3"), 1);
        let customs = Customs { books: vec![Some(book.clone()), Some(book)], ..Customs::default() };
        with_board(["depth=1", "depth=1"], customs, |mut board, pairing| {
            let opening = Book::startpos().opening(0).unwrap().into_owned();
            assert_eq!(board.run(pairing, &opening, &mut [None, None]), Err(Unplayed::Aborted));
            let boards = board.conditions.boards.as_ref().unwrap();
            let shown: serde_json::Value = serde_json::from_str(&boards.json()).unwrap();
            let game = &shown["games"][0];
            assert_eq!((&game["plies"], &game["last"]), (&3.into(), &"g1f3".into()), "{shown}");
            assert_eq!(game["black"], true, "whose clock runs: {shown}");
            let event = crate::pgn::Event { limits: vec!["1+0".into(); 2], ..crate::pgn::Event::default() };
            let text = String::from_utf8(boards.pgn(&event)).unwrap();
            assert!(text.contains("1. e4 {book} e5 {book} 2. Nf3 {book} *"), "{text}");
        });
    }

    #[test]
    fn a_machine_is_blamed_for_no_more_than_it_took() {
        for (overdue, late, says) in [
            (4, 5, "late for 4 ms meanwhile, which is not enough"),
            (5, 5, "late for 5 ms meanwhile, which may be the cause"),
        ] {
            let text = of_machine(Duration::from_millis(overdue), late);
            assert!(text.contains(says), "{text}");
        }
        assert_eq!(of_machine(Duration::ZERO, 5), "", "on time is no evidence");
    }
}
