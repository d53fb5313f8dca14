//! Forsyth-Edwards notation, in and out: standard FEN, X-FEN and Shredder-FEN castling fields, four to six fields.
//!
//! A bad field is named with its reason. A position that cannot arise by legal moves in a way that would mislead the
//! rules (kings, checks, pawns on the rim, more material than promotions explain) is refused here, so that
//! nothing behind this door has to fear it. Two fields claim something about moves that have been played, and
//! many programs write them carelessly: a castling right without its king or rook on the back rank, and an en
//! passant square that no pawn can be captured on, are left out, as python-chess, lichess and Arena do.

use crate::attacks::king_attacks;
use crate::text::clip;
use crate::{Bitboard, Color, Piece, PieceKind, Position, Square, Wing, zobrist};
use std::fmt::Write as _;
use std::str::FromStr;

/// The most that the half-move clock and the move number of a FEN may be, and that a position counts to: one that was
/// played on from there can still be written and read.
pub(crate) const MOST_COUNTED: u16 = 9999;

/// Why a FEN was refused; the message names the field, and tells the beginning of a long one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// Fewer than four fields.
    #[error("FEN has {0} fields, needs at least 4: board, side to move, castling, en passant")]
    MissingFields(usize),
    /// More than six fields.
    #[error("FEN has more than 6 fields, the first extra one is '{0}'")]
    ExtraField(String),
    /// The piece placement does not parse.
    #[error("FEN board: {0}")]
    Board(String),
    /// Not `w` or `b`.
    #[error("FEN side to move: expected 'w' or 'b', found '{0}'")]
    Side(String),
    /// The castling field does not parse or does not fit the board.
    #[error("FEN castling: {0}")]
    Castling(String),
    /// Not `-` or a square on the third or sixth rank.
    #[error("FEN en passant: expected '-' or a square on rank 3 or 6, found '{0}'")]
    EnPassant(String),
    /// The half-move clock is not a number from 0 to 9999.
    #[error("FEN half-move clock: expected a number from 0 to {most}, found '{0}'", most = MOST_COUNTED)]
    Halfmoves(String),
    /// The move number is not a number from 0 to 9999.
    #[error("FEN move number: expected a number from 0 to {most}, found '{0}'", most = MOST_COUNTED)]
    Fullmoves(String),
    /// The fields parse, but no legal game has this position.
    #[error("illegal position: {0}")]
    Illegal(String),
}

impl Position {
    /// Reads a FEN of four to six fields; a missing half-move clock is 0, a missing move number 1.
    ///
    /// Castling may be given as in standard FEN (`KQkq`), X-FEN (the same letters for the outermost rook, file
    /// letters for an inner one) or Shredder-FEN (`HAha`). A right whose king or rook is not in its place is
    /// left out; in a field with such a right, KQkq stand for the king on the e-file and the rooks in the
    /// corners only. So they do, of a king on the e-file, where the other side has no right with king and rook on the
    /// same files, as both begin in Chess960: a right was not removed when its rook moved. An en passant square is
    /// kept only if a capture on it is legal.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Self::read_fen(fen, false)
    }

    /// Reads a FEN as [`Position::from_fen`] does, but that of a game that is known to be `chess960` KQkq stand for the
    /// outermost rooks wherever the king is, unless a right of the field is left out.
    pub fn read_fen(fen: &str, chess960: bool) -> Result<Self, FenError> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        if fields.len() < 4 {
            return Err(FenError::MissingFields(fields.len()));
        }
        if let Some(extra) = fields.get(6) {
            return Err(FenError::ExtraField(clip(extra)));
        }
        let mut position = Position::empty();
        position.read_board(fields[0])?;
        position.side = match fields[1] {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Side(clip(other))),
        };
        position.check_material()?;
        position.read_castling(fields[2], chess960)?;
        let ep = read_en_passant(fields[3])?;
        position.halfmoves = read_counter(fields.get(4), 0).map_err(FenError::Halfmoves)?;
        position.fullmoves = read_counter(fields.get(5), 1).map_err(FenError::Fullmoves)?.max(1);
        position.find_checks();
        position.check_checks()?;
        if position.side == Color::Black {
            position.key ^= zobrist::SIDE;
        }
        if let Some(square) = ep.filter(|&square| position.just_passed(square)) {
            position.offer_en_passant(square);
        }
        Ok(position)
    }

    fn read_board(&mut self, text: &str) -> Result<(), FenError> {
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != 8 {
            return Err(FenError::Board(format!("expected 8 ranks, found {}", rows.len())));
        }
        for (row, rank) in rows.iter().zip((0..8u8).rev()) {
            let mut file = 0u8;
            for c in row.chars() {
                if let Some(gap) = c.to_digit(10).filter(|d| (1..=8).contains(d)) {
                    file += gap as u8;
                } else if let Some(Piece { color, kind }) = Piece::from_letter(c) {
                    if file < 8 {
                        let square = Square::at(file, rank);
                        self.board[square.index()] = Some(kind);
                        self.toggle(color, kind, square);
                    }
                    file += 1;
                } else {
                    return Err(FenError::Board(format!(
                        "'{c}' on rank {} is neither a piece nor a number of empty squares",
                        rank + 1
                    )));
                }
                if file > 8 {
                    break;
                }
            }
            if file != 8 {
                let width = if file > 8 { "more than 8".to_string() } else { format!("only {file}") };
                return Err(FenError::Board(format!("rank {} has {width} squares", rank + 1)));
            }
        }
        Ok(())
    }

    fn check_material(&self) -> Result<(), FenError> {
        let illegal = |reason: String| Err(FenError::Illegal(reason));
        for color in Color::ALL {
            let count = |kind| self.pieces(color, kind).count();
            match count(PieceKind::King) {
                1 => {}
                0 => return illegal(format!("{color:?} has no king")),
                n => return illegal(format!("{color:?} has {n} kings")),
            }
            let pawns = count(PieceKind::Pawn);
            if pawns > 8 {
                return illegal(format!("{color:?} has {pawns} pawns"));
            }
            let promoted = count(PieceKind::Knight).saturating_sub(2)
                + count(PieceKind::Bishop).saturating_sub(2)
                + count(PieceKind::Rook).saturating_sub(2)
                + count(PieceKind::Queen).saturating_sub(1);
            if promoted + pawns > 8 {
                return illegal(format!("{color:?} has more pieces than 8 promotions explain"));
            }
        }
        let rim = Bitboard::rank(0) | Bitboard::rank(7);
        if let Some(square) = (self.kind_bb(PieceKind::Pawn) & rim).first() {
            return illegal(format!("pawn on {square}"));
        }
        let (white, black) = (self.king(Color::White), self.king(Color::Black));
        if king_attacks(white).contains(black) {
            return illegal(format!("the kings on {white} and {black} touch"));
        }
        Ok(())
    }

    fn check_checks(&self) -> Result<(), FenError> {
        let waiting = !self.side;
        let attackers = self.attackers_to(self.king(waiting), self.occupied()) & self.color_bb(self.side);
        if let Some(square) = attackers.first() {
            return Err(FenError::Illegal(format!(
                "{waiting:?} is in check from {square}, but it is {:?}'s turn",
                self.side
            )));
        }
        if self.checkers.count() > 2 {
            return Err(FenError::Illegal(format!("{} pieces give check at once", self.checkers.count())));
        }
        Ok(())
    }

    fn read_castling(&mut self, text: &str, chess960: bool) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let bad = |letter: char, why: &str| FenError::Castling(format!("'{letter}' {why}"));
        let mut rights = Vec::new();
        for (at, letter) in text.char_indices() {
            if text[..at].contains(letter) {
                return Err(bad(letter, "repeats a right"));
            }
            let rook = self.castling_rook_of(letter);
            let rook = rook
                .ok_or_else(|| bad(letter, "is not a castling right; expected '-', KQkq or file letters"))?;
            rights.push((letter, rook));
        }
        // Rights that were not taken away when a king castled would be read as rights of Chess960.
        let careless = rights.iter().any(|(_, rook)| rook.is_none());
        let has_right = |rook: Square| rights.iter().any(|&(_, other)| other == Some(rook));
        for &(letter, rook) in &rights {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let king = self.king(color);
            let by_wing = matches!(letter.to_ascii_uppercase(), 'K' | 'Q');
            let at_home = |rook: Square| king.file() == 4 && is_corner(rook);
            let stale = |rook: Square| careless || !chess960 && self.seems_stale(color, rook, has_right);
            let Some(rook) = rook.filter(|&rook| !by_wing || at_home(rook) || !stale(rook)) else { continue };
            let wing = if rook.file() > king.file() { Wing::King } else { Wing::Queen };
            let right = &mut self.castling[color.index()][wing as usize];
            if right.is_some() {
                return Err(bad(letter, "repeats a right"));
            }
            *right = Some(rook);
            self.key ^= zobrist::castling(rook);
        }
        Ok(())
    }

    /// Does `K` or `Q`, for this rook, rather stand for one in the corner that has moved? The king is on the e-file,
    /// and the other side has no right from the same files, as both have when a game of Chess960 begins.
    fn seems_stale(&self, color: Color, rook: Square, has_right: impl Fn(Square) -> bool) -> bool {
        let file = self.king(color).file();
        let alike = self.king(!color).file() == file && has_right(rook.relative(Color::Black));
        file == 4 && !is_corner(rook) && !alike
    }

    /// The rook that a letter of the castling field names, if it and its king are in their places; `None` for
    /// a letter that names none.
    fn castling_rook_of(&self, letter: char) -> Option<Option<Square>> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let king = self.king(color);
        let rank = Bitboard::rank(color.back_rank());
        let rooks = self.pieces(color, PieceKind::Rook) & rank;
        let rook = match letter.to_ascii_uppercase() {
            'K' => rooks.into_iter().last().filter(|rook| rook.file() > king.file()),
            'Q' => rooks.first().filter(|rook| rook.file() < king.file()),
            file @ 'A'..='H' => {
                Some(Square::at(file as u8 - b'A', color.back_rank())).filter(|&rook| rooks.contains(rook))
            }
            _ => return None,
        };
        Some(rook.filter(|_| rank.contains(king)))
    }

    /// Could a pawn of the side that just moved have passed over this square with its last move?
    fn just_passed(&self, square: Square) -> bool {
        let pawn = Bitboard::of(square).forward(!self.side);
        let start = Bitboard::of(square).forward(self.side);
        square.relative(self.side).rank() == 5
            && (pawn & self.pieces(!self.side, PieceKind::Pawn)).nonempty()
            && ((start | Bitboard::of(square)) & self.occupied()).is_empty()
    }

    /// The FEN with standard (X-FEN) castling letters; a file letter also for an outermost rook that
    /// [`Position::from_fen`] would not take for one with a right.
    pub fn fen(&self) -> String {
        self.write_fen(false)
    }

    /// The FEN with Shredder castling letters (`HAha`), as Chess960 programs exchange it.
    pub fn shredder_fen(&self) -> String {
        self.write_fen(true)
    }

    fn write_fen(&self, shredder: bool) -> String {
        let mut fen = placement(|square| self.piece_on(square));
        let side = if self.side == Color::White { 'w' } else { 'b' };
        let ep = self.ep.map_or("-".to_string(), |square| square.to_string());
        let castling = self.castling_letters(shredder);
        let _ = write!(fen, " {side} {castling} {ep} {} {}", self.halfmoves, self.fullmoves);
        fen
    }

    fn castling_letters(&self, shredder: bool) -> String {
        let mut letters = String::new();
        let has_right = |rook: Square| self.castling.iter().flatten().any(|&other| other == Some(rook));
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling_rook(color, wing) else { continue };
                let king = self.king(color);
                let outer = self.pieces(color, PieceKind::Rook) & Bitboard::rank(color.back_rank());
                let outermost = match wing {
                    Wing::King => outer.into_iter().last().filter(|r| r.file() > king.file()),
                    Wing::Queen => outer.first(),
                };
                let by_file = shredder || outermost != Some(rook) || self.seems_stale(color, rook, has_right);
                let letter = if by_file {
                    (b'A' + rook.file()) as char
                } else if wing == Wing::King {
                    'K'
                } else {
                    'Q'
                };
                letters.push(if color == Color::White { letter } else { letter.to_ascii_lowercase() });
            }
        }
        if letters.is_empty() { "-".to_string() } else { letters }
    }
}

/// The first field of a FEN, for a board with these pieces.
pub fn placement(piece_on: impl Fn(Square) -> Option<Piece>) -> String {
    // Room for the whole FEN.
    let mut fen = String::with_capacity(90);
    for rank in (0..8).rev() {
        let mut gap = 0;
        for file in 0..8 {
            match piece_on(Square::at(file, rank)) {
                None => gap += 1,
                Some(piece) => {
                    if gap > 0 {
                        let _ = write!(fen, "{gap}");
                        gap = 0;
                    }
                    fen.push(piece.letter());
                }
            }
        }
        if gap > 0 {
            let _ = write!(fen, "{gap}");
        }
        if rank > 0 {
            fen.push('/');
        }
    }
    fen
}

/// Is this square on the a-file or the h-file? There stands a rook that has not moved, except in Chess960.
fn is_corner(rook: Square) -> bool {
    matches!(rook.file(), 0 | 7)
}

impl FromStr for Position {
    type Err = FenError;
    fn from_str(fen: &str) -> Result<Self, FenError> {
        Position::from_fen(fen)
    }
}

fn read_en_passant(text: &str) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    match text.parse::<Square>() {
        Ok(square) if square.rank() == 2 || square.rank() == 5 => Ok(Some(square)),
        _ => Err(FenError::EnPassant(clip(text))),
    }
}

/// A counter field; `-` (as some EPD writers leave it) counts as missing.
fn read_counter(field: Option<&&str>, missing: u16) -> Result<u16, String> {
    match field {
        None | Some(&"-") => Ok(missing),
        Some(text) => text.parse().ok().filter(|&n| n <= MOST_COUNTED).ok_or_else(|| clip(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(fen: &str) -> String {
        Position::from_fen(fen).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_field_and_reason() {
        for (fen, part) in [
            ("", "has 0 fields"),
            ("8/8/8/8/8/8/8/8 w - -", "White has no king"),
            ("4k3/8/8/8/8/8/8/4K3 x - -", "side to move"),
            ("4k3/8/8/8/8/8/8/4K2 w - -", "rank 1 has only 7"),
            ("4k3/8/8/8/8/8/8/4K4 w - -", "rank 1 has more than 8"),
            ("4k3/8/8/8/8/8/8/4Kx2 w - -", "'x' on rank 1"),
            ("4k3/8/8/8/8/8/4K3 w - -", "expected 8 ranks"),
            ("4k3/8/8/8/8/8/8/4K2R w KH -", "repeats"),
            ("4k3/8/8/8/8/8/8/4K3 w QQ -", "repeats"),
            ("4k3/8/8/8/8/8/8/4K1RR w GH -", "repeats"),
            ("4k3/8/8/8/8/8/8/4K2R w Z -", "is not a castling right"),
            ("4k3/8/8/8/8/8/8/4K3 w - e5", "en passant"),
            ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "half-move"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", "move number"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 extra", "extra"),
            ("4k3/8/8/8/8/8/8/4KK2 w - -", "White has 2 kings"),
            ("4k3/8/8/8/8/8/8/P3K3 w - -", "pawn on a1"),
            ("4k3/4R3/8/8/8/8/8/4K3 w - -", "Black is in check from e7"),
            ("8/8/8/8/8/8/4k3/4K3 w - -", "touch"),
            ("4k3/8/8/8/8/8/QQQQQQQQ/QQQQKQQQ b - -", "promotions"),
            ("4k3/8/5N2/1B6/8/8/8/K3R3 b - -", "3 pieces give check"),
        ] {
            assert!(error(fen).contains(part), "{fen}: {}", error(fen));
        }
        let twice = Position::from_fen("4k3/8/5N2/8/8/8/8/K3R3 b - -").unwrap();
        assert_eq!(twice.checkers().count(), 2);
    }

    #[test]
    fn castling_fields_in_every_dialect() {
        let standard = Position::startpos();
        let shredder =
            Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1").unwrap();
        assert_eq!(standard, shredder);
        assert_eq!(standard.key(), shredder.key());
        assert_eq!(standard.shredder_fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
        // Two rooks on one wing: the inner one needs its file letter (X-FEN).
        let inner = "4k3/8/8/8/8/8/8/1K3RR1 w F - 0 1";
        assert_eq!(Position::from_fen(inner).unwrap().fen(), inner);
        assert!(Position::from_fen(inner).unwrap().is_chess960());
    }

    /// What python-chess makes of these: `Board(fen).fen()`, or with `chess960=True` where there are file letters.
    #[test]
    fn rights_without_king_or_rook_are_left_out() {
        for (fen, kept) in [
            ("4k3/8/8/8/8/8/8/4K3 w KQkq -", "-"),
            ("4k2r/8/8/8/8/8/8/R3K3 w KQkq -", "Qk"),
            ("r3k2r/8/8/8/8/8/4K3/R6R w KQkq -", "kq"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w HAha -", "KQkq"),
            ("r3k2r/8/8/8/8/8/8/1R2K2R w HAha -", "Kkq"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq -", "Kkq"),
            ("rnbqk1n1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq -", "KQq"),
            ("4k3/8/8/8/8/8/8/1K3RR1 w FQ -", "F"),
            ("r3k2r/8/8/8/8/8/8/R4RK1 w KQkq -", "kq"),
            ("r4rk1/8/8/8/8/8/8/2KR3R b KQkq -", "-"),
            ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w KQ -", "-"),
            ("4k3/r6r/8/8/8/8/8/4K3 b kq -", "-"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1RBQKBNR w KQkq -", "Kkq"),
            ("r3k2r/8/8/8/8/8/8/1R2K1R1 w KQkq -", "kq"),
            ("r3kr2/8/8/8/8/8/8/R3K2R b Qkq -", "Qq"),
            ("4k3/8/8/8/8/8/8/1R2K2R w KQ -", "K"),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(position.fen().split(' ').nth(2), Some(kept), "{fen}");
            assert_eq!(position.is_chess960(), kept.contains('F'), "{fen}");
        }
    }

    /// A right whose rook has moved does not make the game one of Chess960, in which castling is another move.
    #[test]
    fn castling_stays_that_of_chess_beside_a_stale_right() {
        let position = Position::from_fen("r3k2r/8/8/8/8/8/8/1R2K2R w KQkq -").unwrap();
        assert_eq!(position.uci(position.parse_san("O-O").unwrap()), "e1g1");
        assert!(position.parse_san("O-O-O").is_err());
    }

    /// What python-chess makes of these with `chess960=True`; without a word for it, where both sides stand alike or a
    /// king is not on the e-file.
    #[test]
    fn the_outermost_rooks_are_meant_in_chess960() {
        let letters = |position: &Position| position.shredder_fen().split(' ').nth(2).map(str::to_owned);
        for (fen, rooks, plain) in [
            ("brnqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BRNQKRNB w KQkq -", "FBfb", "FBfb"),
            ("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq -", "GBgb", "GBgb"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/BRNQKRNB w KQkq -", "FBha", "ha"),
            ("1r2k1r1/8/8/8/8/8/8/1R2K2R w KQkq -", "HBgb", "HBb"),
            ("4k3/8/8/8/8/8/8/1R2KR2 w KQ -", "FB", "-"),
        ] {
            let known = Position::read_fen(fen, true).unwrap();
            assert_eq!(letters(&known).as_deref(), Some(rooks), "{fen}");
            assert_eq!(letters(&Position::from_fen(fen).unwrap()).as_deref(), Some(plain), "{fen}");
            assert_eq!(Position::from_fen(&known.fen()).unwrap(), known, "{}", known.fen());
        }
    }

    /// Played on by hand: the counters stay at the most that can be read. A pawn move begins the clock anew.
    #[test]
    fn counters_go_no_further_than_can_be_read() {
        let read = |fen: &str| Position::from_fen(fen).unwrap();
        let mut position = read("4k3/8/8/8/8/8/4P3/4K3 w - - 9998 9998");
        for (mv, counters) in [
            ("e1d1", "9999 9998"),
            ("e8d8", "9999 9999"),
            ("d1e1", "9999 9999"),
            ("d8e8", "9999 9999"),
            ("e2e3", "0 9999"),
            ("e8d8", "1 9999"),
        ] {
            position.try_play(position.parse_uci(mv).unwrap()).unwrap();
            let fen = position.fen();
            assert!(fen.ends_with(&format!(" {counters}")), "{mv}: {fen}");
            assert_eq!(read(&fen), position);
        }
        let passed = read("4k3/8/8/8/8/8/4P3/4K3 b - - 9999 9999").after_null().unwrap();
        assert_eq!(passed.fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 9999 9999");
        assert_eq!(read(&passed.fen()), passed);
    }

    #[test]
    fn en_passant_is_kept_only_when_legal() {
        let fen = |f| Position::from_fen(f).unwrap();
        assert_eq!(fen("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1").ep_square(), None);
        assert!(fen("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1").ep_square().is_some());
        // Both pawns leave the fourth rank and open it for the rook.
        assert_eq!(fen("4K3/8/8/8/k2pP2R/8/8/8 b - e3 0 1").ep_square(), None);
        // No pawn has passed here.
        assert_eq!(fen("4k3/8/8/8/3p4/8/8/4K3 b - e3 0 1").ep_square(), None);
    }
}
