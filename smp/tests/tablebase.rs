//! The search with something to ask about endings: a solver by brute force, which knows all endings of two or
//! three men. Every scheme must take its word for what it is, and ask only where the word holds, also where threads
//! search together: they split wherever a move is left, and the counters must show that they did.

use crate::common::random_positions;
use crate::searches::{search_by, task, value};
use crate::sharing::until_shared;
use crate::solver::Solver;
use chess::{Move, Position};
use engine::tablebase::{Ending, Tablebase};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use smp::pool::Pool;
use smp::pool::accounts::Tally;
use smp::schemes::Scheme;
use smp::schemes::rules::Everywhere;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use thinking::report::{Limits, Verdict};
use thinking::score::{DRAW, WIN_BOUND};

/// Solving takes a while: once is enough.
static SOLVER: LazyLock<Arc<Solver>> = LazyLock::new(|| Arc::new(Solver::new()));

/// The solver as a tablebase that notes how often it was asked, and how often it should not have been.
struct Oracle {
    solver: Option<Arc<Solver>>,
    most_men: u32,
    least_depth: i32,
    asked: AtomicU64,
    wrongly: AtomicU64,
}

impl Oracle {
    fn new(solver: Option<Arc<Solver>>, most_men: u32, least_depth: i32) -> Arc<Self> {
        Arc::new(Oracle {
            solver,
            most_men,
            least_depth,
            asked: AtomicU64::new(0),
            wrongly: AtomicU64::new(0),
        })
    }
}

impl Tablebase for Oracle {
    fn most_men(&self) -> u32 {
        self.most_men
    }

    fn least_depth(&self) -> i32 {
        self.least_depth
    }

    fn probe(&self, position: &Position) -> Option<Ending> {
        self.asked.fetch_add(1, Relaxed);
        let fen = position.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        let men = fields[0].chars().filter(|c| c.is_ascii_alphabetic()).count() as u32;
        if fields[2] != "-" || fields[4] != "0" || men > self.most_men {
            self.wrongly.fetch_add(1, Relaxed);
        }
        self.solver.as_ref()?.ending(position)
    }
}

fn search(pool: &mut Pool, position: &Position, limits: Limits) -> Verdict {
    pool.new_game();
    search_by::<Everywhere>(pool, task(position), limits)
}

fn pool(scheme: Scheme, threads: usize, oracle: &Arc<Oracle>) -> Pool {
    let mut pool = Pool::new(threads, 1).expect("a small pool");
    (pool.scheme, pool.team) = (scheme, Some(2));
    pool.tablebase = Some(Arc::clone(oracle) as Arc<dyn Tablebase>);
    pool
}

/// Pools of one to four threads by a scheme.
fn pools(scheme: Scheme, oracle: &Arc<Oracle>) -> [Pool; 4] {
    [1, 2, 3, 4].map(|threads| pool(scheme, threads, oracle))
}

/// By every scheme, with one to four threads: what `test` searches with each pool, and then a longer search of an
/// ending, until the threads have worked together.
fn by_every_scheme(oracle: &Arc<Oracle>, mut test: impl FnMut(&mut Pool) -> Tally) {
    let ending = Position::from_fen("4r3/8/3k4/8/8/1R6/2P5/K7 w - - 0 1").expect("legal");
    for scheme in Scheme::ALL {
        let mut pools = pools(scheme, oracle);
        until_shared(scheme, |nodes| {
            pools.iter_mut().fold(Tally::default(), |sum, pool| {
                let sum = sum + test(pool);
                // A search of a few plies may be over before a thread that sleeps is awake.
                search(pool, &ending, Limits { nodes: Some(nodes), ..Limits::default() });
                sum + counted(pool)
            })
        });
    }
}

/// Which searches, for the message of a test that fails.
fn who(pool: &Pool) -> String {
    format!("{} {}", pool.scheme, pool.threads())
}

/// What the last search counted.
fn counted(pool: &Pool) -> Tally {
    pool.accounts().expect("the search is over").tally
}

/// A legal position of these men.
fn with_men(men: &str, random: &mut ChaCha8Rng) -> Position {
    loop {
        let mut board = ['1'; 64];
        for man in men.chars() {
            board[random.random_range(0..64)] = man;
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let side = if random.random() { 'w' } else { 'b' };
        let position = Position::from_fen(&format!("{} {side} - - 0 1", ranks.join("/")));
        if let Ok(position) = position
            && position.occupied().count() as usize == men.len()
            && !position.legal_moves().is_empty()
        {
            return position;
        }
    }
}

/// The captures and pawn moves that lead to endings of three men that the solver knows, and how the best of them ends
/// for who moves; nothing where there is none.
fn ways_in(solver: &Solver, position: &Position) -> Option<(Vec<Move>, Ending)> {
    let (mut ways, mut best) = (Vec::new(), Ending::Loss);
    for mv in position.legal_moves() {
        let after = position.after(mv);
        let three = after.occupied().count() == 3 && after.halfmove_clock() == 0;
        if !three || after.legal_moves().is_empty() {
            continue;
        }
        let Some(ending) = solver.ending(&after) else { continue };
        ways.push(mv);
        best = match (ending, best) {
            (Ending::Loss, _) | (_, Ending::Win) => Ending::Win,
            (Ending::Draw, _) | (_, Ending::Draw) => Ending::Draw,
            (Ending::Win, Ending::Loss) => Ending::Loss,
        };
    }
    (!ways.is_empty()).then_some((ways, best))
}

#[test]
fn the_solver_knows_the_textbook() {
    let solver = &SOLVER;
    for (fen, ending) in [
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Ending::Win), // the king on the sixth, before its pawn
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Ending::Loss), // whoever is to move
        ("8/8/4k3/8/4K3/4P3/8/8 b - - 0 1", Ending::Loss), // White has the opposition
        ("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", Ending::Draw), // Black has it
        ("4k3/8/4P3/4K3/8/8/8/8 w - - 0 1", Ending::Draw), // the pawn checks on the seventh: stalemate
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", Ending::Draw),   // a rook's pawn
        ("8/8/8/8/4p3/4k3/8/4K3 w - - 0 1", Ending::Loss), // the same with colours reversed
        ("8/8/8/3k4/8/8/8/KQ6 b - - 0 1", Ending::Loss),
        ("8/8/8/8/8/1k6/1Q6/7K b - - 0 1", Ending::Draw), // the queen is lost
        ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", Ending::Draw),  // stalemate
        ("8/8/8/8/3k4/8/8/KR6 w - - 0 1", Ending::Win),
    ] {
        let position = Position::from_fen(fen).expect("legal");
        assert_eq!(solver.ending(&position), Some(ending), "{fen}");
    }
}

/// Moves into endings that are known, and five plies to search: the score is that of the best, for all schemes.
#[test]
fn a_known_ending_has_its_known_score() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let solver = &SOLVER;
    let oracle = Oracle::new(Some(Arc::clone(solver)), 3, 1);
    let mut seen = [0; 3];
    let mut test = |pool: &mut Pool, men: &str| {
        let (position, ways, ending) = loop {
            let position = with_men(men, &mut random);
            if let Some((ways, ending)) = ways_in(solver, &position) {
                break (position, ways, ending);
            }
        };
        let limits = Limits { depth: Some(5), search_moves: ways.clone(), ..Limits::default() };
        let verdict = search(pool, &position, limits);
        let score = value(&verdict);
        let right = match ending {
            Ending::Win => score >= WIN_BOUND,
            Ending::Draw => score == DRAW,
            Ending::Loss => score <= -WIN_BOUND,
        };
        let place = || format!("{}: {position} {ways:?}", who(pool));
        assert!(right, "{}: {score}, not {ending:?}", place());
        let hits = verdict.info.as_ref().map_or(0, |info| info.tbhits);
        let plain = ways.iter().all(|&mv| position.after(mv).insufficient_material());
        assert!(hits > 0 || plain, "{}", place());
        seen[ending as usize] += 1;
        counted(pool)
    };
    by_every_scheme(&oracle, |pool| {
        let men = ["KPk", "KPkp", "KQkp", "KRkp", "KRkr", "KPkn", "Kkpp", "KBkp"].into_iter();
        men.flat_map(|men| [men; 4]).fold(Tally::default(), |sum, men| sum + test(pool, men))
    });
    assert!(seen.iter().all(|&count| count > 50), "wins, draws, losses: {seen:?}");
    assert_eq!(oracle.wrongly.load(Relaxed), 0);
}

/// King and pawn against king: nothing that the solver calls drawn is called won or lost, and who can keep the win by
/// pushing the pawn knows at once that he wins.
#[test]
fn pawn_endings_are_won_and_drawn_as_they_should() {
    let mut random = ChaCha8Rng::seed_from_u64(42);
    let solver = &SOLVER;
    let oracle = Oracle::new(Some(Arc::clone(solver)), 3, 1);
    let (mut won, mut drawn) = (0, 0);
    let mut test = |pool: &mut Pool| {
        let position = with_men("KPk", &mut random);
        let score = value(&search(pool, &position, Limits { depth: Some(6), ..Limits::default() }));
        let pushes = position.legal_moves().into_iter().any(|mv| {
            let after = position.after(mv);
            after.halfmove_clock() == 0 && solver.ending(&after) == Some(Ending::Loss)
        });
        let place = || format!("{}: {position}: {score}", who(pool));
        match solver.ending(&position) {
            Some(Ending::Draw) => {
                drawn += 1;
                assert!(score.abs() < WIN_BOUND, "{}", place());
            }
            Some(Ending::Win) => {
                won += 1;
                assert!(score > -WIN_BOUND && (score >= WIN_BOUND || !pushes), "{}", place());
            }
            _ => assert!(score < WIN_BOUND, "{}", place()),
        }
        counted(pool)
    };
    by_every_scheme(&oracle, |pool| (0..40).fold(Tally::default(), |sum, _| sum + test(pool)));
    assert!(won > 100 && drawn > 100, "{won} won, {drawn} drawn");
}

/// A promotion that mates is a mate and no mere win, whatever the oracle says of the position behind it. (The mate
/// makes everything else so short that threads hardly ever meet: no counter is asked for.)
#[test]
fn a_mate_is_more_than_a_win() {
    let oracle = Oracle::new(Some(Arc::clone(&SOLVER)), 3, 1);
    let position = Position::from_fen("7k/4P3/7K/8/8/8/8/8 w - - 0 1").expect("legal");
    for scheme in Scheme::ALL {
        for mut pool in pools(scheme, &oracle) {
            let verdict = search(&mut pool, &position, Limits { depth: Some(6), ..Limits::default() });
            assert_eq!(value(&verdict), thinking::score::mate_in(1), "{}", who(&pool));
        }
    }
}

/// Asked about everything, and knowing nothing: it is asked only where its word would hold, an exact search
/// does not ask, and the search is the one it was, node for node.
#[test]
fn an_oracle_that_knows_nothing_changes_nothing() {
    let oracle = Oracle::new(None, 32, 1);
    let mut positions = random_positions(12, 43);
    positions
        .push(Position::from_fen("r3k2r/pppq1ppp/8/3pp3/3PP3/8/PPPQ1PPP/R3K2R w KQkq - 0 1").expect("legal"));
    positions.push(Position::from_fen("4k3/4p3/8/8/8/8/4P3/4K2R w K - 7 30").expect("legal"));
    let mut asks = pool(Scheme::Serial, 1, &oracle);
    let mut without = pool(Scheme::Serial, 1, &oracle);
    without.tablebase = None;
    for position in &positions {
        let limits = Limits { depth: Some(7), ..Limits::default() };
        let (one, other) =
            (search(&mut asks, position, limits.clone()), search(&mut without, position, limits));
        assert_eq!((one.best, value(&one)), (other.best, value(&other)), "{position}");
        assert_eq!(asks.nodes(), without.nodes(), "{position}");
        assert_eq!(one.info.map(|info| info.tbhits), Some(0), "nothing was known");
    }
    let asked = oracle.asked.load(Relaxed);
    assert!(asked > 1000, "asked {asked} times only");
    assert_eq!(oracle.wrongly.load(Relaxed), 0);
    for position in &positions {
        search(&mut asks, position, Limits { depth: Some(3), exact: true, ..Limits::default() });
    }
    assert_eq!(oracle.asked.load(Relaxed), asked, "an exact search asks nobody");
}

/// The least depth is for positions with as many men as are known at most; those with fewer are always worth it.
#[test]
fn the_least_depth_is_for_the_most_men() {
    let position = Position::from_fen("8/8/8/3k4/3p4/8/3KP3/8 w - - 0 1").expect("legal");
    for (most_men, asks) in [(3, false), (4, true)] {
        let oracle = Oracle::new(None, most_men, 100);
        let mut pool = pool(Scheme::Serial, 1, &oracle);
        search(&mut pool, &position, Limits { depth: Some(10), ..Limits::default() });
        assert_eq!(oracle.asked.load(Relaxed) > 0, asks, "{most_men} men");
        assert_eq!(oracle.wrongly.load(Relaxed), 0);
    }
}
