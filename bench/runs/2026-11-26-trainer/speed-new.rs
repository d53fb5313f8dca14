//! Samples a second of user time; copy to training/examples/ of this version: `speed GAMES THREADS HIDDEN BATCHES`.
use training::network::{
    Data, Reading,
    adamw::AdamW,
    gradient::Gradient,
    model::{Model, Shape},
    store::Epoch,
};
fn work(path: &str, hidden: usize, batches: usize) {
    let reading = Reading {
        filter: training::filter::Filter::default(),
        hold_out: 0,
        memory: 1 << 32,
        folder: ".".into(),
    };
    let data = Data::load(&[path.into()], &reading).unwrap();
    let mut model = Model::random(Shape { hidden, buckets: 8 }, 1);
    let mut rounded = model.clone();
    let mut adam = AdamW::new(model.values.len());
    let mut gradient = Gradient::new(&model);
    let begun = user();
    let mut loss = 0.0;
    let mut epoch = Epoch::new(&data.training, 1, 0, 0).unwrap();
    let mut batch = Vec::new();
    for n in 0..batches {
        epoch.next_batch(8192, &mut batch).unwrap();
        if batch.len() < 8192 {
            epoch = Epoch::new(&data.training, 1, n as u64, 0).unwrap();
            epoch.next_batch(8192, &mut batch).unwrap();
        }
        rounded.round_from(&model);
        let (l, slopes) = gradient.compute(&rounded, &batch, 0.1);
        loss = l;
        adam.step(&mut model.values, &slopes.values, 1e-3);
    }
    println!(
        "new: H {hidden} {:.0} samples/s of user time, loss {loss:.6}",
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
