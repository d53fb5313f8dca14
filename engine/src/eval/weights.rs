//! The weights of the evaluation, in centipawns: round values and simple shapes, to be tuned on our own games.

use super::Tapered;

const fn t(middle: i32, end: i32) -> Tapered {
    Tapered::new(middle, end)
}

/// The right to move.
pub const TEMPO: Tapered = t(15, 10);
/// Material by kind; kings are always both there.
pub const MATERIAL: [Tapered; 6] =
    [t(85, 110), t(340, 320), t(355, 335), t(480, 560), t(1000, 1050), t(0, 0)];
/// Two bishops.
pub const BISHOP_PAIR: Tapered = t(25, 50);

/// Per square of safe mobility beyond [`MOBILITY_BASE`], by kind.
pub const MOBILITY: [Tapered; 6] = [t(0, 0), t(5, 5), t(5, 5), t(3, 5), t(2, 4), t(0, 0)];
/// Mobility that earns nothing and costs nothing.
pub const MOBILITY_BASE: [i32; 6] = [0, 4, 6, 7, 13, 0];

/// A rook on a file without pawns.
pub const ROOK_OPEN_FILE: Tapered = t(30, 10);
/// A rook on a file without own pawns.
pub const ROOK_HALF_OPEN_FILE: Tapered = t(14, 8);
/// A piece attacked by a pawn.
pub const HIT_BY_PAWN: Tapered = t(-45, -30);
/// A minor piece guarded by a pawn.
pub const GUARDED_MINOR: Tapered = t(8, 5);

/// A pawn with another of its own in front of it on its file.
pub const DOUBLED: Tapered = t(-8, -20);
/// A pawn without own pawns on the neighbouring files.
pub const ISOLATED: Tapered = t(-12, -14);
/// A pawn guarded by a pawn.
pub const GUARDED_PAWN: Tapered = t(10, 8);
/// A pawn with a neighbour beside it.
pub const PHALANX: Tapered = t(6, 4);
/// A passed pawn, by rank from its own side.
pub const PASSED: [Tapered; 8] =
    [t(0, 0), t(0, 10), t(0, 15), t(10, 35), t(30, 65), t(60, 115), t(100, 180), t(0, 0)];
/// A passed pawn whose next square is occupied, by rank.
pub const PASSED_BLOCKED: [Tapered; 8] =
    [t(0, 0), t(0, -5), t(0, -8), t(-4, -15), t(-10, -30), t(-20, -55), t(-35, -85), t(0, 0)];
/// Per step that the enemy king is farther from a passed pawn's next square than ours, from its fifth rank on.
pub const PASSED_KING_STEP: Tapered = t(0, 7);

/// Weight of an attack on the king's zone, by attacking kind.
pub const KING_ATTACK: [i32; 6] = [0, 3, 3, 4, 6, 0];
/// The danger (sum of weights, squared) is divided by this to give centipawns.
pub const KING_DANGER_DIVISOR: i32 = 8;
/// The most that danger may cost.
pub const KING_DANGER_MOST: i32 = 400;
/// A pawn directly before the king, on its own or a neighbouring file.
pub const SHIELD_NEAR: Tapered = t(16, 0);
/// The same, one rank farther.
pub const SHIELD_FAR: Tapered = t(8, 0);
/// A file at the king without own pawns.
pub const KING_OPEN_FILE: Tapered = t(-14, 0);

/// Distance from the centre along one axis: 3 2 1 0 0 1 2 3.
const fn off_centre(coordinate: usize) -> i32 {
    let c = coordinate as i32;
    if c < 4 { 3 - c } else { c - 4 }
}

const fn place(kind: usize, file: usize, rank: usize) -> Tapered {
    let (x, y) = (off_centre(file), off_centre(rank));
    let centre = 3 - (x + y) + (if x > y { y } else { x }) / 2;
    let r = rank as i32;
    match kind {
        // Pawns: forward, above all in the centre.
        0 => t(r * 3 - 6 + (3 - x) * (if rank >= 2 && rank <= 4 { 7 } else { 1 }) - 8, r * 6 - 12),
        1 => t(centre * 11 - (if rank == 0 { 14 } else { 0 }), centre * 9),
        2 => t(centre * 6 - (if rank == 0 { 12 } else { 0 }), centre * 5),
        // Rooks: the centre files, and the seventh rank.
        3 => t((3 - x) * 4 - 6 + (if rank == 6 { 18 } else { 0 }), if rank == 6 { 20 } else { 0 }),
        4 => t(centre * 2 - (if rank == 0 { 4 } else { 0 }), centre * 9),
        // Kings: in a corner at home while pieces are about, in the centre afterwards.
        _ => t(x * 12 - 18 - r * 16 - (if x == 1 { 6 } else { 0 }), centre * 14 - 10),
    }
}

/// Value of a piece's place, by kind and square as its owner sees it.
pub static PLACEMENT: [[Tapered; 64]; 6] = {
    let mut table = [[t(0, 0); 64]; 6];
    let mut i = 0;
    while i < 6 * 64 {
        table[i / 64][i % 64] = place(i / 64, i % 8, i % 64 / 8);
        i += 1;
    }
    table
};
