//! The two loops that take the time, in the widest vectors of the processor.
//!
//! Each way to run them gives the same integers. The processor is asked once; after that the choice is one well
//! predicted branch. The plain way is safe code on fixed blocks, which a compiler vectorises by itself for what every
//! processor of its target has (NEON on ARM).
//!
//! The square of a clipped sum times its weight would need 32 bits a lane. Weights within ±128 make the sum times its
//! weight fit 16, so the other factor comes in by a multiplication that adds pairs into 32 bits ("Lizard's trick").

use crate::features::View;
use crate::network::Lanes;
use crate::parameters::QA;
use crate::placement::Changes;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512, Avx512Vnni, AvxVnni};

/// How the hidden layer is computed on this processor. All give the same values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(Avx512Vnni),
}

/// Accumulators made from others, all by the same changes.
pub(crate) struct Update<'a> {
    /// The weights of all inputs.
    pub rows: &'a [Lanes],
    /// Blocks of an accumulator.
    pub blocks: usize,
    /// What to add and to take away.
    pub changes: &'a Changes,
    /// Which accumulators.
    pub steps: &'a [Step],
}

/// One accumulator made from another.
pub(crate) struct Step {
    /// How the side sees the inputs.
    pub view: View,
    /// Number of the accumulator to start from.
    pub from: usize,
    /// Number of the one to make; it may be the same.
    pub to: usize,
    /// Where the result is kept as well.
    pub copy: Option<usize>,
}

impl Step {
    /// Which row an input's weights are.
    #[inline(always)]
    pub fn row(&self, feature: u16) -> usize {
        usize::from(self.view.of_feature(feature))
    }
}

/// The accumulators of the side to move and of its opponent, each with its output weights.
pub(crate) type Halves<'a> = [(&'a [Lanes], &'a [Lanes]); 2];

impl Kernel {
    /// Safe code without vector instructions of its own.
    pub const PLAIN: Kernel = Kernel(Kind::Plain);

    /// Everything this processor can run, the best last.
    pub fn available() -> Vec<Kernel> {
        std::iter::once(Kernel::PLAIN).chain(Kernel::vector()).collect()
    }

    /// Those with vector instructions that this processor has.
    #[cfg(target_arch = "x86_64")]
    fn vector() -> impl Iterator<Item = Kernel> {
        let kinds = [
            Avx2::detect().map(Kind::Avx2),
            AvxVnni::detect().map(Kind::AvxVnni),
            Avx512::detect().map(Kind::Avx512),
            Avx512Vnni::detect().map(Kind::Avx512Vnni),
        ];
        kinds.into_iter().flatten().map(Kernel)
    }

    /// None is written for this processor.
    #[cfg(not(target_arch = "x86_64"))]
    fn vector() -> impl Iterator<Item = Kernel> {
        std::iter::empty()
    }

    /// The best for this processor.
    pub fn best() -> Kernel {
        Kernel::available().pop().unwrap_or(Kernel::PLAIN)
    }

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni(_) => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni(_) => "AVX-512 VNNI",
        }
    }

    /// Makes accumulators of `values` from others.
    #[inline]
    pub(crate) fn update(self, values: &mut [Lanes], update: &Update<'_>) {
        match self.0 {
            Kind::Plain => plain_update(values, update),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(avx2) => avx2.update(values, update),
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni(vnni) => vnni.update(values, update),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(avx512) => avx512.update(values, update),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni(vnni) => vnni.update(values, update),
        }
    }

    /// The sum of the squares of two accumulators' clipped values, each times its weight.
    #[inline]
    pub(crate) fn output(self, halves: Halves<'_>) -> i32 {
        match self.0 {
            Kind::Plain => plain_output(halves),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(avx2) => avx2.output(halves),
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni(vnni) => vnni.output(halves),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(avx512) => avx512.output(halves),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni(vnni) => vnni.output(halves),
        }
    }
}

fn plain_update(values: &mut [Lanes], update: &Update<'_>) {
    let blocks = update.blocks;
    for step in update.steps {
        for block in 0..blocks {
            let weights = |feature: u16| update.rows[step.row(feature) * blocks + block].0;
            let mut sums = values[step.from * blocks + block];
            for &feature in &update.changes.added {
                for (sum, weight) in sums.0.iter_mut().zip(weights(feature)) {
                    *sum = sum.wrapping_add(weight);
                }
            }
            for &feature in &update.changes.removed {
                for (sum, weight) in sums.0.iter_mut().zip(weights(feature)) {
                    *sum = sum.wrapping_sub(weight);
                }
            }
            for to in std::iter::once(step.to).chain(step.copy) {
                values[to * blocks + block] = sums;
            }
        }
    }
}

fn plain_output(halves: Halves<'_>) -> i32 {
    let mut sum = 0;
    for (values, weights) in halves.into_iter().flat_map(|(values, weights)| values.iter().zip(weights)) {
        for (value, weight) in values.0.into_iter().zip(weights.0) {
            let clipped = value.clamp(0, QA as i16);
            sum += i32::from(clipped) * i32::from(clipped * weight);
        }
    }
    sum
}
