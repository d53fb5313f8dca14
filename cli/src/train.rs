//! `firstborn train`: from games to a network.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::provenance;
use anyhow::ensure;
use figures::table::counted;
use figures::{Chart, Scale, Series};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use nnue::Network;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use sys::output::{Outputs, Place, Precious};
use training::filter::Filter;
use training::network::data::{DataError, Kept, Origin};
use training::network::run::{Epoch, check_start};
use training::network::{Data, Progress, Ramp, Reading, Settings, TrainError, train};

/// Train a network on games of `firstborn datagen`
///
/// The same data, settings and seed give the same network on any number of threads. With --checkpoint, a run that
/// was killed continues when the command is given again. With --from, training continues from a trained network,
/// usually on the newest games only (a second stage).
#[derive(clap::Args)]
pub struct Args {
    /// Files of self-play games
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// Network file to write
    #[arg(long, value_name = "NET")]
    out: PathBuf,
    /// Width of the hidden layer: a multiple of 32 up to 1024 [default: 128, with --from that of its network]
    #[arg(long, value_name = "H")]
    hidden: Option<usize>,
    /// Output buckets, chosen by the number of pieces: 1 to 8 [default: 8, with --from those of its network]
    #[arg(long, value_name = "B")]
    buckets: Option<usize>,
    /// Passes over the data (epochs)
    #[arg(long, value_name = "E", default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Batch size, in positions
    #[arg(long, value_name = "N", default_value_t = Settings::default().batch)]
    batch: usize,
    /// Initial learning rate; it decays along a cosine [default: 0.0015, with --from a tenth of that]
    #[arg(long, value_name = "R")]
    rate: Option<f32>,
    /// Weight decay: the share of every parameter that is taken away at each step, times the rate
    #[arg(long, value_name = "D", default_value_t = Settings::default().decay)]
    decay: f32,
    /// Scale of the loss, in centipawns: a score of this much is 73 % of the point. With a smaller one errors in
    /// won and lost positions count less; the network's centipawns stay those of the scores
    #[arg(long, value_name = "CP", default_value_t = Settings::default().scale)]
    scale: f32,
    /// WDL weight (lambda), 0 to 1: the share of the game result in the target; the rest is the search score. A..B
    /// moves it linearly from A at the start to B at the end
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().wdl)]
    wdl: Ramp,
    /// Start from this network instead of random weights
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// Seed of the initial weights and of the order of positions
    #[arg(long, value_name = "S", default_value_t = Settings::default().seed)]
    seed: u64,
    /// Skip positions whose absolute score exceeds this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Kept::default().max_score)]
    max_score: i32,
    /// Skip positions before this ply of the game
    #[arg(long, value_name = "PLY", default_value_t = Kept::default().from_ply)]
    from_ply: usize,
    /// Hold out every N-th game as the validation set; 0 holds out none
    #[arg(long, value_name = "N", default_value_t = Kept::default().hold_out)]
    hold_out: u64,
    /// Memory for positions, in MiB; the others wait on disk (36 bytes each in memory, 29 on disk), in at most 200
    /// files, which does for games of 11 times this size. The validation set is always in memory. Games are read block
    /// by block, but for pipes and files in viriformat, which are held in memory whole
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: usize,
    /// Folder for positions on disk [default: the folder of --out, or the current one where that is no file]
    #[arg(long, value_name = "FOLDER")]
    scratch: Option<PathBuf>,
    /// Save the state of the training in this file, and continue from it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Draw training and validation loss into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Threads [default: one for each usable core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = args.from.as_deref().map(Network::load).transpose()?;
    let settings = args.settings(start.as_ref());
    settings.check()?;
    start.iter().try_for_each(|start| check_start(&settings, start))?;
    let threads = args.threads.map_or(0, usize::from);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    threads.install(|| args.train(&settings, start.as_ref()))
}

impl Args {
    /// The settings, of which `start` decides what is not told otherwise.
    fn settings(&self, start: Option<&Network>) -> Settings {
        let shape = start.map(Network::parameters);
        Settings {
            hidden: self.hidden.or(shape.map(|start| start.hidden)).unwrap_or(Settings::default().hidden),
            buckets: self.buckets.or(shape.map(|start| start.buckets)).unwrap_or(Settings::default().buckets),
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate.unwrap_or(if start.is_some() {
                Settings::default().rate / 10.0
            } else {
                Settings::default().rate
            }),
            decay: self.decay,
            scale: self.scale,
            wdl: self.wdl,
            seed: self.seed,
        }
    }

    /// How the games are read for this output.
    fn reading(&self, out: &Place) -> Reading {
        Reading {
            filter: Filter { score: self.max_score, from_ply: self.from_ply, ..Filter::default() },
            hold_out: self.hold_out,
            memory: self.memory.saturating_mul(1 << 20),
            folder: self.scratch.clone().unwrap_or_else(|| folder_of(out)),
        }
    }

    fn train(&self, settings: &Settings, start: Option<&Network>) -> anyhow::Result<ExitCode> {
        let places = Places::find(self)?;
        let stop = stop_flag()?;
        let data = match Data::load(&self.data, &self.reading(&places.out), &stop) {
            Err(stopped @ DataError::Stopped) => {
                eprintln!("firstborn: {stopped}");
                return Ok(ExitCode::from(INTERRUPTED));
            }
            data => data?,
        };
        for (path, damage) in &data.damage {
            eprintln!("{}: {damage}", path.display());
        }
        if let Some(text) = start.and_then(|start| self.known_games(start)) {
            eprintln!("firstborn: {text}");
        }
        if !self.json {
            news!("{}", described(&data.origin));
        }
        let bar =
            ProgressBar::new(0).with_style(ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")?);
        let mut told = 0;
        let mut speed = 0.0;
        let mut watch = |progress: &Progress<'_>| {
            for (number, epoch) in progress.done.iter().enumerate().skip(told).filter(|_| !self.json) {
                bar.suspend(|| news!("{}", line(number, epoch)));
            }
            told = progress.done.len();
            speed = progress.per_second;
            bar.set_length(progress.batches);
            bar.set_position(progress.batch);
            bar.set_message(format!(
                "epoch {}/{} loss {:.5}  {:.0}/s, {} left",
                progress.done.len() + 1,
                progress.epochs,
                progress.loss,
                progress.per_second,
                HumanDuration(progress.left)
            ));
            if stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let trained = match train(settings, &data, start, places.checkpoint.as_ref(), &mut watch) {
            Err(TrainError::Stopped) => {
                bar.finish_and_clear();
                return Ok(self.stopped(told));
            }
            trained => trained?,
        };
        bar.finish_and_clear();
        places.out.write(trained.network.to_bytes())?;
        if let Some(place) = &places.plot {
            let Settings { hidden, scale, wdl, .. } = settings;
            let title = format!("H = {hidden}, {} positions, scale {scale}, wdl {wdl}", data.origin.training);
            place.write(losses(&trained.epochs, title).svg(&[]))?;
        }
        let fingerprint = format!("{:08x}", trained.network.parameters().fingerprint);
        if self.json {
            let document = json!({
                "schema": 1, "net": self.out.display().to_string(), "fingerprint": fingerprint,
                "settings": settings, "data": data.origin, "epochs": trained.epochs,
                "positions_per_second": speed as u64, "provenance": provenance(),
            });
            println!("{document}");
        } else {
            for (number, epoch) in trained.epochs.iter().enumerate().skip(told) {
                println!("{}", line(number, epoch));
            }
            println!("{}: fingerprint {fingerprint}, {speed:.0} positions a second", self.out.display());
            println!("{}", provenance());
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What to say where the network to go on from may have learnt from games that are held out now.
    fn known_games(&self, start: &Network) -> Option<String> {
        let before = Origin::of(start)?.kept.hold_out;
        (!self.hold_out.is_multiple_of(before)).then(|| {
            format!(
                "--hold-out {}: the network of --from was trained with {before}, and may know the games that are \
                 held out now",
                self.hold_out
            )
        })
    }

    /// Says what Ctrl-C has left of the training.
    fn stopped(&self, epochs: usize) -> ExitCode {
        let done = format!("firstborn: stopped after {epochs} of {}", counted(self.epochs as u64, "epoch"));
        match &self.checkpoint {
            Some(file) => eprintln!("{done}; the same command goes on from {}", file.display()),
            None => eprintln!("{done}; nothing is kept without --checkpoint"),
        }
        ExitCode::from(INTERRUPTED)
    }
}

/// Where the outputs go; found out before hours of training.
struct Places {
    out: Place,
    checkpoint: Option<Place>,
    plot: Option<Place>,
}

impl Places {
    fn find(args: &Args) -> anyhow::Result<Self> {
        let mut outputs = Outputs::reading_once(&args.data)?;
        args.from.iter().for_each(|network| outputs.reads(network));
        let out = outputs.place_for(Precious::Network, &args.out)?;
        let checkpoint = args.checkpoint.as_ref();
        let checkpoint = checkpoint.map(|path| outputs.place_for(Precious::Training, path)).transpose()?;
        let plot = args.plot.as_ref().map(|path| outputs.place(path)).transpose()?;
        if let Some(folder) = &args.scratch {
            ensure!(folder.is_dir(), "--scratch {}: there is no such folder", folder.display());
            outputs.folder(folder)?;
        }
        Ok(Places { out, checkpoint, plot })
    }
}

/// The folder that an output lies in, behind links; the current one for a device or a pipe, whose folder is no place
/// for files.
fn folder_of(out: &Place) -> PathBuf {
    out.folder().unwrap_or(Path::new(".")).to_owned()
}

fn described(origin: &Origin) -> String {
    let Origin { games, scored, training, held_out, checksum, shards, .. } = origin;
    let parts = if *shards > 1 { format!(" in {shards} parts on disk") } else { String::new() };
    format!(
        "{}, {}; {training} to learn from{parts}, {held_out} for validation, checksum {checksum:08x}",
        counted(*games, "game"),
        counted(*scored, "scored position")
    )
}

fn line(number: usize, epoch: &Epoch) -> String {
    let [queen, rook, bishop, knight, pawn] = epoch.sense;
    let held_out = epoch.held_out.map_or_else(|| "none".to_owned(), |loss| format!("{loss:.6}"));
    format!(
        "epoch {:>3}  loss {:.6}  validation {held_out}  without Q {queen} R {rook} B {bishop} N {knight} P {pawn}",
        number + 1,
        epoch.training,
    )
}

/// The mean squared error of each epoch: while it was learnt from, and on the held-out games if there are
/// any.
fn losses(epochs: &[Epoch], title: String) -> Chart {
    let series = |name: &str, loss: fn(&Epoch) -> f64| Series {
        name: name.into(),
        points: epochs
            .iter()
            .enumerate()
            .map(|(number, epoch)| ((number + 1) as f64, loss(epoch)))
            .filter(|point| point.1 > 0.0)
            .collect(),
        ..Series::default()
    };
    Chart {
        title,
        x_label: "epoch".into(),
        y_label: "mean squared error of the expected points".into(),
        series: vec![
            series("learnt from", |epoch| epoch.training),
            series("validation", |epoch| epoch.held_out.unwrap_or(0.0)),
        ],
        scale: Scale::Close,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::options::Line;
    use clap::Parser;
    use std::os::unix::fs::symlink;

    /// The program's own network was trained with every 64th game held out.
    #[test]
    fn games_held_out_anew_are_told_of() {
        let own = Network::embedded();
        for (hold_out, told) in [("64", false), ("128", false), ("0", false), ("32", true), ("100", true)] {
            let words = ["train", "games", "--out", "net", "--hold-out", hold_out];
            let args = Line::<Args>::try_parse_from(words).unwrap().args;
            assert_eq!(args.known_games(&own).is_some(), told, "{hold_out}");
        }
    }

    /// Positions wait where the network will lie: not among devices, nor beside a link.
    #[test]
    fn positions_wait_in_the_folder_of_the_network() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("real")).unwrap();
        // The last link leads to a name that no file has yet.
        symlink("/dev/null", at("device")).unwrap();
        symlink("second", at("first")).unwrap();
        symlink("real/net", at("second")).unwrap();
        let waits = |path: &Path| folder_of(&Place::find(path).unwrap());
        for stream in [Path::new("/dev/null"), Path::new("/dev/stdout"), &at("device")] {
            assert_eq!(waits(stream), Path::new("."), "{}", stream.display());
        }
        assert_eq!([waits(&at("first")), waits(&at("real/net"))], [at("real"), at("real")]);
        std::fs::write(at("real/net"), "").unwrap();
        assert_eq!(waits(&at("first")), at("real"));
        assert_eq!(waits(Path::new("net")), Path::new("."));
    }

    #[test]
    fn the_picture_has_both_losses_by_epoch() {
        let epoch = |training, held_out| Epoch { training, held_out, sense: [0; 5] };
        let chart = losses(&[epoch(0.5, Some(0.25)), epoch(0.125, None)], "H = 32".to_owned());
        let curves = chart.series.iter().map(|curve| (curve.name.as_str(), curve.points.as_slice()));
        let wanted = [("learnt from", &[(1.0, 0.5), (2.0, 0.125)][..]), ("validation", &[(1.0, 0.25)][..])];
        assert_eq!((chart.title.as_str(), curves.collect::<Vec<_>>()), ("H = 32", wanted.to_vec()));
    }
}
