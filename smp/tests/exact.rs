//! Every scheme against plain alpha-beta, splitting wherever a move is left. With everything off that depends
//! on the order of the search the value must be the same whichever thread searches what, and so must what the
//! table says of the positions after the root's moves: a sibling that no thread has searched rarely changes the
//! root's value, but it makes a bound false. The line told must lead to that value, too.
//!
//! A search that does not split shows nothing. So the counters of all searches together are held against what must have
//! happened: splits, joins, cut-offs in the middle of others' work, moves deferred, and moves re-searched.

use crate::common::random_positions;
use crate::plain::Plain;
use crate::searches::search_by;
use chess::{Game, Move, Position};
use engine::drivers::Driver;
use engine::tt::{Table, from_table, table_key};
use engine::worker::Task;
use parking_lot::Mutex;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use smp::pool::accounts::Tally;
use smp::pool::{Pool, Search};
use smp::schemes::Scheme;
use smp::schemes::rules::{Everywhere, Mechanism, RuleSet, Rules};
use smp::simulation::{Recorder, Setup, play_by, simulate_by};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};
use thinking::report::{Bound, Info, Limits, Observer, Verdict};
use thinking::score::{DRAW, Score, is_mate};

const POSITIONS: usize = 200;
/// Every second position comes out of a game in which it has stood before.
const SHUFFLED: usize = 2;
/// A problem is two plies deep, or up to six if plain alpha-beta has not searched so many nodes by then.
/// Every fourth one may take more, and a few much more.
const NODES: u64 = 300;
const MORE_NODES: u64 = 4_000;
const MOST_NODES: u64 = 40_000;
const LONG: usize = 50;
const MOST_DEPTH: u32 = 6;
const MOST_THREADS: usize = 16;

/// A position, how deep it is searched, and what plain alpha-beta says of it.
struct Problem {
    task: Task,
    depth: u32,
    value: Score,
    replies: Vec<Reply>,
    /// Lines that have been held against plain alpha-beta: most searches tell one of few.
    proved: Mutex<HashSet<Vec<Move>>>,
    /// What plain alpha-beta makes of moves of the root, by depth, as far as that was asked.
    worths: Mutex<HashMap<(Move, u32), Score>>,
}

/// A position after a root move: what the table may say of it.
struct Reply {
    /// By which the table knows it.
    key: u64,
    /// By depth, from one ply to one less than the root's.
    values: Vec<Score>,
}

/// Computed once for all tests, which wait for it; so every processor takes its part.
static PROBLEMS: LazyLock<Vec<Problem>> = LazyLock::new(|| {
    let positions: Vec<(usize, Position)> =
        random_positions(POSITIONS, 2026).into_iter().enumerate().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let solved = |positions: &[(usize, Position)]| -> Vec<Problem> {
        let mut plain = Plain::new();
        positions.iter().map(|(number, position)| Problem::new(&mut plain, *number, position)).collect()
    };
    std::thread::scope(|scope| {
        let solved = &solved;
        let parts = positions.chunks(positions.len().div_ceil(threads));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || solved(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("plain alpha-beta ends")).collect()
    })
});

thread_local! {
    /// For what can only be asked when a search is over.
    static PLAIN: RefCell<Plain> = RefCell::new(Plain::new());
}

impl Problem {
    fn new(plain: &mut Plain, number: usize, position: &Position) -> Self {
        let mut game = Game::new(position.clone());
        let shuffled = number.is_multiple_of(SHUFFLED) && shuffle(&mut game);
        let task = Task::from(&game);
        let (mut depth, mut value) = (1, plain.value(&task, 1));
        let nodes = match number {
            _ if number % LONG == 1 => MOST_NODES,
            _ if number % 4 == 1 => MORE_NODES,
            _ => NODES,
        };
        let mut spent = 0;
        while depth < 2 || spent <= nodes && depth < MOST_DEPTH {
            let before = plain.nodes;
            depth += 1;
            value = plain.value(&task, depth);
            spent = plain.nodes - before;
        }
        let replies = if shuffled { Vec::new() } else { replies(plain, &game, depth) };
        Problem { task, depth, value, replies, proved: Mutex::default(), worths: Mutex::default() }
    }

    fn limits(&self) -> Limits {
        Limits { depth: Some(self.depth), exact: true, ..Limits::default() }
    }

    /// The search must have found the value and a move that is worth it, and left nothing false in the table.
    fn check(&self, verdict: &Verdict, table: &Table, who: &str) {
        let info = verdict.info.as_ref().expect("a search with moves tells a line");
        assert_eq!(info.score, self.value, "{who}: {}", self.task.position);
        assert_eq!((info.depth, info.bound), (self.depth, Bound::Exact), "{who}: {}", self.task.position);
        let best = verdict.best.expect("there are moves");
        let after = table_key(&self.task.position.after(best));
        if let Some(reply) = self.replies.iter().find(|reply| reply.key == after) {
            // A mate is a ply further from the root.
            let worth = reply.values.last().map(|&value| from_table(-value, 1));
            assert_eq!(worth, Some(self.value), "{who}: {best} at {}", self.task.position);
        }
        self.check_table(table, who);
    }

    /// The line told must be the one that the value comes from, whichever threads have searched it: every move is
    /// legal, it goes as far as the depth unless a draw or a mate ends it before, and to plain alpha-beta each
    /// position from the second on, as far as the depth goes, is worth as much. Not of MTD(f), which tells what the
    /// table remembers.
    fn check_line(&self, verdict: &Verdict, who: &str) {
        let line = &verdict.info.as_ref().expect("a search with moves tells a line").pv;
        if self.proved.lock().contains(line) {
            return;
        }
        let mut position = self.task.position.clone();
        for &mv in line {
            assert!(position.is_legal(mv), "{who}: {line:?} at {}", self.task.position);
            position.play(mv);
        }
        let whole = line.len() >= self.depth as usize || self.value == DRAW || is_mate(self.value);
        assert!(whole, "{who}: {line:?} at {}", self.task.position);
        PLAIN.with_borrow_mut(|plain| {
            for plies in 2..=line.len().min(self.depth as usize) {
                let value = plain.value_behind(&self.task, &line[..plies], self.depth);
                let at = &self.task.position;
                assert_eq!(value, self.value, "{who}: after {plies} plies of {line:?} at {at}");
            }
        });
        self.proved.lock().insert(line.clone());
    }

    /// What plain alpha-beta makes of a move of the root.
    fn worth(&self, mv: Move, depth: u32) -> Score {
        let searched = || PLAIN.with_borrow_mut(|plain| plain.value_behind(&self.task, &[mv], depth));
        *self.worths.lock().entry((mv, depth)).or_insert_with(searched)
    }

    /// Each line must have the score that its move has at its depth, or a bound of it. (Of no depth it has the static
    /// evaluation.)
    fn check_told(&self, told: &[Info], who: &str) {
        for line in told.iter().filter(|line| line.depth > 0) {
            let worth = self.worth(line.pv[0], line.depth);
            let at = &self.task.position;
            assert!(holds(line.bound, line.score, worth), "{who}: {at}: {line:?}, but {worth}");
        }
    }

    /// How many entries of the table could be held against plain alpha-beta.
    fn check_table(&self, table: &Table, who: &str) -> usize {
        let mut compared = 0;
        for Reply { key, values } in &self.replies {
            if let Some(entry) = table.probe(*key)
                && let Some(&value) = values.get((entry.depth - 1) as usize)
            {
                let right = holds(entry.bound, entry.score, value);
                assert!(right, "{who}: {}: {entry:?}, but {value}", self.task.position);
                compared += 1;
            }
        }
        compared
    }
}

fn holds(bound: Bound, score: Score, value: Score) -> bool {
    match bound {
        Bound::Exact => score == value,
        Bound::Lower => score <= value,
        Bound::Upper => score >= value,
    }
}

/// What the table may say of the positions that have a legal move, when they come up in no other way.
fn replies(plain: &mut Plain, game: &Game, depth: u32) -> Vec<Reply> {
    let moves = game.position().legal_moves();
    let alive = moves.into_iter().filter(|&mv| game.position().after(mv).has_legal_move());
    alive
        .map(|mv| {
            let mut game = game.clone();
            game.play(mv).expect("a legal move");
            let task = Task::from(&game);
            let values = (1..depth).map(|depth| plain.value(&task, depth)).collect();
            Reply { key: table_key(&task.position), values }
        })
        .collect()
}

/// Both sides move a piece to and fro, twice, so that each of the four positions has stood twice before it comes again.
fn shuffle(game: &mut Game) -> bool {
    let Some(cycle) = cycle(game.position()) else { return false };
    for mv in cycle.into_iter().chain(cycle) {
        game.play(mv).expect("the moves of the cycle are legal");
    }
    true
}

/// Four moves after which the position is the same.
fn cycle(start: &Position) -> Option<[Move; 4]> {
    let back = |mv: Move| move |&other: &Move| (other.from(), other.to()) == (mv.to(), mv.from());
    for one in start.legal_moves() {
        let first = start.after(one);
        for two in first.legal_moves() {
            let second = first.after(two);
            let Some(three) = second.legal_moves().into_iter().find(back(one)) else { continue };
            let third = second.after(three);
            let Some(four) = third.legal_moves().into_iter().find(back(two)) else { continue };
            if third.after(four).key() == start.key() && third.after(four).halfmove_clock() < 80 {
                return Some([one, two, three, four]);
            }
        }
    }
    None
}

/// Which of the numbers of threads search a problem: some for each, in the end all of them as often.
fn threads(number: usize, times: usize) -> impl Iterator<Item = usize> {
    (0..times).map(move |time| 1 + (number + time * MOST_THREADS / times) % MOST_THREADS)
}

/// Splits, joins, parts broken off, moves deferred, and moves re-searched.
const fn counts([splits, joins, aborted, deferred, again]: [u64; 5]) -> Tally {
    Tally { splits, joins, refused: 0, aborted, wasted: 0, deferred, again }
}

/// What a scheme must have done at least, over all its simulated searches. With an open window hardly
/// anything is cut off.
const fn wanted(scheme: Scheme) -> Tally {
    counts(match scheme {
        Scheme::Serial | Scheme::Lazy => [0; 5],
        Scheme::Ybw | Scheme::Hybrid => [5_000, 5_000, 500, 1_000, 1_000],
        Scheme::Abdada => [0, 0, 0, 1_000, 0],
        Scheme::PvSplit | Scheme::RootSplit => [1_000, 1_000, 0, 0, 1_000],
    })
}

/// The same over all searches with real threads, which may find the processors busy with other things.
const fn wanted_of_real(scheme: Scheme) -> Tally {
    counts(match scheme {
        Scheme::Serial | Scheme::Lazy => [0; 5],
        Scheme::Ybw | Scheme::Hybrid => [500, 100, 5, 100, 100],
        Scheme::Abdada => [0, 0, 0, 100, 0],
        Scheme::PvSplit | Scheme::RootSplit => [100, 100, 0, 0, 100],
    })
}

fn reaches(tally: Tally, wanted: Tally) -> bool {
    tally.splits >= wanted.splits
        && tally.joins >= wanted.joins
        && tally.aborted >= wanted.aborted
        && tally.deferred >= wanted.deferred
        && tally.again >= wanted.again
}

/// A simulated engine; each seed gives another size of the teams, too.
fn setup(scheme: Scheme, threads: usize, seed: usize) -> Setup {
    Setup { seed: Some(seed as u64), team: Some(1 + seed % 8), ..Setup::new(scheme, threads) }
}

/// What a simulated search counted, and its nodes.
fn simulated<R: RuleSet>(setup: &Setup, table: &Arc<Table>, problem: &Problem) -> (Tally, u64) {
    let Setup { scheme, threads, seed, driver, .. } = setup;
    table.clear();
    let simulation = simulate_by::<R>(setup, Arc::clone(table), problem.task.clone(), problem.limits());
    let simulation = simulation.expect("few stacks");
    let who = format!("{driver}, {scheme}, {threads} threads, seed {seed:?}");
    problem.check(&simulation.verdict, table, &who);
    if *driver == Driver::Pvs {
        problem.check_line(&simulation.verdict, &who);
    }
    (simulation.accounts.tally, simulation.accounts.total_nodes())
}

/// Each seed is another interleaving, and no two searches here have the same.
#[test]
fn simulated_schemes_find_the_values_of_plain_alpha_beta() {
    let table = Arc::new(Table::new(1).expect("a small table"));
    for scheme in Scheme::ALL {
        let mut sum = Tally::default();
        for (number, problem) in PROBLEMS.iter().enumerate() {
            for threads in threads(number, 4) {
                sum = sum + simulated::<Everywhere>(&setup(scheme, threads, number), &table, problem).0;
            }
        }
        assert!(reaches(sum, wanted(scheme)), "{scheme}: {sum:?}");
    }
}

/// The same of MTD(f), whose null windows leave only the root to `pvsplit`, and nothing to search again with an open
/// window; every one of them is a search of its own, with its own splits. A few problems show that the tree is another.
#[test]
fn null_windows_close_in_on_the_values_of_plain_alpha_beta() {
    const COMPARED: usize = 24;
    let table = Arc::new(Table::new(1).expect("a small table"));
    for scheme in Scheme::ALL {
        let (mut sum, mut nodes, mut by_windows) = (Tally::default(), 0, 0);
        for (number, problem) in PROBLEMS.iter().enumerate().skip(1).step_by(2) {
            for threads in threads(number, 2) {
                let pvs = setup(scheme, threads, number);
                let mtdf = Setup { driver: Driver::Mtdf, ..pvs.clone() };
                let found = simulated::<Everywhere>(&mtdf, &table, problem);
                sum = sum + found.0;
                if number < COMPARED {
                    nodes += found.1;
                    by_windows += simulated::<Everywhere>(&pvs, &table, problem).1;
                }
            }
        }
        let least = match scheme {
            Scheme::Serial | Scheme::Lazy => [0; 5],
            Scheme::Ybw | Scheme::Hybrid => [1_000, 1_000, 100, 100, 0],
            Scheme::Abdada => [0, 0, 0, 100, 0],
            Scheme::PvSplit | Scheme::RootSplit => [100, 100, 0, 0, 0],
        };
        assert!(reaches(sum, counts(least)), "{scheme}: {sum:?}");
        assert_eq!(sum.again, 0, "{scheme}");
        assert_ne!(nodes, by_windows, "{scheme}: the driver makes no difference");
    }
}

/// A simulated search for so many lines: what it told, its verdict, and what it counted.
fn lines_of(
    setup: &Setup,
    table: &Arc<Table>,
    problem: &Problem,
    limits: Limits,
    multipv: usize,
) -> (Vec<Info>, Verdict, Tally) {
    table.clear();
    let recorder = Arc::new(Recorder::default());
    let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
    let search = Search { task: problem.task.clone(), limits, multipv, observer };
    let accounts = play_by::<Everywhere>(setup, Arc::clone(table), search, |_| {}).expect("few stacks");
    let (told, verdict) = recorder.take();
    (told, verdict, accounts.tally)
}

/// Each of several lines is a search of its own, with its own splits: the last ones told have the scores of the best
/// moves, whichever threads have searched them.
#[test]
fn several_lines_are_those_of_the_best_moves() {
    const LINES: usize = 3;
    let table = Arc::new(Table::new(1).expect("a small table"));
    for (driver, scheme) in
        Driver::ALL.into_iter().flat_map(|driver| Scheme::ALL.map(|scheme| (driver, scheme)))
    {
        let mut sum = Tally::default();
        for (number, problem) in PROBLEMS.iter().enumerate().skip(3).step_by(4) {
            let moves = problem.task.position.legal_moves().into_iter();
            let mut best: Vec<Score> = moves.map(|mv| problem.worth(mv, problem.depth)).collect();
            best.sort_unstable_by_key(|&score| Reverse(score));
            best.truncate(LINES);
            for threads in [2, 5] {
                let setup = Setup { driver, ..setup(scheme, threads, number) };
                let who = format!("{driver}, {scheme}, {threads} threads, problem {number}");
                let (told, _, tally) = lines_of(&setup, &table, problem, problem.limits(), LINES);
                problem.check_told(&told, &who);
                let last = &told[told.len() - best.len()..];
                let whole = |line: &Info| (line.depth, line.bound) == (problem.depth, Bound::Exact);
                assert!(last.iter().all(whole), "{who}: {last:?}");
                assert_eq!(last.iter().map(|line| line.score).collect::<Vec<_>>(), best, "{who}");
                let heads: HashSet<Move> = last.iter().map(|line| line.pv[0]).collect();
                assert_eq!(heads.len(), best.len(), "{who}: {last:?}");
                sum = sum + tally;
            }
        }
        let least = match scheme {
            Scheme::Serial | Scheme::Lazy | Scheme::Abdada => [0; 5],
            Scheme::Ybw | Scheme::Hybrid | Scheme::PvSplit | Scheme::RootSplit => [50, 30, 0, 0, 0],
        };
        assert!(reaches(sum, counts(least)), "{driver}, {scheme}: {sum:?}");
    }
}

/// [`Everywhere`] without one mechanism of Young Brothers Wait, a [`Mechanism`] as a number.
struct Without<const MECHANISM: usize>;

const MECHANISMS: [Mechanism; 7] = [
    Mechanism::InAdvance,
    Mechanism::BeforeFirst,
    Mechanism::ReadingAhead,
    Mechanism::ReadingAlong,
    Mechanism::ReadingDeeper,
    Mechanism::Turns,
    Mechanism::Marks,
];
const TURNS: usize = 5;
const MARKS: usize = 6;

impl<const MECHANISM: usize> RuleSet for Without<MECHANISM> {
    const RULES: Rules = Rules::EVERYWHERE.without(MECHANISMS[MECHANISM]);
    type Others = Everywhere;
}

struct OneHelper;

impl RuleSet for OneHelper {
    const RULES: Rules = Rules { most_helpers: 1, ..Rules::EVERYWHERE };
    type Others = Everywhere;
}

struct NothingDeferred;

impl RuleSet for NothingDeferred {
    const RULES: Rules = <Without<TURNS>>::RULES.without(Mechanism::Marks);
    type Others = Everywhere;
}

/// What searches of six threads by Young Brothers Wait counted, and the nodes of each.
fn by_ybw<R: RuleSet>(table: &Arc<Table>) -> (Tally, Vec<u64>) {
    let problems = PROBLEMS.iter().enumerate().skip(1).step_by(4);
    let searches: Vec<(Tally, u64)> = problems
        .map(|(number, problem)| simulated::<R>(&setup(Scheme::Ybw, 6, number), table, problem))
        .collect();
    let tally = searches.iter().fold(Tally::default(), |sum, search| sum + search.0);
    (tally, searches.into_iter().map(|search| search.1).collect())
}

/// Without any one of its mechanisms Young Brothers Wait splits and joins as before, finds the same values, and
/// searches other trees: so each switch does something.
#[test]
fn each_mechanism_can_be_switched_off_alone() {
    let table = Arc::new(Table::new(1).expect("a small table"));
    let (_, usual) = by_ybw::<Everywhere>(&table);
    let others = [
        by_ybw::<Without<0>>(&table),
        by_ybw::<Without<1>>(&table),
        by_ybw::<Without<2>>(&table),
        by_ybw::<Without<3>>(&table),
        by_ybw::<Without<4>>(&table),
        by_ybw::<Without<TURNS>>(&table),
        by_ybw::<Without<MARKS>>(&table),
        by_ybw::<OneHelper>(&table),
    ];
    // Moves wait for a turn or for another worker's mark, and for nothing else.
    let deferred = [TURNS, MARKS].map(|number| others[number].0.deferred);
    assert!(deferred.iter().all(|&deferred| deferred > 100), "{deferred:?}");
    assert_eq!(by_ybw::<NothingDeferred>(&table).0.deferred, 0);
    for (number, (tally, nodes)) in others.iter().enumerate() {
        assert!(reaches(*tally, counts([500, 500, 25, 0, 100])), "{number}: {tally:?}");
        assert_ne!(*nodes, usual, "{number}");
        for (other, (_, theirs)) in others.iter().enumerate().skip(number + 1) {
            assert_ne!(nodes, theirs, "{number} and {other} are one switch");
        }
    }
}

/// What others have searched deeper, and left in the table, changes the order of the moves and nothing else.
#[test]
fn an_exact_search_takes_no_value_from_the_table() {
    let table = Arc::new(Table::new(1).expect("a small table"));
    let setup = Setup::new(Scheme::Serial, 1);
    for problem in PROBLEMS.iter() {
        table.clear();
        for deeper in [1, 0] {
            let limits = Limits { depth: Some(problem.depth + deeper), ..problem.limits() };
            let simulation =
                simulate_by::<Everywhere>(&setup, Arc::clone(&table), problem.task.clone(), limits);
            let simulation = simulation.expect("few stacks");
            if deeper == 0 {
                problem.check(&simulation.verdict, &table, "with a table of a deeper search");
            }
        }
    }
}

/// Searches a problem by a scheme with real threads, a pool for each number of them.
fn with_threads(pools: &mut [Pool], scheme: Scheme, threads: usize, team: usize, problem: &Problem) -> Tally {
    let pool = &mut pools[threads - 1];
    (pool.scheme, pool.team) = (scheme, Some(team));
    pool.table().clear();
    let verdict = search_by::<Everywhere>(pool, problem.task.clone(), problem.limits());
    let who = format!("{scheme}, {threads} real threads, teams of {team}");
    problem.check(&verdict, pool.table(), &who);
    problem.check_line(&verdict, &who);
    pool.accounts().expect("the search is over").tally
}

/// What real threads do together is for the machine to say: in a short search some may come when it is over.
/// So after all positions the long ones are searched again until the threads have met often enough, and in
/// the end they must have; where there is only one processor, they hardly ever meet.
#[test]
fn real_schemes_find_the_values_of_plain_alpha_beta() {
    const MOST_ROUNDS: usize = 1_000;
    let mut pools: Vec<Pool> =
        (1..=MOST_THREADS).map(|threads| Pool::new(threads, 1).expect("a small pool")).collect();
    for scheme in Scheme::ALL {
        let mut sum = Tally::default();
        for (number, problem) in PROBLEMS.iter().enumerate() {
            for threads in threads(number, 2) {
                sum = sum + with_threads(&mut pools, scheme, threads, 1 + number % 8, problem);
            }
        }
        if std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1) {
            continue;
        }
        for round in 0..MOST_ROUNDS {
            if reaches(sum, wanted_of_real(scheme)) {
                break;
            }
            for problem in PROBLEMS.iter().skip(1).step_by(LONG) {
                sum = sum + with_threads(&mut pools, scheme, 2 + round % (MOST_THREADS - 1), 4, problem);
            }
        }
        assert!(reaches(sum, wanted_of_real(scheme)), "{scheme}: {sum:?}");
    }
}

/// Broken off after any number of nodes, by threads that split everywhere, a search leaves nothing false in the table.
#[test]
fn a_stop_at_any_node_leaves_nothing_false() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let table = Arc::new(Table::new(1).expect("a small table"));
    for scheme in Scheme::ALL {
        let (mut compared, mut sum) = (0, Tally::default());
        for (number, problem) in
            PROBLEMS.iter().enumerate().filter(|(_, problem)| !problem.replies.is_empty())
        {
            let threads = random.random_range(2..=8);
            let nodes = Some(random.random_range(1..1_000));
            let setup = setup(scheme, threads, number);
            table.clear();
            let limits = Limits { nodes, ..problem.limits() };
            let simulation =
                simulate_by::<Everywhere>(&setup, Arc::clone(&table), problem.task.clone(), limits);
            let simulation = simulation.expect("few stacks");
            let who = format!("{scheme}, {threads} threads, stopped after {nodes:?} nodes");
            compared += problem.check_table(&table, &who);
            sum = sum + simulation.accounts.tally;
        }
        assert!(compared > 200, "{scheme}: only {compared} entries were compared");
        // A stop breaks off whatever is searched at split points.
        let least = match scheme {
            Scheme::Serial | Scheme::Lazy => [0; 5],
            Scheme::Ybw | Scheme::Hybrid => [100, 100, 20, 5, 5],
            Scheme::Abdada => [0, 0, 0, 5, 0],
            Scheme::PvSplit | Scheme::RootSplit => [20, 20, 5, 0, 0],
        };
        assert!(reaches(sum, counts(least)), "{scheme}: {sum:?}");
    }
}

/// Broken off after any number of nodes, a search for one line or several has told nothing false: of the iteration that
/// was broken off, too, each line has the score of its move, or a bound of it.
#[test]
fn what_was_told_before_a_stop_holds() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let table = Arc::new(Table::new(1).expect("a small table"));
    for driver in Driver::ALL {
        let mut broken_off = 0;
        for scheme in Scheme::ALL {
            // Small problems, with games before them and without.
            for (number, problem) in PROBLEMS.iter().enumerate().filter(|(number, _)| number % 4 >= 2) {
                let threads = random.random_range(2..=8);
                let nodes = Some(random.random_range(1..600));
                let lines = if number % 8 < 4 { 1 } else { 3 };
                let setup = Setup { driver, ..setup(scheme, threads, number) };
                let limits = Limits { nodes, ..problem.limits() };
                let (told, verdict, _) = lines_of(&setup, &table, problem, limits, lines);
                let who = format!("{driver}, {scheme}, {threads} threads, {lines} lines, {nodes:?} nodes");
                problem.check_told(&told, &who);
                let last = verdict.info.expect("a search with moves tells a line");
                broken_off += usize::from(last.depth > verdict.finished);
            }
        }
        assert!(broken_off >= 10, "{driver}: only {broken_off} told of an iteration that was broken off");
    }
}
