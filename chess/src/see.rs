//! Static exchange evaluation: what a capture is worth once both sides have taken all they care to on its square.

use crate::attacks::{bishop_attacks, rook_attacks};
use crate::{Bitboard, Color, Move, MoveKind, PieceKind, Position};

/// Exchange values by piece kind, pawn = 100. The king is never taken, so its value only has to exceed the rest.
pub const SEE_VALUES: [i32; 6] = [100, 325, 325, 500, 975, 20_000];

impl Position {
    /// Does the exchange that this legal move starts win at least `threshold` (in [`SEE_VALUES`] units)?
    ///
    /// Each side takes with its least valuable piece and may stop at any time. Pinned pieces stay out of the
    /// exchange while their pinner stands, as far as the side to move is concerned.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castling() {
            return threshold <= 0;
        }
        let (from, to) = (mv.from(), mv.to());
        let value = |kind: PieceKind| SEE_VALUES[kind.index()];
        let Some(mover) = self.kind_on(from) else { return false };
        let promoted = mv.promotion().map_or(0, |kind| value(kind) - value(PieceKind::Pawn));
        // What we have won if the exchange ends here, less what we asked for.
        let mut balance = self.captured(mv).map_or(0, value) + promoted - threshold;
        if balance < 0 {
            return false;
        }
        // What we have if the piece now on the square is lost for nothing.
        balance -= value(mv.promotion().unwrap_or(mover));
        if balance >= 0 {
            return true;
        }
        let mut occupied = (self.occupied() ^ Bitboard::of(from)) | Bitboard::of(to);
        if mv.kind() == MoveKind::EnPassant {
            occupied ^= Bitboard::of(crate::Square::at(to.file(), from.rank()));
        }
        let (diagonal, straight) = (self.diagonal_sliders(), self.straight_sliders());
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = self.side;
        loop {
            side = !side;
            let ours = self.unpinned(attackers & self.color_bb(side), side, occupied);
            let Some((kind, piece)) = self.least_valuable(ours) else { break };
            if kind == PieceKind::King && (attackers & self.color_bb(!side)).nonempty() {
                break; // the king may not step into an attack
            }
            occupied ^= piece;
            if matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Queen) {
                attackers |= bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(kind, PieceKind::Rook | PieceKind::Queen) {
                attackers |= rook_attacks(to, occupied) & straight;
            }
            attackers &= occupied;
            // Seen from the side that takes now: does it come out ahead even if it loses this piece too?
            balance = -balance - 1 - value(kind);
            if balance >= 0 {
                return side == self.side;
            }
        }
        // The side that is left to move and cannot has lost the exchange.
        self.side != side
    }

    /// `pieces` of `side` less those pinned to their own king by a slider that still stands.
    fn unpinned(&self, pieces: Bitboard, side: Color, occupied: Bitboard) -> Bitboard {
        if side != self.side || (pieces & self.pinned).is_empty() {
            return pieces;
        }
        let king = self.king(side);
        let pinners = self.color_bb(!side)
            & occupied
            & ((crate::attacks::rook_rays(king) & self.straight_sliders())
                | (crate::attacks::bishop_rays(king) & self.diagonal_sliders()));
        let still = pinners
            .into_iter()
            .map(|pinner| crate::attacks::between(king, pinner))
            .fold(Bitboard::EMPTY, |set, gap| set | gap);
        pieces & !(self.pinned & still)
    }

    fn least_valuable(&self, pieces: Bitboard) -> Option<(PieceKind, Bitboard)> {
        PieceKind::ALL
            .into_iter()
            .find_map(|kind| (pieces & self.kind_bb(kind)).first().map(|square| (kind, Bitboard::of(square))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (FEN, move, value of the exchange) worked out by hand.
    const EXCHANGES: &[(&str, &str, i32)] = &[
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", 100 - 325),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", 100),
        ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", 0),
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "Rxd5", 100 - 500),
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 100 - 500),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "dxe3", 100),
        ("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", 975 - 100),
        ("1r6/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a8=Q", -100),
        ("4k3/8/3n4/8/4P3/8/8/4K3 w - - 0 1", "e5", 0),
        ("4k3/8/8/4p3/8/5N2/8/4K2B w - - 0 1", "Nxe5", 100),
        ("4k3/3n4/8/4p3/8/5N2/8/4K3 w - - 0 1", "Nxe5", 100 - 325),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", 0),
        // The second recapture decides; the pawn is pinned by what it takes.
        ("4k3/8/2n5/4p3/8/5N2/8/4R1K1 w - - 0 1", "Nxe5", 100),
        ("6k1/p7/8/2b5/8/8/3B1P2/6K1 w - - 0 1", "Be3", 0),
    ];

    #[test]
    fn thresholds_bracket_the_value() {
        for &(fen, san, value) in EXCHANGES {
            let position = Position::from_fen(fen).unwrap();
            let mv = position.parse_san(san).unwrap();
            for threshold in (-1200..=1200).step_by(25).chain([value, value + 1]) {
                let enough = value >= threshold;
                assert_eq!(position.see_ge(mv, threshold), enough, "{fen} {san} at least {threshold}");
            }
        }
    }
}
