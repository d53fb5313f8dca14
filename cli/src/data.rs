//! `firstborn data`: inspects, checks and exports self-play data.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::provenance::provenance;
use anyhow::Context;
use figures::table::counted;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use sys::output::{Draft, Outputs, Place};
use training::export::{write_pgn, write_plain};
use training::filter::Filter;
use training::format::{Header, Reader};
use training::survey::{CLEAR, ScoreBin, Survey};
use training::viriformat;

/// Inspect self-play data: statistics, checks, exports
///
/// Replays every game and checks its result against the board and the scores. Damaged games are reported and
/// left out. The exit code is 1 if a game contradicts itself, or if a file is damaged anywhere but at its end.
#[derive(clap::Args)]
pub struct Args {
    /// Files written by `firstborn datagen`, or files in viriformat. They are held in memory
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the games as PGN
    #[arg(long, value_name = "OUT")]
    pgn: Option<PathBuf>,
    /// Write the quiet positions as lines of `FEN | score | result`, from White's view
    #[arg(long, value_name = "OUT")]
    plain: Option<PathBuf>,
    /// Write the games, without their random openings, in viriformat for other programs
    #[arg(long, value_name = "OUT")]
    viriformat: Option<PathBuf>,
    /// Print one JSON document instead of lines
    #[arg(long)]
    json: bool,
}

/// Faults that are listed one by one.
const LISTED: usize = 20;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut outputs = Outputs::reading_once(&args.files)?;
    let mut place = |path: &Option<PathBuf>| path.as_ref().map(|path| outputs.place(path)).transpose();
    let places = [place(&args.pgn)?, place(&args.plain)?, place(&args.viriformat)?];
    let stop = stop_flag()?;
    let readers = args.files.iter().map(|file| Reader::open(file)).collect::<Result<Vec<_>, _>>()?;
    let blocks: Vec<_> = readers
        .iter()
        .enumerate()
        .flat_map(|(file, reader)| reader.blocks().map(move |b| (file, b)))
        .collect();
    let surveyed = Survey::of(&blocks, &stop);
    let Some(survey) = surveyed.filter(|_| !stop.load(Relaxed)) else { return Ok(stopped(&places)) };
    if !export(&places, &readers, &stop)? {
        return Ok(stopped(&places));
    }
    let damaged = readers.iter().flat_map(|reader| &reader.damage).any(|damage| !damage.tail);
    if args.json {
        println!("{}", document(args, &readers, &survey));
    } else {
        print_files(args, &readers);
        print_survey(&survey);
        println!("\n{}", provenance());
    }
    let sound = survey.faults.is_empty() && !damaged;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Says that nothing came of it.
fn stopped(places: &[Option<Place>; 3]) -> ExitCode {
    let kept: Vec<_> = places.iter().flatten().map(|place| place.path().display().to_string()).collect();
    let nowhere = if kept.is_empty() {
        String::new()
    } else {
        format!("; nothing was written to {}", kept.join(" and "))
    };
    eprintln!("firstborn: stopped{nowhere}");
    ExitCode::from(INTERRUPTED)
}

/// Writes the games as PGN, as lines of positions, in viriformat, or as several of them. False if it was
/// stopped; then the files are as they were.
fn export(places: &[Option<Place>; 3], readers: &[Reader], stop: &AtomicBool) -> anyhow::Result<bool> {
    let begin = |place: &Option<Place>| place.as_ref().map(Place::begin).transpose();
    let [mut pgn, mut plain, mut viri] = [begin(&places[0])?, begin(&places[1])?, begin(&places[2])?];
    if pgn.is_none() && plain.is_none() && viri.is_none() {
        return Ok(true);
    }
    let filter = Filter::default();
    for block in readers.iter().flat_map(Reader::blocks) {
        if stop.load(Relaxed) {
            return Ok(false);
        }
        // Games that cannot be read are told by the survey.
        for (number, game) in (block.first..).zip(block.games().flatten()) {
            if let Some(out) = &mut pgn {
                write_pgn(out, number, &game).with_context(|| out.refused())?;
            }
            if let Some(out) = &mut plain {
                write_plain(out, &filter, &game).with_context(|| out.refused())?;
            }
            if let Some(out) = &mut viri {
                viriformat::write(out, &game).with_context(|| out.refused())?;
            }
        }
    }
    [pgn, plain, viri].into_iter().flatten().try_for_each(Draft::finish)?;
    Ok(true)
}

fn document(args: &Args, readers: &[Reader], survey: &Survey) -> Value {
    let files: Vec<Value> = args
        .files
        .iter()
        .zip(readers)
        .map(|(file, reader)| {
            json!({
                "file": file.display().to_string(), "bytes": reader.size(), "games": reader.game_count(),
                "header": reader.header, "damage": reader.damage,
            })
        })
        .collect();
    let mut document = json!({
        "schema": 1, "files": files, "coherence": survey.coherence(), "repeats": survey.repeats(),
        "provenance": provenance(),
    });
    if let (Value::Object(document), Ok(Value::Object(sums))) = (&mut document, serde_json::to_value(survey))
    {
        document.extend(sums);
    }
    document
}

/// What a file says of its making.
fn making(header: &Header) -> String {
    let network = header.network.map_or(String::new(), |mark| format!(", network {:08x}", mark.fingerprint));
    format!(
        "by {} (bench {}{network}), seed {}, {} a move",
        header.engine,
        header.bench,
        header.recipe.seed,
        counted(header.recipe.soft_nodes, "node")
    )
}

fn print_files(args: &Args, readers: &[Reader]) {
    for (file, reader) in args.files.iter().zip(readers) {
        let header = &reader.header;
        let (games, bytes) = (counted(reader.game_count(), "game"), counted(reader.size() as u64, "byte"));
        let making = header.as_ref().map_or("in viriformat".into(), making);
        println!("{}: {games}, {bytes}, {making}", file.display());
        for damage in &reader.damage {
            println!("{}: {damage}", file.display());
        }
    }
}

fn print_survey(survey: &Survey) {
    let games = survey.games.max(1) as f64;
    let [black, draws, white] = survey.results;
    let per_cent = |part: u64| 100.0 * part as f64 / games;
    println!();
    println!(
        "games      {}: White won {:.1} %, {:.1} % drawn",
        survey.games,
        per_cent(white),
        per_cent(draws)
    );
    println!(
        "           Black won {:.1} %; {} begin lost; {} of Chess960",
        per_cent(black),
        survey.lost_openings,
        survey.chess960
    );
    println!(
        "plies      {} scored, {:.1} a game; {} quiet positions",
        survey.plies,
        survey.plies as f64 / games,
        survey.kept
    );
    let endings: Vec<String> = survey.endings.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!("endings    {}", endings.join(", "));
    match survey.coherence() {
        Some(share) => println!(
            "coherence  {:.2} %: beyond {CLEAR} centipawns, in decisive games, the side ahead won",
            100.0 * share
        ),
        None => println!("coherence  none: no decisive game has a score beyond {CLEAR} centipawns"),
    }
    let clear = survey.clear[1] + survey.clear_drawn;
    if clear > 0 {
        let share = 100.0 * survey.clear_drawn as f64 / clear as f64;
        println!("           {share:.1} % of the positions beyond {CLEAR} centipawns are of drawn games");
    }
    let [unwon, known] = survey.known_wins;
    println!(
        "bare kings {} came to a won ending against one, {unwon} of them not won",
        counted(known, "game")
    );
    println!(
        "copies     {}; {}; {} ({:.2} %)",
        counted(survey.repeated_games, "game"),
        counted(survey.repeated_openings, "opening"),
        counted(survey.repeated_positions, "position"),
        100.0 * survey.repeats()
    );
    println!("\nscore from  positions   mean points");
    for (from, ScoreBin { positions, points }) in &survey.scores {
        println!("{from:>10}  {positions:>9}   {:.3}", points / *positions as f64);
    }
    println!("\npieces      positions");
    for (pieces, positions) in &survey.pieces {
        println!("{pieces:>10}  {positions:>9}");
    }
    for fault in survey.faults.iter().take(LISTED) {
        println!("file {} game {}: {}", fault.file + 1, fault.game, fault.why);
    }
    if survey.faults.len() > LISTED {
        println!("... and {} more games that cannot be", survey.faults.len() - LISTED);
    }
}
