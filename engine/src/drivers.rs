//! What drives an iteration: with which windows the root is searched until its score is known.
//!
//! [`Driver::Pvs`], the default, searches with a narrow open window around the score of the last iteration (aspiration
//! window) and widens it on the side that fails. [`Driver::Mtdf`] is MTD(f) (Plaat, Schaeffer, Pijls and de Bruin
//! 1996): null windows alone, each nearer to the score, with the table as the memory between them. Both call the
//! same search; what they are worth against each other stands in docs/experiments.md.

use crate::Searched;
use crate::iterate::report_failure;
use crate::node::{self, Window};
use crate::parallel::ParallelScheme;
use crate::params::Params;
use crate::search::search;
use crate::tt::table_key;
use crate::worker::{Task, Worker};
use std::str::FromStr;
use thinking::report::Bound;
use thinking::score::{INFINITE, MATE, Score, is_mate};

/// How the score of the root is found in an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Principal variation search with aspiration windows.
    #[default]
    Pvs,
    /// MTD(f): null windows alone.
    Mtdf,
}

/// No driver has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no driver '{0}': there are pvs and mtdf")]
pub struct UnknownDriver(String);

impl Driver {
    /// All there are, the default first.
    pub const ALL: [Driver; 2] = [Driver::Pvs, Driver::Mtdf];

    /// Its name on the command line and in the protocols.
    pub const fn name(self) -> &'static str {
        match self {
            Driver::Pvs => "pvs",
            Driver::Mtdf => "mtdf",
        }
    }
}

impl std::fmt::Display for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Driver {
    type Err = UnknownDriver;

    fn from_str(text: &str) -> Result<Self, UnknownDriver> {
        let named = |driver: &Driver| driver.name().eq_ignore_ascii_case(text);
        Driver::ALL.into_iter().find(named).ok_or_else(|| UnknownDriver(text.into()))
    }
}

/// One line of one iteration: the best of the root moves from `first` on, its score and its line.
///
/// # Errors
/// [`crate::Aborted`] when the search ended before the score was known.
pub(crate) fn search_root<B: ParallelScheme>(
    worker: &mut Worker<'_, B>,
    task: &Task,
    depth: i32,
) -> Searched<()> {
    match worker.shared.driver {
        Driver::Pvs => aspire(worker, task, depth),
        Driver::Mtdf => close_in(worker, task, depth),
    }
}

/// Searches with a narrow window around the last score and widens it on the side that fails. What fails
/// high is searched again a ply less deep each time: it is the move to play, and its score matters little.
fn aspire<B: ParallelScheme>(worker: &mut Worker<'_, B>, task: &Task, depth: i32) -> Searched<()> {
    let previous = worker.root.moves[worker.root.first].previous;
    let p = &worker.shared.params;
    let mut width = p.aspiration_width + spread(p, previous);
    let mut window = Window::FULL;
    if depth >= p.aspiration_depth && previous.abs() < INFINITE {
        window = Window { alpha: floor(p, previous - width), beta: ceiling(p, previous + width) };
    }
    let (mut kept, mut failed_high) = (0, 0);
    loop {
        worker.root.begin_search(kept);
        let reduced = (depth - failed_high.min(p.aspiration_reduction)).max(1);
        let score = search::<node::Root, B>(worker, &task.position, window, reduced, 0, false);
        worker.root.sort(worker.root.first);
        let score = score?;
        width += width / 2;
        if score <= window.alpha && window.alpha > -INFINITE {
            window = Window { alpha: floor(p, score - width), beta: (window.alpha + window.beta) / 2 };
            (kept, failed_high) = (0, 0);
        } else if score >= window.beta && window.beta < INFINITE {
            window.beta = ceiling(p, score + width);
            // What failed high is the move to play should nothing more be found out.
            kept = 1;
            // A mate has been proved at this depth and may be missed at another.
            failed_high += i32::from(!worker.exact() && !is_mate(score));
        } else {
            return Ok(());
        }
        report_failure(worker);
    }
}

/// MTD(f): null windows ask whether the score is at least a bound, first that of the last iteration, until the lower
/// and the upper bound meet. Each further bound on the same side is a longer stride from the last score, since
/// centipawns would otherwise be climbed one by one.
fn close_in<B: ParallelScheme>(worker: &mut Worker<'_, B>, task: &Task, depth: i32) -> Searched<()> {
    let first = worker.root.first;
    let previous = worker.root.moves[first].previous;
    let shortest = worker.shared.params.mtdf_stride;
    let (mut lower, mut upper) = (-INFINITE, INFINITE);
    let (mut bound, mut up, mut down) = (if previous > -INFINITE { previous } else { 0 }, 0, 0);
    let mut kept = 0;
    while lower < upper {
        worker.root.begin_search(kept);
        let score = search::<node::Root, B>(worker, &task.position, Window::null(bound - 1), depth, 0, false);
        worker.root.sort(first);
        let best = &mut worker.root.moves[first];
        if score.is_err() && kept == 1 && best.bound == Bound::Upper {
            // It has failed high before, which a higher bound that it has not reached does not change.
            (best.score, best.bound) = (lower, Bound::Lower);
        }
        let score = score?;
        if score >= bound {
            lower = score;
            // What is known to be this good stays first, whatever the others' upper bounds.
            kept = 1;
            up = longer(up, shortest);
            bound = (score + 1 + up).min(upper);
        } else {
            upper = score;
            down = longer(down, shortest);
            bound = (score - down).max(lower + 1);
        }
        if lower < upper {
            report_failure(worker);
        } else {
            conclude(worker, task, score, depth);
        }
    }
    Ok(())
}

/// The stride after one that was too short: half as long again, and longer by the shortest that there is at least. The
/// first is the shortest.
fn longer(stride: Score, shortest: Score) -> Score {
    stride + shortest.max(stride / 2)
}

/// The bounds have met: the first move has this score. Null windows leave no principal variation, so its line is what
/// the table knows, as long as the iteration is deep, or as far as the mate is away.
fn conclude<B>(worker: &mut Worker<'_, B>, task: &Task, score: Score, depth: i32) {
    let first = worker.root.first;
    let best = &mut worker.root.moves[first];
    (best.score, best.bound) = (score, Bound::Exact);
    let mv = best.mv;
    let most = if is_mate(score) { MATE - score.abs() } else { depth.max(1) };
    let mut line = vec![mv];
    let mut position = task.position.after(mv);
    let mut seen = vec![task.position.key()];
    while line.len() < most as usize && !seen.contains(&position.key()) {
        let known = worker.shared.table.probe(table_key(&position)).and_then(|entry| entry.mv);
        let Some(mv) = known.filter(|&mv| position.is_legal(mv)) else { break };
        seen.push(position.key());
        line.push(mv);
        position.play(mv);
    }
    best.line = line.into();
}

/// What is added to the first half width: the further a score is from zero, the less steady it is.
fn spread(p: &Params, score: Score) -> Score {
    const MOST: Score = 1000;
    let score = score.clamp(-MOST, MOST);
    (score * score / p.aspiration_spread).min(100)
}

/// Lower end of a window, opened wholly where it lies that low: scores of won and lost positions are unsteady.
fn floor(p: &Params, alpha: Score) -> Score {
    if alpha < -p.aspiration_most { -INFINITE } else { alpha }
}

fn ceiling(p: &Params, beta: Score) -> Score {
    if beta > p.aspiration_most { INFINITE } else { beta }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterate::{ThreadResult, search_alone};
    use crate::parallel::Alone;
    use crate::shared::Shared;
    use crate::tt::{Entry, Table};
    use crate::worker::Memory;
    use chess::{Game, Position};
    use std::sync::Arc;
    use thinking::report::Limits;
    use thinking::score::mate_in;

    const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

    fn searched(driver: Driver, fen: &str, multipv: usize, limits: Limits) -> (Position, ThreadResult) {
        let game = Game::new(Position::from_fen(fen).expect("a legal FEN"));
        let task = Task::from(&game);
        let table = Arc::new(Table::new(4).expect("a small table"));
        let mut shared = Shared::new(table, limits, multipv, 1);
        shared.driver = driver;
        let result = search_alone(&shared, &mut Memory::default(), &task, None);
        (task.position, result)
    }

    #[test]
    fn drivers_are_called_by_their_names() {
        for driver in Driver::ALL {
            assert_eq!(driver.to_string().to_uppercase().parse(), Ok(driver));
        }
        assert_eq!(Driver::ALL[0], Driver::default());
        assert!("sss".parse::<Driver>().is_err_and(|error| error.to_string().contains("'sss'")));
    }

    /// In an exact search every line of MultiPV has the same score whatever drives it, and no score is a bound.
    #[test]
    fn null_windows_give_every_line_the_score_of_open_ones() {
        let limits = || Limits { depth: Some(3), exact: true, ..Limits::default() };
        let lines = |driver| {
            let (_, ThreadResult { root, .. }) = searched(driver, MIDDLEGAME, 5, limits());
            root.moves[..5].iter().map(|line| (line.score, line.bound)).collect::<Vec<_>>()
        };
        let found = lines(Driver::Mtdf);
        assert_eq!(found, lines(Driver::Pvs));
        assert!(found.is_sorted_by(|better, worse| better.0 >= worse.0), "{found:?}");
    }

    /// The line comes from the table: every move of it is legal, and it does not go round in circles.
    #[test]
    fn a_line_goes_on_as_the_table_knows() {
        let limits = Limits { depth: Some(9), ..Limits::default() };
        let (mut position, result) = searched(Driver::Mtdf, MIDDLEGAME, 1, limits);
        let best = result.root.best().expect("there is a move");
        assert_eq!((result.depth, best.bound), (9, Bound::Exact));
        assert!(best.seldepth >= 9, "{}", best.seldepth);
        assert!(best.line.len() >= 4 && best.line[0] == best.mv, "{:?}", best.line);
        let mut seen = vec![position.key()];
        for &mv in best.line.iter() {
            assert!(position.is_legal(mv), "{:?}", best.line);
            position.play(mv);
            assert!(!seen.contains(&position.key()), "{:?}", best.line);
            seen.push(position.key());
        }
    }

    /// The line of a first move's score at a depth, if the table knows these moves, one after the other.
    fn concluded(moves: &[&str], score: Score, depth: i32) -> Vec<String> {
        let task = Task::from(&Game::default());
        let table = Arc::new(Table::new(1).expect("a small table"));
        let mut position = task.position.clone();
        let mut played = Vec::new();
        for text in moves {
            let mv = position.parse_uci(text).expect("a legal move");
            let entry = Entry { mv: Some(mv), score: 0, eval: None, depth: 1, bound: Bound::Exact, pv: true };
            table.store(table_key(&position), entry);
            position.play(mv);
            played.push(mv);
        }
        let limits = Limits { search_moves: vec![played[0]], ..Limits::default() };
        let shared = Shared::new(table, limits, 1, 1);
        let mut memory = Memory::default();
        let mut worker = Worker::new(&shared, &mut memory, &task, Alone, 0, None);
        conclude(&mut worker, &task, score, depth);
        worker.root.moves[0].line.iter().map(ToString::to_string).collect()
    }

    /// It goes as far as the iteration is deep or the mate away, but not beyond a position that has stood before.
    #[test]
    fn a_line_ends_with_the_depth_the_mate_or_the_circle() {
        let opening = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"];
        assert_eq!(concluded(&opening, 0, 9), opening);
        assert_eq!(concluded(&opening, 0, 3), opening[..3]);
        assert_eq!(concluded(&opening, mate_in(3), 9), opening[..3]);
        let circle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        assert_eq!(concluded(&circle, 0, 9), circle);
    }

    /// By hand, if the shortest is 4: 4, 8, 12, 18, 27 and so on, in sum 23,241 after 19 and 34,864 after 20.
    #[test]
    fn from_a_draw_to_a_mate_it_is_twenty_strides() {
        let strides = std::iter::successors(Some(4), |&stride| Some(longer(stride, 4)));
        let sums = strides.scan(0, |sum, stride| {
            *sum += stride;
            Some(*sum)
        });
        assert_eq!((longer(0, 4), longer(12, 4), longer(27, 4)), (4, 18, 40));
        assert_eq!(sums.take_while(|&sum| sum < MATE).count() + 1, 20);
    }

    /// By hand, at the usual end of what is narrowed.
    #[test]
    fn a_window_is_opened_only_beyond_the_most() {
        let p = &Params::DEFAULT;
        let most = p.aspiration_most;
        assert_eq!((ceiling(p, most), ceiling(p, most + 1)), (most, INFINITE));
        assert_eq!((floor(p, -most), floor(p, -most - 1)), (-most, -INFINITE));
    }

    /// A mate lies thousands of centipawns from the score before, and is found and proved all the same, with the whole
    /// line to it.
    #[test]
    fn a_mate_is_reached_in_few_strides() {
        for depth in [2, 6] {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
            let (_, result) = searched(Driver::Mtdf, fen, 1, limits);
            let best = result.root.best().expect("there is a move");
            let found = (best.mv.to_string(), best.score, best.line.len());
            assert_eq!(found, ("a1a6".to_owned(), mate_in(3), 3), "depth {depth}");
        }
    }
}
