//! `firstborn tune`: tunes the hand-crafted evaluation on self-play games; the work is done in the room
//! `training`.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::provenance;
use anyhow::{Context, ensure};
use figures::table::counted;
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use sys::output::Outputs;
use training::filter::Filter;
use training::format::{Distinct, Header, Reader};
use training::tune::{Dataset, Epoch, Settings, Tuned, fit, present, weights_source};

/// Tune the hand-crafted evaluation (HCE) on self-play games
///
/// Fits the weights to the quiet positions of the games (Texel tuning). The target blends the game result with the
/// search score. Every N-th game (--hold-out) is the validation set; the weights of the epoch with the lowest
/// validation loss are kept. With --out they are written as source, to be reviewed, tested by a match and committed.
#[derive(clap::Args)]
pub struct Args {
    /// Files written by `firstborn datagen`, or in viriformat. They are held in memory, with about a hundred bytes for
    /// every position that is learnt from
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Passes over the data (epochs)
    #[arg(long, value_name = "N", default_value_t = Settings::default().epochs)]
    epochs: usize,
    /// Initial step size in centipawns; it decays along a half cosine
    #[arg(long, value_name = "CP", default_value_t = Settings::default().rate)]
    rate: f32,
    /// WDL weight (lambda), 0 to 1: the share of the game result in the target; the rest is the search score
    #[arg(long, value_name = "SHARE", default_value_t = Settings::default().wdl)]
    wdl: f32,
    /// Batch size, in positions
    #[arg(long, value_name = "N", default_value_t = Settings::default().batch)]
    batch: usize,
    /// Weight decay of the king-relative PSQTs
    #[arg(long, value_name = "D", default_value_t = Settings::default().decay)]
    decay: f32,
    /// Seed of the order of positions
    #[arg(long, value_name = "S", default_value_t = Settings::default().seed)]
    seed: u64,
    /// Hold out every N-th game as the validation set
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(2..))]
    hold_out: u64,
    /// The old name of --hold-out
    #[arg(
        long, value_name = "N", hide = true, conflicts_with = "hold_out",
        value_parser = clap::value_parser!(u64).range(2..)
    )]
    held_out: Option<u64>,
    /// Start from zero instead of the current weights
    #[arg(long)]
    from_zero: bool,
    /// Write the weights to this file, as the source of engine/src/eval/weights.rs
    #[arg(long, value_name = "FILE.rs")]
    out: Option<PathBuf>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

impl Args {
    fn settings(&self) -> anyhow::Result<Settings> {
        let within = |name: &str, value: f32, least: f32, most: f32| {
            ensure!((least..=most).contains(&value), "--{name} {value}: not within {least} to {most}");
            Ok(value)
        };
        ensure!(self.batch > 0, "--batch 0: a step needs positions");
        Ok(Settings {
            epochs: self.epochs,
            rate: within("rate", self.rate, 1e-3, 100.0)?,
            wdl: within("wdl", self.wdl, 0.0, 1.0)?,
            batch: self.batch,
            decay: within("decay", self.decay, 0.0, 0.1)?,
            seed: self.seed,
        })
    }

    /// Says when Ctrl-C has ended it, and whether weights were `kept`.
    fn stopped(&self, when: &str, kept: bool) -> ExitCode {
        let out = self.out.as_ref().map_or(String::new(), |path| {
            let what = if kept { "the best are in" } else { "nothing was written to" };
            format!("; {what} {}", path.display())
        });
        eprintln!("firstborn: stopped {when}{out}");
        ExitCode::from(INTERRUPTED)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let settings = args.settings()?;
    if args.held_out.is_some() {
        eprintln!("firstborn: --held-out is now called --hold-out, as in `firstborn train`");
    }
    let hold_out = args.held_out.unwrap_or(args.hold_out);
    let mut outputs = Outputs::reading_once(&args.files)?;
    let place = args.out.as_ref().map(|path| outputs.place(path)).transpose()?;
    let stop = stop_flag()?;
    let readers = args.files.iter().map(|file| Reader::open(file)).collect::<Result<Vec<_>, _>>()?;
    let mut distinct = Distinct::default();
    args.files.iter().zip(&readers).try_for_each(|(file, reader)| distinct.add(file, reader))?;
    for (file, damage) in
        args.files.iter().zip(&readers).flat_map(|(f, r)| r.damage.iter().map(move |d| (f, d)))
    {
        eprintln!("firstborn: {}: {damage}", file.display());
    }
    let blocks: Vec<_> = readers.iter().flat_map(Reader::blocks).collect();
    let read = Dataset::read(&blocks, &Filter::default(), hold_out, &stop).context("a damaged game")?;
    let Some(data) = read else { return Ok(args.stopped("while reading", false)) };
    let games: u64 = readers.iter().map(Reader::game_count).sum();
    let (train, held_out) = (data.train.len(), data.held_out.len());
    ensure!(
        train > 0 && held_out > 0,
        "{} with {} to learn from and {held_out} for validation",
        counted(games, "game"),
        counted(train as u64, "position")
    );
    if !args.json {
        let positions = counted(train as u64, "position");
        news!("{}: {positions} to learn from, {held_out} for validation", counted(games, "game"));
        news!("epoch      train validation");
    }
    let from = if args.from_zero { vec![[0.0; 2]; present().len()] } else { present() };
    let mut losses = Vec::new();
    let tuned = fit(&data, &from, &settings, &stop, |epoch| {
        if !args.json {
            news!("{:>5}   {:.6}   {:.6}", epoch.epoch, epoch.train, epoch.held_out);
        }
        losses.push(epoch);
    });
    let passes = losses.len() - 1;
    let stopped = stop.load(Relaxed) && passes < args.epochs;
    if stopped && passes == 0 {
        return Ok(args.stopped("before the end of the first pass", false));
    }
    if let Some(place) = &place {
        let note = note(args, &readers, &losses, &tuned, (games, train));
        place.write(weights_source(&tuned.weights, &note))?;
    }
    if args.json {
        println!(
            "{}",
            json!({
                "schema": 1, "games": games, "train": train, "held_out": held_out, "scale": tuned.scale,
                "epochs": losses, "before": losses[0].held_out, "after": tuned.held_out, "pass": tuned.pass,
                "provenance": provenance(),
            })
        );
    } else {
        println!(
            "validation loss {:.6} before, {:.6} after {} (weights rounded); {:.0} centipawns to a unit of \
             the curve",
            losses[0].held_out,
            tuned.held_out,
            best_of(tuned.pass, passes),
            tuned.scale
        );
        println!("{}", provenance());
    }
    if stopped {
        return Ok(args.stopped(&format!("after {passes} of {} passes", args.epochs), true));
    }
    Ok(ExitCode::SUCCESS)
}

/// Which pass the weights are of, in words; 0 if none was better than those before.
fn best_of(pass: usize, passes: usize) -> String {
    if pass > 0 { format!("pass {pass} of {passes}") } else { format!("none of {passes} passes") }
}

/// Where the weights come from, for the head of their source.
fn note(
    args: &Args,
    readers: &[Reader],
    losses: &[Epoch],
    tuned: &Tuned,
    (games, train): (u64, usize),
) -> String {
    let mut note = format!(
        "Written by `firstborn tune` from self-play data alone: {}, {} learnt from.\n\
         Validation loss {:.6} before, {:.6} after {}; result's share {}, step {} cp, decay {}, batch {}, seed {}.\n",
        counted(games, "game"),
        counted(train as u64, "position"),
        losses[0].held_out,
        tuned.held_out,
        best_of(tuned.pass, losses.len() - 1),
        args.wdl,
        args.rate,
        args.decay,
        args.batch,
        args.seed
    );
    for (file, reader) in args.files.iter().zip(readers) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let _ = write!(note, "{name}: {}", counted(reader.game_count(), "game"));
        let _ = match &reader.header {
            Some(Header { engine, bench, recipe, .. }) => writeln!(
                note,
                " of {engine}, signature at depth 7 {bench}, seed {}, {} a move.",
                recipe.seed,
                counted(recipe.soft_nodes, "node")
            ),
            None => writeln!(note, " in viriformat."),
        };
    }
    note
}
