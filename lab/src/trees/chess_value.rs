//! A simple value for chess positions: material plus position, as the sources' programs had (M 1 and 2).
//!
//! Material dominates; position is one number for each piece and square, made from three plain ideas: the
//! middle is good for pieces, pawns gain by advancing, and a king hides behind his own lines while the enemy
//! queen lives and walks to the middle when she is gone. Our own numbers, from those ideas and nothing else.

use crate::node::Value;
use chess::{Color, PieceKind, Position, Square};

/// What each kind is worth in hundredths of a pawn, as in the exchanges of the `chess` room: pawn, knight,
/// bishop, rook, queen, king.
pub const WORTH: [Value; 6] = [100, 325, 325, 500, 975, 0];

/// Value of a kind on a square as White sees the board; the last row is a king without an enemy queen.
static PLACE: [[Value; 64]; 7] = places();

const ENDGAME_KING: usize = 6;

const fn places() -> [[Value; 64]; 7] {
    let mut table = [[0; 64]; 7];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = ((square % 8) as Value, (square / 8) as Value);
        // 0 on the rim's corner, 6 in the four middle squares.
        let middle = ring(file) + ring(rank);
        let advance = rank - 1;
        table[0][square] = advance * advance + 2 * ring(file) * (rank > 1) as Value + home_shield(file, rank);
        table[1][square] = 6 * middle - 20;
        table[2][square] = 4 * middle - 8 - 6 * (rank == 0) as Value;
        table[3][square] = 2 * ring(file) + 15 * (rank == 6) as Value;
        table[4][square] = 2 * middle - 4;
        table[5][square] = -12 * rank - 6 * ring(file) + 10 * (file == 6 || file == 1 || file == 2) as Value;
        table[ENDGAME_KING][square] = 7 * middle - 15;
        square += 1;
    }
    table
}

/// 0 on a border file or rank, 3 on the two in the middle.
const fn ring(line: Value) -> Value {
    if line < 4 { line } else { 7 - line }
}

/// Unmoved pawns before a castled king.
const fn home_shield(file: Value, rank: Value) -> Value {
    if rank == 1 && (file <= 2 || file >= 5) { 8 } else { 0 }
}

/// Material for the side to move, without position.
pub fn material(position: &Position) -> Value {
    let us = position.side_to_move();
    let count = |color, kind| position.pieces(color, kind).count() as Value;
    PieceKind::ALL.into_iter().map(|kind| WORTH[kind.index()] * (count(us, kind) - count(!us, kind))).sum()
}

/// Material plus position, for the side to move.
pub fn evaluate(position: &Position) -> Value {
    let us = position.side_to_move();
    side(position, us) - side(position, !us)
}

fn side(position: &Position, color: Color) -> Value {
    let no_queen = position.pieces(!color, PieceKind::Queen).is_empty();
    let mut sum = 0;
    for kind in PieceKind::ALL {
        let row = if kind == PieceKind::King && no_queen { ENDGAME_KING } else { kind.index() };
        for square in position.pieces(color, kind) {
            sum += WORTH[kind.index()] + PLACE[row][seen_by(color, square)];
        }
    }
    sum
}

/// The square's number when the board is looked at from `color`'s side.
fn seen_by(color: Color, square: Square) -> usize {
    if color == Color::White { square.index() } else { square.index() ^ 56 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_position_is_worth_the_same() {
        // The same position with colours exchanged and the board turned over.
        let white =
            Position::from_fen("r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 w kq - 0 1").unwrap();
        let black =
            Position::from_fen("r4rk1/1pp3pp/2n1b3/p2q1p2/3Pp3/2P5/PP2BPPP/R1BQK2R b KQ - 0 1").unwrap();
        assert_eq!(evaluate(&white), evaluate(&black));
        assert_eq!(material(&white), material(&black));
    }

    #[test]
    fn the_start_is_even_and_a_queen_is_a_queen() {
        assert_eq!(evaluate(&Position::startpos()), 0);
        let odds = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(material(&Position::from_fen(odds).unwrap()), 975);
    }
}
