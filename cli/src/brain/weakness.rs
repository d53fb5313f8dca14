//! Playing weaker on request: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! A weak player sees less and is unsure of what it sees. So the search gets few nodes, looks for the best
//! eight moves, and the move is drawn: every score gets noise, and the best sum wins. [`LEVELS`] says how few
//! nodes and how much noise make which strength; where there are too many moves for the nodes (below 900 nearly
//! always, up to 1200 in crowded positions), one iteration is searched, which was not measured apart. The levels
//! were measured in matches against Stockfish 15.1 limited to known `UCI_Elo`s, and between neighbouring levels:
//! `bench/runs/2026-11-21-elo/` has the games' results, the errors (some 50 to 80 points) and what was guessed.
//! Between levels the logarithm of the nodes and the noise are interpolated, and above 1950 the number of moves: the
//! highest level was measured with one, all others with eight. The scale is that of Stockfish's option, not that of
//! any rating list.

use chess::Move;
use protocol::brain::Task;
use protocol::option::{OptionSpec, Value};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, Mutex, PoisonError};
use thinking::report::{Info, Observer, Verdict};
use thinking::score::{MATE, MATE_BOUND, Score, is_mate};

const LIMIT: &str = "UCI_LimitStrength";
const ELO: &str = "UCI_Elo";

/// Rating, nodes for a move, and noise in centipawns, weakest first. The lowest rating is guessed: it lost
/// every game.
const LEVELS: [(i64, f64, f64); 6] = [
    (600, 250.0, 200.0),
    (1200, 1000.0, 120.0),
    (1400, 4000.0, 70.0),
    (1750, 16_000.0, 40.0),
    (1950, 64_000.0, 20.0),
    (2450, 256_000.0, 0.0),
];
/// A weak player's choice is among so many moves, with less noise than this among fewer.
const CANDIDATES: usize = 8;
const NOISE_OF_CANDIDATES: f64 = 20.0;
/// With fewer nodes for each move of each line it is uncertain that a first iteration comes to its end, and before
/// that there is no choice: then that iteration is the limit. Quiet moves need one node, wild ones up to four.
const NODES_FOR_A_MOVE: usize = 3;
/// A mate that is seen within so many plies is given: no player is that unsure.
const NEAR: Score = 3;
/// What a ply nearer to a mate is worth, in centipawns: as much as noise can hide from a weak player only.
const PLY_TO_MATE: Score = 50;

/// What a user may set.
pub(super) fn options() -> Vec<OptionSpec> {
    let (weakest, strongest) = (LEVELS[0].0, LEVELS[LEVELS.len() - 1].0);
    vec![OptionSpec::check(LIMIT, false), OptionSpec::spin(ELO, strongest, weakest, strongest)]
}

/// How weak to play.
pub(super) struct Weakness {
    on: bool,
    elo: i64,
    rng: ChaCha8Rng,
}

impl Default for Weakness {
    fn default() -> Self {
        Weakness { on: false, elo: LEVELS[LEVELS.len() - 1].0, rng: ChaCha8Rng::from_os_rng() }
    }
}

impl Weakness {
    /// Sets an option; `None` if it is none of these.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>> {
        match (name, value) {
            (LIMIT, &Value::Check(on)) => self.on = on,
            (ELO, &Value::Spin(elo)) => self.elo = elo,
            _ => return None,
        }
        Some(Ok(()))
    }

    /// Was a weak player asked for?
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Makes a search a weak player's, if one was asked for; the observer returned draws the move.
    pub(super) fn weaken(&mut self, task: &mut Task, observer: Arc<dyn Observer>) -> Arc<dyn Observer> {
        if !self.on {
            return observer;
        }
        let only = task.limits.search_moves.len();
        let moves = if only > 0 { only } else { task.game.position().count_legal() };
        let (nodes, noise) = strength(self.elo);
        let candidates = candidates(noise);
        let lines = candidates.min(moves);
        if nodes < (NODES_FOR_A_MOVE * lines * (moves + 1)) as u64 {
            task.limits.depth = Some(1);
        } else {
            task.limits.nodes = Some(task.limits.nodes.map_or(nodes, |other| other.min(nodes)));
        }
        // Lines beyond the candidates would cost the nodes that the choice needs.
        let shown = task.multipv.min(candidates);
        task.multipv = candidates;
        if candidates == 1 {
            return observer;
        }
        let rng = ChaCha8Rng::from_rng(&mut self.rng);
        Arc::new(Unsure::new(observer, shown, lines, noise, rng))
    }
}

/// Nodes and noise for a rating.
fn strength(elo: i64) -> (u64, f64) {
    let upper = LEVELS.iter().position(|level| level.0 >= elo).unwrap_or(LEVELS.len() - 1).max(1);
    let ((low, few, much), (high, many, little)) = (LEVELS[upper - 1], LEVELS[upper]);
    let share = ((elo - low) as f64 / (high - low) as f64).clamp(0.0, 1.0);
    let nodes = few * (many / few).powf(share);
    (nodes as u64, much + (little - much) * share)
}

/// Among how many moves the choice is.
fn candidates(noise: f64) -> usize {
    ((CANDIDATES as f64 * noise / NOISE_OF_CANDIDATES).ceil() as usize).clamp(1, CANDIDATES)
}

/// What the draw makes of a score: the same, but mates are as far apart as noise can tell, or moves on the way to a
/// mate would be drawn from all alike and lead nowhere.
fn felt(score: Score) -> Score {
    let nearer = if is_mate(score) { score.abs() - MATE_BOUND } else { 0 };
    score + score.signum() * nearer * (PLY_TO_MATE - 1)
}

/// Listens to a search of several lines, passes on as many as were asked for, and draws the move.
///
/// It is drawn among the lines of the last iteration that came to an end, so that all are judged by the same
/// depth. What an aborted iteration says is therefore not passed on: the line of the move drawn would come
/// after a deeper one.
struct Unsure {
    inner: Arc<dyn Observer>,
    shown: usize,
    /// Lines of a whole iteration.
    ranks: usize,
    noise: f64,
    rng: Mutex<ChaCha8Rng>,
    heard: Mutex<Heard>,
}

/// What a search has told.
#[derive(Default)]
struct Heard {
    /// The lines of the last iteration that came to an end.
    whole: Vec<Info>,
    /// The lines told last: all ranks of an iteration, together.
    last: Vec<Info>,
}

impl Heard {
    /// Takes in a line; is it the last one of a whole iteration? The moves that an aborted one did not come
    /// to are told with the depth of the iteration before.
    fn hear(&mut self, info: &Info, ranks: usize) -> bool {
        if info.multipv == 1 {
            self.last.clear();
        }
        self.last.push(info.clone());
        let whole = self.last.len() == ranks
            && self.last.iter().all(|line| line.depth == self.last[0].depth)
            && self.whole.first().is_none_or(|line| line.depth <= self.last[0].depth);
        if whole {
            self.whole.clone_from(&self.last);
        }
        whole
    }
}

impl Unsure {
    fn new(inner: Arc<dyn Observer>, shown: usize, ranks: usize, noise: f64, rng: ChaCha8Rng) -> Self {
        Unsure { inner, shown, ranks, noise, rng: Mutex::new(rng), heard: Mutex::default() }
    }

    /// The line whose score and noise together are greatest, as it is told at the end of the search. The
    /// noise of each is the sum of two even throws, so small mistakes are likelier than great ones.
    fn draw(&self) -> Option<Info> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let mut throw = || self.noise * (rng.random::<f64>() + rng.random::<f64>() - 1.0);
        // A search too short for one iteration has told only what it began.
        let lines = if heard.whole.is_empty() { &heard.last } else { &heard.whole };
        let throws: Vec<(f64, &Info)> =
            lines.iter().map(|info| (f64::from(felt(info.score)) + throw(), info)).collect();
        let (_, drawn) = throws.into_iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
        let &Info { nodes, time, hashfull, tbhits, .. } = heard.last.last()?;
        Some(Info { multipv: 1, nodes, time, hashfull, tbhits, ..drawn.clone() })
    }
}

impl Observer for Unsure {
    fn info(&self, info: &Info) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.hear(info, self.ranks) {
            heard.whole.iter().take(self.shown).for_each(|line| self.inner.info(line));
        }
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.inner.root_move(depth, current, index, total);
    }

    fn remark(&self, text: &str) {
        self.inner.remark(text);
    }

    fn verdict(&self, verdict: &Verdict) {
        let sure = verdict.info.as_ref().is_some_and(|info| info.score >= MATE - NEAR);
        match if sure { None } else { self.draw() } {
            Some(info) => {
                let (best, ponder) = (info.pv.first().copied(), info.pv.get(1).copied());
                self.inner.verdict(&Verdict { best, ponder, info: Some(info), ..*verdict });
            }
            None => self.inner.verdict(verdict),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brain::PoolBrain;
    use chess::{Game, Outcome, Position};
    use protocol::brain::Brain;
    use std::collections::HashSet;
    use std::time::Duration;
    use thinking::report::{Bound, Limits};
    use thinking::score::{mate_in, mated_in};

    #[test]
    fn more_rating_means_more_nodes_and_less_noise() {
        for levels in LEVELS.windows(2) {
            assert!(levels[0].0 < levels[1].0 && levels[0].1 < levels[1].1 && levels[0].2 > levels[1].2);
        }
        let (mut nodes, mut noise) = (0, f64::INFINITY);
        for elo in LEVELS[0].0..=LEVELS[LEVELS.len() - 1].0 {
            let (more, less) = strength(elo);
            assert!(more >= nodes && less <= noise, "at {elo}");
            (nodes, noise) = (more, less);
        }
        for (elo, nodes, noise) in LEVELS {
            assert_eq!(strength(elo), (nodes as u64, noise));
            assert_eq!(candidates(noise), if elo == 2450 { 1 } else { CANDIDATES }, "as it was measured");
        }
        let above: Vec<usize> = (1950..=2450).map(|elo| candidates(strength(elo).1)).collect();
        assert!(above.windows(2).all(|two| two[0] - two[1] <= 1), "one at a time: {above:?}");
    }

    /// Keeps the best line of each report that reaches the session, and the verdict's.
    #[derive(Default)]
    struct Told(Mutex<Vec<Info>>);

    impl Observer for Told {
        fn info(&self, info: &Info) {
            self.0.lock().expect("no panic").push(info.clone());
        }

        fn verdict(&self, verdict: &Verdict) {
            let info = verdict.info.clone().expect("a line");
            assert_eq!(verdict.best, info.pv.first().copied());
            self.0.lock().expect("no panic").push(info);
        }
    }

    /// A rating's nodes are those of its own lines, whatever else is asked for.
    #[test]
    fn the_strongest_level_searches_one_line() {
        let told = |multipv| {
            let mut brain = PoolBrain::new().expect("a small table");
            brain.weakness = Weakness { on: true, ..Weakness::default() };
            let told = Arc::new(Told::default());
            let limits = Limits { depth: Some(7), ..Limits::default() };
            brain.go(Task { game: Game::default(), limits, multipv }, told.clone());
            brain.pool.wait();
            let lines = std::mem::take(&mut *told.0.lock().expect("no panic"));
            lines.into_iter().map(|line| (line.multipv, line.depth, line.nodes, line.pv)).collect::<Vec<_>>()
        };
        let one = told(1);
        assert!(one.iter().any(|line| line.1 == 7) && one.iter().all(|line| line.0 == 1), "{one:?}");
        assert_eq!(told(5), one);
    }

    /// The lines of a report, best first: moves and depths.
    fn report(nodes: u64, lines: [(&str, u32); 3]) -> Vec<Info> {
        let line = |(rank, (text, depth)): (usize, (&str, u32))| Info {
            depth,
            seldepth: depth,
            multipv: rank + 1,
            score: 30 * depth as Score - rank as Score,
            bound: Bound::Exact,
            nodes,
            time: Duration::from_millis(nodes),
            hashfull: 0,
            tbhits: 0,
            pv: vec![Position::startpos().parse_uci(text).expect("a legal move")],
        };
        lines.into_iter().enumerate().map(line).collect()
    }

    /// The last iteration is aborted after its first move.
    #[test]
    fn what_is_told_never_goes_backwards() {
        let whole = [
            report(10, [("e2e4", 1), ("d2d4", 1), ("g1f3", 1)]),
            report(20, [("d2d4", 2), ("e2e4", 2), ("g1f3", 2)]),
        ];
        let aborted = report(30, [("g1f3", 3), ("d2d4", 2), ("e2e4", 2)]);
        let mut drawn = HashSet::new();
        for seed in 0..100 {
            let told = Arc::new(Told::default());
            let unsure = Unsure::new(told.clone(), 1, 3, 50.0, ChaCha8Rng::seed_from_u64(seed));
            whole.iter().flatten().chain(&aborted).for_each(|line| unsure.info(line));
            let (best, info) = (Some(aborted[0].pv[0]), Some(aborted[0].clone()));
            unsure.verdict(&Verdict { best, info, ..Verdict::default() });
            let told = std::mem::take(&mut *told.0.lock().expect("no panic"));
            let counted: Vec<_> = told.iter().map(|line| (line.multipv, line.depth, line.nodes)).collect();
            assert_eq!(counted, [(1, 1, 10), (1, 2, 20), (1, 2, 30)], "seed {seed}");
            let told = &told[2];
            let known = whole[1].iter().find(|line| line.pv == told.pv).expect("a line of that iteration");
            assert_eq!((told.score, told.time), (known.score, Duration::from_millis(30)), "seed {seed}");
            drawn.insert(told.pv[0]);
        }
        assert_eq!(drawn.len(), 3, "each of the moves is drawn now and then");
    }

    #[test]
    fn a_search_too_short_for_an_iteration_still_has_a_move() {
        let begun = report(5, [("e2e4", 1), ("d2d4", 0), ("g1f3", 0)]);
        let told = Arc::new(Told::default());
        let unsure = Unsure::new(told.clone(), 1, 3, 50.0, ChaCha8Rng::seed_from_u64(1));
        begun.iter().for_each(|line| unsure.info(line));
        unsure.verdict(&Verdict::default());
        assert_eq!(told.0.lock().expect("no panic").len(), 1);
    }

    /// Which of three lines with these scores are drawn, by their ranks.
    fn drawn(noise: f64, scores: [Score; 3]) -> HashSet<usize> {
        let lines = report(10, [("e2e4", 20), ("d2d4", 20), ("g1f3", 20)]);
        let scored: Vec<Info> =
            lines.into_iter().zip(scores).map(|(line, score)| Info { score, ..line }).collect();
        let draw = |seed| {
            let unsure = Unsure::new(Arc::new(Told::default()), 1, 3, noise, ChaCha8Rng::seed_from_u64(seed));
            scored.iter().for_each(|line| unsure.info(line));
            let drawn = unsure.draw().expect("there are lines");
            scored.iter().position(|line| line.pv == drawn.pv).expect("one of them") + 1
        };
        (0..200).map(draw).collect()
    }

    /// Wins and mates are told apart as well as anything else, and so are losses.
    #[test]
    fn a_won_game_goes_on_to_its_end() {
        let (first, all) = (HashSet::from([1]), HashSet::from([1, 2, 3]));
        for (noise, scores, expected) in [
            (40.0, [mate_in(9), mate_in(11), mate_in(13)], &first),
            (40.0, [mate_in(21), 19_000, 2500], &first),
            (40.0, [3000, 2800, 2700], &first),
            (40.0, [mated_in(12), mated_in(10), mated_in(8)], &first),
            (40.0, [-2500, -2600, mated_in(8)], &first),
            (120.0, [mate_in(9), mate_in(11), mate_in(11)], &all),
            (120.0, [3000, 2990, 2980], &all),
        ] {
            assert_eq!(&drawn(noise, scores), expected, "{scores:?}");
        }
        assert!((-2000..=2000).all(|score| felt(score) == score), "no rating was measured beyond");
    }

    /// A choice of a player of this rating whose throws begin with this seed.
    fn player(elo: i64, seed: u64) -> impl FnMut(&Game) -> Move {
        let mut brain = PoolBrain::new().expect("a small table");
        brain.weakness = Weakness { on: true, elo, rng: ChaCha8Rng::seed_from_u64(seed) };
        move |game| {
            let told = Arc::new(Told::default());
            brain.go(Task { game: game.clone(), limits: Limits::default(), multipv: 1 }, told.clone());
            brain.pool.wait();
            let told = told.0.lock().expect("no panic");
            told.last().expect("a verdict").pv[0]
        }
    }

    /// Takes what it can, and otherwise keeps its king as near to the centre as it may.
    fn defence(game: &Game) -> Move {
        let from_centre = |place: u8| (2 * i32::from(place) - 7).abs();
        let bad = |&mv: &Move| {
            let takes = game.position().occupied().contains(mv.to());
            (!takes, from_centre(mv.to().file()) + from_centre(mv.to().rank()))
        };
        game.position().legal_moves().into_iter().min_by_key(bad).expect("the game goes on")
    }

    #[test]
    fn a_bare_king_is_mated() {
        for (board, elo) in [
            ("8/8/4k3/8/8/4K3/4Q3/8", 2000),
            ("8/8/8/4k3/8/8/4K3/R6R", 2000),
            ("8/8/4k3/8/8/4K3/4Q3/8", 1600),
            ("8/8/8/4k3/8/8/4K3/R6R", 1400),
            ("8/8/8/4k3/8/8/4K3/R2N4", 2000),
            ("8/8/8/4k3/8/8/4K3/RN5Q", 1400),
        ] {
            for seed in 0..3 {
                let mut choose = player(elo, seed);
                let start = Position::from_fen(&format!("{board} w - - 0 1")).expect("a legal FEN");
                let mut game = Game::new(start);
                while game.outcome().is_none() {
                    let white = game.moves().len().is_multiple_of(2);
                    let mv = if white { choose(&game) } else { defence(&game) };
                    game.play(mv).expect("a legal move");
                }
                let (end, plies) = (game.outcome(), game.moves().len());
                let is_mate = matches!(end, Some(Outcome::Checkmate { .. }));
                assert!(is_mate && plies < 100, "{board}, {elo}, {seed}: {end:?} after {plies} plies");
            }
        }
    }
}
