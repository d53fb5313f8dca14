//! Logs of what engines are sent and write: of every game or engine where that is wanted, and always of games
//! that end by a forfeit.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ::tournament::conversation::Conversation;
use ::tournament::record::GameRecord;
use flate2::Compression;
use flate2::write::GzEncoder;
use sys::output::{Outputs, Place};

/// Logs of forfeits that are written without being asked for.
const MOST_UNASKED: usize = 100;

/// What a log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogBy {
    /// A game.
    #[default]
    Game,
    /// An engine.
    Engine,
}

/// Where logs go.
#[derive(Debug)]
pub enum Target {
    /// Into a folder.
    Folder(PathBuf, LogBy),
    /// All into one file.
    File(File),
    /// Nowhere, but for games that end by a forfeit: those into this folder, which is made when it is needed.
    Forfeits(PathBuf),
}

/// The logs of a run.
#[derive(Debug)]
pub struct Logs {
    target: Target,
    packed: bool,
    names: Vec<String>,
    written: usize,
    failed: bool,
}

impl Logs {
    /// Of the games of these players.
    pub fn new(target: Target, packed: bool, names: Vec<String>) -> Self {
        Self { target, packed, names, written: 0, failed: false }
    }

    /// Writes down a game's conversation. Returns what there is to say about it: where the log of a forfeit
    /// lies, or why there is none. A log that cannot be written stops no game, and is told once.
    pub fn add(&mut self, game: &GameRecord, conversation: &Conversation) -> Option<String> {
        if self.failed {
            return None;
        }
        match self.write(game, conversation) {
            Ok(path) => path
                .filter(|_| game.ending.is_forfeit())
                .map(|path| format!("game {}: what was said is in {}", game.id + 1, path.display())),
            Err(error) => {
                self.failed = true;
                Some(format!("no more logs: {error}"))
            }
        }
    }

    fn write(&mut self, game: &GameRecord, conversation: &Conversation) -> io::Result<Option<PathBuf>> {
        let names = [game.white, game.black].map(|player| self.names[player].as_str());
        let heading = format!(
            "# game {}: {} against {}, {}: {}\n",
            game.id + 1,
            names[0],
            names[1],
            game.result.text(),
            game.reason
        );
        match &mut self.target {
            Target::File(file) => {
                let text = heading + &conversation.text(names, None);
                file.write_all(&pack(&text, self.packed)?)?;
                Ok(None)
            }
            Target::Folder(folder, LogBy::Engine) => {
                for (side, name) in names.into_iter().enumerate() {
                    let path = folder.join(format!("{}{}", file_name(name), end(self.packed)));
                    let text = heading.clone() + &conversation.text(names, Some(side));
                    let place = Place::find(&path).map_err(io::Error::other)?;
                    let mut file = place.append().map_err(io::Error::other)?;
                    file.write_all(&pack(&text, self.packed)?)?;
                }
                Ok(None)
            }
            Target::Folder(folder, LogBy::Game) => {
                let text = heading + &conversation.text(names, None);
                write_new(folder, game.id, self.packed, &text).map(Some)
            }
            Target::Forfeits(_) if self.written >= MOST_UNASKED => Ok(None),
            Target::Forfeits(folder) => {
                let folder = Outputs::new().folder(folder).map_err(io::Error::other)?;
                let text = heading + &conversation.text(names, None);
                self.written += 1;
                write_new(&folder, game.id, self.packed, &text).map(Some)
            }
        }
    }

    /// Adds a line of the runner's own, where all goes into one file.
    pub fn say(&mut self, text: &str) {
        if let Target::File(file) = &mut self.target {
            // A log that cannot be written stops no game.
            let _ = pack(text, self.packed).and_then(|bytes| file.write_all(&bytes));
        }
    }
}

/// Writes the log of a game under a name that is not taken.
fn write_new(folder: &Path, id: usize, packed: bool, text: &str) -> io::Result<PathBuf> {
    for attempt in 1.. {
        let again = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let path = folder.join(format!("game-{:06}{again}{}", id + 1, end(packed)));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(&pack(text, packed)?)?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there is no free name for a log"))
}

fn end(packed: bool) -> &'static str {
    if packed { ".log.gz" } else { ".log" }
}

/// The bytes of a text; packed, they can be put behind others.
fn pack(text: &str, packed: bool) -> io::Result<Vec<u8>> {
    if !packed {
        return Ok(text.as_bytes().to_vec());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// A player's name as the name of a file.
fn file_name(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || "-_.+ ".contains(c) { c } else { '_' };
    let name: String = name.chars().map(kept).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(file_name("../../etc/passwd"), "_.._.._etc_passwd");
        assert_eq!(file_name("Stockfish 15.1"), "Stockfish 15.1");
    }

    #[test]
    fn logs_are_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let first = write_new(folder.path(), 6, false, "one").unwrap();
        let second = write_new(folder.path(), 6, false, "two").unwrap();
        assert_eq!(first.file_name().unwrap(), "game-000007.log");
        assert_eq!(
            (fs::read_to_string(first).unwrap(), fs::read_to_string(second).unwrap()),
            ("one".into(), "two".into())
        );
    }
}
