//! What all ways of starting a tournament have in common: our own options, which hold behind another runner's
//! command line as well.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::tournament::identity::Identity;
use ::tournament::journal::{self, Programs};
use ::tournament::openings::Book;
use ::tournament::openings::polyglot::Polyglot;
use ::tournament::runner::{Faults, Forfeits, Plan};
use ::tournament::spec::Player;
use ::tournament::trial::Greeting;
use ::tournament::wording::counted;
use serde_json::Value;
use sys::output::Outputs;
use sys::provenance::Provenance;

use super::cpus::CpuOptions;
use super::files::{Files, Wanted};
use super::logs::{LogBy, Logs, Target};

/// Openings that were left out and are told by name.
const TOLD: usize = 5;

/// Our own options.
#[derive(clap::Args, Debug, Default)]
pub struct HouseOptions {
    #[command(flatten)]
    pub cpus: CpuOptions,
    /// Games lost by a fault of the program (it crashes, does not answer or start, or plays an illegal move; a loss
    /// on time is not such a fault): `stop` ends the tournament after three in a row of one player, a number after
    /// so many, and neither lets an SPRT see them; `count` takes them for games like others [default: stop]
    #[arg(long, value_name = "stop|count|N", value_parser = |s: &str| s.parse::<Forfeits>())]
    pub forfeits: Option<Forfeits>,
    /// Try to start a program so many times more that was there before and does not start, after 1, 2, 4
    /// seconds and so on (it may be being built); then the tournament stops
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub start_retries: u32,
    /// Keep every game here, and go on from the games that are here
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Go on though a program, or a file it is given, is not the one that played the journal's games, and do not watch
    /// whether it changes; the journal keeps which program played which games
    #[arg(long)]
    pub same_engine: bool,
    /// Leave openings out that cannot be used, and say how many and which, instead of refusing the book
    #[arg(long)]
    pub skip_bad: bool,
    /// Write moves with clocks and evaluations as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub moves: Option<PathBuf>,
    /// Write a page with verdict, conditions, standings, crosstable, plots, statistics of engines and
    /// openings, and a viewer for the last 200 games; it is written anew every ten seconds
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write what engines are sent and write into this folder, with times. Games that end by a forfeit are logged
    /// without it, too, up to a hundred in a folder beside the journal or PGN (of other runners' command lines the
    /// journal, or else in firstborn.forfeits)
    #[arg(long, value_name = "FOLDER")]
    pub log: Option<PathBuf>,
    /// One log for each `game`, or for each `engine`
    #[arg(long, value_name = "game|engine", default_value = "game", value_enum)]
    pub log_by: LogBy,
    /// Pack logs by gzip
    #[arg(long)]
    pub log_gzip: bool,
}

impl HouseOptions {
    /// Begins a run with programs that have been tried: says of them what there is to say, and tells the journal and
    /// the plan of them. `forfeits`: what becomes of games lost by their faults; `finished`: games of the journal.
    /// Returns what speaks against the players' options as they were given, and by what games are played from now on.
    ///
    /// # Errors
    /// The journal's games were played by other programs, or it cannot be written.
    pub fn begin(
        &self,
        plan: &mut Plan,
        files: &mut Files,
        (engines, greetings): (&[Identity], &[Greeting]),
        forfeits: Forfeits,
        finished: usize,
    ) -> anyhow::Result<(Vec<String>, Provenance)> {
        tell_silent(&plan.conditions.players, greetings);
        let doubts = tell_doubts(&plan.conditions.players, greetings);
        let programs = files.identify(engines, self.same_engine)?;
        let provenance = crate::provenance::provenance();
        files.announce(&provenance, forfeits)?;
        warn(&programs, finished, "game");
        plan.faults = self.faults(forfeits, engines);
        plan.engines = files.engines();
        Ok((doubts, provenance))
    }

    /// What to do about engines that fail, whose files are these.
    pub fn faults(&self, forfeits: Forfeits, engines: &[Identity]) -> Faults {
        let pauses = (0..self.start_retries).map(|n| Duration::from_secs(1 << n.min(6))).collect();
        let watched = engines
            .iter()
            .filter(|_| !self.same_engine)
            .map(|engine| engine.watched_files().cloned().collect());
        Faults { forfeits, pauses, files: watched.collect() }
    }

    /// What describes the tournament of the journal that is to go on, if there is one.
    pub fn begun(&self) -> Option<Value> {
        self.journal.as_deref().and_then(journal::begun)
    }

    /// The files that these options name.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            journal: self.journal.clone(),
            moves: self.moves.clone(),
            report: self.report.clone(),
            ..Wanted::default()
        }
    }

    /// The logs that these options ask for, of these players under these names.
    pub fn logs(&self, wanted: &Wanted, names: &[String], players: &[Player]) -> anyhow::Result<Logs> {
        let new = |target| Logs::new(target, self.log_gzip, names.to_vec(), players);
        if let Some(folder) = &self.log {
            let folder = Outputs::new().folder(folder)?;
            return Ok(new(Target::Folder(folder, self.log_by)));
        }
        Ok(new(Target::Forfeits(unasked(wanted))))
    }
}

/// Says which players did not answer their greeting, and are taken to speak the protocol that has no answer.
fn tell_silent(players: &[Player], greetings: &[Greeting]) {
    for (player, greeting) in players.iter().zip(greetings).filter(|(_, greeting)| !greeting.greeted) {
        let said = if greeting.silent {
            let seconds = player.engine.start_timeout.as_secs_f64();
            format!("nothing within its {seconds} s to start (starttimeout=)")
        } else {
            "nothing of its features".to_owned()
        };
        let name = &player.name;
        eprintln!("firstborn: {name} said {said}; it is taken to speak version 1 of xboard's protocol");
    }
}

/// Says what speaks against a player's playing with its options as they were given, and returns it for the page.
pub fn tell_doubts(players: &[Player], greetings: &[Greeting]) -> Vec<String> {
    let of_player = |(player, greeting): (&Player, &Greeting)| {
        let told = greeting.doubts.iter().map(|doubt| format!("{}: {doubt}", player.name));
        told.collect::<Vec<_>>()
    };
    let doubts: Vec<String> = players.iter().zip(greetings).flat_map(of_player).collect();
    doubts.iter().for_each(|doubt| eprintln!("firstborn: {doubt}"));
    doubts
}

/// Says what a journal knows of the programs, where that is not what one would expect.
pub fn warn(programs: &Programs, entries: usize, entry: &str) {
    match programs {
        Programs::Unknown if entries > 0 => eprintln!(
            "firstborn: the journal does not say which programs played for its {}; from now on it does",
            counted(entries as u64, entry)
        ),
        Programs::Changed(what) => eprintln!("firstborn: going on with another program: {what}"),
        Programs::Unknown | Programs::Same => {}
    }
}

/// The folder for what is left of games that end by a forfeit, where no folder is asked for: beside the journal or the
/// PGN among these files, or else in the current folder.
pub fn unasked(wanted: &Wanted) -> PathBuf {
    let beside = wanted.journal.as_ref().or(wanted.pgn.as_ref().map(|pgn| &pgn.path));
    let beside = beside.map_or(Path::new("firstborn"), PathBuf::as_path);
    let mut folder = beside.as_os_str().to_owned();
    folder.push(".forfeits");
    folder.into()
}

/// Says what was left out of a book; `entry`: what it is made of.
pub fn tell_skipped(book: &Book, entry: &str) {
    let skipped = book.skipped();
    let count = skipped.count();
    if count == 0 {
        return;
    }
    let left_out = counted(count as u64, entry);
    eprintln!("firstborn: {left_out} of {} left out:", count + book.len());
    skipped.named().iter().take(TOLD).for_each(|bad| eprintln!("firstborn:   {bad}"));
    if count > TOLD {
        eprintln!("firstborn:   and {} more", count - TOLD);
    }
}

/// The seed, where moves are drawn by it from players' own books. The openings' order, which it decides as
/// well, is known by their digest.
pub fn seed_of_books(players: &[Player], seed: u64) -> Option<u64> {
    players.iter().any(|player| player.book.is_some()).then_some(seed)
}

/// The players' own opening books.
pub fn books(players: &[Player]) -> anyhow::Result<Vec<Option<Polyglot>>> {
    let open = |player: &Player| player.book.as_deref().map(Polyglot::open).transpose();
    Ok(players.iter().map(open).collect::<Result<_, _>>()?)
}
