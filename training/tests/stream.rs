//! A training whose positions memory does not hold: read from files of games, dealt onto disk, killed and
//! taken up again.

use crate::random_games::write_games;
use rand::{SeedableRng, rngs::SmallRng};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use sys::output::Place;
use training::filter::Filter;
use training::format::Reader;
use training::network::data::{DataError, Kept};
use training::network::sample::Sample;
use training::network::{Data, Progress, Reading, Settings, TrainError, train};

/// Two files of games.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut random = SmallRng::seed_from_u64(3);
    let file = |seed: u64| {
        let path = folder.join(format!("{seed}.fbg"));
        write_games(&path, seed, 500, &mut random);
        path
    };
    [1, 2].map(file).to_vec()
}

fn load(paths: &[PathBuf], memory: usize, folder: &Path) -> Result<Data, DataError> {
    Data::load(paths, &reading(memory, folder), &AtomicBool::new(false))
}

fn reading(memory: usize, folder: &Path) -> Reading {
    let filter = Filter { from_ply: 0, ..Filter::default() };
    Reading { filter, hold_out: 10, memory, folder: folder.into() }
}

fn settings() -> Settings {
    Settings { hidden: 32, buckets: 1, epochs: 2, batch: 128, rate: 0.005, ..Settings::default() }
}

/// With two files of 500 games of some 130 bytes each, memory for so much makes three parts or more.
const LITTLE: usize = 1 << 20;

#[test]
fn positions_on_disk_are_those_in_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let paths = files(folder.path());
    let [little, much] =
        [LITTLE, 1 << 30].map(|memory| load(&paths, memory, folder.path()).expect("all is whole"));
    assert!(little.training.shards() > 2, "{}", little.training.shards());
    assert_eq!((much.training.shards(), much.training.len()), (1, little.training.len()));
    let (mut on_disk, in_memory) = (little.origin.clone(), much.origin.clone());
    assert_eq!(on_disk.shards, little.training.shards() as u64);
    on_disk.shards = 1;
    assert_eq!(on_disk, in_memory);
    assert_eq!(little.held_out, much.held_out);
    assert_eq!(
        in_memory
            .files
            .iter()
            .map(|file| (file.seed, file.nodes, file.bench, file.games))
            .collect::<Vec<_>>(),
        [(1, 1000, 1, 500), (2, 1000, 1, 500)]
    );
    // Nothing is left in the folder but the games.
    let left = std::fs::read_dir(folder.path()).expect("it is there").count();
    assert_eq!(left, 2);
}

/// Every tenth game is there to be tested on, with all its positions, and for nothing else.
#[test]
fn games_held_out_are_not_learnt_from() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("games.fbg");
    write_games(&path, 1, 20, &mut SmallRng::seed_from_u64(3));
    let filter = reading(1 << 30, folder.path()).filter;
    let (mut training, mut held_out) = (0, Vec::new());
    let reader = Reader::open(&path).expect("it was written");
    for (number, game) in reader.games().enumerate() {
        let game = game.expect("it was written whole");
        let samples: Vec<Sample> = filter.positions(&game).map(|scored| Sample::from(&scored)).collect();
        if number % 10 == 9 {
            held_out.extend(samples);
        } else {
            training += samples.len();
        }
    }
    let data = load(&[path], 1 << 30, folder.path()).expect("all is whole");
    assert!(!held_out.is_empty() && data.held_out == held_out);
    assert_eq!((data.training.len(), data.origin.training), (training, training as u64));
    assert_eq!(data.origin.held_out, held_out.len() as u64);
    assert_eq!(data.origin.kept, Kept { max_score: 3000, from_ply: 0, hold_out: 10 });
}

#[test]
fn a_training_from_disk_ends_with_the_same_bytes_killed_or_not() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let paths = files(folder.path());
    let checkpoint = Place::find(&folder.path().join("state")).expect("the folder can be written to");
    let run = |threads: usize, checkpoint: Option<&Place>, batches: usize| {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        let mut left = batches;
        let mut watch = |_: &Progress<'_>| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        pool.install(|| {
            // What was killed reads the games again.
            let data = load(&paths, LITTLE, folder.path()).expect("all is whole");
            train(&settings(), &data, None, checkpoint, &mut watch)
        })
    };
    let straight = run(1, None, usize::MAX).expect("nothing breaks it off").network.to_bytes();
    // Checkpoints are left after 200 batches and after the first epoch of some 300.
    for batches in [250, 150, 220] {
        let killed = run(3, Some(&checkpoint), batches);
        assert!(matches!(killed, Err(TrainError::Stopped)), "{batches}");
        assert!(checkpoint.path().exists());
    }
    let resumed = run(2, Some(&checkpoint), usize::MAX).expect("nothing breaks it off");
    assert!(resumed.network.to_bytes() == straight);
    assert!(resumed.epochs[1].held_out < resumed.epochs[0].held_out, "{:?}", resumed.epochs);
}

/// A pipe says beforehand that it holds nothing, and takes as much memory as a file.
#[cfg(unix)]
#[test]
fn games_from_a_pipe_are_dealt_like_those_of_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let paths = files(folder.path());
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("there is a mkfifo").success());
    let whole = load(&paths, LITTLE, folder.path()).expect("all is whole");
    let piped = std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&pipe, std::fs::read(&paths[0]).expect("it was written")));
        load(&[pipe.clone(), paths[1].clone()], LITTLE, folder.path()).expect("all is whole")
    });
    assert_eq!(piped.origin, whole.origin);
}

/// A pipe that is given as the state of a training is refused: it would be read by the program that holds it open for
/// writing, which never ends.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_state_of_a_training() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("there is a mkfifo").success());
    // It has a reader, so that it can be opened.
    let _reader = std::fs::File::options().read(true).write(true).open(&pipe).expect("it was made");
    let data = load(&files(folder.path()), 1 << 30, folder.path()).expect("all is whole");
    let place = Place::find(&pipe).expect("it has a reader");
    let (sender, answer) = std::sync::mpsc::channel();
    // A thread that hangs is left behind, and the test fails.
    std::thread::spawn(move || {
        let trained = train(&settings(), &data, None, Some(&place), &mut |_| ControlFlow::Break(()));
        sender.send(trained.map(|_| ()).map_err(|error| error.to_string()))
    });
    let refused = answer.recv_timeout(Duration::from_secs(60)).expect("it answers").unwrap_err();
    assert!(refused.contains("pipe is not a checkpoint"), "{refused}");
}

#[test]
fn what_cannot_be_kept_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let paths = files(folder.path());
    assert!(matches!(load(&paths, 1000, folder.path()), Err(DataError::Memory)));
    let nowhere = Path::new("/no/such/folder");
    let Err(DataError::Disk { path, .. }) = load(&paths, LITTLE, nowhere) else { panic!("it was kept") };
    assert_eq!(path, nowhere);
    // Without need nothing is put there.
    assert!(load(&paths, 1 << 30, nowhere).is_ok());
}

/// Each part is an open file. How many there are follows from the sizes of the games' files alone.
#[test]
fn memory_that_takes_too_many_parts_is_refused_with_what_would_do() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let zeros = folder.path().join("zeros");
    let file = std::fs::File::create(&zeros).expect("the folder can be written to");
    // 216 MiB of positions if all of it were plies of two bytes.
    file.set_len(12 << 20).expect("the file can be written to");
    let with = |mebibytes: usize| load(std::slice::from_ref(&zeros), mebibytes << 20, folder.path());
    let refused = with(1).expect_err("it would take 216 parts");
    assert!(matches!(refused, DataError::Shards { least: 2 }), "{refused}");
    assert!(refused.to_string().contains("at least 2 MiB"), "{refused}");
    assert!(matches!(with(2), Err(DataError::Format(_))), "zeros are no games");
}

#[test]
fn reading_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let stopped = Data::load(&files(folder.path()), &reading(LITTLE, folder.path()), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(DataError::Stopped)));
}
