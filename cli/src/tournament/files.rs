//! The files a tournament writes. All are opened before the first game, so that one that cannot be written is told then.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ::tournament::journal::Journal;
use ::tournament::pgn::{Event, write_game, write_moves_jsonl};
use ::tournament::record::GameRecord;
use anyhow::{Context, bail};
use serde_json::Value;

use super::Args;

/// How a game is put into a file.
type Format = fn(&mut Vec<u8>, &Event, &GameRecord) -> io::Result<()>;

/// The open files.
pub struct Files {
    journal: Option<Journal>,
    outputs: Vec<(File, Format)>,
    event: Event,
}

impl Files {
    /// Opens them all; returns the games found in the journal.
    pub fn open(args: &Args, description: &Value, event: Event) -> anyhow::Result<(Self, Vec<GameRecord>)> {
        let (journal, games) = match &args.journal {
            Some(path) => {
                let (journal, games) = Journal::open(path, description)?;
                (Some(journal), games)
            }
            None => (None, Vec::new()),
        };
        let wanted: [(&Option<PathBuf>, Format); 2] = [
            (&args.pgn, |out, event, game| write_game(out, event, game)),
            (&args.moves, |out, event, game| write_moves_jsonl(out, event, game)),
        ];
        let mut outputs = Vec::new();
        for (path, format) in wanted {
            let Some(path) = path else { continue };
            let file = open_output(path, journal.is_some(), &games, &event, format)?;
            outputs.push((file, format));
        }
        if let Some(path) = &args.report {
            // The report is written at the end; whether it can be is found out now.
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok((Self { journal, outputs, event }, games))
    }

    /// Puts a finished game into every file, the journal first.
    pub fn add(&mut self, game: &GameRecord) -> io::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.add(game).map_err(io::Error::other)?;
        }
        for (file, format) in &mut self.outputs {
            let mut text = Vec::new();
            format(&mut text, &self.event, game)?;
            file.write_all(&text)?;
        }
        Ok(())
    }
}

/// Without a journal, games are appended. With one, the file is what the journal says, so it is written anew: games the
/// killed run had finished but not written are in it, a torn one is not. A file that something else was written to is left
/// alone.
fn open_output(
    path: &Path,
    has_journal: bool,
    games: &[GameRecord],
    event: &Event,
    format: Format,
) -> anyhow::Result<File> {
    let cannot = || format!("cannot write {}", path.display());
    if has_journal {
        let mut text = Vec::new();
        for game in games {
            format(&mut text, event, game)?;
        }
        // Only what this journal's games have written before, to its torn end, may be replaced.
        if path.is_file() && !text.starts_with(&std::fs::read(path).with_context(cannot)?) {
            bail!(
                "{} exists and holds something else than the games of the journal: move it away, or give another name",
                path.display()
            );
        }
        if path.exists() && !path.is_file() {
            // A pipe or a device is written to, not replaced.
            let mut file = OpenOptions::new().append(true).open(path).with_context(cannot)?;
            file.write_all(&text).with_context(cannot)?;
            return Ok(file);
        }
        let mut fresh = path.as_os_str().to_owned();
        fresh.push(".new");
        std::fs::write(&fresh, &text).with_context(cannot)?;
        std::fs::rename(&fresh, path).with_context(cannot)?;
    }
    OpenOptions::new().append(true).create(true).open(path).with_context(cannot)
}
