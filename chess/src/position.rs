//! A position and how a move changes it.
//!
//! Bitboards say where the pieces of a kind or a side are, a mailbox says what stands on a square; both are kept,
//! because each question is asked millions of times a second. Positions are copied, not unmade: a copy is three
//! cache lines, and a parallel search can hand a position to another thread without sharing anything.
//!
//! Checkers and pinned pieces are found once, when the position arises: the move generator and the search need both.

use crate::attacks::{
    between, bishop_attacks, bishop_rays, king_attacks, knight_attacks, pawn_attacks, pawns_attack,
    rook_attacks, rook_rays,
};
use crate::fen::MOST_COUNTED;
use crate::{Bitboard, Color, Move, MoveKind, Piece, PieceKind, Square, zobrist};

/// Which wing a king castles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wing {
    /// Towards the h-file: the king ends on the g-file.
    King,
    /// Towards the a-file: the king ends on the c-file.
    Queen,
}

impl Wing {
    /// Both wings, king's first.
    pub const ALL: [Wing; 2] = [Wing::King, Wing::Queen];

    /// Where king and rook of `color` end.
    pub const fn destinations(self, color: Color) -> (Square, Square) {
        let rank = color.back_rank();
        match self {
            Wing::King => (Square::at(6, rank), Square::at(5, rank)),
            Wing::Queen => (Square::at(2, rank), Square::at(3, rank)),
        }
    }
}

/// A legal chess position.
#[derive(Clone)]
pub struct Position {
    pub(crate) kinds: [Bitboard; 6],
    pub(crate) colors: [Bitboard; 2],
    pub(crate) board: [Option<PieceKind>; 64],
    pub(crate) checkers: Bitboard,
    pub(crate) pinned: Bitboard,
    pub(crate) key: u64,
    pub(crate) pawn_key: u64,
    /// Rooks that may still castle, by colour and wing.
    pub(crate) castling: [[Option<Square>; 2]; 2],
    /// Set only while a legal en passant capture exists.
    pub(crate) ep: Option<Square>,
    /// Set while an enemy pawn stands beside one that has just come two steps, whether it may capture or not.
    pub(crate) passed: Option<Square>,
    pub(crate) side: Color,
    pub(crate) halfmoves: u16,
    pub(crate) fullmoves: u16,
}

const _: () = assert!(size_of::<Position>() <= 192, "a position fits three cache lines");

/// The move is not legal in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {0}")]
pub struct IllegalMove(pub Move);

impl Position {
    /// The board without pieces, White to move: raw material for the FEN parser, never handed out.
    pub(crate) fn empty() -> Self {
        Position {
            kinds: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            board: [None; 64],
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            key: 0,
            pawn_key: 0,
            castling: [[None; 2]; 2],
            ep: None,
            passed: None,
            side: Color::White,
            halfmoves: 0,
            fullmoves: 1,
        }
    }

    /// The start position of standard chess.
    pub fn startpos() -> Self {
        Self::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
            .expect("the start position is a legal FEN")
    }

    /// The side whose turn it is.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        let kind = self.board[square.index()]?;
        let color = if self.colors[0].contains(square) { Color::White } else { Color::Black };
        Some(Piece { color, kind })
    }

    /// The kind of the piece on a square, of either colour.
    #[inline]
    pub fn kind_on(&self, square: Square) -> Option<PieceKind> {
        self.board[square.index()]
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The squares of a side's pieces.
    #[inline]
    pub fn color_bb(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares of all pieces of a kind.
    #[inline]
    pub fn kind_bb(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The squares of one side's pieces of a kind.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    /// Rooks and queens of both sides.
    #[inline]
    pub fn straight_sliders(&self) -> Bitboard {
        self.kind_bb(PieceKind::Rook) | self.kind_bb(PieceKind::Queen)
    }

    /// Bishops and queens of both sides.
    #[inline]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.kind_bb(PieceKind::Bishop) | self.kind_bb(PieceKind::Queen)
    }

    /// Where a side's king is.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        Square::new(self.pieces(color, PieceKind::King).0.trailing_zeros() as u8)
    }

    /// Zobrist key of everything that makes two positions the same (repetition rule, strict en passant).
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Zobrist key of the pawns alone.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// Zobrist key of the pawns and both kings.
    #[inline]
    pub fn structure_key(&self) -> u64 {
        let king = |color| zobrist::piece(color, PieceKind::King, self.king(color));
        self.pawn_key ^ king(Color::White) ^ king(Color::Black)
    }

    /// Plies since the last capture or pawn move, 9999 at most.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        u32::from(self.halfmoves)
    }

    /// The number of the move about to be played, counted from 1 and after each Black move, to 9999 at most.
    pub fn fullmove_number(&self) -> u32 {
        u32::from(self.fullmoves)
    }

    /// The square a pawn may capture en passant on; only while such a capture is legal.
    #[inline]
    pub fn ep_square(&self) -> Option<Square> {
        self.ep
    }

    /// The square that a pawn has just passed over, if an enemy pawn stands beside it and attacks that square, whether the
    /// capture is legal or not: the en passant square of X-FEN and of Polyglot's keys.
    pub fn passed_square(&self) -> Option<Square> {
        self.passed
    }

    /// The rook a side may still castle with on a wing.
    #[inline]
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        self.castling[color.index()][wing as usize]
    }

    /// May either side still castle, now or later?
    pub fn has_castling_rights(&self) -> bool {
        self.castling.iter().flatten().any(Option::is_some)
    }

    /// Does any castling right start from squares other than those of standard chess?
    pub fn is_chess960(&self) -> bool {
        Color::ALL.into_iter().any(|color| {
            Wing::ALL.into_iter().any(|wing| {
                let standard = if wing == Wing::King { 7 } else { 0 };
                self.castling_rook(color, wing)
                    .is_some_and(|rook| rook.file() != standard || self.king(color).file() != 4)
            })
        })
    }

    /// The pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Is the side to move in check?
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.nonempty()
    }

    /// Pieces of the side to move that are pinned to their king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Pieces of both sides that attack a square, with `occupied` in the way of sliders.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let pawns = (pawn_attacks(Color::Black, square) & self.colors[0])
            | (pawn_attacks(Color::White, square) & self.colors[1]);
        (pawns & self.kind_bb(PieceKind::Pawn))
            | (knight_attacks(square) & self.kind_bb(PieceKind::Knight))
            | (king_attacks(square) & self.kind_bb(PieceKind::King))
            | (rook_attacks(square, occupied) & self.straight_sliders())
            | (bishop_attacks(square, occupied) & self.diagonal_sliders())
    }

    /// Does `by` attack the square, with `occupied` in the way of sliders?
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        let theirs = self.color_bb(by);
        (knight_attacks(square) & theirs & self.kind_bb(PieceKind::Knight)).nonempty()
            || (pawn_attacks(!by, square) & theirs & self.kind_bb(PieceKind::Pawn)).nonempty()
            || (king_attacks(square) & theirs & self.kind_bb(PieceKind::King)).nonempty()
            || (rook_attacks(square, occupied) & theirs & self.straight_sliders()).nonempty()
            || (bishop_attacks(square, occupied) & theirs & self.diagonal_sliders()).nonempty()
    }

    /// Every square that a piece of `by` attacks, its own pieces' squares included.
    pub fn attacked_by(&self, by: Color) -> Bitboard {
        let theirs = self.color_bb(by);
        let occupied = self.occupied();
        let pawns = pawns_attack(by, self.pieces(by, PieceKind::Pawn));
        let knights = self.pieces(by, PieceKind::Knight).into_iter().map(knight_attacks);
        let straight =
            (theirs & self.straight_sliders()).into_iter().map(|from| rook_attacks(from, occupied));
        let diagonal =
            (theirs & self.diagonal_sliders()).into_iter().map(|from| bishop_attacks(from, occupied));
        knights
            .chain(straight)
            .chain(diagonal)
            .fold(pawns | king_attacks(self.king(by)), |all, some| all | some)
    }

    /// Does the move take something? En passant does, castling does not.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        match mv.kind() {
            MoveKind::EnPassant => true,
            MoveKind::Castling => false,
            MoveKind::Normal | MoveKind::Promotion => self.board[mv.to().index()].is_some(),
        }
    }

    /// What the move takes, if anything.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceKind> {
        match mv.kind() {
            MoveKind::EnPassant => Some(PieceKind::Pawn),
            MoveKind::Castling => None,
            MoveKind::Normal | MoveKind::Promotion => self.board[mv.to().index()],
        }
    }

    /// Neither side can mate by any sequence of moves that this simple count sees: bare kings, one minor piece, or
    /// bishops that all stand on one colour.
    pub fn insufficient_material(&self) -> bool {
        use PieceKind::{Bishop, Knight, Pawn};
        if (self.kind_bb(Pawn) | self.straight_sliders()).nonempty() {
            return false;
        }
        let (knights, bishops) = (self.kind_bb(Knight), self.kind_bb(Bishop));
        if knights.is_empty() {
            return (bishops & Bitboard::LIGHT).is_empty() || (bishops & !Bitboard::LIGHT).is_empty();
        }
        bishops.is_empty() && !knights.many()
    }

    /// Puts or takes a piece: the same XOR either way.
    #[inline]
    pub(crate) fn toggle(&mut self, color: Color, kind: PieceKind, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[kind.index()] ^= bit;
        self.colors[color.index()] ^= bit;
        let key = zobrist::piece(color, kind, square);
        self.key ^= key;
        if kind == PieceKind::Pawn {
            self.pawn_key ^= key;
        }
    }

    #[inline]
    fn drop_castling(&mut self, color: Color, wing: Wing) {
        if let Some(rook) = self.castling[color.index()][wing as usize].take() {
            self.key ^= zobrist::castling(rook);
        }
    }

    /// Drops the right that depends on a rook which has left or was taken on `square`.
    #[inline]
    fn rook_gone(&mut self, color: Color, square: Square) {
        for wing in Wing::ALL {
            if self.castling[color.index()][wing as usize] == Some(square) {
                self.drop_castling(color, wing);
            }
        }
    }

    /// Plays a move that [`Position::generate`] made or [`Position::is_legal`] accepted. Another move leaves a
    /// corrupt position, though never undefined behaviour: for moves from outside use [`Position::try_play`].
    pub fn play(&mut self, mv: Move) {
        let (us, them) = (self.side, !self.side);
        let (from, to) = (mv.from(), mv.to());
        let Some(kind) = self.board[from.index()] else {
            debug_assert!(false, "{mv}: no piece on {from}");
            return;
        };
        self.halfmoves = (self.halfmoves + 1).min(MOST_COUNTED);
        self.fullmoves = (self.fullmoves + us as u16).min(MOST_COUNTED);
        if let Some(ep) = self.ep.take() {
            self.key ^= zobrist::en_passant(ep);
        }
        self.passed = None;
        if mv.is_castling() {
            self.castle(us, from, to);
        } else {
            if let Some(taken) = self.board[to.index()] {
                self.toggle(them, taken, to);
                self.halfmoves = 0;
                if taken == PieceKind::Rook {
                    self.rook_gone(them, to);
                }
            }
            self.board[from.index()] = None;
            self.toggle(us, kind, from);
            let placed = mv.promotion().unwrap_or(kind);
            self.board[to.index()] = Some(placed);
            self.toggle(us, placed, to);
            match kind {
                PieceKind::Pawn => {
                    self.halfmoves = 0;
                    if mv.kind() == MoveKind::EnPassant {
                        let victim = Square::at(to.file(), from.rank());
                        self.board[victim.index()] = None;
                        self.toggle(them, PieceKind::Pawn, victim);
                    }
                }
                PieceKind::Rook => self.rook_gone(us, from),
                PieceKind::King => Wing::ALL.into_iter().for_each(|wing| self.drop_castling(us, wing)),
                _ => {}
            }
        }
        self.side = them;
        self.key ^= zobrist::SIDE;
        self.find_checks();
        if kind == PieceKind::Pawn && from.index().abs_diff(to.index()) == 16 {
            self.offer_en_passant(Square::new(((from.index() + to.index()) / 2) as u8));
        }
    }

    fn castle(&mut self, us: Color, king: Square, rook: Square) {
        let wing = if rook.file() > king.file() { Wing::King } else { Wing::Queen };
        let (king_to, rook_to) = wing.destinations(us);
        // Lift both before putting either: in Chess960 each may land where the other stood.
        self.board[king.index()] = None;
        self.board[rook.index()] = None;
        self.toggle(us, PieceKind::King, king);
        self.toggle(us, PieceKind::Rook, rook);
        self.board[king_to.index()] = Some(PieceKind::King);
        self.board[rook_to.index()] = Some(PieceKind::Rook);
        self.toggle(us, PieceKind::King, king_to);
        self.toggle(us, PieceKind::Rook, rook_to);
        Wing::ALL.into_iter().for_each(|wing| self.drop_castling(us, wing));
    }

    /// Records an en passant square if a legal capture onto it exists; otherwise the position stays as it is.
    pub(crate) fn offer_en_passant(&mut self, square: Square) {
        let pawns = self.pieces(self.side, PieceKind::Pawn) & pawn_attacks(!self.side, square);
        self.passed = pawns.nonempty().then_some(square);
        if pawns.into_iter().any(|from| self.en_passant_is_safe(from, square)) {
            self.ep = Some(square);
            self.key ^= zobrist::en_passant(square);
        }
    }

    /// Would our king stand unattacked after this en passant capture? Two pawns leave the board's lines at once, so
    /// the pin table does not know; look at the board as it would be.
    #[inline]
    pub(crate) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let victim = Bitboard::of(Square::at(to.file(), from.rank()));
        let occupied = (self.occupied() ^ Bitboard::of(from) ^ victim) | Bitboard::of(to);
        let theirs = self.color_bb(!self.side) & !victim;
        (self.attackers_to(self.king(self.side), occupied) & theirs).is_empty()
    }

    /// Finds who checks and who is pinned, for the side to move.
    #[inline]
    pub(crate) fn find_checks(&mut self) {
        let (us, them) = (self.side, !self.side);
        let king = self.king(us);
        let (ours, theirs) = (self.color_bb(us), self.color_bb(them));
        let occupied = ours | theirs;
        let mut checkers = theirs
            & ((knight_attacks(king) & self.kind_bb(PieceKind::Knight))
                | (pawn_attacks(us, king) & self.kind_bb(PieceKind::Pawn)));
        let mut pinned = Bitboard::EMPTY;
        let snipers = theirs
            & ((rook_rays(king) & self.straight_sliders()) | (bishop_rays(king) & self.diagonal_sliders()));
        for sniper in snipers {
            let blockers = between(king, sniper) & occupied;
            if blockers.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !blockers.many() {
                pinned |= blockers & ours;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned;
    }

    /// The position after a legal move; see [`Position::play`].
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// The key that most moves lead to, quickly: castling rights and en passant are left out, and so are castling and
    /// promotion. For asking the memory early, nothing else.
    #[inline]
    #[must_use]
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (us, from, to) = (self.side, mv.from(), mv.to());
        let Some(kind) = self.board[from.index()] else { return self.key };
        let taken = self.board[to.index()].map_or(0, |taken| zobrist::piece(!us, taken, to));
        self.key ^ zobrist::SIDE ^ zobrist::piece(us, kind, from) ^ zobrist::piece(us, kind, to) ^ taken
    }

    /// The position after passing the turn; `None` in check, where passing would leave the king to be taken.
    #[must_use]
    pub fn after_null(&self) -> Option<Self> {
        if self.in_check() {
            return None;
        }
        let mut next = self.clone();
        if let Some(ep) = next.ep.take() {
            next.key ^= zobrist::en_passant(ep);
        }
        next.passed = None;
        next.halfmoves = (next.halfmoves + 1).min(MOST_COUNTED);
        next.fullmoves = (next.fullmoves + next.side as u16).min(MOST_COUNTED);
        next.side = !next.side;
        next.key ^= zobrist::SIDE;
        next.find_checks();
        Some(next)
    }

    /// Plays a move from outside, if it is legal; otherwise nothing changes.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        self.play(mv);
        Ok(())
    }

    /// The key computed from scratch, and the pawn key: what the incremental ones must equal.
    pub fn keys_from_scratch(&self) -> (u64, u64) {
        let (mut key, mut pawns) = (0, 0);
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                let number = zobrist::piece(piece.color, piece.kind, square);
                key ^= number;
                if piece.kind == PieceKind::Pawn {
                    pawns ^= number;
                }
            }
        }
        for rook in self.castling.iter().flatten().flatten() {
            key ^= zobrist::castling(*rook);
        }
        key ^= self.ep.map_or(0, zobrist::en_passant);
        key ^= if self.side == Color::Black { zobrist::SIDE } else { 0 };
        (key, pawns)
    }
}

impl PartialEq for Position {
    /// The same position as the repetition rule sees it, plus the same move counters.
    fn eq(&self, other: &Self) -> bool {
        self.board == other.board
            && self.colors == other.colors
            && self.castling == other.castling
            && self.ep == other.ep
            && self.side == other.side
            && self.halfmoves == other.halfmoves
            && self.fullmoves == other.fullmoves
    }
}

impl Eq for Position {}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.fen())
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}
