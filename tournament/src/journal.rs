//! The journal: a file to which one line is added for every finished game, and nothing is ever changed. (What
//! tunes by games, [`crate::spsa`], keeps its lessons in the same way.)
//!
//! Its first line describes the tournament and the programs that play it. A journal of the same tournament is
//! continued after its last game; one of another tournament is refused, with the setting that differs, and so
//! is one whose games were played by another program of the same name, unless that is wanted: then a line
//! with the new programs is added, and holds for the games below it. Before the first game of every run
//! stands a line that says when and where the run was played; a run without games has one where it counts
//! games lost by a fault in another way than the run before. More rounds are the same tournament where they
//! only add games after the others (round robin and gauntlet). A line is written with one call and brought to
//! the disk before the next game counts, so a killed runner loses at most the games that were being played. A
//! last line that was torn by the kill is cut off.

use std::collections::{HashMap, HashSet, hash_map};
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sys::lock::Locked;
use sys::output::is_at;
use sys::provenance::Provenance;

use crate::identity::Identity;
use crate::runner::Forfeits;
use crate::schedule::Format;
use crate::schedule::plans::PLAN;

/// The version of the format.
const VERSION: u32 = 1;
/// No line is longer than this many bytes, and none longer is written. The fifty-move rule ends every game within
/// twelve thousand plies, each of which takes a few hundred bytes and what is kept of an engine's words.
const LONGEST_LINE: u64 = 64 << 20;

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Header {
    firstborn_journal: u32,
    /// What describes the tournament.
    pub tournament: Value,
    /// The programs that play. Journals of older versions have none.
    #[serde(default)]
    pub engines: Vec<Identity>,
}

impl Header {
    /// The first line of a journal of this tournament and these programs.
    #[must_use]
    pub fn new(tournament: Value, engines: Vec<Identity>) -> Self {
        Self { firstborn_journal: VERSION, tournament, engines }
    }

    /// Reads a first line.
    ///
    /// # Errors
    /// It is not one, or one of another version.
    pub fn read(path: &Path, line: &str) -> Result<Self, JournalError> {
        let header: Self = serde_json::from_str(line)
            .map_err(|e| broken(path, 1, format!("is not a journal of a tournament: {e}")))?;
        match header.firstborn_journal {
            VERSION => Ok(header),
            other => Err(broken(path, 1, format!("its format is version {other}, not {VERSION}"))),
        }
    }

    /// The players' names.
    ///
    /// # Errors
    /// It does not name them: a journal of something else than a tournament.
    pub fn players(&self, path: &Path) -> Result<Vec<String>, JournalError> {
        let players = self.tournament.get("players").and_then(Value::as_array);
        let name = |player: &Value| player["name"].as_str().map(str::to_owned);
        let names = players.and_then(|players| players.iter().map(name).collect::<Option<Vec<_>>>());
        names.ok_or_else(|| broken(path, 1, "names no players: is it the journal of a tournament?"))
    }
}

/// A line between games: other programs play from here on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Engines {
    /// By player.
    pub engines: Vec<Identity>,
}

/// How such a line begins; no game begins so.
const ENGINES: &str = "{\"engines\":[";

/// A run of the tournament.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Rounds it was to play, where the tournament has rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// What became of games lost by a fault of the program; older journals do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeits: Option<Forfeits>,
    /// The runner, the machine, the date and the command.
    #[serde(default)]
    pub provenance: Option<Provenance>,
}

/// A line between games: a run begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Runs {
    /// Which one.
    pub run: Run,
}

/// How such a line begins; no game begins so.
const RUN: &str = "{\"run\":{";

/// A line of a journal after the first one.
#[derive(Debug)]
pub enum Line<'a> {
    /// Other programs play from here on.
    Engines(Vec<Identity>),
    /// A run begins.
    Run(Box<Run>),
    /// A game, or whatever else the journal is one of.
    Entry(&'a str),
    /// Nothing.
    Empty,
}

impl<'a> Line<'a> {
    /// Tells the kinds of line apart.
    ///
    /// # Errors
    /// Damage.
    pub fn read(path: &Path, number: usize, text: &'a str) -> Result<Self, JournalError> {
        let damaged = |e: serde_json::Error| broken(path, number, e.to_string());
        if text.starts_with(ENGINES) {
            let line: Engines = serde_json::from_str(text).map_err(damaged)?;
            return Ok(Self::Engines(line.engines));
        }
        if text.starts_with(RUN) {
            let line: Runs = serde_json::from_str(text).map_err(damaged)?;
            return Ok(Self::Run(Box::new(line.run)));
        }
        Ok(if text.is_empty() { Self::Empty } else { Self::Entry(text) })
    }
}

/// The whole lines of a journal, one after the other.
pub struct Lines<'a, R> {
    path: &'a Path,
    input: R,
    line: Vec<u8>,
    number: usize,
    /// Length of the lines that were read.
    length: u64,
    torn: bool,
}

impl<'a, R: BufRead> Lines<'a, R> {
    /// Reads from here; `path` is for messages.
    pub fn new(path: &'a Path, input: R) -> Self {
        Self { path, input, line: Vec::new(), number: 0, length: 0, torn: false }
    }

    /// Reads the first line, before all others; `None` where it is not complete yet.
    ///
    /// # Errors
    /// As [`Self::next_line`], and as [`Header::read`].
    pub fn header(&mut self) -> Result<Option<Header>, JournalError> {
        let path = self.path;
        self.next_line()?.map(|(_, text)| Header::read(path, text)).transpose()
    }

    /// The next line with its number, without the blanks around it; `None` at the end, or where a line is not
    /// complete yet.
    ///
    /// # Errors
    /// It cannot be read, is longer than any game, or is not text.
    pub fn next_line(&mut self) -> Result<Option<(usize, &str)>, JournalError> {
        if self.torn {
            return Ok(None);
        }
        self.line.clear();
        self.number += 1;
        let path = self.path;
        (&mut self.input)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| JournalError::Io { path: path.to_owned(), error })?;
        let first = self.number == 1;
        if self.line.last() != Some(&b'\n') {
            if self.line.len() as u64 == LONGEST_LINE {
                let what = if first { "is not a journal of a tournament" } else { "is longer than any game" };
                return Err(broken(path, self.number, what));
            }
            self.torn = !self.line.is_empty();
            return Ok(None);
        }
        self.length += self.line.len() as u64;
        match std::str::from_utf8(self.line.trim_ascii()) {
            Ok(text) => Ok(Some((self.number, text))),
            Err(_) if first => Err(broken(path, 1, "is not a journal of a tournament: it is not text")),
            Err(error) => Err(broken(path, self.number, format!("is not text: {error}"))),
        }
    }

    /// Length of the whole lines that were read, in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What follows the last whole line: the beginning of one that is being written, or that a kill has torn.
    pub fn torn(&self) -> &[u8] {
        if self.torn { &self.line } else { &[] }
    }
}

/// What a journal holds a line of: a game, or a lesson.
pub trait Entry: Serialize + DeserializeOwned {
    /// What is wrong with it in the tournament that a journal describes; `None` if nothing is.
    fn fault(&self, tournament: &Value) -> Option<String>;

    /// The number that only one entry of a journal can have, if entries are numbered.
    fn number(&self) -> Option<usize>;

    /// Leaves out what takes much room and is read again by those who need it ([`Journal::each`]).
    fn lighten(&mut self) {}
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
    /// Its games were played by another program, or ended by other tables.
    #[error(
        "journal {path}: {player} is not as it was when its games were played: {what}; \
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
    /// It does not say which program played for a player: a version that did not write that down has begun it, or one
    /// of those that were merged into it.
    Unknown,
    /// One is another, and that is wanted: in words.
    Changed(String),
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: Locked,
    path: PathBuf,
    /// Length of its whole lines.
    length: u64,
    /// What describes the tournament.
    tournament: Value,
    /// The file was not there before.
    created: bool,
    /// It had entries when it was opened.
    has_entries: bool,
    /// The programs of its games: those of the first line, and of every line that names others.
    engines: Vec<Vec<Identity>>,
    /// The runs it holds.
    runs: Vec<Run>,
    /// What is still to be written before the next entry.
    announced: Option<Run>,
}

/// What was read of a journal.
struct Content<T> {
    entries: Vec<T>,
    /// The lines they stand in, from 1.
    lines: Vec<usize>,
    engines: Vec<Vec<Identity>>,
    runs: Vec<Run>,
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

/// What describes the tournament of a journal that has begun; `None` where none can be read, which opening it says.
#[must_use]
pub fn begun(path: &Path) -> Option<Value> {
    check_file(path).ok()?;
    let file = File::open(path).ok()?;
    let header = Lines::new(path, BufReader::new(file)).header().ok()??;
    Some(header.tournament)
}

impl Journal {
    /// Opens a journal, or one that is yet to begin, for the tournament that `description` describes, and
    /// returns the games in it (or whatever else it is a journal of), as light as they can be. Nothing is written
    /// before [`Journal::identify`].
    ///
    /// # Errors
    /// It cannot be read or written, is broken, or belongs to another tournament.
    pub fn open<T: Entry>(path: &Path, description: &Value) -> Result<(Self, Vec<T>), JournalError> {
        Self::open_checked(path, description, |_| None)
    }

    /// As [`Self::open`]; `check` looks at all entries together and names the place of one that cannot be,
    /// with what is wrong with it.
    ///
    /// # Errors
    /// As [`Self::open`], and what the check says.
    pub fn open_checked<T: Entry>(
        path: &Path,
        description: &Value,
        check: impl FnOnce(&[T]) -> Option<(usize, String)>,
    ) -> Result<(Self, Vec<T>), JournalError> {
        let io = |error| JournalError::Io { path: path.to_owned(), error };
        check_file(path)?;
        let created = !path.exists();
        // Not for appending: on Windows such a handle cannot cut a torn line off.
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(io)?;
        let file = sys::lock::lock(file).map_err(|error| {
            if created && matches!(error, TryLockError::Error(_)) {
                // Nothing can be written here.
                let _ = std::fs::remove_file(path);
            }
            not_locked(path, error)
        })?;
        let content = read(path, &mut BufReader::new(&*file), description, T::lighten)?;
        if let Some((at, fault)) = check(&content.entries) {
            return Err(broken(path, content.lines[at], fault));
        }
        // Nothing is changed in a file before it is known to be a journal of ours.
        if content.length == 0 && !is_torn_header(&content.torn, description) {
            return Err(broken(path, 1, "is not a journal of a tournament"));
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
            created,
            has_entries: !content.entries.is_empty(),
            engines: content.engines,
            runs: content.runs,
            announced: None,
        };
        Ok((journal, content.entries))
    }

    /// Reads its entries again, one after the other and whole.
    ///
    /// # Errors
    /// It cannot be read, and what `take` says.
    pub fn each<T: Entry, E: From<JournalError>>(
        &self,
        mut take: impl FnMut(&T) -> Result<(), E>,
    ) -> Result<(), E> {
        let io = |error| JournalError::Io { path: self.path.clone(), error };
        (&*self.file).seek(SeekFrom::Start(0)).map_err(io)?;
        let mut lines = Lines::new(&self.path, BufReader::new((&*self.file).take(self.length)));
        let mut seen = HashSet::new();
        lines.header()?;
        while let Some((line, text)) = lines.next_line()? {
            if let Line::Entry(text) = Line::read(&self.path, line, text)? {
                let entry: T =
                    serde_json::from_str(text).map_err(|e| broken(&self.path, line, e.to_string()))?;
                if entry.number().is_none_or(|number| seen.insert(number)) {
                    take(&entry)?;
                }
            }
        }
        Ok(())
    }

    /// Says which programs are about to play, one identity for each player. Programs that are not those of
    /// the journal's games are refused, unless `same_engine` says that they count as the same; then they are
    /// written down.
    ///
    /// # Errors
    /// A player's program is another one; or the disk is full.
    pub fn identify(&mut self, engines: &[Identity], same_engine: bool) -> Result<Programs, JournalError> {
        if self.length == 0 {
            let tournament = self.tournament.clone();
            self.write(&Header::new(tournament, engines.to_vec()))?;
            self.engines = vec![engines.to_vec()];
            return Ok(Programs::Same);
        }
        let known = self.engines.last().map(Vec::as_slice).unwrap_or_default();
        let programs = if known.len() == engines.len() {
            let changes = known.iter().zip(engines).map(|(before, now)| before.difference(now));
            let change = changes.enumerate().find_map(|(index, what)| Some((self.player(index), what?)));
            // Of journals of older versions not every file is known; from now on it is.
            let more = known.iter().zip(engines).any(|(before, now)| now.names_more_than(before));
            let unknown = known.iter().zip(engines).any(|(before, now)| now.is_known() && !before.is_known());
            match change {
                None if unknown => Programs::Unknown,
                None if more => Programs::Same,
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

    /// The runs whose games it holds, this one not before its first game.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The programs of its games, by the number that a game has of them.
    #[must_use]
    pub fn engines(&self) -> &[Vec<Identity>] {
        &self.engines
    }

    /// Says by what the games are played that are added from now on, and what becomes of those that are lost
    /// by a fault of the program. It is written before the first of them; at once where the games that are there
    /// count in another way from now on, since none may follow.
    ///
    /// # Errors
    /// The disk is full, or gone.
    pub fn announce(&mut self, provenance: Provenance, forfeits: Forfeits) -> Result<(), JournalError> {
        let rounds = self.tournament.get("rounds").and_then(Value::as_u64);
        self.announced = Some(Run { rounds, forfeits: Some(forfeits), provenance: Some(provenance) });
        let before = self.runs.last().and_then(|run| run.forfeits).unwrap_or_default();
        if self.has_entries && forfeits != before { self.write_run() } else { Ok(()) }
    }

    /// Writes the run that is announced, unless it is written.
    fn write_run(&mut self) -> Result<(), JournalError> {
        if let Some(run) = self.announced.clone() {
            self.write(&Runs { run })?;
            self.announced = None;
        }
        Ok(())
    }

    /// Adds a game and brings it to the disk.
    ///
    /// # Errors
    /// The disk is full, or gone; or the file was removed, replaced or written by something else.
    pub fn add(&mut self, game: &impl Serialize) -> Result<(), JournalError> {
        self.write_run()?;
        self.write(game)
    }

    /// Whether the next run finds what was written: false where the file was removed, replaced or written by something
    /// else.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.is_as_written().unwrap_or(false)
    }

    fn is_as_written(&self) -> io::Result<bool> {
        let found = self.file.metadata()?;
        Ok(found.len() == self.length && is_at(&self.path, &found))
    }

    fn write(&mut self, entry: &impl Serialize) -> Result<(), JournalError> {
        let io = |error| JournalError::Io { path: self.path.clone(), error };
        let mut line = serde_json::to_string(entry).map_err(|e| io(e.into()))?;
        line.push('\n');
        if line.len() as u64 > LONGEST_LINE {
            let why = format!("a line of {} bytes is longer than any game, and is not written", line.len());
            return Err(io(io::Error::other(why)));
        }
        // What is written into a file that the path does not lead to, or behind a gap, is lost.
        if !self.is_as_written().map_err(io)? {
            return Err(io(io::Error::other("it was removed, replaced or written by something else")));
        }
        let written = self.file.seek(SeekFrom::Start(self.length));
        let written = written.and_then(|_| self.file.write_all(line.as_bytes()));
        let written = written.and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Half a line is worth nothing; where it cannot be taken back, the next run does it.
            let _ = self.file.set_len(self.length);
            return Err(io(error));
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// A file that was made for a tournament that never began is taken away again, unless something else has filled it.
impl Drop for Journal {
    fn drop(&mut self) {
        let is_empty = || self.path.metadata().is_ok_and(|found| found.len() == 0);
        if self.created && self.length == 0 && is_empty() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Why a journal cannot be locked.
fn not_locked(path: &Path, error: TryLockError) -> JournalError {
    let error = match error {
        TryLockError::WouldBlock => io::Error::other("another tournament is writing it"),
        TryLockError::Error(cause) => {
            let why = format!("it cannot be locked: {cause}; put the journal on a disk that has locks");
            io::Error::new(cause.kind(), why)
        }
    };
    JournalError::Io { path: path.to_owned(), error }
}

pub(crate) fn broken(path: &Path, line: usize, why: impl Into<String>) -> JournalError {
    JournalError::Line { path: path.to_owned(), line, why: why.into() }
}

/// Whether this is the beginning of the first line of this tournament's journal.
fn is_torn_header(torn: &[u8], description: &Value) -> bool {
    let known = format!("{{\"firstborn_journal\":{VERSION},\"tournament\":{description}");
    known.as_bytes().starts_with(torn) || torn.starts_with(known.as_bytes())
}

/// Reads a journal: its whole lines, the first of which describes the tournament. What is kept of an entry is what
/// `lighten` leaves of it.
fn read<T: Entry>(
    path: &Path,
    input: &mut impl BufRead,
    description: &Value,
    lighten: fn(&mut T),
) -> Result<Content<T>, JournalError> {
    let mut content = Content {
        entries: Vec::new(),
        lines: Vec::new(),
        engines: Vec::new(),
        runs: Vec::new(),
        length: 0,
        torn: Vec::new(),
    };
    let mut known = Known::default();
    let mut rounds = None;
    let mut lines = Lines::new(path, input);
    let ours = without_implied(description.clone());
    let mut theirs = None;
    if let Some(header) = lines.header()? {
        rounds = header.tournament.get("rounds").and_then(Value::as_u64);
        let described = with_later_settings(with_rounds_of(header.tournament, description), description);
        let described = without_implied(described);
        compare(path, "", &with_commands_of(described.clone(), &ours, |_| true), &ours)?;
        theirs = Some(described);
        content.engines.push(header.engines);
    }
    while let Some((number, text)) = lines.next_line()? {
        match Line::read(path, number, text)? {
            Line::Engines(engines) => content.engines.push(engines),
            Line::Run(run) => {
                rounds = rounds.max(run.rounds);
                content.runs.push(*run);
            }
            Line::Entry(text) => {
                let mut entry: T =
                    serde_json::from_str(text).map_err(|e| broken(path, number, e.to_string()))?;
                if let Some(fault) = entry.fault(description) {
                    return Err(broken(path, number, fault));
                }
                if known.is_new(path, number, entry.number(), text)? {
                    lighten(&mut entry);
                    content.entries.push(entry);
                    content.lines.push(number);
                }
            }
            Line::Empty => {}
        }
    }
    (content.length, content.torn) = (lines.length, lines.torn().to_vec());
    if let Some(theirs) = theirs {
        let last = content.engines.last().map(Vec::as_slice).unwrap_or_default();
        let has_program = |player: usize| last.get(player).is_some_and(Identity::has_program);
        compare(path, "", &with_commands_of(theirs, &ours, has_program), &ours)?;
    }
    let wanted = description.get("rounds").and_then(Value::as_u64);
    if rounds > wanted && extends(description) {
        let (theirs, ours) = (rounds.unwrap_or(0).to_string(), wanted.unwrap_or(0).to_string());
        return Err(JournalError::Different {
            path: path.to_owned(),
            setting: "rounds".into(),
            theirs,
            ours,
        });
    }
    Ok(content)
}

/// Whether more rounds only add games after those of fewer.
fn extends(tournament: &Value) -> bool {
    let format = tournament.get("format");
    format.is_some_and(|format| Format::deserialize(format).is_ok_and(Format::is_known))
}

/// The same tournament with as many rounds as `ours` has, if more only add games.
fn with_rounds_of(mut tournament: Value, ours: &Value) -> Value {
    let both = [&tournament, ours].map(|value| value.get("rounds").and_then(Value::as_u64));
    if let ([Some(_), Some(wanted)], true) = (both, extends(ours)) {
        tournament["rounds"] = wanted.into();
    }
    tournament
}

/// The same tournament with the commands of `ours` for those players whose program is `known`: by its content, so that
/// it is the same wherever it lies ([`Journal::identify`]).
fn with_commands_of(mut tournament: Value, ours: &Value, known: impl Fn(usize) -> bool) -> Value {
    let players = tournament.get_mut("players").and_then(Value::as_array_mut);
    for (index, player) in players.into_iter().flatten().enumerate().filter(|(index, _)| known(*index)) {
        if let (Some(theirs), Some(command)) = (player.get_mut("cmd"), ours["players"][index].get("cmd")) {
            theirs.clone_from(command);
        }
    }
    tournament
}

/// Whether each encounter has a single game.
const SINGLE: &str = "single";

/// Settings that journals of older versions do not have: what they were then is not known.
const LATER_SETTINGS: [&str; 7] = ["seed", SINGLE, PLAN, "tb", "tbpieces", "tbignore50", "tbresults"];

/// The same tournament with those settings of `ours` that it could not have when it was written.
fn with_later_settings(mut tournament: Value, ours: &Value) -> Value {
    for key in LATER_SETTINGS {
        if let (Some(theirs), Some(setting)) = (tournament.as_object_mut(), ours.get(key)) {
            theirs.entry(key).or_insert_with(|| setting.clone());
        }
    }
    tournament
}

/// A tournament's description without what follows from the rest of it: another runner's plan says which games are an
/// encounter's, whatever stands beside it.
pub(crate) fn without_implied(mut tournament: Value) -> Value {
    let by_plan = tournament.get(PLAN).is_some();
    if let Some(settings) = tournament.as_object_mut().filter(|_| by_plan) {
        settings.remove(SINGLE);
    }
    tournament
}

/// The entries that were read, by number: a hash of the line and where it stands.
#[derive(Default)]
pub(crate) struct Known {
    lines: HashMap<usize, (u64, usize)>,
    hasher: RandomState,
}

impl Known {
    /// Whether this is a further entry. The same line twice is one game (a copied file may have it); two games of one
    /// number are none.
    pub(crate) fn is_new(
        &mut self,
        path: &Path,
        line: usize,
        number: Option<usize>,
        text: &str,
    ) -> Result<bool, JournalError> {
        let Some(number) = number else { return Ok(true) };
        let hash = self.hasher.hash_one(text);
        match self.lines.entry(number) {
            hash_map::Entry::Vacant(free) => {
                free.insert((hash, line));
                Ok(true)
            }
            hash_map::Entry::Occupied(first) if first.get().0 == hash => Ok(false),
            hash_map::Entry::Occupied(first) => {
                let first = first.get().1;
                let why = format!("is another game of the number {number}, which line {first} has already");
                Err(broken(path, line, why))
            }
        }
    }
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
    use client::Protocol;
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
            files: None,
        };
        let name = Some("Engine 1".to_owned());
        let identity =
            |sha256| Identity { name: name.clone(), files: vec![file(sha256)], ..Identity::default() };
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
            late_ms: None,
            answer: None,
            checks: <[crate::checks::Checks; 2]>::default(),
            reason: "stalemate".into(),
            stderr: Vec::new(),
            cpu_ms: None,
            started_ms: 0,
            ended_ms: None,
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
        // Wherever the file is cut, the whole lines before the cut are what is left, and the journal goes on
        // from there.
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

    /// What is too long to be read again is not written, and the journal goes on without it.
    #[test]
    fn what_is_written_can_be_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let of_length = |length: u64| GameRecord { reason: "x".repeat(length as usize), ..game(0) };
        let (mut journal, _) = open(&path, &json!({})).unwrap();
        let error = journal.add(&of_length(LONGEST_LINE)).unwrap_err();
        assert!(error.to_string().contains("longer than any game"), "{error}");
        // Twelve thousand plies.
        let long = of_length(3 << 20);
        journal.add(&long).unwrap();
        drop(journal);
        assert!(open(&path, &json!({})).unwrap().1 == [long]);
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
            assert!(error.contains("line 1: is not a journal"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        }
        let error = open(Path::new("/no/such/dir/j"), &json!({})).unwrap_err().to_string();
        assert!(error.contains("/no/such/dir/j"), "{error}");
    }

    /// A raised number of rounds goes on in the same journal, and from then on fewer are another tournament.
    #[test]
    fn more_rounds_go_on_in_the_same_journal() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let wanted = |format: Value, rounds: u64| json!({"format": format, "rounds": rounds, "x": 1});
        for format in Format::ALL {
            let (format, extends) = match format {
                Format::RoundRobin => (json!("round-robin"), true),
                Format::Gauntlet(_) => (json!({"gauntlet": 2}), true),
                Format::Swiss(_) => (json!({"swiss": 3}), false),
                Format::Knockout => (json!("knockout"), false),
            };
            let play = |rounds: u64, id: usize| {
                let (mut journal, games) = open(&path, &wanted(format.clone(), rounds))?;
                journal.announce(Provenance::default(), Forfeits::default())?;
                journal.add(&game(id))?;
                Ok::<usize, JournalError>(games.len())
            };
            assert_eq!(play(2, 0).unwrap(), 0);
            assert_eq!(play(2, 1).unwrap(), 1);
            if extends {
                assert_eq!(play(3, 2).unwrap(), 2, "{format}");
            }
            for other in if extends { vec![2, 1] } else { vec![3, 1] } {
                let error = play(other, 7).unwrap_err().to_string();
                let theirs = if extends { 3 } else { 2 };
                assert!(error.contains(&format!("its `rounds` is {theirs}, here it is {other}")), "{error}");
            }
            std::fs::remove_file(&path).unwrap();
        }
    }

    /// A run that plays nothing leaves no line, unless the games before count in another way; one that plays says
    /// so once, before its first game.
    #[test]
    fn a_run_is_written_down_with_its_first_game() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let lines = || std::fs::read_to_string(&path).unwrap().lines().count();
        let (count, stop) = (Forfeits::Count, Forfeits::default());
        for (forfeits, played, total) in [
            (count, 0, 1),
            (count, 2, 4),
            (count, 0, 4),
            (count, 1, 6),
            (stop, 0, 7),
            (stop, 0, 7),
            (count, 0, 8),
        ] {
            let (mut journal, games) = open(&path, &json!({})).unwrap();
            let provenance = Provenance { date: "2026-01-02T03:04:05Z".into(), ..Provenance::default() };
            journal.announce(provenance, forfeits).unwrap();
            (0..played).for_each(|n| journal.add(&game(games.len() + n)).unwrap());
            drop(journal);
            assert_eq!(lines(), total);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(r#"{"run":{"forfeits":"count","provenance":"#).count(), 3, "{text}");
    }

    /// Of another runner's plan it follows which games are pairs: what a journal says of it is no other tournament.
    #[test]
    fn a_tournament_by_plan_is_the_same_however_its_games_were_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let by_plan = |single: bool| json!({"single": single, "plan": {"rounds": 2}});
        for before in [true, false] {
            drop(open(&path, &by_plan(before)).unwrap());
            assert!(open(&path, &by_plan(!before)).is_ok());
            let error = open(&path, &json!({"single": before, "plan": {"rounds": 3}})).unwrap_err();
            assert!(error.to_string().contains("its `plan.rounds` is 2, here it is 3"), "{error}");
            std::fs::remove_file(&path).unwrap();
        }
        drop(open(&path, &json!({"single": true})).unwrap());
        let error = open(&path, &json!({"single": false})).unwrap_err().to_string();
        assert!(error.contains("its `single` is true, here it is false"), "{error}");
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

    /// On a disk without locks that is the reason, and what to do about it; only a lock is another tournament's.
    #[test]
    fn why_a_journal_cannot_be_locked_is_told() {
        let told = |error| not_locked(Path::new("j"), error).to_string();
        assert_eq!(told(TryLockError::WouldBlock), "journal j: another tournament is writing it");
        let unlocked = told(TryLockError::Error(io::Error::other("no locks")));
        let expected = "journal j: it cannot be locked: no locks; put the journal on a disk that has locks";
        assert_eq!(unlocked, expected);
    }

    /// What would be lost, or would stand behind a gap, is not written.
    #[test]
    fn a_journal_that_is_taken_away_takes_no_more_games() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("journal"), dir.path().join("other"));
        let shorten = || File::options().write(true).open(&path)?.set_len(10);
        let lengthen = || File::options().append(true).open(&path)?.write_all(b"{}\n");
        let remove = || std::fs::remove_file(&path);
        let replace = || std::fs::write(&other, "{}\n").and_then(|()| std::fs::rename(&other, &path));
        let rename = || std::fs::rename(&path, &other);
        // As editors and programs do that synchronize folders: the file of that name has the same content.
        let copy = || rename().and_then(|()| std::fs::copy(&other, &path).map(drop));
        let ways: [(&dyn Fn() -> io::Result<()>, bool); 6] = [
            (&shorten, true),
            (&lengthen, true),
            (&remove, cfg!(unix)),
            (&replace, cfg!(unix)),
            (&rename, cfg!(unix)),
            (&copy, cfg!(unix)),
        ];
        for (number, (way, _)) in ways.iter().enumerate().filter(|(_, (_, works))| *works) {
            let (mut journal, _) = open(&path, &json!({})).unwrap();
            journal.add(&game(0)).unwrap();
            assert!(journal.is_in_place());
            way().unwrap();
            let files = || [&path, &other].map(|file| std::fs::read(file).ok());
            let left = files();
            let error = journal.add(&game(1)).unwrap_err().to_string();
            assert!(error.ends_with("removed, replaced or written by something else"), "{number}: {error}");
            assert!(!journal.is_in_place(), "{number}");
            assert_eq!(files(), left, "{number}");
            drop(journal);
            [&path, &other].into_iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
    }

    #[test]
    fn a_file_that_something_else_has_begun_is_left_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let (mut journal, _) = Journal::open::<GameRecord>(&path, &json!({})).unwrap();
        std::fs::write(&path, "another's\n").unwrap();
        let error = journal.identify(&engines(0), false).unwrap_err().to_string();
        assert!(error.ends_with("removed, replaced or written by something else"), "{error}");
        drop(journal);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "another's\n");
    }

    /// A program is known by its content, wherever it lies; where a journal does not say it, by its command.
    #[test]
    fn a_program_that_has_moved_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let at = |cmd: &str| json!({"players": [{"cmd": "engine"}, {"cmd": cmd}]});
        let reopen = |cmd: &str| Journal::open::<GameRecord>(&path, &at(cmd));
        reopen("before/engine").unwrap().0.identify(&engines(0), false).unwrap();
        assert_eq!(reopen("after/engine").unwrap().0.identify(&engines(0), false).unwrap(), Programs::Same);
        let error = reopen("after/engine").unwrap().0.identify(&engines(1), false).unwrap_err();
        assert!(matches!(&error, JournalError::Changed { player, .. } if player == "player 2"), "{error}");
        let named = Identity { name: Some("Engine 1".into()), ..Identity::default() };
        for unknown in [Vec::new(), vec![engines(0)[0].clone(), named]] {
            std::fs::write(&path, line_of(&Header::new(at("before/engine"), unknown))).unwrap();
            let error = reopen("after/engine").unwrap_err().to_string();
            assert!(error.contains("`players[1].cmd` is \"before/engine\""), "{error}");
            assert!(reopen("before/engine").is_ok());
        }
    }

    /// An engine of two protocols that speaks another one plays otherwise. A journal that does not say it learns it.
    #[test]
    fn the_protocol_is_known_and_compared() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let speaking = |protocol: Protocol| {
            engines(0).into_iter().map(|engine| Identity { protocol: Some(protocol), ..engine }).collect()
        };
        let (uci, xboard): (Vec<Identity>, Vec<Identity>) =
            (speaking(Protocol::Uci), speaking(Protocol::Xboard));
        let reopen = || Journal::open::<GameRecord>(&path, &json!({})).unwrap().0;
        assert_eq!(reopen().identify(&engines(0), false).unwrap(), Programs::Same);
        assert_eq!(reopen().identify(&uci, false).unwrap(), Programs::Same);
        assert_eq!(reopen().engines(), [engines(0), uci.clone()]);
        let last = std::fs::read_to_string(&path).unwrap().lines().last().unwrap().to_owned();
        assert_eq!(last.matches(r#""protocol":"uci""#).count(), 2, "{last}");
        let error = reopen().identify(&xboard, false).unwrap_err().to_string();
        assert!(error.contains("it speaks xboard's protocol, and spoke UCI"), "{error}");
        assert_eq!(reopen().identify(&uci, false).unwrap(), Programs::Same);
    }

    /// A path that JSON cannot have is named, and no journal is left.
    #[test]
    #[cfg(unix)]
    fn a_path_that_is_not_text_is_named() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut programs = engines(0);
        programs[1].files[0].path = std::ffi::OsStr::from_bytes(b"fo\xff/engine").into();
        let (mut journal, _) = Journal::open::<GameRecord>(&path, &json!({})).unwrap();
        let error = journal.identify(&programs, false).unwrap_err().to_string();
        assert!(error.contains("fo\u{fffd}/engine is not UTF-8"), "{error}");
        drop(journal);
        assert!(!path.exists());
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

    /// So it is where a journal has places for programs and names none, as such a one had that was merged by an older
    /// version. The program of a player that it does name is held against it.
    #[test]
    fn a_journal_that_names_no_program_is_one_without() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let half = vec![Identity::default(), engines(0)[1].clone()];
        for unnamed in [vec![Identity::default(); 2], half.clone()] {
            std::fs::write(&path, line_of(&Header::new(json!({}), unnamed)) + &line_of(&game(0))).unwrap();
            let reopen = || Journal::open::<GameRecord>(&path, &json!({})).unwrap().0;
            if reopen().engines()[0] == half {
                let error = reopen().identify(&engines(1), false).unwrap_err().to_string();
                assert!(error.contains("player 2"), "{error}");
            }
            assert_eq!(reopen().identify(&engines(0), false).unwrap(), Programs::Unknown);
            assert_eq!(reopen().identify(&engines(0), false).unwrap(), Programs::Same);
            assert!(reopen().identify(&engines(1), false).is_err());
        }
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
            (GameRecord { ended_ms: Some(u64::MAX), ..game(0) }, "out of range"),
            (GameRecord { fen: Some("8/8".into()), ..game(0) }, "fen"),
        ] {
            let error = read(&line(&wrong)).unwrap_err();
            assert!(error.contains("line 2") && error.contains(says), "{says}: {error}");
        }
        let long = format!("{{\"id\":\"{}\"}}\n", "x".repeat(LONGEST_LINE as usize));
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
        assert!(open(&path, &json!({})).unwrap_err().to_string().contains("line 1: is not a journal"));
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
            ms: Some(12),
            clock_ms: Some(60_000),
            score: Some(-31),
            depth: Some(9),
            nodes: Some(1234),
            overhead_us: Some(80),
            ..crate::record::MoveRecord::of_opening(uci.into(), uci.into())
        };
        let moves = vec![mv("e2e4"), mv("e7e5")];
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let game = |id| GameRecord { moves: moves.clone(), fen: Some(fen.clone()), ..game(id) };
        let header = Header::new(json!({"players": [{}, {}]}), engines(0));
        [
            line_of(&header),
            line_of(&game(0)),
            line_of(&game(1)),
            line_of(&Engines { engines: engines(1) }),
            line_of(&Runs {
                run: Run { rounds: Some(1), provenance: Some(Provenance::default()), ..Run::default() },
            }),
            line_of(&GameRecord { engines: 1, result: Score::White, ..game(2) }),
        ]
        .concat()
    }

    /// Does with the games all that a tournament does with those of its journal.
    fn use_all(content: &Content<GameRecord>) {
        let mut standings =
            crate::standings::Standings::new(2, crate::standings::Counting::Pairs).tested_without_faults();
        let mut tally = crate::summary::Tally::default();
        let event = crate::pgn::Event {
            name: "x".into(),
            players: vec!["A".into(), "B".into()],
            limits: vec!["1".into(), "2".into()],
            programs: content.engines.iter().map(|e| e.iter().map(Identity::line).collect()).collect(),
            ..crate::pgn::Event::default()
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
            let read = read::<GameRecord>(Path::new("j"), &mut &bytes[..], &json!({"players": [{}, {}]}), |_| ());
            match read {
                Ok(content) => use_all(&content),
                Err(error) => prop_assert!(error.to_string().starts_with("journal j")),
            }
        }

        /// Whatever a file holds, it is a journal or none.
        #[test]
        fn no_file_is_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read::<GameRecord>(Path::new("j"), &mut &bytes[..], &json!({}), |_| ());
        }
    }

    /// What is kept has no moves; read again, one game after the other, they have: each once, as they were written.
    #[test]
    fn games_are_kept_without_moves_and_read_again_with_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let text = sound();
        let twice = text.lines().nth(1).unwrap();
        // A line that is there twice is one game, and a torn one is none.
        std::fs::write(&path, format!("{text}{twice}\n{{\"id\":7,")).unwrap();
        let description = json!({"players": [{}, {}]});
        let (mut journal, games) = Journal::open::<GameRecord>(&path, &description).unwrap();
        assert!(games.len() == 3 && games.iter().all(|game| game.moves.is_empty()));
        let whole = |journal: &Journal| -> Vec<GameRecord> {
            let mut whole = Vec::new();
            let take = |game: &GameRecord| {
                whole.push(game.clone());
                Ok::<(), JournalError>(())
            };
            journal.each(take).unwrap();
            whole
        };
        let written: Vec<GameRecord> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        assert_eq!(whole(&journal), written);
        assert!(written.iter().all(|game| game.moves.len() == 2));
        // It goes on behind what is there.
        journal.identify(&engines(1), false).unwrap();
        journal.add(&game(9)).unwrap();
        assert_eq!(whole(&journal), [&written[..], &[game(9)]].concat());
        drop(journal);
        assert_eq!(Journal::open::<GameRecord>(&path, &description).unwrap().1.len(), 4);
    }

    #[test]
    fn a_sound_journal_is_read_whole() {
        let text = sound();
        let description = json!({"players": [{}, {}]});
        let content = read::<GameRecord>(Path::new("j"), &mut text.as_bytes(), &description, |_| ()).unwrap();
        assert_eq!((content.entries.len(), content.engines.len()), (3, 2));
        assert_eq!(content.entries[2].engines, 1);
        use_all(&content);
    }
}
