//! Self-play: makes games by a [`Recipe`](crate::recipe::Recipe).
//!
//! Each game begins with random moves, so that no two are alike, from the start position of chess or from one of double
//! Chess960, and goes on with the same engine on both sides: one thread, a small number of nodes a move. Table and
//! histories are cleared before every game, and the random numbers of a game come from the file's [`Header`] and its
//! number alone; so game `n` is the same wherever and whenever it is played, and files that differ in seed, search,
//! network or recipe draw from sequences that have nothing to do with each other. Games are played on several threads
//! and handed on in order, which makes even the bytes of a file independent of the threads.

use crate::format::Header;
use crate::game::{Ending, Game, GameResult, Ply};
use crate::recipe::{Adjudicator, Verdict};
use chess::{Move, Outcome, Position, chess960};
use engine::iterate::search_alone;
use engine::shared::Shared;
use engine::tt::Table;
use engine::worker::{Memory, Task};
use nnue::Network;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use thinking::report::{Bound, Info, Limits, Observer};
use thinking::score::Score;

/// After so many openings one after the other that are over or lopsided there is none to be had.
const HOPELESS: usize = 10_000;

/// No game can begin: no opening is left open by its first search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{HOPELESS} openings in a row are over, or beyond {0} centipawns for either side by this network")]
pub struct Hopeless(pub Score);

/// Why games could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError<E: std::error::Error + 'static> {
    /// No memory for a table.
    #[error("no memory for a table of {0} MiB")]
    Memory(usize),
    /// The network finds every opening lopsided.
    #[error(transparent)]
    Hopeless(#[from] Hopeless),
    /// The games could not be handed on.
    #[error(transparent)]
    Sink(E),
    /// A player, asked for the game of this number, had none, though nothing had told it to end, or panicked.
    #[error("game {0} was not played")]
    Lost(u64),
}

/// Says whether a game that is being played is given up.
pub type Ended<'e> = dyn Fn() -> bool + Sync + 'e;

/// Plays the game of a number; `None` if it is given up because its second argument says so.
pub type Playing<'p> = Box<dyn FnMut(u64, &Ended<'_>) -> Result<Option<Game>, Hopeless> + Send + 'p>;

/// Players of this process, one a thread.
///
/// # Errors
/// When there is no memory.
pub fn players<'h, E: std::error::Error>(
    header: &'h Header,
    network: &'h Arc<Network>,
    threads: usize,
) -> Result<Vec<Playing<'h>>, DatagenError<E>> {
    let player = |_| -> Result<Playing<'h>, sys::slice::AllocError> {
        let mut player = Player::new(header, network)?;
        Ok(Box::new(move |number, ended| player.play(number, ended)))
    };
    let players: Result<_, _> = (0..threads.max(1)).map(player).collect();
    players.map_err(|_| DatagenError::Memory(header.recipe.hash))
}

/// Has the games of these numbers played by these players, each on a thread of its own, wherever they play, and hands
/// them to `sink` in order, until all are played or `stop` is set (games that are being played then are thrown away).
/// Says how many were handed on.
///
/// # Errors
/// With the first error of a player or of the sink.
pub fn play_games<E: std::error::Error + Send + 'static>(
    players: Vec<Playing<'_>>,
    numbers: Range<u64>,
    stop: &AtomicBool,
    mut sink: impl FnMut(Game) -> Result<(), E>,
) -> Result<u64, DatagenError<E>> {
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
                    // All games behind that of a player who panics would wait for it for ever, too.
                    let game = catch_unwind(AssertUnwindSafe(|| player(number, &ended)));
                    let game = game.unwrap_or(Ok(None));
                    let last = !matches!(game, Ok(Some(_)));
                    if send.send((number, game)).is_err() || last {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut wanted = numbers.start;
        let hand_on = || -> Result<u64, DatagenError<E>> {
            for (number, game) in receive {
                match game? {
                    Some(game) => _ = waiting.insert(number, game),
                    None if stop.load(Relaxed) => {}
                    // All games behind it would wait for it for ever.
                    None => return Err(DatagenError::Lost(number)),
                }
                while let Some(game) = waiting.remove(&wanted) {
                    sink(game).map_err(DatagenError::Sink)?;
                    wanted += 1;
                }
            }
            Ok(wanted - numbers.start)
        };
        hand_on().inspect_err(|_| quit.store(true, Relaxed))
    })
}

/// One thread that plays both sides of one game after another.
pub struct Player<'h> {
    header: &'h Header,
    network: &'h Arc<Network>,
    table: Arc<Table>,
    memory: Memory,
}

/// Ends a search once an iteration is finished and the nodes are spent, or at its next root move once its game is given
/// up.
struct SoftLimit<'s> {
    shared: &'s Shared,
    nodes: u64,
    ended: &'s Ended<'s>,
}

impl Observer for SoftLimit<'_> {
    fn info(&self, info: &Info) {
        if info.bound == Bound::Exact && info.nodes >= self.nodes {
            self.shared.stop();
        }
    }

    fn root_move(&self, _: u32, _: Move, _: usize, _: usize) {
        if (self.ended)() {
            self.shared.stop();
        }
    }
}

impl<'h> Player<'h> {
    /// A player for games of the file with this header, who evaluates by this network.
    ///
    /// # Errors
    /// When there is no memory for its table.
    pub fn new(header: &'h Header, network: &'h Arc<Network>) -> Result<Self, sys::slice::AllocError> {
        let table = Arc::new(Table::new(header.recipe.hash)?);
        Ok(Player { header, network, table, memory: Memory::default() })
    }

    /// Plays the game of this number; `None` if `ended` says so before it is over.
    ///
    /// # Errors
    /// When no opening is found that leaves the game open.
    pub fn play(&mut self, number: u64, ended: &Ended<'_>) -> Result<Option<Game>, Hopeless> {
        let share = self.header.recipe.chess960;
        let mut rng = self.header.random();
        rng.set_stream(number);
        // Decided once: were it drawn again with every opening, openings that are thrown away would change the share.
        let chess960 = share > 0.0 && rng.random_bool(share.min(1.0));
        let opened = self.open(&mut rng, &mut |rng| random_start(chess960, rng), ended)?;
        Ok(opened.and_then(|(game, first)| self.play_on(game, first, ended)))
    }

    /// The FENs of positions that games may begin in: random moves from one of `starts`, as those of the file's games;
    /// the same for the same header. They end where no start leads to any, as far as ten thousand tries can tell.
    pub fn fens(&mut self, starts: &[Position]) -> impl Iterator<Item = String> {
        let mut rng = self.header.random();
        std::iter::from_fn(move || {
            let draw = &mut |rng: &mut ChaCha8Rng| {
                starts.choose(rng).cloned().unwrap_or_else(|| random_start(false, rng))
            };
            let (game, _) = self.open(&mut rng, draw, &|| false).ok()??;
            let position = game.position();
            Some(if position.is_chess960() { position.shredder_fen() } else { position.fen() })
        })
    }

    /// Random moves from the start that `draw` gives, again and again until they leave the game open, and the first
    /// thought about it; `None` if `ended` says so before.
    ///
    /// # Errors
    /// After [`HOPELESS`] openings that do not.
    fn open(
        &mut self,
        rng: &mut ChaCha8Rng,
        draw: &mut dyn FnMut(&mut ChaCha8Rng) -> Position,
        ended: &Ended<'_>,
    ) -> Result<Option<(chess::Game, Ply)>, Hopeless> {
        let recipe = &self.header.recipe;
        for _ in 0..HOPELESS {
            if ended() {
                return Ok(None);
            }
            let start = draw(rng);
            let Some(game) = random_opening(start, recipe.random_plies, rng) else { continue };
            // What an earlier game or a rejected opening left behind must not decide anything.
            self.table.clear();
            self.memory.clear();
            let Some(first) = self.think(&game, ended) else { continue };
            if first.score.abs() <= recipe.sane {
                // Given up in the meantime, it may not have been thought to its end.
                return Ok((!ended()).then_some((game, first)));
            }
        }
        Err(Hopeless(recipe.sane))
    }

    /// Plays from the opening to the end, `first` being the first thought.
    fn play_on(&mut self, mut game: chess::Game, first: Ply, ended: &Ended<'_>) -> Option<Game> {
        let opening = game.moves().to_vec();
        let mut adjudicator = Adjudicator::new(&self.header.recipe.adjudication);
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
            thought = self.think(&game, ended);
            if ended() {
                return None;
            }
        };
        Some(Game { start: game.start().clone(), opening, plies, result, ending })
    }

    /// Searches the position on the board, less far if `ended` says that the game is given up. `None` if it has no
    /// legal move.
    fn think(&mut self, game: &chess::Game, ended: &Ended<'_>) -> Option<Ply> {
        let recipe = &self.header.recipe;
        let limits = Limits { nodes: Some(recipe.hard_nodes), ..Limits::default() };
        let mut shared = Shared::new(Arc::clone(&self.table), limits, 1, 1);
        shared.network = Some(Arc::clone(self.network));
        let soft = SoftLimit { shared: &shared, nodes: recipe.soft_nodes, ended };
        let task = Task::from(game);
        let found = search_alone(&shared, &mut self.memory, &task, Some(&soft));
        found.root.best().map(|best| Ply { mv: best.mv, score: best.score })
    }
}

/// The start position of chess, or any of double Chess960.
fn random_start(chess960: bool, rng: &mut ChaCha8Rng) -> Position {
    if !chess960 {
        return Position::startpos();
    }
    let [white, black] = [(); 2].map(|()| rng.random_range(0..chess960::STARTS));
    Position::chess960(white, black).expect("both numbers are in range")
}

/// A game of so many random moves, or one more; `None` if the moves run out before.
fn random_opening(start: Position, plies: usize, rng: &mut impl Rng) -> Option<chess::Game> {
    let mut game = chess::Game::new(start);
    for _ in 0..plies + rng.random_range(0..2) {
        let mv = *game.position().legal_moves().choose(rng)?;
        game.play(mv).expect("it is one of the legal moves");
    }
    game.outcome().is_none().then_some(game)
}

/// Result and ending of a game that the rules have ended.
fn by_the_rules(game: &chess::Game) -> (GameResult, Ending) {
    let result = match game.outcome() {
        Some(Outcome::Checkmate { winner }) => GameResult::win(winner),
        _ => GameResult::Draw,
    };
    (result, game.outcome().map_or(Ending::InsufficientMaterial, Ending::of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use std::convert::Infallible;
    use std::time::Duration;

    /// A bound is no finished iteration, whatever it took.
    #[test]
    fn the_nodes_are_spent_with_an_iteration_that_is_finished() {
        let table = Arc::new(Table::new(1).expect("a MiB is there"));
        for (bound, nodes, ends) in
            [(Bound::Exact, 99, false), (Bound::Lower, 200, false), (Bound::Exact, 100, true)]
        {
            let shared = Shared::new(Arc::clone(&table), Limits::default(), 1, 1);
            let info = Info {
                depth: 3,
                seldepth: 3,
                multipv: 1,
                score: 0,
                bound,
                nodes,
                time: Duration::ZERO,
                hashfull: 0,
                tbhits: 0,
                pv: Vec::new(),
            };
            SoftLimit { shared: &shared, nodes: 100, ended: &|| false }.info(&info);
            assert_eq!(shared.stopped(), ends, "{bound:?} {nodes}");
        }
    }

    /// Openings that are over stand for lopsided ones here: they take no thought.
    #[test]
    fn a_network_that_finds_every_opening_lopsided_ends_it() {
        let (network, recipe) = (Network::embedded(), Recipe { hash: 1, ..Recipe::new(1, 60) });
        let header =
            Header { engine: "firstborn test".into(), commit: None, bench: 1, network: None, recipe };
        let mut player = Player::new(&header, &network).expect("a MiB is there");
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").expect("the FEN is legal");
        let (mut rng, mut draws) = (header.random(), 0);
        let mut draw = |_: &mut ChaCha8Rng| {
            draws += 1;
            mated.clone()
        };
        let hopeless = player.open(&mut rng, &mut draw, &|| false).expect_err("nobody can move");
        assert_eq!((hopeless, draws), (Hopeless(400), HOPELESS));

        // Of those who play one finds none, and the others are told to give up.
        let fail: Playing<'_> = Box::new(|_, _| Err(Hopeless(400)));
        let wait: Playing<'_> = Box::new(|_, ended| {
            while !ended() {
                std::thread::yield_now();
            }
            Ok(None)
        });
        let stop = AtomicBool::new(false);
        let played = play_games(vec![fail, wait], 0..9, &stop, |_| Ok::<(), Infallible>(()));
        assert!(matches!(played, Err(DatagenError::Hopeless(Hopeless(400)))), "{played:?}");
    }
}
