//! Plain alpha-beta, as a textbook has it: no table, no principal variation search, one thread, one window. What an exact
//! search is held against. It shares the rules of chess, the evaluation of a position and the choice of moves in
//! quiescence with the engine, and no line of its search.

use chess::{Move, PieceKind, Position};
use engine::eval::Evaluator;
use engine::history::{Contexts, History};
use engine::params::Params;
use engine::picker::Picker;
use engine::worker::Task;
use nnue::Network;
use thinking::score::{DRAW, INFINITE, Score, mated_in};

/// Searches on its own.
pub struct Plain {
    evaluator: Evaluator,
    history: History,
    /// Keys of the positions from the game's last capture or pawn move to the one being searched.
    path: Vec<u64>,
    /// How many of them lie before the root.
    before_root: usize,
    /// Positions searched so far, over all searches.
    pub nodes: u64,
}

impl Plain {
    pub fn new() -> Self {
        let mut evaluator = Evaluator::default();
        evaluator.choose(Some(&Network::embedded()));
        Plain { evaluator, history: History::default(), path: Vec::new(), before_root: 0, nodes: 0 }
    }

    /// The value of a task's position to a depth of at least one ply.
    pub fn value(&mut self, task: &Task, depth: u32) -> Score {
        self.begin(task);
        self.moves(&task.position, depth, 0, -INFINITE, INFINITE)
    }

    /// What that search makes of the position to which these moves lead, one at least and no more than the depth has,
    /// from the view of the root.
    pub fn value_behind(&mut self, task: &Task, line: &[Move], depth: u32) -> Score {
        self.begin(task);
        let mut position = task.position.clone();
        for (ply, &mv) in line.iter().enumerate() {
            if ply > 0 {
                self.path.push(position.key());
            }
            position.play(mv);
        }
        let (ply, left) = (line.len(), depth - line.len() as u32);
        let value = self.below(&position, left, ply, -INFINITE, INFINITE);
        if ply.is_multiple_of(2) { value } else { -value }
    }

    /// The path to a task's position.
    fn begin(&mut self, task: &Task) {
        self.path.clear();
        self.path.extend_from_slice(&task.earlier);
        self.before_root = self.path.len();
        self.path.push(task.position.key());
    }

    /// The value of a position on the path, unless it is drawn.
    fn below(&mut self, position: &Position, depth: u32, ply: usize, alpha: Score, beta: Score) -> Score {
        self.nodes += 1;
        self.path.push(position.key());
        let score = if self.is_drawn(position) {
            DRAW
        } else if depth == 0 {
            self.quiet(position, ply, alpha, beta)
        } else {
            self.moves(position, depth, ply, alpha, beta)
        };
        self.path.pop();
        score
    }

    /// The best of a position's moves.
    fn moves(&mut self, position: &Position, depth: u32, ply: usize, mut alpha: Score, beta: Score) -> Score {
        let mut best = if position.in_check() { mated_in(ply) } else { DRAW };
        let moves = position.legal_moves();
        if !moves.is_empty() {
            best = -INFINITE;
        }
        for mv in moves {
            let child = position.after(mv);
            best = best.max(-self.below(&child, depth - 1, ply + 1, -beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The value once the captures are over: those that lose no material, and in check every move.
    fn quiet(&mut self, position: &Position, ply: usize, mut alpha: Score, beta: Score) -> Score {
        let mut best = if position.in_check() { mated_in(ply) } else { self.static_value(position, ply) };
        alpha = alpha.max(best);
        let mut moves = Picker::quiescent(position, None, false);
        while alpha < beta {
            let merit = self.history.at(Contexts::default(), position.attacked_by(!position.side_to_move()));
            let Some(mv) = moves.next(position, merit) else { break };
            let child = position.after(mv);
            best = best.max(-self.below(&child, 0, ply + 1, -beta, -alpha));
            alpha = alpha.max(best);
        }
        best
    }

    /// The evaluation, which grows with the material and fades as the fifty-move rule comes near.
    fn static_value(&mut self, position: &Position, ply: usize) -> Score {
        // Pawns to queens of both sides, with the values of `by_material` in engine/src/steps.rs.
        let count = |kind: PieceKind| position.kind_bb(kind).count() as Score;
        let [pawns, knights, bishops, rooks, queens] =
            [PieceKind::Pawn, PieceKind::Knight, PieceKind::Bishop, PieceKind::Rook, PieceKind::Queen]
                .map(count);
        let material = 100 * pawns + 422 * (knights + bishops) + 642 * rooks + 1015 * queens;
        let eval =
            self.evaluator.evaluate(position, ply) * (Params::DEFAULT.material_base + material) / 32_768;
        eval * (200 - position.halfmove_clock() as Score) / 200
    }

    /// By material, by fifty moves, or by repetition: of a position since the root once, of one before it twice.
    fn is_drawn(&self, position: &Position) -> bool {
        let clock = position.halfmove_clock() as usize;
        let fifty = clock >= 100 && (!position.in_check() || position.has_legal_move());
        let here = self.path.len() - 1;
        let earlier = &self.path[here - clock.min(here)..here];
        let first = here - earlier.len();
        let same = earlier.iter().enumerate().filter(|&(_, &key)| key == position.key());
        let places: Vec<usize> = same.map(|(place, _)| first + place).collect();
        let repeated = places.len() >= 2 || places.iter().any(|&place| place >= self.before_root);
        fifty || repeated || position.insufficient_material()
    }
}
