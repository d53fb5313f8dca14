//! `edit` mode: the way clients set up positions before `setboard`.
//!
//! `Pa4` puts a pawn of the present colour on a4, `xa4` empties it, `c` changes the colour, `#` clears the
//! board and `.` ends. The side to move stays, and kings and rooks on their first squares are assumed to have
//! castling rights; in `fischerandom` that is every king on its back rank, with the outermost rook on either
//! side.

use chess::{Color, Piece, PieceKind, Position, Square, placement};
use std::ops::Range;

/// A board being set up.
#[derive(Clone, Debug)]
pub(super) struct Editor {
    board: [Option<Piece>; 64],
    side: Color,
    color: Color,
    fischerandom: bool,
}

/// What an editing line did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The board was changed.
    More,
    /// Editing is over: the position as FEN.
    Done(String),
    /// The line is none of edit mode's.
    Unknown,
}

impl Editor {
    /// Begins with this position, this side to move, and White's pieces.
    pub(super) fn new(position: &Position, side: Color, fischerandom: bool) -> Self {
        let mut board = [None; 64];
        for square in Square::all() {
            board[square.index()] = position.piece_on(square);
        }
        Editor { board, side, color: Color::White, fischerandom }
    }

    /// Obeys one line.
    pub(super) fn line(&mut self, line: &str) -> Step {
        match line.trim() {
            "" => {}
            "#" => self.board = [None; 64],
            "c" => self.color = !self.color,
            "." => return Step::Done(self.fen()),
            put => return self.put(put),
        }
        Step::More
    }

    fn put(&mut self, text: &str) -> Step {
        let mut chars = text.chars();
        let (Some(letter), Ok(square)) = (chars.next(), chars.as_str().parse::<Square>()) else {
            return Step::Unknown;
        };
        let piece = match (letter, PieceKind::from_letter(letter)) {
            ('x', _) => None,
            (_, Some(kind)) => Some(Piece { color: self.color, kind }),
            _ => return Step::Unknown,
        };
        self.board[square.index()] = piece;
        Step::More
    }

    fn stands(&self, file: u8, color: Color, kind: PieceKind) -> bool {
        let rank = if color == Color::White { 0 } else { 7 };
        self.board[Square::at(file, rank).index()] == Some(Piece { color, kind })
    }

    /// The castling field: the letters mean the outermost rooks.
    fn castling(&self) -> String {
        let mut rights = String::new();
        for (color, letters) in [(Color::White, ["K", "Q"]), (Color::Black, ["k", "q"])] {
            let mut kings = (0..8).filter(|&file| self.stands(file, color, PieceKind::King));
            let Some(king) = kings.find(|&file| self.fischerandom || file == 4) else { continue };
            let rook = |mut files: Range<u8>| {
                files.any(|file| {
                    self.stands(file, color, PieceKind::Rook) && (self.fischerandom || file % 7 == 0)
                })
            };
            for (files, letter) in [king + 1..8, 0..king].into_iter().zip(letters) {
                if rook(files) {
                    rights.push_str(letter);
                }
            }
        }
        if rights.is_empty() { "-".into() } else { rights }
    }

    fn fen(&self) -> String {
        let board = placement(|square| self.board[square.index()]);
        let side = if self.side == Color::White { 'w' } else { 'b' };
        format!("{board} {side} {} - 0 1", self.castling())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(lines: &str) -> Step {
        edit_as(lines, false)
    }

    fn edit_as(lines: &str, fischerandom: bool) -> Step {
        let mut editor = Editor::new(&Position::startpos(), Color::White, fischerandom);
        let mut last = Step::More;
        for line in lines.split_whitespace() {
            last = editor.line(line);
        }
        last
    }

    #[test]
    fn an_untouched_board_keeps_its_castling_rights() {
        assert_eq!(edit("."), Step::Done("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into()));
    }

    #[test]
    fn a_board_is_built_from_nothing() {
        let fen = "r3k3/8/8/3p4/8/8/4P3/4K2R w Kq - 0 1";
        assert_eq!(edit("# Ke1 Rh1 Pe2 c ke8 Ra8 Pd5 Pd6 xd6 ."), Step::Done(fen.into()));
    }

    #[test]
    fn castling_rights_depend_on_the_variant() {
        let lines = "# Kf1 Rb1 Rg1 c kc8 Ra8 Pd5 .";
        assert_eq!(edit(lines), Step::Done("r1k5/8/8/3p4/8/8/8/1R3KR1 w - - 0 1".into()));
        assert_eq!(edit_as(lines, true), Step::Done("r1k5/8/8/3p4/8/8/8/1R3KR1 w KQq - 0 1".into()));
    }

    #[test]
    fn other_lines_are_not_taken() {
        for line in ["Pz9", "usermove", "9", "Pa", "é4", "♔e1"] {
            assert_eq!(edit(line), Step::Unknown, "{line}");
        }
    }
}
