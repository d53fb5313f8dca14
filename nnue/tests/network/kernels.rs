//! Every kernel gives the same integers, at the bounds of what a network may hold too.

use crate::common::{STARTS, random_network};
use chess::Position;
use nnue::features::FEATURES;
use nnue::{Accumulators, Kernel, LIMIT, Network, Parameters, QA};
use proptest::prelude::*;
use std::sync::Arc;

fn assert_alike(network: Network, positions: &[Position]) {
    let network = Arc::new(network);
    for kernel in Kernel::available() {
        let mut accumulators = Accumulators::with_kernel(network.clone(), kernel);
        for (ply, position) in positions.iter().enumerate() {
            assert_eq!(
                accumulators.evaluate(position, ply / 3),
                network.evaluate(position),
                "{}",
                kernel.name()
            );
        }
    }
}

fn starts() -> Vec<Position> {
    STARTS.iter().map(|fen| Position::from_fen(fen).expect("the FENs are legal")).collect()
}

/// Which kernels the processor can run by its own word.
#[cfg(target_arch = "x86_64")]
fn of_this_processor() -> Vec<&'static str> {
    let avx2 = is_x86_feature_detected!("avx2");
    let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    let kernels = [
        ("plain", true),
        ("AVX2", avx2),
        ("AVX-VNNI", avx2 && is_x86_feature_detected!("avxvnni")),
        ("AVX-512", avx512),
        ("AVX-512 VNNI", avx512 && is_x86_feature_detected!("avx512vnni")),
    ];
    kernels.into_iter().filter(|&(_, runs)| runs).map(|(name, _)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn of_this_processor() -> Vec<&'static str> {
    vec!["plain"]
}

/// The other tests go through whatever kernels there are, and would pass with the plain one alone.
#[test]
fn every_kernel_of_this_processor_is_tested_and_the_last_is_used() {
    let names = of_this_processor();
    assert_eq!(Kernel::available().into_iter().map(Kernel::name).collect::<Vec<_>>(), names);
    assert_eq!(Some(&Kernel::best().name()), names.last());
}

#[test]
fn at_the_bounds() {
    // Sums up to the ends of 16 bits in both directions, and output weights up to ±128.
    let hidden = 64;
    for (weight, bias) in [(1000, 767), (-1000, -767), (10, QA as i16), (8, 0)] {
        for output in [128, -128] {
            let network = Network::new(Parameters {
                hidden,
                buckets: 1,
                feature_weights: vec![weight; FEATURES * hidden],
                feature_biases: vec![bias; hidden],
                output_weights: vec![output; 2 * hidden],
                output_biases: vec![0],
                ..Parameters::default()
            });
            assert_alike(network.expect("the weights are within bounds"), &starts());
        }
    }
}

#[test]
fn a_known_sum() {
    // Each unit counts the pieces, 32 of 4/255 in the start position, squared and weighted by 1/64 in 64 units.
    let hidden = 32;
    let network = Network::new(Parameters {
        hidden,
        buckets: 1,
        feature_weights: vec![4; FEATURES * hidden],
        feature_biases: vec![0; hidden],
        output_weights: vec![1; 2 * hidden],
        output_biases: vec![0],
        ..Parameters::default()
    })
    .expect("the weights are within bounds");
    let unit = 128.0 / 255.0;
    let expected = 64.0 * unit * unit / 64.0 * 400.0;
    let value = network.evaluate(&Position::startpos());
    assert!((f64::from(value) - expected).abs() <= 1.0, "{value} is not {expected}");
}

#[test]
fn values_stay_clear_of_mates() {
    let hidden = 32;
    for (bias, expected) in [(i32::MAX, LIMIT), (i32::MIN, -LIMIT)] {
        let network = Network::new(Parameters {
            hidden,
            buckets: 1,
            feature_weights: vec![0; FEATURES * hidden],
            feature_biases: vec![0; hidden],
            output_weights: vec![0; 2 * hidden],
            output_biases: vec![bias],
            ..Parameters::default()
        })
        .expect("the weights are within bounds");
        assert_eq!(network.evaluate(&Position::startpos()), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn on_any_network(blocks in 1_usize..=20, buckets in 1_usize..=8, seed: u64) {
        assert_alike(random_network(32 * blocks, buckets, seed), &starts());
    }
}

/// The widths that kernels have tiles for, and multiples of them.
#[test]
fn on_the_widths_that_are_trained() {
    for hidden in [128, 256, 384, 512, 768, 1024] {
        assert_alike(random_network(hidden, 8, hidden as u64), &starts());
    }
}
