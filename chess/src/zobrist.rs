//! Zobrist keys (Zobrist 1970): one random number per fact of a position, XORed together.
//!
//! Constants from splitmix64, so a key means the same in every build and may be written to files.

use crate::{Color, PieceKind, Square};

const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The `n`-th number of the sequence.
const fn number(n: usize) -> u64 {
    mix((n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xf1e5_7b04_2026_1121)
}

const fn numbers<const N: usize>(first: usize) -> [u64; N] {
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        keys[i] = number(first + i);
        i += 1;
    }
    keys
}

static PIECES: [[[u64; 64]; 6]; 2] = {
    let mut keys = [[[0; 64]; 6]; 2];
    let mut i = 0;
    while i < 12 {
        keys[i / 6][i % 6] = numbers(i * 64);
        i += 1;
    }
    keys
};
static CASTLING: [u64; 64] = numbers(768);
static EN_PASSANT: [u64; 8] = numbers(832);

/// XORed in when Black is to move.
pub const SIDE: u64 = number(840);

/// A piece on a square.
#[inline]
pub fn piece(color: Color, kind: PieceKind, square: Square) -> u64 {
    PIECES[color.index()][kind.index()][square.index()]
}

/// The right to castle with the rook on this square.
#[inline]
pub fn castling(rook: Square) -> u64 {
    CASTLING[rook.index()]
}

/// A legal en passant capture on this file.
#[inline]
pub fn en_passant(square: Square) -> u64 {
    EN_PASSANT[square.file() as usize]
}
