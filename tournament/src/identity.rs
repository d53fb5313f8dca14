//! Which program plays: the files behind an engine line, known by their content.
//!
//! A name and a path say nothing about the program that was there yesterday. So the program itself, and every argument
//! and option value that names an existing file (a network, a book, a script), is kept with size, time and
//! SHA-256, beside the name the engine gives itself. Content decides: a file that was touched or copied is
//! the same file.
//!
//! A command may be a script that starts the engine. So the programs that its processes run when it has greeted are
//! kept as well, where they are others than the command's own and no shells ([`running`]): the engine, or what
//! interprets it.
//!
//! Of a folder that is named (endgame tables) the names and sizes of its files are kept, since their content takes
//! too long to read.
//!
//! So are the opening book that the runner plays from for a player, and the tables by which it ends games.
//!
//! Files that an engine writes are no part of it ([`is_written`]): its logs, and what it keeps of its games.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use client::{EngineConfig, Protocol};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use sys::process::{Running, programs_of_group};

use crate::program::locate;
use crate::spec::Player;
use crate::wording::counted;

/// A file or folder that an engine is, or was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity {
    /// What it is to the engine: `program`, `argument 2`, `option EvalFile`.
    pub role: String,
    /// Where it is.
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    /// Its size in bytes; of a folder that of all its files.
    pub size: u64,
    /// When it was last written, in nanoseconds of Unix time, if the system knows.
    pub modified_ns: Option<u64>,
    /// The SHA-256 of its content, in hexadecimal; of a folder that of the names and sizes of its files.
    pub sha256: String,
    /// How many files are in it, if it is a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
}

/// What its own program is to a player.
pub const PROGRAM: &str = "program";
/// What a player's own opening book is to it.
pub const OWN_BOOK: &str = "own book";
/// What the tables are to a player by which the runner ends its games.
pub const TABLES: &str = "adjudication tables";
/// What a program is to a player that a process of its engine runs and that is not its command.
pub const PROCESS: &str = "process";

/// What has become of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Same,
    /// Its content is another, in words.
    Another(String),
    /// It cannot be read, as while it is being built anew, and why.
    Gone(String),
}

/// A player's engine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Identity {
    /// What it calls itself (`id name`, `myname`).
    #[serde(default)]
    pub name: Option<String>,
    /// Who wrote it, as it says (`id author`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Its files, the program first.
    pub files: Vec<FileIdentity>,
    /// The protocol that it was found to speak. Journals of older versions do not say it.
    #[serde(default, with = "as_word", skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
}

/// A protocol as journals have it: the word that `proto=` takes.
mod as_word {
    use client::Protocol;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(protocol: &Option<Protocol>, to: S) -> Result<S::Ok, S::Error> {
        let word = protocol.map(|protocol| match protocol {
            Protocol::Uci => "uci",
            Protocol::Xboard => "xboard",
        });
        word.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Protocol>, D::Error> {
        let word = Option::<String>::deserialize(from)?;
        word.map(|word| word.parse::<Protocol>().map_err(D::Error::custom)).transpose()
    }
}

/// A protocol in words.
fn in_words(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Uci => "UCI",
        Protocol::Xboard => "xboard's protocol",
    }
}

/// Writes a path into JSON, which has texts only: one that is not a text is named.
pub(crate) fn path_as_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    let not_text = || {
        let why = format!("the path {} is not UTF-8 and cannot be written down", path.display());
        <S::Error as serde::ser::Error>::custom(why)
    };
    to.serialize_str(path.to_str().ok_or_else(not_text)?)
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}, its {role}: {error}")]
pub struct IdentityError {
    path: String,
    role: String,
    error: io::Error,
}

impl FileIdentity {
    /// Reads a file, or looks through a folder.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(role: &str, path: &Path) -> Result<Self, IdentityError> {
        let read = if path.is_dir() { Self::try_list(role, path) } else { Self::try_read(role, path, path) };
        read.map_err(|error| IdentityError { path: path.display().to_string(), role: role.to_owned(), error })
    }

    /// `place`: where it is read, by another name than its own perhaps.
    fn try_read(role: &str, path: &Path, place: &Path) -> io::Result<Self> {
        let mut file = File::open(place)?;
        let metadata = file.metadata()?;
        let mut hash = Sha256::new();
        let size = io::copy(&mut file, &mut hash)?;
        Ok(Self {
            role: role.to_owned(),
            path: path.to_owned(),
            size,
            modified_ns: modified(&metadata),
            sha256: hexadecimal(hash),
            files: None,
        })
    }

    /// The names and sizes of a folder's files, hidden ones and those that cannot be looked at left out.
    fn try_list(role: &str, path: &Path) -> io::Result<Self> {
        let mut files = BTreeSet::new();
        for entry in path.read_dir()? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Of a link that which it leads to; of others what some systems tell with the folder, since file by file
            // is slow.
            let file = match entry.metadata() {
                Ok(metadata) if !metadata.is_symlink() => Ok(metadata),
                _ => entry.path().metadata(),
            };
            if let Ok(file) = file
                && file.is_file()
                && !name.starts_with('.')
            {
                files.insert((name, file.len()));
            }
        }
        let mut hash = Sha256::new();
        files.iter().for_each(|(name, size)| hash.update(format!("{name}\0{size}\n")));
        Ok(Self {
            role: role.to_owned(),
            path: path.to_owned(),
            size: files.iter().fold(0, |sum, (_, size)| sum.saturating_add(*size)),
            modified_ns: None,
            sha256: hexadecimal(hash),
            files: Some(files.len()),
        })
    }

    /// What has become of it: it is the same still by its size and time, or else by its content.
    #[must_use]
    pub fn change(&self) -> Change {
        if self.looks_the_same(&self.path) {
            return Change::Same;
        }
        match Self::read(&self.role, &self.path) {
            Ok(now) => self.difference(&now).map_or(Change::Same, Change::Another),
            Err(error) => Change::Gone(error.to_string()),
        }
    }

    /// Whether this place has a file of its size and time.
    fn looks_the_same(&self, place: &Path) -> bool {
        place.metadata().is_ok_and(|metadata| {
            metadata.len() == self.size
                && self.modified_ns.is_some()
                && modified(&metadata) == self.modified_ns
        })
    }

    fn difference(&self, now: &Self) -> Option<String> {
        (self.sha256 != now.sha256).then(|| match (self.files, now.files) {
            (Some(before), Some(files)) => format!(
                "of its {} {} the files are others: {} of {} bytes before, now {files} of {} bytes",
                self.role,
                now.path.display(),
                counted(before as u64, "file"),
                self.size,
                now.size
            ),
            _ => format!(
                "its {} {} is another file: it had {} bytes and SHA-256 {}, now it has {} bytes and SHA-256 {}",
                self.role,
                now.path.display(),
                self.size,
                short(&self.sha256),
                now.size,
                short(&now.sha256)
            ),
        })
    }
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn modified(metadata: &std::fs::Metadata) -> Option<u64> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// Enough of a hash to tell two files apart in a sentence.
fn short(sha256: &str) -> &str {
    sha256.get(..16).unwrap_or(sha256)
}

impl Identity {
    /// The files of an engine that is not started yet.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn of(engine: &EngineConfig) -> Result<Self, IdentityError> {
        let mut files = Vec::new();
        if let Ok(program) = locate(engine) {
            files.push(FileIdentity::read(PROGRAM, &program)?);
        }
        for (role, value) in named_values(engine) {
            let found = match existing(engine, &value, Path::is_file) {
                Some(file) => vec![(role, file)],
                None => folders(engine, &role, &value),
            };
            for (role, path) in found {
                if !is_written(&role, &path) {
                    files.push(FileIdentity::read(&role, &path)?);
                }
            }
        }
        Ok(Self { files, ..Self::default() })
    }

    /// The files of a player whose engine is not started yet, with the book that the runner plays from for
    /// it.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn of_player(player: &Player) -> Result<Self, IdentityError> {
        let mut identity = Self::of(&player.engine)?;
        if let Some(book) = &player.book {
            let path = std::path::absolute(book).unwrap_or_else(|_| book.clone());
            identity.files.push(FileIdentity::read(OWN_BOOK, &path)?);
        }
        Ok(identity)
    }

    /// The files that the engine itself reads and that must stay as they are while it plays. A folder is looked at
    /// only when a run begins: what comes and goes in it need be nothing that the engine has read.
    pub fn watched_files(&self) -> impl Iterator<Item = &FileIdentity> {
        self.files.iter().filter(|file| !is_runners(&file.role) && file.files.is_none())
    }

    /// Whether anything is said of the engine. Journals of older versions do not say which programs played, and a
    /// collection of several journals has such a place where one of them lacks a player.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.name.is_some() || !self.files.is_empty()
    }

    /// Whether it says which file the program is.
    pub(crate) fn has_program(&self) -> bool {
        self.files.iter().any(|file| file.role == PROGRAM)
    }

    /// Whether it names something of which `before` says nothing, and which may have been there all the same:
    /// journals of older versions do not name it.
    #[must_use]
    pub fn names_more_than(&self, before: &Self) -> bool {
        let names = |role: &str| before.files.iter().any(|file| file.role == role);
        let learns = self.is_known() && !before.is_known();
        let speaks = self.protocol.is_some() && before.protocol.is_none();
        learns || speaks || self.files.iter().any(|file| is_later(file) && !names(&file.role))
    }

    /// What is different in `now`, in words; `None` if nothing is, or nothing is known of this one. What journals of
    /// older versions do not name is compared where both have it. So are the runner's own files: a journal's settings
    /// say whether there are any, and who only asks the engine has none.
    #[must_use]
    pub fn difference(&self, now: &Self) -> Option<String> {
        if !self.is_known() {
            return None;
        }
        for file in self.files.iter().filter(|file| file.role != PROCESS) {
            match now.files.iter().find(|other| other.role == file.role) {
                Some(other) => {
                    if let Some(difference) = file.difference(other) {
                        return Some(difference);
                    }
                }
                // Journals of older versions name some files that engines write.
                None if is_runners(&file.role) || is_written(&file.role, &file.path) => {}
                None => {
                    let (role, path) = (&file.role, file.path.display());
                    return Some(format!("its {role} {path} is no longer there"));
                }
            }
        }
        let known = |file: &FileIdentity| self.files.iter().any(|other| other.role == file.role);
        if let Some(file) = now.files.iter().find(|file| !is_later(file) && !known(file)) {
            return Some(format!("its {} {} was not there before", file.role, file.path.display()));
        }
        let processes = |identity: &Self| -> Vec<FileIdentity> {
            identity.files.iter().filter(|file| file.role == PROCESS).cloned().collect()
        };
        if let Some(difference) = other_process(&processes(self), &processes(now)) {
            return Some(difference);
        }
        if let Some([before, now]) = self.other_protocol(now) {
            return Some(format!("it speaks {}, and spoke {}", in_words(now), in_words(before)));
        }
        let call = |name: &Option<String>| name.clone().unwrap_or_else(|| "nothing".to_owned());
        (self.name != now.name).then(|| {
            format!("it calls itself `{}`, and called itself `{}`", call(&now.name), call(&self.name))
        })
    }

    /// What is different on another machine, in words: what that one has, and what this one has. `None` if the same
    /// program plays on both.
    #[must_use]
    pub fn difference_elsewhere(&self, other: &Self) -> Option<String> {
        if let Some([here, there]) = self.other_protocol(other) {
            return Some(format!("{} instead of {}", in_words(there), in_words(here)));
        }
        let is_same = self.difference(other).is_none() && other.difference(self).is_none();
        (!is_same).then(|| format!("`{}` instead of `{}`", other.line(), self.line()))
    }

    /// The protocols of this one and of another, where both are known and differ.
    fn other_protocol(&self, other: &Self) -> Option<[Protocol; 2]> {
        let (own, others) = self.protocol.zip(other.protocol)?;
        (own != others).then_some([own, others])
    }

    /// One line for a game's header: the name it gives itself, and its files with the beginnings of their hashes.
    #[must_use]
    pub fn line(&self) -> String {
        let mut parts: Vec<String> = self.name.iter().cloned().collect();
        for file in &self.files {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            let kind = if file.files.is_some() { "files' sha256" } else { "sha256" };
            parts.push(format!("{} {name} {kind} {}", file.role, short(&file.sha256)));
        }
        parts.join("; ")
    }
}

/// The files by which the runner ends games, a folder or several.
///
/// # Errors
/// One of them cannot be read.
pub fn of_tables(folders: &[PathBuf]) -> Result<Vec<FileIdentity>, IdentityError> {
    numbered(TABLES, folders).map(|(role, folder)| FileIdentity::read(&role, &folder)).collect()
}

/// The programs that the processes of an engine run when it has greeted, in the order of their names, but for that
/// of its command and for shells: what a script has started, and the interpreter of one that is no shell's. Only those
/// are read that are none of the `known`, by path, size and time. None are known where the system does not tell.
#[must_use]
pub fn running(leader: u32, engine: &EngineConfig, known: &[FileIdentity]) -> Vec<FileIdentity> {
    let command = locate(engine).ok().and_then(|program| program.canonicalize().ok());
    let mut found: Vec<FileIdentity> = Vec::new();
    for Running { file, path } in programs_of_group(leader) {
        let is_found = found.iter().any(|other| other.path == path);
        if command.as_ref() == Some(&path) || is_found || is_shell(&path) {
            continue;
        }
        let same = |other: &&FileIdentity| other.path == path && other.looks_the_same(&file);
        let known =
            known.iter().find(same).map(|known| FileIdentity { role: PROCESS.into(), ..known.clone() });
        found.extend(known.or_else(|| FileIdentity::try_read(PROCESS, &path, &file).ok()));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Whether a program is a shell: which one starts an engine is nothing to its play, and between its fork and its start
/// every helper of a script runs one.
fn is_shell(program: &Path) -> bool {
    program.file_name().and_then(OsStr::to_str).is_some_and(|name| SHELLS.contains(&name))
}

/// Names of shells, as their files have them.
const SHELLS: [&str; 10] = ["ash", "bash", "busybox", "dash", "fish", "ksh", "ksh93", "mksh", "sh", "zsh"];

/// Which program an engine's processes ran before and none of them runs now, in words, if another has come instead.
/// One more or one fewer is no change: helpers come and go, some of them later than others.
#[must_use]
pub fn other_process(before: &[FileIdentity], now: &[FileIdentity]) -> Option<String> {
    let is_among =
        |one: &FileIdentity, list: &[FileIdentity]| list.iter().any(|two| two.sha256 == one.sha256);
    let gone: Vec<_> = before.iter().filter(|one| !is_among(one, now)).collect();
    let new: Vec<_> = now.iter().filter(|one| !is_among(one, before)).collect();
    let pairs = || gone.iter().flat_map(|known| new.iter().map(move |other| (*known, *other)));
    if let Some((known, other)) = pairs().find(|(known, other)| known.path == other.path) {
        return known.difference(other);
    }
    let (known, other) = pairs().next()?;
    Some(format!("its process ran {}, and now runs {}", known.path.display(), other.path.display()))
}

/// Whether this is a file of the runner, and none that the engine reads.
fn is_runners(role: &str) -> bool {
    role == OWN_BOOK || role.starts_with(TABLES)
}

/// Whether journals of older versions do not name such a file.
fn is_later(file: &FileIdentity) -> bool {
    is_runners(&file.role) || file.role == PROCESS || file.files.is_some()
}

/// Paths with what they are: of several each has its number.
fn numbered(role: &str, paths: &[PathBuf]) -> impl Iterator<Item = (String, PathBuf)> {
    paths.iter().cloned().enumerate().map(move |(index, path)| match index {
        0 => (role.to_owned(), path),
        _ => (format!("{role} {}", index + 1), path),
    })
}

/// Everything on an engine line that could name a file, with what it is to the engine.
fn named_values(engine: &EngineConfig) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for (index, arg) in engine.args.iter().enumerate() {
        let before =
            index.checked_sub(1).and_then(|at| engine.args.get(at)).filter(|arg| arg.starts_with('-'));
        let role = match before {
            Some(flag) => format!("argument {} ({flag})", index + 1),
            None => format!("argument {}", index + 1),
        };
        match arg.split_once('=') {
            // `--weights=net.pb`
            Some((key, value)) if key.starts_with('-') => {
                values.push((format!("{role} {key}"), value.to_owned()))
            }
            _ => values.push((role, arg.clone())),
        }
    }
    values.extend(engine.options.iter().map(|(name, value)| (format!("option {name}"), value.clone())));
    for line in &engine.init_lines {
        let value = line.split_once(" value ").or_else(|| line.split_once('='));
        if let Some((name, value)) = value {
            let name = name.trim_start_matches("setoption name ");
            values.push((format!("initstr {name}"), value.trim().to_owned()));
        }
    }
    values
}

/// The file or folder that a value names, as the engine finds it: from its working directory, or beside the program.
pub(crate) fn existing(engine: &EngineConfig, value: &str, is_one: fn(&Path) -> bool) -> Option<PathBuf> {
    if value.is_empty() {
        return None;
    }
    let working = engine.dir.clone().unwrap_or_default();
    let beside = locate(engine).ok().and_then(|program| program.parent().map(Path::to_owned));
    let places = std::iter::once(working).chain(beside);
    let found = places.map(|place| place.join(value)).find(|path| is_one(path))?;
    Some(std::path::absolute(&found).unwrap_or(found))
}

/// Words for endgame tables, in the name of the option or flag that says where they lie.
const TABLE_WORDS: [&str; 11] = [
    "bitbases",
    "egt",
    "egtb",
    "egtpath",
    "gaviota",
    "nalimov",
    "scorpio",
    "syzygy",
    "tablebases",
    "tb",
    "tbpath",
];

/// The parts of a list of files or folders.
pub(crate) fn parts(value: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| c == ';' || c == ':' && cfg!(not(windows));
    value.split(apart).map(str::trim).filter(|part| !part.is_empty())
}

/// The folders of endgame tables that a value names, or the parts of a list of them, with what they are to the engine,
/// those left out that cannot be read. Into other folders engines may write. The one in which the engine or the
/// runner works is left out, too, since outputs may lie there.
fn folders(engine: &EngineConfig, role: &str, value: &str) -> Vec<(String, PathBuf)> {
    if !has_word(role, &TABLE_WORDS) {
        return Vec::new();
    }
    let folder = |value: &str| existing(engine, value, Path::is_dir);
    let found: Vec<PathBuf> = match folder(value) {
        Some(whole) => vec![whole],
        None => parts(value).filter_map(folder).collect(),
    };
    let working: Vec<PathBuf> = [engine.dir.clone(), std::env::current_dir().ok()]
        .into_iter()
        .flatten()
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    let works_there = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| working.contains(&folder));
    let fits = |folder: &PathBuf| folder.read_dir().is_ok() && !works_there(folder);
    let found: Vec<PathBuf> = found.into_iter().filter(fits).collect();
    numbered(role, &found).collect()
}

/// Words for files that engines write, in the name of a file or of the option that names it.
const LOGS: [&str; 4] = ["log", "logs", "logfile", "logfiles"];
/// The same in the name of an option only: a network may be called `deep-learning`.
const LESSONS: [&str; 5] = ["experience", "experiencefile", "learn", "learnfile", "learning"];

/// Whether an engine writes the file that it is given as this (by an option of this name, say), so that its content
/// says nothing of which program it is: its name or that of the option has the word `log` or the like, or that of the
/// option `experience`, `learning` or the like.
#[must_use]
pub fn is_written(role: &str, file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    has_word(role, &LOGS) || has_word(&name, &LOGS) || has_word(role, &LESSONS)
}

fn has_word(name: &str, wanted: &[&str]) -> bool {
    // `DebugLogFile` is three words, and `LOG` is one.
    let apart = |letter: char| [letter.is_ascii_uppercase().then_some(' '), Some(letter)];
    let apart: String = name.chars().flat_map(apart).flatten().collect();
    let both = format!("{name} {apart}");
    let mut words = both.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| wanted.contains(&word.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(dir: &Path) -> EngineConfig {
        let mut engine = EngineConfig::new("/bin/sh");
        engine.dir = Some(dir.to_owned());
        engine.args = vec!["-c".into(), "x.sh".into(), "--net=a.net".into(), "absent".into()];
        engine.options = vec![
            ("EvalFile".into(), "b.net".into()),
            ("Hash".into(), "16".into()),
            ("Debug Log File".into(), "out.txt".into()),
        ];
        engine.init_lines = vec!["setoption name Book value c.bin".into(), "quit".into()];
        engine
    }

    #[test]
    fn every_file_that_an_engine_line_names_is_known() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["x.sh", "a.net", "b.net", "c.bin", "out.txt"] {
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        let identity = Identity::of(&engine(dir.path())).unwrap();
        let roles: Vec<&str> = identity.files.iter().map(|file| file.role.as_str()).collect();
        assert_eq!(
            roles,
            ["program", "argument 2 (-c)", "argument 3 --net", "option EvalFile", "initstr Book"]
        );
        // printf b.net | sha256sum
        assert_eq!(identity.files[3].size, 5);
        assert_eq!(
            identity.files[3].sha256,
            "1cce6b1095f5891732bbc75cd3b0615e58b9c57d0e43c62277e40e97ef7473fc"
        );
    }

    #[test]
    fn content_decides_whether_a_file_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("b.net");
        std::fs::write(&file, "one").unwrap();
        let before = Identity::of(&engine(dir.path())).unwrap();
        let known = before.files.iter().find(|file| file.role == "option EvalFile").unwrap();
        assert_eq!(known.change(), Change::Same);
        // Written anew with the same content, at another time.
        std::fs::write(&file, "one").unwrap();
        File::options().write(true).open(&file).unwrap().set_modified(UNIX_EPOCH).unwrap();
        assert_eq!(known.change(), Change::Same);
        assert_eq!(before.difference(&Identity::of(&engine(dir.path())).unwrap()), None);
        std::fs::write(&file, "two").unwrap();
        let Change::Another(change) = known.change() else { panic!("{:?}", known.change()) };
        assert!(change.contains("option EvalFile") && change.contains("b.net is another file"), "{change}");
        assert_eq!(before.difference(&Identity::of(&engine(dir.path())).unwrap()), Some(change));
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(known.change(), Change::Gone(why) if why.contains("cannot read")));
        let gone = before.difference(&Identity::of(&engine(dir.path())).unwrap()).unwrap();
        assert!(gone.contains("option EvalFile") && gone.contains("no longer there"), "{gone}");
        let other = Identity { name: Some("Other 2".into()), ..before.clone() };
        assert!(before.difference(&other).unwrap().contains("`Other 2`"));
    }

    /// An engine that learns rewrites its file in every game: it is the same engine, also where the journal of an older
    /// version knows that file.
    #[test]
    fn files_that_engines_write_are_not_watched() {
        let dir = tempfile::tempdir().unwrap();
        let engine = |option: &str, file: &str| EngineConfig {
            options: vec![(option.into(), file.into())],
            dir: Some(dir.path().into()),
            ..EngineConfig::new("/bin/sh")
        };
        for (option, file, watched) in [
            ("Experience File", "a.exp", false),
            ("ExperienceFile", "a.exp", false),
            ("Learning", "a.bin", false),
            ("Book", "learn.dat", true),
            ("EvalFile", "deep-learning.net", true),
            ("EvalFile", "experience-3.nnue", true),
            ("DebugLogFile", "a.txt", false),
            ("EvalFile", "learned.nnue", true),
            ("LearnedNet", "a.nnue", true),
            ("Catalog", "inexperienced.bin", true),
        ] {
            let path = dir.path().join(file);
            std::fs::write(&path, "one").unwrap();
            let before = Identity::of(&engine(option, file)).unwrap();
            let known = FileIdentity::read(&format!("option {option}"), &path).unwrap();
            std::fs::write(&path, "another").unwrap();
            let now = Identity::of(&engine(option, file)).unwrap();
            assert_eq!(before.difference(&now).is_some(), watched, "{option} {file}");
            assert_eq!(before.files.contains(&known), watched, "{option} {file}");
            let older = Identity { files: vec![before.files[0].clone(), known], ..before.clone() };
            assert_eq!(older.difference(&now).is_some(), watched, "{option} {file}");
        }
    }

    /// Files as an identity has them: role, path, content's hash.
    fn files(list: &[(&str, &str, &str)]) -> Identity {
        let file = |&(role, path, hash): &(&str, &str, &str)| FileIdentity {
            role: role.into(),
            path: path.into(),
            size: 1,
            modified_ns: None,
            sha256: hash.into(),
            files: None,
        };
        Identity { files: list.iter().map(file).collect(), ..Identity::default() }
    }

    /// The engine behind a script, by content: rebuilt in its place, or another file in its stead.
    #[test]
    fn what_a_script_starts_is_part_of_the_engine() {
        let script = ("program", "w.sh", "w");
        let (python, old, new) =
            ((PROCESS, "/bin/python3", "p"), (PROCESS, "/x/old", "1"), (PROCESS, "/x/old", "2"));
        let helper = (PROCESS, "/bin/sleep", "z");
        let with = |processes: &[(&str, &str, &str)]| files(&[&[script][..], processes].concat());
        let before = with(&[python, old]);
        for (now, says) in [
            (with(&[python, new]), Some("its process /x/old is another file")),
            (with(&[helper, python, new]), Some("its process /x/old is another file")),
            (
                with(&[python, (PROCESS, "/x/else", "2")]),
                Some("its process ran /x/old, and now runs /x/else"),
            ),
            // The same elsewhere, in another order, or with a helper more or fewer.
            (with(&[(PROCESS, "/y/copy", "1"), python]), None),
            (with(&[python, helper, old]), None),
            (with(&[python]), None),
            (with(&[old]), None),
            // The system does not tell, or did not.
            (with(&[]), None),
        ] {
            let difference = before.difference(&now);
            match says {
                Some(says) => {
                    assert!(difference.as_ref().is_some_and(|d| d.contains(says)), "{difference:?}")
                }
                None => assert_eq!(difference, None, "{now:?}"),
            }
        }
        let older = with(&[]);
        assert!(before.names_more_than(&older) && !before.names_more_than(&before));
        assert_eq!(older.difference(&before), None);
        assert_eq!(before.watched_files().count(), 3);
    }

    /// Names and sizes decide; where one lies in a list, and what a journal of an older version does not say, do not.
    #[test]
    fn folders_are_known_by_the_names_and_sizes_of_their_files() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["tb", "more", "work"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
            std::fs::write(dir.path().join(folder).join("KQvK.rtbw"), "1234").unwrap();
        }
        let engine = |value: &str| EngineConfig {
            options: vec![("SyzygyPath".into(), value.into()), ("UserDir".into(), "work".into())],
            args: vec!["tb".into()],
            dir: Some(dir.path().into()),
            ..EngineConfig::new("/bin/sh")
        };
        let of = |value: &str| Identity::of(&engine(value)).unwrap();
        let roles = |value: &str| -> Vec<String> {
            of(value).files.iter().skip(1).map(|file| file.role.clone()).collect()
        };
        assert_eq!(roles("tb"), ["option SyzygyPath"]);
        assert_eq!(roles("tb;absent;more"), ["option SyzygyPath", "option SyzygyPath 2"]);
        assert_eq!(roles("tb:more").len(), if cfg!(windows) { 0 } else { 2 });
        for none in [".", "", "absent"] {
            assert!(roles(none).is_empty(), "{none}");
        }
        let before = of("tb;more");
        assert_eq!((before.files[1].files, before.files[1].size), (Some(1), 4));
        assert_eq!(before.watched_files().count(), 1);
        let tables = of_tables(&[dir.path().join("tb"), dir.path().join("more")]).unwrap();
        assert_eq!([&*tables[0].role, &*tables[1].role], [TABLES, "adjudication tables 2"]);
        let with_tables = |tables: &[FileIdentity]| Identity {
            files: [&of("work").files[..], tables].concat(),
            ..Identity::default()
        };
        let adjudicated = with_tables(&tables);

        let table = |name: &str| dir.path().join("more").join(name);
        // What is hidden is none of its files, nor is another folder.
        std::fs::write(table(".lock"), "x").unwrap();
        std::fs::create_dir(table("sub")).unwrap();
        std::fs::write(table("KQvK.rtbw"), "5678").unwrap();
        assert_eq!(before.difference(&of("tb;more")), None);
        let changes: [&dyn Fn() -> io::Result<()>; 3] = [
            &|| std::fs::write(table("KQvK.rtbw"), "12345"),
            &|| std::fs::write(table("KRvK.rtbw"), ""),
            &|| std::fs::remove_file(table("KQvK.rtbw")),
        ];
        for change in changes {
            change().unwrap();
            let changed = before.difference(&of("tb;more")).unwrap();
            assert!(
                changed.contains("option SyzygyPath 2") && changed.contains("more the files"),
                "{changed}"
            );
            let now = of_tables(&[dir.path().join("tb"), dir.path().join("more")]).unwrap();
            let changed = adjudicated.difference(&with_tables(&now)).unwrap();
            assert!(changed.contains("adjudication tables 2"), "{changed}");
            std::fs::write(table("KQvK.rtbw"), "1234").unwrap();
            let _ = std::fs::remove_file(table("KRvK.rtbw"));
            assert_eq!(before.difference(&of("tb;more")), None);
        }
        std::fs::remove_dir_all(dir.path().join("more")).unwrap();
        assert!(before.difference(&of("tb;more")).unwrap().contains("no longer there"));
        let older = Identity { files: before.files[..1].to_vec(), ..Identity::default() };
        assert!(before.names_more_than(&older) && older.difference(&before).is_none());
        assert_eq!(adjudicated.difference(&with_tables(&[])), None, "who only asks the engine has none");
    }

    /// Nothing is another than what is not known; what is known and is there no more is.
    #[test]
    fn an_unknown_program_differs_from_none() {
        let (unknown, known) = (Identity::default(), files(&[("program", "x", "1")]));
        let named = Identity { name: Some("X 1".into()), ..Identity::default() };
        assert_eq!([&unknown, &known, &named].map(Identity::is_known), [false, true, true]);
        for now in [&known, &named] {
            assert_eq!((unknown.difference(now), now.names_more_than(&unknown)), (None, true));
            assert!(now.difference(&unknown).is_some() && !unknown.names_more_than(now));
        }
        assert_eq!((unknown.difference(&unknown), unknown.names_more_than(&unknown)), (None, false));
    }

    #[test]
    fn names_of_logs_are_no_other_names() {
        let is_log = |name: &str| is_written(name, Path::new("file.txt"));
        assert!(is_log("Debug Log File") && is_log("logfile") && is_log("sf.log") && is_log("my-log.txt"));
        assert!(is_log("LOG") && is_log("DebugLog") && is_log("logFile") && is_log("LogFileName"));
        assert!(!is_log("catalog.bin") && !is_log("logic.net") && !is_log("EvalFile") && !is_log("analog"));
        assert!(is_written("option X", Path::new("some/sf.log")) && !is_log("option Relearn"));
    }
}
