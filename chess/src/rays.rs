//! Slider attacks by walking along rays: slow and obvious. `build.rs` fills the magic tables with it, and the tests
//! hold the fast look-ups against it. Shared with the build script, so it works on plain integers.

/// (file step, rank step) of a rook's rays.
pub const ROOK_RAYS: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// (file step, rank step) of a bishop's rays.
pub const BISHOP_RAYS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// Squares a slider on `square` reaches along `rays`, up to and including the first occupied one.
pub const fn slide(square: u8, occupied: u64, rays: &[(i8, i8); 4]) -> u64 {
    let mut reached = 0;
    let mut ray = 0;
    while ray < 4 {
        let (df, dr) = rays[ray];
        let (mut file, mut rank) = ((square & 7) as i8 + df, (square >> 3) as i8 + dr);
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            let bit = 1u64 << (rank * 8 + file);
            reached |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += df;
            rank += dr;
        }
        ray += 1;
    }
    reached
}
