//! What an evaluation costs, along the positions of a small search in its order: `cargo bench -p nnue`.

use chess::Position;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nnue::features::FEATURES;
use nnue::{Accumulators, Kernel, Network, Parameters};
use std::hint::black_box;
use std::sync::Arc;

const STARTS: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1",
];

/// Positions to a round.
const POSITIONS: usize = 20_000;

/// A depth-first walk over every third move to `depth`, and over captures beyond: positions and plies in the order in
/// which a search evaluates them.
fn visit(position: &Position, ply: usize, depth: usize, visited: &mut Vec<(Position, usize)>) {
    if !position.in_check() {
        visited.push((position.clone(), ply));
    }
    for (number, &mv) in position.legal_moves().iter().enumerate() {
        let follow = if ply < depth { (number + ply).is_multiple_of(3) } else { position.is_capture(mv) };
        if follow && ply < depth + 3 && visited.len() < POSITIONS {
            visit(&position.after(mv), ply + 1, depth, visited);
        }
    }
}

fn network(hidden: usize) -> Arc<Network> {
    let spread = |count: usize, most: i64| -> Vec<i16> {
        (0..count as i64).map(|i| ((i * 7919 + i * i * 31) % (2 * most + 1) - most) as i16).collect()
    };
    let network = Network::new(Parameters {
        hidden,
        buckets: 1,
        feature_weights: spread(FEATURES * hidden, 90),
        feature_biases: spread(hidden, 90),
        output_weights: spread(2 * hidden, 60),
        output_biases: vec![100],
        ..Parameters::default()
    });
    Arc::new(network.expect("small weights do not overflow"))
}

fn evaluations(criterion: &mut Criterion) {
    let mut visited = Vec::new();
    for start in STARTS {
        let mut part = Vec::new();
        visit(&Position::from_fen(start).expect("the FENs are legal"), 0, 3, &mut part);
        visited.append(&mut part);
    }
    let mut group = criterion.benchmark_group("evaluate");
    group.throughput(Throughput::Elements(visited.len() as u64));
    for hidden in [128, 256, 384, 512] {
        let network = network(hidden);
        for kernel in Kernel::available() {
            let mut accumulators = Accumulators::with_kernel(network.clone(), kernel);
            group.bench_function(format!("{hidden} {}", kernel.name()), |bencher| {
                bencher.iter(|| {
                    visited
                        .iter()
                        .map(|(position, ply)| i64::from(accumulators.evaluate(black_box(position), *ply)))
                        .sum::<i64>()
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, evaluations);
criterion_main!(benches);
