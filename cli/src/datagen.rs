//! `firstborn datagen`: generates self-play data; the crate `training` does the work.

use crate::interrupt::{INTERRUPTED, stop_flag};
use crate::options::network;
use crate::provenance::{program, provenance};
use crate::ranks::{Helper, helpers, over_ranks};
use anyhow::{Context, ensure};
use bench::signature;
use engine::shared::Shared;
use figures::table::counted;
use indicatif::{ProgressBar, ProgressStyle};
use nnue::Network;
use serde_json::json;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use sys::output::{Outputs, Precious};
use training::datagen::{DatagenError, Playing, play_games, players};
use training::format::{FormatError, Header, NetworkMark, Opened, Writer, decode};
use training::game::{Game, GameResult};
use training::recipe::Recipe;

/// Generate self-play games to train the evaluation on
///
/// Games begin with random moves, which depend on the seed, the search, the network, the settings and the game's
/// number: the same command plays the same games on any number of threads; another seed or network plays others.
/// Run the same command again to continue where the last one ended or was killed. Ctrl-C finishes cleanly.
/// docs/data.md describes the file format.
#[derive(clap::Args)]
pub struct Args {
    /// Number of games that the file holds in the end
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Nodes per move: no iteration starts after this many (eight times as many, but at least 10,000, end the search)
    #[arg(long, value_name = "K", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Games played in parallel, one thread each
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Share of games, 0 to 1, that start from a double Chess960 position
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    chess960: f64,
    /// Network to play with [default: the embedded one]
    #[arg(long, value_name = "NET")]
    eval_file: Option<PathBuf>,
    /// File to write or continue: a regular one, or /dev/null to keep nothing
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Print one JSON document instead of a line
    #[arg(long)]
    json: bool,
}

/// Depth of the signature in the header of game files (docs/data.md).
const SIGNATURE_DEPTH: u32 = 7;

/// What this run made.
#[derive(Default)]
struct Tally {
    games: u64,
    plies: u64,
    /// Black's wins, draws, White's wins.
    results: [u64; 3],
}

impl Tally {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        self.plies += game.plies.len() as u64;
        self.results[game.result as usize] += 1;
    }

    fn share(&self, result: GameResult) -> f64 {
        self.results[result as usize] as f64 / self.games.max(1) as f64
    }
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    if (0.0..=1.0).contains(&number) { Ok(number) } else { Err(format!("{text} is not from 0 to 1")) }
}

impl Args {
    /// What the file will say of itself, and the network that plays.
    pub fn making(&self) -> anyhow::Result<(Header, Arc<Network>)> {
        let network = network(self.eval_file.as_deref())?;
        let plays = |shared: &mut Shared| shared.network = Some(Arc::clone(&network));
        let header = Header {
            engine: format!("firstborn {}", env!("CARGO_PKG_VERSION")),
            commit: program().commit,
            bench: signature::run_with(&plays, SIGNATURE_DEPTH, |_, _| {})?.nodes,
            network: Some(NetworkMark::of(&network)),
            recipe: Recipe { chess960: self.chess960, ..Recipe::new(self.seed, self.nodes) },
        };
        Ok((header, network))
    }

    /// Makes sure that the games can be written, and read again by the next run; the writer opens the file itself.
    fn check_out(&self) -> anyhow::Result<()> {
        if !fs::canonicalize(&self.out).is_ok_and(|out| out == Path::new("/dev/null")) {
            let place = Outputs::reading(&self.eval_file).place_to_go_on(Precious::Games, &self.out);
            place.with_context(|| format!("--out {}", self.out.display()))?;
        }
        Ok(())
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.check_out()?;
    let (made, network) = args.making()?;
    let Opened { writer, header, found, damage } = Writer::open(&args.out, &made)?;
    // Other ranks know what is to be made, not what the file says of itself, by which openings are drawn: by all but
    // the commit.
    let alike = Header { commit: made.commit.clone(), ..header.clone() } == made;
    ensure!(
        alike || !over_ranks(),
        "{} was begun by an earlier version: only one machine alone can add to it",
        args.out.display()
    );
    for damage in &damage {
        eprintln!("firstborn: {}: {damage}", args.out.display());
    }
    if let Some(text) = other_commit(&header, &made) {
        eprintln!("firstborn: {}: {text}", args.out.display());
    }
    let stop = stop_flag()?;
    let begun = Instant::now();
    let bar = progress(args, found);
    let mut tally = Tally::default();
    // Damaged blocks leave gaps in the sequence; so many more games are made behind its end.
    let first = writer.next_game();
    let missing = args.games.saturating_sub(found);
    let threads = usize::from(args.threads);
    let mut players = players::<FormatError>(&header, &network, threads)?;
    players.extend(helpers(&|| stop.load(Relaxed)).into_iter().map(elsewhere));
    let kept = fill(writer, players, first..first.saturating_add(missing), &stop, |game| {
        tally.add(game);
        bar.inc(1);
        bar.set_message(message(&tally, begun.elapsed()));
    });
    bar.finish_and_clear();
    let ended = kept?;
    summary(args, &tally, found, begun.elapsed());
    if let Some(error) = ended {
        return Err(error.into());
    }
    let stopped = stop.load(Relaxed) && tally.games < missing;
    Ok(if stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// What to say of a file that was begun by another commit than that of this program, if both are known.
fn other_commit(found: &Header, made: &Header) -> Option<String> {
    let (found, own) = found.commit.as_ref().zip(made.commit.as_ref())?;
    (found != own).then(|| {
        format!(
            "begun at commit {found}, this is {own}: the signature is the same, which sees no change of the search \
             beyond depth {SIGNATURE_DEPTH}"
        )
    })
}

/// Has the games of these numbers played, tells `count` of each and writes them to the file. Returns what ended them
/// before the last one, if that is an error: those before it are in the file.
///
/// # Errors
/// The file cannot be written. The games of the block begun are lost then.
fn fill(
    mut writer: Writer,
    players: Vec<Playing<'_>>,
    numbers: Range<u64>,
    stop: &AtomicBool,
    mut count: impl FnMut(&Game),
) -> Result<Option<DatagenError<FormatError>>, FormatError> {
    let played = play_games(players, numbers, stop, |game| {
        writer.add(&game)?;
        count(&game);
        Ok::<(), FormatError>(())
    });
    match played {
        // Behind a block that is torn nothing more is to be written.
        Err(DatagenError::Sink(error @ FormatError::Io { .. })) => Err(error),
        played => writer.finish().map(|()| played.err()),
    }
}

/// A player on another rank, which is sent a game's number and answers with its bytes.
fn elsewhere<'p>(helper: Helper) -> Playing<'p> {
    Box::new(move |number, given_up| {
        let game = helper.ask(number.to_le_bytes().to_vec(), given_up);
        Ok(game.and_then(|game| decode(&mut &game[..]).ok()))
    })
}

/// A bar on the terminal's error stream; nothing in a pipe.
fn progress(args: &Args, found: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{pos}/{len} games {bar:30} {elapsed} ETA {eta} {msg}")
        .expect("the template is constant and well formed");
    let bar = ProgressBar::new(args.games).with_style(style).with_position(found);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Plies a second.
fn rate(tally: &Tally, time: Duration) -> f64 {
    tally.plies as f64 / time.as_secs_f64().max(1e-3)
}

fn message(tally: &Tally, time: Duration) -> String {
    format!("{:.0} plies/s, draws {:.0} %", rate(tally, time), 100.0 * tally.share(GameResult::Draw))
}

fn summary(args: &Args, tally: &Tally, found: u64, time: Duration) {
    let Tally { games, plies, results } = *tally;
    let [black, draws, white] = results;
    if args.json {
        println!(
            "{}",
            json!({
                "schema": 1, "file": args.out.display().to_string(),
                "games": games, "found": found, "plies": plies, "white": white, "draws": draws, "black": black,
                "time_ms": time.as_millis() as u64, "plies_per_second": rate(tally, time),
                "provenance": provenance(),
            })
        );
    } else {
        println!(
            "{}: {} and {} added to {}; +{white} ={draws} -{black} for White; {:.0} plies/s",
            args.out.display(),
            counted(games, "game"),
            counted(plies, "ply"),
            counted(found, "game"),
            rate(tally, time)
        );
        println!("{}", provenance());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use training::datagen::Hopeless;
    use training::format::Reader;
    use training::game::Ending;

    /// A game without moves, as far as a file can tell one.
    fn game() -> Game {
        Game {
            start: Position::startpos(),
            opening: Vec::new(),
            plies: Vec::new(),
            result: GameResult::Draw,
            ending: Ending::TooLong,
        }
    }

    fn header(commit: Option<&str>) -> Header {
        let (commit, recipe) = (commit.map(str::to_owned), Recipe::new(1, 60));
        Header { engine: "firstborn test".into(), commit, bench: 1, network: None, recipe }
    }

    /// A file of a version that named none says nothing of it, nor does a program that knows none.
    #[test]
    fn games_of_another_commit_are_told_of() {
        for (found, made, told) in [
            (Some("abc"), Some("abc"), false),
            (Some("abc"), Some("def"), true),
            (Some("abc"), Some("abc-dirty"), true),
            (None, Some("abc"), false),
            (Some("abc"), None, false),
        ] {
            let text = other_commit(&header(found), &header(made));
            assert_eq!(text.is_some(), told, "{found:?} {made:?}");
            assert!(text.is_none_or(|text| text.contains("begun at commit abc")), "{found:?} {made:?}");
        }
    }

    /// A block is not yet full when a player finds no opening, a helper on another rank is lost, or a game cannot be
    /// written.
    #[test]
    fn what_ends_the_games_takes_none_that_was_played() {
        type Fails = fn() -> Result<Option<Game>, Hopeless>;
        let hopeless: Fails = || Err(Hopeless(400));
        let lost: Fails = || Ok(None);
        let too_long: Fails = || {
            let mv = Position::startpos().legal_moves()[0];
            Ok(Some(Game { opening: vec![mv; 256], ..game() }))
        };
        let header = header(None);
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("games");
        let mut all = 0;
        for (fails, says) in [(hopeless, "openings"), (lost, "was not played"), (too_long, "opening of 256")]
        {
            let Opened { writer, found, .. } = Writer::open(&path, &header).expect("it can be written");
            assert_eq!(found, all, "{says}");
            let first = writer.next_game();
            let player: Playing<'_> =
                Box::new(move |number, _| if number < first + 3 { Ok(Some(game())) } else { fails() });
            let mut counted = 0;
            let ended =
                fill(writer, vec![player], first..first + 9, &AtomicBool::new(false), |_| counted += 1);
            let error = ended.expect("the disk is not full").expect("it fails").to_string();
            assert!(error.contains(says), "{error}");
            all += 3;
            assert_eq!((counted, Reader::open(&path).expect("it is whole").game_count()), (3, all), "{says}");
        }
    }
}
