//! Self-play: makes games by a [`Recipe`].
//!
//! Each game begins with random moves, so that no two are alike, and goes on with the same engine on both sides: one
//! thread, a small number of nodes a move. Table and histories are cleared before every game, and the random numbers
//! of a game come from the seed and its number alone; so game `n` is the same whoever plays it and when. Games are
//! played on several threads and handed on in order, which makes even the bytes of a file independent of the threads.

use crate::game::{Ending, Game, GameResult, Ply};
use crate::recipe::{Adjudicator, Recipe, Verdict};
use chess::{Outcome, Position};
use engine::brothers::Alone;
use engine::iterate::iterate;
use engine::report::{Bound, Info, Limits, Observer};
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task, Worker};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};

/// Why games could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError<E: std::error::Error + 'static> {
    /// No memory for a table.
    #[error("no memory for a table of {0} MiB")]
    Memory(usize),
    /// The games could not be handed on.
    #[error(transparent)]
    Sink(E),
}

/// Plays the games of these numbers on `threads` threads and hands them to `sink` in order, until all are played or
/// `stop` is set (games that are being played then are thrown away). Says how many were handed on.
///
/// # Errors
/// When there is no memory, or with the first error of the sink.
pub fn play_games<E: std::error::Error + Send + 'static>(
    recipe: &Recipe,
    numbers: Range<u64>,
    threads: usize,
    stop: &AtomicBool,
    mut sink: impl FnMut(Game) -> Result<(), E>,
) -> Result<u64, DatagenError<E>> {
    let players: Result<Vec<Player<'_>>, _> = (0..threads.max(1)).map(|_| Player::new(recipe)).collect();
    let players = players.map_err(|_| DatagenError::Memory(recipe.hash))?;
    let next = AtomicU64::new(numbers.start);
    let quit = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A short channel: when the sink is slow, the players wait.
        let (send, receive) = mpsc::sync_channel(4 * players.len());
        for mut player in players {
            let (send, next, quit, end) = (send.clone(), &next, &quit, numbers.end);
            let ended = move || stop.load(Relaxed) || quit.load(Relaxed);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= end {
                        break;
                    }
                    let Some(game) = player.play(number, &ended) else { break };
                    if send.send((number, game)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut wanted = numbers.start;
        for (number, game) in receive {
            waiting.insert(number, game);
            while let Some(game) = waiting.remove(&wanted) {
                if let Err(error) = sink(game) {
                    quit.store(true, Relaxed);
                    return Err(DatagenError::Sink(error));
                }
                wanted += 1;
            }
        }
        Ok(wanted - numbers.start)
    })
}

/// One thread that plays both sides of one game after another.
pub struct Player<'r> {
    recipe: &'r Recipe,
    table: Arc<Table>,
    memory: Memory,
}

/// Ends a search once an iteration is finished and the nodes are spent.
struct SoftLimit<'s> {
    shared: &'s Shared,
    nodes: u64,
}

impl Observer for SoftLimit<'_> {
    fn info(&self, info: &Info) {
        if info.bound == Bound::Exact && info.nodes >= self.nodes {
            self.shared.stop();
        }
    }
}

impl<'r> Player<'r> {
    /// A player for games of this recipe.
    ///
    /// # Errors
    /// When there is no memory for its table.
    pub fn new(recipe: &'r Recipe) -> Result<Self, sys::slice::AllocError> {
        Ok(Player { recipe, table: Arc::new(Table::new(recipe.hash)?), memory: Memory::default() })
    }

    /// Plays the game of this number; `None` if `ended` says so before it is over.
    pub fn play(&mut self, number: u64, ended: &dyn Fn() -> bool) -> Option<Game> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.recipe.seed);
        rng.set_stream(number);
        loop {
            if ended() {
                return None;
            }
            // What an earlier game or a rejected opening left behind must not decide anything.
            self.table.clear();
            self.memory.clear();
            let Some(game) = random_opening(self.recipe.random_plies, &mut rng) else { continue };
            let Some(first) = self.think(&game) else { continue };
            if first.score.abs() <= self.recipe.sane {
                return self.play_on(game, first, ended);
            }
        }
    }

    /// Plays from the opening to the end, `first` being the first thought.
    fn play_on(&mut self, mut game: chess::Game, first: Ply, ended: &dyn Fn() -> bool) -> Option<Game> {
        let opening = game.moves().to_vec();
        let mut adjudicator = Adjudicator::new(&self.recipe.adjudication);
        let mut plies = Vec::new();
        let mut thought = Some(first);
        let (result, ending) = loop {
            // A game that the rules have ended has no further thought.
            let Some(ply) = thought else { break by_the_rules(&game) };
            let side = game.position().side_to_move();
            let length = game.moves().len();
            plies.push(ply);
            game.play(ply.mv).expect("the search chooses among the legal moves");
            if game.outcome().is_some() {
                break by_the_rules(&game);
            }
            match adjudicator.hear(side, ply.score, length) {
                Some(Verdict::Win(color)) => break (GameResult::win(color), Ending::AdjudicatedWin),
                Some(Verdict::Draw) => break (GameResult::Draw, Ending::AdjudicatedDraw),
                Some(Verdict::TooLong) => break (GameResult::Draw, Ending::TooLong),
                None => {}
            }
            if ended() {
                return None;
            }
            thought = self.think(&game);
        };
        Some(Game { start: game.start().clone(), opening, plies, result, ending })
    }

    /// Searches the position on the board; `None` if it has no legal move.
    fn think(&mut self, game: &chess::Game) -> Option<Ply> {
        let limits = Limits { nodes: Some(self.recipe.hard_nodes), ..Limits::default() };
        let shared = Shared::new(Arc::clone(&self.table), limits, 1, 1);
        let soft = SoftLimit { shared: &shared, nodes: self.recipe.soft_nodes };
        let task = Task::from(game);
        let mut worker = Worker::new(&shared, &mut self.memory, &task, Alone, 0, Some(&soft));
        let opinion = iterate(&mut worker, &task, 1);
        opinion.root.best().map(|best| Ply { mv: best.mv, score: best.score })
    }
}

/// A game of random moves; `None` if the moves run out before.
fn random_opening(plies: usize, rng: &mut ChaCha8Rng) -> Option<chess::Game> {
    let mut game = chess::Game::new(Position::startpos());
    for _ in 0..plies + rng.random_range(0..2) {
        let mv = *game.position().legal_moves().choose(rng)?;
        game.play(mv).expect("it is one of the legal moves");
    }
    game.outcome().is_none().then_some(game)
}

/// Result and ending of a game that the rules have ended.
fn by_the_rules(game: &chess::Game) -> (GameResult, Ending) {
    match game.outcome() {
        Some(Outcome::Checkmate { winner }) => (GameResult::win(winner), Ending::Checkmate),
        Some(Outcome::Stalemate) => (GameResult::Draw, Ending::Stalemate),
        Some(Outcome::Repetition) => (GameResult::Draw, Ending::Repetition),
        Some(Outcome::FiftyMoves) => (GameResult::Draw, Ending::FiftyMoves),
        Some(Outcome::InsufficientMaterial) | None => (GameResult::Draw, Ending::InsufficientMaterial),
    }
}
