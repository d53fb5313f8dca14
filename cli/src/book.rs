//! `firstborn book`: an opening book made of games.

use crate::tournament::house::tell_skipped;
use anyhow::ensure;
use std::path::PathBuf;
use std::process::ExitCode;
use sys::output::Outputs;
use tournament::openings::polyglot::Polyglot;
use tournament::openings::{Book, Reading};
use tournament::wording::counted;

/// Make a Polyglot opening book from games
///
/// Every move of the first plies of every game goes into the book, weighing as much as it was played often
/// (where that is more than 65535, all weights of the position are scaled down alike). The book is for the
/// options OwnBook and BookFile, and for any program that reads Polyglot's format.
#[derive(clap::Args)]
pub struct Args {
    /// Games: .pgn, also .gz or .zip
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// Plies of each game to take
    #[arg(
        long, value_name = "PLIES", default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..=400)
    )]
    plies: u16,
    /// Leave games out that cannot be used, and say how many and which, instead of refusing them all
    #[arg(long)]
    skip_bad: bool,
    /// Leave out moves played less often
    #[arg(long, value_name = "N", default_value_t = 1)]
    least: u64,
    /// The book to write
    #[arg(long, value_name = "FILE.bin")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let place = Outputs::reading_once(&args.games)?.place(&args.out)?;
    let reading = Reading {
        plies: Some(args.plies.into()),
        wanted: usize::MAX,
        ended: true,
        skip_bad: args.skip_bad,
        ..Reading::WHOLE
    };
    let files = args.games.iter().map(|path| Book::of_games(path, reading)).collect::<Result<Vec<_>, _>>()?;
    files.iter().for_each(|file| tell_skipped(file, "game"));
    let games: usize = files.iter().map(Book::len).sum();
    let openings = files.iter().flat_map(|file| (0..file.len()).map(|number| file.opening(number)));
    let openings = openings.collect::<Result<Vec<_>, _>>()?;
    let played = openings.iter().flat_map(|opening| {
        opening.moves.iter().scan(opening.start.clone(), |position, &mv| {
            let after = position.after(mv);
            Some((std::mem::replace(position, after), mv))
        })
    });
    let book = Polyglot::of_moves(played, args.least);
    ensure!(!book.is_empty(), "no move of these games was played {} times: nothing to write", args.least);
    place.write(book.bytes())?;
    let (moves, games) = (counted(book.len() as u64, "move"), counted(games as u64, "game"));
    println!("{}: {moves} from {games}", args.out.display());
    Ok(ExitCode::SUCCESS)
}
