//! The terms, each for one side. They read the weights and nothing else.

use super::weights as w;
use super::{Side, Tapered};
use chess::attacks::{pawn_attacks, pawns_attack, piece_attacks};
use chess::{Bitboard, PieceKind, Square};

/// Steps a king needs from one square to another.
fn distance(a: Square, b: Square) -> i32 {
    i32::from(a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank())))
}

impl Side<'_> {
    fn placed(&self, kind: PieceKind, square: Square) -> Tapered {
        w::MATERIAL[kind.index()] + w::PLACEMENT[kind.index()][square.relative(self.us).index()]
    }

    /// Pawns: material, place and structure.
    pub(super) fn pawns(&self) -> Tapered {
        let (own, enemy) = (self.ours(PieceKind::Pawn), self.theirs(PieceKind::Pawn));
        let guarded = own & pawns_attack(self.us, own);
        let beside = own & (own.east() | own.west());
        let doubled = own & own.ahead(!self.us);
        let mut sum = w::GUARDED_PAWN * guarded.count() as i32
            + w::PHALANX * beside.count() as i32
            + w::DOUBLED * doubled.count() as i32;
        let files = own.files();
        let supported = files.east() | files.west();
        // Squares that enemy pawns hold or can come to attack: no passed pawn stands behind one of them.
        let stoppers = enemy | pawns_attack(!self.us, enemy);
        let stopped = stoppers | stoppers.ahead(!self.us) | own.ahead(!self.us);
        for square in own {
            sum += self.placed(PieceKind::Pawn, square);
            if !supported.contains(square) {
                sum += w::ISOLATED;
            }
            if !stopped.contains(square) {
                sum += self.passed(square);
            }
        }
        sum
    }

    fn passed(&self, square: Square) -> Tapered {
        let rank = square.relative(self.us).rank() as usize;
        let mut sum = w::PASSED[rank];
        let Some(next) = Bitboard::of(square).forward(self.us).first() else { return sum };
        if self.position.occupied().contains(next) {
            sum += w::PASSED_BLOCKED[rank];
        }
        if rank >= 4 {
            let lead =
                distance(self.position.king(!self.us), next) - distance(self.position.king(self.us), next);
            sum += w::PASSED_KING_STEP * lead;
        }
        sum
    }

    /// Knights to queens: material, place, mobility, and the danger they bring to the enemy king.
    pub(super) fn pieces(&self) -> Tapered {
        let occupied = self.position.occupied();
        let own_pawns = self.ours(PieceKind::Pawn);
        let guarded = pawns_attack(self.us, own_pawns);
        let mut sum = Tapered::default();
        let (mut danger, mut attackers) = (0, 0);
        for kind in [PieceKind::Knight, PieceKind::Bishop, PieceKind::Rook, PieceKind::Queen] {
            // Sliders look through their own kind's partners, as batteries do.
            let transparent = match kind {
                PieceKind::Bishop => self.ours(PieceKind::Queen),
                PieceKind::Rook => self.ours(PieceKind::Rook) | self.ours(PieceKind::Queen),
                _ => Bitboard::EMPTY,
            };
            for square in self.ours(kind) {
                sum += self.placed(kind, square);
                let attacks = piece_attacks(self.us, kind, square, occupied ^ transparent);
                let moves = (attacks & self.mobility_area).count() as i32;
                sum += w::MOBILITY[kind.index()] * (moves - w::MOBILITY_BASE[kind.index()]);
                let zone = attacks & self.enemy_king_zone & !self.enemy_pawn_attacks;
                if zone.nonempty() {
                    attackers += 1;
                    danger += w::KING_ATTACK[kind.index()] * (1 + zone.count() as i32);
                }
            }
            let kindred = self.ours(kind);
            sum += w::HIT_BY_PAWN * (kindred & self.enemy_pawn_attacks).count() as i32;
            if matches!(kind, PieceKind::Knight | PieceKind::Bishop) {
                sum += w::GUARDED_MINOR * (kindred & guarded).count() as i32;
            }
        }
        if self.ours(PieceKind::Bishop).many() {
            sum += w::BISHOP_PAIR;
        }
        sum += self.rook_files(own_pawns);
        // One attacker alone seldom mates.
        if attackers >= 2 {
            let cost = (danger * danger / w::KING_DANGER_DIVISOR).min(w::KING_DANGER_MOST);
            sum += Tapered::new(cost, cost / 8);
        }
        sum
    }

    fn rook_files(&self, own_pawns: Bitboard) -> Tapered {
        let rooks = self.ours(PieceKind::Rook) & !own_pawns.files();
        let open = rooks & !self.theirs(PieceKind::Pawn).files();
        w::ROOK_OPEN_FILE * open.count() as i32 + w::ROOK_HALF_OPEN_FILE * (rooks & !open).count() as i32
    }

    /// The king: place and pawn shield.
    pub(super) fn king(&self) -> Tapered {
        let king = self.position.king(self.us);
        let own = self.ours(PieceKind::Pawn);
        let near = pawn_attacks(self.us, king) | Bitboard::of(king).forward(self.us);
        let around = Bitboard::of(king) | Bitboard::of(king).east() | Bitboard::of(king).west();
        let bare = around & !own.files();
        self.placed(PieceKind::King, king)
            + w::SHIELD_NEAR * (near & own).count() as i32
            + w::SHIELD_FAR * (near.forward(self.us) & own).count() as i32
            + w::KING_OPEN_FILE * bare.count() as i32
    }
}
