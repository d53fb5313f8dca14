//! The same for 75953b0.
use rand::{SeedableRng, seq::SliceRandom};
use training::network::{
    Data,
    adamw::AdamW,
    gradient::Gradient,
    model::{Model, Shape},
};
fn work(path: &str, hidden: usize, batches: usize) {
    let filter = training::filter::Filter::default();
    let data = Data::load(&[path.into()], &filter, 0).unwrap();
    let mut order: Vec<u32> = (0..data.training.len() as u32).collect();
    order.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(1));
    let mut model = Model::random(Shape { hidden, buckets: 8 }, 1);
    let mut rounded = model.clone();
    let mut adam = AdamW::new(model.values.len());
    let mut gradient = Gradient::new(&model);
    let begun = user();
    let mut loss = 0.0;
    for batch in order.chunks_exact(8192).cycle().take(batches) {
        rounded.round_from(&model);
        let (l, slopes) = gradient.compute(&rounded, &data.training, batch, 0.1);
        loss = l;
        adam.step(&mut model.values, slopes, 1e-3);
    }
    println!(
        "old: H {hidden} {:.0} samples/s of user time, loss {loss:.6}",
        (batches * 8192) as f64 / (user() - begun)
    );
}
fn user() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (threads, hidden, batches): (usize, usize, usize) =
        (a[2].parse().unwrap(), a[3].parse().unwrap(), a[4].parse().unwrap());
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(|| work(&a[1], hidden, batches));
}
