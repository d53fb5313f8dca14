//! Which program plays: the files behind an engine line, known by their content.
//!
//! A name and a path say nothing about the program that was there yesterday. So the program itself, and every argument
//! and option value that names an existing file (a network, a book, a script), is kept with size, time and
//! SHA-256, beside the name the engine gives itself. Content decides: a file that was touched or copied is
//! the same file.
//!
//! So is the opening book that the runner plays from for a player.
//!
//! Files that an engine writes are no part of it ([`is_written`]): its logs, and what it keeps of its games.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use client::EngineConfig;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::program::locate;
use crate::spec::Player;

/// A file that an engine is, or was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity {
    /// What it is to the engine: `program`, `argument 2`, `option EvalFile`.
    pub role: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds of Unix time, if the system knows.
    pub modified_ns: Option<u64>,
    /// The SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

/// What a player's own opening book is to it.
pub const OWN_BOOK: &str = "own book";

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
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(role: &str, path: &Path) -> Result<Self, IdentityError> {
        Self::try_read(role, path).map_err(|error| IdentityError {
            path: path.display().to_string(),
            role: role.to_owned(),
            error,
        })
    }

    fn try_read(role: &str, path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut hash = Sha256::new();
        let size = io::copy(&mut file, &mut hash)?;
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            role: role.to_owned(),
            path: path.to_owned(),
            size,
            modified_ns: modified(&metadata),
            sha256,
        })
    }

    /// What has become of it: it is the same still by its size and time, or else by its content.
    #[must_use]
    pub fn change(&self) -> Change {
        let same = |metadata: std::fs::Metadata| {
            metadata.len() == self.size
                && self.modified_ns.is_some()
                && modified(&metadata) == self.modified_ns
        };
        if self.path.metadata().is_ok_and(same) {
            return Change::Same;
        }
        match Self::read(&self.role, &self.path) {
            Ok(now) => self.difference(&now).map_or(Change::Same, Change::Another),
            Err(error) => Change::Gone(error.to_string()),
        }
    }

    fn difference(&self, now: &Self) -> Option<String> {
        (self.sha256 != now.sha256).then(|| {
            format!(
                "its {} {} is another file: it had {} bytes and SHA-256 {}, now it has {} bytes and SHA-256 {}",
                self.role,
                now.path.display(),
                self.size,
                short(&self.sha256),
                now.size,
                short(&now.sha256)
            )
        })
    }
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
            files.push(FileIdentity::read("program", &program)?);
        }
        for (role, value) in named_values(engine) {
            if let Some(path) = existing_file(engine, &value)
                && !is_written(&role, &path)
            {
                files.push(FileIdentity::read(&role, &path)?);
            }
        }
        Ok(Self { name: None, author: None, files })
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

    /// The files that the engine itself reads.
    pub fn engine_files(&self) -> impl Iterator<Item = &FileIdentity> {
        self.files.iter().filter(|file| file.role != OWN_BOOK)
    }

    /// Whether it has an own book where `before` has none: journals of older versions do not say which it
    /// was.
    #[must_use]
    pub fn names_more_than(&self, before: &Self) -> bool {
        let has_book = |identity: &Self| identity.files.iter().any(|file| file.role == OWN_BOOK);
        has_book(self) && !has_book(before)
    }

    /// What is different in `now`, in words; `None` if nothing is. Own books are compared where both have
    /// one: a journal's settings say whether there is one, and who only asks the engine has none.
    #[must_use]
    pub fn difference(&self, now: &Self) -> Option<String> {
        for file in &self.files {
            match now.files.iter().find(|other| other.role == file.role) {
                Some(other) => {
                    if let Some(difference) = file.difference(other) {
                        return Some(difference);
                    }
                }
                // Journals of older versions name some files that engines write.
                None if file.role == OWN_BOOK || is_written(&file.role, &file.path) => {}
                None => {
                    let (role, path) = (&file.role, file.path.display());
                    return Some(format!("its {role} {path} is no longer there"));
                }
            }
        }
        let known = |file: &&FileIdentity| self.files.iter().any(|other| other.role == file.role);
        if let Some(file) = now.engine_files().find(|file| !known(file)) {
            return Some(format!("its {} {} was not there before", file.role, file.path.display()));
        }
        let call = |name: &Option<String>| name.clone().unwrap_or_else(|| "nothing".to_owned());
        (self.name != now.name).then(|| {
            format!("it calls itself `{}`, and called itself `{}`", call(&now.name), call(&self.name))
        })
    }

    /// One line for a game's header: the name it gives itself, and its files with the beginnings of their hashes.
    #[must_use]
    pub fn line(&self) -> String {
        let mut parts: Vec<String> = self.name.iter().cloned().collect();
        for file in &self.files {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            parts.push(format!("{} {name} sha256 {}", file.role, short(&file.sha256)));
        }
        parts.join("; ")
    }
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

/// The file that a value names, as the engine finds it: from its working directory, or beside the program.
fn existing_file(engine: &EngineConfig, value: &str) -> Option<PathBuf> {
    if value.is_empty() {
        return None;
    }
    let working = engine.dir.clone().unwrap_or_default();
    let beside = locate(engine).ok().and_then(|program| program.parent().map(Path::to_owned));
    let places = std::iter::once(working).chain(beside);
    let found = places.map(|place| place.join(value)).find(|path| path.is_file())?;
    Some(std::path::absolute(&found).unwrap_or(found))
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

    #[test]
    fn names_of_logs_are_no_other_names() {
        let is_log = |name: &str| is_written(name, Path::new("file.txt"));
        assert!(is_log("Debug Log File") && is_log("logfile") && is_log("sf.log") && is_log("my-log.txt"));
        assert!(is_log("LOG") && is_log("DebugLog") && is_log("logFile") && is_log("LogFileName"));
        assert!(!is_log("catalog.bin") && !is_log("logic.net") && !is_log("EvalFile") && !is_log("analog"));
        assert!(is_written("option X", Path::new("some/sf.log")) && !is_log("option Relearn"));
    }
}
