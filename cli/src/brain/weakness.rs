//! Playing weaker on request: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! A weak player sees less and is unsure of what it sees. So the search gets few nodes, looks for the best
//! eight moves, and the move is drawn: every score gets noise, and the best sum wins. [`LEVELS`] says how few
//! nodes and how much noise make which strength. It was measured in matches against Stockfish 15.1 limited to
//! known `UCI_Elo`s, and between neighbouring levels: `bench/runs/2026-11-21-elo/` has the games' results,
//! the errors (some 50 to 80 points) and what was guessed. Between levels the logarithm of the nodes and the
//! noise are interpolated. The scale is that of Stockfish's option, not that of any rating list.

use chess::Move;
use protocol::brain::Task;
use protocol::option::{OptionSpec, Value};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, Mutex, PoisonError};
use thinking::report::{Info, Observer, Verdict};
use thinking::score::{MATE_BOUND, Score};

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
/// A weak player's choice is among so many moves.
const CANDIDATES: usize = 8;
/// Scores beyond count as this, so that noise can hide even a mate.
const SATURATION: Score = 2_000;

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
        let (nodes, noise) = strength(self.elo);
        task.limits.nodes = Some(task.limits.nodes.map_or(nodes, |other| other.min(nodes)));
        let shown = task.multipv;
        task.multipv = if noise > 0.0 { shown.max(CANDIDATES) } else { shown };
        let rng = Mutex::new(ChaCha8Rng::from_rng(&mut self.rng));
        Arc::new(Unsure { inner: observer, shown, noise, rng, lines: Mutex::default() })
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

/// Listens to a search of several lines, passes on as many as were asked for, and draws the move.
struct Unsure {
    inner: Arc<dyn Observer>,
    shown: usize,
    noise: f64,
    rng: Mutex<ChaCha8Rng>,
    /// The last line of each rank.
    lines: Mutex<Vec<Info>>,
}

impl Unsure {
    /// The line whose score and noise together are greatest. The noise of each is the sum of two even throws,
    /// so small mistakes are likelier than great ones.
    fn draw(&self) -> Option<Info> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let mut throw = || self.noise * (rng.random::<f64>() + rng.random::<f64>() - 1.0);
        let felt = |info: &Info| f64::from(info.score.clamp(-SATURATION, SATURATION));
        let throws: Vec<(f64, &Info)> = lines.iter().map(|info| (felt(info) + throw(), info)).collect();
        let best = throws.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
        best.map(|(_, info)| info.clone())
    }
}

impl Observer for Unsure {
    fn info(&self, info: &Info) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        // Ranks are told in order; a line of less depth is old and its move may have another rank now.
        if info.multipv == 1 && lines.first().is_some_and(|first| first.depth < info.depth) {
            lines.retain(|line| line.depth + 1 >= info.depth && line.pv.first() != info.pv.first());
        }
        match lines.iter_mut().find(|line| line.pv.first() == info.pv.first()) {
            Some(line) => *line = info.clone(),
            None => lines.push(info.clone()),
        }
        drop(lines);
        if info.multipv <= self.shown {
            self.inner.info(info);
        }
    }

    fn root_move(&self, depth: u32, current: Move, index: usize, total: usize) {
        self.inner.root_move(depth, current, index, total);
    }

    fn verdict(&self, verdict: &Verdict) {
        // A mate that is seen and near is given: nobody is that unsure.
        let sure = verdict.info.as_ref().is_some_and(|info| info.score >= MATE_BOUND && info.depth <= 3);
        let drawn = if self.noise > 0.0 && !sure { self.draw() } else { None };
        match drawn {
            Some(info) if info.pv.first() != verdict.best.as_ref() => {
                let (best, ponder) = (info.pv.first().copied(), info.pv.get(1).copied());
                let info = Some(Info { multipv: 1, ..info });
                self.inner.verdict(&Verdict { best, ponder, info });
            }
            _ => self.inner.verdict(verdict),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        }
    }
}
