//! Test suites: positions with a move to find (`bm`) or to avoid (`am`).

use chess::{Game, Move, epd::Epd};
use engine::worker::Task;
use parking_lot::Mutex;
use smp::pool::Pool;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use thinking::report::{Info, Limits, Observer, Verdict};

/// How long a suite that is stopped may go on searching.
const PATIENCE: Duration = Duration::from_millis(50);

/// What became of one position.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Outcome {
    /// The position's name, or its number from 1.
    pub id: String,
    /// Was the final move right?
    pub solved: bool,
    /// The final move, in SAN.
    #[serde(rename = "move")]
    pub played: String,
    /// Depth of the last iteration that was finished, in plies.
    pub depth: u32,
    /// Time in milliseconds from which on a right move was held to the end; the whole time if it was not.
    pub time_ms: u64,
    /// Nodes over all threads.
    pub nodes: u64,
}

/// Is this move an answer to the position? With neither `bm` nor `am` nothing is.
fn solves(epd: &Epd, mv: Move) -> bool {
    let wanted = epd.best.is_empty() || epd.best.contains(&mv);
    (!epd.best.is_empty() || !epd.avoid.is_empty()) && wanted && !epd.avoid.contains(&mv)
}

/// Watches since when the best move has been right.
struct Watch {
    epd: Epd,
    right_since: Mutex<Option<Duration>>,
    last: Mutex<Option<Verdict>>,
    over: Sender<()>,
}

impl Observer for Watch {
    fn info(&self, info: &Info) {
        let right = info.multipv == 1 && info.pv.first().is_some_and(|&mv| solves(&self.epd, mv));
        let mut since = self.right_since.lock();
        if !right {
            *since = None;
        } else if since.is_none() {
            *since = Some(info.time);
        }
    }

    fn verdict(&self, verdict: &Verdict) {
        *self.last.lock() = Some(verdict.clone());
        // There is no listener any more once the pool is being dropped.
        let _ = self.over.send(());
    }
}

/// Searches one position from a clean slate. `number` names it if it has no id. `None` once `stop` is set: a search that
/// is broken off has solved nothing and missed nothing.
pub fn solve(
    pool: &mut Pool,
    epd: &Epd,
    number: usize,
    limits: &Limits,
    stop: &AtomicBool,
) -> Option<Outcome> {
    let (sender, over) = channel();
    let (right_since, last) = (Mutex::new(None), Mutex::new(None));
    let watch = Arc::new(Watch { epd: epd.clone(), right_since, last, over: sender });
    pool.new_game();
    let task = Task::from(&Game::new(epd.position.clone()));
    pool.go(task, limits.clone(), 1, Arc::clone(&watch) as Arc<dyn Observer>);
    while let Err(RecvTimeoutError::Timeout) = over.recv_timeout(PATIENCE) {
        if stop.load(Relaxed) {
            pool.stop();
        }
    }
    pool.wait();
    if stop.load(Relaxed) {
        return None;
    }
    let verdict = watch.last.lock().take().unwrap_or_default();
    let solved = verdict.best.is_some_and(|mv| solves(epd, mv));
    let info = verdict.info.as_ref();
    let whole = info.map_or(Duration::ZERO, |info| info.time);
    let time = if solved { watch.right_since.lock().unwrap_or(whole) } else { whole };
    Some(Outcome {
        id: epd.id.clone().unwrap_or_else(|| number.to_string()),
        solved,
        played: verdict.best.map_or("-".to_string(), |mv| epd.position.san(mv)),
        depth: verdict.finished,
        time_ms: time.as_millis() as u64,
        nodes: pool.nodes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use thinking::report::Bound;

    /// A right move that the search gave up in between was not held.
    #[test]
    fn a_right_move_counts_from_when_it_is_held_to_the_end() {
        let epd: Epd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;".parse().unwrap();
        let [right, wrong] = ["e4", "d4"].map(|san| epd.position.parse_san(san).unwrap());
        let (right_since, last) = (Mutex::new(None), Mutex::new(None));
        let watch = Watch { epd, right_since, last, over: channel().0 };
        for (mv, ms, since) in [
            (right, 10, Some(10)),
            (wrong, 20, None),
            (right, 30, Some(30)),
            (right, 40, Some(30)),
            (wrong, 50, None),
        ] {
            watch.info(&Info {
                depth: 1,
                seldepth: 1,
                multipv: 1,
                score: 0,
                bound: Bound::Exact,
                nodes: 1,
                time: Duration::from_millis(ms),
                hashfull: 0,
                tbhits: 0,
                pv: vec![mv],
            });
            assert_eq!(*watch.right_since.lock(), since.map(Duration::from_millis), "at {ms} ms");
        }
    }
}
