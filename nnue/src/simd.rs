//! The vector instructions of x86-64, and the only `unsafe` of this room.
//!
//! Each set of instructions is a type that exists only where the processor has them: [`Avx2::detect`] is the one way to
//! get an [`Avx2`]. That makes its methods safe to call, and the argument for each call in one place. Loads and stores
//! go through references to whole blocks, so they stay inside memory that is theirs.

use crate::kernel::Update;
use crate::network::{Lanes, QA};
use std::arch::x86_64::*;

/// Blocks that are updated at once: with two registers for each, the registers of AVX2 hold them all.
const CHUNK: usize = 4;

/// Proof that the processor has AVX2 (16 lanes at a time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Asks the processor.
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }

    /// See [`crate::Kernel::update`].
    #[inline]
    pub fn update(self, values: &mut [Lanes], update: &Update<'_>) {
        // SAFETY: `self` exists, so the processor has AVX2.
        unsafe { avx2_update(values, update) }
    }

    /// See [`crate::Kernel::output`].
    #[inline]
    pub fn output(self, values: &[Lanes], weights: &[Lanes]) -> i32 {
        // SAFETY: `self` exists, so the processor has AVX2.
        unsafe { avx2_output(values, weights) }
    }
}

/// Proof that the processor has AVX-512 with 16-bit lanes (32 at a time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Asks the processor.
    pub fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        found.then_some(Avx512(()))
    }

    /// See [`crate::Kernel::update`].
    #[inline]
    pub fn update(self, values: &mut [Lanes], update: &Update<'_>) {
        // SAFETY: `self` exists, so the processor has AVX-512F and AVX-512BW.
        unsafe { avx512_update(values, update) }
    }

    /// See [`crate::Kernel::output`].
    #[inline]
    pub fn output(self, values: &[Lanes], weights: &[Lanes]) -> i32 {
        // SAFETY: `self` exists, so the processor has AVX-512F and AVX-512BW.
        unsafe { avx512_output(values, weights) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_halves(lanes: &Lanes) -> [__m256i; 2] {
    let start = lanes.0.as_ptr().cast::<__m256i>();
    // SAFETY: a block is 64 bytes long and aligned to 64, so both of its halves can be read and are aligned to 32.
    unsafe { [_mm256_load_si256(start), _mm256_load_si256(start.add(1))] }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_halves(lanes: &mut Lanes, [low, high]: [__m256i; 2]) {
    let start = lanes.0.as_mut_ptr().cast::<__m256i>();
    // SAFETY: as in `load_halves`, and the block is borrowed mutably.
    unsafe {
        _mm256_store_si256(start, low);
        _mm256_store_si256(start.add(1), high);
    }
}

#[target_feature(enable = "avx2")]
fn avx2_update(values: &mut [Lanes], update: &Update<'_>) {
    let whole = update.blocks - update.blocks % CHUNK;
    for block in (0..whole).step_by(CHUNK) {
        avx2_update_blocks::<CHUNK>(values, update, block);
    }
    for block in whole..update.blocks {
        avx2_update_blocks::<1>(values, update, block);
    }
}

/// `N` blocks from this one, which stay in registers while the rows are gone through once.
#[inline]
#[target_feature(enable = "avx2")]
fn avx2_update_blocks<const N: usize>(values: &mut [Lanes], update: &Update<'_>, block: usize) {
    let mut sums = [[_mm256_setzero_si256(); 2]; N];
    for (sum, lanes) in sums.iter_mut().zip(&values[update.from + block..][..N]) {
        *sum = load_halves(lanes);
    }
    for &feature in &update.changes.added {
        for ([low, high], lanes) in sums.iter_mut().zip(&update.row(feature)[block..][..N]) {
            let row = load_halves(lanes);
            *low = _mm256_add_epi16(*low, row[0]);
            *high = _mm256_add_epi16(*high, row[1]);
        }
    }
    for &feature in &update.changes.removed {
        for ([low, high], lanes) in sums.iter_mut().zip(&update.row(feature)[block..][..N]) {
            let row = load_halves(lanes);
            *low = _mm256_sub_epi16(*low, row[0]);
            *high = _mm256_sub_epi16(*high, row[1]);
        }
    }
    for (sum, lanes) in sums.into_iter().zip(&mut values[update.to + block..][..N]) {
        store_halves(lanes, sum);
    }
}

#[target_feature(enable = "avx2")]
fn avx2_output(values: &[Lanes], weights: &[Lanes]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut sum = zero;
    for (values, weights) in values.iter().zip(weights) {
        for (value, weight) in load_halves(values).into_iter().zip(load_halves(weights)) {
            let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
            let product = _mm256_mullo_epi16(clipped, weight);
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(product, clipped));
        }
    }
    let quarter = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let eighth = _mm_add_epi32(quarter, _mm_unpackhi_epi64(quarter, quarter));
    _mm_cvtsi128_si32(_mm_add_epi32(eighth, _mm_shuffle_epi32::<1>(eighth)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_whole(lanes: &Lanes) -> __m512i {
    // SAFETY: a block is 64 bytes long and aligned to 64.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_whole(lanes: &mut Lanes, value: __m512i) {
    // SAFETY: a block is 64 bytes long and aligned to 64, and it is borrowed mutably.
    unsafe { _mm512_store_si512(lanes.0.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn avx512_update(values: &mut [Lanes], update: &Update<'_>) {
    let whole = update.blocks - update.blocks % CHUNK;
    for block in (0..whole).step_by(CHUNK) {
        avx512_update_blocks::<CHUNK>(values, update, block);
    }
    for block in whole..update.blocks {
        avx512_update_blocks::<1>(values, update, block);
    }
}

/// `N` blocks from this one, which stay in registers while the rows are gone through once.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn avx512_update_blocks<const N: usize>(values: &mut [Lanes], update: &Update<'_>, block: usize) {
    let mut sums = [_mm512_setzero_si512(); N];
    for (sum, lanes) in sums.iter_mut().zip(&values[update.from + block..][..N]) {
        *sum = load_whole(lanes);
    }
    for &feature in &update.changes.added {
        for (sum, lanes) in sums.iter_mut().zip(&update.row(feature)[block..][..N]) {
            *sum = _mm512_add_epi16(*sum, load_whole(lanes));
        }
    }
    for &feature in &update.changes.removed {
        for (sum, lanes) in sums.iter_mut().zip(&update.row(feature)[block..][..N]) {
            *sum = _mm512_sub_epi16(*sum, load_whole(lanes));
        }
    }
    for (sum, lanes) in sums.into_iter().zip(&mut values[update.to + block..][..N]) {
        store_whole(lanes, sum);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn avx512_output(values: &[Lanes], weights: &[Lanes]) -> i32 {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let mut sum = zero;
    for (values, weights) in values.iter().zip(weights) {
        let clipped = _mm512_min_epi16(_mm512_max_epi16(load_whole(values), zero), one);
        let product = _mm512_mullo_epi16(clipped, load_whole(weights));
        sum = _mm512_add_epi32(sum, _mm512_madd_epi16(product, clipped));
    }
    _mm512_reduce_add_epi32(sum)
}
