//! The terms. Each says which weights apply to one side of a position, and how often; what becomes of that is up to
//! the [`Sink`]: the engine adds the weights up, the tuner keeps the counts. So the two cannot drift apart.

use super::Tapered;
use super::layout as l;
use super::weights::WEIGHTS;
use chess::attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawns_attack, piece_attacks, rook_attacks,
};
use chess::{Bitboard, Color, PieceKind, Position, Square};

/// Hears which weights apply.
pub(super) trait Sink: Default {
    /// The weight at this place in the table applies so many times.
    fn add(&mut self, weight: usize, times: i32);
}

/// What the engine wants: the sum.
impl Sink for Tapered {
    #[inline(always)]
    fn add(&mut self, weight: usize, times: i32) {
        *self += WEIGHTS[weight] * times;
    }
}

/// What an attack on the squares at the enemy king brings, by kind, for [`l::KING_DANGER`]; each further square brings
/// it again.
const KING_ATTACK: [usize; 6] = [0, 3, 3, 4, 6, 0];
/// The pieces that have mobility.
const OFFICERS: [PieceKind; 4] = [PieceKind::Knight, PieceKind::Bishop, PieceKind::Rook, PieceKind::Queen];

/// Steps a king needs from one square to another.
pub(super) fn distance(a: Square, b: Square) -> usize {
    usize::from(a.file().abs_diff(b.file()).max(a.rank().abs_diff(b.rank())))
}

/// The place of a square around a king, both seen from the same side.
#[inline]
fn around(king: Square, square: Square) -> usize {
    let ahead = square.rank() + 7 - king.rank();
    usize::from(ahead) * 8 + usize::from(square.file().abs_diff(king.file()))
}

/// The squares that a side attacks.
#[derive(Clone, Copy, Default)]
struct Attacks {
    by: [Bitboard; 6],
    all: Bitboard,
}

impl Attacks {
    fn add(&mut self, kind: PieceKind, squares: Bitboard) {
        self.by[kind.index()] |= squares;
        self.all |= squares;
    }

    fn of(&self, kind: PieceKind) -> Bitboard {
        self.by[kind.index()]
    }
}

/// One side, and what its terms need to know of both.
struct Side<'p> {
    position: &'p Position,
    us: Color,
    /// Both kings as our side sees them.
    king: Square,
    enemy_king: Square,
    /// 7 to mirror files, 0 to leave them.
    mirror: usize,
    /// Squares attacked by the enemy's pawns.
    enemy_pawn_attacks: Bitboard,
}

/// What a side's pawns and both kings say by themselves: it changes seldom, so the engine keeps it ([`super::pawns`]).
#[derive(Clone, Copy, Default)]
pub(super) struct Structure<S> {
    /// What the terms of pawns and king added up to.
    pub(super) sum: S,
    /// The side's passed pawns.
    pub(super) passed: Bitboard,
}

/// The structures of both sides of a position, that of the side to move first.
pub(super) fn structures<S: Sink>(position: &Position) -> [Structure<S>; 2] {
    let us = position.side_to_move();
    [us, !us].map(|side| Side::new(position, side).structure())
}

/// Counts the terms of the side to move, then those of the other side, beginning with their structures.
pub(super) fn count<S: Sink>(position: &Position, structures: [Structure<S>; 2]) -> [S; 2] {
    let us = position.side_to_move();
    let sides = [Side::new(position, us), Side::new(position, !us)];
    let passed = [structures[0].passed, structures[1].passed];
    let mut sinks = structures.map(|structure| structure.sum);
    let attacks = [sides[0].pieces(&mut sinks[0]), sides[1].pieces(&mut sinks[1])];
    sinks[0].add(l::TEMPO.at(0), 1);
    for (i, side) in sides.iter().enumerate() {
        let (ours, theirs) = (&attacks[i], &attacks[1 - i]);
        side.way_ahead(passed[i], theirs, &mut sinks[i]);
        side.threats(ours, theirs, &mut sinks[i]);
        side.checks(ours, theirs, &mut sinks[i]);
    }
    sinks
}

impl<'p> Side<'p> {
    fn new(position: &'p Position, us: Color) -> Self {
        let king = position.king(us);
        Side {
            position,
            us,
            king: king.relative(us),
            enemy_king: position.king(!us).relative(us),
            mirror: if king.file() < 4 { 7 } else { 0 },
            enemy_pawn_attacks: pawns_attack(!us, position.pieces(!us, PieceKind::Pawn)),
        }
    }

    fn ours(&self, kind: PieceKind) -> Bitboard {
        self.position.pieces(self.us, kind)
    }

    fn theirs(&self, kind: PieceKind) -> Bitboard {
        self.position.pieces(!self.us, kind)
    }

    /// A piece's place on the board and around the kings.
    #[inline(always)]
    fn placed<S: Sink>(&self, kind: PieceKind, square: Square, sink: &mut S) {
        let seen = square.relative(self.us);
        sink.add(l::PSQT.at(kind.index() * 64 + (seen.index() ^ self.mirror)), 1);
        if kind != PieceKind::King {
            let kind = kind.index() * l::AROUND;
            sink.add(l::PSQT_OWN_KING.at(kind + around(self.king, seen)), 1);
            sink.add(l::PSQT_ENEMY_KING.at(kind + around(self.enemy_king, seen)), 1);
        }
    }

    /// Knights to queens: material, place, mobility, and the danger they bring to the enemy king. Says what the whole
    /// side attacks.
    fn pieces<S: Sink>(&self, sink: &mut S) -> Attacks {
        let occupied = self.position.occupied();
        let own_pawns = self.ours(PieceKind::Pawn);
        let enemy_king = self.position.king(!self.us);
        let zone = (king_attacks(enemy_king) | Bitboard::of(enemy_king)) & !self.enemy_pawn_attacks;
        let mobility_area = !(own_pawns | self.ours(PieceKind::King) | self.enemy_pawn_attacks);
        let mut attacks = Attacks::default();
        attacks.add(PieceKind::Pawn, pawns_attack(self.us, own_pawns));
        attacks.add(PieceKind::King, king_attacks(self.position.king(self.us)));
        let (mut danger, mut attackers) = (0, 0);
        for kind in OFFICERS {
            // Sliders look through their own kind's partners, as batteries do.
            let transparent = match kind {
                PieceKind::Bishop => self.ours(PieceKind::Queen),
                PieceKind::Rook => self.ours(PieceKind::Rook) | self.ours(PieceKind::Queen),
                _ => Bitboard::EMPTY,
            };
            let kindred = self.ours(kind);
            sink.add(l::MATERIAL.at(kind.index()), kindred.count() as i32);
            for square in kindred {
                self.placed(kind, square, sink);
                let reach = piece_attacks(self.us, kind, square, occupied ^ transparent);
                attacks.add(kind, reach);
                let moves = (reach & mobility_area).count() as usize;
                let row = (kind.index() - 1) * l::MOBILITY_STEPS;
                sink.add(l::MOBILITY.at(row + moves.min(l::MOBILITY_STEPS - 1)), 1);
                let near = (reach & zone).count() as usize;
                if near > 0 {
                    attackers += 1;
                    danger += KING_ATTACK[kind.index()] * (1 + near);
                }
            }
        }
        self.minors(sink);
        self.rook_files(sink);
        // One attacker alone seldom mates.
        if attackers >= 2 {
            sink.add(l::KING_DANGER.at(danger.min(l::DANGER_STEPS - 1)), 1);
        }
        attacks
    }

    /// What knights and bishops have to do with pawns, and bishops with each other.
    fn minors<S: Sink>(&self, sink: &mut S) {
        let own_pawns = self.ours(PieceKind::Pawn);
        let guarded = pawns_attack(self.us, own_pawns);
        // Squares that no enemy pawn attacks or can come to attack.
        let enemy_reach = self.theirs(PieceKind::Pawn) | self.theirs(PieceKind::Pawn).ahead(!self.us);
        let safe = !pawns_attack(!self.us, enemy_reach);
        let enemy_half =
            Bitboard(0x00ff_ffff_0000_0000_u64.rotate_right(24 * u32::from(self.us == Color::Black)));
        for (index, kind) in [PieceKind::Knight, PieceKind::Bishop].into_iter().enumerate() {
            let posted = self.ours(kind) & guarded;
            sink.add(l::GUARDED_MINOR.at(index), posted.count() as i32);
            sink.add(l::OUTPOST.at(index), (posted & safe & enemy_half).count() as i32);
        }
        let bishops = self.ours(PieceKind::Bishop);
        if bishops.many() {
            sink.add(l::BISHOP_PAIR.at(0), 1);
        }
        for square in bishops {
            let color = if Bitboard::LIGHT.contains(square) { Bitboard::LIGHT } else { !Bitboard::LIGHT };
            sink.add(l::BISHOP_PAWNS.at((own_pawns & color).count() as usize), 1);
        }
    }

    fn rook_files<S: Sink>(&self, sink: &mut S) {
        let rooks = self.ours(PieceKind::Rook) & !self.ours(PieceKind::Pawn).files();
        let open = rooks & !self.theirs(PieceKind::Pawn).files();
        sink.add(l::ROOK_OPEN_FILE.at(0), open.count() as i32);
        sink.add(l::ROOK_HALF_OPEN_FILE.at(0), (rooks & !open).count() as i32);
    }

    /// What depends on pawns and kings alone.
    fn structure<S: Sink>(&self) -> Structure<S> {
        let mut sum = S::default();
        let passed = self.pawns(&mut sum);
        self.king(&mut sum);
        Structure { sum, passed }
    }

    /// Pawns: material, place and structure. Says which are passed.
    fn pawns<S: Sink>(&self, sink: &mut S) -> Bitboard {
        let (own, theirs) = (self.ours(PieceKind::Pawn), self.theirs(PieceKind::Pawn));
        let guarded = own & pawns_attack(self.us, own);
        let beside = own & (own.east() | own.west());
        // The neighbouring files from a pawn's own rank backwards, for all pawns at once: a pawn without own
        // pawns there is not in it.
        let supported_from = own | own.ahead(self.us);
        let supported = supported_from.east() | supported_from.west();
        let files = own.files();
        let neighbours = files.east() | files.west();
        // A pawn is stopped by enemy pawns ahead on its own file and the two beside it, or by its own.
        let facing = theirs.ahead(!self.us);
        let guards = theirs | pawns_attack(!self.us, theirs);
        let stopped = guards | guards.ahead(!self.us) | own.ahead(!self.us);
        sink.add(l::MATERIAL.at(PieceKind::Pawn.index()), own.count() as i32);
        sink.add(l::DOUBLED.at(0), (own & own.ahead(!self.us)).count() as i32);
        for square in own {
            self.placed(PieceKind::Pawn, square, sink);
            let rank = usize::from(square.relative(self.us).rank());
            let faced = usize::from(!facing.contains(square));
            if guarded.contains(square) {
                sink.add(l::GUARDED_PAWN.at(rank), 1);
            }
            if beside.contains(square) {
                sink.add(l::PHALANX.at(rank), 1);
            }
            let next = Bitboard::of(square).forward(self.us);
            if !neighbours.contains(square) {
                sink.add(l::ISOLATED.at(faced), 1);
            } else if !supported.contains(square) && (next & self.enemy_pawn_attacks).nonempty() {
                sink.add(l::BACKWARD.at(faced), 1);
            }
            if !stopped.contains(square) {
                self.passed(rank, next, guarded.contains(square), sink);
            }
        }
        own & !stopped
    }

    /// A passed pawn on `rank` whose next square is `next`.
    fn passed<S: Sink>(&self, rank: usize, next: Bitboard, guarded: bool, sink: &mut S) {
        sink.add(l::PASSED.at(rank), 1);
        if guarded {
            sink.add(l::PASSED_GUARDED.at(rank), 1);
        }
        if let Some(square) = next.first().filter(|_| rank >= 3) {
            let row = (rank - 3).min(3) * 8;
            let seen = square.relative(self.us);
            sink.add(l::PASSED_OWN_KING.at(row + distance(self.king, seen)), 1);
            sink.add(l::PASSED_ENEMY_KING.at(row + distance(self.enemy_king, seen)), 1);
        }
    }

    /// What stands in the way of passed pawns.
    fn way_ahead<S: Sink>(&self, passed: Bitboard, enemy: &Attacks, sink: &mut S) {
        for square in passed {
            let rank = usize::from(square.relative(self.us).rank());
            let next = Bitboard::of(square).forward(self.us);
            if (next & self.position.occupied()).nonempty() {
                sink.add(l::PASSED_BLOCKED.at(rank), 1);
            } else if (next & enemy.all).is_empty() {
                sink.add(l::PASSED_FREE.at(rank), 1);
            }
        }
    }

    /// What our side attacks that is worth more, or not guarded.
    fn threats<S: Sink>(&self, ours: &Attacks, theirs: &Attacks, sink: &mut S) {
        let enemy = self.position.color_bb(!self.us) & !self.theirs(PieceKind::King);
        let unguarded = enemy & !theirs.of(PieceKind::Pawn);
        let by_pawn = enemy & ours.of(PieceKind::Pawn);
        let by_minor = unguarded & (ours.of(PieceKind::Knight) | ours.of(PieceKind::Bishop));
        let by_rook = unguarded & ours.of(PieceKind::Rook);
        let hanging = enemy & ours.all & !theirs.all;
        for (group, victims) in [
            (l::THREAT_BY_PAWN, by_pawn),
            (l::THREAT_BY_MINOR, by_minor),
            (l::THREAT_BY_ROOK, by_rook),
            (l::HANGING, hanging),
        ] {
            for square in victims {
                let kind = self.position.kind_on(square).map_or(0, PieceKind::index);
                sink.add(group.at(kind), 1);
            }
        }
        let step = self.ours(PieceKind::Pawn).forward(self.us) & !self.position.occupied();
        let safe = step & !self.enemy_pawn_attacks;
        let hit = pawns_attack(self.us, safe) & enemy & !self.theirs(PieceKind::Pawn) & !by_pawn;
        sink.add(l::PUSH_THREAT.at(0), hit.count() as i32);
    }

    /// Checks that our side can give without losing the piece at once.
    fn checks<S: Sink>(&self, ours: &Attacks, theirs: &Attacks, sink: &mut S) {
        let king = self.position.king(!self.us);
        let occupied = self.position.occupied();
        let safe = !self.position.color_bb(self.us) & !theirs.all;
        let diagonal = bishop_attacks(king, occupied) & safe;
        let straight = rook_attacks(king, occupied) & safe;
        let from = [knight_attacks(king) & safe, diagonal, straight, diagonal | straight];
        for (index, kind) in OFFICERS.into_iter().enumerate() {
            let checks = from[index] & ours.of(kind);
            if checks.nonempty() {
                sink.add(l::SAFE_CHECK.at(2 * index + usize::from(checks.many())), 1);
            }
        }
    }

    /// The king: place and files without pawns.
    fn king<S: Sink>(&self, sink: &mut S) {
        let king = self.position.king(self.us);
        self.placed(PieceKind::King, king, sink);
        let near = Bitboard::of(king) | Bitboard::of(king).east() | Bitboard::of(king).west();
        let half_open = near & !self.ours(PieceKind::Pawn).files();
        let open = half_open & !self.theirs(PieceKind::Pawn).files();
        sink.add(l::KING_HALF_OPEN_FILES.at(half_open.count() as usize), 1);
        sink.add(l::KING_OPEN_FILES.at(open.count() as usize), 1);
    }
}
