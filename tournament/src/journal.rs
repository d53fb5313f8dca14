//! The journal: a file to which one line is added for every finished game, and nothing is ever changed. (What tunes by
//! games, [`crate::spsa`], keeps its lessons in the same way.)
//!
//! Its first line describes the tournament and the programs that play it. A journal of the same tournament is continued
//! after its last game; one of another tournament is refused, with the setting that differs, and so is one whose games
//! were played by another program of the same name, unless that is wanted: then a line with the new programs is added,
//! and holds for the games below it. A line is written with one call and brought to the disk before the next game counts,
//! so a killed runner loses at most the games that were being played. A last line that was torn by the kill is cut off.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::Identity;

/// The version of the format.
const VERSION: u32 = 1;
/// No line is longer than this many bytes: a thousand moves take a tenth of it.
const LONGEST_LINE: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
struct Header {
    firstborn_journal: u32,
    tournament: Value,
    /// Journals of older versions have none.
    #[serde(default)]
    engines: Vec<Identity>,
}

/// A line between games: other programs play from here on.
#[derive(Serialize, Deserialize)]
struct Engines {
    engines: Vec<Identity>,
}

/// How such a line begins; no game begins so.
const ENGINES: &[u8] = b"{\"engines\":[";

/// What a journal holds a line of: a game, or a lesson.
pub trait Entry: Serialize + DeserializeOwned + PartialEq {
    /// What is wrong with it in the tournament that a journal describes; `None` if nothing is.
    fn fault(&self, tournament: &Value) -> Option<String>;

    /// The number that only one entry of a journal can have, if entries are numbered.
    fn number(&self) -> Option<usize>;
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
        error: io::Error,
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
    /// Its games were played by another program.
    #[error(
        "journal {path}: {player} is not the one that played its games: {what}; \
         give another --journal, or --same-engine to go on with it all the same"
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The player, by name where it has one.
        player: String,
        /// What is different.
        what: String,
    },
}

/// What a journal says about the programs that are about to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Programs {
    /// They are those that played its games, or it has no games.
    Same,
    /// It was begun by a version that did not write down which programs played.
    Unknown,
    /// One is another, and that is wanted: in words.
    Changed(String),
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Length of its whole lines.
    length: u64,
    /// What describes the tournament.
    tournament: Value,
    /// Whether that is written.
    begun: bool,
    /// The file was not there before.
    created: bool,
    /// The programs of its games: those of the first line, and of every line that names others.
    engines: Vec<Vec<Identity>>,
}

/// What was read of a journal.
struct Content<T> {
    entries: Vec<T>,
    engines: Vec<Vec<Identity>>,
    /// Length of its whole lines in bytes.
    length: u64,
    /// What follows them: the beginning of a line that a kill has torn.
    torn: Vec<u8>,
}

/// Refuses a pipe, a device or a folder, without opening it: that might never return.
///
/// # Errors
/// It is there and not a regular file.
pub fn check_file(path: &Path) -> Result<(), JournalError> {
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let error = io::Error::other("is not a regular file");
        return Err(JournalError::Io { path: path.to_owned(), error });
    }
    Ok(())
}

impl Journal {
    /// Opens a journal, or one that is yet to begin, for the tournament that `description` describes, and returns the
    /// games in it (or whatever else it is a journal of). Nothing is written before [`Journal::identify`].
    ///
    /// # Errors
    /// It cannot be read or written, is broken, or belongs to another tournament.
    pub fn open<T: Entry>(path: &Path, description: &Value) -> Result<(Self, Vec<T>), JournalError> {
        let io = |error| JournalError::Io { path: path.to_owned(), error };
        check_file(path)?;
        let created = !path.exists();
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        file.try_lock()
            .map_err(|e| io(io::Error::other(format!("another tournament is writing it ({e})"))))?;
        let content = read(path, &mut BufReader::new(&file), description)?;
        let begun = content.length > 0;
        // Nothing is changed in a file before it is known to be a journal of ours.
        if !begun && !is_torn_header(&content.torn, description) {
            return Err(broken(path, 1, "is no journal of a tournament"));
        }
        if !content.torn.is_empty() {
            // The kill came in the middle of a line.
            file.set_len(content.length).map_err(io)?;
        }
        let journal = Self {
            file,
            path: path.to_owned(),
            length: content.length,
            tournament: description.clone(),
            begun,
            created,
            engines: content.engines,
        };
        Ok((journal, content.entries))
    }

    /// Says which programs are about to play, one identity for each player. Programs that are not those of the journal's
    /// games are refused, unless `same_engine` says that they count as the same; then they are written down.
    ///
    /// # Errors
    /// A player's program is another one; or the disk is full.
    pub fn identify(&mut self, engines: &[Identity], same_engine: bool) -> Result<Programs, JournalError> {
        if !self.begun {
            let tournament = self.tournament.clone();
            let header = Header { firstborn_journal: VERSION, tournament, engines: engines.to_vec() };
            self.write(&header)?;
            self.begun = true;
            self.engines = vec![engines.to_vec()];
            return Ok(Programs::Same);
        }
        let known = self.engines.last().map(Vec::as_slice).unwrap_or_default();
        let programs = if known.len() == engines.len() {
            let changes = known.iter().zip(engines).map(|(before, now)| before.difference(now));
            let change = changes.enumerate().find_map(|(index, what)| Some((self.player(index), what?)));
            match change {
                None => return Ok(Programs::Same),
                Some((player, what)) if !same_engine => {
                    return Err(JournalError::Changed { path: self.path.clone(), player, what });
                }
                Some((player, what)) => Programs::Changed(format!("{player}: {what}")),
            }
        } else {
            Programs::Unknown
        };
        self.write(&Engines { engines: engines.to_vec() })?;
        self.engines.push(engines.to_vec());
        Ok(programs)
    }

    /// A player in words.
    fn player(&self, index: usize) -> String {
        match self.tournament["players"][index]["name"].as_str() {
            Some(name) => format!("player `{name}`"),
            None => format!("player {}", index + 1),
        }
    }

    /// The programs of its games, by the number that a game has of them.
    #[must_use]
    pub fn engines(&self) -> &[Vec<Identity>] {
        &self.engines
    }

    /// Adds a game and brings it to the disk.
    ///
    /// # Errors
    /// The disk is full, or gone.
    pub fn add(&mut self, game: &impl Serialize) -> Result<(), JournalError> {
        self.write(game)
    }

    fn write(&mut self, entry: &impl Serialize) -> Result<(), JournalError> {
        let io = |error| JournalError::Io { path: self.path.clone(), error };
        let mut line = serde_json::to_string(entry).map_err(|e| io(e.into()))?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Half a line is worth nothing; where it cannot be taken back, the next run does it.
            let _ = self.file.set_len(self.length);
            return Err(io(error));
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// A file that was made for a tournament that never began is taken away again.
impl Drop for Journal {
    fn drop(&mut self) {
        if self.created && !self.begun && self.length == 0 {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn broken(path: &Path, line: usize, why: impl Into<String>) -> JournalError {
    JournalError::Line { path: path.to_owned(), line, why: why.into() }
}

/// Whether this is the beginning of the first line of this tournament's journal.
fn is_torn_header(torn: &[u8], description: &Value) -> bool {
    let known = format!("{{\"firstborn_journal\":{VERSION},\"tournament\":{description}");
    known.as_bytes().starts_with(torn) || torn.starts_with(known.as_bytes())
}

/// Reads a journal: its whole lines, the first of which describes the tournament.
fn read<T: Entry>(
    path: &Path,
    input: &mut impl BufRead,
    description: &Value,
) -> Result<Content<T>, JournalError> {
    let mut content = Content { entries: Vec::new(), engines: Vec::new(), length: 0, torn: Vec::new() };
    let mut known = HashMap::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        input
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| JournalError::Io { path: path.to_owned(), error })?;
        if line.last() != Some(&b'\n') {
            if line.len() as u64 == LONGEST_LINE {
                let what =
                    if number == 1 { "is no journal of a tournament" } else { "is longer than any game" };
                return Err(broken(path, number, what));
            }
            content.torn = line;
            return Ok(content);
        }
        content.length += line.len() as u64;
        let text = line.trim_ascii();
        if number == 1 {
            content.engines.push(read_header(path, text, description)?);
        } else if text.starts_with(ENGINES) {
            let engines: Engines =
                serde_json::from_slice(text).map_err(|e| broken(path, number, e.to_string()))?;
            content.engines.push(engines.engines);
        } else if !text.is_empty() {
            let entry: T = serde_json::from_slice(text).map_err(|e| broken(path, number, e.to_string()))?;
            add_entry(path, number, entry, description, &mut content, &mut known)?;
        }
    }
    Ok(content)
}

fn read_header(path: &Path, line: &[u8], description: &Value) -> Result<Vec<Identity>, JournalError> {
    let header: Header = serde_json::from_slice(line)
        .map_err(|e| broken(path, 1, format!("is no journal of a tournament: {e}")))?;
    let version = header.firstborn_journal;
    if version != VERSION {
        return Err(broken(path, 1, format!("its format is version {version}, not {VERSION}")));
    }
    compare(path, "", &header.tournament, description)?;
    Ok(header.engines)
}

/// Keeps an entry that makes sense. The same line twice is one game (a copied file may have it); two games of one number
/// are none.
fn add_entry<T: Entry>(
    path: &Path,
    line: usize,
    entry: T,
    description: &Value,
    content: &mut Content<T>,
    known: &mut HashMap<usize, (usize, usize)>,
) -> Result<(), JournalError> {
    if let Some(fault) = entry.fault(description) {
        return Err(broken(path, line, fault));
    }
    if let Some(number) = entry.number() {
        if let Some(&(at, first)) = known.get(&number) {
            if content.entries[at] == entry {
                return Ok(());
            }
            let why = format!("is another game of the number {number}, which line {first} has already");
            return Err(broken(path, line, why));
        }
        known.insert(number, (content.entries.len(), line));
    }
    content.entries.push(entry);
    Ok(())
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
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::identity::FileIdentity;
    use crate::record::{Ending, GameRecord, Score};

    fn open(path: &Path, description: &Value) -> Result<(Journal, Vec<GameRecord>), JournalError> {
        let (mut journal, games) = Journal::open(path, description)?;
        journal.identify(&engines(0), false)?;
        Ok((journal, games))
    }

    /// Two players' programs; the second one's content depends on `version`.
    fn engines(version: u8) -> Vec<Identity> {
        let file = |sha256: String| FileIdentity {
            role: "program".into(),
            path: "engine".into(),
            size: 3,
            modified_ns: None,
            sha256,
        };
        let identity = |sha256| Identity { name: Some("Engine 1".into()), files: vec![file(sha256)] };
        vec![identity("a".repeat(64)), identity(version.to_string().repeat(64))]
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
            engines: 0,
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

    #[test]
    fn another_program_of_the_same_name_is_refused_unless_it_is_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let description = json!({"rounds": 2});
        let (mut journal, _) = open(&path, &description).unwrap();
        journal.add(&game(0)).unwrap();
        drop(journal);
        let reopen = || Journal::open::<GameRecord>(&path, &description).unwrap().0;
        let before = std::fs::read(&path).unwrap();
        let error = reopen().identify(&engines(1), false).unwrap_err().to_string();
        assert!(
            error.contains("player 2") && error.contains("its program engine is another file"),
            "{error}"
        );
        assert!(error.contains("--same-engine"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "a refusal changes nothing");
        assert_eq!(reopen().identify(&engines(0), false).unwrap(), Programs::Same);
        assert!(matches!(reopen().identify(&engines(1), true).unwrap(), Programs::Changed(_)));
        // From now on the new one is the one, and the old one another.
        let mut journal = reopen();
        assert_eq!(journal.identify(&engines(1), false).unwrap(), Programs::Same);
        assert_eq!(journal.engines(), [engines(0), engines(1)]);
        drop(journal);
        assert!(reopen().identify(&engines(0), false).is_err());
    }

    #[test]
    fn a_journal_without_programs_is_read_and_knows_them_from_then_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let old = "{\"firstborn_journal\":1,\"tournament\":{\"rounds\":2}}\n";
        std::fs::write(&path, format!("{old}{}\n", serde_json::to_string(&game(0)).unwrap())).unwrap();
        let (mut journal, games) = Journal::open::<GameRecord>(&path, &json!({"rounds": 2})).unwrap();
        assert_eq!(games, [game(0)]);
        assert_eq!(journal.identify(&engines(0), false).unwrap(), Programs::Unknown);
        drop(journal);
        let (mut journal, games) = Journal::open::<GameRecord>(&path, &json!({"rounds": 2})).unwrap();
        assert_eq!(games, [game(0)]);
        assert!(journal.identify(&engines(1), false).is_err());
    }

    /// What is no game of this tournament is refused by line, and a line that is there twice is one game.
    #[test]
    fn a_line_that_cannot_be_is_refused_and_a_doubled_one_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let description = json!({"players": [{}, {}]});
        drop(open(&path, &description).unwrap());
        let header = std::fs::read_to_string(&path).unwrap();
        let line = |game: &GameRecord| serde_json::to_string(game).unwrap() + "\n";
        let read = |lines: &str| {
            std::fs::write(&path, format!("{header}{lines}")).unwrap();
            open(&path, &description).map(|(_, games)| games).map_err(|e| e.to_string())
        };
        let (first, second) = (line(&game(0)), line(&game(1)));
        assert_eq!(read(&format!("{first}{second}{first}")).unwrap(), [game(0), game(1)]);
        let other = line(&GameRecord { result: Score::White, ..game(0) });
        let error = read(&format!("{first}{second}{other}")).unwrap_err();
        assert!(error.contains("line 4") && error.contains("line 2"), "{error}");
        for (wrong, says) in [
            (GameRecord { white: 7, ..game(0) }, "player 8 of 2"),
            (GameRecord { white: 1, black: 1, ..game(0) }, "against itself"),
            (GameRecord { id: usize::MAX, ..game(0) }, "out of range"),
            (GameRecord { wall_ms: u64::MAX, ..game(0) }, "out of range"),
            (GameRecord { fen: Some("8/8".into()), ..game(0) }, "fen"),
        ] {
            let error = read(&line(&wrong)).unwrap_err();
            assert!(error.contains("line 2") && error.contains(says), "{says}: {error}");
        }
        let long = format!("{{\"id\":\"{}\"}}\n", "x".repeat(2 << 20));
        assert!(read(&long).unwrap_err().contains("line 2: is longer"));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_no_journal() {
        let dir = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/zero"), Path::new("/dev/null"), dir.path()] {
            let error = open(path, &json!({})).unwrap_err().to_string();
            assert!(error.contains("is not a regular file"), "{error}");
        }
        // Zeros without end in a file are refused at the first line's longest length.
        let path = dir.path().join("zeros");
        std::fs::write(&path, vec![0; 3 << 20]).unwrap();
        assert!(open(&path, &json!({})).unwrap_err().to_string().contains("line 1: is no journal"));
    }

    #[test]
    fn a_tournament_that_never_begins_leaves_no_journal() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        drop(Journal::open::<GameRecord>(&path, &json!({})).unwrap());
        assert!(!path.exists());
        std::fs::write(&path, "").unwrap();
        drop(Journal::open::<GameRecord>(&path, &json!({})).unwrap());
        assert!(path.exists(), "somebody else's file stays");
    }

    fn line_of(value: &impl Serialize) -> String {
        serde_json::to_string(value).unwrap() + "\n"
    }

    /// A journal as it is written: two programs, three games with moves, another program.
    fn sound() -> String {
        let mv = |uci: &str| crate::record::MoveRecord {
            san: uci.into(),
            uci: uci.into(),
            ms: Some(12),
            clock_ms: Some(60_000),
            score: Some(-31),
            depth: Some(9),
            nodes: Some(1234),
            overhead_us: Some(80),
        };
        let moves = vec![mv("e2e4"), mv("e7e5")];
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let game = |id| GameRecord { moves: moves.clone(), fen: Some(fen.clone()), ..game(id) };
        let header = Header {
            firstborn_journal: VERSION,
            tournament: json!({"players": [{}, {}]}),
            engines: engines(0),
        };
        [
            line_of(&header),
            line_of(&game(0)),
            line_of(&game(1)),
            line_of(&Engines { engines: engines(1) }),
            line_of(&GameRecord { engines: 1, result: Score::White, ..game(2) }),
        ]
        .concat()
    }

    /// Does with the games all that a tournament does with those of its journal.
    fn use_all(content: &Content<GameRecord>) {
        let mut standings = crate::standings::Standings::new(2, 2).tested_without_faults();
        let mut tally = crate::summary::Tally::default();
        let event = crate::pgn::Event {
            name: "x".into(),
            players: vec!["A".into(), "B".into()],
            limits: vec!["1".into(), "2".into()],
            programs: content.engines.iter().map(|e| e.iter().map(Identity::line).collect()).collect(),
        };
        for game in &content.entries {
            standings.add(game);
            tally.add(game);
            crate::pgn::write_game(&mut Vec::new(), &event, game).unwrap();
            crate::pgn::write_moves_jsonl(&mut Vec::new(), &event, game).unwrap();
        }
        let mut ids: Vec<usize> = content.entries.iter().map(|game| game.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), content.entries.len());
        let _ = (standings.field(), standings.ranking(), tally.overhead_us());
    }

    /// What can happen to a file: a byte is another, some are missing or doubled, a number is another.
    #[derive(Debug, Clone)]
    enum Damage {
        Byte(usize, u8),
        Cut(usize, usize),
        Double(usize, usize),
        Number(usize, String),
    }

    fn damage() -> impl Strategy<Value = Damage> {
        let numbers =
            ["-1", "0", "1", "2", "18446744073709551615", "4294967296", "-2147483648", "1e300", "null"];
        let at = any::<usize>;
        prop_oneof![
            (at(), any::<u8>()).prop_map(|(place, byte)| Damage::Byte(place, byte)),
            (at(), 1usize..40).prop_map(|(place, length)| Damage::Cut(place, length)),
            (at(), 1usize..600).prop_map(|(place, length)| Damage::Double(place, length)),
            (at(), prop::sample::select(numbers.to_vec()))
                .prop_map(|(n, text)| Damage::Number(n, text.into())),
        ]
    }

    fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
        let length = bytes.len().max(1);
        let range = |at: usize, long: usize| at % length..(at % length).saturating_add(long).min(bytes.len());
        match damage {
            Damage::Byte(at, byte) => {
                if let Some(place) = bytes.get_mut(at % length) {
                    *place = *byte;
                }
            }
            Damage::Cut(at, long) => drop(bytes.drain(range(*at, *long))),
            Damage::Double(at, long) => {
                let range = range(*at, *long);
                let copy = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, copy);
            }
            Damage::Number(n, text) => {
                let starts: Vec<usize> = (1..bytes.len())
                    .filter(|&at| bytes[at].is_ascii_digit() && matches!(bytes[at - 1], b':' | b'['))
                    .collect();
                if let Some(&start) = starts.get(n % starts.len().max(1)) {
                    let end =
                        (start..bytes.len()).find(|&at| !bytes[at].is_ascii_digit()).unwrap_or(bytes.len());
                    bytes.splice(start..end, text.bytes());
                }
            }
        }
    }

    proptest! {
        /// A damaged journal is read or refused; what is read can be counted, rated and written.
        #[test]
        fn no_damage_to_a_journal_is_a_panic(damages in prop::collection::vec(damage(), 1..4)) {
            let mut bytes = sound().into_bytes();
            damages.iter().for_each(|damage| apply(&mut bytes, damage));
            let read = read::<GameRecord>(Path::new("j"), &mut &bytes[..], &json!({"players": [{}, {}]}));
            match read {
                Ok(content) => use_all(&content),
                Err(error) => prop_assert!(error.to_string().starts_with("journal j")),
            }
        }

        /// Whatever a file holds, it is a journal or none.
        #[test]
        fn no_file_is_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read::<GameRecord>(Path::new("j"), &mut &bytes[..], &json!({}));
        }
    }

    #[test]
    fn a_sound_journal_is_read_whole() {
        let text = sound();
        let content =
            read::<GameRecord>(Path::new("j"), &mut text.as_bytes(), &json!({"players": [{}, {}]})).unwrap();
        assert_eq!((content.entries.len(), content.engines.len()), (3, 2));
        assert_eq!(content.entries[2].engines, 1);
        use_all(&content);
    }
}
