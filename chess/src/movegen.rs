//! Legal move generation.
//!
//! Only legal moves are made, so nothing has to be taken back: pinned pieces keep to the line through their king,
//! evasions land between king and checker, and the king's own steps are tested with the king lifted off the board.
//! Pawns are moved all at once. The generator hands whole target sets to a [`Sink`]; a list unpacks them, a counter
//! only counts bits, which is what makes bulk-counted perft fast.

use crate::attacks::{
    anti_diagonal, between, bishop_attacks, diagonal, king_attacks, knight_attacks, line, pawn_attacks,
    rook_attacks,
};
use crate::{Bitboard, Color, Move, MoveKind, MoveList, PieceKind, Position, Square, Wing};

/// Which legal moves to generate. `Noisy` and `Quiet` together are `All`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gen {
    /// Every legal move.
    All,
    /// Captures, en passant and promotions.
    Noisy,
    /// Everything else, castling included.
    Quiet,
}

/// Receives what the generator finds.
trait Sink {
    /// One piece to any of these squares.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Pawns that arrive on these squares, each from `back` squares behind (in square numbers).
    fn pawns(&mut self, targets: Bitboard, back: i8);
    /// The same, promoting.
    fn promotions(&mut self, targets: Bitboard, back: i8);
    /// En passant or castling.
    fn special(&mut self, mv: Move);
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }
    #[inline]
    fn pawns(&mut self, targets: Bitboard, back: i8) {
        for to in targets {
            self.push(Move::normal(origin(to, back), to));
        }
    }
    #[inline]
    fn promotions(&mut self, targets: Bitboard, back: i8) {
        for to in targets {
            for kind in [PieceKind::Queen, PieceKind::Knight, PieceKind::Rook, PieceKind::Bishop] {
                self.push(Move::promoting(origin(to, back), to, kind));
            }
        }
    }
    #[inline]
    fn special(&mut self, mv: Move) {
        self.push(mv);
    }
}

#[inline]
fn origin(to: Square, back: i8) -> Square {
    Square::new((to.index() as i8 - back) as u8)
}

/// Counts moves without making them.
struct Counter(usize);

impl Sink for Counter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count() as usize;
    }
    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i8) {
        self.0 += targets.count() as usize;
    }
    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i8) {
        self.0 += 4 * targets.count() as usize;
    }
    #[inline]
    fn special(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// Looks for one move.
struct Finder {
    wanted: Move,
    found: bool,
}

impl Sink for Finder {
    fn piece(&mut self, from: Square, targets: Bitboard) {
        self.found |= self.wanted.kind() == MoveKind::Normal
            && self.wanted.from() == from
            && targets.contains(self.wanted.to());
    }
    fn pawns(&mut self, targets: Bitboard, back: i8) {
        self.found |= self.wanted.kind() == MoveKind::Normal
            && targets.contains(self.wanted.to())
            && origin(self.wanted.to(), back) == self.wanted.from();
    }
    fn promotions(&mut self, targets: Bitboard, back: i8) {
        self.found |= self.wanted.kind() == MoveKind::Promotion
            && targets.contains(self.wanted.to())
            && origin(self.wanted.to(), back) == self.wanted.from();
    }
    fn special(&mut self, mv: Move) {
        self.found |= self.wanted == mv;
    }
}

impl Position {
    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate(Gen::All, &mut moves);
        moves
    }

    /// Appends the legal moves of a kind to `moves`.
    pub fn generate(&self, which: Gen, moves: &mut MoveList) {
        match which {
            Gen::All => self.emit(Bitboard::ALL, Gen::All, moves),
            Gen::Noisy => self.emit(Bitboard::ALL, Gen::Noisy, moves),
            Gen::Quiet => self.emit(Bitboard::ALL, Gen::Quiet, moves),
        }
    }

    /// How many legal moves there are, without listing them.
    pub fn count_legal(&self) -> usize {
        let mut counter = Counter(0);
        self.emit(Bitboard::ALL, Gen::All, &mut counter);
        counter.0
    }

    /// Is there any legal move?
    pub fn has_legal_move(&self) -> bool {
        self.count_legal() > 0
    }

    /// Is the move legal here? Any sixteen bits may be asked about.
    pub fn is_legal(&self, mv: Move) -> bool {
        // Unused promotion bits must be zero, or one move would have several encodings.
        if mv.kind() != MoveKind::Promotion && mv.bits() >> 12 & 3 != 0 {
            return false;
        }
        let from = Bitboard::of(mv.from()) & self.color_bb(self.side);
        let mut finder = Finder { wanted: mv, found: false };
        if from.nonempty() {
            self.emit(from, Gen::All, &mut finder);
        }
        finder.found
    }

    /// Hands the legal moves of the pieces on `movers` to the sink.
    #[inline(always)]
    fn emit<S: Sink>(&self, movers: Bitboard, which: Gen, sink: &mut S) {
        let us = self.side;
        let (ours, theirs) = (self.color_bb(us), self.color_bb(!us));
        let occupied = ours | theirs;
        let king = self.king(us);
        let wanted = match which {
            Gen::All => !ours,
            Gen::Noisy => theirs,
            Gen::Quiet => !occupied,
        };
        if movers.contains(king) {
            self.emit_king(king, wanted, sink);
        }
        if self.checkers.many() {
            return;
        }
        // In check a move must take the checker or step between; out of check it may go anywhere.
        let evasions = match self.checkers.first() {
            Some(checker) => between(king, checker) | self.checkers,
            None => Bitboard::ALL,
        };
        self.emit_pawns(movers, evasions, which, sink);
        let targets = wanted & evasions;
        let movers = movers & ours;
        let free = movers & !self.pinned;
        for from in free & self.kind_bb(PieceKind::Knight) {
            sink.piece(from, knight_attacks(from) & targets);
        }
        for from in free & self.diagonal_sliders() {
            sink.piece(from, bishop_attacks(from, occupied) & targets);
        }
        for from in free & self.straight_sliders() {
            sink.piece(from, rook_attacks(from, occupied) & targets);
        }
        let pinned = movers & self.pinned;
        if pinned.nonempty() {
            for from in pinned & self.diagonal_sliders() {
                sink.piece(from, bishop_attacks(from, occupied) & targets & line(king, from));
            }
            for from in pinned & self.straight_sliders() {
                sink.piece(from, rook_attacks(from, occupied) & targets & line(king, from));
            }
        }
        if which != Gen::Noisy && self.checkers.is_empty() && movers.contains(king) {
            self.emit_castling(king, sink);
        }
    }

    #[inline(always)]
    fn emit_king<S: Sink>(&self, king: Square, wanted: Bitboard, sink: &mut S) {
        // The king itself must not shield the squares behind it from a slider.
        let occupied = self.occupied() ^ Bitboard::of(king);
        let mut safe = Bitboard::EMPTY;
        for to in king_attacks(king) & wanted {
            if !self.is_attacked(to, !self.side, occupied) {
                safe |= Bitboard::of(to);
            }
        }
        sink.piece(king, safe);
    }

    /// A pinned pawn may still move along its pin, and its line through the king says which way that is: pushes
    /// stay on the king's file, captures on one of the king's diagonals.
    #[inline(always)]
    fn emit_pawns<S: Sink>(&self, movers: Bitboard, evasions: Bitboard, which: Gen, sink: &mut S) {
        let us = self.side;
        let pawns = self.pieces(us, PieceKind::Pawn) & movers;
        let empty = !self.occupied();
        let king = self.king(us);
        let (up, third, last) = match us {
            Color::White => (8i8, Bitboard::rank(2), Bitboard::rank(7)),
            Color::Black => (-8i8, Bitboard::rank(5), Bitboard::rank(0)),
        };
        let (rising, falling) = (diagonal(king), anti_diagonal(king));
        let pushers = pawns & (!self.pinned | Bitboard::file(king.file()));
        let pushed = pushers.forward(us) & empty;
        if which != Gen::Noisy {
            let twice = (pushed & third).forward(us) & empty & evasions;
            sink.pawns(pushed & evasions & !last, up);
            sink.pawns(twice, 2 * up);
        }
        if which == Gen::Quiet {
            return;
        }
        sink.promotions(pushed & evasions & last, up);
        let (east_line, west_line) = match us {
            Color::White => (rising, falling),
            Color::Black => (falling, rising),
        };
        let targets = self.color_bb(!us) & evasions;
        let east = (pawns & (!self.pinned | east_line)).forward(us).east() & targets;
        let west = (pawns & (!self.pinned | west_line)).forward(us).west() & targets;
        sink.pawns(east & !last, up + 1);
        sink.pawns(west & !last, up - 1);
        if ((east | west) & last).nonempty() {
            sink.promotions(east & last, up + 1);
            sink.promotions(west & last, up - 1);
        }
        if let Some(ep) = self.ep {
            for from in pawns & pawn_attacks(!us, ep) {
                if self.en_passant_is_safe(from, ep) {
                    sink.special(Move::en_passant(from, ep));
                }
            }
        }
    }

    #[inline(always)]
    fn emit_castling<S: Sink>(&self, king: Square, sink: &mut S) {
        for wing in Wing::ALL {
            if let Some(rook) = self.castling_rook(self.side, wing)
                && self.may_castle(king, rook, wing)
            {
                sink.special(Move::castling(king, rook));
            }
        }
    }

    /// Nothing but king and rook stands where either passes or lands, and the king crosses no attacked square. The
    /// last test looks at the board after castling: in Chess960 the rook may have been the king's shield.
    fn may_castle(&self, king: Square, rook: Square, wing: Wing) -> bool {
        let (king_to, rook_to) = wing.destinations(self.side);
        let (king_bb, rook_bb) = (Bitboard::of(king), Bitboard::of(rook));
        let others = self.occupied() ^ king_bb ^ rook_bb;
        let king_path = between(king, king_to) | Bitboard::of(king_to);
        let rook_path = between(rook, rook_to) | Bitboard::of(rook_to);
        if ((king_path | rook_path) & others).nonempty() {
            return false;
        }
        let them = !self.side;
        let crossed_safely = (king_path & !Bitboard::of(king_to))
            .into_iter()
            .all(|square| !self.is_attacked(square, them, self.occupied() ^ king_bb));
        crossed_safely && !self.is_attacked(king_to, them, others | Bitboard::of(rook_to))
    }
}
