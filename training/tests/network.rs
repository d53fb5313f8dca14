//! A training as a whole: it learns, it is reproducible, it survives a kill, and what it exports plays as it
//! was trained.

use chess::Position;
use nnue::Network;
use nnue::format::LONGEST_DESCRIPTION;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use sys::output::Place;
use training::network::adamw::{self, AdamW};
use training::network::checkpoint::CheckpointError;
use training::network::data::{FileOrigin, Kept, Origin};
use training::network::gradient::Gradient;
use training::network::model::Shape;
use training::network::run::fingerprint;
use training::network::sample::{Label, Sample};
use training::network::store::Epoch;
use training::network::{Data, Model, Progress, Ramp, Settings, TrainError, Trained, train};

/// A position after some random moves.
fn random_position(random: &mut impl Rng) -> Position {
    let mut position = Position::startpos();
    for _ in 0..random.random_range(0..80) {
        let Some(&mv) = position.legal_moves().choose(random) else { break };
        position.play(mv);
    }
    position
}

/// White's material less Black's for the side to move, in centipawns.
fn material(position: &Position) -> i32 {
    let worth = [100, 300, 320, 500, 900, 0];
    let us = position.side_to_move();
    position
        .occupied()
        .filter_map(|square| position.piece_on(square))
        .map(|piece| if piece.color == us { worth[piece.kind.index()] } else { -worth[piece.kind.index()] })
        .sum()
}

/// Positions labelled with their material.
fn data(positions: usize) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut sample = |_| {
        let position = random_position(&mut random);
        let score = material(&position);
        Sample::new(&position, score, if score > 0 { 1.0 } else { 0.0 })
    };
    Data {
        training: (0..positions).map(&mut sample).collect::<Vec<_>>().into(),
        held_out: (0..positions / 10).map(&mut sample).collect(),
        origin: Origin { training: positions as u64, checksum: 1, ..Origin::default() },
        damage: Vec::new(),
    }
}

fn settings() -> Settings {
    let wdl = Ramp::constant(0.0);
    Settings {
        hidden: 32,
        buckets: 2,
        epochs: 6,
        batch: 256,
        rate: 0.005,
        wdl,
        seed: 5,
        ..Settings::default()
    }
}

fn go_on(_: &Progress<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn trained(settings: &Settings, data: &Data) -> Trained {
    train(settings, data, None, None, &mut go_on).expect("nothing breaks the training off")
}

#[test]
fn it_learns_what_pieces_are_worth() {
    let trained = trained(&settings(), &data(20_000));
    let (first, last) = (&trained.epochs[0], &trained.epochs[5]);
    let losses = [first, last].map(|epoch| epoch.held_out.expect("games are held out"));
    assert!(losses[1] < losses[0] / 2.0 && losses[1] < 0.003, "{:?}", trained.epochs);
    let [queen, rook, _, knight, _] = last.sense;
    assert!(queen > rook && rook > knight && knight > 150, "{:?}", last.sense);
}

#[test]
fn the_network_plays_as_the_model_was_trained() {
    let trained = trained(&Settings { epochs: 2, ..settings() }, &data(10_000));
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for _ in 0..1000 {
        let position = random_position(&mut random);
        let sample = Sample::new(&position, 0, 0.5);
        let exact = trained.model.centipawns(&sample.inputs(), sample.bucket(2));
        let integer = trained.network.evaluate(&position);
        assert!((exact - integer as f32).abs() < 3.0, "{}: {exact}, {integer}", position.fen());
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (settings, data) = (Settings { epochs: 2, ..settings() }, data(3_000));
    let with = |threads| {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| trained(&settings, &data).network.to_bytes())
    };
    assert!(with(1) == with(3));
}

#[test]
fn seeds_and_settings_make_other_networks() {
    let data = data(1_000);
    let bytes = |settings: Settings| trained(&Settings { epochs: 1, ..settings }, &data).network.to_bytes();
    let first = bytes(settings());
    assert!(first != bytes(Settings { seed: 6, ..settings() }));
    assert!(first != bytes(Settings { decay: 1.0, ..settings() }));
    assert!(first != bytes(Settings { wdl: Ramp::constant(0.5), ..settings() }));
    let network = Network::from_bytes(&first).expect("the exported network is whole");
    assert!(network.parameters().description.contains("\"seed\":5"));
}

#[test]
fn the_share_of_results_grows_as_the_ramp_says() {
    // One step sees the first number only, so that the last does not matter to the network, only to the held-out loss.
    let data = data(200);
    let one_step = |wdl: &str| {
        let wdl = wdl.parse().expect("it is a ramp");
        trained(&Settings { epochs: 1, batch: 200, wdl, ..settings() }, &data)
    };
    let [constant, rising, other] = ["0.2", "0.2..0.9", "0.9"].map(one_step);
    assert_eq!(constant.model, rising.model);
    assert_ne!(constant.epochs[0].held_out, rising.epochs[0].held_out);
    assert_ne!(constant.model, other.model);
    let many =
        |wdl: &str| trained(&Settings { wdl: wdl.parse().expect("it is a ramp"), ..settings() }, &data);
    let [constant, rising] = ["0.2", "0.2..0.9"].map(many);
    assert_ne!(constant.model, rising.model);
}

/// Two epochs of one batch each, worked out step by step.
#[test]
fn the_rate_falls_over_all_epochs_together() {
    let (settings, data) = (Settings { epochs: 2, batch: 200, ..settings() }, data(200));
    let shape = Shape { hidden: settings.hidden, buckets: settings.buckets };
    let label = Label { wdl: 0.0, scale: settings.scale };
    let mut exact = Model::random(shape, settings.seed);
    let (mut rounded, mut gradient) = (exact.clone(), Gradient::new(&exact));
    let (mut adam, mut batch) = (AdamW::new(exact.values.len()), Vec::new());
    for step in 0..2 {
        let mut epoch = Epoch::new(&data.training, settings.seed, step, 0).expect("they are in memory");
        epoch.next_batch(200, &mut batch).expect("they are in memory");
        rounded.round_from(&exact);
        let (_, slopes) = gradient.compute(&rounded, &batch, label);
        let rate = adamw::rate(settings.rate, step, 2);
        adam.step(&mut exact.values, &slopes.values, rate, settings.decay);
    }
    rounded.round_from(&exact);
    assert!(trained(&settings, &data).model == rounded);
}

/// A second stage: the network as it was, made better on other positions.
#[test]
fn a_training_can_go_on_from_a_network() {
    let first = trained(&settings(), &data(20_000));
    let again = |rate, epochs| {
        let settings = Settings { rate, epochs, ..settings() };
        train(&settings, &data(5_000), Some(&first.network), None, &mut go_on).expect("nothing breaks it off")
    };
    let network = again(1e-9, 1).network;
    let (now, before) = (network.parameters(), first.network.parameters());
    assert!(now.feature_weights == before.feature_weights && now.output_biases == before.output_biases);
    assert_ne!(now.fingerprint, before.fingerprint);
    assert!(now.description.contains(&format!("{:08x}", before.fingerprint)), "{}", now.description);
    let better = again(0.0005, 3).epochs;
    assert!(better[2].held_out < first.epochs[5].held_out, "{better:?} after {:?}", first.epochs);
    let wrong = Settings { hidden: 64, ..settings() };
    let refused = train(&wrong, &data(10), Some(&first.network), None, &mut go_on);
    assert!(matches!(refused, Err(TrainError::Start(_))));
}

/// Stops after so many batches. Returns the checkpoint as a kill at that moment would have left it.
fn stopped_after(batches: usize, settings: &Settings, data: &Data, checkpoint: &Place) -> Option<Vec<u8>> {
    let (mut left, mut before) = (batches, None);
    let mut watch = |_: &Progress<'_>| {
        left -= 1;
        before = std::fs::read(checkpoint.path()).ok();
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = train(settings, data, None, Some(checkpoint), &mut watch);
    assert!(matches!(result, Err(TrainError::Stopped)));
    before
}

/// Runs until `batches` have been learnt from, then is as good as killed.
fn killed_after(batches: usize, settings: &Settings, data: &Data, checkpoint: &Place) {
    let before = stopped_after(batches, settings, data, checkpoint).expect("a checkpoint was due before");
    std::fs::write(checkpoint.path(), before).expect("the folder can be written to");
}

/// A stopped training loses nothing, however early it is stopped.
#[test]
fn a_stopped_training_goes_on_from_its_last_batch() {
    let (settings, data) = (Settings { epochs: 1, batch: 16, ..settings() }, data(600));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let checkpoint = Place::find(&folder.path().join("run")).expect("the folder can be written to");
    assert_eq!(stopped_after(3, &settings, &data, &checkpoint), None);
    let mut batches = Vec::new();
    let mut watch = |progress: &Progress<'_>| -> ControlFlow<()> {
        batches.push(progress.batch);
        ControlFlow::Continue(())
    };
    let resumed =
        train(&settings, &data, None, Some(&checkpoint), &mut watch).expect("nothing breaks it off");
    assert_eq!(batches[0], 4);
    assert!(resumed.network.to_bytes() == trained(&settings, &data).network.to_bytes());
}

/// Of two trainings that were begun with one checkpoint at once, the second to write gives up; the other's is kept.
#[test]
fn the_checkpoint_of_another_training_is_not_written_over() {
    let (settings, data) = (Settings { epochs: 2, batch: 16, ..settings() }, data(600));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let checkpoint = Place::find(&folder.path().join("run")).expect("the folder can be written to");
    let other = Settings { rate: 0.002, ..settings.clone() };
    let mut theirs = None;
    let mut watch = |_: &Progress<'_>| -> ControlFlow<()> {
        if theirs.is_none() {
            stopped_after(2, &other, &data, &checkpoint);
            theirs = Some(std::fs::read(checkpoint.path()).expect("it was written"));
        }
        ControlFlow::Continue(())
    };
    let result = train(&settings, &data, None, Some(&checkpoint), &mut watch);
    let refused = matches!(result, Err(TrainError::Checkpoint(CheckpointError::Foreign(_))));
    assert!(refused && theirs == std::fs::read(checkpoint.path()).ok());
}

#[test]
fn a_killed_training_ends_with_the_same_network() {
    // 235 batches an epoch: the checkpoint after 200 and those after epochs are both resumed from.
    let (settings, data) = (Settings { epochs: 3, batch: 16, ..settings() }, data(3_760));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let checkpoint = Place::find(&folder.path().join("run")).expect("the folder can be written to");
    for batches in [210, 60, 150] {
        killed_after(batches, &settings, &data, &checkpoint);
        assert!(checkpoint.path().exists());
    }
    let resumed =
        train(&settings, &data, None, Some(&checkpoint), &mut go_on).expect("nothing breaks it off");
    let straight = trained(&settings, &data);
    assert_eq!(resumed.epochs, straight.epochs);
    assert!(resumed.network.to_bytes() == straight.network.to_bytes());
    // Once it has ended there is nothing left to do.
    let mut none = |_: &Progress<'_>| -> ControlFlow<()> { panic!("a batch after the end") };
    let again =
        train(&settings, &data, None, Some(&checkpoint), &mut none).expect("the network is exported again");
    assert!(again.network.to_bytes() == straight.network.to_bytes());
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let (settings, mut data) = (Settings { epochs: 1, ..settings() }, data(600));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let checkpoint = Place::find(&folder.path().join("run")).expect("the folder can be written to");
    train(&settings, &data, None, Some(&checkpoint), &mut go_on).expect("nothing breaks it off");
    let refusal =
        |settings: &Settings, data: &Data| match train(settings, data, None, Some(&checkpoint), &mut go_on) {
            Err(TrainError::Checkpoint(error)) => error,
            other => panic!("it was used: {:?}", other.map(|trained| trained.epochs)),
        };
    let other = Settings { rate: 0.002, ..settings.clone() };
    assert!(matches!(refusal(&other, &data), CheckpointError::Foreign(_)));
    data.origin.checksum = 2;
    assert!(matches!(refusal(&settings, &data), CheckpointError::Foreign(_)));
    data.origin.checksum = 1;
    let whole = std::fs::read(checkpoint.path()).expect("it was written");
    for damaged in [&whole[..whole.len() / 2], &[], &[&whole[..], b"more"].concat()] {
        std::fs::write(checkpoint.path(), damaged).expect("the folder can be written to");
        assert!(matches!(refusal(&settings, &data), CheckpointError::Damaged(_)));
    }
    // A row of parameters, 64 bytes, too many or too few, and the right checksum behind it.
    let (content, _) = whole.split_at(whole.len() - 4);
    let longer = [content, &[0; 64]].concat();
    for misfit in [&longer[..], &content[..content.len() - 64]] {
        let bytes = [misfit, &crc32fast::hash(misfit).to_le_bytes()].concat();
        std::fs::write(checkpoint.path(), bytes).expect("the folder can be written to");
        assert!(matches!(refusal(&settings, &data), CheckpointError::Damaged(_)));
    }
}

#[test]
fn another_scale_is_another_training_and_named() {
    let with = |scale| trained(&Settings { scale, epochs: 1, ..settings() }, &data(1_000)).network;
    let [usual, steep] = [with(400.0), with(200.0)].map(|network| network.parameters().clone());
    assert_ne!(usual.output_weights, steep.output_weights);
    assert!(!usual.description.contains("scale"), "fingerprints of older trainings hold");
    assert!(steep.description.contains(r#""scale":200.0"#), "{}", steep.description);
}

#[test]
fn other_positions_are_another_training_and_named() {
    let told = |kept| fingerprint(&settings(), None, &Origin { kept, ..Origin::default() });
    let (usual, text) = told(Kept { max_score: 2000, from_ply: 16, hold_out: 64 });
    assert!(!text.contains("kept"), "fingerprints of older trainings hold: {text}");
    for (other, word) in [
        (Kept { max_score: 3000, ..Kept::default() }, r#""max_score":3000"#),
        (Kept { from_ply: 8, ..Kept::default() }, r#""from_ply":8"#),
        (Kept { hold_out: 32, ..Kept::default() }, r#""hold_out":32"#),
    ] {
        let (fingerprint, text) = told(other);
        assert!(fingerprint != usual && text.contains(word), "{text}");
    }
    // A network tells it to those who go on from it.
    let kept = Kept { max_score: 3000, from_ply: 8, hold_out: 32 };
    let mut data = data(300);
    data.origin.kept = kept;
    let network = trained(&Settings { epochs: 1, ..settings() }, &data).network;
    assert_eq!(Origin::of(&network), Some(data.origin));
    assert_eq!(Origin::of(&Network::embedded()).map(|origin| origin.kept), Some(Kept::default()));
}

#[test]
fn settings_without_sense_are_refused() {
    for wrong in [
        Settings { hidden: 33, ..settings() },
        Settings { hidden: 2048, ..settings() },
        Settings { buckets: 9, ..settings() },
        Settings { batch: 0, ..settings() },
        Settings { epochs: 0, ..settings() },
        Settings { rate: f32::NAN, ..settings() },
        Settings { decay: -0.1, ..settings() },
        Settings { decay: 250.0, ..settings() },
        Settings { scale: 0.0, ..settings() },
        Settings { wdl: Ramp { first: 0.5, last: 1.5 }, ..settings() },
    ] {
        assert!(
            matches!(train(&wrong, &data(10), None, None, &mut go_on), Err(TrainError::Settings(_))),
            "{wrong:?}"
        );
    }
}

/// The optimiser's first step moves every weight by the rate, here by as much as there is.
#[test]
fn weights_too_large_for_a_file_end_the_training_at_once() {
    let settings = Settings { hidden: 1024, buckets: 1, rate: 1.0, ..settings() };
    let mut batches = 0;
    let mut watch = |_: &Progress<'_>| -> ControlFlow<()> {
        batches += 1;
        ControlFlow::Continue(())
    };
    let result = train(&settings, &data(300), None, None, &mut watch);
    assert!(matches!(result, Err(TrainError::Shape(_))), "{:?}", result.map(|trained| trained.epochs));
    assert_eq!(batches, 2, "the first epoch is the last");
}

/// A description has room for some 500 files; of more it names the kinds, and the fingerprint still tells
/// all apart.
#[test]
fn many_files_are_summed_up() {
    let file = |seed: u64| FileOrigin { games: 10, seed, nodes: 600 + seed % 2, ..FileOrigin::default() };
    let told = |files: std::ops::Range<u64>| {
        let origin = Origin { files: files.map(file).collect(), ..Origin::default() };
        let (fingerprint, text) = fingerprint(&settings(), None, &origin);
        assert!(text.len() <= LONGEST_DESCRIPTION, "{}", text.len());
        let document: serde_json::Value = serde_json::from_str(&text).expect("whole JSON");
        (fingerprint, document["data"]["files"].as_array().expect("files").clone())
    };
    assert_eq!(told(0..100).1.len(), 100);
    let (first, files) = told(0..2001);
    let counts: Vec<_> =
        files.iter().map(|file| [&file["games"], &file["further_files"]].map(|n| n.as_u64())).collect();
    assert_eq!(counts, [[Some(10_010), Some(1000)], [Some(10_000), Some(999)]]);
    assert_ne!(told(2..2003).0, first);
}

/// The program's own network is told as it was when it was trained: what is read of its description gives the same
/// text, and the checksum of that, which its file holds.
#[test]
fn what_the_own_network_was_made_of_has_its_fingerprint() {
    let network = Network::embedded();
    let parameters = network.parameters();
    let told: serde_json::Value = serde_json::from_str(&parameters.description).expect("whole JSON");
    let settings: Settings = serde_json::from_value(told["settings"].clone()).expect("settings");
    let origin: Origin = serde_json::from_value(told["data"].clone()).expect("an origin");
    let (checksum, text) = fingerprint(&settings, None, &origin);
    assert_eq!((checksum, &text), (parameters.fingerprint, &parameters.description));
}

#[test]
fn rounding_is_what_the_file_holds() {
    let shape = Shape { hidden: 32, buckets: 3 };
    let exact = Model::random(shape, 3);
    let mut rounded = exact.clone();
    rounded.round_from(&exact);
    assert_ne!(rounded, exact);
    let of_exact = exact.quantise(0, String::new()).expect("small weights do not overflow");
    let of_rounded = rounded.quantise(0, String::new()).expect("small weights do not overflow");
    assert_eq!(of_exact.parameters(), of_rounded.parameters());
}
