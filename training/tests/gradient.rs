//! The trainer's gradient against finite differences, and against PyTorch.

use chess::Position;
use training::network::gradient::{Gradient, loss};
use training::network::model::{Model, Place, Shape};
use training::network::sample::{Label, Sample};

/// The labels of tools/training/torch_gradients.py.
const LABEL: Label = Label { wdl: 0.3, scale: 400.0 };

/// The cases of tools/training/torch_gradients.py.
fn samples() -> Vec<Sample> {
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 25, 0.5),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1", -310, 0.0),
        ("2kr4/ppp2ppp/8/8/8/8/PPP2PPP/3RK3 b - - 0 1", 140, 1.0),
        ("8/8/4k3/3p4/3P4/4K3/8/8 w - - 0 1", -7, 0.5),
    ]
    .into_iter()
    .map(|(fen, score, points)| {
        Sample::new(&Position::from_fen(fen).expect("the FENs are legal"), score, points)
    })
    .collect()
}

/// The parameters of tools/training/torch_gradients.py.
fn model() -> Model {
    let shape = Shape { hidden: 32, buckets: 2 };
    let value = |i: usize| {
        let size = if i >= FIRST_OUTPUT { 0.6 } else { 0.2 };
        (size * (0.37 * i as f64 + 0.001 * (i % 977) as f64).sin()) as f32
    };
    Model::from_file_order(shape, &(0..PARAMETERS).map(value).collect::<Vec<_>>())
}

/// Where the output weights begin in the order of the network's file: behind 768 inputs' weights and the biases.
const FIRST_OUTPUT: usize = 769 * 32;
/// Two output layers over two views, and their biases.
const PARAMETERS: usize = FIRST_OUTPUT + 2 * 64 + 2;

/// The loss, and the gradient in the order of the network's file.
fn gradient(model: &Model, samples: &[Sample], label: Label) -> (f64, Vec<f32>) {
    let mut gradient = Gradient::new(model);
    let (loss, gradient) = gradient.compute(model, samples, label);
    (loss, model.shape.file_order().map(|place| gradient[place]).collect())
}

#[test]
fn it_is_the_slope_of_the_loss() {
    slopes_are_right(LABEL);
}

#[test]
fn it_is_the_slope_of_the_loss_at_another_scale() {
    slopes_are_right(Label { scale: 165.0, ..LABEL });
}

fn slopes_are_right(label: Label) {
    let (model, samples) = (model(), samples());
    let (at, gradient) = gradient(&model, &samples, label);
    assert!((at - loss(&model, &samples, label)).abs() < 1e-9);
    let step = 1e-3;
    let places: Vec<Place> = model.shape.file_order().collect();
    let difference = |number: usize| {
        let loss_at = |step: f32| {
            let mut moved = model.clone();
            moved[places[number]] += step;
            loss(&moved, &samples, label)
        };
        (loss_at(step) - loss_at(-step)) / f64::from(2.0 * step)
    };
    let (mut checked, mut moving) = (0, 0);
    // All of the small layers, and of the inputs those whose number is a multiple of 7.
    for number in (0..768 * 32).step_by(7).chain(768 * 32..PARAMETERS) {
        let slope = f64::from(gradient[number]);
        let expected = difference(number);
        assert!((slope - expected).abs() < 2e-5 + 0.01 * expected.abs(), "{number}: {slope}, not {expected}");
        checked += 1;
        moving += usize::from(slope.abs() > 1e-4);
    }
    assert!(checked > 3000 && moving > 150, "{moving} slopes of {checked} were not flat");
}

/// Sizes of the four layers, the norm of their gradients, and their sums weighted by cos(0.1 i): what
/// tools/training/torch_gradients.py printed (PyTorch 2.15, double precision).
const TORCH: [(&str, usize, f64, f64); 4] = [
    ("inputs", 768 * 32, 3.427481162800e-01, 2.756505027830e-01),
    ("biases", 32, 8.620854525723e-02, -9.865942626904e-02),
    ("outputs", 2 * 64, 5.348142111758e-02, -4.343794900418e-04),
    ("output biases", 2, 5.571281442769e-02, -4.794373665186e-02),
];
/// What it printed for the loss, and for the output of each case.
const TORCH_LOSS: f64 = 2.753449288001e-01;
const TORCH_OUTPUTS: [f32; 4] = [3.630_875, 5.547_907, -1.437_061_2, -0.541_079_04];

#[test]
fn it_is_what_pytorch_finds() {
    let (model, samples) = (model(), samples());
    for (sample, expected) in samples.iter().zip(TORCH_OUTPUTS) {
        let value = model.centipawns(&sample.inputs(), sample.bucket(2)) / 400.0;
        assert!((value - expected).abs() < 1e-5, "{value}, not {expected}");
    }
    let (loss, gradient) = gradient(&model, &samples, LABEL);
    assert!((loss - TORCH_LOSS).abs() < 1e-6, "{loss}");
    let mut rest = &gradient[..];
    for (layer, size, norm, weighted) in TORCH {
        let (part, after) = rest.split_at(size);
        rest = after;
        let found_norm = part.iter().map(|&slope| f64::from(slope).powi(2)).sum::<f64>().sqrt();
        let weights = (0..size).map(|i| (0.1 * i as f64).cos());
        let found = part.iter().zip(weights).map(|(&slope, weight)| f64::from(slope) * weight).sum::<f64>();
        assert!((found_norm / norm - 1.0).abs() < 1e-5, "{layer}: norm {found_norm}, not {norm}");
        assert!((found - weighted).abs() < 1e-5 * norm, "{layer}: {found}, not {weighted}");
    }
    assert!(rest.is_empty());
}

/// Batches are worked on in pieces, blocks of units and several threads; none of it shows.
#[test]
fn a_batch_is_the_mean_of_its_positions() {
    let model = model();
    let batch: Vec<Sample> = samples().into_iter().cycle().take(1302).collect();
    let (loss, whole) = gradient(&model, &batch, LABEL);
    let singles: Vec<_> = samples().iter().map(|sample| gradient(&model, &[*sample], LABEL)).collect();
    let shares = [326.0, 326.0, 325.0, 325.0].map(|count| count / 1302.0);
    let expected: f64 = singles.iter().zip(shares).map(|((loss, _), share)| loss * share).sum();
    assert!((loss - expected).abs() < 1e-7, "{loss}, not {expected}");
    for (number, &slope) in whole.iter().enumerate() {
        let expected: f64 =
            singles.iter().zip(shares).map(|((_, slopes), share)| f64::from(slopes[number]) * share).sum();
        assert!((f64::from(slope) - expected).abs() < 1e-6, "{number}: {slope}, not {expected}");
    }
}

/// Two trainings' worth of positions, as any number of threads must find the same bits.
#[test]
fn the_bits_are_the_same_on_any_number_of_threads() {
    let model = Model::random(Shape { hidden: 96, buckets: 8 }, 2);
    let batch: Vec<Sample> = samples().into_iter().cycle().take(1301).collect();
    let with = |threads| {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| gradient(&model, &batch, LABEL))
    };
    let (loss, slopes) = with(1);
    for threads in [2, 3, 7] {
        let (other_loss, others) = with(threads);
        assert_eq!(loss.to_bits(), other_loss.to_bits());
        assert!(slopes.iter().zip(&others).all(|(a, b)| a.to_bits() == b.to_bits()), "{threads} threads");
    }
}
