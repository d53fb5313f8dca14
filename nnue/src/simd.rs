//! The vector instructions of x86-64, and the only `unsafe` of this room.
//!
//! Each set of instructions is a type that exists only where the processor has them: [`Avx2::detect`] is the one way to
//! get an [`Avx2`]. That makes its methods safe to call, and the argument for each call in one place. Loads and stores
//! go through references to whole blocks, so they stay inside memory that is theirs.
//!
//! An update goes by tiles of as many blocks as there are registers for, or as divide the width: each block
//! is loaded and stored once, and every row of weights is read straight into an addition. The output takes
//! both halves at once: four sums that do not wait for each other, and one horizontal sum at the end.
//!
//! VNNI multiplies and accumulates in one instruction, where AVX2 and AVX-512 take two. It differs in the output alone.

use crate::kernel::{Halves, Step, Update};
use crate::network::Lanes;
use crate::parameters::QA;
use std::arch::x86_64::*;

/// Declares the proof that a processor has a set of instructions, and what it computes with them.
macro_rules! instructions {
    ($(#[$doc:meta])* $name:ident: [$($feature:tt),+]; $update:ident, $output:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name(());

        impl $name {
            /// Asks the processor.
            pub fn detect() -> Option<Self> {
                [$(is_x86_feature_detected!($feature)),+].into_iter().all(|found| found).then_some($name(()))
            }

            /// See [`crate::Kernel::update`].
            #[inline]
            pub fn update(self, values: &mut [Lanes], update: &Update<'_>) {
                // SAFETY: `self` exists, so the processor has these instructions.
                unsafe { $update(values, update) }
            }

            /// See [`crate::Kernel::output`].
            #[inline]
            pub fn output(self, halves: Halves<'_>) -> i32 {
                // SAFETY: `self` exists, so the processor has these instructions.
                unsafe { $output(halves) }
            }
        }
    };
}

instructions! {
    /// Proof that the processor has AVX2 (16 lanes at a time).
    Avx2: ["avx2"]; avx2_update, avx2_output
}
instructions! {
    /// Proof that the processor has AVX2 and its VNNI.
    AvxVnni: ["avx2", "avxvnni"]; avx2_update, avx_vnni_output
}
instructions! {
    /// Proof that the processor has AVX-512 with 16-bit lanes (32 at a time).
    Avx512: ["avx512f", "avx512bw"]; avx512_update, avx512_output
}
instructions! {
    /// Proof that the processor has AVX-512 with 16-bit lanes and its VNNI.
    Avx512Vnni: ["avx512f", "avx512bw", "avx512vnni"]; avx512_update, avx512_vnni_output
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
    for step in update.steps {
        match update.blocks {
            blocks if blocks.is_multiple_of(4) => avx2_step::<4>(values, update, step),
            blocks if blocks.is_multiple_of(6) => avx2_step::<6>(values, update, step),
            _ => avx2_step::<1>(values, update, step),
        }
    }
}

/// One accumulator, in tiles of `T` blocks.
#[inline]
#[target_feature(enable = "avx2")]
fn avx2_step<const T: usize>(values: &mut [Lanes], update: &Update<'_>, step: &Step) {
    let (rows, values) = (update.rows.as_chunks::<T>().0, values.as_chunks_mut::<T>().0);
    let tiles = update.blocks / T;
    for tile in 0..tiles {
        let mut sums = [[_mm256_setzero_si256(); 2]; T];
        for (sum, lanes) in sums.iter_mut().zip(&values[step.from * tiles + tile]) {
            *sum = load_halves(lanes);
        }
        for &feature in &update.changes.added {
            for ([low, high], lanes) in sums.iter_mut().zip(&rows[step.row(feature) * tiles + tile]) {
                let row = load_halves(lanes);
                *low = _mm256_add_epi16(*low, row[0]);
                *high = _mm256_add_epi16(*high, row[1]);
            }
        }
        for &feature in &update.changes.removed {
            for ([low, high], lanes) in sums.iter_mut().zip(&rows[step.row(feature) * tiles + tile]) {
                let row = load_halves(lanes);
                *low = _mm256_sub_epi16(*low, row[0]);
                *high = _mm256_sub_epi16(*high, row[1]);
            }
        }
        for to in [Some(step.to), step.copy].into_iter().flatten() {
            for (lanes, &sum) in values[to * tiles + tile].iter_mut().zip(&sums) {
                store_halves(lanes, sum);
            }
        }
    }
}

/// Declares a function for the output with AVX2: `$accumulate` adds pairs of products to a sum of eight.
macro_rules! avx2_output {
    ($name:ident, $features:literal, $accumulate:expr) => {
        #[target_feature(enable = $features)]
        fn $name(halves: Halves<'_>) -> i32 {
            let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
            let mut sums = [[zero; 2]; 2];
            let [(own, own_weights), (their, their_weights)] = halves;
            let term = |sum: &mut __m256i, value: __m256i, weight: __m256i| {
                let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
                *sum = $accumulate(*sum, _mm256_mullo_epi16(clipped, weight), clipped);
            };
            for (((own, own_weight), their), their_weight) in
                own.iter().zip(own_weights).zip(their).zip(their_weights)
            {
                let pairs = [
                    (load_halves(own), load_halves(own_weight)),
                    (load_halves(their), load_halves(their_weight)),
                ];
                for (sums, (values, weights)) in sums.iter_mut().zip(pairs) {
                    term(&mut sums[0], values[0], weights[0]);
                    term(&mut sums[1], values[1], weights[1]);
                }
            }
            let [own, their] = sums.map(|[low, high]| _mm256_add_epi32(low, high));
            let sum = _mm256_add_epi32(own, their);
            let quarter = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let eighth = _mm_add_epi32(quarter, _mm_unpackhi_epi64(quarter, quarter));
            _mm_cvtsi128_si32(_mm_add_epi32(eighth, _mm_shuffle_epi32::<1>(eighth)))
        }
    };
}

avx2_output!(avx2_output, "avx2", |sum, product, clipped| {
    _mm256_add_epi32(sum, _mm256_madd_epi16(product, clipped))
});
avx2_output!(avx_vnni_output, "avx2,avxvnni", |sum, product, clipped| {
    _mm256_dpwssd_avx_epi32(sum, product, clipped)
});

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
    for step in update.steps {
        match update.blocks {
            blocks if blocks.is_multiple_of(16) => avx512_step::<16>(values, update, step),
            blocks if blocks.is_multiple_of(12) => avx512_step::<12>(values, update, step),
            blocks if blocks.is_multiple_of(8) => avx512_step::<8>(values, update, step),
            blocks if blocks.is_multiple_of(4) => avx512_step::<4>(values, update, step),
            _ => avx512_step::<1>(values, update, step),
        }
    }
}

/// One accumulator, in tiles of `T` blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn avx512_step<const T: usize>(values: &mut [Lanes], update: &Update<'_>, step: &Step) {
    let (rows, values) = (update.rows.as_chunks::<T>().0, values.as_chunks_mut::<T>().0);
    let tiles = update.blocks / T;
    for tile in 0..tiles {
        let mut sums = [_mm512_setzero_si512(); T];
        for (sum, lanes) in sums.iter_mut().zip(&values[step.from * tiles + tile]) {
            *sum = load_whole(lanes);
        }
        for &feature in &update.changes.added {
            for (sum, lanes) in sums.iter_mut().zip(&rows[step.row(feature) * tiles + tile]) {
                *sum = _mm512_add_epi16(*sum, load_whole(lanes));
            }
        }
        for &feature in &update.changes.removed {
            for (sum, lanes) in sums.iter_mut().zip(&rows[step.row(feature) * tiles + tile]) {
                *sum = _mm512_sub_epi16(*sum, load_whole(lanes));
            }
        }
        for to in [Some(step.to), step.copy].into_iter().flatten() {
            for (lanes, &sum) in values[to * tiles + tile].iter_mut().zip(&sums) {
                store_whole(lanes, sum);
            }
        }
    }
}

/// Declares a function for the output with AVX-512: `$accumulate` adds pairs of products to a sum of sixteen.
macro_rules! avx512_output {
    ($name:ident, $features:literal, $accumulate:expr) => {
        #[target_feature(enable = $features)]
        fn $name(halves: Halves<'_>) -> i32 {
            let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
            let mut sums = [[zero; 2]; 2];
            let term = |sum: &mut __m512i, values: &Lanes, weights: &Lanes| {
                let clipped = _mm512_min_epi16(_mm512_max_epi16(load_whole(values), zero), one);
                *sum = $accumulate(*sum, _mm512_mullo_epi16(clipped, load_whole(weights)), clipped);
            };
            let [(own, own_weights), (their, their_weights)] = halves;
            let twos = |blocks| <[Lanes]>::as_chunks::<2>(blocks).0;
            for (((own, own_weights), their), their_weights) in
                twos(own).iter().zip(twos(own_weights)).zip(twos(their)).zip(twos(their_weights))
            {
                let [[even, odd], [their_even, their_odd]] = &mut sums;
                term(even, &own[0], &own_weights[0]);
                term(their_even, &their[0], &their_weights[0]);
                term(odd, &own[1], &own_weights[1]);
                term(their_odd, &their[1], &their_weights[1]);
            }
            if !own.len().is_multiple_of(2) {
                for ((values, weights), sums) in halves.into_iter().zip(&mut sums) {
                    term(&mut sums[0], &values[values.len() - 1], &weights[weights.len() - 1]);
                }
            }
            let [own, their] = sums.map(|[even, odd]| _mm512_add_epi32(even, odd));
            _mm512_reduce_add_epi32(_mm512_add_epi32(own, their))
        }
    };
}

avx512_output!(avx512_output, "avx512f,avx512bw", |sum, product, clipped| {
    _mm512_add_epi32(sum, _mm512_madd_epi16(product, clipped))
});
avx512_output!(avx512_vnni_output, "avx512f,avx512bw,avx512vnni", |sum, product, clipped| {
    _mm512_dpwssd_epi32(sum, product, clipped)
});
