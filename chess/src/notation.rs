//! Moves as text: coordinates (`e2e4`, as UCI and xboard send them) and standard algebraic notation.

use crate::text::clip;
use crate::{Bitboard, Move, MoveKind, MoveList, PieceKind, Position, Square, Wing};

/// How castling is written in coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingNotation {
    /// The king's step: `e1g1`.
    KingStep,
    /// King takes rook: `e1h1`, as UCI_Chess960 asks.
    KingTakesRook,
    /// `O-O`, as xboard's `fischerandom` asks.
    Ohs,
}

/// Why a move text was refused; of a long one its beginning is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not a move in this notation.
    #[error("'{0}' is not a move")]
    Syntax(String),
    /// No legal move is written like this here.
    #[error("'{0}' is not legal here")]
    Illegal(String),
    /// More than one legal move is written like this here.
    #[error("'{0}' fits more than one legal move")]
    Ambiguous(String),
}

/// `O-O` and its relatives, with letters or digits.
fn castling_wing(text: &str) -> Option<Wing> {
    match text {
        "O-O" | "0-0" | "o-o" => Some(Wing::King),
        "O-O-O" | "0-0-0" | "o-o-o" => Some(Wing::Queen),
        _ => None,
    }
}

impl Position {
    fn castling_move(&self, wing: Wing) -> Option<Move> {
        let rook = self.castling_rook(self.side, wing)?;
        Some(Move::castling(self.king(self.side), rook)).filter(|&mv| self.is_legal(mv))
    }

    /// Reads a move in coordinates. Castling may be the king's step, king takes rook, or `O-O`.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let illegal = || MoveError::Illegal(clip(text));
        if let Some(wing) = castling_wing(text) {
            return self.castling_move(wing).ok_or_else(illegal);
        }
        let syntax = || MoveError::Syntax(clip(text));
        let square = |range| text.get(range).and_then(|s: &str| s.parse::<Square>().ok()).ok_or_else(syntax);
        let (from, to) = (square(0..2)?, square(2..4)?);
        let promotion = match text.get(4..).unwrap_or_default() {
            "" => None,
            letter => match letter.chars().next().and_then(PieceKind::from_letter) {
                Some(kind) if letter.len() == 1 && !matches!(kind, PieceKind::Pawn | PieceKind::King) => {
                    Some(kind)
                }
                _ => return Err(syntax()),
            },
        };
        let mv = self.with_coordinates(from, to, promotion);
        if self.is_legal(mv) { Ok(mv) } else { Err(illegal()) }
    }

    /// The move these coordinates would be, legal or not.
    fn with_coordinates(&self, from: Square, to: Square, promotion: Option<PieceKind>) -> Move {
        if let Some(kind) = promotion {
            return Move::promoting(from, to, kind);
        }
        if self.kind_on(from) == Some(PieceKind::King) && from == self.king(self.side) {
            for wing in Wing::ALL {
                let Some(rook) = self.castling_rook(self.side, wing) else { continue };
                let step = wing.destinations(self.side).0 == to && from.file().abs_diff(to.file()) > 1;
                let plain_step = self.is_legal(Move::normal(from, to));
                if to == rook || step && !plain_step {
                    return Move::castling(from, rook);
                }
            }
        }
        if self.kind_on(from) == Some(PieceKind::Pawn) && self.ep == Some(to) && from.file() != to.file() {
            return Move::en_passant(from, to);
        }
        Move::normal(from, to)
    }

    /// The move in coordinates, as UCI wants it for this position: castling as king takes rook only where standard
    /// notation cannot say it.
    pub fn uci(&self, mv: Move) -> String {
        let notation =
            if self.is_chess960() { CastlingNotation::KingTakesRook } else { CastlingNotation::KingStep };
        self.uci_with(mv, notation)
    }

    /// The move in coordinates with castling written as asked.
    pub fn uci_with(&self, mv: Move, notation: CastlingNotation) -> String {
        if !mv.is_castling() || notation == CastlingNotation::KingTakesRook {
            return mv.to_string();
        }
        let wing = if mv.to().file() > mv.from().file() { Wing::King } else { Wing::Queen };
        match notation {
            CastlingNotation::Ohs => ohs(wing).to_string(),
            _ => format!("{}{}", mv.from(), wing.destinations(self.side).0),
        }
    }

    /// The legal move in standard algebraic notation, with `+` or `#`.
    pub fn san(&self, mv: Move) -> String {
        let mut san = self.san_body(mv);
        let next = self.after(mv);
        if next.in_check() {
            san.push(if next.has_legal_move() { '+' } else { '#' });
        }
        san
    }

    fn san_body(&self, mv: Move) -> String {
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castling() {
            return ohs(if to.file() > from.file() { Wing::King } else { Wing::Queen }).to_string();
        }
        let kind = self.kind_on(from).unwrap_or(PieceKind::Pawn);
        let takes = if self.is_capture(mv) { "x" } else { "" };
        if kind == PieceKind::Pawn {
            let file = if takes.is_empty() { String::new() } else { file_letter(from).to_string() };
            let promotion = mv.promotion().map_or(String::new(), |kind| format!("={}", kind.letter()));
            return format!("{file}{takes}{to}{promotion}");
        }
        format!("{}{}{takes}{to}", kind.letter(), self.origin_hint(mv, kind))
    }

    /// File, rank or square of origin, as far as it takes to tell the move from its like.
    fn origin_hint(&self, mv: Move, kind: PieceKind) -> String {
        let (from, to) = (mv.from(), mv.to());
        let rivals: Bitboard = self
            .legal_moves()
            .into_iter()
            .filter(|m| {
                m.to() == to && m.from() != from && !m.is_castling() && self.kind_on(m.from()) == Some(kind)
            })
            .map(Move::from)
            .collect();
        if rivals.is_empty() {
            String::new()
        } else if (rivals & Bitboard::file(from.file())).is_empty() {
            file_letter(from).to_string()
        } else if (rivals & Bitboard::rank(from.rank())).is_empty() {
            (from.rank() + 1).to_string()
        } else {
            from.to_string()
        }
    }

    /// Reads standard algebraic notation, leniently: check marks, `!?` and a missing `=` or `x` do not matter.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        match self.san_candidates(text)?[..] {
            [mv] => Ok(mv),
            _ => Err(MoveError::Ambiguous(clip(text))),
        }
    }

    /// Every legal move that a possibly ambiguous text may mean; never empty. Old test suites write `Ne5` where two
    /// knights can go there and mean either.
    pub fn san_candidates(&self, text: &str) -> Result<MoveList, MoveError> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let moves: MoveList = if let Some(wing) = castling_wing(bare) {
            self.castling_move(wing).into_iter().collect()
        } else {
            let wanted = SanPattern::parse(bare).ok_or_else(|| MoveError::Syntax(clip(text)))?;
            self.legal_moves().into_iter().filter(|&mv| wanted.fits(self, mv)).collect()
        };
        if moves.is_empty() { Err(MoveError::Illegal(clip(text))) } else { Ok(moves) }
    }
}

fn ohs(wing: Wing) -> &'static str {
    match wing {
        Wing::King => "O-O",
        Wing::Queen => "O-O-O",
    }
}

fn file_letter(square: Square) -> char {
    (b'a' + square.file()) as char
}

/// What a SAN text says of its move.
struct SanPattern {
    kind: PieceKind,
    origin: Bitboard,
    to: Square,
    promotion: Option<PieceKind>,
}

impl SanPattern {
    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = match text.chars().next()? {
            c @ ('N' | 'B' | 'R' | 'Q' | 'K' | 'P') => (PieceKind::from_letter(c)?, &text[1..]),
            _ => (PieceKind::Pawn, text),
        };
        let (rest, promotion) = match rest.chars().last()? {
            c @ ('N' | 'B' | 'R' | 'Q') => {
                (rest[..rest.len() - 1].trim_end_matches('='), Some(PieceKind::from_letter(c)?))
            }
            _ => (rest, None),
        };
        let split = rest.len().checked_sub(2)?;
        let to = rest.get(split..)?.parse().ok()?;
        let mut origin = Bitboard::ALL;
        for c in rest.get(..split)?.chars() {
            match c {
                'a'..='h' => origin &= Bitboard::file(c as u8 - b'a'),
                '1'..='8' => origin &= Bitboard::rank(c as u8 - b'1'),
                'x' | ':' | '-' => {}
                _ => return None,
            }
        }
        Some(SanPattern { kind, origin, to, promotion })
    }

    fn fits(&self, position: &Position, mv: Move) -> bool {
        mv.kind() != MoveKind::Castling
            && mv.to() == self.to
            && position.kind_on(mv.from()) == Some(self.kind)
            && self.origin.contains(mv.from())
            && mv.promotion() == self.promotion
    }
}
