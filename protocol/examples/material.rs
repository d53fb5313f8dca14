//! The smallest engine that can be played with: it looks one move ahead, counts material, and rolls dice among equals.
//!
//! It exists to try the sessions under real clients without the real engine: `cargo run -p protocol --example material`
//! speaks UCI and xboard on stdin like the real one.

use chess::{Move, PieceKind, Position};
use crossbeam::channel::{Receiver, Sender, unbounded};
use protocol::brain::{Brain, Chore, Task};
use protocol::option::{OptionSpec, Value};
use protocol::session::{Identity, run};
use std::hash::{BuildHasher, Hasher};
use std::io::BufReader;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thinking::report::{Bound, Info, Limits, Observer, Verdict};

/// What the session tells a running search.
enum Word {
    Stop,
    PonderHit,
}

#[derive(Default)]
struct Material {
    words: Option<Sender<Word>>,
}

fn main() {
    let identity =
        Identity { name: "Material 1".into(), author: "nobody".into(), build: "an example".into() };
    let input = BufReader::new(std::io::stdin());
    let _ = run(&identity, None, input, &mut std::io::stdout(), &mut Material::default(), &mut |_| ());
}

impl Brain for Material {
    fn go(&mut self, task: Task, observer: Arc<dyn Observer>) {
        let (sender, words) = unbounded();
        self.words = Some(sender);
        std::thread::spawn(move || think(&task, &*observer, &words));
    }

    fn stop(&mut self) {
        self.words.iter().for_each(|words| drop(words.send(Word::Stop)));
    }

    fn ponderhit(&mut self, _: Instant) {
        self.words.iter().for_each(|words| drop(words.send(Word::PonderHit)));
    }

    fn nodes(&self) -> u64 {
        0
    }

    fn new_game(&mut self) {}

    fn set_threads(&mut self, _: usize) -> Result<usize, String> {
        Ok(1)
    }

    fn searching_threads(&self, _: bool) -> usize {
        1
    }

    fn set_hash(&mut self, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn clear_hash(&mut self) {}

    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }

    fn set_option(&mut self, name: &str, _: &Value) -> Result<(), String> {
        Err(format!("no option {name}"))
    }

    fn book(&self, _: &Position) -> Vec<(Move, u32)> {
        Vec::new()
    }

    fn evaluate(&self, position: &Position) -> String {
        format!("material {}", material(position))
    }

    fn bench(&self) -> Chore {
        Box::new(|print| print("1 nodes 1 nps".into()))
    }
}

/// Centipawns for the side to move.
fn material(position: &Position) -> i32 {
    let side = position.side_to_move();
    let values = PieceKind::ALL.into_iter().zip([100, 300, 310, 500, 900, 0]);
    values
        .map(|(kind, value)| {
            let (own, theirs) = (position.pieces(side, kind).count(), position.pieces(!side, kind).count());
            (own as i32 - theirs as i32) * value
        })
        .sum()
}

/// Another number every time.
fn dice_throw() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// The moves of a position, best first, with the reply expected after the best.
fn ranked(position: &Position, salt: u64) -> Vec<(i32, Move)> {
    let score = |mv: Move| {
        let after = position.after(mv);
        if !after.has_legal_move() {
            return if after.in_check() { 31_999 } else { 0 };
        }
        let best_reply = after.legal_moves().into_iter().map(|reply| -material(&after.after(reply))).max();
        -best_reply.unwrap_or(0)
    };
    let dice = |mv: Move| position.after(mv).key().wrapping_mul(salt | 1) >> 7;
    let mut moves: Vec<(i32, Move)> = position.legal_moves().into_iter().map(|mv| (score(mv), mv)).collect();
    moves.sort_by_key(|&(score, mv)| (-score, dice(mv)));
    moves
}

fn think(task: &Task, observer: &dyn Observer, words: &Receiver<Word>) {
    let began = Instant::now();
    let position = task.game.position();
    let allowed = |mv: &Move| task.limits.search_moves.is_empty() || task.limits.search_moves.contains(mv);
    let moves: Vec<(i32, Move)> =
        ranked(position, dice_throw()).into_iter().filter(|(_, mv)| allowed(mv)).collect();
    let mut verdict = Verdict::default();
    for (rank, &(score, mv)) in moves.iter().take(task.multipv).enumerate() {
        observer.root_move(2, mv, rank + 1, moves.len());
        let reply = ranked(&position.after(mv), 1).first().map(|&(_, reply)| reply);
        let pv: Vec<Move> = [Some(mv), reply].into_iter().flatten().collect();
        let (nodes, time) = (moves.len() as u64, began.elapsed());
        let info = Info {
            depth: 2,
            seldepth: 2,
            multipv: rank + 1,
            score,
            bound: Bound::Exact,
            nodes,
            time,
            hashfull: 0,
            tbhits: 0,
            pv,
        };
        observer.info(&info);
        if rank == 0 {
            verdict = Verdict { best: Some(mv), ponder: reply, finished: info.depth, info: Some(info) };
        }
    }
    wait(&task.limits, words);
    observer.verdict(&verdict);
}

/// A little of the time allowed, so that clients see an engine that thinks.
fn wait(limits: &Limits, words: &Receiver<Word>) {
    if (limits.infinite || limits.ponder) && matches!(words.recv(), Err(_) | Ok(Word::Stop)) {
        return;
    }
    let clock = limits.clock.map_or(Duration::from_millis(5), |clock| clock.remaining / 100);
    let _ = words.recv_timeout(limits.movetime.unwrap_or(clock).min(clock));
}
