//! The files a tournament writes. All are opened before the first game, so that one that cannot be written is told then.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use ::tournament::identity::Identity;
use ::tournament::journal::{Journal, Programs, Run, check_file};
use ::tournament::pgn::{Event, write_game, write_moves_jsonl};
use ::tournament::record::GameRecord;
use ::tournament::spec::Player;
use ::tournament::survey::Tournament;
use anyhow::bail;
use serde_json::Value;
use sys::output::{Outputs, Place};
use sys::provenance::Provenance;

use super::Args;

/// How a game is put into a file.
type Format = fn(&mut Vec<u8>, &Event, &GameRecord) -> io::Result<()>;

/// The open files.
pub struct Files {
    journal: Option<Journal>,
    outputs: Vec<Output>,
    report: Option<Place>,
    event: Event,
}

/// A file that every game is written to.
struct Output {
    file: File,
    path: PathBuf,
    format: Format,
}

/// What the tournament reads: no output may go there.
fn inputs(args: &Args, players: &[Player]) -> Outputs {
    let mut inputs = Outputs::reading(args.engines.iter().chain(&args.openings.openings));
    for engine in players.iter().map(|player| &player.engine) {
        inputs.reads(&engine.command);
        engine.args.iter().for_each(|arg| inputs.reads(arg));
        engine.options.iter().for_each(|(_, value)| inputs.reads(value));
    }
    inputs
}

impl Files {
    /// Opens them all; returns the games found in the journal.
    pub fn open(
        args: &Args,
        players: &[Player],
        description: &Value,
        mut event: Event,
    ) -> anyhow::Result<(Self, Vec<GameRecord>)> {
        let mut places = inputs(args, players);
        let mut place = |path: &Option<PathBuf>| path.as_ref().map(|path| places.place(path)).transpose();
        args.journal.as_deref().map_or(Ok(()), check_file)?;
        // All are looked at before the first is opened.
        let (pgn, moves, report) = (place(&args.pgn)?, place(&args.moves)?, place(&args.report)?);
        place(&args.journal)?;
        let (journal, games) = match &args.journal {
            Some(path) => {
                let (journal, games) = Journal::open(path, description)?;
                (Some(journal), games)
            }
            None => (None, Vec::new()),
        };
        let engines = journal.as_ref().map(Journal::engines).unwrap_or_default();
        event.programs = engines.iter().map(|engines| lines(engines)).collect();
        let wanted: [(Option<Place>, Format); 2] = [
            (pgn, |out, event, game| write_game(out, event, game)),
            (moves, |out, event, game| write_moves_jsonl(out, event, game)),
        ];
        let mut outputs = Vec::new();
        for (place, format) in wanted {
            let Some(place) = place else { continue };
            let file = open_output(&place, journal.is_some(), &games, &event, format)?;
            outputs.push(Output { file, path: place.path().to_owned(), format });
        }
        Ok((Self { journal, outputs, report, event }, games))
    }

    /// Where the report goes, if one is wanted.
    pub fn report(&self) -> Option<&Place> {
        self.report.as_ref()
    }

    /// Says which programs play from now on.
    pub fn identify(&mut self, engines: &[Identity], same_engine: bool) -> anyhow::Result<Programs> {
        let Some(journal) = &mut self.journal else {
            self.event.programs = vec![lines(engines)];
            return Ok(Programs::Same);
        };
        let programs = journal.identify(engines, same_engine)?;
        self.event.programs = journal.engines().iter().map(|engines| lines(engines)).collect();
        Ok(programs)
    }

    /// Says by what games are played from now on.
    pub fn announce(&mut self, provenance: &Provenance) {
        if let Some(journal) = &mut self.journal {
            journal.announce(provenance.clone());
        }
    }

    /// The tournament as a report shows it, this run the last of its runs.
    pub fn tournament(&self, description: Value, engines: &[Identity], run: &Provenance) -> Tournament {
        let known = self.journal.as_ref().map(Journal::engines).unwrap_or_default();
        let mut runs = self.journal.as_ref().map(Journal::runs).unwrap_or_default().to_vec();
        runs.push(Run { rounds: None, provenance: Some(run.clone()) });
        Tournament {
            path: PathBuf::new(),
            description,
            engines: if known.is_empty() { vec![engines.to_vec()] } else { known.to_vec() },
            runs,
        }
    }

    /// The number that new games have for the programs that play them.
    pub fn engines(&self) -> usize {
        self.event.programs.len().saturating_sub(1)
    }

    /// Puts a finished game into every file, the journal first. An error names the file.
    pub fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.add(game).map_err(io::Error::other)?;
        }
        for Output { file, path, format } in &mut self.outputs {
            let mut text = Vec::new();
            format(&mut text, &self.event, game)?;
            file.write_all(&text)
                .map_err(|error| io::Error::other(format!("cannot write {}: {error}", path.display())))?;
        }
        Ok(())
    }
}

/// What PGN headers say of the programs.
fn lines(engines: &[Identity]) -> Vec<String> {
    engines.iter().map(Identity::line).collect()
}

/// Without a journal, games are appended. With one, the file is what the journal says, so it is written anew: games the
/// killed run had finished but not written are in it, a torn one is not. A file that something else was written to is left
/// alone.
fn open_output(
    place: &Place,
    has_journal: bool,
    games: &[GameRecord],
    event: &Event,
    format: Format,
) -> anyhow::Result<File> {
    if !has_journal {
        return Ok(place.append()?);
    }
    let mut text = Vec::new();
    for game in games {
        format(&mut text, event, game)?;
    }
    // Only what this journal's games have written before, to its torn end, may be replaced.
    if !text.starts_with(&place.content()?) {
        bail!(
            "{} exists and holds something else than the games of the journal: move it away, or give another name",
            place.path().display()
        );
    }
    place.write(&text)?;
    Ok(place.append()?)
}
