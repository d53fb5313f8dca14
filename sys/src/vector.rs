//! Loops in the widest vectors of the processor, without building for one processor only.
//!
//! A build for every x86-64 processor uses vectors of 16 bytes. [`run`] calls a piece of work through a
//! function that is compiled for AVX-512 or AVX2 where the processor has them: the compiler then vectorises
//! the loops inlined into it with 64 or 32 bytes. Each operation is the same one on more lanes at once
//! (nothing is contracted or reordered), so floating point results are the same to the bit whatever the
//! processor has.

/// A piece of work. Mark `run` as `#[inline(always)]`, and what it calls in its loops: only what is inlined
/// into it is compiled for the wider vectors.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run(self) -> Self::Output;
}

/// Does the work with the widest vectors that the processor has.
pub fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor has just said that it has these instructions.
            return unsafe { with_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just said that it has these instructions.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn with_avx512<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [f32], &'a mut [f32]);

    impl Work for Sum<'_> {
        type Output = f32;

        #[inline(always)]
        fn run(self) -> f32 {
            self.1.iter_mut().zip(self.0).for_each(|(to, from)| *to = *to * 0.37 + from / 3.0);
            self.1.iter().sum()
        }
    }

    #[test]
    fn wide_and_narrow_vectors_give_the_same_bits() {
        let from: Vec<f32> = (0..1001).map(|i| (i as f32 * 0.7).sin()).collect();
        let (mut wide, mut narrow) = (vec![0.1; 1001], vec![0.1; 1001]);
        for _ in 0..50 {
            let sums = [run(Sum(&from, &mut wide)), Sum(&from, &mut narrow).run()];
            assert_eq!(sums[0].to_bits(), sums[1].to_bits());
        }
        assert!(wide.iter().zip(&narrow).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
