//! The journal: a file to which one line is added for every finished game, and nothing is ever changed. (What tunes by
//! games, [`crate::spsa`], keeps its lessons in the same way.)
//!
//! Its first line describes the tournament. Whoever finds a journal of the same tournament goes on after its last game;
//! a journal of another one is refused, with the setting that differs. A line is written with one call and brought to the
//! disk before the next game counts, so a killed runner loses at most the games that were being played. A last line that
//! was torn by the kill is cut off.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    firstborn_journal: u32,
    tournament: Value,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The operating system refuses.
    #[error("journal {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Its reason.
        error: std::io::Error,
    },
    /// A line that is no game.
    #[error("journal {path}, line {line}: {why}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The journal belongs to another tournament.
    #[error(
        "journal {path} belongs to another tournament: its `{setting}` is {theirs}, here it is {ours}; \
         give another --journal or the same settings"
    )]
    Different {
        /// The file.
        path: PathBuf,
        /// The setting that differs.
        setting: String,
        /// What the journal has.
        theirs: String,
        /// What this tournament has.
        ours: String,
    },
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens a journal, or begins one, for the tournament that `description` describes, and returns the games in it (or
    /// whatever else it is a journal of).
    ///
    /// # Errors
    /// It cannot be read or written, is broken, or belongs to another tournament.
    pub fn open<T: DeserializeOwned>(
        path: &Path,
        description: &Value,
    ) -> Result<(Self, Vec<T>), JournalError> {
        let io = |error| JournalError::Io { path: path.to_owned(), error };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        file.try_lock()
            .map_err(|e| io(std::io::Error::other(format!("another tournament is writing it ({e})"))))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let header = Header { firstborn_journal: VERSION, tournament: description.clone() };
        let header = serde_json::to_string(&header).map_err(|e| io(e.into()))?;
        let begun = whole > 0;
        // Nothing is changed in a file before it is known to be a journal of ours.
        let games = if begun {
            read(path, &bytes[..whole], description)?
        } else if header.as_bytes().starts_with(&bytes) {
            Vec::new()
        } else {
            return Err(broken(path, 1, "is no journal of a tournament"));
        };
        if whole < bytes.len() {
            // The kill came in the middle of a line.
            file.set_len(whole as u64).map_err(io)?;
            file.seek(SeekFrom::End(0)).map_err(io)?;
        }
        let mut journal = Self { file, path: path.to_owned() };
        if !begun {
            journal.write_line(&header)?;
        }
        Ok((journal, games))
    }

    /// Adds a game and brings it to the disk.
    ///
    /// # Errors
    /// The disk is full, or gone.
    pub fn add(&mut self, game: &impl Serialize) -> Result<(), JournalError> {
        let line = serde_json::to_string(game)
            .map_err(|e| JournalError::Io { path: self.path.clone(), error: e.into() })?;
        self.write_line(&line)
    }

    fn write_line(&mut self, line: &str) -> Result<(), JournalError> {
        let line = format!("{line}\n");
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|error| JournalError::Io { path: self.path.clone(), error })
    }
}

fn broken(path: &Path, line: usize, why: impl Into<String>) -> JournalError {
    JournalError::Line { path: path.to_owned(), line, why: why.into() }
}

/// The games of a journal's whole lines, the first of which describes the tournament.
fn read<T: DeserializeOwned>(path: &Path, whole: &[u8], description: &Value) -> Result<Vec<T>, JournalError> {
    let mut lines = whole.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let (_, first) = lines.next().unwrap_or_default();
    let header: Header = serde_json::from_slice(first)
        .map_err(|e| broken(path, 1, format!("is no journal of a tournament: {e}")))?;
    let version = header.firstborn_journal;
    if version != VERSION {
        return Err(broken(path, 1, format!("its format is version {version}, not {VERSION}")));
    }
    compare(path, "", &header.tournament, description)?;
    lines
        .map(|(at, line)| serde_json::from_slice(line).map_err(|e| broken(path, at + 1, e.to_string())))
        .collect()
}

/// Finds the first setting that differs.
fn compare(path: &Path, name: &str, theirs: &Value, ours: &Value) -> Result<(), JournalError> {
    if theirs == ours {
        return Ok(());
    }
    if let (Value::Object(a), Value::Object(b)) = (theirs, ours) {
        for key in a.keys().chain(b.keys()) {
            let inner = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            compare(path, &inner, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null))?;
        }
    }
    if let (Value::Array(a), Value::Array(b)) = (theirs, ours)
        && a.len() == b.len()
    {
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            compare(path, &format!("{name}[{index}]"), a, b)?;
        }
    }
    Err(JournalError::Different {
        path: path.to_owned(),
        setting: name.to_owned(),
        theirs: theirs.to_string(),
        ours: ours.to_string(),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;
    use crate::record::{Ending, GameRecord, Score};

    fn open(path: &Path, description: &Value) -> Result<(Journal, Vec<GameRecord>), JournalError> {
        Journal::open(path, description)
    }

    pub(crate) fn game(id: usize) -> GameRecord {
        GameRecord {
            id,
            round: 1,
            encounter: id / 2,
            opening: id / 2,
            white: id % 2,
            black: 1 - id % 2,
            fen: None,
            chess960: false,
            moves: Vec::new(),
            result: Score::Draw,
            ending: Ending::Stalemate,
            reason: "stalemate".into(),
            stderr: Vec::new(),
            started_ms: 0,
            wall_ms: 0,
            slot_ms: 0,
        }
    }

    #[test]
    fn what_was_added_is_found_again_even_after_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let description = json!({"rounds": 2});
        {
            let (mut journal, games) = open(&path, &description).unwrap();
            assert!(games.is_empty());
            journal.add(&game(0)).unwrap();
            journal.add(&game(1)).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        let first_game = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
        // Wherever the file is cut, the whole lines before the cut are what is left, and the journal goes on from there.
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let whole = bytes[..cut].iter().filter(|&&b| b == b'\n').count();
            let (mut journal, games) = open(&path, &description).unwrap();
            assert_eq!(games, (0..whole.saturating_sub(1)).map(game).collect::<Vec<_>>(), "cut at {cut}");
            journal.add(&game(7)).unwrap();
            drop(journal);
            let (_, games) = open(&path, &description).unwrap();
            assert_eq!(games.last(), Some(&game(7)));
            assert_eq!(games.len(), whole.max(1), "cut at {cut}");
            if cut < first_game {
                continue;
            }
            assert_eq!(std::fs::read(&path).unwrap()[..first_game], bytes[..first_game]);
        }
    }

    #[test]
    fn another_tournaments_journal_is_refused_by_setting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        drop(open(&path, &json!({"rounds": 2, "players": [{"tc": "1"}, {"tc": "2"}]})).unwrap());
        let error = open(&path, &json!({"rounds": 2, "players": [{"tc": "1"}, {"tc": "3"}]})).unwrap_err();
        assert!(error.to_string().contains("`players[1].tc` is \"2\", here it is \"3\""), "{error}");
        // Somebody's notes named by mistake are refused and left as they are, with or without an end of line.
        for foreign in ["hello", "hello\n", "hello\nworld", "{\"a\": 1}", "\n"] {
            std::fs::write(&path, foreign).unwrap();
            let error = open(&path, &json!({})).unwrap_err().to_string();
            assert!(error.contains("line 1: is no journal"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        }
        let error = open(Path::new("/no/such/dir/j"), &json!({})).unwrap_err().to_string();
        assert!(error.contains("/no/such/dir/j"), "{error}");
    }

    #[test]
    fn two_runners_cannot_write_one_journal() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let held = open(&path, &json!({})).unwrap();
        assert!(open(&path, &json!({})).unwrap_err().to_string().contains("another tournament"));
        drop(held);
        assert!(open(&path, &json!({})).is_ok());
    }
}
