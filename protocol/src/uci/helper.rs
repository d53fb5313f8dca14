//! Words people type at an engine by hand: `d`, `eval`, `flip`, `bench`, `go perft`, `help`.

use crate::brain::Chore;
use chess::{Position, Square};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What `help` answers.
pub(crate) const HELP: &str = "\
UCI, as chess programs speak it:
  uci, isready, ucinewgame, setoption name NAME value VALUE
  position startpos|fen FEN [moves MOVE ...]
  go [depth N] [nodes N] [movetime MS] [wtime MS btime MS winc MS binc MS] [movestogo N]
     [mate N] [infinite] [ponder] [searchmoves MOVE ...]
  stop, ponderhit, quit
and for people at the keyboard:
  d            the board, its FEN and key
  eval         the static evaluation, term by term
  flip         the same position with colours exchanged
  go perft N   leaves of the tree of legal moves, N plies deep, by root move
  bench        the signature run
  compiler, license, help
A first line `xboard` opens an xboard session instead.";

/// What `license` answers.
pub(crate) const LICENSE: &str = "Free software under the GNU General Public License, version 3 or later.";

/// The board as text, White below, with FEN, key and checkers.
pub(crate) fn diagram(position: &Position) -> String {
    let mut text = String::from(" +---+---+---+---+---+---+---+---+\n");
    for rank in (0..8).rev() {
        for file in 0..8 {
            let piece = position.piece_on(Square::at(file, rank));
            let _ = write!(text, " | {}", piece.map_or(' ', |piece| piece.letter()));
        }
        let _ = write!(text, " | {}\n +---+---+---+---+---+---+---+---+\n", rank + 1);
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let _ = write!(text, "Fen: {}\nKey: {:016X}\nCheckers:", position.fen(), position.key());
    for square in position.checkers() {
        let _ = write!(text, " {square}");
    }
    text
}

/// The same position seen from the other side: colours exchanged, ranks mirrored.
pub(crate) fn flipped(position: &Position) -> Option<Position> {
    let shredder = position.shredder_fen();
    let fields: Vec<&str> = shredder.split(' ').collect();
    let [board, side, castling, ep, counters @ ..] = fields.as_slice() else { return None };
    let board = board.split('/').rev().collect::<Vec<_>>().join("/");
    let swap = |text: &str| text.chars().map(swap_case).collect::<String>();
    let side = if *side == "w" { "b" } else { "w" };
    let ep = ep.replace('3', "x").replace('6', "3").replace('x', "6");
    let fen = [&swap(&board), side, &swap(castling), &ep, &counters.join(" ")].join(" ");
    Position::from_fen(&fen).ok()
}

fn swap_case(c: char) -> char {
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}

/// Plies counted without a look at `stop`: a few milliseconds' work in any position.
const UNSTOPPABLE: u32 = 3;

/// Counts leaves root move by root move, until `stop` is set: a count that did not end is not told.
pub(crate) fn perft(position: Position, depth: u32, chess960: bool, stop: Arc<AtomicBool>) -> Chore {
    Box::new(move |print| {
        let mut total = u64::from(depth == 0);
        let root_moves = if depth > 0 { position.legal_moves() } else { chess::MoveList::new() };
        for mv in root_moves {
            let Some(nodes) = count(&position.after(mv), depth - 1, &stop) else { return };
            total += nodes;
            let notation = chess960.then_some(chess::CastlingNotation::KingTakesRook);
            let text = notation.map_or_else(|| position.uci(mv), |notation| position.uci_with(mv, notation));
            print(format!("{text}: {nodes}"));
        }
        print(format!("\nNodes searched: {total}"));
    })
}

/// Leaves of the tree of this depth; `None` when told to stop.
fn count(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNSTOPPABLE {
        return Some(chess::perft(position, depth));
    }
    position.legal_moves().into_iter().map(|mv| count(&position.after(mv), depth - 1, stop)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::{Color, PieceKind};

    #[test]
    fn flipping_twice_is_the_identity_and_keeps_the_tree() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 17",
            "rnbqkbnr/pp1ppppp/8/2pP4/8/8/PPP1PPPP/RNBQKBNR w KQkq c6 0 3",
            "1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let other = flipped(&position).unwrap();
            assert_ne!(other.side_to_move(), position.side_to_move());
            assert_eq!(chess::perft(&other, 3), chess::perft(&position, 3), "{fen}");
            assert_eq!(flipped(&other).unwrap().shredder_fen(), position.shredder_fen());
        }
    }

    #[test]
    fn the_diagram_shows_every_piece_once() {
        let text = diagram(&Position::startpos());
        let board = text.split("Fen").next().unwrap();
        for kind in PieceKind::ALL {
            let count = Position::startpos().pieces(Color::White, kind).count() as usize;
            assert_eq!(board.matches(kind.letter()).count(), count);
        }
        assert!(text.contains("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    }
}
