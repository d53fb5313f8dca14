//! Playing weaker on request: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! A weak player sees less and is unsure of what it sees. So the search gets few nodes, looks for the best
//! eight moves, and the move is drawn: every score gets noise, and the best sum wins. [`LEVELS`] says how few
//! nodes and how much noise make which strength. Before the first iteration has come to its end there is no choice: it
//! is finished even where that takes more nodes, as it does up to 1400 in most positions. The levels were measured in
//! matches against Stockfish 15.1 limited to known `UCI_Elo`s, and between neighbouring levels:
//! `bench/runs/2026-11-30-elo/` has the games' results and the errors (14 to 79 points). Another network or
//! search moves them by hundreds of points. Between levels the logarithm of the nodes and the noise are interpolated,
//! and between the two highest the number of moves: the highest was measured with one, all others with eight. The
//! scale is that of Stockfish's option, not that of any rating list.
//!
//! To mate a bare king is what every player learns first, so against one all levels err little.

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

/// The fingerprint of the network that [`LEVELS`] were measured with: `docs/network.md` says what to do for another.
#[cfg(test)]
const MEASURED_WITH: &str = "676fbab0";
/// Rating, nodes for a move, and noise in centipawns, weakest first.
const LEVELS: [(i64, f64, f64); 10] = [
    (600, 60.0, 2000.0),
    (780, 100.0, 800.0),
    (1040, 150.0, 500.0),
    (1250, 200.0, 320.0),
    (1400, 250.0, 200.0),
    (1600, 1000.0, 120.0),
    (1820, 4000.0, 70.0),
    (1980, 16_000.0, 40.0),
    (2180, 64_000.0, 20.0),
    (2600, 256_000.0, 0.0),
];
/// Nodes for a move against a bare king, at least, and noise, at most.
const AGAINST_BARE_KING: (u64, f64) = (8000, 50.0);
/// A weak player's choice is among so many moves, with less noise than this among fewer.
const CANDIDATES: usize = 8;
const NOISE_OF_CANDIDATES: f64 = 20.0;
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
        let position = task.game.position();
        let (nodes, noise) = match position.color_bb(!position.side_to_move()).count() {
            1 => in_won_endings(strength(self.elo)),
            _ => strength(self.elo),
        };
        let candidates = candidates(noise);
        task.limits.nodes_once_answered = Some(nodes);
        // Lines beyond the candidates would cost the nodes that the choice needs.
        let shown = task.multipv.min(candidates);
        task.multipv = candidates;
        if candidates == 1 {
            return observer;
        }
        let rng = ChaCha8Rng::from_rng(&mut self.rng);
        Arc::new(Unsure::new(observer, shown, candidates.min(moves), noise, rng))
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

/// What these nodes and this noise are against a bare king.
fn in_won_endings((nodes, noise): (u64, f64)) -> (u64, f64) {
    let (least, most) = AGAINST_BARE_KING;
    (nodes.max(least), noise.min(most))
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

/// The move that a line begins with.
fn head(line: &Info) -> Option<Move> {
    line.pv.first().copied()
}

/// Listens to a search of several lines, passes on as many as were asked for, and draws the move.
///
/// It is drawn among the lines of the last iteration that came to an end, so that all are judged by the same
/// depth. What an aborted iteration says is therefore not passed on: the line of the move drawn would come
/// after a deeper one. Where several lines are shown and another than the first is drawn, all are told again in
/// their new order.
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

    /// The lines that take the place of those shown, so that the one of the move played stands first and no move in two
    /// ranks: none if it stands there already. Where one line is shown the session itself tells that of the move.
    fn told_again(&self, played: &Info, shown: usize) -> Vec<Info> {
        let stands_first = self.whole.first().is_none_or(|line| head(line) == head(played));
        if stands_first || shown == 1 {
            return Vec::new();
        }
        let &Info { nodes, time, hashfull, tbhits, .. } = played;
        let others = self.whole.iter().filter(|line| head(line) != head(played));
        let lines = std::iter::once(played).chain(others).take(shown).zip(1..);
        lines.map(|(line, multipv)| Info { multipv, nodes, time, hashfull, tbhits, ..line.clone() }).collect()
    }
}

impl Unsure {
    fn new(inner: Arc<dyn Observer>, shown: usize, ranks: usize, noise: f64, rng: ChaCha8Rng) -> Self {
        Unsure { inner, shown, ranks, noise, rng: Mutex::new(rng), heard: Mutex::default() }
    }

    /// The line whose score and noise together are greatest, as it is told at the end of the search; none if no
    /// iteration came to its end. The noise of each is the sum of two even throws, so small mistakes are likelier than
    /// great ones.
    fn draw(&self) -> Option<Info> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let mut throw = || self.noise * (rng.random::<f64>() + rng.random::<f64>() - 1.0);
        let throws: Vec<(f64, &Info)> =
            heard.whole.iter().map(|info| (f64::from(felt(info.score)) + throw(), info)).collect();
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
        let verdict = match if sure { None } else { self.draw() } {
            Some(info) => {
                let (best, ponder) = (head(&info), info.pv.get(1).copied());
                Verdict { best, ponder, info: Some(info), ..*verdict }
            }
            None => verdict.clone(),
        };
        if let Some(played) = &verdict.info {
            let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.told_again(played, self.shown).iter().for_each(|line| self.inner.info(line));
        }
        self.inner.verdict(&verdict);
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
    fn the_levels_are_those_of_the_embedded_network() {
        let embedded = crate::provenance::fingerprint(&nnue::Network::embedded());
        assert_eq!(embedded, MEASURED_WITH, "measure the levels again (docs/network.md)");
    }

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
            assert_eq!(candidates(noise), if noise == 0.0 { 1 } else { CANDIDATES }, "as it was measured");
        }
        let [.., (low, ..), (high, ..)] = LEVELS;
        let above: Vec<usize> = (low..=high).map(|elo| candidates(strength(elo).1)).collect();
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
            brain.go(Task { game: Game::default(), limits, multipv, analysis: false }, told.clone());
            brain.pool.wait();
            let lines = std::mem::take(&mut *told.0.lock().expect("no panic"));
            lines.into_iter().map(|line| (line.multipv, line.depth, line.nodes, line.pv)).collect::<Vec<_>>()
        };
        let one = told(1);
        assert!(one.iter().any(|line| line.1 == 7) && one.iter().all(|line| line.0 == 1), "{one:?}");
        assert_eq!(told(5), one);
    }

    /// All lines that a player of this rating tells in its first search, of so many lines.
    fn lines_told(elo: i64, position: Position, limits: Limits, multipv: usize) -> Vec<Info> {
        told_by_player(elo, Task { game: Game::new(position), limits, multipv, analysis: false })
    }

    /// All lines that a player of this rating tells in its first search.
    fn told_by_player(elo: i64, task: Task) -> Vec<Info> {
        let mut brain = PoolBrain::new().expect("a small table");
        brain.weakness = Weakness { on: true, elo, rng: ChaCha8Rng::seed_from_u64(1) };
        let told = Arc::new(Told::default());
        brain.go(task, told.clone());
        brain.pool.wait();
        std::mem::take(&mut *told.0.lock().expect("no panic"))
    }

    /// The least rating has 60 nodes for a move (`bench/runs/2026-11-30-elo`), or those of its first iteration.
    #[test]
    fn an_analysis_is_not_weakened() {
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let task = |analysis| Task { game: Game::default(), limits: limits.clone(), multipv: 1, analysis };
        let nodes = |analysis| told_by_player(600, task(analysis)).last().expect("a verdict").nodes;
        let [move_of_game, analysis] = [false, true].map(nodes);
        assert!(move_of_game < 2000 && analysis > 10_000, "{move_of_game}, {analysis}");
    }

    /// At 1600 they are 1000 (`bench/runs/2026-11-30-elo`): who asks for more makes the player no stronger.
    #[test]
    fn a_limit_of_nodes_only_lowers_those_of_a_rating() {
        for (nodes, searched) in [(None, 1000), (Some(20_000), 1000), (Some(700), 700), (Some(1), 1)] {
            let limits = Limits { nodes, ..Limits::default() };
            let told = lines_told(1600, Position::startpos(), limits, 1);
            assert_eq!(told.last().map(|line| line.nodes), Some(searched), "{nodes:?}");
        }
    }

    /// In a crowded position the first iteration takes more nodes than these ratings have.
    #[test]
    fn a_weak_player_knows_of_each_move_before_it_chooses() {
        let crowded = "2b4r/2p2pb1/rp1pkPp1/2Pp2Bp/p2P3P/PP1B2P1/Q4P2/2RK1N1R b - - 0 28";
        let searched = [600, 1501, 1502].map(|elo| {
            let position = Position::from_fen(crowded).expect("a legal FEN");
            let told = lines_told(elo, position, Limits::default(), 1);
            let last = told.last().expect("a verdict");
            assert!(last.depth >= 1, "{elo}: {last:?}");
            last.nodes
        });
        assert!(searched.is_sorted(), "{searched:?}");
    }

    /// Of two moves there are two lines, which make an iteration whole.
    #[test]
    fn a_weak_player_told_what_to_search_waits_for_no_other_lines() {
        let legal = |text| Position::startpos().parse_uci(text).expect("a legal move");
        let limits = Limits { search_moves: vec![legal("e2e4"), legal("d2d4")], ..Limits::default() };
        let lines = lines_told(1300, Position::startpos(), limits, 2);
        let first: Vec<_> = lines.iter().take(2).map(|line| (line.multipv, line.depth)).collect();
        assert_eq!(first, [(1, 1), (2, 1)], "{lines:?}");
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

    /// What stands in the ranks when all has been told, and the move that is played, where that is the last of three
    /// lines for sure or else drawn by this seed.
    fn final_ranks(shown: usize, sure: bool, seed: u64) -> (Vec<Option<Move>>, Move) {
        let whole = report(10, [("e2e4", 1), ("d2d4", 1), ("g1f3", 1)]);
        let mut aborted = report(20, [("g1f3", 2), ("e2e4", 1), ("d2d4", 1)]);
        if sure {
            aborted[0].score = mate_in(1);
        }
        let told = Arc::new(Told::default());
        let unsure = Unsure::new(told.clone(), shown, 3, 50.0, ChaCha8Rng::seed_from_u64(seed));
        whole.iter().chain(&aborted).for_each(|line| unsure.info(line));
        let (best, info) = (Some(aborted[0].pv[0]), Some(aborted[0].clone()));
        unsure.verdict(&Verdict { best, info, ..Verdict::default() });
        let told = std::mem::take(&mut *told.0.lock().expect("no panic"));
        assert!(told.iter().map(|line| line.nodes).is_sorted(), "{told:?}");
        let mut ranks = vec![None; shown];
        // A session tells the verdict's line where another is the first.
        told.iter().for_each(|line| ranks[line.multipv - 1] = Some(line.pv[0]));
        (ranks, told.last().expect("the verdict's line").pv[0])
    }

    /// Whatever is drawn, it stands in the first rank, and no move in two.
    #[test]
    fn no_move_stands_in_two_ranks() {
        for shown in [2, 3] {
            for sure in [false, true] {
                let mut all_played = HashSet::new();
                for seed in 0..100 {
                    let (ranks, played) = final_ranks(shown, sure, seed);
                    assert_eq!(ranks[0], Some(played), "seed {seed}: {ranks:?}");
                    let different: HashSet<Move> = ranks.iter().copied().flatten().collect();
                    assert_eq!(different.len(), shown, "seed {seed}: {ranks:?}");
                    all_played.insert(played);
                }
                assert_eq!(all_played.len(), if sure { 1 } else { 3 }, "{shown} lines");
            }
        }
    }

    /// It is the search's own.
    #[test]
    fn a_search_too_short_for_an_iteration_still_has_a_move() {
        let begun = report(5, [("e2e4", 1), ("d2d4", 0), ("g1f3", 0)]);
        let told = Arc::new(Told::default());
        let unsure = Unsure::new(told.clone(), 1, 3, 50.0, ChaCha8Rng::seed_from_u64(1));
        begun.iter().for_each(|line| unsure.info(line));
        let (best, info) = (Some(begun[0].pv[0]), Some(begun[0].clone()));
        unsure.verdict(&Verdict { best, info, ..Verdict::default() });
        assert_eq!(*told.0.lock().expect("no panic"), begun[..1]);
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
            let (game, limits) = (game.clone(), Limits::default());
            brain.go(Task { game, limits, multipv: 1, analysis: false }, told.clone());
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
            ("8/8/4k3/8/8/4K3/4Q3/8", 2250),
            ("8/8/8/4k3/8/8/4K3/R6R", 2250),
            ("8/8/4k3/8/8/4K3/4Q3/8", 600),
            ("8/8/8/4k3/8/8/4K3/R6R", 600),
            ("8/8/8/4k3/8/8/4K3/R2N4", 2250),
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
