//! A finished game, asked for again move by move: the engines that a journal names are started as they were, are
//! shown every position of the game with the clocks of that time, and say what they play there.
//!
//! The game goes on as the journal has it, whatever an engine says now, so every answer is one to the position
//! of that time. A game that ended by a failure is asked for once more at its end: does the engine fail again?
//! (Where it did not get ready for the game, that is its end.)
//! Moves of openings and of players' own books are made and not asked for. What a replay cannot bring back are
//! the games that a process had played before, pondering, and the chance in a search of several threads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chess::{Color, Game, Move, Position};
use client::{
    Answer, Client, Clocks, EngineConfig, Evaluation, Failure, FailureKind, GameSetup, Launcher, Limits,
    Listener, Patience, Ply, Protocol, Reply, Stream,
};
use crossbeam::channel;
use serde::{Deserialize, Serialize};

use crate::archive::{self, ArchiveError};
use crate::clock::Clock;
use crate::description;
use crate::identity::{Identity, PROCESS, PROGRAM, running};
use crate::journal::{Entry, Header, JournalError, Line, Lines, broken};
use crate::kit::NO_ANSWER;
use crate::play::{clip, ply, read_move};
use crate::program::{explain, locate};
use crate::record::{Ending, GameRecord, MoveRecord, beginning};
use crate::runner::GroupLauncher;
use crate::spec::Player;
use crate::wording::counted;

/// A game of a journal, and who played it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The game.
    pub game: GameRecord,
    /// White and Black.
    pub players: [Player; 2],
    /// Their programs, where the journal says which.
    pub programs: [Option<Identity>; 2],
    /// Only the moves that engines made counted towards their time controls.
    pub own_moves_only: bool,
}

/// How a game is retraced.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ask this side only: 0 White, 1 Black.
    pub only: Option<usize>,
    /// Another program in place of the one that played.
    pub command: Option<String>,
    /// The protocol that is spoken; if none, that of the journal, or else it is found out.
    pub protocol: Option<Protocol>,
    /// Go on with a program that is not the one that played.
    pub same_engine: bool,
    /// UCI engines search the nodes that the journal has of a move, in place of their limits.
    pub nodes: bool,
    /// How much longer than it took in the game an answer may take.
    pub patience: Duration,
}

/// Hears every line: the player's name, who wrote it, and the line.
pub type Hear = dyn Fn(&str, Stream, &str) + Send + Sync;

/// A move and what was said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thought {
    /// The move in standard algebraic notation, or what was said in place of a legal one.
    pub answer: String,
    /// The evaluation from the mover's side, in centipawns (a mate: 100,000 less its distance).
    pub score: Option<i32>,
    /// Depth reached.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Milliseconds it took.
    pub ms: Option<u64>,
}

/// An answer that is another now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The half-move of the game, from 1.
    pub ply: usize,
    /// The move's number, as the position counts, and whether it is Black's.
    pub number: u32,
    /// See `number`.
    pub black: bool,
    /// What the journal has.
    pub then: Thought,
    /// What the engine says now.
    pub now: Thought,
}

/// What an engine did at the end of a game that it lost by a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// What it does now.
    pub now: String,
    /// Whether it is the same.
    pub same: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retraced {
    /// Answers of White and of Black.
    pub answers: [usize; 2],
    /// Answers that were others this time, in the order of the game.
    pub differences: Vec<Difference>,
    /// How the loser ended, where it was asked for that.
    pub end: Option<End>,
}

impl Retraced {
    /// Whether everything was as it was in the game.
    #[must_use]
    pub fn same(&self) -> bool {
        self.differences.is_empty() && self.end.as_ref().is_none_or(|end| end.same)
    }

    /// Answers of a side that were others this time.
    #[must_use]
    pub fn others(&self, side: usize) -> usize {
        self.differences.iter().filter(|difference| usize::from(difference.black) == side).count()
    }
}

/// Why a game cannot be retraced.
#[derive(Debug, thiserror::Error)]
pub enum RetraceError {
    /// The journal cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// It is damaged, or not a journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It does not hold the game.
    #[error("journal {path} holds no game {wanted}: {holds}")]
    NoGame {
        /// The file.
        path: PathBuf,
        /// The game's number, from 1.
        wanted: usize,
        /// What it holds, in words.
        holds: String,
    },
    /// The program that played is not there.
    #[error("the program that {player} played with is gone: {why}")]
    Gone {
        /// The player.
        player: String,
        /// What is there instead.
        why: String,
    },
    /// A file of it is another one.
    #[error("{player} is not the one that played this game: {what}")]
    Changed {
        /// The player.
        player: String,
        /// What is different.
        what: String,
    },
    /// It does not get ready.
    #[error("{player} does not get ready: {why}")]
    Start {
        /// The player.
        player: String,
        /// What it does instead.
        why: String,
    },
    /// A move of the journal cannot be made.
    #[error("game {game} of the journal cannot be played: its move {ply}, `{mv}`, is not legal in {fen}")]
    Illegal {
        /// The game's number, from 1.
        game: usize,
        /// The half-move, from 1.
        ply: usize,
        /// The move.
        mv: String,
        /// Where.
        fen: String,
    },
}

/// A line's number as a game, the rest left unread.
#[derive(Deserialize)]
struct Numbered {
    id: usize,
}

/// The games that a journal holds, by number.
#[derive(Default)]
struct Range {
    games: u64,
    first: Option<usize>,
    last: Option<usize>,
}

impl Range {
    fn add(&mut self, id: usize) {
        self.games += 1;
        self.first = self.first.min(Some(id)).or(Some(id));
        self.last = self.last.max(Some(id));
    }

    fn words(&self, torn: bool) -> String {
        let mut text = match (self.first, self.last) {
            (Some(first), Some(last)) if first < last => {
                format!("it has {}, numbers {} to {}", counted(self.games, "game"), first + 1, last + 1)
            }
            (Some(first), _) => format!("it has one game, number {}", first + 1),
            _ => "it has no games yet".to_owned(),
        };
        if torn {
            text += "; its last line is not complete, since it is being written or was torn by a kill";
        }
        text
    }
}

/// Whether a file is a journal, by its first line.
#[must_use]
pub fn is_journal(path: &Path) -> bool {
    let Ok(input) = archive::open(path) else { return false };
    matches!(Lines::new(path, input).header(), Ok(Some(_)))
}

/// Finds a game by its number, from 1. The journal may be growing.
///
/// # Errors
/// It cannot be read, or does not hold the game.
pub fn find(path: &Path, wanted: usize) -> Result<Found, RetraceError> {
    let mut lines = Lines::new(path, archive::open(path)?);
    let unbegun = || broken(path, 1, "is not complete: the tournament has not begun");
    let header = lines.header()?.ok_or_else(unbegun)?;
    header.players(path)?;
    let mut engines = vec![header.engines.clone()];
    let mut range = Range::default();
    while let Some((number, text)) = lines.next_line()? {
        let damaged = |error: serde_json::Error| broken(path, number, error.to_string());
        match Line::read(path, number, text)? {
            Line::Engines(more) => engines.push(more),
            Line::Run(_) | Line::Empty => {}
            Line::Entry(text) => {
                let Numbered { id } = serde_json::from_str(text).map_err(damaged)?;
                range.add(id);
                if id.checked_add(1) == Some(wanted) {
                    let game: GameRecord = serde_json::from_str(text).map_err(damaged)?;
                    if let Some(fault) = game.fault(&header.tournament) {
                        return Err(broken(path, number, fault).into());
                    }
                    return with_players(path, &header, &engines, game);
                }
            }
        }
    }
    let holds = range.words(!lines.torn().is_empty());
    Err(RetraceError::NoGame { path: path.to_owned(), wanted, holds })
}

/// A game with what the journal says of its players.
fn with_players(
    path: &Path,
    header: &Header,
    engines: &[Vec<Identity>],
    game: GameRecord,
) -> Result<Found, RetraceError> {
    let player = |number: usize| {
        let described = description::read(&header.tournament["players"][number]);
        described
            .map_err(|why| broken(path, 1, format!("does not say how player {} plays: {why}", number + 1)))
    };
    let players = [player(game.white)?, player(game.black)?];
    let program =
        |number: usize| engines.get(game.engines)?.get(number).filter(|program| program.is_known()).cloned();
    let programs = [program(game.white), program(game.black)];
    let own_moves_only = description::own_moves_only(&header.tournament);
    Ok(Found { game, players, programs, own_moves_only })
}

/// Plays a game through. `hear` is given every line that is sent and comes.
///
/// # Errors
/// A program is gone, is another one or does not get ready; or the game is not one of legal moves.
pub fn retrace(found: &Found, options: &Options, hear: &Arc<Hear>) -> Result<Retraced, RetraceError> {
    let moves = legal_moves(&found.game)?;
    let (mut clients, mut end) = ([None, None], None);
    for side in (0..2).filter(|&side| options.only.is_none_or(|only| only == side)) {
        let mut client = start(found, side, options, hear)?;
        match get_ready(found, side, &mut client) {
            ready if was_not_ready(&found.game, side) => {
                end = Some(end_at_start(&found.game, ready.as_ref().err()));
                clients[side] = ready.is_ok().then_some(client);
            }
            Ok(()) => clients[side] = Some(client),
            Err(failure) => return Err(not_ready(&found.players[side], &failure)),
        }
    }
    let clocks = [0, 1].map(|side| Clock::new(&found.players[side].limits, found.players[side].margin));
    let mut again = Again {
        found,
        options,
        clients,
        clocks,
        game: Game::new(begin(&found.game)),
        plies: Vec::with_capacity(moves.len()),
        outcome: Retraced { end, ..Retraced::default() },
    };
    again.run(&moves)?;
    Ok(again.outcome)
}

fn begin(game: &GameRecord) -> Position {
    // A position that cannot be read is a fault of the line, found before.
    game.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::startpos)
}

/// The moves of a game, all of which are legal.
fn legal_moves(game: &GameRecord) -> Result<Vec<Move>, RetraceError> {
    let mut played = Game::new(begin(game));
    let mut moves = Vec::with_capacity(game.moves.len());
    for (index, record) in game.moves.iter().enumerate() {
        let position = played.position();
        let mv = position.parse_uci(&record.uci).ok();
        let Some(mv) = mv.filter(|&mv| played.clone().play(mv).is_ok()) else {
            return Err(RetraceError::Illegal {
                game: game.id + 1,
                ply: index + 1,
                mv: record.uci.clone(),
                fen: position.fen(),
            });
        };
        moves.push(mv);
        // Found legal above.
        let _ = played.play(mv);
    }
    Ok(moves)
}

/// Hears a conversation for a player.
struct Hearing {
    player: String,
    hear: Arc<Hear>,
}

impl Listener for Hearing {
    fn line(&self, _: Instant, stream: Stream, text: &str) {
        (self.hear)(&self.player, stream, text);
    }
}

/// Whether a side lost the game before its first move, since it did not get ready.
fn was_not_ready(game: &GameRecord, side: usize) -> bool {
    let begun = game.moves.iter().any(|mv| mv.ms.is_some());
    !begun && game.ending == Ending::StartFailure && game.loser() == Some([game.white, game.black][side])
}

/// The end of a game that a side lost so.
fn end_at_start(game: &GameRecord, failure: Option<&Failure>) -> End {
    match failure {
        Some(failure) => End { now: failure.to_string(), same: fails_alike(game, failure) },
        None => End { now: "gets ready".to_owned(), same: false },
    }
}

fn not_ready(player: &Player, failure: &Failure) -> RetraceError {
    RetraceError::Start { player: player.name.clone(), why: explain(&player.engine, failure) }
}

/// Starts a side's engine, which is the one that played unless another is wanted.
fn start(found: &Found, side: usize, options: &Options, hear: &Arc<Hear>) -> Result<Client, RetraceError> {
    let player = &found.players[side];
    let name = || player.name.clone();
    let mut config = player.engine.clone();
    config.start_timeout = config.start_timeout.max(options.patience);
    config.ready_timeout = config.ready_timeout.max(options.patience);
    let known = found.programs[side].as_ref().filter(|_| options.command.is_none());
    config.protocol = options.protocol.or(known.and_then(|known| known.protocol));
    if let Some(command) = &options.command {
        config.command.clone_from(command);
    } else if let Some(program) = known.and_then(|known| known.files.iter().find(|file| file.role == PROGRAM))
    {
        let recorded = EngineConfig { command: program.path.display().to_string(), ..config.clone() };
        // Where it has moved, its own command may lead to it; its content decides.
        if locate(&recorded).is_ok() || locate(&config).is_err() {
            config = recorded;
        }
    }
    locate(&config).map_err(|error| RetraceError::Gone { player: name(), why: error.to_string() })?;
    let checked = known.filter(|_| !options.same_engine);
    let changed = |what: String| RetraceError::Changed { player: name(), what };
    if let Some(known) = checked {
        let now = Identity::of(&config).map_err(|error| changed(error.to_string()))?;
        let now = Identity { name: known.name.clone(), ..now };
        known.difference(&now).map_or(Ok(()), |what| Err(changed(what)))?;
    }
    let listener: Arc<dyn Listener> = Arc::new(Hearing { player: name(), hear: Arc::clone(hear) });
    let launcher: Arc<dyn Launcher> =
        Arc::new(GroupLauncher { listener: Some(listener), ..GroupLauncher::default() });
    let client = Client::start(&config, &launcher, &channel::never())
        .map_err(|failure| not_ready(player, &failure))?;
    if let Some(known) = checked {
        let processes = running(client.process_id(), &config, &known.files);
        let others = known.files.iter().filter(|file| file.role != PROCESS).cloned();
        let files = others.chain(processes).collect();
        let now = Identity { name: client.name().map(str::to_owned), files, ..known.clone() };
        known.difference(&now).map_or(Ok(()), |what| Err(changed(what)))?;
    }
    Ok(client)
}

/// Has a side's engine begin the game.
fn get_ready(found: &Found, side: usize, client: &mut Client) -> Result<(), Failure> {
    client.new_game(&GameSetup {
        start: &begin(&found.game),
        fen: found.game.fen.as_deref(),
        chess960: found.game.chess960,
        limits: found.players[side].limits,
        opponent: &found.players[1 - side].name,
    })
}

/// A replay in progress.
struct Again<'a> {
    found: &'a Found,
    options: &'a Options,
    /// The engines that are asked; one that failed is taken out.
    clients: [Option<Client>; 2],
    clocks: [Clock; 2],
    game: Game,
    plies: Vec<Ply>,
    outcome: Retraced,
}

impl Again<'_> {
    fn run(&mut self, moves: &[Move]) -> Result<(), RetraceError> {
        for (record, &mv) in self.found.game.moves.iter().zip(moves) {
            let side = self.game.position().side_to_move().index();
            if let (Some(ms), true) = (record.ms, self.clients[side].is_some()) {
                self.ask(side, record, mv, ms);
            }
            self.make(side, record, mv);
        }
        self.ask_for_the_end();
        for client in self.clients.iter_mut().filter_map(Option::take) {
            client.quit();
        }
        Ok(())
    }

    /// Asks a side for its move, and keeps what it says if that is not the move of the game.
    fn ask(&mut self, side: usize, record: &MoveRecord, mv: Move, ms: u64) {
        let limits = self.limits(side, record);
        let patience = Duration::from_millis(ms) + self.options.patience;
        let said = self.think(side, limits, patience);
        self.outcome.answers[side] += 1;
        let position = self.game.position();
        let now = match &said {
            Ok(reply) => {
                let answered = match &reply.answer {
                    Answer::Move(text) => read_move(position, text),
                    _ => None,
                };
                if answered == Some(mv) {
                    return;
                }
                self.thought(side, reply, answered)
            }
            Err(failure) => {
                let answer = failure.to_string();
                Thought { answer, score: None, depth: None, nodes: None, ms: None }
            }
        };
        let difference = Difference {
            ply: self.plies.len() + 1,
            number: position.fullmove_number(),
            black: side == 1,
            then: Thought {
                answer: record.san.clone(),
                score: record.score,
                depth: record.depth,
                nodes: record.nodes,
                ms: record.ms,
            },
            now,
        };
        self.outcome.differences.push(difference);
        // One that does not get ready for the game's move is not asked again.
        self.clients[side].take_if(|client| match &said {
            Ok(Reply { answer: Answer::Move(_), .. }) => client.take_back().is_err(),
            Ok(_) => client.made_no_move().is_err(),
            Err(_) => true,
        });
    }

    fn thought(&self, side: usize, reply: &Reply, answered: Option<Move>) -> Thought {
        let answer = match (&reply.answer, answered) {
            (_, Some(mv)) => self.game.position().san(mv),
            (Answer::Move(text), None) => format!("{}, which is not legal", clip(text)),
            (Answer::Resign, None) => "resigns".to_owned(),
            (Answer::Claim(line) | Answer::Refused(line), None) => clip(line),
        };
        let turned = side == 1 && self.found.players[side].white_pov;
        let score = reply.info.score.map(Evaluation::centipawns);
        Thought {
            answer,
            score: score.map(|score| if turned { -score } else { score }),
            depth: reply.info.depth,
            nodes: reply.info.nodes,
            ms: Some(reply.elapsed.as_millis() as u64),
        }
    }

    /// What bounds a search. Nodes may stand for its time; a limit that does not depend on time stays as it was.
    fn limits(&self, side: usize, record: &MoveRecord) -> Limits {
        let own = self.found.players[side].limits;
        let timed = own.clock.is_some() || own.move_time.is_some();
        match record.nodes.filter(|&nodes| nodes > 0 && self.options.nodes && timed) {
            Some(nodes) => Limits { nodes: Some(nodes), depth: own.depth, ..Limits::default() },
            None => own,
        }
    }

    fn think(&mut self, side: usize, limits: Limits, patience: Duration) -> Result<Reply, Failure> {
        let clocks = self.clocks_of(side);
        // Only sides with an engine are asked.
        let Some(client) = &mut self.clients[side] else { return Err(Failure::new(FailureKind::Aborted)) };
        client.limit(limits);
        let patience = Patience { flag: Some(patience), silence: self.options.patience };
        client.think(&self.plies, &clocks, patience)
    }

    fn clocks_of(&self, side: usize) -> Clocks {
        let colour = if side == 0 { Color::White } else { Color::Black };
        self.clocks[side].beside(&self.clocks[1 - side], colour)
    }

    /// Makes the move of the game, and sets its clock as it was after it.
    fn make(&mut self, side: usize, record: &MoveRecord, mv: Move) {
        self.plies.push(ply(self.game.position(), mv, self.found.game.chess960));
        // Found legal before.
        let _ = self.game.play(mv);
        match record.ms {
            Some(ms) => {
                let used = Duration::from_millis(ms) + Duration::from_micros(record.us.unwrap_or(0).into());
                // It was in time then.
                let _ = self.clocks[side].spend(used);
                let glass = |player: &Player| player.limits.clock.is_some_and(|clock| clock.hourglass);
                if self.found.players.iter().all(glass) {
                    self.clocks[1 - side].credit(used);
                }
            }
            None if self.found.own_moves_only => {}
            None => self.clocks[side].count_move(),
        }
        if let Some(left) = record.clock_ms {
            self.clocks[side].set(Duration::from_millis(left));
        }
    }

    /// Asks the loser of a game that ended by its own failure or resignation once more.
    fn ask_for_the_end(&mut self) {
        let game = &self.found.game;
        let side = self.game.position().side_to_move().index();
        let loser = [game.white, game.black].iter().position(|&player| game.loser() == Some(player));
        let asked = match game.ending {
            // That was before the first move.
            Ending::StartFailure => false,
            Ending::Resignation => true,
            ending => ending.is_forfeit(),
        };
        if !asked || loser != Some(side) || self.clients[side].is_none() {
            return;
        }
        let allowed = self.clocks[side].allowance();
        let late = Duration::from_millis(game.late_ms.unwrap_or_default());
        let patience = allowed.unwrap_or_default() + late + self.options.patience;
        let said = self.think(side, self.found.players[side].limits, patience);
        let same = match &said {
            Ok(reply) => self.ends_alike(reply, allowed),
            Err(failure) => fails_alike(game, failure),
        };
        let now = match &said {
            Ok(reply) => {
                let mv = match &reply.answer {
                    Answer::Move(text) => read_move(self.game.position(), text),
                    _ => None,
                };
                format!(
                    "answers {} after {:.3} s",
                    self.thought(side, reply, mv).answer,
                    reply.elapsed.as_secs_f64()
                )
            }
            Err(failure) => failure.to_string(),
        };
        self.outcome.end = Some(End { now, same });
        if said.is_err() {
            self.clients[side] = None;
        }
    }

    fn ends_alike(&self, reply: &Reply, allowed: Option<Duration>) -> bool {
        let game = &self.found.game;
        match (game.ending, &reply.answer) {
            (Ending::Resignation, answer) => *answer == Answer::Resign || matches!(answer, Answer::Claim(_)),
            (Ending::TimeForfeit, _) => allowed.is_some_and(|allowed| reply.elapsed >= allowed),
            (Ending::IllegalMove, Answer::Move(text)) => game.answer.as_deref() == Some(beginning(text)),
            (Ending::FalseClaim, Answer::Claim(line)) | (Ending::RefusedMove, Answer::Refused(line)) => {
                game.answer.as_deref() == Some(beginning(line))
            }
            _ => false,
        }
    }
}

/// Is it the failure that lost a game?
fn fails_alike(game: &GameRecord, failure: &Failure) -> bool {
    let plain = |text: &str| text.replace(" (core dumped)", "");
    let so_told = || plain(&game.reason).contains(&plain(&failure.to_string()));
    let stalls = matches!(failure.kind, FailureKind::Stall { .. });
    match game.ending {
        Ending::Crash => so_told(),
        Ending::Disconnect => failure.kind == FailureKind::Disconnect,
        Ending::Stall | Ending::TimeForfeit => stalls,
        // How long it was waited for, and the number of a ping, may be others.
        Ending::StartFailure => so_told() || stalls && game.reason.contains(NO_ANSWER),
        _ => false,
    }
}
