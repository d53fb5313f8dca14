//! Chess as a game tree, over the rules of the `chess` room.
//!
//! Move ordering is M's: "safe captures ahead of other moves", a capture being safe when the exchange on its
//! square does not lose material. The root has the sources' extensive analysis ([`Node::root_analysis`]),
//! which looks at what the reply takes back, at mobility and at checks. Repetition and the fifty-move count
//! are left out, so that a position's value depends on nothing but the position; [`super::repetition`] adds
//! repetition back where its effect on tables is the question.

use super::chess_value::{WORTH, evaluate, material};
use crate::node::{Nature, Node, Value, WIN};
use crate::tally::Tally;
use chess::{Color, Move, MoveKind, PieceKind, Position, Square};

/// A chess position in a tree, with the square of the capture that led to it.
#[derive(Clone, Debug)]
pub struct ChessGame {
    position: Position,
    captured_on: Option<Square>,
}

impl ChessGame {
    /// A root.
    pub fn new(position: Position) -> Self {
        Self { position, captured_on: None }
    }

    /// The position itself.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What `m` gains in exchange on its square, found by asking the yes-or-no question with halved steps.
    fn exchange(&self, m: Move) -> Value {
        let (mut at_least, mut below) = (-1000, 2000);
        while below - at_least > 1 {
            let middle = at_least + (below - at_least) / 2;
            if self.position.see_ge(m, middle) { at_least = middle } else { below = middle }
        }
        at_least
    }

    fn victim_and_attacker(&self, m: Move) -> Option<(Value, Value)> {
        let victim = self.position.captured(m)?;
        let attacker = self.position.kind_on(m.from())?;
        Some((WORTH[victim.index()], WORTH[attacker.index()]))
    }
}

/// Above every ordering score of a quiet move.
const CAPTURE: i32 = 10_000;

impl Node for ChessGame {
    type Move = Move;
    const MOVE_CODES: usize = 2 * 64 * 64;
    const GOAL: Value = WIN;

    fn moves(&self) -> Vec<Move> {
        self.position.legal_moves().to_vec()
    }

    fn child(&self, m: Move) -> Self {
        let captured_on = self.position.is_capture(m).then(|| m.to());
        Self { position: self.position.after(m), captured_on }
    }

    fn evaluate(&self) -> Value {
        evaluate(&self.position)
    }

    fn final_value(&self, height: u32) -> Value {
        if self.position.in_check() { -WIN - height as Value } else { 0 }
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn key_without_side(&self) -> u64 {
        let black = self.position.side_to_move() == Color::Black;
        self.key() ^ if black { chess::zobrist::SIDE } else { 0 }
    }

    fn move_code(&self, m: Move) -> usize {
        (self.position.side_to_move().index() * 64 + m.from().index()) * 64 + m.to().index()
    }

    fn is_legal(&self, m: Move) -> bool {
        self.position.is_legal(m)
    }

    fn static_order(&self, m: Move) -> i32 {
        let capture = self.victim_and_attacker(m);
        if capture.is_some() && !self.position.see_ge(m, 0) {
            return -1;
        }
        let promotion = m.promotion().map_or(0, |kind| WORTH[kind.index()] - WORTH[0]);
        match capture {
            Some((victim, attacker)) => CAPTURE + 10 * (victim + promotion) - attacker / 10,
            None if m.promotion() == Some(PieceKind::Queen) => CAPTURE + 10 * promotion,
            None => 0,
        }
    }

    fn root_analysis(&self, m: Move, tally: &mut Tally) -> i32 {
        let child = self.child(m);
        let replies = child.position.count_legal() as Value;
        let mobility = child.pass().map_or(0, |again| again.position.count_legal() as Value - replies);
        let check = if child.in_check() { 20 } else { 0 };
        -tally.evaluate(&child) - child.best_exchange() + 2 * mobility + check
    }

    fn nature(&self, m: Move) -> Nature {
        let capture = self.victim_and_attacker(m);
        let pawn = self.position.kind_on(m.from()) == Some(PieceKind::Pawn);
        let last_but_one = if self.position.side_to_move().index() == 0 { 6 } else { 1 };
        Nature {
            capture,
            promotion: m.kind() == MoveKind::Promotion,
            promotion_threat: pawn && m.to().rank() == last_but_one,
            recapture: capture.is_some() && self.captured_on == Some(m.to()),
        }
    }

    fn in_check(&self) -> bool {
        self.position.in_check()
    }

    fn pass(&self) -> Option<Self> {
        Some(Self { position: self.position.after_null()?, captured_on: None })
    }

    fn best_exchange(&self) -> Value {
        let moves = self.moves().into_iter().filter(|&m| self.nature(m).is_tactical());
        moves.map(|m| self.exchange(m)).max().unwrap_or(0).max(0)
    }

    fn material(&self) -> Value {
        material(&self.position)
    }

    fn name(&self, m: Move) -> String {
        self.position.san(m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str) -> ChessGame {
        ChessGame::new(Position::from_fen(fen).unwrap())
    }

    #[test]
    fn safe_captures_come_first_and_losing_ones_do_not() {
        // Pawn takes queen is safe; queen takes the protected pawn is not.
        let node = game("4k3/2p5/3p4/q7/1P6/8/3Q4/4K3 w - - 0 1");
        let order: Vec<String> = crate::node::provisional(&node).into_iter().map(|m| node.name(m)).collect();
        assert_eq!(order[0], "bxa5");
        assert_eq!(order.last().map(String::as_str), Some("Qxd6"), "{order:?}");
    }

    #[test]
    fn only_a_queen_is_promoted_to_before_quiet_moves() {
        let node = game("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let order = |san| node.static_order(node.position().parse_san(san).unwrap());
        assert_eq!(["a8=N", "a8=R", "Kb1"].map(order), [0; 3]);
        assert!(order("a8=Q") > 0);
    }

    #[test]
    fn the_best_exchange_is_what_the_pieces_say() {
        assert_eq!(game("4k3/2p5/3p4/q7/1P6/8/3Q4/4K3 w - - 0 1").best_exchange(), 975);
        assert_eq!(game("4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1").best_exchange(), 0);
    }

    #[test]
    fn a_key_without_the_side_is_the_same_for_both_sides() {
        let [white, black] = ["w", "b"].map(|side| game(&format!("4k3/2p5/8/8/8/8/3Q4/4K3 {side} - - 0 1")));
        assert_ne!(white.key(), black.key());
        assert_eq!(white.key_without_side(), black.key_without_side());
    }

    #[test]
    fn an_earlier_mate_is_worse_for_the_mated() {
        let mated = game("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
        assert!(mated.moves().is_empty());
        assert!(mated.final_value(3) < mated.final_value(1) && mated.final_value(1) < -WIN);
        assert_eq!(game("7k/5Q2/8/8/8/8/8/6K1 b - - 0 1").final_value(2), 0, "stalemate");
    }
}
