//! What pieces attack, by table look-up.
//!
//! Leapers have one entry per square. Sliders use magic bitboards (Kannan 2007, "Magic Move-Bitboard Generation in
//! Computer Chess"): multiplying the relevant occupancy by a magic number gathers it into an index. The tables are
//! compile-time constants, so nothing has to be initialised.

use crate::rays::{BISHOP_RAYS, ROOK_RAYS, slide};
use crate::{Bitboard, Color, PieceKind, Square};

/// How one square finds its part of the slider table.
struct Lookup {
    mask: u64,
    magic: u64,
    offset: u32,
    shift: u8,
}

include!(concat!(env!("OUT_DIR"), "/sliders.rs"));

#[inline]
fn slider(lookup: &Lookup, occupied: Bitboard) -> Bitboard {
    let hash = (occupied.0 & lookup.mask).wrapping_mul(lookup.magic) >> lookup.shift;
    // The table's length is a power of two: the mask replaces a bounds check and never changes the index.
    Bitboard(SLIDER_ATTACKS[(lookup.offset as usize + hash as usize) & (SLIDER_ATTACKS.len() - 1)])
}

/// Squares a rook on `square` attacks.
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    slider(&ROOK_LOOKUPS[square.index()], occupied)
}

/// Squares a bishop on `square` attacks.
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    slider(&BISHOP_LOOKUPS[square.index()], occupied)
}

/// Squares a queen on `square` attacks.
#[inline]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    rook_attacks(square, occupied) | bishop_attacks(square, occupied)
}

/// Squares a knight on `square` attacks.
#[inline]
pub fn knight_attacks(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares a king on `square` attacks.
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Squares a pawn of `color` on `square` attacks.
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Squares any of these pawns of `color` attacks.
#[inline]
pub fn pawns_attack(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(color);
    ahead.east() | ahead.west()
}

/// Squares a piece of this kind and colour attacks.
#[inline]
pub fn piece_attacks(color: Color, kind: PieceKind, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Pawn => pawn_attacks(color, square),
        PieceKind::Knight => knight_attacks(square),
        PieceKind::Bishop => bishop_attacks(square, occupied),
        PieceKind::Rook => rook_attacks(square, occupied),
        PieceKind::Queen => queen_attacks(square, occupied),
        PieceKind::King => king_attacks(square),
    }
}

/// The rook's rays from `square` on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    RAYS[square.index()][0]
}

/// The bishop's rays from `square` on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    RAYS[square.index()][1]
}

/// Squares strictly between two squares on one line; empty when they share no line.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole line through two different squares, from rim to rim; empty when they share no line.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The diagonal through `square` that rises towards the h-file.
#[inline]
pub fn diagonal(square: Square) -> Bitboard {
    DIAGONALS[square.index()][0]
}

/// The diagonal through `square` that falls towards the h-file.
#[inline]
pub fn anti_diagonal(square: Square) -> Bitboard {
    DIAGONALS[square.index()][1]
}

const fn leaps(square: usize, steps: &[(i8, i8)]) -> Bitboard {
    let (file, rank) = ((square & 7) as i8, (square >> 3) as i8);
    let mut set = 0;
    let mut i = 0;
    while i < steps.len() {
        let (f, r) = (file + steps[i].0, rank + steps[i].1);
        if f >= 0 && f < 8 && r >= 0 && r < 8 {
            set |= 1 << (r * 8 + f);
        }
        i += 1;
    }
    Bitboard(set)
}

const fn leaper_table(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = leaps(square, steps);
        square += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] =
    leaper_table(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] =
    leaper_table(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
static PAWN: [[Bitboard; 64]; 2] = [leaper_table(&[(-1, 1), (1, 1)]), leaper_table(&[(-1, -1), (1, -1)])];

static RAYS: [[Bitboard; 2]; 64] = {
    let mut table = [[Bitboard::EMPTY; 2]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] =
            [Bitboard(slide(square as u8, 0, &ROOK_RAYS)), Bitboard(slide(square as u8, 0, &BISHOP_RAYS))];
        square += 1;
    }
    table
};

static DIAGONALS: [[Bitboard; 2]; 64] = {
    let mut table = [[Bitboard::EMPTY; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let own = 1 << square;
        // `slide` walks four rays; giving it two of them twice yields one full diagonal.
        table[square] = [
            Bitboard(slide(square as u8, 0, &[(1, 1), (-1, -1), (1, 1), (-1, -1)]) | own),
            Bitboard(slide(square as u8, 0, &[(1, -1), (-1, 1), (1, -1), (-1, 1)]) | own),
        ];
        square += 1;
    }
    table
};

/// Which of the four lines through `a` leads to `b`, as a pair of opposite rays, if any does.
const fn line_rays(a: u8, b: u8) -> Option<[(i8, i8); 4]> {
    let lines: [[(i8, i8); 4]; 4] = [
        [(0, 1), (0, -1), (0, 1), (0, -1)],
        [(1, 0), (-1, 0), (1, 0), (-1, 0)],
        [(1, 1), (-1, -1), (1, 1), (-1, -1)],
        [(1, -1), (-1, 1), (1, -1), (-1, 1)],
    ];
    let mut i = 0;
    while i < 4 {
        if slide(a, 0, &lines[i]) >> b & 1 != 0 {
            return Some(lines[i]);
        }
        i += 1;
    }
    None
}

const fn pair_table(between: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0u8;
    while a < 64 {
        let mut b = 0u8;
        while b < 64 {
            if let Some(rays) = line_rays(a, b) {
                table[a as usize][b as usize] = Bitboard(if between {
                    slide(a, 1 << b, &rays) & slide(b, 1 << a, &rays)
                } else {
                    slide(a, 0, &rays) & slide(b, 0, &rays) | 1 << a | 1 << b
                });
            }
            b += 1;
        }
        a += 1;
    }
    table
}

static BETWEEN: [[Bitboard; 64]; 64] = pair_table(true);
static LINE: [[Bitboard; 64]; 64] = pair_table(false);

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngCore, SeedableRng};

    #[test]
    fn sliders_agree_with_walking_the_rays() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for square in Square::all() {
            for _ in 0..2_000 {
                let occupied = Bitboard(rng.next_u64() & rng.next_u64());
                assert_eq!(
                    rook_attacks(square, occupied).0,
                    slide(square.index() as u8, occupied.0, &ROOK_RAYS)
                );
                assert_eq!(
                    bishop_attacks(square, occupied).0,
                    slide(square.index() as u8, occupied.0, &BISHOP_RAYS)
                );
            }
        }
    }

    #[test]
    fn lines_and_gaps() {
        let (a1, c3, h8, b3): (Square, Square, Square, Square) =
            ("a1".parse().unwrap(), "c3".parse().unwrap(), "h8".parse().unwrap(), "b3".parse().unwrap());
        assert_eq!(between(a1, h8).count(), 6);
        assert!(between(a1, b3).is_empty() && line(a1, b3).is_empty());
        assert_eq!(line(c3, a1), diagonal(h8));
        assert_eq!(between(a1, c3).first(), Some("b2".parse().unwrap()));
        assert_eq!(anti_diagonal(a1).count(), 1);
    }
}
