//! Fills the slider attack table: for each square and each relevant occupancy, the magic index leads to the attacks.

#[path = "src/magics.rs"]
mod magics;
#[path = "src/rays.rs"]
mod rays;

use std::fmt::Write as _;
use std::path::Path;

/// Entries in the table: a power of two, so that masking an index proves it in range.
const TABLE_LEN: usize = 1 << 17;

fn main() {
    println!("cargo::rerun-if-changed=src/rays.rs");
    println!("cargo::rerun-if-changed=src/magics.rs");
    let mut table = vec![0u64; TABLE_LEN];
    let mut source = String::new();
    let mut offset = 0;
    for (name, rays, magics) in [
        ("ROOK_LOOKUPS", &rays::ROOK_RAYS, &magics::ROOK_MAGICS),
        ("BISHOP_LOOKUPS", &rays::BISHOP_RAYS, &magics::BISHOP_MAGICS),
    ] {
        writeln!(source, "static {name}: [Lookup; 64] = [").expect("a String takes all");
        for (square, &magic) in (0u8..).zip(magics) {
            let mask = relevant(square, rays);
            let shift = 64 - mask.count_ones();
            writeln!(source, "Lookup{{mask:{mask},magic:{magic},offset:{offset},shift:{shift}}},")
                .expect("a String takes all");
            fill(&mut table[offset..offset + (1 << mask.count_ones())], square, mask, magic, rays);
            offset += 1 << mask.count_ones();
        }
        source.push_str("];\n");
    }
    write!(source, "static SLIDER_ATTACKS: [u64; {TABLE_LEN}] = {table:?};").expect("a String takes all");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("sliders.rs"), source).expect("OUT_DIR is writable");
}

/// Enters the attacks for every subset of `mask` (enumerated by the carry-rippler step `s = (s - mask) & mask`).
fn fill(slots: &mut [u64], square: u8, mask: u64, magic: u64, rays: &[(i8, i8); 4]) {
    let mut subset = 0u64;
    loop {
        let attacks = rays::slide(square, subset, rays);
        let slot = &mut slots[(subset.wrapping_mul(magic) >> (64 - mask.count_ones())) as usize];
        assert!(*slot == 0 || *slot == attacks, "magic {magic:#x} collides on square {square}");
        *slot = attacks;
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            return;
        }
    }
}

/// The occupied squares that matter to a slider on `square`: its empty-board rays without their last squares,
/// since a piece on the rim never hides anything behind it.
fn relevant(square: u8, rays: &[(i8, i8); 4]) -> u64 {
    let (file, rank) = (square & 7, square >> 3);
    let mut rim = 0u64;
    if file != 0 {
        rim |= 0x0101_0101_0101_0101;
    }
    if file != 7 {
        rim |= 0x8080_8080_8080_8080;
    }
    if rank != 0 {
        rim |= 0xff;
    }
    if rank != 7 {
        rim |= 0xff << 56;
    }
    rays::slide(square, 0, rays) & !rim
}
