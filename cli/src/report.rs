//! `firstborn report`: from flags to a survey of journals and PGN files; the work is done in the room
//! `tournament`.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use ::tournament::archive::Kind;
use ::tournament::blunders::{self, BlunderError};
use ::tournament::merge::{MergeError, lost, merge};
use ::tournament::report::{Report, State};
use ::tournament::runner::{Forfeits, StopRule};
use ::tournament::survey::{Filter, Gathered, Wanted, gather, title};
use ::tournament::wording::counted;
use anyhow::{anyhow, bail, ensure};
use sys::lock::Locked;
use sys::output::{Outputs, Place, Precious};

use crate::terminal;
use crate::tournament::calculators::{SPRT_KEYS, read_sprt};

/// Report on games that are finished: standings, statistics of engines and openings, ratings, a test
///
/// Reads journals of `firstborn tournament`, also while they are being written, and PGN files, those of other
/// programs too (also .gz). No engine is started. With several files players are known by name.
#[derive(clap::Args, Clone)]
pub struct Args {
    /// Journals and PGN files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Test the first of two players: "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=normalized stats=pentanomial"
    /// [default: the test of the tournament]
    #[arg(long, value_name = "TEST")]
    sprt: Option<String>,
    /// Count only games between these two, from the first one's side
    #[arg(long, value_names = ["PLAYER", "PLAYER"], num_args = 2)]
    between: Option<Vec<String>>,
    /// Leave out the games of this player; may be given several times
    #[arg(long, value_name = "PLAYER")]
    without: Vec<String>,
    /// A player's rating that is known, for a scale: NAME=ELO; may be given several times
    #[arg(long, value_name = "NAME=ELO")]
    anchor: Vec<Anchor>,
    /// `count`: a test sees games that were lost by a fault of the program, too; `stop`: it does not
    /// [default: as the run whose journal it is; of several files, and where they do not say it, stop]
    #[arg(long, value_name = "stop|count", value_parser = forfeits)]
    forfeits: Option<Forfeits>,
    /// Leave out games of PGN that cannot be read, counted and named, instead of refusing the file
    #[arg(long)]
    skip_bad: bool,
    /// List at most this many openings
    #[arg(long, default_value_t = 20, value_name = "N")]
    openings: usize,
    /// List every pair of games
    #[arg(long)]
    pairs: bool,
    /// Write a page with everything, and a viewer for the last games
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// How many games the page shows move by move: those that ended by forfeit, and the last ones
    #[arg(long, default_value_t = 200, value_name = "N", requires = "html")]
    shown: usize,
    /// Write the games of all journals, without those of --without, into this journal; one that is there is replaced if
    /// its games are all among them
    #[arg(long, value_name = "JOURNAL")]
    merge: Option<PathBuf>,
    /// Write the positions in which an engine's evaluation dropped from one of its moves to the next, or in
    /// which both engines claimed a win, as lines of EPD
    #[arg(long, value_name = "FILE.epd")]
    blunders: Option<PathBuf>,
    /// How many centipawns are a drop for --blunders; evaluations beyond 4 pawns count as 4
    #[arg(
        long, default_value_t = 200, value_name = "CP", requires = "blunders",
        value_parser = clap::value_parser!(i32).range(1..=800)
    )]
    drop: i32,
    /// The title [default: the file's name]
    #[arg(long)]
    event: Option<String>,
    /// Print one JSON document instead
    #[arg(long)]
    json: bool,
}

/// Whether a test sees games that were lost by a fault of the program: of what is played already, no number of them
/// can stop anything.
fn forfeits(text: &str) -> Result<Forfeits, String> {
    match text.to_ascii_lowercase().as_str() {
        "stop" | "count" => text.parse(),
        _ => Err(format!("`{text}` is neither stop nor count")),
    }
}

/// A player and its rating.
#[derive(Debug, Clone)]
struct Anchor {
    name: String,
    elo: f64,
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, elo) = text.rsplit_once('=').ok_or("is not of the form NAME=ELO")?;
        let elo: f64 = elo.parse().map_err(|_| format!("`{elo}` is not a rating"))?;
        if !(elo.is_finite() && elo.abs() <= 10_000.0) {
            return Err(format!("{elo} is not a rating between -10000 and 10000"));
        }
        Ok(Self { name: name.to_owned(), elo })
    }
}

impl Args {
    fn wanted(&self) -> anyhow::Result<Wanted> {
        let test = self.sprt.as_deref().map(|words| read_sprt(words, true)).transpose()?;
        let between = match self.between.as_deref() {
            Some([one, other]) => {
                ensure!(one != other, "--between {one} {other}: a player does not play itself");
                Some([one.clone(), other.clone()])
            }
            _ => None,
        };
        Ok(Wanted {
            filter: Filter { without: self.without.clone(), between },
            test: test.map(|(sprt, by_pairs)| StopRule { sprt, by_pairs }),
            forfeits: self.forfeits,
            shown: if self.html.is_some() { self.shown } else { 0 },
            pairs: self.pairs,
            skip_bad: self.skip_bad,
        })
    }

    /// The same with the whole test of `--sprt elo0=0 elo1=5 FILE`, as a tournament takes it: words of a test that
    /// stand among the files are no files.
    fn with_whole_test(&self) -> anyhow::Result<Self> {
        let mut args = self.clone();
        if let Some(test) = &mut args.sprt {
            let (words, files): (Vec<PathBuf>, Vec<PathBuf>) =
                std::mem::take(&mut args.files).into_iter().partition(|path| is_of_test(path));
            for word in words {
                test.push(' ');
                test.push_str(&word.to_string_lossy());
            }
            args.files = files;
            ensure!(!args.files.is_empty(), "no journal or PGN file is named, only the test `{test}`");
        }
        Ok(args)
    }

    /// Names that nothing was found for are mistakes.
    fn check(&self, gathered: &Gathered) -> anyhow::Result<()> {
        let survey = &gathered.survey;
        let games = gathered.files.iter().find(|file| file.kind == Kind::Pgn);
        if let (Some(file), Some(_)) = (games, &self.merge) {
            bail!(
                "--merge: {} is PGN, and only journals can be merged: report on them together without --merge",
                file.path.display()
            );
        }
        let known = || survey.players().join(", ");
        for name in &self.without {
            let in_journal =
                gathered.tournaments.iter().any(|t| t.players().any(|(player, _)| player == name));
            ensure!(
                in_journal || survey.dropped().contains(name),
                "--without {name}: no player has this name; players are {}",
                known()
            );
        }
        if self.between.is_some() {
            ensure!(
                survey.standings.games() > 0,
                "--between {}: there are no games between them",
                self.between.iter().flatten().cloned().collect::<Vec<_>>().join(" ")
            );
        }
        ensure!(
            self.sprt.is_none() || survey.players().len() == 2,
            "--sprt compares two players; there are {}: choose with --between",
            survey.players().len()
        );
        Ok(())
    }

    fn anchors(&self, players: &[String]) -> anyhow::Result<Vec<Option<f64>>> {
        if self.anchor.is_empty() {
            return Ok(Vec::new());
        }
        let mut anchors = vec![None; players.len()];
        for Anchor { name, elo } in &self.anchor {
            let Some(number) = players.iter().position(|player| player == name) else {
                bail!("--anchor {name}: no player has this name; players are {}", players.join(", "));
            };
            ensure!(anchors[number].is_none(), "--anchor {name} is given twice");
            anchors[number] = Some(*elo);
        }
        Ok(anchors)
    }
}

/// Whether this is a word of a test, as `elo1=5`, and no file.
fn is_of_test(word: &Path) -> bool {
    let key = word.to_str().and_then(|word| word.split_once('=')).map(|(key, _)| key);
    key.is_some_and(|key| SPRT_KEYS.contains(&key)) && !word.exists()
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let args = &args.with_whole_test()?;
    let mut outputs = Outputs::reading_once(&args.files)?;
    let mut place = |path: &Option<PathBuf>| path.as_ref().map(|path| outputs.place(path)).transpose();
    let (html, blunders) = (place(&args.html)?, place(&args.blunders)?);
    let merged = args.merge.as_ref().map(|path| outputs.place_for(Precious::Journal, path)).transpose()?;
    let gathered = gather(&args.files, args.wanted()?).map_err(|error| anyhow!(error))?;
    args.check(&gathered)?;
    let anchors = args.anchors(gathered.survey.players())?;
    if let Some(place) = merged {
        write_merged(args, &place)?;
    }
    if let Some(place) = blunders {
        write_blunders(args, &place)?;
    }
    let event = args.event.clone().unwrap_or_else(|| title(&args.files));
    let report = Report {
        event: &event,
        survey: &gathered.survey,
        tournaments: &gathered.tournaments,
        files: &gathered.files,
        anchors: &anchors,
        state: State::Unknown,
        scheduled: gathered.scheduled,
        notes: &gathered.notes,
        openings: args.openings,
        provenance: &crate::provenance::provenance(),
    };
    if let Some(place) = html {
        place.write(report.page(0))?;
    }
    if args.json {
        println!("{}", report.json());
    } else {
        println!("{}", report.text(terminal::width()).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn write_blunders(args: &Args, place: &Place) -> anyhow::Result<()> {
    let mut draft = place.begin()?;
    let found = blunders::write(&args.files, &args.wanted()?.filter, args.drop, &mut draft);
    let found = found.map_err(|error| match error {
        BlunderError::Write(cause) => anyhow!("cannot write {}: {cause}", place.path().display()),
        BlunderError::Read(cause) => cause.into(),
    })?;
    draft.finish()?;
    eprintln!("firstborn: {}: {}", place.path().display(), counted(found, "position"));
    Ok(())
}

/// Locks the file that a result is to replace, as a tournament locks its journal; `None` if there is none.
fn lock_replaced(place: &Place) -> anyhow::Result<Option<Locked>> {
    let path = place.path();
    if place.is_stream() || !path.exists() {
        return Ok(None);
    }
    let locked = sys::lock::open(path).map_err(|error| match error {
        TryLockError::WouldBlock => anyhow!("--merge {}: a tournament is writing it", path.display()),
        TryLockError::Error(cause) => anyhow!("cannot open {}: {cause}", path.display()),
    });
    locked.map(Some)
}

/// Refuses to replace what holds more than the result.
fn check_replaced(args: &Args, place: &Place, old: &File) -> anyhow::Result<()> {
    if old.metadata()?.len() == 0 {
        return Ok(());
    }
    let path = place.path().display();
    let advice = "give another name, or move it away";
    let lost = lost(place.path(), &args.files, &args.without)
        .map_err(|error| anyhow!("--merge {path}: it exists and cannot be replaced: {error}; {advice}"))?;
    ensure!(
        lost == 0,
        "--merge {path}: it exists, and {} of it would be lost, which the files to be merged do not have or --without \
         leaves out: {advice}",
        counted(lost, "game")
    );
    Ok(())
}

fn write_merged(args: &Args, place: &Place) -> anyhow::Result<()> {
    let old = lock_replaced(place)?;
    let mut draft = place.begin()?;
    let merged = merge(&args.files, &args.without, &mut draft).map_err(|error| match error {
        MergeError::Write(cause) => anyhow!("cannot write {}: {cause}", place.path().display()),
        other => other.into(),
    })?;
    if let Some(old) = &old {
        check_replaced(args, place, old)?;
    }
    // Windows replaces no file that is open.
    let old = old.filter(|_| !cfg!(windows));
    draft.finish()?;
    drop(old);
    let goes_on = if merged.goes_on { "; the tournament can go on with it" } else { "" };
    eprintln!("firstborn: {}: {}{goes_on}", place.path().display(), counted(merged.games as u64, "game"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn read(words: &str) -> Args {
        let words = std::iter::once("report").chain(words.split(' '));
        Command::try_parse_from(words).unwrap_or_else(|error| panic!("{error}")).args
    }

    /// As those of a tournament, with and without quotation marks.
    #[test]
    fn the_words_of_a_test_may_stand_by_themselves() {
        for words in [
            "--sprt elo0=0 elo1=5 model=logistic a.journal g=1.pgn",
            "a.journal --sprt elo0=0 elo1=5 g=1.pgn model=logistic",
            "a.journal g=1.pgn --pairs --sprt elo0=0 elo1=5 model=logistic",
        ] {
            let args = read(words).with_whole_test().unwrap();
            assert_eq!(args.sprt.as_deref(), Some("elo0=0 elo1=5 model=logistic"), "{words}");
            assert_eq!(args.files, ["a.journal", "g=1.pgn"].map(PathBuf::from), "{words}");
            assert!(args.wanted().unwrap().test.is_some(), "{words}");
        }
        let files = read("elo1=5 a.journal").with_whole_test().unwrap().files;
        assert_eq!(files, ["elo1=5", "a.journal"].map(PathBuf::from), "there is no test");
        let error = read("--sprt elo0=0 elo1=5").with_whole_test().err().expect("there is no file");
        assert!(error.to_string().contains("elo0=0 elo1=5"), "{error}");
    }

    /// It is not that the file is broken.
    #[test]
    fn pgn_is_named_where_journals_are_to_be_merged() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let game = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n";
        std::fs::write(path("g.pgn"), game).unwrap();
        let args = read(&format!("{} --merge {}", path("g.pgn"), path("m")));
        let error = run(&args).expect_err("nothing can be merged").to_string();
        assert!(error.contains("g.pgn is PGN"), "{error}");
    }
}
