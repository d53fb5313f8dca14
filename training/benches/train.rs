//! Positions learnt from in a second, on all cores: `cargo bench -p training`.
//!
//! The positions come from random games, which keep more pieces on the board than real ones (26 on average here): real
//! data is learnt somewhat faster.

use chess::Position;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use training::network::adamw::AdamW;
use training::network::gradient::Gradient;
use training::network::model::{Model, Shape};
use training::network::sample::{Label, Sample};
use training::network::store::{Epoch, Store};

/// Positions to a step, and positions in memory: more than the caches hold.
const BATCH: usize = 16_384;
const POSITIONS: usize = 1_000_000;

fn samples(random: &mut ChaCha8Rng) -> Vec<Sample> {
    let mut samples = Vec::with_capacity(POSITIONS);
    let mut position = Position::startpos();
    while samples.len() < POSITIONS {
        match position.legal_moves().choose(random) {
            Some(&mv) if position.fullmove_number() < 75 => position.play(mv),
            _ => position = Position::startpos(),
        }
        samples.push(Sample::new(&position, random.random_range(-300..300), 0.5));
    }
    samples
}

fn steps(criterion: &mut Criterion) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let store = Store::from(samples(&mut random));
    let mut epoch = Epoch::new(&store, 1, 0, 0).expect("positions in memory are always there");
    let mut batch = Vec::with_capacity(BATCH);
    let mut group = criterion.benchmark_group("train");
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(10);
    for hidden in [64, 128, 256, 512] {
        let mut model = Model::random(Shape { hidden, buckets: 1 }, 1);
        let mut rounded = model.clone();
        let mut adam = AdamW::new(model.values.len());
        let mut gradient = Gradient::new(&model);
        group.bench_function(hidden.to_string(), |bencher| {
            bencher.iter(|| {
                epoch.next_batch(BATCH, &mut batch).expect("positions in memory are always there");
                if batch.len() < BATCH {
                    epoch = Epoch::new(&store, 1, 1, 0).expect("positions in memory are always there");
                }
                rounded.round_from(&model);
                let (_, slopes) = gradient.compute(&rounded, &batch, Label { wdl: 0.5, scale: 400.0 });
                adam.step(&mut model.values, &slopes.values, 1e-3, 0.01);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
